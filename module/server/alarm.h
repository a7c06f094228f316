/* Alarms: timers that are set for an instant of the module's clock.
 *
 * The server's timers follow the wall clock: when it is set back, those that are pending ring late by as much; when it
 * is set forward, early. So the server's cron, which does not, looks after alarms that are overdue; and whoever owns an
 * alarm must expect it early, look what is due, and set it again. */
#ifndef HOLDFAST_ALARM_H
#define HOLDFAST_ALARM_H

#include "server/api.h"

#include <stdbool.h>

struct alarm {
    void (*ring)(RedisModuleCtx *ctx); /* the alarm is not set any more when it rings */
    bool set;
    int64_t due_ms;
    RedisModuleTimerID timer;
    struct alarm *next; /* of all alarms */
};

int alarms_start(RedisModuleCtx *ctx);

/* Once, before it is set. */
void alarm_register(struct alarm *alarm);

/* Whether it was set or not. */
void alarm_set(struct alarm *alarm, int64_t due_ms);

/* Only if it would not ring by then anyway. */
void alarm_set_by(struct alarm *alarm, int64_t due_ms);

/* The clock has been moved: those that are set ring with the next turn of the event loop. */
void alarms_clock_moved(void);

#endif
