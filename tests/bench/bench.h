/* What a run is made of: options, and sections that measure. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "basics.h"
#include "results.h"

/* --- Options --- */

/* What the user may choose, on the command line and in the environment. */

struct options {
    const char *module; /* HOLDFAST_MODULE */
    const char *bare;   /* HOLDFAST_BARE: the module beside it, see bare.c */
    const char *server; /* HOLDFAST_SERVER */
    const char *output; /* HOLDFAST_TMP: results, charts and, while it runs, the servers' files */
    const char *only;   /* the sections to run, with commas between them; or NULL for all */
    unsigned rounds;
    unsigned large_mb; /* the size of a large blob */
    bool strict;       /* a missed bar makes the bench fail */
};

/* A run with fewer rounds than this is quick: it also makes fewer objects, and repeats less what has no rounds. */
enum { QUICK_BELOW = 20 };

/* --- Sections --- */

/* The parts of the bench. A section starts its own server, measures, and adds facts and bars to the results. It is a row
 * of sections.h, and a function measure_NAME in the file of its subject. */

struct context;

struct section {
    const char *name, *title;
    void (*measure)(const struct context *context);
    enum subject subject;
};

/* What a section is given. */
struct context {
    const struct section *section;
    const struct options *options;
    struct results *results;
    bool is_quick;
};

#define SECTION(name, subject, title) void measure_##name(const struct context *context);
#include "sections.h"
#undef SECTION

extern const struct section sections[];
extern const size_t section_count;

enum { PIPELINE = 16, MILLION = 1000000 }; /* the bars are about these */
enum { MEGABYTE = 1 << 20 };

#endif
