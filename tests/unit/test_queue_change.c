/* Changes of queues as records: the bytes that files already hold, every kind there and
 * back, and what is no record at all. */
#include "queue/queue_change.h"

#include "record_trial.h"
#include "unit.h"

#define ID      "\x08\7\6\5\4\3\2\1\x18\x17\x16\x15\x14\x13\x12\x11"
#define RECEIPT "\x28\x27\x26\x25\x24\x23\x22\x21\x38\x37\x36\x35\x34\x33\x32\x31"
#define RECORD(s)                                                                                            \
    { s, sizeof(s) - 1 }
#define FOREVER     "\x98\xb0\xff\x90\xfd\xce\x39"
#define META_A_IS_B "\1\4\1a\1b"

enum { MAX_ITEMS = 2 };

static const struct guid id = {UINT64_C(0x0102030405060708), UINT64_C(0x1112131415161718)};
static const struct guid receipt = {UINT64_C(0x2122232425262728), UINT64_C(0x3132333435363738)};

/* Each kind with all that it says, and the record that it has always been. */
static const struct written {
    struct queue_change change;
    struct queue_item item; /* of those that have a list */
    struct bytes record;
} records[] = {
    {{.kind = QUEUE_CREATE, .max_deliveries = 5, .order = 300}, {.id = {0, 0}}, RECORD("Q\0\0\0\5\xac\2")},
    {{.kind = QUEUE_CREATE, .metadata = {1, RECORD("\1a\1b")}},
     {.id = {0, 0}},
     RECORD("Q\0" META_A_IS_B "\0\0\0")},
    {{.kind = QUEUE_SETMETA, .metadata = {1, RECORD("\1a\1b")}}, {.id = {0, 0}}, RECORD("Q\1" META_A_IS_B)},
    {{.kind = QUEUE_SETACL, .policies = {1, RECORD("\1p\0\0\1r")}},
     {.id = {0, 0}},
     RECORD("Q\2\1\6\1p\0\0\1r")},
    {{.kind = QUEUE_CONFIGURE, .max_deliveries = 3}, {.id = {0, 0}}, RECORD("Q\3\3")},
    {{.kind = QUEUE_DROP}, {.id = {0, 0}}, RECORD("Q\4")},
    {{.kind = QUEUE_PUT, .order = 7, .inserted_ms = 1000, .expires_ms = 2000, .visible_ms = 1500},
     {.id = {1, 0}, .text = RECORD("text")},
     RECORD("Q\5\7\xe8\7\xd0\xf\xdc\xb\0\0\1\x25" ID RECEIPT "\4text")},
    {{.kind = QUEUE_PUT,
      .order = 7,
      .inserted_ms = 1000,
      .expires_ms = QUEUE_FOREVER_MS,
      .visible_ms = 1000,
      .group = RECORD("g"),
      .dedup = RECORD("d"),
      .until_ms = 1001},
     {.id = {1, 0}, .text = RECORD("")},
     RECORD("Q\5\7\xe8\7" FOREVER "\xe8\7\1g\1d\xe9\7\1\x21" ID RECEIPT "\0")},
    {{.kind = QUEUE_DELIVER, .visible_ms = 1500},
     {.id = {1, 0}, .deliveries = 3, .last = true},
     RECORD("Q\6\xdc\xb\1\x21" ID RECEIPT "\7")},
    {{.kind = QUEUE_UPDATE, .visible_ms = 1500}, {.id = {0, 0}}, RECORD("Q\7" ID RECEIPT "\xdc\xb\0\0")},
    {{.kind = QUEUE_UPDATE, .visible_ms = 1500, .has_text = true, .text = RECORD("t")},
     {.id = {0, 0}},
     RECORD("Q\7" ID RECEIPT "\xdc\xb\1\1t\0")},
    {{.kind = QUEUE_RELEASE,
      .visible_ms = 1500,
      .stage = MESSAGE_DEAD,
      .reason = RECORD("why"),
      .behind = true},
     {.id = {0, 0}},
     RECORD("Q\x8" ID RECEIPT "\xdc\xb\2\3why\1")},
    {{.kind = QUEUE_DELETE}, {.id = {1, 0}}, RECORD("Q\x9\1\x10" ID)},
    {{.kind = QUEUE_CLEAR}, {.id = {0, 0}}, RECORD("Q\xa")},
    {{.kind = QUEUE_CLEAR_DEAD}, {.id = {0, 0}}, RECORD("Q\xb")},
    {{.kind = QUEUE_REDRIVE, .order = 9, .inserted_ms = 1000},
     {.id = {1, 0}, .expires_ms = 2000},
     RECORD("Q\xc\x9\xe8\7\1\x22" ID RECEIPT "\xd0\xf")},
    {{.kind = QUEUE_SETTLE, .instant_ms = 1000, .ended = 3, .died = 2, .forgotten = 1},
     {.id = {0, 0}},
     RECORD("Q\xd\xe8\7\3\2\1")},
    {{.kind = QUEUE_MESSAGE,
      .order = 4,
      .inserted_ms = 1000,
      .expires_ms = 2000,
      .visible_ms = 1500,
      .deliveries = 200,
      .turn = 5,
      .stage = MESSAGE_LAST,
      .group = RECORD("g"),
      .reason = RECORD("r"),
      .text = RECORD("text")},
     {.id = {0, 0}},
     RECORD("Q\xe\4" ID RECEIPT "\xe8\7\xd0\xf\xdc\xb\xc8\1\1\1g\1r\4text\5")},
    {{.kind = QUEUE_DEDUP_ENTRY,
      .order = 4,
      .inserted_ms = 1000,
      .expires_ms = 2000,
      .visible_ms = 1500,
      .dedup = RECORD("d"),
      .until_ms = 1001},
     {.id = {0, 0}},
     RECORD("Q\xf\4" ID RECEIPT "\xe8\7\xd0\xf\xdc\xb\1d\xe9\7")},
    {{.kind = QUEUE_CLEAR_LIVING}, {.id = {1, 0}}, RECORD("Q\x10\1\x10" ID)},
    {{.kind = QUEUE_UNDELIVER},
     {.id = {1, 0}, .deliveries = 3, .visible_ms = 1500, .turn = 5},
     RECORD("Q\x11\1\x24" ID RECEIPT "\6\xdc\xb\5")},
};

