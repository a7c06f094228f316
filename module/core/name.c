#include "core/name.h"

enum outcome name_check(struct bytes name) {
    if (!name.length || name.length > NAME_MAX_BYTES) return OUTCOME_OUT_OF_RANGE_INPUT;
    if (name.length <= NAME_MAX_SEGMENTS - 1) return OUTCOME_DONE; /* too short for that many slashes */
    int segments = 1;
    for (size_t i = 0; i < name.length; i++) segments += name.data[i] == '/';
    return segments > NAME_MAX_SEGMENTS ? OUTCOME_INVALID_URI : OUTCOME_DONE;
}
