/* A shelf: messages found by id in constant time, and standing in order by all that time does with them.
 *
 *   by_id     every message, by its id
 *   arrivals  every message, in order of arrival
 *   shown     those that are visible or will be, by when they show
 *   ends      those of them that expire, by when they do
 *   hidden    the others that expire, by when they do: they end before they show, or stand behind another one of
 *             their group
 *   last      those whose window is the last, by when it ends; on the shelf of the dead all, by when they died
 *
 * In `shown` every message shows before it ends. So at any moment as many are visible as have shown, less those that
 * have ended; and so for all other numbers. Nothing is moved when time passes.
 *
 * Of a group only the first to arrive may show; when it goes, the next one takes its place. While the first one has ended
 * and is still here, its successor shows without being in `shown`: who asks looks for successors, too. */
#ifndef HOLDFAST_SHELF_H
#define HOLDFAST_SHELF_H

#include "core/hash_index.h"
#include "queue/message.h"

struct shelf {
    struct hash_index by_id;  /* without segments before the first message */
    struct hash_index groups; /* likewise */
    struct timeline arrivals, shown, ends, hidden, last;
    size_t held; /* allocations of messages and groups, not of the indexes */
};

void shelf_start(struct shelf *shelf);
/* Frees all that is on it. */
void shelf_end(struct shelf *shelf);
/* Frees so many at most; false when nothing is left to be freed and the shelf has been ended. */
bool shelf_sweep(struct shelf *shelf, size_t most);

/* Sends for the memory that a search for this id will want. */
void shelf_expect(const struct shelf *shelf, const struct guid *id);
struct message *shelf_find(const struct shelf *shelf, const struct guid *id);

/* The message is where its change says, as from a file. */
void shelf_add(struct shelf *shelf, struct message *message);
/* It comes now: behind those that show in the same millisecond. */
void shelf_add_last(struct shelf *shelf, struct message *message);
/* The message is the caller's then. */
void shelf_take(struct shelf *shelf, struct message *message);
/* How a message is to show. */
struct showing {
    int64_t ms;
    int turn; /* TURN_LAST: behind those that show in the same millisecond */
    enum message_standing standing;
};

enum { TURN_LAST = -1 };

void shelf_move(struct shelf *shelf, struct message *message, const struct showing *showing);
void shelf_set_text(struct shelf *shelf, struct message *message, struct bytes text);
void shelf_set_reason(struct shelf *shelf, struct message *message, struct bytes reason);

/* Of each group whose first message has ended by now and is still here: the first one that has not ended. To find them
 * takes a look at what has ended; where that is much, not all of it is looked at. */
typedef void visit_message(void *context, struct message *message);
void shelf_visit_successors(const struct shelf *shelf, int64_t now_ms, visit_message *visit, void *context);

/* All messages at one place of the hash index, and the index itself there. */
void shelf_relocate(struct shelf *shelf, size_t place, const struct relocation *relocation);

/* What the allocator holds for it. */
size_t shelf_held(const struct shelf *shelf);

static inline size_t shelf_count(const struct shelf *shelf) {
    return shelf->by_id.count;
}

#endif
