/* The states of a lease and all the ways that lead there, by real commands and a clock that is moved.
 *
 * The lease is always that of ID_A. Where time runs, 20 seconds are left; whatever can be renewed was
 * acquired for 60 seconds. */
#ifndef HOLDFAST_TESTS_LEASE_STATES_H
#define HOLDFAST_TESTS_LEASE_STATES_H

#include "leases.h"

enum lease_state {
    NEVER_LEASED,
    AVAILABLE_AGAIN, /* after a release, or reset by a write */
    LEASED_INFINITE,
    LEASED_FINITE,
    BREAKING,
    BROKEN,
    EXPIRED,
    LEASE_STATES
};

enum { LEASE_STEPS_MAX = 5 };

struct lease_way {
    enum lease_state state;
    const struct lease_place *only; /* NULL: a way for containers and blobs alike */
    const char *steps[LEASE_STEPS_MAX];
};

extern const struct lease_way lease_ways[];
extern const size_t lease_ways_count;

bool lease_way_fits(const struct lease_way *way, const struct lease_place *where);

/* What `cat` is besides a block blob: the command that makes it, and the one that writes it. */
struct lease_kind {
    const char *create;
    const char *write;
};

extern const struct lease_kind lease_on_pages, lease_on_appends;

/* From here on, and NULL for a block blob again. */
void lease_use_kind(const struct lease_kind *kind);

/* Makes `box` and `cat` anew and goes the way. */
void lease_reach(const struct lease_way *way, const struct lease_place *where);

/* The steps in words, for the message of a failure. */
const char *lease_way_text(const struct lease_way *way, const struct lease_place *where);

/* A step in short: "15 s" lets time pass, and has no reply. In a command A, B and C stand for the ids, and one of the
 * family LEASE gets the clause of the place. */
redisReply *lease_play(const char *line, const struct lease_place *where);

/* The code for which a short name stands, PRES for "CONFLICT LeaseAlreadyPresent"; NULL for none. */
const char *lease_refusal(const char *name, const struct lease_place *where);

#endif
