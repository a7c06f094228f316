/*
 * The rows of the table: which commands are counted, and what is prepared for them.
 *
 * A step is a command as one types it. Braces hold a word with blanks together: FILTER {RowKey eq 'r'}.
 * In a step these are replaced:
 *
 *   %i       the number of the call in its batch: 0, 1, ...
 *   %n       a number that no other call of the row has
 *   %v       100 bytes
 *   %p       a page of 512 bytes
 *   %a %b %c what an earlier step kept
 *
 * "STEP => a 1.3" keeps element 3 of element 1 of the reply as %a, for later steps with the same %i; "." is the whole reply.
 * What a step without a number keeps is for all.
 */
#ifndef INSTRUCTIONS_ROWS_H
#define INSTRUCTIONS_ROWS_H

#include <stdbool.h>
#include <stddef.h>

enum { STEPS = 5, KEPT = 3, CALLS = 50 };

struct row {
    const char *name;
    const char *native; /* the row that it is compared with; NULL in native rows */
    const char
        *once[STEPS]; /* sent once for the row; once for each call if there is any of %i %n %a %b %c in it */
    const char *before[STEPS]; /* sent before each batch, likewise */
    const char *waiter;  /* sent by another client for each call; they wait until the batch serves them */
    const char *counted; /* what is counted: one pipeline of `calls` commands */
    const char *after[STEPS]; /* sent after each batch */
    unsigned calls;           /* in a batch; 0 is CALLS */
    bool is_refused;          /* the counted command answers an error, or null */
    bool is_heard; /* counted again on a server that writes an AOF, and on one that has a replica */
};

extern const struct row rows[];
extern const size_t row_count;

#endif
