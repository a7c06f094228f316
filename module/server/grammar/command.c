#include "server/grammar/command.h"

#include <string.h>

bool command_may_grow(const struct command *command) {
    return strstr(command->flags, "deny-oom");
}

uint64_t command_key_flags(enum key_use use) {
    switch (use) {
    case KEY_READ: return REDISMODULE_CMD_KEY_RO | REDISMODULE_CMD_KEY_ACCESS;
    case KEY_CREATE: return REDISMODULE_CMD_KEY_RW | REDISMODULE_CMD_KEY_INSERT;
    case KEY_TAKE: return REDISMODULE_CMD_KEY_RW | REDISMODULE_CMD_KEY_ACCESS | REDISMODULE_CMD_KEY_UPDATE;
    case KEY_REMOVE:
    case KEY_CLEAR: return REDISMODULE_CMD_KEY_RM | REDISMODULE_CMD_KEY_DELETE;
    case KEY_UPDATE:
    case KEY_EFFECT:
    case KEY_NONE: break;
    }
    return REDISMODULE_CMD_KEY_RW | REDISMODULE_CMD_KEY_UPDATE;
}

static int key_rights(enum key_use use) {
    const int rights = REDISMODULE_CMD_KEY_ACCESS | REDISMODULE_CMD_KEY_INSERT | REDISMODULE_CMD_KEY_DELETE |
                       REDISMODULE_CMD_KEY_UPDATE;
    return (int)command_key_flags(use) & rights;
}

static bool may_use(RedisModuleCtx *ctx, RedisModuleString *key, enum key_use use) {
    return api_may_use(ctx, key, key_rights(use));
}

bool command_may_use_with(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, RedisModuleString *key,
                          enum key_use use) {
    const struct api_use with = {ctx, argv, argc, key, key_rights(use)};
    return api_may_use_with(&with);
}

/* Whether a call has two keys. */
static bool has_other_key(const struct command *command, RedisModuleString **argv, int argc) {
    struct args args = {.given = 0};
    struct fault fault;
    if (!command->other_key || !command->elsewhere) return command->other_key;
    if (argc >= args_min(command->grammar)) args_parse(command->grammar, argv, argc, &args, &fault);
    return !args_given(&args, command->elsewhere);
}

void command_tell_keys(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                       int at) {
    if (command->key == KEY_NONE || argc < 2) return;
    RedisModule_KeyAtPosWithFlags(ctx, at + 1, (int)command_key_flags(command->key));
    if (command->other_key < argc && has_other_key(command, argv, argc))
        RedisModule_KeyAtPosWithFlags(ctx, at + command->other_key, (int)command_key_flags(KEY_READ));
}

bool command_may_use_keys(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv,
                          int argc) {
    if (!may_use(ctx, argv[1], command->key)) return false;
    return !has_other_key(command, argv, argc) || may_use(ctx, argv[command->other_key], KEY_READ);
}
