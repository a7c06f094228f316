#include "queue/message_walk.h"

void message_walk_start(struct message_walk *walk, enum time_index_key by, int64_t now_ms) {
    walk->by = by;
    walk->now_ms = now_ms;
    walk->count = 0;
    walk->taken = NULL;
}

void message_walk_add(struct message_walk *walk, const struct time_index *index, int64_t until_ms) {
    walk->parts[walk->count++] = (struct message_walk_part){.index = index, .until_ms = until_ms};
}

static struct time_entry *next_of_part(const struct message_walk *walk, struct message_walk_part *part) {
    struct time_entry *entry = part->index->tracks_ends
                                   ? time_index_next_living(part->index, &part->cursor, walk->now_ms)
                                   : time_index_next(part->index, &part->cursor);
    return entry && time_entry_visible_ms(entry) <= part->until_ms ? entry : NULL;
}

static bool comes_before(const struct time_entry *one, const struct time_entry *other,
                         enum time_index_key by) {
    if (by == BY_VISIBLE) {
        int64_t mine_ms = time_entry_visible_ms(one), theirs_ms = time_entry_visible_ms(other);
        if (mine_ms != theirs_ms) return mine_ms < theirs_ms;
        if (one->turn != other->turn) return one->turn < other->turn;
    }
    return one->order < other->order;
}

struct message *message_walk_next(struct message_walk *walk) {
    struct time_entry *first = NULL;
    for (unsigned i = 0; i < walk->count; i++) {
        struct message_walk_part *part = &walk->parts[i];
        if (part->next == walk->taken) part->next = next_of_part(walk, part);
        if (part->next && (!first || comes_before(part->next, first, walk->by))) first = part->next;
    }
    walk->taken = first;
    return message_of_time_entry(first);
}
