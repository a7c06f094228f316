#include "core/content.h"

#include "core/memory.h"

struct span {
    struct chunk *chunk;
    uint64_t end; /* position in the content where this span ends */
};

struct rope {
    size_t count;
    size_t capacity;
    size_t held; /* sum of its chunks */
    struct span spans[];
};

enum { ROPE_FIRST_CAPACITY = 4 };

static struct rope *rope_resize(struct rope *rope, size_t capacity) {
    bool fresh = rope == NULL;
    rope = memory_resize(rope, sizeof(*rope) + capacity * sizeof(struct span));
    if (fresh) {
        rope->count = 0;
        rope->held = 0;
    }
    rope->capacity = capacity;
    return rope;
}

static void rope_add(struct rope *rope, struct chunk *chunk, uint64_t end) {
    rope->spans[rope->count++] = (struct span){chunk, end};
    rope->held += chunk_held(chunk);
}

void content_append(struct content *content, struct chunk *chunk) {
    uint64_t before = content->length;
    content->length += chunk_bytes(chunk).length;
    if (!content->rope) {
        if (!content->chunk) {
            content->chunk = chunk;
            return;
        }
        content->rope = rope_resize(NULL, ROPE_FIRST_CAPACITY);
        rope_add(content->rope, content->chunk, before);
        content->chunk = NULL;
    } else if (content->rope->count == content->rope->capacity) {
        content->rope = rope_resize(content->rope, content->rope->capacity * 2);
    }
    rope_add(content->rope, chunk, content->length);
}

void content_clear(struct content *content) {
    if (content->chunk) chunk_release(content->chunk);
    if (content->rope) {
        for (size_t i = 0; i < content->rope->count; i++) chunk_release(content->rope->spans[i].chunk);
        memory_free(content->rope);
    }
    *content = (struct content){0, NULL, NULL};
}

void content_share(struct content *content, const struct content *source) {
    *content = (struct content){source->length, NULL, NULL};
    if (source->chunk) content->chunk = chunk_share(source->chunk);
    if (!source->rope) return;
    content->rope = rope_resize(NULL, source->rope->count);
    for (size_t i = 0; i < source->rope->count; i++)
        rope_add(content->rope, chunk_share(source->rope->spans[i].chunk), source->rope->spans[i].end);
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

size_t content_held(const struct content *content) {
    if (content->chunk) return chunk_held(content->chunk);
    return content->rope ? memory_size(content->rope) + content->rope->held : 0;
}

size_t content_parts(const struct content *content) {
    if (content->chunk) return 2;
    return content->rope ? 1 + 2 * content->rope->count : 0;
}

void content_relocate(struct content *content, const struct relocation *relocation) {
    if (content->chunk) content->chunk = chunk_relocate(content->chunk, relocation);
    if (!content->rope) return;
    content->rope = relocate(relocation, content->rope);
    for (size_t i = 0; i < content->rope->count; i++)
        content->rope->spans[i].chunk = chunk_relocate(content->rope->spans[i].chunk, relocation);
}
