#include "server/base/entropy.h"

#include "server/base/api.h"

#include <sys/random.h>

enum { POOL_BYTES = 64 * sizeof(struct guid) };

static unsigned char pool[POOL_BYTES];
static size_t left;

static void refill_pool(void) {
    if (getrandom(pool, sizeof(pool), 0) != (ssize_t)sizeof(pool))
        RedisModule_GetRandomBytes(pool, sizeof(pool));
    left = sizeof(pool);
}

struct guid entropy_guid(void) {
    if (!left) refill_pool();
    left -= sizeof(struct guid);
    return guid_random(pool + left);
}

/* The finalizer of SplitMix64: different numbers stay different. */
static uint64_t scramble_number(uint64_t number) {
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

/* Two SplitMix64 sequences with random starts. */
struct guid entropy_public_guid(void) {
    static struct guid state;
    if (!state.high) state = entropy_guid();
    state.high += UINT64_C(0x9e3779b97f4a7c15);
    state.low += UINT64_C(0xd1342543de82ef95);
    uint64_t bits[2] = {scramble_number(state.high), scramble_number(state.low)};
    return guid_random((const unsigned char *)bits);
}
