#include "file/share_walk.h"

#include "core/memory.h"
#include "core/pointer_map.h"
#include "file/tree.h"

#include "ccan/container_of/container_of.h"

#include <stdlib.h>

struct numbered_directory {
    const struct directory *directory;
    uint64_t number;
};

struct course {
    const struct share *share;
    const struct change_walk *walk;
    struct numbered_directory *directories; /* whose children come next */
    size_t count, capacity;
    uint64_t numbers;
    struct pointer_map seen; /* numbers of nodes that have snapshot places, plus 1 */
};

static void share_take(const struct course *course, const struct share_change *change) {
    course->walk->take(course->walk->context, change);
}

struct share_change share_as_change(const struct share *share) {
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

/* --- What a node is like, and was --- */

struct difference {
    const struct course *course;
    const struct sparse *content;
};

static bool take_leaf(void *context, uint64_t page, uint64_t changed, uint64_t cleared) {
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
    share_take(difference->course, &change);
    return true;
}

static void walk_content(const struct course *course, const struct sparse *content,
                         const struct sparse *before) {
    struct difference difference = {course, content};
    if (content->length != before->length) {
        struct share_change change = {.kind = LOAD_LENGTH, .length = content->length};
        share_take(course, &change);
    }
    struct page_range window = {0, content->pages.length};
    pages_compare(&content->pages, &before->pages, window, SIZE_MAX, take_leaf, &difference);
}

static void walk_states(const struct course *course, const struct file_node *node) {
    static const struct sparse nothing;
    const struct sparse *before = &nothing;
    const struct file_past *past = node->extra ? node->extra->past : NULL;
    for (size_t i = 0; past && i < past->count; i++) {
        const struct file_state *state = &past->states[i];
        if (node_is_file(node)) {
            walk_content(course, &state->content, before);
            before = &state->content;
        }
        struct share_change change = {
            .kind = LOAD_STATE,
            .last = (uint8_t)state->last,
            .stamp = state->stamp,
            .created_ms = state->created_ms,
            .attributes = state->attributes,
            .parts = state->has_lists ? SAYS_PROPERTIES | SAYS_METADATA : 0,
            .properties = packed_view(state->properties),
            .metadata = packed_view(state->metadata),
        };
        share_take(course, &change);
    }
    if (node_is_file(node)) walk_content(course, &node->content, before);
    struct share_change change = {
        .kind = LOAD_STATE,
        .changed = node->changed,
        .stamp = node->stamp,
        .created_ms = node->created_ms,
        .attributes = node->attributes,
        .properties = node_properties(node),
        .metadata = node_metadata(node),
    };
    share_take(course, &change);
}

/* --- The tree --- */

static void queue(struct course *course, const struct directory *directory, uint64_t number) {
    if (course->count == course->capacity) {
        course->capacity = course->capacity ? course->capacity * 2 : 64;
        course->directories =
            memory_resize(course->directories, course->capacity * sizeof(*course->directories));
    }
    course->directories[course->count++] = (struct numbered_directory){directory, number};
}

static void walk_node(struct course *course, const struct file_node *node, struct share_change *change) {
    uint64_t number = ++course->numbers;
    change->kind = LOAD_NODE;
    change->node_kind = node->kind;
    share_take(course, change);
    walk_states(course, node);
    if (!node_is_file(node)) queue(course, node->directory, number);
    if (node->extra && node->extra->past && node->extra->past->snapshot_places)
        *pointer_map_at(&course->seen, node) = number + 1;
}

/* Where no sessions come along, a file that they would have deleted does not, either. */
static bool goes(const struct course *course, const struct file_node *node) {
    if (course->walk->holders || !node->life) return false;
    return life_view(node->life, false, INT64_MAX).gone;
}

static void walk_children(struct course *course, struct numbered_directory parent) {
    struct tree_walk walk = tree_walk(course->share, parent.directory, 0, bytes_of("", 0));
    struct tree_item item;
    while (tree_next(&walk, &item) != TREE_END) {
        struct share_change change = {
            .parent_number = parent.number, .name = item.name, .born = item.node->born};
        if (!goes(course, item.node)) walk_node(course, item.node, &change);
    }
}

static void walk_place_then(struct course *course, const struct file_node *node,
                            struct share_change *change) {
    uintptr_t known = course->seen.count ? *pointer_map_at(&course->seen, node) : 0;
    if (!known) {
        walk_node(course, node, change);
        *pointer_map_at(&course->seen, node) = course->numbers + 1;
        return;
    }
    change->kind = LOAD_SNAPSHOT_PLACE;
    change->node_number = known - 1;
    share_take(course, change);
}

/* Those that go with the sessions leave their place to the snapshots. */
static void walk_departed(struct course *course, struct numbered_directory parent) {
    struct tree_walk walk = tree_walk(course->share, parent.directory, 0, bytes_of("", 0));
    unsigned last = course->share->snapshot_count;
    struct tree_item item;
    while (tree_next(&walk, &item) != TREE_END) {
        if (item.node->born >= last || !goes(course, item.node)) continue;
        struct share_change change = {.parent_number = parent.number,
                                      .name = item.name,
                                      .born = item.node->born,
                                      .last = (uint8_t)last};
        walk_place_then(course, item.node, &change);
    }
}

static void walk_snapshot_places(struct course *course, struct numbered_directory parent) {
    char room[NODE_KEY_ID_BYTES];
    struct bytes key = node_key(room, parent.directory->id, bytes_of("", 0));
    struct order_cursor cursor = order_index_seek(&course->share->snapshot_places, key);
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor)) {
        const struct snapshot_place *snapshot_place = snapshot_place_of_entry(entry);
        if (!bytes_start_with(entry_name(entry), key)) break;
        struct share_change change = {.parent_number = parent.number,
                                      .name = snapshot_place_name(snapshot_place),
                                      .born = snapshot_place->born,
                                      .last = snapshot_place->last};
        walk_place_then(course, snapshot_place->past->node, &change);
    }
}

