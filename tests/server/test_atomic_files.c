/* A transaction in an append-only file that was cut off, on a replica that is asked meanwhile, and beside a token in a
 * server that died: all of it, or nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "atomic.h"
#include "harness.h"
#include "pool.h"
#include "single_server.h"

/* With HOLDFAST_EVERY_BYTE each length is tried; else each seventh. */
static long step_asked(void) {
    const char *all = getenv("HOLDFAST_EVERY_BYTE");
    return all && *all ? 1 : 7;
}

static long size_of(const char *file) {
    struct stat status;
    require(!stat(file, &status), "no %s", file);
    return (long)status.st_size;
}

static char *read_file(const char *path, long size) {
    char *bytes = pool_take((size_t)size);
    FILE *file = fopen(path, "r");
    require(file && fread(bytes, 1, (size_t)size, file) == (size_t)size, "%s cannot be read", path);
    fclose(file);
    return bytes;
}

static void write_file(const char *path, const char *bytes, long size) {
    FILE *file = fopen(path, "w");
    require(file && fwrite(bytes, 1, (size_t)size, file) == (size_t)size && !fclose(file),
            "%s cannot be written", path);
}

/* Which of the things that one transaction did are there. */
static int seen_at(struct client *client) {
    int blob = !reply_is_error(call(client, "BLOB.GET c new")),
        old = reply_is_error(call(client, "BLOB.GET c old"));
    int message = field(call(client, "QUEUE.STAT q"), "messages")->integer == 1;
    int entity = !reply_is_error(call(client, "TABLE.GET t p r"));
    return blob + 2 * old + 4 * message + 8 * entity;
}

TEST(a_file_that_is_cut_off_has_all_or_nothing) {
    struct server *server = server_start("single", settings_with_file);
    struct client *client = client_open(server);
    expect_etag(call(client, "CONTAINER.CREATE c"));
    expect_etag(call(client, "BLOB.PUT c old x"));
    expect_ok(call(client, "QUEUE.CREATE q"));
    expect_ok(call(client, "TABLE.CREATE t"));
    const char *file = append_only_path(server, ".incr.aof");
    long before = size_of(file);
    expect_elements(atomic_of(client, LINES("BLOB.COPY c new c old", "BLOB.DELETE c old", "QUEUE.PUT q m",
                                            "TABLE.INSERT t p r PROPS 0")),
                    4);
    client_close(client);
    server_kill(server);
    long after = size_of(file);
    const char *bytes = read_file(file, after);
    for (long size = before; size <= after;
         size = size + step_asked() > after && size < after ? after : size + step_asked()) {
        write_file(file, bytes, size);
        server_restart(server);
        client = client_open(server);
        int seen = seen_at(client);
        client_close(client);
        server_kill(server);
        require(seen == (size == after ? 15 : 0), "of %ld bytes %ld leave %d", after - before, size - before,
                seen);
    }
    write_file(file, bytes, after);
    server_restart(server);
}

/* Both blobs are always written together. */
TEST(a_replica_never_shows_half) {
    enum { WRITES = 400 };
    create("c");
    expect_elements(atomic("BLOB.PUT c a 0", "BLOB.PUT c b 0"), 2);
    await_replicas();
    struct client *writer = test_client(primary->server);
    for (int i = 1; i <= WRITES; i++) {
        struct words words =
            atomic_words(LINES(pool_print("BLOB.PUT c a %d", i), pool_print("BLOB.PUT c b %d", i)));
        send_words(writer, &words);
    }
    for (int last = -1; last < WRITES;) {
        expect_ok(call(replica, "MULTI"));
        call(replica, "BLOB.GET c a");
        call(replica, "BLOB.GET c b");
        redisReply *both = expect_elements(call(replica, "EXEC"), 2);
        last = atoi(reply_string(both->element[0]->element[1]));
        expect_text(both->element[1]->element[1], pool_print("%d", last));
        if (last < WRITES) receive(writer);
    }
}
