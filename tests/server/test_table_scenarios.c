/* Tables as the storage service's users know them: entities and their ETags, properties, keys, and the life of tables.
 * Queries and batches are in test_table_query_scenarios.c. Outcomes have test_table_outcomes.c, and values have
 * test_table_values.c, to themselves. */
#include <string.h>

#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "steps.h"
#include "tables.h"
#include "text.h"
#include "traces.h"

/* --- Optimistic concurrency --- */

BEFORE_EACH {
    table_setup();
}

TEST(two_clients_one_after_the_other) {
    struct client *other = test_client(primary->server);
    written("TABLE.INSERT t p r PROPS 1 base x");
    const char *read_by_one = expect_etag(ask("TABLE.GET t p r"));
    const char *read_by_other = expect_etag(ask_at(other, "TABLE.GET t p r"));
    written(pool_print("TABLE.MERGE t p r IFMATCH %s PROPS 1 one 1", read_by_one));
    const char *line = "TABLE.MERGE t p r IFMATCH %s PROPS 1 other 2";
    expect_error(ask_at(other, pool_print(line, read_by_other)), STALE_ENTITY);
    read_by_other = expect_etag(ask_at(other, "TABLE.GET t p r"));
    expect_etag(ask_at(other, pool_print(line, read_by_other)));
    expect_shape(ask("TABLE.GET t p r"), "[<etag>, [\"base\", \"x\", \"one\", \"1\", \"other\", \"2\"]]");
}

TEST(an_etag_does_not_outlive_its_entity) {
    const char *old = written("TABLE.INSERT t p r PROPS 1 a b");
    expect_ok(ask(pool_print("TABLE.DELETE t p r IFMATCH %s", old)));
    const char *new = written("TABLE.INSERT t p r PROPS 1 a b");
    assert_true(strcmp(new, old) > 0);
    step_play(pool_print("TABLE.MERGE t p r IFMATCH %s PROPS 1 a c", old), STALE_ENTITY, 0);
    step_play(pool_print("TABLE.DELETE t p r IFMATCH %s", old), STALE_ENTITY, 0);
    expect_ok(ask("TABLE.DROP t"));
    table_setup();
    written("TABLE.INSERT t p r PROPS 1 a b");
    step_play(pool_print("TABLE.DELETE t p r IFMATCH %s", new), STALE_ENTITY, 0);
}

TEST(a_thousand_writes_have_a_thousand_etags) {
    enum { WRITES = 1000 };
    const char *etag = "", *timestamp = "";
    for (int write = 0; write < WRITES; write++) {
        send_call(primary, "TABLE.INSERTORMERGE t p r PROPS 1 a b");
        send_call(primary, "TABLE.GET t p r SELECT 1 Timestamp");
    }
    for (int write = 0; write < WRITES; write++) {
        const char *next = expect_etag(receive(primary));
        const redisReply *entity = receive(primary);
        const char *stamp = field(entity->element[1], "Timestamp:datetime")->str;
        require(strcmp(next, etag) > 0 && strcmp(stamp, timestamp) > 0, "write %d: %s after %s, %s after %s",
                write, next, etag, stamp, timestamp);
        expect_text(entity->element[0], next);
        etag = next;
        timestamp = stamp;
    }
}

TEST(malformed_etags_are_told_from_stale_ones) {
    static const char *const malformed[] = {
        "abc", "''", "0x", "0x1", "W/0x0000000000000001", "0x00000000000000010", "0x000000000000000g",
        "**",  NULL};
    const char *etag = written("TABLE.INSERT t p r PROPS 1 a b");
    for (const char *const *each = malformed; *each; each++) {
        step_play(pool_print("TABLE.REPLACE t p r IFMATCH %s PROPS 0", *each), BAD_INPUT, 0);
        step_play(pool_print("TABLE.MERGE t p none IFMATCH %s PROPS 0", *each), BAD_INPUT, 0);
        step_play(pool_print("TABLE.DELETE none p r IFMATCH %s", *each), BAD_INPUT, 0);
    }
    step_play("TABLE.DELETE t p r IFMATCH " STALE, STALE_ENTITY, 0);
    expect_error(call(primary, "TABLE.DELETE t p r IFMATCH %s", "\"" STALE "\""), STALE_ENTITY);
    expect_error(call(primary, "TABLE.DELETE t p r IFMATCH %s", "\"abc\""), BAD_INPUT);
    expect_error(call(primary, "TABLE.DELETE t p r IFMATCH %s", "\"" STALE), BAD_INPUT);
    expect_ok(call(primary, "TABLE.DELETE t p r IFMATCH %s", pool_print("\"%s\"", etag)));
}

