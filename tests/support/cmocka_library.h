/* cmocka wants these headers before it. */
#ifndef HOLDFAST_TESTS_CMOCKA_LIBRARY_H
#define HOLDFAST_TESTS_CMOCKA_LIBRARY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
