/* What bookmarks outlive, and what takes changes back, which a follower has to be told: older states that return under
 * the key, failovers, servers that know nothing of each other. */
#include <string.h>

#include "feeds.h"
#include "harness.h"
#include "pool.h"
#include "probes.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "waiting.h"

TEST(bookmarks_outlive_copies_and_moves) {
    followed_box("KEEP 10");
    put("box", "a", "x");
    put("box", "b", "x");
    const char *mark = bookmark_of(changes("$"));
    delete_blob("a");
    put("box", "c", "x");
    redisReply *before = changes(mark);
    pass_through_copies("box");
    require(reply_same(changes(mark), before), "another answer after COPY, RENAME and RESTORE");
    expect_ok(call(primary, "DEBUG RELOAD"));
    require(reply_same(changes(mark), before), "another answer after a reload");
    await_replicas();
    require(reply_same(changes_at(replica, mark, ""), before), "another answer at the replica");
    put("box", "d", "x");
    expect_told(changes(mark), "-a c d");
}

/* Its ETag is newer than the feed, which does not tell of snapshots. */
TEST(a_snapshot_with_metadata_of_its_own_outlives_files) {
    followed_box("");
    put("box", "a", "x");
    require(!reply_is_error(call(primary, "BLOB.SNAPSHOT box a META 1 k v")), "a snapshot");
    redisReply *before = changes("0"), *listed = call(primary, "BLOB.LIST box INCLUDE 2 SNAPSHOTS META");
    pass_through_copies("box");
    expect_ok(call(primary, "DEBUG RELOAD"));
    require(reply_same(changes("0"), before), "another answer after the reload");
    require(reply_same(call(primary, "BLOB.LIST box INCLUDE 2 SNAPSHOTS META"), listed), "another list");
    put("box", "b", "x");
    expect_told(changes(bookmark_of(before)), "b");
}

/* A payload from before the newest changes takes them back: who has seen them must not go on as if nothing was. */
TEST(a_follower_learns_of_a_restored_older_state) {
    followed_box("");
    put("box", "a", "x");
    redisReply *payload = call(primary, "DUMP box");
    const char *seen = put("box", "b", "x");
    expect_ok(call(primary, "RESTORE box 0 %b REPLACE", payload->str, payload->len));
    put("box", "c", "x");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
}

/* The newest state has come with its database. */
TEST(a_follower_learns_of_a_restored_older_state_behind_a_swap_of_databases) {
    followed_box("");
    put("box", "a", "x");
    redisReply *payload = call(primary, "DUMP box");
    const char *seen = put("box", "b", "x");
    expect_ok(call(primary, "SWAPDB 0 1"));
    expect_ok(call(primary, "SELECT 1"));
    expect_ok(call(primary, "RESTORE box 0 %b REPLACE", payload->str, payload->len));
    put("box", "c", "x");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
    expect_ok(call(primary, "SELECT 0"));
}

/* The older state is there under another name before it comes back. */
static void expect_loss_by(const char *bring_back) {
    followed_box("");
    put("box", "a", "x");
    expect_number(call(primary, "COPY box older"), 1);
    const char *kept = of_container(primary, "change"), *seen = put("box", "b", "x");
    require(!reply_is_error(call_line(primary, bring_back)), "%s", bring_back);
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
    put("box", "c", "x");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
    expect_told(changes(kept), "c");
}

TEST(a_follower_learns_of_an_older_copy) {
    expect_loss_by("COPY older box REPLACE");
}

TEST(a_follower_learns_of_an_older_copy_that_is_renamed) {
    expect_loss_by("RENAME older box");
}

TEST(a_follower_learns_of_an_older_copy_that_comes_where_nothing_is) {
    followed_box("");
    expect_number(call(primary, "COPY box older"), 1);
    const char *seen = put("box", "b", "x");
    expect_number(call(primary, "DEL box"), 1);
    expect_number(call(primary, "COPY older box"), 1);
    put("box", "c", "x");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
}

static void restore(const char *key, const redisReply *payload) {
    expect_ok(call(primary, "RESTORE %s 0 %b REPLACE", key, payload->str, payload->len));
}

