/* What happens to a message from its put to its deletion, in four ways: in a queue, in a stream with a group of
 * consumers, in a sorted set with a hash beside it that scripts keep, as queue libraries have it, and in a list, where
 * nothing comes back by itself. Whoever takes messages is not who has put them: it learns their ids from the server. */
#include "ccan/array_size/array_size.h"
#include "workload.h"

#include <stdio.h>
#include <string.h>

#define GROUP  "group"
#define WORKER "worker"

/* The parts of a reply: of a message of QUEUE.GET after its head, of one of a stream likewise. */
enum { DELIVERED_FIELDS = 14, DELIVERED_AFTER_RECEIPT = 10, ENTRY_AFTER_ID = 3, PUT_FIELDS = 10 };

enum { LATER_MIN_SECONDS = 100000, LATER_SPAN_SECONDS = 500000 };
#define FAR_APART 2654435761u

static struct reply element_behind(struct reply element, unsigned count) {
    while (count--) element = reply_next(&element);
    return element;
}

static void second_key_write(const struct client_pool *pool, struct request *request) {
    char key[KEY_BYTES + sizeof(SECOND_KEY_SUFFIX)];
    snprintf(key, sizeof(key), "%s" SECOND_KEY_SUFFIX, pool->key);
    request_text(request, key);
}

static void content_write(const struct client_pool *pool, struct request *request) {
    request_word(request, pool->data->content, pool->data->bytes);
}

static bool is_string(struct client *client, const struct reply *reply) {
    (void)client;
    return reply->kind == '$';
}

/* As many as the client holds. */
static bool is_count(struct client *client, const struct reply *reply) {
    unsigned count = 0;
    for (size_t i = 0; i < reply->length; i++) count = count * 10 + (unsigned)(reply->text[i] - '0');
    return reply->kind == ':' && count == client->batch;
}

/* --- In a queue --- */

static void queue_prepare(struct server *server, const char *key) {
    server_tell(server, "QUEUE.CREATE %s", key);
}

static void queue_put_write(const struct client_pool *pool, const struct client *client,
                            struct request *request) {
    (void)client;
    request_begin(request, 3);
    request_text(request, "QUEUE.PUT");
    request_text(request, pool->key);
    content_write(pool, request);
}

static void queue_put_later_write(const struct client_pool *pool, const struct client *client,
                                  struct request *request) {
    request_begin(request, 5);
    request_text(request, "QUEUE.PUT");
    request_text(request, pool->key);
    content_write(pool, request);
    request_text(request, "VISIBILITY");
    request_number(request, LATER_MIN_SECONDS + client->number * FAR_APART % LATER_SPAN_SECONDS);
}

static bool is_put_answer(struct client *client, const struct reply *reply) {
    (void)client;
    return reply->kind == '*' && reply->length == PUT_FIELDS;
}

static void queue_get_write(const struct client_pool *pool, const struct client *client,
                            struct request *request) {
    request_begin(request, client->batch > 1 ? 4 : 2);
    request_text(request, "QUEUE.GET");
    request_text(request, pool->key);
    if (client->batch == 1) return;
    request_text(request, "COUNT");
    request_number(request, client->batch);
}

static bool queue_got(struct client *client, const struct reply *reply) {
    struct reply element = *reply;
    if (reply->kind != '*' || reply->length != client->batch) return false;
    for (unsigned i = 0; i < client->batch; i++) {
        struct held *held = &client->held[i];
        element = reply_next(&element);
        if (element.kind != '*' || element.length != DELIVERED_FIELDS) return false;
        element = element_behind(element, 2);
        word_keep(held->id, &held->id_length, &element);
        element = element_behind(element, 2);
        word_keep(held->receipt, &held->receipt_length, &element);
        element = element_behind(element, DELIVERED_AFTER_RECEIPT);
    }
    return true;
}

static void queue_delete_write(const struct client_pool *pool, const struct client *client,
                               struct request *request) {
    bool is_many = client->batch > 1;
    request_begin(request, 2 + is_many + 2 * client->batch);
    request_text(request, is_many ? "QUEUE.DELETEMANY" : "QUEUE.DELETE");
    request_text(request, pool->key);
    if (is_many) request_number(request, client->batch);
    for (unsigned i = 0; i < client->batch; i++) {
        request_word(request, client->held[i].id, client->held[i].id_length);
        request_word(request, client->held[i].receipt, client->held[i].receipt_length);
    }
}

static bool queue_deleted(struct client *client, const struct reply *reply) {
    if (client->batch == 1) return reply->kind == '+';
    struct reply element = *reply;
    if (reply->kind != '*' || reply->length != client->batch) return false;
    for (unsigned i = 0; i < client->batch; i++) {
        element = reply_next(&element);
        if (element.kind != '+') return false;
    }
    return true;
}

