/* Sources that are no good: whatever another server says, or does not say, the copy fails with a reason, the blob is
 * whole or empty, and nothing is pending for ever. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "sources.h"
#include "steps.h"
#include "text.h"

#define STAT(kind, length, more) "[blob-type " kind " etag E content-length :" length " " more " meta []]"
#define BLOCK_STAT               STAT("block", "4", "")
#define NO_BLOCKS                "[etag E content-length :4 committed []]"

/* A source of one small blob, up to the row that is wrong. */
#define SOUND_STAT                                                                                           \
    { "BLOB.STAT", BLOCK_STAT, 0 }
#define SOUND_BLOCKS                                                                                         \
    { "BLOB.GETBLOCKLIST", NO_BLOCKS, 0 }

static void stage_target(void) {
    time_passes(0);
    create("box");
    configure(primary, "holdfast.copy-from", "127.0.0.1:*");
    configure(primary, "holdfast.copy-timeout-seconds", "0.1");
}

/* A copy to a blob that is there, and what comes of it: the status, and how its description begins. */
static redisReply *copied_as(const struct told *script, const char *status, const char *description) {
    struct source *source = source_start(script);
    call(primary, "BLOB.DELETE box target");
    expect_etag(call(primary, "BLOB.PUT box target old META 1 a b"));
    copy_from("box", "target", source_port(source), "");
    redisReply *stat = await_copy("target");
    const char *first = script && script->answer ? script->answer : "silence";
    require(!strcmp(reply_string(field(stat, "copy-status")), status), "'%.60s' gives %s", first,
            reply_text(stat));
    const redisReply *told = reply_field_if_any(stat, "copy-description");
    require(!description == !told && (!told || text_begins(told->str, description)), "'%.60s' gives %s",
            first, reply_text(stat));
    return stat;
}

/* Before the blob is known to be sound it keeps what it was; afterwards it is empty. */
enum left { LEFT_AS_IT_WAS, LEFT_EMPTY };

static void expect_left(enum left left) {
    step_play("BLOB.GET box target", left == LEFT_EMPTY ? "[<etag>, \"\"]" : "[<etag>, \"old\"]", 0);
    step_play("BLOB.GETMETA box target", left == LEFT_EMPTY ? "[<etag>, []]" : "[<etag>, [\"a\", \"b\"]]", 0);
}

BEFORE_EACH {
    stage_target();
}

TEST(a_sound_source_is_copied) {
    static const struct told script[] = {
        SOUND_STAT, SOUND_BLOCKS, {"BLOB.GET src blob RANGE 0 4 IFMATCH", "[E meow]", 0}, {NULL, NULL, 0}};
    redisReply *stat = copied_as(script, "success", NULL);
    expect_text(field(stat, "copy-progress"), "4/4");
    step_play("BLOB.GET box target", "[<etag>, \"meow\"]", 0);
}

