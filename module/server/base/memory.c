/* Memory of the module: the server's own allocator, so that it counts every byte. */
#include "core/memory.h"

#include "server/base/api.h"

#include <string.h>

void *memory_alloc(size_t size) {
    return RedisModule_Alloc(size);
}

void *memory_zeroed(size_t size) {
    return RedisModule_Calloc(1, size);
}

void *memory_resize(void *memory, size_t size) {
    return RedisModule_Realloc(memory, size);
}

void memory_free(void *memory) {
    RedisModule_Free(memory);
}

size_t memory_size(const void *memory) {
    return RedisModule_MallocSize((void *)memory);
}

void memory_drop_owner(void *owner) {
    RedisModule_FreeString(NULL, owner);
}
