/* Hostile payloads for tables: RESTORE with a valid checksum around a doctored value, and doctored
 * effects. Each is answered with an error, or gives a table that is whole and safe. No server dies, none
 * takes long, and all hold the same. */
#include <string.h>

#include "clock.h"
#include "effects.h"
#include "harness.h"
#include "hostile.h"
#include "pool.h"
#include "random.h"
#include "records.h"
#include "same_everywhere.h"
#include "steps.h"
#include "table/table_change.h"
#include "tables.h"
#include "text.h"

enum { LONG_MS = 1000 };

/* One of everything that a table can hold. */
static void fill_with_everything(void) {
    static const struct answered rows[] = {
        {"TABLE.CREATE t", "OK"},
        {"TABLE.SETACL t POLICIES 2 one 0 99 raud two - - r", "OK"},
        {"TABLE.INDEX t n s", "OK"},
        {"TABLE.INSERT t '' '' PROPS 0", NULL},
        {"TABLE.INSERT t p r PROPS 4 n:int32 -5 l:int64 9223372036854775807 d:double 1.5 b:bool true", NULL},
        {"TABLE.INSERT t p \xef\xbd\x9e PROPS 4 t:datetime 2026-11-18 g:guid "
         "aaaaaaaa-0000-4000-8000-000000000000 "
         "x:binary \xff s text",
         NULL},
        {"TABLE.INSERT t q \xf0\x9f\x98\x80 PROPS 2 s 40*s n:double NaN", NULL},
    };
    play_answers(rows);
}

static redisReply *dump_of_everything(void) {
    fill_with_everything();
    return call(primary, "DUMP t");
}

/* Every entity that a query answers is there, and is what it says; answers the greatest ETag. */
static const char *read_entities(const char *key) {
    const char *greatest = "";
    redisReply *page = call(primary, "TABLE.QUERY %s", key);
    require(!reply_is_error(page), "TABLE.QUERY gives %s", reply_text(page));
    for (size_t i = 0; i < page->element[1]->elements; i++) {
        redisReply **row = page->element[1]->element[i]->element;
        redisReply *entity =
            call(primary, "TABLE.GET %s %b %b", key, row[0]->str, row[0]->len, row[1]->str, row[1]->len);
        require(!reply_is_error(entity) && reply_same(entity->element[0], row[2]) &&
                    reply_same(entity->element[1], row[3]),
                "%s is answered as %s", reply_text(page->element[1]->element[i]), reply_text(entity));
        if (strcmp(row[2]->str, greatest) > 0) greatest = row[2]->str;
        call(primary, "TABLE.GET %s %b %b SELECT 2 Timestamp n", key, row[0]->str, row[0]->len, row[1]->str,
             row[1]->len);
    }
    return greatest;
}

static void compare_plans(const char *key) {
    static const char *const filters[] = {"n le 0", "s ge ''", "s eq 'text'", "n gt -1e300", NULL};
    for (const char *const *filter = filters; *filter; filter++)
        require(reply_same(call(primary, "TABLE.QUERY %s FILTER %s", key, *filter),
                           call(primary, "TABLE.QUERY %s FILTER %s", key, pool_print("(%s) or zz", *filter))),
                "%s is answered in two ways", *filter);
}

/* All that can be asked, then all that can be done. */
static void require_sound(const char *key) {
    const char *greatest = read_entities(key);
    require(!reply_is_error(call(primary, "TABLE.GETACL %s", key)), "no policies");
    require(call(primary, "MEMORY USAGE %s", key)->integer > 0, "no memory");
    compare_plans(key);
    hostile_double(key);
    call(primary, "TABLE.DELETE again p r IFMATCH *");
    const char *one = expect_etag(call(primary, "TABLE.INSERT again p r PROPS 1 s x")),
               *other = expect_etag(call(primary, "TABLE.INSERTORMERGE again q r PROPS 1 n:int32 7"));
    assert_true(strcmp(one, greatest) > 0 && strcmp(other, one) > 0);
    redisReply *names = call(primary, "TABLE.INDEXES again");
    if (names->elements) expect_ok(call(primary, "TABLE.UNINDEX again %s", names->element[0]->str));
    call(primary, "DEL again %s", key);
}

