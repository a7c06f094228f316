/* Filters: which entities a caller means.
 *
 *   text ─▶ lexer ─▶ parser ─▶ filter     a tree of at most 15 comparisons, in one struct, compiled once per call
 *
 *   PartitionKey eq 'eu' and (price lt 10.0 or not sold) and RowKey ge '2026-11'
 *
 * The language, from the loosest binding to the tightest: or, and, not, comparison (eq ne gt ge lt le) or a property
 * alone, which is true where it holds the bool true. A comparison has a property on one side and a literal on the
 * other: 'text', 12, 12L, 1.5, true, datetime'...', guid'...', X'0aff' or binary'0aff'. A quote in a text is doubled.
 * true and false stand where a comparison can stand, too; they are no comparisons, and take no part in the tree, from
 * which they are reckoned out. Words and names mind their case; the words of the language are no names of properties.
 *
 * How types meet:
 *   - An int32 literal compares with int64 and double by number, an int64 literal with double, too. Whatever else differs in
 *     type counts as if the stored value were the lesser one: ne, lt and le hold, eq, gt and ge do not.
 *   - A property that is not there fails every comparison, also ne; `not` turns that round.
 *   - NaN fails every comparison but ne.
 *   - Strings compare by UTF-16 code units, ids as lower-case text, binary by its bytes. */
#ifndef HOLDFAST_TABLE_FILTER_H
#define HOLDFAST_TABLE_FILTER_H

#include "table/value.h"

enum {
    FILTER_MAX_COMPARISONS = 15,
    FILTER_MAX_DEPTH = 100, /* of parentheses and nots */
    FILTER_MAX_BYTES = 1 << 20,
    /* A comparison, and what joins it to those before it, each of them perhaps behind a not; two nots are none. */
    FILTER_MAX_NODES = FILTER_MAX_COMPARISONS * 4,
    FILTER_ROOM = 256,
};

/* The names of what every entity has; no property has them. */
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
    struct bytes name;    /* borrowed from the text */
    struct value literal; /* strings are unescaped */
    struct bytes key;     /* of a string literal for a key: as keys are stored, see key.h */
    unsigned place;       /* among the different names of the filter */
};

enum filter_node_kind { NODE_COMPARISON, NODE_AND, NODE_OR, NODE_NOT, NODE_NOTHING };

/* Nodes refer to others by their number. What a struct of nodes holds besides is its compiler's affair. NODE_NOTHING, which
 * no entity matches, is a root alone. */
struct filter_node {
    enum filter_node_kind kind;
    unsigned char left,
        right; /* of NODE_COMPARISON: left is the number of the comparison; of NODE_NOT: left */
};

struct filter {
    bool all; /* everything matches, as with an empty filter */
    unsigned char root;
    unsigned char comparison_count, node_count, name_count;
    struct comparison comparisons[FILTER_MAX_COMPARISONS];
    struct filter_node nodes[FILTER_MAX_NODES];
    struct bytes names[FILTER_MAX_COMPARISONS]; /* the different properties */
    char *texts;                                /* literals that had to be rewritten; NULL for none */
    size_t texts_length;
    char room[FILTER_ROOM]; /* where the texts stand, if they are short */
};

/* Where a filter is wrong, counted in bytes from 1, and what is wrong there. */
struct filter_fault {
    enum outcome outcome; /* INVALID_INPUT, NOT_IMPLEMENTED, INSTANT_OUT_OF_RANGE */
    size_t position;
    const char *text;
};

/* False, and nothing to end, when the text is no filter. The filter borrows from the text, and from itself: it must not
 * be copied. An empty text, or one of blanks, means everything. */
bool filter_compile(struct bytes text, struct filter *filter, struct filter_fault *fault);
void filter_end(struct filter *filter);

/* Which of them a name is, Timestamp, PartitionKey and RowKey being no properties like others. */
enum filter_subject filter_subject_of(struct bytes name);

/* What filters look at. */
struct row {
    struct bytes partition, row; /* as keys are stored */
    int64_t ticks;
    struct bytes properties; /* packed, sound: see property.h */
};

/* work grows by what the answer cost, in comparisons of usual size and properties passed over. */
bool filter_matches(const struct filter *filter, const struct row *row, size_t *work);

#endif
