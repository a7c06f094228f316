/* Targets: what the commands of a transaction change, so that no two of them change the same object.
 *
 *   key of the value, noun, name[, part] ─▶ the place of the command that changes it
 *
 * A noun says what a target is ("blob"), the name which one, and the part, if there is one, which of several that the
 * name has. Names are compared byte by byte, so callers add one spelling for all that mean the same. Several commands
 * may change a target if all of them share it. */
#ifndef HOLDFAST_TARGETS_H
#define HOLDFAST_TARGETS_H

#include "core/arena.h"
#include "core/bytes.h"

#include <stdbool.h>
#include <stdint.h>

/* The budget of a transaction for lists: the longest list of a command takes all of it. A multiple of the limits of
 * all lists. */
enum { LISTED_MAX = 1000000 };

struct target {
    const char *noun;
    struct bytes key, name, part;
    unsigned place;
    uint32_t hash;
    bool shared;
};

/* A target of two commands. */
struct collision {
    const char *noun; /* NULL for nothing */
    unsigned place, earlier;
};

struct targets {
    struct target *items;
    uint32_t *slots; /* numbers of items, from 1, by hash; 0 for empty */
    size_t count, capacity;
    struct collision collision; /* the first one found */
    struct bytes key;           /* of the command that is being added */
    uint32_t key_hash;
    unsigned place;
    size_t listed;      /* the part of LISTED_MAX that lists have taken */
    struct arena arena; /* the tables, and names */
};

void targets_start(struct targets *targets);
void targets_end(struct targets *targets);

/* The targets that follow are those of the command at this place, in the value of this key. A command may
 * name one twice. */
void targets_begin(struct targets *targets, struct bytes key, unsigned place);

/* The noun is for people and must be static; the names must live as long as the set. */
void targets_add(struct targets *targets, const char *noun, struct bytes name);
void targets_add_part(struct targets *targets, const char *noun, struct bytes name, struct bytes part);
void targets_share(struct targets *targets, const char *noun, struct bytes name);

/* Counts a list of `count` items, of the `max` that one list may have, towards LISTED_MAX. They need not be added. */
void targets_list(struct targets *targets, size_t count, size_t max);

/* Memory for names that exist nowhere else. */
char *targets_alloc(struct targets *targets, size_t bytes);

#endif
