/* Listings: a page of a container's blobs in the order of their names, from a marker on, in bounded work.
 *
 * With a delimiter, names that agree up to and including the first delimiter behind the prefix become one item; the
 * walk jumps over all of them at once. Snapshots stand before their blob, oldest first. A page ends after `most`
 * items, or earlier when what they would answer, or what had to be looked at for them, grows beyond a budget.
 *
 * The next page's marker is the name at which it starts. Where snapshots are listed, the one at which it goes on stands
 * behind the name and a NUL: the id 0 for all of them, the highest one for the blob itself. */
#ifndef HOLDFAST_LISTING_H
#define HOLDFAST_LISTING_H

#include "blob/container.h"
#include "core/name.h"

struct listing_query {
    struct bytes prefix;
    struct bytes delimiter; /* empty: none */
    struct bytes marker;    /* empty: from the start */
    size_t most;
    size_t budget; /* bytes */
    int64_t now_ms;
    bool metadata;    /* counts toward the budget */
    bool copies;      /* likewise */
    bool snapshots;   /* these, too */
    bool uncommitted; /* likewise */
};

/* A blob, a snapshot, or names with a common beginning. */
struct listing_item {
    const struct blob *blob; /* NULL for a common beginning */
    struct bytes name;       /* or the common beginning */
    version snapshot;        /* 0 for the blob itself */
};

enum { LISTING_MARKER_MAX_BYTES = NAME_MAX_BYTES + 1 + VERSION_TEXT_LENGTH };

/* Borrows from the container. */
struct listing {
    struct listing_item *items;
    size_t count;
    bool more;
    size_t next_length; /* of the next page's marker, if there is more */
    char next[LISTING_MARKER_MAX_BYTES];
};

void listing_collect(const struct container *container, const struct listing_query *query,
                     struct listing *listing);
void listing_free(struct listing *listing);

#endif
