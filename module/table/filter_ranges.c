/* Derives areas from a filter, and ranges from areas. A comparison gives intervals, `and` intersects, `or` unites.
 * `not` moves down to the comparisons, which are negated. That is exact for keys. For a property it is not: a negated
 * comparison also holds for entities without the property, which are not in its index, so it does not confine. */
#include "table/filter_ranges.h"

#include "table/comparison.h"
#include "table/filter_areas.h"
#include "table/index_key.h"
#include "table/key.h"

#include <math.h>

/* --- Ranges: their bounds --- */

/* What follows a part of a key: just before all keys that have the part, and just after them. */
struct suffixes {
    struct bytes before, after;
};

static const struct suffixes partition_suffixes = {{"\0", 1}, {"\1", 1}};
static const struct suffixes row_suffixes = {{"", 0}, {"\0", 1}};
static const struct suffixes value_suffixes = {{"\0\1", 2}, {"\0\2", 2}};

/* What a bound is among keys that begin with `beginning`. */
static struct bytes bound_bytes(struct ranges *ranges, struct bytes beginning, const struct bound *bound,
                                const struct suffixes *suffixes) {
    struct bytes suffix = bound->after ? suffixes->after : suffixes->before;
    size_t length = beginning.length + bound->text.length;
    char *bytes = arena_alloc(&ranges->bounds, length + suffix.length);
    memcpy(bytes, beginning.data, beginning.length);
    memcpy(bytes + beginning.length, bound->text.data, bound->text.length);
    memcpy(bytes + length, suffix.data, suffix.length);
    return bytes_of(bytes, length + suffix.length);
}

/* An interval of one order. The beginning of everything is the empty key. */
static struct range interval_range(struct ranges *ranges, const struct interval *interval,
                                   const struct suffixes *suffixes) {
    static const struct bytes nothing = {"", 0};
    const struct bound *from = &interval->from, *to = &interval->to;
    struct range range = {.from = nothing, .single = interval_is_single(interval)};
    if (from->text.length || from->after) range.from = bound_bytes(ranges, nothing, from, suffixes);
    if (to->text.data) range.to = bound_bytes(ranges, nothing, to, suffixes);
    return range;
}

/* Rows of one partition: those of all of it are between its key and a zero byte, and its key and a one. */
static struct range rows_range(struct ranges *ranges, const struct interval *partition,
                               const struct interval *rows) {
    struct range range = interval_range(ranges, partition, &partition_suffixes);
    struct bytes beginning = bound_bytes(ranges, bytes_of("", 0), &partition->from, &partition_suffixes);
    range.from = bound_bytes(ranges, beginning, &rows->from, &row_suffixes);
    if (rows->to.text.data) range.to = bound_bytes(ranges, beginning, &rows->to, &row_suffixes);
    range.single = interval_is_single(rows);
    return range;
}

/* --- Ranges: their order --- */

static int compare_ends(const struct range *a, const struct range *b) {
    if (!a->to.data || !b->to.data) return !a->to.data - !b->to.data;
    return bytes_compare(a->to, b->to);
}

static void join_ranges(struct range *range, const struct range *next) {
    int order = compare_ends(range, next);
    range->single = range->single && next->single && !order && bytes_equal(range->from, next->from);
    if (order < 0) range->to = next->to;
}

static void sort_ranges(struct range *items, unsigned count) {
    for (unsigned i = 1; i < count; i++) {
        struct range moved = items[i];
        unsigned at = i;
        for (; at > 0 && bytes_compare(items[at - 1].from, moved.from) > 0; at--) items[at] = items[at - 1];
        items[at] = moved;
    }
}

static unsigned join_touching_ranges(struct range *items, unsigned count) {
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        struct range *last = kept ? &items[kept - 1] : NULL;
        if (last && (!last->to.data || bytes_compare(items[i].from, last->to) <= 0))
            join_ranges(last, &items[i]);
        else
            items[kept++] = items[i];
    }
    return kept;
}

