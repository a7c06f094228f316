/* CONTAINER.FEED and CONTAINER.CHANGES, sentence by sentence: what a feed tells, what it remembers, who waits for it. */
#include <string.h>

#include "await.h"
#include "clock.h"
#include "feeds.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "same_everywhere.h"
#include "steps.h"
#include "turns.h"
#include "waiting.h"

/* --- On and off --- */

TEST(a_feed_is_turned_on_and_off) {
    static const struct step steps[] = {
        {"CONTAINER.CREATE box", "<etag>", 'c'},
        {"BLOB.PUT box a 1", "<etag>", 'a'},
        {"CONTAINER.CHANGES box SINCE 0", "CONFLICT FeedOff", 0},
        {"CONTAINER.CHANGES box SINCE 0 BLOCK 0", "CONFLICT FeedOff", 0},
        {"CONTAINER.FEED box ON", "OK", 0},
        {"CONTAINER.FEED box ON", "OK", 0},
        {"CONTAINER.CHANGES box SINCE 0",
         "[<etag>, [[\"name\", \"a\", \"etag\", <etag>, \"last-modified\", <ms>, \"blob-type\", "
         "\"block\", \"content-length\", 1]]]",
         0},
        {"CONTAINER.CHANGES box SINCE $a", LOST, 0},
        {"CONTAINER.CHANGES box SINCE $a BLOCK 0", LOST, 0},
        {"CONTAINER.FEED box OFF", "OK", 0},
        {"CONTAINER.FEED box OFF", "OK", 0},
        {"CONTAINER.CHANGES box SINCE 0", "CONFLICT FeedOff", 0},
        {"CONTAINER.FEED none ON", "NOTFOUND ContainerNotFound", 0},
        {"CONTAINER.CHANGES none SINCE 0", "NOTFOUND ContainerNotFound", 0},
        {"CONTAINER.CHANGES none SINCE 0 BLOCK 0", "NOTFOUND ContainerNotFound", 0},
        {"CONTAINER.FEED box", "ERR", 0},
        {"CONTAINER.FEED box MAYBE", "ERR syntax error near 'MAYBE'", 0},
        {"CONTAINER.FEED box OFF KEEP 1", "ERR syntax error near 'KEEP'", 0},
        {"CONTAINER.FEED box off keep 1", "ERR syntax error near 'keep'", 0},
        {"CONTAINER.FEED box ON KEEP -1", "INVALID OutOfRangeQueryParameterValue", 0},
        {"CONTAINER.FEED box ON KEEP 1000000001", "INVALID OutOfRangeQueryParameterValue", 0},
        {"CONTAINER.FEED box ON KEEP x", "INVALID OutOfRangeQueryParameterValue", 0},
        {"CONTAINER.CHANGES box", "ERR syntax error: SINCE is missing", 0},
        {"CONTAINER.CHANGES box SINCE 1", "INVALID InvalidQueryParameterValue", 0},
        {"CONTAINER.CHANGES box SINCE ''", "INVALID InvalidQueryParameterValue", 0},
        {"CONTAINER.CHANGES box SINCE 0x0000000000000000", "INVALID InvalidQueryParameterValue", 0},
        {"CONTAINER.CHANGES box SINCE 0x0000000000000001-", "INVALID InvalidQueryParameterValue", 0},
        {"CONTAINER.CHANGES box SINCE 0x0000000000000001:0x0000000000000002",
         "INVALID InvalidQueryParameterValue", 0},
        {"CONTAINER.CHANGES box SINCE 0 COUNT 0", "INVALID OutOfRangeQueryParameterValue", 0},
        {"CONTAINER.CHANGES box SINCE 0 BLOCK -1", "INVALID InvalidHeaderValue", 0},
    };
    steps_play(steps);
}