/* Each epoch that begins is one of the few whose ends the feeds of all keys remember. */
static void expect_others_go_on(const char *key, const char *create, const char *follow, const char *write) {
    followed_box("");
    require(!reply_is_error(call_line(primary, create)), "%s", create);
    expect_ok(call_line(primary, follow));
    const char *begin = bookmark_of(changes("$"));
    long long epoch = info_of(primary, "holdfast_version_epoch");
    for (int round = 0; round < 20; round++) {
        require(!reply_is_error(call_line(primary, write)), "%s", write);
        redisReply *payload = call(primary, "DUMP %s", key);
        expect_number(call(primary, "COPY %s copy%d", key, round), 1);
        expect_number(call(primary, "COPY %s backup REPLACE", key), 1);
        restore(pool_print("restored%d", round), payload);
        restore(key, payload);
        put("box", "a", "x");
    }
    expect_told(changes(begin), "a");
    /* One of the forty names may have the hash of another one, which costs an epoch once. */
    assert_true(info_of(primary, "holdfast_version_epoch") <= epoch + 1);
}

TEST(copies_and_latest_states_of_a_container_cost_other_followers_nothing) {
    expect_others_go_on("chest", "CONTAINER.CREATE chest", "CONTAINER.FEED chest ON", "BLOB.PUT chest b x");
}

TEST(copies_and_latest_states_of_a_table_cost_other_followers_nothing) {
    expect_others_go_on("t", "TABLE.CREATE t", "TABLE.FEED t ON", "TABLE.INSERTORREPLACE t p r PROPS 0");
}

/* Nor does a container that takes the place of another one, each time anew. */
TEST(what_is_published_again_and_again_costs_other_followers_nothing) {
    followed_box("");
    const char *begin = bookmark_of(changes("$"));
    for (const char *names[] = {"live", "draft"}, **name = names; name < names + 2; name++) {
        create(*name);
        expect_ok(call(primary, "CONTAINER.FEED %s ON", *name));
    }
    put("live", "a", "x");
    long long epoch = info_of(primary, "holdfast_version_epoch");
    for (int round = 0; round < 20; round++) {
        const char *seen = put("live", "a", "x");
        put("draft", "b", "x");
        expect_number(call(primary, "COPY draft live REPLACE"), 1);
        AWAIT(strstr(reply_text(call(primary, "CONTAINER.CHANGES live SINCE %s", seen)), "whole from"));
        put("box", "a", "x");
    }
    expect_told(changes(begin), "a");
    assert_int_equal(info_of(primary, "holdfast_version_epoch"), epoch);
}

/* Versions from a time without a feed, and then a state comes back that has one. */
TEST(a_follower_learns_of_a_restored_older_state_where_the_feed_was_off) {
    followed_box("");
    redisReply *payload = call(primary, "DUMP box");
    expect_ok(call(primary, "CONTAINER.FEED box OFF"));
    const char *seen = put("box", "a", "x");
    restore("box", payload);
    put("box", "b", "x");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
    create("other");
    payload = call(primary, "DUMP box");
    expect_ok(call(primary, "CONTAINER.FEED box OFF"));
    put("other", "a", "x");
    const char *change = of_container(primary, "change");
    restore("box", payload);
    put("box", "c", "x");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", change), LOST);
}

/* "c" is written between two pages. The payload brings it back in a state that the pages have passed. */
static void expect_loss_between_pages(const char *from) {
    followed_box("");
    const char *begin = bookmark_of(changes(from));
    for (const char *blobs[] = {"a", "c", "b", "d"}, **blob = blobs; blob < blobs + 4; blob++)
        put("box", *blob, "x");
    redisReply *payload = call(primary, "DUMP box");
    redisReply *page = changes_at(primary, *from == '$' ? begin : from, "COUNT 1");
    expect_told(page, "a");
    put("box", "c", "y");
    page = changes_at(primary, bookmark_of(page), "COUNT 1");
    expect_told(page, "b");
    expect_ok(call(primary, "RESTORE box 0 %b REPLACE", payload->str, payload->len));
    put("box", "e", "x");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", bookmark_of(page)), LOST);
}

TEST(a_follower_between_two_pages_learns_of_a_restored_older_state) {
    expect_loss_between_pages("$");
}

TEST(a_walk_learns_between_two_pages_of_a_restored_older_state) {
    expect_loss_between_pages("0");
}

/* After a failover that lost the newest change of "c", the new primary's pages are about to tell it. The old one, which
 * has not heard of that, has it elsewhere, and its pages would pass it. */
