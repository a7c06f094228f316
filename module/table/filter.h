/* Filters: conditions that select entities.
 *
 *   text ─▶ lexer ─▶ parser ─▶ filter     a tree of at most 15 comparisons, in one struct, compiled once per call
 *
 *   PartitionKey eq 'eu' and (price lt 10.0 or not sold) and RowKey ge '2026-11'
 *
 * The language, from the loosest binding to the tightest: or, and, not, comparison (eq ne gt ge lt le) or a property
 * alone, which is true where its value is the bool true. A comparison has a property on one side and a literal on the
 * other: 'text', 12, 12L, 1.5, true, datetime'...', guid'...', X'0aff' or binary'0aff'. A quote in a text is doubled.
 * true and false are allowed wherever a comparison is, and are folded away while the tree is built. Words and names
 * are case-sensitive; words of the language cannot be names of properties.
 *
 * How types compare:
 *   - An int32 literal compares with int64 and double by number, an int64 literal with double, too. Between other
 *     types the stored value counts as the lesser one: ne, lt and le hold, eq, gt and ge do not.
 *   - A missing property fails every comparison, even ne; `not` inverts that.
 *   - NaN fails every comparison but ne.
 *   - Strings compare by UTF-16 code units, ids as lower-case text, binary by its bytes. */
#ifndef HOLDFAST_TABLE_FILTER_H
#define HOLDFAST_TABLE_FILTER_H

#include "table/value.h"

enum {
    FILTER_MAX_COMPARISONS = 15,
    FILTER_MAX_DEPTH = 100, /* nesting of parentheses and nots */
    FILTER_MAX_BYTES = 1 << 20,
    /* At most one node per comparison, one per operator between two, and a `not` for each: double negation cancels. */
    FILTER_MAX_NODES = FILTER_MAX_COMPARISONS * 4,
    FILTER_BUFFER_BYTES = 256,
};

/* Names that every entity has; properties cannot use them. */
#define PARTITION_NAME "PartitionKey"
#define ROW_NAME       "RowKey"
#define TIMESTAMP_NAME "Timestamp"

enum filter_operator {
    FILTER_EQ,
    FILTER_NE,
    FILTER_GT,
    FILTER_GE,
    FILTER_LT,
    FILTER_LE,
    FILTER_IS_TRUE /* a property alone */
};

enum filter_subject { SUBJECT_PARTITION, SUBJECT_ROW, SUBJECT_TIMESTAMP, SUBJECT_PROPERTY };

struct comparison {
    enum filter_subject subject;
    enum filter_operator relation;
    struct bytes name;    /* borrowed from the filter's text */
    struct value literal; /* strings are unescaped */
    struct bytes key;     /* a string literal that is compared with a key, in stored form: see key.h */
    unsigned name_index;  /* among the distinct names of the filter */
};

enum filter_node_kind { NODE_COMPARISON, NODE_AND, NODE_OR, NODE_NOT, NODE_NOTHING };

/* Nodes refer to each other by index. NODE_NOTHING, which no entity matches, can only be the root.
 *
 *   NODE_COMPARISON   left is the index of the comparison
 *   NODE_NOT          only left is used */
struct filter_node {
    enum filter_node_kind kind;
    unsigned char left, right;
};

struct filter {
    bool all; /* everything matches */
    unsigned char root;
    unsigned char comparison_count, node_count, name_count;
    struct comparison comparisons[FILTER_MAX_COMPARISONS];
    struct filter_node nodes[FILTER_MAX_NODES];
    struct bytes names[FILTER_MAX_COMPARISONS]; /* the distinct properties */
    char *texts; /* rewritten literals: short_texts or allocated; NULL for none */
    size_t texts_length;
    char short_texts[FILTER_BUFFER_BYTES];
};

/* Where a filter is wrong, as a byte counted from 1, and why. */
struct filter_fault {
    enum outcome outcome; /* INVALID_INPUT, NOT_IMPLEMENTED, INSTANT_OUT_OF_RANGE */
    size_t position;
    const char *text;
};

/* Frees what a compiled filter holds. */
void filter_end(struct filter *filter);

/* Which subject a name is: Timestamp, PartitionKey and RowKey are not ordinary properties. */
enum filter_subject filter_subject_of(struct bytes name);

#endif
