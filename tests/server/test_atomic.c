/* HOLDFAST.ATOMIC: what it takes and what it refuses, what travels and is told, rights and keys. */
#include <string.h>

#include "atomic.h"
#include "harness.h"
#include "leases.h"
#include "messages.h"
#include "pool.h"
#include "probes.h"
#include "single_server.h"
#include "steps.h"
#include "stream.h"
#include "text.h"
#include "traces.h"
#include "waiting.h"

/* The same id in another spelling. */
static const char *in_braces(const char *id) {
    return pool_print("{%s}", text_in_capitals(id));
}

/* --- Form --- */

static const struct {
    const char *line, *error;
} wrong[] = {
    {"HOLDFAST.ATOMIC", "ERR wrong number of arguments"},
    {"HOLDFAST.ATOMIC 0", "INVALID InvalidInput a transaction has 1 to 100 commands"},
    {"HOLDFAST.ATOMIC 1", "ERR syntax error near '1': a command begins with the number of its words"},
    {"HOLDFAST.ATOMIC 1 1", "ERR syntax error near '1': a command begins with the number of its words"},
    {"HOLDFAST.ATOMIC 0 1 x", "INVALID InvalidInput a transaction has 1 to 100 commands"},
    {"HOLDFAST.ATOMIC 101 1 x", "INVALID InvalidInput"},
    {"HOLDFAST.ATOMIC -1 1 x", "INVALID InvalidInput"},
    {"HOLDFAST.ATOMIC x 1 x", "INVALID InvalidInput"},
    {"HOLDFAST.ATOMIC 1 0 BLOB.PUT", "ERR syntax error near '0'"},
    {"HOLDFAST.ATOMIC 1 -1 BLOB.PUT", "ERR syntax error near '-1'"},
    {"HOLDFAST.ATOMIC 1 x BLOB.PUT", "ERR syntax error near 'x'"},
    {"HOLDFAST.ATOMIC 1 BLOB.PUT c a x",
     "ERR syntax error near 'BLOB.PUT': a command begins with the number of its words"},
    {"HOLDFAST.ATOMIC 1 5 BLOB.PUT c a x", "ERR syntax error near '5'"},
    {"HOLDFAST.ATOMIC 1 9223372036854775807 BLOB.PUT c a x", "ERR syntax error near '9223372036854775807'"},
    {"HOLDFAST.ATOMIC 1 18446744073709551617 BLOB.PUT c a x", "ERR syntax error near '18446744073709551617'"},
    {"HOLDFAST.ATOMIC 1 3 BLOB.PUT c a x", "ERR syntax error near 'x'"},
    {"HOLDFAST.ATOMIC 2 4 BLOB.PUT c a x",
     "ERR syntax error near 'x': a command begins with the number of its words"},
    {"HOLDFAST.ATOMIC 1 4 BLOB.PUT c a x 4 BLOB.PUT c b x", "ERR syntax error near '4'"},
    {"HOLDFAST.ATOMIC 1 3 BLOB.PUT c a", "ERR wrong number of arguments for 'BLOB.PUT'"},
    {"HOLDFAST.ATOMIC 1 5 BLOB.PUT c a x NONSENSE", "ERR syntax error near 'NONSENSE'"},
    {"HOLDFAST.ATOMIC 1 6 BLOB.PUT c a x ONCE token", "ERR syntax error near 'ONCE'"},
    {"HOLDFAST.ATOMIC 1 4 BLOB.PUT c a x ONCE", "ERR syntax error near 'ONCE'"},
    {"HOLDFAST.ATOMIC 1 4 BLOB.PUT c a x ONCE ''", "INVALID InvalidInput"},
    {"HOLDFAST.ATOMIC 1 2 NONSENSE c", "INVALID NotInTransaction 0: "},
    {"HOLDFAST.ATOMIC 1 2 '' c", "INVALID NotInTransaction 0: "},
    {"HOLDFAST.ATOMIC 1 3 SET text y", "INVALID NotInTransaction 0: "},
    {"HOLDFAST.ATOMIC 2 4 BLOB.PUT c a x 2 BLOB.LIST c", "INVALID NotInTransaction 1: "},
    {"HOLDFAST.ATOMIC 1 6 HOLDFAST.ATOMIC 1 3 BLOB.GET c a", "INVALID NotInTransaction 0: "},
    {"HOLDFAST.ATOMIC 1 7 BLOB.GET c none IFNONEMATCH * BLOCK 1", "INVALID UnsatisfiableCondition 0: "},
    {"HOLDFAST.ATOMIC 1 5 BLOB.GET c none BLOCK 1", "INVALID NotInTransaction 0: "},
    {"HOLDFAST.ATOMIC 1 7 LEASE.ACQUIRE c 60 BLOB a BLOCK 1", "INVALID NotInTransaction 0: "},
    /* Form comes before state, whatever their places; of form, and of state, the first place counts. */
    {"HOLDFAST.ATOMIC 2 3 BLOB.GET c none 2 BLOB.LIST c", "INVALID NotInTransaction 1: "},
    {"HOLDFAST.ATOMIC 2 3 BLOB.GET c none 6 BLOB.PUT c a x IFMODIFIEDSINCE y",
     "INVALID InvalidHeaderValue 1: "},
    {"HOLDFAST.ATOMIC 2 3 BLOB.GET c none 8 TABLE.INSERT t p new PROPS 1 1n x",
     "INVALID PropertyNameInvalid 1: "},
    {"HOLDFAST.ATOMIC 2 3 BLOB.GET c none 7 TABLE.GET t p r SELECT 1 1n", "INVALID PropertyNameInvalid 1: "},
    {"HOLDFAST.ATOMIC 2 3 BLOB.GET c none 4 BLOB.PUT none a x", "NOTFOUND BlobNotFound 0: "},
    {"HOLDFAST.ATOMIC 2 4 BLOB.PUT none a x 3 BLOB.GET c none", "NOTFOUND ContainerNotFound 0: "},
    {"HOLDFAST.ATOMIC 2 4 BLOB.PUT c a x 4 BLOB.PUT text a x", "WRONGTYPE Operation"},
    {"HOLDFAST.ATOMIC 2 4 BLOB.PUT c a x 3 QUEUE.PUT c x", "WRONGTYPE Operation"},
    {"HOLDFAST.ATOMIC 2 4 BLOB.PUT c a x 6 BLOB.PUT c b x IFMATCH 0x0000000000000001",
     "PRECONDITION ConditionNotMet 1: the blob's ETag is 0x"},
    {"HOLDFAST.ATOMIC 2 4 BLOB.PUT c a x 5 BLOB.GET c b IFMATCH 0x0000000000000001",
     "PRECONDITION ConditionNotMet 1: the blob's ETag is 0x"},
    {"HOLDFAST.ATOMIC 2 4 BLOB.PUT c a x 3 BLOB.GET c none", "NOTFOUND BlobNotFound 1: "},
};

