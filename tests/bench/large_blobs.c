/* Blobs that have become large, one sort after the other, each on a server of its own: what is done to a small
 * part of one must cost as much as with a small one, and what takes a whole one must not copy it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* Containers of append blobs with the dataset's names, and of page blobs. */
#define SMALL_APPENDS "small"
#define LARGE_APPENDS "large"
#define LARGE_BLOB    "whole" /* in the container of large ones */
#define PAGE_BLOBS    "pages"
#define SMALL_PAGES   "small"
#define VAST_PAGES    "vast"

enum { PAGE_BYTES = 512, SMALL_PAGES_BYTES = 1 << 20 };
#define VAST_PAGES_BYTES (8LL << 30)

/* --- Workloads --- */

static struct offsets range_offsets(const struct dataset *data) {
    return offsets_within(data->large_bytes, OFFSETS_APART, (unsigned)data->bytes);
}

static struct offsets small_offsets(const struct dataset *data) {
    (void)data;
    return offsets_within(SMALL_PAGES_BYTES, PAGE_BYTES, PAGE_BYTES);
}

static struct offsets vast_offsets(const struct dataset *data) {
    (void)data;
    return offsets_within(VAST_PAGES_BYTES, PAGE_BYTES, PAGE_BYTES);
}

/* An array that begins with an ETag. */
static bool has_etag(const struct answer *answer, size_t length) {
    return is_array_of(answer, length) && reply_element(&answer->reply, 0).length == TOKEN_BYTES;
}

static bool is_appended(const struct answer *answer) {
    return has_etag(answer, 3);
}

static bool is_pair(const struct answer *answer) {
    return has_etag(answer, 2);
}

static bool is_range(const struct answer *answer) {
    if (!is_pair(answer)) return false;
    struct answer content = answer_part(answer, reply_element(&answer->reply, 1));
    return is_content(&content);
}

static const struct workload workloads[] = {
    {.name = "BLOB.APPEND, small blob",
     .request = "BLOB.APPEND " SMALL_APPENDS " {name} {content}",
     .is_expected = is_appended},
    {.name = "BLOB.APPEND, large blob",
     .request = "BLOB.APPEND " LARGE_APPENDS " {name} {content}",
     .is_expected = is_appended},
    {.name = "BLOB.GET RANGE",
     .request = "BLOB.GET " LARGE_APPENDS " " LARGE_BLOB " RANGE {offset} {size}",
     .is_expected = is_range,
     .offsets = range_offsets},
    {.name = "BLOB.PUTPAGE, 1 MiB",
     .request = "BLOB.PUTPAGE " PAGE_BLOBS " " SMALL_PAGES " {offset} {content}",
     .is_expected = is_pair,
     .offsets = small_offsets},
    {.name = "BLOB.PUTPAGE, 8 GiB",
     .request = "BLOB.PUTPAGE " PAGE_BLOBS " " VAST_PAGES " {offset} {content}",
     .is_expected = is_pair,
     .offsets = vast_offsets},
};

static const struct comparison comparisons[] = {
    {"BLOB.APPEND, small blob", "APPEND", {0}},
    {"BLOB.APPEND, large blob", "BLOB.APPEND, small blob", {1.2, 0, 0}},
    {"BLOB.APPEND, large blob", "APPEND", {0}},
    {"BLOB.APPEND, large blob", "APPEND, large string", {0}},
    {"BLOB.GET RANGE", "GET", {0, 1.5, 0}},
    {"BLOB.GET RANGE", "GETRANGE", {0}},
    {"BLOB.PUTPAGE, 1 MiB", "SETRANGE", {0}},
    {"BLOB.PUTPAGE, 8 GiB", "BLOB.PUTPAGE, 1 MiB", {1.3, 0, 0}},
    {"BLOB.PUTPAGE, 8 GiB", "SETRANGE", {0}},
};

const struct family large_blob_family = FAMILY("large blob", workloads, comparisons);

/* --- What they are measured with --- */

enum { BLOCKS = 50000, SNAPSHOTS = 1000 };

/* Appending makes what is small grow, so each of many blobs is appended to a few times only, and then made anew. */
enum { APPENDED_BYTES = 100, APPEND_BLOBS = 128, APPEND_VISITS = 16, SMALL_BYTES = 1024 };
enum { RANGE_BYTES = 4096, RANGES = 10000 };
enum { PAGES = 1024, FULL_MB = 256, FULL_MB_QUICK = 64, PUT_BYTES = 4 << 20 };

