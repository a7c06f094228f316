/* The slot of a cluster that a key belongs to. */
#ifndef HOLDFAST_HASH_SLOT_H
#define HOLDFAST_HASH_SLOT_H

#include "core/bytes.h"

/* What stands between the first { and the next } counts alone, if that is anything. */
unsigned hash_slot(struct bytes key);

#endif
