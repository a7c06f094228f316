#include "table/key.h"

#include "core/utf16.h"

enum { KIND_USUAL, KIND_FORBIDDEN = 1, KIND_BEYOND = 2 /* ASCII: the units must be counted */ };

/* The kind of each byte. */
static const uint8_t kinds_of_bytes[256] = {
    [0x00 ... 0x1f] = KIND_FORBIDDEN, ['#'] = KIND_FORBIDDEN,  ['/'] = KIND_FORBIDDEN,
    ['?'] = KIND_FORBIDDEN,           ['\\'] = KIND_FORBIDDEN, [0x7f] = KIND_FORBIDDEN,
    [0x80 ... 0xff] = KIND_BEYOND,
};

/* U+0080 to U+009F, in valid UTF-8. */
static bool has_c1_controls(struct bytes key) {
    for (size_t i = 0; i + 1 < key.length; i++)
        if ((unsigned char)key.data[i] == 0xc2 && (unsigned char)key.data[i + 1] < 0xa0) return true;
    return false;
}

enum outcome key_check(struct bytes key) {
    unsigned kinds = KIND_USUAL;
    size_t units = key.length;
    if (key.length > KEY_MAX_BYTES) return OUTCOME_PROPERTY_VALUE_TOO_LARGE;
    for (size_t i = 0; i < key.length; i++) kinds |= kinds_of_bytes[(unsigned char)key.data[i]];
    if (kinds & KIND_BEYOND && !utf16_count(key, &units)) return OUTCOME_KEY_NOT_TEXT;
    if (units > KEY_MAX_UNITS) return OUTCOME_PROPERTY_VALUE_TOO_LARGE;
    if (kinds & KIND_FORBIDDEN || (kinds & KIND_BEYOND && has_c1_controls(key))) return OUTCOME_KEY_CHARACTER;
    return OUTCOME_DONE;
}

/* ASCII is stored as it is. */
static size_t copy_plain(struct bytes key, char *stored) {
    size_t length = 0;
    for (uint64_t eight; key.length - length >= sizeof(eight); length += sizeof(eight)) {
        memcpy(&eight, key.data + length, sizeof(eight));
        if (eight & UINT64_C(0x8080808080808080)) break;
        memcpy(stored + length, &eight, sizeof(eight));
    }
    return length;
}

void key_store(struct bytes key, char *stored) {
    for (size_t i = copy_plain(key, stored); i < key.length; i++) stored[i] = (char)utf16_rank(key.data[i]);
}

void key_show(struct bytes stored, char *key) {
    for (size_t i = 0; i < stored.length; i++) key[i] = utf16_unrank(stored.data[i]);
}

struct bytes stored_key_write(struct bytes partition, struct bytes row, char *stored) {
    key_store(partition, stored);
    stored[partition.length] = '\0';
    key_store(row, stored + partition.length + 1);
    return bytes_of(stored, stored_key_length(partition, row));
}

void stored_key_put(struct record_writer *writer, struct bytes partition, struct bytes row) {
    stored_key_write(partition, row, record_reserve(writer, stored_key_length(partition, row)));
}

/* Counts lead bytes; characters above U+FFFF have two units. */
size_t stored_key_units(struct bytes stored) {
    size_t units = 0;
    for (size_t i = 0; i < stored.length; i++) {
        unsigned char byte = (unsigned char)stored.data[i];
        bool begins = byte && (byte & 0xc0) != 0x80, is_pair = byte >= 0xf0 && byte <= 0xf4;
        units += (size_t)begins + is_pair;
    }
    return units;
}

bool stored_key_split(struct bytes stored, struct stored_key *parts) {
    const char *between = stored.length ? memchr(stored.data, '\0', stored.length) : NULL;
    if (!between) return false;
    parts->partition = bytes_of(stored.data, (size_t)(between - stored.data));
    parts->row = bytes_of(between + 1, stored.length - parts->partition.length - 1);
    return !parts->row.length || !memchr(parts->row.data, '\0', parts->row.length);
}

static bool part_sound(struct bytes stored) {
    char key[KEY_MAX_BYTES], again[KEY_MAX_BYTES];
    if (stored.length > KEY_MAX_BYTES) return false;
    key_show(stored, key);
    if (key_check(bytes_of(key, stored.length)) != OUTCOME_DONE) return false;
    key_store(bytes_of(key, stored.length), again);
    return bytes_equal(stored, bytes_of(again, stored.length));
}

bool stored_key_sound(struct bytes stored) {
    struct stored_key parts;
    return stored_key_split(stored, &parts) && part_sound(parts.partition) && part_sound(parts.row);
}
