/* What is in a file: bytes that are written, cleared, cut off and never there; how much all files may have; and what
 * writing does to ETags and times. */
#include <string.h>

#include "blobs.h"
#include "file_commands.h"
#include "harness.h"
#include "pool.h"
#include "random.h"
#include "steps.h"
#include "text.h"

#define FULL "CONFLICT ShareSizeLimitReached"

/* Its ranges as "0+512 1024+512", and what RANGE or SINCE say behind. */
static const char *ranges_of(const char *path, const char *rest) {
    struct text text = EMPTY_TEXT;
    struct words words = act_words(pool_print("ranges %s %s", path, rest));
    redisReply *ranges = field(call_words(primary, &words), "ranges");
    for (size_t i = 0; i < ranges->elements; i++)
        text_print(&text, "%s%lld+%lld", i ? " " : "", ranges->element[i]->element[0]->integer,
                   ranges->element[i]->element[1]->integer);
    return text.bytes;
}

#define expect_ranges(path, ranges) assert_string_equal(ranges_of(path, ""), ranges)

static void expect_zeros(long long offset, long long length) {
    redisReply *part = call(primary, "FILE.GET fs a RANGE %lld %lld", offset, length)->element[1];
    require(part->len == (size_t)length, "%zu bytes of %lld", part->len, length);
    for (size_t i = 0; i < part->len; i++)
        require(!part->str[i], "there is something at %lld", offset + (long long)i);
}

/* --- Ranges --------------------------------------------------------------------------------------------- */

BEFORE_EACH {
    share_setup();
}

TEST(writing_and_clearing_ranges) {
    acts({"create a 4096", NULL});
    expect_ranges("a", "");
    acts({"put a 512 512*x", NULL});
    expect_ranges("a", "512+512");
    acts({"put a 1024 1024*y", NULL}, {"put a 3000 z", NULL});
    expect_ranges("a", "512+1536 2560+512");
    acts({"clear a 1024 512", NULL});
    expect_ranges("a", "512+512 1536+512 2560+512");
    expect_zeros(1024, 512);
    acts({"clear a 600 100", NULL}, {"get a RANGE 599 3", "[<etag>, \"x\\x00\\x00\"]"},
         {"get a RANGE 699 2", "[<etag>, \"\\x00x\"]"});
    expect_ranges("a", "512+512 1536+512 2560+512");
    acts({"clear a 500 1100", NULL});
    expect_ranges("a", "1536+512 2560+512");
    acts({"get a RANGE 1599 2", "[<etag>, \"\\x00y\"]"}, {"clear a 0 4096", NULL});
    expect_ranges("a", "");
    expect_zeros(0, 4096);
    acts({"clear a 1 4096", BAD_RANGE}, {"clear a 4096 1", BAD_RANGE}, {"put a 4096 x", BAD_RANGE},
         {"put a 4090 0123456", BAD_RANGE}, {"put a 4089 0123456", NULL});
}

TEST(shrinking_and_growing_a_file) {
    acts({"create a 2000", NULL}, {"put a 0 2000*x", NULL}, {"setprops a SIZE 700", NULL},
         {"setprops a SIZE 2000", NULL});
    expect_zeros(700, 1300);
    expect_ranges("a", "0+1024");
    acts({"get a RANGE 698 3", "[<etag>, \"xx\\x00\"]"}, {"h = open s a RW/RWD", NULL},
         {"truncate $h 10", "OK"}, {"truncate $h 1500", "OK"});
    expect_zeros(10, 1490);
    acts({"write $h 1600 end", "3"}, {"get a RANGE 1500 -1", NULL});
    expect_number(file_field("a", "content-length"), 1603);
    expect_zeros(1500, 100);
    acts({"write $h 1603 ''", "0"}, {"write $h 5000 ''", "0"});
    expect_number(file_field("a", "content-length"), 1603);
}

/* The last page ends where the file does. */
TEST(ranges_end_with_the_file) {
    acts({"create a 1000", NULL}, {"put a 600 x", NULL});
    expect_ranges("a", "512+488");
    acts({"put a 999 x", NULL}, {"setprops a SIZE 1024", NULL});
    expect_ranges("a", "512+512");
    acts({"create b 5", NULL}, {"put b 0 hello", NULL});
    expect_ranges("b", "0+5");
    act("create c 0", NULL);
    expect_ranges("c", "");
    acts({"get c", "="}, {"get c RANGE 0 1", BAD_RANGE}, {"setprops c SIZE 0", NULL});
}

TEST(ranges_of_a_part) {
    acts({"create a 10240", NULL}, {"put a 0 512*a", NULL}, {"put a 1024 512*b", NULL},
         {"put a 5120 1024*c", NULL});
    static const struct {
        const char *range, *ranges;
    } rows[] = {{"RANGE 0 10240", "0+512 1024+512 5120+1024"},
                {"RANGE 0 -1", "0+512 1024+512 5120+1024"},
                {"RANGE 600 300", ""},
                {"RANGE 1024 1", "1024+512"},
                {"RANGE 1500 4000", "1024+512 5120+512"},
                {"RANGE 9000 1", ""},
                {"RANGE 5000 100000", "5120+1024"}};
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
        assert_string_equal(ranges_of("a", rows[row].range), rows[row].ranges);
}