static const struct step queue_puts = {1, queue_put_write, is_put_answer};
static const struct step queue_puts_later = {1, queue_put_later_write, is_put_answer};
static const struct step queue_gets = {1, queue_get_write, queue_got};
static const struct step queue_deletes = {1, queue_delete_write, queue_deleted};

const struct sequence queue_life = {
    "QUEUE.PUT, GET, DELETE", 1, queue_prepare, {&queue_puts, &queue_gets, &queue_deletes}};
const struct sequence queue_put = {"QUEUE.PUT", 1, queue_prepare, {&queue_puts}};
const struct sequence queue_put_later = {NULL, 1, queue_prepare, {&queue_puts_later}};
const struct sequence queue_batch = {
    "QUEUE.GET, DELETEMANY 50", MESSAGES_AT_ONCE, queue_prepare, {&queue_gets, &queue_deletes}};
const struct sequence queue_take = {NULL, MESSAGES_AT_ONCE, queue_prepare, {&queue_gets}};

/* --- In a stream --- */

static void stream_prepare(struct server *server, const char *key) {
    server_tell(server, "XGROUP CREATE %s " GROUP " 0 MKSTREAM", key);
}

static void stream_put_write(const struct client_pool *pool, const struct client *client,
                             struct request *request) {
    (void)client;
    request_begin(request, 5);
    request_text(request, "XADD");
    request_text(request, pool->key);
    request_text(request, "*");
    request_text(request, "message");
    content_write(pool, request);
}

static void stream_get_write(const struct client_pool *pool, const struct client *client,
                             struct request *request) {
    request_begin(request, 9);
    request_text(request, "XREADGROUP");
    request_text(request, "GROUP");
    request_text(request, GROUP);
    request_text(request, WORKER);
    request_text(request, "COUNT");
    request_number(request, client->batch);
    request_text(request, "STREAMS");
    request_text(request, pool->key);
    request_text(request, ">");
}

/* Streams; each with its name and its entries; each with its id and its fields. */
static bool stream_got(struct client *client, const struct reply *reply) {
    if (reply->kind != '*' || reply->length != 1) return false;
    struct reply element = element_behind(*reply, 3);
    if (element.kind != '*' || element.length != client->batch) return false;
    for (unsigned i = 0; i < client->batch; i++) {
        struct held *held = &client->held[i];
        element = element_behind(element, 2);
        word_keep(held->id, &held->id_length, &element);
        element = element_behind(element, ENTRY_AFTER_ID);
    }
    return true;
}

static void ids_write(const struct client *client, struct request *request) {
    for (unsigned i = 0; i < client->batch; i++)
        request_word(request, client->held[i].id, client->held[i].id_length);
}

static void stream_delete_write(const struct client_pool *pool, const struct client *client,
                                struct request *request) {
    request_begin(request, 3 + client->batch);
    request_text(request, "XACK");
    request_text(request, pool->key);
    request_text(request, GROUP);
    ids_write(client, request);
    request_begin(request, 2 + client->batch);
    request_text(request, "XDEL");
    request_text(request, pool->key);
    ids_write(client, request);
}

static const struct step stream_puts = {1, stream_put_write, is_string};
static const struct step stream_gets = {1, stream_get_write, stream_got};
static const struct step stream_deletes = {2, stream_delete_write, is_count};

const struct sequence stream_life = {
    "XADD to XACK, XDEL", 1, stream_prepare, {&stream_puts, &stream_gets, &stream_deletes}};
const struct sequence stream_put = {"XADD", 1, stream_prepare, {&stream_puts}};
const struct sequence stream_batch = {
    "XREADGROUP to XDEL 50", MESSAGES_AT_ONCE, stream_prepare, {&stream_gets, &stream_deletes}};
const struct sequence stream_take = {NULL, MESSAGES_AT_ONCE, stream_prepare, {&stream_gets}};

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

static void script_begin(const struct client_pool *pool, struct request *request, const char *digest,
                         unsigned words) {
    request_begin(request, 5 + words);
    request_text(request, "EVALSHA");
    request_text(request, digest);
    request_text(request, "2");
    request_text(request, pool->key);
    second_key_write(pool, request);
}

/* The ids are the producers', and as long as those that libraries draw. */
static void script_put_write(const struct client_pool *pool, const struct client *client,
                             struct request *request) {
    char id[SCRIPT_ID_BYTES + 1];
    snprintf(id, sizeof(id), "%032llx", (unsigned long long)client->number);
    script_begin(pool, request, put_digest, 3);
    request_word(request, id, SCRIPT_ID_BYTES);
    content_write(pool, request);
    request_text(request, "0");
}