TEST(payloads_with_every_byte_changed) {
    random_begin();
    hostile_change_every_byte(dump_of_everything(), require_sound);
}

TEST(payloads_cut_at_every_length) {
    hostile_cut_at_every_length(dump_of_everything(), require_sound);
}

/* --- Records made by hand --- */

static struct text record_of(enum table_change_kind kind) {
    struct text record = {0};
    effect_byte(&record, 'T');
    effect_byte(&record, (unsigned char)kind);
    return record;
}

static void put_list(struct text *record, uint64_t count, const struct text *items) {
    effect_number(record, count);
    if (count) effect_bytes(record, items->bytes ? items->bytes : "", items->length);
}

/* A table without policies whose indexes have these names, separated by blanks. */
static struct text created(uint64_t ticks, const char *names) {
    struct text record = record_of(TABLE_CREATE), items = {0};
    struct words words = words_of_line(names);
    for (size_t i = 0; i < words.count; i++) effect_text(&items, words.word[i]);
    effect_number(&record, 0);
    effect_number(&record, ticks);
    put_list(&record, words.count, &items);
    return record;
}

/* An int32 under its name: so many bytes of a number stand behind the type. */
static void put_number(struct text *properties, const char *name, unsigned char number) {
    effect_text(properties, name);
    effect_byte(properties, 1 | 1 << 3);
    effect_byte(properties, (unsigned char)(number << 1));
}

enum { NOW_OFFSET_SECONDS = 60 };

static uint64_t some_etag(void) {
    return (uint64_t)(server_time() / 1000 - NOW_OFFSET_SECONDS) << 32 | 7;
}

static uint64_t some_ticks(void) {
    return (uint64_t)(server_time() + 11644473600000) * 10000;
}

struct entity {
    enum table_step_kind step;
    const char *key;
    size_t key_length;
    uint64_t etag, ticks, count;
    struct text properties;
};

static struct entity entity_of(enum table_step_kind step, const char *row) {
    struct text key = {0};
    text_add(&key, "p", 2);
    text_add(&key, row, strlen(row));
    struct entity entity = {step, key.bytes, key.length, some_etag(), some_ticks(), 1, {0}};
    put_number(&entity.properties, "n", 5);
    return entity;
}

static void put_step(struct text *steps, const struct entity *entity) {
    effect_byte(steps, (unsigned char)entity->step);
    effect_bytes(steps, entity->key, entity->key_length);
    if (entity->step == STEP_REMOVE) return;
    effect_word(steps, entity->etag);
    effect_word(steps, entity->ticks);
    put_list(steps, entity->count, &entity->properties);
}

static struct text change_of(enum table_change_kind kind, uint64_t count, const struct entity *entities,
                             size_t there) {
    struct text record = record_of(kind), steps = {0};
    for (size_t i = 0; i < there; i++) put_step(&steps, &entities[i]);
    put_list(&record, count, &steps);
    return record;
}

static struct text change_of_one(enum table_change_kind kind, struct entity entity) {
    return change_of(kind, 1, &entity, 1);
}

/* --- Doctored effects --- */

static void expect_effect(const char *what, const struct text *record, const char *error) {
    const char *digest = value_digest(primary, "t");
    long long begin = stopwatch();
    redisReply *reply = effect_play("t", record, NULL);
    long long taken = stopwatch() - begin;
    bool as_told = error ? reply_is_error(reply) && text_begins(reply->str, error) : !reply_is_error(reply);
    require(as_told, "%s: %s", what, reply_text(reply));
    if (!error) return;
    require(!strcmp(value_digest(primary, "t"), digest), "%s has changed something", what);
    require(taken < LONG_MS, "%s takes %lld ms", what, taken);
}

#define MALFORMED "ERR the effect cannot be read"

