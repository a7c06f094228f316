/* The lexer of filters: text into tokens, literals into values.
 *
 * A literal is borrowed from the text if it is there in its final form; else it is rewritten into the filter's own
 * buffer, which is large enough for all of them. */
#ifndef HOLDFAST_TABLE_FILTER_LEXER_H
#define HOLDFAST_TABLE_FILTER_LEXER_H

#include "table/filter.h"

enum token_kind {
    TOKEN_END,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_NAME,
    TOKEN_LITERAL,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_NULL,
    TOKEN_OPERATOR,
};

struct token {
    enum token_kind kind;
    enum filter_operator relation;
    struct bytes text; /* as written */
    struct value literal;
};

struct filter_lexer {
    struct bytes text;
    size_t at;
    struct filter *filter;
    struct filter_fault *fault;
};

/* Reports a fault at this address in the text. Always false. */
bool filter_fail(struct filter_lexer *lexer, enum outcome outcome, const char *at, const char *text);

/* Reads the next token, TOKEN_END after the last one. False, with a fault, when no token is valid here. */
bool filter_next_token(struct filter_lexer *lexer, struct token *token);

/* Takes so many bytes of the filter's own buffer, which has twice the length of its text: a literal may be rewritten
 * once to decode it and once into the stored form of keys. */
char *filter_buffer(struct filter_lexer *lexer, size_t length);

#endif
