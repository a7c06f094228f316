/* Tables as the storage service's users know them, continued: queries and batches. See test_table_scenarios.c. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "tables.h"
#include "text.h"
#include "traces.h"

/* --- Queries --- */

/* One page of `TABLE.QUERY t ...`: its rows, and the clause that asks for the next one; empty at the end. */
static redisReply *page_of(const char *rest, const char **next) {
    redisReply *page = ask(pool_print("TABLE.QUERY t %s %s", rest, *next ? *next : ""));
    require(!reply_is_error(page), "%s gives %s", rest, reply_text(page));
    const redisReply *keys = page->element[0];
    *next = reply_is_null(keys)
                ? ""
                : pool_print("NEXT \"%s\" \"%s\"", keys->element[0]->str, keys->element[1]->str);
    return page->element[1];
}

TEST(scenario_22_pages_of_a_thousand) {
    const char *next = NULL;
    table_setup();
    fill_table(primary, 2500);
    redisReply *first = expect_elements(page_of("", &next), 1000);
    expect_text(first->element[999]->element[1], "000999");
    assert_string_equal(next, "NEXT \"p\" \"001000\"");
    /* The entity at which to go on goes; one is added behind what was read, one in front of it. */
    expect_ok(ask("TABLE.DELETE t p 001000 IFMATCH *"));
    written("TABLE.INSERT t p 000500a PROPS 0");
    written("TABLE.INSERT t p 001500a PROPS 0");
    redisReply *second = expect_elements(page_of("", &next), 1000);
    expect_text(second->element[0]->element[1], "001001");
    expect_text(second->element[999]->element[1], "001999");
    redisReply *third = expect_elements(page_of("", &next), 500);
    expect_text(third->element[499]->element[1], "002499");
    assert_string_equal(next, "");
}

TEST(scenario_23_three_of_seven) {
    static const size_t counts[] = {3, 3, 1};
    const char *next = NULL;
    table_setup();
    fill_table(primary, 7);
    for (int page = 0; page < 3; page++) {
        expect_elements(page_of("TOP 3", &next), counts[page]);
        assert_int_equal(!*next, page == 2);
    }
}

/* A page that finds nothing still leads on; what is pinned is found at once. */
TEST(scenario_24_matches_that_lie_far_away) {
    int pages;
    table_setup();
    fill_table(primary, 70000);
    redisReply *page = ask("TABLE.QUERY t FILTER \"n eq 69999\" TOP 1");
    expect_elements(page->element[1], 0);
    assert_true(strcmp(expect_elements(page->element[0], 2)->element[1]->str, "000000") > 0);
    assert_string_equal(found_at(primary, "FILTER \"n eq 69999\" TOP 1", &pages), "p/069999");
    assert_true(pages > 1 && pages < 1000);
    assert_string_equal(found_at(primary, "FILTER \"PartitionKey eq 'p' and RowKey ge '069999'\"", &pages),
                        "p/069999");
    assert_int_equal(pages, 1);
}

TEST(scenario_25_what_binds_closer) {
    /* Bits a, b and c of each row. */
    static const struct {
        const char *filter, *rows;
    } filters[] = {
        {"a or b and c", "p/011 p/100 p/101 p/110 p/111"},
        {"b and c or a", "p/011 p/100 p/101 p/110 p/111"},
        {"(a or b) and c", "p/011 p/101 p/111"},
        {"not a and b", "p/010 p/011"},
        {"not (a and b)", "p/000 p/001 p/010 p/011 p/100 p/101"},
        {"not a or b and not c", "p/000 p/001 p/010 p/011 p/110"},
        {"((a) and (((b) or c)))", "p/101 p/110 p/111"},
        {"not not a", "p/100 p/101 p/110 p/111"},
        {"a eq true or b eq true and c eq true", "p/011 p/100 p/101 p/110 p/111"},
        {"not a eq true and b eq true", "p/010 p/011"},
        {"", "p/000 p/001 p/010 p/011 p/100 p/101 p/110 p/111"},
    };
    table_setup();
    for (int row = 0; row < 8; row++) {
        const char *bits = pool_print("%d%d%d", row >> 2 & 1, row >> 1 & 1, row & 1);
        written(pool_print("TABLE.INSERT t p %s PROPS 3 a:bool %c b:bool %c c:bool %c", bits, bits[0],
                           bits[1], bits[2]));
    }
    for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
        const char *rows = found_by(filters[i].filter);
        require(!strcmp(rows, filters[i].rows), "%s finds %s", filters[i].filter, rows);
    }
}

