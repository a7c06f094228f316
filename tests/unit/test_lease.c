/* Leases: the outcome tables of the storage service, as they stand in its specification, cell by cell. A row
 * is a request, a column what stands before it, a cell the answer and the lease that stands afterwards. */
#include "lease/lease.h"

#include "core/duration.h"
#include "draft.h"
#include "unit.h"

#include <stdio.h>

static const int64_t now_ms = 1700000000000;

static const struct guid A = {1, 10}, B = {1, 11}, C = {2, 10}, fresh = {77, 78};

/* --- The tables ----------------------------------------------------------------------------------------- */

/* PRES LeaseAlreadyPresent, BRKACQ LeaseIsBreakingAndCannotBeAcquired, MISM LeaseIdMismatchWithLeaseOperation,
 * NOTP LeaseNotPresentWithLeaseOperation, BRKREN LeaseIsBrokenAndCannotBeRenewed, BRKCHG
 * LeaseIsBreakingAndCannotBeChanged. A is the current or last id, B and C are others; d is the duration asked
 * for, p the break period, r what is left. */

enum { WIDTH = 8 }; /* of the widest table */

/* clang-format off */

static const char *const acquiring[][WIDTH] = {
    {"",               "Available",      "Leased(A)",    "Breaking(A)", "Broken(A)",      "Expired(A)"},
    {"no proposed id", "Leased(new), d", "PRES",         "PRES",        "Leased(new), d", "Leased(new), d"},
    {"proposed A",     "Leased(A), d",   "Leased(A), d", "BRKACQ",      "Leased(A), d",   "Leased(A), d"},
    {"proposed B",     "Leased(B), d",   "PRES",         "PRES",        "Leased(B), d",   "Leased(B), d"},
};

static const char *const renewing[][WIDTH] = {
    {"",     "Available", "Leased(A) inf", "Leased(A) n",     "Breaking(A)", "Broken(A)", "Expired(A)",      "Expired(A), written since"},
    {"id A", "MISM",      "Leased(A)",     "Leased(A), full", "BRKREN",      "BRKREN",    "Leased(A), full", "MISM"},
    {"id B", "MISM",      "MISM",          "MISM",            "MISM",        "MISM",      "MISM",            "MISM"},
};

static const char *const changing[][WIDTH] = {
    {"",       "Available", "Leased(A)", "Breaking(A)", "Broken(A)", "Expired(A)"},
    {"A to B", "NOTP",      "Leased(B)", "BRKCHG",      "NOTP",      "NOTP"},
    {"A to A", "NOTP",      "Leased(A)", "BRKCHG",      "NOTP",      "NOTP"},
    {"B to A", "NOTP",      "Leased(A)", "MISM",        "NOTP",      "NOTP"},
    {"B to C", "NOTP",      "MISM",      "MISM",        "NOTP",      "NOTP"},
};

static const char *const releasing[][WIDTH] = {
    {"",     "Available", "Leased(A)", "Breaking(A)", "Broken(A)", "Expired(A)"},
    {"id A", "MISM",      "Available", "Available",   "Available", "Available"},
    {"id B", "MISM",      "MISM",      "MISM",        "MISM",      "MISM"},
};

static const char *const breaking[][WIDTH] = {
    {"",            "Available", "Leased(A) inf", "Leased(A) n",        "Breaking(A)",        "Broken(A)", "Expired(A)"},
    {"no p",        "NOTP",      "Broken, 0",     "Breaking r",         "unchanged",          "Broken, 0", "Broken, 0"},
    {"p = 0",       "NOTP",      "Broken, 0",     "Broken, 0",          "Broken, 0",          "Broken, 0", "Broken, 0"},
    {"1 <= p <= 60", "NOTP",     "Breaking p",    "Breaking min(p, r)", "Breaking min(p, r)", "Broken, 0", "Broken, 0"},
};

