/* The table as a data type of the server: files, digests, memory, freeing, copies.
 *
 * A file holds the table with the names of its indexes, and its entities in the order of their keys; indexes are built
 * again while it is read. */
#include "server/type_methods.h"
#include "server/upkeep.h"
#include "table/redis/handlers.h"

enum { ENCODING_VERSION = 0 };

/* Ten years, as for versions; and a horizon behind which there is nothing to be compared. */
#define AHEAD_MOST_MS   INT64_C(315360000000)
#define HORIZON_MOST_MS INT64_C(253402300799000)

/* A replica that is promoted goes on with what is being built. */
static void note_upkeep(struct effect_target *target) {
    if (table_unfinished(target->value)) target->upkeep_ms = server_now_ms();
}

static bool ticks_plausible(int64_t ticks, int64_t horizon_ms) {
    return horizon_ms >= HORIZON_MOST_MS || ticks <= ticks_of_ms(horizon_ms + AHEAD_MOST_MS);
}

/* Versions and instants that lie absurdly ahead would poison all that come later. */
static bool is_plausible(const struct table_change *change, int64_t horizon_ms) {
    struct record_reader reader = record_reader(change->steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step)) {
        if (step.kind == STEP_REMOVE) continue;
        if (!version_plausible(step.etag, horizon_ms) || !ticks_plausible(step.ticks, horizon_ms))
            return false;
    }
    return ticks_plausible(change->ticks, horizon_ms);
}

static enum effect_result apply_change(struct effect_target *target, const struct table_change *change) {
    bool creates = change->kind == TABLE_CREATE;
    if (creates != !target->value) return EFFECT_MISFIT;
    if (creates) {
        target->value = table_new(change);
        return EFFECT_APPLIED;
    }
    if (change->kind == TABLE_DROP) {
        target->drop = true;
        return EFFECT_APPLIED;
    }
    if (!table_apply(target->value, change)) return EFFECT_MISFIT;
    if (change->kind == TABLE_UNINDEX) table_free_dropped();
    note_upkeep(target);
    return EFFECT_APPLIED;
}

static enum effect_result apply(struct effect_target *target, struct bytes record,
                                const struct effect_content *content, int64_t horizon_ms) {
    struct table_change change;
    if (content->given || !table_change_read(record, &change)) return EFFECT_MALFORMED;
    if (!is_plausible(&change, horizon_ms)) return EFFECT_MALFORMED;
    target->events[0] = table_change_event(change.kind);
    return apply_change(target, &change);
}

/* --- Files --- */

static void put_record(void *context, const struct table_change *change) {
    table_change_write(change, saving_record(context));
    saving_put(context, NULL);
}

static void walk(struct saving *saving, const void *value) {
    table_walk(value, put_record, saving);
}

static bool take_record(struct loading *loading, struct bytes record) {
    struct table_change change;
    if (!table_change_read(record, &change) || !is_plausible(&change, loading->horizon_ms)) return false;
    if (loading->value) return change.kind == TABLE_ENTITIES && table_apply(loading->value, &change);
    if (change.kind != TABLE_CREATE) return false;
    loading->value = table_new(&change);
    return true;
}

/* All that comes out of a file is complete. */
static int64_t upkeep_due_ms(void *value) {
    (void)value;
    return UPKEEP_NEVER;
}

static void release(void *value) {
    table_free(value);
}

static const struct saved_type saved = {
    .noun = "a table",
    .encoding_version = ENCODING_VERSION,
    .walk = walk,
    .take = take_record,
    .upkeep_due_ms = upkeep_due_ms,
    .free = release,
};

TYPE_FILES(saved)
TYPE_LOADS(saved)
TYPE_MEMORY(table)
TYPE_MOVES(table, entities)

struct aggregate table_aggregate = {
    .type_name = "holdfastT",
    .family = TABLE_FAMILY,
    .encoding_version = ENCODING_VERSION,
    .methods = TYPE_METHODS,
    .missing = OUTCOME_TABLE_NOT_FOUND,
    .apply = apply,
    .settings = NULL,
    .info = table_info,
    .upkeep = table_upkeep,
};