/* What a source answers wrongly, and why the copy fails then. What it is asked before that is answered as it should be. */
static const struct {
    const char *question, *answer, *description;
} rows[] = {
    /* Errors are told as they are. */
    {"BLOB.STAT", "-NOTFOUND BlobNotFound no such blob", "NOTFOUND BlobNotFound no such blob"},
    {"BLOB.STAT", "-NOPERM no right", "NOPERM no right"},
    {"BLOB.STAT", "-ERR unknown command", "ERR unknown command"},
    {"BLOB.STAT", "-ASK 1 127.0.0.1:7777", "ASK 1 127.0.0.1:7777"},
    {"BLOB.STAT", "-MOVED 1 example.test:6379",
     "INVALID CannotVerifyCopySource MOVED leads to example.test:6379"},
    {"BLOB.STAT", "-MOVED 1 nonsense", "MOVED 1 nonsense"},
    {"BLOB.STAT", "~", "PRECONDITION SourceConditionNotMet"},
    {"BLOB.STAT", "-LOADING not yet", "LOADING not yet"},
    /* No Holdfast, or one that is not ready. */
    {"BLOB.STAT", ":7", "the source's answer to BLOB.STAT is not valid"},
    {"BLOB.STAT", "text", "the source's answer to BLOB.STAT is not valid"},
    {"BLOB.STAT", "[]", "the source's ETag is not valid"},
    {"BLOB.STAT", STAT("block", "4", "copy-status pending"), "CONFLICT PendingCopyOperation"},
    {"BLOB.STAT", STAT("tape", "4", ""), "the source's blob-type is not valid"},
    {"BLOB.STAT", "[etag E content-length :4 meta []]", "the source's blob-type is not valid"},
    {"BLOB.STAT", STAT("block", "-4", ""), "the source's content-length is not valid"},
    {"BLOB.STAT", STAT("block", "4", "content-type :7"), "the source's properties are not valid"},
    {"BLOB.STAT", STAT("block", "4", "content-language 9000*x"), "the source's properties are not valid"},
    {"BLOB.STAT", "[blob-type block etag E content-length :4]", "the source's metadata are not valid"},
    {"BLOB.STAT", "[blob-type block etag E content-length :4 meta [1bad x]]",
     "the source's metadata are not valid"},
    {"BLOB.STAT", "[blob-type block etag E content-length :4 meta [odd]]",
     "the source's metadata are not valid"},
    {"BLOB.STAT", STAT("page", "512", ""), "the source's numbers do not fit"},
    {"BLOB.STAT", STAT("page", "511", "sequence-number :0"), "the source's numbers do not fit"},
    {"BLOB.STAT", STAT("append", "4", "block-count :50001"), "the source's numbers do not fit"},
    {"BLOB.STAT", STAT("page", "512", "sequence-number :0"), "CONFLICT InvalidBlobType"},
    {"BLOB.STAT", STAT("append", "4", "block-count :1"), "CONFLICT InvalidBlobType"},
    /* No protocol, or too much of it. */
    {"BLOB.STAT", "raw HTTP/1.1 400 Bad Request\r\n\r\n", "the source's answer cannot be read"},
    {"BLOB.STAT", "raw *1000000000\r\n", "the source's answer cannot be read"},
    {"BLOB.STAT", "raw *50001\r\n", "the source's answer cannot be read"},
    {"BLOB.STAT", "raw $-5\r\n", "the source's answer cannot be read"},
    {"BLOB.STAT", "raw *1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", "the source's answer cannot be read"},
    {"BLOB.STAT", "5000000*x", "the source's answer cannot be read"},
    {"BLOB.STAT", "raw +OK\r\n+OK\r\n", "the source's answer to BLOB.STAT is not valid"},
    /* Silence, and lost connections. */
    {"BLOB.STAT", NULL, "the source does not answer within holdfast.copy-timeout-seconds"},
    {"BLOB.STAT", "raw *4\r\n$9\r\nblob-", "the source does not answer"},
    {"BLOB.STAT", "close", "the connection to the source was lost"},
    {"READONLY", "close", "the connection to the source was lost"},
    /* Doctored lists of blocks. */
    {"BLOB.GETBLOCKLIST", "text", "the source's list of blocks has no ETag"},
    {"BLOB.GETBLOCKLIST", "[etag 0x6924F1A20000A31C committed []]",
     "PRECONDITION ConditionNotMet the source has changed"},
    {"BLOB.GETBLOCKLIST", "[etag E committed :1]", "the source's list of blocks is not valid"},
    {"BLOB.GETBLOCKLIST", "[etag E committed [AAAA]]",
     "the source's list of blocks has one that is not valid"},
    {"BLOB.GETBLOCKLIST", "[etag E committed [[AAAA :5]]]",
     "the source's list of blocks has one that is not valid"},
    {"BLOB.GETBLOCKLIST", "[etag E committed [[AAAA :0] [AAAB :4]]]",
     "the source's list of blocks has one that is not valid"},
    {"BLOB.GETBLOCKLIST", "[etag E committed [[!!!! :4]]]",
     "the source's list of blocks has one that is not valid"},
    {"BLOB.GETBLOCKLIST", "[etag E committed [[100*A :4]]]",
     "the source's list of blocks has one that is not valid"},
    {"BLOB.GETBLOCKLIST", "[etag E committed [[AAAA :3]]]",
     "the source's blocks are not as long as its content"},
    /* Contents. */
    {"BLOB.GET ", "[E meo]", "the source sends more or less than it was asked for"},
    {"BLOB.GET ", "[E meows]", "the source sends more or less than it was asked for"},
    {"BLOB.GET ", "[0x6924F1A20000A31C meow]", "the source answers with an ETag"},
    {"BLOB.GET ", "meow", "the source's answer to BLOB.GET is not valid"},
    {"BLOB.GET ", "~", "the source's answer to BLOB.GET is not valid"},
    {"BLOB.GET ", "-PRECONDITION ConditionNotMet the blob's ETag is another",
     "PRECONDITION ConditionNotMet the blob's"},
    {"BLOB.GET ", "-NOTFOUND BlobNotFound gone", "NOTFOUND BlobNotFound gone"},
    {"BLOB.GET ", "-INVALID InvalidRange too large", "INVALID InvalidRange too large"},
    {"BLOB.GET ", "close", "the connection to the source was lost"},
    {"BLOB.GET ", "raw *2\r\n$18\r\n0x69", "the source does not answer"},
    {"BLOB.GET ", NULL, "the source does not answer"},
};

