/* Arguments: every shape of clause, every way to get it wrong, and in which order faults are told. */
#include "server/grammar/args.h"

#include "core/memory.h"
#include "dice.h"
#include "sample_grammar.h"
#include "unit.h"

#include <stdlib.h>
#include <time.h>

static struct fault parse_words(struct grammar *grammar, const struct bytes *argv, int argc,
                                struct args *args) {
    struct fault fault = {.outcome = OUTCOME_DONE};
    memset(args, 0x5a, sizeof(*args));
    args_learn(grammar);
    args_parse(grammar, argv, argc, args, &fault);
    args_require_sound(grammar, argv, argc, args, &fault);
    return fault;
}

static struct fault parse(struct grammar *grammar, const char *line, struct args *args) {
    struct sample_words words = sample_words(line);
    return parse_words(grammar, words.argv, words.argc, args);
}

/* The place is that of the word that is wrong; 0 when none is. */
static struct fault expect_fault(struct grammar *grammar, const char *line, struct args *args,
                                 enum outcome outcome, int at) {
    struct fault fault = parse(grammar, line, args);
    require(fault.outcome == outcome, "'%s': %s, not %s", line, outcome_word(fault.outcome),
            outcome_word(outcome));
    require_same(fault.at, at, "'%s'", line);
    return fault;
}

/* --- What is right -------------------------------------------------------------------------------------- */

static const struct {
    const char *line;
    int slot; /* -1: none is given */
    int at, count;
    int64_t number, length;
} right[] = {
    {"c key name", -1, 0, 0, 0, 0},
    {"c key name IFMATCH *", SLOT_IFMATCH, 4, 0, 0, 0},
    {"c key name IFMATCH nonsense", SLOT_IFMATCH, 4, 0, 0, 0},
    {"c key name IFMATCH ''", SLOT_IFMATCH, 4, 0, 0, 0},
    {"c key name IFMATCH IFMATCH", SLOT_IFMATCH, 4, 0, 0, 0},
    {"c key name IFMODIFIEDSINCE 0", SLOT_IFMODIFIEDSINCE, 4, 0, 0, 0},
    {"c key name ifmodifiedsince 9223372036854775807", SLOT_IFMODIFIEDSINCE, 4, 0, INT64_MAX, 0},
    {"c key name NUMBER -5", SLOT_NUMBER, 4, 0, -5, 0},
    {"c key name number 5", SLOT_NUMBER, 4, 0, 5, 0},
    {"c key name nUmBeR 0", SLOT_NUMBER, 4, 0, 0, 0},
    {"c key name RANGE 0 1", SLOT_RANGE, 4, 0, 0, 1},
    {"c key name RANGE 7 -1", SLOT_RANGE, 4, 0, 7, -1},
    {"c key name RANGE 9223372036854775807 9223372036854775807", SLOT_RANGE, 4, 0, INT64_MAX, INT64_MAX},
    {"c key name VALUE x", SLOT_VALUE, 4, 0, 0, 0},
    {"c key name VALUE ''", SLOT_VALUE, 4, 0, 0, 0},
    {"c key name VALUE VALUE", SLOT_VALUE, 4, 0, 0, 0},
    {"c key name CHOICE red", SLOT_CHOICE, 4, 0, 0, 0},
    {"c key name CHOICE BLUE", SLOT_CHOICE, 4, 0, 2, 0},
    {"c key name WORDS 0", SLOT_WORDS, 5, 0, 0, 0},
    {"c key name WORDS 1 one", SLOT_WORDS, 5, 1, 1, 0},
    {"c key name WORDS 3 four ONE four", SLOT_WORDS, 5, 3, 9, 0},
    {"c key name META 0", SLOT_META, 5, 0, 0, 0},
    {"c key name META 1 a b", SLOT_META, 5, 1, 0, 0},
    {"c key name META 2 META 5 VALUE NUMBER", SLOT_META, 5, 2, 0, 0},
    {"c key name POLICIES 2 a b c d e f g h", SLOT_POLICIES, 5, 2, 0, 0},
    {"c key name SOON 0", SLOT_SOON, 4, 0, 0, 0},
    {"c key name soon 60", SLOT_SOON, 4, 0, 60000, 0},
    {"c key name SOON 2.5", SLOT_SOON, 4, 0, 2500, 0},
    {"c key name SOON 0.001", SLOT_SOON, 4, 0, 1, 0},
    {"c key name SPAN -1", SLOT_SPAN, 4, 0, -1, 0},
    {"c key name SPAN infinite", SLOT_SPAN, 4, 0, -1, 0},
    {"c key name SPAN 9.500", SLOT_SPAN, 4, 0, 9500, 0},
    {"c key name NAMED NAMED", SLOT_NAMED, 4, 0, 0, 0},
    {"c NUMBER VALUE VALUE 9", SLOT_VALUE, 4, 0, 0, 0},
    {"c key name COMPARED LE 0", SLOT_COMPARED, 5, 0, 0, 0},
    {"c key name compared eq 9", SLOT_COMPARED, 5, 0, 9, 2},
    {"c key name STEP TO 7", SLOT_STEP, 5, 0, 7, 0},
    {"c key name STEP by 7", SLOT_STEP, 5, 0, 7, 1},
    {"c key name STEP NONE", SLOT_STEP, 5, 0, 0, 2},
    {"c key name STEP END VALUE x", SLOT_STEP, 5, 0, 0, 3},
    {"c key name STEP END VALUE x", SLOT_VALUE, 6, 0, 0, 0},
    {"c key name ALL", SLOT_WHICH, 4, 0, 0, 0},
    {"c key name VALUE x some", SLOT_WHICH, 6, 0, 0, 1},
    {"c key name TINY", SLOT_WHICH, 4, 0, 0, 2},
    {"c key name SOME NUMBER 3", SLOT_NUMBER, 5, 0, 3, 0},
    {"c key name VALUE ALL", SLOT_VALUE, 4, 0, 0, 0},
    {"c key name STATE 0x00000000000000ff", SLOT_STATE, 4, 0, 255, 0},
    {"c key name STATE \"0xFFFFFFFFFFFFFFFF\"", SLOT_STATE, 4, 0, -1, 0},
    {"c key name META 1 a b VALUE x NUMBER 3", SLOT_NUMBER, 10, 0, 3, 0},
    {"c key name VALUE x META 1 a b NUMBER 3", SLOT_META, 7, 1, 0, 0},
};

