/* Content: the bytes of a blob, as a rope of chunks.
 *
 *      length           what a reader sees
 *      chunk ─────────▶ the one chunk, for most contents
 *      rope  ─────────▶ blocks ─▶ spans, each a chunk with the position where it ends; found by halving
 *
 * At most one of chunk and rope is set; an empty content has neither. A struct of zeros is an empty content.
 *
 * Contents of one aggregate share chunks, blocks and whole ropes. What is shared is copied before it changes: the list
 * of blocks, and the last of them. Everything that a content has stands on the aggregate's account. */
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

/* A chunk more at the end, as it is. */
void content_add(struct account *account, struct content *content, struct chunk *chunk);

/* Bytes more at the end, copied, into the last chunk as long as that may grow. However large the content is, this
 * costs the same in the long run. */
void content_append(struct account *account, struct content *content, struct bytes bytes);

/* Bytes more in the last chunk, which there is, and which will have `room` bytes in all. */
void content_extend_last(struct account *account, struct content *content, struct bytes bytes, size_t room);

/* Room for so many chunks. */
void content_reserve(struct account *account, struct content *content, size_t chunks);

void content_clear(struct account *account, struct content *content);

/* Makes an empty content the equal of another one of the same aggregate, sharing all that it has. */
void content_share(struct account *account, struct content *content, const struct content *source);

/* Likewise for one of another aggregate, sharing its bytes. */
void content_twin(struct account *account, struct content *content, const struct content *source);

/* The longest run of bytes in one piece from offset on, at most length. Empty only beyond the end. */
struct bytes content_view(const struct content *content, uint64_t offset, uint64_t length);

/* The chunks in their order. */
size_t content_chunks(const struct content *content);
struct chunk *content_chunk(const struct content *content, size_t at);

/* Whether both are one and the same for sure, by what they share. */
bool content_same(const struct content *content, const struct content *other);

void content_relocate(struct content *content, const struct relocation *relocation);

#endif
