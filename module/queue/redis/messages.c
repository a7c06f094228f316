/* QUEUE.* for messages: from a parsed call to a decision, and from a message to a reply. */
#include "queue/redis/handlers.h"

#include "core/duration.h"
#include "core/kept.h"
#include "core/memory.h"
#include "core/pointer_map.h"
#include "server/entropy.h"
#include "server/histogram.h"
#include "server/refusal.h"
#include "server/wait.h"

/* How often a consumer has heads of groups removed that have ended, if nothing else is to be had. */
enum { HEADS_PORTIONS = 60 };

enum { ARG_MESSAGE = 2, ARG_ID = 2, ARG_RECEIPT = 3 };

/* What a message takes in a reply besides its text. */
enum { MESSAGE_REPLY_BYTES = 320 };

#define DEFAULT_TTL_MS        INT64_C(604800000)
#define DEFAULT_VISIBILITY_MS INT64_C(30000)
#define DEFAULT_WITHIN_MS     INT64_C(300000)

static long long max_message_bytes = 65536, max_count = 32;

/* What a receipt that is not the message's own is answered with. */
enum { RECEIPT_NOTFOUND, RECEIPT_MISMATCH };
static const char *mismatch_words[] = {"notfound", "mismatch", NULL};
static struct setting_choice on_mismatch = {mismatch_words, RECEIPT_NOTFOUND};

const struct setting queue_settings[] = {
    {.name = "queue-max-message-bytes",
     .bytes = true,
     .number = &max_message_bytes,
     .min = 1,
     .max = QUEUE_TEXT_MAX_BYTES},
    {.name = "queue-max-count", .number = &max_count, .min = 1, .max = QUEUE_BATCH_MAX},
    {.name = "queue-receipt-mismatch", .choice = &on_mismatch},
    {.name = NULL},
};

/* --- Form --- */

enum outcome queue_message_rule(struct bytes text) {
    return text.length <= (unsigned long long)max_message_bytes ? OUTCOME_DONE : OUTCOME_BODY_TOO_LARGE;
}

/* Exactly as receipts are given: other forms of GUIDs are none. */
static bool receipt_read(struct bytes text, struct guid *receipt) {
    return text.length == GUID_DIGITS && guid_read(text, receipt);
}

static enum outcome bad_receipt(struct bytes text) {
    return text.length ? OUTCOME_INVALID_QUERY : OUTCOME_RECEIPT_MISSING;
}

enum outcome queue_receipt_rule(struct bytes text) {
    struct guid receipt;
    return receipt_read(text, &receipt) ? OUTCOME_DONE : bad_receipt(text);
}

enum outcome queue_reason_rule(struct bytes text) {
    return text.length <= QUEUE_LABEL_MAX_BYTES ? OUTCOME_DONE : OUTCOME_INVALID_QUERY;
}

enum outcome queue_label_rule(struct bytes text) {
    return text.length ? queue_reason_rule(text) : OUTCOME_INVALID_QUERY;
}

static int64_t asked_number(const struct call *call, int slot, int64_t otherwise) {
    return args_given(&call->args, slot) ? call->args.slots[slot].number : otherwise;
}

static struct bytes asked_message_text(const struct call *call, int slot) {
    return args_given(&call->args, slot) ? call_word(call, call->args.slots[slot].at) : bytes_of("", 0);
}

static enum outcome invalid_number(struct call *call, const char *why) {
    call_note(call, "%s", why);
    return OUTCOME_INVALID_QUERY;
}

enum outcome queue_batch_check(struct call *call) {
    if (!args_given(&call->args, SLOT_LIST) || call->args.slots[SLOT_LIST].count <= QUEUE_BATCH_MAX)
        return OUTCOME_DONE;
    call_note(call, "a batch has at most %d items", QUEUE_BATCH_MAX);
    return OUTCOME_OUT_OF_RANGE;
}

/* A default time to live is not measured against the visibility: such a message ends before it shows. */
enum outcome queue_put_check(struct call *call) {
    int64_t ttl_ms = asked_number(call, SLOT_TTL, DURATION_INFINITE_MS);
    if (ttl_ms != DURATION_INFINITE_MS && ttl_ms < 1000)
        return invalid_number(call, "TTL is -1, or 1 second or more");
    if (ttl_ms != DURATION_INFINITE_MS && asked_number(call, SLOT_VISIBILITY, 0) >= ttl_ms)
        return invalid_number(call, "TTL must be greater than VISIBILITY");
    if (args_given(&call->args, SLOT_WITHIN) && !args_given(&call->args, SLOT_DEDUP)) {
        call_note(call, "syntax error near 'WITHIN'");
        return OUTCOME_SYNTAX;
    }
    return queue_batch_check(call);
}

