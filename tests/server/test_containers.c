/* Containers: what each of their commands does and answers. Refusals of bad input are in test_input.c. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "traces.h"

static const char *etag_of(const char *container) {
    return reply_string(field(call(primary, "CONTAINER.GET %s", container), "etag"));
}

static long long number_of(const char *container, const char *name) {
    return field(call(primary, "CONTAINER.GET %s", container), name)->integer;
}

TEST(create_answers_the_etag) {
    const char *etag = create("box");
    assert_string_equal(etag, etag_of("box"));
    expect_text(call(primary, "TYPE box"), "holdfastC");
    expect_shape(
        call(primary, "CONTAINER.GET box"),
        "[\"etag\", <etag>, \"last-modified\", <ms>, \"created\", <ms>, \"access\", \"private\", "
        "\"blobs\", 0, \"bytes\", 0, \"lease-state\", \"available\", \"lease-status\", \"unlocked\", "
        "\"change\", <etag>, \"feed\", \"off\", \"meta\", []]");
}

TEST(create_takes_access_and_metadata_in_any_order) {
    expect_etag(call(primary, "CONTAINER.CREATE box META 2 owner ann Colour red ACCESS BLOB"));
    expect_etag(call(primary, "container.create other access container meta 0"));
    redisReply *box = call(primary, "CONTAINER.GET box");
    expect_text(field(box, "access"), "blob");
    expect_text(field(field(box, "meta"), "owner"), "ann");
    expect_text(field(field(box, "meta"), "Colour"), "red");
    redisReply *other = call(primary, "CONTAINER.GET other");
    expect_text(field(other, "access"), "container");
    expect_elements(field(other, "meta"), 0);
}

TEST(setmeta_replaces_the_whole_set) {
    const char *created = expect_etag(call(primary, "CONTAINER.CREATE box META 2 one 1 two 2"));
    const char *changed = expect_etag(call(primary, "CONTAINER.SETMETA box META 1 three 3"));
    assert_true(strcmp(changed, created) > 0);
    redisReply *reply = expect_elements(call(primary, "CONTAINER.GETMETA box"), 2);
    expect_text(reply->element[0], changed);
    expect_shape(reply->element[1], "[\"three\", \"3\"]");
    const char *cleared = expect_etag(call(primary, "CONTAINER.SETMETA box META 0"));
    assert_true(strcmp(cleared, changed) > 0);
    expect_shape(call(primary, "CONTAINER.GETMETA box"), "[<etag>, []]");
}

TEST(metadata_keep_their_case_and_any_bytes) {
    create("box");
    expect_etag(call(primary, "CONTAINER.SETMETA box META 3 _Under %b e3 %s Zw %s", "a\0b\r\nc\xff",
                     (size_t)7, "", "two words"));
    redisReply *meta = call(primary, "CONTAINER.GETMETA box")->element[1];
    expect_bytes(field(meta, "_Under"), "a\0b\r\nc\xff", 7);
    expect_text(field(meta, "e3"), "");
    expect_text(field(meta, "Zw"), "two words");
}

TEST(setacl_replaces_access_and_policies) {
    create("box");
    expect_shape(call(primary, "CONTAINER.GETACL box"),
                 "[\"etag\", <etag>, \"access\", \"private\", \"policies\", []]");
    const char *etag = expect_etag(call(primary, "CONTAINER.SETACL box POLICIES 2 readers 1700000000000 - rl "
                                                 "writers - 1800000000000 w ACCESS CONTAINER"));
    assert_string_equal(etag, etag_of("box"));
    expect_shape(call(primary, "CONTAINER.GETACL box"),
                 "[\"etag\", <etag>, \"access\", \"container\", \"policies\", "
                 "[[\"id\", \"readers\", \"start\", <ms>, \"permissions\", \"rl\"], "
                 "[\"id\", \"writers\", \"expiry\", <ms>, \"permissions\", \"w\"]]]");
    expect_etag(call(primary, "CONTAINER.SETACL box ACCESS BLOB"));
    expect_shape(call(primary, "CONTAINER.GETACL box"),
                 "[\"etag\", <etag>, \"access\", \"blob\", \"policies\", []]");
    expect_etag(call(primary, "CONTAINER.SETACL box POLICIES 1 %s 0 1 r", pool_print("%064d", 7)));
    expect_text(field(call(primary, "CONTAINER.GET box"), "access"), "private");
    redisReply *policies = field(call(primary, "CONTAINER.GETACL box"), "policies");
    expect_elements(policies, 1);
    expect_number(field(policies->element[0], "start"), 0);
    expect_number(field(policies->element[0], "expiry"), 1);
    expect_etag(call(primary, "CONTAINER.SETACL box"));
    expect_shape(call(primary, "CONTAINER.GETACL box"),
                 "[\"etag\", <etag>, \"access\", \"private\", \"policies\", []]");
}

TEST(setacl_leaves_metadata_alone_and_setmeta_the_policies) {
    expect_etag(call(primary, "CONTAINER.CREATE box META 1 a b"));
    expect_etag(call(primary, "CONTAINER.SETACL box POLICIES 1 p - - r ACCESS BLOB"));
    expect_shape(call(primary, "CONTAINER.GETMETA box"), "[<etag>, [\"a\", \"b\"]]");
    expect_etag(call(primary, "CONTAINER.SETMETA box META 1 c d"));
    expect_shape(
        call(primary, "CONTAINER.GETACL box"),
        "[\"etag\", <etag>, \"access\", \"blob\", \"policies\", [[\"id\", \"p\", \"permissions\", \"r\"]]]");
}

TEST(delete_takes_all_and_frees_the_name_at_once) {
    const char *first = create("box");
    const char *blob = put("box", "cat", "meow"),
               *snapshot = expect_etag(call(primary, "BLOB.SNAPSHOT box cat"));
    expect_ok(call(primary, "CONTAINER.DELETE box"));
    expect_number(call(primary, "EXISTS box"), 0);
    const char *second = create("box");
    assert_true(strcmp(second, first) > 0);
    assert_true(strcmp(second, blob) > 0);
    expect_error(call(primary, "BLOB.GET box cat"), "NOTFOUND BlobNotFound");
    expect_number(field(call(primary, "CONTAINER.GET box"), "blobs"), 0);
    expect_shape(call(primary, "BLOB.LIST box INCLUDE 2 SNAPSHOTS UNCOMMITTED"), "[null, []]");
    put("box", "cat", "new");
    expect_error(call(primary, "BLOB.GET box cat SNAPSHOT %s", snapshot), "NOTFOUND BlobNotFound");
}

TEST(counts_follow_the_blobs) {
    create("box");
    put("box", "one", "12345");
    put("box", "two", "");
    put("box", "three", "123");
    assert_int_equal(number_of("box", "blobs"), 3);
    assert_int_equal(number_of("box", "bytes"), 8);
    put("box", "one", "1");
    assert_int_equal(number_of("box", "blobs"), 3);
    assert_int_equal(number_of("box", "bytes"), 4);
    expect_ok(call(primary, "BLOB.DELETE box one"));
    expect_ok(call(primary, "BLOB.DELETE box two"));
    expect_ok(call(primary, "BLOB.DELETE box three"));
    assert_int_equal(number_of("box", "blobs"), 0);
    assert_int_equal(number_of("box", "bytes"), 0);
    expect_number(call(primary, "EXISTS box"), 1);
}

TEST(changes_of_blobs_leave_the_container_as_it_was) {
    const char *etag = create("box");
    long long modified = number_of("box", "last-modified");
    put("box", "cat", "meow");
    expect_etag(call(primary, "BLOB.SETMETA box cat META 1 a b"));
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    assert_string_equal(etag, etag_of("box"));
    assert_int_equal(modified, number_of("box", "last-modified"));
}

TEST(writes_move_last_modified_and_keep_created) {
    create("box");
    long long created = number_of("box", "created");
    long long modified = number_of("box", "last-modified");
    assert_int_equal(created, modified);
    configure(primary, "holdfast.clock-offset-ms", "5000");
    expect_etag(call(primary, "CONTAINER.SETMETA box META 0"));
    assert_true(number_of("box", "last-modified") >= modified + 5000);
    assert_int_equal(created, number_of("box", "created"));
    expect_etag(call(primary, "CONTAINER.SETACL box"));
    assert_int_equal(created, number_of("box", "created"));
}

TEST(etags_grow_across_containers_and_commands) {
    const char *last = create("first");
    for (int round = 0; round < 50; round++) {
        const char *next = round % 2 ? create(pool_print("box%d", round)) : put("first", "blob", "x");
        assert_true(strcmp(next, last) > 0);
        last = next;
    }
}

TEST(keys_are_any_redis_keys) {
    static const char *const names[] = {"a b",      "prod:{eu}:photos", "UPPER/lower",
                                        "\xff\xfe", "line\r\nbreak",    "$"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        create(names[i]);
        put(names[i], "blob", names[i]);
        expect_text(call(primary, "BLOB.GET %s blob", names[i])->element[1], names[i]);
    }
    expect_etag(call(primary, "CONTAINER.CREATE %b", "nul\0nul", (size_t)7));
    expect_error(call(primary, "CONTAINER.GET nul"), "NOTFOUND ContainerNotFound");
    expect_etag(call(primary, "CONTAINER.CREATE %s", ""));
}

TEST(time_to_live_survives_writes) {
    create("box");
    expect_number(call(primary, "EXPIRE box 10000"), 1);
    put("box", "cat", "meow");
    expect_etag(call(primary, "CONTAINER.SETMETA box META 1 a b"));
    expect_etag(call(primary, "CONTAINER.SETACL box ACCESS BLOB"));
    long long left = call(primary, "TTL box")->integer;
    assert_true(left > 9000 && left <= 10000);
    expect_number(call(primary, "PERSIST box"), 1);
}

TEST(renamed_and_copied_containers_go_on) {
    create("box");
    const char *etag = put("box", "cat", "meow");
    expect_ok(call(primary, "RENAME box crate"));
    expect_text(call(primary, "BLOB.GET crate cat")->element[0], etag);
    expect_number(call(primary, "COPY crate twin"), 1);
    expect_text(call(primary, "BLOB.GET twin cat")->element[0], etag);
    const char *changed = put("twin", "cat", "woof");
    expect_text(call(primary, "BLOB.GET crate cat")->element[1], "meow");
    assert_true(strcmp(changed, etag) > 0);
}

TEST(changes_are_notified_and_abort_watchers) {
    static const struct noticed rows[] = {
        {"CONTAINER.CREATE box", "container.create box"},
        {"CONTAINER.SETMETA box META 1 a b", "container.setmeta box"},
        {"CONTAINER.SETACL box ACCESS BLOB", "container.setacl box"},
        {"CONTAINER.DELETE box", "container.delete box"},
    };
    expect_notifications(rows);
}

TEST(reads_change_nothing) {
    create("box");
    put("box", "cat", "meow");
    traces_begin("");
    expect_etag(call(primary, "CONTAINER.GETMETA box"));
    field(call(primary, "CONTAINER.GET box"), "etag");
    field(call(primary, "CONTAINER.GETACL box"), "etag");
    expect_etag(call(primary, "BLOB.GET box cat"));
    expect_etag(call(primary, "BLOB.GETMETA box cat"));
    field(call(primary, "BLOB.STAT box cat"), "etag");
    expect_elements(call(primary, "BLOB.LIST box"), 2);
    traces_require_none();
}
