/* Applying: what each kind of change does to a share. Nothing here decides or reads a clock. */
#include "core/memory.h"
#include "file/share_load.h"
#include "file/tree.h"

typedef bool apply_change(struct share *share, const struct share_target *target,
                          const struct share_change *change);

/* --- The share --- */

static void restamp_share(struct share *share, const struct share_change *change) {
    share->stamp = change->stamp;
    version_observe(change->stamp.etag);
}

static bool apply_setmeta(struct share *share, const struct share_target *target,
                          const struct share_change *change) {
    (void)target;
    share_replace_list(share, &share->metadata, change->metadata);
    restamp_share(share, change);
    return true;
}

static bool apply_setprops(struct share *share, const struct share_target *target,
                           const struct share_change *change) {
    (void)target;
    share->quota = change->quota;
    restamp_share(share, change);
    return true;
}

static bool apply_setacl(struct share *share, const struct share_target *target,
                         const struct share_change *change) {
    (void)target;
    share_replace_list(share, &share->policies, change->policies);
    restamp_share(share, change);
    return true;
}

/* Files that only sessions that have ended still hold are gone, and in no snapshot. Each is met once, by its first
 * group. */
static void hide_gone(struct share *share) {
    const struct share_session *session;
    const struct open_group *group;
    list_for_each (&share->ended, session, among_ended) {
        list_for_each (&session->groups, group, of_session) {
            const struct file_life *life = group->life;
            if (!life || list_top(&life->groups, struct open_group, of_life) != group) continue;
            if (life_view(life, false, INT64_MIN).gone) tree_hide(share, life->node);
        }
    }
}

static bool apply_snapshot(struct share *share, const struct share_target *target,
                           const struct share_change *change) {
    (void)target;
    unsigned count = share->snapshot_count;
    if (count == SHARE_SNAPSHOTS_MOST) return false;
    if (count && share->snapshots[count - 1].id >= change->snapshot) return false;
    size_t size = (count + 1) * sizeof(*share->snapshots);
    share->snapshots = count ? account_resize(&share->account, share->snapshots, size)
                             : account_add(&share->account, memory_alloc(size));
    share->snapshots[count] = (struct share_snapshot){change->snapshot, change->stamp, NULL};
    share_replace_list(share, &share->snapshots[count].metadata, change->metadata);
    share->snapshot_count++;
    hide_gone(share);
    census_count(CENSUS_SNAPSHOTS, 0, 1);
    version_observe(change->snapshot);
    return true;
}

static bool apply_share_lease(struct share *share, const struct share_target *target,
                              const struct share_change *change) {
    (void)target;
    share_set_lease(share, &change->lease);
    version_observe(change->lease.token);
    return true;
}

/* --- Sessions --- */

static bool apply_connect(struct share *share, const struct share_target *target,
                          const struct share_change *change) {
    bool room = share->numbers < SHARE_NUMBERS_MOST;
    if (target->session || change->number > share->numbers || !room) return false;
    session_begin(share, change);
    return true;
}

static bool apply_ping(struct share *share, const struct share_target *target,
                       const struct share_change *change) {
    if (!target->session || target->session->ended) return false;
    deadlines_set(&share->deadlines, &target->session->deadline, change->instant_ms);
    return true;
}

static bool apply_disconnect(struct share *share, const struct share_target *target,
                             const struct share_change *change) {
    (void)change;
    if (!target->session) return false;
    session_end(share, target->session);
    return true;
}

static bool apply_close(struct share *share, const struct share_target *target,
                        const struct share_change *change) {
    struct record_reader reader = record_reader(change->handles.items);
    struct guid handle;
    bool any = false;
    (void)target;
    while (share_handle_next(&reader, &handle)) {
        struct file_open *open = share_open_find(share, &handle);
        if (open) open_close(share, open);
        any |= open != NULL;
    }
    return any;
}

/* Of a session that has nothing left there may be nothing at all, where a file was read meanwhile. */
static bool apply_sweep(struct share *share, const struct share_target *target,
                        const struct share_change *change) {
    if (!target->session) return true;
    if (!target->session->ended) return false;
    apply_close(share, target, change);
    if (change->on) session_forget(share, target->session);
    return true;
}

/* --- Nodes --- */

static void keep(struct share *share, struct file_node *node, bool lists) {
    node_keep(&share->account, node, share->snapshot_count, lists);
}

static void restamp(struct file_node *node, const struct share_change *change) {
    node->stamp = change->stamp;
    version_observe(change->stamp.etag);
}

