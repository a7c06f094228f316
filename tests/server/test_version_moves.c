/* Versions of keys that move between servers: they stay new wherever a key lives, also when what had the newest ones
 * was deleted before, and when both servers have begun the same epoch. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "payload.h"
#include "pool.h"
#include "records.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "text.h"

/* --- Versions --- */

/* The greatest version anywhere in a reply. */
static const char *newest_in(const redisReply *reply, const char *before) {
    for (size_t i = 0; i < reply->elements; i++) before = newest_in(reply->element[i], before);
    bool is_version = reply->type == REDIS_REPLY_STRING && reply->len == 18 && text_begins(reply->str, "0x");
    return is_version && strcmp(reply->str, before) > 0 ? reply->str : before;
}

/* Sends lines that are separated by semicolons; answers the newest version in their replies. */
static const char *play(struct client *client, const char *lines) {
    const char *newest = "";
    for (char *line = strtok(pool_copy(lines, strlen(lines)), ";"); line; line = strtok(NULL, ";")) {
        redisReply *reply = call_line(client, line);
        require(!reply_is_error(reply), "%s gave %s", line, reply_text(reply));
        newest = newest_in(reply, newest);
    }
    return newest;
}

static void require_newer(const char *what, const char *version, const char *before) {
    require(strcmp(version, before) > 0, "%s: %s is not greater than %s", what, version, before);
}

static long long epoch_of(struct client *client) {
    return info_of(client, "holdfast_version_epoch");
}

static unsigned long long number_of(const char *version) {
    return strtoull(version, NULL, 16);
}

/* --- Kinds of values --- */

/* What makes a value under the key `k`, what gives something in it a version, and what takes that away again. */
static const struct kind {
    const char *name, *create, *write, *erase;
} kinds[] = {
    {"ETags of blobs", "CONTAINER.CREATE k", "BLOB.PUT k plan x", "BLOB.DELETE k plan"},
    {"snapshots of blobs", "CONTAINER.CREATE k", "BLOB.PUT k plan x;BLOB.SNAPSHOT k plan",
     "BLOB.DELETE k plan SNAPSHOTS INCLUDE"},
    {"tokens of leases on containers", "CONTAINER.CREATE k", "LEASE.ACQUIRE k 60 ID " ID_A,
     "LEASE.RELEASE k " ID_A},
    {"tokens of leases on blobs", "CONTAINER.CREATE k",
     "BLOB.PUT k plan x;LEASE.ACQUIRE k 60 ID " ID_A " BLOB plan", "BLOB.DELETE k plan LEASE " ID_A},
    {"ETags of entities", "TABLE.CREATE k", "TABLE.INSERT k p r PROPS 1 n 1", "TABLE.DELETE k p r IFMATCH *"},
    {"ETags of files", "SHARE.CREATE k", "FILE.CREATE k plan 10", "FILE.DELETE k plan"},
    {"snapshots of shares", "SHARE.CREATE k", "SHARE.SNAPSHOT k", "SHARE.CREATE other;DEL other"},
    {"tokens of leases on files", "SHARE.CREATE k",
     "FILE.CREATE k plan 10;LEASE.ACQUIRE k -1 ID " ID_A " FILE plan", "FILE.DELETE k plan LEASE " ID_A},
};

enum { KINDS = ARRAY_SIZE(kinds) };

static void migrate(struct client *from, struct client *to) {
    expect_ok(call(from, "MIGRATE 127.0.0.1 %d k 0 5000", to->server->port));
}

/* A server that begins its epoch so many seconds above the primary's. */
static struct client *later_server(long long seconds) {
    play(primary, "CONTAINER.CREATE begun;DEL begun");
    long long offset_ms = (epoch_of(primary) + seconds) * 1000 - (long long)time(NULL) * 1000;
    return test_client(server_start("later", pool_print("holdfast.clock-offset-ms %lld\n", offset_ms)));
}

/* --- Scenes --- */

/* Epochs in which a server does nothing that stays. */
static void pass_epochs(struct client *client, int epochs) {
    while (epochs--) {
        expect_ok(call(client, "DEBUG RELOAD"));
        play(client, "CONTAINER.CREATE begun;DEL begun");
    }
}

