/* Snapshots of shares: what they show whatever comes later, what they cost, what differs from one to the next, and that
 * nothing is written in them. */
#include <string.h>

#include "blobs.h"
#include "file_commands.h"
#include "harness.h"
#include "pool.h"
#include "random.h"
#include "steps.h"
#include "text.h"

enum { MAX = 200 };

static void expect_then_at(struct place place, char snapshot, const char *path, const char *names) {
    const char *then = listed_at(primary, path, pool_print("SNAPSHOT %s", step_kept(snapshot)));
    if (strcmp(then, names) != 0)
        failure_at(place.file, place.line, "it had \"%s\", not \"%s\"", then, names);
}

#define expect_then(snapshot, path, names) expect_then_at(HERE, snapshot, path, names)

BEFORE_EACH {
    file_commands_setup();
}

TEST(later_writes_do_not_show) {
    acts({"setmeta a META 1 color red", NULL}, {"setprops a PROPS 1 content-type text/x", NULL},
         {"p = SHARE.SNAPSHOT fs", NULL});
    const char *then = reply_text(act("get a SNAPSHOT $p", NULL));
    assert_string_equal(then, reply_text(act("get a", NULL)));
    acts({"put a 0 XYZ", NULL}, {"setmeta a META 0", NULL}, {"setprops a SIZE 3", NULL},
         {"setprops a PROPS 0", NULL}, {"setprops a ATTRIBUTES 1 HIDDEN", NULL},
         {"get a SNAPSHOT $p", "=0123456789"}, {"get a", "=XYZ"},
         {"meta a SNAPSHOT $p", "[<etag>, [\"color\", \"red\"]]"}, {"get a RANGE 3 2 SNAPSHOT $p", "=34"},
         {"ranges a SNAPSHOT $p", "[\"etag\", <etag>, \"content-length\", 10, \"ranges\", [[0, 10]]]"});
    assert_string_equal(reply_text(act("get a SNAPSHOT $p", NULL)), then);
    redisReply *stat = act("stat a SNAPSHOT $p", NULL);
    expect_text(field(stat, "content-type"), "text/x");
    expect_number(field(stat, "content-length"), 10);
    expect_shape(field(stat, "attributes"), "[]");
    acts({"create a 1", NULL}, {"get a SNAPSHOT $p", "=0123456789"}, {"delete a", "OK"},
         {"get a SNAPSHOT $p", "=0123456789"}, {"get a", NO_FILE},
         {"SHARE.DELETE fs", "CONFLICT ShareHasSnapshots"}, {"SHARE.DELETE fs SNAPSHOTS INCLUDE", "OK"},
         {"SHARE.CREATE fs", NULL}, {"get a SNAPSHOT $p", "NOTFOUND ShareSnapshotNotFound"});
}

/* Names come and go, and mean other things. */
TEST(a_snapshot_lists_and_reads_the_former_tree) {
    acts({"mkdir d", NULL}, {"mkdir d/e", NULL}, {"create d/e/x 1", NULL}, {"create d/y 2", NULL},
         {"o = SHARE.SNAPSHOT fs", NULL}, {"rename d/e top", NULL}, {"create d/e 7", NULL},
         {"delete d/y", "OK"}, {"mkdir d/Y", NULL}, {"create d/Y/z 3", NULL}, {"p = SHARE.SNAPSHOT fs", NULL},
         {"rename d D2", NULL}, {"delete D2/e", "OK"}, {"delete top/x", "OK"}, {"rmdir top", "OK"},
         {"delete a", "OK"}, {"rename b a", NULL}, {"q = SHARE.SNAPSHOT fs", NULL}, {"delete a", "OK"},
         {"delete D2/y/z", "OK"}, {"rmdir D2/y", "OK"}, {"rmdir D2", "OK"});
    assert_string_equal(listed(""), "");
    expect_then('o', "", "a b d/");
    expect_then('o', "d", "e/ y");
    expect_then('o', "d/e", "x");
    expect_then('p', "", "a b d/ top/");
    expect_then('p', "d", "e Y/");
    expect_then('p', "top", "x");
    expect_then('p', "d/y", "z");
    expect_then('q', "", "a D2/");
    expect_then('q', "d2", "Y/");
    acts({"stat d/e SNAPSHOT $o", NULL}, {"get d/e SNAPSHOT $o", OTHER_KIND}, {"get d/e SNAPSHOT $p", NULL},
         {"get d/e/x SNAPSHOT $p", NO_PARENT}, {"get top/x SNAPSHOT $o", NO_PARENT},
         {"get top SNAPSHOT $o", NO_FILE}, {"get top/x SNAPSHOT $p", NULL},
         {"get d2/y/z SNAPSHOT $p", NO_PARENT}, {"get D2/Y/Z SNAPSHOT $q", NULL},
         {"get b SNAPSHOT $q", NO_FILE}, {"get a SNAPSHOT $q", "=0123456789"},
         {"list d/y SNAPSHOT $o", OTHER_KIND}, {"list no SNAPSHOT $o", NO_FILE},
         {"list no/no SNAPSHOT $o", NO_PARENT});
}

