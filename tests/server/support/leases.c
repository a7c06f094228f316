#include "leases.h"

#include <poll.h>
#include <string.h>
#include <time.h>

#include "harness.h"
#include "pool.h"

/* Beyond the clocks with which the stage's servers begin. */
static long long offset_ms = 2 * 86400000LL;

const struct lease_place on_container = {"container", ""}, on_blob = {"blob", "BLOB cat"};

long long clock_after(long long ms) {
    return offset_ms += ms;
}

void time_passes(long long ms) {
    struct client *clients[] = {primary, replica, chained};
    clock_after(ms);
    for (size_t i = 0; i < ARRAY_SIZE(clients); i++)
        send_call(clients[i], "CONFIG SET holdfast.clock-offset-ms %lld", offset_ms);
    for (size_t i = 0; i < ARRAY_SIZE(clients); i++) expect_ok(receive(clients[i]));
}

void lease_setup(void) {
    time_passes(0);
    create("box");
    put("box", "cat", "meow");
}

long long server_time(void) {
    redisReply *time = expect_elements(call(primary, "TIME"), 2);
    return atoll(time->element[0]->str) * 1000 + atoll(time->element[1]->str) / 1000 + offset_ms;
}

long long stopwatch(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

void allow_short_leases(void) {
    configure(primary, "holdfast.lease-min-seconds", "0.05");
}

const char *acquire(const char *container, const char *duration, const char *rest) {
    return lease_token(call_line(primary, pool_print("LEASE.ACQUIRE %s %s %s", container, duration, rest)));
}

static const redisReply *require_grant(struct place place, const redisReply *reply) {
    bool is_grant = reply_is_aggregate(reply) && reply->elements == 2 && reply->element[0]->len == 36 &&
                    is_etag(reply->element[1]->str, reply->element[1]->len);
    if (!is_grant) failure_at(place.file, place.line, "expected an id and a token: %s", reply_text(reply));
    return reply;
}

const char *lease_id_at(struct place place, const redisReply *reply) {
    return reply_string(require_grant(place, reply)->element[0]);
}

const char *lease_token_at(struct place place, const redisReply *reply) {
    return reply_string(require_grant(place, reply)->element[1]);
}

redisReply *lease_of(const char *container, const struct lease_place *where) {
    return call_line(primary, pool_print("LEASE.GET %s %s", container, where->clause));
}

void expect_state_at(struct place place, const char *container, const struct lease_place *where,
                     const char *state) {
    expect_bytes_at(place, field_at(place, lease_of(container, where), "state"), state, strlen(state));
}

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

/* What the server wrote before it answered the PING has come by then. */
redisReply *answer_of_at(struct place place, struct client *client) {
    call(primary, "PING");
    return answer_within_at(place, client, 0);
}

void expect_still_waiting_at(struct place place, struct client *client) {
    call(primary, "PING");
    if (has_answer(client, 0))
        failure_at(place.file, place.line, "it was answered: %s", reply_text(receive(client)));
}
