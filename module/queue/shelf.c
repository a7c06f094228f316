#include "queue/shelf.h"

#include "core/hash.h"
#include "core/memory.h"

/* Messages of one group, in order of arrival. */
struct group {
    struct entry entry;
    struct list_head messages;
    char name[];
};

/* Messages that one search for successors looks at. What has ended in a queue with groups is removed at once, so that
 * more of it is there but for moments. */
enum { ENDED_MAX = 10000 };

/* Which timelines a message is in beside `arrivals`. */
enum { PLACE_SHOWN, PLACE_HIDDEN, PLACE_LAST };

void shelf_start(struct shelf *shelf) {
    *shelf = (struct shelf){
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

size_t shelf_held(const struct shelf *shelf) {
    return shelf->held + index_held(&shelf->by_id) + index_held(&shelf->groups) + shelf->arrivals.held +
           shelf->shown.held + shelf->ends.held + shelf->hidden.held + shelf->last.held;
}

void shelf_expect(const struct shelf *shelf, const struct guid *id) {
    if (shelf->by_id.count) hash_index_expect(&shelf->by_id, hash_bytes(message_name(id)));
}

struct message *shelf_find(const struct shelf *shelf, const struct guid *id) {
    struct bytes name = message_name(id);
    if (!shelf->by_id.count) return NULL;
    struct entry *entry = hash_index_find(&shelf->by_id, hash_bytes(name), name);
    return entry ? message_of_entry(entry) : NULL;
}

/* --- Groups --- */

static struct message *first_of(const struct group *group) {
    return list_top(&group->messages, struct message_extra, peers)->message;
}

static struct group *group_named(struct shelf *shelf, struct bytes name) {
    uint32_t hash = hash_bytes(name);
    if (!shelf->groups.segments) hash_index_start(&shelf->groups);
    struct entry *entry = hash_index_find(&shelf->groups, hash, name);
    if (entry) return (struct group *)entry; /* the entry is its head */
    struct group *group = memory_alloc(sizeof(*group) + name.length);
    group->entry = (struct entry){hash, (uint16_t)name.length, offsetof(struct group, name)};
    memcpy(group->name, name.data, name.length);
    list_head_init(&group->messages);
    hash_index_add(&shelf->groups, &group->entry);
    shelf->held += memory_size(group);
    return group;
}

static void join_group(struct shelf *shelf, struct message *message) {
    struct bytes name = message_group(message);
    if (!name.length || message->standing == MESSAGE_DEAD) return;
    struct group *group = group_named(shelf, name);
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

/* Behind what has ended and stands at the beginning of this timeline. */
static void find_successors(struct successor_search *search, const struct timeline *ending) {
    struct timeline_cursor cursor = {0};
    struct moment *moment;
    while ((moment = timeline_next(ending, &cursor)) && moment->ends_ms <= search->now_ms) {
        const struct message_extra *extra = message_of_moment(moment)->extra;
        if (--search->left < 0) return;
        if (extra && extra->group && &first_of(extra->group)->moment == moment)
            find_successor(search, extra->group);
    }
}

void shelf_visit_successors(const struct shelf *shelf, int64_t now_ms, visit_message *visit, void *context) {
    struct successor_search search = {now_ms, visit, context, ENDED_MAX};
    if (!shelf->groups.count) return;
    find_successors(&search, &shelf->ends);
    find_successors(&search, &shelf->hidden);
    find_successors(&search, &shelf->last);
}

/* --- In and out of the timelines --- */

static unsigned place_for(const struct message *message) {
    if (message->standing == MESSAGE_DEAD) return PLACE_LAST;
    if (message_dies(message)) return PLACE_LAST;
    bool shows = message->moment.shows_ms < message->moment.ends_ms && !stands_behind(message);
    return shows ? PLACE_SHOWN : PLACE_HIDDEN;
}

static bool expires(const struct message *message) {
    return message->moment.ends_ms < QUEUE_FOREVER_MS;
}

typedef void add_moment(struct timeline *timeline, struct moment *moment);

static void enter(struct shelf *shelf, struct message *message, add_moment *add) {
    message->place = place_for(message) & 3;
    if (message->place == PLACE_LAST) add(&shelf->last, &message->moment);
    if (message->place == PLACE_SHOWN) add(&shelf->shown, &message->moment);
    if (message->place == PLACE_SHOWN && expires(message)) timeline_add(&shelf->ends, &message->moment);
    if (message->place == PLACE_HIDDEN && expires(message)) timeline_add(&shelf->hidden, &message->moment);
}

static void leave_shelf(struct shelf *shelf, struct message *message) {
    if (message->place == PLACE_LAST) timeline_remove(&shelf->last, &message->moment);
    if (message->place == PLACE_SHOWN) timeline_remove(&shelf->shown, &message->moment);
    if (message->place == PLACE_SHOWN && expires(message)) timeline_remove(&shelf->ends, &message->moment);
    if (message->place == PLACE_HIDDEN && expires(message)) timeline_remove(&shelf->hidden, &message->moment);
}

/* A group that has lost its first message goes on with the next one, or is gone. */
static void leave_group(struct shelf *shelf, struct message *message) {
    struct group *group = message->extra ? message->extra->group : NULL;
    if (!group) return;
    bool was_first = first_of(group) == message;
    list_del(&message->extra->peers);
    message->extra->group = NULL;
    if (list_empty(&group->messages)) {
        hash_index_remove(&shelf->groups, &group->entry);
        shelf->held -= memory_size(group);
        memory_free(group);
    } else if (was_first) {
        struct message *next = first_of(group);
        leave_shelf(shelf, next);
        enter(shelf, next, timeline_add);
    }
}

static void add_to_shelf(struct shelf *shelf, struct message *message, add_moment *add) {
    if (!shelf->by_id.segments) hash_index_start(&shelf->by_id);
    hash_index_add(&shelf->by_id, &message->entry);
    shelf->held += message_held(message);
    if (message->extra) join_group(shelf, message);
    timeline_add(&shelf->arrivals, &message->moment);
    enter(shelf, message, add);
}

void shelf_add(struct shelf *shelf, struct message *message) {
    add_to_shelf(shelf, message, timeline_add);
}

void shelf_add_last(struct shelf *shelf, struct message *message) {
    add_to_shelf(shelf, message, timeline_add_last);
}

void shelf_take(struct shelf *shelf, struct message *message) {
    leave_shelf(shelf, message);
    timeline_remove(&shelf->arrivals, &message->moment);
    hash_index_remove(&shelf->by_id, &message->entry);
    shelf->held -= message_held(message);
    if (message->extra) leave_group(shelf, message);
}

/* Most deliveries change nothing but when the message shows, and between those two it is the same timeline. */
static bool only_shows_later(const struct message *message, const struct showing *showing) {
    return message->place == PLACE_SHOWN && showing->standing == MESSAGE_QUEUED &&
           showing->ms < message->moment.ends_ms;
}

void shelf_move(struct shelf *shelf, struct message *message, const struct showing *showing) {
    add_moment *add = showing->turn == TURN_LAST ? timeline_add_last : timeline_add;
    unsigned turn = showing->turn == TURN_LAST ? 0 : (unsigned)showing->turn;
    if (only_shows_later(message, showing)) {
        timeline_remove(&shelf->shown, &message->moment);
        message->moment.shows_ms = showing->ms;
        message->moment.turn = turn & MOMENT_TURN_MAX;
        add(&shelf->shown, &message->moment);
        return;
    }
    leave_shelf(shelf, message);
    timeline_remove(&shelf->arrivals, &message->moment);
    shelf->held -= message_held(message);
    message_set_showing(message, showing->ms, showing->standing);
    message->moment.turn = turn & MOMENT_TURN_MAX;
    shelf->held += message_held(message);
    timeline_add(&shelf->arrivals, &message->moment);
    enter(shelf, message, add);
}

/* --- Messages that move in memory --- */

/* All pointers to one message but those of its group, which lead to its extra. */
struct slots {
    void **by_id;
    struct moment **moments[3];
    unsigned count;
};

static struct slots shelf_slots(const struct shelf *shelf, const struct message *message) {
    const struct moment *moment = &message->moment;
    struct slots slots = {.by_id = hash_index_slot(&shelf->by_id, &message->entry)};
    slots.moments[slots.count++] = timeline_slot(&shelf->arrivals, moment);
    if (message->place == PLACE_LAST) slots.moments[slots.count++] = timeline_slot(&shelf->last, moment);
    if (message->place == PLACE_SHOWN) slots.moments[slots.count++] = timeline_slot(&shelf->shown, moment);
    if (message->place == PLACE_LAST || !expires(message)) return slots;
    const struct timeline *ending = message->place == PLACE_SHOWN ? &shelf->ends : &shelf->hidden;
    slots.moments[slots.count++] = timeline_slot(ending, moment);
    return slots;
}

static void shelf_slots_set(const struct slots *slots, struct message *message) {
    *slots->by_id = &message->entry;
    for (unsigned i = 0; i < slots->count; i++) *slots->moments[i] = &message->moment;
}

void shelf_set_text(struct shelf *shelf, struct message *message, struct bytes text) {
    struct slots slots = shelf_slots(shelf, message);
    shelf->held -= message_held(message);
    message = message_set_text(message, text);
    shelf->held += message_held(message);
    shelf_slots_set(&slots, message);
}

void shelf_set_reason(struct shelf *shelf, struct message *message, struct bytes reason) {
    shelf->held -= message_held(message);
    message_set_reason(message, reason);
    shelf->held += message_held(message);
}

struct moving {
    struct shelf *shelf;
    const struct relocation *relocation;
};

static void move_message(void *context, struct entry *entry) {
    const struct moving *moving = context;
    struct slots slots = shelf_slots(moving->shelf, message_of_entry(entry));
    struct message *message = relocate(moving->relocation, message_of_entry(entry));
    shelf_slots_set(&slots, message);
    message_relocate_parts(message, moving->relocation);
}

void shelf_relocate(struct shelf *shelf, size_t place, const struct relocation *relocation) {
    struct moving moving = {shelf, relocation};
    hash_index_relocate(&shelf->by_id, place, relocation);
    hash_index_visit(&shelf->by_id, place, move_message, &moving);
}

/* --- To free --- */

/* Not through the timelines: all of them end. */
static void discard(struct shelf *shelf, struct message *message) {
    struct group *group = message->extra ? message->extra->group : NULL;
    if (group) list_del(&message->extra->peers);
    if (group && list_empty(&group->messages)) {
        hash_index_remove(&shelf->groups, &group->entry);
        memory_free(group);
    }
    message_free(message);
}

static void end_indexes(struct shelf *shelf) {
    timeline_end(&shelf->arrivals);
    timeline_end(&shelf->shown);
    timeline_end(&shelf->ends);
    timeline_end(&shelf->hidden);
    timeline_end(&shelf->last);
    if (shelf->by_id.segments) hash_index_end(&shelf->by_id);
    if (shelf->groups.segments) hash_index_end(&shelf->groups);
}

void shelf_end(struct shelf *shelf) {
    struct timeline_cursor cursor = {0};
    for (struct moment *moment; (moment = timeline_next(&shelf->arrivals, &cursor));)
        discard(shelf, message_of_moment(moment));
    end_indexes(shelf);
    shelf_start(shelf);
}

bool shelf_sweep(struct shelf *shelf, size_t most) {
    for (; most && shelf_count(shelf); most--) {
        struct message *message = message_of_moment(timeline_first(&shelf->arrivals));
        shelf_take(shelf, message);
        message_free(message);
    }
    if (shelf_count(shelf)) return true;
    end_indexes(shelf);
    shelf_start(shelf);
    return false;
}
