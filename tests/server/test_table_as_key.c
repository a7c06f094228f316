/* The ways to tables: transactions, scripts, other keys and databases, notifications, memory; and that what was
 * refused leaves no trace. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "pool.h"
#include "probes.h"
#include "single_server.h"
#include "stream.h"
#include "tables.h"
#include "text.h"
#include "traces.h"

/* --- Transactions and scripts --- */

TEST(a_transaction_sees_its_own_writes) {
    expect_ok(call(primary, "MULTI"));
    call(primary, "TABLE.CREATE t");
    call(primary, "TABLE.INSERT t p r PROPS 1 n:int32 1");
    call(primary, "TABLE.MERGE t p r IFMATCH * IF %s PROPS 1 n:int32 2", "n eq 1");
    call(primary, "TABLE.MERGE t p r IFMATCH * IF %s PROPS 1 n:int32 3", "n eq 1");
    call(primary, "TABLE.INDEX t n");
    call(primary, "TABLE.BATCH t p 2 INSERT s PROPS 1 n:int32 2 INSERTORMERGE u PROPS 0");
    call(primary, "TABLE.QUERY t FILTER %s SELECT 1 n", "n eq 2");
    redisReply *replies = expect_elements(call(primary, "EXEC"), 7);
    assert_true(strcmp(expect_etag(replies->element[2]), expect_etag(replies->element[1])) > 0);
    expect_error(replies->element[3], STALE_ENTITY);
    expect_ok(replies->element[4]);
    expect_elements(replies->element[5], 2);
    expect_shape(replies->element[6], "[null, [[\"p\", \"r\", <etag>, [\"n:int32\", 2]], "
                                      "[\"p\", \"s\", <etag>, [\"n:int32\", 2]]]]");
}

TEST(a_watched_table_guards_a_transaction) {
    struct client *other = test_client(primary->server);
    table_setup();
    written("TABLE.INSERT t p r PROPS 0");
    expect_ok(call(primary, "WATCH t"));
    expect_etag(ask_at(other, "TABLE.MERGE t p r IFMATCH * PROPS 0"));
    expect_ok(call(primary, "MULTI"));
    call(primary, "TABLE.DELETE t p r IFMATCH *");
    expect_null(call(primary, "EXEC"));
    expect_ok(call(primary, "WATCH t"));
    expect_error(ask_at(other, "TABLE.INSERT t p r PROPS 0"), "CONFLICT EntityAlreadyExists");
    expect_elements(ask_at(other, "TABLE.QUERY t"), 2);
    expect_ok(call(primary, "MULTI"));
    call(primary, "TABLE.DELETE t p r IFMATCH *");
    expect_elements(call(primary, "EXEC"), 1);
}

TEST(scripts_get_values_and_errors) {
    table_setup();
    expect_etag(call(
        primary, "EVAL %s 1 t",
        "return redis.call('TABLE.INSERT', KEYS[1], 'p', 'r', 'PROPS', 3, 'n:int32', 5, 'b:bool', 'true', "
        "'d:double', '1.5')"));
    expect_shape(call(primary, "EVAL %s 1 t", "return redis.call('TABLE.GET', KEYS[1], 'p', 'r')[2]"),
                 "[\"n:int32\", 5, \"b:bool\", 1, \"d:double\", \"1.5\"]");
    expect_number(
        call(primary, "EVAL %s 1 t",
             "redis.setresp(3) local map = redis.call('TABLE.GET', KEYS[1], 'p', 'r')[2].map "
             "return map['b:bool'] == true and map['d:double'].double == 1.5 and map['n:int32'] or 0"),
        5);
    expect_error(call(primary, "EVAL %s 1 t", "return redis.call('TABLE.GET', KEYS[1], 'p', 'none')"),
                 NO_ENTITY);
    redisReply *text =
        call(primary, "EVAL %s 1 t",
             "return redis.pcall('TABLE.BATCH', KEYS[1], 'p', 2, 'INSERT', 's', 'PROPS', 0, 'DELETE', "
             "'none', 'IFMATCH', '*').err");
    assert_true(text_begins(text->str, NO_ENTITY " 1:"));
    traces_begin("");
    expect_elements(
        call(primary, "EVAL_RO %s 1 t", "return redis.call('TABLE.QUERY', KEYS[1], 'FILTER', 'n eq 5')"), 2);
    expect_error(call(primary, "EVAL_RO %s 1 t",
                      "return redis.call('TABLE.DELETE', KEYS[1], 'p', 'r', 'IFMATCH', '*')"),
                 "ERR");
    traces_require_none();
}