/* What is written and deleted so many epochs after its key was made, and then moves to the primary. */
static void move_what_was_deleted(int epochs) {
    struct client *later = later_server(60);
    for (int i = 0; i < KINDS; i++) {
        const struct kind *kind = &kinds[i];
        play(later, kind->create);
        pass_epochs(later, epochs);
        const char *old = play(later, kind->write);
        play(later, kind->erase);
        migrate(later, primary);
        require_newer(kind->name, play(primary, kind->write), old);
        expect_number(call(primary, "DEL k"), 1);
    }
}

TEST(a_moved_key_gets_newer_etags_than_it_had) {
    move_what_was_deleted(0);
}

/* The value itself never had a version of the epoch in which its content was written and deleted. */
TEST(etags_of_content_deleted_before_the_dump_count) {
    move_what_was_deleted(3);
}

TEST(a_stale_etag_does_not_match_behind_a_move) {
    struct client *later = later_server(60);
    play(later, "CONTAINER.CREATE k");
    const char *etag = play(later, "BLOB.PUT k plan old");
    play(later, "BLOB.DELETE k plan");
    migrate(later, primary);
    const char *next = expect_etag(call(primary, "BLOB.PUT k plan new IFNONEMATCH *"));
    require_newer("the new one", next, etag);
    expect_error(call(primary, "BLOB.PUT k plan stale IFMATCH %s", etag), "PRECONDITION ConditionNotMet");
}

TEST(versions_stay_new_after_a_move_there_and_back) {
    struct client *later = later_server(60);
    for (int i = 0; i < KINDS; i++) {
        const struct kind *kind = &kinds[i];
        struct client *here = primary, *there = later;
        const char *last = play(here, kind->create);
        for (int round = 0; round < 30; round++) {
            const char *next = play(here, kind->write);
            require_newer(kind->name, next, last);
            last = next;
            play(here, kind->erase);
            migrate(here, there);
            struct client *back = here;
            here = there;
            there = back;
        }
        expect_number(call(here, "DEL k"), 1);
    }
}

/* Both go on with a copy each: no version that one gives is given by the other one, too. */
static void require_apart(const char *what, struct client *one, struct client *other,
                          const struct kind *kind) {
    enum { ROUNDS = 50 };
    const char *given[2][ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        given[0][round] = play(one, kind->write);
        given[1][round] = play(other, kind->write);
        play(one, kind->erase);
        play(other, kind->erase);
    }
    for (int a = 0; a < ROUNDS; a++)
        for (int b = 0; b < ROUNDS; b++)
            require(strcmp(given[0][a], given[1][b]) != 0, "%s, %s: both give %s", what, kind->name,
                    given[0][a]);
}

TEST(versions_of_copies_are_told_apart) {
    struct client *later = later_server(60);
    for (int i = 0; i < KINDS; i++) {
        play(later, kinds[i].create);
        play(later, kinds[i].write);
        play(later, kinds[i].erase);
        redisReply *dump = call(later, "DUMP k");
        expect_ok(call(primary, "RESTORE k 0 %b", dump->str, dump->len));
        require_apart("a copy", primary, later, &kinds[i]);
        expect_ok(call(primary, "RESTORE k 0 %b REPLACE", dump->str, dump->len));
        require_apart("an old copy", primary, later, &kinds[i]);
        expect_number(call(primary, "DEL k"), 1);
        expect_number(call(later, "DEL k"), 1);
    }
}

/* Both have seen the same payload and then begun an epoch: it is the same one. */
static void begin_the_same_epoch(struct client *one, struct client *other, int seconds) {
    struct client *future = later_server(seconds);
    play(future, "CONTAINER.CREATE seed");
    redisReply *dump = call(future, "DUMP seed");
    struct client *const both[] = {one, other};
    for (int i = 0; i < 2; i++) {
        expect_ok(call(both[i], "RESTORE seed 0 %b REPLACE", dump->str, dump->len));
        expect_ok(call(both[i], "DEBUG RELOAD"));
        play(both[i], "CONTAINER.CREATE begun;DEL begun seed");
    }
    require(epoch_of(one) == epoch_of(other), "%lld and %lld", epoch_of(one), epoch_of(other));
}

/* The one whose count is greater gives the key to the other one, whose next version would be smaller or, had it gone on
 * behind what it met, the one that the giver gives next. */
