#include "core/hash.h"

#include "ccan/endian/endian.h"

static uint64_t key[HASH_SEED_BYTES / 8];

void hash_seed(const unsigned char seed[HASH_SEED_BYTES]) {
    memcpy(key, seed, sizeof(key));
}

static inline uint64_t mix(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return le64_to_cpu(word);
}

/* Up to sixteen bytes as two words; of eight bytes and more the words overlap, so that no byte is read behind
 * the end. */
static inline void last_words(const char *at, size_t left, uint64_t *first, uint64_t *second) {
    *first = *second = 0;
    if (left >= 8) {
        *first = hash_word_at(at);
        *second = hash_word_at(at + left - 8);
    } else if (left) {
        memcpy(first, at, left);
        *first = le64_to_cpu(*first);
    }
}

static inline uint64_t sum_of(const uint64_t with[4], uint64_t before, struct bytes bytes) {
    uint64_t state = before ^ bytes.length, first, second;
    const char *at = bytes.data;
    size_t left = bytes.length;
    for (; left > 16; left -= 16, at += 16)
        state = mix(hash_word_at(at) ^ with[1], hash_word_at(at + 8) ^ state);
    last_words(at, left, &first, &second);
    state = mix(first ^ with[1], second ^ state);
    return mix(state ^ with[2], with[3] ^ bytes.length);
}

uint32_t hash_bytes(struct bytes bytes) {
    uint64_t sum = sum_of(key, key[0], bytes);
    return (uint32_t)(sum ^ sum >> 32);
}

uint64_t hash_stable(uint64_t before, struct bytes bytes) {
    static const uint64_t with[4] = {0, 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9};
    return sum_of(with, before, bytes);
}
