/* Another container, another table, or a copy that was written elsewhere takes the place of one that is followed: those
 * who follow are told. Those whose container only comes back go on. */
#include <string.h>
#include <unistd.h>

#include "feeds.h"
#include "harness.h"
#include "pool.h"
#include "probes.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "waiting.h"

/* How a key comes to hold what another one held. */
static const char *const replacements[][4] = {
    {"COPY other box REPLACE"},
    {"RENAME other box"},
    {"DEL box", "COPY other box"},
    {"COPY other box DB 1", "DEL box", "SELECT 1", "MOVE box 0"},
    {"RESTORE"},
};

static void replace_box(const char *const lines[4]) {
    redisReply *payload = call(primary, "DUMP other");
    for (int line = 0; line < 4 && lines[line]; line++) {
        bool restores = !strcmp(lines[line], "RESTORE");
        redisReply *reply = restores ? call(primary, "RESTORE box 0 %b REPLACE", payload->str, payload->len)
                                     : call_line(primary, lines[line]);
        require(!reply_is_error(reply) && (reply->type != REDIS_REPLY_INTEGER || reply->integer == 1),
                "%s gives %s", lines[line], reply_text(reply));
    }
    expect_ok(call(primary, "SELECT 0"));
}

static void expect_lost_everywhere(const char *command, const char *seen) {
    expect_error(call(primary, "%s box SINCE %s", command, seen), LOST);
    AWAIT(reply_is_error(call(replica, "%s box SINCE %s", command, seen)));
    AWAIT(!reply_is_error(call(primary, "%s box SINCE $", command))); /* it is built */
    expect_error(call(primary, "%s box SINCE %s", command, seen), LOST);
}

/* It has other blobs, and was written before and after what the follower knows. */
TEST(a_follower_learns_of_another_container_in_place_of_its_own) {
    needs(KEEPS_DATABASE);
    for (size_t way = 0; way < ARRAY_SIZE(replacements); way++) {
        followed_box("KEEP 7");
        create("other");
        expect_ok(call(primary, "CONTAINER.FEED other ON KEEP 9"));
        put("other", "a", "x");
        const char *late = put("box", "b", "x"), *seen = put("box", "c", "x");
        put("other", "d", "x");
        if (way % 2) expect_ok(call(primary, "DEBUG RELOAD"));
        struct client *waiter = waiting(pool_print("CONTAINER.CHANGES box SINCE %s BLOCK 0", seen));
        replace_box(replacements[way]);
        expect_lost_everywhere("CONTAINER.CHANGES", seen);
        expect_lost_everywhere("CONTAINER.CHANGES", late);
        expect_error(answer_of(waiter), LOST);
        expect_told(changes("0"), "a d");
        const char *mark = bookmark_of(changes("0"));
        put("box", "e", "x");
        expect_told(changes(mark), "e");
        expect_number(call(primary, "DEL box"), 1);
        call(primary, "DEL other");
    }
}

TEST(a_follower_learns_of_another_table_in_place_of_its_own) {
    needs(KEEPS_DATABASE);
    for (size_t way = 0; way < ARRAY_SIZE(replacements); way++) {
        for (const char *names[] = {"box", "other"}, **name = names; name < names + 2; name++) {
            expect_ok(call(primary, "TABLE.CREATE %s", *name));
            expect_ok(call(primary, "TABLE.FEED %s ON", *name));
        }
        const char *seen = expect_etag(call(primary, "TABLE.INSERT box p r PROPS 0"));
        expect_etag(call(primary, "TABLE.INSERT other p s PROPS 0"));
        replace_box(replacements[way]);
        expect_lost_everywhere("TABLE.CHANGES", seen);
        expect_number(call(primary, "DEL box"), 1);
        call(primary, "DEL other");
    }
}

/* Both were written since one was made of the other. */
TEST(a_follower_learns_of_a_copy_that_went_its_own_way) {
    followed_box("");
    expect_number(call(primary, "COPY box other"), 1);
    put("other", "a", "x");
    const char *seen = put("box", "b", "x");
    put("other", "c", "x");
    expect_number(call(primary, "COPY other box REPLACE"), 1);
    expect_lost_everywhere("CONTAINER.CHANGES", seen);
}

