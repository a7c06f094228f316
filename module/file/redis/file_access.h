/* Access to a file: the checks of commands that name a path, in this order. FILE.OPEN has its own order, in open.c.
 *
 *   the share exists, the path is valid        before the handler: the form of the call
 *   the parent exists                          file_find
 *   the node exists and has the right kind     file_check_kind
 *   not pending ─▶ lease ─▶ not read-only ─▶ share modes of handles ─▶ locks
 *                                              file_check_access
 *   the arguments fit the size                 the handler */
#ifndef HOLDFAST_FILE_ACCESS_H
#define HOLDFAST_FILE_ACCESS_H

#include "file/redis/file_commands.h"

/* What a stateless command needs of a file. */
struct file_access {
    /* CLASS_WRITE, CLASS_WRITE_DELETE and CLASS_DELETE count as writes for leases and READONLY. */
    enum sharing_class class;
    bool checks_locks;
    bool ignores_readonly;
    struct lock_range range; /* for reads; a write conflicts with locks anywhere in the file */
    const struct guid *lease_id;
};

/* Whether a file is pending or gone now. */
static inline struct file_fate file_fate(struct call *call, const struct file_node *node) {
    bool exact = !node->usage || share_is_exact(call->value, call_now_ms(call));
    return usage_fate(node->usage, exact, call_now_ms(call));
}

/* Looks up a path; a gone file counts as missing. PARENT_NOT_FOUND when the parent is missing. */
enum outcome file_find(struct call *call, struct bytes path, struct tree_place *place);

/* Checks that the place has a node of this kind. */
enum { ANY_NODE = NODE_KINDS };
enum outcome file_check_kind(const struct tree_place *place, unsigned kind);
/* Finds a node of this kind. */
enum outcome file_find_node(struct call *call, struct bytes path, unsigned kind, struct file_node **node);

/* The checks on an existing file. */
enum outcome file_check_access(struct call *call, const struct file_node *node,
                               const struct file_access *access);
enum outcome file_check_leasable(struct call *call, const struct file_node *node);
/* The checks on other handles, and on locks: they note the handle that stands in the way. */
enum outcome file_check_sharing(struct call *call, const struct file_node *node, struct sharing wanted);
enum outcome file_check_lock(struct call *call, const struct file_handle *handle, enum lock_test test,
                             struct lock_range range);

/* What a reading command finds, now or in a snapshot. */
struct file_found {
    const struct file_node *node;
    unsigned snapshot;
    struct node_view view;
};
enum outcome file_find_to_read(struct call *call, unsigned kind, const struct file_access *access,
                               struct file_found *found);

/* The number of the snapshot that an option names; 0 without the option. */
enum outcome file_find_snapshot(const struct call *call, int slot, unsigned *number);

/* Checks the quota, for a file that changes its length. */
enum outcome file_check_quota(struct call *call, uint64_t from, uint64_t to);

#endif
