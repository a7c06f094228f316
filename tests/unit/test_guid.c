/* GUIDs: every form in any case, what only looks like one, there and back. */
#include "core/guid.h"

#include "core/hex.h"
#include "dice.h"
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct guid sample = {UINT64_C(0x00112233abcd6677), UINT64_C(0x8899aabbccddeeff)};

static const char *const forms[] = {
    "00112233abcd66778899aabbccddeeff",                                     /* N */
    "00112233-abcd-6677-8899-aabbccddeeff",                                 /* D */
    "{00112233-abcd-6677-8899-aabbccddeeff}",                               /* B */
    "(00112233-abcd-6677-8899-aabbccddeeff)",                               /* P */
    "{0x00112233,0xabcd,0x6677,{0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff}}", /* X */
};

enum { FORMS = ARRAY_SIZE(forms), LONGEST = 68 };

static void require_read(struct bytes text, struct guid expected) {
    struct guid guid = {1, 2};
    require(guid_read(text, &guid), "'%.*s' is no GUID", (int)text.length, text.data);
    require(guid_equal(guid, expected), "'%.*s' is %016" PRIx64 "%016" PRIx64, (int)text.length, text.data,
            guid.high, guid.low);
}

TEST(every_form_of_a_guid_is_read) {
    for (size_t i = 0; i < FORMS; i++) require_read(bytes_text(forms[i]), sample);
}

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

TEST(every_form_of_a_guid_is_read_in_any_case) {
    struct dice dice = {1};
    char text[LONGEST];
    for (size_t i = 0; i < FORMS; i++)
        for (int round = 0; round < 200; round++) {
            size_t length = strlen(forms[i]);
            for (size_t at = 0; at < length; at++)
                text[at] = round == 0 || dice_percent(&dice, 50) ? upper(forms[i][at]) : forms[i][at];
            require_read(bytes_of(text, length), sample);
        }
}

/* Each half byte has a place of its own, and only that. */
TEST(every_digit_of_a_guid_counts_at_its_place) {
    for (size_t i = 0; i < FORMS; i++) {
        char text[LONGEST];
        size_t length = strlen(forms[i]);
        int shift = 124;
        for (size_t at = 0; at < length; at++) {
            if (hex_value(forms[i][at]) < 0 || (at + 1 < length && forms[i][at + 1] == 'x')) continue;
            for (int digit = 0; digit < 16; digit++) {
                struct guid expected = sample;
                uint64_t *half = shift >= 64 ? &expected.high : &expected.low;
                *half = (*half & ~(UINT64_C(15) << shift % 64)) | (uint64_t)digit << shift % 64;
                memcpy(text, forms[i], length);
                text[at] = "0123456789abcdef"[digit];
                require_read(bytes_of(text, length), expected);
            }
            shift -= 4;
        }
        require_same(shift, -4, "form %zu has 32 digits", i);
    }
}

static bool is_guid(struct bytes text) {
    struct guid guid;
    return guid_read(text, &guid);
}

static const char *const no_guids[] = {
    "",
    "0",
    "a guid",
    "*",
    " 00112233-abcd-6677-8899-aabbccddeeff",
    "00112233-abcd-6677-8899-aabbccddeeff ",
    "00112233-abcd-6677-8899-aabbccddeeff\n",
    "00112233-abcd-6677-8899-aabbccddeef",
    "00112233-abcd-6677-8899-aabbccddeeff0",
    "0011223-3abcd-6677-8899-aabbccddeeff",
    "00112233abcd-6677-8899-aabbccddeeff0",
    "00112233-abcd-6677-8899aabb-ccddeeff",
    "00112233_abcd_6677_8899_aabbccddeeff",
    "00112233\342\200\220abcd-6677-8899-aabbccddee", /* a hyphen, but not ours */
    "0011223g-abcd-6677-8899-aabbccddeeff",
    "-0112233-abcd-6677-8899-aabbccddeeff",
    "+0112233-abcd-6677-8899-aabbccddeeff",
    "0x112233-abcd-6677-8899-aabbccddeeff",
    "0x00112233abcd66778899aabbccddeeff",
    "x0112233abcd66778899aabbccddeeff",
    "X0112233abcd66778899aabbccddeeff",
    "{00112233-abcd-6677-8899-aabbccddeeff)",
    "(00112233-abcd-6677-8899-aabbccddeeff}",
    "[00112233-abcd-6677-8899-aabbccddeeff]",
    "}00112233-abcd-6677-8899-aabbccddeeff{",
    "{00112233-abcd-6677-8899-aabbccddeeff",
    "00112233-abcd-6677-8899-aabbccddeeff}",
    "{00112233abcd66778899aabbccddeeff}",
    "(00112233abcd66778899aabbccddeeff)",
    "{{00112233-abcd-6677-8899-aabbccddeeff}}",
    "\"00112233-abcd-6677-8899-aabbccddeeff\"",
    "00112233-00112233-0011-0011-00112233",
    "{0x00112233,0xabcd,0x6677,0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff}",
    "{0x00112233,0xabcd,0x6677,{0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff}",
    "{0x00112233,0xabcd,0x6677,{0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee}}",
    "{0x00112233,0xabcd,0x6677,{0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff,0x00}}",
    "{0000112233,0xabcd,0x6677,{0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff}}",
    "(0x00112233,0xabcd,0x6677,(0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff))",
    "{0x00112233;0xabcd,0x6677,{0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff}}",
};

