/* LEASE.*: from a parsed call to a decision of lease.c, and from a lease to a reply. */
#include "lease/redis/leases.h"

#include "core/duration.h"
#include "core/memory.h"
#include "core/targets.h"
#include "core/text.h"
#include "lease/redis/lease_home.h"
#include "lease/redis/settings.h"
#include "server/base/data_type.h"
#include "server/base/entropy.h"
#include "server/base/info.h"
#include "server/call/conditions.h"
#include "server/call/reply_limit.h"
#include "server/waiting/grace.h"

#include "ccan/array_size/array_size.h"

enum { ARG_DURATION = 2 };

/* Since the start. */
static unsigned long long lease_events[LEASE_EVENTS], lease_expiries;

static struct histogram lease_waiting_ms;
struct histogram lease_holding_ms;
struct wait_kind lease_wait = {.discipline = WAIT_IN_TURN, .histogram = &lease_waiting_ms};

/* --- Form --- */

static bool duration_is_allowed(int64_t duration_ms) {
    return duration_ms == DURATION_INFINITE_MS ||
           (duration_ms >= lease_shortest.ms && duration_ms <= lease_longest.ms);
}

enum outcome lease_acquire_check(struct call *call) {
    int64_t duration_ms;
    if (duration_read(call_word(call, ARG_DURATION), &duration_ms) && duration_is_allowed(duration_ms)) {
        call->args.slots[SLOT_DURATION] = (struct argument){.at = ARG_DURATION, .number = duration_ms};
        call->args.given |= ARGS_BIT(SLOT_DURATION);
        return OUTCOME_DONE;
    }
    return refusal_because_format(call, OUTCOME_INVALID_VALUE,
                                  "duration must be -1 or %.15g..%.15g seconds, with at most three decimals",
                                  (double)lease_shortest.ms / 1000, (double)lease_longest.ms / 1000);
}

static struct guid id_of(const struct call *call, int slot) {
    return call->args.slots[slot].id;
}

/* --- Transactions --- */

/* A lease is a target of its own, apart from the object that has it. No key is open yet: the option that names the
 * object tells the family. */
void lease_touches(const struct call *call, struct targets *targets) {
    struct bytes name = bytes_of("", 0);
    const struct data_type *type = NULL;
    while ((type = data_type_next_leasable(type))) {
        const struct lease_home *home = type->leases;
        if (!args_given(&call->args, home->object_slot)) continue;
        name = call_option(call, home->object_slot);
        if (home->target_name) name = home->target_name(name, targets);
    }
    targets_add(targets, "lease", name);
}

enum outcome lease_missing_check(const struct call *call) {
    const struct data_type *type = NULL;
    while ((type = data_type_next_leasable(type)))
        if (args_given(&call->args, type->leases->object_slot)) return type->missing;
    return data_type_next_leasable(NULL)->missing;
}

/* --- Decisions --- */

static enum outcome find_subject(struct call *call, struct lease_subject *subject) {
    const struct lease_home *home = call->data_type->leases;
    *subject = (struct lease_subject){.name = bytes_of("", 0), .noun = home->noun};
    if (args_given(&call->args, home->foreign_slot))
        return refusal_because(call, OUTCOME_INVALID_VALUE, home->foreign_note);
    if (args_given(&call->args, home->object_slot)) return home->find(call, subject);
    subject->stamp = lease_home_stamp(home, call->value);
    subject->lease = lease_home_own(home, call->value);
    return OUTCOME_DONE;
}

/* Finds the subject of the call and checks the conditions on it. */
static enum outcome find_leased(struct call *call, struct lease_subject *subject) {
    enum outcome outcome = find_subject(call, subject);
    return outcome == OUTCOME_DONE ? conditions_check_object(call, subject->stamp, subject->noun) : outcome;
}

/* Copies the label, which may be borrowed from the current lease: another change of the transaction
 * may free that. */
static void keep_owner(struct call *call, struct lease *lease) {
    lease->owner = arena_copy(&call->arena, lease->owner);
}

