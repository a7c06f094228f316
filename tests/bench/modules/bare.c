/* A module for the measured server: commands that do as little as a module's command can do with as many words, an
 * opened key, and an answer of the same shape. Beside a command of Holdfast they show what any module would pay.
 *
 *   BARE.PUT key word …      keeps the longest word; answers what looks like an ETag; sends itself on as BAR
 *   BARE.GET key word …      answers that and the word that is kept
 *   BARE.REFUSE key word …   opens the key, and answers an error
 *   BAR key record           what replicas and files get: the word behind as many bytes as a small record has
 *   BARE.SEND                from now on BARE.PUT sends */
#include <redismodule.h>
#include <stdbool.h>
#include <string.h>

#define TOKEN   "0x6AFE5F3F5CC20F52"
#define REFUSAL "CONFLICT LeaseAlreadyPresent held for another 3599.123 s, nobody is waiting"

enum { KEPT_MAX = 64 << 10, RECORD_BYTES = 32, KEY = 1, WORDS };

struct kept {
    size_t length;
    char record[RECORD_BYTES], bytes[KEPT_MAX]; /* one behind the other, since they are sent together */
};

static RedisModuleType *kept_type;
static bool sends;

/* --- The type --- */

static void kept_free(void *value) {
    RedisModule_Free(value);
}

static void kept_save(RedisModuleIO *io, void *value) {
    const struct kept *kept = value;
    RedisModule_SaveStringBuffer(io, kept->bytes, kept->length);
}

static void *kept_load(RedisModuleIO *io, int version) {
    (void)version;
    struct kept *kept = RedisModule_Calloc(1, sizeof(*kept));
    char *bytes = RedisModule_LoadStringBuffer(io, &kept->length);
    memcpy(kept->bytes, bytes, kept->length);
    RedisModule_Free(bytes);
    return kept;
}

static struct kept *kept_of(RedisModuleKey *key) {
    if (RedisModule_KeyType(key) == REDISMODULE_KEYTYPE_EMPTY)
        RedisModule_ModuleTypeSetValue(key, kept_type, RedisModule_Calloc(1, sizeof(struct kept)));
    return RedisModule_ModuleTypeGetValue(key);
}

/* --- The commands --- */

static void keep_longest(struct kept *kept, RedisModuleString **argv, int argc) {
    const char *longest = NULL;
    kept->length = 0;
    for (int i = WORDS; i < argc; i++) {
        size_t length;
        const char *word = RedisModule_StringPtrLen(argv[i], &length);
        if (length <= kept->length || length > KEPT_MAX) continue;
        longest = word;
        kept->length = length;
    }
    if (longest) memcpy(kept->bytes, longest, kept->length);
}

static int bare_put(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (argc <= WORDS) return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[KEY], REDISMODULE_READ | REDISMODULE_WRITE);
    struct kept *kept = kept_of(key);
    keep_longest(kept, argv, argc);
    if (sends) RedisModule_Replicate(ctx, "BAR", "sb", argv[KEY], kept->record, RECORD_BYTES + kept->length);
    RedisModule_CloseKey(key);
    return RedisModule_ReplyWithStringBuffer(ctx, TOKEN, sizeof(TOKEN) - 1);
}

static int bare_get(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (argc <= WORDS) return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[KEY], REDISMODULE_READ);
    if (!key) return RedisModule_ReplyWithNull(ctx);
    const struct kept *kept = RedisModule_ModuleTypeGetValue(key);
    RedisModule_ReplyWithArray(ctx, 2);
    RedisModule_ReplyWithStringBuffer(ctx, TOKEN, sizeof(TOKEN) - 1);
    RedisModule_ReplyWithStringBuffer(ctx, kept->bytes, kept->length);
    RedisModule_CloseKey(key);
    return REDISMODULE_OK;
}

static int bare_refuse(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (argc <= WORDS) return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[KEY], REDISMODULE_READ | REDISMODULE_WRITE);
    RedisModule_CloseKey(key);
    return RedisModule_ReplyWithError(ctx, REFUSAL);
}

/* Nobody reads its answer. */
static int bare_apply(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    if (argc != WORDS + 1) return RedisModule_WrongArity(ctx);
    RedisModuleKey *key = RedisModule_OpenKey(ctx, argv[KEY], REDISMODULE_READ | REDISMODULE_WRITE);
    struct kept *kept = kept_of(key);
    size_t length;
    const char *record = RedisModule_StringPtrLen(argv[WORDS], &length);
    kept->length = length - RECORD_BYTES;
    memcpy(kept->bytes, record + RECORD_BYTES, kept->length);
    RedisModule_CloseKey(key);
    RedisModule_ReplicateVerbatim(ctx);
    return REDISMODULE_OK;
}

static int bare_send(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    (void)argv, (void)argc;
    sends = true;
    return RedisModule_ReplyWithSimpleString(ctx, "OK");
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(RedisModuleCtx *ctx) {
    static const struct {
        const char *name;
        RedisModuleCmdFunc function;
        const char *flags;
        int key;
    } commands[] = {
        {"bare.put", bare_put, "write deny-oom fast", KEY},
        {"bare.get", bare_get, "readonly fast", KEY},
        {"bare.refuse", bare_refuse, "write deny-oom fast", KEY},
        {"bar", bare_apply, "write fast", KEY},
        {"bare.send", bare_send, "", 0},
    };
    RedisModuleTypeMethods methods = {.version = REDISMODULE_TYPE_METHOD_VERSION,
                                      .rdb_load = kept_load,
                                      .rdb_save = kept_save,
                                      .free = kept_free};
    if (RedisModule_Init(ctx, "bare", 1, REDISMODULE_APIVER_1) == REDISMODULE_ERR) return REDISMODULE_ERR;
    kept_type = RedisModule_CreateDataType(ctx, "bare-kept", 0, &methods);
    if (!kept_type) return REDISMODULE_ERR;
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (RedisModule_CreateCommand(ctx, commands[i].name, commands[i].function, commands[i].flags,
                                      commands[i].key, commands[i].key, commands[i].key) == REDISMODULE_ERR)
            return REDISMODULE_ERR;
    return REDISMODULE_OK;
}
