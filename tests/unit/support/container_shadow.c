#include "container_shadow.h"

#include "blob/block_plan.h"
#include "core/feed.h"
#include "core/name.h"

#include <stdlib.h>

_Static_assert((int)MODEL_BLOCK == (int)KIND_BLOCK && (int)MODEL_PAGE == (int)KIND_PAGE &&
                   (int)MODEL_APPEND == (int)KIND_APPEND && (int)MODEL_UNCOMMITTED == (int)KIND_UNCOMMITTED,
               "kinds have the same numbers");
_Static_assert((int)FROM_COMMITTED == (int)BLOCK_COMMITTED &&
                   (int)FROM_UNCOMMITTED == (int)BLOCK_UNCOMMITTED && (int)FROM_LATEST == (int)BLOCK_LATEST,
               "origins have the same numbers");

/* --- Leases and copies: the structure, and behind it the texts to which it points --- */

static void keep(struct model_bytes *own, const void *what, size_t size, struct bytes one,
                 struct bytes other) {
    char *data = model_resized(NULL, size + one.length + other.length);
    memcpy(data, what, size);
    if (one.length) memcpy(data + size, one.data, one.length);
    if (other.length) memcpy(data + size + one.length, other.data, other.length);
    free(own->data);
    *own = (struct model_bytes){data, size + one.length + other.length};
}

static void shadow_lease_set(struct model_bytes *own, const struct lease *lease) {
    keep(own, lease, sizeof(*lease), lease->owner, bytes_of("", 0));
}

struct lease shadow_lease(const struct model_bytes *own) {
    struct lease lease = {0};
    if (!own->length) return lease;
    memcpy(&lease, own->data, sizeof(lease));
    lease.owner.data = own->data + sizeof(lease);
    return lease;
}

bool shadow_lease_stands(const struct model_bytes *own) {
    return own->length && shadow_lease(own).kind != LEASE_FREE;
}

void shadow_lease_end(struct model_bytes *own) {
    if (!shadow_lease_stands(own)) return;
    struct lease lease = shadow_lease(own);
    shadow_lease_set(own, &(struct lease){LEASE_FREE, lease.id, lease.token, 0, 0, 0, {"", 0}});
}

void shadow_copy_set(struct model_state *state, const struct copy *copy) {
    keep(&state->copy, copy, sizeof(*copy), copy->source, copy->description);
    state->untyped = copy->untyped;
}

struct copy shadow_copy(const struct model_state *state) {
    struct copy copy = {.status = COPY_NONE};
    if (!state->copy.length) return copy;
    memcpy(&copy, state->copy.data, sizeof(copy));
    copy.source.data = state->copy.data + sizeof(copy);
    copy.description.data = copy.source.data + copy.source.length;
    return copy;
}

/* --- The container --- */

void container_shadow_start(struct container_shadow *shadow, const struct container_change *create) {
    struct model_call call = shadow_call_of(create, MODEL_CREATE_CONTAINER);
    *shadow = (struct container_shadow){.access = create->access};
    container_model_play(&shadow->now, &call);
    model_bytes_set(&shadow->policies, shadow_list(create->policies));
}

void container_shadow_end(struct container_shadow *shadow) {
    container_model_end(&shadow->now);
    shadow_chunks_drop(shadow);
    model_bytes_drop(&shadow->policies);
    model_bytes_drop(&shadow->lease);
}

void container_shadow_forget_leases(struct container_shadow *shadow) {
    model_bytes_drop(&shadow->lease);
    for (size_t i = 0; i < shadow->now.count; i++) model_bytes_drop(&shadow->now.blobs[i].lease);
    shadow_chunks_drop(shadow);
}

struct container_census container_shadow_census(const struct container_shadow *shadow) {
    struct container_census census = {.containers = 1,
                                      .leases = shadow_lease_stands(&shadow->lease),
                                      .blobs = container_model_blobs(&shadow->now),
                                      .content_bytes = container_model_bytes(&shadow->now)};
    for (size_t i = 0; i < shadow->now.count; i++) {
        census.leases += shadow_lease_stands(&shadow->now.blobs[i].lease);
        census.snapshots += shadow->now.blobs[i].snapshot_count;
    }
    return census;
}

struct model_blob *container_shadow_find(const struct container_shadow *shadow, struct bytes name) {
    return container_model_find(&shadow->now, model_view_of(name));
}

/* --- Changes as calls --- */

struct model_call shadow_call_of(const struct container_change *change, enum model_verb verb) {
    return (struct model_call){
        .verb = verb,
        .name = model_view_of(change->name),
        .content = model_view_of(change->content),
        .properties = shadow_list(change->properties),
        .metadata = shadow_list(change->metadata),
        .offset = change->offset,
        .at_offset = true,
        .length = change->length,
        .sequence = change->sequence,
        .snapshot = change->snapshot,
        .block_id = model_view_of(change->block_id),
        .etag = change->stamp.etag,
        .now_ms = change->stamp.modified_ms,
        .created_ms = change->created_ms,
    };
}

