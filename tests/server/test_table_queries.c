/* Queries: the order of keys, pages and their continuation whatever goes on meanwhile, plans and what EXPLAIN says. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "random.h"
#include "tables.h"
#include "text.h"
#include "traces.h"
#include "wire.h"

/* --- Order --- */

/* In the order of UTF-16 code units, which is not that of the bytes: what lies beyond the first plane
 * comes before U+E000. */
static const char *const in_order[] = {
    "",
    "\"",
    "A",
    "Z",
    "a",
    "aa",
    "b",
    "\xc2\xa0",
    "\xc3\xa4",
    "\xed\x9f\xbf",
    "\xf0\x90\x80\x80",
    "\xf0\x9f\x98\x80",
    "\xf0\x9f\x98\x80\xf0\x9f\x98\x80",
    "\xf0\x9f\x98\x81",
    "\xf4\x8f\xbf\xbf",
    "\xee\x80\x80",
    "\xef\xbd\x9e",
    "\xef\xbf\xbd",
};

enum { KEYS = ARRAY_SIZE(in_order) };

static void expect_keys(const redisReply *rows, int from, int to) {
    require(rows->elements == (size_t)(to - from), "%s instead of %d to %d", reply_text(rows), from, to);
    for (int i = from; i < to; i++) {
        const redisReply *key = rows->element[i - from]->element[1];
        require(key->len == strlen(in_order[i]) && !memcmp(key->str, in_order[i], key->len),
                "%s stands where %s should", reply_text(key), text_quoted(in_order[i], strlen(in_order[i])));
    }
}

static redisReply *rows_of(const char *format, const char *key) {
    redisReply *page = call(primary, "TABLE.QUERY t FILTER %s", pool_print(format, key));
    require(reply_is_null(expect_elements(page, 2)->element[0]), "%s goes on", format);
    return page->element[1];
}

BEFORE_EACH {
    table_setup();
}

TEST(keys_stand_in_the_order_of_code_units) {
    random_begin();
    int places[KEYS];
    for (int i = 0; i < KEYS; i++) places[i] = i;
    for (int i = KEYS - 1; i > 0; i--) {
        int other = random_below(i + 1), kept = places[i];
        places[i] = places[other];
        places[other] = kept;
    }
    for (int i = 0; i < KEYS; i++) {
        const char *key = in_order[places[i]];
        expect_etag(call(primary, "TABLE.INSERT t r %s PROPS 1 s %s", key, key));
        expect_etag(call(primary, "TABLE.INSERT t %s p PROPS 0", pool_print("x%s", key)));
    }
    for (int i = 0; i < KEYS; i++) {
        const char *key = in_order[i];
        expect_keys(rows_of("PartitionKey eq 'r' and RowKey lt '%s'", key), 0, i);
        expect_keys(rows_of("PartitionKey eq 'r' and RowKey le '%s'", key), 0, i + 1);
        expect_keys(rows_of("PartitionKey eq 'r' and RowKey gt '%s'", key), i + 1, KEYS);
        expect_keys(rows_of("PartitionKey eq 'r' and RowKey ge '%s'", key), i, KEYS);
        expect_keys(rows_of("s ge '%s'", key), i, KEYS);
        expect_keys(rows_of("s lt '%s'", key), 0, i);
        require(rows_of("PartitionKey gt 'x%s'", key)->elements == (size_t)(KEYS - 1 - i), "not so many");
        require(rows_of("PartitionKey ge 'x%s' and PartitionKey lt 'y'", key)->elements == (size_t)(KEYS - i),
                "not so many");
    }
    expect_ok(ask("TABLE.INDEX t s"));
    await_index(primary, "t", "s");
    for (int i = 0; i < KEYS; i++) expect_keys(rows_of("s ge '%s'", in_order[i]), i, KEYS);
}

/* Every key that a query can answer leads on from there, the empty one and those with quotes among them. */
TEST(pages_continue_at_any_key) {
    static const char *const all[] = {"", "'", "''", "it's", "\"", "NEXT", "TOP", "%27", "a b"};
    enum { COUNT = ARRAY_SIZE(all) };
    for (int i = 0; i < KEYS; i++) {
        expect_etag(call(primary, "TABLE.INSERT t %s %s PROPS 0", in_order[i], in_order[KEYS - 1 - i]));
        expect_etag(call(primary, "TABLE.INSERT t %s x PROPS 0", in_order[i]));
    }
    for (int i = 0; i < COUNT; i++)
        for (int row = 0; row < COUNT; row++)
            expect_etag(call(primary, "TABLE.INSERTORREPLACE t %s %s PROPS 0", all[i], all[row]));
    int one_by_one, at_once;
    const char *rows = found_at(primary, "TOP 1", &one_by_one);
    assert_string_equal(rows, found_at(primary, "", &at_once));
    assert_int_equal(at_once, 1);
    assert_true(one_by_one >= COUNT * COUNT + KEYS);
}

