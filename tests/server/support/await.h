/* Waiting for what comes about by and by. */
#ifndef HOLDFAST_TESTS_AWAIT_H
#define HOLDFAST_TESTS_AWAIT_H

#include <stdbool.h>

#include "failure.h"

enum { AWAIT_SECONDS = 30 };

/* Looks again and again until the condition holds, and fails with its text when half a minute has passed. */
#define AWAIT(condition) AWAIT_OR(condition, "awaited in vain: %s", #condition)

/* The same; the rest says what is wrong when it does not come to hold. */
#define AWAIT_OR(condition, ...)                                                                             \
    for (long long await_since = 0; !(condition);) require(await_more(&await_since), __VA_ARGS__)

/* Rests a little. False when the time is over that began with the first call, before which `since` is 0. */
bool await_more(long long *since);

#endif
