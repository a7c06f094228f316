/* Three Sentinels watch a primary and two replicas. The primary is killed; they promote a replica, and the clients,
 * who ask them, go on there. The old primary comes back with the data that it had, and they make it a replica. */
#include <string.h>

#include "expect.h"
#include "failure.h"
#include "faults.h"
#include "pool.h"

enum { SENTINELS = 3, DEATHS = 2, PATIENCE_SECONDS = 40 };

static struct server *sentinels[SENTINELS];
static struct client *watchers[SENTINELS];

static atomic_bool on_duty;

/* The primary as the first Sentinel that answers knows it, or -1. Any thread may ask. When they have
 * gone, nothing changes any more. */
static int ask_sentinels(struct stage *stage) {
    if (!atomic_load(&on_duty)) return atomic_load(&stage->primary);
    for (int i = 0; i < SENTINELS; i++) {
        redisContext *context = redisConnect("127.0.0.1", sentinels[i]->port);
        redisReply *reply = NULL;
        if (context && !context->err)
            reply = redisCommand(context, "SENTINEL GET-MASTER-ADDR-BY-NAME holdfast");
        int found = reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2
                        ? stage_server_at(stage, atoi(reply->element[1]->str))
                        : -1;
        if (reply) freeReplyObject(reply);
        if (context) redisFree(context);
        if (found >= 0) return found;
    }
    return -1;
}

static bool all_are_known(void) {
    for (int i = 0; i < SENTINELS; i++) {
        redisReply *primary = call(watchers[i], "SENTINEL MASTER holdfast");
        redisReply *replicas = field(primary, "num-slaves"), *others = field(primary, "num-other-sentinels");
        if (atoi(replicas->str) != 2 || atoi(others->str) != SENTINELS - 1) return false;
        if (strcmp(field(primary, "flags")->str, "master") != 0) return false;
    }
    return true;
}

static bool become(bool (*so)(void)) {
    for (int64_t until_us = us_after(PATIENCE_SECONDS); now_us() < until_us; pause_us(50000))
        if (so()) return true;
    return false;
}

static void post_sentinels(struct stage *stage) {
    const char *settings = pool_print("sentinel monitor holdfast 127.0.0.1 %d 2\n"
                                      "sentinel down-after-milliseconds holdfast 1500\n"
                                      "sentinel failover-timeout holdfast 4000\n",
                                      stage_primary(stage)->port);
    for (int i = 0; i < SENTINELS; i++)
        sentinels[i] = server_launch_sentinel(pool_print("sentinel-%d", i), settings);
    for (int i = 0; i < SENTINELS; i++) {
        server_await(sentinels[i]);
        watchers[i] = test_client(sentinels[i]);
    }
    require(become(all_are_known), "the Sentinels do not know each other");
    atomic_store(&on_duty, true);
}

/* Actors may still be asking. */
static void stand_down(void) {
    atomic_store(&on_duty, false);
    for (int i = 0; i < SENTINELS; i++) server_kill(sentinels[i]);
}

static void dismiss_sentinels(struct trial *trial) {
    (void)trial;
    for (int i = 0; i < SENTINELS; i++) {
        if (sentinels[i]) server_forget(sentinels[i]);
        sentinels[i] = NULL;
    }
}

static bool says(struct stage *stage, int server, const char *words) {
    redisContext *context = redisConnect("127.0.0.1", stage->servers[server]->port);
    redisReply *reply = context && !context->err ? redisCommand(context, "INFO replication") : NULL;
    bool found = reply && reply->type == REDIS_REPLY_STRING && strstr(reply->str, words);
    if (reply) freeReplyObject(reply);
    if (context) redisFree(context);
    return found;
}

static void await_successor(struct stage *stage, int old) {
    int64_t until_us = us_after(PATIENCE_SECONDS);
    for (int found = ask_sentinels(stage);; found = ask_sentinels(stage), pause_us(5000)) {
        if (found >= 0 && found != old && says(stage, found, "role:master")) {
            stage_term_begins(stage, found);
            return;
        }
        require(now_us() < until_us, "the Sentinels promote nobody");
    }
}

static bool follows(struct stage *stage, int server) {
    return says(stage, server, "role:slave") && says(stage, server, "master_link_status:up");
}

/* On a machine that stalls for too long they find that a primary is down that is not, and nobody here knows when. */
static bool is_undisturbed(struct trial *trial) {
    bool undisturbed = ask_sentinels(&trial->stage) == atomic_load(&trial->stage.primary);
    if (!undisturbed) trial->spoiled = "the Sentinels have promoted somebody without being asked to";
    return undisturbed;
}

static bool all_follow(struct stage *stage) {
    for (int i = 0; i < stage->count; i++)
        if (i != atomic_load(&stage->primary) && !follows(stage, i)) return false;
    return true;
}

static void await_followers(struct trial *trial) {
    int64_t until_us = us_after(PATIENCE_SECONDS);
    while (!all_follow(&trial->stage) && now_us() < until_us) pause_us(20000);
    if (all_follow(&trial->stage) || !is_undisturbed(trial)) return;
    violation(&trial->parts[0], "a server does not follow the new primary");
}

static void kill_under_sentinels(struct trial *trial) {
    struct stage *stage = &trial->stage;
    post_sentinels(stage);
    for (int number = 0; number < DEATHS && !trial->spoiled && is_undisturbed(trial); number++) {
        int old = atomic_load(&stage->primary);
        trial_pause_ms(trial, 300, 600);
        stage_kill(stage);
        await_successor(stage, old);
        trial_pause_ms(trial, 0, 300);
        server_restart(stage->servers[old]);
        await_followers(trial);
        if (!become(all_are_known)) trial->spoiled = "the Sentinels do not see all replicas in time";
        trial_pause_ms(trial, 1100, 1300);
    }
    if (!trial->spoiled) is_undisturbed(trial);
    stand_down();
    stage_forget_clients(stage);
}

static void trust_sentinels(struct trial *trial) {
    trial->stage.find = ask_sentinels;
}

const struct fault sentinel_fault = {.name = "Sentinel",
                                     .promise = PREFIX,
                                     .settings = "",
                                     .servers = 3,
                                     .prepare = trust_sentinels,
                                     .strike = kill_under_sentinels,
                                     .clean = dismiss_sentinels};