/* Decides the next state of the lease, with a new token for a new holder. */
static void decide_lease(struct call *call, const struct lease_subject *subject, struct lease *next,
                         enum lease_event event) {
    int64_t now_ms = call_now_ms(call);
    bool expired = lease_state(subject->lease, now_ms) == LEASE_EXPIRED && event != LEASE_EVENT_RENEWED;
    if (lease_needs_token(subject->lease, next, now_ms)) next->token = version_mint(now_ms);
    if (call_is_part(call)) keep_owner(call, next);
    call->data_type->leases->decide(call, subject, next, event, expired);
}

/* Counts how long the holder has the lease, if this change ends it or sets its end. */
static void count_end(const struct lease *lease, const struct lease *next, int64_t now_ms) {
    if (lease_state(lease, now_ms) != LEASE_LEASED || next->kind == LEASE_HELD) return;
    histogram_add(&lease_holding_ms, (next->kind == LEASE_FREE ? now_ms : next->ends_ms) - lease->since_ms);
}

static void count_expiry(const struct lease *lease) {
    lease_expiries++;
    histogram_add(&lease_holding_ms, lease->ends_ms - lease->since_ms);
}

void lease_count(struct call *call, const struct lease *before, const struct lease *next,
                 enum lease_event event, bool expired) {
    if (expired) count_expiry(before);
    lease_events[event]++;
    if (event == LEASE_EVENT_RELEASED || event == LEASE_EVENT_BROKEN)
        count_end(before, next, call_now_ms(call));
}

void lease_settle(struct call *call) {
    if (call->data_type->leases->settle) call->data_type->leases->settle(call);
}

static void reply_holder(struct reply *out, struct guid holder, version token) {
    reply_array(out, 2);
    reply_guid(out, holder);
    reply_version(out, token);
}

/* An owner's label in a note is cut to this, with its NUL. */
enum { LEASE_OWNER_SHOWN_BYTES = 120 };

static void put_time(struct text *text, int64_t ms) {
    if (ms == LEASE_FOREVER) {
        text_put(text, " without end");
        return;
    }
    text_put(text, " for another ");
    text_put_number(text, (uint64_t)ms / 1000, 1);
    text_put(text, ".");
    text_put_number(text, (uint64_t)ms % 1000, 3);
    text_put(text, " s");
}

void lease_note_holder(struct call *call, const struct lease *lease, struct bytes name) {
    int64_t remaining_ms = lease_remaining_ms(lease, call_now_ms(call));
    struct text text = text_start(call->note, sizeof(call->note));
    text_put(&text, remaining_ms ? "held" : "free, but others come first");
    if (remaining_ms) {
        refusal_put_owner(&text, " by ", lease->owner, LEASE_OWNER_SHOWN_BYTES);
        put_time(&text, remaining_ms);
    }
    text_put(&text, ", ");
    text_put_number(&text, wait_count(call, &lease_wait, name), 1);
    text_put(&text, " waiting");
}

enum outcome lease_check_own(struct call *call, enum lease_use use) {
    const struct lease_home *home = call->data_type->leases;
    const struct lease *lease = lease_home_own(home, call->value);
    enum outcome outcome =
        lease_check_use(lease, home->own_noun, call_lease_id(call), use, call_now_ms(call));
    if (outcome == OUTCOME_LEASE_ID_MISSING) lease_note_holder(call, lease, bytes_of("", 0));
    return outcome;
}

static struct lease_request acquire_request(struct call *call) {
    struct lease_request request = {.now_ms = call_now_ms(call)};
    request.duration_ms = call->args.slots[SLOT_DURATION].number;
    request.proposes = args_given(&call->args, SLOT_ID);
    if (request.proposes) request.proposed = call->args.slots[SLOT_ID].id;
    request.owner = call_option(call, SLOT_OWNER);
    return request;
}

/* The lease is taken, so the call may wait for it. */
static enum outcome not_yet(struct call *call, const struct lease_subject *subject, enum outcome refused) {
    int64_t due_ms = subject->lease->ends_ms == LEASE_FOREVER ? WAIT_NO_INSTANT : subject->lease->ends_ms;
    lease_note_holder(call, subject->lease, subject->name);
    return decision_not_yet(call, &lease_wait, subject->name, due_ms, refused);
}

static enum outcome check_endless(struct call *call, const struct lease_subject *subject, const char *rule) {
    if (!subject->endless) return OUTCOME_DONE;
    return refusal_because_format(call, OUTCOME_INVALID_VALUE, "the lease of a %s %s", subject->noun, rule);
}

