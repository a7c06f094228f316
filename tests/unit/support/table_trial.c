#include "table_trial.h"

#include "change_again.h"
#include "core/garbage.h"
#include "core/policy.h"
#include "mover.h"
#include "property_draw.h"
#include "require.h"
#include "table/key.h"
#include "table/table.h"

#include <stdlib.h>

enum {
    NOW_US = 1000000,
    STEPS_FEW = 12,
    PORTION_MAX = 12, /* entities that an index learns at once */
    RISK_SIDES = 8,   /* one choice in so many is careless */
};

void table_trial_start(struct table_trial *trial) {
    struct table_change change = {
        .kind = TABLE_CREATE, .policies = {0, {"", 0}}, .ticks = 5, .names = {0, {"", 0}}};
    memset(trial, 0, sizeof(*trial));
    trial->table = table_new(&change);
    table_shadow_start(&trial->model, &change);
    trial->now_us = NOW_US;
}

void table_trial_end(struct table_trial *trial) {
    table_free(trial->table);
    table_shadow_end(&trial->model);
}

bool table_trial_apply(struct table_trial *trial, const struct table_change *change) {
    char *record;
    struct table_change again;
    change_again(&table_changes, change, &again, &record);
    bool fits = table_shadow_fits(&trial->model, &again);
    require_same(table_apply(trial->table, &again), fits, "a change of kind %d", (int)again.kind);
    if (fits) table_shadow_apply(&trial->model, &again);
    if (trial->companion) table_apply(trial->companion, &again);
    trial->tally[again.kind][fits]++;
    free(record);
    return fits;
}

/* --- Steps --- */

/* Mostly one that fits what is there. */
static enum table_step_kind kind_for(const struct table_trial *trial, struct dice *dice, struct bytes key,
                                     bool careless) {
    enum table_step_kind kind = (enum table_step_kind)dice_roll(dice, STEP_KINDS);
    bool there = table_model_find(&trial->model.now, model_view_of(key));
    if (careless) return kind;
    if (!there) return STEP_ADD;
    if (kind == STEP_REMOVE && trial->model.followed) return STEP_MARK;
    return kind == STEP_ADD ? STEP_MERGE : kind;
}

static void put_step(struct table_trial *trial, struct dice *dice, struct record_writer *steps,
                     const struct table_step *step) {
    struct table_step whole = *step;
    struct record_writer properties;
    record_start(&properties);
    whole.etag = ++trial->etags;
    whole.ticks = table_next_ticks(trial->table->ticks, trial->now_us);
    require(whole.ticks > trial->model.ticks, "a Timestamp that is not greater than all others");
    if (!table_step_removes(step)) whole.properties = properties_draw(dice, &properties);
    table_step_put(steps, &whole);
    record_end(&properties);
}

static bool is_among(struct packed_list steps, struct bytes key) {
    struct record_reader reader = record_reader(steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step))
        if (bytes_equal(step.key, key)) return true;
    return false;
}

/* Each key once. */
static struct packed_list draw_steps(struct table_trial *trial, struct dice *dice,
                                     const struct table_choice *choice, uint64_t max,
                                     struct record_writer *steps) {
    bool careless = choice->risk % RISK_SIDES == 0;
    struct packed_list list = {0, {"", 0}};
    record_start(steps);
    for (uint64_t i = 0; i < max; i++) {
        struct record_writer room ENDS_BY(record_end);
        record_start(&room);
        struct bytes key = key_draw(dice, &room);
        if (!is_among(list, key)) {
            struct table_step step = {.kind = kind_for(trial, dice, key, careless && i == max - 1),
                                      .key = key};
            put_step(trial, dice, steps, &step);
            list = (struct packed_list){list.count + 1, record_written(steps)};
        }
    }
    return list;
}

static void write_some(struct table_trial *trial, struct dice *dice, const struct table_choice *choice,
                       uint64_t max) {
    static const enum table_change_kind kinds[] = {TABLE_INSERT, TABLE_REPLACE,         TABLE_MERGE,
                                                   TABLE_DELETE, TABLE_INSERTORREPLACE, TABLE_INSERTORMERGE};
    struct record_writer steps;
    struct table_change change = {.kind = max > 1 ? TABLE_BATCH : kinds[dice_roll(dice, 6)]};
    change.steps = draw_steps(trial, dice, choice, max, &steps);
    table_trial_apply(trial, &change);
    record_end(&steps);
}

