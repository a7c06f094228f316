/* Attendance: which sessions end when their connection does.
 *
 *   connection (the client's id) ─▶ session, and the db and key where it was begun
 *
 * Like a chore of upkeep it knows names and never a value: when a connection has gone, its sessions wait here until
 * upkeep looks at their keys, which is at once. A key that was renamed meanwhile is not found, and the session there
 * lives until its time is up. Only where a session was begun is anything known of its connection, so a replica that is
 * promoted ends none for that. */
#include "core/hash.h"
#include "core/hash_index.h"
#include "core/memory.h"
#include "file/share_commands.h"
#include "server/upkeep.h"

#include "ccan/container_of/container_of.h"

enum {
    FORGOTTEN_AFTER_MS = 600000, /* a key that nobody has looked at by then is not there */
    LOOKED_AT_MOST = 1000,
};

struct attendee {
    struct entry entry; /* its name is the session's id */
    struct guid session;
    struct list_node node; /* of its connection, or of those that have gone */
    struct connection *connection;
    int64_t gone_ms;
    int db;
    size_t key_length;
    char key[];
};

struct connection {
    struct entry entry; /* its name is the client's id */
    unsigned long long client;
    struct list_head attendees;
};

static struct hash_index attendees, connections;
static struct list_head gone = LIST_HEAD_INIT(gone);

static struct entry entry_for(const void *name, size_t length, size_t at) {
    return (struct entry){hash_bytes(bytes_of(name, length)), (uint16_t)length, (uint16_t)at};
}

static struct connection *find_connection(unsigned long long client) {
    struct bytes name = bytes_of(&client, sizeof(client));
    struct entry *entry = hash_index_find(&connections, hash_bytes(name), name);
    return entry ? container_of(entry, struct connection, entry) : NULL;
}

static struct connection *need_connection(unsigned long long client) {
    struct connection *connection = find_connection(client);
    if (connection) return connection;
    connection = memory_zeroed(sizeof(*connection));
    connection->client = client;
    connection->entry = entry_for(&connection->client, sizeof(client), offsetof(struct connection, client));
    list_head_init(&connection->attendees);
    hash_index_add(&connections, &connection->entry);
    return connection;
}

static void connection_free(struct connection *connection) {
    hash_index_remove(&connections, &connection->entry);
    memory_free(connection);
}

static void forget(struct attendee *attendee) {
    struct connection *connection = attendee->connection;
    list_del(&attendee->node);
    if (connection && list_empty(&connection->attendees)) connection_free(connection);
    hash_index_remove(&attendees, &attendee->entry);
    memory_free(attendee);
}

static struct attendee *find(struct guid session) {
    struct bytes name = guid_bytes(&session);
    struct entry *entry = hash_index_find(&attendees, hash_bytes(name), name);
    return entry ? container_of(entry, struct attendee, entry) : NULL;
}

void attendance_note(const struct call *call, struct guid session) {
    struct bytes key = call_word(call, ARG_SHARE);
    struct attendee *attendee = memory_zeroed(sizeof(*attendee) + key.length);
    attendee->session = session;
    attendee->entry = entry_for(&attendee->session, sizeof(session), offsetof(struct attendee, session));
    attendee->db = RedisModule_GetSelectedDb(call->ctx);
    attendee->key_length = key.length;
    memcpy(attendee->key, key.data, key.length);
    attendee->connection = need_connection(RedisModule_GetClientId(call->ctx));
    list_add_tail(&attendee->connection->attendees, &attendee->node);
    hash_index_add(&attendees, &attendee->entry);
}

void attendance_forget(struct guid session) {
    struct attendee *attendee = attendees.count ? find(session) : NULL;
    if (attendee) forget(attendee);
}

static struct bytes key_of(const struct attendee *attendee) {
    return bytes_of(attendee->key, attendee->key_length);
}

bool attendance_next_gone(const struct call *call, struct guid *session) {
    struct attendee *attendee, *next;
    int db = RedisModule_GetSelectedDb(call->ctx), left = LOOKED_AT_MOST;
    list_for_each_safe (&gone, attendee, next, node) {
        if (!left--) return false;
        if (attendee->db != db || !bytes_equal(key_of(attendee), call_word(call, ARG_SHARE))) continue;
        *session = attendee->session;
        forget(attendee);
        return true;
    }
    return false;
}

static void forget_old(int64_t now_ms) {
    struct attendee *oldest;
    while ((oldest = list_top(&gone, struct attendee, node)) && oldest->gone_ms + FORGOTTEN_AFTER_MS < now_ms)
        forget(oldest);
}

static void on_client_change(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t change, void *data) {
    const RedisModuleClientInfo *client = data;
    (void)ctx;
    (void)event;
    if (change != REDISMODULE_SUBEVENT_CLIENT_CHANGE_DISCONNECTED || !connections.count) return;
    struct connection *connection = find_connection(client->id);
    struct attendee *attendee;
    if (!connection) return;
    int64_t now_ms = server_now_ms();
    forget_old(now_ms);
    while ((attendee = list_top(&connection->attendees, struct attendee, node))) {
        list_del(&attendee->node);
        attendee->connection = NULL;
        attendee->gone_ms = now_ms;
        list_add_tail(&gone, &attendee->node);
        upkeep_expect(attendee->db, key_of(attendee), now_ms);
    }
    connection_free(connection);
}

int attendance_start(RedisModuleCtx *ctx) {
    hash_index_start(&attendees);
    hash_index_start(&connections);
    return RedisModule_SubscribeToServerEvent(ctx, RedisModuleEvent_ClientChange, on_client_change);
}