TEST(whatever_a_source_does_wrong_fails_the_copy) {
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        struct told script[] = {SOUND_STAT, SOUND_BLOCKS, {NULL, NULL, 0}, {NULL, NULL, 0}};
        size_t wrong = 0;
        if (!strcmp(rows[row].question, "BLOB.GETBLOCKLIST")) wrong = 1;
        if (!strcmp(rows[row].question, "BLOB.GET ")) wrong = 2;
        script[wrong] = (struct told){rows[row].question, rows[row].answer, 0};
        script[wrong + 1] = (struct told){NULL, NULL, 0};
        redisReply *stat = copied_as(script, "failed", rows[row].description);
        expect_left(wrong == 2 ? LEFT_EMPTY : LEFT_AS_IT_WAS);
        assert_true(field(stat, "copy-completed")->integer > 0);
        sources_end();
    }
    expect_number(field(call(primary, "CONTAINER.GET box"), "blobs"), 1);
}

/* A list of pages is looked at when the blob has been emptied. */
TEST(doctored_pages_fail_the_copy) {
    static const struct {
        const char *pages, *description;
    } lists[] = {
        {"[etag E pages :1]", "the source's list of pages is not valid"},
        {"[etag 0x6924F1A20000A31C pages []]", "the source's pages are of another ETag"},
        {"[etag E pages [[:0 :512] [:0 :512]]]", "the source's list of pages has one that is not valid"},
        {"[etag E pages [[:512 :512] [:0 :512]]]", "the source's list of pages has one that is not valid"},
        {"[etag E pages [[:1 :512]]]", "the source's list of pages has one that is not valid"},
        {"[etag E pages [[:0 :0]]]", "the source's list of pages has one that is not valid"},
        {"[etag E pages [[:0 :511]]]", "the source's list of pages has one that is not valid"},
        {"[etag E pages [[:512 :1024]]]", "the source's list of pages has one that is not valid"},
        {"[etag E pages [[:0]]]", "the source's list of pages has one that is not valid"},
        {"-INVALID InvalidRange too many", "INVALID InvalidRange too many"},
    };
    for (size_t list = 0; list < ARRAY_SIZE(lists); list++) {
        struct told script[] = {{"BLOB.STAT", STAT("page", "1024", "sequence-number :7"), 0},
                                {"BLOB.GETPAGES", lists[list].pages, 0},
                                {NULL, NULL, 0}};
        struct source *source = source_start(script);
        call(primary, "BLOB.DELETE box disk");
        copy_from("box", "disk", source_port(source), "");
        redisReply *stat = await_copy("disk");
        expect_text(field(stat, "copy-status"), "failed");
        expect_text(field(stat, "copy-description"),
                    pool_print("%s", reply_string(field(stat, "copy-description"))));
        require(text_begins(reply_string(field(stat, "copy-description")), lists[list].description),
                "%s gives %s", lists[list].pages, reply_text(stat));
        expect_text(field(stat, "blob-type"), "page");
        expect_number(field(stat, "content-length"), 0);
        sources_end();
    }
}

