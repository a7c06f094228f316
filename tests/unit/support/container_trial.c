#include "container_trial.h"

#include "allocations.h"
#include "core/memory.h"
#include "require.h"

void container_trial_start(struct container_trial *trial, const struct choice *choice) {
    struct draft draft ENDS_BY(draft_end);
    struct choice create = *choice;
    create.kind = CONTAINER_CREATE;
    draft_make(&draft, &create);
    trial->before = container_census();
    trial->neighbour = NULL;
    trial->container = container_new(&draft.change);
    container_shadow_start(&trial->model, &draft.change);
}

static void learn(void *context, const void *walked) {
    const struct container_change *change = walked;
    if (change->kind == CONTAINER_CREATE)
        container_shadow_start(context, change);
    else
        require(container_shadow_apply(context, change, NULL), "the model does not take a change of kind %d",
                (int)change->kind);
}

void container_trial_adopt(struct container_trial *trial, struct container *container,
                           const struct container_census *before) {
    *trial = (struct container_trial){.container = container, .before = *before};
    container_end_load(container);
    container_walk(
        container,
        &(struct change_walk){.piece = SIZE_MAX, .holders = true, .take = learn, .context = &trial->model});
}

bool container_trial_apply(struct container_trial *trial, const struct container_change *change) {
    struct container_change whole = *change;
    const struct container_trial *neighbour = change->from_elsewhere ? trial->neighbour : NULL;
    whole.source_container = neighbour ? neighbour->container : NULL;
    whole.sought = change->stamp.etag % 2; /* as it is decided, or as it is read */
    if (whole.sought && container_change_has_name(change))
        whole.blob = container_find(trial->container, change->name);
    bool fits = container_shadow_apply(&trial->model, &whole, neighbour ? &neighbour->model : NULL);
    bool applied = container_apply(trial->container, &whole);
    require_same(applied, fits, "a change of kind %d", (int)change->kind);
    return fits;
}

/* --- Changes that fit --- */

/* The kind of blob that a change is for; KIND_UNCOMMITTED where it is for any that exists. */
static enum blob_kind kind_wanted(const struct container_change *change) {
    switch (change->kind) {
    case BLOB_PUT:
    case BLOB_STAGE:
    case BLOB_STAGED:
    case BLOB_COMMIT: return KIND_BLOCK;
    case BLOB_LEAVES:
    case BLOB_CREATEPAGE:
    case BLOB_PUTPAGE:
    case BLOB_CLEARPAGE: return KIND_PAGE;
    case BLOB_CREATEAPPEND:
    case BLOB_APPEND: return KIND_APPEND;
    case BLOB_STATE: return change->blob_kind;
    default: return KIND_UNCOMMITTED;
    }
}

/* Whether the content stands in chunks as the change wants them. */
static bool takes_chunks(const struct model_state *state, enum container_change_kind kind) {
    if (state->kind != MODEL_BLOCK || (state->length && !state->pieces)) return false;
    return kind == BLOB_SPANS ? !state->blocks.count : state->blocks.count == state->pieces;
}

static bool wants_block(const struct model_state *state) {
    return state->kind == MODEL_BLOCK && state->blocks.count == state->pieces;
}

static bool is_wanted(const struct model_blob *blob, const struct container_change *change) {
    enum blob_kind wanted = kind_wanted(change);
    switch (change->kind) {
    case BLOB_PUT:
    case BLOB_CREATEPAGE:
    case BLOB_CREATEAPPEND:
    case BLOB_STATE: return container_model_may_become(blob, (enum model_kind)wanted);
    case BLOB_STAGE:
    case BLOB_STAGED:
    case BLOB_COMMIT: return blob && container_model_may_become(blob, (enum model_kind)wanted);
    case BLOB_SPANS:
    case BLOB_BLOCKS: return model_exists(blob) && takes_chunks(&blob->state, change->kind);
    case BLOB_UNSTAGE: return blob && blob->staged.count;
    case BLOB_DELETESNAPSHOTS: return blob && blob->snapshot_count;
    case BLOB_ABORTCOPY:
    case BLOB_COPYEND: return shadow_copy_pends(blob);
    case BLOB_COPYSTART: return blob && !shadow_copy_pends(blob);
    case BLOB_COPYBEGIN: return shadow_copy_pends(blob) && !shadow_copy_arrives(blob);
    case BLOB_COPYPIECE: return shadow_copy_arrives(blob);
    case BLOB_COPYBLOCK: return shadow_copy_arrives(blob) && wants_block(&blob->state);
    default:
        return model_exists(blob) &&
               (wanted == KIND_UNCOMMITTED || (enum blob_kind)blob->state.kind == wanted);
    }
}

