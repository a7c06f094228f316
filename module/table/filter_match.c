#include "table/filter_match.h"

#include "table/comparison.h"
#include "table/property.h"

/* Units of work. A property that is skipped has been compared with every name that is still missing. */
enum { PASSED_PER_WORK = 8, NAME_BYTES_PER_PASSED = 64, BYTES_PER_WORK = 256 };

struct matching {
    const struct filter *filter;
    const struct row *row;
    bool gathered;
    unsigned found; /* a bit for each name of the filter */
    struct packed_property properties[FILTER_MAX_COMPARISONS];
    size_t work;
};

/* The index of the name among those that are still missing; name_count when it is none of them. */
static unsigned match_name(const struct matching *matching, struct bytes name) {
    const struct filter *filter = matching->filter;
    unsigned index = 0;
    for (; index < filter->name_count; index++)
        if (!(matching->found >> index & 1) && bytes_equal(filter->names[index], name)) break;
    return index;
}

static void gather_values(struct matching *matching) {
    unsigned left = matching->filter->name_count;
    struct record_reader reader = record_reader(matching->row->properties);
    struct packed_property property;
    size_t passed = 0;
    while (left && property_step(&reader, &property)) {
        passed += 1 + left * (1 + property.name.length / NAME_BYTES_PER_PASSED);
        unsigned index = match_name(matching, property.name);
        if (index == matching->filter->name_count) continue;
        matching->properties[index] = property;
        matching->found |= 1u << index;
        left--;
    }
    matching->gathered = true;
    matching->work += passed / PASSED_PER_WORK;
}

static void count_bytes(struct matching *matching, struct bytes a, struct bytes b) {
    matching->work += (a.length < b.length ? a.length : b.length) / BYTES_PER_WORK;
}

static bool property_holds(struct matching *matching, const struct comparison *comparison) {
    struct value value;
    if (!matching->gathered) gather_values(matching);
    if (!(matching->found >> comparison->name_index & 1)) return false;
    const struct packed_property *property = &matching->properties[comparison->name_index];
    if (!types_comparable(property->type, comparison->literal.type))
        return comparison_accepts(comparison->relation, ORDERING_LESS);
    if (!value_unpack(property->type, property->body, &value)) return false;
    if (comparison->relation == FILTER_IS_TRUE) return value.number;
    if (value.type == VALUE_STRING || value.type == VALUE_BINARY)
        count_bytes(matching, value.bytes, comparison->literal.bytes);
    return comparison_accepts(comparison->relation, value_compare(&value, &comparison->literal));
}

static bool key_holds(struct matching *matching, const struct comparison *comparison, struct bytes key) {
    enum ordering ordering = ORDERING_LESS;
    if (comparison->literal.type == VALUE_STRING) {
        count_bytes(matching, key, comparison->key);
        ordering = ordering_of(bytes_compare(key, comparison->key));
    }
    return comparison_accepts(comparison->relation, ordering);
}

static bool instant_holds(const struct matching *matching, const struct comparison *comparison) {
    struct value ticks = {.type = VALUE_DATETIME, .number = matching->row->ticks};
    return comparison_accepts(comparison->relation, value_compare(&ticks, &comparison->literal));
}

static bool comparison_holds(struct matching *matching, const struct comparison *comparison) {
    matching->work++;
    switch (comparison->subject) {
    case SUBJECT_PARTITION: return key_holds(matching, comparison, matching->row->partition);
    case SUBJECT_ROW: return key_holds(matching, comparison, matching->row->row);
    case SUBJECT_TIMESTAMP: return instant_holds(matching, comparison);
    default: return property_holds(matching, comparison);
    }
}

static bool node_holds(struct matching *matching, unsigned char number) {
    const struct filter_node *node = &matching->filter->nodes[number];
    switch (node->kind) {
    case NODE_COMPARISON: return comparison_holds(matching, &matching->filter->comparisons[node->left]);
    case NODE_NOT: return !node_holds(matching, node->left);
    case NODE_NOTHING: matching->work++; return false;
    case NODE_AND: return node_holds(matching, node->left) && node_holds(matching, node->right);
    default: return node_holds(matching, node->left) || node_holds(matching, node->right);
    }
}

bool filter_matches(const struct filter *filter, const struct row *row, size_t *work) {
    struct matching matching;
    matching.filter = filter;
    matching.row = row;
    matching.gathered = false;
    matching.found = 0;
    matching.work = filter->all;
    bool matches = filter->all || node_holds(&matching, filter->root);
    *work += matching.work;
    return matches;
}
