/* The engine of changes: what all families share of the facts by which their values move.
 *
 *   decision ─▶ change ──change_write──▶ record ─▶ replicas, append-only files, snapshots
 *                  │                        │
 *                apply ◀────change_read─────┘      checked field by field: records are hostile until then
 *
 * A change is a fact: it carries ids, instants, versions and bytes, and never a condition or a choice. Each family has
 * a struct for its changes, whose first member is the kind (an enum), and describes it in two tables:
 *
 *   - its layout: a row for each field of the struct (see layout.h);
 *   - its kinds: a row for each kind, with its event, its fields, its traits, and the function that applies it.
 *
 * A record is the family's letter, the kind, and the fields. A small content stands behind the fields, and the kind's top
 * bit says so; a large one travels beside the record, so that nobody copies it.
 *
 * To add a kind of change: one name in the family's enum, one row in its table of kinds, one function that applies it,
 * named in
 * that row. To add a field: one member, one row in the layout, one bit. Numbers of kinds and bits are a
 * promise: files that hold them load for ever, so new ones go to the end. */
#ifndef HOLDFAST_CHANGE_H
#define HOLDFAST_CHANGE_H

#include "change/layout.h"

enum change_trait {
    CHANGE_CREATES = 1 << 0,     /* it makes the value */
    CHANGE_DROPS = 1 << 1,       /* it ends the value */
    CHANGE_IN_FILES = 1 << 2,    /* files hold such changes */
    CHANGE_HAS_CONTENT = 1 << 3, /* bytes stand behind the fields, or travel beside the record */
    /* Among changes that are decided as one: */
    CHANGE_COMES_FIRST = 1 << 4, /* it reads what others may change */
    CHANGE_COMES_LAST = 1 << 5,  /* it goes with what others may end */
};

/* Each further argument of an effect costs the server more than it costs us to copy so many bytes. */
enum { CHANGE_CONTENT_INSIDE_MAX = 512 };

/* The columns that all families have. A family's row begins with them and goes on with its own: the function that
 * applies such a change, and what else it has to know. */
struct change_kind {
    const char *event; /* the keyspace notification; NULL for none, or when the family names another one */
    uint64_t fields;   /* a bit for each row of the layout */
    unsigned traits;
};

struct change_family {
    uint8_t letter; /* the first byte of each record */
    uint8_t kind_count;
    size_t size;                     /* of the family's struct */
    const struct change_kind *kinds; /* the first row's; the rows are so far apart: */
    size_t kind_bytes;
    struct layout layout;
    bool (*sound)(const void *change); /* rules that no field can see alone; may be NULL */
};

/* The row of a change's kind. */
static inline const struct change_kind *change_kind(const struct change_family *family, const void *change) {
    const char *rows = (const char *)family->kinds;
    return (const void *)(rows + *(const unsigned *)change * family->kind_bytes);
}

static inline bool change_is(const struct change_family *family, const void *change,
                             enum change_trait trait) {
    return change_kind(family, change)->traits & trait;
}

void change_write(const struct change_family *family, const void *change, struct record_writer *writer);

/* Puts a small content behind the fields that were written. */
void change_add_content(struct record_writer *record, struct bytes content);

/* Reads and checks a record. What does not travel in it stays zero; the change borrows from the record, and so does the
 * content, whose data is NULL if there is none inside. */
bool change_read_with(const struct change_family *family, struct bytes record, void *change,
                      struct bytes *content);

/* Likewise a record without a content inside. */
bool change_read(const struct change_family *family, struct bytes record, void *change);

/* A walk over the changes that build a value anew, in order. */
struct change_walk {
    size_t piece; /* the most bytes of content beside one change */
    bool holders; /* also what a copy does not keep: leases, sessions and what they hold */
    void (*take)(void *context, const void *change);
    void *context;
};

/* The newest version that the change speaks of; 0 for none. */
version change_newest_version(const struct change_family *family, const void *change);

#endif
