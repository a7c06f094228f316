#include "server/call/decision.h"

void *decision_add_with(struct call *call, unsigned kind, RedisModuleString *content) {
    struct decision *decision = &call->decision;
    const size_t size = call_type(call)->changes->size;
    struct decided *decided = call_alloc(call, sizeof(*decided) + size);
    void *change = memset(decided->own, 0, size);
    change_set_kind(change, kind);
    *decided = (struct decided){.change = change, .content = content};
    *decision->end = decided;
    decision->end = &decided->next;
    return change;
}

void *decision_add(struct call *call, unsigned kind) {
    return decision_add_with(call, kind, NULL);
}

struct stamp decision_new_stamp(struct call *call) {
    int64_t now_ms = call_now_ms(call);
    return (struct stamp){version_mint(now_ms), now_ms};
}

version decision_new_version(struct call *call) {
    return version_mint(version_needs_time() ? call_now_ms(call) : 0);
}

void decision_in_line(struct call *call, struct wait_kind *kind, struct bytes name) {
    call->wait = (struct wait_request){.in_line = true, .kind = kind, .name = name};
}

enum outcome decision_not_yet(struct call *call, struct wait_kind *kind, struct bytes name, int64_t due_ms,
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
void decision_claims(struct call *call, const struct wait_claim *claim) {
    struct wait_claim *kept = call_alloc(call, sizeof(*kept));
    *kept = *claim;
    call->wait.claim = kept;
}
