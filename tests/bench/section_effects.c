/*
 * Writes when somebody listens: their effects go into an append-only file, or to a replica.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "basics.h"
#include "runner.h"
#include "sections.h"

enum { LINK_SECONDS = 30 };

static void measure_writes(const struct section *section, const struct options *options,
                           struct results *results, struct server *server, const char *listener) {
    struct dataset *data = dataset_open(server, 0, sizes[0].objects, sizes[0].bytes);
    const struct setting *setting = setting_keep((struct setting){
        .section = section->name,
        .title = print_text("100 B, pipeline %d, %s", PIPELINE, listener),
        .objects = data->objects,
        .pipeline = PIPELINE,
    });
    struct run run = run_open(server, options, results);
    run_add(&run, setting, data, REPLICATED, 0);
    run_measure(&run);
    dataset_close(data);
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
    /* A rewrite in the middle would be measured as if it were the writers'. */
    struct server *server =
        server_start(options, "appendonly yes\nappendfsync everysec\nauto-aof-rewrite-percentage 0\n");
    measure_writes(section, options, results, server, "append-only file, fsync every second");
    server_stop(server);

    server = server_start(options, "");
    char *settings = print_text("replicaof 127.0.0.1 %d\n", server_listen(server));
    struct server *replica = server_start(options, settings);
    free(settings);
    await_link(replica);
    measure_writes(section, options, results, server, "one replica");
    server_stop(replica);
    server_stop(server);
}
