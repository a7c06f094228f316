/* What a server knows after it was stopped, killed, or moved in time. The other tests reload the data of
 * running servers; here processes end and start again with the files that they left, or with a part of them. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "hostile.h"
#include "pool.h"
#include "same_everywhere.h"
#include "single_server.h"
#include "steps.h"
#include "text.h"

static const char *const filling[] = {
    "CONTAINER.CREATE box",
    "CONTAINER.CREATE other",
    "BLOB.PUTBLOCK box parts AAAA 100000*a",
    "BLOB.PUTBLOCK box parts AAAB 10*b",
    "BLOB.PUTBLOCKLIST box parts 3 LATEST AAAB LATEST AAAA LATEST AAAB META 1 a b",
    "BLOB.SNAPSHOT box parts",
    "BLOB.PUTBLOCK box parts AAAC 3000000*c",
    "BLOB.PUTBLOCK box waiting AAAA 5*d",
    "BLOB.COPY other parts box parts",
    "BLOB.CREATEPAGE box disk 10485760 SEQUENCE 4",
    "BLOB.PUTPAGE box disk 512 2097152*p",
    "BLOB.SNAPSHOT box disk META 1 c d",
    "BLOB.PUTPAGE box disk 1024 512*q",
    "BLOB.COPY other disk box disk",
    "BLOB.CLEARPAGE other disk 512 512",
    "BLOB.CREATEAPPEND box log",
    "BLOB.APPEND box log 2000000*l",
    "BLOB.APPEND box log 20*m",
    "BLOB.COPY other log box log META 1 e f",
    "BLOB.APPEND box log 70000*n",
    "BLOB.SNAPSHOT box log",
    "BLOB.SNAPSHOT box log",
    "BLOB.APPEND box log end",
};

enum { FILLING = ARRAY_SIZE(filling) };

static redisReply *must(struct client *client, const char *line) {
    struct words words = step_words(line);
    redisReply *reply = call_words(client, &words);
    require(!reply_is_error(reply), "%s gave %s", line, reply_text(reply));
    return reply;
}

static void fill_with_kinds(struct client *client) {
    for (int i = 0; i < FILLING; i++) must(client, filling[i]);
}

static const char *fill(struct client *client) {
    expect_etag(call(client, "CONTAINER.CREATE plain META 2 a b Other value ACCESS CONTAINER"));
    expect_etag(
        call(client, "CONTAINER.SETACL plain ACCESS BLOB POLICIES 2 one 0 1800000000000 rw two - - l"));
    expect_etag(call(client, "CONTAINER.CREATE empty"));
    for (int i = 0; i < 200; i++) {
        expect_etag(call(client,
                         "BLOB.PUT plain blob-%d %s META 1 n %d PROPS 2 content-type text/%d cache-control x",
                         i, pool_print("%0*d", i * 17 + 1, i), i, i));
    }
    for (int i = 0; i < 200; i += 3) expect_ok(call(client, "BLOB.DELETE plain blob-%d", i));
    expect_etag(call(client, "BLOB.SETMETA plain blob-1 META 0"));
    expect_etag(call(client, "BLOB.SETPROPS plain blob-2 PROPS 1 content-language en"));
    expect_number(call(client, "EXPIRE empty 100000"), 1);
    expect_ok(call(client, "SELECT 3"));
    expect_etag(call(client, "CONTAINER.CREATE elsewhere"));
    const char *last = expect_etag(call(client, "BLOB.PUT elsewhere zero %b", "\0\r\n\xff", (size_t)4));
    expect_ok(call(client, "SELECT 0"));
    return last;
}

static void expect_greater_etags(struct client *client, const char *last) {
    const char *next = expect_etag(call(client, "BLOB.PUT plain after-the-restart x"));
    assert_true(strcmp(next, last) > 0);
    assert_true(strcmp(expect_etag(call(client, "CONTAINER.CREATE new")), next) > 0);
}

/* What may happen between the writes and the end; NULL for nothing. */
static void save(struct client *client) {
    expect_ok(call(client, "SAVE"));
}