static void expect_nothing_from_one_behind(const char *from) {
    struct client *first, *second;
    pair_start(&first, &second, "");
    expect_etag(call(first, "CONTAINER.CREATE box"));
    expect_ok(call(first, "CONTAINER.FEED box ON"));
    const char *begin = bookmark_of(changes_at(first, "$", ""));
    for (const char *blobs[] = {"a", "c", "b", "d"}, **blob = blobs; blob < blobs + 4; blob++)
        expect_etag(call(first, "BLOB.PUT box %s x", *blob));
    await_in_step(second, first);
    expect_ok(call(second, "REPLICAOF 127.0.0.1 1"));
    expect_etag(call(first, "BLOB.PUT box c y"));
    expect_ok(call(second, "REPLICAOF NO ONE"));
    expect_ok(call(first, "REPLICAOF 127.0.0.1 1"));
    expect_etag(call(second, "BLOB.PUT box e x"));
    redisReply *page = changes_at(second, *from == '$' ? begin : from, "COUNT 1");
    expect_told(page, "a");
    const char *mark = bookmark_of(page);
    page = changes_at(first, mark, "COUNT 2 BLOCK 0.05");
    expect_told(page, "");
    assert_string_equal(bookmark_of(page), mark);
    follow(first, second);
    expect_told(changes_at(first, mark, "COUNT 2"), "c b");
}

TEST(a_replica_tells_a_follower_nothing_of_a_state_before_his_last_page) {
    expect_nothing_from_one_behind("$");
}

TEST(a_replica_tells_a_walk_nothing_of_a_state_before_its_last_page) {
    expect_nothing_from_one_behind("0");
}

TEST(a_failover_that_lost_a_tail_is_told) {
    struct client *first, *second;
    pair_start(&first, &second, "");
    expect_etag(call(first, "CONTAINER.CREATE box"));
    expect_ok(call(first, "CONTAINER.FEED box ON"));
    const char *kept = expect_etag(call(first, "BLOB.PUT box a x"));
    await_in_step(second, first);
    expect_ok(call(second, "REPLICAOF 127.0.0.1 1"));
    const char *lost = expect_etag(call(first, "BLOB.PUT box b x"));
    expect_told(changes_at(second, lost, ""), ""); /* a replica may be behind */
    server_kill(first->server);
    expect_ok(call(second, "REPLICAOF NO ONE"));
    expect_error(call(second, "CONTAINER.CHANGES box SINCE %s", lost), LOST);
    expect_error(call(second, "CONTAINER.CHANGES box SINCE %s BLOCK 0", lost), LOST);
    expect_told(changes_at(second, kept, ""), "");
    expect_etag(call(second, "BLOB.PUT box c x"));
    expect_error(call(second, "CONTAINER.CHANGES box SINCE %s", lost), LOST);
    expect_told(changes_at(second, kept, ""), "c");
}

/* Both begin the same epoch, as two servers do in one second that do not know of each other. Which of them counts from
 * further behind is chance. */
static void begin_same_epoch(struct client *both[2], int round, const char *last[2]) {
    for (int i = 0; i < 2; i++) {
        expect_ok(call(both[i], "CONFIG SET holdfast.clock-offset-ms 0"));
        if (round || !i) expect_ok(call(both[i], "DEBUG RELOAD"));
        last[i] = expect_etag(call(both[i], "BLOB.PUT box n%d x", round));
    }
    require(strncmp(last[0], last[1], strlen("0x00000000")) == 0, "%s and %s", last[0], last[1]);
}

/* Also when other epochs have come since. */
TEST(a_lost_tail_is_told_where_two_servers_have_begun_the_same_epoch) {
    enum { ROUNDS = 8 };
    struct client *both[2];
    const char *last[ROUNDS][2];
    pair_start(&both[0], &both[1], "holdfast.clock-offset-ms 86400000\n");
    expect_etag(call(both[0], "CONTAINER.CREATE box"));
    expect_ok(call(both[0], "CONTAINER.FEED box ON"));
    await_in_step(both[1], both[0]);
    expect_ok(call(both[1], "REPLICAOF NO ONE"));
    for (int round = 0; round < ROUNDS; round++) {
        begin_same_epoch(both, round, last[round]);
        for (int i = 0; i < 2; i++) {
            expect_told(changes_at(both[i], last[round][i], ""), "");
            for (int then = 0; then <= round; then++)
                expect_error(call(both[i], "CONTAINER.CHANGES box SINCE %s", last[then][!i]), LOST);
        }
    }
    /* A replica mints nothing, and learns where the epoch begins from its primary. */
    int behind = strcmp(last[ROUNDS - 1][0], last[ROUNDS - 1][1]) < 0 ? 0 : 1;
    expect_ok(call(both[behind], "REPLICAOF 127.0.0.1 %d", both[!behind]->server->port));
    await_in_step(both[behind], both[!behind]);
    expect_told(changes_at(both[behind], last[ROUNDS - 1][!behind], ""), "");
    expect_error(call(both[behind], "CONTAINER.CHANGES box SINCE %s", last[ROUNDS - 1][behind]), LOST);
}
