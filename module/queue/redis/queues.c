/* Commands about queues: CREATE, DROP, CONFIGURE, STAT, CLEAR, metadata and policies. */
#include "queue/redis/queue_commands.h"

#include "core/metadata.h"

static uint32_t given_max_deliveries(const struct call *call) {
    return (uint32_t)call_number(call, SLOT_MAXDELIVERIES, 0);
}

static bool is_as_given(const struct call *call) {
    const struct queue *queue = call->value;
    bool other_limit =
        args_given(&call->args, SLOT_MAXDELIVERIES) && queue->max_deliveries != given_max_deliveries(call);
    return !other_limit && metadata_same(packed_view(queue->metadata), call->metadata.list);
}

enum outcome queue_create_decide(struct call *call) {
    if (call->value && !is_as_given(call)) return OUTCOME_QUEUE_EXISTS;
    if (call->value) {
        reply_exists(&call->out);
        return OUTCOME_DONE;
    }
    struct queue_change *change = queue_decide(call, QUEUE_CREATE);
    change->metadata = call->metadata.list;
    change->max_deliveries = given_max_deliveries(call);
    return call_done(call);
}

enum outcome queue_drop_decide(struct call *call) {
    queue_decide(call, QUEUE_DROP);
    return call_done(call);
}

enum outcome queue_configure_decide(struct call *call) {
    struct queue_change *change = queue_decide(call, QUEUE_CONFIGURE);
    change->max_deliveries = given_max_deliveries(call);
    return call_done(call);
}

enum outcome queue_getmeta_decide(struct call *call) {
    reply_pairs(&call->out, packed_view(((const struct queue *)call->value)->metadata));
    return OUTCOME_DONE;
}

enum outcome queue_setmeta_decide(struct call *call) {
    struct queue_change *change = queue_decide(call, QUEUE_SETMETA);
    change->metadata = call->metadata.list;
    return call_done(call);
}

enum outcome queue_getacl_decide(struct call *call) {
    reply_policies(&call->out, packed_view(((const struct queue *)call->value)->policies));
    return OUTCOME_DONE;
}

enum outcome queue_setacl_decide(struct call *call) {
    struct queue_change *change = queue_decide(call, QUEUE_SETACL);
    change->policies = call->policies.list;
    return call_done(call);
}

/* Fields about dead letters are only shown for queues that have, or may get, some. */
enum outcome queue_stat_decide(struct call *call) {
    const struct queue *queue = call->value;
    int64_t now_ms = call_now_ms(call);
    struct queue_depth depth = queue_depth(queue, now_ms);
    struct reply_map map = reply_map_counted(&call->out);
    while (reply_map_pass(&map)) {
        reply_field_number(&map, "messages", (long long)depth.visible + (long long)depth.invisible);
        reply_field_number(&map, "visible", (long long)depth.visible);
        reply_field_number(&map, "invisible", (long long)depth.invisible);
        if (depth.arrived_ms >= 0) {
            int64_t age_ms = now_ms - depth.arrived_ms;
            reply_field_number(&map, "oldest-ms", age_ms > 0 ? age_ms : 0);
        }
        if (queue->max_deliveries) reply_field_number(&map, "max-deliveries", queue->max_deliveries);
        if (queue->max_deliveries || depth.dead) reply_field_number(&map, "dead", (long long)depth.dead);
        reply_field(&map, "meta");
        reply_pairs(map.out, packed_view(queue->metadata));
    }
    return OUTCOME_DONE;
}

/* Dead letters stay, those that have just died, too. */
static void clear_all(struct call *call, enum queue_change_kind kind) {
    queue_decide_deaths(call, SIZE_MAX);
    queue_decide(call, kind);
}

static void clear_living(struct call *call) {
    struct record_writer *items = call_writer(call);
    size_t count = queue_list_living(call->value, call_now_ms(call), items);
    if (!count) return;
    struct queue_change *change = queue_decide(call, QUEUE_CLEAR_LIVING);
    change->items = (struct packed_list){count, record_written(items)};
}

/* If the store has living messages and unsettled dead letters, the change lists the fewer of them. */
enum outcome queue_clear_decide(struct call *call) {
    bool dead = args_given(&call->args, SLOT_DEAD);
    struct queue_depth depth = queue_depth(call->value, call_now_ms(call));
    size_t living = depth.visible + depth.invisible, cleared = dead ? depth.dead : living;
    if (dead && cleared)
        clear_all(call, QUEUE_CLEAR_DEAD);
    else if (!dead && depth.died > living)
        clear_living(call);
    else if (!dead && (living || depth.expired))
        clear_all(call, QUEUE_CLEAR);
    reply_number(&call->out, (long long)cleared);
    return OUTCOME_DONE;
}
