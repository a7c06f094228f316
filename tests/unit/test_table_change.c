/* Records of tables: what they look like, and that nothing else is taken for one. */
#include "table/table_change.h"

#include "core/feed.h"
#include "record_trial.h"
#include "table/entity.h"
#include "table/key.h"
#include "table/ticks.h"
#include "unit.h"

#include <stdio.h>

#define RECORD(text)                                                                                         \
    { text, sizeof(text) - 1 }

/* --- What is written --- */

#define KEY        "\3p\0r"
#define STAMP      "\x39\5\0\0\0\0\0\0\7\0\0\0\0\0\0\0"
#define ITEMS      "\3age\x9\xa\1s\x8x"
#define PROPERTIES "\2\xa" ITEMS
#define TWO_ITEMS                                                                                            \
    {                                                                                                        \
        2, {                                                                                                 \
            ITEMS, sizeof(ITEMS) - 1                                                                         \
        }                                                                                                    \
    }
#define WHOLE KEY STAMP PROPERTIES

static const struct bytes stored = {"p\0r", 3};
static const struct packed_list properties = TWO_ITEMS, no_list = {0, {"", 0}}, one_name = {1, {"\1a", 2}},
                                one_policy = {1, {"\1p\2\0\1r", 6}};

/* Each kind, as it has been written since the first one; steps stand for themselves. */
static const struct {
    enum table_change_kind kind;
    enum table_step_kind step;
    bool lists; /* those that it may have are not empty */
    struct bytes record;
} records[] = {
    {TABLE_CREATE, STEP_KINDS, true, RECORD("T\0\1\6\1p\2\0\1r\xac\2\1\2\1a")},
    {TABLE_CREATE, STEP_KINDS, false, RECORD("T\0\0\xac\2\0")},
    {TABLE_DROP, STEP_KINDS, false, RECORD("T\1")},
    {TABLE_SETACL, STEP_KINDS, true, RECORD("T\2\1\6\1p\2\0\1r")},
    {TABLE_SETACL, STEP_KINDS, false, RECORD("T\2\0")},
    {TABLE_INDEX, STEP_KINDS, true, RECORD("T\3\1\2\1a")},
    {TABLE_UNINDEX, STEP_KINDS, true, RECORD("T\4\1\2\1a")},
    {TABLE_INDEXED, STEP_KINDS, true, RECORD("T\5\1\2\1a" KEY)},
    {TABLE_INSERT, STEP_ADD, true, RECORD("T\6\1\x21\0" WHOLE)},
    {TABLE_REPLACE, STEP_SET, true, RECORD("T\7\1\x21\1" WHOLE)},
    {TABLE_MERGE, STEP_MERGE, true, RECORD("T\x8\1\x21\2" WHOLE)},
    {TABLE_DELETE, STEP_REMOVE, true, RECORD("T\x9\1\5\3" KEY)},
    {TABLE_INSERTORREPLACE, STEP_SET, true, RECORD("T\xa\1\x21\1" WHOLE)},
    {TABLE_INSERTORMERGE, STEP_ADD, true, RECORD("T\xb\1\x21\0" WHOLE)},
    {TABLE_BATCH, STEP_MERGE, false, RECORD("T\xc\1\x16\2" KEY STAMP "\0")},
    {TABLE_ENTITIES, STEP_ADD, true, RECORD("T\xd\1\x21\0" WHOLE)},
    {TABLE_DELETE, STEP_MARK, true, RECORD("T\x9\1\xd\4" KEY "\x39\5\0\0\0\0\0\0")},
    {TABLE_FEEDON, STEP_KINDS, true, RECORD("T\xe\x39\5\0\0\0\0\0\0\x07")},
    {TABLE_FEEDKEEP, STEP_KINDS, true, RECORD("T\xf\x07")},
    {TABLE_FEEDOFF, STEP_KINDS, true, RECORD("T\x10")},
    {TABLE_FEEDBUILT, STEP_KINDS, true, RECORD("T\x11" KEY)},
    {TABLE_FEEDSTATE, STEP_KINDS, true, RECORD("T\x12\4feed")},
    {TABLE_FEEDMARKERS, STEP_KINDS, true, RECORD("T\x13\4feed")},
};

