/* holdfast-faults: servers in trouble, clients at work, and what was promised.
 *
 * Each trial is one fault and all workloads. The faults follow each other until the time is up, each at least once;
 * then come the controls, which have to show violations. The seed decides what befalls the servers and when; what the
 * threads do in between is the machine's. Answers in TAP, and ends with a table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ccan/array_size/array_size.h"
#include "faults.h"
#include "workloads.h"

static const struct workload *const workloads[] = {&counter_workload, &mutex_workload, &queue_workload,
                                                   &table_workload,   &file_workload,  &once_workload,
                                                   &atomic_workload,  &feed_workload,  NULL};
static const struct workload *const controls[] = {&mutex_workload, &plain_lock_workload,
                                                  &plain_version_workload, NULL};

static const struct fault *const faults[] = {&kill_fault,
                                             &cut_fault,
                                             &disk_fault,
                                             &stop_fault,
                                             &clock_fault,
                                             &backlog_fault,
                                             &diskless_fault,
                                             &promotion_fault,
                                             &failover_fault,
                                             &sentinel_fault,
                                             &proxy_fault,
                                             &slots_fault,
                                             NULL};

enum { COLUMNS = 8, FAULTS_MAX = 32, CONTROL_ATTEMPTS = 5, MINUTE_US = 60000000 };

static struct options {
    double minutes;
    unsigned seed;
    const char *only; /* the name of one fault */
} options = {.minutes = 0};

struct cell {
    long long operations, violations;
};

static struct {
    struct cell cells[FAULTS_MAX][COLUMNS];
    int trials[FAULTS_MAX];
    const char *obstacles[FAULTS_MAX];
    int told, failed;
} results;

static struct trial trial;

static void tell(bool ok, const char *what, const char *more) {
    printf("%sok %d - %s%s\n", ok ? "" : "not ", ++results.told, what, more);
    fflush(stdout);
    if (!ok) results.failed++;
}

static void skipped(const char *what, const char *why) {
    printf("# skipped: %s\nok %d # SKIP %s\n", why, ++results.told, what);
    fflush(stdout);
}

static void play(int row, unsigned seed) {
    const struct fault *fault = faults[row];
    long long operations = 0, violations = 0;
    char more[100];
    trial_play(&trial, fault, workloads, seed);
    for (int column = 0; workloads[column]; column++) {
        struct cell *cell = &results.cells[row][column];
        cell->operations += trial.parts[column].operations;
        cell->violations += trial.parts[column].violations;
        operations += trial.parts[column].operations;
        violations += trial.parts[column].violations;
    }
    results.trials[row]++;
    if (trial.spoiled) {
        skipped(fault->name, trial.spoiled);
        return;
    }
    snprintf(more, sizeof(more), " with seed %u: %lld operations, %lld violations", seed, operations,
             violations);
    tell(!violations, fault->name, more);
}

static bool is_wanted(const struct fault *fault) {
    return !options.only || !strcmp(options.only, fault->name);
}

/* Whether it can be had here; told of once. */
static bool is_possible(int row) {
    const char *obstacle = faults[row]->obstacle ? faults[row]->obstacle() : NULL;
    if (obstacle && !results.obstacles[row]) {
        skipped(faults[row]->name, obstacle);
        results.obstacles[row] = obstacle;
    }
    return !obstacle;
}

static void play_all(void) {
    int64_t until_us = now_us() + (int64_t)(options.minutes * MINUTE_US);
    unsigned seed = options.seed;
    for (int round = 0; !round || now_us() < until_us; round++)
        for (int row = 0; faults[row] && (!round || now_us() < until_us); row++)
            if (is_wanted(faults[row]) && is_possible(row)) play(row, seed++);
}

/* --- Controls ------------------------------------------------------------------------------------------------ */

static void play_controls(void) {
    static const char *const names[] = {"leases without grace", "SET NX PX and a plain write",
                                        "versions without epochs"};
    int shown[ARRAY_SIZE(names)] = {0};
    bool all_shown = false;
    printf("# The controls have to show violations, and here they come:\n");
    for (unsigned attempt = 0; attempt < CONTROL_ATTEMPTS && !all_shown; attempt++) {
        trial_play(&trial, &no_grace_fault, controls, options.seed + attempt);
        all_shown = true;
        for (int i = 0; controls[i]; i++) {
            shown[i] += trial.parts[i].violations;
            all_shown = all_shown && shown[i];
        }
    }
    for (int i = 0; controls[i]; i++) {
        char more[60];
        snprintf(more, sizeof(more), ": %d violations, as there must be", shown[i]);
        tell(shown[i] > 0, names[i],
             shown[i] ? more : ": nothing went wrong, so this program proves nothing");
    }
}

/* --- The table ----------------------------------------------------------------------------------------------- */

static void print_row(int row) {
    printf("# %-12s %6d", faults[row]->name, results.trials[row]);
    for (int column = 0; workloads[column]; column++) {
        char text[40];
        snprintf(text, sizeof(text), "%lld/%lld", results.cells[row][column].operations,
                 results.cells[row][column].violations);
        printf(" %12s", text);
    }
    printf("%s%s\n", results.obstacles[row] ? "  " : "",
           results.obstacles[row] ? results.obstacles[row] : "");
}

static void print_table(void) {
    printf("# operations/violations\n# %-12s %6s", "fault", "trials");
    for (int column = 0; workloads[column]; column++) printf(" %12s", workloads[column]->name);
    printf("\n");
    for (int row = 0; faults[row]; row++)
        if (is_wanted(faults[row])) print_row(row);
    printf("1..%d\n", results.told);
}

static void usage(void) {
    fprintf(stderr, "usage: holdfast-faults [--minutes N] [--seed S] [--only FAULT]\nfaults:");
    for (int row = 0; faults[row]; row++) fprintf(stderr, " '%s'", faults[row]->name);
    fprintf(stderr, "\n");
    exit(2);
}

static void read_options(int count, char **words) {
    options.seed = (unsigned)getpid();
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) usage();
        const char *value = words[i + 1];
        if (!strcmp(words[i], "--minutes"))
            options.minutes = atof(value);
        else if (!strcmp(words[i], "--seed"))
            options.seed = (unsigned)strtoul(value, NULL, 10);
        else if (!strcmp(words[i], "--only"))
            options.only = value;
        else
            usage();
    }
}

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    read_options(count, words);
    printf("# seed %u\n", options.seed);
    play_all();
    play_controls();
    print_table();
    return results.failed > 0;
}
