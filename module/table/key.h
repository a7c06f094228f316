/* Keys of entities: a partition key and a row key, stored together as one run of bytes.
 *
 *   stored = order(partition) 00 order(row)
 *
 * order() is UTF-8 with the lead bytes EE and EF written as FE and FF, so that bytes compare as UTF-16 code units do.
 * Stored keys therefore sort by partition, then by row, as in the storage service. No key has a zero byte, so the
 * separator is unique. */
#ifndef HOLDFAST_TABLE_KEY_H
#define HOLDFAST_TABLE_KEY_H

#include "core/outcome.h"
#include "core/record.h"

enum {
    KEY_MAX_UNITS = 512, /* UTF-16 code units of each key */
    KEY_MAX_BYTES = KEY_MAX_UNITS * 3,
    STORED_KEY_MAX_BYTES = KEY_MAX_BYTES * 2 + 1,
};

/* PROPERTY_VALUE_TOO_LARGE, KEY_CHARACTER for a forbidden character, KEY_NOT_TEXT for invalid UTF-8. */
enum outcome key_check(struct bytes key);

/* Convert a key to its stored form, and back. The length stays the same; source and target may be the same. */
void key_store(struct bytes key, char *stored);
void key_show(struct bytes stored, char *key);

static inline size_t stored_key_length(struct bytes partition, struct bytes row) {
    return partition.length + 1 + row.length;
}

/* Writes the stored key of a pair to a buffer of stored_key_length. Returns it. */
struct bytes stored_key_write(struct bytes partition, struct bytes row, char *stored);

/* Appends the stored key of a pair. */
void stored_key_put(struct record_writer *writer, struct bytes partition, struct bytes row);

/* The length of both keys together, in UTF-16 code units. */
size_t stored_key_units(struct bytes stored);

struct stored_key {
    struct bytes partition, row;
};

/* Splits a stored key at its separator. False when the bytes do not have exactly one. */
bool stored_key_split(struct bytes stored, struct stored_key *parts);
/* Whether both parts are valid keys, too. */
bool stored_key_sound(struct bytes stored);

#endif
