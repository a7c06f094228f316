/* Containers: long random work against a naive model, and what copies, misfits
 * and failures owe to each other. */
#include "blob/container.h"

#include "container_trial.h"
#include "core/memory.h"
#include "dice.h"
#include "mover.h"
#include "roster.h"
#include "unit.h"

#include <stdlib.h>

static struct choice draw(struct dice *dice) {
    struct choice choice;
    dice_fill(dice, &choice, sizeof(choice));
    /* Puts more often than anything else, lest there be nothing to change; and seldom the largest contents.
     */
    if (dice_percent(dice, 40)) choice.kind = CHANGE_PUT;
    if (dice_percent(dice, 90)) choice.size = (uint8_t)dice_roll(dice, 7);
    return choice;
}

static void run(struct container_trial *trial, struct dice *dice, int steps) {
    struct choice choice = draw(dice);
    container_trial_start(trial, &choice);
    container_trial_compare(trial);
    for (int i = 0; i < steps; i++) {
        choice = draw(dice);
        container_trial_step(trial, &choice);
        if (i % 16 == 0) container_trial_compare(trial);
    }
    container_trial_compare(trial);
}

static void equals_a_naive_model(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct container_trial trial;
        struct dice dice = {seed};
        run(&trial, &dice, 2000);
        container_trial_end(&trial);
        struct container_census census = container_census();
        require_same(census.containers, trial.before.containers, "it is freed");
        require_same(census.blobs, trial.before.blobs, "it is freed");
        require_same(census.leases, trial.before.leases, "it is freed");
        require_same(census.content_bytes, trial.before.content_bytes, "it is freed");
    }
}

/* --- Contents around the size that fits into a blob ----------------------------------------------------- */

static struct change put_of(const char *name, struct bytes content) {
    return (struct change){
        .kind = CHANGE_PUT, .name = bytes_text(name), .stamp = {7, 7}, .created_ms = 7, .content = content};
}

/* A PUT as a command makes it: small contents are copied, large ones bring a chunk. */
static void put(struct container_trial *trial, const char *name, struct bytes content) {
    struct change change = put_of(name, content);
    if (content.length > BLOB_INLINE_MAX) {
        void *owner = owner_new(content);
        change.chunk = chunk_adopt(owner, owner_bytes(owner), memory_size(owner));
    }
    container_trial_apply(trial, &change);
}

static const struct choice plain = {0};

static void contents_change_their_size_anyhow(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 8, 100, 127, 128, 129, 500, 1023, 1024, 1025, 1026, 3000};
    static char bytes[3000];
    struct container_trial trial;
    container_trial_start(&trial, &plain);
    for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(i * 7);
    for (size_t from = 0; from < COUNT_OF(sizes); from++)
        for (size_t to = 0; to < COUNT_OF(sizes); to++) {
            put(&trial, "blob", bytes_of(bytes, sizes[from]));
            container_trial_compare(&trial);
            put(&trial, "blob", bytes_of(bytes + (to & 1), sizes[to] - (sizes[to] && to & 1)));
            container_trial_compare(&trial);
        }
    container_trial_end(&trial);
}

/* The address of a blob's content says whether it stands in the blob. */
static bool stands_in_blob(const struct blob *blob) {
    return !blob->content.chunk && !blob->content.rope;
}

static void only_small_contents_stand_in_the_blob(void **state) {
    (void)state;
    static char bytes[BLOB_INLINE_MAX + 1];
    struct container_trial trial;
    container_trial_start(&trial, &plain);
    put(&trial, "small", bytes_of(bytes, BLOB_INLINE_MAX));
    put(&trial, "large", bytes_of(bytes, BLOB_INLINE_MAX + 1));
    require(stands_in_blob(container_find(trial.container, bytes_text("small"))), "1024 bytes lie elsewhere");
    require(!stands_in_blob(container_find(trial.container, bytes_text("large"))),
            "1025 bytes lie in the blob");
    container_trial_compare(&trial);
    container_trial_end(&trial);
}