TEST(pages_continue_where_no_entity_is) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t b b PROPS 0", NULL},
        {"TABLE.INSERT t d '' PROPS 0", NULL},
        {"TABLE.QUERY t NEXT a z", "[null, [[\"b\", \"b\", <etag>, []], [\"d\", \"\", <etag>, []]]]"},
        {"TABLE.QUERY t NEXT b a", "[null, [[\"b\", \"b\", <etag>, []], [\"d\", \"\", <etag>, []]]]"},
        {"TABLE.QUERY t NEXT b b", "[null, [[\"b\", \"b\", <etag>, []], [\"d\", \"\", <etag>, []]]]"},
        {"TABLE.QUERY t NEXT b c", "[null, [[\"d\", \"\", <etag>, []]]]"},
        {"TABLE.QUERY t NEXT d ''", "[null, [[\"d\", \"\", <etag>, []]]]"},
        {"TABLE.QUERY t NEXT d a", "[null, []]"},
        {"TABLE.QUERY t NEXT z z", "[null, []]"},
        {"TABLE.QUERY t FILTER \"PartitionKey eq 'b'\" NEXT c ''", "[null, []]"},
        {"TABLE.QUERY t FILTER \"PartitionKey eq 'b' and RowKey eq 'b'\" NEXT b b",
         "[null, [[\"b\", \"b\", <etag>, []]]]"},
        {"TABLE.QUERY t FILTER \"PartitionKey eq 'b' and RowKey eq 'b'\" NEXT b bb", "[null, []]"},
        {"TABLE.QUERY t FILTER \"PartitionKey eq 'd'\" NEXT a a", "[null, [[\"d\", \"\", <etag>, []]]]"},
        {"TABLE.QUERY t NEXT b", "ERR syntax error near 'NEXT'"},
        {"TABLE.QUERY t NEXT 513*k r", BAD_INPUT},
        {"TABLE.QUERY t NEXT b \xff", BAD_INPUT},
    };
    play_answers(rows);
}

/* --- Pages --- */

TEST(pages_have_as_many_rows_as_top_allows) {
    static const struct {
        const char *top;
        size_t rows;
    } pages[] = {
        {"", 1000},         {"TOP 1", 1},       {"TOP 3", 3},       {"TOP 999", 999},
        {"TOP 1000", 1000}, {"TOP 1001", 1000}, {"TOP 5000", 1000}, {"TOP 9223372036854775807", 1000}};
    static const char *const refused[] = {"TABLE.QUERY t TOP -1",
                                          "TABLE.QUERY t TOP x",
                                          "TABLE.QUERY t TOP ''",
                                          "TABLE.QUERY t TOP 1.5",
                                          "TABLE.QUERY t TOP 9223372036854775808",
                                          "TABLE.QUERY none TOP -1",
                                          NULL};
    fill_table(primary, 1500);
    for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
        redisReply *page = ask(pool_print("TABLE.QUERY t %s", pages[i].top));
        expect_elements(page->element[1], pages[i].rows);
        expect_shape(page->element[0], pool_print("[\"p\", \"%06zu\"]", pages[i].rows));
    }
    expect_shape(ask("TABLE.QUERY t TOP 0"), "[null, []]");
    expect_shape(ask("TABLE.QUERY t TOP 0 FILTER \"n eq 5\""), "[null, []]");
    traces_begin("");
    expect_each_error(primary, refused, BAD_INPUT);
    traces_require_none();
    /* Where exactly as many rows are left, nothing is left. */
    expect_null(ask("TABLE.QUERY t NEXT p 000500")->element[0]);
    expect_null(ask("TABLE.QUERY t FILTER \"RowKey ge '001490'\" TOP 10")->element[0]);
    expect_shape(ask("TABLE.QUERY t NEXT p 000499")->element[0], "[\"p\", \"001499\"]");
}

TEST(a_page_has_so_many_bytes) {
    enum { ENTITIES = 12, PART = 65000 };
    int pages;
    char *part = pool_take(PART);
    for (int row = 0; row < ENTITIES; row++) {
        struct words words = words_of_line(pool_print("TABLE.INSERT t p %02d PROPS 15", row));
        for (int number = 0; number < 15; number++) {
            words_add(&words, pool_print("b%d:binary", number));
            words_add_bytes(&words, part, PART);
        }
        expect_etag(call_words(primary, &words));
    }
    const char *rows = found_at(primary, "", &pages);
    assert_string_equal(rows, "p/00 p/01 p/02 p/03 p/04 p/05 p/06 p/07 p/08 p/09 p/10 p/11");
    assert_true(pages >= 2 && pages <= ENTITIES);
}

