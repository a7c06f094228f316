#include "core/content.h"

#include "core/garbage.h"
#include "core/memory.h"

struct span {
    struct chunk *chunk;
    uint64_t end; /* position in the content where this span ends */
};

/* All leaves of a rope but the last one are full. */
struct rope_leaf {
    size_t uses;
    size_t count;
    size_t capacity;
    struct span spans[];
};

struct rope {
    size_t uses;
    size_t count;
    size_t capacity;
    struct rope_leaf *leaves[];
};

enum {
    LEAF_SPANS = 128,
    LEAF_FIRST_CAPACITY = 4,
    ROPE_FIRST_CAPACITY = 1,
    LEAVES_FREED_AT_ONCE = 8,
    LEAF_EFFORT = 16, /* to free one leaf; that of pages costs one */
    CHUNK_FIRST_BYTES = 64,
    CHUNK_MOVED_BYTES = 1 << 16, /* a last chunk up to this size may move to grow */
    /* Larger contents get new chunks of a quarter of their length, between these bounds. */
    CHUNK_FRESH_BYTES = 1 << 14,
    CHUNK_GROWN_BYTES = 1 << 20,
};

/* --- Leaves --- */

static size_t rope_leaf_bytes(size_t capacity) {
    return sizeof(struct rope_leaf) + capacity * sizeof(struct span);
}

static struct rope_leaf *rope_leaf_new(struct account *account, size_t capacity) {
    struct rope_leaf *leaf = account_add(account, memory_alloc(rope_leaf_bytes(capacity)));
    leaf->uses = 1;
    leaf->count = 0;
    leaf->capacity = capacity;
    return leaf;
}

static void rope_leaf_drop(struct account *account, struct rope_leaf *leaf) {
    if (--leaf->uses) return;
    for (size_t i = 0; i < leaf->count; i++) chunk_drop(account, leaf->spans[i].chunk);
    account_discard(account, leaf);
}

/* The leaf for one rope alone, with space for another span: copied if it is shared. */
static struct rope_leaf *rope_leaf_own(struct account *account, struct rope_leaf *leaf) {
    size_t capacity = leaf->capacity;
    if (leaf->count == capacity) capacity = capacity * 2 < LEAF_SPANS ? capacity * 2 : LEAF_SPANS;
    if (leaf->uses > 1) {
        struct rope_leaf *own = rope_leaf_new(account, capacity);
        for (size_t i = 0; i < leaf->count; i++) {
            own->spans[own->count++] = leaf->spans[i];
            chunk_use(account, leaf->spans[i].chunk);
        }
        leaf->uses--;
        return own;
    }
    if (capacity == leaf->capacity) return leaf;
    leaf = account_resize(account, leaf, rope_leaf_bytes(capacity));
    leaf->capacity = capacity;
    return leaf;
}

/* --- Ropes --- */

static size_t rope_bytes(size_t capacity) {
    return sizeof(struct rope) + capacity * sizeof(struct rope_leaf *);
}

static struct rope *rope_new(struct account *account, size_t capacity) {
    struct rope *rope = account_add(account, memory_alloc(rope_bytes(capacity)));
    rope->uses = 1;
    rope->count = 0;
    rope->capacity = capacity;
    return rope;
}

/* Drops one use, and frees a rope without any. False when the effort did not suffice. */
static bool rope_free(struct account *account, struct rope *rope, size_t *effort) {
    if (rope->uses > 1) {
        rope->uses--;
        return true;
    }
    while (rope->count) {
        if (*effort < LEAF_EFFORT) return false;
        *effort -= LEAF_EFFORT;
        rope_leaf_drop(account, rope->leaves[--rope->count]);
    }
    account_discard(account, rope);
    return true;
}

static bool free_rope_part(struct account *account, struct garbage_part *part, size_t *effort) {
    return rope_free(account, part->root, effort);
}

/* A long rope is freed in the background. */
static void rope_drop(struct account *account, struct rope *rope) {
    garbage_free(account, (struct garbage_part){free_rope_part, rope, 0},
                 (size_t)LEAVES_FREED_AT_ONCE * LEAF_EFFORT);
}

