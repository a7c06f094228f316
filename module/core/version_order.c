#include "core/version_order.h"

#include "core/bisect.h"
#include "core/memory.h"

enum { BLOCK_SLOTS_FIRST = 8, BLOCK_SLOTS_MAX = 128, BLOCKS_FIRST = 4 };

/* `first` repeats the smallest version, so that a search reads the slots of one block only. */
struct version_block {
    version first;
    struct version_slot *slots;
    uint16_t count, capacity, marked;
};

/* --- Searching --- */

/* Without an entry the place before all entries of the version is meant. */
static int slot_compare(const struct version_slot *slot, version v, const struct entry *entry) {
    if (slot->v != v) return slot->v < v ? -1 : 1;
    const struct entry *there = version_slot_entry(slot);
    if (there == entry) return 0;
    return entry ? bytes_compare(entry_name(there), entry_name(entry)) : 1;
}

static bool begins_up_to(const struct version_block *block, version v, const struct entry *entry) {
    return block->first == v ? slot_compare(block->slots, v, entry) <= 0 : block->first < v;
}

/* How many blocks begin at or before this place in the order. */
static size_t blocks_up_to(const struct version_order *order, version v, const struct entry *entry) {
    size_t low = 0, high = order->count;
    BISECT(low, high, begins_up_to(&order->blocks[middle], v, entry))
    return low;
}

/* The first slot of the block at or after this place in the order. */
static unsigned slot_place(const struct version_block *block, version v, const struct entry *entry) {
    unsigned low = 0, high = block->count;
    BISECT(low, high, slot_compare(&block->slots[middle], v, entry) < 0)
    return low;
}

static const struct version_slot *last_slot(const struct version_order *order) {
    const struct version_block *last = &order->blocks[order->count - 1];
    return &last->slots[last->count - 1];
}

/* Finds the place of an entry, or, when it is missing, the place where it would be inserted. An object that
 * is written again and again is at the end, so that is tried first. */
static bool find_slot_of(const struct version_order *order, version v, const struct entry *entry,
                         struct version_cursor *place) {
    if (!order->count) return false;
    if (last_slot(order)->v == v && version_slot_entry(last_slot(order)) == entry) {
        place->block = order->count - 1;
        place->at = order->blocks[place->block].count - 1U;
        return true;
    }
    size_t blocks = blocks_up_to(order, v, entry);
    if (!blocks) return false;
    const struct version_block *block = &order->blocks[blocks - 1];
    *place = (struct version_cursor){blocks - 1, slot_place(block, v, entry)};
    return place->at < block->count && slot_compare(&block->slots[place->at], v, entry) == 0;
}

struct version_slot *version_order_slot(const struct version_order *order, version v,
                                        const struct entry *entry) {
    struct version_cursor place;
    return find_slot_of(order, v, entry, &place) ? &order->blocks[place.block].slots[place.at] : NULL;
}

/* --- Blocks --- */

/* Inserts an empty block. */
static struct version_block *insert_block(struct account *account, struct version_order *order, size_t at,
                                          unsigned capacity) {
    if (order->count == order->capacity) {
        order->capacity = order->capacity ? 2 * order->capacity : BLOCKS_FIRST;
        size_t size = order->capacity * sizeof(*order->blocks);
        order->blocks = order->blocks ? account_resize(account, order->blocks, size)
                                      : account_add(account, memory_alloc(size));
    }
    struct version_block *block = &order->blocks[at];
    memmove(block + 1, block, (order->count++ - at) * sizeof(*block));
    *block = (struct version_block){
        .slots = account_add(account, memory_alloc(capacity * sizeof(struct version_slot))),
        .capacity = (uint16_t)capacity,
    };
    return block;
}

static void drop_block(struct account *account, struct version_order *order, size_t at) {
    struct version_block *block = &order->blocks[at];
    account_discard(account, block->slots);
    memmove(block, block + 1, (--order->count - at) * sizeof(*block));
    if (order->count) return;
    version_order_end(account, order);
}

static void grow_block(struct account *account, struct version_block *block, unsigned min) {
    if (block->capacity >= min) return;
    while (block->capacity < min) block->capacity *= 2;
    block->slots = account_resize(account, block->slots, block->capacity * sizeof(*block->slots));
}

static unsigned marked_among(const struct version_slot *slots, unsigned count) {
    unsigned marked = 0;
    for (unsigned i = 0; i < count; i++) marked += version_slot_marked(&slots[i]);
    return marked;
}

/* Moves the second half of a full block to a new one after it. */
static void split_block(struct account *account, struct version_order *order, size_t at) {
    struct version_block *upper = insert_block(account, order, at + 1, BLOCK_SLOTS_MAX);
    struct version_block *lower = upper - 1;
    unsigned half = lower->count / 2U;
    upper->count = (uint16_t)(lower->count - half);
    memcpy(upper->slots, lower->slots + half, upper->count * sizeof(*upper->slots));
    upper->first = upper->slots->v;
    upper->marked = (uint16_t)marked_among(upper->slots, upper->count);
    lower->count = (uint16_t)half;
    lower->marked = (uint16_t)(lower->marked - upper->marked);
}

/* Joins the block with the next one, if both fit into one. */
static bool join_blocks(struct account *account, struct version_order *order, size_t at) {
    if (at + 1 >= order->count) return false;
    struct version_block *lower = &order->blocks[at], *upper = lower + 1;
    unsigned count = (unsigned)lower->count + upper->count;
    if (count > BLOCK_SLOTS_MAX) return false;
    grow_block(account, lower, count);
    memcpy(lower->slots + lower->count, upper->slots, upper->count * sizeof(*upper->slots));
    lower->count = (uint16_t)count;
    lower->marked = (uint16_t)(lower->marked + upper->marked);
    drop_block(account, order, at + 1);
    return true;
}

