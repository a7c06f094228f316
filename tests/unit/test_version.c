/* Versions: their text, their growth through epochs, and what they owe to versions seen elsewhere.
 *
 * The counter belongs to the process and only grows, so each test begins
 * where the one before has left it. */
#include "core/version.h"

#include "dice.h"
#include "unit.h"

#include <inttypes.h>

#define EPOCH(v)                 ((v) >> 32)
#define VERSION_OF(epoch, count) ((version)(epoch) << 32 | (count))

static const struct {
    version version;
    const char *text;
} forms[] = {
    {0, "0x0000000000000000"},
    {1, "0x0000000000000001"},
    {UINT64_C(0x0123456789abcdef), "0x0123456789ABCDEF"},
    {UINT64_C(0xfedcba9876543210), "0xFEDCBA9876543210"},
    {UINT64_MAX, "0xFFFFFFFFFFFFFFFF"},
};

TEST(versions_are_written_in_one_form) {
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        char text[VERSION_TEXT_LENGTH];
        version_write(forms[i].version, text);
        require_bytes(bytes_of(text, sizeof(text)), bytes_text(forms[i].text), "form %zu", i);
    }
}

static const struct {
    const char *text;
    version version;
} readable[] = {
    {"0x0123456789ABCDEF", UINT64_C(0x0123456789abcdef)},
    {"0x0123456789abcdef", UINT64_C(0x0123456789abcdef)},
    {"0X0123456789aBcDeF", UINT64_C(0x0123456789abcdef)},
    {"\"0x0123456789ABCDEF\"", UINT64_C(0x0123456789abcdef)},
    {"\"0XFFFFFFFFFFFFFFFF\"", UINT64_MAX},
    {"0x0000000000000000", 0},
};

static const char *const unreadable[] = {
    "",
    "*",
    "\"*\"",
    "0x",
    "\"\"",
    "0123456789ABCDEF",
    "0x123456789ABCDEF",
    "0x00123456789ABCDEF",
    "x00123456789ABCDEF",
    "1x0123456789ABCDEF",
    "0y0123456789ABCDEF",
    "0x0123456789ABCDEG",
    "0x0123456789ABCDE/",
    "0x0123456789ABCDE:",
    "0x0123456789ABCDE@",
    "0x0123456789ABCDE`",
    "0x0123456789ABCD+1",
    "0x 123456789ABCDEF",
    " 0x0123456789ABCDEF",
    "0x0123456789ABCDEF ",
    "\"0x0123456789ABCDEF",
    "0x0123456789ABCDEF\"",
    "'0x0123456789ABCDEF'",
    "\"\"0x0123456789ABCDEF\"\"",
    "W/\"0x0123456789ABCDEF\"",
    "\"0x0123456789ABCDE\"",
    "\"0x0123456789ABCD\"",
    "0x0123456789ABCDEF, 0x0123456789ABCDEF",
};

TEST(versions_are_read_bare_or_quoted) {
    for (size_t i = 0; i < ARRAY_SIZE(readable); i++) {
        version v = 42;
        require(version_read(bytes_text(readable[i].text), &v), "%s cannot be read", readable[i].text);
        require(v == readable[i].version, "%s is read as %" PRIx64, readable[i].text, v);
    }
}

TEST(malformed_versions_are_refused) {
    for (size_t i = 0; i < ARRAY_SIZE(unreadable); i++) {
        version v = 42;
        require(!version_read(bytes_text(unreadable[i]), &v), "%s is read", unreadable[i]);
    }
    version v;
    require(!version_read(bytes_of("0x0123456789\0BCDEF", 18), &v), "a zero byte is a digit");
}

TEST(versions_order_as_text_as_they_do_as_numbers) {
    struct dice dice = {1};
    for (int i = 0; i < 10000; i++) {
        version a = dice_word(&dice) >> dice_roll(&dice, 64), b = dice_word(&dice) >> dice_roll(&dice, 64),
                back;
        char text_a[VERSION_TEXT_LENGTH], text_b[VERSION_TEXT_LENGTH];
        version_write(a, text_a);
        version_write(b, text_b);
        int order = bytes_compare(bytes_of(text_a, sizeof(text_a)), bytes_of(text_b, sizeof(text_b)));
        require((order < 0) == (a < b) && (order > 0) == (a > b), "%" PRIx64 " and %" PRIx64, a, b);
        require(version_read(bytes_of(text_a, sizeof(text_a)), &back) && back == a, "%" PRIx64 " comes back",
                a);
    }
}

