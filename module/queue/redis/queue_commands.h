/* What the handlers of QUEUE.* share, and what the tables of commands and data types need of them. */
#ifndef HOLDFAST_QUEUE_COMMANDS_H
#define HOLDFAST_QUEUE_COMMANDS_H

#include "queue/queue_view.h"
#include "server/call/decision.h"
#include "server/call/refusal.h"
#include "server/call/reply.h"
#include "server/call/reply_limit.h"
#include "server/operator/doctor.h"
#include "server/waiting/wait.h"

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
    SLOT_RECEIPT,
    SLOT_QUEUE_END,
};
_Static_assert((int)SLOT_QUEUE_END <= (int)SLOTS_MAX, "too many options");

enum { ARG_ID = 2 }; /* of commands on one message */

enum {
    QUEUE_BATCH_MAX = 1000,
    QUEUE_VISIBILITY_MAX_SECONDS = 604800,
    QUEUE_SETTLED_IN_PASSING = 16, /* of each sort, before one command */
};

extern struct data_type queue_type;

/* Further functions in QUEUE.GET's row of the table of commands: see command.h. */
void queue_get_remember(struct call *call, struct reply *packed);
enum outcome queue_get_recall(struct call *call, struct bytes packed);

struct queue_stats {
    unsigned long long puts; /* this and all others count messages */
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

/* Refuses a list, in this slot, of more items than a batch may have. */
enum outcome queue_check_items(struct call *call, int slot);

/* An error if there are not enough order numbers for a batch of messages. */
enum outcome queue_check_order_numbers(struct call *call);

/* Functions of the data type: see data_type.h. */
void queue_events(const void *decided, const char *events[EVENTS_MAX]);
void queue_survey(RedisModuleInfoCtx *ctx);

/* Removes some messages that have ended, and schedules upkeep for the rest. */
void queue_settle_some(struct call *call);
/* When the queue needs upkeep; UPKEEP_NEVER if it does not. */
int64_t queue_next_look_ms(const void *value);

/* For DOCTOR: whether the queue has dead letters, or may get some without a change. */
bool queue_is_notable(const struct data_type *type, const void *value, const void *change);
extern const struct doctor_rule queue_rules[];

/* Decides a change of the call's queue: see decision_add. */
static inline struct queue_change *queue_decide(struct call *call, enum queue_change_kind kind) {
    return decision_add(call, kind);
}

/* Decides that at most so many messages which died with their last windows are dead letters, before a change that needs
 * to find them there. */
void queue_decide_deaths(struct call *call, size_t max);

/* Gives the change this many items, for the caller to set. */
struct queue_item *queue_decide_items(struct call *call, struct queue_change *change, size_t count);

/* Copies the pointers into the call's memory, for a change. */
struct message *const *queue_keep_found(struct call *call, struct message *const *found, size_t count);

void queue_reply_receipt(struct reply_map *map, struct guid receipt);

/* The maximum size of a message in a reply. */
size_t message_reply_bytes(const struct message *message);

#endif
