/* What others are told of a change, on the primary that decided it and on replicas alike.
 *
 * Those who watch the key (WATCH) or cache what they have read of it (CLIENT TRACKING) are told of each change, except
 * of kinds that no read shows: those clear what time, or an earlier change, has ended. With an event they are told of,
 * too: it is the first that anybody hears of that end. */
#ifndef HOLDFAST_TELLING_H
#define HOLDFAST_TELLING_H

#include "server/base/data_type.h"

/* What is to be told of a change. */
static inline struct told telling_of(const struct data_type *type, const void *change) {
    const struct change_kind *kind = change_kind(type->changes, change);
    struct told told = {.events = {kind->event}};
    if (type->events) type->events(change, told.events);
    told.modified = told.events[0] || told.events[1] || !(kind->traits & CHANGE_UNSEEN);
    return told;
}

#endif