/* What cannot be shown is not shown, and what is long is cut; the password never shows, whole or where it was cut. */
TEST(descriptions_are_printable_and_tell_no_secret) {
    static const char secret[] = "correct-horse-battery-staple";
    char noise[1400] = "-ERR ", cut[1400] = "-ERR ";
    memset(noise + 5, 'x', 1200);
    noise[9] = 1, noise[10] = 127, noise[11] = (char)255, noise[12] = 9;
    memset(cut + 5, 'y', 1008);
    snprintf(cut + 5 + 1005, sizeof(cut) - 5 - 1005, "%s", secret);
    const struct {
        struct told script[3];
        const char *contains;
    } tellers[] = {
        {{{"BLOB.STAT", noise, 0}}, "ERR xxxx????xxx"},
        {{{"BLOB.STAT", "-ERR your password is correct-horse-battery-staple, sir", 0}},
         "ERR your password is ****"},
        {{{"BLOB.STAT", cut, 0}}, "yyy*****"},
        {{{"AUTH",
           "-ERR unknown command 'AUTH', with args beginning with: 'me' 'correct-horse-battery-staple'", 0}},
         "ERR the source refuses holdfast.copy-user"},
        {{{"AUTH", "-WRONGPASS correct-horse-battery-staple", 0}}, "WRONGPASS the source refuses"},
        {{{"AUTH", "-correct-horse-battery-staple", 0}}, "ERR the source refuses"},
    };
    configure(primary, "holdfast.copy-user", "me");
    configure(primary, "holdfast.copy-password", secret);
    for (size_t row = 0; row < ARRAY_SIZE(tellers); row++) {
        redisReply *stat = copied_as(tellers[row].script, "failed", "");
        const redisReply *told = field(stat, "copy-description");
        require(strstr(told->str, tellers[row].contains), "row %zu tells %s", row, told->str);
        require(!strstr(reply_text(stat), secret) && !strstr(told->str, "correct"), "row %zu tells %s", row,
                told->str);
        assert_true(told->len <= 1024);
        for (size_t i = 0; i < told->len; i++) assert_in_range((unsigned char)told->str[i], ' ', '~');
        sources_end();
    }
}

/* --- What is asked --- */

TEST(a_source_is_asked_in_public_words) {
    static const struct told script[] = {
        SOUND_STAT, SOUND_BLOCKS, {"BLOB.GET ", "[E meow]", 0}, {NULL, NULL, 0}};
    configure(primary, "holdfast.copy-user", "me");
    configure(primary, "holdfast.copy-password", "pass");
    struct source *source = source_start(script);
    copy_from("box", "new", source_port(source),
              "SNAPSHOT 0x6924F1A200000001 SOURCEIFMATCH " SOURCE_ETAG
              " SOURCEIFUNMODIFIEDSINCE 5 META 1 c d");
    expect_text(field(await_copy("new"), "copy-status"), "success");
    assert_string_equal(source_heard(source),
                        "AUTH me pass; READONLY; "
                        "BLOB.STAT src blob SNAPSHOT 0x6924F1A200000001 IFMATCH " SOURCE_ETAG "; "
                        "BLOB.GETBLOCKLIST src blob COMMITTED SNAPSHOT 0x6924F1A200000001; "
                        "BLOB.GET src blob RANGE 0 4 SNAPSHOT 0x6924F1A200000001 IFMATCH " SOURCE_ETAG "; ");
    step_play("BLOB.GETMETA box new", "[<etag>, [\"c\", \"d\"]]", 0);
    expect_text(field(stat_of("box", "new"), "copy-source"),
                pool_print("127.0.0.1:%d/src/blob?snapshot=0x6924F1A200000001", source_port(source)));
}

TEST(conditions_of_the_source_are_asked_there) {
    static const struct {
        const char *words, *asked;
    } cases[] = {
        {"SOURCEIFNONEMATCH x", "IFNONEMATCH x; "},
        {"SOURCEIFNONEMATCH *", "BLOB.STAT src blob; "},
        {"SOURCEIFMODIFIEDSINCE 7", "IFMODIFIEDSINCE 7; "},
        {"SOURCEIFUNMODIFIEDSINCE 7", "IFUNMODIFIEDSINCE 7; "},
        {"SOURCEIFNONEMATCH x SOURCEIFMODIFIEDSINCE 7", "BLOB.STAT src blob IFNONEMATCH x; "},
    };
    static const struct told script[] = {{"BLOB.STAT", "~", 0}, {NULL, NULL, 0}};
    for (size_t row = 0; row < ARRAY_SIZE(cases); row++) {
        struct source *source = source_start(script);
        copy_from("box", "new", source_port(source), cases[row].words);
        await_copy("new");
        require(strstr(source_heard(source), cases[row].asked), "%s asks %s", cases[row].words,
                source_heard(source));
        sources_end();
    }
    step_play("BLOB.COPY box new src blob FROM 127.0.0.1 1 SOURCEIFMATCH * SOURCEIFNONEMATCH *",
              "INVALID MultipleConditionHeadersNotSupported", 0);
}

