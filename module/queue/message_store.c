#include "queue/message_store.h"

#include "core/hash.h"
#include "core/memory.h"

struct group {
    struct entry entry;
    struct list_head messages; /* their extras, in order of arrival */
    struct list_node
        *passed; /* it and all before it had ended at that instant; the head of the list for none */
    int64_t passed_ms;
    char name[];
};

/* Messages that one search for successors reads; the next search of a group goes on where it ended. Upkeep removes
 * messages that have ended; if a queue has groups, it does so without a delay. So more than this have ended only where
 * many end at once. */
enum { SUCCESSOR_READS_MAX = 10000 };

/* Which time indexes have a message: regular and by_visible; or by_arrival and by_visible, hidden or last_windows. */
enum { IN_REGULAR, IN_VISIBLE, IN_HIDDEN, IN_LAST_WINDOWS };

void message_store_start(struct message_store *store) {
    *store = (struct message_store){
        .by_id = {.bare_name_length = sizeof(struct guid)},
        .regular = TIME_INDEX(BY_END, true),
        .by_arrival = TIME_INDEX(BY_ARRIVAL, true),
        .by_visible = TIME_INDEX(BY_VISIBLE, true),
        .by_end = TIME_INDEX(BY_END, false),
        .hidden = TIME_INDEX(BY_END, false),
        .last_windows = TIME_INDEX(BY_VISIBLE, false),
    };
}

size_t message_store_memory(const struct message_store *store) {
    return store->memory + store->by_id.memory + store->groups.memory + store->regular.memory +
           store->by_arrival.memory + store->by_visible.memory + store->by_end.memory + store->hidden.memory +
           store->last_windows.memory;
}

void message_store_prefetch(const struct message_store *store, const struct guid *id) {
    if (store->by_id.count) hash_index_prefetch(&store->by_id, hash_bytes(guid_bytes(id)));
}

struct message *message_store_find(const struct message_store *store, const struct guid *id) {
    if (!store->by_id.count) return NULL;
    struct entry *entry = hash_index_named(&store->by_id, guid_bytes(id));
    return entry ? message_of_entry(entry) : NULL;
}

/* --- Groups --- */

static struct message *group_first(const struct group *group) {
    return list_top(&group->messages, struct message_extra, peers)->message;
}

static struct group *find_or_add_group(struct message_store *store, struct bytes name) {
    uint32_t hash = hash_bytes(name);
    struct entry *entry = hash_index_find(&store->groups, hash, name);
    if (entry) return (struct group *)entry; /* its first member */
    struct group *group = memory_alloc(sizeof(*group) + name.length);
    group->entry = (struct entry){
        .hash = hash, .name_length = (uint16_t)name.length, .name_at = offsetof(struct group, name)};
    memcpy(group->name, name.data, name.length);
    list_head_init(&group->messages);
    group->passed = &group->messages.n;
    group->passed_ms = 0;
    hash_index_add(&store->groups, &group->entry);
    store->memory += memory_size(group);
    return group;
}

static void join_group(struct message_store *store, struct message *message) {
    struct bytes name = message_group(message);
    if (!name.length || message_stage(message) == MESSAGE_DEAD) return;
    struct group *group = find_or_add_group(store, name);
    message_extra(message)->group = group;
    list_add_tail(&group->messages, &message_extra(message)->peers);
}

static bool waits_in_group(const struct message *message) {
    const struct message_extra *extra = message_extra(message);
    return extra && extra->group && group_first(extra->group) != message;
}

/* --- Successors --- */

struct successor_search {
    int64_t now_ms;
    visit_message *visit;
    void *context;
    int left;
};

static struct message *message_of_peer(struct list_node *node) {
    return container_of(node, struct message_extra, peers)->message;
}

static void visit_successor(struct successor_search *search, struct group *group) {
    if (search->now_ms < group->passed_ms) group->passed = &group->messages.n;
    group->passed_ms = search->now_ms;
    for (struct list_node *next; (next = group->passed->next) != &group->messages.n; group->passed = next) {
        struct message *message = message_of_peer(next);
        if (!message_ended(message, search->now_ms)) {
            search->visit(search->context, message);
            return;
        }
        if (--search->left < 0) return;
    }
}

static void visit_group(void *context, struct entry *entry) {
    struct successor_search *search = context;
    struct group *group = (struct group *)entry;
    if (--search->left >= 0 && message_ended(group_first(group), search->now_ms))
        visit_successor(search, group);
}