/* Whether the model takes it, as it would take the command. */
static bool play(struct container_shadow *shadow, const struct container_change *change,
                 const struct model_call *call) {
    if (container_model_refusal(&shadow->now, call)) return false;
    struct model_blob *blob = container_model_play(&shadow->now, call);
    if (blob && change->frees_lease) shadow_lease_end(&blob->lease);
    return true;
}

static bool play_as(struct container_shadow *shadow, const struct container_change *change,
                    enum model_verb verb) {
    struct model_call call = shadow_call_of(change, verb);
    return play(shadow, change, &call);
}

void shadow_restamp(struct model_blob *blob, const struct container_change *change) {
    blob->state.etag = change->stamp.etag;
    blob->state.modified_ms = change->stamp.modified_ms;
    if (change->frees_lease) shadow_lease_end(&blob->lease);
}

static bool put(struct container_shadow *shadow, const struct container_change *change) {
    if (!play_as(shadow, change, MODEL_PUT)) return false;
    container_shadow_find(shadow, change->name)->state.pieces = change->chunk != NULL;
    return true;
}

static bool set_properties(struct container_shadow *shadow, const struct container_change *change) {
    struct model_call call = shadow_call_of(change, MODEL_SET_PROPERTIES);
    call.keeps_properties = !(change->parts & PART_PROPERTIES);
    call.sets_length = change->parts & PART_LENGTH;
    call.sets_sequence = change->parts & PART_SEQUENCE;
    return play(shadow, change, &call);
}

bool container_shadow_apply_stage(struct container_shadow *shadow, const struct container_change *change,
                                  struct bytes bytes) {
    struct model_call call = shadow_call_of(change, MODEL_PUT_BLOCK);
    call.content = model_view_of(bytes);
    call.now_ms = change->touched_ms;
    return play(shadow, change, &call);
}

static bool read_choices(struct packed_list list, struct model_choice *choices) {
    struct record_reader reader = record_reader(list.items);
    for (uint64_t i = 0; i < list.count; i++) {
        choices[i].origin = (enum model_origin)record_byte(&reader);
        choices[i].id = model_view_of(record_bytes(&reader));
        if (reader.failed || choices[i].origin > FROM_LATEST) return false;
    }
    return record_complete(&reader);
}

static bool commit(struct container_shadow *shadow, const struct container_change *change) {
    struct model_call call = shadow_call_of(change, MODEL_PUT_BLOCK_LIST);
    if (change->list.count > MODEL_COMMITTED_MAX) return false;
    struct model_choice *choices = model_resized(NULL, change->list.count * sizeof(*choices));
    call.blocks = choices;
    call.block_count = change->list.count;
    bool fits = read_choices(change->list, choices) && play(shadow, change, &call);
    free(choices);
    return fits;
}

static bool unstage(struct container_shadow *shadow, struct model_blob *blob,
                    const struct container_change *change) {
    if (!blob || !blob->staged.count) return false;
    size_t count = change->count < blob->staged.count ? (size_t)change->count : blob->staged.count;
    container_model_unstage(&shadow->now, blob, count);
    return true;
}

/* Ids of snapshots grow. */
static bool snapshot(struct container_shadow *shadow, struct model_blob *blob,
                     const struct container_change *change) {
    struct model_call call = shadow_call_of(change, MODEL_TAKE_SNAPSHOT);
    size_t count = blob ? blob->snapshot_count : 0;
    if (!change->snapshot || (count && blob->snapshots[count - 1].id >= change->snapshot)) return false;
    call.etag = change->snapshot;
    call.keeps_metadata = !(change->parts & PART_METADATA);
    if (!blob || !play(shadow, &(struct container_change){0}, &call)) return false;
    struct model_state *taken = &blob->snapshots[count].state;
    taken->etag = change->stamp.etag;
    taken->modified_ms = change->stamp.modified_ms;
    return true;
}

static bool copy(struct container_shadow *shadow, const struct container_change *change,
                 const struct container_shadow *elsewhere) {
    struct model_call call = shadow_call_of(change, MODEL_COPY);
    const struct container_shadow *from = change->from_elsewhere ? elsewhere : shadow;
    call.from = from ? &from->now : NULL;
    call.source = model_view_of(change->source);
    call.snapshot = change->source_snapshot;
    call.keeps_metadata = !(change->parts & PART_METADATA);
    if (change->copy.untyped || !play(shadow, change, &call)) return false;
    shadow_copy_set(&container_shadow_find(shadow, change->name)->state, &change->copy);
    return true;
}

static bool remove_blob(struct container_shadow *shadow, const struct model_blob *blob,
                        const struct container_change *change) {
    if (shadow->followed && model_exists(blob) && !change->minted) return false;
    return play_as(shadow, change, MODEL_DELETE_WITH_SNAPSHOTS);
}

/* --- Everything --- */