TEST(replace_drops_and_merge_keeps) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p r PROPS 3 a 1 b:int32 2 c 3", NULL},
        {"TABLE.MERGE t p r IFMATCH * PROPS 1 b:int32 5", NULL},
        {"TABLE.GET t p r", "[<etag>, [\"a\", \"1\", \"b:int32\", 5, \"c\", \"3\"]]"},
        {"TABLE.MERGE t p r IFMATCH * PROPS 0", NULL},
        {"TABLE.GET t p r", "[<etag>, [\"a\", \"1\", \"b:int32\", 5, \"c\", \"3\"]]"},
        {"TABLE.REPLACE t p r IFMATCH * PROPS 1 c 4", NULL},
        {"TABLE.GET t p r", "[<etag>, [\"c\", \"4\"]]"},
        {"TABLE.REPLACE t p r IFMATCH * PROPS 0", NULL},
        {"TABLE.GET t p r", "[<etag>, []]"},
    };
    play_answers(rows);
}

TEST(a_merge_changes_the_type) {
    written("TABLE.INSERT t p r PROPS 1 P:int32 3");
    assert_string_equal(found_by("P eq 3"), "p/r");
    assert_string_equal(found_by("P eq '3'"), "");
    written("TABLE.MERGE t p r IFMATCH * PROPS 1 P 3");
    assert_string_equal(found_by("P eq 3"), "");
    assert_string_equal(found_by("P eq '3'"), "p/r");
    expect_shape(ask("TABLE.GET t p r"), "[<etag>, [\"P\", \"3\"]]");
}

TEST(nobody_sets_a_timestamp) {
    static const char *const writes[] = {
        "TABLE.INSERT t p r PROPS 2 a b Timestamp:datetime 2001-01-01",
        "TABLE.REPLACE t p r IFMATCH * PROPS 2 Timestamp x a b",
        "TABLE.MERGE t p r IFMATCH * PROPS 2 Timestamp:int32 5 a b",
        "TABLE.INSERTORREPLACE t p r PROPS 2 a b Timestamp:datetime 2999-01-01T00:00:00Z",
        "TABLE.INSERTORMERGE t p r PROPS 2 a b Timestamp:datetime 2999-01-01T00:00:00Z",
        NULL};
    const char *before = "2020";
    for (const char *const *write = writes; *write; write++) {
        written(*write);
        expect_shape(ask("TABLE.GET t p r"), "[<etag>, [\"a\", \"b\"]]");
        const char *stamp = timestamp_of("p r");
        assert_int_equal(strlen(stamp), 28);
        require(strcmp(stamp, before) > 0 && strcmp(stamp, "2100") < 0, "%s after %s", stamp, before);
        before = stamp;
    }
}

/* --- Properties --- */

TEST(names_mind_their_case_and_stand_once) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p r PROPS 2 a 1 \"A\" 2", NULL},
        {"TABLE.GET t p r", "[<etag>, [\"a\", \"1\", \"A\", \"2\"]]"},
        {"TABLE.INSERT t p s PROPS 2 a 1 a 2", "INVALID DuplicatePropertiesSpecified"},
        {"TABLE.INSERTORMERGE t p r PROPS 2 a 1 a:int32 2", "INVALID DuplicatePropertiesSpecified"},
        {"TABLE.REPLACE t p r IFMATCH * PROPS 3 a 1 b 2 a 1", "INVALID DuplicatePropertiesSpecified"},
        {"TABLE.MERGE t p r IFMATCH * PROPS 1 \"A\" 3", NULL},
        {"TABLE.GET t p r", "[<etag>, [\"a\", \"1\", \"A\", \"3\"]]"},
    };
    play_answers(rows);
}

