/* Tables against naive ones: their lives, their memory, and what they refuse. */
#define _GNU_SOURCE
#include "change_again.h"
#include "table/table.h"

#include "core/garbage.h"
#include "property_draw.h"
#include "table/key.h"
#include "table/ticks.h"
#include "table_trial.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

FREES(table)

/* --- Random lives --- */

static void live(uint64_t seed, int rounds, unsigned tally[TABLE_CHANGE_KINDS][2]) {
    static struct table_trial trial;
    struct dice dice = {seed};
    table_trial_start(&trial);
    for (int round = 0; round < rounds; round++) {
        table_trial_live(&trial, &dice, 20);
        table_trial_compare(&trial);
        if (round % 20 == 9) table_trial_rebuild(&trial);
        if (round % 20 == 19) table_trial_copy(&trial);
    }
    for (int kind = 0; kind < TABLE_CHANGE_KINDS; kind++)
        for (int fits = 0; fits < 2; fits++) tally[kind][fits] += trial.tally[kind][fits];
    table_trial_end(&trial);
}

TEST(a_table_equals_its_model) {
    unsigned tally[TABLE_CHANGE_KINDS][2] = {{0}};
    for (uint64_t seed = 1; seed <= 12; seed++) live(seed, 60, tally);
    for (int kind = TABLE_SETACL; kind <= TABLE_FEEDBUILT; kind++)
        require(tally[kind][true] > 20, "only %u changes of kind %d", tally[kind][true], kind);
    for (int kind = TABLE_INSERT; kind <= TABLE_ENTITIES; kind++)
        require(tally[kind][false] > 20, "only %u misfits of kind %d", tally[kind][false], kind);
}

/* --- By hand --- */

/* A step for the entity of partition "p" and this row, with one property of this number. */
static void put_step(struct record_writer *steps, enum table_step_kind kind, const char *row,
                     int64_t number) {
    struct record_writer key;
    struct record_writer properties;
    record_start(&key);
    record_start(&properties);
    stored_key_put(&key, bytes_text("p"), bytes_text(row));
    property_put(&properties, &(struct property){name_drawn(0), {.type = VALUE_INT64, .number = number}});
    table_step_put(steps, &(struct table_step){.kind = kind,
                                               .key = {key.data, key.length},
                                               .etag = (version)number + 1,
                                               .ticks = number + 1,
                                               .properties = {1, {properties.data, properties.length}}});
    record_end(&key);
    record_end(&properties);
}

static bool apply_steps(struct table *table, enum table_change_kind kind, uint64_t count,
                        const struct record_writer *steps) {
    struct table_change change = {.kind = kind, .steps = {count, record_written(steps)}};
    return table_apply(table, &change);
}

static bool apply_step(struct table *table, enum table_step_kind kind, const char *row, int64_t number) {
    struct record_writer steps;
    record_start(&steps);
    put_step(&steps, kind, row, number);
    bool applied = apply_steps(table, TABLE_BATCH, 1, &steps);
    record_end(&steps);
    return applied;
}

static struct table *empty_table(void) {
    return table_new(
        &(struct table_change){.kind = TABLE_CREATE, .policies = {0, {"", 0}}, .names = {0, {"", 0}}});
}

/* Rows from 000000 on. */
static void add_rows(struct table *table, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        char row[16];
        (void)snprintf(row, sizeof(row), "%06u", i);
        require(apply_step(table, STEP_ADD, row, i), "row %u is new", i);
    }
}

static bool change_names(struct table *table, enum table_change_kind kind, unsigned from, unsigned to) {
    struct record_writer names;
    record_start(&names);
    for (unsigned i = from; i < to; i++) {
        char name[16];
        int length = snprintf(name, sizeof(name), "p%u", i);
        record_put_bytes(&names, bytes_of(name, (size_t)length));
    }
    struct table_change change = {.kind = kind, .names = {to - from, record_written(&names)}};
    bool applied = table_apply(table, &change);
    record_end(&names);
    return applied;
}

static bool build_portion(struct table *table, size_t max) {
    struct table_index *index = table_unfinished(table);
    struct record_writer names;
    if (!index) return false;
    record_start(&names);
    record_put_bytes(&names, index->name);
    struct table_change change = {.kind = TABLE_INDEXED,
                                  .names = {1, record_written(&names)},
                                  .key = table_index_next(table, index, max)};
    require(table_apply(table, &change), "a portion of an index");
    record_end(&names);
    return true;
}

