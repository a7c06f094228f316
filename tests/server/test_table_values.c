/* Properties and keys: what every type takes and gives, in both protocols, that what was read can be written back, and
 * every limit just inside and just outside. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "random.h"
#include "steps.h"
#include "tables.h"
#include "text.h"
#include "traces.h"
#include "wire.h"

enum { ANYTHING_ROUNDS = 400, PROPERTIES = 10 };

/* clang-format off */
static const struct {
    const char *type, *written, *resp2, *resp3; /* resp3 as resp2 when NULL; both as the server's own doubles when both are */
} values[] = {
    {"",          "text",                        "\"text\"",                 NULL},
    {":string",   "text",                        "\"text\"",                 NULL},
    {"",          "''",                          "\"\"",                     NULL},
    {"",          "\xc3\xa4\xf0\x9f\x98\x80",    "\"\\xc3\\xa4\\xf0\\x9f\\x98\\x80\"", NULL},
    {":int32",    "0",                           "0",                        NULL},
    {":int32",    "-1",                          "-1",                       NULL},
    {":int32",    "2147483647",                  "2147483647",               NULL},
    {":int32",    "-2147483648",                 "-2147483648",              NULL},
    {":int64",    "0",                           "\"0\"", NULL},
    {":int64",    "2147483648",                  "\"2147483648\"", NULL},
    {":int64",    "9223372036854775807",         "\"9223372036854775807\"", NULL},
    {":int64",    "-9223372036854775808",        "\"-9223372036854775808\"", NULL},
    {":double",   "0",                           "\"0\"",                    "0"},
    {":double",   "-0.0",                        "\"0\"",                    "0"},
    {":double",   "1.5",                         "\"1.5\"",                  "1.5"},
    {":double",   "-2",                          "\"-2\"",                   "-2"},
    {":double",   "0.1",                         NULL, NULL},
    {":double",   "1.7976931348623157e308",      NULL, NULL},
    {":double",   "-5e-324",                     NULL, NULL},
    {":double",   "NaN",                         "\"NaN\"",                  "\"NaN\""},
    {":double",   "Infinity",                    "\"inf\"",                  "inf"},
    {":double",   "-Infinity",                   "\"-inf\"",                 "-inf"},
    {":bool",     "true",                        "1",                        "t"},
    {":bool",     "1",                           "1",                        "t"},
    {":bool",     "false",                       "0",                        "f"},
    {":bool",     "0",                           "0",                        "f"},
    {":datetime", "2026-11-18T09:00:00Z",        "\"2026-11-18T09:00:00.0000000Z\"", NULL},
    {":datetime", "2026-11-18",                  "\"2026-11-18T00:00:00.0000000Z\"", NULL},
    {":datetime", "2024-02-29T23:59:59.5",       "\"2024-02-29T23:59:59.5000000Z\"", NULL},
    {":datetime", "2026-11-18T09:00:00.1234567Z", "\"2026-11-18T09:00:00.1234567Z\"", NULL},
    {":datetime", "2026-11-18T01:30:00+02:00",   "\"2026-11-17T23:30:00.0000000Z\"", NULL},
    {":datetime", "2026-12-31T23:30:00-00:30",   "\"2027-01-01T00:00:00.0000000Z\"", NULL},
    {":datetime", "1601-01-01T00:00:00Z",        "\"1601-01-01T00:00:00.0000000Z\"", NULL},
    {":datetime", "9999-12-31T23:59:59.9999999Z", "\"9999-12-31T23:59:59.9999999Z\"", NULL},
    {":guid",     "C9DA6455-213D-42C9-9A79-3E9149A57833", "\"c9da6455-213d-42c9-9a79-3e9149a57833\"", NULL},
    {":binary",   "''",                          "\"\"",                     NULL},
    {":binary",   "\xff\xfe\x80",                "\"\\xff\\xfe\\x80\"",      NULL},
};
/* clang-format on */

/* Servers differ in how many digits they write: how this one writes a score, in both protocols. */
static const char *own_double(struct wire *wire, const char *written, const char **resp3) {
    call(primary, "ZADD own %s member", written);
    *resp3 = reply_text(wire_call(wire, "ZSCORE own member"));
    const char *resp2 = reply_text(call(primary, "ZSCORE own member"));
    expect_number(call(primary, "DEL own"), 1);
    return resp2;
}

