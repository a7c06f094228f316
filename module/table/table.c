#include "table/table.h"

#include "change/feed_change.h"
#include "core/garbage.h"
#include "core/memory.h"
#include "core/number.h"
#include "table/key.h"

#include <stdatomic.h>

enum {
    WALK_STEPS = 512,
    WALK_BYTES = 64 << 10, /* a record of a file ends after this many bytes of steps */
    TICKS_PER_MICROSECOND = 10,
};

static const struct packed_list no_properties = {0, {"", 0}};

static atomic_size_t all_tables, all_entities;

struct table_census table_census(void) {
    return (struct table_census){all_tables, all_entities};
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

static void add_indexes(struct table *table, struct packed_list names) {
    struct record_reader reader = record_reader(names.items);
    struct bytes name;
    while (table_name_next(&reader, &name))
        if (!table_index_of(table, name)) add_index(table, name);
}

struct table *table_new(const struct table_change *change) {
    struct table *table = memory_zeroed(sizeof(*table));
    atomic_fetch_add(&all_tables, 1);
    account_add(&table->account, table);
    catalog_start(&table->entities);
    table->ticks = change->ticks;
    table->upkeep_ms = INT64_MAX;
    packed_replace(&table->account, &table->policies, change->policies);
    add_indexes(table, change->names);
    return table;
}

static struct order_cursor first_entity(const struct table *table) {
    return catalog_seek(&table->entities, bytes_of("", 0));
}

void table_free(struct table *table) {
    struct order_cursor cursor = first_entity(table);
    garbage_end(&table->account);
    feed_free(&table->account, table->feed);
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) memory_free(entry);
    atomic_fetch_sub(&all_entities, catalog_count(&table->entities));
    atomic_fetch_sub(&all_tables, 1);
    catalog_end(&table->entities);
    once_log_end(&table->once_log);
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
        if (!table->indexes[i].complete) return &table->indexes[i];
    return NULL;
}

struct bytes table_index_next(const struct table *table, const struct table_index *index, size_t max) {
    struct order_cursor cursor = order_index_seek_after(&table->entities.by_order, index->frontier);
    struct bytes last = {"", 0};
    for (struct entry *entry; max && (entry = order_cursor_take(&cursor)); max--) last = entry_name(entry);
    return last;
}

int64_t table_next_ticks(int64_t last, int64_t now_us) {
    int64_t ticks = ticks_of_ms(now_us / 1000) + now_us % 1000 * TICKS_PER_MICROSECOND;
    if (ticks <= last) ticks = last + 1;
    return number_min(ticks, TICKS_MAX);
}

/* --- Steps --- */

static bool step_fits(const struct table *table, const struct table_step *step) {
    const struct entity *entity = table_find(table, step->key);
    if (step->kind == STEP_ADD)
        return !entity && (!table->feed || feed_admits(table->feed, step->key, step->etag));
    if (!entity || (step->kind == STEP_REMOVE && table->feed)) return false;
    return step->kind != STEP_MERGE || entity_check_merged_size(entity, step->properties) == OUTCOME_DONE;
}

static bool steps_fit(const struct table *table, struct packed_list steps) {
    struct record_reader reader = record_reader(steps.items);
    struct table_step step;
    while (table_step_next(&reader, &step))
        if (!step_fits(table, &step)) return false;
    return true;
}

static void update_indexes(struct table *table, struct bytes key, struct packed_list before,
                           struct packed_list after) {
    for (unsigned i = 0; i < table->index_count; i++)
        table_index_update(&table->account, &table->indexes[i], key, before, after);
}

static void add_entity(struct table *table, const struct entity_state *state) {
    struct entity *entity = account_add(&table->account, entity_new(state));
    catalog_add(&table->entities, &entity->entry);
    atomic_fetch_add(&all_entities, 1);
    if (table->feed) feed_add(&table->account, table->feed, &entity->entry);
    if (table->index_count) update_indexes(table, state->key, no_properties, state->properties);
}

static void change_entity(struct table *table, struct entity *entity, const struct entity_state *state) {
    struct catalog_slots slots;
    if (table->index_count) update_indexes(table, state->key, entity_properties(entity), state->properties);
    version before = entity->etag;
    if (entity_rewrite(entity, state)) {
        if (table->feed) feed_move(&table->account, table->feed, &entity->entry, before);
        return;
    }
    catalog_slots(&table->entities, &entity->entry, &slots);
    struct entity *moved = account_add(&table->account, entity_new(state));
    moved->entry.hash = entity->entry.hash;
    catalog_slots_set(&slots, &moved->entry);
    if (table->feed) feed_move(&table->account, table->feed, &moved->entry, before);
    account_discard(&table->account, entity);
}

static void merge_entity(struct table *table, struct entity *entity, struct entity_state *state) {
    struct record_writer buffer;
    record_start(&buffer);
    state->properties = properties_merge(entity_properties(entity), state->properties, &buffer);
    change_entity(table, entity, state);
    record_end(&buffer);
}

