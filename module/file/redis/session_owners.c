/* Attendance: which sessions end when their connection does.
 *
 *   connection (the client's id) ─▶ session, by the db and key where it was begun, and its id
 *
 * Like a chore of upkeep it knows names and never a value: when a connection has gone, its sessions wait here until
 * upkeep looks at their keys, which is at once. A key that was renamed meanwhile is not found, and the session there
 * lives until its time is up; and where a share was restored beside itself, two sessions have one id. Only where a
 * session was begun is anything known of its connection, so a replica that is promoted ends none for that. What is
 * known of shares that are gone is forgotten with upkeep's sweeps. */
#include "core/hash.h"
#include "core/hash_index.h"
#include "core/memory.h"
#include "file/redis/handlers.h"
#include "server/events.h"
#include "server/upkeep.h"

#include "ccan/container_of/container_of.h"

enum {
    FORGOTTEN_AFTER_MS = 600000, /* a key that nobody has looked at by then is not there */
    SWEPT_MAX = 128,             /* places of the index that one portion of a sweep looks at */
};

/* Of a connection that is there, or of a key whose upkeep is to end what is left. */
struct group {
    struct entry entry; /* its name is the client's id, or the packed key name */
    struct hash_index *index;
    struct list_head attendees;
    char name[];
};

struct attendee {
    struct entry entry; /* its name is the packed key name, and then the session's id */
    struct list_node node;
    struct group *group;
    struct list_node among_gone;
    int64_t gone_ms; /* 0 while the connection is there */
    char name[];
};

static struct hash_index attendees, connections, keys;
static struct list_head gone = LIST_HEAD_INIT(gone); /* in the order in which they went */

/* --- Groups --- */

static struct group *find_owner_group(struct hash_index *index, struct bytes name) {
    struct entry *entry = hash_index_find(index, hash_bytes(name), name);
    return entry ? container_of(entry, struct group, entry) : NULL;
}

static struct group *need_group(struct hash_index *index, struct bytes name) {
    struct group *group = find_owner_group(index, name);
    if (group) return group;
    group = memory_zeroed(sizeof(*group) + name.length);
    memcpy(group->name, name.data, name.length);
    group->index = index;
    group->entry = (struct entry){hash_bytes(name), (uint16_t)name.length, offsetof(struct group, name)};
    list_head_init(&group->attendees);
    hash_index_add(index, &group->entry);
    return group;
}

static void join_owner(struct attendee *attendee, struct group *group) {
    attendee->group = group;
    list_add_tail(&group->attendees, &attendee->node);
}

static void leave_owner(struct attendee *attendee) {
    struct group *group = attendee->group;
    list_del(&attendee->node);
    if (!list_empty(&group->attendees)) return;
    hash_index_remove(group->index, &group->entry);
    memory_free(group);
}

static struct bytes client_name(const unsigned long long *client) {
    return bytes_of(client, sizeof(*client));
}

static size_t attendee_name_length(struct key_name key) {
    return key_name_length(key) + sizeof(struct guid);
}

static struct bytes attendee_name(char *buffer, struct key_name key, struct guid session) {
    size_t length = key_name_pack(key, buffer).length;
    memcpy(buffer + length, &session, sizeof(session));
    return bytes_of(buffer, length + sizeof(session));
}

/* --- Sessions --- */

static void forget_owner(struct attendee *attendee) {
    leave_owner(attendee);
    if (attendee->gone_ms) list_del(&attendee->among_gone);
    hash_index_remove(&attendees, &attendee->entry);
    memory_free(attendee);
}

static struct bytes owner_place(const struct attendee *attendee) {
    return bytes_of(attendee->name, attendee->entry.name_length - sizeof(struct guid));
}

bool attendance_is_possible(const struct call *call) {
    return call_word(call, ARG_SHARE).length <= KEY_NAME_MAX_BYTES;
}

void attendance_note(const struct call *call, struct guid session) {
    struct key_name key = call_key_name(call);
    unsigned long long client = RedisModule_GetClientId(call->ctx);
    struct attendee *attendee = memory_zeroed(sizeof(*attendee) + attendee_name_length(key));
    struct bytes name = attendee_name(attendee->name, key, session);
    attendee->entry =
        (struct entry){hash_bytes(name), (uint16_t)name.length, offsetof(struct attendee, name)};
    join_owner(attendee, need_group(&connections, client_name(&client)));
    hash_index_add(&attendees, &attendee->entry);
}