TEST(the_container_shows_its_feed) {
    create("box");
    const char *etag = of_container(primary, "etag");
    expect_text(field(call(primary, "CONTAINER.GET box"), "feed"), "off");
    require(is_etag(of_container(primary, "change"), 18), "there is a change without a feed");
    expect_ok(call(primary, "CONTAINER.FEED box ON"));
    expect_text(field(call(primary, "CONTAINER.GET box"), "feed"), "on");
    const char *change = of_container(primary, "change");
    expect_text(changes("$")->element[0], change);
    expect_told(changes("$"), "");
    put("box", "a", "1");
    expect_text(field(stat_of("box", "a"), "etag"), of_container(primary, "change"));
    expect_told(changes(change), "a");
    expect_text(field(call(primary, "CONTAINER.GET box"), "etag"), etag);
    expect_ok(call(primary, "CONTAINER.FEED box OFF"));
    expect_text(field(call(primary, "CONTAINER.GET box"), "etag"), etag);
}

/* --- What is told --- */

TEST(each_blob_is_told_once_at_its_latest_change) {
    followed_box("");
    const char *begin = bookmark_of(changes("$"));
    put("box", "a", "1");
    put("box", "b", "2");
    put("box", "a", "3");
    expect_told(changes(begin), "b a");
    expect_told(changes(put("box", "b", "4")), "");
    expect_told(changes("0"), "a b");
    delete_blob("a");
    expect_told(changes(begin), "b -a");
    redisReply *all = changes(begin);
    expect_shape(all->element[1]->element[1], "[\"name\", \"a\", \"etag\", <etag>, \"deleted\", 1]");
    put("box", "a", "5");
    expect_told(changes(begin), "b a");
    expect_told(changes(bookmark_of(changes(begin))), "");
}

/* What gives a blob a new ETag, and what does not. */
TEST(writes_count_and_leases_blocks_and_snapshots_do_not) {
    static const char *const counting[] = {"BLOB.PUTBLOCKLIST box a 1 LATEST AAAA",
                                           "BLOB.PUT box a x",
                                           "BLOB.SETMETA box a META 1 k v",
                                           "BLOB.SETPROPS box a PROPS 1 content-type text/plain",
                                           "BLOB.COPY box a box other",
                                           "BLOB.CREATEPAGE box disk 1024",
                                           "BLOB.PUTPAGE box disk 0 512*x",
                                           "BLOB.CLEARPAGE box disk 0 512",
                                           "BLOB.SETPROPS box disk SIZE 512",
                                           "BLOB.CREATEAPPEND box log",
                                           "BLOB.APPEND box log x",
                                           "BLOB.SEAL box log",
                                           "BLOB.COPY box new box a",
                                           "BLOB.DELETE box new",
                                           "BLOB.DELETE box a SNAPSHOTS INCLUDE",
                                           NULL};
    static const char *const quiet[] = {"BLOB.PUTBLOCK box a AAAA x",
                                        "BLOB.PUTBLOCK box staged AAAA x",
                                        "LEASE.ACQUIRE box 60 BLOB a ID A",
                                        "LEASE.RENEW box A BLOB a",
                                        "LEASE.RELEASE box A BLOB a",
                                        "BLOB.SNAPSHOT box a",
                                        "BLOB.DELETE box staged",
                                        "BLOB.PUTBLOCK box a AAAA x",
                                        "CONTAINER.SETMETA box META 1 a b",
                                        "CONTAINER.FEED box ON KEEP 7",
                                        NULL};
    followed_box("");
    put("box", "other", "y");
    put("box", "a", "x");
    const char *before = of_container(primary, "change");
    for (const char *const *line = quiet; *line; line++) {
        require(!reply_is_error(step_play(*line, NULL, 0)), "%s", *line);
        require(strcmp(of_container(primary, "change"), before) == 0, "%s counts", *line);
    }
    for (const char *const *line = counting; *line; line++) {
        before = of_container(primary, "change");
        require(!reply_is_error(step_play(*line, NULL, 0)), "%s", *line);
        require(strcmp(of_container(primary, "change"), before) > 0, "%s does not count", *line);
        expect_elements(changes(before)->element[1], 1);
    }
}

