/* Changes of a queue: the vocabulary in which its state moves, and how it is written down.
 *
 * A change is a fact: it carries ids, receipts, instants and texts, and never a condition or a choice. The same record
 * travels to replicas, stands in append-only files and snapshots, and is read back by one decoder that takes nothing
 * on trust. What happens to many messages at once is one change with a list of items. */
#ifndef HOLDFAST_QUEUE_CHANGE_H
#define HOLDFAST_QUEUE_CHANGE_H

#include "change/change.h"
#include "core/guid.h"
#include "core/packed.h"

enum queue_change_kind {
    QUEUE_CREATE,
    QUEUE_SETMETA,
    QUEUE_SETACL,
    QUEUE_CONFIGURE,
    QUEUE_DROP,
    QUEUE_PUT,     /* items: id, receipt, text */
    QUEUE_DELIVER, /* items: id, receipt, deliveries, whether this was the last one */
    QUEUE_UPDATE,
    QUEUE_RELEASE,
    QUEUE_DELETE, /* items: id */
    QUEUE_CLEAR,
    QUEUE_CLEAR_DEAD,
    QUEUE_REDRIVE,      /* items: id, receipt, when it expires */
    QUEUE_SETTLE,       /* removes what time has ended */
    QUEUE_MESSAGE,      /* one message as it is: only for files that rebuild a queue */
    QUEUE_ORIGINAL,     /* a first put, for its duplicates: only for files */
    QUEUE_CLEAR_LIVING, /* items: id; messages that died with their last window stay */
    QUEUE_UNDELIVER, /* items: id, receipt, deliveries, when it shows and its turn; undoes a delivery that was lost */
    QUEUE_CHANGE_KINDS
};

enum {
    QUEUE_LABEL_MAX_BYTES = 256, /* of groups, reasons and ids of duplicates */
    QUEUE_DELIVERIES_MAX = 1000000,
    QUEUE_TEXT_MAX_BYTES = 64 << 20, /* whatever the settings allow */
};

/* The last second of the year 9999: a message that expires then never does. */
#define QUEUE_FOREVER_MS INT64_C(253402300799000)

/* Order numbers stay below the first, and turns do not exceed the second: see time_index.h. */
#define QUEUE_ORDER_MAX ((UINT64_C(1) << 52) - 1)
#define QUEUE_TURN_MAX  ((1u << 12) - 1)

enum message_standing {
    MESSAGE_QUEUED,
    MESSAGE_LAST, /* in the window of its last delivery */
    MESSAGE_DEAD,
    MESSAGE_STANDINGS
};

struct queue_change {
    enum queue_change_kind kind;
    struct packed_list metadata;
    struct packed_list policies;
    uint64_t order; /* of the first item, or of the message; for a queue the next one to assign */
    struct guid id;
    struct guid receipt;
    int64_t inserted_ms;
    int64_t expires_ms;
    int64_t shows_ms;        /* for a dead letter: when it died */
    uint32_t max_deliveries; /* 0 = no limit */
    uint32_t deliveries;
    uint32_t turn; /* order among messages that show in the same millisecond */
    bool behind;   /* it shows after those that show in the same millisecond */
    enum message_standing standing;
    bool has_text; /* an update may leave the text as it is */
    struct bytes text;
    struct bytes group;  /* empty for none */
    struct bytes reason; /* empty for none */
    struct bytes dedup;  /* empty for none */
    int64_t until_ms;    /* until when duplicates of dedup are recognised */
    int64_t instant_ms;  /* what ended up to this instant is settled */
    uint64_t ended;      /* how many messages have expired by then, … */
    uint64_t died;       /* … how many have died, … */
    uint64_t forgotten;  /* … and how many first puts are forgotten */
    struct packed_list items;
    struct message *const
        *found; /* the items' messages, if the decision has looked them up; not in records */
};

/* One item of a change; each kind of change uses some of the fields. */
struct queue_item {
    struct guid id;
    struct guid receipt;
    struct bytes text;
    uint32_t deliveries;
    bool last;
    int64_t expires_ms;
    int64_t shows_ms;
    uint32_t turn;
};

/* The fields of a record, in their order: the rows of the layout. */
enum queue_field {
    QUEUE_HAS_METADATA = 1 << 0,
    QUEUE_HAS_POLICIES = 1 << 1,
    QUEUE_HAS_LIMIT = 1 << 2,
    QUEUE_HAS_ORDER = 1 << 3,
    QUEUE_HAS_ID = 1 << 4,
    QUEUE_HAS_RECEIPT = 1 << 5,
    QUEUE_HAS_INSERTED = 1 << 6,
    QUEUE_HAS_EXPIRES = 1 << 7,
    QUEUE_HAS_SHOWS = 1 << 8,
    QUEUE_HAS_DELIVERIES = 1 << 9,
    QUEUE_HAS_STANDING = 1 << 10,
    QUEUE_HAS_GROUP = 1 << 11,
    QUEUE_HAS_REASON = 1 << 12,
    QUEUE_HAS_DEDUP = 1 << 13,      /* and until when */
    QUEUE_HAS_MAYBE_TEXT = 1 << 14, /* whether there is a text, and the text */
    QUEUE_HAS_TEXT = 1 << 15,
    QUEUE_HAS_INSTANT = 1 << 16,
    QUEUE_HAS_ENDED = 1 << 17,
    QUEUE_HAS_DIED = 1 << 18,
    QUEUE_HAS_FORGOTTEN = 1 << 19,
    QUEUE_HAS_ITEMS = 1 << 20,
    QUEUE_HAS_TURN = 1 << 21,
    QUEUE_HAS_BEHIND = 1 << 22,
};

extern const struct change_family queue_changes;

struct message;
struct queue;

/* Applies a change of one kind. */
typedef bool queue_change_apply(struct queue *queue, const struct queue_change *change);

/* A row of the table of kinds, next to the functions that apply them. */
struct queue_kind {
    struct change_kind is;
    queue_change_apply *apply; /* NULL for kinds that create or drop */
};

extern const struct queue_kind queue_change_kinds[QUEUE_CHANGE_KINDS];

/* Appends an item for a change of this kind; the caller counts them. */
void queue_item_put(enum queue_change_kind kind, struct record_writer *writer, const struct queue_item *item);
/* Reads the next item; false at the end. */
bool queue_item_next(enum queue_change_kind kind, struct record_reader *reader, struct queue_item *item);

/* Events of a QUEUE_SETTLE. */
#define QUEUE_EXPIRED_EVENT "queue.expired"
#define QUEUE_DIED_EVENT    "queue.died"

#endif
