#include "queue_courses.h"

#include <stdio.h>
#include <string.h>

#include "basics.h"

#define GROUP  "group"
#define WORKER "worker"

/* The parts of a reply: of a message of QUEUE.GET after its head, of one of a stream likewise. */
enum { DELIVERED_FIELDS = 14, DELIVERED_AFTER_RECEIPT = 10, ENTRY_AFTER_ID = 3, PUT_FIELDS = 10 };

enum { LATER_LEAST_SECONDS = 100000, LATER_SPAN_SECONDS = 500000 };
#define FAR_APART 2654435761u

static struct reply skip(struct reply part, unsigned count) {
    while (count--) part = reply_next(&part);
    return part;
}

static void beside_write(const struct troop *troop, struct request *request) {
    char key[KEY_BYTES + sizeof BESIDE_SUFFIX];
    snprintf(key, sizeof key, "%s" BESIDE_SUFFIX, troop->key);
    request_text(request, key);
}

static void content_write(const struct troop *troop, struct request *request) {
    request_word(request, troop->data->content, troop->data->bytes);
}

static bool is_string(struct hand *hand, const struct reply *reply) {
    (void)hand;
    return reply->kind == '$';
}

/* As many as the hand holds. */
static bool is_count(struct hand *hand, const struct reply *reply) {
    unsigned count = 0;
    for (size_t index = 0; index < reply->length; index++)
        count = count * 10 + (unsigned)(reply->text[index] - '0');
    return reply->kind == ':' && count == hand->batch;
}

/* --- In a queue --- */

static void queue_prepare(struct server *server, const char *key) {
    server_tell(server, "QUEUE.CREATE %s", key);
}

static void queue_put_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    (void)hand;
    request_begin(request, 3);
    request_text(request, "QUEUE.PUT");
    request_text(request, troop->key);
    content_write(troop, request);
}

static void queue_put_later_write(const struct troop *troop, const struct hand *hand,
                                  struct request *request) {
    request_begin(request, 5);
    request_text(request, "QUEUE.PUT");
    request_text(request, troop->key);
    content_write(troop, request);
    request_text(request, "VISIBILITY");
    request_number(request, LATER_LEAST_SECONDS + hand->number * FAR_APART % LATER_SPAN_SECONDS);
}

static bool is_put(struct hand *hand, const struct reply *reply) {
    (void)hand;
    return reply->kind == '*' && reply->length == PUT_FIELDS;
}

static void queue_get_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    request_begin(request, hand->batch > 1 ? 4 : 2);
    request_text(request, "QUEUE.GET");
    request_text(request, troop->key);
    if (hand->batch == 1) return;
    request_text(request, "COUNT");
    request_number(request, hand->batch);
}

static bool queue_got(struct hand *hand, const struct reply *reply) {
    struct reply part = *reply;
    if (reply->kind != '*' || reply->length != hand->batch) return false;
    for (unsigned index = 0; index < hand->batch; index++) {
        struct held *held = &hand->held[index];
        part = reply_next(&part);
        if (part.kind != '*' || part.length != DELIVERED_FIELDS) return false;
        part = skip(part, 2);
        word_keep(held->id, &held->id_length, &part);
        part = skip(part, 2);
        word_keep(held->receipt, &held->receipt_length, &part);
        part = skip(part, DELIVERED_AFTER_RECEIPT);
    }
    return true;
}

static void queue_delete_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    bool is_many = hand->batch > 1;
    request_begin(request, 2 + is_many + 2 * hand->batch);
    request_text(request, is_many ? "QUEUE.DELETEMANY" : "QUEUE.DELETE");
    request_text(request, troop->key);
    if (is_many) request_number(request, hand->batch);
    for (unsigned index = 0; index < hand->batch; index++) {
        request_word(request, hand->held[index].id, hand->held[index].id_length);
        request_word(request, hand->held[index].receipt, hand->held[index].receipt_length);
    }
}

static bool queue_deleted(struct hand *hand, const struct reply *reply) {
    if (hand->batch == 1) return reply->kind == '+';
    struct reply part = *reply;
    if (reply->kind != '*' || reply->length != hand->batch) return false;
    for (unsigned index = 0; index < hand->batch; index++) {
        part = reply_next(&part);
        if (part.kind != '+') return false;
    }
    return true;
}

static const struct step queue_puts = {1, queue_put_write, is_put};
static const struct step queue_puts_later = {1, queue_put_later_write, is_put};
static const struct step queue_gets = {1, queue_get_write, queue_got};
static const struct step queue_deletes = {1, queue_delete_write, queue_deleted};

const struct course queue_life = {
    "QUEUE.PUT, GET, DELETE", 1, queue_prepare, {&queue_puts, &queue_gets, &queue_deletes}};
const struct course queue_put = {"QUEUE.PUT", 1, queue_prepare, {&queue_puts}};
const struct course queue_put_later = {NULL, 1, queue_prepare, {&queue_puts_later}};
const struct course queue_batch = {
    "QUEUE.GET, DELETEMANY 50", BATCH, queue_prepare, {&queue_gets, &queue_deletes}};