/* Nothing is open in a snapshot, and nobody has leased or locked anything there. */
TEST(reading_snapshots_conflicts_with_nothing) {
    acts({"p = SHARE.SNAPSHOT fs", NULL}, {"h = open s a RWD/-", NULL}, {"lock $h EXCLUSIVE 0 100", "OK"},
         {"get a", SV}, {"get a SNAPSHOT $p", "=0123456789"}, {"ranges a SNAPSHOT $p", NULL},
         {"dispose $h ON", "OK"}, {"get a SNAPSHOT $p", "=0123456789"},
         {"LEASE.ACQUIRE fs -1 ID A FILE b", NULL}, {"get b LEASE A", NULL}, {"get b SNAPSHOT $p", NULL},
         {"get b SNAPSHOT $p LEASE A", LEASE_ABSENT}, {"stat b SNAPSHOT $p LEASE B", LEASE_ABSENT});
}

TEST(snapshots_have_their_own_metadata_and_description) {
    acts({"SHARE.SETMETA fs META 1 a b", NULL}, {"o = SHARE.SNAPSHOT fs", NULL},
         {"p = SHARE.SNAPSHOT fs META 1 why backup", NULL}, {"q = SHARE.SNAPSHOT fs META 0", NULL},
         {"SHARE.SETMETA fs META 0", NULL}, {"SHARE.GETMETA fs SNAPSHOT $o", "[<etag>, [\"a\", \"b\"]]"},
         {"SHARE.GETMETA fs SNAPSHOT $p", "[<etag>, [\"why\", \"backup\"]]"},
         {"SHARE.GETMETA fs SNAPSHOT $q", "[<etag>, []]"}, {"SHARE.GETMETA fs", "[<etag>, []]"},
         {"SHARE.SNAPSHOT fs", "[<etag>, <etag>]"});
    redisReply *ids = expect_elements(field(call(primary, "SHARE.GET fs"), "snapshots"), 4);
    expect_text(ids->element[0], step_kept('o'));
    for (size_t i = 1; i < 4; i++)
        require(strcmp(reply_string(ids->element[i]), reply_string(ids->element[i - 1])) > 0,
                "they do not grow");
}

TEST(a_share_has_at_most_two_hundred_snapshots) {
    for (int i = 0; i < MAX; i++) {
        redisReply *made = act("SHARE.SNAPSHOT fs", "[<etag>, <etag>]");
        if (i % 50 == 0) step_keep((char)('k' + i / 50), reply_string(made->element[0]));
        expect_etag(call(primary, "FILE.PUTRANGE fs a 0 %s", pool_print("%03d", i)));
        if (i % 3 == 0) expect_etag(call(primary, "FILE.CREATE fs f%d 0", i));
    }
    acts({"SHARE.SNAPSHOT fs", "CONFLICT ShareSnapshotCountExceeded"}, {"get a SNAPSHOT $k", "=0123456789"},
         {"get a SNAPSHOT $l", "=0493456789"}, {"get a SNAPSHOT $n", "=1493456789"}, {"get a", "=1993456789"},
         {"get f0 SNAPSHOT $k", NO_FILE}, {"get f0 SNAPSHOT $l", "="}, {"put a 0 x", NULL},
         {"create g 1", NULL});
    expect_elements(field(call(primary, "SHARE.GET fs"), "snapshots"), MAX);
}

/* --- What they cost ------------------------------------------------------------------------------------- */