static const char *comparisons(int count, const char *between) {
    struct text text = {0};
    for (int i = 0; i < count; i++) text_print(&text, "%sn ne %d", i ? between : "", i);
    return text.bytes;
}

TEST(scenario_26_what_a_filter_may_be) {
    static const char *const refused[] = {"n eq null",     "startswith(name,'a')",
                                          "n add 1 eq 2",  "n eq n",
                                          "name eq '*' *", "n AND n",
                                          "n eq True",     NULL};
    table_setup();
    expect_etag(call(primary, "TABLE.INSERT t p r PROPS 2 n:int32 99 name %s", "O'Neil"));
    assert_string_equal(found_by(comparisons(15, " and ")), "p/r");
    assert_string_equal(found_by(comparisons(15, " or ")), "p/r");
    expect_error(call(primary, "TABLE.QUERY t FILTER %s", comparisons(16, " and ")), BAD_INPUT);
    expect_error(call(primary, "TABLE.QUERY t FILTER %s", comparisons(16, " or ")), BAD_INPUT);
    for (const char *const *filter = refused; *filter; filter++)
        expect_error(call(primary, "TABLE.QUERY t FILTER %s", *filter), BAD_INPUT);
    expect_error(call(primary, "TABLE.QUERY t FILTER %s", "1 eq 1"), "INVALID NotImplemented");
    assert_string_equal(found_by("name eq 'O''Neil'"), "p/r");
    assert_string_equal(found_by("99 eq n and 98 lt n and 'O' le name"), "p/r");
    assert_string_equal(found_by("99 lt n"), "");
}

/* Eight stored types by eight types of literals by six operators. */
TEST(scenario_27_types_that_meet) {
    static const struct {
        const char *name, *value, *literal, *greater;
    } types[] = {
        {"s", "s 5", "'5'", "'6'"},
        {"i", "i:int32 5", "5", "6"},
        {"l", "l:int64 5", "5L", "6L"},
        {"d", "d:double 5", "5.0", "6.0"},
        {"b", "b:bool false", "false", "true"},
        {"t", "t:datetime 2005-01-01", "datetime'2005-01-01T00:00:00Z'", "datetime'2006-01-01T00:00:00Z'"},
        {"g", "g:guid 55555555-0000-4000-8000-000000000000", "guid'55555555-0000-4000-8000-000000000000'",
         "guid'66666666-0000-4000-8000-000000000000'"},
        {"x", "x:binary 5", "X'35'", "binary'36'"}};
    enum { TYPES = ARRAY_SIZE(types), OPERATORS = 6 };
    static const struct {
        const char *word;
        bool if_equal, if_less; /* and less is what a mismatch counts as */
    } operators[OPERATORS] = {{"eq", true, false}, {"ne", false, true}, {"gt", false, false},
                              {"ge", true, false}, {"lt", false, true}, {"le", true, true}};
    static const char *const converted[] = {"l 5", "d 5", "d 5L", NULL};
    struct text line = {0};
    table_setup();
    text_print(&line, "TABLE.INSERT t p r PROPS %d", TYPES);
    for (int type = 0; type < TYPES; type++) text_print(&line, " %s", types[type].value);
    written(line.bytes);
    for (int stored = 0; stored < TYPES; stored++) {
        for (int literal = 0; literal < TYPES; literal++) {
            bool meets =
                stored == literal ||
                text_is_one_of(pool_print("%s %s", types[stored].name, types[literal].literal), converted);
            for (int i = 0; i < OPERATORS; i++) {
                bool equal = operators[i].if_equal, less = operators[i].if_less;
                const char *format = "%s %s %s";
                const char *filter =
                    pool_print(format, types[stored].name, operators[i].word, types[literal].literal);
                bool holds = *found_by(filter);
                require(holds == (meets ? equal : less), "%s is %d", filter, holds);
                filter = pool_print(format, types[stored].name, operators[i].word, types[literal].greater);
                holds = *found_by(filter);
                require(holds == less, "%s is %d", filter, holds);
            }
        }
    }
}