BEFORE_EACH {
    table_setup();
}

TEST(every_type_comes_back_as_what_it_is) {
    struct wire *wire = wire_open_resp3(primary->server);
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        const char *type = values[i].type, *shown = strcmp(type, ":string") != 0 ? type : "";
        const char *resp2 = values[i].resp2, *resp3 = values[i].resp3 ? values[i].resp3 : resp2;
        if (!resp2) resp2 = own_double(wire, values[i].written, &resp3);
        written(pool_print("TABLE.INSERTORREPLACE t p r PROPS 1 v%s %s", type, values[i].written));
        expect_shape(ask("TABLE.GET t p r"), pool_print("[<etag>, [\"v%s\", %s]]", shown, resp2));
        expect_shape(wire_call(wire, "TABLE.GET t p r"), pool_print("[<etag>, {\"v%s\": %s}]", shown, resp3));
        expect_shape(wire_call(wire, "TABLE.QUERY t"),
                     pool_print("[null, [[\"p\", \"r\", <etag>, {\"v%s\": %s}]]]", shown, resp3));
    }
}

/* Not by how they look, but by the protocol's own types. */
TEST(types_of_replies) {
    written("TABLE.INSERT t p r PROPS 5 i:int32 1 l:int64 1 d:double 1 b:bool 1 s 1");
    redisReply *plain = ask("TABLE.GET t p r")->element[1];
    redisReply *third = wire_call(wire_open_resp3(primary->server), "TABLE.GET t p r")->element[1];
    static const struct {
        const char *name;
        int resp2, resp3;
    } types[] = {{"i:int32", REDIS_REPLY_INTEGER, REDIS_REPLY_INTEGER},
                 {"l:int64", REDIS_REPLY_STRING, REDIS_REPLY_STRING},
                 {"d:double", REDIS_REPLY_STRING, REPLY_DOUBLE},
                 {"b:bool", REDIS_REPLY_INTEGER, REPLY_BOOLEAN},
                 {"s", REDIS_REPLY_STRING, REDIS_REPLY_STRING}};
    assert_int_equal(plain->type, REDIS_REPLY_ARRAY);
    assert_int_equal(third->type, REPLY_MAP);
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        assert_int_equal(field(plain, types[i].name)->type, types[i].resp2);
        assert_int_equal(field(third, types[i].name)->type, types[i].resp3);
    }
}

TEST(strings_may_hold_zero_bytes) {
    expect_etag(
        call(primary, "TABLE.INSERT t p r PROPS 2 s %b b:binary %b", "a\0b", (size_t)3, "\0", (size_t)1));
    redisReply *map = ask("TABLE.GET t p r")->element[1];
    expect_bytes(field(map, "s"), "a\0b", 3);
    expect_bytes(field(map, "b:binary"), "\0", 1);
}

/* --- What was read can be written back --- */

static const char *some_double(void) {
    union {
        char bytes[8];
        double number;
    } bits;
    random_fill(bits.bytes, sizeof(bits.bytes));
    return pool_print("%.17g", bits.number);
}

static const char *some_string(void) {
    static const char *const parts[] = {"",   "a",  "'",   " ",           "\xc3\xa4", "\xf0\x9f\x98\x80",
                                        "\"", "\n", "0x1", "\xef\xbd\x9e"};
    struct text text = EMPTY_TEXT;
    for (int count = random_below(6); count > 0; count--) text_print(&text, "%s", parts[random_below(10)]);
    return text.bytes;
}