static void walk_tree(struct course *course) {
    const struct share *share = course->share;
    struct share_change end = {.kind = LOAD_END};
    walk_states(course, share->root);
    queue(course, share->root->directory, 0);
    for (size_t i = 0; i < course->count; i++) walk_children(course, course->directories[i]);
    for (size_t i = 0; i < course->count; i++) {
        if (share->snapshot_places.root) walk_snapshot_places(course, course->directories[i]);
        if (!course->walk->holders && share->snapshot_count) walk_departed(course, course->directories[i]);
    }
    share_take(course, &end);
    memory_free(course->directories);
    pointer_map_end(&course->seen);
}

/* --- Who holds what --- */

static void walk_session(const struct course *course, const struct share_session *session) {
    struct share_change change = {
        .kind = SHARE_CONNECT,
        .session = session->id,
        .owner = session_owner(session),
        .ttl_ms = session->ttl_ms,
        .instant_ms = session_expires_ms(session),
        .ends_with_connection = session->ends_with_connection,
        .number = session->number,
    };
    share_take(course, &change);
}

static void walk_end(const struct course *course, const struct share_session *session) {
    struct share_change change = {.kind = SHARE_DISCONNECT, .session = session->id};
    share_take(course, &change);
}

static int compare_sessions(const void *a, const void *b) {
    const struct share_session *const *one = a, *const *other = b;
    return memcmp(&(*one)->id, &(*other)->id, sizeof(struct guid));
}

struct gathering {
    const struct share_session **sessions;
    size_t count;
};

static void gather_holders(void *context, struct entry *entry) {
    struct gathering *gathering = context;
    gathering->sessions[gathering->count++] = container_of(entry, struct share_session, entry);
}

/* In the order of their ids, which is the same for all who hold the same. */
static struct gathering gather_sessions(const struct share *share) {
    struct gathering gathering = {.count = 0};
    if (!share->sessions.count) return gathering;
    gathering.sessions = memory_alloc(share->sessions.count * sizeof(*gathering.sessions));
    for (size_t place = 0; place < share->sessions.buckets; place++)
        hash_index_visit(&share->sessions, place, gather_holders, &gathering);
    qsort(gathering.sessions, gathering.count, sizeof(*gathering.sessions), compare_sessions);
    return gathering;
}

static void walk_locks(const struct course *course, const struct file_open *open) {
    const struct range_lock *lock = NULL;
    while ((lock = lock_owner_next(&open->locks, lock))) {
        struct share_change change = {
            .kind = LOAD_LOCK,
            .handle = open->id,
            .lock = lock->kind,
            .offset = lock->range.offset,
            .length = lock->range.length,
            .count = lock->times,
        };
        share_take(course, &change);
    }
}

