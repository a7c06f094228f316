#include "file/share.h"

#include "core/garbage.h"
#include "core/hash.h"
#include "core/memory.h"
#include "file/share_load.h"
#include "file/tree.h"

#include "ccan/container_of/container_of.h"

#include <stdatomic.h>

/* --- Counts --- */

static _Atomic uint64_t census[CENSUS_KINDS];

void census_count(enum census_kind kind, uint64_t before, uint64_t after) {
    if (before != after) atomic_fetch_add_explicit(&census[kind], after - before, memory_order_relaxed);
}

void share_count_length(struct share *share, const struct file_node *node, uint64_t length) {
    uint64_t bytes = share->bytes + length - node->content.length;
    census_count(CENSUS_BYTES, share->bytes, bytes);
    share->bytes = bytes;
}

struct share_census share_census(void) {
    return (struct share_census){
        .shares = census[CENSUS_SHARES],
        .files = census[CENSUS_FILES],
        .directories = census[CENSUS_DIRECTORIES],
        .snapshots = census[CENSUS_SNAPSHOTS],
        .sessions = census[CENSUS_SESSIONS],
        .ended = census[CENSUS_ENDED],
        .handles = census[CENSUS_HANDLES],
        .locks = census[CENSUS_LOCKS],
        .leases = census[CENSUS_LEASES],
        .bytes = census[CENSUS_BYTES],
    };
}

/* --- Creation and freeing --- */

struct share *share_new(const struct share_change *change) {
    struct share *share = memory_zeroed(sizeof(*share));
    account_add(&share->account, share);
    list_head_init(&share->ended);
    share->root = node_new(&share->account, NODE_DIRECTORY, ++share->ids, NULL, bytes_of("", 0));
    share->root->stamp = change->stamp;
    share->root->created_ms = change->created_ms;
    share->stamp = change->stamp;
    share->created_ms = change->created_ms;
    share->quota = change->quota;
    share->numbers = change->number;
    share->upkeep_ms = INT64_MAX;
    packed_replace(&share->account, &share->metadata, change->metadata);
    packed_replace(&share->account, &share->policies, change->policies);
    census_count(CENSUS_SHARES, 0, 1);
    return share;
}

static void free_snapshots(struct share *share) {
    for (unsigned i = 0; i < share->snapshot_count; i++)
        account_discard(&share->account, share->snapshots[i].metadata);
    account_discard(&share->account, share->snapshots);
    census_count(CENSUS_SNAPSHOTS, share->snapshot_count, 0);
}

static bool lease_is_set(const struct lease *lease) {
    return lease && lease->kind != LEASE_FREE;
}

/* Groups are freed with their sessions. */
static void share_free_usage(struct share *share, struct file_usage *usage) {
    census_count(CENSUS_LOCKS, usage->locks.count, 0);
    range_locks_end(&share->account, &usage->locks);
    if (usage->lease) {
        census_count(CENSUS_LEASES, 1, 0);
        account_discard(&share->account, usage->lease->lease);
        account_discard(&share->account, usage->lease);
    }
    account_discard(&share->account, usage);
}

static void free_group(struct share *share, struct open_group *group) {
    struct file_open *open, *next;
    list_for_each_safe (&group->opens, open, next, among) account_discard(&share->account, open);
    account_discard(&share->account, group);
}

static void free_session(void *context, struct entry *entry) {
    struct share *share = context;
    struct share_session *session = container_of(entry, struct share_session, entry);
    struct open_group *group, *next;
    census_count(CENSUS_ENDED, session->ended, 0);
    list_for_each_safe (&session->groups, group, next, of_session) free_group(share, group);
    account_discard(&share->account, session);
}

static void free_usages(struct share *share) {
    struct order_cursor cursor = catalog_seek(&share->nodes, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) {
        struct file_node *node = node_of_entry(entry);
        if (node->usage) share_free_usage(share, node->usage);
        node->usage = NULL;
    }
}

static void free_holders(struct share *share) {
    free_usages(share);
    census_count(CENSUS_SESSIONS, share->sessions.count, 0);
    census_count(CENSUS_HANDLES, share->opens.count, 0);
    while (deadlines_first(&share->deadlines))
        deadlines_unset(&share->deadlines, deadlines_first(&share->deadlines));
    for (size_t place = 0; place < share->sessions.buckets; place++)
        hash_index_visit(&share->sessions, place, free_session, share);
    hash_index_end(&share->sessions);
    hash_index_end(&share->groups);
    hash_index_end(&share->opens);
    order_index_end(&share->numbered);
    order_index_end(&share->leased);
}

