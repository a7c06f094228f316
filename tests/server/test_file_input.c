/* Numbers, ids and words that are none, or too large, on every place that takes one: the right code,
 * and nothing changed. */
#include <string.h>
#include <unistd.h>

#include "file_commands.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "steps.h"
#include "text.h"
#include "traces.h"

#define TOO_LARGE   "INVALID RequestBodyTooLarge"
#define LARGEST     "4398046511104" /* 4 TiB */
#define TOO_LONG    "4398046511105"
#define PART_OF_ALL "9223372036854775807"

static const char *const no_numbers[] = {
    "-1",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "''",
    "x",
    "1x",
    " 1",
    "1.5",
    "0x10",
    "1e3",
    "+1",
    "99999999999999999999999999",
};

struct place_of_number {
    const char *line, *answer;
    const char *too_large; /* one more than what it takes; NULL when all that are numbers are taken */
};

static const struct place_of_number numbers[] = {
    {"create c %s", BAD_VALUE, TOO_LONG},
    {"setprops a SIZE %s", BAD_VALUE, TOO_LONG},
    {"open s c RW/R DISPOSITION CREATE SIZE %s", BAD_VALUE, TOO_LONG},
    {"truncate $h %s", BAD_VALUE, TOO_LONG},
    {"put a %s x", BAD_RANGE, LARGEST},
    {"clear a %s 1", BAD_RANGE, LARGEST},
    {"clear a 0 %s", BAD_RANGE, "11"},
    {"write $h %s x", BAD_RANGE, LARGEST},
    {"read $h %s 1", BAD_RANGE, NULL},
    {"read $h 0 %s", BAD_RANGE, NULL},
    {"get a RANGE %s 1", BAD_RANGE, "10"},
    {"ranges a RANGE %s 1", BAD_RANGE, NULL},
    {"SHARE.SETPROPS fs QUOTA %s", BAD_VALUE, NULL},
    {"SHARE.CREATE new QUOTA %s", BAD_VALUE, NULL},
    {"lock $h SHARED %s 1", BAD_LOCK, "18446744073709551616"},
    {"lock $h SHARED 1 %s", BAD_LOCK, "18446744073709551616"},
    {"unlock $h %s 1", BAD_LOCK, "18446744073709551616"},
};

static bool is_lock_number(const char *number) {
    return !strcmp(number, "9223372036854775808") || !strcmp(number, "18446744073709551615");
}

static struct words with_number(const char *line, const char *number) {
    struct words words = act_words(line);
    for (size_t i = 0; i < words.count; i++)
        if (!strcmp(words.word[i], "%s")) words_replace(&words, i, strcmp(number, "''") ? number : "");
    return words;
}

static void expect_no_number(const struct place_of_number *place, const char *number) {
    struct words words = with_number(place->line, number);
    redisReply *reply = call_words(primary, &words);
    require(reply_is_answer(reply, place->answer), "%s should give %s, but gave %s", words_text(&words),
            place->answer, reply_text(reply));
}

BEFORE_EACH {
    file_commands_setup();
}

TEST(malformed_numbers_are_refused) {
    act("h = open s a RW/RWD", NULL);
    traces_begin("new");
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        bool locks = !strcmp(numbers[i].answer, BAD_LOCK);
        for (size_t row = 0; row < ARRAY_SIZE(no_numbers); row++)
            if (!locks || !is_lock_number(no_numbers[row])) expect_no_number(&numbers[i], no_numbers[row]);
        if (numbers[i].too_large) expect_no_number(&numbers[i], numbers[i].too_large);
    }
    traces_require_none();
}

