/* Walks: the changes that rebuild a share, for files, digests and copies. Pages that states share are shared again.
 * NODE, LENGTH, LEAF, GAP, STATE, SNAPSHOT_PLACE, END, HANDLE, LOCK and MARK are kinds of their own, LOAD_…, that only
 * files have.
 *
 *   CREATE, LEASE, each SNAPSHOT
 *   the tree; nodes are numbered in the order of the walk, from the root's 0:
 *     the current tree, directory by directory, then the places that only snapshots see
 *     for each node NODE, then for each of its states, the oldest first and the current one last:
 *       its content, as the difference to the state before: LENGTH, LEAF, GAP; then STATE
 *     SNAPSHOT_PLACE for another place of a node that has been walked
 *   END; not if an open walk (change.h) meets a share that is still being built, nor the last STATE of its last node.
 *     What has been built comes in the order in which it was, so numbers stay
 *   each session: CONNECT; each handle by number: HANDLE, its LOCKs; each file marked for deletion: MARK
 *   each ended session: DISCONNECT; each leased file: LEASE */
#include "file/share.h"

#include "core/memory.h"
#include "core/page_compare.h"
#include "core/pointer_map.h"
#include "file/handle_lifetime.h"
#include "file/share_load.h"
#include "file/tree.h"

#include "ccan/container_of/container_of.h"

struct numbered_directory {
    const struct directory *directory;
    uint64_t number;
};

struct exporter {
    const struct share *share;
    const struct change_walk *walk;
    struct numbered_directory *directories; /* in the order in which their children are walked */
    size_t count, capacity;
    uint64_t numbers;
    struct pointer_map seen; /* from nodes with snapshot places to their numbers plus 1 */
};

static void walk_change(const struct exporter *exporter, const struct share_change *change) {
    exporter->walk->take(exporter->walk->context, change);
}

/* Whether the share is still being built, and stays so. */
static bool is_open(const struct exporter *exporter) {
    return exporter->walk->open && exporter->share->load;
}

static struct share_change share_as_change(const struct share *share) {
    return (struct share_change){
        .kind = SHARE_CREATE,
        .stamp = share->stamp,
        .created_ms = share->created_ms,
        .quota = share->quota,
        .metadata = packed_view(share->metadata),
        .policies = packed_view(share->policies),
        .number = share->numbers,
    };
}

/* --- States of a node --- */

struct difference {
    const struct exporter *exporter;
    const struct sparse_bytes *content;
};

static bool walk_leaf(void *context, uint64_t page, uint64_t changed, uint64_t cleared) {
    const struct difference *difference = context;
    struct share_change change = {.kind = LOAD_GAP, .leaf = page / LEAF_PAGES};
    struct page_leaf leaf;
    (void)changed;
    (void)cleared;
    if (pages_leaf(&difference->content->pages, change.leaf, &leaf) && leaf.index == change.leaf) {
        change.kind = LOAD_LEAF;
        change.present = leaf.present;
        change.chunk = leaf.chunk;
        change.content = chunk_bytes(leaf.chunk);
    }
    walk_change(difference->exporter, &change);
    return true;
}

static void walk_content(const struct exporter *exporter, const struct sparse_bytes *content,
                         const struct sparse_bytes *before) {
    struct difference difference = {exporter, content};
    if (content->length != before->length) {
        walk_change(exporter, &(struct share_change){.kind = LOAD_LENGTH, .length = content->length});
    }
    struct page_range window = {0, content->pages.length};
    pages_compare(&content->pages, &before->pages, window, SIZE_MAX, walk_leaf, &difference);
}

static struct share_change state_as_change(const struct file_state *state) {
    return (struct share_change){
        .kind = LOAD_STATE,
        .last = (uint8_t)state->last,
        .stamp = state->stamp,
        .created_ms = state->created_ms,
        .attributes = state->attributes,
        .parts = state->has_lists ? FILE_PART_PROPERTIES | FILE_PART_METADATA : 0,
        .properties = packed_view(state->properties),
        .metadata = packed_view(state->metadata),
    };
}

