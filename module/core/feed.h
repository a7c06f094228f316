/* A feed: what has changed in an aggregate, in the order of versions, each object once and at its latest change.
 *
 *   feed ─▶ order      objects and markers by their versions: see version_order.h
 *        ─▶ markers    by name; a marker records that an object was deleted
 *        ─▶ begins, ends: the first and the last version of each of the last epochs
 *
 * An object is any structure that begins with a feed_entry. It is in the feed once, so a feed needs no more memory than
 * its objects and the last `keep` markers do. Markers up to `whole_from` have been dropped: followers no longer get
 * them, and their memory is freed in the background.
 *
 * BOOKMARKS. A follower has a bookmark: a version, up to which it knows all changes. While it first walks through
 * everything, the bookmark is a position and the version at which the walk began. The walk skips markers from before
 * its beginning. It ends, because objects that change meanwhile move behind its beginning. Between two pages a bookmark
 * also has the feed's newest version at the last page: up to it, objects may have moved from in front of the position
 * to behind it.
 *
 * LOST CHANGES are reported, not passed over. A bookmark is valid if
 *   - no marker after it has been dropped, and it is not from before the feed: it is at least `whole_from`;
 *   - its version survived: it is not after the last version that the feed has of the same epoch, if that epoch has
 *     ended. A server that takes over begins a new epoch, so versions lost with the end of the old one are in between.
 *     Nor is it before the first one: two servers may begin epochs with the same number, and count from elsewhere;
 *   - so did the newest version of its last page. Otherwise an object may be back where the pages have passed it.
 * Where the key has had another history before, no bookmark is valid: the feed is `foreign` until it begins anew.
 *
 * A feed follows from the objects and from what feed_put_state and feed_put_markers write; files have these before the
 * objects. A feed reads no clock and mints nothing: the caller passes the versions of deletions. */
#ifndef HOLDFAST_FEED_H
#define HOLDFAST_FEED_H

#include "core/hash_index.h"
#include "core/order_index.h"
#include "core/record.h"
#include "core/version_order.h"

enum {
    FEED_EPOCHS = 16,
    FEED_KEEP_DEFAULT = 100000,
    FEED_KEEP_MAX = 1000000000,
};

/* What objects and markers begin with. */
struct feed_entry {
    struct entry entry;
    version v;
};

struct feed {
    struct version_order order;
    struct hash_index markers;
    version newest; /* of all versions so far, dropped markers included */
    version whole_from;
    uint64_t keep;                 /* maximum number of markers */
    uint64_t kept;                 /* number of markers newer than whole_from */
    version ends[FEED_EPOCHS - 1]; /* of the epochs before the newest one, oldest first */
    version begins[FEED_EPOCHS];   /* of those and of the newest one; 0 where it is not known */
    unsigned end_count;
    uint64_t name; /* a hash of the key that it was seen at; 0: not yet */
    uint64_t line; /* of one history: see server/effects/followed.h; 0: not known */
    bool building; /* objects with names after the frontier may be missing */
    bool untold;   /* they may be missing on replicas, which still build what a file has brought here */
    bool loading;  /* a file is building the aggregate: only saved entries are accepted */
    bool over;     /* turned off; freed in the background */
    bool foreign;  /* its key had another history: no bookmark is good, and it is about to begin anew */
    bool copied;   /* of a feed with this line, and not written since */
    bool aside;    /* is part of the garbage */
    struct bytes frontier;
};

/* Counts over all feeds of the process, for INFO. */
struct feed_census {
    size_t kept;    /* markers */
    size_t dropped; /* since the start */
};

struct feed_census feed_census(void);

/* --- Life --- */

/* The last version of one of the epochs that the feed remembers, so far. */
static inline version feed_end(const struct feed *feed, unsigned epoch) {
    return epoch < feed->end_count ? feed->ends[epoch] : feed->newest;
}

