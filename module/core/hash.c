#include "core/hash.h"

#include "ccan/endian/endian.h"

static uint64_t key[HASH_SEED_BYTES / 8];

void hash_seed(const unsigned char seed[HASH_SEED_BYTES]) {
    memcpy(key, seed, sizeof(key));
}

static inline uint64_t mix_words(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return le64_to_cpu(word);
}

static inline uint64_t half_word_at(const char *at) {
    uint32_t half;
    memcpy(&half, at, sizeof(half));
    return le32_to_cpu(half);
}

/* The last 0 to 16 bytes as two words, which overlap so that nothing beyond the end is read. */
static inline void last_words(const char *at, size_t left, uint64_t *first, uint64_t *second) {
    *first = *second = 0;
    if (left >= 8) {
        *first = hash_word_at(at);
        *second = hash_word_at(at + left - 8);
    } else if (left >= 4) {
        *first = half_word_at(at) << 32 | half_word_at(at + left - 4);
    } else if (left) {
        *first =
            (uint64_t)(uint8_t)at[0] << 16 | (uint64_t)(uint8_t)at[left / 2] << 8 | (uint8_t)at[left - 1];
    }
}

/* Mixes the bytes into the state. */
static inline uint64_t absorb_bytes(const uint64_t with, uint64_t state, struct bytes bytes) {
    uint64_t first, second;
    const char *at = bytes.data;
    size_t left = bytes.length;
    state ^= bytes.length;
    for (; left > 16; left -= 16, at += 16)
        state = mix_words(hash_word_at(at) ^ with, hash_word_at(at + 8) ^ state);
    last_words(at, left, &first, &second);
    return mix_words(first ^ with, second ^ state);
}

static inline uint64_t whole_hash(struct bytes bytes) {
    return mix_words(absorb_bytes(key[1], key[0], bytes) ^ key[2], key[3] ^ bytes.length);
}

uint64_t hash_wide(struct bytes bytes) {
    return whole_hash(bytes);
}

uint32_t hash_bytes(struct bytes bytes) {
    uint64_t sum = whole_hash(bytes);
    return (uint32_t)(sum ^ sum >> 32);
}

uint64_t hash_stable(uint64_t before, struct bytes bytes) {
    return absorb_bytes(0x9e3779b97f4a7c15, before ^ 0xc2b2ae3d27d4eb4f, bytes);
}
