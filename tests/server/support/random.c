#include "random.h"

#include <stdlib.h>
#include <unistd.h>

#include "cmocka_library.h"

static unsigned seed;

void random_begin(void) {
    const char *given = getenv("HOLDFAST_SEED");
    seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)getpid();
    print_message("# HOLDFAST_SEED=%u\n", seed);
}

int random_below(int below) {
    return rand_r(&seed) % below;
}

size_t random_size(size_t below) {
    return (size_t)random_below((int)below);
}

void random_fill(char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) bytes[i] = (char)random_below(256);
}
