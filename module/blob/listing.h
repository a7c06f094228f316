/* Listings: a page of a container's blobs in the order of their names, from a marker on, in bounded work.
 *
 * With a delimiter, names that agree up to and including the first delimiter behind the prefix become one
 * item; the walk jumps over all of them at once. A page ends after `most` items, or earlier when what they
 * would answer grows beyond the budget of bytes. The next page's marker is the name at which it starts. */
#ifndef HOLDFAST_LISTING_H
#define HOLDFAST_LISTING_H

#include "blob/container.h"

struct listing_query {
    struct bytes prefix;
    struct bytes delimiter; /* empty: none */
    struct bytes marker;    /* empty: from the start */
    size_t most;
    size_t budget; /* bytes */
    bool metadata; /* counts toward the budget */
};

/* A blob, or names with a common beginning. */
struct listing_item {
    const struct blob *blob; /* NULL for a common beginning */
    struct bytes common;
};

/* Borrows from the container. */
struct listing {
    struct listing_item *items;
    size_t count;
    bool more;
    struct bytes next; /* the next page's marker, if there is more */
};

struct listing listing_collect(const struct container *container, const struct listing_query *query);
void listing_free(struct listing *listing);

#endif
