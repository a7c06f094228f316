/* Batches: what is wrong with them and in which order it is told; and that each is all or nothing, for whoever looks at
 * whatever instant: another connection, a replica, a replica that takes over, a file that was cut off anywhere. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "steps.h"
#include "stream.h"
#include "tables.h"
#include "text.h"
#include "traces.h"

/* --- Refusals --- */

TEST(a_batch_of_all_verbs) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p r1 PROPS 2 a 1 b 1", NULL},
        {"TABLE.INSERT t p r2 PROPS 2 a 1 b 1", NULL},
        {"TABLE.INSERT t p r3 PROPS 1 a 1", NULL},
        {"TABLE.INSERT t p r4 PROPS 2 a 1 b 1", NULL},
        {"TABLE.INSERT t p r5 PROPS 2 a 1 b 1", NULL},
        {"TABLE.BATCH t p 7 insert r0 props 1 a 0 REPLACE r1 IFMATCH * PROPS 1 a 2 MERGE r2 PROPS 1 a 2 "
         "IFMATCH * "
         "DELETE r3 IFMATCH * IF \"a eq '1'\" INSERTORREPLACE r4 PROPS 1 a 2 INSERTORMERGE r5 PROPS 1 a 2 "
         "INSERTORMERGE r6 PROPS 0",
         "[<etag>, <etag>, <etag>, OK, <etag>, <etag>, <etag>]"},
        {"TABLE.QUERY t",
         "[null, [[\"p\", \"r0\", <etag>, [\"a\", \"0\"]], [\"p\", \"r1\", <etag>, [\"a\", \"2\"]], "
         "[\"p\", \"r2\", <etag>, [\"a\", \"2\", \"b\", \"1\"]], [\"p\", \"r4\", <etag>, [\"a\", \"2\"]], "
         "[\"p\", \"r5\", <etag>, [\"a\", \"2\", \"b\", \"1\"]], [\"p\", \"r6\", <etag>, []]]]"},
        {"TABLE.BATCH t p 1 DELETE r0 IFMATCH *", "[OK]"},
    };
    table_setup();
    play_answers(rows);
}

TEST(each_etag_is_that_of_its_entity) {
    table_setup();
    redisReply *etags = ask("TABLE.BATCH t p 3 INSERT b PROPS 0 INSERT a PROPS 0 INSERTORMERGE c PROPS 0");
    static const char *const rows[] = {"b", "a", "c"};
    for (int i = 0; i < 3; i++)
        expect_text(ask(pool_print("TABLE.GET t p %s", rows[i]))->element[0], etags->element[i]->str);
    const char *stamps[] = {timestamp_of("p b"), timestamp_of("p a"), timestamp_of("p c")};
    assert_true(strcmp(stamps[0], stamps[1]) < 0 && strcmp(stamps[1], stamps[2]) < 0);
}

