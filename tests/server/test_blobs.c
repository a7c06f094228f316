/* Blobs: put, get, stat, ranges, properties, metadata, delete. Conditions and listing have files of their own. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "traces.h"

BEFORE_EACH {
    create("box");
}

TEST(put_and_get) {
    const char *etag = put("box", "cat", "meow");
    redisReply *reply = expect_elements(call(primary, "BLOB.GET box cat"), 2);
    expect_text(reply->element[0], etag);
    expect_text(reply->element[1], "meow");
    expect_error(call(primary, "BLOB.GET box dog"), "NOTFOUND BlobNotFound");
}

TEST(every_put_gives_a_greater_etag) {
    const char *first = put("box", "cat", "meow");
    const char *second = put("box", "cat", "meow");
    assert_true(strcmp(second, first) > 0);
    redisReply *stat = stat_of("box", "cat");
    expect_number(field(stat, "created"), field(stat, "last-modified")->integer);
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    const char *third = put("box", "cat", "meow");
    assert_true(strcmp(third, second) > 0);
}

TEST(content_is_any_bytes_of_any_length) {
    static const size_t lengths[] = {0,   1,   2,    31,    32,    33,    43,    44,     45,
                                     255, 256, 4096, 16383, 16384, 32768, 65536, 1000003};
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        size_t length = lengths[i];
        char *content = pool_take(length + 1);
        for (size_t place = 0; place < length; place++) content[place] = (char)(place * 31 + length);
        expect_etag(call(primary, "BLOB.PUT box blob %b", content, length));
        expect_bytes(call(primary, "BLOB.GET box blob")->element[1], content, length);
        expect_number(field(stat_of("box", "blob"), "content-length"), (long long)length);
        expect_etag(call(primary, "BLOB.PUT box %s %b", pool_print("kept%zu", length), content, length));
    }
}

TEST(numbers_as_content_stay_text) {
    static const char *const contents[] = {"0", "12", "-7", "007", "1e3", "9223372036854775807", " 1"};
    for (size_t i = 0; i < ARRAY_SIZE(contents); i++) {
        put("box", contents[i], contents[i]);
        expect_text(call(primary, "BLOB.GET box %s", contents[i])->element[1], contents[i]);
    }
}

TEST(stat_tells_everything) {
    put("box", "cat", "meow");
    expect_shape(stat_of("box", "cat"),
                 "[\"blob-type\", \"block\", \"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, "
                 "\"content-length\", 4, \"content-type\", \"application/octet-stream\", \"snapshots\", 0, "
                 "\"lease-state\", \"available\", \"lease-status\", \"unlocked\", \"meta\", []]");
    expect_etag(call(primary, "BLOB.PUT box cat meow PROPS 6 content-type text/plain content-encoding gzip "
                              "content-language en content-disposition inline cache-control no-cache "
                              "content-md5 SkvkDJasYxTpHZPzgEOmNA== META 1 a b"));
    redisReply *stat = stat_of("box", "cat");
    expect_text(field(stat, "content-type"), "text/plain");
    expect_text(field(stat, "content-encoding"), "gzip");
    expect_text(field(stat, "content-language"), "en");
    expect_text(field(stat, "content-disposition"), "inline");
    expect_text(field(stat, "cache-control"), "no-cache");
    expect_text(field(stat, "content-md5"), "SkvkDJasYxTpHZPzgEOmNA==");
    expect_shape(field(stat, "meta"), "[\"a\", \"b\"]");
}

TEST(md5_is_verified_when_it_comes_with_the_content) {
    put("box", "cat", "old");
    traces_begin("");
    expect_error(call(primary, "BLOB.PUT box cat meow PROPS 1 content-md5 AAAAAAAAAAAAAAAAAAAAAA=="),
                 "INVALID Md5Mismatch");
    expect_error(call(primary, "BLOB.PUT box new meow PROPS 1 content-md5 AAAAAAAAAAAAAAAAAAAAAA=="),
                 "INVALID Md5Mismatch");
    traces_require_none();
    expect_etag(call(primary, "BLOB.SETPROPS box cat PROPS 1 content-md5 AAAAAAAAAAAAAAAAAAAAAA=="));
    expect_text(field(stat_of("box", "cat"), "content-md5"), "AAAAAAAAAAAAAAAAAAAAAA==");
    expect_etag(call(primary, "BLOB.PUT box empty %s PROPS 1 content-md5 1B2M2Y8AsgTpgAmY7PhCfg==", ""));
    put("box", "cat", "plain");
    assert_null(reply_field_if_any(stat_of("box", "cat"), "content-md5"));
}

TEST(setprops_replaces_all_six) {
    const char *first = expect_etag(call(
        primary, "BLOB.PUT box cat meow PROPS 2 content-type text/plain content-language en META 1 a b"));
    const char *second = expect_etag(call(primary, "BLOB.SETPROPS box cat PROPS 1 cache-control no-store"));
    assert_true(strcmp(second, first) > 0);
    redisReply *stat = stat_of("box", "cat");
    expect_text(field(stat, "etag"), second);
    expect_text(field(stat, "cache-control"), "no-store");
    expect_text(field(stat, "content-type"), "application/octet-stream");
    assert_null(reply_field_if_any(stat, "content-language"));
    expect_shape(field(stat, "meta"), "[\"a\", \"b\"]");
    expect_text(call(primary, "BLOB.GET box cat")->element[1], "meow");
    expect_etag(call(primary, "BLOB.SETPROPS box cat PROPS 0"));
    assert_null(reply_field_if_any(stat_of("box", "cat"), "cache-control"));
}

/* As with the service's headers: there is no difference between an empty one and none. */
TEST(empty_properties_are_absent) {
    expect_etag(call(primary, "BLOB.PUT box cat meow PROPS 2 content-language %s content-md5 %s", "", ""));
    redisReply *stat = stat_of("box", "cat");
    assert_null(reply_field_if_any(stat, "content-language"));
    assert_null(reply_field_if_any(stat, "content-md5"));
    expect_etag(call(primary, "BLOB.SETPROPS box cat PROPS 1 content-type %s", ""));
    expect_text(field(stat_of("box", "cat"), "content-type"), "application/octet-stream");
}

