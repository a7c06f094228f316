/* ONCE: a call made with a token is done once; when it is repeated, it gets the first call's reply.
 *
 *   ONCE token ─▶ known, the same words   ─▶ the stored answer: no decision, no change
 *              ─▶ known, other words      ─▶ refused
 *              ─▶ not known               ─▶ decide; the last change, if there is one, carries the memory along
 *
 * The value remembers (core/once_log.h): the token, a fingerprint of the words, when the call was made, and the
 * answer. That travels in one effect with the call's last change (change/once_change.h), so that no replica and no
 * truncated file has one without the other.
 *
 * For a call with one key run.c does all this. In a transaction the token is given to the whole (`asked`), and one of
 * its calls is the carrier: one that changes the first key in which anything changes. Its value remembers the token. A
 * single call is both.
 *
 * The oldest calls are forgotten when there are more than holdfast.once-most, when they take more than
 * ONCE_BYTES_MAX, or when they are older than holdfast.once-seconds: with the next call that is remembered there,
 * or by upkeep. */
#ifndef HOLDFAST_ONCE_H
#define HOLDFAST_ONCE_H

#include "change/once_change.h"
#include "change/value_head.h"
#include "server/call/call.h"

struct setting_duration;

bool once_finds(struct call *asked, struct call *carrier);

/* Whether the carrier's value remembers a call with the token given to `asked`. False without a token or a value. */
static inline bool once_is_known(struct call *asked, struct call *carrier) {
    return args_given(&asked->args, SLOT_ONCE) && once_finds(asked, carrier);
}

/* For a repeated call: writes the reply to asked->out, or refuses it. */
enum outcome once_answer(struct call *asked, struct call *carrier);

/* For a new call with a token whose carrier has decided a change: remembers it with its packed reply when the carrier's
 * changes are applied. */
void once_remember(struct call *asked, struct call *carrier, struct bytes answer);

/* The client was lost before it got its grant. True when the grant can be undone, as if the call had never been
 * made: nobody else has been told either. The call is forgotten, too. */
bool once_take_back(struct call *call);

/* --- For the server side --- */

extern long long once_max;
extern struct setting_duration once_time;

/* What the value remembers along with a change of the call. */
void once_do(struct call *call, const struct once_change *change);

int64_t once_due_ms(const struct once_log *once_log);
/* When there will be something to forget; INT64_MAX for never. */
static inline int64_t once_next_look_ms(const struct value_head *head) {
    return head->once_log ? once_due_ms(head->once_log) : INT64_MAX;
}
/* Forgets a portion of the expired calls. */
void once_upkeep(struct call *call);

void once_info(RedisModuleInfoCtx *ctx);

#endif
