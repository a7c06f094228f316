/* Records from outside: what cannot be read is refused, and what can be read is a sound change, which a
 * container with something of every kind in it takes as its naive model does. */
#include "acts.h"
#include "allocations.h"
#include "ccan/array_size/array_size.h"
#include "require.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A record that we write from what was read says the same again. */
static void require_repeatable(const struct container_change *change) {
    struct record_writer writer ENDS_BY(record_end);
    struct container_change again;
    bool leased = change->kind == CONTAINER_LEASE || change->kind == BLOB_LEASE;
    require(change->stamp.etag <= VERSION_MAX, "an ETag that nobody mints");
    require(!leased || lease_sound(&change->lease), "an unsound lease");
    record_start(&writer);
    change_write(&container_changes, change, &writer);
    require(change_read(&container_changes, record_written(&writer), &again),
            "what was read cannot be written");
    require(change_same(change, &again), "what was read is written as something else");
}

/* With a small blob, one with everything, and a large one; their names are
 * short, so that a fuzzer finds them. The second and the container itself are leased. */
static void start(struct container_trial *trial) {
    static const struct choice choices[] = {
        {.name = 0, .size = 2},
        {.name = 1, .size = 1, .properties = 63, .metadata = 2, .stamp = 8},
        {.name = 5, .size = 7, .beside = 2, .metadata = 1, .stamp = 16},
    };
    container_trial_start(trial, &(struct choice){.metadata = 1});
    for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
        struct choice choice = choices[i];
        choice.kind = BLOB_PUT;
        container_trial_step(trial, &choice);
    }
    container_trial_step(trial, &(struct choice){.kind = CONTAINER_LEASE, .properties = LEASE_HELD});
    container_trial_step(trial, &(struct choice){.kind = BLOB_LEASE, .name = 1, .properties = LEASE_HELD});
}

/* Blocks, committed and staged, pages and one that grows, with a snapshot of each; a name that has only a staged block;
 * a copy that goes on; and two chunks of a file, and part of a third one. */
static void add_kinds(struct container_trial *trial) {
    static const size_t lengths[] = {PAGE_BYTES, 10, 1};
    bool fit = act_stage(trial, "b", "1", act_bytes(0, 20)) &&
               act_stage(trial, "b", "2", act_bytes(1, 5000)) && act_commit(trial, "b", "L1 L2 L1") &&
               act_stage(trial, "b", "3", act_bytes(2, 30)) && act_snapshot(trial, "b", 1) &&
               act_create_page(trial, "p", UINT64_C(3) * LEAF_BYTES) && act_put_pages(trial, "p", 60, 10) &&
               act_snapshot(trial, "p", 1) && act_put_pages(trial, "p", 0, 2) &&
               act_create_append(trial, "g") && act_append(trial, "g", act_bytes(3, 100)) &&
               act_snapshot(trial, "g", 1) && act_stage(trial, "u", "1", act_bytes(4, 10)) &&
               act_put(trial, "c", bytes_text("c")) && act_copy_state(trial, "c", COPY_PENDING);
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        struct container_change change = act_change(CONTAINER_CHUNK, "");
        change.length = i < 2 ? lengths[i] : 100;
        change.content = act_bytes(i, lengths[i]);
        fit = container_trial_apply(trial, &change) && fit;
    }
    require(fit, "the container cannot be built");
}

/* The size of a content that comes with the record follows from the record, so that all paths are walked. */
static void attach_content(struct container_change *change, size_t size) {
    if (!change_is(&container_changes, change, CHANGE_HAS_CONTENT)) return;
    size_t length = size * 61 % (4UL * BLOB_INLINE_MAX);
    if (change->kind == BLOB_PUTPAGE && size % 4) length -= length % PAGE_BYTES;
    change->content = act_bytes(size % 64, length);
    if (length > BLOB_INLINE_MAX && change->kind != BLOB_PUTPAGE) change->chunk = chunk_copy(change->content);
}

static void apply(const struct container_change *change, size_t size) {
    struct container_trial trial ENDS_BY(container_trial_end);
    struct container_change whole = *change;
    start(&trial);
    add_kinds(&trial);
    attach_content(&whole, size);
    container_trial_apply(&trial, &whole);
    container_trial_compare(&trial);
    container_trial_take_over(&trial, container_rebuild(trial.container, 1 + size % 1000));
    container_trial_copy(&trial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct container_change change;
    allocations_forget();
    if (!change_read(&container_changes, bytes_of(data, size), &change)) return 0;
    require_repeatable(&change);
    if (change.kind == CONTAINER_CREATE)
        container_free(container_new(&change));
    else
        apply(&change, size);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
