#include "server/upkeep.h"

#include "core/deadlines.h"
#include "core/hash.h"
#include "core/hash_index.h"
#include "core/leftovers.h"
#include "core/memory.h"
#include "server/alarm.h"
#include "server/events.h"
#include "server/info.h"
#include "server/noted.h"
#include "server/once.h"

#include "ccan/array_size/array_size.h"
#include "ccan/container_of/container_of.h"

enum {
    CHORES_MAX = 16,         /* that one ring of the alarm looks at */
    SWEPT_MAX = 128,         /* names that one ring looks at, and about as many places of the index */
    BREATHER_MS = 1,         /* between two rings when there is more to do than fits in one */
    SWEEP_EVERY_MS = 60000,  /* from the end of a sweep to the next one */
    LEFTOVERS_PORTION = 512, /* leaves of pages, which take about a millisecond */
    PAUSED_RETRY_MS = 50,
    REPLICA_RETRY_MS = 1000,
    ELSEWHERE_RETRY_MS = 1000, /* a key whose slot is on its way */
    LATE_MS = 10000,           /* past this, a look that was expected is taken for lost */
    KEY_MAX_BYTES = 60000,     /* a longer name is looked after by its own writes alone */
};

/* Its address, the entry's name, stands behind it: db, then key. */
struct chore {
    struct entry entry;
    struct deadline deadline;
    int db;
    char address[];
};

static struct hash_index chores;
static size_t chores_bytes;
static struct deadlines deadlines;

static void on_upkeep_alarm(RedisModuleCtx *ctx);
static struct alarm alarm = {.ring = on_upkeep_alarm};

/* What belongs to no key: each work once, as long as it has something left. */
enum { WORKS_MAX = 8 };
struct works {
    bool (*list[WORKS_MAX])(void);
    unsigned count;
};
static struct works works, sweep_works;

/* --- Chores --- */

static struct chore *chore_of(struct entry *entry) {
    return container_of(entry, struct chore, entry);
}

static struct bytes upkeep_key(const struct chore *chore) {
    return bytes_of(chore->address + sizeof(chore->db), chore->entry.name_length - sizeof(chore->db));
}

/* Writes db and the entry's hash, where the key's name and its length are known. */
static void chore_set_db(struct chore *chore, int db) {
    chore->db = db;
    memcpy(chore->address, &db, sizeof(db));
    chore->entry.hash = hash_bytes(entry_name(&chore->entry));
}

static struct chore *chore_new(int db, struct bytes key) {
    size_t length = sizeof(db) + key.length;
    struct chore *chore = memory_zeroed(sizeof(*chore) + length);
    if (key.length) memcpy(chore->address + sizeof(db), key.data, key.length);
    chore->entry = (struct entry){0, (uint16_t)length, offsetof(struct chore, address)};
    chore_set_db(chore, db);
    return chore;
}

static struct chore *chore_find(int db, struct bytes key) {
    if (!chores.count || key.length > KEY_MAX_BYTES) return NULL;
    struct chore *wanted = chore_new(db, key);
    struct entry *found = hash_index_find(&chores, wanted->entry.hash, entry_name(&wanted->entry));
    memory_free(wanted);
    return found ? chore_of(found) : NULL;
}

static void chore_add(struct chore *chore) {
    hash_index_add(&chores, &chore->entry);
    chores_bytes += memory_size(chore);
}

static void chore_free(struct chore *chore) {
    deadlines_unset(&deadlines, &chore->deadline);
    hash_index_remove(&chores, &chore->entry);
    chores_bytes -= memory_size(chore);
    memory_free(chore);
}

static void chore_forget(int db, struct bytes key) {
    struct chore *chore = chore_find(db, key);
    if (chore) chore_free(chore);
}

bool upkeep_is_expected(int db, struct bytes key) {
    return chore_find(db, key) != NULL;
}

/* --- Sweeping --- */

/* From the last place of the index to the first one: an index that shrinks moves what is in its last place to an earlier
 * one, where it is still found. */
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
    sweep_by(server_now_ms() + BREATHER_MS);
}

struct swept {
    size_t count, capacity;
    struct swept_name {
        int db;
        RedisModuleString *key;
    } * names;
};

/* Names and no chores: what opens a key may find that it has expired, and then the chore is gone. */
static void take_key_name(void *context, struct entry *entry) {
    struct swept *swept = context;
    const struct chore *chore = chore_of(entry);
    struct bytes key = upkeep_key(chore);
    if (swept->count == swept->capacity) {
        swept->capacity = swept->capacity ? swept->capacity * 2 : SWEPT_MAX;
        swept->names = memory_resize(swept->names, swept->capacity * sizeof(*swept->names));
    }
    swept->names[swept->count++] =
        (struct swept_name){chore->db, RedisModule_CreateString(NULL, key.data, key.length)};
}