const struct course queue_take = {NULL, BATCH, queue_prepare, {&queue_gets}};

/* --- In a stream --- */

static void stream_prepare(struct server *server, const char *key) {
    server_tell(server, "XGROUP CREATE %s " GROUP " 0 MKSTREAM", key);
}

static void stream_put_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    (void)hand;
    request_begin(request, 5);
    request_text(request, "XADD");
    request_text(request, troop->key);
    request_text(request, "*");
    request_text(request, "message");
    content_write(troop, request);
}

static void stream_get_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    request_begin(request, 9);
    request_text(request, "XREADGROUP");
    request_text(request, "GROUP");
    request_text(request, GROUP);
    request_text(request, WORKER);
    request_text(request, "COUNT");
    request_number(request, hand->batch);
    request_text(request, "STREAMS");
    request_text(request, troop->key);
    request_text(request, ">");
}

/* Streams; each with its name and its entries; each with its id and its fields. */
static bool stream_got(struct hand *hand, const struct reply *reply) {
    if (reply->kind != '*' || reply->length != 1) return false;
    struct reply part = skip(*reply, 3);
    if (part.kind != '*' || part.length != hand->batch) return false;
    for (unsigned index = 0; index < hand->batch; index++) {
        struct held *held = &hand->held[index];
        part = skip(part, 2);
        word_keep(held->id, &held->id_length, &part);
        part = skip(part, ENTRY_AFTER_ID);
    }
    return true;
}

static void ids_write(const struct hand *hand, struct request *request) {
    for (unsigned index = 0; index < hand->batch; index++)
        request_word(request, hand->held[index].id, hand->held[index].id_length);
}

static void stream_delete_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    request_begin(request, 3 + hand->batch);
    request_text(request, "XACK");
    request_text(request, troop->key);
    request_text(request, GROUP);
    ids_write(hand, request);
    request_begin(request, 2 + hand->batch);
    request_text(request, "XDEL");
    request_text(request, troop->key);
    ids_write(hand, request);
}

static const struct step stream_puts = {1, stream_put_write, is_string};
static const struct step stream_gets = {1, stream_get_write, stream_got};
static const struct step stream_deletes = {2, stream_delete_write, is_count};

const struct course stream_life = {
    "XADD to XACK, XDEL", 1, stream_prepare, {&stream_puts, &stream_gets, &stream_deletes}};
const struct course stream_put = {"XADD", 1, stream_prepare, {&stream_puts}};
const struct course stream_batch = {
    "XREADGROUP to XDEL 50", BATCH, stream_prepare, {&stream_gets, &stream_deletes}};
const struct course stream_take = {NULL, BATCH, stream_prepare, {&stream_gets}};

/* --- In a sorted set and a hash, by scripts --- */

/* KEYS: the sorted set of ids by the instant when they may be had, the hash of all that is known of them. */
static const char *const put_script = "local time = redis.call('TIME') "
                                      "local now = time[1] * 1000 + math.floor(time[2] / 1000) "
                                      "redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1]) "
                                      "redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) "
                                      "redis.call('HINCRBY', KEYS[2], 'put', 1) "
                                      "return ARGV[1]";

static const char *const get_script =
    "local time = redis.call('TIME') "
    "local now = time[1] * 1000 + math.floor(time[2] / 1000) "
    "local id = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1)[1] "
    "if not id then return false end "
    "redis.call('ZADD', KEYS[1], now + ARGV[1], id) "
    "redis.call('HINCRBY', KEYS[2], 'got', 1) "
    "local times, first = redis.call('HINCRBY', KEYS[2], id .. ':times', 1), now "
    "if times == 1 then redis.call('HSET', KEYS[2], id .. ':first', now) "
    "else first = redis.call('HGET', KEYS[2], id .. ':first') end "
    "return {id, redis.call('HGET', KEYS[2], id), times, first}";

static const char *const delete_script = "local gone = redis.call('ZREM', KEYS[1], ARGV[1]) "
                                         "redis.call('HDEL', KEYS[2], ARGV[1], ARGV[1] .. ':times', "
                                         "ARGV[1] .. ':first') "
                                         "return gone";

enum { SCRIPT_ID_BYTES = 32, WINDOW_MS = 30000 };
static char put_digest[DIGEST_BYTES + 1], get_digest[DIGEST_BYTES + 1], delete_digest[DIGEST_BYTES + 1];

static void script_prepare(struct server *server, const char *key) {
    (void)key;
    server_load_script(server, put_script, put_digest);
    server_load_script(server, get_script, get_digest);
    server_load_script(server, delete_script, delete_digest);
}

static void script_begin(const struct troop *troop, struct request *request, const char *digest,
                         unsigned words) {
    request_begin(request, 5 + words);
    request_text(request, "EVALSHA");
    request_text(request, digest);
    request_text(request, "2");
    request_text(request, troop->key);
    beside_write(troop, request);
}