/* This one has to run first: it looks at the very first version of the process. */
TEST(a_mint_opens_with_the_clock_as_epoch) {
    const int64_t now_ms = INT64_C(1700000000123);
    require_same(version_mint(now_ms), VERSION_OF(1700000000, 1), "the first one");
    require_same(version_mint(now_ms), VERSION_OF(1700000000, 2), "the second one");
    require_same(version_mint(now_ms + 3600000), VERSION_OF(1700000000, 3),
                 "an hour later, in the same epoch");
    require_same(version_mint(0), VERSION_OF(1700000000, 4), "the clock does not matter within an epoch");
}

TEST(each_renewal_takes_a_greater_epoch) {
    version last = version_mint(0);
    const struct {
        int64_t now_ms;
        uint64_t epoch;
        const char *why;
    } renewals[] = {
        {(int64_t)(EPOCH(last) + 100) * 1000 + 999, EPOCH(last) + 100, "the clock is ahead: its seconds"},
        {(int64_t)(EPOCH(last) + 100) * 1000, EPOCH(last) + 101, "no second has passed: one more"},
        {1000, EPOCH(last) + 102, "the clock is far behind: one more"},
        {0, EPOCH(last) + 103, "there is no clock: one more"},
        {-1, EPOCH(last) + 104, "the clock is before 1970: one more"},
        {INT64_MIN, EPOCH(last) + 105, "the clock is out of its mind: one more"},
        {(int64_t)(EPOCH(last) + 200) * 1000 + 1, EPOCH(last) + 200, "the clock is ahead again"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(renewals); i++) {
        version_renew_epoch(0);
        version_renew_epoch(0); /* that it is due twice makes it no more than due */
        version minted = version_mint(renewals[i].now_ms);
        require_same(minted, VERSION_OF(renewals[i].epoch, 1), "%s", renewals[i].why);
        require(minted > last, "%s: it does not grow", renewals[i].why);
        last = version_mint(renewals[i].now_ms);
        require_same(last, minted + 1, "%s", renewals[i].why);
    }
}

static const struct {
    uint32_t start, counts; /* what is given, and what of it counts */
} starts[] = {
    {0, 0},
    {1, 1},
    {12345, 12345},
    {UINT32_C(0x7ffffffe), UINT32_C(0x7ffffffe)},
    {UINT32_C(0x7fffffff), UINT32_C(0x7fffffff)},
    {UINT32_C(0x80000000), 0},
    {UINT32_C(0x80000001), 1},
    {UINT32_C(0xffffffff), UINT32_C(0x7fffffff)},
};

TEST(a_mint_counts_from_behind_its_start) {
    for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
        for (size_t before = 0; before < ARRAY_SIZE(starts); before++) {
            version_renew_epoch(starts[before].start);
            version last = version_mint(0);
            int64_t ahead_ms = (int64_t)(EPOCH(last) + 5) * 1000;
            version_renew_epoch(starts[before].start);
            version_renew_epoch(starts[i].start); /* the last one that was given */
            version first = version_mint(i % 2 ? ahead_ms : 0);
            require_same(EPOCH(first), EPOCH(last) + (i % 2 ? 5 : 1), "start %zu behind %zu", i, before);
            require_same(first & UINT32_MAX, (uint64_t)starts[i].counts + 1, "start %zu behind %zu", i,
                         before);
            require_same(version_mint(ahead_ms), first + 1, "start %zu goes on", i);
            require_same(version_mint(0), first + 2, "start %zu goes on", i);
        }
}

/* However it starts, a quarter of an epoch is left to be counted in. */
TEST(a_mint_leaves_counts_behind_its_start) {
    for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
        struct mint mint = MINT_INITIAL;
        mint_renew_epoch(&mint, starts[i].start);
        mint_version(&mint, 0);
        require(mint.end - mint.last >= UINT64_C(0x3fffffff), "start %zu", i);
        require_same(EPOCH(mint.end), EPOCH(mint.last), "start %zu", i);
    }
}

TEST(minted_versions_outgrow_all_observed_ones) {
    version last = version_mint(0);
    version_observe(last - 1);
    version_observe(last);
    require_same(version_mint(0), last + 1, "its own ones do not matter");
    version_observe(0);
    version_observe(VERSION_OF(EPOCH(last) - 1, UINT32_MAX));
    require_same(version_mint(0), last + 2, "nor do those of lower epochs");
    version_renew_epoch(0);
    version_observe(VERSION_OF(EPOCH(last) + 90, 12));
    require_same(version_mint(1000), VERSION_OF(EPOCH(last) + 91, 1),
                 "one that was seen before the epoch opens");
    last = version_mint(0);
    version_renew_epoch(700);
    version_observe(VERSION_OF(EPOCH(last) + 3, 12));
    require_same(version_mint(0), VERSION_OF(EPOCH(last) + 4, 701), "likewise, with a start");
}