/* A hundred bytes without anything else cost little more than themselves. */
static void a_small_blob_is_small(void **state) {
    (void)state;
    enum { BLOBS = 1000, CONTENT = 100, MOST_OVERHEAD = 180 };
    static char bytes[CONTENT];
    struct container_trial trial;
    container_trial_start(&trial, &plain);
    for (int i = 0; i < BLOBS; i++) {
        char name[] = {(char)('a' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10), '\0'};
        put(&trial, name, bytes_of(bytes, CONTENT));
    }
    size_t each = container_held(trial.container) / BLOBS;
    require(each < CONTENT + MOST_OVERHEAD, "a blob of %d bytes costs %zu", CONTENT, each);
    container_trial_end(&trial);
}

/* A blob that was large and is small does not keep its room. */
static void a_shrunken_blob_gives_back_its_room(void **state) {
    (void)state;
    static char bytes[BLOB_INLINE_MAX];
    struct container_trial trial;
    container_trial_start(&trial, &plain);
    put(&trial, "blob", bytes_of(bytes, 1));
    size_t before = container_held(trial.container);
    put(&trial, "blob", bytes_of(bytes, BLOB_INLINE_MAX));
    put(&trial, "blob", bytes_of(bytes, 1));
    require(container_held(trial.container) <= before + 256, "%zu bytes have become %zu", before,
            container_held(trial.container));
    container_trial_end(&trial);
}

/* --- Changes whose bytes are the container's own -------------------------------------------------------- */

static void a_blob_may_get_its_own_lists_again(void **state) {
    (void)state;
    struct container_trial trial;
    const struct choice full = {.kind = CHANGE_PUT, .name = 7, .size = 3, .properties = 63, .metadata = 2};
    container_trial_start(&trial, &full);
    container_trial_step(&trial, &full);
    const struct blob *blob = container_find(trial.container, draft_name(full.name));
    struct change change = blob_as_change(blob, UINT64_MAX);
    require_same(change.metadata.count, 3, "there is metadata");
    change.kind = CHANGE_SETBLOBMETA;
    container_trial_apply(&trial, &change);
    change = blob_as_change(blob, UINT64_MAX);
    change.kind = CHANGE_SETBLOBPROPS;
    container_trial_apply(&trial, &change);
    change = container_as_change(trial.container);
    change.kind = CHANGE_SETMETA;
    container_trial_apply(&trial, &change);
    container_trial_compare(&trial);
    container_trial_end(&trial);
}

/* --- Copies and reconstructions ------------------------------------------------------------------------- */

static void change_unseen(struct container *container, struct choice choice) {
    struct draft draft;
    draft_make(&draft, &choice);
    (void)container_apply(container, container_find(container, draft.change.name), &draft.change);
    draft_end(&draft);
}

static void a_copy_is_equal_and_independent(void **state) {
    (void)state;
    for (uint64_t seed = 20; seed < 24; seed++) {
        struct container_trial trial;
        struct dice dice = {seed};
        run(&trial, &dice, 200);
        require(model_standing(&trial.model), "there are leases to lose");
        struct container *copy = container_copy(trial.container);
        model_forget_leases(&trial.model);
        model_compare(&trial.model, copy);
        struct container_census census = container_census();
        require_same(census.containers - trial.before.containers, 2, "two of them");
        require_same(census.content_bytes - trial.before.content_bytes, 2 * trial.model.content_bytes,
                     "two of them");
        /* The original changes and goes, and the copy has seen nothing of it. */
        for (int i = 0; i < 100; i++) change_unseen(trial.container, draw(&dice));
        model_compare(&trial.model, copy);
        container_trial_take_over(&trial, copy);
        container_trial_end(&trial);
    }
}

static void records_build_an_equal_container(void **state) {
    (void)state;
    static const uint64_t pieces[] = {BLOB_INLINE_MAX + 1, 1, 100, 5000, UINT64_MAX};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        struct container_trial trial;
        struct dice dice = {30 + i};
        run(&trial, &dice, pieces[i] < 100 ? 10 : 300);
        container_trial_take_over(&trial, container_rebuild(trial.container, pieces[i]));
        container_trial_end(&trial);
    }
}