/* The first of the names from the drawn one on that has a blob for which such a change is. */
static const struct model_blob *fit_name(const struct container_shadow *model,
                                         struct container_change *change, unsigned from) {
    const struct model_blob *found = container_shadow_find(model, change->name);
    for (unsigned i = 0; i < DRAFT_NAMES; i++) {
        const struct model_blob *blob = container_shadow_find(model, draft_name(from + i));
        if (!is_wanted(blob, change)) continue;
        change->name = draft_name(from + i);
        return blob;
    }
    return found;
}

/* One of the ids that a blob's snapshots have, sometimes none. */
static version some_snapshot(const struct model_blob *blob, unsigned chance) {
    if (!blob || !blob->snapshot_count || chance % 4 == 0) return 0;
    return blob->snapshots[chance / 4 % blob->snapshot_count].id;
}

static void fit_copy(const struct container_trial *trial, struct container_change *change,
                     const struct choice *choice) {
    change->from_elsewhere = change->from_elsewhere && trial->neighbour;
    const struct container_shadow *model = change->from_elsewhere ? &trial->neighbour->model : &trial->model;
    const struct model_blob *target = container_shadow_find(&trial->model, change->name);
    for (unsigned i = 0; i < DRAFT_NAMES; i++) {
        const struct model_blob *source = container_shadow_find(model, draft_name(choice->fine + i));
        if (!model_exists(source) || !container_model_may_become(target, source->state.kind)) continue;
        change->source = draft_name(choice->fine + i);
        change->source_snapshot = some_snapshot(source, choice->size);
        return;
    }
}

static void fit_pages(struct container_change *change, const struct model_blob *blob) {
    uint64_t length = blob && blob->state.kind == MODEL_PAGE ? blob->state.length : 0;
    uint64_t count = change->kind == BLOB_PUTPAGE ? change->content.length : change->length;
    if (length) change->offset %= length;
    if (count > length - change->offset) count = length - change->offset;
    change->length = count;
    change->content.length = (size_t)(change->kind == BLOB_PUTPAGE ? count : 0);
}

enum { BLOCK_MAX = 1 << 20 };

/* Bytes that may come next. */
static void fit_piece(struct container_change *change, const struct model_blob *blob) {
    if (!shadow_copy_arrives(blob)) return;
    const struct model_state *state = &blob->state;
    uint64_t total = shadow_copy(state).total;
    change->offset = state->kind == MODEL_PAGE ? shadow_copy(state).done : state->length;
    uint64_t left = change->offset < total ? total - change->offset : 0, length = change->content.length;
    if (state->kind == MODEL_PAGE) length -= length % PAGE_BYTES;
    if (length > left) length = left;
    if (change->kind == BLOB_COPYBLOCK) {
        change->length = left < BLOCK_MAX ? left : length; /* space for all of it is taken at once */
        length -= length / 2;
    } else if (state->blocks.count) {
        const struct model_block *last = &state->blocks.all[state->blocks.count - 1];
        if (change->length < last->bytes.length + length) change->length = last->bytes.length + length;
    }
    change->content.length = (size_t)length;
}