static const char *const passing[][6] = {
    {"",                         "no id, write",    "no id, read",       "active id",          "other id",                         "last id"},
    {"Available, never leased",  "ok",              "ok",                "-",                  "LeaseNotPresentWithBlobOperation", "-"},
    {"Available, leased before", "ok",              "ok",                "-",                  "LeaseNotPresentWithBlobOperation", "LeaseLost"},
    {"Leased(A)",                "LeaseIdMissing",  "ok",                "ok",                 "LeaseIdMismatchWithBlobOperation", "-"},
    {"Breaking(A)",              "LeaseIdMissing",  "ok",                "ok, stays Breaking", "LeaseIdMismatchWithBlobOperation", "-"},
    {"Broken(A)",                "ok -> Available", "ok, stays Broken",  "-",                  "LeaseNotPresentWithBlobOperation", "LeaseLost"},
    {"Expired(A)",               "ok -> Available", "ok, stays Expired", "-",                  "LeaseNotPresentWithBlobOperation", "LeaseLost"},
};

/* clang-format on */

static const struct {
    const char *name, *code;
} short_names[] = {
    {"PRES", "LeaseAlreadyPresent"},
    {"BRKACQ", "LeaseIsBreakingAndCannotBeAcquired"},
    {"MISM", "LeaseIdMismatchWithLeaseOperation"},
    {"NOTP", "LeaseNotPresentWithLeaseOperation"},
    {"BRKREN", "LeaseIsBrokenAndCannotBeRenewed"},
    {"BRKCHG", "LeaseIsBreakingAndCannotBeChanged"},
};

