/* The ways to the commands of all kinds of blobs: plain, in a transaction, in a script, and by the newer protocol. The
 * answers are the same, and so is what they leave. */
#include <string.h>

#include "blobs.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "text.h"
#include "wire.h"

static const char *const commands[] = {
    "CONTAINER.CREATE box",
    "BLOB.PUTBLOCK box cat AAAA one",
    "BLOB.PUTBLOCK box cat AAAB 9000*x",
    "BLOB.GETBLOCKLIST box cat ALL",
    "BLOB.PUTBLOCKLIST box cat 2 LATEST AAAB LATEST AAAA META 1 a b",
    "BLOB.GETBLOCKLIST box cat",
    "BLOB.GET box cat RANGE 8998 5",
    "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAC",
    "BLOB.SNAPSHOT box cat META 1 c d",
    "BLOB.CREATEPAGE box disk 131072 SEQUENCE 3",
    "BLOB.PUTPAGE box disk 512 66048*y",
    "BLOB.CLEARPAGE box disk 1024 512 IFSEQUENCE EQ 3",
    "BLOB.PUTPAGE box disk 1 x",
    "BLOB.SETPROPS box disk SIZE 65536 SEQUENCE INCREMENT",
    "BLOB.GETPAGES box disk",
    "BLOB.CREATEAPPEND box log",
    "BLOB.APPEND box log 70000*z",
    "BLOB.APPEND box log end IFPOSITION 70000",
    "BLOB.APPEND box log end IFPOSITION 1",
    "BLOB.SEAL box log",
    "BLOB.APPEND box log more",
    "BLOB.GET box log RANGE 69999 -1",
    "BLOB.COPY box twin box cat",
    "BLOB.COPY box twin box disk",
    "BLOB.COPY box disk box disk",
    "BLOB.ABORTCOPY box twin 0x0000000000000001",
    "BLOB.STAT box twin",
    "BLOB.DELETE box cat",
    "BLOB.DELETE box cat SNAPSHOTS INCLUDE",
    "BLOB.PUTBLOCK box new AAAA x",
    "BLOB.LIST box INCLUDE 4 SNAPSHOTS META UNCOMMITTED COPY",
};

enum { COMMANDS = ARRAY_SIZE(commands) };

static const char *shapes[COMMANDS];

static void play_plainly(void) {
    for (int i = 0; i < COMMANDS; i++) {
        struct words words = step_words(commands[i]);
        shapes[i] = reply_shape(call_words(primary, &words));
    }
}

/* Messages may name ETags, so of an error its first two words count. */
static void require_same_shape(int index, const redisReply *reply, const char *way) {
    const char *shape = reply_shape(reply);
    size_t length = strlen(shapes[index]);
    const char *end = reply_is_error(reply) ? strchr(shapes[index] + strlen("(error) "), ' ') : NULL;
    if (end) length = (size_t)(strchr(end + 1, ' ') - shapes[index]);
    require(!strncmp(shape, shapes[index], length), "%s gives\n    %s\nand %s\n    %s", commands[index],
            shapes[index], way, shape);
}

TEST(blob_commands_in_transactions) {
    play_plainly();
    expect_number(call(primary, "DEL box"), 1);
    expect_ok(call(primary, "MULTI"));
    for (int i = 0; i < COMMANDS; i++) {
        struct words words = step_words(commands[i]);
        expect_text(call_words(primary, &words), "QUEUED");
    }
    redisReply *replies = expect_elements(call(primary, "EXEC"), COMMANDS);
    for (int i = 0; i < COMMANDS; i++) require_same_shape(i, replies->element[i], "in a transaction");
}

static redisReply *call_in_script(const char *line) {
    struct words words = words_of_line("EVAL");
    words_add(&words, "return redis.call(unpack(ARGV))");
    words_add_line(&words, "1 box");
    struct words inner = step_words(line);
    for (size_t i = 0; i < inner.count; i++) words_add_bytes(&words, inner.word[i], inner.length[i]);
    return call_words(primary, &words);
}

