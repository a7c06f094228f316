#include "file/handle_lifetime.h"

#include "core/memory.h"
#include "file/tree.h"

#include "ccan/container_of/container_of.h"

/* --- The usage of files --- */

static struct file_usage *usage_need(struct share *share, struct file_node *node) {
    if (!node->usage) {
        node->usage = account_add(&share->account, memory_zeroed(sizeof(*node->usage)));
        node->usage->node = node;
        list_head_init(&node->usage->groups);
    }
    return node->usage;
}

static void usage_free(struct share *share, struct file_usage *usage) {
    usage->node->usage = NULL;
    account_discard(&share->account, usage);
}

static void drop_locks(struct share *share, struct file_usage *usage, struct file_handle *handle) {
    size_t before = usage->locks.count;
    if (!handle->lock_count) return;
    range_locks_remove_owner(&share->account, &usage->locks, &handle->locks);
    handle->lock_count = 0;
    share_count(CENSUS_LOCKS, before, usage->locks.count);
}

static void leave_file(struct share *share, struct handle_group *group) {
    list_del(&group->of_usage);
    hash_index_remove(&share->groups, &group->entry);
}

/* Separates a group from its file: its handles lose their locks and are left without a file. */
static void detach_group(struct share *share, struct handle_group *group) {
    struct file_usage *usage = group->usage;
    struct file_handle *handle;
    if (usage->locks.count) {
        list_for_each (&group->handles, handle, among) drop_locks(share, usage, handle);
    }
    sharing_subtract(&usage->tally, &group->tally);
    tree_count_handles(usage->node->parent, -(int64_t)group->tally.handles);
    if (group->deleting) usage->pending = true;
    usage->deleting -= group->deleting;
    leave_file(share, group);
    group->usage = NULL;
}

void file_remove(struct share *share, struct file_node *node) {
    struct handle_group *group, *next;
    if (node->usage) {
        list_for_each_safe (&node->usage->groups, group, next, of_usage) detach_group(share, group);
        node->usage->pending = false;
        file_set_lease(share, node, NULL);
    }
    share_count_length(share, node, 0);
    tree_remove(share, node);
}

/* Frees a usage without handles and lease, and removes a file that is to be deleted and no longer open. */
static void usage_release(struct share *share, struct file_usage *usage) {
    if (!list_empty(&usage->groups)) return;
    if (usage->pending)
        file_remove(share, usage->node);
    else if (!usage->lease)
        usage_free(share, usage);
}

void usage_settle(struct share *share, struct file_usage *usage) {
    struct handle_group *group, *next;
    list_for_each_safe (&usage->groups, group, next, of_usage)
        if (group->session->ended) detach_group(share, group);
    usage_release(share, usage);
}

/* --- Leases of files --- */

static bool lease_is_held(const struct lease *lease) {
    return lease && lease->kind == LEASE_HELD;
}

static void list_lease(struct share *share, struct file_usage *usage, struct lease *lease) {
    struct file_lease *leased = usage->lease;
    if (!leased) {
        leased = usage->lease = account_add(&share->account, memory_zeroed(sizeof(*leased)));
        leased->usage = usage;
    }
    leased->lease = lease;
    leased->entry =
        (struct entry){.name_length = VERSION_TEXT_LENGTH, .name_at = offsetof(struct file_lease, token)};
    version_write(lease->token, leased->token);
    order_index_add(&share->leased, &leased->entry);
}

void file_set_lease(struct share *share, struct file_node *node, const struct lease *lease) {
    struct file_usage *usage = usage_need(share, node);
    struct lease *old = usage->lease ? usage->lease->lease : NULL, *next = NULL;
    if (lease && lease->token && lease->kind != LEASE_FREE)
        next = account_add(&share->account, lease_new(lease));
    share_count(CENSUS_LEASES, old != NULL, next != NULL);
    tree_count_leases(node->parent, lease_is_held(next) - lease_is_held(old));
    if (old) order_index_remove(&share->leased, &usage->lease->entry);
    account_discard(&share->account, old);
    if (next) {
        list_lease(share, usage, next);
    } else {
        account_discard(&share->account, usage->lease);
        usage->lease = NULL;
    }
    usage_release(share, usage);
}

