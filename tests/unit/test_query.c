/* Queries: every way through a table answers the same, page by page, whatever comes and goes meanwhile;
 * and no page is without bounds. */
#include "table/query.h"

#include "seed.h"
#include "table/table.h"
#include "table_crowd.h"
#include "unit.h"

#include <stdio.h>

FREES(table)

enum { TABLES = 40, FILTERS = 24, INDEXES = 4, WAYS = WAY_INDEX + INDEXES, PAGE_MAX = 20 };

/* --- All ways --- */

struct counts {
    unsigned chosen[4], sorted, gathered; /* walks: how the table chose; and of indexes, how */
    unsigned rows, pages, steady, turned;
};

struct walk {
    struct table_crowd *crowd;
    const struct naive_filter *naive;
    const struct filter *filter;
    const char *text;
    unsigned way;
    struct dice *dice;
    struct counts *counts;
    char from[STORED_KEY_MAX_BYTES];
    size_t from_length;
};

/* One page; false when it was the last one. */
static bool next_page(struct walk *walk, const struct plan *plan, struct query_page *page) {
    struct query query = {
        .table = walk->crowd->table,
        .filter = walk->filter,
        .plan = plan,
        .from = bytes_of(walk->from, walk->from_length),
        .rows_max = 1 + dice_roll(walk->dice, PAGE_MAX),
        .bytes_max = QUERY_BYTES_MAX,
    };
    query_run(&query, page);
    walk->counts->pages++;
    walk->counts->rows += (unsigned)page->count;
    require(page->count <= query.rows_max, "%zu rows: %s", page->count, walk->text);
    if (!page->next.data) return false;
    require(bytes_compare(page->next, query.from) > 0, "it does not get on: %s", walk->text);
    memcpy(walk->from, page->next.data, page->next.length);
    walk->from_length = page->next.length;
    return true;
}

static bool is_answer(const struct walk *walk, const struct crowd_member *member) {
    return member->there && naive_matches(walk->naive, &member->entity);
}

/* Nothing changes: exactly the members that match, in order. */
static void walk_still(struct walk *walk, const struct plan *plan) {
    static struct query_page page;
    unsigned at = 0;
    bool more;
    do {
        more = next_page(walk, plan, &page);
        for (size_t i = 0; i < page.count; i++, at++) {
            while (at < walk->crowd->count && !is_answer(walk, &walk->crowd->members[at])) at++;
            require(at < walk->crowd->count, "way %u has a row too many: %s", walk->way, walk->text);
            require_bytes(entry_name(&page.rows[i]->entry), naive_row_key(&walk->crowd->members[at].row),
                          "way %u: %s", walk->way, walk->text);
        }
    } while (more);
    while (at < walk->crowd->count && !is_answer(walk, &walk->crowd->members[at])) at++;
    require_same(at, walk->crowd->count, "way %u leaves one out: %s", walk->way, walk->text);
}

static void each_way(struct table_crowd *crowd, const struct naive_filter *naive, const struct filter *filter,
                     const char *text, struct dice *dice, struct counts *counts) {
    for (unsigned way = 0; way < WAYS; way++) {
        struct walk walk = {crowd, naive, filter, text, way, dice, counts, {0}, 0};
        struct plan plan;
        if (!plan_by_way(crowd->table, filter, way, &plan)) continue;
        if (way == WAY_CHOSEN) counts->chosen[plan.kind]++;
        if (plan.kind == PLAN_INDEX) *(plan.sorted ? &counts->sorted : &counts->gathered) += 1;
        walk_still(&walk, &plan);
        plan_end(&plan);
    }
}

/* Some of them come and some go, at random places; those that were not there all the time are no longer steady. */
static void turn_some(struct walk *walk, bool steady[CROWD_MAX]) {
    for (size_t turns = dice_roll(walk->dice, 6); turns > 0; turns--) {
        unsigned member = (unsigned)dice_roll(walk->dice, walk->crowd->count);
        if (dice_percent(walk->dice, 30)) {
            table_crowd_rewrite(walk->crowd, member);
            continue;
        }
        table_crowd_turn(walk->crowd, member);
        steady[member] = false;
        walk->counts->turned++;
    }
}

static void check_row(struct walk *walk, struct bytes key, bool answered[CROWD_MAX]) {
    struct crowd_member *member = table_crowd_find(walk->crowd, key);
    require(member && is_answer(walk, member), "way %u answers what does not match: %s", walk->way,
            walk->text);
    size_t number = (size_t)(member - walk->crowd->members);
    require(!answered[number], "way %u answers one twice: %s", walk->way, walk->text);
    for (size_t i = number; i < walk->crowd->count; i++)
        require(!answered[i], "way %u goes back: %s", walk->way, walk->text);
    answered[number] = true;
}

