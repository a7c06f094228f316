#include "file/redis/file_access.h"

#include "core/number.h"
#include "core/text.h"
#include "file/handle_lifetime.h"
#include "file/redis/waiting.h"
#include "lease/redis/leases.h"
#include "server/call/limits.h"

#include <inttypes.h>

enum outcome file_path_check(struct bytes text) {
    enum path_fault fault = path_check(text);
    if (fault == PATH_SOUND) return OUTCOME_DONE;
    return path_fault_text(fault)->code == PATH_CODE_INVALID_NAME ? OUTCOME_INVALID_NAME
                                                                  : OUTCOME_INVALID_PATH;
}

const char *file_path_explain(struct bytes text) {
    enum path_fault fault = path_check(text);
    return fault == PATH_SOUND ? NULL : path_fault_text(fault)->text;
}

/* --- Prefetched lookups --- */

/* The key in the catalog is not longer than this. */
void file_prefetch(struct call *call) {
    struct bytes path = call_word(call, ARG_PATH);
    if (path.length > PATH_FOLDED_MAX_BYTES) return;
    char *key = call_alloc(call, NODE_KEY_ID_BYTES + path_folded_max(path));
    if (tree_prefetch(call->value, path, key, &call->search.lookup)) call->search.word = path.data;
}

static struct tree_place find_path(const struct call *call, struct bytes path) {
    const struct catalog_search *lookup = call_searched(call, path);
    return lookup ? tree_found(call->value, path, lookup) : tree_find(call->value, path);
}

/* --- Checks --- */

enum outcome file_find(struct call *call, struct bytes path, struct tree_place *place) {
    const struct share *share = call->value;
    *place = find_path(call, path);
    if (place->node && node_is_file(place->node)) pages_prefetch(&place->node->content.pages);
    if (place->node && place->node->usage && file_fate(call, place->node).gone) place->node = NULL;
    return place->parent || place->node == share->root ? OUTCOME_DONE : OUTCOME_PARENT_NOT_FOUND;
}

enum outcome file_check_kind(const struct tree_place *place, unsigned kind) {
    if (!place->node) return OUTCOME_FILE_NOT_FOUND;
    return kind == ANY_NODE || place->node->kind == kind ? OUTCOME_DONE : OUTCOME_FILE_KIND;
}

enum outcome file_find_node(struct call *call, struct bytes path, unsigned kind, struct file_node **node) {
    struct tree_place place;
    enum outcome outcome = file_find(call, path, &place);
    *node = place.node;
    return outcome == OUTCOME_DONE ? file_check_kind(&place, kind) : outcome;
}

static bool is_write(enum sharing_class class) {
    return class == CLASS_WRITE || class == CLASS_WRITE_DELETE || class == CLASS_DELETE;
}

static void note_lease(struct call *call, const struct file_node *node) {
    uint64_t line_id = file_line_id(node);
    lease_note_holder(call, file_lease_of(node), bytes_of(&line_id, sizeof(line_id)));
}

static enum outcome check_file_lease(struct call *call, const struct file_node *node,
                                     const struct file_access *access) {
    const struct lease *lease = file_lease_of(node);
    enum lease_use use = is_write(access->class) ? LEASE_WRITE : LEASE_READ;
    if (!access->lease_id && !lease->token) return OUTCOME_DONE;
    enum outcome outcome = lease_check_use(lease, LEASE_OF_FILE, access->lease_id, use, call_now_ms(call));
    if (outcome == OUTCOME_LEASE_ID_MISSING) note_lease(call, node);
    return outcome;
}

/* An owner's label in a note is cut to this, with its NUL: more is to follow. */
enum { HANDLE_OWNER_BYTES = 96 };

static void put_handle(struct text *text, const struct file_handle *handle) {
    text_put(text, "handle ");
    text_put_number(text, handle_number(handle), 1);
    refusal_put_owner(text, " of ", session_owner(handle->group->session), HANDLE_OWNER_BYTES);
}

/* What fits the handles of ended sessions as well is granted without visiting these. */
static bool fits_now(struct call *call, const struct file_node *node, struct sharing wanted) {
    if (!node->usage || sharing_fits_all(wanted, &node->usage->tally)) return true;
    struct usage_view view = share_view(call->value, node, call_now_ms(call));
    return sharing_fits_all(wanted, &view.tally);
}

enum outcome file_check_sharing(struct call *call, const struct file_node *node, struct sharing wanted) {
    if (fits_now(call, node, wanted)) return OUTCOME_DONE;
    const struct file_handle *obstacle = usage_obstacle(node->usage, wanted, call_now_ms(call));
    if (!obstacle) return OUTCOME_SHARING_VIOLATION;
    struct text text = text_start(call->note, sizeof(call->note));
    put_handle(&text, obstacle);
    text_put(&text, " has the file open and stands in the way");
    return OUTCOME_SHARING_VIOLATION;
}

