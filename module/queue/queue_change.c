#include "queue/queue_change.h"

#include "core/metadata.h"
#include "core/policy.h"

enum { FORMAT = 1, NO_TEXT = 0, TEXT_FOLLOWS = 1 };

enum field {
    METADATA = 1 << 0,
    POLICIES = 1 << 1,
    DELIVERY_LIMIT = 1 << 2,
    ORDER = 1 << 3,
    ID = 1 << 4,
    RECEIPT = 1 << 5,
    INSERTED = 1 << 6,
    EXPIRES = 1 << 7,
    SHOWS = 1 << 8,
    STATE = 1 << 9, /* deliveries and standing */
    MAYBE_TEXT = 1 << 10,
    TEXT = 1 << 11,
    GROUP = 1 << 12,
    REASON = 1 << 13,
    DEDUP = 1 << 14, /* and until when */
    STANDING = 1 << 15,
    SETTLED = 1 << 16,
    ITEMS = 1 << 17,
};

enum item_field { ITEM_RECEIPT = 1, ITEM_TEXT = 2, ITEM_DELIVERY = 4, ITEM_EXPIRES = 8 };

/* clang-format off */
static const struct { const char *event; unsigned fields, items; } kinds[QUEUE_CHANGE_KINDS] = {
    [QUEUE_CREATE]     = {"queue.create",    METADATA | POLICIES | DELIVERY_LIMIT | ORDER, 0},
    [QUEUE_SETMETA]    = {"queue.setmeta",   METADATA, 0},
    [QUEUE_SETACL]     = {"queue.setacl",    POLICIES, 0},
    [QUEUE_CONFIGURE]  = {"queue.configure", DELIVERY_LIMIT, 0},
    [QUEUE_DROP]       = {"queue.drop",      0, 0},
    [QUEUE_PUT]        = {"queue.put",       ORDER | INSERTED | EXPIRES | SHOWS | GROUP | DEDUP | ITEMS, ITEM_RECEIPT | ITEM_TEXT},
    [QUEUE_DELIVER]    = {"queue.get",       SHOWS | ITEMS, ITEM_RECEIPT | ITEM_DELIVERY},
    [QUEUE_UPDATE]     = {"queue.update",    ID | RECEIPT | SHOWS | MAYBE_TEXT, 0},
    [QUEUE_RELEASE]    = {"queue.release",   ID | RECEIPT | SHOWS | REASON | STANDING, 0},
    [QUEUE_DELETE]     = {"queue.delete",    ITEMS, 0},
    [QUEUE_CLEAR]      = {"queue.clear",     0, 0},
    [QUEUE_CLEAR_DEAD] = {"queue.clear",     0, 0},
    [QUEUE_REDRIVE]    = {"queue.redrive",   ORDER | INSERTED | ITEMS, ITEM_RECEIPT | ITEM_EXPIRES},
    [QUEUE_SETTLE]     = {NULL,              SETTLED, 0},
    [QUEUE_MESSAGE]    = {NULL,              ORDER | ID | RECEIPT | INSERTED | EXPIRES | SHOWS | STATE | STANDING | GROUP | REASON | TEXT, 0},
    [QUEUE_ORIGINAL]   = {NULL,              ORDER | ID | RECEIPT | INSERTED | EXPIRES | SHOWS | DEDUP, 0},
    [QUEUE_CLEAR_LIVING] = {"queue.clear",   ITEMS, 0},
};
/* clang-format on */

const char *queue_change_event(enum queue_change_kind kind) {
    return kinds[kind].event;
}

/* --- To write --- */

static void put_guid(struct record_writer *writer, struct guid guid) {
    record_put_word(writer, guid.high);
    record_put_word(writer, guid.low);
}

static void put_instant(struct record_writer *writer, int64_t instant_ms) {
    record_put_number(writer, (uint64_t)instant_ms);
}

static void put_maybe_text(struct record_writer *writer, const struct queue_change *change) {
    record_put_byte(writer, change->has_text ? TEXT_FOLLOWS : NO_TEXT);
    if (change->has_text) record_put_bytes(writer, change->text);
}

