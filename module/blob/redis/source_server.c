#include "blob/redis/source_server.h"

#include "core/host_list.h"
#include "core/memory.h"

#include "ccan/array_size/array_size.h"

#include <hiredis/hiredis_ssl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>

enum { LOSS_BYTES = 300 };

/* --- Memory --- */

static void *zeroed_items(size_t count, size_t size) {
    return memory_zeroed(count * size); /* hiredis has checked for overflow */
}

static char *text_copy(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(memory_alloc(size), text, size);
}

void source_server_count_memory(void) {
    hiredisAllocFuncs functions = {memory_alloc, zeroed_items, memory_resize, text_copy, memory_free};
    hiredisSetAllocators(&functions);
}

/* --- The server --- */

static char *text_new(struct bytes bytes) {
    char *text = memory_alloc(bytes.length + 1);
    if (bytes.length) memcpy(text, bytes.data, bytes.length);
    text[bytes.length] = '\0';
    return text;
}

static char *path_new(const char *path) {
    return path && *path ? text_new(bytes_text(path)) : NULL;
}

void source_server_start(struct source_server *server, const struct copy_order *order,
                         const struct source_settings *settings) {
    *server = (struct source_server){
        .host = text_new(order->host),
        .port = order->port,
        .allowed = text_new(settings->allowed),
        .user = text_new(settings->user),
        .user_length = settings->user.length,
        .password = text_new(settings->password),
        .password_length = settings->password.length,
        .timeout_ms = settings->timeout_ms,
        .tls = settings->tls,
        .ca_file = path_new(settings->ca_file),
        .ca_folder = path_new(settings->ca_folder),
        .certificate = path_new(settings->certificate),
        .key = path_new(settings->key),
    };
}

void source_server_end(struct source_server *server) {
    char *texts[] = {server->host,    server->allowed,   server->user,        server->password,
                     server->ca_file, server->ca_folder, server->certificate, server->key};
    explicit_bzero(server->password, server->password_length);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) memory_free(texts[i]);
}

static bool is_allowed(const struct source_server *server, const char *host) {
    return host_list_allows(bytes_text(server->allowed), bytes_text(host), server->port);
}

/* --- Connecting --- */

static void lose_server(const struct source_server *server, struct source_failure *loss, const char *why) {
    char text[LOSS_BYTES];
    snprintf(text, sizeof(text), "no connection to %.200s:%d: %s", server->host, server->port, why);
    source_failure_say(loss, COPY_FAILED_UNREACHABLE, bytes_text(text));
}

/* Writes an address in numeric form. An IPv4 address mapped to IPv6 is written as IPv4. */
static bool write_address(const struct addrinfo *address, char *text, size_t size) {
    const struct sockaddr_in6 *six = (const void *)address->ai_addr;
    struct sockaddr_in four = {.sin_family = AF_INET};
    const struct sockaddr *plain = address->ai_addr;
    socklen_t length = address->ai_addrlen;
    if (address->ai_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
        memcpy(&four.sin_addr, &six->sin6_addr.s6_addr[12], sizeof(four.sin_addr));
        plain = (const void *)&four;
        length = sizeof(four);
    }
    return !getnameinfo(plain, length, text, (socklen_t)size, NULL, 0, NI_NUMERICHOST);
}

static redisContext *connect_to(const struct source_server *server, const char *address) {
    struct timeval patience = {server->timeout_ms / 1000, server->timeout_ms % 1000 * 1000};
    redisOptions options = {0};
    REDIS_OPTIONS_SET_TCP(&options, address, server->port);
    options.connect_timeout = &patience;
    options.command_timeout = &patience;
    return redisConnectWithOptions(&options);
}

/* The source's certificate must be signed by this server's own authorities, as for replication. */
static bool secure_connection(const struct source_server *server, redisContext *connection,
                              struct source_failure *loss) {
    redisSSLContextError error = REDIS_SSL_CTX_NONE;
    redisSSLContext *tls = redisCreateSSLContext(server->ca_file, server->ca_folder, server->certificate,
                                                 server->key, NULL, &error);
    if (!tls) {
        lose_server(server, loss, redisSSLContextGetError(error));
        return false;
    }
    bool secured = redisInitiateSSLWithContext(connection, tls) == REDIS_OK;
    bool has_reason = !strstr(connection->errstr, "(null)"); /* hiredis has none for one that is silent */
    if (!secured)
        lose_server(server, loss, has_reason ? connection->errstr : "the TLS handshake was not completed");
    redisFreeSSLContext(tls);
    return secured;
}

static redisContext *try_address(const struct source_server *server, const char *address,
                                 struct source_failure *loss) {
    redisContext *connection = connect_to(server, address);
    if (connection && !connection->err) return connection;
    lose_server(server, loss, connection ? connection->errstr : "no memory");
    if (connection) redisFree(connection);
    return NULL;
}

static void forbid_address(const struct source_server *server, struct source_reader *reader, const char *what,
                           const char *address) {
    char text[LOSS_BYTES + NI_MAXHOST];
    snprintf(text, sizeof(text),
             "INVALID CannotVerifyCopySource %s %.200s:%d, which holdfast.copy-from does not list", what,
             address, server->port);
    source_reader_fail(reader, COPY_FAILED_FORBIDDEN, bytes_text(text));
}

/* Connects to the first address that is allowed and accepts. */
static redisContext *try_addresses(const struct source_server *server, const struct addrinfo *address,
                                   struct source_reader *reader, struct source_failure *loss) {
    char text[NI_MAXHOST] = "";
    bool any = false;
    for (; address; address = address->ai_next) {
        if (!write_address(address, text, sizeof(text)) || !is_allowed(server, text)) continue;
        any = true;
        redisContext *connection = try_address(server, text, loss);
        if (connection) return connection;
    }
    if (!any) forbid_address(server, reader, "the name leads to", text);
    return NULL;
}

