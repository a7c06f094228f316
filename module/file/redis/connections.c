#include "file/redis/connections.h"

#include "core/hash_index.h"
#include "core/memory.h"
#include "server/base/events.h"
#include "server/effects/upkeep.h"

#include "ccan/container_of/container_of.h"

enum {
    ORPHAN_KEPT_MS = 600000, /* then the key does not exist: upkeep would have visited it */
    BUCKETS_SWEPT_MAX = 128, /* buckets that a portion of a sweep visits */
};

/* The sessions of a connection, or the orphans of a key. */
struct session_group {
    struct entry entry; /* its name is the client's id, or the packed key name */
    struct hash_index *index;
    struct list_head sessions;
    char name[];
};

struct owned_session {
    struct entry entry; /* its name is the packed key name, and then the session's id */
    struct list_node node;
    struct session_group *group;
    struct list_node among_orphans;
    int64_t orphaned_ms; /* 0 while the connection is open */
    struct owned_session *next_stale;
    char name[];
};

static struct hash_index sessions, connections, keys;
static struct list_head orphans = LIST_HEAD_INIT(orphans); /* in the order in which they became orphans */

/* --- Groups --- */

static struct session_group *find_session_group(struct hash_index *index, struct bytes name) {
    struct entry *entry = hash_index_named(index, name);
    return entry ? container_of(entry, struct session_group, entry) : NULL;
}

static struct session_group *need_group(struct hash_index *index, struct bytes name) {
    struct session_group *group = find_session_group(index, name);
    if (group) return group;
    group = memory_zeroed(sizeof(*group) + name.length);
    memcpy(group->name, name.data, name.length);
    group->index = index;
    group->entry = entry_hashed(name, offsetof(struct session_group, name));
    list_head_init(&group->sessions);
    hash_index_add(index, &group->entry);
    return group;
}

static void join_session_group(struct owned_session *owned_session, struct session_group *group) {
    owned_session->group = group;
    list_add_tail(&group->sessions, &owned_session->node);
}

static void leave_session_group(struct owned_session *owned_session) {
    struct session_group *group = owned_session->group;
    list_del(&owned_session->node);
    if (!list_empty(&group->sessions)) return;
    hash_index_remove(group->index, &group->entry);
    memory_free(group);
}

static struct bytes client_name(const unsigned long long *client) {
    return bytes_of(client, sizeof(*client));
}

static size_t owned_name_length(struct key_name key) {
    return key_name_length(key) + sizeof(struct guid);
}

static struct bytes owned_name(char *buffer, struct key_name key, struct guid session) {
    size_t length = key_name_pack(key, buffer).length;
    memcpy(buffer + length, &session, sizeof(session));
    return bytes_of(buffer, length + sizeof(session));
}

/* --- Sessions --- */

static void forget_session(struct owned_session *owned_session) {
    leave_session_group(owned_session);
    if (owned_session->orphaned_ms) list_del(&owned_session->among_orphans);
    hash_index_remove(&sessions, &owned_session->entry);
    memory_free(owned_session);
}

static struct bytes key_of_session(const struct owned_session *owned_session) {
    return bytes_of(owned_session->name, owned_session->entry.name_length - sizeof(struct guid));
}

bool connections_accept(const struct call *call) {
    return call_word(call, ARG_SHARE).length <= KEY_NAME_MAX_BYTES;
}

void connections_add(const struct call *call, struct guid session) {
    struct key_name key = call_key_name(call);
    unsigned long long client = RedisModule_GetClientId(call->ctx);
    struct owned_session *owned_session = memory_zeroed(sizeof(*owned_session) + owned_name_length(key));
    struct bytes name = owned_name(owned_session->name, key, session);
    owned_session->entry = entry_hashed(name, offsetof(struct owned_session, name));
    join_session_group(owned_session, need_group(&connections, client_name(&client)));
    hash_index_add(&sessions, &owned_session->entry);
}

void connections_remove(const struct call *call, struct guid session) {
    struct key_name key = call_key_name(call);
    if (!sessions.count) return;
    char *buffer = memory_alloc(owned_name_length(key));
    struct bytes name = owned_name(buffer, key, session);
    struct entry *entry = hash_index_named(&sessions, name);
    memory_free(buffer);
    if (entry) forget_session(container_of(entry, struct owned_session, entry));
}

bool connections_next_orphan(const struct call *call, struct guid *session) {
    struct entry *entry = keys.count ? key_name_find(&keys, call_key_name(call)) : NULL;
    if (!entry) return false;
    struct owned_session *owned_session =
        list_top(&container_of(entry, struct session_group, entry)->sessions, struct owned_session, node);
    memcpy(session, owned_session->name + key_of_session(owned_session).length, sizeof(*session));
    forget_session(owned_session);
    return true;
}

static void forget_old_orphans(int64_t now_ms) {
    struct owned_session *oldest;
    while ((oldest = list_top(&orphans, struct owned_session, among_orphans)) &&
           oldest->orphaned_ms + ORPHAN_KEPT_MS < now_ms)
        forget_session(oldest);
}

/* --- Sessions of deleted shares --- */

/* While a share has sessions, upkeep of its key is scheduled. */
static void collect_stale(void *context, struct entry *entry) {
    struct owned_session **stale = context, *owned_session = container_of(entry, struct owned_session, entry);
    if (upkeep_is_scheduled(key_name_unpack(key_of_session(owned_session)))) return;
    owned_session->next_stale = *stale;
    *stale = owned_session;
}

/* A portion, from the last bucket to the first one. False at the end. */
static bool sweep_portion(void) {
    static size_t left;
    struct owned_session *stale = NULL;
    if (!left || left > sessions.buckets) left = sessions.buckets;
    for (int places = BUCKETS_SWEPT_MAX; places && left; places--)
        hash_index_visit(&sessions, --left, collect_stale, &stale);
    for (struct owned_session *next; stale; stale = next) {
        next = stale->next_stale;
        forget_session(stale);
    }
    return left;
}

/* --- Connections --- */

/* Moves a session from its connection to its key. */
static void orphan_session(struct owned_session *owned_session, int64_t now_ms) {
    leave_session_group(owned_session);
    join_session_group(owned_session, need_group(&keys, key_of_session(owned_session)));
    owned_session->orphaned_ms = now_ms;
    list_add_tail(&orphans, &owned_session->among_orphans);
    upkeep_schedule_key(key_name_unpack(key_of_session(owned_session)), now_ms);
}

/* The last session that leaves the group frees it. */
static LISTENER(on_client_change, change) {
    const RedisModuleClientInfo *client = data;
    if (change != REDISMODULE_SUBEVENT_CLIENT_CHANGE_DISCONNECTED || !connections.count) return;
    unsigned long long id = client->id;
    struct session_group *group = find_session_group(&connections, client_name(&id));
    if (!group) return;
    int64_t now_ms = server_now_ms();
    forget_old_orphans(now_ms);
    for (bool more = true; more;) {
        struct owned_session *owned_session = list_top(&group->sessions, struct owned_session, node);
        if (!owned_session) break;
        more = owned_session != list_tail(&group->sessions, struct owned_session, node);
        orphan_session(owned_session, now_ms);
    }
}

int connections_start(RedisModuleCtx *ctx) {
    static struct upkeep_work work = {.run = sweep_portion};
    upkeep_after_sweeps(&work);
    return events_subscribe(ctx, RedisModuleEvent_ClientChange, on_client_change);
}
