/* Leases: one holder at a time, by an id that only the holder knows.
 *
 *                    acquire                      break
 *   AVAILABLE ─────────────────────▶ LEASED ──────────────────▶ BREAKING
 *       ▲      release, or a write     │ time                      │ time
 *       ├──────────────────────────────┼───────────────┐           │
 *       │                              ▼               │           ▼
 *       └───────────── a write ──── EXPIRED         BROKEN ◀───────┘
 *
 * The stored state is one of three: free, held until an instant, or breaking until an instant. EXPIRED and BROKEN
 * are computed from it and the current time. A freed lease keeps its last id, to answer calls that still use it.
 *
 * The tables in lease.c are the storage service's own, cell by cell. They take a lease and a request and return an
 * outcome and, on success, the next state of the lease; nothing here modifies anything or reads a clock. */
#ifndef HOLDFAST_LEASE_H
#define HOLDFAST_LEASE_H

#include "change/layout.h"
#include "core/account.h"
#include "core/guid.h"
#include "core/outcome.h"
#include "core/version.h"

enum { LEASE_OWNER_MAX_BYTES = 256, LEASE_BREAK_MAX_SECONDS = 60 };

#define LEASE_FOREVER INT64_MAX

enum lease_kind { LEASE_FREE, LEASE_HELD, LEASE_ENDING, LEASE_KINDS };

enum lease_state { LEASE_AVAILABLE, LEASE_LEASED, LEASE_BREAKING, LEASE_BROKEN, LEASE_EXPIRED, LEASE_STATES };

/* A lease as it is decided and written to records; the owner is borrowed. A zeroed lease means: never leased. */
struct lease {
    enum lease_kind kind;
    struct guid id;      /* of the holder, or of the last one */
    version token;       /* the fencing token: greater for each new holder */
    int64_t duration_ms; /* DURATION_INFINITE_MS, or the time that renewing gives */
    int64_t since_ms;    /* when the current holder got it */
    int64_t ends_ms;     /* of the lease, or of the break period; LEASE_FOREVER */
    struct bytes owner;  /* a label for people */
};

enum lease_state lease_state(const struct lease *lease, int64_t now_ms);

static inline bool lease_locked(enum lease_state state) {
    return state == LEASE_LEASED || state == LEASE_BREAKING;
}

/* Remaining time of the lock; LEASE_FOREVER, or 0 when not locked. */
int64_t lease_remaining_ms(const struct lease *lease, int64_t now_ms);

/* The events by which leases change, for notifications. Changes from files are quiet. */
enum lease_event {
    LEASE_EVENT_QUIET,
    LEASE_EVENT_ACQUIRED,
    LEASE_EVENT_RENEWED,
    LEASE_EVENT_CHANGED,
    LEASE_EVENT_RELEASED,
    LEASE_EVENT_BROKEN,
    LEASE_EVENTS
};

/* NULL for LEASE_EVENT_QUIET. */
const char *lease_event_name(enum lease_event event);

#define LEASE_EXPIRED_EVENT "lease.expired"

/* --- Operations on leases: success gives *next --- */

struct lease_request {
    int64_t now_ms;
    struct guid id;       /* renew, change, release: the one that the caller holds */
    bool proposes;        /* acquire: an id was proposed */
    struct guid proposed; /* acquire, change; when acquiring without a proposal, a random one */
    int64_t duration_ms;  /* acquire */
    struct bytes owner;   /* acquire */
    int64_t period_ms;    /* break; negative when not given */
};

/* On success the caller mints a token when lease_needs_token says so. */
enum outcome lease_acquire(const struct lease *lease, const struct lease_request *request,
                           struct lease *next);
enum outcome lease_renew(const struct lease *lease, const struct lease_request *request, struct lease *next);
enum outcome lease_change(const struct lease *lease, const struct lease_request *request, struct lease *next);
enum outcome lease_release(const struct lease *lease, const struct lease_request *request,
                           struct lease *next);
enum outcome lease_break(const struct lease *lease, const struct lease_request *request, struct lease *next);

/* A new holder has another id than a holder before, or comes after a time without one. */
bool lease_needs_token(const struct lease *lease, const struct lease *next, int64_t now_ms);

/* --- The gate: may an operation on the data pass? --- */

enum lease_use { LEASE_READ, LEASE_WRITE };

/* What is leased: the refusals are named after it. */
enum lease_noun { LEASE_OF_BLOB, LEASE_OF_CONTAINER, LEASE_OF_FILE, LEASE_OF_SHARE, LEASE_NOUNS };

/* id is NULL when the caller gave none. */
enum outcome lease_check_use(const struct lease *lease, enum lease_noun noun, const struct guid *id,
                             enum lease_use use, int64_t now_ms);

/* Whether a write that was allowed clears this lease, except for its last id. */
bool lease_ended(const struct lease *lease, int64_t now_ms);

/* Whether breaking left the lease as it was. */
bool lease_unmoved(const struct lease *a, const struct lease *b);

/* The state after a write cleared an ended lease. */
struct lease lease_freed(const struct lease *lease);

/* --- Stored leases --- */

/* A lease that was never set. */
extern const struct lease lease_none;

static inline const struct lease *lease_or_none(const struct lease *lease) {
    return lease ? lease : &lease_none;
}

/* Whether somebody holds it, or did until its time ended. It may be NULL. */
static inline bool lease_is_set(const struct lease *lease) {
    return lease && lease->kind != LEASE_FREE;
}

/* One allocation, with the owner's label after the lease. */
struct lease *lease_new(const struct lease *lease);

/* Stores a lease in the place of another one, and in its memory if that fits. NULL, or a lease that was never granted,
 * leaves NULL. */
void lease_replace(struct account *account, struct lease **place, const struct lease *lease);

/* Call it after the allocation has moved. */
void lease_moved(struct lease *lease);

/* Of a struct lease in a record. */
extern const struct own_codec lease_codec;

#endif
