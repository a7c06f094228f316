#include "container_figures.h"

#include "blob/blocks.h"
#include "blob/load_chunks.h"
#include "blob/snapshots.h"
#include "core/feed.h"
#include "core/memory.h"
#include "core/page_node.h"
#include "core/pointer_map.h"

struct counting {
    struct account account;
    size_t ropes;
    struct pointer_map seen;
};

/* True for what has not been seen yet. */
static bool is_new(struct counting *counting, const void *part) {
    if (!part) return false;
    uintptr_t *seen = pointer_map_at(&counting->seen, part);
    return !(*seen)++;
}

static bool count(struct counting *counting, const void *part) {
    if (!is_new(counting, part)) return false;
    counting->account.memory += memory_size(part);
    counting->account.allocations++;
    return true;
}

static void count_chunk(struct counting *counting, const struct chunk *chunk) {
    if (!is_new(counting, chunk)) return;
    counting->account.memory += chunk_memory(chunk);
    counting->account.allocations += 2;
}

static void count_node(struct counting *counting, const struct page_node *node, unsigned height) {
    if (!count(counting, node)) return;
    if (!height) {
        count_chunk(counting, node->below[0]);
        return;
    }
    for (unsigned i = 0; i < page_count(node->present); i++) count_node(counting, node->below[i], height - 1);
}

static void count_content(struct counting *counting, const struct blob *blob) {
    if (blob->kind == KIND_PAGE) {
        const struct pages *pages = blob_pages(blob);
        if (pages->root) count_node(counting, pages->root, pages->height);
        return;
    }
    counting->ropes += count(counting, blob_content(blob)->rope);
    for (size_t i = 0; i < content_chunks(blob_content(blob)); i++)
        count_chunk(counting, content_chunk(blob_content(blob), i));
}

static void count_staging(struct counting *counting, const struct staging *staging) {
    if (!count(counting, staging)) return;
    counting->account.memory += staging->blocks.memory;
    struct order_cursor cursor = staging_walk(staging);
    for (const struct staged_block *block; (block = staged_block_at(&cursor)); order_cursor_next(&cursor)) {
        (void)count(counting, block);
        count_chunk(counting, block->chunk);
    }
}

static void count_blob(struct counting *counting, const struct blob *blob) {
    (void)count(counting, blob);
    count_content(counting, blob);
    if (!count(counting, blob->extra)) return;
    (void)count(counting, blob->extra->properties);
    (void)count(counting, blob->extra->metadata);
    (void)count(counting, blob->extra->lease);
    const struct blob_special *special = blob->extra->special;
    if (!count(counting, special)) return;
    (void)count(counting, special->copy);
    (void)count(counting, special->blocks);
    count_staging(counting, special->staging);
    if (!count(counting, special->snapshots)) return;
    for (size_t i = 0; i < special->snapshots->count; i++)
        count_blob(counting, special->snapshots->taken[i].blob);
}

static void count_feed(struct counting *counting, const struct feed *feed) {
    if (!count(counting, feed)) return;
    (void)count(counting, feed->frontier.length ? feed->frontier.data : NULL);
    (void)count(counting, feed->order.blocks);
    const struct version_slot *slot;
    struct version_cursor cursor = {0, 0};
    for (; (slot = version_cursor_slot(&feed->order, &cursor)); version_cursor_next(&feed->order, &cursor)) {
        if (!cursor.at) (void)count(counting, slot);
        if (version_slot_marked(slot)) (void)count(counting, version_slot_entry(slot));
    }
}

struct figures container_figures(const struct container *container) {
    struct counting counting = {.account = {0}};
    (void)count(&counting, container);
    (void)count(&counting, container->metadata);
    (void)count(&counting, container->policies);
    (void)count(&counting, container->lease);
    (void)count(&counting, container->load_chunks);
    count_feed(&counting, container->feed);
    const struct chunk *chunk;
    for (uint64_t number = 1; (chunk = load_chunks_chunk(container->load_chunks, number)); number++)
        count_chunk(&counting, chunk);
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor))
        count_blob(&counting, blob_of_entry(entry));
    pointer_map_end(&counting.seen);
    return (struct figures){counting.account, counting.ropes};
}