BEFORE_EACH {
    atomic_setup();
}

TEST(a_wrong_command_is_refused_with_its_place_and_changes_nothing) {
    traces_begin("none");
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct words words = step_words(wrong[i].line);
        redisReply *reply = call_words(primary, &words);
        require(reply_is_error(reply) && text_begins(reply->str, wrong[i].error), "%s gives %s",
                wrong[i].line, reply_text(reply));
    }
    traces_require_none();
}

TEST(a_refused_transaction_counts_as_one_refusal) {
    long long refused = info_of(primary, "holdfast_refused"),
              atomics = info_of(primary, "holdfast_atomic_refused");
    expect_error(atomic("BLOB.PUT c a x", "BLOB.GET c none", "BLOB.GET c none"), "NOTFOUND BlobNotFound 1:");
    assert_int_equal(info_of(primary, "holdfast_refused"), refused + 1);
    assert_int_equal(info_of(primary, "holdfast_atomic_refused"), atomics + 1);
    long long done = info_of(primary, "holdfast_atomic_transactions"),
              commands = info_of(primary, "holdfast_atomic_commands");
    expect_elements(atomic("BLOB.PUT c a x", "BLOB.GET c b"), 2);
    assert_int_equal(info_of(primary, "holdfast_atomic_transactions"), done + 1);
    assert_int_equal(info_of(primary, "holdfast_atomic_commands"), commands + 2);
}

TEST(a_hundred_commands_and_no_more) {
    const char *lines[102] = {NULL};
    for (int i = 0; i < 100; i++) lines[i] = pool_print("BLOB.PUT c b%d x", i);
    expect_elements(atomic_of(primary, lines), 100);
    expect_number(field(call(primary, "CONTAINER.GET c"), "blobs"), 102);
    lines[100] = "BLOB.PUT c b100 x";
    expect_error(atomic_of(primary, lines), "INVALID InvalidInput");
}

/* A batch of so many, as one line. */
static const char *batch(const char *command, int count, const char *item) {
    struct text text = {0};
    text_print(&text, "%s %d", command, count);
    for (int i = 0; i < count; i++) text_print(&text, "%s", item);
    return text.bytes;
}

