#include "server/waiting/wait.h"

#include "core/deadlines.h"
#include "core/hash.h"
#include "core/hash_index.h"
#include "core/memory.h"
#include "core/number.h"
#include "server/base/alarm.h"
#include "server/waiting/handover.h"
#include "server/waiting/key_lines.h"

#include "ccan/container_of/container_of.h"
#include "ccan/list/list.h"

enum {
    SERVED_MAX = 100,            /* waiters probed by one command; the alarm goes on */
    RING_SERVED_MAX = 200,       /* waiters probed by one ring of the alarm; the next ring goes on */
    SAME_TOKEN_LOOKED_AT = 1000, /* among those behind one that was answered under a token */
    LINES_LOOKED_AT = 1000,      /* by one ring, after news of their keys */
};

struct line {
    struct entry entry;
    struct deadline deadline;
    struct list_head waiters;
    struct list_node among_long; /* while so many wait */
    size_t count;
    struct wait_kind *kind;
    bool busy;           /* being served: stays even when it is empty */
    size_t unlooked;     /* WAIT_TOGETHER: how many from the front have not been looked at since the news */
    struct waiter *next; /* WAIT_BY_CLAIM: where to continue; NULL at the front */
    bool again;          /* WAIT_BY_CLAIM: something has changed while the line was being served */
    struct key_line of_key; /* unless it is WAIT_TOGETHER */
    struct key_name key;    /* in the address */
    char address[];         /* the entry's name: kind, length of the name, name, packed key name */
};

struct waiter {
    struct list_node node;
    struct line *line;      /* NULL when it has left */
    struct held_call *held; /* NULL when what it was granted is to be given back */
    struct wait_kind *kind;
    int64_t since_us;
    struct party *party; /* NULL without a claim */
    struct list_node among_party;
    struct wait_claim claim;
};

/* Waiters of one owner. Its id is the entry's name. */
struct party {
    struct entry entry;
    struct guid id;
    struct list_head waiters;
};

static struct wait_kind *const *kinds; /* ended by NULL */
static const struct wait_runner *runner;
static struct hash_index lines, parties;
static LIST_HEAD(long_lines);
static const struct waiter *looked_at; /* being probed, or visited by wait_visit_party */
static struct deadlines deadlines;
static size_t waiters_count;

static bool ringing;

static void on_wait_alarm(RedisModuleCtx *ctx);
static struct alarm alarm = {.ring = on_wait_alarm};

bool wait_anybody(void) {
    return waiters_count != 0;
}

/* Whether each of those in line is served by a write of its own. */
static bool is_served_by_write(const struct wait_kind *kind) {
    return kind->discipline != WAIT_TOGETHER;
}

/* --- Parties --- */

static struct party *find_party(const struct guid *id) {
    struct entry *entry = hash_index_find(&parties, hash_bytes(guid_bytes(id)), guid_bytes(id));
    return entry ? container_of(entry, struct party, entry) : NULL;
}

static void join_party(struct waiter *waiter, const struct wait_claim *claim) {
    struct party *party = find_party(&claim->party);
    if (!party) {
        party = memory_zeroed(sizeof(*party));
        party->id = claim->party;
        party->entry = entry_hashed(guid_bytes(&party->id), offsetof(struct party, id));
        list_head_init(&party->waiters);
        hash_index_add(&parties, &party->entry);
    }
    waiter->claim = *claim;
    waiter->party = party;
    list_add_tail(&party->waiters, &waiter->among_party);
}

static void leave_party(struct waiter *waiter) {
    struct party *party = waiter->party;
    if (!party) return;
    waiter->party = NULL;
    list_del(&waiter->among_party);
    if (!list_empty(&party->waiters)) return;
    hash_index_remove(&parties, &party->entry);
    memory_free(party);
}

/* A value that was restored beside itself has parties with the same ids. */
static bool waits_in_key(const struct waiter *waiter, const struct call *call) {
    return key_name_equal(waiter->line->key, call_key_name(call));
}

void wait_visit_party(const struct call *call, struct guid id, wait_visitor *visit, void *context) {
    const struct party *party = waiters_count ? find_party(&id) : NULL;
    const struct waiter *waiter, *before = looked_at;
    if (!party) return;
    list_for_each (&party->waiters, waiter, among_party) {
        if (!waits_in_key(waiter, call)) continue;
        looked_at = waiter;
        if (!visit(context, waiter->kind, &waiter->claim, waiter->held->argv)) break;
    }
    looked_at = before;
}

