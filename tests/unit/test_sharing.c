/* Sharing: the rule for two handles against the table of the specification, and its matrix of handles and stateless
 * commands; tallies against a walk over all handles. */
#include "file/sharing.h"

#include "dice.h"
#include "open_model.h"
#include "unit.h"

enum {
    R = SHARING_READ,
    W = SHARING_WRITE,
    D = SHARING_DELETE,
    NONE = 0,
    EVERY = SHARING_ALL + 1,
    WAYS = EVERY * EVERY
};

/* --- Two handles ---------------------------------------------------------------------------------------- */

static const struct sharing without_delete[] = {
    {R, NONE}, {R, R},     {R, W},        {R, R | W}, {W, NONE},  {W, R},
    {W, W},    {W, R | W}, {R | W, NONE}, {R | W, R}, {R | W, W}, {R | W, R | W},
};

/* clang-format off */

/* A row is a handle that there is, a column a new one, both in the order above. */
static const char *const golden[] = {
              /* R/-  R/R  R/W  R/RW W/-  W/R  W/W  W/RW RW/- RW/R RW/W RW/RW */
    /* R/-   */ " .    .    .    .    .    .    .    .    .    .    .    .   ",
    /* R/R   */ " .    ok   .    ok   .    .    .    .    .    .    .    .   ",
    /* R/W   */ " .    .    .    .    .    ok   .    ok   .    .    .    .   ",
    /* R/RW  */ " .    ok   .    ok   .    ok   .    ok   .    ok   .    ok  ",
    /* W/-   */ " .    .    .    .    .    .    .    .    .    .    .    .   ",
    /* W/R   */ " .    .    ok   ok   .    .    .    .    .    .    .    .   ",
    /* W/W   */ " .    .    .    .    .    .    ok   ok   .    .    .    .   ",
    /* W/RW  */ " .    .    ok   ok   .    .    ok   ok   .    .    ok   ok  ",
    /* RW/-  */ " .    .    .    .    .    .    .    .    .    .    .    .   ",
    /* RW/R  */ " .    .    .    ok   .    .    .    .    .    .    .    .   ",
    /* RW/W  */ " .    .    .    .    .    .    .    ok   .    .    .    .   ",
    /* RW/RW */ " .    .    .    ok   .    .    .    ok   .    .    .    ok  ",
};

/* clang-format on */

TEST(opens_fit_as_the_table_says) {
    size_t cells = 0;
    for (size_t row = 0; row < ARRAY_SIZE(golden); row++) {
        const char *cell = golden[row];
        for (size_t column = 0; column < ARRAY_SIZE(without_delete); column++, cells++) {
            cell += strspn(cell, " ");
            bool expected = *cell == 'o';
            cell += strcspn(cell, " ");
            require_same(sharing_fits(without_delete[column], without_delete[row]), expected,
                         "row %zu, column %zu", row, column);
        }
    }
    require_same(cells, 144, "all cells were looked at");
}

static struct model_sharing model_of(struct sharing handle) {
    return (struct model_sharing){handle.access, handle.share};
}

static bool model_fits(struct sharing a, struct sharing b) {
    return open_model_fits(model_of(a), model_of(b));
}

static struct sharing sharing_of(unsigned number) {
    return (struct sharing){number % EVERY, number / EVERY % EVERY};
}

TEST(opens_fit_by_each_bit_and_both_ways) {
    size_t fitting = 0;
    for (unsigned i = 0; i < WAYS; i++) {
        for (unsigned j = 0; j < WAYS; j++) {
            struct sharing a = sharing_of(i), b = sharing_of(j);
            bool fits = sharing_fits(a, b);
            require_same(fits, model_fits(a, b), "%x/%x and %x/%x", a.access, a.share, b.access, b.share);
            require_same(fits, sharing_fits(b, a), "%x/%x and %x/%x", a.access, a.share, b.access, b.share);
            fitting += fits;
        }
    }
    /* Bit by bit 9 of 16 ways fit, in all 729; 368 of these are with one that has no access, and such
     * pairs, 960 in all, fit anyway. */
    require_same(fitting, 729 - 368 + 960, "so many pairs fit");
}

