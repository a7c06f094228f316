#include "server/entropy.h"

#include "server/api.h"

#include <sys/random.h>

enum { GUID_BYTES = 16, POOL_BYTES = 64 * GUID_BYTES };

static unsigned char load_chunks[POOL_BYTES];
static size_t left;

static void refill(void) {
    if (getrandom(load_chunks, sizeof(load_chunks), 0) != (ssize_t)sizeof(load_chunks))
        RedisModule_GetRandomBytes(load_chunks, sizeof(load_chunks));
    left = sizeof(load_chunks);
}

struct guid entropy_guid(void) {
    if (!left) refill();
    left -= GUID_BYTES;
    return guid_random(load_chunks + left);
}
