/* Byte-range locks in the words of the specification: which ranges overlap, and which lock denies what. */
#ifndef HOLDFAST_MODELS_LOCK_MODEL_H
#define HOLDFAST_MODELS_LOCK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum model_question { TO_READ, TO_WRITE, TO_LOCK_SHARED, TO_LOCK_EXCLUSIVE };

struct model_range {
    uint64_t offset, length;
};

/* Whether a lock stands in the way of what somebody wants to do with a range; it is his own, or somebody else's. */
bool lock_model_denies(struct model_range lock, bool exclusive, bool own, enum model_question question,
                       struct model_range wanted);

#endif
