/* Entities: their states in one allocation, merges against naive ones, and the limits as the storage service counts. */
#include "table/entity.h"

#include "core/memory.h"
#include "property_draw.h"
#include "table/filter_match.h"
#include "table/key.h"
#include "unit.h"

static const struct bytes stored = {"part\0row", 8};

static struct packed_list written(const struct record_writer *room, uint64_t count) {
    return (struct packed_list){count, record_written(room)};
}

/* A property of so many bytes. */
static void put_binary(struct record_writer *room, const char *name, size_t length) {
    static char bytes[VALUE_BINARY_MAX_BYTES];
    property_put(
        room, &(struct property){bytes_text(name), {.type = VALUE_BINARY, .bytes = bytes_of(bytes, length)}});
}

/* --- States --- */

static void require_state(const struct entity *entity, const struct entity_state *state) {
    struct row row = entity_row(entity);
    require_bytes(entry_name(&entity->entry), state->key, "its key");
    require_bytes(row.partition, bytes_text("part"), "its partition");
    require_bytes(row.row, bytes_text("row"), "its row");
    require_same(row.ticks, state->ticks, "its Timestamp");
    require_same(entity->etag, state->etag, "its ETag");
    require_same(entity_properties(entity).count, state->properties.count, "its properties");
    require_bytes(entity_properties(entity).items, state->properties.items, "its properties");
    require_bytes(row.properties, state->properties.items, "its properties");
}

TEST(an_entity_is_written_anew_in_place) {
    static const struct {
        size_t before, after;
        bool stays;
    } lengths[] = {{100, 100, true},  {100, 60, false},    {1000, 984, false}, {1000, 100, false},
                   {100, 400, false}, {4000, 1000, false}, {0, 0, true},       {4000, 4000, true}};
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        RECORD_WRITER(before);
        RECORD_WRITER(after);
        put_binary(&before, "b", lengths[i].before);
        put_binary(&after, "a", lengths[i].after);
        struct entity_state first = {stored, 1, 2, written(&before, 1)};
        struct entity_state second = {stored, 3, 4, written(&after, 1)};
        struct entity *entity = entity_new(&first);
        require_state(entity, &first);
        require_same(entity_rewrite(entity, &second), lengths[i].stays, "case %zu", i);
        require_state(entity, lengths[i].stays ? &second : &first);
        memory_free(entity);
    }
}

/* Sizes come in steps: of neighbouring lengths all but one pair share theirs. */
TEST(a_slightly_longer_entity_mostly_stays_in_place) {
    enum { STEP = 16 };
    unsigned stayed = 0;
    for (size_t length = 1000; length < 1000 + STEP; length++) {
        RECORD_WRITER(before);
        RECORD_WRITER(after);
        put_binary(&before, "b", length);
        put_binary(&after, "b", length + 1);
        struct entity_state first = {stored, 1, 2, written(&before, 1)};
        struct entity_state second = {stored, 3, 4, written(&after, 1)};
        struct entity *entity = entity_new(&first);
        stayed += entity_rewrite(entity, &second);
        memory_free(entity);
    }
    require_same(stayed, STEP - 1, "pairs");
}

TEST(an_entity_may_have_nothing) {
    struct entity_state bare = {bytes_of("\0", 1), 1, 2, {0, {"", 0}}};
    struct entity *entity = entity_new(&bare);
    struct row row = entity_row(entity);
    struct property property;
    require_same(row.partition.length + row.row.length + row.properties.length, 0,
                 "empty keys, no properties");
    require(!properties_find_name(entity_properties(entity), bytes_text("a"), &property), "nothing is found");
    memory_free(entity);
}

TEST(system_properties_are_recognised_by_name) {
    static const struct {
        const char *name;
        enum filter_subject subject;
    } names[] = {
        {"PartitionKey", SUBJECT_PARTITION},
        {"RowKey", SUBJECT_ROW},
        {"Timestamp", SUBJECT_TIMESTAMP},
        {"partitionkey", SUBJECT_PROPERTY},
        {"RowKeys", SUBJECT_PROPERTY},
        {"Timestam", SUBJECT_PROPERTY},
        {"", SUBJECT_PROPERTY},
    };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        require_same(filter_subject_of(bytes_text(names[i].name)), names[i].subject, "'%s'", names[i].name);
}

/* --- Lists --- */

