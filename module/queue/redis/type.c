/* The queue as a data type of the server: files, digests, memory, freeing, copies.
 *
 * A file has the queue, then its messages and dead letters in order of arrival, then its dedup entries. */
#include "queue/redis/handlers.h"
#include "server/effects/upkeep.h"
#include "server/storage/type_methods.h"

enum { ENCODING_VERSION = 0 };

TYPE_VALUES(queue)

TYPE_FILES(queue)
TYPE_LOADS(queue)
TYPE_MEMORY(queue)
TYPE_MOVES(queue, messages)

struct data_type queue_type = {
    .type_name = "holdfastQ",
    .noun = "a queue",
    .encoding_version = ENCODING_VERSION,
    .methods = TYPE_METHODS,
    .missing = OUTCOME_QUEUE_NOT_FOUND,
    .settings = queue_settings,
    .info = queue_info,
    .survey = queue_survey,
    .upkeep = queue_upkeep,
    .changes = &queue_changes,
    .make = make_value,
    .apply = apply_change,
    .events = queue_events,
    .after = queue_count_change,
    .wake = queue_wake,
    .refresh = queue_refresh,
    .awaited = upkeep_insist,
    .walk = walk_value,
    .next_look_ms = queue_next_look_ms,
    .due_at = offsetof(struct queue, upkeep_ms),
    .remembered_at = offsetof(struct queue, remembered),
    .noted_at = offsetof(struct queue, noted),
    .notable = queue_is_notable,
    .rules = queue_rules,
};
