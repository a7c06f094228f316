/* The order in which a file brings its records: that of a walk. What comes otherwise is not believed, so that nothing
 * that a file builds can take more than a fixed multiple of the file. */
#ifndef HOLDFAST_LOAD_ORDER_H
#define HOLDFAST_LOAD_ORDER_H

#include "blob/container_change.h"
#include "core/name.h"

/* How far the blob is that is being built. */
enum load_stage {
    STAGE_TAKEN, /* it has no state yet, or the last one has become a snapshot */
    STAGE_OPEN,  /* it has a state, and content may follow */
    STAGE_WHOLE, /* it has a state, and its content is there */
};

/* Starts as zeros. */
struct load_order {
    bool created;
    enum load_stage stage;
    size_t length; /* of the last name; names do not fall */
    char name[NAME_MAX_BYTES];
};

/* Whether the change may come next; then it has come. */
bool load_order_keeps(struct load_order *order, const struct container_change *change);

#endif
