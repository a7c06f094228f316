/* What the value of every data type can do, under the same names. Only its apply function changes it, and only by a
 * change: a fact with absolute numbers. A value knows neither its key nor the clock. VALUE_FUNCTIONS(queue) declares:
 *
 *   queue_new             makes a value from a change of a creating kind
 *   queue_free
 *   queue_apply           applies any other change; false when it does not fit the state. Then nothing is done, but
 *                         a change that files do not have ends the loading of the value all the same. Takes ownership
 *                         of a chunk that comes with the change in either case
 *   queue_walk            walks the changes that rebuild the value, in order: for files, digests and copies
 *   queue_copy            a copy with the same versions and ids, but without leases and other things that have holders
 *   queue_memory          its bytes
 *   queue_allocations     how many a free has to release, for the decision whether another thread should do it
 *   queue_relocate        for active defragmentation: moves the value and its lists, and returns its new address
 *   queue_places          what it contains moves in so many portions,
 *   queue_relocate_place  of which this moves one */
#ifndef HOLDFAST_VALUE_FUNCTIONS_H
#define HOLDFAST_VALUE_FUNCTIONS_H

#include "change/change.h"
#include "core/relocation.h"

/* Names of types cannot be parenthesised. NOLINTBEGIN(bugprone-macro-parentheses) */
#define VALUE_FUNCTIONS(value)                                                                               \
    struct value *value##_new(const struct value##_change *change);                                          \
    void value##_free(struct value *value);                                                                  \
    bool value##_apply(struct value *value, const struct value##_change *change);                            \
    void value##_walk(const struct value *value, const struct change_walk *walk);                            \
    struct value *value##_copy(const struct value *source);                                                  \
    size_t value##_memory(const struct value *value);                                                        \
    size_t value##_allocations(const struct value *value);                                                   \
    struct value *value##_relocate(struct value *value, const struct relocation *relocation);                \
    size_t value##_places(const struct value *value);                                                        \
    void value##_relocate_place(struct value *value, size_t place, const struct relocation *relocation);
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
