#include "core/feed_follow.h"

enum { SEPARATOR = '-' };

/* --- Bookmarks in text --- */

bool bookmark_read(struct bytes text, struct bookmark *bookmark) {
    *bookmark = (struct bookmark){.now = bytes_equal(text, bytes_text("$"))};
    if (bookmark->now || bytes_equal(text, bytes_text("0"))) return true;
    if (text.length != BOOKMARK_MAX_BYTES)
        return version_read(text, &bookmark->position) && bookmark->position;
    struct bytes position = bytes_of(text.data, VERSION_TEXT_LENGTH);
    struct bytes began = bytes_of(text.data + VERSION_TEXT_LENGTH + 1, VERSION_TEXT_LENGTH);
    return text.data[VERSION_TEXT_LENGTH] == SEPARATOR && version_read(position, &bookmark->position) &&
           version_read(began, &bookmark->began) && bookmark->position && bookmark->began;
}

size_t bookmark_write(const struct bookmark *bookmark, char text[BOOKMARK_MAX_BYTES]) {
    version_write(bookmark->position, text);
    if (!bookmark->began) return VERSION_TEXT_LENGTH;
    text[VERSION_TEXT_LENGTH] = SEPARATOR;
    version_write(bookmark->began, text + VERSION_TEXT_LENGTH + 1);
    return BOOKMARK_MAX_BYTES;
}

/* --- What is lost --- */

/* Whether a version that the feed has not seen may still come. */
static bool may_come(version v, const struct known_versions *known) {
    if (v > known->newest) return !known->primary;
    return v > known->passed && version_epoch(v) == version_epoch(known->newest);
}

static bool has_survived(const struct feed *feed, version v, const struct known_versions *known) {
    if (v > feed->newest) return may_come(v, known);
    if (version_epoch(v) == version_epoch(feed->newest) || v == feed->whole_from) return true;
    for (unsigned i = 0; i < feed->end_count; i++)
        if (version_epoch(v) == version_epoch(feed->ends[i])) return v <= feed->ends[i];
    return false;
}

bool feed_lost(const struct feed *feed, const struct bookmark *bookmark, const struct known_versions *known) {
    version v = bookmark->began ? bookmark->began : bookmark->position;
    return v && (v < feed->whole_from || !has_survived(feed, v, known));
}

/* --- What comes next --- */

struct bookmark feed_resolve(const struct feed *feed, struct bookmark bookmark) {
    if (bookmark.now) return (struct bookmark){.position = feed->newest};
    if (!bookmark.position) bookmark.began = feed->newest;
    return bookmark;
}

struct feed_walk feed_follow(const struct feed *feed, struct bookmark from) {
    return (struct feed_walk){feed, from, version_order_seek(&feed->order, from.position)};
}

static void reach_version(struct feed_walk *walk, version v) {
    if (v > walk->at.position) walk->at.position = v;
    if (walk->at.position >= walk->at.began) walk->at.began = 0;
}

/* Dropped markers, and those from before the beginning of a walk through everything. */
static bool is_left_out(const struct feed_walk *walk, const struct version_slot *slot) {
    return version_slot_marked(slot) && (slot->v <= walk->feed->whole_from || slot->v <= walk->at.began);
}

bool feed_next(struct feed_walk *walk, struct version_slot *slot) {
    const struct version_slot *next = version_cursor_slot(&walk->feed->order, &walk->cursor);
    if (!next) {
        reach_version(walk, walk->feed->newest);
        walk->at.began = 0;
        return false;
    }
    *slot = *next;
    if (is_left_out(walk, next)) version_slot_set(slot, NULL, false);
    version_cursor_next(&walk->feed->order, &walk->cursor);
    reach_version(walk, next->v);
    return true;
}
