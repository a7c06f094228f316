#include "server/effects/doctor_keys.h"

#include "change/value_head.h"
#include "core/hash_index.h"
#include "core/memory.h"
#include "core/number.h"
#include "server/base/alarm.h"
#include "server/base/events.h"
#include "server/base/server_clock.h"
#include "server/base/server_config.h"

enum {
    DOCTOR_KEY_MAX_BYTES = 1024, /* longer keys are not listed */
    LARGE_BYTES = 1 << 20,       /* no limit on the size of a value is set lower than this */
    CLEAR_AFTER_MS = 1000,
    CLEAR_AGAIN_MS = 60000, /* while the list is full, or some large values are passed over */
};

static struct hash_index names;           /* entries alone, named by packed key names */
static int64_t large_bytes = LARGE_BYTES; /* from here on a value is large; more while there are many */
static bool overflows;

static void clear_some(RedisModuleCtx *ctx);
static struct alarm alarm = {.ring = clear_some};

/* However many there are, values beyond the server's own limit are never passed over. */
static bool is_large(const struct data_type *type, const void *value) {
    return (int64_t)type->methods.mem_usage2(NULL, value, 0) >
           number_min(large_bytes, server_max_string_bytes);
}

static bool is_notable(const struct data_type *type, const void *value, const void *change) {
    return type->notable && type->notable(type, value, change);
}

static bool is_worth_a_look(const struct data_type *type, const void *value, const void *change) {
    return is_large(type, value) || is_notable(type, value, change);
}

bool doctor_keys_wants(const struct data_type *type, const void *value, const void *change) {
    const struct value_head *head = value;
    return !head->doctor_listed && is_worth_a_look(type, value, change);
}

/* --- Names --- */

static void clear_soon(void) {
    alarm_set_by(&alarm, server_now_ms() + CLEAR_AFTER_MS);
}

void doctor_keys_add(struct key_name name, void *value) {
    if (name.key.length > DOCTOR_KEY_MAX_BYTES) return;
    bool there = key_name_find(&names, name) != NULL;
    if (!there && names.count == DOCTOR_KEYS_MAX) {
        overflows = true;
        clear_soon();
        return;
    }
    if (!there) (void)key_name_add(&names, name, sizeof(struct entry));
    value_head(value)->doctor_listed = true;
}

void doctor_keys_look(struct key_name name, const struct data_type *type, void *value) {
    if (is_worth_a_look(type, value, NULL)) doctor_keys_add(name, value);
}

void doctor_keys_forget(struct key_name name) {
    struct entry *found = key_name_find(&names, name);
    if (!found) return;
    hash_index_remove(&names, found);
    memory_free(found);
    if (overflows) clear_soon();
}

bool doctor_keys_overflow(void) {
    return overflows;
}

/* --- All of them --- */

struct listing_of_names {
    struct arena *arena;
    struct key_name *next;
};

static void list_name(void *context, struct entry *entry) {
    struct listing_of_names *listing = context;
    *listing->next++ = key_name_copy(listing->arena, key_name_unpack(entry_name(entry)));
}

const struct key_name *doctor_keys_names(struct arena *arena, size_t *count) {
    struct key_name *list = arena_alloc(arena, DOCTOR_KEYS_MAX * sizeof(*list));
    struct listing_of_names listing = {arena, list};
    for (size_t place = 0; place < names.buckets; place++)
        hash_index_visit(&names, place, list_name, &listing);
    *count = (size_t)(listing.next - list);
    return list;
}

/* --- Clearing --- */

/* Forgets it unless it is worth a look. True when it is for its size alone. */
static bool clear_name(RedisModuleCtx *ctx, struct key_name name) {
    struct seen_key seen = key_name_see(ctx, name);
    bool notable = seen.value && is_notable(seen.type, seen.value, NULL);
    bool large = seen.value && is_large(seen.type, seen.value);
    if (!notable && !large) {
        doctor_keys_forget(name);
        if (seen.value) value_head(seen.value)->doctor_listed = false;
    }
    seen_key_end(&seen);
    return large && !notable;
}

/* How many are in the list for their size alone. */
static size_t clear_names(RedisModuleCtx *ctx) {
    struct arena arena;
    size_t count, large = 0;
    arena_start(&arena);
    const struct key_name *list = doctor_keys_names(&arena, &count);
    for (size_t i = 0; i < count; i++) large += clear_name(ctx, list[i]);
    arena_end(&arena);
    return large;
}

/* If the list is still full, and large values are part of that, only larger ones are worth it from now on. If it has
 * had space for a while, so are smaller ones, step by step. */
static void clear_some(RedisModuleCtx *ctx) {
    bool had_space = names.count < DOCTOR_KEYS_MAX;
    overflows = false;
    size_t large = clear_names(ctx);
    overflows = names.count == DOCTOR_KEYS_MAX;
    if (overflows && large && large_bytes < server_max_string_bytes) large_bytes *= 2;
    if (had_space && large_bytes > LARGE_BYTES) large_bytes /= 2;
    if (overflows || large_bytes > LARGE_BYTES) alarm_set_by(&alarm, server_now_ms() + CLEAR_AGAIN_MS);
}

static LISTENER(on_swap_of_names, change) {
    key_name_swap(&names, data);
}

int doctor_keys_start(RedisModuleCtx *ctx) {
    alarm_register(&alarm);
    return events_subscribe(ctx, RedisModuleEvent_SwapDB, on_swap_of_names);
}
