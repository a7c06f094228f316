/* How the changes that only files have are applied: chunks with their numbers, and the contents made of them. */
#include "blob/blocks.h"
#include "blob/container_apply.h"
#include "blob/load_chunks.h"

bool apply_staged(struct container *container, struct blob **blob, const struct container_change *change) {
    struct chunk *chunk = load_chunks_chunk(container->load_chunks, change->chunk_number);
    return chunk && apply_block_fits(*blob, change) && apply_block(container, blob, change, chunk);
}

bool apply_chunk(struct container *container, struct blob **blob, const struct container_change *change) {
    (void)blob;
    return load_chunks_add(&container->account, &container->load_chunks, change->length, change->content,
                           change->chunk);
}

/* Whether the state may keep the content of the blob: only large contents are kept. */
static bool file_keeps(const struct blob *blob, const struct container_change *change) {
    if (!blob_exists(blob) || blob_is_inline(blob)) return false;
    return blob->kind != KIND_PAGE || blob_length(blob) == change->length;
}

/* A state without content, or with the content of the state before. */
bool apply_state(struct container *container, struct blob **blob, const struct container_change *change) {
    bool kept = change->parts & STATE_KEEPS_CONTENT;
    if (!apply_may_become(*blob, change->blob_kind) || (kept && !file_keeps(*blob, change))) return false;
    if (change->appended > APPEND_BLOCKS_MAX) return false;
    if (kept)
        apply_redescribe(container, *blob, change);
    else
        *blob = apply_begin(container, *blob, change, change->blob_kind, 0);
    if (change->blob_kind == KIND_BLOCK) return true;
    struct blob_special *special = blob_need_special(&container->account, *blob);
    special->sequence = change->sequence;
    special->born = change->born;
    special->appended = change->appended;
    special->sealed = change->parts & STATE_IS_SEALED;
    if (change->blob_kind == KIND_PAGE) blob_need_pages(&container->account, *blob)->length = change->length;
    blob_trim(&container->account, *blob);
    return true;
}

/* Reads an entry of a list: the number of a chunk, and before it the block's id, if it is a block. Appends
 * the id to `ids`, unless that is NULL. */
static struct chunk *read_span(const struct container *container, const struct container_change *change,
                               struct record_reader *reader, struct record_writer *ids) {
    if (change->kind == BLOB_BLOCKS) {
        struct bytes id = record_bytes(reader);
        if (!id.length || id.length > BLOCK_ID_MAX_BYTES) reader->failed = true;
        if (ids) record_put_bytes(ids, id);
    }
    uint64_t number = record_number(reader);
    return reader->failed ? NULL : load_chunks_chunk(container->load_chunks, number);
}

static bool spans_sound(const struct container *container, const struct container_change *change) {
    struct record_reader reader = record_reader(change->list.items);
    for (uint64_t i = 0; i < change->list.count; i++)
        if (!read_span(container, change, &reader, NULL)) return false;
    return record_complete(&reader);
}

/* Replaces the blob's block ids by `ids`, which are the same and `more` new ones. */
static void extend_blocks(struct container *container, struct blob *blob, struct record_writer *ids,
                          uint64_t more) {
    struct blob_special *special = blob_need_special(&container->account, blob);
    struct packed_list all = {more, record_written(ids)};
    if (special->blocks) all.count += block_list_view(special->blocks).count;
    struct block_list *list = block_list_new(&container->account, all);
    if (special->blocks) block_list_drop(&container->account, special->blocks);
    special->blocks = list;
}

static bool takes_spans(const struct blob *blob, const struct container_change *change) {
    if (!blob_exists(blob) || blob_is_untyped(blob) || blob->kind == KIND_PAGE) return false;
    if (blob_is_inline(blob) && blob_length(blob)) return false;
    size_t blocks = (size_t)block_list_view(blob_special(blob)->blocks).count,
           chunks = content_chunks(blob_content(blob));
    if (change->kind == BLOB_SPANS) return !blocks;
    return blob->kind == KIND_BLOCK && blocks == chunks &&
           change->list.count <= BLOCKS_COMMITTED_MAX - blocks;
}

bool apply_spans(struct container *container, struct blob **blob, const struct container_change *change) {
    if (!change->list.count || !takes_spans(*blob, change) || !spans_sound(container, change)) return false;
    struct record_reader reader = record_reader(change->list.items);
    struct packed_list before = block_list_view(blob_special(*blob)->blocks);
    struct record_writer ids;
    record_start(&ids);
    record_put_raw(&ids, before.items);
    struct content *content = blob_need_content(&container->account, *blob);
    for (uint64_t i = 0; i < change->list.count; i++)
        content_add(&container->account, content, read_span(container, change, &reader, &ids));
    if (change->kind == BLOB_BLOCKS) extend_blocks(container, *blob, &ids, change->list.count);
    record_end(&ids);
    return true;
}

static bool read_leaf(const struct container *container, struct record_reader *reader,
                      struct page_leaf *leaf) {
    leaf->index = record_number(reader);
    leaf->present = record_word(reader);
    leaf->chunk = load_chunks_chunk(container->load_chunks, record_number(reader));
    return !reader->failed && leaf->chunk;
}

static bool leaves_sound(const struct container *container, const struct blob *blob,
                         const struct container_change *change) {
    struct record_reader reader = record_reader(change->list.items);
    struct page_leaf leaf;
    uint64_t min = 0;
    for (uint64_t i = 0; i < change->list.count; i++, min = leaf.index + 1) {
        if (!read_leaf(container, &reader, &leaf) || leaf.index < min) return false;
        if (!pages_leaf_fits(blob_pages(blob), &leaf)) return false;
    }
    return record_complete(&reader);
}

bool apply_leaves(struct container *container, struct blob **blob, const struct container_change *change) {
    if (!blob_exists(*blob) || (*blob)->kind != KIND_PAGE || !leaves_sound(container, *blob, change))
        return false;
    struct record_reader reader = record_reader(change->list.items);
    struct page_leaf leaf;
    for (uint64_t i = 0; i < change->list.count && read_leaf(container, &reader, &leaf); i++)
        pages_add_leaf(&container->account, blob_need_pages(&container->account, *blob), &leaf);
    return true;
}

bool apply_loaded(struct container *container, struct blob **blob, const struct container_change *change) {
    (void)blob;
    (void)change;
    if (!container_fits_feed(container)) return false;
    container_end_load(container);
    return true;
}
