/*
 * The results of a run, kept until the reports are written.
 *
 *   measurement   processor time and throughput of a workload in one setting, round by round
 *   fact          a single number: bytes per object, the longest command
 *   bar           a limit that a number must not exceed
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "measure.h"
#include "workload.h"

/* What the workloads of one table have in common. */
struct setting {
    const char *section;
    const char *title; /* "100 B, pipeline 16" */
    const char *label; /* what its bars end with: "4 KiB"; may be NULL */
    enum subject subject;
    unsigned size; /* index into sizes */
    unsigned objects;
    unsigned pipeline;
    bool is_grown; /* one of several that differ in the number of objects */
};

struct measurement {
    const struct setting *setting;
    const struct family *family;
    const struct workload *workload;
    size_t rounds;
    double *cpu_ns; /* per operation */
    double *rate;   /* operations per second */
};

struct fact {
    const char *section;
    const char *name;
    double value;
    const char *unit;
    bool is_aside; /* reported, but not the subject of the section */
};

struct bar {
    enum subject subject;
    const char *text;
    double value, limit;
    const char *unit; /* "x", "bytes", "ms" */
    bool is_met;
};

struct results {
    const char *machine, *server_version;
    struct measurement *measurements;
    size_t measurement_count;
    struct fact *facts;
    size_t fact_count;
    struct bar *bars;
    size_t bar_count;
};

/* Copies a setting, so that it lives as long as the results. */
const struct setting *setting_keep(struct setting setting);

struct measurement *results_measure(struct results *results, const struct setting *setting,
                                    const struct workload *workload, size_t rounds);
void results_fact(struct results *results, struct fact fact);
void results_bar(struct results *results, enum subject subject, const char *text, double value, double limit,
                 const char *unit);

/* The measurement of that workload in that setting, or NULL. */
const struct measurement *results_find(const struct results *results, const struct setting *setting,
                                       const char *workload);

/* Iterates over the comparisons of a setting: those of which both sides were measured. */
struct compared {
    const struct comparison *comparison;
    const struct measurement *measurement, *reference;
    struct spread ratio; /* of the processor time */
};
bool results_compare(const struct results *results, const struct setting *setting, size_t *cursor,
                     struct compared *compared);

/* The cost of a workload with the most objects, relative to the fewest. */
struct spread results_growth(const struct measurement *fewest, const struct measurement *most);

size_t results_missed(const struct results *results);

/*
 * What a run writes: a page on standard output; results.txt with all tables; results.json for programs; charts.
 */

void report_page(const struct results *results, FILE *file);
void report_text(const struct results *results, FILE *file);
void report_json(const struct results *results, FILE *file);
void report_charts(const struct results *results, const char *folder);

#endif