enum outcome queue_count_check(struct call *call) {
    if (asked_number(call, SLOT_PAGE_SIZE, 1) <= max_count) return OUTCOME_DONE;
    call_note(call, "COUNT is 1..%lld", max_count);
    return OUTCOME_OUT_OF_RANGE;
}

/* --- Replies --- */

void reply_field_receipt(struct reply_map *map, struct guid receipt) {
    reply_field(map, "receipt");
    reply_guid_digits(map->out, receipt);
}

/* --- Putting --- */

/* Everything but the items, and the id that duplicates are known by. */
static struct queue_change *decide_put(struct call *call) {
    const struct queue *queue = call->value;
    int64_t now_ms = call_now_ms(call);
    struct queue_change *change = call_decide(call, QUEUE_PUT);
    change->order = queue->orders;
    change->inserted_ms = now_ms;
    change->expires_ms = queue_instant_after(now_ms, asked_number(call, SLOT_TTL, DEFAULT_TTL_MS));
    change->shows_ms = queue_instant_after(now_ms, asked_number(call, SLOT_VISIBILITY, 0));
    change->group = asked_message_text(call, SLOT_GROUP);
    return change;
}

static void reply_put(struct reply *out, const struct queue_change *change, struct guid id,
                      struct guid receipt, bool duplicate) {
    struct reply_map map = reply_map(out, duplicate ? 6 : 5);
    reply_field_guid(&map, "id", id);
    reply_field_receipt(&map, receipt);
    reply_field_number(&map, "inserted", change->inserted_ms);
    reply_field_number(&map, "expires", change->expires_ms);
    reply_field_number(&map, "visible-at", change->shows_ms);
    if (duplicate) reply_field_number(&map, "duplicate", 1);
}

/* Puts the messages that stand in argv from here on, and answers each. */
static void put_items(struct call *call, struct queue_change *change, int at, int count) {
    struct record_writer *items = call_writer(call);
    for (int i = 0; i < count; i++) {
        struct queue_item item = {.id = entropy_guid(), .text = call_word(call, at + i)};
        queue_prefetch(call->value, &item.id);
        item.receipt = entropy_guid();
        queue_item_put(QUEUE_PUT, items, &item);
        reply_put(&call->out, change, item.id, item.receipt, false);
    }
    change->items = (struct packed_list){(uint64_t)count, bytes_of(items->data, items->length)};
}

/* No queue runs out of order numbers but one that a payload has brought to their end. */
enum outcome queue_takes_more(struct call *call) {
    const struct queue *queue = call->value;
    uint64_t before = call_taken_before(call, "orders", bytes_of("", 0), QUEUE_BATCH_MAX);
    if (queue->orders + before <= QUEUE_ORDER_MAX - QUEUE_BATCH_MAX) return OUTCOME_DONE;
    call_note(call, "the queue has no order numbers left");
    return OUTCOME_OUT_OF_RANGE;
}

/* A duplicate is answered as its first put was. */
static enum outcome reply_duplicate(struct call *call, const struct dedup_entry *dedup_entry) {
    struct queue_change first = dedup_entry_as_change(dedup_entry);
    queue_stats.duplicates++;
    reply_put(&call->out, &first, first.id, first.receipt, true);
    return OUTCOME_DONE;
}

enum outcome queue_put(struct call *call) {
    enum outcome outcome = queue_takes_more(call);
    if (outcome != OUTCOME_DONE) return outcome;
    struct bytes dedup = asked_message_text(call, SLOT_DEDUP);
    int64_t now_ms = call_now_ms(call);
    const struct dedup_entry *dedup_entry =
        dedup.length ? queue_dedup_entry(call->value, dedup, now_ms) : NULL;
    if (dedup_entry) return reply_duplicate(call, dedup_entry);
    struct queue_change *change = decide_put(call);
    change->dedup = dedup;
    if (dedup.length)
        change->until_ms = queue_instant_after(now_ms, asked_number(call, SLOT_WITHIN, DEFAULT_WITHIN_MS));
    put_items(call, change, ARG_MESSAGE, 1);
    return OUTCOME_DONE;
}