/* --- Changing --- */

static void put_slot(struct account *account, struct version_block *block, unsigned at,
                     struct version_slot slot) {
    grow_block(account, block, block->count + 1U);
    memmove(block->slots + at + 1, block->slots + at, (block->count++ - at) * sizeof(*block->slots));
    block->slots[at] = slot;
    block->first = block->slots->v;
    block->marked = (uint16_t)(block->marked + version_slot_marked(&slot));
}

/* Adds a slot after all others; this fills blocks completely. */
static void append_slot(struct account *account, struct version_order *order, struct version_slot slot) {
    bool full = !order->count || order->blocks[order->count - 1].count == BLOCK_SLOTS_MAX;
    if (full) insert_block(account, order, order->count, order->count ? BLOCK_SLOTS_MAX : BLOCK_SLOTS_FIRST);
    struct version_block *last = &order->blocks[order->count - 1];
    put_slot(account, last, last->count, slot);
}

static void insert_slot(struct account *account, struct version_order *order, struct version_cursor place,
                        struct version_slot slot) {
    if (order->blocks[place.block].count == BLOCK_SLOTS_MAX) {
        split_block(account, order, place.block);
        unsigned half = order->blocks[place.block].count;
        if (place.at > half) place = (struct version_cursor){place.block + 1, place.at - half};
    }
    put_slot(account, &order->blocks[place.block], place.at, slot);
}

bool version_order_add(struct account *account, struct version_order *order, version v, struct entry *entry,
                       bool marked) {
    struct version_slot slot = {.v = v};
    struct version_cursor place = {0, 0};
    version_slot_set(&slot, entry, marked);
    if (!order->count || last_slot(order)->v < v) {
        append_slot(account, order, slot);
        return true;
    }
    if (find_slot_of(order, v, entry, &place)) return false;
    insert_slot(account, order, place, slot);
    return true;
}

bool version_order_remove(struct account *account, struct version_order *order, version v,
                          const struct entry *entry) {
    struct version_cursor place;
    if (!find_slot_of(order, v, entry, &place)) return false;
    struct version_block *block = &order->blocks[place.block];
    struct version_slot *slot = &block->slots[place.at];
    block->marked = (uint16_t)(block->marked - version_slot_marked(slot));
    memmove(slot, slot + 1, (--block->count - place.at) * sizeof(*slot));
    if (!block->count) {
        drop_block(account, order, place.block);
        return true;
    }
    block->first = block->slots->v;
    if (!join_blocks(account, order, place.block) && place.block)
        join_blocks(account, order, place.block - 1);
    return true;
}

void version_order_end(struct account *account, struct version_order *order) {
    for (size_t i = 0; i < order->count; i++) account_discard(account, order->blocks[i].slots);
    account_discard(account, order->blocks);
    *order = (struct version_order){NULL, 0, 0};
}

/* --- Walking --- */

/* Moves a cursor past the last slot of a block to the first one of the next. */
static void leave_block(const struct version_order *order, struct version_cursor *cursor) {
    if (cursor->block < order->count && cursor->at == order->blocks[cursor->block].count)
        *cursor = (struct version_cursor){cursor->block + 1, 0};
}

struct version_cursor version_order_seek(const struct version_order *order, version v) {
    struct version_cursor cursor = {0, 0};
    size_t blocks = v == UINT64_MAX ? order->count : blocks_up_to(order, v + 1, NULL);
    if (!blocks) return cursor;
    cursor.block = blocks - 1;
    const struct version_block *block = &order->blocks[cursor.block];
    cursor.at = v == UINT64_MAX ? block->count : slot_place(block, v + 1, NULL);
    leave_block(order, &cursor);
    return cursor;
}

const struct version_slot *version_cursor_slot(const struct version_order *order,
                                               const struct version_cursor *cursor) {
    return cursor->block < order->count ? &order->blocks[cursor->block].slots[cursor->at] : NULL;
}

void version_cursor_next(const struct version_order *order, struct version_cursor *cursor) {
    cursor->at++;
    leave_block(order, cursor);
}

void version_cursor_to_marked(const struct version_order *order, struct version_cursor *cursor) {
    while (cursor->block < order->count) {
        const struct version_block *block = &order->blocks[cursor->block];
        for (; block->marked && cursor->at < block->count; cursor->at++)
            if (version_slot_marked(&block->slots[cursor->at])) return;
        *cursor = (struct version_cursor){cursor->block + 1, 0};
    }
}

size_t version_order_marked_before(const struct version_order *order, const struct version_cursor *cursor) {
    size_t marked = 0;
    for (size_t i = 0; i < cursor->block && i < order->count; i++) marked += order->blocks[i].marked;
    if (cursor->block < order->count) marked += marked_among(order->blocks[cursor->block].slots, cursor->at);
    return marked;
}

struct version_cursor version_order_marked_at(const struct version_order *order, size_t before) {
    struct version_cursor cursor = {0, 0};
    while (cursor.block < order->count && order->blocks[cursor.block].marked <= before)
        before -= order->blocks[cursor.block++].marked;
    version_cursor_to_marked(order, &cursor);
    for (; before && cursor.block < order->count; before--) {
        version_cursor_next(order, &cursor);
        version_cursor_to_marked(order, &cursor);
    }
    return cursor;
}

bool version_order_shrink(struct account *account, struct version_order *order) {
    if (!order->count) return false;
    drop_block(account, order, order->count - 1);
    return true;
}

void version_order_relocate(struct version_order *order, size_t block, const struct relocation *relocation) {
    if (!block) order->blocks = relocate(relocation, order->blocks);
    if (block < order->count) order->blocks[block].slots = relocate(relocation, order->blocks[block].slots);
}
