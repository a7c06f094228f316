/* The part of the shadow that reads files: chunks by their numbers, and blobs that are put together from them. */
#include "container_shadow.h"

void shadow_chunks_drop(struct container_shadow *shadow) {
    model_blocks_drop(&shadow->load_chunks.chunks, SIZE_MAX);
    shadow->load_chunks.missing = 0;
    shadow->marks.loading = false;
}

static bool add_chunk(struct shadow_chunks *load_chunks, const struct container_change *change) {
    struct bytes piece = change->content;
    if (!piece.length) return false;
    if (!load_chunks->missing) {
        if (piece.length > change->length) return false;
        model_blocks_insert(&load_chunks->chunks, load_chunks->chunks.count, (struct model_view){"", 0},
                            model_view_of(piece));
        load_chunks->missing = change->length - piece.length;
        return true;
    }
    if (piece.length > load_chunks->missing) return false;
    model_bytes_append(&load_chunks->chunks.all[load_chunks->chunks.count - 1].bytes, model_view_of(piece));
    load_chunks->missing -= piece.length;
    return true;
}

/* NULL if there is no such chunk, or not all of it yet. */
static const struct model_block *chunk_of(const struct container_shadow *shadow, uint64_t number) {
    const struct shadow_chunks *load_chunks = &shadow->load_chunks;
    uint64_t whole = load_chunks->chunks.count - (load_chunks->missing != 0);
    return number && number <= whole ? &load_chunks->chunks.all[number - 1] : NULL;
}

/* Whether the content that there is can be kept: a large one, as it is. */
static bool can_be_kept(const struct model_blob *blob, const struct container_change *change) {
    if (!model_exists(blob)) return false;
    switch (blob->state.kind) {
    case MODEL_PAGE: return blob->state.length == change->length;
    case MODEL_APPEND: return blob->state.length;
    default: return blob->state.pieces;
    }
}

static bool set_state(struct container_shadow *shadow, const struct container_change *change) {
    struct model_blob *blob = container_shadow_find(shadow, change->name);
    struct model_call call = shadow_call_of(change, MODEL_PUT);
    bool kept = change->parts & STATE_KEEPS_CONTENT;
    if (!container_model_may_become(blob, (enum model_kind)change->blob_kind) ||
        (kept && !can_be_kept(blob, change)))
        return false;
    if (change->count > MODEL_APPENDS_MAX) return false;
    if (kept)
        container_model_describe(&blob->state, &call);
    else
        blob = container_model_begin(&shadow->now, &call, (enum model_kind)change->blob_kind);
    if (change->frees_lease) shadow_lease_end(&blob->lease);
    if (blob->state.kind == MODEL_BLOCK) return true;
    blob->state.sequence = change->sequence;
    blob->state.born = change->born;
    blob->state.appended = change->count;
    blob->state.sealed = change->parts & STATE_IS_SEALED;
    if (blob->state.kind == MODEL_PAGE) blob->state.length = change->length;
    return true;
}

/* --- Contents in chunks --- */

static bool takes_chunks(const struct model_blob *blob, const struct container_change *change) {
    if (!model_exists(blob) || blob->state.untyped || blob->state.kind == MODEL_PAGE) return false;
    const struct model_state *state = &blob->state;
    bool small = state->kind == MODEL_BLOCK && !state->pieces && state->length;
    if (small || !change->list.count) return false;
    if (change->kind == BLOB_SPANS) return !state->blocks.count;
    return state->kind == MODEL_BLOCK && state->blocks.count == state->pieces &&
           change->list.count <= MODEL_COMMITTED_MAX - state->blocks.count;
}

/* The blocks that the list names, with ids or without. */
static bool gather(const struct container_shadow *shadow, const struct container_change *change,
                   struct model_blocks *gathered) {
    struct record_reader reader = record_reader(change->list.items);
    for (uint64_t i = 0; i < change->list.count; i++) {
        bool named = change->kind == BLOB_BLOCKS;
        struct bytes id = named ? record_bytes(&reader) : bytes_of("", 0);
        if (named && (!id.length || id.length > MODEL_BLOCK_ID_MAX)) return false;
        const struct model_block *chunk = chunk_of(shadow, record_number(&reader));
        if (reader.failed || !chunk) return false;
        model_blocks_insert(gathered, gathered->count, model_view_of(id), model_view(chunk->bytes));
    }
    return record_complete(&reader);
}