static bool is(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* --- What stands before --------------------------------------------------------------------------------- */

#define HOLDER .id = {1, 10}, .token = 7, .owner = {"a holder", 8}

/* Everything that a column's name speaks of, up to the last millisecond of each state. The column's name is
 * the beginning of the lease's. */
static const struct before {
    const char *name;
    enum lease_state state;
    int64_t left_ms;
    struct lease lease; /* with instants from now on */
} befores[] = {
    {"Available, never leased", LEASE_AVAILABLE, 0, {LEASE_FREE, .owner = {"", 0}}},
    {"Available, leased before",
     LEASE_AVAILABLE,
     0,
     {LEASE_FREE, .id = {1, 10}, .token = 7, .owner = {"", 0}}},
    {"Leased(A) inf",
     LEASE_LEASED,
     LEASE_FOREVER,
     {LEASE_HELD, HOLDER, .duration_ms = -1, .since_ms = -9000}},
    {"Leased(A) n",
     LEASE_LEASED,
     20500,
     {LEASE_HELD, HOLDER, .duration_ms = 30000, .since_ms = -9500, .ends_ms = 20500}},
    {"Leased(A) n, the last millisecond",
     LEASE_LEASED,
     1,
     {LEASE_HELD, HOLDER, .duration_ms = 30000, .since_ms = -99999, .ends_ms = 1}},
    {"Leased(A) n, the first millisecond",
     LEASE_LEASED,
     60000,
     {LEASE_HELD, HOLDER, .duration_ms = 60000, .since_ms = 0, .ends_ms = 60000}},
    {"Breaking(A), once infinite",
     LEASE_BREAKING,
     10000,
     {LEASE_ENDING, HOLDER, .duration_ms = -1, .since_ms = -9000, .ends_ms = 10000}},
    {"Breaking(A), once finite",
     LEASE_BREAKING,
     10001,
     {LEASE_ENDING, HOLDER, .duration_ms = 30000, .since_ms = -9000, .ends_ms = 10001}},
    {"Breaking(A), the last millisecond",
     LEASE_BREAKING,
     1,
     {LEASE_ENDING, HOLDER, .duration_ms = 30000, .since_ms = -9000, .ends_ms = 1}},
    {"Broken(A), just now",
     LEASE_BROKEN,
     0,
     {LEASE_ENDING, HOLDER, .duration_ms = -1, .since_ms = -9000, .ends_ms = 0}},
    {"Broken(A), long ago",
     LEASE_BROKEN,
     0,
     {LEASE_ENDING, HOLDER, .duration_ms = 15000, .since_ms = -90000, .ends_ms = -80000}},
    {"Expired(A), just now",
     LEASE_EXPIRED,
     0,
     {LEASE_HELD, HOLDER, .duration_ms = 15000, .since_ms = -15000, .ends_ms = 0}},
    {"Expired(A), long ago",
     LEASE_EXPIRED,
     0,
     {LEASE_HELD, HOLDER, .duration_ms = 15000, .since_ms = -99000, .ends_ms = -84000}},
};

static struct lease standing(const struct before *before) {
    struct lease lease = before->lease;
    if (lease.kind == LEASE_FREE) return lease;
    bool forever = before->left_ms == LEASE_FOREVER;
    lease.since_ms += now_ms;
    lease.ends_ms = forever ? LEASE_FOREVER : lease.ends_ms + now_ms;
    return lease;
}

/* What a write leaves of the lease has a column of its own in one table. */
static bool column_speaks_of(const char *column, const struct before *before, struct lease *lease) {
    static const char written[] = ", written since";
    size_t length = strlen(column), behind = strlen(written);
    bool after_write = length > behind && is(column + length - behind, written);
    if (strncmp(before->name, column, after_write ? length - behind : length) != 0) return false;
    *lease = standing(before);
    if (after_write) *lease = lease_freed(lease);
    return true;
}

/* --- Requests ------------------------------------------------------------------------------------------- */

typedef enum outcome operation(const struct lease *lease, const struct lease_request *request,
                               struct lease *next);

static const int64_t acquired_ms[] = {15000, 60000, 37123, DURATION_INFINITE_MS};
static const int64_t periods_ms[] = {1000, 60000, 1, 9999, 10000, 10001, 20499, 20500, 20501, 30000};

static const struct {
    const char *name;
    struct lease_request request;
    const int64_t *durations_ms, *periods_ms; /* every one of these */
} requests[] = {
    {"no proposed id", {.proposed = {77, 78}}, acquired_ms, NULL},
    {"proposed A", {.proposes = true, .proposed = {1, 10}}, acquired_ms, NULL},
    {"proposed B", {.proposes = true, .proposed = {1, 11}}, acquired_ms, NULL},
    {"id A", {.id = {1, 10}}, NULL, NULL},
    {"id B", {.id = {1, 11}}, NULL, NULL},
    {"A to B", {.id = {1, 10}, .proposed = {1, 11}}, NULL, NULL},
    {"A to A", {.id = {1, 10}, .proposed = {1, 10}}, NULL, NULL},
    {"B to A", {.id = {1, 11}, .proposed = {1, 10}}, NULL, NULL},
    {"B to C", {.id = {1, 11}, .proposed = {2, 10}}, NULL, NULL},
    {"no p", {.period_ms = -1}, NULL, NULL},
    {"p = 0", {.period_ms = 0}, NULL, NULL},
    {"1 <= p <= 60", {.period_ms = 0}, NULL, periods_ms},
};

/* The variant of the row's request; false behind the last one. */
static bool request_of(const char *row, size_t variant, struct lease_request *request) {
    size_t i = 0;
    while (i < ARRAY_SIZE(requests) && !is(requests[i].name, row)) i++;
    require(i < ARRAY_SIZE(requests), "there is no request '%s'", row);
    *request = requests[i].request;
    request->now_ms = now_ms;
    request->owner = bytes_text("the next one");
    if (requests[i].durations_ms && variant < ARRAY_SIZE(acquired_ms))
        request->duration_ms = requests[i].durations_ms[variant];
    else if (requests[i].periods_ms && variant < ARRAY_SIZE(periods_ms))
        request->period_ms = requests[i].periods_ms[variant];
    else
        return variant == 0 && !requests[i].durations_ms && !requests[i].periods_ms;
    return true;
}

/* --- What a cell says ----------------------------------------------------------------------------------- */

struct expectation {
    enum lease_state state;
    int64_t left_ms;
    struct lease lease; /* kind and ends_ms say nothing: the state and what is left do */
    bool needs_token;
};

static struct guid id_of(const char *cell) {
    if (strstr(cell, "(new)")) return fresh;
    return strstr(cell, "(B)") ? B : A;
}

static int64_t min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t forever_or(int64_t duration_ms) {
    return duration_ms == DURATION_INFINITE_MS ? LEASE_FOREVER : duration_ms;
}

/* A new lease for d, which is the same holder's when the one before was active. */
static void expect_granted(const struct before *before, const struct lease_request *request,
                           struct expectation *expected) {
    bool goes_on = before->state == LEASE_LEASED;
    expected->state = LEASE_LEASED;
    expected->left_ms = forever_or(request->duration_ms);
    expected->lease.duration_ms = request->duration_ms;
    expected->lease.owner = request->owner;
    if (!goes_on) expected->lease.since_ms = now_ms;
    expected->needs_token = !goes_on;
}

static void expect_leased(const char *cell, const struct before *before, const struct lease_request *request,
                          struct expectation *expected) {
    expected->lease.id = id_of(cell);
    if (strstr(cell, ", d")) {
        expect_granted(before, request, expected);
        return;
    }
    expected->state = LEASE_LEASED;
    expected->needs_token = !guid_equal(expected->lease.id, A);
    if (strstr(cell, ", full")) expected->left_ms = expected->lease.duration_ms;
}

static struct expectation expectation_of(const char *cell, const struct before *before,
                                         const struct lease *lease, const struct lease_request *request) {
    struct expectation expected = {before->state, before->left_ms, *lease, false};
    if (starts(cell, "Leased")) {
        expect_leased(cell, before, request, &expected);
    } else if (is(cell, "Available")) {
        expected.state = LEASE_AVAILABLE;
        expected.left_ms = 0;
        expected.lease = (struct lease){.id = lease->id, .token = lease->token, .owner = {"", 0}};
    } else if (is(cell, "Broken, 0")) {
        expected.state = LEASE_BROKEN;
        expected.left_ms = 0;
    } else if (starts(cell, "Breaking")) {
        expected.state = LEASE_BREAKING;
        if (is(cell, "Breaking p")) expected.left_ms = request->period_ms;
        if (is(cell, "Breaking min(p, r)")) expected.left_ms = min(request->period_ms, before->left_ms);
    } else {
        require(is(cell, "unchanged"), "there is no cell '%s'", cell);
    }
    return expected;
}

static void require_expected(const struct lease *next, const struct expectation *expected,
                             const char *where) {
    const struct lease *should = &expected->lease;
    require_same(lease_state(next, now_ms), expected->state, "%s", where);
    require_same(lease_remaining_ms(next, now_ms), expected->left_ms, "%s", where);
    require(guid_equal(next->id, should->id), "%s: another id", where);
    require_same(next->token, should->token, "%s: a token is the caller's to mint", where);
    require_same(next->duration_ms, should->duration_ms, "%s", where);
    require_same(next->since_ms, should->since_ms, "%s", where);
    require_bytes(next->owner, should->owner, "%s", where);
    if (expected->left_ms == 0) return;
    bool forever = expected->left_ms == LEASE_FOREVER;
    require_same(next->ends_ms, forever ? LEASE_FOREVER : now_ms + expected->left_ms, "%s", where);
}

static const char *refused_as(const char *cell) {
    for (size_t i = 0; i < ARRAY_SIZE(short_names); i++)
        if (is(cell, short_names[i].name)) return short_names[i].code;
    return NULL;
}

static void try_cell(operation *operation, const char *row, const char *column, const char *cell,
                     const struct before *before, const struct lease *lease) {
    struct lease_request request;
    struct lease next;
    for (size_t variant = 0; request_of(row, variant, &request); variant++) {
        const struct lease untouched = *lease;
        char where[128];
        (void)snprintf(where, sizeof(where), "%s | %s (%s), variant %zu", row, column, before->name, variant);
        memset(&next, 0x5a, sizeof(next));
        enum outcome outcome = operation(lease, &request, &next);
        require(lease_same(lease, &untouched), "%s: the lease has changed", where);
        if (refused_as(cell)) {
            require(is(outcome_word(outcome), refused_as(cell)), "%s: %s, not %s", where,
                    outcome_word(outcome), refused_as(cell));
            require(is(outcome_text(outcome)->class, "CONFLICT"), "%s: not a conflict", where);
            continue;
        }
        require(outcome == OUTCOME_DONE, "%s: %s, not '%s'", where, outcome_word(outcome), cell);
        struct expectation expected = expectation_of(cell, before, lease, &request);
        require_expected(&next, &expected, where);
        require_same(lease_needs_token(lease, &next, now_ms), expected.needs_token, "%s", where);
        if (operation != lease_acquire) /* which may bring another owner or duration */
            require_same(lease_unmoved(lease, &next), lease_same(lease, &next), "%s", where);
    }
}

static void try_table(operation *operation, const char *const (*table)[WIDTH], size_t rows) {
    size_t spoken_of = 0;
    for (size_t row = 1; row < rows; row++)
        for (size_t column = 1; column < WIDTH && table[0][column]; column++)
            for (size_t i = 0; i < ARRAY_SIZE(befores); i++) {
                struct lease lease;
                if (!column_speaks_of(table[0][column], &befores[i], &lease)) continue;
                try_cell(operation, table[row][0], table[0][column], table[row][column], &befores[i], &lease);
                spoken_of++;
            }
    require(spoken_of >= (rows - 1) * ARRAY_SIZE(befores), "only %zu leases were tried", spoken_of);
}

#define TRY_TABLE(operation, table) try_table((operation), (table), ARRAY_SIZE(table))

TEST(operations_go_by_their_tables) {
    TRY_TABLE(lease_acquire, acquiring);
    TRY_TABLE(lease_renew, renewing);
    TRY_TABLE(lease_change, changing);
    TRY_TABLE(lease_release, releasing);
    TRY_TABLE(lease_break, breaking);
}

/* --- The gate ------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum lease_use use;
    const struct guid *ids[3]; /* each of these; none is no id */
} passers[] = {
    {"no id, write", LEASE_WRITE, {NULL}},
    {"no id, read", LEASE_READ, {NULL}},
    {"active id", LEASE_WRITE, {&A}},
    {"active id", LEASE_READ, {&A}},
    {"other id", LEASE_WRITE, {&B, &C, &fresh}},
    {"other id", LEASE_READ, {&B, &C, &fresh}},
    {"last id", LEASE_WRITE, {&A}},
    {"last id", LEASE_READ, {&A}},
};