enum { COMMIT_MS = 50, COMMIT_MB = 8, DELETE_MS = 5, SNAPSHOT_US = 100, SNAPSHOT_BYTES = 1024 };

static uint64_t large_bytes(const struct fixture *fixture) {
    return (uint64_t)fixture->context->options->large_mb * MEGABYTE;
}

/* What is not a connection's: a large request leaves it with a large buffer. */
static int64_t memory_used(const struct fixture *fixture) {
    require(redisReconnect(fixture->server->context) == REDIS_OK,
            "the server does not take a new connection");
    return server_memory(fixture->server);
}

static const char paging[] = "SETRANGE; BLOB.PUTPAGE, 1 MiB; BLOB.PUTPAGE, 8 GiB";

static void make_string(const struct fixture *fixture) {
    server_tell(fixture->server, "SETRANGE " LARGE_STRING " %d x", LARGE_STRING_BYTES - 1);
}

/* --- Ranges --- */

static void measure_ranges(struct fixture fixture, const char *label, const char *title) {
    fixture.data = dataset_open(fixture.server, 0, RANGES, RANGE_BYTES);
    fixture.data->large_bytes = large_bytes(&fixture);
    workloads_measure(&fixture, (struct setting){.title = title, .label = label, .size = 1},
                      "GET; GETRANGE; BLOB.GET RANGE");
    dataset_close(fixture.data);
}

/* --- Copies --- */

static void measure_blob_copies(const struct fixture *fixture, const char *what) {
    const char *within = "BLOB.COPY " LARGE_APPENDS " copy " LARGE_APPENDS " " LARGE_BLOB;
    const char *across = "BLOB.COPY elsewhere copy " LARGE_APPENDS " " LARGE_BLOB;
    server_tell(fixture->server, "CONTAINER.CREATE elsewhere");
    add_fact(fixture->context, format_text("BLOB.COPY of %s, same container", what),
             longest_of_repeats_ms(fixture->server, within), "ms");
    add_fact(fixture->context, format_text("BLOB.COPY of %s, other container", what),
             longest_of_repeats_ms(fixture->server, across), "ms");
    server_tell(fixture->server, "CONTAINER.DELETE elsewhere");
    server_tell(fixture->server, "BLOB.DELETE " LARGE_APPENDS " copy");
}

static void measure_string_copy(const struct fixture *fixture) {
    add_fact(fixture->context, format_text("COPY of a string of %d MiB", LARGE_STRING_BYTES / MEGABYTE),
             command_ms(fixture->server, "COPY " LARGE_STRING " twin", NULL), "ms");
    server_tell(fixture->server, "DEL twin");
}

/* --- Append blobs --- */

static void make_large_append(const struct fixture *fixture) {
    char *piece = allocate_letters(MEGABYTE);
    server_tell(fixture->server, "CONTAINER.CREATE " LARGE_APPENDS);
    server_tell(fixture->server, "BLOB.CREATEAPPEND " LARGE_APPENDS " " LARGE_BLOB);
    for (unsigned i = 0; i < fixture->context->options->large_mb; i++)
        server_tell(fixture->server, "BLOB.APPEND " LARGE_APPENDS " " LARGE_BLOB " %b", piece,
                    (size_t)MEGABYTE);
    free(piece);
}

static void measure_snapshots(const struct fixture *fixture) {
    double longest_ms = 0;
    int64_t before = memory_used(fixture);
    for (int i = 0; i < SNAPSHOTS; i++) {
        const char *command = "BLOB.SNAPSHOT " LARGE_APPENDS " " LARGE_BLOB;
        longest_ms = greater(longest_ms, command_ms(fixture->server, command, NULL));
    }
    double bytes = (double)(memory_used(fixture) - before) / SNAPSHOTS;
    const char *name = format_text("the longest of %d BLOB.SNAPSHOT of a large blob", SNAPSHOTS);
    add_bar(fixture->context, ABOUT_PAUSES, name, longest_ms * 1e3, SNAPSHOT_US, "us");
    add_bar(fixture->context, ABOUT_MEMORY, "memory for a snapshot of a large blob", bytes, SNAPSHOT_BYTES,
            "bytes");
    add_fact(fixture->context, "the first BLOB.APPEND after a snapshot",
             command_ms(fixture->server, "BLOB.APPEND " LARGE_APPENDS " " LARGE_BLOB " x", NULL) * 1e3, "us");
    add_fact(fixture->context, format_text("BLOB.DELETE SNAPSHOTS ONLY of %d", SNAPSHOTS),
             command_ms(fixture->server, "BLOB.DELETE " LARGE_APPENDS " " LARGE_BLOB " SNAPSHOTS ONLY", NULL),
             "ms");
}

