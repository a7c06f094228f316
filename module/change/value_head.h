/* What every value begins with, as `head`: what the server side keeps in a value, whatever its data type. None of it is
 * part of what a walk yields. */
#ifndef HOLDFAST_VALUE_HEAD_H
#define HOLDFAST_VALUE_HEAD_H

#include <stdbool.h>
#include <stdint.h>

struct once_log;

struct value_head {
    struct once_log *once_log; /* calls made with a token; NULL for none */
    int64_t upkeep_ms;         /* when upkeep is scheduled; INT64_MAX for never, INT64_MIN while it runs */
    bool doctor_listed;        /* its key is in DOCTOR's list: see server/effects/doctor_keys.h */
};

static inline struct value_head *value_head(void *value) {
    return value;
}

#endif
