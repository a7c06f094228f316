/* Records: what is common to all data types when they handle records of changes, in effects and in files.
 *
 *   effect ─▶ read, believe ─▶ make | drop | move ─▶ what to notify, wake and look after
 *   file   ─▶ read, believe ─▶ make | move                  ◀─ walk ─ value */
#ifndef HOLDFAST_RECORDS_H
#define HOLDFAST_RECORDS_H

#include "change/once_change.h"
#include "core/memory.h"
#include "server/base/data_type.h"

/* Applies a record from elsewhere to a key's value, and what the value is to remember with it. The record is empty,
 * or `once` is NULL, where there is only the other one. `content` is what travels beside the record, and afterwards
 * also what was inside of it. */
enum effect_result records_apply(const struct data_type *type, struct effect_target *target,
                                 struct bytes record, const struct once_change *once,
                                 struct effect_content *content, int64_t horizon_ms);

/* Whether this record may be one of a bundle, as far as it shows itself. `beside`: something travels with it. None
 * drops its value: that is then freed on another thread, perhaps with words of the effect, which the server
 * still uses. */
bool records_fit_bundle(struct bytes record, bool beside, int64_t horizon_ms);

/* Reads what is to be remembered. False for what is malformed or not plausible. */
bool records_read_once(struct bytes record, int64_t horizon_ms, struct once_change *once);

/* --- For effects and files alike --- */

/* A change of any type. */
struct any_change {
    _Alignas(MEMORY_ALIGNMENT) char bytes[CHANGE_MAX_BYTES];
};

/* A change, and what else its record has or tells. */
struct read_change {
    struct any_change change;
    struct bytes inside; /* the content that the record has inside; no data for none */
    version newest;      /* what is minted here from now on is to be newer than this: see version_observe */
};

static inline unsigned records_traits(const struct data_type *type, const struct read_change *read) {
    return change_kind(type->changes, &read->change)->traits;
}

/* Reads a change. False for what is malformed or not plausible. */
bool records_read(const struct data_type *type, struct bytes record, int64_t horizon_ms,
                  struct read_change *read);

/* Whether content travels with the change exactly if it has one: inside of the record or beside it; a key only
 * beside it. */
bool records_have_content(const struct data_type *type, const struct read_change *read, bool beside);

#endif
