/* What follows a change of a queue: statistics, events, wake-ups; its upkeep, and INFO. */
#include "core/inlining.h"
#include "core/number.h"
#include "queue/queue_registry.h"
#include "queue/redis/queue_commands.h"
#include "server/base/info.h"
#include "server/effects/commit.h"
#include "server/effects/upkeep.h"

#include "ccan/array_size/array_size.h"

enum {
    UPKEEP_DELAY_MS = 1000, /* what has ended may stay so long, so that one change removes much of it */
    UPKEEP_PORTION = 512,   /* which takes about an eighth of a millisecond */
    SURVEYED_MAX = 10000,   /* queues that INFO looks at */
};

struct queue_stats queue_stats;

static struct histogram consumer_waiting_ms;
static struct histogram message_waiting_ms; /* from being put to the first delivery */
struct wait_kind message_wait = {.discipline = WAIT_IN_TURN, .histogram = &consumer_waiting_ms};

static void count_change(const struct queue_change *change) {
    switch (change->kind) {
    case QUEUE_PUT: queue_stats.puts += change->items.count; break;
    case QUEUE_DELETE: queue_stats.deletes += change->items.count; break;
    case QUEUE_REDRIVE: queue_stats.redrives += change->items.count; break;
    case QUEUE_UPDATE: queue_stats.updates++; break;
    case QUEUE_RELEASE:
        queue_stats.releases++;
        if (change->stage == MESSAGE_DEAD) queue_stats.deaths++;
        break;
    case QUEUE_SETTLE:
        queue_stats.expiries += change->ended;
        queue_stats.deaths += change->died;
        break;
    default: break;
    }
}

static void count_delivered(const struct message *message, int64_t now_ms) {
    queue_stats.gets++;
    if (message_deliveries(message) > 1)
        queue_stats.redeliveries++;
    else
        histogram_add(&message_waiting_ms, now_ms - message_inserted_ms(message));
}

static void count_deliveries(struct call *call, const struct queue_change *change) {
    for (uint64_t i = 0; i < change->items.count; i++) count_delivered(change->found[i], call_now_ms(call));
}

void queue_events(const void *decided, const char *events[EVENTS_MAX]) {
    const struct queue_change *change = decided;
    bool dies = change->died || (change->kind == QUEUE_RELEASE && change->stage == MESSAGE_DEAD);
    if (change->ended) events[0] = QUEUE_EXPIRED_EVENT;
    if (dies) events[1] = QUEUE_DIED_EVENT;
}

void queue_changed(struct call *call, const void *decided) {
    const struct queue_change *change = decided;
    count_change(change);
    if (change->kind == QUEUE_DELIVER) count_deliveries(call, change);
}

void queue_wake(struct call *call, const void *change) {
    (void)change;
    wait_look(call, &message_wait, bytes_of("", 0));
}

ASIDE static void commit_settlement(struct call *call, size_t max) {
    struct queue_change change;
    if (queue_settlement(call->value, call_now_ms(call), max, &change)) commit_at_once(call, &change, NULL);
}

static void expire_messages(struct call *call, size_t max) {
    if (queue_next_end_ms(call->value) <= call_now_ms(call)) commit_settlement(call, max);
}

void queue_settle_some(struct call *call) {
    expire_messages(call, QUEUE_SETTLED_IN_PASSING);
    upkeep_recover(call);
}

void queue_settle_many(struct call *call) {
    expire_messages(call, QUEUE_BATCH_MAX);
}

/* --- Upkeep --- */

/* If the first of a group has expired, the others wait until it is removed: then there is no delay. Nor is there one
 * for dead letters, which people want to hear of. */
int64_t queue_next_look_ms(const void *value) {
    const struct queue *queue = value;
    int64_t next_ms = queue_next_end_ms(queue);
    if (next_ms == INT64_MAX) return UPKEEP_NEVER;
    if (!queue_has_groups(queue)) next_ms += UPKEEP_DELAY_MS;
    return number_min(next_ms, queue_next_death_ms(queue));
}

int64_t queue_upkeep(struct call *call) {
    expire_messages(call, UPKEEP_PORTION);
    bool more = queue_next_end_ms(call->value) <= call_now_ms(call);
    return more ? call_now_ms(call) : queue_next_look_ms(call->value);
}

/* --- INFO --- */

void queue_info(RedisModuleInfoCtx *ctx) {
    const struct info_number numbers[] = {
        {"queues", queue_registry_count()},
        {"queue_puts", queue_stats.puts},
        {"queue_duplicates", queue_stats.duplicates},
        {"queue_gets", queue_stats.gets},
        {"queue_redeliveries", queue_stats.redeliveries},
        {"queue_updates", queue_stats.updates},
        {"queue_releases", queue_stats.releases},
        {"queue_deletes", queue_stats.deletes},
        {"queue_expiries", queue_stats.expiries},
        {"queue_deaths", queue_stats.deaths},
        {"queue_redrives", queue_stats.redrives},
        {"queue_waits", message_wait.waits},
        {"queue_handoffs", message_wait.served},
        {"queue_waiters", message_wait.waiting},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
    histogram_show(ctx, &consumer_waiting_ms, "queue_waiting_ms");
    histogram_show(ctx, &message_waiting_ms, "queue_put_to_get_ms");
}

void queue_survey(RedisModuleInfoCtx *ctx) {
    struct queue_depth depth;
    int64_t now_ms = server_now_ms();
    size_t surveyed = queue_census_depth(now_ms, SURVEYED_MAX, &depth);
    int64_t age_ms = depth.arrived_ms < 0 ? 0 : now_ms - depth.arrived_ms;
    const struct info_number numbers[] = {
        {"queues_surveyed", surveyed},
        {"queue_messages", depth.visible + depth.invisible},
        {"queue_visible", depth.visible},
        {"queue_invisible", depth.invisible},
        {"queue_dead", depth.dead},
        {"queue_unsettled", depth.unsettled},
        {"queue_oldest_ms", age_ms > 0 ? (unsigned long long)age_ms : 0},
    };
    info_show(ctx, numbers, ARRAY_SIZE(numbers));
}
