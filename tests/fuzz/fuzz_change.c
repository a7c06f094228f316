/* Records from outside: what cannot be read is refused, and what can be read is a sound change, which a
 * container with something in it takes as its naive model does. */
#include "allocations.h"
#include "container_trial.h"
#include "require.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A record that we write from what was read says the same again. */
static void require_repeatable(const struct change *change) {
    struct record_writer writer;
    struct change again;
    bool leased = change->kind == CHANGE_LEASE || change->kind == CHANGE_BLOBLEASE;
    require(change->stamp.etag <= VERSION_MOST, "an ETag that nobody mints");
    require(!leased || lease_sound(&change->lease), "an unsound lease");
    record_start(&writer);
    change_write(change, &writer);
    require(change_read(bytes_of(writer.data, writer.length), &again), "what was read cannot be written");
    require(change_same(change, &again), "what was read is written as something else");
    record_end(&writer);
}

/* With a small blob, one with everything, and a large one; their names are
 * short, so that a fuzzer finds them. The second and the container itself are leased. */
static void start(struct container_trial *trial) {
    static const struct choice choices[] = {
        {.name = 0, .size = 2},
        {.name = 1, .size = 1, .properties = 63, .metadata = 2, .stamp = 1},
        {.name = 5, .size = 7, .beside = 2, .metadata = 1, .stamp = 2},
    };
    container_trial_start(trial, &(struct choice){.metadata = 1});
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        struct choice choice = choices[i];
        choice.kind = CHANGE_PUT;
        container_trial_step(trial, &choice);
    }
    container_trial_step(trial, &(struct choice){.kind = CHANGE_LEASE, .properties = LEASE_HELD});
    container_trial_step(trial,
                         &(struct choice){.kind = CHANGE_BLOBLEASE, .name = 1, .properties = LEASE_HELD});
}

/* The size of a content that comes with the record follows from the record, so that all paths are walked. */
static void attach_content(struct change *change, size_t size) {
    static const char content[4 * BLOB_INLINE_MAX];
    if (!change_has_content(change->kind)) return;
    change->content = bytes_of(content, size * 61 % sizeof(content));
    if (change->content.length > BLOB_INLINE_MAX) change->chunk = chunk_copy(change->content);
}

static void apply(const struct change *change, size_t size) {
    struct container_trial trial;
    struct change whole = *change;
    start(&trial);
    attach_content(&whole, size);
    container_trial_apply(&trial, &whole);
    container_trial_compare(&trial);
    container_trial_copy(&trial);
    container_trial_end(&trial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct change change;
    allocations_forget();
    if (!change_read(bytes_of(data, size), &change)) return 0;
    require_repeatable(&change);
    if (change.kind == CHANGE_CREATE)
        container_free(container_new(&change));
    else
        apply(&change, size);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
