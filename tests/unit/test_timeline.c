/* The timeline against a plain sorted array: order, ranks, what lives, and that nothing is left behind. */
#include "queue/timeline.h"

#include "dice.h"
#include "unit.h"

#include <stdlib.h>

enum { MOMENTS = 4000 };

/* The moments that are in the timeline, in its order. */
struct naive {
    struct moment *moments[MOMENTS];
    size_t count;
};

struct trial {
    struct timeline timeline;
    struct naive naive;
    struct moment *all; /* order numbers are places */
    bool present[MOMENTS];
};

static int64_t instant_of(const struct trial *trial, const struct moment *moment) {
    if (trial->timeline.key == BY_ARRIVAL) return 0;
    return trial->timeline.key == BY_SHOWING ? moment->shows_ms : moment->ends_ms;
}

static bool above(const struct trial *trial, const struct moment *a, const struct moment *b) {
    int64_t one = instant_of(trial, a), other = instant_of(trial, b);
    if (one != other) return one > other;
    if (trial->timeline.key == BY_SHOWING && a->turn != b->turn) return a->turn > b->turn;
    return a->order > b->order;
}

static void trial_start(struct trial *trial, enum timeline_key key) {
    memset(trial, 0, sizeof(*trial));
    trial->timeline = (struct timeline)TIMELINE(key, true);
    trial->all = calloc(MOMENTS, sizeof(*trial->all));
    require(trial->all, "there is memory");
    for (size_t i = 0; i < MOMENTS; i++) trial->all[i].order = i & MOMENT_ORDER_MAX;
}

static void trial_end(struct trial *trial) {
    timeline_end(&trial->timeline);
    free(trial->all);
}

static void add(struct trial *trial, struct moment *moment) {
    size_t place = trial->naive.count++;
    for (; place && above(trial, trial->naive.moments[place - 1], moment); place--)
        trial->naive.moments[place] = trial->naive.moments[place - 1];
    trial->naive.moments[place] = moment;
    trial->present[moment->order] = true;
    timeline_add(&trial->timeline, moment);
}

/* Behind all that show at its instant. */
static void add_last(struct trial *trial, struct moment *moment) {
    struct naive *naive = &trial->naive;
    size_t place = naive->count++;
    for (; place && instant_of(trial, naive->moments[place - 1]) > moment->shows_ms; place--)
        naive->moments[place] = naive->moments[place - 1];
    naive->moments[place] = moment;
    trial->present[moment->order] = true;
    timeline_add_last(&trial->timeline, moment);
}

static void take(struct trial *trial, struct moment *moment) {
    size_t place = 0;
    while (trial->naive.moments[place] != moment) place++;
    memmove(&trial->naive.moments[place], &trial->naive.moments[place + 1],
            (--trial->naive.count - place) * sizeof(moment));
    trial->present[moment->order] = false;
    timeline_remove(&trial->timeline, moment);
}

static void compare_walks(struct trial *trial, int64_t now_ms) {
    struct timeline_cursor walk = {0}, living = {0};
    const struct naive *naive = &trial->naive;
    for (size_t i = 0; i < naive->count; i++) {
        require(timeline_next(&trial->timeline, &walk) == naive->moments[i], "moment %zu", i);
        if (naive->moments[i]->ends_ms <= now_ms) continue;
        require(timeline_living(&trial->timeline, &living, now_ms) == naive->moments[i], "living %zu", i);
    }
    require(!timeline_next(&trial->timeline, &walk), "the end");
    require(!timeline_living(&trial->timeline, &living, now_ms), "the end of what lives");
}

static void compare(struct trial *trial, int64_t now_ms) {
    const struct naive *naive = &trial->naive;
    size_t rank = 0;
    require_same(trial->timeline.count, naive->count, "count");
    require(timeline_first(&trial->timeline) == (naive->count ? naive->moments[0] : NULL), "first");
    require(timeline_last(&trial->timeline) == (naive->count ? naive->moments[naive->count - 1] : NULL),
            "last");
    while (rank < naive->count && instant_of(trial, naive->moments[rank]) <= now_ms) rank++;
    require_same(timeline_rank(&trial->timeline, now_ms), rank, "rank at %lld", (long long)now_ms);
    require(timeline_behind(&trial->timeline, now_ms) == (rank < naive->count ? naive->moments[rank] : NULL),
            "behind %lld", (long long)now_ms);
    compare_walks(trial, now_ms);
}

