/* Memory: the only way in which pure code allocates.
 *
 * The module binds these to the server's allocator, so that used_memory, maxmemory and MEMORY USAGE see every
 * byte; unit tests bind them to malloc. None of these answers NULL: as with the server's own allocations, the process
 * ends when there is no memory left. */
#ifndef HOLDFAST_MEMORY_H
#define HOLDFAST_MEMORY_H

#include <stddef.h>

/* For pointers and 64-bit numbers: many servers' allocators align to no more. */
enum { MEMORY_ALIGNMENT = 8 };

void *memory_alloc(size_t size);
void *memory_zeroed(size_t size);
void *memory_resize(void *memory, size_t size);
void memory_free(void *memory);

/* What the allocator really uses for this allocation. */
size_t memory_size(const void *memory);

/* Releases the owner of a chunk's bytes (in the module, a command argument). */
void memory_drop_owner(void *owner);

#endif
