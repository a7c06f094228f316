/* Keys of entities: a partition key and a row key, and the one run of bytes in which both are stored.
 *
 *   stored = order(partition) 00 order(row)
 *
 * order() is UTF-8 with the two lead bytes EE and EF written as FE and FF: so bytes compare as UTF-16 code units do,
 * and what is sorted by stored keys is sorted by partition, then by row, as the service sorts. No key has a zero byte, so partitions do
 * not run into each other. */
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

/* Writes as many bytes as the key has, which may be none. May work in place. */
void key_store(struct bytes key, char *stored);
void key_show(struct bytes stored, char *key);

/* Appends the stored key of a pair to `room`. */
void stored_key_put(struct record_writer *room, struct bytes partition, struct bytes row);

/* The length of both keys together, in UTF-16 code units. */
size_t stored_key_units(struct bytes stored);

struct stored_key {
    struct bytes partition, row;
};

/* Whether the bytes are a valid stored key; and its two parts. */
bool stored_key_split(struct bytes stored, struct stored_key *parts);
bool stored_key_sound(struct bytes stored);

#endif
