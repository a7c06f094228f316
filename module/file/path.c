#include "file/path.h"

#include "core/utf8.h"
#include "file/fold.h"

#include "ccan/array_size/array_size.h"

/* --- Checks --- */

static const struct path_fault_text fault_texts[PATH_FAULTS] = {
    [PATH_TOO_LONG] = {PATH_CODE_INVALID_PATH, "a path has at most 2048 characters"},
    [PATH_TOO_DEEP] = {PATH_CODE_INVALID_PATH, "a path has at most 250 names"},
    [PATH_NAME_EMPTY] = {PATH_CODE_INVALID_PATH,
                         "a path has one slash between two names, and none in front or at the end"},
    [PATH_NAME_TOO_LONG] = {PATH_CODE_INVALID_PATH, "a name in a path has at most 255 characters"},
    [PATH_NOT_UTF8] = {PATH_CODE_INVALID_NAME, "a path is UTF-8"},
    [PATH_BAD_CHARACTER] = {PATH_CODE_INVALID_NAME,
                            "a name in a path has no control characters and none of \" \\ / : | < > * ?"},
    [PATH_BAD_END] = {PATH_CODE_INVALID_NAME, "a name in a path does not end with a dot or a space"},
    [PATH_DOTS] = {PATH_CODE_INVALID_NAME, "a path has no . and .. in it"},
    [PATH_DEVICE] = {PATH_CODE_INVALID_NAME,
                     "a name in a path must not be one of CON PRN AUX NUL CLOCK$ COM1 to COM9 LPT1 to LPT9"},
};

const struct path_fault_text *path_fault_text(enum path_fault fault) {
    return &fault_texts[fault];
}

enum { ASCII = 0x80, LAST_CONTROL = 0x1f, DELETE = 0x7f, LAST_HIGH_CONTROL = 0x9f };

/* Bytes that are no ASCII character which a name may have: the others are allowed as they are. */
static const bool unusual[256] = {
    [0 ... LAST_CONTROL] = true,
    [DELETE... 0xff] = true,
    ['"'] = true,
    ['\\'] = true,
    ['/'] = true,
    [':'] = true,
    ['|'] = true,
    ['<'] = true,
    ['>'] = true,
    ['*'] = true,
    ['?'] = true,
};

static bool bad_character(uint32_t character) {
    return character < ASCII ? unusual[character] : character <= LAST_HIGH_CONTROL;
}

enum { DEVICE_SHORTEST = 3, DEVICE_LONGEST = 6 };

/* Only whole names: with an extension, the name of a device is allowed. */
static bool is_device(struct bytes name) {
    static const struct bytes devices[] = {{"con", 3}, {"prn", 3}, {"aux", 3}, {"nul", 3}, {"clock$", 6}};
    static const char *const ports[] = {"com", "lpt"};
    if (name.length < DEVICE_SHORTEST || name.length > DEVICE_LONGEST) return false;
    if (!strchr("acnpl", bytes_lower(name.data[0]))) return false;
    for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
        if (bytes_same_word(name, devices[i])) return true;
    if (name.length != 4 || name.data[3] < '1' || name.data[3] > '9') return false;
    for (size_t i = 0; i < ARRAY_SIZE(ports); i++)
        if (bytes_same_word(bytes_of(name.data, 3), bytes_text(ports[i]))) return true;
    return false;
}

static struct bytes rest_behind(struct bytes whole, size_t length) {
    return bytes_of(whole.data + length, whole.length - length);
}

/* How many characters at the start are ASCII, and allowed: in most names all of them. */
static size_t count_plain(struct bytes name) {
    size_t count = 0;
    while (count < name.length && !unusual[(unsigned char)name.data[count]]) count++;
    return count;
}

static enum path_fault check_characters(struct bytes name, size_t *count) {
    size_t characters = count_plain(name);
    if (characters > NAME_MAX_CHARACTERS) return PATH_NAME_TOO_LONG;
    for (name = rest_behind(name, characters); name.length; characters++) {
        uint32_t character;
        if (characters == NAME_MAX_CHARACTERS) return PATH_NAME_TOO_LONG;
        if (!utf8_take(&name, &character)) return PATH_NOT_UTF8;
        if (bad_character(character)) return PATH_BAD_CHARACTER;
    }
    *count = characters;
    return PATH_SOUND;
}

