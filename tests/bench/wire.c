#define _GNU_SOURCE
#include "wire.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "basics.h"

enum { RECEIVE_BYTES = 8 << 20, RECEIVE_BYTES_NARROW = 4096, PATIENCE_SECONDS = 60 };

struct wire {
    int socket;
    char *bytes;
    size_t room;
    size_t used;     /* how many bytes have been received */
    size_t consumed; /* how many of them belong to replies that were handed out */
};

static struct wire *wire_connect(const char *path, size_t room) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    require(strlen(path) < sizeof address.sun_path, "the path of the socket is too long: %s", path);
    memcpy(address.sun_path, path, strlen(path));
    struct wire *wire = take(1, sizeof *wire);
    wire->room = room;
    wire->bytes = take(1, room);
    wire->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(wire->socket >= 0 && !connect(wire->socket, (struct sockaddr *)&address, sizeof address),
            "cannot connect to %s: %s", path, strerror(errno));
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    setsockopt(wire->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return wire;
}

struct wire *wire_open(const struct server *server, unsigned database) {
    struct wire *wire = wire_connect(server->socket, RECEIVE_BYTES);
    wire_call(wire, "SELECT %u", database);
    return wire;
}

struct wire *wire_open_narrow(const struct server *server) {
    return wire_connect(server->socket, RECEIVE_BYTES_NARROW);
}

int wire_socket(const struct wire *wire) {
    return wire->socket;
}

void wire_close(struct wire *wire) {
    close(wire->socket);
    free(wire->bytes);
    free(wire);
}

void wire_send(struct wire *wire, const char *bytes, size_t length) {
    require(wire->consumed == wire->used, "a reply came that nobody asked for");
    wire->consumed = wire->used = 0;
    while (length) {
        ssize_t sent = send(wire->socket, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        require(sent > 0, "the server is gone: %s", strerror(errno));
        bytes += sent;
        length -= (size_t)sent;
    }
}

static void wire_read_more(struct wire *wire) {
    require(wire->used < wire->room, "the replies of a batch take more than %zu bytes", wire->room);
    ssize_t count = recv(wire->socket, wire->bytes + wire->used, wire->room - wire->used, 0);
    if (count < 0 && errno == EINTR) return;
    require(count >= 0 || errno != EAGAIN, "no reply came within %d seconds", PATIENCE_SECONDS);
    require(count > 0, "the server is gone: %s", count ? strerror(errno) : "it closed the connection");
    wire->used += (size_t)count;
}

/* Reads a scalar or the head of an array. Returns false when it is not all there yet. */
static bool part_read(const char *at, const char *end, struct reply *part) {
    const char *line_end = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (!line_end) return false;
    *part = (struct reply){
        .kind = *at, .text = at + 1, .length = (size_t)(line_end - at) - 2, .next = line_end + 1, .end = end};
    if (*at != '$' && *at != '*') return true;
    long long count = strtoll(at + 1, NULL, 10);
    part->is_null = count < 0;
    part->length = count < 0 ? 0 : (size_t)count;
    if (*at == '*' || count < 0) return true;
    part->text = part->next;
    part->next += count + 2;
    return part->next <= end;
}

/* Where the whole reply at `at` ends, or NULL. */
static const char *reply_end(const char *at, const char *end) {
    for (size_t missing = 1; missing; missing--) {
        struct reply part;
        if (!part_read(at, end, &part)) return NULL;
        if (part.kind == '*') missing += part.length;
        at = part.next;
    }
    return at;
}

struct reply reply_element(const struct reply *array, size_t index) {
    const char *at = array->next;
    struct reply element = {0};
    require(array->kind == '*' && index < array->length, "a reply has no element %zu", index);
    while (index--) at = reply_end(at, array->end);
    part_read(at, array->end, &element);
    return element;
}

struct reply reply_next(const struct reply *part) {
    struct reply next = {0};
    require(part_read(part->next, part->end, &next), "a reply ends too early");
    return next;
}

struct reply wire_receive_any(struct wire *wire) {
    const char *end;
    while (!(end = reply_end(wire->bytes + wire->consumed, wire->bytes + wire->used))) wire_read_more(wire);
    struct reply reply = {0};
    part_read(wire->bytes + wire->consumed, wire->bytes + wire->used, &reply);
    wire->consumed = (size_t)(end - wire->bytes);
    return reply;
}

struct reply wire_receive(struct wire *wire, const char *what) {
    struct reply reply = wire_receive_any(wire);
    require(reply.kind != '-', "%s was answered by: %.*s", what, (int)reply.length, reply.text);
    return reply;
}

static void ask(struct wire *wire, const char *format, va_list arguments) {
    char *request;
    int length = redisvFormatCommand(&request, format, arguments);
    require(length > 0, "cannot format '%s'", format);
    wire_send(wire, request, (size_t)length);
    redisFreeCommand(request);
}

void wire_ask(struct wire *wire, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ask(wire, format, arguments);
    va_end(arguments);
}

struct reply wire_call(struct wire *wire, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ask(wire, format, arguments);
    va_end(arguments);
    return wire_receive(wire, format);
}
