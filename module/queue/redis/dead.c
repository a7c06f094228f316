/* QUEUE.DEAD and QUEUE.REDRIVE: show dead letters, and put them back. Also the rule of DOCTOR about them. */
#include "core/number.h"
#include "core/pointer_map.h"
#include "queue/redis/queue_commands.h"
#include "server/base/entropy.h"

#include <inttypes.h>

enum { SHOWN_DEFAULT = 32 };

static void reply_dead(struct reply *out, const struct message *message) {
    struct bytes reason = message_reason(message);
    struct reply_map map = reply_map(out, reason.length ? 6 : 5);
    reply_field_guid(&map, "id", message->id);
    reply_field_number(&map, "inserted", message_inserted_ms(message));
    reply_field_number(&map, "died", message_visible_ms(message));
    reply_field_number(&map, "dequeue-count", message_deliveries(message));
    if (reason.length) reply_field_bytes(&map, "reason", reason);
    reply_field_bytes(&map, "message", message_text(message));
}

/* The first dead letters. If `taken` is given, it counts their replies there, and stops when the page is full. */
static size_t first_dead(struct call *call, size_t max, struct page_bytes *taken, struct message **found) {
    struct message_walk walk;
    queue_walk_dead(call->value, call_now_ms(call), &walk);
    size_t count = 0;
    struct message *message;
    while (count < max && (message = message_walk_next(&walk))) {
        if (taken && !page_bytes_take(taken, message_reply_bytes(message))) break;
        found[count++] = message;
    }
    return count;
}

enum outcome queue_dead_decide(struct call *call) {
    struct message *dead[QUEUE_BATCH_MAX];
    struct page_bytes taken = {0};
    size_t max = reply_page_max(call, SLOT_PAGE_SIZE, SHOWN_DEFAULT, QUEUE_BATCH_MAX);
    size_t count = first_dead(call, max, &taken, dead);
    reply_array(&call->out, (long)count);
    for (size_t i = 0; i < count; i++) reply_dead(&call->out, dead[i]);
    return OUTCOME_DONE;
}

enum outcome queue_redrive_check(struct call *call) {
    if (args_given(&call->args, SLOT_IDS) && args_given(&call->args, SLOT_PAGE_SIZE))
        return refusal_of_option(call, SLOT_IDS);
    return queue_check_items(call, SLOT_IDS);
}

void queue_decide_deaths(struct call *call, size_t max) {
    struct queue_change settled;
    if (!max || !queue_settlement(call->value, call_now_ms(call), max, &settled) || !settled.died) return;
    settled.ended = settled.forgotten = 0;
    *queue_decide(call, QUEUE_SETTLE) = settled;
}

/* Those that have not been settled are, with all that died before them. */
static void settle_found(struct call *call, struct message *const *dead, size_t count) {
    size_t deaths = 0;
    for (size_t i = 0; i < count; i++) deaths = size_max(deaths, queue_deaths_up_to(call->value, dead[i]));
    queue_decide_deaths(call, deaths);
}

/* Ignores ids of no dead letter, and ids that were named before. */
static size_t find_by_ids(struct call *call, struct message **found) {
    const struct argument *ids = &call->args.slots[SLOT_IDS];
    struct pointer_map times_named = {0};
    size_t count = 0;
    for (int i = 0; i < ids->count; i++) {
        struct guid id;
        if (!guid_read(call_word(call, ids->at + i), &id)) continue;
        struct message *message = queue_find_dead(call->value, &id, call_now_ms(call));
        if (message && (*pointer_map_at(&times_named, message))++ == 0) found[count++] = message;
    }
    pointer_map_end(&times_named);
    return count;
}

/* The same time to live as before, from now on. */
static int64_t new_expiry_ms(const struct message *message, int64_t now_ms) {
    int64_t expires_ms = message_expires_ms(message);
    if (expires_ms == QUEUE_FOREVER_MS || expires_ms < message_inserted_ms(message)) return expires_ms;
    return queue_instant_after(now_ms, expires_ms - message_inserted_ms(message));
}

static void decide_redrive(struct call *call, struct message *const *dead, size_t count) {
    const struct queue *queue = call->value;
    settle_found(call, dead, count);
    struct queue_change *change = queue_decide(call, QUEUE_REDRIVE);
    struct queue_item *items = queue_decide_items(call, change, count);
    change->order = queue->next_order;
    change->inserted_ms = call_now_ms(call);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct queue_item){.id = dead[i]->id,
                                       .receipt = entropy_guid(),
                                       .expires_ms = new_expiry_ms(dead[i], change->inserted_ms)};
}

enum outcome queue_redrive_decide(struct call *call) {
    struct message *dead[QUEUE_BATCH_MAX];
    enum outcome outcome = queue_check_order_numbers(call);
    if (outcome != OUTCOME_DONE) return outcome;
    size_t max = reply_page_max(call, SLOT_PAGE_SIZE, QUEUE_BATCH_MAX, QUEUE_BATCH_MAX);
    size_t count =
        args_given(&call->args, SLOT_IDS) ? find_by_ids(call, dead) : first_dead(call, max, NULL, dead);
    if (count) decide_redrive(call, dead, count);
    reply_number(&call->out, (long long)count);
    return OUTCOME_DONE;
}

/* --- For DOCTOR --- */

/* Messages in their last windows become dead letters without another change. */
bool queue_is_notable(const struct data_type *type, const void *value, const void *change) {
    const struct queue *queue = value;
    (void)type;
    (void)change;
    return message_store_count(&queue->dead) || time_index_first(&queue->live.last_windows);
}

static void find_dead_letters(struct doctor *doctor) {
    struct message_walk walk;
    queue_walk_dead(doctor->value, doctor->now_ms, &walk);
    const struct message *oldest = message_walk_next(&walk);
    if (!oldest) return;
    doctor_find(doctor, "dead letters: %zu, the oldest died %" PRId64 " s ago",
                queue_depth(doctor->value, doctor->now_ms).dead,
                (doctor->now_ms - message_visible_ms(oldest)) / 1000);
}

const struct doctor_rule queue_rules[] = {
    {SEVERITY_WARNING, NULL, find_dead_letters,
     "see why with QUEUE.DEAD, then QUEUE.REDRIVE them or QUEUE.CLEAR … DEAD"},
    {.check = NULL},
};
