#include "lease/lease.h"

#include "core/duration.h"
#include "core/memory.h"
#include "core/number.h"

const char *lease_event_name(enum lease_event event) {
    static const char *const names[LEASE_EVENTS] = {
        NULL, "lease.acquire", "lease.renew", "lease.change", "lease.release", "lease.break",
    };
    return names[event];
}

enum lease_state lease_state(const struct lease *lease, int64_t now_ms) {
    switch (lease->kind) {
    case LEASE_HELD: return now_ms < lease->ends_ms ? LEASE_LEASED : LEASE_EXPIRED;
    case LEASE_ENDING: return now_ms < lease->ends_ms ? LEASE_BREAKING : LEASE_BROKEN;
    default: return LEASE_AVAILABLE;
    }
}

int64_t lease_remaining_ms(const struct lease *lease, int64_t now_ms) {
    if (!lease_locked(lease_state(lease, now_ms))) return 0;
    return lease->ends_ms == LEASE_FOREVER ? LEASE_FOREVER : lease->ends_ms - now_ms;
}

/* The cells of the tables: a refusal, or what to do. */
enum cell {
    GRANT,  /* a new lease for the proposed id */
    EXTEND, /* the same lease, its full duration anew */
    RENAME, /* the same lease under the proposed id */
    FREE,
    KEEP,
    BREAK_NOW,
    BREAK_END,  /* when the lease or the break period ends */
    BREAK_SOON, /* when the lease or the break period ends, or the new break period if that is sooner */
    /* Refusals: see refusal_of_cell(). */
    PRESENT,
    NOT_ACQUIRED,
    MISMATCH,
    NO_LEASE,
    NOT_RENEWED,
    NOT_CHANGED,
};

/* clang-format off */

enum { NO_PROPOSAL, PROPOSES_A, PROPOSES_B };
static const enum cell acquire_cells[3][LEASE_STATES] = {
    /*               Available Leased(A) Breaking(A)   Broken(A) Expired(A) */
    [NO_PROPOSAL] = {GRANT,    PRESENT,  PRESENT,      GRANT,    GRANT},
    [PROPOSES_A]  = {GRANT,    GRANT,    NOT_ACQUIRED, GRANT,    GRANT},
    [PROPOSES_B]  = {GRANT,    PRESENT,  PRESENT,      GRANT,    GRANT},
};

enum { ID_A, ID_B };
static const enum cell renew_cells[2][LEASE_STATES] = {
    /*        Available Leased(A) Breaking(A)  Broken(A)    Expired(A), not written since */
    [ID_A] = {MISMATCH, EXTEND,   NOT_RENEWED, NOT_RENEWED, EXTEND},
    [ID_B] = {MISMATCH, MISMATCH, MISMATCH,    MISMATCH,    MISMATCH},
};

enum { A_TO_B, A_TO_A, B_TO_A, B_TO_C };
static const enum cell change_cells[4][LEASE_STATES] = {
    /*          Available Leased(A) Breaking(A)  Broken(A) Expired(A) */
    [A_TO_B] = {NO_LEASE, RENAME,   NOT_CHANGED, NO_LEASE, NO_LEASE},
    [A_TO_A] = {NO_LEASE, RENAME,   NOT_CHANGED, NO_LEASE, NO_LEASE},
    [B_TO_A] = {NO_LEASE, RENAME,   MISMATCH,    NO_LEASE, NO_LEASE},
    [B_TO_C] = {NO_LEASE, MISMATCH, MISMATCH,    NO_LEASE, NO_LEASE},
};

static const enum cell release_cells[2][LEASE_STATES] = {
    /*        Available Leased(A) Breaking(A) Broken(A) Expired(A) */
    [ID_A] = {MISMATCH, FREE,     FREE,       FREE,     FREE},
    [ID_B] = {MISMATCH, MISMATCH, MISMATCH,   MISMATCH, MISMATCH},
};