/* The change as it was meant, with its ids, and its item in a list. */
static struct queue_change change_of(const struct written *written, struct record_writer *items) {
    struct queue_change change = written->change;
    struct queue_item item = written->item;
    record_start(items);
    change.id = item.id.high ? (struct guid){0, 0} : id;
    change.receipt = receipt;
    if (!item.id.high) return change;
    item.id = id;
    item.receipt = receipt;
    queue_item_put(change.kind, items, &item);
    change.items = (struct packed_list){1, record_written(items)};
    return change;
}

TEST(queue_records_have_the_promised_bytes) {
    bool seen[QUEUE_CHANGE_KINDS] = {false};
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
        struct record_writer items ENDS_BY(record_end);
        struct queue_change change = change_of(&records[i], &items);
        RECORD_WRITER(writer);
        change_write(&queue_changes, &change, &writer);
        require_bytes(record_written(&writer), records[i].record, "record %zu", i);
        seen[change.kind] = true;
    }
    for (size_t kind = 0; kind < QUEUE_CHANGE_KINDS; kind++)
        require(seen[kind], "no record of kind %zu", kind);
}

/* Two items, packed and not: the same record, and the same walk. */
TEST(items_need_not_be_packed) {
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
        if (!records[i].item.id.high) continue;
        struct record_writer packed ENDS_BY(record_end);
        struct queue_change change = change_of(&records[i], &packed), decided = change;
        struct queue_item both[] = {records[i].item, records[i].item};
        both[1].id = receipt;
        RECORD_WRITER(items);
        for (size_t at = 0; at < ARRAY_SIZE(both); at++) queue_item_put(change.kind, &items, &both[at]);
        change.items = (struct packed_list){ARRAY_SIZE(both), record_written(&items)};
        decided.items = (struct packed_list){.count = ARRAY_SIZE(both)};
        decided.decided_items = both;
        RECORD_WRITER(record);
        RECORD_WRITER(same);
        change_write(&queue_changes, &change, &record);
        change_write(&queue_changes, &decided, &same);
        require_bytes(record_written(&same), record_written(&record), "record %zu", i);
        struct queue_items walk, other_walk;
        queue_items_start(&walk, &change);
        queue_items_start(&other_walk, &decided);
        for (size_t at = 0; at < ARRAY_SIZE(both); at++) {
            const struct queue_item *item = queue_items_next(&walk), *other = queue_items_next(&other_walk);
            require(item && other && guid_equal(item->id, other->id), "item %zu of record %zu", at, i);
        }
        require(!queue_items_next(&walk) && !queue_items_next(&other_walk), "the end of record %zu", i);
    }
}

TEST(queue_records_are_written_as_they_were_read) {
    for (size_t i = 0; i < ARRAY_SIZE(records); i++)
        record_require_same_again(&queue_changes, records[i].record);
}

TEST(queue_records_that_are_cut_or_too_long_are_refused) {
    for (size_t i = 0; i < ARRAY_SIZE(records); i++) record_require_whole(&queue_changes, records[i].record);
}

TEST(doctored_records_are_safe) {
    struct dice dice = {7};
    unsigned sound = 0;
    for (int round = 0; round < 40000; round++) {
        struct bytes record = records[dice_roll(&dice, ARRAY_SIZE(records))].record;
        sound += record_is_sound_doctored(&queue_changes, record, &dice);
    }
    require(sound > 500, "only %u were sound", sound);
}

TEST(unsound_queue_records_are_refused) {
    static const struct bytes unsound[] = {
        RECORD("C\xa"),                                                  /* another family */
        RECORD("Q\x12"),                                                 /* no such kind */
        RECORD("Q\3\xc1\x84\x3d"),                                       /* 1000001 deliveries */
        RECORD("Q\1\4\1-\1b"),                                           /* metadata without a name */
        RECORD("Q\2\1\6\1p\0\0\1R"),                                     /* a policy with a capital */
        RECORD("Q\7" ID RECEIPT "\xdc\xb\2\0"),                          /* a text or none */
        RECORD("Q\x8" ID RECEIPT "\xdc\xb\3\0\0"),                       /* no such stage */
        RECORD("Q\x9\0"),                                                /* nobody is deleted */
        RECORD("Q\x9\2\x10" ID),                                         /* one of two */
        RECORD("Q\6\x99\xb0\xff\x90\xfd\xce\x39\1\x21" ID RECEIPT "\7"), /* behind the end of time */
        RECORD("Q\xf\4" ID RECEIPT "\xe8\7\xd0\xf\xdc\xb\0"),            /* an original without an id */
        RECORD("Q\xc\xff\xff\xff\xff\xff\xff\xff\x7\xe8\7\1\x22" ID RECEIPT "\xd0\xf"), /* the last order */
    };
    for (size_t i = 0; i < ARRAY_SIZE(unsound); i++) {
        struct queue_change change;
        require(!change_read(&queue_changes, unsound[i], &change), "record %zu", i);
    }
}
