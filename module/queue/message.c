#include "queue/message.h"

#include "core/memory.h"
#include "core/number.h"

#include "ccan/build_assert/build_assert.h"

/* A message whose text becomes shorter keeps up to this many unused bytes. */
enum { SPARE_BYTES_MAX = 128 };

enum { MESSAGE_HEAD_BYTES = offsetof(struct message, text) };

/* At least the struct, which ends after the beginning of the text. */
static size_t message_bytes(size_t text_length) {
    BUILD_ASSERT(MESSAGE_HEAD_BYTES == 60);
    return size_max(MESSAGE_HEAD_BYTES + text_length, sizeof(struct message));
}

static bool fits_brief(int64_t wait_ms, size_t length, uint32_t deliveries) {
    return wait_ms >= 0 && wait_ms <= MESSAGE_BRIEF_WAIT_MAX_MS && length <= MESSAGE_BRIEF_LENGTH_MAX &&
           deliveries <= MESSAGE_BRIEF_DELIVERIES_MAX;
}

static struct message_extra *message_add_extra(struct message *message, struct message_extra numbers,
                                               struct bytes group) {
    struct message_extra *extra = memory_alloc(sizeof(*extra) + group.length);
    *extra = numbers;
    extra->message = message;
    extra->group_length = (uint16_t)group.length;
    if (group.length) memcpy(extra->group_name, group.data, group.length);
    message->own_extra = extra;
    return extra;
}

/* The group is only stored when the message is made. */
static struct message_extra *message_ensure_extra(struct message *message) {
    struct message_extra *extra = message_extra(message);
    if (extra) return extra;
    return message_add_extra(message,
                             (struct message_extra){
                                 .inserted_ms = message_inserted_ms(message),
                                 .length = message->brief.length,
                                 .deliveries = message->brief.deliveries,
                                 .sorted_in = message->brief.sorted_in,
                             },
                             bytes_of("", 0));
}

/* Sets what a brief, or else an extra, keeps of the change. */
static void message_set_numbers(struct message *message, const struct queue_change *change) {
    int64_t wait_ms = change->visible_ms - change->inserted_ms;
    if (!change->group.length && fits_brief(wait_ms, change->text.length, change->deliveries)) {
        message->brief = (struct message_brief){
            .is_brief = 1,
            .length = change->text.length & MESSAGE_BRIEF_LENGTH_MAX,
            .deliveries = change->deliveries & MESSAGE_BRIEF_DELIVERIES_MAX,
            .wait_ms = (uint64_t)wait_ms & MESSAGE_BRIEF_WAIT_MAX_MS,
        };
        return;
    }
    (void)message_add_extra(message,
                            (struct message_extra){
                                .inserted_ms = change->inserted_ms,
                                .length = (uint32_t)change->text.length,
                                .deliveries = change->deliveries,
                            },
                            change->group);
}

struct message *message_new(const struct queue_change *change) {
    struct message *message = memory_alloc(message_bytes(change->text.length));
    message->id = change->id;
    message->receipt = change->receipt;
    message->times = (struct time_entry){
        .order = change->order & TIME_ENTRY_ORDER_MAX,
        .turn = change->turn & TIME_ENTRY_TURN_MAX,
        .visible = (uint64_t)change->visible_ms & TIME_ENTRY_INSTANT_MAX,
        .ends = (uint64_t)change->expires_ms & TIME_ENTRY_INSTANT_MAX,
    };
    message_set_numbers(message, change);
    if (change->text.length) memcpy(message->text, change->text.data, change->text.length);
    message_set_reason(message, change->reason);
    if (change->stage != MESSAGE_QUEUED) message_set_visibility(message, change->visible_ms, change->stage);
    return message;
}

void message_free(struct message *message) {
    struct message_extra *extra = message_extra(message);
    if (extra) {
        memory_free(extra->reason);
        memory_free(extra);
    }
    memory_free(message);
}

struct queue_change message_as_change(const struct message *message) {
    return (struct queue_change){
        .kind = QUEUE_MESSAGE,
        .order = message->times.order,
        .id = message->id,
        .receipt = message->receipt,
        .inserted_ms = message_inserted_ms(message),
        .expires_ms = message_expires_ms(message),
        .visible_ms = message_visible_ms(message),
        .turn = message->times.turn,
        .deliveries = message_deliveries(message),
        .stage = message_stage(message),
        .text = message_text(message),
        .group = message_group(message),
        .reason = message_reason(message),
    };
}