TEST(opens_for_attributes_conflict_with_nothing) {
    struct sharing attributes = {NONE, NONE}, jealous = {R, NONE};
    require(sharing_fits(attributes, jealous), "after a jealous one");
    require(sharing_fits(jealous, attributes), "before a jealous one");
    require(!sharing_fits(jealous, jealous), "two jealous ones");
}

TEST(opens_with_any_right_to_change_conflict_with_a_lease) {
    static const bool fits[EVERY] = {[NONE] = true, [R] = true};
    for (unsigned access = 0; access < EVERY; access++)
        for (unsigned share = 0; share < EVERY; share++)
            require_same(sharing_fits_lease((struct sharing){(uint8_t)access, (uint8_t)share}), fits[access],
                         "access %x, share %x", access, share);
}

/* --- A handle and a stateless command ------------------------------------------------------------------ */

enum { ATTRIBUTES_ONLY = EVERY };

/* clang-format off */

/* By what a handle shares, if it has any access; "R" is ok where the access is exactly R. */
static const char *const matrix[EVERY + 1][SHARING_CLASSES] = {
                        /* A     R     W     WD    DEL   LEASE */
    [ATTRIBUTES_ONLY] = { "ok", "ok", "ok", "ok", "SV", "ok" },
    [NONE]            = { "ok", "SV", "SV", "SV", "SV", "SV" },
    [R]               = { "ok", "ok", "SV", "SV", "SV", "SV" },
    [W]               = { "ok", "SV", "ok", "SV", "SV", "SV" },
    [D]               = { "ok", "SV", "SV", "SV", "SV", "SV" },
    [R | W]           = { "ok", "ok", "ok", "SV", "SV", "SV" },
    [R | D]           = { "ok", "ok", "SV", "SV", "SV", "SV" },
    [W | D]           = { "ok", "SV", "ok", "ok", "SV", "SV" }, /* the lease would do with this, and is refused */
    [R | W | D]       = { "ok", "ok", "ok", "ok", "SV", "R"  },
};

/* clang-format on */

static bool matrix_fits(enum sharing_class class, struct sharing handle) {
    const char *cell = matrix[handle.access ? handle.share : ATTRIBUTES_ONLY][class];
    return strcmp(cell, "ok") == 0 || (strcmp(cell, "R") == 0 && handle.access == R);
}

TEST(commands_fit_as_the_matrix_says) {
    for (unsigned i = 0; i < WAYS; i++)
        for (unsigned column = 0; column < SHARING_CLASSES; column++) {
            bool fits = matrix_fits(column, sharing_of(i));
            require_same(sharing_fits(sharing_of_class(column), sharing_of(i)), fits,
                         "access %x, share %x, class %u", i % EVERY, i / EVERY, column);
            require_same(open_model_lets(model_of(sharing_of(i)), (enum model_class)column), fits,
                         "access %x, share %x, class %u", i % EVERY, i / EVERY, column);
        }
}

TEST(share_modes_of_the_examples_fit_or_conflict) {
    struct sharing reader = {R, W}, writer = {W, R}, exclusive = {R | W, NONE}, open_to_all = {R, R | W | D};
    require(!sharing_fits(sharing_of_class(CLASS_READ), reader), "a get beside a reader that shares writing");
    require(!sharing_fits(sharing_of_class(CLASS_WRITE), writer),
            "a put beside a writer that shares reading");
    require(sharing_fits(sharing_of_class(CLASS_ATTRIBUTES), exclusive), "a look beside an exclusive handle");
    require(!sharing_fits(sharing_of_class(CLASS_READ), exclusive), "a get beside an exclusive handle");
    require(sharing_fits(sharing_of_class(CLASS_WRITE_DELETE), open_to_all), "to replace what all may have");
    require(!sharing_fits(sharing_of_class(CLASS_DELETE), open_to_all), "to delete what somebody has");
    require(sharing_fits(sharing_of_class(CLASS_LEASE), open_to_all), "to lease what is only read");
}

/* --- All handles of a file ------------------------------------------------------------------------------ */