TEST(a_file_of_64_gib_with_one_page) {
    acts({"create a 68719476736", NULL}, {"put a 34359738368 512*x", NULL});
    expect_ranges("a", "34359738368+512");
    require(memory_of(primary, "fs") < 200000, "it takes %lld bytes", memory_of(primary, "fs"));
    expect_zeros(68719476736 - 1000, 1000);
    expect_zeros(34359738368 - 10, 10);
    acts({"get a RANGE 34359738878 4", "[<etag>, \"xx\\x00\\x00\"]"}, {"copy a b", NULL},
         {"p = SHARE.SNAPSHOT fs", NULL}, {"clear a 0 68719476736", NULL});
    expect_ranges("a", "");
    expect_ranges("b", "34359738368+512");
    assert_int_equal(share_number("bytes"), 2 * 68719476736);
}

/* Against an array of bytes, by stateless commands and by a handle in turn. */
TEST(random_writes_and_clears_equal_an_array) {
    enum { SIZE = 9000, STEPS = 1500 };
    static char model[SIZE];
    size_t length = 5000;
    random_begin();
    memset(model, 0, sizeof(model));
    acts({"create a 5000", NULL}, {"h = open s a RW/RWD", NULL});
    const char *h = step_kept('h');
    for (int step = 0; step < STEPS; step++) {
        size_t offset = random_size(length + 1), max = length - offset, size = max ? 1 + random_size(max) : 0;
        char *bytes = pool_take(SIZE);
        if (random_below(3)) size = size % 700;
        memset(bytes, 'a' + random_below(26), SIZE);
        switch (random_below(6)) {
        case 0:
            if (size)
                expect_etag(call(primary, "FILE.PUTRANGE fs a %lld %b", (long long)offset, bytes, size));
            memcpy(model + offset, bytes, size);
            break;
        case 1:
            if (size)
                expect_etag(
                    call(primary, "FILE.CLEARRANGE fs a %lld %lld", (long long)offset, (long long)size));
            memset(model + offset, 0, size);
            break;
        case 2:
            size = random_size(SIZE - offset);
            expect_number(call(primary, "FILE.WRITE fs %s %lld %b", h, (long long)offset, bytes, size),
                          (long long)size);
            memcpy(model + offset, bytes, size);
            if (offset + size > length) length = offset + size;
            break;
        case 3:
            if (random_below(5)) break;
            size = random_size(SIZE);
            if (random_below(2))
                expect_ok(call(primary, "FILE.TRUNCATE fs %s %lld", h, (long long)size));
            else
                expect_etag(call(primary, "FILE.SETPROPS fs a SIZE %lld", (long long)size));
            if (size < length) memset(model + size, 0, length - size);
            length = size;
            break;
        case 4: {
            redisReply *part =
                call(primary, "FILE.READ fs %s %lld %lld", h, (long long)offset, (long long)size);
            expect_bytes(part, model + offset, size);
            break;
        }
        default: {
            redisReply *whole = call(primary, "FILE.GET fs a");
            expect_bytes(whole->element[1], model, length);
        }
        }
        if (step % 500 == 499) expect_ok(call(primary, "DEBUG RELOAD"));
    }
}

/* --- Much at once --------------------------------------------------------------------------------------- */

/* Holes as fine as they can be: the memory that was cleared comes back. */
TEST(memory_goes_with_what_is_cleared) {
    act("create a 4194304", NULL);
    char *content = pool_take(4194304);
    memset(content, 'x', 4194304);
    long long empty = memory_of(primary, "fs");
    expect_etag(call(primary, "FILE.PUTRANGE fs a 0 %b", content, (size_t)4194304));
    long long full = memory_of(primary, "fs");
    require(full - empty >= 4194304 && full - empty < 4194304 * 130 / 100, "4 MiB take %lld", full - empty);
    act("clear a 0 4194304", NULL);
    require(memory_of(primary, "fs") - empty < 10000, "it keeps %lld", memory_of(primary, "fs") - empty);
    expect_etag(call(primary, "FILE.PUTRANGE fs a 0 %b", content, (size_t)4194304));
    act("setprops a SIZE 0", NULL);
    require(memory_of(primary, "fs") - empty < 10000, "it keeps %lld", memory_of(primary, "fs") - empty);
}

/* --- Quota ---------------------------------------------------------------------------------------------- */

