/* The time index against a plain sorted array: order, ranks, what lives, and that nothing is left behind. */
#include "queue/time_index.h"

#include "dice.h"
#include "unit.h"

#include <stdlib.h>

enum { ENTRIES = 4000 };

/* The entries that are in the time index, in its order. */
struct naive {
    struct time_entry *entries[ENTRIES];
    size_t count;
};

struct trial {
    struct time_index index;
    struct naive naive;
    struct time_entry *all; /* order numbers are places */
    bool present[ENTRIES];
};

static int64_t instant_of(const struct trial *trial, const struct time_entry *entry) {
    if (trial->index.key == BY_ARRIVAL) return 0;
    return trial->index.key == BY_VISIBLE ? time_entry_visible_ms(entry) : time_entry_ends_ms(entry);
}

static bool above(const struct trial *trial, const struct time_entry *a, const struct time_entry *b) {
    int64_t one = instant_of(trial, a), other = instant_of(trial, b);
    if (one != other) return one > other;
    if (trial->index.key == BY_VISIBLE && a->turn != b->turn) return a->turn > b->turn;
    return a->order > b->order;
}

static void trial_start(struct trial *trial, enum time_index_key key) {
    memset(trial, 0, sizeof(*trial));
    trial->index = (struct time_index)TIME_INDEX(key, true);
    trial->all = calloc(ENTRIES, sizeof(*trial->all));
    require(trial->all, "there is memory");
    for (size_t i = 0; i < ENTRIES; i++) trial->all[i].order = i & TIME_ENTRY_ORDER_MAX;
}

static void trial_end(struct trial *trial) {
    time_index_clear(&trial->index);
    free(trial->all);
}

static void add(struct trial *trial, struct time_entry *entry) {
    size_t place = trial->naive.count++;
    for (; place && above(trial, trial->naive.entries[place - 1], entry); place--)
        trial->naive.entries[place] = trial->naive.entries[place - 1];
    trial->naive.entries[place] = entry;
    trial->present[entry->order] = true;
    time_index_add(&trial->index, entry);
}

/* Behind all that show at its instant. */
static void add_last(struct trial *trial, struct time_entry *entry) {
    struct naive *naive = &trial->naive;
    size_t place = naive->count++;
    for (; place && instant_of(trial, naive->entries[place - 1]) > time_entry_visible_ms(entry); place--)
        naive->entries[place] = naive->entries[place - 1];
    naive->entries[place] = entry;
    trial->present[entry->order] = true;
    time_index_add_last(&trial->index, entry);
}

static void take(struct trial *trial, struct time_entry *entry) {
    size_t place = 0;
    while (trial->naive.entries[place] != entry) place++;
    memmove(&trial->naive.entries[place], &trial->naive.entries[place + 1],
            (--trial->naive.count - place) * sizeof(entry));
    trial->present[entry->order] = false;
    time_index_remove(&trial->index, entry);
}

static void compare_walks(struct trial *trial, int64_t now_ms) {
    struct time_index_cursor walk = {0}, living = {0};
    const struct naive *naive = &trial->naive;
    for (size_t i = 0; i < naive->count; i++) {
        require(time_index_next(&trial->index, &walk) == naive->entries[i], "entry %zu", i);
        if (time_entry_ends_ms(naive->entries[i]) <= now_ms) continue;
        require(time_index_next_living(&trial->index, &living, now_ms) == naive->entries[i], "living %zu", i);
    }
    require(!time_index_next(&trial->index, &walk), "the end");
    require(!time_index_next_living(&trial->index, &living, now_ms), "the end of what lives");
}

static void compare(struct trial *trial, int64_t now_ms) {
    const struct naive *naive = &trial->naive;
    size_t rank = 0;
    require_same(trial->index.count, naive->count, "count");
    require(time_index_first(&trial->index) == (naive->count ? naive->entries[0] : NULL), "first");
    require(time_index_last(&trial->index) == (naive->count ? naive->entries[naive->count - 1] : NULL),
            "last");
    while (rank < naive->count && instant_of(trial, naive->entries[rank]) <= now_ms) rank++;
    require_same(time_index_rank(&trial->index, now_ms), rank, "rank at %lld", (long long)now_ms);
    require(time_index_after(&trial->index, now_ms) == (rank < naive->count ? naive->entries[rank] : NULL),
            "behind %lld", (long long)now_ms);
    compare_walks(trial, now_ms);
}

/* How a life goes: whether instants rise, how many there are, and what is taken. */
struct habit {
    enum time_index_key key;
    unsigned instants; /* few of them mean many equal ones */
    bool rising;
    bool in_turn; /* what came first goes first */
    bool behind;  /* what comes goes behind its equals */
};

static void live(const struct habit *habit, uint64_t seed) {
    static struct trial trial;
    struct dice dice = {seed};
    trial_start(&trial, habit->key);
    unsigned growing = 80;
    for (int step = 0; step < 20000; step++) {
        if (step % 4000 == 0) growing = growing == 80 ? 60 : growing == 60 ? 20 : 80;
        size_t place = dice_roll(&dice, ENTRIES);
        struct time_entry *entry = &trial.all[place];
        if (dice_percent(&dice, growing) && !trial.present[place]) {
            int64_t instant = (int64_t)dice_roll(&dice, habit->instants);
            if (habit->rising) instant = step / 7;
            time_entry_set_visible_ms(entry, instant);
            time_entry_set_ends_ms(entry, instant + (int64_t)dice_roll(&dice, habit->instants));
            entry->turn = 0;
            if (habit->behind)
                add_last(&trial, entry);
            else
                add(&trial, entry);
        } else if (trial.naive.count) {
            size_t at = habit->in_turn ? 0 : dice_roll(&dice, trial.naive.count);
            take(&trial, trial.naive.entries[at]);
        }
        if (step % 200 == 0) compare(&trial, (int64_t)dice_roll(&dice, habit->instants + 100));
    }
    while (trial.naive.count) take(&trial, trial.naive.entries[dice_roll(&dice, trial.naive.count)]);
    compare(&trial, 5);
    require_same(trial.index.memory, 0, "an empty timeline holds nothing");
    trial_end(&trial);
}

