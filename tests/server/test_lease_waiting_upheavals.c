/* Those who wait while the server is turned upside down: keys that go and come, paused clients, transactions
 * and scripts, other roles, the end. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "effects.h"
#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "probes.h"
#include "same_everywhere.h"
#include "settings.h"
#include "single_server.h"
#include "stream.h"
#include "waiting.h"
#include "wire.h"

enum { FILLERS = 3000 }; /* the server answers clients after a thousand commands of a file */

/* A holds cat, B waits for it. */
static struct client *stage(void) {
    call(primary, "DEL box");
    lease_setup();
    acquire("box", "60", "BLOB cat ID " ID_A);
    return waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
}

static void expect_b(struct client *waiter) {
    assert_string_equal(lease_id(answer_of(waiter)), ID_B);
}

/* Goes through what makes the key go; then a container appears that is free. */
TEST(keys_that_go_leave_those_who_wait) {
    needs(KEEPS_DATABASE);
    static const char *const ways[] = {"DEL box",    "UNLINK box",      "FLUSHALL",
                                       "FLUSHDB",    "RENAME box away", "CONTAINER.DELETE box",
                                       "MOVE box 5", "SET box text",    "PEXPIRE box -1",
                                       "SWAPDB 0 5", "FLUSHALL ASYNC"};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        struct client *waiter = stage();
        redisReply *reply = call_line(primary, ways[way]);
        require(!reply_is_error(reply), "%s gave %s", ways[way], reply_text(reply));
        expect_still_waiting(waiter);
        time_passes(61000);
        expect_still_waiting(waiter);
        call(primary, "DEL box");
        expect_ok(call(primary, "MULTI"));
        call(primary, "CONTAINER.CREATE box");
        call(primary, "BLOB.PUT box cat new");
        expect_elements(call(primary, "EXEC"), 2);
        expect_b(waiter);
        expect_ok(call(primary, "FLUSHALL"));
    }
}

/* The key appears in one of many ways, with a blob that is free. */
TEST(keys_that_appear_serve_those_who_wait) {
    needs(KEEPS_DATABASE);
    lease_setup();
    redisReply *dump = call(primary, "DUMP box");
    for (int way = 0; way < 6; way++) {
        struct client *waiter = stage();
        expect_number(call(primary, "DEL box"), 1);
        expect_ok(call(primary, "RESTORE other 0 %b REPLACE", dump->str, dump->len));
        expect_still_waiting(waiter);
        switch (way) {
        case 0: expect_ok(call(primary, "RENAME other box")); break;
        case 1: expect_ok(call(primary, "RESTORE box 0 %b", dump->str, dump->len)); break;
        case 2: expect_number(call(primary, "COPY other box"), 1); break;
        case 3: expect_number(call(primary, "RENAMENX other box"), 1); break;
        case 4:
            expect_ok(call(primary, "SELECT 5"));
            expect_ok(call(primary, "RESTORE box 0 %b", dump->str, dump->len));
            expect_number(call(primary, "MOVE box 0"), 1);
            expect_ok(call(primary, "SELECT 0"));
            break;
        default:
            expect_ok(call(primary, "SELECT 5"));
            expect_ok(call(primary, "RESTORE box 0 %b", dump->str, dump->len));
            expect_ok(call(primary, "SWAPDB 0 5"));
            expect_ok(call(primary, "SELECT 0"));
            break;
        }
        expect_b(waiter);
        expect_ok(call(primary, "FLUSHALL"));
    }
}

/* Some servers let nobody wait who has subscriptions: then the answer is that of the command without BLOCK. */
TEST(clients_with_subscriptions_are_answered) {
    stage();
    const char *etag = reply_string(call(primary, "BLOB.PUT box news 1"));
    expect_ok(call(primary, "QUEUE.CREATE jobs"));
    expect_ok(call(primary, "CONTAINER.FEED box ON"));
    const char *since = reply_string(call(primary, "CONTAINER.CHANGES box SINCE $")->element[0]);
    struct wire *wire = wire_open_resp3(primary->server);
    expect_elements(wire_call(wire, "SUBSCRIBE news"), 3);
    expect_error(wire_call(wire, "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0.05"), "CONFLICT LeaseAlreadyPresent");
    expect_null(wire_call(wire, pool_print("BLOB.GET box news IFNONEMATCH %s BLOCK 0.05", etag)));
    expect_elements(wire_call(wire, "QUEUE.GET jobs BLOCK 0.05"), 0);
    expect_elements(wire_call(wire, pool_print("CONTAINER.CHANGES box SINCE %s BLOCK 0.05", since)), 2);
    expect_text(wire_call(wire, "PING"), "PONG");
}

