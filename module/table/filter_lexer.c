#include "table/filter_lexer.h"

#include "core/decimal.h"
#include "core/hex.h"
#include "core/memory.h"
#include "core/number.h"
#include "table/property.h"
#include "table/ticks.h"

#include "ccan/array_size/array_size.h"

#include <string.h>

struct word {
    const char *text;
    enum token_kind kind;
    enum filter_operator relation;
};

static const struct word words[] = {
    {"eq", TOKEN_OPERATOR, FILTER_EQ}, {"ne", TOKEN_OPERATOR, FILTER_NE}, {"gt", TOKEN_OPERATOR, FILTER_GT},
    {"ge", TOKEN_OPERATOR, FILTER_GE}, {"lt", TOKEN_OPERATOR, FILTER_LT}, {"le", TOKEN_OPERATOR, FILTER_LE},
    {"and", TOKEN_AND, FILTER_EQ},     {"or", TOKEN_OR, FILTER_EQ},       {"not", TOKEN_NOT, FILTER_EQ},
    {"null", TOKEN_NULL, FILTER_EQ},
};

enum { WORDS = ARRAY_SIZE(words), WORD_MAX = 4 };

bool filter_fail(struct filter_lexer *lexer, enum outcome outcome, const char *at, const char *text) {
    *lexer->fault = (struct filter_fault){outcome, (size_t)(at - lexer->text.data) + 1, text};
    return false;
}

char *filter_buffer(struct filter_lexer *lexer, size_t length) {
    struct filter *filter = lexer->filter;
    if (!filter->texts) {
        size_t max = 2 * lexer->text.length;
        filter->texts = max > FILTER_BUFFER_BYTES ? memory_alloc(max) : filter->short_texts;
    }
    char *buffer = filter->texts + filter->texts_length;
    filter->texts_length += length;
    return buffer;
}

static bool invalid_token(struct filter_lexer *lexer, const char *at, const char *text) {
    return filter_fail(lexer, OUTCOME_INVALID_INPUT, at, text);
}

static const char *text_here(const struct filter_lexer *lexer) {
    return lexer->text.data + lexer->at;
}

