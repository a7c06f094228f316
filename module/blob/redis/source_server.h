/* Connecting to another server: whether it is allowed, its addresses, and the greeting.
 *
 * The requested host must be allowed by name, and each address that its name resolves to must be allowed as well:
 * only such an address is ever connected to, so the owner of a name cannot direct this server elsewhere. A MOVED
 * counts as another requested host. Only for a link's thread. */
#ifndef HOLDFAST_SOURCE_SERVER_H
#define HOLDFAST_SOURCE_SERVER_H

#include "blob/source_reader.h"

#include <hiredis/hiredis.h>

/* What the operator has set for connecting to other servers. */
struct source_settings {
    struct bytes allowed;        /* see core/host_list.h */
    struct bytes user, password; /* empty for none */
    int64_t timeout_ms;
    bool tls;
    const char *ca_file, *ca_folder, *certificate, *key; /* NULL for none */
};

struct source_server {
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
void source_server_count_memory(void);

/* Copies the texts of the order and the settings. */
void source_server_start(struct source_server *server, const struct copy_order *order,
                         const struct source_settings *settings);
void source_server_end(struct source_server *server);

/* A connection to which nothing has been written. NULL when there is none, or, permanently, when the
 * reader has failed. */
redisContext *source_server_connect(struct source_server *server, struct source_reader *reader,
                                    struct source_failure *loss);

/* Secures the connection if TLS is asked for, and writes the greetings. False when the connection was lost. */
bool source_server_greet(struct source_server *server, redisContext *connection, struct source_failure *loss);

/* Writes a request. */
void source_server_ask(redisContext *connection, const struct source_question *question);

/* Handles the reply to a greeting. */
void source_server_greeted(struct source_server *server, const struct answer *answer,
                           struct source_reader *reader);

/* Whether an error is a redirection. The reader fails if it must not be followed. */
enum redirection { REDIRECTION_NONE, REDIRECTION_FOLLOWED, REDIRECTION_FORBIDDEN };
enum redirection source_server_redirect(struct source_server *server, struct bytes error,
                                        struct source_reader *reader);

/* Removes the password from a failure's text, whatever the source has said. */
void source_server_hide_password(const struct source_server *server, struct source_failure *failure);

#endif
