/* Following a feed: bookmarks, whether changes after them are lost, and what comes next. */
#ifndef HOLDFAST_FEED_FOLLOW_H
#define HOLDFAST_FEED_FOLLOW_H

#include "core/feed.h"

enum { BOOKMARK_MAX_BYTES = 3 * VERSION_TEXT_LENGTH + 2 };

/* --- Bookmarks --- */

struct bookmark {
    version position; /* changes after it are new */
    version began;    /* where a walk from 0 began; 0 when this is not a walk */
    version seen; /* the feed's newest version when the last page was read; 0 when that page was the end */
    bool now;     /* $: the newest version at the time of use */
};

bool bookmark_read(struct bytes text, struct bookmark *bookmark);
/* Returns the length. */
size_t bookmark_write(const struct bookmark *bookmark, char text[BOOKMARK_MAX_BYTES]);

/* What the server knows of versions, to distinguish lost changes from those still to come. */
struct known_versions {
    version newest;
    bool primary;   /* every version to come was minted or seen here */
    version passed; /* every version to come is newer */
};

/* Whether any change after the bookmark is lost. */
bool feed_lost(const struct feed *feed, const struct bookmark *bookmark, const struct known_versions *known);

/* Resolves a bookmark when a page is read: $ becomes a version, 0 the start of a walk. */
struct bookmark feed_resolve(const struct feed *feed, struct bookmark bookmark);

/* --- Following --- */

/* A walk from a bookmark on. */
struct feed_walk {
    const struct feed *feed;
    struct bookmark at; /* where the walk can resume */
    struct version_cursor cursor;
};

struct feed_walk feed_follow(const struct feed *feed, struct bookmark from);
/* The next object or marker. False at the end, when the bookmark is past everything. A slot without an
 * entry is to be skipped. */
bool feed_next(struct feed_walk *walk, struct version_slot *slot);

#endif