/* --- While others write --- */

enum { STABLE = 600, VOLATILE = 600, ROUNDS = 8 };

static bool volatile_there[VOLATILE];

static void write_something(struct client *writer) {
    for (int count = random_below(30); count > 0; count--) {
        int number = random_below(VOLATILE);
        if (volatile_there[number])
            expect_ok(call(writer, "TABLE.DELETE t p %05dv IFMATCH *", number));
        else
            expect_etag(call(writer, "TABLE.INSERT t p %05dv PROPS 1 n:int32 %d", number, number % 7));
        volatile_there[number] = !volatile_there[number];
    }
}

/* Whether a stable row matches: those are the rows without a letter. */
static bool is_wanted(int number, const char *filter) {
    return !strstr(filter, "n ") || number % 7 == 3;
}

/* Marks what was answered. Keys must grow: so nothing comes twice. */
static void note_rows(const redisReply *rows, char *seen, const char **last) {
    for (size_t i = 0; i < rows->elements; i++) {
        const char *row = rows->element[i]->element[1]->str;
        require(strcmp(row, *last) > 0, "%s after %s", row, *last);
        *last = row;
        if (!strchr(row, 'v')) seen[atoi(row)] = 1;
    }
}

static void walk_under_change(const char *filter, struct client *writer) {
    const char *next = "", *last = "";
    char seen[STABLE];
    memset(seen, 0, sizeof(seen));
    while (next) {
        redisReply *page =
            ask(pool_print("TABLE.QUERY t FILTER \"%s\" TOP %d %s", filter, 1 + random_below(60), next));
        require(!reply_is_error(page), "%s gives %s", filter, reply_text(page));
        note_rows(page->element[1], seen, &last);
        bool is_last = reply_is_null(page->element[0]);
        next = is_last ? NULL : pool_print("NEXT p %s", page->element[0]->element[1]->str);
        /* Now and then just the entity with which to go on. */
        if (next && strchr(next, 'v') && random_below(2)) {
            int number = atoi(page->element[0]->element[1]->str);
            if (volatile_there[number]) expect_ok(call(writer, "TABLE.DELETE t p %05dv IFMATCH *", number));
            volatile_there[number] = false;
        }
        write_something(writer);
    }
    for (int number = 0; number < STABLE; number++)
        require(seen[number] == is_wanted(number, filter), "%s: row %d was%s seen", filter, number,
                seen[number] ? "" : " not");
}

TEST(pages_of_a_query_have_each_row_once) {
    static const char *const filters[] = {"",
                                          "PartitionKey eq 'p'",
                                          "n eq 3",
                                          "PartitionKey eq 'p' and n eq 3",
                                          "n eq 3 or n eq 3L",
                                          "n ge 3 and n lt 4",
                                          NULL};
    struct client *writer = test_client(primary->server);
    random_begin();
    memset(volatile_there, 0, sizeof(volatile_there));
    for (int number = 0; number < STABLE; number++)
        written(pool_print("TABLE.INSERT t p %05d PROPS 1 n:int32 %d", number, number % 7));
    for (int round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS / 2) expect_ok(ask("TABLE.INDEX t n"));
        for (const char *const *filter = filters; *filter; filter++) walk_under_change(*filter, writer);
    }
    assert_string_equal(plan_of("n eq 3"), "index");
}

/* --- Plans --- */

static const struct {
    const char *filter, *plan;
    int ranges, estimated; /* -1: whatever it is */
} plans[] = {
    {"", "scan", 1, 1000},
    {"n eq 5", "scan", 1, 1000},
    {"RowKey eq '000005'", "scan", 1, 1000},
    {"not (PartitionKey eq 'p')", NULL, -1, -1},
    {"PartitionKey eq 'p'", "range", 1, 1000},
    {"PartitionKey eq 'q'", "range", 1, 0},
    {"'p' eq PartitionKey", "range", 1, 1000},
    {"PartitionKey ge 'p'", "range", 1, 1000},
    {"PartitionKey gt 'p'", "range", 1, 0},
    {"PartitionKey eq 'p' and RowKey eq '000005'", "point", 1, 1},
    {"RowKey eq '000005' and PartitionKey eq 'p' and n eq 7", "point", 1, 1},
    {"(PartitionKey eq 'p') and ((RowKey eq '000005'))", "point", 1, 1},
    {"PartitionKey eq 'p' and (RowKey eq '000005' or RowKey eq '000007')", "point", 2, 2},
    {"PartitionKey eq 'p' and RowKey eq '000005' or PartitionKey eq 'p' and RowKey eq '000007'", "point", 2,
     2},
    {"PartitionKey eq 'p' and RowKey ge '000100'", "range", 1, 900},
    {"PartitionKey eq 'p' and RowKey ge '000100' and RowKey lt '000200'", "range", 1, 100},
    {"PartitionKey eq 'p' and RowKey gt '000100' and RowKey le '000200'", "range", 1, 100},
    {"PartitionKey eq 'p' and (RowKey lt '000010' or RowKey ge '000990')", "range", 2, 20},
    {"PartitionKey eq 'p' and not (RowKey ge '000010')", "range", 1, 10},
    {"(PartitionKey eq 'p' and RowKey lt '000010') or (PartitionKey eq 'q' and RowKey lt '5')", "range", 2,
     10},
    {"PartitionKey eq 'p' and PartitionKey eq 'q'", NULL, 0, 0},
    {"PartitionKey eq 'p' or n eq 5", "scan", 1, 1000},
};