static const struct {
    const char *what;
    int64_t epochs; /* above its own, which begins at a count of 1000 and has come to 1002 */
    uint32_t count;
    bool leaves;
} meetings[] = {
    {"its first", 0, 1001, false},
    {"its last", 0, 1002, false},
    {"the one that it would mint next", 0, 1003, true},
    {"what lies behind", 0, UINT32_MAX, true},
    {"what lies before its stretch", 0, 1000, true},
    {"the beginning of its epoch", 0, 0, true},
    {"an epoch below", -1, UINT32_MAX, false},
    {"an epoch above", 1, 0, true},
    {"an epoch far above", 5000, 77, true},
};

TEST(a_mint_counts_in_no_epoch_of_others) {
    for (size_t i = 0; i < ARRAY_SIZE(meetings); i++) {
        const int64_t now_ms = INT64_C(1700000000000);
        struct mint mint = MINT_INITIAL;
        mint_renew_epoch(&mint, 1000);
        mint_version(&mint, now_ms);
        version last = mint_version(&mint, now_ms);
        version met = VERSION_OF((int64_t)EPOCH(last) + meetings[i].epochs, meetings[i].count);
        mint_observe(&mint, met);
        version minted = mint_version(&mint, now_ms + 60000);
        if (!meetings[i].leaves) {
            require_same(minted, last + 1, "%s", meetings[i].what);
            continue;
        }
        uint64_t above = EPOCH(met > last ? met : last) + 1;
        require_same(EPOCH(minted), above, "%s: the clock has no say", meetings[i].what);
        require_same(mint_version(&mint, 0), minted + 1, "%s: once is enough", meetings[i].what);
        mint_observe(&mint, met);
        require_same(mint_version(&mint, 0), minted + 2, "%s: what has been left", meetings[i].what);
    }
}

TEST(a_mint_leaves_the_epoch_of_what_is_known_and_no_later_one) {
    struct mint mint = MINT_INITIAL;
    mint_renew_epoch(&mint, 7);
    version first = mint_version(&mint, INT64_C(5000000)), earlier = first - (UINT64_C(1) << 32);
    mint_leave_epoch(&mint, earlier);
    require_same(mint.passed, first, "what was known when the older state came");
    require_same(mint_version(&mint, 0), first + 1, "an earlier epoch is left already");
    mint_leave_epoch(&mint, first);
    require_same(EPOCH(mint_version(&mint, 0)), EPOCH(first) + 1, "its own");
    mint_leave_epoch(&mint, VERSION_ANY);
    mint_leave_epoch(&mint, VERSION_ANY);
    require_same(EPOCH(mint_version(&mint, 0)), EPOCH(first) + 2, "any, and once is enough");
}

TEST(a_mint_knows_where_its_versions_of_an_epoch_begin) {
    struct mint mint = MINT_INITIAL;
    require_same(mint.passed, 0, "before the first one");
    version first = mint_version(&mint, 5000);
    require_same(mint.passed, first - 1, "its own");
    mint_observe(&mint, first + 9);
    version next = mint_version(&mint, 0);
    require_same(mint.passed, next - 1, "an epoch of its own again");
}

TEST(a_mint_knows_the_newest_version) {
    struct mint mint = MINT_INITIAL;
    require_same(mint.newest, 0, "of nothing");
    version minted = mint_version(&mint, 5000);
    require_same(mint.newest, minted, "that it has minted");
    mint_observe(&mint, minted + 9);
    require_same(mint.newest, minted + 9, "that it has observed");
    mint_observe(&mint, minted + 8);
    require_same(mint.newest, minted + 9, "not the last");
}

/* What a primary that was cut off still mints can never meet what its successor mints. */
TEST(two_mints_never_meet) {
    for (size_t old = 0; old < ARRAY_SIZE(starts); old++)
        for (size_t new = 0; new < ARRAY_SIZE(starts); new ++) {
            version_renew_epoch(starts[old].start);
            version common = version_mint(0), stray = common;
            version_renew_epoch(starts[new].start);
            for (int i = 0; i < 1000; i++) {
                version minted = version_mint(0);
                stray++;
                require(minted > stray, "%" PRIx64 " does not outrank %" PRIx64, minted, stray);
            }
        }
}

