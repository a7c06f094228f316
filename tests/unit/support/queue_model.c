#include "queue_model.h"

#include "require.h"

#include <stdlib.h>

static struct model_message *find(struct queue_model *model, struct guid id) {
    for (size_t i = 0; i < model->count; i++)
        if (guid_equal(model->messages[i].id, id)) return &model->messages[i];
    return NULL;
}

static void take_out(struct queue_model *model, const struct model_message *message) {
    size_t at = (size_t)(message - model->messages);
    memmove(&model->messages[at], &model->messages[at + 1], (--model->count - at) * sizeof(*message));
}

static void copy_label(char label[MODEL_LABEL_MAX], struct bytes text) {
    require(text.length < MODEL_LABEL_MAX, "a label that is too long for the model");
    memcpy(label, text.data, text.length);
    label[text.length] = '\0';
}

static void copy_text(struct model_message *message, struct bytes text) {
    require(text.length <= MODEL_TEXT_MAX, "a text that is too long for the model");
    if (text.length) memcpy(message->text, text.data, text.length);
    message->length = text.length;
}

static int64_t end_of(const struct model_message *message) {
    if (message->stage == MESSAGE_DEAD) return INT64_MAX;
    bool dies = message->stage == MESSAGE_LAST && message->visible_ms < message->expires_ms;
    int64_t end_ms = dies ? message->visible_ms : message->expires_ms;
    return end_ms == QUEUE_FOREVER_MS ? INT64_MAX : end_ms;
}

static bool dies_by_window(const struct model_message *message) {
    return message->stage == MESSAGE_LAST && message->visible_ms < message->expires_ms;
}

static bool is_over(const struct model_message *message, int64_t now_ms) {
    return end_of(message) <= now_ms;
}

static bool waits_in_group(const struct queue_model *model, const struct model_message *message,
                           int64_t now_ms) {
    if (!message->group[0]) return false;
    for (const struct model_message *other = model->messages; other < message; other++) {
        bool lives = other->stage != MESSAGE_DEAD && !is_over(other, now_ms);
        if (lives && !strcmp(other->group, message->group)) return true;
    }
    return false;
}

static bool is_visible(const struct queue_model *model, const struct model_message *message, int64_t now_ms) {
    bool counts = message->stage != MESSAGE_DEAD && !is_over(message, now_ms);
    return counts && message->visible_ms <= now_ms && !waits_in_group(model, message, now_ms);
}

static bool is_dead(const struct model_message *message, int64_t now_ms) {
    if (message->stage == MESSAGE_DEAD) return true;
    return dies_by_window(message) && message->visible_ms <= now_ms;
}

/* Whether there is another one of its group in front of it, perhaps one that has ended. */
static bool has_predecessor(const struct queue_model *model, const struct model_message *message) {
    for (const struct model_message *other = model->messages; other < message; other++) {
        bool is_peer = message->group[0] && !strcmp(other->group, message->group);
        if (is_peer && other->stage != MESSAGE_DEAD) return true;
    }
    return false;
}

static bool comes_before(const struct model_message *one, const struct model_message *other) {
    return one->turn != other->turn ? one->turn < other->turn : one->order < other->order;
}

static bool will_show(const struct queue_model *model, const struct model_message *message) {
    return message->stage != MESSAGE_DEAD && message->visible_ms < end_of(message) &&
           !dies_by_window(message) && !has_predecessor(model, message);
}

/* The message gets behind all that show when it does. */
static void go_behind(struct queue_model *model, struct model_message *message) {
    const struct model_message *last = NULL;
    message->turn = 0;
    if (!will_show(model, message)) return;
    for (size_t i = 0; i < model->count; i++) {
        const struct model_message *other = &model->messages[i];
        bool equal = other != message && other->visible_ms == message->visible_ms && will_show(model, other);
        if (equal && (!last || comes_before(last, other))) last = other;
    }
    if (last) message->turn = last->turn + (last->order > message->order);
}

/* --- Changes --- */

