/* What one command may cost, measured on values that are made to be the worst.
 *
 * Lines of bounds have short forms:
 *   4*a        as many letters
 *   a~b        one word with a space in it
 *   @x         what an earlier line kept under x
 *   x = LINE   keeps what the reply brings: a handle, a session, an id, or the reply itself */
#ifndef HOLDFAST_TESTS_BOUNDS_H
#define HOLDFAST_TESTS_BOUNDS_H

#include "client.h"

struct bound {
    const char *line;    /* what is measured */
    void (*build)(void); /* runs before each try; may be NULL */
    const char *before;  /* a line that runs after that; may be NULL */
    long long known_ms;  /* its own bound, if it is known to take longer, or far less; 0 for 50 ms */
};

/* In place of known_ms, for what answers as much as it may: where a GET of 64 MB takes long, half as much again. */
enum { LIKE_NATIVE = -1 };

/* The server that is measured; it has no replica. */
extern struct server *bounds_server;
extern struct client *bounds_client;
void bounds_begin(const char *settings);

/* One line, which must succeed. */
redisReply *bounds_do(const char *line);

const char *bounds_kept(const char *name);

/* The same for many lines without short forms, whose replies are awaited together. */
void bounds_send(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bounds_send_words(const struct words *words);
void bounds_receive_all(void);

/* Moves the server's clock, which keeps all that was added. */
void bounds_later(int seconds);

/* Measures each row, up to the one without a line: no call may take longer than 50 ms, and no
 * reply more than the server's bound. */
void bounds_measure(const struct bound *rows);

#endif
