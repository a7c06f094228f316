/* Properties of entities: their names, and lists of them. */
#include "table/property.h"

#include "table/ticks.h"
#include "unit.h"

#include <stdlib.h>

struct row { /* NOLINT(clang-analyzer-optin.performance.Padding) */
    const char *text;
    enum outcome outcome;
    const char *name;
    enum value_type type;
};

static const struct row rows[] = {
    {"age", OUTCOME_DONE, "age", VALUE_STRING},
    {"age:int32", OUTCOME_DONE, "age", VALUE_INT32},
    {"ids:int64", OUTCOME_DONE, "ids", VALUE_INT64},
    {"score:double", OUTCOME_DONE, "score", VALUE_DOUBLE},
    {"active:bool", OUTCOME_DONE, "active", VALUE_BOOL},
    {"born:datetime", OUTCOME_DONE, "born", VALUE_DATETIME},
    {"ref:guid", OUTCOME_DONE, "ref", VALUE_GUID},
    {"blob:binary", OUTCOME_DONE, "blob", VALUE_BINARY},
    {"name:string", OUTCOME_DONE, "name", VALUE_STRING},
    {"_", OUTCOME_DONE, "_", VALUE_STRING},
    {"_9z:bool", OUTCOME_DONE, "_9z", VALUE_BOOL},
    {"AZaz09_", OUTCOME_DONE, "AZaz09_", VALUE_STRING},
    {"gr\xc3\xb6\xc3\x9f"
     "e:int32",
     OUTCOME_DONE,
     "gr\xc3\xb6\xc3\x9f"
     "e",
     VALUE_INT32},
    {"\xc3\xb6", OUTCOME_DONE, "\xc3\xb6", VALUE_STRING},
    {"age:", OUTCOME_TYPE_UNKNOWN, NULL, VALUE_STRING},
    {"age:int", OUTCOME_TYPE_UNKNOWN, NULL, VALUE_STRING},
    {"age:Int32", OUTCOME_TYPE_UNKNOWN, NULL, VALUE_STRING},
    {"age:int32:int32", OUTCOME_TYPE_UNKNOWN, NULL, VALUE_STRING},
    {"age::int32", OUTCOME_TYPE_UNKNOWN, NULL, VALUE_STRING},
    {"age:int32 ", OUTCOME_TYPE_UNKNOWN, NULL, VALUE_STRING},
    {"", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {":int32", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"9a", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a-b", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a b", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a.b:int32", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a\xff", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"\xc3", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a@b", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a[", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a`", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a{", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a/", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
    {"a\x7f", OUTCOME_PROPERTY_NAME_INVALID, NULL, VALUE_STRING},
};

TEST(names_bring_their_types) {
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct bytes name;
        enum value_type type;
        require_same(property_name_read(bytes_text(rows[i].text), &name, &type), rows[i].outcome, "'%s'",
                     rows[i].text);
        if (rows[i].outcome != OUTCOME_DONE) continue;
        require_bytes(name, bytes_text(rows[i].name), "name of '%s'", rows[i].text);
        require_same(type, rows[i].type, "type of '%s'", rows[i].text);
        require_same(property_name_check(name), OUTCOME_DONE, "'%s'", rows[i].name);
    }
    require_same(property_name_check(bytes_text("a:b")), OUTCOME_PROPERTY_NAME_INVALID, "a colon");
    require_same(property_name_check(bytes_of("a\0b", 3)), OUTCOME_PROPERTY_NAME_INVALID, "a zero byte");
}

TEST(names_are_as_long_as_may_be) {
    char name[2000];
    memset(name, 'n', sizeof(name));
    memcpy(name + 255, ":int32", sizeof(":int32"));
    struct bytes read;
    enum value_type type;
    require_same(property_name_check(bytes_of(name, 255)), OUTCOME_DONE, "255");
    require_same(property_name_read(bytes_of(name, 261), &read, &type), OUTCOME_DONE, "255 and a type");
    memset(name, 'n', 256);
    require_same(property_name_check(bytes_of(name, 256)), OUTCOME_PROPERTY_NAME_TOO_LONG, "256");
    for (size_t i = 0; i < 256; i++) memcpy(name + 3 * i, "\xe2\x82\xac", sizeof("\xe2\x82\xac"));
    require_same(property_name_check(bytes_of(name, 765)), OUTCOME_DONE, "255 of three bytes");
    require_same(property_name_check(bytes_of(name, 768)), OUTCOME_PROPERTY_NAME_TOO_LONG,
                 "256 of three bytes");
}

TEST(lists_are_walked) {
    static const char *const texts[][2] = {{"a:int32", "7"},    {"b", "text"},
                                           {"c:bool", "true"},  {"d:datetime", "2026-11-18"},
                                           {"e:double", "0.5"}, {"f:binary", ""}};
    struct property property;
    RECORD_WRITER(writer);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        enum value_type type;
        require_same(property_name_read(bytes_text(texts[i][0]), &property.name, &type), OUTCOME_DONE,
                     "a name");
        require_same(value_read(type, bytes_text(texts[i][1]), &property.value), OUTCOME_DONE, "a value");
        property_put(&writer, &property);
    }
    struct record_reader reader = record_reader(record_written(&writer)), steps = reader;
    size_t count = 0;
    for (; property_next(&reader, &property); count++) {
        struct packed_property packed;
        struct value value;
        require(property_step(&steps, &packed), "a step");
        require_same(packed.name.data[0], 'a' + (int)count, "names in their order");
        require_bytes(property.name, packed.name, "the same name");
        require(value_unpack(packed.type, packed.body, &value), "a value");
        require_same(value.type, property.value.type, "the same type");
        require(memcmp(&value.guid, &property.value.guid, sizeof(value.guid)) == 0, "the same value");
    }
    require_same(count, ARRAY_SIZE(texts), "all of them");
    require(record_complete(&reader) && !property_step(&steps, &(struct packed_property){0}) &&
                record_complete(&steps),
            "no more");
}

/* What is cut anywhere is told of, by either walk. */
TEST(cut_lists_are_found) {
    RECORD_WRITER(writer);
    property_put(&writer,
                 &(struct property){bytes_text("name"), {.type = VALUE_STRING, .bytes = {"text", 4}}});
    size_t first = writer.length;
    property_put(&writer,
                 &(struct property){bytes_text("born"), {.type = VALUE_DATETIME, .number = TICKS_MAX}});
    for (size_t length = 0; length <= writer.length; length++) {
        char *copy = malloc(length + !length);
        require(copy, "there is memory");
        memcpy(copy, writer.data, length);
        struct record_reader reader = record_reader(bytes_of(copy, length)), steps = reader;
        struct property property;
        struct packed_property packed;
        size_t count = 0, step_count = 0;
        while (property_next(&reader, &property)) count++;
        while (property_step(&steps, &packed)) step_count++;
        bool whole = length == 0 || length == first || length == writer.length;
        require_same(record_complete(&reader), whole, "%zu bytes", length);
        require_same(record_complete(&steps), whole, "%zu bytes in steps", length);
        require_same(count, (length >= first) + (length == writer.length), "%zu bytes", length);
        require_same(step_count, count, "%zu bytes in steps", length);
        free(copy);
    }
}

TEST(property_records_of_other_forms_are_refused) {
    static const struct bytes records[] = {
        {"\0\x04", 2}, {"\x81\0a\x04", 4}, {"\1a\x0c\x02", 4}, {"\1a\x08", 3}};
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
        struct record_reader reader = record_reader(records[i]);
        struct property property;
        require(!property_next(&reader, &property) && reader.failed, "record %zu", i);
    }
}
