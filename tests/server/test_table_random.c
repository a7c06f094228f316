/* Long random sequences of commands on two tables of a few partitions and rows, against the model that the unit tests
 * ask, too. Every answer is foretold, and every now and then all is compared, reloaded and passed on. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
#include "table_model.h"
#include "tables.h"
#include "text.h"

enum {
    TABLES = 2,
    PARTITIONS = 3,
    ROWS = 8,
    NAMES = 6,
    STEPS = 4000,
    STEPS_BETWEEN_LOOKS = 400,
    BATCH_MAX = 6
};

static struct table_model model[TABLES];
static uint64_t last_etag, old_etags[TABLES][PARTITIONS * ROWS];

static const char *const tables[TABLES] = {"t", "other"};
static const char *const partitions[PARTITIONS] = {"", "p", "\xf0\x9f\x98\x80"};
/* In the order of their code units. */
static const char *const rows[ROWS] = {
    "", "a", "aa", "b", "it's", "\xc3\xa4", "\xf0\x9f\x98\x80", "\xef\xbd\x9e"};
static const char *const names[NAMES] = {"n", "N", "s", "_", "\xc3\xa4", "very_long_name_of_a_property"};

static const struct {
    const char *type, *written, *shown;
} values[] = {
    {"", "", "\"\""},
    {"", "text", "\"text\""},
    {":int32", "5", "5"},
    {":int32", "-1", "-1"},
    {":int64", "5", "\"5\""},
    {":int64", "9223372036854775807", "\"9223372036854775807\""},
    {":double", "5", "\"5\""},
    {":double", "NaN", "\"NaN\""},
    {":bool", "true", "1"},
    {":datetime", "2026-11-18", "\"2026-11-18T00:00:00.0000000Z\""},
    {":guid", "aaaaaaaa-0000-4000-8000-000000000000", "\"aaaaaaaa-0000-4000-8000-000000000000\""},
    {":binary", "\xff\x01", "\"\\xff\\x01\""},
};

enum { VALUES = ARRAY_SIZE(values) };

/* An entity that may be there, or not. For the model its key is two bytes, and a value the place in the table above. */
struct spot {
    int table, partition, row;
};

static const unsigned char numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static struct model_view key_at(struct spot spot) {
    static const unsigned char keys[PARTITIONS][ROWS][2] = {
        {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}},
        {{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 6}, {1, 7}},
        {{2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 5}, {2, 6}, {2, 7}},
    };
    return (struct model_view){(const char *)keys[spot.partition][spot.row], 2};
}

static const struct model_entity *entity_at(struct spot spot) {
    return table_model_find(&model[spot.table], key_at(spot));
}

static uint64_t *old_etag_at(struct spot spot) {
    return &old_etags[spot.table][spot.partition * ROWS + spot.row];
}

static struct spot somewhere(void) {
    return (struct spot){random_below(TABLES), random_below(PARTITIONS), random_below(ROWS)};
}

static struct model_view name_view(int name) {
    return (struct model_view){names[name], strlen(names[name])};
}

/* Whether the property is absent or the string "text", by which `not (... ne ...)` holds. */
static bool condition_holds(struct spot spot, int name) {
    const struct model_property *property = table_model_property(entity_at(spot), name_view(name));
    return !property || *property->value.data == 1;
}

/* --- What is asked --- */

static const char *const verb_words[MODEL_ENTITY_VERBS] = {"INSERT", "REPLACE",         "MERGE",
                                                           "DELETE", "INSERTORREPLACE", "INSERTORMERGE"};

/* Of one that is there, one that it had before, one that nobody has, or any. */
static void add_match(struct words *words, struct spot spot, struct model_write *write) {
    const struct model_entity *entity = entity_at(spot);
    int drawn = random_below(random_below(2) ? 2 : 4), name = random_below(NAMES);
    write->if_etag = drawn == 1 && entity ? entity->etag : drawn == 2 ? *old_etag_at(spot) : 1;
    write->matches_any = drawn == 0 || !write->if_etag;
    words_add(words, "IFMATCH");
    words_add(words, write->matches_any ? "*" : pool_print("0x%016llX", (unsigned long long)write->if_etag));
    if (random_below(4)) return;
    words_add_line(words, "IF");
    words_add(words, pool_print("not (%s ne 'text')", names[name]));
    write->is_unwanted = !condition_holds(spot, name);
}