/* How a life goes: whether instants rise, how many there are, and what is taken. */
struct habit {
    enum timeline_key key;
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
        struct moment *moment = &trial.all[place];
        if (dice_percent(&dice, growing) && !trial.present[place]) {
            int64_t instant = (int64_t)dice_roll(&dice, habit->instants);
            moment->shows_ms = habit->rising ? step / 7 : instant;
            moment->ends_ms = moment->shows_ms + (int64_t)dice_roll(&dice, habit->instants);
            moment->turn = 0;
            if (habit->behind)
                add_last(&trial, moment);
            else
                add(&trial, moment);
        } else if (trial.naive.count) {
            size_t at = habit->in_turn ? 0 : dice_roll(&dice, trial.naive.count);
            take(&trial, trial.naive.moments[at]);
        }
        if (step % 200 == 0) compare(&trial, (int64_t)dice_roll(&dice, habit->instants + 100));
    }
    while (trial.naive.count) take(&trial, trial.naive.moments[dice_roll(&dice, trial.naive.count)]);
    compare(&trial, 5);
    require_same(trial.timeline.held, 0, "an empty timeline holds nothing");
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

static struct moment *moments_new(size_t count) {
    struct moment *moments = calloc(count, sizeof(*moments));
    require(moments, "there is memory");
    for (size_t i = 0; i < count; i++)
        moments[i] = (struct moment){
            .order = i & MOMENT_ORDER_MAX, .shows_ms = (int64_t)i, .ends_ms = (int64_t)i + 100};
    return moments;
}

/* What comes in order leaves full leaves, also in front of what is there already. */
static void rising_moments_fill_their_leaves(void **state) {
    static const size_t COUNT = 20000;
    struct timeline timeline = TIMELINE(BY_SHOWING, true);
    struct moment *moments = moments_new(2 * COUNT);
    (void)state;
    for (size_t i = COUNT; i < COUNT + 10; i++) timeline_add(&timeline, &moments[i]);
    for (size_t i = 0; i < COUNT; i++) timeline_add(&timeline, &moments[i]);
    require(timeline.held < COUNT * 10, "%zu bytes for %zu moments", timeline.held, COUNT);
    timeline_end(&timeline);
    free(moments);
}

static void thinned_out_it_shrinks(void **state) {
    static const size_t COUNT = 20000, KEPT = 100;
    struct timeline timeline = TIMELINE(BY_SHOWING, true);
    struct moment *moments = moments_new(COUNT);
    (void)state;
    for (size_t i = 0; i < COUNT; i++) timeline_add(&timeline, &moments[i]);
    for (size_t i = 0; i < COUNT; i++)
        if (i % KEPT) timeline_remove(&timeline, &moments[i]);
    require(timeline.held < COUNT / KEPT * 100, "%zu bytes for %zu moments", timeline.held, COUNT / KEPT);
    timeline_end(&timeline);
    free(moments);
}

/* A moment that moves in memory takes its slot along. */
static void slots_can_be_moved(void **state) {
    enum { COUNT = 500 };
    struct timeline timeline = TIMELINE(BY_END, false);
    struct moment *moments = moments_new(COUNT), *others = moments_new(COUNT);
    struct timeline_cursor cursor = {0};
    (void)state;
    for (size_t i = 0; i < COUNT; i++) timeline_add(&timeline, &moments[i]);
    for (size_t i = 0; i < COUNT; i++) *timeline_slot(&timeline, &moments[i]) = &others[i];
    free(moments);
    for (size_t i = 0; i < COUNT; i++)
        require(timeline_next(&timeline, &cursor) == &others[i], "moment %zu", i);
    timeline_end(&timeline);
    free(others);
}

static void an_empty_timeline_answers(void **state) {
    struct timeline timeline = TIMELINE(BY_SHOWING, true);
    struct timeline_cursor cursor = {0}, other = {0};
    (void)state;
    require(!timeline_first(&timeline) && !timeline_last(&timeline), "no first, no last");
    require(!timeline_next(&timeline, &cursor) && !timeline_living(&timeline, &other, 0), "no walk");
    require(!timeline_behind(&timeline, 0) && !timeline_rank(&timeline, INT64_MAX), "no rank");
    timeline_end(&timeline);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        tidy_test(it_is_a_sorted_array),      tidy_test(rising_moments_fill_their_leaves),
        tidy_test(thinned_out_it_shrinks),    tidy_test(slots_can_be_moved),
        tidy_test(an_empty_timeline_answers),
    };
    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