/* --- Lines --- */

/* The caller ends the record. */
static struct bytes write_line_address(struct record_writer *address, const struct wait_kind *kind,
                                       struct bytes name, struct key_name key) {
    record_start(address);
    record_put_byte(address, kind->number);
    record_put_bytes(address, name);
    key_name_pack(key, record_reserve(address, key_name_length(key)));
    return bytes_of(address->data, address->length);
}

static struct line *line_new(struct bytes address, struct wait_kind *kind, struct key_name key) {
    struct line *line = memory_zeroed(sizeof(*line) + address.length);
    size_t key_length = key_name_length(key);
    memcpy(line->address, address.data, address.length);
    line->entry = entry_hashed(address, offsetof(struct line, address));
    line->key = key_name_unpack(bytes_of(line->address + address.length - key_length, key_length));
    line->kind = kind;
    list_head_init(&line->waiters);
    hash_index_add(&lines, &line->entry);
    if (is_served_by_write(kind)) key_lines_add(&line->of_key, line->key);
    return line;
}

static struct line *line_at(struct bytes address) {
    struct entry *entry = hash_index_find(&lines, hash_bytes(address), address);
    return entry ? container_of(entry, struct line, entry) : NULL;
}

static struct line *find_line(const struct call *call, const struct wait_kind *kind, struct bytes name) {
    struct record_writer address;
    if (!waiters_count || call_word(call, 1).length > KEY_NAME_MAX_BYTES) return NULL;
    struct line *line = line_at(write_line_address(&address, kind, name, call_key_name(call)));
    record_end(&address);
    return line;
}

static struct line *need_line(const struct call *call, struct wait_kind *kind, struct bytes name) {
    struct record_writer writer;
    struct key_name key = call_key_name(call);
    struct bytes address = write_line_address(&writer, kind, name, key);
    struct line *line = line_at(address);
    if (!line) line = line_new(address, kind, key);
    record_end(&writer);
    return line;
}

size_t wait_count(const struct call *call, struct wait_kind *kind, struct bytes name) {
    const struct line *line = find_line(call, kind, name);
    return line ? line->count : 0;
}

static struct waiter *first_in(const struct line *line) {
    return list_top(&line->waiters, struct waiter, node);
}

static struct waiter *next_in(const struct line *line, const struct waiter *waiter) {
    struct list_node *next = waiter->node.next;
    return next == &line->waiters.n ? NULL : list_entry(next, struct waiter, node);
}

static void line_free(struct line *line) {
    deadlines_unset(&deadlines, &line->deadline);
    hash_index_remove(&lines, &line->entry);
    if (is_served_by_write(line->kind)) key_lines_remove(&line->of_key);
    memory_free(line);
}

static void leave_line(struct waiter *waiter) {
    struct line *line = waiter->line;
    if (!line) return;
    leave_party(waiter);
    waiter->line = NULL;
    if (line->next == waiter) line->next = next_in(line, waiter);
    list_del(&waiter->node);
    waiters_count--;
    waiter->kind->waiting--;
    if (line->count-- == WAIT_LONG_LINE) list_del(&line->among_long);
    if (!line->count && !line->busy) line_free(line);
}

void wait_visit_long_lines(void (*visit)(void *context, const struct wait_line *line), void *context) {
    const struct line *line;
    list_for_each (&long_lines, line, among_long) {
        const struct held_call *first = first_in(line)->held;
        visit(context, &(struct wait_line){line->key, line->count, first->command->name});
    }
}

/* --- The alarm --- */

/* Not while the alarm rings: it is set when that is over. */
static void arm(void) {
    const struct deadline *first = deadlines_first(&deadlines);
    if (first && !ringing) alarm_set_by(&alarm, first->due_ms);
}

/* An alarm that is due already would ring within the same turn of the event loop. */
static void arm_after_ring(int64_t now_ms) {
    const struct deadline *first = deadlines_first(&deadlines);
    if (first) alarm_set_by(&alarm, number_max(first->due_ms, now_ms + ALARM_PAUSE_MS));
    if (key_lines_have_news()) alarm_set_by(&alarm, now_ms + ALARM_PAUSE_MS);
}

