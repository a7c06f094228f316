/* What is remembered of calls with ONCE, in all the ways in which a value lives: files, copies, replicas and failover,
 * time and numbers, clients that wait or are lost, connections that break, and doctored values. */
#include <arpa/inet.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "effects.h"
#include "files.h"
#include "harness.h"
#include "hostile.h"
#include "leases.h"
#include "payload.h"
#include "pool.h"
#include "queues.h"
#include "random.h"
#include "records.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "turns.h"
#include "waiting.h"

static long long tokens_at(struct client *client) {
    return info_of(client, "holdfast_once_tokens");
}

/* Values that a flush or a DEL took away are freed in the background, and their tokens with them. */
static void await_tokens(struct client *client, long long count) {
    AWAIT_OR(tokens_at(client) == count, "%s remembers %lld calls, not %lld", client->server->name,
             tokens_at(client), count);
}

/* Appends one byte: who appends twice finds two. */
static redisReply *append(struct client *client, const char *container, const char *token) {
    return call(client, "BLOB.APPEND %s log x ONCE %s", container, token);
}

static long long length_of(const char *container) {
    return field(stat_of(container, "log"), "content-length")->integer;
}

static void stage_log(void) {
    call(primary, "DEL box");
    lease_setup();
    expect_etag(call(primary, "BLOB.CREATEAPPEND box log"));
}

/* --- Where it is kept -------------------------------------------------------------------------------------------- */

/* One call with a token for each data type, and for one that makes its value. */
static const char *const calls[] = {
    "CONTAINER.CREATE c META 1 a b ONCE t",
    "BLOB.PUT c b text ONCE u",
    "LEASE.ACQUIRE c -1 ONCE v",
    "QUEUE.CREATE q ONCE t",
    "QUEUE.PUT q text ONCE u",
    "QUEUE.GET q VISIBILITY 3600 ONCE v",
    "TABLE.CREATE t ONCE t",
    "TABLE.INSERT t p r PROPS 1 a b ONCE u",
    "SHARE.CREATE s ONCE t",
    "FILE.CREATE s f 10 ONCE u",
    "SHARE.CONNECT s 3600 ONCE v",
};

enum { CALLS = ARRAY_SIZE(calls) };

static redisReply *answers[CALLS];

static void make_calls(void) {
    for (size_t i = 0; i < CALLS; i++) {
        answers[i] = call_line(primary, calls[i]);
        require(!reply_is_error(answers[i]), "%s gives %s", calls[i], reply_text(answers[i]));
    }
}

static void require_answered_again(struct client *client, const char *when) {
    for (size_t i = 0; i < CALLS; i++) {
        redisReply *again = call_line(client, calls[i]);
        require(reply_same(again, answers[i]), "%s %s gives %s, and gave %s", calls[i], when,
                reply_text(again), reply_text(answers[i]));
    }
}

TEST(files_and_payloads_keep_remembered_calls) {
    static const char *const keys[] = {"c", "q", "t", "s"};
    make_calls();
    expect_ok(call(primary, "DEBUG RELOAD"));
    require_answered_again(primary, "after a reload");
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        redisReply *dump = call(primary, "DUMP %s", keys[i]);
        expect_ok(call(primary, "RESTORE %s 0 %b REPLACE", keys[i], dump->str, dump->len));
        expect_ok(call(primary, "RENAME %s elsewhere", keys[i]));
        expect_ok(call(primary, "RENAME elsewhere %s", keys[i]));
    }
    require_answered_again(primary, "after RESTORE and RENAME");
}

TEST(append_only_files_keep_remembered_calls) {
    for (int rewritten = 0; rewritten < 3; rewritten++) {
        struct server *server = server_start("keeper", "appendonly yes\nappendfsync always");
        struct client *client = test_client(server);
        struct client *stage = primary;
        primary = client;
        make_calls();
        primary = stage;
        if (rewritten) rewrite_append_only_file(client, rewritten == 2);
        require_answered_again(restarted(server, server_kill),
                               pool_print("from a file, rewritten %d", rewritten));
    }
}

TEST(a_replica_that_is_promoted_answers_again) {
    struct client *leader = test_client(server_start("leader", "")),
                  *follower = test_client(server_start("follower", ""));
    struct client *stage = primary;
    follow(follower, leader);
    primary = leader;
    make_calls();
    primary = stage;
    await_in_step(follower, leader);
    server_kill(leader->server);
    expect_ok(call(follower, "REPLICAOF NO ONE"));
    require_answered_again(follower, "after a failover");
}

