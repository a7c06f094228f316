/* LEASE.*, for every family that has something to lease, and what the families' own commands say of leases. How a
 * family offers what it has is in lease_home.h. */
#ifndef HOLDFAST_LEASES_H
#define HOLDFAST_LEASES_H

#include "lease/lease.h"
#include "server/call/decision.h"
#include "server/call/refusal.h"
#include "server/call/reply.h"
#include "server/waiting/wait.h"

/* Slots of the options that only LEASE.* has. */
enum {
    SLOT_BLOB = SLOT_LEASING,
    SLOT_ID,
    SLOT_NEW_ID,
    SLOT_OWNER,
    SLOT_PERIOD,
    SLOT_FILE,
    SLOT_DURATION, /* of LEASE.ACQUIRE, read when its form is checked */
    SLOT_LEASING_END,
};
_Static_assert((int)SLOT_LEASING_END <= (int)SLOT_FAMILY, "too many options");

extern struct wait_kind lease_wait;

/* For INFO, before a change: counts what happens to a lease, and first that it has expired. `next` is read only if the
 * event has a name. */
void lease_count(struct call *call, const struct lease *before, const struct lease *next,
                 enum lease_event event, bool expired);

/* Checks what the call may do with a value whose own lease guards only its deletion: other commands need no id, but one
 * that is given must be the right one. */
enum outcome lease_check_own(struct call *call, enum lease_use use);

/* Adds to the call's refusal who holds the lease, for how long, and how many wait. */
void lease_note_holder(struct call *call, const struct lease *lease, struct bytes name);

/* lease-state, lease-status and lease-duration. */
void lease_reply_fields(struct reply_map *map, const struct lease *lease, int64_t now_ms);

void lease_info(RedisModuleInfoCtx *ctx);

/* How long leases that have ended were held. */
extern struct histogram lease_holding_ms;

#endif
