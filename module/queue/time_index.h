/* A time index: entries in the order of an instant and, among equals, of their turns and of arrival; with ranks.
 *
 *   root ─▶ inner node ─▶ … ─▶ leaf ⇄ leaf ⇄ leaf        a B+tree of pointers, absent while there is nothing in it
 *
 * An inner node keeps for each child its lowest key, how many entries are below it and the latest of their ends. So
 * counting what is due by an instant, and finding the next one that has not ended, takes logarithmic time however
 * many lie in between. Nothing has to be done as time passes.
 *
 * Entries that come in rising order leave full leaves behind, wherever in the tree that is. The entries are
 * embedded in structures of the caller's; their keys must not change while they are in a time index, and no two of them
 * have the same order number. */
#ifndef HOLDFAST_TIME_INDEX_H
#define HOLDFAST_TIME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest numbers of an entry. */
#define TIME_ENTRY_ORDER_MAX ((UINT64_C(1) << 52) - 1)
#define TIME_ENTRY_TURN_MAX  ((1u << 12) - 1)

struct time_entry {
    uint64_t order : 52; /* order of arrival */
    uint64_t turn : 12;  /* precedes the order in BY_SHOWING; usually 0: see time_index_add_last */
    int64_t shows_ms;
    int64_t ends_ms;
};

/* The instant that sorts a time index; BY_ARRIVAL sorts by order number alone. */
enum time_index_key { BY_ARRIVAL, BY_SHOWING, BY_END };

struct time_index_leaf;

struct time_index {
    void *root;
    struct time_index_leaf *first, *last;
    const struct time_entry *latest; /* the one added last; only compared, since it may be gone */
    size_t count;
    size_t held; /* bytes of the nodes */
    uint8_t height;
    uint8_t key;       /* enum time_index_key */
    bool follows_ends; /* required for time_index_living */
};

/* A time index zeroed but for these two is empty; one that has become empty uses no memory. */
#define TIMELINE(by, follows)                                                                                \
    { .key = (by), .follows_ends = (follows) }

void time_index_add(struct time_index *time_index, struct time_entry *time_entry);
/* For BY_SHOWING: gives the entry the turn that sorts it after all that show at its instant. */
void time_index_add_last(struct time_index *time_index, struct time_entry *time_entry);
/* The entry must be there. */
void time_index_remove(struct time_index *time_index, const struct time_entry *time_entry);
/* The address of the time index's pointer to an entry in it, for an entry that is about to move in memory. */
struct time_entry **time_index_slot(const struct time_index *time_index, const struct time_entry *time_entry);
/* Removes all entries at once. */
void time_index_end(struct time_index *time_index);

/* NULL when there is none. */
struct time_entry *time_index_first(const struct time_index *time_index);
struct time_entry *time_index_last(const struct time_index *time_index);

/* How many have this instant or an earlier one. */
size_t time_index_rank(const struct time_index *time_index, int64_t instant_ms);
/* The first one after this instant; NULL when there is none. */
struct time_entry *time_index_behind(const struct time_index *time_index, int64_t instant_ms);

/* A walk from the first to the last. Valid until the next change. It starts with a zeroed cursor. */
struct time_index_cursor {
    const struct time_index_leaf *leaf;
    unsigned at;
};

struct time_entry *time_index_next(const struct time_index *time_index, struct time_index_cursor *cursor);
/* The next one that ends after now_ms; skips the others without reading them. */
struct time_entry *time_index_living(const struct time_index *time_index, struct time_index_cursor *cursor,
                                     int64_t now_ms);

#endif
