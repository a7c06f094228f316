/* Replies: the few shapes of replies, and the one interface by which all commands reply.
 *
 *   handler ─▶ struct reply ─▶ the client
 *                           ─▶ a record, until its client can get it ──reply_play──▶ the client
 *                           ─▶ nobody, when it is only asked what would be answered
 *
 * The replying code does not know which. A packed reply does not depend on the protocol, so it can be replayed to a
 * client that speaks another version. Maps are RESP3 maps and flat arrays for RESP2. */
#ifndef HOLDFAST_REPLY_H
#define HOLDFAST_REPLY_H

#include "core/guid.h"
#include "core/packed.h"
#include "core/version.h"
#include "server/base/api.h"

struct reply {
    RedisModuleCtx *ctx;          /* replies at once; NULL when packed, or for nobody */
    struct record_writer *packed; /* packs the reply; NULL otherwise */
};

/* Replies to the context's client. */
static inline struct reply reply_to(RedisModuleCtx *ctx) {
    return (struct reply){ctx, NULL};
}

/* Packs the reply into a record: see core/packed_reply.h. */
static inline struct reply reply_to_record(struct record_writer *packed) {
    return (struct reply){NULL, packed};
}

/* Only asks what would be replied. */
static inline struct reply reply_to_nobody(void) {
    return (struct reply){NULL, NULL};
}

/* Whether anybody will read the reply. If not, large replies need not be assembled. */
static inline bool reply_is_wanted(const struct reply *out) {
    return out->ctx || out->packed;
}

/* Who replies to a context says when that is all: values are gathered before the server gets them (raw_reply.h). */
void reply_end(void);

/* Replays a packed reply: to the context's client, or to another reply. */
void reply_play(RedisModuleCtx *ctx, struct bytes packed);
void reply_repeat(struct reply *out, struct bytes packed);

/* What has been packed so far. */
static inline struct bytes reply_packed(const struct reply *out) {
    return record_written(out->packed);
}

/* --- Values --- */

void reply_ok(struct reply *out);
/* The reply for an object that already exists as requested. */
void reply_exists(struct reply *out);
/* A line for people, which redis-cli shows without quotes. */
void reply_line(struct reply *out, const char *line);
void reply_null(struct reply *out);
/* The whole text, including class and code. */
void reply_error(struct reply *out, const char *error);

void reply_bytes(struct reply *out, struct bytes bytes);
void reply_text(struct reply *out, const char *text);
void reply_number(struct reply *out, long long number);
void reply_real(struct reply *out, double number);
void reply_flag(struct reply *out, bool flag);
void reply_version(struct reply *out, version v);
void reply_guid(struct reply *out, struct guid id);
/* Without dashes, as receipts are written. */
void reply_guid_digits(struct reply *out, struct guid id);

/* This many values follow. */
void reply_array(struct reply *out, long count);

/* --- Maps --- */

/* A map that is being written. */
struct reply_map {
    struct reply *out;
    long count;
    struct reply *client; /* for a map written twice */
    struct reply nobody;
    unsigned passes;
};

/* A map of this many fields. */
struct reply_map reply_map(struct reply *out, long count);
/* A map whose absent fields can simply be left out. Its fields are written twice: first to nobody, to count them,
 * and then to the client, since a postponed length costs the server as much as several fields. For small maps:
 *
 *     struct reply_map map = reply_map_counted(out);
 *     while (reply_map_pass(&map)) ... the fields, all of them to map.out
 */
struct reply_map reply_map_counted(struct reply *out);
bool reply_map_pass(struct reply_map *map);

/* The next reply is the field's value. */
static inline void reply_field(struct reply_map *map, const char *name) {
    reply_text(map->out, name);
    map->count++;
}

static inline void reply_field_bytes(struct reply_map *map, const char *name, struct bytes value) {
    reply_field(map, name);
    reply_bytes(map->out, value);
}

void reply_named_number(struct reply *out, struct bytes name, long long value);

static inline void reply_field_number(struct reply_map *map, const char *name, long long value) {
    reply_named_number(map->out, bytes_text(name), value);
    map->count++;
}

void reply_field_version(struct reply_map *map, const char *name, version v);
void reply_field_guid(struct reply_map *map, const char *name, struct guid id);

/* --- What several families reply alike --- */

/* Begins a page of a list: where the next page starts, null for an empty word; this many items follow. */
void reply_page_begin(struct reply *out, struct bytes next, size_t count);

/* An ETag, and metadata. */
void reply_metadata(struct reply *out, version etag, struct packed_list metadata);

/* Name-value pairs: as a map of their own, or as fields of an open map. */
void reply_pairs(struct reply *out, struct packed_list pairs);
void reply_fields(struct reply_map *map, struct packed_list pairs);

/* An array of maps: id, start, expiry, permissions. */
void reply_policies(struct reply *out, struct packed_list policies);

#endif