enum { HANDLES = 40, STEPS = 30000 };

struct crowd {
    struct sharing handles[HANDLES];
    size_t count;
    struct sharing_tally tally;
};

static bool all_fit(const struct crowd *crowd, struct sharing handle) {
    for (size_t i = 0; i < crowd->count; i++)
        if (!model_fits(handle, crowd->handles[i])) return false;
    return true;
}

static bool class_fits_all(const struct crowd *crowd, enum sharing_class class) {
    for (size_t i = 0; i < crowd->count; i++)
        if (!matrix_fits(class, crowd->handles[i])) return false;
    return true;
}

static void compare(const struct crowd *crowd) {
    require_same(crowd->tally.handles, crowd->count, "handles");
    for (unsigned i = 0; i < WAYS; i++)
        require_same(sharing_fits_all(sharing_of(i), &crowd->tally), all_fit(crowd, sharing_of(i)),
                     "%zu handles and access %x, share %x", crowd->count, i % EVERY, i / EVERY);
    for (unsigned column = 0; column < SHARING_CLASSES; column++)
        require_same(sharing_fits_all(sharing_of_class(column), &crowd->tally), class_fits_all(crowd, column),
                     "%zu handles and class %u", crowd->count, column);
}

static void come(struct crowd *crowd, struct sharing handle) {
    crowd->handles[crowd->count++] = handle;
    sharing_add(&crowd->tally, handle);
}

static void go(struct crowd *crowd, size_t place) {
    sharing_remove(&crowd->tally, crowd->handles[place]);
    crowd->handles[place] = crowd->handles[--crowd->count];
}

/* Any handle by chance would soon leave nothing that fits. */
static struct sharing random_open(const struct crowd *crowd, struct dice *dice) {
    struct sharing handle = sharing_of((unsigned)dice_roll(dice, WAYS));
    if (dice_percent(dice, 60)) handle.share = SHARING_ALL;
    if (dice_percent(dice, 40)) handle.access = R;
    if (dice_percent(dice, 20)) handle.access = NONE;
    return sharing_fits_all(handle, &crowd->tally) || dice_percent(dice, 5) ? handle
                                                                            : (struct sharing){NONE, NONE};
}

TEST(a_tally_equals_a_walk) {
    struct crowd crowd = {.count = 0};
    struct dice dice = {5};
    for (int step = 0; step < STEPS; step++) {
        bool grows = dice_percent(&dice, step / 200 % 2 ? 25 : 70);
        if (grows && crowd.count < HANDLES)
            come(&crowd, random_open(&crowd, &dice));
        else if (!grows && crowd.count)
            go(&crowd, dice_roll(&dice, crowd.count));
        compare(&crowd);
    }
    while (crowd.count) go(&crowd, crowd.count - 1);
    static const struct sharing_tally nothing;
    require(memcmp(&crowd.tally, &nothing, sizeof(nothing)) == 0, "who has gone has left something behind");
}

TEST(the_stricter_of_two_opens_decides) {
    struct crowd crowd = {.count = 0};
    come(&crowd, (struct sharing){R, R | W});
    come(&crowd, (struct sharing){W, R | W | D});
    compare(&crowd);
    require(!sharing_fits_all(sharing_of_class(CLASS_WRITE_DELETE), &crowd.tally),
            "the reader does not share deletion");
    go(&crowd, 0);
    require(sharing_fits_all(sharing_of_class(CLASS_WRITE_DELETE), &crowd.tally), "the reader has gone");
    require(!sharing_fits_all(sharing_of_class(CLASS_LEASE), &crowd.tally), "somebody writes");
    go(&crowd, 0);
    come(&crowd, (struct sharing){NONE, NONE});
    require(sharing_fits_all(sharing_of_class(CLASS_LEASE), &crowd.tally), "only attributes are looked at");
    require(!sharing_fits_all(sharing_of_class(CLASS_DELETE), &crowd.tally), "only attributes are looked at");
    go(&crowd, 0);
    require(sharing_fits_all(sharing_of_class(CLASS_DELETE), &crowd.tally), "nobody is there");
}