enum { LIVES = 16, LIFE = 50 };

/* A life of a server that knows nothing of the ones before: what it mints in a second of its own. */
static void live(uint32_t start, uint32_t counts[LIFE]) {
    version_renew_epoch(start);
    for (int i = 0; i < LIFE; i++) counts[i] = (uint32_t)version_mint(0);
}

/* All that keeps two such lives apart, when they begin in the same second, is the count. */
TEST(lives_of_the_same_second_do_not_meet) {
    static uint32_t counts[LIVES][LIFE];
    struct dice dice = {3};
    for (int life = 0; life < LIVES; life++) live((uint32_t)dice_word(&dice), counts[life]);
    for (int a = 0; a < LIVES * LIFE; a++)
        for (int b = 0; b < a; b++)
            require(counts[a / LIFE][a % LIFE] != counts[b / LIFE][b % LIFE], "lives %d and %d meet",
                    a / LIFE, b / LIFE);
}

TEST(a_mint_begins_an_epoch_when_the_counts_are_used_up) {
    struct mint mint = MINT_INITIAL;
    mint_renew_epoch(&mint, 7);
    version first = mint_version(&mint, 5000);
    mint.newest = mint.last = mint.end - 1; /* years later */
    require_same(mint_version(&mint, INT64_C(9000000)), VERSION_OF(5, UINT32_C(0xbfffffff)), "the last one");
    require_same(EPOCH(mint_version(&mint, INT64_C(9000000))), EPOCH(first) + 1, "the one behind it");
}

TEST(minted_versions_grow_in_any_mixture) {
    struct dice dice = {2};
    version highest = version_mint(0);
    for (int i = 0; i < 20000; i++) {
        version near = highest - 50 + dice_roll(&dice, 100);
        if (dice_percent(&dice, 10)) version_renew_epoch((uint32_t)dice_word(&dice));
        if (dice_percent(&dice, 30)) {
            version_observe(near);
            if (near > highest) highest = near;
        }
        version minted = version_mint((int64_t)dice_roll(&dice, 1000) * 1000);
        require(minted > highest, "%" PRIx64 " is not beyond %" PRIx64, minted, highest);
        highest = minted;
    }
}

TEST(versions_are_plausible_up_to_ten_years_ahead) {
    const int64_t now_ms = INT64_C(1700000000000), ten_years = INT64_C(315576000);
    const struct mint mint = {.newest = VERSION_OF(1000, 1)};
    const struct {
        version version;
        bool plausible;
    } cases[] = {
        {0, true},
        {1, true},
        {VERSION_OF(1700000000, 5), true},
        {VERSION_OF(1700000000 + ten_years, UINT32_MAX), true},
        {VERSION_OF(1700000000 + ten_years + 1, 0), false},
        {VERSION_MAX, false},
        {UINT64_MAX, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        require_same(mint_believes(&mint, cases[i].version, now_ms), cases[i].plausible, "case %zu", i);
    require(mint_believes(&mint, VERSION_OF(ten_years, 0), 0), "ten years from the first second");
    require(!mint_believes(&mint, VERSION_OF(ten_years + 1, 0), 0),
            "ten years and a second from the first second");
}

/* A server whose clock was set back still takes what it has saved itself. */
TEST(a_mint_believes_versions_up_to_its_newest) {
    struct mint mint = MINT_INITIAL;
    mint_observe(&mint, VERSION_MAX);
    require(mint_believes(&mint, VERSION_MAX, 0), "the newest");
    require(!mint_believes(&mint, VERSION_MAX + 1, 0), "a newer one");
}

/* Whatever the clock says: what it mints, what it believes, and what comes of that can be loaded again. */
TEST(minted_versions_stay_below_the_greatest) {
    static const int64_t clocks_ms[] = {INT64_C(3679398240000), INT64_C(4102444800000), INT64_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(clocks_ms); i++) {
        struct mint mint = MINT_INITIAL;
        require(mint_version(&mint, clocks_ms[i]) < VERSION_MAX, "clock %zu", i);
        version max = VERSION_MAX;
        while (!mint_believes(&mint, max, clocks_ms[i])) max -= UINT64_C(1) << 32;
        mint_observe(&mint, max);
        for (int roles = 0; roles < 1000000; roles++) {
            mint_renew_epoch(&mint, UINT32_MAX);
            mint_version(&mint, clocks_ms[i]);
        }
        require(mint.newest < VERSION_MAX, "clock %zu: a million roles above what is believed", i);
    }
}