/* A whole decision in one script, which is one moment. */
TEST(a_script_moves_an_entity) {
    static const char script[] =
        "local from = redis.call('TABLE.GET', KEYS[1], 'p', 'r') "
        "redis.call('TABLE.DELETE', KEYS[1], 'p', 'r', 'IFMATCH', from[1]) "
        "return redis.call('TABLE.INSERT', KEYS[1], 'q', 'r', 'PROPS', #from[2] / 2, unpack(from[2]))";
    table_setup();
    written("TABLE.INSERT t p r PROPS 2 n:int32 5 s x");
    struct stream *stream = stream_attach(primary->server);
    expect_etag(call(primary, "EVAL %s 1 t", script));
    stream_expect(stream, primary, "MULTI\nHOLDFAST.APPLY t\nHOLDFAST.APPLY t\nEXEC");
    expect_shape(ask("TABLE.GET t q r"), "[<etag>, [\"n:int32\", 5, \"s\", \"x\"]]");
    assert_string_equal(found(""), "q/r");
}

/* --- What travels, and what is told --- */

static const struct {
    const char *line, *event; /* NULL: nothing travels and nothing is told */
} steps[] = {
    {"TABLE.CREATE t", "table.create t"},
    {"TABLE.SETACL t POLICIES 1 one - - r", "table.setacl t"},
    {"TABLE.INSERT t p r PROPS 1 a b", "table.insert t"},
    {"TABLE.REPLACE t p r IFMATCH * PROPS 1 a c", "table.replace t"},
    {"TABLE.MERGE t p r IFMATCH * PROPS 0", "table.merge t"},
    {"TABLE.INSERTORREPLACE t p s PROPS 0", "table.insertorreplace t"},
    {"TABLE.INSERTORMERGE t p s PROPS 1 a d", "table.insertormerge t"},
    {"TABLE.BATCH t p 2 DELETE s IFMATCH * INSERT u PROPS 0", "table.batch t"},
    {"TABLE.BATCH t p 1 DELETE u IFMATCH *", "table.batch t"},
    {"TABLE.GET t p r", NULL},
    {"TABLE.QUERY t", NULL},
    {"TABLE.QUERY t EXPLAIN", NULL},
    {"TABLE.GETACL t", NULL},
    {"TABLE.INDEXES t", NULL},
    {"TABLE.DELETE t p r IFMATCH *", "table.delete t"},
    {"TABLE.INDEX t a b", "table.index t"},
    {"TABLE.INDEX t a", NULL},
    {"TABLE.UNINDEX t a", "table.unindex t"},
    {"TABLE.FEED t ON", "table.feed t"},
    {"TABLE.FEED t ON", NULL},
    {"TABLE.CHANGES t SINCE 0", NULL},
    {"TABLE.FEED t OFF", "table.feed t"},
    {"TABLE.DROP t", "table.drop t"},
};

TEST(each_change_is_one_effect_and_one_event) {
    struct stream *stream = stream_attach(primary->server);
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        const char *event = steps[i].event;
        traces_begin("t");
        redisReply *reply = ask(steps[i].line);
        require(!reply_is_error(reply), "%s gives %s", steps[i].line, reply_text(reply));
        if (event) {
            const char *told = traces_notifications();
            require(!strcmp(told, event), "%s tells \"%s\"", steps[i].line, told);
            require(watched_transaction_aborts(), "%s lets a transaction pass", steps[i].line);
        } else {
            traces_require_none();
        }
        stream_expect(stream, primary, event ? "HOLDFAST.APPLY t" : "");
    }
}

/* The building of an index is nobody's change. */
TEST(the_building_of_an_index_is_not_told) {
    table_setup();
    fill_table(primary, 3000);
    traces_begin("");
    expect_ok(ask("TABLE.INDEX t n"));
    assert_string_equal(traces_notifications(), "table.index t");
    await_index(primary, "t", "n");
    assert_string_equal(traces_notifications(), "");
}

