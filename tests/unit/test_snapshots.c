/* Snapshots: what they keep while the blob goes on, in which order they stand, and what they cost. */
#include "blob/snapshots.h"

#include "acts.h"
#include "core/garbage.h"
#include "unit.h"

static struct bytes whole(const struct blob *blob) {
    return blob_view(blob, 0, UINT64_MAX);
}

/* --- What they keep --- */

/* Whatever is written later, a snapshot of each kind of blob is as it was; the model
 * has whole copies to compare with. */
TEST(a_snapshot_stays_as_it_was) {
    ACTS(trial);
    require(act_put(&trial, "small", bytes_text("small")) && act_snapshot(&trial, "small", 1), "a small one");
    require(act_put(&trial, "large", act_bytes(0, 9000)) && act_snapshot(&trial, "large", 1), "a large one");
    require(act_stage(&trial, "blocks", "a", bytes_text("a")) && act_commit(&trial, "blocks", "La La") &&
                act_snapshot(&trial, "blocks", 1),
            "one of blocks");
    require(act_create_page(&trial, "pages", UINT64_C(100) * PAGE_BYTES) &&
                act_put_pages(&trial, "pages", 60, 10) && act_snapshot(&trial, "pages", 1),
            "one of pages");
    require(act_create_append(&trial, "log") && act_append(&trial, "log", bytes_text("a line. ")) &&
                act_snapshot(&trial, "log", 1),
            "one that grows");
    container_trial_compare(&trial);
    require(act_put(&trial, "small", bytes_text("other")) && act_put(&trial, "large", bytes_text("other")),
            "overwritten");
    require(act_stage(&trial, "blocks", "b", bytes_text("b")) && act_commit(&trial, "blocks", "Lb Ca"),
            "committed again");
    require(act_put_pages(&trial, "pages", 65, 10) && act_clear_pages(&trial, "pages", 60, 3), "pages");
    require(act_append(&trial, "log", bytes_text("another line. ")), "grown");
    container_trial_compare(&trial);
    require_bytes(whole(snapshots_find(act_blob(&trial, "small"), 1)), bytes_text("small"), "the old one");
    require_bytes(whole(snapshots_find(act_blob(&trial, "log"), 1)), bytes_text("a line. "), "the old one");
    require_same(blob_special(snapshots_find(act_blob(&trial, "log"), 1))->appended, 1, "its blocks");
}

TEST(lists_and_numbers_are_kept) {
    ACTS(trial);
    struct container_change change = act_change(BLOB_CREATEPAGE, "blob");
    change.length = 1024;
    change.sequence = 77;
    change.metadata = (struct packed_list){1, bytes_text("\1a\3old")};
    change.properties = (struct packed_list){1, bytes_text("\15cache-control\2no")};
    require(container_trial_apply(&trial, &change) && act_copy_state(&trial, "blob", COPY_SUCCESS), "a blob");
    require(act_snapshot(&trial, "blob", 3), "a snapshot");
    change.kind = BLOB_SETPROPS;
    change.parts = PART_PROPERTIES | PART_LENGTH | PART_SEQUENCE;
    change.length = 512;
    change.sequence = 78;
    change.properties = packed_view(NULL);
    require(container_trial_apply(&trial, &change), "all of it changes");
    container_trial_compare(&trial);
    const struct blob *snapshot = snapshots_find(act_blob(&trial, "blob"), 3);
    require_same(blob_length(snapshot), 1024, "its length");
    require_same(blob_special(snapshot)->sequence, 77, "its sequence number");
    require_same(blob_special(snapshot)->copy->status, COPY_SUCCESS, "where it came from");
    require(!blob_special(act_blob(&trial, "blob"))->copy, "the blob came from nowhere any more");
    require_same(blob_properties(snapshot).count, 1, "its properties");
}

