/* Doctored values and effects: building them, handing them to the primary, and requiring that what was
 * accepted is whole and safe. */
#ifndef HOLDFAST_TESTS_HOSTILE_H
#define HOLDFAST_TESTS_HOSTILE_H

#include "client.h"

struct tally {
    int refused;
    int accepted;
};

/* A container with metadata, policies and some blobs of growing size. */
void hostile_fill(const char *container, int blobs);

/* The same with blobs of all kinds, snapshots, copies and staged blocks. */
void hostile_fill_kinds(const char *container);

/* Its DUMP. */
redisReply *hostile_dump(const char *container, int blobs);
redisReply *hostile_dump_kinds(const char *container);

/* Reads all of a value in every way there is, and deletes it. */
typedef void look_at_value(const char *key);

/* Has the value under the key `again`, too, by DUMP and RESTORE: it must be the same. */
void hostile_double(const char *key);

/* That of a container. */
void require_whole(const char *key);

/* Signs the payload and offers it to RESTORE; what is accepted is looked at. */
void hostile_offer(char *payload, size_t length, look_at_value *look, struct tally *tally);

/* Likewise for a container. */
void hostile_restore(char *payload, size_t length, struct tally *tally);

/* Offers the value with each byte of it changed in several ways, and cut off at every length: some
 * and all of which must be refused. */
void hostile_change_every_byte(const redisReply *dump, look_at_value *look);
void hostile_cut_at_every_length(const redisReply *dump, look_at_value *look);

/* Plays lines of acts (see files.h), up to NULL, and offers the effect of each to the value that it met, with each byte
 * changed and cut off at every length. As it was sent it fits. */
void hostile_doctor_effects(const char *key, const char *const *lines, look_at_value *look);

#endif