enum { NO_PERIOD, PERIOD_ZERO, PERIOD };
enum { BREAK_AVAILABLE, BREAK_INFINITE, BREAK_FINITE, BREAK_BREAKING, BREAK_BROKEN, BREAK_EXPIRED, BREAK_COLUMNS };
static const enum cell break_cells[3][BREAK_COLUMNS] = {
    /*               Available Leased ∞    Leased n    Breaking    Broken Expired */
    [NO_PERIOD]   = {NO_LEASE, BREAK_NOW,  BREAK_END,  KEEP,       KEEP,  BREAK_NOW},
    [PERIOD_ZERO] = {NO_LEASE, BREAK_NOW,  BREAK_NOW,  BREAK_NOW,  KEEP,  BREAK_NOW},
    [PERIOD]      = {NO_LEASE, BREAK_SOON, BREAK_SOON, BREAK_SOON, KEEP,  BREAK_NOW},
};

/* clang-format on */

static enum outcome refusal_of_cell(enum cell cell) {
    switch (cell) {
    case PRESENT: return OUTCOME_LEASE_PRESENT;
    case NOT_ACQUIRED: return OUTCOME_LEASE_BREAKING_ACQUIRE;
    case MISMATCH: return OUTCOME_LEASE_MISMATCH;
    case NO_LEASE: return OUTCOME_LEASE_NOT_PRESENT;
    case NOT_RENEWED: return OUTCOME_LEASE_BROKEN_RENEW;
    case NOT_CHANGED: return OUTCOME_LEASE_BREAKING_CHANGE;
    default: return OUTCOME_DONE;
    }
}

/* When a lease or a break period that begins now ends. A finite duration has a finite end,
 * however far away. */
static int64_t lease_end_of(int64_t now_ms, int64_t duration_ms) {
    if (duration_ms < 0) return LEASE_FOREVER;
    return duration_ms < LEASE_FOREVER - now_ms ? now_ms + duration_ms : LEASE_FOREVER - 1;
}

static void grant_lease(const struct lease *lease, const struct lease_request *request, struct lease *next) {
    bool again = lease_state(lease, request->now_ms) == LEASE_LEASED;
    *next = (struct lease){
        .kind = LEASE_HELD,
        .id = request->proposed,
        .token = lease->token,
        .duration_ms = request->duration_ms,
        .since_ms = again ? lease->since_ms : request->now_ms,
        .ends_ms = lease_end_of(request->now_ms, request->duration_ms),
        .owner = request->owner,
    };
}

static enum outcome act_by_cell(enum cell cell, const struct lease *lease,
                                const struct lease_request *request, struct lease *next) {
    *next = *lease;
    switch (cell) {
    case GRANT: grant_lease(lease, request, next); break;
    case EXTEND: next->ends_ms = lease_end_of(request->now_ms, lease->duration_ms); break;
    case RENAME: next->id = request->proposed; break;
    case FREE: *next = lease_freed(lease); break;
    case BREAK_NOW:
        next->ends_ms = request->now_ms;
        next->kind = LEASE_ENDING;
        break;
    case BREAK_END: next->kind = LEASE_ENDING; break;
    case BREAK_SOON:
        next->ends_ms = number_min(lease->ends_ms, lease_end_of(request->now_ms, request->period_ms));
        next->kind = LEASE_ENDING;
        break;
    default: break;
    }
    return refusal_of_cell(cell);
}

enum outcome lease_acquire(const struct lease *lease, const struct lease_request *request,
                           struct lease *next) {
    int row = !request->proposes                         ? NO_PROPOSAL
              : guid_equal(request->proposed, lease->id) ? PROPOSES_A
                                                         : PROPOSES_B;
    return act_by_cell(acquire_cells[row][lease_state(lease, request->now_ms)], lease, request, next);
}

enum outcome lease_renew(const struct lease *lease, const struct lease_request *request, struct lease *next) {
    int row = guid_equal(request->id, lease->id) ? ID_A : ID_B;
    return act_by_cell(renew_cells[row][lease_state(lease, request->now_ms)], lease, request, next);
}

