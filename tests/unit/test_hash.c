/* The hash: the same for the same bytes, at the mercy of its key alone, and spread as chance would have it.
 */
#include "core/hash.h"

#include "dice.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

static void seed_by(struct dice *dice) {
    unsigned char seed[HASH_SEED_BYTES];
    dice_fill(dice, seed, sizeof(seed));
    hash_seed(seed);
}

TEST(a_hash_is_the_same_at_every_address) {
    enum { LONGEST = 100 };
    char text[LONGEST], room[LONGEST + 16];
    struct dice dice = {1};
    seed_by(&dice);
    dice_fill(&dice, text, sizeof(text));
    for (size_t length = 0; length <= LONGEST; length++)
        for (size_t shift = 0; shift < 16; shift++) {
            dice_fill(&dice, room, sizeof(room));
            memcpy(room + shift, text, length);
            require_same(hash_bytes(bytes_of(room + shift, length)), hash_bytes(bytes_of(text, length)),
                         "%zu bytes, shifted by %zu", length, shift);
        }
}

/* Bytes in just the memory that they need, so that to read beyond them is found out. */
TEST(a_hash_reads_no_further_than_its_view) {
    struct dice dice = {2};
    for (size_t length = 1; length <= 64; length++) {
        char *bytes = malloc(length);
        require(bytes, "there is memory");
        dice_fill(&dice, bytes, length);
        (void)hash_bytes(bytes_of(bytes, length));
        free(bytes);
    }
    (void)hash_bytes(bytes_of(NULL, 0));
}

/* Each bit of a name, however long, turns about half of the bits of its hash. */
TEST(every_bit_of_a_name_changes_its_hash) {
    enum { LONGEST = 70, KEYS = 200 };
    char name[LONGEST];
    struct dice dice = {3};
    for (size_t length = 1; length <= LONGEST; length++)
        for (size_t bit = 0; bit < length * 8; bit++) {
            unsigned turned = 0;
            for (int i = 0; i < KEYS; i++) {
                if (i % 50 == 0) seed_by(&dice);
                for (size_t at = 0; at < length; at++) name[at] = (char)dice_word(&dice);
                uint32_t before = hash_bytes(bytes_of(name, length));
                name[bit / 8] = (char)(name[bit / 8] ^ 1 << bit % 8);
                turned += (unsigned)__builtin_popcount(before ^ hash_bytes(bytes_of(name, length)));
            }
            require(turned > KEYS * 14 && turned < KEYS * 18,
                    "bit %zu of %zu bytes turns %u bits in %d names", bit, length, turned, KEYS);
        }
}

/* Zeros are not the same as fewer zeros. */
TEST(a_hash_depends_on_the_length) {
    static const char zeros[256];
    static uint32_t hashes[sizeof(zeros)];
    struct dice dice = {4};
    seed_by(&dice);
    for (size_t length = 0; length < sizeof(zeros); length++) {
        hashes[length] = hash_bytes(bytes_of(zeros, length));
        for (size_t shorter = 0; shorter < length; shorter++)
            require(hashes[length] != hashes[shorter], "%zu zeros are as %zu", length, shorter);
    }
}

TEST(a_hash_depends_on_its_whole_seed) {
    unsigned char seed[HASH_SEED_BYTES];
    struct dice dice = {5};
    const struct bytes names[] = {bytes_text("name"), bytes_text("a name"),
                                  bytes_text("a name that is longer than that")};
    dice_fill(&dice, seed, sizeof(seed));
    for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
        hash_seed(seed);
        uint32_t before = hash_bytes(names[n]);
        for (size_t i = 0; i < sizeof(seed); i++) {
            seed[i] ^= 1;
            hash_seed(seed);
            require(hash_bytes(names[n]) != before, "byte %zu of the seed does not count for name %zu", i, n);
            seed[i] ^= 1;
        }
    }
}

/* --- Names as people give them -------------------------------------------------------------------------- */

enum { NAMES = 64 * 1024, BOXES = 256, MEAN = NAMES / BOXES, FAR = 85 /* more than five deviations */ };

static size_t numbered(char *room, size_t n) {
    return (size_t)sprintf(room, "blob-%zu", n);
}

static size_t numbered_in_front(char *room, size_t n) {
    return (size_t)sprintf(room, "%05zu/data", n);
}

static size_t numbered_far_behind(char *room, size_t n) {
    return (size_t)sprintf(room, "tenants/0000-1111-2222/objects/%08zx.json", n);
}

static size_t binary(char *room, size_t n) {
    memset(room, 0, 16);
    room[3] = (char)n;
    room[12] = (char)(n >> 8);
    return 16;
}

static size_t two_letters_only(char *room, size_t n) {
    for (size_t bit = 0; bit < 16; bit++) room[bit] = n >> bit & 1 ? 'b' : 'a';
    return 16;
}

static const struct {
    const char *what;
    size_t (*name)(char *room, size_t n);
} families[] = {
    {"numbered names", numbered},
    {"names with their number in front", numbered_in_front},
    {"long names with their number behind", numbered_far_behind},
    {"binary names", binary},
    {"names of two letters", two_letters_only},
};

static int compare_hashes(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The low bits choose a bucket and the high ones are the tag: both are even; and hardly any two are equal. */
TEST(a_hash_spreads_similar_names) {
    enum { EQUAL_MAX = 8 /* one half is to be expected */ };
    static uint32_t hashes[NAMES];
    struct dice dice = {6};
    for (size_t family = 0; family < ARRAY_SIZE(families); family++) {
        unsigned low[BOXES] = {0}, high[BOXES] = {0}, equal = 0;
        seed_by(&dice);
        for (size_t i = 0; i < NAMES; i++) {
            char name[64];
            hashes[i] = hash_bytes(bytes_of(name, families[family].name(name, i)));
            low[hashes[i] & 255]++;
            high[hashes[i] >> 24]++;
        }
        for (int i = 0; i < BOXES; i++) {
            require(low[i] > MEAN - FAR && low[i] < MEAN + FAR, "%s: %u with the low bits %d",
                    families[family].what, low[i], i);
            require(high[i] > MEAN - FAR && high[i] < MEAN + FAR, "%s: %u with the high bits %d",
                    families[family].what, high[i], i);
        }
        qsort(hashes, NAMES, sizeof(*hashes), compare_hashes);
        for (size_t i = 1; i < NAMES; i++) equal += hashes[i] == hashes[i - 1];
        require(equal <= EQUAL_MAX, "%s: %u hashes are equal", families[family].what, equal);
    }
}
