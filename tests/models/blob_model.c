#include "blob_model.h"

#include <stdlib.h>
#include <string.h>

void *model_resized(void *memory, size_t size) {
    void *resized = realloc(memory, size ? size : 1);
    if (!resized) abort();
    return resized;
}

static void *copy_of(const void *data, size_t length) {
    void *copy = model_resized(NULL, length);
    if (length) memcpy(copy, data, length);
    return copy;
}

void model_bytes_set(struct model_bytes *own, struct model_view bytes) {
    char *data = bytes.length ? copy_of(bytes.data, bytes.length) : NULL;
    free(own->data);
    *own = (struct model_bytes){data, bytes.length};
}

void model_bytes_append(struct model_bytes *own, struct model_view bytes) {
    own->data = model_resized(own->data, own->length + bytes.length);
    if (bytes.length) memcpy(own->data + own->length, bytes.data, bytes.length);
    own->length += bytes.length;
}

void model_bytes_drop(struct model_bytes *own) {
    model_bytes_set(own, (struct model_view){NULL, 0});
}

int model_order(struct model_view one, struct model_view other) {
    size_t common = one.length < other.length ? one.length : other.length;
    int order = common ? memcmp(one.data, other.data, common) : 0;
    return order ? order : (one.length > other.length) - (one.length < other.length);
}

/* --- Blocks --- */

void model_blocks_insert(struct model_blocks *blocks, size_t place, struct model_view id,
                         struct model_view bytes) {
    blocks->all = model_resized(blocks->all, (blocks->count + 1) * sizeof(*blocks->all));
    struct model_block *block = &blocks->all[place];
    memmove(block + 1, block, (blocks->count++ - place) * sizeof(*block));
    *block = (struct model_block){0};
    model_bytes_set(&block->id, id);
    model_bytes_set(&block->bytes, bytes);
}

void model_blocks_drop(struct model_blocks *blocks, size_t count) {
    if (count > blocks->count) count = blocks->count;
    for (size_t i = 0; i < count; i++) {
        model_bytes_drop(&blocks->all[i].id);
        model_bytes_drop(&blocks->all[i].bytes);
    }
    blocks->count -= count;
    if (blocks->count) {
        memmove(blocks->all, blocks->all + count, blocks->count * sizeof(*blocks->all));
        return;
    }
    free(blocks->all);
    blocks->all = NULL;
}

struct model_block *model_blocks_find(const struct model_blocks *blocks, struct model_view id) {
    for (size_t i = 0; i < blocks->count; i++)
        if (!model_order(model_view(blocks->all[i].id), id)) return &blocks->all[i];
    return NULL;
}

void model_stage(struct model_blocks *blocks, struct model_view id, struct model_view bytes) {
    struct model_block *block = model_blocks_find(blocks, id);
    if (block) {
        model_bytes_set(&block->bytes, bytes);
        return;
    }
    size_t place = 0;
    while (place < blocks->count && model_order(model_view(blocks->all[place].id), id) < 0) place++;
    model_blocks_insert(blocks, place, id, bytes);
}

static void blocks_copy(const struct model_blocks *blocks, struct model_blocks *copy) {
    *copy = (struct model_blocks){NULL, 0};
    for (size_t i = 0; i < blocks->count; i++)
        model_blocks_insert(copy, i, model_view(blocks->all[i].id), model_view(blocks->all[i].bytes));
}

/* --- Content --- */

void model_append(struct model_state *state, struct model_view bytes) {
    state->content = model_resized(state->content, (size_t)state->length + bytes.length);
    if (bytes.length) memcpy(state->content + state->length, bytes.data, bytes.length);
    state->length += bytes.length;
}

void model_append_blocks(struct model_state *state, const struct model_blocks *blocks) {
    for (size_t i = 0; i < blocks->count; i++) model_append(state, model_view(blocks->all[i].bytes));
    state->pieces += blocks->count;
}