static bool apply_to_blob(struct container_shadow *shadow, const struct container_change *change,
                          const struct container_shadow *source) {
    struct model_blob *blob = container_shadow_find(shadow, change->name);
    switch (change->kind) {
    case BLOB_PUT: return put(shadow, change);
    case BLOB_SETPROPS: return set_properties(shadow, change);
    case BLOB_SETMETA: return play_as(shadow, change, MODEL_SET_METADATA);
    case BLOB_CREATEPAGE: return play_as(shadow, change, MODEL_CREATE_PAGE);
    case BLOB_PUTPAGE: return play_as(shadow, change, MODEL_PUT_PAGE);
    case BLOB_CLEARPAGE: return play_as(shadow, change, MODEL_CLEAR_PAGE);
    case BLOB_CREATEAPPEND: return play_as(shadow, change, MODEL_CREATE_APPEND);
    case BLOB_APPEND: return play_as(shadow, change, MODEL_APPEND_TO);
    case BLOB_SEAL: return play_as(shadow, change, MODEL_SEAL);
    case BLOB_STAGE: return container_shadow_apply_stage(shadow, change, change->content);
    case BLOB_COMMIT: return commit(shadow, change);
    case BLOB_UNSTAGE: return unstage(shadow, blob, change);
    case BLOB_SNAPSHOT: return snapshot(shadow, blob, change);
    case BLOB_DELETESNAPSHOTS:
        return blob && blob->snapshot_count && play_as(shadow, change, MODEL_DELETE_SNAPSHOTS);
    case BLOB_DELETE: return remove_blob(shadow, blob, change);
    case BLOB_COPY: return copy(shadow, change, source);
    case BLOB_LEASE:
        if (blob) shadow_lease_set(&blob->lease, &change->lease);
        return blob;
    case BLOB_ABORTCOPY:
    case BLOB_COPYSTATE:
    case BLOB_COPYTOLD:
    case BLOB_COPYSTART:
    case BLOB_COPYBEGIN:
    case BLOB_COPYPIECE:
    case BLOB_COPYBLOCK:
    case BLOB_COPYEND: return container_shadow_apply_copying(shadow, blob, change);
    default: return container_shadow_apply_from_file(shadow, change);
    }
}

/* Markers come in the order of their versions; no two drafts of one version have names that differ. */
static bool take_marks(struct container_shadow *shadow, struct bytes markers) {
    struct record_reader reader = record_reader(markers);
    struct shadow_marks marks = shadow->marks;
    while (!record_complete(&reader)) {
        version v = record_word(&reader);
        bool is_name = name_check(record_bytes(&reader)) == OUTCOME_DONE;
        if (reader.failed || !is_name || !marks.loading || v <= marks.last || v > marks.newest || !marks.left)
            return false;
        marks.last = v;
        marks.left--;
    }
    shadow->marks = marks;
    return true;
}

static void await_marks(struct container_shadow *shadow, struct bytes state) {
    struct account account = {0};
    struct feed *feed = feed_read_state(&account, state);
    shadow->marks = (struct shadow_marks){true, feed->whole_from, feed->newest, feed->keep};
    feed_free(&account, feed);
}

/* Of a feed the model knows whether it is on; what must be in it can be told from the blobs. */
static bool apply_to_feed(struct container_shadow *shadow, const struct container_change *change) {
    bool keeps = change->kind == CONTAINER_FEEDON || change->kind == CONTAINER_FEEDKEEP;
    bool begins = change->kind == CONTAINER_FEEDON || change->kind == CONTAINER_FEEDSTATE;
    if (shadow->followed == begins || (keeps && change->count > FEED_KEEP_MAX)) return false;
    bool in_file = change->kind == CONTAINER_FEEDSTATE || change->kind == CONTAINER_FEEDMARKERS;
    if (in_file && shadow->now.count) return false;
    if (change->kind == CONTAINER_FEEDMARKERS) return take_marks(shadow, change->feed);
    if (change->kind == CONTAINER_FEEDSTATE) await_marks(shadow, change->feed);
    shadow->followed = change->kind != CONTAINER_FEEDOFF;
    return true;
}

bool container_shadow_apply(struct container_shadow *shadow, const struct container_change *change,
                            const struct container_shadow *source) {
    if (!change_is(&container_changes, change, CHANGE_IN_FILES)) shadow_chunks_drop(shadow);
    switch (change->kind) {
    case CONTAINER_CREATE:
    case CONTAINER_DROP: return false;
    case CONTAINER_SETMETA: model_bytes_set(&shadow->now.metadata, shadow_list(change->metadata)); break;
    case CONTAINER_SETACL:
        model_bytes_set(&shadow->policies, shadow_list(change->policies));
        shadow->access = change->access;
        break;
    case CONTAINER_FEEDON:
    case CONTAINER_FEEDKEEP:
    case CONTAINER_FEEDOFF:
    case CONTAINER_FEEDBUILT:
    case CONTAINER_FEEDSTATE:
    case CONTAINER_FEEDMARKERS: return apply_to_feed(shadow, change);
    case CONTAINER_LEASE: shadow_lease_set(&shadow->lease, &change->lease); return true;
    default: return apply_to_blob(shadow, change, source);
    }
    shadow->now.etag = change->stamp.etag;
    shadow->now.modified_ms = change->stamp.modified_ms;
    return true;
}
