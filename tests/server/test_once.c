/* ONCE on every command that writes: the second call answers what the first one did, to the byte, and leaves no trace.
 * Alone, in a transaction and in a script. What is not remembered is decided anew. */
#include <string.h>

#include "clock.h"
#include "files.h"
#include "grammar.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "queues.h"
#include "sources.h"
#include "steps.h"
#include "text.h"
#include "traces.h"

/* Each command that takes ONCE, in a form that succeeds and changes something after stage_everything. */
static const char *const lines[] = {
    "CONTAINER.CREATE new META 1 a b",
    "CONTAINER.SETMETA box META 1 a b",
    "CONTAINER.SETACL box ACCESS BLOB",
    "BLOB.PUT box cat purr",
    "BLOB.SETPROPS box cat PROPS 1 content-type a",
    "BLOB.SETMETA box cat META 1 a b",
    "BLOB.DELETE box cat",
    "BLOB.SNAPSHOT box cat",
    "BLOB.COPY box twin box cat",
    "BLOB.ABORTCOPY box coming $c",
    "BLOB.PUTBLOCK box parts BBBB y",
    "BLOB.PUTBLOCKLIST box parts 1 LATEST AAAA",
    "BLOB.CREATEPAGE box more 512",
    "BLOB.PUTPAGE box pages 0 512*x",
    "BLOB.CLEARPAGE box pages 0 512",
    "BLOB.CREATEAPPEND box diary",
    "BLOB.APPEND box log x",
    "BLOB.SEAL box log",
    "CONTAINER.FEED box ON KEEP 10",
    "LEASE.ACQUIRE box 60 OWNER me",
    "LEASE.RENEW box A BLOB held",
    "LEASE.CHANGE box A B BLOB held",
    "LEASE.RELEASE box A BLOB held",
    "LEASE.BREAK box BLOB held PERIOD 5",
    "QUEUE.CREATE new",
    "QUEUE.CONFIGURE jobs MAXDELIVERIES 9",
    "QUEUE.SETMETA jobs META 1 a b",
    "QUEUE.SETACL jobs POLICIES 1 one 0 - raup",
    "QUEUE.PUT jobs text",
    "QUEUE.PUT jobs text DEDUP d GROUP g",
    "QUEUE.PUTMANY jobs 2 one two",
    "QUEUE.GET jobs COUNT 2",
    "QUEUE.GET jobs COUNT 2 BLOCK 1",
    "QUEUE.UPDATE jobs $m $r VISIBILITY 60 MESSAGE other",
    "QUEUE.RELEASE jobs $m $r",
    "QUEUE.DELETE jobs $m $r",
    "QUEUE.DELETEMANY jobs 1 $m $r",
    "QUEUE.CLEAR jobs",
    "QUEUE.REDRIVE graves",
    "SHARE.CREATE new",
    "SHARE.SETMETA fs META 1 a b",
    "SHARE.SETPROPS fs QUOTA 100000",
    "SHARE.SETACL fs POLICIES 1 one 0 - r",
    "SHARE.SNAPSHOT fs",
    "SHARE.CONNECT fs 60",
    "SHARE.PING fs $s",
    "SHARE.DISCONNECT fs $s",
    "FILE.MKDIR fs directory",
    "FILE.RMDIR fs empty",
    "FILE.CREATE fs new 10",
    "FILE.SETPROPS fs a ATTRIBUTES 1 HIDDEN",
    "FILE.SETMETA fs a META 1 a b",
    "FILE.PUTRANGE fs a 0 x",
    "FILE.CLEARRANGE fs a 0 1",
    "FILE.DELETE fs gone",
    "FILE.COPY fs gone copy",
    "FILE.RENAME fs gone moved",
    "FILE.CLOSEHANDLES fs a *",
    "FILE.OPEN fs $s a ACCESS 1 READ SHARE 3 READ WRITE DELETE",
    "FILE.WRITE fs $h 0 x",
    "FILE.TRUNCATE fs $h 9",
    "FILE.LOCK fs $h SHARED 0 1",
    "FILE.UNLOCK fs $k 5 1",
    "FILE.DISPOSE fs $h ON",
    "FILE.CLOSE fs $h",
    "TABLE.CREATE new",
    "TABLE.SETACL t POLICIES 1 one 0 - r",
    "TABLE.INDEX bare a",
    "TABLE.INDEX bare a once b",
    "TABLE.FEED t ON KEEP 10",
    "TABLE.UNINDEX t known",
    "TABLE.UNINDEX t known a",
    "TABLE.INSERT t p new PROPS 1 a b",
    "TABLE.REPLACE t p r IFMATCH * PROPS 1 a c",
    "TABLE.MERGE t p r IFMATCH * PROPS 1 ONCE token",
    "TABLE.DELETE t p r IFMATCH *",
    "TABLE.INSERTORREPLACE t p r PROPS 1 a c",
    "TABLE.INSERTORMERGE t p r PROPS 1 a c",
    "TABLE.BATCH t p 2 INSERT x PROPS 1 ONCE token DELETE r IFMATCH *",
};

