/* Blobs: all of a dataset's in one container. Writes keep the ETag that they are answered with, so a write
 * that depends on it can be mixed with others that do not. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ccan/array_size/array_size.h"
#include "measure.h"

static bool is_map(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)driver;
    (void)object;
    return reply->kind == '*' && reply->length >= 2 && reply->length % 2 == 0;
}

static const struct workload workloads[] = {
    {.name = "BLOB.PUT",
     .request = "BLOB.PUT container {name} {content}",
     .filler = "BLOB.PUT",
     .creates = "CONTAINER.CREATE container",
     .flat_limit = 1.3,
     .is_expected = is_token},
    {.name = "BLOB.PUT IFMATCH",
     .request = "BLOB.PUT container {name} {content} IFMATCH {token}",
     .filler = "BLOB.PUT",
     .flat_limit = 1.3,
     .is_expected = is_token},
    {.name = "BLOB.GET",
     .request = "BLOB.GET container {name}",
     .filler = "BLOB.PUT",
     .flat_limit = 1.3,
     .is_expected = is_etag_and_content},
    {.name = "BLOB.STAT",
     .request = "BLOB.STAT container {name}",
     .filler = "BLOB.PUT",
     .is_expected = is_map},
    {.name = "BLOB.DELETE", .request = "BLOB.DELETE container {name}", .is_expected = is_ok},
};

static const struct comparison comparisons[] = {
    {"BLOB.PUT", "SET", {1.25, 0, 0}},
    {"BLOB.PUT IFMATCH", "SET", {1.35, 1.15, 1.1}},
    {"BLOB.PUT IFMATCH", "Lua compare-and-set", {0.28, 0, 0}},
    {"BLOB.GET", "GET", {1.25, 1.1, 1.1}},
    {"BLOB.STAT", "GET", {0}},
    {"BLOB.STAT", "HGETALL of 11 fields", {1.2, 0, 0}},
};

const struct family blob_family = {
    .name = "blob",
    .workloads = workloads,
    .workload_count = ARRAY_SIZE(workloads),
    .comparisons = comparisons,
    .comparison_count = ARRAY_SIZE(comparisons),
};

/* --- What one would do without the module --- */

/* One hash per object. The caller brings the version that it has seen; the script counts
 * it up and answers the new one. */
static const char compare_and_set[] = "local version = redis.call('HGET', KEYS[1], 'version') "
                                      "if version ~= ARGV[1] then return redis.error_reply('PRECONDITION "
                                      "version is ' .. tostring(version)) end "
                                      "version = string.format('%018d', version + 1) "
                                      "redis.call('HSET', KEYS[1], 'version', version, 'value', ARGV[2]) "
                                      "return version";

enum { STAT_FIELDS = 11 };

static struct offsets string_offsets(const struct dataset *data) {
    return offsets_within(LARGE_STRING_BYTES, OFFSETS_APART, (unsigned)data->bytes);
}

static bool is_stat(struct driver *driver, unsigned object, const struct reply *reply) {
    (void)driver;
    (void)object;
    return reply->kind == '*' && reply->length == (size_t)2 * STAT_FIELDS;
}

static const struct workload native_workloads[] = {
    {.name = "PING", .request = "PING", .is_expected = is_ok},
    {.name = "SET", .request = "SET {name} {content}", .filler = "SET", .is_expected = is_ok},
    {.name = "GET", .request = "GET {name}", .filler = "SET", .is_expected = is_content},
    {.name = "HSET", .request = "HSET hash {name} {content}", .filler = "HSET", .is_expected = is_integer},
    {.name = "HGET", .request = "HGET hash {name}", .filler = "HSET", .is_expected = is_content},
    /* What BLOB.STAT answers of a blob, as a hash. */
    {.name = "HSET of 11 fields",
     .request =
         "HSET stat:{name} blob-type block etag 0x6AFE5F3F5CC20F52 last-modified 1795055424027 created "
         "1795055424027 content-length 100 content-type application/octet-stream snapshots 0 "
         "lease-state available lease-status unlocked meta {} length 7",
     .filler = "HSET of 11 fields",
     .is_expected = is_integer},
    {.name = "HGETALL of 11 fields",
     .request = "HGETALL stat:{name}",
     .filler = "HSET of 11 fields",
     .is_expected = is_stat},
    {.name = "HSET version value",
     .request = "HSET object:{name} version {token} value {content}",
     .filler = "HSET version value",
     .is_expected = is_integer},
    {.name = "Lua compare-and-set",
     .request = "EVALSHA {script} 1 object:{name} {token} {content}",
     .script = compare_and_set,
     .filler = "HSET version value",
     .is_expected = is_token},
    /* The strings that are appended to stand there already. */
    {.name = "APPEND", .request = "APPEND {name} {content}", .is_expected = is_integer},
    {.name = "APPEND, large string",
     .request = "APPEND " LARGE_STRING " {content}",
     .is_expected = is_integer},
    {.name = "GETRANGE",
     .request = "GETRANGE " LARGE_STRING " {offset} {last}",
     .is_expected = is_content,
     .offsets = string_offsets},
    {.name = "SETRANGE",
     .request = "SETRANGE " LARGE_STRING " {offset} {content}",
     .is_expected = is_integer,
     .offsets = string_offsets},
    {.name = "SETRANGE, whole string",
     .request = "SETRANGE {name} 0 {content}",
     .filler = "SET",
     .is_expected = is_integer},
};

