/* Matching: the matrix of types, and the rules cell by cell: what is absent, what is not a number, keys, instants. */
#include "naive_row.h"
#include "table/comparison.h"
#include "table/filter_match.h"
#include "unit.h"

#include <stdio.h>

/* An entity from texts: "name:type=value" each, ended by NULL. */
struct sample {
    struct record_writer properties;
    char partition[64], row[64];
    struct row seen;
};

static struct bytes store(const char *key, char room[64]) {
    key_store(bytes_text(key), room);
    return bytes_of(room, strlen(key));
}

static void add(struct sample *sample, const char *text) {
    struct property property;
    enum value_type type;
    const char *equals = strchr(text, '=');
    require_same(property_name_read(bytes_of(text, (size_t)(equals - text)), &property.name, &type),
                 OUTCOME_DONE, "%s", text);
    require_same(value_read(type, bytes_text(equals + 1), &property.value), OUTCOME_DONE, "%s", text);
    property_put(&sample->properties, &property);
    sample->seen.properties = record_written(&sample->properties);
}

static void start(struct sample *sample, const char *partition, const char *row, const char *const *texts) {
    record_start(&sample->properties);
    sample->seen = (struct row){.ticks = INT64_C(116444736000000000), .properties = {"", 0}};
    sample->seen.partition = store(partition, sample->partition);
    sample->seen.row = store(row, sample->row);
    for (; *texts; texts++) add(sample, *texts);
}

static bool matches(const struct sample *sample, const char *text) {
    struct filter filter;
    size_t work = 0;
    filter_of(bytes_text(text), &filter);
    bool answer = filter_matches(&filter, &sample->seen, &work);
    filter_end(&filter);
    require(work >= 1, "'%s' costs nothing", text);
    return answer;
}

/* --- The matrix of types --- */

struct stored_row {
    const char *type;
    const char *values[3]; /* one below the literals, one like them, one above, as far as there are such */
    const char *meets;     /* a column for each literal */
};

/* An instant with an offset from UTC is one row more, and no other type. */
static const char *const literals[] = {"'5'",
                                       "5",
                                       "5L",
                                       "5.0",
                                       "true",
                                       "datetime'2005-05-05T05:05:05Z'",
                                       "guid'55555555-5555-5555-5555-555555555555'",
                                       "X'55'"};
static const struct stored_row stored_rows[] = {
    /*                                                                             text int32 int64 double bool instant id bytes */
    {"string", {"4", "5", "6"}, "x......."},
    {"int32", {"4", "5", "6"}, ".x......"},
    {"int64", {"4", "5", "6"}, ".xx....."},
    {"double", {"4.5", "5", "5.5"}, ".xxx...."},
    {"bool", {"false", "true", NULL}, "....x..."},
    {"datetime",
     {"2005-05-05T05:05:04Z", "2005-05-05T05:05:05Z", "2005-05-05T05:05:05.0000001Z"},
     ".....x.."},
    {"datetime",
     {"2005-05-05T05:05:05+01:00", "2005-05-05T07:05:05+02:00", "2005-05-05T05:05:05-00:01"},
     ".....x.."},
    {"guid",
     {"55555555-5555-5555-5555-555555555554", "55555555-5555-5555-5555-555555555555",
      "55555555-5555-5555-a555-555555555555"},
     "......x."},
    {"binary", {"T", "U", "U\x01"}, ".......x"},
};

static const struct {
    const char *word;
    const char *holds; /* below, equal, above */
} relations[] = {{"eq", ".x."}, {"ne", "x.x"}, {"gt", "..x"}, {"ge", ".xx"}, {"lt", "x.."}, {"le", "xx."}};

TEST(every_type_meets_every_literal) {
    size_t cells = 0;
    for (size_t i = 0; i < ARRAY_SIZE(stored_rows); i++)
        for (size_t j = 0; j < ARRAY_SIZE(literals); j++)
            for (size_t k = 0; k < ARRAY_SIZE(relations); k++, cells++)
                for (size_t at = 0; at < 3 && stored_rows[i].values[at]; at++) {
                    char property[80], text[120];
                    struct sample sample;
                    (void)snprintf(property, sizeof(property), "P:%s=%s", stored_rows[i].type,
                                   stored_rows[i].values[at]);
                    (void)snprintf(text, sizeof(text), "P %s %s", relations[k].word, literals[j]);
                    start(&sample, "p", "r", (const char *[]){"A=1", property, "Z=1", NULL});
                    bool meets = stored_rows[i].meets[j] == 'x';
                    require_same(matches(&sample, text), relations[k].holds[meets ? at : 0] == 'x',
                                 "%s and %s", property, text);
                    record_end(&sample.properties);
                }
    require_same(cells, 432, "cells of the matrix");
}