static struct table_change change_of(size_t number, struct record_writer *steps) {
    bool lists = records[number].lists;
    struct table_change change = {
        .kind = records[number].kind,
        .policies = lists ? one_policy : no_list,
        .ticks = 300,
        .names = lists ? one_name : no_list,
        .key = stored,
        .minted = 1337,
        .keep = 7,
        .feed = bytes_text("feed"),
    };
    record_start(steps);
    if (records[number].step == STEP_KINDS) return change;
    struct table_step step = {.kind = records[number].step,
                              .key = stored,
                              .etag = 1337,
                              .ticks = 7,
                              .properties = lists ? properties : no_list};
    table_step_put(steps, &step);
    change.steps = (struct packed_list){1, record_written(steps)};
    return change;
}

TEST(table_records_have_the_promised_bytes) {
    bool seen[TABLE_CHANGE_KINDS] = {false};
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
        struct record_writer steps ENDS_BY(record_end);
        struct table_change change = change_of(i, &steps);
        RECORD_WRITER(writer);
        change_write(&table_changes, &change, &writer);
        require_bytes(record_written(&writer), records[i].record, "record %zu", i);
        seen[change.kind] = true;
    }
    for (size_t kind = 0; kind < TABLE_CHANGE_KINDS; kind++)
        require(seen[kind], "no record of kind %zu", kind);
}

static bool reads(struct bytes record) {
    return record_is_read(&table_changes, record);
}

TEST(table_records_are_written_as_they_were_read) {
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
        require_same(records[i].record.data[1], records[i].kind, "record %zu", i);
        record_require_same_again(&table_changes, records[i].record);
    }
}

TEST(steps_of_a_record_are_read_back) {
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
        struct table_change change;
        struct table_step step;
        if (records[i].step == STEP_KINDS) continue;
        require(change_read(&table_changes, records[i].record, &change), "record %zu", i);
        struct record_reader reader = record_reader(change.steps.items);
        require(table_step_next(&reader, &step), "record %zu has a step", i);
        require_same(step.kind, records[i].step, "record %zu", i);
        require_bytes(step.key, stored, "record %zu", i);
        if (step.kind != STEP_REMOVE) {
            require_same(step.etag, 1337, "record %zu", i);
            if (step.kind == STEP_MARK) continue;
            require_same(step.ticks, 7, "record %zu", i);
            require_same(step.properties.count, records[i].lists ? 2 : 0, "record %zu", i);
        }
        require(!table_step_next(&reader, &step) && record_complete(&reader), "and no other");
    }
}

TEST(each_kind_of_change_has_its_event) {
    static const struct {
        enum table_change_kind kind;
        const char *event;
    } words[] = {
        {TABLE_CREATE, "table.create"},
        {TABLE_DROP, "table.drop"},
        {TABLE_SETACL, "table.setacl"},
        {TABLE_INDEX, "table.index"},
        {TABLE_UNINDEX, "table.unindex"},
        {TABLE_INDEXED, NULL},
        {TABLE_INSERT, "table.insert"},
        {TABLE_REPLACE, "table.replace"},
        {TABLE_MERGE, "table.merge"},
        {TABLE_DELETE, "table.delete"},
        {TABLE_INSERTORREPLACE, "table.insertorreplace"},
        {TABLE_INSERTORMERGE, "table.insertormerge"},
        {TABLE_BATCH, "table.batch"},
        {TABLE_ENTITIES, NULL},
        {TABLE_FEEDON, "table.feed"},
        {TABLE_FEEDKEEP, "table.feed"},
        {TABLE_FEEDOFF, "table.feed"},
        {TABLE_FEEDBUILT, NULL},
        {TABLE_FEEDSTATE, NULL},
        {TABLE_FEEDMARKERS, NULL},
    };
    require_same(ARRAY_SIZE(words), TABLE_CHANGE_KINDS, "a word for each");
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        const char *event = table_change_kinds[words[i].kind].is.event;
        require(!event == !words[i].event, "kind %zu", i);
        require(!event || strcmp(event, words[i].event) == 0, "kind %zu is called %s", i, event);
    }
}

