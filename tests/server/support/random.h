/* Random numbers that can be drawn again: the seed is printed, and HOLDFAST_SEED sets it. */
#ifndef HOLDFAST_TESTS_RANDOM_H
#define HOLDFAST_TESTS_RANDOM_H

#include <stddef.h>

void random_begin(void);

/* From 0 up to, but not including, `below`. */
int random_below(int below);
size_t random_size(size_t below);
void random_fill(char *bytes, size_t length);

#endif
