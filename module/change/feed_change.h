/* Changes of a feed (core/feed.h), the same for all data types that have one.
 *
 *   FEED_ON ──▶ building ──FEED_BUILT …──▶ on ──FEED_OFF──▶ off
 *
 * The feed of a small aggregate is built at once. An object that is written while a feed is being built is added to it
 * at once, so a portion may contain objects that the feed already has. A feed from a file is complete; the portions are
 * told again all the same, for replicas that have seen only some of them.
 *
 * A data type's own kinds have this order, too: its first one plus the kind. FEED_KINDS_IN_ORDER checks it. */
#ifndef HOLDFAST_FEED_CHANGE_H
#define HOLDFAST_FEED_CHANGE_H

#include "change/change.h"
#include "core/feed.h"

enum feed_change_kind {
    FEED_ON,
    FEED_KEEP, /* sets how many markers are kept */
    FEED_OFF,
    FEED_BUILT,   /* it has the objects up to this name; empty for all */
    FEED_STATE,   /* in files, before the objects */
    FEED_MARKERS, /* in files, before the objects */
    FEED_CHANGE_KINDS
};

/* A data type's kinds have the order of the feed's; `kind` is what their names begin with. */
#define FEED_KINDS_IN_ORDER(kind)                                                                            \
    _Static_assert((int)kind##KEEP == (int)kind##ON + (int)FEED_KEEP &&                                      \
                       (int)kind##OFF == (int)kind##ON + (int)FEED_OFF &&                                    \
                       (int)kind##BUILT == (int)kind##ON + (int)FEED_BUILT &&                                \
                       (int)kind##STATE == (int)kind##ON + (int)FEED_STATE &&                                \
                       (int)kind##MARKERS == (int)kind##ON + (int)FEED_MARKERS &&                            \
                       (int)FEED_CHANGE_KINDS == (int)FEED_MARKERS + 1,                                      \
                   "a feed's kinds have an order")

struct feed_change {
    enum feed_change_kind kind;
    version beginning;
    uint64_t keep;
    struct bytes bytes; /* a name, a state or markers */
};

/* An aggregate that may have a feed. */
struct feed_owner {
    struct account *account;
    struct feed **feed; /* the pointer is NULL while it is off */
    const struct order_index *objects;
    bool (*belongs)(const struct entry *object); /* whether the feed has this object; NULL: it has all */
    bool (*name_is_sound)(const void *name);     /* of a marker */
};

/* False, and nothing done, when it does not fit. */
bool feed_change_apply(const struct feed_owner *owner, const struct feed_change *change);

/* Passes each FEED_STATE and FEED_MARKERS that rebuild a feed, in order. Does nothing without one. */
void feed_change_walk(const struct feed *feed, const struct change_walk *walk,
                      void (*take)(const struct change_walk *walk, enum feed_change_kind kind,
                                   struct bytes bytes));

/* Of the bytes of a FEED_STATE, which are checked when they are applied. */
extern const struct own_codec feed_state_codec;

#endif
