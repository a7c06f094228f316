/* Names of objects inside an aggregate. The keys of aggregates are Redis keys, without rules. */
#ifndef HOLDFAST_NAME_H
#define HOLDFAST_NAME_H

#include "core/bytes.h"
#include "core/outcome.h"

enum { NAME_MAX_BYTES = 1024, NAME_MAX_SEGMENTS = 254 };

/* A name has 1 to 1024 bytes of any kind, and at most 254 segments between slashes. */
enum outcome name_check(struct bytes name);

#endif
