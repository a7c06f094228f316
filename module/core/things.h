/* Things: what the commands of a transaction change, so that no two of them change the same thing.
 *
 *   key of the value, noun, name[, part] ─▶ the place of the command that changes it
 *
 * A noun is a sort of things ("blob"), a name tells them apart, and a part is one of several things of a name. Names
 * are compared byte by byte, so callers add one spelling for all that mean the same. A shared thing may be changed by
 * several commands that all share it, but by none that does not. */
#ifndef HOLDFAST_THINGS_H
#define HOLDFAST_THINGS_H

#include "core/arena.h"
#include "core/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    THINGS_FEW = 16,
    /* The budget of a transaction for lists: the longest list of a command takes all of it. A multiple of the
     * limits of all lists. */
    LISTED_MAX = 1000000,
};

struct thing {
    const char *noun;
    struct bytes key, name, part;
    unsigned place;
    uint32_t hash;
    bool shared;
};

/* A thing that two commands change. */
struct collision {
    const char *noun; /* NULL for nothing */
    unsigned place, earlier;
};

struct things {
    struct thing *items;
    uint32_t *slots; /* numbers of items, from 1, by hash; 0 for empty */
    size_t count, capacity;
    struct collision collision; /* the first one found */
    struct bytes key;           /* of the command that is being added */
    uint32_t key_hash;
    unsigned place;
    size_t listed; /* the part of LISTED_MAX that lists have taken */
    struct arena arena;
    struct thing few[THINGS_FEW];
    uint32_t few_slots[2 * THINGS_FEW];
};

void things_start(struct things *things);
void things_end(struct things *things);

/* The things that follow are changed by the command at this place, in the value of this key. A command may
 * name a thing twice. */
void things_begin(struct things *things, struct bytes key, unsigned place);

/* The noun is for people and must be static; the names must live as long as the set. */
void things_add(struct things *things, const char *noun, struct bytes name);
void things_add_part(struct things *things, const char *noun, struct bytes name, struct bytes part);
void things_share(struct things *things, const char *noun, struct bytes name);

/* Counts a list of `count` things, of the `max` that one list may have, towards LISTED_MAX. The things need
 * not be added. */
void things_list(struct things *things, size_t count, size_t max);

/* Memory for names that exist nowhere else. */
char *things_alloc(struct things *things, size_t bytes);

#endif
