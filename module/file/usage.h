/* Sessions, and the handles of files that they have open.
 *
 *   session ──────────▶ group ⇄ group ⇄ …       group: the handles that one session has of one file
 *   file ──▶ usage ───▶ group ⇄ group ⇄ …       usage: what a file has only while it is open or leased
 *                         │
 *                         └─▶ handle ⇄ handle ⇄ …   each with its locks
 *
 * A session ends by a command, or when its time is up. From then on its handles and locks do not count: every query
 * skips them. So ending a session costs the same for one handle and for a hundred thousand. They are removed later, in
 * portions, or from one file when that file changes.
 *
 * A file is pending when it is marked for deletion: by FILE.DISPOSE, or by closing a handle that was opened with
 * DELETEONCLOSE. A pending file is gone when no handle counts any more, even if it is still in memory. */
#ifndef HOLDFAST_USAGE_H
#define HOLDFAST_USAGE_H

#include "core/deadlines.h"
#include "core/entry.h"
#include "core/guid.h"
#include "file/range_locks.h"
#include "file/sharing.h"
#include "lease/lease.h"

#include "ccan/list/list.h"

enum { SESSION_OWNER_MAX_BYTES = 256 };

struct file_node;

/* A file's lease, listed by its token. */
struct file_lease {
    struct entry entry; /* its name is the token, as text */
    char token[VERSION_TEXT_LENGTH];
    struct file_usage *usage;
    struct lease *lease;
};

static inline struct file_lease *lease_of_entry(struct entry *entry) {
    return (struct file_lease *)entry; /* the entry is its head */
}

struct file_usage {
    struct file_node *node;
    struct list_head groups;
    struct sharing_tally tally; /* of all groups */
    struct range_locks locks;
    struct file_lease *lease;
    uint32_t deleting; /* handles that mark the file when they close */
    bool pending;      /* marked for deletion */
};

struct share_session {
    struct entry entry; /* its name is the id */
    struct guid id;
    uint64_t number; /* shown by FILE.HANDLES */
    struct deadline deadline;
    struct list_node among_ended;
    struct list_head groups;
    int64_t ttl_ms;
    bool ended;
    bool ends_with_connection;
    uint16_t owner_length;
    char owner[];
};

struct handle_group {
    struct entry entry; /* its name is the session's number and the file's id; indexed while it has a file */
    uint64_t name[2];
    struct list_node of_session, of_usage;
    struct share_session *session;
    struct file_usage *usage; /* NULL when the file has been removed */
    struct list_head handles;
    struct sharing_tally tally;
    uint32_t deleting; /* handles that mark the file when they close */
};

struct file_handle {
    struct entry entry; /* its name is the id */
    struct guid id;
    struct entry numbered; /* its name is the number */
    unsigned char number[8];
    struct list_node among;
    struct handle_group *group;
    struct lock_owner locks;
    uint32_t lock_count; /* distinct locks */
    struct sharing sharing;
    bool deletes_on_close;
    int64_t opened_ms;
};

static inline int64_t session_expires_ms(const struct share_session *session) {
    return session->deadline.due_ms;
}

/* Whether the session has ended by a change, or its time is up. */
static inline bool session_has_ended(const struct share_session *session, int64_t now_ms) {
    return session->ended || session->deadline.due_ms <= now_ms;
}

static inline struct bytes session_owner(const struct share_session *session) {
    return bytes_of(session->owner, session->owner_length);
}

static inline struct file_handle *handle_of_numbered(struct entry *entry) {
    return (struct file_handle *)((char *)entry - offsetof(struct file_handle, numbered));
}

/* The number that FILE.HANDLES shows. */
static inline uint64_t handle_number(const struct file_handle *handle) {
    return handle->locks.number;
}

static inline struct file_handle *handle_of_lock(const struct range_lock *lock) {
    return (struct file_handle *)((char *)lock->owner - offsetof(struct file_handle, locks));
}

/* --- What counts at a time --- */

struct usage_view {
    struct sharing_tally tally; /* of the handles that count */
    bool pending;
    bool gone;
};

/* `exact`: no session has ended, so everything counts. The usage may be NULL. */
struct usage_view usage_view(const struct file_usage *usage, bool exact, int64_t now_ms);

/* Whether the file is marked, or a handle will mark it. If not, no end of a session makes it pending. */
static inline bool usage_may_be_deleted(const struct file_usage *usage) {
    return usage->pending || usage->deleting;
}

/* The same as in the view. It visits the sessions that have the file open only if the file may be deleted. */
struct file_fate {
    bool pending;
    bool gone;
};

struct file_fate usage_fate(const struct file_usage *usage, bool exact, int64_t now_ms);

/* The file of the group if it is gone and this is its first group, or NULL. So a visit to the groups of all sessions
 * that have ended meets each gone file once. */
struct file_node *group_gone_file(const struct handle_group *group, int64_t now_ms);

/* Visits the handles that do not fit. Returning false ends the visit. So does `left`, which counts down the handles and
 * groups that are looked at. */
typedef bool visit_handle(void *context, const struct file_handle *handle);
void usage_obstacles(const struct file_usage *usage, struct sharing wanted, int64_t now_ms, unsigned *left,
                     visit_handle *visit, void *context);

/* The first one of these; NULL if there is none, or if bounded work finds none. */
const struct file_handle *usage_obstacle(const struct file_usage *usage, struct sharing wanted,
                                         int64_t now_ms);

/* The first conflicting lock of a session that has not ended: see range_locks_obstacle. The usage may be NULL. */
const struct range_lock *usage_lock(const struct file_usage *usage, enum lock_test test,
                                    const struct lock_owner *owner, struct lock_range range, int64_t now_ms);

/* The file of a handle that still has one. */
static inline struct file_node *handle_node(const struct file_handle *handle) {
    return handle->group->usage->node;
}

#endif
