#include "answers.h"

#include <string.h>

#include "template.h"

struct answer answer_part(const struct answer *answer, struct reply reply) {
    struct answer part = *answer;
    part.reply = reply;
    return part;
}

bool is_anything(const struct answer *answer) {
    return answer->reply.kind != '-';
}

bool is_ok(const struct answer *answer) {
    return answer->reply.kind == '+';
}

bool is_integer(const struct answer *answer) {
    return answer->reply.kind == ':';
}

bool is_string(const struct answer *answer) {
    return answer->reply.kind == '$';
}

bool is_array_of(const struct answer *answer, size_t length) {
    return answer->reply.kind == '*' && answer->reply.length == length;
}

bool is_content(const struct answer *answer) {
    return is_string(answer) && answer->reply.length == answer->template->data->bytes;
}

bool is_own_token(const struct answer *answer, const struct reply *token) {
    return token->length == TOKEN_BYTES &&
           !memcmp(token->text, answer->template->object_set->tokens[answer->object], TOKEN_BYTES);
}

bool is_etag_and_content(const struct answer *answer) {
    if (!is_array_of(answer, 2)) return false;
    struct reply etag = reply_element(&answer->reply, 0);
    struct answer content = answer_part(answer, reply_element(&answer->reply, 1));
    return is_own_token(answer, &etag) && is_content(&content);
}

bool is_token(const struct answer *answer) {
    if (!is_string(answer) || answer->reply.length != TOKEN_BYTES) return false;
    memcpy(answer->template->object_set->tokens[answer->object], answer->reply.text, TOKEN_BYTES);
    return true;
}

bool is_tokens(const struct answer *answer) {
    unsigned batch = answer->template->batch;
    struct answer token = *answer;
    if (!is_array_of(answer, batch)) return false;
    for (unsigned i = 0; i < batch; i++) {
        token.reply = reply_next(&token.reply);
        token.object = answer->objects[i];
        if (!is_token(&token)) return false;
    }
    return true;
}
