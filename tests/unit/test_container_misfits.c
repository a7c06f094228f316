/* Misfits: records that can be read and yet say of a container what cannot be so. Each is refused, and all is as it
 * was, as the model has it. */
#include "acts.h"
#include "blob/blocks.h"
#include "core/feed.h"
#include "unit.h"

/* A small blob, a large one, one of blocks with more staged, pages, one that grows, a name with a staged block alone;
 * and a file that has brought chunks: 1 to 3 of one, two and five pages, 4 of ten bytes, 5 not whole yet. */
static void start(struct container_trial *trial) {
    acts_start(trial);
    require(act_put(trial, "small", bytes_text("small")) && act_put(trial, "large", act_bytes(0, 9000)),
            "puts");
    require(act_stage(trial, "blocks", "a", bytes_text("a")) &&
                act_stage(trial, "blocks", "b", bytes_text("b")) && act_commit(trial, "blocks", "La Lb") &&
                act_stage(trial, "blocks", "c", bytes_text("c")),
            "blocks");
    require(act_create_page(trial, "pages", UINT64_C(3) * LEAF_BYTES) && act_put_pages(trial, "pages", 0, 3),
            "pages");
    require(act_create_append(trial, "log") && act_append(trial, "log", bytes_text("log")), "one that grows");
    require(act_stage(trial, "staged", "a", bytes_text("a")), "a name");
    require(act_snapshot(trial, "small", 7), "a snapshot");
    static const uint64_t lengths[] = {PAGE_BYTES, UINT64_C(2) * PAGE_BYTES, UINT64_C(5) * PAGE_BYTES, 10,
                                       1000};
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        struct container_change change = {.kind = CONTAINER_CHUNK, .length = lengths[i]};
        change.content = act_bytes(i, i < 4 ? (size_t)lengths[i] : 999);
        require(container_trial_apply(trial, &change), "a chunk");
    }
}

/* Through its record, as it comes from outside; some cannot even be read. */
static void require_misfit(struct container_trial *trial, const struct container_change *change,
                           const char *why) {
    struct record_writer record;
    struct container_change read;
    record_start(&record);
    change_write(&container_changes, change, &record);
    bool readable = change_read(&container_changes, record_written(&record), &read);
    read.content = change->content;
    if (readable && read.content.length > BLOB_INLINE_MAX) read.chunk = chunk_copy(read.content);
    require(!readable || !container_trial_apply(trial, &read), "%s: it fits", why);
    record_end(&record);
    container_trial_compare(trial);
}

static void require_list_misfit(struct container_trial *trial, enum container_change_kind kind,
                                const char *name, uint64_t count, struct bytes items, const char *why) {
    struct container_change change = act_change(kind, name);
    change.list = (struct packed_list){count, items};
    require_misfit(trial, &change, why);
}

struct list_case {
    const char *why, *name;
    uint64_t count;
    struct bytes items;
};

static void require_list_misfits(struct container_trial *trial, enum container_change_kind kind,
                                 const struct list_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++)
        require_list_misfit(trial, kind, cases[i].name, cases[i].count, cases[i].items, cases[i].why);
}

static bool list_fits(struct container_trial *trial, enum container_change_kind kind, const char *name,
                      uint64_t count, struct bytes items) {
    struct container_change change = act_change(kind, name);
    change.list = (struct packed_list){count, items};
    return container_trial_apply(trial, &change);
}

/* clang-format off */
#define ITEMS(text) { text, sizeof(text) - 1 }
/* clang-format on */
#define LIST(text) bytes_of(text, sizeof(text) - 1)

/* --- Leaves of pages --- */

/* A leaf's number, the bits of its pages, and the number of its chunk. */
#define LEAF(index, low, chunk) index low "\0\0\0\0\0\0\0" chunk

