/* CONTAINER.* and BLOB.* in transactions: their targets, and how their changes combine. */
#include "blob/blocks.h"
#include "blob/redis/blob_commands.h"
#include "core/base64.h"
#include "core/targets.h"
#include "lease/lease.h"
#include "server/effects/commit.h"

static const char blob_noun[] = "blob";

void container_touches(const struct call *call, struct targets *targets) {
    (void)call;
    targets_add(targets, "container", bytes_of("", 0));
}

void blob_touches(const struct call *call, struct targets *targets) {
    targets_add(targets, blob_noun, call_word(call, ARG_BLOB));
}

void block_list_touches(const struct call *call, struct targets *targets) {
    blob_touches(call, targets);
    targets_list(targets, (size_t)call->args.slots[SLOT_BLOCKS].count, BLOCKS_COMMITTED_MAX);
}

/* Several commands may stage blocks of one blob, if nothing else changes the blob. */
void block_touches(const struct call *call, struct targets *targets) {
    struct bytes name = call_word(call, ARG_BLOB);
    char *id = targets_alloc(targets, BLOCK_ID_MAX_BYTES);
    long length = base64_read(call_word(call, ARG_BLOCK_ID), (unsigned char *)id, BLOCK_ID_MAX_BYTES);
    targets_share(targets, blob_noun, name);
    targets_add_part(targets, "block", name, bytes_of(id, (size_t)length));
}

/* An expiry is reported once. What clears an ended lease quietly leaves one that has begun anew, or was broken. */
static bool refresh_lease(struct call *call, struct container_change *change) {
    if (!change->blob) return false;
    enum lease_state state = lease_state(blob_lease(change->blob), call_now_ms(call));
    enum lease_state ended = change->expired ? LEASE_EXPIRED : LEASE_BROKEN;
    change->expired = change->expired && state == LEASE_EXPIRED;
    return change->event != LEASE_EVENT_QUIET || state == ended;
}

/* Finds the blob again, which other changes may have moved, created or deleted. */
bool container_refresh(struct call *call, void *decided) {
    struct container_change *change = decided;
    if (!container_change_has_name(change)) return true;
    const struct catalog_search *lookup = call_searched(call, change->name);
    change->blob = lookup ? container_found(call->value, lookup) : container_find(call->value, change->name);
    change->sought = true;
    return change->kind != BLOB_LEASE || refresh_lease(call, change);
}

/* --- Copies beside copies --- */

/* What a copy decides. */
static struct container_change *copy_of(const struct call *call) {
    return decision_only(call);
}

/* Whether a copy writes what another one reads. */
static bool writes_source(const struct call *writer, const struct call *reader) {
    return !copy_of(reader)->source_snapshot && bytes_equal(copy_of(writer)->name, copy_of(reader)->source) &&
           bytes_equal(call_word(writer, ARG_CONTAINER), call_word(reader, ARG_SOURCE_CONTAINER));
}

/* Takes a snapshot of the target, for copies of the transaction that read it. Nobody is told of it, neither here nor
 * where the change arrives as an effect. */
static version keep_target(struct call *writer) {
    const struct blob *target = container_find(writer->value, copy_of(writer)->name);
    struct container_change change = {.kind = BLOB_SNAPSHOT,
                                      .parts = SNAPSHOT_IS_HELPER,
                                      .name = copy_of(writer)->name,
                                      .stamp = target->stamp,
                                      .snapshot = decision_new_version(writer)};
    commit_apply(writer, &(struct decided){.change = &change});
    return change.snapshot;
}

void container_keep_sources(struct call *const *copies, size_t count) {
    for (size_t reader = 1; reader < count; reader++)
        for (size_t writer = 0; writer < reader; writer++) {
            if (!writes_source(copies[writer], copies[reader])) continue;
            struct container_change *change = copy_of(copies[writer]);
            if (!change->kept) change->kept = keep_target(copies[writer]);
            copy_of(copies[reader])->source_snapshot = change->kept;
        }
}

void container_drop_sources(struct call *const *copies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct container_change *copy = copy_of(copies[i]);
        struct container_change change = {.kind = BLOB_DELETESNAPSHOTS,
                                          .parts = SNAPSHOT_IS_HELPER,
                                          .name = copy->name,
                                          .snapshot = copy->kept};
        if (copy->kept) commit_apply(copies[i], &(struct decided){.change = &change});
    }
}
