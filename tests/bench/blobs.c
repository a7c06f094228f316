/* Blobs: all of a dataset's in one container. Writes keep the ETag that they are answered with, so a write
 * that depends on it can be mixed with others that do not. */
#include <stdlib.h>
#include <string.h>

#include "measure.h"

static bool is_map(const struct answer *answer) {
    return answer->reply.kind == '*' && answer->reply.length >= 2 && answer->reply.length % 2 == 0;
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

const struct family blob_family = FAMILY("blob", workloads, comparisons);

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

static bool is_stat(const struct answer *answer) {
    return is_array_of(answer, (size_t)2 * STAT_FIELDS);
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

const struct family native_family = FAMILY("native", native_workloads, native_comparisons);

/* --- Next to native commands --- */

/* The main comparison: each size of content, one request at a time and 16 at a time. Workloads whose cost does not depend
 * on the size are measured with the smallest one only. */
static void measure_size(struct fixture fixture, unsigned size) {
    static const unsigned pipelines[] = {1, PIPELINE};
    fixture.data = dataset_open(fixture.server, size, sizes[size].objects, sizes[size].bytes);
    for (size_t i = 0; i < ARRAY_SIZE(pipelines); i++)
        workloads_measure(
            &fixture,
            (struct setting){.title = format_text("%s, pipeline %u", sizes[size].label, pipelines[i]),
                             .label = sizes[size].label,
                             .size = size,
                             .pipeline = pipelines[i]},
            size ? "SET; GET; Lua compare-and-set; BLOB.PUT; BLOB.PUT IFMATCH; BLOB.GET; BLOB.STAT"
                 : "PING; SET; GET; HSET; HGET; Lua compare-and-set; BLOB.PUT; BLOB.PUT IFMATCH; BLOB.GET; "
                   "HGETALL of 11 fields; BLOB.STAT");
    dataset_close(fixture.data);
}

void measure_ratios(const struct context *context) {
    struct fixture fixture = fixture_open(context, "", 0, 0);
    for (unsigned size = 0; size < SIZES; size++) measure_size(fixture, size);
    fixture_close(&fixture);
}

/* --- From a thousand to a million objects --- */

void measure_growth(const struct context *context) {
    growth_measure(context, "SET; BLOB.PUT", "SET; GET; BLOB.PUT; BLOB.PUT IFMATCH; BLOB.GET");
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

/* Visits that many objects. The processor time is seen batch by batch; since a batch may be accounted together with the
 * next one, two neighbours count as one. */
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

static double workload_longest_ms(const struct fixture *fixture, const char *name, unsigned count) {
    const struct workload *workload = workload_named(name);
    struct object_set *object_set = workload->filler ? dataset_prepare(fixture->data, workload) : NULL;
    struct driver driver = driver_open(workload, fixture->data, object_set, PIPELINE, 1);
    double longest = visit_longest_ms(fixture->server, &driver, count);
    driver_close(&driver);
    return longest;
}

/* To remove a container has no bar: the work grows with the number of blobs in it. */
static void measure_removal(const struct context *context, const char *command) {
    struct fixture fixture = fixture_open(context, "", MILLION, sizes[0].bytes);
    dataset_fill(fixture.data, workload_named("BLOB.PUT"));
    add_fact(context, command, command_ms(fixture.server, command, NULL), "ms");
    fixture_close(&fixture);
}

void measure_longest(const struct context *context) {
    struct fixture fixture = fixture_open(context, "", MILLION, sizes[0].bytes);
    struct longest longest = {.ms = 0};
    longest_add(context, &longest, "BLOB.PUT, a million times a new one",
                workload_longest_ms(&fixture, "BLOB.PUT", MILLION));
    longest_add(context, &longest, "BLOB.LIST container COUNT 5000, page by page",
                longest_page_ms(fixture.server));
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        longest_add(context, &longest, commands[i], longest_of_repeats_ms(fixture.server, commands[i]));
    longest_add(context, &longest, "BLOB.DELETE, half a million times",
                workload_longest_ms(&fixture, "BLOB.DELETE", MILLION / 2));
    fixture_close(&fixture);
    measure_removal(context, "UNLINK container");
    measure_removal(context, "CONTAINER.DELETE container");
    measure_removal(context, "DEL container");
    results_add_bar(context->results, ABOUT_PAUSES, format_text("longest command: %s", longest.name),
                    longest.ms, LONGEST_MS, "ms");
}

/* --- Writes with an append-only file and a replica --- */

/* Writes on a server alone, with an append-only file, and with a replica; with a thousand objects and with many. */

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

static void add_write_bars(struct results *results, const struct setting *setting, int count,
                           enum propagation propagation) {
    struct compared compared;
    for (size_t cursor = 0; results_compare(results, setting, &cursor, &compared);) {
        for (size_t bar = 0; bar < ARRAY_SIZE(write_bars); bar++) {
            if (text_is(compared.comparison->workload, write_bars[bar].workload) &&
                text_is(compared.comparison->against, write_bars[bar].against))
                results_add_ratio_bar(results, &compared, write_bars[bar].limits[count][propagation]);
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
    for (int count = 0; count < (propagation == TO_NOBODY ? COUNTS : MOST); count++) {
        struct dataset *data = dataset_open(server, (unsigned)(replica ? COUNTS + count : count),
                                            write_counts[count].objects, sizes[0].bytes);
        const char *label =
            format_text("%s objects, %s", write_counts[count].label, propagations[propagation].title);
        const struct setting *setting = context_setting(
            context, (struct setting){.title = format_text("100 B, pipeline %d, %s", PIPELINE, label),
                                      .label = label,
                                      .subject = propagations[propagation].subject,
                                      .objects = data->objects});
        struct run run = {
            .context = context, .server = replica ? replica : server, .primary = replica ? server : NULL};
        run_add(&run, setting, data, "SET; Lua compare-and-set; BLOB.PUT; BLOB.PUT IFMATCH");
        dataset_shuffle(data, write_counts[count].objects);
        run_measure(&run);
        add_write_bars(context->results, setting, count, propagation);
        dataset_close(data);
    }
}

void measure_effects(const struct context *context) {
    struct server *server = server_start(context->options, "");
    measure_writes(context, server, NULL, TO_NOBODY);
    server_stop(server);

    server = server_start(context->options, WITH_AOF);
    server_tell(server, "BARE.SEND");
    measure_writes(context, server, NULL, TO_A_FILE);
    server_stop(server);

    server = server_start(context->options, "");
    struct server *replica = replica_launch(context->options, "", server, become_other);
    server_tell(server, "BARE.SEND");
    measure_writes(context, server, NULL, TO_A_REPLICA);
    measure_writes(context, server, replica, ON_A_REPLICA);
    server_stop(replica);
    server_stop(server);
}
