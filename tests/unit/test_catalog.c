/* The catalog: both indexes in step. */
#include "core/catalog.h"

#include "core/hash.h"
#include "index_trial.h"
#include "unit.h"

static void catalog_take(void *catalog, struct entry *entry) {
    catalog_add(catalog, entry);
}

static void catalog_give(void *catalog, const struct entry *entry) {
    catalog_remove(catalog, entry);
}

static struct entry *catalog_look(const void *catalog, const struct entry *like) {
    return catalog_find(catalog, entry_name(like));
}

static struct order_cursor catalog_from(const void *catalog, struct bytes name) {
    return catalog_seek(catalog, name);
}

static struct entry *catalog_replace(void *catalog, struct entry *entry,
                                     struct entry *(*move)(struct entry *entry)) {
    struct entry_slots slots = {0};
    catalog_slots(catalog, entry, &slots);
    struct entry *moved = move(entry);
    entry_slots_set(&slots, moved);
    return moved;
}

static size_t catalog_size(const void *catalog) {
    return catalog_count(catalog);
}

static size_t catalog_bytes(const void *catalog) {
    return catalog_memory(catalog);
}

static const struct index_kind kind = {
    .add = catalog_take,
    .remove = catalog_give,
    .find = catalog_look,
    .seek = catalog_from,
    .replace = catalog_replace,
    .count = catalog_size,
    .memory = catalog_bytes,
};

TEST(a_catalog_agrees_with_an_array) {
    for (unsigned char seed = 0; seed < 3; seed++) {
        hash_seed((unsigned char[HASH_SEED_BYTES]){seed, 1, 2, 3});
        struct catalog catalog ENDS_BY(catalog_end) = {0};
        struct index_trial trial ENDS_BY(index_trial_end) = {
            .kind = &kind, .index = &catalog, .dice = {seed}};
        index_trial_run(&trial, 40000, 3000);
    }
}

TEST(a_catalog_grows_and_shrinks) {
    struct catalog catalog ENDS_BY(catalog_end) = {0};
    struct index_trial trial ENDS_BY(index_trial_end) = {.kind = &kind, .index = &catalog, .dice = {4}};
    index_trial_grow_and_shrink(&trial, 100000);
    index_trial_grow_and_shrink(&trial, 10000);
}

/* Names at the limits of an entry are names like others. */
TEST(a_catalog_takes_the_shortest_and_the_longest_name) {
    static char longest[UINT16_MAX];
    memset(longest, 'l', sizeof(longest));
    const struct bytes names[] = {bytes_of("", 0), bytes_of("\0", 1), bytes_of(longest, sizeof(longest)),
                                  bytes_of(longest, sizeof(longest) - 1)};
    struct catalog catalog ENDS_BY(catalog_end) = {0};
    struct index_trial trial ENDS_BY(index_trial_end) = {.kind = &kind, .index = &catalog, .dice = {5}};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        roster_add(&trial.roster, entry_new(names[i], 0));
        catalog_add(&catalog, roster_find(&trial.roster, names[i]));
        index_trial_compare(&trial);
    }
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) catalog_remove(&catalog, catalog_find(&catalog, names[i]));
    require_same(catalog_count(&catalog), 0, "all removed");
}

static struct entry *twin_of(void *context, struct entry *entry) {
    struct roster *roster = context;
    struct entry *twin = entry_new(entry_name(entry), 0);
    roster_add(roster, twin);
    return twin;
}

/* Sizes with and without inner nodes; what becomes of the copy does not matter to the other one. */
TEST(a_copied_catalog_is_equal_and_independent) {
    static const size_t sizes[] = {0, 1, 60, 3000, 20000};
    struct index_kind beside = kind;
    beside.memory = NULL; /* the memory of both indexes cannot be told apart */
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct catalog catalog = {0}, copied = {0};
        struct index_trial trial = {.kind = &beside, .index = &catalog, .dice = {i}};
        struct index_trial twin ENDS_BY(index_trial_end) = {
            .kind = &beside, .index = &copied, .dice = {i + 1}};
        if (sizes[i]) index_trial_run(&trial, (unsigned)sizes[i] * 4, sizes[i]);
        catalog_copy(&copied, &catalog, twin_of, &twin.roster);
        index_trial_compare(&twin);
        index_trial_run(&twin, 5000, 100);
        index_trial_compare(&trial);
        index_trial_end(&trial);
        catalog_end(&catalog);
        twin.kind = &kind;
        index_trial_compare(&twin);
        catalog_end(&copied);
    }
}
