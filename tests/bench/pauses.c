/* How long others wait: while much is given up or copied at once, and while the server is busy with all families. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

/* --- Much at once --- */

/* Commands that give up or copy very much at once: how long another client waits while they run, and while what
 * they leave behind is removed in the background. */

enum { LONGEST_MS = 5, MESSAGE_BYTES = 100, TAKEN_AT_ONCE = 1000, TAKEN_SECONDS = 2 };
enum { FILE_MB = 512, FILE_MB_QUICK = 64, PIECE_BYTES = 4 << 20, PAGE_BYTES = 512 };
enum { COPIED_OBJECTS = 100000, PAGES = 200000, PAGES_QUICK = 20000, MESSAGES_QUICK = 100000 };

static void pages_write(struct server *server, const char *file, unsigned pages) {
    char page[PAGE_BYTES];
    memset(page, 'x', sizeof(page));
    server_tell(server, "FILE.CREATE share %s %u", file, 2 * pages * PAGE_BYTES);
    for (unsigned i = 0; i < pages; i++)
        server_send(server, "FILE.PUTRANGE share %s %u %b", file, 2 * i * PAGE_BYTES, page, sizeof(page));
    server_await(server);
}

static void full_write(struct server *server, const char *file, unsigned mb) {
    char *piece = allocate_letters(PIECE_BYTES);
    server_tell(server, "FILE.CREATE share %s %u", file, mb << 20);
    for (unsigned offset = 0; offset < mb << 20; offset += PIECE_BYTES)
        server_tell(server, "FILE.PUTRANGE share %s %u %b", file, offset, piece, (size_t)PIECE_BYTES);
    free(piece);
}

static void measure_large_files(const struct context *context) {
    struct fixture fixture = fixture_open(context, "", 0, 0);
    unsigned mb = context->is_quick ? FILE_MB_QUICK : FILE_MB;
    unsigned pages = context->is_quick ? PAGES_QUICK : PAGES;
    server_tell(fixture.server, "SHARE.CREATE share");
    full_write(fixture.server, "full", mb);
    full_write(fixture.server, "cleared", mb);
    pages_write(fixture.server, "pages", pages);
    pages_write(fixture.server, "holes", pages);
    measure_pause(&fixture, format_text("FILE.DELETE of %u MiB", mb), "FILE.DELETE share full", NULL,
                  LONGEST_MS);
    measure_pause(&fixture, format_text("FILE.CLEARRANGE of %u MiB", mb),
                  format_text("FILE.CLEARRANGE share cleared 0 %u", mb << 20), NULL, LONGEST_MS);
    measure_pause(&fixture, format_text("FILE.DELETE of %u separate pages", pages), "FILE.DELETE share pages",
                  NULL, LONGEST_MS);
    measure_pause(&fixture, format_text("FILE.CLEARRANGE of %u separate pages", pages),
                  format_text("FILE.CLEARRANGE share holes 0 %u", 2 * pages * PAGE_BYTES), NULL, LONGEST_MS);
    fixture_close(&fixture);
}

/* Half of them have been delivered as often as they may be, and their time is up. */
static void queue_fill(struct server *server, unsigned messages) {
    char content[MESSAGE_BYTES];
    memset(content, 'x', sizeof(content));
    server_tell(server, "QUEUE.CREATE halves MAXDELIVERIES 1");
    for (unsigned put = 0; put < messages; put++)
        server_send(server, "QUEUE.PUT halves %b", content, sizeof(content));
    server_await(server);
    for (unsigned taken = 0; taken < messages / 2; taken += TAKEN_AT_ONCE)
        server_tell(server, "QUEUE.GET halves COUNT %d VISIBILITY %d", TAKEN_AT_ONCE, TAKEN_SECONDS);
    sleep(2 * TAKEN_SECONDS);
}

static void measure_clearing(const struct context *context) {
    struct fixture fixture = fixture_open(context, LARGE_BATCHES, 0, 0);
    unsigned messages = context->is_quick ? MESSAGES_QUICK : MILLION;
    queue_fill(fixture.server, messages);
    measure_pause(&fixture, format_text("QUEUE.CLEAR of %u, as many dead stay", messages / 2),
                  "QUEUE.CLEAR halves", NULL, LONGEST_MS);
    measure_pause(&fixture, format_text("QUEUE.CLEAR DEAD of %u messages", messages / 2),
                  "QUEUE.CLEAR halves DEAD", NULL, LONGEST_MS);
    fixture_close(&fixture);
}