/* Clients that write to the copy are others. */
TEST(a_copied_key_forgets_remembered_calls) {
    stage_log();
    append(primary, "box", "t");
    await_tokens(primary, 1);
    expect_number(call(primary, "COPY box twin"), 1);
    await_tokens(primary, 1);
    append(primary, "twin", "t");
    append(primary, "box", "t");
    assert_int_equal(length_of("twin"), 2);
    assert_int_equal(length_of("box"), 1);
    expect_number(call(primary, "DEL twin box"), 2);
    await_tokens(primary, 0);
}

/* --- How long, and how many -------------------------------------------------------------------------------------- */

TEST(a_token_is_forgotten_when_its_time_is_over) {
    stage_log();
    append(primary, "box", "t");
    time_passes(570000);
    append(primary, "box", "t");
    assert_int_equal(length_of("box"), 1);
    append(primary, "box", "u");
    time_passes(31000);
    append(primary, "box", "t"); /* its time counts from the first call */
    append(primary, "box", "u");
    assert_int_equal(length_of("box"), 3);
    time_passes(602000);
    await_tokens(primary, 0);
    await_replicas();
    await_tokens(replica, 0);
    assert_int_equal(info_of(primary, "holdfast_once_dropped"), 0);
    configure(primary, "holdfast.once-seconds", "0.2");
    append(primary, "box", "t");
    usleep(250000);
    append(primary, "box", "t");
    assert_int_equal(length_of("box"), 5);
}

/* The oldest go first; those who go by upkeep, since the number was lowered, as well. */
TEST(no_more_calls_are_remembered_than_once_most) {
    stage_log();
    configure(primary, "holdfast.once-most", "3");
    long long dropped = info_of(primary, "holdfast_once_dropped");
    for (int i = 0; i < 5; i++) append(primary, "box", pool_print("%d", i));
    await_tokens(primary, 3);
    for (int i = 2; i < 5; i++) append(primary, "box", pool_print("%d", i));
    assert_int_equal(length_of("box"), 5);
    append(primary, "box", "1");
    assert_int_equal(length_of("box"), 6);
    assert_int_equal(info_of(primary, "holdfast_once_dropped"), dropped + 3);
    call(primary, "CONFIG SET holdfast.once-most 100000");
    for (int i = 10; i < 100; i++) append(primary, "box", pool_print("%d", i));
    call(primary, "CONFIG SET holdfast.once-most 2");
    append(primary, "box", "next");
    await_tokens(primary, 2);
    await_replicas();
    await_tokens(chained, 2);
}

/* Few tokens, so that most calls are answered again, refused, or come after their token was forgotten; and an
 * operator who cannot decide how many there may be. What is left is the same everywhere. */
TEST(random_calls_leave_the_same_everywhere) {
    static const char *const lines[] = {
        "BLOB.APPEND c log x",
        "BLOB.PUT c cat purr",
        "LEASE.ACQUIRE c 15 BLOB cat",
        "LEASE.BREAK c PERIOD 0",
        "BLOB.DELETE c cat",
        "QUEUE.PUT q text TTL 60",
        "QUEUE.GET q VISIBILITY 5",
        "QUEUE.CLEAR q",
        "TABLE.INSERTORMERGE t p r PROPS 1 a b",
        "TABLE.DELETE t p r IFMATCH *",
        "FILE.CREATE s f 10",
        "FILE.PUTRANGE s f 0 x",
        "FILE.DELETE s f",
        "SHARE.CONNECT s 30",
        "CONTAINER.CREATE c",
    };
    enum { LINES = ARRAY_SIZE(lines), STEPS = 4000, TOKENS = 40 };
    random_begin();
    lease_setup(); /* the clocks are alike */
    make_calls();
    expect_etag(call(primary, "BLOB.CREATEAPPEND c log"));
    configure(primary, "holdfast.once-most", "20");
    for (int step = 0; step < STEPS; step++) {
        if (!random_below(200)) time_passes(random_below(700000));
        if (!random_below(300)) call(primary, "CONFIG SET holdfast.once-most %d", 1 + random_below(30));
        if (!random_below(500)) expect_ok(call(primary, "DEBUG RELOAD"));
        call_line(primary, pool_print("%s ONCE %d", lines[random_below(LINES)], random_below(TOKENS)));
    }
    require(info_of(primary, "holdfast_once_answered") > 100, "hardly a call was answered again");
    /* Where nobody calls any more, nobody sees that there may be fewer now, except in a value that is restored. */
    call(primary, "CONFIG SET holdfast.once-most 1000");
    require_same_everywhere();
    assert_int_equal(tokens_at(primary), tokens_at(replica));
    assert_int_equal(info_of(replica, "holdfast_effects_misfit"), 0);
}

