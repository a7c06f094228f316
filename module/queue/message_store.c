#include "queue/message_store.h"

#include "core/hash.h"
#include "core/memory.h"

struct group {
    struct entry entry;
    struct list_head messages; /* their extras, in order of arrival */
    char name[];
};

/* Messages that one search for successors reads. Upkeep removes messages that have ended; if a queue has groups, it
 * does so without a delay. So more than this have ended only where many end at once. */
enum { SUCCESSOR_READS_MAX = 10000 };

/* Which time indexes have a message, besides by_arrival: by_visible and by_end, hidden, or last_windows. */
enum { IN_VISIBLE, IN_HIDDEN, IN_LAST_WINDOWS };

void message_store_start(struct message_store *store) {
    *store = (struct message_store){
        .by_arrival = TIME_INDEX(BY_ARRIVAL, true),
        .by_visible = TIME_INDEX(BY_VISIBLE, true),
        .by_end = TIME_INDEX(BY_END, false),
        .hidden = TIME_INDEX(BY_END, false),
        .last_windows = TIME_INDEX(BY_VISIBLE, false),
    };
}

static size_t index_memory(const struct hash_index *index) {
    return index->segments ? index->memory : 0;
}

size_t message_store_memory(const struct message_store *store) {
    return store->memory + index_memory(&store->by_id) + index_memory(&store->groups) +
           store->by_arrival.memory + store->by_visible.memory + store->by_end.memory + store->hidden.memory +
           store->last_windows.memory;
}

void message_store_prefetch(const struct message_store *store, const struct guid *id) {
    if (store->by_id.count) hash_index_prefetch(&store->by_id, hash_bytes(message_name(id)));
}

struct message *message_store_find(const struct message_store *store, const struct guid *id) {
    struct bytes name = message_name(id);
    if (!store->by_id.count) return NULL;
    struct entry *entry = hash_index_find(&store->by_id, hash_bytes(name), name);
    return entry ? message_of_entry(entry) : NULL;
}

/* --- Groups --- */

static struct message *group_first(const struct group *group) {
    return list_top(&group->messages, struct message_extra, peers)->message;
}

static struct group *find_or_add_group(struct message_store *store, struct bytes name) {
    uint32_t hash = hash_bytes(name);
    if (!store->groups.segments) hash_index_start(&store->groups);
    struct entry *entry = hash_index_find(&store->groups, hash, name);
    if (entry) return (struct group *)entry; /* its first member */
    struct group *group = memory_alloc(sizeof(*group) + name.length);
    group->entry = (struct entry){hash, (uint16_t)name.length, offsetof(struct group, name)};
    memcpy(group->name, name.data, name.length);
    list_head_init(&group->messages);
    hash_index_add(&store->groups, &group->entry);
    store->memory += memory_size(group);
    return group;
}

static void join_group(struct message_store *store, struct message *message) {
    struct bytes name = message_group(message);
    if (!name.length || message->stage == MESSAGE_DEAD) return;
    struct group *group = find_or_add_group(store, name);
    message->extra->group = group;
    list_add_tail(&group->messages, &message->extra->peers);
}

static bool waits_in_group(const struct message *message) {
    const struct message_extra *extra = message->extra;
    return extra && extra->group && group_first(extra->group) != message;
}

/* --- Successors --- */

struct successor_search {
    int64_t now_ms;
    visit_message *visit;
    void *context;
    int left;
};

static void visit_successor(struct successor_search *search, const struct group *group) {
    const struct message_extra *extra;
    list_for_each (&group->messages, extra, peers) {
        if (!message_ended(extra->message, search->now_ms)) {
            search->visit(search->context, extra->message);
            return;
        }
        if (--search->left < 0) return;
    }
}

/* Visits the successors of those messages that are at the beginning of this index because they have ended. */
static void visit_successors_of(struct successor_search *search, const struct time_index *index) {
    struct time_index_cursor cursor = {0};
    struct time_entry *entry;
    while ((entry = time_index_next(index, &cursor)) && entry->ends_ms <= search->now_ms) {
        const struct message_extra *extra = message_of_time_entry(entry)->extra;
        if (--search->left < 0) return;
        if (extra && extra->group && &group_first(extra->group)->times == entry)
            visit_successor(search, extra->group);
    }
}

