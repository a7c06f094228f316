/* The language of filters: what is one, what every part of it means, and where and why a text is none. */
#include "naive_row.h"
#include "table/filter_match.h"
#include "table/filter_parser.h"
#include "table/ticks.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Trees as text --- */

static char *write_node(const struct filter *filter, unsigned char number, char *at) {
    const struct filter_node *node = &filter->nodes[number];
    if (filter->all || node->kind == NODE_NOTHING) {
        *at = filter->all ? '1' : '0';
        return at + 1;
    }
    if (node->kind == NODE_COMPARISON) {
        struct bytes name = filter->comparisons[node->left].name;
        memcpy(at, name.data, name.length);
        return at + name.length;
    }
    *at++ = node->kind == NODE_NOT ? '!' : '(';
    at = write_node(filter, node->left, at);
    if (node->kind == NODE_NOT) return at;
    *at++ = node->kind == NODE_AND ? '&' : '|';
    at = write_node(filter, node->right, at);
    *at++ = ')';
    return at;
}

static const struct {
    const char *text, *tree;
} trees[] = {
    {"a", "a"},
    {"a or b and c", "(a|(b&c))"},
    {"a and b or c", "((a&b)|c)"},
    {"a and b and c", "((a&b)&c)"},
    {"a or b or c", "((a|b)|c)"},
    {"(a or b) and c", "((a|b)&c)"},
    {"not a and b", "(!a&b)"},
    {"not (a and b)", "!(a&b)"},
    {"not a or not b", "(!a|!b)"},
    {"not not a", "a"},
    {"not not not a", "!a"},
    {"not (not a)", "a"},
    {"not (not (not (a or not not b)))", "!(a|b)"},
    {"((a))", "a"},
    {"a and (b or c and not d)", "(a&(b|(c&!d)))"},
    {"a eq 1 or b eq 2 and c eq 3", "(a|(b&c))"},
    {"not a eq 1", "!a"},
    {"(a eq 1)and(b eq 2)or(c)", "((a&b)|c)"},
    {"not(a eq 'x')and b", "(!a&b)"},
    {"\r\n\ta\teq\n1\r", "a"},
    {"notable and order or andy", "((notable&order)|andy)"},
    {"equal eq 1 and lethal", "(equal&lethal)"},
    /* what is true or false is reckoned out */
    {"true", "1"},
    {"false", "0"},
    {"not true", "0"},
    {"not not true", "1"},
    {"(true)", "1"},
    {"not (false or not true)", "1"},
    {"true and a", "a"},
    {"a and true", "a"},
    {"a and false", "0"},
    {"false and a", "0"},
    {"true or a", "1"},
    {"a or true", "1"},
    {"a or false", "a"},
    {"false or a", "a"},
    {"true and (a or b)", "(a|b)"},
    {"not (true and a)", "!a"},
    {"not (true and not a)", "a"},
    {"not (not a and true)", "a"},
    {"not (not a or (false and b))", "a"},
    {"not (not a or (false and not b)) and c", "(a&c)"},
    {"c or not (not (a and b) or (false and not c))", "(c|(a&b))"},
    {"true and true and a and true and b", "(a&b)"},
    {"a eq true and true", "a"},
    {"true eq a", "a"},
    {"true eq a and false", "0"},
    {"false eq a or false", "a"},
    {"true and true eq a", "a"},
    {"not true eq a", "!a"},
    {"trueish and falsehood", "(trueish&falsehood)"},
    {"Not eq 1 and AND eq 2 and True", "((Not&AND)&True)"},
};

TEST(filter_trees_follow_the_precedence_of_operators) {
    for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
        struct filter filter ENDS_BY(filter_end);
        char tree[200];
        filter_of(bytes_text(trees[i].text), &filter);
        char *end = write_node(&filter, filter.root, tree);
        require_bytes(bytes_of(tree, (size_t)(end - tree)), bytes_text(trees[i].tree), "'%s'", trees[i].text);
    }
}

