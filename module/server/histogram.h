/* Histograms of times in milliseconds, for INFO: how many were at most 1, 2, 4, 8 … */
#ifndef HOLDFAST_HISTOGRAM_H
#define HOLDFAST_HISTOGRAM_H

#include "server/api.h"

enum { HISTOGRAM_BUCKETS = 24 }; /* the last one takes all beyond 2^22 ms, more than an hour */

/* A zeroed one is empty. */
struct histogram {
    unsigned long long counts[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *histogram, int64_t ms);

/* A time that so many percent of all did not exceed, as far as the buckets tell; 0 when there are none. */
int64_t histogram_percentile_ms(const struct histogram *histogram, unsigned percent);

/* One field: le_1=3,le_2=0,le_4=1, … up to the last that is not empty, then the rest. */
void histogram_show(RedisModuleInfoCtx *ctx, const struct histogram *histogram, const char *field);

#endif
