/* A time index: entries sorted by an instant; entries of the same instant by their turn, then by their order number.
 *
 *   root ─▶ inner node ─▶ … ─▶ leaf ⇄ leaf ⇄ leaf        a B+tree of pointers; an empty one has no nodes
 *
 * For each child, an inner node keeps the lowest key, the number of entries and the latest end below it. Therefore
 * it takes logarithmic time to count the entries up to an instant and to find the next one that has not ended. No
 * work is necessary as time passes.
 *
 * Entries that are added in ascending order fill their leaves, at any position in the tree. The entries are embedded
 * in structures of the caller. Their keys must not change while they are in an index, and no two of them may have
 * the same order number.
 *
 * The other B+tree, order_index.h, shares no code with this one. Its nodes have heads of names, and its inner nodes
 * change only with the first entry below them; here, each addition and removal changes the numbers of all nodes above.
 * Only to split and join nodes is alike: about 60 lines, which callbacks for keys and numbers would outweigh. */
#ifndef HOLDFAST_TIME_INDEX_H
#define HOLDFAST_TIME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The maximum values of the bit fields below. */
#define TIME_ENTRY_ORDER_MAX   ((UINT64_C(1) << 52) - 1)
#define TIME_ENTRY_TURN_MAX    ((1u << 12) - 1)
#define TIME_ENTRY_INSTANT_MAX ((UINT64_C(1) << 48) - 1) /* the year 10889 */

/* Twenty bytes, since there may be millions: instants are set and read by the functions below. */
struct __attribute__((packed, aligned(4))) time_entry {
    uint64_t order : 52; /* ascends in the order of arrival */
    uint64_t turn : 12;  /* compared before the order, by BY_VISIBLE only; usually 0 */
    uint64_t visible : 48;
    uint64_t ends : 48;
};

static inline int64_t time_entry_visible_ms(const struct time_entry *entry) {
    return (int64_t)entry->visible;
}

static inline int64_t time_entry_ends_ms(const struct time_entry *entry) {
    return (int64_t)entry->ends;
}

static inline void time_entry_set_visible_ms(struct time_entry *entry, int64_t visible_ms) {
    entry->visible = (uint64_t)visible_ms & TIME_ENTRY_INSTANT_MAX;
}

static inline void time_entry_set_ends_ms(struct time_entry *entry, int64_t ends_ms) {
    entry->ends = (uint64_t)ends_ms & TIME_ENTRY_INSTANT_MAX;
}

/* The instant by which an index sorts; BY_ARRIVAL sorts by the order number only. */
enum time_index_key { BY_ARRIVAL, BY_VISIBLE, BY_END };

struct time_index_leaf;

struct time_index {
    void *root;
    struct time_index_leaf *first, *last;
    const struct time_entry *last_added; /* may have been freed: compared, never read */
    size_t count;
    size_t memory; /* bytes of the nodes */
    uint8_t height;
    uint8_t key;      /* enum time_index_key */
    bool tracks_ends; /* required for time_index_next_living */
};

/* The initial value of an index. */
#define TIME_INDEX(by, tracks)                                                                               \
    { .key = (by), .tracks_ends = (tracks) }

void time_index_add(struct time_index *index, struct time_entry *entry);
/* For BY_VISIBLE: sets the entry's turn so that it follows all entries of the same instant, and adds it. From
 * TIME_ENTRY_TURN_MAX on, entries share a turn and are in the order of their numbers. */
void time_index_add_last(struct time_index *index, struct time_entry *entry);
/* The entry must be there. */
void time_index_remove(struct time_index *index, const struct time_entry *entry);
/* The address of the index's pointer to this entry, for an entry that is about to move in memory. */
struct time_entry **time_index_slot(const struct time_index *index, const struct time_entry *entry);
/* Removes all entries and frees all nodes. */
void time_index_clear(struct time_index *index);

/* NULL if the index is empty. */
struct time_entry *time_index_first(const struct time_index *index);
struct time_entry *time_index_last(const struct time_index *index);

/* The number of entries with this instant or an earlier one. */
size_t time_index_rank(const struct time_index *index, int64_t instant_ms);
/* The first entry after this instant, or NULL. */
struct time_entry *time_index_after(const struct time_index *index, int64_t instant_ms);

/* A walk over the entries in order. It starts with a zeroed cursor and is valid until the next change. */
struct time_index_cursor {
    const struct time_index_leaf *leaf;
    unsigned at;
};

struct time_entry *time_index_next(const struct time_index *index, struct time_index_cursor *cursor);
/* The next entry that ends after now_ms. It skips nodes in which all entries have ended. */
struct time_entry *time_index_next_living(const struct time_index *index, struct time_index_cursor *cursor,
                                          int64_t now_ms);

#endif
