/* The shadow against the container: everything that can be seen of it, and what it says of its memory. */
#include "blob/snapshots.h"
#include "container_figures.h"
#include "container_shadow.h"
#include "core/feed.h"
#include "draft.h"
#include "require.h"

#include <stdlib.h>

/* Up to here a page blob is read as a whole, with all the zeros between its pages. */
enum { READ_WHOLE_MAX = 1 << 19 };

static void compare_list(struct packed_list list, const struct model_bytes *own, const char *what) {
    require_same(list.count != 0, own->length != 0, "%s", what);
    if (own->length) require_bytes(list.items, model_bytes(*own), "%s", what);
}

static void compare_stamp(const struct stamp *stamp, uint64_t etag, int64_t modified_ms) {
    require_same(stamp->etag, etag, "the ETag");
    require_same(stamp->modified_ms, modified_ms, "the instant");
}

/* --- Contents --- */

/* Piece by piece, and two thirds of it at once. */
static void compare_bytes(const struct blob *blob, struct bytes own) {
    for (size_t at = 0; at < own.length;) {
        struct bytes view = blob_view(blob, at, UINT64_MAX);
        require(view.length && view.length <= own.length - at, "a view of %zu bytes at %zu of %zu",
                view.length, at, own.length);
        require_bytes(view, bytes_of(own.data + at, view.length), "a content at %zu", at);
        at += view.length;
    }
    require_same(blob_view(blob, own.length, UINT64_MAX).length, 0, "behind the end");
    if (!own.length) return;
    size_t from = own.length / 3;
    char *whole = model_resized(NULL, own.length);
    blob_read(blob, from, whole, own.length - from);
    require_bytes(bytes_of(whole, own.length - from), bytes_of(own.data + from, own.length - from),
                  "two thirds of a content at once");
    free(whole);
}

static void compare_ranges(const struct pages *pages, const struct model_state *own) {
    struct page_range range = {0, 0};
    for (size_t place = 0; place < own->page_count;) {
        size_t end = model_page_run(own, place);
        require(pages_range(pages, range.offset + range.length, own->length, &range), "page %zu is in none",
                place);
        require_same(range.offset, own->pages[place].number * PAGE_BYTES, "the range of page %zu", place);
        require_same(range.length, (end - place) * PAGE_BYTES, "the range of page %zu", place);
        place = end;
    }
    require(!pages_range(pages, range.offset + range.length, own->length, &range),
            "there are more than %zu pages", own->page_count);
}

static void compare_pages(const struct blob *blob, const struct model_state *own) {
    compare_ranges(blob_pages(blob), own);
    for (size_t i = 0; i < own->page_count; i++) {
        char page[PAGE_BYTES];
        blob_read(blob, own->pages[i].number * PAGE_BYTES, page, PAGE_BYTES);
        require_bytes(bytes_of(page, PAGE_BYTES), bytes_of(own->pages[i].bytes, PAGE_BYTES), "page %zu", i);
    }
    if (own->length > READ_WHOLE_MAX) return;
    char *whole = model_resized(NULL, (size_t)own->length);
    model_read(own, 0, whole, (size_t)own->length);
    compare_bytes(blob, bytes_of(whole, (size_t)own->length));
    free(whole);
}

static void compare_blocks(const struct blob *blob, const struct model_state *own) {
    struct packed_list ids = block_list_view(blob_special(blob)->blocks);
    struct record_reader reader = record_reader(ids.items);
    require_same(ids.count, own->blocks.count, "committed blocks");
    for (size_t i = 0; i < ids.count; i++) {
        const struct model_block *block = &own->blocks.all[i];
        require_bytes(record_bytes(&reader), model_bytes(block->id), "the id of block %zu", i);
        require_bytes(chunk_bytes(content_chunk(blob_content(blob), i)), model_bytes(block->bytes),
                      "block %zu", i);
    }
    require(record_complete(&reader), "there is something behind the ids");
}

/* --- Blobs --- */

static void compare_copy(const struct copy *copy, const struct copy *own) {
    require_same(copy != NULL, own->status != COPY_NONE, "whether it is a copy");
    if (!copy) return;
    require(copy_same(copy, own), "where it was copied from: status %d, not %d", (int)copy->status,
            (int)own->status);
    require(copy->source.data == (const char *)(copy + 1), "the source stands elsewhere");
    require(copy->description.data == copy->source.data + copy->source.length,
            "the description stands elsewhere");
}

static void compare_state(const struct blob *blob, const struct model_state *own) {
    require_same((int)blob->kind, (int)own->kind, "the kind");
    compare_stamp(&blob->stamp, own->etag, own->modified_ms);
    require_same(blob->created_ms, own->created_ms, "the creation");
    compare_list(blob_properties(blob), &own->properties, "the properties");
    compare_list(blob_metadata(blob), &own->metadata, "the blob's metadata");
    struct copy copy = shadow_copy(own);
    compare_copy(blob_special(blob)->copy, &copy);
    require_same(blob_length(blob), own->length, "the length of a content");
    compare_blocks(blob, own);
    if (own->kind == MODEL_APPEND) require_same(blob_special(blob)->appended, own->appended, "appended");
    require_same(blob_special(blob)->sealed, own->sealed, "whether it is sealed");
    if (own->kind != MODEL_PAGE) {
        compare_bytes(blob, bytes_of(own->content, (size_t)own->length));
        return;
    }
    compare_pages(blob, own);
    require_same(blob_special(blob)->sequence, own->sequence, "the sequence number");
    require_same(blob_special(blob)->born, own->born, "the birth of its pages");
}

