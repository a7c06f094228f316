/* Filters from outside, asked of a small table with indexes: every plan answers, page by page, exactly what a look at
 * each entity finds, in the order of keys. In a second walk others write between the pages: then no entity comes
 * twice, none comes that does not match, and none that was there all the time is lost.
 *
 * The first byte chooses the sizes of the pages and what is written meanwhile; the rest is the filter. */
#include "allocations.h"
#include "require.h"
#include "table/filter_match.h"
#include "table/filter_parser.h"
#include "table_crowd.h"

#include <stdint.h>

enum { INDEXES = 4, WAYS = WAY_INDEX + INDEXES, PAGE_MAX = 20, SEED_BYTES = 1 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walk {
    struct table_crowd *crowd;
    const struct filter *filter;
    unsigned way;
    struct dice dice;
    bool others_write;
    bool answered[CROWD_MAX], steady[CROWD_MAX];
    size_t last; /* one more than the number of the member that came last */
    char from[STORED_KEY_MAX_BYTES];
    size_t from_length;
};

static bool is_answer(const struct walk *walk, size_t number) {
    const struct crowd_member *member = &walk->crowd->members[number];
    size_t work = 0;
    return member->there && filter_matches(walk->filter, &member->row.row, &work);
}

static void take_row(struct walk *walk, const struct entity *row) {
    const struct crowd_member *member = table_crowd_find(walk->crowd, entry_name(&row->entry));
    require(member != NULL, "way %u: an entity that nobody has put there", walk->way);
    size_t number = (size_t)(member - walk->crowd->members);
    require(is_answer(walk, number), "way %u: entity %zu does not match", walk->way, number);
    require(number + 1 > walk->last, "way %u: entity %zu comes twice, or too late", walk->way, number);
    walk->answered[number] = true;
    walk->last = number + 1;
}

/* One page; false when it was the last one. The plan is made anew for each, as by a new call. */
static bool walk_page(struct walk *walk) {
    static struct query_page page;
    struct plan plan;
    if (!plan_by_way(walk->crowd->table, walk->filter, walk->way, &plan)) return false;
    struct query query = {
        .table = walk->crowd->table,
        .filter = walk->filter,
        .plan = &plan,
        .from = bytes_of(walk->from, walk->from_length),
        .rows_max = 1 + dice_roll(&walk->dice, PAGE_MAX),
        .bytes_max = QUERY_BYTES_MAX,
    };
    query_run(&query, &page);
    require(page.count <= query.rows_max, "way %u: %zu rows", walk->way, page.count);
    for (size_t i = 0; i < page.count; i++) take_row(walk, page.rows[i]);
    bool more = page.next.data != NULL;
    if (more) {
        require(bytes_compare(page.next, query.from) > 0, "way %u does not get on", walk->way);
        memcpy(walk->from, page.next.data, page.next.length);
        walk->from_length = page.next.length;
    }
    plan_end(&plan);
    return more;
}

static void write_meanwhile(struct walk *walk) {
    for (size_t turns = dice_roll(&walk->dice, 6); turns > 0; turns--) {
        unsigned number = (unsigned)dice_roll(&walk->dice, walk->crowd->count);
        table_crowd_turn(walk->crowd, number);
        walk->steady[number] = false;
    }
}

static void walk_all(struct table_crowd *crowd, const struct filter *filter, unsigned way, uint64_t seed,
                     bool others_write) {
    struct walk walk = {.crowd = crowd, .filter = filter, .way = way, .dice = {seed}};
    struct plan plan;
    if (!plan_by_way(crowd->table, filter, way, &plan)) return;
    plan_end(&plan);
    for (unsigned i = 0; i < crowd->count; i++) walk.steady[i] = crowd->members[i].there;
    while (walk_page(&walk))
        if (others_write) write_meanwhile(&walk);
    for (unsigned i = 0; i < crowd->count; i++)
        require(!walk.steady[i] || !is_answer(&walk, i) || walk.answered[i], "way %u loses entity %u", way,
                i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct table_crowd crowd;
    static bool is_made;
    struct filter filter;
    struct filter_fault fault = {0};
    if (size < SEED_BYTES) return 0;
    if (!is_made) {
        struct dice dice = {1};
        table_crowd_start(&crowd, &dice, INDEXES);
        is_made = true;
    }
    if (!filter_compile(bytes_of(data + SEED_BYTES, size - SEED_BYTES), &filter, &fault)) return 0;
    for (unsigned way = 0; way < WAYS; way++)
        walk_all(&crowd, &filter, way, data[0] * UINT64_C(7919) + way, false);
    walk_all(&crowd, &filter, data[0] % WAYS, data[0] + UINT64_C(1), true);
    filter_end(&filter);
    return 0;
}