/* The byte so far ahead; zero past the end, since a zero is valid only within quotes. */
static char byte_ahead(const struct filter_lexer *lexer, size_t distance) {
    size_t at = lexer->at + distance;
    return at < lexer->text.length ? lexer->text.data[at] : '\0';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* --- Literals in quotes --- */

/* Takes a quoted text: what is between the quotes, and how many quotes in it are doubled. */
static bool take_quoted(struct filter_lexer *lexer, struct bytes *inside, size_t *doubled) {
    const char *open = text_here(lexer), *end = lexer->text.data + lexer->text.length;
    *doubled = 0;
    for (const char *at = open + 1;; at += 2) {
        at = at < end ? memchr(at, '\'', (size_t)(end - at)) : NULL;
        if (!at) return invalid_token(lexer, open, "the quote that opens here is never closed");
        *inside = bytes_of(open + 1, (size_t)(at - open) - 1);
        if (at + 1 == end || at[1] != '\'') break;
        *doubled += 1;
    }
    lexer->at += inside->length + 2;
    return true;
}

static struct bytes without_doubles(struct filter_lexer *lexer, struct bytes inside, size_t doubled) {
    size_t length = 0;
    char *buffer = filter_buffer(lexer, inside.length - doubled);
    for (size_t at = 0; at < inside.length; at++) {
        buffer[length++] = inside.data[at];
        at += inside.data[at] == '\'';
    }
    return bytes_of(buffer, length);
}

static bool take_string(struct filter_lexer *lexer, struct value *literal) {
    struct bytes inside;
    size_t doubled;
    if (!take_quoted(lexer, &inside, &doubled)) return false;
    if (doubled) inside = without_doubles(lexer, inside, doubled);
    *literal = (struct value){.type = VALUE_STRING, .bytes = inside};
    return true;
}

static bool read_binary(struct filter_lexer *lexer, struct bytes inside, struct value *literal) {
    for (size_t at = 0; at < inside.length; at++)
        if (hex_value(inside.data[at]) < 0)
            return invalid_token(lexer, inside.data + at, "expected a hexadecimal digit, or a quote");
    if (inside.length % 2)
        return invalid_token(lexer, inside.data + inside.length,
                             "expected one more hexadecimal digit: a byte has two");
    char *buffer = filter_buffer(lexer, inside.length / 2);
    for (size_t at = 0; at < inside.length; at += 2)
        buffer[at / 2] = (char)(hex_value(inside.data[at]) << 4 | hex_value(inside.data[at + 1]));
    *literal = (struct value){.type = VALUE_BINARY, .bytes = {buffer, inside.length / 2}};
    return true;
}

static bool read_guid(struct filter_lexer *lexer, struct bytes inside, struct value *literal) {
    *literal = (struct value){.type = VALUE_GUID};
    return (inside.length == GUID_TEXT_LENGTH && guid_read(inside, &literal->guid)) ||
           invalid_token(
               lexer, inside.data,
               "expected an id: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, with - between them");
}

static bool read_datetime(struct filter_lexer *lexer, struct bytes inside, struct value *literal) {
    *literal = (struct value){.type = VALUE_DATETIME};
    enum outcome outcome = ticks_read(inside, &literal->number);
    if (outcome == OUTCOME_INSTANT_OUT_OF_RANGE)
        return filter_fail(lexer, outcome, inside.data, "a datetime must lie in the years 1601 to 9999");
    return outcome == OUTCOME_DONE ||
           invalid_token(lexer, inside.data, "expected an instant like 2026-11-18 or 2026-11-18T09:00:00.5Z");
}

struct prefix {
    const char *word;
    bool (*read)(struct filter_lexer *lexer, struct bytes inside, struct value *literal);
};

static const struct prefix prefixes[] = {
    {"datetime", read_datetime}, {"guid", read_guid}, {"X", read_binary}, {"binary", read_binary}};

enum { PREFIXES = ARRAY_SIZE(prefixes) };

/* Takes a quoted text that has this word right before it. */
static bool take_prefixed(struct filter_lexer *lexer, struct bytes word, struct value *literal) {
    struct bytes inside;
    size_t doubled;
    for (size_t i = 0; i < PREFIXES; i++)
        if (bytes_equal(word, bytes_text(prefixes[i].word)))
            return take_quoted(lexer, &inside, &doubled) && prefixes[i].read(lexer, inside, literal);
    return invalid_token(lexer, word.data, "right before a quote only datetime, guid, X or binary can stand");
}

/* --- Numbers --- */

static size_t digits_ahead(const struct filter_lexer *lexer, size_t from) {
    size_t count = 0;
    while (is_digit(byte_ahead(lexer, from + count))) count++;
    return count;
}

/* The length of what follows the whole part: ".25", "e-3", ".25e-3", or nothing. */
static size_t fraction_length(const struct filter_lexer *lexer, size_t from) {
    size_t length = 0;
    if (byte_ahead(lexer, from) == '.' && is_digit(byte_ahead(lexer, from + 1)))
        length = 1 + digits_ahead(lexer, from + 1);
    char mark = byte_ahead(lexer, from + length), sign = byte_ahead(lexer, from + length + 1);
    if (mark != 'e' && mark != 'E') return length;
    size_t signs = sign == '+' || sign == '-';
    size_t digits = digits_ahead(lexer, from + length + 1 + signs);
    return digits ? length + 1 + signs + digits : length;
}

static bool read_whole(struct filter_lexer *lexer, struct bytes text, bool negative, bool is_long,
                       struct value *literal) {
    struct bytes digits = bytes_of(text.data + negative, text.length - negative - is_long);
    *literal = (struct value){.type = is_long ? VALUE_INT64 : VALUE_INT32};
    bool sound = number_read_digits(digits, negative, &literal->number);
    if (is_long) return sound || invalid_token(lexer, text.data, "the number is out of the range of int64");
    sound = sound && literal->number >= INT32_MIN && literal->number <= INT32_MAX;
    return sound || invalid_token(lexer, text.data,
                                  "the number is out of the range of int32; an int64 is written like 12L");
}

static bool lex_number(struct filter_lexer *lexer, struct value *literal) {
    bool negative = byte_ahead(lexer, 0) == '-';
    size_t digits = digits_ahead(lexer, negative);
    struct bytes text = bytes_of(text_here(lexer), negative + digits);
    if (!digits) return invalid_token(lexer, text.data, "expected a number behind the minus sign");
    size_t fraction = fraction_length(lexer, text.length);
    bool is_long = !fraction && byte_ahead(lexer, text.length) == 'L';
    text.length += fraction + is_long;
    lexer->at += text.length;
    char next = byte_ahead(lexer, 0);
    if (property_name_byte(next, false) || next == '.' || next == '\'')
        return invalid_token(lexer, text_here(lexer), "a number is written like 12, 12L, 1.5 or 1.5e3");
    if (!fraction) return read_whole(lexer, text, negative, is_long, literal);
    *literal = (struct value){.type = VALUE_DOUBLE};
    return decimal_read(text, &literal->real) ||
           invalid_token(lexer, text.data, "the number is out of the range of double");
}

/* --- Words --- */

static struct bytes lex_word(struct filter_lexer *lexer) {
    struct bytes word = {text_here(lexer), 0};
    while (property_name_byte(byte_ahead(lexer, word.length), false)) word.length++;
    lexer->at += word.length;
    return word;
}

static bool find_word(struct bytes word, struct token *token) {
    if (word.length > WORD_MAX) return false;
    for (size_t i = 0; i < WORDS; i++) {
        if (!bytes_equal(word, bytes_text(words[i].text))) continue;
        token->kind = words[i].kind;
        token->relation = words[i].relation;
        return true;
    }
    return false;
}

static bool lex_name(struct filter_lexer *lexer, struct token *token) {
    struct bytes word = lex_word(lexer);
    token->kind = TOKEN_LITERAL;
    if (byte_ahead(lexer, 0) == '\'') return take_prefixed(lexer, word, &token->literal);
    bool truth = bytes_equal(word, bytes_text("true"));
    if (truth || bytes_equal(word, bytes_text("false"))) {
        token->literal = (struct value){.type = VALUE_BOOL, .number = truth};
        return true;
    }
    if (find_word(word, token)) return true;
    token->kind = TOKEN_NAME;
    return property_name_check(word) == OUTCOME_DONE ||
           invalid_token(lexer, word.data, "a property's name has at most 255 characters");
}

/* --- Tokens --- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Many a beginner writes as in other languages. */
static const char *reason_against(char first) {
    if (first == '"') return "strings stand in single quotes";
    if (first && strchr("<>=!", first)) return "comparisons are eq, ne, gt, ge, lt and le";
    return "unexpected character outside a quoted string";
}

static bool take_token(struct filter_lexer *lexer, struct token *token) {
    char first = byte_ahead(lexer, 0);
    if (property_name_byte(first, true)) return lex_name(lexer, token);
    token->kind = TOKEN_LITERAL;
    if (first == '\'') return take_string(lexer, &token->literal);
    if (is_digit(first) || first == '-') return lex_number(lexer, &token->literal);
    if (first != '(' && first != ')') return invalid_token(lexer, text_here(lexer), reason_against(first));
    token->kind = first == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
    lexer->at++;
    return true;
}

bool filter_next_token(struct filter_lexer *lexer, struct token *token) {
    while (is_blank(byte_ahead(lexer, 0))) lexer->at++;
    const char *begin = text_here(lexer);
    token->text = bytes_of(begin, 0);
    token->kind = TOKEN_END;
    if (lexer->at == lexer->text.length) return true;
    bool sound = take_token(lexer, token);
    token->text.length = (size_t)(text_here(lexer) - begin);
    return sound;
}