void message_store_visit_successors(const struct message_store *store, int64_t now_ms, visit_message *visit,
                                    void *context) {
    struct successor_search search = {now_ms, visit, context, SUCCESSOR_READS_MAX};
    if (!store->groups.count) return;
    visit_successors_of(&search, &store->by_end);
    visit_successors_of(&search, &store->hidden);
    visit_successors_of(&search, &store->last_windows);
}

/* --- Time indexes --- */

static unsigned index_for(const struct message *message) {
    if (message->stage == MESSAGE_DEAD) return IN_LAST_WINDOWS;
    if (message_dies(message)) return IN_LAST_WINDOWS;
    bool will_be_visible = message->times.visible_ms < message->times.ends_ms && !waits_in_group(message);
    return will_be_visible ? IN_VISIBLE : IN_HIDDEN;
}

static bool expires(const struct message *message) {
    return message->times.ends_ms < QUEUE_FOREVER_MS;
}

typedef void add_time_entry(struct time_index *index, struct time_entry *entry);

static void add_to_indexes(struct message_store *store, struct message *message, add_time_entry *add) {
    message->sorted_in = index_for(message) & 3;
    if (message->sorted_in == IN_LAST_WINDOWS) add(&store->last_windows, &message->times);
    if (message->sorted_in == IN_VISIBLE) add(&store->by_visible, &message->times);
    if (message->sorted_in == IN_VISIBLE && expires(message)) time_index_add(&store->by_end, &message->times);
    if (message->sorted_in == IN_HIDDEN && expires(message)) time_index_add(&store->hidden, &message->times);
}

static void remove_from_indexes(struct message_store *store, struct message *message) {
    if (message->sorted_in == IN_LAST_WINDOWS) time_index_remove(&store->last_windows, &message->times);
    if (message->sorted_in == IN_VISIBLE) time_index_remove(&store->by_visible, &message->times);
    if (message->sorted_in == IN_VISIBLE && expires(message))
        time_index_remove(&store->by_end, &message->times);
    if (message->sorted_in == IN_HIDDEN && expires(message))
        time_index_remove(&store->hidden, &message->times);
}

/* If the message was the first of its group, the next one takes its place. An empty group is freed. */
static void leave_group(struct message_store *store, struct message *message) {
    struct group *group = message->extra ? message->extra->group : NULL;
    if (!group) return;
    bool was_first = group_first(group) == message;
    list_del(&message->extra->peers);
    message->extra->group = NULL;
    if (list_empty(&group->messages)) {
        hash_index_remove(&store->groups, &group->entry);
        store->memory -= memory_size(group);
        memory_free(group);
    } else if (was_first) {
        struct message *next = group_first(group);
        remove_from_indexes(store, next);
        add_to_indexes(store, next, time_index_add);
    }
}

static void store_message(struct message_store *store, struct message *message, add_time_entry *add) {
    if (!store->by_id.segments) hash_index_start(&store->by_id);
    hash_index_add(&store->by_id, &message->entry);
    store->memory += message_memory(message);
    if (message->extra) join_group(store, message);
    time_index_add(&store->by_arrival, &message->times);
    add_to_indexes(store, message, add);
}

void message_store_add(struct message_store *store, struct message *message) {
    store_message(store, message, time_index_add);
}

void message_store_add_last(struct message_store *store, struct message *message) {
    store_message(store, message, time_index_add_last);
}

void message_store_remove(struct message_store *store, struct message *message) {
    remove_from_indexes(store, message);
    time_index_remove(&store->by_arrival, &message->times);
    hash_index_remove(&store->by_id, &message->entry);
    store->memory -= message_memory(message);
    if (message->extra) leave_group(store, message);
}

/* Most deliveries only change when the message becomes visible: it changes its position in by_visible, and
 * no other index. */
static bool only_moves_in_visible(const struct message *message, const struct visibility *visibility) {
    return message->sorted_in == IN_VISIBLE && visibility->stage == MESSAGE_QUEUED &&
           visibility->ms < message->times.ends_ms;
}

void message_store_set_visibility(struct message_store *store, struct message *message,
                                  const struct visibility *visibility) {
    add_time_entry *add = visibility->turn == TURN_LAST ? time_index_add_last : time_index_add;
    unsigned turn = visibility->turn == TURN_LAST ? 0 : (unsigned)visibility->turn;
    if (only_moves_in_visible(message, visibility)) {
        time_index_remove(&store->by_visible, &message->times);
        message->times.visible_ms = visibility->ms;
        message->times.turn = turn & TIME_ENTRY_TURN_MAX;
        add(&store->by_visible, &message->times);
        return;
    }
    remove_from_indexes(store, message);
    time_index_remove(&store->by_arrival, &message->times);
    store->memory -= message_memory(message);
    message_set_visibility(message, visibility->ms, visibility->stage);
    message->times.turn = turn & TIME_ENTRY_TURN_MAX;
    store->memory += message_memory(message);
    time_index_add(&store->by_arrival, &message->times);
    add_to_indexes(store, message, add);
}

