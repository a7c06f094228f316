/* Digests: all that is visible in a container, whatever its layout in memory. Equal containers give equal bytes. */
#ifndef HOLDFAST_DIGEST_H
#define HOLDFAST_DIGEST_H

#include "blob/container.h"

typedef void take_bytes(void *context, struct bytes bytes);

void container_digest(const struct container *container, take_bytes *take, void *context);

#endif