static const struct comparison native_comparisons[] = {
    {"PING", "GET", {0}},
    {"HSET", "SET", {0}},
    {"HGET", "GET", {0}},
    {"Lua compare-and-set", "SET", {0}},
};

const struct family native_family = {
    .name = "native",
    .workloads = native_workloads,
    .workload_count = ARRAY_SIZE(native_workloads),
    .comparisons = native_comparisons,
    .comparison_count = ARRAY_SIZE(native_comparisons),
};

/* --- Next to native commands --- */

/* The main comparison: every workload, with each size of content, one request at a time and 16 at a time. */

/* Measured with the smallest content; and those whose cost depends on the size, measured with each. */
static const char *const smallest_workloads[] = {"PING",      "SET",
                                                 "GET",       "HSET",
                                                 "HGET",      "Lua compare-and-set",
                                                 "BLOB.PUT",  "BLOB.PUT IFMATCH",
                                                 "BLOB.GET",  "HGETALL of 11 fields",
                                                 "BLOB.STAT", NULL};
static const char *const sized_workloads[] = {
    "SET", "GET", "Lua compare-and-set", "BLOB.PUT", "BLOB.PUT IFMATCH", "BLOB.GET", "BLOB.STAT", NULL};

static void measure_size(const struct context *context, struct server *server, unsigned size) {
    static const unsigned pipelines[] = {1, PIPELINE};
    struct dataset *data = dataset_open(server, size, sizes[size].objects, sizes[size].bytes);
    for (size_t i = 0; i < ARRAY_SIZE(pipelines); i++) {
        const struct setting *setting = setting_keep((struct setting){
            .section = context->section->name,
            .subject = context->section->subject,
            .title = format_text("%s, pipeline %u", sizes[size].label, pipelines[i]),
            .label = sizes[size].label,
            .size = size,
            .objects = data->objects,
            .pipeline = pipelines[i],
        });
        struct run run = run_open(server, context->options, context->results);
        run_add(&run, setting, data, size ? sized_workloads : smallest_workloads);
        run_measure(&run);
        if (setting->pipeline == PIPELINE) add_ratio_bars(context->results, setting, NULL);
    }
    dataset_close(data);
}

void measure_ratios(const struct context *context) {
    struct server *server = server_start(context->options, "");
    for (unsigned size = 0; size < SIZES; size++) measure_size(context, server, size);
    server_stop(server);
}

/* --- From a thousand to a million objects --- */

void measure_growth(const struct context *context) {
    static const char *const inserting[] = {"SET", "BLOB.PUT", NULL};
    static const char *const growing[] = {"SET", "GET", "BLOB.PUT", "BLOB.PUT IFMATCH", "BLOB.GET", NULL};
    growth_measure(context, inserting, growing);
}

/* --- The longest commands --- */

/* The longest time for which a single command holds the server, with a million blobs in one container. */

