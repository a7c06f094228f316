/* How long servers work. */
#ifndef HOLDFAST_TESTS_CPU_TIME_H
#define HOLDFAST_TESTS_CPU_TIME_H

#include "servers.h"

/* How long it has worked: a machine that is busy with other things does not count. Microseconds of the main thread,
 * which only serve to be subtracted. */
long long cpu_time_us(const struct server *server);

#endif
