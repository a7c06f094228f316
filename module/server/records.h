/* Records: what is common to all data types when they handle records of changes, in effects and in files.
 *
 *   effect ─▶ read, believe ─▶ make | drop | move ─▶ what to notify, wake and look after
 *   file   ─▶ read, believe ─▶ make | move                  ◀─ walk ─ value */
#ifndef HOLDFAST_RECORDS_H
#define HOLDFAST_RECORDS_H

#include "change/once_change.h"
#include "server/data_type.h"
#include "server/saving.h"

/* Applies a record from elsewhere to a key's value, and what the value is to remember with it. The record is empty,
 * or `once` is NULL, where there is only the other one. */
enum effect_result records_apply(const struct data_type *type, struct effect_target *target,
                                 struct bytes record, const struct once_change *once,
                                 const struct effect_content *content, int64_t horizon_ms);

/* Reads what is to be remembered. False for what is malformed or not plausible. */
bool records_read_once(struct bytes record, int64_t horizon_ms, struct once_change *once);

/* Applies the next record of a file to loading->value, or creates it. False for what is malformed or not plausible. */
bool records_load(const struct data_type *type, struct loading *loading, struct bytes record);

/* Writes the records of the calls that a value remembers. */
void records_save_remembered(const struct data_type *type, struct saving *saving, const void *value);

/* Writes the records that rebuild the value, in order. */
void records_save(const struct data_type *type, struct saving *saving, const void *value);

#endif