/* After the commands that have arrived. */
static void ring_soon(void) {
    if (!ringing) alarm_set_by(&alarm, 0);
}

static void line_due(struct line *line, int64_t due_ms) {
    if (due_ms == WAIT_NO_INSTANT)
        deadlines_unset(&deadlines, &line->deadline);
    else
        deadlines_set(&deadlines, &line->deadline, due_ms);
}

/* With the next turn of the event loop, after the current command. */
static void look_soon(struct line *line) {
    line_due(line, server_now_ms());
    arm();
}

/* Something may have changed for all in the line. */
static void note_news(struct line *line) {
    line->unlooked = line->count;
    if (!line->busy) line->next = NULL;
    line->again = line->busy;
}

static void look_anew_soon(struct line *line) {
    note_news(line);
    look_soon(line);
}

static bool has_claims(const struct line *line) {
    return line->kind->discipline == WAIT_BY_CLAIM;
}

/* A waiter leaves without having been served. If it was the first, the next one may be able to have what
 * it could not. */
static void depart(struct waiter *waiter) {
    struct line *line = waiter->line;
    if (!line) return;
    bool others = line->count > 1, was_first = first_in(line) == waiter;
    leave_line(waiter);
    if (others && (has_claims(line) || (was_first && is_served_by_write(line->kind)))) look_anew_soon(line);
}

/* --- Answers --- */

/* Whether the waiter can be answered. If not, due_ms tells when time alone may help. */
static bool ready(RedisModuleCtx *ctx, const struct waiter *waiter, int64_t *due_ms) {
    const struct waiter *before = looked_at;
    looked_at = waiter;
    enum outcome outcome = runner->probe(waiter->held, ctx, due_ms);
    looked_at = before;
    return outcome != OUTCOME_WAITING;
}

/* A grant is decided here and now; a reader reads when it is told. What the probe has seen may have ended since. */
static bool probe_and_grant(RedisModuleCtx *ctx, const struct waiter *waiter, int64_t *due_ms) {
    if (!ready(ctx, waiter, due_ms)) return false;
    return !is_served_by_write(waiter->kind) || runner->grant(waiter->held, ctx, due_ms);
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
    leave_line(waiter);
    if (held->result.outcome == OUTCOME_DONE) count_served(waiter);
    handover_add(held);
    ring_soon();
    return true;
}

/* The client is lost, or was told something else. */
static void lose(struct waiter *waiter) {
    depart(waiter);
    if (!waiter->held || !handover_lost(waiter->held)) return;
    waiter->held = NULL;
    ring_soon();
}

/* Waiters with the token of one that has been answered get the same reply, wherever they are in line, except at the end
 * of a very long line: those get it with their turn, or when their time is up. */
static void answer_same_token(RedisModuleCtx *ctx, struct line *line, const struct held_call *answered) {
    struct bytes token = held_call_token(answered);
    struct waiter *waiter, *next;
    int left = token.length ? SAME_TOKEN_LOOKED_AT : 0;
    list_for_each_safe (&line->waiters, waiter, next, node) {
        if (!left--) return;
        bool same = bytes_equal(held_call_token(waiter->held), token);
        if (same) serve_waiter(ctx, waiter);
    }
}

/* One after the other, until the first in line has to go on waiting. */
static void serve_in_turn(RedisModuleCtx *ctx, struct line *line, int *budget) {
    for (struct waiter *waiter; *budget > 0 && (waiter = first_in(line)); (*budget)--) {
        const struct held_call *answered = waiter->held;
        if (!serve_waiter(ctx, waiter)) return;
        answer_same_token(ctx, line, answered);
    }
    if (first_in(line)) line_due(line, server_now_ms());
}

/* Waiters that still cannot be served go to the tail. */
static void serve_all(RedisModuleCtx *ctx, struct line *line, int *budget) {
    for (struct waiter *waiter; *budget > 0 && line->unlooked && (waiter = first_in(line)); (*budget)--) {
        line->unlooked--;
        if (serve_waiter(ctx, waiter)) continue;
        list_del(&waiter->node);
        list_add_tail(&line->waiters, &waiter->node);
    }
    line_due(line, line->unlooked ? server_now_ms() : WAIT_NO_INSTANT);
}

