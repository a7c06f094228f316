#include "server/running/run.h"

#include "core/inlining.h"
#include "server/base/notices.h"
#include "server/call/decision.h"
#include "server/call/form.h"
#include "server/call/limits.h"
#include "server/call/refusal.h"
#include "server/effects/commit.h"
#include "server/effects/effect.h"
#include "server/effects/once.h"
#include "server/waiting/blocked.h"
#include "server/waiting/handover.h"
#include "server/waiting/wait.h"

/* --- The steps of a decision --- */

void run_count(const struct call *call) {
    const struct decision *decision = &call->decision;
    for (unsigned i = 0; i < decision->counted_count; i++)
        *decision->counted[i].counter += decision->counted[i].amount;
}

/* What several changes send is one effect. */
ASIDE static void apply_several(struct call *call) {
    struct effect_bundle bundle;
    effect_bundle_start(&bundle, call->ctx);
    call->bundle = &bundle;
    for (const struct decided *next = call->decision.first; next; next = next->next) commit_apply(call, next);
    call->bundle = NULL;
    effect_bundle_end(&bundle);
}

static void apply_decided(struct call *call) {
    const struct decided *first = call->decision.first;
    if (!first) return;
    if (first->next)
        apply_several(call);
    else
        commit_apply(call, first);
}

static void carry_out_decision(struct call *call) {
    run_count(call);
    apply_decided(call);
    for (const struct decided *next = call->decision.first; next; next = next->next)
        commit_follow(call, next->change);
    if (!wait_anybody()) return;
    for (const struct decided *next = call->decision.first; next; next = next->next)
        commit_wake(call, next->change);
}

void run_settle(struct call *call) {
    if (call->command->settle && call->value) call->command->settle(call);
}

/* Whatever was decided and said before is forgotten. */
static void begin_anew(struct call *call) {
    decision_clear(&call->decision);
    call->wait.not_yet = call->wait.in_line = false;
    if (call->out.packed) call->out.packed->length = 0;
    if (call->grant) call->grant->length = 0;
    call->note[0] = '\0';
}

static enum outcome decide_call(struct call *call) {
    begin_anew(call);
    return call->command->decide(call);
}

/* Another call with the same token may have been answered in the meantime. */
static enum outcome decide_anew(struct call *call) {
    if (!once_is_known(call, call)) return decide_call(call);
    begin_anew(call);
    return once_answer(call, call);
}

/* Whether it takes something for which others may wait, too. */
static bool takes_something(const struct call *call) {
    return call->command->give_back;
}

/* The decision is dropped: another caller has what this one could have had, or will. */
static enum outcome give_way(struct call *call) {
    decision_clear(&call->decision);
    call->out.packed->length = 0;
    if (call->command->give_way) call->command->give_way(call);
    return call->command->gives_way;
}

/* Earlier waiters come first: those that can be served now are served, and then the call is decided anew. */
static enum outcome decide_behind_line(struct call *call, enum outcome outcome) {
    struct wait_request line = call->wait;
    if (!wait_count(call, line.kind, line.name)) return outcome;
    size_t ahead = wait_serve(call, line.kind, line.name);
    outcome = decide_anew(call);
    if (!ahead || outcome != OUTCOME_DONE || call->wait.not_yet || !call->wait.in_line) return outcome;
    outcome = give_way(call);
    return decision_not_yet(call, line.kind, line.name, WAIT_NO_INSTANT, outcome);
}

static bool has_line(const struct call *call) {
    return takes_something(call) && call->wait.in_line && !call->wait.claim && wait_anybody();
}

/* What this decision would use of a limit does not count: the call is decided again. */
static void decide_to_see_line(struct call *call) {
    struct limits *own = call->limits, unused = {0};
    call->limits = &unused;
    decide_anew(call);
    call->limits = own;
}

void run_let_ahead(struct call *call) {
    if (!call->value || !takes_something(call) || !wait_anybody()) return;
    decide_to_see_line(call);
    if (has_line(call)) wait_serve(call, call->wait.kind, call->wait.name);
}

