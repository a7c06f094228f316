/* Alarms: timers that are set for an instant of the module's clock.
 *
 * The server's timers follow the wall clock: when it is set back, those that are pending ring late by as much; when
 * it is set forward, early. So the server's cron, which does not follow it, fires overdue alarms; and the owner of
 * an alarm must be prepared to be called early, check what is due, and set the alarm again. */
#ifndef HOLDFAST_ALARM_H
#define HOLDFAST_ALARM_H

#include "server/base/api.h"

#include <stdbool.h>

enum {
    ALARM_PAUSE_MS = 1,  /* between two portions of work that nobody waits for */
    ALARM_RETRY_MS = 50, /* until work that had to be put off is tried again */
    ALARM_ELSEWHERE_MS =
        1000, /* likewise, for a key of another node of the cluster, or whose slot is on its way */
};

struct alarm {
    void (*ring)(RedisModuleCtx *ctx); /* the alarm is no longer set when this is called */
    bool set;
    bool ringing;
    int64_t due_ms;
    RedisModuleTimerID timer;
    struct alarm *next; /* list of all alarms */
};

int alarms_start(RedisModuleCtx *ctx);

/* Once, before the alarm is set. */
void alarm_register(struct alarm *alarm);

/* Sets the alarm, whether it was set or not. One that is due already rings in this turn of the event loop, but none
 * rings twice in a turn: while it rings, it is set for the end of a pause. */
void alarm_set(struct alarm *alarm, int64_t due_ms);

/* Sets the alarm only if it would ring later than this. */
void alarm_set_by(struct alarm *alarm, int64_t due_ms);

/* Sets the alarm for the next turn of the event loop, however soon that comes: what clients have sent by then is
 * carried out before. For work that clients wait for. */
void alarm_set_for_next_turn(struct alarm *alarm);

/* The clock was moved: all alarms that are set ring in the next turn of the event loop. */
void alarms_clock_moved(void);

#endif
