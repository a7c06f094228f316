/* Rosters: entries with names of the test's own, and the plain sorted array
 * that indexes are compared with. */
#ifndef HOLDFAST_UNIT_ROSTER_H
#define HOLDFAST_UNIT_ROSTER_H

#include "core/entry.h"
#include "dice.h"

/* Sorted by name. A struct of zeros is empty. */
struct roster {
    struct entry **entries;
    size_t count;
    size_t capacity;
};

struct entry *entry_new(struct bytes name, uint32_t hash);
/* The same entry in another place; the old one is gone. */
struct entry *entry_move(struct entry *entry);
void entry_free(struct entry *entry);

/* The place of the first entry whose name is not below this one. */
size_t roster_place(const struct roster *roster, struct bytes name);
struct entry *roster_find(const struct roster *roster, struct bytes name);
void roster_add(struct roster *roster, struct entry *entry);
void roster_remove(struct roster *roster, size_t place);
/* Frees the entries, too. */
void roster_free(struct roster *roster);

enum { NAME_ROOM = 1024 };

/* Draws a name into the room: short ones that begin each other, binary ones, long ones with a common
 * beginning, and the shortest and the longest there are. */
struct bytes name_draw(struct dice *dice, char room[NAME_ROOM]);

/* The nth of many names in no particular order. */
struct bytes name_numbered(size_t n, char room[NAME_ROOM]);

#endif
