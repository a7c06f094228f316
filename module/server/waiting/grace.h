/* Grace: a server that may lack the newest writes grants nothing exclusive until everything lost has expired.
 *
 * It may lack them after a promotion, and after loading a file whose tail may be missing. The holder of a lease that
 * was granted just before, and is unknown here, still relies on it: so nobody else gets it for
 * holdfast.grace-seconds. If no lease is longer than that, two holders never overlap. */
#ifndef HOLDFAST_GRACE_H
#define HOLDFAST_GRACE_H

#include "server/base/settings.h"
#include "server/call/call.h"

/* Slot of HOLDFAST.GRACE's word. */
enum { SLOT_GRACE_WORD = SLOT_FAMILY };

extern struct setting_duration grace_time; /* holdfast.grace-seconds */
extern const char *const grace_words[];

/* When the current grace began and when it ends; both 0 while there is none. Only valid together with grace_lasts. */
struct grace {
    int64_t began_ms, ends_ms;
};

extern struct grace grace;

int grace_start(RedisModuleCtx *ctx);

/* How long nothing new is granted; 0 without grace. */
int64_t grace_remaining_ms(int64_t now_ms);

/* Whether nothing new is granted at the time of the call. */
static inline bool grace_lasts(struct call *call) {
    return grace.ends_ms && grace_remaining_ms(call_now_ms(call)) > 0;
}

/* Adds the remaining time to the call's refusal. Returns the outcome. */
enum outcome grace_refuse(struct call *call);

/* The setting was changed: 0 ends the grace. */
void grace_changed(void);

#endif
