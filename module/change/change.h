/* The engine of changes: what all data types share of the facts that alter their values.
 *
 *   decision ─▶ change ──change_write──▶ record ─▶ replicas, append-only files, snapshots
 *                  │                        │
 *                apply ◀────change_read─────┘      checked field by field: records are hostile until then
 *
 * A change is a fact: it carries ids, instants, versions and bytes, and never a condition or a choice. Each data type
 * has a struct for its changes, whose first member is the kind (an enum), and a schema that describes it by two tables:
 *
 *   - its layout: a row for each field of a record (see layout.h);
 *   - its kinds: a row for each kind, with its event, its fields, its traits, and the function that applies it.
 *
 * A record is the schema's letter, the kind, and the fields. A small content follows the fields, and the kind's top
 * bit says so; a large one travels beside the record, so that it is never copied.
 *
 * To add a kind of change: one name in the enum of kinds, one row in its table of kinds, one function that applies
 * it, named in that row. To add a field: one member of the struct, one row in its list of fields. The numbers of kinds,
 * and which fields a kind has in which order, must never change, since old files must always load. */
#ifndef HOLDFAST_CHANGE_H
#define HOLDFAST_CHANGE_H

#include "change/layout.h"

#include "ccan/build_assert/build_assert.h"

#include <stddef.h>

enum change_trait {
    CHANGE_CREATES = 1 << 0,     /* creates the value */
    CHANGE_DROPS = 1 << 1,       /* drops the value */
    CHANGE_IN_FILES = 1 << 2,    /* is written to files */
    CHANGE_HAS_CONTENT = 1 << 3, /* has content, after the fields or beside the record */
    /* In a transaction: */
    CHANGE_COMES_FIRST = 1 << 4, /* it reads what others may change */
    CHANGE_COMES_LAST = 1 << 5,  /* its object may be ended by other changes */

    /* No read shows it: it clears what has ended before, or prepares what is not in use yet. */
    CHANGE_UNSEEN = 1 << 6,
};

/* Content up to this size is copied into the record: an extra argument of an effect costs the server
 * more than the copy. */
enum { CHANGE_CONTENT_INSIDE_MAX = 512 };

/* The columns that all data types have. Their rows begin with these; columns of their own follow: the function that
 * applies such a change, and whatever else it needs. */
struct change_kind {
    const char *event; /* keyspace notification; NULL for none, or when the data type names another one */
    uint64_t fields;   /* bitmap of rows of the layout */
    unsigned traits;
};

struct change_schema {
    uint8_t letter; /* first byte of each record */
    uint8_t kind_count;
    size_t size;                     /* CHANGE_SIZE of the struct */
    const struct change_kind *kinds; /* the first row; `kind_bytes` is the size of each */
    size_t kind_bytes;
    struct layout layout;
    bool (*sound)(const void *change); /* rules across several fields; may be NULL */
};

/* No struct of changes is larger: there is space of this size for a change of any type. */
enum { CHANGE_MAX_BYTES = 1024 };

/* The size of a struct of changes, which must begin with its kind: the engine looks for it there. */
#define CHANGE_SIZE(type)                                                                                    \
    (sizeof(struct type) + BUILD_ASSERT_OR_ZERO(offsetof(struct type, kind) == 0 &&                          \
                                                sizeof(((struct type *)0)->kind) == sizeof(unsigned) &&      \
                                                sizeof(struct type) <= CHANGE_MAX_BYTES))

/* What a schema says of the struct and the table of kinds of a value's changes. */
#define SCHEMA_ROWS(value)                                                                                   \
    .kind_count = sizeof(value##_change_kinds) / sizeof(value##_change_kinds[0]),                            \
    .size = CHANGE_SIZE(value##_change), .kinds = &value##_change_kinds[0].is,                               \
    .kind_bytes = sizeof(value##_change_kinds[0])

static inline unsigned change_kind_number(const void *change) {
    return *(const unsigned *)change;
}

static inline void change_set_kind(void *change, unsigned kind) {
    *(unsigned *)change = kind;
}

/* The row for a change's kind. */
static inline const struct change_kind *change_kind(const struct change_schema *schema, const void *change) {
    const char *rows = (const char *)schema->kinds;
    return (const void *)(rows + change_kind_number(change) * schema->kind_bytes);
}

static inline bool change_is(const struct change_schema *schema, const void *change,
                             enum change_trait trait) {
    return change_kind(schema, change)->traits & trait;
}

void change_write(const struct change_schema *schema, const void *change, struct record_writer *writer);

/* Appends a small content after the fields. */
void change_add_content(struct record_writer *record, struct bytes content);

/* Reads and checks a record. Fields that are not in it stay zero. The change borrows from the record, and so does
 * the content, whose data is NULL if the record has none. `newest` is the newest version in the record; 0 for none. */
bool change_read_with(const struct change_schema *schema, struct bytes record, void *change,
                      struct bytes *content, version *newest);

/* The same for a record that must not have content. */
bool change_read(const struct change_schema *schema, struct bytes record, void *change);

/* A walk over the changes that rebuild a value, in order. */
struct change_walk {
    size_t piece; /* maximum bytes of content beside one change */
    bool holders; /* include what a copy does not keep: leases, sessions and what they hold */
    bool plain;   /* for a digest: contents piece by piece, whatever chunks their bytes are in */
    bool open; /* what is still being built can be built on: the walk ends where its records have come to */
    void (*take)(void *context, const void *change);
    void *context;
};

#endif