/* Its present state. */
static struct share_change node_as_change(const struct file_node *node) {
    return (struct share_change){
        .kind = LOAD_STATE,
        .changed = node->changed,
        .stamp = node->stamp,
        .created_ms = node->created_ms,
        .attributes = node->attributes,
        .properties = node_properties(node),
        .metadata = node_metadata(node),
    };
}

static void walk_states(const struct exporter *exporter, const struct file_node *node) {
    static const struct sparse_bytes nothing;
    const struct sparse_bytes *before = &nothing;
    const struct file_past *past = node->extra ? node->extra->past : NULL;
    for (size_t i = 0; past && i < past->count; i++) {
        const struct file_state *state = &past->states[i];
        if (node_is_file(node)) {
            walk_content(exporter, &state->content, before);
            before = &state->content;
        }
        struct share_change change = state_as_change(state);
        walk_change(exporter, &change);
    }
    if (node_is_file(node)) walk_content(exporter, &node->content, before);
    if (is_open(exporter) && share_load_current(exporter->share) == node) return;
    struct share_change change = node_as_change(node);
    walk_change(exporter, &change);
}

/* --- The tree --- */

static void queue_directory(struct exporter *exporter, const struct directory *directory, uint64_t number) {
    if (exporter->count == exporter->capacity) {
        exporter->capacity = exporter->capacity ? exporter->capacity * 2 : 64;
        exporter->directories =
            memory_resize(exporter->directories, exporter->capacity * sizeof(*exporter->directories));
    }
    exporter->directories[exporter->count++] = (struct numbered_directory){directory, number};
}

static void walk_node(struct exporter *exporter, const struct file_node *node, struct share_change *change) {
    uint64_t number = ++exporter->numbers;
    change->kind = LOAD_NODE;
    change->node_kind = node->kind;
    walk_change(exporter, change);
    walk_states(exporter, node);
    if (!node_is_file(node)) queue_directory(exporter, node->directory, number);
    if (node->extra && node->extra->past && node->extra->past->snapshot_places)
        *pointer_map_at(&exporter->seen, node) = number + 1;
}

/* A walk without sessions leaves out the files that their end would delete. */
static bool leaves_out(const struct exporter *exporter, const struct file_node *node) {
    if (exporter->walk->holders || !node->usage) return false;
    return usage_view(node->usage, false, INT64_MAX).gone;
}

static void walk_children(struct exporter *exporter, struct numbered_directory parent) {
    struct tree_walk walk = tree_walk(exporter->share, parent.directory, 0, bytes_of("", 0));
    struct tree_item item;
    while (tree_next(&walk, &item) != TREE_END) {
        struct share_change change = {
            .parent_number = parent.number, .name = item.name, .born = item.node->born};
        if (!leaves_out(exporter, item.node)) walk_node(exporter, item.node, &change);
    }
}

static void walk_snapshot_place(struct exporter *exporter, const struct file_node *node,
                                struct share_change *change) {
    uintptr_t known = exporter->seen.count ? *pointer_map_at(&exporter->seen, node) : 0;
    if (!known) {
        walk_node(exporter, node, change);
        *pointer_map_at(&exporter->seen, node) = exporter->numbers + 1;
        return;
    }
    change->kind = LOAD_SNAPSHOT_PLACE;
    change->node_number = known - 1;
    walk_change(exporter, change);
}

/* Snapshots still see the files that are left out. */
static void walk_left_out(struct exporter *exporter, struct numbered_directory parent) {
    struct tree_walk walk = tree_walk(exporter->share, parent.directory, 0, bytes_of("", 0));
    unsigned last = exporter->share->snapshot_count;
    struct tree_item item;
    while (tree_next(&walk, &item) != TREE_END) {
        if (item.node->born >= last || !leaves_out(exporter, item.node)) continue;
        struct share_change change = {.parent_number = parent.number,
                                      .name = item.name,
                                      .born = item.node->born,
                                      .last = (uint8_t)last};
        walk_snapshot_place(exporter, item.node, &change);
    }
}

