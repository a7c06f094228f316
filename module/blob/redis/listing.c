/* BLOB.LIST, and how a blob is shown. */
#include "blob/listing.h"
#include "blob/redis/blob_commands.h"
#include "blob/snapshots.h"
#include "core/property.h"
#include "core/text.h"
#include "lease/redis/leases.h"
#include "server/call/reply_limit.h"

const char *const include_words[] = {"SNAPSHOTS", "META", "UNCOMMITTED", "COPY", NULL};

enum { BLOB_PAGE_DEFAULT = 1000, BLOB_PAGE_MAX = 5000, BLOB_PAGE_BYTES = 1 << 19 };

const char *const blob_kind_names[] = {"block", "page", "append", "block"};
static const char *const copy_statuses[COPY_STATUSES] = {"", "pending", "success", "aborted", "failed"};

static void reply_copy_fields(struct reply_map *map, const struct copy *copy) {
    char progress[64];
    struct text text = text_start(progress, sizeof(progress));
    text_put_number(&text, copy->done, 1);
    text_put(&text, "/");
    text_put_number(&text, copy->total, 1);
    reply_field_version(map, "copy-id", copy->id);
    reply_field_bytes(map, "copy-status", bytes_text(copy_statuses[copy->status]));
    reply_field_bytes(map, "copy-source", copy->source);
    reply_field_bytes(map, "copy-progress", bytes_text(progress));
    if (copy->completed_ms) reply_field_number(map, "copy-completed", copy->completed_ms);
    if (copy->description.length) reply_field_bytes(map, "copy-description", copy->description);
}

/* Fields that only some blobs have. */
static void reply_special_fields(struct reply_map *map, const struct blob *blob, bool snapshot,
                                 enum blob_fields fields) {
    const struct blob_special *special = blob_special(blob);
    if (blob->kind == KIND_PAGE) reply_field_number(map, "sequence-number", special->sequence);
    if (blob->kind == KIND_APPEND) reply_field_number(map, "block-count", (long long)special->appended);
    if (special->sealed) reply_field_number(map, "sealed", 1);
    if (special->copy && fields != FIELDS_LISTED) reply_copy_fields(map, special->copy);
    if (!snapshot && fields == FIELDS_ALL)
        reply_field_number(map, "snapshots", (long long)snapshots_count(blob));
}

static void reply_stamp_fields(struct reply_map *map, const struct blob *blob) {
    reply_field_version(map, "etag", blob->stamp.etag);
    reply_field_number(map, "last-modified", blob->stamp.modified_ms);
    reply_field_number(map, "created", blob->created_ms);
}

static void reply_property_fields(struct reply_map *map, const struct blob *blob) {
    struct packed_list properties = blob_properties(blob);
    if (!properties_find(properties, "content-type").length)
        reply_field_bytes(map, "content-type", bytes_text(PROPERTY_DEFAULT_TYPE));
    reply_fields(map, properties);
}

void blob_reply_fields(struct reply_map *map, const struct blob *blob, bool snapshot, enum blob_fields fields,
                       int64_t now_ms) {
    if (!blob_is_untyped(blob)) reply_field_bytes(map, "blob-type", bytes_text(blob_kind_names[blob->kind]));
    if (blob_exists(blob)) reply_stamp_fields(map, blob);
    reply_field_number(map, "content-length", (long long)blob_length(blob));
    if (blob_exists(blob)) reply_property_fields(map, blob);
    reply_special_fields(map, blob, snapshot, fields);
    if (!snapshot) lease_reply_fields(map, blob_lease(blob), now_ms);
}

static bool is_included(const struct call *call, int64_t what) {
    return call_number(call, SLOT_INCLUDE, 0) & what;
}

enum outcome blob_list_check(struct call *call) {
    if (!is_included(call, INCLUDE_SNAPSHOTS) || !call_option(call, SLOT_DELIMITER).length)
        return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_INVALID_QUERY, "INCLUDE SNAPSHOTS and DELIMITER exclude each other");
}

static struct listing_query given_listing(struct call *call) {
    return (struct listing_query){
        .prefix = call_option(call, SLOT_PREFIX),
        .delimiter = call_option(call, SLOT_DELIMITER),
        .marker = call_option(call, SLOT_MARKER),
        .max = reply_page_max(call, SLOT_PAGE_SIZE, BLOB_PAGE_DEFAULT, BLOB_PAGE_MAX),
        .budget = reply_limit_up_to(BLOB_PAGE_BYTES),
        .now_ms = call_now_ms(call),
        .metadata = is_included(call, INCLUDE_META),
        .copies = is_included(call, INCLUDE_COPY),
        .snapshots = is_included(call, INCLUDE_SNAPSHOTS),
        .uncommitted = is_included(call, INCLUDE_UNCOMMITTED),
    };
}

static void reply_blob_item(struct call *call, struct reply_map *map, const struct listing_item *item) {
    enum blob_fields fields = is_included(call, INCLUDE_COPY) ? FIELDS_LISTED_COPY : FIELDS_LISTED;
    reply_field_bytes(map, "name", item->name);
    if (item->snapshot) reply_field_version(map, "snapshot", item->snapshot);
    blob_reply_fields(map, item->blob, item->snapshot != 0, fields, call_now_ms(call));
    if (!is_included(call, INCLUDE_META) || !blob_exists(item->blob)) return;
    reply_field(map, "meta");
    reply_pairs(map->out, blob_metadata(item->blob));
}

static void reply_listed_blob(struct call *call, const struct listing_item *item) {
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        if (item->blob)
            reply_blob_item(call, &map, item);
        else
            reply_field_bytes(&map, "prefix", item->name);
    }
}

enum outcome blob_list_decide(struct call *call) {
    struct listing_query query = given_listing(call);
    struct listing listing;
    listing_collect(call->value, &query, &listing);
    reply_page_begin(&call->out, bytes_of(listing.next, listing.more ? listing.next_length : 0),
                     listing.count);
    for (size_t i = 0; i < listing.count; i++) reply_listed_blob(call, &listing.items[i]);
    listing_free(&listing);
    return OUTCOME_DONE;
}