TEST(scenario_28_properties_that_are_missing) {
    static const char *const operators[] = {"eq", "ne", "gt", "ge", "lt", "le", NULL};
    static const char *const literals[] = {"1",
                                           "1L",
                                           "1.0",
                                           "'x'",
                                           "''",
                                           "false",
                                           "true",
                                           "X''",
                                           "guid'00000000-0000-0000-0000-000000000000'",
                                           "datetime'1601-01-01T00:00:00Z'",
                                           NULL};
    table_setup();
    written("TABLE.INSERT t p r PROPS 2 there x flag:bool true");
    for (const char *const *word = operators; *word; word++) {
        for (const char *const *literal = literals; *literal; literal++) {
            const char *filter = pool_print("P %s %s", *word, *literal);
            require(!*found_by(filter), "%s holds", filter);
            require(*found_by(pool_print("not (%s)", filter)), "not (%s) does not hold", filter);
            require(*found_by(pool_print("not %s and flag", filter)), "not %s does not hold", filter);
        }
    }
    assert_string_equal(found_by("P"), "");
    assert_string_equal(found_by("not P"), "p/r");
    assert_string_equal(found_by("there"), "");
    assert_string_equal(found_by("flag"), "p/r");
}

TEST(scenario_29_selecting) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p r PROPS 3 a 1 b:int32 2 c 3", NULL},
        {"TABLE.GET t p r SELECT 2 b none", "[<etag>, [\"b:int32\", 2]]"},
        {"TABLE.GET t p r SELECT 1 none", "[<etag>, []]"},
        {"TABLE.GET t p r SELECT 3 b b a", "[<etag>, [\"a\", \"1\", \"b:int32\", 2]]"},
        {"TABLE.GET t p r SELECT 2 RowKey PartitionKey",
         "[<etag>, [\"PartitionKey\", \"p\", \"RowKey\", \"r\"]]"},
        {"TABLE.GET t p r SELECT 1 *", "[<etag>, [\"a\", \"1\", \"b:int32\", 2, \"c\", \"3\"]]"},
        {"TABLE.GET t p r SELECT 3 RowKey * b",
         "[<etag>, [\"RowKey\", \"r\", \"a\", \"1\", \"b:int32\", 2, \"c\", \"3\"]]"},
        {"TABLE.QUERY t SELECT 2 * PartitionKey", "[null, [[\"p\", \"r\", <etag>, [\"PartitionKey\", \"p\", "
                                                  "\"a\", \"1\", \"b:int32\", 2, \"c\", \"3\"]]]]"},
        {"TABLE.GET t p r SELECT 1 **", "INVALID PropertyNameInvalid"},
        {"TABLE.QUERY t FILTER \"b eq 2\" SELECT 1 c", "[null, [[\"p\", \"r\", <etag>, [\"c\", \"3\"]]]]"},
        {"TABLE.QUERY t FILTER \"b eq 3\" SELECT 1 c", "[null, []]"},
        {"TABLE.QUERY t SELECT 2 c none FILTER \"a ge '1'\"",
         "[null, [[\"p\", \"r\", <etag>, [\"c\", \"3\"]]]]"},
        {"TABLE.QUERY t SELECT 1 b:int32", "INVALID PropertyNameInvalid"},
        {"TABLE.QUERY t SELECT 2 b", "ERR syntax error near 'SELECT'"},
    };
    table_setup();
    play_answers(rows);
}

/* --- Batches --- */

static struct words batch_of_inserts(int count) {
    struct words words = words_of_line(pool_print("TABLE.BATCH t p %d", count));
    for (int row = 0; row < count; row++)
        words_add_line(&words, pool_print("INSERT %03d PROPS 1 mark x", row));
    return words;
}

TEST(scenario_30_a_hundred_inserts_at_once) {
    enum { ROUNDS = 30 };
    struct client *writer = test_client(primary->server);
    table_setup();
    for (int round = 0; round < ROUNDS; round++) {
        struct words words = batch_of_inserts(100);
        send_words(writer, &words);
        send_now(writer);
        for (size_t seen = 0; seen < 100;) {
            seen = ask("TABLE.QUERY t FILTER \"PartitionKey eq 'p'\"")->element[1]->elements;
            require(seen == 0 || seen == 100, "%zu of 100 are seen", seen);
        }
        redisReply *etags = expect_elements(receive(writer), 100);
        for (size_t i = 1; i < 100; i++)
            assert_true(strcmp(expect_etag(etags->element[i]), expect_etag(etags->element[i - 1])) > 0);
        expect_ok(ask("TABLE.DROP t"));
        table_setup();
    }
}

