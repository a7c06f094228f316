#include "server/aggregate.h"

static struct aggregate *const *families;

void aggregates_start(struct aggregate *const *aggregates) {
    families = aggregates;
}

const struct aggregate *aggregate_of_type(const RedisModuleType *type) {
    for (struct aggregate *const *family = families; type && *family; family++)
        if ((*family)->type == type) return *family;
    return NULL;
}

const struct aggregate *aggregate_of_family(unsigned char family) {
    for (struct aggregate *const *at = families; *at; at++)
        if ((*at)->family == family) return *at;
    return NULL;
}

const struct aggregate *aggregate_leasable(void) {
    struct aggregate *const *family = families;
    while (!(*family)->leases) family++;
    return *family;
}

unsigned long long aggregates_holdings(void) {
    unsigned long long sum = 0;
    for (struct aggregate *const *family = families; *family; family++)
        if ((*family)->holdings) sum += (*family)->holdings();
    return sum;
}
