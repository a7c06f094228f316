/* Sharing: who may have a file open together, and which stateless commands go with those who have.
 *
 *     access   what an open does with the file's data:  R  W  D   or nothing, when it is after attributes alone
 *     share    what it lets others do meanwhile:        R  W  D   or nothing
 *
 * Two opens fit when neither has an access that the other one does not share. Attribute-only opens (without access)
 * conflict with nothing but DEL. Owners do not matter: two opens by one session are checked against each other.
 *
 * A tally counts the opens of a file by what they hold and what they deny, so that a check against all of them
 * costs the same for one and for a million. It keeps no list; the caller finds the conflicting open by checking
 * one after the other.
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

/* The class of a stateless command. */
enum sharing_class {
    CLASS_ATTRIBUTES,   /* A: reads no data */
    CLASS_READ,         /* R */
    CLASS_WRITE,        /* W */
    CLASS_WRITE_DELETE, /* WD: replaces the file */
    CLASS_DELETE,       /* DEL: no other open may exist */
    CLASS_LEASE,        /* LEASE: to acquire a lease on the file */
    SHARING_CLASSES
};

/* --- Two opens --- */

/* Symmetric. */
bool sharing_fits(struct sharing new_open, struct sharing old_open);
bool sharing_class_fits_open(enum sharing_class class, struct sharing open);

/* Whether an active lease on the file allows this open, whatever it shares. */
bool sharing_fits_lease(struct sharing open);

/* --- All opens of one file; zero-initialised: no opens --- */

struct sharing_tally {
    uint32_t opens;                /* of all kinds */
    uint32_t data_opens;           /* those with an access */
    uint32_t access[SHARING_BITS]; /* data opens that have the bit */
    uint32_t denied[SHARING_BITS]; /* data opens that do not share it */
};

void sharing_add(struct sharing_tally *tally, struct sharing open);
/* The open must have been added before. */
void sharing_remove(struct sharing_tally *tally, struct sharing open);
/* Removes all opens of a part. */
void sharing_subtract(struct sharing_tally *tally, const struct sharing_tally *part);

bool sharing_fits_all(const struct sharing_tally *tally, struct sharing open);
bool sharing_class_fits_all(const struct sharing_tally *tally, enum sharing_class class);

#endif
