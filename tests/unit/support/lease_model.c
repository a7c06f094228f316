#include "lease_model.h"

#include "core/duration.h"
#include "require.h"

static bool locked(const struct lease_model *model) {
    return model->state == LEASE_LEASED || model->state == LEASE_BREAKING;
}

void lease_model_tick(struct lease_model *model, int64_t now_ms) {
    bool endless = model->state == LEASE_LEASED && model->infinite;
    if (!locked(model) || endless || now_ms < model->ends_ms) return;
    model->state = model->state == LEASE_LEASED ? LEASE_EXPIRED : LEASE_BROKEN;
}

static bool holds(const struct lease_model *model, struct guid id) {
    return model->remembers && guid_equal(model->id, id);
}

static void forget_holder(struct lease_model *model) {
    struct guid id = model->id;
    version token = model->token;
    *model = (struct lease_model){.remembers = true, .id = id, .token = token};
}

static void run(struct lease_model *model, int64_t now_ms) {
    model->state = LEASE_LEASED;
    model->infinite = model->duration_ms == DURATION_INFINITE_MS;
    model->ends_ms = model->infinite ? 0 : now_ms + model->duration_ms;
}

static enum outcome acquire(struct lease_model *model, const struct wish *wish) {
    const struct lease_request *request = &wish->request;
    bool again = model->state == LEASE_LEASED && request->proposes && holds(model, request->proposed);
    if (model->state == LEASE_BREAKING && request->proposes && holds(model, request->proposed))
        return OUTCOME_LEASE_BREAKING_ACQUIRE;
    if (locked(model) && !again) return OUTCOME_LEASE_PRESENT;
    if (!again) {
        model->since_ms = request->now_ms;
        model->token = wish->token;
    }
    model->remembers = true;
    model->id = request->proposed;
    model->duration_ms = request->duration_ms;
    memset(model->owner, 0, sizeof(model->owner));
    memcpy(model->owner, request->owner.data, request->owner.length);
    run(model, request->now_ms);
    return OUTCOME_DONE;
}

static enum outcome renew(struct lease_model *model, const struct lease_request *request) {
    if (model->state == LEASE_AVAILABLE || !holds(model, request->id)) return OUTCOME_LEASE_MISMATCH;
    if (model->state == LEASE_BREAKING || model->state == LEASE_BROKEN) return OUTCOME_LEASE_BROKEN_RENEW;
    run(model, request->now_ms);
    return OUTCOME_DONE;
}

static enum outcome change(struct lease_model *model, const struct wish *wish) {
    const struct lease_request *request = &wish->request;
    if (!locked(model)) return OUTCOME_LEASE_NOT_PRESENT;
    if (model->state == LEASE_BREAKING)
        return holds(model, request->id) ? OUTCOME_LEASE_BREAKING_CHANGE : OUTCOME_LEASE_MISMATCH;
    if (holds(model, request->proposed)) return OUTCOME_DONE; /* it is done already */
    if (!holds(model, request->id)) return OUTCOME_LEASE_MISMATCH;
    model->id = request->proposed;
    model->token = wish->token;
    return OUTCOME_DONE;
}

static enum outcome release(struct lease_model *model, const struct lease_request *request) {
    if (model->state == LEASE_AVAILABLE || !holds(model, request->id)) return OUTCOME_LEASE_MISMATCH;
    forget_holder(model);
    return OUTCOME_DONE;
}

static enum outcome break_it(struct lease_model *model, const struct lease_request *request) {
    if (model->state == LEASE_AVAILABLE) return OUTCOME_LEASE_NOT_PRESENT;
    if (model->state == LEASE_EXPIRED) model->state = LEASE_BROKEN;
    if (model->state == LEASE_BROKEN) return OUTCOME_DONE;
    bool endless = model->state == LEASE_LEASED && model->infinite;
    int64_t asked_ms = request->now_ms + request->period_ms;
    if (request->period_ms < 0) asked_ms = endless ? request->now_ms : model->ends_ms;
    if (endless || asked_ms < model->ends_ms) model->ends_ms = asked_ms;
    model->state = LEASE_BREAKING;
    lease_model_tick(model, request->now_ms);
    return OUTCOME_DONE;
}

static enum outcome pass(struct lease_model *model, const struct wish *wish, bool writes_free) {
    bool writes = wish->kind == WISH_WRITE;
    if (wish->gives_id) {
        if (locked(model)) return holds(model, wish->request.id) ? OUTCOME_DONE : OUTCOME_LEASE_MISMATCH_BLOB;
        return holds(model, wish->request.id) ? OUTCOME_LEASE_LOST : OUTCOME_LEASE_ABSENT_BLOB;
    }
    if (writes && locked(model)) return OUTCOME_LEASE_ID_MISSING;
    if (writes && writes_free && model->state != LEASE_AVAILABLE) forget_holder(model);
    return OUTCOME_DONE;
}