/* --- What is not sound --- */

TEST(table_records_that_are_cut_or_too_long_are_refused) {
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) record_require_whole(&table_changes, records[i].record);
}

TEST(doctored_records_are_safe) {
    struct dice dice = {7};
    unsigned sound = 0;
    for (int round = 0; round < 40000; round++) {
        struct bytes record = records[dice_roll(&dice, ARRAY_SIZE(records))].record;
        sound += record_is_sound_doctored(&table_changes, record, &dice);
    }
    require(sound > 500, "only %u were sound", sound);
}

TEST(heads_and_lists_are_checked) {
    static const struct bytes unsound[] = {
        RECORD("Q\1"),   /* another family */
        RECORD("T\xe"),  /* no such kind */
        RECORD("T\x7f"), /* likewise */
        RECORD("T\xff"), /* likewise */
        RECORD("T\x81"), /* a content inside, though an empty one */
        RECORD("T\x81"
               "content"), /* likewise */
        RECORD("T\0\0\x80\x80\x81\x8e\xed\xcb\x96\xe4\x24"
               "\0"),                                            /* behind the year 9999 */
        RECORD("T\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0"), /* before the year 1601 */
        RECORD("T\2\1\6\1p\2\0\1R"),                             /* a policy with a capital */
        RECORD("T\2\2\6\1p\2\0\1r"),                             /* one of two */
        RECORD("T\3\2\2\1a"),                                    /* one name of two */
        RECORD("T\3\1\4\1a\1b"),                                 /* two of one */
        RECORD("T\3\1\1\0"),                                     /* a name of nothing */
        RECORD("T\3\1\2\0011"),                                  /* no name */
        RECORD("T\3\1\3\2a-"),                                   /* likewise */
        RECORD("T\5\1\2\1a\2pr"),                                /* no stored key */
        RECORD("T\6\0"),                                         /* nothing is done */
        RECORD("T\xc\0"),                                        /* likewise */
        RECORD("T\xd\0"),                                        /* likewise */
        RECORD("T\xc\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1\0") /* a great many */
    };
    require(reads((struct bytes)RECORD("T\5\1\2\1a\0")), "an index that has learnt all");
    for (size_t i = 0; i < ARRAY_SIZE(unsound); i++) require(!reads(unsound[i]), "record %zu", i);
}

TEST(an_index_has_a_place_among_sixteen) {
    for (unsigned count = TABLE_INDEXES_MAX - 1; count <= TABLE_INDEXES_MAX + 1; count++) {
        RECORD_WRITER(names);
        RECORD_WRITER(writer);
        for (unsigned i = 0; i < count; i++) record_put_bytes(&names, bytes_of(&"abcdefghijklmnopq"[i], 1));
        struct table_change change = {.kind = TABLE_INDEX, .names = {count, {names.data, names.length}}};
        change_write(&table_changes, &change, &writer);
        require_same(reads(record_written(&writer)), count <= TABLE_INDEXES_MAX, "%u", count);
    }
}

/* --- One step that is wrong --- */

struct forged {
    const char *why;
    bool sound;
    uint8_t kind;
    struct bytes key;
    version etag;
    uint64_t ticks;
    struct packed_list properties;
};

#define STEP_OF(key, etag, ticks) STEP_SET, RECORD(key), etag, ticks, TWO_ITEMS
#define LIST(count, text)                                                                                    \
    STEP_SET, {"p\0r", 3}, 1, 1, {                                                                           \
        count, RECORD(text)                                                                                  \
    }