/* Without an owner for a stateless command. */
static enum outcome check_lock(struct call *call, const struct file_usage *usage, enum lock_test test,
                               const struct lock_owner *owner, struct lock_range range) {
    const struct range_lock *lock = usage_lock(usage, test, owner, range, call_now_ms(call));
    if (!lock) return OUTCOME_DONE;
    struct text text = text_start(call->note, sizeof(call->note));
    put_handle(&text, handle_of_lock(lock));
    text_put(&text, lock->kind == LOCK_EXCLUSIVE ? " has an exclusive lock of " : " has a shared lock of ");
    text_put_number(&text, lock->range.length, 1);
    text_put(&text, " bytes from ");
    text_put_number(&text, lock->range.offset, 1);
    text_put(&text, " on");
    return OUTCOME_FILE_LOCK_CONFLICT;
}

enum outcome file_check_lock(struct call *call, const struct file_handle *handle, enum lock_test test,
                             struct lock_range range) {
    return check_lock(call, handle->group->usage, test, &handle->locks, range);
}

/* The part of a range that lies within the file. */
static struct lock_range range_in_file(const struct file_node *node, struct lock_range range) {
    uint64_t left = range.offset < node->content.length ? node->content.length - range.offset : 0;
    return (struct lock_range){range.offset, size_min(range.length, left)};
}

static enum outcome check_handles(struct call *call, const struct file_node *node,
                                  const struct file_access *access) {
    enum outcome outcome = file_check_sharing(call, node, sharing_of_class(access->class));
    if (outcome != OUTCOME_DONE || !access->checks_locks) return outcome;
    enum lock_test test = is_write(access->class) ? LOCK_ANYWHERE : LOCK_TO_READ;
    return check_lock(call, node->usage, test, NULL, range_in_file(node, access->range));
}

/* Also for directories, which have no lease: a lease id is refused. */
enum outcome file_check_access(struct call *call, const struct file_node *node,
                               const struct file_access *access) {
    if (file_fate(call, node).pending) return OUTCOME_DELETE_PENDING;
    enum outcome outcome = check_file_lease(call, node, access);
    if (outcome != OUTCOME_DONE) return outcome;
    bool readonly = node->attributes & ATTRIBUTE_READONLY && !access->ignores_readonly;
    if (readonly && is_write(access->class)) return OUTCOME_READ_ONLY;
    return node->usage ? check_handles(call, node, access) : OUTCOME_DONE;
}

/* Checks that all open handles allow a lease on the file. */
enum outcome file_check_leasable(struct call *call, const struct file_node *node) {
    return file_check_sharing(call, node, sharing_of_class(CLASS_LEASE));
}

/* --- Reading --- */

enum outcome file_find_snapshot(const struct call *call, int slot, unsigned *number) {
    *number = 0;
    if (!args_given(&call->args, slot)) return OUTCOME_DONE;
    *number = share_snapshot_number(call->value, call->args.slots[slot].version);
    return *number ? OUTCOME_DONE : OUTCOME_SNAPSHOT_NOT_FOUND;
}

/* In a snapshot nothing is open, leased or locked. */
static enum outcome find_in_snapshot(const struct call *call, unsigned kind, struct file_found *found) {
    struct bytes path = call_word(call, ARG_PATH);
    found->node = tree_find_in_snapshot(call->value, path, found->snapshot);
    if (!found->node) {
        const struct file_node *parent =
            tree_find_in_snapshot(call->value, path_parent(path), found->snapshot);
        return parent && !node_is_file(parent) ? OUTCOME_FILE_NOT_FOUND : OUTCOME_PARENT_NOT_FOUND;
    }
    if (kind != ANY_NODE && found->node->kind != kind) return OUTCOME_FILE_KIND;
    found->view = node_view(found->node, found->snapshot);
    return call_lease_id(call) ? OUTCOME_LEASE_ABSENT_FILE : OUTCOME_DONE;
}

enum outcome file_find_to_read(struct call *call, unsigned kind, const struct file_access *access,
                               struct file_found *found) {
    struct file_node *node;
    enum outcome outcome = file_find_snapshot(call, SLOT_SNAPSHOT, &found->snapshot);
    if (outcome != OUTCOME_DONE) return outcome;
    if (found->snapshot) return find_in_snapshot(call, kind, found);
    outcome = file_find_node(call, call_word(call, ARG_PATH), kind, &node);
    if (outcome == OUTCOME_DONE) outcome = file_check_access(call, node, access);
    if (outcome != OUTCOME_DONE) return outcome;
    found->node = node;
    found->view = node_view(node, 0);
    return OUTCOME_DONE;
}

/* --- Quota --- */

enum outcome file_check_quota(struct call *call, uint64_t from, uint64_t to) {
    const struct share *share = call->value;
    if (!share->quota || to <= from) return OUTCOME_DONE;
    uint64_t bytes = share->bytes + limits_taken_before(call, "quota", bytes_of("", 0), to - from);
    if (bytes + (to - from) <= share->quota) return OUTCOME_DONE;
    uint64_t used = bytes - share_gone(share, call_now_ms(call)).bytes;
    if (used + (to - from) <= share->quota) return OUTCOME_DONE;
    return refusal_because_format(call, OUTCOME_SHARE_FULL,
                                  "%" PRIu64 " bytes more would exceed the quota of %" PRIu64
                                  ", of which %" PRIu64 " are used",
                                  to - from, share->quota, used);
}
