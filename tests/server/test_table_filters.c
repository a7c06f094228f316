/* Filters as callers meet them: where a malformed one is wrong, what keys and Timestamps compare with,
 * conditions on properties, and answers that are the same whichever way a query goes. What filters mean, value
 * by value, is tested without a server. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "random.h"
#include "tables.h"
#include "text.h"
#include "traces.h"

/* --- Malformed filters, and the byte at which they are wrong: more of them are in tests/unit/test_filter.c --- */

static const struct {
    const char *filter;
    int position;
} malformed[] = {
    {"a eq", 5},
    {"(a", 3},
    {"a)", 2},
    {"a eq 1 b eq 2", 8},
    {"eq 1", 1},
    {"a == 1", 3},
    {"a eq \"x\"", 6},
    {"a eq datetime", 6},
    {"(a) eq 1", 5},
    {"a.b eq 1", 2},
    {"a eq 1;", 7},
    {"\t a\n eq ?", 9},
    /* Bytes are counted, not characters. */
    {"\xc3\xa4 eq '\xc3\xa4' and", 15},
    {"a eq '\xf0\x9f\x98\x80' and", 16},
    {"a eq '\xff'", 7},
};

BEFORE_EACH {
    table_setup();
}

TEST(malformed_filters_say_where) {
    written("TABLE.INSERT t p r PROPS 1 a:int32 1");
    traces_begin("none");
    for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
        const char *filter = malformed[i].filter;
        const char *expected = pool_print("INVALID InvalidInput at %d: ", malformed[i].position);
        redisReply *replies[] = {
            call(primary, "TABLE.QUERY t FILTER %s", filter),
            call(primary, "TABLE.QUERY none FILTER %s EXPLAIN", filter),
            call(primary, "TABLE.MERGE t p r IFMATCH * IF %s PROPS 1 a x", filter),
            call(primary, "TABLE.DELETE none p r IFMATCH * IF %s", filter),
        };
        for (size_t reply = 0; reply < ARRAY_SIZE(replies); reply++)
            require(reply_is_error(replies[reply]) && text_begins(replies[reply]->str, expected) &&
                        strlen(replies[reply]->str) > strlen(expected),
                    "%s gives %s", filter, reply_text(replies[reply]));
        redisReply *batch =
            call(primary, "TABLE.BATCH t p 2 INSERT s PROPS 0 DELETE r IFMATCH * IF %s", filter);
        expected = pool_print("INVALID InvalidInput 1: at %d: ", malformed[i].position);
        require(reply_is_error(batch) && text_begins(batch->str, expected), "%s gives %s", filter,
                reply_text(batch));
    }
    traces_require_none();
}

TEST(malformed_and_oversized_filters_are_refused) {
    static const struct answered rows[] = {
        {"TABLE.QUERY t FILTER \"a eq datetime'1600-12-31'\"", "INVALID OutOfRangeInput"},
        {"TABLE.QUERY t FILTER \"1 eq 1\"", "INVALID NotImplemented"},
        {"TABLE.QUERY t FILTER \"'a' lt 5L and a eq 1\"", "INVALID NotImplemented"},
        {"TABLE.QUERY t FILTER ''", "[null, []]"},
        {"TABLE.QUERY t FILTER \"   \"", "[null, []]"},
        {"TABLE.QUERY t FILTER a FILTER b", "ERR syntax error near 'FILTER'"},
        {"TABLE.QUERY t FILTER", "ERR syntax error near 'FILTER'"},
    };
    play_answers(rows);
    for (int depth = 99; depth < 102; depth++) {
        struct text filter = {0};
        for (int i = 0; i < depth; i++) text_print(&filter, "(");
        text_print(&filter, "a");
        for (int i = 0; i < depth; i++) text_print(&filter, ")");
        redisReply *reply = call(primary, "TABLE.QUERY t FILTER %s", filter.bytes);
        require(reply_is_error(reply) == (depth > 100), "%d parentheses give %s", depth, reply_text(reply));
    }
    char *long_text = pool_take((1 << 20) + 10);
    memset(long_text, ' ', (1 << 20) + 1);
    expect_elements(call(primary, "TABLE.QUERY t FILTER %b", long_text, (size_t)1 << 20), 2);
    expect_error(call(primary, "TABLE.QUERY t FILTER %b", long_text, ((size_t)1 << 20) + 1), BAD_INPUT);
    expect_error(call(primary, "TABLE.QUERY t FILTER %b", "a eq 1\0", (size_t)7), BAD_INPUT " at 7:");
    expect_error(call(primary, "TABLE.QUERY t FILTER %s", "a eq \"x\""),
                 BAD_INPUT " at 6: strings stand in single quotes");
}

