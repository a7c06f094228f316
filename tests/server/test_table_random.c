/*
 * Long random sequences of commands against a model that is as simple as can be: two tables of a few partitions and
 * rows in plain arrays. Every answer is foretold, and every now and then all is compared, reloaded and passed on.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "random.h"
#include "same_everywhere.h"
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

/* A property as it is written, and as it is shown. */
struct shown {
    int name, value;
};

struct entity {
    bool exists;
    char etag[20], old_etag[20];
    int count;
    struct shown properties[NAMES]; /* in the order in which they are answered */
};

static struct entity model[TABLES][PARTITIONS][ROWS];
static bool table_exists[TABLES];
static char last_etag[20];

static const char *const tables[TABLES] = {"t", "other"};
static const char *const partitions[PARTITIONS] = {"", "p", "\xf0\x9f\x98\x80"};
static const char *const rows[ROWS] = {"",    "a", "aa", "b", "\xc3\xa4", "\xf0\x9f\x98\x80", "\xef\xbd\x9e",
                                       "it's"};
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

enum { VALUES = sizeof values / sizeof *values };

struct spot {
    int table, partition, row;
};

static struct entity *at(struct spot spot) {
    return &model[spot.table][spot.partition][spot.row];
}

static struct spot somewhere(void) {
    return (struct spot){random_below(TABLES), random_below(PARTITIONS), random_below(ROWS)};
}

/* --- What is asked --- */

enum verb { INSERT, REPLACE, MERGE, DELETE, INSERTORREPLACE, INSERTORMERGE, VERBS };

static const char *const verb_words[VERBS] = {"INSERT", "REPLACE",         "MERGE",
                                              "DELETE", "INSERTORREPLACE", "INSERTORMERGE"};

enum match { ANY, RIGHT, OLD, STALE_ONE, MATCHES };

struct operation {
    enum verb verb;
    enum match match;
    int condition; /* whether there is a property of this name and value; none when it is negative */
    int count;
    struct shown given[NAMES];
};

static bool is_conditional(enum verb verb) {
    return verb == REPLACE || verb == MERGE || verb == DELETE;
}

static struct operation some_operation(void) {
    struct operation operation = {.verb = (enum verb)random_below(VERBS),
                                  .match = (enum match)random_below(random_below(2) ? 2 : MATCHES)};
    operation.condition = random_below(4) ? -1 : random_below(NAMES);
    if (operation.verb == DELETE) return operation;
    int first = random_below(NAMES);
    operation.count = random_below(4);
    for (int index = 0; index < operation.count; index++)
        operation.given[index] = (struct shown){(first + index) % NAMES, random_below(VALUES)};
    return operation;
}

static const char *match_word(const struct entity *entity, enum match match) {
    if (match == RIGHT && *entity->etag) return entity->etag;
    if (match == OLD && *entity->old_etag) return entity->old_etag;
    return match == STALE_ONE || match == OLD ? STALE : "*";
}

static void add_operation(struct words *words, const struct entity *entity,
                          const struct operation *operation) {
    if (is_conditional(operation->verb)) {
        words_add(words, "IFMATCH");
        words_add(words, match_word(entity, operation->match));
        if (operation->condition >= 0) words_add(words, "IF");
        if (operation->condition >= 0)
            words_add(words, pool_print("not (%s ne 'text')", names[operation->condition]));
    }
    if (operation->verb == DELETE) return;
    words_add(words, "PROPS");
    words_add_number(words, operation->count);
    for (int index = 0; index < operation->count; index++) {
        const struct shown *given = &operation->given[index];
        words_add(words, pool_print("%s%s", names[given->name], values[given->value].type));
        words_add(words, values[given->value].written);
    }
}

/* --- What must come of it --- */

static const struct shown *property_of(const struct entity *entity, int name) {
    for (int index = 0; index < entity->count; index++)
        if (entity->properties[index].name == name) return &entity->properties[index];
    return NULL;
}

/* Whether the property is absent or the string "text", by which `not (... ne ...)` holds. */
static bool condition_holds(const struct entity *entity, int name) {
    const struct shown *property = name >= 0 ? property_of(entity, name) : NULL;
    return !property || property->value == 1;
}

