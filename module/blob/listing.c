#define _GNU_SOURCE /* memmem */
#include "blob/listing.h"

#include "blob/snapshots.h"
#include "core/memory.h"

enum {
    ITEM_OVERHEAD_BYTES = 448,
    COPY_OVERHEAD_BYTES = 224,
    PAIR_OVERHEAD_BYTES = 16,
    FIRST_ITEMS = 64,
    BLOBS_LOOKED_AT_MAX = 20000,
    TAIL_BYTES = 1 + VERSION_TEXT_LENGTH
};

/* In a marker: after all snapshots, the blob itself. */
static const version THE_BLOB_ITSELF = UINT64_MAX;

struct collecting {
    const struct container *container;
    const struct listing_query *query;
    struct listing *listing;
    size_t capacity; /* of items */
    size_t bytes;    /* of their replies */
    size_t looked_at;
};

/* The common prefix that an item is grouped under; empty for none. */
static struct bytes common_prefix(const struct listing_query *query, struct bytes name) {
    if (!query->delimiter.length) return bytes_of("", 0);
    const char *from = name.data + query->prefix.length;
    const char *found =
        memmem(from, name.length - query->prefix.length, query->delimiter.data, query->delimiter.length);
    return found ? bytes_of(name.data, (size_t)(found - name.data) + query->delimiter.length)
                 : bytes_of("", 0);
}

/* The first name after all names that begin with this one. */
static struct order_cursor seek_behind(const struct container *container, struct bytes beginning) {
    char bound[NAME_MAX_BYTES];
    size_t length = beginning.length;
    memcpy(bound, beginning.data, length);
    while (length && (unsigned char)bound[length - 1] == 0xff) length--;
    if (!length) return (struct order_cursor){NULL, 0};
    bound[length - 1]++;
    return catalog_seek(&container->blobs, bytes_of(bound, length));
}

static size_t list_cost(struct packed_list list) {
    return list.items.length + list.count * PAIR_OVERHEAD_BYTES;
}

/* What an item takes in a reply. */
static size_t item_cost(const struct listing_query *query, const struct listing_item *item) {
    size_t bytes = ITEM_OVERHEAD_BYTES + item->name.length;
    if (!item->blob) return bytes;
    bytes += list_cost(blob_properties(item->blob));
    const struct copy *copy = query->copies ? blob_special(item->blob)->copy : NULL;
    if (copy) bytes += COPY_OVERHEAD_BYTES + copy->source.length + copy->description.length;
    return query->metadata ? bytes + list_cost(blob_metadata(item->blob)) : bytes;
}

/* Ends the page before this snapshot of the name; 0 is before all of them. */
static void end_page(struct collecting *collecting, struct bytes name, version snapshot) {
    struct listing *listing = collecting->listing;
    listing->more = true;
    memcpy(listing->next, name.data, name.length);
    listing->next_length = name.length;
    if (!collecting->query->snapshots) return;
    listing->next[listing->next_length++] = '\0';
    version_write(snapshot, listing->next + listing->next_length);
    listing->next_length += VERSION_TEXT_LENGTH;
}

/* Adds an item. False when the page is full; the next one starts at this entry and place. */
static bool add_item(struct collecting *collecting, struct listing_item item, struct bytes entry,
                     version place) {
    struct listing *listing = collecting->listing;
    const struct listing_query *query = collecting->query;
    size_t bytes = collecting->bytes + item_cost(query, &item);
    if (listing->count == query->max || (listing->count && bytes > query->budget)) {
        end_page(collecting, entry, place);
        return false;
    }
    if (listing->count == collecting->capacity) {
        collecting->capacity *= 2;
        listing->items = memory_resize(listing->items, collecting->capacity * sizeof(*listing->items));
    }
    listing->items[listing->count++] = item;
    collecting->bytes = bytes;
    return true;
}

static bool add_snapshots(struct collecting *collecting, const struct blob *blob, version from) {
    const struct snapshots *snapshots = blob_special(blob)->snapshots;
    if (!collecting->query->snapshots || !snapshots) return true;
    for (size_t i = snapshots_seek(snapshots, from); i < snapshots->count; i++) {
        const struct snapshot *taken = &snapshots->taken[i];
        struct listing_item item = {taken->blob, blob_name(blob), taken->id};
        if (!add_item(collecting, item, item.name, taken->id)) return false;
    }
    return true;
}

static bool blob_is_shown(const struct listing_query *query, const struct blob *blob) {
    return blob_exists(blob) || (query->uncommitted && blob_staging(blob, query->now_ms));
}

/* Where a page starts: a name, and a snapshot of it. */
struct start {
    struct bytes name;
    version snapshot;
};

static struct start start_of(const struct listing_query *query) {
    struct start start = {query->marker, 0};
    if (query->snapshots && start.name.length > TAIL_BYTES) {
        struct bytes name = bytes_of(start.name.data, start.name.length - TAIL_BYTES);
        struct bytes id = bytes_of(name.data + name.length + 1, VERSION_TEXT_LENGTH);
        if (name.data[name.length] == '\0' && version_read(id, &start.snapshot)) start.name = name;
    }
    if (bytes_compare(start.name, query->prefix) < 0) start = (struct start){query->prefix, 0};
    return start;
}

/* Adds the blob at the cursor, or the group that it belongs to, and advances the cursor. False when the
 * page is full. */
static bool collect_one(struct collecting *collecting, const struct start *start,
                        struct order_cursor *cursor) {
    const struct blob *blob = blob_of_entry(order_cursor_entry(cursor));
    struct bytes name = blob_name(blob), common = common_prefix(collecting->query, name);
    if (++collecting->looked_at > BLOBS_LOOKED_AT_MAX) {
        end_page(collecting, name, 0);
        return false;
    }
    if (!blob_is_shown(collecting->query, blob)) {
        order_cursor_next(cursor);
        return true;
    }
    if (common.length) {
        if (!add_item(collecting, (struct listing_item){NULL, common, 0}, name, 0)) return false;
        *cursor = seek_behind(collecting->container, common);
        return true;
    }
    version from = bytes_equal(name, start->name) ? start->snapshot : 0;
    order_cursor_next(cursor);
    return add_snapshots(collecting, blob, from) &&
           add_item(collecting, (struct listing_item){blob, name, 0}, name, THE_BLOB_ITSELF);
}

void listing_collect(const struct container *container, const struct listing_query *query,
                     struct listing *listing) {
    struct start start = start_of(query);
    struct order_cursor cursor = catalog_seek(&container->blobs, start.name);
    listing->items = memory_alloc(FIRST_ITEMS * sizeof(*listing->items));
    listing->count = 0;
    listing->more = false;
    struct collecting collecting = {container, query, listing, FIRST_ITEMS, 0, 0};
    for (struct entry *entry; (entry = order_cursor_entry(&cursor));)
        if (!bytes_start_with(entry_name(entry), query->prefix) || !collect_one(&collecting, &start, &cursor))
            break;
}

void listing_free(struct listing *listing) {
    memory_free(listing->items);
}
