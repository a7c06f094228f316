/* Key names: what names a key of this server, for those who keep something about keys outside of their values.
 *
 *   upkeep: when to look at the key next     doctor: will look at it           wait: who waits there     ...
 *
 * Each of them has a hash index of its own. Its entries are named by the packed key name, the database and then the
 * key, or by a name that begins with it. */
#ifndef HOLDFAST_KEY_NAME_H
#define HOLDFAST_KEY_NAME_H

#include "core/arena.h"
#include "core/hash_index.h"
#include "server/base/data_type.h"

struct key_name {
    int db;
    struct bytes key;
};

/* The longest key that an entry can be named by: its name has at most 65,535 bytes, some for what follows the key. */
enum { KEY_NAME_MAX_BYTES = 60000 };

bool key_name_equal(struct key_name a, struct key_name b);

/* A copy that lives as long as the arena. */
struct key_name key_name_copy(struct arena *arena, struct key_name name);

/* The length of the packed name. */
static inline size_t key_name_length(struct key_name name) {
    return sizeof(name.db) + name.key.length;
}

/* Packs the name into the buffer. */
struct bytes key_name_pack(struct key_name name, char *buffer);
/* Borrows from what is packed. */
struct key_name key_name_unpack(struct bytes packed);

/* The entry of this name; NULL for none. */
struct entry *key_name_find(const struct hash_index *index, struct key_name name);

/* Adds an entry of this name: so many zeroed bytes that begin with it, and the packed name behind them. */
void *key_name_add(struct hash_index *index, struct key_name name, size_t bytes);

/* Two databases were swapped: renames the entries of their keys. */
void key_name_swap(struct hash_index *index, const RedisModuleSwapDbInfo *swapped);

/* A key that is looked at, and not changed. */
struct seen_key {
    RedisModuleString *string;
    RedisModuleKey *key;
    const struct data_type *type; /* NULL when the key does not exist, or belongs to somebody else */
    void *value;
};

/* Selects the database. The key may turn out to have expired, and is deleted then. */
struct seen_key key_name_see(RedisModuleCtx *ctx, struct key_name name);
void seen_key_end(const struct seen_key *seen);

#endif
