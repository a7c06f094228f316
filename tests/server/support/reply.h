/* Reading replies, of hiredis and of support/wire alike (which adds the types of RESP3 to those of hiredis).
 * Replies live in the pool. */
#ifndef HOLDFAST_TESTS_REPLY_H
#define HOLDFAST_TESTS_REPLY_H

#include <hiredis/hiredis.h>
#include <stdbool.h>

/* What hiredis 0.14 has no names for. A map's elements are its names and values in turn. */
enum { REPLY_MAP = 100, REPLY_SET, REPLY_PUSH, REPLY_BOOLEAN, REPLY_DOUBLE };

/* One line that shows type and content: "text", 12, null, [a, b], {a: b}, (error) ..., OK. */
const char *reply_text(const redisReply *reply);

/* The same with every ETag as <etag>, every bookmark of several parts as <bookmark>, and every instant of this century in
 * milliseconds as <ms>. */
const char *reply_shape(const redisReply *reply);

bool reply_is_error(const redisReply *reply);
bool reply_is_null(const redisReply *reply);
bool reply_is_aggregate(const redisReply *reply);

/* Whether two replies hold the same, to the byte. */
bool reply_same(const redisReply *one, const redisReply *other);

/* The value of a field in a map or in a flat array of names and values, or NULL. */
redisReply *reply_field_if_any(const redisReply *map, const char *name);

/* A copy of the string with a zero behind it. */
const char *reply_string(const redisReply *reply);

/* Whether these are "0x" and 16 hexadecimal digits. */
bool is_etag(const char *text, size_t length);

/* The line `name:value` of an INFO reply, or NULL. */
const char *info_field(const redisReply *info, const char *name);
long long info_number(const redisReply *info, const char *name);

#endif
