#include "core/content.h"

#include "core/garbage.h"
#include "core/memory.h"

struct span {
    struct chunk *chunk;
    uint64_t end; /* position in the content where this span ends */
};

/* All blocks of a rope but the last one are full. */
struct block {
    size_t uses;
    size_t count;
    size_t capacity;
    struct span spans[];
};

struct rope {
    size_t uses;
    size_t count;
    size_t capacity;
    struct block *blocks[];
};

enum {
    BLOCK_SPANS = 128,
    BLOCK_FIRST_CAPACITY = 4,
    ROPE_FIRST_CAPACITY = 1,
    BLOCKS_FREED_AT_ONCE = 8,
    BLOCK_EFFORT = 16, /* to free one block, in leaves of pages */
    CHUNK_FIRST_BYTES = 64,
    CHUNK_MOVED_BYTES = 1 << 16, /* a last chunk up to this size may move to grow */
    /* Larger contents get new chunks of a quarter of their length, between these bounds. */
    CHUNK_FRESH_BYTES = 1 << 14,
    CHUNK_GROWN_BYTES = 1 << 20,
};

/* --- Blocks --- */

static size_t block_bytes(size_t capacity) {
    return sizeof(struct block) + capacity * sizeof(struct span);
}

static struct block *block_new(struct account *account, size_t capacity) {
    struct block *block = account_add(account, memory_alloc(block_bytes(capacity)));
    block->uses = 1;
    block->count = 0;
    block->capacity = capacity;
    return block;
}

static void block_drop(struct account *account, struct block *block) {
    if (--block->uses) return;
    for (size_t i = 0; i < block->count; i++) chunk_drop(account, block->spans[i].chunk);
    account_discard(account, block);
}

/* The block for one rope alone, with space for another span: copied if it is shared. */
static struct block *block_own(struct account *account, struct block *block) {
    size_t capacity = block->capacity;
    if (block->count == capacity) capacity = capacity * 2 < BLOCK_SPANS ? capacity * 2 : BLOCK_SPANS;
    if (block->uses > 1) {
        struct block *own = block_new(account, capacity);
        for (size_t i = 0; i < block->count; i++) {
            own->spans[own->count++] = block->spans[i];
            chunk_use(account, block->spans[i].chunk);
        }
        block->uses--;
        return own;
    }
    if (capacity == block->capacity) return block;
    block = account_resize(account, block, block_bytes(capacity));
    block->capacity = capacity;
    return block;
}

/* --- Ropes --- */

static size_t rope_bytes(size_t capacity) {
    return sizeof(struct rope) + capacity * sizeof(struct block *);
}

static struct rope *rope_new(struct account *account, size_t capacity) {
    struct rope *rope = account_add(account, memory_alloc(rope_bytes(capacity)));
    rope->uses = 1;
    rope->count = 0;
    rope->capacity = capacity;
    return rope;
}

static bool rope_free(struct account *account, struct garbage_part *part, size_t *effort) {
    struct rope *rope = part->root;
    while (rope->count) {
        if (*effort < BLOCK_EFFORT) return false;
        *effort -= BLOCK_EFFORT;
        block_drop(account, rope->blocks[--rope->count]);
    }
    account_discard(account, rope);
    return true;
}

/* A long rope is freed in the background. */
static void rope_drop(struct account *account, struct rope *rope) {
    if (--rope->uses) return;
    garbage_free(account, (struct garbage_part){rope_free, rope, 0},
                 (size_t)BLOCKS_FREED_AT_ONCE * BLOCK_EFFORT);
}

/* The rope for one content alone, with space for this many blocks: copied if it is shared. */
static struct rope *rope_own(struct account *account, struct rope *rope, size_t blocks) {
    size_t capacity = rope->capacity;
    if (capacity < blocks) capacity = capacity * 2 > blocks ? capacity * 2 : blocks;
    if (rope->uses > 1) {
        struct rope *own = rope_new(account, capacity);
        for (size_t i = 0; i < rope->count; i++) {
            own->blocks[own->count++] = rope->blocks[i];
            rope->blocks[i]->uses++;
        }
        rope->uses--;
        return own;
    }
    if (capacity == rope->capacity) return rope;
    rope = account_resize(account, rope, rope_bytes(capacity));
    rope->capacity = capacity;
    return rope;
}

static struct block *last_block(const struct rope *rope) {
    return rope->count ? rope->blocks[rope->count - 1] : NULL;
}

