/* LEASE.*, for every family that has something to lease, and what the families' own commands say of leases. */
#ifndef HOLDFAST_LEASE_HANDLERS_H
#define HOLDFAST_LEASE_HANDLERS_H

#include "core/order_index.h"
#include "lease/lease.h"
#include "server/command.h"
#include "server/doctor.h"
#include "server/reply.h"
#include "server/settings.h"
#include "server/wait.h"

/* Where the parser leaves the options that only LEASE.* has. */
enum {
    SLOT_BLOB = SLOT_LEASING,
    SLOT_ID,
    SLOT_OWNER,
    SLOT_PERIOD,
    SLOT_FILE,
    SLOT_LEASING_END,
};
_Static_assert((int)SLOT_LEASING_END <= (int)SLOT_FAMILY, "too many options");

/* What a lease stands on. */
struct lease_subject {
    struct bytes name; /* empty for the aggregate itself */
    uint64_t room;     /* for a name that stands nowhere else */
    const char *noun;
    void *object; /* the family's own, NULL for the aggregate itself */
    const struct stamp *stamp;
    const struct lease *lease;
    bool endless; /* its leases have no end: there is nothing to renew, and to break one is to end it */
};

/* What LEASE.* has to know of a family. */
struct lease_home {
    enum outcome (*find)(struct call *call, struct lease_subject *subject);
    /* What time has ended around the subject goes before anything is decided about it. May be NULL. */
    void (*settle)(struct call *call);
    /* Decides the change by which the lease becomes the next one. */
    void (*decide)(struct call *call, const struct lease_subject *subject, const struct lease *next,
                   enum lease_event event, bool expired);
    const struct order_index *(*leased)(const void *value); /* without a root while there are none */
    const struct lease *(*own)(const void *value);          /* the value's own; as lease_of, never NULL */
    const struct lease *(*lease_of)(struct entry *entry);
    /* Whether the thing that an entry stands for is still there: time may have ended it. */
    bool (*there)(struct call *call, struct entry *entry);
    /* What the thing is called that an entry stands for; room that the caller frees, or NULL when it is the entry's own
     * name. NULL where all entries are called by their names. */
    char *(*called)(struct entry *entry, struct bytes *name);
    /* As lines of those who wait know it, perhaps in the room. NULL where that is the entry's name. */
    struct bytes (*subject_of)(struct entry *entry, uint64_t *room);
    /* Whether a lease may begin now, for reasons other than a lease. May be NULL. */
    enum outcome (*may_begin)(struct call *call, const struct lease_subject *subject);
};

struct lease_stats {
    unsigned long long grants;
    unsigned long long renewals;
    unsigned long long changes;
    unsigned long long releases;
    unsigned long long breaks;
    unsigned long long expiries;
};

extern struct lease_stats lease_stats;
extern struct wait_kind lease_wait;

/* For INFO, before a lease changes: what becomes of it, or that it has run out. */
void lease_count_change(struct call *call, const struct lease *lease, const struct lease *next,
                        enum lease_event event);
void lease_count_expiry(const struct lease *lease);
extern const struct setting lease_settings[];

/* The rules of the options' values. */
enum outcome lease_id_rule(struct bytes text);
enum outcome lease_owner_rule(struct bytes text);

enum outcome lease_acquire_give_way(struct call *call, bool late);
void lease_acquire_give_back(struct call *call, struct record_reader *granted);
void lease_settle(struct call *call);

/* Says in the call's refusal who holds the lease, for how long, and how many wait. */
void lease_note_holder(struct call *call, const struct lease *lease, struct bytes name);

/* lease-state, lease-status and lease-duration. */
void reply_lease_fields(struct reply_map *map, const struct lease *lease, int64_t now_ms);

void lease_info(RedisModuleInfoCtx *ctx);

/* --- For DOCTOR --- */

/* How long leases were held that are over. */
extern struct histogram lease_holding_ms;

/* The longest lease that can be had, but for those without end. */
int64_t lease_longest_ms(void);

/* Whether somebody may hold a lease for longer than usual: with this lease, or, when it is NULL, one of those that are
 * found in the value. */
bool lease_may_last(const struct lease_home *home, const void *value, const struct lease *lease);

extern const struct doctor_rule lease_rules[], lease_key_rules[];

#endif
