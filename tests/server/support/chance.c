#define _GNU_SOURCE
#include "chance.h"

#include <stdlib.h>
#include <unistd.h>

#include "cmocka_library.h"

static unsigned seed;

void chance_begin(void) {
    const char *given = getenv("HOLDFAST_SEED");
    seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)getpid();
    print_message("# HOLDFAST_SEED=%u\n", seed);
}

int chance(int below) {
    return rand_r(&seed) % below;
}

size_t chance_size(size_t below) {
    return (size_t)chance((int)below);
}

void chance_fill(char *bytes, size_t length) {
    for (size_t index = 0; index < length; index++) bytes[index] = (char)chance(256);
}
