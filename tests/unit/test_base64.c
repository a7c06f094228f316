/* Base64: the examples of its RFC, every run of up to three bytes, and what is none of its texts. */
#include "core/base64.h"

#include "dice.h"
#include "unit.h"

#include <stdlib.h>

static const struct {
    const char *bytes, *text;
} known[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xff\xff\xff", "////"},
    {"\xfb\xef\xbe", "++++"},
};

TEST(base64_of_the_standard_is_read_and_written) {
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        struct bytes bytes = bytes_text(known[i].bytes), text = bytes_text(known[i].text);
        unsigned char read[8];
        char wrote[16];
        require_same(base64_length(bytes.length), text.length, "'%s'", known[i].text);
        base64_write(bytes, wrote);
        require_bytes(bytes_of(wrote, text.length), text, "written");
        long length = base64_read(text, read, sizeof(read));
        require_same(length, bytes.length, "'%s'", known[i].text);
        require_bytes(bytes_of(read, (size_t)length), bytes, "'%s'", known[i].text);
    }
}

/* In exactly as much room as there is, so that writing beyond it is found out. */
static void there_and_back(struct bytes bytes) {
    size_t length = base64_length(bytes.length);
    char *text = malloc(length + 1);
    unsigned char *read = malloc(bytes.length + 1);
    require(text && read, "there is memory");
    text[length] = '?';
    read[bytes.length] = '?';
    base64_write(bytes, text);
    require_same(base64_read(bytes_of(text, length), read, bytes.length), bytes.length, "its length");
    require_bytes(bytes_of(read, bytes.length), bytes, "what was written");
    require(text[length] == '?' && read[bytes.length] == '?', "something was written behind the end");
    free(text);
    free(read);
}

TEST(base64_of_any_bytes_is_read_back) {
    struct dice dice = {1};
    unsigned char bytes[100];
    for (unsigned first = 0; first < 256; first++) {
        bytes[0] = (unsigned char)first;
        there_and_back(bytes_of(bytes, 1));
        for (unsigned second = 0; second < 256; second++) {
            bytes[1] = (unsigned char)second;
            there_and_back(bytes_of(bytes, 2));
        }
    }
    for (int i = 0; i < 2000; i++) {
        dice_fill(&dice, bytes, sizeof(bytes));
        there_and_back(bytes_of(bytes, dice_roll(&dice, sizeof(bytes) + 1)));
    }
}

TEST(malformed_base64_is_refused) {
    static const char *const texts[] = {
        "A",
        "AA",
        "AAA",
        "AAAAA",
        "=",
        "==",
        "===",
        "====",
        "A===",
        "AA=A",
        "=AAA",
        "A=AA",
        "AA==AAAA",
        "AAA=AAAA",
        "AA=",
        "AAA=====",
        "AAAA====",
        "AAAA=",
        "AA A",
        " AAA",
        "AAA ",
        "AAA\n",
        "AA-A",
        "AA_A",
        "AA.A",
        "\xc3\xa4/A",
        "AAA,",
        /* what is left over in the last character says something */
        "AB==",
        "A/==",
        "AAB=",
        "AA/=",
        "AAD=",
        "AA==AA==",
    };
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        unsigned char read[16];
        require_same(base64_read(bytes_text(texts[i]), read, sizeof(read)), -1, "'%s'", texts[i]);
    }
    unsigned char read[4];
    require_same(base64_read(bytes_of("AA\0A", 4), read, sizeof(read)), -1, "a zero byte");
}

/* Of 256 characters 64 stand for something, and no two for the same. */
TEST(each_character_of_base64_has_one_value) {
    unsigned meanings = 0;
    bool seen[64] = {false};
    for (int c = 0; c < 256; c++) {
        const char text[4] = {(char)c, 'A', 'A', 'A'};
        unsigned char read[3];
        long length = base64_read(bytes_of(text, 4), read, sizeof(read));
        if (length < 0) continue;
        require_same(length, 3, "the character %d", c);
        require(!seen[read[0] >> 2], "the character %d says what another one says", c);
        seen[read[0] >> 2] = true;
        meanings++;
    }
    require_same(meanings, 64, "characters");
}

/* The length is told, and nothing is written beyond the room; what is wrong in a long text is found all the same. */
TEST(base64_that_exceeds_the_buffer_is_measured_only) {
    unsigned char read[2] = {'?', '?'};
    require_same(base64_read(bytes_text("Zm9v"), read, 2), 3, "three bytes");
    require_same(base64_read(bytes_text("Zm9vYmFy"), read, 2), 6, "six bytes");
    require(read[0] == '?' && read[1] == '?', "something was written");
    require_same(base64_read(bytes_text("Zm9v!mFy"), read, 2), -1, "what is no base64");
    require_same(base64_read(bytes_text("Zm9vYB=="), read, 2), -1, "what is left over");
}
