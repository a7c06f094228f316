/* Indexes: every write keeps them, on every server and after every way of writing them down; they are built behind
 * the scenes while queries are right, whoever dies meanwhile; and they are given up bit by bit. What counts is always
 * that a query by index answers what a walk answers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
#include "settings.h"
#include "single_server.h"
#include "steps.h"
#include "tables.h"
#include "text.h"
#include "traces.h"

/* --- To declare and to give up --- */

TEST(indexes_are_declared_and_dropped) {
    static const struct answered rows[] = {
        {"TABLE.INDEXES t", "[]"},
        {"TABLE.INDEX t a b", "OK"},
        {"TABLE.INDEXES t", "[\"a\", \"b\"]"},
        {"TABLE.INDEX t b c c \"A\"", "OK"},
        {"TABLE.INDEXES t", "[\"a\", \"b\", \"c\", \"A\"]"},
        {"TABLE.UNINDEX t none", NO_ENTITY},
        {"TABLE.UNINDEX t a none", NO_ENTITY},
        {"TABLE.UNINDEX t a a \"A\" c", "OK"},
        {"TABLE.INDEXES t", "[\"b\"]"},
        {"TABLE.UNINDEX t a", NO_ENTITY},
        {"TABLE.UNINDEX t b 1x", "INVALID PropertyNameInvalid"},
        {"TABLE.UNINDEX t b 256*x", "INVALID PropertyNameTooLong"},
        {"TABLE.UNINDEX none 1x", "INVALID PropertyNameInvalid"},
        {"TABLE.UNINDEX t b RowKey", BAD_INPUT},
        {"TABLE.INDEX t d 1x", "INVALID PropertyNameInvalid"},
        {"TABLE.INDEX t d 256*x", "INVALID PropertyNameTooLong"},
        {"TABLE.INDEX t d:int32", "INVALID PropertyNameInvalid"},
        {"TABLE.INDEX t PartitionKey", BAD_INPUT},
        {"TABLE.INDEX t d RowKey", BAD_INPUT},
        {"TABLE.INDEX t Timestamp", BAD_INPUT},
        {"TABLE.INDEX t i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12 i13 i14 i15 i16", BAD_INPUT},
        {"TABLE.INDEXES t", "[\"b\"]"},
        {"TABLE.UNINDEX t b", "OK"},
        {"TABLE.INDEXES t", "[]"},
    };
    table_setup();
    play_answers(rows);
}

/* What is there already is no change. */
TEST(an_index_that_is_there_changes_nothing) {
    table_setup();
    expect_ok(ask("TABLE.INDEX t a b"));
    traces_begin("");
    expect_ok(ask("TABLE.INDEX t a"));
    expect_ok(ask("TABLE.INDEX t b a b"));
    traces_require_none();
}

/* --- Kept by every write --- */

enum { ROWS = 60, VALUES = 6, STEPS = 400, LOOKS = 8 };

/* With t, which has indexes, and u, which has none, the same happens. */
static void on_both(const char *format, const char *rest) {
    redisReply *one = ask(pool_print(format, "t", rest)), *other = ask(pool_print(format, "u", rest));
    require(reply_is_error(one) == reply_is_error(other), "%s: %s, %s", rest, reply_text(one),
            reply_text(other));
}

static const char *some_properties_of_two(void) {
    static const char *const values[VALUES] = {"a:int32 1",  "a:int64 1",   "a x",
                                               "a:double 1", "a:bool true", "a:int32 2"};
    switch (random_below(4)) {
    case 0: return "PROPS 1 b:int32 1";
    case 1: return pool_print("PROPS 2 b:int32 %d %s", random_below(3), values[random_below(VALUES)]);
    default: return pool_print("PROPS 1 %s", values[random_below(VALUES)]);
    }
}

static const char *some_operation(int row) {
    switch (random_below(6)) {
    case 0: return pool_print("INSERT %02d %s", row, some_properties_of_two());
    case 1: return pool_print("REPLACE %02d IFMATCH * %s", row, some_properties_of_two());
    case 2: return pool_print("MERGE %02d IFMATCH * %s", row, some_properties_of_two());
    case 3: return pool_print("INSERTORREPLACE %02d %s", row, some_properties_of_two());
    case 4: return pool_print("INSERTORMERGE %02d %s", row, some_properties_of_two());
    default: return pool_print("DELETE %02d IFMATCH *", row);
    }
}