/* --- Messages that move in memory --- */

/* The pointers to a message in all indexes. */
struct slots {
    void **by_id;
    struct time_entry **in_time_indexes[3];
    unsigned count;
};

static struct slots message_store_slots(const struct message_store *store, const struct message *message) {
    const struct time_entry *entry = &message->times;
    struct slots slots = {.by_id = hash_index_slot(&store->by_id, &message->entry)};
    slots.in_time_indexes[slots.count++] = time_index_slot(&store->by_arrival, entry);
    if (message->sorted_in == IN_LAST_WINDOWS)
        slots.in_time_indexes[slots.count++] = time_index_slot(&store->last_windows, entry);
    if (message->sorted_in == IN_VISIBLE)
        slots.in_time_indexes[slots.count++] = time_index_slot(&store->by_visible, entry);
    if (message->sorted_in == IN_LAST_WINDOWS || !expires(message)) return slots;
    const struct time_index *ending = message->sorted_in == IN_VISIBLE ? &store->by_end : &store->hidden;
    slots.in_time_indexes[slots.count++] = time_index_slot(ending, entry);
    return slots;
}

static void message_store_slots_set(const struct slots *slots, struct message *message) {
    *slots->by_id = &message->entry;
    for (unsigned i = 0; i < slots->count; i++) *slots->in_time_indexes[i] = &message->times;
}

void message_store_set_text(struct message_store *store, struct message *message, struct bytes text) {
    struct slots slots = message_store_slots(store, message);
    store->memory -= message_memory(message);
    message = message_set_text(message, text);
    store->memory += message_memory(message);
    message_store_slots_set(&slots, message);
}

void message_store_set_reason(struct message_store *store, struct message *message, struct bytes reason) {
    store->memory -= message_memory(message);
    message_set_reason(message, reason);
    store->memory += message_memory(message);
}

struct message_relocation {
    struct message_store *store;
    const struct relocation *relocation;
};

static void move_message(void *context, struct entry *entry) {
    const struct message_relocation *moving = context;
    struct slots slots = message_store_slots(moving->store, message_of_entry(entry));
    struct message *message = relocate(moving->relocation, message_of_entry(entry));
    message_store_slots_set(&slots, message);
    message_relocate_parts(message, moving->relocation);
}

void message_store_relocate(struct message_store *store, size_t bucket, const struct relocation *relocation) {
    struct message_relocation moving = {store, relocation};
    hash_index_relocate(&store->by_id, bucket, relocation);
    hash_index_visit(&store->by_id, bucket, move_message, &moving);
}

/* --- Freeing --- */

/* Frees a message of a store that is being ended: it stays in the indexes, which are freed next. */
static void free_unindexed(struct message_store *store, struct message *message) {
    struct group *group = message->extra ? message->extra->group : NULL;
    if (group) list_del(&message->extra->peers);
    if (group && list_empty(&group->messages)) {
        hash_index_remove(&store->groups, &group->entry);
        memory_free(group);
    }
    message_free(message);
}

static void free_indexes(struct message_store *store) {
    time_index_clear(&store->by_arrival);
    time_index_clear(&store->by_visible);
    time_index_clear(&store->by_end);
    time_index_clear(&store->hidden);
    time_index_clear(&store->last_windows);
    if (store->by_id.segments) hash_index_end(&store->by_id);
    if (store->groups.segments) hash_index_end(&store->groups);
}

void message_store_end(struct message_store *store) {
    struct time_index_cursor cursor = {0};
    for (struct time_entry *entry; (entry = time_index_next(&store->by_arrival, &cursor));)
        free_unindexed(store, message_of_time_entry(entry));
    free_indexes(store);
    message_store_start(store);
}

bool message_store_sweep(struct message_store *store, size_t max) {
    for (; max && message_store_count(store); max--) {
        struct message *message = message_of_time_entry(time_index_first(&store->by_arrival));
        message_store_remove(store, message);
        message_free(message);
    }
    if (message_store_count(store)) return true;
    free_indexes(store);
    message_store_start(store);
    return false;
}
