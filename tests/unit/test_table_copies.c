/* Copies of tables: entities, and the entries of indexes, are in common until one of the tables changes them; each has
 * an account of its own, and whichever goes first, the others have lost nothing. */
#include "table/table.h"
#include "table_trial.h"
#include "unit.h"

#include <pthread.h>

/* --- Two --- */

static void digest_record(void *context, const void *change) {
    change_write(&table_changes, change, context);
}

static void digest_table(const struct table *table, struct record_writer *bytes) {
    record_start(bytes);
    table_walk(table, &(struct change_walk){.take = digest_record, .context = bytes});
}

/* The trial lives on, and the other table stays as it was. */
static void live_beside(struct table_trial *trial, struct dice *dice, struct table *still) {
    struct record_writer before, after;
    digest_table(still, &before);
    for (int turn = 0; turn < 5; turn++) {
        table_trial_live(trial, dice, 20);
        table_trial_move(trial, dice);
        table_trial_compare(trial);
    }
    digest_table(still, &after);
    require_bytes(record_written(&after), record_written(&before), "it has changed");
    record_end(&before);
    record_end(&after);
}

/* Entities, and the entries of indexes, are in common until one of the tables changes them. */
TEST(a_copy_and_its_original_change_alone) {
    for (uint64_t seed = 40; seed < 60; seed++) {
        static struct table_trial trial;
        struct dice dice = {seed};
        size_t before = allocations_bytes();
        table_trial_start(&trial);
        table_trial_live(&trial, &dice, 200);
        struct table *copy = table_copy(trial.table);
        live_beside(&trial, &dice, copy);
        table_free(copy);
        struct table *original = trial.table;
        trial.table = table_copy(original);
        table_shadow_finish_indexes(&trial.model);
        live_beside(&trial, &dice, original);
        table_free(original);
        require_same(table_memory(trial.table), allocations_bytes() - before, "it holds what is left");
        table_trial_compare(&trial);
        table_trial_end(&trial);
        require_same(allocations_bytes(), before, "all is freed");
    }
}

/* --- Families: copies of copies --- */

enum { FAMILY_MAX = 6, FAMILY_TURNS = 60, FAMILY_STEPS = 12 };

/* All tables have a model. Of those that are gone, the last one may still be freed on another thread. */
struct table_family {
    struct table_trial members[FAMILY_MAX];
    unsigned count;
    size_t before; /* bytes that were allocated already */
    pthread_t thread;
    bool freeing;
};

static void *free_table_aside(void *table) {
    table_free(table);
    return NULL;
}

static void await_thread(struct table_family *family) {
    if (family->freeing) require_same(pthread_join(family->thread, NULL), 0, "a thread");
    family->freeing = false;
}

static void table_goes(struct table_family *family, struct dice *dice) {
    struct table_trial *member = &family->members[dice_roll(dice, family->count)];
    await_thread(family);
    table_shadow_end(&member->model);
    family->freeing = dice_percent(dice, 50);
    if (!family->freeing)
        table_free(member->table);
    else
        require_same(pthread_create(&family->thread, NULL, free_table_aside, member->table), 0, "a thread");
    *member = family->members[--family->count];
}

/* Returns how many entities the copy has in common with others. */
static size_t table_comes(struct table_family *family, struct dice *dice) {
    if (family->count == FAMILY_MAX) return 0;
    const struct table_trial *original = &family->members[dice_roll(dice, family->count)];
    struct table *copy = table_copy(original->table);
    table_trial_adopt(&family->members[family->count++], copy, original);
    struct order_cursor cursor = catalog_seek(&copy->entities, bytes_of("", 0));
    size_t common = 0;
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) common += entry_is_common(entry);
    return common;
}

/* A table with a feed is copied without anything in common. */
static void table_lives(struct table_trial *member, struct dice *dice) {
    const struct table_change feed_off = {.kind = TABLE_FEEDOFF};
    table_trial_live(member, dice, FAMILY_STEPS);
    if (dice_percent(dice, 50)) (void)table_trial_apply(member, &feed_off);
}

/* A table that is alone accounts for all that is allocated. */
static void compare_tables(struct table_family *family) {
    for (unsigned i = 0; i < family->count; i++) table_trial_compare(&family->members[i]);
    if (family->count != 1) return;
    await_thread(family);
    require_same(table_memory(family->members[0].table), allocations_bytes() - family->before, "it is alone");
}

/* Returns how many entities are in common for the first time. */
static size_t tables_turn(struct table_family *family, struct dice *dice) {
    struct table_trial *member = &family->members[dice_roll(dice, family->count)];
    switch (dice_roll(dice, 8)) {
    case 0:
    case 1: return table_comes(family, dice);
    case 2:
        if (family->count > 1) table_goes(family, dice);
        return 0;
    case 3: table_trial_move(member, dice); return 0;
    default: table_lives(member, dice); return 0;
    }
}

/* Copies of copies live on, move, and go in any order, also on another thread. */
TEST(a_family_of_tables_equals_its_models) {
    static struct table_family family;
    size_t common = 0;
    for (uint64_t seed = 60; seed < 80; seed++) {
        struct dice dice = {seed};
        family.before = allocations_bytes();
        table_trial_start(&family.members[0]);
        table_trial_live(&family.members[0], &dice, 100);
        for (family.count = 1; family.count < 3;) common += table_comes(&family, &dice);
        for (int turn = 0; turn < FAMILY_TURNS; turn++) {
            common += tables_turn(&family, &dice);
            compare_tables(&family);
        }
        while (family.count) {
            table_goes(&family, &dice);
            compare_tables(&family);
        }
        await_thread(&family);
        require_same(allocations_bytes(), family.before, "all is freed");
    }
    require(common > 1000, "only %zu entities were in common", common);
}
