/* What becomes of each way to write, cell by cell: by what IFMATCH says and what is there, and by what a property was
 * and what it is given. And the order in which faults are told: each line breaks two neighbouring rules. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "tables.h"
#include "traces.h"

enum { THERE, ABSENT, NO_TABLE_AT_ALL, STATES };

static const char *const keys[STATES] = {"t p there", "t p absent", "none p absent"};

#define DONE    "done"
#define NO_SIGN "INVALID MissingRequiredHeader"
#define EXISTS  "CONFLICT EntityAlreadyExists"

/* clang-format off */
static const struct cell_row {
    const char *condition;
    const char *verbs; /* with blanks between them */
    const char *outcome[STATES];
} outcomes[] = {
    /* condition                                                         there         absent     no table */
    {"IFMATCH $e",                   "REPLACE MERGE DELETE",            {DONE,         NO_ENTITY, NO_TABLE}},
    {"IFMATCH \"$q\"",               "REPLACE MERGE DELETE",            {DONE,         NO_ENTITY, NO_TABLE}},
    {"IFMATCH " STALE,               "REPLACE MERGE DELETE",            {STALE_ENTITY, NO_ENTITY, NO_TABLE}},
    {"IFMATCH 0xFFFFFFFFFFFFFFFF",   "REPLACE MERGE DELETE",            {STALE_ENTITY, NO_ENTITY, NO_TABLE}},
    {"IFMATCH *",                    "REPLACE MERGE DELETE",            {DONE,         NO_ENTITY, NO_TABLE}},
    {"",                             "REPLACE MERGE DELETE",            {NO_SIGN,      NO_SIGN,   NO_SIGN}},
    {"IFMATCH ''",                   "REPLACE MERGE DELETE",            {BAD_INPUT,    BAD_INPUT, BAD_INPUT}},
    {"IFMATCH abc",                  "REPLACE MERGE DELETE",            {BAD_INPUT,    BAD_INPUT, BAD_INPUT}},
    {"IFMATCH W/*",                  "REPLACE MERGE DELETE",            {BAD_INPUT,    BAD_INPUT, BAD_INPUT}},
    {"",                             "INSERTORREPLACE INSERTORMERGE",   {DONE,         DONE,      NO_TABLE}},
    {"",                             "INSERT",                          {EXISTS,       DONE,      NO_TABLE}},
    {"IFMATCH *",                    "INSERT INSERTORREPLACE INSERTORMERGE", {"ERR",   "ERR",     "ERR"}},
    {"IFNONEMATCH *",                "INSERT REPLACE MERGE DELETE INSERTORREPLACE INSERTORMERGE", {"ERR", "ERR", "ERR"}},
    {"IFMATCH * IFNONEMATCH *",      "REPLACE MERGE DELETE",            {"ERR",        "ERR",     "ERR"}},
    {"IFMATCH * IF \"P eq 1\"",      "REPLACE MERGE DELETE",            {DONE,         NO_ENTITY, NO_TABLE}},
    {"IFMATCH $e IF \"P eq 1\"",     "REPLACE MERGE DELETE",            {DONE,         NO_ENTITY, NO_TABLE}},
    {"IFMATCH * IF \"P eq 2\"",      "REPLACE MERGE DELETE",            {STALE_ENTITY, NO_ENTITY, NO_TABLE}},
    {"IFMATCH " STALE " IF \"P eq 1\"", "REPLACE MERGE DELETE",         {STALE_ENTITY, NO_ENTITY, NO_TABLE}},
    {"IFMATCH * IF \"P eq\"",        "REPLACE MERGE DELETE",            {BAD_INPUT,    BAD_INPUT, BAD_INPUT}},
    {"IF \"P eq 1\"",                "REPLACE MERGE DELETE",            {NO_SIGN,      NO_SIGN,   NO_SIGN}},
    {"IF \"P eq 1\"",                "INSERT INSERTORREPLACE INSERTORMERGE", {"ERR",   "ERR",     "ERR"}},
};
/* clang-format on */

static void stage_cell(void) {
    call(primary, "DEL t");
    table_setup();
    const char *etag = written("TABLE.INSERT t p there PROPS 1 P:int32 1");
    step_keep('e', etag);
    step_keep('q', pool_print("\"%s\"", etag));
}

