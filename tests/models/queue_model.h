/* A queue as an array of messages in order of arrival, looked through from its beginning for every question. Ids and
 * receipts are any bytes, by which a test knows its messages. */
#ifndef HOLDFAST_MODELS_QUEUE_MODEL_H
#define HOLDFAST_MODELS_QUEUE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_MESSAGES_MAX = 2000, MODEL_TEXT_MAX = 300, MODEL_LABEL_MAX = 8, MODEL_ID_SIZE = 40 };

/* A message that expires then never does. */
#define MODEL_FOREVER_MS INT64_C(253402300799000)

enum model_stage {
    MODEL_QUEUED,
    MODEL_LAST, /* in the window of its last delivery */
    MODEL_DEAD,
};

struct model_message {
    char id[MODEL_ID_SIZE], receipt[MODEL_ID_SIZE];
    enum model_stage stage;
    uint64_t order;
    unsigned turn; /* before the order, where instants are equal */
    int64_t inserted_ms, expires_ms, visible_ms;
    uint32_t deliveries;
    char text[MODEL_TEXT_MAX];
    size_t length;
    char group[MODEL_LABEL_MAX]; /* texts; empty for none */
    char reason[MODEL_LABEL_MAX];
};

struct queue_model {
    struct model_message messages[MODEL_MESSAGES_MAX];
    size_t count;
    uint64_t next_order;
};

/* A zeroed message at the end, which has the next order; there is always space for one more. */
struct model_message *queue_model_add(struct queue_model *model);
/* NULL if there is none. */
struct model_message *queue_model_find(struct queue_model *model, const char id[MODEL_ID_SIZE]);
void queue_model_take_out(struct queue_model *model, const struct model_message *message);
/* Puts a dead letter to the end of the queue, as if it had just arrived; answers it there. */
struct model_message *queue_model_redrive(struct queue_model *model, const struct model_message *message,
                                          int64_t now_ms);

/* The message shows after all that show in the same millisecond. */
void queue_model_go_behind(struct queue_model *model, struct model_message *message);

/* When it expires, or dies in its last window; INT64_MAX for never. */
int64_t queue_model_end_ms(const struct model_message *message);
bool queue_model_dies_by_window(const struct model_message *message);

bool queue_model_is_dead(const struct model_message *message, int64_t now_ms);
/* Neither dead nor expired. */
bool queue_model_is_living(const struct model_message *message, int64_t now_ms);
/* Whether a living message of its group arrived before. */
bool queue_model_is_behind(const struct queue_model *model, const struct model_message *message,
                           int64_t now_ms);
bool queue_model_is_visible(const struct queue_model *model, const struct model_message *message,
                            int64_t now_ms);

/* All dead letters, or all visible messages, in their order; answers how many. */
size_t queue_model_list(const struct queue_model *model, bool dead, int64_t now_ms,
                        const struct model_message **list);

#endif
