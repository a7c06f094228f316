#include "server/effects/once.h"

#include "core/hash.h"
#include "core/inlining.h"
#include "core/number.h"
#include "server/base/info.h"
#include "server/base/settings.h"
#include "server/effects/effect.h"

#include "ccan/array_size/array_size.h"

enum {
    FORGOTTEN_IN_PASSING = 16, /* with one call that is remembered */
    FORGOTTEN_BY_UPKEEP = 1024,
    UPKEEP_DELAY_MS = 1000, /* expired calls may stay this long, so that many are forgotten at once */
};

long long once_max = 100000;
struct setting_duration once_time = {.ms = 600000};

static unsigned long long answered, dropped;

/* --- The call that comes again --- */

static struct bytes token_of(const struct call *call) {
    return call_option(call, SLOT_ONCE);
}

/* Covers all words but the token and the key: the value remembers its tokens even if it is renamed. */
static uint32_t fingerprint_of(const struct call *call) {
    const int token = call->args.slots[SLOT_ONCE].at, key = call->command->key == KEY_NONE ? 0 : 1;
    uint64_t sum = hash_stable(0, bytes_text(call->command->name));
    for (int i = key + 1; i < call->argc; i++)
        if (i != token && i != token - 1) sum = hash_stable(sum, call_word(call, i));
    return (uint32_t)(sum ^ sum >> 32);
}

/* Expired calls are not found. */
static bool find_call(const struct call *asked, struct call *carrier, struct logged_call *found) {
    if (!carrier->value) return false;
    const struct once_log *once_log = value_head(carrier->value)->once_log;
    return once_log && once_log_find(once_log, token_of(asked), found) &&
           found->called_ms > call_now_ms(carrier) - once_time.ms;
}

bool once_finds(struct call *asked, struct call *carrier) {
    struct logged_call found;
    return find_call(asked, carrier, &found);
}

/* The reply has been given to somebody: the first caller may no longer be the only one who knows it. */
static void mark_answered(const struct call *asked, struct call *carrier) {
    once_log_mark(value_head(carrier->value)->once_log, token_of(asked), false);
    answered++;
}

enum outcome once_answer(struct call *asked, struct call *carrier) {
    struct logged_call found;
    if (!find_call(asked, carrier, &found) || found.fingerprint != fingerprint_of(asked))
        return OUTCOME_TOKEN_USED;
    if (reply_is_wanted(&asked->out)) mark_answered(asked, carrier);
    if (asked->command->recall) return asked->command->recall(asked, found.answer);
    reply_repeat(&asked->out, found.answer);
    return OUTCOME_DONE;
}

/* --- Remembering --- */

static size_t excess_beyond(size_t a, size_t limit) {
    return a > limit ? a - limit : 0;
}

/* One large answer may displace many small ones. */
ASIDE static size_t excess_beyond_limits(const struct once_log *once_log, size_t count, size_t bytes,
                                         size_t max) {
    size_t many = size_min(excess_beyond(count, (size_t)once_max), max);
    size_t by_bytes = once_log_taking(once_log, excess_beyond(bytes, ONCE_BYTES_MAX), FORGOTTEN_BY_UPKEEP);
    return size_min(size_max(many, by_bytes), once_log_count(once_log));
}

/* How many calls are too many, by count or by bytes, once this answer is added (none, if it is empty). */
static size_t excess_of(const struct once_log *once_log, struct bytes added, size_t max) {
    size_t count = once_log_count(once_log) + (added.length > 0);
    size_t bytes = once_log_bytes(once_log) + added.length;
    bool fits = count <= (size_t)once_max && bytes <= ONCE_BYTES_MAX;
    return fits ? 0 : excess_beyond_limits(once_log, count, bytes, max);
}

/* How many of the oldest calls to forget: at most `max` of the expired ones at a time. */
static size_t to_forget(const struct once_log *once_log, int64_t now_ms, struct bytes added, size_t max) {
    size_t over = once_log_made_by(once_log, now_ms - once_time.ms, max);
    size_t excess = excess_of(once_log, added, max);
    if (excess <= over) return over;
    dropped += excess - over;
    return excess;
}

/* Instants in a log never decrease, even if the last one came from a server whose clock was ahead. */
static int64_t instant_for(const struct once_log *once_log, int64_t now_ms) {
    int64_t newest_ms = once_log_newest_ms(once_log);
    return number_max(newest_ms, now_ms);
}

void once_remember(struct call *asked, struct call *carrier, struct bytes answer) {
    struct decision *decision = &carrier->decision;
    const struct once_log *once_log = carrier->value ? value_head(carrier->value)->once_log : NULL;
    struct once_change *change = call_alloc(carrier, sizeof(*change));
    *change = (struct once_change){
        .kind = ONCE_REMEMBER,
        .forgets = to_forget(once_log, call_now_ms(carrier), answer, FORGOTTEN_IN_PASSING),
        .call = {.token = token_of(asked),
                 .fingerprint = fingerprint_of(asked),
                 .called_ms = instant_for(once_log, call_now_ms(carrier)),
                 .answer = answer},
    };
    decision_last(decision)->once = change;
}

/* The mark tells that only the waiting client may learn of its grant: no reply has been given to anybody yet. */
void once_do(struct call *call, const struct once_change *change) {
    struct once_log **place = &value_head(call->value)->once_log;
    once_change_do(place, change);
    if (change->kind == ONCE_REMEMBER && call->mode == CALL_GRANTED)
        once_log_mark(*place, change->call.token, true);
}

/* A change that comes alone. */
static void commit_alone(struct call *call, const struct once_change *change) {
    struct record_writer record;
    record_start(&record);
    change_write(&once_changes, change, &record);
    once_do(call, change);
    effect_send(call, &record, NULL);
    record_end(&record);
}

bool once_take_back(struct call *call) {
    if (!args_given(&call->args, SLOT_ONCE)) return true;
    if (!once_log_is_marked(value_head(call->value)->once_log, token_of(call))) return false;
    commit_alone(call, &(struct once_change){.kind = ONCE_TAKE_BACK, .call.token = token_of(call)});
    return true;
}

/* --- Upkeep --- */

int64_t once_due_ms(const struct once_log *once_log) {
    const struct bytes none = {NULL, 0};
    if (excess_of(once_log, none, 1)) return server_now_ms();
    return once_log_oldest_ms(once_log) + once_time.ms + UPKEEP_DELAY_MS;
}

void once_upkeep(struct call *call) {
    const struct once_log *once_log = value_head(call->value)->once_log;
    const struct bytes none = {NULL, 0};
    size_t count = once_log ? to_forget(once_log, call_now_ms(call), none, FORGOTTEN_BY_UPKEEP) : 0;
    if (count) commit_alone(call, &(struct once_change){.kind = ONCE_FORGET, .forgets = count});
}

void once_info(RedisModuleInfoCtx *ctx) {
    const struct info_number numbers[] = {
        {"once_answered", answered},
        {"once_dropped", dropped},
        {"once_tokens", once_log_census()},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
}