/* It was written before what the follower knows, and is not newer than what the key had: so is an older state. */
TEST(a_follower_that_lags_learns_of_a_copy_that_went_its_own_way) {
    needs(KEEPS_DATABASE);
    for (size_t way = 0; way < ARRAY_SIZE(replacements); way++) {
        followed_box("");
        expect_number(call(primary, "COPY box other"), 1);
        put("other", "a", "x");
        const char *seen = put("box", "b", "x");
        put("other", "c", "x");
        put("box", "d", "x");
        replace_box(replacements[way]);
        expect_lost_everywhere("CONTAINER.CHANGES", seen);
        expect_number(call(primary, "DEL box"), 1);
        call(primary, "DEL other");
    }
}

/* Each takes the place of the one before, and is later, but is made of their origin. */
TEST(followers_of_drafts_learn_of_each_that_is_published) {
    const char *const ways[] = {"RENAME draft%d live%d", "COPY draft%d live%d REPLACE"};
    followed_box("");
    for (int way = 0; way < (int)ARRAY_SIZE(ways); way++) {
        const char *seen = NULL;
        for (int draft = 10 * way; draft < 10 * way + 2; draft++) {
            const char *name = pool_print("draft%d", draft), *last = seen;
            expect_number(call(primary, "COPY box %s", name), 1);
            seen = put(name, pool_print("b%d", draft), "x");
            require(!reply_is_error(call(primary, ways[way], draft, way)), "%s", ways[way]);
            if (last) expect_error(call(primary, "CONTAINER.CHANGES live%d SINCE %s", way, last), LOST);
        }
    }
}

/* The first one, which is older, is gone before its feed begins anew. */
TEST(a_follower_learns_of_two_that_take_its_place_at_once) {
    followed_box("");
    expect_number(call(primary, "COPY box later"), 1);
    expect_number(call(primary, "COPY box older"), 1);
    redisReply *older = call(primary, "DUMP older");
    expect_ok(call(primary, "RESTORE older 0 %b REPLACE", older->str, older->len));
    const char *seen = put("box", "a", "x");
    put("later", "b", "x");
    expect_ok(call(primary, "MULTI"));
    call(primary, "COPY older box REPLACE");
    call(primary, "COPY later box REPLACE");
    expect_elements(call(primary, "EXEC"), 2);
    expect_lost_everywhere("CONTAINER.CHANGES", seen);
}

/* The first one is an older state, and what comes then is from after it, but knows what came between. */
TEST(a_follower_learns_of_another_container_behind_an_older_state) {
    followed_box("");
    expect_number(call(primary, "COPY box older"), 1);
    create("other");
    expect_ok(call(primary, "CONTAINER.FEED other ON"));
    const char *seen = put("box", "a", "x");
    put("other", "b", "x");
    expect_number(call(primary, "COPY older box REPLACE"), 1);
    expect_ok(call(primary, "RENAME other box"));
    expect_lost_everywhere("CONTAINER.CHANGES", seen);
}

/* A followed box, and in database 1, where the client is then, another container: the last version of the box. */
static const char *box_and_other(void) {
    followed_box("");
    expect_ok(call(primary, "SELECT 1"));
    create("other");
    expect_ok(call(primary, "CONTAINER.FEED other ON"));
    expect_ok(call(primary, "SELECT 0"));
    const char *seen = put("box", "a", "x");
    expect_ok(call(primary, "SELECT 1"));
    put("other", "b", "x");
    return seen;
}

/* In a transaction Valkey 9.1.2 tells of the key as if it were in the database of the client. */
TEST(a_follower_learns_of_a_copy_from_another_database_in_a_transaction) {
    needs(KEEPS_DATABASE);
    const char *seen = box_and_other();
    expect_ok(call(primary, "MULTI"));
    call(primary, "COPY other box DB 0 REPLACE");
    expect_elements(call(primary, "EXEC"), 1);
    expect_ok(call(primary, "SELECT 0"));
    put("box", "c", "x");
    expect_lost_everywhere("CONTAINER.CHANGES", seen);
}

