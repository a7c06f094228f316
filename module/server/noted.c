#include "server/noted.h"

#include "core/hash.h"
#include "core/hash_index.h"
#include "core/memory.h"
#include "server/alarm.h"
#include "server/command.h"
#include "server/events.h"

#include "ccan/container_of/container_of.h"

enum {
    NAME_MAX_BYTES = 1024, /* longer names are not noted */
    LARGE_BYTES = 1 << 20, /* no limit that could be in the way of a value is lower */
    CLEAR_AFTER_MS = 1000,
};

/* Its address, the entry's name, stands behind it: db, then key. */
struct noted {
    struct entry entry;
    char address[];
};

static struct hash_index names;
static size_t large_bytes = LARGE_BYTES; /* from here on a value is worth a look; more when there are many */
static bool lacks_room;

static void clear_some(RedisModuleCtx *ctx);
static struct alarm alarm = {.ring = clear_some};

static bool *noted_flag(const struct data_type *type, const void *value) {
    return (bool *)((char *)(uintptr_t)value + type->noted_at);
}

static bool is_worth_a_look(const struct data_type *type, const void *value, const void *change) {
    return type->methods.mem_usage2(NULL, value, 0) > large_bytes ||
           (type->notable && type->notable(value, change));
}

bool noted_wants(const struct data_type *type, const void *value, const void *change) {
    return !*noted_flag(type, value) && is_worth_a_look(type, value, change);
}

/* --- Names --- */

static size_t address_write(char *address, int db, struct bytes key) {
    memcpy(address, &db, sizeof(db));
    if (key.length) memcpy(address + sizeof(db), key.data, key.length);
    return sizeof(db) + key.length;
}

static struct noted *noted_find(int db, struct bytes key) {
    char address[sizeof(db) + NAME_MAX_BYTES];
    if (!names.count || key.length > NAME_MAX_BYTES) return NULL;
    struct bytes name = bytes_of(address, address_write(address, db, key));
    struct entry *found = hash_index_find(&names, hash_bytes(name), name);
    return found ? container_of(found, struct noted, entry) : NULL;
}

static void add_name(int db, struct bytes key) {
    struct noted *noted = memory_alloc(sizeof(*noted) + sizeof(db) + key.length);
    size_t length = address_write(noted->address, db, key);
    uint32_t hash = hash_bytes(bytes_of(noted->address, length));
    noted->entry = (struct entry){hash, (uint16_t)length, offsetof(struct noted, address)};
    hash_index_add(&names, &noted->entry);
}

void noted_add(int db, struct bytes key, const struct data_type *type, void *value) {
    if (key.length > NAME_MAX_BYTES) return;
    bool there = noted_find(db, key) != NULL;
    if (!there && names.count == NOTED_MAX) {
        lacks_room = true;
        alarm_set_by(&alarm, server_now_ms() + CLEAR_AFTER_MS);
        return;
    }
    if (!there) add_name(db, key);
    *noted_flag(type, value) = true;
}

void noted_look(int db, struct bytes key, const struct data_type *type, void *value) {
    if (is_worth_a_look(type, value, NULL)) noted_add(db, key, type, value);
}

static void noted_drop(struct noted *noted) {
    hash_index_remove(&names, &noted->entry);
    memory_free(noted);
}

void noted_forget(int db, struct bytes key) {
    struct noted *noted = noted_find(db, key);
    if (noted) noted_drop(noted);
}

bool noted_lacks_room(void) {
    return lacks_room;
}

/* --- All of them --- */

struct listing_of_names {
    struct arena *arena;
    struct noted_name *next;
};

static void list_name(void *context, struct entry *entry) {
    struct listing_of_names *listing = context;
    struct bytes name = entry_name(entry);
    int db;
    char *key = arena_alloc(listing->arena, name.length);
    memcpy(&db, name.data, sizeof(db));
    memcpy(key, name.data + sizeof(db), name.length - sizeof(db));
    *listing->next++ = (struct noted_name){db, bytes_of(key, name.length - sizeof(db))};
}

const struct noted_name *noted_names(struct arena *arena, size_t *count) {
    struct noted_name *list = arena_alloc(arena, NOTED_MAX * sizeof(*list));
    struct listing_of_names listing = {arena, list};
    for (size_t place = 0; place < names.buckets; place++)
        hash_index_visit(&names, place, list_name, &listing);
    *count = (size_t)(listing.next - list);
    return list;
}

/* --- Making room --- */

/* The key may be gone, or turn out to have expired. */
static void clear_name(RedisModuleCtx *ctx, const struct noted_name *name) {
    RedisModuleString *string = RedisModule_CreateString(NULL, name->key.data, name->key.length);
    RedisModule_SelectDb(ctx, name->db);
    RedisModuleKey *key = api_peek_key(ctx, string);
    const struct data_type *type = key ? data_type_of(RedisModule_ModuleTypeGetType(key)) : NULL;
    void *value = type ? RedisModule_ModuleTypeGetValue(key) : NULL;
    if (!value || !is_worth_a_look(type, value, NULL)) {
        noted_forget(name->db, name->key);
        if (value) *noted_flag(type, value) = false;
    }
    if (key) RedisModule_CloseKey(key);
    RedisModule_FreeString(NULL, string);
}

/* If all of them are worth it, only larger values are from now on. */
static void clear_some(RedisModuleCtx *ctx) {
    struct arena arena;
    size_t count;
    arena_start(&arena);
    const struct noted_name *list = noted_names(&arena, &count);
    for (size_t i = 0; i < count; i++) clear_name(ctx, &list[i]);
    arena_end(&arena);
    lacks_room = names.count == NOTED_MAX;
    if (lacks_room) large_bytes *= 2;
}

/* --- Databases that are exchanged --- */

static int other_db(const RedisModuleSwapDbInfo *info, int db) {
    if (db == info->dbnum_first) return info->dbnum_second;
    return db == info->dbnum_second ? info->dbnum_first : db;
}

static void on_swap_of_names(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t change, void *data) {
    struct arena arena;
    size_t count;
    (void)ctx;
    (void)event;
    (void)change;
    if (!names.count) return;
    arena_start(&arena);
    const struct noted_name *list = noted_names(&arena, &count);
    for (size_t i = 0; i < count; i++) noted_forget(list[i].db, list[i].key);
    for (size_t i = 0; i < count; i++) add_name(other_db(data, list[i].db), list[i].key);
    arena_end(&arena);
}

int noted_start(RedisModuleCtx *ctx) {
    hash_index_start(&names);
    alarm_register(&alarm);
    return events_subscribe(ctx, RedisModuleEvent_SwapDB, on_swap_of_names);
}
