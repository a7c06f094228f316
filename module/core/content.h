/* Content: the bytes of a blob, as a rope of chunks.
 *
 *      length           what a reader sees
 *      chunk ─────────▶ the one chunk, for most contents
 *      rope  ─────────▶ leaves ─▶ spans, each a chunk with the position where it ends; found by halving
 *
 * At most one of chunk and rope is set; an empty content has neither. A zeroed struct is an empty content.
 *
 * Contents of one aggregate share chunks, leaves and whole ropes. Shared parts (the list of leaves, and its last
 * leaf) are copied before they change. All of it is counted in the aggregate's account. */
#ifndef HOLDFAST_CONTENT_H
#define HOLDFAST_CONTENT_H

#include "core/chunk.h"
#include "core/pointer_map.h"

#include <stdint.h>

struct rope;

struct content {
    uint64_t length;
    struct chunk *chunk;
    struct rope *rope;
};

/* Appends a chunk as it is. */
void content_add(struct account *account, struct content *content, struct chunk *chunk);

/* Appends a copy of the bytes, to the last chunk as long as that may grow. Amortised cost is constant, however
 * large the content is. */
void content_append(struct account *account, struct content *content, struct bytes bytes);

/* Appends the bytes to the last chunk, which must exist; if it has to grow, it gets this capacity. */
void content_extend_last(struct account *account, struct content *content, struct bytes bytes,
                         size_t capacity);

/* Reserves space for this many chunks. */
void content_reserve(struct account *account, struct content *content, size_t chunks);

void content_clear(struct account *account, struct content *content);

/* The same, but nothing is left to the background: false when the effort did not suffice for all. */
bool content_free(struct account *account, struct content *content, size_t *effort);

/* Makes an empty content equal to another one of the same aggregate, sharing everything. */
void content_share(struct account *account, struct content *content, const struct content *source);

/* The same for a content of another aggregate, sharing its bytes. */
void content_twin(struct account *account, struct content *content, const struct content *source);

/* The longest contiguous run of bytes from offset on, at most length. Empty only beyond the end. */
struct bytes content_view(const struct content *content, uint64_t offset, uint64_t length);

/* The chunks in order. */
size_t content_chunks(const struct content *content);
struct chunk *content_chunk(const struct content *content, size_t at);

/* Whether both share everything. True means equal; false means unknown. */
bool content_same(const struct content *content, const struct content *other);

void content_relocate(struct content *content, const struct relocation *relocation);

#endif