static void add_some_value(struct words *words, int number) {
    static const char *const types[] = {"",      ":int32",    ":int64", ":double",
                                        ":bool", ":datetime", ":guid",  ":binary"};
    int type = random_below(8);
    words_add(words, pool_print("v%d%s", number, types[type]));
    long long big =
        (long long)((unsigned long long)random_below(1 << 30) << 34 | (unsigned)random_below(1 << 30) << 4);
    switch (type) {
    case 1: words_add_number(words, random_below(1 << 30) - (1 << 29)); break;
    case 2: words_add_number(words, random_below(2) ? big : -big); break;
    case 3: words_add(words, some_double()); break;
    case 4: words_add(words, random_below(2) ? "true" : "false"); break;
    case 5:
        words_add(words, pool_print("%04d-%02d-%02dT%02d:%02d:%02d.%07dZ", 1601 + random_below(8399),
                                    1 + random_below(12), 1 + random_below(28), random_below(24),
                                    random_below(60), random_below(60), random_below(10000000)));
        break;
    case 6:
        words_add(words, pool_print("%08x-%04x-%04x-%04x-%04x%08x", random_below(1 << 30),
                                    random_below(65536), random_below(65536), random_below(65536),
                                    random_below(65536), random_below(1 << 30)));
        break;
    case 7: {
        char bytes[40];
        size_t length = random_size(sizeof(bytes));
        random_fill(bytes, length);
        words_add_bytes(words, bytes, length);
        break;
    }
    default: words_add(words, some_string());
    }
}

static void add_as_read(struct words *words, const redisReply *value) {
    if (value->type == REPLY_BOOLEAN)
        words_add(words, *value->str == 't' ? "true" : "false");
    else if (value->type == REDIS_REPLY_INTEGER)
        words_add_number(words, value->integer);
    else
        words_add_bytes(words, value->str, value->len);
}

static void write_back(const char *row, const redisReply *map) {
    struct words words = words_of_line("TABLE.INSERTORREPLACE t p");
    words_add(&words, row);
    words_add_line(&words, pool_print("PROPS %zu", map->elements / 2));
    for (size_t i = 0; i < map->elements; i += 2) {
        words_add_bytes(&words, map->element[i]->str, map->element[i]->len);
        add_as_read(&words, map->element[i + 1]);
    }
    expect_etag(call_words(primary, &words));
}

TEST(properties_that_were_read_can_be_written_back) {
    random_begin();
    struct wire *wire = wire_open_resp3(primary->server);
    for (int round = 0; round < ANYTHING_ROUNDS; round++) {
        struct words words = words_of_line(pool_print("TABLE.INSERTORREPLACE t p r PROPS %d", PROPERTIES));
        for (int number = 0; number < PROPERTIES; number++) add_some_value(&words, number);
        expect_etag(call_words(primary, &words));
        redisReply *plain = ask("TABLE.GET t p r")->element[1];
        redisReply *third = wire_call(wire, "TABLE.GET t p r")->element[1];
        write_back("plain", plain);
        write_back("third", third);
        require(reply_same(ask("TABLE.GET t p plain")->element[1], plain), "%s", reply_text(plain));
        require(reply_same(wire_call(wire, "TABLE.GET t p third")->element[1], third), "%s",
                reply_text(third));
        require(reply_same(ask("TABLE.GET t p third")->element[1], plain), "%s", reply_text(plain));
    }
}

/* Whole numbers of a script are doubles, as those of many clients: what is read there must not be rounded. */
TEST(scripts_write_large_numbers_back_as_they_were) {
    static const char *const numbers[] = {"9007199254740993", "-9007199254740993", "9223372036854775807",
                                          "-9223372036854775808", "0"};
    static const char *const readers[] = {
        "local map = redis.call('TABLE.GET', KEYS[1], 'p', 'r')[2]",
        "local map = redis.call('TABLE.GET', KEYS[1], 'p', 'r', 'SELECT', 1, 'n')[2]",
        "local map = redis.call('TABLE.QUERY', KEYS[1], 'FILTER', [[RowKey eq 'r']])[2][1][4]",
        "redis.setresp(3) local map = {} "
        "for name, n in pairs(redis.call('TABLE.GET', KEYS[1], 'p', 'r')[2].map) do map = {name, n} end"};
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        written(pool_print("TABLE.INSERTORREPLACE t p r PROPS 1 n:int64 %s", numbers[i]));
        for (size_t reader = 0; reader < ARRAY_SIZE(readers); reader++) {
            const char *script = pool_print("%s return redis.call('TABLE.INSERTORREPLACE', KEYS[1], 'p', "
                                            "'back', 'PROPS', 1, map[1], map[2])",
                                            readers[reader]);
            expect_etag(call(primary, "EVAL %s 1 t", script));
            expect_shape(ask("TABLE.GET t p back"),
                         pool_print("[<etag>, [\"n:int64\", \"%s\"]]", numbers[i]));
        }
    }
}