TEST(explain_says_what_will_be_walked) {
    fill_table(primary, 1000);
    for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
        const char *filter = plans[i].filter;
        redisReply *told = explained(primary, "t", filter);
        const char *plan = field(told, "plan")->str;
        require(!plans[i].plan || !strcmp(plan, plans[i].plan), "%s: %s", filter, reply_text(told));
        if (plans[i].ranges < 0) continue;
        require(field(told, "ranges")->integer == plans[i].ranges &&
                    field(told, "entities-estimated")->integer == plans[i].estimated,
                "%s: %s", filter, reply_text(told));
        require(!reply_field_if_any(told, "index"), "%s: %s", filter, reply_text(told));
    }
    expect_shape(wire_call(wire_open_resp3(primary->server), "TABLE.QUERY t EXPLAIN"),
                 "{\"plan\": \"scan\", \"ranges\": 1, \"entities-estimated\": 1000}");
    expect_shape(ask("TABLE.QUERY t EXPLAIN TOP 5 SELECT 1 a NEXT p x"),
                 "[\"plan\", \"scan\", \"ranges\", 1, \"entities-estimated\", 1000]");
}

TEST(explain_names_the_index) {
    static const struct {
        const char *filter, *plan, *index;
        int estimated;
    } rows[] = {
        {"n eq 5", "index", "n", 1},
        {"5 eq n", "index", "n", 1},
        {"ten eq 5", "index", "ten", 100},
        {"ten eq 5 and n eq 5", "index", "n", 1},
        {"PartitionKey eq 'p' and n eq 5", "index", "n", 1},
        {"n eq 5 or n eq 6 or n eq 7L", "index", "n", 2},
        {"n ge 10 and n lt 20", "index", "n", 10},
        {"n eq 5 and PartitionKey eq 'p' and RowKey eq '000005'", "point", NULL, 1},
        {"n eq 5 or ten eq 3", "scan", NULL, 1000},
        {"none eq 5", "scan", NULL, 1000},
    };
    expect_ok(ask("TABLE.INDEX t n ten"));
    fill_table(primary, 1000);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        redisReply *told = explained(primary, "t", rows[i].filter),
                   *named = reply_field_if_any(told, "index");
        bool is_told = !strcmp(field(told, "plan")->str, rows[i].plan) && !named == !rows[i].index &&
                       (!named || !strcmp(named->str, rows[i].index)) &&
                       field(told, "entities-estimated")->integer == rows[i].estimated;
        require(is_told, "%s: %s", rows[i].filter, reply_text(told));
    }
    assert_string_equal(found_by("n ge 10 and n lt 13"), "p/000010 p/000011 p/000012");
    assert_string_equal(found_by("n eq 12 or n eq 3 or n eq 7"), "p/000003 p/000007 p/000012");
}

TEST(answers_by_index_stand_in_the_order_of_keys) {
    random_begin();
    expect_ok(ask("TABLE.INDEX t v"));
    for (int i = 0; i < 300; i++)
        written(pool_print("TABLE.INSERTORREPLACE t p %03d PROPS 1 v:int32 %d", random_below(1000),
                           random_below(5)));
    static const char *const filters[] = {"v eq 1", "v ge 1 and v le 3", "v eq 1 or v eq 4", "v lt 2", NULL};
    for (const char *const *filter = filters; *filter; filter++) {
        const char *last = "", *const rows = found(pool_print("FILTER \"%s\" TOP 7", *filter));
        struct words keys = words_of_line(rows);
        assert_true(keys.count > 10);
        for (size_t i = 0; i < keys.count; i++) {
            require(strcmp(keys.word[i], last) > 0, "%s: %s after %s", *filter, keys.word[i], last);
            last = keys.word[i];
        }
    }
}