enum { PAGES_MAX = 25, SLOWLOG_US = 100, LONGEST_MS = 10 };

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
    char *command = format_text("BLOB.LIST container COUNT 5000");
    double longest = 0;
    for (int page = 0; page < PAGES_MAX && command; page++) {
        redisReply *reply;
        longest = greater(longest, command_ms(server, command, &reply));
        require(reply->type == REDIS_REPLY_ARRAY && reply->elements == 2, "BLOB.LIST did not answer a page");
        const redisReply *marker = reply->element[0];
        free(command);
        command = marker->type == REDIS_REPLY_STRING
                      ? format_text("BLOB.LIST container COUNT 5000 MARKER %s", marker->str)
                      : NULL;
        freeReplyObject(reply);
    }
    free(command);
    return longest;
}

/* Visits that many objects. The processor time is seen batch by batch; since a batch may be accounted
   together with the next one, two neighbours count as one. */
static double visit_longest_ms(struct server *server, struct driver *driver, unsigned count) {
    int64_t longest_ns = 0, earlier = server_cpu_ns(server), before = earlier;
    slowlog_begin(server, SLOWLOG_US);
    for (unsigned visited = 0; visited < count; visited += driver->pipeline) {
        driver_visit(driver, driver->pipeline);
        int64_t now = server_cpu_ns(server);
        if (now - earlier > longest_ns) longest_ns = now - earlier;
        earlier = before;
        before = now;
    }
    return lesser((double)longest_ns / 1e6, slowlog_longest_ms(server, SLOWLOG_US));
}

static double insert_longest_ms(struct server *server, struct dataset *data) {
    const struct workload *workload = workload_named("BLOB.PUT");
    struct driver driver = driver_open(workload, data, dataset_prepare(data, workload), PIPELINE, 1);
    double longest = visit_longest_ms(server, &driver, data->objects);
    driver_close(&driver);
    return longest;
}

static double delete_longest_ms(struct server *server, struct dataset *data) {
    const struct workload *workload = workload_named("BLOB.DELETE");
    struct driver driver = driver_open(workload, data, NULL, PIPELINE, 1);
    double longest = visit_longest_ms(server, &driver, data->objects / 2);
    driver_close(&driver);
    return longest;
}

static void add_duration_fact(const struct context *context, const char *name, double ms, bool is_aside) {
    results_fact(context->results, (struct fact){context->section->name, name, ms, "ms", is_aside});
}

/* Dropping a container has no bar: the work grows with the number of blobs in it. */
static void measure_end(const struct context *context, const char *command) {
    struct server *server = server_start(context->options, "");
    struct dataset *data = dataset_open(server, 0, MILLION, sizes[0].bytes);
    dataset_fill(data, workload_named("BLOB.PUT"));
    add_duration_fact(context, command, command_ms(server, command, NULL), true);
    dataset_close(data);
    server_stop(server);
}

static void add_longest_bar(const struct context *context) {
    const struct fact *longest = NULL;
    for (size_t i = 0; i < context->results->fact_count; i++) {
        const struct fact *fact = &context->results->facts[i];
        if (!text_is(fact->section, context->section->name) || fact->is_aside) continue;
        if (!longest || fact->value > longest->value) longest = fact;
    }
    if (longest)
        results_bar(context->results, ABOUT_PAUSES, format_text("longest command: %s", longest->name),
                    longest->value, LONGEST_MS, "ms");
}

void measure_longest(const struct context *context) {
    struct server *server = server_start(context->options, "");
    struct dataset *data = dataset_open(server, 0, MILLION, sizes[0].bytes);
    add_duration_fact(context, "BLOB.PUT, a million times a new one", insert_longest_ms(server, data), false);
    add_duration_fact(context, "BLOB.LIST container COUNT 5000, page by page", longest_page_ms(server),
                      false);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        add_duration_fact(context, commands[i], longest_of_repeats_ms(server, commands[i]), false);
    add_duration_fact(context, "BLOB.DELETE, half a million times", delete_longest_ms(server, data), false);
    dataset_close(data);
    server_stop(server);
    measure_end(context, "UNLINK container");
    measure_end(context, "CONTAINER.DELETE container");
    measure_end(context, "DEL container");
    add_longest_bar(context);
}

/* --- Writes with an append-only file and a replica --- */

/* Writes on a server alone, with an append-only file, and with a replica; with a thousand objects and with many. */

enum { LINK_SECONDS = 30 };
enum propagation { ALONE, AN_AOF, A_REPLICA, ON_THE_REPLICA, PROPAGATIONS };