TEST(pages_go_on_where_they_ended) {
    followed_box("");
    const char *begin = bookmark_of(changes("$"));
    for (int i = 0; i < 10; i++) put("box", pool_print("n%d", i), "x");
    redisReply *page = changes_at(primary, begin, "COUNT 4");
    expect_told(page, "n0 n1 n2 n3");
    page = changes_at(primary, bookmark_of(page), "COUNT 4");
    expect_told(page, "n4 n5 n6 n7");
    page = changes_at(primary, bookmark_of(page), "COUNT 4");
    expect_told(page, "n8 n9");
    expect_told(changes(bookmark_of(page)), "");
    expect_told(changes_at(primary, begin, "PREFIX n9"), "n9");
    page = changes_at(primary, begin, "PREFIX z");
    expect_told(page, "");
    expect_text(page->element[0], of_container(primary, "change"));
}

TEST(a_page_has_at_most_five_thousand) {
    followed_box("");
    call_many(primary, 5200, "BLOB.PUT box n%d x");
    expect_elements(changes("0")->element[1], 1000);
    redisReply *page = changes_at(primary, "0", "COUNT 100000");
    expect_elements(page->element[1], 5000);
    expect_elements(changes(bookmark_of(page))->element[1], 200);
}

/* --- The walk from the beginning --- */

TEST(a_walk_ends_whatever_is_written_meanwhile) {
    followed_box("");
    for (int i = 0; i < 20; i++) put("box", pool_print("n%02d", i), "x");
    delete_blob("n00");
    redisReply *page = changes_at(primary, "0", "COUNT 1");
    int pages = 1;
    for (; strchr(bookmark_of(page), '-') && pages < 100; pages++) {
        put("box", "n01", "again");
        put("box", pool_print("new%d", pages), "x");
        page = changes_at(primary, bookmark_of(page), "COUNT 2");
    }
    require(pages < 20, "the walk has %d pages", pages);
    expect_told(changes_at(primary, bookmark_of(page), "PREFIX n01"), "n01");
}

TEST(a_walk_leaves_out_what_was_deleted_before_it) {
    followed_box("");
    put("box", "a", "x");
    put("box", "b", "x");
    delete_blob("a");
    expect_told(changes("0"), "b");
    redisReply *page = changes_at(primary, "0", "COUNT 1");
    put("box", "c", "x");
    delete_blob("b");
    page = changes(bookmark_of(page));
    expect_told(page, "c -b");
    expect_text(page->element[0], of_container(primary, "change"));
    delete_blob("c");
    expect_told(changes("0"), "");
    expect_text(changes("0")->element[0], of_container(primary, "change"));
}

/* --- What is lost --- */

TEST(deletions_that_are_forgotten_are_told) {
    followed_box("KEEP 2");
    for (int i = 0; i < 5; i++) put("box", pool_print("n%d", i), "x");
    const char *full = of_container(primary, "change");
    delete_blob("n0");
    const char *first = of_container(primary, "change");
    delete_blob("n1");
    expect_told(changes(full), "-n0 -n1");
    redisReply *walk = changes_at(primary, "0", "COUNT 1");
    delete_blob("n2");
    redisReply *lost = call(primary, "CONTAINER.CHANGES box SINCE %s", full);
    expect_error(lost, pool_print("%s the feed is whole from %s on: list anew, then follow", LOST, first));
    expect_told(changes(first), "-n1 -n2");
    expect_told(changes(bookmark_of(walk)), "n3 n4 -n2");
    delete_blob("n3");
    delete_blob("n4");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", bookmark_of(walk)), LOST);
    expect_told(changes("0"), "");
    expect_ok(call(primary, "CONTAINER.FEED box ON KEEP 0"));
    expect_told(changes(of_container(primary, "change")), "");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", first), LOST);
}

TEST(bookmarks_from_before_the_feed_are_lost) {
    followed_box("");
    put("box", "a", "x");
    const char *before = of_container(primary, "change");
    expect_ok(call(primary, "CONTAINER.FEED box OFF"));
    delete_blob("a");
    put("box", "b", "x");
    const char *off = of_container(primary, "change");
    expect_ok(call(primary, "CONTAINER.FEED box ON"));
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", before), LOST);
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", off), LOST);
    expect_told(changes("0"), "b");
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE 0xEFFFFFFF00000001"), LOST);
}

