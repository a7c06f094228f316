/* Records: what all data types do alike with the records of their changes, as effects and in files.
 *
 *   effect ─▶ read, believe ─▶ make | drop | move ─▶ what to notify, wake and look after
 *   file   ─▶ read, believe ─▶ make | move                  ◀─ walk ─ value */
#ifndef HOLDFAST_RECORDS_H
#define HOLDFAST_RECORDS_H

#include "change/once_change.h"
#include "server/aggregate.h"
#include "server/saving.h"

/* Lets a record from elsewhere move the value of a key, and the value remember what comes with it. The record is empty,
 * or `once` is NULL, where there is only the other. */
enum effect_result records_apply(const struct aggregate *type, struct effect_target *target,
                                 struct bytes record, const struct once_change *once,
                                 const struct effect_content *content, int64_t horizon_ms);

/* Reads what is to be remembered. False for what cannot be read or believed. */
bool records_read_once(struct bytes record, int64_t horizon_ms, struct once_change *once);

/* Lets the next record of a file move loading->value, or make it. False for what is not believed. */
bool records_load(const struct aggregate *type, struct loading *loading, struct bytes record);

/* Puts the records of the calls that a value remembers. */
void records_save_remembered(const struct aggregate *type, struct saving *saving, const void *value);

/* Puts the records that build the value anew, in order. */
void records_save(const struct aggregate *type, struct saving *saving, const void *value);

#endif
