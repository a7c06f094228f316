/* What a filter says of keys, and of an index: its comparisons as areas, its tree as unions and intersections of those.
 * `not` is moved down to the comparisons, each of which is then its contrary. For a key that is exact. A property may be
 * absent, and then a denied comparison holds: so it says nothing of the property's index. */
#include "table/filter_ranges.h"

#include "table/comparison.h"
#include "table/index_key.h"
#include "table/key.h"
#include "table/ranges.h"

#include <math.h>

enum {
    MEETING_MAX = 3,                                                /* types that a literal meets */
    TEXTS_MAX = (FILTER_MAX_COMPARISONS + 1) * INDEX_KEY_VALUE_MAX, /* numbers of several types are short */
};

/* Values of one type in an index, and where the literal lies among them: between the bounds stand those that equal it. */
struct meeting {
    enum value_type type;
    struct bound before, after;
};

struct plan;

/* Whether the comparison, or its contrary, confines where to look; and to what. */
typedef bool term(const struct plan *plan, const struct comparison *comparison, bool denied,
                  struct areas *areas);

struct plan {
    const struct filter *filter;
    term *term;
    struct axis first, second;
};

struct index_plan {
    struct plan plan;
    struct bytes property;
    struct bound not_a_number;
    struct meeting meetings[FILTER_MAX_COMPARISONS][MEETING_MAX];
    unsigned char meeting_counts[FILTER_MAX_COMPARISONS];
    size_t length;
    char texts[TEXTS_MAX];
};

/* --- The tree --- */

/* False, and no areas, where the node does not confine. */
static bool confine(const struct plan *plan, unsigned char number, bool denied, struct areas *areas) {
    const struct filter_node *node = &plan->filter->nodes[number];
    struct areas others;
    areas->count = 0;
    if (node->kind == NODE_NOTHING) return true;
    if (node->kind == NODE_COMPARISON)
        return plan->term(plan, &plan->filter->comparisons[node->left], denied, areas);
    if (node->kind == NODE_NOT) return confine(plan, node->left, !denied, areas);
    bool both = (node->kind == NODE_AND) != denied;
    bool left = confine(plan, node->left, denied, areas), right = confine(plan, node->right, denied, &others);
    if (!both && !(left && right)) return false;
    if (!left) areas->count = 0, areas_unite(areas, &others);
    if (left && right && both) areas_intersect(areas, &others);
    if (left && right && !both) areas_unite(areas, &others);
    return left || right;
}

/* --- Relations --- */

static const enum filter_operator contrary[] = {
    [FILTER_EQ] = FILTER_NE, [FILTER_NE] = FILTER_EQ, [FILTER_GT] = FILTER_LE,
    [FILTER_GE] = FILTER_LT, [FILTER_LT] = FILTER_GE, [FILTER_LE] = FILTER_GT,
};

/* The values before those that equal the literal, those, and the values behind, as far as the relation has them. */
struct stretch {
    uint8_t start, before, after, end;
};

static unsigned spans_of(enum filter_operator relation, struct stretch stretch, struct span spans[2]) {
    bool below = relation_holds(relation, STANDING_BELOW), equal = relation_holds(relation, STANDING_EQUAL),
         above = relation_holds(relation, STANDING_ABOVE);
    spans[0] = (struct span){below ? stretch.start : stretch.before, equal ? stretch.after : stretch.before};
    spans[1] = (struct span){stretch.after, stretch.end};
    if (above && equal) spans[0].to = stretch.end;
    return above && !equal ? 2 : 1;
}

/* --- Keys --- */

/* A comparison of what every entity has, in another type than it is of, is decided without a look at any. */
static bool is_decided(const struct comparison *comparison, bool *holds) {
    static const enum value_type types[] = {[SUBJECT_PARTITION] = VALUE_STRING,
                                            [SUBJECT_ROW] = VALUE_STRING,
                                            [SUBJECT_TIMESTAMP] = VALUE_DATETIME};
    if (comparison->subject == SUBJECT_PROPERTY) return false;
    *holds = relation_holds(comparison->relation, STANDING_BELOW);
    return comparison->literal.type != types[comparison->subject];
}

/* No key is longer than a key can be, or has a zero byte: a literal that is, or has one, stands right behind the keys that
 * it begins like. */