static void add_properties(struct words *words, struct model_write *write) {
    struct model_given *given = pool_take(NAMES * sizeof(*given));
    int first = random_below(NAMES);
    write->given = given;
    write->given_count = random_size(4);
    words_add(words, "PROPS");
    words_add_number(words, (long long)write->given_count);
    for (int i = 0; i < (int)write->given_count; i++) {
        int name = (first + i) % NAMES, value = random_below(VALUES);
        given[i] = (struct model_given){name_view(name), {(const char *)&numbers[value], 1}, 0};
        words_add(words, pool_print("%s%s", names[name], values[value].type));
        words_add(words, values[value].written);
    }
}

/* What comes behind the key. */
static void add_write(struct words *words, struct spot spot, struct model_write *write) {
    write->key = key_at(spot);
    if (table_model_needs(write->verb)) add_match(words, spot, write);
    if (write->verb != MODEL_REMOVE) add_properties(words, write);
}

/* --- What must come of it --- */

static void happen(struct spot spot, struct model_write *write, const redisReply *reply) {
    const struct model_entity *entity = entity_at(spot);
    if (entity) *old_etag_at(spot) = entity->etag;
    if (write->verb == MODEL_REMOVE) {
        expect_ok(reply);
    } else {
        write->etag = strtoull(expect_etag(reply), NULL, 16);
        require(write->etag > last_etag, "%s is not greater than all before", reply->str);
        last_etag = write->etag;
    }
    table_model_play(&model[spot.table], write);
}

static void expect_refusal(const struct words *words, const redisReply *reply, const char *refusal) {
    require(reply_is_error(reply) && text_begins(reply->str, refusal), "%s\n    should give %s, but gave %s",
            words_text(words), refusal, reply_text(reply));
}

static void play_alone(struct spot spot) {
    struct model_write write = {.verb = (enum model_entity_verb)random_below(MODEL_ENTITY_VERBS)};
    struct words words = words_of_line(pool_print("TABLE.%s %s", verb_words[write.verb], tables[spot.table]));
    words_add(&words, partitions[spot.partition]);
    words_add(&words, rows[spot.row]);
    add_write(&words, spot, &write);
    redisReply *reply = call_words(primary, &words);
    const char *refusal = table_model_refusal(&model[spot.table], &write);
    if (refusal)
        expect_refusal(&words, reply, refusal);
    else
        happen(spot, &write, reply);
}

/* Mostly what fits there; the first operation that fails names itself, a row that comes twice its second place. */
static void play_batch(struct spot spot) {
    struct model_write writes[BATCH_MAX] = {{0}};
    struct spot spots[BATCH_MAX];
    size_t which, count = 1 + random_size(BATCH_MAX);
    struct words words = words_of_line(pool_print("TABLE.BATCH %s", tables[spot.table]));
    words_add(&words, partitions[spot.partition]);
    words_add_number(&words, (long long)count);
    for (size_t i = 0; i < count; i++) {
        spots[i] = spot;
        spots[i].row = random_below(60) ? (spot.row + (int)i) % ROWS : random_below(ROWS);
        enum model_entity_verb *verb = &writes[i].verb;
        bool there = entity_at(spots[i]);
        *verb = (enum model_entity_verb)random_below(MODEL_ENTITY_VERBS);
        if (random_below(4) && table_model_needs(*verb) != there) *verb = there ? MODEL_MERGE : MODEL_INSERT;
        words_add(&words, verb_words[*verb]);
        words_add(&words, rows[spots[i].row]);
        add_write(&words, spots[i], &writes[i]);
    }
    redisReply *reply = call_words(primary, &words);
    const char *refusal = table_model_batch_refusal(&model[spot.table], writes, count, &which);
    if (refusal) {
        expect_refusal(&words, reply, pool_print("%s %zu:", refusal, which));
        return;
    }
    expect_elements(reply, count);
    for (size_t i = 0; i < count; i++) happen(spots[i], &writes[i], reply->element[i]);
}

static void play_table(struct spot spot) {
    const char *table = tables[spot.table];
    if (!model[spot.table].exists) {
        expect_ok(call(primary, "TABLE.CREATE %s", table));
        model[spot.table].exists = true;
    } else if (!random_below(6)) {
        expect_ok(call(primary, "TABLE.DROP %s", table));
        table_model_end(&model[spot.table]);
        memset(old_etags[spot.table], 0, sizeof(old_etags[spot.table]));
    } else {
        const char *name = names[random_below(NAMES)];
        redisReply *reply =
            call(primary, "TABLE.%s %s %s", random_below(3) ? "INDEX" : "UNINDEX", table, name);
        require(!reply_is_error(reply) || text_begins(reply->str, NO_ENTITY), "%s", reply_text(reply));
        expect_error(call(primary, "TABLE.CREATE %s", table), "CONFLICT TableAlreadyExists");
    }
}

