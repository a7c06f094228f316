#include "table_crowd.h"

#include "require.h"
#include "table/table.h"

#include <stdio.h>
#include <stdlib.h>

static void apply_names(struct table *table, enum table_change_kind kind, unsigned count) {
    struct record_writer names ENDS_BY(record_end);
    record_start(&names);
    for (unsigned i = 0; i < count; i++) record_put_bytes(&names, bytes_text(naive_names[i]));
    struct table_change change = {.kind = kind, .names = {count, record_written(&names)}};
    require(table_apply(table, &change), "indexes are declared");
}

static void apply_step(struct table_crowd *crowd, const struct crowd_member *member,
                       enum table_step_kind kind) {
    struct record_writer steps;
    struct table_step step = {
        .kind = kind,
        .key = naive_row_key(&member->row),
        .etag = 1,
        .ticks = member->entity.timestamp.number,
        .properties = {member->entity.count, member->row.row.properties},
    };
    record_start(&steps);
    table_step_put(&steps, &step);
    struct table_change change = {.kind = TABLE_BATCH, .steps = {1, record_written(&steps)}};
    require(table_apply(crowd->table, &change), "a step of a member");
    record_end(&steps);
}

void table_crowd_turn(struct table_crowd *crowd, unsigned number) {
    struct crowd_member *member = &crowd->members[number];
    apply_step(crowd, member, member->there ? STEP_REMOVE : STEP_ADD);
    member->there = !member->there;
}

void table_crowd_rewrite(struct table_crowd *crowd, unsigned number) {
    if (crowd->members[number].there) apply_step(crowd, &crowd->members[number], STEP_SET);
}

/* The stored key of an entity that has no row yet. */
static struct naive_row key_of(const struct naive_entity *entity) {
    struct naive_entity bare = {.partition = entity->partition, .row = entity->row};
    struct naive_row row;
    naive_row_start(&row, &bare);
    naive_row_end(&row);
    return row;
}

static int by_key(const void *left, const void *right) {
    struct naive_row one = key_of(left), other = key_of(right);
    return bytes_compare(naive_row_key(&one), naive_row_key(&other));
}

void table_crowd_start(struct table_crowd *crowd, struct dice *dice, unsigned indexes) {
    static struct naive_entity entities[CROWD_MAX];
    for (unsigned i = 0; i < CROWD_MAX; i++) entities[i] = naive_entity_draw(dice);
    qsort(entities, CROWD_MAX, sizeof(entities[0]), by_key);
    crowd->table = table_new(
        &(struct table_change){.kind = TABLE_CREATE, .policies = {0, {"", 0}}, .names = {0, {"", 0}}});
    apply_names(crowd->table, TABLE_INDEX, indexes);
    crowd->count = 0;
    for (unsigned i = 0; i < CROWD_MAX; i++) {
        if (i && by_key(&entities[i - 1], &entities[i]) == 0) continue;
        struct crowd_member *member = &crowd->members[crowd->count++];
        member->entity = entities[i];
        member->there = false;
        naive_row_start(&member->row, &member->entity);
        if (dice_percent(dice, 50)) table_crowd_turn(crowd, crowd->count - 1);
    }
}

void table_crowd_end(struct table_crowd *crowd) {
    table_free(crowd->table);
    for (unsigned i = 0; i < crowd->count; i++) naive_row_end(&crowd->members[i].row);
}

struct crowd_member *table_crowd_find(struct table_crowd *crowd, struct bytes key) {
    for (unsigned i = 0; i < crowd->count; i++)
        if (bytes_equal(naive_row_key(&crowd->members[i].row), key)) return &crowd->members[i];
    return NULL;
}

/* --- Plans --- */

static bool all_single(const struct ranges *ranges) {
    for (unsigned i = 0; i < ranges->count; i++)
        if (!ranges->items[i].single) return false;
    return true;
}

bool plan_by_way(const struct table *table, const struct filter *filter, unsigned way, struct plan *plan) {
    struct filter everything = {.all = true};
    if (way == WAY_CHOSEN) {
        plan_make(table, filter, plan);
        return true;
    }
    *plan = (struct plan){.kind = PLAN_RANGE, .sorted = true};
    filter_key_ranges(way == WAY_SCAN ? &everything : filter, &plan->keys);
    if (way == WAY_SCAN) plan->kind = PLAN_SCAN;
    if (way < WAY_INDEX) return true;
    plan->index = &table->indexes[way - WAY_INDEX];
    bool confines = filter_index_ranges(filter, plan->index->name, &plan->values);
    if (confines) {
        plan->kind = PLAN_INDEX;
        plan->sorted = all_single(&plan->values);
    } else {
        plan_end(plan);
    }
    return confines;
}

void table_add_row(struct table *table, char partition, unsigned number, struct packed_list properties) {
    char key[16];
    int length = snprintf(key, sizeof(key), "%c_%06u", partition, number);
    key[1] = '\0';
    struct table_step step = {.kind = STEP_ADD,
                              .key = bytes_of(key, (size_t)length),
                              .etag = 1,
                              .ticks = 1,
                              .properties = properties};
    table_apply(table, &(struct table_change){.kind = TABLE_BATCH, .steps = {.count = 1}, .decided = &step});
}

struct query_pages query_pages_of(const struct table *table, const char *text, size_t rows_max) {
    static struct query_page page;
    struct query_pages pages = {.min_rows = SIZE_MAX};
    struct filter filter ENDS_BY(filter_end);
    struct plan plan ENDS_BY(plan_end);
    filter_of(bytes_text(text), &filter);
    plan_make(table, &filter, &plan);
    pages.kind = plan.kind;
    struct query query = {table, &filter, &plan, {"", 0}, rows_max, QUERY_BYTES_MAX};
    do {
        query_run(&query, &page);
        pages.count++;
        pages.rows += page.count;
        if (page.count > pages.rows_max) pages.rows_max = page.count;
        if (page.next.data && page.count < pages.min_rows) pages.min_rows = page.count;
        if (page.work > pages.max_work) pages.max_work = page.work;
        query.from = page.next;
    } while (page.next.data);
    return pages;
}