/* A thousand objects lie in the first caches of a processor, 50,000 in the last one, if that is
 * large; with more, memory decides. */
enum { THOUSAND, MANY, MOST, COUNTS };
static const struct {
    unsigned objects;
    const char *label;
} write_counts[COUNTS] = {{1000, "1,000"}, {50000, "50,000"}, {500000, "500,000"}};

/* By the number of objects, and by what is written to. */
static const struct {
    const char *workload, *against;
    double limits[COUNTS][PROPAGATIONS]; /* 0 for none */
} write_bars[] = {
    {"BLOB.PUT", "SET", {{1.25, 1.25, 1.2, 1.05}, {0.8, 0.95, 0, 0}, {0.8, 0, 0, 0}}},
    {"BLOB.PUT IFMATCH", "SET", {{1.35, 1.35, 1.35, 0}, {0.85, 1.0, 0, 0}, {0.85, 0, 0, 0}}},
    {"BLOB.PUT IFMATCH", "Lua compare-and-set", {{0.28, 0.4, 0, 0}, {0.28, 0.4, 0, 0}, {0.28, 0, 0, 0}}},
};

static const char *const workloads_written[] = {"SET", "Lua compare-and-set", "BLOB.PUT", "BLOB.PUT IFMATCH",
                                                NULL};

static void add_write_bars(struct results *results, const struct setting *setting, int count,
                           enum propagation propagation) {
    struct compared compared;
    for (size_t cursor = 0; results_compare(results, setting, &cursor, &compared);) {
        for (size_t bar = 0; bar < ARRAY_SIZE(write_bars); bar++) {
            double limit = write_bars[bar].limits[count][propagation];
            if (limit == 0 || !text_is(compared.comparison->workload, write_bars[bar].workload) ||
                !text_is(compared.comparison->against, write_bars[bar].against))
                continue;
            results_ratio_bar(
                results, &compared,
                format_text("%s / %s, %s", write_bars[bar].workload, write_bars[bar].against, setting->label),
                limit);
        }
    }
}

static const struct {
    const char *title;
    enum subject subject;
} propagations[PROPAGATIONS] = {{"alone", ABOUT_SMALL_CALLS},
                                {"AOF", ABOUT_AOF},
                                {"one replica", ABOUT_REPLICAS},
                                {"on the replica", ABOUT_REPLICAS}};

/* What counts is the time of the server that is measured: the one that is written to, or its replica. */
static void measure_writes(const struct context *context, struct server *server, struct server *replica,
                           enum propagation propagation) {
    for (int count = 0; count < (propagation == ALONE ? COUNTS : MOST); count++) {
        struct dataset *data = dataset_open(server, (unsigned)(replica ? COUNTS + count : count),
                                            write_counts[count].objects, sizes[0].bytes);
        const struct setting *setting = setting_keep((struct setting){
            .section = context->section->name,
            .title = format_text("100 B, pipeline %d, %s objects, %s", PIPELINE, write_counts[count].label,
                                 propagations[propagation].title),
            .label =
                format_text("%s objects, %s", write_counts[count].label, propagations[propagation].title),
            .subject = propagations[propagation].subject,
            .objects = data->objects,
            .pipeline = PIPELINE,
        });
        struct run run = run_open(replica ? replica : server, context->options, context->results);
        run.primary = replica ? server : NULL;
        run_add(&run, setting, data, workloads_written);
        dataset_shuffle(data, write_counts[count].objects);
        run_measure(&run);
        add_write_bars(context->results, setting, count, propagation);
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

void measure_effects(const struct context *context) {
    struct server *server = server_start(context->options, "");
    measure_writes(context, server, NULL, ALONE);
    server_stop(server);

    server = server_start(context->options, WITH_AOF);
    server_tell(server, "BARE.SEND");
    measure_writes(context, server, NULL, AN_AOF);
    server_stop(server);

    server = server_start(context->options, "");
    char *settings = format_text("replicaof 127.0.0.1 %d\n", server_listen(server));
    struct server *replica = server_start_beside(context->options, settings);
    free(settings);
    await_link(replica);
    server_tell(server, "BARE.SEND");
    measure_writes(context, server, NULL, A_REPLICA);
    measure_writes(context, server, replica, ON_THE_REPLICA);
    server_stop(replica);
    server_stop(server);
}
