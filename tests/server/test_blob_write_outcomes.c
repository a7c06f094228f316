/* What each write does to the rest of a blob, row by row as the specification has it: ETag and instant, metadata,
 * properties, staged blocks, snapshots, what is left of a lease, copy properties.
 *
 * Before each row the blob is of the row's kind, has metadata and properties, a snapshot, a broken lease, the marks of
 * a copy, and, if it is a block blob, staged blocks. */
#include <string.h>

#include "blobs.h"
#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"

enum fate { KEPT, NEW, CLEARED };

static const char *const fates[] = {"kept", "new", "cleared"};

/* clang-format off */
static const struct row {
    const char *kind;
    const char *command; /* on box, cat */
    enum fate stamp, meta, props, staged;
    const char *lease;
    enum fate copy, created;
} rows[] = {
    /*                                                                  stamp metadata props   staged   lease       copy     created */
    {"block",  "BLOB.PUT box cat x",                                    NEW,  CLEARED, CLEARED, CLEARED, "available", CLEARED, NEW},
    {"block",  "BLOB.PUT box cat x META 1 new x PROPS 1 content-language new", NEW, NEW, NEW,   CLEARED, "available", CLEARED, NEW},
    {"block",  "BLOB.PUTBLOCK box cat AAAB x",                          KEPT, KEPT,    KEPT,    NEW,     "available", KEPT,    KEPT},
    {"block",  "BLOB.PUTBLOCKLIST box cat 0",                           NEW,  CLEARED, CLEARED, CLEARED, "available", CLEARED, KEPT},
    {"block",  "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA META 1 new x PROPS 1 content-language new",
                                                                        NEW,  NEW,     NEW,     CLEARED, "available", CLEARED, KEPT},
    {"block",  "BLOB.SETPROPS box cat PROPS 1 content-language new",    NEW,  KEPT,    NEW,     KEPT,    "available", CLEARED, KEPT},
    {"block",  "BLOB.SETPROPS box cat PROPS 0",                         NEW,  KEPT,    CLEARED, KEPT,    "available", CLEARED, KEPT},
    {"block",  "BLOB.SETMETA box cat META 1 new x",                     NEW,  NEW,     KEPT,    KEPT,    "available", CLEARED, KEPT},
    {"block",  "BLOB.SETMETA box cat META 0",                           NEW,  CLEARED, KEPT,    KEPT,    "available", CLEARED, KEPT},
    {"block",  "BLOB.SNAPSHOT box cat",                                 KEPT, KEPT,    KEPT,    KEPT,    "broken",    KEPT,    KEPT},
    {"block",  "BLOB.SNAPSHOT box cat META 1 new x",                    KEPT, KEPT,    KEPT,    KEPT,    "broken",    KEPT,    KEPT},
    {"block",  "BLOB.COPY box cat box block",                           NEW,  NEW,     NEW,     CLEARED, "available", NEW,     NEW},
    {"block",  "BLOB.COPY box cat box block META 1 new x",              NEW,  NEW,     NEW,     CLEARED, "available", NEW,     NEW},
    {"block",  "BLOB.COPY box cat box cat",                             NEW,  KEPT,    KEPT,    CLEARED, "available", NEW,     NEW},
    {"block",  "BLOB.DELETE box cat SNAPSHOT $s",                       KEPT, KEPT,    KEPT,    KEPT,    "broken",    KEPT,    KEPT},
    {"block",  "BLOB.DELETE box cat SNAPSHOTS ONLY",                    KEPT, KEPT,    KEPT,    KEPT,    "available", KEPT,    KEPT},
    {"block",  "BLOB.GET box cat",                                      KEPT, KEPT,    KEPT,    KEPT,    "broken",    KEPT,    KEPT},
    {"block",  "BLOB.GETBLOCKLIST box cat ALL",                         KEPT, KEPT,    KEPT,    KEPT,    "broken",    KEPT,    KEPT},
    {"block",  "LEASE.BREAK box BLOB cat",                              KEPT, KEPT,    KEPT,    KEPT,    "broken",    KEPT,    KEPT},
    {"page",   "BLOB.CREATEPAGE box cat 512 META 1 new x",              NEW,  NEW,     CLEARED, CLEARED, "available", CLEARED, NEW},
    {"page",   "BLOB.PUTPAGE box cat 0 512*x",                          NEW,  KEPT,    KEPT,    CLEARED, "available", KEPT,    KEPT},
    {"page",   "BLOB.CLEARPAGE box cat 0 512",                          NEW,  KEPT,    KEPT,    CLEARED, "available", KEPT,    KEPT},
    {"page",   "BLOB.SETPROPS box cat SIZE 1024",                       NEW,  KEPT,    KEPT,    CLEARED, "available", CLEARED, KEPT},
    {"page",   "BLOB.SETPROPS box cat SEQUENCE INCREMENT",              NEW,  KEPT,    KEPT,    CLEARED, "available", CLEARED, KEPT},
    {"page",   "BLOB.COPY box cat box page",                            NEW,  NEW,     NEW,     CLEARED, "available", NEW,     NEW},
    {"append", "BLOB.CREATEAPPEND box cat PROPS 1 content-language new", NEW, CLEARED, NEW,     CLEARED, "available", CLEARED, NEW},
    {"append", "BLOB.APPEND box cat x",                                 NEW,  KEPT,    KEPT,    CLEARED, "available", CLEARED, KEPT},
    {"append", "BLOB.SETMETA box cat META 0",                           NEW,  CLEARED, KEPT,    CLEARED, "available", CLEARED, KEPT},
};
/* clang-format on */