/* Whether the caller with this id remains the holder: a lease that ran out before grace began may belong
 * to somebody else now. */
static bool remains_holder(const struct lease *lease, const struct guid *id, int64_t now_ms) {
    enum lease_state state = lease_state(lease, now_ms);
    bool within = state == LEASE_EXPIRED && lease->ends_ms >= grace.began_ms;
    return guid_equal(lease->id, *id) && (state == LEASE_LEASED || within);
}

/* The last check: there are no new holders in grace. */
static enum outcome check_grace_to_lease(struct call *call, const struct lease_subject *subject,
                                         const struct guid *id) {
    if (!grace_lasts(call)) return OUTCOME_DONE;
    if (id && remains_holder(subject->lease, id, call_now_ms(call))) return OUTCOME_DONE;
    return decision_not_yet(call, &lease_wait, subject->name, grace.ends_ms, grace_refuse(call));
}

static enum outcome check_begin(struct call *call, const struct lease_subject *subject) {
    const struct lease_home *home = call->data_type->leases;
    return home->check_begin ? home->check_begin(call, subject) : OUTCOME_DONE;
}

static void put_lease_grant(struct record_writer *grant, const struct lease *lease) {
    record_put_guid(grant, lease->id);
    record_put_word(grant, lease->token);
}

void lease_acquire_give_back(struct call *call, struct record_reader *granted) {
    struct lease_subject subject;
    struct lease next;
    struct lease_request request = {.now_ms = call_now_ms(call), .id = record_guid(granted)};
    if (find_subject(call, &subject) != OUTCOME_DONE) return;
    if (subject.lease->token != record_word(granted)) return;
    if (lease_release(subject.lease, &request, &next) == OUTCOME_DONE)
        decide_lease(call, &subject, &next, LEASE_EVENT_RELEASED);
}

/* Others come first. */
void lease_acquire_give_way(struct call *call) {
    struct lease_subject subject;
    if (find_subject(call, &subject) == OUTCOME_DONE) lease_note_holder(call, subject.lease, subject.name);
}

/* Whether the caller holds the lease already: as far as this server knows or, in grace, as far as it may. */
static bool holds_already(struct call *call, const struct lease *lease, const struct lease_request *request) {
    if (lease_locked(lease_state(lease, request->now_ms))) return true;
    return request->proposes && grace_lasts(call) &&
           remains_holder(lease, &request->proposed, request->now_ms);
}

/* A locked lease can only be acquired by its holder, who does not wait in line. */
enum outcome lease_acquire_decide(struct call *call) {
    struct lease_subject *subject = call_alloc(call, sizeof(*subject)); /* it may have the name of the line */
    struct lease next;
    enum outcome outcome = find_leased(call, subject);
    if (outcome != OUTCOME_DONE) return outcome;
    struct lease_request request = acquire_request(call);
    if (request.duration_ms != DURATION_INFINITE_MS)
        outcome = check_endless(call, subject, "must be infinite: its duration is -1");
    if (outcome != OUTCOME_DONE) return outcome;
    outcome = lease_acquire(subject->lease, &request, &next);
    if (outcome != OUTCOME_DONE) return not_yet(call, subject, outcome);
    const bool is_new = !holds_already(call, subject->lease, &request);
    if (is_new) outcome = check_begin(call, subject);
    if (outcome == OUTCOME_DONE)
        outcome = check_grace_to_lease(call, subject, request.proposes ? &request.proposed : NULL);
    if (outcome != OUTCOME_DONE) return outcome;
    if (is_new)
        decision_in_line(call, &lease_wait, subject->name);
    else
        next.since_ms = subject->lease->since_ms;
    if (!request.proposes) next.id = entropy_guid();
    decide_lease(call, subject, &next, LEASE_EVENT_ACQUIRED);
    if (call->grant && is_new) put_lease_grant(call->grant, &next);
    reply_holder(&call->out, next.id, next.token);
    return OUTCOME_DONE;
}

typedef enum outcome decision(const struct lease *lease, const struct lease_request *request,
                              struct lease *next);

