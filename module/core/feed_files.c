#include "core/feed_files.h"

#include "core/memory.h"

enum { MARKERS_MAX = 512, MARKERS_BYTES = 64 << 10 };

/* --- State --- */

void feed_put_state(const struct feed *feed, struct record_writer *writer) {
    record_put_word(writer, feed->whole_from);
    record_put_word(writer, feed->newest);
    record_put_number(writer, feed->keep);
    record_put_number(writer, feed->end_count);
    for (unsigned i = 0; i < feed->end_count; i++) record_put_word(writer, feed->ends[i]);
}

/* Each end must be of an earlier epoch than the next one, and all before the newest version's. */
static bool ends_are_sound(const struct feed *feed) {
    for (unsigned i = 0; i < feed->end_count; i++) {
        version next = i + 1 < feed->end_count ? feed->ends[i + 1] : feed->newest;
        if (!feed->ends[i] || version_epoch(feed->ends[i]) >= version_epoch(next)) return false;
    }
    return true;
}

static bool read_state(struct bytes state, struct feed *feed) {
    struct record_reader reader = record_reader(state);
    *feed = (struct feed){.loading = true};
    feed->whole_from = record_word(&reader);
    feed->newest = record_word(&reader);
    feed->keep = record_number(&reader);
    uint64_t ends = record_number(&reader);
    if (ends > FEED_EPOCHS - 1) return false;
    for (; feed->end_count < ends; feed->end_count++) feed->ends[feed->end_count] = record_word(&reader);
    return record_complete(&reader) && feed->whole_from && feed->whole_from <= feed->newest &&
           feed->newest <= VERSION_MAX && feed->keep <= FEED_KEEP_MAX && ends_are_sound(feed);
}

version feed_state_newest(struct bytes state) {
    struct feed feed;
    return read_state(state, &feed) ? feed.newest : 0;
}

struct feed *feed_read_state(struct account *account, struct bytes state) {
    struct feed read;
    if (!read_state(state, &read)) return NULL;
    struct feed *feed = account_add(account, memory_alloc(sizeof(*feed)));
    *feed = read;
    return feed;
}

/* --- Markers --- */

struct version_cursor feed_first_marker(const struct feed *feed) {
    struct version_cursor cursor = version_order_seek(&feed->order, feed->whole_from);
    version_cursor_to_marked(&feed->order, &cursor);
    return cursor;
}

bool feed_put_markers(const struct feed *feed, struct version_cursor *cursor, struct record_writer *writer) {
    const struct version_slot *slot;
    unsigned count = 0;
    while ((slot = version_cursor_slot(&feed->order, cursor)) && count < MARKERS_MAX &&
           writer->length < MARKERS_BYTES) {
        record_put_word(writer, slot->v);
        record_put_bytes(writer, entry_name(version_slot_entry(slot)));
        count++;
        version_cursor_next(&feed->order, cursor);
        version_cursor_to_marked(&feed->order, cursor);
    }
    return count;
}

struct saved_marker {
    version v;
    struct bytes name;
};

static bool read_marker(struct record_reader *reader, struct saved_marker *marker) {
    marker->v = record_word(reader);
    marker->name = record_bytes(reader);
    return !reader->failed && marker->v && marker->name.length <= UINT16_MAX;
}

bool feed_read_markers(struct account *account, struct feed *feed, struct bytes markers,
                       bool (*name_is_sound)(const void *name)) {
    struct record_reader reader = record_reader(markers);
    struct saved_marker marker;
    version first = 0;
    while (!record_complete(&reader)) {
        bool sound = read_marker(&reader, &marker) && (!name_is_sound || name_is_sound(&marker.name));
        if (!sound || !feed_restore_marker(account, feed, marker.name, marker.v)) {
            if (first) feed_unrestore_markers(account, feed, first);
            return false;
        }
        if (!first) first = marker.v;
    }
    return true;
}