static void walk_mark(const struct course *course, const struct file_node *node) {
    char *room = memory_alloc(node_path_length(node) + 1);
    struct share_change change = {.kind = LOAD_MARK, .path = node_path(node, room)};
    share_take(course, &change);
    memory_free(room);
}

/* In the order of the first handles of the files: the same for all who hold the same. */
static void walk_marks(const struct course *course) {
    struct order_cursor cursor = share_opens_seek(course->share, 0);
    struct pointer_map marked = {0};
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor)) {
        const struct file_life *life = open_of_numbered(entry)->group->life;
        if (!life || !life->pending || (*pointer_map_at(&marked, life))++) continue;
        walk_mark(course, life->node);
    }
    pointer_map_end(&marked);
}

static void walk_open(const struct course *course, const struct file_open *open) {
    const struct file_node *node = open->group->life->node;
    char *room = memory_alloc(node_path_length(node) + 1);
    struct share_change change = {
        .kind = LOAD_OPEN,
        .path = node_path(node, room),
        .session = open->group->session->id,
        .handle = open->id,
        .sharing = open->sharing,
        .deletes_on_close = open->deletes_on_close,
        .instant_ms = open->opened_ms,
        .number = open_number(open),
    };
    share_take(course, &change);
    memory_free(room);
    walk_locks(course, open);
}

static void walk_opens(const struct course *course) {
    struct order_cursor cursor = share_opens_seek(course->share, 0);
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor)) {
        const struct file_open *open = open_of_numbered(entry);
        if (open->group->life) walk_open(course, open);
    }
}

static void walk_leases(const struct course *course) {
    if (!course->share->leased.root) return;
    struct order_cursor cursor = order_index_seek(&course->share->leased, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_entry(&cursor)); order_cursor_next(&cursor)) {
        const struct file_lease *leased = container_of(entry, struct file_lease, entry);
        char *room = memory_alloc(node_path_length(leased->life->node) + 1);
        struct share_change change = {.kind = FILE_LEASE,
                                      .path = node_path(leased->life->node, room),
                                      .lease = *leased->lease,
                                      .event = LEASE_EVENT_QUIET};
        share_take(course, &change);
        memory_free(room);
    }
}

/* An ended session without files is not written: a reader would remove it at once. */
static bool has_part(const struct share_session *session) {
    const struct open_group *group;
    if (!session->ended) return true;
    list_for_each (&session->groups, group, of_session)
        if (group->life) return true;
    return false;
}

/* Sessions end last, so that their handles can still come. */
static void walk_holders(const struct course *course) {
    struct gathering all = gather_sessions(course->share);
    struct share_session *ended;
    for (size_t i = 0; i < all.count; i++)
        if (has_part(all.sessions[i])) walk_session(course, all.sessions[i]);
    memory_free(all.sessions);
    walk_opens(course);
    walk_marks(course);
    list_for_each (&course->share->ended, ended, among_ended)
        if (has_part(ended)) walk_end(course, ended);
    walk_leases(course);
}

/* --- All of it --- */

static void walk_snapshots(const struct course *course) {
    for (unsigned i = 0; i < course->share->snapshot_count; i++) {
        const struct share_snapshot *snapshot = &course->share->snapshots[i];
        struct share_change change = {.kind = SHARE_SNAPSHOT,
                                      .snapshot = snapshot->id,
                                      .stamp = snapshot->stamp,
                                      .metadata = packed_view(snapshot->metadata)};
        share_take(course, &change);
    }
}

void share_walk(const struct share *share, const struct change_walk *walk) {
    struct course course = {.share = share, .walk = walk};
    struct share_change change = share_as_change(share);
    share_take(&course, &change);
    if (walk->holders && share->lease) {
        struct share_change lease = {.kind = SHARE_LEASE, .lease = *share->lease, .event = LEASE_EVENT_QUIET};
        share_take(&course, &lease);
    }
    walk_snapshots(&course);
    walk_tree(&course);
    if (walk->holders) walk_holders(&course);
}

/* --- Twins --- */

static void copy_change(void *context, const void *walked) {
    struct share *share = context;
    const struct share_change *change = walked;
    struct share_change twin = *change;
    if (change->kind == SHARE_CREATE) return;
    if (change->chunk) twin.chunk = chunk_twin(change->chunk);
    share_apply(share, &twin);
}

struct share *share_copy(const struct share *source) {
    struct share_change change = share_as_change(source);
    struct share *share = share_new(&change);
    share_walk(source, &(struct change_walk){.take = copy_change, .context = share});
    return share;
}
