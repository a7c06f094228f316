#include "server/grammar/registration.h"

#include "core/memory.h"
#include "server/grammar/syntax.h"

#include "ccan/build_assert/build_assert.h"

#include <stdio.h>

#define SINCE "1.0.0"

enum { SPECS = 3 }; /* two keys, and the end */

static const RedisModuleCommandInfoVersion sizes = {
    .version = 1,
    .sizeof_historyentry = sizeof(RedisModuleCommandHistoryEntry),
    .sizeof_keyspec = sizeof(RedisModuleCommandKeySpec),
    .sizeof_arg = sizeof(struct syntax_arg),
};

/* Arguments for the server live until it has copied them. */
struct run_of_siblings {
    struct run_of_siblings *next;
    struct syntax_arg nodes[];
};

struct tree {
    struct run_of_siblings *runs;
};

static void tree_empty(struct tree *tree) {
    while (tree->runs) {
        struct run_of_siblings *run = tree->runs;
        tree->runs = run->next;
        memory_free(run);
    }
}

/* A run of siblings, ended by one without a name. */
static struct syntax_arg *add_siblings(struct tree *tree, size_t count) {
    struct run_of_siblings *run = memory_zeroed(sizeof(*run) + (count + 1) * sizeof(run->nodes[0]));
    run->next = tree->runs;
    tree->runs = run;
    return run->nodes;
}

static struct syntax_arg leaf_arg(const char *name, RedisModuleCommandArgType type) {
    return (struct syntax_arg){.name = name, .type = type, .key_spec_index = -1};
}

/* One of the words, and the number after it if it takes one. */
static struct syntax_arg *word_choices(struct tree *tree, const struct clause *clause) {
    size_t count = 0;
    while (clause->words[count]) count++;
    size_t numbered = clause->shape == SHAPE_MEASURE ? count - clause->bare : 0;
    struct syntax_arg *choices = add_siblings(tree, count);
    for (size_t i = 0; i < count; i++) {
        choices[i] = i < numbered ? leaf_arg(clause->names[0], REDISMODULE_ARG_TYPE_INTEGER)
                                  : leaf_arg(clause->words[i], REDISMODULE_ARG_TYPE_PURE_TOKEN);
        choices[i].token = clause->words[i];
    }
    return choices;
}

static struct syntax_arg *value_list(struct tree *tree, const struct clause *clause,
                                     RedisModuleCommandArgType type) {
    struct syntax_arg *list = add_siblings(tree, clause->width);
    for (size_t i = 0; i < clause->width; i++) list[i] = leaf_arg(clause->names[i], type);
    return list;
}

/* A word and a value, always together. */
static struct syntax_arg *chosen_pair(struct tree *tree, const struct clause *clause) {
    struct syntax_arg *pair = add_siblings(tree, 2);
    pair[0] = leaf_arg("choice", REDISMODULE_ARG_TYPE_ONEOF);
    pair[0].subargs = word_choices(tree, clause);
    pair[1] = leaf_arg(clause->names[0], REDISMODULE_ARG_TYPE_STRING);
    return pair;
}

/* count, then the items, words or pairs as often as it says. */
static struct syntax_arg *counted_pair(struct tree *tree, const struct clause *clause) {
    struct syntax_arg *pair = add_siblings(tree, 2);
    pair[0] = leaf_arg("count", REDISMODULE_ARG_TYPE_INTEGER);
    if (clause->shape == SHAPE_WORDS) {
        pair[1] = leaf_arg("what", REDISMODULE_ARG_TYPE_ONEOF);
        pair[1].subargs = word_choices(tree, clause);
    } else {
        bool pairs = clause->shape == SHAPE_CHOSEN;
        pair[1] = leaf_arg("item", REDISMODULE_ARG_TYPE_BLOCK);
        pair[1].subargs =
            pairs ? chosen_pair(tree, clause) : value_list(tree, clause, REDISMODULE_ARG_TYPE_STRING);
        pair[1].flags = REDISMODULE_CMD_ARG_OPTIONAL;
    }
    pair[1].flags |= REDISMODULE_CMD_ARG_MULTIPLE;
    return pair;
}

/* A list among the positional arguments is two of the server's: the count, and what is counted. */
static void list_arguments(struct tree *tree, const struct clause *clause, struct syntax_arg pair[2]) {
    pair[0] = leaf_arg("count", REDISMODULE_ARG_TYPE_INTEGER);
    pair[1] = leaf_arg(clause->names[0], REDISMODULE_ARG_TYPE_STRING);
    if (clause->width > 1) {
        pair[1] = leaf_arg("item", REDISMODULE_ARG_TYPE_BLOCK);
        pair[1].subargs = value_list(tree, clause, REDISMODULE_ARG_TYPE_STRING);
    }
    pair[1].flags = REDISMODULE_CMD_ARG_MULTIPLE;
}

/* Several values after one token. */
static void make_block(struct tree *tree, const struct clause *clause, RedisModuleCommandArgType type,
                       struct syntax_arg *arg) {
    arg->name = clause->token.data;
    arg->type = REDISMODULE_ARG_TYPE_BLOCK;
    arg->subargs = value_list(tree, clause, type);
}

