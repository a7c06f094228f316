/* Trials of a queue: a life of random steps, each decided by the queue's own rules, written down, read back, and
 * applied to the queue and to its naive model. */
#ifndef HOLDFAST_UNIT_QUEUE_TRIAL_H
#define HOLDFAST_UNIT_QUEUE_TRIAL_H

#include "queue_shadow.h"

struct queue_trial {
    struct queue *queue;
    struct queue *companion; /* gets the same changes, whether they fit or not; may be NULL */
    struct queue_shadow shadow;
    int64_t now_ms;
    uint64_t ids; /* the last that was given */
};

/* What happens next, from dice or from a fuzzer: each byte is taken modulo the number of choices. */
struct queue_choice {
    uint8_t kind;
    uint8_t subject; /* which of the messages */
    uint8_t count;
    uint8_t length;
    uint8_t visibility;
    uint8_t ttl;
    uint8_t label; /* group, reason, id for duplicates */
    uint8_t pass;  /* how much time goes by before */
};

void queue_trial_start(struct queue_trial *trial);
void queue_trial_step(struct queue_trial *trial, const struct queue_choice *choice);
void queue_trial_compare(const struct queue_trial *trial);
/* The queue is replaced by one built from its records, or by a copy. */
void queue_trial_rebuild(struct queue_trial *trial);
void queue_trial_copy(struct queue_trial *trial);
void queue_trial_end(struct queue_trial *trial);

#endif
