/* Content: the bytes of a blob or a file, as a rope of chunks.
 *
 *      length           what a reader sees
 *      chunk ─────────▶ the one chunk, for most contents
 *      rope  ─────────▶ spans, each a part of a chunk with the position where it ends; found by halving
 *
 * At most one of chunk and rope is set; an empty content has neither. A struct of zeros is an empty content.
 * Contents share chunks, never spans. */
#ifndef HOLDFAST_CONTENT_H
#define HOLDFAST_CONTENT_H

#include "core/chunk.h"

#include <stdint.h>

struct rope;

struct content {
    uint64_t length;
    struct chunk *chunk;
    struct rope *rope;
};

/* Takes over the caller's reference to the chunk. */
void content_append(struct content *content, struct chunk *chunk);

void content_clear(struct content *content);

/* Makes an empty content the twin of another one, sharing its bytes. */
void content_share(struct content *content, const struct content *source);

/* The longest run of bytes in one piece from offset on, at most length. Empty only beyond the end. */
struct bytes content_view(const struct content *content, uint64_t offset, uint64_t length);

void content_relocate(struct content *content, const struct relocation *relocation);

/* What the allocator holds for it, shared chunks in full. */
size_t content_held(const struct content *content);

/* How many allocations freeing it touches. */
size_t content_parts(const struct content *content);

#endif