/* Joins the two neighbours that probably have least between them: their bounds share the longest beginning. */
static void join_neighbours(struct range *items, unsigned count) {
    unsigned best = 0;
    size_t best_length = 0;
    for (unsigned i = 0; i + 1 < count; i++) {
        size_t length = bytes_common_length(items[i].to, items[i + 1].from);
        if (length <= best_length) continue;
        best_length = length;
        best = i;
    }
    join_ranges(&items[best], &items[best + 1]);
    memmove(&items[best + 1], &items[best + 2], (count - best - 2) * sizeof(items[0]));
}

static void finish_ranges(struct range *items, unsigned count, struct ranges *ranges) {
    sort_ranges(items, count);
    count = join_touching_ranges(items, count);
    for (; count > RANGES_MAX; count--) join_neighbours(items, count);
    memcpy(ranges->items, items, count * sizeof(items[0]));
    ranges->count = count;
}

/* --- Ranges of areas --- */

static void ranges_of_all(struct ranges *ranges) {
    arena_start(&ranges->bounds);
    ranges->count = 1;
    ranges->items[0] = (struct range){.from = {"", 0}};
}

static void ranges_of_keys(const struct areas *areas, struct ranges *ranges) {
    struct range items[AREAS_MAX];
    arena_start(&ranges->bounds);
    for (unsigned i = 0; i < areas->count; i++) {
        const struct area *area = &areas->items[i];
        items[i] = interval_is_single(&area->partition)
                       ? rows_range(ranges, &area->partition, &area->row)
                       : interval_range(ranges, &area->partition, &partition_suffixes);
    }
    finish_ranges(items, areas->count, ranges);
}

/* The bounds have a class and a value without their terminator. */
static void ranges_of_index(const struct areas *areas, struct ranges *ranges) {
    struct range items[AREAS_MAX];
    arena_start(&ranges->bounds);
    for (unsigned i = 0; i < areas->count; i++)
        items[i] = interval_range(ranges, &areas->items[i].partition, &value_suffixes);
    finish_ranges(items, areas->count, ranges);
}

/* --- Areas of a filter --- */

struct finder;

/* Adds the areas in which a comparison, or its negation, can hold. False when that does not confine the search. */
typedef bool confine_comparison(struct finder *finder, const struct comparison *comparison, bool negated,
                                struct areas *areas);

struct finder {
    const struct filter *filter;
    confine_comparison *confine_comparison;
    struct bytes property; /* of the index */
    struct arena arena;    /* for the index: texts of bounds */
};

/* --- The tree --- */

/* The areas in which a node can hold. False, and no areas, when it does not confine the search. */
static bool confine_node(struct finder *finder, unsigned char number, bool negated, struct areas *areas) {
    const struct filter_node *node = &finder->filter->nodes[number];
    struct areas others;
    areas->count = 0;
    if (node->kind == NODE_NOTHING) return true;
    if (node->kind == NODE_COMPARISON)
        return finder->confine_comparison(finder, &finder->filter->comparisons[node->left], negated, areas);
    if (node->kind == NODE_NOT) return confine_node(finder, node->left, !negated, areas);
    bool both = (node->kind == NODE_AND) != negated;
    bool left = confine_node(finder, node->left, negated, areas),
         right = confine_node(finder, node->right, negated, &others);
    if (!both && !(left && right)) return false;
    if (!left) areas->count = 0;
    if (left && right && both)
        areas_intersect(areas, &others);
    else if (right)
        areas_unite(areas, &others);
    return left || right;
}

/* --- Relations --- */

static const enum filter_operator negation[] = {
    [FILTER_EQ] = FILTER_NE, [FILTER_NE] = FILTER_EQ, [FILTER_GT] = FILTER_LE,
    [FILTER_GE] = FILTER_LT, [FILTER_LT] = FILTER_GE, [FILTER_LE] = FILTER_GT,
};

