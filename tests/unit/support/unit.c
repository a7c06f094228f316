#include "unit.h"

int unit_begin(void **state) {
    (void)state;
    allocations_forget();
    return 0;
}

int unit_end(void **state) {
    (void)state;
    size_t left = allocations_count();
    if (!left) return 0;
    print_error("%zu allocations of %zu bytes are left\n", left, allocations_bytes());
    return -1;
}