TEST(the_lists_of_a_transaction_have_the_bound_of_one) {
    expect_ok(call(primary, "QUEUE.CREATE p"));
    expect_ok(call(primary, "BLOB.PUTBLOCK c new AAAA x"));
    static const char too_long[] =
        "INVALID OutOfRangeQueryParameterValue 2: the lists of a transaction together "
        "are longer than one may be";
    const char *max = batch("QUEUE.PUTMANY q", 600, " x"), *rest = batch("QUEUE.PUTMANY p", 200, " y");
    const char *blocks = batch("BLOB.PUTBLOCKLIST c new", 10000, " LATEST AAAA");
    traces_begin("none");
    expect_error(atomic(max, blocks, batch("QUEUE.DELETEMANY q", 201, " i " RECEIPT_NONE)), too_long);
    expect_error(atomic("QUEUE.PUT none x", max, batch("QUEUE.DELETEMANY p", 401, " i " RECEIPT_NONE)),
                 too_long);
    expect_error(atomic(max, rest, batch("BLOB.PUTBLOCKLIST c new", 10001, " LATEST AAAA")), too_long);
    traces_require_none();
    expect_elements(atomic(max, rest, blocks, "QUEUE.PUT q one"), 4);
    expect_number(field(call(primary, "QUEUE.STAT q"), "messages"), 601);
    expect_number(field(stat_of("c", "new"), "content-length"), 10000);
}

TEST(the_copies_of_a_transaction_have_the_bound_of_a_list) {
    expect_ok(call(primary, "QUEUE.CREATE p"));
    expect_ok(call(primary, "BLOB.PUTBLOCK c many AAAA x"));
    const char *list = batch("BLOB.PUTBLOCKLIST c many", 20000, " LATEST AAAA");
    expect_etag(call(primary, list));
    create("d");
    static const char too_many[] = "INVALID OutOfRangeQueryParameterValue 2: what a transaction copies and "
                                   "lists is together more than one "
                                   "list may have";
    const char *half = batch("QUEUE.PUTMANY q", 200, " x"), *more = batch("QUEUE.PUTMANY q", 201, " x");
    traces_begin("none");
    expect_error(atomic("BLOB.COPY d one c many", "BLOB.COPY d two c many", "BLOB.COPY d three c many"),
                 too_many);
    expect_error(atomic(more, "BLOB.COPY d one c many", "BLOB.COPY d two c many"), too_many);
    traces_require_none();
    expect_elements(atomic(half, "BLOB.COPY d one c many", "BLOB.COPY d two c many"), 3);
    expect_number(field(stat_of("d", "two"), "content-length"), 20000);
    expect_elements(atomic("BLOB.COPY c one c many", "BLOB.COPY c two c many", "BLOB.COPY c three c many"),
                    3);
}

/* --- The same thing twice --- */

static const struct {
    const char *one, *other, *error;
} twice[] = {
    {"BLOB.PUT c a x", "BLOB.SETMETA c a META 0", "1: changes the same blob as 0"},
    {"BLOB.PUT c a x", "BLOB.DELETE c a", "1: changes the same blob as 0"},
    {"BLOB.PUT c a x", "BLOB.PUTBLOCK c a AAAA x", "1: changes the same blob as 0"},
    {"BLOB.PUTBLOCK c new AAAA x", "BLOB.PUTBLOCKLIST c new 1 LATEST AAAA", "1: changes the same blob as 0"},
    {"BLOB.PUTBLOCK c new AAAA x", "BLOB.PUTBLOCK c new AAAA y", "1: changes the same block as 0"},
    {"BLOB.COPY c b c a", "BLOB.SNAPSHOT c b", "1: changes the same blob as 0"},
    {"CONTAINER.SETMETA c META 0", "CONTAINER.SETACL c", "1: changes the same container as 0"},
    {"TABLE.MERGE t p r IFMATCH * PROPS 0", "TABLE.DELETE t p r IFMATCH *",
     "1: changes the same entity as 0"},
    {"FILE.SETMETA s f META 0", "FILE.PUTRANGE s F 0 x", "1: changes the same file as 0"},
    {"FILE.CREATE s d/Größe 1", "FILE.MKDIR s D/GRÖSSE", NULL}, /* ß is no double s */
    {"FILE.CREATE s d/GRÖßE 1", "FILE.CREATE s D/größe 1", "1: changes the same file as 0"},
    {"FILE.CREATE s D/new 1", "FILE.RMDIR s d", "1: changes the same directory as 0"},
    {"FILE.RMDIR s d", "FILE.MKDIR s d/new", "1: changes the same directory as 0"},
    {"FILE.RMDIR s d", "FILE.SETMETA s D META 0", "1: changes the same file as 0"},
    {"QUEUE.DELETE q $m $r", "QUEUE.UPDATE q $m $r VISIBILITY 1", "1: changes the same message as 0"},
    {"QUEUE.DELETE q $m $r", "QUEUE.DELETEMANY q 1 $u $r", "1: changes the same message as 0"},
    {"QUEUE.PUT q x DEDUP one", "QUEUE.PUT q y DEDUP one", "1: changes the same DEDUP id as 0"},
    {"LEASE.ACQUIRE c 60 BLOB a", "LEASE.BREAK c BLOB a", "1: changes the same lease as 0"},
    {"LEASE.ACQUIRE c 60", "LEASE.BREAK c", "1: changes the same lease as 0"},
    {"LEASE.ACQUIRE s -1 FILE f", "LEASE.BREAK s FILE F", "1: changes the same lease as 0"},
};

