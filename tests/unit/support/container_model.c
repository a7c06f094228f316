#include "container_model.h"

#include "core/feed_files.h"
#include "core/name.h"

#include <stdlib.h>

/* --- Which blobs there are --- */

void model_start(struct model *model, const struct container_change *create) {
    *model =
        (struct model){.stamp = create->stamp, .created_ms = create->created_ms, .access = create->access};
    model_list_set(&model->metadata, create->metadata);
    model_list_set(&model->policies, create->policies);
}

void model_end(struct model *model) {
    for (size_t i = 0; i < model->count; i++) model_blob_end(&model->blobs[i]);
    model_pool_drop(model);
    free(model->blobs);
    free(model->metadata.data);
    free(model->policies.data);
    model_lease_set(&model->lease, NULL);
}

void model_forget_leases(struct model *model) {
    model_lease_set(&model->lease, NULL);
    for (size_t i = 0; i < model->count; i++) model_lease_set(&model->blobs[i].lease, NULL);
    model_pool_drop(model);
}

struct container_census model_census(const struct model *model) {
    struct container_census census = {.containers = 1, .leases = model_lease_stands(&model->lease)};
    for (size_t i = 0; i < model->count; i++) {
        const struct model_blob *blob = &model->blobs[i];
        census.leases += model_lease_stands(&blob->lease);
        census.blobs += model_exists(blob);
        census.snapshots += blob->snapshot_count;
        census.content_bytes += blob->state.length;
    }
    return census;
}