TEST(snapshots_share_bytes) {
    enum { FILES = 8, SIZE = 1 << 20 };
    char *content = pool_take(SIZE);
    memset(content, 'x', SIZE);
    for (int i = 0; i < FILES; i++) {
        call(primary, "FILE.CREATE fs f%d %d", i, SIZE);
        expect_etag(call(primary, "FILE.PUTRANGE fs f%d 0 %b", i, content, (size_t)SIZE));
    }
    long long before = memory_of(primary, "fs");
    for (int i = 0; i < 50; i++) act("p = SHARE.SNAPSHOT fs", NULL);
    require(memory_of(primary, "fs") - before < 20000, "50 snapshots take %lld",
            memory_of(primary, "fs") - before);
    for (int i = 0; i < FILES; i++) act(pool_print("put f%d 0 y", i), NULL);
    long long later = memory_of(primary, "fs");
    require(later - before < FILES * 60000LL, "a byte in each of %d files takes %lld", FILES, later - before);
    for (int i = 0; i < FILES; i++) act(pool_print("setmeta f%d META 1 a b", i), NULL);
    require(memory_of(primary, "fs") - later < FILES * 500LL, "metadata take %lld",
            memory_of(primary, "fs") - later);
    for (int i = 0; i < FILES; i++) act(pool_print("delete f%d", i), "OK");
    acts({"get f3 RANGE 0 2 SNAPSHOT $p", "=xx"});
    assert_int_equal(share_number("bytes"), 20);
}

TEST(a_snapshot_costs_the_same_for_any_tree) {
    enum { FILES = 4000 };
    call_many(primary, FILES, "FILE.CREATE fs f%d 10");
    long long before = memory_of(primary, "fs");
    act("p = SHARE.SNAPSHOT fs", NULL);
    require(memory_of(primary, "fs") - before < 1000, "it takes %lld", memory_of(primary, "fs") - before);
    for (int i = 0; i < FILES; i += 2) send_call(primary, "FILE.DELETE fs f%d", i);
    for (int i = 0; i < FILES; i += 2) expect_ok(receive(primary));
    redisReply *page =
        expect_elements(call(primary, "FILE.LIST fs %s COUNT 5000 SNAPSHOT %s", "", step_kept('p')), 2);
    expect_elements(page->element[1], FILES + 2);
    assert_int_equal(share_number("files"), FILES / 2 + 2);
}

/* --- What is different ---------------------------------------------------------------------------------- */

static void expect_since_at(struct place place, const char *line, const char *changed, const char *cleared) {
    redisReply *reply = act_at(place, line, NULL);
    const char *shape = reply_shape(field_at(place, reply, "ranges")),
               *gone = reply_shape(field_at(place, reply, "cleared"));
    if (strcmp(shape, changed) != 0 || strcmp(gone, cleared) != 0)
        failure_at(place.file, place.line, "%s: %s changed, %s cleared", line, shape, gone);
}

#define expect_since(line, changed, cleared) expect_since_at(HERE, line, changed, cleared)

TEST(ranges_changed_since_a_snapshot) {
    acts({"create a 10240", NULL}, {"put a 0 1024*a", NULL}, {"put a 5120 1024*b", NULL},
         {"o = SHARE.SNAPSHOT fs", NULL});
    expect_since("ranges a SINCE $o", "[]", "[]");
    acts({"put a 512 512*c", NULL}, {"clear a 5120 512", NULL}, {"put a 8192 x", NULL},
         {"p = SHARE.SNAPSHOT fs", NULL});
    expect_since("ranges a SINCE $o", "[[512, 512], [8192, 512]]", "[[5120, 512]]");
    expect_since("ranges a SINCE $p", "[]", "[]");
    expect_since("ranges a SNAPSHOT $p SINCE $o", "[[512, 512], [8192, 512]]", "[[5120, 512]]");
    expect_since("ranges a RANGE 0 1024 SINCE $o", "[[512, 512]]", "[]");
    acts({"ranges a SNAPSHOT $o SINCE $p", "INVALID PreviousSnapshotCannotBeNewer"},
         {"clear a 0 10240", NULL});
    expect_since("ranges a SINCE $p", "[]", "[[0, 1024], [5632, 512], [8192, 512]]");
    expect_since("ranges a SINCE $o", "[]", "[[0, 1024], [5120, 1024]]");
    acts({"setprops a SIZE 20000", NULL}, {"put a 19999 z", NULL});
    expect_since("ranges a SINCE $p", "[[19968, 32]]", "[[0, 1024], [5632, 512], [8192, 512]]");
    acts({"create new 600", NULL}, {"put new 0 600*n", NULL});
    expect_since("ranges new SINCE $o", "[[0, 600]]", "[]");
    acts({"setprops a SIZE 100", NULL});
    redisReply *reply = act("ranges a SINCE $p", NULL);
    expect_shape(field(reply, "ranges"), "[]");
}