static void put(struct queue_model *model, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    model->next_order = change->order;
    while (queue_item_next(QUEUE_PUT, &reader, &item)) {
        require(model->count < MODEL_MESSAGES_MAX, "too many messages for the model");
        struct model_message *message = &model->messages[model->count++];
        *message = (struct model_message){
            .id = item.id,
            .receipt = item.receipt,
            .order = model->next_order++,
            .inserted_ms = change->inserted_ms,
            .expires_ms = change->expires_ms,
            .visible_ms = change->visible_ms,
        };
        copy_text(message, item.text);
        copy_label(message->group, change->group);
        go_behind(model, message);
    }
    if (!change->dedup.length) return;
    size_t at = 0;
    while (at < model->dedup_entries_count &&
           !bytes_equal(bytes_text(model->dedup_entries[at].dedup), change->dedup))
        at++;
    if (at == model->dedup_entries_count) model->dedup_entries_count++;
    struct model_dedup_entry *dedup_entry = &model->dedup_entries[at];
    *dedup_entry = (struct model_dedup_entry){
        .id = item.id, .receipt = item.receipt, .order = change->order, .until_ms = change->until_ms};
    copy_label(dedup_entry->dedup, change->dedup);
}

static void deliver(struct queue_model *model, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    while (queue_item_next(change->kind, &reader, &item)) {
        struct model_message *message = find(model, item.id);
        message->receipt = item.receipt;
        message->deliveries = item.deliveries;
        message->visible_ms = change->kind == QUEUE_UNDELIVER ? item.visible_ms : change->visible_ms;
        message->turn = item.turn;
        message->stage = item.last ? MESSAGE_LAST : MESSAGE_QUEUED;
    }
}

static void update(struct queue_model *model, const struct queue_change *change) {
    struct model_message *message = find(model, change->id);
    message->receipt = change->receipt;
    message->visible_ms = change->visible_ms;
    message->turn = 0;
    if (change->behind) go_behind(model, message);
    if (change->has_text) copy_text(message, change->text);
}

static void release(struct queue_model *model, const struct queue_change *change) {
    struct model_message *message = find(model, change->id);
    message->receipt = change->receipt;
    message->visible_ms = change->visible_ms;
    message->stage = change->stage;
    message->turn = 0;
    if (change->behind) go_behind(model, message);
    if (change->reason.length) copy_label(message->reason, change->reason);
}

static void remove_items(struct queue_model *model, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    while (queue_item_next(QUEUE_DELETE, &reader, &item)) take_out(model, find(model, item.id));
}

static void clear(struct queue_model *model, bool dead) {
    for (size_t i = model->count; i-- > 0;)
        if ((model->messages[i].stage == MESSAGE_DEAD) == dead) take_out(model, &model->messages[i]);
}

static void redrive(struct queue_model *model, const struct queue_change *change) {
    struct record_reader reader = record_reader(change->items.items);
    struct queue_item item;
    model->next_order = change->order;
    while (queue_item_next(QUEUE_REDRIVE, &reader, &item)) {
        struct model_message message = *find(model, item.id);
        take_out(model, find(model, item.id));
        message.receipt = item.receipt;
        message.order = model->next_order++;
        message.inserted_ms = message.visible_ms = change->inserted_ms;
        message.expires_ms = item.expires_ms;
        message.deliveries = 0;
        message.reason[0] = '\0';
        message.stage = MESSAGE_QUEUED;
        model->messages[model->count] = message;
        go_behind(model, &model->messages[model->count++]);
    }
}

/* The first to end among those that die in their last window, or among the others. */
static struct model_message *first_to_end(struct queue_model *model, bool by_window) {
    struct model_message *first = NULL;
    for (size_t i = 0; i < model->count; i++) {
        struct model_message *message = &model->messages[i];
        if (message->stage == MESSAGE_DEAD || dies_by_window(message) != by_window) continue;
        if (!first || end_of(message) < end_of(first)) first = message;
    }
    return first;
}

