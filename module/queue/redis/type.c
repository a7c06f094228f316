/* The data type of queues, for the server. */
#include "queue/queue.h"
#include "queue/redis/queue_commands.h"
#include "queue/redis/settings.h"
#include "server/effects/upkeep.h"
#include "server/storage/type_methods.h"

static void prefetch_message(const void *value, const void *change) {
    const struct queue_change *of_message = change;
    queue_prefetch(value, &of_message->id);
}

TYPE_METHODS(queue)
TYPE_LOADS(queue)

struct data_type queue_type = {
    .type_name = "holdfastQ",
    .noun = "a queue",
    TYPE_ROWS(queue),
    .missing = OUTCOME_QUEUE_NOT_FOUND,
    .permissions = "raup", /* read, add, update, process */
    .settings = queue_settings,
    .survey = queue_survey,
    .prefetch = prefetch_message,
    .events = queue_events,
    .awaited = upkeep_insist,
    .next_look_ms = queue_next_look_ms,
    .notable = queue_is_notable,
    .rules = queue_rules,
};
