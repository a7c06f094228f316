/* Case folding of one character. */
#ifndef HOLDFAST_FOLD_H
#define HOLDFAST_FOLD_H

#include <stdint.h>

/* The same for all cases of a character. */
uint32_t fold_character(uint32_t character);

#endif
