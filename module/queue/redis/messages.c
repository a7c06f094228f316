/* Commands about messages, PUT, UPDATE, RELEASE and DELETE, and what deliveries.c and dead.c share with them. */
#include "queue/redis/queue_commands.h"

#include "core/duration.h"
#include "core/pointer_map.h"
#include "queue/redis/settings.h"
#include "server/base/entropy.h"
#include "server/call/limits.h"

enum { ARG_MESSAGE = 2 };

/* The maximum size of a message in a reply, without its text and reason. */
enum { MESSAGE_REPLY_BYTES = 320 };

#define DEFAULT_TTL_MS    INT64_C(604800000)
#define DEFAULT_WITHIN_MS INT64_C(300000)

/* --- Checks --- */

enum outcome queue_message_check(struct bytes text) {
    return text.length <= (unsigned long long)queue_max_message_bytes ? OUTCOME_DONE : OUTCOME_BODY_TOO_LARGE;
}

/* Accepts a GUID only in the form in which receipts are returned. */
enum outcome queue_receipt_check(struct bytes text) {
    if (text.length == GUID_DIGITS) return OUTCOME_DONE;
    return text.length ? OUTCOME_INVALID_QUERY : OUTCOME_RECEIPT_MISSING;
}

enum outcome queue_check_items(struct call *call, int slot) {
    if (!args_given(&call->args, slot) || call->args.slots[slot].count <= QUEUE_BATCH_MAX)
        return OUTCOME_DONE;
    return refusal_because_format(call, OUTCOME_OUT_OF_RANGE, "a batch has at most %d items",
                                  QUEUE_BATCH_MAX);
}

static enum outcome read_receipt(struct bytes text, struct guid *receipt) {
    enum outcome outcome = queue_receipt_check(text);
    if (outcome != OUTCOME_DONE) return outcome;
    return guid_read(text, receipt) ? OUTCOME_DONE : OUTCOME_INVALID_QUERY;
}

/* What to say of the receipt of an item, beyond the outcome's own text. */
static const char *explain_item(enum outcome outcome) {
    return outcome == OUTCOME_INVALID_QUERY ? "a receipt has 32 hexadecimal digits" : "";
}

/* In a transaction a malformed receipt refuses all; otherwise the messages are answered one by one. */
enum outcome queue_deletemany_check(struct call *call) {
    const struct argument *list = &call->args.slots[SLOT_LIST];
    enum outcome outcome = queue_check_items(call, SLOT_LIST);
    struct guid receipt;
    if (outcome != OUTCOME_DONE || !call_is_part(call)) return outcome;
    for (int i = 0; outcome == OUTCOME_DONE && i < list->count; i++)
        outcome = read_receipt(call_word(call, list->at + 2 * i + 1), &receipt);
    return refusal_because(call, outcome, explain_item(outcome));
}

/* Only a TTL that is given is compared with VISIBILITY. */
enum outcome queue_put_check(struct call *call) {
    int64_t ttl_ms = call_number(call, SLOT_TTL, DURATION_INFINITE_MS);
    if (ttl_ms != DURATION_INFINITE_MS && ttl_ms < 1000)
        return refusal_because(call, OUTCOME_INVALID_QUERY, "TTL is -1, or 1 second or more");
    if (ttl_ms != DURATION_INFINITE_MS && call_number(call, SLOT_VISIBILITY, 0) >= ttl_ms)
        return refusal_because(call, OUTCOME_INVALID_QUERY, "TTL must be greater than VISIBILITY");
    if (args_given(&call->args, SLOT_WITHIN) && !args_given(&call->args, SLOT_DEDUP))
        return refusal_of_option(call, SLOT_WITHIN);
    return queue_check_items(call, SLOT_LIST);
}

enum outcome queue_count_check(struct call *call) {
    if (call_number(call, SLOT_PAGE_SIZE, 1) <= queue_max_count) return OUTCOME_DONE;
    return refusal_because_format(call, OUTCOME_OUT_OF_RANGE, "COUNT is 1..%lld", queue_max_count);
}

/* --- Changes and replies --- */

struct queue_item *queue_decide_items(struct call *call, struct queue_change *change, size_t count) {
    struct queue_item *items = call_alloc(call, count * sizeof(*items));
    change->items.count = count;
    change->decided_items = items;
    return items;
}

struct message *const *queue_keep_found(struct call *call, struct message *const *found, size_t count) {
    return memcpy(call_alloc(call, count * sizeof(*found)), found, count * sizeof(*found));
}

void queue_reply_receipt(struct reply_map *map, struct guid receipt) {
    reply_field(map, "receipt");
    reply_guid_digits(map->out, receipt);
}

size_t message_reply_bytes(const struct message *message) {
    return MESSAGE_REPLY_BYTES + message_text(message).length + message_reason(message).length;
}

/* --- Putting --- */

