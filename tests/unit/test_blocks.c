/* Blocks: what a commit finds and puts together, what it refuses and then leaves as it was, and what it costs. */
#include "blob/blocks.h"

#include "acts.h"
#include "blob/block_plan.h"
#include "core/garbage.h"
#include "unit.h"

#include <stdio.h>

FREES(container)

/* A blob of the committed blocks a, b and c, with b and d staged. */
static void start(struct container_trial *trial) {
    acts_start(trial);
    require(act_stage(trial, "blob", "a", bytes_text("first A.")) &&
                act_stage(trial, "blob", "b", bytes_text("first B.")) &&
                act_stage(trial, "blob", "c", act_bytes(0, 5000)) && act_commit(trial, "blob", "Ua Ub Uc"),
            "the first commit");
    require(act_stage(trial, "blob", "b", bytes_text("second B.")) &&
                act_stage(trial, "blob", "d", bytes_text("first D.")),
            "more blocks");
    container_trial_compare(trial);
}

static void require_content(const struct container_trial *trial, const char *expected) {
    const struct blob *blob = act_blob(trial, "blob");
    char content[100];
    require_same(blob_length(blob), strlen(expected), "the length of '%s'", expected);
    blob_read(blob, 0, content, (size_t)blob_length(blob));
    require_bytes(bytes_of(content, (size_t)blob_length(blob)), bytes_text(expected), "the content");
}

/* --- Where blocks are found --- */