TEST(servers_with_equal_epochs_stay_apart) {
    struct client *one = test_client(server_start("one", "")),
                  *other = test_client(server_start("other", ""));
    for (int i = 0; i < KINDS; i++) {
        const struct kind *kind = &kinds[i];
        call(one, "FLUSHALL");
        call(other, "FLUSHALL");
        begin_the_same_epoch(one, other, 3600 * (i + 1));
        bool first_is_ahead =
            number_of(play(one, "CONTAINER.CREATE c")) > number_of(play(other, "CONTAINER.CREATE c"));
        struct client *giver = first_is_ahead ? one : other, *taker = first_is_ahead ? other : one;
        play(giver, kind->create);
        const char *old = play(giver, kind->write);
        play(giver, kind->erase);
        redisReply *dump = call(giver, "DUMP k");
        expect_ok(call(taker, "RESTORE k 0 %b", dump->str, dump->len));
        require_newer(kind->name, play(taker, kind->write), old);
        play(taker, kind->erase);
        require(epoch_of(taker) == epoch_of(giver) + 1, "%s: epoch %lld behind %lld", kind->name,
                epoch_of(taker), epoch_of(giver));
        require_apart("equal epochs", one, other, kind);
    }
}

TEST(many_restores_begin_no_epochs) {
    struct client *later = later_server(60);
    play(primary, "CONTAINER.CREATE k");
    redisReply *own = call(primary, "DUMP k");
    long long epoch = epoch_of(primary);
    for (int round = 0; round < 300; round++) {
        expect_ok(call(primary, "RESTORE k 0 %b REPLACE", own->str, own->len));
        play(primary, "BLOB.PUT k plan x");
    }
    require(epoch_of(primary) == epoch, "own payloads: %lld, then %lld", epoch, epoch_of(primary));
    play(later, "CONTAINER.CREATE k");
    for (int round = 0; round < 300; round++) {
        play(later, "BLOB.PUT k plan x");
        redisReply *dump = call(later, "DUMP k");
        expect_ok(call(primary, "RESTORE k 0 %b REPLACE", dump->str, dump->len));
        play(primary, "BLOB.PUT k plan x");
    }
    require(epoch_of(primary) == epoch_of(later) + 1, "%lld behind %lld", epoch_of(primary), epoch_of(later));
}

/* What came with a payload is known to replicas, and to a replica that is promoted behind a clock a day late. */
TEST(a_promoted_replica_knows_what_moved_in) {
    struct client *later = later_server(60);
    struct client *heir = test_client(server_start("heir", "holdfast.clock-offset-ms -86400000\n"));
    follow(heir, primary);
    play(later, "CONTAINER.CREATE k");
    const char *old = play(later, "BLOB.PUT k plan x");
    play(later, "BLOB.DELETE k plan");
    migrate(later, primary);
    await_in_step(heir, primary);
    assert_string_equal(value_digest(heir, "k"), value_digest(primary, "k"));
    expect_ok(call(heir, "REPLICAOF NO ONE"));
    require_newer("the heir", play(heir, "BLOB.PUT k plan x"), old);
    require_newer("the heir's epoch", pool_print("%lld", epoch_of(heir)),
                  pool_print("%lld", epoch_of(primary)));
}

/* A replica sees others' epochs all the time, and a load does: neither begins any. */
TEST(replicas_begin_no_epochs) {
    play(primary, "CONTAINER.CREATE k");
    for (int round = 0; round < 50; round++) play(primary, "BLOB.PUT k plan x");
    await_replicas();
    assert_int_equal(epoch_of(replica), epoch_of(primary));
    assert_int_equal(epoch_of(chained), epoch_of(primary));
    assert_string_equal(value_digest(replica, "k"), value_digest(primary, "k"));
}

/* What is saved tells the newest version also if nothing that has it is left, and the clock has gone back meanwhile. */
static void save_and_go_back(const char *settings, const char *save) {
    struct server *server =
        server_start("single", pool_print("%sholdfast.clock-offset-ms 60000\n", settings));
    struct client *client = test_client(server);
    play(client, "CONTAINER.CREATE k");
    const char *old = "";
    for (int life = 0; life < 3; life++) {
        expect_ok(call(client, "DEBUG RELOAD"));
        old = play(client, "BLOB.PUT k plan x");
        play(client, "BLOB.DELETE k plan");
    }
    play(client, save);
    await_settled_files(client);
    server_kill(server);
    server_set(server, settings);
    server_restart(server);
    require_newer(save, play(test_client(server), "BLOB.PUT k plan x"), old);
}