TEST(a_transaction_may_not_change_an_object_twice) {
    atomic_put_message('m', 'r');
    step_keep('u', in_braces(step_kept('m')));
    traces_begin("none");
    for (size_t i = 0; i < ARRAY_SIZE(twice); i++) {
        if (!twice[i].error) continue;
        redisReply *reply = atomic(twice[i].one, twice[i].other);
        const char *error = pool_print("INVALID InvalidDuplicateRow %s", twice[i].error);
        require(reply_is_error(reply) && text_begins(reply->str, error), "%s beside %s gives %s",
                twice[i].one, twice[i].other, reply_text(reply));
    }
    traces_require_none();
}

/* Pairs that have much in common, and go together. */
static const char *const together[][2] = {
    {"BLOB.PUT c new1 x", "BLOB.PUT c new2 y"},
    {"BLOB.PUTBLOCK c new3 AAAA x", "BLOB.PUTBLOCK c new3 BBBB y"},
    {"BLOB.PUT c a x", "BLOB.GET c a"},
    {"BLOB.PUT c a x", "LEASE.ACQUIRE c 60 BLOB a ID A"},
    {"BLOB.PUT c a y LEASE A", "LEASE.RELEASE c A BLOB a"},
    {"BLOB.PUT c x/1 x", "CONTAINER.SETMETA c META 0"},
    {"CONTAINER.SETMETA c META 0", "LEASE.ACQUIRE c -1 ID A"},
    {"LEASE.RELEASE c A", "LEASE.ACQUIRE c 60 BLOB a"},
    {"TABLE.INSERT t p s PROPS 0", "TABLE.INSERT t q r PROPS 0"},
    {"TABLE.INSERT t pq u PROPS 0", "TABLE.INSERT t p qu PROPS 0"},
    {"FILE.CREATE s d/one 1", "FILE.CREATE s d/two 1"},
    {"FILE.CREATE s d/three 1", "FILE.SETMETA s d META 1 a b"},
    {"FILE.CREATE s d/Größe 1", "FILE.MKDIR s d/Grösse"},
    {"FILE.MKDIR s e", "FILE.CREATE s g 1"},
    {"FILE.PUTRANGE s f 0 xyz", "LEASE.ACQUIRE s -1 FILE f ID B"},
    {"QUEUE.PUT q x", "QUEUE.PUT q x"},
    {"QUEUE.PUT q x DEDUP one", "QUEUE.PUT q x DEDUP two"},
    {"QUEUE.PUTMANY q 2 x y", "QUEUE.PUT q z GROUP g"},
};

TEST(a_transaction_may_change_objects_that_only_look_alike) {
    for (size_t i = 0; i < ARRAY_SIZE(together); i++) {
        redisReply *reply = atomic(together[i][0], together[i][1]);
        require(!reply_is_error(reply) && reply->elements == 2, "%s beside %s gives %s", together[i][0],
                together[i][1], reply_text(reply));
    }
}

/* --- Every command that may stand in one --- */