/* --- Connections --- */

/* What was lost is asked for again, and nothing that had come. */
TEST(a_lost_connection_is_made_anew) {
    static const struct told script[] = {
        {"BLOB.STAT", STAT("append", "2097152", "block-count :2"), 0},
        {"BLOB.GET src blob RANGE 0 ", "[E 1048576*a]", 0},
        {"BLOB.GET src blob RANGE 1048576", "close", 2},
        {"BLOB.GET src blob RANGE 1048576", "[E 1048576*b]", 0},
        {NULL, NULL, 0},
    };
    configure(primary, "holdfast.copy-timeout-seconds", "5");
    struct source *source = source_start(script);
    copy_from("box", "log", source_port(source), "");
    redisReply *stat = await_copy("log");
    require(!strcmp(reply_string(field(stat, "copy-status")), "success"), "%s", reply_text(stat));
    expect_number(field(stat, "content-length"), 2097152);
    expect_number(field(stat, "block-count"), 2);
    assert_int_equal(source_visits(source), 3);
    step_play("BLOB.GET box log RANGE 1048574 4", "[<etag>, \"aabb\"]", 0);
}

TEST(a_source_has_three_tries) {
    static const struct told script[] = {{"BLOB.STAT", "close", 0}, {NULL, NULL, 0}};
    struct source *source = source_start(script);
    copy_from("box", "new", source_port(source), "");
    expect_text(field(await_copy("new"), "copy-status"), "failed");
    assert_int_equal(source_visits(source), 3);
    int port = source_port(source);
    sources_end();
    copy_from("box", "other", port, "");
    redisReply *stat = await_copy("other");
    require(text_begins(reply_string(field(stat, "copy-description")), "no connection to 127.0.0.1:"), "%s",
            reply_text(stat));
}

/* Turns of other copies, and of deleted blobs, do not cut the rests of 100 and 200 ms. */
TEST(a_source_has_its_tries_with_a_rest_between_them) {
    static const struct told script[] = {{"BLOB.STAT", "-LOADING not yet", 0}, {NULL, NULL, 0}};
    configure(primary, "holdfast.copy-timeout-seconds", "5");
    struct source *source = source_start(script);
    long long since_ms = stopwatch();
    copy_from("box", "new", source_port(source), "");
    while (info_of(primary, "holdfast_copies_pending")) {
        expect_etag(call(primary, "BLOB.PUT box other content"));
        expect_ok(call(primary, "BLOB.DELETE box other"));
    }
    long long took_ms = stopwatch() - since_ms;
    require(took_ms >= 300, "all tries within %lld ms", took_ms);
    assert_int_equal(source_visits(source), 3);
}

TEST(moved_is_followed_once) {
    static const struct told sound[] = {
        SOUND_STAT, SOUND_BLOCKS, {"BLOB.GET ", "[E meow]", 0}, {NULL, NULL, 0}};
    struct source *home = source_start(sound);
    struct told near_home[] = {{"BLOB.STAT", pool_print("-MOVED 7 127.0.0.1:%d", source_port(home)), 0},
                               {NULL, NULL, 0}};
    struct source *next_door = source_start(near_home);
    struct told unnamed[] = {{"BLOB.STAT", pool_print("-MOVED 7 :%d", source_port(home)), 0},
                             {NULL, NULL, 0}};
    struct told far_away[] = {{"BLOB.STAT", pool_print("-MOVED 7 127.0.0.1:%d", source_port(next_door)), 0},
                              {NULL, NULL, 0}};
    copy_from("box", "one", source_port(next_door), "");
    expect_text(field(await_copy("one"), "copy-status"), "success");
    copy_from("box", "two", source_port(source_start(unnamed)), "");
    expect_text(field(await_copy("two"), "copy-status"), "success");
    copy_from("box", "three", source_port(source_start(far_away)), "");
    redisReply *stat = await_copy("three");
    expect_text(field(stat, "copy-status"), "failed");
    require(text_begins(reply_string(field(stat, "copy-description")), "MOVED 7 127.0.0.1:"), "%s",
            reply_text(stat));
    configure(primary, "holdfast.copy-from", pool_print("127.0.0.1:%d", source_port(next_door)));
    int visits = source_visits(home);
    copy_from("box", "four", source_port(next_door), "");
    stat = await_copy("four");
    require(text_begins(reply_string(field(stat, "copy-description")),
                        "INVALID CannotVerifyCopySource MOVED leads to"),
            "%s", reply_text(stat));
    assert_int_equal(source_visits(home), visits);
}

