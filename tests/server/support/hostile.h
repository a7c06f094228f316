/*
 * Doctored values and effects: building them, handing them to the primary, and requiring that what was
 * accepted is whole and safe.
 */
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

/* Signs the payload and offers it to RESTORE; what is accepted must be whole. */
void hostile_restore(char *payload, size_t length, struct tally *tally);

/* Reads all of a value in every way there is, and deletes it. */
void require_whole(const char *key);

#endif
