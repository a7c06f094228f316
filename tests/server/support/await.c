#define _GNU_SOURCE
#include "await.h"

#include <unistd.h>

#include "clock.h"

bool await_more(long long *since) {
    if (!*since) *since = stopwatch();
    usleep(500);
    return stopwatch() - *since < AWAIT_SECONDS * 1000LL;
}