/* A content that came in small pieces leaves a file as pieces again, however small the first one is. */
static void a_content_of_small_pieces_can_be_saved(void **state) {
    (void)state;
    struct container_trial trial;
    container_trial_start(&trial, &plain);
    put(&trial, "blob", bytes_of("", 0));
    struct change piece = {.kind = CHANGE_EXTEND, .name = bytes_text("blob")};
    for (size_t length = 1; length <= 3; length++) {
        piece.content = bytes_of("piece", length);
        piece.chunk = chunk_copy(piece.content);
        container_trial_apply(&trial, &piece);
    }
    struct container *rebuilt = container_rebuild(trial.container, UINT64_MAX);
    model_compare(&trial.model, rebuilt);
    container_free(rebuilt);
    container_trial_end(&trial);
}

/* --- What does not fit, and what cannot be had ---------------------------------------------------------- */

static void what_does_not_fit_does_nothing(void **state) {
    (void)state;
    struct container_trial trial;
    struct dice dice = {40};
    run(&trial, &dice, 100);
    const enum change_kind kinds[] = {CHANGE_EXTEND, CHANGE_SETBLOBPROPS, CHANGE_SETBLOBMETA, CHANGE_DELETE,
                                      CHANGE_CREATE, CHANGE_DROP,         CHANGE_BLOBLEASE};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct change change = {.kind = kinds[i],
                                .name = bytes_text("missing"),
                                .stamp = {9, 9},
                                .lease = {.kind = LEASE_HELD, .token = 9},
                                .content = bytes_text("content")};
        if (kinds[i] == CHANGE_EXTEND) change.chunk = chunk_copy(change.content);
        require(!container_apply(trial.container, NULL, &change), "a change of kind %d fits", (int)kinds[i]);
        container_trial_compare(&trial);
    }
    container_trial_end(&trial);
}

/* An extension that finds no memory, at whichever allocation that may fail. */
static void an_extension_without_memory_does_nothing(void **state) {
    (void)state;
    static char large[BLOB_INLINE_MAX * 2];
    const struct bytes contents[] = {bytes_of("", 0), bytes_text("inline"), bytes_of(large, sizeof(large))};
    for (size_t i = 0; i < COUNT_OF(contents); i++)
        for (unsigned nth = 1; nth <= 2; nth++) {
            struct container_trial trial;
            container_trial_start(&trial, &plain);
            put(&trial, "blob", contents[i]);
            struct change change = {
                .kind = CHANGE_EXTEND, .name = bytes_text("blob"), .content = bytes_text("more")};
            struct blob *blob = container_find(trial.container, change.name);
            allocations_fail_try(nth);
            bool applied = container_apply(trial.container, blob, &change);
            allocations_fail_try(0);
            require(nth == 2 || !applied, "content %zu grows without memory", i);
            if (applied) require(model_apply(&trial.model, &change), "a blob that is there can be extended");
            container_trial_compare(&trial);
            container_trial_end(&trial);
        }
}

/* --- Moving in memory ----------------------------------------------------------------------------------- */