/* The common part of renewing, changing, releasing and breaking. */
static enum outcome decide_lease_change(struct call *call, decision *decision, struct lease_request *request,
                                        enum lease_event event, struct lease *next) {
    struct lease_subject subject;
    enum outcome outcome = find_leased(call, &subject);
    if (outcome == OUTCOME_DONE && event == LEASE_EVENT_RENEWED)
        outcome = check_endless(call, &subject, "has no end: there is nothing to renew");
    if (outcome == OUTCOME_DONE && request->period_ms > 0)
        outcome = check_endless(call, &subject, "is broken at once: leave PERIOD out");
    if (outcome != OUTCOME_DONE) return outcome;
    request->now_ms = call_now_ms(call);
    outcome = decision(subject.lease, request, next);
    if (outcome == OUTCOME_DONE && event == LEASE_EVENT_RENEWED)
        outcome = check_grace_to_lease(call, &subject, &request->id);
    if (outcome != OUTCOME_DONE) return outcome;
    if (event == LEASE_EVENT_BROKEN && lease_unmoved(subject.lease, next))
        return OUTCOME_DONE; /* it is broken already */
    decide_lease(call, &subject, next, event);
    return OUTCOME_DONE;
}

enum outcome lease_renew_decide(struct call *call) {
    struct lease next;
    struct lease_request request = {.id = id_of(call, SLOT_ID)};
    enum outcome outcome = decide_lease_change(call, lease_renew, &request, LEASE_EVENT_RENEWED, &next);
    if (outcome == OUTCOME_DONE) reply_holder(&call->out, next.id, next.token);
    return outcome;
}

enum outcome lease_change_decide(struct call *call) {
    struct lease next;
    struct lease_request request = {.id = id_of(call, SLOT_ID), .proposed = id_of(call, SLOT_NEW_ID)};
    enum outcome outcome = decide_lease_change(call, lease_change, &request, LEASE_EVENT_CHANGED, &next);
    if (outcome == OUTCOME_DONE) reply_holder(&call->out, next.id, next.token);
    return outcome;
}

enum outcome lease_release_decide(struct call *call) {
    struct lease next;
    struct lease_request request = {.id = id_of(call, SLOT_ID)};
    enum outcome outcome = decide_lease_change(call, lease_release, &request, LEASE_EVENT_RELEASED, &next);
    return outcome == OUTCOME_DONE ? call_done(call) : outcome;
}

enum outcome lease_break_decide(struct call *call) {
    struct lease next;
    struct lease_request request = {.period_ms = call_number(call, SLOT_PERIOD, -1)};
    enum outcome outcome = decide_lease_change(call, lease_break, &request, LEASE_EVENT_BROKEN, &next);
    if (outcome != OUTCOME_DONE) return outcome;
    /* Rounded up, so that a lease that is still locked never shows 0. */
    reply_number(&call->out, (lease_remaining_ms(&next, call_now_ms(call)) + 999) / 1000);
    return OUTCOME_DONE;
}

/* --- LEASE.GET and LEASE.LIST --- */

static const char *const state_names[LEASE_STATES] = {"available", "leased", "breaking", "broken", "expired"};

static const char *status_of(enum lease_state state) {
    return lease_locked(state) ? "locked" : "unlocked";
}

static const char *duration_of(const struct lease *lease) {
    return lease->ends_ms == LEASE_FOREVER ? "infinite" : "fixed";
}

void lease_reply_fields(struct reply_map *map, const struct lease *lease, int64_t now_ms) {
    enum lease_state state = lease_state(lease, now_ms);
    reply_field_bytes(map, "lease-state", bytes_text(state_names[state]));
    reply_field_bytes(map, "lease-status", bytes_text(status_of(state)));
    if (state == LEASE_LEASED) reply_field_bytes(map, "lease-duration", bytes_text(duration_of(lease)));
}

static void reply_lease(struct call *call, const struct lease *lease, struct bytes name) {
    int64_t now_ms = call_now_ms(call), remaining_ms = lease_remaining_ms(lease, now_ms);
    enum lease_state state = lease_state(lease, now_ms);
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_bytes(&map, "state", bytes_text(state_names[state]));
        reply_field_bytes(&map, "status", bytes_text(status_of(state)));
        if (state == LEASE_LEASED) reply_field_bytes(&map, "duration", bytes_text(duration_of(lease)));
        if (lease_locked(state) && remaining_ms != LEASE_FOREVER)
            reply_field_number(&map, "remaining-ms", remaining_ms);
        if (lease->owner.length) reply_field_bytes(&map, "owner", lease->owner);
        if (lease->token) reply_field_version(&map, "token", lease->token);
        reply_field_number(&map, "waiters", (long long)wait_count(call, &lease_wait, name));
    }
}

