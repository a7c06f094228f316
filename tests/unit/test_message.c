/* Messages: what few of them have, and numbers that do not fit into a brief, are kept as well; and how much memory the
 * many take that have nothing of it. */
#include "queue/queue.h"

#include "unit.h"

enum { NOW_MS = 1000000, LENGTH_MAX = 65536 };

static struct bytes long_text(size_t length) {
    static char text[LENGTH_MAX];
    for (size_t i = 0; i < length; i++) text[i] = (char)('a' + i % 23);
    return bytes_of(text, length);
}

static void require_equal(const struct message *message, const struct queue_change *expected) {
    const struct queue_change is = message_as_change(message);
    require(guid_equal(is.id, expected->id) && guid_equal(is.receipt, expected->receipt), "another message");
    require_same(is.order, expected->order, "order");
    require_same(is.turn, expected->turn, "turn");
    require_same(is.inserted_ms, expected->inserted_ms, "inserted");
    require_same(is.visible_ms, expected->visible_ms, "visible");
    require_same(is.expires_ms, expected->expires_ms, "expires");
    require_same(is.deliveries, expected->deliveries, "deliveries");
    require_same(is.stage, expected->stage, "stage");
    require_bytes(is.text, expected->text, "text");
    require_bytes(is.group, expected->group, "group");
    require_bytes(is.reason, expected->reason, "reason");
}

static const int64_t waits_ms[] = {
    0, 1, -1, -NOW_MS, (INT64_C(1) << 37) - 1, INT64_C(1) << 37, QUEUE_FOREVER_MS - NOW_MS};
static const size_t lengths[] = {0, 3, 4, 100, 65535, 65536};
static const uint32_t counts[] = {0, 1, 255, 256, UINT32_MAX};
static const char *const labels[] = {"", "label"};

/* The nth of all combinations. */
static struct queue_change change_numbered(size_t n) {
    struct queue_change change = {
        .kind = QUEUE_MESSAGE,
        .id = {UINT64_MAX, n},
        .receipt = {n, UINT64_MAX},
        .order = n % 2 ? QUEUE_ORDER_MAX : n,
        .turn = n % 3 ? QUEUE_TURN_MAX : 0,
        .inserted_ms = NOW_MS,
        .expires_ms = n % 5 ? QUEUE_FOREVER_MS : NOW_MS + 1,
    };
    change.visible_ms = NOW_MS + waits_ms[n % ARRAY_SIZE(waits_ms)];
    n /= ARRAY_SIZE(waits_ms);
    change.text = long_text(lengths[n % ARRAY_SIZE(lengths)]);
    n /= ARRAY_SIZE(lengths);
    change.deliveries = counts[n % ARRAY_SIZE(counts)];
    n /= ARRAY_SIZE(counts);
    change.group = bytes_text(labels[n % 2]);
    change.reason = bytes_text(labels[n / 2 % 2]);
    change.stage = (enum message_stage)(n / 4 % MESSAGE_STAGES);
    return change;
}

enum {
    COMBINATIONS = ARRAY_SIZE(waits_ms) * ARRAY_SIZE(lengths) * ARRAY_SIZE(counts) * 4 * MESSAGE_STAGES,
    STRIDE = 11 /* a factor of none of these: each value is met with each of the others */
};

TEST(numbers_of_any_size_are_kept) {
    for (size_t n = 0; n < COMBINATIONS; n += STRIDE) {
        const struct queue_change change = change_numbered(n);
        struct message *message = message_new(&change);
        require_equal(message, &change);
        message_free(message);
    }
}

/* Each setter takes a message from any combination to any value. */
TEST(numbers_of_any_size_can_be_set) {
    for (size_t n = 0; n < COMBINATIONS; n += STRIDE) {
        struct queue_change change = change_numbered(n);
        const struct queue_change other = change_numbered(n * 7 + 11);
        struct message *message = message_new(&change);
        change.deliveries = other.deliveries;
        message_set_deliveries(message, change.deliveries);
        require_equal(message, &change);
        change.visible_ms = other.visible_ms;
        change.stage = other.stage;
        message_set_visibility(message, change.visible_ms, change.stage);
        require_equal(message, &change);
        change.text = other.text;
        message = message_set_text(message, change.text);
        require_equal(message, &change);
        message_free(message);
    }
}

static struct queue_change message_of(uint64_t order, int64_t expires_ms) {
    return (struct queue_change){
        .kind = QUEUE_MESSAGE,
        .order = order,
        .id = {order, order},
        .inserted_ms = NOW_MS,
        .visible_ms = NOW_MS,
        .expires_ms = expires_ms,
        .text = long_text(100),
    };
}

/* The account is right when a message outgrows its brief in the store. */
TEST(numbers_that_need_more_memory_are_counted) {
    struct queue *queue = queue_new(&(struct queue_change){.kind = QUEUE_CREATE, .order = 10});
    for (uint64_t i = 0; i < 4; i++) {
        const struct queue_change change = message_of(i, QUEUE_FOREVER_MS - (int64_t)i % 2);
        require(queue_apply(queue, &change), "message %d fits", (int)i);
    }
    struct message_store *store = &queue->live;
    struct message *messages[4];
    for (uint64_t i = 0; i < 4; i++) messages[i] = message_store_find(store, &(struct guid){i, i});
    message_store_set_deliveries(store, messages[0], 300);
    message_store_set_visibility(store, messages[1],
                                 &(struct visibility){QUEUE_FOREVER_MS - 2, 0, MESSAGE_QUEUED});
    message_store_set_visibility(store, messages[2],
                                 &(struct visibility){NOW_MS - 1, TURN_LAST, MESSAGE_QUEUED});
    message_store_set_text(store, messages[3], long_text(LENGTH_MAX));
    require_same(queue_memory(queue), allocations_bytes(), "bytes");
    queue_free(queue);
}

static size_t index_bytes(const struct message_store *store) {
    return store->by_visible.memory + store->regular.memory + store->by_end.memory +
           store->by_arrival.memory + store->hidden.memory + store->last_windows.memory;
}

/* Two time indexes are enough for messages of one TTL, also of none; and for most of them if few end earlier. */
TEST(two_time_indexes_are_enough) {
    enum { MESSAGES = 20000, BYTES_MAX = 19 };
    for (unsigned kind = 0; kind < 3; kind++) {
        struct queue *queue = queue_new(&(struct queue_change){.kind = QUEUE_CREATE, .order = MESSAGES});
        for (uint64_t i = 0; i < MESSAGES; i++) {
            int64_t expires_ms = kind == 1 ? QUEUE_FOREVER_MS : NOW_MS + 10000 + (int64_t)i / 10;
            if (kind == 2 && i % 100 == 99) expires_ms = NOW_MS + 1000;
            const struct queue_change change = message_of(i, expires_ms);
            require(queue_apply(queue, &change), "message %d fits", (int)i);
        }
        require(index_bytes(&queue->live) < (size_t)MESSAGES * BYTES_MAX, "%zu bytes for %d messages",
                index_bytes(&queue->live), MESSAGES);
        queue_free(queue);
    }
}