static const struct step steps_before[] = {
    {"BLOB.PUT box block other META 1 new x PROPS 1 content-language new", NULL, 0},
    {"BLOB.CREATEPAGE box page 512 META 1 new x PROPS 1 content-language new", NULL, 0},
    {"BLOB.CREATEAPPEND box append META 1 new x PROPS 1 content-language new", NULL, 0},
    {"BLOB.SETMETA box block META 1 old x", NULL, 0},
};

/* Kinds come by a copy, which also leaves the marks of one. */
static void stage_row(const struct row *row) {
    call(primary, "DEL box");
    create("box");
    steps_play(steps_before);
    step_play(pool_print("BLOB.SETMETA box %s META 1 old x", row->kind), NULL, 0);
    step_play(pool_print("BLOB.SETPROPS box %s PROPS 1 content-language old", row->kind), NULL, 0);
    step_play(pool_print("BLOB.COPY box cat box %s", row->kind), NULL, 0);
    step_keep('s', snapshot("box", "cat"));
    if (!strcmp(row->kind, "block")) stage("box", "cat", "AAAA", 3, 'x');
    step_play("LEASE.ACQUIRE box -1 BLOB cat ID A", NULL, 0);
    step_play("LEASE.BREAK box PERIOD 0 BLOB cat", "0", 0);
    step_play(pool_print("BLOB.SETMETA box %s META 1 new x", row->kind), NULL, 0);
    step_play(pool_print("BLOB.SETPROPS box %s PROPS 1 content-language new", row->kind), NULL, 0);
}

static enum fate fate_of_text(const redisReply *value) {
    if (!value) return CLEARED;
    return !strcmp(reply_string(value), "new") ? NEW : KEPT;
}

static enum fate fate_of_meta(const redisReply *stat) {
    const redisReply *meta = field(stat, "meta");
    return meta->elements ? fate_of_text(meta->element[0]) : CLEARED;
}

static enum fate fate_of_field(const redisReply *before, const redisReply *after, const char *name) {
    const redisReply *value = reply_field_if_any(after, name);
    if (!value) return CLEARED;
    return reply_same(value, field(before, name)) ? KEPT : NEW;
}

static redisReply *staged_of(const char *kind) {
    if (strcmp(kind, "block") != 0) return NULL;
    return field(call(primary, "BLOB.GETBLOCKLIST box cat UNCOMMITTED"), "uncommitted");
}

static enum fate fate_of_staged(const redisReply *before, const redisReply *after) {
    if (!after || !after->elements) return CLEARED;
    return reply_same(before, after) ? KEPT : NEW;
}

