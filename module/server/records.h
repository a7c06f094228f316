/* Records: what all data types do alike with the records of their changes, as effects and in files.
 *
 *   effect ─▶ read, believe ─▶ make | drop | move ─▶ what to notify, wake and look after
 *   file   ─▶ read, believe ─▶ make | move                  ◀─ walk ─ value */
#ifndef HOLDFAST_RECORDS_H
#define HOLDFAST_RECORDS_H

#include "server/aggregate.h"
#include "server/saving.h"

/* Lets a record from elsewhere move the value of a key. */
enum effect_result records_apply(const struct aggregate *type, struct effect_target *target,
                                 struct bytes record, const struct effect_content *content,
                                 int64_t horizon_ms);

/* Lets the next record of a file move loading->value, or make it. False for what is not believed. */
bool records_load(const struct aggregate *type, struct loading *loading, struct bytes record);

/* Puts the records that build the value anew, in order. */
void records_save(const struct aggregate *type, struct saving *saving, const void *value);

#endif