/* --- Sessions --- */

struct share_session *session_begin(struct share *share, const struct share_change *change) {
    size_t size = sizeof(struct share_session) + change->owner.length;
    struct share_session *session = account_add(&share->account, memory_zeroed(size));
    session->id = change->session;
    session->number = change->number ? change->number : ++share->numbers;
    session->ttl_ms = change->ttl_ms;
    session->ends_with_connection = change->ends_with_connection;
    session->owner_length = (uint16_t)change->owner.length;
    if (change->owner.length) memcpy(session->owner, change->owner.data, change->owner.length);
    list_head_init(&session->groups);
    session->entry = entry_hashed(guid_bytes(&session->id), offsetof(struct share_session, id));
    hash_index_add(&share->sessions, &session->entry);
    deadlines_set(&share->deadlines, &session->deadline, change->instant_ms);
    share_count(CENSUS_SESSIONS, 0, 1);
    return session;
}

void session_end(struct share *share, struct share_session *session) {
    if (session->ended) return;
    session->ended = true;
    share_count(CENSUS_ENDED, 0, 1);
    deadlines_unset(&share->deadlines, &session->deadline);
    list_add_tail(&share->ended, &session->among_ended);
    if (list_empty(&session->groups)) session_free(share, session);
}

void session_free(struct share *share, struct share_session *session) {
    struct handle_group *group;
    while ((group = list_top(&session->groups, struct handle_group, of_session)))
        handle_close(share, list_top(&group->handles, struct file_handle, among));
    list_del(&session->among_ended);
    hash_index_remove(&share->sessions, &session->entry);
    account_discard(&share->account, session);
    share_count(CENSUS_SESSIONS, 1, 0);
    share_count(CENSUS_ENDED, 1, 0);
}

/* --- Handles --- */

static struct handle_group *find_group(const struct share *share, const struct share_session *session,
                                       const struct file_usage *usage) {
    uint64_t name[2] = {session->number, usage->node->id};
    struct entry *entry = hash_index_named(&share->groups, bytes_of(name, sizeof(name)));
    return entry ? container_of(entry, struct handle_group, entry) : NULL;
}

static struct handle_group *group_for(struct share *share, struct share_session *session,
                                      struct file_usage *usage) {
    struct handle_group *group = list_empty(&usage->groups) ? NULL : find_group(share, session, usage);
    if (group) return group;
    group = account_add(&share->account, memory_zeroed(sizeof(*group)));
    group->name[0] = session->number;
    group->name[1] = usage->node->id;
    group->entry =
        entry_hashed(bytes_of(group->name, sizeof(group->name)), offsetof(struct handle_group, name));
    hash_index_add(&share->groups, &group->entry);
    group->session = session;
    group->usage = usage;
    list_head_init(&group->handles);
    list_add_tail(&usage->groups, &group->of_usage);
    list_add_tail(&session->groups, &group->of_session);
    return group;
}

static void name_handle(struct file_handle *handle, uint64_t number) {
    handle->locks.number = number;
    node_put_number(handle->number, number);
    uint8_t name_at = offsetof(struct file_handle, number) - offsetof(struct file_handle, numbered);
    handle->numbered = (struct entry){.name_length = sizeof(handle->number), .name_at = name_at};
    handle->entry = entry_hashed(guid_bytes(&handle->id), offsetof(struct file_handle, id));
}

struct file_handle *handle_add(struct share *share, struct file_node *node, struct share_session *session,
                               const struct share_change *change, uint64_t number) {
    struct file_usage *usage = usage_need(share, node);
    struct handle_group *group = group_for(share, session, usage);
    struct file_handle *handle = account_add(&share->account, memory_zeroed(sizeof(*handle)));
    handle->id = change->handle;
    handle->sharing = change->sharing;
    handle->deletes_on_close = change->deletes_on_close;
    handle->opened_ms = change->instant_ms;
    handle->group = group;
    name_handle(handle, number);
    hash_index_add(&share->handles, &handle->entry);
    order_index_add(&share->numbered, &handle->numbered);
    list_add_tail(&group->handles, &handle->among);
    sharing_add(&group->tally, handle->sharing);
    sharing_add(&usage->tally, handle->sharing);
    group->deleting += handle->deletes_on_close;
    usage->deleting += handle->deletes_on_close;
    tree_count_handles(node->parent, 1);
    share_count(CENSUS_HANDLES, 0, 1);
    return handle;
}

