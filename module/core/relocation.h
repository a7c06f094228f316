/* Relocation: moving allocations to places that the allocator likes better, so that memory can be given back. */
#ifndef HOLDFAST_RELOCATION_H
#define HOLDFAST_RELOCATION_H

#include "core/bytes.h"

struct relocation {
    /* Returns the new address; NULL when the allocation stays. If it moved, the old memory is already freed. */
    void *(*move)(void *context, void *memory);
    /* The same for the owner of a chunk's bytes. Always sets *bytes: the bytes may move without the owner, and the
     * owner without the bytes. */
    void *(*move_owner)(void *context, void *owner, struct bytes *bytes);
    void *context;
};

static inline void *relocate(const struct relocation *relocation, void *memory) {
    void *moved = memory ? relocation->move(relocation->context, memory) : NULL;
    return moved ? moved : memory;
}

#endif
