/* How a stored value stands to a literal: the rules by which types meet, and the order within each of them. */
#ifndef HOLDFAST_TABLE_COMPARISON_H
#define HOLDFAST_TABLE_COMPARISON_H

#include "table/filter.h"

/* Each a bit, so that a relation is a set of them. */
enum standing {
    STANDING_BELOW = 1, /* also of a stored value whose type the literal does not meet */
    STANDING_EQUAL = 2,
    STANDING_ABOVE = 4,
    STANDING_NOWHERE = 8, /* of what is not a number */
};

/* Whether values of a stored type compare with a literal of this type. */
bool types_meet(enum value_type stored, enum value_type literal);

enum standing value_standing(const struct value *stored, const struct value *literal);

/* A double and a whole number, exactly: neither is made the other. */
enum standing real_standing(double real, int64_t number);

/* FILTER_HOLDS is no relation to a literal, and holds for none. */
bool relation_holds(enum filter_operator relation, enum standing standing);

static inline enum standing standing_of_order(int order) {
    return order < 0 ? STANDING_BELOW : order > 0 ? STANDING_ABOVE : STANDING_EQUAL;
}

#endif