TEST(scenario_31_one_that_fails_undoes_all) {
    table_setup();
    const char *etag = written("TABLE.INSERT t p there PROPS 1 a 1"), *stamp = timestamp_of("p there");
    step_play(
        "TABLE.BATCH t p 5 INSERT r0 PROPS 0 MERGE there IFMATCH * PROPS 1 a 2 INSERTORREPLACE r2 PROPS 0 "
        "REPLACE none IFMATCH * PROPS 0 INSERT r4 PROPS 0",
        "NOTFOUND ResourceNotFound 3", 0);
    step_play(
        "TABLE.BATCH t p 4 DELETE there IFMATCH * INSERT r1 PROPS 0 INSERT r2 PROPS 0 MERGE r3 IFMATCH * "
        "PROPS 0",
        "NOTFOUND ResourceNotFound 3", 0);
    expect_text(ask("TABLE.GET t p there")->element[0], etag);
    assert_string_equal(timestamp_of("p there"), stamp);
    assert_string_equal(found(""), "p/there");
}

TEST(scenario_32_each_entity_once) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p there PROPS 0", NULL},
        {"TABLE.BATCH t p 3 INSERT a PROPS 0 INSERT b PROPS 0 INSERT a PROPS 0",
         "INVALID InvalidDuplicateRow 2"},
        {"TABLE.BATCH t p 2 DELETE there IFMATCH * INSERT there PROPS 0", "INVALID InvalidDuplicateRow 1"},
        {"TABLE.BATCH t p 4 INSERT a PROPS 0 INSERT b PROPS 0 INSERT b PROPS 0 INSERT a PROPS 0",
         "INVALID InvalidDuplicateRow 2"},
        {"TABLE.BATCH t p 2 INSERTORMERGE '' PROPS 0 INSERTORMERGE '' PROPS 0",
         "INVALID InvalidDuplicateRow 1"},
        /* Keys that run together are not the same key. */
        {"TABLE.BATCH t a 2 INSERT bc PROPS 0 INSERT c PROPS 0", NULL},
        {"TABLE.BATCH t ab 2 INSERT c PROPS 0 INSERT bc PROPS 0", NULL},
    };
    table_setup();
    play_answers(rows);
    assert_string_equal(found(""), "a/bc a/c ab/bc ab/c p/there");
}

/* Another partition cannot even be said. */
TEST(scenario_33_one_partition_and_up_to_a_hundred) {
    static const struct answered rows[] = {
        {"TABLE.BATCH t p 1 INSERT r PROPS 2 PartitionKey q a b", BAD_INPUT " 0"},
        {"TABLE.BATCH t p 0", BAD_INPUT},
        {"TABLE.BATCH t p 0 INSERT r PROPS 0", BAD_INPUT},
        {"TABLE.BATCH t p -1 INSERT r PROPS 0", BAD_INPUT},
        {"TABLE.BATCH none p 0", BAD_INPUT},
    };
    table_setup();
    play_answers(rows);
    struct words words = batch_of_inserts(101);
    traces_begin("none");
    expect_error(call_words(primary, &words), BAD_INPUT);
    traces_require_none();
    words = batch_of_inserts(100);
    expect_elements(call_words(primary, &words), 100);
    step_play("TABLE.BATCH t q 1 INSERT r PROPS 0", "[<etag>]", 0);
}

TEST(scenario_34_one_stale_etag_undoes_the_upserts) {
    table_setup();
    const char *stale = written("TABLE.INSERT t p r PROPS 1 a 1");
    written("TABLE.MERGE t p r IFMATCH * PROPS 1 a 2");
    step_play(
        pool_print("TABLE.BATCH t p 3 INSERTORREPLACE u PROPS 0 INSERTORMERGE v PROPS 0 MERGE r IFMATCH %s "
                   "PROPS 1 a 3",
                   stale),
        STALE_ENTITY " 2", 0);
    assert_string_equal(found(""), "p/r");
    expect_shape(ask("TABLE.GET t p r"), "[<etag>, [\"a\", \"2\"]]");
}

TEST(scenario_35_a_batch_for_a_table_that_is_not_there) {
    step_play("TABLE.BATCH none p 2 INSERT r PROPS 0 INSERT s PROPS 0", NO_TABLE " 0", 0);
    step_play("TABLE.BATCH none p 2 INSERT r PROPS 0 INSERT r PROPS 0", "INVALID InvalidDuplicateRow 1", 0);
    expect_number(call(primary, "EXISTS none"), 0);
}
