#include "server/waiting/wait.h"

#include "server/base/alarm.h"
#include "server/base/propagation.h"
#include "server/waiting/blocked.h"
#include "server/waiting/handover.h"
#include "server/waiting/line.h"
#include "server/waiting/party.h"

enum {
    SERVED_MAX = 50,      /* waiters of a line probed for each change of a command; the alarm goes on */
    RING_SERVED_MAX = 50, /* waiters probed by one ring of the alarm; it rings again in the next turn */
};

static struct wait_kind *const *kinds; /* ended by NULL */
static const struct wait_runner *runner;

bool wait_anybody(void) {
    return lines_anybody();
}

bool wait_is_ringing(void) {
    return lines_ringing();
}

/* A value that was restored beside itself has parties with the same ids. */
static bool waits_in_key(const struct waiter *waiter, const struct call *call) {
    return key_name_equal(waiter->line->key, call_key_name(call));
}

void wait_visit_party(const struct call *call, struct guid id, wait_visitor *visit, void *context) {
    const struct party *party = lines_anybody() ? party_find(&id) : NULL;
    const struct waiter *waiter;
    if (!party) return;
    list_for_each (&party->waiters, waiter, among_party)
        if (waits_in_key(waiter, call) && !visit(context, waiter->kind, &waiter->claim, waiter->held)) return;
}

size_t wait_count(const struct call *call, struct wait_kind *kind, struct bytes name) {
    const struct line *line = line_find(call, kind, name);
    return line ? line->count : 0;
}

bool wait_is_repeated(const struct call *call) {
    const struct line *line = line_find(call, call->wait.kind, call->wait.name);
    return line && line_find_repeated(line, call);
}

void wait_visit_long_lines(void (*visit)(void *context, const struct wait_line *line), void *context) {
    for (const struct line *line = NULL; (line = lines_next_long(line));) {
        const struct held_call *first = line_first(line)->held;
        visit(context, &(struct wait_line){line->key, line->count, first->command->name});
    }
}

/* --- Answers --- */

/* Whether the waiter can be answered. If not, due_ms tells when time alone may help. */
static bool can_be_answered(RedisModuleCtx *ctx, const struct waiter *waiter, int64_t *due_ms) {
    return runner->probe(waiter->held, ctx, due_ms) != OUTCOME_WAITING;
}

/* A grant is decided here and now; a reader reads when it is told. What the probe has seen may have ended since. */
static bool probe_and_grant(RedisModuleCtx *ctx, const struct waiter *waiter, int64_t *due_ms) {
    if (!can_be_answered(ctx, waiter, due_ms)) return false;
    return !wait_serves_by_write(waiter->kind) || runner->grant(waiter->held, ctx, due_ms);
}

static void count_served(const struct waiter *waiter) {
    struct wait_kind *kind = waiter->kind;
    kind->served++;
    if (kind->histogram) histogram_add(kind->histogram, (server_now_us() - waiter->since_us) / 1000);
}

/* False when the waiter has to go on waiting: its line is due when time alone may help. */
static bool serve_waiter(RedisModuleCtx *ctx, struct waiter *waiter) {
    struct held_call *held = waiter->held;
    int64_t due_ms;
    if (!probe_and_grant(ctx, waiter, &due_ms)) {
        line_due(waiter->line, due_ms);
        return false;
    }
    line_leave(waiter);
    if (held->result.outcome == OUTCOME_DONE) count_served(waiter);
    handover_add(held);
    lines_ring_soon();
    return true;
}

/* One after the other, until the first in line has to go on waiting. */
static void serve_in_turn(RedisModuleCtx *ctx, struct line *line, int *budget) {
    for (struct waiter *waiter; *budget > 0 && (waiter = line_first(line)); (*budget)--)
        if (!serve_waiter(ctx, waiter)) return;
    if (line_first(line)) line_due(line, server_now_ms());
}

/* Waiters that still cannot be served go to the tail. */
static void serve_all(RedisModuleCtx *ctx, struct line *line, int *budget) {
    for (struct waiter *waiter; *budget > 0 && line->unlooked && (waiter = line_first(line)); (*budget)--) {
        line->unlooked--;
        if (serve_waiter(ctx, waiter)) continue;
        list_del(&waiter->node);
        list_add_tail(&line->waiters, &waiter->node);
    }
    line_due(line, line->unlooked ? server_now_ms() : WAIT_NO_INSTANT);
}

static void serve_from(RedisModuleCtx *ctx, struct line *line, struct waiter **place, int *budget) {
    if (!*place) *place = line_first(line);
    for (struct waiter *waiter; *budget > 0 && (waiter = *place); (*budget)--)
        if (!serve_waiter(ctx, waiter)) *place = line_next(line, waiter);
}

/* Serves each waiter that can be served, in order, past those that cannot. A command always begins at the front, where
 * those are who have waited longest; a pass that has begun is finished by the alarm, however often there is news. */
static void serve_each(RedisModuleCtx *ctx, struct line *line, int *budget) {
    bool goes_on = line->next;
    if (!goes_on) line->again = false;
    serve_from(ctx, line, goes_on && !lines_ringing() ? &line->front : &line->next, budget);
    line->front = NULL;
    line_due(line, line->next || line->again ? server_now_ms() : WAIT_NO_INSTANT);
}