static void all_of_it_may_move(void **state) {
    (void)state;
    struct container_trial trial;
    struct dice dice = {50};
    const struct relocation relocation = mover(&dice);
    run(&trial, &dice, 300);
    for (int round = 0; round < 20; round++) {
        trial.container = container_relocate_all(trial.container, &relocation);
        container_trial_compare(&trial);
        for (int i = 0; i < 20; i++) {
            struct choice choice = draw(&dice);
            container_trial_step(&trial, &choice);
        }
        container_trial_compare(&trial);
    }
    container_trial_end(&trial);
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
static void the_index_moves_with_the_blobs(void **state) {
    (void)state;
    struct container_trial trial;
    size_t moves = 0;
    const struct relocation relocation = {move_always, move_no_owner, &moves};
    const struct choice lists = {.metadata = 1};
    container_trial_start(&trial, &lists);
    container_trial_step(&trial, &(struct choice){.kind = CHANGE_LEASE, .properties = LEASE_HELD});
    put(&trial, "blob", bytes_text("content"));
    const struct container *before = trial.container;
    void *segments = trial.container->blobs.by_hash.segments;
    const struct blob *blob = container_find(trial.container, bytes_text("blob"));
    trial.container = container_relocate(trial.container, &relocation);
    require(trial.container != before, "the container stays where it is");
    require_same(moves, 4, "the container, two lists and a lease");
    require((void *)trial.container->blobs.by_hash.segments == segments, "the index moves at once");
    require(container_find(trial.container, bytes_text("blob")) == blob, "a blob moves at once");
    container_trial_compare(&trial);
    container_relocate_blobs(trial.container, 0, &relocation);
    require((void *)trial.container->blobs.by_hash.segments != segments, "the index stays where it is");
    require(container_find(trial.container, bytes_text("blob")) != blob, "the blob stays where it is");
    require_same(moves, 7, "two parts of the index, and the blob");
    container_trial_compare(&trial);
    container_trial_end(&trial);
}

/* Puts or deletes some, so that the index grows, or shrinks, between the turns. */
static void change_some(struct container_trial *trial, struct dice *dice, bool grow) {
    char room[NAME_ROOM];
    for (int i = 0; i < 40; i++) {
        struct change change = {.kind = grow ? CHANGE_PUT : CHANGE_DELETE, .stamp = {7, 7}, .created_ms = 7};
        change.name = name_numbered(dice_roll(dice, 3000), room);
        if (grow || container_find(trial->container, change.name)) container_trial_apply(trial, &change);
    }
}

/* A large one moves in turns, and changes in between. */
static void it_may_move_in_turns(void **state) {
    (void)state;
    struct container_trial trial;
    struct dice dice = {70};
    const struct relocation relocation = mover(&dice);
    size_t most = 0;
    container_trial_start(&trial, &plain);
    for (int i = 0; i < 80; i++) change_some(&trial, &dice, true);
    for (int walk = 0; walk < 6; walk++) {
        trial.container = container_relocate(trial.container, &relocation);
        for (size_t place = 0; place < trial.container->blobs.by_hash.buckets; place++) {
            container_relocate_blobs(trial.container, place, &relocation);
            if (trial.container->blobs.by_hash.buckets > most) most = trial.container->blobs.by_hash.buckets;
            if (dice_percent(&dice, 10)) change_some(&trial, &dice, walk % 2 == 0);
        }
        container_trial_compare(&trial);
    }
    require(most > 300, "the index never had more than %zu places", most);
    container_trial_end(&trial);
}

/* What a copy shares stays where it is, since the other side points to it, too. */
static void what_is_shared_does_not_move(void **state) {
    (void)state;
    struct container_trial trial;
    struct dice dice = {60};
    const struct relocation relocation = mover(&dice);
    run(&trial, &dice, 200);
    container_trial_copy(&trial);
    struct container *copy = container_copy(trial.container);
    for (int round = 0; round < 5; round++) {
        trial.container = container_relocate_all(trial.container, &relocation);
        model_compare(&trial.model, copy);
        model_compare(&trial.model, trial.container);
    }
    container_free(copy);
    container_trial_compare(&trial);
    container_trial_end(&trial);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        tidy_test(equals_a_naive_model),
        tidy_test(contents_change_their_size_anyhow),
        tidy_test(only_small_contents_stand_in_the_blob),
        tidy_test(a_small_blob_is_small),
        tidy_test(a_shrunken_blob_gives_back_its_room),
        tidy_test(a_blob_may_get_its_own_lists_again),
        tidy_test(a_copy_is_equal_and_independent),
        tidy_test(records_build_an_equal_container),
        tidy_test(a_content_of_small_pieces_can_be_saved),
        tidy_test(what_does_not_fit_does_nothing),
        tidy_test(an_extension_without_memory_does_nothing),
        tidy_test(all_of_it_may_move),
        tidy_test(the_index_moves_with_the_blobs),
        tidy_test(it_may_move_in_turns),
        tidy_test(what_is_shared_does_not_move),
    };
    return cmocka_run_group_tests_name("container", tests, NULL, NULL);
}