TEST(files_of_the_largest_size_are_read_and_written) {
    acts({"create big " LARGEST, NULL}, {"put big 4398046511103 x", NULL},
         {"put big 4398046511103 xy", BAD_RANGE}, {"get big RANGE 4398046511102 10", "[<etag>, \"\\x00x\"]"},
         {"get big RANGE 4398046511102 -1", "[<etag>, \"\\x00x\"]"},
         {"get big RANGE " LARGEST " 1", BAD_RANGE}, {"get big", BAD_RANGE}, {"clear big 0 " LARGEST, NULL},
         {"put big 0 x", NULL},
         {"ranges big", "[\"etag\", <etag>, \"content-length\", <ms>, \"ranges\", [[0, 512]]]"},
         {"h = open s big RW/RWD", NULL}, {"write $h 4398046511103 z", "1"},
         {"write $h 4398046511103 zz", BAD_RANGE}, {"write $h " LARGEST " ''", "0"},
         {"read $h 4398046511103 " PART_OF_ALL, "=z"}, {"read $h " PART_OF_ALL " " PART_OF_ALL, "="},
         {"read $h " PART_OF_ALL " 1", "="}, {"read $h 0 " PART_OF_ALL, BAD_RANGE}, {"truncate $h 5", "OK"},
         {"read $h 0 " PART_OF_ALL, NULL}, {"truncate $h " LARGEST, "OK"}, {"copy big twin", NULL},
         {"setprops twin SIZE 0", NULL}, {"delete twin", "OK"},
         {"SHARE.SETPROPS fs QUOTA " PART_OF_ALL, NULL}, {"ranges big RANGE " PART_OF_ALL " 1", BAD_RANGE});
}

TEST(contents_of_every_size) {
    enum { MAX = 4 << 20 };
    act("create big 8388608", NULL);
    char *content = pool_take(MAX + 2);
    memset(content, 'z', MAX + 1);
    expect_etag(call(primary, "FILE.PUTRANGE fs big 5 %b", content, (size_t)MAX));
    traces_begin("none");
    expect_error(call(primary, "FILE.PUTRANGE fs big 5 %b", content, (size_t)MAX + 1), TOO_LARGE);
    acts({"put big 5 ''", BAD_RANGE}, {"clear big 5 0", BAD_RANGE});
    traces_require_none();
    act("h = open s big RW/RWD", NULL);
    const char *h = step_kept('h');
    expect_number(call(primary, "FILE.WRITE fs %s 1 %b", h, content, (size_t)MAX), MAX);
    expect_error(call(primary, "FILE.WRITE fs %s 1 %b", h, content, (size_t)MAX + 1), TOO_LARGE);
    redisReply *read = call(primary, "FILE.READ fs %s 0 8388608", h);
    require(read->len == 8388608 && !read->str[0] && read->str[1] == 'z' && read->str[MAX + 4] == 'z' &&
                !read->str[MAX + 5],
            "something else was written");
}

/* --- Words -------------------------------------------------------------------------------------------------------- */

