/* What happens to a message from its put to its deletion, in four ways: in a queue, in a stream with a group of
 * consumers, in a sorted set with a hash beside it that scripts keep, as queue libraries have it, and in a list, where
 * nothing comes back by itself. Whoever takes messages is not who has put them: it learns their ids from the server. */
#include "queue_workloads.h"

#include <stdlib.h>

#define AT_ONCE "50" /* MESSAGES_AT_ONCE */

/* The parts of a reply: of a message of QUEUE.GET after its head, of one of a stream likewise. */
enum { DELIVERED_FIELDS = 14, ENTRY_AFTER_ID = 3, PUT_FIELDS = 10 };

/* As many as the client holds. */
static bool is_count(const struct answer *answer) {
    return is_integer(answer) && strtoul(answer->reply.text, NULL, 10) == answer->template->batch;
}

/* --- In a queue --- */

static bool is_put_answer(const struct answer *answer) {
    return is_array_of(answer, PUT_FIELDS);
}

static bool are_delivered(const struct answer *answer) {
    struct reply element = answer->reply;
    if (!is_array_of(answer, answer->template->batch)) return false;
    for (unsigned i = 0; i < answer->template->batch; i++) {
        element = reply_next(&element);
        if (element.kind != '*' || element.length != DELIVERED_FIELDS) return false;
        element = reply_further(element, 2);
        word_keep(&answer->client->held[i].id, element);
        element = reply_further(element, 2);
        word_keep(&answer->client->held[i].receipt, element);
        element = reply_further(element, DELIVERED_AFTER_RECEIPT);
    }
    return true;
}

static bool are_deleted(const struct answer *answer) {
    struct reply element = answer->reply;
    if (!is_array_of(answer, answer->template->batch)) return false;
    for (unsigned i = 0; i < answer->template->batch; i++) {
        element = reply_next(&element);
        if (element.kind != '+') return false;
    }
    return true;
}

/* A number of seconds: many different ones, none of which is over soon. */
static uint64_t seconds_later(uint64_t number) {
    enum { LEAST = 100000, SPAN = 500000 };
    return LEAST + number * FAR_APART % SPAN;
}

static const struct workload queue_puts = {.request = "QUEUE.PUT {key} {content}",
                                           .is_expected = is_put_answer},
                             queue_puts_later = {.request = "QUEUE.PUT {key} {content} VISIBILITY {own}",
                                                 .is_expected = is_put_answer},
                             queue_gets = {.request = "QUEUE.GET {key}", .is_expected = are_delivered},
                             queue_gets_many = {.request = "QUEUE.GET {key} COUNT " AT_ONCE,
                                                .batch = MESSAGES_AT_ONCE,
                                                .is_expected = are_delivered},
                             queue_deletes = {.request = "QUEUE.DELETE {key} {id} {receipt}",
                                              .is_expected = is_ok},
                             queue_deletes_many = {.request =
                                                       "QUEUE.DELETEMANY {key} " AT_ONCE " [{id} {receipt} ]",
                                                   .batch = MESSAGES_AT_ONCE,
                                                   .is_expected = are_deleted};

#define CREATE_QUEUE "QUEUE.CREATE %s"
const struct sequence queue_put_take_delete = {.name = "QUEUE.PUT, GET, DELETE",
                                               .family = &queue_family,
                                               .create = CREATE_QUEUE,
                                               .steps = {&queue_puts, &queue_gets, &queue_deletes}};
const struct sequence queue_put = {
    .name = "QUEUE.PUT", .family = &queue_family, .create = CREATE_QUEUE, .steps = {&queue_puts}};
const struct sequence queue_put_later = {
    .create = CREATE_QUEUE, .steps = {&queue_puts_later}, .own = seconds_later};
const struct sequence queue_take_many = {.create = CREATE_QUEUE, .steps = {&queue_gets_many}};
const struct sequence queue_take_delete_many = {.name = "QUEUE.GET, DELETEMANY 50",
                                                .family = &queue_family,
                                                .create = CREATE_QUEUE,
                                                .steps = {&queue_gets_many, &queue_deletes_many}};

/* --- In a stream --- */

/* Streams; each with its name and its entries; each with its id and its fields. */
static bool are_read(const struct answer *answer) {
    if (!is_array_of(answer, 1)) return false;
    struct reply element = reply_further(answer->reply, 3);
    if (element.kind != '*' || element.length != answer->template->batch) return false;
    for (unsigned i = 0; i < answer->template->batch; i++) {
        element = reply_further(element, 2);
        word_keep(&answer->client->held[i].id, element);
        element = reply_further(element, ENTRY_AFTER_ID);
    }
    return true;
}

