/* Where a blob was copied from: what copying shares and sets, what is pending, how it ends, and which writes
 * make it forgotten. */
#include "acts.h"
#include "blob/snapshots.h"
#include "unit.h"

static const struct copy *copy_at(const struct container_trial *trial, const char *name) {
    return blob_special(act_blob(trial, name))->copy;
}

static bool is_pending(const struct container_trial *trial, const char *name) {
    return blob_is_being_copied(act_blob(trial, name));
}

static bool abort_copy(struct container_trial *trial, const char *name) {
    const struct container_change change = act_change(BLOB_ABORTCOPY, name);
    return container_trial_apply(trial, &change);
}

/* A blob of each kind, none of them empty. */
static const char *const names[] = {"small", "large", "blocks", "pages", "log"};

static void start(struct container_trial *trial) {
    acts_start(trial);
    require(act_put(trial, "small", bytes_text("small")) && act_put(trial, "large", act_bytes(0, 200000)),
            "two of one piece");
    require(act_stage(trial, "blocks", "a", act_bytes(5, 100000)) &&
                act_stage(trial, "blocks", "b", bytes_text("b")) && act_commit(trial, "blocks", "La Lb La"),
            "one of blocks");
    require(act_create_page(trial, "pages", 1 << 20) && act_put_pages(trial, "pages", 100, 300), "pages");
    require(act_create_append(trial, "log") && act_append(trial, "log", act_bytes(0, 70000)) &&
                act_append(trial, "log", act_bytes(9, 70000)),
            "one that grows");
}

/* --- Copies that are done at once --- */

TEST(a_copy_is_equal_and_shares_all_bytes) {
    ACTS_BY(trial, start);
    size_t memory = container_memory(trial.container);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        require(act_copy(&trial, "copy", names[i], 0), "a copy of '%s'", names[i]);
        container_trial_compare(&trial);
        require(container_memory(trial.container) < memory + 1500, "a copy of '%s' holds %zu", names[i],
                container_memory(trial.container) - memory);
        require_same(copy_at(&trial, "copy")->status, COPY_SUCCESS, "'%s'", names[i]);
        require(act_delete(&trial, "copy"), "it goes");
    }
}

/* Whichever of the two changes, the other one does not; the model sees to that. */
TEST(a_copied_state_and_its_source_change_alone) {
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char name[] = {'c', (char)('0' + i), '\0'};
        require(act_copy(&trial, name, names[i], 0), "a copy of '%s'", names[i]);
    }
    require(act_append(&trial, "log", bytes_text("more")) && act_append(&trial, "c4", bytes_text("other")),
            "both grow");
    require(act_put_pages(&trial, "c3", 120, 2) && act_clear_pages(&trial, "pages", 200, 50), "both change");
    require(act_stage(&trial, "c2", "c", bytes_text("c")) && act_commit(&trial, "c2", "Lb Lc"), "blocks");
    require(act_put(&trial, "large", bytes_text("other")) && act_delete(&trial, "small"), "the others go");
}

TEST(properties_come_along_and_metadata_may_be_new) {
    ACTS(trial);
    struct container_change change = act_change(BLOB_PUT, "source");
    change.properties = (struct packed_list){1, bytes_text("\15cache-control\2no")};
    change.metadata = (struct packed_list){1, bytes_text("\1a\3old")};
    require(container_trial_apply(&trial, &change) && act_put(&trial, "copy", bytes_text("x")), "two blobs");
    require(act_copy(&trial, "copy", "source", 0), "a copy");
    require_same(blob_metadata(act_blob(&trial, "copy")).count, 1, "the source's metadata");
    require_same(blob_properties(act_blob(&trial, "copy")).count, 1, "the source's properties");
    change = act_change(BLOB_COPY, "copy");
    change.source = bytes_text("source");
    change.parts = PART_METADATA;
    change.copy = (struct copy){COPY_SUCCESS, 7, bytes_text("k/source"), 1, 1, 1, false, false, {"", 0}};
    require(container_trial_apply(&trial, &change), "a copy");
    require_same(blob_metadata(act_blob(&trial, "copy")).count, 0, "none at all");
    require_same(blob_properties(act_blob(&trial, "copy")).count, 1, "the source's properties");
    /* A blob that is copied onto itself keeps its own, or gets new ones. */
    change.name = bytes_text("source");
    change.metadata = (struct packed_list){1, bytes_text("\1b\1x")};
    require(container_trial_apply(&trial, &change) && act_copy(&trial, "source", "source", 0), "onto itself");
    require_bytes(blob_metadata(act_blob(&trial, "source")).items, bytes_text("\1b\1x"), "its own");
}

