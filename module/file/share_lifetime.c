/* How a share begins and ends. */
#include "file/share.h"

#include "core/garbage.h"
#include "core/memory.h"
#include "file/handle_lifetime.h"
#include "file/share_load.h"
#include "file/tree.h"

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
    share->head.upkeep_ms = INT64_MAX;
    packed_replace(&share->account, &share->metadata, change->metadata);
    packed_replace(&share->account, &share->policies, change->policies);
    share_count(CENSUS_SHARES, 0, 1);
    return share;
}

static void free_snapshots(struct share *share) {
    for (unsigned i = 0; i < share->snapshot_count; i++)
        account_discard(&share->account, share->snapshots[i].metadata);
    account_discard(&share->account, share->snapshots);
    share_count(CENSUS_SNAPSHOTS, share->snapshot_count, 0);
}

/* Sessions, handles and leases end as they do by commands. */
static void end_holders(struct share *share) {
    struct share_session *session;
    while ((session = share_due_session(share, INT64_MAX))) session_end(share, session);
    while ((session = list_top(&share->ended, struct share_session, among_ended)))
        session_free(share, session);
    for (struct order_cursor first; !order_index_empty(&share->leased);) {
        first = order_index_seek(&share->leased, bytes_of("", 0));
        file_set_lease(share, lease_of_entry(order_cursor_entry(&first))->usage->node, NULL);
    }
    hash_index_end(&share->sessions);
    hash_index_end(&share->groups);
    hash_index_end(&share->handles);
    order_index_end(&share->numbered);
}

void share_free(struct share *share) {
    garbage_end(&share->account);
    share_load_end(share);
    end_holders(share);
    tree_free(share);
    free_snapshots(share);
    once_log_end(&share->head.once_log);
    share_count(CENSUS_BYTES, share->bytes, 0);
    share_count(CENSUS_SHARES, 1, 0);
    share_set_lease(share, NULL);
    memory_free(share->metadata);
    memory_free(share->policies);
    memory_free(share);
}
