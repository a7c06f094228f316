/* Several commands as one, next to single ones, to pipelines of them and to scripts that do the same with native
 * keys; and commands with a token, which may be sent again. */
#include <stdlib.h>

#include "measure.h"
#include "scripts.h"

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
    {.name = "the entity of a job",
     .request = "TABLE.INSERT t p {file} PROPS 2 name x age:int32 42",
     .filler = "the entity of a job",
     .creates = "TABLE.CREATE t; QUEUE.CREATE jobs; QUEUE.CREATE mail",
     .is_expected = is_token},
    {.name = "the hash of a job",
     .request = "HSET {file} version 1 name x age 42",
     .filler = "the hash of a job",
     .creates = "XGROUP CREATE stream g $ MKSTREAM",
     .is_expected = is_integer},
};

static const struct comparison comparisons[] = {
    {"ATOMIC of 1 BLOB.PUT", "BLOB.PUT", {1.25, 0, 0}},
    {"ATOMIC of 10 PUT IFMATCH", "BLOB.PUT IFMATCH", {0.9, 0, 0}},
    {"ATOMIC of 10 PUT IFMATCH", "Lua compare-and-set of 10", {0.35, 0, 0}},
    {"ATOMIC of delete, merge, put", "Lua XACK, HSET, LPUSH", {0.4, 0, 0}},
    {"BLOB.PUT ONCE", "BLOB.PUT", {1.2, 0, 0}},
};

const struct family transaction_family = FAMILY("transaction", workloads, comparisons);

/* --- A message, an entity and another message --- */

/* A worker finishes a job: its message is deleted, an entity is changed if it is as it was seen, and
 * another message is put. The script does the same with a stream, a hash and a list, and checks what we
 * check. Only that step is measured. */

enum { JOBS = 1024 };

/* Keeps the message's id and its receipt. */
static bool is_message(const struct answer *answer) {
    word_keep(&answer->client->held->id, reply_element(&answer->reply, 1));
    word_keep(&answer->client->held->receipt, reply_element(&answer->reply, 3));
    return true;
}

static bool is_finished(const struct answer *answer) {
    if (!is_array_of(answer, 3)) return false;
    struct answer etag = answer_part(answer, reply_element(&answer->reply, 1));
    return is_token(&etag);
}

static bool is_entry(const struct answer *answer) {
    word_keep(&answer->client->held->id, answer->reply);
    return true;
}

/* The version of a hash stays as it is, so that the next round finds it. */
static const struct workload
    job_puts = {.request = "QUEUE.PUT jobs {content}", .is_expected = is_message},
    job_finishes =
        {.request =
             "HOLDFAST.ATOMIC 3 4 QUEUE.DELETE jobs {id} {receipt} "
             "10 TABLE.MERGE t p {file} IFMATCH {token} PROPS 1 age:int32 43 3 QUEUE.PUT mail {content}",
         .is_expected = is_finished},
    job_adds = {.request = "XADD stream * message {content}", .is_expected = is_entry},
    job_scripts = {.request = "EVALSHA {script} 3 stream {file} list {id} 1 1 {content} worker",
                   .script = FINISH_SCRIPT,
                   .is_expected = is_string};
static const struct sequence job_by_atomic = {.name = "ATOMIC of delete, merge, put",
                                              .family = &transaction_family,
                                              .steps = {&job_puts, &job_finishes}};
static const struct sequence job_by_script = {
    .name = "Lua XACK, HSET, LPUSH", .family = &transaction_family, .steps = {&job_adds, &job_scripts}};
enum { BEGIN, FINISH };

/* One step of all jobs; as many as connections and pipelines allow are on their way. */
static void step_run(struct client_pool *pool, struct client *jobs, unsigned step) {
    enum { AHEAD = PIPELINE * CONNECTIONS };
    for (unsigned first = 0; first < JOBS + AHEAD; first += PIPELINE) {
        unsigned connection = first / PIPELINE % CONNECTIONS;
        if (first >= AHEAD) clients_await(pool, jobs + first - AHEAD, step, connection);
        if (first < JOBS) clients_ask(pool, jobs + first, step, connection);
    }
}

static struct client_pool *jobs_open(struct dataset *data, const struct sequence *sequence,
                                     const char *filler) {
    struct client_pool *pool = client_pool_open(sequence, data, "");
    pool->steps[FINISH].object_set = dataset_fill(data, workload_named(filler));
    return pool;
}

static void jobs_finish(struct server *server, struct client_pool *pool, struct client *jobs,
                        struct measurement *measurement, unsigned round) {
    struct meter meter = meter_start(server);
    step_run(pool, jobs, FINISH);
    meter_stop(&meter, server, measurement, round, JOBS);
}

static void measure_jobs(const struct context *context, struct server *server,
                         const struct setting *setting) {
    struct measurement *by_atomic = sequence_add_measurement(context, setting, &job_by_atomic),
                       *by_script = sequence_add_measurement(context, setting, &job_by_script);
    struct dataset *data = dataset_open(server, 0, JOBS, sizes[0].bytes);
    struct client_pool *atomic = jobs_open(data, &job_by_atomic, "the entity of a job");
    struct client_pool *script = jobs_open(data, &job_by_script, "the hash of a job");
    struct client *jobs = allocate(JOBS, sizeof(*jobs));
    for (unsigned i = 0; i < JOBS; i++) jobs[i].number = i;
    for (unsigned round = 0; round < context->options->rounds; round++) {
        server_tell(server, "QUEUE.CLEAR mail");
        step_run(atomic, jobs, BEGIN);
        jobs_finish(server, atomic, jobs, by_atomic, round);
        server_tell(server, "DEL list");
        step_run(script, jobs, BEGIN);
        server_tell(server, "XREADGROUP GROUP g worker COUNT %d STREAMS stream >", JOBS);
        jobs_finish(server, script, jobs, by_script, round);
    }
    free(jobs);
    client_pool_close(atomic);
    client_pool_close(script);
    dataset_close(data);
}

/* --- The section --- */

static void measure_puts(const struct context *context, const char *label, const char *settings) {
    struct fixture fixture = fixture_open(context, settings, OBJECTS, sizes[0].bytes);
    const struct setting *setting = context_setting(
        context, (struct setting){.title = format_text("100 B, pipeline %d, %s", PIPELINE, label),
                                  .label = label,
                                  .objects = OBJECTS,
                                  .family = &transaction_family});
    struct run run = {.context = context, .server = fixture.server};
    run_add(&run, setting, fixture.data,
            "BLOB.PUT; BLOB.PUT IFMATCH; BLOB.PUT ONCE; ATOMIC of 1 BLOB.PUT; ATOMIC of 10 PUT IFMATCH; "
            "Lua compare-and-set of 10");
    run_measure(&run);
    measure_jobs(context, fixture.server, setting);
    add_ratio_bars(context->results, setting);
    fixture_close(&fixture);
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