TEST(leaves_that_do_not_fit_the_pages_are_refused) {
    static const struct list_case cases[] = {
        {"a leaf that is there already", "pages", 1, ITEMS(LEAF("\0", "\1", "\1"))},
        {"twice the same one", "pages", 2, ITEMS(LEAF("\1", "\1", "\1") LEAF("\1", "\1", "\1"))},
        {"twice, with other pages", "pages", 2, ITEMS(LEAF("\1", "\1", "\1") LEAF("\1", "\2", "\1"))},
        {"out of order", "pages", 2, ITEMS(LEAF("\2", "\1", "\1") LEAF("\1", "\1", "\1"))},
        {"the second one is there already", "pages", 2, ITEMS(LEAF("\1", "\1", "\1") LEAF("\0", "\1", "\1"))},
        {"beyond the end", "pages", 1, ITEMS(LEAF("\3", "\1", "\1"))},
        {"beyond the end after a good one", "pages", 2, ITEMS(LEAF("\1", "\1", "\1") LEAF("\3", "\1", "\1"))},
        {"far beyond the end", "pages", 1, ITEMS(LEAF("\xff\xff\xff\x7f", "\1", "\1"))},
        {"beyond all numbers", "pages", 1, ITEMS(LEAF("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", "\1", "\1"))},
        {"as far as numbers of pages go around", "pages", 1,
         ITEMS(LEAF("\x81\x80\x80\x80\x80\x80\x80\x80\x04", "\1", "\1"))},
        {"no pages", "pages", 1, ITEMS(LEAF("\1", "\0", "\1"))},
        {"more pages than bytes", "pages", 1, ITEMS(LEAF("\1", "\3", "\1"))},
        {"fewer pages than bytes", "pages", 1, ITEMS(LEAF("\1", "\1", "\2"))},
        {"bytes that are no pages", "pages", 1, ITEMS(LEAF("\1", "\1", "\4"))},
        {"chunk 0", "pages", 1, ITEMS(LEAF("\1", "\1", "\0"))},
        {"a chunk that is not whole", "pages", 1, ITEMS(LEAF("\1", "\1", "\5"))},
        {"a chunk that never came", "pages", 1, ITEMS(LEAF("\1", "\1", "\6"))},
        {"the last one never came", "pages", 2, ITEMS(LEAF("\1", "\1", "\1") LEAF("\2", "\1", "\x7f"))},
        {"a count that is too large", "pages", 2, ITEMS(LEAF("\1", "\1", "\1"))},
        {"a count that is too small", "pages", 1, ITEMS(LEAF("\1", "\1", "\1") LEAF("\2", "\1", "\1"))},
        {"an endless count", "pages", UINT64_MAX, ITEMS(LEAF("\1", "\1", "\1"))},
        {"half a leaf", "pages", 1, ITEMS("\1\1\0\0\0")},
        {"nothing", "pages", 1, ITEMS("")},
    };
    ACTS_BY(trial, start);
    require_list_misfits(&trial, BLOB_LEAVES, cases, ARRAY_SIZE(cases));
    static const char *const others[] = {"small", "large", "blocks", "log", "staged", "missing"};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        require_list_misfit(&trial, BLOB_LEAVES, others[i], 1, LIST(LEAF("\1", "\1", "\1")), others[i]);
    require(list_fits(&trial, BLOB_LEAVES, "pages", 2, LIST(LEAF("\1", "\1", "\1") LEAF("\2", "\x1f", "\3"))),
            "two good leaves");
}

/* The last page of a blob whose length ends within a leaf. */
TEST(leaves_end_where_the_blob_does) {
    ACTS_BY(trial, start);
    struct container_change change = act_change(BLOB_STATE, "short");
    change.blob_kind = KIND_PAGE;
    change.parts = PART_LENGTH;
    change.length = UINT64_C(3) * PAGE_BYTES;
    require(container_trial_apply(&trial, &change), "a blob of three pages");
    require_list_misfit(&trial, BLOB_LEAVES, "short", 1, LIST(LEAF("\0", "\x8", "\1")), "the fourth page");
    require_list_misfit(&trial, BLOB_LEAVES, "short", 1, LIST(LEAF("\0", "\x9", "\2")), "the fourth, too");
    require(list_fits(&trial, BLOB_LEAVES, "short", 1, LIST(LEAF("\0", "\5", "\2"))), "the third page");
}

/* --- Chunks of contents --- */

