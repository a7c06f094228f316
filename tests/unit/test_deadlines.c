/* Deadlines: against a naive search for the earliest, with instants that are equal, set anew and unset. */
#include "core/deadlines.h"

#include "dice.h"
#include "unit.h"

enum { MANY = 300 };

struct model {
    struct deadlines deadlines;
    struct deadline all[MANY];
    bool set[MANY];
    int64_t due_ms[MANY];
    uint64_t turn[MANY]; /* when it was set; of equal instants the earlier one comes first */
    uint64_t turns;
    size_t count;
};

static void set(struct model *model, size_t i, int64_t due_ms) {
    deadlines_set(&model->deadlines, &model->all[i], due_ms);
    model->count += !model->set[i];
    model->set[i] = true;
    model->due_ms[i] = due_ms;
    model->turn[i] = model->turns++;
}

static void unset(struct model *model, size_t i) {
    deadlines_unset(&model->deadlines, &model->all[i]);
    model->count -= model->set[i];
    model->set[i] = false;
}

static bool before(const struct model *model, size_t a, size_t b) {
    if (model->due_ms[a] != model->due_ms[b]) return model->due_ms[a] < model->due_ms[b];
    return model->turn[a] < model->turn[b];
}

static struct deadline *first(struct model *model) {
    struct deadline *found = NULL;
    for (size_t i = 0; i < MANY; i++)
        if (model->set[i] && (!found || before(model, i, (size_t)(found - model->all))))
            found = &model->all[i];
    return found;
}

struct due_count {
    int64_t now_ms;
    size_t count;
};

static void count_due(void *context, const struct deadline *deadline) {
    struct due_count *due = context;
    require(deadline->due_ms <= due->now_ms, "one due at %lld is not due", (long long)deadline->due_ms);
    due->count++;
}

/* Each of those that are due is visited; none twice, or the count would be another one. */
static void compare_due(const struct model *model, int64_t now_ms) {
    struct due_count due = {.now_ms = now_ms};
    size_t expected = 0;
    for (size_t i = 0; i < MANY; i++) expected += model->set[i] && model->due_ms[i] <= now_ms;
    deadlines_visit_due(&model->deadlines, now_ms, count_due, &due);
    require_same(due.count, expected, "due");
}

static void compare(struct model *model) {
    struct deadline *expected = first(model);

    compare_due(model, expected ? expected->due_ms : 0);
    compare_due(model, model->due_ms[MANY / 2]);
    require(deadlines_first(&model->deadlines) == expected, "another one is the first of %zu", model->count);
    require_same(model->deadlines.count, model->count, "so many are set");
    for (size_t i = 0; i < MANY; i++)
        require_same(model->all[i].place != 0, model->set[i], "number %zu tells whether it is set", i);
    if (expected)
        require_same(expected->due_ms, model->due_ms[expected - model->all], "it is due when it was said");
}

/* Takes all that there are out, in order. */
static void drain(struct model *model) {
    for (struct deadline *due; (due = deadlines_first(&model->deadlines));) {
        compare(model);
        unset(model, (size_t)(due - model->all));
    }
    compare(model);
    require_same(allocations_count(), 0, "none are set, and nothing is held");
}

static int64_t instant(struct dice *dice) {
    switch (dice_roll(dice, 4)) {
    case 0: return (int64_t)dice_word(dice);
    case 1: return (int64_t)dice_roll(dice, 3) - 1;
    case 2: return dice_percent(dice, 50) ? INT64_MAX : INT64_MIN;
    default: return (int64_t)dice_roll(dice, 40);
    }
}

TEST(deadlines_equal_a_naive_search) {
    static const size_t crowds[] = {1, 2, 3, 8, 16, 17, 33, MANY};
    for (size_t crowd = 0; crowd < ARRAY_SIZE(crowds); crowd++) {
        static struct model model;
        struct dice dice = {crowd};
        model = (struct model){.count = 0};
        for (int step = 0; step < 8000; step++) {
            size_t i = dice_roll(&dice, crowds[crowd]);
            if (dice_percent(&dice, step / 2000 % 2 ? 30 : 65))
                set(&model, i, instant(&dice));
            else
                unset(&model, i);
            if (crowds[crowd] <= 33 || step % 7 == 0) compare(&model);
        }
        drain(&model);
    }
}

TEST(equal_deadlines_keep_their_order) {
    static struct model model;
    model = (struct model){.count = 0};
    for (size_t i = 0; i < MANY; i++) set(&model, i * 7 % MANY, 1000);
    for (size_t i = 0; i < MANY; i++) {
        struct deadline *due = deadlines_first(&model.deadlines);
        require_same(due - model.all, i * 7 % MANY, "turn %zu", i);
        unset(&model, i * 7 % MANY);
    }
    require(!deadlines_first(&model.deadlines), "none is left");
}

/* To set one anew, be it to the same instant, is to join at the end of its equals. */
TEST(a_deadline_set_anew_comes_after_its_equals) {
    static struct model model;
    model = (struct model){.count = 0};
    for (size_t i = 0; i < 5; i++) set(&model, i, 1000);
    set(&model, 0, 1000);
    set(&model, 2, 1001);
    set(&model, 3, 999);
    set(&model, 2, 1000);
    static const size_t expected[] = {3, 1, 4, 0, 2};
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        require_same(deadlines_first(&model.deadlines) - model.all, expected[i], "turn %zu", i);
        unset(&model, expected[i]);
    }
}

TEST(a_deadline_that_is_not_set_can_be_unset) {
    static struct model model;
    model = (struct model){.count = 0};
    compare(&model);
    unset(&model, 0);
    compare(&model);
    set(&model, 1, 5);
    unset(&model, 0);
    compare(&model);
    unset(&model, 1);
    unset(&model, 1);
    compare(&model);
    set(&model, 1, 6);
    compare(&model);
    drain(&model);
}

/* A first in the middle of nowhere: ascending, descending, and all but one taken out from behind. */
TEST(deadlines_come_in_order_however_they_were_set) {
    for (int way = 0; way < 3; way++) {
        static struct model model;
        model = (struct model){.count = 0};
        for (size_t i = 0; i < MANY; i++)
            set(&model, i, (int64_t)(way == 0 ? i : way == 1 ? MANY - i : i * 77 % MANY));
        for (size_t i = MANY; way == 2 && i-- > 1;) {
            unset(&model, i);
            compare(&model);
        }
        drain(&model);
    }
}

/* What many needed is given back when few are left, and taken again when there are many. */
TEST(the_heap_of_deadlines_grows_and_shrinks) {
    static struct model model;
    model = (struct model){.count = 0};
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < MANY; i++) set(&model, i, (int64_t)(i * 77 % MANY));
        for (size_t i = 0; i < MANY - 1; i++) {
            unset(&model, i);
            require(model.deadlines.capacity <= 16 || model.deadlines.capacity < 4 * model.count,
                    "room for %zu, of which %zu are set", model.deadlines.capacity, model.count);
            compare(&model);
        }
    }
    drain(&model);
}
