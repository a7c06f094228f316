#include "seed.h"

#include "unit.h"

#include <stdlib.h>
#include <time.h>

uint64_t seed_of_chance(void) {
    const char *given = getenv("HOLDFAST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    print_message("# HOLDFAST_SEED=%u\n", seed);
    return seed;
}
