/* Answers are handed to the server as bytes of the protocol. Nobody notices: where that cannot be done, because another
 * module filters the call that is needed for it, each value is written by the server, and all reads the same. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "single_server.h"
#include "wire.h"

enum {
    WORD_BYTES = 1100, /* longer than what is gathered */
    LISTED = 200,      /* more than is gathered at once */
    CALLS_FOR_SAMPLES = 2
};

static const char *const prepared[] = {
    "CONTAINER.CREATE box",
    "BLOB.PUT box cat meow META 2 name tom sound meow",
    "BLOB.PUT box empty EMPTY",
    "LEASE.ACQUIRE box -1 ID 00000000-0000-0000-0000-00000000000a BLOB cat",
    "TABLE.CREATE tab",
    "TABLE.INSERT tab p r PROPS 4 s text e EMPTY i:int32 -42 b:bool true",
    "TABLE.MERGE tab p r IFMATCH * PROPS 2 l:int64 -9223372036854775808 d:double 1.5",
    "TABLE.MERGE tab p r IFMATCH * PROPS 1 t:datetime 2026-11-18T09:30:00.123Z",
    "TABLE.MERGE tab p r IFMATCH * PROPS 1 g:guid 00000000-0000-0000-0000-00000000000b",
    "QUEUE.CREATE jobs",
    "SHARE.CREATE fs",
    "FILE.MKDIR fs folder",
    "FILE.CREATE fs folder/file 10",
};

static const char *const lines[] = {
    "BLOB.GET box cat",
    "BLOB.GET box empty",
    "BLOB.GET box none",
    "BLOB.STAT box cat",
    "BLOB.LIST box",
    "BLOB.LIST box COUNT 1",
    "LEASE.RENEW box 00000000-0000-0000-0000-00000000000a BLOB cat",
    "TABLE.GET tab p r",
    "TABLE.GET tab p none",
    "TABLE.QUERY tab",
    "TABLE.QUERY tab FILTER \"i gt 0\"",
    "TABLE.QUERY tab EXPLAIN",
    "QUEUE.GET jobs",
    "QUEUE.STAT jobs",
    "SHARE.STAT fs",
    "FILE.GET fs folder/file",
    "FILE.LIST fs folder",
    "FILE.RANGES fs folder/file",
    "HOLDFAST.ATOMIC 3 4 BLOB.PUT box dog woof 3 BLOB.GET box cat 3 BLOB.DELETE box dog",
};

static struct words words_with(const char *line) {
    struct words words = words_of_line(line);
    for (size_t i = 0; i < words.count; i++)
        if (!strcmp(words.word[i], "EMPTY")) words.length[i] = 0;
    return words;
}

static void prepare(struct client *client) {
    for (size_t i = 0; i < ARRAY_SIZE(prepared); i++) {
        struct words words = words_with(prepared[i]);
        redisReply *reply = call_words(client, &words);
        require(!reply_is_error(reply), "%s: %s", prepared[i], reply_text(reply));
    }
    for (int i = 0; i < LISTED; i++) expect_etag(call(client, "BLOB.PUT box blob:%d %d", i, i));
}

static struct client *filtered_server(void) {
    return test_client(server_start("filtered", pool_print("loadmodule %s\n", test_library("filter.so"))));
}

static const char *answer(struct wire *wire, const char *line) {
    struct words words = words_of_line(line);
    return reply_shape(wire_call_words(wire, &words));
}

static void require_same_answers(struct client *one, struct client *other,
                                 struct wire *(*open)(struct server *server)) {
    struct wire *wire = open(one->server), *beside = open(other->server);
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        const char *raw = answer(wire, lines[i]), *by_value = answer(beside, lines[i]);
        require(!strcmp(raw, by_value), "%s\n    %s\nand value by value\n    %s", lines[i], raw, by_value);
    }
}

TEST(answers_are_the_same_where_the_server_writes_each_value) {
    struct client *usual = test_client(server_start("usual", "")), *filtered = filtered_server();
    assert_int_equal(info_calls_of(usual, "HOLDFAST.HELP"), CALLS_FOR_SAMPLES);
    assert_int_equal(info_calls_of(filtered, "HOLDFAST.HELP"), 0);
    prepare(usual);
    prepare(filtered);
    require_same_answers(usual, filtered, wire_open);
    require_same_answers(usual, filtered, wire_open_resp3);
}

/* Each length of an answer has a sample of its own. */
TEST(contents_of_any_length_come_back) {
    char word[WORD_BYTES];
    for (int i = 0; i < WORD_BYTES; i++) word[i] = (char)('a' + i % 23);
    create("box");
    for (size_t length = 0; length < WORD_BYTES; length++) {
        const char *etag = expect_etag(call(primary, "BLOB.PUT box cat %b", word, length));
        redisReply *reply = call(primary, "BLOB.GET box cat");
        expect_elements(reply, 2);
        assert_string_equal(reply_string(reply->element[0]), etag);
        assert_int_equal(reply->element[1]->len, length);
        assert_memory_equal(reply->element[1]->str, word, length);
    }
}

/* One longer than the other, in one packet, and in the middle of others' answers. */
TEST(answers_of_several_calls_stay_apart) {
    create("box");
    for (int i = 0; i < LISTED; i++)
        send_call(primary, "BLOB.PUT box blob:%d %s", i, pool_print("%0*d", i + 1, i));
    for (int i = 0; i < LISTED; i++) expect_etag(receive(primary));
    for (int i = 0; i < LISTED; i++) {
        send_call(primary, "BLOB.GET box blob:%d", i);
        send_call(primary, "PING");
        send_call(primary, "BLOB.GET box none");
    }
    for (int i = 0; i < LISTED; i++) {
        redisReply *reply = receive(primary);
        expect_elements(reply, 2);
        assert_string_equal(reply_string(reply->element[1]), pool_print("%0*d", i + 1, i));
        assert_string_equal(reply_text(receive(primary)), "PONG");
        expect_error(receive(primary), "NOTFOUND BlobNotFound the blob does not exist");
    }
    redisReply *listed = call(primary, "BLOB.LIST box COUNT %d", LISTED);
    assert_int_equal(listed->element[1]->elements, LISTED);
}
