/* Derives areas from a filter: a comparison gives intervals on an axis, `and` intersects, `or` unites. `not` moves
 * down to the comparisons, which are negated. That is exact for keys. For a property it is not: a negated comparison
 * also holds for entities without the property, which are not in its index, so it does not confine. */
#include "table/filter_ranges.h"

#include "table/comparison.h"
#include "table/index_key.h"
#include "table/key.h"

#include <math.h>

enum {
    TYPES_PER_LITERAL = 3, /* stored types that a literal compares with */
    TEXTS_MAX =
        (FILTER_MAX_COMPARISONS + 1) * INDEX_KEY_VALUE_MAX, /* literals of several types are short numbers */
};

/* Where a literal lies among the index's values of one type: the values between the bounds equal it. */
struct literal_bounds {
    enum value_type type;
    struct bound before, after;
};

struct finder;

/* Adds the areas in which a comparison, or its negation, can hold. False when that does not confine the search. */
typedef bool confine_comparison(const struct finder *finder, const struct comparison *comparison,
                                bool negated, struct areas *areas);

struct finder {
    const struct filter *filter;
    confine_comparison *confine_comparison;
    struct axis first, second; /* partition and row keys; for an index, the first one has its values */
};

struct index_finder {
    struct finder finder; /* comes first: confine_by_index casts */
    struct bytes property;
    struct bound not_a_number;
    struct literal_bounds literals[FILTER_MAX_COMPARISONS][TYPES_PER_LITERAL];
    unsigned char literal_counts[FILTER_MAX_COMPARISONS];
    size_t length;
    char texts[TEXTS_MAX];
};

/* --- The tree --- */

/* The areas in which a node can hold. False, and no areas, when it does not confine the search. */
static bool confine(const struct finder *finder, unsigned char number, bool negated, struct areas *areas) {
    const struct filter_node *node = &finder->filter->nodes[number];
    struct areas others;
    areas->count = 0;
    if (node->kind == NODE_NOTHING) return true;
    if (node->kind == NODE_COMPARISON)
        return finder->confine_comparison(finder, &finder->filter->comparisons[node->left], negated, areas);
    if (node->kind == NODE_NOT) return confine(finder, node->left, !negated, areas);
    bool both = (node->kind == NODE_AND) != negated;
    bool left = confine(finder, node->left, negated, areas),
         right = confine(finder, node->right, negated, &others);
    if (!both && !(left && right)) return false;
    if (!left) areas->count = 0, areas_unite(areas, &others);
    if (left && right && both) areas_intersect(areas, &others);
    if (left && right && !both) areas_unite(areas, &others);
    return left || right;
}

/* --- Relations --- */

static const enum filter_operator negation[] = {
    [FILTER_EQ] = FILTER_NE, [FILTER_NE] = FILTER_EQ, [FILTER_GT] = FILTER_LE,
    [FILTER_GE] = FILTER_LT, [FILTER_LT] = FILTER_GE, [FILTER_LE] = FILTER_GT,
};

/* How a literal splits an axis: [start, before) is less, [before, after) is equal, [after, end) is greater. */
struct split {
    uint8_t start, before, after, end;
};

/* The intervals in which a relation holds; returns how many they are. */
static unsigned intervals_of(enum filter_operator relation, struct split split,
                             struct interval intervals[2]) {
    bool below = relation_holds(relation, ORDERING_LESS), equal = relation_holds(relation, ORDERING_EQUAL),
         above = relation_holds(relation, ORDERING_GREATER);
    intervals[0] = (struct interval){below ? split.start : split.before, equal ? split.after : split.before};
    intervals[1] = (struct interval){split.after, split.end};
    if (above && equal) intervals[0].to = split.end;
    return above && !equal ? 2 : 1;
}

/* --- Keys --- */