static struct syntax_arg option_arg(struct tree *tree, const struct clause *clause) {
    struct syntax_arg arg = leaf_arg(clause->names[0], REDISMODULE_ARG_TYPE_STRING);
    arg.token = clause->token.data;
    arg.flags = clause->required ? REDISMODULE_CMD_ARG_NONE : REDISMODULE_CMD_ARG_OPTIONAL;
    switch (clause->shape) {
    case SHAPE_FLAG:
        arg.name = clause->token.data;
        arg.type = REDISMODULE_ARG_TYPE_PURE_TOKEN;
        break;
    case SHAPE_NUMBER: arg.type = REDISMODULE_ARG_TYPE_INTEGER; break;
    case SHAPE_DURATION: arg.type = REDISMODULE_ARG_TYPE_DOUBLE; break;
    case SHAPE_RANGE: make_block(tree, clause, REDISMODULE_ARG_TYPE_INTEGER, &arg); break;
    case SHAPE_VALUE:
        if (clause->width > 1) make_block(tree, clause, REDISMODULE_ARG_TYPE_STRING, &arg);
        break;
    case SHAPE_MEASURE: arg.name = clause->token.data; /* fall through */
    case SHAPE_KEYWORD:
    case SHAPE_CHOICE:
        if (clause->shape == SHAPE_KEYWORD || !clause->token.length) arg.token = NULL;
        arg.type = REDISMODULE_ARG_TYPE_ONEOF;
        arg.subargs = word_choices(tree, clause);
        break;
    case SHAPE_WORDS:
    case SHAPE_ITEMS:
        arg.name = clause->token.data;
        arg.type = REDISMODULE_ARG_TYPE_BLOCK;
        arg.subargs = counted_pair(tree, clause);
        break;
    default: break;
    }
    return arg;
}

/* A number, the values, and any number of words. */
static struct syntax_arg group_arg(struct tree *tree, const struct clause *clause) {
    struct syntax_arg arg = leaf_arg("group", REDISMODULE_ARG_TYPE_BLOCK);
    arg.subargs = value_list(tree, clause, REDISMODULE_ARG_TYPE_STRING);
    arg.subargs[0].type = REDISMODULE_ARG_TYPE_INTEGER;
    arg.subargs[clause->width - 1].flags = REDISMODULE_CMD_ARG_OPTIONAL | REDISMODULE_CMD_ARG_MULTIPLE;
    arg.flags = REDISMODULE_CMD_ARG_MULTIPLE;
    return arg;
}

/* key_spec counts the keys so far. */
static struct syntax_arg clause_arg(struct tree *tree, const struct clause *clause, int *key_spec) {
    struct syntax_arg arg;
    if (clause->shape == SHAPE_NUMBER && !clause->token.length)
        return leaf_arg(clause->names[0], REDISMODULE_ARG_TYPE_INTEGER);
    switch (clause->shape) {
    case SHAPE_KEY:
        arg = leaf_arg(clause->names[0], REDISMODULE_ARG_TYPE_KEY);
        arg.key_spec_index = (*key_spec)++;
        return arg;
    case SHAPE_CHOSEN:
        arg = leaf_arg(clause->list, REDISMODULE_ARG_TYPE_BLOCK);
        arg.subargs = counted_pair(tree, clause);
        return arg;
    case SHAPE_TEXT:
        arg = leaf_arg(clause->names[0], REDISMODULE_ARG_TYPE_STRING);
        if (clause->optional) arg.flags = REDISMODULE_CMD_ARG_OPTIONAL;
        return arg;
    case SHAPE_REST:
        if (clause->width) return group_arg(tree, clause);
        arg = leaf_arg(clause->names[0], REDISMODULE_ARG_TYPE_STRING);
        arg.flags = REDISMODULE_CMD_ARG_OPTIONAL | REDISMODULE_CMD_ARG_MULTIPLE;
        return arg;
    default: return option_arg(tree, clause);
    }
}

static RedisModuleCommandKeySpec key_spec(int position, uint64_t flags) {
    return (RedisModuleCommandKeySpec){
        .flags = flags,
        .begin_search_type = REDISMODULE_KSPEC_BS_INDEX,
        .bs.index.pos = position,
        .find_keys_type = REDISMODULE_KSPEC_FK_RANGE,
        .fk.range = {.lastkey = 0, .keystep = 1, .limit = 0},
    };
}

/* One mandatory word. */
static bool is_plain(const struct clause *clause) {
    switch (clause->shape) {
    case SHAPE_KEY:
    case SHAPE_TEXT: return !clause->optional;
    case SHAPE_NUMBER:
    case SHAPE_ID:
    case SHAPE_CHOICE: return !clause->token.length;
    default: return false;
    }
}

/* Only a command of plain positional arguments has a fixed number of words. */
static int min_arity(const struct grammar *grammar) {
    int min = args_min(grammar);
    bool fixed = true;
    for (const struct clause *const *at = grammar->clauses; *at; at++) fixed &= is_plain(*at);
    return fixed ? min : -min;
}

