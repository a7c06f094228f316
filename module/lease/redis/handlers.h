/* LEASE.*, for every family that has something to lease, and what the families' own commands say of leases. */
#ifndef HOLDFAST_LEASE_HANDLERS_H
#define HOLDFAST_LEASE_HANDLERS_H

#include "core/order_index.h"
#include "lease/lease.h"
#include "server/call/decision.h"
#include "server/call/refusal.h"
#include "server/call/reply.h"
#include "server/operator/doctor.h"
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

/* The object that is leased. */
struct lease_subject {
    struct bytes name; /* empty for the aggregate itself */
    uint64_t buffer;   /* for a name that is not stored anywhere else */
    const char *noun;
    void *object; /* the family's object; NULL for the aggregate itself */
    const struct stamp *stamp;
    const struct lease *lease;
    bool endless; /* leases without end only: nothing to renew, and breaking one ends it */
};

/* What LEASE.* needs to know of a family. */
struct lease_home {
    const char *noun; /* of the value */
    int object_slot;  /* of the option that names an object of the value */
    int foreign_slot; /* of the option that names an object of another family */
    const char *foreign_note;
    /* The name of an object as transactions compare it. NULL if that is the name itself. */
    struct bytes (*target_name)(struct bytes name, struct targets *targets);
    /* Finds the object that the call names. The subject is that of the value, without stamp and lease. */
    enum outcome (*find)(struct call *call, struct lease_subject *subject);
    /* Clears expired state around the subject before a decision. May be NULL. */
    void (*settle)(struct call *call);
    /* Decides the change by which the lease becomes the next one. */
    void (*decide)(struct call *call, const struct lease_subject *subject, const struct lease *next,
                   enum lease_event event, bool expired);
    const struct order_index *(*leased)(const void *value); /* no root while there are none */
    const struct stamp *(*own_stamp)(const void *value);
    const struct lease *(*own)(const void *value); /* the value's own lease; never NULL */
    const struct lease *(*lease_of)(struct entry *entry);
    /* The lease that a change sets; NULL for none. */
    const struct lease *(*set_by)(const void *change);
    /* Whether the entry's object still exists: it may have expired. */
    bool (*exists)(struct call *call, struct entry *entry);
    /* The display name of an entry's object. Returns a buffer that the caller frees, or NULL when the name is the
     * entry's own. NULL if that holds for all entries. */
    char *(*display_name)(struct entry *entry, struct bytes *name);
    /* Its length. */
    size_t (*display_length)(struct entry *entry);
    /* The name of the object's line of waiters, perhaps in the buffer. NULL if that is the entry's name. */
    struct bytes (*line_name)(struct entry *entry, uint64_t *buffer);
    /* The checks on a lease that begins, besides those of existing leases. May be NULL. */
    enum outcome (*check_begin)(struct call *call, const struct lease_subject *subject);
};

extern struct wait_kind lease_wait;

/* For INFO, before a change: counts what happens to a lease, and first that it has expired. `next` is read only if the
 * event has a name. */
void lease_count(struct call *call, const struct lease *before, const struct lease *next,
                 enum lease_event event, bool expired);

/* Adds to the call's refusal who holds the lease, for how long, and how many wait. */
void lease_note_holder(struct call *call, const struct lease *lease, struct bytes name);

/* lease-state, lease-status and lease-duration. */
void reply_lease_fields(struct reply_map *map, const struct lease *lease, int64_t now_ms);

void lease_info(RedisModuleInfoCtx *ctx);

/* --- For DOCTOR --- */

/* How long leases that have ended were held. */
extern struct histogram lease_holding_ms;

/* Whether somebody may hold a lease for longer than usual: see data_type.h. */
bool lease_is_notable(const struct data_type *type, const void *value, const void *change);

extern const struct doctor_rule lease_rules[], lease_key_rules[];

#endif
