#include "server/operator/info_section.h"

#include "server/base/server_clock.h"
#include "server/call/refusal.h"
#include "server/effects/effect.h"
#include "server/effects/once.h"
#include "server/effects/upkeep.h"
#include "server/running/atomic.h"
#include "server/waiting/grace.h"
#include "server/waiting/handover.h"

#include "ccan/array_size/array_size.h"

#include <stdio.h>

static const char *version_text;
static struct data_type *const *types;
static void (*add_more)(RedisModuleInfoCtx *);

/* Several outcomes may have one code, each with a text of its own. */
static bool has_code_of(enum outcome outcome, enum outcome other) {
    return !strcmp(outcome_text(outcome)->code, outcome_text(other)->code);
}

static bool is_told_before(enum outcome outcome) {
    for (enum outcome other = OUTCOME_FIRST; other < outcome; other++)
        if (has_code_of(outcome, other)) return true;
    return false;
}

static unsigned long long count_of_code(enum outcome outcome) {
    unsigned long long sum = 0;
    for (enum outcome other = outcome; other < OUTCOME_COUNT; other++)
        if (has_code_of(outcome, other)) sum += refusal_count(other);
    return sum;
}

/* There are more than a hundred of these, and most stay at zero for ever: what has not occurred is not shown. */
static void show_if_any(RedisModuleInfoCtx *ctx, const char *prefix, const char *name,
                        unsigned long long count) {
    char field[64];
    if (!count) return;
    snprintf(field, sizeof(field), "%s%s", prefix, name);
    RedisModule_InfoAddFieldULongLong(ctx, field, count);
}

static void add_refusals(RedisModuleInfoCtx *ctx) {
    unsigned long long sum = 0;
    for (enum outcome outcome = OUTCOME_FIRST; outcome < OUTCOME_COUNT; outcome++) {
        sum += refusal_count(outcome);
        if (!is_told_before(outcome))
            show_if_any(ctx, "refused_", outcome_text(outcome)->code, count_of_code(outcome));
    }
    RedisModule_InfoAddFieldULongLong(ctx, "refused", sum);
}

static const char *const classes[] = {"PRECONDITION", "CONFLICT", "NOTFOUND", "INVALID",   "ERR",
                                      "WRONGTYPE",    "NOPERM",   "OOM",      "CROSSSLOT", "TRYAGAIN"};

static void add_classes(RedisModuleInfoCtx *ctx) {
    for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
        unsigned long long sum = 0;
        for (enum outcome outcome = OUTCOME_FIRST; outcome < OUTCOME_COUNT; outcome++)
            if (!strcmp(outcome_text(outcome)->class, classes[i])) sum += refusal_count(outcome);
        show_if_any(ctx, "refused_class_", classes[i], sum);
    }
}

static void show_section(RedisModuleInfoCtx *ctx, int for_crash_report) {
    RedisModule_InfoAddSection(ctx, "");
    RedisModule_InfoAddFieldCString(ctx, "version", version_text);
    RedisModule_InfoAddFieldULongLong(ctx, "version_epoch", version_newest() >> 32);
    for (struct data_type *const *type = types; *type; type++) {
        (*type)->info(ctx);
        if ((*type)->survey && !for_crash_report) (*type)->survey(ctx);
    }
    add_more(ctx);
    atomic_info(ctx);
    upkeep_info(ctx);
    once_info(ctx);
    RedisModule_InfoAddFieldLongLong(ctx, "clock_behind_ms", server_clock_behind_ms());
    RedisModule_InfoAddFieldLongLong(ctx, "grace_remaining_ms", grace_remaining_ms(server_now_ms()));
    RedisModule_InfoAddFieldULongLong(ctx, "given_back", handover_given_back());
    RedisModule_InfoAddFieldULongLong(ctx, "effects_misfit", effect_misfits());
    RedisModule_InfoAddFieldULongLong(ctx, "effects_malformed", effect_malformed());
    add_classes(ctx);
    add_refusals(ctx);
}

int info_section_register(RedisModuleCtx *ctx, const char *version, struct data_type *const *data_types,
                          void (*more)(RedisModuleInfoCtx *)) {
    add_more = more;
    version_text = version;
    types = data_types;
    return RedisModule_RegisterInfoFunc(ctx, show_section);
}