static void try_passage(const struct before *before, const struct guid *id, enum lease_use use,
                        const char *cell) {
    struct lease lease = standing(before);
    enum outcome outcome = lease_check_use(&lease, LEASE_OF_BLOB, id, use, now_ms);
    if (!starts(cell, "ok")) {
        require(is(outcome_word(outcome), cell), "%s: %s, not %s", before->name, outcome_word(outcome), cell);
        require(is(outcome_text(outcome)->class, "PRECONDITION"), "%s: no precondition", before->name);
        return;
    }
    require(outcome == OUTCOME_DONE, "%s: %s, not '%s'", before->name, outcome_word(outcome), cell);
    if (use == LEASE_READ) return;
    require_same(lease_ended(&lease, now_ms), is(cell, "ok -> Available"), "%s", before->name);
    if (!lease_ended(&lease, now_ms)) return;
    struct lease left = lease_freed(&lease);
    require_same(lease_state(&left, now_ms), LEASE_AVAILABLE, "%s", before->name);
    require(lease_check_use(&left, LEASE_OF_BLOB, &A, use, now_ms) == OUTCOME_LEASE_LOST,
            "%s: the id is forgotten", before->name);
}

TEST(uses_of_leased_data_go_by_the_table) {
    size_t tried = 0;
    for (size_t row = 1; row < ARRAY_SIZE(passing); row++)
        for (size_t i = 0; i < ARRAY_SIZE(befores); i++) {
            if (!starts(befores[i].name, passing[row][0])) continue;
            for (size_t column = 1; column < ARRAY_SIZE(passing[0]); column++)
                for (size_t p = 0; p < ARRAY_SIZE(passers); p++) {
                    if (!is(passers[p].name, passing[0][column]) || is(passing[row][column], "-")) continue;
                    for (size_t id = 0; id == 0 || (id < 3 && passers[p].ids[id]); id++, tried++)
                        try_passage(&befores[i], passers[p].ids[id], passers[p].use, passing[row][column]);
                }
        }
    require_same(tried, 13 * 8 + 12 * 2, "passages were tried");
}

