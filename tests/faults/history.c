#define _GNU_SOURCE
#include "history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

void history_add(struct history *history, struct event event) {
    if (history->count == history->room) {
        history->room = history->room ? history->room * 2 : 256;
        history->events = realloc(history->events, history->room * sizeof *history->events);
        if (!history->events) abort();
    }
    history->events[history->count++] = event;
}

void history_join(struct history *history, const struct history *other) {
    for_each_event(event, other) history_add(history, *event);
}

void history_free(struct history *history) {
    free(history->events);
    *history = (struct history){0};
}

uint64_t version_of(const char *text) {
    bool is_version = text && strlen(text) == 18 && !strncmp(text, "0x", 2);
    return is_version ? strtoull(text + 2, NULL, 16) : 0;
}
