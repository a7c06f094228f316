/* Folding of one character: the one that stands for it in all cases that it has. */
#ifndef HOLDFAST_FOLD_H
#define HOLDFAST_FOLD_H

#include <stdint.h>

uint32_t fold_character(uint32_t character);

#endif
