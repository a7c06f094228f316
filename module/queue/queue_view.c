#include "queue/queue_view.h"

#include "core/duration.h"
#include "core/number.h"
#include "queue/queue_registry.h"

#include "ccan/container_of/container_of.h"

/* --- Successors: see message_store.h --- */

struct successors {
    int64_t now_ms;
    size_t visible;
    int64_t next_visible_ms; /* when the next of the others becomes visible */
};

static void count_successor(void *context, struct message *message) {
    struct successors *successors = context;
    int64_t visible_ms = message_visible_ms(message);
    if (visible_ms <= successors->now_ms)
        successors->visible++;
    else if (visible_ms < message_ends_ms(message) && visible_ms < successors->next_visible_ms)
        successors->next_visible_ms = visible_ms;
}

static struct successors count_successors(const struct queue *queue, int64_t now_ms) {
    struct successors successors = {.now_ms = now_ms, .next_visible_ms = INT64_MAX};
    message_store_visit_successors(&queue->live, now_ms, count_successor, &successors);
    return successors;
}

/* --- Walks --- */

static void add_successor(void *index, struct message *message) {
    time_index_add(index, &message->times);
}

void queue_walk_visible(const struct queue *queue, int64_t now_ms, struct visible_walk *walk) {
    message_walk_start(&walk->messages, BY_VISIBLE, now_ms);
    message_walk_add(&walk->messages, &queue->live.by_visible, now_ms);
    walk->successors = (struct time_index)TIME_INDEX(BY_VISIBLE, false);
    if (!queue_has_groups(queue) || queue_next_end_ms(queue) > now_ms) return;
    message_store_visit_successors(&queue->live, now_ms, add_successor, &walk->successors);
    message_walk_add(&walk->messages, &walk->successors, now_ms);
}

void visible_walk_end(struct visible_walk *walk) {
    time_index_clear(&walk->successors);
}

/* They died when they would have become visible. */
void queue_walk_dead(const struct queue *queue, int64_t now_ms, struct message_walk *walk) {
    message_walk_start(walk, BY_VISIBLE, now_ms);
    message_walk_add(walk, &queue->dead.last_windows, INT64_MAX);
    message_walk_add(walk, &queue->live.last_windows, now_ms);
}

/* Those that have not ended. */
static void walk_living(const struct queue *queue, int64_t now_ms, struct message_walk *walk) {
    message_walk_start(walk, BY_ARRIVAL, now_ms);
    message_store_walk(&queue->live, walk);
}

/* --- Depth --- */

struct queue_depth queue_depth(const struct queue *queue, int64_t now_ms) {
    const struct message_store *live = &queue->live;
    size_t expired_visible = message_store_expired_visible(live, now_ms);
    size_t expired = expired_visible + time_index_rank(&live->hidden, now_ms),
           died = time_index_rank(&live->last_windows, now_ms);
    struct queue_depth depth = {
        .visible = time_index_rank(&live->by_visible, now_ms) - expired_visible +
                   count_successors(queue, now_ms).visible,
        .dead = message_store_count(&queue->dead) + died,
        .died = died,
        .expired = expired,
        .unsettled = expired + died + time_index_rank(&queue->dedup_entries.by_end, now_ms),
        .arrived_ms = -1,
    };
    depth.invisible = message_store_count(live) - expired - died - depth.visible;
    struct message_walk living;
    walk_living(queue, now_ms, &living);
    const struct message *oldest = message_walk_next(&living);
    if (oldest) depth.arrived_ms = message_inserted_ms(oldest);
    return depth;
}

struct depth_census {
    int64_t now_ms;
    size_t max, count;
    struct queue_depth *sum;
};

static bool add_depth(void *context, const struct list_node *node) {
    struct depth_census *census = context;
    struct queue_depth depth = queue_depth(container_of(node, struct queue, census), census->now_ms);
    struct queue_depth *sum = census->sum;
    bool older = depth.arrived_ms >= 0 && (sum->arrived_ms < 0 || depth.arrived_ms < sum->arrived_ms);
    if (older) sum->arrived_ms = depth.arrived_ms;
    sum->visible += depth.visible;
    sum->invisible += depth.invisible;
    sum->dead += depth.dead;
    sum->died += depth.died;
    sum->expired += depth.expired;
    sum->unsettled += depth.unsettled;
    return ++census->count < census->max;
}

size_t queue_census_depth(int64_t now_ms, size_t max, struct queue_depth *sum) {
    struct depth_census census = {.now_ms = now_ms, .max = max, .sum = sum};
    *sum = (struct queue_depth){.arrived_ms = -1};
    queue_registry_visit(add_depth, &census);
    return census.count;
}

