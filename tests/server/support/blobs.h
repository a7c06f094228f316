/* What tests of blobs have in common: the primary's blobs of all kinds. */
#ifndef HOLDFAST_TESTS_BLOBS_H
#define HOLDFAST_TESTS_BLOBS_H

#include "client.h"

/* BLOB.SNAPSHOT, which must succeed; answers the id. */
const char *snapshot(const char *container, const char *blob);

/* BLOB.PUTBLOCK of so many letters under the id. */
void stage(const char *container, const char *blob, const char *id, size_t length, char letter);

/* Appends one byte so many times to a blob in box. */
void fill_append_blob(const char *blob, int times);

/* The content as a text; `rest` is what comes behind the blob's name. */
const char *content_of(const char *container, const char *blob, const char *rest);

/* MEMORY USAGE of the whole value. */
long long memory_of(struct client *client, const char *key);

#endif