/* All of it, with what only SELECT shows. */
TEST(selected_properties_can_be_written_back) {
    written("TABLE.INSERT t p r PROPS 2 n:int32 5 s x");
    redisReply *map = ask("TABLE.GET t p r SELECT 5 Timestamp n PartitionKey s RowKey")->element[1];
    expect_elements(map, 10);
    write_back("r", map);
    expect_shape(ask("TABLE.GET t p r"), "[<etag>, [\"n:int32\", 5, \"s\", \"x\"]]");
    redisReply *whole = ask("TABLE.GET t p r SELECT 2 Timestamp *")->element[1];
    expect_elements(whole, 6);
    expect_text(whole->element[0], "Timestamp:datetime");
    expect_error(ask("TABLE.INSERT t p s PROPS 2 PartitionKey p RowKey r"), BAD_INPUT);
}

/* --- What no type takes --- */

TEST(values_that_are_not_of_their_type) {
    static const struct {
        const char *type, *values;
    } rows[] = {
        {"int32", "'' x 1.0 1e3 2147483648 -2147483649 0x1 1x -- 9223372036854775808 1_0 \"1 \" \" 1\""},
        {"int64", "'' x 1.0 9223372036854775808 -9223372036854775809 0x1 1L 18446744073709551616 \" 1\""},
        {"double", "'' x 1.5.2 1e309 -1e309 0x1p3 1,5 nan1 1e . - \"1 \" infinit"},
        {"bool", "'' TRUE True yes 2 -1 t \" true\""},
        {"datetime", "'' x 2026-13-01 2026-02-29 2026-11-31 2026-00-10 2026-1-1 2026-11-18T25:00:00Z "
                     "2026-11-18T09:60:00Z 2026-11-18T09:00:00.12345678Z 2026-11-18T09:00:00+1 2026-11-18Tx "
                     "2026-11-18T09:00:00ZZ 20261118 \"2026-11-18 09:00:00\" 1795000000000"},
        {"guid", "'' x c9da6455-213d-42c9-9a79-3e9149a5783 "
                 "c9da6455-213d-42c9-9a79-3e9149a578333 g9da6455-213d-42c9-9a79-3e9149a57833 "
                 "c9da6455_213d_42c9_9a79_3e9149a57833"},
        {"string", "\xff \xc3 \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 a\xe2\x82"},
    };
    written("TABLE.INSERT t p r PROPS 1 a b");
    traces_begin("none");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct words words = step_words(rows[i].values);
        for (size_t value = 0; value < words.count; value++) {
            redisReply *reply = call(primary, "TABLE.MERGE t p r IFMATCH * PROPS 2 good x v:%s %s",
                                     rows[i].type, words.word[value]);
            require(reply_is_error(reply) && text_begins(reply->str, BAD_INPUT), "%s %s gives %s",
                    rows[i].type, words.word[value], reply_text(reply));
        }
    }
    traces_require_none();
}

TEST(instants_out_of_range_are_refused) {
    static const char *const instants[] = {"1600-12-31",
                                           "1600-12-31T23:59:59.9999999Z",
                                           "0001-01-01T00:00:00Z",
                                           "1601-01-01T00:00:00+00:01",
                                           "9999-12-31T23:59:59.9999999-00:01",
                                           NULL};
    traces_begin("none");
    for (const char *const *instant = instants; *instant; instant++)
        expect_error(call(primary, "TABLE.INSERT t p r PROPS 1 v:datetime %s", *instant),
                     "INVALID OutOfRangeInput");
    traces_require_none();
}