void share_free(struct share *share) {
    garbage_end(&share->account);
    share_load_end(share);
    free_holders(share);
    tree_free(share);
    free_snapshots(share);
    once_log_end(&share->once_log);
    census_count(CENSUS_BYTES, share->bytes, 0);
    census_count(CENSUS_SHARES, 1, 0);
    census_count(CENSUS_LEASES, lease_is_set(share->lease), 0);
    memory_free(share->lease);
    memory_free(share->metadata);
    memory_free(share->policies);
    memory_free(share);
}

size_t share_memory(const struct share *share) {
    return share->account.memory + catalog_memory(&share->nodes) + share->sessions.memory +
           share->groups.memory + share->opens.memory + share->numbered.memory +
           share->snapshot_places.memory + share->leased.memory +
           share->deadlines.capacity * sizeof(*share->deadlines.heap) + once_log_memory(share->once_log);
}

unsigned share_snapshot_number(const struct share *share, version id) {
    unsigned low = 0, high = share->snapshot_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (share->snapshots[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < share->snapshot_count && share->snapshots[low].id == id ? low + 1 : 0;
}

/* --- Leases --- */

const struct lease *share_lease(const struct share *share) {
    static const struct lease no_lease;
    return share->lease ? share->lease : &no_lease;
}

const struct lease *file_lease_of(const struct file_node *node) {
    static const struct lease no_lease;
    return node->usage && node->usage->lease ? node->usage->lease->lease : &no_lease;
}

void share_set_lease(struct share *share, const struct lease *lease) {
    struct lease *next = lease && lease->token ? account_add(&share->account, lease_new(lease)) : NULL;
    census_count(CENSUS_LEASES, lease_is_set(share->lease), lease_is_set(next));
    account_discard(&share->account, share->lease);
    share->lease = next;
}

bool share_has_token(const struct share *share, version token, const struct file_node *node) {
    char text[VERSION_TEXT_LENGTH];
    struct bytes name = bytes_of(text, sizeof(text));
    version_write(token, text);
    struct order_cursor cursor = order_index_seek(&share->leased, name);
    struct entry *entry = order_cursor_entry(&cursor);
    if (!entry || !bytes_equal(entry_name(entry), name)) return false;
    return container_of(entry, struct file_lease, entry)->usage->node != node;
}

/* --- Queries --- */

struct share_session *share_session_find(const struct share *share, const struct guid *id) {
    struct bytes name = guid_bytes(id);
    struct entry *entry = hash_index_find(&share->sessions, hash_bytes(name), name);
    return entry ? container_of(entry, struct share_session, entry) : NULL;
}

struct file_open *share_open_find(const struct share *share, const struct guid *id) {
    struct bytes name = guid_bytes(id);
    struct entry *entry = hash_index_find(&share->opens, hash_bytes(name), name);
    return entry ? container_of(entry, struct file_open, entry) : NULL;
}

struct file_open *open_of_numbered(struct entry *entry) {
    return container_of(entry, struct file_open, numbered);
}

struct share_session *share_due_session(const struct share *share, int64_t now_ms) {
    struct deadline *first = deadlines_first(&share->deadlines);
    return first && first->due_ms <= now_ms ? container_of(first, struct share_session, deadline) : NULL;
}

int64_t share_next_end_ms(const struct share *share) {
    const struct deadline *first = deadlines_first(&share->deadlines);
    if (!list_empty(&share->ended)) return 0;
    return first ? first->due_ms : INT64_MAX;
}

/* --- Defragmentation --- */

struct share *share_relocate(struct share *share, const struct relocation *relocation) {
    /* The ended sessions are linked to a list head in the share: while there are any, it cannot move. */
    if (list_empty(&share->ended)) {
        share = relocate(relocation, share);
        garbage_follow(&share->account);
        list_head_init(&share->ended);
    }
    share->metadata = relocate(relocation, share->metadata);
    share->policies = relocate(relocation, share->policies);
    share->lease = relocate(relocation, share->lease);
    once_log_relocate(&share->once_log, relocation);
    if (share->lease) lease_moved(share->lease);
    return share;
}

static void move_node(void *owner, struct entry *entry, const struct relocation *relocation) {
    const struct share *share = owner;
    struct catalog_slots slots;
    catalog_slots(&share->nodes, entry, &slots);
    struct file_node *node = relocate(relocation, node_of_entry(entry));
    catalog_slots_set(&slots, &node->entry);
    node_moved(node);
    node_relocate_parts(node, relocation);
}

void share_relocate_nodes(struct share *share, size_t place, const struct relocation *relocation) {
    hash_index_move(&share->nodes.by_hash, place, relocation, move_node, share);
}