static const char *refusal_of(const struct entity *entity, const struct operation *operation) {
    if (operation->verb == INSERT) return entity->exists ? "CONFLICT EntityAlreadyExists" : NULL;
    if (!is_conditional(operation->verb)) return NULL;
    if (!entity->exists) return NO_ENTITY;
    const char *word = match_word(entity, operation->match);
    bool matches = !strcmp(word, "*") || !strcmp(word, entity->etag);
    return matches && condition_holds(entity, operation->condition) ? NULL : STALE_ENTITY;
}

static void set_property(struct entity *entity, struct shown given) {
    for (int index = 0; index < entity->count; index++) {
        if (entity->properties[index].name != given.name) continue;
        entity->properties[index] = given;
        return;
    }
    entity->properties[entity->count++] = given;
}

static void note_etag(struct entity *entity, const redisReply *reply) {
    const char *etag = expect_etag(reply);
    require(strcmp(etag, last_etag) > 0, "%s is not greater than %s", etag, last_etag);
    memcpy(entity->old_etag, entity->etag, sizeof entity->etag);
    memcpy(last_etag, etag, sizeof last_etag - 1);
    memcpy(entity->etag, etag, sizeof last_etag - 1);
}

static void happen(struct entity *entity, const struct operation *operation, const redisReply *reply) {
    if (operation->verb == DELETE) {
        expect_ok(reply);
        memcpy(entity->old_etag, entity->etag, sizeof entity->etag);
        memset(entity->etag, 0, sizeof entity->etag);
        entity->exists = false;
        entity->count = 0;
        return;
    }
    if (operation->verb != MERGE && operation->verb != INSERTORMERGE) entity->count = 0;
    for (int index = 0; index < operation->count; index++) set_property(entity, operation->given[index]);
    entity->exists = true;
    note_etag(entity, reply);
}

static void expect_refusal(const struct words *words, const redisReply *reply, const char *refusal) {
    require(reply_is_error(reply) && text_begins(reply->str, refusal), "%s\n    should give %s, but gave %s",
            words_text(words), refusal, reply_text(reply));
}

static void play_alone(struct spot spot) {
    struct operation operation = some_operation();
    struct words words =
        words_of_line(pool_print("TABLE.%s %s", verb_words[operation.verb], tables[spot.table]));
    words_add(&words, partitions[spot.partition]);
    words_add(&words, rows[spot.row]);
    add_operation(&words, at(spot), &operation);
    redisReply *reply = call_words(primary, &words);
    const char *refusal = refusal_of(at(spot), &operation);
    if (!table_exists[spot.table]) refusal = NO_TABLE;
    if (refusal)
        expect_refusal(&words, reply, refusal);
    else
        happen(at(spot), &operation, reply);
}

/* The first operation that fails names itself, a row that comes twice its second place. */
static const char *refusal_of_batch(struct spot spot, const struct operation *operations, const int *places,
                                    int count) {
    for (int second = 1; second < count; second++)
        for (int first = 0; first < second; first++)
            if (places[first] == places[second]) return pool_print("INVALID InvalidDuplicateRow %d:", second);
    if (!table_exists[spot.table]) return NO_TABLE " 0:";
    for (int index = 0; index < count; index++) {
        const char *refusal =
            refusal_of(&model[spot.table][spot.partition][places[index]], &operations[index]);
        if (refusal) return pool_print("%s %d:", refusal, index);
    }
    return NULL;
}

static void play_batch(struct spot spot) {
    struct operation operations[BATCH_MAX];
    int places[BATCH_MAX], count = 1 + random_below(BATCH_MAX);
    struct words words = words_of_line(pool_print("TABLE.BATCH %s", tables[spot.table]));
    words_add(&words, partitions[spot.partition]);
    words_add_number(&words, count);
    for (int index = 0; index < count; index++) {
        places[index] = (spot.row + index) % ROWS;
        if (!random_below(60)) places[index] = random_below(ROWS);
        const struct entity *entity = &model[spot.table][spot.partition][places[index]];
        operations[index] = some_operation();
        if (random_below(4) && is_conditional(operations[index].verb) == !entity->exists)
            operations[index].verb = entity->exists ? MERGE : INSERT;
        words_add(&words, verb_words[operations[index].verb]);
        words_add(&words, rows[places[index]]);
        add_operation(&words, entity, &operations[index]);
    }
    redisReply *reply = call_words(primary, &words);
    const char *refusal = refusal_of_batch(spot, operations, places, count);
    if (refusal) {
        expect_refusal(&words, reply, refusal);
        return;
    }
    expect_elements(reply, (size_t)count);
    for (int index = 0; index < count; index++)
        happen(&model[spot.table][spot.partition][places[index]], &operations[index], reply->element[index]);
}