static void play_step(void) {
    int drawn = random_below(100);
    if (drawn < 65)
        play_alone(somewhere());
    else if (drawn < 97)
        play_batch(somewhere());
    else
        play_table(somewhere());
}

/* --- Comparing --- */

static const char *shape_of(const struct model_entity *entity) {
    struct text shape = {0};
    text_print(&shape, "[");
    for (size_t i = 0; i < entity->count; i++) {
        const struct model_property *property = &entity->properties[i];
        text_print(&shape, "%s\"", i ? ", " : "");
        text_add_escaped(&shape, property->name.data, property->name.length);
        text_print(&shape, "%s\", %s", values[(int)*property->value.data].type,
                   values[(int)*property->value.data].shown);
    }
    text_print(&shape, "]");
    return shape.bytes;
}

static void compare_row(const redisReply *row, const struct model_entity *entity) {
    expect_text(row->element[0], partitions[(int)entity->key.data[0]]);
    expect_text(row->element[1], rows[(int)entity->key.data[1]]);
    expect_text(row->element[2], pool_print("0x%016llX", (unsigned long long)entity->etag));
    expect_shape(row->element[3], shape_of(entity));
}

static void compare_table(struct client *client, int table) {
    redisReply *page = call(client, "TABLE.QUERY %s", tables[table]);
    if (!model[table].exists) {
        expect_error(page, NO_TABLE);
        return;
    }
    expect_null(expect_elements(page, 2)->element[0]);
    expect_elements(page->element[1], model[table].count);
    for (size_t i = 0; i < model[table].count; i++)
        compare_row(page->element[1]->element[i], &model[table].entities[i]);
}

/* By the value of a property, with or without an index. */
static void compare_by_value(struct client *client, int table) {
    int name = random_below(NAMES);
    size_t expected = 0;
    for (size_t i = 0; i < model[table].count; i++) {
        const struct model_property *property =
            table_model_property(&model[table].entities[i], name_view(name));
        expected += property && *property->value.data == 1;
    }
    redisReply *page =
        call(client, "TABLE.QUERY %s FILTER %s", tables[table], pool_print("%s eq 'text'", names[name]));
    if (model[table].exists) expect_elements(expect_elements(page, 2)->element[1], expected);
}

static void compare_all(struct client *client) {
    for (int table = 0; table < TABLES; table++) {
        compare_table(client, table);
        compare_by_value(client, table);
    }
}

static void forget(void *target) {
    (void)target;
    for (int table = 0; table < TABLES; table++) table_model_end(&model[table]);
    memset(old_etags, 0, sizeof(old_etags));
    last_etag = 0;
}

/* `look` is what happens now and then before all is compared. */
static void play_sequence(int steps, void (*look)(void)) {
    random_begin();
    pool_keep(&model, forget);
    for (int step = 1; step <= steps; step++) {
        play_step();
        if (step % STEPS_BETWEEN_LOOKS) continue;
        look();
        compare_all(primary);
    }
}

static void look_at_replicas(void) {
    await_replicas();
    compare_all(replica);
    compare_all(chained);
}

TEST(random_tables_are_the_same_on_replicas) {
    play_sequence(STEPS, look_at_replicas);
}

static void load_again(void) {
    static int looks;
    expect_ok(call(primary, "DEBUG RELOAD"));
    await_replicas();
    await_settled_files(chained);
    if (looks++ % 2) rewrite_append_only_file(chained, looks % 4 == 2);
    for (int step = 0; step < 20; step++) play_step();
    await_replicas();
    expect_ok(call(chained, "DEBUG LOADAOF"));
    compare_all(chained);
}

TEST(random_tables_are_the_same_after_loading) {
    play_sequence(STEPS / 2, load_again);
}

static void pass_on(void) {
    for (int table = 0; table < TABLES; table++)
        if (model[table].exists) pass_through_copies(tables[table]);
}

TEST(random_tables_are_the_same_under_other_names) {
    play_sequence(STEPS / 2, pass_on);
}
