/* What every unit test program needs: cmocka, tests and requirements. */
#ifndef HOLDFAST_UNIT_UNIT_H
#define HOLDFAST_UNIT_UNIT_H

#include "allocations.h"
#include "ccan/array_size/array_size.h"
#include "require.h"
#include "test_list.h"

#endif
