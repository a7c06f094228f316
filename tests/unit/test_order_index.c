/* The order index: against a sorted array, grown and emptied from every side. */
#include "core/order_index.h"

#include "index_trial.h"
#include "unit.h"

#include <stdio.h>

static void index_add(void *index, struct entry *entry) {
    order_index_add(index, entry);
}

static void index_remove(void *index, const struct entry *entry) {
    order_index_remove(index, entry);
}

static struct order_cursor index_seek(const void *index, struct bytes name) {
    return order_index_seek(index, name);
}

static struct entry *index_find(const void *index, const struct entry *like) {
    struct order_cursor cursor = order_index_seek(index, entry_name(like));
    struct entry *entry = order_cursor_entry(&cursor);
    return entry && bytes_equal(entry_name(entry), entry_name(like)) ? entry : NULL;
}

static struct entry *index_replace(void *index, struct entry *entry,
                                   struct entry *(*move)(struct entry *entry)) {
    struct entry_slots slots = {0};
    order_index_slots(index, entry, &slots);
    require(slots.count >= 1 && slots.count <= ORDER_INDEX_MAX_HEIGHT, "an entry has %u slots", slots.count);
    for (unsigned i = 0; i < slots.count; i++) require(*slots.at[i] == entry, "a slot holds something else");
    struct entry *moved = move(entry);
    entry_slots_set(&slots, moved);
    return moved;
}

static size_t index_memory(const void *index) {
    return ((const struct order_index *)index)->memory;
}

static const struct index_kind kind = {
    .add = index_add,
    .remove = index_remove,
    .find = index_find,
    .seek = index_seek,
    .replace = index_replace,
    .memory = index_memory,
};

TEST(an_order_index_agrees_with_an_array) {
    struct order_index index ENDS_BY(order_index_end) = {0};
    struct index_trial trial ENDS_BY(index_trial_end) = {.kind = &kind, .index = &index, .dice = {1}};
    index_trial_run(&trial, 100000, 5000);
}

TEST(an_order_index_grows_and_shrinks) {
    struct order_index index ENDS_BY(order_index_end) = {0};
    size_t smallest = index.memory;
    struct index_trial trial ENDS_BY(index_trial_end) = {.kind = &kind, .index = &index, .dice = {2}};
    index_trial_grow_and_shrink(&trial, 100000);
    require_same(index.memory, smallest, "all entries removed");
}

/* In which order the entries come and go: the nth of count. */
typedef size_t (*sequence)(size_t n, size_t count);

static size_t forward(size_t n, size_t count) {
    (void)count;
    return n;
}

static size_t backward(size_t n, size_t count) {
    return count - 1 - n;
}

static size_t from_both_ends(size_t n, size_t count) {
    return n % 2 ? count - 1 - n / 2 : n / 2;
}

static size_t from_the_middle(size_t n, size_t count) {
    return n % 2 ? count / 2 + n / 2 : count / 2 - 1 - n / 2;
}

/* Every 61st, then every one behind those: leaves get sparse all over before any is empty. */
static size_t scattered(size_t n, size_t count) {
    return n * 61 % count;
}

static const struct {
    const char *name;
    sequence sequence;
} sequences[] = {
    {"forward", forward},
    {"backward", backward},
    {"from both ends", from_both_ends},
    {"from the middle", from_the_middle},
    {"scattered", scattered},
};

enum { SEQUENCE_COUNT = 4000 };

static void run_sequences(const char *names, sequence come, sequence go) {
    struct order_index index ENDS_BY(order_index_end) = {0};
    size_t smallest = index.memory;
    struct entry *all[SEQUENCE_COUNT];
    struct index_trial trial ENDS_BY(index_trial_end) = {.kind = &kind, .index = &index, .dice = {3}};
    for (size_t i = 0; i < SEQUENCE_COUNT; i++) {
        char name[] = {'n', (char)(i >> 8), (char)i};
        all[i] = entry_new(bytes_of(name, sizeof(name)), 0);
        roster_add(&trial.roster, all[i]);
    }
    require(order_index_empty(&index), "%s: it begins with nothing", names);
    for (size_t i = 0; i < SEQUENCE_COUNT; i++) {
        order_index_add(&index, all[come(i, SEQUENCE_COUNT)]);
        require(!order_index_empty(&index), "%s: it has %zu entries", names, i + 1);
    }
    index_trial_compare(&trial);
    for (size_t i = 0; i < SEQUENCE_COUNT; i++) {
        struct entry *entry = all[go(i, SEQUENCE_COUNT)];
        order_index_remove(&index, entry);
        require_same(order_index_empty(&index), i + 1 == SEQUENCE_COUNT, "%s, after %zu", names, i + 1);
        roster_remove(&trial.roster, roster_place(&trial.roster, entry_name(entry)));
        /* Freed at once, so that an index that still looks at it is found out. */
        entry_free(entry);
        if (i % 197 == 0 || i > SEQUENCE_COUNT - 70) index_trial_compare(&trial);
    }
    require_same(index.memory, smallest, "%s", names);
}

