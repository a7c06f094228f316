/* Numbers: what is one, and what only looks like one. */
#include "core/number.h"

#include "dice.h"
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
    const char *text;
    int64_t number;
} numbers[] = {
    {"0", 0},
    {"1", 1},
    {"9", 9},
    {"10", 10},
    {"-1", -1},
    {"-10", -10},
    {"1234567890", 1234567890},
    {"9223372036854775806", INT64_MAX - 1},
    {"9223372036854775807", INT64_MAX},
    {"-9223372036854775807", -INT64_MAX},
    {"-9223372036854775808", INT64_MIN},
};

static const char *const no_numbers[] = {
    "",
    "-",
    "--1",
    "+1",
    "-0",
    "00",
    "01",
    "-01",
    "0x10",
    " 1",
    "1 ",
    "\t1",
    "1\n",
    "1.0",
    "1e3",
    "1,000",
    "1-",
    "a",
    "1a",
    "9:",
    "1/",
    "\xd9\xa1",            /* a digit, but not one of ours */
    "9223372036854775808", /* one more than there is */
    "9223372036854775810",
    "-9223372036854775809",
    "18446744073709551616", /* zero, if it wrapped */
    "18446744073709551617",
    "-18446744073709551615",
    "99999999999999999999",
    "100000000000000000000000000000000000000000000000000000000000000000",
};

TEST(numbers_are_read) {
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        int64_t number = 42;
        require(number_read(bytes_text(numbers[i].text), &number), "'%s' is no number", numbers[i].text);
        require_same(number, numbers[i].number, "'%s'", numbers[i].text);
    }
}

TEST(malformed_numbers_are_refused) {
    int64_t number;
    for (size_t i = 0; i < ARRAY_SIZE(no_numbers); i++)
        require(!number_read(bytes_text(no_numbers[i]), &number), "'%s' is a number", no_numbers[i]);
    require(!number_read(bytes_of("1\0", 2), &number), "a zero byte is a digit");
    require(!number_read(bytes_of("\0", 1), &number), "a zero byte is a number");
    require(!number_read(bytes_of(NULL, 0), &number), "nothing is a number");
}

TEST(units_of_bytes_are_read) {
    static const struct {
        const char *text;
        int64_t count;
    } sound[] = {
        {"0", 0},
        {"7", 7},
        {"7b", 7},
        {"7k", 7000},
        {"7kb", 7168},
        {"7KB", 7168},
        {"7m", 7000000},
        {"7Mb", 7340032},
        {"7g", INT64_C(7000000000)},
        {"7GB", INT64_C(7516192768)},
        {"9223372036854775807", INT64_MAX},
        {"8589934591gb", INT64_C(8589934591) << 30},
    };
    static const char *const unsound[] = {
        "",    "kb",  "-1",   "-1kb", "1 kb", "1kbb",         "1x",
        "1bk", "01k", "1.5m", "1tb",  "1k\n", "8589934592gb", "99999999999999999999",
    };
    int64_t count;
    for (size_t i = 0; i < ARRAY_SIZE(sound); i++) {
        require(number_read_bytes(bytes_text(sound[i].text), &count), "'%s' is refused", sound[i].text);
        require_same(count, sound[i].count, "'%s'", sound[i].text);
    }
    for (size_t i = 0; i < ARRAY_SIZE(unsound); i++)
        require(!number_read_bytes(bytes_text(unsound[i]), &count), "'%s' is taken", unsound[i]);
    require(number_read_bytes(bytes_of("12kb", 2), &count) && count == 12, "a view of 12 is %" PRId64, count);
}

TEST(printed_numbers_are_read_back) {
    struct dice dice = {1};
    for (int i = 0; i < 20000; i++) {
        int64_t written = (int64_t)dice_word(&dice) >> dice_roll(&dice, 64), number = 0;
        char text[32];
        int length = snprintf(text, sizeof(text), "%" PRId64, written);
        require(number_read(bytes_of(text, (size_t)length), &number), "'%s' is no number", text);
        require_same(number, written, "'%s'", text);
        char own[NUMBER_TEXT_MAX];
        require_bytes(bytes_of(own, number_write(written, own)), bytes_of(text, (size_t)length), "'%s'",
                      text);
    }
}

TEST(the_greatest_and_least_numbers_are_written) {
    char text[NUMBER_TEXT_MAX];
    require_bytes(bytes_of(text, number_write(INT64_MAX, text)), bytes_text("9223372036854775807"),
                  "the greatest");
    require_bytes(bytes_of(text, number_write(INT64_MIN, text)), bytes_text("-9223372036854775808"),
                  "the least");
    require_bytes(bytes_of(text, number_write(0, text)), bytes_text("0"), "nothing");
}

/* The view may end where the memory ends. */
TEST(a_number_is_read_no_further_than_its_view) {
    int64_t number;
    require(number_read(bytes_of("123456", 3), &number) && number == 123, "a view of 123 is %" PRId64,
            number);
    require(!number_read(bytes_of("-1", 1), &number), "a sign alone is a number");
}

TEST(a_sum_that_is_too_great_counts_as_the_greatest_number) {
    assert_int_equal(number_of_sum(0), 0);
    assert_int_equal(number_of_sum(INT64_MAX), INT64_MAX);
    assert_int_equal(number_of_sum((uint64_t)INT64_MAX + 1), INT64_MAX);
    assert_int_equal(number_of_sum(UINT64_MAX), INT64_MAX);
}
