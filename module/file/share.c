#include "file/share.h"

#include "core/census.h"
#include "core/garbage.h"

#include "ccan/container_of/container_of.h"

/* --- Counts --- */

static struct census all_of[CENSUS_KINDS];

void share_count(enum census_kind kind, uint64_t before, uint64_t after) {
    census_count(&all_of[kind], before, after);
}

void share_count_length(struct share *share, const struct file_node *node, uint64_t length) {
    uint64_t bytes = share->bytes + length - node->content.length;
    share_count(CENSUS_BYTES, share->bytes, bytes);
    share->bytes = bytes;
}

struct share_census share_census(void) {
    struct share_census all;
    for (unsigned kind = 0; kind < CENSUS_KINDS; kind++) all.of[kind] = census_sum(&all_of[kind]);
    return all;
}

/* --- Queries --- */

size_t share_memory(const struct share *share) {
    return share->account.memory + catalog_memory(&share->nodes) + share->sessions.memory +
           share->groups.memory + share->handles.memory + share->numbered.memory +
           share->snapshot_places.memory + share->leased.memory +
           share->deadlines.capacity * sizeof(*share->deadlines.heap) + once_log_memory(share->head.once_log);
}

size_t share_allocations(const struct share *share) {
    return share->account.allocations + once_log_allocations(share->head.once_log);
}

unsigned share_snapshot_number(const struct share *share, version id) {
    size_t place = version_place(share->snapshots, share->snapshot_count, sizeof(*share->snapshots), id);
    bool there = place < share->snapshot_count && share->snapshots[place].id == id;
    return there ? (unsigned)place + 1 : 0;
}

/* --- Leases --- */

const struct lease *share_lease(const struct share *share) {
    return lease_or_none(share->lease);
}

const struct lease *file_lease_of(const struct file_node *node) {
    return lease_or_none(node->usage && node->usage->lease ? node->usage->lease->lease : NULL);
}

void share_set_lease(struct share *share, const struct lease *lease) {
    share_count(CENSUS_LEASES, lease_is_set(share->lease), lease_is_set(lease));
    lease_replace(&share->account, &share->lease, lease);
}

bool share_has_token(const struct share *share, version token, const struct file_node *node) {
    char text[VERSION_TEXT_LENGTH];
    struct bytes name = bytes_of(text, sizeof(text));
    version_write(token, text);
    struct order_cursor cursor = order_index_seek(&share->leased, name);
    struct entry *entry = order_cursor_entry(&cursor);
    if (!entry || !bytes_equal(entry_name(entry), name)) return false;
    return lease_of_entry(entry)->usage->node != node;
}

/* --- Sessions and handles --- */

struct share_session *share_session_find(const struct share *share, const struct guid *id) {
    struct entry *entry = hash_index_named(&share->sessions, guid_bytes(id));
    return entry ? container_of(entry, struct share_session, entry) : NULL;
}

struct file_handle *share_handle_find(const struct share *share, const struct guid *id) {
    struct entry *entry = hash_index_named(&share->handles, guid_bytes(id));
    return entry ? container_of(entry, struct file_handle, entry) : NULL;
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
    once_log_relocate(&share->head.once_log, relocation);
    if (share->lease) lease_moved(share->lease);
    return share;
}

static void move_node(void *owner, struct entry *entry, const struct relocation *relocation) {
    const struct share *share = owner;
    struct entry_slots slots;
    slots.count = 0;
    catalog_slots(&share->nodes, entry, &slots);
    struct file_node *node = relocate(relocation, node_of_entry(entry));
    entry_slots_set(&slots, &node->entry);
    node_moved(node);
    node_relocate_parts(node, relocation);
}

size_t share_places(const struct share *share) {
    return share->nodes.by_hash.buckets;
}

void share_relocate_place(struct share *share, size_t place, const struct relocation *relocation) {
    hash_index_move(&share->nodes.by_hash, place, relocation, move_node, share);
}
