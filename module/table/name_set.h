/* A set of names: of the properties of one entity, or of those that a caller wants to see. Made for a moment, on the
 * stack. A few are compared with each other; more are found by their hashes. */
#ifndef HOLDFAST_TABLE_NAME_SET_H
#define HOLDFAST_TABLE_NAME_SET_H

#include "core/bytes.h"

#include <stdint.h>

enum { NAME_SET_MAX = 255, NAME_SET_NONE = NAME_SET_MAX, NAME_SET_FEW = 8, NAME_SET_SLOTS = 512 };

struct name_set {
    unsigned count;
    struct bytes names[NAME_SET_MAX]; /* borrowed */
    uint16_t slots[NAME_SET_SLOTS];   /* of more than a few: their numbers, from 1 */
};

void name_set_start(struct name_set *set);

/* False when it is there already. There are at most NAME_SET_MAX. */
bool name_set_add(struct name_set *set, struct bytes name);
/* The number of the name, from 0 in the order in which they came; NAME_SET_NONE when it is not there. */
unsigned name_set_find(const struct name_set *set, struct bytes name);

static inline bool name_set_has(const struct name_set *set, struct bytes name) {
    return name_set_find(set, name) != NAME_SET_NONE;
}

#endif
