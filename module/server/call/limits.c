#include "server/call/limits.h"

#include "core/number.h"
#include "core/targets.h"
#include "server/call/refusal.h"

#include <string.h>

/* What calls use of one limit. */
struct taken {
    struct taken *next;
    const void *value;
    const char *limit;
    struct bytes name;
    uint64_t amount;
};

static bool is_limit(const struct taken *taken, const void *value, const char *limit, struct bytes name) {
    return taken->value == value && !strcmp(taken->limit, limit) && bytes_equal(taken->name, name);
}

uint64_t limits_taken_before(struct call *call, const char *limit, struct bytes name, uint64_t amount) {
    struct limits *limits = call->limits;
    if (!limits) return 0;
    struct taken *taken = limits->taken;
    while (taken && !is_limit(taken, call->value, limit, name)) taken = taken->next;
    if (!taken) {
        taken = call_alloc(call, sizeof(*taken));
        *taken = (struct taken){limits->taken, call->value, limit, name, 0};
        limits->taken = taken;
    }
    taken->amount += amount;
    return taken->amount - amount;
}

uint64_t limits_replied_before(struct call *call, uint64_t length) {
    struct limits *limits = call->limits;
    if (!limits) return 0;
    limits->replied += length;
    return limits->replied - length;
}

enum outcome limits_count_listed(struct call *call, uint64_t count, uint64_t max) {
    struct limits *limits = call->limits;
    if (!limits) return OUTCOME_DONE;
    limits->listed += size_min(count, max) * (LISTED_MAX / max);
    if (limits->listed <= LISTED_MAX) return OUTCOME_DONE;
    return refusal_because(call, OUTCOME_OUT_OF_RANGE,
                           "what a transaction copies and lists is together more than one list may have");
}