TEST(copies_from_missing_sources_change_nothing) {
    ACTS_BY(trial, start);
    require(act_stage(&trial, "staged", "a", bytes_text("a")), "a name");
    require(!act_copy(&trial, "copy", "missing", 0), "from nothing");
    require(!act_copy(&trial, "copy", "missing", 5), "from a snapshot of nothing");
    require(!act_copy(&trial, "copy", "small", 5), "from a snapshot that never was");
    require(!act_copy(&trial, "copy", "staged", 0), "from what is not committed");
    require(!act_copy(&trial, "staged", "staged", 0), "onto itself likewise");
    require(!act_copy_from(&trial, "copy", "small", 0), "from a container that there is not");
    container_trial_compare(&trial);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        for (size_t other = 0; other < ARRAY_SIZE(names); other++) {
            bool alike = act_blob(&trial, names[i])->kind == act_blob(&trial, names[other])->kind;
            if (!alike) require(!act_copy(&trial, names[i], names[other], 0), "to another kind");
        }
    container_trial_compare(&trial);
    require(act_copy(&trial, "staged", "log", 0), "to a name that is not committed");
}

TEST(a_copy_takes_no_snapshots_along) {
    ACTS_BY(trial, start);
    require(act_snapshot(&trial, "large", 3) && act_put(&trial, "large", bytes_text("new")), "a snapshot");
    require(act_put(&trial, "copy", bytes_text("x")) && act_snapshot(&trial, "copy", 4), "another one");
    require(act_copy(&trial, "copy", "large", 3), "a copy of it");
    require_same(snapshots_count(act_blob(&trial, "copy")), 1, "its own one");
    require(snapshots_find(act_blob(&trial, "copy"), 4), "its own one");
    require_same(blob_length(act_blob(&trial, "copy")), 200000, "the old state");
}

/* --- Which writes make it forgotten --- */

static bool write(struct container_trial *trial, enum container_change_kind kind, const char *name) {
    struct container_change change = act_change(kind, name);
    change.length = PAGE_BYTES;
    change.content = kind == BLOB_APPEND ? bytes_text("more") : act_bytes(0, PAGE_BYTES);
    change.offset = kind == BLOB_APPEND ? blob_length(act_blob(trial, name)) : 0;
    change.block_id = bytes_text("c");
    change.snapshot = change.stamp.etag;
    change.lease =
        (struct lease){.kind = LEASE_HELD, .token = 5, .ends_ms = 5, .duration_ms = 5, .owner = {"", 0}};
    return container_trial_apply(trial, &change);
}