/* --- Tables --- */

static redisReply *table_changes(struct client *client, const char *since, const char *more) {
    return expect_elements(call_line(client, pool_print("TABLE.CHANGES t SINCE %s %s", since, more)), 2);
}

TEST(tables_have_feeds_too) {
    static const struct step steps[] = {
        {"TABLE.CREATE t", "OK", 0},
        {"TABLE.INSERT t p a PROPS 0", "<etag>", 'a'},
        {"TABLE.CHANGES t SINCE 0", "CONFLICT FeedOff", 0},
        {"TABLE.FEED none ON", "NOTFOUND TableNotFound", 0},
        {"TABLE.CHANGES none SINCE 0", "NOTFOUND TableNotFound", 0},
        {"TABLE.FEED t OFF KEEP 1", "ERR syntax error near 'KEEP'", 0},
        {"TABLE.FEED t ON KEEP 2", "OK", 0},
        {"TABLE.CHANGES t SINCE 0", "[<etag>, [[\"pk\", \"p\", \"rk\", \"a\", \"etag\", <etag>]]]", 0},
        {"TABLE.CHANGES t SINCE $a", LOST, 0},
        {"TABLE.CHANGES t SINCE nonsense", "INVALID InvalidQueryParameterValue", 0},
        {"TABLE.CHANGES t SINCE 0 COUNT 0", "INVALID OutOfRangeQueryParameterValue", 0},
        {"TABLE.CHANGES t SINCE 0 PREFIX p", "ERR syntax error near 'PREFIX'", 0},
        {"TABLE.INSERT t p b PROPS 0", "<etag>", 'b'},
        {"TABLE.BATCH t p 3 DELETE a IFMATCH * MERGE b IFMATCH * PROPS 1 long "
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa INSERT c PROPS 0",
         "[OK, <etag>, <etag>]", 0},
        {"TABLE.CHANGES t SINCE $b",
         "[<etag>, [[\"pk\", \"p\", \"rk\", \"a\", \"etag\", <etag>, \"deleted\", 1], [\"pk\", \"p\", "
         "\"rk\", \"b\", \"etag\", <etag>], "
         "[\"pk\", \"p\", \"rk\", \"c\", \"etag\", <etag>]]]",
         0},
        {"TABLE.INSERTORREPLACE t p a PROPS 0", "<etag>", 0},
        {"TABLE.CHANGES t SINCE $b COUNT 1",
         "[<bookmark>, [[\"pk\", \"p\", \"rk\", \"b\", \"etag\", <etag>]]]", 0},
        {"TABLE.DELETE t p a IFMATCH *", "OK", 0},
        {"TABLE.DELETE t p b IFMATCH *", "OK", 0},
        {"TABLE.DELETE t p c IFMATCH *", "OK", 0},
        {"TABLE.CHANGES t SINCE $b", LOST, 0},
        {"TABLE.FEED t OFF", "OK", 0},
    };
    steps_play(steps);
}

TEST(a_batch_is_told_as_a_whole) {
    expect_ok(call(primary, "TABLE.CREATE t"));
    expect_ok(call(primary, "TABLE.FEED t ON"));
    await_replicas();
    const char *now = bookmark_of(table_changes(primary, "$", ""));
    const char *line = pool_print("TABLE.CHANGES t SINCE %s BLOCK 0", now);
    struct client *here = waiting(line), *there = waiting_at(replica->server, 0, line);
    expect_elements(call(primary, "TABLE.BATCH t p 3 INSERT a PROPS 0 INSERT b PROPS 0 INSERT c PROPS 0"), 3);
    redisReply *told_here = answer_of(here), *told_there = answer_within(there, 5000);
    expect_elements(told_here->element[1], 3);
    require(reply_same(told_here, told_there), "the replica tells something else");
}