static void remove_entity(struct table *table, struct entity *entity, version deletion) {
    if (table->feed) feed_mark(&table->account, table->feed, &entity->entry, deletion);
    if (table->index_count)
        update_indexes(table, entry_name(&entity->entry), entity_properties(entity), no_properties);
    catalog_remove(&table->entities, &entity->entry);
    atomic_fetch_sub(&all_entities, 1);
    account_discard(&table->account, entity);
}

void table_do_step(struct table *table, const struct table_step *step) {
    struct entity_state state = {step->key, step->etag, step->ticks, step->properties};
    struct entity *entity = step->existing;
    if (!entity && step->kind != STEP_ADD) entity = table_find(table, step->key);
    if (step->etag) version_observe(step->etag);
    if (step->ticks > table->ticks) table->ticks = step->ticks;
    switch (step->kind) {
    case STEP_ADD: add_entity(table, &state); break;
    case STEP_SET: change_entity(table, entity, &state); break;
    case STEP_MERGE: merge_entity(table, entity, &state); break;
    default: remove_entity(table, entity, step->etag);
    }
}

static bool apply_decided_steps(struct table *table, const struct table_change *change) {
    for (uint64_t i = 0; i < change->steps.count; i++) table_do_step(table, &change->decided[i]);
    return true;
}

static bool apply_steps(struct table *table, const struct table_change *change) {
    if (change->decided) return apply_decided_steps(table, change);
    struct record_reader reader = record_reader(change->steps.items);
    struct table_step step;
    if (!steps_fit(table, change->steps)) return false;
    while (table_step_next(&reader, &step)) table_do_step(table, &step);
    return true;
}

/* --- Indexes --- */

static bool apply_index(struct table *table, const struct table_change *change) {
    if (table->index_count + change->names.count > TABLE_INDEXES_MAX) return false;
    add_indexes(table, change->names);
    return true;
}

static bool apply_unindex(struct table *table, const struct table_change *change) {
    struct record_reader reader = record_reader(change->names.items);
    struct bytes name;
    while (table_name_next(&reader, &name)) {
        struct table_index *index = table_index_of(table, name);
        if (!index) continue;
        table_index_drop(&table->account, index);
        *index = table->indexes[--table->index_count];
    }
    return true;
}

/* An index that came from a file may be complete already. */
static bool apply_indexed(struct table *table, const struct table_change *change) {
    struct record_reader reader = record_reader(change->names.items);
    struct bytes name;
    struct table_index *index = table_name_next(&reader, &name) ? table_index_of(table, name) : NULL;
    if (!index || index->complete) return index;
    struct order_cursor cursor = order_index_seek_after(&table->entities.by_order, index->frontier);
    struct entry *entry = order_cursor_entry(&cursor);
    for (; entry && bytes_compare(entry_name(entry), change->key) <= 0; entry = order_cursor_entry(&cursor)) {
        order_cursor_prefetch(&cursor, TABLE_PREFETCH_AHEAD);
        table_index_add(&table->account, index, entry_name(entry), entity_properties((struct entity *)entry));
        order_cursor_next(&cursor);
    }
    if (!entry)
        table_index_complete(&table->account, index);
    else if (bytes_compare(change->key, index->frontier) > 0)
        table_index_advance(&table->account, index, change->key);
    return true;
}

static bool apply_table_setacl(struct table *table, const struct table_change *change) {
    packed_replace(&table->account, &table->policies, change->policies);
    return true;
}

/* --- Feeds --- */

_Static_assert(offsetof(struct entity, etag) == offsetof(struct feed_entry, v),
               "an entity is a feed's object");

static bool stored_key_is_sound(const void *key) {
    return stored_key_sound(*(const struct bytes *)key);
}

FEED_KINDS_IN_ORDER(TABLE_FEED);

static bool apply_table_feed(struct table *table, const struct table_change *change) {
    const struct feed_owner owner = {
        .account = &table->account,
        .feed = &table->feed,
        .objects = &table->entities.by_order,
        .name_is_sound = stored_key_is_sound,
    };
    return feed_change_apply(&owner,
                             &(struct feed_change){
                                 .kind = change->kind - TABLE_FEEDON,
                                 .beginning = change->minted,
                                 .keep = change->keep,
                                 .bytes = change->kind == TABLE_FEEDBUILT ? change->key : change->feed,
                             });
}