TEST(a_quota_bounds_all_files_together) {
    acts({"SHARE.SETPROPS fs QUOTA 100", NULL}, {"create a 60", NULL}, {"create b 41", FULL},
         {"create b 40", NULL}, {"create c 0", NULL}, {"create c 1", FULL}, {"setprops a SIZE 61", FULL},
         {"setprops a SIZE 50", NULL}, {"create c 10", NULL}, {"copy a d", FULL}, {"copy c d", FULL},
         {"delete b", "OK"}, {"copy a b", FULL}, {"copy c d", NULL}, {"h = open s a RW/RWD", NULL},
         {"write $h 79 x", "1"}, {"write $h 79 xy", FULL}, {"truncate $h 81", FULL}, {"truncate $h 80", "OK"},
         {"write $h 0 xyz", "3"}, {"write $h 81 ''", "0"}, {"write $h 1000 ''", "0"},
         {"open s new RW/RWD DISPOSITION CREATE SIZE 1", FULL},
         {"open s new RW/RWD DISPOSITION CREATE", NULL}, {"create a 81", FULL}, {"create a 80", NULL},
         {"SHARE.SETPROPS fs QUOTA 50", NULL}, {"create a 79", NULL}, {"create e 1", FULL},
         {"create e 0", NULL}, {"put a 0 x", NULL}, {"rename a f", SV}, {"rename c f", NULL},
         {"SHARE.SETPROPS fs QUOTA 0", NULL}, {"create e 1000", NULL});
    require(!reply_field_if_any(call(primary, "SHARE.GET fs"), "quota"), "no quota is shown as one");
    act("SHARE.SETPROPS fs QUOTA 7", NULL);
    assert_int_equal(share_number("quota"), 7);
    redisReply *refusal = act("create e 2000", FULL);
    require(strstr(refusal->str, "7"), "it does not say how much there may be: %s", refusal->str);
}

/* --- ETags and times ------------------------------------------------------------------------------------ */

TEST(content_and_properties_change_the_etag_of_a_file) {
    static const struct {
        const char *line;
        bool changes;
    } rows[] = {
        {"put a 0 x", true},
        {"clear a 0 1", true},
        {"setprops a SIZE 10", true},
        {"setmeta a META 0", true},
        {"write $h 0 x", true},
        {"write $h 20 x", true},
        {"truncate $h 10", true},
        {"create a 10", true},
        {"copy b a", true},
        {"rename a A2", true},
        {"rename A2 a", true},
        {"get a", false},
        {"lock $h SHARED 0 1", false},
        {"unlock $h 0 1", false},
        {"i = open s a RD/RWD", false},
        {"dispose $i ON", false},
        {"close $i", false},
        {"read $h 0 1", false},
        {"write $h 0 ''", false},
        {"SHARE.SNAPSHOT fs", false},
        {"put b 0 x", false},
        {"copy a c", false},
        {"closeall a 99", false},
        {"SHARE.PING fs $s", false},
        {"setprops a ATTRIBUTES 1 HIDDEN", true},
    };
    file_commands_setup();
    act("h = open s a RW/RWD", NULL);
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        bool renames = strstr(rows[row].line, "rename") != NULL;
        if (renames) act("close $h", "OK");
        const char *path = strstr(rows[row].line, "rename A2") ? "A2" : "a";
        const char *before = reply_string(file_field(path, "etag"));
        act(rows[row].line, NULL);
        if (!strcmp(rows[row].line, "dispose $i ON")) act("dispose $i OFF", "OK");
        path = strstr(rows[row].line, "a A2") ? "A2" : "a";
        int order = strcmp(reply_string(file_field(path, "etag")), before);
        require(rows[row].changes ? order > 0 : !order, "%s goes from %s to another", rows[row].line, before);
        if (renames) act(pool_print("h = open s %s RW/RWD", path), NULL);
    }
}

TEST(times_and_properties) {
    act("create a 10 PROPS 2 content-type text/plain cache-control x META 1 k v ATTRIBUTES 1 ARCHIVE", NULL);
    long long created = file_field("a", "created")->integer;
    act("5 s", NULL);
    act("put a 0 x", NULL);
    require(file_field("a", "last-modified")->integer >= created + 5000, "it was changed later");
    expect_number(file_field("a", "created"), created);
    expect_text(file_field("a", "content-type"), "text/plain");
    acts({"setprops a PROPS 1 content-language de", NULL}, {"setprops a SIZE 11", NULL},
         {"setprops a ATTRIBUTES 2 SYSTEM HIDDEN", NULL});
    redisReply *stat = act("stat a", NULL);
    expect_text(field(stat, "content-language"), "de");
    expect_text(field(stat, "content-type"), "application/octet-stream");
    expect_text(field(stat, "kind"), "file");
    expect_number(field(stat, "content-length"), 11);
    expect_shape(field(stat, "attributes"), "[\"hidden\", \"system\"]");
    expect_shape(field(stat, "meta"), "[\"k\", \"v\"]");
    require(!reply_field_if_any(stat, "cache-control"), "replaced properties stay: %s", reply_text(stat));
    acts({"setprops a PROPS 0", NULL}, {"setprops a ATTRIBUTES 0", NULL}, {"mkdir d META 1 x y", NULL});
    expect_shape(file_field("a", "attributes"), "[]");
    expect_shape(act("stat d", NULL),
                 "[\"kind\", \"directory\", \"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, "
                 "\"meta\", [\"x\", \"y\"]]");
}
