#include "server/histogram.h"

#include <stdio.h>

void histogram_add(struct histogram *histogram, int64_t ms) {
    int bucket = 0;
    while (bucket < HISTOGRAM_BUCKETS - 1 && ms > INT64_C(1) << bucket) bucket++;
    histogram->counts[bucket]++;
}

int64_t histogram_percentile_ms(const struct histogram *histogram, unsigned percent) {
    unsigned long long sum = 0, reached = 0;
    int bucket = 0;
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) sum += histogram->counts[i];
    if (!sum) return 0;
    while (bucket < HISTOGRAM_BUCKETS - 1 && (reached += histogram->counts[bucket]) * 100 < sum * percent)
        bucket++;
    return INT64_C(1) << bucket;
}

void histogram_show(RedisModuleInfoCtx *ctx, const struct histogram *histogram, const char *field) {
    char text[1024];
    size_t used = 0;
    int last = HISTOGRAM_BUCKETS - 1;
    while (last > 0 && !histogram->counts[last]) last--;
    text[0] = '\0';
    for (int i = 0; i <= last && used + 48 < sizeof(text); i++) {
        const char *comma = i ? "," : "";
        if (i < HISTOGRAM_BUCKETS - 1)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%sle_%lld=%llu", comma, 1LL << i,
                                     histogram->counts[i]);
        else
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%smore=%llu", comma,
                                     histogram->counts[i]);
    }
    RedisModule_InfoAddFieldCString(ctx, field, text);
}