/* The same for the epoch with this number; 0 when the feed does not remember it. */
version feed_end_of(const struct feed *feed, uint64_t number);

/* Starts a feed at a version that is newer than all objects. */
struct feed *feed_new(struct account *account, version beginning, uint64_t keep);
/* Frees it in the background, a portion at a time. */
void feed_drop(struct account *account, struct feed *feed);
/* Frees it at once, with its aggregate. */
void feed_free(struct account *account, struct feed *feed);

/* Sets the maximum number of markers and drops those above it. */
void feed_set_keep(struct account *account, struct feed *feed, uint64_t keep);

/* --- What happens to objects --- */

/* An object was added; a marker with its name is removed. */
void feed_add(struct account *account, struct feed *feed, struct entry *object);
/* An object got a new version. */
void feed_move(struct account *account, struct feed *feed, struct entry *object, version before);
/* An object is about to be deleted: leaves a marker. */
void feed_mark(struct account *account, struct feed *feed, struct entry *object, version deletion);

/* Whether an object from a file may be added. */
bool feed_admits(const struct feed *feed, struct bytes name, version v);
/* Whether one may whose version is not its last one yet. */
bool feed_admits_name(const struct feed *feed, struct bytes name);
/* Whether an object is newer than the feed: at the end of a file, none may be. */
bool feed_has_newer(const struct feed *feed);

/* Adds the feed's pointer to an object, if there is a feed and it has the object. */
void feed_slots(const struct feed *feed, const struct entry *object, struct entry_slots *slots);

/* --- Building a feed of objects that exist already: in the order of their names, in portions --- */

enum { FEED_PORTION = 1000 }; /* objects that are added when a feed begins, and then in each step */

/* Whether steps have to be decided, for this server or for its replicas. */
static inline bool feed_is_unfinished(const struct feed *feed) {
    return feed && (feed->building || feed->untold);
}

/* Whether upkeep has something to do, also to make it begin anew. */
static inline bool feed_needs_upkeep(const struct feed *feed) {
    return feed_is_unfinished(feed) || (feed && feed->foreign);
}

/* Where the next portion ends: its last name. Empty when the portion takes all that is left. */
struct bytes feed_portion(const struct feed *feed, const struct order_index *objects);

/* Adds the objects up to this name, or all remaining ones if there is no name. `exists` tells which objects
 * count; NULL means all. */
void feed_build(struct account *account, struct feed *feed, const struct order_index *objects,
                struct bytes last, bool (*exists)(const struct entry *entry));

/* --- Files: the state, which does not follow from the objects, and the markers --- */

/* Writes whole_from, newest, keep, ends; and begins, if there is more than one epoch. */
void feed_put_state(const struct feed *feed, struct record_writer *writer);
/* NULL when the state is not valid. */
struct feed *feed_read_state(struct account *account, struct bytes state);
/* The newest version in a state; 0 when the state is not valid. */
version feed_state_newest(struct bytes state);

/* Writes the next markers from the cursor on; false when there are no more. */
bool feed_put_markers(const struct feed *feed, struct version_cursor *cursor, struct record_writer *writer);
struct version_cursor feed_first_marker(const struct feed *feed);
/* Adds markers after those read before. False, and nothing done, when they do not fit. */
bool feed_read_markers(struct account *account, struct feed *feed, struct bytes markers,
                       bool (*name_is_sound)(const void *name));

/* Whether a file is still being read. */
bool feed_is_loading(const struct feed *feed);
/* It has been read to its end. */
void feed_loaded(struct feed *feed);
/* It has come from a file of the server, or of its primary: replicas are told of its portions. */
void feed_tell_again(struct feed *feed);

/* --- Memory --- */

/* Bytes that are not counted in the account. */
size_t feed_memory(const struct feed *feed);

/* Moves the feed's parts at one of this many places. The feed itself stays where it is. */
size_t feed_places(const struct feed *feed);
void feed_relocate(struct feed *feed, size_t place, const struct relocation *relocation);

#endif