/* An id of zeros is an id like any other one, and that of no lease that never was. */
TEST(a_lease_that_never_was_has_no_holder) {
    const struct lease never = {LEASE_FREE, .owner = {"", 0}};
    const struct guid zero = {0, 0};
    struct lease_request request = {.now_ms = now_ms, .proposed = B, .period_ms = 1000};
    struct lease next;
    require(lease_check_use(&never, LEASE_OF_BLOB, &zero, LEASE_WRITE, now_ms) == OUTCOME_LEASE_ABSENT_BLOB,
            "a write");
    require(lease_check_use(&never, LEASE_OF_BLOB, &zero, LEASE_READ, now_ms) == OUTCOME_LEASE_ABSENT_BLOB,
            "a read");
    require(lease_renew(&never, &request, &next) == OUTCOME_LEASE_MISMATCH, "to renew");
    require(lease_release(&never, &request, &next) == OUTCOME_LEASE_MISMATCH, "to release");
    require(lease_change(&never, &request, &next) == OUTCOME_LEASE_NOT_PRESENT, "to change");
    require(lease_break(&never, &request, &next) == OUTCOME_LEASE_NOT_PRESENT, "to break");
    request = (struct lease_request){.now_ms = now_ms, .proposes = true, .duration_ms = 15000};
    require(lease_acquire(&never, &request, &next) == OUTCOME_DONE, "to acquire");
    require(lease_needs_token(&never, &next, now_ms), "a first holder needs a token");
    next.token = 9;
    require(lease_check_use(&next, LEASE_OF_BLOB, &zero, LEASE_WRITE, now_ms) == OUTCOME_DONE,
            "its holder writes");
}