#define HAS(field) TABLE_HAS(field)
const struct table_kind table_change_kinds[TABLE_CHANGE_KINDS] = {
    [TABLE_CREATE] = {.is = {.event = "table.create",
                             .fields = HAS(POLICIES) | HAS(TICKS) | HAS(NAMES),
                             .traits = CHANGE_CREATES}},
    [TABLE_DROP] = {.is = {.event = "table.drop", .traits = CHANGE_DROPS}},
    [TABLE_SETACL] = {{.event = "table.setacl", .fields = HAS(POLICIES)}, .apply = apply_table_setacl},
    [TABLE_INDEX] = {{.event = "table.index", .fields = HAS(NAMES)}, .apply = apply_index},
    [TABLE_UNINDEX] = {{.event = "table.unindex", .fields = HAS(NAMES)}, .apply = apply_unindex},
    [TABLE_INDEXED] = {{.fields = HAS(NAMES) | HAS(KEY)}, .apply = apply_indexed},
    [TABLE_INSERT] = {{.event = "table.insert", .fields = HAS(STEPS)}, .apply = apply_steps},
    [TABLE_REPLACE] = {{.event = "table.replace", .fields = HAS(STEPS)}, .apply = apply_steps},
    [TABLE_MERGE] = {{.event = "table.merge", .fields = HAS(STEPS)}, .apply = apply_steps},
    [TABLE_DELETE] = {{.event = "table.delete", .fields = HAS(STEPS)}, .apply = apply_steps},
    [TABLE_INSERTORREPLACE] = {{.event = "table.insertorreplace", .fields = HAS(STEPS)},
                               .apply = apply_steps},
    [TABLE_INSERTORMERGE] = {{.event = "table.insertormerge", .fields = HAS(STEPS)}, .apply = apply_steps},
    [TABLE_BATCH] = {{.event = "table.batch", .fields = HAS(STEPS)}, .apply = apply_steps},
    [TABLE_ENTITIES] = {{.fields = HAS(STEPS), .traits = CHANGE_IN_FILES}, .apply = apply_steps},

    [TABLE_FEEDON] = {{.event = "table.feed", .fields = HAS(MINTED) | HAS(KEEP)}, .apply = apply_table_feed},
    [TABLE_FEEDKEEP] = {{.event = "table.feed", .fields = HAS(KEEP)}, .apply = apply_table_feed},
    [TABLE_FEEDOFF] = {{.event = "table.feed"}, .apply = apply_table_feed},
    [TABLE_FEEDBUILT] = {{.fields = HAS(KEY)}, .apply = apply_table_feed},
    [TABLE_FEEDSTATE] = {{.fields = HAS(FEEDSTATE), .traits = CHANGE_IN_FILES}, .apply = apply_table_feed},
    [TABLE_FEEDMARKERS] = {{.fields = HAS(FEED), .traits = CHANGE_IN_FILES}, .apply = apply_table_feed},
};

bool table_apply(struct table *table, const struct table_change *change) {
    table_change_apply *apply = table_change_kinds[change->kind].apply;
    if (!change_is(&table_changes, change, CHANGE_IN_FILES)) feed_loaded(table->feed);
    return apply && apply(table, change);
}

/* --- Walks --- */

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
        .names = {table->index_count, bytes_of(names.data, names.length)},
    };
    walk->take(walk->context, &change);
    record_end(&names);
}

static void take_feed(const struct change_walk *walk, enum feed_change_kind kind, struct bytes bytes) {
    walk->take(walk->context, &(struct table_change){.kind = TABLE_FEEDON + kind, .feed = bytes});
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

void table_walk(const struct table *table, const struct change_walk *walk) {
    struct order_cursor cursor = first_entity(table);
    struct entry *entry = order_cursor_entry(&cursor);
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
            order_cursor_prefetch(&cursor, TABLE_PREFETCH_AHEAD);
            order_cursor_next(&cursor);
            entry = order_cursor_entry(&cursor);
        }
        change.steps.items = bytes_of(steps.data, steps.length);
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

struct table *table_copy(const struct table *source) {
    struct table *copy = NULL;
    table_walk(source, &(struct change_walk){.take = take_into_copy, .context = &copy});
    return copy;
}

/* --- Memory --- */

size_t table_memory(const struct table *table) {
    size_t memory =
        table->account.memory + catalog_memory(&table->entities) + once_log_memory(table->once_log);
    for (unsigned i = 0; i < table->index_count; i++) memory += table->indexes[i].entries.memory;
    return memory + feed_memory(table->feed);
}

size_t table_allocations(const struct table *table) {
    return table->account.allocations + once_log_allocations(table->once_log);
}

struct table *table_relocate(struct table *table, const struct relocation *relocation) {
    table = relocate(relocation, table);
    garbage_follow(&table->account);
    table->policies = relocate(relocation, table->policies);
    table->indexes = relocate(relocation, table->indexes);
    once_log_relocate(&table->once_log, relocation);
    return table;
}

size_t table_places(const struct table *table) {
    return size_max(table->entities.by_hash.buckets, feed_places(table->feed));
}

static void move_entity(void *owner, struct entry *entry, const struct relocation *relocation) {
    const struct table *table = owner;
    struct catalog_slots slots;
    const struct feed *feed = table->feed;
    void **slot_in_feed = feed ? feed_slot(feed, entry) : NULL;
    catalog_slots(&table->entities, entry, &slots);
    entry = relocate(relocation, entry);
    catalog_slots_set(&slots, entry);
    if (slot_in_feed) *slot_in_feed = entry;
}

void table_relocate_entities(struct table *table, size_t place, const struct relocation *relocation) {
    feed_relocate(table->feed, place, relocation);
    hash_index_move(&table->entities.by_hash, place, relocation, move_entity, table);
}
