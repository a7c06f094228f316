/* A set of names, for the stack: the properties of one entity, or those that a caller selects. Up to NAME_SET_FEW names
 * are compared one by one; more are found by their hashes. Most names that are not in the set have another length than
 * those that are. */
#ifndef HOLDFAST_TABLE_NAME_SET_H
#define HOLDFAST_TABLE_NAME_SET_H

#include "core/bytes.h"

#include <stdint.h>

enum { NAME_SET_MAX = 256, NAME_SET_NONE = NAME_SET_MAX, NAME_SET_FEW = 8, NAME_SET_SLOTS = 512 };

struct name_set {
    unsigned count;
    uint64_t lengths; /* a bit for each length of a name; the last one is for all long names */
    struct bytes names[NAME_SET_MAX]; /* borrowed */
    uint16_t slots[NAME_SET_SLOTS];   /* once there are more than a few, by hash: numbers of names, from 1 */
};

void name_set_start(struct name_set *set);

/* False when the name is in the set already. The caller adds at most NAME_SET_MAX. */
bool name_set_add(struct name_set *set, struct bytes name);

/* The number of a name whose length is among theirs. */
unsigned name_set_search(const struct name_set *set, struct bytes name);

static inline uint64_t name_set_length(struct bytes name) {
    return UINT64_C(1) << (name.length < 63 ? name.length : 63);
}

/* The number of the name, from 0 in the order of adding; NAME_SET_NONE when it is not in the set. */
static inline unsigned name_set_find(const struct name_set *set, struct bytes name) {
    return set->lengths & name_set_length(name) ? name_set_search(set, name) : (unsigned)NAME_SET_NONE;
}

static inline bool name_set_has(const struct name_set *set, struct bytes name) {
    return name_set_find(set, name) != NAME_SET_NONE;
}

#endif
