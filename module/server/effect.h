/* Effects: the only thing that is ever replicated, and the one way in which others' effects come in.
 *
 *   HFA key record [content]
 *
 * HFA is HOLDFAST.APPLY under a short name: each effect has to be looked up by it, and it stands in each.
 *
 * A record is a family's packed fact. Large bytes travel beside it as an argument of their own, shared, not
 * copied. The handler calls the same apply as the primary did and replicates itself onward, since a replica's
 * own append-only file depends on that. It takes effects from the primary's link and from an append-only file
 * that is being loaded; from clients only where the operator allows it.
 *
 * An effect from the primary or a file is never refused: one that does not fit or cannot be read is counted
 * and logged, since an error reply there would stop the replica's stream and help nobody. */
#ifndef HOLDFAST_EFFECT_H
#define HOLDFAST_EFFECT_H

#include "core/record.h"
#include "core/version.h"
#include "server/command.h"

#define EFFECT_COMMAND       "HOLDFAST.APPLY"
#define EFFECT_COMMAND_SHORT "HFA"

/* Sends a record about the call's key, and the content that travels beside it, if any. */
void effect_send(const struct call *call, const struct record_writer *record, RedisModuleString *content);

/* There was an effect and no audience for it: the server only counts the change, so that it saves in time. */
void effect_unheard(const struct call *call);

/* Writes a record into an append-only file that is being rewritten. */
void effect_emit(RedisModuleIO *io, RedisModuleString *key, const struct record_writer *record,
                 const struct bytes *content);

/* The record behind each value in a file: the newest version of the server that has written it. It belongs to no family.
 * Reading it fails for what cannot be read or believed. */
void effect_write_newest(struct record_writer *record);
bool effect_is_newest(struct bytes record);
bool effect_read_newest(struct bytes record, int64_t horizon_ms, version *newest);

/* A chunk that holds the bytes of a content beside the record: keeps the argument itself unless the server may still use
 * it. */
struct chunk *effect_chunk(const struct effect_content *content);

/* The value of the key that travels beside a record, if it is one of the family's; NULL if not. */
const void *effect_other_value(const struct effect_content *content, const struct aggregate *family);

/* The latest instant that versions from outside may speak of; everything, for sources that are obeyed. */
int64_t effect_horizon_ms(bool obeyed);

/* Counts an effect that has not been applied, and logs the first of its sort. */
void effect_complain(RedisModuleCtx *ctx, enum effect_result result);

/* For INFO. */
unsigned long long effect_misfits(void);
unsigned long long effect_malformed(void);

#endif
