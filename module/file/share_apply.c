/* What each kind of change does to a share. Nothing here decides, and nothing reads a clock. */
#include "file/share.h"

#include "core/memory.h"
#include "core/number.h"
#include "file/handle_lifetime.h"
#include "file/share_load.h"
#include "file/tree.h"

/* --- The objects of a change --- */

static struct file_node *node_at_path(const struct share *share, const struct share_change *change) {
    return change->node ? change->node : tree_find(share, change->path).node;
}

static struct file_node *file_at_path(const struct share *share, const struct share_change *change) {
    struct file_node *node = node_at_path(share, change);
    return node && node_is_file(node) ? node : NULL;
}

static struct share_session *session_of(const struct share *share, const struct share_change *change) {
    return change->holder ? change->holder : share_session_find(share, &change->session);
}

static struct file_handle *handle_of(const struct share *share, const struct share_change *change) {
    return change->opened ? change->opened : share_handle_find(share, &change->handle);
}

/* The handle's file, if it still has one. */
static struct file_node *file_of_handle(const struct share *share, const struct share_change *change) {
    const struct file_handle *handle = handle_of(share, change);
    return handle && handle->group->usage ? handle->group->usage->node : NULL;
}

/* --- The share --- */

static bool apply_share_setmeta(struct share *share, const struct share_change *change) {
    packed_replace(&share->account, &share->metadata, change->metadata);
    share->stamp = change->stamp;
    return true;
}

static bool apply_share_setprops(struct share *share, const struct share_change *change) {
    share->quota = change->quota;
    share->stamp = change->stamp;
    return true;
}

static bool apply_share_setacl(struct share *share, const struct share_change *change) {
    packed_replace(&share->account, &share->policies, change->policies);
    share->stamp = change->stamp;
    return true;
}

/* Hides gone files from the snapshot. */
static void hide_gone(struct share *share) {
    const struct share_session *session;
    const struct handle_group *group;
    list_for_each (&share->ended, session, among_ended) {
        list_for_each (&session->groups, group, of_session) {
            struct file_node *node = group_gone_file(group, INT64_MIN);
            if (node) tree_hide(share, node);
        }
    }
}

static bool apply_share_snapshot(struct share *share, const struct share_change *change) {
    unsigned count = share->snapshot_count;
    if (count == SHARE_SNAPSHOTS_MAX) return false;
    if (count && share->snapshots[count - 1].id >= change->snapshot) return false;
    size_t size = (count + 1) * sizeof(*share->snapshots);
    share->snapshots = count ? account_resize(&share->account, share->snapshots, size)
                             : account_add(&share->account, memory_alloc(size));
    share->snapshots[count] = (struct share_snapshot){change->snapshot, change->stamp, NULL};
    packed_replace(&share->account, &share->snapshots[count].metadata, change->metadata);
    share->snapshot_count++;
    hide_gone(share);
    share_count(CENSUS_SNAPSHOTS, 0, 1);
    return true;
}

static bool apply_share_lease(struct share *share, const struct share_change *change) {
    share_set_lease(share, &change->lease);
    return true;
}

/* --- Sessions --- */

static bool apply_connect(struct share *share, const struct share_change *change) {
    if (change->number > share->numbers || share->numbers >= SHARE_NUMBERS_MAX) return false;
    if (session_of(share, change)) return false;
    session_begin(share, change);
    return true;
}

static bool apply_ping(struct share *share, const struct share_change *change) {
    struct share_session *session = session_of(share, change);
    if (!session || session->ended) return false;
    deadlines_set(&share->deadlines, &session->deadline, change->instant_ms);
    return true;
}

static bool apply_disconnect(struct share *share, const struct share_change *change) {
    struct share_session *session = session_of(share, change);
    if (!session) return false;
    session_end(share, session);
    return true;
}

static bool apply_close(struct share *share, const struct share_change *change) {
    struct record_reader reader = record_reader(change->handles.items);
    bool any = false;
    while (record_more(&reader)) {
        struct guid id = record_guid(&reader);
        struct file_handle *handle = share_handle_find(share, &id);
        if (handle) handle_close(share, handle);
        any |= handle != NULL;
    }
    return any;
}

/* A server that has loaded a file may not have the session: files leave out ended sessions without handles. */
static bool apply_sweep(struct share *share, const struct share_change *change) {
    struct share_session *session = session_of(share, change);
    if (!session) return true;
    if (!session->ended) return false;
    apply_close(share, change);
    if (change->on) session_free(share, session);
    return true;
}

