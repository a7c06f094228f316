/* A large blob that is copied from another server: how long that takes, next to a client that reads a
 * string of as many bytes there and sets it here; how long others wait at both servers meanwhile; memory
 * that it takes besides the blob. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "processes.h"

enum { COPIED_MB = 500, COPIED_MB_QUICK = 64, ROUNDS = 3, LOOK_US = 2000 };
enum {
    TIME_MAX = 2,
    BESIDES_MB = 16,
    PING_P99_MS = 3,
    LONGEST_MS = 10,
    PING_US = 500,
    PINGS_MAX = 1 << 20,
    LOOKS_MAX = 10000
};

/* The servers, the connections to them that a client would use, and how much is copied. */
struct route {
    struct server *source, *target;
    struct connection *from, *to;
    int source_port;
    unsigned mb;
};

static void source_fill(const struct route *route) {
    char *piece = allocate_letters(MEGABYTE);
    server_tell(route->source, "CONTAINER.CREATE c");
    server_tell(route->source, "BLOB.CREATEAPPEND c whole");
    for (unsigned i = 0; i < route->mb; i++)
        server_tell(route->source, "BLOB.APPEND c whole %b", piece, (size_t)MEGABYTE);
    server_tell(route->source, "SETRANGE string %u x", route->mb * MEGABYTE - 1);
    free(piece);
}

static struct route route_open(const struct context *context) {
    struct route route = {.mb = context->is_quick ? COPIED_MB_QUICK : COPIED_MB};
    route.target = server_start(context->options, "");
    route.source = server_launch(context->options, "", become_other);
    route.source_port = server_listen(route.source);
    route.from = connection_open_large(route.source, (size_t)(route.mb + 1) * MEGABYTE);
    route.to = connection_open(route.target, 0);
    server_tell(route.target, "CONFIG SET holdfast.copy-from 127.0.0.1:%d", route.source_port);
    server_tell(route.target, "CONTAINER.CREATE c");
    source_fill(&route);
    return route;
}

static void route_close(const struct route *route) {
    connection_close(route->from);
    connection_close(route->to);
    server_stop(route->target);
    server_stop(route->source);
}

static void copy_begin(const struct route *route) {
    server_tell(route->target, "BLOB.COPY c copy c whole FROM 127.0.0.1 %d", route->source_port);
}

/* How far a copy is, and what the target uses at that moment. */
struct progress {
    bool is_over;
    double done; /* bytes */
    int64_t used_memory;
};

static const char *field_of(const redisReply *map, const char *name) {
    for (size_t i = 0; i + 1 < map->elements; i += 2)
        if (text_is(map->element[i]->str, name)) return map->element[i + 1]->str;
    give_up("BLOB.STAT has no %s", name);
}

static redisReply *next_reply(const struct route *route) {
    redisReply *reply = NULL;
    require(redisGetReply(route->target->context, (void **)&reply) == REDIS_OK && reply,
            "the target is gone");
    return reply;
}

/* Both questions are answered in one go. Ends the bench when the copy has failed. */
static struct progress progress_of(const struct route *route) {
    redisAppendCommand(route->target->context, "BLOB.STAT c copy");
    redisAppendCommand(route->target->context, "INFO memory");
    redisReply *stat = next_reply(route), *info = next_reply(route);
    size_t length;
    const char *status = field_of(stat, "copy-status");
    const char *used = info_value(info->str, "used_memory", &length);
    bool is_pending = text_is(status, "pending");
    require(used && (is_pending || text_is(status, "success")), "the copy is '%s'", status);
    struct progress progress = {.is_over = !is_pending,
                                .done = strtod(field_of(stat, "copy-progress"), NULL),
                                .used_memory = strtoll(used, NULL, 10)};
    freeReplyObject(stat);
    freeReplyObject(info);
    return progress;
}

static bool is_copied(const struct route *route) {
    return progress_of(route).is_over;
}

static double copy_seconds(const struct route *route) {
    int64_t before_ns = monotonic_ns();
    copy_begin(route);
    while (!is_copied(route)) usleep(LOOK_US);
    double seconds = (double)(monotonic_ns() - before_ns) / 1e9;
    server_tell(route->target, "BLOB.DELETE c copy");
    return seconds;
}

