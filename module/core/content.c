#include "core/content.h"

#include "core/memory.h"

struct span {
    struct chunk *chunk;
    uint64_t end; /* position in the content where this span ends */
};

struct rope {
    size_t uses;
    size_t count;
    size_t capacity;
    struct span spans[];
};

enum {
    ROPE_FIRST_CAPACITY = 4,
    CHUNK_FIRST_BYTES = 64,
    CHUNK_MOVED_BYTES = 1 << 16, /* up to here a last chunk grows by being moved */
    CHUNK_FRESH_BYTES = 1 << 14, /* then others follow, a quarter of the content each, within these bounds */
    CHUNK_GROWN_BYTES = 1 << 20,
};

static size_t rope_bytes(size_t capacity) {
    return sizeof(struct rope) + capacity * sizeof(struct span);
}

static struct rope *rope_new(struct account *account, size_t capacity) {
    struct rope *rope = account_add(account, memory_alloc(rope_bytes(capacity)));
    rope->uses = 1;
    rope->count = 0;
    rope->capacity = capacity;
    return rope;
}

static void rope_add(struct rope *rope, struct chunk *chunk, uint64_t end) {
    rope->spans[rope->count++] = (struct span){chunk, end};
}

static void rope_drop(struct account *account, struct rope *rope) {
    if (--rope->uses) return;
    for (size_t i = 0; i < rope->count; i++) chunk_drop(account, rope->spans[i].chunk);
    account_discard(account, rope);
}

/* A rope with the same spans that is the content's own. */
static void rope_unshare(struct account *account, struct content *content, size_t capacity) {
    const struct rope *shared = content->rope;
    struct rope *rope = rope_new(account, capacity);
    for (size_t i = 0; i < shared->count; i++) {
        chunk_use(account, shared->spans[i].chunk);
        rope_add(rope, shared->spans[i].chunk, shared->spans[i].end);
    }
    rope_drop(account, content->rope);
    content->rope = rope;
}

static void rope_grow(struct account *account, struct content *content, size_t capacity) {
    content->rope = account_resize(account, content->rope, rope_bytes(capacity));
    content->rope->capacity = capacity;
}

/* A rope of the content's own with room for so many spans. */
static void need_rope(struct account *account, struct content *content, size_t spans) {
    if (!content->rope) {
        content->rope = rope_new(account, spans < ROPE_FIRST_CAPACITY ? ROPE_FIRST_CAPACITY : spans);
        if (content->chunk) rope_add(content->rope, content->chunk, content->length);
        content->chunk = NULL;
        return;
    }
    size_t capacity = content->rope->capacity;
    if (capacity < spans) capacity = spans < capacity * 2 ? capacity * 2 : spans;
    if (content->rope->uses > 1)
        rope_unshare(account, content, capacity);
    else if (capacity > content->rope->capacity)
        rope_grow(account, content, capacity);
}

void content_reserve(struct account *account, struct content *content, size_t chunks) {
    if (chunks > 1) need_rope(account, content, chunks);
}

void content_add(struct account *account, struct content *content, struct chunk *chunk) {
    chunk_use(account, chunk);
    uint64_t end = content->length + chunk_bytes(chunk).length;
    if (!content->rope && !content->chunk) {
        content->chunk = chunk;
    } else {
        need_rope(account, content, content_chunks(content) + 1);
        rope_add(content->rope, chunk, end);
    }
    content->length = end;
}

/* --- Growing at the end --- */

/* The last chunk, where it stands, if it may change; a rope that is shared may not. */
static struct chunk **changeable_tail(const struct content *content) {
    struct chunk **tail = NULL;
    if (content->chunk) tail = (struct chunk **)&content->chunk;
    if (content->rope && content->rope->uses == 1 && content->rope->count)
        tail = &content->rope->spans[content->rope->count - 1].chunk;
    return tail && chunk_is_sole(*tail) ? tail : NULL;
}

static size_t between(size_t least, uint64_t wanted, size_t most) {
    if (wanted < least) return least;
    return wanted > most ? most : (size_t)wanted;
}

static void extend_tail(struct content *content, struct chunk *tail, struct bytes bytes) {
    chunk_extend(tail, bytes);
    content->length += bytes.length;
    if (content->rope) content->rope->spans[content->rope->count - 1].end = content->length;
}

/* What fits into the last chunk goes there; answers what is left. */
static struct bytes fill_tail(struct account *account, struct content *content, struct bytes bytes) {
    struct chunk **tail = changeable_tail(content);
    if (!tail) return bytes;
    size_t spare = chunk_spare(*tail), length = chunk_bytes(*tail).length;
    if (spare < bytes.length && length + bytes.length <= CHUNK_MOVED_BYTES) {
        *tail = chunk_resize(account, *tail, between(length + bytes.length, 2 * length, CHUNK_MOVED_BYTES));
        spare = bytes.length;
    }
    size_t part = spare < bytes.length ? spare : bytes.length;
    extend_tail(content, *tail, bytes_of(bytes.data, part));
    return bytes_of(bytes.data + part, bytes.length - part);
}

void content_append(struct account *account, struct content *content, struct bytes bytes) {
    bytes = fill_tail(account, content, bytes);
    if (!bytes.length) return;
    bool large = content->length >= CHUNK_MOVED_BYTES;
    size_t least = large ? CHUNK_FRESH_BYTES : CHUNK_FIRST_BYTES;
    size_t room = between(least, large ? content->length / 4 : 0, CHUNK_GROWN_BYTES);
    struct chunk *fresh = chunk_empty(room < bytes.length ? bytes.length : room);
    chunk_extend(fresh, bytes);
    content_add(account, content, fresh);
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
    if (content->rope) return content->rope->count;
    return content->chunk ? 1 : 0;
}

struct chunk *content_chunk(const struct content *content, size_t at) {
    return content->rope ? content->rope->spans[at].chunk : content->chunk;
}

/* The first span that ends behind the offset, which lies inside the content. */
static const struct span *rope_span(const struct rope *rope, uint64_t offset) {
    size_t low = 0, high = rope->count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rope->spans[middle].end > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return &rope->spans[low];
}

struct bytes content_view(const struct content *content, uint64_t offset, uint64_t length) {
    if (offset >= content->length) return bytes_of("", 0);
    const struct chunk *chunk = content->chunk;
    uint64_t end = content->length;
    if (content->rope) {
        const struct span *span = rope_span(content->rope, offset);
        chunk = span->chunk;
        end = span->end;
    }
    struct bytes bytes = chunk_bytes(chunk);
    uint64_t start = end - bytes.length, left = end - offset;
    return bytes_of(bytes.data + (offset - start), (size_t)(left < length ? left : length));
}

void content_relocate(struct content *content, const struct relocation *relocation) {
    if (content->chunk) content->chunk = chunk_relocate(content->chunk, relocation);
    if (!content->rope || content->rope->uses > 1) return;
    content->rope = relocate(relocation, content->rope);
    for (size_t i = 0; i < content->rope->count; i++)
        content->rope->spans[i].chunk = chunk_relocate(content->rope->spans[i].chunk, relocation);
}
