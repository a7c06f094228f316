/*
 * What an object costs in memory: the growth of used_memory, which is what maxmemory counts, over a million
 * objects.
 */
#include <stdlib.h>

#include "basics.h"
#include "sections.h"

enum { BYTES_PER_BLOB_AT_MOST = 260 };

static double bytes_per_object(struct server *server, struct dataset *data, const char *filler) {
    int64_t before = server_info_number(server, "used_memory");
    dataset_stock(data, workload_named(filler));
    return (double)(server_info_number(server, "used_memory") - before) / data->objects;
}

void measure_memory(const struct section *section, const struct options *options, struct results *results) {
    static const struct {
        const char *filler, *name;
    } kinds[] = {{"BLOB.PUT", "blob in a container"}, {"SET", "string key"}, {"HSET", "hash field"}};
    struct server *server = server_start(options, "");
    struct dataset *data = dataset_open(server, 0, MILLION, sizes[0].bytes);
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        double bytes = bytes_per_object(server, data, kinds[index].filler);
        results_fact(results,
                     (struct fact){section->name, kinds[index].name, bytes, "bytes per object", false});
        if (index) continue;
        results_bar(results, "bytes per blob of 100 bytes", bytes, BYTES_PER_BLOB_AT_MOST, "bytes");
        redisReply *usage = server_command(server, "MEMORY USAGE container");
        results_fact(results,
                     (struct fact){section->name, "blob, by MEMORY USAGE",
                                   (double)usage->integer / data->objects, "bytes per object", true});
        freeReplyObject(usage);
    }
    dataset_close(data);
    server_stop(server);
}