TEST(committed_uncommitted_and_latest_blocks_are_found) {
    static const struct {
        const char *list, *content; /* NULL where it is refused */
    } cases[] = {
        {"", ""},
        {"La", "first A."},
        {"Lb", "second B."},
        {"Ld", "first D."},
        {"Ca", "first A."},
        {"Cb", "first B."},
        {"Ub", "second B."},
        {"Ud", "first D."},
        {"Ld Lb La", "first D.second B.first A."},
        {"Cb Ud Cb", "first B.first D.first B."},
        {"La La La", "first A.first A.first A."},
        {"Ub Ub", "second B.second B."},
        {"Cd", NULL},
        {"Ua", NULL},
        {"Le", NULL},
        {"La Le", NULL},
        {"Le La", NULL},
        /* one id cannot stand for two blocks, even where both are the same one */
        {"Cb Ub", NULL},
        {"Ub Cb", NULL},
        {"Lb Cb", NULL},
        {"Lb Ub", NULL},
        {"La Ca", NULL},
        {"La Lb Ld Ca", NULL},
        /* ids of other lengths are ids that there are not */
        {"Laa", NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        ACTS_BY(trial, start);
        require_same(act_commit(&trial, "blob", cases[i].list), cases[i].content != NULL, "'%s'",
                     cases[i].list);
        container_trial_compare(&trial);
        if (cases[i].content) require_content(&trial, cases[i].content);
        bool staged = blob_special(act_blob(&trial, "blob"))->staging;
        require_same(staged, !cases[i].content, "'%s'", cases[i].list);
    }
}

/* What comes of the plan is said in a list without any choice left, which means the same. */
TEST(a_plan_says_what_it_found) {
    struct container_trial trial ENDS_BY(acts_end);
    struct block_plan plan;
    start(&trial);
    struct blob *blob = act_blob(&trial, "blob");
    RECORD_WRITER(asked);
    RECORD_WRITER(expected);
    block_choice_put(&asked, BLOCK_LATEST, bytes_text("b"));
    block_choice_put(&asked, BLOCK_LATEST, bytes_text("a"));
    block_choice_put(&asked, BLOCK_COMMITTED, bytes_text("c"));
    block_choice_put(&expected, BLOCK_UNCOMMITTED, bytes_text("b"));
    block_choice_put(&expected, BLOCK_COMMITTED, bytes_text("a"));
    block_choice_put(&expected, BLOCK_COMMITTED, bytes_text("c"));
    struct packed_list list = {3, record_written(&asked)};
    require_same(block_plan_make(blob, blob_special(blob)->staging, list, &plan), OUTCOME_DONE, "a plan");
    struct packed_list said = block_plan_list(&plan);
    require_same(said.count, 3, "blocks");
    require_bytes(said.items, record_written(&expected), "the list");
    block_plan_end(&plan);
    /* Without the staged ones, as when they have waited too long, the committed b is the latest one. */
    require_same(block_plan_make(blob, NULL, list, &plan), OUTCOME_DONE, "a plan of what is committed");
    require_same(block_plan_list(&plan).items.data[0], BLOCK_COMMITTED, "the committed b");
    block_plan_end(&plan);
}

/* On the primary the plan is there already when the change is applied; it does what the list does. */
TEST(a_plan_is_as_good_as_its_list) {
    struct container_trial trial ENDS_BY(acts_end);
    struct block_plan plan;
    struct record_writer asked;
    start(&trial);
    struct container *copy ENDS_BY(container_release) = container_copy(trial.container);
    record_start(&asked);
    block_choice_put(&asked, BLOCK_LATEST, bytes_text("d"));
    block_choice_put(&asked, BLOCK_LATEST, bytes_text("b"));
    struct container_change change = act_change(BLOB_COMMIT, "blob");
    change.list = (struct packed_list){2, record_written(&asked)};
    require(container_trial_apply(&trial, &change), "the list");
    struct blob *blob = container_find(copy, change.name);
    require_same(block_plan_make(blob, blob_special(blob)->staging, change.list, &plan), OUTCOME_DONE,
                 "a plan");
    change.list = block_plan_list(&plan);
    change.plan = &plan;
    require(container_apply(copy, &change), "the plan");
    block_plan_end(&plan);
    record_end(&asked);
    container_shadow_compare(&trial.model, copy);
}

/* --- What is refused leaves all as it was --- */

TEST(malformed_block_lists_change_nothing) {
    static char longest[70] = "\2\101an id of 65 bytes";
    const struct packed_list lists[] = {
        {1, bytes_of("", 0)},          {1, bytes_of("\2", 1)},
        {1, bytes_of("\2\1", 2)},      {1, bytes_of("\3\1a", 3)},
        {1, bytes_of("\2\0", 2)},      {1, bytes_of("\2\2a", 3)},
        {2, bytes_of("\2\1a", 3)},     {1, bytes_of("\2\1a\2\1a", 6)},
        {0, bytes_of("\2\1a", 3)},     {1, bytes_of("\xff\1a", 3)},
        {50001, bytes_of("\2\1a", 3)}, {UINT64_MAX, bytes_of("\2\1a", 3)},
        {1, bytes_of(longest, 67)},    {UINT64_C(1) << 63, bytes_of("\2\1a", 3)},
    };
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        struct container_change change = act_change(BLOB_COMMIT, "blob");
        change.list = lists[i];
        require(!container_trial_apply(&trial, &change), "list %zu is none", i);
        change.name = bytes_text("no blob");
        require(!container_trial_apply(&trial, &change), "list %zu is none", i);
        container_trial_compare(&trial);
    }
}

TEST(page_and_append_blobs_take_no_blocks) {
    ACTS(trial);
    require(act_create_page(&trial, "pages", 512) && act_create_append(&trial, "log"), "other blobs");
    static const char *const names[] = {"pages", "log"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        require(!act_stage(&trial, names[i], "a", bytes_text("block")), "a block of '%s'", names[i]);
        require(!act_stage(&trial, names[i], "a", act_bytes(0, 5000)), "a large one of '%s'", names[i]);
        require(!act_commit(&trial, names[i], ""), "a commit of '%s'", names[i]);
        container_trial_compare(&trial);
    }
}

TEST(ids_of_one_name_are_equally_long) {
    ACTS(trial);
    require(act_stage(&trial, "blob", "ab", bytes_text("x")), "the first one");
    require(!act_stage(&trial, "blob", "a", bytes_text("x")), "a shorter one");
    require(!act_stage(&trial, "blob", "abc", bytes_text("x")), "a longer one");
    require(act_stage(&trial, "blob", "ba", bytes_text("x")), "an equal one");
    require(act_stage(&trial, "other", "abc", bytes_text("x")), "that of another name");
    require(!act_stage(&trial, "blob", "aa", bytes_of("", 0)), "a block of nothing");
    require(act_commit(&trial, "blob", "Lab") && act_stage(&trial, "blob", "a", bytes_text("x")),
            "committed ids do not count");
    container_trial_compare(&trial);
    require(!act_commit(&trial, "blob", "La Lba"), "what was staged and not committed is gone");
    require(act_commit(&trial, "blob", "La Lab"), "ids of two lengths, one of them committed");
}

