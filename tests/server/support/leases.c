#include "leases.h"

#include <string.h>

#include "clock.h"
#include "harness.h"
#include "pool.h"

const struct lease_place on_container = {"container", ""}, on_blob = {"blob", "BLOB cat"};

void lease_setup(void) {
    time_passes(0);
    create("box");
    put("box", "cat", "meow");
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
