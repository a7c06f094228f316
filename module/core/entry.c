#include "core/entry.h"

#include "core/memory.h"

#include <limits.h>

/* Only the thread that changes values lets one more have an entry, so the first time needs no atomic addition: nobody
 * else knows the entry. */
bool entry_hold(struct account *account, struct entry *entry) {
    unsigned others = atomic_load_explicit(&entry->others, memory_order_relaxed);
    if (others == UCHAR_MAX) return false;
    if (others)
        atomic_fetch_add_explicit(&entry->others, 1, memory_order_relaxed);
    else
        atomic_store_explicit(&entry->others, 1, memory_order_relaxed);
    account_add(account, entry);
    return true;
}

void entry_drop(struct account *account, struct entry *entry) {
    account->memory -= memory_size(entry);
    account->allocations--;
    if (entry_let_go(entry)) memory_free(entry);
}

bool entry_let_go(struct entry *entry) {
    return !entry_is_common(entry) || !atomic_fetch_sub_explicit(&entry->others, 1, memory_order_acq_rel);
}