TEST(spans_that_do_not_fit_the_chunks_are_refused) {
    static const struct list_case cases[] = {
        {"chunk 0", "log", 1, ITEMS("\0")},
        {"a chunk that is not whole", "log", 1, ITEMS("\5")},
        {"a chunk that never came", "log", 1, ITEMS("\6")},
        {"the last one never came", "log", 3, ITEMS("\1\2\6")},
        {"a count that is too large", "log", 2, ITEMS("\1")},
        {"a count that is too small", "log", 1, ITEMS("\1\1")},
        {"an endless count", "log", UINT64_MAX, ITEMS("\1")},
        {"no chunks", "log", 0, ITEMS("")},
        {"none, and some", "log", 0, ITEMS("\1")},
        {"a number without end", "log", 1, ITEMS("\x80")},
        {"behind a content that stands in the blob", "small", 1, ITEMS("\1")},
        {"chunks without ids behind blocks", "blocks", 1, ITEMS("\1")},
        {"of a page blob", "pages", 1, ITEMS("\1")},
        {"of a name without a blob", "staged", 1, ITEMS("\1")},
        {"of nothing", "missing", 1, ITEMS("\1")},
    };
    ACTS_BY(trial, start);
    require_list_misfits(&trial, BLOB_SPANS, cases, ARRAY_SIZE(cases));
    require(list_fits(&trial, BLOB_SPANS, "log", 3, LIST("\1\4\1")), "good ones");
    require(list_fits(&trial, BLOB_SPANS, "large", 1, LIST("\2")), "behind a chunk");
}

TEST(blocks_that_cannot_be) {
    static const struct list_case cases[] = {
        {"chunk 0", "blocks", 1, ITEMS("\1x\0")},
        {"a chunk that is not whole", "blocks", 1, ITEMS("\1x\5")},
        {"a chunk that never came", "blocks", 2, ITEMS("\1x\1\1y\6")},
        {"an empty id", "blocks", 1, ITEMS("\0\1")},
        {"an id beyond the end", "blocks", 1, ITEMS("\7x\1")},
        {"an id without a chunk", "blocks", 1, ITEMS("\1x")},
        {"an id of 65 bytes", "blocks", 1,
         ITEMS("\x41"
               "0123456789012345678901234567890123456789012345678901234567890123x\1")},
        {"a count that is too large", "blocks", 2, ITEMS("\1x\1")},
        {"a count that is too small", "blocks", 1, ITEMS("\1x\1\1y\1")},
        {"an endless count", "blocks", UINT64_MAX, ITEMS("\1x\1")},
        {"more than 50,000", "blocks", 50001, ITEMS("\1x\1")},
        {"behind a chunk without an id", "large", 1, ITEMS("\1x\1")},
        {"behind a content that stands in the blob", "small", 1, ITEMS("\1x\1")},
        {"of an append blob", "log", 1, ITEMS("\1x\1")},
        {"of a page blob", "pages", 1, ITEMS("\1x\1")},
        {"of a name without a blob", "staged", 1, ITEMS("\1x\1")},
        {"of nothing", "missing", 1, ITEMS("\1x\1")},
    };
    ACTS_BY(trial, start);
    require_list_misfits(&trial, BLOB_BLOCKS, cases, ARRAY_SIZE(cases));
    require(list_fits(&trial, BLOB_BLOCKS, "blocks", 2, LIST("\1x\1\3abc\4")), "good ones");
}

/* No commit makes such a list, but a file may bring one: then the first block of an id is the one that is meant. */
TEST(an_id_of_two_blocks_means_the_first) {
    ACTS_BY(trial, start);
    require(list_fits(&trial, BLOB_BLOCKS, "blocks", 3, LIST("\1x\1\1x\4\1x\2")), "three blocks of one id");
    container_trial_compare(&trial);
    require(act_commit(&trial, "blocks", "Cx Ca Cx"), "a commit");
    require_same(blob_length(act_blob(&trial, "blocks")), UINT64_C(2) * PAGE_BYTES + 1,
                 "the first one, twice");
}

/* In one record or in many, there are never more than 50,000. */
TEST(blocks_of_files_are_as_many_as_there_may_be) {
    struct container *container = act_container_of_blocks();
    const struct blob *blob = container_find(container, bytes_text("blob"));
    require(!act_add_blocks(container, 50001) && blob_length(blob) == 0, "50,001 at once");
    require(act_add_blocks(container, 49999), "49,999");
    require(!act_add_blocks(container, 2) && blob_length(blob) == 49999, "and two more");
    require(act_add_blocks(container, 1), "and one more");
    require(!act_add_blocks(container, 1) && blob_length(blob) == 50000, "and one more still");
    require_same(container_memory(container), allocations_bytes(), "what it holds");
    container_free(container);
}

