/* Transactions: what a command on an entity changes, and how its decided change fits after others. */
#include "core/targets.h"
#include "table/redis/drafts.h"

void entity_touches(const struct call *call, struct targets *targets) {
    const struct drafts *drafts = drafts_of_call(call);
    targets_add(targets, "entity", draft_operation(drafts, &drafts->items[0]).key);
}

/* The entities of the steps have not moved, since no other change of the transaction writes them. Timestamps must be
 * greater than those of the changes before. */
bool table_refresh(struct call *call, void *decided) {
    const struct table_change *change = decided;
    const struct table *table = call->value;
    int64_t ticks = table->ticks;
    for (uint64_t i = 0; i < change->steps.count; i++) {
        struct table_step *step = &change->decided[i];
        if (table_step_removes(step)) continue;
        ticks = step->ticks = table_ticks_after(ticks, step->ticks);
    }
    return true;
}
