/* Walks: containers as records, what these build anew, and copies; all that is shared stays shared. And digests, which
 * tell equal containers from others. */
#include "blob/container_walk.h"

#include "acts.h"
#include "container_life.h"
#include "unit.h"

#include <stdio.h>

static const size_t pieces[] = {16, 100, BLOB_INLINE_MAX + 1, 1 << 20, SIZE_MAX};

static void require_same_digest(const struct container *container, const struct container *other) {
    struct record_writer digest ENDS_BY(record_end);
    struct record_writer others ENDS_BY(record_end);
    container_digest_bytes(container, &digest);
    container_digest_bytes(other, &others);
    require_same(digest.length, others.length, "the length of a digest");
    require(memcmp(digest.data, others.data, digest.length) == 0, "the digests differ");
}

/* --- Copies and reconstructions --- */

static void change_unseen(struct container *container, const struct choice *choice) {
    struct draft draft ENDS_BY(draft_end);
    draft_make(&draft, choice);
    (void)container_apply(container, &draft.change);
}

TEST(a_copy_is_equal_and_independent) {
    size_t leases = 0, snapshots = 0;
    for (uint64_t seed = 20; seed < 24; seed++) {
        struct container_trial trial ENDS_BY(container_trial_end);
        struct dice dice = {seed};
        container_trial_live(&trial, &dice, 400);
        struct container_census own = container_shadow_census(&trial.model);
        leases += own.leases;
        snapshots += own.snapshots;
        struct container *copy = container_copy(trial.container);
        struct container_census census = container_census();
        require_same(census.containers - trial.before.containers, 2, "two of them");
        require_same(census.content_bytes - trial.before.content_bytes, 2 * own.content_bytes, "two of them");
        require_same(census.snapshots - trial.before.snapshots, 2 * own.snapshots, "two of them");
        require_same(census.leases - trial.before.leases, own.leases, "those of one");
        container_shadow_forget_leases(&trial.model);
        container_shadow_compare(&trial.model, copy);
        /* The original lives on and goes, and the copy has seen nothing of it. */
        for (int i = 0; i < 200; i++) {
            struct choice choice = life_draw(&dice, i);
            change_unseen(trial.container, &choice);
        }
        container_shadow_compare(&trial.model, copy);
        container_trial_take_over(&trial, copy);
    }
    require(leases && snapshots, "there are leases to lose, and snapshots");
}

/* The copy of a copy has the same digest, since there are no leases left to lose. */
TEST(copies_have_the_same_digest) {
    for (uint64_t seed = 25; seed < 28; seed++) {
        struct container_trial trial ENDS_BY(container_trial_end);
        struct dice dice = {seed};
        container_trial_live(&trial, &dice, 300);
        container_trial_copy(&trial);
        struct container *copy = container_copy(trial.container);
        require_same_digest(trial.container, copy);
        container_free(copy);
        container_trial_compare(&trial);
    }
}

TEST(records_build_an_equal_container) {
    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        struct container_trial trial ENDS_BY(container_trial_end);
        struct dice dice = {30 + i};
        container_trial_live(&trial, &dice, pieces[i] < 100 ? 100 : 400);
        struct container *rebuilt = container_rebuild(trial.container, pieces[i]);
        require_same_digest(trial.container, rebuilt);
        container_trial_take_over(&trial, rebuilt);
        container_life(&trial, &dice, 50, NULL);
    }
}

/* As by a server that begins a new file while a slot arrives. */
TEST(a_container_that_is_saved_while_it_is_built_is_built_on) {
    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        struct container_trial trial ENDS_BY(container_trial_end);
        struct dice dice = {40 + i};
        container_trial_live(&trial, &dice, 100);
        for (unsigned save_every = 1; save_every < 8; save_every += 2) {
            struct container *rebuilt = container_rebuild_saving(trial.container, pieces[i], save_every);
            require_same_digest(trial.container, rebuilt);
            container_free(rebuilt);
        }
    }
}

