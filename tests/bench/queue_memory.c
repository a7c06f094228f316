/*
 * What a message of 100 bytes costs, waiting and in somebody's hands: the growth of used_memory, which is what
 * maxmemory counts, and MEMORY USAGE beside it.
 */
#include "basics.h"
#include "queue_courses.h"
#include "queues.h"

enum { MESSAGES = 1000000, MESSAGES_QUICK = 100000 };
enum { WAITING_AT_MOST = 240, IN_FLIGHT_AT_MOST = 300 };

static const struct kept {
    const char *name, *key;
    const struct course *put, *take;
    bool is_ours;
} ways[] = {{"queue", "queue", &queue_put, &queue_take, true},
            {"stream", "stream", &stream_put, &stream_take, false},
            {"Lua", "set", &script_put, &script_take, false},
            {"list", "list", &list_put, &list_take, false}};

/* By way of a connection of its own, and after those that carried messages have gone: buffers are not messages. */
static void course_finish(struct server *server, const struct course *course, const char *key,
                          unsigned messages) {
    struct dataset *data = dataset_open(server, 0, 1, MESSAGE_BYTES);
    struct troop *troop = troop_open(course, data, key);
    troop_run(troop, messages / course->batch);
    troop_close(troop);
    dataset_close(data);
    server_settle();
}

static int64_t usage_of(struct server *server, const char *key) {
    redisReply *reply = server_command(server, "MEMORY USAGE %s SAMPLES 0", key);
    int64_t bytes = reply->type == REDIS_REPLY_INTEGER ? reply->integer : 0;
    freeReplyObject(reply);
    return bytes;
}

static void tell(const struct part *part, struct server *server, const struct kept *way, const char *state,
                 int64_t before, unsigned messages, double limit) {
    int64_t usage = usage_of(server, way->key) + usage_of(server, print_text("%s" BESIDE_SUFFIX, way->key));
    double bytes = (double)(server_info_number(server, "used_memory") - before) / messages;
    const char *name = print_text("%s: a message %s, used_memory", way->name, state);
    if (way->is_ours)
        part_judge(part, name, bytes, limit, "bytes");
    else
        part_tell(part, name, bytes, "bytes");
    name = print_text("%s: a message %s, MEMORY USAGE", way->name, state);
    part_tell(part, name, (double)usage / messages, "bytes");
}

void measure_queue_memory(const struct part *part) {
    unsigned messages = part->is_quick ? MESSAGES_QUICK : MESSAGES;
    struct server *server = server_start(part->options, LARGE_BATCHES);
    for (size_t index = 0; index < sizeof ways / sizeof *ways; index++) {
        const struct kept *way = &ways[index];
        way->put->prepare(server, way->key);
        int64_t before = server_info_number(server, "used_memory");
        course_finish(server, way->put, way->key, messages);
        tell(part, server, way, "waiting", before, messages, WAITING_AT_MOST);
        course_finish(server, way->take, way->key, messages);
        tell(part, server, way, "in flight", before, messages, IN_FLIGHT_AT_MOST);
    }
    server_stop(server);
}