TEST(right_words_are_understood) {
    for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
        struct args args;
        struct fault fault = parse(&sample_grammar, right[i].line, &args);
        require(fault.outcome == OUTCOME_DONE, "'%s': %s", right[i].line, outcome_word(fault.outcome));
        if (right[i].slot < 0) {
            require_same(args.given, 0, "'%s'", right[i].line);
            continue;
        }
        const struct argument *argument = &args.slots[right[i].slot];
        require(args_given(&args, right[i].slot), "'%s': it is not given", right[i].line);
        require_same(argument->at, right[i].at, "'%s'", right[i].line);
        require_same(argument->count, right[i].count, "'%s'", right[i].line);
        if (right[i].slot == SLOT_IFMATCH) continue; /* it has a tag, and no number */
        require_same(argument->number, right[i].number, "'%s'", right[i].line);
        require_same(argument->length, right[i].length, "'%s'", right[i].line);
    }
}

TEST(tags_are_read_whatever_they_are) {
    static const struct {
        const char *line;
        enum tag_kind kind;
        version version;
    } tags[] = {
        {"c key name IFMATCH *", TAG_ANY, 0},
        {"c key name ifmatch 0x00000000000000fF", TAG_VERSION, 255},
        {"c key name IFMATCH 0x00000000000000fg", TAG_MALFORMED, 0},
        {"c key name IFMATCH IFMATCH", TAG_MALFORMED, 0},
        {"c key name IFMATCH ''", TAG_MALFORMED, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
        struct args args;
        struct fault fault = parse(&sample_grammar, tags[i].line, &args);
        const struct tag *tag = &args.slots[SLOT_IFMATCH].tag;
        require(fault.outcome == OUTCOME_DONE, "'%s': %s", tags[i].line, outcome_word(fault.outcome));
        require_same(tag->kind, tags[i].kind, "'%s'", tags[i].line);
        require_same(tag->version, tags[i].version, "'%s'", tags[i].line);
    }
}

/* --- What is wrong -------------------------------------------------------------------------------------- */

#define SYNTAX  OUTCOME_SYNTAX
#define VALUE   OUTCOME_INVALID_VALUE
#define RANGE   OUTCOME_INVALID_RANGE
#define PAGE    OUTCOME_OUT_OF_RANGE
#define NO_NAME OUTCOME_OUT_OF_RANGE_INPUT

static const struct {
    const char *line;
    enum outcome outcome;
    int at;
} wrong[] = {
    /* tokens */
    {"c key name NONSENSE", SYNTAX, 3},
    {"c key name ''", SYNTAX, 3},
    {"c key name VALU x", SYNTAX, 3},
    {"c key name VALUES x", SYNTAX, 3},
    {"c key name VALUE x x", SYNTAX, 5},
    {"c key name VALUE x VALUE x", SYNTAX, 5},
    {"c key name VALUE x value y", SYNTAX, 5},
    {"c key name META 0 META 0", SYNTAX, 5},
    {"c key name NUMBER 1 VALUE x NUMBER 1", SYNTAX, 7},
    /* half-given */
    {"c key name VALUE", SYNTAX, 3},
    {"c key name NUMBER", SYNTAX, 3},
    {"c key name CHOICE", SYNTAX, 3},
    {"c key name RANGE", SYNTAX, 3},
    {"c key name RANGE 0", SYNTAX, 3},
    {"c key name VALUE x RANGE 0", SYNTAX, 5},
    {"c key name META", SYNTAX, 3},
    {"c key name WORDS", SYNTAX, 3},
    /* counts that lie, or are none */
    {"c key name META 1", SYNTAX, 3},
    {"c key name META 1 a", SYNTAX, 3},
    {"c key name META 2 a b c", SYNTAX, 3},
    {"c key name META -1", SYNTAX, 3},
    {"c key name META -1 a b", SYNTAX, 3},
    {"c key name META x a b", SYNTAX, 3},
    {"c key name META '' a b", SYNTAX, 3},
    {"c key name META +1 a b", SYNTAX, 3},
    {"c key name META 01 a b", SYNTAX, 3},
    {"c key name META 1.0 a b", SYNTAX, 3},
    {"c key name META 2147483647 a b", SYNTAX, 3},
    {"c key name META 2147483648 a b", SYNTAX, 3},
    {"c key name META 4294967296 a b", SYNTAX, 3},
    {"c key name META 4294967297 a b", SYNTAX, 3},
    {"c key name META 9223372036854775807 a b", SYNTAX, 3},
    {"c key name META 9223372036854775808 a b", SYNTAX, 3},
    {"c key name META -9223372036854775808 a b", SYNTAX, 3},
    {"c key name META 18446744073709551617 a b", SYNTAX, 3},
    {"c key name POLICIES 4611686018427387904 a b c d", SYNTAX, 3},
    {"c key name POLICIES 1 a b c", SYNTAX, 3},
    {"c key name WORDS 2 one", SYNTAX, 3},
    {"c key name WORDS 9223372036854775807 one", SYNTAX, 3},
    {"c key name META 1 a b c", SYNTAX, 7},
    {"c key name META 0 a b", SYNTAX, 5},
    /* words that there are not */
    {"c key name CHOICE yellow", SYNTAX, 4},
    {"c key name CHOICE ''", SYNTAX, 4},
    {"c key name CHOICE redd", SYNTAX, 4},
    {"c key name WORDS 2 one five", SYNTAX, 6},
    {"c key name WORDS 1 ''", SYNTAX, 5},
    /* values */
    {"c key name NUMBER 6", VALUE, 4},
    {"c key name NUMBER -6", VALUE, 4},
    {"c key name NUMBER x", VALUE, 4},
    {"c key name NUMBER ''", VALUE, 4},
    {"c key name NUMBER 9223372036854775808", VALUE, 4},
    {"c key name IFMODIFIEDSINCE -1", VALUE, 4},
    {"c key name SMALL -1", PAGE, 4},
    {"c key name VALUE 12345678", OUTCOME_INVALID_QUERY, 4},
    {"c key name RANGE -1 5", RANGE, 4},
    {"c key name RANGE 0 0", RANGE, 5},
    {"c key name RANGE 0 -2", RANGE, 5},
    {"c key name RANGE x 5", RANGE, 4},
    {"c key name RANGE 5 x", RANGE, 5},
    {"c key name RANGE 9223372036854775808 1", RANGE, 4},
    {"c key name SOON -1", VALUE, 4},
    {"c key name SOON INFINITE", VALUE, 4},
    {"c key name SOON 60.001", VALUE, 4},
    {"c key name SOON 1.0001", VALUE, 4},
    {"c key name SOON 1e3", VALUE, 4},
    {"c key name SOON ''", VALUE, 4},
    {"c key name SPAN 9.501", RANGE, 4},
    {"c key name SPAN -2", RANGE, 4},
    {"c key name SPAN -1.0", RANGE, 4},
    {"c key name NAMED ''", NO_NAME, 4},
    {"c key ''", NO_NAME, 2},
    /* syntax before value, wherever they stand; among equals the first */
    {"c key name NUMBER 6 NONSENSE", SYNTAX, 5},
    {"c key name NUMBER 6 RANGE 0", SYNTAX, 5},
    {"c key name RANGE x x CHOICE yellow", SYNTAX, 7},
    {"c key '' NONSENSE", SYNTAX, 3},
    {"c key '' NUMBER 6", NO_NAME, 2},
    {"c key name NUMBER 6 RANGE x x", VALUE, 4},
    {"c key name RANGE x x NUMBER 6", RANGE, 4},
    {"c key name NAMED '' SOON x", NO_NAME, 4},
    {"c key name SOON x NAMED ''", VALUE, 4},
    {"c key name SOON x NAMED", SYNTAX, 5},
    {"c key name SOON 1 SOON 1", SYNTAX, 5},
    {"c key name NAMED", SYNTAX, 3},
    {"c key name SOON", SYNTAX, 3},
    /* a word and perhaps a number behind it */
    {"c key name COMPARED", SYNTAX, 3},
    {"c key name COMPARED GE 5", SYNTAX, 4},
    {"c key name COMPARED 5", SYNTAX, 4},
    {"c key name COMPARED LE", SYNTAX, 3},
    {"c key name COMPARED LE 1 2", SYNTAX, 6},
    {"c key name COMPARED LE 1 COMPARED LT 2", SYNTAX, 6},
    {"c key name COMPARED LE x", VALUE, 5},
    {"c key name COMPARED LE ''", VALUE, 5},
    {"c key name COMPARED LE -1", VALUE, 5},
    {"c key name COMPARED LE 10", VALUE, 5},
    {"c key name COMPARED LE 9223372036854775808", VALUE, 5},
    {"c key name STEP TO", SYNTAX, 3},
    {"c key name STEP NONE 5", SYNTAX, 5},
    {"c key name STEP TO NONE", RANGE, 5},
    {"c key name STEP ''", SYNTAX, 4},
    /* a word alone */
    {"c key name ALL SOME", SYNTAX, 4},
    {"c key name ALL ALL", SYNTAX, 4},
    {"c key name AL", SYNTAX, 3},
    {"c key name ALL 1", SYNTAX, 4},
    /* versions */
    {"c key name STATE", SYNTAX, 3},
    {"c key name STATE ''", RANGE, 4},
    {"c key name STATE 0x00000000000000f", RANGE, 4},
    {"c key name STATE 0x00000000000000fff", RANGE, 4},
    {"c key name STATE 00000000000000ff", RANGE, 4},
    {"c key name STATE *", RANGE, 4},
    {"c key name STATE \"0x00000000000000ff", RANGE, 4},
    {"c key name NONSENSE META -1", SYNTAX, 3},
    {"c key name META -1 NONSENSE", SYNTAX, 3},
};

TEST(wrong_words_are_pointed_at) {
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct args args;
        struct fault fault =
            expect_fault(&sample_grammar, wrong[i].line, &args, wrong[i].outcome, wrong[i].at);
        require(!fault.missing, "'%s': something is missing", wrong[i].line);
        require(!fault.uncounted || fault.outcome == OUTCOME_SYNTAX, "'%s': a count is missing",
                wrong[i].line);
    }
}

