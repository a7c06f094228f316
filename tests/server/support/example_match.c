#include "example_match.h"

#include <ctype.h>
#include <string.h>

#include "pool.h"
#include "text.h"

enum { ETAG_LENGTH = 18, GUID_LENGTH = 36, RECEIPT_LENGTH = 32, INSTANT_DIGITS = 13, DECIMALS = 3 };

static size_t digits(const char *text) {
    return strspn(text, "0123456789");
}

static size_t etag_at(const char *text) {
    if (!text_begins(text, "0x")) return 0;
    return strspn(text + 2, "0123456789ABCDEF") == ETAG_LENGTH - 2 ? ETAG_LENGTH : 0;
}

static size_t receipt_at(const char *text) {
    return strspn(text, "0123456789abcdef-") == RECEIPT_LENGTH && !memchr(text, '-', RECEIPT_LENGTH)
               ? RECEIPT_LENGTH
               : 0;
}

static size_t guid_at(const char *text) {
    if (strspn(text, "0123456789abcdef-") != GUID_LENGTH) return 0;
    return text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' ? GUID_LENGTH : 0;
}

/* What is new each time and the same from then on. */
static size_t own_at(const char *text) {
    size_t length = etag_at(text);
    if (!length) length = guid_at(text);
    return length ? length : receipt_at(text);
}

/* What stands for whatever comes in its place. */
static size_t passing_at(const char *text) {
    size_t whole = digits(text);
    if (whole == INSTANT_DIGITS) return whole;
    if (whole && text[whole] == '.' && digits(text + whole + 1) == DECIMALS) return whole + 1 + DECIMALS;
    if (whole == 4 && text[4] == '-' && strspn(text, "0123456789-:.T") > 19)
        return strspn(text, "0123456789-:.T");
    return 0;
}

static bool likeness_binds(struct example_match *example_match, const char *shown, const char *real) {
    for (size_t i = 0; i < example_match->count; i++) {
        bool is_shown = !strcmp(example_match->pair[i].shown, shown);
        if (is_shown || !strcmp(example_match->pair[i].real, real))
            return is_shown && !strcmp(example_match->pair[i].real, real);
    }
    example_match->pair =
        pool_grow(example_match->pair, (example_match->count + 1) * sizeof(*example_match->pair));
    example_match->pair[example_match->count].shown = shown;
    example_match->pair[example_match->count++].real = real;
    return true;
}

static bool line_holds(struct example_match *example_match, const char *shown, const char *real,
                       bool any_number) {
    const char *first = shown;
    while (*shown) {
        bool is_inside = shown > first && isalnum((unsigned char)shown[-1]);
        size_t own = is_inside ? 0 : own_at(shown);
        size_t passing = is_inside || own ? 0 : any_number ? digits(shown) : passing_at(shown);
        if (own) {
            if (own_at(real) != own) return false;
            if (!likeness_binds(example_match, pool_copy(shown, own), pool_copy(real, own))) return false;
        }
        size_t length = own || passing ? own : 1;
        size_t length_real = passing ? (any_number ? digits(real) : passing_at(real)) : length;
        if (passing && !length_real) return false;
        if (!own && !passing && *shown != *real) return false;
        shown += passing ? passing : length;
        real += length_real;
    }
    return !*real;
}

/* The same without the spaces at its end. */
static const char *next_line(const char **text) {
    const char *line = text_line(text);
    size_t length = line ? strlen(line) : 0;
    while (length && line[length - 1] == ' ') length--;
    return line ? pool_copy(line, length) : NULL;
}

static bool ends_in_ms(const char *line) {
    size_t length = line ? strlen(line) : 0;
    return length > 4 && !strcmp(line + length - 4, "-ms\"");
}

bool example_matches(struct example_match *example_match, const char *shown, const char *real) {
    bool may_skip = false;
    const char *before = NULL;
    for (const char *line; (line = next_line(&shown)); before = line) {
        if (!strcmp(line, "...")) {
            may_skip = true;
            continue;
        }
        const char *answer = next_line(&real);
        while (answer && !line_holds(example_match, line, answer, ends_in_ms(before))) {
            if (!may_skip) return false;
            answer = next_line(&real);
        }
        if (!answer) return false;
        may_skip = false;
    }
    return may_skip || !*real;
}

const char *example_real(const struct example_match *example_match, const char *shown) {
    struct text real = EMPTY_TEXT;
    while (*shown) {
        size_t length = 1;
        const char *added = shown;
        for (size_t i = 0; i < example_match->count; i++) {
            if (!text_begins(shown, example_match->pair[i].shown)) continue;
            length = strlen(example_match->pair[i].shown);
            added = example_match->pair[i].real;
        }
        text_add(&real, added, length);
        shown += length;
    }
    return real.bytes;
}
