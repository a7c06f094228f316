/* What TABLE.* for entities changes, and what becomes of its changes beside others of one transaction. */
#include "core/things.h"
#include "table/redis/handlers.h"

void entity_touches(const struct call *call, struct things *things) {
    struct bytes partition = call_word(call, ARG_PARTITION), row = call_word(call, ARG_ROW);
    size_t length = partition.length + 1 + row.length;
    char *key = things_alloc(things, length);
    key_store(partition, key);
    key[partition.length] = '\0';
    key_store(row, key + partition.length + 1);
    things_add(things, "entity", bytes_of(key, length));
}

/* Entities stay where they are until they are written themselves; their Timestamps go on behind those that came before. */
bool table_refresh(struct call *call, void *decided) {
    const struct table_change *change = decided;
    const struct table *table = call->value;
    int64_t ticks = table->ticks;
    for (uint64_t i = 0; i < change->steps.count; i++) {
        struct table_step *step = &change->decided[i];
        if (table_step_ends(step)) continue;
        if (step->ticks <= ticks) step->ticks = ticks + 1;
        ticks = step->ticks;
    }
    return true;
}
