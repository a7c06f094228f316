#include "server/upkeep.h"

#include "core/deadlines.h"
#include "core/hash.h"
#include "core/hash_index.h"
#include "core/memory.h"

#include "ccan/container_of/container_of.h"

enum {
    CHORES_MOST = 16,      /* that one tick of the timer looks at */
    BREATHER_MS = 1,       /* between two ticks when there is more to do than fits in one */
    LOOK_MOST_MS = 600000, /* a key that has gone is found out by then */
    PAUSED_RETRY_MS = 50,
    REPLICA_RETRY_MS = 1000,
    KEY_MAX_BYTES = 60000, /* a longer name is looked after by its own writes alone */
};

/* Its address, the entry's name, stands behind it: db, then key. */
struct chore {
    struct entry entry;
    struct deadline deadline;
    int db;
    char address[];
};

static struct hash_index chores;
static struct deadlines deadlines;
static RedisModuleCtx *timer_ctx;
static RedisModuleTimerID timer;
static int64_t timer_due_ms;
static bool timer_set;

/* What belongs to no key: each work once, as long as it has something left. */
enum { WORKS_MOST = 8 };
static bool (*works[WORKS_MOST])(void);
static unsigned work_count;

static struct chore *chore_of(struct entry *entry) {
    return container_of(entry, struct chore, entry);
}

static struct bytes key_of(const struct chore *chore) {
    return bytes_of(chore->address + sizeof(chore->db), chore->entry.name_length - sizeof(chore->db));
}

static struct chore *chore_new(int db, struct bytes key) {
    size_t length = sizeof(db) + key.length;
    struct chore *chore = memory_zeroed(sizeof(*chore) + length);
    memcpy(chore->address, &db, sizeof(db));
    memcpy(chore->address + sizeof(db), key.data, key.length);
    chore->entry = (struct entry){hash_bytes(bytes_of(chore->address, length)), (uint16_t)length,
                                  offsetof(struct chore, address)};
    chore->db = db;
    return chore;
}

static void chore_free(struct chore *chore) {
    deadlines_unset(&deadlines, &chore->deadline);
    hash_index_remove(&chores, &chore->entry);
    memory_free(chore);
}

/* --- The timer --- */

static void on_timer(RedisModuleCtx *ctx, void *data);

static void set_timer(int64_t in_ms) {
    if (timer_set) RedisModule_StopTimer(timer_ctx, timer, NULL);
    timer = RedisModule_CreateTimer(timer_ctx, in_ms > 0 ? in_ms : 0, on_timer, NULL);
    timer_set = true;
    timer_due_ms = server_now_ms() + in_ms;
}

static void arm(void) {
    const struct deadline *first = deadlines_first(&deadlines);
    if (!first || (timer_set && timer_due_ms <= first->due_ms)) return;
    set_timer(first->due_ms - server_now_ms());
}

void upkeep_clock_moved(void) {
    if (deadlines_first(&deadlines)) set_timer(0);
}

/* In time, and soon enough to forget a key that has gone. */
static int64_t next_look_ms(int64_t due_ms) {
    int64_t last_ms = server_now_ms() + LOOK_MOST_MS;
    return due_ms < last_ms ? due_ms : last_ms;
}

void upkeep_expect(int db, struct bytes key, int64_t due_ms) {
    if (key.length > KEY_MAX_BYTES) return;
    due_ms = next_look_ms(due_ms);
    struct chore *fresh = chore_new(db, key);
    struct entry *known = hash_index_find(&chores, fresh->entry.hash, entry_name(&fresh->entry));
    struct chore *chore = known ? chore_of(known) : fresh;
    if (known)
        memory_free(fresh);
    else
        hash_index_add(&chores, &chore->entry);
    if (!chore->deadline.place || due_ms < chore->deadline.due_ms)
        deadlines_set(&deadlines, &chore->deadline, due_ms);
    arm();
}

static bool is_expected(bool (*work)(void)) {
    for (unsigned i = 0; i < work_count; i++)
        if (works[i] == work) return true;
    return false;
}

static void do_works(void) {
    unsigned left = 0;
    for (unsigned i = 0; i < work_count; i++)
        if (works[i]()) works[left++] = works[i];
    work_count = left;
}

void upkeep_soon(bool (*work)(void)) {
    if (!is_expected(work) && work_count < WORKS_MOST) works[work_count++] = work;
    if (!timer_set || timer_due_ms > server_now_ms() + BREATHER_MS) set_timer(BREATHER_MS);
}

