/* The handlers of QUEUE.*, and what they share. */
#ifndef HOLDFAST_QUEUE_HANDLERS_H
#define HOLDFAST_QUEUE_HANDLERS_H

#include "queue/queue.h"
#include "server/command.h"
#include "server/doctor.h"
#include "server/reply.h"
#include "server/reply_room.h"
#include "server/settings.h"
#include "server/wait.h"

/* Slots of the options that only this family has. */
enum {
    SLOT_TTL = SLOT_FAMILY,
    SLOT_VISIBILITY,
    SLOT_MESSAGE,
    SLOT_MAXDELIVERIES,
    SLOT_DEDUP,
    SLOT_WITHIN,
    SLOT_GROUP,
    SLOT_REASON,
    SLOT_IDS,
    SLOT_DEAD,
    SLOT_LIST, /* messages of a batch */
    SLOT_QUEUE_END,
};
_Static_assert((int)SLOT_QUEUE_END <= (int)SLOTS_MAX, "too many options");

enum {
    QUEUE_BATCH_MAX = 1000,
    QUEUE_VISIBILITY_MAX_SECONDS = 604800,
    QUEUE_SETTLED_IN_PASSING = 16, /* of each sort, by one command */
};

extern struct data_type queue_type;

void queue_get_remember(struct call *call, struct reply *kept);
enum outcome queue_get_recall(struct call *call, struct bytes kept);
void queue_get_give_back(struct call *call, struct record_reader *granted);
enum outcome queue_get_nothing(struct call *call, bool late);

/* The rules for values of options. */
enum outcome queue_message_rule(struct bytes text);
enum outcome queue_receipt_rule(struct bytes text);
enum outcome queue_label_rule(struct bytes text);
enum outcome queue_reason_rule(struct bytes text);

/* The family's settings. */
extern const struct setting queue_settings[];

struct queue_stats {
    unsigned long long puts; /* messages, like all that follow */
    unsigned long long duplicates;
    unsigned long long gets;
    unsigned long long redeliveries;
    unsigned long long updates;
    unsigned long long releases;
    unsigned long long deletes;
    unsigned long long expiries;
    unsigned long long deaths;
    unsigned long long redrives;
};

extern struct queue_stats queue_stats;
extern struct wait_kind message_wait;

/* Whether enough order numbers are left for a batch of messages. */
enum outcome queue_takes_more(struct call *call);

/* The things that commands change: see things.h. */
void queue_put_touches(const struct call *call, struct things *things);
void queue_message_touches(const struct call *call, struct things *things);
void queue_messages_touches(const struct call *call, struct things *things);

/* For the data type's table: see data_type.h. */
bool queue_refresh(struct call *call, void *decided);
void queue_events(const void *decided, const char *events[EVENTS_MAX]);
void queue_changed(struct call *call, const void *decided);
void queue_wake(struct call *call, const void *change);

/* Removes some of what has expired, and schedules upkeep for the rest. */
void queue_settle_some(struct call *call);
void queue_settle_many(struct call *call);
/* The same, until a message is available, or no more can become so. */
void queue_settle_heads(struct call *call);
/* When the queue needs upkeep; UPKEEP_NEVER if it does not. */
int64_t queue_next_look_ms(const struct queue *queue);
/* Frees cleared messages soon, a portion at a time. */
void queue_free_cleared(void);

/* For the data type's table. */
int64_t queue_upkeep(struct call *call);
void queue_info(RedisModuleInfoCtx *ctx);

/* For DOCTOR: a queue with dead letters is notable. */
bool queue_is_notable(const void *value, const void *change);
extern const struct doctor_rule queue_rules[];
void queue_survey(RedisModuleInfoCtx *ctx);

/* The maximum size of a message in a reply. */
size_t message_reply_bytes(const struct message *message);

/* Fields of the maps that describe messages. */
void reply_field_receipt(struct reply_map *map, struct guid receipt);

#endif