/* The plan is made anew for each page, as a caller's next call does. */
static void walk_while_others_write(struct walk *walk) {
    static struct query_page page;
    bool steady[CROWD_MAX] = {false}, answered[CROWD_MAX] = {false}, more = true;
    for (unsigned i = 0; i < walk->crowd->count; i++) steady[i] = walk->crowd->members[i].there;
    while (more) {
        struct plan plan;
        if (!plan_by_way(walk->crowd->table, walk->filter, walk->way, &plan)) return;
        more = next_page(walk, &plan, &page);
        for (size_t i = 0; i < page.count; i++) check_row(walk, entry_name(&page.rows[i]->entry), answered);
        plan_end(&plan);
        if (more) turn_some(walk, steady);
    }
    for (unsigned i = 0; i < walk->crowd->count; i++) {
        if (!steady[i] || !is_answer(walk, &walk->crowd->members[i])) continue;
        require(answered[i], "way %u loses one that was there all the time: %s", walk->way, walk->text);
        walk->counts->steady++;
    }
}

static void each_way_while_others_write(struct table_crowd *crowd, const struct naive_filter *naive,
                                        const struct filter *filter, const char *text, struct dice *dice,
                                        struct counts *counts) {
    struct walk walk = {crowd, naive, filter, text, (unsigned)dice_roll(dice, WAYS), dice, counts, {0}, 0};
    walk_while_others_write(&walk);
}

typedef void (*trial)(struct table_crowd *crowd, const struct naive_filter *naive,
                      const struct filter *filter, const char *text, struct dice *dice,
                      struct counts *counts);

static struct counts try_filters(trial try, int tables) {
    static struct table_crowd crowd;
    static struct naive_filter naive;
    static char text[NAIVE_FILTER_MAX];
    struct dice dice = {seed_of_chance()};
    struct counts counts = {{0}, 0, 0, 0, 0, 0, 0};
    for (int round = 0; round < tables; round++) {
        table_crowd_start(&crowd, &dice, INDEXES);
        for (int expression = 0; expression < FILTERS; expression++) {
            struct filter filter ENDS_BY(filter_end);
            naive_filter_draw(&dice, &naive, 1 + (unsigned)dice_roll(&dice, 4));
            filter_of(bytes_of(text, naive_filter_write(&dice, &naive, text)), &filter);
            try(&crowd, &naive, &filter, text, &dice, &counts);
        }
        table_crowd_end(&crowd);
    }
    return counts;
}

TEST(a_query_answers_the_same_by_range_index_and_scan) {
    struct counts counts = try_filters(each_way, TABLES);
    require(counts.rows > 10000 && counts.pages > 2000, "%u rows, %u pages", counts.rows, counts.pages);
    require(counts.chosen[PLAN_RANGE] > 5 && counts.chosen[PLAN_INDEX] > 20 && counts.chosen[PLAN_SCAN] > 50,
            "chosen: %u ranges, %u indexes, %u scans", counts.chosen[PLAN_RANGE], counts.chosen[PLAN_INDEX],
            counts.chosen[PLAN_SCAN]);
    require(counts.sorted > 50 && counts.gathered > 50, "%u sorted, %u gathered", counts.sorted,
            counts.gathered);
}

TEST(pages_have_each_steady_row_once_while_others_write) {
    struct counts counts = try_filters(each_way_while_others_write, 4 * TABLES);
    require(counts.steady > 5000 && counts.turned > 2000, "%u steady, %u turned", counts.steady,
            counts.turned);
}

/* --- Bounds --- */

/* So many rows of partition "p", each with these properties. */
static struct table *table_of(unsigned rows, struct packed_list properties) {
    struct table *table = table_new(&(struct table_change){.kind = TABLE_CREATE});
    for (unsigned i = 0; i < rows; i++) table_add_row(table, 'p', i, properties);
    return table;
}

static struct packed_list binaries(struct record_writer *room, unsigned count, size_t length) {
    static char bytes[VALUE_BINARY_MAX_BYTES];
    record_start(room);
    for (unsigned i = 0; i < count; i++) {
        char name[8];
        int name_length = snprintf(name, sizeof(name), "n%u", i);
        struct property property = {bytes_of(name, (size_t)name_length),
                                    {.type = VALUE_BINARY, .bytes = bytes_of(bytes, length)}};
        property_put(room, &property);
    }
    return (struct packed_list){count, record_written(room)};
}

TEST(a_page_looks_at_so_much) {
    enum { ROWS = 50000, WORK_OF_ONE = 64 };
    static const char *const none[] = {"n0 gt X'ff'", "not (n0 lt X'ff' or n0 eq X'ff')",
                                       "Timestamp lt datetime'1601-01-01'"};
    struct record_writer room ENDS_BY(record_end);
    struct table *table ENDS_BY(table_release) = table_of(ROWS, binaries(&room, 3, 1));
    for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
        struct query_pages pages = query_pages_of(table, none[i], QUERY_ROWS_MAX);
        require_same(pages.rows, 0, "'%s' matches nobody", none[i]);
        require(pages.max_work < QUERY_WORK_MAX + WORK_OF_ONE, "%zu", pages.max_work);
        require(pages.max_work * pages.count >= ROWS, "each row was looked at");
    }
    struct query_pages pages =
        query_pages_of(table, "n0 gt X'ff' or n1 gt X'ff' or n2 gt X'ff' or n0 eq X'ff'", 10);
    require(pages.count > 1 && pages.min_rows == 0, "%zu pages, without rows, and it goes on", pages.count);
}