/* A copy begins, comes to its end, or fails before that. */
static void fit_copying(struct container_change *change, const struct model_blob *blob,
                        const struct choice *choice) {
    bool there = model_exists(blob);
    if (change->kind == BLOB_COPYSTART) {
        change->copy.status = COPY_PENDING;
        change->copy.arriving = false;
    }
    if (!there || change->kind == BLOB_COPYSTART) return;
    if (change->kind == BLOB_COPYBEGIN) {
        if (!blob->state.untyped) change->blob_kind = (enum blob_kind)blob->state.kind;
        change->offset = choice->size * UINT64_C(512);
        if (change->blob_kind == KIND_PAGE) change->parts |= PART_LENGTH;
        if (change->blob_kind != KIND_PAGE) change->parts &= ~(unsigned)(PART_LENGTH | PART_SEQUENCE);
        change->length = change->blob_kind == KIND_PAGE ? change->offset : 0;
        if (change->blob_kind != KIND_APPEND) change->count = 0;
        if (change->blob_kind != KIND_APPEND) change->parts &= ~(unsigned)STATE_IS_SEALED;
        return;
    }
    if (!shadow_copy_pends(blob)) return;
    const struct model_state *state = &blob->state;
    bool whole = shadow_copy(state).arriving &&
                 (state->kind == MODEL_PAGE || state->length == shadow_copy(state).total);
    change->copy.id = shadow_copy(state).id;
    change->copy.status = whole ? COPY_SUCCESS : COPY_FAILED;
    change->copy.arriving = false;
    change->copy.untyped = change->copy.untyped && !whole;
}

/* Seven of eight changes are bent until they have a chance to fit. */
static void fit(const struct container_trial *trial, struct container_change *change,
                const struct choice *choice) {
    if (choice->stamp % 8 == 0 || !container_change_has_name(change)) return;
    const struct model_blob *blob = fit_name(&trial->model, change, choice->name);
    switch (change->kind) {
    case BLOB_APPEND: change->offset = blob ? blob->state.length : 0; break;
    case BLOB_PUTPAGE:
    case BLOB_CLEARPAGE: fit_pages(change, blob); break;
    case BLOB_SNAPSHOT:
        if (blob && blob->snapshot_count)
            change->snapshot = blob->snapshots[blob->snapshot_count - 1].id + 1 + choice->fine % 3;
        break;
    case BLOB_STAGED: change->count = 1 + change->count % 3; break;
    case BLOB_DELETESNAPSHOTS: change->snapshot = some_snapshot(blob, choice->fine); break;
    case BLOB_COPYSTART:
    case BLOB_COPYBEGIN:
    case BLOB_COPYEND: fit_copying(change, blob, choice); break;
    case BLOB_COPYPIECE:
    case BLOB_COPYBLOCK: fit_piece(change, blob); break;
    case BLOB_COPY:
        change->name = draft_name(choice->name);
        fit_copy(trial, change, choice);
        break;
    default: break;
    }
}

bool container_trial_step(struct container_trial *trial, const struct choice *choice) {
    struct draft draft;
    struct record_writer record;
    struct container_change change;
    draft_make(&draft, choice);
    fit(trial, &draft.change, choice);
    record_start(&record);
    change_write(&container_changes, &draft.change, &record);
    require(change_read(&container_changes, record_written(&record), &change),
            "a record of kind %d cannot be read", (int)draft.change.kind);
    change.content = draft.change.content;
    change.chunk = draft_chunk(&draft, choice);
    bool fits = container_trial_apply(trial, &change);
    record_end(&record);
    draft_end(&draft);
    return fits;
}

/* --- Comparing --- */

static void compare_census(const struct container_trial *trial) {
    struct container_census census = container_census(), own = container_shadow_census(&trial->model);
    const struct container_census *before = &trial->before;
    require_same(census.containers - before->containers, own.containers, "in the census");
    require_same(census.blobs - before->blobs, own.blobs, "in the census");
    require_same(census.snapshots - before->snapshots, own.snapshots, "in the census");
    require_same(census.content_bytes - before->content_bytes, own.content_bytes, "in the census");
    require_same(census.leases - before->leases, own.leases, "in the census");
}

void container_trial_compare(const struct container_trial *trial) {
    container_shadow_compare(&trial->model, trial->container);
    if (trial->neighbour) return;
    require_same(container_memory(trial->container), allocations_bytes(), "%zu blobs",
                 trial->model.now.count);
    compare_census(trial);
}