TEST(a_token_takes_little_memory) {
    enum { MANY = 20000 };
    stage_log();
    long long before = call(primary, "MEMORY USAGE box")->integer;
    for (int i = 0; i < MANY; i++)
        send_call(primary, "BLOB.PUT box cat meow ONCE %08xd98f4f51bcb92111287cb627", (unsigned)i);
    for (int i = 0; i < MANY; i++) expect_etag(receive(primary));
    long long bytes = (call(primary, "MEMORY USAGE box")->integer - before) / MANY;
    require(bytes <= 80, "%lld bytes for a token of 32 and an ETag", bytes);
}

/* --- Those who wait ---------------------------------------------------------------------------------------------- */

TEST(two_waiters_with_one_token_get_the_same_answer) {
    stage_log();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    struct client *one = waiting("LEASE.ACQUIRE box 60 BLOCK 0 ONCE t");
    struct client *other = waiting("LEASE.ACQUIRE box 60 BLOCK 0 ONCE t");
    act("LEASE.RELEASE box A", "OK");
    redisReply *first = answer_of(one);
    lease_id(first);
    assert_true(reply_same(answer_of(other), first));
    assert_true(reply_same(call(primary, "LEASE.ACQUIRE box 60 BLOCK 0 ONCE t"), first));

    queue_setup("");
    one = waiting("QUEUE.GET jobs BLOCK 0 ONCE t");
    other = waiting("QUEUE.GET jobs BLOCK 0 ONCE t");
    put_job("text", "");
    first = expect_elements(answer_of(one), 1);
    assert_true(reply_same(answer_of(other), first));
    expect_depth(0, 1);
}

/* Another client is between them, and waits for what the first one got. */
TEST(a_retry_behind_others_is_answered_at_once) {
    stage_log();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    struct client *one = waiting("LEASE.ACQUIRE box -1 BLOCK 0 ONCE t");
    struct client *between = waiting("LEASE.ACQUIRE box 60 BLOCK 0 ONCE u");
    struct client *last = waiting("LEASE.ACQUIRE box -1 BLOCK 0 ONCE t");
    act("LEASE.RELEASE box A", "OK");
    redisReply *first = answer_of(one);
    assert_true(reply_same(answer_of(last), first));
    expect_still_waiting(between);
    expect_ok(call(primary, "LEASE.RELEASE box %s", lease_id(first)));
    lease_id(answer_of(between));
}

TEST(hundreds_of_retries_are_answered_in_turns) {
    enum { RETRIES = 250 };
    struct client *clients[RETRIES];
    stage_log();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    clients[0] = waiting("LEASE.ACQUIRE box -1 BLOCK 0 ONCE t");
    struct client *between = waiting("LEASE.ACQUIRE box 60 BLOCK 0 ONCE u");
    for (int i = 1; i < RETRIES; i++) clients[i] = waiting("LEASE.ACQUIRE box -1 BLOCK 0 ONCE t");
    expect_served_in_turns("LEASE.BREAK box PERIOD 0", "holdfast_lease_waiters", 1);
    redisReply *first = answer_of(clients[0]);
    for (int i = 1; i < RETRIES; i++) assert_true(reply_same(answer_of(clients[i]), first));
    expect_still_waiting(between);
}

TEST(a_token_with_other_words_is_refused_also_while_waiting) {
    stage_log();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    struct client *one = waiting("LEASE.ACQUIRE box 60 BLOCK 0 ONCE t");
    struct client *other = waiting("LEASE.ACQUIRE box 30 BLOCK 0 ONCE t");
    act("LEASE.RELEASE box A", "OK");
    lease_id(answer_of(one));
    expect_error(answer_of(other), "INVALID IdempotentParameterMismatch");
}