/* Another value takes the key's place while the old one is there. */
TEST(keys_that_are_replaced_serve_those_who_wait) {
    lease_setup();
    redisReply *dump = call(primary, "DUMP box");
    struct client *waiter = stage();
    expect_ok(call(primary, "RESTORE box 0 %b REPLACE", dump->str, dump->len));
    expect_b(waiter);
    waiter = stage();
    expect_ok(call(primary, "RESTORE other 0 %b", dump->str, dump->len));
    expect_ok(call(primary, "RENAME other box"));
    expect_b(waiter);
    waiter = stage();
    expect_ok(call(primary, "RESTORE other 0 %b", dump->str, dump->len));
    expect_number(call(primary, "COPY other box REPLACE"), 1);
    expect_b(waiter);
    waiter = stage();
    expect_ok(call(primary, "SELECT 5"));
    expect_ok(call(primary, "RESTORE box 0 %b", dump->str, dump->len));
    expect_ok(call(primary, "SWAPDB 0 5"));
    expect_ok(call(primary, "SELECT 0"));
    expect_b(waiter);
}

/* The record of the only effect that has come. */
static struct text next_record(struct stream *stream) {
    struct text record = {0};
    redisReply *effects = stream_commands(stream, primary);
    assert_int_equal(effects->elements, 1);
    text_add(&record, effects->element[0]->element[2]->str, effects->element[0]->element[2]->len);
    return record;
}

/* How A gives the lease back, and how C takes it then: as records. Afterwards A has it, and B waits for it. */
static struct client *stage_records(struct text *release, struct text *acquisition) {
    lease_setup();
    acquire("box", "60", "BLOB cat ID " ID_A);
    redisReply *dump = call(primary, "DUMP box");
    struct stream *stream = stream_attach(primary->server);
    expect_ok(call(primary, "LEASE.RELEASE box " ID_A " BLOB cat"));
    *release = next_record(stream);
    acquire("box", "60", "BLOB cat ID " ID_C);
    *acquisition = next_record(stream);
    expect_ok(call(primary, "RESTORE box 0 %b REPLACE", dump->str, dump->len));
    return waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
}

TEST(an_effect_travels_ahead_of_what_it_lets_others_have) {
    struct text release, acquisition;
    struct client *waiter = stage_records(&release, &acquisition);
    expect_ok(effect_play("box", &release, NULL));
    expect_b(waiter);
}

TEST(nobody_is_served_in_the_middle_of_a_bundle) {
    struct text release, acquisition, bundle = {0};
    struct client *waiter = stage_records(&release, &acquisition);
    effect_byte(&bundle, 'B');
    effect_bundle_add(&bundle, 0, &release);
    effect_bundle_add(&bundle, 0, &acquisition);
    expect_ok(effect_play("box", &bundle, NULL));
    expect_still_waiting(waiter);
    expect_ok(call(primary, "LEASE.RELEASE box " ID_C " BLOB cat"));
    expect_b(waiter);
}

/* The lease goes where its key goes, and who waits for it there waits for its end. */
TEST(a_lease_that_arrives_is_waited_for) {
    struct client *waiter = stage();
    expect_ok(call(primary, "RENAME box away"));
    create("box");
    expect_error(answer_of(waiter), "NOTFOUND BlobNotFound");
    put("box", "cat", "x");
    acquire("box", "15", "BLOB cat ID " ID_C);
    waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    expect_ok(call(primary, "RENAME away box"));
    expect_still_waiting(waiter);
    time_passes(50000);
    expect_still_waiting(waiter);
    time_passes(10000);
    expect_b(waiter);
}

