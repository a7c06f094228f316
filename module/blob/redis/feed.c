/* CONTAINER.FEED and CONTAINER.CHANGES. */
#include "blob/redis/blob_commands.h"
#include "server/call/feed_switch.h"
#include "server/effects/followed.h"
#include "server/effects/upkeep.h"
#include "server/waiting/feed_commands.h"

static void set_container_feed(void *decided, const struct feed_change *given) {
    struct container_change *change = decided;
    change->minted = given->beginning;
    change->keep = given->keep;
}

enum outcome container_feed_decide(struct call *call) {
    const struct container *container = call->value;
    return feed_switch(call, container->feed, CONTAINER_FEEDON, set_container_feed);
}

static bool has_given_prefix(const struct call *call, struct bytes name) {
    return bytes_start_with(name, call_option(call, SLOT_PREFIX));
}

static void reply_changed_name(struct reply_map *map, struct bytes name) {
    reply_field_bytes(map, "name", name);
}

static void reply_changed_blob(struct reply_map *map, const struct entry *object) {
    const struct blob *blob = (const struct blob *)object;
    reply_field_number(map, "last-modified", blob->stamp.modified_ms);
    if (!blob_is_untyped(blob)) reply_field_bytes(map, "blob-type", bytes_text(blob_kind_names[blob->kind]));
    reply_field_number(map, "content-length", (long long)blob_length(blob));
}

enum outcome container_changes_since_decide(struct call *call) {
    static const struct feed_view blobs = {has_given_prefix, reply_changed_name, reply_changed_blob};
    if (followed_is_read(call)) upkeep_insist(call);
    return feed_answer(call, ((const struct container *)call->value)->feed, &blobs);
}

version container_deletion(struct call *call, const struct blob *blob) {
    const struct container *container = call->value;
    return container->feed && blob_exists(blob) ? decision_new_version(call) : 0;
}

void container_reply_feed(struct reply_map *map, const struct feed *feed) {
    const char *on = feed && feed->building ? "building" : "on";
    reply_field_version(map, "change", feed ? feed->newest : version_newest());
    reply_field_bytes(map, "feed", bytes_text(feed ? on : "off"));
}