/* Programs that put filters together begin with true, or with false. */
TEST(true_and_false_stand_alone) {
    static const struct {
        const char *filter, *rows, *plan;
    } rows[] = {
        {"true", "p/a p/b q/a", "scan"},
        {"not false", "p/a p/b q/a", "scan"},
        {"false", "", NULL},
        {"not true", "", NULL},
        {"true and (n eq 1)", "p/a", "scan"},
        {"true and n eq 1 and true", "p/a", "scan"},
        {"false or n eq 1", "p/a", "scan"},
        {"false or (n ne 1 or false)", "p/b", "scan"},
        {"not (true and n eq 1)", "p/b q/a", "scan"},
        {"n eq 1 or true", "p/a p/b q/a", "scan"},
        {"n eq 1 and false", "", NULL},
        {"true and PartitionKey eq 'p'", "p/a p/b", "range"},
        {"true and PartitionKey eq 'p' and RowKey eq 'a'", "p/a", "point"},
        {"false or true eq flag", "q/a", "scan"},
        {"false or flag", "q/a", "scan"},
    };
    written("TABLE.INSERT t p a PROPS 1 n:int32 1");
    written("TABLE.INSERT t p b PROPS 1 n:int32 2");
    written("TABLE.INSERT t q a PROPS 1 flag:bool true");
    for (int indexed = 0; indexed < 2; indexed++) {
        if (indexed) expect_ok(call(primary, "TABLE.INDEX t n flag"));
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            const char *found = found_by(rows[i].filter), *plan = plan_of(rows[i].filter);
            require(!strcmp(found, rows[i].rows), "%s finds %s", rows[i].filter, found);
            if (!rows[i].plan || indexed) continue;
            require(!strcmp(plan, rows[i].plan), "%s goes by %s", rows[i].filter, plan);
        }
    }
    expect_error(ask("TABLE.MERGE t p a IFMATCH * IF \"false or n eq 2\" PROPS 0"), "PRECONDITION");
    expect_error(ask("TABLE.MERGE t p a IFMATCH * IF false PROPS 0"), "PRECONDITION");
    written("TABLE.MERGE t p a IFMATCH * IF true PROPS 0");
    written("TABLE.MERGE t p a IFMATCH * IF \"true and (n eq 1)\" PROPS 0");
}

/* "pk/rk pk/rk" of a page. */
static const char *keys_on(redisReply *page) {
    struct text keys = EMPTY_TEXT;
    const redisReply *rows = expect_elements(page, 2)->element[1];
    for (size_t i = 0; i < rows->elements; i++)
        text_print(&keys, "%s%s/%s", i ? " " : "", rows->element[i]->element[0]->str,
                   rows->element[i]->element[1]->str);
    return keys.bytes;
}

#define WITH_LENGTH(text) text, sizeof(text) - 1

/* Strings may hold them, keys do not; so what is compared with a key lies between keys. */
TEST(zero_bytes_in_texts) {
    static const struct {
        const char *filter;
        size_t length;
        const char *rows;
    } rows[] = {
        {WITH_LENGTH("s eq 'a\0b'"), "p/a"},
        {WITH_LENGTH("s eq 'a\0c'"), ""},
        {WITH_LENGTH("s lt 'a\0b'"), "p/b"},
        {WITH_LENGTH("s gt 'a\0b'"), "q/a"},
        {WITH_LENGTH("s ge 'a' and s lt 'a\0c'"), "p/a p/b"},
        {WITH_LENGTH("PartitionKey le 'p\0'"), "p/a p/b"},
        {WITH_LENGTH("PartitionKey gt 'p\0'"), "q/a"},
        {WITH_LENGTH("PartitionKey eq 'p\0a'"), ""},
        {WITH_LENGTH("PartitionKey eq 'p' and RowKey lt 'a\0z'"), "p/a"},
        {WITH_LENGTH("PartitionKey eq 'p' and RowKey ge 'a\0'"), "p/b"},
    };
    expect_etag(call(primary, "TABLE.INSERT t p a PROPS 1 s %b", "a\0b", (size_t)3));
    expect_etag(call(primary, "TABLE.INSERT t p b PROPS 1 s a"));
    expect_etag(call(primary, "TABLE.INSERT t q a PROPS 1 s b"));
    for (int indexed = 0; indexed < 2; indexed++) {
        if (indexed) expect_ok(call(primary, "TABLE.INDEX t s"));
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
            redisReply *page = call(primary, "TABLE.QUERY t FILTER %b", rows[i].filter, rows[i].length);
            const char *found = keys_on(page);
            require(!strcmp(found, rows[i].rows), "row %zu finds %s", i, found);
        }
    }
    expect_error(call(primary, "TABLE.QUERY t FILTER %b", "s\0 eq 'a'", (size_t)9), BAD_INPUT " at 2:");
}

