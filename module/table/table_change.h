/* Changes of a table: the vocabulary in which its state moves, and how it is written down.
 *
 * A change is a fact: it carries keys, ETags, instants and properties, and never a condition or a choice. The same
 * record travels to replicas, stands in append-only files and snapshots, and is read back by one decoder that takes
 * nothing on trust. A batch is one change: whoever sees it sees all of it. */
#ifndef HOLDFAST_TABLE_CHANGE_H
#define HOLDFAST_TABLE_CHANGE_H

#include "core/packed.h"
#include "core/version.h"

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
    TABLE_CHANGE_KINDS
};

enum {
    TABLE_BATCH_MOST = 100,
    TABLE_INDEXES_MOST = 16,
    TABLE_ENTITIES_MOST = 4096, /* in one change of a file */
};

struct entity;

/* What happens to one entity. */
enum table_step_kind {
    STEP_ADD,    /* it was not there */
    STEP_SET,    /* it was, and has these properties from now on */
    STEP_MERGE,  /* it was, and has these besides */
    STEP_REMOVE, /* it was */
    STEP_KINDS
};

struct table_step {
    enum table_step_kind kind;
    struct bytes key; /* stored */
    version etag;     /* not of STEP_REMOVE, like all that follows */
    int64_t ticks;
    struct packed_list properties;
    struct entity *there; /* the entity, if whoever made the step has looked for it; not in records */
};

struct table_change {
    enum table_change_kind kind;
    struct packed_list policies;
    int64_t ticks;            /* no Timestamp that the table has given is greater */
    struct packed_list names; /* of properties */
    struct bytes key;
    struct packed_list steps;
};

/* The first byte of every record; other families have other ones. */
enum { TABLE_FAMILY = 'T' };

void table_change_write(const struct table_change *change, struct record_writer *writer);

/* Reads and checks a record. The change borrows from it. */
bool table_change_read(struct bytes record, struct table_change *change);

/* One more step; the caller counts them. */
void table_step_put(struct record_writer *writer, const struct table_step *step);
/* The next one; false at the end. */
bool table_step_next(struct record_reader *reader, struct table_step *step);

/* A list of names: one more, and the next one. */
bool table_name_next(struct record_reader *reader, struct bytes *name);

/* The keyspace notification for this change; NULL for none. */
const char *table_change_event(enum table_change_kind kind);

#endif