/* Decides a put without its items and DEDUP id. */
static struct queue_change *decide_put(struct call *call) {
    const struct queue *queue = call->value;
    int64_t now_ms = call_now_ms(call);
    struct queue_change *change = queue_decide(call, QUEUE_PUT);
    change->order = queue->next_order;
    change->inserted_ms = now_ms;
    change->expires_ms = queue_instant_after(now_ms, call_number(call, SLOT_TTL, DEFAULT_TTL_MS));
    change->visible_ms = queue_instant_after(now_ms, call_number(call, SLOT_VISIBILITY, 0));
    change->group = call_option(call, SLOT_GROUP);
    return change;
}

static void reply_put(struct reply *out, const struct queue_change *change, struct guid id,
                      struct guid receipt, bool duplicate) {
    struct reply_map map = reply_map(out, duplicate ? 6 : 5);
    reply_field_guid(&map, "id", id);
    queue_reply_receipt(&map, receipt);
    reply_field_number(&map, "inserted", change->inserted_ms);
    reply_field_number(&map, "expires", change->expires_ms);
    reply_field_number(&map, "visible-at", change->visible_ms);
    if (duplicate) reply_field_number(&map, "duplicate", 1);
}

/* Adds the messages in argv from `at` on to the change, and replies for each. */
static void put_and_reply(struct call *call, struct queue_change *change, int at, int count) {
    struct queue_item *items = queue_decide_items(call, change, (size_t)count);
    for (int i = 0; i < count; i++) {
        items[i].id = entropy_public_guid();
        queue_prefetch(call->value, &items[i].id);
        items[i].receipt = entropy_guid();
        items[i].text = call_word(call, at + i);
        reply_put(&call->out, change, items[i].id, items[i].receipt, false);
    }
}

/* Only a crafted payload can bring a queue to the end of its order numbers. */
enum outcome queue_check_order_numbers(struct call *call) {
    const struct queue *queue = call->value;
    uint64_t before = limits_taken_before(call, "orders", bytes_of("", 0), QUEUE_BATCH_MAX);
    if (queue->next_order + before <= QUEUE_ORDER_MAX - QUEUE_BATCH_MAX) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_OUT_OF_RANGE, "the queue has no order numbers left");
}

/* A duplicate gets the reply of the first put. */
static enum outcome reply_duplicate(struct call *call, const struct dedup_entry *entry) {
    struct queue_change first = dedup_entry_as_change(entry);
    decision_count(call, &queue_stats.duplicates, 1);
    reply_put(&call->out, &first, first.id, first.receipt, true);
    return OUTCOME_DONE;
}

enum outcome queue_put_decide(struct call *call) {
    enum outcome outcome = queue_check_order_numbers(call);
    if (outcome != OUTCOME_DONE) return outcome;
    struct bytes dedup = call_option(call, SLOT_DEDUP);
    int64_t now_ms = call_now_ms(call);
    const struct dedup_entry *entry =
        dedup.length ? queue_find_dedup_entry(call->value, dedup, now_ms) : NULL;
    if (entry) return reply_duplicate(call, entry);
    struct queue_change *change = decide_put(call);
    change->dedup = dedup;
    if (dedup.length)
        change->until_ms = queue_instant_after(now_ms, call_number(call, SLOT_WITHIN, DEFAULT_WITHIN_MS));
    put_and_reply(call, change, ARG_MESSAGE, 1);
    return OUTCOME_DONE;
}

enum outcome queue_putmany_decide(struct call *call) {
    const struct argument *list = &call->args.slots[SLOT_LIST];
    enum outcome outcome = queue_check_order_numbers(call);
    if (outcome != OUTCOME_DONE) return outcome;
    reply_array(&call->out, list->count);
    put_and_reply(call, decide_put(call), list->at, list->count);
    return OUTCOME_DONE;
}

/* --- With a receipt --- */

/* For all commands with a receipt. The operator decides whether a wrong receipt has an error of its own. */
static enum outcome find_owned(struct call *call, struct bytes id_text, const struct guid *receipt,
                               struct message **message) {
    struct guid id;
    if (!guid_read(id_text, &id)) return OUTCOME_MESSAGE_NOT_FOUND;
    enum outcome outcome = queue_find_owned(call->value, &id, receipt, call_now_ms(call), message);
    bool hidden = outcome == OUTCOME_RECEIPT_MISMATCH && queue_on_mismatch.chosen == RECEIPT_NOTFOUND;
    return hidden ? OUTCOME_MESSAGE_NOT_FOUND : outcome;
}

static enum outcome find_by_arguments(struct call *call, struct message **message) {
    return find_owned(call, call_word(call, ARG_ID), &call->args.slots[SLOT_RECEIPT].id, message);
}

