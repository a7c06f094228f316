/*
 * Blobs that have become large, one sort after the other, each on a server of its own: what is done to a small
 * part of one must cost as much as with a small one, and what takes a whole one must not copy it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "basics.h"
#include "kinds.h"
#include "runner.h"
#include "sections.h"
#include "single.h"

enum { MEGABYTE = 1 << 20, BATCH = 64, BLOCKS = 50000, SNAPSHOTS = 1000 };

/* Appending makes what is small grow, so each of many blobs is appended to a few times only, and then made anew. */
enum { APPENDED_BYTES = 100, APPEND_BLOBS = 128, APPEND_VISITS = 16, SMALL_BYTES = 1024 };
enum { RANGE_BYTES = 4096, RANGES = 10000 };
enum { PAGES = 1024, FULL_MB = 256, FULL_MB_QUICK = 64, PUT_BYTES = 4 << 20 };

enum { COMMIT_MS = 50, COMMIT_MB = 8, DELETE_MS = 50, SNAPSHOT_US = 100, SNAPSHOT_BYTES = 1024 };

/* What a part of the section has at hand. */
struct kinds {
    const struct section *section;
    const struct options *options;
    struct results *results;
    struct server *server;
};

static void tell(const struct kinds *kinds, const char *name, double value, const char *unit) {
    results_fact(kinds->results, (struct fact){kinds->section->name, name, value, unit, false});
}

static void tell_and_judge(const struct kinds *kinds, const char *name, double value, double limit,
                           const char *unit) {
    tell(kinds, name, value, unit);
    results_bar(kinds->results, name, value, limit, unit);
}

static uint64_t large_bytes(const struct kinds *kinds) {
    return (uint64_t)kinds->options->large_mb * MEGABYTE;
}

/* What is not a connection's: a large request leaves it with a large buffer. */
static int64_t memory_used(const struct kinds *kinds) {
    require(redisReconnect(kinds->server->context) == REDIS_OK, "the server does not take a new connection");
    return server_info_number(kinds->server, "used_memory");
}

static void lanes_measure(const struct kinds *kinds, struct dataset *data, struct setting setting,
                          unsigned wanted, unsigned visits,
                          void (*renew)(struct server *server, const struct dataset *data)) {
    setting.section = kinds->section->name;
    setting.objects = data->objects;
    setting.pipeline = PIPELINE;
    const struct setting *kept = setting_keep(setting);
    struct run run = run_open(kinds->server, kinds->options, kinds->results);
    run.visits = visits;
    run.renew = renew;
    run_add(&run, kept, data, wanted, 0);
    run_measure(&run);
    judge_ratios(kinds->results, kept, 0);
}

static void make_string(const struct kinds *kinds) {
    server_tell(kinds->server, "SETRANGE " LARGE_STRING " %d x", LARGE_STRING_BYTES - 1);
}

/* --- Ranges --- */

static void measure_ranges(const struct kinds *kinds, const char *label, const char *title) {
    struct dataset *data = dataset_open(kinds->server, 0, RANGES, RANGE_BYTES);
    data->large_bytes = large_bytes(kinds);
    lanes_measure(kinds, data, (struct setting){.title = title, .label = label, .size = 1}, RANGING, 0, NULL);
    dataset_close(data);
}

/* --- Copies --- */

static void measure_copies(const struct kinds *kinds, const char *what) {
    const char *within = "BLOB.COPY " LARGE_APPENDS " copy " LARGE_APPENDS " " LARGE_BLOB;
    const char *across = "BLOB.COPY elsewhere copy " LARGE_APPENDS " " LARGE_BLOB;
    server_tell(kinds->server, "CONTAINER.CREATE elsewhere");
    tell(kinds, print_text("BLOB.COPY of %s, same container", what),
         longest_of_repeats_ms(kinds->server, within), "ms");
    tell(kinds, print_text("BLOB.COPY of %s, other container", what),
         longest_of_repeats_ms(kinds->server, across), "ms");
    server_tell(kinds->server, "CONTAINER.DELETE elsewhere");
    server_tell(kinds->server, "BLOB.DELETE " LARGE_APPENDS " copy");
}

static void measure_string_copy(const struct kinds *kinds) {
    tell(kinds, print_text("COPY of a string of %d MiB", LARGE_STRING_BYTES / MEGABYTE),
         command_ms(kinds->server, "COPY " LARGE_STRING " twin", NULL), "ms");
    server_tell(kinds->server, "DEL twin");
}

/* --- Append blobs --- */

static void make_large_append(const struct kinds *kinds) {
    char *piece = take(MEGABYTE, 1);
    memset(piece, 'x', MEGABYTE);
    server_tell(kinds->server, "CONTAINER.CREATE " LARGE_APPENDS);
    server_tell(kinds->server, "BLOB.CREATEAPPEND " LARGE_APPENDS " " LARGE_BLOB);
    for (unsigned index = 0; index < kinds->options->large_mb; index++)
        server_tell(kinds->server, "BLOB.APPEND " LARGE_APPENDS " " LARGE_BLOB " %b", piece,
                    (size_t)MEGABYTE);
    free(piece);
}

