#include "trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "failure.h"
#include "pool.h"
#include "settings.h"
#include "text.h"

enum {
    WARM_UP_MS = 300,
    COOL_DOWN_MS = 400,
    TOLD_MAX = 5, /* violations of one part */
};

void violation(struct part *part, const char *format, ...) {
    if (atomic_fetch_add(&part->violations, 1) >= TOLD_MAX) return;
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    printf("# %s, %s: %s\n", part->trial->fault->name, part->workload->name, text);
}

int trial_chance(struct trial *trial, int below) {
    return rand_r(&trial->seed) % below;
}

void trial_pause_ms(struct trial *trial, int min, int max) {
    pause_us((min + trial_chance(trial, max - min + 1)) * INT64_C(1000));
}

bool trial_keeps_all(const struct trial *trial) {
    return trial->fault->promise == NOTHING_LOST;
}

int event_term(const struct part *part, const struct event *event) {
    return stage_term(&part->trial->stage, event->server, event->begin_us, event->end_us);
}

/* What all trials have in common: leases that last for less than grace, and little else. */
static const char common_settings[] = "repl-ping-replica-period 1\n"
                                      "repl-backlog-size 16mb\n"
                                      "hz 100\n"
                                      "holdfast.lease-min-seconds 0.05\n"
                                      "holdfast.lease-max-seconds 0.5\n"
                                      "holdfast.grace-seconds 1\n" APPEND_ONLY_FILE("always");

/* --- The trial --------------------------------------------------------------------------------------------- */

static void prepare_parts(struct trial *trial, const struct workload *const *workloads) {
    struct client *client = test_client(stage_primary(&trial->stage));
    for (; *workloads; workloads++) {
        struct part *part = &trial->parts[trial->part_count++];
        part->workload = *workloads;
        part->trial = trial;
        part->workload->prepare(client);
    }
}

static void begin_load(struct trial *trial) {
    for (int i = 0; i < trial->part_count; i++)
        for (int number = 0; number < trial->parts[i].workload->actors; number++) {
            struct actor *actor = &trial->actors[trial->actor_count];
            actor->part = &trial->parts[i];
            actor->number = trial->actor_count++;
            actor->seed = trial->seed + (unsigned)actor->number * 7919;
            require(!pthread_create(&actor->thread, NULL, actor_life, actor), "no thread for an actor");
        }
}

static void end_load(struct trial *trial) {
    atomic_store(&trial->stop, true);
    for (int i = 0; i < trial->actor_count; i++) {
        struct actor *actor = &trial->actors[i];
        pthread_join(actor->thread, NULL);
        history_join(&actor->part->history, &actor->history);
        history_free(&actor->history);
    }
}

static void check_all(struct trial *trial) {
    const char *difference = stage_difference(&trial->stage);
    if (difference) violation(&trial->parts[0], "%s", difference);
    struct client *client = test_client(stage_primary(&trial->stage));
    for (int i = 0; i < trial->part_count; i++) trial->parts[i].workload->check(&trial->parts[i], client);
    ledger_check(trial);
}

static void close_all(struct trial *trial) {
    const char *ending = stage_close(&trial->stage);
    if (ending) violation(&trial->parts[0], "%s", ending);
    for (int i = 0; i < trial->part_count; i++) history_free(&trial->parts[i].history);
    if (trial->fault->clean) trial->fault->clean(trial);
    pool_drain();
}

static void open_stage(struct trial *trial, const struct workload *const *workloads) {
    const struct fault *fault = trial->fault;
    const char *settings = pool_print("%s%s", common_settings, fault->settings),
               *keys[WORKLOADS_MAX + 1] = {NULL};
    for (int i = 0; workloads[i]; i++) keys[i] = workloads[i]->key;
    if (fault->cluster)
        stage_open_cluster(&trial->stage, fault->servers, settings, keys);
    else
        stage_open(&trial->stage, fault->servers, settings);
}

void trial_play(struct trial *trial, const struct fault *fault, const struct workload *const *workloads,
                unsigned seed) {
    memset(trial, 0, sizeof(*trial));
    trial->fault = fault;
    trial->seed = seed;
    if (fault->prepare) fault->prepare(trial);
    open_stage(trial, workloads);
    prepare_parts(trial, workloads);
    stage_difference(&trial->stage);
    begin_load(trial);
    trial_pause_ms(trial, WARM_UP_MS, WARM_UP_MS);
    fault->strike(trial);
    trial_pause_ms(trial, COOL_DOWN_MS, COOL_DOWN_MS);
    end_load(trial);
    if (!trial->spoiled) check_all(trial);
    close_all(trial);
}