TEST(a_feed_that_is_saved_while_it_is_built_is_built_on) {
    ACTS(trial);
    struct container_change feed_on = act_change(CONTAINER_FEEDON, "");
    feed_on.keep = 10;
    feed_on.minted = feed_on.stamp.etag;
    require(container_trial_apply(&trial, &feed_on), "a feed");
    require(act_put(&trial, "gone", act_bytes(0, 10)) && act_put(&trial, "here", act_bytes(0, 10)), "blobs");
    struct container_change gone = act_change(BLOB_DELETE, "gone");
    gone.minted = gone.stamp.etag;
    require(container_trial_apply(&trial, &gone), "a marker");
    struct container *rebuilt = container_rebuild_saving(trial.container, 20000, 1);
    require_same_digest(trial.container, rebuilt);
    container_trial_take_over(&trial, rebuilt);
}

/* --- What is shared --- */

enum { SNAPSHOTS = 12, LEAVES = 40, BLOCKS = 30 };

/* Contents of some hundred thousand bytes, which a dozen snapshots and two copies share but for a little. */
static void share_pages(struct container_trial *trial) {
    require(act_create_page(trial, "pages", UINT64_C(1) * LEAVES * LEAF_BYTES), "a page blob");
    for (uint64_t leaf = 0; leaf < LEAVES; leaf += 8)
        require(act_put_pages(trial, "pages", leaf * LEAF_PAGES, UINT64_C(8) * LEAF_PAGES), "pages");
    for (version id = 1; id <= SNAPSHOTS; id++) {
        require(act_snapshot(trial, "pages", id), "a snapshot");
        require(act_put_pages(trial, "pages", id * 3, 1), "one page");
    }
    require(act_copy(trial, "pages' copy", "pages", 0) && act_copy(trial, "pages", "pages", 2), "copies");
}

static void share_blocks(struct container_trial *trial) {
    char ids[BLOCKS * 5 + 1] = "";
    for (size_t i = 0; i < BLOCKS; i++) {
        char id[] = {(char)('a' + i % 26), (char)('a' + i / 26), '\0'};
        require(act_stage(trial, "blocks", id, act_bytes(i, 10000 + i)), "a block");
        sprintf(ids + strlen(ids), i ? " L%s" : "L%s", id);
    }
    require(act_commit(trial, "blocks", ids), "a commit");
    for (version id = 1; id <= SNAPSHOTS; id++)
        require(act_snapshot(trial, "blocks", id) && act_commit(trial, "blocks", ids), "a snapshot");
    require(act_copy(trial, "blocks' copy", "blocks", 3), "a copy");
    require(act_stage(trial, "blocks", "zz", act_bytes(0, 3000)), "a block more");
}

static void share_appended(struct container_trial *trial) {
    require(act_create_append(trial, "log"), "an append blob");
    for (version id = 1; id <= SNAPSHOTS; id++)
        require(act_append(trial, "log", act_bytes(id, 30000)) && act_snapshot(trial, "log", id), "more");
    require(act_copy(trial, "log's copy", "log", SNAPSHOTS - 1), "a copy");
    require(act_copy(trial, "log", "log", 2), "an older one in its place");
}

static void share_one_piece(struct container_trial *trial) {
    require(act_put(trial, "whole", act_bytes(5, 200000)), "a blob in one piece");
    for (version id = 1; id <= SNAPSHOTS; id++) require(act_snapshot(trial, "whole", id), "a snapshot");
    require(act_copy(trial, "whole's copy", "whole", 1), "a copy");
}

static void (*const sharings[])(struct container_trial *trial) = {share_pages, share_blocks, share_appended,
                                                                  share_one_piece};

/* Headers of chunks and the room that is kept for more may differ, but no bytes stand there twice. */
static void require_like(size_t memory, size_t expected, const char *what, size_t sharing) {
    require(memory <= expected + expected / 20, "%s of sharing %zu holds %zu bytes instead of %zu", what,
            sharing, memory, expected);
}

TEST(a_copy_shares_what_its_source_shares) {
    for (size_t i = 0; i < ARRAY_SIZE(sharings); i++) {
        ACTS(trial);
        sharings[i](&trial);
        container_trial_compare(&trial);
        size_t memory = container_memory(trial.container), before = allocations_bytes();
        struct container *copy = container_copy(trial.container);
        require_like(container_memory(copy), memory, "the copy", i);
        require(allocations_bytes() - before < memory / 3, "a copy of %zu bytes takes %zu", memory,
                allocations_bytes() - before);
        require_same_digest(trial.container, copy);
        container_trial_take_over(&trial, copy);
    }
}