enum outcome run_part(struct call *call) {
    enum outcome outcome = decide_anew(call);
    bool behind =
        outcome == OUTCOME_DONE && has_line(call) && wait_count(call, call->wait.kind, call->wait.name);
    return behind ? give_way(call) : outcome;
}

/* Whether only rivals keep the call from what it wants. */
static bool has_only_rivals(struct call *call, enum outcome outcome) {
    const struct wait_request *wait = &call->wait;
    if (outcome != OUTCOME_DONE || !wait->in_line || wait->not_yet || !wait->claim) return false;
    return call->data_type->has_rival(call);
}

/* Whether waiting for what others hold would be waiting for oneself. One who waits already may wait again. */
static bool closes_circle(struct call *call) {
    if (!call->wait.claim || !wait_anybody() || wait_is_repeated(call)) return false;
    return call->data_type->closes_circle(call);
}

/* If waiting would deadlock, the call proceeds. */
static enum outcome decide_behind_rivals(struct call *call, enum outcome outcome) {
    const struct wait_request line = call->wait;
    bool waits = blocked_is_allowed(call) && has_only_rivals(call, outcome) && !closes_circle(call);
    if (!waits) return outcome;
    outcome = give_way(call);
    decision_not_yet(call, line.kind, line.name, WAIT_NO_INSTANT, outcome);
    call->wait.claim = line.claim;
    return outcome;
}

/* Rivals keep a call waiting only after it is known that this closes no circle. */
static enum outcome await_turn(struct call *call, bool is_held) {
    const struct data_type *type = call->data_type;
    call->note[0] = '\0';
    if (is_held && closes_circle(call)) return OUTCOME_DEADLOCK;
    if (type->awaited) type->awaited(call);
    return blocked_join_line(call);
}

/* A call with a token has a packed answer. Some rows have something else remembered in its place. */
ASIDE static void remember_call(struct call *call) {
    struct reply packed = call->out;
    if (call->command->remember) {
        packed = reply_to_record(call_writer(call));
        call->command->remember(call, &packed);
    }
    once_remember(call, call, reply_packed(&packed));
}

static void carry_out_once(struct call *call) {
    if (args_given(&call->args, SLOT_ONCE) && call->decision.first) remember_call(call);
    carry_out_decision(call);
}

/* The answer of a call that may have to wait, or to give way, is kept until that is known; so is one that
 * may be remembered. */
ASIDE static enum outcome run_in_turn(struct call *call) {
    RedisModuleCtx *ctx = call->ctx;
    call->out = reply_to_record(call_writer(call));
    enum outcome outcome = decide_call(call);
    const bool is_held = call->wait.not_yet; /* what it wants, by others */
    if (takes_something(call) && call->wait.in_line && wait_anybody())
        outcome = call->wait.claim ? decide_behind_rivals(call, outcome) : decide_behind_line(call, outcome);
    if (call->wait.not_yet && blocked_is_allowed(call)) return await_turn(call, is_held);
    if (outcome != OUTCOME_DONE) return outcome;
    reply_play(ctx, reply_packed(&call->out));
    carry_out_once(call);
    return OUTCOME_DONE;
}

/* Nothing has been decided or said before. */
static enum outcome run_at_once(struct call *call) {
    enum outcome outcome = call->command->decide(call);
    if (outcome == OUTCOME_DONE) carry_out_once(call);
    return outcome;
}

/*
 *   nobody waits for it, nothing is kept    run_at_once    decide; carry out
 *   with BLOCK or ONCE, or others wait      run_in_turn    decide; let others ahead; wait, or carry out
 */
static enum outcome run_fresh(struct call *call) {
    const uint64_t keeping = ARGS_BIT(SLOT_BLOCK) | ARGS_BIT(SLOT_ONCE);
    bool keeps = call->args.given & keeping || (takes_something(call) && wait_anybody());
    if (once_is_known(call, call)) return once_answer(call, call);
    run_settle(call);
    return keeps ? run_in_turn(call) : run_at_once(call);
}