TEST(effects_made_by_hand_are_understood) {
    struct text record = change_of_one(TABLE_INSERT, entity_of(STEP_ADD, "hand"));
    table_setup();
    expect_effect("an insert", &record, NULL);
    expect_shape(ask("TABLE.GET t p hand"), "[<etag>, [\"n:int32\", 5]]");
    struct entity both[] = {entity_of(STEP_MERGE, "hand"), entity_of(STEP_ADD, "other")};
    put_number(&both[0].properties, "m", 6);
    both[0].count = 2;
    record = change_of(TABLE_BATCH, 2, both, 2);
    expect_effect("a batch", &record, NULL);
    expect_shape(ask("TABLE.GET t p hand"), "[<etag>, [\"n:int32\", 5, \"m:int32\", 6]]");
    record = change_of_one(TABLE_DELETE, entity_of(STEP_REMOVE, "other"));
    expect_effect("a removal", &record, NULL);
    assert_string_equal(found(""), "p/hand");
}

static struct entity with_key(const char *key, size_t length) {
    struct entity entity = entity_of(STEP_ADD, "x");
    entity.key = key;
    entity.key_length = length;
    return entity;
}

TEST(effects_with_keys_that_are_none) {
    static const struct {
        const char *key;
        size_t length;
    } keys[] = {{"", 0},
                {"p", 1},
                {"p\0r\0s", 5},
                {"\0\0", 2},
                {"p\0a/b", 5},
                {"p\0\x1f", 3},
                {"p\0\xff", 3},
                {"p\0\xee\x80\x80", 5},
                {"p\0\xef\xbd\x9e", 5},
                {"p\0\xc2\x80", 4},
                {"p\0\xfe\x80", 4},
                {"?\0r", 3}};
    expect_misfits();
    table_setup();
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        struct text record = change_of_one(TABLE_INSERT, with_key(keys[i].key, keys[i].length));
        expect_effect(text_quoted(keys[i].key, keys[i].length), &record, MALFORMED);
    }
    char long_key[515] = "p";
    memset(long_key + 2, 'k', 513);
    struct text record = change_of_one(TABLE_INSERT, with_key(long_key, 515));
    expect_effect("a key that is too long", &record, MALFORMED);
    record = change_of_one(TABLE_INSERT, with_key(long_key, 514));
    expect_effect("a key that is not", &record, NULL);
}

/* Names, one after the other; the last number is how many are told of. */
static struct entity with_names(const char *names, uint64_t told) {
    struct entity entity = entity_of(STEP_ADD, "x");
    struct words words = words_of_line(names);
    entity.properties = (struct text){0};
    for (size_t i = 0; i < words.count; i++) put_number(&entity.properties, words.word[i], 1);
    entity.count = told;
    return entity;
}

static struct entity with_so_many(int count) {
    struct text names = EMPTY_TEXT;
    for (int i = 0; i < count; i++) text_print(&names, "p%d ", i);
    return with_names(names.bytes, (uint64_t)count);
}

/* A property of this type whose value are these bytes; longer ones have their length behind the type. */
static struct entity with_value(unsigned char head, const char *bytes, size_t length) {
    struct entity entity = entity_of(STEP_ADD, "x");
    entity.properties = (struct text){0};
    effect_text(&entity.properties, "v");
    effect_byte(&entity.properties, head);
    text_add(&entity.properties, bytes, length);
    return entity;
}

TEST(effects_with_properties_that_are_none) {
    static const struct {
        const char *names;
        uint64_t told;
    } lists[] = {{"a a", 2},  {"a b a", 3}, {"a b", 1}, {"a b", 3}, {"1a", 1},         {"a-b", 1},
                 {"\xff", 1}, {"a", 0},     {"", 1},    {"a", 253}, {"a", UINT64_MAX}, {"a", 1ULL << 40}};
    expect_misfits();
    table_setup();
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        struct text record = change_of_one(TABLE_INSERT, with_names(lists[i].names, lists[i].told));
        if (lists[i].told == 0) text_add(&record, "x", 1);
        expect_effect(lists[i].names, &record, MALFORMED);
    }
    struct text record = change_of_one(TABLE_INSERT, with_so_many(253));
    expect_effect("253 properties", &record, MALFORMED);
    record = change_of_one(TABLE_INSERT, with_so_many(252));
    expect_effect("252 properties", &record, NULL);
}