/* A name that has only staged blocks is no blob yet. */
TEST(a_commit_makes_the_blob) {
    ACTS(trial);
    require(act_commit(&trial, "empty", "") && blob_exists(act_blob(&trial, "empty")), "an empty one");
    require(act_stage(&trial, "blob", "a", bytes_text("x")) && act_lease(&trial, "blob", LEASE_HELD),
            "a name");
    require(!blob_exists(act_blob(&trial, "blob")), "no blob yet");
    require_same(trial.container->committed, 1, "the empty one");
    require(!act_snapshot(&trial, "blob", 5) && !act_copy(&trial, "copy", "blob", 0), "nothing to share");
    require(!act_copy_state(&trial, "blob", COPY_FAILED), "nothing to tell of");
    require(!act_commit(&trial, "blob", "Ca"), "nothing is committed");
    require(act_commit(&trial, "blob", "La") && blob_exists(act_blob(&trial, "blob")), "a blob");
    require_same(blob_lease(act_blob(&trial, "blob"))->kind, LEASE_HELD, "the lease");
    require(act_stage(&trial, "gone", "a", bytes_text("x")) && act_delete(&trial, "gone"),
            "it can be deleted");
    require(!act_blob(&trial, "gone"), "it is gone");
}

/* Whatever else is written to the name drops what was staged. */
TEST(overwriting_drops_staged_blocks) {
    for (int way = 0; way < 4; way++) {
        ACTS_BY(trial, start);
        switch (way) {
        case 0: require(act_put(&trial, "blob", bytes_text("new")), "a put"); break;
        case 1: require(act_copy(&trial, "blob", "blob", 0), "a copy onto itself"); break;
        case 2:
            require(act_put(&trial, "x", bytes_text("x")) && act_copy(&trial, "blob", "x", 0), "a copy");
            break;
        default: require(act_commit(&trial, "blob", "Ca"), "a commit of another block");
        }
        require(!blob_special(act_blob(&trial, "blob"))->staging, "way %d keeps staged blocks", way);
        require_same(trial.container->stagings.count, 0, "way %d", way);
    }
}

/* --- As many as there may be --- */

static struct bytes numbered(size_t number, char room[8]) {
    (void)snprintf(room, 8, "%06zu", number);
    return bytes_of(room, 6);
}

static void stage_many(struct container *container, size_t from, size_t to, bool expected) {
    char id[8];
    struct container_change change = act_change(BLOB_STAGE, "blob");
    change.content = bytes_text("a block");
    for (size_t i = from; i < to; i++) {
        change.block_id = numbered(i, id);
        require_same(container_apply(container, &change), expected, "block %zu", i);
    }
}

static bool commit_many(struct container *container, size_t count, size_t of) {
    char id[8];
    struct record_writer list;
    struct container_change change = act_change(BLOB_COMMIT, "blob");
    record_start(&list);
    for (size_t i = 0; i < count; i++)
        block_choice_put(&list, BLOCK_LATEST, numbered(count - 1 - i % of, id));
    change.list = (struct packed_list){count, record_written(&list)};
    bool fits = container_apply(container, &change);
    record_end(&list);
    return fits;
}

static struct container *empty_container(void) {
    return container_new(&(struct container_change){.kind = CONTAINER_CREATE, .stamp = {1, 1}});
}

