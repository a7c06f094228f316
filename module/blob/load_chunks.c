#include "blob/load_chunks.h"

#include "core/memory.h"

enum { FIRST_CAPACITY = 16 };

struct load_chunks {
    size_t count;
    size_t capacity;
    uint64_t missing; /* bytes of the last chunk that are still to come */
    struct chunk *chunks[];
};

static size_t load_chunks_size_for(size_t capacity) {
    return sizeof(struct load_chunks) + capacity * sizeof(struct chunk *);
}

static void load_chunks_put_chunk(struct account *account, struct load_chunks **load_chunks,
                                  struct chunk *chunk) {
    if (!*load_chunks) {
        *load_chunks = account_add(account, memory_zeroed(load_chunks_size_for(FIRST_CAPACITY)));
        (*load_chunks)->capacity = FIRST_CAPACITY;
    } else if ((*load_chunks)->count == (*load_chunks)->capacity) {
        size_t capacity = (*load_chunks)->capacity * 2;
        *load_chunks = account_resize(account, *load_chunks, load_chunks_size_for(capacity));
        (*load_chunks)->capacity = capacity;
    }
    chunk_use(account, chunk);
    (*load_chunks)->chunks[(*load_chunks)->count++] = chunk;
}

/* The last chunk grows with the bytes that arrive, and not by its announced length, so that a doctored file
 * cannot make it allocate more. */
static bool add_piece(struct account *account, struct load_chunks *load_chunks, struct bytes piece,
                      struct chunk *chunk) {
    struct chunk **last = &load_chunks->chunks[load_chunks->count - 1];
    if (!piece.length || piece.length > load_chunks->missing) return false;
    if (chunk_spare(*last) < piece.length) {
        size_t length = chunk_bytes(*last).length + piece.length;
        uint64_t all = chunk_bytes(*last).length + load_chunks->missing;
        *last = chunk_resize(account, *last, all / 2 < length ? (size_t)all : 2 * length);
    }
    chunk_extend(*last, piece);
    load_chunks->missing -= piece.length;
    if (chunk) chunk_discard(chunk);
    return true;
}

bool load_chunks_add(struct account *account, struct load_chunks **load_chunks, uint64_t length,
                     struct bytes piece, struct chunk *chunk) {
    if (*load_chunks && (*load_chunks)->missing) return add_piece(account, *load_chunks, piece, chunk);
    if (!piece.length || piece.length > length) return false;
    bool whole = piece.length == length;
    if (!whole || !chunk) {
        struct chunk *own = chunk_copy(piece);
        if (chunk) chunk_discard(chunk);
        chunk = own;
    }
    load_chunks_put_chunk(account, load_chunks, chunk);
    (*load_chunks)->missing = length - piece.length;
    return true;
}

struct chunk *load_chunks_at(const struct load_chunks *load_chunks, uint64_t number, uint64_t *missing) {
    if (!load_chunks || !number || number > load_chunks->count) return NULL;
    *missing = number == load_chunks->count ? load_chunks->missing : 0;
    return load_chunks->chunks[number - 1];
}

struct chunk *load_chunks_chunk(const struct load_chunks *load_chunks, uint64_t number) {
    uint64_t missing = 0;
    struct chunk *chunk = load_chunks_at(load_chunks, number, &missing);
    return missing ? NULL : chunk;
}

void load_chunks_drop(struct account *account, struct load_chunks **load_chunks) {
    if (!*load_chunks) return;
    for (size_t i = 0; i < (*load_chunks)->count; i++) chunk_drop(account, (*load_chunks)->chunks[i]);
    account_discard(account, *load_chunks);
    *load_chunks = NULL;
}
