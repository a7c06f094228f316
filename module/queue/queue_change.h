/* The changes of a queue, and their records: see change/change.h. A command that changes many messages makes one change
 * with a list of items. */
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
    QUEUE_DELIVER, /* items: id, receipt, deliveries, whether it is the last one */
    QUEUE_UPDATE,
    QUEUE_RELEASE,
    QUEUE_DELETE, /* items: id */
    QUEUE_CLEAR,
    QUEUE_CLEAR_DEAD,
    QUEUE_REDRIVE,      /* items: id, receipt, when it expires */
    QUEUE_SETTLE,       /* removes messages and dedup entries that have ended */
    QUEUE_MESSAGE,      /* one message or dead letter; only in files */
    QUEUE_DEDUP_ENTRY,  /* one dedup entry; only in files */
    QUEUE_CLEAR_LIVING, /* items: id; unsettled dead letters stay */
    QUEUE_UNDELIVER, /* items: id, receipt, deliveries, visible, turn; undoes a delivery whose client is gone */
    QUEUE_CHANGE_KINDS
};

enum {
    QUEUE_LABEL_MAX_BYTES = 256, /* of groups, reasons and DEDUP ids */
    QUEUE_DELIVERIES_MAX = 1000000,
    QUEUE_TEXT_MAX_BYTES = 64 << 20, /* whatever the settings allow */
};

/* The end of the year 9999: a message that expires then never does. */
#define QUEUE_FOREVER_MS INT64_C(253402300799000)

/* The maximum order number and turn, as in time_index.h. */
#define QUEUE_ORDER_MAX ((UINT64_C(1) << 52) - 1)
#define QUEUE_TURN_MAX  ((1u << 12) - 1)

enum message_stage {
    MESSAGE_QUEUED,
    MESSAGE_LAST, /* in the window of its last delivery */
    MESSAGE_DEAD,
    MESSAGE_STAGES
};

/* Members are grouped by meaning, not packed. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct queue_change {
    enum queue_change_kind kind;
    struct packed_list metadata;
    struct packed_list policies;
    uint64_t order; /* of the first item, or of the message; of a queue, the next one */
    struct guid id;
    struct guid receipt;
    int64_t inserted_ms;
    int64_t expires_ms;
    int64_t visible_ms;      /* for a dead letter: when it died */
    uint32_t max_deliveries; /* 0 = no limit */
    uint32_t deliveries;
    uint32_t turn; /* order among messages that show in the same millisecond */
    bool behind;   /* it follows all that become visible in the same millisecond */
    enum message_stage stage;
    bool has_text; /* an update may leave the text as it is */
    struct bytes text;
    struct bytes group;  /* empty for none */
    struct bytes reason; /* empty for none */
    struct bytes dedup;  /* empty for none */
    int64_t until_ms;    /* when the dedup entry is forgotten */
    int64_t instant_ms;  /* of a settlement: up to this instant … */
    uint64_t ended;      /* … so many messages have expired, … */
    uint64_t died;       /* … so many have died … */
    uint64_t forgotten;  /* … and so many dedup entries are forgotten */
    struct packed_list items;
    /* If the decision has them at hand; not in records: the items, which then are not packed, and their messages. */
    const struct queue_item *decided_items;
    struct message *const *found;
};

/* One item of a change; each kind of change uses some of the fields. */
struct queue_item {
    struct guid id;
    struct guid receipt;
    struct bytes text;
    uint32_t deliveries;
    bool last;
    int64_t expires_ms;
    int64_t visible_ms;
    uint32_t turn;
};

/* The fields of a record, in order: the rows of the layout. A codec of its own gets the whole change if the member is
 * `kind`, the first one. */
/* clang-format off */
#define QUEUE_FIELDS(X)                                                                \
    X(METADATA,   metadata,       .codec = CODEC_LIST, .sound = metadata_is_sound)     \
    X(POLICIES,   policies,       .codec = CODEC_LIST, .sound = policies_are_sound)    \
    X(LIMIT,      max_deliveries, .codec = CODEC_COUNT, .max = QUEUE_DELIVERIES_MAX)   \
    X(ORDER,      order,          .codec = CODEC_NUMBER, .max = QUEUE_ORDER_MAX)       \
    X(ID,         id,             .codec = CODEC_GUID)                                 \
    X(RECEIPT,    receipt,        .codec = CODEC_GUID)                                 \
    X(INSERTED,   inserted_ms,    .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS)     \
    X(EXPIRES,    expires_ms,     .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS)     \
    X(VISIBLE,    visible_ms,     .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS)     \
    X(DELIVERIES, deliveries,     .codec = CODEC_COUNT)                                \
    X(STAGE,      stage,          .codec = CODEC_ENUM, .max = MESSAGE_STAGES - 1)      \
    X(GROUP,      group,          .codec = CODEC_BYTES, .max = QUEUE_LABEL_MAX_BYTES)  \
    X(REASON,     reason,         .codec = CODEC_BYTES, .max = QUEUE_LABEL_MAX_BYTES)  \
    X(DEDUP,      kind,           .codec = CODEC_OWN, .own = &dedup)                   \
    X(MAYBE_TEXT, kind,           .codec = CODEC_OWN, .own = &maybe_text)              \
    X(TEXT,       text,           .codec = CODEC_BYTES, .max = QUEUE_TEXT_MAX_BYTES)   \
    X(INSTANT,    instant_ms,     .codec = CODEC_INSTANT, .max = QUEUE_FOREVER_MS)     \
    X(ENDED,      ended,          .codec = CODEC_NUMBER)                               \
    X(DIED,       died,           .codec = CODEC_NUMBER)                               \
    X(FORGOTTEN,  forgotten,      .codec = CODEC_NUMBER)                               \
    X(ITEMS,      kind,           .codec = CODEC_OWN, .own = &items_codec)             \
    X(TURN,       turn,           .codec = CODEC_COUNT, .max = QUEUE_TURN_MAX)         \
    X(BEHIND,     behind,         .codec = CODEC_FLAG)
/* clang-format on */

#define QUEUE_FIELD(name, ...) QUEUE_FIELD_##name,
enum queue_field { QUEUE_FIELDS(QUEUE_FIELD) };
#define QUEUE_HAS(field) (UINT64_C(1) << QUEUE_FIELD_##field)

extern const struct change_schema queue_changes;

struct message;
struct queue;

/* Applies a change of one kind. */
typedef bool queue_change_apply(struct queue *queue, const struct queue_change *change);

/* A row of the table of kinds. */
struct queue_kind {
    struct change_kind is;
    queue_change_apply *apply; /* NULL for kinds that create or drop */
};

extern const struct queue_kind queue_change_kinds[QUEUE_CHANGE_KINDS];

/* Appends an item for a change of this kind; the caller counts them. */
void queue_item_put(enum queue_change_kind kind, struct record_writer *writer, const struct queue_item *item);
/* Reads the next item; false at the end. */
bool queue_item_next(enum queue_change_kind kind, struct record_reader *reader, struct queue_item *item);

/* A walk over the items of a change, whether they are packed or not. */
struct queue_items {
    const struct queue_change *change;
    uint64_t at; /* in decided_items */
    struct record_reader reader;
    struct queue_item read;
};

void queue_items_start(struct queue_items *items, const struct queue_change *change);
/* The next item, or NULL. It is valid until the next call. */
const struct queue_item *queue_items_next(struct queue_items *items);

/* Events of a QUEUE_SETTLE. */
#define QUEUE_EXPIRED_EVENT "queue.expired"
#define QUEUE_DIED_EVENT    "queue.died"

#endif
