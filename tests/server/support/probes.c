#include "probes.h"

#include <string.h>

#include "grammar.h"
#include "harness.h"
#include "pool.h"

/* Answers why not, or NULL. */
static const char *takes(struct client *client, const char *line) {
    redisReply *reply = call_line(client, line);
    return reply_is_error(reply) ? pool_print("the server answers \"%s\"", reply->str) : NULL;
}

static const char *defragments(struct client *client) {
    return takes(client, "CONFIG SET activedefrag yes");
}

static const char *limits_users_to_databases(struct client *client) {
    return takes(client, "ACL SETUSER probe db=0");
}

static const char *asks_for_keys(struct client *client) {
    redisReply *info = expect_elements(call(client, "COMMAND INFO HOLDFAST.ATOMIC"), 1)->element[0];
    return command_has_flag(info, "movablekeys") ? NULL : "the server does not ask commands for their keys";
}

static const char *keeps_database(struct client *client) {
    expect_ok(call(client, "SET probe text"));
    expect_number(call(client, "MOVE probe 1"), 1);
    if (strstr(call(client, "CLIENT INFO")->str, " db=0 ")) return NULL;
    return "after MOVE the server leaves the client in the other database";
}

static const char *(*const probes[ABILITIES])(struct client *client) = {
    [CAN_DEFRAGMENT] = defragments,
    [KEEPS_DATABASE] = keeps_database,
    [LIMITS_USERS_TO_DATABASES] = limits_users_to_databases,
    [ASKS_FOR_KEYS] = asks_for_keys,
};

/* On a server of its own, which the probe may leave in any state. */
void needs(enum ability ability) {
    struct server *server = server_start("probed", "");
    const char *reason = probes[ability](test_client(server));
    if (!reason) return;
    print_message("# skipped: %s\n", reason);
    skip();
}
