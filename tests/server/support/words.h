/* An argument list in the making. Words may hold any bytes. All of it lives in the pool. */
#ifndef HOLDFAST_TESTS_WORDS_H
#define HOLDFAST_TESTS_WORDS_H

#include <stddef.h>

struct words {
    size_t count;
    size_t room;
    const char **word;
    size_t *length;
};

void words_add(struct words *words, const char *word);
void words_add_bytes(struct words *words, const void *bytes, size_t length);
void words_add_number(struct words *words, long long number);

/* Adds what is between spaces; two single quotes stand for the empty word. */
void words_add_line(struct words *words, const char *line);
struct words words_of_line(const char *line);
struct words words_copy(const struct words *words);

/* Takes out, puts in or replaces the word at `index`. */
void words_remove(struct words *words, size_t index);
void words_insert(struct words *words, size_t index, const char *word);
void words_replace(struct words *words, size_t index, const char *word);

/* The list as a person would type it, bytes escaped. */
const char *words_text(const struct words *words);

#endif
