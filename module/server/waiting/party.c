#include "server/waiting/party.h"

#include "core/hash_index.h"
#include "core/memory.h"

#include "ccan/container_of/container_of.h"

static struct hash_index parties;

struct party *party_find(const struct guid *id) {
    struct entry *entry = hash_index_named(&parties, guid_bytes(id));
    return entry ? container_of(entry, struct party, entry) : NULL;
}

void party_join(struct waiter *waiter, const struct wait_claim *claim) {
    struct party *party = party_find(&claim->party);
    if (!party) {
        party = memory_zeroed(sizeof(*party));
        party->id = claim->party;
        party->entry = entry_hashed(guid_bytes(&party->id), offsetof(struct party, id));
        list_head_init(&party->waiters);
        hash_index_add(&parties, &party->entry);
    }
    waiter->claim = *claim;
    waiter->party = party;
    list_add_tail(&party->waiters, &waiter->among_party);
}

void party_leave(struct waiter *waiter) {
    struct party *party = waiter->party;
    if (!party) return;
    waiter->party = NULL;
    list_del(&waiter->among_party);
    if (!list_empty(&party->waiters)) return;
    hash_index_remove(&parties, &party->entry);
    memory_free(party);
}