static void require_fate(const struct row *row, const char *what, enum fate expected, enum fate real) {
    require(expected == real, "%s: %s should be %s, but is %s", row->command, what, fates[expected],
            fates[real]);
}

static void play_row(const struct row *row) {
    stage_row(row);
    redisReply *before = stat_of("box", "cat"), *staged = staged_of(row->kind);
    redisReply *taken = call(primary, "BLOB.STAT box cat SNAPSHOT %s", step_kept('s'));
    time_passes(1000);
    step_play(row->command, NULL, 0);
    redisReply *after = stat_of("box", "cat");
    require_fate(row, "etag", row->stamp, fate_of_field(before, after, "etag"));
    require_fate(row, "last-modified", row->stamp, fate_of_field(before, after, "last-modified"));
    require_fate(row, "created", row->created, fate_of_field(before, after, "created"));
    require_fate(row, "meta", row->meta, fate_of_meta(after));
    require_fate(row, "props", row->props, fate_of_text(reply_field_if_any(after, "content-language")));
    require_fate(row, "staged", row->staged, fate_of_staged(staged, staged_of(row->kind)));
    static const char *const marks[] = {"copy-id", "copy-status", "copy-source", "copy-progress",
                                        "copy-completed"};
    for (size_t mark = 0; mark < ARRAY_SIZE(marks); mark++) {
        enum fate fate = fate_of_field(before, after, marks[mark]);
        bool may_equal = row->copy == NEW && fate == KEPT && mark > 0;
        if (!may_equal) require_fate(row, marks[mark], row->copy, fate);
    }
    const char *lease = reply_string(field(after, "lease-state"));
    require(!strcmp(lease, row->lease), "%s: the lease should be %s, but is %s", row->command, row->lease,
            lease);
    if (strstr(row->command, "DELETE")) return;
    redisReply *later = call(primary, "BLOB.STAT box cat SNAPSHOT %s", step_kept('s'));
    require(reply_same(taken, later), "%s: the snapshot became %s", row->command, reply_text(later));
}

TEST(each_write_does_what_it_says) {
    time_passes(0);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) play_row(&rows[i]);
}

/* Staged blocks belong to the name: a blob that goes takes them along, and its lease. */
TEST(deletion_takes_all) {
    time_passes(0);
    stage_row(&rows[0]);
    expect_ok(call(primary, "BLOB.DELETE box cat SNAPSHOTS INCLUDE"));
    expect_error(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), "NOTFOUND BlobNotFound");
    expect_error(call(primary, "BLOB.GET box cat SNAPSHOT %s", step_kept('s')), "NOTFOUND BlobNotFound");
    expect_error(call(primary, "LEASE.GET box BLOB cat"), "NOTFOUND BlobNotFound");
    put("box", "cat", "new");
    expect_error(call(primary, "BLOB.GET box cat SNAPSHOT %s", step_kept('s')), "NOTFOUND BlobNotFound");
    expect_text(field(stat_of("box", "cat"), "lease-state"), "available");
    expect_elements(field(call(primary, "BLOB.GETBLOCKLIST box cat ALL"), "uncommitted"), 0);
}

/* A snapshot takes the marks of a copy along, and keeps them when the base has lost them. */
TEST(snapshots_keep_copy_properties) {
    time_passes(0);
    stage_row(&rows[0]);
    redisReply *copied = stat_of("box", "cat");
    put("box", "cat", "new");
    redisReply *taken = call(primary, "BLOB.STAT box cat SNAPSHOT %s", step_kept('s'));
    assert_true(reply_same(field(taken, "copy-id"), field(copied, "copy-id")));
    expect_text(field(taken, "copy-status"), "success");
    redisReply *items = call(primary, "BLOB.LIST box PREFIX cat INCLUDE 2 SNAPSHOTS COPY")->element[1];
    assert_non_null(reply_field_if_any(expect_elements(items, 2)->element[0], "copy-id"));
    assert_null(reply_field_if_any(items->element[1], "copy-id"));
}