TEST(property_names_match_without_regard_to_case) {
    expect_etag(call(primary, "BLOB.PUT box cat meow props 1 Content-Type text/plain"));
    expect_text(field(stat_of("box", "cat"), "content-type"), "text/plain");
}

TEST(setmeta_replaces_all_and_keeps_the_rest) {
    const char *first = expect_etag(
        call(primary, "BLOB.PUT box cat meow META 2 one 1 two 2 PROPS 1 content-type text/plain"));
    const char *second = expect_etag(call(primary, "BLOB.SETMETA box cat META 1 Three 3"));
    assert_true(strcmp(second, first) > 0);
    redisReply *reply = expect_elements(call(primary, "BLOB.GETMETA box cat"), 2);
    expect_text(reply->element[0], second);
    expect_shape(reply->element[1], "[\"Three\", \"3\"]");
    expect_text(field(stat_of("box", "cat"), "content-type"), "text/plain");
    expect_text(call(primary, "BLOB.GET box cat")->element[1], "meow");
    expect_etag(call(primary, "BLOB.SETMETA box cat META 0"));
    expect_shape(call(primary, "BLOB.GETMETA box cat"), "[<etag>, []]");
}

TEST(many_metadata_up_to_the_limit) {
    struct words words = words_of_line("BLOB.SETMETA box cat META 512");
    for (int i = 0; i < 512; i++) {
        words_add(&words, pool_print("name_%03d", i));
        words_add(&words, pool_print("value%03d", i));
    }
    put("box", "cat", "meow");
    expect_etag(call_words(primary, &words)); /* 512 x 16 = 8192 bytes */
    redisReply *meta = call(primary, "BLOB.GETMETA box cat")->element[1];
    expect_elements(meta, 1024);
    expect_text(field(meta, "name_511"), "value511");
    words_replace(&words, words.count - 1, "value5110");
    traces_begin("");
    expect_error(call_words(primary, &words), "INVALID MetadataTooLarge");
    traces_require_none();
}

TEST(delete_takes_the_blob_alone) {
    put("box", "cat", "meow");
    put("box", "dog", "woof");
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    expect_error(call(primary, "BLOB.GET box cat"), "NOTFOUND BlobNotFound");
    expect_error(call(primary, "BLOB.DELETE box cat"), "NOTFOUND BlobNotFound");
    expect_text(call(primary, "BLOB.GET box dog")->element[1], "woof");
}

TEST(ranges_answer_parts) {
    static const struct {
        long long offset, length;
        const char *part;
    } ranges[] = {
        {0, 1, "0"},
        {0, 10, "0123456789"},
        {0, -1, "0123456789"},
        {0, 100, "0123456789"},
        {3, 4, "3456"},
        {9, 1, "9"},
        {9, -1, "9"},
        {9, 1000, "9"},
        {5, 9223372036854775807LL, "56789"},
    };
    put("box", "digits", "0123456789");
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        redisReply *reply =
            call(primary, "BLOB.GET box digits RANGE %lld %lld", ranges[i].offset, ranges[i].length);
        expect_text(expect_elements(reply, 2)->element[1], ranges[i].part);
    }
}

TEST(ranges_beyond_the_end_are_refused) {
    static const struct {
        const char *blob, *offset, *length;
    } ranges[] = {
        {"digits", "10", "1"},  {"digits", "10", "-1"}, {"digits", "11", "1"},
        {"empty", "0", "1"},    {"empty", "0", "-1"},   {"digits", "9223372036854775807", "-1"},
        {"digits", "-1", "1"},  {"digits", "0", "0"},   {"digits", "0", "-2"},
        {"digits", "x", "1"},   {"digits", "0", "x"},   {"digits", "9223372036854775808", "1"},
        {"digits", "1.5", "1"}, {"digits", "", "1"},    {"digits", "0", "99999999999999999999"},
    };
    put("box", "digits", "0123456789");
    put("box", "empty", "");
    traces_begin("");
    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        expect_error(
            call(primary, "BLOB.GET box %s RANGE %s %s", ranges[i].blob, ranges[i].offset, ranges[i].length),
            "INVALID InvalidRange");
    }
    traces_require_none();
}

