/* What the handlers of SHARE.* and FILE.* have in common, and what the tables of commands and data types need
 * of them. */
#ifndef HOLDFAST_FILE_COMMANDS_H
#define HOLDFAST_FILE_COMMANDS_H

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

/* Decides a change of the call's share: see decision_add. */
static inline struct share_change *share_decide(struct call *call, enum share_change_kind kind) {
    return decision_add(call, kind);
}

/* A file's content, to be answered. */
struct range_bytes file_range_bytes(const struct sparse_bytes *content, version etag);

/* Before a writing command is decided: ends the expired sessions that have handles of its files, and takes the handles
 * of all ended sessions away from these files. So what is in memory is what counts. */
void file_settle_at(struct call *call, struct bytes path);

/* A path as the name of a target: folded. */
struct bytes file_target_name(struct bytes path, struct targets *targets);

/* For the data type's table: see data_type.h. */
void share_events(const void *decided, const char *events[EVENTS_MAX]);
void share_before_change(struct call *call, void *decided);

#endif
