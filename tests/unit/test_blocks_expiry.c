/* The life of staged blocks: a week after the last one of a name, all of them are overdue, and go in parts. */
#include "acts.h"
#include "blob/blocks.h"
#include "dice.h"
#include "unit.h"

#include <stdio.h>

static const int64_t monday_ms = INT64_C(1700000000000);

static bool stage_at(struct container_trial *trial, const char *name, const char *id, int64_t touched_ms) {
    struct container_change change = act_change(BLOB_STAGE, name);
    change.block_id = bytes_text(id);
    change.touched_ms = touched_ms;
    change.content = bytes_text("a block");
    return container_trial_apply(trial, &change);
}

static bool unstage(struct container_trial *trial, const char *name, uint64_t max) {
    struct container_change change = act_change(BLOB_UNSTAGE, name);
    change.count = max;
    return container_trial_apply(trial, &change);
}

/* NULL for none. */
static void require_overdue(const struct container_trial *trial, int64_t now_ms, const char *expected) {
    struct bytes name;
    bool overdue = container_overdue(trial->container, now_ms, &name);
    require_same(overdue, expected != NULL, "something is overdue");
    if (overdue && expected) require_bytes(name, bytes_text(expected), "what is overdue");
}

static bool stands(const struct container_trial *trial, const char *name, int64_t now_ms) {
    return blob_staging(act_blob(trial, name), now_ms) != NULL;
}

TEST(staged_blocks_last_exactly_a_week) {
    ACTS(trial);
    require(!stands(&trial, "blob", monday_ms), "of no blob");
    require(stage_at(&trial, "blob", "a", monday_ms), "a block");
    int64_t due_ms = monday_ms + INT64_C(7) * 24 * 3600 * 1000;
    require_overdue(&trial, due_ms - 1, NULL);
    require_overdue(&trial, due_ms, "blob");
    require_overdue(&trial, INT64_MAX, "blob");
    require(stands(&trial, "blob", due_ms - 1) && !stands(&trial, "blob", due_ms),
            "as long as it is not due");
}

TEST(each_staged_block_begins_the_week_anew) {
    ACTS(trial);
    for (int day = 0; day < 30; day++) {
        const char id[] = {(char)('a' + day % 3), '\0'};
        int64_t touched_ms = monday_ms + day * INT64_C(1000);
        require(stage_at(&trial, "blob", id, touched_ms), "a block");
        require_overdue(&trial, touched_ms + STAGED_LIFE_MS - 1, NULL);
        require_overdue(&trial, touched_ms + STAGED_LIFE_MS, "blob");
    }
}

/* The clock of a primary may have been ahead, or be absurd. */
TEST(blocks_may_be_staged_at_any_instant) {
    ACTS(trial);
    require(stage_at(&trial, "late", "a", INT64_MAX) && stage_at(&trial, "early", "a", 0), "two blocks");
    require_overdue(&trial, STAGED_LIFE_MS - 1, NULL);
    require_overdue(&trial, STAGED_LIFE_MS, "early");
    require(stage_at(&trial, "early", "a", INT64_MAX - STAGED_LIFE_MS), "as late as can be");
    require_overdue(&trial, INT64_MAX - 1, NULL);
    require(stands(&trial, "late", INT64_MAX - 1), "the latest one");
}

