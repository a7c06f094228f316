#include "client.h"

#include <stdarg.h>
#include <stdlib.h>

#include "failure.h"
#include "pool.h"

struct client *client_open(struct server *server) {
    struct client *client = calloc(1, sizeof(*client));
    require(client, "out of memory");
    client->server = server;
    client->context = redisConnect("127.0.0.1", server->port);
    require(client->context && !client->context->err, "cannot connect to server %s", server->name);
    return client;
}

void client_close(struct client *client) {
    if (!client) return;
    redisFree(client->context);
    free(client);
}

static void visitor_close(void *client) {
    client_close(client);
}

struct client *test_client(struct server *server) {
    struct client *client = client_open(server);
    pool_keep(client, visitor_close);
    return client;
}

redisReply *receive(struct client *client) {
    void *reply = NULL;
    if (redisGetReply(client->context, &reply) != REDIS_OK || !reply)
        failure("no reply: %s; %s", client->context->errstr, server_obituary(client->server));
    pool_keep(reply, freeReplyObject);
    return reply;
}

static void append_list(struct client *client, const char *format, va_list arguments) {
    char *command = NULL;
    int length = redisvFormatCommand(&command, format, arguments);
    require(length >= 0, "cannot format %s", format);
    failure_note_command(command, (size_t)length);
    redisAppendFormattedCommand(client->context, command, (size_t)length);
    redisFreeCommand(command);
}

redisReply *call(struct client *client, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append_list(client, format, arguments);
    va_end(arguments);
    return receive(client);
}

void send_call(struct client *client, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append_list(client, format, arguments);
    va_end(arguments);
}

void send_words(struct client *client, const struct words *words) {
    char *command = NULL;
    int length =
        redisFormatCommandArgv(&command, (int)words->count, (const char **)words->word, words->length);
    require(length >= 0, "cannot format %s", words_text(words));
    failure_note_command(command, (size_t)length);
    redisAppendFormattedCommand(client->context, command, (size_t)length);
    redisFreeCommand(command);
}

redisReply *call_words(struct client *client, const struct words *words) {
    send_words(client, words);
    return receive(client);
}

void send_now(struct client *client) {
    int sent = 0;
    while (!sent && redisBufferWrite(client->context, &sent) == REDIS_OK) continue;
}

redisReply *call_line(struct client *client, const char *line) {
    struct words words = words_of_line(line);
    return call_words(client, &words);
}

void call_many(struct client *client, int count, const char *format) {
    for (int i = 0; i < count; i++) send_call(client, format, i);
    for (int i = 0; i < count; i++) {
        const redisReply *reply = receive(client);
        require(!reply_is_error(reply), "%s gives %s", format, reply_text(reply));
    }
}