static void compare_snapshots(const struct blob *blob, const struct model_blob *own) {
    const struct snapshots *snapshots = blob_special(blob)->snapshots;
    require_same(snapshots_count(blob), own->snapshot_count, "snapshots");
    require_same(snapshots != NULL, own->snapshot_count != 0, "snapshots");
    for (size_t i = 0; snapshots && i < own->snapshot_count; i++) {
        const struct model_snapshot *taken = &own->snapshots[i];
        require_same(snapshots->taken[i].id, taken->id, "snapshot %zu", i);
        require(snapshots_find(blob, taken->id) == snapshots->taken[i].blob, "snapshot %zu is not found", i);
        compare_state(snapshots->taken[i].blob, &taken->state);
    }
}

static void compare_staged(const struct blob *blob, const struct model_blob *own) {
    const struct staging *staging = blob_special(blob)->staging;
    require_same(staging != NULL, own->staged.count != 0, "whether there are staged blocks");
    if (!staging) return;
    require_same(staging->count, own->staged.count, "staged blocks");
    require_same(staging->touched_ms, own->touched_ms, "when a block was staged last");
    require(staging->blob == blob, "the staged blocks are another blob's");
    struct order_cursor cursor = staging_walk(staging);
    for (size_t i = 0; i < own->staged.count; i++, order_cursor_next(&cursor)) {
        const struct staged_block *block = staged_block_at(&cursor);
        require(block, "staged block %zu is missing", i);
        require_bytes(entry_name(&block->entry), model_bytes(own->staged.all[i].id), "staged block %zu", i);
        require_bytes(chunk_bytes(block->chunk), model_bytes(own->staged.all[i].bytes), "staged block %zu",
                      i);
    }
    require(!staged_block_at(&cursor), "there are more than %zu staged blocks", own->staged.count);
}

static void compare_lease(const struct lease *lease, const struct lease *standing,
                          const struct model_bytes *own, const char *whose) {
    struct lease expected = shadow_lease(own);
    require(lease_same(lease, &expected), "the lease of %s", whose);
    require_same(standing != NULL, own->length != 0, "a lease of %s", whose);
    if (!standing) return;
    require(standing == lease, "the lease of %s stands elsewhere", whose);
    require(lease->owner.data == (const char *)(lease + 1), "the owner of %s stands elsewhere", whose);
}

/* What hangs from a blob is there only while it is needed. */
static void compare_extra(const struct blob *blob) {
    const struct blob_extra *extra = blob->extra;
    require(!blob->outside || blob_length(blob) || blob->kind == KIND_PAGE, "nothing is outside");
    if (!extra) return;
    const struct blob_special *special = extra->special;
    require(blob->outside || extra->properties || extra->metadata || extra->lease || special,
            "there is an extra of nothing");
    if (special)
        require(blob->kind == KIND_PAGE || special->blocks || special->staging || special->snapshots ||
                    special->copy || special->appended || special->sealed,
                "there is something special of nothing");
}

static void compare_blob(const struct blob *blob, const struct model_blob *own) {
    require_bytes(blob_name(blob), model_bytes(own->name), "the name");
    compare_state(blob, &own->state);
    compare_snapshots(blob, own);
    compare_staged(blob, own);
    compare_extra(blob);
    compare_lease(blob_lease(blob), blob->extra ? blob->extra->lease : NULL, &own->lease, "a blob");
}

/* --- Containers --- */

/* The index has those blobs that belong into it, and no other ones; without any there is no index. */
static void compare_index(const struct container_shadow *shadow, const struct container *container,
                          const struct order_index *index, bool (*belongs)(const struct model_blob *blob)) {
    size_t i = 0, found = 0, expected = 0;
    for (size_t at = 0; at < shadow->now.count; at++) expected += belongs(&shadow->now.blobs[at]);
    require_same(order_index_empty(index), expected == 0, "an index of %zu blobs", expected);
    struct order_cursor cursor = order_index_seek(index, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor), found++) {
        while (i < shadow->now.count && !belongs(&shadow->now.blobs[i])) i++;
        require(i < shadow->now.count, "there are more than %zu blobs in the index", expected);
        require(container_find(container, model_bytes(shadow->now.blobs[i++].name)) == blob_of_entry(entry),
                "place %zu of %zu in the index is another blob's", found, expected);
    }
    require_same(found, expected, "blobs in the index");
}

static bool is_leased(const struct model_blob *blob) {
    return shadow_lease_stands(&blob->lease);
}

