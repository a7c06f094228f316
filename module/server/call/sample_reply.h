/* A reply of the server to keep: one of our own commands is called, and answered as asked. Nothing but such a reply can
 * be handed to RedisModule_ReplyWithCallReply, which copies bytes to a client as they are. */
#ifndef HOLDFAST_SAMPLE_REPLY_H
#define HOLDFAST_SAMPLE_REPLY_H

#include "server/base/api.h"

#include <stdbool.h>

typedef void sample_answer(RedisModuleCtx *ctx);

/* NULL when the server refuses the call, for example because another module filters commands. INFO counts a call of
 * HOLDFAST.HELP, and MONITOR shows it. Not while a command runs, which would have another call in its middle. */
RedisModuleCallReply *sample_reply_take(RedisModuleCtx *ctx, sample_answer *answer);

/* The reply as it is sent, to be written over: the API shows these bytes as constant, but they are a copy that the
 * server made for this reply alone. NULL if there is no reply. */
char *sample_reply_bytes(RedisModuleCallReply *reply, size_t *length);

/* How the call is to be answered that was made to get a sample; NULL at all other times. */
extern sample_answer *sample_reply_wanted;

void sample_reply_give(RedisModuleCtx *ctx);

/* Whether this call was only made to get a sample, and has been answered. */
static inline bool sample_reply_given(RedisModuleCtx *ctx) {
    if (!sample_reply_wanted || !ctx) return false;
    sample_reply_give(ctx);
    return true;
}

#endif
