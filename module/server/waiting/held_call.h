/* Calls whose clients wait, and what they were granted. */
#ifndef HOLDFAST_HELD_CALL_H
#define HOLDFAST_HELD_CALL_H

#include "server/call/call.h"

#include "ccan/list/list.h"

/* What a waiting client was granted, until it can be told. */
struct held_result {
    enum outcome outcome;
    char note[CALL_NOTE_BYTES];
    struct record_writer reply; /* packed: see reply.h */
    struct record_writer grant; /* what give_back needs; empty when there is nothing to undo */
};

/* A call whose client waits: parsed once, decided as often as its line changes. Its lists and its form are not held:
 * commands that wait have none. */
struct held_call {
    const struct command *command;
    RedisModuleString **argv;
    int argc;
    struct args_kept *args;
    struct conditions conditions;
    int db;
    RedisModuleBlockedClient *client;
    unsigned long long client_id;
    RedisModuleString *user; /* who called; NULL for nobody */
    struct held_result result;
    struct list_node node; /* in a list of handover.c */
    bool served;           /* its reply is decided */
    bool listed;           /* it is in the list to be told */
    bool told;             /* the server has asked for the reply … */
    int64_t told_us;       /* … at this time of api_elapsed_us */
};

/* Whether no command that may wait has lists in its grammar; asked once, at load. False after a line in the log. */
bool held_call_fits_all(RedisModuleCtx *ctx, const struct command *commands, size_t count);

struct held_call *held_call_new(const struct call *call);
void held_call_free(struct held_call *held);

/* Starts a call with the held words. */
void held_call_resume(const struct held_call *held, struct call *call, RedisModuleCtx *ctx,
                      enum call_mode mode);

/* Whether its client still is there, and is the user who called. One whose user was deleted is about to be closed by
 * the server, which sends it nothing any more. */
bool held_call_keeps_user(const struct held_call *held, RedisModuleCtx *ctx);
/* Whether that user may still run the command on its keys. */
bool held_call_is_permitted(const struct held_call *held, RedisModuleCtx *ctx);

/* The token given with ONCE; empty without one. */
struct bytes held_call_token(const struct held_call *held);

/* Whether it is this call, sent before under the same token. */
bool held_call_is_repeated(const struct held_call *held, const struct call *call);

/* Tells the client what it was granted. */
void held_result_reply(RedisModuleCtx *ctx, const struct held_result *result);
void held_result_end(struct held_result *result);

#endif
