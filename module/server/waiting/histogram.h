/* Histograms of times in milliseconds, for INFO: how many were at most 1, 2, 4, 8 … */
#ifndef HOLDFAST_HISTOGRAM_H
#define HOLDFAST_HISTOGRAM_H

#include "server/base/api.h"

enum { HISTOGRAM_BUCKETS = 24 }; /* the last one takes all beyond 2^22 ms, more than an hour */

/* A zeroed one is empty. */
struct histogram {
    uint64_t counts[HISTOGRAM_BUCKETS];
    uint64_t sum_ms;
};

void histogram_add(struct histogram *histogram, int64_t ms);

/* The time that this percentage did not exceed, as far as the buckets tell; 0 when empty. */
int64_t histogram_percentile_ms(const struct histogram *histogram, unsigned percent);

/* One field, cumulative: le_1=3,le_2=3,le_4=4,count=5,sum=70000 says that 4 of 5 took at most 4 ms, and all together
 * 70 s. The bounds end where all are counted. */
void histogram_show(RedisModuleInfoCtx *ctx, const struct histogram *histogram, const char *field);

#endif