TEST(ranges_of_a_large_blob) {
    enum { LENGTH = 3 << 20, STEP = 700001 };
    char *content = pool_take(LENGTH);
    for (size_t place = 0; place < LENGTH; place++) content[place] = (char)(place >> 7 ^ place);
    expect_etag(call(primary, "BLOB.PUT box large %b", content, (size_t)LENGTH));
    for (size_t offset = 0; offset < LENGTH; offset += STEP) {
        size_t length = LENGTH - offset < STEP ? LENGTH - offset : STEP;
        redisReply *reply = call(primary, "BLOB.GET box large RANGE %d %d", (int)offset, STEP);
        expect_bytes(reply->element[1], content + offset, length);
    }
}

TEST(names_are_any_bytes) {
    static const char *const names[] = {"a/b/c", "a b",  "\xff\xfe\x80", "line\r\nbreak",
                                        "*",     "META", "\"quoted\""};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        put("box", names[i], names[i]);
        expect_text(call(primary, "BLOB.GET box %s", names[i])->element[1], names[i]);
    }
    expect_etag(call(primary, "BLOB.PUT box %b longer", "a\0b", (size_t)3));
    put("box", "a", "shorter");
    expect_text(call(primary, "BLOB.GET box %b", "a\0b", (size_t)3)->element[1], "longer");
    const char *longest = pool_print("%01024d", 1);
    put("box", longest, "long name");
    expect_text(call(primary, "BLOB.GET box %s", longest)->element[1], "long name");
    put("box", "Cat", "upper");
    expect_error(call(primary, "BLOB.GET box cat"), "NOTFOUND BlobNotFound");
}

TEST(tokens_match_without_regard_to_case) {
    const char *etag = put("box", "cat", "meow");
    expect_text(call(primary, "blob.get box cat range 1 2 ifmatch %s", etag)->element[1], "eo");
    expect_etag(call(primary, "Blob.Put box cat meow MeTa 1 a b iFnOnEmAtCh 0x0000000000000001"));
}

TEST(changes_are_notified_and_abort_watchers) {
    static const struct noticed rows[] = {
        {"BLOB.PUT box cat meow", "blob.put box"},
        {"BLOB.PUT box cat meow", "blob.put box"},
        {"BLOB.SETMETA box cat META 1 a b", "blob.setmeta box"},
        {"BLOB.SETPROPS box cat PROPS 1 content-type text/plain", "blob.setprops box"},
        {"BLOB.DELETE box cat", "blob.delete box"},
    };
    expect_notifications(rows);
}

TEST(content_over_the_configured_size_is_refused) {
    configure(primary, "holdfast.max-blob-bytes", "100");
    put("box", "fits", pool_print("%0100d", 1));
    traces_begin("");
    expect_error(call(primary, "BLOB.PUT box big %s", pool_print("%0101d", 1)),
                 "INVALID RequestBodyTooLarge");
    traces_require_none();
}

/* A reply that no client could read is not sent; parts of it are. */
TEST(replies_that_are_too_long_are_asked_for_in_parts) {
    char *content = pool_take(3 << 20);
    expect_etag(call(primary, "BLOB.PUT box large %b", content, (size_t)3 << 20));
    configure(primary, "proto-max-bulk-len", "1048576");
    expect_error(call(primary, "BLOB.GET box large"), "INVALID InvalidRange");
    expect_error(call(primary, "BLOB.GET box large RANGE 0 1048577"), "INVALID InvalidRange");
    expect_bytes(call(primary, "BLOB.GET box large RANGE 0 1048576")->element[1], content, 1 << 20);
}

TEST(thousands_of_blobs_keep_their_own_content) {
    enum { BLOBS = 3000, STRIDE = 7919 };
    for (int i = 0; i < BLOBS; i++) {
        const char *name = pool_print("blob-%d", i * STRIDE % BLOBS);
        send_call(primary, "BLOB.PUT box %s %s", name, name);
    }
    for (int i = 0; i < BLOBS; i++) expect_etag(receive(primary));
    for (int i = 0; i < BLOBS; i++) send_call(primary, "BLOB.GET box blob-%d", i);
    for (int i = 0; i < BLOBS; i++) expect_text(receive(primary)->element[1], pool_print("blob-%d", i));
    for (int i = 0; i < BLOBS; i += 2) send_call(primary, "BLOB.DELETE box blob-%d", i);
    for (int i = 0; i < BLOBS; i += 2) expect_ok(receive(primary));
    expect_number(field(call(primary, "CONTAINER.GET box"), "blobs"), BLOBS / 2);
}