/* For each object a small append blob and a small string. */
static void renew_small_appends(struct server *server, const struct dataset *data) {
    char content[SMALL_BYTES];
    memset(content, 'x', sizeof(content));
    server_tell(server, "DEL " SMALL_APPENDS);
    server_tell(server, "CONTAINER.CREATE " SMALL_APPENDS);
    for (unsigned object = 0; object < data->objects; object++) {
        const char *name = data->names[object];
        server_send(server, "BLOB.CREATEAPPEND " SMALL_APPENDS " %b", name, (size_t)NAME_BYTES);
        server_send(server, "BLOB.APPEND " SMALL_APPENDS " %b %b", name, (size_t)NAME_BYTES, content,
                    sizeof(content));
        server_send(server, "SET %b %b", name, (size_t)NAME_BYTES, content, sizeof(content));
    }
    server_await(server);
}

/* Copies share the bytes of the large blob, so there is memory for many. The first append
 * gives each a last piece of its own. */
static void make_large_appends(const struct fixture *fixture) {
    for (unsigned object = 0; object < fixture->data->objects; object++) {
        const char *name = fixture->data->names[object];
        server_tell(fixture->server, "BLOB.COPY " LARGE_APPENDS " %b " LARGE_APPENDS " " LARGE_BLOB, name,
                    (size_t)NAME_BYTES);
        server_tell(fixture->server, "BLOB.APPEND " LARGE_APPENDS " %b x", name, (size_t)NAME_BYTES);
    }
}

static void measure_appending(struct fixture fixture) {
    fixture.data = dataset_open(fixture.server, 0, APPEND_BLOBS, APPENDED_BYTES);
    make_large_appends(&fixture);
    changes_measure(
        &fixture,
        (struct setting){.title = format_text("100 B to blobs of 1 KiB and of %u MiB, pipeline %d",
                                              fixture.context->options->large_mb, PIPELINE),
                         .label = "100 B"},
        "APPEND; APPEND, large string; BLOB.APPEND, small blob; BLOB.APPEND, large blob", APPEND_VISITS,
        renew_small_appends);
    dataset_close(fixture.data);
}

static void measure_appends(const struct fixture *fixture) {
    make_string(fixture);
    make_large_append(fixture);
    measure_snapshots(fixture);
    measure_blob_copies(fixture,
                        format_text("%u MiB in an append blob", fixture->context->options->large_mb));
    measure_string_copy(fixture);
    measure_appending(*fixture);
    make_string(fixture);
    measure_ranges(*fixture, "4 KiB of an append blob",
                   format_text("4 KiB anywhere in an append blob of %u MiB, pipeline %d",
                               fixture->context->options->large_mb, PIPELINE));
}

/* --- Block blobs --- */

/* Digits are base64, too, so a block's number is its id. */
static void blocks_stage(const struct fixture *fixture) {
    size_t bytes = (size_t)(large_bytes(fixture) / BLOCKS) + 1;
    char *piece = allocate_letters(bytes);
    server_tell(fixture->server, "CONTAINER.CREATE " LARGE_APPENDS);
    for (unsigned block = 0; block < BLOCKS; block++)
        server_send(fixture->server, "BLOB.PUTBLOCK " LARGE_APPENDS " " LARGE_BLOB " %08u %b", block, piece,
                    bytes);
    server_await(fixture->server);
    free(piece);
}

/* Of all blocks, in the order of their numbers. Returns how long the server was busy with it. */
static double commit_ms(const struct fixture *fixture) {
    enum { HEAD = 4, WORDS = HEAD + 2 * BLOCKS, ID_BYTES = 16 };
    const char **words = allocate(WORDS, sizeof(*words));
    char(*ids)[ID_BYTES] = allocate(BLOCKS, sizeof(*ids)), count[ID_BYTES];
    snprintf(count, sizeof(count), "%d", BLOCKS);
    memcpy(words, (const char *[]){"BLOB.PUTBLOCKLIST", LARGE_APPENDS, LARGE_BLOB, count},
           HEAD * sizeof(*words));
    for (unsigned block = 0; block < BLOCKS; block++) {
        snprintf(ids[block], sizeof(ids[block]), "%08u", block);
        words[HEAD + 2 * block] = "LATEST";
        words[HEAD + 2 * block + 1] = ids[block];
    }
    struct command_timer timer = command_timer_start(fixture->server);
    freeReplyObject(server_command_words(fixture->server, WORDS, words));
    double ms = command_timer_stop_ms(fixture->server, &timer);
    free(ids);
    free(words);
    return ms;
}