/* --- Time ----------------------------------------------------------------------------------------------- */

struct look {
    int64_t at_ms; /* from the beginning on */
    enum lease_state state;
    int64_t left_ms;
};

static void watch(const struct lease *lease, const struct look *looks, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++) {
        int64_t at_ms = now_ms + looks[i].at_ms;
        bool locked = looks[i].state == LEASE_LEASED || looks[i].state == LEASE_BREAKING;
        bool ended = looks[i].state == LEASE_BROKEN || looks[i].state == LEASE_EXPIRED;
        require_same(lease_state(lease, at_ms), looks[i].state, "%s, look %zu", what, i);
        require_same(lease_remaining_ms(lease, at_ms), looks[i].left_ms, "%s, look %zu", what, i);
        require_same(lease_locked(lease_state(lease, at_ms)), locked, "%s, look %zu", what, i);
        require_same(lease_ended(lease, at_ms), ended, "%s, look %zu", what, i);
    }
}

static struct lease acquired(int64_t duration_ms) {
    const struct lease never = {LEASE_FREE, .owner = {"", 0}};
    const struct lease_request request = {
        .now_ms = now_ms, .proposes = true, .proposed = A, .duration_ms = duration_ms, .owner = {"", 0}};
    struct lease lease;
    require(lease_acquire(&never, &request, &lease) == OUTCOME_DONE, "what is free can be had");
    lease.token = 7;
    return lease;
}

static struct lease broken(const struct lease *lease, int64_t at_ms, int64_t period_ms) {
    const struct lease_request request = {.now_ms = now_ms + at_ms, .period_ms = period_ms};
    struct lease next;
    require(lease_break(lease, &request, &next) == OUTCOME_DONE, "what is leased can be broken");
    return next;
}

TEST(time_passes_to_the_millisecond) {
    static const struct look fixed[] = {{0, LEASE_LEASED, 15000},
                                        {14999, LEASE_LEASED, 1},
                                        {15000, LEASE_EXPIRED, 0},
                                        {15001, LEASE_EXPIRED, 0},
                                        {INT64_C(1) << 60, LEASE_EXPIRED, 0}};
    static const struct look forever[] = {{0, LEASE_LEASED, LEASE_FOREVER},
                                          {INT64_C(1) << 60, LEASE_LEASED, LEASE_FOREVER}};
    static const struct look soon[] = {{5000, LEASE_BREAKING, 2000},
                                       {6999, LEASE_BREAKING, 1},
                                       {7000, LEASE_BROKEN, 0},
                                       {7001, LEASE_BROKEN, 0},
                                       {99999, LEASE_BROKEN, 0}};
    static const struct look end[] = {
        {5000, LEASE_BREAKING, 10000}, {14999, LEASE_BREAKING, 1}, {15000, LEASE_BROKEN, 0}};
    static const struct look once[] = {{5000, LEASE_BROKEN, 0}, {5001, LEASE_BROKEN, 0}};
    static const struct look never[] = {{0, LEASE_AVAILABLE, 0}, {INT64_C(1) << 60, LEASE_AVAILABLE, 0}};
    struct lease finite = acquired(15000), infinite = acquired(DURATION_INFINITE_MS), lease;
    watch(&finite, fixed, ARRAY_SIZE(fixed), "a fixed lease");
    watch(&infinite, forever, ARRAY_SIZE(forever), "one without end");
    lease = broken(&finite, 5000, 2000);
    watch(&lease, soon, ARRAY_SIZE(soon), "a fixed lease, broken by a short period");
    lease = broken(&infinite, 5000, 2000);
    watch(&lease, soon, ARRAY_SIZE(soon), "one without end, broken by a period");
    lease = broken(&finite, 5000, -1);
    watch(&lease, end, ARRAY_SIZE(end), "a fixed lease, broken at its end");
    lease = broken(&finite, 5000, 60000);
    watch(&lease, end, ARRAY_SIZE(end), "a fixed lease, broken by a long period");
    lease = broken(&infinite, 5000, -1);
    watch(&lease, once, ARRAY_SIZE(once), "one without end, broken at once");
    lease = lease_freed(&finite);
    watch(&lease, never, ARRAY_SIZE(never), "what was freed");
}

