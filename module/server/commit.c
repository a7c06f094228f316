#include "server/commit.h"

#include "server/audience.h"
#include "server/effect.h"
#include "server/upkeep.h"
#include "server/wait.h"

/* What was decided fits. If it does not, that must not go unseen. */
static void apply_change(struct call *call, const struct aggregate *type, const void *change) {
    if (change_is(type->changes, change, CHANGE_CREATES)) {
        call->aggregate = type;
        call->value = type->make(change);
        RedisModule_ModuleTypeSetValue(call->key, type->type, call->value);
    } else if (change_is(type->changes, change, CHANGE_DROPS)) {
        RedisModule_UnlinkKey(call->key);
        call->value = NULL;
    } else if (!type->move(call->value, change)) {
        effect_complain(call->ctx, EFFECT_MISFIT);
    }
}

/* Whether it travels inside of the record: a small one, that is no key. */
static bool goes_inside(const struct aggregate *type, const void *change, RedisModuleString *content) {
    return content && change_is(type->changes, change, CHANGE_HAS_CONTENT) &&
           api_bytes(content).length <= CHANGE_CONTENT_INSIDE_MAX;
}

static void apply_and_send(struct call *call, const struct aggregate *type, const void *change,
                           RedisModuleString *content) {
    struct record_writer record;
    record_start(&record);
    change_write(type->changes, change, &record);
    bool inside = goes_inside(type, change, content);
    if (inside) change_add_content(&record, api_bytes(content));
    apply_change(call, type, change);
    effect_send(call, &record, inside ? NULL : content);
    record_end(&record);
}

static void notify(struct call *call, const struct aggregate *type, const void *change) {
    const char *events[EVENTS_MAX] = {change_kind(type->changes, change)->event};
    if (type->events) type->events(change, events);
    if (!events[0] && !events[1]) return;
    RedisModule_SignalModifiedKey(call->ctx, call->argv[1]);
    for (int i = 0; i < EVENTS_MAX; i++)
        if (events[i]) call_event(call, events[i]);
}

/* What happens outside of a command has no command that could be counted instead of an effect. */
void commit_change(struct call *call, void *change, RedisModuleString *content) {
    const struct aggregate *type = call_type(call);
    bool heard = call->mode != CALL_FRESH || audience_present(call->ctx);
    if (type->before) type->before(call, change);
    if (content) {
        struct effect_content beside = {true, api_bytes(content), content, true, call->ctx};
        type->attach(change, &beside);
    }
    if (heard) {
        apply_and_send(call, type, change, content);
    } else {
        apply_change(call, type, change);
        effect_unheard(call);
    }
    notify(call, type, change);
    if (type->after) type->after(call, change);
    if (call->value && type->next_look_ms) upkeep_schedule(call);
}

void commit_wake(struct call *call, const void *change) {
    const struct aggregate *type = call_type(call);
    if (type->wake && wait_anybody()) type->wake(call, change);
}

void commit_at_once(struct call *call, void *change, RedisModuleString *content) {
    commit_change(call, change, content);
    commit_wake(call, change);
}
