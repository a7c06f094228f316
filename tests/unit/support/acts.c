#include "acts.h"

#include "allocations.h"
#include "blob/block_plan.h"
#include "core/memory.h"
#include "require.h"

void acts_start(struct container_trial *trial) {
    container_trial_start(trial, &(struct choice){0});
}

void acts_end(struct container_trial *trial) {
    container_trial_compare(trial);
    container_trial_end(trial);
    struct container_census census = container_census();
    require(memcmp(&census, &trial->before, sizeof(census)) == 0, "something is left in the census");
}

struct container_change act_change(enum container_change_kind kind, const char *name) {
    static version etag;
    etag++;
    return (struct container_change){.kind = kind,
                                     .name = bytes_text(name),
                                     .stamp = {etag, (int64_t)etag * 10},
                                     .created_ms = (int64_t)etag * 10};
}

struct bytes act_bytes(size_t place, size_t length) {
    static char room[1 << 19];
    if (!room[1])
        for (size_t i = 0; i < sizeof(room); i++) room[i] = (char)(i * 7 + i / 251);
    require(place + length <= sizeof(room), "so many bytes are not there");
    return bytes_of(room + place, length);
}

struct blob *act_blob(const struct container_trial *trial, const char *name) {
    return container_find(trial->container, bytes_text(name));
}

static bool apply_with_content(struct container_trial *trial, struct container_change *change,
                               struct bytes content) {
    change_set_content(change, content);
    return container_trial_apply(trial, change);
}

bool act_put(struct container_trial *trial, const char *name, struct bytes content) {
    struct container_change change = act_change(BLOB_PUT, name);
    return apply_with_content(trial, &change, content);
}

bool act_delete(struct container_trial *trial, const char *name) {
    struct container_change change = act_change(BLOB_DELETE, name);
    return container_trial_apply(trial, &change);
}

bool act_lease(struct container_trial *trial, const char *name, enum lease_kind kind) {
    struct container_change change = act_change(BLOB_LEASE, name);
    change.lease = (struct lease){kind, {1, 2}, 9, 15000, 1000, 16000, {"an owner", 8}};
    return container_trial_apply(trial, &change);
}

bool act_stage(struct container_trial *trial, const char *name, const char *id, struct bytes content) {
    struct container_change change = act_change(BLOB_STAGE, name);
    change.block_id = bytes_text(id);
    change.touched_ms = change.stamp.modified_ms;
    return apply_with_content(trial, &change, content);
}

static enum block_choice choice_of(char letter) {
    return letter == 'C' ? BLOCK_COMMITTED : letter == 'U' ? BLOCK_UNCOMMITTED : BLOCK_LATEST;
}

bool act_commit(struct container_trial *trial, const char *name, const char *blocks) {
    struct container_change change = act_change(BLOB_COMMIT, name);
    struct record_writer list;
    record_start(&list);
    for (; *blocks; change.list.count++) {
        size_t length = strcspn(blocks, " ");
        block_choice_put(&list, choice_of(*blocks), bytes_of(blocks + 1, length - 1));
        blocks += length + (blocks[length] == ' ');
    }
    change.list.items = record_written(&list);
    bool fits = container_trial_apply(trial, &change);
    record_end(&list);
    return fits;
}

bool act_create_page(struct container_trial *trial, const char *name, uint64_t length) {
    struct container_change change = act_change(BLOB_CREATEPAGE, name);
    change.length = length;
    return container_trial_apply(trial, &change);
}

bool act_put_pages(struct container_trial *trial, const char *name, uint64_t from, size_t count) {
    struct container_change change = act_change(BLOB_PUTPAGE, name);
    change.offset = from * PAGE_BYTES;
    change.content = act_bytes((size_t)change.stamp.etag % 997, count * PAGE_BYTES);
    return container_trial_apply(trial, &change);
}

bool act_clear_pages(struct container_trial *trial, const char *name, uint64_t from, uint64_t count) {
    struct container_change change = act_change(BLOB_CLEARPAGE, name);
    change.offset = from * PAGE_BYTES;
    change.length = count * PAGE_BYTES;
    return container_trial_apply(trial, &change);
}

bool act_create_append(struct container_trial *trial, const char *name) {
    struct container_change change = act_change(BLOB_CREATEAPPEND, name);
    return container_trial_apply(trial, &change);
}

bool act_append(struct container_trial *trial, const char *name, struct bytes content) {
    struct container_change change = act_change(BLOB_APPEND, name);
    const struct blob *blob = act_blob(trial, name);
    change.offset = blob ? blob_length(blob) : 0;
    change.content = content;
    return container_trial_apply(trial, &change);
}

bool act_snapshot(struct container_trial *trial, const char *name, version id) {
    struct container_change change = act_change(BLOB_SNAPSHOT, name);
    const struct blob *blob = act_blob(trial, name);
    if (blob) change.stamp = blob->stamp;
    change.snapshot = id;
    return container_trial_apply(trial, &change);
}

bool act_drop_snapshots(struct container_trial *trial, const char *name, version id) {
    struct container_change change = act_change(BLOB_DELETESNAPSHOTS, name);
    change.snapshot = id;
    return container_trial_apply(trial, &change);
}

static struct copy copy_of(const struct container_change *change, enum copy_status status) {
    bool done = status != COPY_PENDING;
    return (struct copy){.status = status,
                         .id = change->stamp.etag,
                         .source = bytes_text("somewhere/a blob"),
                         .done = done ? 100 : 5,
                         .total = 100,
                         .completed_ms = done ? change->stamp.modified_ms : 0};
}

static bool copy(struct container_trial *trial, const char *name, const char *source, version snapshot,
                 bool from_elsewhere) {
    struct container_change change = act_change(BLOB_COPY, name);
    change.source = bytes_text(source);
    change.source_snapshot = snapshot;
    change.from_elsewhere = from_elsewhere;
    change.copy = copy_of(&change, COPY_SUCCESS);
    return container_trial_apply(trial, &change);
}

bool act_copy(struct container_trial *trial, const char *name, const char *source, version snapshot) {
    return copy(trial, name, source, snapshot, false);
}

bool act_copy_from(struct container_trial *trial, const char *name, const char *source, version snapshot) {
    return copy(trial, name, source, snapshot, true);
}

bool act_copy_state(struct container_trial *trial, const char *name, enum copy_status status) {
    struct container_change change = act_change(BLOB_COPYSTATE, name);
    change.copy = copy_of(&change, status);
    return container_trial_apply(trial, &change);
}

/* --- Without a trial --- */

struct container *act_container_of_blocks(void) {
    struct container *container =
        container_new(&(struct container_change){.kind = CONTAINER_CREATE, .stamp = {1, 1}});
    const struct container_change chunk = {.kind = CONTAINER_CHUNK, .length = 1, .content = bytes_text("x")};
    const struct container_change blob = act_change(BLOB_STATE, "blob");
    require(container_apply(container, &chunk) && container_apply(container, &blob), "a blob");
    return container;
}

bool act_add_blocks(struct container *container, uint64_t count) {
    static const char block[3] = {1, 'x', 1};
    static char items[ACT_BLOCKS_MAX * sizeof(block)];
    struct container_change change = act_change(BLOB_BLOCKS, "blob");
    for (size_t i = 0; i < count * sizeof(block); i += sizeof(block)) memcpy(items + i, block, sizeof(block));
    change.list = (struct packed_list){count, bytes_of(items, (size_t)count * sizeof(block))};
    return container_apply(container, &change);
}
