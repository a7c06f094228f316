/* A walk over the messages of several time indexes at once, in one order. */
#ifndef HOLDFAST_MESSAGE_WALK_H
#define HOLDFAST_MESSAGE_WALK_H

#include "queue/message.h"

enum { MESSAGE_WALK_PARTS_MAX = 4 };

/* Valid until the next change of an index. */
struct message_walk {
    enum time_index_key by;
    int64_t now_ms;
    unsigned count;
    struct message_walk_part {
        const struct time_index *index;
        int64_t until_ms;
        struct time_index_cursor cursor;
        struct time_entry *next; /* NULL at the end */
    } parts[MESSAGE_WALK_PARTS_MAX];
    struct time_entry *taken; /* the one before; its part has to advance. NULL at first */
};

/* By BY_ARRIVAL or BY_VISIBLE. In indexes that track ends, the walk passes over messages that have ended. */
void message_walk_start(struct message_walk *walk, enum time_index_key by, int64_t now_ms);
/* Adds an index that has this order, or in which the messages have it anyway: up to the last message that is visible
 * at `until_ms`. */
void message_walk_add(struct message_walk *walk, const struct time_index *index, int64_t until_ms);
/* NULL at the end. */
struct message *message_walk_next(struct message_walk *walk);

#endif
