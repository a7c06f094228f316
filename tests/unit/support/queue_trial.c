#include "queue_trial.h"

#include "change_again.h"
#include "core/duration.h"
#include "queue/queue.h"
#include "require.h"

#include <stdlib.h>

enum { BATCH_MAX = 4, TRIAL_MESSAGES_MAX = 600 };

static const char *const labels[] = {"", "", "", "a", "b", "c"};

void queue_trial_start(struct queue_trial *trial) {
    memset(trial, 0, sizeof(*trial));
    trial->queue = queue_new(&(struct queue_change){.kind = QUEUE_CREATE});
    trial->now_ms = 1000;
}

void queue_trial_end(struct queue_trial *trial) {
    queue_free(trial->queue);
}

static void apply(struct queue_trial *trial, const struct queue_change *change) {
    char *record;
    struct queue_change again;
    change_again(&queue_changes, change, &again, &record);
    require(queue_apply(trial->queue, &again), "a change of kind %d does not fit", (int)change->kind);
    queue_shadow_apply(&trial->shadow, &again);
    if (trial->companion) queue_apply(trial->companion, &again);
    free(record);
}

static struct guid next_guid(struct queue_trial *trial) {
    trial->ids++;
    return (struct guid){trial->ids * UINT64_C(0x9e3779b97f4a7c15), trial->ids};
}

static void apply_items(struct queue_trial *trial, struct queue_change *change, uint64_t count,
                        struct record_writer *items) {
    change->items = (struct packed_list){count, record_written(items)};
    if (count) apply(trial, change);
    record_end(items);
}

static void put(struct queue_trial *trial, const struct queue_choice *choice) {
    static const char text[MODEL_TEXT_MAX] = "text";
    static const int64_t ttls_ms[] = {1000, 5000, 5000, 5000, 20000, DURATION_INFINITE_MS};
    static const int64_t delays_ms[] = {0, 0, 0, 500, 3000, 10000};
    uint64_t count = choice->count % 8 ? 1 : BATCH_MAX;
    if (trial->shadow.model.count + count > TRIAL_MESSAGES_MAX) return;
    struct queue_change change = {
        .kind = QUEUE_PUT,
        .order = trial->queue->next_order + choice->label / 128,
        .inserted_ms = trial->now_ms,
        .expires_ms = queue_instant_after(trial->now_ms, ttls_ms[choice->ttl % 6]),
        .visible_ms = queue_instant_after(trial->now_ms, delays_ms[choice->visibility % 6]),
        .group = bytes_text(labels[choice->label % 6]),
    };
    if (count == 1 && choice->pass % 4 == 0) change.dedup = bytes_text(labels[choice->label / 8 % 6]);
    if (change.dedup.length) change.until_ms = trial->now_ms + choice->ttl * INT64_C(50);
    struct record_writer items;
    record_start(&items);
    for (uint64_t i = 0; i < count; i++) {
        struct queue_item item = {next_guid(trial), next_guid(trial), .text = {text, choice->length}};
        queue_item_put(QUEUE_PUT, &items, &item);
    }
    apply_items(trial, &change, count, &items);
}

static void get(struct queue_trial *trial, const struct queue_choice *choice) {
    struct visible_walk visible;
    queue_walk_visible(trial->queue, trial->now_ms, &visible);
    struct record_writer items;
    struct queue_change change = {.kind = QUEUE_DELIVER,
                                  .visible_ms = trial->now_ms + 100 + choice->visibility * INT64_C(20)};
    uint64_t count = 0, max = 1 + choice->count % BATCH_MAX;
    record_start(&items);
    for (const struct message *message; count < max && (message = message_walk_next(&visible.messages));
         count++) {
        struct queue_item item = queue_delivery(trial->queue, message, next_guid(trial));
        queue_item_put(QUEUE_DELIVER, &items, &item);
    }
    visible_walk_end(&visible);
    apply_items(trial, &change, count, &items);
}

/* One of the messages that are there. */
static struct message *choose(struct queue_trial *trial, const struct queue_choice *choice) {
    if (!trial->shadow.model.count) return NULL;
    size_t at = choice->subject % trial->shadow.model.count;
    struct guid id = queue_shadow_id(trial->shadow.model.messages[at].id);
    struct message *message;
    queue_find_owned(trial->queue, &id, &id, trial->now_ms, &message);
    return message;
}

static void update(struct queue_trial *trial, const struct queue_choice *choice) {
    static const char text[MODEL_TEXT_MAX] = "another text";
    const struct message *message = choose(trial, choice);
    if (!message) return;
    struct queue_change change = {
        .kind = QUEUE_UPDATE,
        .id = message->id,
        .receipt = next_guid(trial),
        .visible_ms = trial->now_ms + choice->visibility % 4 * INT64_C(1000),
        .behind = choice->visibility % 4 == 0,
        .has_text = choice->count % 2,
        .text = {text, choice->length},
    };
    apply(trial, &change);
}