enum outcome lease_change(const struct lease *lease, const struct lease_request *request,
                          struct lease *next) {
    bool from_a = guid_equal(request->id, lease->id), to_a = guid_equal(request->proposed, lease->id);
    int row = from_a ? (to_a ? A_TO_A : A_TO_B) : (to_a ? B_TO_A : B_TO_C);
    return act_by_cell(change_cells[row][lease_state(lease, request->now_ms)], lease, request, next);
}

enum outcome lease_release(const struct lease *lease, const struct lease_request *request,
                           struct lease *next) {
    int row = guid_equal(request->id, lease->id) ? ID_A : ID_B;
    return act_by_cell(release_cells[row][lease_state(lease, request->now_ms)], lease, request, next);
}

static int break_column(const struct lease *lease, int64_t now_ms) {
    switch (lease_state(lease, now_ms)) {
    case LEASE_LEASED: return lease->ends_ms == LEASE_FOREVER ? BREAK_INFINITE : BREAK_FINITE;
    case LEASE_BREAKING: return BREAK_BREAKING;
    case LEASE_BROKEN: return BREAK_BROKEN;
    case LEASE_EXPIRED: return BREAK_EXPIRED;
    default: return BREAK_AVAILABLE;
    }
}

enum outcome lease_break(const struct lease *lease, const struct lease_request *request, struct lease *next) {
    int row = request->period_ms < 0 ? NO_PERIOD : request->period_ms == 0 ? PERIOD_ZERO : PERIOD;
    return act_by_cell(break_cells[row][break_column(lease, request->now_ms)], lease, request, next);
}

bool lease_needs_token(const struct lease *lease, const struct lease *next, int64_t now_ms) {
    if (next->kind != LEASE_HELD) return false;
    enum lease_state before = lease_state(lease, now_ms);
    bool same_holder = guid_equal(lease->id, next->id) && next->since_ms == lease->since_ms;
    return !(same_holder && (before == LEASE_LEASED || before == LEASE_EXPIRED));
}

/* --- The gate --- */

/* clang-format off */

enum { WRITE_BARE, READ_BARE, ID_ACTIVE, ID_OTHER, ID_LAST, GATE_COLUMNS };
/* TOO_LATE is a wrong id while the lease is being broken. */
enum { PASS, MISSING, WRONG, TOO_LATE, ABSENT, LOST, GATE_ANSWERS };
static const unsigned char gate_cells[LEASE_STATES][GATE_COLUMNS] = {
    /*                    no id, write   no id, read   active id   other id   last id */
    [LEASE_AVAILABLE] = { PASS,          PASS,         ABSENT,     ABSENT,    LOST},
    [LEASE_LEASED]    = { MISSING,       PASS,         PASS,       WRONG,     WRONG},
    [LEASE_BREAKING]  = { MISSING,       PASS,         PASS,       TOO_LATE,  TOO_LATE},
    [LEASE_BROKEN]    = { PASS,          PASS,         ABSENT,     ABSENT,    LOST},
    [LEASE_EXPIRED]   = { PASS,          PASS,         ABSENT,     ABSENT,    LOST},
};

