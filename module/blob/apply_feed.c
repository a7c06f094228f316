/* What the changes do that concern a feed of a container, and how the feed follows its blobs.
 *
 *   FEEDON ──▶ building ──FEEDBUILT …──▶ on ──FEEDOFF──▶ off
 *
 * A small container is built at once. What is written meanwhile gets in where it belongs, so that a portion finds some of
 * its blobs there already. What comes out of a file is complete. */
#include "blob/apply.h"
#include "change/checks.h"
#include "core/feed.h"

_Static_assert(offsetof(struct blob, stamp.etag) == offsetof(struct feed_entry, v),
               "a blob is a feed's object");

/* --- Following --- */

bool apply_feed_admits(const struct container *container, const struct container_change *change) {
    bool loads = container->feed->loading && container_change_has_name(change) && change->stamp.etag;
    return !loads || feed_admits(container->feed, change->name, change->stamp.etag);
}

void apply_feed_follows(struct container *container, struct blob *blob, version before) {
    if (!before)
        feed_add(&container->account, container->feed, &blob->entry);
    else if (before != blob->stamp.etag)
        feed_move(&container->account, container->feed, &blob->entry, before);
}

/* --- Building --- */

/* The first blob behind what the feed has. */
static struct order_cursor first_untold(const struct container *container) {
    struct bytes frontier = feed_frontier(container->feed);
    struct order_cursor cursor = catalog_seek(&container->blobs, frontier);
    struct entry *entry = order_cursor_entry(&cursor);
    if (entry && bytes_equal(entry_name(entry), frontier)) order_cursor_next(&cursor);
    return cursor;
}

struct bytes container_feed_next(const struct container *container, size_t most) {
    struct order_cursor cursor = first_untold(container);
    struct bytes last = {"", 0};
    for (struct entry *entry = order_cursor_entry(&cursor); entry && most; most--) {
        last = entry_name(entry);
        order_cursor_next(&cursor);
        entry = order_cursor_entry(&cursor);
    }
    return order_cursor_entry(&cursor) ? last : bytes_of("", 0);
}

/* An empty name stands for all. */
static void build_up_to(struct container *container, struct bytes last) {
    struct order_cursor cursor = first_untold(container);
    struct entry *entry = order_cursor_entry(&cursor);
    for (; entry && (!last.length || bytes_compare(entry_name(entry), last) <= 0);
         entry = order_cursor_entry(&cursor)) {
        if (blob_exists(blob_of_entry(entry))) feed_take(&container->account, container->feed, entry);
        order_cursor_next(&cursor);
    }
    feed_advance(&container->account, container->feed, entry ? last : bytes_of("", 0));
}

bool apply_feedbuilt(struct container *container, struct blob **blob, const struct container_change *change) {
    (void)blob;
    if (!container->feed) return false;
    if (container->feed->building) build_up_to(container, change->feed);
    return true;
}

/* --- On and off --- */

bool apply_feedon(struct container *container, struct blob **blob, const struct container_change *change) {
    (void)blob;
    if (container->feed || change->count > FEED_KEEP_MAX) return false;
    container->feed = feed_new(&container->account, change->minted, change->count);
    build_up_to(container, container_feed_next(container, FEED_BUILT_AT_ONCE));
    return true;
}

bool apply_feedkeep(struct container *container, struct blob **blob, const struct container_change *change) {
    (void)blob;
    if (!container->feed || change->count > FEED_KEEP_MAX) return false;
    feed_set_keep(&container->account, container->feed, change->count);
    return true;
}

bool apply_feedoff(struct container *container, struct blob **blob, const struct container_change *change) {
    (void)blob;
    (void)change;
    if (!container->feed) return false;
    feed_drop(&container->account, container->feed);
    container->feed = NULL;
    return true;
}

/* --- Files --- */

/* Nobody can tell what has become of the changes that its followers have seen since it was saved: what is minted next lies
 * in an epoch of its own. */
bool apply_feedstate(struct container *container, struct blob **blob, const struct container_change *change) {
    (void)blob;
    if (container->feed || catalog_count(&container->blobs)) return false;
    container->feed = feed_read_state(&container->account, change->feed);
    if (container->feed) version_leave_epoch();
    return container->feed;
}

bool apply_feedmarkers(struct container *container, struct blob **blob,
                       const struct container_change *change) {
    (void)blob;
    if (!container->feed || catalog_count(&container->blobs)) return false;
    return feed_read_markers(&container->account, container->feed, change->feed, name_is_sound);
}
