/* Several commands as one, next to single ones, to pipelines of them and to scripts that do the same with native
 * keys; and commands with a token, which may be sent again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ccan/array_size/array_size.h"
#include "measure.h"

/* --- Blobs --- */

enum { PUTS_AT_ONCE = 10, OBJECTS = 10000, COMMANDS_MAX = 100, LONGEST_MS = 5 };

/* KEYS: ten objects. ARGV: the versions that the caller has seen, and the new value. */
static const char compare_and_set_ten[] =
    "for i = 1, 10 do if redis.call('HGET', KEYS[i], 'version') ~= ARGV[i] then return "
    "redis.error_reply('PRECONDITION ' .. i - 1) end end "
    "local versions = {} "
    "for i = 1, 10 do versions[i] = string.format('%018d', ARGV[i] + 1) "
    "redis.call('HSET', KEYS[i], 'version', versions[i], 'value', ARGV[11]) end "
    "return versions";

/* A token as a client would draw it. */
#define TOKEN "5f0c2b9e-3c1d-4e57-9a60-{number}"

static const struct workload workloads[] = {
    {.name = "BLOB.PUT several",
     .request = "BLOB.PUT several {name} {content}",
     .filler = "BLOB.PUT several",
     .creates = "CONTAINER.CREATE several",
     .is_expected = is_token},
    {.name = "ATOMIC of 1 BLOB.PUT",
     .request = "HOLDFAST.ATOMIC 1 4 BLOB.PUT several {name} {content}",
     .filler = "BLOB.PUT several",
     .is_expected = is_tokens},
    {.name = "ATOMIC of 10 PUT IFMATCH",
     .request = "HOLDFAST.ATOMIC 10 [6 BLOB.PUT several {name} {content} IFMATCH {token} ]",
     .batch = PUTS_AT_ONCE,
     .filler = "BLOB.PUT several",
     .is_expected = is_tokens},
    {.name = "BLOB.PUT ONCE",
     .request = "BLOB.PUT several {name} {content} ONCE " TOKEN,
     .filler = "BLOB.PUT several",
     .is_expected = is_token},
    {.name = "HSET of a version and a value",
     .request = "HSET {name} version {token} value {content}",
     .filler = "HSET of a version and a value",
     .is_expected = is_integer},
    {.name = "Lua compare-and-set of 10",
     .request = "EVALSHA {script} 10 [{name} ][{token} ]{content}",
     .script = compare_and_set_ten,
     .batch = PUTS_AT_ONCE,
     .filler = "HSET of a version and a value",
     .is_expected = is_tokens},
    /* Measured by measure_jobs. */
    {.name = "ATOMIC of delete, merge, put"},
    {.name = "Lua XACK, HSET, LPUSH"},
};

static const struct comparison comparisons[] = {
    {"ATOMIC of 1 BLOB.PUT", "BLOB.PUT", {1.25, 0, 0}},
    {"ATOMIC of 10 PUT IFMATCH", "BLOB.PUT IFMATCH", {0.9, 0, 0}},
    {"ATOMIC of 10 PUT IFMATCH", "Lua compare-and-set of 10", {0.35, 0, 0}},
    {"ATOMIC of delete, merge, put", "Lua XACK, HSET, LPUSH", {0.4, 0, 0}},
    {"BLOB.PUT ONCE", "BLOB.PUT", {1.2, 0, 0}},
};

const struct family transaction_family = {
    .name = "transaction",
    .workloads = workloads,
    .workload_count = ARRAY_SIZE(workloads),
    .comparisons = comparisons,
    .comparison_count = ARRAY_SIZE(comparisons),
};

static const char *const compared_puts[] = {"BLOB.PUT",
                                            "BLOB.PUT IFMATCH",
                                            "BLOB.PUT ONCE",
                                            "ATOMIC of 1 BLOB.PUT",
                                            "ATOMIC of 10 PUT IFMATCH",
                                            "Lua compare-and-set of 10",
                                            NULL};

/* --- A message, an entity and another message --- */

/* A worker finishes a job: its message is deleted, an entity is changed if it is as it was seen, and
 * another message is put. The script does the same with a stream, a hash and a list, and checks what we
 * check. Only that step is measured. */

enum { JOBS = 1024, REQUEST_BYTES = 1024 };

/* KEYS: the stream, the hash, the list. ARGV: the message, the version seen, the new one, the next
 * message, the worker. */
