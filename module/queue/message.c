#include "queue/message.h"

#include "core/hash.h"
#include "core/memory.h"

/* A text that is replaced by a shorter one keeps its room, up to this much. */
enum { SPARE_ROOM_MAX = 128 };

/* Every group's name fits: what is not in a group has none. */
static void message_need_extra(struct message *message, struct bytes group) {
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
    message->entry = (struct entry){hash_bytes(message_name(&change->id)), sizeof(struct guid),
                                    offsetof(struct message, id)};
    message->receipt = change->receipt;
    message->time_entry.order = change->order & TIME_ENTRY_ORDER_MAX;
    message->time_entry.turn = change->turn & TIME_ENTRY_TURN_MAX;
    message->time_entry.ends_ms = change->expires_ms;
    message->inserted_ms = change->inserted_ms;
    message->deliveries = change->deliveries;
    copy_text(message, change->text);
    if (change->group.length) message_need_extra(message, change->group);
    message_set_reason(message, change->reason);
    message_set_showing(message, change->shows_ms, change->standing);
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
        .order = message->time_entry.order,
        .id = message->id,
        .receipt = message->receipt,
        .inserted_ms = message->inserted_ms,
        .expires_ms = message_expires_ms(message),
        .shows_ms = message->time_entry.shows_ms,
        .turn = message->time_entry.turn,
        .deliveries = message->deliveries,
        .standing = (enum message_standing)message->standing,
        .text = message_text(message),
        .group = message_group(message),
        .reason = message_reason(message),
    };
}

struct message *message_set_text(struct message *message, struct bytes text) {
    size_t room = memory_size(message) - sizeof(*message);
    if (text.length > room || room > text.length + SPARE_ROOM_MAX) {
        message = memory_resize(message, sizeof(*message) + text.length);
        if (message->extra) message->extra->message = message;
    }
    copy_text(message, text);
    return message;
}

/* None leaves the last one. */
void message_set_reason(struct message *message, struct bytes reason) {
    if (!reason.length) return;
    message_need_extra(message, bytes_of("", 0));
    char *copy = memory_alloc(reason.length);
    memcpy(copy, reason.data, reason.length);
    memory_free(message->extra->reason);
    message->extra->reason = copy;
    message->extra->reason_length = (uint16_t)reason.length;
}

static int64_t message_end_of(int64_t expires_ms, int64_t shows_ms, enum message_standing standing) {
    if (standing == MESSAGE_DEAD) return QUEUE_FOREVER_MS;
    return standing == MESSAGE_LAST && shows_ms < expires_ms ? shows_ms : expires_ms;
}

void message_set_showing(struct message *message, int64_t shows_ms, enum message_standing standing) {
    int64_t expires_ms = message_expires_ms(message);
    if (standing != MESSAGE_QUEUED) {
        message_need_extra(message, bytes_of("", 0));
        message->extra->expires_ms = expires_ms;
    }
    message->standing = (uint32_t)standing & 3;
    message->time_entry.shows_ms = shows_ms;
    message->time_entry.ends_ms = message_end_of(expires_ms, shows_ms, standing);
}

void message_renew(struct message *message, int64_t inserted_ms, int64_t expires_ms) {
    message->standing = MESSAGE_QUEUED;
    message->deliveries = 0;
    message->inserted_ms = inserted_ms;
    message->time_entry.shows_ms = inserted_ms;
    message->time_entry.turn = 0;
    message->time_entry.ends_ms = expires_ms;
    if (!message->extra) return;
    memory_free(message->extra->reason); /* that of another life */
    message->extra->reason = NULL;
    message->extra->reason_length = 0;
}

void message_relocate_parts(struct message *message, const struct relocation *relocation) {
    struct message_extra *extra = message->extra;
    if (!extra) return;
    extra->message = message;
    extra->reason = relocate(relocation, extra->reason);
}

size_t message_held(const struct message *message) {
    const struct message_extra *extra = message->extra;
    size_t held = memory_size(message);
    if (!extra) return held;
    return held + memory_size(extra) + (extra->reason ? memory_size(extra->reason) : 0);
}
