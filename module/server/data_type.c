#include "server/data_type.h"

static struct data_type *const *families;

void data_types_start(struct data_type *const *data_types) {
    families = data_types;
}

const struct data_type *data_type_of(const RedisModuleType *type) {
    for (struct data_type *const *family = families; type && *family; family++)
        if ((*family)->type == type) return *family;
    return NULL;
}

const struct data_type *data_type_of_family(unsigned char family) {
    for (struct data_type *const *at = families; *at; at++)
        if ((*at)->family == family) return *at;
    return NULL;
}

const struct data_type *data_type_leasable(void) {
    struct data_type *const *family = families;
    while (!(*family)->leases) family++;
    return *family;
}

unsigned long long data_types_holdings(void) {
    unsigned long long sum = 0;
    for (struct data_type *const *family = families; *family; family++)
        if ((*family)->holdings) sum += (*family)->holdings();
    return sum;
}
