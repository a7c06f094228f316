#include "server/call/sample_reply.h"

sample_answer *sample_reply_wanted;

/* Any call that is certain to be refused, and has no keys. */
RedisModuleCallReply *sample_reply_take(RedisModuleCtx *ctx, sample_answer *answer) {
    sample_reply_wanted = answer;
    RedisModuleCallReply *reply = RedisModule_Call(ctx, "HOLDFAST.HELP", "c", "(a sample reply)");
    sample_reply_wanted = NULL;
    return reply;
}

char *sample_reply_bytes(RedisModuleCallReply *reply, size_t *length) {
    *length = 0;
    return reply ? (char *)RedisModule_CallReplyProto(reply, length) : NULL;
}

void sample_reply_give(RedisModuleCtx *ctx) {
    sample_answer *answer = sample_reply_wanted;
    sample_reply_wanted = NULL;
    answer(ctx);
}
