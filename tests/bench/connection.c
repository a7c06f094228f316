#define _GNU_SOURCE
#include "connection.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { RECEIVE_BYTES = 8 << 20, RECEIVE_BYTES_SMALL = 4096, PATIENCE_SECONDS = 60 };

struct connection {
    int socket;
    char *bytes;
    size_t room;
    size_t used;     /* how many bytes have been received */
    size_t consumed; /* how many of them belong to replies that were handed out */
};

static struct connection *connection_connect(const char *path, size_t room) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    require(strlen(path) < sizeof(address.sun_path), "the path of the socket is too long: %s", path);
    memcpy(address.sun_path, path, strlen(path));
    struct connection *connection = allocate(1, sizeof(*connection));
    connection->room = room;
    connection->bytes = allocate(1, room);
    connection->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(connection->socket >= 0 &&
                !connect(connection->socket, (struct sockaddr *)&address, sizeof(address)),
            "cannot connect to %s: %s", path, strerror(errno));
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    setsockopt(connection->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return connection;
}

struct connection *connection_open(const struct server *server, unsigned database) {
    struct connection *connection = connection_connect(server->socket, RECEIVE_BYTES);
    connection_call(connection, "SELECT %u", database);
    return connection;
}

struct connection *connection_open_small(const struct server *server) {
    return connection_connect(server->socket, RECEIVE_BYTES_SMALL);
}

struct connection *connection_open_large(const struct server *server, size_t bytes) {
    return connection_connect(server->socket, bytes);
}

int connection_socket(const struct connection *connection) {
    return connection->socket;
}

void connection_close(struct connection *connection) {
    close(connection->socket);
    free(connection->bytes);
    free(connection);
}

void connection_send(struct connection *connection, const char *bytes, size_t length) {
    require(connection->consumed == connection->used, "a reply came that nobody asked for");
    connection->consumed = connection->used = 0;
    while (length) {
        ssize_t sent = send(connection->socket, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        require(sent > 0, "the server is gone: %s", strerror(errno));
        bytes += sent;
        length -= (size_t)sent;
    }
}

static void connection_read_more(struct connection *connection) {
    require(connection->used < connection->room, "the replies of a batch take more than %zu bytes",
            connection->room);
    ssize_t count = recv(connection->socket, connection->bytes + connection->used,
                         connection->room - connection->used, 0);
    if (count < 0 && errno == EINTR) return;
    require(count >= 0 || errno != EAGAIN, "no reply came within %d seconds", PATIENCE_SECONDS);
    require(count > 0, "the server is gone: %s", count ? strerror(errno) : "it closed the connection");
    connection->used += (size_t)count;
}

/* Reads a scalar or the head of an array. Returns false when it is not all there yet. */
static bool part_read(const char *at, const char *end, struct reply *element) {
    const char *line_end = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (!line_end) return false;
    *element = (struct reply){
        .kind = *at, .text = at + 1, .length = (size_t)(line_end - at) - 2, .next = line_end + 1, .end = end};
    if (*at != '$' && *at != '*') return true;
    long long count = strtoll(at + 1, NULL, 10);
    element->is_null = count < 0;
    element->length = count < 0 ? 0 : (size_t)count;
    if (*at == '*' || count < 0) return true;
    element->text = element->next;
    element->next += count + 2;
    return element->next <= end;
}

/* Where the whole reply at `at` ends, or NULL. */
static const char *reply_end(const char *at, const char *end) {
    for (size_t missing = 1; missing; missing--) {
        struct reply element;
        if (!part_read(at, end, &element)) return NULL;
        if (element.kind == '*') missing += element.length;
        at = element.next;
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

struct reply reply_next(const struct reply *element) {
    struct reply next = {0};
    require(part_read(element->next, element->end, &next), "a reply ends too early");
    return next;
}

struct reply reply_further(struct reply element, unsigned count) {
    while (count--) element = reply_next(&element);
    return element;
}

struct reply connection_receive_any(struct connection *connection) {
    const char *end;
    while (!(end = reply_end(connection->bytes + connection->consumed, connection->bytes + connection->used)))
        connection_read_more(connection);
    struct reply reply = {0};
    part_read(connection->bytes + connection->consumed, connection->bytes + connection->used, &reply);
    connection->consumed = (size_t)(end - connection->bytes);
    return reply;
}

struct reply connection_receive(struct connection *connection, const char *what) {
    struct reply reply = connection_receive_any(connection);
    require(reply.kind != '-', "%s was answered by: %.*s", what, (int)reply.length, reply.text);
    return reply;
}

static void request_send(struct connection *connection, const char *format, va_list arguments) {
    char *request;
    int length = redisvFormatCommand(&request, format, arguments);
    require(length > 0, "cannot format '%s'", format);
    connection_send(connection, request, (size_t)length);
    redisFreeCommand(request);
}

void connection_ask(struct connection *connection, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    request_send(connection, format, arguments);
    va_end(arguments);
}

struct reply connection_call(struct connection *connection, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    request_send(connection, format, arguments);
    va_end(arguments);
    return connection_receive(connection, format);
}

/* --- Many connections --- */

enum { FILES_BESIDES = 100 };

unsigned connection_limit(unsigned wanted) {
    struct rlimit limit;
    require(!getrlimit(RLIMIT_NOFILE, &limit), "cannot read a limit: %s", strerror(errno));
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= wanted + FILES_BESIDES) return wanted;
    return limit.rlim_cur > FILES_BESIDES ? (unsigned)limit.rlim_cur - FILES_BESIDES : 0;
}

struct connection_set *connection_set_open(const struct server *server, unsigned count) {
    struct connection_set *set = allocate(1, sizeof(*set));
    set->count = count;
    set->connections = allocate(count, sizeof(struct connection *));
    set->events = epoll_create1(EPOLL_CLOEXEC);
    for (unsigned which = 0; which < count; which++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = which};
        set->connections[which] = connection_open_small(server);
        require(!epoll_ctl(set->events, EPOLL_CTL_ADD, connection_socket(set->connections[which]), &event),
                "cannot watch a connection: %s", strerror(errno));
    }
    return set;
}

void connection_set_close(struct connection_set *set) {
    for (unsigned which = 0; which < set->count; which++) connection_close(set->connections[which]);
    close(set->events);
    free(set->connections);
    free(set);
}

int connection_set_next(const struct connection_set *set, int64_t until_ns) {
    struct epoll_event event;
    int64_t left_ns = until_ns - monotonic_ns();
    if (left_ns < 0) left_ns = 0;
    struct timespec left = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
    int count = epoll_pwait2(set->events, &event, 1, &left, NULL);
    require(count >= 0 || errno == EINTR, "cannot wait for replies: %s", strerror(errno));
    return count > 0 ? (int)event.data.u32 : NO_CONNECTION;
}
