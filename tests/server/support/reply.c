#include "reply.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"
#include "processes.h"
#include "text.h"

/* From September 2001 to the year 2286 an instant in milliseconds has 13 digits. */
enum { ETAG_LENGTH = 18, INSTANT_DIGITS = 13 };

bool reply_is_error(const redisReply *reply) {
    return reply->type == REDIS_REPLY_ERROR;
}

bool reply_is_null(const redisReply *reply) {
    return reply->type == REDIS_REPLY_NIL;
}

bool reply_is_aggregate(const redisReply *reply) {
    return reply->type == REDIS_REPLY_ARRAY || reply->type == REPLY_MAP || reply->type == REPLY_SET ||
           reply->type == REPLY_PUSH;
}

bool is_etag(const char *text, size_t length) {
    if (length != ETAG_LENGTH || !text_begins(text, "0x")) return false;
    for (size_t i = 2; i < length; i++) {
        if (!isxdigit((unsigned char)text[i])) return false;
    }
    return true;
}

/* Versions with a character between them: the bookmark of a page that is not the last one. */
static bool is_bookmark_with_parts(const char *text, size_t length) {
    return length > ETAG_LENGTH && is_etag(text, ETAG_LENGTH) &&
           is_etag(text + length - ETAG_LENGTH, ETAG_LENGTH);
}

static void add_bulk(struct text *text, const redisReply *reply, bool as_shape) {
    if (as_shape && is_etag(reply->str, reply->len)) {
        text_print(text, "<etag>");
    } else if (as_shape && is_bookmark_with_parts(reply->str, reply->len)) {
        text_print(text, "<bookmark>");
    } else {
        text_add(text, "\"", 1);
        text_add_escaped(text, reply->str, reply->len);
        text_add(text, "\"", 1);
    }
}

static void add_integer(struct text *text, const redisReply *reply, bool as_shape) {
    const char *digits = pool_print("%lld", reply->integer);
    text_print(text, "%s", as_shape && strlen(digits) == INSTANT_DIGITS ? "<ms>" : digits);
}

static void add_reply(struct text *text, const redisReply *reply, bool as_shape);

static void add_elements(struct text *text, const redisReply *reply, bool as_shape) {
    bool is_map = reply->type == REPLY_MAP;
    text_print(text, "%s", is_map ? "{" : "[");
    for (size_t i = 0; i < reply->elements; i++) {
        if (i) text_print(text, "%s", is_map && i % 2 ? ": " : ", ");
        add_reply(text, reply->element[i], as_shape);
    }
    text_print(text, "%s", is_map ? "}" : "]");
}

static void add_reply(struct text *text, const redisReply *reply, bool as_shape) {
    if (reply_is_aggregate(reply)) {
        add_elements(text, reply, as_shape);
    } else if (reply->type == REDIS_REPLY_STRING) {
        add_bulk(text, reply, as_shape);
    } else if (reply->type == REDIS_REPLY_INTEGER) {
        add_integer(text, reply, as_shape);
    } else if (reply->type == REDIS_REPLY_NIL) {
        text_print(text, "null");
    } else {
        if (reply_is_error(reply)) text_print(text, "(error) ");
        text_add_escaped(text, reply->str, reply->len);
    }
}

static const char *reply_rendered(const redisReply *reply, bool as_shape) {
    if (!reply) return "no reply: the connection broke";
    struct text text = EMPTY_TEXT;
    add_reply(&text, reply, as_shape);
    return text.bytes;
}

const char *reply_text(const redisReply *reply) {
    return reply_rendered(reply, false);
}

const char *reply_shape(const redisReply *reply) {
    return reply_rendered(reply, true);
}

bool reply_same(const redisReply *one, const redisReply *other) {
    if (one->type != other->type) return false;
    if (reply_is_aggregate(one)) {
        if (one->elements != other->elements) return false;
        for (size_t i = 0; i < one->elements; i++) {
            if (!reply_same(one->element[i], other->element[i])) return false;
        }
        return true;
    }
    if (one->type == REDIS_REPLY_INTEGER) return one->integer == other->integer;
    if (one->type == REDIS_REPLY_NIL) return true;
    return one->len == other->len && !memcmp(one->str, other->str, one->len);
}

redisReply *reply_field_if_any(const redisReply *map, const char *name) {
    if (!reply_is_aggregate(map)) return NULL;
    for (size_t i = 0; i + 1 < map->elements; i += 2) {
        const redisReply *key = map->element[i];
        if (key->str && key->len == strlen(name) && !memcmp(key->str, name, key->len))
            return map->element[i + 1];
    }
    return NULL;
}

const char *reply_string(const redisReply *reply) {
    if (reply->type == REDIS_REPLY_INTEGER) return pool_print("%lld", reply->integer);
    return reply->str ? pool_copy(reply->str, reply->len) : "";
}

const char *info_field(const redisReply *info, const char *name) {
    size_t length;
    const char *value = info_value(info->str, name, &length);
    return value ? pool_copy(value, length) : NULL;
}

long long info_number(const redisReply *info, const char *name) {
    const char *value = info_field(info, name);
    return value ? atoll(value) : -1;
}