/* The place where a blob of this name stands or would stand. */
static size_t place_of(const struct model *model, struct bytes name) {
    size_t low = 0, high = model->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (bytes_compare(model_name(&model->blobs[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct model_blob *model_find(const struct model *model, struct bytes name) {
    size_t place = place_of(model, name);
    bool there = place < model->count && bytes_equal(model_name(&model->blobs[place]), name);
    return there ? &model->blobs[place] : NULL;
}

struct model_blob *model_insert(struct model *model, struct bytes name, enum blob_kind kind) {
    size_t place = place_of(model, name);
    model->blobs = model_resized(model->blobs, (model->count + 1) * sizeof(*model->blobs));
    struct model_blob *blob = &model->blobs[place];
    memmove(blob + 1, blob, (model->count++ - place) * sizeof(*blob));
    *blob =
        (struct model_blob){.name = model_copy_of(name), .name_length = name.length, .state = {.kind = kind}};
    return blob;
}

/* What it has goes on without the model. */
static void take_out(struct model *model, struct model_blob *blob) {
    model->count--;
    memmove(blob, blob + 1, (size_t)(model->blobs + model->count - blob) * sizeof(*blob));
}

static void drop(struct model *model, struct model_blob *blob) {
    model_blob_end(blob);
    take_out(model, blob);
}

/* --- What writes have in common --- */

bool model_may_become(const struct model_blob *blob, enum blob_kind kind) {
    return !model_exists(blob) || blob->state.kind == kind || blob->state.copy.untyped;
}

void model_restamp(struct model_blob *blob, const struct container_change *change) {
    blob->state.stamp = change->stamp;
    if (change->frees_lease) model_lease_end(&blob->lease);
}

void model_redescribe(struct model_blob *blob, const struct container_change *change) {
    blob->state.created_ms = change->created_ms;
    model_list_set(&blob->state.properties, change->properties);
    model_list_set(&blob->state.metadata, change->metadata);
    model_set_copy(&blob->state, NULL);
    model_restamp(blob, change);
}

struct model_blob *model_begin(struct model *model, const struct container_change *change,
                               enum blob_kind kind) {
    struct model_blob *blob = model_find(model, change->name);
    if (!blob) blob = model_insert(model, change->name, kind);
    model_blocks_drop(&blob->staged, UINT64_MAX);
    model_empty(&blob->state);
    blob->state.kind = kind;
    model_redescribe(blob, change);
    return blob;
}

/* --- Blobs as a whole --- */

static bool put(struct model *model, const struct container_change *change) {
    if (!model_may_become(model_find(model, change->name), KIND_BLOCK)) return false;
    struct model_blob *blob = model_begin(model, change, KIND_BLOCK);
    model_append(&blob->state, change->content);
    blob->state.chunks = change->chunk != NULL;
    return true;
}

static bool set_properties(struct model_blob *blob, const struct container_change *change) {
    if (!model_exists(blob)) return false;
    if ((change->parts & PART_LENGTH || change->parts & PART_SEQUENCE) && blob->state.kind != KIND_PAGE)
        return false;
    if (change->parts & PART_PROPERTIES) model_list_set(&blob->state.properties, change->properties);
    if (change->parts & PART_LENGTH) model_pages_resize(&blob->state, change->length);
    if (change->parts & PART_SEQUENCE) blob->state.sequence = change->sequence;
    model_set_copy(&blob->state, NULL);
    model_restamp(blob, change);
    return true;
}

static bool set_metadata(struct model_blob *blob, const struct container_change *change) {
    if (!model_exists(blob)) return false;
    model_list_set(&blob->state.metadata, change->metadata);
    model_set_copy(&blob->state, NULL);
    model_restamp(blob, change);
    return true;
}

static bool create(struct model *model, const struct container_change *change, enum blob_kind kind) {
    if (!model_may_become(model_find(model, change->name), kind)) return false;
    struct model_state *state = &model_begin(model, change, kind)->state;
    if (kind != KIND_PAGE) return true;
    state->length = change->length;
    state->sequence = change->sequence;
    state->born = change->stamp.etag;
    return true;
}

/* Whether these are pages of the blob. */
static bool are_pages(const struct model_blob *blob, uint64_t offset, uint64_t length) {
    return model_exists(blob) && blob->state.kind == KIND_PAGE && length > 0 && length % PAGE_BYTES == 0 &&
           length <= blob->state.length && offset <= blob->state.length - length;
}

static bool write_pages(struct model_blob *blob, const struct container_change *change) {
    bool puts = change->kind == BLOB_PUTPAGE;
    if (!are_pages(blob, change->offset, puts ? change->content.length : change->length)) return false;
    if (puts)
        model_pages_write(&blob->state, change->offset, change->content);
    else
        model_pages_clear(&blob->state, change->offset, change->length);
    model_restamp(blob, change);
    return true;
}

static bool append(struct model_blob *blob, const struct container_change *change) {
    if (!model_exists(blob) || blob->state.kind != KIND_APPEND || !change->content.length) return false;
    if (blob->state.length != change->offset || blob->state.appended >= 50000) return false;
    if (blob->state.sealed) return false;
    model_append(&blob->state, change->content);
    blob->state.appended++;
    model_set_copy(&blob->state, NULL);
    model_restamp(blob, change);
    return true;
}

static bool seal(struct model_blob *blob, const struct container_change *change) {
    if (!model_exists(blob) || blob->state.kind != KIND_APPEND) return false;
    blob->state.sealed = true;
    model_set_copy(&blob->state, NULL);
    model_restamp(blob, change);
    return true;
}

/* --- Blocks --- */

bool model_apply_stage(struct model *model, const struct container_change *change, struct bytes bytes) {
    struct model_blob *blob = model_find(model, change->name);
    if (!bytes.length || !model_may_become(blob, KIND_BLOCK)) return false;
    if (blob && blob->staged.count && blob->staged.all[0].id_length != change->block_id.length) return false;
    if (!blob) blob = model_insert(model, change->name, KIND_UNCOMMITTED);
    model_stage(&blob->staged, change->block_id, bytes);
    blob->touched_ms = change->touched_ms;
    if (change->frees_lease) model_lease_end(&blob->lease);
    return true;
}

/* Where a commit finds one block, NULL if it does not. */
static const struct model_block *chosen(const struct model_blob *blob, enum block_choice choice,
                                        struct bytes id) {
    const struct model_block *block = NULL;
    if (!blob) return NULL;
    if (choice != BLOCK_COMMITTED) block = model_blocks_find(&blob->staged, id);
    if (!block && choice != BLOCK_UNCOMMITTED) block = model_blocks_find(&blob->state.blocks, id);
    return block;
}

/* Whether the id was asked for in another way earlier in the list. */
static bool asked_otherwise(struct packed_list list, uint64_t before, enum block_choice choice,
                            struct bytes id) {
    struct record_reader reader = record_reader(list.items);
    for (uint64_t i = 0; i < before; i++) {
        enum block_choice other = record_byte(&reader);
        if (bytes_equal(record_bytes(&reader), id) && other != choice) return true;
    }
    return false;
}

/* The blocks that a list asks for; false if it asks for what there is not. */
static bool gather(const struct model_blob *blob, struct packed_list list, struct model_blocks *gathered) {
    struct record_reader reader = record_reader(list.items);
    if (list.count > 50000) return false;
    for (uint64_t i = 0; i < list.count; i++) {
        enum block_choice choice = record_byte(&reader);
        struct bytes id = record_bytes(&reader);
        if (reader.failed || choice > BLOCK_LATEST || !id.length || id.length > 64) return false;
        const struct model_block *block = chosen(blob, choice, id);
        if (!block || asked_otherwise(list, i, choice, id)) return false;
        model_blocks_insert(gathered, gathered->count, id, model_block_bytes(block));
    }
    return record_complete(&reader);
}

static bool commit(struct model *model, const struct container_change *change) {
    struct model_blob *blob = model_find(model, change->name);
    struct model_blocks gathered = {NULL, 0};
    if (!model_may_become(blob, KIND_BLOCK) || !gather(blob, change->list, &gathered)) {
        model_blocks_drop(&gathered, UINT64_MAX);
        return false;
    }
    struct model_state *state = &model_begin(model, change, KIND_BLOCK)->state;
    model_append_blocks(state, &gathered);
    state->blocks = gathered;
    return true;
}

static bool unstage(struct model *model, struct model_blob *blob, const struct container_change *change) {
    if (!blob || !blob->staged.count) return false;
    model_blocks_drop(&blob->staged, change->count);
    if (!blob->staged.count && !model_exists(blob)) drop(model, blob);
    return true;
}

/* --- Snapshots and copies --- */

static bool snapshot(struct model_blob *blob, const struct container_change *change) {
    if (!model_exists(blob) || !change->snapshot) return false;
    size_t count = blob->snapshot_count;
    if (count && blob->snapshots[count - 1].id >= change->snapshot) return false;
    blob->snapshots = model_resized(blob->snapshots, (count + 1) * sizeof(*blob->snapshots));
    struct model_snapshot *taken = &blob->snapshots[blob->snapshot_count++];
    taken->id = change->snapshot;
    model_state_copy(&blob->state, &taken->state);
    taken->state.stamp = change->stamp;
    if (change->parts & PART_METADATA) model_list_set(&taken->state.metadata, change->metadata);
    return true;
}

static bool delete_snapshots(struct model_blob *blob, const struct container_change *change) {
    if (!blob || !blob->snapshot_count) return false;
    if (change->snapshot && !model_snapshot_find(blob, change->snapshot)) return false;
    model_snapshots_drop(blob, change->snapshot);
    if (change->frees_lease) model_lease_end(&blob->lease);
    return true;
}

static const struct model_state *source_of(const struct model *model, const struct container_change *change) {
    const struct model_blob *blob = model ? model_find(model, change->source) : NULL;
    if (!model_exists(blob)) return NULL;
    if (!change->source_snapshot) return &blob->state;
    const struct model_snapshot *taken = model_snapshot_find(blob, change->source_snapshot);
    return taken ? &taken->state : NULL;
}

static bool copy(struct model *model, const struct container_change *change, const struct model *elsewhere) {
    const struct model_state *source = source_of(change->from_elsewhere ? elsewhere : model, change);
    if (!source || change->copy.untyped) return false;
    if (!model_may_become(model_find(model, change->name), source->kind)) return false;
    struct model_state whole;
    model_state_copy(source, &whole);
    struct container_change described = *change;
    described.properties = (struct packed_list){whole.properties.count,
                                                bytes_of(whole.properties.data, whole.properties.length)};
    if (!(change->parts & PART_METADATA))
        described.metadata =
            (struct packed_list){whole.metadata.count, bytes_of(whole.metadata.data, whole.metadata.length)};
    struct model_blob *blob = model_begin(model, &described, whole.kind);
    struct model_state before = blob->state;
    blob->state = whole;
    blob->state.stamp = before.stamp;
    blob->state.created_ms = before.created_ms;
    model_list_set(&blob->state.metadata, described.metadata);
    if (whole.kind == KIND_PAGE) blob->state.born = change->stamp.etag;
    model_set_copy(&blob->state, &change->copy);
    model_state_end(&before);
    return true;
}

/* --- Everything --- */

static bool apply_to_blob(struct model *model, const struct container_change *change,
                          const struct model *source) {
    struct model_blob *blob = model_find(model, change->name);
    switch (change->kind) {
    case BLOB_PUT: return put(model, change);
    case BLOB_SETPROPS: return set_properties(blob, change);
    case BLOB_SETMETA: return set_metadata(blob, change);
    case BLOB_CREATEPAGE: return create(model, change, KIND_PAGE);
    case BLOB_PUTPAGE:
    case BLOB_CLEARPAGE: return write_pages(blob, change);
    case BLOB_CREATEAPPEND: return create(model, change, KIND_APPEND);
    case BLOB_APPEND: return append(blob, change);
    case BLOB_SEAL: return seal(blob, change);
    case BLOB_STAGE: return model_apply_stage(model, change, change->content);
    case BLOB_COMMIT: return commit(model, change);
    case BLOB_UNSTAGE: return unstage(model, blob, change);
    case BLOB_SNAPSHOT: return snapshot(blob, change);
    case BLOB_DELETESNAPSHOTS: return delete_snapshots(blob, change);
    case BLOB_COPY: return copy(model, change, source);
    case BLOB_ABORTCOPY:
    case BLOB_COPYSTATE:
    case BLOB_COPYTOLD:
    case BLOB_COPYSTART:
    case BLOB_COPYBEGIN:
    case BLOB_COPYPIECE:
    case BLOB_COPYBLOCK:
    case BLOB_COPYEND: return model_apply_copying(model, blob, change);
    default: break;
    }
    if (change->kind != BLOB_DELETE && change->kind != BLOB_LEASE)
        return model_apply_from_file(model, change);
    if (!blob) return false;
    if (change->kind == BLOB_DELETE && model->followed && model_exists(blob) && !change->minted) return false;
    if (change->kind == BLOB_DELETE)
        drop(model, blob);
    else
        model_lease_set(&blob->lease, &change->lease);
    return true;
}

/* Markers come in the order of their versions; no two drafts of one version have names that differ. */
static bool take_marks(struct model *model, struct bytes markers) {
    struct record_reader reader = record_reader(markers);
    struct model_marks marks = model->marks;
    while (!record_complete(&reader)) {
        version v = record_word(&reader);
        bool is_name = name_check(record_bytes(&reader)) == OUTCOME_DONE;
        if (reader.failed || !is_name || !marks.loading || v <= marks.last || v > marks.newest || !marks.left)
            return false;
        marks.last = v;
        marks.left--;
    }
    model->marks = marks;
    return true;
}

static void await_marks(struct model *model, struct bytes state) {
    struct account account = {0};
    struct feed *feed = feed_read_state(&account, state);
    model->marks = (struct model_marks){true, feed->whole_from, feed->newest, feed->keep};
    feed_free(&account, feed);
}

/* Of a feed the model knows whether it is on; what must be in it can be told from the blobs. */
static bool apply_to_feed(struct model *model, const struct container_change *change) {
    bool keeps = change->kind == CONTAINER_FEEDON || change->kind == CONTAINER_FEEDKEEP;
    bool begins = change->kind == CONTAINER_FEEDON || change->kind == CONTAINER_FEEDSTATE;
    if (model->followed == begins || (keeps && change->count > FEED_KEEP_MAX)) return false;
    bool in_file = change->kind == CONTAINER_FEEDSTATE || change->kind == CONTAINER_FEEDMARKERS;
    if (in_file && model->count) return false;
    if (change->kind == CONTAINER_FEEDMARKERS) return take_marks(model, change->feed);
    if (change->kind == CONTAINER_FEEDSTATE) await_marks(model, change->feed);
    model->followed = change->kind != CONTAINER_FEEDOFF;
    return true;
}

bool model_apply(struct model *model, const struct container_change *change, const struct model *source) {
    if (!change_is(&container_changes, change, CHANGE_IN_FILES)) model_pool_drop(model);
    switch (change->kind) {
    case CONTAINER_CREATE:
    case CONTAINER_DROP: return false;
    case CONTAINER_SETMETA: model_list_set(&model->metadata, change->metadata); break;
    case CONTAINER_SETACL:
        model_list_set(&model->policies, change->policies);
        model->access = change->access;
        break;
    case CONTAINER_FEEDON:
    case CONTAINER_FEEDKEEP:
    case CONTAINER_FEEDOFF:
    case CONTAINER_FEEDBUILT:
    case CONTAINER_FEEDSTATE:
    case CONTAINER_FEEDMARKERS: return apply_to_feed(model, change);
    case CONTAINER_LEASE: model_lease_set(&model->lease, &change->lease); return true;
    default: return apply_to_blob(model, change, source);
    }
    model->stamp = change->stamp;
    return true;
}
