/* Comparison of a stored value with a literal: which types are comparable, and the order within each type. */
#ifndef HOLDFAST_TABLE_COMPARISON_H
#define HOLDFAST_TABLE_COMPARISON_H

#include "table/filter.h"

/* Bits, so that a relation is a set of them. */
enum standing {
    STANDING_BELOW = 1, /* also when the stored type is not comparable with the literal */
    STANDING_EQUAL = 2,
    STANDING_ABOVE = 4,
    STANDING_NOWHERE = 8, /* NaN */
};

/* Whether values of a stored type can be compared with a literal of this type. */
bool types_meet(enum value_type stored, enum value_type literal);

enum standing value_standing(const struct value *stored, const struct value *literal);

/* Compares a double with an integer exactly, without converting either. */
enum standing real_standing(double real, int64_t number);

/* FILTER_HOLDS is no relation to a literal, and holds for none. */
bool relation_holds(enum filter_operator relation, enum standing standing);

static inline enum standing standing_of_order(int order) {
    return order < 0 ? STANDING_BELOW : order > 0 ? STANDING_ABOVE : STANDING_EQUAL;
}

#endif
