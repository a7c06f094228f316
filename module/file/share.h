/* Shares: one value of one key.
 *
 *   share ─▶ root, nodes   the tree: directories and files, each under the id of its directory and its folded name, in
 *                          one order; see node.h and tree.h
 *         ─▶ ghosts        places in the tree that only snapshots see
 *         ─▶ snapshots     at most 200, each an id and what the share was called by its metadata
 *         ─▶ sessions      by id, and by when their time is up; with their handles: see opens.h
 *         ─▶ opens         the handles, by id, and in the order of their public numbers
 *         ─▶ leased        the files that are leased, in the order of their tokens
 *         ─▶ metadata, policies, lease                        (absent for most)
 *
 * The rules:
 *   - Only share_apply changes a value, and only by a change: a fact with absolute numbers, whoever decided it.
 *   - To take a snapshot costs the same for any tree. What changes for the first time afterwards keeps how it was: a
 *     node its state, which shares pages with what follows, and a place its node. Snapshots go with the share alone.
 *   - To move a directory is to move one node: its children know the directory and not its path.
 *   - A session that is over has no handles and no locks any more, whoever asks; SHARE_SWEEP and FILE_SETTLE remove from
 *     memory what is left of them.
 *   - A file that is to be deleted goes with its last handle, however that ends. One place says so: life_release.
 *   - Directories are not opened; what is open in and below a directory is counted there.
 *   - Values know no key and no clock. */
#ifndef HOLDFAST_SHARE_H
#define HOLDFAST_SHARE_H

#include "core/catalog.h"
#include "core/outcome.h"
#include "core/remembered.h"
#include "file/node.h"
#include "file/opens.h"
#include "file/share_change.h"

enum { SHARE_SNAPSHOTS_MAX = 200, FILE_LOCKS_MAX = 20000, HANDLE_LOCKS_MAX = 10000 };

struct share_snapshot {
    version id;
    struct stamp stamp;
    struct packed *metadata;
};

/* A place at which snapshots see a node: those after `born`, up to `last`. */
struct ghost {
    struct entry entry; /* its name is the key of the place, a zero, and `last` */
    struct file_past *past;
    uint16_t name_length; /* as that of a node */
    uint8_t born, last;
    char key[];
};

struct share {
    struct stamp stamp;
    int64_t created_ms;
    uint64_t quota; /* 0 for none */
    struct packed *metadata;
    struct packed *policies;
    struct lease *lease;
    struct catalog nodes;      /* all that are there now, but the root */
    struct order_index ghosts; /* without a root while there are none */
    struct file_node *root;
    struct share_snapshot *snapshots;
    unsigned snapshot_count;
    uint64_t ids;     /* given to nodes so far */
    uint64_t numbers; /* given to sessions and handles so far: the public ones */
    size_t files, directories;
    uint64_t bytes; /* the sum of the files' lengths */
    struct hash_index sessions;
    struct deadlines deadlines; /* of those that have not ended */
    struct list_head ended;     /* sessions that are to be swept away */
    struct hash_index groups;   /* those that have a file, by session and file */
    struct hash_index opens;
    struct order_index numbered;
    struct order_index leased;     /* without a root while there are none */
    struct account account;        /* all allocations but those of the indexes */
    struct remembered *remembered; /* calls that were made with a token; NULL for none */
    void *load;                    /* while a file builds it: what the walk's numbers stand for */
    /* Not part of the value, but of what goes on around it: when somebody will next look for what time has ended. */
    int64_t upkeep_ms;
    bool noted; /* its key is known to those who report to the operator */
};

/* Counts over all shares of the process, for INFO; shares may be freed on another thread. */
struct share_census {
    size_t shares, files, directories, snapshots, sessions, ended, handles, locks, leases;
    uint64_t bytes;
};

struct share_census share_census(void);

/* From a change of the kind SHARE_CREATE. */
struct share *share_new(const struct share_change *change);
void share_free(struct share *share);
/* A twin with the same versions, without leases, sessions and handles: as if all of them had ended, and what was to be
 * deleted is. */
struct share *share_copy(const struct share *source);

/* Moves the state. False, and nothing done, when the change does not fit the state that it meets. A chunk that comes
 * with the change is taken over in either case. */