TEST(ids_are_read_in_any_form) {
    static const struct clause key = {.shape = SHAPE_KEY, .width = 1};
    static const struct clause lease = {TOKEN("LEASE"), .shape = SHAPE_ID, .slot = SLOT_LEASE, .width = 1,
                                        .fault = OUTCOME_INVALID_VALUE};
    struct grammar *grammar = GRAMMAR(&key, &lease);
    struct args args;
    struct fault fault = parse(grammar, "c k lease {00112233-4455-6677-8899-AABBCCDDEEFF}", &args);
    require(fault.outcome == OUTCOME_DONE && args_given(&args, SLOT_LEASE), "an id in braces");
    require(args.slots[SLOT_LEASE].id.high == UINT64_C(0x0011223344556677), "its upper half");
    require(args.slots[SLOT_LEASE].id.low == UINT64_C(0x8899aabbccddeeff), "its lower half");
    fault = parse(grammar, "c k lease 00112233-4455-6677-8899-aabbccddeef", &args);
    require(fault.outcome == OUTCOME_INVALID_VALUE && fault.at == 3, "a digit is missing");
}

static enum outcome short_form_check(struct bytes text) {
    return text.length == GUID_DIGITS ? OUTCOME_DONE : OUTCOME_RECEIPT_MISSING;
}

