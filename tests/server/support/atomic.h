/* HOLDFAST.ATOMIC as a list of lines, each a command with the short forms of steps.h. */
#ifndef HOLDFAST_TESTS_ATOMIC_H
#define HOLDFAST_TESTS_ATOMIC_H

#include "client.h"

/* The whole command, of lines up to NULL. */
struct words atomic_words(const char *const *lines);

redisReply *atomic_of(struct client *client, const char *const *lines);

#define LINES(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define atomic(...) atomic_of(primary, LINES(__VA_ARGS__))

#endif
