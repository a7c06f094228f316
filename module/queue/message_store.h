/* A message store: messages, found by id in constant time, and sorted by each instant that matters to them.
 *
 *   by_id     every message, by its id
 *   arrivals  every message, in order of arrival
 *   shown     those that are visible or will be, by when they show
 *   ends      those of them that expire, by when they do
 *   hidden    the others that expire, by when they do: they end before they show, or stand behind another one of
 *             their group
 *   last      those whose window is the last, by when it ends; on the message store of the dead all, by when they died
 *
 * In `shown` every message shows before it ends. So the number of visible messages is the number that have shown
 * minus the number that have ended; other counts follow likewise. Nothing is moved as time passes.
 *
 * Only the first message of a group may show; when it is removed, the next one takes its place. While the
 * first one has ended but is not removed yet, its successor shows without being in `shown`: queries have to
 * look for successors, too. */
#ifndef HOLDFAST_MESSAGE_STORE_H
#define HOLDFAST_MESSAGE_STORE_H

#include "core/hash_index.h"
#include "queue/message.h"

struct message_store {
    struct hash_index by_id;  /* no segments before the first message */
    struct hash_index groups; /* no segments before the first group */
    struct time_index arrivals, shown, ends, hidden, last;
    size_t held; /* bytes of messages and groups, without the indexes */
};

void message_store_start(struct message_store *message_store);
/* Frees everything on it. */
void message_store_end(struct message_store *message_store);
/* Frees at most `max` messages; false when nothing is left and the message store has been ended. */
bool message_store_sweep(struct message_store *message_store, size_t max);

/* Prefetches for a search of this id. */
void message_store_prefetch(const struct message_store *message_store, const struct guid *id);
struct message *message_store_find(const struct message_store *message_store, const struct guid *id);

/* Adds a message as its fields say, as from a file. */
void message_store_add(struct message_store *message_store, struct message *message);
/* Adds a new message: after those that show in the same millisecond. */
void message_store_add_last(struct message_store *message_store, struct message *message);
/* Removes the message; the caller then owns it. */
void message_store_take(struct message_store *message_store, struct message *message);
/* When and how a message shows. */
struct showing {
    int64_t ms;
    int turn; /* TURN_LAST: after those that show in the same millisecond */
    enum message_standing standing;
};

enum { TURN_LAST = -1 };

void message_store_move(struct message_store *message_store, struct message *message,
                        const struct showing *showing);
void message_store_set_text(struct message_store *message_store, struct message *message, struct bytes text);
void message_store_set_reason(struct message_store *message_store, struct message *message,
                              struct bytes reason);

/* Visits the successors: for each group whose first message has ended but is still here, the first one that has not
 * ended. That means reading what has ended; if there is much, only a part of it is read. */
typedef void visit_message(void *context, struct message *message);
void message_store_visit_successors(const struct message_store *message_store, int64_t now_ms,
                                    visit_message *visit, void *context);

/* Moves all messages at one place of the hash index, and the index itself there. */
void message_store_relocate(struct message_store *message_store, size_t place,
                            const struct relocation *relocation);

/* Bytes that the allocator holds for it. */
size_t message_store_held(const struct message_store *message_store);

static inline size_t message_store_count(const struct message_store *message_store) {
    return message_store->by_id.count;
}

#endif
