#include "core/hash.h"

static uint64_t key[2];

struct state {
    uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
}

static inline void stir(struct state *s) {
    s->a += s->b;
    s->b = rotate(s->b, 13) ^ s->a;
    s->a = rotate(s->a, 32);
    s->c += s->d;
    s->d = rotate(s->d, 16) ^ s->c;
    s->a += s->d;
    s->d = rotate(s->d, 21) ^ s->a;
    s->c += s->b;
    s->b = rotate(s->b, 17) ^ s->c;
    s->c = rotate(s->c, 32);
}

static inline void absorb(struct state *s, uint64_t word) {
    s->d ^= word;
    stir(s);
    s->a ^= word;
}

void hash_seed(const unsigned char seed[16]) {
    memcpy(key, seed, sizeof(key));
}

uint32_t hash_bytes(struct bytes bytes) {
    struct state s = {
        key[0] ^ UINT64_C(0x736f6d6570736575),
        key[1] ^ UINT64_C(0x646f72616e646f6d),
        key[0] ^ UINT64_C(0x6c7967656e657261),
        key[1] ^ UINT64_C(0x7465646279746573),
    };
    const char *at = bytes.data;
    size_t left = bytes.length;
    uint64_t word;
    for (; left >= 8; left -= 8, at += 8) {
        memcpy(&word, at, 8);
        absorb(&s, word);
    }
    word = 0;
    if (left) memcpy(&word, at, left);
    absorb(&s, word | (uint64_t)bytes.length << 56);
    s.c ^= 0xff;
    for (int i = 0; i < 3; i++) stir(&s);
    uint64_t sum = s.a ^ s.b ^ s.c ^ s.d;
    return (uint32_t)(sum ^ sum >> 32);
}
