/* Packed replies, and the records of calls that are remembered with them: what is sound and what is not, told by hand
 * and by a naive reader, over random bytes and over sound replies that were cut, lengthened and changed. */
#include "change/once_change.h"
#include "core/packed_reply.h"
#include "core/version.h"

#include "dice.h"
#include "unit.h"

#include <stdlib.h>

/* --- By hand --- */

#define SAID(text)                                                                                           \
    { (text), sizeof(text) - 1 }

static const struct bytes sound_replies[] = {
    SAID("\0"),  /* OK */
    SAID("\1"),  /* null */
    SAID("\11"), /* EXISTS */
    SAID("\2\6ERR x\0"),
    SAID("\3\0"), /* an empty string */
    SAID("\3\2ab"),
    SAID("\4\x7f"),
    SAID("\4\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), /* -1 */
    SAID("\5\1\2\3\4\5\6\7\10"),
    SAID("\6\0"),
    SAID("\6\1"),
    SAID("\7\0"),         /* an empty array */
    SAID("\7\2\0\7\1\1"), /* [OK, [null]] */
    SAID("\10\0"),
    SAID("\10\1\3\1a\4\5"),         /* {a: 5} */
    SAID("\10\1\3\1a\10\1\3\1b\0"), /* {a: {b: OK}} */
    SAID("\12\0\0\0\0\0\0\0\1"),
    SAID("\13"
         "0123456789abcdef"),
    SAID("\14"
         "0123456789abcdef"),
};

static const struct bytes unsound_replies[] = {
    SAID(""),
    SAID("\0\0"), /* two replies */
    SAID("\15"),  /* no such value */
    SAID("\2\0"), /* an error without a text */
    SAID("\2\1\0"),
    SAID("\2\3ERR"),    /* not ended by a zero */
    SAID("\2\4E\0R\0"), /* a zero within */
    SAID("\2\4E\nR\0"), /* a line more in the protocol */
    SAID("\3\3ab"),
    SAID("\4"),
    SAID("\4\xff\xff\xff\xff\xff\xff\xff\xff\xff\2"),
    SAID("\5\1\2\3"),
    SAID("\6\2"),
    SAID("\7\2\0"),
    SAID("\7\1"),
    SAID("\7\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"),
    SAID("\10\1\0"),
    SAID("\10\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"),
    SAID("\10\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), /* twice as many are none */
    SAID("\12\xff\xff\xff\xff\xff\xff\xff\xff"),     /* a version that nobody mints */
    SAID("\13"
         "0123456789abcde"),
};

TEST(packed_replies_made_by_hand_are_sound_or_not) {
    for (size_t i = 0; i < ARRAY_SIZE(sound_replies); i++)
        require(packed_reply_is_sound(sound_replies[i]), "reply %zu is not sound", i);
    for (size_t i = 0; i < ARRAY_SIZE(unsound_replies); i++)
        require(!packed_reply_is_sound(unsound_replies[i]), "reply %zu is sound", i);
}

TEST(answers_nested_too_deep_are_not_sound) {
    char nested[2 * PACKED_DEPTH_MAX + 3];
    for (size_t depth = 0; depth <= PACKED_DEPTH_MAX; depth++) {
        for (size_t i = 0; i < depth; i++) memcpy(nested + 2 * i, "\7\1", 2);
        nested[2 * depth] = 0;
        require(packed_reply_is_sound(bytes_of(nested, 2 * depth + 1)), "%zu levels are too many", depth);
    }
    for (size_t i = 0; i <= PACKED_DEPTH_MAX; i++) memcpy(nested + 2 * i, "\7\1", 2);
    nested[2 * PACKED_DEPTH_MAX + 2] = 0;
    require(!packed_reply_is_sound(bytes_of(nested, sizeof(nested))), "one level more is not too many");
}

/* --- By a naive reader --- */

static bool read_one(struct record_reader *reader, unsigned depth);

static bool read_many(struct record_reader *reader, uint64_t count, unsigned depth) {
    for (; count; count--)
        if (!read_one(reader, depth)) return false;
    return true;
}

static bool read_error(struct record_reader *reader) {
    struct bytes text = record_bytes(reader);
    if (text.length < 2) return false;
    for (size_t i = 0; i < text.length; i++)
        if (i + 1 < text.length ? (unsigned char)text.data[i] < 32 : text.data[i] != 0) return false;
    return true;
}

static bool read_one(struct record_reader *reader, unsigned depth) {
    uint8_t what = record_byte(reader);
    uint64_t count;
    bool holds = what == PACKED_ARRAY || what == PACKED_MAP;
    if (reader->failed || what > PACKED_DIGITS) return false;
    if (holds && depth == PACKED_DEPTH_MAX) return false;
    switch ((enum packed_reply)what) {
    case PACKED_ERROR: return read_error(reader);
    case PACKED_BYTES: record_bytes(reader); break;
    case PACKED_NUMBER: record_number(reader); break;
    case PACKED_REAL: record_word(reader); break;
    case PACKED_FLAG: return record_number(reader) <= 1 && !reader->failed;
    case PACKED_VERSION: return record_word(reader) <= VERSION_MAX && !reader->failed;
    case PACKED_GUID:
    case PACKED_DIGITS: record_guid(reader); break;
    case PACKED_ARRAY: return read_many(reader, record_number(reader), depth + 1) && !reader->failed;
    case PACKED_MAP:
        count = record_number(reader);
        return count < UINT64_MAX / 2 && read_many(reader, 2 * count, depth + 1) && !reader->failed;
    default: break;
    }
    return !reader->failed;
}

static bool naively_sound(struct bytes packed) {
    struct record_reader reader = record_reader(packed);
    return read_one(&reader, 0) && reader.at == reader.end;
}

static void write_one(struct dice *dice, struct record_writer *writer, unsigned depth) {
    uint8_t what = (uint8_t)dice_roll(dice, depth < 5 ? PACKED_DIGITS + 1 : PACKED_ARRAY);
    size_t count = dice_roll(dice, 4);
    record_put_byte(writer, what);
    switch ((enum packed_reply)what) {
    case PACKED_ERROR: record_put_bytes(writer, bytes_of("ERR no", 7)); break;
    case PACKED_BYTES: record_put_bytes(writer, bytes_of("some bytes", dice_roll(dice, 11))); break;
    case PACKED_NUMBER: record_put_number(writer, dice_word(dice)); break;
    case PACKED_REAL: record_put_word(writer, dice_word(dice)); break;
    case PACKED_FLAG: record_put_number(writer, dice_roll(dice, 2)); break;
    case PACKED_VERSION: record_put_word(writer, dice_word(dice) & VERSION_MAX >> 1); break;
    case PACKED_GUID:
    case PACKED_DIGITS: record_put_guid(writer, (struct guid){dice_word(dice), dice_word(dice)}); break;
    case PACKED_ARRAY:
    case PACKED_MAP:
        record_put_number(writer, count);
        for (size_t i = 0; i < count * (what == PACKED_MAP ? 2 : 1); i++) write_one(dice, writer, depth + 1);
        break;
    default: break;
    }
}

static void compare_with_naive(struct bytes packed) {
    char *exact = malloc(packed.length ? packed.length : 1); /* what is read behind the end is found out */
    require(exact, "there is memory");
    memcpy(exact, packed.data, packed.length);
    struct bytes bytes = bytes_of(exact, packed.length);
    require_same(packed_reply_is_sound(bytes), naively_sound(bytes), "what a naive reader says");
    free(exact);
}

TEST(packed_replies_read_as_by_a_naive_reader) {
    struct dice dice = {11};
    size_t sound = 0, changed = 0;
    for (int i = 0; i < 20000; i++) {
        RECORD_WRITER(writer);
        write_one(&dice, &writer, 0);
        struct bytes packed = record_written(&writer);
        require(packed_reply_is_sound(packed), "what was written is not sound");
        for (size_t cut = 0; cut < packed.length && cut < 60; cut++)
            require(!packed_reply_is_sound(bytes_of(packed.data, cut)), "half a reply is sound");
        for (int times = 0; times < 20; times++) {
            writer.data[dice_roll(&dice, writer.length)] =
                (char)dice_roll(&dice, dice_percent(&dice, 70) ? 16 : 256);
            compare_with_naive(packed);
            changed++;
            sound += packed_reply_is_sound(packed);
        }
    }
    require(sound > changed / 100 && sound < changed, "%zu of %zu are sound", sound, changed);
}

TEST(guids_are_read_from_an_array) {
    struct record_reader reader = {0};
    struct guid id;
    RECORD_WRITER(writer);
    record_put_byte(&writer, PACKED_ARRAY);
    record_put_number(&writer, 2);
    for (uint64_t i = 1; i <= 2; i++) {
        record_put_byte(&writer, PACKED_GUID);
        record_put_guid(&writer, (struct guid){i, i});
    }
    struct bytes packed = record_written(&writer);
    for (uint64_t i = 1; i <= 2; i++)
        require(packed_reply_next_guid(packed, &reader, &id) && id.high == i, "the GUID %d", (int)i);
    require(!packed_reply_next_guid(packed, &reader, &id), "there are no more");
    reader = (struct record_reader){0};
    require(!packed_reply_next_guid(bytes_of("\0", 1), &reader, &id), "OK is no array of GUIDs");
}

/* --- Records of remembered calls --- */

static const struct once_change sample = {
    .kind = ONCE_REMEMBER,
    .forgets = 3,
    .call = {{"token", 5}, 77, 1000, {"\0", 1}},
    .inside = {"Qxyz", 4},
};

static bool once_reads(const struct once_change *change, struct once_change *again) {
    struct record_writer writer;
    record_start(&writer);
    change_write(&once_changes, change, &writer);
    static char packed[1024];
    memcpy(packed, writer.data, writer.length);
    bool sound = change_read(&once_changes, bytes_of(packed, writer.length), again);
    for (size_t cut = 0; cut < writer.length; cut++)
        require(!change_read(&once_changes, bytes_of(packed, cut), &(struct once_change){0}),
                "half a record is sound");
    record_end(&writer);
    return sound;
}

TEST(records_of_calls_are_read_as_written) {
    struct once_change again;
    require(once_reads(&sample, &again), "the sample cannot be read");
    require(again.forgets == 3 && again.call.fingerprint == 77 && again.call.called_ms == 1000 &&
                bytes_equal(again.call.token, sample.call.token) &&
                bytes_equal(again.call.answer, sample.call.answer) &&
                bytes_equal(again.inside, sample.inside),
            "it reads as another one");
    require(once_reads(&(struct once_change){.kind = ONCE_FORGET, .forgets = 9}, &again) &&
                again.forgets == 9,
            "forgetting");
    require(
        once_reads(&(struct once_change){.kind = ONCE_TAKE_BACK, .call.token = sample.call.token}, &again),
        "taking back");
}

static bool reads_answer_of(size_t length) {
    static char zeros[ONCE_BYTES_MAX];
    struct record_writer answer, record;
    record_start(&answer);
    record_start(&record);
    record_put_byte(&answer, PACKED_BYTES);
    record_put_bytes(&answer, bytes_of(zeros, length - 5)); /* the kind, and a length of four bytes */
    struct once_change change = sample, again;
    change.call.answer = record_written(&answer);
    require(answer.length == length, "it has %zu bytes", answer.length);
    change_write(&once_changes, &change, &record);
    bool reads = change_read(&once_changes, record_written(&record), &again);
    record_end(&answer);
    record_end(&record);
    return reads;
}

TEST(an_answer_beyond_the_limit_is_refused) {
    require(reads_answer_of(ONCE_BYTES_MAX), "it may be so long");
    require(!reads_answer_of(ONCE_BYTES_MAX + 1), "and no longer");
}

TEST(doctored_records_of_calls_are_refused) {
    static char long_token[TOKEN_MAX_BYTES + 1];
    struct once_change doctored, again;
    memset(long_token, 'x', sizeof(long_token));
    doctored = sample;
    doctored.call.token = bytes_of(long_token, TOKEN_MAX_BYTES);
    require(once_reads(&doctored, &again), "a token of 64 bytes");
    doctored.call.token.length++;
    require(!once_reads(&doctored, &again), "a token of 65 bytes");
    doctored.call.token.length = 0;
    require(!once_reads(&doctored, &again), "no token");
    doctored = sample;
    for (size_t i = 0; i < ARRAY_SIZE(unsound_replies); i++) {
        doctored.call.answer = unsound_replies[i];
        require(!once_reads(&doctored, &again), "the answer %zu", i);
    }
    doctored = sample;
    doctored.inside = (struct bytes)SAID("Ox");
    require(!once_reads(&doctored, &again), "one inside of another one");
    doctored = sample;
    doctored.call.called_ms = -1;
    require(!once_reads(&doctored, &again), "an instant before 1970");
}

TEST(changes_that_do_not_fit_the_log_are_refused) {
    struct once_log *once_log = NULL;
    struct once_change change = sample;
    require(!once_change_fits(once_log, &change), "three of none are forgotten");
    change.forgets = 0;
    require(once_change_fits(once_log, &change), "the first one does not fit");
    once_change_do(&once_log, &change);
    change.call.called_ms--;
    require(!once_change_fits(once_log, &change), "one that was made before it");
    struct once_change back = {.kind = ONCE_TAKE_BACK, .call.token = {"other", 5}};
    require(!once_change_fits(once_log, &back), "one that is not there is taken back");
    back.call.token = sample.call.token;
    require(once_change_fits(once_log, &back), "it is not taken back");
    once_change_do(&once_log, &back);
    require(!once_log, "nothing is left");
}