/* As fast as a client can: the bytes are sent from where they were received. */
static double get_set_seconds(const struct route *route) {
    int64_t before_ns = monotonic_ns();
    struct reply got = connection_call(route->from, "GET string");
    char *head = format_text("*3\r\n$3\r\nSET\r\n$6\r\nstring\r\n$%zu\r\n", got.length);
    connection_send(route->to, head, strlen(head));
    connection_send(route->to, got.text, got.length);
    connection_send(route->to, "\r\n", 2);
    connection_receive(route->to, "SET");
    double seconds = (double)(monotonic_ns() - before_ns) / 1e9;
    free(head);
    server_tell(route->target, "DEL string");
    return seconds;
}

static void measure_rate(const struct context *context, const struct route *route) {
    double copy[ROUNDS], get_set[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        copy[round] = copy_seconds(route);
        get_set[round] = get_set_seconds(route);
    }
    add_fact(context, format_text("BLOB.COPY FROM of %u MB", route->mb), spread_of(copy, ROUNDS).median, "s");
    add_fact(context, format_text("GET and SET of %u MB", route->mb), spread_of(get_set, ROUNDS).median, "s");
    add_bar(context, ABOUT_COPIES, format_text("BLOB.COPY FROM of %u MB / GET and SET, time", route->mb),
            spread_of_ratios(copy, get_set, ROUNDS).median, TIME_MAX, "x");
}

/* --- What others notice --- */

/* Elapsed time: what the copy's own thread takes from the others counts. */
struct pings {
    struct server *server;
    double *ms;
    size_t count;
};

static void pings_add(struct pings *pings) {
    int64_t before_ns = monotonic_ns();
    server_tell(pings->server, "PING");
    pings->ms[pings->count++] = (double)(monotonic_ns() - before_ns) / 1e6;
}

static void add_ping_bars(const struct context *context, const struct route *route, struct pings *pings,
                          const char *where) {
    add_bar(context, ABOUT_COPIES,
            format_text("while %u MB are copied: PING of the %s, p99", route->mb, where),
            percentile(pings->ms, pings->count, 0.99), PING_P99_MS, "ms");
    add_pause_bar(context, format_text("while %u MB are copied: longest PING of the %s", route->mb, where),
                  pings->ms[pings->count - 1], LONGEST_MS);
    free(pings->ms);
}

static void measure_others(const struct context *context, const struct route *route) {
    struct pings source = {.server = route->source, .ms = allocate(PINGS_MAX, sizeof(double))};
    struct pings target = {.server = route->target, .ms = allocate(PINGS_MAX, sizeof(double))};
    for (int round = 0; round < ROUNDS; round++) {
        copy_begin(route);
        do {
            pings_add(&source);
            pings_add(&target);
            usleep(PING_US);
        } while (!is_copied(route) && target.count < PINGS_MAX);
        server_tell(route->target, "BLOB.DELETE c copy");
    }
    add_ping_bars(context, route, &source, "source");
    add_ping_bars(context, route, &target, "target");
}

/* What is there of the blob at each moment does not count. */
static void measure_memory_besides(const struct context *context, const struct route *route) {
    static struct progress looks[LOOKS_MAX];
    int64_t before = server_memory(route->target);
    size_t count = 0;
    copy_begin(route);
    do {
        looks[count] = progress_of(route);
        usleep(LOOK_US);
    } while (!looks[count++].is_over && count < LOOKS_MAX);
    server_settle();
    double blob = (double)(progress_of(route).used_memory - before), total = (double)route->mb * MEGABYTE,
           besides = 0;
    for (size_t i = 0; i < count; i++)
        besides = greater(besides, (double)(looks[i].used_memory - before) - blob * looks[i].done / total);
    add_bar(context, ABOUT_COPIES, "memory of a copy besides the blob", besides / MEGABYTE, BESIDES_MB,
            "MiB");
    server_tell(route->target, "BLOB.DELETE c copy");
}

void measure_copies(const struct context *context) {
    struct route route = route_open(context);
    measure_rate(context, &route);
    measure_others(context, &route);
    measure_memory_besides(context, &route);
    route_close(&route);
}