static void play_table(struct spot spot) {
    const char *table = tables[spot.table];
    if (!table_exists[spot.table]) {
        expect_ok(call(primary, "TABLE.CREATE %s", table));
        table_exists[spot.table] = true;
    } else if (!random_below(6)) {
        expect_ok(call(primary, "TABLE.DROP %s", table));
        memset(model[spot.table], 0, sizeof model[spot.table]);
        table_exists[spot.table] = false;
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

static const char *shape_of(const struct entity *entity) {
    struct text shape = {0};
    text_print(&shape, "[");
    for (int index = 0; index < entity->count; index++) {
        const struct shown *property = &entity->properties[index];
        text_print(&shape, "%s\"", index ? ", " : "");
        text_add_escaped(&shape, names[property->name], strlen(names[property->name]));
        text_print(&shape, "%s\", %s", values[property->value].type, values[property->value].shown);
    }
    text_print(&shape, "]");
    return shape.bytes;
}

/* The places of the model in the order of code units. */
static const int partition_order[PARTITIONS] = {0, 1, 2}, row_order[ROWS] = {0, 1, 2, 3, 7, 4, 5, 6};

static void compare_row(const redisReply *row, struct spot spot) {
    const struct entity *entity = at(spot);
    expect_text(row->element[0], partitions[spot.partition]);
    expect_text(row->element[1], rows[spot.row]);
    expect_text(row->element[2], entity->etag);
    expect_shape(row->element[3], shape_of(entity));
}

static void compare_table(struct client *client, int table) {
    redisReply *page = call(client, "TABLE.QUERY %s", tables[table]);
    if (!table_exists[table]) {
        expect_error(page, NO_TABLE);
        return;
    }
    size_t at_row = 0;
    expect_null(expect_elements(page, 2)->element[0]);
    for (int partition = 0; partition < PARTITIONS; partition++) {
        for (int row = 0; row < ROWS; row++) {
            struct spot spot = {table, partition_order[partition], row_order[row]};
            if (!at(spot)->exists) continue;
            require(at_row < page->element[1]->elements, "an entity is missing");
            compare_row(page->element[1]->element[at_row++], spot);
        }
    }
    assert_int_equal(page->element[1]->elements, at_row);
}

/* By the value of a property, with or without an index. */
static void compare_by_value(struct client *client, int table) {
    int name = random_below(NAMES);
    size_t expected = 0;
    for (int partition = 0; partition < PARTITIONS; partition++)
        for (int row = 0; row < ROWS; row++) {
            const struct shown *property = property_of(&model[table][partition][row], name);
            expected += property && property->value == 1;
        }
    redisReply *page =
        call(client, "TABLE.QUERY %s FILTER %s", tables[table], pool_print("%s eq 'text'", names[name]));
    if (table_exists[table]) expect_elements(expect_elements(page, 2)->element[1], expected);
}

static void compare_all(struct client *client) {
    for (int table = 0; table < TABLES; table++) {
        compare_table(client, table);
        compare_by_value(client, table);
    }
}

/* `look` is what happens now and then before all is compared. */
static void play_sequence(int steps, void (*look)(void)) {
    random_begin();
    memset(model, 0, sizeof model);
    memset(table_exists, 0, sizeof table_exists);
    memset(last_etag, 0, sizeof last_etag);
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
        if (table_exists[table]) pass_through_copies(tables[table]);
}

TEST(random_tables_are_the_same_under_other_names) {
    play_sequence(STEPS / 2, pass_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RUN(random_tables_are_the_same_on_replicas),
        RUN(random_tables_are_the_same_after_loading),
        RUN(random_tables_are_the_same_under_other_names),
    };
    return harness_run("table_random", tests);
}
