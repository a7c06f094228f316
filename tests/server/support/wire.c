#define _GNU_SOURCE
#include "wire.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "ccan/array_size/array_size.h"
#include "failure.h"
#include "pool.h"
#include "text.h"

enum { PATIENCE_SECONDS = 20, READ_AT_ONCE = 65536 };

struct wire {
    int socket;
    struct server *server;
    struct text input;
    size_t consumed;
};

static void wire_close(void *target) {
    struct wire *wire = target;
    close(wire->socket);
}

struct wire *wire_open(struct server *server) {
    struct wire *wire = pool_take(sizeof(*wire));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    wire->server = server;
    wire->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pool_keep(wire, wire_close);
    setsockopt(wire->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    require(!connect(wire->socket, (struct sockaddr *)&address, sizeof(address)),
            "cannot connect to server %s", server->name);
    return wire;
}

struct wire *wire_open_resp3(struct server *server) {
    struct wire *wire = wire_open(server);
    redisReply *hello = wire_call(wire, "HELLO 3");
    require(hello->type == REPLY_MAP, "HELLO 3 answers %s", reply_text(hello));
    return wire;
}

void wire_send_raw(struct wire *wire, const void *bytes, size_t length) {
    for (size_t sent = 0; sent < length;) {
        ssize_t count = send(wire->socket, (const char *)bytes + sent, length - sent, MSG_NOSIGNAL);
        if (count <= 0) return; /* the server closed it: what it said before can still be read */
        sent += (size_t)count;
    }
}

void wire_send(struct wire *wire, const struct words *words) {
    struct text command = {0};
    text_print(&command, "*%zu\r\n", words->count);
    for (size_t i = 0; i < words->count; i++) {
        text_print(&command, "$%zu\r\n", words->length[i]);
        text_add(&command, words->word[i], words->length[i]);
        text_add(&command, "\r\n", 2);
    }
    failure_note_command(command.bytes, command.length);
    wire_send_raw(wire, command.bytes, command.length);
}

static void wire_read_more(struct wire *wire) {
    char *bytes = pool_take(READ_AT_ONCE);
    ssize_t count = recv(wire->socket, bytes, READ_AT_ONCE, 0);
    if (count <= 0) failure("nothing more comes; %s", server_obituary(wire->server));
    text_add(&wire->input, bytes, (size_t)count);
}

const char *wire_receive_raw(struct wire *wire, size_t length) {
    while (wire->input.length - wire->consumed < length) wire_read_more(wire);
    const char *bytes = pool_copy(wire->input.bytes + wire->consumed, length);
    wire->consumed += length;
    return bytes;
}

/* A line without its end. */
static const char *wire_receive_line(struct wire *wire) {
    for (size_t looked = 0;; looked = wire->input.length - wire->consumed, wire_read_more(wire)) {
        const char *start = wire->input.bytes + wire->consumed;
        size_t there = wire->input.length - wire->consumed;
        const char *end = there > looked ? memchr(start + looked, '\n', there - looked) : NULL;
        if (!end) continue;
        size_t length = (size_t)(end - start);
        const char *line = wire_receive_raw(wire, length + 1);
        return pool_copy(line, length && line[length - 1] == '\r' ? length - 1 : length);
    }
}

static redisReply *reply_new(int type, const char *string, size_t length) {
    redisReply *reply = pool_take(sizeof(*reply));
    reply->type = type;
    reply->str = pool_copy(string, length);
    reply->len = length;
    return reply;
}

static redisReply *receive_bulk(struct wire *wire, long long length) {
    if (length < 0) return reply_new(REDIS_REPLY_NIL, "", 0);
    const char *bytes = wire_receive_raw(wire, (size_t)length + 2);
    return reply_new(REDIS_REPLY_STRING, bytes, (size_t)length);
}

static redisReply *receive_elements(struct wire *wire, int type, long long count) {
    if (count < 0) return reply_new(REDIS_REPLY_NIL, "", 0);
    redisReply *reply = pool_take(sizeof(*reply));
    reply->type = type;
    reply->elements = (size_t)(type == REPLY_MAP ? count * 2 : count);
    reply->element = pool_take((reply->elements + 1) * sizeof(*reply->element));
    for (size_t i = 0; i < reply->elements; i++) reply->element[i] = wire_receive(wire);
    return reply;
}

static const struct {
    char mark;
    int type;
} wire_types[] = {
    {'+', REDIS_REPLY_STATUS}, {'-', REDIS_REPLY_ERROR},  {':', REDIS_REPLY_INTEGER},
    {'$', REDIS_REPLY_STRING}, {'=', REDIS_REPLY_STRING}, {'*', REDIS_REPLY_ARRAY},
    {'%', REPLY_MAP},          {'~', REPLY_SET},          {'>', REPLY_PUSH},
    {'_', REDIS_REPLY_NIL},    {'#', REPLY_BOOLEAN},      {',', REPLY_DOUBLE},
};

static int wire_type(char mark) {
    for (size_t i = 0; i < ARRAY_SIZE(wire_types); i++) {
        if (wire_types[i].mark == mark) return wire_types[i].type;
    }
    failure("a reply begins with %s", text_quoted(&mark, 1));
    return 0;
}

redisReply *wire_receive(struct wire *wire) {
    const char *line = wire_receive_line(wire);
    while (!*line)
        line = wire_receive_line(wire); /* a primary keeps waiting replicas awake with empty lines */
    int type = wire_type(line[0]);
    long long number = atoll(line + 1);
    if (type == REDIS_REPLY_STRING) return receive_bulk(wire, number);
    if (type == REDIS_REPLY_ARRAY || type >= REPLY_MAP) {
        if (type != REPLY_BOOLEAN && type != REPLY_DOUBLE) return receive_elements(wire, type, number);
    }
    redisReply *reply = reply_new(type, line + 1, strlen(line + 1));
    reply->integer = number;
    return reply;
}

redisReply *wire_call_words(struct wire *wire, const struct words *words) {
    wire_send(wire, words);
    return wire_receive(wire);
}

redisReply *wire_call(struct wire *wire, const char *line) {
    struct words words = words_of_line(line);
    return wire_call_words(wire, &words);
}