void attendance_forget(const struct call *call, struct guid session) {
    struct key_name key = call_key_name(call);
    if (!attendees.count) return;
    char *buffer = memory_alloc(attendee_name_length(key));
    struct bytes name = attendee_name(buffer, key, session);
    struct entry *entry = hash_index_find(&attendees, hash_bytes(name), name);
    memory_free(buffer);
    if (entry) forget_owner(container_of(entry, struct attendee, entry));
}

bool attendance_next_gone(const struct call *call, struct guid *session) {
    struct entry *entry = keys.count ? key_name_find(&keys, call_key_name(call)) : NULL;
    if (!entry) return false;
    struct attendee *attendee =
        list_top(&container_of(entry, struct group, entry)->attendees, struct attendee, node);
    memcpy(session, attendee->name + owner_place(attendee).length, sizeof(*session));
    forget_owner(attendee);
    return true;
}

static void forget_old(int64_t now_ms) {
    struct attendee *oldest;
    while ((oldest = list_top(&gone, struct attendee, among_gone)) &&
           oldest->gone_ms + FORGOTTEN_AFTER_MS < now_ms)
        forget_owner(oldest);
}

/* --- Of shares that are gone --- */

struct absentees {
    size_t count, capacity;
    struct attendee **list;
};

/* While a session lives, upkeep of its key is scheduled. */
static void take_absentee(void *context, struct entry *entry) {
    struct absentees *absentees = context;
    struct attendee *attendee = container_of(entry, struct attendee, entry);
    if (upkeep_is_scheduled(key_name_unpack(owner_place(attendee)))) return;
    if (absentees->count == absentees->capacity) {
        absentees->capacity = absentees->capacity ? absentees->capacity * 2 : SWEPT_MAX;
        absentees->list = memory_resize(absentees->list, absentees->capacity * sizeof(*absentees->list));
    }
    absentees->list[absentees->count++] = attendee;
}

/* As upkeep sweeps its names: from the last place of the index to the first one. */
static bool sweep(void) {
    static size_t left;
    struct absentees absentees = {0, 0, NULL};
    if (!left || left > attendees.buckets) left = attendees.buckets;
    for (int places = SWEPT_MAX; places && left; places--)
        hash_index_visit(&attendees, --left, take_absentee, &absentees);
    for (size_t i = 0; i < absentees.count; i++) forget_owner(absentees.list[i]);
    memory_free(absentees.list);
    return left;
}

/* --- Connections --- */

/* From its connection to its key. */
static void go(struct attendee *attendee, int64_t now_ms) {
    leave_owner(attendee);
    join_owner(attendee, need_group(&keys, owner_place(attendee)));
    attendee->gone_ms = now_ms;
    list_add_tail(&gone, &attendee->among_gone);
    upkeep_schedule_key(key_name_unpack(owner_place(attendee)), now_ms);
}

/* The group goes with the last one of it. */
static void on_client_change(RedisModuleCtx *ctx, RedisModuleEvent event, uint64_t change, void *data) {
    const RedisModuleClientInfo *client = data;
    (void)ctx;
    (void)event;
    if (change != REDISMODULE_SUBEVENT_CLIENT_CHANGE_DISCONNECTED || !connections.count) return;
    unsigned long long id = client->id;
    struct group *group = find_owner_group(&connections, client_name(&id));
    if (!group) return;
    int64_t now_ms = server_now_ms();
    forget_old(now_ms);
    for (bool more = true; more;) {
        struct attendee *attendee = list_top(&group->attendees, struct attendee, node);
        if (!attendee) break;
        more = attendee != list_tail(&group->attendees, struct attendee, node);
        go(attendee, now_ms);
    }
}

int attendance_start(RedisModuleCtx *ctx) {
    static struct upkeep_work work = {.run = sweep};
    hash_index_start(&attendees);
    hash_index_start(&connections);
    hash_index_start(&keys);
    upkeep_after_sweeps(&work);
    return events_subscribe(ctx, RedisModuleEvent_ClientChange, on_client_change);
}
