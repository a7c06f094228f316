#include "blob_model.h"

#include <stdlib.h>

void *model_resized(void *memory, size_t size) {
    void *resized = realloc(memory, size ? size : 1);
    if (!resized) abort();
    return resized;
}

void *model_copy_of(struct bytes bytes) {
    void *copy = model_resized(NULL, bytes.length);
    if (bytes.length) memcpy(copy, bytes.data, bytes.length);
    return copy;
}

/* --- Lists and leases --- */

void model_list_set(struct model_list *own, struct packed_list list) {
    size_t length = list.count ? list.items.length : 0;
    char *data = model_copy_of(bytes_of(list.items.data, length));
    free(own->data);
    *own = (struct model_list){list.count, data, length};
}

static void lease_forget(struct model_lease *own) {
    free(own->lease);
    free(own->owner);
    *own = (struct model_lease){NULL, NULL};
}

void model_lease_set(struct model_lease *own, const struct lease *lease) {
    lease_forget(own);
    if (!lease) return;
    own->lease = model_copy_of(bytes_of(lease, sizeof(*lease)));
    own->owner = model_copy_of(lease->owner);
    own->lease->owner.data = own->owner;
}

bool model_lease_stands(const struct model_lease *own) {
    return own->lease && own->lease->kind != LEASE_FREE;
}

void model_lease_end(struct model_lease *own) {
    if (!model_lease_stands(own)) return;
    const struct lease freed = {LEASE_FREE, own->lease->id, own->lease->token, 0, 0, 0, {"", 0}};
    model_lease_set(own, &freed);
}

/* --- Blocks --- */

static void block_end(struct model_block *block) {
    free(block->id);
    free(block->data);
}

void model_blocks_insert(struct model_blocks *blocks, size_t place, struct bytes id, struct bytes bytes) {
    blocks->all = model_resized(blocks->all, (blocks->count + 1) * sizeof(*blocks->all));
    struct model_block *block = &blocks->all[place];
    memmove(block + 1, block, (blocks->count++ - place) * sizeof(*block));
    *block = (struct model_block){model_copy_of(id), model_copy_of(bytes), id.length, bytes.length};
}

void model_blocks_drop(struct model_blocks *blocks, uint64_t max) {
    size_t gone = max < blocks->count ? (size_t)max : blocks->count;
    for (size_t i = 0; i < gone; i++) block_end(&blocks->all[i]);
    blocks->count -= gone;
    if (blocks->count) {
        memmove(blocks->all, blocks->all + gone, blocks->count * sizeof(*blocks->all));
        return;
    }
    free(blocks->all);
    blocks->all = NULL;
}

struct model_block *model_blocks_find(const struct model_blocks *blocks, struct bytes id) {
    for (size_t i = 0; i < blocks->count; i++)
        if (bytes_equal(model_block_id(&blocks->all[i]), id)) return &blocks->all[i];
    return NULL;
}

void model_stage(struct model_blocks *blocks, struct bytes id, struct bytes bytes) {
    struct model_block *block = model_blocks_find(blocks, id);
    if (block) {
        char *data = model_copy_of(bytes);
        free(block->data);
        block->data = data;
        block->length = bytes.length;
        return;
    }
    size_t place = 0;
    while (place < blocks->count && bytes_compare(model_block_id(&blocks->all[place]), id) < 0) place++;
    model_blocks_insert(blocks, place, id, bytes);
}

static void blocks_copy(const struct model_blocks *blocks, struct model_blocks *copy) {
    *copy = (struct model_blocks){NULL, 0};
    for (size_t i = 0; i < blocks->count; i++)
        model_blocks_insert(copy, i, model_block_id(&blocks->all[i]), model_block_bytes(&blocks->all[i]));
}

/* --- Content --- */

void model_set_copy(struct model_state *state, const struct copy *copy) {
    char *before = (char *)state->copy.source.data, *described = (char *)state->copy.description.data;
    state->copy = copy ? *copy : (struct copy){.status = COPY_NONE};
    if (copy) state->copy.source.data = model_copy_of(copy->source);
    if (copy) state->copy.description.data = model_copy_of(copy->description);
    free(before);
    free(described);
}