static void remove_one(struct table_trial *trial, struct dice *dice) {
    if (!trial->model.now.count) return;
    struct record_writer steps ENDS_BY(record_end);
    struct table_step step = {
        .kind = trial->model.followed ? STEP_MARK : STEP_REMOVE,
        .etag = ++trial->etags,
        .key = model_bytes(trial->model.now.entities[dice_roll(dice, trial->model.now.count)].key)};
    record_start(&steps);
    table_step_put(&steps, &step);
    struct table_change change = {.kind = TABLE_DELETE, .steps = {1, record_written(&steps)}};
    require(table_trial_apply(trial, &change), "it is there");
}

/* New ones in the order of their keys, as a file has them; they are newer than a feed that is being read allows. */
static void load_entities(struct table_trial *trial, struct dice *dice, const struct table_choice *choice) {
    struct record_writer steps, key;
    if (feed_is_loading(trial->table->feed)) return;
    struct table_change change = {.kind = TABLE_ENTITIES};
    record_start(&steps);
    for (int number = 0; number <= choice->count % STEPS_FEW; number++) {
        char row = (char)('a' + number);
        record_start(&key);
        stored_key_put(&key, bytes_text(choice->risk % 2 ? "b" : "loaded"), bytes_of(&row, 1));
        struct table_step step = {.kind = STEP_ADD, .key = {key.data, key.length}};
        put_step(trial, dice, &steps, &step);
        change.steps.count++;
        record_end(&key);
    }
    change.steps.items = record_written(&steps);
    table_trial_apply(trial, &change);
    record_end(&steps);
}

/* --- What stands beside the entities --- */

static void set_policies(struct table_trial *trial, const struct table_choice *choice) {
    struct record_writer room ENDS_BY(record_end);
    struct policy policy = {bytes_text("id"), 1, choice->risk, bytes_text("raud")};
    record_start(&room);
    if (choice->count % 4) policy_pack(&room, &policy);
    struct table_change change = {.kind = TABLE_SETACL,
                                  .policies = {choice->count % 4 != 0, record_written(&room)}};
    table_trial_apply(trial, &change);
}

static void change_indexes(struct table_trial *trial, struct dice *dice, enum table_change_kind kind,
                           uint64_t count) {
    struct record_writer names;
    record_start(&names);
    for (uint64_t i = 0; i < count; i++) record_put_bytes(&names, name_drawn(dice_roll(dice, DRAWN_NAMES)));
    struct table_change change = {.kind = kind, .names = {count, record_written(&names)}};
    table_trial_apply(trial, &change);
    record_end(&names);
}

/* The last key of so many entities that the index does not know; no data when it knows all. */
static struct bytes next_frontier(const struct table_model *model, const struct table_index *index,
                                  size_t max) {
    struct model_view frontier = model_view_of(index->frontier);
    size_t place = table_model_place(model, frontier);
    while (place < model->count && model_order(model_view(model->entities[place].key), frontier) <= 0)
        place++;
    size_t last = place + max < model->count ? place + max : model->count;
    return last > place ? model_bytes(model->entities[last - 1].key) : bytes_of("", 0);
}

/* A portion as the table itself chooses it; or, careless, up to any key, also one that it knows already. */
static void build_index(struct table_trial *trial, struct dice *dice, const struct table_choice *choice) {
    struct table_index *index = table_unfinished(trial->table);
    struct record_writer names, room;
    if (!index) return;
    record_start(&names);
    record_start(&room);
    size_t max = 1 + choice->count % PORTION_MAX;
    struct bytes key = table_index_next(trial->table, index, max);
    require_bytes(key, next_frontier(&trial->model.now, index, max), "the next portion");
    if (choice->risk % RISK_SIDES == 0) key = key_draw(dice, &room);
    record_put_bytes(&names, index->name);
    struct table_change change = {.kind = TABLE_INDEXED, .names = {1, record_written(&names)}, .key = key};
    require(table_trial_apply(trial, &change), "there is such an index");
    record_end(&names);
    record_end(&room);
}

