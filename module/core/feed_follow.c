#include "core/feed_follow.h"

enum { BEGAN = '-', SEEN = '.', LATER_PART_LENGTH = 1 + VERSION_TEXT_LENGTH };

/* --- Bookmarks in text: position, position-began, position.seen, position-began.seen --- */

/* Takes the part behind a separator, if there is one. */
static bool take_part(struct bytes *rest, char separator, version *part) {
    if (!rest->length || *rest->data != separator) return true;
    if (rest->length < LATER_PART_LENGTH) return false;
    bool is_version = version_read(bytes_of(rest->data + 1, VERSION_TEXT_LENGTH), part);
    *rest = bytes_of(rest->data + LATER_PART_LENGTH, rest->length - LATER_PART_LENGTH);
    return is_version && *part;
}

static bool take_later_parts(struct bytes rest, struct bookmark *bookmark) {
    return take_part(&rest, BEGAN, &bookmark->began) && take_part(&rest, SEEN, &bookmark->seen) &&
           !rest.length;
}

bool bookmark_read(struct bytes text, struct bookmark *bookmark) {
    *bookmark = (struct bookmark){.now = bytes_equal(text, bytes_text("$"))};
    if (bookmark->now || bytes_equal(text, bytes_text("0"))) return true;
    bool is_version = text.length <= VERSION_TEXT_LENGTH + 2; /* as an ETag, which may be quoted */
    size_t parts = is_version ? 0 : text.length - VERSION_TEXT_LENGTH;
    struct bytes position = bytes_of(text.data, text.length - parts);
    return version_read(position, &bookmark->position) && bookmark->position &&
           take_later_parts(bytes_of(text.data + position.length, parts), bookmark);
}

static size_t write_part(char *text, char separator, version part) {
    if (!part) return 0;
    *text = separator;
    version_write(part, text + 1);
    return LATER_PART_LENGTH;
}

size_t bookmark_write(const struct bookmark *bookmark, char text[BOOKMARK_MAX_BYTES]) {
    version seen = bookmark->seen > bookmark->began ? bookmark->seen : 0;
    version_write(bookmark->position, text);
    size_t length = VERSION_TEXT_LENGTH;
    length += write_part(text + length, BEGAN, bookmark->began);
    return length + write_part(text + length, SEEN, seen);
}

/* --- What is lost --- */

/* Whether a version that the feed has not seen may still come. */
static bool may_come(version v, const struct known_versions *known) {
    if (v > known->newest) return !known->primary;
    return v > known->passed && version_epoch(v) == version_epoch(known->newest);
}

static bool has_survived(const struct feed *feed, version v, const struct known_versions *known) {
    if (v > feed->newest) return may_come(v, known);
    for (unsigned i = 0; i <= feed->end_count; i++)
        if (version_epoch(v) == version_epoch(feed_end(feed, i)))
            return v >= feed->begins[i] && v <= feed_end(feed, i);
    return v == feed->whole_from;
}

bool feed_lost(const struct feed *feed, const struct bookmark *bookmark, const struct known_versions *known) {
    version v = bookmark->began ? bookmark->began : bookmark->position;
    if (feed->foreign && known->primary) return v;
    if (bookmark->seen && !has_survived(feed, bookmark->seen, known)) return true;
    return v && (v < feed->whole_from || !has_survived(feed, v, known));
}

/* --- What comes next --- */

struct bookmark feed_resolve(const struct feed *feed, struct bookmark bookmark) {
    if (bookmark.now) return (struct bookmark){.position = feed->newest};
    if (!bookmark.position) bookmark.began = feed->newest;
    if (bookmark.seen < bookmark.began) bookmark.seen = bookmark.began;
    if (bookmark.seen < feed->newest) bookmark.seen = feed->newest;
    return bookmark;
}

struct feed_walk feed_follow(const struct feed *feed, struct bookmark from) {
    return (struct feed_walk){feed, from, version_order_seek(&feed->order, from.position)};
}

static void reach_version(struct feed_walk *walk, version v) {
    if (v > walk->at.position) walk->at.position = v;
    if (walk->at.position >= walk->at.began) walk->at.began = 0;
    if (walk->at.position >= walk->at.seen) walk->at.seen = 0;
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