enum { LINES = ARRAY_SIZE(lines) };

/* --- What there is ----------------------------------------------------------------------------------------------- */

static void stage_containers(void) {
    lease_setup();
    acts({"BLOB.PUT box held x", NULL}, {"LEASE.ACQUIRE box -1 BLOB held ID A", NULL},
         {"BLOB.CREATEPAGE box pages 1024", NULL}, {"BLOB.CREATEAPPEND box log", NULL},
         {"BLOB.PUTBLOCK box parts AAAA x", NULL}, {"BLOB.PUT box coming x", NULL});
    step_keep('c', pending_copy("coming"));
}

static void stage_queues(void) {
    queue_setup("MAXDELIVERIES 2");
    put_job("mine", "");
    struct parcel mine = get_job("mine", "");
    step_keep('m', mine.id);
    step_keep('r', mine.receipt);
    put_job("first", "");
    put_job("second", "");
    acts({"QUEUE.CREATE graves MAXDELIVERIES 1", NULL}, {"QUEUE.PUT graves bones", NULL});
    redisReply *dead = expect_elements(call(primary, "QUEUE.GET graves"), 1)->element[0];
    expect_ok(call(primary, "QUEUE.RELEASE graves %s %s", parcel_of(dead).id, parcel_of(dead).receipt));
}

static void stage_shares(void) {
    share_setup();
    file_setup("a", "0123456789");
    file_setup("gone", "soon");
    file_setup("locked", "0123456789");
    acts({"FILE.MKDIR fs empty", NULL}, {"h = open s a RWD/RWD", NULL}, {"k = open s locked RW/RW", NULL},
         {"lock $k EXCLUSIVE 5 1", "OK"});
}

static void stage_everything(void) {
    call(primary, "DEL box jobs graves fs t bare new");
    stage_containers();
    stage_queues();
    stage_shares();
    acts({"TABLE.CREATE bare", NULL}, {"TABLE.CREATE t", NULL}, {"TABLE.INDEX t known a", NULL},
         {"TABLE.INSERT t p r PROPS 1 a b", NULL});
}

/* --- The same twice ---------------------------------------------------------------------------------------------- */

static struct words with_token(const char *line, const char *token) {
    struct words words = act_words(line);
    words_add(&words, "ONCE");
    words_add(&words, token);
    return words;
}

static redisReply *play_alone(const struct words *words) {
    return call_words(primary, words);
}

static redisReply *play_in_transaction(const struct words *words) {
    expect_ok(call(primary, "MULTI"));
    expect_text(call_words(primary, words), "QUEUED");
    return expect_elements(call(primary, "EXEC"), 1)->element[0];
}

static redisReply *play_in_script(const struct words *words) {
    struct words script = words_of_line("EVAL");
    words_add(&script, "return redis.call(unpack(ARGV))");
    words_add(&script, "1");
    words_add(&script, words->word[1]);
    for (size_t i = 0; i < words->count; i++) words_add_bytes(&script, words->word[i], words->length[i]);
    return call_words(primary, &script);
}

