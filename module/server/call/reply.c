#include "server/call/reply.h"

#include "core/inlining.h"
#include "core/packed_reply.h"
#include "core/policy.h"
#include "server/call/error_template.h"
#include "server/call/raw_reply.h"

/* Whether it is packed at all, for what is behind the first byte. */
static bool pack_value(struct reply *out, enum packed_reply what) {
    if (out->packed) record_put_byte(out->packed, (uint8_t)what);
    return out->packed;
}

ASIDE static void pack_number(struct reply *out, enum packed_reply what, uint64_t number) {
    if (pack_value(out, what)) record_put_number(out->packed, number);
}

ASIDE static void pack_bytes(struct reply *out, struct bytes bytes) {
    if (pack_value(out, PACKED_BYTES)) record_put_bytes(out->packed, bytes);
}

/* Whether the server writes the next value to a client: those that the two protocols write in different ways. */
static bool server_writes(const struct reply *out) {
    if (out->ctx) raw_reply_end();
    return out->ctx;
}

/* --- Values --- */

void reply_ok(struct reply *out) {
    if (out->ctx)
        raw_reply_line(out->ctx, bytes_text("OK"));
    else
        pack_value(out, PACKED_OK);
}

void reply_exists(struct reply *out) {
    if (out->ctx)
        raw_reply_line(out->ctx, bytes_text("EXISTS"));
    else
        pack_value(out, PACKED_EXISTS);
}

void reply_line(struct reply *out, const char *line) {
    if (out->ctx)
        raw_reply_line(out->ctx, bytes_text(line));
    else
        pack_bytes(out, bytes_text(line));
}

void reply_null(struct reply *out) {
    if (server_writes(out))
        RedisModule_ReplyWithNull(out->ctx);
    else
        pack_value(out, PACKED_NULL);
}

void reply_bytes(struct reply *out, struct bytes bytes) {
    if (out->ctx)
        raw_reply_bytes(out->ctx, bytes);
    else
        pack_bytes(out, bytes);
}

void reply_text(struct reply *out, const char *text) {
    reply_bytes(out, bytes_text(text));
}

void reply_error(struct reply *out, const char *error) {
    if (server_writes(out)) {
        error_template_reply(out->ctx, error);
        return;
    }
    struct bytes whole = bytes_of(error, strlen(error) + 1); /* ended by a zero */
    if (pack_value(out, PACKED_ERROR)) record_put_bytes(out->packed, whole);
}

void reply_number(struct reply *out, long long number) {
    if (out->ctx)
        raw_reply_number(out->ctx, number);
    else
        pack_number(out, PACKED_NUMBER, (uint64_t)number);
}

void reply_real(struct reply *out, double number) {
    uint64_t bits;
    if (server_writes(out)) {
        RedisModule_ReplyWithDouble(out->ctx, number);
        return;
    }
    memcpy(&bits, &number, sizeof(bits));
    if (pack_value(out, PACKED_REAL)) record_put_word(out->packed, bits);
}

void reply_flag(struct reply *out, bool flag) {
    if (server_writes(out))
        RedisModule_ReplyWithBool(out->ctx, flag);
    else
        pack_number(out, PACKED_FLAG, flag);
}

void reply_version(struct reply *out, version v) {
    if (out->ctx) {
        raw_reply_version(out->ctx, v);
        return;
    }
    if (pack_value(out, PACKED_VERSION)) record_put_word(out->packed, v);
}

static void pack_guid(struct reply *out, enum packed_reply what, struct guid id) {
    if (pack_value(out, what)) record_put_guid(out->packed, id);
}

void reply_guid(struct reply *out, struct guid id) {
    if (out->ctx)
        raw_reply_guid(out->ctx, id);
    else
        pack_guid(out, PACKED_GUID, id);
}

void reply_guid_digits(struct reply *out, struct guid id) {
    if (out->ctx)
        raw_reply_guid_digits(out->ctx, id);
    else
        pack_guid(out, PACKED_DIGITS, id);
}

void reply_array(struct reply *out, long count) {
    if (out->ctx)
        raw_reply_array(out->ctx, count);
    else
        pack_number(out, PACKED_ARRAY, (uint64_t)count);
}

/* --- Maps --- */

struct reply_map reply_map(struct reply *out, long count) {
    if (out->ctx)
        raw_reply_map(out->ctx, count);
    else
        pack_number(out, PACKED_MAP, (uint64_t)count);
    return (struct reply_map){.out = out};
}

