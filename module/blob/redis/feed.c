/* CONTAINER.FEED and CONTAINER.CHANGES. */
#include "blob/redis/handlers.h"
#include "server/following.h"

enum outcome container_feed(struct call *call) {
    const struct container *container = call->value;
    struct feed_asked asked;
    enum outcome outcome = feed_switch_asked(call, container->feed, &asked);
    if (outcome != OUTCOME_DONE) return outcome;
    static const enum container_change_kind kinds[] = {
        [FEED_BEGINS] = CONTAINER_FEEDON, [FEED_KEEPS] = CONTAINER_FEEDKEEP, [FEED_ENDS] = CONTAINER_FEEDOFF};
    if (asked.what != FEED_STAYS) {
        struct container_change *change = call_decide(call, kinds[asked.what]);
        change->minted = asked.beginning;
        change->count = asked.keep;
    }
    reply_ok(&call->out);
    return OUTCOME_DONE;
}

static bool begins_as_asked(const struct call *call, struct bytes name) {
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

enum outcome container_changes_since(struct call *call) {
    static const struct following blobs = {begins_as_asked, reply_changed_name, reply_changed_blob};
    return following_answer(call, ((const struct container *)call->value)->feed, &blobs);
}

version container_deletion(struct call *call, const struct blob *blob) {
    const struct container *container = call->value;
    return container->feed && blob_exists(blob) ? version_mint(call_now_ms(call)) : 0;
}

void reply_feed_fields(struct reply_map *map, const struct feed *feed) {
    const char *on = feed && feed->building ? "building" : "on";
    reply_field_version(map, "change", feed ? feed->newest : version_newest());
    reply_field_bytes(map, "feed", bytes_text(feed ? on : "off"));
}
