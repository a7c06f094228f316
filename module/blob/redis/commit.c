/* The second half of every writing command: from the decided change to the world that knows of it. */
#include "blob/blocks.h"
#include "blob/redis/handlers.h"
#include "core/name.h"
#include "lease/redis/handlers.h"
#include "server/audience.h"
#include "server/effect.h"
#include "server/histogram.h"
#include "server/upkeep.h"
#include "server/wait.h"

/* Staged blocks that one command drops in passing. */
enum { SWEPT_MOST = 1000 };

struct stamp commit_stamp(int64_t now_ms) {
    return (struct stamp){version_mint(now_ms), now_ms};
}

/* What has been decided fits. If it does not, it must not go unseen. */
static void apply(struct call *call, struct blob *blob, const struct container_change *change) {
    switch (change->kind) {
    case CONTAINER_CREATE:
        call->value = container_new(change);
        RedisModule_ModuleTypeSetValue(call->key, container_aggregate.type, call->value);
        break;
    case CONTAINER_DROP: RedisModule_UnlinkKey(call->key); break;
    default:
        if (!container_apply(call->value, blob, change)) effect_complain(call->ctx, EFFECT_MISFIT);
    }
}

/* Who waits for a blob may care for its content, for its lease, or for its end. */
static void tell_waiters(const struct call *call, const struct container_change *change) {
    if (change->kind == CONTAINER_LEASE || change->kind == BLOB_LEASE) {
        wait_look(call, WAIT_LEASE, change->name);
    } else if (container_change_has_name(change->kind)) {
        wait_look(call, WAIT_NEWS, change->name);
        wait_look(call, WAIT_LEASE, change->name);
    }
}

static void note_expiry(const struct call *call, const struct lease *lease) {
    lease_stats.expiries++;
    histogram_add(HISTOGRAM_HOLDING, lease->ends_ms - lease->since_ms);
    call_event(call, LEASE_EXPIRED_EVENT);
}

/* The change may borrow from what it replaces, so its record is written before it is applied. Nothing is recorded when
 * nobody listens; a client that waited is served in a context that has no command of its own to be counted. */
static void carry_out(struct call *call, struct blob *blob, const struct container_change *change,
                      RedisModuleString *content) {
    bool heard = call->mode != CALL_FRESH || audience_present(call->ctx);
    if (call->value) container_settle(call->value);
    struct record_writer record;
    record_start(&record);
    if (heard) container_change_write(change, &record);
    if (change->expired) note_expiry(call, blob ? blob_lease(blob) : container_lease(call->value));
    apply(call, blob, change);
    if (heard)
        effect_send(call, &record, content);
    else
        effect_unheard(call);
    record_end(&record);
    if (container_change_event(change)) call_changed(call, container_change_event(change));
    if (wait_anybody()) tell_waiters(call, change);
}

/* Staged blocks that have waited too long go with the upkeep, and some in passing with each change. */
static void sweep(struct call *call) {
    char name[NAME_MAX_BYTES];
    struct bytes found;
    if (!container_overdue(call->value, call_now_ms(call), &found)) return;
    struct blob *blob = container_find(call->value, found);
    memcpy(name, found.data, found.length); /* it may go with the blob */
    struct container_change change = {
        .kind = BLOB_UNSTAGE, .name = bytes_of(name, found.length), .count = SWEPT_MOST};
    carry_out(call, blob, &change, NULL);
}

int64_t container_upkeep(struct call *call) {
    sweep(call);
    int64_t due_ms = container_due_ms(call->value);
    return due_ms == INT64_MAX ? UPKEEP_NEVER : due_ms;
}

/* Where the handler saw nothing, there may still be staged blocks whose time is up. */
static struct blob *overdue(const struct call *call, const struct container_change *change) {
    const struct container *container = call->value;
    bool any = container && container_change_has_name(change->kind) && deadlines_first(&container->stagings);
    return any ? container_find(container, change->name) : NULL;
}

void container_commit(struct call *call, struct blob *blob, const struct container_change *change,
                      RedisModuleString *content) {
    bool begins = change->kind == BLOB_STAGE && !(blob && blob_special(blob)->staging);
    struct blob *hidden = blob ? NULL : overdue(call, change);
    if (hidden) {
        struct container_change whole = *change;
        whole.drops_staged = true;
        carry_out(call, hidden, &whole, content);
    } else {
        carry_out(call, blob, change, content);
    }
    if (begins)
        upkeep_expect(RedisModule_GetSelectedDb(call->ctx), call_word(call, ARG_CONTAINER),
                      staging_due_ms(change->touched_ms));
    if (change->kind != CONTAINER_DROP && call->mode == CALL_FRESH) sweep(call);
}

/* --- What LEASE.* needs to know of containers --- */

/* A name with nothing but staged blocks is there as long as they are. */
static bool is_there(const struct blob *blob, int64_t now_ms) {
    return blob_exists(blob) || staging_of(blob, now_ms);
}

static enum outcome find_subject(struct call *call, struct lease_subject *subject) {
    struct container *container = call->value;
    *subject = (struct lease_subject){.name = bytes_of("", 0), .noun = "container"};
    if (args_given(&call->args, SLOT_FILE)) {
        call_note(call, "a container has no files, use BLOB");
        return OUTCOME_INVALID_VALUE;
    }
    if (!args_given(&call->args, SLOT_BLOB)) {
        subject->stamp = &container->stamp;
        subject->lease = container_lease(container);
        return OUTCOME_DONE;
    }
    subject->name = call_word(call, call->args.slots[SLOT_BLOB].at);
    struct blob *blob = container_find(container, subject->name);
    if (!is_there(blob, call_now_ms(call))) return OUTCOME_BLOB_NOT_FOUND;
    if (call->command->key != KEY_READ && blob_is_being_copied(blob)) return OUTCOME_PENDING_COPY;
    subject->noun = "blob";
    subject->object = blob;
    subject->stamp = blob_stamp(blob);
    subject->lease = blob_lease(blob);
    return OUTCOME_DONE;
}

static void commit_lease(struct call *call, const struct lease_subject *subject, const struct lease *next,
                         enum lease_event event, bool expired) {
    struct container_change change = {
        .kind = subject->object ? BLOB_LEASE : CONTAINER_LEASE,
        .name = subject->name,
        .lease = *next,
        .event = event,
        .expired = expired,
    };
    container_commit(call, subject->object, &change, NULL);
}

static const struct order_index *leased(const void *value) {
    return &((const struct container *)value)->leased;
}

static const struct lease *lease_of(struct entry *entry) {
    return blob_lease(blob_of_entry(entry));
}

static bool leased_is_there(struct call *call, struct entry *entry) {
    return is_there(blob_of_entry(entry), call_now_ms(call));
}

const struct lease_home container_leases = {
    .find = find_subject,
    .commit = commit_lease,
    .leased = leased,
    .lease_of = lease_of,
    .there = leased_is_there,
};
