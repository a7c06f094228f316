/* The handlers of CONTAINER.* and BLOB.*, and what they share. */
#ifndef HOLDFAST_BLOB_COMMANDS_H
#define HOLDFAST_BLOB_COMMANDS_H

#include "blob/container.h"
#include "server/command.h"
#include "server/reply.h"
#include "server/settings.h"

/* Where the parser leaves the options that only this family has. */
enum {
    SLOT_ACCESS = SLOT_FAMILY,
    SLOT_RANGE,
    SLOT_PREFIX,
    SLOT_DELIMITER,
    SLOT_INCLUDE,
};

/* The words of INCLUDE, as bits. */
enum { INCLUDE_META = 1 };

extern struct aggregate container_aggregate;
extern const struct lease_home container_leases;
extern const char *const access_words[];
extern const char *const include_words[];

enum outcome container_create(struct call *call);
enum outcome container_get(struct call *call);
enum outcome container_getmeta(struct call *call);
enum outcome container_setmeta(struct call *call);
enum outcome container_getacl(struct call *call);
enum outcome container_setacl(struct call *call);
enum outcome container_delete(struct call *call);

void blob_expect(struct call *call);
enum outcome blob_put_check(struct call *call);
enum outcome blob_put(struct call *call);
enum outcome blob_get(struct call *call);
enum outcome blob_stat(struct call *call);
enum outcome blob_setprops(struct call *call);
enum outcome blob_getmeta(struct call *call);
enum outcome blob_setmeta(struct call *call);
enum outcome blob_delete(struct call *call);
enum outcome blob_list(struct call *call);

/* The largest content that BLOB.PUT takes. */
extern long long max_blob_bytes;

/* Everything that is shown of a blob but its name and metadata. */
void reply_blob_fields(struct reply_list *map, const struct blob *blob, int64_t now_ms);

/* A new ETag, and the instant that goes with it. */
struct stamp commit_stamp(int64_t now_ms);

/* What follows every decision to change something: apply, send the effect, tell. The content's argument, if
 * any, travels with the effect. A change of the kind CHANGE_CREATE makes the call's value. */
void commit_change(struct call *call, struct blob *blob, const struct change *change,
                   RedisModuleString *content);

#endif
