/* What objects take in memory and on disk: bytes of each; bytes that a write appends to the append-only file; and how
 * long the server is busy saving and loading a million of them, next to a hash of as many fields. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure.h"

/* --- Objects --- */

/* Of 100 bytes, under a short name: one with which a string key takes 184 bytes. Random letters do not compress. */
static const struct workload workloads[] = {
    {.name = "SET, short name",
     .filler = "SET, short name",
     .request = "SET o{file} {content}",
     .is_expected = is_ok},
    {.name = "HSET, short name",
     .filler = "HSET, short name",
     .request = "HSET h o{file} {content}",
     .is_expected = is_integer},
    {.name = "BLOB.PUT, short name",
     .filler = "BLOB.PUT, short name",
     .request = "BLOB.PUT c o{file} {content}",
     .creates = "CONTAINER.CREATE c",
     .is_expected = is_token},
    {.name = "QUEUE.PUT, short name",
     .filler = "QUEUE.PUT, short name",
     .request = "QUEUE.PUT q {content}",
     .creates = "QUEUE.CREATE q",
     .is_expected = is_anything},
    {.name = "HSET, random letters",
     .filler = "HSET, random letters",
     .request = "HSET h o{file} {random}",
     .is_expected = is_integer},
    {.name = "BLOB.PUT, random letters",
     .filler = "BLOB.PUT, random letters",
     .request = "BLOB.PUT c o{file} {random}",
     .creates = "CONTAINER.CREATE c",
     .is_expected = is_token},
    {.name = "QUEUE.PUT, random letters",
     .filler = "QUEUE.PUT, random letters",
     .request = "QUEUE.PUT q {random}",
     .creates = "QUEUE.CREATE q",
     .is_expected = is_anything},
};

const struct family storage_family = FAMILY_ALONE("storage", workloads);

/* --- Memory --- */

/* The growth of used_memory, which is what maxmemory counts, over a million objects. */

enum { BYTES_PER_BLOB_MAX = 200 };

void measure_memory(const struct context *context) {
    static const struct {
        const char *filler, *name;
    } kinds[] = {{"BLOB.PUT, short name", "blob in a container"},
                 {"SET, short name", "string key"},
                 {"HSET, short name", "hash field"}};
    struct fixture fixture = fixture_open(context, "", MILLION, sizes[0].bytes);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        double bytes = bytes_per_object(&fixture, kinds[i].filler);
        add_fact(context, kinds[i].name, bytes, "bytes per object");
        if (i) continue;
        results_add_bar(context->results, ABOUT_MEMORY, "bytes per blob of 100 bytes", bytes,
                        BYTES_PER_BLOB_MAX, "bytes");
        redisReply *usage = server_command(fixture.server, "MEMORY USAGE c");
        add_aside(context, "blob, by MEMORY USAGE", (double)usage->integer / MILLION, "bytes per object");
        freeReplyObject(usage);
    }
    fixture_close(&fixture);
}

/* --- Files --- */

enum {
    OBJECTS_QUICK = 100000,
    LOADS = 2,
    BLOBS_MB = 35,
    MESSAGES_MB = 50,
    AOF_BYTES = 160,
    AOF_OBJECTS = 10000
};
#define TO_HASH 1.3

/* The first is what the others are compared with. */
static const struct stored {
    const char *name, *filler, *filler_random;
    double mb_at_most; /* of the file, when contents compress */
} stored[] = {{"hash fields", "HSET, short name", "HSET, random letters", 0},
              {"blobs", "BLOB.PUT, short name", "BLOB.PUT, random letters", BLOBS_MB},
              {"messages", "QUEUE.PUT, short name", "QUEUE.PUT, random letters", MESSAGES_MB}};
enum { STORED = ARRAY_SIZE(stored) };

/* Processor time of the server's main thread; the size of what it has written. */
struct file_cost {
    double save_ms, load_ms, mb;
};

static double file_mb(const char *path) {
    struct stat status;
    require(!stat(path, &status), "there is no %s", path);
    return (double)status.st_size / 1e6;
}

/* From its start until it answers, with the files in that folder. */
static double start_ms(const struct options *options, const char *folder) {
    char *settings = folder ? format_text("dir %s\n", folder) : NULL;
    struct server *server = server_start(options, settings ? settings : "");
    double ms = (double)server_cpu_ns(server) / 1e6;
    server_stop(server);
    free(settings);
    return ms;
}