/* Serving one waiter is a change, for which the same line would be looked at again: once is enough. */
static void serve_line(RedisModuleCtx *ctx, struct line *line, int *budget) {
    if (line->busy) return;
    line->busy = true;
    switch (line->kind->discipline) {
    case WAIT_IN_TURN: serve_in_turn(ctx, line, budget); break;
    case WAIT_TOGETHER: serve_all(ctx, line, budget); break;
    case WAIT_BY_CLAIM: serve_each(ctx, line, budget); break;
    }
    line->busy = false;
    if (!line->count) line_free(line);
}

static void serve_now(const struct call *call, struct line *line) {
    int budget = SERVED_MAX;
    serve_line(call->ctx, line, &budget);
    lines_arm();
}

/* To serve, the key is opened once more. That may show that it has expired, while the call still uses its value. Time
 * stops only for commands, on the oldest servers: what upkeep does, and what the alarm grants or takes back, lets
 * others wait for the next ring. While a file is loaded nobody is served: what it says next may take the object. */
static bool may_serve_now(const struct call *call) {
    return !lines_ringing() && call->mode != CALL_INTERNAL && api_runs_alone(call->ctx);
}

void wait_look(const struct call *call, struct wait_kind *kind, struct bytes name) {
    struct line *line = line_find(call, kind, name);
    if (!line) return;
    line_note_news(line);
    if (may_serve_now(call))
        serve_now(call, line);
    else
        line_look_soon(line);
}

void wait_look_for_all(const struct call *call, struct bytes name) {
    for (struct wait_kind *const *kind = kinds; *kind; kind++) wait_look(call, *kind, name);
}

size_t wait_serve(const struct call *call, struct wait_kind *kind, struct bytes name) {
    struct line *line = line_find(call, kind, name);
    if (!line || api_runs_several(call->ctx)) return 0;
    serve_now(call, line);
    return wait_count(call, kind, name);
}

void wait_look_at_all(void) {
    lines_look_anew_soon();
}

void wait_look_at_key(const struct call *call) {
    if (lines_anybody() && key_lines_news(call_key_name(call))) lines_ring_soon();
}

void wait_look_at_party(struct guid id) {
    struct party *party = lines_anybody() ? party_find(&id) : NULL;
    struct waiter *waiter;
    if (!party) return;
    list_for_each (&party->waiters, waiter, among_party) line_look_anew_soon(waiter->line);
}

bool wait_visit_ahead(const struct call *call, const struct held_call *of, const struct wait_kind *kind,
                      struct bytes name, wait_visitor *visit, void *context) {
    const struct line *line = line_find(call, kind, name);
    const struct waiter *waiter;
    int left = WAIT_AHEAD_MAX;
    if (!line) return true;
    list_for_each (&line->waiters, waiter, node) {
        if (waiter->held == of) return true;
        if (!left--) return false;
        if (!visit(context, kind, &waiter->claim, waiter->held)) return false;
    }
    return true;
}

/* Only a primary that may write can grant anything; news may be read anywhere. What arrives of a slot on its way here
 * is not for those who have waited since it was here before: its node still grants, and takes back. Answers when to ask
 * again, or 0 if the line may be served. */
static int64_t pause_of_service_ms(RedisModuleCtx *ctx, const struct line *line, bool writable) {
    bool grants = wait_serves_by_write(line->kind);
    if (grants && !writable) return ALARM_RETRY_MS;
    switch (api_key_standing(ctx, line_first(line)->held->argv[1])) {
    case KEY_IS_ELSEWHERE: return ALARM_ELSEWHERE_MS;
    case KEY_IS_CUT_OFF: return grants ? ALARM_RETRY_MS : 0;
    case KEY_IS_SERVED: break;
    }
    return 0;
}

static void serve_due(RedisModuleCtx *ctx, struct line *line, bool writable, int64_t now_ms, int *budget) {
    RedisModule_SelectDb(ctx, line->key.db);
    int64_t pause_ms = pause_of_service_ms(ctx, line, writable);
    if (pause_ms) {
        line_due(line, now_ms + pause_ms);
    } else {
        if (!line->unlooked) line->unlooked = line->count;
        serve_line(ctx, line, budget);
    }
}

/* A command that frees something was allowed to write. Time asks nobody, so here it is asked whether a client might
 * write now: a primary that was cut off grants nothing. False when there was more to do than one ring may. */
static bool serve_lines(RedisModuleCtx *ctx, bool writable, int64_t now_ms) {
    int budget = RING_SERVED_MAX;
    struct line *line = lines_take_due(now_ms);
    bool grants = line && writable && propagation_suffices(ctx);
    while (line) {
        serve_due(ctx, line, grants, now_ms, &budget);
        line = --budget > 0 ? lines_take_due(now_ms) : NULL;
    }
    return budget > 0;
}

static bool serve_all_due(RedisModuleCtx *ctx) {
    bool writable = api_may_write(ctx);
    bool all_given_back = handover_give_back(ctx, writable, runner->give_back);
    bool loading = api_is_loading(ctx);
    lines_look_at_keys();
    int64_t now_ms = server_now_ms();
    if (!all_given_back || loading) lines_ring_by(now_ms + ALARM_RETRY_MS);
    bool all_served = loading || serve_lines(ctx, writable, now_ms);
    handover_tell();
    return !all_served;
}

void wait_start(struct wait_kind *const *all_kinds, const struct wait_runner *for_all) {
    kinds = all_kinds;
    runner = for_all;
    for (unsigned char number = 0; kinds[number]; number++) kinds[number]->number = number;
    lines_start(serve_all_due);
    blocked_start(runner->answer);
}
