#include "server/effects/upkeep.h"

#include "core/arena.h"
#include "core/deadlines.h"
#include "core/garbage.h"
#include "core/hash_index.h"
#include "core/memory.h"
#include "core/number.h"
#include "server/base/alarm.h"
#include "server/base/events.h"
#include "server/base/info.h"
#include "server/effects/doctor_keys.h"
#include "server/effects/followed.h"
#include "server/effects/once.h"

#include "ccan/array_size/array_size.h"
#include "ccan/container_of/container_of.h"

enum {
    CHORES_MAX = 16,        /* that one ring of the alarm looks at */
    NAMES_SWEPT_MAX = 128,  /* names that one ring looks at, and about as many places of the index */
    SWEEP_EVERY_MS = 60000, /* from the end of a sweep to the next one */
    GARBAGE_PORTION = 512,  /* leaves of pages, which take about a millisecond */
    REPLICA_RETRY_MS = 1000,
    LATE_MS = 10000, /* past this, scheduled upkeep is taken for lost */
};

/* Keys whose names are too long for the index get no chore: only writes to them clear what has expired. */
struct chore {
    struct entry entry; /* its name is the packed key name */
    struct deadline deadline;
};

static struct hash_index chores;
static size_t chores_bytes;
static struct deadlines deadlines;

static void on_upkeep_alarm(RedisModuleCtx *ctx);
static struct alarm alarm = {.ring = on_upkeep_alarm};

static struct upkeep_work *works; /* all that was ever asked for */

/* --- Chores --- */

static struct chore *chore_of(struct entry *entry) {
    return container_of(entry, struct chore, entry);
}

static struct key_name chore_name(const struct chore *chore) {
    return key_name_unpack(entry_name(&chore->entry));
}

static struct chore *chore_add(struct key_name name) {
    struct chore *chore = key_name_add(&chores, name, sizeof(*chore));
    chores_bytes += memory_size(chore);
    return chore;
}

static struct chore *chore_find(struct key_name name) {
    struct entry *found = key_name_find(&chores, name);
    return found ? chore_of(found) : NULL;
}

static void chore_free(struct chore *chore) {
    deadlines_unset(&deadlines, &chore->deadline);
    hash_index_remove(&chores, &chore->entry);
    chores_bytes -= memory_size(chore);
    memory_free(chore);
}

static void chore_forget(struct key_name name) {
    struct chore *chore = chore_find(name);
    if (chore) chore_free(chore);
}

bool upkeep_is_scheduled(struct key_name name) {
    return chore_find(name) != NULL;
}

/* --- Work that belongs to no key --- */

static void know_work(struct upkeep_work *work) {
    if (work->known) return;
    work->known = true;
    work->next = works;
    works = work;
}

/* Whether more is left. */
static bool do_works(void) {
    bool more = false;
    for (struct upkeep_work *work = works; work; work = work->next) {
        if (work->due) work->due = work->run();
        more |= work->due;
    }
    return more;
}

/* In the next turns of the event loop. */
static void schedule_work(struct upkeep_work *work) {
    know_work(work);
    work->due = true;
    alarm_set_by(&alarm, server_now_ms() + ALARM_PAUSE_MS);
}

void upkeep_after_sweeps(struct upkeep_work *work) {
    know_work(work);
    work->after_sweeps = true;
}

static bool sweep_garbage(void) {
    return garbage_sweep(GARBAGE_PORTION);
}

static void sweep_garbage_soon(void) {
    static struct upkeep_work work = {.run = sweep_garbage};
    schedule_work(&work);
}

/* --- Sweeping --- */

/* From the last place of the index to the first one: an index that shrinks moves what is in its last place to an
 * earlier one, where it is still found. */
static struct {
    bool going_on;
    size_t left;    /* places that have not been looked at */
    int64_t due_ms; /* when the next one begins */
    bool due;
} sweep;

static void sweep_by(int64_t due_ms) {
    if (sweep.going_on || (sweep.due && sweep.due_ms <= due_ms)) return;
    sweep.due = true;
    sweep.due_ms = due_ms;
    alarm_set_by(&alarm, due_ms);
}

void upkeep_sweep_soon(void) {
    sweep.going_on = false;
    sweep.due = false;
    sweep_by(server_now_ms() + ALARM_PAUSE_MS);
}

struct swept {
    struct arena arena;
    size_t count;
    struct swept_name {
        struct swept_name *next;
        struct key_name name;
    } * first;
};

/* Takes names, not chores: opening a key may show that it has expired, and then its chore is freed. */
static void take_key_name(void *context, struct entry *entry) {
    struct swept *swept = context;
    struct swept_name *taken = arena_alloc(&swept->arena, sizeof(*taken));
    *taken = (struct swept_name){swept->first, key_name_copy(&swept->arena, chore_name(chore_of(entry)))};
    swept->first = taken;
    swept->count++;
}