static void switch_feed(struct table_trial *trial, struct dice *dice) {
    static const enum table_change_kind kinds[] = {TABLE_FEEDON, TABLE_FEEDON, TABLE_FEEDKEEP, TABLE_FEEDOFF,
                                                   TABLE_FEEDBUILT};
    struct table_change change = {.kind = kinds[dice_roll(dice, 5)], .key = {"", 0}};
    change.minted = ++trial->etags;
    change.keep = dice_roll(dice, 30);
    table_trial_apply(trial, &change);
}

/* --- A life --- */

void table_trial_step(struct table_trial *trial, const struct table_choice *choice) {
    struct dice dice = {0};
    memcpy(&dice.state, choice->seeds, sizeof(choice->seeds));
    trial->now_us += choice->count % 4 ? choice->count : -INT64_C(100);
    const unsigned kind = choice->kind % 64;
    if (kind < 1)
        set_policies(trial, choice);
    else if (kind < 3)
        change_indexes(trial, &dice, TABLE_INDEX, choice->count % 4);
    else if (kind < 4)
        change_indexes(trial, &dice, TABLE_UNINDEX, choice->count % 3);
    else if (kind < 5)
        load_entities(trial, &dice, choice);
    else if (kind < 13)
        build_index(trial, &dice, choice);
    else if (kind < 14)
        garbage_sweep(choice->count);
    else if (kind < 15)
        write_some(trial, &dice, choice, choice->count % 4 ? STEPS_FEW : TABLE_BATCH_MAX);
    else if (kind < 20)
        write_some(trial, &dice, choice, 2 + choice->count % STEPS_FEW);
    else if (kind < 28)
        remove_one(trial, &dice);
    else if (kind < 31)
        switch_feed(trial, &dice);
    else
        write_some(trial, &dice, choice, 1);
}

void table_trial_live(struct table_trial *trial, struct dice *dice, int steps) {
    for (int step = 0; step < steps; step++) {
        struct table_choice choice;
        dice_fill(dice, &choice, sizeof(choice));
        table_trial_step(trial, &choice);
    }
}

void table_trial_compare(const struct table_trial *trial) {
    table_shadow_compare(&trial->model, trial->table);
}

static void take_over(struct table_trial *trial, struct table *table) {
    table_free(trial->table);
    trial->table = table;
    table_shadow_finish_indexes(&trial->model);
    table_trial_compare(trial);
}

static void rebuild(void *context, const void *change) {
    struct table **table = context;
    char *record;
    struct table_change again;
    change_again(&table_changes, change, &again, &record);
    if (!*table)
        *table = table_new(&again);
    else
        require(table_apply(*table, &again), "a record of a walk does not fit");
    free(record);
}

void table_trial_rebuild(struct table_trial *trial) {
    struct table *table = NULL;
    table_walk(trial->table, &(struct change_walk){.take = rebuild, .context = &table});
    take_over(trial, table);
}

static void learn_change(void *context, const void *walked) {
    const struct table_change *change = walked;
    if (change->kind == TABLE_CREATE)
        table_shadow_start(context, change);
    else
        table_shadow_apply(context, change);
}

void table_trial_adopt(struct table_trial *trial, struct table *table, const struct table_trial *original) {
    *trial = (struct table_trial){.table = table, .etags = original->etags, .now_us = original->now_us};
    table_walk(table, &(struct change_walk){.take = learn_change, .context = &trial->model});
    table_shadow_finish_indexes(&trial->model);
}

void table_trial_copy(struct table_trial *trial) {
    take_over(trial, table_copy(trial->table));
}

void table_trial_move(struct table_trial *trial, struct dice *dice) {
    const struct relocation relocation = mover(dice);
    trial->table = table_relocate(trial->table, &relocation);
    for (size_t place = 0; place < table_places(trial->table); place++)
        table_relocate_place(trial->table, place, &relocation);
}
