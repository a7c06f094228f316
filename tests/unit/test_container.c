/* Containers: long random work of every kind against a naive model, contents around the size that fits
 * into a blob, and moving in memory. */
#include "blob/container_walk.h"

#include "acts.h"
#include "container_life.h"
#include "core/memory.h"
#include "mover.h"
#include "roster.h"
#include "unit.h"

/* Whether a change of this kind always fits, or never does. */
static bool is_certain(int kind) {
    switch (kind) {
    case CONTAINER_CREATE:
    case CONTAINER_DROP:
    case CONTAINER_SETMETA:
    case CONTAINER_SETACL:
    case CONTAINER_LEASE:
    case CONTAINER_FEEDSTATE: /* there are blobs */
    case CONTAINER_FEEDMARKERS:
    case CONTAINER_LOADED: return true;
    default: return false;
    }
}

TEST(a_container_equals_a_naive_model) {
    tally seen = {{0}};
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct dice dice = {seed};
        ACTS(trial);
        container_life(&trial, &dice, 2000, seen);
    }
    for (int kind = 0; kind < CONTAINER_CHANGE_KINDS; kind++)
        require(is_certain(kind) || (seen[kind][0] > 0 && seen[kind][1] > 20),
                "changes of kind %d fit %u times and did not %u times", kind, seen[kind][1], seen[kind][0]);
}

/* --- Contents around the size that fits into a blob ----------------------------------------------------- */

TEST(contents_change_their_size_anyhow) {
    static const size_t sizes[] = {0, 1, 7, 8, 100, 127, 128, 129, 500, 1023, 1024, 1025, 1026, 3000};
    static char bytes[3000];
    ACTS(trial);
    for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(i * 7);
    for (size_t from = 0; from < ARRAY_SIZE(sizes); from++)
        for (size_t to = 0; to < ARRAY_SIZE(sizes); to++) {
            act_put(&trial, "blob", bytes_of(bytes, sizes[from]));
            container_trial_compare(&trial);
            act_put(&trial, "blob", bytes_of(bytes + (to & 1), sizes[to] - (sizes[to] && to & 1)));
            container_trial_compare(&trial);
        }
}

/* The address of a blob's content says whether it is in the blob. */
static bool stands_in_blob(const struct blob *blob) {
    return !blob_content(blob)->chunk && !blob_content(blob)->rope;
}

TEST(only_small_contents_stand_in_the_blob) {
    static char bytes[BLOB_INLINE_MAX + 1];
    ACTS(trial);
    act_put(&trial, "small", bytes_of(bytes, BLOB_INLINE_MAX));
    act_put(&trial, "large", bytes_of(bytes, BLOB_INLINE_MAX + 1));
    require(stands_in_blob(container_find(trial.container, bytes_text("small"))), "1024 bytes lie elsewhere");
    require(!stands_in_blob(container_find(trial.container, bytes_text("large"))),
            "1025 bytes lie in the blob");
}

/* A hundred bytes without anything else cost little more than themselves. */
TEST(a_small_blob_is_small) {
    enum { BLOBS = 1000, CONTENT = 100, MAX_OVERHEAD = 180 };
    static char bytes[CONTENT];
    ACTS(trial);
    for (int i = 0; i < BLOBS; i++) {
        char name[] = {(char)('a' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10), '\0'};
        act_put(&trial, name, bytes_of(bytes, CONTENT));
    }
    size_t each = container_memory(trial.container) / BLOBS;
    require(each < CONTENT + MAX_OVERHEAD, "a blob of %d bytes costs %zu", CONTENT, each);
}

/* A blob that was large and is small does not keep its room. */
TEST(a_shrunken_blob_gives_back_its_room) {
    static char bytes[BLOB_INLINE_MAX];
    ACTS(trial);
    act_put(&trial, "blob", bytes_of(bytes, 1));
    size_t before = container_memory(trial.container);
    act_put(&trial, "blob", bytes_of(bytes, BLOB_INLINE_MAX));
    act_put(&trial, "blob", bytes_of(bytes, 1));
    require(container_memory(trial.container) <= before + 256, "%zu bytes have become %zu", before,
            container_memory(trial.container));
}

/* --- Changes whose bytes are the container's own -------------------------------------------------------- */

TEST(a_blob_may_get_its_own_lists_again) {
    struct container_trial trial ENDS_BY(acts_end);
    const struct choice full = {.kind = BLOB_PUT, .name = 7, .size = 3, .properties = 63, .metadata = 2};
    container_trial_start(&trial, &full);
    container_trial_step(&trial, &full);
    const struct blob *blob = container_find(trial.container, draft_name(full.name));
    struct container_change change = blob_as_change(blob, blob_name(blob));
    require_same(change.metadata.count, 3, "there is metadata");
    change.kind = BLOB_SETMETA;
    container_trial_apply(&trial, &change);
    change = blob_as_change(blob, blob_name(blob));
    change.kind = BLOB_SETPROPS;
    container_trial_apply(&trial, &change);
    change = container_as_change(trial.container);
    change.kind = CONTAINER_SETMETA;
    container_trial_apply(&trial, &change);
}

