#include "lease_model.h"

#include <stdio.h>

#define PRESENT         "CONFLICT LeaseAlreadyPresent"
#define MISMATCH        "CONFLICT LeaseIdMismatchWithLeaseOperation"
#define NOT_PRESENT     "CONFLICT LeaseNotPresentWithLeaseOperation"
#define BREAKING        "CONFLICT LeaseIsBreakingAndCannotBeAcquired"
#define BROKEN_RENEW    "CONFLICT LeaseIsBrokenAndCannotBeRenewed"
#define BREAKING_CHANGE "CONFLICT LeaseIsBreakingAndCannotBeChanged"
#define ID_MISSING      "PRECONDITION LeaseIdMissing"
#define OTHER_ID        "PRECONDITION LeaseIdMismatchWithBlobOperation"
#define ABSENT          "PRECONDITION LeaseNotPresentWithBlobOperation"
#define LOST            "PRECONDITION LeaseLost"

const char *const model_lease_words[] = {"available", "leased", "breaking", "broken", "expired"};

bool lease_model_locked(const struct lease_model *model) {
    return model->state == MODEL_LEASED || model->state == MODEL_BREAKING;
}

bool lease_model_endless(const struct lease_model *model) {
    return model->state == MODEL_LEASED && model->duration_ms == MODEL_INFINITE;
}

int64_t lease_model_left_ms(const struct lease_model *model, int64_t now_ms) {
    return lease_model_locked(model) ? model->ends_ms - now_ms : 0;
}

void lease_model_tick(struct lease_model *model, int64_t now_ms) {
    if (!lease_model_locked(model) || lease_model_endless(model) || now_ms < model->ends_ms) return;
    model->state = model->state == MODEL_LEASED ? MODEL_EXPIRED : MODEL_BROKEN;
}

void lease_model_free(struct lease_model *model) {
    *model = (struct lease_model){.id = model->id, .token = model->token};
}

static bool holds(const struct lease_model *model, int id) {
    return id && model->id == id;
}

static void run(struct lease_model *model, int64_t now_ms) {
    model->state = MODEL_LEASED;
    model->ends_ms = lease_model_endless(model) ? 0 : now_ms + model->duration_ms;
}

static const char *acquire(struct lease_model *model, const struct lease_call *call) {
    bool again = model->state == MODEL_LEASED && holds(model, call->proposed);
    if (model->state == MODEL_BREAKING && holds(model, call->proposed)) return BREAKING;
    if (lease_model_locked(model) && !again) return PRESENT;
    if (!again) {
        model->since_ms = call->now_ms;
        model->token = call->token;
    }
    model->id = call->proposed ? call->proposed : call->drawn;
    model->duration_ms = call->duration_ms;
    snprintf(model->owner, sizeof(model->owner), "%s", call->owner ? call->owner : "");
    run(model, call->now_ms);
    return NULL;
}

static const char *renew(struct lease_model *model, const struct lease_call *call) {
    if (model->state == MODEL_AVAILABLE || !holds(model, call->id)) return MISMATCH;
    if (model->state == MODEL_BREAKING || model->state == MODEL_BROKEN) return BROKEN_RENEW;
    run(model, call->now_ms);
    return NULL;
}

static const char *change(struct lease_model *model, const struct lease_call *call) {
    if (!lease_model_locked(model)) return NOT_PRESENT;
    if (model->state == MODEL_BREAKING) return holds(model, call->id) ? BREAKING_CHANGE : MISMATCH;
    if (holds(model, call->proposed)) return NULL; /* it is done already */
    if (!holds(model, call->id)) return MISMATCH;
    model->id = call->proposed;
    model->token = call->token;
    return NULL;
}

static const char *release(struct lease_model *model, const struct lease_call *call) {
    if (model->state == MODEL_AVAILABLE || !holds(model, call->id)) return MISMATCH;
    lease_model_free(model);
    return NULL;
}

static const char *break_it(struct lease_model *model, const struct lease_call *call) {
    if (model->state == MODEL_AVAILABLE) return NOT_PRESENT;
    if (model->state == MODEL_EXPIRED) model->state = MODEL_BROKEN;
    if (model->state == MODEL_BROKEN) return NULL;
    bool endless = lease_model_endless(model);
    int64_t asked_ms = call->now_ms + call->period_ms;
    if (call->period_ms < 0) asked_ms = endless ? call->now_ms : model->ends_ms;
    if (endless || asked_ms < model->ends_ms) model->ends_ms = asked_ms;
    model->state = MODEL_BREAKING;
    lease_model_tick(model, call->now_ms);
    return NULL;
}

static const char *pass(const struct lease_model *model, const struct lease_call *call) {
    if (!call->id) return call->verb == VERB_WRITE && lease_model_locked(model) ? ID_MISSING : NULL;
    if (lease_model_locked(model)) return holds(model, call->id) ? NULL : OTHER_ID;
    return holds(model, call->id) ? LOST : ABSENT;
}

const char *lease_model_call(struct lease_model *model, const struct lease_call *call) {
    lease_model_tick(model, call->now_ms);
    switch (call->verb) {
    case VERB_ACQUIRE: return acquire(model, call);
    case VERB_RENEW: return renew(model, call);
    case VERB_CHANGE: return change(model, call);
    case VERB_RELEASE: return release(model, call);
    case VERB_BREAK: return break_it(model, call);
    default: return pass(model, call);
    }
}

const char *lease_model_refusal(const struct lease_model *model, const struct lease_call *call) {
    struct lease_model copy = *model;
    return lease_model_call(&copy, call);
}