TEST(every_short_sequence_of_steps_equals_an_array) {
    for (size_t come = 0; come < ARRAY_SIZE(sequences); come++)
        for (size_t go = 0; go < ARRAY_SIZE(sequences); go++)
            run_sequences(sequences[go].name, sequences[come].sequence, sequences[go].sequence);
}

/* A listing that is imported in its order needs no more room than its entries do. */
TEST(growth_at_the_end_fills_the_leaves) {
    enum { MANY = 10000, MAX_BYTES = 18 };
    struct order_index index = {0};
    struct roster roster = {0};
    char room[NAME_ROOM];
    for (size_t i = 0; i < MANY; i++) {
        int length = snprintf(room, sizeof(room), "%08zu", i);
        roster_add(&roster, entry_new(bytes_of(room, (size_t)length), 0));
        order_index_add(&index, roster.entries[i]);
    }
    require(index.memory < (size_t)MANY * MAX_BYTES, "%zu bytes for %d entries", index.memory, MANY);
    order_index_end(&index);
    roster_free(&roster);
}

/* Removals all over the tree leave no nodes behind that hold next to nothing. */
TEST(sparse_leaves_are_joined) {
    enum { MANY = 8000, KEEP_EVERY = 16, MAX_BYTES = 80 };
    struct order_index index ENDS_BY(order_index_end) = {0};
    struct index_trial trial ENDS_BY(index_trial_end) = {.kind = &kind, .index = &index, .dice = {5}};
    for (size_t i = 0; i < MANY; i++) {
        char room[NAME_ROOM];
        struct entry *entry = entry_new(name_numbered(i, room), 0);
        order_index_add(&index, entry);
        roster_add(&trial.roster, entry);
    }
    for (size_t place = MANY; place-- > 0;) {
        if (place % KEEP_EVERY == 0) continue;
        order_index_remove(&index, trial.roster.entries[place]);
        entry_free(trial.roster.entries[place]);
        roster_remove(&trial.roster, place);
    }
    index_trial_compare(&trial);
    require(index.memory < trial.roster.count * MAX_BYTES, "%zu bytes for %zu entries", index.memory,
            trial.roster.count);
}

TEST(an_empty_order_index_has_no_entries) {
    struct order_index index ENDS_BY(order_index_end) = {0};
    require(order_index_empty(&index), "nothing is something");
    struct order_cursor cursor = order_index_seek(&index, bytes_of("", 0));
    require(!order_cursor_entry(&cursor), "something stands in nothing");
    order_cursor_next(&cursor);
    require(!order_cursor_entry(&cursor), "something stands behind nothing");
}

/* --- Counting --- */

/* Names that are there, their neighbours, and none at all; "" is below all of them. */
static struct bytes bound_draw(const struct roster *roster, struct dice *dice, char room[NAME_ROOM]) {
    if (dice_percent(dice, 10)) return bytes_of("", 0);
    struct bytes name = entry_name(roster->entries[dice_roll(dice, roster->count)]);
    memcpy(room, name.data, name.length);
    if (dice_percent(dice, 30)) room[name.length++] = '\0';
    if (dice_percent(dice, 20)) name.length -= 2;
    return bytes_of(room, name.length);
}

static size_t count_naively(const struct roster *roster, struct bytes from, struct bytes to, size_t max) {
    size_t count = 0;
    for (size_t i = 0; i < roster->count; i++) {
        struct bytes name = entry_name(roster->entries[i]);
        if (bytes_compare(name, from) >= 0 && (!to.data || bytes_compare(name, to) < 0)) count++;
    }
    return count < max ? count : max;
}

static void compare_counts(const struct order_index *index, const struct roster *roster, struct dice *dice) {
    for (int round = 0; round < 2000; round++) {
        char rooms[2][NAME_ROOM];
        struct bytes from = bound_draw(roster, dice, rooms[0]), to = bound_draw(roster, dice, rooms[1]);
        if (dice_percent(dice, 10)) to = bytes_of(NULL, 0);
        size_t max = dice_percent(dice, 30) ? dice_roll(dice, roster->count) : SIZE_MAX;
        require_same(order_index_count(index, from, to, max), count_naively(roster, from, to, max),
                     "round %d of %zu entries", round, roster->count);
    }
}

TEST(ranges_of_an_order_index_are_counted) {
    static const size_t counts[] = {1, 2, 61, 62, 63, 500, 3000};
    struct dice dice = {6};
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        struct order_index index = {0};
        struct roster roster = {0};
        char room[NAME_ROOM];
        for (size_t n = 0; n < counts[i]; n++) {
            struct entry *entry = entry_new(name_numbered(n, room), 0);
            order_index_add(&index, entry);
            roster_add(&roster, entry);
        }
        compare_counts(&index, &roster, &dice);
        order_index_end(&index);
        roster_free(&roster);
    }
}

TEST(an_empty_order_index_counts_nothing) {
    struct order_index index ENDS_BY(order_index_end) = {0};
    require_same(order_index_count(&index, bytes_of("", 0), bytes_of(NULL, 0), SIZE_MAX), 0, "all");
    require_same(order_index_count(&index, bytes_text("a"), bytes_text("b"), SIZE_MAX), 0, "a range");
    require_same(order_index_count(&index, bytes_text("b"), bytes_text("a"), SIZE_MAX), 0, "a wrong one");
}
