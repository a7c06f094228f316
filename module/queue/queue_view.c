/* What a queue answers at an instant, and what can be decided by it. Nothing here changes anything. */
#include "core/duration.h"
#include "queue/queue.h"

/* --- Successors: see message_store.h --- */

struct successors {
    int64_t now_ms;
    size_t visible;
    int64_t showing_ms; /* when the next one shows that does not yet */
};

static void count_successor(void *context, struct message *message) {
    struct successors *successors = context;
    const struct time_entry *time_entry = &message->time_entry;
    if (time_entry->shows_ms <= successors->now_ms)
        successors->visible++;
    else if (time_entry->shows_ms < time_entry->ends_ms && time_entry->shows_ms < successors->showing_ms)
        successors->showing_ms = time_entry->shows_ms;
}

static struct successors count_successors(const struct queue *queue, int64_t now_ms) {
    struct successors successors = {.now_ms = now_ms, .showing_ms = INT64_MAX};
    message_store_visit_successors(&queue->live, now_ms, count_successor, &successors);
    return successors;
}

/* --- What there is --- */

struct queue_depth queue_depth(const struct queue *queue, int64_t now_ms) {
    const struct message_store *live = &queue->live;
    size_t ended = time_index_rank(&live->ends, now_ms);
    size_t over = ended + time_index_rank(&live->hidden, now_ms), died = time_index_rank(&live->last, now_ms);
    struct queue_depth depth = {
        .visible = time_index_rank(&live->shown, now_ms) - ended + count_successors(queue, now_ms).visible,
        .dead = message_store_count(&queue->dead) + died,
        .died = died,
        .over = over,
        .unsettled = over + died + time_index_rank(&queue->dedup_entries.by_end, now_ms),
        .arrived_ms = -1,
    };
    depth.invisible = message_store_count(live) - over - died - depth.visible;
    struct time_index_cursor cursor = {0};
    const struct message *oldest = message_of_time_entry(time_index_living(&live->arrivals, &cursor, now_ms));
    if (oldest) depth.arrived_ms = oldest->inserted_ms;
    return depth;
}

/* Of two in the order of their showing; NULL comes last. */
static bool shows_before(const struct message *one, const struct message *other) {
    if (!one || !other) return one != NULL;
    int64_t mine_ms = one->time_entry.shows_ms, theirs_ms = other->time_entry.shows_ms;
    if (mine_ms != theirs_ms) return mine_ms < theirs_ms;
    if (one->time_entry.turn != other->time_entry.turn) return one->time_entry.turn < other->time_entry.turn;
    return one->time_entry.order < other->time_entry.order;
}

static void note_visible(void *context, struct message *message) {
    struct visible_cursor *cursor = context;
    if (message->time_entry.shows_ms <= cursor->now_ms)
        time_index_add(&cursor->successors, &message->time_entry);
}

static struct message *next_shown(struct visible_cursor *cursor) {
    struct time_entry *time_entry =
        time_index_living(&cursor->queue->live.shown, &cursor->shown, cursor->now_ms);
    return time_entry && time_entry->shows_ms <= cursor->now_ms ? message_of_time_entry(time_entry) : NULL;
}

static struct message *next_successor(struct visible_cursor *cursor) {
    return message_of_time_entry(time_index_next(&cursor->successors, &cursor->successors_at));
}

static struct message *next_of_both(struct visible_cursor *cursor) {
    if (cursor->next_shown == cursor->answered) cursor->next_shown = next_shown(cursor);
    if (cursor->next_successor == cursor->answered) cursor->next_successor = next_successor(cursor);
    bool successor = shows_before(cursor->next_successor, cursor->next_shown);
    return cursor->answered = successor ? cursor->next_successor : cursor->next_shown;
}

void queue_visible_start(struct visible_cursor *cursor, const struct queue *queue, int64_t now_ms) {
    cursor->queue = queue;
    cursor->now_ms = now_ms;
    cursor->shown = (struct time_index_cursor){NULL, 0};
    cursor->merges = queue_has_groups(queue) && queue_next_end_ms(queue) <= now_ms;
    if (!cursor->merges) return;
    cursor->successors_at = cursor->shown;
    cursor->next_shown = cursor->next_successor = cursor->answered = NULL;
    cursor->successors = (struct time_index)TIMELINE(BY_SHOWING, false);
    message_store_visit_successors(&queue->live, now_ms, note_visible, cursor);
}

struct message *queue_next_visible(struct visible_cursor *cursor) {
    return cursor->merges ? next_of_both(cursor) : next_shown(cursor);
}

void queue_visible_end(struct visible_cursor *cursor) {
    if (cursor->merges) time_index_end(&cursor->successors);
}