static void append_words(redisContext *connection, unsigned count, const char *const words[],
                         const size_t lengths[]) {
    redisAppendCommandArgv(connection, (int)count, (const char **)words, lengths);
}

/* READONLY lets a replica of a cluster reply; elsewhere it is an error without consequences. */
static void greet_source(struct source_server *server, redisContext *connection) {
    const char *const words[] = {"AUTH", server->user, server->password};
    const size_t lengths[] = {4, server->user_length, server->password_length};
    const char *const plain[] = {"AUTH", server->password}, *const readonly[] = {"READONLY"};
    const size_t plain_lengths[] = {4, server->password_length}, readonly_length[] = {8};
    server->authenticates = server->user_length || server->password_length;
    if (server->user_length)
        append_words(connection, 3, words, lengths);
    else if (server->password_length)
        append_words(connection, 2, plain, plain_lengths);
    append_words(connection, 1, readonly, readonly_length);
    server->greetings = 1U + server->authenticates;
}

redisContext *source_server_connect(struct source_server *server, struct source_reader *reader,
                                    struct source_failure *loss) {
    struct addrinfo *addresses, hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    if (!is_allowed(server, server->host)) {
        forbid_address(server, reader, "the source is", server->host);
        return NULL;
    }
    int error = getaddrinfo(server->host, NULL, &hints, &addresses);
    if (error) {
        lose_server(server, loss, gai_strerror(error));
        return NULL;
    }
    redisContext *connection = try_addresses(server, addresses, reader, loss);
    freeaddrinfo(addresses);
    return connection;
}

bool source_server_greet(struct source_server *server, redisContext *connection,
                         struct source_failure *loss) {
    if (server->tls && !secure_connection(server, connection, loss)) return false;
    greet_source(server, connection);
    return true;
}

void source_server_ask(redisContext *connection, const struct source_question *question) {
    const char *words[SOURCE_WORDS_MAX];
    size_t lengths[SOURCE_WORDS_MAX];
    for (unsigned i = 0; i < question->count; i++) {
        words[i] = question->word[i].data;
        lengths[i] = question->word[i].length;
    }
    append_words(connection, question->count, words, lengths);
}

/* Only the first word of an error is shown: the rest may repeat what was sent. */
void source_server_greeted(struct source_server *server, const struct answer *answer,
                           struct source_reader *reader) {
    char text[LOSS_BYTES];
    bool is_about_user = server->authenticates;
    server->greetings--;
    server->authenticates = false;
    if (!is_about_user || answer->kind != ANSWER_ERROR) return;
    const char *end = memchr(answer->text.data, ' ', answer->text.length);
    int length = end ? (int)(end - answer->text.data) : 3;
    snprintf(text, sizeof(text), "%.*s the source refuses holdfast.copy-user and holdfast.copy-password",
             length <= 20 && end ? length : 3, length <= 20 && end ? answer->text.data : "ERR");
    source_reader_fail(reader, COPY_FAILED_REFUSED, bytes_text(text));
}

/* --- Redirections --- */

/* "MOVED slot host:port"; an empty host means the same host. */
static bool read_moved(struct bytes error, char *host, size_t size, int *port) {
    char text[NI_MAXHOST + 32];
    if (!bytes_start_with(error, bytes_text("MOVED ")) || error.length >= sizeof(text)) return false;
    memcpy(text, error.data, error.length);
    text[error.length] = '\0';
    char *place = strrchr(text, ' ') + 1, *colon = strrchr(place, ':');
    if (!colon || sscanf(colon + 1, "%d", port) != 1 || *port < 1 || *port > PORT_MAX) return false;
    *colon = '\0';
    return (size_t)snprintf(host, size, "%s", place) < size;
}

enum redirection source_server_redirect(struct source_server *server, struct bytes error,
                                        struct source_reader *reader) {
    char host[NI_MAXHOST];
    int port;
    if (!read_moved(error, host, sizeof(host), &port)) return REDIRECTION_NONE;
    server->port = port;
    if (*host) {
        memory_free(server->host);
        server->host = text_new(bytes_text(host));
    }
    if (is_allowed(server, server->host)) return REDIRECTION_FOLLOWED;
    forbid_address(server, reader, "MOVED leads to", server->host);
    return REDIRECTION_FORBIDDEN;
}

/* --- Hiding the password --- */

/* The password as a failure would show it. */
static size_t shown_password(const struct source_server *server, char *shown, size_t size) {
    struct source_failure as_failure;
    source_failure_say(&as_failure, COPY_FAILED_REFUSED, bytes_of(server->password, server->password_length));
    return (size_t)snprintf(shown, size, "%s", as_failure.text);
}

static void star_out(char *at, size_t length) {
    memset(at, '*', length);
}

/* Also hides a part of the password at the end, where the text may have been cut. */
void source_server_hide_password(const struct source_server *server, struct source_failure *failure) {
    char password[COPY_DESCRIPTION_MAX_BYTES + 1];
    size_t length = shown_password(server, password, sizeof(password)), all = strlen(failure->text);
    if (!length) return;
    for (char *at = failure->text; (at = strstr(at, password)); at += length) star_out(at, length);
    if (all < COPY_DESCRIPTION_MAX_BYTES) return;
    for (size_t part = length - 1; part; part--)
        if (!memcmp(failure->text + all - part, password, part)) star_out(failure->text + all - part, part);
}
