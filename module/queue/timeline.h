/* A timeline: moments in the order of an instant and, among equals, of their turns and of arrival; with ranks.
 *
 *   root ─▶ inner node ─▶ … ─▶ leaf ⇄ leaf ⇄ leaf        a B+tree of pointers, absent while there is nothing in it
 *
 * An inner node keeps for each child its lowest key, how many moments are below it and the latest of their ends. So
 * counting what is due by an instant, and finding the next one that has not ended, takes logarithmic time however
 * many lie in between. Nothing has to be done as time passes.
 *
 * Moments that come in rising order leave full leaves behind, wherever in the tree that is. The moments are
 * embedded in structures of the caller's; their keys must not change while they are in a timeline, and no two of them
 * have the same order number. */
#ifndef HOLDFAST_TIMELINE_H
#define HOLDFAST_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest numbers of a moment. */
#define MOMENT_ORDER_MAX ((UINT64_C(1) << 52) - 1)
#define MOMENT_TURN_MAX  ((1u << 12) - 1)

struct moment {
    uint64_t order : 52; /* order of arrival */
    uint64_t turn : 12;  /* precedes the order in BY_SHOWING; usually 0: see timeline_add_last */
    int64_t shows_ms;
    int64_t ends_ms;
};

/* The instant that sorts a timeline; BY_ARRIVAL sorts by order number alone. */
enum timeline_key { BY_ARRIVAL, BY_SHOWING, BY_END };

struct timeline_leaf;

struct timeline {
    void *root;
    struct timeline_leaf *first, *last;
    const struct moment *latest; /* the one added last; only compared, since it may be gone */
    size_t count;
    size_t held; /* bytes of the nodes */
    uint8_t height;
    uint8_t key;       /* enum timeline_key */
    bool follows_ends; /* required for timeline_living */
};

/* A timeline zeroed but for these two is empty; one that has become empty uses no memory. */
#define TIMELINE(by, follows)                                                                                \
    { .key = (by), .follows_ends = (follows) }

void timeline_add(struct timeline *timeline, struct moment *moment);
/* For BY_SHOWING: gives the moment the turn that sorts it after all that show at its instant. */
void timeline_add_last(struct timeline *timeline, struct moment *moment);
/* The moment must be there. */
void timeline_remove(struct timeline *timeline, const struct moment *moment);
/* The address of the timeline's pointer to a moment in it, for a moment that is about to move in memory. */
struct moment **timeline_slot(const struct timeline *timeline, const struct moment *moment);
/* Removes all moments at once. */
void timeline_end(struct timeline *timeline);

/* NULL when there is none. */
struct moment *timeline_first(const struct timeline *timeline);
struct moment *timeline_last(const struct timeline *timeline);

/* How many have this instant or an earlier one. */
size_t timeline_rank(const struct timeline *timeline, int64_t instant_ms);
/* The first one after this instant; NULL when there is none. */
struct moment *timeline_behind(const struct timeline *timeline, int64_t instant_ms);

/* A walk from the first to the last. Valid until the next change. It starts with a zeroed cursor. */
struct timeline_cursor {
    const struct timeline_leaf *leaf;
    unsigned at;
};

struct moment *timeline_next(const struct timeline *timeline, struct timeline_cursor *cursor);
/* The next one that ends after now_ms; skips the others without reading them. */
struct moment *timeline_living(const struct timeline *timeline, struct timeline_cursor *cursor,
                               int64_t now_ms);

#endif