static void measure_snapshots(const struct kinds *kinds) {
    double longest_ms = 0;
    int64_t before = memory_used(kinds);
    for (int index = 0; index < SNAPSHOTS; index++) {
        const char *command = "BLOB.SNAPSHOT " LARGE_APPENDS " " LARGE_BLOB;
        longest_ms = greater(longest_ms, command_ms(kinds->server, command, NULL));
    }
    double bytes = (double)(memory_used(kinds) - before) / SNAPSHOTS;
    const char *name = print_text("the longest of %d BLOB.SNAPSHOT of a large blob", SNAPSHOTS);
    tell_and_judge(kinds, name, longest_ms * 1e3, SNAPSHOT_US, "us");
    tell_and_judge(kinds, "memory for a snapshot of a large blob", bytes, SNAPSHOT_BYTES, "bytes");
    tell(kinds, "the first BLOB.APPEND after a snapshot",
         command_ms(kinds->server, "BLOB.APPEND " LARGE_APPENDS " " LARGE_BLOB " x", NULL) * 1e3, "us");
    tell(kinds, print_text("BLOB.DELETE SNAPSHOTS ONLY of %d", SNAPSHOTS),
         command_ms(kinds->server, "BLOB.DELETE " LARGE_APPENDS " " LARGE_BLOB " SNAPSHOTS ONLY", NULL),
         "ms");
}

/* For each object a small append blob and a small string. */
static void renew_small_appends(struct server *server, const struct dataset *data) {
    char content[SMALL_BYTES];
    memset(content, 'x', sizeof content);
    server_tell(server, "DEL " SMALL_APPENDS);
    server_tell(server, "CONTAINER.CREATE " SMALL_APPENDS);
    for (unsigned object = 0; object < data->objects; object++) {
        const char *name = data->names[object];
        redisAppendCommand(server->context, "BLOB.CREATEAPPEND " SMALL_APPENDS " %b", name,
                           (size_t)NAME_BYTES);
        redisAppendCommand(server->context, "BLOB.APPEND " SMALL_APPENDS " %b %b", name, (size_t)NAME_BYTES,
                           content, sizeof content);
        redisAppendCommand(server->context, "SET %b %b", name, (size_t)NAME_BYTES, content, sizeof content);
        server_await(server, 3);
    }
}

/* Copies share the bytes of the large blob, so there is memory for many. The first append gives each a last piece of
 * its own. */
static void make_large_appends(const struct kinds *kinds, const struct dataset *data) {
    for (unsigned object = 0; object < data->objects; object++) {
        const char *name = data->names[object];
        server_tell(kinds->server, "BLOB.COPY " LARGE_APPENDS " %b " LARGE_APPENDS " " LARGE_BLOB, name,
                    (size_t)NAME_BYTES);
        server_tell(kinds->server, "BLOB.APPEND " LARGE_APPENDS " %b x", name, (size_t)NAME_BYTES);
    }
}

static void measure_appending(const struct kinds *kinds) {
    struct dataset *data = dataset_open(kinds->server, 0, APPEND_BLOBS, APPENDED_BYTES);
    make_large_appends(kinds, data);
    lanes_measure(kinds, data,
                  (struct setting){.title = print_text("100 B to blobs of 1 KiB and of %u MiB, pipeline %d",
                                                       kinds->options->large_mb, PIPELINE),
                                   .label = "100 B"},
                  APPENDING, APPEND_VISITS, renew_small_appends);
    dataset_close(data);
}

static void measure_appends(const struct kinds *kinds) {
    make_string(kinds);
    make_large_append(kinds);
    measure_snapshots(kinds);
    measure_copies(kinds, print_text("%u MiB in an append blob", kinds->options->large_mb));
    measure_string_copy(kinds);
    measure_appending(kinds);
    make_string(kinds);
    measure_ranges(kinds, "4 KiB of an append blob",
                   print_text("4 KiB anywhere in an append blob of %u MiB, pipeline %d",
                              kinds->options->large_mb, PIPELINE));
}

/* --- Block blobs --- */

/* Digits are base64, too, so a block's number is its id. */
static void stage(const struct kinds *kinds) {
    size_t bytes = (size_t)(large_bytes(kinds) / BLOCKS) + 1;
    char *piece = take(bytes, 1);
    memset(piece, 'x', bytes);
    server_tell(kinds->server, "CONTAINER.CREATE " LARGE_APPENDS);
    for (unsigned block = 0; block < BLOCKS; block++) {
        redisAppendCommand(kinds->server->context, "BLOB.PUTBLOCK " LARGE_APPENDS " " LARGE_BLOB " %08u %b",
                           block, piece, bytes);
        if (block % BATCH == BATCH - 1) server_await(kinds->server, BATCH);
    }
    server_await(kinds->server, BLOCKS % BATCH);
    free(piece);
}