TEST(unknown_repeated_and_miscounted_words_are_refused) {
    static const struct {
        const char *lines, *answer;
    } rows[] = {
        {"FILE.OPEN fs $s a ACCESS 0 SHARE 1 READ; FILE.OPEN fs $s a ACCESS 2 READ SHARE 1 READ; FILE.OPEN "
         "fs $s a ACCESS x READ SHARE 1 READ; "
         "FILE.OPEN fs $s a ACCESS -1 SHARE 1 READ; FILE.OPEN fs $s a ACCESS 1 NONE SHARE 1 READ; "
         "FILE.OPEN fs $s a ACCESS 1 READ SHARE 1 ATTRIBUTES; FILE.OPEN fs $s a ACCESS 1 READ ACCESS 1 READ "
         "SHARE 1 READ; "
         "FILE.OPEN fs $s a ACCESS 1 READ SHARE 1 READ DISPOSITION MAYBE; FILE.OPEN fs $s a ACCESS 1 READ; "
         "FILE.OPEN fs $s a ACCESS 99999999999999999999 READ SHARE 1 READ; create c 1 ATTRIBUTES 1 BLUE; "
         "create c 1 ATTRIBUTES 2 HIDDEN; create c 1 META 1 a; create c 1 NOTHING; setprops a; setmeta a; "
         "lock $h BOTH 0 1; dispose $h; dispose $h MAYBE; copy a; rename a b OVER; list '' COUNT; "
         "SHARE.CONNECT fs 5 ONCLOSE; SHARE.CONNECT fs 5 OWNER; SHARE.SETPROPS fs; SHARE.SETMETA fs; "
         "SHARE.DELETE fs SNAPSHOTS; get a RANGE 0 1 RANGE 0 1; put a 0 x y; close $h now",
         "ERR"},
        {"FILE.OPEN fs $s a ACCESS 1 READ SHARE 2 NONE READ; "
         "FILE.OPEN fs $s a ACCESS 1 READ SHARE 2 WRITE NONE; "
         "FILE.OPEN fs $s a ACCESS 1 READ SHARE 1 READ DELETEONCLOSE; "
         "FILE.OPEN fs $s a ACCESS 1 ATTRIBUTES SHARE 1 READ DELETEONCLOSE; create c 1 META 1 1a x; "
         "create c 1 META 1 '' x; SHARE.CONNECT fs 0; SHARE.CONNECT fs -1; SHARE.CONNECT fs INFINITE; "
         "SHARE.CONNECT fs x; SHARE.CONNECT fs ''; SHARE.CONNECT fs 0.0001; SHARE.CONNECT fs 31536001; "
         "SHARE.CONNECT fs 1e3; SHARE.CONNECT fs 99999999999999999999; get a LEASE x; get a LEASE ''; "
         "closeall a x; "
         "closeall a -1; closeall a ''; closeall a 1.5; closeall a 18446744073709551616; rename a b NEWLEASE "
         "x",
         "INVALID"},
        {"get a SNAPSHOT x; get a SNAPSHOT ''; stat a SNAPSHOT 0x1; ranges a SINCE x; list '' SNAPSHOT 7; "
         "handles MARKER x; handles '' MARKER -1; handles COUNT 0; handles COUNT x; list '' COUNT 0; "
         "SHARE.GETMETA fs SNAPSHOT x",
         "INVALID"},
        {"get a SNAPSHOT 0x0000000000000001; stat a SNAPSHOT 0x7000000000000000; list '' SNAPSHOT "
         "0x0000000000000001; "
         "SHARE.GETMETA fs SNAPSHOT 0x0000000000000001; ranges a SNAPSHOT 0x0000000000000001",
         "NOTFOUND ShareSnapshotNotFound"},
        {"ranges a SINCE 0x0000000000000001", "CONFLICT PreviousSnapshotNotFound"},
    };
    act("h = open s a RW/RWD", NULL);
    traces_begin("none");
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        for (const char *const *line = text_commands(rows[row].lines); *line; line++) {
            struct words words = act_words(*line);
            redisReply *reply = call_words(primary, &words);
            require(reply_is_error(reply) && !strncmp(reply->str, rows[row].answer, strlen(rows[row].answer)),
                    "%s should give %s, but gave %s", *line, rows[row].answer, reply_text(reply));
        }
    }
    traces_require_none();
}

TEST(options_at_their_limits_are_taken) {
    acts({"t = SHARE.CONNECT fs 31536000 ONCLOSE keep", NULL}, {"SHARE.PING fs $t", "31536000000"},
         {"t = SHARE.CONNECT fs 2000.5 OWNER 256*o ONCLOSE END", NULL}, {"SHARE.PING fs $t", "2000500"},
         {"SHARE.CONNECT fs 1 OWNER 257*o", "INVALID"}, {"SHARE.CONNECT fs 1000 OWNER ''", NULL},
         {"FILE.OPEN fs $s a access 2 attributes read share 3 delete write read disposition openif", NULL},
         {"create c 0 ATTRIBUTES 4 readonly HIDDEN System ARCHIVE", NULL}, {"setprops c ATTRIBUTES 0", NULL},
         {"create c 1 META 1 name 8000*x", NULL},
         {"create c 1 META 1 name 8193*x", "INVALID MetadataTooLarge"},
         {"SHARE.SETACL fs POLICIES 5 a - - r b - - c c - - w d - - d e 0 99 rcwdl", NULL},
         {"SHARE.SETACL fs POLICIES 6 a - - r b - - r c - - r d - - r e - - r f - - r", "INVALID"},
         {"SHARE.SETACL fs POLICIES 1 a - - rx", "INVALID"}, {"SHARE.SETACL fs", NULL},
         {"SHARE.CONNECT fs 0.001", NULL});
    await_info(primary, "holdfast_share_sessions", 4);
}