/* --- What every entity has --- */

TEST(keys_and_timestamps_in_filters) {
    static const char *const all = "p/a p/b q/a";
    static const struct {
        const char *filter, *rows;
    } filters[] = {
        {"PartitionKey eq 'p'", "p/a p/b"},
        {"PartitionKey ne 'p'", "q/a"},
        {"RowKey gt 'a'", "p/b"},
        {"'a' lt RowKey", "p/b"},
        {"not (RowKey eq 'a')", "p/b"},
        {"PartitionKey gt '' and RowKey le 'a'", "p/a q/a"},
        {"PartitionKey eq 'P'", ""},
        /* A key is a string: whatever is none counts as greater. */
        {"PartitionKey eq 1", ""},
        {"PartitionKey lt 1", "p/a p/b q/a"},
        {"RowKey ne 1", "p/a p/b q/a"},
        {"RowKey", ""},
        {"Timestamp", ""},
        {"Timestamp gt datetime'2020-01-01'", "p/a p/b q/a"},
        {"Timestamp lt datetime'2020-01-01'", ""},
        {"Timestamp lt '2'", "p/a p/b q/a"},
        {"partitionkey eq 'p'", ""},
    };
    written("TABLE.INSERT t p b PROPS 0");
    written("TABLE.INSERT t q a PROPS 0");
    written("TABLE.INSERT t p a PROPS 0");
    assert_string_equal(found(""), all);
    for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
        const char *rows = found_by(filters[i].filter);
        require(!strcmp(rows, filters[i].rows), "%s finds %s", filters[i].filter, rows);
    }
    assert_string_equal(found_by(pool_print("Timestamp eq datetime'%s'", timestamp_of("p a"))), "p/a");
    assert_string_equal(found_by(pool_print("Timestamp ge datetime'%s'", timestamp_of("q a"))), "p/a q/a");
}

/* --- Conditions on properties --- */

TEST(a_write_under_a_filter_needs_stock) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p r PROPS 2 stock:int32 1 colour red", NULL},
        {"TABLE.MERGE t p r IFMATCH * IF \"stock gt 0\" PROPS 1 stock:int32 0", NULL},
        {"TABLE.MERGE t p r IFMATCH * IF \"stock gt 0\" PROPS 1 stock:int32 -1", STALE_ENTITY},
        {"TABLE.REPLACE t p r IFMATCH * IF \"stock gt 0\" PROPS 1 stock:int32 -1", STALE_ENTITY},
        {"TABLE.DELETE t p r IFMATCH * IF \"stock gt 0\"", STALE_ENTITY},
        {"TABLE.DELETE t p r IFMATCH * IF \"none eq 1\"", STALE_ENTITY},
        {"TABLE.DELETE t p r IFMATCH * IF \"stock lt 0 or colour eq 'blue'\"", STALE_ENTITY},
        {"TABLE.DELETE t p r IFMATCH * IF \"RowKey eq 's'\"", STALE_ENTITY},
        {"TABLE.BATCH t p 3 INSERT a PROPS 0 MERGE r IFMATCH * IF \"stock gt 0\" PROPS 0 INSERT b PROPS 0",
         STALE_ENTITY " 1"},
        {"TABLE.BATCH t p 2 INSERT a PROPS 0 DELETE r IFMATCH * IF \"stock gt 0\"", STALE_ENTITY " 1"},
        {"TABLE.BATCH t p 2 INSERT a PROPS 0 REPLACE r IF \"stock eq 0\" IFMATCH * PROPS 1 stock:int32 7",
         NULL},
        {"TABLE.GET t p r", "[<etag>, [\"stock:int32\", 7]]"},
        {"TABLE.GET t p a", "[<etag>, []]"},
        {"TABLE.REPLACE t p r PROPS 1 stock:int32 8 IF \"not colour and RowKey eq 'r'\" IFMATCH *", NULL},
        {"TABLE.MERGE t p r IFMATCH * IF '' PROPS 0", NULL},
        {"TABLE.DELETE t p r IFMATCH * IF \"stock eq 8L\"", STALE_ENTITY},
        {"TABLE.DELETE t p r IFMATCH * IF \"stock eq 8\"", "OK"},
    };
    play_answers(rows);
}

