/* The second half of every writing command: from the decided change to the world that knows of it; and what happens to
 * a table when nobody asks. */
#include "server/audience.h"
#include "server/effect.h"
#include "server/upkeep.h"
#include "table/redis/handlers.h"

enum {
    UPKEEP_PORTION = 500, /* entities that an index learns in one go */
    BREATH_MS = 1,        /* between two portions: others have their turn */
    DROPPED_PORTION = 2000,
};

struct table_stats table_stats;

/* --- To send --- */

static bool is_heard(const struct call *call) {
    return call->mode != CALL_FRESH || audience_present(call->ctx);
}

/* Nothing is recorded when nobody listens. */
static void send(struct call *call, const struct table_change *change) {
    if (!is_heard(call)) {
        effect_unheard(call);
        return;
    }
    struct record_writer record;
    record_start(&record);
    table_change_write(change, &record);
    effect_send(call, &record, NULL);
    record_end(&record);
}

static void notify(struct call *call, enum table_change_kind kind) {
    const char *event = table_change_event(kind);
    if (event) call_changed(call, event);
}

/* --- To commit --- */

/* What has been decided fits. If it does not, it must not go unseen. */
static void apply(struct call *call, const struct table_change *change) {
    switch (change->kind) {
    case TABLE_CREATE:
        call->value = table_new(change);
        RedisModule_ModuleTypeSetValue(call->key, table_aggregate.type, call->value);
        break;
    case TABLE_DROP:
        RedisModule_UnlinkKey(call->key);
        call->value = NULL;
        break;
    default:
        if (!table_apply(call->value, change)) effect_complain(call->ctx, EFFECT_MISFIT);
    }
}

void table_commit(struct call *call, const struct table_change *change) {
    apply(call, change);
    send(call, change);
    notify(call, change->kind);
    if (change->kind == TABLE_UNINDEX) table_free_dropped();
}

static void send_steps(struct call *call, enum table_change_kind kind, const struct table_step *steps,
                       size_t count) {
    struct record_writer packed;
    record_start(&packed);
    for (size_t i = 0; i < count; i++) table_step_put(&packed, &steps[i]);
    struct table_change change = {.kind = kind, .steps = {count, bytes_of(packed.data, packed.length)}};
    send(call, &change);
    record_end(&packed);
}

/* Steps borrow from argv and from drafts, never from the table, so they may be sent when they are done. */
void table_commit_steps(struct call *call, enum table_change_kind kind, struct table_step *steps,
                        size_t count) {
    struct table *table = call->value;
    int64_t now_us = server_now_us();
    table_stats.steps += count;
    for (size_t i = 0; i < count; i++) {
        if (steps[i].kind != STEP_REMOVE) {
            steps[i].etag = version_mint(now_us / 1000);
            steps[i].ticks = table_next_ticks(table, now_us);
        }
        table_do(table, &steps[i]);
    }
    if (is_heard(call))
        send_steps(call, kind, steps, count);
    else
        effect_unheard(call);
    table_expect_upkeep(call);
    notify(call, kind);
}

/* --- When nobody asks --- */

void table_expect_upkeep(struct call *call) {
    if (!table_unfinished(call->value)) return;
    upkeep_expect(RedisModule_GetSelectedDb(call->ctx), call_word(call, 1), call_now_ms(call));
}

int64_t table_upkeep(struct call *call) {
    struct table *table = call->value;
    struct table_index *index = table_unfinished(table);
    if (index) {
        struct record_writer name;
        record_start(&name);
        record_put_bytes(&name, index->name);
        struct bytes last = table_index_next(table, index, UPKEEP_PORTION);
        struct table_change change = {
            .kind = TABLE_INDEXED, .names = {1, bytes_of(name.data, name.length)}, .key = last};
        table_commit(call, &change);
        record_end(&name);
    }
    return table_unfinished(table) ? call_now_ms(call) + BREATH_MS : UPKEEP_NEVER;
}

static bool sweep_dropped(void) {
    return table_index_sweep(DROPPED_PORTION);
}

void table_free_dropped(void) {
    upkeep_soon(sweep_dropped);
}
