#include "blob/container_walk.h"

#include "blob/blocks.h"
#include "blob/load_chunks.h"
#include "blob/snapshots.h"
#include "change/feed_change.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/pointer_map.h"

struct walking {
    const struct change_walk *walk;
    struct pointer_map numbers; /* of the chunks that may be needed again */
    uint64_t chunks;
    char *buffer; /* of a plain walk: for a piece of several chunks */
};

static void walk_take(const struct walking *walking, const struct container_change *change) {
    walking->walk->take(walking->walk->context, change);
}

struct container_change container_as_change(const struct container *container) {
    return (struct container_change){
        .kind = CONTAINER_CREATE,
        .access = container->access,
        .stamp = container->stamp,
        .created_ms = container->created_ms,
        .metadata = packed_view(container->metadata),
        .policies = packed_view(container->policies),
    };
}

struct container_change blob_as_change(const struct blob *blob, struct bytes name) {
    const struct blob_special *special = blob_special(blob);
    return (struct container_change){
        .kind = BLOB_STATE,
        .name = name,
        .stamp = blob->stamp,
        .created_ms = blob->created_ms,
        .blob_kind = blob->kind,
        .parts = PART_PROPERTIES | PART_METADATA |
                 (blob->kind == KIND_PAGE ? PART_LENGTH | PART_SEQUENCE : 0) |
                 (special->sealed ? STATE_IS_SEALED : 0),
        .properties = blob_properties(blob),
        .metadata = blob_metadata(blob),
        .length = blob->kind == KIND_PAGE ? blob_length(blob) : 0,
        .appended = special->appended,
        .sequence = special->sequence,
        .born = special->born,
    };
}

static struct container_change blob_copy_as_change(const struct blob *blob, struct bytes name) {
    const struct copy *copy = blob_special(blob)->copy;
    return (struct container_change){
        .kind = copy->description.length ? BLOB_COPYTOLD : BLOB_COPYSTATE, .name = name, .copy = *copy};
}

/* --- Chunks --- */

static void walk_chunk(struct walking *walking, struct chunk *chunk, uint64_t missing) {
    struct bytes bytes = chunk_bytes(chunk);
    struct container_change change = {.kind = CONTAINER_CHUNK, .length = bytes.length + missing};
    walking->chunks++;
    for (size_t done = 0; done < bytes.length; done += change.content.length) {
        size_t left = bytes.length - done;
        change.content =
            bytes_of(bytes.data + done, left < walking->walk->piece ? left : walking->walk->piece);
        change.chunk = change.content.length == change.length ? chunk : NULL;
        walk_take(walking, &change);
    }
}

/* Those that a load has brought so far keep their numbers: what comes next names them. */
static void walk_load_chunks(struct walking *walking, const struct container *container) {
    struct chunk *chunk;
    uint64_t missing;
    while ((chunk = load_chunks_at(container->load_chunks, walking->chunks + 1, &missing))) {
        walk_chunk(walking, chunk, missing);
        *pointer_map_at(&walking->numbers, chunk) = walking->chunks;
    }
}

/* The number of a chunk; sends the chunk first if it has none yet. A chunk with one use, directly in a
 * content, is not needed again, so its number is not kept. */
static uint64_t number_of(struct walking *walking, struct chunk *chunk, bool direct) {
    uintptr_t unshared = 0;
    bool once = direct && chunk_uses(chunk) == 1;
    uintptr_t *number = once ? &unshared : pointer_map_at(&walking->numbers, chunk);
    if (!*number) {
        walk_chunk(walking, chunk, 0);
        *number = walking->chunks;
    }
    return *number;
}

/* --- Lists --- */

/* Entries of a content that are sent in one change. */
struct batch {
    struct container_change change;
    struct record_writer items;
};

static void batch_start(struct batch *batch, enum container_change_kind kind, struct bytes name) {
    batch->change = (struct container_change){.kind = kind, .name = name};
    record_start(&batch->items);
}

static void batch_send(struct walking *walking, struct batch *batch) {
    if (!batch->change.list.count) return;
    batch->change.list.items = record_written(&batch->items);
    walk_take(walking, &batch->change);
    batch->change.list.count = 0;
    batch->items.length = 0;
}

static void batch_next(struct walking *walking, struct batch *batch) {
    if (++batch->change.list.count == WALK_LIST_MAX) batch_send(walking, batch);
}

static void batch_end(struct walking *walking, struct batch *batch) {
    batch_send(walking, batch);
    record_end(&batch->items);
}

static void walk_rope(struct walking *walking, const struct blob *blob, struct bytes name) {
    struct packed_list ids = block_list_view(blob_special(blob)->blocks);
    struct record_reader reader = record_reader(ids.items);
    struct batch batch;
    batch_start(&batch, ids.count ? BLOB_BLOCKS : BLOB_SPANS, name);
    const struct content *content = blob_content(blob);
    for (size_t i = 0; i < content_chunks(content); i++) {
        uint64_t number = number_of(walking, content_chunk(content, i), content->chunk);
        if (ids.count) record_put_bytes(&batch.items, record_bytes(&reader));
        record_put_number(&batch.items, number);
        batch_next(walking, &batch);
    }
    batch_end(walking, &batch);
}