TEST(a_page_answers_so_many_bytes) {
    enum { ROWS = 30, PROPERTIES = 10, LENGTH = 60000 };
    struct record_writer room ENDS_BY(record_end);
    struct table *table ENDS_BY(table_release) = table_of(ROWS, binaries(&room, PROPERTIES, LENGTH));
    struct query_pages pages = query_pages_of(table, "", QUERY_ROWS_MAX);
    size_t fitting = QUERY_BYTES_MAX / (PROPERTIES * LENGTH);
    require_same(pages.rows, ROWS, "all of them");
    require(pages.rows_max >= fitting && pages.rows_max <= fitting + 1, "%zu rows in a page", pages.rows_max);
}

/* Many small properties take long to answer, too. */
TEST(a_page_answers_so_many_properties) {
    enum { ROWS = 600, MIN_COST = 64 };
    struct record_writer room ENDS_BY(record_end);
    struct table *table ENDS_BY(table_release) = table_of(ROWS, binaries(&room, PROPERTIES_MAX, 0));
    struct query_pages pages = query_pages_of(table, "", QUERY_ROWS_MAX);
    require_same(pages.rows, ROWS, "all of them");
    require(pages.rows_max <= QUERY_BYTES_MAX / (PROPERTIES_MAX * MIN_COST) + 1, "%zu", pages.rows_max);
    require(pages.rows_max > 100, "%zu rows in a page", pages.rows_max);
}

static const struct {
    unsigned rows;
    const char *filter;
    size_t rows_max, pages;
} tops[] = {
    {7, "", 3, 3},
    {6, "", 3, 2}, /* the last one is known to be the last */
    {1, "", 1, 1},
    {0, "", 3, 1},
    {7, "", QUERY_ROWS_MAX, 1},
    {2500, "", QUERY_ROWS_MAX, 3},
    {7, "RowKey eq '000002'", 1, 1},
    {20, "RowKey lt '000003' or RowKey eq '000019'", 3, 2},
    {67, "RowKey lt '000003'", 3, 1},  /* 64 that do not match are looked at */
    {68, "RowKey lt '000003'", 3, 2},  /* beyond that it may go on, and ends without rows */
    {300, "RowKey lt '000003'", 4, 1}, /* a page that is not full looks on */
};

TEST(a_page_has_so_many_rows) {
    for (size_t i = 0; i < ARRAY_SIZE(tops); i++) {
        struct table *table ENDS_BY(table_release) = table_of(tops[i].rows, (struct packed_list){0, {"", 0}});
        struct query_pages pages = query_pages_of(table, tops[i].filter, tops[i].rows_max);
        require_same(pages.count, tops[i].pages, "case %zu", i);
        require(pages.rows_max <= tops[i].rows_max, "case %zu", i);
    }
}

static const struct {
    const char *filter, *partition, *row;
    size_t rows;
} beginnings[] = {
    {"", "p", "000003", 4},
    {"", "p", "0000021", 4}, /* one that is not there */
    {"", "p", "9", 0},
    {"", "a", "9", 7},
    {"PartitionKey eq 'p' and RowKey eq '000003'", "p", "000003", 1},
    {"PartitionKey eq 'p' and RowKey eq '000003'", "p", "000004", 0},
    {"PartitionKey eq 'p' and RowKey lt '000003'", "p", "000002", 1},
    {"PartitionKey eq 'p' and (RowKey eq '000003' or RowKey eq '000005')", "p", "000004", 1},
};

TEST(a_page_begins_where_it_is_told) {
    static struct query_page page;
    struct table *table ENDS_BY(table_release) = table_of(7, (struct packed_list){0, {"", 0}});
    for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++) {
        struct filter filter ENDS_BY(filter_end);
        struct plan plan ENDS_BY(plan_end);
        RECORD_WRITER(from);
        stored_key_put(&from, bytes_text(beginnings[i].partition), bytes_text(beginnings[i].row));
        filter_of(bytes_text(beginnings[i].filter), &filter);
        plan_make(table, &filter, &plan);
        struct query query = {table, &filter, &plan, record_written(&from), QUERY_ROWS_MAX, QUERY_BYTES_MAX};
        query_run(&query, &page);
        require_same(page.count, beginnings[i].rows, "beginning %zu", i);
        require(!page.next.data, "beginning %zu", i);
    }
}

TEST(a_table_without_rows_is_one_empty_page) {
    struct table *table ENDS_BY(table_release) = table_of(5, (struct packed_list){0, {"", 0}});
    struct query_pages pages = query_pages_of(table, "", 0);
    require_same(pages.count, 1, "one page");
    require_same(pages.rows, 0, "without rows");
}
