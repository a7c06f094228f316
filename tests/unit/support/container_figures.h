/* What a container's account should say: a walk over all that hangs from it, each part
 * once however often it is found. */
#ifndef HOLDFAST_UNIT_CONTAINER_FIGURES_H
#define HOLDFAST_UNIT_CONTAINER_FIGURES_H

#include "blob/container.h"

struct figures {
    struct account account;
    size_t ropes; /* which are on the account without what they hide */
};

/* Not for a container that has part of a chunk only, since that cannot be found. */
struct figures container_figures(const struct container *container);

#endif