static struct bound key_bound(const struct comparison *comparison, bool after) {
    struct bytes key = comparison->key;
    const char *zero = key.length ? memchr(key.data, '\0', key.length) : NULL;
    if (zero) key.length = (size_t)(zero - key.data);
    bool cut = zero || key.length > KEY_MAX_BYTES;
    if (key.length > KEY_MAX_BYTES) key.length = KEY_MAX_BYTES;
    return (struct bound){.text = key, .after = after || cut};
}

static bool key_term(const struct plan *plan, const struct comparison *comparison, bool denied,
                     struct areas *areas) {
    bool holds;
    if (is_decided(comparison, &holds)) return holds == denied;
    if (comparison->subject != SUBJECT_PARTITION && comparison->subject != SUBJECT_ROW) return false;
    bool of_row = comparison->subject == SUBJECT_ROW;
    const struct axis *axis = of_row ? &plan->second : &plan->first;
    struct stretch stretch = {0, axis_place(axis, key_bound(comparison, false)),
                              axis_place(axis, key_bound(comparison, true)), axis_end(axis)};
    struct area area = {{0, axis_end(&plan->first)}, {0, axis_end(&plan->second)}};
    struct span spans[2];
    unsigned count = spans_of(denied ? contrary[comparison->relation] : comparison->relation, stretch, spans);
    for (unsigned i = 0; i < count; i++) {
        *(of_row ? &area.row : &area.partition) = spans[i];
        areas_add(areas, area);
    }
    return true;
}

void filter_key_ranges(const struct filter *filter, struct ranges *ranges) {
    struct plan plan;
    struct areas areas;
    plan.filter = filter;
    plan.term = key_term;
    axis_start(&plan.first);
    axis_start(&plan.second);
    for (unsigned i = 0; i < filter->comparison_count; i++) {
        const struct comparison *comparison = &filter->comparisons[i];
        if (comparison->subject > SUBJECT_ROW || comparison->literal.type != VALUE_STRING) continue;
        struct axis *axis = comparison->subject == SUBJECT_ROW ? &plan.second : &plan.first;
        axis_add(axis, key_bound(comparison, false));
        axis_add(axis, key_bound(comparison, true));
    }
    if (filter->all || !confine(&plan, filter->root, false, &areas))
        ranges_of_all(ranges);
    else
        ranges_of_keys(&areas, &plan.first, &plan.second, ranges);
}

/* --- Indexes --- */

/* Where a type begins; the last one has its end there. */
static struct bound class_bound(unsigned type) {
    static const char classes[] = "\1\2\3\4\5\6\7\10";
    return (struct bound){.text = {type ? classes + type : "", type > 0}};
}

/* Class and value as they stand in an index, without what ends them. */
static struct bound value_bound(struct index_plan *index, const struct value *value) {
    bool bytes = value->type == VALUE_STRING || value->type == VALUE_BINARY;
    struct record_writer writer;
    record_start(&writer);
    index_key_put_value(&writer, value);
    struct bound bound = {.text = {index->texts + index->length, writer.length - 2}};
    bound.cut = bytes && value->bytes.length >= INDEX_VALUE_MAX_BYTES;
    memcpy(index->texts + index->length, writer.data, bound.text.length);
    index->length += bound.text.length;
    record_end(&writer);
    return bound;
}

/* A number among doubles may lie between two of them: then none equals it, and both bounds are one. */
static struct meeting meet(struct index_plan *index, const struct value *literal, enum value_type type) {
    struct value value = *literal;
    enum standing standing = STANDING_EQUAL;
    value.type = type;
    if (type == VALUE_DOUBLE && literal->type != VALUE_DOUBLE) {
        value.real = (double)literal->number;
        standing = real_standing(value.real, literal->number);
    }
    struct meeting meeting = {.type = type, .before = value_bound(index, &value)};
    meeting.after = meeting.before;
    meeting.before.after = standing == STANDING_BELOW;
    meeting.after.after = standing != STANDING_ABOVE;
    return meeting;
}

static void add_meetings(struct index_plan *index, unsigned at) {
    const struct value *literal = &index->plan.filter->comparisons[at].literal;
    for (unsigned type = 0; type < VALUE_TYPES; type++) {
        if (!types_meet((enum value_type)type, literal->type)) continue;
        struct meeting *meeting = &index->meetings[at][index->meeting_counts[at]++];
        *meeting = meet(index, literal, (enum value_type)type);
        axis_add(&index->plan.first, meeting->before);
        axis_add(&index->plan.first, meeting->after);
    }
}