/* --- Against a model ------------------------------------------------------------------------------------ */

/* What is said of everything in a share, then or now. */
static const char *const properties[] = {"etag",       "meta",          "created",
                                         "attributes", "cache-control", "last-modified"};

static void describe(struct text *text, const char *path, const char *rest) {
    struct words words = words_of_line("FILE.LIST fs");
    words_add(&words, path);
    words_add_line(&words, rest);
    redisReply *items = expect_elements(call_words(primary, &words), 2)->element[1];
    for (size_t i = 0; i < items->elements; i++) {
        const char *name = reply_string(field(items->element[i], "name"));
        const char *below = *path ? pool_print("%s/%s", path, name) : name;
        bool is_file = reply_field_if_any(items->element[i], "content-length") != NULL;
        redisReply *stat = call_line(primary, pool_print("FILE.STAT fs %s %s", below, rest));
        text_print(text, "%s", below);
        for (size_t told = 0; told < ARRAY_SIZE(properties); told++)
            text_print(text, " %s", reply_text(reply_field_if_any(stat, properties[told])));
        text_print(text, "\n");
        if (is_file)
            text_print(text, "  %s\n",
                       reply_text(call_line(primary, pool_print("FILE.GET fs %s %s", below, rest))));
        if (!is_file) describe(text, below, rest);
    }
}

static const char *description(const char *rest) {
    struct text text = EMPTY_TEXT;
    describe(&text, "", rest);
    return text.bytes;
}

static const char *any_path(void) {
    static const char *const names[] = {"a", "B", "c", "d"};
    const char *path = names[random_below(4)];
    while (random_below(3) == 0) path = pool_print("%s/%s", path, names[random_below(4)]);
    return path;
}

static void change_something(void) {
    static const char *const lines[] = {"FILE.MKDIR fs %s",
                                        "FILE.MKDIR fs %s",
                                        "FILE.CREATE fs %s 20",
                                        "FILE.CREATE fs %s 20",
                                        "FILE.PUTRANGE fs %s 3 x%d",
                                        "FILE.SETMETA fs %s META 1 n %d",
                                        "FILE.DELETE fs %s",
                                        "FILE.RMDIR fs %s",
                                        "FILE.SETPROPS fs %s SIZE %d",
                                        "FILE.SETPROPS fs %s ATTRIBUTES 1 HIDDEN",
                                        "FILE.SETPROPS fs %s PROPS 1 cache-control %d"};
    switch (random_below(14)) {
    case 0: call(primary, "FILE.RENAME fs %s %s", any_path(), any_path()); break;
    case 1: call(primary, "FILE.RENAME fs %s %s REPLACE", any_path(), any_path()); break;
    case 2: call(primary, "FILE.COPY fs %s %s", any_path(), any_path()); break;
    default: call(primary, lines[random_below(11)], any_path(), random_below(30)); break;
    }
}

TEST(random_changes_leave_snapshots_as_they_are) {
    enum { ROUNDS = 12, CHANGES = 60 };
    const char *ids[ROUNDS], *descriptions[ROUNDS];
    random_begin();
    for (int round = 0; round < ROUNDS; round++) {
        for (int change = 0; change < CHANGES; change++) change_something();
        descriptions[round] = description("");
        ids[round] = pool_print("SNAPSHOT %s", reply_string(call(primary, "SHARE.SNAPSHOT fs")->element[0]));
        for (int earlier = 0; earlier <= round; earlier += 1 + random_below(3)) {
            const char *then = description(ids[earlier]);
            require(!strcmp(then, descriptions[earlier]), "snapshot %d after %d rounds is\n%s\nnot\n%s",
                    earlier, round, then, descriptions[earlier]);
        }
        if (round % 4 == 3) expect_ok(call(primary, "DEBUG RELOAD"));
    }
    for (int round = 0; round < ROUNDS; round++)
        assert_string_equal(description(ids[round]), descriptions[round]);
}