static void visit_groups(struct successor_search *search, const struct hash_index *groups) {
    for (size_t i = 0; i < groups->buckets && search->left > 0; i++)
        hash_index_visit(groups, i, visit_group, search);
}

static size_t messages_ended(const struct message_store *store, int64_t now_ms) {
    return message_store_expired(store, now_ms) + time_index_rank(&store->last_windows, now_ms);
}

/* Visits the successors of those messages that are at the beginning of this index because they have ended. */
static void visit_successors_of(struct successor_search *search, const struct time_index *index) {
    struct time_index_cursor cursor = {0};
    struct time_entry *entry;
    while ((entry = time_index_next(index, &cursor)) && time_entry_ends_ms(entry) <= search->now_ms) {
        const struct message_extra *extra = message_extra(message_of_time_entry(entry));
        if (--search->left < 0) return;
        if (extra && extra->group && &group_first(extra->group)->times == entry)
            visit_successor(search, extra->group);
    }
}

void message_store_visit_successors(const struct message_store *store, int64_t now_ms, visit_message *visit,
                                    void *context) {
    struct successor_search search = {now_ms, visit, context, SUCCESSOR_READS_MAX};
    if (!store->groups.count) return;
    if (store->groups.count < messages_ended(store, now_ms)) {
        visit_groups(&search, &store->groups);
        return;
    }
    visit_successors_of(&search, &store->regular);
    visit_successors_of(&search, &store->by_end);
    visit_successors_of(&search, &store->hidden);
    visit_successors_of(&search, &store->last_windows);
}

/* --- Time indexes --- */

static unsigned index_for(const struct message *message) {
    if (message_stage(message) == MESSAGE_DEAD) return IN_LAST_WINDOWS;
    if (message_dies(message)) return IN_LAST_WINDOWS;
    bool will_be_visible = message_visible_ms(message) < message_ends_ms(message) && !waits_in_group(message);
    return will_be_visible ? IN_VISIBLE : IN_HIDDEN;
}

static bool has_end(const struct message *message) {
    return message_ends_ms(message) < QUEUE_FOREVER_MS;
}

static unsigned sorted_in(const struct message *message) {
    const struct message_extra *extra = message_extra(message);
    return extra ? extra->sorted_in : message->brief.sorted_in;
}

static void set_sorted_in(struct message *message, unsigned in) {
    struct message_extra *extra = message_extra(message);
    if (extra)
        extra->sorted_in = (uint8_t)in;
    else
        message->brief.sorted_in = in & 3;
}

/* The time indexes that have a message, besides by_arrival. */
struct holders {
    struct time_index *indexes[2];
    unsigned count;
};

static struct holders holders_of(struct message_store *store, const struct message *message) {
    unsigned more = has_end(message);
    switch (sorted_in(message)) {
    case IN_REGULAR: return (struct holders){{&store->by_visible, &store->regular}, 2};
    case IN_VISIBLE: return (struct holders){{&store->by_visible, &store->by_end}, 1 + more};
    case IN_HIDDEN: return (struct holders){{&store->hidden}, more};
    default: return (struct holders){{&store->last_windows}, 1};
    }
}

typedef void add_time_entry(struct time_index *index, struct time_entry *entry);

/* Only by_visible and last_windows have turns. */
static void add_to_indexes(struct message_store *store, struct message *message, unsigned in,
                           add_time_entry *add) {
    set_sorted_in(message, in);
    struct holders holders = holders_of(store, message);
    if (!holders.count) return;
    (in == IN_HIDDEN ? time_index_add : add)(holders.indexes[0], &message->times);
    if (holders.count > 1) time_index_add(holders.indexes[1], &message->times);
}

static void remove_from_indexes(struct message_store *store, struct message *message) {
    struct holders holders = holders_of(store, message);
    for (unsigned i = 0; i < holders.count; i++) time_index_remove(holders.indexes[i], &message->times);
}

/* Whether a message that is new in by_visible both arrives and ends after all regular ones. One that never
 * expires needs no index by its end, and would keep others out. */
static bool is_regular(const struct message_store *store, const struct message *message) {
    const struct time_entry *last = time_index_last(&store->regular);
    if (!has_end(message)) return false;
    return !last ||
           (last->order < message->times.order && time_entry_ends_ms(last) <= message_ends_ms(message));
}