static void sweep_name(RedisModuleCtx *ctx, struct key_name name) {
    struct seen_key seen = key_name_see(ctx, name);
    bool has_upkeep = seen.type && seen.type->upkeep;
    if (has_upkeep) doctor_keys_look(name, seen.type, seen.value);
    seen_key_end(&seen);
    if (!has_upkeep) chore_forget(name);
}

static void end_sweep(void) {
    sweep.going_on = false;
    if (chores.count) sweep_by(server_now_ms() + SWEEP_EVERY_MS);
    for (struct upkeep_work *work = works; work; work = work->next)
        if (work->after_sweeps) schedule_work(work);
}

static void sweep_some(RedisModuleCtx *ctx) {
    struct swept swept = {.count = 0};
    arena_start(&swept.arena);
    if (sweep.left > chores.buckets) sweep.left = chores.buckets;
    for (int places = NAMES_SWEPT_MAX; places && sweep.left && swept.count < NAMES_SWEPT_MAX; places--)
        hash_index_visit(&chores, --sweep.left, take_key_name, &swept);
    for (const struct swept_name *taken = swept.first; taken; taken = taken->next)
        sweep_name(ctx, taken->name);
    arena_end(&swept.arena);
    if (!sweep.left) end_sweep();
}

static void sweep_when_due(RedisModuleCtx *ctx) {
    if (sweep.due && sweep.due_ms <= server_now_ms()) {
        sweep.due = false;
        sweep.going_on = true;
        sweep.left = SIZE_MAX;
    }
    if (sweep.going_on) sweep_some(ctx);
}

/* --- Scheduling --- */

void upkeep_schedule_key(struct key_name name, int64_t due_ms) {
    if (name.key.length > KEY_NAME_MAX_BYTES) return;
    struct chore *chore = chore_find(name);
    if (!chore) chore = chore_add(name);
    if (!chore->deadline.place || due_ms < chore->deadline.due_ms)
        deadlines_set(&deadlines, &chore->deadline, due_ms);
    alarm_set_by(&alarm, deadlines_first(&deadlines)->due_ms);
    sweep_by(server_now_ms() + SWEEP_EVERY_MS);
}

int64_t upkeep_next_ms(const struct data_type *type, const void *value) {
    int64_t own_ms = type->next_look_ms ? type->next_look_ms(value) : UPKEEP_NEVER;
    return number_min(own_ms, once_next_look_ms(value));
}

void upkeep_insist_on(const struct data_type *type, void *value, struct key_name name) {
    int64_t due_ms = upkeep_next_ms(type, value);
    if (due_ms == UPKEEP_NEVER) return;
    value_head(value)->upkeep_ms = due_ms;
    upkeep_schedule_key(name, due_ms);
}

void upkeep_insist(struct call *call) {
    upkeep_insist_on(call->data_type, call->value, call_key_name(call));
}

static bool is_lost(struct call *call, int64_t scheduled_ms) {
    return scheduled_ms < call_now_ms(call) - LATE_MS && scheduled_ms != UPKEEP_AT_WORK;
}

void upkeep_schedule(struct call *call) {
    int64_t due_ms = upkeep_next_ms(call->data_type, call->value);
    if (due_ms == UPKEEP_NEVER) return;
    int64_t scheduled_ms = value_head(call->value)->upkeep_ms;
    if (due_ms < scheduled_ms || is_lost(call, scheduled_ms)) upkeep_insist(call);
}

void upkeep_recover(struct call *call) {
    int64_t scheduled_ms = value_head(call->value)->upkeep_ms;
    if (scheduled_ms == UPKEEP_NEVER || is_lost(call, scheduled_ms)) upkeep_schedule(call);
}

/* --- Upkeep --- */

/* Upkeep never drops the value. Its changes schedule nothing: when the value needs upkeep again is known at the end.
 * Where a portion is not all, others come first: the next portion is never at once. */
static int64_t look_after_value(struct call *call) {
    struct value_head *head = call->value;
    head->upkeep_ms = UPKEEP_AT_WORK;
    once_upkeep(call);
    int64_t due_ms = number_min(call->data_type->upkeep(call), once_next_look_ms(head));
    return head->upkeep_ms = number_max(due_ms, call_now_ms(call) + ALARM_PAUSE_MS);
}

/* Lets a key's value clear its expired state; returns when it needs upkeep again. */
static int64_t look_after_key(RedisModuleCtx *ctx, RedisModuleString *key) {
    RedisModuleString *argv[] = {NULL, key};
    struct call call;
    int64_t due_ms = UPKEEP_NEVER;
    call_start_internal(&call, ctx, argv);
    if (call.data_type && call.data_type->upkeep) {
        due_ms = look_after_value(&call);
        doctor_keys_look(call_key_name(&call), call.data_type, call.value);
    }
    call_end(&call);
    return due_ms;
}