static const char *const each[] = {
    "CONTAINER.GET c",
    "CONTAINER.GETMETA c",
    "CONTAINER.GETACL c",
    "CONTAINER.SETMETA c META 1 a b",
    "CONTAINER.SETACL c ACCESS BLOB",
    "BLOB.PUT c new x",
    "BLOB.GET c a",
    "BLOB.STAT c a",
    "BLOB.SETPROPS c a PROPS 1 content-type text/plain",
    "BLOB.GETMETA c a",
    "BLOB.SETMETA c a META 1 k v",
    "BLOB.SNAPSHOT c a",
    "BLOB.COPY c copy c a",
    "BLOB.PUTBLOCK c staged AAAA x",
    "BLOB.PUTBLOCKLIST c staged 1 LATEST AAAA",
    "BLOB.GETBLOCKLIST c staged",
    "BLOB.CREATEPAGE c page 1024",
    "BLOB.PUTPAGE c page 0 512*x",
    "BLOB.CLEARPAGE c page 0 512",
    "BLOB.CREATEAPPEND c log",
    "BLOB.APPEND c log x",
    "BLOB.SEAL c log",
    "LEASE.ACQUIRE c 60 BLOB b ID A",
    "LEASE.RENEW c A BLOB b",
    "LEASE.CHANGE c A B BLOB b",
    "LEASE.GET c BLOB b",
    "LEASE.BREAK c PERIOD 0 BLOB b",
    "LEASE.ACQUIRE c 60 ID A",
    "LEASE.RELEASE c A",
    "LEASE.ACQUIRE s -1 FILE f ID A",
    "LEASE.RELEASE s A FILE f",
    "BLOB.DELETE c log",
    "QUEUE.PUT q x DELAY",
    "QUEUE.PUT q x",
    "QUEUE.PUTMANY q 2 x y",
    "QUEUE.UPDATE q $m $r VISIBILITY 0",
    "QUEUE.RELEASE q $n $o",
    "QUEUE.DELETE q $k $l",
    "QUEUE.DELETEMANY q 1 $i $j",
    "TABLE.INSERT t p new PROPS 1 n:int32 5",
    "TABLE.GET t p r",
    "TABLE.REPLACE t p r IFMATCH * PROPS 1 n:int32 2",
    "TABLE.MERGE t p r IFMATCH * IF \"n eq 2\" PROPS 1 m x",
    "TABLE.INSERTORREPLACE t p o PROPS 0",
    "TABLE.INSERTORMERGE t p o PROPS 1 a b",
    "TABLE.DELETE t p o IFMATCH *",
    "FILE.MKDIR s e",
    "FILE.RMDIR s e",
    "FILE.CREATE s d/x 100",
    "FILE.GET s f",
    "FILE.STAT s f",
    "FILE.GETMETA s f",
    "FILE.SETPROPS s f SIZE 20",
    "FILE.SETMETA s f META 1 a b",
    "FILE.PUTRANGE s f 0 abc",
    "FILE.CLEARRANGE s f 0 1",
    "FILE.GETRANGES s f",
    "FILE.DELETE s f",
};

/* Beside a write of something else, in the same value and in another one. */
TEST(every_command_once) {
    atomic_put_message('m', 'r');
    atomic_put_message('n', 'o');
    atomic_put_message('k', 'l');
    atomic_put_message('i', 'j');
    for (size_t i = 0; i < ARRAY_SIZE(each); i++) {
        if (strstr(each[i], "DELAY")) continue;
        redisReply *reply = atomic(pool_print("BLOB.PUT c other%zu x", i), each[i],
                                   pool_print("FILE.CREATE s other%zu 1", i));
        require(!reply_is_error(reply) && reply->elements == 3, "%s gives %s", each[i], reply_text(reply));
    }
}

/* --- What travels, and what is told --- */

/* One has come. */
static const redisReply *expect_effect(struct stream *stream) {
    redisReply *effects = stream_commands(stream, primary);
    assert_int_equal(effects->elements, 1);
    return effects->element[0];
}

static void expect_keys_of(const redisReply *effect, const char *keys) {
    struct words words = words_of_line("COMMAND GETKEYS");
    for (size_t i = 0; i < effect->elements; i++)
        words_add_bytes(&words, effect->element[i]->str, effect->element[i]->len);
    expect_shape(call_words(primary, &words), keys);
}

/* Those of a single command, too. What is alone has no bundle. */
TEST(several_changes_of_a_command_travel_as_one) {
    create("o");
    struct stream *stream = stream_attach(primary->server);
    expect_elements(call(primary, "QUEUE.PUTMANY q 3 a b c"), 3);
    expect_keys_of(expect_effect(stream), "[\"q\"]");
    expect_elements(atomic("BLOB.PUT c a x"), 1);
    assert_int_equal(expect_effect(stream)->element[2]->str[0], 'C');
    expect_elements(atomic("BLOB.PUT c a 600*x", "BLOB.COPY o copy c b", "BLOB.PUT c b 600*y"), 3);
    expect_effect(stream);
    assert_int_equal(strlen(atomic_content("a")), 600);
    assert_int_equal(strlen(atomic_content("b")), 600);
}

TEST(the_server_asks_for_the_keys_of_an_effect) {
    needs(ASKS_FOR_KEYS);
    create("o");
    struct stream *stream = stream_attach(primary->server);
    expect_elements(atomic("BLOB.PUT c a 600*x", "BLOB.COPY o copy c b", "BLOB.PUT c b 600*y"), 3);
    expect_keys_of(expect_effect(stream), "[\"o\", \"c\"]");
    expect_elements(atomic("BLOB.PUT c a x", "QUEUE.PUT q m", "TABLE.GET t p r", "FILE.CREATE s g 1"), 4);
    expect_keys_of(expect_effect(stream), "[\"c\", \"q\", \"s\"]");
}