TEST(malformed_guids_are_refused) {
    for (size_t i = 0; i < ARRAY_SIZE(no_guids); i++)
        require(!is_guid(bytes_text(no_guids[i])), "'%s' is a GUID", no_guids[i]);
    require(!is_guid(bytes_of(NULL, 0)), "nothing is a GUID");
    require(!is_guid(bytes_of("00112233-abcd-6677-8899-aabbccddeef\0", 36)), "a zero byte is a digit");
    require(!is_guid(bytes_of("00112233-abcd-6677-8899-aabbccddeeff\0", 37)), "a zero byte behind it");
}

/* Every form cut at every byte, and with every byte made every other one. */
TEST(texts_that_nearly_are_guids_are_refused) {
    for (size_t i = 0; i < FORMS; i++) {
        size_t length = strlen(forms[i]);
        for (size_t cut = 0; cut < length; cut++) {
            char *text = malloc(cut + 1);
            require(text, "there is memory");
            memcpy(text, forms[i], cut);
            require(!is_guid(bytes_of(text, cut)), "form %zu, cut at %zu", i, cut);
            free(text);
        }
        for (size_t at = 0; at < length; at++)
            for (int byte = 0; byte < 256; byte++) {
                char text[LONGEST];
                memcpy(text, forms[i], length);
                text[at] = (char)byte;
                char was = forms[i][at];
                bool prefix_zero = was == '0' && forms[i][at + 1] == 'x';
                bool fits = hex_value(was) >= 0 && !prefix_zero ? hex_value((char)byte) >= 0
                                                                : upper((char)byte) == upper(was);
                require_same(is_guid(bytes_of(text, length)), fits, "form %zu, byte %d at %zu", i, byte, at);
            }
    }
}

TEST(written_guids_are_read_back) {
    struct dice dice = {2};
    char text[GUID_TEXT_LENGTH + 1] = "", expected[GUID_TEXT_LENGTH + 1];
    for (int i = 0; i < 20000; i++) {
        struct guid guid = {dice_word(&dice), dice_word(&dice)};
        guid_write(guid, text);
        (void)snprintf(expected, sizeof(expected), "%08x-%04x-%04x-%04x-%012" PRIx64,
                       (unsigned)(guid.high >> 32), (unsigned)(guid.high >> 16 & 0xffff),
                       (unsigned)(guid.high & 0xffff), (unsigned)(guid.low >> 48),
                       guid.low & UINT64_C(0xffffffffffff));
        require_bytes(bytes_of(text, GUID_TEXT_LENGTH), bytes_text(expected), "GUID %d", i);
        require_read(bytes_of(text, GUID_TEXT_LENGTH), guid);
    }
    require_same(text[GUID_TEXT_LENGTH], 0, "nothing is written behind it");
}

TEST(guids_are_compared_as_numbers) {
    require(guid_equal(sample, sample), "one equals itself");
    for (int bit = 0; bit < 64; bit++) {
        struct guid high = sample, low = sample;
        high.high ^= UINT64_C(1) << bit;
        low.low ^= UINT64_C(1) << bit;
        require(!guid_equal(sample, high) && !guid_equal(sample, low), "bit %d does not count", bit);
    }
}

/* RFC 4122: the thirteenth digit is 4, the seventeenth 8, 9, a or b; all else is as random as what came in. */
TEST(a_random_guid_has_the_bits_of_its_version) {
    struct dice dice = {3};
    uint64_t ever_high = 0, ever_low = 0, always_high = UINT64_MAX, always_low = UINT64_MAX;
    for (int i = 0; i < 2000; i++) {
        unsigned char random[16];
        char text[GUID_TEXT_LENGTH];
        dice_fill(&dice, random, sizeof(random));
        struct guid guid = guid_random(random);
        guid_write(guid, text);
        require(text[14] == '4' && strchr("89ab", text[19]), "'%.36s' is not marked", text);
        ever_high |= guid.high, ever_low |= guid.low;
        always_high &= guid.high, always_low &= guid.low;
    }
    require(ever_high == UINT64_C(0xffffffffffff4fff) && always_high == UINT64_C(0x4000), "the upper half");
    require(ever_low == UINT64_C(0xbfffffffffffffff) && always_low == UINT64_C(1) << 63, "the lower half");
}