TEST(an_index_of_times_equals_a_sorted_array) {
    static const struct habit habits[] = {
        {BY_VISIBLE, 100000, false, false, false}, {BY_VISIBLE, 3, false, false, false},
        {BY_VISIBLE, 5000, true, true, false},     {BY_END, 1000, true, false, false},
        {BY_ARRIVAL, 50, true, false, false},      {BY_END, 1, false, true, false},
        {BY_VISIBLE, 300, false, false, true},     {BY_VISIBLE, 20, true, false, true},
        {BY_VISIBLE, 5000, true, true, true},
    };
    for (size_t i = 0; i < ARRAY_SIZE(habits); i++) live(&habits[i], i + 1);
}

static struct time_entry *entries_new(size_t count) {
    struct time_entry *entries = calloc(count, sizeof(*entries));
    require(entries, "there is memory");
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct time_entry){.order = i & TIME_ENTRY_ORDER_MAX};
        time_entry_set_visible_ms(&entries[i], (int64_t)i);
        time_entry_set_ends_ms(&entries[i], (int64_t)i + 100);
    }
    return entries;
}

/* What comes in order leaves full leaves, also in front of what is there already. */
TEST(rising_entries_fill_their_leaves) {
    static const size_t COUNT = 20000;
    struct time_index index = TIME_INDEX(BY_VISIBLE, true);
    struct time_entry *entries = entries_new(2 * COUNT);
    for (size_t i = COUNT; i < COUNT + 10; i++) time_index_add(&index, &entries[i]);
    for (size_t i = 0; i < COUNT; i++) time_index_add(&index, &entries[i]);
    require(index.memory < COUNT * 10, "%zu bytes for %zu entries", index.memory, COUNT);
    time_index_clear(&index);
    free(entries);
}

TEST(a_time_index_shrinks_when_entries_are_removed) {
    static const size_t COUNT = 20000, KEPT = 100;
    struct time_index index = TIME_INDEX(BY_VISIBLE, true);
    struct time_entry *entries = entries_new(COUNT);
    for (size_t i = 0; i < COUNT; i++) time_index_add(&index, &entries[i]);
    for (size_t i = 0; i < COUNT; i++)
        if (i % KEPT) time_index_remove(&index, &entries[i]);
    require(index.memory < COUNT / KEPT * 100, "%zu bytes for %zu entries", index.memory, COUNT / KEPT);
    time_index_clear(&index);
    free(entries);
}

/* In scrambled order, so that leaves and inner nodes on every level split and join. Entry i is at the instant i; those of
 * the second half end first. */
TEST(a_tall_time_index_counts_on_every_level) {
    enum { COUNT = 40000, STRIDE = 7919 };
    struct time_index index = TIME_INDEX(BY_VISIBLE, true);
    struct time_entry *entries = entries_new(COUNT);
    for (size_t i = COUNT / 2; i < COUNT; i++) time_entry_set_ends_ms(&entries[i], 50);
    for (size_t i = 0; i < COUNT; i++) time_index_add(&index, &entries[i * STRIDE % COUNT]);
    require(index.height >= 2, "a height of %u", index.height);
    for (size_t i = 0; i < COUNT; i += 97)
        require_same(time_index_rank(&index, (int64_t)i), i + 1, "entries up to %zu", i);
    struct time_index_cursor cursor = {0};
    for (size_t i = 0; i < COUNT / 2; i++)
        require(time_index_next_living(&index, &cursor, 60) == &entries[i], "entry %zu lives", i);
    require(!time_index_next_living(&index, &cursor, 60), "no other entry lives");
    for (size_t i = 0; i < COUNT; i++)
        if (i * STRIDE % COUNT % 10) time_index_remove(&index, &entries[i * STRIDE % COUNT]);
    for (size_t i = 0; i < COUNT; i += 97)
        require_same(time_index_rank(&index, (int64_t)i), i / 10 + 1, "every tenth up to %zu", i);
    time_index_clear(&index);
    free(entries);
}

/* An entry that moves in memory takes its slot along. */
TEST(entries_of_a_time_index_may_move_in_memory) {
    enum { COUNT = 500 };
    struct time_index index = TIME_INDEX(BY_END, false);
    struct time_entry *entries = entries_new(COUNT), *others = entries_new(COUNT);
    struct time_index_cursor cursor = {0};
    for (size_t i = 0; i < COUNT; i++) time_index_add(&index, &entries[i]);
    for (size_t i = 0; i < COUNT; i++) *time_index_slot(&index, &entries[i]) = &others[i];
    free(entries);
    for (size_t i = 0; i < COUNT; i++)
        require(time_index_next(&index, &cursor) == &others[i], "entry %zu", i);
    time_index_clear(&index);
    free(others);
}

TEST(an_empty_time_index_answers_every_query) {
    struct time_index index = TIME_INDEX(BY_VISIBLE, true);
    struct time_index_cursor cursor = {0}, other = {0};
    require(!time_index_first(&index) && !time_index_last(&index), "no first, no last");
    require(!time_index_next(&index, &cursor) && !time_index_next_living(&index, &other, 0), "no walk");
    require(!time_index_after(&index, 0) && !time_index_rank(&index, INT64_MAX), "no rank");
    time_index_clear(&index);
}
