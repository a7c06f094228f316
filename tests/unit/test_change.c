/* Changes as records: every kind there and back, and the bytes that files already hold. */
#include "change_vocabulary.h"
#include "unit.h"

/* --- There and back ------------------------------------------------------------------------------------- */

TEST(written_changes_are_read_back) {
    struct dice dice = {1};
    for (int i = 0; i < 5000; i++) {
        struct sample sample ENDS_BY(sample_end);
        struct container_change change;
        sample_draw(&sample, &dice, true);
        require(change_read(&container_changes, bytes_of(sample.data, sample.length), &change),
                "sample %d is refused", i);
        require_same(change.kind, sample.draft.change.kind, "sample %d", i);
        require(!change.chunk && !change.content.length, "a record brings no content");
        RECORD_WRITER(again);
        change_write(&container_changes, &change, &again);
        require_bytes(record_written(&again), bytes_of(sample.data, sample.length),
                      "sample %d, written again", i);
    }
}

static void require_told_of(enum container_change_kind kind) {
    unsigned brings = vocabulary[kind].brings;
    const struct container_change elsewhere = {.kind = kind, .from_elsewhere = true}, here = {.kind = kind};
    unsigned traits = container_change_kinds[kind].is.traits;
    require_same(container_change_has_name(&here), (brings & NAME) != 0, "kind %d", (int)kind);
    require_same((traits & CHANGE_HAS_CONTENT) != 0, (brings & CONTENT) != 0, "kind %d", (int)kind);
    require_same(container_change_has_source(&elsewhere), (brings & SOURCE) != 0, "kind %d", (int)kind);
    require(!container_change_has_source(&here), "kind %d", (int)kind);
    require_same((traits & CHANGE_IN_FILES) != 0, (brings & IN_FILES) != 0, "kind %d", (int)kind);
    require_same((traits & CHANGE_CREATES) != 0, kind == CONTAINER_CREATE, "kind %d", (int)kind);
    require_same((traits & CHANGE_DROPS) != 0, kind == CONTAINER_DROP, "kind %d", (int)kind);
}

/* With all that the change could have, and with each of the parts left out. */
TEST(every_kind_of_change_brings_its_fields) {
    for (size_t i = 0; i < ARRAY_SIZE(vocabulary) * (PARTS_ALL + 1U); i++) {
        enum container_change_kind kind = vocabulary[i / (PARTS_ALL + 1U)].kind;
        const struct choice full = {.kind = (uint8_t)kind,
                                    .name = 9,
                                    .size = 3,
                                    .fine = 201,
                                    .beside = 255,
                                    .properties = 127,
                                    .metadata = 1,
                                    .stamp = 2};
        struct sample sample ENDS_BY(sample_end);
        struct container_change change, expected;
        require_same(kind, i / (PARTS_ALL + 1U), "the kinds are in order");
        require_told_of(kind);
        draft_make(&sample.draft, &full);
        sample.draft.change.parts = (unsigned)i % (PARTS_ALL + 1U);
        if ((kind == BLOB_STATE || kind == BLOB_COPYBEGIN) && sample.draft.change.blob_kind != KIND_PAGE)
            sample.draft.change.parts &= ~(unsigned)(PART_LENGTH | PART_SEQUENCE);
        if ((kind == BLOB_STATE || kind == BLOB_COPYBEGIN) && sample.draft.change.blob_kind != KIND_APPEND)
            sample.draft.change.parts &= ~(unsigned)STATE_IS_SEALED;
        sample_write(&sample);
        require(change_read(&container_changes, bytes_of(sample.data, sample.length), &change),
                "kind %d is refused", (int)kind);
        bool is_told = kind != BLOB_SNAPSHOT || !(change.parts & SNAPSHOT_IS_HELPER);
        is_told &= kind != BLOB_DELETESNAPSHOTS || !(change.parts & SNAPSHOT_IS_HELPER);
        const char *event = container_change_event(&change);
        const char *expected_event = is_told ? vocabulary[kind].event : NULL;
        require((event == NULL) == (expected_event == NULL), "kind %d", (int)kind);
        if (event && expected_event)
            require_bytes(bytes_text(event), bytes_text(expected_event), "kind %d", (int)kind);
        expected = sample.draft.change;
        change_leave_only(&expected, change_brings(&expected));
        require(change_same(&change, &expected), "kind %d brings something else", (int)kind);
    }
}

