/* The main() of all programs whose tests play on the three servers of harness.h; one that has other servers has its own. */
#include "harness.h"

__attribute__((weak)) int main(void) {
    const struct test_frame frame = {test_open, test_close, harness_open, harness_close};
    return test_list_play(&frame) + harness_bad_ends();
}
