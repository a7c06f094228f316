/*
 * Tables, next to hashes and to scripts that compare a version: entities of ten properties.
 */
#include "tables.h"

#include "basics.h"
#include "entities.h"
#include "runner.h"

/* Written for the first time in each round: everything is made anew before it. */
static void renew(struct server *server, const struct dataset *data) {
    (void)data;
    server_tell(server, "FLUSHALL SYNC");
    server_tell(server, "TABLE.CREATE " TABLE);
    server_tell(server, "TABLE.CREATE " ONE_INDEX);
    server_tell(server, "TABLE.INDEX " ONE_INDEX " " FIRST_INDEX);
    server_tell(server, "TABLE.CREATE " FOUR_INDEXES);
    server_tell(server, "TABLE.INDEX " FOUR_INDEXES " " FIRST_INDEX " " MORE_INDEXES);
}

static void measure_ratio(const struct part *part, const char *title, unsigned wanted, bool is_new) {
    struct server *server = server_start(part->options, "");
    struct dataset *data = dataset_open(server, 0, sizes[0].objects, sizes[0].bytes);
    const struct setting *setting = part_setting(part, "10 properties", title, data->objects);
    struct run run = run_open(server, part->options, part->results);
    run.visits = is_new;
    run.renew = is_new ? renew : NULL;
    run_add(&run, setting, data, wanted, 0);
    run_measure(&run);
    judge_ratios(part->results, setting, 0);
    dataset_close(data);
    server_stop(server);
}

void measure_tables(const struct section *section, const struct options *options, struct results *results) {
    struct part part = part_of(section, options, results);
    measure_ratio(&part, "entities of 10 properties, pipeline 16", ENTITIES, false);
    measure_ratio(&part, "new entities of 10 properties, pipeline 16", NEW_ENTITIES, true);
    growth_measure(section, options, results, INSERTS_ENTITIES, GROWS_ENTITIES);
    struct million million = {.server = server_start(options, "")};
    million.data = dataset_open(million.server, 0, MILLION, sizes[0].bytes);
    measure_table_memory(&part, &million);
    measure_table_scans(&part, &million);
    measure_table_longest(&part, &million);
    dataset_close(million.data);
    server_stop(million.server);
}
