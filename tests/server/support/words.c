#include "words.h"

#include <string.h>

#include "pool.h"
#include "text.h"

static void words_make_room(struct words *words) {
    if (words->count < words->room) return;
    words->room = words->room ? words->room * 2 : 16;
    words->word = pool_grow(words->word, words->room * sizeof(*words->word));
    words->length = pool_grow(words->length, words->room * sizeof(*words->length));
}

void words_add_bytes(struct words *words, const void *bytes, size_t length) {
    words_make_room(words);
    words->word[words->count] = pool_copy(bytes, length);
    words->length[words->count++] = length;
}

void words_add(struct words *words, const char *word) {
    words_add_bytes(words, word, strlen(word));
}

void words_add_number(struct words *words, long long number) {
    words_add(words, pool_print("%lld", number));
}

void words_add_line(struct words *words, const char *line) {
    for (line += strspn(line, " "); *line; line += strspn(line, " ")) {
        size_t length = strcspn(line, " ");
        if (length == 2 && text_begins(line, "''")) {
            words_add(words, "");
        } else {
            words_add_bytes(words, line, length);
        }
        line += length;
    }
}

struct words words_of_line(const char *line) {
    struct words words = {0};
    words_add_line(&words, line);
    return words;
}

struct words words_copy(const struct words *words) {
    struct words copy = {0};
    for (size_t i = 0; i < words->count; i++) words_add_bytes(&copy, words->word[i], words->length[i]);
    return copy;
}

void words_remove(struct words *words, size_t index) {
    size_t behind = words->count - index - 1;
    memmove(words->word + index, words->word + index + 1, behind * sizeof(*words->word));
    memmove(words->length + index, words->length + index + 1, behind * sizeof(*words->length));
    words->count--;
}

void words_insert(struct words *words, size_t index, const char *word) {
    words_add(words, word);
    for (size_t place = words->count - 1; place > index; place--) {
        words->word[place] = words->word[place - 1];
        words->length[place] = words->length[place - 1];
    }
    words_replace(words, index, word);
}

void words_replace(struct words *words, size_t index, const char *word) {
    words->length[index] = strlen(word);
    words->word[index] = pool_copy(word, words->length[index]);
}

const char *words_text(const struct words *words) {
    struct text text = EMPTY_TEXT;
    for (size_t i = 0; i < words->count; i++) {
        const char *gap = i ? " " : "";
        if (words->length[i] && !memchr(words->word[i], ' ', words->length[i])) {
            text_print(&text, "%s", gap);
            text_add_escaped(&text, words->word[i], words->length[i]);
        } else {
            text_print(&text, "%s%s", gap, text_quoted(words->word[i], words->length[i]));
        }
    }
    return text.bytes;
}
