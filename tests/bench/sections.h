/*
 * The parts of the bench. Each starts its own server, measures, judges its bars and leaves all in the
 * results.
 */
#ifndef BENCH_SECTIONS_H
#define BENCH_SECTIONS_H

#include "options.h"
#include "results.h"

struct section {
    const char *name, *title;
    void (*measure)(const struct section *section, const struct options *options, struct results *results);
};
extern const struct section sections[];
extern const size_t section_count;

enum { PIPELINE = 16, MILLION = 1000000 }; /* the bars are about these */

void measure_ratios(const struct section *section, const struct options *options, struct results *results);
void measure_growth(const struct section *section, const struct options *options, struct results *results);
void measure_memory(const struct section *section, const struct options *options, struct results *results);
void measure_longest(const struct section *section, const struct options *options, struct results *results);
void measure_effects(const struct section *section, const struct options *options, struct results *results);

/* A workload that must exist. */
const struct workload *workload_named(const char *name);

#endif
