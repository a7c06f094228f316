#include "blob/blocks.h"

#include "core/garbage.h"
#include "core/memory.h"
#include "core/number.h"

enum { FREED_AT_ONCE_MAX = 1000 };

/* --- Committed --- */

struct block_list {
    size_t uses;
    size_t count;
    size_t length;
    char ids[];
};

struct block_list *block_list_new(struct account *account, struct packed_list ids) {
    if (!ids.count) return NULL;
    struct block_list *list = account_add(account, memory_alloc(sizeof(*list) + ids.items.length));
    list->uses = 1;
    list->count = (size_t)ids.count;
    list->length = ids.items.length;
    memcpy(list->ids, ids.items.data, ids.items.length);
    return list;
}

/* Lists of one blob grow one id at a time, so a list that has to grow gets half as much memory again. */
struct block_list *block_list_add(struct account *account, struct block_list *list, struct bytes id) {
    size_t before = list ? list->length : 0, length = before + 1 + id.length;
    if (!list || list->uses > 1) {
        struct block_list *own = block_list_new(account, (struct packed_list){1, bytes_of("", 0)});
        if (list) {
            own = account_resize(account, own, sizeof(*own) + length);
            memcpy(own->ids, list->ids, before);
            own->count = list->count + 1;
            list->uses--;
        }
        list = own;
    } else {
        list->count++;
    }
    if (memory_size(list) < sizeof(*list) + length)
        list = account_resize(account, list, sizeof(*list) + length + length / 2);
    list->ids[before] = (char)id.length;
    memcpy(list->ids + before + 1, id.data, id.length);
    list->length = length;
    return list;
}

struct block_list *block_list_share(struct block_list *list) {
    list->uses++;
    return list;
}

void block_list_drop(struct account *account, struct block_list *list) {
    if (!--list->uses) account_discard(account, list);
}

struct packed_list block_list_view(const struct block_list *list) {
    if (!list) return (struct packed_list){0, {"", 0}};
    return (struct packed_list){list->count, bytes_of(list->ids, list->length)};
}

/* --- Staged --- */

struct staging *staging_new(struct account *account, struct blob *blob, size_t id_length) {
    struct staging *staging = account_add(account, memory_zeroed(sizeof(*staging)));
    staging->blob = blob;
    staging->id_length = (uint8_t)id_length;
    return staging;
}

static void staged_drop(struct account *account, struct staged_block *block) {
    chunk_drop(account, block->chunk);
    account_discard(account, block);
}

static void drop_all_staged(struct account *account, struct staging *staging) {
    struct order_cursor cursor = staging_walk(staging);
    for (struct entry *entry; (entry = order_cursor_take(&cursor));)
        staged_drop(account, (struct staged_block *)entry);
    account->memory -= staging->blocks.memory;
    order_index_end(&staging->blocks);
    staging->count = 0;
}

/* A block costs one. */
static bool free_staging(struct account *account, struct garbage_part *part, size_t *effort) {
    struct staging *staging = part->root;
    size_t dropped = size_min(*effort, staging->count);
    *effort -= dropped;
    if (dropped < staging->count) {
        staging_drop(account, staging, dropped);
        return false;
    }
    drop_all_staged(account, staging);
    account_discard(account, staging);
    return true;
}

void staging_free(struct account *account, struct staging *staging) {
    garbage_free(account, (struct garbage_part){.free = free_staging, .root = staging}, FREED_AT_ONCE_MAX);
}

static struct staged_block *find_block(const struct staging *staging, struct bytes id) {
    struct order_cursor cursor = order_index_seek(&staging->blocks, id);
    struct entry *entry = order_cursor_entry(&cursor);
    return entry && bytes_equal(entry_name(entry), id) ? (struct staged_block *)entry : NULL;
}

const struct staged_block *staging_find(const struct staging *staging, struct bytes id) {
    return find_block(staging, id);
}

const struct staged_block *staging_find_next(const struct staging *staging, struct order_cursor *cursor,
                                             struct bytes id) {
    const struct staged_block *block = staged_block_at(cursor);
    if (!block || !bytes_equal(entry_name(&block->entry), id)) {
        *cursor = order_index_seek(&staging->blocks, id);
        block = staged_block_at(cursor);
        if (!block || !bytes_equal(entry_name(&block->entry), id)) return NULL;
    }
    return (const struct staged_block *)order_cursor_take(cursor);
}

void staging_add(struct account *account, struct staging *staging, struct bytes id, struct chunk *chunk) {
    struct staged_block *block = find_block(staging, id);
    chunk_use(account, chunk);
    if (block) {
        chunk_drop(account, block->chunk);
        block->chunk = chunk;
        return;
    }
    block = account_add(account, memory_alloc(sizeof(*block) + id.length));
    block->entry =
        (struct entry){.name_length = (uint16_t)id.length, .name_at = offsetof(struct staged_block, id)};
    block->chunk = chunk;
    memcpy(block->id, id.data, id.length);
    account->memory -= staging->blocks.memory;
    order_index_add(&staging->blocks, &block->entry);
    account->memory += staging->blocks.memory;
    staging->count++;
}

void staging_drop(struct account *account, struct staging *staging, uint64_t max) {
    account->memory -= staging->blocks.memory;
    for (; max && staging->count; max--, staging->count--) {
        struct order_cursor cursor = staging_walk(staging);
        struct entry *entry = order_cursor_entry(&cursor);
        order_index_remove(&staging->blocks, entry);
        staged_drop(account, (struct staged_block *)entry);
    }
    account->memory += staging->blocks.memory;
}