bool share_apply(struct share *share, const struct share_change *change);

/* --- To ask --- */

/* The number of a snapshot by its id; 0 if there is none. */
unsigned share_snapshot_number(const struct share *share, version id);

/* Whether no session is over. */
static inline bool share_is_exact(const struct share *share, int64_t now_ms) {
    const struct deadline *first = deadlines_first(&share->deadlines);
    return list_empty(&share->ended) && !(first && first->due_ms <= now_ms);
}

static inline struct life_view share_view(const struct share *share, const struct file_node *node,
                                          int64_t now_ms) {
    return life_view(node->life, !node->life || share_is_exact(share, now_ms), now_ms);
}

/* Also those that are over. */
struct share_session *share_session_find(const struct share *share, const struct guid *id);
struct file_open *share_open_find(const struct share *share, const struct guid *id);

/* A walk over the handles by number, from one on. */
struct order_cursor share_opens_seek(const struct share *share, uint64_t number);
struct file_open *open_of_numbered(struct entry *entry);

/* The next session whose time is up; NULL if there is none. */
struct share_session *share_due_session(const struct share *share, int64_t now_ms);

/* Files that went with sessions that are over, and are still in memory and in the share's counts. To know them costs a
 * look at each file that such a session has open. */
struct share_gone {
    size_t files;
    uint64_t bytes;
};

struct share_gone share_gone(const struct share *share, int64_t now_ms);

/* When upkeep has something to do next; INT64_MAX for never. */
int64_t share_next_end_ms(const struct share *share);

const struct lease *share_lease(const struct share *share);
const struct lease *file_lease_of(const struct file_node *node);
/* Whether another file has a lease of this token. */
bool share_has_token(const struct share *share, version token, const struct file_node *node);

size_t share_held(const struct share *share);
/* How many allocations freeing it touches. */
static inline size_t share_parts(const struct share *share) {
    return share->account.parts + remembered_parts(share->remembered);
}

/* --- For the other parts of the pure side --- */

void share_replace_list(struct share *share, struct packed **place, struct packed_list list);
/* A NULL, or a lease without a token, is none at all. */
void share_set_lease(struct share *share, const struct lease *lease);
void file_set_lease(struct share *share, struct file_node *node, const struct lease *lease);

struct file_life *life_need(struct share *share, struct file_node *node);
/* A life without anything in it goes, and so does a file that is to be deleted and is not open any more. False when the
 * file has gone. */
bool life_release(struct share *share, struct file_life *life);

struct share_session *session_begin(struct share *share, const struct share_change *change);
/* It goes at once when it has nothing. */
void session_end(struct share *share, struct share_session *session);
/* One that has ended, with all that is left of it. */
void session_forget(struct share *share, struct share_session *session);

struct file_open *open_add(struct share *share, struct file_node *node, struct share_session *session,
                           const struct share_change *change, uint64_t number);
void open_close(struct share *share, struct file_open *open);
/* The handle does not mark the file when it closes. */
void open_keeps_file(struct file_open *open);
/* The file has no part any more of what sessions that have ended hold of it. False when it has gone. */
bool life_settle(struct share *share, struct file_life *life);
/* With all that it has; its handles are left with nothing. */
void file_remove(struct share *share, struct file_node *node);

/* For INFO: something has become more or less. */
enum census_kind {
    CENSUS_SHARES,
    CENSUS_FILES,
    CENSUS_DIRECTORIES,
    CENSUS_SNAPSHOTS,
    CENSUS_SESSIONS,
    CENSUS_ENDED, /* sessions of which something is left */
    CENSUS_HANDLES,
    CENSUS_LOCKS,
    CENSUS_LEASES,
    CENSUS_BYTES,
    CENSUS_KINDS
};
void census_count(enum census_kind kind, uint64_t before, uint64_t after);

/* --- Memory --- */

/* The share and its lists; the share itself may move. */
struct share *share_relocate(struct share *share, const struct relocation *relocation);
/* All nodes at one of so many places of the hash index, and the index itself there. */
static inline size_t share_places(const struct share *share) {
    return share->nodes.by_hash.buckets;
}
void share_relocate_nodes(struct share *share, size_t place, const struct relocation *relocation);

#endif