static void walk_pages(struct walking *walking, const struct blob *blob, struct bytes name) {
    struct page_leaf leaf = {0};
    struct batch batch;
    batch_start(&batch, BLOB_LEAVES, name);
    for (uint64_t index = 0; pages_leaf(blob_pages(blob), index, &leaf); index = leaf.index + 1) {
        uint64_t number = number_of(walking, leaf.chunk, false);
        record_put_number(&batch.items, leaf.index);
        record_put_word(&batch.items, leaf.present);
        record_put_number(&batch.items, number);
        batch_next(walking, &batch);
    }
    batch_end(walking, &batch);
}

/* --- Plain contents --- */

static void walk_bytes(struct walking *walking, const struct blob *blob, struct bytes name,
                       struct page_range range) {
    struct container_change change = {.kind = BLOB_COPYPIECE, .name = name};
    uint64_t end = range.offset + range.length;
    for (change.offset = range.offset; change.offset < end; change.offset += change.content.length) {
        size_t length = size_min(end - change.offset, walking->walk->piece);
        change.content = blob_view(blob, change.offset, length);
        if (change.content.length < length) {
            blob_read(blob, change.offset, walking->buffer, length);
            change.content = bytes_of(walking->buffer, length);
        }
        walk_take(walking, &change);
    }
}

static void walk_blocks(struct walking *walking, const struct blob *blob, struct bytes name) {
    struct packed_list ids = block_list_view(blob_special(blob)->blocks);
    struct record_reader reader = record_reader(ids.items);
    struct container_change change = {.kind = BLOB_COPYBLOCK, .name = name};
    for (size_t i = 0; i < ids.count; i++) {
        change.block_id = record_bytes(&reader);
        change.content = chunk_bytes(content_chunk(blob_content(blob), i));
        walk_take(walking, &change);
    }
}

static void walk_plain(struct walking *walking, const struct blob *blob, struct bytes name) {
    struct page_range range = {0, 0};
    if (blob_special(blob)->blocks)
        walk_blocks(walking, blob, name);
    else if (blob->kind != KIND_PAGE)
        walk_bytes(walking, blob, name, (struct page_range){0, blob_length(blob)});
    else
        while (pages_range(blob_pages(blob), range.offset + range.length, blob_length(blob), &range))
            walk_bytes(walking, blob, name, range);
}

/* --- Blobs --- */

/* Whether the content is that of the previous state. */
static bool walk_keeps(const struct blob *blob, const struct blob *before) {
    if (!before || before->kind != blob->kind || blob_is_inline(blob)) return false;
    if (blob_special(blob)->blocks != blob_special(before)->blocks) return false;
    return blob->kind == KIND_PAGE ? pages_same(blob_pages(blob), blob_pages(before))
                                   : content_same(blob_content(blob), blob_content(before));
}

static void walk_blob_content(struct walking *walking, const struct blob *blob, struct bytes name) {
    if (walking->walk->plain)
        walk_plain(walking, blob, name);
    else if (blob->kind == KIND_PAGE)
        walk_pages(walking, blob, name);
    else
        walk_rope(walking, blob, name);
}

static void walk_state(struct walking *walking, const struct blob *blob, struct bytes name,
                       const struct blob *before) {
    struct container_change change = blob_as_change(blob, name);
    bool kept = !walking->walk->plain && walk_keeps(blob, before);
    if (kept) change.parts |= STATE_KEEPS_CONTENT;
    if (blob->kind == KIND_BLOCK && blob_is_inline(blob)) {
        change.kind = BLOB_PUT;
        change.content = blob_view(blob, 0, UINT64_MAX);
    }
    walk_take(walking, &change);
    if (change.kind == BLOB_STATE && !kept) walk_blob_content(walking, blob, name);
    if (!blob_special(blob)->copy) return;
    change = blob_copy_as_change(blob, name);
    walk_take(walking, &change);
}

static const struct blob *walk_blob_snapshots(struct walking *walking, const struct blob *blob) {
    const struct snapshots *snapshots = blob_special(blob)->snapshots;
    const struct blob *before = NULL;
    for (size_t i = 0; snapshots && i < snapshots->count; i++) {
        const struct snapshot *snapshot = &snapshots->taken[i];
        walk_state(walking, snapshot->blob, blob_name(blob), before);
        before = snapshot->blob;
        walk_take(walking, &(struct container_change){.kind = BLOB_SNAPSHOT,
                                                      .name = blob_name(blob),
                                                      .stamp = before->stamp,
                                                      .snapshot = snapshot->id});
    }
    return before;
}

