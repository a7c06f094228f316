/* Relocation: moving allocations to places that the allocator likes better, so that memory can be given back. */
#ifndef HOLDFAST_RELOCATION_H
#define HOLDFAST_RELOCATION_H

#include "core/bytes.h"

struct relocation {
    /* Answers where the allocation is now; NULL when it stays. The old place is gone then. */
    void *(*move)(void *context, void *memory);
    /* Likewise for what brought a chunk's bytes. Tells where the bytes are in any case: they may move while the owner
     * stays, and stay while it moves. */
    void *(*move_owner)(void *context, void *owner, struct bytes *bytes);
    void *context;
};

static inline void *relocate(const struct relocation *relocation, void *memory) {
    void *moved = memory ? relocation->move(relocation->context, memory) : NULL;
    return moved ? moved : memory;
}

#endif
