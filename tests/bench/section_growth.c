/*
 * Whether an operation costs the same with a million objects as with a thousand, and what it costs to insert
 * them.
 */
#include <stdlib.h>

#include "basics.h"
#include "runner.h"
#include "sections.h"

enum { INSERT_ROUNDS = 50, COUNTS = 4 };

static const struct {
    unsigned objects;
    const char *label;
} counts[COUNTS] = {{1000, "a thousand objects"},
                    {10000, "10 thousand"},
                    {100000, "100 thousand"},
                    {MILLION, "a million objects"}};

/* The workloads that create objects take turns in filling the dataset, each with its own objects. */
static void insert(const struct section *section, struct results *results, struct server *server,
                   struct dataset *data, unsigned wanted) {
    const struct setting *setting = setting_keep((struct setting){
        .section = section->name,
        .title = "new objects, up to a million",
        .objects = data->objects,
        .pipeline = PIPELINE,
    });
    struct lane lanes[16];
    size_t first = results->measurement_count, count = 0;
    for (size_t index = 0; index < family_count; index++) {
        for (size_t number = 0; number < families[index]->workload_count; number++) {
            const struct workload *workload = &families[index]->workloads[number];
            if (!(workload->traits & wanted)) continue;
            require(count < sizeof lanes / sizeof *lanes, "too many workloads insert");
            results_measure(results, setting, families[index], workload, INSERT_ROUNDS);
            lanes[count++] =
                lane_open(workload, data, dataset_empty_stock(data, workload), PIPELINE, CONNECTIONS);
        }
    }
    unsigned share = data->objects / INSERT_ROUNDS;
    for (unsigned round = 0; round < INSERT_ROUNDS; round++) {
        for (size_t index = 0; index < count; index++) {
            struct measurement *measurement = &results->measurements[first + index];
            struct meter meter = meter_start(server);
            lane_visit(&lanes[index], share);
            meter_stop(&meter, server, measurement, round, share);
        }
    }
    for (size_t index = 0; index < count; index++) lane_close(&lanes[index]);
}

static void judge(struct results *results, const struct setting *fewest, const struct setting *most) {
    for (size_t index = 0; index < results->measurement_count; index++) {
        const struct measurement *measurement = &results->measurements[index];
        const struct workload *workload = measurement->workload;
        if (measurement->setting != most || workload->flat_limit == 0) continue;
        struct spread growth = results_growth(results_find(results, fewest, workload->name), measurement);
        results_bar(results, print_text("%s with a million objects, to a thousand", workload->name),
                    growth.median, workload->flat_limit, "x");
    }
}

void growth_measure(const struct section *section, const struct options *options, struct results *results,
                    unsigned inserting, unsigned growing) {
    struct server *server = server_start(options, "");
    struct dataset *data[COUNTS];
    const struct setting *settings[COUNTS];
    for (unsigned index = 0; index < COUNTS; index++)
        data[index] = dataset_open(server, index, counts[index].objects, sizes[0].bytes);
    insert(section, results, server, data[COUNTS - 1], inserting);
    struct run run = run_open(server, options, results);
    for (unsigned index = 0; index < COUNTS; index++) {
        settings[index] = setting_keep((struct setting){
            .section = section->name,
            .title = counts[index].label,
            .objects = counts[index].objects,
            .pipeline = PIPELINE,
            .is_grown = true,
        });
        run_add(&run, settings[index], data[index], growing, 0);
    }
    run_measure(&run);
    judge(results, settings[0], settings[COUNTS - 1]);
    for (unsigned index = 0; index < COUNTS; index++) dataset_close(data[index]);
    server_stop(server);
}

void measure_growth(const struct section *section, const struct options *options, struct results *results) {
    growth_measure(section, options, results, INSERTS, GROWS);
}
