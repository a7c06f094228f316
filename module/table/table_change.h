/* Changes of a table: the vocabulary in which its state moves, and how it is written down.
 *
 * A change is a fact: it carries keys, ETags, instants and properties, and never a condition or a choice. The same
 * record travels to replicas, stands in append-only files and snapshots, and is read back by one decoder that takes
 * nothing on trust. A batch is one change: whoever sees it sees all of it. */
#ifndef HOLDFAST_TABLE_CHANGE_H
#define HOLDFAST_TABLE_CHANGE_H

#include "change/change.h"
#include "core/packed.h"

enum table_change_kind {
    TABLE_CREATE,
    TABLE_DROP,
    TABLE_SETACL,
    TABLE_INDEX,
    TABLE_UNINDEX,
    TABLE_INDEXED, /* an index that is being built knows all entities up to this key; empty when none is left */
    TABLE_INSERT, /* this one and all that follow: steps */
    TABLE_REPLACE,
    TABLE_MERGE,
    TABLE_DELETE,
    TABLE_INSERTORREPLACE,
    TABLE_INSERTORMERGE,
    TABLE_BATCH,
    TABLE_ENTITIES, /* nothing but the way in which a file builds a table anew: entities, in the order of their keys */

    /* What has changed, for those who follow: see core/feed.h. */
    TABLE_FEEDON,
    TABLE_FEEDKEEP, /* so many deletions are remembered */
    TABLE_FEEDOFF,
    TABLE_FEEDBUILT,   /* a feed that is being built has the entities up to this key; empty for all */
    TABLE_FEEDSTATE,   /* in files, in front of the entities */
    TABLE_FEEDMARKERS, /* in files, before the entities */
    TABLE_CHANGE_KINDS
};

enum {
    TABLE_BATCH_MAX = 100,
    TABLE_INDEXES_MAX = 16,
    TABLE_ENTITIES_MAX = 4096, /* in one change of a file */
};

struct entity;

/* What happens to one entity. */
enum table_step_kind {
    STEP_ADD,    /* it was not there */
    STEP_SET,    /* it was, and has these properties from now on */
    STEP_MERGE,  /* it was, and has these besides */
    STEP_REMOVE, /* it was */
    STEP_MARK,   /* it was; a feed remembers it */
    STEP_KINDS
};

struct table_step {
    enum table_step_kind kind;
    struct bytes key; /* stored */
    version etag;     /* not of STEP_REMOVE */
    int64_t ticks;    /* not of STEP_MARK either, like the properties */
    struct packed_list properties;
    struct entity *there; /* the entity, if the decision has looked it up; not in records */
};

struct table_change {
    enum table_change_kind kind;
    struct packed_list policies;
    int64_t ticks;            /* no Timestamp that the table has given is greater */
    struct packed_list names; /* of properties */
    struct bytes key;
    version minted;    /* with which a feed begins */
    uint64_t keep;     /* deletions that it remembers */
    struct bytes feed; /* what files say of it: see core/feed.h */
    struct packed_list steps;
    /* As many steps as the list counts, if whoever decided them knows that they fit: then the list has no items. Not in
     * records, which have the list. */
    struct table_step *decided;
};

/* The fields of a record, in their order: the rows of the layout. */
enum table_field {
    TABLE_HAS_POLICIES = 1 << 0,
    TABLE_HAS_TICKS = 1 << 1,
    TABLE_HAS_NAMES = 1 << 2,
    TABLE_HAS_KEY = 1 << 3,
    TABLE_HAS_STEPS = 1 << 4,
    TABLE_HAS_MINTED = 1 << 5,
    TABLE_HAS_KEEP = 1 << 6,
    TABLE_HAS_FEED = 1 << 7,
};

extern const struct change_family table_changes;

struct table;

/* Applies a change of one kind. */
typedef bool table_change_apply(struct table *table, const struct table_change *change);

/* A row of the table of kinds, next to the functions that apply them. */
struct table_kind {
    struct change_kind is;
    uint64_t steps_max;
    table_change_apply *apply; /* NULL for kinds that create or drop */
};

extern const struct table_kind table_change_kinds[TABLE_CHANGE_KINDS];

/* Whether there is no entity afterwards. */
static inline bool table_step_ends(const struct table_step *step) {
    return step->kind == STEP_REMOVE || step->kind == STEP_MARK;
}

/* Appends a step; the caller counts them. */
void table_step_put(struct record_writer *writer, const struct table_step *step);
/* Reads the next step; false at the end. */
bool table_step_next(struct record_reader *reader, struct table_step *step);

/* Reads the next of a list of names; false at the end. */
bool table_name_next(struct record_reader *reader, struct bytes *name);

#endif