/* --- The bytes in the files of the world ---------------------------------------------------------------- */

/* What was once written has to be read for ever. */

#define ETAG "\x05\x00\x00\x00\x00\x00\xa0\x65"
#define WORD "\x07\x00\x00\x00\x00\x00\xa0\x65"

#define RECORD(text) sizeof(text) - 1, (text)

#define ID    "\x08\x07\x06\x05\x04\x03\x02\x01\x18\x17\x16\x15\x14\x13\x12\x11"
#define TOKEN "\x06\x00\x00\x00\x00\x00\xa0\x65"

/* The name, the stamp with its instant, the creation, metadata of one pair, a copy that is done, and a list. */
#define NAMED   "\4name"
#define STAMPED ETAG "\xe8\x07"
#define MADE    "\1"
#define PAIR    "\1\4\1a\1b"
#define COPIED  "\2" WORD "\6source\x80\1\x81\1\xea\x07"
#define LISTED  "\2\6abcdef"

enum {
    PLAIN,
    META = 1,
    ENDS = 2,    /* a lease's time, or the lease */
    FULL = 4,    /* all numbers, copies and lists have something to tell, and all parts are there */
    GROWS = 8,   /* of an append blob */
    SEALED = 16, /* likewise, and it is closed */
    HELPS = 32,  /* a snapshot for copies of one transaction */
};

