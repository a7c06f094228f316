#include "shards.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "harness.h"
#include "pool.h"

enum { SLOTS = 16384, KEYS_AT_ONCE = 100 };

static const char cluster_settings[] = "cluster-enabled yes\n"
                                       "cluster-node-timeout 5000\n"
                                       "cluster-require-full-coverage no\n"
                                       "cluster-replica-no-failover yes\n";

struct client *node[SHARDS_MAX];
static int primary_count, node_count;

static int first_slot(int primary_number) {
    return SLOTS * primary_number / primary_count;
}

static int first_owner(int slot) {
    int owner = 0;
    while (owner + 1 < primary_count && slot >= first_slot(owner + 1)) owner++;
    return owner;
}

/* --- Beginning and end --- */

static void until(bool (*is_so)(void), const char *what) {
    AWAIT_OR(is_so(), "%s; node 0 says:\n%s", what, call(node[0], "CLUSTER NODES")->str);
}

static bool all_know_all(void) {
    const char *known = pool_print("cluster_known_nodes:%d\r", node_count);
    for (int i = 0; i < node_count; i++) {
        bool meets = strstr(call(node[i], "CLUSTER NODES")->str, "handshake");
        if (meets || !strstr(call(node[i], "CLUSTER INFO")->str, known)) return false;
    }
    return true;
}

static bool all_is_served(void) {
    for (int i = 0; i < node_count; i++) {
        const char *info = call(node[i], "CLUSTER INFO")->str;
        if (!strstr(info, "cluster_state:ok") || !strstr(info, "cluster_slots_ok:16384")) return false;
    }
    return true;
}

static bool replicas_are_up(void) {
    for (int i = primary_count; i < node_count; i++)
        if (!strstr(call(node[i], "INFO replication")->str, "master_link_status:up")) return false;
    return true;
}

static void hand_out(int index) {
    expect_ok(call(node[index], "CLUSTER SET-CONFIG-EPOCH %d", index + 1));
    expect_ok(call(node[index], "CLUSTER ADDSLOTSRANGE %d %d", first_slot(index), first_slot(index + 1) - 1));
}

static const char *node_id(struct client *of) {
    return call(of, "CLUSTER MYID")->str;
}

void shards_start(int primaries, int replicas, const char *settings) {
    primary_count = primaries;
    const int count = primaries + replicas;
    node_count = count;
    struct server *servers[SHARDS_MAX] = {NULL};
    for (int i = 0; i < count; i++)
        servers[i] = server_launch(pool_print("shard-%d", i), pool_print("%s%s", cluster_settings, settings));
    for (int i = 0; i < count; i++) server_await(servers[i]);
    for (int i = 0; i < count; i++) node[i] = client_open(servers[i]);
    primary = node[0];
    for (int i = 0; i < primaries; i++) hand_out(i);
    for (int i = 1; i < count; i++) expect_ok(call(node[0], "CLUSTER MEET 127.0.0.1 %d", servers[i]->port));
    until(all_know_all, "the nodes do not meet");
    for (int i = 0; i < replicas; i++)
        expect_ok(call(node[primaries + i], "CLUSTER REPLICATE %s", node_id(node[i])));
    until(all_is_served, "not all slots are served");
    until(replicas_are_up, "a replica does not follow");
    pool_drain();
}

void shards_leave(void) {
    for (int i = 0; i < node_count; i++) {
        client_close(node[i]);
        node[i] = NULL;
    }
    primary = NULL;
}

void shards_stop(void) {
    struct server *servers[SHARDS_MAX] = {NULL};
    const int count = node_count;
    for (int i = 0; i < count; i++) servers[i] = node[i]->server;
    shards_leave();
    for (int i = 0; i < count; i++) {
        server_stop(servers[i]);
        server_forget(servers[i]);
    }
}

/* --- Between tests --- */

static bool sees_slot_at(struct client *client, int slot, struct client *at);

