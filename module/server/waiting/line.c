#include "server/waiting/line.h"

#include "core/hash.h"
#include "core/hash_index.h"
#include "core/memory.h"
#include "server/base/alarm.h"
#include "server/waiting/party.h"

#include "ccan/container_of/container_of.h"

#include <assert.h>

enum {
    LINES_LOOKED_AT = 1000,  /* by one ring, after news of their keys */
    TOKENS_LOOKED_AT = 1000, /* from the tail, when a call with a token joins */
};

static struct hash_index lines;
static LIST_HEAD(long_lines);
static struct deadlines deadlines;
static size_t waiters_count;

static lines_server *serve_due_lines;
static bool ringing; /* the alarm, right now */

static void on_wait_alarm(RedisModuleCtx *ctx);
static struct alarm alarm = {.ring = on_wait_alarm};

bool lines_anybody(void) {
    return waiters_count != 0;
}

/* The caller ends the record. */
static struct bytes write_line_address(struct record_writer *address, const struct wait_kind *kind,
                                       struct bytes name, struct key_name key) {
    record_start(address);
    record_put_byte(address, kind->number);
    record_put_bytes(address, name);
    key_name_pack(key, record_reserve(address, key_name_length(key)));
    return record_written(address);
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
    if (wait_serves_by_write(kind)) key_lines_add(&line->of_key, line->key);
    return line;
}

static struct line *line_at(struct bytes address) {
    struct entry *entry = hash_index_named(&lines, address);
    return entry ? container_of(entry, struct line, entry) : NULL;
}

struct line *line_find(const struct call *call, const struct wait_kind *kind, struct bytes name) {
    struct record_writer address;
    if (!waiters_count || call_word(call, 1).length > KEY_NAME_MAX_BYTES) return NULL;
    struct line *line = line_at(write_line_address(&address, kind, name, call_key_name(call)));
    record_end(&address);
    return line;
}

struct line *line_need(const struct call *call, struct wait_kind *kind, struct bytes name) {
    struct record_writer writer;
    struct key_name key = call_key_name(call);
    struct bytes address = write_line_address(&writer, kind, name, key);
    struct line *line = line_at(address);
    if (!line) line = line_new(address, kind, key);
    record_end(&writer);
    return line;
}

void line_free(struct line *line) {
    deadlines_unset(&deadlines, &line->deadline);
    hash_index_remove(&lines, &line->entry);
    if (wait_serves_by_write(line->kind)) key_lines_remove(&line->of_key);
    memory_free(line);
}

void line_leave(struct waiter *waiter) {
    struct line *line = waiter->line;
    if (!line) return;
    party_leave(waiter);
    waiter->line = NULL;
    if (line->next == waiter) line->next = line_next(line, waiter);
    if (line->front == waiter) line->front = line_next(line, waiter);
    list_del(&waiter->node);
    waiters_count--;
    waiter->kind->waiting--;
    if (line->count-- == WAIT_LONG_LINE) list_del(&line->among_long);
    if (!line->count && !line->busy) line_free(line);
}

/* Not while the alarm rings: it is set when that is over. */
void lines_arm(void) {
    const struct deadline *first = deadlines_first(&deadlines);
    if (first && !ringing) alarm_set_by(&alarm, first->due_ms);
}

static void arm_after_ring(bool more) {
    if (more || key_lines_have_news())
        alarm_set_for_next_turn(&alarm);
    else
        lines_arm();
}

void lines_ring_soon(void) {
    if (!ringing) alarm_set_by(&alarm, 0);
}

void line_due(struct line *line, int64_t due_ms) {
    if (due_ms == WAIT_NO_INSTANT)
        deadlines_unset(&deadlines, &line->deadline);
    else
        deadlines_set(&deadlines, &line->deadline, due_ms);
}

void line_look_soon(struct line *line) {
    line_due(line, server_now_ms());
    lines_arm();
}

void line_note_news(struct line *line) {
    line->unlooked = line->count;
    line->again = true;
}

void line_look_anew_soon(struct line *line) {
    line_note_news(line);
    line_look_soon(line);
}

static bool has_claims(const struct line *line) {
    return line->kind->discipline == WAIT_BY_CLAIM;
}

/* If the waiter was the first, the next one may be able to have what it could not. */
void line_depart(struct waiter *waiter) {
    struct line *line = waiter->line;
    if (!line) return;
    bool others = line->count > 1, was_first = line_first(line) == waiter;
    line_leave(waiter);
    if (others && (has_claims(line) || (was_first && wait_serves_by_write(line->kind))))
        line_look_anew_soon(line);
}

struct waiter *line_find_repeated(const struct line *line, const struct call *call) {
    const struct bytes token = call_option(call, SLOT_ONCE);
    const uint32_t hash = hash_bytes(token);
    struct waiter *waiter;
    int left = TOKENS_LOOKED_AT;
    if (!token.length) return NULL;
    list_for_each_rev (&line->waiters, waiter, node) {
        if (!left--) break;
        if (waiter->token_hash == hash && held_call_is_repeated(waiter->held, call)) return waiter;
    }
    return NULL;
}

void line_join(struct waiter *waiter, struct line *line, struct waiter *same, int64_t due_ms) {
    assert(due_ms == WAIT_NO_INSTANT || line->kind->discipline == WAIT_IN_TURN);
    waiter->line = line;
    waiter->token_hash = hash_bytes(held_call_token(waiter->held));
    if (same) /* behind a node as behind a list's head */
        list_add(container_of(&same->node, struct list_head, n), &waiter->node);
    else
        list_add_tail(&line->waiters, &waiter->node);
    if (++line->count == WAIT_LONG_LINE) list_add_tail(&long_lines, &line->among_long);
    waiters_count++;
    line->kind->waiting++;
    line->kind->waits++;
    if (line->count == 1) line_due(line, due_ms);
    lines_arm();
}

static void look_at_line(void *context, struct entry *entry) {
    (void)context;
    line_look_anew_soon(container_of(entry, struct line, entry));
}

void lines_look_anew_soon(void) {
    for (size_t place = 0; place < lines.buckets; place++)
        hash_index_visit(&lines, place, look_at_line, NULL);
}

void lines_look_at_keys(void) {
    struct key_line *line;
    for (int left = LINES_LOOKED_AT; left && (line = key_lines_next()); left--)
        line_look_anew_soon(container_of(line, struct line, of_key));
}

const struct line *lines_next_long(const struct line *line) {
    const struct list_node *next = line ? line->among_long.next : long_lines.n.next;
    return next == &long_lines.n ? NULL : list_entry(next, struct line, among_long);
}

bool lines_ringing(void) {
    return ringing;
}

void lines_ring_by(int64_t instant_ms) {
    alarm_set_by(&alarm, instant_ms);
}

struct line *lines_take_due(int64_t now_ms) {
    struct deadline *first = deadlines_first(&deadlines);
    if (!first || first->due_ms > now_ms) return NULL;
    deadlines_unset(&deadlines, first);
    return container_of(first, struct line, deadline);
}

static void on_wait_alarm(RedisModuleCtx *ctx) {
    ringing = true;
    bool more = serve_due_lines(ctx);
    ringing = false;
    arm_after_ring(more);
}

void lines_start(lines_server *serve) {
    serve_due_lines = serve;
    alarm_register(&alarm);
}