void container_trial_take_over(struct container_trial *trial, struct container *successor) {
    container_free(trial->container);
    trial->container = successor;
    shadow_chunks_drop(&trial->model);
    container_trial_compare(trial);
}

void container_trial_copy(struct container_trial *trial) {
    struct container *copy = container_copy(trial->container);
    container_shadow_forget_leases(&trial->model);
    container_trial_take_over(trial, copy);
}

/* --- Building anew --- */

bool container_load(struct container_loader *loader, struct container_change *change, struct bytes content) {
    if (!load_sequence_keeps(&loader->order, change)) return false;
    change_set_content(change, content);
    if (change->kind == CONTAINER_CREATE) {
        loader->container = container_new(change);
        return true;
    }
    return container_apply(loader->container, change);
}

/* Through a record, and with the content where a reader of files would put it. */
struct rebuilding {
    struct container_loader loader;
    size_t piece;
    unsigned save_every; /* records; 0 for never */
    unsigned records;
};

static void rebuild(struct rebuilding *rebuilding, const struct container *container, bool open);

/* What there is so far takes its own place, by way of a file. */
static void save_and_load(struct rebuilding *rebuilding) {
    struct container *saved = rebuilding->loader.container;
    struct rebuilding again = {.piece = rebuilding->piece};
    rebuild(&again, saved, true);
    container_free(saved);
    rebuilding->loader.container = again.loader.container;
}

static void rebuild_change(void *context, const void *taken) {
    const struct container_change *written = taken;
    struct rebuilding *rebuilding = context;
    struct record_writer record ENDS_BY(record_end);
    struct container_change change;
    record_start(&record);
    change_write(&container_changes, written, &record);
    require(change_read(&container_changes, record_written(&record), &change), "a record cannot be read");
    require(container_load(&rebuilding->loader, &change, written->content),
            "a change of kind %d does not fit", (int)change.kind);
    if (rebuilding->save_every && ++rebuilding->records % rebuilding->save_every == 0)
        save_and_load(rebuilding);
}

static void rebuild(struct rebuilding *rebuilding, const struct container *container, bool open) {
    const struct change_walk walk = {.piece = rebuilding->piece,
                                     .holders = true,
                                     .open = open,
                                     .take = rebuild_change,
                                     .context = rebuilding};
    container_walk(container, &walk);
}

struct container *container_rebuild_saving(const struct container *container, size_t piece,
                                           unsigned save_every) {
    struct rebuilding rebuilding = {.piece = piece, .save_every = save_every};
    rebuild(&rebuilding, container, false);
    require(!rebuilding.loader.container->load_chunks, "a file leaves chunks behind");
    return rebuilding.loader.container;
}

struct container *container_rebuild(const struct container *container, size_t piece) {
    return container_rebuild_saving(container, piece, 0);
}

static void add_to_digest(void *context, const void *taken) {
    const struct container_change *change = taken;
    change_write(&container_changes, change, context);
    if (change_is(&container_changes, change, CHANGE_HAS_CONTENT)) record_put_raw(context, change->content);
}

void container_digest_bytes(const struct container *container, struct record_writer *bytes) {
    record_start(bytes);
    const struct change_walk walk = {
        .piece = 1 << 16, .holders = true, .plain = true, .take = add_to_digest, .context = bytes};
    container_walk(container, &walk);
}

/* One blob after the other, until the account has to be that of an empty container. */
static void empty(struct container_trial *trial) {
    while (trial->model.now.count) {
        const struct container_change change = {
            .kind = BLOB_DELETE, .minted = VERSION_MAX, .name = model_bytes(trial->model.now.blobs[0].name)};
        require(container_apply(trial->container, &change), "a blob cannot be deleted");
        (void)container_shadow_apply(&trial->model, &change, NULL);
    }
    container_shadow_compare(&trial->model, trial->container);
}

void container_trial_end(struct container_trial *trial) {
    if (trial->model.now.count % 2) empty(trial);
    container_free(trial->container);
    container_shadow_end(&trial->model);
}