static void walk_staged(struct walking *walking, const struct blob *blob) {
    const struct staging *staging = blob_special(blob)->staging;
    if (!staging) return;
    bool plain = walking->walk->plain;
    struct container_change change = {
        .kind = plain ? BLOB_STAGE : BLOB_STAGED, .name = blob_name(blob), .touched_ms = staging->touched_ms};
    struct order_cursor cursor = staging_walk(staging);
    for (const struct staged_block *block; (block = staged_block_at(&cursor)); order_cursor_next(&cursor)) {
        change.block_id = entry_name(&block->entry);
        if (plain)
            change.content = chunk_bytes(block->chunk);
        else
            change.chunk_number = number_of(walking, block->chunk, true);
        walk_take(walking, &change);
    }
}

static void walk_lease(const struct walking *walking, enum container_change_kind kind, struct bytes name,
                       const struct lease *lease) {
    if (!walking->walk->holders || !lease->token) return;
    walk_take(walking, &(struct container_change){.kind = kind, .name = name, .lease = *lease});
}

static void walk_blob(struct walking *walking, const struct blob *blob) {
    const struct blob *before = walk_blob_snapshots(walking, blob);
    if (blob_exists(blob)) walk_state(walking, blob, blob_name(blob), before);
    walk_staged(walking, blob);
    walk_lease(walking, BLOB_LEASE, blob_name(blob), blob_lease(blob));
}

static void take_feed_bytes(const struct change_walk *walk, enum feed_change_kind kind, struct bytes bytes) {
    walk->take(walk->context,
               &(struct container_change){.kind = CONTAINER_FEEDON + (unsigned)kind, .feed = bytes});
}

/* Whether the container has all that its records bring, and they need to be told so. */
static bool is_loaded(const struct walking *walking, const struct container *container) {
    if (walking->walk->open && container_is_loading(container)) return false;
    return walking->chunks || container->feed;
}

static void walk_blobs(struct walking *walking, const struct container *container, bool all) {
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_take(&cursor));)
        if (all || blob_of_entry(entry)->extra) walk_blob(walking, blob_of_entry(entry));
    if (is_loaded(walking, container))
        walk_take(walking, &(struct container_change){.kind = CONTAINER_LOADED});
    pointer_map_end(&walking->numbers);
}

void container_walk(const struct container *container, const struct change_walk *walk) {
    struct walking walking = {.walk = walk};
    struct container_change change = container_as_change(container);
    if (walk->plain) walking.buffer = memory_alloc(walk->piece);
    walk_take(&walking, &change);
    walk_lease(&walking, CONTAINER_LEASE, bytes_of("", 0), container_lease(container));
    feed_change_walk(container->feed, walk, take_feed_bytes);
    if (walk->open) walk_load_chunks(&walking, container);
    walk_blobs(&walking, container, true);
    memory_free(walking.buffer);
}

static void walk_extras(const struct container *container, const struct change_walk *walk) {
    struct walking walking = {.walk = walk};
    walk_blobs(&walking, container, false);
}

/* --- Copies --- */

/* Applies a change from a walk over another container; chunks become twins. */
static void copy_record(void *context, const void *record) {
    struct container *container = context;
    struct container_change twin = *(const struct container_change *)record;
    if (twin.chunk) twin.chunk = chunk_twin(twin.chunk);
    if (twin.kind != CONTAINER_CREATE) container_apply(container, &twin);
}

struct container_copying {
    struct container *container;
    bool extras;    /* there are blobs that have one */
    size_t blobs;   /* of the others */
    uint64_t bytes; /* of their contents */
};

/* A blob with an extra has its name at first, as one that does not exist. */
static struct entry *copy_blob(void *context, struct entry *entry) {
    struct container_copying *copying = context;
    struct container *container = copying->container;
    struct blob *blob = blob_of_entry(entry);
    if (blob->extra) {
        copying->extras = true;
        return &blob_new(&container->account, blob_name(blob), KIND_UNCOMMITTED, 0)->entry;
    }
    copying->blobs += blob_exists(blob);
    copying->bytes += blob_exists(blob) ? blob->small_length : 0; /* without an extra it is small */
    if (!entry_hold(&container->account, entry)) blob = blob_twin(&container->account, blob);
    return &blob->entry;
}

/* Blobs without an extra, which are most, are in common until one of the containers changes them. */
struct container *container_copy(const struct container *source) {
    struct container_change change = container_as_change(source);
    struct container_copying copying = {.container = container_new(&change)};
    struct change_walk walk = {.piece = SIZE_MAX, .take = copy_record, .context = copying.container};
    if (source->feed) {
        container_walk(source, &walk);
        return copying.container;
    }
    catalog_copy(&copying.container->blobs, &source->blobs, copy_blob, &copying);
    container_count_blobs(copying.container, copying.blobs, copying.bytes);
    if (copying.extras) walk_extras(source, &walk);
    return copying.container;
}