static void script_get_write(const struct client_pool *pool, const struct client *client,
                             struct request *request) {
    (void)client;
    script_begin(pool, request, get_digest, 1);
    request_number(request, WINDOW_MS);
}

static bool script_got(struct client *client, const struct reply *reply) {
    if (reply->kind != '*') return false;
    struct reply element = reply_next(reply);
    word_keep(client->held->id, &client->held->id_length, &element);
    return true;
}

static void script_delete_write(const struct client_pool *pool, const struct client *client,
                                struct request *request) {
    script_begin(pool, request, delete_digest, 1);
    ids_write(client, request);
}

static const struct step script_puts = {1, script_put_write, is_string};
static const struct step script_gets = {1, script_get_write, script_got};
static const struct step script_deletes = {1, script_delete_write, is_count};

const struct sequence script_life = {
    "Lua put, get, delete", 1, script_prepare, {&script_puts, &script_gets, &script_deletes}};
const struct sequence script_put = {NULL, 1, script_prepare, {&script_puts}};
const struct sequence script_take = {NULL, 1, script_prepare, {&script_gets}};

/* --- In a list --- */

static void nothing_prepare(struct server *server, const char *key) {
    (void)server;
    (void)key;
}

static void list_put_write(const struct client_pool *pool, const struct client *client,
                           struct request *request) {
    (void)client;
    request_begin(request, 3);
    request_text(request, "LPUSH");
    request_text(request, pool->key);
    content_write(pool, request);
}

static void list_get_write(const struct client_pool *pool, const struct client *client,
                           struct request *request) {
    (void)client;
    request_begin(request, 5);
    request_text(request, "LMOVE");
    request_text(request, pool->key);
    second_key_write(pool, request);
    request_text(request, "RIGHT");
    request_text(request, "LEFT");
}

static void list_delete_write(const struct client_pool *pool, const struct client *client,
                              struct request *request) {
    (void)client;
    request_begin(request, 4);
    request_text(request, "LREM");
    second_key_write(pool, request);
    request_text(request, "-1");
    content_write(pool, request);
}

static bool is_number(struct client *client, const struct reply *reply) {
    (void)client;
    return reply->kind == ':';
}

static const struct step list_puts = {1, list_put_write, is_number};
static const struct step list_gets = {1, list_get_write, is_string};
static const struct step list_deletes = {1, list_delete_write, is_count};

const struct sequence list_life = {
    "LPUSH, LMOVE, LREM", 1, nothing_prepare, {&list_puts, &list_gets, &list_deletes}};
const struct sequence list_put = {NULL, 1, nothing_prepare, {&list_puts}};
const struct sequence list_take = {NULL, 1, nothing_prepare, {&list_gets}};

/* --- What all is measured by --- */

static void set_content_write(const struct client_pool *pool, const struct client *client,
                              struct request *request) {
    request_begin(request, 3);
    request_text(request, "SET");
    request_word(request, pool->data->names[client->number % pool->data->objects], NAME_BYTES);
    content_write(pool, request);
}

static bool is_set(struct client *client, const struct reply *reply) {
    (void)client;
    return reply->kind == '+';
}

static const struct step sets = {1, set_content_write, is_set};
const struct sequence set_again = {"SET", 1, nothing_prepare, {&sets}};

/* All are measured as sequences of the same names. */
static const struct workload workloads[] = {
    {.name = "QUEUE.PUT, GET, DELETE"},
    {.name = "XADD to XACK, XDEL"},
    {.name = "Lua put, get, delete"},
    {.name = "LPUSH, LMOVE, LREM"},
    {.name = "QUEUE.PUT"},
    {.name = "XADD"},
    {.name = "QUEUE.GET, DELETEMANY 50"},
    {.name = "XREADGROUP to XDEL 50"},
};

static const struct comparison comparisons[] = {
    {"QUEUE.PUT, GET, DELETE", "XADD to XACK, XDEL", {0.5, 0, 0}},
    {"QUEUE.PUT, GET, DELETE", "Lua put, get, delete", {0.17, 0, 0}},
    {"QUEUE.PUT, GET, DELETE", "LPUSH, LMOVE, LREM", {0}},
    {"QUEUE.PUT, GET, DELETE", "SET", {0}},
    {"XADD to XACK, XDEL", "SET", {0}},
    {"Lua put, get, delete", "SET", {0}},
    {"QUEUE.PUT", "XADD", {1.25, 0, 0}},
    {"QUEUE.PUT", "SET", {0}},
    {"QUEUE.GET, DELETEMANY 50", "XREADGROUP to XDEL 50", {1, 0, 0}},
};

const struct family queue_family = {
    .name = "queue",
    .workloads = workloads,
    .workload_count = ARRAY_SIZE(workloads),
    .comparisons = comparisons,
    .comparison_count = ARRAY_SIZE(comparisons),
};
