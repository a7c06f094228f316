#include "container_model.h"

#include <stdlib.h>
#include <string.h>

/* --- Which blobs there are --- */

/* The place where a blob of this name stands or would stand. */
static size_t place_of(const struct container_model *model, struct model_view name) {
    size_t low = 0, high = model->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (model_order(model_view(model->blobs[middle].name), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct model_blob *container_model_find(const struct container_model *model, struct model_view name) {
    size_t place = place_of(model, name);
    bool there = place < model->count && !model_order(model_view(model->blobs[place].name), name);
    return there ? &model->blobs[place] : NULL;
}

struct model_blob *container_model_insert(struct container_model *model, struct model_view name,
                                          enum model_kind kind) {
    size_t place = place_of(model, name);
    model->blobs = model_resized(model->blobs, (model->count + 1) * sizeof(*model->blobs));
    struct model_blob *blob = &model->blobs[place];
    memmove(blob + 1, blob, (model->count++ - place) * sizeof(*blob));
    *blob = (struct model_blob){.state = {.kind = kind}};
    model_bytes_set(&blob->name, name);
    return blob;
}

static void container_model_drop(struct container_model *model, struct model_blob *blob) {
    model_blob_end(blob);
    model->count--;
    memmove(blob, blob + 1, (size_t)(model->blobs + model->count - blob) * sizeof(*blob));
}

void container_model_unstage(struct container_model *model, struct model_blob *blob, size_t count) {
    model_blocks_drop(&blob->staged, count);
    if (!blob->staged.count && !model_exists(blob)) container_model_drop(model, blob);
}

size_t container_model_blobs(const struct container_model *model) {
    size_t count = 0;
    for (size_t i = 0; i < model->count; i++) count += model_exists(&model->blobs[i]);
    return count;
}

uint64_t container_model_bytes(const struct container_model *model) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < model->count; i++) bytes += model->blobs[i].state.length;
    return bytes;
}

void container_model_end(struct container_model *model) {
    for (size_t i = 0; i < model->count; i++) model_blob_end(&model->blobs[i]);
    free(model->blobs);
    model_bytes_drop(&model->metadata);
    *model = (struct container_model){0};
}

/* A copy has no leases. */
void container_model_copy(const struct container_model *model, struct container_model *copy) {
    container_model_end(copy);
    copy->exists = model->exists;
    copy->etag = model->etag;
    copy->modified_ms = model->modified_ms;
    copy->created_ms = model->created_ms;
    model_bytes_set(&copy->metadata, model_view(model->metadata));
    for (size_t i = 0; i < model->count; i++) {
        const struct model_blob *blob = &model->blobs[i];
        struct model_blob *own = container_model_insert(copy, model_view(blob->name), blob->state.kind);
        model_state_copy(&blob->state, &own->state);
        own->touched_ms = blob->touched_ms;
        for (size_t at = 0; at < blob->staged.count; at++)
            model_blocks_insert(&own->staged, at, model_view(blob->staged.all[at].id),
                                model_view(blob->staged.all[at].bytes));
        own->snapshot_count = blob->snapshot_count;
        own->snapshots = model_resized(NULL, blob->snapshot_count * sizeof(*own->snapshots));
        for (size_t at = 0; at < blob->snapshot_count; at++) {
            own->snapshots[at].id = blob->snapshots[at].id;
            model_state_copy(&blob->snapshots[at].state, &own->snapshots[at].state);
        }
    }
}

/* --- Lists of blocks --- */

/* NULL if there is none. */
static const struct model_block *chosen(const struct model_blob *blob, const struct model_choice *choice) {
    const struct model_block *block = NULL;
    if (!blob) return NULL;
    if (choice->origin != FROM_COMMITTED) block = model_blocks_find(&blob->staged, choice->id);
    if (!block && choice->origin != FROM_UNCOMMITTED)
        block = model_blocks_find(&blob->state.blocks, choice->id);
    return block;
}

/* Each id names a block, and is asked for in one way only. */
static bool list_fits(const struct model_blob *blob, const struct model_call *call) {
    if (call->block_count > MODEL_COMMITTED_MAX) return false;
    for (size_t i = 0; i < call->block_count; i++) {
        const struct model_choice *choice = &call->blocks[i];
        if (!choice->id.length || choice->id.length > MODEL_BLOCK_ID_MAX || !chosen(blob, choice))
            return false;
        for (size_t before = 0; before < i; before++)
            if (!model_order(call->blocks[before].id, choice->id) &&
                call->blocks[before].origin != choice->origin)
                return false;
    }
    return true;
}

/* --- Refusals --- */

bool container_model_may_become(const struct model_blob *blob, enum model_kind kind) {
    return !model_exists(blob) || blob->state.kind == kind || blob->state.untyped;
}

/* The state that a copy is made of; NULL if there is none. */
static const struct model_state *container_model_source(const struct model_call *call) {
    const struct model_blob *blob = call->from ? container_model_find(call->from, call->source) : NULL;
    if (!model_exists(blob)) return NULL;
    if (!call->snapshot) return &blob->state;
    const struct model_snapshot *taken = model_snapshot_find(blob, call->snapshot);
    return taken ? &taken->state : NULL;
}

/* The kind that the command makes, or takes; MODEL_UNCOMMITTED for any. */
static enum model_kind kind_of(const struct model_call *call) {
    switch (call->verb) {
    case MODEL_PUT:
    case MODEL_PUT_BLOCK:
    case MODEL_PUT_BLOCK_LIST: return MODEL_BLOCK;
    case MODEL_CREATE_PAGE:
    case MODEL_PUT_PAGE:
    case MODEL_CLEAR_PAGE: return MODEL_PAGE;
    case MODEL_SET_PROPERTIES:
        return call->sets_length || call->sets_sequence ? MODEL_PAGE : MODEL_UNCOMMITTED;
    case MODEL_CREATE_APPEND:
    case MODEL_APPEND_TO:
    case MODEL_SEAL: return MODEL_APPEND;
    case MODEL_COPY: return container_model_source(call)->kind;
    default: return MODEL_UNCOMMITTED;
    }
}

static bool creates(enum model_verb verb) {
    switch (verb) {
    case MODEL_PUT:
    case MODEL_CREATE_PAGE:
    case MODEL_CREATE_APPEND:
    case MODEL_PUT_BLOCK:
    case MODEL_PUT_BLOCK_LIST:
    case MODEL_COPY: return true;
    default: return false;
    }
}

static bool deletes(enum model_verb verb) {
    return verb == MODEL_DELETE || verb == MODEL_DELETE_WITH_SNAPSHOTS || verb == MODEL_DELETE_SNAPSHOTS;
}

/* Of what the conditions are: of the blob, or of the snapshot that is deleted. */
static uint64_t guarded_etag(const struct model_blob *blob, const struct model_call *call) {
    bool is_snapshot = call->verb == MODEL_DELETE_SNAPSHOTS && call->snapshot;
    return is_snapshot ? model_snapshot_find(blob, call->snapshot)->state.etag : blob->state.etag;
}

static const char *unmet(const struct model_blob *blob, const struct model_call *call) {
    bool exists = model_exists(blob), equal = exists && guarded_etag(blob, call) == call->if_etag, met = true;
    switch (call->condition) {
    case MODEL_UNCONDITIONAL: return NULL;
    case MODEL_IF_MATCH: met = equal; break;
    case MODEL_IF_EXISTS: met = exists; break;
    case MODEL_IF_NONE_MATCH: met = !equal; break;
    case MODEL_IF_NEW:
        if (exists && creates(call->verb)) return "CONFLICT BlobAlreadyExists";
    }
    if (met) return NULL;
    return call->verb == MODEL_COPY ? "PRECONDITION TargetConditionNotMet" : "PRECONDITION ConditionNotMet";
}

static const char *pages_refusal(const struct model_state *state, const struct model_call *call) {
    uint64_t length = call->verb == MODEL_PUT_PAGE ? call->content.length : call->length;
    bool whole = length && length % MODEL_PAGE_BYTES == 0 && call->offset % MODEL_PAGE_BYTES == 0;
    bool inside = length <= state->length && call->offset <= state->length - length;
    return whole && inside ? NULL : "INVALID InvalidPageRange";
}

static const char *append_refusal(const struct model_state *state, const struct model_call *call) {
    if (!call->content.length) return "INVALID InvalidHeaderValue";
    if (state->sealed) return "CONFLICT BlobIsSealed";
    if (call->at_offset && call->offset != state->length) return "PRECONDITION AppendPositionConditionNotMet";
    return state->appended >= MODEL_APPENDS_MAX ? "CONFLICT BlockCountExceedsLimit" : NULL;
}

/* What only some commands ask of a blob of the right kind. */
static const char *special_refusal(const struct model_blob *blob, const struct model_call *call) {
    switch (call->verb) {
    case MODEL_PUT_PAGE:
    case MODEL_CLEAR_PAGE: return pages_refusal(&blob->state, call);
    case MODEL_APPEND_TO: return append_refusal(&blob->state, call);
    case MODEL_PUT_BLOCK:
        if (!call->content.length) return "INVALID InvalidHeaderValue";
        if (!blob || !blob->staged.count) return NULL;
        return blob->staged.all[0].id.length == call->block_id.length ? NULL : "INVALID InvalidBlobOrBlock";
    case MODEL_PUT_BLOCK_LIST: return list_fits(blob, call) ? NULL : "INVALID InvalidBlockList";
    case MODEL_DELETE: return blob->snapshot_count ? "CONFLICT SnapshotsPresent" : NULL;
    default: return NULL;
    }
}

const char *container_model_refusal(const struct container_model *model, const struct model_call *call) {
    if (call->verb == MODEL_CREATE_CONTAINER) return model->exists ? "CONFLICT ContainerAlreadyExists" : NULL;
    if (!model->exists) return "NOTFOUND ContainerNotFound";
    if (call->verb == MODEL_SET_CONTAINER_METADATA) return NULL;
    if (call->verb == MODEL_COPY && call->from && !call->from->exists) return "NOTFOUND ContainerNotFound";
    const struct model_blob *blob = container_model_find(model, call->name);
    /* Conditions do not see staged blocks; deletions without any do. */
    bool sees_staged = deletes(call->verb) && call->condition == MODEL_UNCONDITIONAL;
    bool there = sees_staged ? blob != NULL : model_exists(blob);
    bool has_source = call->verb != MODEL_COPY || container_model_source(call);
    bool has_snapshot = call->verb != MODEL_DELETE_SNAPSHOTS || !call->snapshot ||
                        (blob && model_snapshot_find(blob, call->snapshot));
    if ((!there && !creates(call->verb)) || !has_source || !has_snapshot) return "NOTFOUND BlobNotFound";
    enum model_kind kind = kind_of(call);
    bool fits = creates(call->verb) ? container_model_may_become(blob, kind) : blob->state.kind == kind;
    if (kind != MODEL_UNCOMMITTED && !fits) return "CONFLICT InvalidBlobType";
    const char *refusal = unmet(blob, call);
    return refusal ? refusal : special_refusal(blob, call);
}

/* --- What commands do --- */

static void stamp(struct model_state *state, const struct model_call *call) {
    state->etag = call->etag;
    state->modified_ms = call->now_ms;
}

/* A write ends what is told of a copy before. */
static void rewrite(struct model_state *state, const struct model_call *call) {
    model_bytes_drop(&state->copy);
    state->untyped = false;
    stamp(state, call);
}

void container_model_describe(struct model_state *state, const struct model_call *call) {
    state->created_ms = call->created_ms;
    model_bytes_set(&state->properties, call->properties);
    model_bytes_set(&state->metadata, call->metadata);
    rewrite(state, call);
}

struct model_blob *container_model_begin(struct container_model *model, const struct model_call *call,
                                         enum model_kind kind) {
    struct model_blob *blob = container_model_find(model, call->name);
    if (!blob) blob = container_model_insert(model, call->name, kind);
    model_blocks_drop(&blob->staged, SIZE_MAX);
    model_empty(&blob->state);
    blob->state.kind = kind;
    container_model_describe(&blob->state, call);
    return blob;
}

static void create_container(struct container_model *model, const struct model_call *call) {
    container_model_end(model);
    model->exists = true;
    model->created_ms = call->created_ms;
}

static struct model_blob *create_page(struct container_model *model, const struct model_call *call) {
    struct model_blob *blob = container_model_begin(model, call, MODEL_PAGE);
    blob->state.length = call->length;
    blob->state.sequence = call->sequence;
    blob->state.born = call->etag;
    return blob;
}

static void set_properties(struct model_state *state, const struct model_call *call) {
    if (!call->keeps_properties) model_bytes_set(&state->properties, call->properties);
    if (call->sets_length) model_pages_resize(state, call->length);
    if (call->sets_sequence) state->sequence = call->sequence;
    rewrite(state, call);
}

static struct model_blob *put_block(struct container_model *model, const struct model_call *call) {
    struct model_blob *blob = container_model_find(model, call->name);
    if (!blob) blob = container_model_insert(model, call->name, MODEL_UNCOMMITTED);
    model_stage(&blob->staged, call->block_id, call->content);
    blob->touched_ms = call->now_ms;
    return blob;
}

static struct model_blob *put_block_list(struct container_model *model, const struct model_call *call) {
    const struct model_blob *before = container_model_find(model, call->name);
    struct model_blocks blocks = {NULL, 0};
    for (size_t i = 0; i < call->block_count; i++)
        model_blocks_insert(&blocks, i, call->blocks[i].id,
                            model_view(chosen(before, &call->blocks[i])->bytes));
    struct model_blob *blob = container_model_begin(model, call, MODEL_BLOCK);
    model_append_blocks(&blob->state, &blocks);
    blob->state.blocks = blocks;
    return blob;
}

static void take_snapshot(struct model_blob *blob, const struct model_call *call) {
    size_t bytes = (blob->snapshot_count + 1) * sizeof(*blob->snapshots);
    blob->snapshots = model_resized(blob->snapshots, bytes);
    struct model_snapshot *taken = &blob->snapshots[blob->snapshot_count++];
    taken->id = call->etag;
    model_state_copy(&blob->state, &taken->state);
    if (!call->keeps_metadata) model_bytes_set(&taken->state.metadata, call->metadata);
}

static struct model_blob *copy(struct container_model *model, const struct model_call *call) {
    struct model_state whole;
    model_state_copy(container_model_source(call), &whole);
    struct model_blob *blob = container_model_begin(model, call, whole.kind);
    struct model_state *state = &blob->state;
    if (!call->keeps_metadata) model_bytes_set(&whole.metadata, call->metadata);
    whole.created_ms = state->created_ms;
    if (whole.kind == MODEL_PAGE) whole.born = call->etag;
    rewrite(&whole, call);
    model_state_end(state);
    *state = whole;
    return blob;
}

static void append(struct model_state *state, const struct model_call *call) {
    model_append(state, call->content);
    state->appended++;
    rewrite(state, call);
}

static struct model_blob *put(struct container_model *model, const struct model_call *call) {
    struct model_blob *blob = container_model_begin(model, call, MODEL_BLOCK);
    model_append(&blob->state, call->content);
    return blob;
}

/* A blob that is there. */
static struct model_blob *play_on(struct container_model *model, struct model_blob *blob,
                                  const struct model_call *call) {
    struct model_state *state = &blob->state;
    switch (call->verb) {
    case MODEL_SET_PROPERTIES: set_properties(state, call); break;
    case MODEL_SET_METADATA:
        model_bytes_set(&state->metadata, call->metadata);
        rewrite(state, call);
        break;
    case MODEL_PUT_PAGE:
        model_pages_write(state, call->offset, call->content);
        stamp(state, call);
        break;
    case MODEL_CLEAR_PAGE:
        model_pages_clear(state, call->offset, call->length);
        stamp(state, call);
        break;
    case MODEL_APPEND_TO: append(state, call); break;
    case MODEL_SEAL:
        state->sealed = true;
        rewrite(state, call);
        break;
    case MODEL_TAKE_SNAPSHOT: take_snapshot(blob, call); break;
    case MODEL_DELETE_SNAPSHOTS: model_snapshots_drop(blob, call->snapshot); break;
    case MODEL_DELETE:
    case MODEL_DELETE_WITH_SNAPSHOTS: container_model_drop(model, blob); return NULL;
    default: break;
    }
    return blob;
}

struct model_blob *container_model_play(struct container_model *model, const struct model_call *call) {
    switch (call->verb) {
    case MODEL_CREATE_CONTAINER: create_container(model, call); /* fall through */
    case MODEL_SET_CONTAINER_METADATA:
        model_bytes_set(&model->metadata, call->metadata);
        model->etag = call->etag;
        model->modified_ms = call->now_ms;
        return NULL;
    case MODEL_PUT: return put(model, call);
    case MODEL_CREATE_PAGE: return create_page(model, call);
    case MODEL_CREATE_APPEND: return container_model_begin(model, call, MODEL_APPEND);
    case MODEL_PUT_BLOCK: return put_block(model, call);
    case MODEL_PUT_BLOCK_LIST: return put_block_list(model, call);
    case MODEL_COPY: return copy(model, call);
    default: return play_on(model, container_model_find(model, call->name), call);
    }
}
