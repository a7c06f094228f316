/* What LEASE.* needs to know of containers and blobs. */
#include "blob/redis/blob_commands.h"
#include "lease/redis/lease_home.h"
#include "lease/redis/leases.h"

/* A name that has only staged blocks exists until they expire. */
static bool is_there(const struct blob *blob, int64_t now_ms) {
    return blob_exists(blob) || blob_staging(blob, now_ms);
}

static enum outcome find_leased_blob(struct call *call, struct lease_subject *subject) {
    subject->name = call_option(call, SLOT_BLOB);
    struct blob *blob = container_find(call->value, subject->name);
    if (!is_there(blob, call_now_ms(call))) return OUTCOME_BLOB_NOT_FOUND;
    if (call->command->key != KEY_READ && blob_is_being_copied(blob)) return OUTCOME_PENDING_COPY;
    subject->noun = "blob";
    subject->object = blob;
    subject->stamp = blob_stamp(blob);
    subject->lease = blob_lease(blob);
    return OUTCOME_DONE;
}

static void decide_blob_lease(struct call *call, const struct lease_subject *subject,
                              const struct lease *next, enum lease_event event, bool expired) {
    struct container_change *change = container_decide(call, subject->object ? BLOB_LEASE : CONTAINER_LEASE);
    change->name = subject->name;
    change->lease = *next;
    change->event = event;
    change->expired = expired;
    change->sought = true;
    change->blob = subject->object;
}

static const struct lease *lease_of_blob(struct entry *entry) {
    return blob_lease(blob_of_entry(entry));
}

static bool leased_blob_is_there(struct call *call, struct entry *entry) {
    return is_there(blob_of_entry(entry), call_now_ms(call));
}

static const struct lease *container_lease_set_by(const void *decided) {
    const struct container_change *change = decided;
    return change->kind == BLOB_LEASE || change->kind == CONTAINER_LEASE ? &change->lease : NULL;
}

const struct lease_home container_leases = {
    .noun = "container",
    .own_noun = LEASE_OF_CONTAINER,
    .stamp_at = offsetof(struct container, stamp),
    .lease_at = offsetof(struct container, lease),
    .leased_at = offsetof(struct container, leased),
    .object_slot = SLOT_BLOB,
    .foreign_slot = SLOT_FILE,
    .foreign_note = "a container has no files, use BLOB",
    .set_by = container_lease_set_by,
    .find = find_leased_blob,
    .decide = decide_blob_lease,
    .lease_of = lease_of_blob,
    .exists = leased_blob_is_there,
};
