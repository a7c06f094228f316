/* Operations: the six ways to write an entity, and what each does if the entity exists and if it does not.
 *
 *   verb              exists                               absent
 *   INSERT            refused: EntityAlreadyExists         added
 *   REPLACE           replaced, if IFMATCH and IF hold     refused: ResourceNotFound
 *   MERGE             merged, if they hold                 refused: ResourceNotFound
 *   DELETE            removed, if they hold                refused: ResourceNotFound
 *   INSERTORREPLACE   replaced                             added
 *   INSERTORMERGE     merged                               added
 *
 * This file decides only; nothing changes here. */
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
    struct tag match;            /* IFMATCH, well formed; ignored by verbs that do not take it */
    const struct filter *filter; /* NULL for none */
    struct packed_list properties;
};

/* The kind of change that a command with this verb makes. */
enum table_change_kind verb_change(enum verb verb);

bool verb_is_conditional(enum verb verb); /* requires IFMATCH, takes IF */
bool verb_has_properties(enum verb verb);

struct verdict {
    enum outcome outcome;
    enum table_step_kind step;
    struct entity *entity; /* the existing one; NULL for none */
};

/* Decides what an operation does to the existing entity; NULL if it is absent. */
struct verdict operation_judge(struct entity *existing, const struct operation *operation);

#endif
