/* Tables as the storage service's users know them, continued from test_table_scenarios.c: queries and batches. More of
 * them is in test_table_queries.c and test_table_batches.c, and, without a server, in test_filter_match.c. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "tables.h"
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

BEFORE_EACH {
    table_setup();
}

TEST(pages_of_a_thousand) {
    const char *next = NULL;
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

/* A page that finds nothing still leads on; what is pinned is found at once. */
TEST(matches_that_lie_far_away) {
    int pages;
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

TEST(selecting_properties) {
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
    play_answers(rows);
}

/* --- Batches --- */

static struct words batch_of_inserts(int count) {
    struct words words = words_of_line(pool_print("TABLE.BATCH t p %d", count));
    for (int row = 0; row < count; row++)
        words_add_line(&words, pool_print("INSERT %03d PROPS 1 mark x", row));
    return words;
}

TEST(a_batch_has_each_entity_once) {
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
    play_answers(rows);
    assert_string_equal(found(""), "a/bc a/c ab/bc ab/c p/there");
}

/* Another partition cannot even be said. */
TEST(a_batch_has_one_partition_and_up_to_a_hundred_entities) {
    static const struct answered rows[] = {
        {"TABLE.BATCH t p 1 INSERT r PROPS 2 PartitionKey q a b", BAD_INPUT " 0"},
        {"TABLE.BATCH t p 0", BAD_INPUT},
        {"TABLE.BATCH t p 0 INSERT r PROPS 0", BAD_INPUT},
        {"TABLE.BATCH t p -1 INSERT r PROPS 0", BAD_INPUT},
        {"TABLE.BATCH none p 0", BAD_INPUT},
    };
    play_answers(rows);
    struct words words = batch_of_inserts(101);
    traces_begin("none");
    expect_error(call_words(primary, &words), BAD_INPUT);
    traces_require_none();
    words = batch_of_inserts(100);
    expect_elements(call_words(primary, &words), 100);
    step_play("TABLE.BATCH t q 1 INSERT r PROPS 0", "[<etag>]", 0);
}