/* clang-format off */
static const struct {
    enum container_change_kind kind;
    unsigned sort;
    size_t length;
    const char *bytes;
} records[] = {
    {CONTAINER_CREATE, META, RECORD("C\x00" STAMPED MADE "\2" PAIR "\0")},
    {CONTAINER_SETMETA, PLAIN, RECORD("C\x01" STAMPED "\0")},
    {CONTAINER_SETACL, PLAIN, RECORD("C\x02" STAMPED "\2\0")},
    {CONTAINER_DROP, PLAIN, RECORD("C\x03")},
    {BLOB_PUT, PLAIN, RECORD("C\x04" NAMED STAMPED MADE "\0")},
    {BLOB_PUT, META | ENDS, RECORD("C\x04" NAMED STAMPED MADE "\x85" PAIR)},
    {BLOB_SETPROPS, PLAIN, RECORD("C\x06" NAMED STAMPED "\0\0")},
    {BLOB_SETPROPS, FULL, RECORD("C\x06" NAMED STAMPED "\x1f\0\x80\x08\x89\1\0")},
    {BLOB_SETMETA, META, RECORD("C\x07" NAMED STAMPED PAIR "\0")},
    {BLOB_SETMETA, META | ENDS, RECORD("C\x07" NAMED STAMPED PAIR "\x81")},
    {BLOB_DELETE, PLAIN, RECORD("C\x08" NAMED "\0")},
    {BLOB_DELETE, ENDS, RECORD("C\x08" NAMED "\x81")},
    {BLOB_DELETE, FULL, RECORD("C\x08" NAMED "\2" WORD)},
    {BLOB_DELETE, FULL | ENDS, RECORD("C\x08" NAMED "\x83" WORD)},
    {CONTAINER_LEASE, PLAIN, RECORD("C\x09" "\0\1" ID TOKEN "\0\xe6\x07\xff\xff\xff\xff\xff\xff\xff\xff\x7f\0")},
    {CONTAINER_LEASE, ENDS, RECORD("C\x09" "\x85\2" ID TOKEN "\x99\x75\xe6\x07\xe8\x07\2me")},
    {BLOB_LEASE, ENDS, RECORD("C\x0a" NAMED "\x85\2" ID TOKEN "\x99\x75\xe6\x07\xe8\x07\2me")},
    {BLOB_CREATEPAGE, META | FULL, RECORD("C\x0b" NAMED STAMPED MADE "\0" PAIR "\x80\x08\x89\1\0")},
    {BLOB_PUTPAGE, FULL | ENDS, RECORD("C\x0c" NAMED STAMPED "\x80\x0c\x81")},
    {BLOB_CLEARPAGE, FULL, RECORD("C\x0d" NAMED STAMPED "\x80\x0c\x80\x08\0")},
    {BLOB_CREATEAPPEND, META | FULL, RECORD("C\x0e" NAMED STAMPED MADE "\0" PAIR "\0")},
    {BLOB_APPEND, FULL, RECORD("C\x0f" NAMED STAMPED "\x80\x0c\0")},
    {BLOB_STAGE, PLAIN, RECORD("C\x10" NAMED "\5block\xeb\x07\0")},
    {BLOB_STAGE, FULL | ENDS, RECORD("C\x10" NAMED "\5block\xeb\x07\x81")},
    {BLOB_COMMIT, META | FULL, RECORD("C\x11" NAMED STAMPED MADE "\0" PAIR LISTED "\0")},
    {BLOB_UNSTAGE, FULL, RECORD("C\x12" NAMED "\x88\1")},
    {BLOB_SNAPSHOT, PLAIN, RECORD("C\x13" NAMED STAMPED "\0\0\0\0\0\0\0\0\0")},
    {BLOB_SNAPSHOT, META | FULL, RECORD("C\x13" NAMED STAMPED "\x1f" PAIR WORD)},
    {BLOB_DELETESNAPSHOTS, FULL, RECORD("C\x14" NAMED WORD "\0")},
    {BLOB_DELETESNAPSHOTS, FULL | ENDS, RECORD("C\x14" NAMED WORD "\x81")},
    {BLOB_SNAPSHOT, HELPS, RECORD("C\x13" NAMED STAMPED "\x20\0\0\0\0\0\0\0\0")},
    {BLOB_DELETESNAPSHOTS, HELPS, RECORD("C\x14" NAMED "\0\0\0\0\0\0\0\0\4")},
    {BLOB_COPY, META | FULL, RECORD("C\x15" NAMED STAMPED MADE "\x1f" PAIR "\1\4from" WORD COPIED "\0")},
    {BLOB_COPY, ENDS, RECORD("C\x15" NAMED STAMPED MADE "\0\0\4from\0\0\0\0\0\0\0\0" COPIED "\x81")},
    {BLOB_ABORTCOPY, FULL, RECORD("C\x16" NAMED STAMPED)},
    {BLOB_COPYSTATE, FULL, RECORD("C\x17" NAMED COPIED)},
    {CONTAINER_CHUNK, FULL, RECORD("C\x18" "\x80\x08")},
    {BLOB_STATE, PLAIN, RECORD("C\x19" NAMED STAMPED MADE "\0\0\0\0\0\0\0\0\0\0\0")},
    {BLOB_STATE, META | FULL, RECORD("C\x19" NAMED STAMPED MADE "\1\x1f\0" PAIR "\x80\x08\0\x89\1" WORD)},
    {BLOB_STATE, META | GROWS, RECORD("C\x19" NAMED STAMPED MADE "\2\3\0" PAIR "\x88\1\0\0\0\0\0\0\0\0")},
    {BLOB_STATE, META | GROWS | SEALED, RECORD("C\x19" NAMED STAMPED MADE "\2\x23\0" PAIR "\x88\1\0\0\0\0\0\0\0\0")},
    {BLOB_SPANS, FULL, RECORD("C\x1a" NAMED LISTED)},
    {BLOB_BLOCKS, FULL, RECORD("C\x1b" NAMED LISTED)},
    {BLOB_LEAVES, FULL, RECORD("C\x1c" NAMED LISTED)},
    {BLOB_STAGED, FULL, RECORD("C\x1d" NAMED "\x88\1\5block\xeb\x07")},
    {CONTAINER_LOADED, FULL, RECORD("C\x05")},
    {BLOB_SEAL, PLAIN, RECORD("C\x1e" NAMED STAMPED "\0")},
    {BLOB_SEAL, ENDS, RECORD("C\x1e" NAMED STAMPED "\x81")},
    {BLOB_COPYSTART, PLAIN, RECORD("C\x1f" NAMED STAMPED COPIED "\0")},
    {BLOB_COPYBEGIN, META | FULL, RECORD("C\x20" NAMED "\1\x1f\0" PAIR "\x80\x0c\x80\x08\0\x89\1")},
    {BLOB_COPYPIECE, FULL, RECORD("C\x21" NAMED "\x80\x0c\x80\x08")},
    {BLOB_COPYBLOCK, FULL, RECORD("C\x22" NAMED "\x80\x0c\x80\x08\5block")},
    {BLOB_COPYEND, PLAIN, RECORD("C\x23" NAMED STAMPED COPIED "\3why")},
    {BLOB_COPYTOLD, PLAIN, RECORD("C\x24" NAMED COPIED "\3why")},
    {CONTAINER_FEEDON, FULL, RECORD("C\x25" "\x88\1" WORD)},
    {CONTAINER_FEEDKEEP, FULL, RECORD("C\x26" "\x88\1")},
    {CONTAINER_FEEDOFF, FULL, RECORD("C\x27")},
    {CONTAINER_FEEDBUILT, PLAIN, RECORD("C\x28" "\4feed")},
    {CONTAINER_FEEDSTATE, PLAIN, RECORD("C\x29" "\4feed")},
    {CONTAINER_FEEDMARKERS, PLAIN, RECORD("C\x2a" "\4feed")},
};
/* clang-format on */