static void measure_copy(const struct context *context) {
    struct fixture fixture = fixture_open(context, "", COPIED_OBJECTS, sizes[0].bytes);
    dataset_fill(fixture.data, workload_named("BLOB.PUT"));
    dataset_fill(fixture.data, workload_named("TABLE.INSERT"));
    dataset_fill(fixture.data, workload_named("HSET"));
    measure_pause(&fixture, format_text("COPY of a container of %d blobs", COPIED_OBJECTS),
                  "COPY container twin", NULL, LONGEST_MS);
    measure_pause(&fixture, format_text("COPY of a table of %d entities", COPIED_OBJECTS),
                  "COPY table table:twin", NULL, LONGEST_MS);
    measure_pause(&fixture, format_text("COPY of a hash of %d fields", COPIED_OBJECTS), "COPY hash hash:twin",
                  NULL, 0);
    fixture_close(&fixture);
}

void measure_drops(const struct context *context) {
    measure_large_files(context);
    measure_clearing(context);
    measure_copy(context);
}

/* --- A mixed load --- */

/* How long a PING waits while a server is busy with all families, next to one that does as many native operations on
 * as many objects of the same content. Both write an append-only file, and both save and rewrite again and again, at
 * the same moments of their turns.
 *
 * Twice in each millisecond each of ten connections asks for one operation, and one more sends a PING. What counts is
 * the time that the slowest in a thousand of these takes: somebody's long command, or the fork, would show there. */

enum {
    OPERATIONS = 10,
    OBJECTS = 50000, /* of each kind */
    FILLERS = 5,
    TICK_NS = 500000,
    TURNS = 5,
    TICKS = 10000, /* of a turn */
    TICKS_QUICK = 3000,
    CHILDREN = 8, /* forks of a turn: saves and rewrites by turns */
    CONTENT_BYTES = 100
};

static const double most_to_native = 1.2, slow_share = 0.999;

/* A command with the number of an object, and perhaps a content. */
struct mix {
    const char *name;
    const char *first[6];
    const char *fillers[FILLERS]; /* for each object */
    const char *operations[OPERATIONS];
};

/* In both: a string, a lock, an entity and a file for each object, and a queue that is
 * as short at the end as before. */
static const struct mix mixes[] = {
    {"native",
     {NULL},
     {"SET string%u %s", ("SET lock%u " HOLDER_ID), "HSET hash%u name %s", "SET file%u %s",
      "SETRANGE file%u 0 %s"},
     {"SET string%u %s", "GET string%u", ("SET lock%u " HOLDER_ID " PX 60000"), "HSET hash%u name %s",
      "HGETALL hash%u", "LPUSH list %u:%s", "RPOP list", "SETRANGE file%u 0 %s", "GETRANGE file%u 0 99",
      "GET file%u"}},
    {"Holdfast",
     {"CONTAINER.CREATE c", "CONTAINER.CREATE l", "QUEUE.CREATE q", "TABLE.CREATE t", "SHARE.CREATE s"},
     {"BLOB.PUT c blob%u %s", "BLOB.PUT l lock%u x", "TABLE.INSERT t p row%u PROPS 1 name %s",
      "FILE.CREATE s file%u 100", "FILE.PUTRANGE s file%u 0 %s"},
     {"BLOB.PUT c blob%u %s", "BLOB.GET c blob%u", ("LEASE.ACQUIRE l 60 ID " HOLDER_ID " BLOB lock%u"),
      "TABLE.INSERTORMERGE t p row%u PROPS 1 name %s", "TABLE.GET t p row%u", "QUEUE.PUT q %u:%s TTL 1",
      "QUEUE.GET q", "FILE.PUTRANGE s file%u 0 %s", "FILE.GET s file%u RANGE 0 99", "FILE.GET s file%u"}},
};
enum { NATIVE, HOLDFAST, MIXES };

struct load {
    const struct mix *mix;
    struct server *server;
    struct connection *connections[OPERATIONS], *ping, *keeper;
    unsigned object; /* of the next tick */
    char content[CONTENT_BYTES + 1];
    double *waits_ms, *own_ms; /* elapsed, and without the time in which other programs had the processor */
    size_t wait_count;
    double memory_mb;
};

static void load_start(struct load *load, const struct options *options, const struct mix *mix,
                       size_t waits) {
    *load = (struct load){
        .mix = mix, .waits_ms = allocate(waits, sizeof(double)), .own_ms = allocate(waits, sizeof(double))};
    char *settings = settings_with_children_aside(WITH_AOF);
    load->server = server_start(options, settings);
    free(settings);
    for (unsigned which = 0; which < OPERATIONS; which++)
        load->connections[which] = connection_open(load->server, 0);
    load->ping = connection_open(load->server, 0);
    load->keeper = connection_open(load->server, 0);
    memset(load->content, 'x', CONTENT_BYTES);
    for (const char *const *command = mix->first; *command; command++) server_tell(load->server, *command);
}

