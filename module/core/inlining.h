/* Marks for functions that most calls do not run. They stay out of line, so that the code that every call runs
 * fits into the instruction cache: see "What a BLOB.PUT costs beside SET" in tests/bench/README.md. */
#ifndef HOLDFAST_INLINING_H
#define HOLDFAST_INLINING_H

/* What some calls run. */
#define ASIDE __attribute__((noinline))
/* What runs when something is wrong: it may be slow. */
#define RARELY __attribute__((noinline, cold))

#endif