static void write_something(void) {
    if (random_below(3)) {
        const char *operation = some_operation(random_below(ROWS)), *rest = strchr(operation, ' ');
        const char *verb = pool_copy(operation, (size_t)(rest - operation));
        on_both(pool_print("TABLE.%s %%s p%%s", verb), rest);
        return;
    }
    struct text batch = {0};
    int count = 1 + random_below(4), row = random_below(ROWS / 4);
    text_print(&batch, "%d", count);
    for (int i = 0; i < count; i++, row += 1 + random_below(ROWS / 6))
        text_print(&batch, " %s", some_operation(row));
    on_both("TABLE.BATCH %s p %s", batch.bytes);
}

/* Nothing has a property zz, so that this filter is the same and leads to a walk. */
static void compare_with_a_walk(struct client *client, const char *indexed, const char *filter) {
    const char *walked_filter = pool_print("(%s) or zz eq 1", filter);
    redisReply *by_index = call(client, "TABLE.QUERY %s FILTER %s", indexed, filter);
    redisReply *walked = call(client, "TABLE.QUERY %s FILTER %s", indexed, walked_filter);
    require(!reply_is_error(by_index) && reply_same(by_index, walked),
            "%s at %s: by index\n%s\nand by a walk\n%s", filter, client->server->name, reply_text(by_index),
            reply_text(walked));
}

static const char *const questions[] = {"a eq 1", "a eq 1L",          "a eq 1.0",     "a eq 'x'", "a eq true",
                                        "a eq 2", "a ge 1",           "a gt 1",       "a lt 2",   "a le 'x'",
                                        "b eq 1", "b eq 0 or b eq 2", "a and b eq 1", NULL};

static void compare_questions(struct client *client, const char *table) {
    bool used = false;
    for (const char *const *filter = questions; *filter; filter++) {
        compare_with_a_walk(client, table, *filter);
        used |= !strcmp(field(explained(client, table, *filter), "plan")->str, "index");
    }
    require(used, "no query uses an index of %s at %s", table, client->server->name);
}

static void compare_with_twin(void) {
    for (const char *const *filter = questions; *filter; filter++) {
        const redisReply *one = call(primary, "TABLE.QUERY t FILTER %s", *filter)->element[1];
        const redisReply *other = call(primary, "TABLE.QUERY u FILTER %s", *filter)->element[1];
        require(one->elements == other->elements, "%s: %zu rows and %zu", *filter, one->elements,
                other->elements);
        for (size_t row = 0; row < one->elements; row++)
            for (size_t part = 0; part < 4; part++)
                require(part == 2 ||
                            reply_same(one->element[row]->element[part], other->element[row]->element[part]),
                        "%s: %s and %s", *filter, reply_text(one->element[row]),
                        reply_text(other->element[row]));
    }
}

static void look_under_other_names(void) {
    redisReply *dump = call(primary, "DUMP t");
    expect_ok(call(primary, "RESTORE restored 0 %b REPLACE", dump->str, dump->len));
    expect_number(call(primary, "COPY t copied REPLACE"), 1);
    compare_questions(primary, "restored");
    compare_questions(primary, "copied");
    expect_ok(call(primary, "RENAME copied renamed"));
    written("TABLE.INSERTORREPLACE renamed p new PROPS 1 a:int32 1");
    written("TABLE.INSERTORREPLACE restored p 00 PROPS 1 b:int32 1");
    compare_questions(primary, "renamed");
    compare_questions(primary, "restored");
    await_replicas();
    compare_questions(chained, "renamed");
    expect_number(call(primary, "UNLINK restored renamed"), 2);
}

static void look_everywhere(int look) {
    compare_questions(primary, "t");
    compare_with_twin();
    await_replicas();
    compare_questions(replica, "t");
    compare_questions(chained, "t");
    if (look % 3 == 1) {
        expect_ok(call(primary, "DEBUG RELOAD"));
        compare_questions(primary, "t");
        await_replicas();
    }
    if (look % 3 == 2) rewrite_append_only_file(chained, look % 2);
    if (look % 3) expect_ok(call(chained, "DEBUG LOADAOF"));
    compare_questions(chained, "t");
    look_under_other_names();
}