static bool add_chunks(struct container_shadow *shadow, const struct container_change *change) {
    struct model_blob *blob = container_shadow_find(shadow, change->name);
    struct model_blocks gathered = {NULL, 0};
    bool fits = takes_chunks(blob, change) && gather(shadow, change, &gathered);
    if (fits) model_append_blocks(&blob->state, &gathered);
    for (size_t i = 0; fits && change->kind == BLOB_BLOCKS && i < gathered.count; i++)
        model_blocks_insert(&blob->state.blocks, blob->state.blocks.count, model_view(gathered.all[i].id),
                            model_view(gathered.all[i].bytes));
    model_blocks_drop(&gathered, SIZE_MAX);
    return fits;
}

/* --- Pages in leaves --- */

struct leaf {
    uint64_t index, present;
    const struct model_block *chunk;
};

static bool leaf_read(const struct container_shadow *shadow, struct record_reader *reader,
                      struct leaf *leaf) {
    leaf->index = record_number(reader);
    leaf->present = record_word(reader);
    leaf->chunk = chunk_of(shadow, record_number(reader));
    return !reader->failed && leaf->chunk;
}

static bool leaf_fits(const struct model_state *state, const struct leaf *leaf) {
    if (!leaf->present || leaf->index >= PAGES_MAX_BYTES / LEAF_BYTES) return false;
    uint64_t pages = 0, last = 0;
    for (uint64_t bit = 0; bit < LEAF_PAGES; bit++)
        if (leaf->present >> bit & 1) {
            pages++;
            last = bit;
        }
    if ((leaf->index * LEAF_PAGES + last + 1) * PAGE_BYTES > state->length) return false;
    if (leaf->chunk->bytes.length != pages * PAGE_BYTES) return false;
    return model_page_place(state, leaf->index * LEAF_PAGES) ==
           model_page_place(state, (leaf->index + 1) * LEAF_PAGES);
}

static bool add_leaves(struct container_shadow *shadow, const struct container_change *change) {
    struct model_blob *blob = container_shadow_find(shadow, change->name);
    if (!model_exists(blob) || blob->state.kind != MODEL_PAGE) return false;
    struct record_reader reader = record_reader(change->list.items);
    struct leaf leaf;
    uint64_t min = 0;
    for (uint64_t i = 0; i < change->list.count; i++, min = leaf.index + 1)
        if (!leaf_read(shadow, &reader, &leaf) || leaf.index < min || !leaf_fits(&blob->state, &leaf))
            return false;
    if (!record_complete(&reader)) return false;
    reader = record_reader(change->list.items);
    for (uint64_t i = 0; i < change->list.count && leaf_read(shadow, &reader, &leaf); i++) {
        const char *data = leaf.chunk->bytes.data;
        for (uint64_t bit = 0; bit < LEAF_PAGES; bit++) {
            if (!(leaf.present >> bit & 1)) continue;
            model_pages_write(&blob->state, (leaf.index * LEAF_PAGES + bit) * PAGE_BYTES,
                              (struct model_view){data, PAGE_BYTES});
            data += PAGE_BYTES;
        }
    }
    return true;
}

bool container_shadow_apply_from_file(struct container_shadow *shadow,
                                      const struct container_change *change) {
    const struct model_block *chunk;
    switch (change->kind) {
    case CONTAINER_CHUNK: return add_chunk(&shadow->load_chunks, change);
    case BLOB_STATE: return set_state(shadow, change);
    case BLOB_SPANS:
    case BLOB_BLOCKS: return add_chunks(shadow, change);
    case BLOB_LEAVES: return add_leaves(shadow, change);
    case BLOB_STAGED:
        chunk = chunk_of(shadow, change->count);
        return chunk && container_shadow_apply_stage(shadow, change, model_bytes(chunk->bytes));
    case CONTAINER_LOADED: shadow_chunks_drop(shadow); return true;
    default: return false;
    }
}