/* If the message was the first of its group, the next one takes its place. An empty group is freed. */
static void leave_group(struct message_store *store, struct message *message) {
    struct message_extra *extra = message_extra(message);
    struct group *group = extra ? extra->group : NULL;
    if (!group) return;
    bool was_first = group_first(group) == message;
    if (group->passed == &extra->peers) group->passed = extra->peers.prev;
    list_del(&extra->peers);
    extra->group = NULL;
    if (list_empty(&group->messages)) {
        hash_index_remove(&store->groups, &group->entry);
        store->memory -= memory_size(group);
        memory_free(group);
    } else if (was_first) {
        struct message *next = group_first(group);
        remove_from_indexes(store, next);
        add_to_indexes(store, next, index_for(next), time_index_add);
    }
}

static void store_message(struct message_store *store, struct message *message, add_time_entry *add) {
    hash_index_add(&store->by_id, message_entry(message));
    store->memory += message_memory(message);
    if (message_extra(message)) join_group(store, message);
    unsigned in = index_for(message);
    if (in == IN_VISIBLE && is_regular(store, message))
        in = IN_REGULAR;
    else
        time_index_add(&store->by_arrival, &message->times);
    add_to_indexes(store, message, in, add);
}

void message_store_add(struct message_store *store, struct message *message) {
    store_message(store, message, time_index_add);
}

void message_store_add_last(struct message_store *store, struct message *message) {
    store_message(store, message, time_index_add_last);
}

static void remove_from_all_indexes(struct message_store *store, struct message *message) {
    remove_from_indexes(store, message);
    if (sorted_in(message) != IN_REGULAR) time_index_remove(&store->by_arrival, &message->times);
}

void message_store_remove(struct message_store *store, struct message *message) {
    remove_from_all_indexes(store, message);
    hash_index_remove(&store->by_id, message_entry(message));
    store->memory -= message_memory(message);
    if (message_extra(message)) leave_group(store, message);
}

/* --- Changes of a message --- */

static void count_new_extra(struct message_store *store, const struct message *message, bool was_brief) {
    if (was_brief && !message->brief.is_brief) store->memory += memory_size(message->own_extra);
}

void message_store_set_deliveries(struct message_store *store, struct message *message, uint32_t deliveries) {
    bool was_brief = message->brief.is_brief;
    message_set_deliveries(message, deliveries);
    count_new_extra(store, message, was_brief);
}

/* On a replica whose clock is ahead, a message may have ended, and yet be delivered. */
static void pass_again(struct message *message) {
    struct message_extra *extra = message_extra(message);
    struct group *group = extra ? extra->group : NULL;
    if (!group || group->passed == &group->messages.n) return;
    if (message->times.order <= message_of_peer(group->passed)->times.order)
        group->passed = extra->peers.prev;
}

static void change_visibility(struct message_store *store, struct message *message,
                              const struct visibility *visibility) {
    bool was_brief = message->brief.is_brief;
    pass_again(message);
    message_set_visibility(message, visibility->ms, visibility->stage);
    message->times.turn =
        visibility->turn == TURN_LAST ? 0 : (unsigned)visibility->turn & TIME_ENTRY_TURN_MAX;
    count_new_extra(store, message, was_brief);
}

/* Most deliveries only change when the message becomes visible: it changes its position in by_visible, and
 * no other index. */
static bool only_moves_in_visible(const struct message *message, const struct visibility *visibility) {
    return sorted_in(message) <= IN_VISIBLE && visibility->stage == MESSAGE_QUEUED &&
           visibility->ms < message_ends_ms(message);
}

void message_store_set_visibility(struct message_store *store, struct message *message,
                                  const struct visibility *visibility) {
    add_time_entry *add = visibility->turn == TURN_LAST ? time_index_add_last : time_index_add;
    if (only_moves_in_visible(message, visibility)) {
        time_index_remove(&store->by_visible, &message->times);
        change_visibility(store, message, visibility);
        add(&store->by_visible, &message->times);
        return;
    }
    remove_from_all_indexes(store, message);
    change_visibility(store, message, visibility);
    time_index_add(&store->by_arrival, &message->times);
    add_to_indexes(store, message, index_for(message), add);
}

/* --- Queries --- */

size_t message_store_expired_visible(const struct message_store *store, int64_t now_ms) {
    return time_index_rank(&store->regular, now_ms) + time_index_rank(&store->by_end, now_ms);
}