TEST(staged_blocks_that_cannot_be) {
    static const struct {
        const char *name, *id;
        uint64_t chunk;
    } cases[] = {
        {"staged", "x", 0},  {"staged", "x", 5},  {"staged", "x", 6}, {"staged", "x", UINT64_MAX},
        {"staged", "xx", 1}, {"blocks", "xx", 1}, {"pages", "x", 1},  {"log", "x", 1},
        {"new", "x", 0},     {"new", "x", 5},
    };
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct container_change change = act_change(BLOB_STAGED, cases[i].name);
        change.block_id = bytes_text(cases[i].id);
        change.count = cases[i].chunk;
        require_misfit(&trial, &change, cases[i].name);
    }
    struct container_change change = act_change(BLOB_STAGED, "new");
    change.block_id = bytes_text("x");
    change.count = 4;
    require(container_trial_apply(&trial, &change), "a good one");
}

/* --- States --- */

TEST(states_that_cannot_be) {
    static const struct {
        const char *why, *name;
        enum blob_kind kind;
        unsigned parts;
        uint64_t length, count;
    } cases[] = {
        {"kept, of nothing", "missing", KIND_BLOCK, STATE_KEEPS_CONTENT, 0, 0},
        {"kept, of a name without a blob", "staged", KIND_BLOCK, STATE_KEEPS_CONTENT, 0, 0},
        {"kept, of pages for a block blob", "pages", KIND_BLOCK, STATE_KEEPS_CONTENT, 0, 0},
        {"kept, of a block blob for pages", "large", KIND_PAGE, STATE_KEEPS_CONTENT, 0, 0},
        {"kept, of a log for a block blob", "log", KIND_BLOCK, STATE_KEEPS_CONTENT, 0, 0},
        {"pages in place of a block blob", "small", KIND_PAGE, 0, 0, 0},
        {"a log in place of pages", "pages", KIND_APPEND, 0, 0, 0},
        {"a block blob in place of a log", "log", KIND_BLOCK, 0, 0, 0},
        {"half a page", "pages", KIND_PAGE, PART_LENGTH, 513, 0},
        {"half a page, kept", "pages", KIND_PAGE, PART_LENGTH | STATE_KEEPS_CONTENT, 1, 0},
        {"more pages than there may be", "pages", KIND_PAGE, PART_LENGTH, PAGES_MAX_BYTES + 512, 0},
        {"as many as can be written", "new", KIND_PAGE, PART_LENGTH, UINT64_MAX - 511, 0},
        {"50,001 appended blocks", "log", KIND_APPEND, 0, 0, 50001},
        {"endlessly many", "log", KIND_APPEND, 0, 0, UINT64_MAX},
        {"endlessly many, kept", "log", KIND_APPEND, STATE_KEEPS_CONTENT, 0, UINT64_MAX},
    };
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct container_change change = act_change(BLOB_STATE, cases[i].name);
        change.blob_kind = cases[i].kind;
        change.parts = cases[i].parts;
        change.length = cases[i].length;
        change.count = cases[i].count;
        require_misfit(&trial, &change, cases[i].why);
    }
}

