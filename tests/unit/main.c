/* The main() of all unit tests: each test has to free what it allocated through core/memory.h. */
#include "allocations.h"
#include "test_list.h"

static int begin_test(void **state) {
    (void)state;
    allocations_forget();
    return 0;
}

static int end_test(void **state) {
    (void)state;
    size_t left = allocations_count();
    if (!left) return 0;
    print_error("%zu allocations of %zu bytes are left\n", left, allocations_bytes());
    return -1;
}

int main(void) {
    return test_list_play(&(struct test_frame){begin_test, end_test, NULL, NULL});
}