TEST(an_entity_has_so_many_properties) {
    written(pool_print("TABLE.INSERT t p full %s", some_properties(252)));
    step_play(pool_print("TABLE.INSERT t p more %s", some_properties(253)), "INVALID TooManyProperties", 0);
    step_play(pool_print("TABLE.REPLACE t p full IFMATCH * %s", some_properties(253)),
              "INVALID TooManyProperties", 0);
    step_play(pool_print("TABLE.INSERT t p more PROPS 256 PartitionKey p RowKey more Timestamp 1 %s",
                         some_properties(253) + strlen("PROPS 253 ")),
              "INVALID TooManyProperties", 0);
    step_play("TABLE.MERGE t p full IFMATCH * PROPS 1 one 1", "INVALID TooManyProperties", 0);
    step_play("TABLE.INSERTORMERGE t p full PROPS 1 one 1", "INVALID TooManyProperties", 0);
    written("TABLE.MERGE t p full IFMATCH * PROPS 1 p251 again");
    written(pool_print("TABLE.REPLACE t p full IFMATCH * %s", some_properties(251)));
    written("TABLE.MERGE t p full IFMATCH * PROPS 1 one 1");
    step_play("TABLE.MERGE t p full IFMATCH * PROPS 1 two 1", "INVALID TooManyProperties", 0);
    /* What is ignored does not count. */
    const char *line = some_properties(252) + strlen("PROPS 252");
    written(
        pool_print("TABLE.INSERT t p passed PROPS 255 Timestamp x PartitionKey p RowKey passed %s", line));
}

TEST(so_much_in_one_value_and_in_one_entity) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p s PROPS 1 s 32768*x", NULL},
        {"TABLE.INSERT t p b PROPS 1 b:binary 65536*x", NULL},
        {"TABLE.INSERT t p x PROPS 1 s 32769*x", "INVALID PropertyValueTooLarge"},
        {"TABLE.MERGE t p s IFMATCH * PROPS 1 s 32769*x", "INVALID PropertyValueTooLarge"},
        {"TABLE.INSERT t p x PROPS 1 b:binary 65537*x", "INVALID PropertyValueTooLarge"},
    };
    play_answers(rows);
    struct text line = {0};
    text_print(&line, "TABLE.INSERT t p large PROPS 16");
    for (int i = 0; i < 16; i++) text_print(&line, " b%d:binary 65000*x", i);
    written(line.bytes);
    step_play("TABLE.MERGE t p large IFMATCH * PROPS 1 more:binary 60000*x", "INVALID EntityTooLarge", 0);
    const char *larger = strstr(line.bytes, "16") + 2;
    step_play(pool_print("TABLE.INSERT t p larger PROPS 17 more:binary 60000*x %s", larger),
              "INVALID EntityTooLarge", 0);
}

/* --- Keys --- */

TEST(empty_keys) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t '' '' PROPS 1 a 1", NULL},
        {"TABLE.INSERT t '' r PROPS 1 a 2", NULL},
        {"TABLE.INSERT t p '' PROPS 1 a 3", NULL},
        {"TABLE.INSERT t '' '' PROPS 0", "CONFLICT EntityAlreadyExists"},
        {"TABLE.GET t '' ''", "[<etag>, [\"a\", \"1\"]]"},
        {"TABLE.MERGE t '' '' IFMATCH * PROPS 1 b 1", NULL},
        {"TABLE.QUERY t TOP 1", "[[\"\", \"r\"], [[\"\", \"\", <etag>, [\"a\", \"1\", \"b\", \"1\"]]]]"},
        {"TABLE.QUERY t TOP 1 NEXT '' ''",
         "[[\"\", \"r\"], [[\"\", \"\", <etag>, [\"a\", \"1\", \"b\", \"1\"]]]]"},
        {"TABLE.QUERY t TOP 1 NEXT '' r", "[[\"p\", \"\"], [[\"\", \"r\", <etag>, [\"a\", \"2\"]]]]"},
        {"TABLE.QUERY t TOP 1 NEXT p ''", "[null, [[\"p\", \"\", <etag>, [\"a\", \"3\"]]]]"},
        {"TABLE.BATCH t '' 2 MERGE '' IFMATCH * PROPS 1 a 5 DELETE r IFMATCH *", "[<etag>, OK]"},
        {"TABLE.GET t '' ''", "[<etag>, [\"a\", \"5\", \"b\", \"1\"]]"},
        {"TABLE.DELETE t '' '' IFMATCH *", "OK"},
        {"TABLE.GET t '' ''", NO_ENTITY},
    };
    play_answers(rows);
    assert_string_equal(found(""), "p/");
}