static void play_twice(const char *line, redisReply *(*play)(const struct words *words)) {
    stage_everything();
    struct words words = with_token(line, "token");
    redisReply *first = play(&words);
    require(!reply_is_error(first), "%s gives %s", words_text(&words), reply_text(first));
    long long answered = info_of(primary, "holdfast_once_answered");
    traces_begin("none");
    redisReply *second = play(&words);
    traces_require_none();
    require(reply_same(first, second), "%s\n    gave first %s\n    and then %s", words_text(&words),
            reply_text(first), reply_text(second));
    assert_int_equal(info_of(primary, "holdfast_once_answered"), answered + 1);
}

TEST(a_repeated_call_is_answered_as_the_first) {
    for (size_t line = 0; line < LINES; line++) play_twice(lines[line], play_alone);
    /* Valkey's scripts take an error inside of a reply for the reply. */
    play_twice("QUEUE.DELETEMANY jobs 2 $m $r $m $r", play_alone);
}

TEST(once_works_in_transactions) {
    for (size_t line = 0; line < LINES; line++) play_twice(lines[line], play_in_transaction);
}

TEST(once_works_in_scripts) {
    for (size_t line = 0; line < LINES; line++) play_twice(lines[line], play_in_script);
}

/* Not even what time has ended goes with a call that comes again. */
TEST(a_repeated_call_removes_no_expired_messages) {
    queue_setup("");
    expect_elements(call(primary, "QUEUE.PUT jobs doomed TTL 10"), 10);
    redisReply *first = call(primary, "QUEUE.PUT jobs text ONCE t");
    time_passes(10300);
    traces_begin("none");
    redisReply *second = call(primary, "QUEUE.PUT jobs text ONCE t");
    traces_require_none();
    assert_true(reply_same(first, second));
}

/* --- Which commands ---------------------------------------------------------------------------------------------- */

static bool takes_once(const struct grammar *grammar) {
    for (size_t i = 0; i < grammar->all.count; i++) {
        const char *token = grammar->all.part[i].token;
        if (token && !strcmp(token, "ONCE")) return true;
    }
    return false;
}

static bool is_played(const char *command) {
    for (size_t line = 0; line < LINES; line++)
        if (text_begins(lines[line], pool_print("%s ", command))) return true;
    return false;
}

/* What would remember goes with these. */
static const char *const without_once[] = {"CONTAINER.DELETE", "QUEUE.DROP", "TABLE.DROP", "SHARE.DELETE",
                                           NULL};

static bool writes(const char *command) {
    redisReply *info = expect_elements(call(primary, "COMMAND INFO %s", command), 1)->element[0];
    for (size_t i = 0; i < info->element[2]->elements; i++)
        if (!strcmp(info->element[2]->element[i]->str, "write")) return true;
    return false;
}

TEST(every_command_that_writes_takes_once) {
    struct words commands = grammar_commands(primary);
    for (size_t i = 0; i < commands.count; i++) {
        const char *command = commands.word[i];
        if (text_begins(command, "H")) continue; /* a transaction has tests of its own */
        struct grammar grammar = grammar_of(primary->server, command);
        bool should = writes(command) && !text_is_one_of(command, without_once);
        require(takes_once(&grammar) == should, "%s takes ONCE, or does not", command);
        require(is_played(command) == should, "%s is played here, or is not", command);
    }
}

/* --- Bad input --------------------------------------------------------------------------------------------------- */

TEST(tokens_have_bounds) {
    stage_everything();
    const char *long_token = step_words("64*x").word[0];
    expect_error(call(primary, "BLOB.PUT box cat x ONCE %s", ""), "INVALID InvalidInput");
    expect_error(call(primary, "BLOB.PUT box cat x ONCE %sx", long_token), "INVALID InvalidInput");
    expect_error(call(primary, "TABLE.INDEX t a ONCE %sx", long_token), "INVALID InvalidInput");
    expect_error(call(primary, "TABLE.BATCH t p 1 INSERT x PROPS 0 ONCE %sx", long_token),
                 "INVALID InvalidInput");
    const char *etag = expect_etag(call(primary, "BLOB.PUT box cat x ONCE %s", long_token));
    expect_text(call(primary, "BLOB.PUT box cat x ONCE %s", long_token), etag);
    etag = expect_etag(call(primary, "BLOB.PUT box cat x ONCE %b", "a\0b", (size_t)3));
    expect_text(call(primary, "BLOB.PUT box cat x ONCE %b", "a\0b", (size_t)3), etag);
    acts({"BLOB.PUT box cat x ONCE", "ERR syntax"}, {"BLOB.PUT box cat x ONCE a ONCE b", "ERR syntax"},
         {"BLOB.GET box cat ONCE a", "ERR syntax"}, {"CONTAINER.DELETE box ONCE a", "ERR syntax"},
         {"QUEUE.PEEK jobs ONCE a", "ERR syntax"}, {"TABLE.BATCH t p 1 INSERT x PROPS 0 ONCE", "ERR syntax"},
         {"TABLE.BATCH t p 1 INSERT x PROPS 0 ONCE a b", "ERR syntax"},
         {"TABLE.BATCH t p 1 INSERT x PROPS 0 ONCE a ONCE b", "ERR syntax"});
}