static void rewrite_plainly(struct client *client) {
    rewrite_append_only_file(client, false);
    must(client, "BLOB.APPEND box log after");
    must(client, "BLOB.PUTBLOCKLIST box parts 2 LATEST AAAC LATEST AAAA");
    must(client, "BLOB.COPY other waiting box parts");
    expect_etag(call(client, "BLOB.PUT plain behind-the-rewrite x"));
}

static void rewrite_with_preamble(struct client *client) {
    rewrite_append_only_file(client, true);
    must(client, "BLOB.PUTPAGE box disk 0 512*z");
    must(client, "BLOB.COPY box disk box disk");
    expect_etag(call(client, "BLOB.PUT plain behind-the-rewrite x"));
}

/* Fills a server, ends it in a way, starts it again and requires the same data. */
static void survive(const char *settings, void (*then)(struct client *client),
                    void (*end)(struct server *server)) {
    struct server *server = server_start("single", settings);
    struct client *client = test_client(server);
    fill_with_kinds(client);
    const char *last = fill(client);
    if (then) then(client);
    client = restarted_as_it_was(client, end);
    expect_greater_etags(client, last);
    expect_text(call(client, "BLOB.GET box log RANGE 2000018 4")->element[1], "mmnn");
    must(client, "BLOB.APPEND box log more");
    must(client, "BLOB.PUTPAGE other disk 1024 512*r");
    expect_text(call(client, "BLOB.GET box disk RANGE 1024 2")->element[1], "qq");
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

TEST(time_to_live_comes_back) {
    struct server *server = server_start("single", settings_with_file);
    struct client *client = test_client(server);
    fill(client);
    rewrite_append_only_file(client, false);
    client = restarted(server, server_kill);
    long long left = call(client, "TTL empty")->integer;
    assert_true(left > 90000 && left <= 100000);
    expect_number(call(client, "TTL plain"), -1);
}

/* --- Torn files --- */

/* The last write of each kind, and a power cut in the middle of it: that write alone is lost. */
TEST(a_torn_end_of_the_file_loses_the_last_write_alone) {
    static const char *const lasts[] = {"BLOB.PUT box torn 1000*x",
                                        "BLOB.APPEND box log 1000*x",
                                        "BLOB.PUTPAGE box disk 0 512*x",
                                        "BLOB.PUTBLOCK box parts AAAD 1000*x",
                                        "BLOB.PUTBLOCKLIST box parts 2 LATEST AAAC LATEST AAAA",
                                        "BLOB.SNAPSHOT box disk",
                                        "BLOB.COPY other new box disk",
                                        "BLOB.DELETE box parts SNAPSHOTS ONLY"};
    for (size_t last = 0; last < ARRAY_SIZE(lasts); last++) {
        struct server *server = server_start("single", settings_with_file);
        struct client *client = test_client(server);
        fill_with_kinds(client);
        const char *digest = digest_of(client);
        must(client, lasts[last]);
        require(strcmp(digest_of(client), digest) != 0, "%s does not show in the digest", lasts[last]);
        server_kill(server);
        append_only_cut(server, 10);
        server_restart(server);
        client = test_client(server);
        require(!strcmp(digest_of(client), digest), "%s is there by half", lasts[last]);
        server_stop(server);
    }
}

/* --- A rewritten file that stops --- */

/* "*3\r\n$14\r\n...": one command; answers where the next one begins. */
static const char *take_command(const char *at, struct words *words) {
    long count = strtol(at + 1, NULL, 10);
    at = strchr(at, '\n') + 1;
    for (long word = 0; word < count; word++) {
        size_t length = strtoul(at + 1, NULL, 10);
        at = strchr(at, '\n') + 1;
        words_add_bytes(words, at, length);
        at += length + 2;
    }
    return at;
}

/* Sends the next commands of a file, at most so many; answers where it stops. */
static const char *play_file(struct client *client, const char *at, const char *end, int max) {
    for (; max > 0 && at < end; max--) {
        struct words words = {0};
        at = take_command(at, &words);
        if (!strcasecmp(words.word[0], "SELECT")) continue;
        redisReply *reply = call_words(client, &words);
        require(!reply_is_error(reply), "%s gave %s", words_text(&words), reply_text(reply));
    }
    return at;
}

static int commands_of_file(const char *at, const char *end) {
    int count = 0;
    for (struct words words = {0}; at < end; count++) at = take_command(at, &words);
    return count;
}

static const char *const filling_share[] = {
    "SHARE.CREATE fs",
    "FILE.MKDIR fs d",
    "FILE.MKDIR fs d/e",
    "FILE.CREATE fs d/e/one 100000",
    "FILE.PUTRANGE fs d/e/one 5000 30000*x",
    "FILE.CREATE fs d/two 2000 META 1 a b",
    "SHARE.SNAPSHOT fs",
    "FILE.PUTRANGE fs d/e/one 9000 10000*y",
    "FILE.RENAME fs d/e f",
    "FILE.COPY fs d/two three",
    "FILE.DELETE fs d/two",
    "SHARE.SNAPSHOT fs",
    "FILE.PUTRANGE fs three 0 100*z",
};

/* As at a node where a slot arrives, and which begins a new file meanwhile: that has what has come, and then the rest. */
TEST(what_a_file_has_begun_to_build_is_saved_and_built_on) {
    enum { CUTS = 9 };
    struct client *source = test_client(server_start("single", settings_with_file));
    fill_with_kinds(source);
    for (size_t i = 0; i < ARRAY_SIZE(filling_share); i++) must(source, filling_share[i]);
    must(source, "CONTAINER.FEED box ON");
    must(source, "BLOB.DELETE box waiting");
    rewrite_append_only_file(source, false);
    const char *digest = digest_of(source);
    size_t length;
    const char *text = text_of_file(append_only_path(source->server, ".base.aof"), &length);
    int commands = commands_of_file(text, text + length);
    struct client *client = test_client(
        server_start("receiver", pool_print("%sholdfast.accept-effects yes\n", settings_with_file)));
    for (int cut = 1; cut <= 2 * CUTS; cut++) {
        const char *rest = play_file(client, text, text + length, commands * (cut / 2) / (CUTS + 1));
        rewrite_append_only_file(client, cut % 2);
        play_file(client, rest, text + length, commands);
        require(!strcmp(digest_of(client), digest), "cut %d of %d commands: built", cut, commands);
        expect_ok(call(client, "DEBUG LOADAOF"));
        require(!strcmp(digest_of(client), digest), "cut %d of %d commands: loaded", cut, commands);
        expect_number(call(client, "DEL box other fs"), 3);
    }
}

/* Every beginning of the commands builds a value that is whole, if not the one that was meant. */
TEST(a_rewritten_file_may_stop_anywhere) {
    struct server *server = server_start("single", settings_with_file);
    struct client *client = test_client(server);
    must(client, "CONTAINER.CREATE box");
    must(client, "BLOB.PUTBLOCK box parts AAAA 1100000*a");
    must(client, "BLOB.PUTBLOCK box parts AAAB 5000*b");
    must(client, "BLOB.PUTBLOCKLIST box parts 3 LATEST AAAB LATEST AAAA LATEST AAAB META 1 a b");
    for (int i = 9; i < FILLING; i++)
        if (!strstr(filling[i], " other ") && !strstr(filling[i], "0000*")) must(client, filling[i]);
    must(client, "BLOB.PUTPAGE box disk 0 70144*y");
    must(client, "BLOB.PUTBLOCK box waiting AAAA 5*d");
    rewrite_append_only_file(client, false);
    const char *digest = value_digest(client, "box");
    size_t length;
    const char *text = text_of_file(append_only_path(server, ".base.aof"), &length);
    server_stop(server);
    expect_misfits();
    configure(primary, "holdfast.accept-effects", "yes");
    for (int max = 1;; max++) {
        bool whole = play_file(primary, text, text + length, max) == text + length;
        if (call(primary, "EXISTS box")->integer && whole) {
            assert_string_equal(value_digest(primary, "box"), digest);
            break;
        }
        if (call(primary, "EXISTS box")->integer) require_whole("box");
        call(primary, "DEL box");
    }
}
