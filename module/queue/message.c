#include "queue/message.h"

#include "core/memory.h"
#include "core/number.h"

/* A message whose text becomes shorter keeps up to this many unused bytes. */
enum { SPARE_BYTES_MAX = 128 };

/* The group is only stored in a new extra: a message gets its group when it is made. */
static void message_ensure_extra(struct message *message, struct bytes group) {
    if (message->extra) return;
    struct message_extra *extra = memory_zeroed(sizeof(*extra) + group.length);
    extra->message = message;
    extra->group_length = (uint16_t)group.length;
    if (group.length) memcpy(extra->group_name, group.data, group.length);
    message->extra = extra;
}

static void copy_text(struct message *message, struct bytes text) {
    if (text.length) memcpy(message->text, text.data, text.length);
    message->length = (uint32_t)text.length & (UINT32_MAX >> 4);
}

struct message *message_new(const struct queue_change *change) {
    struct message *message = memory_alloc(sizeof(*message) + change->text.length);
    memset(message, 0, sizeof(*message));
    message->id = change->id;
    message->entry = entry_hashed(message_name(&change->id), offsetof(struct message, id));
    message->receipt = change->receipt;
    message->times.order = change->order & TIME_ENTRY_ORDER_MAX;
    message->times.turn = change->turn & TIME_ENTRY_TURN_MAX;
    message->times.ends_ms = change->expires_ms;
    message->inserted_ms = change->inserted_ms;
    message->deliveries = change->deliveries;
    copy_text(message, change->text);
    if (change->group.length) message_ensure_extra(message, change->group);
    message_set_reason(message, change->reason);
    message_set_visibility(message, change->visible_ms, change->stage);
    return message;
}

void message_free(struct message *message) {
    if (message->extra) {
        memory_free(message->extra->reason);
        memory_free(message->extra);
    }
    memory_free(message);
}

struct queue_change message_as_change(const struct message *message) {
    return (struct queue_change){
        .kind = QUEUE_MESSAGE,
        .order = message->times.order,
        .id = message->id,
        .receipt = message->receipt,
        .inserted_ms = message->inserted_ms,
        .expires_ms = message_expires_ms(message),
        .visible_ms = message->times.visible_ms,
        .turn = message->times.turn,
        .deliveries = message->deliveries,
        .stage = (enum message_stage)message->stage,
        .text = message_text(message),
        .group = message_group(message),
        .reason = message_reason(message),
    };
}

struct message *message_set_text(struct message *message, struct bytes text) {
    size_t capacity = memory_size(message) - sizeof(*message);
    if (text.length > capacity || capacity > text.length + SPARE_BYTES_MAX) {
        message = memory_resize(message, sizeof(*message) + text.length);
        if (message->extra) message->extra->message = message;
    }
    copy_text(message, text);
    return message;
}

void message_set_reason(struct message *message, struct bytes reason) {
    if (!reason.length) return;
    message_ensure_extra(message, bytes_of("", 0));
    char *copy = memory_alloc(reason.length);
    memcpy(copy, reason.data, reason.length);
    memory_free(message->extra->reason);
    message->extra->reason = copy;
    message->extra->reason_length = (uint16_t)reason.length;
}

static int64_t message_end_of(int64_t expires_ms, int64_t visible_ms, enum message_stage stage) {
    if (stage == MESSAGE_DEAD) return QUEUE_FOREVER_MS;
    return stage == MESSAGE_LAST ? number_min(visible_ms, expires_ms) : expires_ms;
}

void message_set_visibility(struct message *message, int64_t visible_ms, enum message_stage stage) {
    int64_t expires_ms = message_expires_ms(message);
    if (stage != MESSAGE_QUEUED) {
        message_ensure_extra(message, bytes_of("", 0));
        message->extra->expires_ms = expires_ms;
    }
    message->stage = (uint32_t)stage & 3;
    message->times.visible_ms = visible_ms;
    message->times.ends_ms = message_end_of(expires_ms, visible_ms, stage);
}

void message_renew(struct message *message, int64_t inserted_ms, int64_t expires_ms) {
    message->stage = MESSAGE_QUEUED;
    message->deliveries = 0;
    message->inserted_ms = inserted_ms;
    message->times.visible_ms = inserted_ms;
    message->times.turn = 0;
    message->times.ends_ms = expires_ms;
    if (!message->extra) return;
    memory_free(message->extra->reason);
    message->extra->reason = NULL;
    message->extra->reason_length = 0;
}

void message_relocate_parts(struct message *message, const struct relocation *relocation) {
    struct message_extra *extra = message->extra;
    if (!extra) return;
    extra->message = message;
    extra->reason = relocate(relocation, extra->reason);
}

size_t message_memory(const struct message *message) {
    const struct message_extra *extra = message->extra;
    size_t memory = memory_size(message);
    if (!extra) return memory;
    return memory + memory_size(extra) + (extra->reason ? memory_size(extra->reason) : 0);
}