TEST(ids_may_be_positional_arguments) {
    static const struct clause key = {.shape = SHAPE_KEY};
    static const struct clause id = {
        .shape = SHAPE_ID, .slot = SLOT_LEASE, .check = short_form_check, .fault = OUTCOME_INVALID_QUERY};
    struct grammar *grammar = GRAMMAR(&key, &id);
    struct args args;
    struct fault fault = parse(grammar, "c k 00112233445566778899aabbccddeeff", &args);
    require(fault.outcome == OUTCOME_DONE && args_given(&args, SLOT_LEASE), "an id");
    require(args.slots[SLOT_LEASE].id.low == UINT64_C(0x8899aabbccddeeff), "its lower half");
    fault = parse(grammar, "c k 00112233445566778899aabbccddeefg", &args);
    require(fault.outcome == OUTCOME_INVALID_QUERY && fault.at == 2, "a letter that is no digit");
    fault = parse(grammar, "c k ''", &args);
    require(fault.outcome == OUTCOME_RECEIPT_MISSING && fault.at == 2, "the rule comes first");
}

TEST(words_are_compared_in_full) {
    struct args args;
    const struct bytes argv[] = {bytes_text("c"), bytes_text("k"), bytes_text("n"), bytes_of("VALUE\0", 6),
                                 bytes_text("x")};
    struct fault fault = parse_words(&sample_grammar, argv, ARRAY_SIZE(argv), &args);
    require(fault.outcome == OUTCOME_SYNTAX && fault.at == 3, "a zero byte behind a token does not count");
}

