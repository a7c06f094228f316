/* Everywhere the same: whatever a test did, the data must be equal on the primary, on its replicas, after
 * every way of writing them to a file and reading them back, and under another key. */
#ifndef HOLDFAST_TESTS_SAME_EVERYWHERE_H
#define HOLDFAST_TESTS_SAME_EVERYWHERE_H

#include "client.h"

void require_same_everywhere(void);

/* Digest of all keys in all databases. */
const char *digest_of(struct client *client);

/* Digest of one value. */
const char *value_digest(struct client *client, const char *key);

/* Fails, with the keys that differ, unless both servers hold the same. `when` completes the sentence. */
void require_same(struct client *one, struct client *other, const char *when);

/* Puts the value where it is once more, by COPY, UNLINK and RENAME, and by DUMP and RESTORE. */
void pass_through_copies(const char *key);

/* Waits until no file is being rewritten, as after a full synchronisation or a BGREWRITEAOF. */
void await_settled_files(struct client *client);

/* BGREWRITEAOF and its end. */
void rewrite_append_only_file(struct client *client, bool with_preamble);

#endif