/* An ETag in quotes is a word of its own. */
static const char *condition_of(const struct cell_row *row) {
    return strstr(row->condition, "$q") ? "IFMATCH $q" : row->condition;
}

/* Alone, or as the only operation of a batch. */
static const char *line_of(const struct cell_row *row, const char *verb, int state, bool in_batch) {
    const char *props = strcmp(verb, "DELETE") != 0 ? "PROPS 1 a b" : "";
    struct words key = words_of_line(keys[state]);
    if (!in_batch) return pool_print("TABLE.%s %s %s %s", verb, keys[state], condition_of(row), props);
    return pool_print("TABLE.BATCH %s %s 1 %s %s %s %s", key.word[0], key.word[1], verb, key.word[2],
                      condition_of(row), props);
}

static void play_cell(const struct cell_row *row, const char *verb, int state, bool in_batch) {
    stage_cell();
    const char *outcome = row->outcome[state], *line = line_of(row, verb, state, in_batch);
    bool is_done = !strcmp(outcome, DONE), is_delete = !strcmp(verb, "DELETE");
    bool is_syntax = !strcmp(outcome, "ERR");
    if (in_batch && !is_done && !is_syntax) outcome = pool_print("%s 0", outcome);
    step_play(line, is_done ? NULL : outcome, 0);
    bool is_there = state == THERE ? !(is_done && is_delete) : is_done;
    if (state == NO_TABLE_AT_ALL) {
        expect_number(call(primary, "EXISTS none"), 0);
        return;
    }
    require(is_there != reply_is_error(ask(pool_print("TABLE.GET %s", keys[state]))), "%s left it wrong",
            line);
}

static void play_outcomes(bool in_batch) {
    for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
        struct words verbs = words_of_line(outcomes[i].verbs);
        for (size_t verb = 0; verb < verbs.count; verb++)
            for (int state = THERE; state < STATES; state++)
                play_cell(&outcomes[i], verbs.word[verb], state, in_batch);
    }
}

TEST(each_verb_under_each_ifmatch_answers_by_the_table) {
    play_outcomes(false);
}

TEST(each_write_does_what_it_says_in_a_batch) {
    play_outcomes(true);
}

/* --- What a write does to properties --- */

/* Before: kept:int32 1, changed:int32 1. Given: changed 2 (a string), added:bool true. */
static const struct {
    const char *verb, *there, *absent;
} effects_of_verbs[] = {
    {"INSERT", NULL, "[\"changed\", \"2\", \"added:bool\", 1]"},
    {"REPLACE", "[\"changed\", \"2\", \"added:bool\", 1]", NULL},
    {"MERGE", "[\"kept:int32\", 1, \"changed\", \"2\", \"added:bool\", 1]", NULL},
    {"INSERTORREPLACE", "[\"changed\", \"2\", \"added:bool\", 1]", "[\"changed\", \"2\", \"added:bool\", 1]"},
    {"INSERTORMERGE", "[\"kept:int32\", 1, \"changed\", \"2\", \"added:bool\", 1]",
     "[\"changed\", \"2\", \"added:bool\", 1]"},
};

static void play_write(const char *verb, const char *row, const char *expected, const char *etag_before) {
    if (!expected) return;
    bool conditional = !strcmp(verb, "REPLACE") || !strcmp(verb, "MERGE");
    const char *etag = written(pool_print("TABLE.%s t p %s %s PROPS 2 changed 2 added:bool true", verb, row,
                                          conditional ? "IFMATCH *" : ""));
    redisReply *entity = ask(pool_print("TABLE.GET t p %s", row));
    expect_text(entity->element[0], etag);
    expect_shape(entity->element[1], expected);
    assert_true(strcmp(etag, etag_before) > 0);
}

TEST(each_verb_replaces_or_merges_properties) {
    for (size_t i = 0; i < ARRAY_SIZE(effects_of_verbs); i++) {
        call(primary, "DEL t");
        table_setup();
        const char *etag = written("TABLE.INSERT t p there PROPS 2 kept:int32 1 changed:int32 1");
        play_write(effects_of_verbs[i].verb, "there", effects_of_verbs[i].there, etag);
        play_write(effects_of_verbs[i].verb, "absent", effects_of_verbs[i].absent, etag);
    }
}

