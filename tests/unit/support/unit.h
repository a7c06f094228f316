/* What every unit test program needs: cmocka, requirements, and tests that have
 * to give back all their memory. */
#ifndef HOLDFAST_UNIT_UNIT_H
#define HOLDFAST_UNIT_UNIT_H

/* cmocka wants these headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "allocations.h"
#include "require.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A test that fails unless it has freed what it allocated through core/memory.h. */
#define tidy_test(function) cmocka_unit_test_setup_teardown(function, unit_begin, unit_end)

int unit_begin(void **state);
int unit_end(void **state);

#endif