/* The rope for one content alone, with space for this many leaves: copied if it is shared. */
static struct rope *rope_own(struct account *account, struct rope *rope, size_t leaves) {
    size_t capacity = rope->capacity;
    if (capacity < leaves) capacity = capacity * 2 > leaves ? capacity * 2 : leaves;
    if (rope->uses > 1) {
        struct rope *own = rope_new(account, capacity);
        for (size_t i = 0; i < rope->count; i++) {
            own->leaves[own->count++] = rope->leaves[i];
            rope->leaves[i]->uses++;
        }
        rope->uses--;
        return own;
    }
    if (capacity == rope->capacity) return rope;
    rope = account_resize(account, rope, rope_bytes(capacity));
    rope->capacity = capacity;
    return rope;
}

static struct rope_leaf *last_leaf(const struct rope *rope) {
    return rope->count ? rope->leaves[rope->count - 1] : NULL;
}

static struct rope *rope_add(struct account *account, struct rope *rope, struct span span) {
    const struct rope_leaf *last = last_leaf(rope);
    bool full = !last || last->count == LEAF_SPANS;
    rope = rope_own(account, rope, rope->count + full);
    if (full) rope->leaves[rope->count++] = rope_leaf_new(account, last ? LEAF_SPANS : LEAF_FIRST_CAPACITY);
    struct rope_leaf *leaf = rope_leaf_own(account, last_leaf(rope));
    rope->leaves[rope->count - 1] = leaf;
    leaf->spans[leaf->count++] = span;
    return rope;
}

static size_t rope_spans(const struct rope *rope) {
    const struct rope_leaf *last = last_leaf(rope);
    return last ? (rope->count - 1) * LEAF_SPANS + last->count : 0;
}

static struct span *rope_span(const struct rope *rope, size_t at) {
    return &rope->leaves[at / LEAF_SPANS]->spans[at % LEAF_SPANS];
}

/* --- Contents --- */

static struct rope *need_rope(struct account *account, struct content *content, size_t leaves) {
    if (content->rope) return rope_own(account, content->rope, leaves);
    struct rope *rope = rope_new(account, leaves);
    if (content->chunk) rope = rope_add(account, rope, (struct span){content->chunk, content->length});
    content->chunk = NULL;
    return rope;
}

void content_reserve(struct account *account, struct content *content, size_t chunks) {
    if (chunks > 1) content->rope = need_rope(account, content, chunks / LEAF_SPANS + 1);
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

/* The last span of a rope, if neither rope nor leaf is shared. */
static struct span *own_last_span(const struct rope *rope) {
    const struct rope_leaf *last = rope && rope->uses == 1 ? last_leaf(rope) : NULL;
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

/* The pointer to the last chunk, in its place, after making rope and leaf unshared. */
static struct chunk **own_tail(struct account *account, struct content *content) {
    if (content->chunk) return &content->chunk;
    struct rope *rope = content->rope = rope_own(account, content->rope, content->rope->count);
    struct rope_leaf **last = &rope->leaves[rope->count - 1];
    *last = rope_leaf_own(account, *last);
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

bool content_free(struct account *account, struct content *content, size_t *effort) {
    if (content->rope && !rope_free(account, content->rope, effort)) return false;
    content->rope = NULL;
    content_clear(account, content);
    return true;
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

static struct rope_leaf *rope_leaf_relocate(struct rope_leaf *leaf, const struct relocation *relocation) {
    if (leaf->uses > 1) return leaf;
    leaf = relocate(relocation, leaf);
    for (size_t i = 0; i < leaf->count; i++)
        leaf->spans[i].chunk = chunk_relocate(leaf->spans[i].chunk, relocation);
    return leaf;
}

void content_relocate(struct content *content, const struct relocation *relocation) {
    if (content->chunk) content->chunk = chunk_relocate(content->chunk, relocation);
    if (!content->rope || content->rope->uses > 1) return;
    content->rope = relocate(relocation, content->rope);
    for (size_t i = 0; i < content->rope->count; i++)
        content->rope->leaves[i] = rope_leaf_relocate(content->rope->leaves[i], relocation);
}