TEST(names_are_found_and_stand_once) {
    struct dice dice = {8};
    for (int round = 0; round < 3000; round++) {
        RECORD_WRITER(room);
        struct packed_list list = properties_draw(&dice, &room);
        require(properties_unique(list), "each name was drawn once");
        struct record_reader reader = record_reader(list.items);
        struct property property, found;
        for (uint64_t i = 0; i < list.count; i++) {
            require(property_next(&reader, &property), "property %d", (int)i);
            require(properties_find_name(list, property.name, &found), "property %d", (int)i);
            require(found.name.data == property.name.data, "it is that one");
            require_same(found.value.type, property.value.type, "property %d", (int)i);
        }
        require(!properties_find_name(list, bytes_text("p"), &found), "the beginning of a name");
        if (list.count) {
            require(properties_find_name(list, property.name, &found), "the last one");
            char name[16];
            require(found.name.length <= sizeof(name), "a short one");
            memcpy(name, found.name.data, found.name.length);
            property_put(&room, &(struct property){bytes_of(name, found.name.length), {.type = VALUE_BOOL}});
            require(!properties_unique(written(&room, list.count + 1)), "and now twice");
        }
    }
}

/* --- Merges --- */

struct plain {
    struct bytes name, whole;
};

static size_t plain_list(struct packed_list list, struct plain *plain) {
    struct record_reader reader = record_reader(list.items);
    struct property property;
    size_t count = 0;
    for (const char *from = reader.at; property_next(&reader, &property); from = reader.at)
        plain[count++] = (struct plain){property.name, bytes_of(from, (size_t)(reader.at - from))};
    return count;
}

/* In place of the one of its name, or behind all others. */
static size_t merge_plain(struct plain *standing, size_t count, const struct plain *given) {
    for (size_t i = 0; i < count; i++)
        if (bytes_equal(standing[i].name, given->name)) {
            standing[i] = *given;
            return count;
        }
    standing[count] = *given;
    return count + 1;
}

TEST(merges_are_like_naive_ones) {
    static struct plain standing[2 * PROPERTIES_MAX], given[PROPERTIES_MAX];
    struct dice dice = {9};
    for (int round = 0; round < 3000; round++) {
        struct record_writer rooms[2], room, expected;
        for (int i = 0; i < 2; i++) record_start(&rooms[i]);
        record_start(&room);
        record_start(&expected);
        struct packed_list one = properties_draw(&dice, &rooms[0]), other = properties_draw(&dice, &rooms[1]);
        size_t count = plain_list(one, standing), more = plain_list(other, given);
        for (size_t i = 0; i < more; i++) count = merge_plain(standing, count, &given[i]);
        for (size_t i = 0; i < count; i++) record_put_raw(&expected, standing[i].whole);
        struct packed_list merged = properties_merge(one, other, &room);
        require_same(merged.count, count, "round %d", round);
        require_bytes(merged.items, record_written(&expected), "round %d", round);
        record_end(&expected);
        record_end(&room);
        for (int i = 0; i < 2; i++) record_end(&rooms[i]);
    }
}

/* --- Limits --- */

/* How much 15 binary values of 64 KiB and one of this many bytes count for, besides that: names of one letter. */
enum { FULL = 15, COUNTED = 4 + 2 * 7 + 16 * (8 + 2 + 4) + FULL * VALUE_BINARY_MAX_BYTES };

static struct packed_list large_list(struct record_writer *room, size_t last) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                        "i", "j", "k", "l", "m", "n", "o", "p"};
    record_start(room);
    for (int i = 0; i < FULL; i++) put_binary(room, names[i], VALUE_BINARY_MAX_BYTES);
    put_binary(room, names[FULL], last);
    return written(room, FULL + 1);
}

TEST(an_entity_holds_at_most_a_mebibyte) {
    enum { EDGE = ENTITY_MAX_BYTES - COUNTED };
    for (size_t more = 0; more <= 2; more++) {
        struct record_writer room ENDS_BY(record_end);
        enum outcome expected = more > 1 ? OUTCOME_ENTITY_TOO_LARGE : OUTCOME_DONE;
        struct packed_list list = large_list(&room, EDGE - 1 + more);
        require_same(entity_check_size(stored, list), expected, "%zu bytes more", more);
        RECORD_WRITER(half);
        put_binary(&half, "p", 0);
        struct entity_state start = {stored, 1, 1, written(&half, 1)};
        struct entity *entity = entity_new(&start);
        require_same(entity_check_merged_size(entity, list), expected, "%zu bytes more, merged", more);
        memory_free(entity);
    }
}