#define REFUSALS(wrong, too_late, absent, lost) \
    { OUTCOME_DONE, OUTCOME_LEASE_ID_MISSING, OUTCOME_LEASE_##wrong, OUTCOME_LEASE_##too_late, OUTCOME_LEASE_##absent, OUTCOME_LEASE_##lost }
static const unsigned char gate_outcomes[LEASE_NOUNS][GATE_ANSWERS] = {
    [LEASE_OF_BLOB]      = REFUSALS(MISMATCH_BLOB, MISMATCH_BLOB, ABSENT_BLOB, LOST),
    [LEASE_OF_CONTAINER] = REFUSALS(MISMATCH_CONTAINER, MISMATCH_CONTAINER, ABSENT_CONTAINER, LOST),
    [LEASE_OF_FILE]      = REFUSALS(MISMATCH_FILE, MISMATCH_FILE, ABSENT_FILE, ABSENT_FILE),
    [LEASE_OF_SHARE]     = REFUSALS(MISMATCH_SHARE, BREAKING_SHARE, ABSENT_SHARE, LOST),
};

/* clang-format on */

static unsigned gate_column(const struct lease *lease, enum lease_state state, const struct guid *id,
                            enum lease_use use) {
    if (!id) return use == LEASE_WRITE ? WRITE_BARE : READ_BARE;
    bool known = lease->token && guid_equal(*id, lease->id);
    if (!known) return ID_OTHER;
    return lease_locked(state) ? ID_ACTIVE : ID_LAST;
}

enum outcome lease_check_use(const struct lease *lease, enum lease_noun noun, const struct guid *id,
                             enum lease_use use, int64_t now_ms) {
    enum lease_state state = lease_state(lease, now_ms);
    return gate_outcomes[noun][gate_cells[state][gate_column(lease, state, id, use)]];
}

bool lease_ended(const struct lease *lease, int64_t now_ms) {
    enum lease_state state = lease_state(lease, now_ms);
    return state == LEASE_BROKEN || state == LEASE_EXPIRED;
}

bool lease_unmoved(const struct lease *a, const struct lease *b) {
    return a->kind == b->kind && a->ends_ms == b->ends_ms && guid_equal(a->id, b->id);
}

struct lease lease_freed(const struct lease *lease) {
    return (struct lease){.kind = LEASE_FREE, .id = lease->id, .token = lease->token, .owner = {"", 0}};
}

/* --- Stored leases --- */

void lease_moved(struct lease *lease) {
    lease->owner.data = (const char *)(lease + 1);
}

/* The label may be that of the lease that is stored there. */
static void store_lease(struct lease *stored, const struct lease *lease) {
    struct bytes owner = lease->owner;
    *stored = *lease;
    lease_moved(stored);
    if (owner.length) memmove(stored + 1, owner.data, owner.length);
}

struct lease *lease_new(const struct lease *lease) {
    struct lease *stored = memory_alloc(sizeof(*stored) + lease->owner.length);
    store_lease(stored, lease);
    return stored;
}

void lease_replace(struct account *account, struct lease **place, const struct lease *lease) {
    struct lease *before = *place;
    bool is_kept = lease && lease->token;
    if (is_kept && before && before->owner.length == lease->owner.length) {
        store_lease(before, lease);
        return;
    }
    *place = is_kept ? account_add(account, lease_new(lease)) : NULL;
    account_discard(account, before);
}

/* --- Records --- */

static void write_lease(const void *field, struct record_writer *writer) {
    const struct lease *lease = field;
    record_put_byte(writer, (uint8_t)lease->kind);
    record_put_guid(writer, lease->id);
    record_put_word(writer, lease->token);
    record_put_number(writer, (uint64_t)(lease->duration_ms + 1));
    record_put_number(writer, (uint64_t)lease->since_ms);
    record_put_number(writer, (uint64_t)lease->ends_ms);
    record_put_bytes(writer, lease->owner);
}

/* Only a held lease without a duration may be endless; a break period always has an end. */
static bool sound_end(const struct lease *lease) {
    bool endless = lease->ends_ms == LEASE_FOREVER;
    switch (lease->kind) {
    case LEASE_HELD: return endless ? lease->duration_ms == DURATION_INFINITE_MS : lease->duration_ms > 0;
    case LEASE_ENDING: return !endless;
    default: return true;
    }
}

static void read_lease(struct record_reader *reader, void *field) {
    struct lease *lease = field;
    uint8_t kind = record_byte(reader);
    lease->kind = kind;
    lease->id = record_guid(reader);
    lease->token = record_word(reader);
    lease->duration_ms = record_instant(reader) - 1;
    lease->since_ms = record_instant(reader);
    lease->ends_ms = record_instant(reader);
    lease->owner = record_bytes(reader);
    bool sound = kind < LEASE_KINDS && lease->token && lease->token <= VERSION_MAX &&
                 lease->owner.length <= LEASE_OWNER_MAX_BYTES && sound_end(lease);
    if (!sound) reader->failed = true;
}

static version token_of_lease(const void *field) {
    return ((const struct lease *)field)->token;
}

const struct lease lease_none;

const struct own_codec lease_codec = {write_lease, read_lease, token_of_lease};
