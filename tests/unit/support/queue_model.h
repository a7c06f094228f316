/* A naive queue: an array of messages, looked through from its beginning for every question. What it says is what a
 * queue has to say. */
#ifndef HOLDFAST_UNIT_QUEUE_MODEL_H
#define HOLDFAST_UNIT_QUEUE_MODEL_H

#include "queue/queue.h"

enum { MODEL_MESSAGES_MAX = 600, MODEL_TEXT_MAX = 300, MODEL_LABEL_MAX = 8 };

struct model_message {
    struct guid id, receipt;
    uint64_t order;
    unsigned turn; /* before the order, where instants are equal */
    int64_t inserted_ms, expires_ms, visible_ms;
    uint32_t deliveries;
    enum message_stage stage;
    char text[MODEL_TEXT_MAX];
    size_t length;
    char group[MODEL_LABEL_MAX]; /* texts */
    char reason[MODEL_LABEL_MAX];
};

struct model_dedup_entry {
    char dedup[MODEL_LABEL_MAX];
    struct guid id, receipt;
    uint64_t order;
    int64_t until_ms;
};

/* Messages and dead letters in order of arrival. */
struct queue_model {
    struct model_message messages[MODEL_MESSAGES_MAX];
    size_t count;
    struct model_dedup_entry dedup_entries[MODEL_MESSAGES_MAX];
    size_t dedup_entries_count;
    uint32_t max_deliveries;
    uint64_t next_order;
};

void queue_model_apply(struct queue_model *model, const struct queue_change *change);

/* Requires that the queue answers every question as the model does. */
void queue_model_compare(const struct queue_model *model, const struct queue *queue, int64_t now_ms);

#endif
