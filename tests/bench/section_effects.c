/*
 * Writes when nobody listens, when their effects go into an append-only file, and when they go to a replica; with a thousand
 * objects and with many.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basics.h"
#include "runner.h"
#include "sections.h"

enum { LINK_SECONDS = 30 };
enum audience { ALONE, AN_AOF, A_REPLICA, AUDIENCES };

/* With a thousand objects all lie in the cache of the processor; with more, memory decides. */
enum { THOUSAND, MANY, COUNTS };
static const struct {
    unsigned objects;
    const char *label;
} counts[COUNTS] = {{1000, "1,000"}, {50000, "50,000"}};

/* By the number of objects, and by who listens. */
static const struct {
    const char *workload, *against;
    double limits[COUNTS][AUDIENCES]; /* 0 for none */
} bars[] = {
    {"BLOB.PUT", "SET", {{1.25, 1.25, 1.2}, {0.8, 0.95, 0}}},
    {"BLOB.PUT IFMATCH", "SET", {{1.35, 1.35, 1.35}, {0.85, 1.0, 0}}},
    {"BLOB.PUT IFMATCH", "Lua compare-and-set", {{0.28, 0.4, 0}, {0.28, 0.4, 0}}},
};

static void judge(struct results *results, const struct setting *setting, int count, enum audience audience) {
    struct compared compared;
    for (size_t cursor = 0; results_compare(results, setting, &cursor, &compared);) {
        for (size_t bar = 0; bar < sizeof bars / sizeof *bars; bar++) {
            double limit = bars[bar].limits[count][audience];
            if (limit == 0 || !text_is(compared.comparison->workload, bars[bar].workload) ||
                !text_is(compared.comparison->against, bars[bar].against))
                continue;
            results_bar(results,
                        print_text("%s, %s, to %s", setting->label, bars[bar].workload, bars[bar].against),
                        compared.ratio.median, limit, "x");
        }
    }
}

static void measure_writes(const struct section *section, const struct options *options,
                           struct results *results, struct server *server, enum audience audience) {
    static const char *const listeners[AUDIENCES] = {"nobody listens", "append-only file", "one replica"};
    for (int count = 0; count < COUNTS; count++) {
        struct dataset *data = dataset_open(server, (unsigned)count, counts[count].objects, sizes[0].bytes);
        const struct setting *setting = setting_keep((struct setting){
            .section = section->name,
            .title = print_text("100 B, pipeline %d, %s objects, %s", PIPELINE, counts[count].label,
                                listeners[audience]),
            .label = print_text("%s objects, %s", counts[count].label, listeners[audience]),
            .objects = data->objects,
            .pipeline = PIPELINE,
        });
        struct run run = run_open(server, options, results);
        run_add(&run, setting, data, REPLICATED, 0);
        run_measure(&run);
        judge(results, setting, count, audience);
        dataset_close(data);
    }
}

static void await_link(struct server *replica) {
    for (int attempt = 0; attempt < LINK_SECONDS * 100; attempt++) {
        char *status = server_info(replica, "master_link_status");
        bool is_up = text_is(status, "up");
        free(status);
        if (is_up) return;
        usleep(10000);
    }
    give_up("the replica does not come up");
}

void measure_effects(const struct section *section, const struct options *options, struct results *results) {
    struct server *server = server_start(options, "");
    measure_writes(section, options, results, server, ALONE);
    server_stop(server);

    /* A rewrite in the middle would be measured as if it were the writers'. */
    server = server_start(options, "appendonly yes\nappendfsync everysec\nauto-aof-rewrite-percentage 0\n");
    measure_writes(section, options, results, server, AN_AOF);
    server_stop(server);

    server = server_start(options, "");
    char *settings = print_text("replicaof 127.0.0.1 %d\n", server_listen(server));
    struct server *replica = server_start(options, settings);
    free(settings);
    await_link(replica);
    measure_writes(section, options, results, server, A_REPLICA);
    server_stop(replica);
    server_stop(server);
}