/* Serves each waiter that can be served, in order, past those that cannot. */
static void serve_each(RedisModuleCtx *ctx, struct line *line, int *budget) {
    if (!line->next) line->next = first_in(line);
    for (struct waiter *waiter; *budget > 0 && (waiter = line->next); (*budget)--)
        if (!serve_waiter(ctx, waiter)) line->next = next_in(line, waiter);
    line_due(line, line->next || line->again ? server_now_ms() : WAIT_NO_INSTANT);
    if (line->again) line->next = NULL;
    line->again = false;
}

/* Serving one waiter is a change, for which the same line would be looked at again: once is enough. */
static void serve(RedisModuleCtx *ctx, struct line *line, int *budget) {
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
    serve(call->ctx, line, &budget);
    arm();
}

/* To serve, the key is opened once more. That may show that it has expired, while the call still uses its value. Time
 * stops only for commands, on the oldest servers: what upkeep does, and what the alarm grants or takes back, lets
 * others wait for the next ring. */
static bool may_serve_now(const struct call *call) {
    return !ringing && call->mode != CALL_INTERNAL && !api_runs_several(call->ctx);
}

void wait_look(const struct call *call, struct wait_kind *kind, struct bytes name) {
    struct line *line = find_line(call, kind, name);
    if (!line) return;
    note_news(line);
    if (may_serve_now(call))
        serve_now(call, line);
    else
        look_soon(line);
}

void wait_look_for_all(const struct call *call, struct bytes name) {
    for (struct wait_kind *const *kind = kinds; *kind; kind++) wait_look(call, *kind, name);
}

size_t wait_serve(const struct call *call, struct wait_kind *kind, struct bytes name) {
    struct line *line = find_line(call, kind, name);
    if (!line || api_runs_several(call->ctx)) return 0;
    serve_now(call, line);
    return wait_count(call, kind, name);
}

static void look_at_line(void *context, struct entry *entry) {
    (void)context;
    look_anew_soon(container_of(entry, struct line, entry));
}

void wait_look_at_all(void) {
    for (size_t place = 0; place < lines.buckets; place++)
        hash_index_visit(&lines, place, look_at_line, NULL);
}

void wait_look_at_key(const struct call *call) {
    if (waiters_count && key_lines_news(call_key_name(call))) ring_soon();
}

static void look_at_lines_of_keys(void) {
    struct key_line *line;
    for (int left = LINES_LOOKED_AT; left && (line = key_lines_next()); left--)
        look_anew_soon(container_of(line, struct line, of_key));
}

void wait_look_at_party(struct guid id) {
    struct party *party = waiters_count ? find_party(&id) : NULL;
    struct waiter *waiter;
    if (!party) return;
    list_for_each (&party->waiters, waiter, among_party) look_anew_soon(waiter->line);
}

bool wait_visit_ahead(const struct call *call, const struct wait_kind *kind, struct bytes name, size_t max,
                      wait_visitor *visit, void *context) {
    const struct line *line = find_line(call, kind, name);
    const struct waiter *waiter;
    if (!line) return true;
    list_for_each (&line->waiters, waiter, node) {
        if (waiter == looked_at) return true;
        if (!max--) return false;
        if (!visit(context, kind, &waiter->claim, waiter->held->argv)) return false;
    }
    return true;
}

/* Only a primary that may write can grant anything; news may be read anywhere. */
static void serve_due(RedisModuleCtx *ctx, struct line *line, bool writable, int64_t now_ms, int *budget) {
    RedisModule_SelectDb(ctx, line->key.db);
    if (!is_served_by_write(line->kind) || writable) {
        if (!line->unlooked) line->unlooked = line->count;
        serve(ctx, line, budget);
    } else {
        line_due(line, now_ms + ALARM_RETRY_MS);
    }
}

static void serve_lines(RedisModuleCtx *ctx, bool writable, int64_t now_ms) {
    for (int budget = RING_SERVED_MAX; budget > 0; budget--) {
        struct deadline *first = deadlines_first(&deadlines);
        if (!first || first->due_ms > now_ms) break;
        struct line *line = container_of(first, struct line, deadline);
        deadlines_unset(&deadlines, first);
        serve_due(ctx, line, writable, now_ms, &budget);
    }
}

static void on_wait_alarm(RedisModuleCtx *ctx) {
    bool writable = api_may_write(ctx);
    ringing = true;
    bool all_given_back = handover_give_back(ctx, writable, runner->give_back);
    look_at_lines_of_keys();
    int64_t now_ms = server_now_ms();
    if (!all_given_back) alarm_set_by(&alarm, now_ms + ALARM_RETRY_MS);
    serve_lines(ctx, writable, now_ms);
    handover_tell();
    ringing = false;
    arm_after_ring(now_ms);
}