static void release(struct queue_trial *trial, const struct queue_choice *choice) {
    const struct message *message = choose(trial, choice);
    if (!message) return;
    bool dies = message_stage(message) == MESSAGE_LAST;
    struct queue_change change = {
        .kind = QUEUE_RELEASE,
        .id = message->id,
        .receipt = next_guid(trial),
        .visible_ms = trial->now_ms + (dies ? 0 : choice->visibility % 4 * INT64_C(500)),
        .reason = bytes_text(labels[choice->label % 6]),
        .stage = dies ? MESSAGE_DEAD : MESSAGE_QUEUED,
        .behind = !dies && choice->visibility % 4 == 0,
    };
    apply(trial, &change);
}

static void delete (struct queue_trial *trial, const struct queue_choice *choice) {
    const struct message *message = choose(trial, choice);
    struct record_writer items;
    if (!message) return;
    struct queue_change change = {.kind = QUEUE_DELETE};
    record_start(&items);
    queue_item_put(QUEUE_DELETE, &items, &(struct queue_item){.id = message->id});
    apply_items(trial, &change, 1, &items);
}

static void redrive(struct queue_trial *trial, const struct queue_choice *choice) {
    struct message_walk dead;
    queue_walk_dead(trial->queue, trial->now_ms, &dead);
    struct record_writer items;
    struct queue_change change = {
        .kind = QUEUE_REDRIVE, .order = trial->queue->next_order, .inserted_ms = trial->now_ms};
    uint64_t count = 0;
    record_start(&items);
    for (struct message *message; count < choice->count % 8U && (message = message_walk_next(&dead));) {
        if (message_stage(message) != MESSAGE_DEAD) continue;
        struct queue_item item = {message->id, next_guid(trial),
                                  .expires_ms = trial->now_ms + choice->ttl * INT64_C(100)};
        queue_item_put(QUEUE_REDRIVE, &items, &item);
        count++;
    }
    apply_items(trial, &change, count, &items);
}

static void settle(struct queue_trial *trial, const struct queue_choice *choice) {
    struct queue_change change;
    if (queue_settlement(trial->queue, trial->now_ms, choice->count % 16, &change)) apply(trial, &change);
}

static void configure(struct queue_trial *trial, const struct queue_choice *choice) {
    struct queue_change change = {.kind = QUEUE_CONFIGURE, .max_deliveries = choice->count % 4};
    apply(trial, &change);
}

/* In one of the ways in which messages go all together. */
static void clear(struct queue_trial *trial, const struct queue_choice *choice) {
    struct queue_change change = {.kind = choice->count % 8 ? QUEUE_CLEAR_DEAD : QUEUE_CLEAR};
    if (choice->count % 8 != 1) {
        apply(trial, &change);
        return;
    }
    struct record_writer items;
    struct queue_depth before = queue_depth(trial->queue, trial->now_ms);
    change.kind = QUEUE_CLEAR_LIVING;
    record_start(&items);
    uint64_t count = queue_list_living(trial->queue, trial->now_ms, &items);
    require_same(count, before.visible + before.invisible, "those that are listed");
    apply_items(trial, &change, count, &items);
    struct queue_depth after = queue_depth(trial->queue, trial->now_ms);
    require_same(after.visible + after.invisible, 0, "messages left");
    require_same(after.dead, before.dead, "dead letters");
}

/* Most of a life is putting, getting and deleting; half of the steps come in the same millisecond. */
void queue_trial_step(struct queue_trial *trial, const struct queue_choice *choice) {
    if (choice->pass % 8 < 4)
        trial->now_ms += choice->pass % 8 ? choice->pass % 8 : choice->pass * INT64_C(10);
    static const struct {
        unsigned weight;
        void (*step)(struct queue_trial *trial, const struct queue_choice *choice);
    } steps[] = {{1, clear},  {1, configure}, {2, redrive}, {2, release}, {2, update},
                 {2, settle}, {4, delete},    {7, get},     {11, put}};
    unsigned at = 0, drawn = choice->kind % 32;
    while (drawn >= steps[at].weight) drawn -= steps[at++].weight;
    steps[at].step(trial, choice);
}

void queue_trial_compare(const struct queue_trial *trial) {
    queue_shadow_compare(&trial->shadow, trial->queue, trial->now_ms);
    queue_shadow_compare(&trial->shadow, trial->queue, trial->now_ms + 700);
    queue_shadow_compare(&trial->shadow, trial->queue, trial->now_ms + 100000);
}

static void take_over(struct queue_trial *trial, struct queue *queue) {
    require_same(queue->next_order, trial->queue->next_order, "order numbers");
    queue_free(trial->queue);
    trial->queue = queue;
    queue_trial_compare(trial);
}

struct rebuilt {
    struct queue *queue;
};

static void rebuild(void *context, const void *taken) {
    const struct queue_change *change = taken;
    struct rebuilt *rebuilt = context;
    char *record;
    struct queue_change again;
    change_again(&queue_changes, change, &again, &record);
    if (!rebuilt->queue)
        rebuilt->queue = queue_new(&again);
    else
        require(queue_apply(rebuilt->queue, &again), "a record of a walk does not fit");
    free(record);
}

void queue_trial_rebuild(struct queue_trial *trial) {
    struct rebuilt rebuilt = {NULL};
    queue_walk(trial->queue, &(struct change_walk){.take = rebuild, .context = &rebuilt});
    take_over(trial, rebuilt.queue);
}

void queue_trial_copy(struct queue_trial *trial) {
    take_over(trial, queue_copy(trial->queue));
}