static void load_end(struct load *load) {
    for (unsigned which = 0; which < OPERATIONS; which++) connection_close(load->connections[which]);
    connection_close(load->ping);
    connection_close(load->keeper);
    server_stop(load->server);
    free(load->waits_ms);
    free(load->own_ms);
}

static void operations_ask(struct load *load) {
    for (unsigned which = 0; which < OPERATIONS; which++)
        connection_ask(load->connections[which], load->mix->operations[which], load->object, load->content);
    load->object = (load->object + 1) % OBJECTS;
}

static void operations_await(struct load *load) {
    for (unsigned which = 0; which < OPERATIONS; which++)
        connection_receive(load->connections[which], load->mix->name);
}

static void load_fill(struct load *load) {
    for (unsigned object = 0; object < OBJECTS; object++)
        for (unsigned which = 0; which < FILLERS; which++)
            server_send(load->server, load->mix->fillers[which], object, load->content);
    server_await(load->server);
}

static void load_ping(struct load *load) {
    int64_t asked_ns = monotonic_ns(), delay_ns = delays_ns(load->server);
    connection_ask(load->ping, "PING");
    connection_receive(load->ping, "PING");
    double ms = (double)(monotonic_ns() - asked_ns) / 1e6;
    load->waits_ms[load->wait_count] = ms;
    load->own_ms[load->wait_count++] = greater(0, ms - (double)(delays_ns(load->server) - delay_ns) / 1e6);
}

static void sleep_until(int64_t ns) {
    const struct timespec until = {ns / 1000000000, ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Saves and rewrites by turns, at the same moments in all turns. One that comes too early waits for the one before. */
static const char *upkeep_of(unsigned tick, unsigned ticks) {
    unsigned each = ticks / CHILDREN;
    if (tick % each != each / CHILDREN) return NULL;
    return tick / each % 2 ? "BGREWRITEAOF" : "BGSAVE SCHEDULE";
}

static void run_turn(struct load *load, unsigned ticks) {
    int64_t next_ns = monotonic_ns();
    for (unsigned tick = 0; tick < ticks; tick++) {
        const char *upkeep = upkeep_of(tick, ticks);
        if (upkeep) connection_ask(load->keeper, upkeep);
        operations_ask(load);
        load_ping(load);
        operations_await(load);
        if (upkeep) connection_receive_any(load->keeper);
        next_ns += TICK_NS;
        if (monotonic_ns() > next_ns) next_ns = monotonic_ns(); /* what was missed is not made up for */
        sleep_until(next_ns);
    }
}

static void add_wait_facts(const struct context *context, struct load *load) {
    const double shares[] = {0.5, 0.99, slow_share, 1};
    static const char *const names[] = {"median", "99 of 100", "999 of 1000", "longest"};
    for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
        const char *name = format_text("PING beside %s operations, %s", load->mix->name, names[i]);
        double wait_ms = percentile(load->waits_ms, load->wait_count, shares[i]);
        add_fact(context, name, wait_ms, "ms");
    }
    add_fact(context,
             format_text("PING beside %s operations, 999 of 1000, without delays by others", load->mix->name),
             percentile(load->own_ms, load->wait_count, slow_share), "ms");
    add_fact(context, format_text("%s: memory when it begins", load->mix->name), load->memory_mb, "MB");
    add_fact(context, format_text("%s: saves and rewrites", load->mix->name),
             (double)(server_info_number(load->server, "rdb_saves") +
                      server_info_number(load->server, "aof_rewrites")),
             "done");
}

void measure_mixed(const struct context *context) {
    struct load loads[MIXES];
    double slowest_ms[MIXES];
    unsigned ticks = context->is_quick ? TICKS_QUICK : TICKS;
    for (int which = 0; which < MIXES; which++) {
        load_start(&loads[which], context->options, &mixes[which], (size_t)ticks * TURNS);
        load_fill(&loads[which]);
        loads[which].memory_mb = (double)server_memory(loads[which].server) / 1e6;
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (int which = 0; which < MIXES; which++) run_turn(&loads[(turn + which) % MIXES], ticks);
    for (int which = 0; which < MIXES; which++) {
        slowest_ms[which] = percentile(loads[which].waits_ms, loads[which].wait_count, slow_share);
        add_wait_facts(context, &loads[which]);
        load_end(&loads[which]);
    }
    results_add_bar(context->results, ABOUT_PAUSES,
                    "PING beside all families / beside native commands, 999 of 1000",
                    slowest_ms[HOLDFAST] / slowest_ms[NATIVE], most_to_native, "x");
}
