/* How each kind of change is applied, and the table of the kinds. */
#include "table/table.h"

#include "change/feed_change.h"
#include "table/key.h"

static const struct packed_list no_properties = {0, {"", 0}};

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
    table_add(table, entity);
    if (table->feed) feed_add(&table->account, table->feed, &entity->entry);
    if (table->index_count) update_indexes(table, state->key, no_properties, state->properties);
}

static void change_entity(struct table *table, struct entity *entity, const struct entity_state *state) {
    struct entry_slots slots;
    if (table->index_count) update_indexes(table, state->key, entity_properties(entity), state->properties);
    version before = entity->etag;
    if (entity_rewrite(entity, state)) {
        if (table->feed) feed_move(&table->account, table->feed, &entity->entry, before);
        return;
    }
    slots.count = 0;
    catalog_slots(&table->entities, &entity->entry, &slots);
    struct entity *moved = account_add(&table->account, entity_new(state));
    moved->entry.hash = entity->entry.hash;
    entry_slots_set(&slots, &moved->entry);
    if (table->feed) feed_move(&table->account, table->feed, &moved->entry, before);
    entry_drop(&table->account, &entity->entry);
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
    table_remove(table, entity);
    entry_drop(&table->account, &entity->entry);
}

static void do_step(struct table *table, const struct table_step *step) {
    struct entity_state state = {step->key, step->etag, step->ticks, step->properties};
    struct entity *entity = step->existing;
    if (!entity && step->kind != STEP_ADD) entity = table_find(table, step->key);
    if (step->ticks > table->ticks) table->ticks = step->ticks;
    switch (step->kind) {
    case STEP_ADD: add_entity(table, &state); break;
    case STEP_SET: change_entity(table, entity, &state); break;
    case STEP_MERGE: merge_entity(table, entity, &state); break;
    default: remove_entity(table, entity, step->etag);
    }
}

static bool apply_decided_steps(struct table *table, const struct table_change *change) {
    for (uint64_t i = 0; i < change->steps.count; i++) do_step(table, &change->decided[i]);
    return true;
}

static bool apply_steps(struct table *table, const struct table_change *change) {
    if (change->decided) return apply_decided_steps(table, change);
    struct record_reader reader = record_reader(change->steps.items);
    struct table_step step;
    if (!steps_fit(table, change->steps)) return false;
    while (table_step_next(&reader, &step)) do_step(table, &step);
    return true;
}

/* --- Indexes --- */

static bool apply_index(struct table *table, const struct table_change *change) {
    if (table->index_count + change->names.count > TABLE_INDEXES_MAX) return false;
    table_add_indexes(table, change->names);
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

/* An index that came from a file is complete, and may be told of for those on replicas. */
static bool apply_indexed(struct table *table, const struct table_change *change) {
    struct record_reader reader = record_reader(change->names.items);
    struct bytes name;
    struct table_index *index = table_name_next(&reader, &name) ? table_index_of(table, name) : NULL;
    if (!index || !table_index_unfinished(index)) return index;
    struct bytes before = index->complete ? change->key : index->frontier;
    struct order_cursor cursor = order_index_seek_after(&table->entities.by_order, before);
    struct entry *entry;
    while ((entry = order_cursor_take(&cursor)) && bytes_compare(entry_name(entry), change->key) <= 0)
        table_index_add(&table->account, index, entry_name(entry), entity_properties((struct entity *)entry));
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
    [TABLE_INDEXED] = {{.fields = HAS(NAMES) | HAS(KEY), .traits = CHANGE_UNSEEN}, .apply = apply_indexed},
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