/* The type is in the three lowest bits, the length above them. */
TEST(effects_with_values_that_are_none) {
    static const struct {
        unsigned char head;
        const char *bytes;
        size_t length;
    } values[] = {
        {0 | 1 << 3, "\xff", 1},                             /* a string that is no UTF-8 */
        {0 | 3 << 3, "ab", 2},                               /* shorter than it says */
        {0 | 31 << 3, "\x02xx", 3},                          /* its length could stand in the head */
        {0 | 31 << 3, "\xff\xff\xff\xff\x0f", 5},            /* a length beyond all */
        {1 | 5 << 3, "\1\1\1\1\1", 5},                       /* an int32 of five bytes */
        {1 | 1 << 3, "\0", 1},                               /* a zero that could be left out */
        {2 | 9 << 3, "\1\1\1\1\1\1\1\1\1", 9},               /* an int64 of nine */
        {3 | 8 << 3, "\x7f\xf8\0\0\0\0\0\1", 8},             /* another NaN */
        {3 | 1 << 3, "\x80", 1},                             /* the zero below zero */
        {4 | 1 << 3, "\2", 1},                               /* neither true nor false */
        {5 | 8 << 3, "\xff\xff\xff\xff\xff\xff\xff\x7f", 8}, /* an instant after the year 9999 */
        {6 | 15 << 3, "aaaaaaaaaaaaaaa", 15},                /* an id of 15 bytes */
        {6 | 17 << 3, "aaaaaaaaaaaaaaaaa", 17},
    };
    expect_misfits();
    table_setup();
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        struct text record =
            change_of_one(TABLE_INSERT, with_value(values[i].head, values[i].bytes, values[i].length));
        expect_effect(text_quoted(values[i].bytes, values[i].length), &record, MALFORMED);
    }
    struct text record = change_of_one(TABLE_INSERT, with_value(4 | 1 << 3, "\1", 1));
    expect_effect("true", &record, NULL);
}

TEST(effects_with_versions_and_instants_ahead_of_the_clock) {
    enum { YEAR_SECONDS = 366 * 86400 };
    struct entity entity = entity_of(STEP_ADD, "x");
    expect_misfits();
    table_setup();
    entity.etag = some_etag() + ((uint64_t)11 * YEAR_SECONDS << 32);
    struct text record = change_of_one(TABLE_INSERT, entity);
    expect_effect("an ETag of in eleven years", &record, MALFORMED);
    entity.etag = UINT64_MAX;
    record = change_of_one(TABLE_INSERT, entity);
    expect_effect("the last ETag", &record, MALFORMED);
    entity.etag = 0;
    record = change_of_one(TABLE_INSERT, entity);
    expect_effect("no ETag", &record, MALFORMED);
    entity.etag = some_etag();
    static const uint64_t all_ticks[] = {2650467743999999999, 2650467744000000000, UINT64_MAX, 1ULL << 63};
    for (size_t i = 0; i < ARRAY_SIZE(all_ticks); i++) {
        entity.ticks = all_ticks[i];
        record = change_of_one(TABLE_INSERT, entity);
        expect_effect("a Timestamp ahead", &record, MALFORMED);
    }
    expect_number(call(primary, "DEL t"), 1);
    for (size_t i = 0; i < ARRAY_SIZE(all_ticks); i++) {
        record = created(all_ticks[i], "");
        expect_error(effect_play("t", &record, NULL), MALFORMED);
        expect_number(call(primary, "EXISTS t"), 0);
    }
    record = created(some_ticks(), "n");
    expect_ok(effect_play("t", &record, NULL));
    written("TABLE.INSERT t p r PROPS 0");
    assert_true(strcmp(timestamp_of("p r"), "2020") > 0);
}