static void forget_first(struct queue_model *model) {
    size_t first = 0;
    for (size_t i = 1; i < model->dedup_entries_count; i++) {
        const struct model_dedup_entry *one = &model->dedup_entries[i], *other = &model->dedup_entries[first];
        if (one->until_ms < other->until_ms ||
            (one->until_ms == other->until_ms && one->order < other->order))
            first = i;
    }
    model->dedup_entries[first] = model->dedup_entries[--model->dedup_entries_count];
}

static void bury(struct model_message *message) {
    message->stage = MESSAGE_DEAD;
    message->turn = 0;
}

static void settle(struct queue_model *model, const struct queue_change *change) {
    for (uint64_t i = 0; i < change->ended; i++) take_out(model, first_to_end(model, false));
    for (uint64_t i = 0; i < change->died; i++) bury(first_to_end(model, true));
    for (uint64_t i = 0; i < change->forgotten; i++) forget_first(model);
}

void queue_model_apply(struct queue_model *model, const struct queue_change *change) {
    switch (change->kind) {
    case QUEUE_CONFIGURE: model->max_deliveries = change->max_deliveries; break;
    case QUEUE_PUT: put(model, change); break;
    case QUEUE_DELIVER:
    case QUEUE_UNDELIVER: deliver(model, change); break;
    case QUEUE_UPDATE: update(model, change); break;
    case QUEUE_RELEASE: release(model, change); break;
    case QUEUE_DELETE:
    case QUEUE_CLEAR_LIVING: remove_items(model, change); break;
    case QUEUE_CLEAR: clear(model, false); break;
    case QUEUE_CLEAR_DEAD: clear(model, true); break;
    case QUEUE_REDRIVE: redrive(model, change); break;
    case QUEUE_SETTLE: settle(model, change); break;
    default: break;
    }
}

/* --- Questions --- */

static struct queue_depth depth_of(const struct queue_model *model, int64_t now_ms) {
    struct queue_depth depth = {.arrived_ms = -1};
    for (size_t i = 0; i < model->count; i++) {
        const struct model_message *message = &model->messages[i];
        if (is_dead(message, now_ms) && message->stage != MESSAGE_DEAD) depth.died++;
        if (is_dead(message, now_ms))
            depth.dead++;
        else if (is_over(message, now_ms))
            depth.expired++;
        else if (depth.arrived_ms < 0)
            depth.arrived_ms = message->inserted_ms;
        if (is_dead(message, now_ms) || is_over(message, now_ms)) continue;
        if (is_visible(model, message, now_ms))
            depth.visible++;
        else
            depth.invisible++;
    }
    return depth;
}

static int by_showing(const void *left, const void *right) {
    const struct model_message *one = *(const struct model_message *const *)left;
    const struct model_message *other = *(const struct model_message *const *)right;
    if (one->visible_ms != other->visible_ms) return one->visible_ms < other->visible_ms ? -1 : 1;
    return comes_before(one, other) ? -1 : 1;
}

/* All visible messages, or all dead ones, in their order. */
static size_t listed(const struct queue_model *model, bool dead, int64_t now_ms,
                     const struct model_message **list) {
    size_t count = 0;
    for (size_t i = 0; i < model->count; i++) {
        const struct model_message *message = &model->messages[i];
        if (dead ? is_dead(message, now_ms) : is_visible(model, message, now_ms)) list[count++] = message;
    }
    qsort(list, count, sizeof(struct model_message *), by_showing);
    return count;
}

static void compare_message(const struct model_message *expected, const struct message *message) {
    require(message, "a message is missing");
    require(guid_equal(message->id, expected->id), "another message");
    require(guid_equal(message->receipt, expected->receipt), "another receipt");
    require_same(message->times.order, expected->order, "order");
    require_same(message->inserted_ms, expected->inserted_ms, "inserted");
    require_same(message_expires_ms(message), expected->expires_ms, "expires");
    require_same(message->times.visible_ms, expected->visible_ms, "shows");
    require_same(message->deliveries, expected->deliveries, "deliveries");
    require_bytes(message_text(message), bytes_of(expected->text, expected->length), "text");
    require_bytes(message_group(message), bytes_text(expected->group), "group");
    require_bytes(message_reason(message), bytes_text(expected->reason), "reason");
}

