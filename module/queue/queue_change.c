#include "queue/queue_change.h"

#include "change/checks.h"

#include <stddef.h>

/* --- Items --- */

enum { ITEM_ID, ITEM_RECEIPT, ITEM_TEXT, ITEM_DELIVERY, ITEM_EXPIRES, ITEM_VISIBLE, ITEM_TURN };

/* A delivery is one number: how many there have been, and in the lowest bit whether this was the last one. */
static void write_delivery(const void *field, struct record_writer *writer) {
    const struct queue_item *item = field;
    record_put_number(writer, (uint64_t)item->deliveries << 1 | item->last);
}

static void read_delivery(struct record_reader *reader, void *field) {
    struct queue_item *item = field;
    uint64_t delivery = record_number(reader);
    if (delivery >> 1 > UINT32_MAX) reader->failed = true;
    item->deliveries = (uint32_t)(delivery >> 1);
    item->last = delivery & 1;
}

static const struct own_codec delivery = {write_delivery, read_delivery, NULL};

#define AT(member) .offset = offsetof(struct queue_item, member)
static const struct field item_fields[] = {
    [ITEM_ID] = {AT(id), .codec = CODEC_GUID},
    [ITEM_RECEIPT] = {AT(receipt), .codec = CODEC_GUID},
    [ITEM_TEXT] = {AT(text), .codec = CODEC_BYTES, .max = QUEUE_TEXT_MAX_BYTES},
    [ITEM_DELIVERY] = {.codec = CODEC_OWN, .own = &delivery},
    [ITEM_EXPIRES] = {AT(expires_ms), .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS},
    [ITEM_VISIBLE] = {AT(visible_ms), .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS},
    [ITEM_TURN] = {AT(turn), .codec = CODEC_COUNT, .max = QUEUE_TURN_MAX},
};
#undef AT

static const struct layout item_layout = {.fields = item_fields};

#define HAS(field) (UINT64_C(1) << ITEM_##field)
static const uint64_t items_of[QUEUE_CHANGE_KINDS] = {
    [QUEUE_PUT] = HAS(ID) | HAS(RECEIPT) | HAS(TEXT),
    [QUEUE_DELIVER] = HAS(ID) | HAS(RECEIPT) | HAS(DELIVERY),
    [QUEUE_DELETE] = HAS(ID),
    [QUEUE_REDRIVE] = HAS(ID) | HAS(RECEIPT) | HAS(EXPIRES),
    [QUEUE_CLEAR_LIVING] = HAS(ID),
    [QUEUE_UNDELIVER] = HAS(ID) | HAS(RECEIPT) | HAS(DELIVERY) | HAS(VISIBLE) | HAS(TURN),
};
#undef HAS

void queue_item_put(enum queue_change_kind kind, struct record_writer *writer,
                    const struct queue_item *item) {
    layout_write(&item_layout, items_of[kind], item, writer);
}

bool queue_item_next(enum queue_change_kind kind, struct record_reader *reader, struct queue_item *item) {
    if (!record_more(reader)) return false;
    layout_read(&item_layout, items_of[kind], reader, item);
    return !reader->failed;
}

void queue_items_start(struct queue_items *items, const struct queue_change *change) {
    items->change = change;
    items->at = 0;
    items->reader = record_reader(change->items.items);
}

const struct queue_item *queue_items_next(struct queue_items *items) {
    const struct queue_change *change = items->change;
    if (change->decided_items)
        return items->at < change->items.count ? &change->decided_items[items->at++] : NULL;
    return queue_item_next(change->kind, &items->reader, &items->read) ? &items->read : NULL;
}

/* --- Fields --- */

static void put_decided_item(const void *items, uint64_t at, struct record_writer *packed) {
    const struct queue_change *change = items;
    queue_item_put(change->kind, packed, &change->decided_items[at]);
}

static void write_items(const void *field, struct record_writer *writer) {
    const struct queue_change *change = field;
    if (change->decided_items)
        record_put_items(writer, change->items.count, change, put_decided_item);
    else
        record_put_list(writer, change->items);
}

static void read_items(struct record_reader *reader, void *field) {
    struct queue_change *change = field;
    change->items = record_list(reader);
}

/* An update may leave the text as it is. */
static void write_maybe_text(const void *field, struct record_writer *writer) {
    const struct queue_change *change = field;
    record_put_byte(writer, change->has_text);
    if (change->has_text) record_put_bytes(writer, change->text);
}

static void read_maybe_text(struct record_reader *reader, void *field) {
    struct queue_change *change = field;
    uint8_t has_text = record_byte(reader);
    change->has_text = has_text;
    if (has_text) change->text = record_bytes(reader);
    if (has_text > 1 || change->text.length > QUEUE_TEXT_MAX_BYTES) reader->failed = true;
}

static void write_dedup(const void *field, struct record_writer *writer) {
    const struct queue_change *change = field;
    record_put_bytes(writer, change->dedup);
    if (change->dedup.length) record_put_number(writer, (uint64_t)change->until_ms);
}

static void read_dedup(struct record_reader *reader, void *field) {
    struct queue_change *change = field;
    change->dedup = record_bytes(reader);
    if (change->dedup.length) change->until_ms = record_instant(reader);
    if (change->dedup.length > QUEUE_LABEL_MAX_BYTES || change->until_ms > QUEUE_FOREVER_MS)
        reader->failed = true;
}

static const struct own_codec maybe_text = {write_maybe_text, read_maybe_text, NULL};
static const struct own_codec dedup = {write_dedup, read_dedup, NULL};
static const struct own_codec items_codec = {write_items, read_items, NULL};

#define ROW(name, member, ...) {.offset = offsetof(struct queue_change, member), __VA_ARGS__},
static const struct field fields[] = {QUEUE_FIELDS(ROW)};
#undef ROW

/* Whether there is at least one item, all can be read, and their number is right. */
static bool items_are_sound(enum queue_change_kind kind, struct packed_list items) {
    struct record_reader reader = record_reader(items.items);
    struct queue_item item;
    uint64_t count = 0;
    while (queue_item_next(kind, &reader, &item)) count++;
    return count && record_complete(&reader) && count == items.count;
}

/* Only a put of a single message can have a DEDUP id. */
static bool is_sound_queue(const void *record) {
    const struct queue_change *change = record;
    uint64_t has = queue_change_kinds[change->kind].is.fields;
    if (!(has & QUEUE_HAS(ITEMS))) return !(has & QUEUE_HAS(DEDUP)) || change->dedup.length;
    if (!items_are_sound(change->kind, change->items)) return false;
    if (has & QUEUE_HAS(ORDER) && change->items.count > QUEUE_ORDER_MAX - change->order) return false;
    return !change->dedup.length || change->items.count == 1;
}

const struct change_schema queue_changes = {
    .letter = 'Q',
    SCHEMA_ROWS(queue),
    .layout = {.fields = fields},
    .sound = is_sound_queue,
};
