/* Comparison of a stored value with a literal: which types are comparable, and the order within each type. */
#ifndef HOLDFAST_TABLE_COMPARISON_H
#define HOLDFAST_TABLE_COMPARISON_H

#include "table/filter.h"

/* Bits: a relation accepts a set of them. */
enum ordering {
    ORDERING_LESS = 1, /* also when the stored type is not comparable with the literal's */
    ORDERING_EQUAL = 2,
    ORDERING_GREATER = 4,
    ORDERING_NONE = 8, /* NaN */
};

/* Whether values of a stored type can be compared with a literal of this type. */
bool types_comparable(enum value_type stored, enum value_type literal);

enum ordering value_compare(const struct value *stored, const struct value *literal);

/* Compares a double with an integer exactly, without converting either. */
enum ordering comparison_of_real(double real, int64_t number);

/* FILTER_IS_TRUE is no relation to a literal, and accepts nothing. */
bool comparison_accepts(enum filter_operator relation, enum ordering ordering);

static inline enum ordering ordering_of(int order) {
    return order < 0 ? ORDERING_LESS : order > 0 ? ORDERING_GREATER : ORDERING_EQUAL;
}

#endif
