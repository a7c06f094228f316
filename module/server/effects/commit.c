#include "server/effects/commit.h"

#include "core/inlining.h"
#include "server/base/notices.h"
#include "server/base/propagation.h"
#include "server/effects/doctor_keys.h"
#include "server/effects/effect.h"
#include "server/effects/followed.h"
#include "server/effects/once.h"
#include "server/effects/telling.h"
#include "server/effects/upkeep.h"
#include "server/waiting/wait.h"

/* A decided change fits. If one does not, the log must say so. */
static void apply_change(struct call *call, const struct data_type *type, const void *change) {
    if (change_is(type->changes, change, CHANGE_CREATES)) {
        call->data_type = type;
        call->value = type->make(change);
        RedisModule_ModuleTypeSetValue(call->key, type->type, call->value);
    } else if (change_is(type->changes, change, CHANGE_DROPS)) {
        RedisModule_UnlinkKey(call->key);
        call->value = NULL;
    } else if (!type->apply(call->value, change)) {
        effect_complain(call->ctx, EFFECT_MISFIT);
    }
}

/* Whether the content travels inside of the record: it is small, and not a key. */
static bool goes_inside(const struct data_type *type, const struct decided *decided) {
    return decided->content && change_is(type->changes, decided->change, CHANGE_HAS_CONTENT) &&
           api_bytes(decided->content).length <= CHANGE_CONTENT_INSIDE_MAX;
}

/* Puts the record inside of the change that remembers the call. */
static void wrap_record(struct once_change *once, struct record_writer *record) {
    struct record_writer wrapped;
    record_start(&wrapped);
    once->inside = record_written(record);
    change_write(&once_changes, once, &wrapped);
    record->length = 0;
    record_put_raw(record, record_written(&wrapped));
    record_end(&wrapped);
}

ASIDE static void apply_and_send(struct call *call, const struct decided *decided) {
    const struct data_type *type = call_type(call);
    struct record_writer record;
    record_start(&record);
    change_write(type->changes, decided->change, &record);
    bool inside = goes_inside(type, decided);
    if (inside) change_add_content(&record, api_bytes(decided->content));
    if (decided->once) wrap_record(decided->once, &record);
    apply_change(call, type, decided->change);
    effect_send(call, &record, inside ? NULL : decided->content);
    record_end(&record);
}

/* The server can count the command in place of the change: the caller's own, or that by which a waiter is served. */
static bool is_in_command(const struct call *call) {
    return call->mode == CALL_FRESH || (call->mode == CALL_GRANTED && !wait_is_ringing());
}

/* Outside of a command a change is always sent. */
void commit_apply(struct call *call, const struct decided *decided) {
    const struct data_type *type = call_type(call);
    bool heard = !is_in_command(call) || propagation_wanted(call->ctx);
    if (type->before) type->before(call, decided->change);
    if (decided->content) {
        const struct effect_content beside = {.given = true,
                                              .bytes = api_bytes(decided->content),
                                              .argument = decided->content,
                                              .obeyed = true,
                                              .ctx = call->ctx};
        type->attach(decided->change, &beside);
    }
    if (heard) {
        apply_and_send(call, decided);
    } else {
        apply_change(call, type, decided->change);
        effect_count_only(call);
    }
    if (decided->once) once_do(call, decided->once);
}

static void tell_event(const struct call *call, const char *event) {
    if (event) notices_add(call->ctx, call->argv[1], call->mode == CALL_FRESH, event);
}

void commit_follow(struct call *call, const void *change) {
    const struct data_type *type = call_type(call);
    if (type->after) type->after(call, change);
    if (call->value) followed_note(call);
    if (call->value) upkeep_schedule(call);
    if (call->value && doctor_keys_wants(type, call->value, change))
        doctor_keys_add(call_key_name(call), call->value);
    const struct told told = telling_of(type, change);
    if (told.modified) RedisModule_SignalModifiedKey(call->ctx, call->argv[1]);
    _Static_assert(EVENTS_MAX == 2, "each is told");
    tell_event(call, told.events[0]);
    tell_event(call, told.events[1]);
}

void commit_wake(struct call *call, const void *change) {
    const struct data_type *type = call_type(call);
    if (type->wake && wait_anybody()) type->wake(call, change);
}

void commit_at_once(struct call *call, void *change, RedisModuleString *content) {
    commit_apply(call, &(struct decided){.change = change, .content = content});
    commit_follow(call, change);
    commit_wake(call, change);
}

void commit_both(struct call *call, void *first, void *second) {
    struct effect_bundle bundle;
    effect_bundle_start(&bundle, call->ctx);
    call->bundle = &bundle;
    commit_at_once(call, first, NULL);
    commit_at_once(call, second, NULL);
    call->bundle = NULL;
    effect_bundle_end(&bundle);
}