TEST(an_absent_property_fails_every_comparison) {
    struct sample sample;
    start(&sample, "p", "r", (const char *[]){"Q:int32=1", NULL});
    for (size_t j = 0; j < ARRAY_SIZE(literals); j++)
        for (size_t k = 0; k < ARRAY_SIZE(relations); k++) {
            char text[120];
            (void)snprintf(text, sizeof(text), "P %s %s", relations[k].word, literals[j]);
            require(!matches(&sample, text), "%s", text);
            (void)snprintf(text, sizeof(text), "not (P %s %s)", relations[k].word, literals[j]);
            require(matches(&sample, text), "%s", text);
        }
    require(!matches(&sample, "P") && matches(&sample, "not P"), "alone");
    require(!matches(&sample, "q ne 1"), "names mind their case");
    record_end(&sample.properties);
}

/* --- Samples --- */

struct case_row {
    const char *text;
    bool holds;
};

static void require_cases(const struct sample *sample, const struct case_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        require_same(matches(sample, rows[i].text), rows[i].holds, "%s", rows[i].text);
}

TEST(a_property_alone_is_true) {
    static const struct case_row rows[] = {
        {"yes", true},
        {"no", false},
        {"one", false},
        {"text", false},
        {"none", false},
        {"not no", true},
        {"not none", true},
        {"not yes", false},
        {"PartitionKey", false},
        {"RowKey", false},
        {"Timestamp", false},
        {"not RowKey", true},
        {"yes and not no", true},
    };
    struct sample sample;
    start(&sample, "true", "1",
          (const char *[]){"yes:bool=1", "no:bool=0", "one:int32=1", "text=true", NULL});
    require_cases(&sample, rows, ARRAY_SIZE(rows));
    record_end(&sample.properties);
}

TEST(nan_is_unequal_to_everything) {
    static const struct case_row rows[] = {
        {"n eq 1", false},   {"n ne 1", true},       {"n lt 1", false},
        {"n le 1", false},   {"n gt 1", false},      {"n ge 1", false},
        {"n eq 1.0", false}, {"n ne 1.0", true},     {"n lt 1.0", false},
        {"n gt 1.0", false}, {"n le 1L", false},     {"n ne 1L", true},
        {"n lt 'a'", true},  {"n le true", true},    {"n ne X''", true},
        {"n eq 'a'", false}, {"n gt 'a'", false},    {"n ge 'a'", false},
        {"i gt 1", true},    {"i ge 1.0e300", true}, {"i gt 9223372036854775807L", true},
        {"i lt 1", false},   {"m lt 1", true},       {"m lt -9223372036854775808L", true},
        {"m gt 1", false},   {"n", false},
    };
    struct sample sample;
    start(&sample, "p", "r", (const char *[]){"n:double=NaN", "i:double=inf", "m:double=-Infinity", NULL});
    require_cases(&sample, rows, ARRAY_SIZE(rows));
    record_end(&sample.properties);
}

/* Neither side is rounded to be like the other. */
TEST(whole_numbers_meet_doubles_exactly) {
    static const struct case_row rows[] = {
        {"d lt 9007199254740993L", true},
        {"d eq 9007199254740992L", true},
        {"d eq 9007199254740993L", false},
        {"e gt 9223372036854775807L", true},
        {"e eq 9223372036854775807L", false},
        {"f eq -9223372036854775808L", true},
        {"h gt 2", true},
        {"h lt 3", true},
        {"h ne 2", true},
        {"h eq 2", false},
        {"g lt -2", true},
        {"g gt -3", true},
        {"z eq 0", true},
        {"z eq 0L", true},
        {"z ge -0.0", true},
    };
    struct sample sample;
    start(&sample, "p", "r",
          (const char *[]){"d:double=9007199254740992", "e:double=9223372036854775808",
                           "f:double=-9223372036854775808", "h:double=2.5", "g:double=-2.5", "z:double=-0",
                           NULL});
    require_cases(&sample, rows, ARRAY_SIZE(rows));
    record_end(&sample.properties);
}