/* A key with one character more at either end of it, and in its middle. */
static void try_key(const char *key, const char *insert_error) {
    expect_error(call(primary, "TABLE.INSERT t %s r PROPS 0", key), insert_error);
    expect_error(call(primary, "TABLE.INSERT t p %s PROPS 0", key), insert_error);
    expect_error(call(primary, "TABLE.INSERT none p %s PROPS 0", key), insert_error);
    expect_error(call(primary, "TABLE.INSERTORREPLACE t p %s PROPS 0", key), "INVALID InvalidInput");
    expect_error(call(primary, "TABLE.MERGE t %s r IFMATCH * PROPS 0", key), "INVALID InvalidInput");
    expect_error(call(primary, "TABLE.GET t p %s", key), "INVALID InvalidInput");
    expect_error(call(primary, "TABLE.DELETE none p %s IFMATCH *", key), "INVALID InvalidInput");
    expect_error(call(primary, "TABLE.BATCH t p 1 INSERT %s PROPS 0", key), insert_error);
    expect_error(call(primary, "TABLE.BATCH t %s 1 INSERT r PROPS 0", key), "INVALID InvalidInput");
    expect_error(call(primary, "TABLE.QUERY t NEXT p %s", key), "INVALID InvalidInput");
}

TEST(characters_that_no_key_has) {
    static const char *const forbidden[] = {"/",   "\\",   "#",    "?",          "\x01",     "\t",
                                            "\n",  "\x1f", "\x7f", "\xc2\x80",   "\xc2\x85", "\xc2\x9f",
                                            "a/b", "/a",   "a/",   "a\302\237b", NULL};
    static const char *const allowed[] = {"%",
                                          "'",
                                          ",",
                                          "+",
                                          " ",
                                          "~",
                                          "\"",
                                          "(",
                                          "%2F",
                                          "\xc2\xa0",
                                          "\xc3\xa4",
                                          "\xef\xbf\xbf",
                                          "\xf0\x9f\x98\x80",
                                          "\xf4\x8f\xbf\xbf",
                                          "a b'c,d",
                                          NULL};
    traces_begin("none");
    for (const char *const *key = forbidden; *key; key++) try_key(*key, "INVALID OutOfRangeInput");
    /* What is no UTF-8, or too long, is another matter. */
    try_key("\xff", "INVALID InvalidInput");
    try_key("\xc0\x80", "INVALID InvalidInput");
    try_key("\xed\xa0\x80", "INVALID InvalidInput");
    traces_require_none();
    expect_error(call(primary, "TABLE.INSERT t p %b PROPS 0", "a\0b", (size_t)3), "INVALID OutOfRangeInput");
    for (const char *const *key = allowed; *key; key++) {
        expect_etag(call(primary, "TABLE.INSERT t %s %s PROPS 1 a b", *key, *key));
        expect_shape(call(primary, "TABLE.GET t %s %s", *key, *key), "[<etag>, [\"a\", \"b\"]]");
        expect_etag(call(primary, "TABLE.MERGE t %s %s IFMATCH * PROPS 1 a c", *key, *key));
        redisReply *page = call(primary, "TABLE.QUERY t NEXT %s %s TOP 1", *key, *key);
        expect_text(page->element[1]->element[0]->element[0], *key);
        expect_text(page->element[1]->element[0]->element[1], *key);
    }
    for (const char *const *key = allowed; *key; key++)
        expect_ok(call(primary, "TABLE.DELETE t %s %s IFMATCH *", *key, *key));
}

TEST(keys_stand_in_their_order) {
    static const char *const inserts[] = {"b \"1\"", "\"A\" 10", "aa \"\"", "a 2",  "\"B\" x",
                                          "\"A\" 2", "a 1",      "\"A\" 1", "a 10", NULL};
    for (const char *const *keys = inserts; *keys; keys++)
        written(pool_print("TABLE.INSERT t %s PROPS 0", *keys));
    assert_string_equal(found(""), "A/1 A/10 A/2 B/x a/1 a/10 a/2 aa/ b/1");
}

/* --- The life of tables --- */