/* How a literal splits an order: [all.from, before) is less, [before, after) is equal, [after, all.to) is greater. */
struct split {
    struct interval all;
    struct bound before, after;
};

/* The intervals in which a relation holds; returns how many they are. */
static unsigned intervals_of(enum filter_operator relation, const struct split *split,
                             struct interval intervals[2]) {
    bool below = comparison_accepts(relation, ORDERING_LESS),
         equal = comparison_accepts(relation, ORDERING_EQUAL),
         above = comparison_accepts(relation, ORDERING_GREATER);
    intervals[0].from = below ? split->all.from : split->before;
    intervals[0].to = equal ? split->after : split->before;
    intervals[1] = (struct interval){split->after, split->all.to};
    if (above && equal) intervals[0].to = split->all.to;
    return above && !equal ? 2 : 1;
}

/* --- Keys --- */

/* Whether a comparison of a key or Timestamp with a literal of another type has the same result for all entities. */
static bool is_decided(const struct comparison *comparison, bool *holds) {
    static const enum value_type types[] = {[SUBJECT_PARTITION] = VALUE_STRING,
                                            [SUBJECT_ROW] = VALUE_STRING,
                                            [SUBJECT_TIMESTAMP] = VALUE_DATETIME};
    if (comparison->subject == SUBJECT_PROPERTY) return false;
    *holds = comparison_accepts(comparison->relation, ORDERING_LESS);
    return comparison->literal.type != types[comparison->subject];
}

/* No key has a zero byte or more than KEY_MAX_BYTES. A literal that has is shortened, and lies after the keys that
 * equal what is left of it. */
static struct bound key_bound(const struct comparison *comparison, bool after) {
    struct bytes key = comparison->key;
    const char *zero = key.length ? memchr(key.data, '\0', key.length) : NULL;
    if (zero) key.length = (size_t)(zero - key.data);
    bool shortened = zero || key.length > KEY_MAX_BYTES;
    if (key.length > KEY_MAX_BYTES) key.length = KEY_MAX_BYTES;
    return (struct bound){.text = key, .after = after || shortened};
}

static bool confine_by_keys(struct finder *finder, const struct comparison *comparison, bool negated,
                            struct areas *areas) {
    bool holds;
    (void)finder;
    if (is_decided(comparison, &holds)) return holds == negated;
    if (comparison->subject != SUBJECT_PARTITION && comparison->subject != SUBJECT_ROW) return false;
    struct split split = {INTERVAL_ALL, key_bound(comparison, false), key_bound(comparison, true)};
    struct area area = {INTERVAL_ALL, INTERVAL_ALL};
    struct interval intervals[2];
    unsigned count =
        intervals_of(negated ? negation[comparison->relation] : comparison->relation, &split, intervals);
    for (unsigned i = 0; i < count; i++) {
        *(comparison->subject == SUBJECT_ROW ? &area.row : &area.partition) = intervals[i];
        areas_add(areas, &area);
    }
    return true;
}

void filter_key_ranges(const struct filter *filter, struct ranges *ranges) {
    struct finder finder;
    struct areas areas;
    finder.filter = filter;
    finder.confine_comparison = confine_by_keys;
    if (filter->all || !confine_node(&finder, filter->root, false, &areas))
        ranges_of_all(ranges);
    else
        ranges_of_keys(&areas, ranges);
}

/* --- Indexes --- */

/* The bound before all values of a type in an index: after the class of the type before it. */
static struct bound class_bound(unsigned type) {
    static const char classes[] = "\1\2\3\4\5\6\7\10";
    return (struct bound){.text = {type ? classes + type : "", type > 0}};
}

/* All values of a type. */
static struct interval class_interval(unsigned type) {
    struct interval all = INTERVAL_ALL;
    return (struct interval){class_bound(type), type + 1 == VALUE_TYPES ? all.to : class_bound(type + 1)};
}

