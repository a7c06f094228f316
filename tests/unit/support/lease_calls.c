#include "lease_calls.h"

#include "require.h"

#include <stdio.h>
#include <string.h>

enum { HOLDERS = 4 };

static struct guid guid_of(int id) {
    return id ? (struct guid){7, (uint64_t)id} : (struct guid){0, 0};
}

static int id_draw(struct dice *dice, const struct lease_model *model) {
    return dice_percent(dice, 50) ? model->id : 1 + (int)dice_roll(dice, HOLDERS);
}

struct lease_call lease_call_draw(struct dice *dice, const struct lease_model *model, int64_t now_ms) {
    static const int64_t durations_ms[] = {MODEL_INFINITE, 15000, 20000, 60000, 200, 1};
    static const int64_t periods_ms[] = {-1, 0, 1, 1000, 15000, 60000};
    static const char *const owners[HOLDERS] = {"", "worker-1", "worker 2", "the owner of all of it"};
    struct lease_call call = {
        .verb = (enum lease_verb)dice_roll(dice, LEASE_VERBS),
        .now_ms = now_ms,
        .id = id_draw(dice, model),
        .proposed = id_draw(dice, model),
        .drawn = 1 + HOLDERS + (int)dice_roll(dice, 1 << 20),
        .duration_ms = durations_ms[dice_roll(dice, 6)],
        .period_ms = periods_ms[dice_roll(dice, 6)],
        .token = (UINT64_C(0x65a00000) << 32) + 1 + dice_roll(dice, 1 << 30),
        .owner = owners[dice_roll(dice, HOLDERS)],
    };
    if (call.verb == VERB_CHANGE && !call.proposed) call.proposed = 1;
    if (call.verb == VERB_ACQUIRE && dice_percent(dice, 30)) call.proposed = 0;
    if (call.verb >= VERB_READ && dice_percent(dice, 50)) call.id = 0;
    return call;
}

int64_t instant_draw(struct dice *dice, const struct lease_model *model, int64_t now_ms) {
    int64_t instant_ms = now_ms;
    if (dice_percent(dice, 25) && lease_model_locked(model) && model->ends_ms > now_ms)
        instant_ms = model->ends_ms + (int64_t)dice_roll(dice, 3) - 1;
    else if (dice_percent(dice, 60))
        instant_ms += (int64_t)dice_roll(dice, dice_percent(dice, 20) ? 40000 : 3000);
    return instant_ms < now_ms ? now_ms : instant_ms;
}

static enum outcome decide(const struct lease_call *call, const struct lease *lease, struct lease *next) {
    struct lease_request request = {
        .now_ms = call->now_ms,
        .id = guid_of(call->id),
        .proposes = call->proposed,
        .proposed = guid_of(call->proposed ? call->proposed : call->drawn),
        .duration_ms = call->duration_ms,
        .owner = bytes_text(call->owner),
        .period_ms = call->period_ms,
    };
    enum lease_use use = call->verb == VERB_WRITE ? LEASE_WRITE : LEASE_READ;
    *next = *lease;
    switch (call->verb) {
    case VERB_ACQUIRE: return lease_acquire(lease, &request, next);
    case VERB_RENEW: return lease_renew(lease, &request, next);
    case VERB_CHANGE: return lease_change(lease, &request, next);
    case VERB_RELEASE: return lease_release(lease, &request, next);
    case VERB_BREAK: return lease_break(lease, &request, next);
    default: return lease_check_use(lease, LEASE_OF_BLOB, call->id ? &request.id : NULL, use, request.now_ms);
    }
}

enum outcome lease_call_decide(const struct lease_call *call, struct lease_model *model,
                               const struct lease *lease, struct lease *next, bool writes_free) {
    char code[80] = "";
    lease_model_tick(model, call->now_ms);
    enum model_lease_state before = model->state;
    const char *refusal = lease_model_call(model, call);
    if (call->verb == VERB_WRITE && !refusal && writes_free && !lease_model_locked(model))
        lease_model_free(model);
    enum outcome outcome = decide(call, lease, next);
    if (outcome != OUTCOME_DONE)
        snprintf(code, sizeof(code), "%s %s", outcome_text(outcome)->class, outcome_text(outcome)->code);
    require(strcmp(code, refusal ? refusal : "") == 0, "call %d in state %d: %s, not %s", (int)call->verb,
            (int)before, outcome_word(outcome), refusal ? refusal : "done");
    return outcome;
}

void lease_model_compare(const struct lease_model *model, const struct lease *lease, int64_t now_ms) {
    int64_t left_ms = lease_model_endless(model) ? LEASE_FOREVER : lease_model_left_ms(model, now_ms);
    require_same(lease_state(lease, now_ms), model->state, "the state");
    require_same(lease_remaining_ms(lease, now_ms), left_ms, "what is left");
    require(guid_equal(lease->id, guid_of(model->id)), "the id");
    require_same(lease->token, model->token, "the token");
    require_same(lease->duration_ms, model->duration_ms, "the duration");
    require_same(lease->since_ms, model->since_ms, "the beginning");
    require_bytes(lease->owner, bytes_text(model->owner), "the owner");
    bool has_ended = model->state == MODEL_BROKEN || model->state == MODEL_EXPIRED;
    require_same(lease_ended(lease, now_ms), has_ended, "whether it has ended");
    require(lease_check_use(lease, LEASE_OF_BLOB, NULL, LEASE_READ, now_ms) == OUTCOME_DONE,
            "to read is free");
}
