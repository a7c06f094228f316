/* Which way a query goes, case by case. */
#include "naive_row.h"
#include "table/query.h"
#include "table/table.h"
#include "table_crowd.h"
#include "unit.h"

FREES(table)

enum { PARTITIONS = 3, ROWS = 1000 };

/* What is in the table of the cases:
 *
 *   partitions a, b, c with rows 000000 to 000999 each
 *   number  int64   of each entity its own, from 0 on     color   string   one of ten, c0 to c9
 *   sold    bool    of every second one true              rare    int64    7, of three entities only
 *   plain   int64   like number, without an index */
static struct packed_list properties_of(struct record_writer *room, int64_t number) {
    char color[] = {'c', (char)('0' + number % 10)};
    uint64_t count = 4;
    room->length = 0;
    property_put(room, &(struct property){bytes_text("number"), {.type = VALUE_INT64, .number = number}});
    property_put(room, &(struct property){bytes_text("plain"), {.type = VALUE_INT64, .number = number}});
    property_put(room, &(struct property){bytes_text("sold"), {.type = VALUE_BOOL, .number = number % 2}});
    property_put(room, &(struct property){bytes_text("color"), {.type = VALUE_STRING, .bytes = {color, 2}}});
    if (number % ROWS == 77) {
        property_put(room, &(struct property){bytes_text("rare"), {.type = VALUE_INT64, .number = 7}});
        count++;
    }
    return (struct packed_list){count, record_written(room)};
}

static void put_names(struct table *table, const char *const *names) {
    struct table_change change = {.kind = TABLE_INDEX};
    RECORD_WRITER(room);
    for (; names[change.names.count]; change.names.count++)
        record_put_bytes(&room, bytes_text(names[change.names.count]));
    change.names.items = record_written(&room);
    require(table_apply(table, &change), "indexes are declared");
}

static struct table *shop(int partitions, int rows) {
    struct record_writer room ENDS_BY(record_end);
    struct table *table = table_new(&(struct table_change){.kind = TABLE_CREATE});
    put_names(table, (const char *const[]){"number", "sold", "color", "rare", NULL});
    record_start(&room);
    for (int i = 0; i < partitions * rows; i++)
        table_add_row(table, (char)('a' + i / rows), (unsigned)(i % rows), properties_of(&room, i));
    return table;
}