enum outcome queue_putmany(struct call *call) {
    const struct argument *list = &call->args.slots[SLOT_LIST];
    enum outcome outcome = queue_takes_more(call);
    if (outcome != OUTCOME_DONE) return outcome;
    reply_array(&call->out, list->count);
    put_items(call, decide_put(call), list->at, list->count);
    return OUTCOME_DONE;
}

/* --- Getting --- */

size_t message_reply_bytes(const struct message *message) {
    return MESSAGE_REPLY_BYTES + message_text(message).length + message_reason(message).length;
}

/* What a consumer is told of a message that it is given. */
static void reply_delivered(struct reply *out, const struct message *message, const struct queue_item *item,
                            int64_t shows_ms) {
    struct reply_map map = reply_map(out, 7);
    reply_field_guid(&map, "id", item->id);
    reply_field_receipt(&map, item->receipt);
    reply_field_number(&map, "dequeue-count", item->deliveries);
    reply_field_number(&map, "inserted", message->inserted_ms);
    reply_field_number(&map, "expires", message_expires_ms(message));
    reply_field_number(&map, "visible-at", shows_ms);
    reply_field_bytes(&map, "message", message_text(message));
}

static size_t find_visible(struct call *call, size_t max, struct message **found) {
    struct visible_cursor cursor;
    queue_visible_start(&cursor, call->value, call_now_ms(call));
    struct page_room room = {0};
    size_t count = 0;
    struct message *message;
    while (count < max && (message = queue_next_visible(&cursor))) {
        if (!page_room_take(&room, message_reply_bytes(message))) break;
        found[count++] = message;
    }
    queue_visible_end(&cursor);
    return count;
}

/* Whether messages can be had only when those of their groups that have ended and came first are removed. */
static bool heads_are_over(struct call *call) {
    struct message *found;
    bool over = queue_has_groups(call->value) && queue_next_end_ms(call->value) <= call_now_ms(call);
    return over && !find_visible(call, 1, &found);
}

void queue_settle_heads(struct call *call) {
    queue_settle_some(call);
    for (int i = 0; i < HEADS_PORTIONS && heads_are_over(call); i++) queue_settle_some(call);
}

/* The message as it was, but for the receipt by which it is known. */
static void put_message_grant(struct record_writer *grant, const struct message *message,
                              struct guid receipt) {
    const struct queue_item item = {.id = message->id,
                                    .receipt = receipt,
                                    .deliveries = message->deliveries,
                                    .shows_ms = message->time_entry.shows_ms,
                                    .turn = message->time_entry.turn};
    queue_item_put(QUEUE_UNDELIVER, grant, &item);
}

/* Nobody has got them: they come back to their places, and the delivery does not count. */
void queue_get_give_back(struct call *call, struct record_reader *granted) {
    struct record_writer *items = call_writer(call);
    struct queue_item item;
    struct message *message;
    uint64_t count = 0;
    while (queue_item_next(QUEUE_UNDELIVER, granted, &item)) {
        enum outcome outcome =
            queue_find_owned(call->value, &item.id, &item.receipt, call_now_ms(call), &message);
        if (outcome != OUTCOME_DONE) continue;
        item.receipt = entropy_guid();
        queue_item_put(QUEUE_UNDELIVER, items, &item);
        count++;
    }
    if (!count) return;
    struct queue_change *change = call_decide(call, QUEUE_UNDELIVER);
    change->items = (struct packed_list){count, bytes_of(items->data, items->length)};
}

/* The messages that were found, for as long as the call lasts. */
static struct message *const *keep_found(struct call *call, struct message *const *found, size_t count) {
    return memcpy(call_room(call, count * sizeof(*found)), found, count * sizeof(*found));
}

static void deliver(struct call *call, struct message *const *found, size_t count) {
    int64_t visibility_ms = asked_number(call, SLOT_VISIBILITY, DEFAULT_VISIBILITY_MS);
    struct queue_change *change = call_decide(call, QUEUE_DELIVER);
    change->found = keep_found(call, found, count);
    struct record_writer *items = call_writer(call);
    change->shows_ms = queue_instant_after(call_now_ms(call), visibility_ms);
    for (size_t i = 0; i < count; i++) {
        struct queue_item item = queue_delivery(call->value, found[i], entropy_guid());
        queue_item_put(QUEUE_DELIVER, items, &item);
        reply_delivered(&call->out, found[i], &item, change->shows_ms);
        if (call->grant) put_message_grant(call->grant, found[i], item.receipt);
    }
    change->items = (struct packed_list){count, bytes_of(items->data, items->length)};
}