TEST(an_empty_filter_matches_every_row) {
    static const char *const texts[] = {"", " ", " \t\r\n "};
    struct row row = {.properties = {"", 0}};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct filter filter ENDS_BY(filter_end);
        size_t work = 0;
        filter_of(bytes_text(texts[i]), &filter);
        require(filter.all && filter_matches(&filter, &row, &work) && work == 1, "'%s'", texts[i]);
    }
    struct filter filter ENDS_BY(filter_end);
    filter_of(bytes_of(NULL, 0), &filter);
    require(filter.all, "nothing at all");
}

/* --- Literals --- */

static void require_literal(const char *text, struct value expected) {
    struct filter filter ENDS_BY(filter_end);
    char whole[200];
    (void)snprintf(whole, sizeof(whole), "P eq %s", text);
    filter_of(bytes_text(whole), &filter);
    const struct value *literal = &filter.comparisons[0].literal;
    require_same(literal->type, expected.type, "%s", text);
    switch (expected.type) {
    case VALUE_STRING:
    case VALUE_BINARY: require_bytes(literal->bytes, expected.bytes, "%s", text); break;
    case VALUE_DOUBLE:
        require(literal->real == expected.real && !signbit(literal->real) == !(expected.real < 0), "%s is %g",
                text, literal->real);
        break;
    case VALUE_GUID: require(guid_equal(literal->guid, expected.guid), "%s", text); break;
    default: require_same(literal->number, expected.number, "%s", text);
    }
}