/* --- Nodes --- */

static void keep_state(struct share *share, struct file_node *node, bool lists) {
    node_keep(&share->account, node, share->snapshot_count, lists);
}

static void set_length(struct share *share, struct file_node *node, uint64_t length) {
    share_count_length(share, node, length);
    sparse_resize(&share->account, &node->content, length);
}

static bool apply_mkdir(struct share *share, const struct share_change *change) {
    struct tree_place place = tree_find(share, change->path);
    if (place.node || !place.parent) return false;
    struct file_node *node = tree_add(share, place.parent, place.name, NODE_DIRECTORY);
    node->created_ms = change->stamp.modified_ms;
    node_set_lists(&share->account, node, NULL, &change->metadata);
    node->stamp = change->stamp;
    return true;
}

static bool apply_rmdir(struct share *share, const struct share_change *change) {
    struct file_node *node = node_at_path(share, change);
    if (!node || node_is_file(node) || !node->parent || node->directory->children) return false;
    tree_remove(share, node);
    return true;
}

/* Makes the file at the path empty, or a new one; NULL if that is impossible. */
static struct file_node *begin_file(struct share *share, struct file_node *node, struct bytes path) {
    if (!node) {
        struct tree_place place = tree_find(share, path);
        if (!place.parent) return NULL;
        if (!place.node) return tree_add(share, place.parent, place.name, NODE_FILE);
        node = place.node;
    }
    if (!node_is_file(node)) return NULL;
    keep_state(share, node, true);
    share_count_length(share, node, 0);
    pages_drop(&share->account, &node->content.pages);
    node->content.length = 0;
    return node;
}

static bool apply_create(struct share *share, const struct share_change *change) {
    struct file_node *node = begin_file(share, change->node, change->path);
    if (!node) return false;
    node->created_ms = change->stamp.modified_ms;
    node->attributes = change->attributes;
    node_set_lists(&share->account, node, &change->properties, &change->metadata);
    set_length(share, node, change->length);
    node->stamp = change->stamp;
    return true;
}

static bool write_bytes(struct share *share, struct file_node *node, const struct share_change *change) {
    keep_state(share, node, false);
    uint64_t end = change->offset + change->content.length;
    if (end > node->content.length) set_length(share, node, end);
    sparse_write(&share->account, &node->content, change->offset, change->content);
    node->stamp = change->stamp;
    return true;
}

static bool apply_putrange(struct share *share, const struct share_change *change) {
    struct file_node *node = file_at_path(share, change);
    if (!node) return false;
    if (!size_fits(change->offset, change->content.length, node->content.length)) return false;
    return write_bytes(share, node, change);
}

static bool apply_clearrange(struct share *share, const struct share_change *change) {
    struct file_node *node = file_at_path(share, change);
    if (!node || change->offset + change->length > node->content.length) return false;
    keep_state(share, node, false);
    sparse_clear(&share->account, &node->content, change->offset, change->length);
    node->stamp = change->stamp;
    return true;
}

static bool apply_file_setprops(struct share *share, const struct share_change *change) {
    struct file_node *node = file_at_path(share, change);
    if (!node) return false;
    keep_state(share, node, change->parts & FILE_PART_PROPERTIES);
    if (change->parts & FILE_PART_PROPERTIES)
        node_set_lists(&share->account, node, &change->properties, NULL);
    if (change->parts & FILE_PART_LENGTH) set_length(share, node, change->length);
    if (change->parts & FILE_PART_ATTRIBUTES) node->attributes = change->attributes;
    node->stamp = change->stamp;
    return true;
}

static bool apply_file_setmeta(struct share *share, const struct share_change *change) {
    struct file_node *node = node_at_path(share, change);
    if (!node) return false;
    keep_state(share, node, true);
    node_set_lists(&share->account, node, NULL, &change->metadata);
    node->stamp = change->stamp;
    return true;
}

static bool apply_file_delete(struct share *share, const struct share_change *change) {
    struct file_node *node = file_at_path(share, change);
    if (!node) return false;
    file_remove(share, node);
    return true;
}