/* --- What does not fit --- */

static const struct {
    const char *why;
    enum table_step_kind kind; /* of the last of a hundred steps */
    const char *row;
} last_steps[] = {
    {"one to be added is there", STEP_ADD, "there"},
    {"one to be set is not", STEP_SET, "absent"},
    {"one to be merged is not", STEP_MERGE, "absent"},
    {"one to be removed is not", STEP_REMOVE, "absent"},
};

TEST(a_batch_with_one_misfit_does_nothing) {
    struct table *table ENDS_BY(table_release) = empty_table();
    require(change_names(table, TABLE_INDEX, 0, 1) && apply_step(table, STEP_ADD, "there", 7), "a beginning");
    for (size_t i = 0; i < ARRAY_SIZE(last_steps); i++) {
        char row[16];
        RECORD_WRITER(steps);
        put_step(&steps, STEP_REMOVE, "there", 0);
        for (int step = 1; step < TABLE_BATCH_MAX - 1; step++) {
            (void)snprintf(row, sizeof(row), "%d", step);
            put_step(&steps, STEP_ADD, row, 1000 + step);
        }
        put_step(&steps, last_steps[i].kind, last_steps[i].row, 2000);
        size_t memory = table_memory(table);
        require(!apply_steps(table, TABLE_BATCH, TABLE_BATCH_MAX, &steps), "%s", last_steps[i].why);
        require_same(catalog_count(&table->entities), 1, "%s", last_steps[i].why);
        require_same(table->indexes[0].count, 1, "%s", last_steps[i].why);
        require_same(table->ticks, 8, "%s", last_steps[i].why);
        require_same(table_memory(table), memory, "%s", last_steps[i].why);
    }
}

TEST(changes_that_do_not_fit_a_table_do_nothing) {
    struct table *table ENDS_BY(table_release) = empty_table();
    add_rows(table, 3);
    require(!table_apply(table, &(struct table_change){.kind = TABLE_CREATE}), "it is there");
    require(!table_apply(table, &(struct table_change){.kind = TABLE_DROP}), "it is not its own to end");
    require(!change_names(table, TABLE_INDEXED, 0, 1), "no such index");
    require(!change_names(table, TABLE_INDEXED, 0, 0), "no name at all");
    require(change_names(table, TABLE_INDEX, 0, TABLE_INDEXES_MAX - 1), "all but one");
    require(!change_names(table, TABLE_INDEX, 20, 22), "two are one too many");
    require_same(table->index_count, TABLE_INDEXES_MAX - 1, "neither is there");
    require(change_names(table, TABLE_INDEX, 20, 21), "one is not");
    require(change_names(table, TABLE_UNINDEX, 30, 31), "what is not there is gone already");
    require_same(table->index_count, TABLE_INDEXES_MAX, "all of them");
}

/* Who has looked for the entity already says where it is. */
TEST(an_entity_that_is_known_is_not_looked_for) {
    static const enum table_step_kind kinds[] = {STEP_SET, STEP_MERGE, STEP_SET, STEP_REMOVE};
    struct table *table ENDS_BY(table_release) = empty_table();
    struct record_writer properties;
    add_rows(table, 3);
    RECORD_WRITER(key);
    stored_key_put(&key, bytes_text("p"), bytes_text("000001"));
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct property found, property = {name_drawn(i), {.type = VALUE_INT32, .number = 1}};
        struct table_step step = {
            .kind = kinds[i], .key = {key.data, key.length}, .etag = 50 + i, .ticks = 60};
        record_start(&properties);
        property_put(&properties, &property);
        step.properties = (struct packed_list){1, record_written(&properties)};
        step.existing = table_find(table, step.key);
        table_apply(table,
                    &(struct table_change){.kind = TABLE_BATCH, .steps = {.count = 1}, .decided = &step});
        const struct entity *entity = table_find(table, step.key);
        require_same(!entity, kinds[i] == STEP_REMOVE, "step %zu", i);
        bool same = !entity || (entity->etag == 50 + i &&
                                properties_find_name(entity_properties(entity), property.name, &found));
        require(same, "step %zu was done", i);
        record_end(&properties);
    }
    require_same(catalog_count(&table->entities), 2, "the others");
}