/* The blob that has waited longest is due a week after its last block, and not a moment before. */
static void compare_overdue(const struct container_shadow *shadow, const struct container *container) {
    const int64_t never_ms = INT64_MAX;
    int64_t due_ms = never_ms;
    struct bytes name;
    for (size_t i = 0; i < shadow->now.count; i++) {
        const struct model_blob *blob = &shadow->now.blobs[i];
        if (!blob->staged.count || blob->touched_ms >= never_ms - STAGED_LIFE_MS) continue;
        if (blob->touched_ms + STAGED_LIFE_MS < due_ms) due_ms = blob->touched_ms + STAGED_LIFE_MS;
    }
    require(!container_overdue(container, due_ms - 1, &name), "something is due before its time");
    if (due_ms == never_ms) return;
    require(container_overdue(container, due_ms, &name), "nothing is due in time");
    const struct model_blob *due = container_shadow_find(shadow, name);
    require(due && due->staged.count && due->touched_ms + STAGED_LIFE_MS == due_ms, "another blob is due");
}

/* A feed has each blob once, in the order of ETags, and markers of names that have none. */
static void compare_feed(const struct container_shadow *shadow, const struct container *container) {
    require_same(container->feed != NULL, shadow->followed, "whether a feed is on");
    if (!container->feed || container->feed->building) return;
    const struct version_slot *slot;
    struct version_cursor cursor = {0, 0};
    version before = 0;
    size_t blobs = 0, kept = 0;
    for (; (slot = version_cursor_slot(&container->feed->order, &cursor));
         version_cursor_next(&container->feed->order, &cursor), before = slot->v) {
        struct entry *entry = version_slot_entry(slot);
        const struct model_blob *blob = container_shadow_find(shadow, entry_name(entry));
        require(slot->v >= before, "versions are in order");
        require_same(version_slot_marked(slot), !model_exists(blob), "a marker");
        kept += version_slot_marked(slot) && slot->v > container->feed->whole_from;
        if (version_slot_marked(slot)) continue;
        require_same(slot->v, blob->state.etag, "the version of a blob in the feed");
        require(container_find(container, entry_name(entry)) == blob_of_entry(entry), "the blob in the feed");
        blobs++;
    }
    require_same(blobs, container_shadow_census(shadow).blobs, "blobs in the feed");
    require_same(container->feed->kept, kept, "markers that are kept");
    if (shadow->marks.loading)
        require_same(container->feed->keep - kept, shadow->marks.left, "markers that may come");
}

static void compare_account(const struct container_shadow *shadow, const struct container *container) {
    size_t indexes = catalog_memory(&container->blobs) +
                     (container->leased.root ? container->leased.memory : 0) +
                     (container->copying.root ? container->copying.memory : 0) +
                     container->stagings.capacity * sizeof(*container->stagings.heap) +
                     (container->feed ? feed_memory(container->feed) : 0);
    require_same(container_memory(container), container->account.memory + indexes, "all that is held");
    if (shadow->load_chunks.missing) return;
    struct figures figures = container_figures(container);
    size_t memory = container->account.memory - figures.account.memory,
           parts = container->account.allocations - figures.account.allocations;
    require(container->account.memory >= figures.account.memory &&
                container->account.allocations >= figures.account.allocations,
            "%zu blobs have more than is on the account", shadow->now.count);
    if (!figures.ropes)
        require(!memory && !parts, "there are %zu parts of %zu bytes too many", parts, memory);
    if (figures.ropes) require(memory >= figures.ropes && parts >= figures.ropes, "ropes without a part");
}

void container_shadow_compare(const struct container_shadow *shadow, const struct container *container) {
    struct container_census census = container_shadow_census(shadow);
    compare_stamp(&container->stamp, shadow->now.etag, shadow->now.modified_ms);
    require_same(container->created_ms, shadow->now.created_ms, "the creation");
    require_same(container->access, shadow->access, "the access");
    compare_list(packed_view(container->metadata), &shadow->now.metadata, "the metadata");
    compare_list(packed_view(container->policies), &shadow->policies, "the policies");
    require_same(container->content_bytes, census.content_bytes, "the sum of contents");
    require_same(container->committed, census.blobs, "the number of blobs");
    require_same(catalog_count(&container->blobs), shadow->now.count, "the number of names");
    require_same(container->load_chunks != NULL, shadow->load_chunks.chunks.count != 0, "chunks of a file");
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    for (size_t i = 0; i < shadow->now.count; i++, order_cursor_next(&cursor)) {
        struct entry *entry = order_cursor_entry(&cursor);
        require(entry, "there are %zu of %zu blobs", i, shadow->now.count);
        const struct blob *blob = blob_of_entry(entry);
        require(container_find(container, model_bytes(shadow->now.blobs[i].name)) == blob,
                "blob %zu is not found", i);
        compare_blob(blob, &shadow->now.blobs[i]);
    }
    require(!order_cursor_entry(&cursor), "there are more than %zu blobs", shadow->now.count);
    compare_lease(container_lease(container), container->lease, &shadow->lease, "the container");
    compare_index(shadow, container, &container->leased, is_leased);
    compare_index(shadow, container, &container->copying, shadow_copy_pends);
    compare_overdue(shadow, container);
    compare_feed(shadow, container);
    compare_account(shadow, container);
}
