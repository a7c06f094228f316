/* A queue and its model: the same changes for both, and the same answers from both. */
#ifndef HOLDFAST_UNIT_QUEUE_SHADOW_H
#define HOLDFAST_UNIT_QUEUE_SHADOW_H

#include "queue/queue_view.h"
#include "queue_model.h"

struct shadow_dedup_entry {
    char dedup[MODEL_LABEL_MAX];
    struct guid id, receipt;
    uint64_t order;
    int64_t until_ms;
};

/* The model, and what is known of duplicates. */
struct queue_shadow {
    struct queue_model model;
    struct shadow_dedup_entry dedup_entries[MODEL_MESSAGES_MAX];
    size_t dedup_entries_count;
};

/* An id of the model as the queue has it. */
struct guid queue_shadow_id(const char id[MODEL_ID_SIZE]);

void queue_shadow_apply(struct queue_shadow *shadow, const struct queue_change *change);

/* Requires that the queue answers every question as the model does. */
void queue_shadow_compare(const struct queue_shadow *shadow, const struct queue *queue, int64_t now_ms);

#endif
