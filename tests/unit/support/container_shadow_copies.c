/* The part of the shadow that copies from another server. */
#include "container_shadow.h"

bool shadow_copy_pends(const struct model_blob *blob) {
    return model_exists(blob) && shadow_copy(&blob->state).status == COPY_PENDING;
}

bool shadow_copy_arrives(const struct model_blob *blob) {
    return shadow_copy_pends(blob) && shadow_copy(&blob->state).arriving;
}

static bool start(struct container_shadow *shadow, struct model_blob *blob,
                  const struct container_change *change) {
    if (change->copy.status != COPY_PENDING || change->copy.arriving || shadow_copy_pends(blob)) return false;
    struct copy copy = change->copy;
    copy.untyped = !model_exists(blob) || blob->state.untyped;
    if (!blob) blob = container_model_insert(&shadow->now, model_view_of(change->name), MODEL_BLOCK);
    if (!model_exists(blob)) blob->state.kind = MODEL_BLOCK;
    if (copy.untyped) blob->state.created_ms = change->stamp.modified_ms;
    shadow_restamp(blob, change);
    shadow_copy_set(&blob->state, &copy);
    return true;
}

static bool begin(struct model_blob *blob, const struct container_change *change) {
    if (!shadow_copy_pends(blob) || shadow_copy_arrives(blob) ||
        !container_model_may_become(blob, (enum model_kind)change->blob_kind))
        return false;
    if (change->count > MODEL_APPENDS_MAX) return false;
    struct model_state *state = &blob->state;
    model_blocks_drop(&blob->staged, SIZE_MAX);
    model_empty(state);
    state->kind = (enum model_kind)change->blob_kind;
    state->created_ms = state->modified_ms;
    model_bytes_set(&state->properties, shadow_list(change->properties));
    model_bytes_set(&state->metadata, shadow_list(change->metadata));
    state->appended = change->count;
    state->sequence = change->sequence;
    state->sealed = change->parts & STATE_IS_SEALED;
    if (state->kind == MODEL_PAGE) state->born = state->etag;
    if (state->kind == MODEL_PAGE) state->length = change->length;
    struct copy copy = shadow_copy(state);
    copy.arriving = true;
    copy.untyped = false;
    copy.done = 0;
    copy.total = change->offset;
    shadow_copy_set(state, &copy);
    return true;
}

static bool piece(struct model_state *state, const struct container_change *change) {
    uint64_t length = change->content.length;
    if (!state->blocks.count) {
        bool is_small = state->kind == MODEL_BLOCK && length == shadow_copy(state).total && !change->chunk &&
                        length <= BLOB_INLINE_MAX;
        model_append(state, model_view_of(change->content));
        if (state->kind == MODEL_BLOCK && !is_small) state->pieces++;
        return true;
    }
    struct model_block *last = &state->blocks.all[state->blocks.count - 1];
    uint64_t before = last->bytes.length;
    if (before > change->length || length > change->length - before) return false;
    model_bytes_append(&last->bytes, model_view_of(change->content));
    model_append(state, model_view_of(change->content));
    return true;
}

static bool pages(struct model_state *state, const struct container_change *change) {
    uint64_t length = change->content.length;
    if (change->offset % MODEL_PAGE_BYTES || length % MODEL_PAGE_BYTES) return false;
    if (length > state->length || change->offset > state->length - length) return false;
    model_pages_write(state, change->offset, model_view_of(change->content));
    return true;
}

static bool block(struct model_state *state, const struct container_change *change) {
    if (state->kind != MODEL_BLOCK || state->blocks.count != state->pieces) return false;
    if (change->length < change->content.length) return false;
    if (change->length > shadow_copy(state).total - change->offset) return false;
    model_blocks_insert(&state->blocks, state->blocks.count, model_view_of(change->block_id),
                        model_view_of(change->content));
    model_append(state, model_view_of(change->content));
    state->pieces++;
    return true;
}

static bool arrive(struct model_blob *blob, const struct container_change *change) {
    struct model_state *state = &blob->state;
    struct copy copy = shadow_copy(state);
    uint64_t length = change->content.length, place = state->kind == MODEL_PAGE ? copy.done : state->length;
    if (!length || change->offset + length > copy.total) return false;
    if (state->kind == MODEL_BLOCK && state->length && !state->pieces) return false;
    if (state->kind == MODEL_PAGE ? change->offset < place : change->offset != place) return false;
    bool (*take)(struct model_state *, const struct container_change *) = change->kind == BLOB_COPYBLOCK
                                                                              ? block
                                                                          : state->kind == MODEL_PAGE ? pages
                                                                                                      : piece;
    if (!take(state, change)) return false;
    copy.done = change->offset + length;
    shadow_copy_set(state, &copy);
    return true;
}

static void empty(struct model_state *state, version etag) {
    int64_t sequence = state->sequence;
    model_empty(state);
    state->sequence = sequence;
    if (state->kind == MODEL_PAGE) state->born = etag;
}

static bool abort_copy(struct model_blob *blob, const struct container_change *change) {
    if (!shadow_copy_pends(blob)) return false;
    empty(&blob->state, change->stamp.etag);
    struct copy copy = shadow_copy(&blob->state);
    copy.status = COPY_ABORTED;
    copy.arriving = false;
    copy.completed_ms = change->stamp.modified_ms;
    shadow_copy_set(&blob->state, &copy);
    shadow_restamp(blob, change);
    return true;
}

static bool end(struct model_blob *blob, const struct container_change *change) {
    struct copy copy = change->copy;
    if (!shadow_copy_pends(blob) || copy.id != shadow_copy(&blob->state).id) return false;
    if (copy.status == COPY_PENDING || copy.arriving) return false;
    bool arriving = shadow_copy_arrives(blob);
    bool whole = blob->state.kind == MODEL_PAGE || blob->state.length == shadow_copy(&blob->state).total;
    if (copy.status == COPY_SUCCESS && !(arriving && whole)) return false;
    copy.untyped = blob->state.untyped;
    shadow_copy_set(&blob->state, &copy);
    if (arriving && copy.status != COPY_SUCCESS) empty(&blob->state, change->stamp.etag);
    shadow_restamp(blob, change);
    return true;
}

static bool may_be_untyped(const struct model_blob *blob) {
    size_t snapshots = blob->snapshot_count;
    bool was_typed = snapshots && !blob->snapshots[snapshots - 1].state.untyped;
    return blob->state.kind == MODEL_BLOCK && !blob->state.length && !was_typed;
}

bool container_shadow_apply_copying(struct container_shadow *shadow, struct model_blob *blob,
                                    const struct container_change *change) {
    switch (change->kind) {
    case BLOB_COPYSTART: return start(shadow, blob, change);
    case BLOB_COPYBEGIN: return begin(blob, change);
    case BLOB_ABORTCOPY: return abort_copy(blob, change);
    case BLOB_COPYEND: return end(blob, change);
    case BLOB_COPYPIECE:
    case BLOB_COPYBLOCK: return shadow_copy_arrives(blob) && arrive(blob, change);
    default: break;
    }
    if (!model_exists(blob) || (change->copy.untyped && !may_be_untyped(blob))) return false;
    shadow_copy_set(&blob->state, &change->copy);
    return true;
}
