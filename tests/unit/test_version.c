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

static void is_written_in_one_form(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
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

static void is_read_bare_or_quoted(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(readable); i++) {
        version v = 42;
        require(version_read(bytes_text(readable[i].text), &v), "%s cannot be read", readable[i].text);
        require(v == readable[i].version, "%s is read as %" PRIx64, readable[i].text, v);
    }
}

static void is_not_read_from_anything_else(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(unreadable); i++) {
        version v = 42;
        require(!version_read(bytes_text(unreadable[i]), &v), "%s is read", unreadable[i]);
    }
    version v;
    require(!version_read(bytes_of("0x0123456789\0BCDEF", 18), &v), "a zero byte is a digit");
}

static void orders_as_text_as_it_does_as_number(void **state) {
    (void)state;
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
static void opens_with_the_clock_as_epoch(void **state) {
    (void)state;
    const int64_t now_ms = INT64_C(1700000000123);
    require_same(version_mint(now_ms), VERSION_OF(1700000000, 1), "the first one");
    require_same(version_mint(now_ms), VERSION_OF(1700000000, 2), "the second one");
    require_same(version_mint(now_ms + 3600000), VERSION_OF(1700000000, 3),
                 "an hour later, in the same epoch");
    require_same(version_mint(0), VERSION_OF(1700000000, 4), "the clock does not matter within an epoch");
}

static void takes_a_greater_epoch_with_each_renewal(void **state) {
    (void)state;
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
    for (size_t i = 0; i < COUNT_OF(renewals); i++) {
        version_renew_epoch();
        version_renew_epoch(); /* that it is due twice makes it no more than due */
        version minted = version_mint(renewals[i].now_ms);
        require_same(minted, VERSION_OF(renewals[i].epoch, 1), "%s", renewals[i].why);
        require(minted > last, "%s: it does not grow", renewals[i].why);
        last = version_mint(renewals[i].now_ms);
        require_same(last, minted + 1, "%s", renewals[i].why);
    }
}

static void outgrows_all_it_has_observed(void **state) {
    (void)state;
    version last = version_mint(0);
    version_observe(last - 1);
    version_observe(0);
    require_same(version_mint(0), last + 1, "lower ones do not matter");
    version_observe(last + 500);
    require_same(version_mint(0), last + 501, "a higher one of the same epoch");
    version_observe(VERSION_OF(EPOCH(last) + 7, 3));
    require_same(version_mint(0), VERSION_OF(EPOCH(last) + 7, 4), "one of a higher epoch");
    version_renew_epoch();
    version_observe(VERSION_OF(EPOCH(last) + 90, 12));
    require_same(version_mint(1000), VERSION_OF(EPOCH(last) + 91, 1),
                 "one that was seen before the epoch opens");
}

/* What a primary that was cut off still mints can never meet what its successor mints. */
static void never_meets_the_versions_of_the_other_side(void **state) {
    (void)state;
    version common = version_mint(0), stray = common;
    version_renew_epoch();
    for (int i = 0; i < 1000; i++) {
        version minted = version_mint(0);
        stray++;
        require(minted > stray, "%" PRIx64 " does not outrank %" PRIx64, minted, stray);
    }
}

static void grows_when_the_count_overflows(void **state) {
    (void)state;
    version last = version_mint(0);
    version_observe(VERSION_OF(EPOCH(last), UINT32_MAX - 1));
    require_same(version_mint(0), VERSION_OF(EPOCH(last), UINT32_MAX), "the last of its epoch");
    require_same(version_mint(0), VERSION_OF(EPOCH(last) + 1, 0), "the one behind it");
    version_renew_epoch();
    require_same(version_mint(0), VERSION_OF(EPOCH(last) + 2, 1),
                 "the next epoch is beyond the one that it ran into");
}

static void grows_in_any_mixture(void **state) {
    (void)state;
    struct dice dice = {2};
    version highest = version_mint(0);
    for (int i = 0; i < 20000; i++) {
        version near = highest - 50 + dice_roll(&dice, 100);
        if (dice_percent(&dice, 10)) version_renew_epoch();
        if (dice_percent(&dice, 30)) {
            version_observe(near);
            if (near > highest) highest = near;
        }
        version minted = version_mint((int64_t)dice_roll(&dice, 1000) * 1000);
        require(minted > highest, "%" PRIx64 " is not beyond %" PRIx64, minted, highest);
        highest = minted;
    }
}

static void is_plausible_up_to_ten_years_ahead(void **state) {
    (void)state;
    const int64_t now_ms = INT64_C(1700000000000), ten_years = INT64_C(315576000);
    const struct {
        version version;
        bool plausible;
    } cases[] = {
        {0, true},
        {1, true},
        {VERSION_OF(1700000000, 5), true},
        {VERSION_OF(1700000000 + ten_years, UINT32_MAX), true},
        {VERSION_OF(1700000000 + ten_years + 1, 0), false},
        {UINT64_MAX, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        require_same(version_plausible(cases[i].version, now_ms), cases[i].plausible, "case %zu", i);
    require(version_plausible(VERSION_OF(ten_years, 0), 0), "ten years from the first second");
    require(!version_plausible(VERSION_OF(ten_years + 1, 0), 0),
            "ten years and a second from the first second");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        tidy_test(opens_with_the_clock_as_epoch),
        tidy_test(is_written_in_one_form),
        tidy_test(is_read_bare_or_quoted),
        tidy_test(is_not_read_from_anything_else),
        tidy_test(orders_as_text_as_it_does_as_number),
        tidy_test(takes_a_greater_epoch_with_each_renewal),
        tidy_test(outgrows_all_it_has_observed),
        tidy_test(never_meets_the_versions_of_the_other_side),
        tidy_test(grows_when_the_count_overflows),
        tidy_test(grows_in_any_mixture),
        tidy_test(is_plausible_up_to_ten_years_ahead),
    };
    return cmocka_run_group_tests_name("version", tests, NULL, NULL);
}
