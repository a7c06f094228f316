/* Changes of a table, and their records: see change/change.h. A batch is one change, so replicas and files have all of
 * it or nothing. */
#ifndef HOLDFAST_TABLE_CHANGE_H
#define HOLDFAST_TABLE_CHANGE_H

#include "change/change.h"
#include "core/packed.h"
#include "table/ticks.h"

enum table_change_kind {
    TABLE_CREATE,
    TABLE_DROP,
    TABLE_SETACL,
    TABLE_INDEX,
    TABLE_UNINDEX,
    TABLE_INDEXED, /* an index that is being built covers the entities up to this key; empty: all of them */

    /* Steps. */
    TABLE_INSERT,
    TABLE_REPLACE,
    TABLE_MERGE,
    TABLE_DELETE,
    TABLE_INSERTORREPLACE,
    TABLE_INSERTORMERGE,
    TABLE_BATCH,
    TABLE_ENTITIES, /* in files only: entities in the order of their keys */

    /* The feed, in the order of enum feed_change_kind: see change/feed_change.h. */
    TABLE_FEEDON,
    TABLE_FEEDKEEP,
    TABLE_FEEDOFF,
    TABLE_FEEDBUILT,
    TABLE_FEEDSTATE,
    TABLE_FEEDMARKERS,
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
    STEP_ADD,    /* a new entity; all others need an existing one */
    STEP_SET,    /* these properties replace the old ones */
    STEP_MERGE,  /* these properties are added, and win */
    STEP_REMOVE, /* without a feed */
    STEP_MARK,   /* removed; the feed remembers the deletion */
    STEP_KINDS
};

struct table_step {
    enum table_step_kind kind;
    struct bytes key; /* stored */
    version etag;     /* not for STEP_REMOVE */
    int64_t ticks;    /* this and the properties not for STEP_MARK, either */
    struct packed_list properties;
    struct entity *existing; /* if the decision has looked it up; not in records */
};

struct table_change {
    enum table_change_kind kind;
    struct packed_list policies;
    int64_t ticks;            /* the greatest Timestamp assigned so far */
    struct packed_list names; /* of properties */
    struct bytes key;
    version minted;    /* the first version of a feed */
    uint64_t keep;     /* deletions that the feed remembers */
    struct bytes feed; /* its state or markers, encoded: see core/feed.h */
    struct packed_list steps;
    /* After a decision: the steps as an array, which are known to fit; `steps` has only their count. NULL for a change
     * from a record. */
    struct table_step *decided;
};

/* The fields of a record, in order: the rows of the layout. A codec of its own gets the whole change if the member is
 * `kind`, the first one. */
/* clang-format off */
#define TABLE_FIELDS(X)                                                       \
    X(POLICIES,  policies, .codec = CODEC_LIST, .sound = policies_are_sound)  \
    X(TICKS,     ticks,    .codec = CODEC_INSTANT, .max = TICKS_MAX)          \
    X(NAMES,     names,    .codec = CODEC_LIST, .sound = names_are_sound)     \
    X(KEY,       key,      .codec = CODEC_BYTES, .sound = key_is_sound)       \
    X(STEPS,     kind,     .codec = CODEC_OWN, .own = &steps_codec)           \
    X(MINTED,    minted,   .codec = CODEC_VERSION)                            \
    X(KEEP,      keep,     .codec = CODEC_NUMBER)                             \
    X(FEED,      feed,     .codec = CODEC_BYTES)                              \
    X(FEEDSTATE, feed,     .codec = CODEC_OWN, .own = &feed_state_codec)
/* clang-format on */

#define TABLE_FIELD(name, ...) TABLE_FIELD_##name,
enum table_field { TABLE_FIELDS(TABLE_FIELD) };
#define TABLE_HAS(field) (UINT64_C(1) << TABLE_FIELD_##field)

extern const struct change_schema table_changes;

struct table;

/* Applies a change of one kind. */
typedef bool table_change_apply(struct table *table, const struct table_change *change);

/* A row of the table of kinds, which is in table_apply.c beside the functions that apply them. */
struct table_kind {
    struct change_kind is;
    table_change_apply *apply; /* NULL for kinds that create or drop */
};

extern const struct table_kind table_change_kinds[TABLE_CHANGE_KINDS];

/* Whether a step removes the entity. */
static inline bool table_step_removes(const struct table_step *step) {
    return step->kind == STEP_REMOVE || step->kind == STEP_MARK;
}

/* Appends a step; the caller counts them. */
void table_step_put(struct record_writer *writer, const struct table_step *step);
/* Reads the next step; false at the end. */
bool table_step_next(struct record_reader *reader, struct table_step *step);

/* Reads the next name of a list; false at the end. */
bool table_name_next(struct record_reader *reader, struct bytes *name);

#endif