static const struct forged steps[] = {
    {"a sound one", true, STEP_OF("p\0r", 1, 1)},
    {"no kind of step", false, STEP_KINDS, RECORD("p\0r"), 1, 1, TWO_ITEMS},
    {"no kind of step", false, 255, RECORD("p\0r"), 1, 1, TWO_ITEMS},
    {"no ETag", false, STEP_OF("p\0r", 0, 1)},
    {"the greatest ETag", true, STEP_OF("p\0r", VERSION_MAX, 1)},
    {"an ETag beyond", false, STEP_OF("p\0r", VERSION_MAX + 1, 1)},
    {"an ETag far beyond", false, STEP_OF("p\0r", UINT64_MAX, 1)},
    {"the first instant", true, STEP_OF("p\0r", 1, 0)},
    {"the last instant", true, STEP_OF("p\0r", 1, TICKS_MAX)},
    {"an instant behind it", false, STEP_OF("p\0r", 1, TICKS_MAX + 1)},
    {"an instant before all", false, STEP_OF("p\0r", 1, UINT64_MAX)},
    {"no keys", false, STEP_OF("", 1, 1)},
    {"empty keys", true, STEP_OF("\0", 1, 1)},
    {"one key", false, STEP_OF("pr", 1, 1)},
    {"three keys", false, STEP_OF("p\0r\0s", 1, 1)},
    {"a character that no key has", false, STEP_OF("p/\0r", 1, 1)},
    {"likewise", false, STEP_OF("p\0r\x1f", 1, 1)},
    {"no text", false, STEP_OF("p\xc3\0r", 1, 1)},
    {"U+E000 as it is stored", true, STEP_OF("\xfe\x80\x80\0r", 1, 1)},
    {"U+E000 as it is not", false, STEP_OF("\xee\x80\x80\0r", 1, 1)},
    {"one of two", false, LIST(2, "\1a\x8x")},
    {"two of one", false, LIST(1, "\1a\x8x\1b\x8y")},
    {"a name twice", false, LIST(2, "\1a\x8x\1a\x8y")},
    {"in another case", true, LIST(2, "\1a\x8x\1A\x8x")},
    {"no name", false, LIST(1, "\0\x8x")},
    {"a name with a digit first", false,
     LIST(1, "\2"
             "1a\x8x")},
    {"a name that is no text", false, LIST(1, "\1\xff\x8x")},
    {"a name of all entities", false, LIST(1, "\x6RowKey\x8x")},
    {"a string that is no text", false, LIST(1, "\1a\x8\xff")},
    {"a string beyond the end", false, LIST(1, "\1a\x10x")},
    {"a number with a zero on top", false, LIST(1, "\1a\x11\xa\0")},
    {"an int32 of five bytes", false, LIST(1, "\1a\x29\1\1\1\1\1")},
    {"neither true nor false", false, LIST(1, "\1a\xc\2")},
    {"an id of one byte", false, LIST(1, "\1a\xe\1")},
    {"a zero below zero", false, LIST(1, "\1a\xb\x80")},
};

static void put_forged(struct record_writer *writer, const struct forged *step) {
    record_put_byte(writer, step->kind);
    record_put_bytes(writer, step->key);
    record_put_word(writer, step->etag);
    record_put_word(writer, step->ticks);
    record_put_list(writer, step->properties);
}

/* So many steps, which say of themselves how many they are. */
static bool reads_steps(uint8_t kind, uint64_t count, const struct record_writer *forged) {
    struct record_writer writer;
    record_start(&writer);
    record_put_byte(&writer, 'T');
    record_put_byte(&writer, kind);
    record_put_number(&writer, count);
    record_put_bytes(&writer, record_written(forged));
    bool sound = reads(record_written(&writer));
    record_end(&writer);
    return sound;
}

TEST(each_part_of_a_step_is_checked) {
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        RECORD_WRITER(forged);
        put_forged(&forged, &steps[i]);
        require_same(reads_steps(TABLE_REPLACE, 1, &forged), steps[i].sound, "%s", steps[i].why);
        require_same(reads_steps(TABLE_BATCH, 1, &forged), steps[i].sound, "%s, in a batch", steps[i].why);
    }
}

/* --- Limits of an entity --- */

static bool reads_entity(struct bytes key, uint64_t count, const struct record_writer *list) {
    struct record_writer forged;
    record_start(&forged);
    put_forged(&forged, &(struct forged){"", true, STEP_ADD, key, 1, 1, {count, {list->data, list->length}}});
    bool sound = reads_steps(TABLE_INSERT, 1, &forged);
    require_same(reads_steps(TABLE_ENTITIES, 1, &forged), sound, "a file is no other");
    record_end(&forged);
    return sound;
}