TEST(a_file_shares_what_its_container_shares) {
    for (size_t i = 0; i < ARRAY_SIZE(sharings); i++)
        for (size_t piece = 0; piece < ARRAY_SIZE(pieces); piece++) {
            ACTS(trial);
            sharings[i](&trial);
            size_t memory = container_memory(trial.container);
            struct container *rebuilt = container_rebuild(trial.container, pieces[piece]);
            require_like(container_memory(rebuilt), memory, "what a file builds", i);
            require_same_digest(trial.container, rebuilt);
            container_trial_take_over(&trial, rebuilt);
        }
}

TEST(shared_chunks_are_built_on_as_well) {
    for (size_t i = 0; i < ARRAY_SIZE(sharings); i++) {
        ACTS(trial);
        sharings[i](&trial);
        struct container *rebuilt = container_rebuild_saving(trial.container, 20000, 2);
        require_same_digest(trial.container, rebuilt);
        container_trial_take_over(&trial, rebuilt);
    }
}

/* --- The records of a walk --- */

struct seen {
    enum container_change_kind kinds[64];
    size_t count;
    uint64_t longest; /* piece of a chunk */
};

static void note(void *context, const void *taken) {
    const struct container_change *change = taken;
    struct seen *seen = context;
    require(seen->count < ARRAY_SIZE(seen->kinds), "there are too many records");
    require(change_is(&container_changes, change, CHANGE_IN_FILES), "a change of kind %d is not for files",
            (int)change->kind);
    seen->kinds[seen->count++] = change->kind;
    if (change->kind != CONTAINER_CHUNK) return;
    if (change->content.length > seen->longest) seen->longest = change->content.length;
    require_same(change->chunk != NULL, change->content.length == change->length, "a whole chunk");
    if (change->chunk) require_bytes(chunk_bytes(change->chunk), change->content, "a chunk");
}

static void require_walk(const struct container *container, size_t piece, bool leases,
                         const enum container_change_kind *kinds, size_t count) {
    struct seen seen = {.count = 0};
    const struct change_walk walk = {.piece = piece, .holders = leases, .take = note, .context = &seen};
    container_walk(container, &walk);
    require(seen.longest <= piece, "a piece of %zu bytes", (size_t)seen.longest);
    for (size_t i = 0; i < seen.count && i < count; i++)
        require_same(seen.kinds[i], kinds[i], "record %zu", i);
    require_same(seen.count, count, "records");
}

TEST(records_come_in_order) {
    ACTS(trial);
    require(act_put(&trial, "a", bytes_text("small")) && act_snapshot(&trial, "a", 5), "a small one");
    require(act_put(&trial, "b", act_bytes(0, 5000)) && act_snapshot(&trial, "b", 6), "a large one");
    require(act_copy_state(&trial, "b", COPY_PENDING) && act_lease(&trial, "b", LEASE_HELD),
            "the rest of it");
    require(act_create_page(&trial, "c", 1024) && act_put_pages(&trial, "c", 0, 1), "pages");
    require(act_stage(&trial, "d", "id", act_bytes(0, 10)), "only staged");
    struct container_change lease = act_change(CONTAINER_LEASE, "");
    lease.lease = *blob_lease(act_blob(&trial, "b"));
    require(container_trial_apply(&trial, &lease), "its own lease");
    const enum container_change_kind all[] = {
        CONTAINER_CREATE, CONTAINER_LEASE, BLOB_PUT,      BLOB_SNAPSHOT,   BLOB_PUT,       BLOB_STATE,
        CONTAINER_CHUNK,  BLOB_SPANS,      BLOB_SNAPSHOT, BLOB_STATE,      BLOB_COPYSTATE, BLOB_LEASE,
        BLOB_STATE,       CONTAINER_CHUNK, BLOB_LEAVES,   CONTAINER_CHUNK, BLOB_STAGED,    CONTAINER_LOADED,
    };
    require_walk(trial.container, SIZE_MAX, true, all, ARRAY_SIZE(all));
}

TEST(a_walk_without_chunks_writes_no_end_of_loading) {
    static const enum container_change_kind kinds[] = {CONTAINER_CREATE, BLOB_PUT};
    ACTS(trial);
    require(act_put(&trial, "a", bytes_text("small")) && act_lease(&trial, "a", LEASE_HELD), "a small one");
    require_walk(trial.container, SIZE_MAX, false, kinds, ARRAY_SIZE(kinds));
}

