#include "server/histogram.h"

#include <stdio.h>

enum { BUCKETS = 24 }; /* the last one takes all beyond 2^22 ms, more than an hour */

static unsigned long long counts[HISTOGRAMS][BUCKETS];

void histogram_add(enum histogram histogram, int64_t ms) {
    int bucket = 0;
    while (bucket < BUCKETS - 1 && ms > INT64_C(1) << bucket) bucket++;
    counts[histogram][bucket]++;
}

void histogram_show(RedisModuleInfoCtx *ctx, enum histogram histogram, const char *field) {
    char text[1024];
    size_t used = 0;
    int last = BUCKETS - 1;
    while (last > 0 && !counts[histogram][last]) last--;
    text[0] = '\0';
    for (int i = 0; i <= last && used + 48 < sizeof(text); i++) {
        const char *comma = i ? "," : "";
        if (i < BUCKETS - 1)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%sle_%lld=%llu", comma, 1LL << i,
                                     counts[histogram][i]);
        else
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%smore=%llu", comma,
                                     counts[histogram][i]);
    }
    RedisModule_InfoAddFieldCString(ctx, field, text);
}
