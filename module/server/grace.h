/* Grace: a server that may lack the newest writes grants nothing that one alone may hold, until what was lost has run out.
 *
 * It lacks them when it was promoted, and when it has loaded a file that may have no tail. A lease that was granted just
 * before, and that is not known here, is still believed in by its holder: so nobody else gets it for
 * holdfast.grace-seconds. With no lease longer than that, two holders never overlap in time. */
#ifndef HOLDFAST_GRACE_H
#define HOLDFAST_GRACE_H

#include "server/command.h"
#include "server/settings.h"

/* Where the parser leaves the word of HOLDFAST.GRACE. */
enum { SLOT_GRACE_WORD = SLOT_FAMILY };

extern struct setting_duration grace_time; /* holdfast.grace-seconds */
extern const char *const grace_words[];

/* When the present grace began and when it ends; both 0 while there is none. Only for those who also ask grace_lasts. */
struct grace {
    int64_t began_ms, ends_ms;
};

extern struct grace grace;

int grace_start(RedisModuleCtx *ctx);

/* How long nothing new is granted; 0 without grace. */
int64_t grace_remaining_ms(int64_t now_ms);

/* Whether nothing new is granted at the moment of the call. */
static inline bool grace_lasts(struct call *call) {
    return grace.ends_ms && grace_remaining_ms(call_now_ms(call)) > 0;
}

/* Says in the call's refusal how long that lasts. Answers the outcome. */
enum outcome grace_refuse(struct call *call);

/* The setting was changed: 0 ends what lasts. */
void grace_changed(void);

#endif
