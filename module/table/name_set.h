/* A set of names, for the stack: the properties of one entity, or those that a caller selects. Up to NAME_SET_FEW names
 * are compared one by one; more are found by their hashes. */
#ifndef HOLDFAST_TABLE_NAME_SET_H
#define HOLDFAST_TABLE_NAME_SET_H

#include "core/bytes.h"

#include <stdint.h>

enum { NAME_SET_MAX = 255, NAME_SET_NONE = NAME_SET_MAX, NAME_SET_FEW = 8, NAME_SET_SLOTS = 512 };

struct name_set {
    unsigned count;
    struct bytes names[NAME_SET_MAX]; /* borrowed */
    uint16_t
        slots[NAME_SET_SLOTS]; /* a hash table, once there are more than a few: numbers of names, from 1 */
};

void name_set_start(struct name_set *set);

/* False when the name is in the set already. The caller adds at most NAME_SET_MAX. */
bool name_set_add(struct name_set *set, struct bytes name);
/* The number of the name, from 0 in the order of adding; NAME_SET_NONE when it is not in the set. */
unsigned name_set_find(const struct name_set *set, struct bytes name);

static inline bool name_set_has(const struct name_set *set, struct bytes name) {
    return name_set_find(set, name) != NAME_SET_NONE;
}

#endif