static const char finish_script[] =
    "local p = redis.call('XPENDING', KEYS[1], 'g', ARGV[1], ARGV[1], 1, ARGV[5]) if #p == 0 then "
    "return redis.error_reply('NOTFOUND') end if redis.call('HGET', KEYS[2], 'version') ~= ARGV[2] then "
    "return redis.error_reply('PRECONDITION') end redis.call('XACK', KEYS[1], 'g', ARGV[1]) "
    "redis.call('XDEL', KEYS[1], ARGV[1]) redis.call('HSET', KEYS[2], 'version', ARGV[3], 'age', 43) "
    "redis.call('LPUSH', KEYS[3], ARGV[4]) return ARGV[3]";

struct job {
    struct held message;
    char row[KEY_BYTES], etag[HELD_BYTES];
    size_t etag_length;
};

struct jobs {
    const struct dataset *data;
    char digest[DIGEST_BYTES + 1];
    struct job jobs[JOBS];
    char *requests;
};

struct phase {
    void (*write)(const struct jobs *jobs, const struct job *job, struct request *request);
    bool (*read)(struct job *job, const struct reply *reply);
};

static void put_write(const struct jobs *jobs, const struct job *job, struct request *request) {
    (void)job;
    request_begin(request, 3);
    request_text(request, "QUEUE.PUT");
    request_text(request, "jobs");
    request_word(request, jobs->data->content, jobs->data->bytes);
}

static bool put_read(struct job *job, const struct reply *reply) {
    struct reply id = reply_element(reply, 1), receipt = reply_element(reply, 3);
    word_keep(job->message.id, &job->message.id_length, &id);
    word_keep(job->message.receipt, &job->message.receipt_length, &receipt);
    return true;
}

static void atomic_write(const struct jobs *jobs, const struct job *job, struct request *request) {
    static const char *const merge[] = {"IFMATCH", "", "PROPS", "1", "age:int32", "43"};
    request_begin(request, 2 + 5 + 11 + 4);
    request_text(request, "HOLDFAST.ATOMIC");
    request_text(request, "3");
    request_text(request, "4");
    request_text(request, "QUEUE.DELETE");
    request_text(request, "jobs");
    request_word(request, job->message.id, job->message.id_length);
    request_word(request, job->message.receipt, job->message.receipt_length);
    request_text(request, "10");
    request_text(request, "TABLE.MERGE");
    request_text(request, "t");
    request_text(request, "p");
    request_text(request, job->row);
    for (size_t i = 0; i < ARRAY_SIZE(merge); i++)
        if (*merge[i])
            request_text(request, merge[i]);
        else
            request_word(request, job->etag, job->etag_length);
    request_text(request, "3");
    request_text(request, "QUEUE.PUT");
    request_text(request, "mail");
    request_word(request, jobs->data->content, jobs->data->bytes);
}

static bool atomic_read(struct job *job, const struct reply *reply) {
    if (reply->kind != '*' || reply->length != 3) return false;
    struct reply etag = reply_element(reply, 1);
    word_keep(job->etag, &job->etag_length, &etag);
    return true;
}

static void xadd_write(const struct jobs *jobs, const struct job *job, struct request *request) {
    (void)job;
    request_begin(request, 5);
    request_text(request, "XADD");
    request_text(request, "stream");
    request_text(request, "*");
    request_text(request, "message");
    request_word(request, jobs->data->content, jobs->data->bytes);
}

static bool xadd_read(struct job *job, const struct reply *reply) {
    word_keep(job->message.id, &job->message.id_length, reply);
    return true;
}

/* The version stays as it is, so that the next round finds it. */
static void script_write(const struct jobs *jobs, const struct job *job, struct request *request) {
    request_begin(request, 11);
    request_text(request, "EVALSHA");
    request_word(request, jobs->digest, DIGEST_BYTES);
    request_text(request, "3");
    request_text(request, "stream");
    request_text(request, job->row);
    request_text(request, "list");
    request_word(request, job->message.id, job->message.id_length);
    request_text(request, "1");
    request_text(request, "1");
    request_word(request, jobs->data->content, jobs->data->bytes);
    request_text(request, "worker");
}

static bool script_read(struct job *job, const struct reply *reply) {
    (void)job;
    return reply->kind == '$';
}

static const struct phase queue_puts = {put_write, put_read}, queue_finishes = {atomic_write, atomic_read},
                          stream_adds = {xadd_write, xadd_read},
                          stream_finishes = {script_write, script_read};

static void jobs_send(struct jobs *jobs, const struct phase *phase, unsigned first) {
    struct request request = {.bytes = jobs->requests, .size = (size_t)PIPELINE * REQUEST_BYTES};
    for (unsigned i = 0; i < PIPELINE; i++) phase->write(jobs, &jobs->jobs[first + i], &request);
    connection_send(jobs->data->connections[first / PIPELINE % CONNECTIONS], request.bytes, request.length);
}

