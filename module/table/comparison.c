#include "table/comparison.h"

#include "core/utf16.h"

#include <math.h>

#define LITERAL(type) (1u << VALUE_##type)

static const unsigned comparable[VALUE_TYPES] = {
    [VALUE_STRING] = LITERAL(STRING),
    [VALUE_INT32] = LITERAL(INT32),
    [VALUE_INT64] = LITERAL(INT64) | LITERAL(INT32),
    [VALUE_DOUBLE] = LITERAL(DOUBLE) | LITERAL(INT64) | LITERAL(INT32),
    [VALUE_BOOL] = LITERAL(BOOL),
    [VALUE_DATETIME] = LITERAL(DATETIME),
    [VALUE_GUID] = LITERAL(GUID),
    [VALUE_BINARY] = LITERAL(BINARY),
};

static const unsigned accepted[] = {
    [FILTER_EQ] = ORDERING_EQUAL,   [FILTER_NE] = ORDERING_LESS | ORDERING_GREATER | ORDERING_NONE,
    [FILTER_GT] = ORDERING_GREATER, [FILTER_GE] = ORDERING_GREATER | ORDERING_EQUAL,
    [FILTER_LT] = ORDERING_LESS,    [FILTER_LE] = ORDERING_LESS | ORDERING_EQUAL,
    [FILTER_IS_TRUE] = 0,
};

/* 2^63, which a double holds exactly; int64 ranges from minus this to just below it. */
#define BEYOND_INT64 9223372036854775808.0

bool types_comparable(enum value_type stored, enum value_type literal) {
    return comparable[stored] >> literal & 1;
}

bool comparison_accepts(enum filter_operator relation, enum ordering ordering) {
    return accepted[relation] & ordering;
}

static enum ordering numbers_compare(int64_t a, int64_t b) {
    return a < b ? ORDERING_LESS : a > b ? ORDERING_GREATER : ORDERING_EQUAL;
}

static enum ordering reals_compare(double a, double b) {
    if (isnan(a) || isnan(b)) return ORDERING_NONE;
    return a < b ? ORDERING_LESS : a > b ? ORDERING_GREATER : ORDERING_EQUAL;
}

enum ordering comparison_of_real(double real, int64_t number) {
    if (isnan(real)) return ORDERING_NONE;
    if (real >= BEYOND_INT64) return ORDERING_GREATER;
    if (real < -BEYOND_INT64) return ORDERING_LESS;
    int64_t whole = (int64_t)real;
    return whole == number ? reals_compare(real, (double)whole) : numbers_compare(whole, number);
}

static enum ordering ids_compare(struct guid a, struct guid b) {
    if (a.high != b.high) return a.high < b.high ? ORDERING_LESS : ORDERING_GREATER;
    return a.low < b.low ? ORDERING_LESS : a.low > b.low ? ORDERING_GREATER : ORDERING_EQUAL;
}

enum ordering value_compare(const struct value *stored, const struct value *literal) {
    if (!types_comparable(stored->type, literal->type)) return ORDERING_LESS;
    switch (stored->type) {
    case VALUE_STRING: return ordering_of(utf16_compare(stored->bytes, literal->bytes));
    case VALUE_BINARY: return ordering_of(bytes_compare(stored->bytes, literal->bytes));
    case VALUE_GUID: return ids_compare(stored->guid, literal->guid);
    case VALUE_DOUBLE:
        if (literal->type == VALUE_DOUBLE) return reals_compare(stored->real, literal->real);
        return comparison_of_real(stored->real, literal->number);
    default: return numbers_compare(stored->number, literal->number);
    }
}