struct reply_map reply_map_counted(struct reply *out) {
    return (struct reply_map){.client = out};
}

bool reply_map_pass(struct reply_map *map) {
    map->out = &map->nobody;
    if (++map->passes == 1) return true;
    map->out = map->client;
    if (map->passes == 2) reply_map(map->client, map->count);
    return map->passes == 2;
}

void reply_named_number(struct reply *out, struct bytes name, long long value) {
    if (out->ctx) {
        raw_reply_named_number(out->ctx, name, value);
        return;
    }
    pack_bytes(out, name);
    pack_number(out, PACKED_NUMBER, (uint64_t)value);
}

void reply_field_version(struct reply_map *map, const char *name, version v) {
    reply_field(map, name);
    reply_version(map->out, v);
}

void reply_field_guid(struct reply_map *map, const char *name, struct guid id) {
    reply_field(map, name);
    reply_guid(map->out, id);
}

/* --- What several families reply alike --- */

void reply_page_begin(struct reply *out, struct bytes next, size_t count) {
    reply_array(out, 2);
    if (next.length)
        reply_bytes(out, next);
    else
        reply_null(out);
    reply_array(out, (long)count);
}

void reply_metadata(struct reply *out, version etag, struct packed_list metadata) {
    reply_array(out, 2);
    reply_version(out, etag);
    reply_pairs(out, metadata);
}

void reply_fields(struct reply_map *map, struct packed_list pairs) {
    struct record_reader reader = record_reader(pairs.items);
    struct bytes name, value;
    while (packed_next_pair(&reader, &name, &value)) {
        reply_bytes(map->out, name);
        reply_bytes(map->out, value);
        map->count++;
    }
}

void reply_pairs(struct reply *out, struct packed_list pairs) {
    struct reply_map map = reply_map(out, (long)pairs.count);
    reply_fields(&map, pairs);
}

static void reply_instant(struct reply_map *map, const char *name, int64_t instant_ms) {
    if (instant_ms != POLICY_INSTANT_NONE) reply_field_number(map, name, instant_ms);
}

void reply_policies(struct reply *out, struct packed_list policies) {
    struct record_reader reader = record_reader(policies.items);
    struct policy policy;
    reply_array(out, (long)policies.count);
    while (policy_next(&reader, &policy)) {
        struct reply_map map = reply_map_counted(out);
        while (reply_map_pass(&map)) {
            reply_field_bytes(&map, "id", policy.id);
            reply_instant(&map, "start", policy.start_ms);
            reply_instant(&map, "expiry", policy.expiry_ms);
            reply_field_bytes(&map, "permissions", policy.permissions);
        }
    }
}

/* --- Packed replies --- */

static double real_of(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static void play_one(struct reply *out, struct record_reader *reader) {
    switch ((enum packed_reply)record_byte(reader)) {
    case PACKED_OK: reply_ok(out); break;
    case PACKED_EXISTS: reply_exists(out); break;
    case PACKED_NULL: reply_null(out); break;
    case PACKED_ERROR: reply_error(out, record_bytes(reader).data); break;
    case PACKED_BYTES: reply_bytes(out, record_bytes(reader)); break;
    case PACKED_NUMBER: reply_number(out, (long long)record_number(reader)); break;
    case PACKED_REAL: reply_real(out, real_of(record_word(reader))); break;
    case PACKED_FLAG: reply_flag(out, record_number(reader)); break;
    case PACKED_ARRAY: reply_array(out, (long)record_number(reader)); break;
    case PACKED_MAP: reply_map(out, (long)record_number(reader)); break;
    case PACKED_VERSION: reply_version(out, record_word(reader)); break;
    case PACKED_GUID: reply_guid(out, record_guid(reader)); break;
    case PACKED_DIGITS: reply_guid_digits(out, record_guid(reader)); break;
    }
}

void reply_repeat(struct reply *out, struct bytes packed) {
    struct record_reader reader = record_reader(packed);
    if (out->packed) record_put_raw(out->packed, packed);
    while (out->ctx && reader.at < reader.end) play_one(out, &reader);
}

void reply_play(RedisModuleCtx *ctx, struct bytes packed) {
    struct reply out = reply_to(ctx);
    reply_repeat(&out, packed);
}

void reply_end(void) {
    raw_reply_end();
}
