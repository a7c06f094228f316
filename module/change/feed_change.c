#include "change/feed_change.h"

#include "core/feed.h"

/* --- In records --- */

static void write_feed_state(const void *state, struct record_writer *writer) {
    record_put_bytes(writer, *(const struct bytes *)state);
}

static void read_feed_state(struct record_reader *reader, void *state) {
    *(struct bytes *)state = record_bytes(reader);
}

static version feed_state_version(const void *state) {
    return feed_state_newest(*(const struct bytes *)state);
}

const struct own_codec feed_state_codec = {write_feed_state, read_feed_state, feed_state_version};

/* --- Applying --- */

static bool turn_on(const struct feed_owner *owner, const struct feed_change *change) {
    if (change->keep > FEED_KEEP_MAX) return false;
    *owner->feed = feed_new(owner->account, change->beginning, change->keep);
    struct bytes last = feed_portion(*owner->feed, owner->objects);
    feed_build(owner->account, *owner->feed, owner->objects, last, owner->belongs);
    return true;
}

static bool apply_keep(const struct feed_owner *owner, const struct feed_change *change) {
    if (change->keep > FEED_KEEP_MAX) return false;
    feed_set_keep(owner->account, *owner->feed, change->keep);
    return true;
}

static bool turn_off(const struct feed_owner *owner) {
    feed_drop(owner->account, *owner->feed);
    *owner->feed = NULL;
    return true;
}

static bool build_next_portion(const struct feed_owner *owner, const struct feed_change *change) {
    feed_build(owner->account, *owner->feed, owner->objects, change->bytes, owner->belongs);
    return true;
}

static bool load_feed_state(const struct feed_owner *owner, const struct feed_change *change) {
    *owner->feed = feed_read_state(owner->account, change->bytes);
    return *owner->feed;
}

static bool load_feed_markers(const struct feed_owner *owner, const struct feed_change *change) {
    return feed_read_markers(owner->account, *owner->feed, change->bytes, owner->name_is_sound);
}

bool feed_change_apply(const struct feed_owner *owner, const struct feed_change *change) {
    bool begins = change->kind == FEED_ON || change->kind == FEED_STATE;
    bool in_file = change->kind == FEED_STATE || change->kind == FEED_MARKERS;
    if (begins != !*owner->feed || (in_file && !order_index_empty(owner->objects))) return false;
    switch (change->kind) {
    case FEED_ON: return turn_on(owner, change);
    case FEED_KEEP: return apply_keep(owner, change);
    case FEED_OFF: return turn_off(owner);
    case FEED_BUILT: return build_next_portion(owner, change);
    case FEED_STATE: return load_feed_state(owner, change);
    case FEED_MARKERS: return load_feed_markers(owner, change);
    default: return false;
    }
}

/* --- Walking --- */

void feed_change_walk(const struct feed *feed, const struct change_walk *walk,
                      void (*take)(const struct change_walk *walk, enum feed_change_kind kind,
                                   struct bytes bytes)) {
    struct record_writer writer;
    if (!feed) return;
    record_start(&writer);
    feed_put_state(feed, &writer);
    take(walk, FEED_STATE, record_written(&writer));
    struct version_cursor cursor = feed_first_marker(feed);
    for (writer.length = 0; feed_put_markers(feed, &cursor, &writer); writer.length = 0)
        take(walk, FEED_MARKERS, record_written(&writer));
    record_end(&writer);
}
