/* Limits that the calls of a transaction share: each is decided as if it were alone, so what the earlier ones use of a
 * limit is added up here. */
#ifndef HOLDFAST_LIMITS_H
#define HOLDFAST_LIMITS_H

#include "server/call/call.h"

struct taken;

/* A zeroed struct: nothing is used. */
struct limits {
    struct taken *taken;
    uint64_t replied; /* bytes of contents in the replies */
    uint64_t listed;  /* the part of LISTED_MAX that lists and copies have taken */
};

/* How much of a limit the earlier calls use, and records that this one uses `amount`. 0 outside of a transaction. */
uint64_t limits_taken_before(struct call *call, const char *limit, struct bytes name, uint64_t amount);

/* The same for the reply, which all calls of a transaction share: how many bytes the earlier calls return. */
uint64_t limits_replied_before(struct call *call, uint64_t length);

/* Counts work on `count` items that only the state shows, as targets_list does for lists. `max` is the most that one
 * call may do, so a call that is alone is never refused. */
enum outcome limits_count_listed(struct call *call, uint64_t count, uint64_t max);

#endif
