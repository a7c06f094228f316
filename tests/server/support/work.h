/* How long a server has worked: a machine that is busy with other things does not count. */
#ifndef HOLDFAST_TESTS_WORK_H
#define HOLDFAST_TESTS_WORK_H

#include "servers.h"

/* Microseconds of its main thread, which only serve to be subtracted. */
long long worked_us(const struct server *server);

#endif
