/* Plays the examples of the pages on a server and compares the replies with those shown.
 *
 * A line that begins with '> ' or 'NAME> ' is a command, sent on the connection of that name; the lines
 * below it are the reply as redis-cli shows it. A command without a reply waits (BLOCK); its reply is
 * shown later, behind its name again. */
#ifndef HOLDFAST_TESTS_EXAMPLE_H
#define HOLDFAST_TESTS_EXAMPLE_H

#include <stdbool.h>

#include "example_match.h"
#include "pages.h"
#include "reply.h"
#include "words.h"

struct speaker {
    const char *name;
    struct wire *wire;
    const char *waits; /* the command whose reply is still to come, or NULL */
};

enum { SPEAKERS_MAX = 8 };

/* One reading of a page: its connections, and what its ETags and ids stand for. */
struct reading {
    struct server *server;
    bool is_resp3;
    struct example_match example_match;
    struct speaker speaker[SPEAKERS_MAX];
    void (*tell)(const struct words *command,
                 const redisReply *reply); /* called for each reply; may be NULL */
};

/* Answers NULL, or what is other than shown. */
const char *example_play(struct reading *reading, const struct fence *fence);

#endif
