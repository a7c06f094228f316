/* The time index against a plain sorted array: order, ranks, what lives, and that nothing is left behind. */
#include "queue/time_index.h"

#include "dice.h"
#include "unit.h"

#include <stdlib.h>

enum { MOMENTS = 4000 };

/* The entries that are in the time index, in its order. */
struct naive {
    struct time_entry *moments[MOMENTS];
    size_t count;
};

struct trial {
    struct time_index time_index;
    struct naive naive;
    struct time_entry *all; /* order numbers are places */
    bool present[MOMENTS];
};

static int64_t instant_of(const struct trial *trial, const struct time_entry *time_entry) {
    if (trial->time_index.key == BY_ARRIVAL) return 0;
    return trial->time_index.key == BY_SHOWING ? time_entry->shows_ms : time_entry->ends_ms;
}

static bool above(const struct trial *trial, const struct time_entry *a, const struct time_entry *b) {
    int64_t one = instant_of(trial, a), other = instant_of(trial, b);
    if (one != other) return one > other;
    if (trial->time_index.key == BY_SHOWING && a->turn != b->turn) return a->turn > b->turn;
    return a->order > b->order;
}

static void trial_start(struct trial *trial, enum time_index_key key) {
    memset(trial, 0, sizeof(*trial));
    trial->time_index = (struct time_index)TIMELINE(key, true);
    trial->all = calloc(MOMENTS, sizeof(*trial->all));
    require(trial->all, "there is memory");
    for (size_t i = 0; i < MOMENTS; i++) trial->all[i].order = i & TIME_ENTRY_ORDER_MAX;
}

static void trial_end(struct trial *trial) {
    time_index_end(&trial->time_index);
    free(trial->all);
}

static void add(struct trial *trial, struct time_entry *time_entry) {
    size_t place = trial->naive.count++;
    for (; place && above(trial, trial->naive.moments[place - 1], time_entry); place--)
        trial->naive.moments[place] = trial->naive.moments[place - 1];
    trial->naive.moments[place] = time_entry;
    trial->present[time_entry->order] = true;
    time_index_add(&trial->time_index, time_entry);
}

/* Behind all that show at its instant. */
static void add_last(struct trial *trial, struct time_entry *time_entry) {
    struct naive *naive = &trial->naive;
    size_t place = naive->count++;
    for (; place && instant_of(trial, naive->moments[place - 1]) > time_entry->shows_ms; place--)
        naive->moments[place] = naive->moments[place - 1];
    naive->moments[place] = time_entry;
    trial->present[time_entry->order] = true;
    time_index_add_last(&trial->time_index, time_entry);
}

static void take(struct trial *trial, struct time_entry *time_entry) {
    size_t place = 0;
    while (trial->naive.moments[place] != time_entry) place++;
    memmove(&trial->naive.moments[place], &trial->naive.moments[place + 1],
            (--trial->naive.count - place) * sizeof(time_entry));
    trial->present[time_entry->order] = false;
    time_index_remove(&trial->time_index, time_entry);
}

static void compare_walks(struct trial *trial, int64_t now_ms) {
    struct time_index_cursor walk = {0}, living = {0};
    const struct naive *naive = &trial->naive;
    for (size_t i = 0; i < naive->count; i++) {
        require(time_index_next(&trial->time_index, &walk) == naive->moments[i], "moment %zu", i);
        if (naive->moments[i]->ends_ms <= now_ms) continue;
        require(time_index_living(&trial->time_index, &living, now_ms) == naive->moments[i], "living %zu", i);
    }
    require(!time_index_next(&trial->time_index, &walk), "the end");
    require(!time_index_living(&trial->time_index, &living, now_ms), "the end of what lives");
}

static void compare(struct trial *trial, int64_t now_ms) {
    const struct naive *naive = &trial->naive;
    size_t rank = 0;
    require_same(trial->time_index.count, naive->count, "count");
    require(time_index_first(&trial->time_index) == (naive->count ? naive->moments[0] : NULL), "first");
    require(time_index_last(&trial->time_index) == (naive->count ? naive->moments[naive->count - 1] : NULL),
            "last");
    while (rank < naive->count && instant_of(trial, naive->moments[rank]) <= now_ms) rank++;
    require_same(time_index_rank(&trial->time_index, now_ms), rank, "rank at %lld", (long long)now_ms);
    require(time_index_behind(&trial->time_index, now_ms) ==
                (rank < naive->count ? naive->moments[rank] : NULL),
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
        size_t place = dice_roll(&dice, MOMENTS);
        struct time_entry *time_entry = &trial.all[place];
        if (dice_percent(&dice, growing) && !trial.present[place]) {
            int64_t instant = (int64_t)dice_roll(&dice, habit->instants);
            time_entry->shows_ms = habit->rising ? step / 7 : instant;
            time_entry->ends_ms = time_entry->shows_ms + (int64_t)dice_roll(&dice, habit->instants);
            time_entry->turn = 0;
            if (habit->behind)
                add_last(&trial, time_entry);
            else
                add(&trial, time_entry);
        } else if (trial.naive.count) {
            size_t at = habit->in_turn ? 0 : dice_roll(&dice, trial.naive.count);
            take(&trial, trial.naive.moments[at]);
        }
        if (step % 200 == 0) compare(&trial, (int64_t)dice_roll(&dice, habit->instants + 100));
    }
    while (trial.naive.count) take(&trial, trial.naive.moments[dice_roll(&dice, trial.naive.count)]);
    compare(&trial, 5);
    require_same(trial.time_index.held, 0, "an empty timeline holds nothing");
    trial_end(&trial);
}

