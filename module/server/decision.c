#include "server/decision.h"

#include "server/commit.h"
#include "server/once.h"
#include "server/refusal.h"
#include "server/wait.h"

/* --- What a decision is made of --- */

struct call_writer {
    struct call_writer *next;
    struct record_writer writer;
};

static void forget_changes(struct decision *decision) {
    decision->first = NULL;
    decision->end = &decision->first;
}

void decision_start(struct call *call) {
    forget_changes(&call->decision);
    call->wait.not_yet = call->wait.in_line = false;
    call->writers = NULL;
    arena_start(&call->arena);
}

void decision_end(struct call *call) {
    for (; call->writers; call->writers = call->writers->next) record_end(&call->writers->writer);
    arena_end(&call->arena);
}

void *call_alloc(struct call *call, size_t bytes) {
    return arena_alloc(&call->arena, bytes);
}

struct record_writer *call_writer(struct call *call) {
    struct call_writer *writer = call_alloc(call, sizeof(*writer));
    record_start(&writer->writer);
    writer->next = call->writers;
    call->writers = writer;
    return &writer->writer;
}

void *call_decide_with(struct call *call, unsigned kind, RedisModuleString *content) {
    struct decision *decision = &call->decision;
    void *change = arena_zeroed(&call->arena, call_type(call)->changes->size);
    change_set_kind(change, kind);
    struct decided *decided = call_alloc(call, sizeof(*decided));
    *decided = (struct decided){.change = change, .content = content};
    *decision->end = decided;
    decision->end = &decided->next;
    return change;
}

void *call_decide(struct call *call, unsigned kind) {
    return call_decide_with(call, kind, NULL);
}

void call_in_line(struct call *call, struct wait_kind *kind, struct bytes name) {
    call->wait = (struct wait_request){.in_line = true, .kind = kind, .name = name};
}

enum outcome call_not_yet(struct call *call, struct wait_kind *kind, struct bytes name, int64_t due_ms,
                          enum outcome outcome) {
    call->wait = (struct wait_request){.not_yet = true,
                                       .in_line = true,
                                       .kind = kind,
                                       .name = name,
                                       .due_ms = due_ms,
                                       .given_up = outcome,
                                       .claim = NULL};
    return outcome;
}

/* The claim is copied: it lasts as long as the call. */
void call_claims(struct call *call, const struct wait_claim *claim) {
    struct wait_claim *kept = call_alloc(call, sizeof(*kept));
    *kept = *claim;
    call->wait.claim = kept;
}

/* --- What is done with it --- */

/* All changes are applied before anybody hears of one. */
void decision_carry_out(struct call *call) {
    for (const struct decided *next = call->decision.first; next; next = next->next) commit_apply(call, next);
    for (const struct decided *next = call->decision.first; next; next = next->next)
        commit_tell(call, next->change);
    for (const struct decided *next = call->decision.first; next; next = next->next)
        commit_wake(call, next->change);
}

void decision_settle(struct call *call) {
    if (call->command->settle && call->value) call->command->settle(call);
}

/* Whatever was decided and said before is forgotten. */
static void begin_anew(struct call *call) {
    forget_changes(&call->decision);
    call->wait.not_yet = call->wait.in_line = false;
    if (call->out.kept) call->out.kept->length = 0;
    if (call->grant) call->grant->length = 0;
    call->note[0] = '\0';
}

static enum outcome decide(struct call *call) {
    begin_anew(call);
    return call->command->decide(call);
}

/* Another call with the same token may have been answered in the meantime. */
static enum outcome decide_anew(struct call *call) {
    if (!once_is_known(call, call)) return decide(call);
    begin_anew(call);
    return once_answer(call, call);
}

/* The decision is dropped: another caller has what this one could have had, or will. */
static enum outcome give_way(struct call *call) {
    forget_changes(&call->decision);
    call->out.kept->length = 0;
    return call->command->give_way(call);
}

/* Earlier waiters come first: those that can be served now are served, and then the call is decided anew. */
static enum outcome decide_behind_line(struct call *call, enum outcome outcome) {
    struct wait_request line = call->wait;
    if (!wait_count(call, line.kind, line.name)) return outcome;
    size_t ahead = wait_serve(call, line.kind, line.name);
    outcome = decide_anew(call);
    if (!ahead || outcome != OUTCOME_DONE || call->wait.not_yet || !call->wait.in_line) return outcome;
    outcome = give_way(call);
    return call_not_yet(call, line.kind, line.name, WAIT_NO_INSTANT, outcome);
}

static bool has_line(const struct call *call) {
    return call->command->give_way && call->wait.in_line && !call->wait.claim && wait_anybody();
}

void decision_let_ahead(struct call *call) {
    if (!call->value || !call->command->give_way || !wait_anybody()) return;
    decide_anew(call);
    if (has_line(call)) wait_serve(call, call->wait.kind, call->wait.name);
}

enum outcome decision_make_part(struct call *call) {
    enum outcome outcome = decide_anew(call);
    bool behind =
        outcome == OUTCOME_DONE && has_line(call) && wait_count(call, call->wait.kind, call->wait.name);
    return behind ? give_way(call) : outcome;
}