TEST(effects_with_steps_that_do_not_go_together) {
    static struct entity many[102];
    expect_misfits();
    table_setup();
    for (int i = 0; i < 102; i++) many[i] = entity_of(STEP_ADD, pool_print("%03d", i));
    struct entity twins[] = {entity_of(STEP_ADD, "x"), entity_of(STEP_ADD, "y"), entity_of(STEP_ADD, "x")};
    struct entity wrong_step[] = {entity_of(STEP_ADD, "x")};
    wrong_step[0].step = (enum table_step_kind)4;
    const struct {
        const char *what;
        struct text record;
    } rows[] = {
        {"no steps", change_of(TABLE_BATCH, 0, NULL, 0)},
        {"101 steps", change_of(TABLE_BATCH, 101, many, 101)},
        {"two steps of an insert", change_of(TABLE_INSERT, 2, many, 2)},
        {"more steps than there are", change_of(TABLE_BATCH, 3, many, 2)},
        {"fewer steps than there are", change_of(TABLE_BATCH, 1, many, 2)},
        {"an entity twice", change_of(TABLE_BATCH, 3, twins, 3)},
        {"an unknown step", change_of(TABLE_BATCH, 1, wrong_step, 1)},
        {"entities out of order", change_of(TABLE_ENTITIES, 3, twins, 3)},
        {"a count beyond all", change_of(TABLE_BATCH, UINT64_MAX, many, 2)},
        {"entities without a step", change_of(TABLE_ENTITIES, 0, NULL, 0)},
        {"an unknown kind", record_of(TABLE_CHANGE_KINDS)},
        {"a kind beyond all", record_of((enum table_change_kind)255)},
        {"nothing but a kind", record_of(TABLE_BATCH)},
        {"names that are none", record_of(TABLE_INDEX)},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) expect_effect(rows[i].what, &rows[i].record, MALFORMED);
    struct text whole = change_of(TABLE_BATCH, 100, many, 100);
    expect_effect("a hundred steps", &whole, NULL);
}

/* Sound by itself, but not for what is there: it changes nothing, all of it. */
TEST(effects_that_do_not_fit) {
    struct entity half[] = {entity_of(STEP_ADD, "new"), entity_of(STEP_ADD, "there")};
    struct entity gone[] = {entity_of(STEP_MERGE, "there"), entity_of(STEP_REMOVE, "none")};
    struct entity full = entity_of(STEP_MERGE, "full");
    table_setup();
    written("TABLE.INSERT t p there PROPS 1 a b");
    written(pool_print("TABLE.INSERT t p full %s", some_properties(252)));
    struct text records[] = {change_of(TABLE_BATCH, 2, half, 2),
                             change_of(TABLE_BATCH, 2, gone, 2),
                             change_of_one(TABLE_MERGE, full),
                             change_of_one(TABLE_REPLACE, entity_of(STEP_SET, "none")),
                             change_of_one(TABLE_INSERT, entity_of(STEP_ADD, "there")),
                             created(some_ticks(), "")};
    expect_misfits();
    const char *digest = value_digest(primary, "t");
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
        long long before = info_of(primary, "holdfast_effects_misfit");
        effect_play("t", &records[i], NULL);
        assert_int_equal(info_of(primary, "holdfast_effects_misfit"), before + 1);
        assert_string_equal(value_digest(primary, "t"), digest);
    }
    assert_string_equal(found("SELECT 1 zz"), "p/full p/there");
    struct text record = change_of_one(TABLE_INSERT, entity_of(STEP_ADD, "x"));
    effect_play("none", &record, NULL);
    expect_number(call(primary, "EXISTS none"), 0);
}

/* --- Files made by hand --- */

static void offer(const redisReply *dump, const struct text *const *records, struct tally *tally) {
    struct records list = {.count = 0};
    for (; *records; records++) records_add(&list, (*records)->bytes, (*records)->length);
    records_end(&list, 1);
    struct text payload = records_payload(dump, &list);
    long long begin = stopwatch();
    hostile_offer(payload.bytes, payload.length, require_sound, tally);
    require(stopwatch() - begin < LONG_MS, "%zu bytes take %lld ms", payload.length, stopwatch() - begin);
}

