#include "table/ticks.h"

/* The year 1601 is the first of a cycle of 400 years, so that days can be counted from it without a
 * correction for the leap years before it. */

enum {
    YEAR_FIRST = 1601,
    YEAR_MAX = 9999,
    DAYS_OF_400_YEARS = 146097,
    FRACTION_DIGITS = 7,
    OFFSET_MAX_MINUTES = 14 * 60,
};

#define TICKS_PER_SECOND INT64_C(10000000)
#define TICKS_PER_MINUTE (60 * TICKS_PER_SECOND)
#define TICKS_PER_DAY    (INT64_C(86400) * TICKS_PER_SECOND)
#define UNIX_EPOCH_MS    INT64_C(11644473600000) /* from 1601 to 1970 */
#define UNIX_MS_MAX      (TICKS_MAX / TICKS_PER_MILLISECOND - UNIX_EPOCH_MS)

/* Days before each month of a common year. */
static const int days_before[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

static bool is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int year, int month) {
    return days_before[month] - days_before[month - 1] + (month == 2 && is_leap(year));
}

static int64_t days_of(int year, int month, int day) {
    /* One cycle earlier, so that the days of the year before YEAR_FIRST, which a time zone can lead to, count right. */
    int64_t years = year - (YEAR_FIRST - 400);
    int64_t days = years * 365 + years / 4 - years / 100 + years / 400 - DAYS_OF_400_YEARS;
    return days + days_before[month - 1] + (month > 2 && is_leap(year)) + day - 1;
}

/* --- Reading --- */

static bool ticks_take_char(struct bytes *text, char wanted) {
    if (!text->length || text->data[0] != wanted) return false;
    *text = bytes_of(text->data + 1, text->length - 1);
    return true;
}

/* Takes exactly this many digits, as a number from `min` to `max`. */
static bool ticks_number(struct bytes *text, size_t digits, int min, int max, int *number) {
    if (text->length < digits) return false;
    int sum = 0;
    for (size_t i = 0; i < digits; i++) {
        if (text->data[i] < '0' || text->data[i] > '9') return false;
        sum = sum * 10 + (text->data[i] - '0');
    }
    *text = bytes_of(text->data + digits, text->length - digits);
    *number = sum;
    return sum >= min && sum <= max;
}

static bool take_date(struct bytes *text, int *year, int *month, int *day) {
    return ticks_number(text, 4, 0, YEAR_MAX, year) && ticks_take_char(text, '-') &&
           ticks_number(text, 2, 1, 12, month) && ticks_take_char(text, '-') &&
           ticks_number(text, 2, 1, days_in_month(*year, *month), day);
}

/* Takes one to seven digits, as ticks. */
static bool take_fraction(struct bytes *text, int64_t *ticks) {
    int digit, count = 0;
    int64_t sum = 0;
    while (count < FRACTION_DIGITS && ticks_number(text, 1, 0, 9, &digit)) {
        sum = sum * 10 + digit;
        count++;
    }
    for (int i = count; i < FRACTION_DIGITS; i++) sum *= 10;
    *ticks += sum;
    return count > 0;
}

/* hh:mm, hh:mm:ss, or hh:mm:ss.f */
static bool take_time(struct bytes *text, int64_t *ticks) {
    int hour, minute, second = 0;
    if (!ticks_number(text, 2, 0, 23, &hour) || !ticks_take_char(text, ':') ||
        !ticks_number(text, 2, 0, 59, &minute))
        return false;
    bool seconds = ticks_take_char(text, ':');
    if (seconds && !ticks_number(text, 2, 0, 59, &second)) return false;
    *ticks += (hour * 60 + minute) * TICKS_PER_MINUTE + second * TICKS_PER_SECOND;
    return !seconds || !ticks_take_char(text, '.') || take_fraction(text, ticks);
}

/* No zone means UTC. */
static bool take_zone(struct bytes *text, int64_t *ticks) {
    int hour, minute;
    if (!text->length || ticks_take_char(text, 'Z')) return true;
    bool east = ticks_take_char(text, '+');
    if (!east && !ticks_take_char(text, '-')) return false;
    if (!ticks_number(text, 2, 0, 23, &hour) || !ticks_take_char(text, ':') ||
        !ticks_number(text, 2, 0, 59, &minute))
        return false;
    int minutes = hour * 60 + minute;
    *ticks -= (east ? minutes : -minutes) * TICKS_PER_MINUTE;
    return minutes <= OFFSET_MAX_MINUTES;
}

enum outcome ticks_read(struct bytes text, int64_t *ticks) {
    int year, month, day;
    int64_t sum = 0;
    *ticks = 0;
    if (!take_date(&text, &year, &month, &day)) return OUTCOME_INVALID_INPUT;
    if (text.length && !(ticks_take_char(&text, 'T') && take_time(&text, &sum) && take_zone(&text, &sum)))
        return OUTCOME_INVALID_INPUT;
    if (text.length) return OUTCOME_INVALID_INPUT;
    if (year < YEAR_FIRST - 1) return OUTCOME_INSTANT_OUT_OF_RANGE;
    sum += days_of(year, month, day) * TICKS_PER_DAY;
    if (sum < 0 || sum > TICKS_MAX) return OUTCOME_INSTANT_OUT_OF_RANGE;
    *ticks = sum;
    return OUTCOME_DONE;
}

/* --- Writing --- */

static void put_digits(char *text, int count, int64_t number) {
    for (int i = count; i > 0; number /= 10) text[--i] = (char)('0' + number % 10);
}

static int month_of(int year, int day_of_year) {
    int month = 1;
    while (day_of_year >= days_before[month] + (month >= 2 && is_leap(year))) month++;
    return month;
}

void ticks_write(int64_t ticks, char text[TICKS_TEXT_LENGTH]) {
    int64_t days = ticks / TICKS_PER_DAY, rest = ticks % TICKS_PER_DAY;
    int year = YEAR_FIRST + (int)(days * 400 / DAYS_OF_400_YEARS); /* or the next one */
    year += days_of(year + 1, 1, 1) <= days;
    int day_of_year = (int)(days - days_of(year, 1, 1));
    int month = month_of(year, day_of_year);
    memcpy(text, "yyyy-mm-ddThh:mm:ss.fffffffZ", TICKS_TEXT_LENGTH);
    put_digits(text, 4, year);
    put_digits(text + 5, 2, month);
    put_digits(text + 8, 2, days - days_of(year, month, 1) + 1);
    put_digits(text + 11, 2, rest / (60 * TICKS_PER_MINUTE));
    put_digits(text + 14, 2, rest / TICKS_PER_MINUTE % 60);
    put_digits(text + 17, 2, rest / TICKS_PER_SECOND % 60);
    put_digits(text + 20, FRACTION_DIGITS, rest % TICKS_PER_SECOND);
}

int64_t ticks_of_ms(int64_t unix_ms) {
    if (unix_ms < -UNIX_EPOCH_MS) return 0;
    if (unix_ms > UNIX_MS_MAX) return TICKS_MAX;
    return (unix_ms + UNIX_EPOCH_MS) * TICKS_PER_MILLISECOND;
}
