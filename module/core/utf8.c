#include "core/utf8.h"

#include "ccan/array_size/array_size.h"

/* The forms of characters, distinguished by the first byte: its bits under `mask` are `mark`, the others are the
 * character's. `min` is the first character that needs this length. */
static const struct form {
    unsigned char mark, mask;
    unsigned char length;
    uint32_t min;
} forms[] = {
    {0x00, 0x80, 1, 0x0},
    {0xc0, 0xe0, 2, 0x80},
    {0xe0, 0xf0, 3, 0x800},
    {0xf0, 0xf8, 4, 0x10000},
};

enum { FORMS = ARRAY_SIZE(forms), LAST_CHARACTER = 0x10ffff };

static bool half_of_pair(uint32_t character) {
    return character >= 0xd800 && character <= 0xdfff;
}

static const struct form *form_of(unsigned char first) {
    for (unsigned i = 0; i < FORMS; i++)
        if ((first & forms[i].mask) == forms[i].mark) return &forms[i];
    return NULL;
}

size_t utf8_take_long(struct bytes *text, uint32_t *character) {
    const unsigned char *bytes = (const unsigned char *)text->data;
    const struct form *form = form_of(bytes[0]);
    if (!form || form->length > text->length) return 0;
    uint32_t value = bytes[0] & (unsigned char)~form->mask;
    for (unsigned i = 1; i < form->length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 0;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < form->min || value > LAST_CHARACTER || half_of_pair(value)) return 0;
    *character = value;
    *text = bytes_of(text->data + form->length, text->length - form->length);
    return form->length;
}

size_t utf8_put(char text[UTF8_MAX_BYTES], uint32_t character) {
    unsigned at = FORMS - 1;
    while (character < forms[at].min) at--;
    for (unsigned i = forms[at].length; i-- > 1; character >>= 6) text[i] = (char)(0x80 | (character & 0x3f));
    text[0] = (char)(forms[at].mark | character);
    return forms[at].length;
}