void model_append(struct model_state *state, struct bytes bytes) {
    char *content = model_resized(NULL, (size_t)state->length + bytes.length);
    if (state->length) memcpy(content, state->content, (size_t)state->length);
    if (bytes.length) memcpy(content + state->length, bytes.data, bytes.length);
    free(state->content);
    state->content = content;
    state->length += bytes.length;
}

void model_append_blocks(struct model_state *state, const struct model_blocks *blocks) {
    size_t length = 0, at = 0;
    for (size_t i = 0; i < blocks->count; i++) length += blocks->all[i].length;
    char *bytes = model_resized(NULL, length);
    for (size_t i = 0; i < blocks->count; at += blocks->all[i++].length)
        memcpy(bytes + at, blocks->all[i].data, blocks->all[i].length);
    model_append(state, bytes_of(bytes, length));
    state->chunks += blocks->count;
    free(bytes);
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

void model_pages_write(struct model_state *state, uint64_t offset, struct bytes bytes) {
    for (size_t at = 0; at < bytes.length; at += PAGE_BYTES) {
        uint64_t number = (offset + at) / PAGE_BYTES;
        size_t place = model_page_place(state, number);
        if (place == state->page_count || state->pages[place].number != number) {
            struct model_page *page = insert_page(state, place);
            page->number = number;
        }
        memcpy(state->pages[place].bytes, bytes.data + at, PAGE_BYTES);
    }
}

void model_pages_clear(struct model_state *state, uint64_t offset, uint64_t length) {
    size_t from = model_page_place(state, offset / PAGE_BYTES),
           to = model_page_place(state, (offset + length) / PAGE_BYTES);
    if (from == to) return;
    memmove(&state->pages[from], &state->pages[to], (state->page_count - to) * sizeof(*state->pages));
    state->page_count -= to - from;
}

void model_pages_resize(struct model_state *state, uint64_t length) {
    if (length < state->length) model_pages_clear(state, length, state->length - length);
    state->length = length;
}

void model_empty(struct model_state *state) {
    free(state->content);
    free(state->pages);
    model_blocks_drop(&state->blocks, UINT64_MAX);
    state->content = NULL;
    state->pages = NULL;
    state->length = state->page_count = state->page_capacity = state->chunks = 0;
    state->appended = 0;
    state->sealed = false;
    state->sequence = 0;
    state->born = 0;
}

void model_state_copy(const struct model_state *state, struct model_state *copy) {
    *copy = *state;
    copy->properties.data = model_copy_of(bytes_of(state->properties.data, state->properties.length));
    copy->metadata.data = model_copy_of(bytes_of(state->metadata.data, state->metadata.length));
    bool paged = state->kind == KIND_PAGE;
    copy->content = model_copy_of(bytes_of(state->content, paged ? 0 : (size_t)state->length));
    copy->pages = model_copy_of(bytes_of(state->pages, state->page_count * sizeof(*state->pages)));
    copy->page_capacity = state->page_count;
    copy->copy.source.data = model_copy_of(state->copy.source);
    copy->copy.description.data = model_copy_of(state->copy.description);
    blocks_copy(&state->blocks, &copy->blocks);
}

void model_state_end(struct model_state *state) {
    model_empty(state);
    model_set_copy(state, NULL);
    free(state->properties.data);
    free(state->metadata.data);
}

/* --- Snapshots, and the whole of it --- */

struct model_snapshot *model_snapshot_find(const struct model_blob *blob, version id) {
    for (size_t i = 0; i < blob->snapshot_count; i++)
        if (blob->snapshots[i].id == id) return &blob->snapshots[i];
    return NULL;
}

void model_snapshots_drop(struct model_blob *blob, version id) {
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
    model_blocks_drop(&blob->staged, UINT64_MAX);
    lease_forget(&blob->lease);
    free(blob->snapshots);
    free(blob->name);
}
