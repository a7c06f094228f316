#include "table/comparison.h"

#include "core/utf16.h"

#include <math.h>

#define LITERAL(type) (1u << VALUE_##type)

static const unsigned met[VALUE_TYPES] = {
    [VALUE_STRING] = LITERAL(STRING),
    [VALUE_INT32] = LITERAL(INT32),
    [VALUE_INT64] = LITERAL(INT64) | LITERAL(INT32),
    [VALUE_DOUBLE] = LITERAL(DOUBLE) | LITERAL(INT64) | LITERAL(INT32),
    [VALUE_BOOL] = LITERAL(BOOL),
    [VALUE_DATETIME] = LITERAL(DATETIME),
    [VALUE_GUID] = LITERAL(GUID),
    [VALUE_BINARY] = LITERAL(BINARY),
};

static const unsigned held[] = {
    [FILTER_EQ] = STANDING_EQUAL, [FILTER_NE] = STANDING_BELOW | STANDING_ABOVE | STANDING_NOWHERE,
    [FILTER_GT] = STANDING_ABOVE, [FILTER_GE] = STANDING_ABOVE | STANDING_EQUAL,
    [FILTER_LT] = STANDING_BELOW, [FILTER_LE] = STANDING_BELOW | STANDING_EQUAL,
    [FILTER_HOLDS] = 0,
};

/* All whole numbers that are not beyond int64 lie from -2^63 to below 2^63, and both are doubles. */
#define BEYOND_INT64 9223372036854775808.0

bool types_meet(enum value_type stored, enum value_type literal) {
    return met[stored] >> literal & 1;
}

bool relation_holds(enum filter_operator relation, enum standing standing) {
    return held[relation] & standing;
}

static enum standing numbers_standing(int64_t a, int64_t b) {
    return a < b ? STANDING_BELOW : a > b ? STANDING_ABOVE : STANDING_EQUAL;
}

static enum standing reals_standing(double a, double b) {
    if (isnan(a) || isnan(b)) return STANDING_NOWHERE;
    return a < b ? STANDING_BELOW : a > b ? STANDING_ABOVE : STANDING_EQUAL;
}

enum standing real_standing(double real, int64_t number) {
    if (isnan(real)) return STANDING_NOWHERE;
    if (real >= BEYOND_INT64) return STANDING_ABOVE;
    if (real < -BEYOND_INT64) return STANDING_BELOW;
    int64_t whole = (int64_t)real;
    return whole == number ? reals_standing(real, (double)whole) : numbers_standing(whole, number);
}

static enum standing ids_standing(struct guid a, struct guid b) {
    if (a.high != b.high) return a.high < b.high ? STANDING_BELOW : STANDING_ABOVE;
    return a.low < b.low ? STANDING_BELOW : a.low > b.low ? STANDING_ABOVE : STANDING_EQUAL;
}

enum standing value_standing(const struct value *stored, const struct value *literal) {
    if (!types_meet(stored->type, literal->type)) return STANDING_BELOW;
    switch (stored->type) {
    case VALUE_STRING: return standing_of_order(utf16_compare(stored->bytes, literal->bytes));
    case VALUE_BINARY: return standing_of_order(bytes_compare(stored->bytes, literal->bytes));
    case VALUE_GUID: return ids_standing(stored->guid, literal->guid);
    case VALUE_DOUBLE:
        if (literal->type == VALUE_DOUBLE) return reals_standing(stored->real, literal->real);
        return real_standing(stored->real, literal->number);
    default: return numbers_standing(stored->number, literal->number);
    }
}
