/* What the files of this program share: the rows of the table, the server that is counted. */
#ifndef INSTRUCTIONS_H
#define INSTRUCTIONS_H

#include "server.h"

enum { STATUS_MORE_INSTRUCTIONS = 1 };

/* --- Rows --- */

/* The rows of the table: which commands are counted, and what is prepared for them.
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
 * "STEP => a 1.3" keeps element 3 of element 1 of the reply as %a, for later steps with the same %i; "." is the whole
 * reply. What a step without a number keeps is for all. */

enum { STEPS = 5, KEPT = 3, CALLS = 50 };

struct row {
    const char *name;
    const char *native; /* the row that it is compared with; NULL in native rows */
    /* Sent once for the row; once for each call if there is any of %i %n %a %b %c in it. */
    const char *once[STEPS];
    const char *before[STEPS]; /* sent before each batch, likewise */
    const char *waiter;  /* sent by another client for each call; they wait until the batch serves them */
    const char *counted; /* what is counted: one pipeline of `calls` commands */
    const char *after[STEPS]; /* sent after each batch */
    unsigned calls;           /* in a batch; 0 is CALLS */
    bool is_refused;          /* the counted command answers an error, or null */
    bool is_propagated;       /* counted again where somebody hears of changes: see enum propagation */
    bool changes_nothing;     /* so nothing reaches a replica */
};

extern const struct row rows[];
extern const size_t row_count;

/* --- The server --- */

/* A server that runs under valgrind's callgrind, which counts its instructions. */

struct counted {
    enum propagation propagation;
    struct server *server;  /* the one that is counted */
    struct server *called;  /* where calls are sent to: that one, or its primary */
    struct server *replica; /* NULL for none */
    unsigned counts;        /* how many times something was counted; callgrind numbers its files likewise */
    uint64_t marker_instructions;
};

struct counted counted_start(enum propagation propagation);
void counted_stop(const struct counted *counted);

/* Between the two calls the server's instructions are counted. */
void count_start(const struct counted *counted);
uint64_t count_stop(struct counted *counted);

/* --- Batches --- */

/* Instructions of the server per counted call of the row. Empties the server first. */
double batch_count(struct counted *counted, const struct row *row);

#endif