TEST(files_made_by_hand) {
    table_setup();
    redisReply *dump = call(primary, "DUMP t");
    struct entity first[] = {entity_of(STEP_ADD, "a"), entity_of(STEP_ADD, "b")},
                  later[] = {entity_of(STEP_ADD, "c")};
    struct entity again[] = {entity_of(STEP_ADD, "b")}, set[] = {entity_of(STEP_SET, "b")};
    struct text head = created(some_ticks(), "n"), one = change_of(TABLE_ENTITIES, 2, first, 2),
                two = change_of(TABLE_ENTITIES, 1, later, 1), twin = change_of(TABLE_ENTITIES, 1, again, 1),
                changed = change_of(TABLE_ENTITIES, 1, set, 1), batch = change_of(TABLE_BATCH, 1, later, 1),
                drop = record_of(TABLE_DROP), names = created(some_ticks(), "n n n"),
                many = created(some_ticks(), "a b c d e f g h i j k l m n o p q");
    const struct text *const sound[][5] = {{&head, &one, &two}, {&head}, {&head, &two}};
    const struct text *const refused[][5] = {{&one},
                                             {&head, &head},
                                             {&head, &one, &twin},
                                             {&head, &one, &one},
                                             {&head, &changed},
                                             {&head, &batch},
                                             {&head, &drop},
                                             {&drop},
                                             {NULL},
                                             {&many, &one},
                                             {&one, &head}};
    struct tally tally = {0};
    for (size_t i = 0; i < ARRAY_SIZE(sound); i++) offer(dump, sound[i], &tally);
    assert_int_equal(tally.refused, 0);
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) offer(dump, refused[i], &tally);
    assert_int_equal(tally.accepted, ARRAY_SIZE(sound));
    /* One index, or none at all. */
    const struct text *const doubled[] = {&names, &one, NULL};
    offer(dump, doubled, &tally);
}

/* As many entities as a record of a file may have, and as many properties and indexes: none of it takes long. */
TEST(small_payloads_take_no_time) {
    enum { MAX = 4096 };
    struct entity *entities = pool_take((MAX + 1) * sizeof(*entities));
    struct tally tally = {0};
    table_setup();
    redisReply *dump = call(primary, "DUMP t");
    for (int i = 0; i <= MAX; i++) entities[i] = entity_of(STEP_ADD, pool_print("%05d", i));
    struct text head = created(some_ticks(), "n a b c d e f g h i j k l m o q"),
                max = change_of(TABLE_ENTITIES, MAX, entities, MAX),
                more = change_of(TABLE_ENTITIES, MAX + 1, entities, MAX + 1);
    const struct text *const whole[] = {&head, &max, NULL}, *const too_many[] = {&head, &more, NULL};
    offer(dump, whole, &tally);
    assert_int_equal(tally.accepted, 1);
    offer(dump, too_many, &tally);
    assert_int_equal(tally.refused, 1);
    for (int i = 0; i < 60; i++) {
        entities[i] = with_so_many(252);
        entities[i].key = entity_of(STEP_ADD, pool_print("%05d", i)).key;
        entities[i].key_length = 7;
    }
    struct text wide = change_of(TABLE_ENTITIES, 60, entities, 60);
    const struct text *const all[] = {&head, &wide, NULL};
    offer(dump, all, &tally);
    assert_int_equal(tally.accepted, 2);
}

/* --- Effects as they were sent, and doctored --- */

TEST(effects_changed_and_cut_off) {
    static const char *const lines[] = {
        "TABLE.SETACL t POLICIES 1 one 0 99 rd",
        "TABLE.INDEX t a b",
        "TABLE.UNINDEX t a",
        "TABLE.INSERT t p new PROPS 2 n:int32 5 s text",
        "TABLE.REPLACE t p r IFMATCH * PROPS 2 n:int64 6 b:bool 0",
        "TABLE.MERGE t p r IFMATCH * PROPS 2 d:double 2.5 x:binary ab",
        "TABLE.INSERTORREPLACE t p other PROPS 1 t:datetime 2026-11-18",
        "TABLE.INSERTORMERGE t p r PROPS 1 g:guid aaaaaaaa-0000-4000-8000-000000000000",
        "TABLE.BATCH t p 3 INSERT b1 PROPS 1 n:int32 1 MERGE r IFMATCH * PROPS 0 DELETE new IFMATCH *",
        "TABLE.DELETE t p r IFMATCH *",
        "TABLE.DROP t",
        "TABLE.CREATE t",
        NULL};
    fill_with_everything();
    hostile_doctor_effects("t", lines, require_sound);
}
