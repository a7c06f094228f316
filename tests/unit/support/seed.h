/* The seed that chance begins with: HOLDFAST_SEED, or one of the clock; it is printed. */
#ifndef HOLDFAST_UNIT_SEED_H
#define HOLDFAST_UNIT_SEED_H

#include <stdint.h>

uint64_t seed_of_chance(void);

#endif