/* FLUSHDB tells of no keys. */
TEST(a_follower_learns_of_one_that_takes_its_place_again_behind_a_flush) {
    needs(KEEPS_DATABASE);
    const char *seen = box_and_other();
    const char *const lines[] = {"MULTI",    "COPY other box DB 0 REPLACE", "SELECT 0", "FLUSHDB",
                                 "SELECT 1", "COPY other box DB 0"};
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        require(!reply_is_error(call_line(primary, lines[i])), "%s", lines[i]);
    expect_elements(call(primary, "EXEC"), 5);
    expect_ok(call(primary, "SELECT 0"));
    expect_lost_everywhere("CONTAINER.CHANGES", seen);
}

/* Two containers of one name, in two databases: the version at which the one in database 0 is followed. */
static const char *two_databases(struct client *server, const char *create_line, const char *feed_line,
                                 const char *write_line) {
    const char *seen = NULL;
    for (int database = 0; database < 2; database++) {
        expect_ok(call(server, "SELECT %d", database));
        require(!reply_is_error(call_line(server, create_line)), "%s", create_line);
        expect_ok(call_line(server, feed_line));
    }
    for (int database = 0; database < 3; database++) {
        expect_ok(call(server, "SELECT %d", (database + 1) % 2));
        const char *etag = expect_etag(call_line(server, write_line));
        if (database == 1) seen = etag;
    }
    expect_ok(call(server, "SELECT 0"));
    return seen;
}

/* Databases 0 and 1 have a box, of which the one in 0 is followed. */
static const char *two_boxes(struct client *server) {
    return two_databases(server, "CONTAINER.CREATE box", "CONTAINER.FEED box ON", "BLOB.PUT box a x");
}

TEST(a_follower_learns_of_another_container_that_comes_with_its_database) {
    const char *seen = two_boxes(primary);
    expect_ok(call(primary, "SWAPDB 0 1"));
    expect_lost_everywhere("CONTAINER.CHANGES", seen);
}

TEST(a_follower_learns_of_another_table_that_comes_with_its_database) {
    const char *write = "TABLE.INSERTORREPLACE box p r PROPS 0",
               *seen = two_databases(primary, "TABLE.CREATE box", "TABLE.FEED box ON", write);
    expect_ok(call(primary, "SWAPDB 0 1"));
    expect_lost_everywhere("TABLE.CHANGES", seen);
}

/* Nobody follows at the primary, which notices it when the container is written. */
TEST(a_follower_at_a_replica_learns_of_a_container_that_came_with_its_database) {
    const char *seen = two_boxes(primary);
    expect_ok(call(primary, "SWAPDB 0 1"));
    put("box", "b", "x");
    AWAIT(reply_is_error(call(replica, "CONTAINER.CHANGES box SINCE %s", seen)));
}

TEST(followers_go_on_when_databases_are_swapped_to_and_fro) {
    const char *seen = two_boxes(primary);
    for (int i = 0; i < 2; i++) expect_ok(call(primary, "SWAPDB 0 1"));
    put("box", "b", "x");
    expect_told(changes(seen), "b");
}

TEST(followers_go_on_when_their_database_was_written_while_it_was_swapped) {
    const char *seen = two_boxes(primary);
    expect_ok(call(primary, "SELECT 2"));
    expect_ok(call(primary, "SWAPDB 0 2"));
    put("box", "b", "x");
    expect_ok(call(primary, "SWAPDB 0 2"));
    expect_ok(call(primary, "SELECT 0"));
    expect_told(changes(seen), "b");
}

TEST(followers_go_on_when_a_copy_of_their_container_comes_with_its_database) {
    needs(KEEPS_DATABASE);
    const char *seen = two_boxes(primary);
    expect_number(call(primary, "COPY box box DB 2"), 1);
    expect_ok(call(primary, "SWAPDB 0 2"));
    expect_told(changes(seen), "");
    put("box", "b", "x");
    expect_told(changes(seen), "b");
}