/* --- Who is allowed --- */

TEST(hosts_that_are_not_listed_are_not_asked) {
    static const struct {
        const char *list, *host;
        bool at_once;
    } cases[] = {
        {"", "127.0.0.1", true},
        {"10.0.0.1:*", "127.0.0.1", true},
        {"127.0.0.1:1", "127.0.0.1", true},
        {"127.0.0.1:*", "localhost", true},
        {"localhost:*", "127.0.0.1", true},
        /* The name is listed, and the address behind it is not. */
        {"localhost:*", "localhost", false},
        {"local*:* 10.*:*", "LOCALHOST", false},
        {"*.1:*", "127.1", false},
    };
    struct source *source = source_start(NULL);
    for (size_t row = 0; row < ARRAY_SIZE(cases); row++) {
        configure(primary, "holdfast.copy-from", cases[row].list);
        const char *line =
            pool_print("BLOB.COPY box new%zu src blob FROM %s %d", row, cases[row].host, source_port(source));
        if (!strcmp(cases[row].host, "127.1")) configure(primary, "holdfast.copy-from", "127.1:*");
        if (cases[row].at_once) {
            step_play(line, "INVALID CannotVerifyCopySource", 0);
            continue;
        }
        expect_elements(call_line(primary, line), 3);
        redisReply *stat = await_copy(pool_print("new%zu", row));
        require(text_begins(reply_string(field(stat, "copy-description")),
                            "INVALID CannotVerifyCopySource the name leads to"),
                "%s", reply_text(stat));
        assert_null(reply_field_if_any(stat, "blob-type"));
    }
    assert_int_equal(source_visits(source), 0);
    configure(primary, "holdfast.copy-from", "localhost:* 127.0.0.1:* [::1]:*");
    static const struct told sound[] = {
        SOUND_STAT, SOUND_BLOCKS, {"BLOB.GET ", "[E meow]", 0}, {NULL, NULL, 0}};
    struct source *good = source_start(sound);
    expect_elements(call(primary, "BLOB.COPY box named src blob FROM localhost %d", source_port(good)), 3);
    expect_text(field(await_copy("named"), "copy-status"), "success");
}

TEST(malformed_sources_are_refused) {
    static const struct step steps[] = {
        {"BLOB.COPY box new src blob FROM 127.0.0.1 0", "INVALID InvalidHeaderValue", 0},
        {"BLOB.COPY box new src blob FROM 127.0.0.1 65536", "INVALID InvalidHeaderValue", 0},
        {"BLOB.COPY box new src blob FROM 127.0.0.1 x", "INVALID InvalidHeaderValue", 0},
        {"BLOB.COPY box new src blob FROM '' 6379", "INVALID InvalidHeaderValue", 0},
        {"BLOB.COPY box new src blob FROM 300*a 6379", "INVALID InvalidHeaderValue", 0},
        {"BLOB.COPY box new src blob FROM 127.0.0.1", "ERR syntax", 0},
        {"BLOB.COPY none new src blob FROM 127.0.0.1 6379", "NOTFOUND ContainerNotFound", 0},
        {"BLOB.COPY box new src blob FROM 127.0.0.1 6379 LEASE A",
         "PRECONDITION LeaseNotPresentWithBlobOperation", 0},
        {"BLOB.COPY box new src blob FROM 127.0.0.1 6379 IFMATCH *", "PRECONDITION TargetConditionNotMet", 0},
    };
    steps_play(steps);
    expect_error(call(primary, "BLOB.COPY box new src blob FROM %b 6379", "a b", (size_t)3),
                 "INVALID InvalidHeaderValue");
    expect_error(call(primary, "CONFIG SET holdfast.copy-from nonsense"), "ERR");
}
