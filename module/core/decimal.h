/* Decimal numbers with a fraction or an exponent, as the nearest double: "12", "-1.5", ".5", "5.", "+6.02e23".
 *
 * Independent of the locale. No hexadecimal, no words, no spaces. A number too large for a double is refused, one
 * too small becomes zero, and there is no negative zero. */
#ifndef HOLDFAST_DECIMAL_H
#define HOLDFAST_DECIMAL_H

#include "core/bytes.h"

/* More than any double needs to be written exactly. */
enum { DECIMAL_MAX_BYTES = 4096 };

bool decimal_read(struct bytes text, double *real);

#endif