/* The condition is judged by what is there when the command comes, so what is sold was there. */
TEST(sellers_at_once_never_sell_more_than_the_stock) {
    enum { STOCK = 40, BUYERS = 5, TRIES = 20 };
    struct client *buyers[BUYERS];
    int sold = 0;
    written(pool_print("TABLE.INSERT t p r PROPS 1 left:int32 %d", STOCK));
    for (int i = 0; i < BUYERS; i++) buyers[i] = test_client(primary->server);
    for (int attempt = 0; attempt < TRIES; attempt++) {
        for (int i = 0; i < BUYERS; i++)
            send_call(buyers[i], "TABLE.MERGE t p r IFMATCH * IF %s PROPS 1 left:int32 %d",
                      pool_print("left eq %d", STOCK - sold), STOCK - sold - 1);
        int granted = 0;
        for (int i = 0; i < BUYERS; i++) granted += !reply_is_error(receive(buyers[i]));
        assert_int_equal(granted, 1);
        sold += granted;
    }
    expect_shape(ask("TABLE.GET t p r"), pool_print("[<etag>, [\"left:int32\", %d]]", STOCK - TRIES));
}

/* --- The same whichever way --- */

enum { ENTITIES = 250, FILTERS = 500, COMPARISONS_MAX = 14, NAMES = 3 };

static const char *const keys[] = {"",     "a", "aa", "b", "\xc3\xa4", "\xef\xbd\x9e", "\xf0\x9f\x98\x80",
                                   "it''s"};
static const char *const names[NAMES] = {"n", "s", "m"};
static const char *const literals[] = {
    "0",
    "1",
    "2",
    "-1",
    "1L",
    "2L",
    "0.5",
    "1.0",
    "'a'",
    "'b'",
    "''",
    "'aa'",
    "true",
    "false",
    "X''",
    "X'61'",
    "'\xf0\x9f\x98\x80'",
    "'\xef\xbd\x9e'",
    "guid'aaaaaaaa-0000-4000-8000-000000000000'",
    "datetime'2000-01-01'",
    "datetime'2026-11-18'",
};
static const char *const stored[] = {
    ":int32 0",
    ":int32 1",
    ":int32 2",
    ":int32 -1",
    ":int64 1",
    ":int64 2",
    ":double 0.5",
    ":double 1",
    ":double NaN",
    " a",
    " b",
    " ''",
    " aa",
    ":bool true",
    ":bool false",
    ":binary ''",
    ":binary a",
    " \xf0\x9f\x98\x80",
    " \xef\xbd\x9e",
    ":guid AAAAAAAA-0000-4000-8000-000000000000",
    ":datetime 2000-01-01",
    ":datetime 2026-11-18",
};

#define ONE_OF(list) (list)[random_below(ARRAY_SIZE(list))]

/* A key as it is written in a command: without the quotes doubled. */
static const char *plain_key(void) {
    const char *key = ONE_OF(keys);
    return strcmp(key, "it''s") != 0 ? key : "it's";
}

static void fill_both(void) {
    static const char *const tables[] = {"t", "u"};
    for (int i = 0; i < ENTITIES; i++) {
        int count = random_below(NAMES + 1);
        const char *partition = plain_key(), *row = pool_print("%s%d", plain_key(), random_below(6));
        struct text props = {0};
        text_print(&props, "PROPS %d", count);
        for (int name = 0; name < NAMES && name < count; name++)
            text_print(&props, " %s%s", names[name], ONE_OF(stored));
        for (int table = 0; table < 2; table++) {
            struct words words = words_of_line("TABLE.INSERTORREPLACE");
            words_add(&words, tables[table]);
            words_add(&words, partition);
            words_add(&words, row);
            words_add_line(&words, props.bytes);
            expect_etag(call_words(primary, &words));
        }
    }
}