TEST(a_reload_leaves_those_who_wait) {
    struct client *waiter = stage();
    expect_ok(call(primary, "DEBUG RELOAD"));
    expect_still_waiting(waiter);
    time_passes(60000);
    expect_b(waiter);
    waiter = stage();
    expect_ok(call(primary, "DEBUG RELOAD"));
    expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    expect_b(waiter);
}

/* The file says first that the blob is there, and last that A has its lease. In between the server answers clients. */
TEST(a_file_that_is_loaded_leaves_those_who_wait) {
    struct client *client = test_client(server_start("lone", settings_with_file));
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_etag(call(client, "BLOB.PUT box cat x"));
    call_many(client, FILLERS, "SET filler %d");
    expect_elements(call(client, "LEASE.ACQUIRE box -1 BLOB cat ID " ID_A), 2);
    struct client *waiter =
        waiting_at(client->server, 0, "LEASE.ACQUIRE box -1 BLOB cat ID " ID_B " BLOCK 0");
    expect_ok(call(client, "DEBUG LOADAOF"));
    expect_still_waiting(waiter);
    expect_ok(call(client, "LEASE.RELEASE box " ID_A " BLOB cat"));
    expect_b(waiter);
}

/* While writes are paused nobody may be served, since that would be one; and then at once. */
TEST(paused_writes_hold_the_line) {
    static const char *const modes[] = {"WRITE", "ALL"};
    allow_short_leases();
    for (int mode = 0; mode < 2; mode++) {
        call(primary, "DEL box");
        lease_setup();
        acquire("box", "0.1", "BLOB cat");
        struct client *waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
        struct client *hasty = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_C " BLOCK 0.15");
        long long offset = info_of(primary, "master_repl_offset");
        long long begin = stopwatch();
        expect_ok(call(primary, "CLIENT PAUSE 400 %s", modes[mode]));
        expect_error(answer_within(hasty, 5000), "CONFLICT LeaseAlreadyPresent");
        require(stopwatch() - begin < 390, "the pause was over");
        if (!mode) assert_true(info_of(primary, "master_repl_offset") == offset);
        assert_string_equal(lease_id(answer_within(waiter, 5000)), ID_B);
        long long taken = stopwatch() - begin;
        require(taken >= 398 && taken < 600, "it came after %lld ms", taken);
    }
}

/* A primary that may be cut off: the server would refuse such a grant to a client that asks for it now. */
TEST(time_grants_nothing_while_replicas_are_missing) {
    allow_short_leases();
    lease_setup();
    expect_ok(call(primary, "QUEUE.CREATE jobs"));
    acquire("box", "0.1", "BLOB cat");
    call(primary, "QUEUE.PUT jobs letter VISIBILITY 0.1");
    struct client *waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    struct client *hasty = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_C " BLOCK 0.3");
    struct client *worker = waiting("QUEUE.GET jobs BLOCK 0");
    configure(primary, "min-replicas-to-write", "9");
    expect_error(answer_within(hasty, 5000), "CONFLICT LeaseAlreadyPresent");
    expect_still_waiting(waiter);
    expect_still_waiting(worker);
    expect_error(call(primary, "LEASE.ACQUIRE box 60 BLOB cat"), "NOREPLICAS");
    expect_ok(call(primary, "CONFIG SET min-replicas-to-write 0"));
    assert_string_equal(lease_id(answer_within(waiter, 1000)), ID_B);
    expect_elements(answer_within(worker, 1000), 1);
}

static void save_and_await(const char *status) {
    call(primary, "BGSAVE");
    AWAIT(!info_of(primary, "rdb_bgsave_in_progress"));
    assert_string_equal(info_field(call(primary, "INFO persistence"), "rdb_last_bgsave_status"), status);
}