/* The ids are the producers', and as long as those that libraries draw. */
static void script_put_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    char id[SCRIPT_ID_BYTES + 1];
    snprintf(id, sizeof id, "%032llx", (unsigned long long)hand->number);
    script_begin(troop, request, put_digest, 3);
    request_word(request, id, SCRIPT_ID_BYTES);
    content_write(troop, request);
    request_text(request, "0");
}

static void script_get_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    (void)hand;
    script_begin(troop, request, get_digest, 1);
    request_number(request, WINDOW_MS);
}

static bool script_got(struct hand *hand, const struct reply *reply) {
    if (reply->kind != '*') return false;
    struct reply part = reply_next(reply);
    word_keep(hand->held->id, &hand->held->id_length, &part);
    return true;
}

static void script_delete_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    script_begin(troop, request, delete_digest, 1);
    ids_write(hand, request);
}

static const struct step script_puts = {1, script_put_write, is_string};
static const struct step script_gets = {1, script_get_write, script_got};
static const struct step script_deletes = {1, script_delete_write, is_count};

const struct course script_life = {
    "Lua put, get, delete", 1, script_prepare, {&script_puts, &script_gets, &script_deletes}};
const struct course script_put = {NULL, 1, script_prepare, {&script_puts}};
const struct course script_take = {NULL, 1, script_prepare, {&script_gets}};

/* --- In a list --- */

static void nothing_prepare(struct server *server, const char *key) {
    (void)server;
    (void)key;
}

static void list_put_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    (void)hand;
    request_begin(request, 3);
    request_text(request, "LPUSH");
    request_text(request, troop->key);
    content_write(troop, request);
}

static void list_get_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    (void)hand;
    request_begin(request, 5);
    request_text(request, "LMOVE");
    request_text(request, troop->key);
    beside_write(troop, request);
    request_text(request, "RIGHT");
    request_text(request, "LEFT");
}

static void list_delete_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    (void)hand;
    request_begin(request, 4);
    request_text(request, "LREM");
    beside_write(troop, request);
    request_text(request, "-1");
    content_write(troop, request);
}

static bool is_number(struct hand *hand, const struct reply *reply) {
    (void)hand;
    return reply->kind == ':';
}

static const struct step list_puts = {1, list_put_write, is_number};
static const struct step list_gets = {1, list_get_write, is_string};
static const struct step list_deletes = {1, list_delete_write, is_count};

const struct course list_life = {
    "LPUSH, LMOVE, LREM", 1, nothing_prepare, {&list_puts, &list_gets, &list_deletes}};
const struct course list_put = {NULL, 1, nothing_prepare, {&list_puts}};
const struct course list_take = {NULL, 1, nothing_prepare, {&list_gets}};

/* --- What all is measured by --- */

static void set_write(const struct troop *troop, const struct hand *hand, struct request *request) {
    request_begin(request, 3);
    request_text(request, "SET");
    request_word(request, troop->data->names[hand->number % troop->data->objects], NAME_BYTES);
    content_write(troop, request);
}

static bool is_set(struct hand *hand, const struct reply *reply) {
    (void)hand;
    return reply->kind == '+';
}

static const struct step sets = {1, set_write, is_set};
const struct course set_again = {"SET", 1, nothing_prepare, {&sets}};

static const struct workload workloads[] = {
    {.name = "QUEUE.PUT, GET, DELETE", .traits = COURSE | APART},
    {.name = "XADD to XACK, XDEL", .traits = COURSE | APART},
    {.name = "Lua put, get, delete", .traits = COURSE | APART},
    {.name = "LPUSH, LMOVE, LREM", .traits = COURSE | APART},
    {.name = "QUEUE.PUT", .traits = COURSE | APART},
    {.name = "XADD", .traits = COURSE | APART},
    {.name = "QUEUE.GET, DELETEMANY 50", .traits = COURSE | APART},
    {.name = "XREADGROUP to XDEL 50", .traits = COURSE | APART},
};

static const struct comparison comparisons[] = {
    {"QUEUE.PUT, GET, DELETE", "XADD to XACK, XDEL", {0.6, 0, 0}},
    {"QUEUE.PUT, GET, DELETE", "Lua put, get, delete", {0.25, 0, 0}},
    {"QUEUE.PUT, GET, DELETE", "LPUSH, LMOVE, LREM", {0}},
    {"QUEUE.PUT, GET, DELETE", "SET", {0}},
    {"XADD to XACK, XDEL", "SET", {0}},
    {"Lua put, get, delete", "SET", {0}},
    {"QUEUE.PUT", "XADD", {1.5, 0, 0}},
    {"QUEUE.PUT", "SET", {0}},
    {"QUEUE.GET, DELETEMANY 50", "XREADGROUP to XDEL 50", {1, 0, 0}},
};

const struct family queue_family = {
    .name = "queue",
    .workloads = workloads,
    .workload_count = sizeof workloads / sizeof *workloads,
    .comparisons = comparisons,
    .comparison_count = sizeof comparisons / sizeof *comparisons,
};
