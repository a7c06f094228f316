/* Chunks: immutable-once-shared runs of content bytes, counted by reference.
 *
 * A chunk either holds its bytes behind its own header, or keeps alive the argument that brought them (its
 * owner), so that a large value is stored without being copied. Counts are atomic: a value may be freed on a
 * background thread while another key shares its chunks. */
#ifndef HOLDFAST_CHUNK_H
#define HOLDFAST_CHUNK_H

#include "core/relocation.h"

struct chunk;

/* Takes the owner over: memory_drop_owner is called with it at the end. held is what the owner really
 * occupies. */
struct chunk *chunk_adopt(void *owner, struct bytes bytes, size_t held);

/* A copy of the bytes. NULL if so much memory cannot be had. */
struct chunk *chunk_copy(struct bytes bytes);

struct chunk *chunk_share(struct chunk *chunk);
void chunk_release(struct chunk *chunk);

struct bytes chunk_bytes(const struct chunk *chunk);

/* Only a chunk that nobody shares moves. Answers where it is now. */
struct chunk *chunk_relocate(struct chunk *chunk, const struct relocation *relocation);

/* What the allocator holds for the chunk, its owner included. */
size_t chunk_held(const struct chunk *chunk);

#endif
