/*
 * Queues, next to streams and to queues that libraries make of a sorted set, a hash and scripts: what a message costs
 * from its put to its deletion, with few messages there and with very many; bytes per message; messages that come due
 * all at once; and how long a put takes to reach a consumer that waits.
 */
#include "queues.h"

#include <stdlib.h>

#include "basics.h"
#include "queue_courses.h"
#include "runner.h"

enum { RACERS_AT_MOST = 16, HANDS = 8192, BATCHED_HANDS = 256, DEPTHS = 4 };
#define FLAT_AT_MOST 1.3

void queues_tell(const struct queues *queues, const char *name, double value, const char *unit) {
    results_fact(queues->results, (struct fact){queues->section->name, name, value, unit, true});
}

void queues_tell_and_judge(const struct queues *queues, const char *name, double value, double limit,
                           const char *unit) {
    queues_tell(queues, name, value, unit);
    results_bar(queues->results, name, value, limit, unit);
}

/* --- Courses in turns --- */

/* A troop that is measured again and again. */
struct racer {
    struct troop *troop;
    const struct course
        *filler;      /* what puts its messages there before each slice; NULL for a course that does itself */
    bool starts_anew; /* whether its key is made anew before each slice */
    uint64_t hands;
    size_t measurement;
};

struct race {
    const struct queues *queues;
    struct server *server;
    struct dataset *data;
    struct racer racers[RACERS_AT_MOST];
    unsigned count;
};

static void key_renew(const struct race *race, const struct racer *racer) {
    const char *key = racer->troop->key;
    server_tell(race->server, "DEL %s", key);
    racer->troop->course->prepare(race->server, key);
}

static void fill(const struct race *race, const struct course *filler, const char *key, uint64_t messages) {
    struct troop *troop = troop_open(filler, race->data, key);
    troop_run(troop, messages);
    troop_close(troop);
}

static struct racer *race_add(struct race *race, const struct setting *setting, const struct family *family,
                              const struct course *course, const char *key) {
    require(race->count < RACERS_AT_MOST, "too many courses in turns");
    struct racer *racer = &race->racers[race->count++];
    struct results *results = race->queues->results;
    *racer = (struct racer){.troop = troop_open(course, race->data, key), .hands = HANDS};
    racer->measurement = results->measurement_count;
    results_measure(results, setting, family, workload_named(course->name), race->queues->options->rounds);
    course->prepare(race->server, key);
    return racer;
}

static void racer_measure(const struct race *race, const struct racer *racer, unsigned round) {
    struct measurement *measurement = &race->queues->results->measurements[racer->measurement];
    if (racer->starts_anew) key_renew(race, racer);
    if (racer->filler)
        fill(race, racer->filler, racer->troop->key, racer->hands * BATCH);
    else
        troop_run(racer->troop, racer->hands / 4);
    struct meter meter = meter_start(race->server);
    troop_run(racer->troop, racer->hands);
    meter_stop(&meter, race->server, measurement, round, (double)racer->hands);
}

/* Who begins, and who comes before whom, changes from round to round. */
static void race_run(struct race *race) {
    for (unsigned round = 0; round < race->queues->options->rounds; round++) {
        for (unsigned turn = 0; turn < race->count; turn++) {
            unsigned place = (turn + round) % race->count;
            racer_measure(race, &race->racers[round % 2 ? race->count - 1 - place : place], round);
        }
    }
    for (unsigned index = 0; index < race->count; index++) troop_close(race->racers[index].troop);
    race->count = 0;
}

static const struct setting *setting_for(const struct queues *queues, const char *title, unsigned objects) {
    return setting_keep((struct setting){.section = queues->section->name,
                                         .title = title,
                                         .label = sizes[0].label,
                                         .objects = objects,
                                         .pipeline = PIPELINE});
}

/* --- A message's life --- */

static void measure_ratio(const struct queues *queues) {
    struct server *server = server_start(queues->options, LARGE_BATCHES);
    struct dataset *data = dataset_open(server, 0, sizes[0].objects, MESSAGE_BYTES);
    struct race race = {.queues = queues, .server = server, .data = data};
    const struct setting *setting = setting_for(
        queues, print_text("messages of %s, pipeline %d", sizes[0].label, PIPELINE), data->objects);
    race_add(&race, setting, &queue_family, &queue_life, "queue");
    race_add(&race, setting, &queue_family, &stream_life, "stream");
    race_add(&race, setting, &queue_family, &script_life, "set");
    race_add(&race, setting, &queue_family, &list_life, "list");
    race_add(&race, setting, &queue_family, &queue_put, "queue:put")->starts_anew = true;
    race_add(&race, setting, &queue_family, &stream_put, "stream:put")->starts_anew = true;
    race_add(&race, setting, &native_family, &set_again, "");
    struct racer *batch = race_add(&race, setting, &queue_family, &queue_batch, "queue:batch");
    batch->filler = &queue_put;
    batch->hands = BATCHED_HANDS;
    batch = race_add(&race, setting, &queue_family, &stream_batch, "stream:batch");
    batch->filler = &stream_put;
    batch->hands = BATCHED_HANDS;
    race_run(&race);
    judge_ratios(queues->results, setting, 0);
    dataset_close(data);
    server_stop(server);
}

/* --- Few messages and very many --- */

static const struct depth {
    unsigned messages;
    const char *label;
} depths[DEPTHS] = {
    {1000, "a thousand"}, {100000, "100 thousand"}, {MILLION, "a million"}, {5 * MILLION, "5 million"}};

/* Each depth has a key of its own, all in one server. The last and the first are compared. */
static void measure_depths(const struct queues *queues, const struct course *course,
                           const struct course *filler, const char *what, unsigned count, double limit) {
    struct server *server = server_start(queues->options, "");
    struct dataset *data = dataset_open(server, 0, sizes[0].objects, MESSAGE_BYTES);
    struct race race = {.queues = queues, .server = server, .data = data};
    const struct setting *settings[DEPTHS];
    for (unsigned index = 0; index < count; index++) {
        const struct depth *depth = &depths[index];
        char *key = print_text("depth:%u", depth->messages);
        settings[index] =
            setting_for(queues, print_text("%s messages %s", depth->label, what), depth->messages);
        struct racer *racer = race_add(&race, settings[index], &queue_family, course, key);
        fill(&race, filler, key, depth->messages);
        racer->troop->sent_out = depth->messages + PIPELINE;
    }
    race_run(&race);
    struct spread growth = results_growth(results_find(queues->results, settings[0], course->name),
                                          results_find(queues->results, settings[count - 1], course->name));
    char *name = print_text("%s with %s messages %s, to %s", course->name, depths[count - 1].label, what,
                            depths[0].label);
    queues_tell(queues, name, growth.median, "x");
    if (limit != 0) results_bar(queues->results, name, growth.median, limit, "x");
    dataset_close(data);
    server_stop(server);
}

void measure_queues(const struct section *section, const struct options *options, struct results *results) {
    struct queues queues = {section, options, results, options->rounds < QUICK_BELOW};
    measure_ratio(&queues);
    unsigned count = queues.is_quick ? DEPTHS - 1 : DEPTHS;
    measure_depths(&queues, &queue_life, &queue_put, "visible", count, FLAT_AT_MOST);
    measure_depths(&queues, &queue_life, &queue_put_later, "invisible", count, FLAT_AT_MOST);
    /* To fill these takes long, and there is no bar. */
    measure_depths(&queues, &script_life, &script_put, "visible", count - 1, 0);
    measure_queue_memory(&queues);
    measure_queue_due(&queues);
    measure_queue_delay(&queues);
}