TEST(every_write_keeps_the_indexes) {
    random_begin();
    table_setup();
    expect_ok(ask("TABLE.CREATE u"));
    expect_ok(ask("TABLE.INDEX t a"));
    for (int look = 0; look < LOOKS; look++) {
        for (int step = 0; step < STEPS / LOOKS; step++) write_something();
        if (look == LOOKS / 2) expect_ok(ask("TABLE.INDEX t b"));
        if (look == LOOKS / 2) await_index(primary, "t", "a");
        look_everywhere(look);
    }
}

/* Values that differ far behind, in their case, or in their type alone. */
TEST(values_that_look_alike) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p 1 PROPS 1 v 32767*x", NULL},
        {"TABLE.INSERT t p 2 PROPS 1 v 32768*x", NULL},
        {"TABLE.INSERT t p 3 PROPS 1 v:binary 32768*x", NULL},
        {"TABLE.INSERT t p 4 PROPS 1 v 5000*x", NULL},
        {"TABLE.INSERT t p 5 PROPS 1 v ''", NULL},
        {"TABLE.INSERT t p 6 PROPS 1 v:binary ''", NULL},
        {"TABLE.INSERT t p 7 PROPS 1 v:double NaN", NULL},
        {"TABLE.INSERT t p 8 PROPS 1 v:double -Infinity", NULL},
        {"TABLE.INSERT t p 9 PROPS 1 v \"X\"", NULL},
        {"TABLE.INSERT t p 10 PROPS 1 v x", NULL},
        {"TABLE.MERGE t p 4 IFMATCH * PROPS 1 v 5001*x", NULL},
        {"TABLE.DELETE t p 1 IFMATCH *", NULL},
    };
    static const char *const filters[] = {"v eq 'x'", "v eq 'X'", "v eq ''",        "v eq X''", "v gt 'xx'",
                                          "v ge 0.0", "v lt 0.0", "v ne 0.0",       "v eq 0.0", "v lt 'x'",
                                          "v gt X''", "v le 5",   "not (v eq 'x')", NULL};
    table_setup();
    expect_ok(ask("TABLE.INDEX t v"));
    play_answers(rows);
    for (const char *const *filter = filters; *filter; filter++) compare_with_a_walk(primary, "t", *filter);
    static const int lengths[] = {32768, 5001, 5000, 32767};
    for (int i = 0; i < 4; i++) {
        char *text = pool_take((size_t)lengths[i] + 1);
        memset(text, 'x', (size_t)lengths[i]);
        expect_elements(call(primary, "TABLE.QUERY t FILTER %s", pool_print("v eq '%s'", text))->element[1],
                        i < 2 ? 1 : 0);
    }
}

/* --- To build --- */

enum { MANY = 50000 };

/* Declares the index and stops the clocks of upkeep before it can begin, in one go. */
static void declare_and_pause(struct client *client) {
    send_call(client, "TABLE.INDEX t n");
    send_call(client, "CLIENT PAUSE 100000 WRITE");
    expect_ok(receive(client));
    expect_ok(receive(client));
    assert_string_equal(field(explained(client, "t", "n eq 5"), "plan")->str, "scan");
}

static void expect_found(struct client *client, const char *filter, const char *rows) {
    int pages;
    const char *there = found_at(client, pool_print("FILTER \"%s\"", filter), &pages);
    require(!strcmp(there, rows), "%s at %s finds %s", filter, client->server->name, there);
}