TEST(every_write_renews_etag_and_timestamp) {
    static const char *const writes[] = {
        "MERGE t p r IFMATCH * PROPS 0",       "MERGE t p r IFMATCH * PROPS 1 a b",
        "REPLACE t p r IFMATCH * PROPS 1 a b", "INSERTORMERGE t p r PROPS 0",
        "INSERTORREPLACE t p r PROPS 1 a b",   NULL};
    table_setup();
    const char *etag = written("TABLE.INSERT t p r PROPS 1 a b"), *stamp = timestamp_of("p r");
    for (const char *const *write = writes; *write; write++) {
        const char *next = written(pool_print("TABLE.%s", *write)), *next_stamp = timestamp_of("p r");
        require(strcmp(next, etag) > 0, "%s gives %s after %s", *write, next, etag);
        require(strcmp(next_stamp, stamp) > 0, "%s gives %s after %s", *write, next_stamp, stamp);
        expect_shape(ask("TABLE.GET t p r"), "[<etag>, [\"a\", \"b\"]]");
        etag = next;
        stamp = next_stamp;
    }
}

/* Keys among the properties say nothing new, or are refused. */
TEST(keys_among_the_properties) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p r PROPS 3 PartitionKey p RowKey r a b", NULL},
        {"TABLE.GET t p r", "[<etag>, [\"a\", \"b\"]]"},
        {"TABLE.MERGE t p r IFMATCH * PROPS 1 PartitionKey q", BAD_INPUT},
        {"TABLE.REPLACE t p r IFMATCH * PROPS 2 a b RowKey q", BAD_INPUT},
        {"TABLE.INSERT t p s PROPS 1 RowKey r", BAD_INPUT},
        {"TABLE.INSERT t p s PROPS 3 PartitionKey p a b PartitionKey p",
         "INVALID DuplicatePropertiesSpecified"},
        {"TABLE.INSERT t p s PROPS 2 Timestamp 1 Timestamp 1", "INVALID DuplicatePropertiesSpecified"},
        {"TABLE.INSERTORMERGE t p s PROPS 2 PartitionKey p RowKey ''", BAD_INPUT},
        {"TABLE.BATCH t p 2 INSERT s PROPS 1 RowKey s INSERT u PROPS 1 RowKey s", BAD_INPUT " 1"},
        {"TABLE.BATCH t p 2 INSERT s PROPS 1 RowKey s INSERT u PROPS 1 PartitionKey p", NULL},
        {"TABLE.GET t p u", "[<etag>, []]"},
    };
    table_setup();
    play_answers(rows);
}

/* --- The order of checks --- */