static void put_dedup(struct record_writer *writer, const struct queue_change *change) {
    record_put_bytes(writer, change->dedup);
    if (change->dedup.length) put_instant(writer, change->until_ms);
}

static void put_settled(struct record_writer *writer, const struct queue_change *change) {
    put_instant(writer, change->instant_ms);
    record_put_number(writer, change->ended);
    record_put_number(writer, change->died);
    record_put_number(writer, change->forgotten);
}

void queue_change_write(const struct queue_change *change, struct record_writer *writer) {
    unsigned fields = kinds[change->kind].fields;
    record_put_byte(writer, QUEUE_FAMILY);
    record_put_byte(writer, FORMAT);
    record_put_byte(writer, (uint8_t)change->kind);
    if (fields & METADATA) record_put_list(writer, change->metadata);
    if (fields & POLICIES) record_put_list(writer, change->policies);
    if (fields & DELIVERY_LIMIT) record_put_number(writer, change->most_deliveries);
    if (fields & ORDER) record_put_number(writer, change->order);
    if (fields & ID) put_guid(writer, change->id);
    if (fields & RECEIPT) put_guid(writer, change->receipt);
    if (fields & INSERTED) put_instant(writer, change->inserted_ms);
    if (fields & EXPIRES) put_instant(writer, change->expires_ms);
    if (fields & SHOWS) put_instant(writer, change->shows_ms);
    if (fields & STATE) record_put_number(writer, change->deliveries);
    if (fields & STANDING) record_put_byte(writer, (uint8_t)change->standing);
    if (fields & GROUP) record_put_bytes(writer, change->group);
    if (fields & REASON) record_put_bytes(writer, change->reason);
    if (fields & DEDUP) put_dedup(writer, change);
    if (fields & MAYBE_TEXT) put_maybe_text(writer, change);
    if (fields & TEXT) record_put_bytes(writer, change->text);
    if (fields & SETTLED) put_settled(writer, change);
    if (fields & ITEMS) record_put_list(writer, change->items);
}

void queue_item_put(enum queue_change_kind kind, struct record_writer *writer,
                    const struct queue_item *item) {
    unsigned fields = kinds[kind].items;
    put_guid(writer, item->id);
    if (fields & ITEM_RECEIPT) put_guid(writer, item->receipt);
    if (fields & ITEM_TEXT) record_put_bytes(writer, item->text);
    if (fields & ITEM_DELIVERY) record_put_number(writer, (uint64_t)item->deliveries << 1 | item->last);
    if (fields & ITEM_EXPIRES) put_instant(writer, item->expires_ms);
}

/* --- To read --- */

static struct guid guid_field(struct record_reader *reader) {
    uint64_t high = record_word(reader);
    return (struct guid){high, record_word(reader)};
}

/* No instant lies behind the end of time. */
static int64_t instant_field(struct record_reader *reader) {
    int64_t instant_ms = record_instant(reader);
    if (instant_ms > QUEUE_FOREVER_MS) reader->failed = true;
    return reader->failed ? 0 : instant_ms;
}

static uint64_t number_field(struct record_reader *reader, uint64_t most) {
    uint64_t number = record_number(reader);
    if (number > most) reader->failed = true;
    return reader->failed ? 0 : number;
}

static struct bytes bytes_field(struct record_reader *reader, size_t most) {
    struct bytes bytes = record_bytes(reader);
    if (bytes.length > most) reader->failed = true;
    return reader->failed ? bytes_of("", 0) : bytes;
}

static void read_maybe_text(struct record_reader *reader, struct queue_change *change) {
    change->has_text = number_field(reader, TEXT_FOLLOWS);
    if (change->has_text) change->text = bytes_field(reader, QUEUE_TEXT_MAX_BYTES);
}

static void read_dedup(struct record_reader *reader, struct queue_change *change) {
    change->dedup = bytes_field(reader, QUEUE_LABEL_MAX_BYTES);
    if (change->dedup.length) change->until_ms = instant_field(reader);
}

static void read_settled(struct record_reader *reader, struct queue_change *change) {
    change->instant_ms = instant_field(reader);
    change->ended = record_number(reader);
    change->died = record_number(reader);
    change->forgotten = record_number(reader);
}

