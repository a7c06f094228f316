#define _GNU_SOURCE /* memmem */
#include "blob/listing.h"

#include "core/memory.h"
#include "core/name.h"

enum { ITEM_OVERHEAD_BYTES = 256 };

/* The beginning that an item is grouped by, empty if it stands for itself. */
static struct bytes common_beginning(const struct listing_query *query, struct bytes name) {
    if (!query->delimiter.length) return bytes_of("", 0);
    const char *from = name.data + query->prefix.length;
    const char *found =
        memmem(from, name.length - query->prefix.length, query->delimiter.data, query->delimiter.length);
    return found ? bytes_of(name.data, (size_t)(found - name.data) + query->delimiter.length)
                 : bytes_of("", 0);
}

/* Behind all names with this beginning. */
static struct order_cursor seek_behind(const struct container *container, struct bytes beginning) {
    char bound[NAME_MAX_BYTES];
    size_t length = beginning.length;
    memcpy(bound, beginning.data, length);
    while (length && (unsigned char)bound[length - 1] == 0xff) length--;
    if (!length) return (struct order_cursor){NULL, 0};
    bound[length - 1]++;
    return catalog_seek(&container->blobs, bytes_of(bound, length));
}

static size_t cost(const struct listing_query *query, const struct listing_item *item) {
    if (!item->blob) return item->common.length + ITEM_OVERHEAD_BYTES;
    size_t bytes =
        ITEM_OVERHEAD_BYTES + blob_name(item->blob).length + blob_properties(item->blob).items.length;
    return query->metadata ? bytes + blob_metadata(item->blob).items.length : bytes;
}

struct listing listing_collect(const struct container *container, const struct listing_query *query) {
    struct bytes start = bytes_compare(query->marker, query->prefix) > 0 ? query->marker : query->prefix;
    struct order_cursor cursor = catalog_seek(&container->blobs, start);
    size_t room =
        catalog_count(&container->blobs) < query->most ? catalog_count(&container->blobs) : query->most;
    struct listing listing = {memory_alloc((room + 1) * sizeof(struct listing_item)), 0, false, {"", 0}};
    size_t bytes = 0;
    for (struct entry *entry; (entry = order_cursor_entry(&cursor));) {
        struct bytes name = entry_name(entry);
        if (!bytes_start_with(name, query->prefix)) break;
        if (listing.count == query->most || bytes > query->budget) {
            listing.more = true;
            listing.next = name;
            break;
        }
        struct listing_item *item = &listing.items[listing.count++];
        item->common = common_beginning(query, name);
        item->blob = item->common.length ? NULL : blob_of_entry(entry);
        bytes += cost(query, item);
        if (item->blob)
            order_cursor_next(&cursor);
        else
            cursor = seek_behind(container, item->common);
    }
    return listing;
}

void listing_free(struct listing *listing) {
    memory_free(listing->items);
}
