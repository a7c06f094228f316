/* Copies by TLS: with a source whose certificate this server's own authority has signed, and
 * with one that it does not know. */
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "harness.h"
#include "pool.h"
#include "processes.h"
#include "sources.h"
#include "text.h"

static const char *folder;

static bool run_quietly(const char *command) {
    return system(pool_print("cd %s && %s >/dev/null 2>&1", folder, command)) == 0;
}

/* An authority, and a certificate that it has signed; false where there is no tool for it. */
static bool make_certificates(const char *name) {
    const char *days = "-days 2 -nodes -newkey rsa:2048";
    return run_quietly(pool_print("openssl req -x509 %s -subj /CN=%s-ca -keyout %s-ca.key -out %s-ca.crt",
                                  days, name, name, name)) &&
           run_quietly(pool_print("openssl req %s -subj /CN=%s -keyout %s.key -out %s.csr", days, name, name,
                                  name)) &&
           run_quietly(pool_print("openssl x509 -req -days 2 -in %s.csr -CA %s-ca.crt -CAkey %s-ca.key "
                                  "-CAcreateserial -out %s.crt",
                                  name, name, name, name));
}

static void set_file(const char *setting, const char *file) {
    configure(primary, setting, pool_print("%s/%s", folder, file));
}

/* A server that was built without TLS knows the settings, perhaps, and ends when they are used. */
static bool server_has_tls(void) {
    const char *program = getenv("HOLDFAST_SERVER");
    return run_quietly(
        pool_print("timeout 1 %s --port 0 --tls-port %d --tls-cert-file %s/own.crt --tls-key-file "
                   "%s/own.key --tls-ca-cert-file %s/own-ca.crt --save ''; test $? = 124",
                   program ? program : "redis-server", free_port(), folder, folder, folder));
}

TEST(copies_by_tls) {
    folder = primary->server->folder;
    time_passes(0);
    create("box");
    if (!make_certificates("own") || !make_certificates("foreign")) skip();
    if (!server_has_tls()) {
        print_message("# skipped: the server has no TLS\n");
        skip();
    }
    int port = free_port();
    const char *settings = pool_print(
        "tls-port %d\ntls-cert-file %s/own.crt\ntls-key-file %s/own.key\ntls-ca-cert-file %s/own-ca.crt\n"
        "tls-auth-clients yes\n",
        port, folder, folder, folder);
    struct client *source = test_client(server_start("source", settings));
    expect_etag(call(source, "CONTAINER.CREATE src"));
    char *content = pool_take(3000000);
    memset(content, 'x', 3000000);
    expect_etag(call(source, "BLOB.PUT src blob %b", content, (size_t)3000000));
    configure(primary, "holdfast.copy-from", "127.0.0.1:*");
    configure(primary, "holdfast.copy-tls", "yes");
    set_file("tls-cert-file", "own.crt");
    set_file("tls-key-file", "own.key");
    set_file("tls-ca-cert-file", "own-ca.crt");
    copy_from("box", "good", port, "");
    redisReply *stat = await_copy("good");
    require(!strcmp(reply_string(field(stat, "copy-status")), "success"), "%s", reply_text(stat));
    expect_number(field(stat, "content-length"), 3000000);
    /* One that does not know the authority, one that shows a strange certificate, and a source without TLS. */
    set_file("tls-ca-cert-file", "foreign-ca.crt");
    copy_from("box", "bad", port, "");
    stat = await_copy("bad");
    require(text_begins(reply_string(field(stat, "copy-description")), "no connection to 127.0.0.1:"), "%s",
            reply_text(stat));
    set_file("tls-ca-cert-file", "own-ca.crt");
    configure(primary, "holdfast.copy-timeout-seconds", "1");
    copy_from("box", "plain", source->server->port, "");
    expect_text(field(await_copy("plain"), "copy-status"), "failed");
    configure(primary, "holdfast.copy-tls", "no");
    copy_from("box", "naked", port, "");
    expect_text(field(await_copy("naked"), "copy-status"), "failed");
}

static int listen_anywhere(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    require(!bind(listener, (struct sockaddr *)&address, length) && !listen(listener, 8) &&
                !getsockname(listener, (struct sockaddr *)&address, &length),
            "a port to listen at");
    *port = ntohs(address.sin_port);
    return listener;
}

/* By TLS, from a source that is given so long. */
static void begin_copy(const char *blob, int port, const char *timeout_seconds) {
    time_passes(0);
    create("box");
    configure(primary, "holdfast.copy-from", "127.0.0.1:*");
    configure(primary, "holdfast.copy-tls", "yes");
    configure(primary, "holdfast.copy-timeout-seconds", timeout_seconds);
    copy_from("box", blob, port, "");
}

/* Sends byte after byte until the other end hangs up. */
static bool drip_until_end(int connection) {
    for (int i = 0; i < 1000; i++, usleep(20000)) {
        struct pollfd wanted = {.fd = connection, .events = POLLIN};
        char byte = 'a';
        (void)!send(connection, &byte, 1, MSG_NOSIGNAL);
        while (poll(&wanted, 1, 0) == 1)
            if (recv(connection, &byte, 1, 0) <= 0) return true;
    }
    return false;
}

/* The source sends a byte of its handshake at a time, so it is never silent. */
TEST(a_handshake_that_drips_is_ended) {
    static const char begin[] = "\x16\x03\x03\x3f\xff\x02\x00\x3f\xf0"; /* of a record that is long */
    int port, listener = listen_anywhere(&port);
    begin_copy("slow", port, "0.3");
    int connection = accept(listener, NULL, NULL);
    (void)!send(connection, begin, sizeof(begin) - 1, MSG_NOSIGNAL);
    require(drip_until_end(connection), "the connection lasts");
    close(listener);
    close(connection);
    expect_text(field(await_copy("slow"), "copy-status"), "failed");
}

TEST(a_silent_handshake_is_told_of) {
    int port, listener = listen_anywhere(&port);
    begin_copy("plain", port, "0.1");
    expect_text(field(await_copy("plain"), "copy-description"),
                pool_print("no connection to 127.0.0.1:%d: the TLS handshake was not completed", port));
    close(listener);
}

/* The source takes the connection and says nothing: deleting the blob frees the place of its copy at once. */
TEST(a_silent_handshake_is_ended) {
    struct source *source = source_start(NULL);
    begin_copy("silent", source_port(source), "60");
    AWAIT(source_visits(source));
    usleep(100000);
    expect_ok(call(primary, "BLOB.DELETE box silent"));
    await_copies_pending(0);
    sources_end();
}
