/* Memory that lives as long as one test.
 *
 * Replies, texts and argument lists are taken from here and nobody frees them by hand: a test that fails
 * jumps out of the middle of its function, and the teardown drains the pool all the same. */
#ifndef HOLDFAST_TESTS_POOL_H
#define HOLDFAST_TESTS_POOL_H

#include <stdarg.h>
#include <stddef.h>

/* Zeroed memory; a failing allocation ends the program. */
void *pool_take(size_t size);

/* Like realloc for what pool_take gave (or NULL); what is added is not zeroed. */
void *pool_grow(void *memory, size_t size);

/* Registers something that another library made; `release` is called when the pool is drained. */
void pool_keep(void *target, void (*release)(void *target));

char *pool_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *pool_print_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* A copy of `length` bytes with a zero behind them. */
char *pool_copy(const void *bytes, size_t length);

/* Frees all that was taken, grown or kept since the last time. */
void pool_drain(void);

/* The same since the mark was made: for what is sent a hundred thousand times. */
const void *pool_mark(void);
void pool_release(const void *mark);

#endif