TEST(keys_mind_their_case) {
    static const struct answered rows[] = {
        {"TABLE.CREATE T", NULL},
        {"TABLE.CREATE t", "CONFLICT TableAlreadyExists"},
        {"TABLE.INSERT t p r PROPS 1 a 1", NULL},
        {"TABLE.INSERT t P r PROPS 1 a 2", NULL},
        {"TABLE.INSERT t p R PROPS 1 a 3", NULL},
        {"TABLE.INSERT t p R PROPS 1 a 3", "CONFLICT EntityAlreadyExists"},
        {"TABLE.GET t P r", "[<etag>, [\"a\", \"2\"]]"},
        {"TABLE.GET T p r", NO_ENTITY},
    };
    play_answers(rows);
}

TEST(a_dropped_table_is_gone_and_its_name_is_free) {
    static const struct answered rows[] = {
        {"TABLE.CREATE abc", NULL},
        {"TABLE.CREATE abcd", NULL},
        {"TABLE.INSERT abc p r PROPS 1 a b", NULL},
        {"TABLE.INSERT abcd p r PROPS 1 a b", NULL},
        {"TABLE.INDEX abc a", "OK"},
        {"TABLE.SETACL abc POLICIES 1 one - - r", "OK"},
        {"TABLE.DROP abc", "OK"},
        {"TABLE.DROP abc", NO_ENTITY},
        {"TABLE.GET abc p r", NO_TABLE},
        {"TABLE.CREATE abc", "OK"},
        {"TABLE.QUERY abc", "[null, []]"},
        {"TABLE.GETACL abc", "[]"},
        {"TABLE.INDEXES abc", "[]"},
        {"TABLE.GET abcd p r", "[<etag>, [\"a\", \"b\"]]"},
    };
    play_answers(rows);
}

TEST(a_leased_blob_guards_a_table_of_those_who_ask) {
    lease_setup();
    struct client *other = test_client(primary->server);
    acquire("box", "60", "BLOB cat ID " ID_A);
    expect_error(call(other, "LEASE.ACQUIRE box 60 BLOB cat"), "CONFLICT LeaseAlreadyPresent");
    written("TABLE.INSERT t p r PROPS 1 by holder");
    /* Who does not ask is not kept from writing. */
    expect_etag(call(other, "TABLE.INSERTORREPLACE t p r PROPS 1 by other"));
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A));
    lease_id(call(other, "LEASE.ACQUIRE box 60 BLOB cat ID %s", ID_B));
    expect_shape(ask_at(other, "TABLE.GET t p r"), "[<etag>, [\"by\", \"other\"]]");
}

TEST(policies_are_replaced_as_a_whole) {
    static const char shown[] =
        "[[\"id\", \"one\", \"start\", 0, \"expiry\", 99, \"permissions\", \"raud\"], "
        "[\"id\", \"two\", \"permissions\", \"r\"]]";
    static const struct answered rows[] = {
        {"TABLE.GETACL t", "[]"},
        {"TABLE.SETACL t POLICIES 2 one 0 99 raud two - - r", "OK"},
        {"TABLE.GETACL t", shown},
        {"TABLE.SETACL t POLICIES 6 a - - r b - - r c - - r d - - r e - - r f - - r",
         "INVALID InvalidXmlDocument"},
        {"TABLE.SETACL t POLICIES 2 a - - r a - - u", "INVALID InvalidXmlDocument"},
        {"TABLE.SETACL t POLICIES 1 65*a - - r", "INVALID InvalidXmlDocument"},
        {"TABLE.SETACL t POLICIES 1 a - - w", "INVALID InvalidXmlNodeValue"},
        {"TABLE.SETACL t POLICIES 1 a - - rp", "INVALID InvalidXmlNodeValue"},
        {"TABLE.SETACL t POLICIES 1 a x - r", "INVALID InvalidXmlNodeValue"},
        {"TABLE.SETACL none POLICIES 1 a - - w", "INVALID InvalidXmlNodeValue"},
        {"TABLE.GETACL t", shown},
        {"TABLE.SETACL t POLICIES 1 three - - du", "OK"},
        {"TABLE.GETACL t", "[[\"id\", \"three\", \"permissions\", \"du\"]]"},
        {"TABLE.SETACL t POLICIES 5 a - - r b - - a c - - u d - - d 64*e - - raud", "OK"},
        {"TABLE.SETACL t", "OK"},
        {"TABLE.GETACL t", "[]"},
    };
    play_answers(rows);
}