/* Where the file would be is a folder. */
TEST(time_grants_nothing_while_the_server_cannot_save) {
    const char *file = pool_print("%s/dump.rdb", primary->server->folder);
    allow_short_leases();
    lease_setup();
    unlink(file);
    assert_int_equal(mkdir(file, 0700), 0);
    configure(primary, "save", "3600 1");
    acquire("box", "1", "BLOB cat");
    struct client *waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    save_and_await("err");
    usleep(1100000);
    expect_still_waiting(waiter);
    expect_error(call(primary, "LEASE.ACQUIRE box 60 BLOB cat"), "MISCONF");
    assert_int_equal(rmdir(file), 0);
    save_and_await("ok");
    assert_string_equal(lease_id(answer_within(waiter, 1000)), ID_B);
}

static void limit_files(const struct server *server, rlim_t bytes) {
    const struct rlimit limit = {bytes, RLIM_INFINITY};
    assert_int_equal(prlimit(server->process, RLIMIT_FSIZE, &limit, NULL), 0);
}

/* Its file may not grow. That is an error to the server if it ignores the signal, as programs do that a test starts. */
TEST(time_grants_nothing_while_the_server_cannot_append) {
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    struct client *client = test_client(server_start("full", APPEND_ONLY_FILE("everysec")));
    signal(SIGXFSZ, before);
    configure(client, "holdfast.lease-min-seconds", "1");
    expect_etag(call(client, "CONTAINER.CREATE box"));
    expect_elements(call(client, "LEASE.ACQUIRE box 1"), 2);
    struct client *waiter = waiting_at(client->server, 0, "LEASE.ACQUIRE box 60 BLOCK 0");
    limit_files(client->server, 1);
    expect_etag(call(client, "CONTAINER.CREATE other"));
    AWAIT(!strcmp(info_field(call(client, "INFO persistence"), "aof_last_write_status"), "err"));
    usleep(1100000);
    expect_still_waiting(waiter);
    expect_error(call(client, "LEASE.ACQUIRE box 60"), "MISCONF");
    limit_files(client->server, RLIM_INFINITY);
    expect_elements(answer_within(waiter, 5000), 2);
}

TEST(a_pause_that_ends_early) {
    allow_short_leases();
    lease_setup();
    acquire("box", "0.5", "BLOB cat");
    struct client *waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    struct client *late = test_client(primary->server);
    expect_ok(call(primary, "CLIENT PAUSE 100000 WRITE"));
    send_line(late, "LEASE.ACQUIRE box 60 BLOB cat ID " ID_C);
    usleep(600000);
    expect_still_waiting(waiter);
    expect_still_waiting(late);
    expect_ok(call(primary, "CLIENT UNPAUSE"));
    assert_string_equal(lease_id(answer_within(waiter, 1000)), ID_B);
    expect_error(answer_within(late, 1000), "CONFLICT LeaseAlreadyPresent");
}

/* The transaction frees the lease and pauses everybody: who waits is served when the pause is over. */
TEST(a_transaction_that_pauses) {
    lease_setup();
    redisReply *dump = call(primary, "DUMP box");
    for (int way = 0; way < 2; way++) {
        struct client *waiter = stage();
        expect_ok(call(primary, "RESTORE other 0 %b REPLACE", dump->str, dump->len));
        long long begin = stopwatch();
        expect_ok(call(primary, "MULTI"));
        call_line(primary, way ? "RENAME other box" : "LEASE.RELEASE box " ID_A " BLOB cat");
        call(primary, "CLIENT PAUSE 200 WRITE");
        expect_elements(call(primary, "EXEC"), 2);
        assert_string_equal(lease_id(answer_within(waiter, 5000)), ID_B);
        require(stopwatch() - begin >= 198, "it came within the pause");
    }
}

/* Time runs out while the server is busy with something else. */
TEST(a_busy_server_serves_when_it_can) {
    allow_short_leases();
    lease_setup();
    acquire("box", "0.05", "BLOB cat");
    struct client *waiter = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_B " BLOCK 0");
    struct client *hasty = waiting("LEASE.ACQUIRE box 60 BLOB cat ID " ID_C " BLOCK 0.06");
    expect_ok(call(primary, "DEBUG SLEEP 0.2"));
    assert_string_equal(lease_id(answer_within(waiter, 100)), ID_B);
    expect_error(answer_within(hasty, 100), "CONFLICT LeaseAlreadyPresent");
}

