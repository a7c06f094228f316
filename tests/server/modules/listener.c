/* Another module that listens to keyspace events, and does not only listen.
 *
 * LISTENER.ON event word … runs a command whenever it hears of the event; the word KEY stands for the key,
 * and what the command changes is replicated. LISTENER.HEARD tells what was heard since, as "event key,
 * event key". LISTENER.OFF ends it. LISTENER.ASK word … runs a command at once, and passes its reply on.
 * LISTENER.REUSE word … does that with a string of its own as the last word, and answers whether it may change that
 * string afterwards.
 * LISTENER.LOGIN makes the client a user of this module's own, who may do everything. */
#include <redismodule.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 16, HEARD_BYTES = 4096 };

static RedisModuleString *words[WORDS_MAX]; /* the event and the command */
static int words_count;                     /* 0 for one who only listens */
static char heard[HEARD_BYTES];

static const char *text_of(const RedisModuleString *string) {
    return RedisModule_StringPtrLen(string, NULL);
}

static void act(RedisModuleCtx *ctx, RedisModuleString *key) {
    RedisModuleString *arguments[WORDS_MAX];
    for (int at = 2; at < words_count; at++)
        arguments[at - 2] = strcmp(text_of(words[at]), "KEY") == 0 ? key : words[at];
    RedisModuleCallReply *reply =
        RedisModule_Call(ctx, text_of(words[1]), "!v", arguments, (size_t)words_count - 2);
    if (reply) RedisModule_FreeCallReply(reply);
}

static int on_event(RedisModuleCtx *ctx, int type, const char *event, RedisModuleString *key) {
    (void)type;
    size_t length = strlen(heard);
    snprintf(heard + length, sizeof(heard) - length, "%s%s %s", length ? ", " : "", event, text_of(key));
    if (words_count && strcmp(event, text_of(words[0])) == 0) act(ctx, key);
    return REDISMODULE_OK;
}

static void forget(void) {
    for (int at = 0; at < words_count; at++) RedisModule_FreeString(NULL, words[at]);
    words_count = 0;
}

static int listener_on(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (argc < 3 || argc - 1 > WORDS_MAX) return RedisModule_WrongArity(ctx);
    forget();
    heard[0] = '\0';
    for (int at = 1; at < argc; at++) words[words_count++] = RedisModule_HoldString(NULL, argv[at]);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

static int listener_heard(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    (void)argv, (void)argc;
    return RedisModule_ReplyWithStringBuffer(ctx, heard, strlen(heard));
}

static int listener_off(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    (void)argv, (void)argc;
    forget();
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

static int listener_ask(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (argc < 2) return RedisModule_WrongArity(ctx);
    RedisModuleCallReply *reply = RedisModule_Call(ctx, text_of(argv[1]), "!v", argv + 2, (size_t)argc - 2);
    if (!reply) return RedisModule_ReplyWithNull(ctx);
    RedisModule_ReplyWithCallReply(ctx, reply);
    RedisModule_FreeCallReply(reply);
    return REDISMODULE_OK;
}

static int listener_reuse(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (argc < 3) return RedisModule_WrongArity(ctx);
    RedisModuleString *own = RedisModule_CreateStringFromString(NULL, argv[argc - 1]);
    RedisModuleCallReply *reply =
        RedisModule_Call(ctx, text_of(argv[1]), "!vs", argv + 2, (size_t)argc - 3, own);
    if (reply) RedisModule_FreeCallReply(reply);
    int result = RedisModule_StringAppendBuffer(ctx, own, "more", 4);
    RedisModule_FreeString(NULL, own);
    return RedisModule_ReplyWithSimpleString(ctx, result == REDISMODULE_OK ? "OK" : "no");
}

static int listener_login(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    static RedisModuleUser *user;
    (void)argv, (void)argc;
    if (!user) user = RedisModule_CreateModuleUser("somebody");
    RedisModule_SetModuleUserACL(user, "on");
    RedisModule_SetModuleUserACL(user, "allcommands");
    RedisModule_SetModuleUserACL(user, "allkeys");
    RedisModule_AuthenticateClientWithUser(ctx, user, NULL, NULL, NULL);
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx *ctx) {
    if (RedisModule_Init(ctx, "listener", 1, REDISMODULE_APIVER_1) == REDISMODULE_ERR) return REDISMODULE_ERR;
    if (RedisModule_CreateCommand(ctx, "listener.on", listener_on, "", 0, 0, 0) == REDISMODULE_ERR ||
        RedisModule_CreateCommand(ctx, "listener.heard", listener_heard, "", 0, 0, 0) == REDISMODULE_ERR ||
        RedisModule_CreateCommand(ctx, "listener.off", listener_off, "", 0, 0, 0) == REDISMODULE_ERR ||
        RedisModule_CreateCommand(ctx, "listener.login", listener_login, "", 0, 0, 0) == REDISMODULE_ERR ||
        RedisModule_CreateCommand(ctx, "listener.reuse", listener_reuse, "", 0, 0, 0) == REDISMODULE_ERR ||
        RedisModule_CreateCommand(ctx, "listener.ask", listener_ask, "", 0, 0, 0) == REDISMODULE_ERR)
        return REDISMODULE_ERR;
    return RedisModule_SubscribeToKeyspaceEvents(ctx, REDISMODULE_NOTIFY_MODULE, on_event);
}