static void count_length(struct share *share, const struct file_node *node, uint64_t length) {
    uint64_t bytes = share->bytes + length - node->content.length;
    census_count(CENSUS_BYTES, share->bytes, bytes);
    share->bytes = bytes;
}

static void set_length(struct share *share, struct file_node *node, uint64_t length) {
    count_length(share, node, length);
    sparse_resize(&share->account, &node->content, length);
}

static bool is_file(const struct file_node *node) {
    return node && node_is_file(node);
}

static bool apply_mkdir(struct share *share, const struct share_target *target,
                        const struct share_change *change) {
    struct tree_place place = tree_find(share, change->path);
    if (target->node || !place.parent) return false;
    struct file_node *node = tree_add(share, place.parent, place.name, NODE_DIRECTORY);
    node->created_ms = change->stamp.modified_ms;
    node_set_lists(&share->account, node, NULL, &change->metadata);
    restamp(node, change);
    return true;
}

static bool apply_rmdir(struct share *share, const struct share_target *target,
                        const struct share_change *change) {
    struct file_node *node = target->node;
    (void)change;
    if (!node || node_is_file(node) || !node->parent || node->directory->children) return false;
    tree_remove(share, node);
    return true;
}

/* An empty file at the path, whatever there was; NULL if there cannot be one. */
static struct file_node *begin_file(struct share *share, struct file_node *node, struct bytes path) {
    if (!node) {
        struct tree_place place = tree_find(share, path);
        if (place.node || !place.parent) return NULL;
        return tree_add(share, place.parent, place.name, NODE_FILE);
    }
    if (!node_is_file(node)) return NULL;
    keep(share, node, true);
    count_length(share, node, 0);
    pages_drop(&share->account, &node->content.pages);
    node->content.length = 0;
    return node;
}

static bool apply_create(struct share *share, const struct share_target *target,
                         const struct share_change *change) {
    struct file_node *node = begin_file(share, target->node, change->path);
    if (!node) return false;
    node->created_ms = change->stamp.modified_ms;
    node->attributes = change->attributes;
    node_set_lists(&share->account, node, &change->properties, &change->metadata);
    set_length(share, node, change->length);
    restamp(node, change);
    return true;
}

static bool write_bytes(struct share *share, struct file_node *node, const struct share_change *change) {
    keep(share, node, false);
    uint64_t end = change->offset + change->content.length;
    if (end > node->content.length) set_length(share, node, end);
    sparse_write(&share->account, &node->content, change->offset, change->content);
    restamp(node, change);
    return true;
}

static bool apply_putrange(struct share *share, const struct share_target *target,
                           const struct share_change *change) {
    if (!is_file(target->node)) return false;
    uint64_t length = target->node->content.length;
    if (change->content.length > length || change->offset > length - change->content.length) return false;
    return write_bytes(share, target->node, change);
}

static bool apply_clearrange(struct share *share, const struct share_target *target,
                             const struct share_change *change) {
    struct file_node *node = target->node;
    if (!is_file(node) || change->offset + change->length > node->content.length) return false;
    keep(share, node, false);
    sparse_clear(&share->account, &node->content, change->offset, change->length);
    restamp(node, change);
    return true;
}

static bool apply_file_props(struct share *share, const struct share_target *target,
                             const struct share_change *change) {
    struct file_node *node = target->node;
    if (!is_file(node)) return false;
    keep(share, node, change->parts & SAYS_PROPERTIES);
    if (change->parts & SAYS_PROPERTIES) node_set_lists(&share->account, node, &change->properties, NULL);
    if (change->parts & SAYS_LENGTH) set_length(share, node, change->length);
    if (change->parts & SAYS_ATTRIBUTES) node->attributes = change->attributes;
    restamp(node, change);
    return true;
}

static bool apply_file_meta(struct share *share, const struct share_target *target,
                            const struct share_change *change) {
    if (!target->node) return false;
    keep(share, target->node, true);
    node_set_lists(&share->account, target->node, NULL, &change->metadata);
    restamp(target->node, change);
    return true;
}

static bool apply_delete(struct share *share, const struct share_target *target,
                         const struct share_change *change) {
    (void)change;
    if (!is_file(target->node)) return false;
    file_remove(share, target->node);
    return true;
}

/* The pages are shared. The file is empty. */
static void take_content(struct share *share, struct file_node *node, const struct file_node *source) {
    count_length(share, node, source->content.length);
    node->content.length = source->content.length;
    pages_share(&node->content.pages, &source->content.pages);
    node->attributes = source->attributes;
}