/* Its effects are two: each has a bounded number of words, and of bytes. */
TEST(a_large_transaction_travels_as_one) {
    enum { BLOBS = 70 };
    const char *lines[BLOBS + 1] = {NULL};
    struct stream *stream = stream_attach(primary->server);
    for (int i = 0; i < BLOBS; i++) lines[i] = pool_print("BLOB.PUT c blob%d 600*x", i);
    expect_elements(atomic_of(primary, lines), BLOBS);
    stream_expect(stream, primary, "MULTI\nHOLDFAST.APPLY c\nHOLDFAST.APPLY c\nEXEC");
    for (int i = 0; i < BLOBS; i++) lines[i] = pool_print("BLOB.PUT c blob%d x META 1 k 2000*v", i);
    expect_elements(atomic_of(primary, lines), BLOBS);
    stream_expect(stream, primary, "MULTI\nHOLDFAST.APPLY c\nHOLDFAST.APPLY c\nHOLDFAST.APPLY c\nEXEC");
}

TEST(the_changes_of_a_transaction_travel_as_one) {
    struct stream *stream = stream_attach(primary->server);
    expect_elements(atomic("BLOB.PUT c a x", "QUEUE.PUT q m", "TABLE.GET t p r", "FILE.CREATE s g 1"), 4);
    expect_effect(stream);
    expect_elements(atomic("BLOB.GET c a", "TABLE.GET t p r"), 2);
    expect_error(atomic("BLOB.PUT c a y", "BLOB.GET c none"), "NOTFOUND");
    stream_expect(stream, primary, "");
}

TEST(each_change_of_a_transaction_is_notified) {
    traces_begin("");
    expect_elements(atomic("LEASE.ACQUIRE c 60 BLOB a", "BLOB.PUT c a x", "QUEUE.PUT q m", "BLOB.GET c b",
                           "TABLE.MERGE t p r IFMATCH * PROPS 0"),
                    5);
    assert_string_equal(traces_notifications(), "lease.acquire c, blob.put c, queue.put q, table.merge t");
    assert_true(watched_transaction_aborts());
    expect_number(call(primary, "LEASE.BREAK c PERIOD 0 BLOB a"), 0);
    traces_begin("");
    expect_elements(atomic("BLOB.COPY c a c b", "BLOB.COPY c b c a"), 2);
    assert_string_equal(traces_notifications(), "blob.copy c, blob.copy c");
}

TEST(waiting_clients_are_served_after_the_last_change) {
    struct client *consumer = waiting("QUEUE.GET q BLOCK 0");
    struct client *reader = waiting("BLOB.GET c new BLOCK 0");
    expect_elements(atomic("QUEUE.PUT q work", "BLOB.PUT c new x", "BLOB.PUT c a z"), 3);
    redisReply *got = answer_of(consumer);
    expect_text(field(got->element[0], "message"), "work");
    expect_text(answer_of(reader)->element[1], "x");
}

/* --- In other transactions, in scripts, in another protocol --- */

TEST(transactions_work_in_multi_and_in_scripts) {
    struct words put = atomic_words(LINES("BLOB.PUT c a multi", "QUEUE.PUT q m"));
    struct words bad = atomic_words(LINES("BLOB.PUT c b multi", "BLOB.GET c none"));
    expect_ok(call(primary, "MULTI"));
    call_words(primary, &put);
    call_words(primary, &bad);
    redisReply *replies = expect_elements(call(primary, "EXEC"), 2);
    expect_elements(replies->element[0], 2);
    expect_error(replies->element[1], "NOTFOUND BlobNotFound 1:");
    assert_string_equal(atomic_content("a"), "multi");
    assert_string_equal(atomic_content("b"), "beta");
    expect_elements(
        call(primary, "EVAL %s 1 c",
             "return redis.call('HOLDFAST.ATOMIC', 2, 4, 'BLOB.PUT', KEYS[1], 'a', 'lua', 3, 'BLOB.GET', "
             "KEYS[1], 'b')"),
        2);
    assert_string_equal(atomic_content("a"), "lua");
    expect_error(
        call(primary, "EVAL %s 1 c",
             "return redis.call('HOLDFAST.ATOMIC', 2, 4, 'BLOB.PUT', KEYS[1], 'a', 'x', 3, 'BLOB.GET', "
             "KEYS[1], 'none')"),
        "NOTFOUND BlobNotFound 1:");
}