/* Whatever the index knows already, what is added, changed and removed shows at once. */
TEST(queries_are_right_while_an_index_is_built) {
    int turns = 0, waited = 0;
    random_begin();
    table_setup();
    fill_table(primary, MANY);
    expect_ok(call(primary, "MULTI"));
    call(primary, "TABLE.INDEX t n");
    call(primary, "TABLE.QUERY t FILTER %s EXPLAIN", "n eq 5");
    redisReply *replies = expect_elements(call(primary, "EXEC"), 2);
    expect_text(field(replies->element[1], "plan"), "scan");
    for (bool is_built = false; !is_built; turns++) {
        int row = random_below(MANY), number = MANY + turns;
        is_built = !strcmp(plan_of("n eq 5"), "index");
        waited += !is_built;
        if (turns % 2) expect_found(primary, pool_print("n eq %d", row), pool_print("p/%06d", row));
        written(pool_print("TABLE.MERGE t p %06d IFMATCH * PROPS 1 n:int32 %d", row, number));
        expect_found(primary, pool_print("n eq %d", number), pool_print("p/%06d", row));
        if (turns % 2) expect_found(primary, pool_print("n eq %d", row), "");
        written(pool_print("TABLE.MERGE t p %06d IFMATCH * PROPS 1 n:int32 %d", row, row));
        written(pool_print("TABLE.INSERT t p %06dx PROPS 1 n:int32 %d", row, 2 * MANY + turns));
        expect_found(primary, pool_print("n eq %d", 2 * MANY + turns), pool_print("p/%06dx", row));
        expect_ok(ask(pool_print("TABLE.DELETE t p %06dx IFMATCH *", row)));
        require(turns < 20000, "the index does not become complete");
    }
    print_message("# complete after %d turns\n", waited);
    await_replicas();
    await_index(replica, "t", "n");
    for (int turn = 0; turn < 50; turn++) {
        int row = random_below(MANY);
        expect_found(primary, pool_print("n eq %d", row), pool_print("p/%06d", row));
        expect_found(replica, pool_print("n eq %d", row), pool_print("p/%06d", row));
    }
    expect_found(primary, pool_print("n ge %d", MANY), "");
    assert_int_equal(field(explained(primary, "t", "ten eq 3 and n lt 100"), "entities-estimated")->integer,
                     100);
}

/* All that an index knew of went before it was complete. */
TEST(a_table_that_is_emptied_while_its_index_is_built) {
    table_setup();
    fill_table(primary, 3);
    expect_ok(call(primary, "MULTI"));
    call(primary, "TABLE.INDEX t n");
    call(primary, "TABLE.DELETE t p 000000 IFMATCH *");
    call(primary, "TABLE.BATCH t p 2 DELETE 000001 IFMATCH * DELETE 000002 IFMATCH *");
    expect_elements(call(primary, "EXEC"), 3);
    usleep(20000);
    fill_table(primary, 30);
    await_index(primary, "t", "n");
    await_replicas();
    await_index(replica, "t", "n");
    expect_found(replica, "n eq 5", "p/000005");
}

static struct client *start_filled(const char *name, const char *settings, int count) {
    struct client *client = test_client(server_start(name, settings));
    expect_ok(call(client, "TABLE.CREATE t"));
    fill_table(client, count);
    return client;
}

static void expect_built(struct client *client) {
    expect_found(client, "n eq 777", "p/000777");
    await_index(client, "t", "n");
    expect_found(client, "n eq 777", "p/000777");
    expect_etag(call(client, "TABLE.MERGE t p 000777 IFMATCH * PROPS 1 n:int32 -5"));
    expect_found(client, "n eq 777", "");
    expect_found(client, "n eq -5", "p/000777");
    expect_found(client, "n lt 2", "p/000000 p/000001 p/000777");
}

/* A query would see to it that it is built; here the first one finds it so. Upkeep forgets a key when it is done. */
static void expect_built_unasked(struct client *client) {
    AWAIT(!info_of(client, "holdfast_upkeep_keys"));
    assert_string_equal(field(explained(client, "t", "n eq 5"), "plan")->str, "index");
    expect_built(client);
}

TEST(a_replica_that_takes_over_goes_on_building) {
    struct client *first = start_filled("first", "", MANY), *second = test_client(server_start("second", ""));
    follow(second, first);
    declare_and_pause(first);
    await_in_step(second, first);
    assert_string_equal(field(explained(second, "t", "n eq 5"), "plan")->str, "scan");
    expect_found(second, "n eq 777", "p/000777");
    server_kill(first->server);
    expect_ok(call(second, "REPLICAOF NO ONE"));
    expect_built(second);
}

/* A replica that comes in the middle has the whole index at once, and takes what it is told of it. */
TEST(a_replica_that_comes_while_an_index_is_built) {
    struct client *first = start_filled("first", "", MANY), *second = test_client(server_start("second", ""));
    declare_and_pause(first);
    follow(second, first);
    expect_ok(call(first, "CLIENT UNPAUSE"));
    expect_built(first);
    await_in_step(second, first);
    expect_found(second, "n eq -5", "p/000777");
    require_same(first, second, "when the index is complete");
    assert_int_equal(
        info_of(second, "holdfast_effects_misfit") + info_of(second, "holdfast_effects_malformed"), 0);
}