/* What is kept is kept as it is. */
TEST(a_state_keeps_only_a_large_content_of_the_same_length) {
    static const struct {
        const char *name;
        uint64_t length;
        enum blob_kind kind;
        bool fits;
    } cases[] = {
        {"large", 0, KIND_BLOCK, true},
        {"blocks", 0, KIND_BLOCK, true},
        {"small", 0, KIND_BLOCK, false},
        {"log", 0, KIND_APPEND, true},
        {"pages", UINT64_C(3) * LEAF_BYTES, KIND_PAGE, true},
        {"pages", UINT64_C(2) * LEAF_BYTES, KIND_PAGE, false},
        {"pages", UINT64_C(4) * LEAF_BYTES, KIND_PAGE, false},
        {"pages", 0, KIND_PAGE, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        ACTS_BY(trial, start);
        struct container_change change = act_change(BLOB_STATE, cases[i].name);
        change.blob_kind = cases[i].kind;
        change.parts = STATE_KEEPS_CONTENT | (cases[i].kind == KIND_PAGE ? PART_LENGTH : 0U);
        change.length = cases[i].length;
        require_same(container_trial_apply(&trial, &change), cases[i].fits, "case %zu", i);
    }
}

/* --- Writes that come from a primary which has seen something else --- */

TEST(writes_that_do_not_fit_the_blob_do_nothing) {
    static const struct {
        const char *why;
        enum container_change_kind kind;
        const char *name;
        uint64_t offset, length;
    } cases[] = {
        {"appended before the end", BLOB_APPEND, "log", 2, 10},
        {"appended behind the end", BLOB_APPEND, "log", 4, 10},
        {"a large one behind the end", BLOB_APPEND, "log", 4, 5000},
        {"nothing appended", BLOB_APPEND, "log", 3, 0},
        {"appended to a block blob", BLOB_APPEND, "small", 5, 10},
        {"appended to pages", BLOB_APPEND, "pages", UINT64_C(3) * LEAF_BYTES, 10},
        {"appended to a name", BLOB_APPEND, "staged", 0, 10},
        {"appended to nothing", BLOB_APPEND, "missing", 0, 10},
        {"pages behind the end", BLOB_PUTPAGE, "pages", UINT64_C(3) * LEAF_BYTES, 512},
        {"pages across the end", BLOB_PUTPAGE, "pages", UINT64_C(3) * LEAF_BYTES - 512, 1024},
        {"pages that go around", BLOB_PUTPAGE, "pages", PAGES_MAX_BYTES, 512},
        {"half a page", BLOB_PUTPAGE, "pages", 0, 256},
        {"a page and a half", BLOB_PUTPAGE, "pages", 512, 768},
        {"no page", BLOB_PUTPAGE, "pages", 0, 0},
        {"pages of a block blob", BLOB_PUTPAGE, "large", 0, 512},
        {"pages of a log", BLOB_PUTPAGE, "log", 0, 512},
        {"pages of nothing", BLOB_PUTPAGE, "missing", 0, 512},
        {"cleared behind the end", BLOB_CLEARPAGE, "pages", UINT64_C(3) * LEAF_BYTES, 512},
        {"cleared across the end", BLOB_CLEARPAGE, "pages", 512, UINT64_C(3) * LEAF_BYTES},
        {"nothing cleared", BLOB_CLEARPAGE, "pages", 0, 0},
        {"cleared of a name", BLOB_CLEARPAGE, "staged", 0, 512},
        {"pages in place of a block blob", BLOB_CREATEPAGE, "small", 0, 512},
        {"a log in place of pages", BLOB_CREATEAPPEND, "pages", 0, 0},
        {"a put in place of pages", BLOB_PUT, "pages", 0, 10},
        {"a large put in place of a log", BLOB_PUT, "log", 0, 5000},
        {"a block of nothing", BLOB_STAGE, "staged", 0, 0},
        {"a block of pages", BLOB_STAGE, "pages", 0, 10},
        {"a large block of a log", BLOB_STAGE, "log", 0, 5000},
        {"unstaged where nothing is", BLOB_UNSTAGE, "small", 0, 0},
        {"unstaged of nothing", BLOB_UNSTAGE, "missing", 0, 0},
        {"an end of nothing that goes on", BLOB_ABORTCOPY, "large", 0, 0},
        {"an end of nothing at all", BLOB_ABORTCOPY, "missing", 0, 0},
        {"deleted where nothing is", BLOB_DELETE, "missing", 0, 0},
        {"properties of a name", BLOB_SETPROPS, "staged", 0, 0},
        {"metadata of nothing", BLOB_SETMETA, "missing", 0, 0},
        {"a lease on nothing", BLOB_LEASE, "missing", 0, 0},
    };
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct container_change change = act_change(cases[i].kind, cases[i].name);
        change.offset = cases[i].offset;
        change.length = cases[i].length % 512 ? 0 : cases[i].length;
        change.block_id = bytes_text("a");
        change.lease = (struct lease){.kind = LEASE_FREE, .token = 5, .owner = {"", 0}};
        if (change_is(&container_changes, &change, CHANGE_HAS_CONTENT))
            change.content = act_bytes(i, (size_t)cases[i].length);
        require_misfit(&trial, &change, cases[i].why);
    }
}