TEST(a_token_is_remembered_with_the_transaction) {
    struct words words = atomic_words(LINES("QUEUE.PUT q m", "BLOB.PUT c a once"));
    words_add_line(&words, "ONCE token-1");
    redisReply *first = expect_elements(call_words(primary, &words), 2);
    require(reply_same(first, call_words(primary, &words)), "another answer");
    expect_number(field(call(primary, "QUEUE.STAT q"), "messages"), 1);
    words_replace(&words, 5, "other");
    expect_error(call_words(primary, &words), "INVALID IdempotentParameterMismatch");
    /* The first key that it names stays as it is: what has been done is found in the other one. */
    expect_elements(call(primary, "QUEUE.PUT q x DEDUP twin"), 10);
    words = atomic_words(LINES("QUEUE.PUT q x DEDUP twin", "BLOB.PUT c b once"));
    words_add_line(&words, "ONCE token-2");
    first = expect_elements(call_words(primary, &words), 2);
    require(reply_same(first, call_words(primary, &words)), "another answer");
    /* Whose change is dropped carries no memory. */
    expect_elements(call(primary, "LEASE.ACQUIRE c 60 BLOB a ID " ID_A), 2);
    words = atomic_words(LINES("LEASE.RELEASE c " ID_A " BLOB a", "BLOB.DELETE c a LEASE " ID_A));
    words_add_line(&words, "ONCE token-3");
    first = expect_elements(call_words(primary, &words), 2);
    require(reply_same(first, call_words(primary, &words)), "another answer");
}

/* --- Rights, memory, keys --- */

TEST(each_command_and_key_needs_its_right) {
    expect_ok(call(
        primary,
        "ACL SETUSER part on nopass resetkeys ~c %%R~t +holdfast.atomic +blob.put +table.get +table.delete"));
    struct client *client = test_client(primary->server);
    expect_ok(call(client, "AUTH part x"));
    expect_elements(atomic_of(client, LINES("BLOB.PUT c a mine", "TABLE.GET t p r")), 2);
    traces_begin("");
    expect_error(atomic_of(client, LINES("BLOB.PUT c a x", "BLOB.DELETE c b")), "NOPERM");
    expect_error(atomic_of(client, LINES("BLOB.PUT c a x", "TABLE.DELETE t p r IFMATCH *")), "NOPERM");
    expect_error(atomic_of(client, LINES("BLOB.PUT c a x", "QUEUE.PUT q m")), "NOPERM");
    expect_error(atomic_of(client, LINES("BLOB.PUT other a x")), "NOPERM");
    expect_error(call(client, "BLOB.GET c a"), "NOPERM");
    traces_require_none();
    expect_number(call(primary, "ACL DELUSER part"), 1);
}

#define ATOMIC_IN_LUA "return redis.call('HOLDFAST.ATOMIC', 1, 4, 'BLOB.PUT', 'c', 'a', 'z')"

/* The server's log of refusals is where administrators look for intruders. */
TEST(a_script_is_asked_for_no_right_that_it_does_not_use) {
    expect_ok(call(primary, "ACL SETUSER part on nopass ~* -@all +eval +holdfast.atomic +blob.put"));
    expect_ok(call(primary, "ACL LOG RESET"));
    struct client *client = test_client(primary->server);
    expect_ok(call(client, "AUTH part x"));
    expect_elements(call(client, "EVAL %s 0", ATOMIC_IN_LUA), 1);
    expect_elements(call(primary, "ACL LOG"), 0);
    expect_number(call(primary, "ACL DELUSER part"), 1);
}

/* The server's log of refusals has one entry. */
static void expect_logged(const char *reason, const char *object) {
    redisReply *entry = expect_elements(call(primary, "ACL LOG"), 1)->element[0];
    expect_text(field(entry, "reason"), reason);
    expect_text(field(entry, "object"), object);
    expect_text(field(entry, "username"), "part");
    expect_ok(call(primary, "ACL LOG RESET"));
}

TEST(what_a_transaction_may_not_do_is_in_the_log_of_refusals) {
    expect_ok(call(primary, "ACL SETUSER part on nopass resetkeys ~c %%R~t %%R~d -@all +holdfast.atomic "
                            "+blob.put +blob.copy +table.get +table.delete +eval"));
    struct client *client = test_client(primary->server);
    expect_ok(call(client, "AUTH part x"));
    expect_ok(call(primary, "ACL LOG RESET"));
    expect_error(atomic_of(client, LINES("BLOB.PUT c a x", "blob.delete c b")), "NOPERM");
    expect_logged("command", "BLOB.DELETE");
    expect_error(call(client, "EVAL %s 0",
                      "return redis.call('HOLDFAST.ATOMIC', 1, 3, 'BLOB.DELETE', 'c', tonumber('17'))"),
                 "NOPERM");
    expect_logged("command", "BLOB.DELETE");
    expect_error(atomic_of(client, LINES("BLOB.PUT c a x", "TABLE.DELETE t p r IFMATCH *")), "NOPERM");
    expect_logged("key", "t");
    expect_error(atomic_of(client, LINES("BLOB.PUT c a x", "BLOB.COPY c b secret b")), "NOPERM");
    expect_logged("key", "secret");
    expect_error(atomic_of(client, LINES("BLOB.PUT c a x", "BLOB.COPY c b d b")), "NOTFOUND");
    expect_elements(call(primary, "ACL LOG"), 0);
    expect_number(call(primary, "ACL DELUSER part"), 1);
}