static void walk_snapshot_places(struct exporter *exporter, struct numbered_directory parent) {
    char buffer[NODE_KEY_ID_BYTES];
    struct bytes key = node_key(buffer, parent.directory->id, bytes_of("", 0));
    struct order_cursor cursor = order_index_seek(&exporter->share->snapshot_places, key);
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) {
        const struct snapshot_place *snapshot_place = snapshot_place_of_entry(entry);
        if (!bytes_start_with(entry_name(entry), key)) break;
        struct share_change change = {.parent_number = parent.number,
                                      .name = snapshot_place_name(snapshot_place),
                                      .born = snapshot_place->born,
                                      .last = snapshot_place->last};
        walk_snapshot_place(exporter, snapshot_place->past->node, &change);
    }
}

static void walk_tree(struct exporter *exporter) {
    const struct share *share = exporter->share;
    walk_states(exporter, share->root);
    queue_directory(exporter, share->root->directory, 0);
    for (size_t i = 0; i < exporter->count; i++) walk_children(exporter, exporter->directories[i]);
    for (size_t i = 0; i < exporter->count; i++) {
        walk_snapshot_places(exporter, exporter->directories[i]);
        if (!exporter->walk->holders && share->snapshot_count)
            walk_left_out(exporter, exporter->directories[i]);
    }
    if (!is_open(exporter)) walk_change(exporter, &(struct share_change){.kind = LOAD_END});
    memory_free(exporter->directories);
    pointer_map_end(&exporter->seen);
}

/* --- Sessions, handles and leases --- */

static void walk_session(const struct exporter *exporter, const struct share_session *session) {
    struct share_change change = {
        .kind = SHARE_CONNECT,
        .session = session->id,
        .owner = session_owner(session),
        .ttl_ms = session->ttl_ms,
        .instant_ms = session_expires_ms(session),
        .ends_with_connection = session->ends_with_connection,
        .number = session->number,
    };
    walk_change(exporter, &change);
}

/* An ended session without files is left out: applying its end would free it. */
static bool is_walked(const struct share_session *session) {
    const struct handle_group *group;
    if (!session->ended) return true;
    list_for_each (&session->groups, group, of_session)
        if (group->usage) return true;
    return false;
}

static void sort_session(void *sorted, struct entry *entry) {
    order_index_add(sorted, entry);
}

/* By id, so that equal shares give equal walks. */
static void walk_sessions(const struct exporter *exporter) {
    const struct hash_index *sessions = &exporter->share->sessions;
    struct order_index sorted = {0};
    for (size_t place = 0; place < sessions->buckets; place++)
        hash_index_visit(sessions, place, sort_session, &sorted);
    struct order_cursor cursor = order_index_seek(&sorted, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) {
        const struct share_session *session = container_of(entry, struct share_session, entry);
        if (is_walked(session)) walk_session(exporter, session);
    }
    order_index_end(&sorted);
}

static void walk_locks(const struct exporter *exporter, const struct file_handle *handle) {
    const struct range_lock *lock = NULL;
    while ((lock = lock_owner_next(&handle->locks, lock))) {
        struct share_change change = {
            .kind = LOAD_LOCK,
            .handle = handle->id,
            .lock = lock->kind,
            .offset = lock->range.offset,
            .length = lock->range.length,
            .count = lock->times,
        };
        walk_change(exporter, &change);
    }
}

/* A change that names the node by its path. */
static void walk_change_at(const struct exporter *exporter, const struct file_node *node,
                           struct share_change *change) {
    char *buffer = node_path_new(node, &change->path);
    walk_change(exporter, change);
    memory_free(buffer);
}