#define MISMATCH "INVALID IdempotentParameterMismatch"

/* Every other word is another call, and so is another command; the key's name does not
 * count, nor how its name is written. */
TEST(a_token_with_other_words_is_refused) {
    stage_everything();
    acts({"BLOB.PUT box cat x META 1 a b ONCE t", NULL}, {"BLOB.PUT box cat y META 1 a b ONCE t", MISMATCH},
         {"BLOB.PUT box cat x META 1 a c ONCE t", MISMATCH}, {"BLOB.PUT box cat x ONCE t", MISMATCH},
         {"BLOB.PUT box cat x IFMATCH * META 1 a b ONCE t", MISMATCH},
         {"BLOB.PUT box dog x META 1 a b ONCE t", MISMATCH}, {"BLOB.DELETE box cat ONCE t", MISMATCH},
         {"LEASE.ACQUIRE box 60 ONCE t", MISMATCH}, {"BLOB.PUT box cat x ONCE t META 1 a b", NULL});
    expect_etag(call(primary, "blob.put box cat x META 1 a b ONCE t"));
    expect_ok(call(primary, "RENAME box crate"));
    expect_etag(call(primary, "BLOB.PUT crate cat x META 1 a b ONCE t"));
    expect_ok(call(primary, "RENAME crate box"));
}

/* --- What is not remembered -------------------------------------------------------------------------------------- */

TEST(refusals_are_decided_anew) {
    stage_everything();
    acts({"BLOB.APPEND box log two IFPOSITION 3 ONCE t", "PRECONDITION AppendPositionConditionNotMet"},
         {"BLOB.APPEND box log one", NULL}, {"BLOB.APPEND box log two IFPOSITION 3 ONCE t", "[<etag>, 3, 2]"},
         {"BLOB.APPEND box log two IFPOSITION 3 ONCE t", "[<etag>, 3, 2]"},
         {"CONTAINER.SETMETA none META 0 ONCE t", "NOTFOUND ContainerNotFound"},
         {"CONTAINER.SETMETA jobs META 0 ONCE t", "WRONGTYPE"});
    assert_int_equal(info_of(primary, "holdfast_once_tokens"), 1);
}

TEST(calls_that_changed_nothing_are_decided_anew) {
    stage_everything();
    acts({"QUEUE.CREATE empty", "OK"}, {"QUEUE.GET empty ONCE t", "[]"},
         {"QUEUE.CREATE empty ONCE u", "EXISTS"}, {"QUEUE.CLEAR empty ONCE v", "0"},
         {"QUEUE.DELETEMANY empty 1 A 00000000000040008000000000000000 ONCE w", NULL});
    assert_int_equal(info_of(primary, "holdfast_once_tokens"), 0);
    expect_elements(call(primary, "QUEUE.PUT empty x DEDUP d"), 10);
    expect_elements(call(primary, "QUEUE.PUT empty x DEDUP d ONCE x"), 12);
    assert_int_equal(info_of(primary, "holdfast_once_tokens"), 0);
    redisReply *first = expect_elements(call(primary, "QUEUE.GET empty ONCE t"), 1);
    assert_true(reply_same(call(primary, "QUEUE.GET empty ONCE t"), first));
    expect_number(call(primary, "DEL empty"), 1);
}

