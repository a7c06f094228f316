#include "queue_model.h"

#include <stdlib.h>
#include <string.h>

struct model_message *queue_model_add(struct queue_model *model) {
    if (model->count == MODEL_MESSAGES_MAX) abort();
    struct model_message *message = &model->messages[model->count++];
    *message = (struct model_message){.order = model->next_order++};
    return message;
}

struct model_message *queue_model_find(struct queue_model *model, const char id[MODEL_ID_SIZE]) {
    for (size_t i = 0; i < model->count; i++)
        if (!memcmp(model->messages[i].id, id, MODEL_ID_SIZE)) return &model->messages[i];
    return NULL;
}

void queue_model_take_out(struct queue_model *model, const struct model_message *message) {
    size_t at = (size_t)(message - model->messages);
    memmove(&model->messages[at], &model->messages[at + 1], (--model->count - at) * sizeof(*message));
}

struct model_message *queue_model_redrive(struct queue_model *model, const struct model_message *message,
                                          int64_t now_ms) {
    struct model_message again = *message;
    queue_model_take_out(model, message);
    again.order = model->next_order;
    again.inserted_ms = again.visible_ms = now_ms;
    again.deliveries = 0;
    again.reason[0] = '\0';
    again.stage = MODEL_QUEUED;
    struct model_message *last = queue_model_add(model);
    *last = again;
    return last;
}

bool queue_model_dies_by_window(const struct model_message *message) {
    return message->stage == MODEL_LAST && message->visible_ms < message->expires_ms;
}

int64_t queue_model_end_ms(const struct model_message *message) {
    if (message->stage == MODEL_DEAD) return INT64_MAX;
    int64_t end_ms = queue_model_dies_by_window(message) ? message->visible_ms : message->expires_ms;
    return end_ms == MODEL_FOREVER_MS ? INT64_MAX : end_ms;
}

bool queue_model_is_dead(const struct model_message *message, int64_t now_ms) {
    if (message->stage == MODEL_DEAD) return true;
    return queue_model_dies_by_window(message) && message->visible_ms <= now_ms;
}

bool queue_model_is_living(const struct model_message *message, int64_t now_ms) {
    return message->stage != MODEL_DEAD && queue_model_end_ms(message) > now_ms;
}

static bool is_peer(const struct model_message *one, const struct model_message *other) {
    return one->group[0] && !strcmp(one->group, other->group);
}

bool queue_model_is_behind(const struct queue_model *model, const struct model_message *message,
                           int64_t now_ms) {
    for (const struct model_message *other = model->messages; other < message; other++)
        if (is_peer(message, other) && queue_model_is_living(other, now_ms)) return true;
    return false;
}

bool queue_model_is_visible(const struct queue_model *model, const struct model_message *message,
                            int64_t now_ms) {
    return queue_model_is_living(message, now_ms) && message->visible_ms <= now_ms &&
           !queue_model_is_behind(model, message, now_ms);
}

/* --- Orders --- */

static bool comes_before(const struct model_message *one, const struct model_message *other) {
    return one->turn != other->turn ? one->turn < other->turn : one->order < other->order;
}

/* Whether there is another one of its group in front of it, perhaps one that has ended. */
static bool has_predecessor(const struct queue_model *model, const struct model_message *message) {
    for (const struct model_message *other = model->messages; other < message; other++)
        if (is_peer(message, other) && other->stage != MODEL_DEAD) return true;
    return false;
}

static bool will_show(const struct queue_model *model, const struct model_message *message) {
    return message->stage != MODEL_DEAD && message->visible_ms < queue_model_end_ms(message) &&
           !queue_model_dies_by_window(message) && !has_predecessor(model, message);
}

void queue_model_go_behind(struct queue_model *model, struct model_message *message) {
    const struct model_message *last = NULL;
    message->turn = 0;
    if (!will_show(model, message)) return;
    for (size_t i = 0; i < model->count; i++) {
        const struct model_message *other = &model->messages[i];
        bool equal = other != message && other->visible_ms == message->visible_ms && will_show(model, other);
        if (equal && (!last || comes_before(last, other))) last = other;
    }
    if (last) message->turn = last->turn + (last->order > message->order);
}

static int by_showing(const void *left, const void *right) {
    const struct model_message *one = *(const struct model_message *const *)left;
    const struct model_message *other = *(const struct model_message *const *)right;
    if (one->visible_ms != other->visible_ms) return one->visible_ms < other->visible_ms ? -1 : 1;
    return comes_before(one, other) ? -1 : 1;
}

size_t queue_model_list(const struct queue_model *model, bool dead, int64_t now_ms,
                        const struct model_message **list) {
    size_t count = 0;
    for (size_t i = 0; i < model->count; i++) {
        const struct model_message *message = &model->messages[i];
        if (dead ? queue_model_is_dead(message, now_ms) : queue_model_is_visible(model, message, now_ms))
            list[count++] = message;
    }
    qsort(list, count, sizeof(*list), by_showing);
    return count;
}