/* A break that changes nothing is told from one that does. */
TEST(a_break_that_changes_nothing_is_recognised) {
    static const struct {
        int64_t at_ms, period_ms;
        bool unmoved;
    } breaks[] = {{0, -1, true},     {0, 60000, true},    {1, 59999, true}, {59999, 1, true},
                  {0, 59999, false}, {59999, 0, false},   {0, 0, false},    {60000, 0, true},
                  {60001, -1, true}, {60000, 60000, true}};
    struct lease infinite = acquired(DURATION_INFINITE_MS), lease = broken(&infinite, 0, 60000);
    require(lease_unmoved(&lease, &lease) && !lease_unmoved(&infinite, &lease), "a first break");
    for (size_t i = 0; i < ARRAY_SIZE(breaks); i++) {
        struct lease next = broken(&lease, breaks[i].at_ms, breaks[i].period_ms);
        require_same(lease_unmoved(&lease, &next), breaks[i].unmoved, "break %zu", i);
        require_same(lease_same(&lease, &next), breaks[i].unmoved, "break %zu", i);
    }
    struct lease renamed = lease;
    renamed.id = B;
    require(!lease_unmoved(&lease, &renamed), "another id");
}

/* A second break shortens, and never lengthens. */
TEST(a_break_is_only_ever_shortened) {
    struct lease infinite = acquired(DURATION_INFINITE_MS), lease = broken(&infinite, 0, 60000);
    static const struct {
        int64_t at_ms, period_ms, left_ms;
    } breaks[] = {{0, -1, 60000},     {10000, 60000, 50000}, {10000, 50001, 50000}, {10000, 49999, 49999},
                  {20000, -1, 39999}, {20000, 5000, 5000},   {24999, 60000, 1},     {25000, 60000, 0},
                  {25000, 1000, 0},   {99999, -1, 0}};
    for (size_t i = 0; i < ARRAY_SIZE(breaks); i++) {
        lease = broken(&lease, breaks[i].at_ms, breaks[i].period_ms);
        require_same(lease_remaining_ms(&lease, now_ms + breaks[i].at_ms), breaks[i].left_ms, "break %zu", i);
    }
}

/* Renewing gives the full duration anew, whatever is left or however long ago it ran out. */
TEST(renewing_begins_anew) {
    static const int64_t at_ms[] = {0, 1, 14999, 15000, 15001, INT64_C(1) << 50};
    for (size_t i = 0; i < ARRAY_SIZE(at_ms); i++) {
        struct lease lease = acquired(15000), next;
        const struct lease_request request = {.now_ms = now_ms + at_ms[i], .id = A};
        require(lease_renew(&lease, &request, &next) == OUTCOME_DONE, "renewal %zu", i);
        require_same(lease_remaining_ms(&next, request.now_ms), 15000, "renewal %zu", i);
        require_same(next.since_ms, now_ms, "renewal %zu: it is the same holder", i);
        require(!lease_needs_token(&lease, &next, request.now_ms), "renewal %zu: and the same token", i);
    }
}

/* A duration that ends behind the end of time does not end. */
TEST(the_longest_durations_do_not_wrap) {
    static const int64_t durations_ms[] = {INT64_MAX - 1, INT64_MAX - now_ms, INT64_MAX - now_ms + 1};
    for (size_t i = 0; i < ARRAY_SIZE(durations_ms); i++) {
        struct lease lease = acquired(durations_ms[i]);
        require_same(lease_state(&lease, now_ms), LEASE_LEASED, "duration %zu", i);
        require_same(lease.ends_ms, LEASE_FOREVER - 1, "duration %zu", i);
    }
    struct lease lease = acquired(INT64_MAX - now_ms - 1);
    require_same(lease_remaining_ms(&lease, now_ms + 1), INT64_MAX - now_ms - 2, "the longest that ends");
}
