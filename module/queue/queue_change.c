#include "queue/queue_change.h"

#include "change/checks.h"

#include <stddef.h>

/* --- Items --- */

enum {
    ITEM_ID = 1,
    ITEM_RECEIPT = 2,
    ITEM_TEXT = 4,
    ITEM_DELIVERY = 8,
    ITEM_EXPIRES = 16,
    ITEM_VISIBLE = 32,
    ITEM_TURN = 64
};

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
    FIELD(ITEM_ID) = {AT(id), .codec = CODEC_GUID},
    FIELD(ITEM_RECEIPT) = {AT(receipt), .codec = CODEC_GUID},
    FIELD(ITEM_TEXT) = {AT(text), .codec = CODEC_BYTES, .max = QUEUE_TEXT_MAX_BYTES},
    FIELD(ITEM_DELIVERY) = {.codec = CODEC_OWN, .own = &delivery},
    FIELD(ITEM_EXPIRES) = {AT(expires_ms), .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS},
    FIELD(ITEM_VISIBLE) = {AT(visible_ms), .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS},
    FIELD(ITEM_TURN) = {AT(turn), .codec = CODEC_COUNT, .max = QUEUE_TURN_MAX},
};
#undef AT

static const struct layout item_layout = {.fields = item_fields};

static const unsigned items_of[QUEUE_CHANGE_KINDS] = {
    [QUEUE_PUT] = ITEM_ID | ITEM_RECEIPT | ITEM_TEXT,
    [QUEUE_DELIVER] = ITEM_ID | ITEM_RECEIPT | ITEM_DELIVERY,
    [QUEUE_DELETE] = ITEM_ID,
    [QUEUE_REDRIVE] = ITEM_ID | ITEM_RECEIPT | ITEM_EXPIRES,
    [QUEUE_CLEAR_LIVING] = ITEM_ID,
    [QUEUE_UNDELIVER] = ITEM_ID | ITEM_RECEIPT | ITEM_DELIVERY | ITEM_VISIBLE | ITEM_TURN,
};

void queue_item_put(enum queue_change_kind kind, struct record_writer *writer,
                    const struct queue_item *item) {
    layout_write(&item_layout, items_of[kind], item, writer);
}

bool queue_item_next(enum queue_change_kind kind, struct record_reader *reader, struct queue_item *item) {
    if (reader->failed || reader->at == reader->end) return false;
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

static void write_items(const void *field, struct record_writer *writer) {
    const struct queue_change *change = field;
    struct record_writer packed;
    if (!change->decided_items) {
        record_put_list(writer, change->items);
        return;
    }
    record_start(&packed);
    for (uint64_t i = 0; i < change->items.count; i++)
        queue_item_put(change->kind, &packed, &change->decided_items[i]);
    record_put_list(writer, (struct packed_list){change->items.count, bytes_of(packed.data, packed.length)});
    record_end(&packed);
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

#define AT(member) .offset = offsetof(struct queue_change, member)
static const struct field fields[] = {
    FIELD(QUEUE_HAS_METADATA) = {AT(metadata), .codec = CODEC_LIST, .sound = metadata_is_sound},
    FIELD(QUEUE_HAS_POLICIES) = {AT(policies), .codec = CODEC_LIST, .sound = policies_are_sound},
    FIELD(QUEUE_HAS_LIMIT) = {AT(max_deliveries), .codec = CODEC_COUNT, .max = QUEUE_DELIVERIES_MAX},
    FIELD(QUEUE_HAS_ORDER) = {AT(order), .codec = CODEC_NUMBER, .max = QUEUE_ORDER_MAX},
    FIELD(QUEUE_HAS_ID) = {AT(id), .codec = CODEC_GUID},
    FIELD(QUEUE_HAS_RECEIPT) = {AT(receipt), .codec = CODEC_GUID},
    FIELD(QUEUE_HAS_INSERTED) = {AT(inserted_ms), .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS},
    FIELD(QUEUE_HAS_EXPIRES) = {AT(expires_ms), .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS},
    FIELD(QUEUE_HAS_VISIBLE) = {AT(visible_ms), .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS},
    FIELD(QUEUE_HAS_DELIVERIES) = {AT(deliveries), .codec = CODEC_COUNT},
    FIELD(QUEUE_HAS_STAGE) = {AT(stage), .codec = CODEC_ENUM, .max = MESSAGE_STAGES - 1},
    FIELD(QUEUE_HAS_GROUP) = {AT(group), .codec = CODEC_BYTES, .max = QUEUE_LABEL_MAX_BYTES},
    FIELD(QUEUE_HAS_REASON) = {AT(reason), .codec = CODEC_BYTES, .max = QUEUE_LABEL_MAX_BYTES},
    FIELD(QUEUE_HAS_DEDUP) = {.codec = CODEC_OWN, .own = &dedup},
    FIELD(QUEUE_HAS_MAYBE_TEXT) = {.codec = CODEC_OWN, .own = &maybe_text},
    FIELD(QUEUE_HAS_TEXT) = {AT(text), .codec = CODEC_BYTES, .max = QUEUE_TEXT_MAX_BYTES},
    FIELD(QUEUE_HAS_INSTANT) = {AT(instant_ms), .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS},
    FIELD(QUEUE_HAS_ENDED) = {AT(ended), .codec = CODEC_NUMBER},
    FIELD(QUEUE_HAS_DIED) = {AT(died), .codec = CODEC_NUMBER},
    FIELD(QUEUE_HAS_FORGOTTEN) = {AT(forgotten), .codec = CODEC_NUMBER},
    FIELD(QUEUE_HAS_ITEMS) = {.codec = CODEC_OWN, .own = &items_codec},
    FIELD(QUEUE_HAS_TURN) = {AT(turn), .codec = CODEC_COUNT, .max = QUEUE_TURN_MAX},
    FIELD(QUEUE_HAS_BEHIND) = {AT(behind), .codec = CODEC_FLAG},
};
#undef AT

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
    if (!(has & QUEUE_HAS_ITEMS)) return !(has & QUEUE_HAS_DEDUP) || change->dedup.length;
    if (!items_are_sound(change->kind, change->items)) return false;
    if (has & QUEUE_HAS_ORDER && change->items.count > QUEUE_ORDER_MAX - change->order) return false;
    return !change->dedup.length || change->items.count == 1;
}

const struct change_schema queue_changes = {
    .letter = 'Q',
    .kind_count = QUEUE_CHANGE_KINDS,
    .size = CHANGE_SIZE(queue_change),
    .kinds = &queue_change_kinds[0].is,
    .kind_bytes = sizeof(queue_change_kinds[0]),
    .layout = {.fields = fields},
    .sound = is_sound_queue,
};