/* Each line is wrong in two ways at least; what is told is what the service finds first. */
static const struct answered neighbours[] = {
    /* Syntax before everything. */
    {"TABLE.INSERT none a/b r PROPS 2 a b", "ERR syntax error near 'PROPS'"},
    {"TABLE.REPLACE none a/b r PROPS 1 a b NONSENSE", "ERR syntax error near 'NONSENSE'"},
    {"TABLE.REPLACE t p r", "ERR syntax error: PROPS is missing"},
    {"TABLE.QUERY none FILTER \"(\" NONSENSE", "ERR syntax error near 'NONSENSE'"},
    /* Keys before the ETag. */
    {"TABLE.MERGE none a/b r IFMATCH abc PROPS 0", "INVALID InvalidInput a key"},
    {"TABLE.DELETE t a/b r", "INVALID InvalidInput a key"},
    {"TABLE.DELETE t 513*k r", "INVALID PropertyValueTooLarge"},
    /* The ETag before the properties. */
    {"TABLE.MERGE t p r IFMATCH abc PROPS 1 1a x", "INVALID InvalidInput IFMATCH"},
    {"TABLE.MERGE t p r PROPS 1 1a x", "INVALID MissingRequiredHeader"},
    {"TABLE.REPLACE t p r IFMATCH '' PROPS 2 a x a y", "INVALID InvalidInput IFMATCH"},
    {"TABLE.DELETE t p r IF \"(\"", "INVALID MissingRequiredHeader"},
    {"TABLE.DELETE t p r IFMATCH abc IF \"(\"", "INVALID InvalidInput IFMATCH"},
    {"TABLE.MERGE t p r IFMATCH * IF \"(\" PROPS 1 1a x", "INVALID InvalidInput at 2"},
    /* Properties before the table. */
    {"TABLE.INSERT none p r PROPS 1 1a x", "INVALID PropertyNameInvalid"},
    {"TABLE.INSERT none p r PROPS 1 256*a x", "INVALID PropertyNameTooLong"},
    {"TABLE.INSERT none p r PROPS 1 a:int32 x", BAD_INPUT},
    {"TABLE.INSERT none p r PROPS 1 a:int x", BAD_INPUT},
    {"TABLE.INSERT none p r PROPS 1 a:datetime 1600-01-01", "INVALID OutOfRangeInput"},
    {"TABLE.INSERT none p r PROPS 1 a 32769*x", "INVALID PropertyValueTooLarge"},
    {"TABLE.INSERT none p r PROPS 2 a x a x", "INVALID DuplicatePropertiesSpecified"},
    {"TABLE.MERGE none p r IFMATCH " STALE " PROPS 2 a x a x", "INVALID DuplicatePropertiesSpecified"},
    {"TABLE.INSERTORMERGE none p r PROPS 1 RowKey x", BAD_INPUT},
    {"TABLE.QUERY none FILTER \"a eq\"", BAD_INPUT " at 5"},
    {"TABLE.QUERY none TOP -1", BAD_INPUT},
    {"TABLE.QUERY none NEXT a/b c", BAD_INPUT},
    {"TABLE.QUERY none SELECT 1 1a", "INVALID PropertyNameInvalid"},
    {"TABLE.GET none p r SELECT 1 a:int32", "INVALID PropertyNameInvalid"},
    {"TABLE.INDEX none 1a", "INVALID PropertyNameInvalid"},
    {"TABLE.INDEX none RowKey", BAD_INPUT},
    {"TABLE.SETACL none POLICIES 1 a x - r", "INVALID InvalidXmlNodeValue"},
    /* The table before the entity. */
    {"TABLE.MERGE none p absent IFMATCH * PROPS 0", NO_TABLE},
    {"TABLE.DELETE none p there IFMATCH " STALE, NO_TABLE},
    /* The entity before its ETag and before IF. */
    {"TABLE.MERGE t p absent IFMATCH " STALE " PROPS 0", NO_ENTITY},
    {"TABLE.MERGE t p absent IFMATCH * IF \"P eq 2\" PROPS 0", NO_ENTITY},
    {"TABLE.INSERT t p there PROPS 1 a:int32 x", BAD_INPUT},
    {"TABLE.INSERT t p there PROPS 0", "CONFLICT EntityAlreadyExists"},
    /* The ETag before what a merge would make of it. */
    {"TABLE.MERGE t p full IFMATCH " STALE " PROPS 1 more x", STALE_ENTITY},
    {"TABLE.MERGE t p full IFMATCH * IF \"p0 eq 'x'\" PROPS 1 more x", STALE_ENTITY},
    {"TABLE.MERGE t p full IFMATCH * PROPS 1 more x", "INVALID TooManyProperties"},
};

TEST(two_faults_of_a_write_are_answered_in_order) {
    table_setup();
    written("TABLE.INSERT t p there PROPS 1 P:int32 1");
    written(pool_print("TABLE.INSERT t p full %s", some_properties(252)));
    play_answers(neighbours);
}

/* What all arguments hold together counts before what is wrong with any property, and after the keys and the ETag. */
TEST(the_request_is_measured_before_its_properties) {
    enum { MAX = 4 << 20, PART = 65536 };
    table_setup();
    char *part = pool_take(PART + 1);
    memset(part, 'x', PART);
    struct words words = words_of_line("TABLE.MERGE none p r IFMATCH * PROPS 65");
    for (int i = 0; i < 65; i++) {
        words_add(&words, i ? pool_print("p%d:binary", i) : "1a");
        words_add(&words, part);
    }
    traces_begin("none");
    expect_error(call_words(primary, &words), "INVALID RequestBodyTooLarge");
    words_replace(&words, 5, "abc");
    expect_error(call_words(primary, &words), BAD_INPUT " IFMATCH");
    words_replace(&words, 2, "a/b");
    expect_error(call_words(primary, &words), BAD_INPUT " a key");
    traces_require_none();
}
