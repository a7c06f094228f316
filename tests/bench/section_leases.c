/*
 * Locks and leases that nobody waits for, next to what client libraries build of SET NX PX and scripts.
 */
#include "basics.h"
#include "locks.h"
#include "runner.h"
#include "sections.h"

void measure_leases(const struct section *section, const struct options *options, struct results *results) {
    struct server *server = server_start(options, HOLD_FOR_LONG);
    struct dataset *data = dataset_open(server, 0, sizes[0].objects, sizes[0].bytes);
    const struct setting *setting = setting_keep((struct setting){
        .section = section->name,
        .title = print_text("%s, pipeline %d", sizes[0].label, PIPELINE),
        .label = sizes[0].label,
        .objects = data->objects,
        .pipeline = PIPELINE,
    });
    struct run run = run_open(server, options, results);
    run_add(&run, setting, data, LOCKING, 0);
    run_measure(&run);
    judge_ratios(results, setting, APART);
    dataset_close(data);
    server_stop(server);
}
