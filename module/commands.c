/* THE table: one row per command. Registration, parser, COMMAND DOCS, key specs, ACL categories and the
 * syntax lines of the pages all come from here. */
#include "commands.h"

#include "clauses.h"
#include "help.h"
#include "named_in_rows.h"
#include "server/effects/effect.h"
#include "server/effects/incoming.h"
#include "server/effects/upkeep.h"
#include "server/running/atomic.h"
#include "server/running/run.h"

#include "ccan/array_size/array_size.h"

/* clang-format off */
/* --- Grammars --- */

/* Parts of initialisers cannot be parenthesised. NOLINTBEGIN(bugprone-macro-parentheses) */
#define CONDITIONS &if_match, &if_none_match, &if_modified_since, &if_unmodified
#define SOURCE_CONDITIONS &source_if_match, &source_if_none_match, &source_modified_since, &source_unmodified

/* How a command uses its key. */
#define READS              .key = KEY_READ,   .flags = "readonly fast",                           .categories = "read fast"
#define WRITES             .key = KEY_UPDATE, .flags = "write deny-oom fast",                     .categories = "write fast"
#define CREATES            .key = KEY_CREATE, .flags = "write deny-oom fast",                     .categories = "write fast"
#define COPIES             .key = KEY_UPDATE, .flags = "write deny-oom fast",                     .categories = "write fast", .other_key = 3
#define WRITES_ANYWAY      .key = KEY_UPDATE, .flags = "write fast",                              .categories = "write fast"
#define REMOVES            .key = KEY_REMOVE, .flags = "write fast",                              .categories = "write fast"
#define ON_LEASE           .key = KEY_UPDATE, .flags = "write fast",                              .categories = "write fast", .settle = lease_settle
#define WAITS              .key = KEY_UPDATE, .flags = "write deny-oom blocking",                 .categories = "write blocking"
#define READS_OR_WAITS     .key = KEY_READ,   .flags = "readonly blocking",                       .categories = "read blocking"
#define READS_PAGES        .key = KEY_READ,   .flags = "readonly",                                .categories = "read slow"
#define WRITES_MUCH        .key = KEY_UPDATE, .flags = "write deny-oom",                          .categories = "write slow"
#define WRITES_MUCH_ANYWAY .key = KEY_UPDATE, .flags = "write",                                   .categories = "write slow"
#define TAKES_OR_WAITS     .key = KEY_TAKE,   .flags = "write blocking",                          .categories = "write blocking"
#define ADMINISTERS        .key = KEY_NONE,   .flags = "admin fast",                              .categories = "admin dangerous fast"
#define TELLS              .key = KEY_NONE,   .flags = "readonly fast allow-loading allow-stale", .categories = "read fast"
#define EXAMINES           .key = KEY_NONE,   .flags = "admin allow-stale",                       .categories = "admin dangerous slow"
#define DROPS              .key = KEY_CLEAR,  .flags = "write fast",                              .categories = "write fast"

/* It takes something for which others may wait: the outcome when these come first, and what gives back a grant. */
#define GIVES_WAY(outcome, back) .gives_way = (outcome), .give_back = (back)

/* What examples name. */
#define AN_ID      "f3b1c7de-90a2-4c55-8d1e-2a9be1f06d47"
#define A_RECEIPT  "2a9be1f06d478d1e4c5590a2f3b1c7de"
#define AN_ETAG    "0x6AFD83F800000002"
#define A_SNAPSHOT "0x6AFD83F800000003"

/* What it works on. */
#define ON_QUEUE           .data_type = &queue_type, .settle = queue_settle_some
#define LOOKS_AT_QUEUE     .data_type = &queue_type, .settle = upkeep_schedule
#define ON_SHARE           .data_type = &share_type
#define ON_PATH            ON_SHARE, .prefetch = file_prefetch
#define ON_TABLE           .data_type = &table_type
#define ON_ENTITY          ON_TABLE, .prefetch = table_prefetch
#define LOOKS_AT_CONTAINER .data_type = &container_type
#define LOOKS_AT_BLOB      LOOKS_AT_CONTAINER, .prefetch = blob_prefetch
#define ON_CONTAINER       LOOKS_AT_CONTAINER, .settle = container_clear_staged
#define ON_BLOB            LOOKS_AT_BLOB, .settle = container_clear_staged

/* The operations of a batch, in the order of enum verb. */
static const struct command_part table_operations[] = {
    {"INSERT",          GRAMMAR(&new_row, &entity)},
    {"REPLACE",         GRAMMAR(&row, &match, &condition, &entity)},
    {"MERGE",           GRAMMAR(&row, &match, &condition, &entity)},
    {"DELETE",          GRAMMAR(&row, &match, &condition)},
    {"INSERTORREPLACE", GRAMMAR(&row, &entity)},
    {"INSERTORMERGE",   GRAMMAR(&row, &entity)},
    {NULL, NULL},
};

#define EACH_ROW(row) ROW_##row,
#define EACH_EFFECT(row) ROW_##row,
enum {
#include "command_rows.h"
    ROW_COUNT
};
static const struct command commands[ROW_COUNT];

#define EACH_ROW(row)                                                                                        \
    static int enter_##row(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {                        \
        return run_command(&commands[ROW_##row], ctx, argv, argc);                                           \
    }
#define EACH_EFFECT(row)                                                                                     \
    static int enter_##row(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {                        \
        return incoming_run(&commands[ROW_##row], ctx, argv, argc);                                          \
    }
#include "command_rows.h"

#define RUNS(handler, ...) [ROW_##handler] = { .handle = handler, .entry = enter_##handler, __VA_ARGS__ },
#define APPLIES(row, ...) [ROW_##row] = { .entry = enter_##row, .key = KEY_EFFECT, .tell_keys = incoming_tell_keys, .flags = "write", .categories = "write dangerous", __VA_ARGS__ },
#define DECIDES(handler, ...) [ROW_##handler] = { .decide = handler, .entry = enter_##handler, __VA_ARGS__ },
#define WRITES_ENTITY(row, verb, ...) [ROW_##row] = { .decide = table_write_decide, .variant = (verb), .entry = enter_##row, ON_ENTITY, .check = table_write_check, __VA_ARGS__ },
static const struct command commands[ROW_COUNT] = {
#include "command_rows.h"
};
/* clang-format on */
/* NOLINTEND(bugprone-macro-parentheses) */

const struct command *commands_table(size_t *count) {
    *count = ARRAY_SIZE(commands);
    return commands;
}
