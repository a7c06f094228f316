/* Filters: which entities a caller means.
 *
 *   text ─▶ lexer ─▶ parser ─▶ filter     a tree of at most 15 comparisons, in one struct, compiled once per call
 *
 *   PartitionKey eq 'eu' and (price lt 10.0 or not sold) and RowKey ge '2026-11'
 *
 * The language, from the loosest binding to the tightest: or, and, not, comparison (eq ne gt ge lt le) or a property
 * alone, which is true where it holds the bool true. A comparison has a property on one side and a literal on the
 * other: 'text', 12, 12L, 1.5, true, datetime'...', guid'...', X'0aff' or binary'0aff'. A quote in a text is
 * doubled. true and false are allowed wherever a comparison is; they are not comparisons, and are folded away while
 * the tree is built. Words and names are case-sensitive; words of the language cannot be names of properties.
 *
 * How types meet:
 *   - An int32 literal compares with int64 and double by number, an int64 literal with double, too. Whatever else
 *     differs in type counts as if the stored value were the lesser one: ne, lt and le hold, eq, gt and ge do not.
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
    /* Each comparison and each operator that joins it to the one before may be negated; double negation cancels. */
    FILTER_MAX_NODES = FILTER_MAX_COMPARISONS * 4,
    FILTER_ROOM = 256,
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
    FILTER_HOLDS /* alone */
};

enum filter_subject { SUBJECT_PARTITION, SUBJECT_ROW, SUBJECT_TIMESTAMP, SUBJECT_PROPERTY };

struct comparison {
    enum filter_subject subject;
    enum filter_operator relation;
    struct bytes name;    /* borrowed from the filter's text */
    struct value literal; /* strings are unescaped */
    struct bytes key;     /* of a string literal that is compared with a key: in stored form, see key.h */
    unsigned place;       /* index among the distinct names of the filter */
};

enum filter_node_kind { NODE_COMPARISON, NODE_AND, NODE_OR, NODE_NOT, NODE_NOTHING };

/* Nodes refer to others by index. Other contents of the arrays belong to the compiler. NODE_NOTHING, which no entity
 * matches, can only be the root. */
struct filter_node {
    enum filter_node_kind kind;
    unsigned char left,
        right; /* NODE_COMPARISON: left is the index of the comparison; NODE_NOT: only left is used */
};

struct filter {
    bool all; /* an empty filter: everything matches */
    unsigned char root;
    unsigned char comparison_count, node_count, name_count;
    struct comparison comparisons[FILTER_MAX_COMPARISONS];
    struct filter_node nodes[FILTER_MAX_NODES];
    struct bytes names[FILTER_MAX_COMPARISONS]; /* the distinct properties */
    char *texts;                                /* rewritten literals; NULL for none */
    size_t texts_length;
    char room[FILTER_ROOM]; /* buffer for short texts */
};

/* Where a filter is wrong, in bytes from 1, and why. */
struct filter_fault {
    enum outcome outcome; /* INVALID_INPUT, NOT_IMPLEMENTED, INSTANT_OUT_OF_RANGE */
    size_t position;
    const char *text;
};

/* False, with nothing to free, when the text is not a valid filter. The filter borrows from the text and from
 * itself: it must not be copied. An empty or blank text matches everything. */
bool filter_compile(struct bytes text, struct filter *filter, struct filter_fault *fault);
void filter_end(struct filter *filter);

/* Which subject a name is: Timestamp, PartitionKey and RowKey are not ordinary properties. */
enum filter_subject filter_subject_of(struct bytes name);

/* The data that filters are matched against. */
struct row {
    struct bytes partition, row; /* in stored form */
    int64_t ticks;
    struct bytes properties; /* packed and valid: see property.h */
};

/* Adds the cost to *work: comparisons of usual size and properties passed over. */
bool filter_matches(const struct filter *filter, const struct row *row, size_t *work);

#endif