/* 50,000 blocks can be appended, however many there were when the blob was written down. */
TEST(appended_blocks_are_as_many_as_there_may_be) {
    ACTS_BY(trial, start);
    struct container_change change = act_change(BLOB_STATE, "log");
    change.blob_kind = KIND_APPEND;
    change.count = 49999;
    require(container_trial_apply(&trial, &change), "49,999 blocks");
    require(act_append(&trial, "log", bytes_text("the last one")), "one more");
    require(!act_append(&trial, "log", bytes_text("x")), "one more still");
    require(!act_append(&trial, "log", act_bytes(0, 5000)), "a large one");
    require(act_create_append(&trial, "log") && act_append(&trial, "log", bytes_text("x")), "a new one");
}

TEST(numbers_of_pages_are_for_pages) {
    static const char *const names[] = {"small", "large", "blocks", "log", "staged", "missing"};
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct container_change change = act_change(BLOB_SETPROPS, names[i]);
        change.parts = PART_LENGTH;
        change.length = 512;
        require_misfit(&trial, &change, names[i]);
        change.parts = PART_SEQUENCE | PART_PROPERTIES;
        require_misfit(&trial, &change, names[i]);
    }
}

TEST(snapshots_and_copies_that_cannot_be) {
    static const struct {
        const char *why;
        enum container_change_kind kind;
        const char *name, *source;
        version snapshot;
    } cases[] = {
        {"the same id again", BLOB_SNAPSHOT, "small", "", 7},
        {"a smaller id", BLOB_SNAPSHOT, "small", "", 6},
        {"no id", BLOB_SNAPSHOT, "large", "", 0},
        {"of a name", BLOB_SNAPSHOT, "staged", "", 8},
        {"of nothing", BLOB_SNAPSHOT, "missing", "", 8},
        {"one that never was", BLOB_DELETESNAPSHOTS, "small", "", 8},
        {"all of none", BLOB_DELETESNAPSHOTS, "large", "", 0},
        {"all of nothing", BLOB_DELETESNAPSHOTS, "missing", "", 0},
        {"a copy of nothing", BLOB_COPY, "new", "missing", 0},
        {"of a snapshot that never was", BLOB_COPY, "new", "small", 8},
        {"of a name", BLOB_COPY, "new", "staged", 0},
        {"of another kind", BLOB_COPY, "pages", "small", 7},
        {"where it came from, of a name", BLOB_COPYSTATE, "staged", "", 0},
        {"where it came from, of nothing", BLOB_COPYSTATE, "missing", "", 0},
    };
    ACTS_BY(trial, start);
    for (int elsewhere = 0; elsewhere < 2; elsewhere++)
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
            struct container_change change = act_change(cases[i].kind, cases[i].name);
            change.snapshot = change.source_snapshot = cases[i].snapshot;
            change.source = bytes_text(cases[i].source);
            change.from_elsewhere = elsewhere;
            change.copy = (struct copy){COPY_SUCCESS, 5, {"", 0}, 1, 1, 1, false, false, {"", 0}};
            require_misfit(&trial, &change, cases[i].why);
        }
}

/* --- Blobs of unknown kind --- */

static struct container_change untyped_copy(const char *name) {
    struct container_change change = act_change(BLOB_COPYSTATE, name);
    change.copy =
        (struct copy){.status = COPY_FAILED, .id = 5, .source = {"", 0}, .total = 1, .untyped = true};
    return change;
}