TEST(the_feed_of_a_large_table_is_built_in_portions) {
    enum { MANY = 2500 };
    expect_ok(call(primary, "TABLE.CREATE t"));
    call_many(primary, MANY, "TABLE.INSERT t p n%05d PROPS 0");
    expect_ok(call(primary, "MULTI"));
    call(primary, "TABLE.FEED t ON");
    call(primary, "TABLE.CHANGES t SINCE 0 BLOCK 0");
    call(primary, "TABLE.DELETE t p n02000 IFMATCH *");
    expect_error(expect_elements(call(primary, "EXEC"), 3)->element[1], "CONFLICT FeedBuilding");
    redisReply *page;
    AWAIT(!reply_is_error(page = call(primary, "TABLE.CHANGES t SINCE 0 COUNT 5000")));
    expect_elements(expect_elements(page, 2)->element[1], MANY - 1);
    pass_through_copies("t");
    require(reply_same(page, table_changes(primary, "0", "COUNT 5000")),
            "another answer after COPY and RESTORE");
}

/* --- Large ones --- */

static void put_many(int count) {
    call_many(primary, count, "BLOB.PUT box n%05d x");
}

/* In a transaction nothing happens in between. */
TEST(the_feed_of_a_large_container_is_built_in_portions) {
    enum { MANY = 3500 };
    create("box");
    put_many(MANY);
    expect_ok(call(primary, "MULTI"));
    call(primary, "CONTAINER.FEED box ON");
    call(primary, "CONTAINER.CHANGES box SINCE 0 BLOCK 0");
    call(primary, "CONTAINER.GET box");
    call(primary, "BLOB.PUT box n03000 again");
    call(primary, "BLOB.DELETE box n03001");
    redisReply *all = expect_elements(call(primary, "EXEC"), 5);
    expect_error(all->element[1], "CONFLICT FeedBuilding");
    expect_text(field(all->element[2], "feed"), "building");
    AWAIT(!strcmp(of_container(primary, "feed"), "on"));
    redisReply *page = changes_at(primary, "0", "COUNT 5000");
    expect_elements(page->element[1], MANY - 1);
    expect_told(changes_at(primary, "0", "PREFIX n03000"), "n03000");
    expect_text(page->element[0], of_container(primary, "change"));
}

/* The snapshot has it as a whole, and the replicas have a part. */
TEST(replicas_get_the_rest_of_a_feed_from_a_primary_that_comes_back) {
    enum { MANY = 3500 };
    create("box");
    put_many(MANY);
    send_call(primary, "CONTAINER.FEED box ON");
    send_call(primary, "CLIENT PAUSE 100000 WRITE");
    expect_ok(receive(primary));
    expect_ok(receive(primary));
    expect_ok(call(primary, "DEBUG RELOAD"));
    await_replicas();
    expect_text(field(call(primary, "CONTAINER.GET box"), "feed"), "on");
    expect_text(field(call(replica, "CONTAINER.GET box"), "feed"), "building");
    expect_ok(call(primary, "CLIENT UNPAUSE"));
    AWAIT(!strcmp(of_container(chained, "feed"), "on"));
    expect_elements(changes_at(chained, "0", "COUNT 5000")->element[1], MANY);
}

/* --- Waiting --- */

static struct client *follower_at(struct server *server, const char *since, const char *more) {
    return waiting_at(server, 0, pool_print("CONTAINER.CHANGES box SINCE %s %s", since, more));
}

enum { FOLLOWERS = 300 };

static struct client *followers[FOLLOWERS];

static void follow_new_box(void) {
    followed_box("");
    const char *now = bookmark_of(changes("$"));
    for (int i = 0; i < FOLLOWERS; i++) followers[i] = follower_at(primary->server, now, "BLOCK 0");
}

TEST(one_change_serves_all_followers_that_wait) {
    follow_new_box();
    require(info_of(primary, "holdfast_feed_followers") == FOLLOWERS, "not all followers are counted");
    put("box", "a", "x");
    for (int i = 0; i < FOLLOWERS; i++) expect_told(answer_of(followers[i]), "a");
}