TEST(a_snapshot_may_have_metadata_of_its_own) {
    ACTS(trial);
    struct container_change change = act_change(BLOB_PUT, "blob");
    change.metadata = (struct packed_list){1, bytes_text("\1a\3old")};
    require(container_trial_apply(&trial, &change), "a blob");
    static const struct {
        unsigned parts;
        struct packed_list metadata, expected;
    } cases[] = {
        {0, {1, {"\1b\1x", 4}}, {1, {"\1a\3old", 6}}},
        {PART_METADATA, {1, {"\1b\1x", 4}}, {1, {"\1b\1x", 4}}},
        {PART_METADATA, {0, {"", 0}}, {0, {"", 0}}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        change = act_change(BLOB_SNAPSHOT, "blob");
        change.snapshot = i + 1;
        change.parts = cases[i].parts;
        change.metadata = cases[i].metadata;
        require(container_trial_apply(&trial, &change), "a snapshot");
        const struct blob *snapshot = snapshots_find(act_blob(&trial, "blob"), i + 1);
        require_same(blob_metadata(snapshot).count, cases[i].expected.count, "case %zu", i);
        require_bytes(blob_metadata(snapshot).items, cases[i].expected.items, "case %zu", i);
        require_same(snapshot->stamp.etag, change.stamp.etag, "the ETag that the change says");
        require_same(blob_metadata(act_blob(&trial, "blob")).count, 1, "the blob keeps its own");
    }
}

/* --- Their order --- */

TEST(ids_of_snapshots_only_grow) {
    ACTS(trial);
    require(!act_snapshot(&trial, "blob", 1), "of no blob");
    require(act_put(&trial, "blob", bytes_text("x")), "a blob");
    require(!act_snapshot(&trial, "blob", 0), "the id 0");
    require(act_snapshot(&trial, "blob", 5), "the first one");
    require(!act_snapshot(&trial, "blob", 5), "the same id");
    require(!act_snapshot(&trial, "blob", 4), "a smaller id");
    container_trial_compare(&trial);
    require(act_snapshot(&trial, "blob", 6) && act_snapshot(&trial, "blob", UINT64_C(1) << 40),
            "greater ids");
    require(act_drop_snapshots(&trial, "blob", UINT64_C(1) << 40) && act_snapshot(&trial, "blob", 7),
            "the last one that is left counts");
    require(act_put(&trial, "other", bytes_text("x")) && act_snapshot(&trial, "other", 1), "of another blob");
}

TEST(snapshots_are_found_by_their_ids) {
    enum { COUNT = 100 };
    ACTS(trial);
    require(act_put(&trial, "blob", bytes_text("x")), "a blob");
    const struct blob *blob = act_blob(&trial, "blob");
    require(!snapshots_find(blob, 5) && !snapshots_count(blob), "there are none");
    for (version i = 1; i <= COUNT; i++) require(act_snapshot(&trial, "blob", i * 10), "a snapshot");
    blob = act_blob(&trial, "blob");
    const struct snapshots *snapshots = blob_special(blob)->snapshots;
    require_same(snapshots_count(blob), COUNT, "snapshots");
    for (version id = 0; id <= COUNT * 10 + 10; id++) {
        bool there = id && id % 10 == 0 && id <= COUNT * UINT64_C(10);
        require_same(snapshots_find(blob, id) != NULL, there, "the id %d", (int)id);
        size_t place = id <= 10 ? 0 : (size_t)((id + 9) / 10 - 1);
        require_same(snapshots_seek(snapshots, id), place < COUNT ? place : COUNT, "the id %d", (int)id);
    }
}

TEST(snapshots_are_dropped_singly_and_together) {
    ACTS(trial);
    require(!act_drop_snapshots(&trial, "blob", 0), "of no blob");
    require(act_put(&trial, "blob", act_bytes(0, 5000)), "a blob");
    size_t before = container_memory(trial.container);
    require(!act_drop_snapshots(&trial, "blob", 0) && !act_drop_snapshots(&trial, "blob", 3),
            "there are none");
    for (version id = 1; id <= 5; id++) require(act_snapshot(&trial, "blob", id), "a snapshot");
    require(!act_drop_snapshots(&trial, "blob", 6), "one that never was");
    static const version order[] = {3, 1, 5, 2, 4};
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        require(act_drop_snapshots(&trial, "blob", order[i]), "one of them");
        require(!act_drop_snapshots(&trial, "blob", order[i]), "it is gone");
        container_trial_compare(&trial);
    }
    require_same(container_memory(trial.container), before, "nothing of them is left");
    for (version id = 6; id <= 9; id++) require(act_snapshot(&trial, "blob", id), "a snapshot");
    require(act_drop_snapshots(&trial, "blob", 0), "all of them");
    require_same(container_memory(trial.container), before, "nothing of them is left");
    require(act_snapshot(&trial, "blob", 10) && act_delete(&trial, "blob"), "the blob with all of them");
}

/* --- What they cost --- */

