#include "table/table.h"

#include "change/feed_change.h"

enum {
    WALK_STEPS = 512,
    WALK_BYTES = 64 << 10, /* a record of a file ends after this many bytes of steps */
};

static void put_index_names(const struct table *table, struct record_writer *names) {
    for (unsigned i = 0; i < table->index_count; i++) record_put_bytes(names, table->indexes[i].name);
}

static void walk_head(const struct table *table, const struct change_walk *walk) {
    struct record_writer names;
    record_start(&names);
    put_index_names(table, &names);
    struct table_change change = {
        .kind = TABLE_CREATE,
        .policies = packed_view(table->policies),
        .ticks = table->ticks,
        .names = {table->index_count, record_written(&names)},
    };
    walk->take(walk->context, &change);
    record_end(&names);
}

static void take_feed(const struct change_walk *walk, enum feed_change_kind kind, struct bytes bytes) {
    walk->take(walk->context, &(struct table_change){.kind = TABLE_FEEDON + (unsigned)kind, .feed = bytes});
}

static struct table_step step_of(const struct entity *entity) {
    return (struct table_step){
        .kind = STEP_ADD,
        .key = entry_name(&entity->entry),
        .etag = entity->etag,
        .ticks = entity->ticks,
        .properties = entity_properties(entity),
    };
}

/* The table with the names of its indexes, its feed, then its entities in the order of their keys. */
void table_walk(const struct table *table, const struct change_walk *walk) {
    struct order_cursor cursor = catalog_seek(&table->entities, bytes_of("", 0));
    struct entry *entry = order_cursor_take(&cursor);
    struct record_writer steps;
    walk_head(table, walk);
    feed_change_walk(table->feed, walk, take_feed);
    record_start(&steps);
    while (entry) {
        struct table_change change = {.kind = TABLE_ENTITIES};
        for (steps.length = 0; entry && change.steps.count < WALK_STEPS && steps.length < WALK_BYTES;
             change.steps.count++) {
            struct table_step step = step_of((struct entity *)entry);
            table_step_put(&steps, &step);
            entry = order_cursor_take(&cursor);
        }
        change.steps.items = record_written(&steps);
        walk->take(walk->context, &change);
    }
    record_end(&steps);
}

static void take_into_copy(void *context, const void *taken) {
    const struct table_change *change = taken;
    struct table **copy = context;
    if (*copy)
        table_apply(*copy, change);
    else
        *copy = table_new(change);
}

static bool is_being_indexed(const struct table *table) {
    for (unsigned i = 0; i < table->index_count; i++)
        if (!table->indexes[i].complete) return true;
    return false;
}

/* Entities and the entries of indexes are in common until one of the tables changes them. A feed, or an index that is
 * being built, is built anew. */
struct table *table_copy(const struct table *source) {
    struct table *copy = NULL;
    const struct change_walk walk = {.take = take_into_copy, .context = &copy};
    if (source->feed || is_being_indexed(source)) {
        table_walk(source, &walk);
        return copy;
    }
    walk_head(source, &walk);
    table_share(copy, source);
    return copy;
}
