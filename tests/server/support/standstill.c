#include "standstill.h"

#include <stdlib.h>
#include <string.h>

#include "leases.h"
#include "pool.h"
#include "world.h"

static bool is_step(const char *line) {
    return *line == '+';
}

static void queue_line(const char *line) {
    if (is_step(line))
        line = pool_print("CONFIG SET holdfast.clock-offset-ms %lld", clock_after(atoll(line + 1)));
    redisReply *reply = call_line(primary, line);
    require(reply->type == REDIS_REPLY_STATUS, "%s gives %s", line, reply_text(reply));
}

const char *const *lines_of(const char *text) {
    static const char between[] = "; ";
    size_t count = 0;
    const char **lines = pool_take((strlen(text) + 2) * sizeof *lines);
    for (const char *end; (end = strstr(text, between)); text = end + strlen(between))
        lines[count++] = pool_copy(text, (size_t)(end - text));
    lines[count] = text;
    return lines;
}

redisReply *standstill(const char *text) {
    const char *const *lines = lines_of(text);
    size_t count = 0;
    redisReply *replies = pool_take(sizeof *replies);
    expect_ok(call(primary, "MULTI"));
    for (; lines[count]; count++) queue_line(lines[count]);
    redisReply *all = expect_elements(call(primary, "EXEC"), count);
    replies->type = REDIS_REPLY_ARRAY;
    replies->element = pool_take((count + 1) * sizeof *replies->element);
    for (size_t index = 0; index < count; index++) {
        if (is_step(lines[index]))
            expect_ok(all->element[index]);
        else
            replies->element[replies->elements++] = all->element[index];
    }
    time_passes(0);
    return replies;
}