TEST(a_missing_required_option_is_refused) {
    const struct {
        const char *line;
        enum outcome outcome;
        int at;
        bool missing;
    } cases[] = {
        {"c key VALUE x", OUTCOME_DONE, 0, false},
        {"c key NUMBER 1 VALUE x", OUTCOME_DONE, 0, false},
        {"c key VALUE x NUMBER 1", OUTCOME_DONE, 0, false},
        {"c key", SYNTAX, 0, true},
        {"c key NUMBER 1", SYNTAX, 0, true},
        {"c key NUMBER 9", SYNTAX, 0, true}, /* syntax before value */
        {"c key NUMBER", SYNTAX, 2, false},  /* among equals the first in argv */
        {"c key VALUE", SYNTAX, 2, false},
        {"c key NONSENSE", SYNTAX, 2, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct args args;
        struct fault fault = parse(&needy_grammar, cases[i].line, &args);
        require_same(fault.outcome, cases[i].outcome, "'%s'", cases[i].line);
        require_same(fault.missing != NULL, cases[i].missing, "'%s'", cases[i].line);
        if (fault.missing) require_bytes(fault.missing->token, bytes_text("VALUE"), "'%s'", cases[i].line);
        if (!fault.missing) require_same(fault.at, cases[i].at, "'%s'", cases[i].line);
    }
}

TEST(the_rest_of_a_line_may_be_any_words) {
    const char *const lines[] = {"c key", "c key x", "c key VALUE VALUE ''", "c key '' '' ''"};
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct args args;
        require_same(parse(&rest_grammar, lines[i], &args).outcome, OUTCOME_DONE, "'%s'", lines[i]);
        require_same(args.given, 0, "'%s'", lines[i]);
    }
}