/* A node that gets a slot by importing it gets a new epoch, which all others believe. */
static void give_back(int slot, int owner) {
    for (int i = 0; i < primary_count; i++) call(node[i], "CLUSTER SETSLOT %d STABLE", slot);
    for (int i = 0; i < primary_count; i++) {
        if (i == owner || sees_slot_at(node[owner], slot, node[owner])) continue;
        expect_ok(call(node[owner], "CLUSTER SETSLOT %d IMPORTING %s", slot, node_id(node[i])));
        slot_closes(slot, node[owner]);
    }
    await_slot(slot, node[owner]);
}

/* Slots that moved show in the list of nodes as ranges that are not as they were, open ones in brackets. */
static bool is_as_it_was(int index) {
    const char *line = strstr(call(node[index], "CLUSTER NODES")->str, "myself,master");
    const char *range = pool_print(" connected %d-%d\n", first_slot(index), first_slot(index + 1) - 1);
    const char *end = line ? strchr(line, '\n') : NULL, *found = line ? strstr(line, range) : NULL;
    return found && found < end;
}

void shards_begin(void) {
    for (int i = 0; i < primary_count; i++) call(node[i], "FLUSHALL");
    for (int i = 0; i < primary_count; i++) {
        if (is_as_it_was(i)) continue;
        for (int tag = 0; tag < 64; tag++) {
            int slot = slot_of(shards_tag(tag % primary_count, tag / primary_count));
            give_back(slot, first_owner(slot));
        }
    }
}

/* --- Slots --- */

int slot_of(const char *key) {
    return (int)call(node[0], "CLUSTER KEYSLOT %s", key)->integer;
}

const char *shards_tag(int primary_number, int number) {
    for (int tried = 0;; tried++) {
        const char *tag = pool_print("{t%d}", tried);
        if (first_owner(slot_of(tag)) == primary_number && !number--) return tag;
    }
}

void slot_opens(int slot, struct client *from, struct client *to) {
    expect_ok(call(to, "CLUSTER SETSLOT %d IMPORTING %s", slot, node_id(from)));
    expect_ok(call(from, "CLUSTER SETSLOT %d MIGRATING %s", slot, node_id(to)));
}

void slot_moves(int slot, struct client *from, struct client *to) {
    for (;;) {
        redisReply *keys = call(from, "CLUSTER GETKEYSINSLOT %d %d", slot, KEYS_AT_ONCE);
        if (!keys->elements) return;
        for (size_t i = 0; i < keys->elements; i++)
            expect_ok(call(from, "MIGRATE 127.0.0.1 %d %s 0 20000", to->server->port, keys->element[i]->str));
    }
}

/* The new owner hears of it first, so that nobody is sent to and fro. */
void slot_closes(int slot, struct client *to) {
    expect_ok(call(to, "CLUSTER SETSLOT %d NODE %s", slot, node_id(to)));
    for (int i = 0; i < primary_count; i++)
        if (node[i] != to) expect_ok(call(node[i], "CLUSTER SETSLOT %d NODE %s", slot, node_id(to)));
}

static bool sees_slot_at(struct client *client, int slot, struct client *at) {
    redisReply *ranges = call(client, "CLUSTER SLOTS");
    for (size_t i = 0; i < ranges->elements; i++) {
        redisReply *const *range = ranges->element[i]->element;
        if (range[0]->integer <= slot && slot <= range[1]->integer)
            return range[2]->element[1]->integer == at->server->port;
    }
    return false;
}

bool slot_is_at(int slot, struct client *of) {
    return sees_slot_at(of, slot, of);
}

/* --- At once --- */

static bool knows(struct client *at, const char *subcommand) {
    return reply_is_aggregate(call(at, "COMMAND INFO cluster|%s", subcommand)->element[0]);
}

/* Redis has the new node fetch the slot, Valkey the old one send it. */
static bool are_fetched(struct client *at) {
    return knows(at, "migration");
}

bool slots_migrate_at_once(struct client *at) {
    return are_fetched(at) || knows(at, "migrateslots");
}