TEST(a_wait_in_vain_is_not_remembered) {
    queue_setup("");
    expect_elements(call(primary, "QUEUE.GET jobs BLOCK 0.05 ONCE t"), 0);
    put_job("text", "");
    expect_elements(call(primary, "QUEUE.GET jobs BLOCK 0.05 ONCE t"), 1);
}

/* --- Those who are lost ------------------------------------------------------------------------------------------ */

/* Frees what a client waits for, and kills the client in the same packet. */
static void lose(const char *freeing, long long id) {
    struct words words = act_words(freeing);
    send_words(primary, &words);
    send_call(primary, "CLIENT KILL ID %lld", id);
    receive(primary);
    expect_number(receive(primary), 1);
}

/* Nobody has been told: what was granted is given back, and the token is as good as new. */
TEST(a_token_whose_answer_nobody_was_told_is_forgotten) {
    long long id, given_back = info_of(primary, "holdfast_given_back");
    stage_log();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    waiting_known("LEASE.ACQUIRE box -1 BLOCK 0 ONCE t", &id);
    lose("LEASE.RELEASE box A", id);
    call(primary, "PING");
    expect_state("box", &on_container, "available");
    await_tokens(primary, 0);
    redisReply *next = call(primary, "LEASE.ACQUIRE box -1 BLOCK 0 ONCE t");
    expect_state("box", &on_container, "leased");
    lease_id(next);
    assert_int_equal(info_of(primary, "holdfast_given_back"), given_back + 1);

    queue_setup("");
    waiting_known("QUEUE.GET jobs BLOCK 0 ONCE t", &id);
    lose("QUEUE.PUT jobs text", id);
    call(primary, "PING");
    expect_depth(1, 0);
    redisReply *got = expect_elements(call(primary, "QUEUE.GET jobs BLOCK 0 ONCE t"), 1)->element[0];
    expect_number(field(got, "dequeue-count"), 1);
}

/* The retry was answered before the first client was found to be lost: it has the lease, and keeps it. */
TEST(a_grant_that_a_retry_was_answered_with_is_not_given_back) {
    long long id, given_back = info_of(primary, "holdfast_given_back");
    stage_log();
    act("LEASE.ACQUIRE box -1 ID A", NULL);
    waiting_known("LEASE.ACQUIRE box -1 BLOCK 0 ONCE t", &id);
    struct client *retry = waiting("LEASE.ACQUIRE box -1 BLOCK 0 ONCE t");
    lose("LEASE.RELEASE box A", id);
    redisReply *told = answer_of(retry);
    expect_state("box", &on_container, "leased");
    assert_true(reply_same(call(primary, "LEASE.ACQUIRE box -1 BLOCK 0 ONCE t"), told));
    expect_ok(call(primary, "LEASE.RELEASE box %s", lease_id(told)));
    await_tokens(primary, 1);
    assert_int_equal(info_of(primary, "holdfast_given_back"), given_back + 1);
}

/* --- Connections that break -------------------------------------------------------------------------------------- */

/* A process between clients and the server: of each connection it hands one command on, and in three of four cases it
 * swallows the reply and hangs up. */
struct proxy {
    pid_t process;
    int port;
};

static int socket_at(struct sockaddr_in *address, int port) {
    *address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int made = socket(AF_INET, SOCK_STREAM, 0);
    require(made >= 0, "no socket");
    return made;
}

static void hand_on(int client, int server_port, bool swallow) {
    struct sockaddr_in address;
    char bytes[4096];
    int server = socket_at(&address, server_port);
    ssize_t length = read(client, bytes, sizeof(bytes));
    if (length > 0 && !connect(server, (struct sockaddr *)&address, sizeof(address)) &&
        write(server, bytes, (size_t)length) == length) {
        length = read(server, bytes, sizeof(bytes));
        if (length > 0 && !swallow && write(client, bytes, (size_t)length) < 0) _exit(1);
    }
    close(server);
}

static struct proxy proxy_start(int server_port) {
    struct sockaddr_in address;
    socklen_t size = sizeof(address);
    struct proxy proxy;
    int listener = socket_at(&address, 0);
    require(!bind(listener, (struct sockaddr *)&address, sizeof(address)) && !listen(listener, 64) &&
                !getsockname(listener, (struct sockaddr *)&address, &size),
            "nobody listens");
    proxy.port = ntohs(address.sin_port);
    proxy.process = fork();
    if (!proxy.process) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int client; (client = accept(listener, NULL, NULL)) >= 0; close(client))
            hand_on(client, server_port, random_below(4) != 0);
        _exit(0);
    }
    close(listener);
    return proxy;
}

