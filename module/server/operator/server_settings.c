#include "server/operator/server_settings.h"

#include "server/base/alarm.h"
#include "server/base/server_clock.h"
#include "server/call/reply_limit.h"
#include "server/effects/incoming.h"
#include "server/effects/once.h"
#include "server/waiting/grace.h"

#define SETTABLE_REPLY_MIN_BYTES 1024
#define SETTABLE_REPLY_MAX_BYTES (512LL << 30)

#define ONCE_CALLS_MAX 10000000
#define ONCE_MAX_MS    (86400000LL * 30)

#define GRACE_MAX_MS (86400000LL * 365) /* as the longest lease */

/* Fifty years either way. Instants before 1970 and versions beyond VERSION_MAX could be written and not
 * be read again. */
#define CLOCK_OFFSET_MAX_MS 1577880000000LL

const struct setting server_settings[] = {
    {.name = "clock-offset-ms",
     .number = &clock_offset_ms,
     .changed = alarms_clock_moved,
     .min = -CLOCK_OFFSET_MAX_MS,
     .max = CLOCK_OFFSET_MAX_MS},
    {.name = "accept-effects", .toggle = &accept_effects},
    {.name = "grace-seconds",
     .duration = &grace_time,
     .changed = grace_changed,
     .min = 0,
     .max = GRACE_MAX_MS},
    {.name = "once-most", .number = &once_max, .min = 1, .max = ONCE_CALLS_MAX},
    {.name = "once-seconds", .duration = &once_time, .min = 1, .max = ONCE_MAX_MS},
    {.name = "max-reply-bytes",
     .bytes = true,
     .number = &max_reply_bytes,
     .min = SETTABLE_REPLY_MIN_BYTES,
     .max = SETTABLE_REPLY_MAX_BYTES},
    {.name = NULL},
};
