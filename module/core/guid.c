#include "core/guid.h"

#include "core/hex.h"
#include "core/inlining.h"

enum { FORM_B, FORM_P, FORM_X };

/* The rarer forms as patterns: x matches a digit, X the letter of 0x, everything else itself. read_rare_form tells
 * them apart by their lengths. */
static const char *const patterns[] = {
    [FORM_B] = "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}",
    [FORM_P] = "(xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx)",
    [FORM_X] = "{0Xxxxxxxxx,0Xxxxx,0Xxxxx,{0Xxx,0Xxx,0Xxx,0Xxx,0Xxx,0Xxx,0Xxx,0Xxx}}",
};

static bool read_by(const char *pattern, struct bytes text, struct guid *guid) {
    struct guid sum = {0, 0};
    for (size_t i = 0; i < text.length; i++) {
        if (pattern[i] == 'x') {
            int digit = hex_value(text.data[i]);
            if (digit < 0) return false;
            sum.high = sum.high << 4 | sum.low >> 60;
            sum.low = sum.low << 4 | (uint64_t)digit;
        } else if (bytes_lower(text.data[i]) != bytes_lower(pattern[i])) {
            return false;
        }
    }
    *guid = sum;
    return true;
}

ASIDE static bool read_rare_form(struct bytes text, struct guid *guid) {
    switch (text.length) {
    case 38: return read_by(patterns[text.data[0] == '{' ? FORM_B : FORM_P], text, guid);
    case 68: return read_by(patterns[FORM_X], text, guid);
    default: return false;
    }
}

static bool skip_dashes(const char *text, char digits[GUID_DIGITS]) {
    if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return false;
    memcpy(digits, text, 8);
    memcpy(digits + 8, text + 9, 4);
    memcpy(digits + 12, text + 14, 4);
    memcpy(digits + 16, text + 19, 4);
    memcpy(digits + 20, text + 24, 12);
    return true;
}

bool guid_read(struct bytes text, struct guid *guid) {
    char digits[GUID_DIGITS];
    struct guid read;
    if (text.length == GUID_TEXT_LENGTH) {
        if (!skip_dashes(text.data, digits)) return false;
        text = bytes_of(digits, sizeof(digits));
    }
    if (text.length != GUID_DIGITS) return read_rare_form(text, guid);
    if (!hex_read(text.data, &read.high) || !hex_read(text.data + 16, &read.low)) return false;
    *guid = read;
    return true;
}

void guid_write_digits(struct guid guid, char text[GUID_DIGITS]) {
    hex_write(guid.high, 'a', text);
    hex_write(guid.low, 'a', text + 16);
}

void guid_write(struct guid guid, char text[GUID_TEXT_LENGTH]) {
    char digits[GUID_DIGITS];
    guid_write_digits(guid, digits);
    memcpy(text, digits, 8);
    memcpy(text + 9, digits + 8, 4);
    memcpy(text + 14, digits + 12, 4);
    memcpy(text + 19, digits + 16, 4);
    memcpy(text + 24, digits + 20, 12);
    text[8] = text[13] = text[18] = text[23] = '-';
}

struct guid guid_random(const unsigned char random[16]) {
    struct guid guid;
    memcpy(&guid.high, random, 8);
    memcpy(&guid.low, random + 8, 8);
    guid.high = (guid.high & ~UINT64_C(0xf000)) | UINT64_C(0x4000);
    guid.low = (guid.low & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62;
    return guid;
}
