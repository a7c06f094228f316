#include "one_moment.h"

#include <stdlib.h>

#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "queues.h"
#include "text.h"

enum { ATTEMPTS = 200, STANDS_MS = 3600000 };

/* Tells what the time is: it is answered with it. */
static const char probe[] = "QUEUE.PUT clock x";

static bool is_step(const char *line) {
    return *line == '+';
}

static void play_in_transaction(const char *line) {
    long long step_ms = is_step(line) ? atoll(line + 1) : 0;
    if (step_ms) line = pool_print("CONFIG SET holdfast.clock-offset-ms %lld", clock_after(step_ms));
    redisReply *reply = call_line(primary, line);
    require(reply->type == REDIS_REPLY_STATUS, "%s gives %s", line, reply_text(reply));
}

static void prepare(const char *preparation) {
    call(primary, "DEL jobs clock");
    expect_ok(call(primary, "QUEUE.CREATE clock"));
    queue_setup("");
    for (const char *const *line = text_commands(preparation); *line && **line; line++) {
        redisReply *reply = call_line(primary, *line);
        require(!reply_is_error(reply), "%s gives %s", *line, reply_text(reply));
    }
}

static long long told_time(const redisReply *put) {
    return field(put, "visible-at")->integer;
}

/* What EXEC answered, or NULL when time has passed by itself. */
static redisReply *play_once(const char *const *lines, size_t count) {
    long long stepped_ms = 0;
    expect_ok(call(primary, "MULTI"));
    play_in_transaction(probe);
    for (size_t i = 0; i < count; i++) {
        play_in_transaction(lines[i]);
        if (is_step(lines[i])) stepped_ms += atoll(lines[i] + 1);
    }
    play_in_transaction(probe);
    redisReply *all = expect_elements(call(primary, "EXEC"), count + 2);
    long long passed_ms = told_time(all->element[count + 1]) - told_time(all->element[0]);
    return passed_ms == stepped_ms ? all : NULL;
}

redisReply *at_one_moment(const char *preparation, const char *text) {
    const char *const *lines = text_commands(text);
    size_t count = 0;
    while (lines[count]) count++;
    redisReply *all = NULL, *replies = pool_take(sizeof(*replies));
    for (int attempt = 0; attempt < ATTEMPTS && !all; attempt++) {
        prepare(preparation);
        all = play_once(lines, count);
        time_passes(0);
    }
    require(all, "the clock does not stand still");
    replies->type = REDIS_REPLY_ARRAY;
    replies->element = pool_take((count + 1) * sizeof(*replies->element));
    for (size_t i = 0; i < count; i++)
        if (!is_step(lines[i])) replies->element[replies->elements++] = all->element[i + 1];
    expect_number(call(primary, "DEL clock"), 1);
    return replies;
}

long long stop_clock(void) {
    expect_ok(call(primary, "QUEUE.CREATE clock"));
    told_time(call_line(primary, probe)); /* only a time that somebody was told is kept */
    expect_ok(call(primary, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(0) - STANDS_MS));
    long long now_ms = told_time(call_line(primary, probe));
    expect_number(call(primary, "DEL clock"), 1);
    return now_ms;
}
