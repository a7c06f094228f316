/* The part of the naive model that copies from another server. */
#include "container_model.h"

#include <stdlib.h>

static bool is_pending(const struct model_blob *blob) {
    return model_exists(blob) && blob->state.copy.status == COPY_PENDING;
}

static bool is_arriving(const struct model_blob *blob) {
    return is_pending(blob) && blob->state.copy.arriving;
}

static bool start(struct model *model, struct model_blob *blob, const struct container_change *change) {
    if (change->copy.status != COPY_PENDING || change->copy.arriving || is_pending(blob)) return false;
    struct copy copy = change->copy;
    copy.untyped = !model_exists(blob) || blob->state.copy.untyped;
    if (!blob) blob = model_insert(model, change->name, KIND_BLOCK);
    if (!model_exists(blob)) blob->state.kind = KIND_BLOCK;
    if (copy.untyped) blob->state.created_ms = change->stamp.modified_ms;
    model_restamp(blob, change);
    model_set_copy(&blob->state, &copy);
    return true;
}

static bool begin(struct model_blob *blob, const struct container_change *change) {
    if (!is_pending(blob) || is_arriving(blob) || !model_may_become(blob, change->blob_kind)) return false;
    if (change->count > 50000) return false;
    struct model_state *state = &blob->state;
    model_blocks_drop(&blob->staged, UINT64_MAX);
    model_empty(state);
    state->kind = change->blob_kind;
    state->created_ms = state->stamp.modified_ms;
    model_list_set(&state->properties, change->properties);
    model_list_set(&state->metadata, change->metadata);
    state->appended = change->count;
    state->sequence = change->sequence;
    state->sealed = change->parts & PART_SEALED;
    if (state->kind == KIND_PAGE) state->born = state->stamp.etag;
    if (state->kind == KIND_PAGE) state->length = change->length;
    state->copy.arriving = true;
    state->copy.untyped = false;
    state->copy.done = 0;
    state->copy.total = change->offset;
    return true;
}

static bool piece(struct model_state *state, const struct container_change *change) {
    uint64_t length = change->content.length;
    if (!state->blocks.count) {
        bool is_small =
            state->kind == KIND_BLOCK && length == state->copy.total && !change->chunk && length <= 4096;
        model_append(state, change->content);
        if (state->kind == KIND_BLOCK && !is_small) state->chunks++;
        return true;
    }
    struct model_block *last = &state->blocks.all[state->blocks.count - 1];
    if (last->length > change->length || length > change->length - last->length) return false;
    last->data = model_resized(last->data, last->length + length);
    memcpy(last->data + last->length, change->content.data, length);
    last->length += length;
    model_append(state, change->content);
    return true;
}

static bool pages(struct model_state *state, const struct container_change *change) {
    uint64_t length = change->content.length;
    if (change->offset % 512 || length % 512) return false;
    if (length > state->length || change->offset > state->length - length) return false;
    model_pages_write(state, change->offset, change->content);
    return true;
}

static bool block(struct model_state *state, const struct container_change *change) {
    if (state->kind != KIND_BLOCK || state->blocks.count != state->chunks) return false;
    if (change->length < change->content.length) return false;
    if (change->length > state->copy.total - change->offset) return false;
    model_blocks_insert(&state->blocks, state->blocks.count, change->block_id, change->content);
    model_append(state, change->content);
    state->chunks++;
    return true;
}

static bool arrive(struct model_blob *blob, const struct container_change *change) {
    struct model_state *state = &blob->state;
    uint64_t length = change->content.length,
             place = state->kind == KIND_PAGE ? state->copy.done : state->length;
    if (!length || change->offset + length > state->copy.total) return false;
    if (state->kind == KIND_BLOCK && state->length && !state->chunks) return false;
    if (state->kind == KIND_PAGE ? change->offset < place : change->offset != place) return false;
    bool (*take)(struct model_state *, const struct container_change *) = change->kind == BLOB_COPYBLOCK
                                                                              ? block
                                                                          : state->kind == KIND_PAGE ? pages
                                                                                                     : piece;
    if (!take(state, change)) return false;
    state->copy.done = change->offset + length;
    return true;
}

static void empty(struct model_state *state, version etag) {
    int64_t sequence = state->sequence;
    model_empty(state);
    state->sequence = sequence;
    if (state->kind == KIND_PAGE) state->born = etag;
}

static bool abort_copy(struct model_blob *blob, const struct container_change *change) {
    if (!is_pending(blob)) return false;
    empty(&blob->state, change->stamp.etag);
    blob->state.copy.status = COPY_ABORTED;
    blob->state.copy.arriving = false;
    blob->state.copy.completed_ms = change->stamp.modified_ms;
    model_restamp(blob, change);
    return true;
}

static bool end(struct model_blob *blob, const struct container_change *change) {
    struct copy copy = change->copy;
    if (!is_pending(blob) || copy.id != blob->state.copy.id) return false;
    if (copy.status == COPY_PENDING || copy.arriving) return false;
    bool arriving = is_arriving(blob);
    bool whole = blob->state.kind == KIND_PAGE || blob->state.length == blob->state.copy.total;
    if (copy.status == COPY_SUCCESS && !(arriving && whole)) return false;
    copy.untyped = blob->state.copy.untyped;
    model_set_copy(&blob->state, &copy);
    if (arriving && copy.status != COPY_SUCCESS) empty(&blob->state, change->stamp.etag);
    model_restamp(blob, change);
    return true;
}

static bool may_be_untyped(const struct model_blob *blob) {
    size_t snapshots = blob->snapshot_count;
    bool was_typed = snapshots && !blob->snapshots[snapshots - 1].state.copy.untyped;
    return blob->state.kind == KIND_BLOCK && !blob->state.length && !was_typed;
}

bool model_apply_copying(struct model *model, struct model_blob *blob,
                         const struct container_change *change) {
    switch (change->kind) {
    case BLOB_COPYSTART: return start(model, blob, change);
    case BLOB_COPYBEGIN: return begin(blob, change);
    case BLOB_ABORTCOPY: return abort_copy(blob, change);
    case BLOB_COPYEND: return end(blob, change);
    case BLOB_COPYPIECE:
    case BLOB_COPYBLOCK: return is_arriving(blob) && arrive(blob, change);
    default: break;
    }
    if (!model_exists(blob) || (change->copy.untyped && !may_be_untyped(blob))) return false;
    model_set_copy(&blob->state, &change->copy);
    return true;
}
