/* What the handlers of CONTAINER.* and BLOB.* share, and what the tables of commands and data types need of them. */
#ifndef HOLDFAST_BLOB_COMMANDS_H
#define HOLDFAST_BLOB_COMMANDS_H

#include "blob/container.h"
#include "server/call/decision.h"
#include "server/call/refusal.h"
#include "server/call/reply.h"
#include "server/waiting/wait.h"

/* Slots of the options that only this family has. */
enum {
    SLOT_ACCESS = SLOT_FAMILY,
    SLOT_DELIMITER,
    SLOT_INCLUDE,
    SLOT_SEQUENCE,
    SLOT_IFSEQUENCE,
    SLOT_IFPOSITION,
    SLOT_IFMAXSIZE,
    SLOT_BLOCKS,
    SLOT_SOURCE, /* four slots, in the order of the shared conditions */
    SLOT_SOURCE_NONE_MATCH,
    SLOT_SOURCE_MODIFIED,
    SLOT_SOURCE_UNMODIFIED,
    SLOT_FROM,
    SLOT_BLOB_END,
};
_Static_assert((int)SLOT_BLOB_END <= (int)SLOTS_MAX, "too many options");

/* Indexes of arguments: of most commands, of those for a block, and of BLOB.COPY. */
enum { ARG_CONTAINER = 1, ARG_BLOB = 2, ARG_CONTENT = 3 };
enum { ARG_BLOCK_ID = 3 };
enum { ARG_SOURCE_CONTAINER = 3, ARG_SOURCE_BLOB = 4 };

/* The words of INCLUDE, as bits. */
enum { INCLUDE_SNAPSHOTS = 1, INCLUDE_META = 2, INCLUDE_UNCOMMITTED = 4, INCLUDE_COPY = 8 };

extern struct data_type container_type;
extern struct wait_kind blob_news; /* waiters for another ETag of a blob, or for the blob to exist */
extern const struct lease_home container_leases;
extern const char *const blob_kind_names[];

/* Whether SIZE, if it is given, is whole pages. */
enum outcome blob_check_size(struct call *call);

/* --- Checks of a blob: it exists, has the right kind, is not the target of a copy, its lease permits the call, and
 * the conditions hold --- */

/* The blob of the call's name, which blob_prefetch looks up; NULL if there is none. */
struct blob *blob_found(const struct call *call);

/* The same, but NULL if there are only expired staged blocks. */
struct blob *blob_named(struct call *call);

/* The blob, or its snapshot, for a reading command of its content, which must be complete. Any kind if ANY_KIND. */
enum { ANY_KIND = BLOB_KINDS };
enum outcome blob_find_content_to_read(struct call *call, unsigned kind, const struct blob **blob);

/* An existing blob that will be written. */
enum outcome blob_find_to_write(struct call *call, unsigned kind, struct blob **blob);

/* A blob that will be written and become one of this kind; it may be NULL, or uncommitted. */
enum outcome blob_find_to_create(struct call *call, enum blob_kind kind, struct blob **blob);

/* Single checks, for commands with another order. The stamp is NULL for a blob that does not exist. */
enum outcome blob_check_kind(const struct blob *blob, unsigned kind);
enum outcome blob_check_lease(struct call *call, const struct blob *blob, enum lease_use use);
const struct stamp *blob_stamp(const struct blob *blob);

/* The snapshot given by SNAPSHOT; NULL if there is none. */
const struct blob *blob_given_snapshot(const struct call *call, const struct blob *base);

/* The refusal of a content that exceeds a limit. */
enum outcome blob_refuse_size(struct call *call, const char *limit);

/* --- Decisions --- */

/* Decides a change of the call's container: see decision_add. */
static inline struct container_change *container_decide(struct call *call, enum container_change_kind kind) {
    return decision_add(call, kind);
}

/* Decides a change of the blob of the call's name (NULL if there is none), with the content beside it, if any. A
 * touch also says whether it clears an ended lease; a write also has a new stamp; and a change that replaces the
 * blob also has the call's properties and metadata. */
struct container_change *blob_decide_change(struct call *call, enum container_change_kind kind,
                                            struct blob *blob, RedisModuleString *content);
struct container_change *blob_decide_touch(struct call *call, enum container_change_kind kind,
                                           struct blob *blob, RedisModuleString *content);
struct container_change *blob_decide_write(struct call *call, enum container_change_kind kind,
                                           struct blob *blob, RedisModuleString *content);
struct container_change *blob_decide_new(struct call *call, enum container_change_kind kind,
                                         struct blob *blob, RedisModuleString *content);

/* --- Copies, within a server and from another one --- */

enum outcome copy_from_check(struct call *call);
enum outcome blob_copy_from(struct call *call);

/* The checks of every copy on its target, which may be NULL. */
enum outcome copy_check_target(struct call *call, const struct blob *target);

/* The version given by SNAPSHOT; 0 for none. */
version copy_given_snapshot(const struct call *call);

/* container/blob of the source, and the snapshot. */
void copy_put_label(const struct call *call, struct record_writer *label);
void copy_reply(struct call *call, const struct container_change *change, const char *status);

/* Fails copies in the call's container that have no copier. One call looks at a part of the copies: returns whether
 * the next one goes on with others, or all have been looked at. */
bool copies_fail_orphans(struct call *call);

/* The version of a deletion where a feed is on; 0 for none. */
version container_deletion(struct call *call, const struct blob *blob);

/* For the data type's table: see data_type.h. */
void container_keep_sources(struct call *const *copies, size_t count);
void container_drop_sources(struct call *const *copies, size_t count);
void container_events(const void *decided, const char *events[EVENTS_MAX]);
void container_before_change(struct call *call, void *decided);

/* --- Replies --- */

enum blob_fields { FIELDS_LISTED, FIELDS_LISTED_COPY, FIELDS_ALL };

/* What is shown of a blob or a snapshot, except its name and metadata. */
void blob_reply_fields(struct reply_map *map, const struct blob *blob, bool snapshot, enum blob_fields fields,
                       int64_t now_ms);

/* The feed's state; NULL for no feed. */
void container_reply_feed(struct reply_map *map, const struct feed *feed);

#endif