static struct rope *rope_add(struct account *account, struct rope *rope, struct span span) {
    const struct block *last = last_block(rope);
    bool full = !last || last->count == BLOCK_SPANS;
    rope = rope_own(account, rope, rope->count + full);
    if (full) rope->blocks[rope->count++] = block_new(account, last ? BLOCK_SPANS : BLOCK_FIRST_CAPACITY);
    struct block *block = block_own(account, last_block(rope));
    rope->blocks[rope->count - 1] = block;
    block->spans[block->count++] = span;
    return rope;
}

static size_t rope_spans(const struct rope *rope) {
    const struct block *last = last_block(rope);
    return last ? (rope->count - 1) * BLOCK_SPANS + last->count : 0;
}

static struct span *rope_span(const struct rope *rope, size_t at) {
    return &rope->blocks[at / BLOCK_SPANS]->spans[at % BLOCK_SPANS];
}

/* --- Contents --- */

static struct rope *need_rope(struct account *account, struct content *content, size_t blocks) {
    if (content->rope) return rope_own(account, content->rope, blocks);
    struct rope *rope = rope_new(account, blocks);
    if (content->chunk) rope = rope_add(account, rope, (struct span){content->chunk, content->length});
    content->chunk = NULL;
    return rope;
}

void content_reserve(struct account *account, struct content *content, size_t chunks) {
    if (chunks > 1) content->rope = need_rope(account, content, chunks / BLOCK_SPANS + 1);
}

void content_add(struct account *account, struct content *content, struct chunk *chunk) {
    chunk_use(account, chunk);
    uint64_t end = content->length + chunk_bytes(chunk).length;
    if (!content->rope && !content->chunk) {
        content->chunk = chunk;
    } else {
        if (!content->rope) content->rope = need_rope(account, content, ROPE_FIRST_CAPACITY);
        content->rope = rope_add(account, content->rope, (struct span){chunk, end});
    }
    content->length = end;
}

/* --- Growing at the end --- */

/* The last span of a rope, if neither rope nor block are shared. */
static struct span *own_last_span(const struct rope *rope) {
    const struct block *last = rope && rope->uses == 1 ? last_block(rope) : NULL;
    return last && last->uses == 1 ? rope_span(rope, rope_spans(rope) - 1) : NULL;
}

/* The pointer to the last chunk, in its place; NULL if that chunk must not change. */
static struct chunk **changeable_tail(struct content *content) {
    struct span *span = own_last_span(content->rope);
    struct chunk **tail = content->chunk ? &content->chunk : span ? &span->chunk : NULL;
    return tail && chunk_is_sole(*tail) ? tail : NULL;
}

static size_t size_between(size_t min, uint64_t wanted, size_t max) {
    if (wanted < min) return min;
    return wanted > max ? max : (size_t)wanted;
}

/* Extends the last chunk by the bytes that fit into it, and returns the others. */
static struct bytes fill_tail(struct account *account, struct content *content, struct chunk **tail,
                              struct bytes bytes) {
    size_t spare = chunk_spare(*tail), length = chunk_bytes(*tail).length;
    if (spare < bytes.length && length + bytes.length <= CHUNK_MOVED_BYTES) {
        *tail = chunk_resize(account, *tail,
                             size_between(length + bytes.length, length + length / 4, CHUNK_MOVED_BYTES));
        spare = bytes.length;
    }
    size_t part = spare < bytes.length ? spare : bytes.length;
    chunk_extend(*tail, bytes_of(bytes.data, part));
    content->length += part;
    if (content->rope) own_last_span(content->rope)->end = content->length;
    return bytes_of(bytes.data + part, bytes.length - part);
}

/* A last chunk that must not change is no sign of more to come, so a small chunk follows, which can grow. */
void content_append(struct account *account, struct content *content, struct bytes bytes) {
    if (!bytes.length) return;
    struct chunk **tail = changeable_tail(content);
    size_t capacity = CHUNK_FIRST_BYTES;
    if (tail) {
        bytes = fill_tail(account, content, tail, bytes);
        capacity = size_between(CHUNK_FRESH_BYTES, content->length / 4, CHUNK_GROWN_BYTES);
    }
    if (!bytes.length) return;
    struct chunk *fresh = chunk_empty(capacity < bytes.length ? bytes.length : capacity);
    chunk_extend(fresh, bytes);
    content_add(account, content, fresh);
}

/* The pointer to the last chunk, in its place, after making rope and block unshared. */
static struct chunk **own_tail(struct account *account, struct content *content) {
    if (content->chunk) return &content->chunk;
    struct rope *rope = content->rope = rope_own(account, content->rope, content->rope->count);
    struct block **last = &rope->blocks[rope->count - 1];
    *last = block_own(account, *last);
    return &(*last)->spans[(*last)->count - 1].chunk;
}