TEST(an_entity_has_252_properties) {
    for (unsigned count = PROPERTIES_MAX - 1; count <= PROPERTIES_MAX + 8; count++) {
        RECORD_WRITER(list);
        for (unsigned i = 0; i < count; i++) {
            char name[8];
            int length = snprintf(name, sizeof(name), "n%u", i);
            property_put(&list, &(struct property){bytes_of(name, (size_t)length), {.type = VALUE_BOOL}});
        }
        require_same(reads_entity(stored, count, &list), count <= PROPERTIES_MAX, "%u properties", count);
    }
}

/* In units of 64 KiB, of which the sixteenth is too much, since names count, too. */
TEST(an_entity_has_a_mebibyte) {
    static char bytes[VALUE_BINARY_MAX_BYTES + 1];
    for (unsigned count = 14; count <= 17; count++) {
        RECORD_WRITER(list);
        for (unsigned i = 0; i < count; i++) {
            struct property property = {
                bytes_of(&"abcdefghijklmnopq"[i], 1),
                {.type = VALUE_BINARY, .bytes = bytes_of(bytes, VALUE_BINARY_MAX_BYTES)}};
            property_put(&list, &property);
        }
        require_same(reads_entity(stored, count, &list), count < 16, "%u of them", count);
    }
}

TEST(values_have_their_limits) {
    static char bytes[VALUE_BINARY_MAX_BYTES + 1];
    static const struct {
        enum value_type type;
        size_t max;
    } limits[] = {{VALUE_BINARY, VALUE_BINARY_MAX_BYTES}, {VALUE_STRING, VALUE_STRING_MAX_UNITS}};
    memset(bytes, 'x', sizeof(bytes));
    for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
        for (size_t more = 0; more < 2; more++) {
            struct property property = {
                bytes_text("a"), {.type = limits[i].type, .bytes = bytes_of(bytes, limits[i].max + more)}};
            RECORD_WRITER(list);
            property_put(&list, &property);
            require_same(reads_entity(stored, 1, &list), !more, "limit %zu and %zu more", i, more);
        }
}

TEST(keys_and_names_have_their_limits) {
    static char name[PROPERTY_NAME_MAX_UNITS + 1], key[2 * KEY_MAX_UNITS + 3];
    memset(name, 'n', sizeof(name));
    memset(key, 'k', sizeof(key));
    for (size_t more = 0; more < 2; more++) {
        RECORD_WRITER(list);
        property_put(
            &list, &(struct property){bytes_of(name, PROPERTY_NAME_MAX_UNITS + more), {.type = VALUE_BOOL}});
        require_same(reads_entity(stored, 1, &list), !more, "a name, and %zu", more);
        list.length = 0;
        key[KEY_MAX_UNITS + more] = '\0';
        struct bytes both = bytes_of(key, 2 * KEY_MAX_UNITS + 1 + more);
        require_same(reads_entity(both, 0, &list), !more, "a partition key, and %zu", more);
        key[KEY_MAX_UNITS + more] = 'k';
        key[KEY_MAX_UNITS] = '\0';
        require_same(reads_entity(both, 0, &list), !more, "a row key, and %zu", more);
        key[KEY_MAX_UNITS] = 'k';
    }
}

/* --- Several steps --- */

static void put_numbered(struct record_writer *writer, enum table_step_kind kind, unsigned number) {
    char key[16];
    int length = snprintf(key, sizeof(key), "p_%06u", number);
    key[1] = '\0';
    struct table_step step = {
        .kind = kind, .key = bytes_of(key, (size_t)length), .etag = 1, .ticks = 1, .properties = properties};
    table_step_put(writer, &step);
}

static const struct {
    enum table_change_kind kind;
    unsigned max;
} max_steps[] = {
    {TABLE_INSERT, 1},
    {TABLE_REPLACE, 1},
    {TABLE_MERGE, 1},
    {TABLE_DELETE, 1},
    {TABLE_INSERTORMERGE, 1},
    {TABLE_INSERTORREPLACE, 1},
    {TABLE_BATCH, TABLE_BATCH_MAX},
    {TABLE_ENTITIES, TABLE_ENTITIES_MAX},
};

