/*
 * Commands that give up or copy very much at once: how long another client waits while they run, and while what
 * they leave behind is removed in the background.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "queues.h"
#include "runner.h"

enum { LONGEST_MS = 5, MESSAGE_BYTES = 100, TAKEN_AT_ONCE = 1000, TAKEN_SECONDS = 2 };
enum { FILE_MB = 512, FILE_MB_QUICK = 64, PIECE_BYTES = 4 << 20, PAGE_BYTES = 512, AT_ONCE = 500 };
enum { COPIED_BLOBS = 100000, PAGES = 200000, PAGES_QUICK = 20000, MESSAGES_QUICK = 100000 };

static void pages_write(struct server *server, const char *file, unsigned pages) {
    char page[PAGE_BYTES];
    memset(page, 'x', sizeof page);
    server_tell(server, "FILE.CREATE share %s %u", file, 2 * pages * PAGE_BYTES);
    for (unsigned index = 0; index < pages; index++) {
        redisAppendCommand(server->context, "FILE.PUTRANGE share %s %u %b", file, 2 * index * PAGE_BYTES,
                           page, sizeof page);
        if (index % AT_ONCE == AT_ONCE - 1) server_await(server, AT_ONCE);
    }
    server_await(server, pages % AT_ONCE);
}

static void full_write(struct server *server, const char *file, unsigned mb) {
    char *piece = allocate(PIECE_BYTES, 1);
    memset(piece, 'x', PIECE_BYTES);
    server_tell(server, "FILE.CREATE share %s %u", file, mb << 20);
    for (unsigned offset = 0; offset < mb << 20; offset += PIECE_BYTES)
        server_tell(server, "FILE.PUTRANGE share %s %u %b", file, offset, piece, (size_t)PIECE_BYTES);
    free(piece);
}

static void add_drop_bar(const struct context *context, struct server *server, const char *what,
                         const char *command) {
    add_pause_bar(context, format_text("%s: longest PING", what), longest_ping_ms(server, command, NULL),
                  LONGEST_MS);
}

static void measure_large_files(const struct context *context) {
    struct server *server = server_start(context->options, "");
    unsigned mb = context->is_quick ? FILE_MB_QUICK : FILE_MB;
    unsigned pages = context->is_quick ? PAGES_QUICK : PAGES;
    server_tell(server, "SHARE.CREATE share");
    full_write(server, "full", mb);
    full_write(server, "cleared", mb);
    pages_write(server, "pages", pages);
    pages_write(server, "holes", pages);
    add_drop_bar(context, server, format_text("FILE.DELETE of %u MiB", mb), "FILE.DELETE share full");
    char *command = format_text("FILE.CLEARRANGE share cleared 0 %u", mb << 20);
    add_drop_bar(context, server, format_text("FILE.CLEARRANGE of %u MiB", mb), command);
    add_drop_bar(context, server, format_text("FILE.DELETE of %u separate pages", pages),
                 "FILE.DELETE share pages");
    free(command);
    command = format_text("FILE.CLEARRANGE share holes 0 %u", 2 * pages * PAGE_BYTES);
    add_drop_bar(context, server, format_text("FILE.CLEARRANGE of %u separate pages", pages), command);
    free(command);
    server_stop(server);
}

/* Half of them have been delivered as often as they may be, and their time is up. */
static void queue_fill(struct server *server, unsigned messages) {
    struct dataset *data = dataset_open(server, 0, 1, MESSAGE_BYTES);
    server_tell(server, "QUEUE.CREATE halves MAXDELIVERIES 1");
    struct client_pool *pool = client_pool_open(&queue_put, data, "halves");
    client_pool_run(pool, messages);
    client_pool_close(pool);
    dataset_close(data);
    for (unsigned taken = 0; taken < messages / 2; taken += TAKEN_AT_ONCE)
        server_tell(server, "QUEUE.GET halves COUNT %d VISIBILITY %d", TAKEN_AT_ONCE, TAKEN_SECONDS);
    sleep(2 * TAKEN_SECONDS);
}

static void measure_clearing(const struct context *context) {
    struct server *server = server_start(context->options, LARGE_BATCHES);
    unsigned messages = context->is_quick ? MESSAGES_QUICK : MILLION;
    queue_fill(server, messages);
    add_drop_bar(context, server, format_text("QUEUE.CLEAR of %u, as many dead stay", messages / 2),
                 "QUEUE.CLEAR halves");
    add_drop_bar(context, server, format_text("QUEUE.CLEAR DEAD of %u messages", messages / 2),
                 "QUEUE.CLEAR halves DEAD");
    server_stop(server);
}

static void measure_copy(const struct context *context) {
    struct server *server = server_start(context->options, "");
    struct dataset *data = dataset_open(server, 0, COPIED_BLOBS, sizes[0].bytes);
    dataset_fill(data, workload_named("BLOB.PUT"));
    dataset_fill(data, workload_named("HSET"));
    add_drop_bar(context, server, format_text("COPY of a container of %d blobs", COPIED_BLOBS),
                 "COPY container twin");
    add_context_fact(context, format_text("COPY of a hash of %d fields: longest PING", COPIED_BLOBS),
                     longest_ping_ms(server, "COPY hash hash:twin", NULL), "ms");
    dataset_close(data);
    server_stop(server);
}

void measure_drops(const struct context *context) {
    measure_large_files(context);
    measure_clearing(context);
    measure_copy(context);
}
