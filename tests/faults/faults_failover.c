/* Another server becomes the primary. */
#include <string.h>

#include "expect.h"
#include "faults.h"

enum { PROMOTIONS = 2, FAILOVERS = 3, LOST_MS = 300 };

/* The tail is lost for certain: the heir is cut off, and the primary goes on answering. Then it is killed, or it lives
 * on beside its successor for a while, with the clients that are still connected to it. */
static void promote(struct trial *trial) {
    struct stage *stage = &trial->stage;
    int old = atomic_load(&stage->primary), heir = stage_replica(stage, (unsigned)trial_chance(trial, 2));
    stage_cut_off(stage, heir);
    trial_pause_ms(trial, LOST_MS / 2, LOST_MS);
    bool dies = trial_chance(trial, 2);
    if (dies) stage_kill(stage);
    stage_promote(stage, heir, old);
    trial_pause_ms(trial, 100, 300);
    if (dies)
        stage_bring_back(stage, old);
    else
        stage_follow(stage, old);
    trial_pause_ms(trial, 1300, 1600);
}

static void promote_again_and_again(struct trial *trial) {
    for (int number = 0; number < PROMOTIONS; number++) promote(trial);
}

const struct fault promotion_fault = {
    .name = "promotion", .promise = PREFIX, .settings = "", .servers = 3, .strike = promote_again_and_again};

const struct fault no_grace_fault = {.name = "no grace",
                                     .promise = PREFIX,
                                     .settings = "holdfast.grace-seconds 0\n",
                                     .servers = 3,
                                     .strike = promote_again_and_again};

/* --- FAILOVER ------------------------------------------------------------------------------------------------ */

static const char *role_of(struct client *client) {
    return call(client, "ROLE")->element[0]->str;
}

static void await_role(struct stage *stage, int server, const char *role) {
    struct client *client = stage_client(stage, server);
    for (int attempt = 0; strcmp(role_of(client), role) != 0; attempt++, pause_us(2000))
        require(attempt < 5000, "%s does not become %s", client->server->name, role);
}

/* Writes stand still until the replica has everything; what is answered meanwhile is of neither term. */
static void fail_over(struct trial *trial) {
    struct stage *stage = &trial->stage;
    int old = atomic_load(&stage->primary), heir = stage_replica(stage, (unsigned)trial_chance(trial, 2));
    stage_term_ends(stage);
    expect_ok(call(stage_client(stage, old), "FAILOVER TO 127.0.0.1 %d", stage->servers[heir]->port));
    await_role(stage, heir, "master");
    stage_term_begins(stage, heir);
    await_role(stage, old, "slave");
    stage_follow(stage, 3 - old - heir); /* the third one */
    trial_pause_ms(trial, 1100, 1400);
}

static void fail_over_again_and_again(struct trial *trial) {
    for (int number = 0; number < FAILOVERS; number++) fail_over(trial);
}

const struct fault failover_fault = {.name = "FAILOVER",
                                     .promise = NOTHING_LOST,
                                     .settings = "",
                                     .servers = 3,
                                     .strike = fail_over_again_and_again};
