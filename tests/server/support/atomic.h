/* HOLDFAST.ATOMIC as a list of lines, each a command with the short forms of steps.h. */
#ifndef HOLDFAST_TESTS_ATOMIC_H
#define HOLDFAST_TESTS_ATOMIC_H

#include "client.h"

/* A container `c` with the blobs a and b, a queue `q`, a table `t` with the entity p r, a share `s` with a file f of
 * ten bytes in it, a directory d, and a string `text`. */
void atomic_setup(void);

/* Of a blob in `c`; "(none)" if it is not there. */
const char *atomic_content(const char *blob);

/* Puts a message into `q`, and keeps its id and its receipt under these letters. */
void atomic_put_message(char id, char receipt);

/* The whole command, of lines up to NULL. */
struct words atomic_words(const char *const *lines);

redisReply *atomic_of(struct client *client, const char *const *lines);

#define LINES(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define atomic(...) atomic_of(primary, LINES(__VA_ARGS__))

#endif
