/* The handlers of SHARE.* and FILE.*, and what they share. */
#ifndef HOLDFAST_FILE_HANDLERS_H
#define HOLDFAST_FILE_HANDLERS_H

#include "file/tree.h"
#include "server/call/decision.h"
#include "server/call/ranges.h"
#include "server/call/refusal.h"
#include "server/call/reply.h"
#include "server/call/reply_limit.h"
#include "server/waiting/wait.h"

/* Slots of the options that only this family has. */
enum {
    SLOT_SHARE_QUOTA = SLOT_FAMILY,
    SLOT_SHARE_OWNER,
    SLOT_SHARE_ONCLOSE,
    SLOT_FILE_ATTRIBUTES,
    SLOT_FILE_REPLACE,
    SLOT_FILE_NEWLEASE,
    SLOT_FILE_RECURSIVE,
    SLOT_FILE_PATH,
    SLOT_FILE_ACCESS,
    SLOT_FILE_SHARE,
    SLOT_FILE_DISPOSITION,
    SLOT_FILE_DELETEONCLOSE,
    SLOT_FILE_WORD,
    SLOT_FILE_END,
};
_Static_assert((int)SLOT_FILE_END <= (int)SLOTS_MAX, "too many options");

/* Positions of arguments that many commands have. */
enum { ARG_SHARE = 1, ARG_PATH = 2, ARG_SESSION = 2, ARG_HANDLE = 2, ARG_TARGET = 3, ARG_OPEN_PATH = 3 };

extern struct data_type share_type;
extern struct wait_kind opening_wait, lock_wait;
extern const struct lease_home share_leases;

const char *file_path_explain(struct bytes text);

/* --- Access to a file: file_access.c has the order of the checks --- */

/* What a stateless command needs of a file. */
struct file_access {
    /* CLASS_WRITE, CLASS_WRITE_DELETE and CLASS_DELETE count as writes for leases and READONLY. */
    enum sharing_class class;
    bool checks_locks;
    bool ignores_readonly;
    struct lock_range range; /* for reads; a write conflicts with locks anywhere in the file */
    const struct guid *lease_id;
};

/* Before a writing command is decided: ends the expired sessions that have handles of its files, and takes the handles
 * of all ended sessions away from these files. So what is in memory is what counts. */
void file_settle_at(struct call *call, struct bytes path);

/* What a file is used for now. */
static inline struct usage_view file_view(struct call *call, const struct file_node *node) {
    return share_view(call->value, node, call_now_ms(call));
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
enum outcome file_check_sharing(struct call *call, const struct file_node *node,
                                const struct usage_view *view, struct sharing wanted);
enum outcome file_check_lock(struct call *call, const struct file_open *open, enum lock_test test,
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

/* --- Sessions and handles --- */

enum outcome file_session(struct call *call, struct bytes text, struct share_session **session);
/* The command's handle, which needs one of these rights; 0 for none. */
enum outcome file_handle(struct call *call, unsigned rights, struct file_open **open);
/* The handle of a grant that is given back; NULL if it is closed. */
struct file_open *file_granted_handle(const struct call *call, struct record_reader *granted);
/* Decides a change that concerns a handle, and its file if it still has one. */
struct share_change *file_decide_with_handle(struct call *call, enum share_change_kind kind,
                                             struct file_open *open, RedisModuleString *content);
static inline struct file_node *open_node(const struct file_open *open) {
    return open->group->usage->node;
}
/* Replies a range within the content; `view` has it if it is contiguous. */
void reply_content(struct reply *out, const struct sparse_bytes *content, struct page_range range,
                   struct bytes view);

/* --- Waiting --- */

/* The name of a file's line of waiters: a hash of its path. So a file that takes the path of another one takes over its
 * waiters, and a share that was loaded again has the same lines. */
uint64_t file_line_id(const struct file_node *node);

/* Claims of waiters: to open a file, to lock a range. */
struct wait_claim claim_to_open(const struct share_session *session, struct sharing wanted);
struct wait_claim claim_to_lock(const struct file_open *open, enum lock_test test, struct lock_range range);

/* The claim conflicts now: the call waits if it has BLOCK, else it is refused. */
enum outcome file_not_yet(struct call *call, struct wait_kind *kind, const struct file_node *node,
                          const struct wait_claim *claim, enum outcome refused);

/* The claim conflicts with nothing that is held. With BLOCK, conflicting waiters come first. */
void file_in_line(struct call *call, struct wait_kind *kind, const struct file_node *node,
                  const struct wait_claim *claim);

/* For the data type's table: see data_type.h. */
bool file_has_rival(const struct call *call);
bool file_closes_circle(const struct call *call);

/* --- Decisions and changes --- */

/* A path as the name of a target: folded. */
struct bytes file_target_name(struct bytes path, struct targets *targets);

/* For the data type's table: see data_type.h. */
void share_events(const void *decided, const char *events[EVENTS_MAX]);
void share_before_change(struct call *call, void *decided);

/* --- Sessions that end with their connection: see connections.c --- */

/* False for a key whose name is too long. */
bool connections_accept(const struct call *call);
void connections_add(const struct call *call, struct guid session);
void connections_remove(const struct call *call, struct guid session);
/* Takes the next session of the call's key whose connection is gone. */
bool connections_next_orphan(const struct call *call, struct guid *session);
int connections_start(RedisModuleCtx *ctx);

#endif