/* Gives an empty file the content of another one; the pages are shared. */
static void adopt_content(struct share *share, struct file_node *node, const struct file_node *source) {
    share_count_length(share, node, source->content.length);
    node->content.length = source->content.length;
    pages_share(&node->content.pages, &source->content.pages);
    node->attributes = source->attributes;
}

/* A copy of a file onto itself keeps the content. */
static bool apply_file_copy(struct share *share, const struct share_change *change) {
    struct file_node *source = file_at_path(share, change), *target = tree_find(share, change->target).node;
    if (!source) return false;
    if (target != source) target = begin_file(share, target, change->target);
    if (!target) return false;
    struct packed_list properties = node_properties(source), metadata = node_metadata(source);
    if (change->parts & FILE_PART_METADATA) metadata = change->metadata;
    if (target == source) {
        keep_state(share, target, true);
    } else {
        adopt_content(share, target, source);
        target->created_ms = change->stamp.modified_ms;
    }
    node_set_lists(&share->account, target, &properties, &metadata);
    target->stamp = change->stamp;
    return true;
}

static bool may_move(const struct file_node *node, const struct tree_place *place) {
    if (!node || !node->parent || !place->parent) return false;
    if (node_is_within(place->parent->node, node)) return false;
    bool replaces = place->node && place->node != node;
    return !replaces || (node_is_file(node) && node_is_file(place->node));
}

/* The lease is taken from the source first, since leased files are listed by token. */
static void adopt_lease(struct share *share, struct file_node *node, struct file_node *source) {
    if (file_lease_of(source)->kind != LEASE_HELD) return;
    struct lease *lease = lease_new(file_lease_of(source));
    file_set_lease(share, source, NULL);
    file_set_lease(share, node, lease);
    memory_free(lease);
}

/* Moves the content of a file into an existing one, which keeps its handles and its lease. Without one, it gets the
 * lease of the source. */
static void replace_file(struct share *share, struct file_node *target, struct file_node *source) {
    struct packed_list properties = node_properties(source), metadata = node_metadata(source);
    adopt_content(share, target, source);
    target->created_ms = source->created_ms;
    node_set_lists(&share->account, target, &properties, &metadata);
    if (file_lease_of(target)->kind != LEASE_HELD) adopt_lease(share, target, source);
    file_remove(share, source);
}

static bool apply_rename(struct share *share, const struct share_change *change) {
    struct file_node *node = node_at_path(share, change);
    struct tree_place place = tree_find(share, change->target);
    if (!may_move(node, &place)) return false;
    if (place.node && place.node != node) {
        begin_file(share, place.node, change->target);
        replace_file(share, place.node, node);
        if (!bytes_equal(node_name(place.node), place.name))
            place.node = tree_move(share, place.node, place.parent, place.name);
        place.node->stamp = change->stamp;
        return true;
    }
    keep_state(share, node, false);
    tree_move(share, node, place.parent, place.name)->stamp = change->stamp;
    return true;
}

static bool apply_file_lease(struct share *share, const struct share_change *change) {
    struct file_node *node = file_at_path(share, change);
    if (!node || share_has_token(share, change->lease.token, node)) return false;
    file_set_lease(share, node, &change->lease);
    return true;
}

static bool apply_file_settle(struct share *share, const struct share_change *change) {
    struct file_node *node = file_at_path(share, change);
    if (!node || !node->usage) return false;
    usage_settle(share, node->usage);
    return true;
}

/* --- Handles --- */

static bool apply_open(struct share *share, const struct share_change *change) {
    struct share_session *session = session_of(share, change);
    struct file_node *node = file_at_path(share, change);
    if (!node || !session || session->ended || share->numbers >= SHARE_NUMBERS_MAX) return false;
    if (share_handle_find(share, &change->handle)) return false;
    handle_add(share, node, session, change, ++share->numbers);
    return true;
}

static bool apply_unopen(struct share *share, const struct share_change *change) {
    struct file_handle *handle = handle_of(share, change);
    if (!handle) return false;
    handle_cancel_delete(handle);
    handle_close(share, handle);
    return true;
}

static bool apply_load_handle(struct share *share, const struct share_change *change) {
    struct share_session *session = session_of(share, change);
    struct file_node *node = file_at_path(share, change);
    if (!node || !session || share_handle_find(share, &change->handle)) return false;
    if (!change->number || change->number > share->numbers) return false;
    struct order_cursor cursor = share_handles_seek(share, change->number);
    struct entry *entry = order_cursor_entry(&cursor);
    if (entry && handle_number(handle_of_numbered(entry)) == change->number) return false;
    handle_add(share, node, session, change, change->number);
    return true;
}

