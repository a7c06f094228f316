/* Operations: the six ways to write an entity, and what each of them does where there is one and where there is none.
 *
 *   verb              there                                    absent
 *   INSERT            refused: EntityAlreadyExists             added
 *   REPLACE           set,    if the ETag and IF agree         refused: ResourceNotFound
 *   MERGE             merged, likewise                         refused
 *   DELETE            removed, likewise                        refused
 *   INSERTORREPLACE   set, whatever is there                   added
 *   INSERTORMERGE     merged, likewise                         added
 *
 * It decides and changes nothing. */
#ifndef HOLDFAST_TABLE_OPERATION_H
#define HOLDFAST_TABLE_OPERATION_H

#include "core/condition.h"
#include "table/table.h"

enum verb {
    VERB_INSERT,
    VERB_REPLACE,
    VERB_MERGE,
    VERB_DELETE,
    VERB_INSERTORREPLACE,
    VERB_INSERTORMERGE,
    VERBS
};

struct operation {
    enum verb verb;
    struct bytes key;            /* stored */
    struct tag match;            /* of the verbs that take it, and well formed */
    const struct filter *filter; /* NULL for none */
    struct packed_list properties;
};

/* Which change a verb alone makes. */
enum table_change_kind verb_change(enum verb verb);

/* Rows of the table above. */
bool verb_is_conditional(enum verb verb); /* must say IFMATCH, may say IF */
bool verb_has_properties(enum verb verb);

struct verdict {
    enum outcome outcome;
    enum table_step_kind step;
    struct entity *entity; /* that is there; NULL for none */
};

/* What the operation does to this entity; NULL if there is none. */
struct verdict operation_judge(struct entity *there, const struct operation *operation);

#endif