TEST(the_blob_staged_longest_ago_expires_first) {
    enum { NAMES = 40 };
    struct dice dice = {1};
    ACTS(trial);
    for (int i = 0; i < 400; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "b%02d", (int)dice_roll(&dice, NAMES));
        int64_t touched_ms = monday_ms + (int64_t)dice_roll(&dice, 1000);
        switch (dice_roll(&dice, 6)) {
        case 0: (void)act_put(&trial, name, bytes_text("content")); break;
        case 1: (void)act_delete(&trial, name); break;
        case 2: (void)unstage(&trial, name, 1); break;
        default: require(stage_at(&trial, name, "a", touched_ms), "a block");
        }
        container_trial_compare(&trial);
    }
    /* One after the other, as a sweep takes them. */
    struct bytes name;
    int64_t last_ms = 0;
    while (container_overdue(trial.container, INT64_MAX, &name)) {
        char copy[8] = {0};
        memcpy(copy, name.data, name.length);
        int64_t touched_ms = blob_special(act_blob(&trial, copy))->staging->touched_ms;
        require(touched_ms >= last_ms, "'%s' comes too late", copy);
        last_ms = touched_ms;
        require(unstage(&trial, copy, UINT64_MAX), "'%s' can be swept", copy);
    }
    require_same(trial.container->stagings.count, 0, "stagings");
}

TEST(expired_blocks_are_removed_in_portions) {
    ACTS(trial);
    require(!unstage(&trial, "blob", 5), "of no blob");
    require(act_put(&trial, "blob", bytes_text("content")) && !unstage(&trial, "blob", 5), "of no blocks");
    static const char *const ids[] = {"d", "b", "a", "e", "c"};
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
        require(stage_at(&trial, "blob", ids[i], monday_ms), "a block");
    require(unstage(&trial, "blob", 0), "none of them");
    require_same(blob_special(act_blob(&trial, "blob"))->staging->count, 5, "all of them");
    require(unstage(&trial, "blob", 2), "two of them");
    container_trial_compare(&trial);
    const struct staging *staging = blob_special(act_blob(&trial, "blob"))->staging;
    require(staging_find(staging, bytes_text("c")) && !staging_find(staging, bytes_text("b")),
            "the first two by their ids");
    require_overdue(&trial, monday_ms + STAGED_LIFE_MS, "blob");
    require(unstage(&trial, "blob", 2) && unstage(&trial, "blob", 2), "the rest");
    require(act_blob(&trial, "blob") && !act_blob(&trial, "blob")->extra, "the blob is as it was");
    require_overdue(&trial, INT64_MAX, NULL);
}

/* A name with nothing else goes with its last block, whatever depends on it. */
TEST(an_uncommitted_blob_goes_with_its_lease) {
    ACTS(trial);
    require(stage_at(&trial, "blob", "a", monday_ms) && stage_at(&trial, "blob", "b", monday_ms),
            "two blocks");
    require(act_lease(&trial, "blob", LEASE_HELD), "a lease");
    require_same(container_census().leases - trial.before.leases, 1, "it stands");
    require(unstage(&trial, "blob", 1) && act_blob(&trial, "blob"), "one is left");
    require(unstage(&trial, "blob", 1) && !act_blob(&trial, "blob"), "none is left");
    require_same(container_census().leases - trial.before.leases, 0, "the lease is gone");
    require(!trial.container->leased.root, "so is the index");
    require_same(catalog_count(&trial.container->blobs), 0, "and the name");
}

/* Through files and copies; and a blob that moves takes its deadline along. */
TEST(deadlines_of_staged_blocks_survive_files_copies_and_moves) {
    ACTS(trial);
    require(stage_at(&trial, "a", "a", monday_ms + 1) && stage_at(&trial, "b", "b", monday_ms), "two");
    container_trial_take_over(&trial, container_rebuild(trial.container, 3));
    require_overdue(&trial, monday_ms + STAGED_LIFE_MS, "b");
    container_trial_copy(&trial);
    require_overdue(&trial, monday_ms + STAGED_LIFE_MS, "b");
    /* Its room for a small content grows and moves the blob. */
    require(act_put(&trial, "b", act_bytes(0, 3000)) && stage_at(&trial, "b", "b", monday_ms), "it moves");
    require(act_copy(&trial, "c", "b", 0) && stage_at(&trial, "b", "c", monday_ms), "and stays");
    require_overdue(&trial, monday_ms + STAGED_LIFE_MS, "b");
}
