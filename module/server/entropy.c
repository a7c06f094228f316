#include "server/entropy.h"

#include "server/api.h"

#include <sys/random.h>

enum { GUID_BYTES = 16, POOL_BYTES = 64 * GUID_BYTES };

static unsigned char pool[POOL_BYTES];
static size_t left;

static void refill(void) {
    if (getrandom(pool, sizeof(pool), 0) != (ssize_t)sizeof(pool))
        RedisModule_GetRandomBytes(pool, sizeof(pool));
    left = sizeof(pool);
}

struct guid entropy_guid(void) {
    if (!left) refill();
    left -= GUID_BYTES;
    return guid_random(pool + left);
}
