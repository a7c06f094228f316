/* A message: one allocation, and a second one for what few messages have.
 *
 *     ┌────┬─────────┬───────┬──────────────────────┬──────┐
 *     │ id │ receipt │ brief │ times: visible, ends │ text │
 *     └────┴─────────┴───────┴──────────────────────┴──────┘
 *     id       its name in the hash index
 *     brief    the length of the text, the number of deliveries and when it was put, if they are as small as they
 *              mostly are; or a pointer to a struct message_extra
 *     times    from when on it can be taken, and when it ends: it expires, or dies with the window of its last delivery
 *     extra    numbers of any size, and what only few messages have: a group, a reason, a stage
 *
 * The head takes 60 bytes, so that it and a text of 100 fit into 160.
 *
 * The text is always copied into the message: to copy 64 KiB, the default limit, takes a few microseconds, and a
 * queue of millions should need only one allocation per message. */
#ifndef HOLDFAST_MESSAGE_H
#define HOLDFAST_MESSAGE_H

#include "core/relocation.h"
#include "queue/queue_change.h"
#include "queue/time_index.h"

#include "ccan/list/list.h"

struct entry;
struct group;
struct message;

struct message_extra {
    struct list_node peers; /* messages of the same group, in order of arrival */
    struct group *group;    /* NULL for a message without a group, or outside of a store */
    struct message *message;
    int64_t inserted_ms;
    int64_t expires_ms; /* of a message that is not MESSAGE_QUEUED */
    char *reason;
    uint32_t length; /* of the text */
    uint32_t deliveries;
    uint16_t reason_length;
    uint16_t group_length;
    uint8_t sorted_in;
    uint8_t stage; /* enum message_stage */
    char group_name[];
};

/* The maximum values of the bit fields below. */
#define MESSAGE_BRIEF_LENGTH_MAX     ((1u << 16) - 1)
#define MESSAGE_BRIEF_DELIVERIES_MAX ((1u << 8) - 1)
#define MESSAGE_BRIEF_WAIT_MAX_MS    ((INT64_C(1) << 37) - 1) /* four years */

/* A message with a brief is MESSAGE_QUEUED. */
struct message_brief {
    uint64_t is_brief : 1; /* the lowest bit of a pointer is 0 */
    uint64_t sorted_in : 2;
    uint64_t length : 16;
    uint64_t deliveries : 8;
    uint64_t wait_ms : 37; /* from when it was put until it is visible */
};

struct message {
    struct guid id;
    struct guid receipt;
    union {
        struct message_brief brief;
        struct message_extra *own_extra; /* see message_extra */
    };
    struct time_entry times;
    char text[];
};

/* Makes a message from a QUEUE_MESSAGE change. */
struct message *message_new(const struct queue_change *change);
void message_free(struct message *message);

/* The QUEUE_MESSAGE change that makes this message. */
struct queue_change message_as_change(const struct message *message);

/* Returns the message, which may have moved in memory: the caller updates all pointers to it. */
struct message *message_set_text(struct message *message, struct bytes text);
/* An empty reason leaves the one before it. */
void message_set_reason(struct message *message, struct bytes reason);
void message_set_deliveries(struct message *message, uint32_t deliveries);

/* Sets its stage and when it becomes visible, and by these when it ends. Its keys in the time indexes change. */
void message_set_visibility(struct message *message, int64_t visible_ms, enum message_stage stage);

/* Resets the message as if it had just been put. Its keys in the time indexes change. */
void message_renew(struct message *message, int64_t inserted_ms, int64_t expires_ms);

/* Moves what the message owns, after the message itself has moved. */
void message_relocate_parts(struct message *message, const struct relocation *relocation);

/* Bytes that the allocator holds for it. */
size_t message_memory(const struct message *message);

/* NULL for most messages. */
static inline struct message_extra *message_extra(const struct message *message) {
    return message->brief.is_brief ? NULL : message->own_extra;
}

static inline size_t message_length(const struct message *message) {
    const struct message_extra *extra = message_extra(message);
    return extra ? extra->length : message->brief.length;
}

static inline struct bytes message_text(const struct message *message) {
    return bytes_of(message->text, message_length(message));
}

static inline uint32_t message_deliveries(const struct message *message) {
    const struct message_extra *extra = message_extra(message);
    return extra ? extra->deliveries : message->brief.deliveries;
}

static inline enum message_stage message_stage(const struct message *message) {
    const struct message_extra *extra = message_extra(message);
    return extra ? (enum message_stage)extra->stage : MESSAGE_QUEUED;
}

/* Empty if it has no group. */
static inline struct bytes message_group(const struct message *message) {
    const struct message_extra *extra = message_extra(message);
    return extra ? bytes_of(extra->group_name, extra->group_length) : bytes_of("", 0);
}

static inline struct bytes message_reason(const struct message *message) {
    const struct message_extra *extra = message_extra(message);
    return extra && extra->reason ? bytes_of(extra->reason, extra->reason_length) : bytes_of("", 0);
}

static inline int64_t message_visible_ms(const struct message *message) {
    return time_entry_visible_ms(&message->times);
}

static inline int64_t message_ends_ms(const struct message *message) {
    return time_entry_ends_ms(&message->times);
}

static inline int64_t message_inserted_ms(const struct message *message) {
    const struct message_extra *extra = message_extra(message);
    return extra ? extra->inserted_ms : message_visible_ms(message) - (int64_t)message->brief.wait_ms;
}

static inline int64_t message_expires_ms(const struct message *message) {
    return message_stage(message) == MESSAGE_QUEUED ? message_ends_ms(message)
                                                    : message_extra(message)->expires_ms;
}

/* Whether it dies, or has died, at the end of its current window. False if it expires first. */
static inline bool message_dies(const struct message *message) {
    return message_stage(message) == MESSAGE_LAST &&
           message_visible_ms(message) < message_extra(message)->expires_ms;
}

/* Whether it has expired, or has died with the window of its last delivery. */
static inline bool message_ended(const struct message *message, int64_t now_ms) {
    return message_ends_ms(message) <= now_ms;
}

/* As a bare entry of a hash index. */
static inline struct entry *message_entry(struct message *message) {
    return (struct entry *)message;
}

static inline struct message *message_of_entry(struct entry *entry) {
    return (struct message *)entry;
}

static inline struct message *message_of_time_entry(struct time_entry *entry) {
    return entry ? (struct message *)((char *)entry - offsetof(struct message, times)) : NULL;
}

#endif
