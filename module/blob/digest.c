#include "blob/digest.h"

#include "blob/blocks.h"
#include "blob/container_walk.h"
#include "blob/snapshots.h"
#include "core/memory.h"

/* Contents are passed on in windows of this size, wherever their chunks begin and end. */
enum { WINDOW_BYTES = 1 << 16 };

struct digesting {
    take_bytes *take;
    void *context;
    char *window;
};

static void take_change_bytes(const struct digesting *digesting, const struct container_change *change) {
    struct record_writer record;
    record_start(&record);
    change_write(&container_changes, change, &record);
    digesting->take(digesting->context, bytes_of(record.data, record.length));
    record_end(&record);
}

static void digest_number(const struct digesting *digesting, uint64_t number) {
    struct record_writer record;
    record_start(&record);
    record_put_number(&record, number);
    digesting->take(digesting->context, bytes_of(record.data, record.length));
    record_end(&record);
}

static void digest_range(const struct digesting *digesting, const struct blob *blob, uint64_t from,
                         uint64_t to) {
    for (uint64_t at = from; at < to; at += WINDOW_BYTES) {
        size_t length = to - at < WINDOW_BYTES ? (size_t)(to - at) : WINDOW_BYTES;
        struct bytes view = blob_view(blob, at, length);
        if (view.length != length) {
            blob_read(blob, at, digesting->window, length);
            view = bytes_of(digesting->window, length);
        }
        digesting->take(digesting->context, view);
    }
}

static void digest_pages(const struct digesting *digesting, const struct blob *blob) {
    struct page_range range = {0, 0};
    while (pages_range(blob_pages(blob), range.offset + range.length, blob_length(blob), &range)) {
        digest_number(digesting, range.offset);
        digest_number(digesting, range.length);
        digest_range(digesting, blob, range.offset, range.offset + range.length);
    }
}

static void digest_blocks(const struct digesting *digesting, const struct blob *blob) {
    struct packed_list ids = block_list_view(blob_special(blob)->blocks);
    digesting->take(digesting->context, ids.items);
    for (size_t i = 0; i < ids.count; i++)
        digest_number(digesting, chunk_bytes(content_chunk(blob_content(blob), i)).length);
}

static void digest_state(const struct digesting *digesting, const struct blob *blob, struct bytes name) {
    struct container_change change = blob_as_change(blob, name);
    take_change_bytes(digesting, &change);
    if (blob_special(blob)->copy) {
        change = blob_copy_as_change(blob, name);
        take_change_bytes(digesting, &change);
    }
    if (blob->kind == KIND_PAGE) {
        digest_pages(digesting, blob);
        return;
    }
    digest_blocks(digesting, blob);
    digest_range(digesting, blob, 0, blob_length(blob));
}

static void digest_staged(const struct digesting *digesting, const struct blob *blob) {
    const struct staging *staging = blob_special(blob)->staging;
    if (!staging) return;
    digest_number(digesting, (uint64_t)staging->touched_ms);
    struct order_cursor cursor = staging_walk(staging);
    for (const struct staged_block *block; (block = staged_block_at(&cursor)); order_cursor_next(&cursor)) {
        digesting->take(digesting->context, entry_name(&block->entry));
        digesting->take(digesting->context, chunk_bytes(block->chunk));
    }
}

static void digest_blob(const struct digesting *digesting, const struct blob *blob) {
    const struct snapshots *snapshots = blob_special(blob)->snapshots;
    for (size_t i = 0; snapshots && i < snapshots->count; i++) {
        digest_number(digesting, snapshots->taken[i].id);
        digest_state(digesting, snapshots->taken[i].blob, blob_name(blob));
    }
    if (blob_exists(blob))
        digest_state(digesting, blob, blob_name(blob));
    else
        digesting->take(digesting->context, blob_name(blob));
    digest_staged(digesting, blob);
    if (!blob_lease(blob)->token) return;
    take_change_bytes(
        digesting,
        &(struct container_change){.kind = BLOB_LEASE, .name = blob_name(blob), .lease = *blob_lease(blob)});
}

static void digest_walked(void *context, const void *change) {
    take_change_bytes(context, change);
}

void container_digest(const struct container *container, take_bytes *take, void *context) {
    struct digesting digesting = {take, context, memory_alloc(WINDOW_BYTES)};
    struct container_change change = container_as_change(container);
    take_change_bytes(&digesting, &change);
    if (container_lease(container)->token)
        take_change_bytes(&digesting, &(struct container_change){.kind = CONTAINER_LEASE,
                                                                 .lease = *container_lease(container)});
    container_walk_feed(container, &(struct change_walk){.take = digest_walked, .context = &digesting});
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_take(&cursor));)
        digest_blob(&digesting, blob_of_entry(entry));
    memory_free(digesting.window);
}