/* Also one whose clock is a day behind, and also for an entity that is not there any more. */
TEST(a_replica_that_takes_over_gives_greater_etags) {
    table_setup();
    written("TABLE.INSERT t p r PROPS 0");
    const char *last = written("TABLE.INSERT t p gone PROPS 0"), *stamp = timestamp_of("p gone");
    expect_ok(ask("TABLE.DELETE t p gone IFMATCH *"));
    await_replicas();
    expect_ok(call(replica, "REPLICAOF NO ONE"));
    for (int reload = 0; reload < 2; reload++) {
        if (reload) expect_ok(call(replica, "DEBUG RELOAD"));
        const char *etag = expect_etag(ask_at(replica, "TABLE.INSERT t p gone PROPS 0"));
        require(strcmp(etag, last) > 0, "%s after %s", etag, last);
        redisReply *entity = ask_at(replica, "TABLE.GET t p gone SELECT 1 Timestamp");
        const char *next = field(entity->element[1], "Timestamp:datetime")->str;
        require(strcmp(next, stamp) > 0, "%s after %s", next, stamp);
        expect_error(ask_at(replica, pool_print("TABLE.DELETE t p gone IFMATCH %s", last)), STALE_ENTITY);
        expect_ok(ask_at(replica, pool_print("TABLE.DELETE t p gone IFMATCH %s", etag)));
        last = etag;
        stamp = next;
    }
    follow(replica, primary);
}

/* --- Under other names --- */

static void fill_both_ways(void) {
    table_setup();
    expect_ok(ask("TABLE.INDEX t n"));
    expect_ok(ask("TABLE.SETACL t POLICIES 1 one - - r"));
    fill_table(primary, 300);
    written("TABLE.MERGE t p 000007 IFMATCH * PROPS 2 s x g:guid aaaaaaaa-0000-4000-8000-000000000000");
}

static void expect_twin(const char *key) {
    static const char *const questions[] = {"TABLE.QUERY %s", "TABLE.GETACL %s", "TABLE.INDEXES %s"};
    for (size_t i = 0; i < 3; i++)
        require(reply_same(call(primary, questions[i], "t"), call(primary, questions[i], key)),
                "%s differs in %s", key, questions[i]);
    redisReply *found_rows = call(primary, "TABLE.QUERY %s FILTER %s", key, "n eq 7");
    expect_elements(found_rows->element[1], 1);
    assert_string_equal(field(explained(primary, key, "n eq 7"), "plan")->str, "index");
}

TEST(copies_and_restored_tables_are_tables_of_their_own) {
    needs(KEEPS_DATABASE);
    fill_both_ways();
    expect_number(call(primary, "COPY t copied"), 1);
    redisReply *dump = call(primary, "DUMP t");
    expect_ok(call(primary, "RESTORE restored 0 %b", dump->str, dump->len));
    expect_twin("copied");
    expect_twin("restored");
    /* ETags come along, so what was read before the copy can be written after it. */
    const char *etag = expect_etag(ask("TABLE.GET t p 000007"));
    expect_etag(call(primary, "TABLE.MERGE copied p 000007 IFMATCH %s PROPS 1 s y", etag));
    expect_ok(call(primary, "TABLE.DELETE restored p 000007 IFMATCH %s", etag));
    expect_shape(ask("TABLE.GET t p 000007 SELECT 1 s"), "[<etag>, [\"s\", \"x\"]]");
    expect_ok(call(primary, "RENAME copied t"));
    expect_shape(ask("TABLE.GET t p 000007 SELECT 1 s"), "[<etag>, [\"s\", \"y\"]]");
    expect_number(call(primary, "MOVE restored 3"), 1);
    expect_ok(call(primary, "SELECT 3"));
    expect_error(call(primary, "TABLE.GET restored p 000007"), NO_ENTITY);
    expect_error(call(primary, "TABLE.GET t p 000007"), NO_TABLE);
    expect_ok(call(primary, "SELECT 0"));
    expect_ok(call(primary, "SWAPDB 0 3"));
    expect_etag(ask("TABLE.GET restored p 000008"));
    expect_number(call(primary, "UNLINK restored"), 1);
}

TEST(a_copy_of_a_table_whose_index_is_being_built) {
    table_setup();
    fill_table(primary, 5000);
    expect_ok(call(primary, "MULTI"));
    call(primary, "TABLE.INDEX t n");
    call(primary, "COPY t copied");
    call(primary, "RENAME t renamed");
    expect_elements(call(primary, "EXEC"), 3);
    await_index(primary, "copied", "n");
    expect_ok(call(primary, "RENAME renamed t"));
    written(
        "TABLE.INSERTORMERGE t p 000000 PROPS 0"); /* a key that was moved is looked after from its next write on */
    usleep(300000);
    assert_string_equal(plan_of("n eq 4999"), "index"); /* nobody had to ask for it */
    assert_string_equal(found_by("n eq 4999"), "p/004999");
}