/* While a slot is being imported, its old owner decides what has expired, and sends that, too: deciding it here as
 * well would end sessions and windows that have been prolonged since. */
static int64_t upkeep_here(RedisModuleCtx *ctx, RedisModuleString *key) {
    return api_serves_keys(ctx, &key, 1) ? look_after_key(ctx, key) : server_now_ms() + ALARM_ELSEWHERE_MS;
}

/* The key may turn out to have expired; then the chore is freed, too. */
static void do_chore(RedisModuleCtx *ctx, const struct chore *first) {
    struct key_name name = chore_name(first);
    RedisModuleString *key = RedisModule_CreateString(NULL, name.key.data, name.key.length);
    RedisModule_SelectDb(ctx, name.db);
    int64_t due_ms = upkeep_here(ctx, key);
    struct chore *chore = chore_find((struct key_name){name.db, api_bytes(key)});
    if (chore && due_ms == UPKEEP_NEVER)
        chore_free(chore);
    else if (chore)
        deadlines_set(&deadlines, &chore->deadline, due_ms);
    RedisModule_FreeString(NULL, key);
}

static void do_due_chores(RedisModuleCtx *ctx) {
    int64_t now_ms = server_now_ms();
    for (int i = 0; i < CHORES_MAX; i++) {
        const struct deadline *first = deadlines_first(&deadlines);
        if (!first || first->due_ms > now_ms) return;
        do_chore(ctx, container_of(first, struct chore, deadline));
    }
}

/* A replica's chores wait until it is promoted, if it ever is. */
static int64_t chores_pause_ms(RedisModuleCtx *ctx, bool writable) {
    if (writable) return ALARM_PAUSE_MS;
    bool primary = RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_MASTER;
    return primary ? ALARM_RETRY_MS : REPLICA_RETRY_MS;
}

static void set_alarm(int64_t soonest_chore_ms, bool has_work) {
    const struct deadline *first = deadlines_first(&deadlines);
    if (has_work || sweep.going_on) alarm_set_by(&alarm, server_now_ms() + ALARM_PAUSE_MS);
    if (sweep.due) alarm_set_by(&alarm, sweep.due_ms);
    if (first) alarm_set_by(&alarm, number_max(first->due_ms, soonest_chore_ms));
}

static void on_upkeep_alarm(RedisModuleCtx *ctx) {
    bool writable = api_may_write(ctx), has_work = do_works();
    if (writable) do_due_chores(ctx);
    sweep_when_due(ctx);
    set_alarm(server_now_ms() + chores_pause_ms(ctx, writable), has_work);
}

/* --- What the server tells --- */

void upkeep_on_unlink(RedisModuleKeyOptCtx *ctx, const struct data_type *type, const void *value) {
    struct key_name name = {RedisModule_GetDbIdFromOptCtx(ctx),
                            api_bytes(RedisModule_GetKeyNameFromOptCtx(ctx))};
    followed_leaves(type, name, value);
    chore_forget(name);
    doctor_keys_forget(name);
}

/* A value that arrives under another name has no chore there: upkeep looks at it at once. */
static int on_arrival(RedisModuleCtx *ctx, int type, const char *event, RedisModuleString *key) {
    struct key_name name = {RedisModule_GetSelectedDb(ctx), api_bytes(key)};
    static const char *const arrivals[] = {"rename_to", "move_to", "restore", "copy_to"};
    bool arrives = false;
    (void)type;
    for (size_t i = 0; i < ARRAY_SIZE(arrivals); i++) arrives |= !strcmp(event, arrivals[i]);
    if (!arrives) return REDISMODULE_OK;
    followed_comes(ctx, name);
    upkeep_schedule_key(name, server_now_ms());
    return REDISMODULE_OK;
}

static LISTENER(on_swap, change) {
    key_name_swap(&chores, data);
}

static LISTENER(on_flush, stage) {
    upkeep_sweep_soon();
}

int upkeep_start(RedisModuleCtx *ctx) {
    alarm_register(&alarm);
    garbage_pending = sweep_garbage_soon;
    if (events_subscribe(ctx, RedisModuleEvent_FlushDB, on_flush) != REDISMODULE_OK) return REDISMODULE_ERR;
    if (events_subscribe(ctx, RedisModuleEvent_SwapDB, on_swap) != REDISMODULE_OK) return REDISMODULE_ERR;
    return RedisModule_SubscribeToKeyspaceEvents(ctx, REDISMODULE_NOTIFY_GENERIC, on_arrival);
}

/* --- INFO --- */

void upkeep_info(RedisModuleInfoCtx *ctx) {
    size_t heap_bytes = deadlines.capacity * sizeof(*deadlines.heap);
    const struct info_number numbers[] = {
        {"upkeep_keys", chores.count},
        {"upkeep_bytes", chores_bytes + chores.memory + heap_bytes},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
}