static void do_chore(RedisModuleCtx *ctx, struct chore *chore) {
    RedisModule_SelectDb(ctx, chore->db);
    struct bytes name = key_of(chore);
    RedisModuleString *key = RedisModule_CreateString(NULL, name.data, name.length);
    int64_t due_ms = command_upkeep(ctx, key);
    RedisModule_FreeString(NULL, key);
    if (due_ms == UPKEEP_NEVER)
        chore_free(chore);
    else
        deadlines_set(&deadlines, &chore->deadline, next_look_ms(due_ms));
}

/* A replica's chores wait until it is promoted, if it ever is. */
static int64_t retry_ms(RedisModuleCtx *ctx) {
    bool primary = RedisModule_GetContextFlags(ctx) & REDISMODULE_CTX_FLAGS_MASTER;
    return primary ? PAUSED_RETRY_MS : REPLICA_RETRY_MS;
}

static void do_due_chores(RedisModuleCtx *ctx) {
    int64_t now_ms = server_now_ms();
    for (int i = 0; i < CHORES_MOST; i++) {
        const struct deadline *first = deadlines_first(&deadlines);
        if (!first || first->due_ms > now_ms) return;
        do_chore(ctx, container_of(first, struct chore, deadline));
    }
}

static void on_timer(RedisModuleCtx *ctx, void *data) {
    (void)data;
    timer_set = false;
    do_works();
    bool writable = api_may_write(ctx);
    if (writable) do_due_chores(ctx);
    if (work_count) set_timer(BREATHER_MS);
    const struct deadline *first = deadlines_first(&deadlines);
    if (!first) return;
    int64_t in_ms = first->due_ms - server_now_ms();
    if (in_ms < BREATHER_MS) in_ms = BREATHER_MS;
    if (!writable && in_ms < retry_ms(ctx)) in_ms = retry_ms(ctx);
    if (!timer_set || in_ms < timer_due_ms - server_now_ms()) set_timer(in_ms);
}

/* A value that has come under another name knows no chore there: it is asked at once. */
static int on_arrival(RedisModuleCtx *ctx, int type, const char *event, RedisModuleString *key) {
    static const char *const arrivals[] = {"rename_to", "move_to", "restore", "copy_to"};
    (void)type;
    for (size_t i = 0; i < sizeof(arrivals) / sizeof(*arrivals); i++)
        if (!strcmp(event, arrivals[i]))
            upkeep_expect(RedisModule_GetSelectedDb(ctx), api_bytes(key), server_now_ms());
    return REDISMODULE_OK;
}

/* Copies of the names of chores in one of two dbs. */
struct swapped {
    int first, second;
    struct chore **copies;
    size_t count;
};

static void take_swapped(void *context, struct entry *entry) {
    struct swapped *swapped = context;
    const struct chore *chore = chore_of(entry);
    if (chore->db == swapped->first || chore->db == swapped->second)
        swapped->copies[swapped->count++] = chore_new(chore->db, key_of(chore));
}

/* What was in one db is in the other one now; who knew it there is asked in both. */
static void on_swap(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t change, void *data) {
    const RedisModuleSwapDbInfo *info = data;
    struct swapped swapped = {.first = info->dbnum_first, .second = info->dbnum_second};
    (void)ctx;
    (void)event;
    (void)change;
    if (!chores.count) return;
    swapped.copies = memory_alloc(chores.count * sizeof(struct chore *));
    for (size_t place = 0; place < chores.buckets; place++)
        hash_index_visit(&chores, place, take_swapped, &swapped);
    for (size_t i = 0; i < swapped.count; i++) {
        struct chore *copy = swapped.copies[i];
        int other = copy->db == swapped.first ? swapped.second : swapped.first;
        upkeep_expect(other, key_of(copy), server_now_ms());
        memory_free(copy);
    }
    memory_free(swapped.copies);
}

int upkeep_start(RedisModuleCtx *ctx) {
    hash_index_start(&chores);
    timer_ctx = RedisModule_GetDetachedThreadSafeContext(ctx);
    if (!timer_ctx) return REDISMODULE_ERR;
    if (RedisModule_SubscribeToServerEvent(ctx, RedisModuleEvent_SwapDB, on_swap) != REDISMODULE_OK)
        return REDISMODULE_ERR;
    return RedisModule_SubscribeToKeyspaceEvents(ctx, REDISMODULE_NOTIFY_GENERIC, on_arrival);
}
