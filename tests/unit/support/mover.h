/* A mover: relocation as an allocator does it, by chance. */
#ifndef HOLDFAST_UNIT_MOVER_H
#define HOLDFAST_UNIT_MOVER_H

#include "blob/container.h"
#include "dice.h"

/* Moves to places of the same size, and leaves some where they are. */
struct relocation mover(struct dice *dice);

/* The container and all of its blobs; answers where it is now. */
struct container *container_relocate_all(struct container *container, const struct relocation *relocation);

#endif
