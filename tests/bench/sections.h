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
void measure_leases(const struct section *section, const struct options *options, struct results *results);
void measure_handover(const struct section *section, const struct options *options, struct results *results);
void measure_endings(const struct section *section, const struct options *options, struct results *results);
void measure_idle(const struct section *section, const struct options *options, struct results *results);
void measure_kinds(const struct section *section, const struct options *options, struct results *results);
void measure_queues(const struct section *section, const struct options *options, struct results *results);
void measure_tables(const struct section *section, const struct options *options, struct results *results);
void measure_files(const struct section *section, const struct options *options, struct results *results);
void measure_mixed(const struct section *section, const struct options *options, struct results *results);
void measure_passing(const struct section *section, const struct options *options, struct results *results);

/* Makes bars of the setting's comparisons that have limits, of workloads with all of those traits. */
void judge_ratios(struct results *results, const struct setting *setting, unsigned wanted);

/* Workloads with those traits make a million objects; those with other traits are measured with growing numbers of
 * them, and those of them that have limits make bars. */
void growth_measure(const struct section *section, const struct options *options, struct results *results,
                    unsigned inserting, unsigned growing);

/* A workload that must exist. */
const struct workload *workload_named(const char *name);

#endif
