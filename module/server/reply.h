/* Replies: the few shapes that all commands answer in. Maps are RESP3 maps and flat arrays for RESP2; their
 * length is set at the end, so that absent fields can simply be left out. */
#ifndef HOLDFAST_REPLY_H
#define HOLDFAST_REPLY_H

#include "core/packed.h"
#include "core/version.h"
#include "server/api.h"

/* A map, or an array, that is being answered. */
struct reply_list {
    RedisModuleCtx *ctx;
    long count;
};

void reply_ok(RedisModuleCtx *ctx);
void reply_bytes(RedisModuleCtx *ctx, struct bytes bytes);
void reply_version(RedisModuleCtx *ctx, version v);

struct reply_list reply_map_start(RedisModuleCtx *ctx);
void reply_map_end(const struct reply_list *map);
/* The value is answered by whatever comes next. */
void reply_field(struct reply_list *map, const char *name);
void reply_field_bytes(struct reply_list *map, const char *name, struct bytes value);
void reply_field_number(struct reply_list *map, const char *name, long long value);
void reply_field_version(struct reply_list *map, const char *name, version v);

/* Name-value pairs: as a map of their own, or as fields of one that is open. */
void reply_pairs(RedisModuleCtx *ctx, struct packed_list pairs);
void reply_fields(struct reply_list *map, struct packed_list pairs);

/* An array of maps: id, start, expiry, permissions. */
void reply_policies(RedisModuleCtx *ctx, struct packed_list policies);

#endif