static double load_ms(const struct context *context, const char *folder) {
    double least_ms = start_ms(context->options, folder) - start_ms(context->options, NULL);
    for (int load = 1; load < LOADS && !context->is_quick; load++)
        least_ms = lesser(least_ms, start_ms(context->options, folder) - start_ms(context->options, NULL));
    return least_ms;
}

static struct file_cost cost_of(const struct context *context, const struct stored *what, unsigned objects,
                                bool compresses) {
    struct fixture fixture = fixture_open(context, "", objects, sizes[0].bytes);
    memset(fixture.data->content, 'x', sizes[0].bytes);
    dataset_fill(fixture.data, workload_named(compresses ? what->filler : what->filler_random));
    struct file_cost cost = {.save_ms = command_ms(fixture.server, "SAVE", NULL)};
    char *path = format_text("%s/dump.rdb", fixture.server->folder);
    cost.mb = file_mb(path);
    cost.load_ms = load_ms(context, fixture.server->folder);
    free(path);
    fixture_close(&fixture);
    return cost;
}

static void add_ratio_bar(const struct context *context, const char *what, const struct stored *kind,
                          const char *contents, double ratio) {
    add_bar(context, ABOUT_DISK, format_text("%s %s / %s, %s", what, kind->name, stored[0].name, contents),
            ratio, TO_HASH, "x");
}

static void add_cost_bars(const struct context *context, const struct stored *kind, const char *contents,
                          double limit_mb, const struct file_cost *cost, const struct file_cost *hash) {
    add_bar(context, ABOUT_DISK, format_text("RDB file of %s, %s", kind->name, contents), cost->mb, limit_mb,
            "MB");
    add_fact(context, format_text("save %s, %s: CPU", kind->name, contents), cost->save_ms, "ms");
    add_fact(context, format_text("load %s, %s: CPU", kind->name, contents), cost->load_ms, "ms");
    if (cost == hash) return;
    add_ratio_bar(context, "save", kind, contents, cost->save_ms / hash->save_ms);
    add_ratio_bar(context, "load", kind, contents, cost->load_ms / hash->load_ms);
}

static void measure_files_of(const struct context *context, bool compresses) {
    unsigned objects = context->is_quick ? OBJECTS_QUICK : MILLION;
    const char *contents = compresses ? "one letter" : "random letters";
    struct file_cost costs[STORED];
    for (unsigned i = 0; i < STORED; i++) {
        double limit_mb = compresses && !context->is_quick ? stored[i].mb_at_most : 0;
        costs[i] = cost_of(context, &stored[i], objects, compresses);
        add_cost_bars(context, &stored[i], contents, limit_mb, &costs[i], &costs[0]);
    }
}

/* --- The append-only file --- */

static double aof_bytes(struct server *server) {
    while (server_info_number(server, "aof_buffer_length")) server_settle();
    return (double)server_info_number(server, "aof_current_size");
}

/* Objects that are there are written again. */
static double aof_bytes_per_write(const struct fixture *fixture, const char *name) {
    const struct workload *workload = workload_named(name);
    struct driver driver =
        driver_open(workload, fixture->data, dataset_fill(fixture->data, workload), PIPELINE, CONNECTIONS);
    double before = aof_bytes(fixture->server);
    driver_visit_all(&driver, 1);
    double bytes = (aof_bytes(fixture->server) - before) / AOF_OBJECTS;
    driver_close(&driver);
    return bytes;
}

static void measure_aof(const struct context *context) {
    struct fixture fixture = fixture_open(context, WITH_AOF, AOF_OBJECTS, sizes[0].bytes);
    add_fact(context, "AOF, bytes of a SET of 100 B", aof_bytes_per_write(&fixture, "SET, short name"),
             "bytes");
    add_bar(context, ABOUT_DISK, "AOF, bytes of a BLOB.PUT of 100 B",
            aof_bytes_per_write(&fixture, "BLOB.PUT, short name"), AOF_BYTES, "bytes");
    fixture_close(&fixture);
}

void measure_disk(const struct context *context) {
    measure_aof(context);
    measure_files_of(context, true);
    measure_files_of(context, false);
}