/* It may become any kind, and its content would be taken for one of that kind. */
TEST(a_blob_of_unknown_kind_is_empty) {
    static const char *const names[] = {"small", "large", "blocks", "pages", "log", "staged", "missing"};
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct container_change change = untyped_copy(names[i]);
        require_misfit(&trial, &change, names[i]);
    }
    struct container_change change = untyped_copy("twin");
    change.kind = BLOB_COPY;
    change.source = bytes_text("small");
    change.stamp = (struct stamp){1, 1};
    require_misfit(&trial, &change, "a copy within the server");
    change = untyped_copy("empty");
    require(act_put(&trial, "empty", bytes_text("")) && container_trial_apply(&trial, &change),
            "an empty one");
    require_list_misfit(&trial, BLOB_SPANS, "empty", 1, LIST("\1"), "a chunk");
    require_list_misfit(&trial, BLOB_BLOCKS, "empty", 1, LIST("\1x\1"), "a block");
    require(act_create_page(&trial, "empty", PAGE_BYTES), "it becomes a page blob");
}

/* What a blob was before it became another kind must be loaded before it. */
TEST(a_blob_whose_last_snapshot_has_a_kind_has_one) {
    ACTS_BY(trial, start);
    struct container_change change = untyped_copy("empty");
    require(act_put(&trial, "empty", bytes_text("")) && container_trial_apply(&trial, &change) &&
                act_snapshot(&trial, "empty", 1) && container_trial_apply(&trial, &change),
            "its last snapshot has none");
    require(act_put(&trial, "empty", bytes_text("")) && act_snapshot(&trial, "empty", 2), "it has one");
    require_misfit(&trial, &change, "its last snapshot has a kind");
}

TEST(a_copy_that_starts_has_not_arrived) {
    static const char *const names[] = {"small", "new"};
    ACTS_BY(trial, start);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct container_change change = act_change(BLOB_COPYSTART, names[i]);
        change.copy =
            (struct copy){.status = COPY_PENDING, .id = 5, .source = {"", 0}, .total = 1, .arriving = true};
        require_misfit(&trial, &change, names[i]);
        change.copy.arriving = false;
        require(container_trial_apply(&trial, &change), "%s, which waits", names[i]);
    }
}

/* --- Chunks --- */

TEST(chunks_that_cannot_be) {
    ACTS_BY(trial, start);
    struct container_change change = {.kind = CONTAINER_CHUNK, .length = 1000, .content = bytes_text("xx")};
    require_misfit(&trial, &change, "more than is missing of the last one");
    change.content = bytes_of("", 0);
    require_misfit(&trial, &change, "nothing");
    change.content = act_bytes(0, 5000);
    require_misfit(&trial, &change, "much more");
    change.content = bytes_text("x");
    require(container_trial_apply(&trial, &change), "the rest of it");
    change.length = 0;
    require_misfit(&trial, &change, "more than there is said to be");
}

/* Whatever else happens to the container, numbers of chunks mean nothing any more. */
TEST(numbers_end_with_the_file) {
    struct container_trial trial;
    for (int way = 0; way < 2; way++) {
        start(&trial);
        struct container_change change = act_change(way ? CONTAINER_LOADED : BLOB_SETMETA, "missing");
        require_same(container_trial_apply(&trial, &change), way, "way %d", way);
        require(!trial.container->load_chunks, "the chunks are there still");
        require_list_misfit(&trial, BLOB_SPANS, "log", 1, LIST("\1"), "a chunk that has been forgotten");
        acts_end(&trial);
    }
}

/* A file has the states of a blob's snapshots before the blob's own, and they may be newer than the feed; the blob is not. */
TEST(a_file_ends_without_a_blob_newer_than_its_feed) {
    ACTS(trial);
    RECORD_WRITER(record);
    feed_put_state(&(struct feed){.whole_from = 1, .newest = 5, .keep = 10}, &record);
    struct container_change change = act_change(CONTAINER_FEEDSTATE, ""),
                            loaded = act_change(CONTAINER_LOADED, "");
    change.feed = record_written(&record);
    require(container_trial_apply(&trial, &change), "the feed");
    change = act_change(BLOB_PUT, "blob");
    change.stamp.etag = 6;
    require(container_trial_apply(&trial, &change), "the state of a snapshot");
    require(!container_fits_feed(trial.container), "a newer blob fits");
    require(!container_apply(trial.container, &loaded), "the file ends");
    change.stamp.etag = 5;
    require(container_trial_apply(&trial, &change), "the blob");
    require_same(trial.container->feed->newest, 5, "the feed's newest version");
    require(container_trial_apply(&trial, &loaded), "the end of the file");
}
