/* How the changes of a container's feed are applied, and how the feed follows its blobs.
 *
 *   FEEDON ──▶ building ──FEEDBUILT …──▶ on ──FEEDOFF──▶ off
 *
 * The feed of a small container is built at once. A blob that is written while a feed is being built is added to it at
 * once, so a portion may contain blobs that the feed already has. A feed from a file is complete. */
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

/* --- On, built and off --- */

static bool belongs_in_feed(const struct entry *entry) {
    return blob_exists((const struct blob *)entry);
}

bool apply_feedbuilt(struct container *container, struct blob **blob, const struct container_change *change) {
    (void)blob;
    if (!container->feed) return false;
    feed_build(&container->account, container->feed, &container->blobs.by_order, change->feed,
               belongs_in_feed);
    return true;
}

bool apply_feedon(struct container *container, struct blob **blob, const struct container_change *change) {
    (void)blob;
    if (container->feed || change->count > FEED_KEEP_MAX) return false;
    container->feed = feed_new(&container->account, change->minted, change->count);
    const struct order_index *blobs = &container->blobs.by_order;
    struct bytes last = feed_portion(container->feed, blobs);
    feed_build(&container->account, container->feed, blobs, last, belongs_in_feed);
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

/* Followers may have seen changes since the file was saved, which are lost now. An epoch of its own keeps
 * what is minted next apart from them. */
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
