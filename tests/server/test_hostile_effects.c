/* Hostile effects: HOLDFAST.APPLY, where the operator lets clients send it, with records that were doctored,
 * or that do not fit the state they meet. Each is refused, or leaves a value that is whole and safe, and all
 * servers hold the same. */
#include <stdlib.h>
#include <string.h>

#include "blob/container_change.h"
#include "effects.h"
#include "harness.h"
#include "hostile.h"
#include "pool.h"
#include "random.h"
#include "steps.h"
#include "stream.h"
#include "text.h"

/* The effects of one of each command, as they went to the replicas. */
static redisReply *captured_effects(void) {
    static const char *const commands[] = {
        "CONTAINER.SETMETA box META 2 x y z 1",
        "CONTAINER.SETACL box ACCESS BLOB POLICIES 2 one 0 99 rw two - - l",
        "BLOB.PUT box cat meow META 1 a b PROPS 2 content-type text/plain cache-control x",
        "BLOB.PUT box cat purr",
        "BLOB.SETPROPS box cat PROPS 1 content-language en",
        "BLOB.SETMETA box cat META 1 c d",
        "BLOB.DELETE box cat",
        "BLOB.DELETE box blob-0",
        "BLOB.PUTBLOCK box parts AAAC x",
        "BLOB.PUTBLOCKLIST box parts 2 LATEST AAAC LATEST AAAA META 1 a b",
        "BLOB.PUTPAGE box disk 0 512*x",
        "BLOB.CLEARPAGE box disk 512 512",
        "BLOB.SETPROPS box disk SIZE 66048 SEQUENCE INCREMENT",
        "BLOB.SNAPSHOT box disk META 1 a b",
        "BLOB.CREATEPAGE box disk 131072 SEQUENCE 5",
        "BLOB.APPEND box log x",
        "BLOB.CREATEAPPEND box log META 1 a b",
        "BLOB.COPY box twin box disk META 1 a b",
        "BLOB.COPY box parts other parts",
        "BLOB.DELETE box disk SNAPSHOTS ONLY",
        "CONTAINER.DELETE box",
        "CONTAINER.CREATE box META 1 a b ACCESS CONTAINER",
    };
    hostile_fill_kinds("box");
    hostile_fill_kinds("other");
    struct stream *stream = stream_attach(primary->server);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        struct words words = step_words(commands[i]);
        require(!reply_is_error(call_words(primary, &words)), "%s failed", commands[i]);
    }
    redisReply *effects = stream_commands(stream, primary);
    assert_int_equal(effects->elements, ARRAY_SIZE(commands));
    expect_number(call(primary, "DEL box other"), 2);
    hostile_fill_kinds("other");
    return effects;
}

static struct words words_of_reply(const redisReply *command) {
    struct words words = {0};
    for (size_t i = 0; i < command->elements; i++)
        words_add_bytes(&words, command->element[i]->str, command->element[i]->len);
    return words;
}

static void apply(const struct words *words, struct tally *tally) {
    redisReply *reply = call_words(primary, words);
    if (reply_is_error(reply)) {
        tally->refused++;
    } else {
        tally->accepted++;
    }
}

/* In turn a container that is there, a key where nothing is, and a value of another type. */
static void set_setup(int round) {
    call(primary, "DEL box");
    if (round % 6 == 0) hostile_fill("box", 2);
    if (round % 6 == 3) hostile_fill_kinds("box");
    if (round % 3 == 2) expect_ok(call(primary, "SET box text"));
}

/* Plays doctored effects on all of these stages; answers how many were accepted. Some are refused. */
static int apply_doctored(struct words (*doctor)(const redisReply *effect, int round), int rounds) {
    random_begin();
    redisReply *effects = captured_effects();
    expect_misfits();
    configure(primary, "holdfast.accept-effects", "yes");
    struct tally tally = {0};
    for (size_t i = 0; i < effects->elements; i++) {
        for (int round = 0; round < rounds; round++) {
            struct words words = doctor(effects->element[i], round);
            set_setup(round);
            apply(&words, &tally);
            if (text_begins(call(primary, "TYPE box")->str, "holdfast")) require_whole("box");
        }
    }
    require(tally.refused, "all %d are accepted", tally.accepted);
    return tally.accepted;
}