static const struct {
    const char *filter;
    enum plan_kind kind;
    const char *index;
    size_t estimated;
} cases[] = {
    /* by keys */
    {"", PLAN_SCAN, NULL, 3000},
    {"RowKey eq '000001'", PLAN_SCAN, NULL, 3000},
    {"Timestamp ge datetime'2026-01-01'", PLAN_SCAN, NULL, 3000},
    {"PartitionKey eq 'a' and RowKey eq '000001'", PLAN_POINT, NULL, 1},
    {"RowKey eq '000001' and (PartitionKey eq 'a' and plain gt 5)", PLAN_POINT, NULL, 1},
    {"'000001' eq RowKey and 'a' eq PartitionKey", PLAN_POINT, NULL, 1},
    {"PartitionKey eq 'a' and RowKey eq 'none'", PLAN_POINT, NULL, 0},
    {"PartitionKey eq 'a' and PartitionKey eq 'b'", PLAN_POINT, NULL, 0},
    {"PartitionKey eq 'a'", PLAN_RANGE, NULL, 1000},
    {"PartitionKey eq 'none'", PLAN_RANGE, NULL, 0},
    {"PartitionKey eq 'b' and RowKey ge '000900'", PLAN_RANGE, NULL, 100},
    {"PartitionKey eq 'b' and RowKey gt '000100' and RowKey le '000200'", PLAN_RANGE, NULL, 100},
    {"PartitionKey eq 'a' or PartitionKey eq 'c'", PLAN_RANGE, NULL, 2000},
    {"PartitionKey gt 'a'", PLAN_RANGE, NULL, 2000},
    {"not (PartitionKey eq 'b')", PLAN_RANGE, NULL, 2000},
    {"PartitionKey eq 'a' or plain eq 1L", PLAN_SCAN, NULL, 3000},
    /* by an index of single values */
    {"number eq 5L", PLAN_INDEX, "number", 1},
    {"number eq 5", PLAN_INDEX, "number", 1},
    {"number eq 5000", PLAN_INDEX, "number", 0},
    {"rare eq 7", PLAN_INDEX, "rare", 3},
    {"color eq 'c3'", PLAN_INDEX, "color", 300},
    {"color eq 'c3' or color eq 'c4'", PLAN_INDEX, "color", 600},
    {"color eq 'c3' and number eq 13", PLAN_INDEX, "number", 1},
    {"color eq 'c3' and rare eq 7 and sold eq true", PLAN_INDEX, "rare", 3},
    {"(color eq 'c3' or plain eq 7) and rare eq 7", PLAN_INDEX, "rare", 3},
    /* of which those count that lie where the keys may */
    {"color eq 'c3' and PartitionKey eq 'a'", PLAN_INDEX, "color", 100},
    {"color eq 'c3' and PartitionKey gt 'a'", PLAN_INDEX, "color", 200},
    {"(color eq 'c3' or color eq 'c4') and PartitionKey eq 'b' and RowKey lt '000500'", PLAN_INDEX, "color",
     100},
    {"color eq 'c3' and (PartitionKey eq 'a' or PartitionKey eq 'c')", PLAN_INDEX, "color", 300},
    {"color eq 'c3' and PartitionKey eq 'a' and RowKey lt '000010'", PLAN_INDEX, "color", 1},
    {"rare eq 7 and PartitionKey eq 'c'", PLAN_INDEX, "rare", 1},
    {"rare eq 7 and PartitionKey eq 'none'", PLAN_INDEX, "rare", 0},
    /* by an index of ranges */
    {"number lt 10L", PLAN_INDEX, "number", 10},
    {"number ge 2990 and sold", PLAN_INDEX, "number", 10},
    {"number gt 100 and number lt 110", PLAN_INDEX, "number", 9},
    {"rare ne 5", PLAN_INDEX, "rare", 3},
    /* an index that leads to too much, or to less than is meant */
    {"sold eq true", PLAN_SCAN, NULL, 3000},
    {"sold", PLAN_SCAN, NULL, 3000},
    {"sold and PartitionKey eq 'b'", PLAN_RANGE, NULL, 1000},
    {"number ge 10L", PLAN_SCAN, NULL, 3000},
    {"sold and PartitionKey eq 'a' and RowKey lt '000010'", PLAN_RANGE, NULL, 10},
    {"number lt 5L and PartitionKey eq 'a' and RowKey lt '000010'", PLAN_RANGE, NULL, 10},
    {"color eq 'c3' and PartitionKey eq 'a' and RowKey eq '000010'", PLAN_POINT, NULL, 1},
    {"color eq 'c3' or plain eq 5", PLAN_SCAN, NULL, 3000},
    {"not (color eq 'c3')", PLAN_SCAN, NULL, 3000},
    {"not (rare ne 7)", PLAN_SCAN, NULL, 3000},
    {"plain eq 5L", PLAN_SCAN, NULL, 3000},
};

static void require_plan(const struct table *table, size_t i) {
    struct filter filter ENDS_BY(filter_end);
    struct plan plan ENDS_BY(plan_end);
    filter_of(bytes_text(cases[i].filter), &filter);
    plan_make(table, &filter, &plan);
    require_same(plan.kind, cases[i].kind, "'%s'", cases[i].filter);
    require_bytes(plan.index ? plan.index->name : bytes_text("none"),
                  bytes_text(cases[i].index ? cases[i].index : "none"), "'%s'", cases[i].filter);
    require_same(plan_estimate(table, &plan), cases[i].estimated, "'%s'", cases[i].filter);
}

TEST(the_plan_with_the_fewest_entities_is_chosen) {
    struct table *table ENDS_BY(table_release) = shop(PARTITIONS, ROWS);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) require_plan(table, i);
}

static enum plan_kind kind_for(const struct table *table, const char *text) {
    return query_pages_of(table, text, QUERY_ROWS_MAX).kind;
}

