/* The data type of tables, for the server. A file has the table with the names of its indexes, then its entities in the
 * order of their keys; loading builds the indexes again. */
#include "server/storage/type_methods.h"
#include "table/redis/table_commands.h"
#include "table/table.h"
#include "table/ticks.h"

/* Ten years, as for versions. With a horizon beyond the year 9999 every Timestamp is plausible. */
#define AHEAD_MAX_MS   INT64_C(315360000000)
#define HORIZON_MAX_MS INT64_C(253402300799000)

static bool ticks_plausible(int64_t ticks, int64_t horizon_ms) {
    return horizon_ms >= HORIZON_MAX_MS || ticks <= ticks_of_ms(horizon_ms + AHEAD_MAX_MS);
}

/* A Timestamp far in the future would force all later ones beyond it, as with versions. */
static bool is_plausible(const void *received, int64_t horizon_ms) {
    const struct table_change *change = received;
    if (!change->steps.count) return ticks_plausible(change->ticks, horizon_ms);
    struct record_reader reader = record_reader(change->steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step))
        if (!ticks_plausible(step.ticks, horizon_ms)) return false;
    return true;
}

TYPE_METHODS(table)
TYPE_LOADS(table)

struct data_type table_type = {
    .type_name = "holdfastT",
    .noun = "a table",
    TYPE_ROWS(table),
    .missing = OUTCOME_TABLE_NOT_FOUND,
    .tell_again = table_tell_again,
    .feed_at = offsetof(struct table, feed),
    .permissions = "raud", /* query, add, update, delete */
    .is_plausible = is_plausible,
    .next_look_ms = table_next_look_ms,
};