/* Whether it could have what it wants, but for a rival. */
static bool has_only_rivals(struct call *call, enum outcome outcome) {
    const struct wait_request *wait = &call->wait;
    if (outcome != OUTCOME_DONE || !wait->in_line || wait->not_yet || !wait->claim) return false;
    return call->data_type->has_rival(call);
}

/* If waiting would deadlock, the call proceeds. */
static enum outcome decide_behind_rivals(struct call *call, enum outcome outcome) {
    const struct wait_request line = call->wait;
    bool waits =
        wait_allowed(call) && has_only_rivals(call, outcome) && !call->data_type->closes_circle(call);
    if (!waits) return outcome;
    outcome = give_way(call);
    call_not_yet(call, line.kind, line.name, WAIT_NO_INSTANT, outcome);
    call->wait.claim = line.claim;
    return outcome;
}

static enum outcome decide_in_turn(struct call *call) {
    enum outcome outcome = decide(call);
    if (!call->command->give_way || !call->wait.in_line || !wait_anybody()) return outcome;
    return call->wait.claim ? decide_behind_rivals(call, outcome) : decide_behind_line(call, outcome);
}

static enum outcome await(struct call *call) {
    const struct data_type *type = call->data_type;
    const struct wait_request *wait = &call->wait;
    call->note[0] = '\0';
    if (wait->claim && wait_anybody() && type->closes_circle(call)) return OUTCOME_DEADLOCK;
    if (type->awaited) type->awaited(call);
    return wait_in_line(call);
}

/* With a token the answer is a kept one. */
static void remember_call(struct call *call) {
    struct reply kept = call->out;
    if (!call->decision.first) return;
    if (call->command->remember) {
        kept = reply_keep(call_writer(call));
        call->command->remember(call, &kept);
    }
    once_remember(call, call, bytes_of(kept.kept->data, kept.kept->length));
}

static void carry_out_once(struct call *call) {
    if (args_given(&call->args, SLOT_ONCE)) remember_call(call);
    decision_carry_out(call);
}

/* The answer of a call that may have to wait, or to give way, is kept until that is known; so is one that
 * may be remembered. */
static enum outcome run_in_turn(struct call *call) {
    RedisModuleCtx *ctx = call->ctx;
    call->out = reply_keep(call_writer(call));
    enum outcome outcome = decide_in_turn(call);
    if (call->wait.not_yet && wait_allowed(call)) return await(call);
    if (outcome != OUTCOME_DONE) return outcome;
    reply_play(ctx, bytes_of(call->out.kept->data, call->out.kept->length));
    carry_out_once(call);
    return OUTCOME_DONE;
}

static enum outcome run_at_once(struct call *call) {
    enum outcome outcome = decide(call);
    if (outcome == OUTCOME_DONE) carry_out_once(call);
    return outcome;
}

static enum outcome run_fresh(struct call *call) {
    const uint64_t keeping = ARGS_BIT(SLOT_BLOCK) | ARGS_BIT(SLOT_ONCE);
    bool keeps = call->args.given & keeping || (call->command->give_way && wait_anybody());
    if (once_is_known(call, call)) return once_answer(call, call);
    decision_settle(call);
    return keeps ? run_in_turn(call) : run_at_once(call);
}

/* Nothing is said and nothing happens. */
static enum outcome run_probe(struct call *call) {
    call->out = reply_to_nobody();
    enum outcome outcome = decide_anew(call);
    if (has_only_rivals(call, outcome)) return OUTCOME_WAITING;
    if (!call->wait.not_yet) return outcome;
    if (call->data_type->awaited) call->data_type->awaited(call);
    call->due_ms = call->wait.due_ms;
    return OUTCOME_WAITING;
}

static enum outcome give_way_late(struct call *call) {
    enum outcome outcome = give_way(call);
    call_note(call, "it is free now, but the time to wait is over");
    return outcome;
}

static enum outcome run_timed_out(struct call *call) {
    RedisModuleCtx *ctx = call->ctx;
    call->out = reply_keep(call_writer(call));
    enum outcome outcome = decide_anew(call);
    if (call->wait.not_yet)
        outcome = call->wait.given_up;
    else if (outcome == OUTCOME_DONE && call->command->give_way && !once_is_known(call, call))
        outcome = give_way_late(call);
    if (outcome == OUTCOME_DONE) reply_play(ctx, bytes_of(call->out.kept->data, call->out.kept->length));
    return outcome;
}

/* What is answered again is answered at once: that changes nothing, not even what time has ended. */
static enum outcome run_granted(struct call *call) {
    if (once_is_known(call, call)) return once_answer(call, call);
    decision_settle(call);
    return run_at_once(call);
}

enum outcome decision_run(struct call *call) {
    switch (call->mode) {
    case CALL_FRESH: return run_fresh(call);
    case CALL_PROBE: return run_probe(call);
    case CALL_TIMED_OUT: return run_timed_out(call);
    case CALL_SERVED:
    case CALL_GRANTED: return run_granted(call);
    case CALL_UPKEEP:
    case CALL_GIVE_BACK: break; /* they decide nothing */
    }
    return OUTCOME_DONE;
}
