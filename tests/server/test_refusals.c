/* A refused command leaves no trace, wherever it comes from; and what is done beside it stays done. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "stream.h"
#include "text.h"
#include "traces.h"
#include "wire.h"

/* On a container `box` with a blob `cat` in it and a string `text`. */
static const char *const refused[] = {
    "CONTAINER.CREATE box",
    "CONTAINER.CREATE text",
    "CONTAINER.CREATE none META 1 1bad x",
    "CONTAINER.SETMETA none META 1 a b",
    "CONTAINER.SETMETA box META 1 a b IFMATCH 0x0000000000000001",
    "CONTAINER.SETACL box IFUNMODIFIEDSINCE 1",
    "CONTAINER.DELETE box IFMATCH 0x0000000000000001",
    "CONTAINER.DELETE none",
    "BLOB.PUT none cat x",
    "BLOB.PUT box cat x IFMATCH 0x0000000000000001",
    "BLOB.PUT box cat x IFNONEMATCH *",
    "BLOB.PUT box none x IFMATCH *",
    "BLOB.PUT box cat x IFMODIFIEDSINCE 9000000000000",
    "BLOB.PUT text cat x",
    "BLOB.SETPROPS box none PROPS 0",
    "BLOB.SETPROPS box cat PROPS 0 IFMATCH 0x0000000000000001",
    "BLOB.SETMETA box none META 0",
    "BLOB.SETMETA box cat META 0 IFUNMODIFIEDSINCE 1",
    "BLOB.DELETE box none",
    "BLOB.DELETE box cat IFMATCH 0x0000000000000001",
    "BLOB.PUTBLOCK box cat ! x",
    "BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA",
    "BLOB.PUTPAGE box cat 0 x",
    "BLOB.CREATEPAGE box none 100",
    "BLOB.APPEND box cat x",
    "BLOB.SNAPSHOT box cat IFMATCH 0x0000000000000001",
    "BLOB.COPY box none none cat",
    "BLOB.COPY box none text cat",
    "BLOB.COPY box none box cat SOURCEIFNONEMATCH 0x0000000000000001 SOURCEIFMATCH *",
    "BLOB.ABORTCOPY box cat 0x0000000000000001",
    "BLOB.DELETE box cat SNAPSHOT 0x0000000000000001",
    "BLOB.GET box none",
    "BLOB.GET box cat IFMATCH 0x0000000000000001",
};

enum { REFUSED = ARRAY_SIZE(refused) };

BEFORE_EACH {
    create("box");
    put("box", "cat", "meow");
    expect_ok(call(primary, "SET text x"));
}

static void refuse_all(void) {
    for (size_t i = 0; i < REFUSED; i++) {
        redisReply *reply = call_line(primary, refused[i]);
        require(reply_is_error(reply) && !text_begins(reply->str, "ERR"), "%s gave %s", refused[i],
                reply_text(reply));
    }
}

TEST(refusals_leave_no_trace) {
    struct stream *stream = stream_attach(primary->server);
    traces_begin("none");
    refuse_all();
    traces_require_none();
    stream_expect(stream, primary, "");
}

TEST(refusals_in_a_transaction_leave_no_trace) {
    struct stream *stream = stream_attach(primary->server);
    traces_begin("none");
    expect_ok(call(primary, "MULTI"));
    for (size_t i = 0; i < REFUSED; i++) call_line(primary, refused[i]);
    redisReply *replies = expect_elements(call(primary, "EXEC"), REFUSED);
    for (size_t i = 0; i < REFUSED; i++) assert_true(reply_is_error(replies->element[i]));
    traces_require_none();
    stream_expect(stream, primary, "");
}

TEST(refusals_in_a_script_leave_no_trace) {
    struct stream *stream = stream_attach(primary->server);
    traces_begin("none");
    for (size_t i = 0; i < REFUSED; i++) {
        struct words words = words_of_line("EVAL");
        words_add(&words, "return redis.pcall(unpack(ARGV))");
        words_add_line(&words, "3 box none text");
        words_add_line(&words, refused[i]);
        redisReply *reply = call_words(primary, &words);
        require(reply_is_error(reply), "%s gave %s", refused[i], reply_text(reply));
    }
    traces_require_none();
    stream_expect(stream, primary, "");
}

TEST(commands_beside_a_refused_one_are_done) {
    struct stream *stream = stream_attach(primary->server);
    expect_ok(call(primary, "MULTI"));
    call(primary, "BLOB.PUT box dog woof");
    call(primary, "BLOB.PUT box cat x IFNONEMATCH *");
    call(primary, "BLOB.DELETE box cat");
    redisReply *replies = expect_elements(call(primary, "EXEC"), 3);
    expect_etag(replies->element[0]);
    expect_error(replies->element[1], "CONFLICT BlobAlreadyExists");
    expect_ok(replies->element[2]);
    stream_expect(stream, primary, "MULTI\nHOLDFAST.APPLY box\nHOLDFAST.APPLY box\nEXEC");
}

/* Clients that keep keys in a cache are told of changes, and only of changes. */
TEST(refusals_invalidate_no_cache) {
    struct wire *cache = wire_open_resp3(primary->server);
    expect_ok(wire_call(cache, "CLIENT TRACKING ON"));
    expect_etag(wire_call(cache, "BLOB.GET box cat"));
    refuse_all();
    expect_text(wire_call(cache, "ECHO nothing-came"), "nothing-came");
    put("box", "cat", "purr");
    expect_shape(wire_receive(cache), "[\"invalidate\", [\"box\"]]");
}

/* A refusal must not even revive or delete what time has ended. */
TEST(refusals_on_a_key_whose_time_is_over) {
    expect_number(call(primary, "PEXPIRE box 1"), 1);
    AWAIT(!call(primary, "EXISTS box")->integer);
    expect_error(call(primary, "BLOB.PUT box cat x"), "NOTFOUND ContainerNotFound");
    expect_error(call(primary, "BLOB.GET box cat"), "NOTFOUND ContainerNotFound");
    expect_number(call(primary, "EXISTS box"), 0);
}

TEST(a_client_may_not_send_effects) {
    static const char *const attempts[] = {
        "HOLDFAST.APPLY",
        "HOLDFAST.APPLY box",
        "HOLDFAST.APPLY box x",
        "HOLDFAST.APPLY none x",
        "HOLDFAST.APPLY box x payload",
        "HOLDFAST.APPLY text x",
        "HFA box x",
    };
    struct stream *stream = stream_attach(primary->server);
    put("box", "dog", "woof");
    redisReply *effect = stream_commands(stream, primary)->element[0];
    traces_begin("none");
    for (size_t i = 0; i < ARRAY_SIZE(attempts); i++)
        assert_true(reply_is_error(call_line(primary, attempts[i])));
    struct words real = {0};
    for (size_t i = 0; i < effect->elements; i++)
        words_add_bytes(&real, effect->element[i]->str, effect->element[i]->len);
    assert_true(reply_is_error(call_words(primary, &real)));
    struct words script = words_of_line("EVAL");
    words_add(&script, "return redis.pcall(unpack(ARGV))");
    words_add_line(&script, "1 box");
    for (size_t i = 0; i < real.count; i++) words_add_bytes(&script, real.word[i], real.length[i]);
    assert_true(reply_is_error(call_words(primary, &script)));
    traces_require_none();
}