TEST(tables_count_in_info) {
    table_setup();
    fill_table(primary, 250);
    expect_number(call(primary, "COPY t u"), 1);
    assert_int_equal(info_of(primary, "holdfast_tables"), 2);
    assert_int_equal(info_of(primary, "holdfast_table_entities"), 500);
    expect_ok(ask("TABLE.DELETE t p 000001 IFMATCH *"));
    expect_ok(ask("TABLE.DROP u"));
    await_info(primary, "holdfast_tables", 1);
    assert_int_equal(info_of(primary, "holdfast_table_entities"), 249);
    expect_ok(call(primary, "DEBUG RELOAD"));
    assert_int_equal(info_of(primary, "holdfast_table_entities"), 249);
    expect_ok(call(primary, "FLUSHALL"));
    await_info(primary, "holdfast_table_entities", 0);
}

/* --- Memory --- */

enum { ENTITIES = 20000, PERCENT = 100 };

static struct client *client;

/* The server keeps statistics of each command from its first call on. */
static void begin_alone(void) {
    static const char *const all[] = {"TABLE.CREATE t",
                                      "TABLE.INSERT t p r PROPS 1 a b",
                                      "TABLE.MERGE t p r IFMATCH * PROPS 1 n:int32 5",
                                      "TABLE.REPLACE t p r IFMATCH * PROPS 1 n:int32 5",
                                      "TABLE.INDEX t n s",
                                      "TABLE.QUERY t FILTER \"n eq 5\"",
                                      "MEMORY USAGE t SAMPLES 0",
                                      "TABLE.UNINDEX t n s",
                                      "TABLE.BATCH t p 1 DELETE r IFMATCH *",
                                      "TABLE.INSERT t p r PROPS 0",
                                      "TABLE.DELETE t p r IFMATCH *",
                                      "UNLINK t"};
    client = test_client(server_start("single", ""));
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        redisReply *reply = ask_at(client, all[i]);
        require(!reply_is_error(reply), "%s gives %s", all[i], reply_text(reply));
    }
}

static long long told_memory(void) {
    return call(client, "MEMORY USAGE t SAMPLES 0")->integer;
}

static void expect_told(const char *when, long long before) {
    long long used = memory_in_use(client->server) - before, told = told_memory();
    long long difference = told > used ? told - used : used - told;
    print_message("# %s: %lld bytes used, %lld told\n", when, used, told);
    require(difference * PERCENT <= used * 5, "%s: %lld bytes used, %lld told", when, used, told);
}

static void on_each(const char *format) {
    struct client *filler = client_open(client->server);
    for (int row = 0; row < ENTITIES; row++) {
        send_call(filler, format, row, row);
        if (row % 100 != 99) continue;
        for (int answer = 0; answer < 100; answer++) {
            redisReply *reply = receive(filler);
            require(!reply_is_error(reply), "%s gives %s", format, reply_text(reply));
        }
    }
    client_close(filler);
}

TEST(memory_usage_tells_what_is_used) {
    begin_alone();
    long long before = memory_in_use(client->server);
    expect_ok(ask_at(client, "TABLE.CREATE t"));
    on_each("TABLE.INSERT t p %06d PROPS 4 n:int32 %d s some-text-of-usual-length b:bool 1 d:double 1.5");
    expect_told("entities", before);
    expect_ok(ask_at(client, "TABLE.INDEX t n s"));
    await_index(client, "t", "n");
    usleep(100000);
    expect_told("with indexes", before);
    on_each("TABLE.MERGE t p %06d IFMATCH * PROPS 1 more text-number-%d-that-makes-it-longer");
    expect_told("merged", before);
    long long full = told_memory();
    on_each("TABLE.REPLACE t p %06d IFMATCH * PROPS 1 n:int32 %d");
    expect_told("replaced by less", before);
    assert_true(told_memory() < full * 3 / 4);
    expect_ok(ask_at(client, "TABLE.UNINDEX t n s"));
    usleep(200000);
    expect_told("without indexes", before);
    on_each("TABLE.DELETE t p %06d IFMATCH *");
    require(told_memory() * PERCENT < full * 15, "%lld of %lld bytes are told of nothing", told_memory(),
            full);
    expect_number(call(client, "UNLINK t"), 1);
    long long left = memory_in_use(client->server) - before;
    require(left * PERCENT < full * 3, "%lld of %lld bytes are left", left, full);
}