/* --- What the server calls --- */

static struct waiter *waiter_of(RedisModuleCtx *ctx) {
    return RedisModule_GetBlockedClientPrivateData(ctx);
}

/* The key has become ready in the server's eyes. Who can be served is served by the alarm, like everybody else. */
static int on_ready(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    const struct waiter *waiter = waiter_of(ctx);
    (void)argv;
    (void)argc;
    if (waiter->line) look_anew_soon(waiter->line);
    return REDISMODULE_ERR;
}

/* Here every waiter gets its reply, not only those whose time is up: a module can unblock a client that waits for keys
 * in no other way than by a time-out, and so handover_tell() does with those that were served. What a waiter was
 * granted is a packed reply; one that reads, or whose time is up, runs once more. */
static int on_timeout(RedisModuleCtx *ctx, RedisModuleString **argv, int argc) {
    struct waiter *waiter = waiter_of(ctx);
    struct held_call *held = waiter->held;
    (void)argv;
    (void)argc;
    depart(waiter);
    handover_told(held);
    if (held->served && is_served_by_write(waiter->kind))
        held_result_reply(ctx, &held->result);
    else
        runner->answer(held, ctx, held->served ? CALL_SERVED : CALL_TIMED_OUT);
    return REDISMODULE_OK;
}

/* The client is lost, or was unblocked by hand with an error: from this moment it must not be granted anything. */
static void on_disconnect(RedisModuleCtx *ctx, RedisModuleBlockedClient *client) {
    (void)client;
    lose(waiter_of(ctx));
}

/* The server calls this last, however the client stopped waiting, and perhaps later. */
static void on_gone(RedisModuleCtx *ctx, void *data) {
    struct waiter *waiter = data;
    (void)ctx;
    lose(waiter);
    if (waiter->held) held_call_free(waiter->held);
    memory_free(waiter);
}

/* --- Getting in line --- */

bool wait_allowed(const struct call *call) {
    if (!args_given(&call->args, SLOT_BLOCK) || call->mode != CALL_FRESH) return false;
    bool denied = RedisModule_GetContextFlags(call->ctx) & REDISMODULE_CTX_FLAGS_DENY_BLOCKING;
    return !denied && !api_runs_several(call->ctx) && call_word(call, 1).length <= KEY_NAME_MAX_BYTES;
}

static struct waiter *waiter_new(const struct call *call, struct wait_kind *kind) {
    struct waiter *waiter = memory_zeroed(sizeof(*waiter));
    waiter->held = held_call_new(call);
    waiter->kind = kind;
    waiter->since_us = server_now_us();
    return waiter;
}

static void join_line(struct waiter *waiter, struct line *line, int64_t due_ms) {
    waiter->line = line;
    list_add_tail(&line->waiters, &waiter->node);
    if (++line->count == WAIT_LONG_LINE) list_add_tail(&long_lines, &line->among_long);
    waiters_count++;
    line->kind->waiting++;
    line->kind->waits++;
    if (line->count == 1) line_due(line, due_ms);
    arm();
}

enum outcome wait_in_line(struct call *call) {
    const struct wait_request *wait = &call->wait;
    struct waiter *waiter = waiter_new(call, wait->kind);
    join_line(waiter, need_line(call, wait->kind, wait->name), wait->due_ms);
    if (wait->claim) join_party(waiter, wait->claim);
    waiter->held->client =
        RedisModule_BlockClientOnKeys(call->ctx, on_ready, on_timeout, on_gone,
                                      call->args.slots[SLOT_BLOCK].number, &call->argv[1], 1, waiter);
    if (waiter->held->client)
        RedisModule_SetDisconnectCallback(waiter->held->client, on_disconnect);
    else
        on_gone(call->ctx, waiter); /* the server has replied with an error itself */
    return OUTCOME_WAITING;
}

void wait_start(struct wait_kind *const *all_kinds, const struct wait_runner *for_all) {
    kinds = all_kinds;
    runner = for_all;
    for (unsigned char number = 0; kinds[number]; number++) kinds[number]->number = number;
    alarm_register(&alarm);
}