/* Replaces a chunk that must not change by a copy that may. */
static void make_sole(struct account *account, struct chunk **tail, size_t capacity) {
    struct chunk *own = chunk_empty(capacity);
    chunk_extend(own, chunk_bytes(*tail));
    chunk_use(account, own);
    chunk_drop(account, *tail);
    *tail = own;
}

void content_extend_last(struct account *account, struct content *content, struct bytes bytes,
                         size_t capacity) {
    struct chunk **tail = own_tail(account, content);
    if (!chunk_is_sole(*tail))
        make_sole(account, tail, capacity);
    else if (chunk_spare(*tail) < bytes.length)
        *tail = chunk_resize(account, *tail, capacity);
    chunk_extend(*tail, bytes);
    content->length += bytes.length;
    if (content->rope) own_last_span(content->rope)->end = content->length;
}

/* --- Sharing --- */

void content_clear(struct account *account, struct content *content) {
    if (content->chunk) chunk_drop(account, content->chunk);
    if (content->rope) rope_drop(account, content->rope);
    *content = (struct content){0, NULL, NULL};
}

void content_share(struct account *account, struct content *content, const struct content *source) {
    *content = *source;
    if (source->chunk) chunk_use(account, source->chunk);
    if (source->rope) source->rope->uses++;
}

void content_twin(struct account *account, struct content *content, const struct content *source) {
    struct pointer_map twins = {0};
    size_t chunks = content_chunks(source);
    content_reserve(account, content, chunks);
    for (size_t i = 0; i < chunks; i++) {
        struct chunk *chunk = content_chunk(source, i);
        uintptr_t unshared = 0;
        uintptr_t *twin = chunk_uses(chunk) > 1 ? pointer_map_at(&twins, chunk) : &unshared;
        if (!*twin) *twin = (uintptr_t)chunk_twin(chunk);
        content_add(account, content, (struct chunk *)*twin);
    }
    pointer_map_end(&twins);
}

bool content_same(const struct content *content, const struct content *other) {
    return content->length == other->length && content->chunk == other->chunk && content->rope == other->rope;
}

/* --- Reading --- */

size_t content_chunks(const struct content *content) {
    if (content->rope) return rope_spans(content->rope);
    return content->chunk ? 1 : 0;
}

struct chunk *content_chunk(const struct content *content, size_t at) {
    return content->rope ? rope_span(content->rope, at)->chunk : content->chunk;
}

/* The first span that ends after the offset, which must lie inside the content. Spans often have one size, so
 * the search starts where the offset would be in that case, and widens from there. */
static const struct span *span_at(const struct content *content, uint64_t offset) {
    size_t low = 0, high = rope_spans(content->rope) - 1;
    size_t probe = (size_t)((double)offset / (double)content->length * (double)high);
    for (size_t step = 1; low < high; step *= 2) {
        if (rope_span(content->rope, probe)->end > offset) {
            high = probe;
            probe = high - low > 2 * step ? high - step : low + (high - low) / 2;
        } else {
            low = probe + 1;
            probe = high - low > 2 * step ? low + step - 1 : low + (high - low) / 2;
        }
    }
    return rope_span(content->rope, low);
}

struct bytes content_view(const struct content *content, uint64_t offset, uint64_t length) {
    if (offset >= content->length) return bytes_of("", 0);
    const struct chunk *chunk = content->chunk;
    uint64_t end = content->length;
    if (content->rope) {
        const struct span *span = span_at(content, offset);
        chunk = span->chunk;
        end = span->end;
    }
    struct bytes bytes = chunk_bytes(chunk);
    uint64_t start = end - bytes.length, left = end - offset;
    return bytes_of(bytes.data + (offset - start), (size_t)(left < length ? left : length));
}

static struct block *block_relocate(struct block *block, const struct relocation *relocation) {
    if (block->uses > 1) return block;
    block = relocate(relocation, block);
    for (size_t i = 0; i < block->count; i++)
        block->spans[i].chunk = chunk_relocate(block->spans[i].chunk, relocation);
    return block;
}

void content_relocate(struct content *content, const struct relocation *relocation) {
    if (content->chunk) content->chunk = chunk_relocate(content->chunk, relocation);
    if (!content->rope || content->rope->uses > 1) return;
    content->rope = relocate(relocation, content->rope);
    for (size_t i = 0; i < content->rope->count; i++)
        content->rope->blocks[i] = block_relocate(content->rope->blocks[i], relocation);
}