TEST(texts_stand_in_the_order_of_units) {
    static const struct case_row rows[] = {
        {"s lt 'b'", true},
        {"s lt 'bB'", true},
        {"s gt 'A'", true},
        {"s ge 'B'", true},
        {"s gt ''", true},
        {"s eq 'b'", false},
        {"e eq ''", true},
        {"e lt 'a'", true},
        {"q eq 'O''Neil'", true},
        {"h gt '\xf0\x9f\x98\x80'", true},
        {"t lt '\xef\xbf\xbd'", true},
        {"t gt '\xed\x9f\xbf'", true},
        {"b gt X''", true},
        {"b lt X'6162'", true},
        {"b ge X'61'", true},
        {"p ge 'abc' and p lt 'abd'", true},
        {"p ge 'abd' or p lt 'abc'", false},
    };
    struct sample sample;
    start(&sample, "p", "r",
          (const char *[]){"s=B", "e=", "q=O'Neil", "h=\xef\xbf\xbd", "t=\xf0\x9f\x98\x80", "b:binary=a",
                           "p=abcz", NULL});
    require_cases(&sample, rows, ARRAY_SIZE(rows));
    record_end(&sample.properties);
}

TEST(keys_and_instants_are_always_there) {
    static const struct case_row rows[] = {
        {"PartitionKey eq 'eu'", true},
        {"PartitionKey eq 'EU'", false},
        {"PartitionKey ne 'e'", true},
        {"PartitionKey gt 'e' and PartitionKey lt 'ev'", true},
        {"RowKey gt '\xf0\x9f\x98\x80'", true},
        {"RowKey eq '\xee\x80\x80'", true},
        {"RowKey lt '\xef\xbf\xbd'", true},
        {"'\xee\x80\x80z' gt RowKey", true},
        {"PartitionKey eq 'a/b?'", false},
        {"PartitionKey gt 'a/b?'", true},
        {"PartitionKey lt 'z#'", true},
        {"PartitionKey eq 5", false},
        {"PartitionKey ne 5", true},
        {"RowKey lt true", true},
        {"RowKey le X'00'", true},
        {"RowKey gt 5.0", false},
        {"not (RowKey ge 1L)", true},
        {"Timestamp eq datetime'1970-01-01'", true},
        {"Timestamp lt datetime'1970-01-01T00:00:00.0000001'", true},
        {"Timestamp gt datetime'1969-12-31T23:59:59.9999999Z'", true},
        {"Timestamp eq '1970-01-01'", false},
        {"Timestamp lt '1970-01-01'", true},
        {"Timestamp ge 0", false},
        {"partitionkey ne 'x'", false},
        {"PartitionKey eq 'eu' and RowKey eq '\xee\x80\x80' and v eq 7", true},
    };
    struct sample sample;
    start(&sample, "eu", "\xee\x80\x80", (const char *[]){"v:int32=7", NULL});
    require_cases(&sample, rows, ARRAY_SIZE(rows));
    record_end(&sample.properties);
}

TEST(words_bind_as_they_should) {
    static const struct case_row rows[] = {
        {"t or f and f", true},
        {"(t or f) and f", false},
        {"f and f or t", true},
        {"f and (f or t)", false},
        {"not f and f", false},
        {"not (f and f)", true},
        {"not t or t", true},
        {"not (t or t)", false},
        {"not not t", true},
        {"not (not (not t))", false},
        {"t and not f and not (f or not t)", true},
    };
    struct sample sample;
    start(&sample, "p", "r", (const char *[]){"t:bool=1", "f:bool=0", NULL});
    require_cases(&sample, rows, ARRAY_SIZE(rows));
    record_end(&sample.properties);
}

/* --- Cost --- */

static size_t cost(const struct sample *sample, const char *text) {
    struct filter filter;
    size_t work = 1000;
    filter_of(bytes_text(text), &filter);
    (void)filter_matches(&filter, &sample->seen, &work);
    filter_end(&filter);
    return work - 1000;
}

TEST(work_grows_with_what_is_looked_at) {
    static char text[2000];
    struct sample sample;
    start(&sample, "p", "r", (const char *[]){"first=1", NULL});
    for (int i = 0; i < 200; i++) {
        (void)sprintf(text, "p%d=x", i);
        add(&sample, text);
    }
    (void)sprintf(text, "last=%01000d", 0);
    add(&sample, text);
    require_same(cost(&sample, "first eq '1'"), 1, "found at once");
    require_same(cost(&sample, "first eq '2' or first eq '3'"), 2, "two comparisons");
    require_same(cost(&sample, "first eq '1' or first eq '3'"), 1, "the second one is not needed");
    require_same(cost(&sample, "none eq '1'"), 1 + 202 / 4, "all of them are passed over");
    require_same(cost(&sample, "last eq '1'"), 1 + 202 / 4, "short");
    require_same(cost(&sample, "RowKey eq 'x' and none eq 1"), 1, "properties are not looked at");
    (void)sprintf(text, "last eq '%01000d'", 0);
    require_same(cost(&sample, text), 1 + 202 / 4 + 1000 / 256, "long");
    record_end(&sample.properties);
}
