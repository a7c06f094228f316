#include "index_trial.h"

#include "allocations.h"
#include "require.h"

#include <stdlib.h>

static uint32_t hash_for(struct index_trial *trial, struct bytes name) {
    return trial->kind->hash ? trial->kind->hash(&trial->dice, name) : 0;
}

static void add(struct index_trial *trial, struct bytes name) {
    struct entry *entry = entry_new(name, hash_for(trial, name));
    trial->kind->add(trial->index, entry);
    roster_add(&trial->roster, entry);
}

static void drop(struct index_trial *trial, size_t place) {
    struct entry *entry = trial->roster.entries[place];
    trial->kind->remove(trial->index, entry);
    require(trial->kind->find(trial->index, entry) == NULL, "what was removed is still found");
    roster_remove(&trial->roster, place);
    entry_free(entry);
}

static void compare_seek(const struct index_trial *trial, struct bytes name) {
    if (!trial->kind->seek) return;
    size_t place = roster_place(&trial->roster, name);
    struct order_cursor cursor = trial->kind->seek(trial->index, name);
    for (int steps = 0; steps < 8; steps++, place++) {
        struct entry *expected = place < trial->roster.count ? trial->roster.entries[place] : NULL;
        require(order_cursor_entry(&cursor) == expected,
                "seek and %d steps end elsewhere than at place %zu of %zu", steps, place,
                trial->roster.count);
        order_cursor_next(&cursor);
    }
}

/* A name that is there, or one that perhaps is not. */
static struct bytes some_name(struct index_trial *trial, char room[NAME_ROOM]) {
    if (!trial->roster.count || dice_percent(&trial->dice, 50)) return name_draw(&trial->dice, room);
    return entry_name(trial->roster.entries[dice_roll(&trial->dice, trial->roster.count)]);
}

static void find_one(struct index_trial *trial) {
    char room[NAME_ROOM];
    struct bytes name = some_name(trial, room);
    struct entry *expected = roster_find(&trial->roster, name);
    struct entry *like = entry_new(name, expected ? expected->hash : hash_for(trial, name));
    struct entry *found = trial->kind->find(trial->index, like);
    entry_free(like);
    require(found == expected, "a name of %zu bytes is %sfound", name.length, found ? "" : "not ");
    compare_seek(trial, name);
}

static void move_one(struct index_trial *trial) {
    if (!trial->kind->replace || !trial->roster.count) return;
    size_t place = dice_roll(&trial->dice, trial->roster.count);
    struct entry **entry = &trial->roster.entries[place];
    *entry = trial->kind->replace(trial->index, *entry, entry_move);
}

static void add_one(struct index_trial *trial) {
    char room[NAME_ROOM];
    struct bytes name = name_draw(&trial->dice, room);
    if (!roster_find(&trial->roster, name)) add(trial, name);
}

void index_trial_run(struct index_trial *trial, unsigned steps, size_t max) {
    bool growing = true;
    for (unsigned step = 0; step < steps; step++) {
        if (trial->roster.count >= max) growing = false;
        if (trial->roster.count == 0) growing = true;
        size_t roll = dice_roll(&trial->dice, 10);
        if (roll < (growing ? 5 : 2))
            add_one(trial);
        else if (roll < 7 && trial->roster.count)
            drop(trial, dice_roll(&trial->dice, trial->roster.count));
        else if (roll == 7)
            move_one(trial);
        else
            find_one(trial);
        if (step % 1024 == 0) index_trial_compare(trial);
    }
    index_trial_compare(trial);
}

static void compare_order(const struct index_trial *trial) {
    struct order_cursor cursor = trial->kind->seek(trial->index, bytes_of("", 0));
    for (size_t i = 0; i < trial->roster.count; i++, order_cursor_next(&cursor))
        require(order_cursor_entry(&cursor) == trial->roster.entries[i],
                "place %zu of %zu holds another entry", i, trial->roster.count);
    require(!order_cursor_entry(&cursor), "there is an entry behind the last one");
    order_cursor_next(&cursor);
    require(!order_cursor_entry(&cursor), "a cursor comes back from behind the end");
}

void index_trial_compare(const struct index_trial *trial) {
    const struct index_kind *kind = trial->kind;
    if (kind->count) require_same(kind->count(trial->index), trial->roster.count, "entries counted");
    if (kind->memory)
        require_same(kind->memory(trial->index), allocations_bytes(), "with %zu entries",
                     trial->roster.count);
    for (size_t i = 0; i < trial->roster.count; i++)
        require(kind->find(trial->index, trial->roster.entries[i]) == trial->roster.entries[i],
                "entry %zu of %zu is not found", i, trial->roster.count);
    if (!kind->seek) return;
    compare_order(trial);
    size_t stride = trial->roster.count / 64 + 1;
    for (size_t i = 0; i < trial->roster.count; i += stride)
        compare_seek(trial, entry_name(trial->roster.entries[i]));
}

static int compare_entries(const void *left, const void *right) {
    return bytes_compare(entry_name(*(struct entry *const *)left), entry_name(*(struct entry *const *)right));
}

/* The roster gets its entries all at once, since to add them one by one would move most of it each time. */
static void grow(struct index_trial *trial, size_t count) {
    struct entry **entries = malloc(count * sizeof(*entries));
    if (!entries) abort();
    char room[NAME_ROOM];
    for (size_t i = 0; i < count; i++) {
        struct bytes name = name_numbered(i, room);
        entries[i] = entry_new(name, hash_for(trial, name));
    }
    dice_shuffle(&trial->dice, (void **)entries, count);
    for (size_t i = 0; i < count; i++) trial->kind->add(trial->index, entries[i]);
    qsort(entries, count, sizeof(*entries), compare_entries);
    trial->roster = (struct roster){entries, count, count};
}

void index_trial_grow_and_shrink(struct index_trial *trial, size_t count) {
    require(trial->roster.count == 0, "a trial that grows starts with nothing");
    roster_free(&trial->roster);
    grow(trial, count);
    index_trial_compare(trial);
    for (size_t left = count; left; left /= 8) {
        struct roster *roster = &trial->roster;
        dice_shuffle(&trial->dice, (void **)roster->entries, roster->count);
        while (roster->count > left / 8) {
            struct entry *last = roster->entries[--roster->count];
            trial->kind->remove(trial->index, last);
            entry_free(last);
        }
        qsort(roster->entries, roster->count, sizeof(*roster->entries), compare_entries);
        index_trial_compare(trial);
    }
}

void index_trial_end(struct index_trial *trial) {
    roster_free(&trial->roster);
}
