/* CONTAINER.*: from a parsed call to a decision, and from a container to a reply. */
#include "blob/redis/blob_commands.h"
#include "core/number.h"
#include "lease/redis/leases.h"
#include "server/call/conditions.h"

const char *const access_words[] = {"PRIVATE", "BLOB", "CONTAINER", NULL};

static const char *const access_names[ACCESS_KINDS] = {"private", "blob", "container"};

static enum container_access given_access(const struct call *call) {
    return (enum container_access)call_number(call, SLOT_ACCESS, ACCESS_PRIVATE);
}

/* Decides a change that gives the container a new ETag, and replies with it. */
static struct container_change *decide_container_change(struct call *call, enum container_change_kind kind) {
    struct container_change *change = container_decide(call, kind);
    change->stamp = decision_new_stamp(call);
    reply_version(&call->out, change->stamp.etag);
    return change;
}

enum outcome container_create_decide(struct call *call) {
    if (call->value) return OUTCOME_CONTAINER_EXISTS;
    struct container_change *change = decide_container_change(call, CONTAINER_CREATE);
    change->created_ms = change->stamp.modified_ms;
    change->access = given_access(call);
    change->metadata = call->metadata.list;
    return OUTCOME_DONE;
}

enum outcome container_get_decide(struct call *call) {
    const struct container *container = call->value;
    enum outcome outcome = lease_check_own(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_version(&map, "etag", container->stamp.etag);
        reply_field_number(&map, "last-modified", container->stamp.modified_ms);
        reply_field_number(&map, "created", container->created_ms);
        reply_field_bytes(&map, "access", bytes_text(access_names[container->access]));
        reply_field_number(&map, "blobs", (long long)container->committed);
        reply_field_number(&map, "bytes", number_of_sum(container->content_bytes));
        lease_reply_fields(&map, container_lease(container), call_now_ms(call));
        container_reply_feed(&map, container->feed);
        reply_field(&map, "meta");
        reply_pairs(map.out, packed_view(container->metadata));
    }
    return OUTCOME_DONE;
}

enum outcome container_getmeta_decide(struct call *call) {
    const struct container *container = call->value;
    enum outcome outcome = lease_check_own(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    reply_metadata(&call->out, container->stamp.etag, packed_view(container->metadata));
    return OUTCOME_DONE;
}

enum outcome container_getacl_decide(struct call *call) {
    const struct container *container = call->value;
    enum outcome outcome = lease_check_own(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_version(&map, "etag", container->stamp.etag);
        reply_field_bytes(&map, "access", bytes_text(access_names[container->access]));
        reply_field(&map, "policies");
        reply_policies(map.out, packed_view(container->policies));
    }
    return OUTCOME_DONE;
}

static enum outcome check_container_change(struct call *call, enum lease_use use) {
    const struct container *container = call->value;
    enum outcome outcome = lease_check_own(call, use);
    return outcome == OUTCOME_DONE ? conditions_check_object(call, &container->stamp, "container") : outcome;
}

enum outcome container_setmeta_decide(struct call *call) {
    enum outcome outcome = check_container_change(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_container_change(call, CONTAINER_SETMETA)->metadata = call->metadata.list;
    return OUTCOME_DONE;
}

enum outcome container_setacl_decide(struct call *call) {
    enum outcome outcome = check_container_change(call, LEASE_READ);
    if (outcome != OUTCOME_DONE) return outcome;
    struct container_change *change = decide_container_change(call, CONTAINER_SETACL);
    change->access = given_access(call);
    change->policies = call->policies.list;
    return OUTCOME_DONE;
}

enum outcome container_delete_decide(struct call *call) {
    enum outcome outcome = check_container_change(call, LEASE_WRITE);
    if (outcome != OUTCOME_DONE) return outcome;
    container_decide(call, CONTAINER_DROP);
    return call_done(call);
}