/* A copy onto itself leaves the content as it is. */
static bool apply_copy(struct share *share, const struct share_target *target,
                       const struct share_change *change) {
    struct file_node *source = target->node, *there = tree_find(share, change->target).node;
    if (!is_file(source)) return false;
    if (there != source) there = begin_file(share, there, change->target);
    if (!there) return false;
    struct packed_list properties = node_properties(source), metadata = node_metadata(source);
    if (change->parts & SAYS_METADATA) metadata = change->metadata;
    if (there == source) {
        keep(share, there, true);
    } else {
        take_content(share, there, source);
        there->created_ms = change->stamp.modified_ms;
    }
    node_set_lists(&share->account, there, &properties, &metadata);
    restamp(there, change);
    return true;
}

static bool may_move(const struct file_node *node, const struct tree_place *place) {
    if (!node || !node->parent || !place->parent) return false;
    if (node_is_within(place->parent->node, node)) return false;
    bool replaces = place->node && place->node != node;
    return !replaces || (node_is_file(node) && node_is_file(place->node));
}

/* No two files have one lease, not even for a moment: they are listed by its token. */
static void take_lease(struct share *share, struct file_node *node, struct file_node *source) {
    if (file_lease_of(source)->kind != LEASE_HELD) return;
    struct lease *lease = lease_new(file_lease_of(source));
    file_set_lease(share, source, NULL);
    file_set_lease(share, node, lease);
    memory_free(lease);
}

/* The file that is there becomes what the other one is, and whoever has it open sees it; its own lease stays, or else the
 * other one's comes along. */
static void replace_file(struct share *share, struct file_node *there, struct file_node *source) {
    struct packed_list properties = node_properties(source), metadata = node_metadata(source);
    take_content(share, there, source);
    there->created_ms = source->created_ms;
    node_set_lists(&share->account, there, &properties, &metadata);
    if (file_lease_of(there)->kind != LEASE_HELD) take_lease(share, there, source);
    file_remove(share, source);
}

static bool apply_rename(struct share *share, const struct share_target *target,
                         const struct share_change *change) {
    struct file_node *node = target->node;
    struct tree_place place = tree_find(share, change->target);
    if (!may_move(node, &place)) return false;
    if (place.node && place.node != node) {
        begin_file(share, place.node, change->target);
        replace_file(share, place.node, node);
        if (!bytes_equal(node_name(place.node), place.name))
            place.node = tree_move(share, place.node, place.parent, place.name);
        restamp(place.node, change);
        return true;
    }
    keep(share, node, false);
    restamp(tree_move(share, node, place.parent, place.name), change);
    return true;
}

static bool apply_file_lease(struct share *share, const struct share_target *target,
                             const struct share_change *change) {
    if (!is_file(target->node) || share_has_token(share, change->lease.token, target->node)) return false;
    file_set_lease(share, target->node, &change->lease);
    version_observe(change->lease.token);
    return true;
}

static bool apply_settle(struct share *share, const struct share_target *target,
                         const struct share_change *change) {
    (void)change;
    if (!is_file(target->node) || !target->node->life) return false;
    life_settle(share, target->node->life);
    return true;
}

/* --- Handles --- */

static bool may_open(const struct share_target *target) {
    return is_file(target->node) && target->session && !target->open;
}

static bool apply_open(struct share *share, const struct share_target *target,
                       const struct share_change *change) {
    if (!may_open(target) || target->session->ended || share->numbers >= SHARE_NUMBERS_MOST) return false;
    struct share_change numbered = *change;
    numbered.number = ++share->numbers;
    open_add(share, target->node, target->session, &numbered);
    return true;
}

static bool apply_unopen(struct share *share, const struct share_target *target,
                         const struct share_change *change) {
    (void)change;
    if (!target->open) return false;
    open_keeps_file(target->open);
    open_close(share, target->open);
    return true;
}

static bool apply_load_open(struct share *share, const struct share_target *target,
                            const struct share_change *change) {
    if (!may_open(target) || !change->number || change->number > share->numbers) return false;
    struct order_cursor cursor = share_opens_seek(share, change->number);
    struct entry *entry = order_cursor_entry(&cursor);
    if (entry && open_number(open_of_numbered(entry)) == change->number) return false;
    open_add(share, target->node, target->session, change);
    return true;
}

static bool apply_write(struct share *share, const struct share_target *target,
                        const struct share_change *change) {
    const uint64_t most = (uint64_t)FILE_MOST_BYTES;
    if (!target->node || change->content.length > most || change->offset > most - change->content.length)
        return false;
    return write_bytes(share, target->node, change);
}