/* Class and value as in the keys of an index, without their terminator. */
static struct bound value_bound(struct finder *finder, const struct value *value) {
    bool bytes = value->type == VALUE_STRING || value->type == VALUE_BINARY;
    struct record_writer writer;
    record_start(&writer);
    index_key_put_value(&writer, value);
    struct bound bound = {.text = arena_copy(&finder->arena, bytes_of(writer.data, writer.length - 2))};
    bound.truncated = bytes && value->bytes.length >= INDEX_VALUE_MAX_BYTES;
    record_end(&writer);
    return bound;
}

/* How the literal splits the index's values of a type. An integer may lie between two doubles: then both bounds are the
 * same, and no value equals it. */
static struct split split_of_type(struct finder *finder, const struct value *literal, enum value_type type) {
    struct value value = *literal;
    enum ordering ordering = ORDERING_EQUAL;
    value.type = type;
    if (type == VALUE_DOUBLE && literal->type != VALUE_DOUBLE) {
        value.real = (double)literal->number;
        ordering = comparison_of_real(value.real, literal->number);
    }
    struct bound bound = value_bound(finder, &value);
    struct split split = {class_interval(type), bound, bound};
    split.before.after = ordering == ORDERING_LESS;
    split.after.after = ordering != ORDERING_GREATER;
    return split;
}

static void add_interval(struct areas *areas, struct interval interval) {
    struct area area = {interval, INTERVAL_ALL};
    areas_add(areas, &area);
}

/* Adds where the relation holds among the values of a type that the literal compares with. NaN lies after all
 * doubles, and is unequal to everything. What is truncated in the index may be any of the values that begin so. */
static void add_comparable(struct finder *finder, enum filter_operator relation, const struct value *literal,
                           enum value_type type, struct areas *areas) {
    struct value not_a_number = {.type = VALUE_DOUBLE, .real = (double)NAN};
    struct split split = split_of_type(finder, literal, type);
    struct interval intervals[2];
    if (split.before.truncated && relation == FILTER_NE) {
        add_interval(areas, split.all);
        return;
    }
    if (split.before.truncated && relation == FILTER_LT) relation = FILTER_LE;
    if (split.before.truncated && relation == FILTER_GT) relation = FILTER_GE;
    if (type == VALUE_DOUBLE && relation != FILTER_NE) split.all.to = value_bound(finder, &not_a_number);
    unsigned count = intervals_of(relation, &split, intervals);
    for (unsigned i = 0; i < count; i++) add_interval(areas, intervals[i]);
}

static bool confine_by_index(struct finder *finder, const struct comparison *comparison, bool negated,
                             struct areas *areas) {
    bool holds;
    if (is_decided(comparison, &holds)) return holds == negated;
    if (negated || comparison->subject != SUBJECT_PROPERTY) return false;
    if (!bytes_equal(comparison->name, finder->property)) return false;
    enum filter_operator relation = comparison->relation == FILTER_IS_TRUE ? FILTER_EQ : comparison->relation;
    for (enum value_type type = 0; type < VALUE_TYPES; type++)
        if (types_comparable(type, comparison->literal.type))
            add_comparable(finder, relation, &comparison->literal, type, areas);
        else if (comparison_accepts(relation, ORDERING_LESS))
            add_interval(areas, class_interval(type));
    return true;
}

static bool names_property(const struct filter *filter, struct bytes property) {
    for (unsigned i = 0; i < filter->name_count; i++)
        if (bytes_equal(filter->names[i], property)) return true;
    return false;
}

bool filter_index_ranges(const struct filter *filter, struct bytes property, struct ranges *ranges) {
    struct finder finder;
    struct areas areas;
    if (filter->all || !names_property(filter, property)) return false;
    finder.filter = filter;
    finder.confine_comparison = confine_by_index;
    finder.property = property;
    arena_start(&finder.arena);
    bool confined = confine_node(&finder, filter->root, false, &areas);
    if (confined) ranges_of_index(&areas, ranges);
    arena_end(&finder.arena);
    return confined;
}

void ranges_end(struct ranges *ranges) {
    arena_end(&ranges->bounds);
}