static void jobs_receive(struct jobs *jobs, const struct phase *phase, unsigned first) {
    for (unsigned i = 0; i < PIPELINE; i++) {
        struct reply reply =
            connection_receive(jobs->data->connections[first / PIPELINE % CONNECTIONS], "a job");
        require(phase->read(&jobs->jobs[first + i], &reply), "a job was answered by something unexpected");
    }
}

/* One step of all jobs; as many as connections and pipelines allow are on their way. */
static void phase_run(struct jobs *jobs, const struct phase *phase) {
    enum { AHEAD = PIPELINE * CONNECTIONS };
    for (unsigned first = 0; first < JOBS + AHEAD; first += PIPELINE) {
        if (first >= AHEAD) jobs_receive(jobs, phase, first - AHEAD);
        if (first < JOBS) jobs_send(jobs, phase, first);
    }
}

static struct jobs *jobs_open(struct server *server, const struct dataset *data) {
    struct jobs *jobs = allocate(1, sizeof(*jobs));
    jobs->data = data;
    jobs->requests = allocate(PIPELINE, REQUEST_BYTES);
    server_load_script(server, finish_script, jobs->digest);
    server_tell(server, "QUEUE.CREATE jobs");
    server_tell(server, "QUEUE.CREATE mail");
    server_tell(server, "TABLE.CREATE t");
    server_tell(server, "XGROUP CREATE stream g $ MKSTREAM");
    for (unsigned i = 0; i < JOBS; i++) {
        struct job *job = &jobs->jobs[i];
        snprintf(job->row, sizeof(job->row), "row%u", i);
        redisReply *etag =
            server_command(server, "TABLE.INSERT t p %s PROPS 2 name x age:int32 42", job->row);
        job->etag_length = etag->len;
        memcpy(job->etag, etag->str, etag->len);
        freeReplyObject(etag);
        server_tell(server, "HSET %s version 1 name x age 42", job->row);
    }
    return jobs;
}

static void jobs_measure(struct server *server, struct jobs *jobs, const struct phase *phase,
                         struct measurement *measurement, unsigned round) {
    struct meter meter = meter_start(server);
    phase_run(jobs, phase);
    meter_stop(&meter, server, measurement, round, JOBS);
}

static void measure_jobs(const struct context *context, struct server *server, const struct dataset *data,
                         const struct setting *setting) {
    struct jobs *jobs = jobs_open(server, data);
    size_t first = context->results->measurement_count;
    results_measure(context->results, setting, workload_named("ATOMIC of delete, merge, put"),
                    context->options->rounds);
    results_measure(context->results, setting, workload_named("Lua XACK, HSET, LPUSH"),
                    context->options->rounds);
    for (unsigned round = 0; round < context->options->rounds; round++) {
        server_tell(server, "QUEUE.CLEAR mail");
        phase_run(jobs, &queue_puts);
        jobs_measure(server, jobs, &queue_finishes, &context->results->measurements[first], round);
        server_tell(server, "DEL list");
        phase_run(jobs, &stream_adds);
        server_tell(server, "XREADGROUP GROUP g worker COUNT %d STREAMS stream >", JOBS);
        jobs_measure(server, jobs, &stream_finishes, &context->results->measurements[first + 1], round);
    }
    free(jobs->requests);
    free(jobs);
}

/* --- The section --- */

static void measure_puts(const struct context *context, const char *label, const char *settings) {
    struct server *server = server_start(context->options, settings);
    struct dataset *data = dataset_open(server, 0, OBJECTS, sizes[0].bytes);
    const struct setting *setting =
        context_setting(context, label, format_text("100 B, pipeline %d, %s", PIPELINE, label), OBJECTS);
    struct run run = run_open(server, context->options, context->results);
    run_add(&run, setting, data, compared_puts);
    run_measure(&run);
    measure_jobs(context, server, data, setting);
    add_ratio_bars(context->results, setting, &transaction_family);
    dataset_close(data);
    server_stop(server);
}

static void measure_largest(const struct context *context) {
    struct server *server = server_start(context->options, "");
    char *command = format_text("HOLDFAST.ATOMIC %d", COMMANDS_MAX);
    for (int i = 0; i < COMMANDS_MAX; i++) {
        char *longer = format_text("%s 4 BLOB.PUT several blob%d content", command, i);
        free(command);
        command = longer;
    }
    server_tell(server, "CONTAINER.CREATE several");
    add_pause_bar(context, format_text("ATOMIC of %d BLOB.PUT", COMMANDS_MAX),
                  longest_of_repeats_ms(server, command), LONGEST_MS);
    free(command);
    server_stop(server);
}

void measure_transactions(const struct context *context) {
    measure_puts(context, "alone", "");
    measure_puts(context, "AOF", WITH_AOF);
    measure_largest(context);
}
