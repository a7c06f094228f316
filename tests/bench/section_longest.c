/*
 * The longest time for which a single command holds the server, with a million blobs in one container.
 */
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "sections.h"
#include "single.h"

enum { PAGES_AT_MOST = 25, SLOWLOG_US = 100, LONGEST_MS = 10 };

static const char *const commands[] = {
    "BLOB.LIST container COUNT 5000 INCLUDE 1 META",
    "BLOB.LIST container COUNT 5000 PREFIX 5",
    "BLOB.LIST container COUNT 5000 PREFIX 500/",
    "BLOB.LIST container COUNT 5000 PREFIX nothing",
    "BLOB.LIST container COUNT 5000 DELIMITER /",
    "BLOB.LIST container COUNT 5000 DELIMITER 9",
    "BLOB.LIST container COUNT 5000 PREFIX 5 DELIMITER 7",
    "CONTAINER.GET container",
    "CONTAINER.GETMETA container",
    "MEMORY USAGE container",
    "MEMORY USAGE container SAMPLES 0",
};

/* Page after page, as one reads a container. */
static double longest_page_ms(struct server *server) {
    char *command = print_text("BLOB.LIST container COUNT 5000");
    double longest = 0;
    for (int page = 0; page < PAGES_AT_MOST && command; page++) {
        redisReply *reply;
        longest = greater(longest, command_ms(server, command, &reply));
        require(reply->type == REDIS_REPLY_ARRAY && reply->elements == 2, "BLOB.LIST did not answer a page");
        const redisReply *marker = reply->element[0];
        free(command);
        command = marker->type == REDIS_REPLY_STRING
                      ? print_text("BLOB.LIST container COUNT 5000 MARKER %s", marker->str)
                      : NULL;
        freeReplyObject(reply);
    }
    free(command);
    return longest;
}

/* Visits that many objects. The processor time is seen batch by batch; since a batch may be accounted
   together with the next one, two neighbours count as one. */
static double visit_longest_ms(struct server *server, struct lane *lane, unsigned count) {
    int64_t longest_ns = 0, earlier = server_cpu_ns(server), before = earlier;
    slowlog_begin(server, SLOWLOG_US);
    for (unsigned visited = 0; visited < count; visited += lane->pipeline) {
        lane_visit(lane, lane->pipeline);
        int64_t now = server_cpu_ns(server);
        if (now - earlier > longest_ns) longest_ns = now - earlier;
        earlier = before;
        before = now;
    }
    return lesser((double)longest_ns / 1e6, slowlog_longest_ms(server, SLOWLOG_US));
}

static double insert_longest_ms(struct server *server, struct dataset *data) {
    const struct workload *workload = workload_named("BLOB.PUT");
    struct lane lane = lane_open(workload, data, dataset_empty_stock(data, workload), PIPELINE, 1);
    double longest = visit_longest_ms(server, &lane, data->objects);
    lane_close(&lane);
    return longest;
}

static double delete_longest_ms(struct server *server, struct dataset *data) {
    const struct workload *workload = workload_named("BLOB.DELETE");
    struct lane lane = lane_open(workload, data, NULL, PIPELINE, 1);
    double longest = visit_longest_ms(server, &lane, data->objects / 2);
    lane_close(&lane);
    return longest;
}

static void add(const struct section *section, struct results *results, const char *name, double ms,
                bool is_aside) {
    results_fact(results, (struct fact){section->name, name, ms, "ms", is_aside});
}

/* What ends a container is a bound of its own: the work grows with what is in it. */
static void measure_end(const struct section *section, const struct options *options, struct results *results,
                        const char *command) {
    struct server *server = server_start(options, "");
    struct dataset *data = dataset_open(server, 0, MILLION, sizes[0].bytes);
    dataset_stock(data, workload_named("BLOB.PUT"));
    add(section, results, command, command_ms(server, command, NULL), true);
    dataset_close(data);
    server_stop(server);
}

static void judge(const struct section *section, struct results *results) {
    const struct fact *longest = NULL;
    for (size_t index = 0; index < results->fact_count; index++) {
        const struct fact *fact = &results->facts[index];
        if (!text_is(fact->section, section->name) || fact->is_aside) continue;
        if (!longest || fact->value > longest->value) longest = fact;
    }
    if (longest)
        results_bar(results, print_text("longest command: %s", longest->name), longest->value, LONGEST_MS,
                    "ms");
}

void measure_longest(const struct section *section, const struct options *options, struct results *results) {
    struct server *server = server_start(options, "");
    struct dataset *data = dataset_open(server, 0, MILLION, sizes[0].bytes);
    add(section, results, "BLOB.PUT, a million times a new one", insert_longest_ms(server, data), false);
    add(section, results, "BLOB.LIST container COUNT 5000, page by page", longest_page_ms(server), false);
    for (size_t index = 0; index < sizeof commands / sizeof *commands; index++) {
        add(section, results, commands[index], longest_of_repeats_ms(server, commands[index]), false);
    }
    add(section, results, "BLOB.DELETE, half a million times", delete_longest_ms(server, data), false);
    dataset_close(data);
    server_stop(server);
    measure_end(section, options, results, "UNLINK container");
    measure_end(section, options, results, "CONTAINER.DELETE container");
    measure_end(section, options, results, "DEL container");
    judge(section, results);
}