/* --- Timestamps --- */

TEST(timestamps_only_grow) {
    static const struct {
        int64_t before, now_us, after;
    } moments[] = {
        {0, 0, INT64_C(116444736000000000)},
        {0, 1, INT64_C(116444736000000010)},
        {0, 999, INT64_C(116444736000009990)},
        {0, 1000, INT64_C(116444736000010000)},
        {0, INT64_C(1700000000123456), INT64_C(133444736001234560)},
        {INT64_C(133444736001234559), INT64_C(1700000000123456), INT64_C(133444736001234560)},
        {INT64_C(133444736001234560), INT64_C(1700000000123456), INT64_C(133444736001234561)},
        {INT64_C(133444736001234569), INT64_C(1700000000123456), INT64_C(133444736001234570)},
        {INT64_C(200000000000000000), INT64_C(1700000000123456), INT64_C(200000000000000001)},
        {TICKS_MAX - 1, 0, TICKS_MAX},
        {TICKS_MAX, 0, TICKS_MAX},
    };
    for (size_t i = 0; i < ARRAY_SIZE(moments); i++)
        require_same(table_next_ticks(moments[i].before, moments[i].now_us), moments[i].after, "moment %zu",
                     i);
    require_same(table_ticks_after(5, 9), 9, "ticks that are greater already");
    require_same(table_ticks_after(9, 9), 10, "the same ticks");
    require_same(table_ticks_after(TICKS_MAX, TICKS_MAX), TICKS_MAX, "there are none behind the greatest");
}

/* --- Indexes --- */

/* While an index is built, entities come, change and go on both sides of its frontier. */
TEST(an_index_is_built_while_others_write) {
    enum { MANY = 600 };
    static struct table_trial trial;
    struct dice dice = {77};
    table_trial_start(&trial);
    table_trial_live(&trial, &dice, MANY);
    for (size_t name = 0; name < DRAWN_NAMES; name++) {
        RECORD_WRITER(names);
        record_put_bytes(&names, name_drawn(name));
        struct table_change change = {.kind = TABLE_INDEX, .names = {1, {names.data, names.length}}};
        require(table_trial_apply(&trial, &change), "an index more");
        for (int portion = 0; portion < 30; portion++) {
            struct table_choice build = {.kind = 5, .count = 2, .risk = 1}, any;
            dice_fill(&dice, &any, sizeof(any));
            table_trial_step(&trial, &build);
            any.kind = (uint8_t)(any.kind % 40 + 20); /* entities only */
            table_trial_step(&trial, &any);
            table_trial_compare(&trial);
        }
    }
    table_trial_end(&trial);
}

TEST(an_index_ends_when_nothing_is_left_to_learn) {
    struct table *table ENDS_BY(table_release) = empty_table();
    struct table_change change;
    char *record;
    add_rows(table, 3);
    require(change_names(table, TABLE_INDEX, 0, 1) && !table->indexes[0].complete, "it has much to learn");
    require(build_portion(table, 2) && !table->indexes[0].complete, "two of three");
    require(apply_step(table, STEP_REMOVE, "000002", 0), "the third is gone");
    RECORD_WRITER(names);
    record_put_bytes(&names, name_drawn(0));
    change = (struct table_change){.kind = TABLE_INDEXED,
                                   .names = {1, {names.data, names.length}},
                                   .key = table_index_next(table, &table->indexes[0], 2)};
    struct table_change again;
    change_again(&table_changes, &change, &again, &record);
    require(table_apply(table, &again), "the last portion, also where it is read from a record");
    require(table->indexes[0].complete, "there was nothing left");
    require_same(table->indexes[0].count, 2, "index entries");
    free(record);
}

TEST(the_index_of_an_empty_table_is_complete) {
    struct table *table ENDS_BY(table_release) = empty_table();
    require(change_names(table, TABLE_INDEX, 0, 2) && !table_unfinished(table), "nothing to learn");
    add_rows(table, 10);
    require_same(table->indexes[0].count, 10, "index entries");
    require_same(table->indexes[1].count, 0, "nobody has the other property");
    require(change_names(table, TABLE_INDEX, 0, 1), "again");
    require_same(table->index_count, 2, "that changes nothing");
}

