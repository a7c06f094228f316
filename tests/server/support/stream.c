#include "stream.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "failure.h"
#include "pool.h"
#include "text.h"
#include "wire.h"

/* PUBLISH travels to replicas and touches no key, so it serves as a mark. */
static const char mark[] = "end-of-what-came";

struct stream {
    struct wire *wire;
};

struct stream *stream_attach(struct server *server) {
    struct stream *stream = pool_take(sizeof(*stream));
    stream->wire = wire_open(server);
    redisReply *answer = wire_call(stream->wire, "PSYNC ? -1");
    require(answer->type == REDIS_REPLY_STATUS && text_begins(answer->str, "FULLRESYNC"), "PSYNC answers %s",
            reply_text(answer));
    const char *start = wire_receive_raw(stream->wire, 1);
    while (*start == '\n') start = wire_receive_raw(stream->wire, 1);
    require(*start == '$', "the RDB begins with %s", text_quoted(start, 1));
    struct text digits = EMPTY_TEXT;
    for (const char *byte = wire_receive_raw(stream->wire, 1); *byte != '\n';
         byte = wire_receive_raw(stream->wire, 1)) {
        text_add(&digits, byte, 1);
    }
    wire_receive_raw(stream->wire, strtoul(digits.bytes, NULL, 10));
    return stream;
}

static bool is_command(const redisReply *command, const char *name) {
    return command->elements && !strcasecmp(command->element[0]->str, name);
}

/* What is not told about: the database, and marks that another stream of the same servers asked for. */
static bool is_silent(const redisReply *command) {
    return is_command(command, "SELECT") || is_command(command, "PING") ||
           (is_command(command, "PUBLISH") && text_begins(command->element[1]->str, mark));
}

redisReply *stream_commands(struct stream *stream, struct client *client) {
    static long long marks;
    const char *channel = pool_print("%s-%lld", mark, ++marks);
    call(client, "PUBLISH %s x", channel);
    redisReply *commands = pool_take(sizeof(*commands));
    commands->type = REDIS_REPLY_ARRAY;
    for (;;) {
        redisReply *command = wire_receive(stream->wire);
        if (is_command(command, "PUBLISH") && !strcmp(command->element[1]->str, channel)) return commands;
        if (is_silent(command)) continue;
        commands->element =
            pool_grow(commands->element, (commands->elements + 1) * sizeof(*commands->element));
        commands->element[commands->elements++] = command;
    }
}

const char *stream_line(const redisReply *command) {
    struct text line = {0};
    bool is_effect = !strcmp(command->element[0]->str, "HFA");
    if (is_effect) text_print(&line, "HOLDFAST.APPLY");
    for (size_t i = is_effect; i < command->elements && i < 2; i++) {
        if (i) text_add(&line, " ", 1);
        text_add_escaped(&line, command->element[i]->str, command->element[i]->len);
    }
    return line.bytes;
}

void stream_expect(struct stream *stream, struct client *client, const char *lines) {
    redisReply *commands = stream_commands(stream, client);
    struct text real = EMPTY_TEXT;
    for (size_t i = 0; i < commands->elements; i++)
        text_print(&real, "%s%s", i ? "\n" : "", stream_line(commands->element[i]));
    require(!strcmp(real.bytes, lines), "expected in the stream\n%s\nbut there was\n%s", lines, real.bytes);
}
