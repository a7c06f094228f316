/* The moments in which somebody begins or ceases to listen: an append-only file that is switched on, a
 * replica that comes, goes and comes back. Whatever is written at such a moment must reach the listener as an
 * effect or within the picture of the data that it gets, never twice and never in another form. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "stream.h"

/* The server looks at its own state rarely, so that whatever is remembered too long shows. */
static const char drowsy[] = "hz 1\nappendfsync always\nauto-aof-rewrite-percentage 0\n";

enum { WRITES = 40 };

static struct client *lone_client(const char *settings) {
    struct server *server = server_start("single", pool_print("%s%s", drowsy, settings));
    return test_client(server);
}

static int send_writes(struct client *client) {
    static int round;
    round++;
    for (int i = 0; i < WRITES; i++) send_call(client, "BLOB.PUT box %d round-%d", i % (WRITES / 2), round);
    send_call(client, "BLOB.SETMETA box 1 META 1 round %d", round);
    send_call(client, "BLOB.DELETE box 2");
    return WRITES + 2;
}

static void receive_all(struct client *client, int count) {
    for (int i = 0; i < count; i++) {
        redisReply *reply = receive(client);
        require(!reply_is_error(reply), "a write gave %s", reply_text(reply));
    }
}

static void write_much(struct client *client) {
    receive_all(client, send_writes(client));
}

static void require_file_has_all(struct client *client) {
    await_settled_files(client);
    const char *digest = digest_of(client);
    struct client *again = restarted(client->server, server_kill);
    require(!strcmp(digest_of(again), digest), "the file has something else");
}

/* All in one go, so that nothing but the commands themselves tells the server. */
TEST(a_file_that_is_switched_on_between_writes) {
    struct client *client = lone_client("");
    expect_etag(call(client, "CONTAINER.CREATE box"));
    int sent = send_writes(client);
    send_call(client, "CONFIG SET appendonly yes");
    sent += 1 + send_writes(client);
    receive_all(client, sent);
    /* The file is what the next start goes by. */
    expect_ok(call(client, "CONFIG REWRITE"));
    await_settled_files(client);
    const char *digest = digest_of(client);
    expect_ok(call(client, "DEBUG LOADAOF"));
    require(!strcmp(digest_of(client), digest), "the file has something else");
}

TEST(a_file_that_is_switched_off_and_on) {
    struct client *client = lone_client("appendonly yes\n");
    expect_etag(call(client, "CONTAINER.CREATE box"));
    write_much(client);
    int sent = send_writes(client);
    send_call(client, "CONFIG SET appendonly no");
    sent += 1 + send_writes(client);
    send_call(client, "CONFIG SET appendonly yes");
    sent += 1 + send_writes(client);
    receive_all(client, sent);
    require_file_has_all(client);
}

static bool link_is_up(struct client *follower) {
    return !strcmp(info_field(call(follower, "INFO replication"), "master_link_status"), "up");
}

/* Writes go on while the replica connects, gets its picture and catches up. */
static void follow_among_writes(struct client *follower, struct client *leader) {
    int sent = send_writes(leader);
    expect_ok(call(follower, "REPLICAOF 127.0.0.1 %d", leader->server->port));
    receive_all(leader, sent);
    AWAIT((write_much(leader), link_is_up(follower)));
    write_much(leader);
    await_in_step(follower, leader);
    require_same(leader, follower, "after a synchronisation among writes");
}

static void play_replica(const char *leader_settings) {
    struct client *leader = lone_client(leader_settings);
    struct client *follower = lone_client("");
    expect_etag(call(leader, "CONTAINER.CREATE box"));
    write_much(leader);
    follow_among_writes(follower, leader);
    /* Gone, with writes that wait for it in the backlog, and back again. */
    expect_number(call(leader, "CLIENT KILL TYPE replica"), 1);
    write_much(leader);
    await_in_step(follower, leader);
    require_same(leader, follower, "after a broken link");
}

TEST(a_replica_that_comes_among_writes) {
    play_replica("");
}

TEST(a_replica_that_comes_without_a_file_among_writes) {
    play_replica("repl-diskless-sync yes\nrepl-diskless-sync-delay 1\n");
}

/* When the backlog is given up nobody listens any more, until the replica comes back for a whole picture. */
TEST(a_replica_that_comes_back_late) {
    struct client *leader = lone_client("repl-backlog-ttl 1\n");
    struct client *follower = lone_client("");
    expect_etag(call(leader, "CONTAINER.CREATE box"));
    follow_among_writes(follower, leader);
    expect_ok(call(follower, "REPLICAOF NO ONE"));
    await_info(leader, "repl_backlog_active", 0);
    write_much(leader);
    follow_among_writes(follower, leader);
}

/* The one that led follows the one that followed, and the other way round again. */
TEST(servers_that_change_places_among_writes) {
    struct client *one = lone_client("");
    struct client *other = lone_client("");
    expect_etag(call(one, "CONTAINER.CREATE box"));
    follow_among_writes(other, one);
    for (int round = 0; round < 2; round++) {
        struct client *leader = round % 2 ? one : other;
        struct client *follower = round % 2 ? other : one;
        int sent = 1;
        send_call(leader, "REPLICAOF NO ONE");
        sent += send_writes(leader);
        receive_all(leader, sent);
        follow_among_writes(follower, leader);
    }
}

/* The stream is attached by hand: what was written before belongs to the picture, what comes after to the stream. */
TEST(a_stream_begins_with_the_first_write_after_it) {
    struct client *client = lone_client("");
    expect_etag(call(client, "CONTAINER.CREATE box"));
    write_much(client);
    struct stream *stream = stream_attach(client->server);
    expect_etag(call(client, "BLOB.PUT box cat meow"));
    stream_expect(stream, client, "HOLDFAST.APPLY box");
}
