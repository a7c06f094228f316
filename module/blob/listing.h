/* Listings: a page of a container's blobs in the order of their names, from a marker on, in bounded work.
 *
 * With a delimiter, names that agree up to and including the first delimiter after the prefix become one item; the
 * walk skips all of them at once. Snapshots come before their blob, oldest first. A page ends after `max` items, or
 * earlier when its reply, or the data read for it, exceeds a budget.
 *
 * The next page's marker is the name at which it starts. If snapshots are listed, the name is followed by a NUL and
 * the id of the snapshot to continue at: 0 for all of them, the highest id for the blob itself. */
#ifndef HOLDFAST_LISTING_H
#define HOLDFAST_LISTING_H

#include "blob/container.h"
#include "core/name.h"

struct listing_query {
    struct bytes prefix;
    struct bytes delimiter; /* empty for none */
    struct bytes marker;    /* empty for the start */
    size_t max;
    size_t budget; /* bytes */
    int64_t now_ms;
    bool metadata;    /* counts toward the budget */
    bool copies;      /* counts toward the budget */
    bool snapshots;   /* list them, too */
    bool uncommitted; /* list them, too */
};

/* A blob, a snapshot, or a common prefix of names. */
struct listing_item {
    const struct blob *blob; /* NULL for a common prefix */
    struct bytes name;       /* or the common prefix */
    version snapshot;        /* 0 for the blob itself */
};

enum { LISTING_MARKER_MAX_BYTES = NAME_MAX_BYTES + 1 + VERSION_TEXT_LENGTH };

/* Borrows from the container. */
struct listing {
    struct listing_item *items;
    size_t count;
    bool more;
    size_t next_length; /* length of the next page's marker; only valid if there is more */
    char next[LISTING_MARKER_MAX_BYTES];
};

void listing_collect(const struct container *container, const struct listing_query *query,
                     struct listing *listing);
void listing_free(struct listing *listing);

#endif
