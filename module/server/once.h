/* ONCE: a call that is made with a token of the caller's, and comes again, is answered as the first one was, and not
 * done again.
 *
 *   ONCE token ─▶ known, the same words   ─▶ the kept answer: no decision, no change
 *              ─▶ known, other words      ─▶ refused
 *              ─▶ not known               ─▶ decide; if that changes something, its last change carries the memory along
 *
 * The value remembers (core/remembered.h): the token, a fingerprint of the words, when the call was made, and the answer.
 * That travels in one effect with the change that the call decided last (change/once_change.h), so that nobody has one
 * without the other: no replica, no file that was cut off.
 *
 * Of a call with one key the house does all this (decision.c). Of a transaction one of its calls is the bearer: the first
 * one that writes; its value remembers the token that the whole was asked with. Of a single call, asked and bearer are
 * the same.
 *
 * The oldest go first: when they are more than holdfast.once-most, or older than holdfast.once-seconds; with the next
 * call that is remembered there, or by upkeep. */
#ifndef HOLDFAST_ONCE_H
#define HOLDFAST_ONCE_H

#include "change/once_change.h"
#include "server/command.h"

struct setting_duration;

bool once_finds(struct call *asked, struct call *bearer);

/* Whether the bearer's value remembers a call of the token that `asked` was given. No without a token or a value. */
static inline bool once_is_known(struct call *asked, struct call *bearer) {
    return args_given(&asked->args, SLOT_ONCE) && once_finds(asked, bearer);
}

/* If so, that is what becomes of the call: it is answered, into asked->out, or refused. */
enum outcome once_answer(struct call *asked, struct call *bearer);

/* If not, and the bearer has decided a change: the call is remembered with its answer, a kept reply, when what the bearer
 * decided is carried out. Nothing to do without a token or a change. */
void once_remember(struct call *asked, struct call *bearer, struct bytes answer);

/* Its client was lost before it was told what it was granted. True when that can be given back, as if it had never been
 * called: nobody else has been told either. The memory goes, too. */
bool once_take_back(struct call *call);

/* --- For the rest of the house --- */

enum outcome once_token_rule(struct bytes token);

/* The token of a call whose client waits; empty without one. */
struct bytes once_held_token(const struct held_call *held);

extern long long once_most;
extern struct setting_duration once_time;

/* What a value remembers, and where it has it. */
static inline const struct remembered *once_remembered(const struct aggregate *type, const void *value) {
    return *(struct remembered *const *)(const void *)((const char *)value + type->remembered_at);
}
struct remembered **once_place(const struct aggregate *type, void *value);

/* A change that comes with one of the family, in the call's value. */
void once_do(struct call *call, const struct once_change *change);

int64_t once_due_ms(const struct remembered *remembered);
/* When there will be something to forget; INT64_MAX for never. */
static inline int64_t once_next_look_ms(const struct aggregate *type, const void *value) {
    const struct remembered *remembered = once_remembered(type, value);
    return remembered ? once_due_ms(remembered) : INT64_MAX;
}
/* Forgets a portion of what is to be forgotten. */
void once_upkeep(struct call *call);

void once_info(RedisModuleInfoCtx *ctx);

#endif