TEST(lists_stand_among_the_first_words) {
    static const struct {
        const char *line;
        enum outcome outcome;
        int at, count;
    } lines[] = {
        {"c key 1 a b", OUTCOME_DONE, 0, 1},
        {"c key 2 a b c d FLAG", OUTCOME_DONE, 0, 2},
        {"c key 2 a b c d FLAG LATER 1.5", OUTCOME_DONE, 0, 2},
        {"c key 2 FLAG FLAG FLAG FLAG", OUTCOME_DONE, 0, 2},
        {"c key 0 a b", OUTCOME_SYNTAX, 2, 0},
        {"c key 2 a b c", OUTCOME_SYNTAX, 2, 0},
        {"c key 1 a b c", OUTCOME_SYNTAX, 5, 0},
        {"c key -1 a b", OUTCOME_SYNTAX, 2, 0},
        {"c key x a b", OUTCOME_SYNTAX, 2, 0},
        {"c key 1 a b FLAG FLAG", OUTCOME_SYNTAX, 6, 0},
        {"c key 2 a b '' d", OUTCOME_OUT_OF_RANGE_INPUT, 5, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct args args;
        expect_fault(&list_grammar, lines[i].line, &args, lines[i].outcome, lines[i].at);
        if (lines[i].outcome == OUTCOME_DONE)
            require_same(args.slots[SLOT_LISTED].count, lines[i].count, "'%s'", lines[i].line);
    }
}

/* Not the first fault counts, but that of the clause that is looked at first. */
TEST(a_fault_counts_when_its_clause_is_looked_at) {
    static const struct {
        const char *line;
        enum outcome outcome;
        int at;
    } lines[] = {
        {"c key 1 '' b LATER 61", OUTCOME_OUT_OF_RANGE_INPUT, 3},
        {"c key 1 a b LATEST 0 LATER 61", OUTCOME_OUT_OF_RANGE, 8},
        {"c key 1 a b LATEST x LATER y", OUTCOME_INVALID_QUERY, 8},
        {"c key 1 a b LATER -5", OUTCOME_OUT_OF_RANGE, 6},
        {"c key 1 a b LATER INFINITE", OUTCOME_OUT_OF_RANGE, 6},
        {"c key 1 a b LATER 1e3", OUTCOME_INVALID_QUERY, 6},
        {"c key 1 a b LATEST 10", OUTCOME_OUT_OF_RANGE, 6},
        {"c key 1 a b LATEST 99999999999999999999", OUTCOME_INVALID_QUERY, 6},
        {"c key 1 '' b LATER 61 NONSENSE", OUTCOME_SYNTAX, 7},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct args args;
        expect_fault(&list_grammar, lines[i].line, &args, lines[i].outcome, lines[i].at);
    }
}

/* A number and counted pairs that have no token: they are always there. */
TEST(pairs_may_come_without_a_token) {
    const struct {
        const char *line;
        enum outcome outcome;
        int at, count;
        int64_t place;
    } cases[] = {
        {"c key 0 0", OUTCOME_DONE, 4, 0, 0},
        {"c key 9 1 red x", OUTCOME_DONE, 4, 1, 9},
        {"c key 5 2 BLUE '' green red", OUTCOME_DONE, 4, 2, 5},
        {"c key 5 1 red NUMBER NUMBER 3", OUTCOME_DONE, 4, 1, 5},
        {"c key 5 1 red x NUMBER 6", VALUE, 7, 0, 0},
        {"c key 10 1 red x", PAGE, 2, 0, 0},
        {"c key -1 1 red x", PAGE, 2, 0, 0},
        {"c key x 1 red x", PAGE, 2, 0, 0},
        {"c key '' 0", PAGE, 2, 0, 0},
        {"c key 9223372036854775808 0", PAGE, 2, 0, 0},
        {"c key 10 1 red x NUMBER 6", PAGE, 2, 0, 0}, /* among equals the first */
        {"c key 10 1 yellow x", SYNTAX, 4, 0, 0},     /* syntax before value */
        {"c key 10 0 NONSENSE", SYNTAX, 4, 0, 0},
        {"c key 5 1", SYNTAX, 3, 0, 0},
        {"c key 5 1 red", SYNTAX, 3, 0, 0},
        {"c key 5 2 red x green", SYNTAX, 3, 0, 0},
        {"c key 5 -1 red x", SYNTAX, 3, 0, 0},
        {"c key 5 x red x", SYNTAX, 3, 0, 0},
        {"c key 5 '' red x", SYNTAX, 3, 0, 0},
        {"c key 5 01 red x", SYNTAX, 3, 0, 0},
        {"c key 5 9223372036854775807 red x", SYNTAX, 3, 0, 0},
        {"c key 5 4611686018427387905 red x", SYNTAX, 3, 0, 0},
        {"c key 5 4294967297 red x", SYNTAX, 3, 0, 0},
        {"c key 5 1 red x green y", SYNTAX, 6, 0, 0},
        {"c key 5 2 red x yellow y", SYNTAX, 6, 0, 0},
        {"c key 5 2 red x '' y", SYNTAX, 6, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct args args;
        struct fault fault = parse(&paired_grammar, cases[i].line, &args);
        require(fault.outcome == cases[i].outcome, "'%s': %s", cases[i].line, outcome_word(fault.outcome));
        if (fault.outcome != OUTCOME_DONE) {
            require_same(fault.at, cases[i].at, "'%s'", cases[i].line);
            continue;
        }
        require_same(args.slots[SLOT_PAIRS].at, cases[i].at, "'%s'", cases[i].line);
        require_same(args.slots[SLOT_PAIRS].count, cases[i].count, "'%s'", cases[i].line);
        require_same(args.slots[SLOT_PLACE].number, cases[i].place, "'%s'", cases[i].line);
    }
}

TEST(a_grammar_knows_its_minimum_of_words) {
    require_same(args_min(&sample_grammar), 3, "a name, a key and a text");
    require_same(args_min(&paired_grammar), 4, "a number counts, and the count of pairs");
    require_same(args_min(&needy_grammar), 2, "options do not count");
    require_same(args_min(&rest_grammar), 2, "nor does the rest");
    require_same(args_min(&list_grammar), 5, "a list has a count and one item");
}

/* Random words of the grammar's own and others in any order: whatever comes out, it is sound. */
TEST(random_words_are_parsed_soundly) {
    static const char *const vocabulary[] = {"IFMATCH", "IFMODIFIEDSINCE",
                                             "number",  "SMALL",
                                             "RANGE",   "VALUE",
                                             "CHOICE",  "WORDS",
                                             "META",    "POLICIES",
                                             "SOON",    "SPAN",
                                             "NAMED",   "0.5",
                                             "STEP",    "COMPARED",
                                             "TO",      "NONE",
                                             "ALL",     "STATE",
                                             "LE",      "0x0000000000000001",
                                             "0",       "1",
                                             "2",       "3",
                                             "-1",      "red",
                                             "one",     "two",
                                             "x",       "",
                                             "*",       "9223372036854775807"};
    struct dice dice = {1};
    unsigned done = 0;
    for (int i = 0; i < 200000; i++) {
        struct bytes argv[SAMPLE_WORDS_MAX];
        int argc = 3 + (int)dice_roll(&dice, 9);
        for (int word = 0; word < argc; word++)
            argv[word] = bytes_text(vocabulary[dice_roll(&dice, ARRAY_SIZE(vocabulary))]);
        struct args args;
        struct grammar *grammar = i % 8 || argc < 4 ? &sample_grammar : &paired_grammar;
        done += parse_words(grammar, argv, argc, &args).outcome == OUTCOME_DONE;
    }
    require(done > 1000, "only %u of all lines are right", done);
}

/* --- Long lines ----------------------------------------------------------------------------------------- */

enum { MANY = 1000000 };

static void parse_many(const char *count, const char *word, enum outcome expected) {
    struct bytes *argv = malloc((MANY + 5) * sizeof(*argv));
    require(argv, "there is memory");
    struct sample_words head = sample_words("c key name");
    memcpy(argv, head.argv, 3 * sizeof(*argv));
    int argc = 3;
    if (count) {
        argv[argc++] = bytes_text("META");
        argv[argc++] = bytes_text(count);
    }
    for (int i = 0; i < MANY; i++) argv[argc++] = bytes_text(word);
    struct args args;
    clock_t began = clock();
    struct fault fault = {.outcome = OUTCOME_DONE};
    args_learn(&sample_grammar);
    args_parse(&sample_grammar, argv, argc, &args, &fault);
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    require_same(fault.outcome, expected, "META %s and a million words '%s'", count ? count : "-", word);
    args_require_sound(&sample_grammar, argv, argc, &args, &fault);
    require(seconds < 1, "a million words '%s' took %.2f s", word, seconds);
    free(argv);
}

TEST(a_million_words_are_quick) {
    parse_many("500000", "word", OUTCOME_DONE);
    parse_many("499999", "word", OUTCOME_SYNTAX);
    parse_many("500001", "word", OUTCOME_SYNTAX);
    parse_many(NULL, "NONSENSE", OUTCOME_SYNTAX);
    parse_many(NULL, "VALUE", OUTCOME_SYNTAX);
}

/* Two words are all that the union has. */
static bool same_argument(const struct argument *one, const struct argument *other) {
    return one->at == other->at && one->count == other->count && guid_equal(one->id, other->id);
}

TEST(kept_arguments_are_those_that_were_parsed) {
    struct args args = {.given = ARGS_BIT(0) | ARGS_BIT(SLOT_BLOCK) | ARGS_BIT(SLOTS_MAX - 1)}, again;
    args.slots[0] = (struct argument){.at = 3, .number = 5, .length = 7};
    args.slots[SLOT_BLOCK] = (struct argument){.at = 4, .number = -1};
    args.slots[SLOTS_MAX - 1] = (struct argument){.at = 9, .count = 2, .id = {1, 2}};
    struct args_kept *kept = args_keep(&args);
    args_restore(kept, &again);
    require_same(again.given, args.given, "what is given");
    for (int slot = 0; slot < SLOTS_MAX; slot++)
        if (args_given(&args, slot))
            require(same_argument(&again.slots[slot], &args.slots[slot]), "slot %d", slot);
    memory_free(kept);
}
