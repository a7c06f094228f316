/* Entropy: unpredictable random bytes, cheap in small amounts.
 *
 * They come from the kernel, a kilobyte at a time: the server's own generator hashes for each call, which takes longer
 * than all the rest of a put. */
#ifndef HOLDFAST_ENTROPY_H
#define HOLDFAST_ENTROPY_H

#include "core/guid.h"

/* 128 random bits, marked as a random GUID. */
struct guid entropy_guid(void);

/* A GUID that looks random and is as unique, for ids that are not secret: those who know one can predict the next. It
 * takes a tenth of the time. */
struct guid entropy_public_guid(void);

#endif