TEST(one_turn_of_the_server_tells_few_followers) {
    follow_new_box();
    expect_served_in_turns("BLOB.PUT box a x", "holdfast_feed_followers", 0);
    for (int i = 0; i < FOLLOWERS; i++) expect_told(answer_of(followers[i]), "a");
}

TEST(a_change_that_a_feed_does_not_tell_wakes_no_follower) {
    followed_box("");
    put("box", "a", "x");
    struct client *client = follower_at(primary->server, of_container(primary, "change"), "BLOCK 0");
    acquire("box", "60", "BLOB a ID " ID_A);
    expect_ok(call(primary, "LEASE.RELEASE box %s BLOB a", ID_A));
    expect_ok(call(primary, "BLOB.PUTBLOCK box b AAAA x"));
    expect_still_waiting(client);
    expect_ok(call(primary, "CONTAINER.FEED box ON KEEP 5"));
    expect_still_waiting(client);
    expect_ok(call(primary, "CONTAINER.FEED box OFF"));
    expect_error(answer_of(client), "CONFLICT FeedOff");
}

TEST(time_that_is_up_answers_an_empty_page) {
    followed_box("");
    const char *now = bookmark_of(changes("$"));
    long long begin = stopwatch();
    redisReply *page = changes_at(primary, now, "BLOCK 0.1");
    require(stopwatch() - begin >= 99, "it was too soon: %lld ms", stopwatch() - begin);
    expect_text(page->element[0], now);
    expect_told(page, "");
    expect_told(changes_at(primary, "$", "BLOCK 0"), "");
    expect_told(changes_at(primary, "0", "BLOCK 0"), "");
}

TEST(a_prefix_brings_forward_who_waits) {
    followed_box("");
    const char *now = bookmark_of(changes("$"));
    struct client *client = follower_at(primary->server, now, "PREFIX x BLOCK 0");
    const char *etag = put("box", "a", "1");
    redisReply *page = answer_of(client);
    expect_told(page, "");
    expect_text(page->element[0], etag);
}

TEST(a_transaction_is_told_as_a_whole) {
    followed_box("");
    put("box", "gone", "x");
    struct client *client = follower_at(primary->server, of_container(primary, "change"), "BLOCK 0");
    struct client *there = follower_at(replica->server, of_container(primary, "change"), "BLOCK 0");
    expect_ok(call(primary, "MULTI"));
    call(primary, "BLOB.PUT box a 1");
    call(primary, "BLOB.DELETE box gone");
    call(primary, "BLOB.PUT box b 2");
    expect_elements(call(primary, "EXEC"), 3);
    expect_told(answer_of(client), "a -gone b");
    expect_told(answer_within(there, 5000), "a -gone b");
}

TEST(replicas_are_followed_too) {
    followed_box("");
    await_replicas();
    const char *now = bookmark_of(changes_at(replica, "$", ""));
    struct client *client = follower_at(replica->server, now, "BLOCK 0");
    struct client *far = follower_at(chained->server, now, "BLOCK 0");
    put("box", "a", "x");
    expect_told(answer_within(client, 5000), "a");
    expect_told(answer_within(far, 5000), "a");
    /* What the replica has not seen yet is no loss. */
    const char *ahead = put("box", "b", "x");
    expect_told(expect_elements(call(primary, "CONTAINER.CHANGES box SINCE %s", ahead), 2), "");
    await_replicas();
    expect_told(changes_at(replica, ahead, ""), "");
}

TEST(a_deleted_container_leaves_them_waiting) {
    followed_box("");
    const char *now = bookmark_of(changes("$"));
    struct client *client = follower_at(primary->server, now, "BLOCK 0.4");
    struct client *renamed = follower_at(primary->server, now, "BLOCK 0");
    expect_ok(call(primary, "RENAME box other"));
    expect_still_waiting(client);
    expect_etag(call(primary, "BLOB.PUT other a x"));
    expect_error(answer_within(client, 5000), "NOTFOUND ContainerNotFound");
    expect_ok(call(primary, "RENAME other box"));
    expect_told(answer_within(renamed, 5000), "a");
}
