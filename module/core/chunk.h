/* Chunks: runs of content bytes that many contents may share.
 *
 * A chunk either holds its bytes behind its own header, or keeps alive the argument that brought them (its owner), so
 * that a large value is stored without being copied.
 *
 *   aggregate A: content, content ──uses──▶ chunk ◀──source── chunk ◀──uses── content :aggregate B
 *
 * A chunk belongs to one aggregate, whose contents count their uses of it, and is counted once in its account.
 * Another aggregate shares its bytes through a twin, a chunk of its own that keeps the first one alive. Only that
 * count is atomic: an aggregate may be freed on a background thread while another one shares its bytes.
 *
 * The bytes of a chunk change only while nobody shares them. */
#ifndef HOLDFAST_CHUNK_H
#define HOLDFAST_CHUNK_H

#include "core/account.h"
#include "core/relocation.h"

struct chunk;

/* --- New chunks, with no uses yet --- */

/* Takes ownership of `owner`, which is not NULL and is released by memory_drop_owner. `memory` is what the
 * owner really occupies. */
struct chunk *chunk_adopt(void *owner, struct bytes bytes, size_t memory);

/* Copies the bytes. */
struct chunk *chunk_copy(struct bytes bytes);

/* An empty chunk with this capacity. */
struct chunk *chunk_empty(size_t capacity);

/* A chunk for another aggregate that shares the bytes. */
struct chunk *chunk_twin(struct chunk *chunk);

/* Frees a chunk that was never used. */
void chunk_discard(struct chunk *chunk);

/* --- Use --- */

/* Adds one use. */
void chunk_use(struct account *account, struct chunk *chunk);

/* Drops one use; the last one frees the chunk. */
void chunk_drop(struct account *account, struct chunk *chunk);

/* How many contents of its aggregate use it. */
size_t chunk_uses(const struct chunk *chunk);

struct bytes chunk_bytes(const struct chunk *chunk);

/* --- Change --- */

/* Whether the chunk owns its bytes and only one content uses it. The functions below require this. */
bool chunk_is_sole(const struct chunk *chunk);

/* How many bytes can be added without moving the chunk. */
size_t chunk_spare(const struct chunk *chunk);

/* Appends bytes; the caller has checked that they fit. */
void chunk_extend(struct chunk *chunk, struct bytes bytes);

/* Sets the capacity and truncates bytes beyond it. Returns the chunk, which may have moved. */
struct chunk *chunk_resize(struct account *account, struct chunk *chunk, size_t capacity);

/* Opens a gap of uninitialised bytes, or closes one. The capacity must suffice. */
void chunk_open_gap(struct chunk *chunk, size_t at, size_t length);
void chunk_close_gap(struct chunk *chunk, size_t at, size_t length);

void chunk_overwrite(struct chunk *chunk, size_t at, struct bytes bytes);

/* --- Memory --- */

/* Only a chunk that nobody shares moves. Returns where it is now. */
struct chunk *chunk_relocate(struct chunk *chunk, const struct relocation *relocation);

/* What the allocator holds for the chunk, including its owner or the chunk whose bytes it shares. */
size_t chunk_memory(const struct chunk *chunk);

#endif