size_t model_page_place(const struct model_state *state, uint64_t number) {
    size_t low = 0, high = state->page_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (state->pages[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct model_page *insert_page(struct model_state *state, size_t place) {
    if (state->page_count == state->page_capacity) {
        state->page_capacity = state->page_capacity * 2 + 8;
        state->pages = model_resized(state->pages, state->page_capacity * sizeof(*state->pages));
    }
    struct model_page *page = &state->pages[place];
    memmove(page + 1, page, (state->page_count++ - place) * sizeof(*page));
    return page;
}

void model_pages_write(struct model_state *state, uint64_t offset, struct model_view bytes) {
    for (size_t at = 0; at < bytes.length; at += MODEL_PAGE_BYTES) {
        uint64_t number = (offset + at) / MODEL_PAGE_BYTES;
        size_t place = model_page_place(state, number);
        if (place == state->page_count || state->pages[place].number != number)
            insert_page(state, place)->number = number;
        memcpy(state->pages[place].bytes, bytes.data + at, MODEL_PAGE_BYTES);
    }
}

void model_pages_clear(struct model_state *state, uint64_t offset, uint64_t length) {
    size_t from = model_page_place(state, offset / MODEL_PAGE_BYTES),
           to = model_page_place(state, (offset + length) / MODEL_PAGE_BYTES);
    if (from == to) return;
    memmove(&state->pages[from], &state->pages[to], (state->page_count - to) * sizeof(*state->pages));
    state->page_count -= to - from;
}

void model_pages_resize(struct model_state *state, uint64_t length) {
    if (length < state->length) model_pages_clear(state, length, state->length - length);
    state->length = length;
}

size_t model_page_run(const struct model_state *state, size_t place) {
    size_t end = place + 1;
    while (end < state->page_count && state->pages[end].number == state->pages[end - 1].number + 1) end++;
    return end;
}

void model_read(const struct model_state *state, uint64_t offset, char *to, size_t length) {
    if (state->kind != MODEL_PAGE) {
        if (length) memcpy(to, state->content + offset, length);
        return;
    }
    memset(to, 0, length);
    uint64_t end = offset + length;
    for (size_t i = model_page_place(state, offset / MODEL_PAGE_BYTES); i < state->page_count; i++) {
        uint64_t begin = state->pages[i].number * MODEL_PAGE_BYTES, until = begin + MODEL_PAGE_BYTES;
        if (begin >= end) return;
        uint64_t from = begin > offset ? begin : offset;
        if (until > end) until = end;
        memcpy(to + (from - offset), state->pages[i].bytes + (from - begin), (size_t)(until - from));
    }
}

void model_empty(struct model_state *state) {
    free(state->content);
    free(state->pages);
    model_blocks_drop(&state->blocks, SIZE_MAX);
    state->content = NULL;
    state->pages = NULL;
    state->length = state->page_count = state->page_capacity = state->pieces = 0;
    state->appended = 0;
    state->sealed = false;
    state->sequence = 0;
    state->born = 0;
}

void model_state_copy(const struct model_state *state, struct model_state *copy) {
    bool paged = state->kind == MODEL_PAGE;
    *copy = *state;
    copy->properties = copy->metadata = copy->copy = (struct model_bytes){NULL, 0};
    model_bytes_set(&copy->properties, model_view(state->properties));
    model_bytes_set(&copy->metadata, model_view(state->metadata));
    model_bytes_set(&copy->copy, model_view(state->copy));
    copy->content = copy_of(state->content, paged ? 0 : (size_t)state->length);
    copy->pages = copy_of(state->pages, state->page_count * sizeof(*state->pages));
    copy->page_capacity = state->page_count;
    blocks_copy(&state->blocks, &copy->blocks);
}

void model_state_end(struct model_state *state) {
    model_empty(state);
    model_bytes_drop(&state->properties);
    model_bytes_drop(&state->metadata);
    model_bytes_drop(&state->copy);
}

/* --- Snapshots, and the whole of it --- */

struct model_snapshot *model_snapshot_find(const struct model_blob *blob, uint64_t id) {
    for (size_t i = 0; i < blob->snapshot_count; i++)
        if (blob->snapshots[i].id == id) return &blob->snapshots[i];
    return NULL;
}

void model_snapshots_drop(struct model_blob *blob, uint64_t id) {
    size_t kept = 0;
    for (size_t i = 0; i < blob->snapshot_count; i++) {
        if (id && blob->snapshots[i].id != id)
            blob->snapshots[kept++] = blob->snapshots[i];
        else
            model_state_end(&blob->snapshots[i].state);
    }
    blob->snapshot_count = kept;
}

void model_blob_end(struct model_blob *blob) {
    model_snapshots_drop(blob, 0);
    model_state_end(&blob->state);
    model_blocks_drop(&blob->staged, SIZE_MAX);
    model_bytes_drop(&blob->lease);
    model_bytes_drop(&blob->name);
    free(blob->snapshots);
}
