/* Sharing: who may have a file open together, and which stateless commands go with those who have.
 *
 *     access   what an open does with the file's data:  R  W  D   or nothing, when it is after attributes alone
 *     share    what it lets others do meanwhile:        R  W  D   or nothing
 *
 * Two opens fit when neither has an access that the other one does not share. An open without access conflicts with nothing, and
 * nothing with it but DEL. The rule knows no owners: to have a file open twice is to be two.
 *
 * A tally counts the opens of a file by what they hold and what they deny, so that a question about all of them costs
 * the same for one and for a million. It keeps no opens; who stands in the way is for the caller to find, one by one,
 * by the functions for two.
 *
 * Not here: marks of deletion, attributes, byte-range locks, and what a disposition adds to the access. */
#ifndef HOLDFAST_SHARING_H
#define HOLDFAST_SHARING_H

#include <stdbool.h>
#include <stdint.h>

enum { SHARING_READ = 1, SHARING_WRITE = 2, SHARING_DELETE = 4, SHARING_BITS = 3, SHARING_ALL = 7 };

struct sharing {
    uint8_t access; /* 0 for attributes only */
    uint8_t share;
};

/* As what a stateless command counts. */
enum sharing_class {
    CLASS_ATTRIBUTES,   /* A: looks, and reads no data */
    CLASS_READ,         /* R */
    CLASS_WRITE,        /* W */
    CLASS_WRITE_DELETE, /* WD: replaces the file */
    CLASS_DELETE,       /* DEL: no other open may exist */
    CLASS_LEASE,        /* LEASE: to acquire a lease on the file */
    SHARING_CLASSES
};

/* --- Two --- */

/* Symmetric. */
bool sharing_fits(struct sharing new_open, struct sharing old_open);
bool sharing_class_fits_open(enum sharing_class class, struct sharing open);

/* Whether an active lease on the file lets this be opened, whatever it shares. */
bool sharing_fits_lease(struct sharing open);

/* --- All opens of one file: a struct of zeros is that there are none --- */

struct sharing_tally {
    uint32_t opens;                /* of all kinds */
    uint32_t data_opens;           /* those with an access */
    uint32_t access[SHARING_BITS]; /* data opens that have the bit */
    uint32_t denied[SHARING_BITS]; /* data opens that do not share it */
};

void sharing_add(struct sharing_tally *tally, struct sharing open);
/* It was added. */
void sharing_remove(struct sharing_tally *tally, struct sharing open);

bool sharing_fits_all(const struct sharing_tally *tally, struct sharing open);
bool sharing_class_fits_all(const struct sharing_tally *tally, enum sharing_class class);

#endif
