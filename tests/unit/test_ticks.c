/* Instants of tables: every form, every day of nine thousand years, what is none, and what is out of range. */

#include "dice.h"
#include "table/ticks.h"
#include "unit.h"

#include <stdio.h>

#define SECOND INT64_C(10000000)
#define DAY    (86400 * SECOND)

struct form {
    const char *text;
    int64_t ticks;
};

static const struct form forms[] = {
    {"1601-01-01", 0},
    {"1601-01-01T00:00:00.0000000Z", 0},
    {"1601-01-01T00:00:00.0000001", 1},
    {"1601-01-01T00:00:00.1Z", SECOND / 10},
    {"1601-01-01T00:00:01Z", SECOND},
    {"1601-01-01T00:01", 60 * SECOND},
    {"1601-01-01T01:00Z", 3600 * SECOND},
    {"1601-01-01T01:00+01:00", 0},
    {"1600-12-31T23:00:00-01:00", 0},
    {"1600-12-31T10:00-14:00", 0},
    {"1601-01-02T00:00:00", DAY},
    {"1601-03-01", 59 * DAY},
    {"1604-02-29", (3 * 365 + 59) * DAY},
    {"1604-03-01", (3 * 365 + 60) * DAY},
    {"1700-03-01", (99 * 365 + 24 + 59) * DAY},
    {"1970-01-01T00:00:00Z", INT64_C(116444736000000000)},
    {"2000-02-29T12:00:00.5+00:00", INT64_C(125962992005000000)},
    {"2026-11-18T09:00:00+05:30", INT64_C(134394462000000000)},
    {"9999-12-31T23:59:59.9999999Z", TICKS_MAX},
    {"9999-12-31T23:59:59.9999999", TICKS_MAX},
};

TEST(every_form_of_an_instant_is_read) {
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        int64_t ticks = -1;
        require_same(ticks_read(bytes_text(forms[i].text), &ticks), OUTCOME_DONE, "'%s'", forms[i].text);
        require_same(ticks, forms[i].ticks, "'%s'", forms[i].text);
    }
}

static const char *const no_instants[] = {
    "",
    "2026",
    "2026-11",
    "2026-1-18",
    "2026-11-18 09:00",
    "2026-11-18T",
    "2026-11-18T09",
    "2026-11-18T9:00",
    "2026-11-18T09:00:",
    "2026-11-18T09:00:0",
    "2026-11-18T09:00:00.",
    "2026-11-18T09:00:00.Z",
    "2026-11-18T09:00:00.12345678",
    "2026-11-18T09:00:00,5",
    "2026-11-18T09:00.5",
    "2026-11-18T24:00",
    "2026-11-18T09:60",
    "2026-11-18T09:00:60",
    "2026-11-18T09:00z",
    "2026-11-18t09:00",
    "2026-11-18T09:00ZZ",
    "2026-11-18T09:00Z ",
    " 2026-11-18",
    "2026-11-18Z",
    "2026-11-18T09:00+1:00",
    "2026-11-18T09:00+0100",
    "2026-11-18T09:00+01",
    "2026-11-18T09:00+01:60",
    "2026-11-18T09:00+14:01",
    "2026-11-18T09:00+24:00",
    "2026-11-18T09:00+-1:00",
    "2026-11-18T09:00*01:00",
    "2026-00-18",
    "2026-13-18",
    "2026-11-00",
    "2026-11-31",
    "2026-02-29",
    "1900-02-29",
    "2100-02-29",
    "0000-02-30",
    "-2026-11-18",
    "+2026-11-18",
    "12026-11-18",
    "2026/11/18",
    "20261118",
    "2026-11-18T-9:00",
    "1763456400",
    "now",
};

TEST(malformed_instants_are_refused) {
    int64_t ticks;
    for (size_t i = 0; i < ARRAY_SIZE(no_instants); i++)
        require_same(ticks_read(bytes_text(no_instants[i]), &ticks), OUTCOME_INVALID_INPUT, "'%s'",
                     no_instants[i]);
    require_same(ticks_read(bytes_of(NULL, 0), &ticks), OUTCOME_INVALID_INPUT, "nothing");
    require_same(ticks_read(bytes_of("2026-11-18\0", 11), &ticks), OUTCOME_INVALID_INPUT, "a zero byte");
}

TEST(instants_before_1601_and_after_9999_are_out_of_range) {
    static const char *const texts[] = {
        "1600-12-31",
        "1600-12-31T23:59:59.9999999Z",
        "0000-01-01",
        "0000-02-29",
        "1583-02-28",
        "1601-01-01T00:59+01:00",
        "9999-12-31T23:00-01:00",
        "1599-12-31T23:59-14:00",
    };
    int64_t ticks;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        require_same(ticks_read(bytes_text(texts[i]), &ticks), OUTCOME_INSTANT_OUT_OF_RANGE, "'%s'",
                     texts[i]);
}

/* Counts days one by one, and asks for each in both directions. */
TEST(every_day_is_written_and_read_back) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t day = 0;
    for (int year = 1601; year <= 9999; year++)
        for (int month = 1; month <= 12; month++) {
            bool leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            for (int date = 1; date <= lengths[month - 1] + leap; date++, day++) {
                char expected[64], text[TICKS_TEXT_LENGTH];
                int64_t ticks = -1;
                (void)snprintf(expected, sizeof(expected), "%04d-%02d-%02dT00:00:00.0000000Z", year, month,
                               date);
                ticks_write(day * DAY, text);
                require_bytes(bytes_of(text, TICKS_TEXT_LENGTH), bytes_text(expected), "day %lld",
                              (long long)day);
                require_same(ticks_read(bytes_of(text, 10), &ticks), OUTCOME_DONE, "%s", expected);
                require_same(ticks, day * DAY, "%s", expected);
            }
        }
    require_same(day * DAY - 1, TICKS_MAX, "the end");
}

TEST(written_ticks_are_read_back) {
    struct dice dice = {1};
    for (int round = 0; round < 50000; round++) {
        int64_t ticks = (int64_t)(dice_word(&dice) >> 1) % (TICKS_MAX + 1), again = -1;
        char text[TICKS_TEXT_LENGTH + 1] = "";
        ticks_write(ticks, text);
        require_same(text[TICKS_TEXT_LENGTH], 0, "nothing is written behind it");
        require_same(ticks_read(bytes_of(text, TICKS_TEXT_LENGTH), &again), OUTCOME_DONE, "%s", text);
        require_same(again, ticks, "%s", text);
    }
}

TEST(unix_time_is_converted) {
    require_same(ticks_of_ms(0), INT64_C(116444736000000000), "1970");
    require_same(ticks_of_ms(INT64_C(1794992400123)), INT64_C(134394660001230000), "2026");
    require_same(ticks_of_ms(-INT64_C(11644473600000)), 0, "1601");
    require_same(ticks_of_ms(-INT64_C(11644473600001)), 0, "before all");
    require_same(ticks_of_ms(INT64_MIN), 0, "long before all");
    require_same(ticks_of_ms(INT64_C(253402300799999)), TICKS_MAX - 9999, "the last one");
    require_same(ticks_of_ms(INT64_MAX), TICKS_MAX, "after all");
}