/* A waiter cannot be served yet. */
static enum outcome wait_on(struct call *call) {
    if (call->data_type->awaited) call->data_type->awaited(call);
    return OUTCOME_WAITING;
}

/* Neither reply nor effect. */
ASIDE static enum outcome run_probe(struct call *call) {
    call->out = reply_to_nobody();
    if (once_is_known(call, call) && handover_is_pending(call)) return OUTCOME_WAITING;
    enum outcome outcome = decide_anew(call);
    if (has_only_rivals(call, outcome)) return OUTCOME_WAITING;
    return call->wait.not_yet ? wait_on(call) : outcome;
}

static enum outcome give_way_late(struct call *call) {
    return refusal_because(call, give_way(call), "it is free now, but the time to wait is over");
}

ASIDE static enum outcome run_timed_out(struct call *call) {
    RedisModuleCtx *ctx = call->ctx;
    call->out = reply_to_record(call_writer(call));
    enum outcome outcome = decide_anew(call);
    if (call->wait.not_yet)
        outcome = call->wait.given_up;
    else if (outcome == OUTCOME_DONE && takes_something(call) && !once_is_known(call, call))
        outcome = give_way_late(call);
    if (outcome != OUTCOME_DONE) return outcome;
    reply_play(ctx, reply_packed(&call->out));
    run_count(call);
    return OUTCOME_DONE;
}

/* A waiter is served. A repeated call is answered at once and changes nothing: not even expired state is cleared. What
 * the probe saw may have ended since: then a call that would be granted something goes on waiting, and a reader, which
 * has left its line, is answered as if its time were up. */
static enum outcome run_turn(struct call *call) {
    if (once_is_known(call, call)) return once_answer(call, call);
    run_settle(call);
    enum outcome outcome = call->command->decide(call);
    if (call->mode == CALL_GRANTED && call->wait.not_yet) return wait_on(call);
    if (call->wait.not_yet) outcome = call->wait.given_up;
    if (outcome == OUTCOME_DONE) carry_out_once(call);
    return outcome;
}

/* What was allowed when it began to wait may not be any more. */
static enum outcome run_answer(struct call *call) {
    if (!held_call_is_permitted(call->held, call->ctx)) return refusal_of_command(call, call->command);
    return call->mode == CALL_TIMED_OUT ? run_timed_out(call) : run_turn(call);
}

static enum outcome run_decision(struct call *call) {
    switch (call->mode) {
    case CALL_FRESH: return run_fresh(call);
    case CALL_PROBE: return run_probe(call);
    case CALL_TIMED_OUT:
    case CALL_SERVED:
    case CALL_GRANTED: return run_answer(call);
    case CALL_INTERNAL:
    case CALL_GIVE_BACK: break; /* they decide nothing */
    }
    return OUTCOME_DONE;
}

/* --- Commands --- */

static bool has_waited(const struct call *call) {
    return call->mode == CALL_TIMED_OUT || call->mode == CALL_SERVED;
}

/* A reader gets null when its time is up; a follower of a feed an error: its replies always have a bookmark. Where the
 * key is not, or is only on its way to, nobody can say what it holds, nor that there is none. */
static enum outcome refusal_after_wait(struct call *call, bool left) {
    bool has_nothing = call->command->key == KEY_READ && !args_given(&call->args, SLOT_SINCE_BOOKMARK);
    if (has_nothing) return OUTCOME_UNCHANGED;
    if (!left) return call_check_value(call);
    return refusal_because(call, OUTCOME_SLOT_MIGRATES, "This node does not serve the key any more");
}

/* Waiters go on waiting when their key is deleted or becomes something else. One that was served and reads only now,
 * when the key is gone again, is answered as if its time were up. */
static enum outcome refusal_without_value(struct call *call, bool left) {
    if (call->mode == CALL_PROBE || call->mode == CALL_GRANTED) return OUTCOME_WAITING;
    return has_waited(call) ? refusal_after_wait(call, left) : call_check_value(call);
}