static bool apply_write(struct share *share, const struct share_change *change) {
    struct file_node *node = file_of_handle(share, change);
    if (!node || !size_fits(change->offset, change->content.length, FILE_MAX_BYTES)) return false;
    return write_bytes(share, node, change);
}

static bool apply_truncate(struct share *share, const struct share_change *change) {
    struct file_node *node = file_of_handle(share, change);
    if (!node) return false;
    keep_state(share, node, false);
    set_length(share, node, change->length);
    node->stamp = change->stamp;
    return true;
}

/* The handle, and the locks of its file; NULL if it has no file. */
static struct range_locks *locks_of_handle(const struct share *share, const struct share_change *change,
                                           struct file_handle **handle) {
    *handle = handle_of(share, change);
    return *handle && (*handle)->group->usage ? &(*handle)->group->usage->locks : NULL;
}

static void count_locks(struct file_handle *handle, size_t before, size_t after) {
    share_count(CENSUS_LOCKS, before, after);
    handle->lock_count += (uint32_t)(after - before);
}

static bool add_lock(struct share *share, const struct share_change *change, uint64_t times) {
    struct file_handle *handle;
    struct range_locks *locks = locks_of_handle(share, change, &handle);
    if (!locks) return false;
    struct lock_request request = {&handle->locks, change->lock, {change->offset, change->length}};
    size_t before = locks->count;
    bool added = range_locks_add(&share->account, locks, &request, times);
    count_locks(handle, before, locks->count);
    return added;
}

static bool apply_lock(struct share *share, const struct share_change *change) {
    return add_lock(share, change, 1);
}

static bool apply_load_lock(struct share *share, const struct share_change *change) {
    return change->count && add_lock(share, change, change->count);
}

static bool apply_unlock(struct share *share, const struct share_change *change) {
    struct file_handle *handle;
    struct range_locks *locks = locks_of_handle(share, change, &handle);
    if (!locks) return false;
    struct lock_range range = {change->offset, change->length};
    size_t before = locks->count;
    bool removed = range_locks_remove(&share->account, locks, &handle->locks, range);
    count_locks(handle, before, locks->count);
    return removed;
}

static bool apply_dispose(struct share *share, const struct share_change *change) {
    struct file_node *node = file_of_handle(share, change);
    if (!node) return false;
    node->usage->pending = change->on;
    return true;
}

static bool apply_load_mark(struct share *share, const struct share_change *change) {
    struct file_node *node = file_at_path(share, change);
    bool is_open = node && node->usage && node->usage->tally.handles;
    if (is_open) node->usage->pending = true;
    return is_open;
}

/* --- The kinds --- */