static const char *some_comparison(void) {
    static const char *const operators[] = {"eq", "eq", "ne", "gt", "ge", "lt", "le"};
    const char *word = ONE_OF(operators);
    switch (random_below(5)) {
    case 0: return pool_print("PartitionKey %s '%s'", word, ONE_OF(keys));
    case 1: return pool_print("RowKey %s '%s%d'", word, ONE_OF(keys), random_below(6));
    case 2:
        if (!random_below(4)) return ONE_OF(names);
        return pool_print("%s %s %s", ONE_OF(literals), word, ONE_OF(names));
    default: return pool_print("%s %s %s", ONE_OF(names), word, ONE_OF(literals));
    }
}

/* Of so many comparisons at most. */
static const char *some_filter(int max) {
    if (max == 1 || !random_below(3))
        return random_below(6) ? some_comparison() : pool_print("not (%s)", some_comparison());
    int left = 1 + random_below(max - 1);
    const char *one = some_filter(left), *other = some_filter(max - left);
    switch (random_below(4)) {
    case 0: return pool_print("%s and %s", one, other);
    case 1: return pool_print("(%s) or (%s)", one, other);
    case 2: return pool_print("(%s) and (%s)", one, other);
    default: return pool_print("%s or not (%s)", one, other);
    }
}

static const char *answer_of(const char *table, const char *filter) {
    struct text rows = EMPTY_TEXT;
    struct words words = words_of_line("TABLE.QUERY");
    words_add(&words, table);
    words_add(&words, "FILTER");
    words_add(&words, filter);
    words_add_line(&words, "SELECT 5 PartitionKey RowKey n s m TOP");
    words_add_number(&words, 1 + random_below(100));
    size_t asked = words.count;
    while (true) {
        redisReply *page = call_words(primary, &words);
        require(!reply_is_error(page), "%s gives %s", filter, reply_text(page));
        for (size_t i = 0; i < page->element[1]->elements; i++)
            text_print(&rows, "%s\n", reply_text(page->element[1]->element[i]->element[3]));
        const redisReply *next = page->element[0];
        if (reply_is_null(next)) return rows.bytes;
        words.count = asked;
        words_add(&words, "NEXT");
        for (int key = 0; key < 2; key++)
            words_add_bytes(&words, next->element[key]->str, next->element[key]->len);
    }
}

/* Chance alone would leave out some plan in one run of many. */
static const char *planned_filter(int round) {
    return round ? some_filter(1 + random_below(COMPARISONS_MAX)) : "PartitionKey eq 'a' and RowKey eq 'a1'";
}

/* The same filter, said so that no key and no index helps: nothing has a property `zz`. */
TEST(every_plan_gives_the_same_answer) {
    static const char *const plans[] = {"point", "range", "index", "scan", NULL};
    int seen[4] = {0, 0, 0, 0}, matching = 0;
    random_begin();
    expect_ok(call(primary, "TABLE.CREATE u"));
    expect_ok(call(primary, "TABLE.INDEX t n s m"));
    fill_both();
    for (int round = 0; round < FILTERS; round++) {
        const char *filter = planned_filter(round);
        const char *unplanned = pool_print("(%s) or zz eq 1", filter);
        const char *plan = plan_of(filter), *expected = answer_of("u", unplanned);
        assert_string_equal(field(explained(primary, "u", unplanned), "plan")->str, "scan");
        for (int kind = 0; plans[kind]; kind++) seen[kind] += !strcmp(plan, plans[kind]);
        matching += *expected != '\0';
        const char *answer = answer_of("t", filter);
        require(!strcmp(answer, expected), "%s, by %s, gives\n%sbut without a plan\n%s", filter, plan, answer,
                expected);
        assert_string_equal(answer_of("u", filter), expected);
    }
    print_message("# %d points, %d ranges, %d by index, %d scans, %d with matches\n", seen[0], seen[1],
                  seen[2], seen[3], matching);
    for (int kind = 0; plans[kind]; kind++) require(seen[kind] > 0, "no plan was %s", plans[kind]);
    assert_true(matching > FILTERS / 4);
}