static bool is_dots(struct bytes name) {
    return bytes_equal(name, bytes_text(".")) || bytes_equal(name, bytes_text(".."));
}

static enum path_fault check_name(struct bytes name, size_t *count) {
    if (!name.length) return PATH_NAME_EMPTY;
    enum path_fault fault = check_characters(name, count);
    if (fault) return fault;
    char end = name.data[name.length - 1];
    if (end == '.') return is_dots(name) ? PATH_DOTS : PATH_BAD_END;
    if (end == ' ') return PATH_BAD_END;
    return is_device(name) ? PATH_DEVICE : PATH_SOUND;
}

enum path_fault path_check_name(struct bytes name) {
    size_t count;
    return check_name(name, &count);
}

/* Up to the next slash, or to the end. */
static struct bytes first_name(struct bytes path) {
    const char *slash = memchr(path.data, '/', path.length);
    return slash ? bytes_of(path.data, (size_t)(slash - path.data)) : path;
}

enum path_fault path_check(struct bytes path) {
    if (path.length > PATH_FOLDED_MAX_BYTES) return PATH_TOO_LONG;
    if (!path.length) return PATH_SOUND;
    size_t characters = 0, count;
    for (unsigned names = 1;; names++) {
        struct bytes name = first_name(path);
        enum path_fault fault = check_name(name, &count);
        if (fault) return fault;
        if (names > PATH_MAX_NAMES) return PATH_TOO_DEEP;
        characters += count;
        if (characters > PATH_MAX_CHARACTERS) return PATH_TOO_LONG;
        if (name.length == path.length) return PATH_SOUND;
        path = rest_behind(path, name.length + 1);
        characters++;
    }
}

/* --- Parts of paths --- */

bool path_next(struct bytes *path, struct bytes *name) {
    if (!path->length) return false;
    *name = first_name(*path);
    *path = rest_behind(*path, name->length + (name->length < path->length));
    return true;
}

struct bytes path_last(struct bytes path) {
    size_t start = path.length;
    while (start && path.data[start - 1] != '/') start--;
    return rest_behind(path, start);
}

struct bytes path_parent(struct bytes path) {
    size_t length = path.length - path_last(path).length;
    return bytes_of(path.data, length ? length - 1 : 0);
}

/* --- Folding --- */

enum { NO_CHARACTER = 0x110000 }; /* plus the byte: one that is not UTF-8 */

static inline uint32_t take_folded(struct bytes *text) {
    unsigned char first = (unsigned char)text->data[0];
    uint32_t character;
    if (first >= ASCII && utf8_take(text, &character)) return fold_character(character);
    *text = rest_behind(*text, 1);
    return first < ASCII ? (uint32_t)bytes_lower((char)first) : (uint32_t)NO_CHARACTER + first;
}

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Eight ASCII characters in lower case: the top bit of a sum tells whether a byte is one of A and those behind it, or
 * one of those behind Z. */
static uint64_t eight_lower(uint64_t eight) {
    uint64_t from_a = eight + EACH_BYTE(ASCII - 'A'), behind_z = eight + EACH_BYTE(ASCII - 1 - 'Z');
    return eight | ((from_a ^ behind_z) & EACH_BYTE(ASCII)) >> 2;
}

/* Folds what is ASCII at the start, which is all of most paths, and returns its length. */
static size_t fold_plain(char *folded, struct bytes text) {
    size_t length = 0;
    for (uint64_t eight; text.length - length >= sizeof(eight); length += sizeof(eight)) {
        memcpy(&eight, text.data + length, sizeof(eight));
        if (eight & EACH_BYTE(ASCII)) break;
        eight = eight_lower(eight);
        memcpy(folded + length, &eight, sizeof(eight));
    }
    for (; length < text.length && (unsigned char)text.data[length] < ASCII; length++)
        folded[length] = bytes_lower(text.data[length]);
    return length;
}

size_t path_fold(char *folded, struct bytes text) {
    size_t length = fold_plain(folded, text);
    text = rest_behind(text, length);
    while (text.length) {
        uint32_t character = take_folded(&text);
        if (character < ASCII || character >= NO_CHARACTER)
            folded[length++] = (char)character;
        else
            length += utf8_put(folded + length, character);
    }
    return length;
}

bool path_starts_with(struct bytes text, struct bytes start) {
    while (start.length) {
        if (!text.length || take_folded(&text) != take_folded(&start)) return false;
    }
    return true;
}
