/* The queue as a data type of the server: files, digests, memory, freeing, copies.
 *
 * A file holds the queue, its messages and dead letters in order of arrival, and what is known for duplicates. */
#include "queue/redis/handlers.h"
#include "server/type_methods.h"
#include "server/upkeep.h"

enum { ENCODING_VERSION = 0 };

/* A replica that is promoted, and a file that is loaded, find by this what ends while nobody comes. */
static void note_upkeep(struct effect_target *target) {
    struct queue *queue = target->value;
    int64_t due_ms = queue_next_look_ms(queue);
    if (due_ms == UPKEEP_NEVER || (queue->upkeep_ms && queue->upkeep_ms <= due_ms)) return;
    queue->upkeep_ms = due_ms;
    target->upkeep_ms = due_ms;
}

static enum effect_result apply(struct effect_target *target, struct bytes record,
                                const struct effect_content *content, int64_t horizon_ms) {
    struct queue_change change;
    (void)horizon_ms; /* a queue has no versions */
    if (content->given || !change_read(&queue_changes, record, &change)) return EFFECT_MALFORMED;
    queue_events(&change, target->events);
    bool creates = change.kind == QUEUE_CREATE;
    if (creates != !target->value) return EFFECT_MISFIT;
    if (creates) {
        target->value = queue_new(&change);
        return EFFECT_APPLIED;
    }
    if (change.kind == QUEUE_DROP) {
        target->drop = true;
        return EFFECT_APPLIED;
    }
    bool applied = queue_apply(target->value, &change);
    if (change.kind == QUEUE_CLEAR || change.kind == QUEUE_CLEAR_DEAD) queue_free_cleared();
    if (applied) note_upkeep(target);
    return applied ? EFFECT_APPLIED : EFFECT_MISFIT;
}

/* --- Files --- */

static void put_record(void *context, const struct queue_change *change) {
    change_write(&queue_changes, change, saving_record(context));
    saving_put(context, NULL);
}

static void walk(struct saving *saving, const void *value) {
    queue_walk(value, put_record, saving);
}

static bool may_stand_in_file(enum queue_change_kind kind) {
    return kind == QUEUE_MESSAGE || kind == QUEUE_ORIGINAL;
}

static bool take_record(struct loading *loading, struct bytes record) {
    struct queue_change change;
    if (!change_read(&queue_changes, record, &change)) return false;
    if (loading->value) return may_stand_in_file(change.kind) && queue_apply(loading->value, &change);
    if (change.kind != QUEUE_CREATE) return false;
    loading->value = queue_new(&change);
    return true;
}

static int64_t upkeep_due_ms(void *value) {
    struct queue *queue = value;
    int64_t due_ms = queue_next_end_ms(queue);
    if (due_ms != UPKEEP_NEVER) queue->upkeep_ms = due_ms;
    return due_ms;
}

static void release(void *value) {
    queue_free(value);
}

static const struct saved_type saved = {
    .noun = "a queue",
    .encoding_version = ENCODING_VERSION,
    .walk = walk,
    .take = take_record,
    .upkeep_due_ms = upkeep_due_ms,
    .free = release,
};

TYPE_FILES(saved)
TYPE_LOADS(saved)
TYPE_MEMORY(queue)
TYPE_MOVES(queue, messages)

struct aggregate queue_aggregate = {
    .type_name = "holdfastQ",
    .family = 'Q',
    .encoding_version = ENCODING_VERSION,
    .methods = TYPE_METHODS,
    .missing = OUTCOME_QUEUE_NOT_FOUND,
    .apply = apply,
    .settings = queue_settings,
    .info = queue_info,
    .survey = queue_survey,
    .upkeep = queue_upkeep,
    .changes = &queue_changes,
    .commit = queue_commit,
    .wake = queue_wake,
    .awaited = queue_insist_on_upkeep,
};
