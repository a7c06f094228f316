/* Effects: the only commands that are ever replicated. How those from elsewhere are applied: see incoming.h.
 *
 *   HFA key record [content]        one change
 *   HFA key bundle [word …]         several changes of one command, also of several keys: see change/bundle.h
 *
 * HFA is a short name of HOLDFAST.APPLY: it is in every effect, and looked up for every effect.
 *
 * A record is a packed change. Large bytes travel beside it as an argument of their own: shared, not copied. */
#ifndef HOLDFAST_EFFECT_H
#define HOLDFAST_EFFECT_H

#include "core/inlining.h"
#include "core/record.h"
#include "core/version.h"
#include "server/call/call.h"

#define EFFECT_COMMAND       "HOLDFAST.APPLY"
#define EFFECT_COMMAND_SHORT "HFA"

/* Sends a record for the call's key, with the content that travels beside it, if any. While the call has a bundle, the
 * record is sent with it. */
void effect_send(const struct call *call, const struct record_writer *record, RedisModuleString *content);

enum {
    EFFECT_WORDS_MAX = 64,        /* keys and contents of a bundle */
    EFFECT_BYTES_MAX = 64 * 1024, /* of the records in a bundle, unless it has a single one */
};

/* Effects that a command gathers, since each that travels alone costs the server as much as a small command. What is
 * too much for one bundle is sent as several. */
struct effect_bundle {
    RedisModuleCtx *ctx;
    RedisModuleString *first_key, *last_key;
    uint64_t last_key_at;
    RedisModuleString *more[EFFECT_WORDS_MAX];
    size_t words;   /* how many more */
    size_t records; /* how many */
    struct record_writer bytes;
};

void effect_bundle_start(struct effect_bundle *bundle, RedisModuleCtx *ctx);
/* Sends what is left. */
void effect_bundle_end(struct effect_bundle *bundle);

/* Nobody receives effects: lets the server count the command as a change (`dirty`), so that it saves in time. There is
 * nobody to whom the command itself could go. */
void effect_count_only(const struct call *call);

/* Writes a record to an append-only file that is being rewritten. */
void effect_emit(RedisModuleIO *io, RedisModuleString *key, const struct record_writer *record,
                 const struct bytes *content);

/* The record after each value in a file: the newest version of the server that wrote it. It belongs to no data type.
 * Reading fails for what is malformed or not plausible. */
void effect_write_newest(struct record_writer *record);
bool effect_is_newest(struct bytes record);
bool effect_read_newest(struct bytes record, int64_t horizon_ms, version *newest);

/* A chunk with the bytes of a content beside the record. It keeps the argument itself unless the
 * server may still use it. */
struct chunk *effect_chunk(const struct effect_content *content);

/* The value of the key that travels beside a record, if it has this type; NULL if not. */
const void *effect_other_value(const struct effect_content *content, const struct data_type *type);

/* The latest instant that versions from outside may have; no limit for sources that are obeyed. */
int64_t effect_horizon_ms(bool obeyed);

/* Counts an effect that was not applied, and logs the first one of its kind. */
RARELY void effect_complain(RedisModuleCtx *ctx, enum effect_result result);

/* For INFO. */
unsigned long long effect_misfits(void);
unsigned long long effect_malformed(void);

#endif