/* When memory is short, a consumer can still extend its window, and shorten the text, but not make it longer. */
enum outcome queue_update_decide(struct call *call) {
    struct message *message;
    enum outcome outcome = find_by_arguments(call, &message);
    bool grows = outcome == OUTCOME_DONE && call_option(call, SLOT_MESSAGE).length > message_length(message);
    if (grows) outcome = call_check_memory(call);
    if (outcome != OUTCOME_DONE) return outcome;
    struct queue_change *change = queue_decide(call, QUEUE_UPDATE);
    change->found = queue_keep_found(call, &message, 1);
    change->id = message->id;
    change->receipt = entropy_guid();
    change->visible_ms = queue_instant_after(call_now_ms(call), call_number(call, SLOT_VISIBILITY, 0));
    change->behind = change->visible_ms == call_now_ms(call);
    change->has_text = args_given(&call->args, SLOT_MESSAGE);
    change->text = call_option(call, SLOT_MESSAGE);
    struct reply_map map = reply_map(&call->out, 2);
    queue_reply_receipt(&map, change->receipt);
    reply_field_number(&map, "visible-at", change->visible_ms);
    return OUTCOME_DONE;
}

/* The new receipt is not returned, so nobody has a valid one. The delivery decided whether it was the last one. */
enum outcome queue_release_decide(struct call *call) {
    struct message *message;
    enum outcome outcome = find_by_arguments(call, &message);
    if (outcome != OUTCOME_DONE) return outcome;
    bool dies = message_stage(message) == MESSAGE_LAST;
    int64_t now_ms = call_now_ms(call);
    struct queue_change *change = queue_decide(call, QUEUE_RELEASE);
    change->found = queue_keep_found(call, &message, 1);
    change->id = message->id;
    change->receipt = entropy_guid();
    change->visible_ms = dies ? now_ms : queue_instant_after(now_ms, call_number(call, SLOT_VISIBILITY, 0));
    change->behind = change->visible_ms == now_ms;
    change->reason = call_option(call, SLOT_REASON);
    change->stage = dies ? MESSAGE_DEAD : MESSAGE_QUEUED;
    return call_done(call);
}

static void decide_delete(struct call *call, struct message *const *messages, size_t count) {
    struct queue_change *change = queue_decide(call, QUEUE_DELETE);
    change->found = queue_keep_found(call, messages, count);
    struct queue_item *items = queue_decide_items(call, change, count);
    for (size_t i = 0; i < count; i++) items[i].id = messages[i]->id;
}

enum outcome queue_delete_decide(struct call *call) {
    struct message *message;
    enum outcome outcome = find_by_arguments(call, &message);
    if (outcome != OUTCOME_DONE) return outcome;
    decide_delete(call, &message, 1);
    return call_done(call);
}

/* The message whose id and receipt are the words from `at` on. */
static enum outcome find_owned_of_list(struct call *call, int at, struct message **message) {
    struct guid receipt;
    enum outcome outcome = read_receipt(call_word(call, at + 1), &receipt);
    if (outcome != OUTCOME_DONE) return outcome;
    return find_owned(call, call_word(call, at), &receipt, message);
}

/* Sets an outcome for each message of the list; one that is named twice is not found the second time. Fills `gone` with
 * the messages to delete, and returns their number. */
static size_t find_listed_messages(struct call *call, int named, struct message **gone,
                                   enum outcome *outcomes) {
    const struct argument *list = &call->args.slots[SLOT_LIST];
    struct pointer_map places = {0}; /* in `gone`, counted from one */
    size_t count = 0;
    for (int i = 0; i < named; i++) {
        struct message *message = NULL;
        outcomes[i] = find_owned_of_list(call, list->at + 2 * i, &message);
        if (outcomes[i] != OUTCOME_DONE) continue;
        uintptr_t *place = pointer_map_at(&places, message);
        if (*place) {
            outcomes[i] = OUTCOME_MESSAGE_NOT_FOUND;
        } else {
            gone[count++] = message;
            *place = count;
        }
    }
    pointer_map_end(&places);
    return count;
}

/* In a transaction, all of them are deleted or none. */
enum outcome queue_deletemany_decide(struct call *call) {
    const int named = call->args.slots[SLOT_LIST].count;
    struct message *gone[QUEUE_BATCH_MAX];
    enum outcome outcomes[QUEUE_BATCH_MAX];
    size_t count = find_listed_messages(call, named, gone, outcomes);
    for (int i = 0; call_is_part(call) && i < named; i++)
        if (outcomes[i] != OUTCOME_DONE) return outcomes[i];
    if (count) decide_delete(call, gone, count);
    reply_array(&call->out, named);
    for (int i = 0; i < named; i++) {
        if (outcomes[i] == OUTCOME_DONE)
            reply_ok(&call->out);
        else
            refusal_reply(&call->out, outcomes[i], explain_item(outcomes[i]));
    }
    return OUTCOME_DONE;
}
