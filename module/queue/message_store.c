#include "queue/message_store.h"

#include "core/hash.h"
#include "core/memory.h"

/* Messages of one group, in order of arrival. */
struct group {
    struct entry entry;
    struct list_head messages;
    char name[];
};

/* Messages that one search for successors looks at. What has ended in a queue with groups is removed at once, so that
 * more of it is there but for entries. */
enum { ENDED_MAX = 10000 };

/* Which time indexes a message is in beside `arrivals`. */
enum { PLACE_SHOWN, PLACE_HIDDEN, PLACE_LAST };

void message_store_start(struct message_store *message_store) {
    *message_store = (struct message_store){
        .arrivals = TIMELINE(BY_ARRIVAL, true),
        .shown = TIMELINE(BY_SHOWING, true),
        .ends = TIMELINE(BY_END, false),
        .hidden = TIMELINE(BY_END, false),
        .last = TIMELINE(BY_SHOWING, false),
    };
}

static size_t index_held(const struct hash_index *index) {
    return index->segments ? index->held : 0;
}

size_t message_store_held(const struct message_store *message_store) {
    return message_store->held + index_held(&message_store->by_id) + index_held(&message_store->groups) +
           message_store->arrivals.held + message_store->shown.held + message_store->ends.held +
           message_store->hidden.held + message_store->last.held;
}

void message_store_prefetch(const struct message_store *message_store, const struct guid *id) {
    if (message_store->by_id.count) hash_index_prefetch(&message_store->by_id, hash_bytes(message_name(id)));
}

struct message *message_store_find(const struct message_store *message_store, const struct guid *id) {
    struct bytes name = message_name(id);
    if (!message_store->by_id.count) return NULL;
    struct entry *entry = hash_index_find(&message_store->by_id, hash_bytes(name), name);
    return entry ? message_of_entry(entry) : NULL;
}

/* --- Groups --- */

static struct message *first_of(const struct group *group) {
    return list_top(&group->messages, struct message_extra, peers)->message;
}

static struct group *group_named(struct message_store *message_store, struct bytes name) {
    uint32_t hash = hash_bytes(name);
    if (!message_store->groups.segments) hash_index_start(&message_store->groups);
    struct entry *entry = hash_index_find(&message_store->groups, hash, name);
    if (entry) return (struct group *)entry; /* the entry is its head */
    struct group *group = memory_alloc(sizeof(*group) + name.length);
    group->entry = (struct entry){hash, (uint16_t)name.length, offsetof(struct group, name)};
    memcpy(group->name, name.data, name.length);
    list_head_init(&group->messages);
    hash_index_add(&message_store->groups, &group->entry);
    message_store->held += memory_size(group);
    return group;
}

static void join_group(struct message_store *message_store, struct message *message) {
    struct bytes name = message_group(message);
    if (!name.length || message->standing == MESSAGE_DEAD) return;
    struct group *group = group_named(message_store, name);
    message->extra->group = group;
    list_add_tail(&group->messages, &message->extra->peers);
}

static bool stands_behind(const struct message *message) {
    const struct message_extra *extra = message->extra;
    return extra && extra->group && first_of(extra->group) != message;
}

/* --- Successors --- */

struct successor_search {
    int64_t now_ms;
    visit_message *visit;
    void *context;
    int left;
};

static void find_successor(struct successor_search *search, const struct group *group) {
    const struct message_extra *extra;
    list_for_each (&group->messages, extra, peers) {
        if (!message_over(extra->message, search->now_ms)) {
            search->visit(search->context, extra->message);
            return;
        }
        if (--search->left < 0) return;
    }
}

/* Behind what has ended and stands at the beginning of this time index. */
static void find_successors(struct successor_search *search, const struct time_index *ending) {
    struct time_index_cursor cursor = {0};
    struct time_entry *time_entry;
    while ((time_entry = time_index_next(ending, &cursor)) && time_entry->ends_ms <= search->now_ms) {
        const struct message_extra *extra = message_of_time_entry(time_entry)->extra;
        if (--search->left < 0) return;
        if (extra && extra->group && &first_of(extra->group)->time_entry == time_entry)
            find_successor(search, extra->group);
    }
}

void message_store_visit_successors(const struct message_store *message_store, int64_t now_ms,
                                    visit_message *visit, void *context) {
    struct successor_search search = {now_ms, visit, context, ENDED_MAX};
    if (!message_store->groups.count) return;
    find_successors(&search, &message_store->ends);
    find_successors(&search, &message_store->hidden);
    find_successors(&search, &message_store->last);
}