TEST(chunks_come_in_pieces) {
    static const enum container_change_kind kinds[] = {CONTAINER_CREATE, BLOB_STATE,      CONTAINER_CHUNK,
                                                       CONTAINER_CHUNK,  CONTAINER_CHUNK, BLOB_SPANS,
                                                       CONTAINER_LOADED};
    ACTS(trial);
    require(act_put(&trial, "a", act_bytes(0, 5000)), "a large one");
    require_walk(trial.container, 2400, true, kinds, ARRAY_SIZE(kinds));
}

struct lists {
    uint64_t counts[4];
    size_t count;
};

static void note_list(void *context, const void *taken) {
    const struct container_change *change = taken;
    struct lists *lists = context;
    if (change->kind != BLOB_BLOCKS) return;
    require(lists->count < ARRAY_SIZE(lists->counts), "there are too many lists");
    lists->counts[lists->count++] = change->list.count;
}

/* All lists but the last one of a content are as long as they may be, and files that come so are believed. */
TEST(long_lists_come_in_parts) {
    static const uint64_t counts[][3] = {{WALK_LIST_MAX - 1},
                                         {WALK_LIST_MAX},
                                         {WALK_LIST_MAX, 1},
                                         {WALK_LIST_MAX, WALK_LIST_MAX},
                                         {WALK_LIST_MAX, WALK_LIST_MAX, 5}};
    for (size_t row = 0; row < ARRAY_SIZE(counts); row++) {
        const uint64_t *expected = counts[row];
        struct container *container = act_container_of_blocks();
        require(act_add_blocks(container, expected[0] + expected[1] + expected[2]), "many blocks");
        struct lists lists = {.count = 0};
        const struct change_walk walk = {.piece = 100, .take = note_list, .context = &lists};
        container_walk(container, &walk);
        for (size_t i = 0; i < ARRAY_SIZE(counts[row]); i++)
            require_same(lists.counts[i], expected[i], "list %zu of row %zu", i, row);
        require(lists.count == ARRAY_SIZE(counts[row]) || !expected[lists.count], "list %zu of row %zu",
                lists.count, row);
        struct container *rebuilt = container_rebuild(container, 100);
        require_same_digest(container, rebuilt);
        container_free(rebuilt);
        container_free(container);
    }
}

/* --- Digests --- */

/* Each of them makes another digest than there ever was before. */
static bool changed(struct container_trial *trial, int step) {
    switch (step) {
    case 0: return act_put(trial, "a", bytes_text("content"));
    case 1: return act_put(trial, "a", bytes_text("contents"));
    case 2: return act_snapshot(trial, "a", 7);
    case 3: return act_snapshot(trial, "a", 8);
    case 4: return act_drop_snapshots(trial, "a", 7);
    case 5: return act_stage(trial, "a", "1", bytes_text("block"));
    case 6: return act_stage(trial, "b", "1", bytes_text("block"));
    case 7: return act_stage(trial, "b", "2", bytes_text("block"));
    case 8: return act_commit(trial, "b", "L1");
    case 9: return act_copy_state(trial, "b", COPY_PENDING);
    case 10: return act_copy_state(trial, "b", COPY_FAILED);
    case 11: return act_lease(trial, "b", LEASE_HELD);
    case 12: return act_lease(trial, "b", LEASE_FREE);
    case 13: return act_create_page(trial, "c", 2048);
    case 14: return act_put_pages(trial, "c", 1, 1);
    case 15: return act_put_pages(trial, "c", 2, 1);
    case 16: return act_clear_pages(trial, "c", 1, 1);
    case 17: return act_create_append(trial, "d");
    case 18: return act_append(trial, "d", bytes_text("x"));
    default: return act_delete(trial, "b");
    }
}

TEST(every_change_changes_the_digest) {
    enum { STEPS = 20 };
    struct record_writer digests[STEPS];
    ACTS(trial);
    for (int step = 0; step < STEPS; step++) {
        require(changed(&trial, step), "step %d does not fit", step);
        container_digest_bytes(trial.container, &digests[step]);
        for (int other = 0; other < step; other++)
            require(!bytes_equal(bytes_of(digests[step].data, digests[step].length),
                                 bytes_of(digests[other].data, digests[other].length)),
                    "after step %d it is as after %d", step, other);
    }
    for (int step = 0; step < STEPS; step++) record_end(&digests[step]);
}

/* Changes that are the same but for one of them. */
struct difference {
    const char *what;
    struct container_change changes[4], other;
    size_t at; /* of the other one */
};

