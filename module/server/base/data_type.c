#include "server/base/data_type.h"

static struct data_type *const *data_types;

void data_types_start(struct data_type *const *all) {
    data_types = all;
}

const struct data_type *data_type_of(const RedisModuleType *type) {
    for (struct data_type *const *at = data_types; type && *at; at++)
        if ((*at)->type == type) return *at;
    return NULL;
}

const struct data_type *data_type_of_letter(uint8_t letter) {
    for (struct data_type *const *at = data_types; *at; at++)
        if ((*at)->changes->letter == letter) return *at;
    return NULL;
}

const struct data_type *data_type_next_leasable(const struct data_type *type) {
    bool behind = !type;
    for (struct data_type *const *at = data_types; *at; at++) {
        if (behind && (*at)->leases) return *at;
        behind |= *at == type;
    }
    return NULL;
}

unsigned long long data_types_holdings(void) {
    unsigned long long sum = 0;
    for (struct data_type *const *at = data_types; *at; at++)
        if ((*at)->holdings) sum += (*at)->holdings();
    return sum;
}