TEST(a_transaction_serves_when_it_is_over) {
    struct client *waiter = stage();
    expect_ok(call(primary, "MULTI"));
    call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A);
    call(primary, "LEASE.GET box BLOB cat");
    redisReply *replies = expect_elements(call(primary, "EXEC"), 2);
    expect_ok(replies->element[0]);
    expect_text(field(replies->element[1], "state"), "available");
    expect_number(field(replies->element[1], "waiters"), 1);
    expect_b(waiter);
    /* What a transaction frees and takes itself was never free for others. */
    waiter = stage();
    expect_ok(call(primary, "MULTI"));
    call(primary, "LEASE.RELEASE box %s BLOB cat", ID_A);
    call(primary, "LEASE.ACQUIRE box 60 BLOB cat ID %s", ID_C);
    replies = expect_elements(call(primary, "EXEC"), 2);
    lease_id(replies->element[1]);
    expect_still_waiting(waiter);
    expect_ok(lease_play("LEASE.RELEASE box C", &on_blob));
    expect_b(waiter);
}

TEST(a_script_serves_when_it_is_over) {
    struct client *waiter = stage();
    redisReply *reply = call(primary, "EVAL %s 1 box %s",
                             "redis.call('LEASE.RELEASE', KEYS[1], ARGV[1], 'BLOB', 'cat') "
                             "return redis.call('LEASE.GET', KEYS[1], 'BLOB', 'cat')",
                             ID_A);
    expect_text(field(reply, "state"), "available");
    expect_b(waiter);
    waiter = stage();
    call(primary, "EVAL %s 1 box %s",
         "redis.call('LEASE.BREAK', KEYS[1], 'BLOB', 'cat', 'PERIOD', 0) "
         "redis.call('BLOB.DELETE', KEYS[1], 'cat') redis.call('BLOB.PUT', KEYS[1], 'cat', 'x')",
         ID_A);
    expect_b(waiter);
}

