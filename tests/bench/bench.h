/*
 * What every file needs: errors, memory, text; options; sections.
 *
 * When the bench cannot go on, it prints the reason and exits with status 2. A number measured on errors would be
 * worse than none, so every unexpected reply ends the run.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

enum { STATUS_BARS_MISSED = 1, STATUS_COULD_NOT_RUN = 2 };

void give_up(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Gives up unless the condition holds. */
void require(bool condition, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zeroed memory that need not be checked. */
void *allocate(size_t count, size_t bytes_each);

/* Room for one more entry behind `count`. Grows whenever that is a power of two, so it must be called for each. */
void *grow_array(void *entries, size_t count, size_t bytes_each);

/* Text that lives until the bench ends. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool text_is(const char *text, const char *other);

/* --- Options --- */

/*
 * What the user may choose, on the command line and in the environment.
 */

struct options {
    const char *module; /* HOLDFAST_MODULE */
    const char *server; /* HOLDFAST_SERVER */
    const char *output; /* HOLDFAST_TMP: results, charts and, while it runs, the servers' files */
    const char *only;   /* the sections to run, with commas between them; or NULL for all */
    unsigned rounds;
    unsigned large_mb; /* the size of a large blob */
    unsigned slice_ms; /* how long a workload runs in one round */
    bool strict;       /* a missed bar makes the bench fail */
};

/* With fewer rounds than this, measurements that have no rounds are made shorter, too. */
enum { QUICK_BELOW = 20 };

struct options options_read(int count, char **words);

/* --- Sections --- */

/*
 * The parts of the bench. A section starts its own server, measures, and adds facts and bars to the results.
 */

struct results;
struct setting;

struct context;

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

struct section {
    const char *name, *title;
    void (*measure)(const struct context *context);
    enum subject subject; /* of most of its bars */
};
extern const struct section sections[];
extern const size_t section_count;

/* What a section is given. */
struct context {
    const struct section *section;
    const struct options *options;
    struct results *results;
    bool is_quick;
};

enum { PIPELINE = 16, MILLION = 1000000 }; /* the bars are about these */

void measure_ratios(const struct context *context);
void measure_growth(const struct context *context);
void measure_disk(const struct context *context);
void measure_drops(const struct context *context);
void measure_memory(const struct context *context);
void measure_longest(const struct context *context);
void measure_effects(const struct context *context);
void measure_leases(const struct context *context);
void measure_handover(const struct context *context);
void measure_endings(const struct context *context);
void measure_idle(const struct context *context);
void measure_kinds(const struct context *context);
void measure_queues(const struct context *context);
void measure_tables(const struct context *context);
void measure_files(const struct context *context);
void measure_mixed(const struct context *context);
void measure_feeds(const struct context *context);
void measure_copies(const struct context *context);
void measure_transactions(const struct context *context);
void measure_delays(const struct context *context);
void measure_passing(const struct context *context);

/* A setting at pipeline 16. Its bars end with the label, unless that is NULL. */
const struct setting *context_setting(const struct context *context, const char *label, const char *title,
                                      unsigned objects);

void add_context_fact(const struct context *context, const char *name, double value, const char *unit);

/* Adds the fact, and a bar for it. */
void add_context_bar(const struct context *context, enum subject subject, const char *name, double value,
                     double limit, const char *unit);

/* The same for a time in milliseconds during which the server did nothing else. */
void add_pause_bar(const struct context *context, const char *name, double ms, double limit_ms);

#endif
