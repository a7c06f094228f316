/*
 * What an entity of ten properties takes, and a hash of the same fields: the growth of used_memory, which is what
 * maxmemory counts, over a million of them.
 */
#include "basics.h"
#include "entities.h"
#include "tables.h"

enum { MORE_THAN_A_HASH = 150 };

static double bytes_each(const struct million *million, const char *filler) {
    int64_t before = server_info_number(million->server, "used_memory");
    dataset_stock(million->data, workload_named(filler));
    server_settle();
    return (double)(server_info_number(million->server, "used_memory") - before) / million->data->objects;
}

void measure_table_memory(const struct part *part, const struct million *million) {
    double entity = bytes_each(million, "TABLE.INSERT");
    double hash = bytes_each(million, "HSET of 10 fields");
    redisReply *usage = server_command(million->server, "MEMORY USAGE " TABLE);
    part_tell(part, "an entity of 10 properties, used_memory", entity, "bytes");
    part_tell(part, "an entity, MEMORY USAGE", (double)usage->integer / million->data->objects, "bytes");
    part_tell(part, "a hash of the same 10 fields, used_memory", hash, "bytes");
    part_judge(part, "bytes per entity, more than for a hash", entity - hash, MORE_THAN_A_HASH, "bytes");
    freeReplyObject(usage);
}
