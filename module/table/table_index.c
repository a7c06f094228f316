#include "table/table_index.h"

#include "core/memory.h"

#include "ccan/list/list.h"

#include <math.h>
#include <stddef.h>

struct mark {
    struct entry entry;
    uint16_t value_length; /* of what stands in front of the key */
    char bytes[];
};

struct bytes mark_key(const struct entry *entry) {
    const struct mark *mark = (const struct mark *)entry;
    return bytes_of(mark->bytes + mark->value_length, (size_t)(entry->name_length - mark->value_length));
}

static struct bytes bytes_keep(struct account *account, struct bytes bytes) {
    if (!bytes.length) return bytes_of("", 0);
    char *kept = account_add(account, memory_alloc(bytes.length));
    memcpy(kept, bytes.data, bytes.length);
    return bytes_of(kept, bytes.length);
}

static void bytes_discard(struct account *account, struct bytes bytes) {
    if (bytes.length) account_discard(account, (char *)bytes.data);
}

void table_index_start(struct table_index *index, struct bytes name) {
    *index = (struct table_index){.frontier = {"", 0}};
    index->name = bytes_keep(&index->account, name);
    order_index_start(&index->marks);
}

/* Without its marks. */
static void end_empty(struct table_index *index) {
    order_index_end(&index->marks);
    bytes_discard(&index->account, index->name);
    bytes_discard(&index->account, index->frontier);
}

void table_index_end(struct table_index *index) {
    struct order_cursor cursor = order_index_seek(&index->marks, bytes_of("", 0));
    for (struct entry *mark = order_cursor_entry(&cursor); mark; mark = order_cursor_entry(&cursor)) {
        order_cursor_next(&cursor);
        account_discard(&index->account, mark);
    }
    end_empty(index);
}

/* --- Marks --- */

/* Writes what a mark of this value and key is called. Answers the length of the value. */
static size_t mark_name(struct record_writer *room, const struct value *value, struct bytes key) {
    record_start(room);
    index_key_put_value(room, value);
    size_t length = room->length;
    record_put_raw(room, key);
    return length;
}

static void add_mark(struct table_index *index, const struct value *value, struct bytes key) {
    struct record_writer room;
    size_t value_length = mark_name(&room, value, key);
    struct mark *mark = account_add(&index->account, memory_alloc(sizeof(*mark) + room.length));
    *mark = (struct mark){
        .entry = {.name_length = (uint16_t)room.length, .name_at = offsetof(struct mark, bytes)},
        .value_length = (uint16_t)value_length,
    };
    memcpy(mark->bytes, room.data, room.length);
    order_index_add(&index->marks, &mark->entry);
    index->count++;
    record_end(&room);
}

static void remove_mark(struct table_index *index, const struct value *value, struct bytes key) {
    struct record_writer room;
    mark_name(&room, value, key);
    struct order_cursor cursor = order_index_seek(&index->marks, bytes_of(room.data, room.length));
    struct entry *mark = order_cursor_entry(&cursor);
    order_index_remove(&index->marks, mark);
    account_discard(&index->account, mark);
    index->count--;
    record_end(&room);
}

static bool same_value(const struct value *one, const struct value *other) {
    if (one->type != other->type) return false;
    switch (one->type) {
    case VALUE_STRING:
    case VALUE_BINARY: return bytes_equal(one->bytes, other->bytes);
    case VALUE_DOUBLE: return one->real == other->real || (isnan(one->real) && isnan(other->real));
    case VALUE_GUID: return guid_equal(one->guid, other->guid);
    default: return one->number == other->number;
    }
}

void table_index_follow(struct table_index *index, struct bytes key, struct packed_list before,
                        struct packed_list after) {
    struct property old, new;
    if (!index->complete && bytes_compare(key, index->frontier) > 0) return;
    bool had = properties_find_name(before, index->name, &old);
    bool has = properties_find_name(after, index->name, &new);
    if (had && has && same_value(&old.value, &new.value)) return;
    if (had) remove_mark(index, &old.value, key);
    if (has) add_mark(index, &new.value, key);
}

/* --- Building --- */

void table_index_take(struct table_index *index, struct bytes key, struct packed_list properties) {
    struct property property;
    if (properties_find_name(properties, index->name, &property)) add_mark(index, &property.value, key);
}

void table_index_advance(struct table_index *index, struct bytes frontier) {
    bytes_discard(&index->account, index->frontier);
    index->frontier = bytes_keep(&index->account, frontier);
}

void table_index_complete(struct table_index *index) {
    table_index_advance(index, bytes_of("", 0));
    index->complete = true;
}

size_t table_index_held(const struct table_index *index) {
    return index->marks.held + index->account.held;
}

/* --- What was dropped --- */

struct abandoned {
    struct list_node node;
    struct table_index index;
};

static LIST_HEAD(abandoned_indexes);

void table_index_abandon(struct table_index *index) {
    struct abandoned *abandoned = memory_alloc(sizeof(*abandoned));
    abandoned->index = *index;
    list_add_tail(&abandoned_indexes, &abandoned->node);
}

bool table_index_sweep(size_t max) {
    struct abandoned *abandoned = list_top(&abandoned_indexes, struct abandoned, node);
    if (!abandoned) return false;
    struct table_index *index = &abandoned->index;
    for (; max; max--) {
        struct order_cursor cursor = order_index_seek(&index->marks, bytes_of("", 0));
        struct entry *mark = order_cursor_entry(&cursor);
        if (!mark) break;
        order_index_remove(&index->marks, mark);
        account_discard(&index->account, mark);
    }
    if (!order_index_empty(&index->marks)) return true;
    list_del(&abandoned->node);
    end_empty(index);
    memory_free(abandoned);
    return !list_empty(&abandoned_indexes);
}