enum outcome queue_get(struct call *call) {
    struct message *found[QUEUE_BATCH_MAX];
    size_t count = find_visible(call, (size_t)asked_number(call, SLOT_PAGE_SIZE, 1), found);
    reply_array(&call->out, (long)count);
    if (!count) {
        int64_t due_ms = queue_next_showing_ms(call->value, call_now_ms(call));
        return call_not_yet(call, &message_wait, bytes_of("", 0), due_ms, OUTCOME_DONE);
    }
    call_in_line(call, &message_wait, bytes_of("", 0));
    deliver(call, found, count);
    return OUTCOME_DONE;
}

/* Others have the messages. */
enum outcome queue_get_nothing(struct call *call, bool late) {
    (void)late;
    reply_array(&call->out, 0);
    return OUTCOME_DONE;
}

/* --- Getting once more --- */

/* Which messages, and by which receipts: what a message says is in the queue as long as it can be told. */
void queue_get_remember(struct call *call, struct reply *kept) {
    const struct queue_change *change = call->decision.first->change;
    struct record_reader items = record_reader(change->items.items);
    struct queue_item item;
    reply_array(kept, 2 * (long)change->items.count);
    while (queue_item_next(QUEUE_DELIVER, &items, &item)) {
        reply_guid(kept, item.id);
        reply_guid(kept, item.receipt);
    }
}

/* The messages that are still in the window of that delivery. */
static size_t find_delivered(struct call *call, struct bytes kept, struct message **found) {
    struct record_reader reader = {0};
    struct guid id, receipt;
    size_t count = 0;
    while (count < QUEUE_BATCH_MAX && kept_next_guid(kept, &reader, &id) &&
           kept_next_guid(kept, &reader, &receipt)) {
        struct message *message;
        if (queue_find_owned(call->value, &id, &receipt, call_now_ms(call), &message) != OUTCOME_DONE)
            continue;
        if (message->time_entry.shows_ms > call_now_ms(call)) found[count++] = message;
    }
    return count;
}

enum outcome queue_get_recall(struct call *call, struct bytes kept) {
    struct message *found[QUEUE_BATCH_MAX];
    size_t count = find_delivered(call, kept, found);
    reply_array(&call->out, (long)count);
    for (size_t i = 0; i < count; i++) {
        const struct queue_item item = {
            .id = found[i]->id, .receipt = found[i]->receipt, .deliveries = found[i]->deliveries};
        reply_delivered(&call->out, found[i], &item, found[i]->time_entry.shows_ms);
    }
    return OUTCOME_DONE;
}

enum outcome queue_peek(struct call *call) {
    struct message *seen[QUEUE_BATCH_MAX];
    size_t count = find_visible(call, (size_t)asked_number(call, SLOT_PAGE_SIZE, 1), seen);
    reply_array(&call->out, (long)count);
    for (size_t i = 0; i < count; i++) {
        struct reply_map map = reply_map(&call->out, 5);
        reply_field_guid(&map, "id", seen[i]->id);
        reply_field_number(&map, "dequeue-count", seen[i]->deliveries);
        reply_field_number(&map, "inserted", seen[i]->inserted_ms);
        reply_field_number(&map, "expires", message_expires_ms(seen[i]));
        reply_field_bytes(&map, "message", message_text(seen[i]));
    }
    return OUTCOME_DONE;
}

/* --- With a receipt --- */

/* Whether the service tells a wrong receipt from a wrong id is for the operator to say; the same everywhere. */
static enum outcome find_owned(struct call *call, struct bytes id_text, struct bytes receipt_text,
                               struct message **message) {
    struct guid id, receipt;
    if (!receipt_read(receipt_text, &receipt)) return bad_receipt(receipt_text);
    if (!guid_read(id_text, &id)) return OUTCOME_MESSAGE_NOT_FOUND;
    enum outcome outcome = queue_find_owned(call->value, &id, &receipt, call_now_ms(call), message);
    bool hidden = outcome == OUTCOME_RECEIPT_MISMATCH && on_mismatch.chosen == RECEIPT_NOTFOUND;
    return hidden ? OUTCOME_MESSAGE_NOT_FOUND : outcome;
}

static enum outcome find_named(struct call *call, struct message **message) {
    return find_owned(call, call_word(call, ARG_ID), call_word(call, ARG_RECEIPT), message);
}