TEST(overwriting_does_not_grow) {
    begin_alone();
    expect_ok(ask_at(client, "TABLE.CREATE t"));
    expect_ok(ask_at(client, "TABLE.INDEX t n"));
    fill_table(client, 100);
    long long before = memory_in_use(client->server);
    for (int round = 0; round < 200; round++) {
        for (int row = 0; row < 100; row++)
            send_call(client, "TABLE.MERGE t p %06d IFMATCH * PROPS 2 n:int32 %d ten:int32 %d", row,
                      round * row, round);
        for (int row = 0; row < 100; row++) expect_etag(receive(client));
    }
    long long grown = memory_in_use(client->server) - before;
    require(grown < 100000, "overwriting left %lld bytes more", grown);
}

TEST(a_full_server_takes_nothing_in_and_lets_go) {
    static const char *const growing[] = {"TABLE.CREATE new",
                                          "TABLE.SETACL t",
                                          "TABLE.INDEX t a",
                                          "TABLE.INSERT t p new PROPS 0",
                                          "TABLE.REPLACE t p r IFMATCH * PROPS 0",
                                          "TABLE.MERGE t p r IFMATCH * PROPS 0",
                                          "TABLE.INSERTORREPLACE t p r PROPS 0",
                                          "TABLE.INSERTORMERGE t p r PROPS 0",
                                          "TABLE.BATCH t p 1 INSERT new PROPS 0",
                                          "TABLE.BATCH t p 1 DELETE r IFMATCH *",
                                          NULL};
    begin_alone();
    expect_ok(ask_at(client, "TABLE.CREATE t"));
    expect_ok(ask_at(client, "TABLE.INDEX t n"));
    expect_etag(ask_at(client, "TABLE.INSERT t p r PROPS 1 a b"));
    expect_etag(ask_at(client, "TABLE.INSERT t p s PROPS 0"));
    expect_etag(ask_at(client, "TABLE.INSERT t p u PROPS 0"));
    expect_ok(call(client, "CONFIG SET maxmemory-policy noeviction"));
    expect_ok(call(client, "CONFIG SET maxmemory 1"));
    expect_each_error(client, growing, "OOM");
    expect_shape(ask_at(client, "TABLE.GET t p r"), "[<etag>, [\"a\", \"b\"]]");
    expect_ok(ask_at(client, "TABLE.DELETE t p r IFMATCH *"));
    expect_shape(
        ask_at(client, "HOLDFAST.ATOMIC 2 6 TABLE.DELETE t p s IFMATCH * 6 TABLE.DELETE t p u IFMATCH *"),
        "[OK, OK]");
    expect_ok(ask_at(client, "TABLE.UNINDEX t n"));
    expect_ok(ask_at(client, "TABLE.DROP t"));
    expect_ok(call(client, "CONFIG SET maxmemory 0"));
}

/* What an earlier part of a transaction takes must not stop a later one: the server refuses all of it, or nothing. */
TEST(a_transaction_that_fills_the_memory_is_carried_out_whole) {
    begin_alone();
    expect_ok(ask_at(client, "TABLE.CREATE t"));
    expect_ok(ask_at(client, "QUEUE.CREATE q"));
    redisReply *put = ask_at(client, "QUEUE.PUT q x");
    const char *id = reply_string(field(put, "id")), *receipt = reply_string(field(put, "receipt"));
    expect_ok(call(client, "CONFIG SET maxmemory-policy noeviction"));
    expect_ok(call(client, "CONFIG SET maxmemory %lld", memory_in_use(client->server) + 3000000));
    expect_ok(call(client, "MULTI"));
    call(client, "SETRANGE big 6000000 x");
    call(client, "TABLE.BATCH t p 1 INSERT r PROPS 1 a b");
    call(client, "QUEUE.UPDATE q %s %s VISIBILITY 10 MESSAGE longer", id, receipt);
    redisReply *all = expect_elements(call(client, "EXEC"), 3);
    for (size_t part = 0; part < 3; part++)
        require(!reply_is_error(all->element[part]), "part %zu gives %s", part,
                reply_text(all->element[part]));
    expect_error(call(client, "SET more x"), "OOM");
    expect_ok(call(client, "CONFIG SET maxmemory 0"));
}