/* The server is asked for the key before it is opened, since that may remove it. */
static enum outcome run_with_key(struct call *call) {
    bool left = has_waited(call) && api_is_elsewhere(call->ctx, call->argv[1]);
    call_open_key(call);
    if (call->value && call->command->prefetch) call->command->prefetch(call);
    enum outcome outcome = call->parsed ? OUTCOME_DONE : form_check(call);
    bool lacks_value = left || call->opened != OUTCOME_DONE;
    if (outcome == OUTCOME_DONE && lacks_value) outcome = refusal_without_value(call, left);
    if (outcome == OUTCOME_DONE)
        outcome = call->command->decide ? run_decision(call) : call->command->handle(call);
    call_end(call);
    return outcome;
}

/* Nothing is said yet to a client that waits: blocked.c answers it later. */
static void run_and_answer(struct call *call) {
    struct reply out = reply_to(call->ctx);
    enum outcome outcome = run_with_key(call);
    if (outcome != OUTCOME_DONE && outcome != OUTCOME_WAITING) refusal_reply(&out, outcome, call->note);
    reply_end();
}

int run_command(const struct command *command, RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    bool tells = command->tell_keys || command->other_key;
    if (tells && RedisModule_IsKeysPositionRequest(ctx)) {
        if (command->tell_keys)
            command->tell_keys(ctx, argv, argc);
        else
            command_tell_keys(command, ctx, argv, argc, 0);
        return REDISMODULE_OK;
    }
    size_t outer = notices_hold();
    struct call call;
    call_start(&call, command, ctx, argv, argc);
    run_and_answer(&call);
    notices_release(ctx, outer);
    return REDISMODULE_OK;
}

/* --- Calls whose clients wait --- */

static void answer_waiting(const struct held_call *held, RedisModuleCtx *ctx, enum call_mode mode) {
    struct call call;
    size_t outer = notices_hold();
    held_call_resume(held, &call, ctx, mode);
    run_and_answer(&call);
    notices_release(ctx, outer);
}

/* When time alone may help one who goes on waiting. */
static int64_t next_look_ms(const struct call *call) {
    return call->wait.not_yet ? call->wait.due_ms : WAIT_NO_INSTANT;
}

static bool grant_waiting(struct held_call *held, RedisModuleCtx *ctx, int64_t *due_ms) {
    struct call call;
    struct held_result *result = &held->result;
    held_call_resume(held, &call, ctx, CALL_GRANTED);
    record_start(&result->reply);
    record_start(&result->grant);
    call.grant = &result->grant;
    call.out = reply_to_record(&result->reply);
    result->outcome = run_with_key(&call);
    *due_ms = next_look_ms(&call);
    memcpy(result->note, call.note, sizeof(result->note));
    if (result->outcome != OUTCOME_WAITING) return true;
    held_result_end(result);
    *result = (struct held_result){.outcome = OUTCOME_DONE};
    return false;
}

/* The call's words are needed to find what to give back. */
static void give_back_grant(const struct held_call *held, RedisModuleCtx *ctx) {
    struct call call;
    const struct record_writer *grant = &held->result.grant;
    struct record_reader granted = record_reader(record_written(grant));
    held_call_resume(held, &call, ctx, CALL_GIVE_BACK);
    call_open_key(&call);
    if (call.value && once_take_back(&call)) held->command->give_back(&call, &granted);
    carry_out_decision(&call);
    call_end(&call);
}

static enum outcome probe_waiting(const struct held_call *held, RedisModuleCtx *ctx, int64_t *due_ms) {
    struct call call;
    held_call_resume(held, &call, ctx, CALL_PROBE);
    enum outcome outcome = run_with_key(&call);
    *due_ms = next_look_ms(&call);
    return outcome;
}

const struct wait_runner waiting_calls = {
    .probe = probe_waiting,
    .grant = grant_waiting,
    .answer = answer_waiting,
    .give_back = give_back_grant,
};
