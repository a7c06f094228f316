/* Share modes: which handles of a file can exist together, and which stateless commands can run beside them.
 *
 *     access   what a handle does with the file's data: R  W  D, or nothing for attributes only
 *     share    what it allows others at the same time:  R  W  D, or nothing
 *
 * Two handles fit if neither has an access that the other one does not share. A handle without access conflicts with
 * nothing but DEL. Owners do not matter: two handles of one session are checked against each other, too. A stateless
 * command fits where a handle would fit that had the access and share of its class.
 *
 * A tally counts the handles of a file by access and by denied access, so that checking against all of them costs the
 * same for one and for a million. To name the conflicting handle, the caller checks one after the other.
 *
 * Deletion, attributes, byte-range locks, and what a disposition adds to the access are checked elsewhere. */
#ifndef HOLDFAST_SHARING_H
#define HOLDFAST_SHARING_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SHARING_READ = 1,
    SHARING_WRITE = 2,
    SHARING_DELETE = 4,
    SHARING_BITS = 3,
    SHARING_ALL = 7,
    SHARING_ALONE = 8, /* an access that only a class has: it conflicts with every handle */
};

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
    CLASS_DELETE,       /* DEL: no handle may exist */
    CLASS_LEASE,        /* LEASE: to acquire a lease on the file */
    SHARING_CLASSES
};

struct sharing sharing_of_class(enum sharing_class class);

/* Symmetric. */
bool sharing_fits(struct sharing a, struct sharing b);

/* Whether an active lease on the file allows such a handle, whatever it shares. */
bool sharing_fits_lease(struct sharing wanted);

/* --- All handles of one file; zero-initialised: no handles --- */

struct sharing_tally {
    uint32_t handles;              /* of all kinds */
    uint32_t access[SHARING_BITS]; /* handles that have the bit */
    uint32_t denied[SHARING_BITS]; /* handles with an access that do not share it */
};

void sharing_add(struct sharing_tally *tally, struct sharing sharing);
/* The handle must have been added before. */
void sharing_remove(struct sharing_tally *tally, struct sharing sharing);
/* Removes all handles of a part. */
void sharing_subtract(struct sharing_tally *tally, const struct sharing_tally *part);

bool sharing_fits_all(struct sharing wanted, const struct sharing_tally *tally);

#endif