TEST(a_snapshot_holds_no_bytes_of_its_own) {
    enum { RECORD_MAX = 600 };
    ACTS(trial);
    require(act_put(&trial, "large", act_bytes(0, 300000)), "a large one");
    require(act_create_page(&trial, "pages", 1 << 20) && act_put_pages(&trial, "pages", 0, 600), "pages");
    require(act_create_append(&trial, "log") && act_append(&trial, "log", act_bytes(0, 300000)) &&
                act_append(&trial, "log", act_bytes(0, 300000)),
            "one that grows");
    static const char *const names[] = {"large", "pages", "log"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        for (version id = 1; id <= 10; id++) {
            size_t memory = container_memory(trial.container), made = allocations_made();
            require(act_snapshot(&trial, names[i], id), "a snapshot of '%s'", names[i]);
            require(container_memory(trial.container) < memory + RECORD_MAX, "a snapshot of '%s' holds %zu",
                    names[i], container_memory(trial.container) - memory);
            require(allocations_made() - made < 10, "a snapshot of '%s' makes %zu allocations", names[i],
                    allocations_made() - made);
        }
}

/* One page that changes costs the snapshot's leaf again, and not its 600 pages. */
TEST(a_changed_page_costs_one_leaf) {
    ACTS(trial);
    require(act_create_page(&trial, "pages", 1 << 20) && act_put_pages(&trial, "pages", 0, 600), "pages");
    for (version id = 1; id <= 5; id++) {
        require(act_snapshot(&trial, "pages", id), "a snapshot");
        size_t memory = container_memory(trial.container);
        require(act_put_pages(&trial, "pages", 100 * id, 1), "one page");
        require(container_memory(trial.container) < memory + LEAF_BYTES + 2000, "one page holds %zu",
                container_memory(trial.container) - memory);
    }
}

/* The old content goes with the last snapshot that has it. */
TEST(shared_bytes_are_freed_with_the_last_snapshot) {
    ACTS(trial);
    require(act_put(&trial, "blob", act_bytes(0, 100000)) && act_snapshot(&trial, "blob", 1) &&
                act_snapshot(&trial, "blob", 2) && act_put(&trial, "blob", bytes_text("small")),
            "two snapshots");
    require(container_memory(trial.container) > 100000, "both have it");
    require(act_drop_snapshots(&trial, "blob", 1), "one of them");
    require(container_memory(trial.container) > 100000, "the other one has it");
    require(act_drop_snapshots(&trial, "blob", 2), "the other one");
    require(container_memory(trial.container) < 5000, "nobody has it, and it is there");
}

/* --- Back to how it was --- */

TEST(an_older_state_can_be_promoted) {
    ACTS(trial);
    require(act_create_page(&trial, "pages", 1 << 17) && act_put_pages(&trial, "pages", 3, 70) &&
                act_snapshot(&trial, "pages", 1) && act_put_pages(&trial, "pages", 5, 70) &&
                act_snapshot(&trial, "pages", 2) && act_clear_pages(&trial, "pages", 0, 256),
            "two states and a third one");
    require(act_copy(&trial, "pages", "pages", 1), "the first one again");
    require(pages_same(blob_pages(act_blob(&trial, "pages")),
                       blob_pages(snapshots_find(act_blob(&trial, "pages"), 1))),
            "its bytes are shared");
    require(blob_special(act_blob(&trial, "pages"))->born !=
                blob_special(snapshots_find(act_blob(&trial, "pages"), 1))->born,
            "they cannot be compared with those of before");
    require(act_put_pages(&trial, "pages", 4, 1), "and it goes on");
    require(!act_copy(&trial, "pages", "pages", 3), "a state that never was");
    require(act_put(&trial, "other", bytes_text("x")) && !act_copy(&trial, "other", "pages", 1),
            "a blob of another kind");
}

/* --- Their end --- */

enum { SNAPSHOTS = 2000, PAGES = 64 * 200, PORTION = 100 };

static void note_nothing(void) {}

/* The last one is alone with its pages. */
static void take_many(struct container_trial *trial) {
    require(act_create_page(trial, "blob", (uint64_t)PAGES * PAGE_BYTES), "a blob");
    for (version id = 1; id < SNAPSHOTS; id++) require(act_snapshot(trial, "blob", id), "a snapshot");
    for (uint64_t at = 0; at < PAGES; at += 64) require(act_put_pages(trial, "blob", at, 1), "a page");
    require(act_snapshot(trial, "blob", SNAPSHOTS) && act_clear_pages(trial, "blob", 0, PAGES), "the last");
}

/* Also when the blob goes, and when its container does before they have gone. */
TEST(many_snapshots_are_freed_by_and_by) {
    for (int way = 0; way < 3; way++) {
        struct container_trial trial;
        acts_start(&trial);
        garbage_pending = note_nothing;
        take_many(&trial);
        size_t all = container_allocations(trial.container);
        require(way ? act_delete(&trial, "blob") : act_drop_snapshots(&trial, "blob", 0), "they are dropped");
        require_same(container_census().snapshots, trial.before.snapshots, "snapshots that count");
        size_t left = container_allocations(trial.container), freed = all - left;
        require(freed < all / 3, "%zu of %zu parts are freed at once", freed, all);
        for (bool more = way < 2; more; left -= freed) {
            more = garbage_sweep(PORTION);
            freed = left - container_allocations(trial.container);
            require(freed && freed <= (size_t)10 * PORTION, "a portion of %zu parts", freed);
        }
        if (way < 2) container_trial_compare(&trial);
        container_trial_end(&trial);
        require(!garbage_sweep(1), "something is left to sweep");
        garbage_pending = NULL;
    }
}
