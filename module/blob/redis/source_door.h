/* Connecting to another server: whether it is allowed, its addresses, and the greeting.
 *
 * The requested host must be allowed by name, and each address that its name resolves to must be allowed as well:
 * only such an address is ever connected to, so the owner of a name cannot direct this server elsewhere. A MOVED
 * counts as another requested host. Only for a link's thread. */
#ifndef HOLDFAST_SOURCE_DOOR_H
#define HOLDFAST_SOURCE_DOOR_H

#include "blob/redis/source_link.h"

#include <hiredis/hiredis.h>

struct source_door {
    char *host;
    int port;
    char *allowed, *user, *password;
    size_t user_length, password_length;
    int64_t timeout_ms;
    bool tls;
    char *ca_file, *ca_folder, *certificate, *key; /* NULL for none */
    unsigned greetings;                            /* greetings without a reply so far */
    bool authenticates;                            /* the first greeting is an AUTH */
};

/* Called once: counts hiredis's memory as the server's. */
void source_door_count_memory(void);

void source_door_start(struct source_door *door, const struct copy_order *order,
                       const struct link_settings *settings);
void source_door_end(struct source_door *door);

/* A connection to which nothing has been written. NULL when there is none, or, permanently, when the
 * reader has failed. */
redisContext *source_door_open(struct source_door *door, struct source_reader *reader,
                               struct source_failure *loss);

/* Secures the connection if TLS is asked for, and writes the greetings. False when the connection was lost. */
bool source_door_enter(struct source_door *door, redisContext *connection, struct source_failure *loss);

/* Writes a request. */
void source_door_ask(redisContext *connection, const struct source_question *question);

/* Handles the reply to a greeting. */
void source_door_greeted(struct source_door *door, const struct answer *answer, struct source_reader *reader);

/* Whether an error is a redirection. The reader fails if it must not be followed. */
enum door_move { DOOR_STAYS, DOOR_MOVES, DOOR_CLOSED };
enum door_move source_door_move(struct source_door *door, struct bytes error, struct source_reader *reader);

/* Removes the password from a failure's text, whatever the source has said. */
void source_door_hide_password(const struct source_door *door, struct source_failure *failure);

#endif
