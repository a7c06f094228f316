#include "table/table.h"

#include "core/census.h"
#include "core/garbage.h"
#include "core/memory.h"
#include "core/number.h"
#include "table/ticks.h"

enum { TICKS_PER_MICROSECOND = 10 };

static struct census all_tables, all_entities;

struct table_census table_census(void) {
    return (struct table_census){census_sum(&all_tables), census_sum(&all_entities)};
}

/* --- Creation and freeing --- */

static void add_index(struct table *table, struct bytes name) {
    size_t size = (table->index_count + 1) * sizeof(*table->indexes);
    table->indexes = table->indexes ? account_resize(&table->account, table->indexes, size)
                                    : account_add(&table->account, memory_alloc(size));
    struct table_index *index = &table->indexes[table->index_count++];
    table_index_start(&table->account, index, name);
    index->complete = catalog_count(&table->entities) == 0;
}

void table_add_indexes(struct table *table, struct packed_list names) {
    struct record_reader reader = record_reader(names.items);
    struct bytes name;
    while (table_name_next(&reader, &name))
        if (!table_index_of(table, name)) add_index(table, name);
}

struct table *table_new(const struct table_change *change) {
    struct table *table = memory_zeroed(sizeof(*table));
    census_count(&all_tables, 0, 1);
    account_add(&table->account, table);
    table->ticks = change->ticks;
    table->head.upkeep_ms = INT64_MAX;
    packed_replace(&table->account, &table->policies, change->policies);
    table_add_indexes(table, change->names);
    return table;
}

void table_free(struct table *table) {
    struct order_cursor cursor = catalog_seek(&table->entities, bytes_of("", 0));
    garbage_end(&table->account);
    feed_free(&table->account, table->feed);
    for (struct entry *entry; (entry = order_cursor_take(&cursor));)
        if (entry_let_go(entry)) memory_free(entry);
    census_count(&all_entities, catalog_count(&table->entities), 0);
    census_count(&all_tables, 1, 0);
    catalog_end(&table->entities);
    once_log_end(&table->head.once_log);
    for (unsigned i = 0; i < table->index_count; i++) table_index_end(&table->account, &table->indexes[i]);
    memory_free(table->indexes);
    memory_free(table->policies);
    memory_free(table);
}

/* --- Queries --- */

struct entity *table_find(const struct table *table, struct bytes key) {
    return (struct entity *)catalog_find(&table->entities, key);
}

struct table_index *table_index_of(const struct table *table, struct bytes name) {
    for (unsigned i = 0; i < table->index_count; i++)
        if (bytes_equal(table->indexes[i].name, name)) return &table->indexes[i];
    return NULL;
}

struct table_index *table_unfinished(const struct table *table) {
    for (unsigned i = 0; i < table->index_count; i++)
        if (table_index_unfinished(&table->indexes[i])) return &table->indexes[i];
    return NULL;
}

void table_tell_again(void *value) {
    struct table *table = value;
    feed_tell_again(table->feed);
    for (unsigned i = 0; i < table->index_count; i++) table->indexes[i].untold = true;
}

struct bytes table_index_next(const struct table *table, const struct table_index *index, size_t max) {
    struct order_cursor cursor = order_index_seek_after(&table->entities.by_order, index->frontier);
    struct bytes last = {"", 0};
    for (struct entry *entry; max && (entry = order_cursor_take(&cursor)); max--) last = entry_name(entry);
    return last;
}

int64_t table_ticks_after(int64_t last, int64_t ticks) {
    return number_min(number_max(ticks, last + 1), TICKS_MAX);
}

int64_t table_next_ticks(int64_t last, int64_t now_us) {
    return table_ticks_after(last, ticks_of_ms(now_us / 1000) + now_us % 1000 * TICKS_PER_MICROSECOND);
}

/* --- Entities --- */

void table_add(struct table *table, struct entity *entity) {
    catalog_add(&table->entities, &entity->entry);
    census_count(&all_entities, 0, 1);
}

void table_remove(struct table *table, struct entity *entity) {
    catalog_remove(&table->entities, &entity->entry);
    census_count(&all_entities, 1, 0);
}

static struct entry *hold_entity(void *context, struct entry *entry) {
    struct table *table = context;
    if (entry_hold(&table->account, entry)) return entry;
    struct entity *twin = entity_twin((const struct entity *)entry);
    account_add(&table->account, twin);
    return &twin->entry;
}

void table_share(struct table *table, const struct table *source) {
    catalog_copy(&table->entities, &source->entities, hold_entity, table);
    census_count(&all_entities, 0, catalog_count(&table->entities));
    for (unsigned i = 0; i < table->index_count; i++)
        table_index_share(&table->account, &table->indexes[i], &source->indexes[i]);
}

/* --- Memory --- */

size_t table_memory(const struct table *table) {
    size_t memory =
        table->account.memory + catalog_memory(&table->entities) + once_log_memory(table->head.once_log);
    for (unsigned i = 0; i < table->index_count; i++) memory += table->indexes[i].entries.memory;
    return memory + feed_memory(table->feed);
}

size_t table_allocations(const struct table *table) {
    return table->account.allocations + once_log_allocations(table->head.once_log);
}

struct table *table_relocate(struct table *table, const struct relocation *relocation) {
    table = relocate(relocation, table);
    garbage_follow(&table->account);
    table->policies = relocate(relocation, table->policies);
    table->indexes = relocate(relocation, table->indexes);
    once_log_relocate(&table->head.once_log, relocation);
    return table;
}

size_t table_places(const struct table *table) {
    return size_max(table->entities.by_hash.buckets, feed_places(table->feed));
}

static void move_entity(void *owner, struct entry *entry, const struct relocation *relocation) {
    const struct table *table = owner;
    struct entry_slots slots;
    if (entry_is_common(entry)) return;
    slots.count = 0;
    feed_slots(table->feed, entry, &slots);
    catalog_slots(&table->entities, entry, &slots);
    entry_slots_set(&slots, relocate(relocation, entry));
}

void table_relocate_place(struct table *table, size_t place, const struct relocation *relocation) {
    feed_relocate(table->feed, place, relocation);
    hash_index_move(&table->entities.by_hash, place, relocation, move_entity, table);
}