/* --- Moving in memory ----------------------------------------------------------------------------------- */

TEST(all_parts_of_a_container_may_move) {
    struct container_trial trial ENDS_BY(acts_end);
    struct dice dice = {50};
    const struct relocation relocation = mover(&dice);
    container_trial_live(&trial, &dice, 300);
    for (int round = 0; round < 20; round++) {
        trial.container = container_relocate_all(trial.container, &relocation);
        container_trial_compare(&trial);
        for (int i = 0; i < 20; i++) {
            struct choice choice = life_draw(&dice, i);
            container_trial_step(&trial, &choice);
        }
        container_trial_compare(&trial);
    }
}

static void *move_always(void *context, void *memory) {
    size_t *moves = context;
    ++*moves;
    return memory_resize(memory, memory_size(memory));
}

static void *move_no_owner(void *context, void *owner, struct bytes *bytes) {
    (void)context, (void)owner, (void)bytes;
    return NULL;
}

/* The container moves with its lists and its lease; its index moves with the blobs, piece by piece. */
TEST(the_index_moves_with_the_blobs) {
    struct container_trial trial ENDS_BY(acts_end);
    size_t moves = 0;
    const struct relocation relocation = {move_always, move_no_owner, &moves};
    const struct choice lists = {.metadata = 1};
    container_trial_start(&trial, &lists);
    container_trial_step(&trial, &(struct choice){.kind = CONTAINER_LEASE, .properties = LEASE_HELD});
    act_put(&trial, "blob", bytes_text("content"));
    const struct container *before = trial.container;
    void *segments = trial.container->blobs.by_hash.segments;
    const struct blob *blob = container_find(trial.container, bytes_text("blob"));
    trial.container = container_relocate(trial.container, &relocation);
    require(trial.container != before, "the container stays where it is");
    require_same(moves, 4, "the container, two lists and a lease");
    require((void *)trial.container->blobs.by_hash.segments == segments, "the index moves at once");
    require(container_find(trial.container, bytes_text("blob")) == blob, "a blob moves at once");
    container_trial_compare(&trial);
    container_relocate_place(trial.container, 0, &relocation);
    require((void *)trial.container->blobs.by_hash.segments != segments, "the index stays where it is");
    require(container_find(trial.container, bytes_text("blob")) != blob, "the blob stays where it is");
    require_same(moves, 7, "two parts of the index, and the blob");
}

/* Puts or deletes some, so that the index grows, or shrinks, between the turns. */
static void change_some(struct container_trial *trial, struct dice *dice, bool grow) {
    char room[NAME_ROOM];
    for (int i = 0; i < 40; i++) {
        struct container_change change = {
            .kind = grow ? BLOB_PUT : BLOB_DELETE, .stamp = {7, 7}, .created_ms = 7};
        change.name = name_numbered(dice_roll(dice, 3000), room);
        if (grow || container_find(trial->container, change.name)) container_trial_apply(trial, &change);
    }
}

/* A large one moves in turns, and changes in between. */
TEST(a_container_moves_in_portions) {
    struct dice dice = {70};
    const struct relocation relocation = mover(&dice);
    size_t max = 0;
    ACTS(trial);
    for (int i = 0; i < 80; i++) change_some(&trial, &dice, true);
    for (int walk = 0; walk < 6; walk++) {
        trial.container = container_relocate(trial.container, &relocation);
        for (size_t place = 0; place < trial.container->blobs.by_hash.buckets; place++) {
            container_relocate_place(trial.container, place, &relocation);
            if (trial.container->blobs.by_hash.buckets > max) max = trial.container->blobs.by_hash.buckets;
            if (dice_percent(&dice, 10)) change_some(&trial, &dice, walk % 2 == 0);
        }
        container_trial_compare(&trial);
    }
    require(max > 300, "the index never had more than %zu places", max);
}

/* What a copy shares stays where it is, since the other side points to it, too. */
TEST(shared_chunks_do_not_move) {
    struct container_trial trial ENDS_BY(acts_end);
    struct dice dice = {60};
    const struct relocation relocation = mover(&dice);
    container_trial_live(&trial, &dice, 200);
    container_trial_copy(&trial);
    struct container *copy = container_copy(trial.container);
    for (int round = 0; round < 5; round++) {
        trial.container = container_relocate_all(trial.container, &relocation);
        container_shadow_compare(&trial.model, copy);
        container_shadow_compare(&trial.model, trial.container);
    }
    container_free(copy);
}
