/* Durations as people write them: seconds with up to three decimals, or none at all. */
#ifndef HOLDFAST_DURATION_H
#define HOLDFAST_DURATION_H

#include "core/bytes.h"

#include <stdint.h>

#define DURATION_INFINITE_MS INT64_C(-1)
#define DURATION_MAX_MS      (INT64_MAX / 1000 * 1000 - 1)

/* "15", "2.5", "0.001"; digits after the third decimal must be zeros; no sign, space or exponent. "-1" and
 * "INFINITE" give DURATION_INFINITE_MS; anything above DURATION_MAX_MS is clamped to it. */
bool duration_read(struct bytes text, int64_t *duration_ms);

#endif
