/* Durations: what is one, to the last decimal, and what only looks like one. */
#include "core/duration.h"

#include "dice.h"
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
    const char *text;
    int64_t duration_ms;
} durations[] = {
    {"0", 0},
    {"1", 1000},
    {"15", 15000},
    {"60", 60000},
    {"0.0", 0},
    {"0.001", 1},
    {"0.01", 10},
    {"0.1", 100},
    {"0.999", 999},
    {"2.5", 2500},
    {"2.50", 2500},
    {"2.05", 2050},
    {"2.005", 2005},
    {"15.000", 15000},
    {"15.0000", 15000},
    {"1.2340000000000000000000000000000000000000000000000000000000000000000000000000", 1234},
    {"86400", 86400000},
    {"9223372036854774", INT64_C(9223372036854774000)}, /* the longest there is */
    {"9223372036854774.999", INT64_C(9223372036854774999)},
    /* what is more than can be counted is the longest there is */
    {"9223372036854775", DURATION_MAX_MS},
    {"9223372036854775.807", DURATION_MAX_MS},
    {"10000000000000000", DURATION_MAX_MS},
    {"9223372036854775807", DURATION_MAX_MS},
    {"9223372036854775808", DURATION_MAX_MS},
    {"18446744073709551616", DURATION_MAX_MS},
    {"99999999999999999999999999999999999999999999", DURATION_MAX_MS},
    {"99999999999999999999999999999999999999999999.5", DURATION_MAX_MS},
    {"-1", DURATION_INFINITE_MS},
    {"INFINITE", DURATION_INFINITE_MS},
    {"infinite", DURATION_INFINITE_MS},
    {"Infinite", DURATION_INFINITE_MS},
    {"iNfInItE", DURATION_INFINITE_MS},
};

static const char *const no_durations[] = {
    "",
    "-",
    "-2",
    "-0",
    "-0.5",
    "-1.0",
    "-1.5",
    "-1.",
    "--1",
    "+1",
    "+0.5",
    " 1",
    "1 ",
    "\t1",
    "1\n",
    "1.",
    ".5",
    ".",
    "..",
    "1..5",
    "1.2.3",
    "1.0.0",
    "1.+5",
    "1.-5",
    "1. 5",
    "1 .5",
    "1,5",
    "00",
    "01",
    "01.5",
    "1e3",
    "1e300",
    "1.5e3",
    "1E3",
    "0x10",
    "1.0001",
    "1.0000001",
    "0.0009",
    "0.001x",
    "0.00x",
    "0.x",
    "x.5",
    "1s",
    "1.5s",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "+infinite",
    "INF",
    "INFINIT",
    "INFINITELY",
    "INFINITY",
    "-INFINITE",
    "infinite ",
    "1.a00",
    "1:00",
    "1/2",
    "\xd9\xa1",
    "1.\xd9\xa1",
    "99999999999999999999999999999999999999999999x",
    "099999999999999999999999999999999999999999999",
    "-99999999999999999999999999999999999999999999",
    "99999999999999999999999999999999999999999999.",
    "99999999999999999999999999999999999999999999.0001",
};

TEST(durations_are_read) {
    for (size_t i = 0; i < ARRAY_SIZE(durations); i++) {
        int64_t duration_ms = 42;
        require(duration_read(bytes_text(durations[i].text), &duration_ms), "'%s' is none",
                durations[i].text);
        require_same(duration_ms, durations[i].duration_ms, "'%s'", durations[i].text);
    }
}

static bool is_duration(struct bytes text) {
    int64_t duration_ms;
    return duration_read(text, &duration_ms);
}

TEST(malformed_durations_are_refused) {
    for (size_t i = 0; i < ARRAY_SIZE(no_durations); i++)
        require(!is_duration(bytes_text(no_durations[i])), "'%s' is a duration", no_durations[i]);
    require(!is_duration(bytes_of(NULL, 0)), "nothing is a duration");
    require(!is_duration(bytes_of("1\0", 2)), "a zero byte behind it");
    require(!is_duration(bytes_of("1.\0", 3)), "a zero byte as a decimal");
    require(!is_duration(bytes_of("1.5\0", 4)), "a zero byte behind decimals");
    require(!is_duration(bytes_of("-1\0", 3)), "a zero byte behind a sign");
    require(!is_duration(bytes_of("\0", 1)), "a zero byte");
}

/* The view may end where the memory goes on. */
TEST(a_duration_is_read_no_further_than_its_view) {
    int64_t duration_ms;
    require(duration_read(bytes_of("12.5", 1), &duration_ms) && duration_ms == 1000, "a view of 1");
    require(duration_read(bytes_of("12.5", 2), &duration_ms) && duration_ms == 12000, "a view of 12");
    require(!is_duration(bytes_of("12.5", 3)), "a view of 12 and a point");
    require(duration_read(bytes_of("1.2345", 5), &duration_ms) && duration_ms == 1234, "three decimals");
}

TEST(printed_durations_are_read_back) {
    struct dice dice = {1};
    for (int i = 0; i < 20000; i++) {
        int64_t max = INT64_C(9223372036854774999), read = 0;
        int64_t written = (int64_t)(dice_word(&dice) >> (1 + dice_roll(&dice, 63))) % (max + 1);
        char text[64];
        int length = snprintf(text, sizeof(text), "%" PRId64 ".%03d", written / 1000, (int)(written % 1000));
        require(duration_read(bytes_of(text, (size_t)length), &read), "'%s' is none", text);
        require_same(read, written, "'%s'", text);
        while (text[length - 1] == '0') length--;
        if (text[length - 1] == '.') length--;
        require(duration_read(bytes_of(text, (size_t)length), &read), "'%.*s' is none", length, text);
        require_same(read, written, "'%.*s'", length, text);
    }
}