/* --- Instants --- */

int64_t queue_next_visible_ms(const struct queue *queue, int64_t now_ms) {
    const struct time_entry *next = time_index_after(&queue->live.by_visible, now_ms);
    int64_t successor_ms = count_successors(queue, now_ms).next_visible_ms;
    return next ? number_min(time_entry_visible_ms(next), successor_ms) : successor_ms;
}

static int64_t first_end_ms(const struct time_index *index) {
    const struct time_entry *first = time_index_first(index);
    return first ? time_entry_ends_ms(first) : INT64_MAX;
}

int64_t queue_next_death_ms(const struct queue *queue) {
    return first_end_ms(&queue->live.last_windows);
}

int64_t queue_next_end_ms(const struct queue *queue) {
    const struct message_store *live = &queue->live;
    int64_t visible_ms = number_min(first_end_ms(&live->regular), first_end_ms(&live->by_end));
    int64_t messages_ms = number_min(visible_ms, first_end_ms(&live->hidden));
    int64_t others_ms = number_min(queue_next_death_ms(queue), first_end_ms(&queue->dedup_entries.by_end));
    return number_min(messages_ms, others_ms);
}

bool queue_has_groups(const struct queue *queue) {
    return queue->live.groups.count != 0;
}

/* --- Searches --- */

const struct dedup_entry *queue_find_dedup_entry(const struct queue *queue, struct bytes dedup,
                                                 int64_t now_ms) {
    const struct dedup_entry *entry = dedup_entries_find(&queue->dedup_entries, dedup);
    return entry && time_entry_ends_ms(&entry->times) > now_ms ? entry : NULL;
}

enum outcome queue_find_owned(const struct queue *queue, const struct guid *id, const struct guid *receipt,
                              int64_t now_ms, struct message **message) {
    *message = message_store_find(&queue->live, id);
    if (*message && message_ended(*message, now_ms)) *message = NULL;
    if (!*message) return OUTCOME_MESSAGE_NOT_FOUND;
    return guid_equal((*message)->receipt, *receipt) ? OUTCOME_DONE : OUTCOME_RECEIPT_MISMATCH;
}

struct message *queue_find_dead(const struct queue *queue, const struct guid *id, int64_t now_ms) {
    struct message *settled = message_store_find(&queue->dead, id);
    if (settled) return settled;
    struct message *message = message_store_find(&queue->live, id);
    return message && message_dies(message) && message_ended(message, now_ms) ? message : NULL;
}

/* --- Decisions --- */

bool queue_settlement(const struct queue *queue, int64_t now_ms, size_t max, struct queue_change *change) {
    if (queue_next_end_ms(queue) > now_ms) return false;
    const struct message_store *live = &queue->live;
    *change = (struct queue_change){
        .kind = QUEUE_SETTLE,
        .instant_ms = now_ms,
        .ended = size_min(message_store_expired(live, now_ms), max),
        .died = size_min(time_index_rank(&live->last_windows, now_ms), max),
        .forgotten = size_min(time_index_rank(&queue->dedup_entries.by_end, now_ms), max),
    };
    return true;
}

size_t queue_deaths_up_to(const struct queue *queue, const struct message *dead) {
    return message_stage(dead) == MESSAGE_DEAD
               ? 0
               : time_index_rank(&queue->live.last_windows, message_ends_ms(dead));
}

size_t queue_list_living(const struct queue *queue, int64_t now_ms, struct record_writer *items) {
    struct message_walk living;
    size_t count = 0;
    walk_living(queue, now_ms, &living);
    for (const struct message *message; (message = message_walk_next(&living)); count++) {
        struct queue_item item = {.id = message->id};
        queue_item_put(QUEUE_CLEAR_LIVING, items, &item);
    }
    return count;
}

struct queue_item queue_delivery(const struct queue *queue, const struct message *message,
                                 struct guid receipt) {
    uint32_t deliveries = message_deliveries(message);
    if (deliveries < UINT32_MAX) deliveries++;
    return (struct queue_item){
        .id = message->id,
        .receipt = receipt,
        .deliveries = deliveries,
        .last = queue->max_deliveries && deliveries >= queue->max_deliveries,
    };
}

int64_t queue_instant_after(int64_t now_ms, int64_t duration_ms) {
    bool never = duration_ms == DURATION_INFINITE_MS || duration_ms >= QUEUE_FOREVER_MS - now_ms;
    return never ? QUEUE_FOREVER_MS : now_ms + duration_ms;
}