static void sweep_soon(void) {}

TEST(dropped_indexes_and_tables_are_freed_in_portions) {
    enum { MARKS = 3000, PORTION = 500 };
    struct table *table = empty_table();
    garbage_pending = sweep_soon;
    require(change_names(table, TABLE_INDEX, 0, 3), "three indexes");
    add_rows(table, MARKS);
    size_t before = table_allocations(table);
    require(change_names(table, TABLE_UNINDEX, 0, 3), "all are dropped");
    require(!table_index_of(table, name_drawn(0)), "nobody finds them");
    require(table_allocations(table) > before - MARKS, "some is still there");
    require(change_names(table, TABLE_INDEX, 0, 1), "another one of its name");
    size_t left = table_allocations(table);
    require(garbage_sweep(PORTION), "much is left");
    require_same(table_allocations(table), left - PORTION, "what a portion freed");
    table_free(table);
    require(!garbage_sweep(PORTION), "the rest is freed with the table");
    garbage_pending = NULL;
}

/* --- Walks --- */

struct walked {
    unsigned records;
    uint64_t max_steps;
    size_t bytes_max;
};

static void note_record(void *context, const void *taken) {
    const struct table_change *change = taken;
    struct walked *walked = context;
    walked->records++;
    if (change->kind == TABLE_CREATE) return;
    if (change->steps.count > walked->max_steps) walked->max_steps = change->steps.count;
    if (change->steps.items.length > walked->bytes_max) walked->bytes_max = change->steps.items.length;
}

TEST(a_walk_goes_in_pieces) {
    struct table *table ENDS_BY(table_release) = empty_table();
    struct walked walked = {0, 0, 0};
    table_walk(table, &(struct change_walk){.take = note_record, .context = &walked});
    require_same(walked.records, 1, "an empty table is only created");
    add_rows(table, 1200);
    walked = (struct walked){0, 0, 0};
    table_walk(table, &(struct change_walk){.take = note_record, .context = &walked});
    require(walked.records >= 4 && walked.max_steps < 1200, "%u records", walked.records);
    require(walked.bytes_max < 128 << 10, "%zu bytes in one", walked.bytes_max);
    struct table *copy ENDS_BY(table_release) = table_copy(table);
    require_same(catalog_count(&copy->entities), 1200, "all of them");
    require_same(copy->ticks, table->ticks, "the greatest Timestamp");
}

/* Many small entities make a record, and so does a single large one. */
TEST(large_entities_come_one_by_one) {
    enum { LARGE = 20 };
    static char bytes[VALUE_BINARY_MAX_BYTES];
    struct walked walked = {0, 0, 0};
    struct table *table ENDS_BY(table_release) = empty_table();
    RECORD_WRITER(properties);
    property_put(
        &properties,
        &(struct property){name_drawn(0), {.type = VALUE_BINARY, .bytes = bytes_of(bytes, sizeof(bytes))}});
    for (int row = 'a'; row < 'a' + LARGE; row++) {
        char key[] = {'p', '\0', (char)row};
        struct table_step step = {.kind = STEP_ADD,
                                  .key = bytes_of(key, sizeof(key)),
                                  .etag = 1,
                                  .ticks = 1,
                                  .properties = {1, {properties.data, properties.length}}};
        table_apply(table,
                    &(struct table_change){.kind = TABLE_BATCH, .steps = {.count = 1}, .decided = &step});
    }
    table_walk(table, &(struct change_walk){.take = note_record, .context = &walked});
    require_same(walked.records, 1 + LARGE, "a record for each");
}

/* Also when the entity that had the greatest one is gone. */
TEST(a_copy_goes_on_with_its_timestamps) {
    struct table *table ENDS_BY(table_release) = empty_table();
    add_rows(table, 10);
    require(apply_step(table, STEP_REMOVE, "000009", 0), "the last one is gone");
    struct table *copy ENDS_BY(table_release) = table_copy(table);
    require_same(copy->ticks, 10, "the greatest Timestamp that was ever given");
}