TEST(fifty_thousand_blocks_can_be_committed) {
    struct container *container ENDS_BY(container_release) = empty_container();
    stage_many(container, 0, BLOCKS_COMMITTED_MAX + 1, true);
    size_t before = container_memory(container);
    require(!commit_many(container, BLOCKS_COMMITTED_MAX + 1, BLOCKS_COMMITTED_MAX + 1), "50,001 blocks");
    require_same(container_memory(container), before, "what is refused holds nothing");
    const struct blob *blob = container_find(container, bytes_text("blob"));
    require_same(blob_special(blob)->staging->count, BLOCKS_COMMITTED_MAX + 1, "staged blocks");
    require(!blob_exists(blob), "there is no blob");
    size_t made = allocations_made();
    require(commit_many(container, BLOCKS_COMMITTED_MAX, BLOCKS_COMMITTED_MAX), "50,000 blocks");
    require(allocations_made() - made < 1000, "a commit makes %zu allocations", allocations_made() - made);
    blob = container_find(container, bytes_text("blob"));
    require_same(block_list_view(blob_special(blob)->blocks).count, BLOCKS_COMMITTED_MAX, "blocks");
    require_same(blob_length(blob), BLOCKS_COMMITTED_MAX * strlen("a block"), "the length");
    /* Committed blocks in another order, 25,000 of them twice. */
    require(commit_many(container, BLOCKS_COMMITTED_MAX, BLOCKS_COMMITTED_MAX / 2), "and again");
    require_same(blob_length(container_find(container, bytes_text("blob"))),
                 BLOCKS_COMMITTED_MAX * strlen("a block"), "the length");
    require_same(container_memory(container), allocations_bytes(), "what it holds");
}

TEST(a_hundred_thousand_blocks_can_be_staged) {
    struct container *container ENDS_BY(container_release) = empty_container();
    stage_many(container, 0, BLOCKS_STAGED_MAX, true);
    stage_many(container, BLOCKS_STAGED_MAX, BLOCKS_STAGED_MAX + 3, false);
    stage_many(container, 500, 503, true); /* in place of others */
    require_same(blob_special(container_find(container, bytes_text("blob")))->staging->count,
                 BLOCKS_STAGED_MAX, "staged blocks");
    require_same(container_memory(container), allocations_bytes(), "what it holds");
}

/* Blocks of a commit are where they were staged: not a byte of them is copied. */
TEST(a_commit_copies_no_byte) {
    ACTS(trial);
    require(act_stage(&trial, "blob", "a", act_bytes(0, 100000)) &&
                act_stage(&trial, "blob", "b", act_bytes(7, 100000)),
            "two blocks");
    const struct staging *staging = blob_special(act_blob(&trial, "blob"))->staging;
    const char *first = chunk_bytes(staging_find(staging, bytes_text("a"))->chunk).data;
    size_t memory = container_memory(trial.container);
    require(act_commit(&trial, "blob", "Lb La Lb La La"), "a commit");
    require(blob_view(act_blob(&trial, "blob"), 100000, 1).data == first, "the block stands elsewhere");
    require(container_memory(trial.container) < memory + 1000, "repeated blocks stand there twice");
    require(act_commit(&trial, "blob", "La"), "a commit of less");
    require(blob_view(act_blob(&trial, "blob"), 0, 1).data == first, "the block stands elsewhere");
    require(container_memory(trial.container) < memory - 99000, "a block that is not listed stays");
}

static void sweep_soon(void) {}

/* A block is an allocation, and its chunk counts as two. */
TEST(many_staged_blocks_are_freed_in_portions) {
    enum { STAGED = 3000, PORTION = 500, OF_BLOCK = 3 };
    ACTS(trial);
    for (int i = 0; i < STAGED; i++) {
        char id[16];
        (void)snprintf(id, sizeof(id), "%04d", i);
        require(act_stage(&trial, "blob", id, bytes_text(id)), "block %s", id);
    }
    garbage_pending = sweep_soon;
    size_t before = container_allocations(trial.container);
    require(act_put(&trial, "blob", bytes_text("instead")), "a blob in one piece");
    require(!blob_special(act_blob(&trial, "blob"))->staging, "nobody finds them");
    size_t left = container_allocations(trial.container);
    require(left > before - STAGED * OF_BLOCK / 2, "most are still there");
    require(garbage_sweep(PORTION), "much is left");
    require_same(container_allocations(trial.container), left - (size_t)PORTION * OF_BLOCK,
                 "what a portion freed");
    require(act_stage(&trial, "blob", "new", bytes_text("new")), "others meanwhile");
    while (garbage_sweep(PORTION)) continue;
    garbage_pending = NULL;
}
