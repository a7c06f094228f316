/* A message: one allocation, and a second one for what few messages have.
 *
 *     ┌───────┬────┬─────────┬────────────────────────┬──────────┬───────────┬───────┬──────┐
 *     │ entry │ id │ receipt │ times: visible, ends   │ inserted │ deliveries│ extra │ text │
 *     └───────┴────┴─────────┴────────────────────────┴──────────┴───────────┴───────┴──────┘
 *     entry    for the hash index; the id is its name
 *     times    from when on it can be taken, and when it ends: it expires, or dies with the window of its last delivery
 *     extra    its group, its reason, and when it expires if that is not when it ends; NULL for most messages
 *
 * The text is always copied into the message: to copy 64 KiB, the default limit, takes a few microseconds, and a
 * queue of millions should need only one allocation per message. */
#ifndef HOLDFAST_MESSAGE_H
#define HOLDFAST_MESSAGE_H

#include "core/entry.h"
#include "core/relocation.h"
#include "queue/queue_change.h"
#include "queue/time_index.h"

#include "ccan/list/list.h"

struct group;
struct message;

struct message_extra {
    struct list_node peers; /* messages of the same group, in order of arrival */
    struct group *group;    /* NULL for a message without a group, or outside of a store */
    struct message *message;
    int64_t expires_ms; /* of a message that is not MESSAGE_QUEUED */
    char *reason;
    uint16_t reason_length;
    uint16_t group_length;
    char group_name[];
};

struct message {
    struct entry entry;
    struct guid id;
    struct guid receipt;
    struct time_entry times;
    int64_t inserted_ms;
    uint32_t deliveries;
    uint32_t length : 28;
    uint32_t stage : 2;     /* enum message_stage */
    uint32_t sorted_in : 2; /* used by the message store */
    struct message_extra *extra;
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

/* Sets its stage and when it becomes visible, and by these when it ends. Its keys in the time indexes change. */
void message_set_visibility(struct message *message, int64_t visible_ms, enum message_stage stage);

/* Resets the message as if it had just been put. Its keys in the time indexes change. */
void message_renew(struct message *message, int64_t inserted_ms, int64_t expires_ms);

/* Moves what the message owns, after the message itself has moved. */
void message_relocate_parts(struct message *message, const struct relocation *relocation);

/* Bytes that the allocator holds for it. */
size_t message_memory(const struct message *message);

static inline struct bytes message_text(const struct message *message) {
    return bytes_of(message->text, message->length);
}

/* Empty if it has no group. */
static inline struct bytes message_group(const struct message *message) {
    const struct message_extra *extra = message->extra;
    return extra ? bytes_of(extra->group_name, extra->group_length) : bytes_of("", 0);
}

static inline struct bytes message_reason(const struct message *message) {
    const struct message_extra *extra = message->extra;
    return extra && extra->reason ? bytes_of(extra->reason, extra->reason_length) : bytes_of("", 0);
}

static inline int64_t message_expires_ms(const struct message *message) {
    return message->stage == MESSAGE_QUEUED ? message->times.ends_ms : message->extra->expires_ms;
}

/* Whether it dies, or has died, at the end of its current window. False if it expires first. */
static inline bool message_dies(const struct message *message) {
    return message->stage == MESSAGE_LAST && message->times.visible_ms < message->extra->expires_ms;
}

/* Whether it has expired, or has died with the window of its last delivery. */
static inline bool message_ended(const struct message *message, int64_t now_ms) {
    return message->times.ends_ms <= now_ms;
}

static inline struct bytes message_name(const struct guid *id) {
    return bytes_of(id, sizeof(*id));
}

static inline struct message *message_of_entry(struct entry *entry) {
    return (struct message *)entry; /* its first member */
}

static inline struct message *message_of_time_entry(struct time_entry *entry) {
    return entry ? (struct message *)((char *)entry - offsetof(struct message, times)) : NULL;
}

#endif