static bool is_of_index(const struct index_plan *index, const struct comparison *comparison) {
    return comparison->subject == SUBJECT_PROPERTY && bytes_equal(comparison->name, index->property);
}

static void add_filter_span(struct areas *areas, struct span span) {
    areas_add(areas, (struct area){span, {0, 1}});
}

/* Values of a type that the literal meets. NaN stands behind all doubles, and is unequal to everything. */
static void add_met(const struct index_plan *index, enum filter_operator relation,
                    const struct meeting *meeting, struct areas *areas) {
    const struct axis *axis = &index->plan.first;
    struct stretch stretch = {
        axis_place(axis, class_bound(meeting->type)), axis_place(axis, meeting->before),
        axis_place(axis, meeting->after),
        meeting->type + 1 < VALUE_TYPES ? axis_place(axis, class_bound(meeting->type + 1)) : axis_end(axis)};
    struct span spans[2], whole = {stretch.start, stretch.end};
    if (meeting->before.cut && relation == FILTER_NE) {
        add_filter_span(areas, whole);
        return;
    }
    if (meeting->before.cut && relation == FILTER_LT) relation = FILTER_LE;
    if (meeting->before.cut && relation == FILTER_GT) relation = FILTER_GE;
    if (meeting->type == VALUE_DOUBLE && relation != FILTER_NE)
        stretch.end = axis_place(axis, index->not_a_number);
    unsigned count = spans_of(relation, stretch, spans);
    for (unsigned i = 0; i < count; i++) add_filter_span(areas, spans[i]);
}

static void add_unmet(const struct index_plan *index, enum value_type type, struct areas *areas) {
    const struct axis *axis = &index->plan.first;
    add_filter_span(areas, (struct span){axis_place(axis, class_bound(type)),
                                         type + 1 < VALUE_TYPES ? axis_place(axis, class_bound(type + 1))
                                                                : axis_end(axis)});
}

static bool index_term(const struct plan *plan, const struct comparison *comparison, bool denied,
                       struct areas *areas) {
    const struct index_plan *index = (const struct index_plan *)plan; /* its first member */
    bool holds;
    if (is_decided(comparison, &holds)) return holds == denied;
    if (denied || !is_of_index(index, comparison)) return false;
    size_t at = (size_t)(comparison - plan->filter->comparisons);
    enum filter_operator relation = comparison->relation == FILTER_HOLDS ? FILTER_EQ : comparison->relation;
    for (unsigned type = 0, met = 0; type < VALUE_TYPES; type++) {
        const struct meeting *meeting = &index->meetings[at][met];
        if (met < index->meeting_counts[at] && meeting->type == type) {
            add_met(index, relation, meeting, areas);
            met++;
        } else if (relation_holds(relation, STANDING_BELOW)) {
            add_unmet(index, (enum value_type)type, areas);
        }
    }
    return true;
}

static bool names_property(const struct filter *filter, struct bytes property) {
    for (unsigned i = 0; i < filter->name_count; i++)
        if (bytes_equal(filter->names[i], property)) return true;
    return false;
}

static void start_index_plan(struct index_plan *index, const struct filter *filter, struct bytes property) {
    struct value not_a_number = {.type = VALUE_DOUBLE, .real = (double)NAN};
    index->plan.filter = filter;
    index->plan.term = index_term;
    index->property = property;
    index->length = 0;
    axis_start(&index->plan.first);
    for (unsigned type = 1; type < VALUE_TYPES; type++) axis_add(&index->plan.first, class_bound(type));
    index->not_a_number = value_bound(index, &not_a_number);
    axis_add(&index->plan.first, index->not_a_number);
    for (unsigned i = 0; i < filter->comparison_count; i++) {
        index->meeting_counts[i] = 0;
        if (is_of_index(index, &filter->comparisons[i])) add_meetings(index, i);
    }
}

bool filter_index_ranges(const struct filter *filter, struct bytes property, struct ranges *ranges) {
    struct index_plan index;
    struct areas areas;
    if (filter->all || !names_property(filter, property)) return false;
    start_index_plan(&index, filter, property);
    if (!confine(&index.plan, filter->root, false, &areas)) return false;
    ranges_of_index(&areas, &index.plan.first, ranges);
    return true;
}
