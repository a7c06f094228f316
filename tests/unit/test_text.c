/* Texts put together piece by piece. */
#include "core/text.h"

#include "unit.h"

TEST(pieces_of_a_text_follow_each_other) {
    char room[64];
    struct text text = text_start(room, sizeof(room));
    require(room[0] == '\0', "a text begins empty");
    text_put(&text, "held for another ");
    text_put_number(&text, 12, 1);
    text_put(&text, ".");
    text_put_number(&text, 7, 3);
    text_put(&text, " s");
    require(strcmp(room, "held for another 12.007 s") == 0, "%s", room);
}

TEST(numbers_have_all_their_digits) {
    static const struct {
        uint64_t number;
        int digits;
        const char *text;
    } cases[] = {
        {0, 1, "0"},
        {0, 3, "000"},
        {9, 1, "9"},
        {10, 1, "10"},
        {1234, 3, "1234"},
        {UINT64_MAX, 1, "18446744073709551615"},
        {5, 30, "00000000000000000005"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char room[32];
        struct text text = text_start(room, sizeof(room));
        text_put_number(&text, cases[i].number, cases[i].digits);
        require(strcmp(room, cases[i].text) == 0, "%s, not %s", room, cases[i].text);
    }
}

TEST(a_text_that_does_not_fit_is_cut) {
    char room[9];
    memset(room, 'x', sizeof(room));
    struct text text = text_start(room, sizeof(room) - 1);
    text_put(&text, "12345");
    text_put(&text, "67890");
    text_put_number(&text, 1, 1);
    require(strcmp(room, "1234567") == 0, "%s", room);
    require(room[8] == 'x', "the byte behind the room is touched");
}
