/* A shelf: messages, found by id in constant time, and sorted by each instant that matters to them.
 *
 *   by_id     every message, by its id
 *   arrivals  every message, in order of arrival
 *   shown     those that are visible or will be, by when they show
 *   ends      those of them that expire, by when they do
 *   hidden    the others that expire, by when they do: they end before they show, or stand behind another one of
 *             their group
 *   last      those whose window is the last, by when it ends; on the shelf of the dead all, by when they died
 *
 * In `shown` every message shows before it ends. So the number of visible messages is the number that have shown
 * minus the number that have ended; other counts follow likewise. Nothing is moved as time passes.
 *
 * Only the first message of a group may show; when it is removed, the next one takes its place. While the
 * first one has ended but is not removed yet, its successor shows without being in `shown`: queries have to
 * look for successors, too. */
#ifndef HOLDFAST_SHELF_H
#define HOLDFAST_SHELF_H

#include "core/hash_index.h"
#include "queue/message.h"

struct shelf {
    struct hash_index by_id;  /* no segments before the first message */
    struct hash_index groups; /* no segments before the first group */
    struct timeline arrivals, shown, ends, hidden, last;
    size_t held; /* bytes of messages and groups, without the indexes */
};

void shelf_start(struct shelf *shelf);
/* Frees everything on it. */
void shelf_end(struct shelf *shelf);
/* Frees at most `most` messages; false when nothing is left and the shelf has been ended. */
bool shelf_sweep(struct shelf *shelf, size_t most);

/* Prefetches for a search of this id. */
void shelf_expect(const struct shelf *shelf, const struct guid *id);
struct message *shelf_find(const struct shelf *shelf, const struct guid *id);

/* Adds a message as its fields say, as from a file. */
void shelf_add(struct shelf *shelf, struct message *message);
/* Adds a new message: after those that show in the same millisecond. */
void shelf_add_last(struct shelf *shelf, struct message *message);
/* Removes the message; the caller then owns it. */
void shelf_take(struct shelf *shelf, struct message *message);
/* When and how a message shows. */
struct showing {
    int64_t ms;
    int turn; /* TURN_LAST: after those that show in the same millisecond */
    enum message_standing standing;
};

enum { TURN_LAST = -1 };

void shelf_move(struct shelf *shelf, struct message *message, const struct showing *showing);
void shelf_set_text(struct shelf *shelf, struct message *message, struct bytes text);
void shelf_set_reason(struct shelf *shelf, struct message *message, struct bytes reason);

/* Visits the successors: for each group whose first message has ended but is still here, the first one that has not
 * ended. That means reading what has ended; if there is much, only a part of it is read. */
typedef void visit_message(void *context, struct message *message);
void shelf_visit_successors(const struct shelf *shelf, int64_t now_ms, visit_message *visit, void *context);

/* Moves all messages at one place of the hash index, and the index itself there. */
void shelf_relocate(struct shelf *shelf, size_t place, const struct relocation *relocation);

/* Bytes that the allocator holds for it. */
size_t shelf_held(const struct shelf *shelf);

static inline size_t shelf_count(const struct shelf *shelf) {
    return shelf->by_id.count;
}

#endif
