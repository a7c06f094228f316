/* A server that runs under valgrind's callgrind, which counts its instructions. */
#ifndef INSTRUCTIONS_SERVER_H
#define INSTRUCTIONS_SERVER_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { PATH_BYTES = 256 };

/* Who hears of changes. */
enum audience { NOBODY, AN_AOF, A_REPLICA, AUDIENCES };

struct server {
    pid_t process;
    pid_t replica; /* 0 for none */
    char folder[PATH_BYTES];
    char socket[PATH_BYTES];
    redisContext *client;
    unsigned counts; /* how many times something was counted; callgrind numbers its files likewise */
    uint64_t marker_instructions;
};

/* Starts a server in a new folder. Its replica, if it has one, is not counted. */
void server_start(struct server *server, enum audience audience);
void server_stop(struct server *server);

redisContext *server_connect(const struct server *server);

/* Between the two calls the server's instructions are counted. */
void server_count_start(struct server *server);
uint64_t server_count_stop(struct server *server);

/* Calls once; gives up when the answer is an error. The caller frees the reply. */
redisReply *server_call(redisContext *client, const char *command);

#endif