TEST(names_and_suffixes_that_are_none) {
    static const struct answered rows[] = {
        {"TABLE.INSERT t p r PROPS 1 1a x", "INVALID PropertyNameInvalid"},
        {"TABLE.INSERT t p r PROPS 1 '' x", "INVALID PropertyNameInvalid"},
        {"TABLE.INSERT t p r PROPS 1 :int32 1", "INVALID PropertyNameInvalid"},
        {"TABLE.INSERT t p r PROPS 1 a-b x", "INVALID PropertyNameInvalid"},
        {"TABLE.INSERT t p r PROPS 1 \"a b\" x", "INVALID PropertyNameInvalid"},
        {"TABLE.INSERT t p r PROPS 1 a.b x", "INVALID PropertyNameInvalid"},
        {"TABLE.INSERT t p r PROPS 1 \"$a\" x", "INVALID PropertyNameInvalid"},
        {"TABLE.INSERT t p r PROPS 1 \xff x", "INVALID PropertyNameInvalid"},
        {"TABLE.INSERT t p r PROPS 1 a: x", BAD_INPUT},
        {"TABLE.INSERT t p r PROPS 1 a:int 1", BAD_INPUT},
        {"TABLE.INSERT t p r PROPS 1 a:Int32 1", BAD_INPUT},
        {"TABLE.INSERT t p r PROPS 1 a:int32: 1", BAD_INPUT},
        {"TABLE.INSERT t p r PROPS 1 a:int32:int32 1", BAD_INPUT},
        {"TABLE.INSERT t p r PROPS 1 a:Edm.Int32 1", BAD_INPUT},
        {"TABLE.INSERT t p r PROPS 1 a:float 1", BAD_INPUT},
        {"TABLE.INSERT t p r PROPS 1 256*a x", "INVALID PropertyNameTooLong"},
        {"TABLE.INSERT t p r PROPS 3 255*a x _ y \xc3\xa4_1 z", NULL},
    };
    play_answers(rows);
}

/* --- Limits, just inside and just outside --- */

static const char *many(const char *piece, int count) {
    struct text text = EMPTY_TEXT;
    for (; count; count--) text_print(&text, "%s", piece);
    return text.bytes;
}

#define UMLAUT "\xc3\xa4"
#define SMILE  "\xf0\x9f\x98\x80"

/* What counts are UTF-16 code units: one for a letter, two for a character beyond the first plane. */
TEST(lengths_are_counted_in_code_units) {
    static const struct {
        const char *piece;
        int units;
    } pieces[] = {{"k", 1}, {UMLAUT, 1}, {"\xe2\x82\xac", 1}, {SMILE, 2}};
    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        const char *piece = pieces[i].piece;
        int units = pieces[i].units;
        const char *key = many(piece, 512 / units), *string = many(piece, 32768 / units);
        const char *name = many(piece, 255 / units), *line = "TABLE.INSERT t %s %s PROPS 1 %s %s";
        expect_etag(call(primary, line, key, key, i ? name : "name", string));
        redisReply *entity = call(primary, "TABLE.GET t %s %s", key, key);
        expect_text(entity->element[1]->element[1], string);
        traces_begin("none");
        expect_error(call(primary, line, pool_print("%s%s", key, piece), "r", "a", "b"),
                     "INVALID PropertyValueTooLarge");
        expect_error(call(primary, line, "p", pool_print("%s%s", key, piece), "a", "b"),
                     "INVALID PropertyValueTooLarge");
        expect_error(call(primary, line, "p", "r", "a", pool_print("%s%s", string, piece)),
                     "INVALID PropertyValueTooLarge");
        expect_error(call(primary, line, "p", "r", pool_print("%s%s", name, piece), "b"),
                     "INVALID PropertyNameTooLong");
        expect_error(call(primary, "TABLE.GET t p %s", pool_print("%s%s", key, piece)),
                     "INVALID PropertyValueTooLarge");
        traces_require_none();
    }
}

enum { ENTITY_MAX = 1 << 20, BINARY_MAX = 65536, OWN = 8, OVERHEAD = 18 };

/* Binary properties b00, b01, ..., of which the service counts so many bytes together with the keys p and r. */
static struct words entity_of_size(const char *command, int size) {
    struct words words = words_of_line(command);
    size_t counted_at = words.count;
    char *bytes = pool_take(BINARY_MAX + 1);
    memset(bytes, 'x', BINARY_MAX);
    words_add(&words, "0");
    int number = 0;
    for (int left = size - OWN; left > 0; number++) {
        int length = left - OVERHEAD < BINARY_MAX ? left - OVERHEAD : BINARY_MAX;
        if (left - OVERHEAD - length > 0 && left - OVERHEAD - length < OVERHEAD) length -= OVERHEAD;
        words_add(&words, pool_print("b%02d:binary", number));
        words_add_bytes(&words, bytes, (size_t)length);
        left -= length + OVERHEAD;
    }
    words_replace(&words, counted_at, pool_print("%d", number));
    return words;
}