/* As many arguments of the server as clauses, and one more for each list. */
static struct syntax_arg *clause_args(struct tree *tree, const struct clause *const *clauses) {
    size_t count = 0;
    for (size_t i = 0; clauses[i]; i++) count += clauses[i]->shape == SHAPE_LIST ? 2 : 1;
    struct syntax_arg *args = add_siblings(tree, count), *next = args;
    int keys = 0;
    for (; *clauses; clauses++) {
        if ((*clauses)->shape == SHAPE_LIST) {
            list_arguments(tree, *clauses, next);
            next += 2;
        } else {
            *next++ = clause_arg(tree, *clauses, &keys);
        }
    }
    return args;
}

static bool is_asked(const struct command *command) {
    return api_asks_for_keys() && (command->tell_keys || command->other_key);
}

/* The only key, or the first of several; 0 for none. A server that asks for keys is not told where to find them. */
static int first_key(const struct command *command) {
    if (command->key != KEY_NONE) return 1;
    return is_asked(command) ? 0 : command->first_key;
}

/* A transaction itself checks what its commands do with their keys. */
static uint64_t first_key_flags(const struct command *command) {
    return command->key == KEY_NONE ? REDISMODULE_CMD_KEY_RO : command_key_flags(command->key);
}

/* A server that asks is told then, see command_tell_keys; else it is left to the command, see other_key.h. */
static uint64_t other_key_flags(const struct command *command) {
    uint64_t flags = command_key_flags(KEY_READ);
    if (!is_asked(command)) return flags | REDISMODULE_CMD_KEY_NOT_KEY;
    return command->elsewhere ? flags | REDISMODULE_CMD_KEY_INCOMPLETE : flags;
}

static void describe_keys(const struct command *command, RedisModuleCommandKeySpec *specs) {
    int first = first_key(command);
    if (first) specs[0] = key_spec(first, first_key_flags(command));
    if (command->other_key) specs[1] = key_spec(command->other_key, other_key_flags(command));
    if (command->key == KEY_EFFECT && is_asked(command)) specs[0].flags |= REDISMODULE_CMD_KEY_INCOMPLETE;
}

static int describe_command(RedisModuleCommand *handle, const struct command *command, struct tree *tree) {
    RedisModuleCommandKeySpec specs[SPECS] = {{0}};
    bool has_args = command->grammar->clauses[0];
    BUILD_ASSERT(offsetof(struct syntax_arg, flags) == offsetof(RedisModuleCommandArg, flags));
    BUILD_ASSERT(offsetof(struct syntax_arg, subargs) == offsetof(RedisModuleCommandArg, subargs));
    describe_keys(command, specs);
    RedisModuleCommandInfo info = {
        .version = &sizes,
        .summary = command->summary,
        .complexity = command->complexity,
        .since = SINCE,
        .arity = min_arity(command->grammar),
        .key_specs = specs,
        .args = has_args ? (RedisModuleCommandArg *)clause_args(tree, command->grammar->clauses) : NULL,
    };
    return RedisModule_SetCommandInfo(handle, &info);
}

static void learn_grammars(const struct command *command) {
    args_learn(command->grammar);
    for (const struct command_part *part = command->parts; part && part->word; part++)
        args_learn(part->grammar);
}

static int create_command(RedisModuleCtx *ctx, const struct command *command) {
    char flags[64];
    int key = first_key(command);
    snprintf(flags, sizeof(flags), "%s%s", command->flags, is_asked(command) ? " getkeys-api" : "");
    return RedisModule_CreateCommand(ctx, command->name, command->entry, flags, key, key, key != 0);
}

static int add_one(RedisModuleCtx *ctx, const struct command *command) {
    struct tree tree = {NULL};
    learn_grammars(command);
    if (create_command(ctx, command) != REDISMODULE_OK) return REDISMODULE_ERR;
    RedisModuleCommand *handle = RedisModule_GetCommand(ctx, command->name);
    if (!handle) return REDISMODULE_ERR;
    api_set_categories(handle, command->categories);
    int result = describe_command(handle, command, &tree);
    tree_empty(&tree);
    return result;
}

/* One that takes its key alone can ask the server for memory. */
static void note_growing(const struct command *command) {
    if (command_may_grow(command) && args_min(command->grammar) == 2) api_ask_growth_by(command->name);
}

int registration_add(RedisModuleCtx *ctx, const struct command *commands, size_t count) {
    int result = REDISMODULE_OK;
    for (size_t i = 0; i < count && result == REDISMODULE_OK; i++) {
        result = add_one(ctx, &commands[i]);
        note_growing(&commands[i]);
        if (result != REDISMODULE_OK)
            RedisModule_Log(ctx, "warning", "the command %s could not be registered", commands[i].name);
    }
    return result;
}

void registration_syntax(const struct command *command, struct text *line) {
    struct tree tree = {NULL};
    text_put(line, command->name);
    syntax_put(line, clause_args(&tree, command->grammar->clauses));
    tree_empty(&tree);
}