int64_t queue_next_showing_ms(const struct queue *queue, int64_t now_ms) {
    const struct time_entry *next = time_index_behind(&queue->live.shown, now_ms);
    int64_t successor_ms = count_successors(queue, now_ms).showing_ms;
    return next && next->shows_ms < successor_ms ? next->shows_ms : successor_ms;
}

static int64_t first_end_ms(const struct time_index *time_index) {
    const struct time_entry *first = time_index_first(time_index);
    return first ? first->ends_ms : INT64_MAX;
}

static int64_t earlier(int64_t one_ms, int64_t other_ms) {
    return one_ms < other_ms ? one_ms : other_ms;
}

int64_t queue_next_end_ms(const struct queue *queue) {
    const struct message_store *live = &queue->live;
    int64_t messages_ms = earlier(first_end_ms(&live->ends), first_end_ms(&live->hidden));
    int64_t others_ms = earlier(first_end_ms(&live->last), first_end_ms(&queue->dedup_entries.by_end));
    return earlier(messages_ms, others_ms);
}

bool queue_has_groups(const struct queue *queue) {
    return queue->live.groups.count != 0;
}

/* --- Dead letters --- */

static void step_settled(const struct queue *queue, struct dead_cursor *cursor) {
    cursor->next_settled = message_of_time_entry(time_index_next(&queue->dead.last, &cursor->settled));
}

static void step_unsettled(const struct queue *queue, struct dead_cursor *cursor, int64_t now_ms) {
    struct time_entry *time_entry = time_index_next(&queue->live.last, &cursor->unsettled);
    cursor->next_unsettled =
        time_entry && time_entry->shows_ms <= now_ms ? message_of_time_entry(time_entry) : NULL;
}

struct message *queue_next_dead(const struct queue *queue, struct dead_cursor *cursor, int64_t now_ms) {
    if (!cursor->started) {
        cursor->started = true;
        step_settled(queue, cursor);
        step_unsettled(queue, cursor, now_ms);
    }
    struct message *settled = cursor->next_settled, *unsettled = cursor->next_unsettled;
    if (shows_before(settled, unsettled)) { /* they died when their windows ended */
        step_settled(queue, cursor);
        return settled;
    }
    if (unsettled) step_unsettled(queue, cursor, now_ms);
    return unsettled;
}

/* --- One message --- */

const struct dedup_entry *queue_dedup_entry(const struct queue *queue, struct bytes dedup, int64_t now_ms) {
    const struct dedup_entry *dedup_entry = dedup_entries_find(&queue->dedup_entries, dedup);
    return dedup_entry && dedup_entry->time_entry.ends_ms > now_ms ? dedup_entry : NULL;
}

struct message *queue_find(const struct queue *queue, const struct guid *id, int64_t now_ms) {
    struct message *message = message_store_find(&queue->live, id);
    return message && !message_over(message, now_ms) ? message : NULL;
}

enum outcome queue_find_owned(const struct queue *queue, const struct guid *id, const struct guid *receipt,
                              int64_t now_ms, struct message **message) {
    *message = queue_find(queue, id, now_ms);
    if (!*message) return OUTCOME_MESSAGE_NOT_FOUND;
    return guid_equal((*message)->receipt, *receipt) ? OUTCOME_DONE : OUTCOME_RECEIPT_MISMATCH;
}

struct message *queue_find_dead(const struct queue *queue, const struct guid *id) {
    return message_store_find(&queue->dead, id);
}

/* --- Decisions --- */

static uint64_t at_most(size_t count, size_t max) {
    return count < max ? count : max;
}

bool queue_settlement(const struct queue *queue, int64_t now_ms, size_t max, struct queue_change *change) {
    if (queue_next_end_ms(queue) > now_ms) return false;
    const struct message_store *live = &queue->live;
    size_t ended = time_index_rank(&live->ends, now_ms) + time_index_rank(&live->hidden, now_ms);
    *change = (struct queue_change){
        .kind = QUEUE_SETTLE,
        .instant_ms = now_ms,
        .ended = at_most(ended, max),
        .died = at_most(time_index_rank(&live->last, now_ms), max),
        .forgotten = at_most(time_index_rank(&queue->dedup_entries.by_end, now_ms), max),
    };
    return true;
}

size_t queue_list_living(const struct queue *queue, int64_t now_ms, struct record_writer *items) {
    const struct time_index *arrivals = &queue->live.arrivals;
    struct time_index_cursor cursor = {0};
    size_t count = 0;
    for (struct time_entry *time_entry; (time_entry = time_index_living(arrivals, &cursor, now_ms));
         count++) {
        struct queue_item item = {.id = message_of_time_entry(time_entry)->id};
        queue_item_put(QUEUE_CLEAR_LIVING, items, &item);
    }
    return count;
}

struct queue_item queue_delivery(const struct queue *queue, const struct message *message,
                                 struct guid receipt) {
    uint32_t deliveries = message->deliveries < UINT32_MAX ? message->deliveries + 1 : UINT32_MAX;
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