static void compare_lists(const struct queue_model *model, const struct queue *queue, int64_t now_ms) {
    static const struct model_message *list[MODEL_MESSAGES_MAX];
    struct visible_cursor visible;
    queue_visible_start(&visible, queue, now_ms);
    struct dead_cursor dead = {0};
    size_t count = listed(model, false, now_ms, list);
    for (size_t i = 0; i < count; i++) compare_message(list[i], queue_next_visible(&visible));
    require(!queue_next_visible(&visible), "one more that is visible");
    queue_visible_end(&visible);
    count = listed(model, true, now_ms, list);
    for (size_t i = 0; i < count; i++) compare_message(list[i], queue_next_dead(queue, &dead, now_ms));
    require(!queue_next_dead(queue, &dead, now_ms), "one more that is dead");
}

static void compare_instants(const struct queue_model *model, const struct queue *queue, int64_t now_ms) {
    int64_t visible_ms = INT64_MAX, end_ms = INT64_MAX;
    for (size_t i = 0; i < model->count; i++) {
        const struct model_message *message = &model->messages[i];
        if (end_of(message) < end_ms) end_ms = end_of(message);
        if (message->stage == MESSAGE_DEAD || waits_in_group(model, message, now_ms)) continue;
        if (message->visible_ms <= now_ms || message->visible_ms >= end_of(message)) continue;
        if (message->visible_ms < visible_ms) visible_ms = message->visible_ms;
    }
    for (size_t i = 0; i < model->dedup_entries_count; i++)
        if (model->dedup_entries[i].until_ms < end_ms) end_ms = model->dedup_entries[i].until_ms;
    require_same(queue_next_visible_ms(queue, now_ms), visible_ms, "the next to show");
    require_same(queue_next_end_ms(queue), end_ms, "the next to end");
}

static void compare_each(const struct queue_model *model, const struct queue *queue, int64_t now_ms) {
    for (size_t i = 0; i < model->count; i++) {
        const struct model_message *message = &model->messages[i];
        struct message *found;
        bool there = message->stage != MESSAGE_DEAD && !is_over(message, now_ms);
        enum outcome expected = there ? OUTCOME_DONE : OUTCOME_MESSAGE_NOT_FOUND;
        require(queue_find_owned(queue, &message->id, &message->receipt, now_ms, &found) == expected,
                "message %zu", i);
        if (there) compare_message(message, found);
        require(!queue_find_dead(queue, &message->id) == (message->stage != MESSAGE_DEAD), "dead %zu", i);
    }
    for (size_t i = 0; i < model->dedup_entries_count; i++) {
        const struct model_dedup_entry *expected = &model->dedup_entries[i];
        const struct dedup_entry *found = queue_find_dedup_entry(queue, bytes_text(expected->dedup), now_ms);
        require(!found == (expected->until_ms <= now_ms), "dedup entry %zu", i);
        require(!found || guid_equal(found->receipt, expected->receipt), "receipt of dedup entry %zu", i);
    }
}

void queue_model_compare(const struct queue_model *model, const struct queue *queue, int64_t now_ms) {
    struct queue_depth expected = depth_of(model, now_ms), depth = queue_depth(queue, now_ms);
    require_same(depth.visible, expected.visible, "visible");
    require_same(depth.invisible, expected.invisible, "invisible");
    require_same(depth.dead, expected.dead, "dead");
    require_same(depth.died, expected.died, "died");
    require_same(depth.expired, expected.expired, "expired");
    require_same(depth.arrived_ms, expected.arrived_ms, "the oldest");
    compare_lists(model, queue, now_ms);
    compare_instants(model, queue, now_ms);
    compare_each(model, queue, now_ms);
}