void handle_cancel_delete(struct file_handle *handle) {
    struct handle_group *group = handle->group;
    group->deleting -= handle->deletes_on_close;
    if (group->usage) group->usage->deleting -= handle->deletes_on_close;
    handle->deletes_on_close = false;
}

static void leave_usage(struct share *share, const struct handle_group *group, struct file_handle *handle) {
    drop_locks(share, group->usage, handle);
    sharing_remove(&group->usage->tally, handle->sharing);
    tree_count_handles(group->usage->node->parent, -1);
    if (handle->deletes_on_close) group->usage->pending = true;
    group->usage->deleting -= handle->deletes_on_close;
}

void handle_close(struct share *share, struct file_handle *handle) {
    struct handle_group *group = handle->group;
    struct file_usage *usage = group->usage;
    if (usage) leave_usage(share, group, handle);
    sharing_remove(&group->tally, handle->sharing);
    group->deleting -= handle->deletes_on_close;
    hash_index_remove(&share->handles, &handle->entry);
    order_index_remove(&share->numbered, &handle->numbered);
    list_del(&handle->among);
    account_discard(&share->account, handle);
    share_count(CENSUS_HANDLES, 1, 0);
    if (list_empty(&group->handles)) {
        if (usage) leave_file(share, group);
        list_del(&group->of_session);
        account_discard(&share->account, group);
    }
    if (usage) usage_release(share, usage);
}

/* --- Sessions that have ended --- */

/* Those that a change has ended, and those whose time is up. */
struct ended_visit {
    void (*visit)(void *context, const struct share_session *session);
    void *context;
};

static void visit_due_session(void *visit, const struct deadline *deadline) {
    const struct ended_visit *ended = visit;
    ended->visit(ended->context, container_of(deadline, struct share_session, deadline));
}

static void visit_ended(const struct share *share, int64_t now_ms, struct ended_visit visit) {
    const struct share_session *session;
    list_for_each (&share->ended, session, among_ended) visit.visit(visit.context, session);
    deadlines_visit_due(&share->deadlines, now_ms, visit_due_session, &visit);
}

/* --- Deleted files --- */

struct gone_search {
    struct share_gone found;
    int64_t now_ms;
};

static void count_gone(void *context, const struct share_session *session) {
    struct gone_search *search = context;
    const struct handle_group *group;
    list_for_each (&session->groups, group, of_session) {
        const struct file_node *node = group_gone_file(group, search->now_ms);
        if (!node) continue;
        search->found.files++;
        search->found.bytes += node->content.length;
    }
}

struct share_gone share_gone(const struct share *share, int64_t now_ms) {
    struct gone_search search = {.now_ms = now_ms};
    visit_ended(share, now_ms, (struct ended_visit){count_gone, &search});
    return search.found;
}

/* --- Handles that do not count --- */

struct ended_count {
    const struct file_node *directory;
    uint64_t handles;
};

static void count_ended(void *context, const struct share_session *session) {
    struct ended_count *count = context;
    const struct handle_group *group;
    list_for_each (&session->groups, group, of_session)
        if (group->usage && node_is_within(group->usage->node, count->directory))
            count->handles += group->tally.handles;
}

uint64_t share_ended_handles(const struct share *share, const struct file_node *directory, int64_t now_ms) {
    struct ended_count count = {directory, 0};
    if (!directory->directory->handles) return 0;
    visit_ended(share, now_ms, (struct ended_visit){count_ended, &count});
    return count.handles;
}

/* --- Walks --- */

struct order_cursor share_handles_seek(const struct share *share, uint64_t number) {
    unsigned char name[8];
    node_put_number(name, number);
    return order_index_seek(&share->numbered, bytes_of(name, sizeof(name)));
}
