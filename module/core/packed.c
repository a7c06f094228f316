#include "core/packed.h"

#include "core/memory.h"

struct packed {
    uint64_t count;
    size_t length;
    char items[];
};

static struct packed *packed_new(struct packed_list list) {
    if (!list.count) return NULL;
    struct packed *packed = memory_alloc(sizeof(*packed) + list.items.length);
    packed->count = list.count;
    packed->length = list.items.length;
    memcpy(packed->items, list.items.data, list.items.length);
    return packed;
}

void packed_replace(struct account *account, struct packed **place, struct packed_list list) {
    struct packed *packed = packed_new(list);
    account_discard(account, *place);
    *place = packed ? account_add(account, packed) : NULL;
}

struct packed_list packed_view(const struct packed *packed) {
    if (!packed) return (struct packed_list){0, {"", 0}};
    return (struct packed_list){packed->count, bytes_of(packed->items, packed->length)};
}

void record_put_list(struct record_writer *writer, struct packed_list list) {
    record_put_number(writer, list.count);
    if (list.count) record_put_bytes(writer, list.items);
}

void record_put_items(struct record_writer *writer, uint64_t count, const void *items,
                      void (*put)(const void *items, uint64_t at, struct record_writer *packed)) {
    struct record_writer packed;
    record_start(&packed);
    for (uint64_t i = 0; i < count; i++) put(items, i, &packed);
    record_put_list(writer, (struct packed_list){count, record_written(&packed)});
    record_end(&packed);
}

struct packed_list record_list(struct record_reader *reader) {
    struct packed_list list = {record_number(reader), {"", 0}};
    if (list.count) list.items = record_bytes(reader);
    return list;
}

bool packed_next_pair(struct record_reader *reader, struct bytes *name, struct bytes *value) {
    if (!record_more(reader)) return false;
    *name = record_bytes(reader);
    *value = record_bytes(reader);
    return !reader->failed;
}