/* Inside of a transaction or a script nothing waits, for whatever it is and for however long. */
TEST(commands_in_scripts_and_transactions_never_wait) {
    static const char script[] =
        "local a = redis.pcall('LEASE.ACQUIRE', KEYS[1], 60, 'BLOB', 'cat', 'BLOCK', 0) "
        "local b = redis.pcall('BLOB.GET', KEYS[1], 'none', 'BLOCK', 0) "
        "return {a, b}";
    struct client *waiter = stage();
    const char *etag = reply_string(field(stat_of("box", "cat"), "etag"));
    expect_ok(call(primary, "MULTI"));
    call(primary, "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
    call(primary, "BLOB.GET box none BLOCK 0");
    call(primary, "BLOB.GET box cat IFNONEMATCH %s BLOCK 0", etag);
    redisReply *replies = expect_elements(call(primary, "EXEC"), 3);
    expect_error(replies->element[0], "CONFLICT LeaseAlreadyPresent");
    expect_error(replies->element[1], "NOTFOUND BlobNotFound");
    expect_null(replies->element[2]);
    replies = expect_elements(call(primary, "EVAL %s 1 box", script), 2);
    expect_error(replies->element[0], "CONFLICT LeaseAlreadyPresent");
    expect_error(replies->element[1], "NOTFOUND BlobNotFound");
    expect_still_waiting(waiter);
    assert_int_equal(waiters_at(primary), 1);
}

/* A client that waits may speak the other protocol, and the one that unblocks it may be in a transaction. */
TEST(waiters_of_all_kinds) {
    struct client *waiter = stage();
    struct wire *wire = wire_open_resp3(primary->server);
    struct words words = words_of_line("LEASE.ACQUIRE box 60 BLOB cat ID " ID_C " BLOCK 0");
    wire_send(wire, &words);
    await_waiters(primary, 2);
    expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    expect_b(waiter);
    expect_ok(lease_play("LEASE.RELEASE box B", &on_blob));
    redisReply *reply = expect_elements(wire_receive(wire), 2);
    expect_text(reply->element[0], ID_C);
    long long id;
    waiter = waiting_known("LEASE.ACQUIRE box 60 BLOB cat BLOCK 0", &id);
    expect_ok(call(primary, "MULTI"));
    call(primary, "CLIENT UNBLOCK %lld", id);
    call(primary, "LEASE.RELEASE box %s BLOB cat", ID_C);
    expect_elements(call(primary, "EXEC"), 2);
    expect_error(answer_of(waiter), "CONFLICT LeaseAlreadyPresent");
}

/* What was sent behind the command that waits comes after its answer. */
TEST(commands_behind_one_that_waits) {
    stage();
    struct client *client = test_client(primary->server);
    send_call(client, "LEASE.ACQUIRE box 60 BLOB cat ID %s BLOCK 0", ID_C);
    send_call(client, "BLOB.PUT box cat by-c LEASE %s", ID_C);
    send_call(client, "LEASE.RELEASE box %s BLOB cat", ID_C);
    send_line(client, "LEASE.ACQUIRE box 60 BLOB cat ID " ID_A " BLOCK 0");
    await_waiters(primary, 2);
    expect_ok(lease_play("LEASE.RELEASE box A", &on_blob));
    expect_ok(lease_play("LEASE.RELEASE box B", &on_blob));
    assert_string_equal(lease_id(answer_within(client, 1000)), ID_C);
    expect_etag(receive(client));
    expect_ok(receive(client));
    assert_string_equal(lease_id(receive(client)), ID_A);
    expect_text(call(primary, "BLOB.GET box cat")->element[1], "by-c");
}

/* --- Other roles, and the end: on servers of their own ---------------------------------------------------- */

static struct client *first, *second;

static void single_setup(void) {
    expect_etag(call(first, "CONTAINER.CREATE box"));
    expect_etag(call(first, "BLOB.PUT box cat meow"));
    lease_id(call(first, "LEASE.ACQUIRE box 60 BLOB cat ID %s", ID_A));
}

static void two_servers(void) {
    pair_start(&first, &second, "");
    single_setup();
    await_in_step(second, first);
}

TEST(a_primary_that_becomes_a_replica_lets_all_go) {
    two_servers();
    struct client *waiter = waiting_at(first->server, 0, "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
    struct client *reader = waiting_at(first->server, 0, "BLOB.GET box none BLOCK 0");
    expect_ok(call(second, "REPLICAOF NO ONE"));
    expect_ok(call(first, "REPLICAOF 127.0.0.1 %d", second->server->port));
    expect_error(answer_within(waiter, 5000), "UNBLOCKED");
    expect_error(answer_within(reader, 5000), "UNBLOCKED");
    assert_int_equal(waiters_at(first), 0);
    await_in_step(first, second);
    expect_ok(call(second, "LEASE.RELEASE box %s BLOB cat", ID_A));
    await_in_step(first, second);
    require_same(first, second, "after the change of roles");
    expect_error(call(first, "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0"), "READONLY");
}

TEST(a_failover_lets_all_go) {
    two_servers();
    struct client *waiter = waiting_at(first->server, 0, "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
    expect_ok(call(first, "FAILOVER TIMEOUT 10000"));
    expect_error(answer_within(waiter, 10000), "UNBLOCKED");
    await_in_step(first, second);
    assert_int_equal(waiters_at(first), 0);
    /* At the new one the lease is held, and can be waited for. */
    waiter = waiting_at(second->server, 0, "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0");
    expect_ok(call(second, "LEASE.RELEASE box %s BLOB cat", ID_A));
    lease_id(answer_within(waiter, 1000));
    await_in_step(first, second);
    require_same(first, second, "after the failover");
}

TEST(a_shutdown_with_a_line) {
    first = test_client(server_start("single", "appendonly yes\nappendfsync always\n"));
    single_setup();
    for (int i = 0; i < 20; i++) {
        waiting_at(first->server, 0,
                   i % 2 ? "LEASE.ACQUIRE box 60 BLOB cat BLOCK 0" : "BLOB.GET box none BLOCK 0");
    }
    first = restarted_as_it_was(first, server_stop);
    assert_int_equal(waiters_at(first), 0);
    lease_id(call(first, "LEASE.RENEW box %s BLOB cat", ID_A));
}