static bool apply_truncate(struct share *share, const struct share_target *target,
                           const struct share_change *change) {
    if (!target->node) return false;
    keep(share, target->node, false);
    set_length(share, target->node, change->length);
    restamp(target->node, change);
    return true;
}

static bool add_lock(struct share *share, const struct share_target *target,
                     const struct share_change *change, uint64_t times) {
    if (!target->node) return false;
    struct range_locks *locks = &target->node->life->locks;
    struct lock_request request = {&target->open->locks, change->lock, {change->offset, change->length}};
    size_t before = locks->count;
    bool added = range_locks_add(&share->account, locks, &request, times);
    census_count(CENSUS_LOCKS, before, locks->count);
    target->open->lock_count += (uint32_t)(locks->count - before);
    return added;
}

static bool apply_lock(struct share *share, const struct share_target *target,
                       const struct share_change *change) {
    return add_lock(share, target, change, 1);
}

static bool apply_load_lock(struct share *share, const struct share_target *target,
                            const struct share_change *change) {
    return change->count && add_lock(share, target, change, change->count);
}

static bool apply_unlock(struct share *share, const struct share_target *target,
                         const struct share_change *change) {
    if (!target->node) return false;
    struct range_locks *locks = &target->node->life->locks;
    struct lock_range range = {change->offset, change->length};
    size_t before = locks->count;
    bool removed = range_locks_remove(&share->account, locks, &target->open->locks, range);
    census_count(CENSUS_LOCKS, before, locks->count);
    target->open->lock_count -= (uint32_t)(before - locks->count);
    return removed;
}

static bool apply_dispose(struct share *share, const struct share_target *target,
                          const struct share_change *change) {
    (void)share;
    if (!target->node) return false;
    target->node->life->pending = change->on;
    return true;
}

static bool apply_load_mark(struct share *share, const struct share_target *target,
                            const struct share_change *change) {
    (void)share;
    (void)change;
    bool open = is_file(target->node) && target->node->life && target->node->life->tally.opens;
    if (open) target->node->life->pending = true;
    return open;
}

/* --- All of them --- */

/* Creating and dropping a share are for those who have its key. */
static apply_change *const functions[SHARE_CHANGE_KINDS] = {
    [SHARE_SETMETA] = apply_setmeta,
    [SHARE_SETPROPS] = apply_setprops,
    [SHARE_SETACL] = apply_setacl,
    [SHARE_SNAPSHOT] = apply_snapshot,
    [SHARE_LEASE] = apply_share_lease,
    [SHARE_CONNECT] = apply_connect,
    [SHARE_PING] = apply_ping,
    [SHARE_DISCONNECT] = apply_disconnect,
    [SHARE_EXPIRE] = apply_disconnect,
    [SHARE_SWEEP] = apply_sweep,
    [FILE_MKDIR] = apply_mkdir,
    [FILE_RMDIR] = apply_rmdir,
    [FILE_CREATE] = apply_create,
    [FILE_PUTRANGE] = apply_putrange,
    [FILE_CLEARRANGE] = apply_clearrange,
    [FILE_SETPROPS] = apply_file_props,
    [FILE_SETMETA] = apply_file_meta,
    [FILE_DELETE] = apply_delete,
    [FILE_COPY] = apply_copy,
    [FILE_RENAME] = apply_rename,
    [FILE_LEASE] = apply_file_lease,
    [FILE_SETTLE] = apply_settle,
    [FILE_OPEN] = apply_open,
    [FILE_CLOSE] = apply_close,
    [FILE_CLOSEHANDLES] = apply_close,
    [FILE_WRITE] = apply_write,
    [FILE_TRUNCATE] = apply_truncate,
    [FILE_LOCK] = apply_lock,
    [FILE_UNLOCK] = apply_unlock,
    [FILE_DISPOSE] = apply_dispose,
    [LOAD_OPEN] = apply_load_open,
    [LOAD_LOCK] = apply_load_lock,
    [LOAD_MARK] = apply_load_mark,
    [FILE_UNOPEN] = apply_unopen,
};

struct share_target share_target(const struct share *share, const struct share_change *change) {
    struct share_target target = {
        .open = share_open_find(share, &change->handle),
        .session = share_session_find(share, &change->session),
    };
    if (share_change_has_path(change->kind))
        target.node = tree_find(share, change->path).node;
    else if (target.open && target.open->group->life)
        target.node = target.open->group->life->node;
    return target;
}

bool share_apply(struct share *share, const struct share_target *target, const struct share_change *change) {
    if (share_load_is(change->kind)) return share_load(share, change);
    share_load_end(share);
    return functions[change->kind] && functions[change->kind](share, target, change);
}