static void proxy_end(const struct proxy *proxy) {
    kill(proxy->process, SIGKILL);
    waitpid(proxy->process, NULL, 0);
}

/* A client that hears nothing sends it again. */
static void append_until_answered(const struct proxy *proxy, const char *line) {
    for (bool answered = false; !answered;) {
        redisContext *context = redisConnect("127.0.0.1", proxy->port);
        require(context && !context->err, "no way through the proxy");
        redisReply *reply = redisCommand(context, line);
        answered = reply;
        if (reply) require(!reply_is_error(reply), "%s gives %s", line, reply_text(reply));
        freeReplyObject(reply);
        redisFree(context);
    }
}

/* The control has no tokens, and finds bytes that it appended twice. */
TEST(retries_append_once) {
    enum { APPENDS = 300 };
    random_begin();
    struct proxy proxy = proxy_start(primary->server->port);
    stage_log();
    for (int i = 0; i < APPENDS; i++)
        append_until_answered(&proxy, pool_print("BLOB.APPEND box log x ONCE %d", i));
    assert_int_equal(length_of("box"), APPENDS);
    require(info_of(primary, "holdfast_once_answered") > APPENDS, "the proxy swallows nothing");
    stage_log();
    for (int i = 0; i < APPENDS; i++) append_until_answered(&proxy, "BLOB.APPEND box log x");
    require(length_of("box") > 2LL * APPENDS, "without tokens nothing doubles");
    proxy_end(&proxy);
}

/* --- Values that somebody doctored ------------------------------------------------------------------------------- */

static redisReply *dump_with_tokens(void) {
    queue_setup("");
    expect_elements(call(primary, "QUEUE.PUT jobs text ONCE one"), 10);
    expect_elements(call(primary, "QUEUE.GET jobs VISIBILITY 3600 ONCE two"), 1);
    expect_elements(call(primary, "QUEUE.DELETEMANY jobs 1 A %s ONCE three", RECEIPT_NONE), 1);
    expect_ok(call(primary, "QUEUE.CONFIGURE jobs MAXDELIVERIES 7 ONCE four"));
    return call(primary, "DUMP jobs");
}

/* What is accepted answers, whatever it remembers. */
static void require_answers(const char *key) {
    hostile_double(key);
    call(primary, "QUEUE.PUT %s text ONCE one", key);
    call(primary, "QUEUE.GET %s VISIBILITY 3600 ONCE two", key);
    call(primary, "QUEUE.CONFIGURE %s MAXDELIVERIES 7 ONCE four", key);
    call(primary, "QUEUE.PUT again text ONCE one");
    call(primary, "MEMORY USAGE %s", key);
    call(primary, "DEL again %s", key);
}

TEST(payloads_with_every_byte_changed) {
    random_begin();
    hostile_change_every_byte(dump_with_tokens(), require_answers);
}

TEST(payloads_cut_at_every_length) {
    hostile_cut_at_every_length(dump_with_tokens(), require_answers);
}

enum { FIRST_MS = 1000 };

static const struct doctored {
    const char *token;
    uint64_t called_ms;
    const char *answer;
    size_t length;
    uint64_t forgets;
    const char *inside;
    bool accepted;
} doctored[] = {
    {"second", FIRST_MS, "\0", 1, 0, "", true},
    {"second", FIRST_MS + 1, "\7\1\0", 3, 0, "", true},
    {"first", FIRST_MS, "\0", 1, 0, "", false},      /* one token twice */
    {"second", FIRST_MS - 1, "\0", 1, 0, "", false}, /* out of order */
    {"", FIRST_MS, "\0", 1, 0, "", false},
    {"12345678901234567890123456789012345678901234567890123456789012345", FIRST_MS, "\0", 1, 0, "", false},
    {"second", UINT64_MAX, "\0", 1, 0, "", false},
    {"second", UINT64_C(1) << 47, "\0", 1, 0, "", false}, /* in 4429 years */
    {"second", FIRST_MS, "", 0, 0, "", false},
    {"second", FIRST_MS, "\7\2\0", 3, 0, "", false},
    {"second", FIRST_MS, "\2\4A\nB\0", 6, 0, "", false},
    {"second", FIRST_MS, "\0", 1, 1, "", false},     /* a file that forgets */
    {"second", FIRST_MS, "\0", 1, 0, "Q\12", false}, /* a file with a change inside */
};

