/* Prefetching: memory that is read soon is fetched while something else is done. */
#ifndef HOLDFAST_PREFETCH_H
#define HOLDFAST_PREFETCH_H

/* GCC considers a function that only prefetches to have no effect, and drops calls of it. The empty assembler
 * statement is an effect that costs nothing. */
static inline void prefetch_line(const void *at) {
    __builtin_prefetch(at);
    __asm__ volatile("");
}

#endif
