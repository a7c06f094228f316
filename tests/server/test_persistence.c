/* What a server knows after it was stopped, killed, or moved in time. The other tests reload the data of
 * running servers; here processes end and start again with the files that they left. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "text.h"

static const char *fill(struct client *client) {
    expect_etag(call(client, "CONTAINER.CREATE box META 2 a b Other value ACCESS CONTAINER"));
    expect_etag(call(client, "CONTAINER.SETACL box ACCESS BLOB POLICIES 2 one 0 1800000000000 rw two - - l"));
    expect_etag(call(client, "CONTAINER.CREATE empty"));
    for (int i = 0; i < 200; i++) {
        expect_etag(call(client,
                         "BLOB.PUT box blob-%d %s META 1 n %d PROPS 2 content-type text/%d cache-control x",
                         i, pool_print("%0*d", i * 17 + 1, i), i, i));
    }
    for (int i = 0; i < 200; i += 3) expect_ok(call(client, "BLOB.DELETE box blob-%d", i));
    expect_etag(call(client, "BLOB.SETMETA box blob-1 META 0"));
    expect_etag(call(client, "BLOB.SETPROPS box blob-2 PROPS 1 content-language en"));
    expect_number(call(client, "EXPIRE empty 100000"), 1);
    expect_ok(call(client, "SELECT 3"));
    expect_etag(call(client, "CONTAINER.CREATE elsewhere"));
    const char *last = expect_etag(call(client, "BLOB.PUT elsewhere zero %b", "\0\r\n\xff", (size_t)4));
    expect_ok(call(client, "SELECT 0"));
    return last;
}

static void expect_greater_etags(struct client *client, const char *last) {
    const char *next = expect_etag(call(client, "BLOB.PUT box after-the-restart x"));
    assert_true(strcmp(next, last) > 0);
    assert_true(strcmp(expect_etag(call(client, "CONTAINER.CREATE new")), next) > 0);
}

/* What may happen between the writes and the end; NULL for nothing. */
static void save(struct client *client) {
    expect_ok(call(client, "SAVE"));
}

static void rewrite_plainly(struct client *client) {
    rewrite_append_only_file(client, false);
    expect_etag(call(client, "BLOB.PUT box behind-the-rewrite x"));
}

static void rewrite_with_preamble(struct client *client) {
    rewrite_append_only_file(client, true);
    expect_etag(call(client, "BLOB.PUT box behind-the-rewrite x"));
}

/* Fills a server, ends it in a way, starts it again and requires the same data. */
static void survive(const char *settings, void (*then)(struct client *client),
                    void (*end)(struct server *server)) {
    struct server *server = server_start("single", settings);
    struct client *client = test_client(server);
    const char *last = fill(client);
    if (then) then(client);
    client = restarted_as_it_was(client, end);
    expect_greater_etags(client, last);
}

TEST(a_killed_server_has_all_that_it_answered) {
    survive(settings_with_file, NULL, server_kill);
}

TEST(a_saved_server_comes_back) {
    survive("", save, server_kill);
}

TEST(a_stopped_server_comes_back_from_its_append_only_file) {
    survive(settings_with_file, NULL, server_stop);
}

TEST(a_rewrite_without_preamble_is_enough) {
    survive(settings_with_file, rewrite_plainly, server_kill);
}

TEST(a_rewrite_with_preamble_is_enough) {
    survive(settings_with_file, rewrite_with_preamble, server_kill);
}

/* In a file a large content comes in pieces, and is read across their borders afterwards. */
TEST(a_large_content_is_whole_after_a_rewrite) {
    enum { LENGTH = (3 << 20) + 12345, PIECE = 1 << 20, TWO_PIECES = 2 << 20 };
    struct client *client = test_client(server_start("single", settings_with_file));
    char *content = pool_take(LENGTH);
    for (size_t place = 0; place < LENGTH; place++) content[place] = (char)(place >> 9 ^ place);
    expect_etag(call(client, "CONTAINER.CREATE box"));
    const char *etag = expect_etag(call(client, "BLOB.PUT box large %b META 1 a b", content, (size_t)LENGTH));
    rewrite_append_only_file(client, false);
    client = restarted(client->server, server_kill);
    redisReply *reply = expect_elements(call(client, "BLOB.GET box large IFMATCH %s", etag), 2);
    expect_bytes(reply->element[1], content, LENGTH);
    for (size_t border = PIECE; border < LENGTH; border += PIECE) {
        reply = call(client, "BLOB.GET box large RANGE %d 300", (int)border - 100);
        expect_bytes(reply->element[1], content + border - 100, 300);
    }
    reply = call(client, "BLOB.GET box large RANGE 5 %d", TWO_PIECES);
    expect_bytes(reply->element[1], content + 5, TWO_PIECES);
    expect_number(call(client, "COPY box twin"), 1);
    expect_etag(call(client, "BLOB.PUT box large small IFMATCH %s", etag));
    expect_bytes(call(client, "BLOB.GET twin large")->element[1], content, LENGTH);
}

/* Ten minutes back, as a machine whose clock was set: versions still grow. */
TEST(a_clock_that_went_back_gives_no_old_etags) {
    struct server *server = server_start("single", settings_with_file);
    struct client *client = test_client(server);
    const char *last = fill(client);
    server_kill(server);
    server_set(server, pool_print("%sholdfast.clock-offset-ms -600000\n", settings_with_file));
    server_restart(server);
    expect_greater_etags(test_client(server), last);
}

/* A power cut in the middle of a write loses that write alone. */
TEST(a_torn_end_of_the_file_loses_the_last_write_alone) {
    struct server *server = server_start("single", settings_with_file);
    struct client *client = test_client(server);
    fill(client);
    const char *digest = digest_of(client);
    expect_etag(call(client, "BLOB.PUT box torn %01000d", 1));
    server_kill(server);
    append_only_cut(server, 100);
    server_restart(server);
    client = test_client(server);
    expect_error(call(client, "BLOB.GET box torn"), "NOTFOUND BlobNotFound");
    assert_string_equal(digest_of(client), digest);
}

TEST(time_to_live_comes_back) {
    struct server *server = server_start("single", settings_with_file);
    struct client *client = test_client(server);
    fill(client);
    rewrite_append_only_file(client, false);
    client = restarted(server, server_kill);
    long long left = call(client, "TTL empty")->integer;
    assert_true(left > 90000 && left <= 100000);
    expect_number(call(client, "TTL box"), -1);
}
