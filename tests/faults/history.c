#include "history.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pool.h"

enum { SECOND_US = 1000000 };

int64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000;
}

void pause_us(int64_t us) {
    struct timespec left = {us / SECOND_US, us % SECOND_US * 1000};
    if (us <= 0) return;
    while (nanosleep(&left, &left)) continue;
}

int64_t us_after(int seconds) {
    return now_us() + (int64_t)seconds * SECOND_US;
}

void history_add(struct history *history, struct event event) {
    if (history->count == history->room) {
        history->room = history->room ? history->room * 2 : 256;
        history->events = realloc(history->events, history->room * sizeof(*history->events));
        if (!history->events) abort();
    }
    history->events[history->count++] = event;
}

void history_join(struct history *history, const struct history *other) {
    for_each_event(other) history_add(history, *event);
}

void history_free(struct history *history) {
    free(history->events);
    *history = (struct history){0};
}

void numbers_add(struct numbers *numbers, long long number) {
    if (numbers->count == numbers->room) {
        numbers->room = numbers->room ? 2 * numbers->room : 256;
        numbers->number = pool_grow(numbers->number, numbers->room * sizeof(*numbers->number));
    }
    numbers->number[numbers->count++] = number;
}

static int compare_numbers(const void *one, const void *other) {
    long long a = *(const long long *)one, b = *(const long long *)other;
    return (a > b) - (a < b);
}

void numbers_sort(struct numbers *numbers) {
    if (numbers->count) qsort(numbers->number, numbers->count, sizeof(*numbers->number), compare_numbers);
}

bool numbers_have(const struct numbers *numbers, long long number) {
    return numbers->count &&
           bsearch(&number, numbers->number, numbers->count, sizeof(number), compare_numbers);
}

uint64_t version_of(const char *text) {
    bool is_version = text && strlen(text) == 18 && !strncmp(text, "0x", 2);
    return is_version ? strtoull(text + 2, NULL, 16) : 0;
}
