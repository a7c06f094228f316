/* How long servers work. */
#ifndef HOLDFAST_TESTS_WORK_H
#define HOLDFAST_TESTS_WORK_H

#include "servers.h"

/* How long it has worked: a machine that is busy with other things does not count. Microseconds of the main thread,
 * which only serve to be subtracted. */
long long worked_us(const struct server *server);

#endif