static redisReply *migrations_of(struct client *from, struct client *to) {
    return are_fetched(to) ? call(to, "CLUSTER MIGRATION STATUS ALL")
                           : call(from, "CLUSTER GETSLOTMIGRATIONS");
}

/* The newest one of this slot comes first. */
static const char *state_of_migration(int slot, struct client *from, struct client *to) {
    const char *slots = are_fetched(to) ? "slots" : "slot_ranges";
    const char *operation = are_fetched(to) ? "import" : "EXPORT";
    redisReply *all = migrations_of(from, to);
    for (size_t i = 0; i < all->elements; i++) {
        const redisReply *migration = all->element[i];
        bool of_slot = atoi(field(migration, slots)->str) == slot;
        if (of_slot && !strcmp(field(migration, "operation")->str, operation))
            return field(migration, "state")->str;
    }
    return "none";
}

static void await_migration(int slot, struct client *from, struct client *to, const char *state) {
    AWAIT_OR(!strcmp(state_of_migration(slot, from, to), state), "the migration of slot %d: %s", slot,
             reply_text(migrations_of(from, to)));
}

static bool is_busy_migrating(struct client *client) {
    return strstr(call(client, "CLUSTER INFO")->str, "cluster_slot_migration_active_tasks:1");
}

static void begin_migration(int slot, struct client *from, struct client *to) {
    redisReply *reply = are_fetched(to) ? call(to, "CLUSTER MIGRATION IMPORT %d %d", slot, slot)
                                        : call(from, "CLUSTER MIGRATESLOTS SLOTSRANGE %d %d NODE %s", slot,
                                               slot, node_id(to));
    require(!reply_is_error(reply), "slot %d does not set out: %s", slot, reply->str);
}

/* With Redis the old node may hear of the end later than all others, and begins nothing new before. */
static void end_migration(int slot, struct client *from, struct client *to) {
    await_migration(slot, from, to, are_fetched(to) ? "completed" : "success");
    await_slot(slot, to);
    AWAIT(!is_busy_migrating(from));
}

void slot_migrates(int slot, struct client *from, struct client *to) {
    begin_migration(slot, from, to);
    end_migration(slot, from, to);
}

void slot_sets_out(int slot, struct client *from, struct client *to) {
    bool fetched = are_fetched(to);
    const char *stop =
        fetched ? "ASM-FAILPOINT migrate-main-channel handoff-prep" : "SLOTMIGRATION PREVENT-PAUSE 1";
    expect_ok(call_line(from, pool_print("DEBUG %s", stop)));
    begin_migration(slot, from, to);
    await_migration(slot, from, to, fetched ? "wait-stream-eof" : "waiting-to-pause");
}

static void let_arrive(struct client *from) {
    expect_ok(are_fetched(from) ? call(from, "DEBUG ASM-FAILPOINT %s %s", "", "")
                                : call(from, "DEBUG SLOTMIGRATION PREVENT-PAUSE 0"));
}

void slot_arrives(int slot, struct client *from, struct client *to) {
    let_arrive(from);
    end_migration(slot, from, to);
}

/* Redis is told where the slot would arrive: told at its old node, it may let writes go on there that are then lost. */
void slot_stays(int slot, struct client *from, struct client *to) {
    bool fetched = are_fetched(to);
    if (fetched)
        expect_number(call(to, "CLUSTER MIGRATION CANCEL ALL"), 1);
    else
        expect_ok(call(from, "CLUSTER CANCELSLOTMIGRATIONS"));
    await_migration(slot, from, to, fetched ? "canceled" : "cancelled");
    let_arrive(from);
}

void await_slot(int slot, struct client *at) {
    for (int i = 0; i < node_count; i++) {
        if (!server_runs(node[i]->server)) continue;
        AWAIT_OR(sees_slot_at(node[i], slot, at), "slot %d does not come to %s", slot, at->server->name);
    }
}