/* A record of a call: token, fingerprint, when it was made, answer, what is inside. */
static struct text record_of(const struct doctored *told) {
    struct text record = {0};
    text_add(&record, "O\0", 2);
    effect_number(&record, told->forgets);
    effect_text(&record, told->token);
    effect_number(&record, 7);
    effect_number(&record, told->called_ms);
    effect_bytes(&record, told->answer, told->length);
    effect_text(&record, told->inside);
    return record;
}

TEST(doctored_calls_are_refused) {
    queue_setup("");
    redisReply *dump = call(primary, "DUMP jobs");
    const struct records *whole = records_of(dump);
    struct text first = record_of(&(struct doctored){"first", FIRST_MS, "\0", 1, 0, "", true});
    for (size_t row = 0; row < ARRAY_SIZE(doctored); row++) {
        struct text second = record_of(&doctored[row]);
        struct records *records = pool_take(sizeof(*records));
        records_add(records, whole->record[0].bytes, whole->record[0].length);
        records_add(records, first.bytes, first.length);
        records_add(records, second.bytes, second.length);
        records_end(records, 1);
        struct text payload = records_payload(dump, records);
        payload_sign(payload.bytes, payload.length);
        redisReply *reply = call(primary, "RESTORE again 0 %b", payload.bytes, payload.length);
        require(reply_is_error(reply) != doctored[row].accepted, "row %zu gives %s", row, reply_text(reply));
        if (doctored[row].accepted) expect_number(call(primary, "DEL again"), 1);
    }
}

/* A call that is remembered from a day before now on, and what is asked of it. */
static redisReply *remember(const char *token, long long called_ms, uint64_t forgets, const char *inside) {
    struct text record =
        record_of(&(struct doctored){token, (uint64_t)called_ms, "\0", 1, forgets, inside, true});
    return effect_play("jobs", &record, NULL);
}

#define MISFIT     "ERR the effect does not fit"
#define UNREADABLE "ERR the effect cannot be read"

/* Effects by hand: what does not fit does nothing, also of the change inside. */
TEST(doctored_effects_are_refused) {
    static const struct {
        const char *bytes;
        size_t length;
        const char *error;
    } effects[] = {
        {"O\1\2", 3, MISFIT},        {"O\2\1u", 4, MISFIT},    {"O\3\1t", 4, UNREADABLE},
        {"O\1\1x", 4, UNREADABLE},   {"O\2\0", 3, UNREADABLE}, {"O", 1, UNREADABLE},
        {"O\x82\1t", 4, UNREADABLE},
    };
    long long now_ms = clock_after(0) + server_time();
    queue_setup("");
    put_job("text", "");
    expect_ok(remember("t", now_ms, 0, ""));
    expect_error(remember("u", now_ms, 2, "Q\12"), MISFIT);     /* forgets two of one */
    expect_error(remember("u", now_ms - 1, 0, "Q\12"), MISFIT); /* older than the newest */
    expect_error(remember("u", now_ms, 0, "Q\17"), UNREADABLE);
    expect_error(remember("u", now_ms, 0, "Q\4"), UNREADABLE); /* drops the queue, and remembers */
    expect_error(remember("u", now_ms, 0, "O"), UNREADABLE);
    for (size_t row = 0; row < ARRAY_SIZE(effects); row++)
        expect_error(call(primary, "HOLDFAST.APPLY jobs %b", effects[row].bytes, effects[row].length),
                     effects[row].error);
    expect_error(call(primary, "HOLDFAST.APPLY jobs %b content", "O\1\0", (size_t)3), UNREADABLE);
    expect_error(call(primary, "HOLDFAST.APPLY none %b", "O\1\0", (size_t)3), MISFIT);
    await_tokens(primary, 1);
    expect_depth(1, 0);
    expect_ok(remember("u", now_ms, 1, "Q\12"));
    await_tokens(primary, 1);
    expect_depth(0, 0);
    expect_ok(call(primary, "HOLDFAST.APPLY jobs %b", "O\2\1u", (size_t)4));
    await_tokens(primary, 0);
    expect_misfits();
}