static struct words effect_whole(const redisReply *effect, int round) {
    (void)round;
    return words_of_reply(effect);
}

TEST(effects_on_states_that_they_do_not_fit) {
    assert_true(apply_doctored(effect_whole, 6) > 0);
}

static struct words effect_with_changed_byte(const redisReply *effect, int round) {
    struct words words = words_of_reply(effect);
    size_t which = 2 + random_size(words.count - 2);
    if (round % 3) which = 2;
    if (!words.length[which]) return words;
    char *bytes = pool_copy(words.word[which], words.length[which]);
    for (int change = 0; change <= round % 3; change++)
        bytes[random_below((int)words.length[which])] = (char)random_below(256);
    words.word[which] = bytes;
    return words;
}

TEST(effects_with_changed_bytes) {
    assert_true(apply_doctored(effect_with_changed_byte, 120) > 0);
}

static struct words effect_cut_or_grown(const redisReply *effect, int round) {
    struct words words = words_of_reply(effect);
    size_t which = 2 + random_size(words.count - 2);
    if (round % 2) {
        words.length[which] = words.length[which] ? random_size(words.length[which]) : 0;
    } else {
        struct text grown = {0};
        text_add(&grown, words.word[which], words.length[which]);
        for (int i = random_below(6); i >= 0; i--) text_print(&grown, "%c", random_below(256));
        words.word[which] = grown.bytes;
        words.length[which] = grown.length;
    }
    return words;
}

TEST(effects_cut_short_or_grown) {
    assert_true(apply_doctored(effect_cut_or_grown, 60) > 0);
}

static struct words effect_with_other_words(const redisReply *effect, int round) {
    struct words words = words_of_reply(effect);
    switch (round % 4) {
    case 0: words_add(&words, "one more"); break;
    case 1: words_remove(&words, words.count - 1); break;
    case 2: words_replace(&words, words.count - 1, ""); break;
    default: words_insert(&words, 2, "before"); break;
    }
    return words;
}

TEST(effects_with_other_words) {
    assert_int_equal(apply_doctored(effect_with_other_words, 12), 0);
}

static struct words effect_of_noise(const redisReply *effect, int round) {
    struct words words = words_of_reply(effect);
    words.count = 2;
    for (int word = 0; word <= round % 3; word++) {
        char noise[40];
        size_t length = random_size(sizeof(noise));
        random_fill(noise, length);
        words_add_bytes(&words, noise, length);
    }
    return words;
}

TEST(effects_of_random_bytes) {
    apply_doctored(effect_of_noise, 50);
}

/* Turns the effect into one of any other kind, with a content of many sizes beside it, and perhaps one inside. */
static struct words effect_of_another_kind(const redisReply *effect, int round) {
    static const size_t lengths[] = {0, 1, 44, 100, 5000, 70000};
    enum { KIND_AT = 1, IS_INSIDE = 0x80, LENGTHS = ARRAY_SIZE(lengths) };
    struct words words = words_of_reply(effect);
    require(words.count > 2 && words.length[2] > KIND_AT, "an effect without a record");
    char *record = pool_copy(words.word[2], words.length[2]);
    record[KIND_AT] = (char)(round / 3 % (CONTAINER_CHANGE_KINDS + 1) + (random_below(2) ? IS_INSIDE : 0));
    words.word[2] = record;
    words.count = 3;
    size_t length = lengths[random_below(LENGTHS)];
    if (random_below(4)) words_add_bytes(&words, pool_take(length), length);
    return words;
}