TEST(an_entity_has_a_mebibyte) {
    struct words words = entity_of_size("TABLE.INSERT t p r PROPS", ENTITY_MAX);
    expect_etag(call_words(primary, &words));
    /* A bool under a name of one letter: 8 + 2 + 1. */
    step_play("TABLE.MERGE t p r IFMATCH * PROPS 1 x:bool 1", "INVALID EntityTooLarge", 0);
    words = entity_of_size("TABLE.REPLACE t p r IFMATCH * PROPS", ENTITY_MAX + 1);
    traces_begin("none");
    expect_error(call_words(primary, &words), "INVALID EntityTooLarge");
    words = entity_of_size("TABLE.INSERT t p s PROPS", ENTITY_MAX + 1);
    expect_error(call_words(primary, &words), "INVALID EntityTooLarge");
    traces_require_none();
    words = entity_of_size("TABLE.REPLACE t p r IFMATCH * PROPS", ENTITY_MAX - 11);
    expect_etag(call_words(primary, &words));
    written("TABLE.MERGE t p r IFMATCH * PROPS 1 x:bool 1");
    step_play("TABLE.MERGE t p r IFMATCH * PROPS 1 y:bool 1", "INVALID EntityTooLarge", 0);
}

enum { REQUEST_MAX = 4 << 20 };

/* Five inserts of binary values whose words behind the table's name have so many bytes. */
static struct words request_of_size(int size) {
    struct words words = words_of_line("TABLE.BATCH t p 5");
    int left = size - 2, operation = 0;
    char *bytes = pool_take(BINARY_MAX);
    for (; operation < 5; operation++) {
        words_add_line(&words, pool_print("INSERT r%d PROPS 14", operation));
        left -= 15;
        for (int number = 0; number < 14; number++) {
            int length = operation * 14 + number == 69 ? left - 10 : 59900;
            words_add(&words, pool_print("v%02d:binary", number));
            words_add_bytes(&words, bytes, (size_t)length);
            left -= length + 10;
        }
    }
    assert_int_equal(left, 0);
    return words;
}

TEST(a_request_has_four_mebibytes) {
    struct words words = request_of_size(REQUEST_MAX + 1);
    traces_begin("none");
    expect_error(call_words(primary, &words), "INVALID RequestBodyTooLarge");
    traces_require_none();
    words = request_of_size(REQUEST_MAX);
    expect_elements(call_words(primary, &words), 5);
    assert_string_equal(found("SELECT 1 none"), "p/r0 p/r1 p/r2 p/r3 p/r4");
}

/* All arguments count as they were sent, also those of which little is kept: 5 * 252 zeros, each of 4000 digits. */
TEST(long_texts_of_small_values_count_in_the_request) {
    enum { DIGITS = 4000, MAX = 252 };
    struct words words = words_of_line("TABLE.BATCH t p 5");
    char *digits = pool_take(DIGITS + 1);
    memset(digits, '0', DIGITS);
    digits[DIGITS] = '\0';
    for (int operation = 0; operation < 5; operation++) {
        words_add_line(&words, pool_print("INSERT r%d PROPS %d", operation, MAX));
        for (int number = 0; number < MAX; number++) {
            words_add(&words, pool_print("v%d:double", number));
            words_add(&words, digits);
        }
    }
    traces_begin("none");
    expect_error(call_words(primary, &words), "INVALID RequestBodyTooLarge");
    traces_require_none();
}

/* Indexes of a table without entities are complete at once, so that nothing goes on behind the scenes. */
TEST(limits_of_lists) {
    step_play("TABLE.INDEX t i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12 i13 i14 i15 i16", "OK", 0);
    step_play("TABLE.INDEX t i17", BAD_INPUT, 0);
    step_play("TABLE.INDEX t i1", "OK", 0);
    expect_elements(ask("TABLE.INDEXES t"), 16);
    written("TABLE.INSERT t p r PROPS 1 p7 x");
    struct words words = words_of_line("TABLE.GET t p r SELECT 255");
    for (int i = 0; i < 255; i++) words_add(&words, pool_print("p%d", i));
    expect_shape(call_words(primary, &words), "[<etag>, [\"p7\", \"x\"]]");
    words_add(&words, "more");
    words_replace(&words, 5, "256");
    expect_error(call_words(primary, &words), BAD_INPUT);
}