#define NAMED(which) .kind = (which), .name = {"blob", 4}, .stamp = {2, 2}
#define CHUNK(text)  .kind = CONTAINER_CHUNK, .length = sizeof(text) - 1, .content = {text, sizeof(text) - 1}

static const char page[PAGE_BYTES] = "a page";

static const struct difference differences[] = {
    {"the bytes of a staged block",
     {{NAMED(BLOB_STAGE), .block_id = {"a", 1}, .content = {"xy", 2}}},
     {NAMED(BLOB_STAGE), .block_id = {"a", 1}, .content = {"xz", 2}},
     0},
    {"when it was staged",
     {{NAMED(BLOB_STAGE), .block_id = {"a", 1}, .content = {"xy", 2}, .touched_ms = 5}},
     {NAMED(BLOB_STAGE), .block_id = {"a", 1}, .content = {"xy", 2}, .touched_ms = 6},
     0},
    {"the place of a page",
     {{NAMED(BLOB_CREATEPAGE), .length = 2048}, {NAMED(BLOB_PUTPAGE), .content = {page, PAGE_BYTES}}},
     {NAMED(BLOB_PUTPAGE), .offset = 512, .content = {page, PAGE_BYTES}},
     1},
    {"whether zeros were written",
     {{NAMED(BLOB_CREATEPAGE), .length = 2048}, {NAMED(BLOB_PUTPAGE), .content = {page, PAGE_BYTES}}},
     {NAMED(BLOB_CLEARPAGE), .length = 512},
     1},
    {"where a block ends",
     {{CHUNK("x")}, {CHUNK("xx")}, {NAMED(BLOB_STATE)}, {NAMED(BLOB_BLOCKS), .list = {2, {"\1a\1\1b\2", 6}}}},
     {NAMED(BLOB_BLOCKS), .list = {2, {"\1a\2\1b\1", 6}}},
     3},
    {"the id of a block",
     {{CHUNK("abc")}, {NAMED(BLOB_STATE)}, {NAMED(BLOB_BLOCKS), .list = {1, {"\1a\1", 3}}}},
     {NAMED(BLOB_BLOCKS), .list = {1, {"\1b\1", 3}}},
     2},
    {"the id of a snapshot",
     {{NAMED(BLOB_PUT), .content = {"x", 1}}, {NAMED(BLOB_SNAPSHOT), .snapshot = 5}},
     {NAMED(BLOB_SNAPSHOT), .snapshot = 6},
     1},
    {"how far a copy is",
     {{NAMED(BLOB_PUT), .content = {"x", 1}},
      {NAMED(BLOB_COPYSTATE), .copy = {COPY_PENDING, 5, {"s", 1}, 5, 10, 0, false, false, {"", 0}}}},
     {NAMED(BLOB_COPYSTATE), .copy = {COPY_PENDING, 5, {"s", 1}, 6, 10, 0, false, false, {"", 0}}},
     1},
};

static void digest_of(const struct difference *difference, bool other, struct record_writer *digest) {
    struct container *container =
        container_new(&(struct container_change){.kind = CONTAINER_CREATE, .stamp = {1, 1}});
    for (size_t i = 0; i < ARRAY_SIZE(difference->changes); i++) {
        const struct container_change *change = &difference->changes[i];
        if (change->kind == CONTAINER_CREATE) break;
        if (other && i == difference->at) change = &difference->other;
        require(container_apply(container, change), "%s: change %zu", difference->what, i);
    }
    container_end_load(container);
    container_digest_bytes(container, digest);
    container_free(container);
}

/* All the rest being equal; and what is equal has the same digest. */
TEST(a_digest_tells_of_everything) {
    for (size_t i = 0; i < ARRAY_SIZE(differences); i++) {
        struct record_writer digests[3];
        for (size_t which = 0; which < ARRAY_SIZE(digests); which++)
            digest_of(&differences[i], which == 1, &digests[which]);
        struct bytes first = bytes_of(digests[0].data, digests[0].length);
        require(!bytes_equal(bytes_of(digests[1].data, digests[1].length), first), "%s is not seen",
                differences[i].what);
        require_bytes(bytes_of(digests[2].data, digests[2].length), first, "%s", differences[i].what);
        for (size_t which = 0; which < ARRAY_SIZE(digests); which++) record_end(&digests[which]);
    }
}
