/* The order of records in a file, which is that of a walk. Records in any other order are rejected, so that loading
 * cannot use more than a fixed multiple of the file's size. */
#ifndef HOLDFAST_LOAD_SEQUENCE_H
#define HOLDFAST_LOAD_SEQUENCE_H

#include "blob/container_change.h"
#include "core/name.h"

/* How far the current blob has been built. */
enum load_stage {
    STAGE_TAKEN, /* no state yet, or the last one has become a snapshot */
    STAGE_OPEN,  /* has a state; content may follow */
    STAGE_WHOLE, /* has a state and its content */
};

/* Starts zeroed. */
struct load_sequence {
    bool created;
    enum load_stage stage;
    size_t length; /* of the last name; names never decrease */
    char name[NAME_MAX_BYTES];
};

/* Whether the change may come next; if so, it counts as having come. */
bool load_sequence_keeps(struct load_sequence *order, const struct container_change *change);

#endif
