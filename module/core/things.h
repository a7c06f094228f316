/* Things: what the commands of a transaction change, so that no two of them change the same thing.
 *
 *   key of the value, noun, name[, part] ─▶ the place of the command that changes it
 *
 * A thing is known by the key of its value, by what it is called in general, and by its name there, perhaps with a part of
 * it. Names are compared byte by byte, so whoever adds a thing adds one spelling for all that mean the same. Several commands may share
 * in a thing: they do not change all of it, but none of them goes with one that does. */
#ifndef HOLDFAST_THINGS_H
#define HOLDFAST_THINGS_H

#include "core/arena.h"
#include "core/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    THINGS_FEW = 16,
    LISTED_MAX =
        1000000, /* what the longest list takes, and all lists together may; a multiple of the limits of lists */
};

struct thing {
    const char *noun;
    struct bytes key, name, part;
    unsigned place;
    uint32_t hash;
    bool shared;
};

/* A thing that two commands change. */
struct twin {
    const char *noun; /* NULL for nothing */
    unsigned place, earlier;
};

struct things {
    struct thing *items;
    uint32_t *slots; /* numbers of items, from 1, by hash; 0 for empty */
    size_t count, capacity;
    struct twin twin; /* the first one found */
    struct bytes key; /* of the command that is being added */
    uint32_t key_hash;
    unsigned place;
    size_t listed; /* how much the lists take of LISTED_MAX */
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

/* A list of `count` things, with names or without, of the `max` that one list may have. */
void things_list(struct things *things, size_t count, size_t max);

/* Memory for names that exist nowhere else. */
char *things_room(struct things *things, size_t bytes);

#endif