static const struct answered refusals[] = {
    /* Syntax, wherever it is, counts before all else. */
    {"TABLE.BATCH t p 1", "ERR syntax error: the batch has fewer than 1 operations"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0", "ERR syntax error: the batch has fewer than 2 operations"},
    {"TABLE.BATCH t p 1 NONSENSE r PROPS 0", "ERR syntax error near 'NONSENSE'"},
    {"TABLE.BATCH t p 1 GET r", "ERR syntax error near 'GET'"},
    {"TABLE.BATCH t p 1 INSERT r PROPS 0 NONSENSE", "ERR syntax error near 'NONSENSE'"},
    {"TABLE.BATCH t p 1 INSERT r PROPS 0 INSERT s PROPS 0", "ERR syntax error near 'INSERT'"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 1 a INSERT s PROPS 0", "ERR syntax error near 's'"},
    {"TABLE.BATCH t p 1 INSERT r PROPS 2 a b", "ERR syntax error near 'PROPS'"},
    {"TABLE.BATCH t p 1 INSERT r PROPS x a b", "ERR syntax error near 'PROPS'"},
    {"TABLE.BATCH t p 1 INSERT r PROPS -1", "ERR syntax error near 'PROPS'"},
    {"TABLE.BATCH t p 1 INSERT r PROPS 0 PROPS 0", "ERR syntax error near 'PROPS'"},
    {"TABLE.BATCH t p 1 INSERT r IFMATCH * PROPS 0", "ERR syntax error near 'IFMATCH'"},
    {"TABLE.BATCH t p 1 INSERT r", "ERR syntax error"},
    {"TABLE.BATCH t p 1 INSERT r ONCE token", "ERR syntax error: PROPS is missing"},
    {"TABLE.BATCH t p 2 DELETE there ONCE token", "ERR syntax error near 'ONCE'"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 1 1a x NONSENSE s PROPS 0", "ERR syntax error near 'NONSENSE'"},
    {"TABLE.BATCH t p 2 DELETE there IFMATCH abc INSERT s PROPS 1", "ERR syntax error near 'PROPS'"},
    /* The count. */
    {"TABLE.BATCH t p 101 NONSENSE", BAD_INPUT},
    {"TABLE.BATCH t a/b 0", BAD_INPUT},
    /* Form, in the order of operations, before the twin, before the table, before state. */
    {"TABLE.BATCH t a/b 1 INSERT r PROPS 0", BAD_INPUT},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 INSERT a/b PROPS 0", "INVALID OutOfRangeInput 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 INSERTORMERGE a/b PROPS 0", BAD_INPUT " 1"},
    {"TABLE.BATCH t p 2 INSERT there PROPS 0 INSERT s PROPS 1 1a x", "INVALID PropertyNameInvalid 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 1 1a x INSERT s PROPS 1 a:int32 x", "INVALID PropertyNameInvalid 0"},
    {"TABLE.BATCH t p 3 INSERT r PROPS 0 MERGE s IFMATCH abc PROPS 0 INSERT u PROPS 1 1a x", BAD_INPUT " 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 MERGE s PROPS 0", "INVALID MissingRequiredHeader 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 DELETE s", "INVALID MissingRequiredHeader 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 DELETE s ONCE token", "INVALID MissingRequiredHeader 1"},
    {"TABLE.BATCH t p 1 MERGE there PROPS 0 once token", "INVALID MissingRequiredHeader 0"},
    {"TABLE.BATCH t p 3 INSERT r PROPS 0 INSERT r PROPS 0 INSERT s PROPS 1 1a x",
     "INVALID PropertyNameInvalid 2"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 INSERT s PROPS 2 a 1 a 2", "INVALID DuplicatePropertiesSpecified 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 INSERT s PROPS 1 d:datetime 1500-01-01",
     "INVALID OutOfRangeInput 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 INSERT s PROPS 1 s 32769*x", "INVALID PropertyValueTooLarge 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 INSERT 513*s PROPS 0", "INVALID PropertyValueTooLarge 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 INSERT s PROPS 1 256*n x", "INVALID PropertyNameTooLong 1"},
    {"TABLE.BATCH t p 2 INSERT there PROPS 0 INSERT there PROPS 0", "INVALID InvalidDuplicateRow 1"},
    {"TABLE.BATCH none p 2 INSERT r PROPS 0 INSERT s PROPS 1 1a x", "INVALID PropertyNameInvalid 1"},
    {"TABLE.BATCH none p 2 INSERT r PROPS 0 INSERT r PROPS 0", "INVALID InvalidDuplicateRow 1"},
    /* State, in the order of operations. */
    {"TABLE.BATCH t p 3 INSERT r PROPS 0 INSERT there PROPS 0 DELETE none IFMATCH *",
     "CONFLICT EntityAlreadyExists 1"},
    {"TABLE.BATCH t p 3 INSERT r PROPS 0 DELETE none IFMATCH * INSERT there PROPS 0", NO_ENTITY " 1"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 MERGE there IFMATCH " STALE " PROPS 0", STALE_ENTITY " 1"},
    {"TABLE.BATCH t p 2 DELETE there IFMATCH " STALE " INSERT r PROPS 0", STALE_ENTITY " 0"},
    {"TABLE.BATCH t p 2 INSERT r PROPS 0 MERGE full IFMATCH * PROPS 1 more x", "INVALID TooManyProperties 1"},
    {"TABLE.BATCH t p 2 MERGE there IFMATCH * PROPS 0 INSERTORMERGE full PROPS 1 more x",
     "INVALID TooManyProperties 1"},
};

TEST(faulty_batches_are_refused) {
    table_setup();
    written("TABLE.INSERT t p there PROPS 1 a 1");
    written(pool_print("TABLE.INSERT t p full %s", some_properties(252)));
    play_answers(refusals);
}

/* The one that fails, at every place of a batch. */
TEST(the_failing_index_is_told) {
    enum { OPERATIONS = 100 };
    table_setup();
    for (int failing = 0; failing < OPERATIONS; failing += failing < 12 ? 1 : 29) {
        struct words words = words_of_line(pool_print("TABLE.BATCH t p %d", OPERATIONS));
        for (int i = 0; i < OPERATIONS; i++)
            words_add_line(&words, pool_print(i == failing ? "DELETE %d IFMATCH *" : "INSERT %d PROPS 0", i));
        if (!failing) traces_begin("none");
        expect_error(call_words(primary, &words), pool_print("NOTFOUND ResourceNotFound %d:", failing));
    }
    traces_require_none();
    assert_string_equal(found(""), "");
}

/* --- One effect, one event --- */

TEST(a_batch_travels_as_one_change_with_one_notification) {
    table_setup();
    struct stream *stream = stream_attach(primary->server);
    traces_begin("");
    expect_elements(ask("TABLE.BATCH t p 3 INSERT a PROPS 0 INSERT b PROPS 0 INSERTORMERGE c PROPS 0"), 3);
    assert_string_equal(traces_notifications(), "table.batch t");
    assert_true(watched_transaction_aborts());
    stream_expect(stream, primary, "HOLDFAST.APPLY t");
    step_play("TABLE.BATCH t p 2 DELETE a IFMATCH * DELETE none IFMATCH *", NO_ENTITY " 1", 0);
    stream_expect(stream, primary, "");
}

/* --- All or nothing --- */

enum { ROWS = 20, BATCHES = 300 };

/* Gives all rows of the table the same mark; the first ones are added by turns, and removed. */
static struct words marking_batch(int mark) {
    struct words words = words_of_line(pool_print("TABLE.BATCH t p %d", ROWS + 1));
    for (int row = 0; row < ROWS; row++)
        words_add_line(&words, pool_print("INSERTORMERGE r%02d PROPS 1 mark:int32 %d", row, mark));
    words_add_line(&words, mark % 2 ? "INSERT turn PROPS 1 mark:int32 0" : "DELETE turn IFMATCH *");
    return words;
}

/* Answers the mark that all rows have; 0 when there are none. */
static long long mark_at(struct client *client) {
    redisReply *page = call(client, "TABLE.QUERY t FILTER %s", "PartitionKey eq 'p'");
    if (reply_is_error(page) && text_begins(page->str, NO_TABLE)) return 0;
    redisReply *rows = expect_elements(page, 2)->element[1];
    if (!rows->elements) return 0;
    long long mark = rows->element[0]->element[3]->element[1]->integer;
    require(rows->elements == (size_t)(ROWS + mark % 2), "%zu rows with mark %lld", rows->elements, mark);
    for (size_t row = 0; row < ROWS; row++)
        require(rows->element[row]->element[3]->element[1]->integer == mark, "half of a batch: %s",
                reply_text(rows));
    return mark;
}

static void send_batches(struct client *writer, int first, int count) {
    for (int mark = first; mark < first + count; mark++) {
        struct words words = marking_batch(mark);
        send_words(writer, &words);
    }
    send_now(writer);
}

TEST(readers_never_see_half_of_a_batch) {
    struct client *watchers[] = {test_client(primary->server), test_client(replica->server),
                                 test_client(chained->server)};
    struct client *writer = test_client(primary->server);
    long long marks[3] = {0, 0, 0};
    int different = 0;
    table_setup();
    await_replicas();
    for (int first = 1; first <= BATCHES; first += 20) {
        send_batches(writer, first, 20);
        for (int look = 0; look < 12; look++) {
            long long mark = mark_at(watchers[look % 3]);
            require(mark >= marks[look % 3], "mark %lld after %lld", mark, marks[look % 3]);
            different += mark != marks[look % 3];
            marks[look % 3] = mark;
        }
        for (int i = 0; i < 20; i++) expect_elements(receive(writer), ROWS + 1);
    }
    await_replicas();
    for (int i = 0; i < 3; i++) assert_int_equal(mark_at(watchers[i]), BATCHES);
    assert_true(different > 3);
}

/* Killed while batches come: what the replica has, and what the file has, are whole batches. */
static void kill_in_the_middle(int after_us) {
    struct client *first = test_client(server_start("first", settings_with_file));
    struct client *second = test_client(server_start("second", ""));
    follow(second, first);
    expect_ok(call(first, "TABLE.CREATE t"));
    send_batches(test_client(first->server), 1, BATCHES);
    usleep((useconds_t)after_us);
    server_kill(first->server);
    expect_ok(call(second, "REPLICAOF NO ONE"));
    long long replicated = mark_at(second);
    server_restart(first->server);
    long long in_file = mark_at(test_client(first->server));
    print_message("# after %d us: batch %lld at the replica, batch %lld in the file\n", after_us, replicated,
                  in_file);
    /* The new primary goes on where it is. */
    struct words words = marking_batch((int)replicated + 1);
    expect_elements(call_words(second, &words), ROWS + 1);
    assert_int_equal(mark_at(second), replicated + 1);
}

TEST(a_kill_leaves_whole_batches) {
    for (int round = 1; round <= 3; round++) kill_in_the_middle(round * round * 1000);
}

/* --- A file that is cut off at every byte of its last command --- */

static void write_file(const char *path, const char *bytes, size_t length) {
    FILE *file = fopen(path, "w");
    require(file && fwrite(bytes, 1, length, file) == length, "%s cannot be written", path);
    fclose(file);
}

static void expect_after_restart(struct server *server, const char *digest, size_t length) {
    server_restart(server);
    struct client *client = client_open(server);
    const char *found_digest = digest_of(client);
    client_close(client);
    server_kill(server);
    require(!strcmp(found_digest, digest), "with %zu bytes, half of a batch is there", length);
}

TEST(a_file_cut_off_anywhere_has_whole_batches) {
    struct server *server = server_start("single", settings_with_file);
    struct client *client = test_client(server);
    expect_ok(ask_at(client, "TABLE.CREATE t"));
    expect_elements(ask_at(client, "TABLE.BATCH t p 2 INSERT a PROPS 1 n 1 INSERT b PROPS 1 n 2"), 2);
    const char *path = append_only_path(server, ".incr.aof"), *before = digest_of(client);
    size_t length_before, length_after;
    text_of_file(path, &length_before);
    expect_elements(
        ask_at(client, "TABLE.BATCH t p 3 MERGE a IFMATCH * PROPS 1 m 3 DELETE b IFMATCH * INSERT c PROPS 0"),
        3);
    const char *after = digest_of(client);
    assert_string_not_equal(after, before);
    server_kill(server);
    const char *bytes = text_of_file(path, &length_after);
    for (size_t length = length_before; length <= length_after; length++) {
        write_file(path, bytes, length);
        expect_after_restart(server, length < length_after ? before : after, length);
    }
}