/* Of all blocks, in the order of their numbers. Returns how long the server was busy with it. */
static double commit_ms(const struct kinds *kinds) {
    enum { HEAD = 4, WORDS = HEAD + 2 * BLOCKS, ID_BYTES = 16 };
    const char **words = take(WORDS, sizeof *words);
    char(*ids)[ID_BYTES] = take(BLOCKS, sizeof *ids), count[ID_BYTES];
    snprintf(count, sizeof count, "%d", BLOCKS);
    memcpy(words, (const char *[]){"BLOB.PUTBLOCKLIST", LARGE_APPENDS, LARGE_BLOB, count},
           HEAD * sizeof *words);
    for (unsigned block = 0; block < BLOCKS; block++) {
        snprintf(ids[block], sizeof ids[block], "%08u", block);
        words[HEAD + 2 * block] = "LATEST";
        words[HEAD + 2 * block + 1] = ids[block];
    }
    struct single single = single_begin(kinds->server);
    redisAppendCommandArgv(kinds->server->context, WORDS, words, NULL);
    server_await(kinds->server, 1);
    double ms = single_end_ms(kinds->server, &single);
    free(ids);
    free(words);
    return ms;
}

static void measure_commit(const struct kinds *kinds) {
    stage(kinds);
    int64_t before = memory_used(kinds);
    double ms = commit_ms(kinds);
    double bytes = (double)(memory_used(kinds) - before);
    tell_and_judge(kinds, print_text("BLOB.PUTBLOCKLIST of %d staged blocks", BLOCKS), ms, COMMIT_MS, "ms");
    tell_and_judge(kinds, "growth of used_memory by this commit", bytes / MEGABYTE, COMMIT_MB, "MiB");
}

static void measure_deletion(const struct kinds *kinds, const char *command, const char *what) {
    tell_and_judge(kinds, print_text("BLOB.DELETE of %s", what), command_ms(kinds->server, command, NULL),
                   DELETE_MS, "ms");
}

static void measure_blocks(const struct kinds *kinds) {
    make_string(kinds);
    measure_commit(kinds);
    measure_copies(kinds, print_text("%u MiB in %d blocks", kinds->options->large_mb, BLOCKS));
    measure_ranges(kinds, "4 KiB of a block blob",
                   print_text("4 KiB anywhere in a block blob of %u MiB in %d blocks, pipeline %d",
                              kinds->options->large_mb, BLOCKS, PIPELINE));
    measure_deletion(kinds, "BLOB.DELETE " LARGE_APPENDS " " LARGE_BLOB, print_text("%d blocks", BLOCKS));
}

/* --- Page blobs --- */

static void renew_pages(struct server *server, const struct dataset *data) {
    (void)data;
    server_tell(server, "DEL " PAGE_BLOBS);
    server_tell(server, "CONTAINER.CREATE " PAGE_BLOBS);
    server_tell(server, "BLOB.CREATEPAGE " PAGE_BLOBS " " SMALL_PAGES " %d", SMALL_PAGES_BYTES);
    server_tell(server, "BLOB.CREATEPAGE " PAGE_BLOBS " " VAST_PAGES " %lld", VAST_PAGES_BYTES);
}

static void measure_putting(const struct kinds *kinds) {
    struct dataset *data = dataset_open(kinds->server, 0, PAGES, PAGE_BYTES);
    lanes_measure(kinds, data,
                  (struct setting){.title = print_text("a page where there was none, pipeline %d", PIPELINE),
                                   .label = "new page"},
                  PAGING, 1, renew_pages);
    lanes_measure(
        kinds, data,
        (struct setting){.title = print_text("a page in the place of another, pipeline %d", PIPELINE),
                         .label = "page"},
        PAGING, 0, NULL);
    dataset_close(data);
}

static void measure_full_pages(const struct kinds *kinds) {
    unsigned mb = kinds->options->rounds < QUICK_BELOW ? FULL_MB_QUICK : FULL_MB;
    char *pages = take(PUT_BYTES, 1);
    memset(pages, 'x', PUT_BYTES);
    server_tell(kinds->server, "BLOB.CREATEPAGE " PAGE_BLOBS " full %u", mb * MEGABYTE);
    for (unsigned offset = 0; offset < mb * MEGABYTE; offset += PUT_BYTES)
        server_tell(kinds->server, "BLOB.PUTPAGE " PAGE_BLOBS " full %u %b", offset, pages,
                    (size_t)PUT_BYTES);
    measure_deletion(kinds, "BLOB.DELETE " PAGE_BLOBS " full", print_text("%u MiB of pages", mb));
    free(pages);
}

static void measure_pages(const struct kinds *kinds) {
    make_string(kinds);
    measure_putting(kinds);
    measure_full_pages(kinds);
}

void measure_kinds(const struct section *section, const struct options *options, struct results *results) {
    void (*const parts[])(const struct kinds *kinds) = {measure_appends, measure_blocks, measure_pages};
    for (size_t index = 0; index < sizeof parts / sizeof *parts; index++) {
        struct kinds kinds = {section, options, results, server_start(options, "")};
        parts[index](&kinds);
        server_stop(kinds.server);
    }
}