static void it_is_a_sorted_array(void **state) {
    static const struct habit habits[] = {
        {BY_SHOWING, 100000, false, false, false}, {BY_SHOWING, 3, false, false, false},
        {BY_SHOWING, 5000, true, true, false},     {BY_END, 1000, true, false, false},
        {BY_ARRIVAL, 50, true, false, false},      {BY_END, 1, false, true, false},
        {BY_SHOWING, 300, false, false, true},     {BY_SHOWING, 20, true, false, true},
        {BY_SHOWING, 5000, true, true, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(habits); i++) live(&habits[i], i + 1);
}

static struct time_entry *moments_new(size_t count) {
    struct time_entry *moments = calloc(count, sizeof(*moments));
    require(moments, "there is memory");
    for (size_t i = 0; i < count; i++)
        moments[i] = (struct time_entry){
            .order = i & TIME_ENTRY_ORDER_MAX, .shows_ms = (int64_t)i, .ends_ms = (int64_t)i + 100};
    return moments;
}

/* What comes in order leaves full leaves, also in front of what is there already. */
static void rising_moments_fill_their_leaves(void **state) {
    static const size_t COUNT = 20000;
    struct time_index time_index = TIMELINE(BY_SHOWING, true);
    struct time_entry *moments = moments_new(2 * COUNT);
    (void)state;
    for (size_t i = COUNT; i < COUNT + 10; i++) time_index_add(&time_index, &moments[i]);
    for (size_t i = 0; i < COUNT; i++) time_index_add(&time_index, &moments[i]);
    require(time_index.held < COUNT * 10, "%zu bytes for %zu moments", time_index.held, COUNT);
    time_index_end(&time_index);
    free(moments);
}

static void thinned_out_it_shrinks(void **state) {
    static const size_t COUNT = 20000, KEPT = 100;
    struct time_index time_index = TIMELINE(BY_SHOWING, true);
    struct time_entry *moments = moments_new(COUNT);
    (void)state;
    for (size_t i = 0; i < COUNT; i++) time_index_add(&time_index, &moments[i]);
    for (size_t i = 0; i < COUNT; i++)
        if (i % KEPT) time_index_remove(&time_index, &moments[i]);
    require(time_index.held < COUNT / KEPT * 100, "%zu bytes for %zu moments", time_index.held, COUNT / KEPT);
    time_index_end(&time_index);
    free(moments);
}

/* An entry that moves in memory takes its slot along. */
static void slots_can_be_moved(void **state) {
    enum { COUNT = 500 };
    struct time_index time_index = TIMELINE(BY_END, false);
    struct time_entry *moments = moments_new(COUNT), *others = moments_new(COUNT);
    struct time_index_cursor cursor = {0};
    (void)state;
    for (size_t i = 0; i < COUNT; i++) time_index_add(&time_index, &moments[i]);
    for (size_t i = 0; i < COUNT; i++) *time_index_slot(&time_index, &moments[i]) = &others[i];
    free(moments);
    for (size_t i = 0; i < COUNT; i++)
        require(time_index_next(&time_index, &cursor) == &others[i], "moment %zu", i);
    time_index_end(&time_index);
    free(others);
}

static void an_empty_timeline_answers(void **state) {
    struct time_index time_index = TIMELINE(BY_SHOWING, true);
    struct time_index_cursor cursor = {0}, other = {0};
    (void)state;
    require(!time_index_first(&time_index) && !time_index_last(&time_index), "no first, no last");
    require(!time_index_next(&time_index, &cursor) && !time_index_living(&time_index, &other, 0), "no walk");
    require(!time_index_behind(&time_index, 0) && !time_index_rank(&time_index, INT64_MAX), "no rank");
    time_index_end(&time_index);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        tidy_test(it_is_a_sorted_array),      tidy_test(rising_moments_fill_their_leaves),
        tidy_test(thinned_out_it_shrinks),    tidy_test(slots_can_be_moved),
        tidy_test(an_empty_timeline_answers),
    };
    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