TEST(a_server_that_comes_back_goes_on_building) {
    struct client *client = start_filled("single", settings_with_file, 5000);
    declare_and_pause(client);
    expect_built(restarted(client->server, server_kill));
    client = test_client(client->server);
    client = restarted(client->server, server_kill);
    await_index(client, "t", "n");
    expect_found(client, "n eq -5", "p/000777");
}

/* The primary comes back from a snapshot, where what it was building is complete, and its replica goes on with what it
 * has, which is not. */
TEST(a_replica_gets_the_rest_from_a_primary_that_comes_back) {
    struct client *first = start_filled("first", "", MANY), *second = test_client(server_start("second", ""));
    follow(second, first);
    declare_and_pause(first);
    await_in_step(second, first);
    expect_ok(call(first, "SAVE"));
    first = restarted(first->server, server_kill);
    await_in_step(second, first);
    assert_int_equal(info_of(first, "sync_full"), 0);
    expect_built(first);
    await_in_step(second, first);
    await_index(second, "t", "n");
    expect_found(second, "n eq 776", "p/000776");
    server_stop(first->server);
    server_stop(second->server);
}

/* Killing a process takes nothing from what it has written, synced or not. */
static const char with_file[] = APPEND_ONLY_FILE("no");

/* Also one that is killed at any moment of it: its replica takes over, and it comes back by itself. */
TEST(killed_at_any_moment_of_building) {
    enum { PAIRS = 3 };
    struct client *first[PAIRS], *second[PAIRS];
    for (int pair = 0; pair < PAIRS; pair++) {
        first[pair] = start_filled("first", with_file, MANY / 5);
        second[pair] = test_client(server_start("second", ""));
        expect_ok(call(second[pair], "REPLICAOF 127.0.0.1 %d", first[pair]->server->port));
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        await_in_step(second[pair], first[pair]);
        expect_ok(call(first[pair], "TABLE.INDEX t n"));
        usleep((useconds_t)(500 << pair));
        server_kill(first[pair]->server);
        expect_ok(call(second[pair], "REPLICAOF NO ONE"));
    }
    for (int pair = 0; pair < PAIRS; pair++) server_restart(first[pair]->server);
    for (int pair = 0; pair < PAIRS; pair++) {
        struct client *again = test_client(first[pair]->server);
        expect_built_unasked(second[pair]);
        expect_built_unasked(again);
        server_stop(first[pair]->server);
        server_stop(second[pair]->server);
    }
}

/* --- To give up --- */

TEST(a_dropped_index_is_freed_in_portions) {
    struct client *client = start_filled("single", "", 100000);
    long long without = memory_in_use(client->server);
    expect_ok(call(client, "TABLE.INDEX t n ten"));
    await_index(client, "t", "n");
    await_index(client, "t", "ten");
    long long with = memory_in_use(client->server);
    assert_true(with > without + 4000000);
    send_call(client, "TABLE.UNINDEX t n ten");
    send_call(client, "INFO memory");
    send_call(client, "TABLE.QUERY t FILTER %s EXPLAIN", "n eq 5");
    send_call(client, "TABLE.INDEXES t");
    expect_ok(receive(client));
    /* It is not freed by the command itself. */
    long long at_once = info_number(receive(client), "used_memory");
    expect_text(field(receive(client), "plan"), "scan");
    expect_elements(receive(client), 0);
    assert_true(at_once > without + (with - without) / 2);
    long long after = memory_in_use(client->server);
    require(after < without + (with - without) / 10, "%lld bytes before, %lld with indexes, %lld after",
            without, with, after);
    expect_ok(call(client, "TABLE.INDEX t n"));
    expect_ok(call(client, "TABLE.UNINDEX t n"));
    expect_ok(call(client, "TABLE.INDEX t n"));
    expect_built(client);
    expect_ok(call(client, "TABLE.UNINDEX t n"));
    expect_ok(call(client, "TABLE.DROP t"));
}
