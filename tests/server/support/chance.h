/* Random numbers that can be drawn again: the seed is printed, and HOLDFAST_SEED sets it. */
#ifndef HOLDFAST_TESTS_CHANCE_H
#define HOLDFAST_TESTS_CHANCE_H

#include <stddef.h>

void chance_begin(void);

/* From 0 up to, but not including, `below`. */
int chance(int below);
size_t chance_size(size_t below);
void chance_fill(char *bytes, size_t length);

#endif
