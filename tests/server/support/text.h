/* Text that grows, and bytes made readable. All of it lives in the pool. */
#ifndef HOLDFAST_TESTS_TEXT_H
#define HOLDFAST_TESTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* ends with a zero: from the start with EMPTY_TEXT, with {0} once anything was added */
    size_t length;
    size_t room;
};

#define EMPTY_TEXT                                                                                           \
    { .bytes = "" }

void text_add(struct text *text, const void *bytes, size_t length);
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the bytes with everything that is not printable ASCII, and the quote and the backslash, escaped. */
void text_add_escaped(struct text *text, const void *bytes, size_t length);

/* The same as a string of its own, in double quotes, cut off after some hundred bytes. */
const char *text_quoted(const void *bytes, size_t length);

/* All bytes of a file, with a zero behind them; length may be NULL. */
const char *text_of_file(const char *path, size_t *length);

/* Takes the first line off the text, without its end, or answers NULL. */
const char *text_line(const char **text);

/* The commands of a text, which stand with "; " between them, and NULL behind them. */
const char *const *text_commands(const char *text);

/* The same in capitals. */
char *text_in_capitals(const char *text);

/* So many of a letter; and those for which a word like "512*a" stands, or NULL for any other word. */
const char *text_letters(size_t length, char letter);
const char *text_letters_of(const char *word);

bool text_begins(const char *text, const char *beginning);
bool text_is_one_of(const char *text, const char *const *list);

#endif