/* --- Ids ------------------------------------------------------------------------------------------------ */

static const char *const by_handle[] = {
    "FILE.READ fs %s 0 1",   "FILE.WRITE fs %s 0 x",  "FILE.TRUNCATE fs %s 1", "FILE.LOCK fs %s SHARED 0 1",
    "FILE.UNLOCK fs %s 0 1", "FILE.DISPOSE fs %s ON", "FILE.CLOSE fs %s",
};

static void expect_no_handle(const char *handle) {
    traces_begin("none");
    for (size_t i = 0; i < ARRAY_SIZE(by_handle); i++)
        expect_error(call(primary, by_handle[i], handle), NO_HANDLE);
    traces_require_none();
}

TEST(unknown_handles_are_refused) {
    acts({"h = open s a RWD/RWD", NULL}, {"t = SHARE.CONNECT fs 10", NULL}, {"i = open t b RWD/RWD", NULL},
         {"SHARE.CREATE other", NULL});
    const char *h = step_kept('h');
    static const char *const none[] = {"",          "x", "1", ID_A, "aaaaaaaa-0000-4000-8000-00000000000",
                                       "ATTRIBUTES"};
    for (size_t i = 0; i < ARRAY_SIZE(none); i++) expect_no_handle(none[i]);
    expect_no_handle(step_kept('s'));
    expect_no_handle(pool_print("%s0", h));
    expect_error(call(primary, "FILE.READ other %s 0 1", h), NO_HANDLE);
    act("close $h", "OK");
    expect_no_handle(h);
    act("10 s", NULL);
    expect_no_handle(step_kept('i'));
    acts({"i = open s b RWD/RWD", NULL}, {"SHARE.DISCONNECT fs $s", "OK"});
    expect_no_handle(step_kept('i'));
    acts({"s = SHARE.CONNECT fs 100", NULL}, {"i = open s b RWD/RWD", NULL}, {"closeall b *", "1"});
    expect_no_handle(step_kept('i'));
    acts({"i = open s b RWD/RWD", NULL}, {"SHARE.DELETE fs", "OK"}, {"SHARE.CREATE fs", NULL});
    expect_no_handle(step_kept('i'));
}

TEST(unknown_sessions_are_refused) {
    acts({"t = SHARE.CONNECT fs 10", NULL}, {"u = SHARE.CONNECT fs 100", NULL}, {"h = open s a R/RWD", NULL},
         {"SHARE.DISCONNECT fs $u", "OK"}, {"10 s", NULL}, {"SHARE.CREATE other", NULL});
    const char *none[] = {"x", "1", ID_A, step_kept('t'), step_kept('u'), step_kept('h')};
    traces_begin("none");
    for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
        expect_error(call(primary, "SHARE.PING fs %s", none[i]), NO_SESSION);
        expect_error(call(primary, "SHARE.DISCONNECT fs %s", none[i]), NO_SESSION);
        expect_error(call(primary, "FILE.OPEN fs %s b ACCESS 1 READ SHARE 1 READ", none[i]), NO_SESSION);
    }
    expect_error(call(primary, "SHARE.PING other %s", step_kept('s')), NO_SESSION);
    traces_require_none();
}

TEST(a_time_to_live_that_is_none_is_explained) {
    static const struct {
        const char *ttl, *text;
    } rows[] = {{"1e3", "ttl-seconds must be a number of seconds such as 30 or 2.5, without an exponent"},
                {"x", "ttl-seconds must be a number of seconds"},
                {"0", "ttl-seconds must be between 0.001 seconds and 365 days"},
                {"-1", "ttl-seconds must be between"},
                {"31536001", "ttl-seconds must be between"},
                {"99999999999999999999", "ttl-seconds must be between"}};
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
        expect_error(call(primary, "SHARE.CONNECT fs %s", rows[row].ttl),
                     pool_print("%s %s", BAD_VALUE, rows[row].text));
}
