/* Files with blobs of all kinds: what a server knows after it was killed, or its file torn, and what the commands of a
 * rewritten file build, also when they stop in the middle. */
#define _GNU_SOURCE
#include <stdio.h>
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

static void fill(struct client *client) {
    for (int i = 0; i < FILLING; i++) must(client, filling[i]);
}

static void rewrite_plainly(struct client *client) {
    rewrite_append_only_file(client, false);
    must(client, "BLOB.APPEND box log after");
    must(client, "BLOB.PUTBLOCKLIST box parts 2 LATEST AAAC LATEST AAAA");
    must(client, "BLOB.COPY other waiting box parts");
}

static void rewrite_with_preamble(struct client *client) {
    rewrite_append_only_file(client, true);
    must(client, "BLOB.PUTPAGE box disk 0 512*z");
    must(client, "BLOB.COPY box disk box disk");
}

static void write_snapshot(struct client *client) {
    must(client, "SAVE");
}

/* `then` is what may happen between the writes and the end; NULL for nothing. */
static void survive(const char *settings, void (*then)(struct client *client)) {
    struct server *server = server_start("single", settings);
    struct client *client = test_client(server);
    fill(client);
    if (then) then(client);
    client = restarted_as_it_was(client, server_kill);
    expect_text(call(client, "BLOB.GET box log RANGE 2000018 4")->element[1], "mmnn");
    must(client, "BLOB.APPEND box log more");
    must(client, "BLOB.PUTPAGE other disk 1024 512*r");
    expect_text(call(client, "BLOB.GET box disk RANGE 1024 2")->element[1], "qq");
}

TEST(a_killed_server_has_all_that_it_answered) {
    survive(settings_with_file, NULL);
}

TEST(a_saved_server_comes_back) {
    survive("", write_snapshot);
}

TEST(a_rewrite_without_preamble_is_enough) {
    survive(settings_with_file, rewrite_plainly);
}

TEST(a_rewrite_with_preamble_is_enough) {
    survive(settings_with_file, rewrite_with_preamble);
}

/* --- Torn files --- */

/* The last write of each kind, and a power cut in the middle of it: that write alone is lost. */
TEST(a_torn_end_loses_the_last_write_alone) {
    static const char *const lasts[] = {"BLOB.APPEND box log 1000*x",
                                        "BLOB.PUTPAGE box disk 0 512*x",
                                        "BLOB.PUTBLOCK box parts AAAD 1000*x",
                                        "BLOB.PUTBLOCKLIST box parts 2 LATEST AAAC LATEST AAAA",
                                        "BLOB.SNAPSHOT box disk",
                                        "BLOB.COPY other new box disk",
                                        "BLOB.DELETE box parts SNAPSHOTS ONLY"};
    for (size_t last = 0; last < ARRAY_SIZE(lasts); last++) {
        struct server *server = server_start("single", settings_with_file);
        struct client *client = test_client(server);
        fill(client);
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
        const char *at = text;
        int done = 0;
        for (; done < max && at < text + length; done++) {
            struct words words = {0};
            at = take_command(at, &words);
            if (!strcasecmp(words.word[0], "SELECT")) continue;
            redisReply *reply = call_words(primary, &words);
            require(!reply_is_error(reply), "%s gave %s", words_text(&words), reply_text(reply));
        }
        if (call(primary, "EXISTS box")->integer && done < max) {
            assert_string_equal(value_digest(primary, "box"), digest);
            break;
        }
        if (call(primary, "EXISTS box")->integer) require_whole("box");
        call(primary, "DEL box");
    }
}