/* --- Large answers ------------------------------------------------------------------------------------------------ */

static redisReply *append_and_read(const char *range, const char *token) {
    return call_line(primary,
                     pool_print("HOLDFAST.ATOMIC 2 6 BLOB.GET big page RANGE 0 %s 4 BLOB.APPEND big log x "
                                "ONCE %s",
                                range, token));
}

static long long appended(void) {
    return field(stat_of("big", "log"), "content-length")->integer;
}

/* What is remembered takes no more than 64 MiB: the oldest go first. */
TEST(remembered_answers_have_a_bound_together) {
    create("big");
    expect_etag(call(primary, "BLOB.CREATEPAGE big page 104857600"));
    expect_etag(call(primary, "BLOB.CREATEAPPEND big log"));
    long long dropped = info_of(primary, "holdfast_once_dropped");
    expect_elements(call(primary, "BLOB.APPEND big log x ONCE small"), 3);
    for (int i = 0; i < 9; i++) expect_elements(append_and_read("8388608", pool_print("%d", i)), 2);
    assert_int_equal(info_of(primary, "holdfast_once_tokens"), 7);
    assert_int_equal(info_of(primary, "holdfast_once_dropped"), dropped + 3);
    for (int i = 2; i < 9; i++) expect_elements(append_and_read("8388608", pool_print("%d", i)), 2);
    assert_int_equal(appended(), 10);
    expect_elements(append_and_read("8388608", "1"), 2);
    assert_int_equal(appended(), 11);
    await_replicas();
    assert_int_equal(info_of(chained, "holdfast_once_tokens"), 7);
}

TEST(an_answer_that_cannot_be_remembered_refuses_the_transaction) {
    create("big");
    expect_etag(call(primary, "BLOB.CREATEPAGE big page 104857600"));
    expect_etag(call(primary, "BLOB.CREATEAPPEND big log"));
    configure(primary, "holdfast.max-reply-bytes", "256mb");
    traces_begin("none");
    expect_error(
        append_and_read("67108864", "t"),
        "INVALID OutOfRangeQueryParameterValue with ONCE a transaction returns at most 67108864 bytes");
    traces_require_none();
    expect_elements(append_and_read("66000000", "t"), 2);
    expect_elements(append_and_read("66000000", "t"), 2);
    assert_int_equal(appended(), 1);
    configure(primary, "holdfast.max-reply-bytes", "64mb");
    expect_number(call(primary, "DEL big"), 1); /* the test above has one compared that is as large */
}

/* --- QUEUE.GET --------------------------------------------------------------------------------------------------- */

static const char *again(void) {
    redisReply *got = call(primary, "QUEUE.GET jobs COUNT 4 VISIBILITY 60 ONCE t");
    struct text texts = EMPTY_TEXT;
    for (size_t i = 0; i < got->elements; i++)
        text_print(&texts, "%s%s", i ? " " : "", field(got->element[i], "message")->str);
    return texts.bytes;
}

/* Those that were deleted, updated, given back or whose window has ended are left out, and nothing else is taken. */
TEST(messages_are_answered_as_long_as_they_are_in_that_window) {
    queue_setup("");
    put_job("one", "");
    put_job("two", "");
    put_job("three", "");
    put_job("four", "");
    redisReply *got = expect_elements(call(primary, "QUEUE.GET jobs COUNT 4 VISIBILITY 60 ONCE t"), 4);
    put_job("five", "");
    assert_string_equal(again(), "one two three four");
    expect_ok(act_on("DELETE", parcel_of(got->element[0]), ""));
    assert_string_equal(again(), "two three four");
    time_passes(1); /* so that no two of them show in the same millisecond */
    act_on("UPDATE", parcel_of(got->element[1]), "VISIBILITY 60");
    assert_string_equal(again(), "three four");
    time_passes(1);
    expect_ok(act_on("RELEASE", parcel_of(got->element[2]), "VISIBILITY 60"));
    assert_string_equal(again(), "four");
    time_passes(60000);
    assert_string_equal(again(), "");
    time_passes(600000);
    assert_string_equal(again(), "five four two three"); /* as a call that is new, in the order they showed */
}