TEST(files_tell_the_newest_version) {
    save_and_go_back("appendonly yes\naof-use-rdb-preamble no\n", "BGREWRITEAOF");
    save_and_go_back("appendonly yes\naof-use-rdb-preamble yes\n", "BGREWRITEAOF");
    save_and_go_back("save \"\"\n", "SAVE");
}

/* The last records of a payload, made by hand. */
static const struct ending {
    const char *what;
    long long years; /* ahead of the clock */
    bool taken;
} endings[] = {
    {"of long ago", -40, true},          {"of today", 0, true},
    {"nine years ahead", 9, true},       {"of eleven years ahead", 11, false},
    {"of fifty years ahead", 50, false},
};

static const char *const wrong[][3] = {
    {NULL}, {"V1234567"}, {"V123456789"}, {"V1111111\x01", "V1111111\x01"}, {"V1111111\x01", "C"}};

static redisReply *restore_records(const redisReply *dump, const struct records *records) {
    struct text payload = records_payload(dump, records);
    payload_sign(payload.bytes, payload.length);
    return call(primary, "RESTORE k 0 %b REPLACE", payload.bytes, payload.length);
}

TEST(versions_in_a_payload_are_checked) {
    configure(primary, "rdbcompression", "no");
    play(primary, "CONTAINER.CREATE k");
    redisReply *dump = call(primary, "DUMP k");
    struct records *records = records_of(dump);
    long long now_s = server_time() / 1000;
    records->count -= 2;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        size_t whole = records->count;
        for (const char *const *record = wrong[i]; *record; record++)
            records_add(records, *record, strlen(*record));
        records_add(records, "", 0);
        assert_true(reply_is_error(restore_records(dump, records)));
        records->count = whole;
    }
    for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
        unsigned long long epoch = (unsigned long long)(now_s + endings[i].years * 31557600);
        records_end(records, epoch << 32 | 5);
        long long before = epoch_of(primary);
        redisReply *reply = restore_records(dump, records);
        records->count -= 2;
        require(reply_is_error(reply) != endings[i].taken, "%s: %s", endings[i].what, reply_text(reply));
        bool rises = endings[i].taken && (long long)epoch > before;
        assert_int_equal(epoch_of(primary), rises ? (long long)epoch : before);
    }
}

/* A server that never gave any has nothing to tell, and is believed. */
TEST(a_server_without_versions_tells_none) {
    struct client *young = test_client(server_start("young", "appendonly yes\naof-use-rdb-preamble no\n"));
    play(young, "QUEUE.CREATE k;QUEUE.PUT k x");
    assert_int_equal(epoch_of(young), 0);
    redisReply *dump = call(young, "DUMP k");
    expect_ok(call(young, "RESTORE k 0 %b REPLACE", dump->str, dump->len));
    rewrite_append_only_file(young, false);
    young = restarted(young->server, server_kill);
    expect_number(call(young, "EXISTS k"), 1);
    migrate(young, primary);
    expect_number(call(primary, "EXISTS k"), 1);
}

/* As far as the clock may be moved, what is written can be read again. */
TEST(a_moved_clock_loses_nothing) {
    static const char *const offsets[] = {"1577880000000", "-1577880000000"};
    static const char *const ways[] = {"appendonly yes\nappendfsync always\n", "save \"\"\n"};
    for (int i = 0; i < 4; i++) {
        struct server *server =
            server_start("moved", pool_print("%sholdfast.clock-offset-ms %s\n", ways[i / 2], offsets[i % 2]));
        struct client *client = test_client(server);
        for (int at = 0; at < KINDS; at++) {
            play(client, kinds[at].create);
            play(client, kinds[at].write);
            expect_ok(call(client, "RENAME k k%d", at));
        }
        play(client, "QUEUE.CREATE q;QUEUE.PUT q x");
        const char *digest = digest_of(client);
        if (i / 2) play(client, "SAVE");
        client = restarted(server, server_kill);
        assert_string_equal(digest_of(client), digest);
        expect_number(call(client, "DBSIZE"), KINDS + 1);
        server_stop(server);
    }
    expect_error(
        call(primary, "CONFIG SET holdfast.clock-offset-ms 1577880000001"),
        "ERR CONFIG SET failed (possibly related to argument 'holdfast.clock-offset-ms') - argument must be "
        "between -1577880000000 and 1577880000000 inclusive");
    assert_true(reply_is_error(call(primary, "CONFIG SET holdfast.clock-offset-ms -1577880000001")));
}
