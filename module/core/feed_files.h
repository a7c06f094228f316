/* A feed in files: the state that does not follow from the objects, and the markers. */
#ifndef HOLDFAST_FEED_FILES_H
#define HOLDFAST_FEED_FILES_H

#include "core/feed.h"
#include "core/record.h"

/* Writes the state that does not follow from the objects: whole_from, newest, keep, ends. */
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

#endif
