/* A message, in one allocation; what few have hangs from one pointer.
 *
 *     ┌───────┬────┬─────────┬────────────────────────┬──────────┬───────────┬───────┬──────┐
 *     │ entry │ id │ receipt │ times: shows and ends  │ inserted │ how often │ extra │ text │
 *     └───────┴────┴─────────┴────────────────────────┴──────────┴───────────┴───────┴──────┘
 *     entry    the name by which it is found is its id
 *     times    when it may be had next, and when time alone ends it: see message_ends
 *     extra    its group, the reason why it was given back, and the expiry of one that ends otherwise
 *
 * Texts of any size are copied into it: the largest that the service knows, 64 KiB, costs a few microseconds, and one
 * allocation per message is what a queue of millions wants. */
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
    struct group *group;    /* NULL for a message without a group, or outside of a queue */
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
    struct time_entry time_entry;
    int64_t inserted_ms;
    uint32_t deliveries;
    uint32_t length : 28;
    uint32_t standing : 2; /* enum message_standing */
    uint32_t place : 2;    /* the message store's own */
    struct message_extra *extra;
    char text[];
};

/* Makes a message from a QUEUE_MESSAGE change. */
struct message *message_new(const struct queue_change *change);
void message_free(struct message *message);

/* The change that would make this message. */
struct queue_change message_as_change(const struct message *message);

/* May move the message in memory: it must not be in any index. */
struct message *message_set_text(struct message *message, struct bytes text);
void message_set_reason(struct message *message, struct bytes reason);

/* Sets when it shows, and its standing. That also sets when time ends it: when it expires or, if that is earlier,
 * when the window of its last delivery ends. */
void message_set_showing(struct message *message, int64_t shows_ms, enum message_standing standing);

/* Resets the message as if it had just been put. */
void message_renew(struct message *message, int64_t inserted_ms, int64_t expires_ms);

/* Moves the allocations that only the message refers to. */
void message_relocate_parts(struct message *message, const struct relocation *relocation);

/* Bytes that the allocator holds for it. */
size_t message_held(const struct message *message);

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
    return message->standing == MESSAGE_QUEUED ? message->time_entry.ends_ms : message->extra->expires_ms;
}

/* Whether it dies when its current window ends, or has died. False if it expires first. */
static inline bool message_dies(const struct message *message) {
    return message->standing == MESSAGE_LAST && message->time_entry.shows_ms < message->extra->expires_ms;
}

/* Whether time has ended it: it has expired, or died with the window of its last delivery. */
static inline bool message_over(const struct message *message, int64_t now_ms) {
    return message->time_entry.ends_ms <= now_ms;
}

static inline struct bytes message_name(const struct guid *id) {
    return bytes_of(id, sizeof(*id));
}

static inline struct message *message_of_entry(struct entry *entry) {
    return (struct message *)entry; /* the entry is the message's head */
}

static inline struct message *message_of_time_entry(struct time_entry *time_entry) {
    return time_entry ? (struct message *)((char *)time_entry - offsetof(struct message, time_entry)) : NULL;
}

#endif
