/* The words of a filter: text into tokens, literals into values. What a token may stand behind is the parser's affair.
 *
 * Literals are borrowed from the text where they stand there as they are; others are rewritten into the filter's own
 * room, of which there is as much as all of them can need. */
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
    struct bytes text; /* as it stands in the filter */
    struct value literal;
};

struct filter_lexer {
    struct bytes text;
    size_t at;
    struct filter *filter;
    struct filter_fault *fault;
};

/* Tells of a fault that begins at this place of the text. Always false. */
bool filter_fail(struct filter_lexer *lexer, enum outcome outcome, const char *at, const char *text);

/* The next token; false, and a fault, when there is none that could be. Behind the last one comes the end. */
bool filter_token(struct filter_lexer *lexer, struct token *token);

/* Room for a literal that is rewritten, or for one as keys are stored; never more than twice the filter in all. */
char *filter_room(struct filter_lexer *lexer, size_t length);

#endif