TEST(keys_are_where_the_commands_have_them) {
    needs(ASKS_FOR_KEYS);
    expect_shape(
        call(primary,
             "COMMAND GETKEYS HOLDFAST.ATOMIC 3 4 BLOB.PUT c a x 3 QUEUE.PUT q m 5 BLOB.COPY d x e y"),
        "[\"c\", \"q\", \"d\", \"e\"]");
    expect_shape(call(primary, "COMMAND GETKEYSANDFLAGS HOLDFAST.ATOMIC 2 4 TABLE.GET t p r 3 QUEUE.PUT q m"),
                 "[[\"t\", [RO, access]], [\"q\", [RW, update]]]");
    static const char *const malformed[] = {"COMMAND GETKEYS HOLDFAST.ATOMIC 1 1 BLOB.PUT",
                                            "COMMAND GETKEYS HOLDFAST.ATOMIC x y z",
                                            "COMMAND GETKEYS HOLDFAST.ATOMIC 1 9 BLOB.PUT c",
                                            "COMMAND GETKEYS HOLDFAST.ATOMIC 1 2 NONSENSE c", NULL};
    expect_each_error(primary, malformed, "ERR");
}

TEST(in_a_cluster_all_keys_are_in_one_slot) {
    struct client *alone = cluster_of_one("");
    expect_etag(call(alone, "CONTAINER.CREATE {1}c"));
    expect_ok(call(alone, "QUEUE.CREATE {1}q"));
    expect_elements(atomic_of(alone, LINES("BLOB.PUT {1}c a x", "QUEUE.PUT {1}q m")), 2);
    expect_error(atomic_of(alone, LINES("BLOB.PUT {1}c a x", "QUEUE.PUT {2}q m")), "CROSSSLOT");
    expect_error(atomic_of(alone, LINES("BLOB.COPY {1}c a {2}c a")), "CROSSSLOT");
}

TEST(short_memory_refuses_all_that_may_grow) {
    atomic_put_message('m', 'r');
    configure(primary, "maxmemory", "1mb");
    expect_error(atomic("QUEUE.DELETE q $m $r", "BLOB.PUT c a x"), "OOM");
    expect_elements(atomic("QUEUE.DELETE q $m $r", "BLOB.GET c a", "TABLE.DELETE t p r IFMATCH *"), 3);
    configure(primary, "maxmemory", "0");
}

static void leave_memory_for(struct client *other, long long bytes) {
    configure(other, "maxmemory", pool_print("%lld", info_of(other, "used_memory") + bytes));
}

/* Of commands that run as one, the server refuses none for what those before it have taken. */
TEST(memory_that_earlier_commands_of_multi_or_a_script_take_refuses_nothing) {
    const char *large = "redis.call('BLOB.PUT', 'c', 'large', string.rep('x', 4000000)); " ATOMIC_IN_LUA;
    struct words pages = step_words("BLOB.PUTPAGE c disk 0 4194304*x");
    struct client *other = test_client(primary->server);
    expect_etag(call(primary, "BLOB.CREATEPAGE c disk 4194304"));
    leave_memory_for(other, 2000000);
    expect_elements(call(primary, "EVAL %s 0", large), 1);
    configure(other, "maxmemory", "0");
    expect_ok(call(primary, "MULTI"));
    call_words(primary, &pages);
    call(primary, "HOLDFAST.ATOMIC 1 4 BLOB.PUT c a y");
    leave_memory_for(other, 2000000);
    redisReply *both = expect_elements(call(primary, "EXEC"), 2);
    expect_elements(both->element[0], 2);
    expect_elements(both->element[1], 1);
    configure(other, "maxmemory", "1mb");
    expect_error(call(primary, "EVAL %s 0", ATOMIC_IN_LUA), "OOM");
    configure(other, "maxmemory", "0");
}

/* It is asked once, before the first of them. */
TEST(memory_that_earlier_commands_of_a_script_give_back_permits_nothing) {
    struct client *other = test_client(primary->server);
    expect_etag(
        call(primary, "EVAL %s 0", "return redis.call('BLOB.PUT', 'c', 'large', string.rep('x', 4000000))"));
    leave_memory_for(other, -2000000);
    const char *script = "redis.call('BLOB.DELETE', 'c', 'large'); " ATOMIC_IN_LUA;
    expect_error(call(primary, "EVAL %s 0", script), "OOM");
    expect_elements(call(primary, "EVAL %s 0", ATOMIC_IN_LUA), 1);
    configure(other, "maxmemory", "0");
}