/* An index of which only half is known is complete where the table is built anew. */
TEST(a_copy_knows_its_indexes_whole) {
    struct table *table ENDS_BY(table_release) = empty_table();
    add_rows(table, 100);
    require(change_names(table, TABLE_INDEX, 0, 1) && build_portion(table, 50), "half of it");
    require_same(table->indexes[0].count, 50, "index entries");
    struct table *copy ENDS_BY(table_release) = table_copy(table);
    require(!table_unfinished(copy), "the copy has all");
    require_same(copy->indexes[0].count, 100, "index entries of the copy");
    require(build_portion(table, 50) && !table_unfinished(table), "the other half");
    require_same(table->indexes[0].count, 100, "index entries");
}

/* --- Feeds --- */

/* The key p, r in the markers of a table with a feed. Forged: one key alone, of as many bytes. */
static void forge_marker(char *markers, size_t length) {
    char *key = memmem(markers, length, "p\0r", 3);
    require(key, "the deleted entity has a marker");
    key[1] = 'x';
}

struct taken_over {
    struct table *table;
    bool forges, fits;
};

static void take_over(void *context, const void *walked) {
    struct table_change change = *(const struct table_change *)walked;
    struct taken_over *over = context;
    char markers[64];
    if (change.kind == TABLE_CREATE) return;
    require(change.feed.length < sizeof(markers), "a small feed");
    memcpy(markers, change.feed.data, change.feed.length);
    change.feed.data = markers;
    bool forges = over->forges && change.kind == TABLE_FEEDMARKERS;
    if (forges) forge_marker(markers, change.feed.length);
    over->fits = table_apply(over->table, &change);
    require(over->fits || forges, "kind %d", (int)change.kind);
}

TEST(the_markers_of_a_feed_are_of_stored_keys) {
    struct table *table ENDS_BY(table_release) = empty_table();
    struct table_change begins = {.kind = TABLE_FEEDON, .minted = 1, .keep = 9};
    require(table_apply(table, &begins) && apply_step(table, STEP_ADD, "r", 1), "an entity");
    require(apply_step(table, STEP_MARK, "r", 2), "its deletion");
    for (int forges = 0; forges < 2; forges++) {
        struct taken_over over = {.table = empty_table(), .forges = forges};
        table_walk(table, &(struct change_walk){.take = take_over, .context = &over});
        require_same(over.fits, !forges, "markers, forged: %d", forges);
        table_free(over.table);
    }
}

/* --- Memory --- */

TEST(the_memory_of_a_table_is_what_the_allocator_says) {
    static struct table_trial trial;
    struct dice dice = {99};
    size_t before = allocations_bytes();
    table_trial_start(&trial);
    for (int round = 0; round < 120; round++) {
        table_trial_live(&trial, &dice, 10);
        require_same(table_memory(trial.table), allocations_bytes() - before, "round %d", round);
        require(table_allocations(trial.table) <= allocations_count(), "round %d", round);
    }
    table_trial_compare(&trial);
    table_trial_end(&trial);
    require_same(allocations_bytes(), before, "all of it came back");
}

TEST(a_table_can_move_in_memory) {
    static struct table_trial trial;
    struct dice dice = {5};
    unsigned moved = 0;
    table_trial_start(&trial);
    for (int round = 0; round < 40; round++) {
        table_trial_live(&trial, &dice, 20);
        const struct entity *one = trial.model.now.count
                                       ? table_find(trial.table, model_bytes(trial.model.now.entities[0].key))
                                       : NULL;
        table_trial_move(&trial, &dice);
        moved += one && one != table_find(trial.table, model_bytes(trial.model.now.entities[0].key));
        table_trial_compare(&trial);
        table_trial_live(&trial, &dice, 5);
    }
    require(moved > 10, "the first one moved %u times", moved);
    table_trial_end(&trial);
}

TEST(all_tables_are_known) {
    struct table_census before = table_census();
    struct table *one = empty_table(), *other = empty_table();
    add_rows(one, 7);
    require(apply_step(one, STEP_REMOVE, "000003", 0), "one less");
    require(apply_step(one, STEP_SET, "000004", 9), "the same");
    add_rows(other, 5);
    require_same(table_census().tables - before.tables, 2, "tables");
    require_same(table_census().entities - before.entities, 11, "entities");
    table_free(one);
    require_same(table_census().entities - before.entities, 5, "entities");
    table_free(other);
    require_same(table_census().tables - before.tables, 0, "none is left");
    require_same(table_census().entities - before.entities, 0, "none is left");
}
