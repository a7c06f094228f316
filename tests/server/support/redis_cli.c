#include "redis_cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "pool.h"
#include "text.h"

static char escaped(const char **rest) {
    char letter = **rest;
    if (letter == 'x' && isxdigit((unsigned char)(*rest)[1]) && isxdigit((unsigned char)(*rest)[2])) {
        char digits[] = {(*rest)[1], (*rest)[2], '\0'};
        *rest += 3;
        return (char)strtol(digits, NULL, 16);
    }
    ++*rest;
    return letter == 'n' ? '\n' : letter == 'r' ? '\r' : letter == 't' ? '\t' : letter;
}

/* Adds a word in quotes, of which `rest` is behind the first one. */
static const char *add_quoted(struct text *word, const char *rest, char quote) {
    while (*rest && *rest != quote) {
        char letter = *rest++;
        if (letter == '\\' && quote == '"') letter = escaped(&rest);
        text_add(word, &letter, 1);
    }
    require(*rest, "a quote is not closed: %s", rest);
    return rest + 1;
}

struct words redis_cli_words(const char *line) {
    struct words words = {0};
    while (*(line += strspn(line, " "))) {
        struct text word = EMPTY_TEXT;
        while (*line && *line != ' ') {
            if (*line == '"' || *line == '\'') {
                line = add_quoted(&word, line + 1, *line);
            } else {
                text_add(&word, line++, 1);
            }
        }
        words_add_bytes(&words, word.bytes, word.length);
    }
    return words;
}

static void show(struct text *shown, const redisReply *reply, size_t indent);

static void show_elements(struct text *shown, const redisReply *reply, size_t indent) {
    if (!reply->elements) text_print(shown, "(empty array)\n");
    int width = (int)strlen(pool_print("%zu", reply->elements));
    for (size_t i = 0; i < reply->elements; i++) {
        text_print(shown, "%*s%*zu) ", i ? (int)indent : 0, "", width, i + 1);
        show(shown, reply->element[i], indent + (size_t)width + 2);
    }
}

static void show(struct text *shown, const redisReply *reply, size_t indent) {
    if (reply_is_aggregate(reply)) {
        show_elements(shown, reply, indent);
    } else if (reply->type == REDIS_REPLY_STRING || reply->type == REPLY_DOUBLE) {
        text_print(shown, "\"");
        text_add_escaped(shown, reply->str, reply->len);
        text_print(shown, "\"\n");
    } else if (reply->type == REDIS_REPLY_INTEGER || reply->type == REPLY_BOOLEAN) {
        bool is_true = reply->type == REPLY_BOOLEAN && reply->str[0] == 't';
        text_print(shown, "(integer) %lld\n", is_true ? 1 : reply->integer);
    } else if (reply_is_null(reply)) {
        text_print(shown, "(nil)\n");
    } else {
        text_print(shown, "%s%.*s\n", reply_is_error(reply) ? "(error) " : "", (int)reply->len, reply->str);
    }
}

const char *redis_cli_text(const redisReply *reply) {
    struct text shown = EMPTY_TEXT;
    show(&shown, reply, 0);
    return shown.bytes;
}
