#include "server/base/key_name.h"

#include "core/hash.h"
#include "core/memory.h"

bool key_name_equal(struct key_name a, struct key_name b) {
    return a.db == b.db && bytes_equal(a.key, b.key);
}

struct key_name key_name_copy(struct arena *arena, struct key_name name) {
    return key_name_unpack(key_name_pack(name, arena_alloc(arena, key_name_length(name))));
}

struct bytes key_name_pack(struct key_name name, char *buffer) {
    memcpy(buffer, &name.db, sizeof(name.db));
    if (name.key.length) memcpy(buffer + sizeof(name.db), name.key.data, name.key.length);
    return bytes_of(buffer, key_name_length(name));
}

struct key_name key_name_unpack(struct bytes packed) {
    struct key_name name;
    memcpy(&name.db, packed.data, sizeof(name.db));
    name.key = bytes_of(packed.data + sizeof(name.db), packed.length - sizeof(name.db));
    return name;
}

struct entry *key_name_find(const struct hash_index *index, struct key_name name) {
    char usual[256], *buffer = usual;
    if (!index->count || name.key.length > KEY_NAME_MAX_BYTES) return NULL;
    if (key_name_length(name) > sizeof(usual)) buffer = memory_alloc(key_name_length(name));
    struct bytes packed = key_name_pack(name, buffer);
    struct entry *entry = hash_index_named(index, packed);
    if (buffer != usual) memory_free(buffer);
    return entry;
}

void *key_name_add(struct hash_index *index, struct key_name name, size_t bytes) {
    struct entry *entry = memory_zeroed(bytes + key_name_length(name));
    *entry = entry_hashed(key_name_pack(name, (char *)entry + bytes), bytes);
    hash_index_add(index, entry);
    return entry;
}

/* --- Databases that are swapped --- */

struct renaming {
    const RedisModuleSwapDbInfo *swapped;
    struct entry **entries;
    size_t count;
};

static void collect_swapped(void *context, struct entry *entry) {
    struct renaming *renaming = context;
    int db = key_name_unpack(entry_name(entry)).db;
    if (db == renaming->swapped->dbnum_first || db == renaming->swapped->dbnum_second)
        renaming->entries[renaming->count++] = entry;
}

static void rename_entry(struct entry *entry, const RedisModuleSwapDbInfo *swapped) {
    struct key_name name = key_name_unpack(entry_name(entry));
    name.db = name.db == swapped->dbnum_first ? swapped->dbnum_second : swapped->dbnum_first;
    memcpy((char *)entry + entry->name_at, &name.db, sizeof(name.db));
    entry->hash = hash_bytes(entry_name(entry));
}

/* All entries leave the index before the first one is added again: both databases may have a key of the same name. */
void key_name_swap(struct hash_index *index, const RedisModuleSwapDbInfo *swapped) {
    struct renaming renaming = {.swapped = swapped};
    if (!index->count) return;
    renaming.entries = memory_alloc(index->count * sizeof(*renaming.entries));
    for (size_t place = 0; place < index->buckets; place++)
        hash_index_visit(index, place, collect_swapped, &renaming);
    for (size_t i = 0; i < renaming.count; i++) hash_index_remove(index, renaming.entries[i]);
    for (size_t i = 0; i < renaming.count; i++) {
        rename_entry(renaming.entries[i], swapped);
        hash_index_add(index, renaming.entries[i]);
    }
    memory_free(renaming.entries);
}

/* --- Looking at a key --- */

struct seen_key key_name_see(RedisModuleCtx *ctx, struct key_name name) {
    struct seen_key seen = {.string = RedisModule_CreateString(NULL, name.key.data, name.key.length)};
    RedisModule_SelectDb(ctx, name.db);
    seen.key = api_peek_key(ctx, seen.string);
    seen.type = seen.key ? data_type_of(RedisModule_ModuleTypeGetType(seen.key)) : NULL;
    if (seen.type) seen.value = RedisModule_ModuleTypeGetValue(seen.key);
    return seen;
}

void seen_key_end(const struct seen_key *seen) {
    if (seen->key) RedisModule_CloseKey(seen->key);
    RedisModule_FreeString(NULL, seen->string);
}