/* Whether a comparison of a key or Timestamp with a literal of another type has the same result for all entities. */
static bool is_decided(const struct comparison *comparison, bool *holds) {
    static const enum value_type types[] = {[SUBJECT_PARTITION] = VALUE_STRING,
                                            [SUBJECT_ROW] = VALUE_STRING,
                                            [SUBJECT_TIMESTAMP] = VALUE_DATETIME};
    if (comparison->subject == SUBJECT_PROPERTY) return false;
    *holds = relation_holds(comparison->relation, ORDERING_LESS);
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

static bool confine_by_keys(const struct finder *finder, const struct comparison *comparison, bool negated,
                            struct areas *areas) {
    bool holds;
    if (is_decided(comparison, &holds)) return holds == negated;
    if (comparison->subject != SUBJECT_PARTITION && comparison->subject != SUBJECT_ROW) return false;
    bool of_row = comparison->subject == SUBJECT_ROW;
    const struct axis *axis = of_row ? &finder->second : &finder->first;
    struct split split = {0, axis_find(axis, key_bound(comparison, false)),
                          axis_find(axis, key_bound(comparison, true)), axis_end(axis)};
    struct area area = {{0, axis_end(&finder->first)}, {0, axis_end(&finder->second)}};
    struct interval intervals[2];
    unsigned count =
        intervals_of(negated ? negation[comparison->relation] : comparison->relation, split, intervals);
    for (unsigned i = 0; i < count; i++) {
        *(of_row ? &area.row : &area.partition) = intervals[i];
        areas_add(areas, area);
    }
    return true;
}

void filter_key_ranges(const struct filter *filter, struct ranges *ranges) {
    struct finder finder;
    struct areas areas;
    finder.filter = filter;
    finder.confine_comparison = confine_by_keys;
    axis_start(&finder.first);
    axis_start(&finder.second);
    for (unsigned i = 0; i < filter->comparison_count; i++) {
        const struct comparison *comparison = &filter->comparisons[i];
        if (comparison->subject > SUBJECT_ROW || comparison->literal.type != VALUE_STRING) continue;
        struct axis *axis = comparison->subject == SUBJECT_ROW ? &finder.second : &finder.first;
        axis_add(axis, key_bound(comparison, false));
        axis_add(axis, key_bound(comparison, true));
    }
    if (filter->all || !confine(&finder, filter->root, false, &areas))
        ranges_of_all(ranges);
    else
        ranges_of_keys(&areas, &finder.first, &finder.second, ranges);
}

/* --- Indexes --- */

/* The bound before all values of a type in an index: after the class of the type before it. */
static struct bound class_bound(unsigned type) {
    static const char classes[] = "\1\2\3\4\5\6\7\10";
    return (struct bound){.text = {type ? classes + type : "", type > 0}};
}

/* Class and value as in the keys of an index, without their terminator. */
static struct bound value_bound(struct index_finder *index, const struct value *value) {
    bool bytes = value->type == VALUE_STRING || value->type == VALUE_BINARY;
    struct record_writer writer;
    record_start(&writer);
    index_key_put_value(&writer, value);
    struct bound bound = {.text = {index->texts + index->length, writer.length - 2}};
    bound.truncated = bytes && value->bytes.length >= INDEX_VALUE_MAX_BYTES;
    memcpy(index->texts + index->length, writer.data, bound.text.length);
    index->length += bound.text.length;
    record_end(&writer);
    return bound;
}

/* An integer may lie between two doubles: then both bounds are the same, and no value equals it. */
static struct literal_bounds bounds_of_literal(struct index_finder *index, const struct value *literal,
                                               enum value_type type) {
    struct value value = *literal;
    enum ordering ordering = ORDERING_EQUAL;
    value.type = type;
    if (type == VALUE_DOUBLE && literal->type != VALUE_DOUBLE) {
        value.real = (double)literal->number;
        ordering = real_compare(value.real, literal->number);
    }
    struct literal_bounds bounds = {.type = type, .before = value_bound(index, &value)};
    bounds.after = bounds.before;
    bounds.before.after = ordering == ORDERING_LESS;
    bounds.after.after = ordering != ORDERING_GREATER;
    return bounds;
}

static void add_literal_bounds(struct index_finder *index, unsigned at) {
    const struct value *literal = &index->finder.filter->comparisons[at].literal;
    for (unsigned type = 0; type < VALUE_TYPES; type++) {
        if (!types_comparable((enum value_type)type, literal->type)) continue;
        struct literal_bounds *bounds = &index->literals[at][index->literal_counts[at]++];
        *bounds = bounds_of_literal(index, literal, (enum value_type)type);
        axis_add(&index->finder.first, bounds->before);
        axis_add(&index->finder.first, bounds->after);
    }
}

static bool is_of_index(const struct index_finder *index, const struct comparison *comparison) {
    return comparison->subject == SUBJECT_PROPERTY && bytes_equal(comparison->name, index->property);
}

static void add_interval(struct areas *areas, struct interval interval) {
    areas_add(areas, (struct area){interval, {0, 1}});
}

/* All values of a type. */
static struct interval class_interval(const struct axis *axis, unsigned type) {
    bool is_last = type + 1 == VALUE_TYPES;
    return (struct interval){axis_find(axis, class_bound(type)),
                             is_last ? axis_end(axis) : axis_find(axis, class_bound(type + 1))};
}

/* Adds where the relation holds among the values of a type that the literal compares with. NaN lies after all
 * doubles, and is unequal to everything. What is truncated in the index may be any of the values that begin so. */
static void add_comparable(const struct index_finder *index, enum filter_operator relation,
                           const struct literal_bounds *literal, struct areas *areas) {
    const struct axis *axis = &index->finder.first;
    struct interval all = class_interval(axis, literal->type), intervals[2];
    struct split split = {all.from, axis_find(axis, literal->before), axis_find(axis, literal->after),
                          all.to};
    if (literal->before.truncated && relation == FILTER_NE) {
        add_interval(areas, all);
        return;
    }
    if (literal->before.truncated && relation == FILTER_LT) relation = FILTER_LE;
    if (literal->before.truncated && relation == FILTER_GT) relation = FILTER_GE;
    if (literal->type == VALUE_DOUBLE && relation != FILTER_NE)
        split.end = axis_find(axis, index->not_a_number);
    unsigned count = intervals_of(relation, split, intervals);
    for (unsigned i = 0; i < count; i++) add_interval(areas, intervals[i]);
}

static bool confine_by_index(const struct finder *finder, const struct comparison *comparison, bool negated,
                             struct areas *areas) {
    const struct index_finder *index = (const struct index_finder *)finder;
    bool holds;
    if (is_decided(comparison, &holds)) return holds == negated;
    if (negated || !is_of_index(index, comparison)) return false;
    size_t at = (size_t)(comparison - finder->filter->comparisons);
    enum filter_operator relation = comparison->relation == FILTER_IS_TRUE ? FILTER_EQ : comparison->relation;
    for (unsigned type = 0, next = 0; type < VALUE_TYPES; type++) {
        const struct literal_bounds *literal = &index->literals[at][next];
        if (next < index->literal_counts[at] && literal->type == type) {
            add_comparable(index, relation, literal, areas);
            next++;
        } else if (relation_holds(relation, ORDERING_LESS)) {
            add_interval(areas, class_interval(&index->finder.first, type));
        }
    }
    return true;
}

static bool names_property(const struct filter *filter, struct bytes property) {
    for (unsigned i = 0; i < filter->name_count; i++)
        if (bytes_equal(filter->names[i], property)) return true;
    return false;
}

static void start_index_finder(struct index_finder *index, const struct filter *filter,
                               struct bytes property) {
    struct value not_a_number = {.type = VALUE_DOUBLE, .real = (double)NAN};
    index->finder.filter = filter;
    index->finder.confine_comparison = confine_by_index;
    index->property = property;
    index->length = 0;
    axis_start(&index->finder.first);
    for (unsigned type = 1; type < VALUE_TYPES; type++) axis_add(&index->finder.first, class_bound(type));
    index->not_a_number = value_bound(index, &not_a_number);
    axis_add(&index->finder.first, index->not_a_number);
    for (unsigned i = 0; i < filter->comparison_count; i++) {
        index->literal_counts[i] = 0;
        if (is_of_index(index, &filter->comparisons[i])) add_literal_bounds(index, i);
    }
}

bool filter_index_ranges(const struct filter *filter, struct bytes property, struct ranges *ranges) {
    struct index_finder index;
    struct areas areas;
    if (filter->all || !names_property(filter, property)) return false;
    start_index_finder(&index, filter, property);
    if (!confine(&index.finder, filter->root, false, &areas)) return false;
    ranges_of_index(&areas, &index.finder.first, ranges);
    return true;
}
