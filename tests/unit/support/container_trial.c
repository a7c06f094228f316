#include "container_trial.h"

#include "allocations.h"
#include "core/memory.h"
#include "require.h"

void container_trial_start(struct container_trial *trial, const struct choice *choice) {
    struct draft draft;
    struct choice create = *choice;
    create.kind = CHANGE_CREATE;
    draft_make(&draft, &create);
    trial->before = container_census();
    trial->container = container_new(&draft.change);
    model_start(&trial->model, &draft.change);
    draft_end(&draft);
}

void container_trial_apply(struct container_trial *trial, const struct change *change) {
    struct blob *blob = change_has_name(change->kind) ? container_find(trial->container, change->name) : NULL;
    bool fits = model_apply(&trial->model, change);
    bool applied = container_apply(trial->container, blob, change);
    require_same(applied, fits, "a change of kind %d", (int)change->kind);
}

void container_trial_step(struct container_trial *trial, const struct choice *choice) {
    struct draft draft;
    struct record_writer record;
    struct change change;
    draft_make(&draft, choice);
    record_start(&record);
    change_write(&draft.change, &record);
    require(change_read(bytes_of(record.data, record.length), &change), "a record of kind %d cannot be read",
            (int)draft.change.kind);
    change.content = draft.change.content;
    change.chunk = draft_chunk(&draft, choice);
    container_trial_apply(trial, &change);
    record_end(&record);
    draft_end(&draft);
}

void container_trial_compare(const struct container_trial *trial) {
    model_compare(&trial->model, trial->container);
    require_same(container_held(trial->container), allocations_bytes(), "%zu blobs", trial->model.count);
    struct container_census census = container_census();
    require_same(census.containers - trial->before.containers, 1, "in the census");
    require_same(census.blobs - trial->before.blobs, trial->model.count, "in the census");
    require_same(census.content_bytes - trial->before.content_bytes, trial->model.content_bytes,
                 "in the census");
    require_same(census.leases - trial->before.leases, model_standing(&trial->model), "in the census");
}

void container_trial_take_over(struct container_trial *trial, struct container *successor) {
    container_free(trial->container);
    trial->container = successor;
    container_trial_compare(trial);
}

void container_trial_copy(struct container_trial *trial) {
    struct container *copy = container_copy(trial->container);
    model_forget_leases(&trial->model);
    container_trial_take_over(trial, copy);
}

/* Through a record, and with the content where a reader of files would put it. */
static void rebuild_change(struct container **container, const struct change *written) {
    struct record_writer record;
    struct change change;
    record_start(&record);
    change_write(written, &record);
    require(change_read(bytes_of(record.data, record.length), &change), "a record cannot be read");
    change.content = written->content;
    if (change.content.length > BLOB_INLINE_MAX || change.kind == CHANGE_EXTEND) {
        void *owner = owner_new(change.content);
        change.chunk = chunk_adopt(owner, owner_bytes(owner), memory_size(owner));
        change.content = chunk_bytes(change.chunk);
    }
    if (change.kind == CHANGE_CREATE)
        *container = container_new(&change);
    else
        require(container_apply(*container, container_find(*container, change.name), &change),
                "a change of kind %d does not fit", (int)change.kind);
    record_end(&record);
}

static void rebuild_lease(struct container **container, enum change_kind kind, struct bytes name,
                          const struct lease *lease) {
    const struct change change = {.kind = kind, .name = name, .lease = *lease};
    if (lease->token) rebuild_change(container, &change);
}

static void rebuild_blob(struct container **container, const struct blob *blob, uint64_t piece) {
    struct change change = blob_as_change(blob, piece);
    uint64_t done = change.content.length;
    rebuild_change(container, &change);
    change.kind = CHANGE_EXTEND;
    for (; done < blob->content.length; done += change.content.length) {
        change.content = blob_view(blob, done, piece);
        rebuild_change(container, &change);
    }
    rebuild_lease(container, CHANGE_BLOBLEASE, blob_name(blob), blob_lease(blob));
}

struct container *container_rebuild(const struct container *container, uint64_t piece) {
    struct container *rebuilt = NULL;
    struct change change = container_as_change(container);
    rebuild_change(&rebuilt, &change);
    rebuild_lease(&rebuilt, CHANGE_LEASE, bytes_of("", 0), container_lease(container));
    struct order_cursor cursor = catalog_seek(&container->blobs, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor))
        rebuild_blob(&rebuilt, blob_of_entry(entry), piece);
    return rebuilt;
}

void container_trial_end(struct container_trial *trial) {
    container_free(trial->container);
    model_end(&trial->model);
}
