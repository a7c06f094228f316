/* The door to another server: whether one may go there, what its name leads to, how one comes in.
 *
 * The host that was asked for must be allowed by name, and each address that its name leads to must be allowed as well: only
 * to such an address there is ever a connection, so who owns a name cannot lead this server somewhere else. A MOVED is
 * another host that was asked for. For a link's thread alone. */
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
    unsigned greetings;                            /* that have not been answered yet */
    bool authenticates;                            /* the first of them */
};

/* Once: what hiredis holds is the server's memory, too. */
void source_door_count_memory(void);

void source_door_start(struct source_door *door, const struct copy_order *order,
                       const struct link_settings *settings);
void source_door_end(struct source_door *door);

/* A connection on which the greetings have been written. NULL when it was lost, or, for good, the reader has failed. */
redisContext *source_door_open(struct source_door *door, struct source_reader *reader,
                               struct source_failure *loss);

/* Writes a question. */
void source_door_ask(redisContext *connection, const struct source_question *question);

/* The answer to a greeting. */
void source_door_greeted(struct source_door *door, const struct answer *answer, struct source_reader *reader);

/* Whether an error tells that the blob is somewhere else. The reader fails if that must not be followed. */
enum door_move { DOOR_STAYS, DOOR_MOVES, DOOR_CLOSED };
enum door_move source_door_move(struct source_door *door, struct bytes error, struct source_reader *reader);

/* What is told of a failure never shows the password, whatever the source has said. */
void source_door_hide_password(const struct source_door *door, struct source_failure *failure);

#endif