/* In the order of each file's first handle, so that equal shares give equal walks. */
static void walk_marks(const struct exporter *exporter) {
    struct order_cursor cursor = share_handles_seek(exporter->share, 0);
    struct pointer_map marked = {0};
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) {
        const struct file_usage *usage = handle_of_numbered(entry)->group->usage;
        if (!usage || !usage->pending || (*pointer_map_at(&marked, usage))++) continue;
        walk_change_at(exporter, usage->node, &(struct share_change){.kind = LOAD_MARK});
    }
    pointer_map_end(&marked);
}

static void walk_handle(const struct exporter *exporter, const struct file_handle *handle) {
    struct share_change change = {
        .kind = LOAD_HANDLE,
        .session = handle->group->session->id,
        .handle = handle->id,
        .sharing = handle->sharing,
        .deletes_on_close = handle->deletes_on_close,
        .instant_ms = handle->opened_ms,
        .number = handle_number(handle),
    };
    walk_change_at(exporter, handle->group->usage->node, &change);
    walk_locks(exporter, handle);
}

static void walk_handles(const struct exporter *exporter) {
    struct order_cursor cursor = share_handles_seek(exporter->share, 0);
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) {
        const struct file_handle *handle = handle_of_numbered(entry);
        if (handle->group->usage) walk_handle(exporter, handle);
    }
}

static void walk_leases(const struct exporter *exporter) {
    struct order_cursor cursor = order_index_seek(&exporter->share->leased, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) {
        const struct file_lease *leased = lease_of_entry(entry);
        struct share_change change = {
            .kind = FILE_LEASE, .lease = *leased->lease, .event = LEASE_EVENT_QUIET};
        walk_change_at(exporter, leased->usage->node, &change);
    }
}

/* Sessions end after their handles, which need them. */
static void walk_holders(const struct exporter *exporter) {
    const struct share_session *session;
    walk_sessions(exporter);
    walk_handles(exporter);
    walk_marks(exporter);
    list_for_each (&exporter->share->ended, session, among_ended)
        if (is_walked(session))
            walk_change(exporter, &(struct share_change){.kind = SHARE_DISCONNECT, .session = session->id});
    walk_leases(exporter);
}

/* --- The share --- */

static void walk_snapshots(const struct exporter *exporter) {
    for (unsigned i = 0; i < exporter->share->snapshot_count; i++) {
        const struct share_snapshot *snapshot = &exporter->share->snapshots[i];
        struct share_change change = {.kind = SHARE_SNAPSHOT,
                                      .snapshot = snapshot->id,
                                      .stamp = snapshot->stamp,
                                      .metadata = packed_view(snapshot->metadata)};
        walk_change(exporter, &change);
    }
}

/* Without walk->holders: as if all sessions and leases had ended. */
void share_walk(const struct share *share, const struct change_walk *walk) {
    struct exporter exporter = {.share = share, .walk = walk};
    struct share_change change = share_as_change(share);
    walk_change(&exporter, &change);
    if (walk->holders && share->lease) {
        struct share_change lease = {.kind = SHARE_LEASE, .lease = *share->lease, .event = LEASE_EVENT_QUIET};
        walk_change(&exporter, &lease);
    }
    walk_snapshots(&exporter);
    walk_tree(&exporter);
    if (walk->holders) walk_holders(&exporter);
}

/* --- Copies --- */

static void copy_change(void *context, const void *walked) {
    struct share *share = context;
    const struct share_change *change = walked;
    struct share_change copy = *change;
    if (change->kind == SHARE_CREATE) return;
    if (change->chunk) copy.chunk = chunk_twin(change->chunk);
    share_apply(share, &copy);
}

struct share *share_copy(const struct share *source) {
    struct share_change change = share_as_change(source);
    struct share *share = share_new(&change);
    share_walk(source, &(struct change_walk){.take = copy_change, .context = share});
    return share;
}