enum outcome lease_get_decide(struct call *call) {
    struct lease_subject subject;
    enum outcome outcome = find_subject(call, &subject);
    if (outcome == OUTCOME_DONE) reply_lease(call, subject.lease, subject.name);
    return outcome;
}

enum { LEASE_PAGE_DEFAULT = 100, LEASE_PAGE_MAX = 1000, LEASES_LOOKED_AT_MAX = 5000 };

/* The bytes of a lease in a page, besides its name and label. */
enum { LEASE_REPLY_BYTES = 320 };

static struct order_cursor lease_list_start(const struct call *call) {
    const struct order_index *leased = lease_home_leased(call->data_type->leases, call->value);
    if (!leased->root) return (struct order_cursor){NULL, 0};
    return order_index_seek(leased, call_option(call, SLOT_MARKER));
}

static void reply_leased(struct call *call, const struct lease_home *home, struct entry *entry) {
    struct bytes name = entry_name(entry);
    char *display_name = home->display_name ? home->display_name(entry, &name) : NULL;
    uint64_t buffer;
    reply_array(&call->out, 2);
    reply_bytes(&call->out, name);
    reply_lease(call, home->lease_of(entry), home->line_name ? home->line_name(entry, &buffer) : name);
    memory_free(display_name);
}

static size_t leased_bytes(const struct lease_home *home, struct entry *entry) {
    size_t name_length = home->display_length ? home->display_length(entry) : entry->name_length;
    return LEASE_REPLY_BYTES + name_length + home->lease_of(entry)->owner.length;
}

static bool is_listed(struct call *call, const struct lease_home *home, struct entry *entry) {
    return lease_locked(lease_state(home->lease_of(entry), call_now_ms(call))) && home->exists(call, entry);
}

/* A page also ends after a number of entries, because leases that have ended stay in the index until a
 * command clears them. */
enum outcome lease_list_decide(struct call *call) {
    struct entry *shown[LEASE_PAGE_MAX];
    struct page_bytes taken = {0};
    size_t count = 0, max = reply_page_max(call, SLOT_PAGE_SIZE, LEASE_PAGE_DEFAULT, LEASE_PAGE_MAX);
    int looked_at = 0;
    struct order_cursor cursor = lease_list_start(call);
    const struct lease_home *home = call->data_type->leases;
    struct entry *entry;
    for (; (entry = order_cursor_entry(&cursor)) && count < max && looked_at < LEASES_LOOKED_AT_MAX;
         looked_at++) {
        if (is_listed(call, home, entry)) {
            if (!page_bytes_take(&taken, leased_bytes(home, entry))) break;
            shown[count++] = entry;
        }
        order_cursor_next(&cursor);
    }
    reply_page_begin(&call->out, entry ? entry_name(entry) : bytes_of("", 0), count);
    for (size_t i = 0; i < count; i++) reply_leased(call, home, shown[i]);
    return OUTCOME_DONE;
}

void lease_info(RedisModuleInfoCtx *ctx) {
    const struct info_number numbers[] = {
        {"lease_grants", lease_events[LEASE_EVENT_ACQUIRED]},
        {"lease_refusals",
         refusal_count(OUTCOME_LEASE_PRESENT) + refusal_count(OUTCOME_LEASE_BREAKING_ACQUIRE)},
        {"lease_renewals", lease_events[LEASE_EVENT_RENEWED]},
        {"lease_changes", lease_events[LEASE_EVENT_CHANGED]},
        {"lease_releases", lease_events[LEASE_EVENT_RELEASED]},
        {"lease_breaks", lease_events[LEASE_EVENT_BROKEN]},
        {"lease_expiries", lease_expiries},
        {"lease_waits", lease_wait.waits},
        {"lease_handoffs", lease_wait.served},
        {"lease_waiters", lease_wait.waiting},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
    histogram_show(ctx, &lease_waiting_ms, "lease_waiting_ms");
    histogram_show(ctx, &lease_holding_ms, "lease_holding_ms");
}
