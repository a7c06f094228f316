/*
 * What the person who runs the bench may choose, on the command line and in the environment.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>

struct options {
    const char *module; /* HOLDFAST_MODULE */
    const char *server; /* HOLDFAST_SERVER */
    const char *output; /* HOLDFAST_TMP: results, charts and, while it runs, the servers' files */
    const char *only;   /* the one section to run, or NULL */
    unsigned rounds;
    unsigned large_mb; /* the size of what is to be a large blob */
    unsigned slice_ms; /* how long a workload runs in one round */
    bool strict;       /* missed bars are failures */
};

/* With fewer rounds, whatever has no rounds is made shorter, too. */
enum { QUICK_BELOW = 20 };

struct options options_read(int count, char **words);

#endif