static void message_set_length(struct message *message, size_t length) {
    if (message->brief.is_brief && length <= MESSAGE_BRIEF_LENGTH_MAX)
        message->brief.length = length & MESSAGE_BRIEF_LENGTH_MAX;
    else
        message_ensure_extra(message)->length = (uint32_t)length;
}

struct message *message_set_text(struct message *message, struct bytes text) {
    size_t capacity = memory_size(message) - MESSAGE_HEAD_BYTES;
    if (text.length > capacity || capacity > text.length + SPARE_BYTES_MAX) {
        message = memory_resize(message, message_bytes(text.length));
        if (message_extra(message)) message_extra(message)->message = message;
    }
    if (text.length) memcpy(message->text, text.data, text.length);
    message_set_length(message, text.length);
    return message;
}

void message_set_reason(struct message *message, struct bytes reason) {
    if (!reason.length) return;
    struct message_extra *extra = message_ensure_extra(message);
    char *copy = memory_alloc(reason.length);
    memcpy(copy, reason.data, reason.length);
    memory_free(extra->reason);
    extra->reason = copy;
    extra->reason_length = (uint16_t)reason.length;
}

void message_set_deliveries(struct message *message, uint32_t deliveries) {
    if (message->brief.is_brief && deliveries <= MESSAGE_BRIEF_DELIVERIES_MAX)
        message->brief.deliveries = deliveries & MESSAGE_BRIEF_DELIVERIES_MAX;
    else
        message_ensure_extra(message)->deliveries = deliveries;
}

static int64_t message_end_of(int64_t expires_ms, int64_t visible_ms, enum message_stage stage) {
    if (stage == MESSAGE_DEAD) return QUEUE_FOREVER_MS;
    return stage == MESSAGE_LAST ? number_min(visible_ms, expires_ms) : expires_ms;
}

/* False if the message has an extra, or needs one. */
static bool set_brief_visible(struct message *message, int64_t visible_ms) {
    int64_t wait_ms = visible_ms - message_visible_ms(message) + (int64_t)message->brief.wait_ms;
    if (!message->brief.is_brief || !fits_brief(wait_ms, 0, 0)) return false;
    message->brief.wait_ms = (uint64_t)wait_ms & MESSAGE_BRIEF_WAIT_MAX_MS;
    time_entry_set_visible_ms(&message->times, visible_ms);
    return true;
}

void message_set_visibility(struct message *message, int64_t visible_ms, enum message_stage stage) {
    if (stage == MESSAGE_QUEUED && set_brief_visible(message, visible_ms)) return;
    int64_t expires_ms = message_expires_ms(message);
    struct message_extra *extra = message_ensure_extra(message);
    extra->expires_ms = expires_ms;
    extra->stage = (uint8_t)stage;
    time_entry_set_visible_ms(&message->times, visible_ms);
    time_entry_set_ends_ms(&message->times, message_end_of(expires_ms, visible_ms, stage));
}

void message_renew(struct message *message, int64_t inserted_ms, int64_t expires_ms) {
    struct message_extra *extra = message_ensure_extra(message);
    memory_free(extra->reason);
    extra->reason = NULL;
    extra->reason_length = 0;
    extra->stage = MESSAGE_QUEUED;
    extra->deliveries = 0;
    extra->inserted_ms = inserted_ms;
    message->times.turn = 0;
    time_entry_set_visible_ms(&message->times, inserted_ms);
    time_entry_set_ends_ms(&message->times, expires_ms);
}

void message_relocate_parts(struct message *message, const struct relocation *relocation) {
    struct message_extra *extra = message_extra(message);
    if (!extra) return;
    extra->message = message;
    extra->reason = relocate(relocation, extra->reason);
}

size_t message_memory(const struct message *message) {
    const struct message_extra *extra = message_extra(message);
    size_t memory = memory_size(message);
    if (!extra) return memory;
    return memory + memory_size(extra) + (extra->reason ? memory_size(extra->reason) : 0);
}