enum outcome lease_model_grant(struct lease_model *model, const struct wish *wish, bool writes_free) {
    lease_model_tick(model, wish->request.now_ms);
    switch (wish->kind) {
    case WISH_ACQUIRE: return acquire(model, wish);
    case WISH_RENEW: return renew(model, &wish->request);
    case WISH_CHANGE: return change(model, wish);
    case WISH_RELEASE: return release(model, &wish->request);
    case WISH_BREAK: return break_it(model, &wish->request);
    default: return pass(model, wish, writes_free);
    }
}

void lease_model_compare(const struct lease_model *model, const struct lease *lease, int64_t now_ms) {
    bool endless = model->state == LEASE_LEASED && model->infinite;
    int64_t left_ms = endless ? LEASE_FOREVER : locked(model) ? model->ends_ms - now_ms : 0;
    require_same(lease_state(lease, now_ms), model->state, "the state");
    require_same(lease_remaining_ms(lease, now_ms), left_ms, "what is left");
    require(guid_equal(lease->id, model->id), "the id");
    require_same(lease->token, model->token, "the token");
    require_same(lease->duration_ms, model->duration_ms, "the duration");
    require_same(lease->since_ms, model->since_ms, "the beginning");
    require_bytes(lease->owner, bytes_text(model->owner), "the owner");
    bool has_ended = model->state == LEASE_BROKEN || model->state == LEASE_EXPIRED;
    require_same(lease_ended(lease, now_ms), has_ended, "whether it has ended");
    require(lease_gate(lease, NULL, LEASE_READ, now_ms) == OUTCOME_DONE, "to read is free");
}

/* --- What somebody wants -------------------------------------------------------------------------------- */

enum { HOLDERS = 4 };

static struct guid id_draw(struct dice *dice, const struct lease_model *model) {
    if (dice_percent(dice, 50)) return model->id;
    return (struct guid){7, dice_roll(dice, HOLDERS)};
}

struct wish wish_draw(struct dice *dice, const struct lease_model *model, int64_t now_ms) {
    static const int64_t durations_ms[] = {DURATION_INFINITE_MS, 15000, 20000, 60000, 200, 1};
    static const int64_t periods_ms[] = {-1, 0, 1, 1000, 15000, 60000};
    static const char *const owners[HOLDERS] = {"", "worker-1", "worker 2", "the owner of all of it"};
    struct wish wish = {.kind = (enum lease_wish)dice_roll(dice, WISHES), .gives_id = dice_percent(dice, 50)};
    wish.token = (UINT64_C(0x65a00000) << 32) + 1 + dice_roll(dice, 1 << 30);
    wish.request = (struct lease_request){
        .now_ms = now_ms,
        .id = id_draw(dice, model),
        .proposes = dice_percent(dice, 70),
        .proposed = id_draw(dice, model),
        .duration_ms = durations_ms[dice_roll(dice, 6)],
        .owner = bytes_text(owners[dice_roll(dice, HOLDERS)]),
        .period_ms = periods_ms[dice_roll(dice, 6)],
    };
    if (wish.kind == WISH_ACQUIRE && !wish.request.proposes)
        wish.request.proposed = (struct guid){dice_word(dice), dice_word(dice)};
    return wish;
}

int64_t instant_draw(struct dice *dice, const struct lease_model *model, int64_t now_ms) {
    int64_t time_entry_ms = now_ms;
    if (dice_percent(dice, 25) && locked(model) && model->ends_ms > now_ms)
        time_entry_ms = model->ends_ms + (int64_t)dice_roll(dice, 3) - 1;
    else if (dice_percent(dice, 60))
        time_entry_ms += (int64_t)dice_roll(dice, dice_percent(dice, 20) ? 40000 : 3000);
    return time_entry_ms < now_ms ? now_ms : time_entry_ms;
}

enum outcome wish_decide(const struct wish *wish, const struct lease *lease, struct lease *next) {
    const struct lease_request *request = &wish->request;
    enum lease_use use = wish->kind == WISH_WRITE ? LEASE_WRITE : LEASE_READ;
    *next = *lease;
    switch (wish->kind) {
    case WISH_ACQUIRE: return lease_acquire(lease, request, next);
    case WISH_RENEW: return lease_renew(lease, request, next);
    case WISH_CHANGE: return lease_change(lease, request, next);
    case WISH_RELEASE: return lease_release(lease, request, next);
    case WISH_BREAK: return lease_break(lease, request, next);
    default: return lease_gate(lease, wish->gives_id ? &request->id : NULL, use, request->now_ms);
    }
}
