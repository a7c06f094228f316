/* Building a feed from the objects that already exist: in the order of their names, in portions. */
#ifndef HOLDFAST_FEED_BUILD_H
#define HOLDFAST_FEED_BUILD_H

#include "core/feed.h"

enum { FEED_PORTION = 1000 }; /* objects that are added when a feed begins, and then in each step */

/* Where the next portion ends: its last name. Empty when the portion takes all that is left. */
struct bytes feed_portion(const struct feed *feed, const struct order_index *objects);

/* Adds the objects up to this name, or all remaining ones if there is no name. `exists` tells which objects
 * count; NULL means all. */
void feed_build(struct account *account, struct feed *feed, const struct order_index *objects,
                struct bytes last, bool (*exists)(const struct entry *entry));

#endif