TEST(an_index_is_used_when_it_knows_all) {
    struct table *table ENDS_BY(table_release) = shop(1, 100);
    require_same(kind_for(table, "plain eq 5"), PLAN_SCAN, "there is no index");
    put_names(table, (const char *const[]){"plain", NULL});
    require_same(kind_for(table, "plain eq 5"), PLAN_SCAN, "it knows nothing yet");
    RECORD_WRITER(name);
    record_put_bytes(&name, bytes_text("plain"));
    struct table_change change = {.kind = TABLE_INDEXED, .names = {1, {name.data, name.length}}};
    for (int half = 0; half < 2; half++) {
        require_same(kind_for(table, "plain eq 5"), PLAN_SCAN, "it knows not all");
        change.key = table_index_next(table, table_unfinished(table), 50);
        require(table_apply(table, &change), "half of it");
    }
    require_same(kind_for(table, "plain eq 5"), PLAN_INDEX, "now it does");
    change.kind = TABLE_UNINDEX;
    require(table_apply(table, &change), "it is dropped");
    require_same(kind_for(table, "plain eq 5"), PLAN_SCAN, "it is gone");
}

/* What one page of all that matches had to look at. */
static size_t work_for(const struct table *table, const char *text) {
    struct query_pages pages = query_pages_of(table, text, QUERY_ROWS_MAX);
    require_same(pages.kind, PLAN_INDEX, "'%s'", text);
    require(pages.rows && pages.count == 1, "'%s' is answered by a page", text);
    return pages.max_work;
}

/* In a table of three partitions no more than in a table of that one alone. */
TEST(an_index_is_walked_where_keys_may_lie) {
    static const struct {
        const char *first, *second;
    } pairs[] = {
        {"color eq 'c3' and PartitionKey eq 'a'", "color eq 'c3' and PartitionKey eq 'b'"},
        {"(color eq 'c3' or color eq 'c4') and PartitionKey eq 'a'",
         "(color eq 'c3' or color eq 'c4') and PartitionKey eq 'b'"},
        {"number ge 0 and number lt 50 and PartitionKey eq 'a'",
         "number ge 950 and number lt 1050 and PartitionKey eq 'b'"},
        {"number ge 950 and number lt 1000 and PartitionKey eq 'a'",
         "number ge 1950 and number lt 2050 and PartitionKey eq 'b'"},
    };
    struct table *one = shop(1, ROWS), *three = shop(PARTITIONS, ROWS);
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
        require_same(work_for(three, pairs[i].second), work_for(one, pairs[i].first), "'%s'",
                     pairs[i].second);
    table_free(three);
    table_free(one);
}

/* How many rows all pages have together. */
static size_t rows_of(const struct table *table, const char *text) {
    return query_pages_of(table, text, QUERY_ROWS_MAX).rows;
}

/* Ranges of an index are gathered and sorted before the first row, so they are only taken when that is little. */
TEST(a_query_gathers_a_bounded_number_of_entities) {
    enum { MANY = 5 * QUERY_GATHERED_MAX };
    static const struct {
        const char *filter;
        enum plan_kind kind;
    } gathered[] = {
        {"number lt 4096", PLAN_INDEX},
        {"number lt 4097", PLAN_SCAN},
        {"number eq 5 or number eq 6", PLAN_INDEX},
        {"color eq 'c1'", PLAN_INDEX},
        {"sold", PLAN_INDEX}, /* a single value need not be gathered, however common it is */
    };
    struct table *table ENDS_BY(table_release) = shop(1, MANY);
    for (size_t i = 0; i < ARRAY_SIZE(gathered); i++)
        require_same(kind_for(table, gathered[i].filter), gathered[i].kind, "'%s'", gathered[i].filter);
    require_same(rows_of(table, "number lt 4096"), 4096, "all that are gathered");
    require_same(rows_of(table, "sold"), MANY / 2, "all that are sold");
    require_same(rows_of(table, "sold and plain ge 10000"), (MANY - 10000) / 2,
                 "those behind many that do not match");
}