/* What each type counts for, whatever it takes: by that much less a last value is too much. */
TEST(types_count_as_the_service_counts) {
    static const struct {
        struct value value;
        size_t size;
    } kinds[] = {
        {{.type = VALUE_STRING, .bytes = {"abc", 3}}, 2 * 3 + 4},
        {{.type = VALUE_STRING, .bytes = {"\xc3\xa9", 2}}, 2 * 1 + 4},
        {{.type = VALUE_STRING, .bytes = {"\xf0\x9f\x98\x80", 4}}, 2 * 2 + 4},
        {{.type = VALUE_INT32, .number = 0}, 4},
        {{.type = VALUE_INT64, .number = 0}, 8},
        {{.type = VALUE_INT64, .number = INT64_MIN}, 8},
        {{.type = VALUE_DOUBLE, .real = 0}, 8},
        {{.type = VALUE_BOOL, .number = 1}, 1},
        {{.type = VALUE_DATETIME, .number = 0}, 8},
        {{.type = VALUE_GUID}, 16},
    };
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        for (size_t more = 0; more < 2; more++) {
            struct record_writer room ENDS_BY(record_end);
            size_t counted = 8 + 2 + kinds[i].size;
            struct packed_list list = large_list(&room, ENTITY_MAX_BYTES - COUNTED - counted + more);
            property_put(&room, &(struct property){bytes_text("q"), kinds[i].value});
            list = written(&room, list.count + 1);
            require_same(entity_check_size(stored, list), more ? OUTCOME_ENTITY_TOO_LARGE : OUTCOME_DONE,
                         "kind %zu, %zu more", i, more);
        }
}

/* Keys count by their units, and what stands between them does not. */
TEST(keys_count_as_the_service_counts) {
    static const struct {
        struct bytes key;
        size_t units;
    } keys[] = {
        {{"\0", 1}, 0},
        {{"a\0b", 3}, 2},
        {{"\xc3\xa9\0b", 4}, 2},
        {{"\xe2\x82\xac\0\xfe\x80\x80", 7}, 2}, /* U+20AC and, as it is stored, U+E000 */
        {{"\0\xf0\x9f\x98\x80", 5}, 2},
    };
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        for (size_t more = 0; more < 2; more++) {
            struct record_writer room ENDS_BY(record_end);
            size_t last = ENTITY_MAX_BYTES - COUNTED + 2 * 7 - 2 * keys[i].units + more;
            struct packed_list list = large_list(&room, last);
            require_same(entity_check_size(keys[i].key, list), more ? OUTCOME_ENTITY_TOO_LARGE : OUTCOME_DONE,
                         "key %zu, %zu more", i, more);
        }
}

/* Text takes half of what it counts for. */
TEST(text_counts_two_bytes_a_unit) {
    static char text[VALUE_STRING_MAX_UNITS];
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                        "i", "j", "k", "l", "m", "n", "o", "p"};
    memset(text, 'x', sizeof(text));
    RECORD_WRITER(room);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        struct property property = {bytes_text(names[i]),
                                    {.type = VALUE_STRING, .bytes = bytes_of(text, sizeof(text))}};
        property_put(&room, &property);
        require_same(entity_check_size(stored, written(&room, i + 1)),
                     i + 1 < ARRAY_SIZE(names) ? OUTCOME_DONE : OUTCOME_ENTITY_TOO_LARGE, "%zu of them",
                     i + 1);
    }
}

/* The short way out, for small entities, never says that something fits which does not. */
TEST(many_small_properties_are_counted) {
    RECORD_WRITER(room);
    for (int i = 0; i < PROPERTIES_MAX; i++) {
        char name[] = {'a', (char)('a' + i / 16), (char)('a' + i % 16), '\0'};
        property_put(&room, &(struct property){bytes_text(name), {.type = VALUE_GUID}});
    }
    require_same(entity_check_size(stored, written(&room, PROPERTIES_MAX)), OUTCOME_DONE, "252 ids");
    put_binary(&room, "b", 0);
    require_same(entity_check_size(stored, written(&room, PROPERTIES_MAX + 1)), OUTCOME_TOO_MANY_PROPERTIES,
                 "one more");
}