static void measure_commit(const struct fixture *fixture) {
    blocks_stage(fixture);
    int64_t before = memory_used(fixture);
    double ms = commit_ms(fixture);
    double bytes = (double)(memory_used(fixture) - before);
    add_bar(fixture->context, ABOUT_PAUSES, format_text("BLOB.PUTBLOCKLIST of %d staged blocks", BLOCKS), ms,
            COMMIT_MS, "ms");
    add_bar(fixture->context, ABOUT_MEMORY, "growth of used_memory by this commit", bytes / MEGABYTE,
            COMMIT_MB, "MiB");
}

static void measure_blocks(const struct fixture *fixture) {
    make_string(fixture);
    measure_commit(fixture);
    measure_blob_copies(fixture,
                        format_text("%u MiB in %d blocks", fixture->context->options->large_mb, BLOCKS));
    measure_ranges(*fixture, "4 KiB of a block blob",
                   format_text("4 KiB anywhere in a block blob of %u MiB in %d blocks, pipeline %d",
                               fixture->context->options->large_mb, BLOCKS, PIPELINE));
    measure_pause(fixture, format_text("BLOB.DELETE of %d blocks", BLOCKS),
                  "BLOB.DELETE " LARGE_APPENDS " " LARGE_BLOB, NULL, DELETE_MS);
}

/* --- Page blobs --- */

static void renew_pages(struct server *server, const struct dataset *data) {
    (void)data;
    server_tell(server, "DEL " PAGE_BLOBS);
    server_tell(server, "CONTAINER.CREATE " PAGE_BLOBS);
    server_tell(server, "BLOB.CREATEPAGE " PAGE_BLOBS " " SMALL_PAGES " %d", SMALL_PAGES_BYTES);
    server_tell(server, "BLOB.CREATEPAGE " PAGE_BLOBS " " VAST_PAGES " %lld", VAST_PAGES_BYTES);
}

static void measure_putting(struct fixture fixture) {
    fixture.data = dataset_open(fixture.server, 0, PAGES, PAGE_BYTES);
    changes_measure(
        &fixture,
        (struct setting){.title = format_text("a page where there was none, pipeline %d", PIPELINE),
                         .label = "new page"},
        paging, 1, renew_pages);
    workloads_measure(
        &fixture,
        (struct setting){.title = format_text("a page in the place of another, pipeline %d", PIPELINE),
                         .label = "page"},
        paging);
    dataset_close(fixture.data);
}

static void measure_full_pages(const struct fixture *fixture) {
    unsigned mb = fixture->context->is_quick ? FULL_MB_QUICK : FULL_MB;
    char *pages = allocate_letters(PUT_BYTES);
    server_tell(fixture->server, "BLOB.CREATEPAGE " PAGE_BLOBS " full %u", mb * MEGABYTE);
    for (unsigned offset = 0; offset < mb * MEGABYTE; offset += PUT_BYTES)
        server_tell(fixture->server, "BLOB.PUTPAGE " PAGE_BLOBS " full %u %b", offset, pages,
                    (size_t)PUT_BYTES);
    measure_pause(fixture, format_text("BLOB.DELETE of %u MiB of pages", mb),
                  "BLOB.DELETE " PAGE_BLOBS " full", NULL, DELETE_MS);
    free(pages);
}

static void measure_pages(const struct fixture *fixture) {
    make_string(fixture);
    measure_putting(*fixture);
    measure_full_pages(fixture);
}

void measure_large_blobs(const struct context *context) {
    void (*const measurements[])(const struct fixture *fixture) = {measure_appends, measure_blocks,
                                                                   measure_pages};
    for (size_t i = 0; i < ARRAY_SIZE(measurements); i++) {
        struct fixture fixture = fixture_open(context, "", 0, 0);
        measurements[i](&fixture);
        fixture_close(&fixture);
    }
}