static void sweep_name(RedisModuleCtx *ctx, const struct swept_name *name) {
    RedisModule_SelectDb(ctx, name->db);
    RedisModuleKey *key = api_peek_key(ctx, name->key);
    const struct data_type *type = key ? data_type_of(RedisModule_ModuleTypeGetType(key)) : NULL;
    bool there = type && type->upkeep;
    if (there) noted_look(name->db, api_bytes(name->key), type, RedisModule_ModuleTypeGetValue(key));
    if (key) RedisModule_CloseKey(key);
    if (!there) chore_forget(name->db, api_bytes(name->key));
    RedisModule_FreeString(NULL, name->key);
}

static void end_sweep(void) {
    sweep.going_on = false;
    if (chores.count) sweep_by(server_now_ms() + SWEEP_EVERY_MS);
    for (unsigned i = 0; i < sweep_works.count; i++) upkeep_soon(sweep_works.list[i]);
}

static void sweep_some(RedisModuleCtx *ctx) {
    struct swept swept = {0, 0, NULL};
    if (sweep.left > chores.buckets) sweep.left = chores.buckets;
    for (int places = SWEPT_MAX; places && sweep.left && swept.count < SWEPT_MAX; places--)
        hash_index_visit(&chores, --sweep.left, take_key_name, &swept);
    for (size_t i = 0; i < swept.count; i++) sweep_name(ctx, &swept.names[i]);
    memory_free(swept.names);
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

/* --- Expecting --- */

void upkeep_expect(int db, struct bytes key, int64_t due_ms) {
    if (key.length > KEY_MAX_BYTES) return;
    struct chore *chore = chore_find(db, key);
    if (!chore) {
        chore = chore_new(db, key);
        chore_add(chore);
    }
    if (!chore->deadline.place || due_ms < chore->deadline.due_ms)
        deadlines_set(&deadlines, &chore->deadline, due_ms);
    alarm_set_by(&alarm, deadlines_first(&deadlines)->due_ms);
    sweep_by(server_now_ms() + SWEEP_EVERY_MS);
}

int64_t *upkeep_look_at(const struct data_type *type, void *value) {
    return (int64_t *)((char *)value + type->look_at);
}

int64_t upkeep_next_ms(const struct data_type *type, const void *value) {
    int64_t own_ms = type->next_look_ms ? type->next_look_ms(value) : UPKEEP_NEVER;
    int64_t once_ms = once_next_look_ms(type, value);
    return own_ms < once_ms ? own_ms : once_ms;
}

void upkeep_insist(struct call *call) {
    int64_t due_ms = upkeep_next_ms(call->data_type, call->value);
    if (due_ms == UPKEEP_NEVER) return;
    *upkeep_look_at(call->data_type, call->value) = due_ms;
    upkeep_expect(RedisModule_GetSelectedDb(call->ctx), call_word(call, 1), due_ms);
}

void upkeep_schedule(struct call *call) {
    int64_t due_ms = upkeep_next_ms(call->data_type, call->value);
    if (due_ms == UPKEEP_NEVER) return;
    int64_t look_ms = *upkeep_look_at(call->data_type, call->value);
    bool expected = look_ms && look_ms <= due_ms && call_now_ms(call) <= look_ms + LATE_MS;
    if (!expected) upkeep_insist(call);
}

/* --- Works --- */

static void works_add(struct works *all, bool (*work)(void)) {
    for (unsigned i = 0; i < all->count; i++)
        if (all->list[i] == work) return;
    if (all->count < WORKS_MAX) all->list[all->count++] = work;
}

static void do_works(void) {
    struct works due = works;
    works.count = 0;
    for (unsigned i = 0; i < due.count; i++)
        if (due.list[i]()) works_add(&works, due.list[i]);
}

void upkeep_soon(bool (*work)(void)) {
    works_add(&works, work);
    alarm_set_by(&alarm, server_now_ms() + BREATHER_MS);
}

static bool sweep_leftovers(void) {
    return leftovers_sweep(LEFTOVERS_PORTION);
}

static void sweep_leftovers_soon(void) {
    upkeep_soon(sweep_leftovers);
}

void upkeep_after_sweeps(bool (*work)(void)) {
    works_add(&sweep_works, work);
}

/* --- Upkeep --- */

/* While a slot is being imported, its old owner decides what has expired, and sends that, too: deciding it here as
 * well would end sessions and windows that have been prolonged meanwhile. */
static int64_t upkeep_here(RedisModuleCtx *ctx, RedisModuleString *key) {
    return api_serves_key(ctx, key) ? command_upkeep(ctx, key) : server_now_ms() + ELSEWHERE_RETRY_MS;
}

/* The key may turn out to have expired, and with it the chore is gone. */
static void do_chore(RedisModuleCtx *ctx, const struct chore *first) {
    int db = first->db;
    struct bytes name = upkeep_key(first);
    RedisModule_SelectDb(ctx, db);
    RedisModuleString *key = RedisModule_CreateString(NULL, name.data, name.length);
    int64_t due_ms = upkeep_here(ctx, key);
    struct chore *chore = chore_find(db, api_bytes(key));
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
static int64_t breather_ms(RedisModuleCtx *ctx, bool writable) {
    if (writable) return BREATHER_MS;
    bool primary = RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_MASTER;
    return primary ? PAUSED_RETRY_MS : REPLICA_RETRY_MS;
}

static void set_alarm(int64_t soonest_chore_ms) {
    const struct deadline *first = deadlines_first(&deadlines);
    if (works.count || sweep.going_on) alarm_set_by(&alarm, server_now_ms() + BREATHER_MS);
    if (sweep.due) alarm_set_by(&alarm, sweep.due_ms);
    if (first) alarm_set_by(&alarm, first->due_ms > soonest_chore_ms ? first->due_ms : soonest_chore_ms);
}

static void on_upkeep_alarm(RedisModuleCtx *ctx) {
    bool writable = api_may_write(ctx);
    do_works();
    if (writable) do_due_chores(ctx);
    sweep_when_due(ctx);
    set_alarm(server_now_ms() + breather_ms(ctx, writable));
}

/* --- What the server tells --- */

void upkeep_on_unlink(RedisModuleKeyOptCtx *ctx, const void *value) {
    int db = RedisModule_GetDbIdFromOptCtx(ctx);
    struct bytes key = api_bytes(RedisModule_GetKeyNameFromOptCtx(ctx));
    (void)value;
    if (chores.count) chore_forget(db, key);
    noted_forget(db, key);
}

/* A value that has come under another name knows no chore there: it is asked at once. */
static int on_arrival(RedisModuleCtx *ctx, int type, const char *event, RedisModuleString *key) {
    static const char *const arrivals[] = {"rename_to", "move_to", "restore", "copy_to"};
    (void)type;
    for (size_t i = 0; i < ARRAY_SIZE(arrivals); i++)
        if (!strcmp(event, arrivals[i]))
            upkeep_expect(RedisModule_GetSelectedDb(ctx), api_bytes(key), server_now_ms());
    return REDISMODULE_OK;
}

/* Chores of the two dbs that are swapped. */
struct swapped {
    int first, second;
    struct chore **list;
    size_t count;
};

static void take_swapped(void *context, struct entry *entry) {
    struct swapped *swapped = context;
    struct chore *chore = chore_of(entry);
    if (chore->db == swapped->first || chore->db == swapped->second) swapped->list[swapped->count++] = chore;
}

/* All of them leave the index before one comes back: both dbs may have a key of the same name. */
static void on_swap(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t change, void *data) {
    const RedisModuleSwapDbInfo *info = data;
    struct swapped swapped = {.first = info->dbnum_first, .second = info->dbnum_second};
    (void)ctx;
    (void)event;
    (void)change;
    if (!chores.count) return;
    swapped.list = memory_alloc(chores.count * sizeof(struct chore *));
    for (size_t place = 0; place < chores.buckets; place++)
        hash_index_visit(&chores, place, take_swapped, &swapped);
    for (size_t i = 0; i < swapped.count; i++) hash_index_remove(&chores, &swapped.list[i]->entry);
    for (size_t i = 0; i < swapped.count; i++) {
        struct chore *chore = swapped.list[i];
        chore_set_db(chore, chore->db == swapped.first ? swapped.second : swapped.first);
        hash_index_add(&chores, &chore->entry);
    }
    memory_free(swapped.list);
}

static void on_flush(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t stage, void *data) {
    (void)ctx;
    (void)event;
    (void)stage;
    (void)data;
    upkeep_sweep_soon();
}

int upkeep_start(RedisModuleCtx *ctx) {
    hash_index_start(&chores);
    alarm_register(&alarm);
    leftovers_wait = sweep_leftovers_soon;
    if (events_subscribe(ctx, RedisModuleEvent_FlushDB, on_flush) != REDISMODULE_OK) return REDISMODULE_ERR;
    if (events_subscribe(ctx, RedisModuleEvent_SwapDB, on_swap) != REDISMODULE_OK) return REDISMODULE_ERR;
    return RedisModule_SubscribeToKeyspaceEvents(ctx, REDISMODULE_NOTIFY_GENERIC, on_arrival);
}

/* --- Information --- */

void upkeep_info(RedisModuleInfoCtx *ctx) {
    size_t heap_bytes = deadlines.capacity * sizeof(*deadlines.heap);
    const struct info_number numbers[] = {
        {"upkeep_keys", chores.count},
        {"upkeep_bytes", chores_bytes + chores.held + heap_bytes},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
}
