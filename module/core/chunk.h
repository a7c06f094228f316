/* Chunks: runs of content bytes that many contents may share.
 *
 * A chunk either holds its bytes behind its own header, or keeps alive the argument that brought them (its owner), so
 * that a large value is stored without being copied.
 *
 *   aggregate A: content, content ──uses──▶ chunk ◀──source── chunk ◀──uses── content :aggregate B
 *
 * A chunk belongs to one aggregate, whose contents count their uses of it, and stands once on its account. Another
 * aggregate shares its bytes through a twin, a chunk of its own that keeps the first one alive. Only that count is
 * atomic: an aggregate may be freed on a background thread while another one shares its bytes.
 *
 * The bytes of a chunk change only while nobody shares them. */
#ifndef HOLDFAST_CHUNK_H
#define HOLDFAST_CHUNK_H

#include "core/account.h"
#include "core/relocation.h"

struct chunk;

/* --- New ones, which nobody uses yet --- */

/* Takes the owner over, which is not NULL: memory_drop_owner is called with it at the end. held is what the owner really
 * occupies. */
struct chunk *chunk_adopt(void *owner, struct bytes bytes, size_t held);

/* A copy of the bytes. NULL if so much memory cannot be had. */
struct chunk *chunk_copy(struct bytes bytes);

/* Room for so many bytes, and none in it yet. */
struct chunk *chunk_empty(size_t room);

/* For another aggregate. */
struct chunk *chunk_twin(struct chunk *chunk);

/* Frees a chunk that nobody has used. */
void chunk_discard(struct chunk *chunk);

/* --- Use --- */

/* A content more has the chunk. */
void chunk_use(struct account *account, struct chunk *chunk);

/* A content less; the last one frees it. */
void chunk_drop(struct account *account, struct chunk *chunk);

/* How many contents of its aggregate have it. */
size_t chunk_uses(const struct chunk *chunk);

struct bytes chunk_bytes(const struct chunk *chunk);

/* --- Change --- */

/* Whether the bytes are the chunk's own and one content's alone. The rest is only for such chunks. */
bool chunk_is_sole(const struct chunk *chunk);

/* How many bytes can be added where it stands. */
size_t chunk_spare(const struct chunk *chunk);

/* Adds bytes for which there is room. */
void chunk_extend(struct chunk *chunk, struct bytes bytes);

/* Room for so many bytes in all; what stands beyond them is cut off. Answers where the chunk is now. */
struct chunk *chunk_resize(struct account *account, struct chunk *chunk, size_t room);

/* Opens a gap of bytes that are not set yet, or closes one. There must be room. */
void chunk_open_gap(struct chunk *chunk, size_t at, size_t length);
void chunk_close_gap(struct chunk *chunk, size_t at, size_t length);

void chunk_overwrite(struct chunk *chunk, size_t at, struct bytes bytes);

/* --- Memory --- */

/* Only a chunk that nobody shares moves. Answers where it is now. */
struct chunk *chunk_relocate(struct chunk *chunk, const struct relocation *relocation);

/* What the allocator holds for the chunk, its owner or the chunk whose bytes it shares included. */
size_t chunk_held(const struct chunk *chunk);

#endif
