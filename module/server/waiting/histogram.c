#include "server/waiting/histogram.h"

#include "core/text.h"

/* The first one whose bound, two to the power of its number, is not below. */
static int bucket_of_wait(int64_t ms) {
    int bucket = ms > 1 ? 64 - __builtin_clzll((uint64_t)ms - 1) : 0;
    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

void histogram_add(struct histogram *histogram, int64_t ms) {
    histogram->counts[bucket_of_wait(ms)]++;
    if (ms > 0) histogram->sum_ms += (uint64_t)ms;
}

static uint64_t histogram_count(const struct histogram *histogram) {
    uint64_t sum = 0;
    for (int bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) sum += histogram->counts[bucket];
    return sum;
}

int64_t histogram_percentile_ms(const struct histogram *histogram, unsigned percent) {
    uint64_t reached = 0, all = histogram_count(histogram);
    int bucket = 0;
    if (!all) return 0;
    while (bucket < HISTOGRAM_BUCKETS - 1 && (reached += histogram->counts[bucket]) * 100 < all * percent)
        bucket++;
    return INT64_C(1) << bucket;
}

/* Those beyond the last bound are in the count alone. */
void histogram_show(RedisModuleInfoCtx *ctx, const struct histogram *histogram, const char *field) {
    char line[1024];
    struct text text = text_start(line, sizeof(line));
    uint64_t reached = 0, all = histogram_count(histogram);
    for (int bucket = 0; bucket < HISTOGRAM_BUCKETS - 1; bucket++) {
        reached += histogram->counts[bucket];
        text_put(&text, "le_");
        text_put_number(&text, UINT64_C(1) << bucket, 1);
        text_put(&text, "=");
        text_put_number(&text, reached, 1);
        text_put(&text, ",");
        if (reached == all) break;
    }
    text_put(&text, "count=");
    text_put_number(&text, all, 1);
    text_put(&text, ",sum=");
    text_put_number(&text, histogram->sum_ms, 1);
    RedisModule_InfoAddFieldCString(ctx, field, line);
}
