#include "expect.h"

#include <string.h>

#include "harness.h"
#include "text.h"

static void require_reply(struct place place, bool truth, const redisReply *reply, const char *expected) {
    if (!truth) failure_at(place.file, place.line, "expected %s, but got %s", expected, reply_text(reply));
}

void expect_ok_at(struct place place, const redisReply *reply) {
    require_reply(place, reply->type == REDIS_REPLY_STATUS && !strcmp(reply->str, "OK"), reply, "OK");
}

void expect_null_at(struct place place, const redisReply *reply) {
    require_reply(place, reply_is_null(reply), reply, "null");
}

void expect_number_at(struct place place, const redisReply *reply, long long number) {
    if (reply->type != REDIS_REPLY_INTEGER || reply->integer != number)
        failure_at(place.file, place.line, "expected %lld, but got %s", number, reply_text(reply));
}

void expect_bytes_at(struct place place, const redisReply *reply, const void *bytes, size_t length) {
    bool is_same = (reply->type == REDIS_REPLY_STRING || reply->type == REDIS_REPLY_STATUS) &&
                   reply->len == length && !memcmp(reply->str, bytes, length);
    if (!is_same) require_reply(place, false, reply, text_quoted(bytes, length));
}

void expect_text_at(struct place place, const redisReply *reply, const char *text) {
    expect_bytes_at(place, reply, text, strlen(text));
}

void expect_error_at(struct place place, const redisReply *reply, const char *beginning) {
    size_t length = strlen(beginning);
    bool is_it = reply_is_error(reply) && text_begins(reply->str, beginning) &&
                 (reply->str[length] == '\0' || reply->str[length] == ' ');
    require_reply(place, is_it, reply, beginning);
}

void expect_each_error_at(struct place place, struct client *client, const char *const *lines,
                          const char *error) {
    for (; *lines; lines++) expect_error_at(place, call_line(client, *lines), error);
}

void expect_shape_at(struct place place, const redisReply *reply, const char *shape) {
    const char *real_shape = reply_shape(reply);
    if (strcmp(real_shape, shape) != 0)
        failure_at(place.file, place.line, "expected the shape\n    %s\nbut got\n    %s", shape, real_shape);
}

const char *expect_etag_at(struct place place, const redisReply *reply) {
    const redisReply *first = reply_is_aggregate(reply) && reply->elements ? reply->element[0] : reply;
    bool is_it = first->type == REDIS_REPLY_STRING && is_etag(first->str, first->len);
    require_reply(place, is_it, reply, "an ETag");
    return reply_string(first);
}

redisReply *expect_elements_at(struct place place, redisReply *reply, size_t count) {
    if (!reply_is_aggregate(reply) || reply->elements != count)
        failure_at(place.file, place.line, "expected %zu elements, but got %s", count, reply_text(reply));
    return reply;
}

redisReply *field_at(struct place place, const redisReply *map, const char *name) {
    redisReply *value = reply_field_if_any(map, name);
    if (!value) failure_at(place.file, place.line, "expected a field %s in %s", name, reply_text(map));
    return value;
}

void expect_refused(const struct words *words, const char *error) {
    redisReply *reply = call_words(primary, words);
    require(reply_is_error(reply) && text_begins(reply->str, error), "%s\n    should give %s, but gave %s",
            words_text(words), error, reply_text(reply));
}