/* --- In and out of the time indexes --- */

static unsigned place_for(const struct message *message) {
    if (message->standing == MESSAGE_DEAD) return PLACE_LAST;
    if (message_dies(message)) return PLACE_LAST;
    bool shows = message->time_entry.shows_ms < message->time_entry.ends_ms && !stands_behind(message);
    return shows ? PLACE_SHOWN : PLACE_HIDDEN;
}

static bool expires(const struct message *message) {
    return message->time_entry.ends_ms < QUEUE_FOREVER_MS;
}

typedef void add_time_entry(struct time_index *time_index, struct time_entry *time_entry);

static void enter(struct message_store *message_store, struct message *message, add_time_entry *add) {
    message->place = place_for(message) & 3;
    if (message->place == PLACE_LAST) add(&message_store->last, &message->time_entry);
    if (message->place == PLACE_SHOWN) add(&message_store->shown, &message->time_entry);
    if (message->place == PLACE_SHOWN && expires(message))
        time_index_add(&message_store->ends, &message->time_entry);
    if (message->place == PLACE_HIDDEN && expires(message))
        time_index_add(&message_store->hidden, &message->time_entry);
}

static void leave_message_store(struct message_store *message_store, struct message *message) {
    if (message->place == PLACE_LAST) time_index_remove(&message_store->last, &message->time_entry);
    if (message->place == PLACE_SHOWN) time_index_remove(&message_store->shown, &message->time_entry);
    if (message->place == PLACE_SHOWN && expires(message))
        time_index_remove(&message_store->ends, &message->time_entry);
    if (message->place == PLACE_HIDDEN && expires(message))
        time_index_remove(&message_store->hidden, &message->time_entry);
}

/* A group that has lost its first message goes on with the next one, or is gone. */
static void leave_group(struct message_store *message_store, struct message *message) {
    struct group *group = message->extra ? message->extra->group : NULL;
    if (!group) return;
    bool was_first = first_of(group) == message;
    list_del(&message->extra->peers);
    message->extra->group = NULL;
    if (list_empty(&group->messages)) {
        hash_index_remove(&message_store->groups, &group->entry);
        message_store->held -= memory_size(group);
        memory_free(group);
    } else if (was_first) {
        struct message *next = first_of(group);
        leave_message_store(message_store, next);
        enter(message_store, next, time_index_add);
    }
}

static void add_to_message_store(struct message_store *message_store, struct message *message,
                                 add_time_entry *add) {
    if (!message_store->by_id.segments) hash_index_start(&message_store->by_id);
    hash_index_add(&message_store->by_id, &message->entry);
    message_store->held += message_held(message);
    if (message->extra) join_group(message_store, message);
    time_index_add(&message_store->arrivals, &message->time_entry);
    enter(message_store, message, add);
}

void message_store_add(struct message_store *message_store, struct message *message) {
    add_to_message_store(message_store, message, time_index_add);
}

void message_store_add_last(struct message_store *message_store, struct message *message) {
    add_to_message_store(message_store, message, time_index_add_last);
}

void message_store_take(struct message_store *message_store, struct message *message) {
    leave_message_store(message_store, message);
    time_index_remove(&message_store->arrivals, &message->time_entry);
    hash_index_remove(&message_store->by_id, &message->entry);
    message_store->held -= message_held(message);
    if (message->extra) leave_group(message_store, message);
}

/* Most deliveries change nothing but when the message shows, and between those two it is the same time index. */
static bool only_shows_later(const struct message *message, const struct showing *showing) {
    return message->place == PLACE_SHOWN && showing->standing == MESSAGE_QUEUED &&
           showing->ms < message->time_entry.ends_ms;
}

void message_store_move(struct message_store *message_store, struct message *message,
                        const struct showing *showing) {
    add_time_entry *add = showing->turn == TURN_LAST ? time_index_add_last : time_index_add;
    unsigned turn = showing->turn == TURN_LAST ? 0 : (unsigned)showing->turn;
    if (only_shows_later(message, showing)) {
        time_index_remove(&message_store->shown, &message->time_entry);
        message->time_entry.shows_ms = showing->ms;
        message->time_entry.turn = turn & TIME_ENTRY_TURN_MAX;
        add(&message_store->shown, &message->time_entry);
        return;
    }
    leave_message_store(message_store, message);
    time_index_remove(&message_store->arrivals, &message->time_entry);
    message_store->held -= message_held(message);
    message_set_showing(message, showing->ms, showing->standing);
    message->time_entry.turn = turn & TIME_ENTRY_TURN_MAX;
    message_store->held += message_held(message);
    time_index_add(&message_store->arrivals, &message->time_entry);
    enter(message_store, message, add);
}