size_t message_store_expired(const struct message_store *store, int64_t now_ms) {
    return message_store_expired_visible(store, now_ms) + time_index_rank(&store->hidden, now_ms);
}

/* Either may be NULL. */
static struct time_entry *first_to_end(struct time_entry *one, struct time_entry *other) {
    if (!one || !other) return one ? one : other;
    int64_t mine_ms = time_entry_ends_ms(one), theirs_ms = time_entry_ends_ms(other);
    bool first = mine_ms != theirs_ms ? mine_ms < theirs_ms : one->order < other->order;
    return first ? one : other;
}

struct message *message_store_first_to_expire(const struct message_store *store) {
    struct time_entry *visible =
        first_to_end(time_index_first(&store->regular), time_index_first(&store->by_end));
    return message_of_time_entry(first_to_end(visible, time_index_first(&store->hidden)));
}

bool message_store_arrives_last(const struct message_store *store, uint64_t order) {
    const struct time_entry *regular = time_index_last(&store->regular);
    const struct time_entry *other = time_index_last(&store->by_arrival);
    return (!regular || regular->order < order) && (!other || other->order < order);
}

void message_store_walk(const struct message_store *store, struct message_walk *walk) {
    message_walk_add(walk, &store->regular, INT64_MAX);
    message_walk_add(walk, &store->by_arrival, INT64_MAX);
}

/* --- Messages that move in memory --- */

/* The pointers to a message in all indexes. */
struct slots {
    void **by_id;
    struct time_entry **in_time_indexes[3];
    unsigned count;
};

static struct slots message_store_slots(struct message_store *store, struct message *message) {
    struct slots slots = {.by_id = hash_index_slot(&store->by_id, message_entry(message))};
    struct holders holders = holders_of(store, message);
    for (unsigned i = 0; i < holders.count; i++)
        slots.in_time_indexes[slots.count++] = time_index_slot(holders.indexes[i], &message->times);
    if (sorted_in(message) != IN_REGULAR)
        slots.in_time_indexes[slots.count++] = time_index_slot(&store->by_arrival, &message->times);
    return slots;
}

static void message_store_slots_set(const struct slots *slots, struct message *message) {
    *slots->by_id = message;
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

static void move_message(void *store, struct entry *entry, const struct relocation *relocation) {
    struct slots slots = message_store_slots(store, message_of_entry(entry));
    struct message *message = relocate(relocation, message_of_entry(entry));
    message_store_slots_set(&slots, message);
    message_relocate_parts(message, relocation);
}

void message_store_relocate(struct message_store *store, size_t bucket, const struct relocation *relocation) {
    hash_index_move(&store->by_id, bucket, relocation, move_message, store);
}

/* --- Freeing --- */

/* Frees a message of a store that is being ended: it stays in the indexes, which are freed next. */
static void free_unindexed(struct message_store *store, struct message *message) {
    struct message_extra *extra = message_extra(message);
    struct group *group = extra ? extra->group : NULL;
    if (group) list_del(&extra->peers);
    if (group && list_empty(&group->messages)) {
        hash_index_remove(&store->groups, &group->entry);
        memory_free(group);
    }
    message_free(message);
}

static void free_unindexed_of(struct message_store *store, const struct time_index *index) {
    struct time_index_cursor cursor = {0};
    for (struct time_entry *entry; (entry = time_index_next(index, &cursor));)
        free_unindexed(store, message_of_time_entry(entry));
}

static void free_indexes(struct message_store *store) {
    time_index_clear(&store->regular);
    time_index_clear(&store->by_arrival);
    time_index_clear(&store->by_visible);
    time_index_clear(&store->by_end);
    time_index_clear(&store->hidden);
    time_index_clear(&store->last_windows);
    hash_index_end(&store->by_id);
    hash_index_end(&store->groups);
}

void message_store_end(struct message_store *store) {
    free_unindexed_of(store, &store->regular);
    free_unindexed_of(store, &store->by_arrival);
    free_indexes(store);
    message_store_start(store);
}

bool message_store_sweep(struct message_store *store, size_t max) {
    for (; max && message_store_count(store); max--) {
        struct time_entry *entry =
            time_index_first(store->regular.count ? &store->regular : &store->by_arrival);
        struct message *message = message_of_time_entry(entry);
        message_store_remove(store, message);
        message_free(message);
    }
    if (message_store_count(store)) return true;
    free_indexes(store);
    message_store_start(store);
    return false;
}