TEST(effects_of_another_kind) {
    assert_true(apply_doctored(effect_of_another_kind, (CONTAINER_CHANGE_KINDS + 1) * 3) > 0);
}

/* A put of "cat", with a content inside of the record or without. */
static struct text put_of_cat(const char *inside) {
    struct text record = effect_start(BLOB_PUT, "cat");
    effect_word(&record, 1);
    effect_number(&record, 1000);
    effect_number(&record, 0);
    effect_byte(&record, 0);
    if (!inside) return record;
    record.bytes[1] |= (char)0x80;
    text_add(&record, inside, strlen(inside));
    return record;
}

TEST(a_content_stands_inside_or_beside) {
    static const char *const malformed = "ERR the effect cannot be read";
    struct text inside = put_of_cat("meow"), none = put_of_cat(NULL);
    struct text delete = effect_start(BLOB_DELETE, "cat");
    effect_byte(&delete, 0);
    expect_misfits();
    create("box");
    expect_ok(effect_play("box", &none, "purr"));
    expect_ok(effect_play("box", &inside, NULL));
    expect_error(effect_play("box", &inside, "purr"), malformed);
    expect_error(effect_play("box", &none, NULL), malformed);
    expect_error(effect_play("box", &delete, "purr"), malformed);
    delete.bytes[1] |= (char)0x80;
    expect_error(effect_play("box", &delete, NULL), malformed);
    expect_shape(call(primary, "BLOB.GET box cat"), "[<etag>, \"meow\"]");
}

/* A bundle of these records, each of the first key and with nothing beside it; NULL for the last. */
static struct text bundle_of(const struct text *first, const struct text *second) {
    struct text bundle = {0};
    effect_byte(&bundle, 'B');
    effect_bundle_add(&bundle, 0, first);
    if (second) effect_bundle_add(&bundle, 0, second);
    return bundle;
}

TEST(a_bundle_that_cannot_be_read_changes_nothing) {
    static const char *const malformed = "ERR the effect cannot be read";
    struct text cat = put_of_cat("meow"), cut = put_of_cat("meow"), none = put_of_cat(NULL), empty = {0};
    struct text version = {0};
    struct text drop = effect_start(CONTAINER_DROP, NULL);
    effect_byte(&version, 'V');
    effect_word(&version, 1);
    cut.length = 8;
    expect_misfits();
    create("box");
    struct text whole = bundle_of(&cat, NULL);
    const struct text bundles[] = {
        bundle_of(&cat, &cut),     bundle_of(&cat, &none), bundle_of(&cat, &empty), bundle_of(&cat, &whole),
        bundle_of(&cat, &version), bundle_of(&cat, &drop), bundle_of(&empty, NULL)};
    for (size_t i = 0; i < ARRAY_SIZE(bundles); i++) {
        expect_error(effect_play("box", &bundles[i], NULL), malformed);
        expect_number(field(call(primary, "CONTAINER.GET box"), "blobs"), 0);
    }
    effect_byte(&empty, 'B');
    expect_error(effect_play("box", &empty, NULL), malformed);
    struct text twice = {0};
    effect_byte(&twice, 'B');
    effect_bundle_add(&twice, 3, &none);
    expect_ok(effect_play("box", &twice, "purr"));
    effect_bundle_add(&twice, 3, &none);
    expect_error(effect_play("box", &twice, "purr"), malformed);
}

/* As if the others had come alone. */
TEST(a_record_that_does_not_fit_is_the_only_one_left_out) {
    struct text cat = put_of_cat("meow"), gone = effect_start(BLOB_DELETE, "dog");
    effect_byte(&gone, 0);
    struct text bundle = bundle_of(&gone, &cat);
    expect_misfits();
    create("box");
    expect_error(effect_play("box", &bundle, NULL), "ERR the effect does not fit the state of its key");
    expect_shape(call(primary, "BLOB.GET box cat"), "[<etag>, \"meow\"]");
}
