/* *.FEED: turns a feed on and off, and sets what it keeps. */
#ifndef HOLDFAST_FEED_SWITCH_H
#define HOLDFAST_FEED_SWITCH_H

#include "change/feed_change.h"
#include "server/call/call.h"

extern const char *const feed_words[];
enum { FEED_WORD_ON, FEED_WORD_OFF };

/* Checks what the call asks for. */
enum outcome feed_switch_check(struct call *call);

/* Decides the change that was asked for, if any, and replies. `first` is the kind of the data type's changes
 * for FEED_ON; `set` copies the rest into such a change. */
enum outcome feed_switch(struct call *call, const struct feed *feed, unsigned first,
                         void (*set)(void *change, const struct feed_change *given));

#endif
