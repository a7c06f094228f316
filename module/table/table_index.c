#include "table/table_index.h"

#include "core/memory.h"

#include "ccan/list/list.h"

#include <math.h>
#include <stddef.h>

struct index_entry {
    struct entry entry;
    uint16_t value_length; /* of the part before the stored key */
    char bytes[];
};

struct bytes index_entry_key(const struct entry *entry) {
    const struct index_entry *found = (const struct index_entry *)entry;
    return bytes_of(found->bytes + found->value_length, (size_t)(entry->name_length - found->value_length));
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
    order_index_start(&index->entries);
}

static void end_empty(struct table_index *index) {
    order_index_end(&index->entries);
    bytes_discard(&index->account, index->name);
    bytes_discard(&index->account, index->frontier);
}

void table_index_end(struct table_index *index) {
    struct order_cursor cursor = order_index_seek(&index->entries, bytes_of("", 0));
    for (struct entry *entry = order_cursor_entry(&cursor); entry; entry = order_cursor_entry(&cursor)) {
        order_cursor_next(&cursor);
        account_discard(&index->account, entry);
    }
    end_empty(index);
}

/* --- Index entries --- */

/* Writes the name of an index entry: its index key. Returns the length of the value in it. */
static size_t put_index_entry_name(struct record_writer *name, const struct value *value, struct bytes key) {
    record_start(name);
    index_key_put_value(name, value);
    size_t length = name->length;
    record_put_raw(name, key);
    return length;
}

static void add_index_entry(struct table_index *index, const struct value *value, struct bytes key) {
    struct record_writer name;
    size_t value_length = put_index_entry_name(&name, value, key);
    struct index_entry *entry = account_add(&index->account, memory_alloc(sizeof(*entry) + name.length));
    *entry = (struct index_entry){
        .entry = {.name_length = (uint16_t)name.length, .name_at = offsetof(struct index_entry, bytes)},
        .value_length = (uint16_t)value_length,
    };
    memcpy(entry->bytes, name.data, name.length);
    order_index_add(&index->entries, &entry->entry);
    index->count++;
    record_end(&name);
}

static void remove_index_entry(struct table_index *index, const struct value *value, struct bytes key) {
    struct record_writer name;
    put_index_entry_name(&name, value, key);
    struct order_cursor cursor = order_index_seek(&index->entries, bytes_of(name.data, name.length));
    struct entry *entry = order_cursor_entry(&cursor);
    order_index_remove(&index->entries, entry);
    account_discard(&index->account, entry);
    index->count--;
    record_end(&name);
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

void table_index_update(struct table_index *index, struct bytes key, struct packed_list before,
                        struct packed_list after) {
    struct property old, new;
    if (!index->complete && bytes_compare(key, index->frontier) > 0) return;
    bool had = properties_find_name(before, index->name, &old);
    bool has = properties_find_name(after, index->name, &new);
    if (had && has && same_value(&old.value, &new.value)) return;
    if (had) remove_index_entry(index, &old.value, key);
    if (has) add_index_entry(index, &new.value, key);
}

/* --- Building --- */

void table_index_add(struct table_index *index, struct bytes key, struct packed_list properties) {
    struct property property;
    if (properties_find_name(properties, index->name, &property))
        add_index_entry(index, &property.value, key);
}

void table_index_advance(struct table_index *index, struct bytes frontier) {
    bytes_discard(&index->account, index->frontier);
    index->frontier = bytes_keep(&index->account, frontier);
}

void table_index_complete(struct table_index *index) {
    table_index_advance(index, bytes_of("", 0));
    index->complete = true;
}

size_t table_index_memory(const struct table_index *index) {
    return index->entries.memory + index->account.memory;
}

/* --- Dropped indexes --- */

struct dropped {
    struct list_node node;
    struct table_index index;
};

static LIST_HEAD(dropped_indexes);

void table_index_drop(struct table_index *index) {
    struct dropped *dropped = memory_alloc(sizeof(*dropped));
    dropped->index = *index;
    list_add_tail(&dropped_indexes, &dropped->node);
}

bool table_index_free_dropped(size_t max) {
    struct dropped *dropped = list_top(&dropped_indexes, struct dropped, node);
    if (!dropped) return false;
    struct table_index *index = &dropped->index;
    for (; max; max--) {
        struct order_cursor cursor = order_index_seek(&index->entries, bytes_of("", 0));
        struct entry *entry = order_cursor_entry(&cursor);
        if (!entry) break;
        order_index_remove(&index->entries, entry);
        account_discard(&index->account, entry);
    }
    if (!order_index_empty(&index->entries)) return true;
    list_del(&dropped->node);
    end_empty(index);
    memory_free(dropped);
    return !list_empty(&dropped_indexes);
}
