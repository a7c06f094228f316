#include "blob/pool.h"

#include "core/memory.h"

enum { FIRST_CAPACITY = 16 };

struct pool {
    size_t count;
    size_t capacity;
    uint64_t missing; /* bytes of the last chunk that have not come yet */
    struct chunk *chunks[];
};

static size_t pool_size_for(size_t capacity) {
    return sizeof(struct pool) + capacity * sizeof(struct chunk *);
}

static void pool_put_chunk(struct account *account, struct pool **pool, struct chunk *chunk) {
    if (!*pool) {
        *pool = account_add(account, memory_zeroed(pool_size_for(FIRST_CAPACITY)));
        (*pool)->capacity = FIRST_CAPACITY;
    } else if ((*pool)->count == (*pool)->capacity) {
        size_t capacity = (*pool)->capacity * 2;
        *pool = account_resize(account, *pool, pool_size_for(capacity));
        (*pool)->capacity = capacity;
    }
    chunk_use(account, chunk);
    (*pool)->chunks[(*pool)->count++] = chunk;
}

/* The last chunk grows by what comes, and not by what is said of it. */
static bool add_piece(struct account *account, struct pool *pool, struct bytes piece, struct chunk *chunk) {
    struct chunk **last = &pool->chunks[pool->count - 1];
    if (!piece.length || piece.length > pool->missing) return false;
    if (chunk_spare(*last) < piece.length) {
        size_t length = chunk_bytes(*last).length + piece.length;
        uint64_t all = chunk_bytes(*last).length + pool->missing;
        *last = chunk_resize(account, *last, all / 2 < length ? (size_t)all : 2 * length);
    }
    chunk_extend(*last, piece);
    pool->missing -= piece.length;
    if (chunk) chunk_discard(chunk);
    return true;
}

bool pool_add(struct account *account, struct pool **pool, uint64_t length, struct bytes piece,
              struct chunk *chunk) {
    if (*pool && (*pool)->missing) return add_piece(account, *pool, piece, chunk);
    if (!piece.length || piece.length > length) return false;
    bool whole = piece.length == length;
    if (!whole || !chunk) {
        struct chunk *own = chunk_empty(piece.length);
        chunk_extend(own, piece);
        if (chunk) chunk_discard(chunk);
        chunk = own;
    }
    pool_put_chunk(account, pool, chunk);
    (*pool)->missing = length - piece.length;
    return true;
}

struct chunk *pool_chunk(const struct pool *pool, uint64_t number) {
    if (!pool || !number || number > pool->count) return NULL;
    return number == pool->count && pool->missing ? NULL : pool->chunks[number - 1];
}

void pool_drop(struct account *account, struct pool **pool) {
    if (!*pool) return;
    for (size_t i = 0; i < (*pool)->count; i++) chunk_drop(account, (*pool)->chunks[i]);
    account_discard(account, *pool);
    *pool = NULL;
}