#define READ_STREAM(count) "XREADGROUP GROUP group worker COUNT " count " STREAMS {key} >"
#define LEAVE_STREAM       "XACK {key} group[ {id}]; XDEL {key}[ {id}]"

static const struct workload stream_adds = {.request = "XADD {key} * message {content}",
                                            .is_expected = is_string},
                             stream_reads = {.request = READ_STREAM("1"), .is_expected = are_read},
                             stream_reads_many = {.request = READ_STREAM(AT_ONCE),
                                                  .batch = MESSAGES_AT_ONCE,
                                                  .is_expected = are_read},
                             stream_deletes = {.request = LEAVE_STREAM, .is_expected = is_count},
                             stream_deletes_many = {
                                 .request = LEAVE_STREAM, .batch = MESSAGES_AT_ONCE, .is_expected = is_count};

#define CREATE_STREAM "XGROUP CREATE %s group 0 MKSTREAM"
const struct sequence stream_put_take_delete = {.name = "XADD to XACK, XDEL",
                                                .family = &queue_family,
                                                .create = CREATE_STREAM,
                                                .steps = {&stream_adds, &stream_reads, &stream_deletes}};
const struct sequence stream_put = {
    .name = "XADD", .family = &queue_family, .create = CREATE_STREAM, .steps = {&stream_adds}};
const struct sequence stream_take_many = {.create = CREATE_STREAM, .steps = {&stream_reads_many}};
const struct sequence stream_take_delete_many = {.name = "XREADGROUP to XDEL 50",
                                                 .family = &queue_family,
                                                 .create = CREATE_STREAM,
                                                 .steps = {&stream_reads_many, &stream_deletes_many}};

/* --- In a sorted set and a hash, by scripts --- */

/* KEYS: the sorted set of ids by the instant when they may be had, the hash of all that is known of them. */
static const char put_script[] = "local time = redis.call('TIME') "
                                 "local now = time[1] * 1000 + math.floor(time[2] / 1000) "
                                 "redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1]) "
                                 "redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) "
                                 "redis.call('HINCRBY', KEYS[2], 'put', 1) "
                                 "return ARGV[1]";

static const char get_script[] =
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

static const char delete_script[] = "local gone = redis.call('ZREM', KEYS[1], ARGV[1]) "
                                    "redis.call('HDEL', KEYS[2], ARGV[1], ARGV[1] .. ':times', "
                                    "ARGV[1] .. ':first') "
                                    "return gone";

static bool is_taken(const struct answer *answer) {
    if (answer->reply.kind != '*') return false;
    word_keep(&answer->client->held->id, reply_next(&answer->reply));
    return true;
}

/* The ids are the producers', and as long as those that libraries draw. They are in flight for 30 seconds. */
#define CALL_SCRIPT "EVALSHA {script} 2 {key} {key}" SECOND_KEY_SUFFIX " "
static const struct workload script_puts = {.request = CALL_SCRIPT "00000000000000000000{number} {content} 0",
                                            .script = put_script,
                                            .is_expected = is_string},
                             script_gets = {.request = CALL_SCRIPT "30000",
                                            .script = get_script,
                                            .is_expected = is_taken},
                             script_deletes = {.request = CALL_SCRIPT "{id}",
                                               .script = delete_script,
                                               .is_expected = is_count};

const struct sequence script_put_take_delete = {.name = "Lua put, get, delete",
                                                .family = &queue_family,
                                                .steps = {&script_puts, &script_gets, &script_deletes}};
const struct sequence script_put = {.steps = {&script_puts}};
const struct sequence script_take = {.steps = {&script_gets}};

/* --- In a list --- */

#define TAKEN "{key}" SECOND_KEY_SUFFIX
static const struct workload list_puts = {.request = "LPUSH {key} {content}", .is_expected = is_integer},
                             list_takes = {.request = "LMOVE {key} " TAKEN " RIGHT LEFT",
                                           .is_expected = is_string},
                             list_deletes = {.request = "LREM " TAKEN " -1 {content}",
                                             .is_expected = is_count};

const struct sequence list_put_take_delete = {
    .name = "LPUSH, LMOVE, LREM", .family = &queue_family, .steps = {&list_puts, &list_takes, &list_deletes}};
const struct sequence list_put = {.steps = {&list_puts}};
const struct sequence list_take = {.steps = {&list_takes}};

/* --- What all is measured by --- */

static const struct workload sets = {.request = "SET {name} {content}", .is_expected = is_ok};
const struct sequence string_set = {.name = "SET", .family = &native_family, .steps = {&sets}};

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
    .name = "queue", .comparisons = comparisons, .comparison_count = ARRAY_SIZE(comparisons)};
