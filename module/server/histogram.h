/* Histograms of times in milliseconds, for INFO: how many were at most 1, 2, 4, 8 … */
#ifndef HOLDFAST_HISTOGRAM_H
#define HOLDFAST_HISTOGRAM_H

#include "server/api.h"

enum histogram {
    HISTOGRAM_WAITING,
    HISTOGRAM_HOLDING,
    HISTOGRAM_CONSUMING, /* how long consumers waited for messages */
    HISTOGRAM_QUEUEING,  /* how long messages waited for consumers */
    HISTOGRAM_FILES,     /* how long it took to get a handle or a lock that was waited for */
    HISTOGRAMS
};

void histogram_add(enum histogram histogram, int64_t ms);

/* One field: le_1=3,le_2=0,le_4=1, … up to the last that is not empty, then the rest. */
void histogram_show(RedisModuleInfoCtx *ctx, enum histogram histogram, const char *field);

#endif
