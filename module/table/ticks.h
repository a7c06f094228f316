/* Instants: ticks of 100 nanoseconds since the year 1601. */
#ifndef HOLDFAST_TICKS_H
#define HOLDFAST_TICKS_H

#include "core/bytes.h"
#include "core/outcome.h"

#include <stdint.h>

enum { TICKS_TEXT_LENGTH = 28, TICKS_PER_MILLISECOND = 10000 };

#define TICKS_MAX INT64_C(2650467743999999999) /* the end of the year 9999 */

/* ISO 8601: a date alone, or with a time of up to seven digits behind the second, and Z, +hh:mm, or nothing for UTC. */
enum outcome ticks_read(struct bytes text, int64_t *ticks);
/* 2026-11-18T09:00:00.0000000Z */
void ticks_write(int64_t ticks, char text[TICKS_TEXT_LENGTH]);
int64_t ticks_of_ms(int64_t unix_ms);

#endif