TEST(a_change_has_so_many_steps) {
    for (size_t i = 0; i < ARRAY_SIZE(max_steps); i++) {
        unsigned max = max_steps[i].max;
        RECORD_WRITER(writer);
        for (unsigned number = 0; number < max; number++) put_numbered(&writer, STEP_ADD, number);
        require(reads_steps((uint8_t)max_steps[i].kind, max, &writer), "%u of kind %zu", max, i);
        require(!reads_steps((uint8_t)max_steps[i].kind, max + 1, &writer), "one more is said");
        require(!reads_steps((uint8_t)max_steps[i].kind, max - 1, &writer), "one less is said");
        put_numbered(&writer, STEP_ADD, max);
        require(!reads_steps((uint8_t)max_steps[i].kind, max + 1, &writer), "%u of kind %zu", max + 1, i);
    }
}

static const struct {
    const char *why;
    enum table_step_kind kinds[3];
    unsigned numbers[3];
    bool batch, entities; /* sound as such */
} threes[] = {
    {"in order", {STEP_ADD, STEP_ADD, STEP_ADD}, {1, 2, 3}, true, true},
    {"in no order", {STEP_ADD, STEP_ADD, STEP_ADD}, {1, 3, 2}, true, false},
    {"the first one last", {STEP_ADD, STEP_ADD, STEP_ADD}, {2, 3, 1}, true, false},
    {"of other kinds", {STEP_ADD, STEP_SET, STEP_ADD}, {1, 2, 3}, true, false},
    {"likewise", {STEP_ADD, STEP_ADD, STEP_MERGE}, {1, 2, 3}, true, false},
    {"likewise", {STEP_REMOVE, STEP_ADD, STEP_ADD}, {1, 2, 3}, true, false},
    {"twice in a row", {STEP_ADD, STEP_ADD, STEP_ADD}, {1, 2, 2}, false, false},
    {"twice with one between", {STEP_ADD, STEP_SET, STEP_MERGE}, {1, 2, 1}, false, false},
    {"removed and added", {STEP_REMOVE, STEP_ADD, STEP_ADD}, {1, 1, 2}, false, false},
    {"three times", {STEP_SET, STEP_SET, STEP_SET}, {1, 1, 1}, false, false},
};

TEST(each_entity_stands_once) {
    for (size_t i = 0; i < ARRAY_SIZE(threes); i++) {
        RECORD_WRITER(writer);
        for (int step = 0; step < 3; step++)
            put_numbered(&writer, threes[i].kinds[step], threes[i].numbers[step]);
        require_same(reads_steps(TABLE_BATCH, 3, &writer), threes[i].batch, "%s", threes[i].why);
        require_same(reads_steps(TABLE_ENTITIES, 3, &writer), threes[i].entities, "%s", threes[i].why);
    }
}

/* --- Versions --- */

static version newest_in(enum table_change_kind kind, struct bytes bytes) {
    const struct table_change written = {.kind = kind, .feed = bytes};
    struct table_change change;
    struct bytes inside;
    version newest;
    struct record_writer record;
    record_start(&record);
    change_write(&table_changes, &written, &record);
    require(change_read_with(&table_changes, record_written(&record), &change, &inside, &newest), "kind %d",
            kind);
    require_bytes(change.feed, bytes, "kind %d", kind);
    record_end(&record);
    return newest;
}

/* Of the same bytes, only a state has a version. */
TEST(the_state_of_a_feed_brings_its_newest_version) {
    struct account account = {0};
    struct feed *feed = feed_new(&account, 7, 2);
    struct record_writer bytes;
    record_start(&bytes);
    feed_put_state(feed, &bytes);
    require_same(newest_in(TABLE_FEEDSTATE, record_written(&bytes)), 7, "of a state");
    require_same(newest_in(TABLE_FEEDMARKERS, record_written(&bytes)), 0, "of markers");
    record_end(&bytes);
    feed_drop(&account, feed);
}
