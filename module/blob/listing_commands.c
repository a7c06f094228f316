/* BLOB.LIST, and how a blob is shown. */
#include "blob/blob_commands.h"
#include "blob/listing.h"
#include "core/property.h"
#include "lease/lease_commands.h"

const char *const include_words[] = {"META", NULL};

enum { PAGE_DEFAULT = 1000, PAGE_MOST = 5000, PAGE_BUDGET_BYTES = 1 << 19 };

void reply_blob_fields(struct reply_list *map, const struct blob *blob, int64_t now_ms) {
    struct packed_list properties = blob_properties(blob);
    reply_field_bytes(map, "blob-type", bytes_text("block"));
    reply_field_version(map, "etag", blob->stamp.etag);
    reply_field_number(map, "last-modified", blob->stamp.modified_ms);
    reply_field_number(map, "created", blob->created_ms);
    reply_field_number(map, "content-length", (long long)blob->content.length);
    if (!properties_find(properties, "content-type").length)
        reply_field_bytes(map, "content-type", bytes_text(PROPERTY_DEFAULT_TYPE));
    reply_fields(map, properties);
    reply_lease_fields(map, blob_lease(blob), now_ms);
}

static struct bytes asked_text(const struct call *call, int slot) {
    return args_given(&call->args, slot) ? call_word(call, call->args.slots[slot].at) : bytes_of("", 0);
}

static bool metadata_asked(const struct call *call) {
    return args_given(&call->args, SLOT_INCLUDE) && call->args.slots[SLOT_INCLUDE].number & INCLUDE_META;
}

static struct listing_query asked(const struct call *call) {
    int64_t most =
        args_given(&call->args, SLOT_PAGE_SIZE) ? call->args.slots[SLOT_PAGE_SIZE].number : PAGE_DEFAULT;
    return (struct listing_query){
        .prefix = asked_text(call, SLOT_PREFIX),
        .delimiter = asked_text(call, SLOT_DELIMITER),
        .marker = asked_text(call, SLOT_MARKER),
        .most = most > PAGE_MOST ? PAGE_MOST : (size_t)most,
        .budget = PAGE_BUDGET_BYTES,
        .metadata = metadata_asked(call),
    };
}

static void reply_item(RedisModuleCtx *ctx, const struct listing_item *item, bool metadata, int64_t now_ms) {
    struct reply_list map = reply_map_start(ctx);
    if (item->blob) {
        reply_field_bytes(&map, "name", blob_name(item->blob));
        reply_blob_fields(&map, item->blob, now_ms);
        if (metadata) {
            reply_field(&map, "meta");
            reply_pairs(ctx, blob_metadata(item->blob));
        }
    } else {
        reply_field_bytes(&map, "prefix", item->common);
    }
    reply_map_end(&map);
}

enum outcome blob_list(struct call *call) {
    struct listing_query query = asked(call);
    struct listing listing = listing_collect(call->value, &query);
    RedisModule_ReplyWithArray(call->ctx, 2);
    if (listing.more)
        reply_bytes(call->ctx, listing.next);
    else
        RedisModule_ReplyWithNull(call->ctx);
    RedisModule_ReplyWithArray(call->ctx, (long)listing.count);
    for (size_t i = 0; i < listing.count; i++)
        reply_item(call->ctx, &listing.items[i], query.metadata, call_now_ms(call));
    listing_free(&listing);
    return OUTCOME_DONE;
}
