/* The results of a run, kept until the reports are written.
 *
 *   measurement   processor time and throughput of a workload in one setting, round by round
 *   fact          a single number: bytes per object, the longest command
 *   bar           a limit that a number must not exceed */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "numbers.h"

struct context;
struct family;
struct comparison;

/* What bars are about: a page of them is grouped by it. */
enum subject {
    ABOUT_SMALL_CALLS,
    ABOUT_AOF,
    ABOUT_REPLICAS,
    ABOUT_LEASES,
    ABOUT_LARGE_BLOBS,
    ABOUT_QUEUES,
    ABOUT_TABLES,
    ABOUT_FILES,
    ABOUT_TRANSACTIONS,
    ABOUT_FEEDS,
    ABOUT_COPIES,
    ABOUT_MEMORY,
    ABOUT_DISK,
    ABOUT_PAUSES,
    SUBJECTS
};

/* What the workloads of one table have in common. */
struct setting {
    const char *section;
    const char *title;           /* "100 B, pipeline 16" */
    const char *label;           /* what its bars end with: "4 KiB"; may be NULL */
    const struct family *family; /* its ratios are bars; NULL: those of all families */
    enum subject subject;
    unsigned size; /* index into sizes */
    unsigned objects;
    unsigned pipeline;
    bool is_grown; /* one of several that differ in the number of objects */
};

struct measurement {
    const struct setting *setting;
    const struct family *family;
    const char *name; /* of the workload or sequence */
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
    double bare;      /* the value for a command that does next to nothing; 0 if that was not measured */
    bool is_met;
};

struct results {
    const char *machine, *server_version;
    struct measurement **measurements;
    size_t measurement_count;
    struct fact *facts;
    size_t fact_count;
    struct bar *bars;
    size_t bar_count;
};

struct measurement *results_add_measurement(struct results *results, const struct setting *setting,
                                            const char *name, const struct family *family, size_t rounds);
void results_add_bar(struct results *results, enum subject subject, const char *text, double value,
                     double limit, const char *unit);

/* A bar for a ratio of processor times, unless the limit is 0. */
struct compared;
void results_add_ratio_bar(struct results *results, const struct compared *compared, double limit);

/* The measurement of that workload in that setting; NULL, or the end of the bench, if there is none. */
const struct measurement *results_find(const struct results *results, const struct setting *setting,
                                       const char *workload);
const struct measurement *results_need(const struct results *results, const struct setting *setting,
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

/* By how many per cent it is missed; negative when it is met. */
double bar_excess(const struct bar *bar);

size_t results_missed(const struct results *results);

/* --- What sections add --- */

/* A setting of the section, which lives as long as the results. Unless it says otherwise, its bars are about what the
 * section's are about, and it has pipelines of 16. */
const struct setting *context_setting(const struct context *context, struct setting setting);

void add_fact(const struct context *context, const char *name, double value, const char *unit);
void add_aside(const struct context *context, const char *name, double value, const char *unit);

/* Adds the fact, and a bar for it unless the limit is 0. */
void add_bar(const struct context *context, enum subject subject, const char *name, double value,
             double limit, const char *unit);

/* The same for a time in milliseconds during which the server did nothing else. */
void add_pause_bar(const struct context *context, const char *name, double ms, double limit_ms);

#endif
