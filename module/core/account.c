#include "core/account.h"

#include "core/memory.h"

void *account_add(struct account *account, void *memory) {
    account->memory += memory_size(memory);
    account->allocations++;
    return memory;
}

void account_discard(struct account *account, void *memory) {
    if (!memory) return;
    account->memory -= memory_size(memory);
    account->allocations--;
    memory_free(memory);
}

void *account_resize(struct account *account, void *memory, size_t size) {
    account->memory -= memory_size(memory);
    memory = memory_resize(memory, size);
    account->memory += memory_size(memory);
    return memory;
}

void account_keep(struct account *account, struct bytes *place, struct bytes bytes) {
    struct bytes before = *place;
    *place = bytes_of("", 0);
    if (bytes.length) {
        char *kept = account_add(account, memory_alloc(bytes.length));
        *place = bytes_of(memcpy(kept, bytes.data, bytes.length), bytes.length);
    }
    if (before.length) account_discard(account, (char *)before.data);
}