TEST(numbers_are_literals_of_a_filter) {
    static const struct {
        const char *text;
        enum value_type type;
        int64_t number;
    } rows[] = {
        {"0", VALUE_INT32, 0},
        {"-0", VALUE_INT32, 0},
        {"007", VALUE_INT32, 7},
        {"-12", VALUE_INT32, -12},
        {"2147483647", VALUE_INT32, INT32_MAX},
        {"-2147483648", VALUE_INT32, INT32_MIN},
        {"12L", VALUE_INT64, 12},
        {"-9223372036854775808L", VALUE_INT64, INT64_MIN},
        {"9223372036854775807L", VALUE_INT64, INT64_MAX},
        {"true", VALUE_BOOL, 1},
        {"false", VALUE_BOOL, 0},
        {"datetime'1601-01-01T00:00:01Z'", VALUE_DATETIME, 10000000},
        {"datetime'9999-12-31T23:59:59.9999999Z'", VALUE_DATETIME, TICKS_MAX},
    };
    static const struct {
        const char *text;
        double real;
    } reals[] = {{"1.5", 1.5},        {"-0.0", 0},  {"1e3", 1000}, {"1E-3", 0.001},
                 {"12.25e+1", 122.5}, {"0.1", 0.1}, {"1e-400", 0}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        require_literal(rows[i].text, (struct value){.type = rows[i].type, .number = rows[i].number});
    for (size_t i = 0; i < ARRAY_SIZE(reals); i++)
        require_literal(reals[i].text, (struct value){.type = VALUE_DOUBLE, .real = reals[i].real});
}

TEST(texts_ids_and_bytes_are_literals_of_a_filter) {
    static const struct {
        const char *text;
        enum value_type type;
        struct bytes bytes;
    } rows[] = {
        {"''", VALUE_STRING, {"", 0}},
        {"'abc'", VALUE_STRING, {"abc", 3}},
        {"'O''Neil'", VALUE_STRING, {"O'Neil", 6}},
        {"''''", VALUE_STRING, {"'", 1}},
        {"''''''", VALUE_STRING, {"''", 2}},
        {"'a''''b'''", VALUE_STRING, {"a''b'", 5}},
        {"'(not a eq 1)'", VALUE_STRING, {"(not a eq 1)", 12}},
        {"'gr\xc3\xbc\xc3\x9f\xf0\x9f\x98\x80'", VALUE_STRING, {"gr\xc3\xbc\xc3\x9f\xf0\x9f\x98\x80", 10}},
        {"X''", VALUE_BINARY, {"", 0}},
        {"X'00fF'", VALUE_BINARY, {"\0\xff", 2}},
        {"binary'0A1b'", VALUE_BINARY, {"\x0a\x1b", 2}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        require_literal(rows[i].text, (struct value){.type = rows[i].type, .bytes = rows[i].bytes});
    require_literal("guid'00112233-4455-6677-8899-AAbbccddeeff'",
                    (struct value){.type = VALUE_GUID,
                                   .guid = {UINT64_C(0x0011223344556677), UINT64_C(0x8899aabbccddeeff)}});
}

TEST(literals_with_many_quotes_are_read) {
    for (size_t quotes = 1; quotes < 3000; quotes += quotes < 140 ? 1 : 97) {
        char *text = malloc(2 * quotes + 64), *at = text, *expected = malloc(quotes);
        struct filter filter;
        require(text && expected, "there is memory");
        at += sprintf(at, "PartitionKey eq '");
        memset(at, '\'', 2 * quotes);
        at += 2 * quotes;
        at += sprintf(at, "\xef\xbf\xbd' or a eq X'0102'");
        memset(expected, '\'', quotes);
        filter_of(bytes_of(text, (size_t)(at - text)), &filter);
        struct bytes literal = filter.comparisons[0].literal.bytes, key = filter.comparisons[0].key;
        require(literal.length == quotes + 3 && memcmp(literal.data, expected, quotes) == 0, "%zu quotes",
                quotes);
        require(key.length == literal.length && memcmp(key.data, expected, quotes) == 0,
                "%zu quotes of a key", quotes);
        require_bytes(bytes_of(literal.data + quotes, 3), bytes_text("\xef\xbf\xbd"), "the rest");
        require_bytes(bytes_of(key.data + quotes, 3), bytes_text("\xff\xbf\xbd"), "the rest as it is stored");
        require_bytes(filter.comparisons[1].literal.bytes, bytes_of("\1\2", 2), "another one");
        filter_end(&filter);
        free(text);
        free(expected);
    }
}

/* One doubled quote makes a copy of a text, and one character beyond EE makes another one as keys are stored. */
TEST(a_text_may_be_rewritten_twice) {
    for (int length = 1; length < 2000; length += 7) {
        char *text = malloc((size_t)length + 64), *expected = malloc((size_t)length + 64);
        struct filter filter;
        require(text && expected, "there is memory");
        size_t expected_length = (size_t)sprintf(expected, "'%0*d\xef\xbf\xbd", length, 0);
        (void)sprintf(text, "RowKey eq ''%s'", expected);
        filter_of(bytes_text(text), &filter);
        require_bytes(filter.comparisons[0].literal.bytes, bytes_of(expected, expected_length), "%d digits",
                      length);
        key_store(bytes_of(expected, expected_length), expected);
        require_bytes(filter.comparisons[0].key, bytes_of(expected, expected_length), "%d digits as a key",
                      length);
        filter_end(&filter);
        free(text);
        free(expected);
    }
}

/* --- Comparisons --- */

TEST(the_sides_of_a_comparison_may_be_exchanged) {
    static const struct {
        const char *text;
        enum filter_operator relation;
    } rows[] = {
        {"P eq 5", FILTER_EQ}, {"P ne 5", FILTER_NE}, {"P gt 5", FILTER_GT}, {"P ge 5", FILTER_GE},
        {"P lt 5", FILTER_LT}, {"P le 5", FILTER_LE}, {"5 eq P", FILTER_EQ}, {"5 ne P", FILTER_NE},
        {"5 gt P", FILTER_LT}, {"5 ge P", FILTER_LE}, {"5 lt P", FILTER_GT}, {"5 le P", FILTER_GE},
        {"P", FILTER_IS_TRUE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct filter filter ENDS_BY(filter_end);
        filter_of(bytes_text(rows[i].text), &filter);
        require_same(filter.comparisons[0].relation, rows[i].relation, "%s", rows[i].text);
        require_bytes(filter.comparisons[0].name, bytes_text("P"), "%s", rows[i].text);
    }
}

TEST(names_in_a_filter_have_indexes_and_subjects) {
    struct filter filter ENDS_BY(filter_end);
    filter_of(
        bytes_text(
            "a eq 1 and A eq 2 and a eq 3 and PartitionKey eq 'p' and RowKey eq 5 and Timestamp lt 5 and "
            "partitionkey eq 'x' and _ and gr\xc3\xbc\xc3\x9f"
            " eq 1"),
        &filter);
    static const enum filter_subject subjects[] = {SUBJECT_PROPERTY,  SUBJECT_PROPERTY, SUBJECT_PROPERTY,
                                                   SUBJECT_PARTITION, SUBJECT_ROW,      SUBJECT_TIMESTAMP,
                                                   SUBJECT_PROPERTY,  SUBJECT_PROPERTY, SUBJECT_PROPERTY};
    static const unsigned places[] = {0, 1, 0, 0, 0, 0, 2, 3, 4};
    static const char *const names[] = {"a", "A", "partitionkey", "_", "gr\xc3\xbc\xc3\x9f"};
    require_same(filter.comparison_count, ARRAY_SIZE(subjects), "comparisons");
    require_same(filter.name_count, ARRAY_SIZE(names), "different names");
    for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
        require_same(filter.comparisons[i].subject, subjects[i], "comparison %zu", i);
        require_same(filter.comparisons[i].name_index, places[i], "comparison %zu", i);
    }
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        require_bytes(filter.names[i], bytes_text(names[i]), "name %zu", i);
    require_bytes(filter.comparisons[3].key, bytes_text("p"), "a key");
}

/* --- Faults --- */

struct fault_row {
    const char *text;
    enum outcome outcome;
    size_t position;
    const char *says; /* a piece of the fault's text */
};

static const struct fault_row faults[] = {
    /* characters */
    {"P = 5", OUTCOME_INVALID_INPUT, 3, "eq, ne, gt"},
    {"P eq #", OUTCOME_INVALID_INPUT, 6, "character"},
    {"P eq \"x\"", OUTCOME_INVALID_INPUT, 6, "single quotes"},
    {"a;b", OUTCOME_INVALID_INPUT, 2, "character"},
    {"a eq 1 && b", OUTCOME_INVALID_INPUT, 8, "character"},
    {"a eq +1", OUTCOME_INVALID_INPUT, 6, "character"},
    {"a eq .5", OUTCOME_INVALID_INPUT, 6, "character"},
    {"a eq \x0b"
     "1",
     OUTCOME_INVALID_INPUT, 6, "character"},
    {"a/b eq 1", OUTCOME_INVALID_INPUT, 2, "character"},
    {"a eq 1 \xff", OUTCOME_INVALID_INPUT, 8, "UTF-8"},
    {"a eq '\xc3'", OUTCOME_INVALID_INPUT, 7, "UTF-8"},
    {"a eq '\xed\xa0\x80'", OUTCOME_INVALID_INPUT, 7, "UTF-8"},
    /* quotes */
    {"a eq 'x", OUTCOME_INVALID_INPUT, 6, "never closed"},
    {"a eq '", OUTCOME_INVALID_INPUT, 6, "never closed"},
    {"a eq 'x''", OUTCOME_INVALID_INPUT, 6, "never closed"},
    {"a eq guid'x", OUTCOME_INVALID_INPUT, 10, "never closed"},
    {"a eq'x'", OUTCOME_INVALID_INPUT, 3, "datetime, guid, X or binary"},
    {"a eq x'00'", OUTCOME_INVALID_INPUT, 6, "datetime, guid, X or binary"},
    {"a eq Datetime'2026-01-01'", OUTCOME_INVALID_INPUT, 6, "datetime, guid, X or binary"},
    {"a eq true'1'", OUTCOME_INVALID_INPUT, 6, "datetime, guid, X or binary"},
    {"a eq 'x' 'y'", OUTCOME_INVALID_INPUT, 10, "'and', 'or' or the end"},
    /* literals */
    {"a eq X'0'", OUTCOME_INVALID_INPUT, 9, "one more hexadecimal digit"},
    {"a eq X'0g'", OUTCOME_INVALID_INPUT, 9, "a hexadecimal digit"},
    {"a eq binary'00 11'", OUTCOME_INVALID_INPUT, 15, "a hexadecimal digit"},
    {"a eq guid''", OUTCOME_INVALID_INPUT, 11, "an id"},
    {"a eq guid'00112233445566778899aabbccddeeff'", OUTCOME_INVALID_INPUT, 11, "an id"},
    {"a eq guid'{00112233-4455-6677-8899-aabbccddeeff}'", OUTCOME_INVALID_INPUT, 11, "an id"},
    {"a eq guid'00112233-4455-6677-8899-aabbccddeefg'", OUTCOME_INVALID_INPUT, 11, "an id"},
    {"a eq datetime'2026-02-29'", OUTCOME_INVALID_INPUT, 15, "an instant"},
    {"a eq datetime''", OUTCOME_INVALID_INPUT, 15, "an instant"},
    {"a eq datetime'1600-12-31'", OUTCOME_INSTANT_OUT_OF_RANGE, 15, "1601"},
    {"a eq datetime'9999-12-31T23:00-01:00'", OUTCOME_INSTANT_OUT_OF_RANGE, 15, "9999"},
    {"a eq 2147483648", OUTCOME_INVALID_INPUT, 6, "int32"},
    {"a eq -2147483649", OUTCOME_INVALID_INPUT, 6, "int32"},
    {"a eq 99999999999999999999", OUTCOME_INVALID_INPUT, 6, "int32"},
    {"a eq 9223372036854775808L", OUTCOME_INVALID_INPUT, 6, "int64"},
    {"a eq -9223372036854775809L", OUTCOME_INVALID_INPUT, 6, "int64"},
    {"a eq 1e400", OUTCOME_INVALID_INPUT, 6, "double"},
    {"a eq -", OUTCOME_INVALID_INPUT, 6, "minus"},
    {"a eq --1", OUTCOME_INVALID_INPUT, 6, "minus"},
    {"a eq -L", OUTCOME_INVALID_INPUT, 6, "minus"},
    {"a eq 5x", OUTCOME_INVALID_INPUT, 7, "a number is written"},
    {"a eq 5.", OUTCOME_INVALID_INPUT, 7, "a number is written"},
    {"a eq 5.L", OUTCOME_INVALID_INPUT, 7, "a number is written"},
    {"a eq 5.5L", OUTCOME_INVALID_INPUT, 9, "a number is written"},
    {"a eq 5l", OUTCOME_INVALID_INPUT, 7, "a number is written"},
    {"a eq 5LL", OUTCOME_INVALID_INPUT, 8, "a number is written"},
    {"a eq 5e", OUTCOME_INVALID_INPUT, 7, "a number is written"},
    {"a eq 5e+", OUTCOME_INVALID_INPUT, 7, "a number is written"},
    {"a eq 1.2.3", OUTCOME_INVALID_INPUT, 9, "a number is written"},
    {"a eq 0x10", OUTCOME_INVALID_INPUT, 7, "a number is written"},
    {"a eq 5'x'", OUTCOME_INVALID_INPUT, 7, "a number is written"},
    {"a eq 5and b", OUTCOME_INVALID_INPUT, 7, "a number is written"},
    {"5a eq 1", OUTCOME_INVALID_INPUT, 2, "a number is written"},
    {"a eq NaN", OUTCOME_INVALID_INPUT, 6, "a literal behind 'eq'"},
    {"a eq null", OUTCOME_INVALID_INPUT, 6, "null"},
    /* what stands where nothing like it can */
    {"eq 5", OUTCOME_INVALID_INPUT, 1, "a comparison, 'not' or '('"},
    {"and", OUTCOME_INVALID_INPUT, 1, "a comparison, 'not' or '('"},
    {"null eq a", OUTCOME_INVALID_INPUT, 1, "a comparison, 'not' or '('"},
    {"(", OUTCOME_INVALID_INPUT, 2, "a comparison, 'not' or '('"},
    {"()", OUTCOME_INVALID_INPUT, 2, "a comparison, 'not' or '('"},
    {"not", OUTCOME_INVALID_INPUT, 4, "a comparison, 'not' or '('"},
    {"not eq 5", OUTCOME_INVALID_INPUT, 5, "a comparison, 'not' or '('"},
    {"a eq 1 and", OUTCOME_INVALID_INPUT, 11, "a comparison, 'not' or '('"},
    {"a eq 1 or or b", OUTCOME_INVALID_INPUT, 11, "a comparison, 'not' or '('"},
    {")", OUTCOME_INVALID_INPUT, 1, "a comparison, 'not' or '('"},
    {"a eq", OUTCOME_INVALID_INPUT, 5, "a literal behind 'eq'"},
    {"a ne ", OUTCOME_INVALID_INPUT, 6, "a literal behind 'ne'"},
    {"a gt b", OUTCOME_INVALID_INPUT, 6, "a literal behind 'gt'"},
    {"a ge (5)", OUTCOME_INVALID_INPUT, 6, "a literal behind 'ge'"},
    {"a lt eq", OUTCOME_INVALID_INPUT, 6, "a literal behind 'lt'"},
    {"a le and", OUTCOME_INVALID_INPUT, 6, "a literal behind 'le'"},
    {"a EQ 5", OUTCOME_INVALID_INPUT, 3, "eq, ne, gt"},
    {"a eq 5 AND b", OUTCOME_INVALID_INPUT, 8, "'and', 'or' or the end"},
    {"a add 1 eq 5", OUTCOME_INVALID_INPUT, 3, "eq, ne, gt"},
    {"a 5", OUTCOME_INVALID_INPUT, 3, "eq, ne, gt"},
    {"a eq True", OUTCOME_INVALID_INPUT, 6, "a literal behind 'eq'"},
    {"a eq 5 eq 5", OUTCOME_INVALID_INPUT, 8, "'and', 'or' or the end"},
    {"a not b", OUTCOME_INVALID_INPUT, 3, "'and', 'or' or the end"},
    {"startswith(a,'b')", OUTCOME_INVALID_INPUT, 11, "functions"},
    {"a eq 5)", OUTCOME_INVALID_INPUT, 7, "no '('"},
    {"(a eq 5", OUTCOME_INVALID_INPUT, 8, "')'"},
    {"((a eq 5)", OUTCOME_INVALID_INPUT, 10, "')'"},
    {"(a eq 5 b", OUTCOME_INVALID_INPUT, 9, "')'"},
    {"1", OUTCOME_INVALID_INPUT, 2, "an operator behind the literal"},
    {"'true' and a", OUTCOME_INVALID_INPUT, 8, "an operator behind the literal"},
    {"true a", OUTCOME_INVALID_INPUT, 6, "'and', 'or' or the end"},
    {"true false", OUTCOME_INVALID_INPUT, 6, "'and', 'or' or the end"},
    {"true not a", OUTCOME_INVALID_INPUT, 6, "'and', 'or' or the end"},
    {"true and", OUTCOME_INVALID_INPUT, 9, "a comparison"},
    {"(true", OUTCOME_INVALID_INPUT, 6, "')'"},
    {"false and (a eq)", OUTCOME_INVALID_INPUT, 16, "a literal behind 'eq'"},
    {"true eq true", OUTCOME_NOT_IMPLEMENTED, 9, "one side"},
    {"true(a)", OUTCOME_INVALID_INPUT, 5, "'and', 'or' or the end"},
    {"5 and a", OUTCOME_INVALID_INPUT, 3, "an operator behind the literal"},
    {"5 eq", OUTCOME_INVALID_INPUT, 5, "a property behind the operator"},
    {"5 eq not", OUTCOME_INVALID_INPUT, 6, "a property behind the operator"},
    {"1 eq 1", OUTCOME_NOT_IMPLEMENTED, 6, "one side"},
    {"a eq 1 or 'x' lt  true", OUTCOME_NOT_IMPLEMENTED, 19, "one side"},
};

static void require_fault(struct bytes text, enum outcome outcome, size_t position, const char *says) {
    struct filter filter;
    struct filter_fault fault = {0};
    int shown = (int)(text.length < 100 ? text.length : 100);
    require(!filter_compile(text, &filter, &fault), "'%.*s' is a filter", shown, text.data);
    require_same(fault.outcome, outcome, "'%.*s': %s", shown, text.data, fault.text);
    require_same(fault.position, position, "'%.*s': %s", shown, text.data, fault.text);
    require(strstr(fault.text, says), "'%.*s' says '%s'", shown, text.data, fault.text);
}

TEST(faults_say_where_and_why) {
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
        require_fault(bytes_text(faults[i].text), faults[i].outcome, faults[i].position, faults[i].says);
    require_fault(bytes_of("a\0", 2), OUTCOME_INVALID_INPUT, 2, "outside a quoted string");
    require_fault(bytes_of("\0", 1), OUTCOME_INVALID_INPUT, 1, "outside a quoted string");
    require_fault(bytes_of("a eq 1\0", 7), OUTCOME_INVALID_INPUT, 7, "outside a quoted string");
    require_fault(bytes_of("a eq 'b\0c", 9), OUTCOME_INVALID_INPUT, 6, "never closed");
    require_fault(bytes_of("a eq X'0\0'", 10), OUTCOME_INVALID_INPUT, 9, "hexadecimal");
    require_fault(bytes_of("a eq guid'\0'", 12), OUTCOME_INVALID_INPUT, 11, "id");
    require_fault(bytes_of("a eq datetime'2026-11-18\0'", 26), OUTCOME_INVALID_INPUT, 15, "instant");
}

/* --- Limits --- */

TEST(a_filter_has_at_most_fifteen_comparisons) {
    static const char *const pieces[] = {"a eq 1", "a", "not 5 lt b"};
    for (size_t kind = 0; kind < ARRAY_SIZE(pieces); kind++) {
        char text[500] = "";
        struct filter filter;
        for (int i = 0; i < 15; i++)
            (void)sprintf(text + strlen(text), "%s%s", i ? i % 2 ? " and " : " or " : "", pieces[kind]);
        filter_of(bytes_text(text), &filter);
        require_same(filter.comparison_count, 15, "all of them");
        filter_end(&filter);
        size_t length = strlen(text);
        (void)sprintf(text + length, " and x");
        require_fault(bytes_text(text), OUTCOME_INVALID_INPUT, length + 6, "15 comparisons");
    }
}

/* However many there are: true and false are no comparisons, and take no room. */
TEST(constants_are_no_comparisons) {
    static char text[100000];
    char *at = text;
    struct filter filter;
    for (int i = 0; i < 15; i++) {
        for (int more = 0; more < 100; more++)
            at += sprintf(at, "%s", more % 2 ? "true and not false and " : "not (not (true)) and ");
        at += sprintf(at, "%snot (false or a eq %d)", i % 2 ? "not " : "", i);
        at += sprintf(at, "%s", i < 14 ? " and (true and true) and " : "");
    }
    filter_of(bytes_text(text), &filter);
    require_same(filter.comparison_count, 15, "comparisons");
    require(filter.node_count <= 15 + 15 + 14 + 14, "%u nodes", filter.node_count);
    filter_end(&filter);
    at += sprintf(at, " or false or x");
    require_fault(bytes_of(text, (size_t)(at - text)), OUTCOME_INVALID_INPUT, (size_t)(at - text),
                  "15 comparisons");
}

/* Every node behind nots, most of them two: there is room for what is left. */
TEST(nots_do_not_fill_the_room) {
    char text[4000], *at = text;
    struct filter filter ENDS_BY(filter_end);
    for (int i = 0; i < 14; i++) at += sprintf(at, "not (not (not (not not not a and ");
    at += sprintf(at, "not (not (not a))");
    for (int i = 0; i < 14; i++) at += sprintf(at, ")))");
    filter_of(bytes_text(text), &filter);
    require(filter.node_count <= 15 + 15 + 14 + 14, "%u nodes", filter.node_count);
    require_same(filter.comparison_count, 15, "comparisons");
}

/* So many of the one, a name, and as many of the other. */
static char *put_nested(char *at, int depth, const char *open, const char *close) {
    for (int i = 0; i < depth; i++) at += sprintf(at, "%s", open);
    at += sprintf(at, "a");
    for (int i = 0; i < depth; i++) at += sprintf(at, "%s", close);
    return at;
}

static void require_depth(const char *open, const char *close) {
    char text[2000];
    struct filter filter;
    (void)put_nested(text, 100, open, close);
    filter_of(bytes_text(text), &filter);
    require_same(filter.node_count, 1, "an even number of nots is none");
    filter_end(&filter);
    (void)put_nested(text, 101, open, close);
    require_fault(bytes_text(text), OUTCOME_INVALID_INPUT, 100 * strlen(open) + 1,
                  "100 parentheses and nots");
}

TEST(the_depth_of_a_filter_is_limited) {
    require_depth("(", ")");
    require_depth("not ", "");
    char text[2000], *at = text;
    struct filter filter;
    for (int i = 0; i < 15; i++) {
        at += sprintf(at, "%s", i ? " and " : "");
        at = put_nested(at, 50, "(", ")");
    }
    filter_of(bytes_text(text), &filter); /* side by side is not in each other */
    filter_end(&filter);
    static char deep[1000000];
    memset(deep, '(', sizeof(deep));
    require_fault(bytes_of(deep, sizeof(deep)), OUTCOME_INVALID_INPUT, 101, "nested");
}

TEST(the_size_of_a_filter_is_limited) {
    static char text[FILTER_MAX_BYTES + 1];
    struct filter filter;
    memset(text, ' ', sizeof(text));
    filter_of(bytes_of(text, FILTER_MAX_BYTES), &filter);
    filter_end(&filter);
    require_fault(bytes_of(text, FILTER_MAX_BYTES + 1), OUTCOME_INVALID_INPUT, FILTER_MAX_BYTES + 1,
                  "1048576");
    char name[400];
    memset(name, 'n', sizeof(name));
    filter_of(bytes_of(name, 255), &filter);
    filter_end(&filter);
    require_fault(bytes_of(name, 256), OUTCOME_INVALID_INPUT, 1, "255 characters");
}

/* A filter cut anywhere, in as many bytes as it has, is read no further than that. */
TEST(cut_filters_are_read_no_further_than_their_end) {
    static const char text[] =
        "not (PartitionKey eq 'O''Neil\xf0\x9f\x98\x80') and datetime'2026-11-18T09:00:00.1234567Z' lt "
        "Timestamp or "
        "id eq guid'00112233-4455-6677-8899-aabbccddeeff' and b eq X'00ff' or -12.5e-3 ge c and (flag)";
    size_t sound = 0;
    for (size_t length = 0; length < sizeof(text); length++) {
        char *copy = malloc(length + !length);
        struct filter filter;
        struct filter_fault fault;
        require(copy, "there is memory");
        memcpy(copy, text, length);
        if (filter_compile(bytes_of(copy, length), &filter, &fault)) {
            sound++;
            filter_end(&filter);
        } else {
            require(fault.position >= 1 && fault.position <= length + 1, "position %zu of %zu",
                    fault.position, length);
            require(fault.text && *fault.text, "it says something");
        }
        free(copy);
    }
    require(sound > 5 && sound < 40, "%zu beginnings are filters", sound);
}