/* What it was there is known from effects alone, of the file or of its primary. */
TEST(a_follower_learns_of_what_comes_with_its_database_where_nothing_was_written_since_a_restart) {
    struct client *single = test_client(server_start("single", settings_with_file));
    const char *seen = two_boxes(single);
    single = restarted(single->server, server_stop);
    expect_ok(call(single, "SWAPDB 0 1"));
    expect_error(call(single, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
    server_stop(single->server);
}

TEST(a_follower_learns_of_what_comes_with_its_database_where_nothing_was_written_since_a_promotion) {
    struct client *first, *second;
    pair_start(&first, &second, "");
    const char *seen = two_boxes(first);
    await_in_step(second, first);
    expect_ok(call(second, "REPLICAOF NO ONE"));
    expect_ok(call(second, "SWAPDB 0 1"));
    expect_error(call(second, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
    server_stop(first->server);
    server_stop(second->server);
}

/* It goes, and comes back in a way that is told, before anybody has followed or written it. */
TEST(followers_learn_of_what_came_with_its_database_and_comes_again) {
    const char *seen = two_boxes(primary);
    expect_ok(call(primary, "SWAPDB 0 1"));
    expect_ok(call(primary, "RENAME box away"));
    expect_ok(call(primary, "RENAME away box"));
    expect_lost_everywhere("CONTAINER.CHANGES", seen);
}

/* Their keys are gone meanwhile, and many others are written. */
TEST(followers_of_keys_that_are_gone_learn_of_others_while_much_is_written) {
    enum { KEYS = 200 };
    const char *seen[KEYS];
    for (const char *names[] = {"other", "gone", "busy"}, **name = names; name < names + 3; name++)
        for (int i = 0; i < KEYS; i++) {
            const char *key = pool_print("%s%d", *name, i);
            create(key);
            expect_ok(call(primary, "CONTAINER.FEED %s ON", key));
        }
    for (int i = 0; i < KEYS; i++) seen[i] = put(pool_print("gone%d", i), "a", "x");
    for (int i = 0; i < KEYS; i++) put(pool_print("other%d", i), "b", "x");
    for (int i = 0; i < KEYS; i++) expect_number(call(primary, "DEL gone%d", i), 1);
    for (int i = 0; i < KEYS; i++) put(pool_print("busy%d", i), "c", "x");
    for (int i = 0; i < KEYS; i++) {
        expect_ok(call(primary, "RENAME other%d gone%d", i, i));
        expect_error(call(primary, "CONTAINER.CHANGES gone%d SINCE %s", i, seen[i]), LOST);
    }
}

/* It came by that name only, and its other half is restored. */
TEST(a_follower_learns_of_a_restored_copy_that_went_its_own_way_under_a_new_name) {
    followed_box("");
    expect_number(call(primary, "COPY box other"), 1);
    const char *seen = put("box", "a", "x");
    put("other", "b", "x");
    redisReply *payload = call(primary, "DUMP other");
    expect_ok(call(primary, "RENAME box renamed"));
    expect_ok(call(primary, "RESTORE renamed 0 %b REPLACE", payload->str, payload->len));
    expect_error(call(primary, "CONTAINER.CHANGES renamed SINCE %s", seen), LOST);
}

/* One that is only restored, from wherever it is written. */
TEST(followers_of_a_mirror_go_on) {
    followed_box("");
    const char *mark = of_container(primary, "change");
    for (int round = 0; round < 3; round++) {
        redisReply *payload = call(primary, "DUMP box");
        expect_ok(call(primary, "RESTORE mirror 0 %b REPLACE", payload->str, payload->len));
        put("box", pool_print("b%d", round), "x");
    }
    redisReply *page = call(primary, "CONTAINER.CHANGES mirror SINCE %s", mark);
    expect_told(page, "b0 b1");
}

/* Its file brings it back by RESTORE, and then by effects that make it anew. */
TEST(followers_of_a_mirror_go_on_after_restarts_with_a_file_of_commands) {
    followed_box("");
    const char *mark = of_container(primary, "change");
    struct client *single = test_client(server_start("single", settings_with_file));
    for (int round = 0; round < 3; round++) {
        redisReply *payload = call(primary, "DUMP box");
        expect_ok(call(single, "RESTORE box 0 %b REPLACE", payload->str, payload->len));
        put("box", pool_print("b%d", round), "x");
        if (round) rewrite_append_only_file(single, false);
        single = restarted(single->server, server_stop);
    }
    expect_told(changes_at(single, mark, ""), "b0 b1");
    server_stop(single->server);
}

/* A box that was written, and another container or a copy of it that went its own way: the last version of the box. */
static const char *two_histories(struct client *server, bool is_copy) {
    expect_etag(call(server, "CONTAINER.CREATE box"));
    expect_ok(call(server, "CONTAINER.FEED box ON"));
    expect_etag(call(server, "BLOB.PUT box a x"));
    if (is_copy)
        expect_number(call(server, "COPY box other"), 1);
    else
        expect_etag(call(server, "CONTAINER.CREATE other"));
    expect_ok(call(server, "CONTAINER.FEED other ON"));
    const char *seen = expect_etag(call(server, "BLOB.PUT box b x"));
    expect_etag(call(server, "BLOB.PUT other c x"));
    return seen;
}

TEST(a_follower_learns_of_it_after_a_restart_with_a_file_of_commands) {
    for (int is_copy = 0; is_copy < 2; is_copy++) {
        struct client *single = test_client(server_start("single", settings_with_file));
        const char *seen = two_histories(single, is_copy);
        single = restarted(single->server, server_stop);
        expect_told(changes_at(single, seen, ""), "");
        expect_ok(call(single, "RENAME other box"));
        expect_error(call(single, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
        server_stop(single->server);
    }
}

TEST(a_follower_learns_of_it_at_a_server_that_was_promoted) {
    for (int is_copy = 0; is_copy < 2; is_copy++) {
        struct client *first, *second;
        pair_start(&first, &second, "");
        const char *seen = two_histories(first, is_copy);
        await_in_step(second, first);
        expect_ok(call(second, "REPLICAOF NO ONE"));
        expect_ok(call(second, "RENAME other box"));
        expect_error(call(second, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
        server_stop(first->server);
        server_stop(second->server);
    }
}

/* Written by another primary, from whose effects it is known. */
TEST(a_follower_learns_of_a_restored_copy_at_a_server_that_is_primary_again) {
    struct client *first, *second;
    pair_start(&first, &second, "");
    expect_etag(call(first, "CONTAINER.CREATE origin"));
    expect_ok(call(first, "CONTAINER.FEED origin ON"));
    redisReply *payload = call(first, "DUMP origin");
    expect_ok(call(first, "RESTORE box 0 %b", payload->str, payload->len));
    await_in_step(second, first);
    expect_ok(call(second, "REPLICAOF NO ONE"));
    follow(first, second);
    expect_etag(call(second, "BLOB.PUT box a x"));
    expect_number(call(second, "COPY box other"), 1);
    const char *seen = expect_etag(call(second, "BLOB.PUT box b x"));
    expect_etag(call(second, "BLOB.PUT other c x"));
    payload = call(second, "DUMP other");
    await_in_step(first, second);
    expect_ok(call(first, "REPLICAOF NO ONE"));
    expect_ok(call(first, "RESTORE box 0 %b REPLACE", payload->str, payload->len));
    expect_error(call(first, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
    server_stop(first->server);
    server_stop(second->server);
}

static bool is_loading(struct client *client) {
    return info_of(client, "loading") || info_of(client, "async_loading");
}

static void begin_to_load(struct client *second, struct client *first) {
    expect_ok(call(first, "DEBUG CHANGE-REPL-ID"));
    expect_number(call(first, "CLIENT KILL TYPE replica"), 1);
    AWAIT(is_loading(second));
}

/* It had loaded some of the data beside its own, and lost its primary. */
TEST(followers_go_on_at_a_server_that_dropped_what_it_loaded) {
    enum { BOXES = 60, CONTENT = 20000 };
    const char *seen[BOXES];
    struct client *first, *second;
    pair_start(&first, &second,
               "repl-diskless-sync yes\nrepl-diskless-sync-delay 0\nrepl-diskless-load swapdb\n"
               "loading-process-events-interval-bytes 1024\nrdbcompression no\n");
    for (int i = 0; i < BOXES; i++) {
        expect_etag(call(first, "CONTAINER.CREATE box%d", i));
        expect_ok(call(first, "CONTAINER.FEED box%d ON", i));
        seen[i] = expect_etag(call(first, "BLOB.PUT box%d a %s", i, pool_print("%0*d", CONTENT, i)));
    }
    expect_ok(call(first, "CONFIG SET rdb-key-save-delay 10000"));
    await_in_step(second, first);
    begin_to_load(second, first);
    AWAIT(!is_loading(second));
    await_in_step(second, first);
    begin_to_load(second, first);
    usleep(400000);
    server_kill(first->server);
    AWAIT(!is_loading(second));
    expect_ok(call(second, "REPLICAOF NO ONE"));
    for (int i = 0; i < BOXES; i++)
        expect_elements(call(second, "CONTAINER.CHANGES box%d SINCE %s", i, seen[i]), 2);
    server_stop(second->server);
}

/* The feed forgets deletions meanwhile. */
static void delete_some(const char *key, int round) {
    for (int i = 0; i < 3; i++) {
        put(key, pool_print("b%d%d", round, i), "x");
        expect_ok(call(primary, "BLOB.DELETE %s b%d%d", key, round, i));
    }
}

TEST(followers_of_a_copy_go_on_when_it_is_made_anew) {
    followed_box("KEEP 5");
    delete_some("box", 0);
    delete_some("box", 1);
    expect_number(call(primary, "COPY box backup"), 1);
    for (int round = 2; round < 5; round++) {
        const char *mark = of_container(primary, "change");
        delete_some("box", round);
        expect_number(call(primary, "COPY box backup REPLACE"), 1);
        redisReply *page = call(primary, "CONTAINER.CHANGES backup SINCE %s", mark);
        expect_told(page, pool_print("-b%d0 -b%d1 -b%d2", round, round, round));
    }
}

TEST(followers_go_on_when_the_container_was_written_under_another_name) {
    followed_box("KEEP 5");
    delete_some("box", 0);
    delete_some("box", 1);
    const char *mark = of_container(primary, "change");
    expect_ok(call(primary, "RENAME box other"));
    delete_some("other", 2);
    expect_ok(call(primary, "RENAME other box"));
    expect_told(changes(mark), "-b20 -b21 -b22");
}

TEST(a_key_of_another_database_has_another_history) {
    followed_box("");
    const char *seen = put("box", "a", "x");
    expect_ok(call(primary, "SELECT 1"));
    followed_box("");
    put("box", "elsewhere", "x");
    expect_ok(call(primary, "SELECT 0"));
    redisReply *payload = call(primary, "DUMP box");
    expect_ok(call(primary, "RESTORE box 0 %b REPLACE", payload->str, payload->len));
    put("box", "b", "x");
    expect_told(changes(seen), "b");
}

/* A container from elsewhere looks like a later state of the same one. */
TEST(a_feed_that_is_turned_off_and_on_tells_all_followers_to_list_anew) {
    followed_box("");
    expect_etag(call(primary, "CONTAINER.CREATE other"));
    expect_ok(call(primary, "CONTAINER.FEED other ON"));
    const char *early = put("other", "a", "x"), *seen = put("box", "b", "x");
    put("other", "c", "x");
    expect_ok(call(primary, "RENAME other box"));
    expect_ok(call(primary, "CONTAINER.FEED box OFF"));
    expect_ok(call(primary, "CONTAINER.FEED box ON"));
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", seen), LOST);
    expect_error(call(primary, "CONTAINER.CHANGES box SINCE %s", early), LOST);
    expect_told(changes("0"), "a c");
}

/* Another one that was written before and after it, also where a key of the same name has a feed elsewhere. */
TEST(a_follower_learns_of_another_container_where_the_feed_was_off) {
    followed_box("");
    expect_ok(call(primary, "CONTAINER.FEED box OFF"));
    expect_ok(call(primary, "SELECT 1"));
    followed_box("");
    expect_ok(call(primary, "CONTAINER.FEED box OFF"));
    expect_ok(call(primary, "CONTAINER.FEED box ON"));
    create("other");
    expect_ok(call(primary, "CONTAINER.FEED other ON"));
    put("other", "a", "x");
    redisReply *older = call(primary, "DUMP other");
    expect_ok(call(primary, "SELECT 0"));
    const char *seen = put("box", "b", "x");
    expect_ok(call(primary, "RESTORE box 0 %b REPLACE", older->str, older->len));
    put("box", "c", "x");
    expect_lost_everywhere("CONTAINER.CHANGES", seen);
}
