#include "waiting.h"

#include <poll.h>
#include <stdlib.h>

#include "harness.h"

long long waiters_at(struct client *client) {
    redisReply *info = call(client, "INFO holdfast");
    return info_number(info, "holdfast_lease_waiters") + info_number(info, "holdfast_blob_waiters") +
           info_number(info, "holdfast_queue_waiters") + info_number(info, "holdfast_file_open_waiters") +
           info_number(info, "holdfast_feed_followers") + info_number(info, "holdfast_file_lock_waiters");
}

static bool has_answer(struct client *client, int ms) {
    struct pollfd input = {.fd = client->context->fd, .events = POLLIN};
    return poll(&input, 1, ms) == 1;
}

void await_waiters(struct client *client, long long count) {
    long long seen = 0;
    AWAIT_OR((seen = waiters_at(client)) == count, "%lld wait, not %lld", seen, count);
}

void send_line(struct client *client, const char *line) {
    struct words words = words_of_line(line);
    send_words(client, &words);
    send_now(client);
}

static struct client *get_in_line(struct client *client, const char *line) {
    struct client *observer = test_client(client->server);
    long long before = waiters_at(observer);
    send_line(client, line);
    AWAIT_OR(waiters_at(observer) != before || has_answer(client, 0), "%s neither waits nor is answered",
             line);
    if (has_answer(client, 0)) failure("%s does not wait: %s", line, reply_text(receive(client)));
    return client;
}

struct client *waiting_at(struct server *server, int database, const char *line) {
    struct client *client = test_client(server);
    if (database) expect_ok(call(client, "SELECT %d", database));
    return get_in_line(client, line);
}

struct client *waiting_known(const char *line, long long *id) {
    struct client *client = test_client(primary->server);
    *id = call(client, "CLIENT ID")->integer;
    return get_in_line(client, line);
}

struct client *waiting_user(const char *line, long long *id) {
    struct client *client = test_client(primary->server);
    expect_ok(call(client, "ACL SETUSER guest reset on nopass ~* +@all"));
    expect_ok(call(client, "AUTH guest x"));
    *id = call(client, "CLIENT ID")->integer;
    return get_in_line(client, line);
}

struct client *waiting(const char *line) {
    return waiting_at(primary->server, 0, line);
}

redisReply *answer_within_at(struct place place, struct client *client, int ms) {
    if (!has_answer(client, ms)) failure_at(place.file, place.line, "there is no answer");
    return receive(client);
}

/* Where several threads write, what one of them was given before may come after what another one writes. */
static int patience_ms(void) {
    enum { PATIENCE_MS = 5000 };
    static int threads;
    if (!threads) threads = atoi(expect_elements(call(primary, "CONFIG GET io-threads"), 2)->element[1]->str);
    return threads > 1 ? PATIENCE_MS : 0;
}

/* What the server wrote before it answered the PING has come by then. */
redisReply *answer_of_at(struct place place, struct client *client) {
    call(primary, "PING");
    return answer_within_at(place, client, patience_ms());
}

void expect_still_waiting_at(struct place place, struct client *client) {
    call(primary, "PING");
    if (has_answer(client, 0))
        failure_at(place.file, place.line, "it was answered: %s", reply_text(receive(client)));
}
