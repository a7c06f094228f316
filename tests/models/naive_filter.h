/* Filters, naively: expressions that are drawn by chance, printed as text, and judged on entities that are plain
 * arrays, by the rules of the storage service as prose has them. What is judged here is what a real filter must say.
 *
 * Knows nothing of the module, so that tests of servers can ask it, too. */
#ifndef HOLDFAST_MODELS_NAIVE_FILTER_H
#define HOLDFAST_MODELS_NAIVE_FILTER_H

#include "dice.h"

enum naive_type {
    NAIVE_STRING,
    NAIVE_INT32,
    NAIVE_INT64,
    NAIVE_DOUBLE,
    NAIVE_BOOL,
    NAIVE_DATETIME,
    NAIVE_GUID,
    NAIVE_BINARY,
    NAIVE_TYPES
};

enum {
    NAIVE_TEXT_MAX = 300,
    NAIVE_PROPERTIES_MAX = 6,
    NAIVE_LEAVES_MAX = 15,
    NAIVE_FILTER_MAX = 32768, /* bytes of what is printed */
};

struct naive_value {
    enum naive_type type;
    size_t length;
    char text[NAIVE_TEXT_MAX]; /* of a string or a binary value; ends with a zero */
    long long number;          /* of whole numbers, bool, and instants in ticks of 100 ns since 1601 */
    double real;
    const char *id; /* in lower case */
};

struct naive_property {
    const char *name;
    struct naive_value value;
};

struct naive_entity {
    struct naive_value partition, row, timestamp;
    struct naive_property properties[NAIVE_PROPERTIES_MAX];
    unsigned count;
};

struct naive_node {
    char kind; /* c comparison, h a property alone, t true, f false, & and, | or, ! not */
    const struct naive_node *left, *right;
    const char *name, *relation;
    bool turned; /* the literal stands on the left */
    struct naive_value literal;
};

struct naive_filter {
    struct naive_node nodes[NAIVE_LEAVES_MAX * 6];
    unsigned count, leaves;
    const struct naive_node *root;
};

/* Names of properties that entities may have, of which there are NAIVE_PROPERTIES_MAX. */
extern const char *const naive_names[];

/* The word behind the colon. */
const char *naive_type_word(enum naive_type type);

struct naive_entity naive_entity_draw(struct dice *dice);
void naive_filter_draw(struct dice *dice, struct naive_filter *filter, unsigned leaves);

/* As a caller writes it beside the name of a property; answers how long it is. */
size_t naive_value_write(const struct naive_value *value, char text[NAIVE_TEXT_MAX]);

/* The filter as text, with blanks and parentheses that need not be there; answers how long it is. */
size_t naive_filter_write(struct dice *dice, const struct naive_filter *filter, char text[NAIVE_FILTER_MAX]);

bool naive_matches(const struct naive_filter *filter, const struct naive_entity *entity);

#endif