/* Numbers of more than one byte, and another one for each field. */
static void fill(struct container_change *change) {
    change->parts = PARTS_ALL & ~(unsigned)STATE_IS_SEALED;
    change->blob_kind = KIND_PAGE;
    change->offset = 1536;
    change->length = 1024;
    change->count = 136;
    change->sequence = 137;
    change->born = change->snapshot = change->source_snapshot = change->minted = UINT64_C(0x65a0000000000007);
    change->list = (struct packed_list){2, bytes_text("abcdef")};
    change->from_elsewhere = true;
    if (change->kind == BLOB_STATE || change->kind == BLOB_COPYBEGIN) change->count = 0;
}

static struct container_change change_once_written(enum container_change_kind kind, unsigned sort,
                                                   struct packed_list metadata) {
    bool ends = sort & ENDS;
    struct container_change change = {
        .kind = kind,
        .access = ACCESS_CONTAINER,
        .name = bytes_text("name"),
        .stamp = {UINT64_C(0x65a0000000000005), 1000},
        .created_ms = 999,
        .metadata = sort & META ? metadata : packed_view(NULL),
        .lease = lease_once_written(ends),
        .event = ends ? LEASE_EVENT_BROKEN : LEASE_EVENT_QUIET,
        .frees_lease = ends,
        .expired = ends,
        .block_id = bytes_text("block"),
        .touched_ms = 1003,
        .source = bytes_text("from"),
        .feed = bytes_text("feed"),
        .copy = {COPY_SUCCESS, UINT64_C(0x65a0000000000007), bytes_text("source"), 128, 129, 1002, false,
                 false, bytes_text("why")},
    };
    if (sort & FULL) fill(&change);
    if (sort & HELPS) change.parts = SNAPSHOT_IS_HELPER;
    if (sort & GROWS) {
        change.blob_kind = KIND_APPEND;
        change.parts = PART_PROPERTIES | PART_METADATA;
        change.count = 136;
        if (sort & SEALED) change.parts |= STATE_IS_SEALED;
    }
    return change;
}

TEST(container_records_have_the_promised_bytes) {
    bool seen[CONTAINER_CHANGE_KINDS] = {false};
    PAIR_LIST(metadata);
    pairs_add_texts(&metadata, (const char *const[]){"a=b", NULL});
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
        struct container_change change =
            change_once_written(records[i].kind, records[i].sort, pairs_list(&metadata));
        struct record_writer writer;
        record_start(&writer);
        change_write(&container_changes, &change, &writer);
        struct bytes once = bytes_of(records[i].bytes, records[i].length);
        struct container_change read;
        require_bytes(record_written(&writer), once, "record %zu", i);
        record_end(&writer);
        require(change_read(&container_changes, once, &read), "record %zu is refused", i);
        change_leave_only(&change, change_brings(&change));
        require(change_same(&read, &change), "record %zu says something else", i);
        seen[records[i].kind] = true;
    }
    for (int kind = 0; kind < CONTAINER_CHANGE_KINDS; kind++)
        require(seen[kind], "no record of kind %d", kind);
}