TEST(blob_commands_in_scripts) {
    play_plainly();
    expect_number(call(primary, "DEL box"), 1);
    for (int i = 0; i < COMMANDS; i++) require_same_shape(i, call_in_script(commands[i]), "in a script");
}

/* One script that does all of it, with arguments that are kept. */
TEST(a_script_keeps_what_it_brings) {
    create("box");
    expect_text(
        call(primary, "EVAL %s 1 box",
             "local block = string.rep('0123456789', 10000) "
             "redis.call('BLOB.PUTBLOCK', KEYS[1], 'cat', 'AAAA', block) "
             "redis.call('BLOB.PUTBLOCKLIST', KEYS[1], 'cat', '2', 'LATEST', 'AAAA', 'LATEST', 'AAAA') "
             "redis.call('BLOB.CREATEAPPEND', KEYS[1], 'log') "
             "redis.call('BLOB.APPEND', KEYS[1], 'log', block) "
             "redis.call('BLOB.APPEND', KEYS[1], 'log', block) "
             "block = nil collectgarbage() "
             "return redis.call('BLOB.GET', KEYS[1], 'log', 'RANGE', '99998', '4')[2]"),
        "8901");
    assert_string_equal(content_of("box", "cat", "RANGE 99998 4"), "8901");
    expect_ok(call(primary, "DEBUG RELOAD"));
    assert_string_equal(content_of("box", "log", "RANGE 199996 -1"), "6789");
}

/* Maps where the older protocol has flat arrays, and nothing else is other. */
TEST(replies_in_resp3_have_maps) {
    static const struct {
        const char *command, *answer;
    } rows[] = {
        {"BLOB.GETBLOCKLIST box cat ALL",
         "{\"etag\": <etag>, \"content-length\": 3, \"committed\": [[\"AAAA\", 3]], \"uncommitted\": []}"},
        {"BLOB.GETPAGES box disk", "{\"etag\": <etag>, \"content-length\": 1024, \"pages\": [[0, 512]]}"},
        {"BLOB.GETPAGES box disk SINCE $s",
         "{\"etag\": <etag>, \"content-length\": 1024, \"pages\": [[0, 512]], \"cleared\": []}"},
        {"BLOB.PUTPAGE box disk 512 512*x", "[<etag>, 0]"},
        {"BLOB.SNAPSHOT box disk", "[<etag>, <etag>]"},
        {"BLOB.COPY box twin box cat", "[<etag>, <etag>, \"success\"]"},
        {"BLOB.CREATEAPPEND box log", "<etag>"},
        {"BLOB.APPEND box log x", "[<etag>, 0, 1]"},
        {"BLOB.GET box cat SNAPSHOT $s BLOCK 0.01", "(error) NOTFOUND"},
        {"BLOB.STAT box log",
         "{\"blob-type\": \"append\", \"etag\": <etag>, \"last-modified\": <ms>, \"created\": <ms>, "
         "\"content-length\": 1, \"content-type\": \"application/octet-stream\", \"block-count\": 1, "
         "\"snapshots\": 0, \"lease-state\": \"available\", \"lease-status\": \"unlocked\", \"meta\": {}}"},
    };
    create("box");
    expect_ok(call(primary, "BLOB.PUTBLOCK box cat AAAA one"));
    expect_etag(call(primary, "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA"));
    expect_etag(call(primary, "BLOB.CREATEPAGE box disk 1024"));
    step_keep('s', snapshot("box", "disk"));
    step_play("BLOB.PUTPAGE box disk 0 512*x", "[<etag>, 0]", 0);
    struct wire *wire = wire_open_resp3(primary->server);
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        struct words words = step_words(rows[row].command);
        redisReply *reply = wire_call_words(wire, &words);
        require(text_begins(reply_shape(reply), rows[row].answer), "%s gave %s", rows[row].command,
                reply_shape(reply));
    }
}