static void read_fields(unsigned fields, struct record_reader *reader, struct queue_change *change) {
    if (fields & METADATA) change->metadata = record_list(reader);
    if (fields & POLICIES) change->policies = record_list(reader);
    if (fields & DELIVERY_LIMIT)
        change->most_deliveries = (uint32_t)number_field(reader, QUEUE_DELIVERIES_MOST);
    if (fields & ORDER) change->order = number_field(reader, QUEUE_ORDER_MOST);
    if (fields & ID) change->id = guid_field(reader);
    if (fields & RECEIPT) change->receipt = guid_field(reader);
    if (fields & INSERTED) change->inserted_ms = instant_field(reader);
    if (fields & EXPIRES) change->expires_ms = instant_field(reader);
    if (fields & SHOWS) change->shows_ms = instant_field(reader);
    if (fields & STATE) change->deliveries = (uint32_t)number_field(reader, UINT32_MAX);
    if (fields & STANDING) change->standing = (enum message_standing)record_byte(reader);
    if (fields & GROUP) change->group = bytes_field(reader, QUEUE_LABEL_MAX_BYTES);
    if (fields & REASON) change->reason = bytes_field(reader, QUEUE_LABEL_MAX_BYTES);
    if (fields & DEDUP) read_dedup(reader, change);
    if (fields & MAYBE_TEXT) read_maybe_text(reader, change);
    if (fields & TEXT) change->text = bytes_field(reader, QUEUE_TEXT_MAX_BYTES);
    if (fields & SETTLED) read_settled(reader, change);
    if (fields & ITEMS) change->items = record_list(reader);
}

bool queue_item_next(enum queue_change_kind kind, struct record_reader *reader, struct queue_item *item) {
    unsigned fields = kinds[kind].items;
    if (reader->failed || reader->at == reader->end) return false;
    item->id = guid_field(reader);
    if (fields & ITEM_RECEIPT) item->receipt = guid_field(reader);
    if (fields & ITEM_TEXT) item->text = bytes_field(reader, QUEUE_TEXT_MAX_BYTES);
    if (fields & ITEM_DELIVERY) {
        uint64_t delivery = number_field(reader, (uint64_t)UINT32_MAX << 1 | 1);
        item->deliveries = (uint32_t)(delivery >> 1);
        item->last = delivery & 1;
    }
    if (fields & ITEM_EXPIRES) item->expires_ms = instant_field(reader);
    return !reader->failed;
}

/* At least one, all of them readable, and as many as the list says. */
static bool items_sound(enum queue_change_kind kind, struct packed_list items) {
    struct record_reader reader = record_reader(items.items);
    struct queue_item item;
    uint64_t count = 0;
    while (queue_item_next(kind, &reader, &item)) count++;
    return count && record_complete(&reader) && count == items.count;
}

/* A put of several has no id to know its duplicates by. */
static bool fields_sound(unsigned fields, const struct queue_change *change) {
    if (fields & METADATA && metadata_check(change->metadata) != OUTCOME_DONE) return false;
    if (fields & POLICIES && policies_check(change->policies) != OUTCOME_DONE) return false;
    if (fields & STANDING && change->standing >= MESSAGE_STANDINGS) return false;
    if (fields & DEDUP && !(fields & ITEMS) && !change->dedup.length) return false;
    if (!(fields & ITEMS)) return true;
    if (!items_sound(change->kind, change->items)) return false;
    if (fields & ORDER && change->items.count > QUEUE_ORDER_MOST - change->order) return false;
    return !change->dedup.length || change->items.count == 1;
}

bool queue_change_read(struct bytes record, struct queue_change *change) {
    struct record_reader reader = record_reader(record);
    *change = (struct queue_change){0};
    uint8_t family = record_byte(&reader), format = record_byte(&reader), kind = record_byte(&reader);
    if (reader.failed || family != QUEUE_FAMILY || format != FORMAT || kind >= QUEUE_CHANGE_KINDS)
        return false;
    change->kind = (enum queue_change_kind)kind;
    read_fields(kinds[kind].fields, &reader, change);
    return record_complete(&reader) && fields_sound(kinds[kind].fields, change);
}
