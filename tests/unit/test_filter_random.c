/* Filters against naive ones: random expressions over random entities, and that their ranges leave no match out. */
#include "naive_row.h"
#include "seed.h"
#include "table/filter_match.h"
#include "table/filter_ranges.h"
#include "table/index_key.h"
#include "unit.h"

enum { EXPRESSIONS = 6000, ENTITIES = 48 };

struct crowd {
    struct naive_entity entities[ENTITIES];
    struct naive_row rows[ENTITIES];
};

struct counts {
    size_t matches, misses, confined, outside, singles;
};

static void crowd_draw(struct dice *dice, struct crowd *crowd) {
    for (size_t i = 0; i < ENTITIES; i++) {
        crowd->entities[i] = naive_entity_draw(dice);
        naive_row_start(&crowd->rows[i], &crowd->entities[i]);
    }
}

static void crowd_end(struct crowd *crowd) {
    for (size_t i = 0; i < ENTITIES; i++) naive_row_end(&crowd->rows[i]);
}

static bool ranges_have(const struct ranges *ranges, struct bytes key) {
    for (unsigned i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->items[i];
        if (bytes_compare(key, range->from) >= 0 && (!range->to.data || bytes_compare(key, range->to) < 0))
            return true;
    }
    return false;
}

static void require_in_order(const struct ranges *ranges, const char *text) {
    require(ranges->count <= RANGES_MAX, "%u ranges of %s", ranges->count, text);
    for (unsigned i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->items[i];
        require(range->to.data || i + 1 == ranges->count, "range %u has no end: %s", i, text);
        require(!range->to.data || bytes_compare(range->from, range->to) < 0, "range %u is empty: %s", i,
                text);
        require(i == 0 || bytes_compare(ranges->items[i - 1].to, range->from) < 0, "range %u touches: %s", i,
                text);
    }
}

/* --- Matching --- */

static void compare_matches(const struct filter *filter, const struct naive_filter *naive,
                            const struct crowd *crowd, const char *text, struct counts *counts) {
    for (size_t i = 0; i < ENTITIES; i++) {
        size_t work = 0;
        bool expected = naive_matches(naive, &crowd->entities[i]);
        require_same(filter_matches(filter, &crowd->rows[i].row, &work), expected, "entity %zu: %s", i, text);
        require(work >= 1 && work <= 2 * NAIVE_LEAVES_MAX + 2, "work is %zu: %s", work, text);
        *(expected ? &counts->matches : &counts->misses) += 1;
    }
}

/* --- Ranges --- */

static void compare_keys(const struct filter *filter, const struct naive_filter *naive,
                         const struct crowd *crowd, const char *text, struct counts *counts) {
    struct ranges ranges;
    filter_key_ranges(filter, &ranges);
    require_in_order(&ranges, text);
    for (size_t i = 0; i < ENTITIES; i++) {
        bool inside = ranges_have(&ranges, naive_row_key(&crowd->rows[i]));
        require(inside || !naive_matches(naive, &crowd->entities[i]), "entity %zu lies outside: %s", i, text);
        counts->outside += !inside;
    }
    ranges_end(&ranges);
}

static const struct naive_value *find(const struct naive_entity *entity, const char *name) {
    for (unsigned i = 0; i < entity->count; i++)
        if (strcmp(entity->properties[i].name, name) == 0) return &entity->properties[i].value;
    return NULL;
}

/* What has no such property is in no index of it. */
static bool index_has(const struct ranges *ranges, const struct naive_entity *entity,
                      const struct naive_row *row, const char *name) {
    const struct naive_value *naive = find(entity, name);
    struct record_writer writer;
    char room[NAIVE_TEXT_MAX];
    if (!naive) return false;
    struct value value = naive_value_read(naive, room);
    record_start(&writer);
    index_key_put_value(&writer, &value);
    record_put_raw(&writer, naive_row_key(row));
    bool has = ranges_have(ranges, record_written(&writer));
    record_end(&writer);
    return has;
}

static void compare_index(const struct filter *filter, const struct naive_filter *naive,
                          const struct crowd *crowd, const char *name, const char *text,
                          struct counts *counts) {
    struct ranges ranges;
    if (!filter_index_ranges(filter, bytes_text(name), &ranges)) return;
    counts->confined++;
    require_in_order(&ranges, text);
    for (unsigned i = 0; i < ranges.count; i++) counts->singles += ranges.items[i].single;
    for (size_t i = 0; i < ENTITIES; i++) {
        bool expected = naive_matches(naive, &crowd->entities[i]);
        require(!expected || index_has(&ranges, &crowd->entities[i], &crowd->rows[i], name),
                "entity %zu is not in %s: %s", i, name, text);
    }
    ranges_end(&ranges);
}

TEST(random_filters_equal_a_naive_one) {
    static struct crowd crowd;
    static struct naive_filter naive;
    static char text[NAIVE_FILTER_MAX];
    struct dice dice = {seed_of_chance()};
    struct counts counts = {0};
    crowd_draw(&dice, &crowd);
    for (int round = 0; round < EXPRESSIONS; round++) {
        struct filter filter ENDS_BY(filter_end);
        if (round % 100 == 99) crowd_end(&crowd), crowd_draw(&dice, &crowd);
        naive_filter_draw(&dice, &naive,
                          1 + (unsigned)dice_roll(&dice, dice_percent(&dice, 70) ? 4 : NAIVE_LEAVES_MAX));
        size_t length = naive_filter_write(&dice, &naive, text);
        filter_of(bytes_of(text, length), &filter);
        require_same(filter.comparison_count, naive.leaves, "comparisons of %s", text);
        compare_matches(&filter, &naive, &crowd, text, &counts);
        compare_keys(&filter, &naive, &crowd, text, &counts);
        for (size_t i = 0; i < NAIVE_PROPERTIES_MAX; i++)
            compare_index(&filter, &naive, &crowd, naive_names[i], text, &counts);
    }
    crowd_end(&crowd);
    require(counts.matches > 50000 && counts.misses > 50000, "%zu matched, %zu did not", counts.matches,
            counts.misses);
    require(counts.outside > 20000, "%zu lay outside of ranges", counts.outside);
    require(counts.confined > 500 && counts.singles > 500, "%zu confine an index, %zu to one value",
            counts.confined, counts.singles);
}