/* --- Messages that move in memory --- */

/* All pointers to one message but those of its group, which lead to its extra. */
struct slots {
    void **by_id;
    struct time_entry **moments[3];
    unsigned count;
};

static struct slots message_store_slots(const struct message_store *message_store,
                                        const struct message *message) {
    const struct time_entry *time_entry = &message->time_entry;
    struct slots slots = {.by_id = hash_index_slot(&message_store->by_id, &message->entry)};
    slots.moments[slots.count++] = time_index_slot(&message_store->arrivals, time_entry);
    if (message->place == PLACE_LAST)
        slots.moments[slots.count++] = time_index_slot(&message_store->last, time_entry);
    if (message->place == PLACE_SHOWN)
        slots.moments[slots.count++] = time_index_slot(&message_store->shown, time_entry);
    if (message->place == PLACE_LAST || !expires(message)) return slots;
    const struct time_index *ending =
        message->place == PLACE_SHOWN ? &message_store->ends : &message_store->hidden;
    slots.moments[slots.count++] = time_index_slot(ending, time_entry);
    return slots;
}

static void message_store_slots_set(const struct slots *slots, struct message *message) {
    *slots->by_id = &message->entry;
    for (unsigned i = 0; i < slots->count; i++) *slots->moments[i] = &message->time_entry;
}

void message_store_set_text(struct message_store *message_store, struct message *message, struct bytes text) {
    struct slots slots = message_store_slots(message_store, message);
    message_store->held -= message_held(message);
    message = message_set_text(message, text);
    message_store->held += message_held(message);
    message_store_slots_set(&slots, message);
}

void message_store_set_reason(struct message_store *message_store, struct message *message,
                              struct bytes reason) {
    message_store->held -= message_held(message);
    message_set_reason(message, reason);
    message_store->held += message_held(message);
}

struct moving {
    struct message_store *message_store;
    const struct relocation *relocation;
};

static void move_message(void *context, struct entry *entry) {
    const struct moving *moving = context;
    struct slots slots = message_store_slots(moving->message_store, message_of_entry(entry));
    struct message *message = relocate(moving->relocation, message_of_entry(entry));
    message_store_slots_set(&slots, message);
    message_relocate_parts(message, moving->relocation);
}

void message_store_relocate(struct message_store *message_store, size_t place,
                            const struct relocation *relocation) {
    struct moving moving = {message_store, relocation};
    hash_index_relocate(&message_store->by_id, place, relocation);
    hash_index_visit(&message_store->by_id, place, move_message, &moving);
}

/* --- To free --- */

/* Not through the time indexes: all of them end. */
static void discard(struct message_store *message_store, struct message *message) {
    struct group *group = message->extra ? message->extra->group : NULL;
    if (group) list_del(&message->extra->peers);
    if (group && list_empty(&group->messages)) {
        hash_index_remove(&message_store->groups, &group->entry);
        memory_free(group);
    }
    message_free(message);
}

static void end_indexes(struct message_store *message_store) {
    time_index_end(&message_store->arrivals);
    time_index_end(&message_store->shown);
    time_index_end(&message_store->ends);
    time_index_end(&message_store->hidden);
    time_index_end(&message_store->last);
    if (message_store->by_id.segments) hash_index_end(&message_store->by_id);
    if (message_store->groups.segments) hash_index_end(&message_store->groups);
}

void message_store_end(struct message_store *message_store) {
    struct time_index_cursor cursor = {0};
    for (struct time_entry *time_entry; (time_entry = time_index_next(&message_store->arrivals, &cursor));)
        discard(message_store, message_of_time_entry(time_entry));
    end_indexes(message_store);
    message_store_start(message_store);
}

bool message_store_sweep(struct message_store *message_store, size_t max) {
    for (; max && message_store_count(message_store); max--) {
        struct message *message = message_of_time_entry(time_index_first(&message_store->arrivals));
        message_store_take(message_store, message);
        message_free(message);
    }
    if (message_store_count(message_store)) return true;
    end_indexes(message_store);
    message_store_start(message_store);
    return false;
}
