/* What those who have a file open let others do, in the words of the specification: share modes, and byte-range locks. */
#ifndef HOLDFAST_MODELS_OPEN_MODEL_H
#define HOLDFAST_MODELS_OPEN_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of what an open asks for, and of what it lets others have. */
enum { MODEL_READ_ACCESS = 1, MODEL_WRITE_ACCESS = 2, MODEL_DELETE_ACCESS = 4, MODEL_ALL_ACCESS = 7 };

struct model_sharing {
    unsigned access; /* 0 for attributes only */
    unsigned share;
};

bool open_model_fits(struct model_sharing one, struct model_sharing other);

/* What a command without a handle does to a file. */
enum model_class {
    MODEL_ASKS,
    MODEL_READS,
    MODEL_WRITES,
    MODEL_REPLACES,
    MODEL_DELETES,
    MODEL_LEASES,
    MODEL_CLASSES,
};

/* Whether one who has the file open lets a command of the class be. */
bool open_model_lets(struct model_sharing open, enum model_class class);

enum model_question { TO_READ, TO_WRITE, TO_LOCK_SHARED, TO_LOCK_EXCLUSIVE };

struct model_range {
    uint64_t offset, length;
};

/* Whether a lock stands in the way of what somebody wants to do with a range; it is his own, or somebody else's. */
bool open_model_locks(struct model_range lock, bool exclusive, bool own, enum model_question question,
                      struct model_range wanted);

#endif
