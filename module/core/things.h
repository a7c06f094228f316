/* Things: what the commands of a transaction change, so that no two of them change the same.
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

enum { THINGS_FEW = 16 };

struct thing {
    const char *noun;
    struct bytes key, name, part;
    unsigned place;
    uint32_t hash;
    bool shared;
};

/* What is changed twice. */
struct twin {
    const char *noun; /* NULL for nothing */
    unsigned place, earlier;
};

struct things {
    struct thing *items;
    uint32_t *slots; /* numbers of items, counted from one, by their hashes; 0 for none */
    size_t count, capacity;
    struct twin twin; /* the first one that was met */
    struct bytes key; /* of the command that adds now */
    uint32_t key_hash;
    unsigned place;
    struct arena arena;
    struct thing few[THINGS_FEW];
    uint32_t few_slots[2 * THINGS_FEW];
};

void things_start(struct things *things);
void things_end(struct things *things);

/* What follows is changed by the command at this place, in the value of this key. What it names twice is for itself to
 * judge. */
void things_begin(struct things *things, struct bytes key, unsigned place);

/* The noun is for people, and lasts for ever; the names last as long as the set. */
void things_add(struct things *things, const char *noun, struct bytes name);
void things_add_part(struct things *things, const char *noun, struct bytes name, struct bytes part);
void things_share(struct things *things, const char *noun, struct bytes name);

/* For names that stand nowhere else. */
char *things_room(struct things *things, size_t bytes);

#endif