TEST(writes_of_content_forget_where_a_blob_came_from) {
    static const struct {
        const char *name;
        enum container_change_kind kind;
        bool forgets;
    } cases[] = {
        {"small", BLOB_PUT, true},        {"small", BLOB_SETPROPS, true},   {"small", BLOB_SETMETA, true},
        {"small", BLOB_COMMIT, true},     {"pages", BLOB_CREATEPAGE, true}, {"log", BLOB_CREATEAPPEND, true},
        {"log", BLOB_APPEND, true},       {"pages", BLOB_SETMETA, true},    {"pages", BLOB_PUTPAGE, false},
        {"pages", BLOB_CLEARPAGE, false}, {"blocks", BLOB_STAGE, false},    {"large", BLOB_LEASE, false},
        {"large", BLOB_SNAPSHOT, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        ACTS_BY(trial, start);
        require(act_copy_state(&trial, cases[i].name, COPY_SUCCESS), "it came from somewhere");
        require(write(&trial, cases[i].kind, cases[i].name), "case %zu does not fit", i);
        require_same(copy_at(&trial, cases[i].name) == NULL, cases[i].forgets, "case %zu", i);
    }
}

/* --- Copies that go on --- */

TEST(a_copy_can_go_on_and_end) {
    static const enum copy_status ends[] = {COPY_SUCCESS, COPY_ABORTED, COPY_FAILED};
    ACTS_BY(trial, start);
    require(!act_copy_state(&trial, "missing", COPY_PENDING), "of no blob");
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        for (size_t end = 0; end < ARRAY_SIZE(ends); end++) {
            require(!is_pending(&trial, names[i]), "nothing is pending");
            require(act_copy_state(&trial, names[i], COPY_PENDING), "it begins");
            require(is_pending(&trial, names[i]), "it is pending");
            require_same(copy_at(&trial, names[i])->done, 5, "how far it is");
            require_same(copy_at(&trial, names[i])->completed_ms, 0, "it is not complete");
            require(act_copy_state(&trial, names[i], ends[end]), "it ends");
            require_same(copy_at(&trial, names[i])->status, ends[end], "how it ended");
            container_trial_compare(&trial);
        }
}

TEST(aborting_leaves_nothing_but_the_name) {
    ACTS_BY(trial, start);
    size_t before = container_memory(trial.container);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        require(!abort_copy(&trial, names[i]), "nothing goes on");
        require(act_copy_state(&trial, names[i], COPY_SUCCESS) && !abort_copy(&trial, names[i]),
                "it is done");
        require(act_copy_state(&trial, names[i], COPY_PENDING) && abort_copy(&trial, names[i]), "it goes on");
        container_trial_compare(&trial);
        const struct blob *blob = act_blob(&trial, names[i]);
        const struct copy *copy = copy_at(&trial, names[i]);
        require_same(blob_length(blob), 0, "'%s'", names[i]);
        require_same(copy->status, COPY_ABORTED, "'%s'", names[i]);
        require_same(copy->completed_ms, blob->stamp.modified_ms, "'%s'", names[i]);
        require(!abort_copy(&trial, names[i]), "it is over");
    }
    require(container_memory(trial.container) < before / 10, "their bytes are there still");
    require(!abort_copy(&trial, "missing"), "of no blob");
}

/* A blob that came of nothing is as good as a new one. */
TEST(an_aborted_blob_lives_on) {
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        require(act_copy_state(&trial, names[i], COPY_PENDING) && abort_copy(&trial, names[i]), "an end");
    require(act_append(&trial, "log", bytes_text("again")) && act_put(&trial, "large", act_bytes(0, 9000)),
            "again");
    require(act_stage(&trial, "blocks", "a", bytes_text("a")) && !act_commit(&trial, "blocks", "Lb"),
            "its blocks are gone");
    struct container_change change = act_change(BLOB_SETPROPS, "pages");
    change.parts = PART_LENGTH | PART_SEQUENCE;
    change.length = 1024;
    change.sequence = 5;
    require(container_trial_apply(&trial, &change) && act_put_pages(&trial, "pages", 0, 2), "pages again");
}

TEST(a_pending_copy_survives_files_copies_and_snapshots) {
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        require(act_copy_state(&trial, names[i], COPY_PENDING) && act_snapshot(&trial, names[i], 9), "both");
        require(blob_is_being_copied(snapshots_find(act_blob(&trial, names[i]), 9)), "the snapshot, too");
    }
    container_trial_take_over(&trial, container_rebuild(trial.container, 1000));
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) require(is_pending(&trial, names[i]), "after a file");
    container_trial_copy(&trial);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) require(is_pending(&trial, names[i]), "after a copy");
}
