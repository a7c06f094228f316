#include "stage.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "shards.h"

enum { STEP_SECONDS = 30, NOWHERE = 1 };

/* --- Terms ------------------------------------------------------------------------------------------------- */

void stage_term_begins(struct stage *stage, int server) {
    require(stage->term_count < TERMS_MAX, "too many terms");
    stage->terms[stage->term_count++] = (struct term){server, now_us(), INT64_MAX};
    atomic_store(&stage->primary, server);
}

void stage_term_ends(struct stage *stage) {
    struct term *term = &stage->terms[stage->term_count - 1];
    if (term->until_us == INT64_MAX) term->until_us = now_us();
}

int stage_term(const struct stage *stage, int server, int64_t begin_us, int64_t end_us) {
    for (int i = 0; i < stage->term_count; i++) {
        const struct term *term = &stage->terms[i];
        if (term->server == server && term->from_us <= begin_us && end_us <= term->until_us) return i;
    }
    return -1;
}

/* --- Who is where ------------------------------------------------------------------------------------------ */

struct address stage_address(struct stage *stage) {
    int server = stage->find ? stage->find(stage) : atomic_load(&stage->primary);
    if (server < 0) return (struct address){-1, 0};
    bool enters = stage->entrance && server == atomic_load(&stage->primary);
    return (struct address){server, enters ? proxy_port(stage->entrance) : stage->servers[server]->port};
}

struct server *stage_primary(struct stage *stage) {
    return stage->servers[atomic_load(&stage->primary)];
}

int stage_server_at(const struct stage *stage, int port) {
    for (int i = 0; i < stage->count; i++)
        if (stage->servers[i]->port == port) return i;
    return -1;
}

struct client *stage_client(struct stage *stage, int server) {
    pid_t process = stage->servers[server]->process;
    if (!stage->clients[server] || stage->processes[server] != process) {
        stage->clients[server] = test_client(stage->servers[server]);
        stage->processes[server] = process;
    }
    return stage->clients[server];
}

void stage_forget_clients(struct stage *stage) {
    memset(stage->clients, 0, sizeof(stage->clients));
}

int stage_replica(const struct stage *stage, unsigned number) {
    int primary = atomic_load(&stage->primary);
    return (primary + 1 + (int)(number % (unsigned)(stage->count - 1))) % stage->count;
}

/* --- Beginning and end ------------------------------------------------------------------------------------- */

static int leading_port(struct stage *stage) {
    return stage->link ? proxy_port(stage->link) : stage_primary(stage)->port;
}

void stage_follow(struct stage *stage, int server) {
    if (!server_runs(stage->servers[server])) return;
    expect_ok(call(stage_client(stage, server), "REPLICAOF 127.0.0.1 %d", leading_port(stage)));
}

static void all_follow(struct stage *stage, int except) {
    for (int i = 0; i < stage->count; i++)
        if (i != atomic_load(&stage->primary) && i != except) stage_follow(stage, i);
}

static void aim_proxies(struct stage *stage) {
    if (stage->entrance) proxy_aim(stage->entrance, stage_primary(stage)->port);
    if (stage->link) proxy_aim(stage->link, stage_primary(stage)->port);
}

void stage_open(struct stage *stage, int count, const char *settings) {
    stage->count = count;
    for (int i = 0; i < count; i++) stage->servers[i] = server_launch(pool_print("node-%d", i), settings);
    for (int i = 0; i < count; i++) server_await(stage->servers[i]);
    stage_term_begins(stage, 0);
    aim_proxies(stage);
    all_follow(stage, -1);
}

static void give_to_first(int slot) {
    for (int i = 1; i < SHARDS_MAX && node[i]; i++) {
        if (!slot_is_at(slot, node[i])) continue;
        slot_opens(slot, node[i], node[0]);
        slot_closes(slot, node[0]);
        await_slot(slot, node[0]);
    }
}

void stage_open_cluster(struct stage *stage, int count, const char *settings, const char *const *keys) {
    stage->count = 2 * count;
    stage->is_cluster = true;
    shards_start(count, count, settings);
    for (int i = 0; i < stage->count; i++) stage->servers[i] = node[i]->server;
    for (int i = count - 1; i >= 0; i--) stage_term_begins(stage, i);
    for (; *keys; keys++) give_to_first(slot_of(*keys));
}

const char *stage_close(struct stage *stage) {
    const char *fault = NULL;
    if (stage->is_cluster) shards_leave();
    for (int i = 0; i < stage->count; i++) {
        struct server *server = stage->servers[i];
        const char *ending = server_runs(server) ? server_ending(server) : server_obituary(server);
        if (ending && !fault) fault = ending;
        server_forget(server);
    }
    proxy_close(stage->entrance);
    proxy_close(stage->link);
    return fault;
}

/* --- What befalls it --------------------------------------------------------------------------------------- */

void stage_kill(struct stage *stage) {
    server_kill(stage_primary(stage));
    stage_term_ends(stage);
}

void stage_revive(struct stage *stage) {
    server_restart(stage_primary(stage));
    stage_term_begins(stage, atomic_load(&stage->primary));
}

void stage_cut_off(struct stage *stage, int server) {
    expect_ok(call(stage_client(stage, server), "REPLICAOF 127.0.0.1 %d", NOWHERE));
}

void stage_promote(struct stage *stage, int heir, int except) {
    stage_term_ends(stage);
    expect_ok(call(stage_client(stage, heir), "REPLICAOF NO ONE"));
    stage_term_begins(stage, heir);
    aim_proxies(stage);
    all_follow(stage, except);
}

/* The line stays in its configuration; a promotion later on takes its effect away. */
void stage_bring_back(struct stage *stage, int server) {
    struct server *returning = stage->servers[server];
    char *before = returning->settings;
    returning->settings = strdup(pool_print("%sreplicaof 127.0.0.1 %d\n", before, leading_port(stage)));
    server_restart(returning);
    free(returning->settings);
    returning->settings = before;
}

/* --- The same everywhere ----------------------------------------------------------------------------------- */

static bool comes_in_step(struct client *follower, struct client *leader) {
    for (int64_t until = us_after(STEP_SECONDS); now_us() < until; pause_us(2000))
        if (is_in_step(follower, leader)) return true;
    return false;
}

/* The upkeep of the primary removes what time has ended, so two looks may meet different moments. */
static bool becomes_same(struct client *one, struct client *other) {
    for (int attempt = 0; attempt < 50; attempt++, pause_us(20000))
        if (!strcmp(digest_of(one), digest_of(other))) return true;
    return false;
}

static const char *difference_of(struct client *follower, struct client *leader) {
    const char *name = follower->server->name;
    if (!comes_in_step(follower, leader)) return pool_print("%s does not get in step", name);
    if (!becomes_same(follower, leader)) return pool_print("%s holds something else than its primary", name);
    long long misfits = misfits_of(follower);
    return misfits ? pool_print("%lld effects did not fit at %s", misfits, name) : NULL;
}

static const char *difference_in_cluster(struct stage *stage) {
    const char *difference = NULL;
    for (int leader = 0, count = stage->count / 2; leader < count && !difference; leader++)
        difference = difference_of(stage_client(stage, count + leader), stage_client(stage, leader));
    return difference;
}

const char *stage_difference(struct stage *stage) {
    if (stage->is_cluster) return difference_in_cluster(stage);
    const char *difference = NULL;
    struct client *leader = test_client(stage_primary(stage));
    for (int i = 0; i < stage->count && !difference; i++)
        if (i != atomic_load(&stage->primary)) difference = difference_of(stage_client(stage, i), leader);
    return difference;
}