#define HAS(field) SHARE_HAS(field)
const struct share_kind share_change_kinds[SHARE_CHANGE_KINDS] = {
    [SHARE_CREATE] = {.is = {.event = "share.create",
                             .fields = HAS(STAMP) | HAS(CREATED) | HAS(QUOTA) | HAS(METADATA) |
                                       HAS(POLICIES) | HAS(NUMBER),
                             .traits = CHANGE_CREATES}},
    [SHARE_SETMETA] = {{.event = "share.setmeta", .fields = HAS(STAMP) | HAS(METADATA)},
                       .apply = apply_share_setmeta},
    [SHARE_SETPROPS] = {{.event = "share.setprops", .fields = HAS(STAMP) | HAS(QUOTA)},
                        .apply = apply_share_setprops},
    [SHARE_SETACL] = {{.event = "share.setacl", .fields = HAS(STAMP) | HAS(POLICIES)},
                      .apply = apply_share_setacl},
    [SHARE_DROP] = {.is = {.event = "share.delete", .traits = CHANGE_DROPS}},
    [SHARE_SNAPSHOT] = {{.event = "share.snapshot",
                         .fields = HAS(SNAPSHOT) | HAS(STAMP) | HAS(METADATA),
                         .traits = CHANGE_IN_FILES},
                        .apply = apply_share_snapshot},
    [SHARE_LEASE] = {{.fields = HAS(LEASE) | HAS(LEASE_EVENT) | HAS(LEASE_EXPIRED),
                      .traits = CHANGE_IN_FILES | CHANGE_COMES_LAST},
                     .apply = apply_share_lease,
                     .wakes = WAKES_FOR_SHARE},
    [SHARE_CONNECT] = {{.event = "share.connect",
                        .fields =
                            HAS(SESSION) | HAS(OWNER) | HAS(TTL) | HAS(INSTANT) | HAS(CLOSING) | HAS(NUMBER),
                        .traits = CHANGE_IN_FILES},
                       .apply = apply_connect},
    [SHARE_PING] = {{.event = "share.ping", .fields = HAS(SESSION) | HAS(INSTANT)}, .apply = apply_ping},
    [SHARE_DISCONNECT] = {{.event = "share.disconnect", .fields = HAS(SESSION), .traits = CHANGE_IN_FILES},
                          .apply = apply_disconnect,
                          .wakes = WAKES_FOR_SESSION},
    [SHARE_EXPIRE] = {{.event = "share.expired", .fields = HAS(SESSION)},
                      .apply = apply_disconnect,
                      .wakes = WAKES_FOR_SESSION},
    [SHARE_SWEEP] = {{.fields = HAS(SESSION) | HAS(HANDLES) | HAS(ON), .traits = CHANGE_UNSEEN},
                     .apply = apply_sweep,
                     .wakes = WAKES_FOR_KEY},
    [FILE_MKDIR] = {{.event = "file.mkdir", .fields = HAS(PATH) | HAS(STAMP) | HAS(METADATA)},
                    .apply = apply_mkdir},
    [FILE_RMDIR] = {{.event = "file.rmdir", .fields = HAS(PATH)}, .apply = apply_rmdir},
    [FILE_CREATE] = {{.event = "file.create",
                      .fields = HAS(PATH) | HAS(STAMP) | HAS(LENGTH) | HAS(ATTRIBUTES) | HAS(PROPERTIES) |
                                HAS(METADATA)},
                     .apply = apply_create,
                     .wakes = WAKES_FOR_BARRED},
    [FILE_PUTRANGE] = {{.event = "file.putrange",
                        .fields = HAS(PATH) | HAS(STAMP) | HAS(OFFSET),
                        .traits = CHANGE_HAS_CONTENT},
                       .apply = apply_putrange},
    [FILE_CLEARRANGE] = {{.event = "file.clearrange",
                          .fields = HAS(PATH) | HAS(STAMP) | HAS(OFFSET) | HAS(LENGTH)},
                         .apply = apply_clearrange},
    [FILE_SETPROPS] = {{.event = "file.setprops",
                        .fields = HAS(PATH) | HAS(STAMP) | HAS(PARTS) | HAS(LENGTH) | HAS(ATTRIBUTES) |
                                  HAS(PROPERTIES)},
                       .apply = apply_file_setprops,
                       .wakes = WAKES_FOR_BARRED},
    [FILE_SETMETA] = {{.event = "file.setmeta", .fields = HAS(PATH) | HAS(STAMP) | HAS(METADATA)},
                      .apply = apply_file_setmeta},
    [FILE_DELETE] = {{.event = "file.delete", .fields = HAS(PATH)},
                     .apply = apply_file_delete,
                     .wakes = WAKES_FOR_FILE},
    [FILE_COPY] = {{.event = "file.copy",
                    .fields = HAS(PATH) | HAS(TARGET) | HAS(STAMP) | HAS(PARTS) | HAS(METADATA)},
                   .apply = apply_file_copy,
                   .wakes = WAKES_FOR_BARRED},
    [FILE_RENAME] = {{.event = "file.rename", .fields = HAS(PATH) | HAS(TARGET) | HAS(STAMP)},
                     .apply = apply_rename,
                     .wakes = WAKES_FOR_MOVE},
    [FILE_LEASE] = {{.fields = HAS(PATH) | HAS(LEASE) | HAS(LEASE_EVENT) | HAS(LEASE_EXPIRED),
                     .traits = CHANGE_IN_FILES | CHANGE_COMES_LAST},
                    .apply = apply_file_lease,
                    .wakes = WAKES_FOR_FILE},
    [FILE_SETTLE] = {{.fields = HAS(PATH), .traits = CHANGE_UNSEEN},
                     .apply = apply_file_settle,
                     .wakes = WAKES_FOR_FILE},
    [FILE_OPEN] = {{.event = "file.open",
                    .fields = HAS(PATH) | HAS(SESSION) | HAS(HANDLE) | HAS(ACCESS) | HAS(SHARED) |
                              HAS(DELETES) | HAS(INSTANT)},
                   .apply = apply_open},
    [FILE_CLOSE] = {{.event = "file.close", .fields = HAS(HANDLES)},
                    .apply = apply_close,
                    .wakes = WAKES_FOR_HANDLE},
    [FILE_CLOSEHANDLES] = {{.event = "file.closehandles", .fields = HAS(HANDLES)},
                           .apply = apply_close,
                           .wakes = WAKES_FOR_KEY},
    [FILE_WRITE] = {{.event = "file.write",
                     .fields = HAS(HANDLE) | HAS(STAMP) | HAS(OFFSET),
                     .traits = CHANGE_HAS_CONTENT},
                    .apply = apply_write},
    [FILE_TRUNCATE] = {{.event = "file.truncate", .fields = HAS(HANDLE) | HAS(STAMP) | HAS(LENGTH)},
                       .apply = apply_truncate},
    [FILE_LOCK] = {{.event = "file.lock", .fields = HAS(HANDLE) | HAS(LOCK) | HAS(OFFSET) | HAS(LENGTH)},
                   .apply = apply_lock},
    [FILE_UNLOCK] = {{.event = "file.unlock", .fields = HAS(HANDLE) | HAS(OFFSET) | HAS(LENGTH)},
                     .apply = apply_unlock,
                     .wakes = WAKES_FOR_FILE},
    [FILE_DISPOSE] = {{.event = "file.dispose", .fields = HAS(HANDLE) | HAS(ON)},
                      .apply = apply_dispose,
                      .wakes = WAKES_FOR_FILE},
    [LOAD_NODE] = {{.fields = HAS(NODE_KIND) | HAS(PARENT) | HAS(NAME) | HAS(BORN) | HAS(LAST),
                    .traits = CHANGE_IN_FILES},
                   .apply = share_load},
    [LOAD_SNAPSHOT_PLACE] = {{.fields = HAS(PARENT) | HAS(NODE) | HAS(NAME) | HAS(BORN) | HAS(LAST),
                              .traits = CHANGE_IN_FILES},
                             .apply = share_load},
    [LOAD_LENGTH] = {{.fields = HAS(LENGTH), .traits = CHANGE_IN_FILES}, .apply = share_load},
    [LOAD_LEAF] = {{.fields = HAS(LEAF) | HAS(PRESENT), .traits = CHANGE_IN_FILES | CHANGE_HAS_CONTENT},
                   .apply = share_load},
    [LOAD_GAP] = {{.fields = HAS(LEAF), .traits = CHANGE_IN_FILES}, .apply = share_load},
    [LOAD_STATE] = {{.fields = HAS(STAMP) | HAS(CREATED) | HAS(ATTRIBUTES) | HAS(PARTS) | HAS(PROPERTIES) |
                               HAS(METADATA) | HAS(CHANGED) | HAS(LAST),
                     .traits = CHANGE_IN_FILES},
                    .apply = share_load},
    [LOAD_END] = {{.traits = CHANGE_IN_FILES}, .apply = share_load},
    [LOAD_HANDLE] = {{.fields = HAS(PATH) | HAS(SESSION) | HAS(HANDLE) | HAS(ACCESS) | HAS(SHARED) |
                                HAS(DELETES) | HAS(INSTANT) | HAS(NUMBER),
                      .traits = CHANGE_IN_FILES},
                     .apply = apply_load_handle},
    [LOAD_LOCK] = {{.fields = HAS(HANDLE) | HAS(LOCK) | HAS(OFFSET) | HAS(LENGTH) | HAS(COUNT),
                    .traits = CHANGE_IN_FILES},
                   .apply = apply_load_lock},
    [LOAD_MARK] = {{.fields = HAS(PATH), .traits = CHANGE_IN_FILES}, .apply = apply_load_mark},
    [FILE_UNOPEN] = {{.event = "file.close", .fields = HAS(HANDLE)},
                     .apply = apply_unopen,
                     .wakes = WAKES_FOR_HANDLE},
};
#undef HAS

bool share_apply(struct share *share, const struct share_change *change) {
    share_change_apply *apply = share_change_kinds[change->kind].apply;
    if (!share_load_is(change->kind)) share_load_end(share);
    return apply && apply(share, change);
}
