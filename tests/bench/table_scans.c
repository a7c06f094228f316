/*
 * Filters that no plan helps: what it costs to compare a property of each of a million entities, in processor time of
 * the server.
 */
#include "basics.h"
#include "entities.h"
#include "runner.h"
#include "table_walk.h"
#include "tables.h"

enum { WALKS = 9, WALKS_QUICK = 3 };
enum { COMPARISON_NS = 500 }; /* two million a second */

/* No entity fits, and each has to be compared as often. */
static const struct scan {
    const char *workload;
    unsigned comparisons;
    double limit_ns;
    struct ask ask;
} scans[] = {
    {"a comparison", 1, COMPARISON_NS, {{TABLE, "FILTER", "quantity eq 7"}}},
    {"a comparison of three", 3, 0, {{TABLE, "FILTER", "quantity eq 7 or status eq 'lost' or total lt 0L"}}},
};
enum { SCANS = sizeof scans / sizeof *scans };

static void walk_measure(const struct million *million, const struct scan *scan,
                         struct measurement *measurement, unsigned round) {
    struct table_walk walk = table_walk(&scan->ask);
    struct meter meter = meter_start(million->server);
    while (!walk.has_ended) table_walk_on(&walk, million->server);
    meter_stop(&meter, million->server, measurement, round,
               (double)million->data->objects * scan->comparisons);
    require(!walk.rows, "%s: nothing should fit", scan->workload);
}

void measure_table_scans(const struct part *part, const struct million *million) {
    unsigned rounds = part->is_quick ? WALKS_QUICK : WALKS;
    const struct setting *setting = part_setting(
        part, "scan", "scans of a million entities, for each comparison", million->data->objects);
    size_t first = part->results->measurement_count;
    for (unsigned index = 0; index < SCANS; index++)
        results_measure(part->results, setting, &table_family, workload_named(scans[index].workload), rounds);
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned index = 0; index < SCANS; index++)
            walk_measure(million, &scans[index], &part->results->measurements[first + index], round);
    }
    for (unsigned index = 0; index < SCANS; index++) {
        const struct scan *scan = &scans[index];
        const struct measurement *measurement = &part->results->measurements[first + index];
        double ns = spread_of(measurement->cpu_ns, rounds).median;
        part_tell(part, print_text("scan, %s: comparisons a second", scan->workload), 1e3 / ns, "million");
        if (scan->limit_ns > 0)
            results_bar(part->results, print_text("scan of a million entities, %s", scan->workload), ns,
                        scan->limit_ns, "ns");
    }
}
