/* The second half of every writing command: from the decided change to the world that knows of it. */
#include "blob/blob_commands.h"
#include "server/audience.h"
#include "server/effect.h"

struct stamp commit_stamp(int64_t now_ms) {
    return (struct stamp){version_mint(now_ms), now_ms};
}

static void apply(struct call *call, struct blob *blob, const struct change *change) {
    switch (change->kind) {
    case CHANGE_CREATE:
        call->value = container_new(change);
        RedisModule_ModuleTypeSetValue(call->key, container_aggregate.type, call->value);
        break;
    case CHANGE_DROP: RedisModule_UnlinkKey(call->key); break;
    default: container_apply(call->value, blob, change);
    }
}

static void send(const struct call *call, const struct change *change, RedisModuleString *content) {
    struct record_writer record;
    record_start(&record);
    change_write(change, &record);
    effect_send(call, &record, content);
    record_end(&record);
}

void commit_change(struct call *call, struct blob *blob, const struct change *change,
                   RedisModuleString *content) {
    apply(call, blob, change);
    if (audience_present(call->ctx))
        send(call, change, content);
    else
        effect_unheard(call);
    call_changed(call, change_event(change->kind));
}
