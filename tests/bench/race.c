#include "race.h"

#include "basics.h"
#include "runner.h"

enum { WARM_UP_SHARE = 4 }; /* of the hands, once more before they are measured */

static void key_renew(const struct race *race, const struct racer *racer) {
    const char *key = racer->troop->key;
    server_tell(race->server, "DEL %s", key);
    racer->troop->course->prepare(race->server, key);
}

void race_fill(const struct race *race, const struct course *filler, const char *key, uint64_t hands) {
    struct troop *troop = troop_open(filler, race->data, key);
    troop_run(troop, hands);
    troop_close(troop);
}

struct racer *race_add(struct race *race, const struct setting *setting, const struct family *family,
                       const struct course *course, const char *key, uint64_t hands) {
    require(race->count < RACERS_AT_MOST, "too many courses in turns");
    struct racer *racer = &race->racers[race->count++];
    struct results *results = race->part->results;
    *racer = (struct racer){.troop = troop_open(course, race->data, key), .hands = hands};
    racer->measurement = results->measurement_count;
    results_measure(results, setting, family, workload_named(course->name), race->part->options->rounds);
    course->prepare(race->server, key);
    return racer;
}

static void racer_measure(const struct race *race, const struct racer *racer, unsigned round) {
    struct measurement *measurement = &race->part->results->measurements[racer->measurement];
    if (racer->starts_anew) key_renew(race, racer);
    if (racer->filler)
        race_fill(race, racer->filler, racer->troop->key, racer->hands * BATCH);
    else
        troop_run(racer->troop, racer->hands / WARM_UP_SHARE);
    struct meter meter = meter_start(race->server);
    troop_run(racer->troop, racer->hands);
    meter_stop(&meter, race->server, measurement, round, (double)racer->hands);
}

/* Who begins, and who comes before whom, changes from round to round. */
void race_run(struct race *race) {
    for (unsigned round = 0; round < race->part->options->rounds; round++) {
        for (unsigned turn = 0; turn < race->count; turn++) {
            unsigned place = (turn + round) % race->count;
            racer_measure(race, &race->racers[round % 2 ? race->count - 1 - place : place], round);
        }
    }
    for (unsigned index = 0; index < race->count; index++) troop_close(race->racers[index].troop);
    race->count = 0;
}
