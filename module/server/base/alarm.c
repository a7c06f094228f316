#include "server/base/alarm.h"

#include "server/base/events.h"
#include "server/base/notices.h"
#include "server/base/server_clock.h"

/* The server counts in microseconds, in which a very distant instant would overflow. */
enum { LONGEST_MS = 3600000 };

/* Rings in this turn of the event loop. The server looks at its first timer only, and after looking in vain not again
 * for a millisecond: so this timer must sort before the one it then waits for. */
enum { AT_ONCE_MS = -2 };

static struct alarm *alarms;
static RedisModuleCtx *timer_ctx;

static void on_timer(RedisModuleCtx *ctx, void *data) {
    struct alarm *alarm = data;
    alarm->set = false; /* first: a timer must not be stopped while it rings */
    alarm->ringing = true;
    size_t outer = notices_hold();
    alarm->ring(ctx);
    notices_release(ctx, outer);
    alarm->ringing = false;
}

static void set_timer(struct alarm *alarm, int64_t in_ms) {
    if (alarm->set) RedisModule_StopTimer(timer_ctx, alarm->timer, NULL);
    if (in_ms <= 0) in_ms = alarm->ringing ? ALARM_PAUSE_MS : AT_ONCE_MS;
    if (in_ms > LONGEST_MS) in_ms = LONGEST_MS;
    alarm->timer = RedisModule_CreateTimer(timer_ctx, in_ms, on_timer, alarm);
    alarm->set = true;
}

void alarm_set(struct alarm *alarm, int64_t due_ms) {
    alarm->due_ms = due_ms;
    set_timer(alarm, due_ms - server_now_ms());
}

void alarm_set_by(struct alarm *alarm, int64_t due_ms) {
    if (!alarm->set || alarm->due_ms > due_ms) alarm_set(alarm, due_ms);
}

static void on_next_turn(void *data) {
    struct alarm *alarm = data;
    if (alarm->set) set_timer(alarm, 0);
}

/* A timer alone would not do: while timers ring, the server waits for a millisecond at least before it looks again. */
void alarm_set_for_next_turn(struct alarm *alarm) {
    alarm_set_by(alarm, server_now_ms());
    RedisModule_EventLoopAddOneShot(on_next_turn, alarm);
}

void alarm_register(struct alarm *alarm) {
    alarm->next = alarms;
    alarms = alarm;
}

void alarms_clock_moved(void) {
    for (struct alarm *alarm = alarms; alarm; alarm = alarm->next)
        if (alarm->set) set_timer(alarm, 0);
}

static LISTENER(on_cron, stage) {
    for (struct alarm *alarm = alarms; alarm; alarm = alarm->next)
        if (alarm->set && alarm->due_ms < server_now_ms()) set_timer(alarm, 0);
}

int alarms_start(RedisModuleCtx *ctx) {
    timer_ctx = RedisModule_GetDetachedThreadSafeContext(ctx);
    if (!timer_ctx) return REDISMODULE_ERR;
    return events_subscribe(ctx, RedisModuleEvent_CronLoop, on_cron);
}
