/* What clients wait for: a kind of line, and the order in which its waiters are served. */
#ifndef HOLDFAST_WAIT_KIND_H
#define HOLDFAST_WAIT_KIND_H

#include "server/waiting/histogram.h"

#include <stdbool.h>
#include <stdint.h>

/* In which order the waiters of a line are served. Only WAIT_IN_TURN knows instants at which time alone may help. */
enum wait_discipline {
    WAIT_IN_TURN,  /* one after the other, for what only one can have */
    WAIT_TOGETHER, /* all at once, for what all may read */
    WAIT_BY_CLAIM, /* each one that can be served, in order: claims tell who conflicts with whom */
};

/* Something to wait for. Each sort has a kind of its own, and holdfast.c registers them at load. */
struct wait_kind {
    enum wait_discipline discipline;
    struct histogram *histogram;               /* waiting time of those served; NULL for none */
    unsigned char number;                      /* index among all kinds */
    unsigned long long waiting, waits, served; /* for INFO: clients now, waits in all, served in all */
};

/* Time alone will not help. */
#define WAIT_NO_INSTANT INT64_MAX

/* Whether each of those in line is served by a write of its own. */
static inline bool wait_serves_by_write(const struct wait_kind *kind) {
    return kind->discipline != WAIT_TOGETHER;
}

#endif
