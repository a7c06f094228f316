#include "table/table_index.h"

#include "core/garbage.h"
#include "core/memory.h"

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

void table_index_start(struct account *account, struct table_index *index, struct bytes name) {
    *index = (struct table_index){.frontier = {"", 0}};
    account_keep(account, &index->name, name);
}

/* The entries are freed already. */
static void end_empty(struct account *account, struct table_index *index) {
    order_index_end(&index->entries);
    account_keep(account, &index->name, bytes_of("", 0));
    account_keep(account, &index->frontier, bytes_of("", 0));
}

void table_index_end(struct account *account, struct table_index *index) {
    struct order_cursor cursor = order_index_seek(&index->entries, bytes_of("", 0));
    for (struct entry *entry; (entry = order_cursor_take(&cursor));) entry_drop(account, entry);
    end_empty(account, index);
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

static void add_index_entry(struct account *account, struct table_index *index, const struct value *value,
                            struct bytes key) {
    struct record_writer name;
    size_t value_length = put_index_entry_name(&name, value, key);
    struct index_entry *entry = account_add(account, memory_alloc(sizeof(*entry) + name.length));
    *entry = (struct index_entry){
        .entry = {.name_length = (uint16_t)name.length, .name_at = offsetof(struct index_entry, bytes)},
        .value_length = (uint16_t)value_length,
    };
    memcpy(entry->bytes, name.data, name.length);
    order_index_add(&index->entries, &entry->entry);
    index->count++;
    record_end(&name);
}

static void remove_index_entry(struct account *account, struct table_index *index, const struct value *value,
                               struct bytes key) {
    struct record_writer name;
    put_index_entry_name(&name, value, key);
    struct order_cursor cursor = order_index_seek(&index->entries, record_written(&name));
    struct entry *entry = order_cursor_entry(&cursor);
    order_index_remove(&index->entries, entry);
    entry_drop(account, entry);
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

void table_index_update(struct account *account, struct table_index *index, struct bytes key,
                        struct packed_list before, struct packed_list after) {
    struct property old, new;
    if (!index->complete && bytes_compare(key, index->frontier) > 0) return;
    bool had = properties_find_name(before, index->name, &old);
    bool has = properties_find_name(after, index->name, &new);
    if (had && has && same_value(&old.value, &new.value)) return;
    if (had) remove_index_entry(account, index, &old.value, key);
    if (has) add_index_entry(account, index, &new.value, key);
}

/* --- Building --- */

void table_index_add(struct account *account, struct table_index *index, struct bytes key,
                     struct packed_list properties) {
    struct property property;
    if (properties_find_name(properties, index->name, &property))
        add_index_entry(account, index, &property.value, key);
}

void table_index_advance(struct account *account, struct table_index *index, struct bytes frontier) {
    account_keep(account, &index->frontier, frontier);
}

void table_index_complete(struct account *account, struct table_index *index) {
    table_index_advance(account, index, bytes_of("", 0));
    index->complete = true;
    index->untold = false;
}

/* --- Copies --- */

static struct entry *hold_index_entry(void *context, struct entry *entry) {
    struct account *account = context;
    if (entry_hold(account, entry)) return entry;
    struct index_entry *source = (struct index_entry *)entry;
    struct index_entry *twin = account_add(account, memory_alloc(sizeof(*twin) + entry->name_length));
    twin->entry = entry_twin(entry);
    twin->value_length = source->value_length;
    memcpy(twin->bytes, source->bytes, entry->name_length);
    return &twin->entry;
}

void table_index_share(struct account *account, struct table_index *index, const struct table_index *source) {
    order_index_copy(&index->entries, &source->entries, hold_index_entry, account);
    index->count = source->count;
}

/* --- Dropped indexes --- */

enum { FREED_AT_ONCE_MAX = 1000 };

/* An entry costs one. */
static bool free_dropped(struct account *account, struct garbage_part *part, size_t *effort) {
    struct table_index *index = part->root;
    account->memory -= index->entries.memory;
    for (; *effort && !order_index_empty(&index->entries); --*effort) {
        struct order_cursor cursor = order_index_seek(&index->entries, bytes_of("", 0));
        struct entry *entry = order_cursor_entry(&cursor);
        order_index_remove(&index->entries, entry);
        entry_drop(account, entry);
    }
    account->memory += index->entries.memory;
    if (!order_index_empty(&index->entries)) return false;
    end_empty(account, index);
    account_discard(account, index);
    return true;
}

void table_index_drop(struct account *account, struct table_index *index) {
    struct table_index *dropped = account_add(account, memory_alloc(sizeof(*dropped)));
    *dropped = *index;
    account->memory += dropped->entries.memory;
    garbage_free(account, (struct garbage_part){.free = free_dropped, .root = dropped}, FREED_AT_ONCE_MAX);
}
