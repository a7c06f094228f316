/* Shares: one value of one key.
 *
 *   share ─▶ root, nodes   directories and files, by the id of the parent and the folded name: see node.h, tree.h
 *         ─▶ snapshot_places  places in the tree that only snapshots see
 *         ─▶ snapshots     at most 200, each an id with the share's metadata at that time
 *         ─▶ sessions      by id and by deadline, with their handles: see usage.h
 *         ─▶ handles       by id and by number
 *         ─▶ leased        the leased files, sorted by token
 *         ─▶ metadata, policies, lease                        (absent for most)
 *
 * The rules:
 *   - Taking a snapshot costs the same for any tree. A node keeps its state at its first change afterwards, sharing
 *     pages with later states; a place keeps its node. Snapshots are deleted only with the share.
 *   - Moving a directory moves one node: its children refer to the directory, and know no path.
 *   - Handles and locks of a session that has ended do not count. SHARE_SWEEP and FILE_SETTLE remove them from memory.
 *   - A file that is to be deleted is removed with its last handle, in one place: usage_release.
 *   - Directories cannot be opened; each counts the handles and leases of the files below it. */
#ifndef HOLDFAST_SHARE_H
#define HOLDFAST_SHARE_H

#include "change/value_functions.h"
#include "change/value_head.h"
#include "core/catalog.h"
#include "core/once_log.h"
#include "file/node.h"
#include "file/share_change.h"
#include "file/usage.h"

enum { FILE_LOCKS_MAX = 20000, HANDLE_LOCKS_MAX = 10000 };

struct share_snapshot {
    version id;
    struct stamp stamp;
    struct packed *metadata;
};

/* A place where snapshots see a node: the snapshots after `born`, up to `last`. */
struct snapshot_place {
    struct entry entry; /* its name is the key of the place, a zero byte, and `last` */
    struct file_past *past;
    uint16_t name_length; /* as in a node */
    uint8_t born, last;
    char key[];
};

struct share {
    struct value_head head;
    struct stamp stamp;
    int64_t created_ms;
    uint64_t quota; /* 0 for none */
    struct packed *metadata;
    struct packed *policies;
    struct lease *lease;
    struct catalog nodes; /* all current nodes but the root */
    struct order_index snapshot_places;
    struct file_node *root;
    struct share_snapshot *snapshots;
    unsigned snapshot_count;
    uint64_t ids;     /* ids assigned to nodes so far */
    uint64_t numbers; /* public numbers assigned to sessions and handles so far */
    size_t files, directories;
    uint64_t bytes; /* sum of the files' lengths */
    struct hash_index sessions;
    struct deadlines deadlines; /* of sessions that have not ended */
    struct list_head ended;     /* ended sessions that have not been removed */
    struct hash_index groups;   /* groups that have a file, by session and file */
    struct hash_index handles;
    struct order_index numbered;
    struct order_index leased;
    struct account account;    /* all allocations but those of the indexes */
    struct share_loader *load; /* the loader, while a file is loaded: see share_load.h */
};

/* A copy is as if all sessions had ended, and pending files had been deleted. */
VALUE_FUNCTIONS(share)

/* --- Queries --- */

/* The number of the snapshot with this id; 0 if there is none. */
unsigned share_snapshot_number(const struct share *share, version id);

/* Whether no session has ended, so that all handles count. */
static inline bool share_is_exact(const struct share *share, int64_t now_ms) {
    const struct deadline *first = deadlines_first(&share->deadlines);
    return list_empty(&share->ended) && !(first && first->due_ms <= now_ms);
}

static inline struct usage_view share_view(const struct share *share, const struct file_node *node,
                                           int64_t now_ms) {
    return usage_view(node->usage, !node->usage || share_is_exact(share, now_ms), now_ms);
}

/* These also find sessions that have ended, and their handles. */
struct share_session *share_session_find(const struct share *share, const struct guid *id);
struct file_handle *share_handle_find(const struct share *share, const struct guid *id);

/* The next session whose time is up; NULL if there is none. */
struct share_session *share_due_session(const struct share *share, int64_t now_ms);

/* When upkeep is needed next; INT64_MAX for never. */
int64_t share_next_end_ms(const struct share *share);

/* --- Leases --- */

const struct lease *share_lease(const struct share *share);
const struct lease *file_lease_of(const struct file_node *node);
/* Whether another file has a lease with this token. */
bool share_has_token(const struct share *share, version token, const struct file_node *node);

/* NULL, or a lease without a token, removes the lease. */
void share_set_lease(struct share *share, const struct lease *lease);

/* --- Totals over all shares of the process, for INFO; shares may be freed on another thread --- */

enum census_kind {
    CENSUS_SHARES,
    CENSUS_FILES,
    CENSUS_DIRECTORIES,
    CENSUS_SNAPSHOTS,
    CENSUS_SESSIONS,
    CENSUS_ENDED, /* ended sessions that are not completely removed */
    CENSUS_HANDLES,
    CENSUS_LOCKS,
    CENSUS_LEASES,
    CENSUS_BYTES,
    CENSUS_KINDS
};

struct share_census {
    uint64_t of[CENSUS_KINDS];
};

struct share_census share_census(void);

/* A count of a share has changed. */
void share_count(enum census_kind kind, uint64_t before, uint64_t after);
/* A current file gets another length: counts the bytes of the share and of all shares. */
void share_count_length(struct share *share, const struct file_node *node, uint64_t length);

#endif
