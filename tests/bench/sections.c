#include "sections.h"

#include <string.h>

#include "basics.h"

const struct section sections[] = {
    {"ratios", "processor time per operation, next to native commands", measure_ratios},
    {"growth", "from a thousand to a million objects", measure_growth},
    {"memory", "bytes per object, a million objects of 100 bytes with names of 16", measure_memory},
    {"longest", "the longest single commands, a million blobs in one container", measure_longest},
    {"effects", "alone, with an append-only file, and with a replica; a thousand objects and many",
     measure_effects},
    {"leases", "locks and leases, next to SET NX PX and scripts", measure_leases},
    {"handover", "one lease through long lines of waiters", measure_handover},
    {"endings", "a hundred thousand leases that end together", measure_endings},
    {"idle", "a million leases and nothing to do", measure_idle},
    {"kinds", "large blobs, next to small ones and to strings; snapshots and copies of them", measure_kinds},
    {"queues", "queues, next to streams and to queues made of scripts", measure_queues},
    {"tables", "tables, next to hashes and scripts; filters, indexes", measure_tables},
    {"files", "files, next to strings, and to locks of SET NX PX and scripts", measure_files},
    {"mixed", "a PING beside all families, while the server saves and rewrites", measure_mixed},
    {"passing", "one lock and twenty clients: asking again and again, or waiting in line", measure_passing},
};
const size_t section_count = sizeof sections / sizeof *sections;

const struct workload *workload_named(const char *name) {
    for (size_t index = 0; index < family_count; index++) {
        for (size_t number = 0; number < families[index]->workload_count; number++) {
            const struct workload *workload = &families[index]->workloads[number];
            if (text_is(workload->name, name)) return workload;
        }
    }
    give_up("there is no workload '%s'", name);
}
