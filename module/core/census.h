/* Counts over all values of the process, for INFO. Values may be freed on another thread. */
#ifndef HOLDFAST_CENSUS_H
#define HOLDFAST_CENSUS_H

#include <stdatomic.h>
#include <stdint.h>

struct census {
    _Atomic uint64_t sum;
};

/* What one value contributes has changed. */
static inline void census_count(struct census *census, uint64_t before, uint64_t after) {
    if (before != after) atomic_fetch_add_explicit(&census->sum, after - before, memory_order_relaxed);
}

static inline uint64_t census_sum(const struct census *census) {
    return atomic_load_explicit(&census->sum, memory_order_relaxed);
}

#endif