/* A consumer can go on holding its message when memory is short, and write down less, but not more. */
enum outcome queue_update(struct call *call) {
    struct message *message;
    enum outcome outcome = find_named(call, &message);
    bool grows = outcome == OUTCOME_DONE && asked_message_text(call, SLOT_MESSAGE).length > message->length;
    if (grows) outcome = call_may_grow(call);
    if (outcome != OUTCOME_DONE) return outcome;
    struct queue_change *change = call_decide(call, QUEUE_UPDATE);
    change->found = keep_found(call, &message, 1);
    change->id = message->id;
    change->receipt = entropy_guid();
    change->shows_ms = queue_instant_after(call_now_ms(call), asked_number(call, SLOT_VISIBILITY, 0));
    change->behind = change->shows_ms == call_now_ms(call);
    change->has_text = args_given(&call->args, SLOT_MESSAGE);
    change->text = asked_message_text(call, SLOT_MESSAGE);
    struct reply_map map = reply_map(&call->out, 2);
    reply_field_receipt(&map, change->receipt);
    reply_field_number(&map, "visible-at", change->shows_ms);
    return OUTCOME_DONE;
}

/* Nobody is told the new receipt, so the old one's holder has nothing to do with the message any more. Whether this was
 * its last delivery was settled when it was made. */
enum outcome queue_release(struct call *call) {
    struct message *message;
    enum outcome outcome = find_named(call, &message);
    if (outcome != OUTCOME_DONE) return outcome;
    bool dies = message->standing == MESSAGE_LAST;
    int64_t now_ms = call_now_ms(call);
    struct queue_change *change = call_decide(call, QUEUE_RELEASE);
    change->found = keep_found(call, &message, 1);
    change->id = message->id;
    change->receipt = entropy_guid();
    change->shows_ms = dies ? now_ms : queue_instant_after(now_ms, asked_number(call, SLOT_VISIBILITY, 0));
    change->behind = change->shows_ms == now_ms;
    change->reason = asked_message_text(call, SLOT_REASON);
    change->standing = dies ? MESSAGE_DEAD : MESSAGE_QUEUED;
    reply_ok(&call->out);
    return OUTCOME_DONE;
}

static void delete_items(struct call *call, struct message *const *messages, size_t count) {
    struct queue_change *change = call_decide(call, QUEUE_DELETE);
    change->found = keep_found(call, messages, count);
    struct record_writer *items = call_writer(call);
    for (size_t i = 0; i < count; i++)
        queue_item_put(QUEUE_DELETE, items, &(struct queue_item){.id = messages[i]->id});
    change->items = (struct packed_list){count, bytes_of(items->data, items->length)};
}

enum outcome queue_delete(struct call *call) {
    struct message *message;
    enum outcome outcome = find_named(call, &message);
    if (outcome != OUTCOME_DONE) return outcome;
    delete_items(call, &message, 1);
    reply_ok(&call->out);
    return OUTCOME_DONE;
}

/* What becomes of each message of the list; one that stands there twice is gone by the second time. Answers how many can
 * go. */
static size_t find_listed_messages(struct call *call, struct message **gone, enum outcome *outcomes) {
    const struct argument *list = &call->args.slots[SLOT_LIST];
    struct pointer_map places = {0}; /* in `gone`, counted from one */
    size_t count = 0;
    for (int i = 0; i < list->count; i++) {
        struct message *message = NULL;
        outcomes[i] = find_owned(call, call_word(call, list->at + 2 * i),
                                 call_word(call, list->at + 2 * i + 1), &message);
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

/* In a transaction all of them go, or nothing happens. */
enum outcome queue_deletemany(struct call *call) {
    const int named = call->args.slots[SLOT_LIST].count;
    struct message *gone[QUEUE_BATCH_MAX];
    enum outcome outcomes[QUEUE_BATCH_MAX];
    size_t count = find_listed_messages(call, gone, outcomes);
    for (int i = 0; call->transaction && i < named; i++)
        if (outcomes[i] != OUTCOME_DONE) return outcomes[i];
    if (count) delete_items(call, gone, count);
    reply_array(&call->out, named);
    for (int i = 0; i < named; i++) {
        if (outcomes[i] == OUTCOME_DONE)
            reply_ok(&call->out);
        else
            refusal_reply(&call->out, outcomes[i], "");
    }
    return OUTCOME_DONE;
}
