/* Changes as records: every kind there and back, the bytes that files already
 * hold, and what is no record at all. */
#include "blob/change.h"

#include "dice.h"
#include "draft.h"
#include "unit.h"

#include <stdlib.h>

static struct bytes written(const struct record_writer *writer) {
    return bytes_of(writer->data, writer->length);
}

/* A draft's change as a record in exactly as many bytes as it has, so that reading beyond is found out. */
struct sample {
    struct draft draft;
    char *data;
    size_t length;
};

static void sample_make(struct sample *sample, const struct choice *choice) {
    struct record_writer writer;
    draft_make(&sample->draft, choice);
    record_start(&writer);
    change_write(&sample->draft.change, &writer);
    sample->length = writer.length;
    sample->data = malloc(writer.length);
    require(sample->data, "there is memory");
    memcpy(sample->data, writer.data, writer.length);
    record_end(&writer);
}

/* Not with the largest metadata, where each of thousands of bytes is looked at by itself. */
static void sample_draw(struct sample *sample, struct dice *dice, bool large) {
    struct choice choice;
    dice_fill(dice, &choice, sizeof(choice));
    if (!large) choice.metadata %= 4;
    sample_make(sample, &choice);
}

static void sample_end(struct sample *sample) {
    free(sample->data);
    draft_end(&sample->draft);
}

/* --- There and back ------------------------------------------------------------------------------------- */

static void what_is_written_is_read_back(void **state) {
    (void)state;
    struct dice dice = {1};
    for (int i = 0; i < 5000; i++) {
        struct sample sample;
        struct change change;
        sample_draw(&sample, &dice, true);
        require(change_read(bytes_of(sample.data, sample.length), &change), "sample %d is refused", i);
        require_same(change.kind, sample.draft.change.kind, "sample %d", i);
        require(!change.chunk && !change.content.length, "a record brings no content");
        struct record_writer again;
        record_start(&again);
        change_write(&change, &again);
        require_bytes(written(&again), bytes_of(sample.data, sample.length), "sample %d, written again", i);
        record_end(&again);
        sample_end(&sample);
    }
}

/* What each kind brings along, in words; all of it is asked of what was read. */
enum {
    NAME = 1,
    STAMP = 2,
    CREATED = 4,
    ACCESS = 8,
    PROPERTIES = 16,
    METADATA = 32,
    POLICIES = 64,
    CONTENT = 128
};

static const struct {
    const char *event;
    enum change_kind kind;
    unsigned brings;
} vocabulary[] = {
    {"container.create", CHANGE_CREATE, STAMP | CREATED | ACCESS | METADATA | POLICIES},
    {"container.setmeta", CHANGE_SETMETA, STAMP | METADATA},
    {"container.setacl", CHANGE_SETACL, STAMP | ACCESS | POLICIES},
    {"container.delete", CHANGE_DROP, 0},
    {"blob.put", CHANGE_PUT, NAME | STAMP | CREATED | PROPERTIES | METADATA | CONTENT},
    {NULL, CHANGE_EXTEND, NAME | CONTENT},
    {"blob.setprops", CHANGE_SETBLOBPROPS, NAME | STAMP | PROPERTIES},
    {"blob.setmeta", CHANGE_SETBLOBMETA, NAME | STAMP | METADATA},
    {"blob.delete", CHANGE_DELETE, NAME},
};

static void leave_only(struct change *change, unsigned brings) {
    if (!(brings & NAME)) change->name = bytes_of("", 0);
    if (!(brings & STAMP)) change->stamp = (struct stamp){0, 0};
    if (!(brings & CREATED)) change->created_ms = 0;
    if (!(brings & ACCESS)) change->access = ACCESS_PRIVATE;
    if (!(brings & PROPERTIES)) change->properties = (struct packed_list){0, {"", 0}};
    if (!(brings & METADATA)) change->metadata = (struct packed_list){0, {"", 0}};
    if (!(brings & POLICIES)) change->policies = (struct packed_list){0, {"", 0}};
}

static void every_kind_brings_what_it_should(void **state) {
    (void)state;
    require_same(COUNT_OF(vocabulary), CHANGE_KINDS, "the table has every kind");
    for (size_t i = 0; i < COUNT_OF(vocabulary); i++) {
        enum change_kind kind = vocabulary[i].kind;
        const struct choice full = {
            .kind = (uint8_t)kind, .name = 9, .size = 3, .properties = 63, .metadata = 2, .stamp = 2};
        struct sample sample;
        struct change change, expected;
        require_same(kind, i, "the kinds are in order");
        require_same(change_has_name(kind), (vocabulary[i].brings & NAME) != 0, "kind %zu", i);
        require_same(change_has_content(kind), (vocabulary[i].brings & CONTENT) != 0, "kind %zu", i);
        const char *event = change_event(kind), *expected_event = vocabulary[i].event;
        require((event == NULL) == (expected_event == NULL), "kind %zu", i);
        if (event && expected_event)
            require_bytes(bytes_text(event), bytes_text(expected_event), "kind %zu", i);
        sample_make(&sample, &full);
        require(change_read(bytes_of(sample.data, sample.length), &change), "kind %zu is refused", i);
        expected = sample.draft.change;
        leave_only(&expected, vocabulary[i].brings);
        require(change_same(&change, &expected), "kind %zu brings something else", i);
        sample_end(&sample);
    }
}

/* --- The bytes in the files of the world ---------------------------------------------------------------- */

/* What was once written has to be read for ever. */

#define ETAG "\x05\x00\x00\x00\x00\x00\xa0\x65"

#define RECORD(text) sizeof(text) - 1, (text)

static const struct {
    enum change_kind kind;
    bool metadata; /* a=b, or none */
    size_t length;
    const char *bytes;
} records[] = {
    {CHANGE_CREATE, true, RECORD("C\1\0" ETAG "\xe8\x07\xe7\x07\2\1\4\1a\1b\0")},
    {CHANGE_SETMETA, false, RECORD("C\1\1" ETAG "\xe8\x07\0")},
    {CHANGE_SETACL, false, RECORD("C\1\2" ETAG "\xe8\x07\2\0")},
    {CHANGE_DROP, false, RECORD("C\1\3")},
    {CHANGE_PUT, false, RECORD("C\1\4\4name" ETAG "\xe8\x07\xe7\x07\0\0")},
    {CHANGE_EXTEND, false, RECORD("C\1\5\4name")},
    {CHANGE_SETBLOBPROPS, false, RECORD("C\1\6\4name" ETAG "\xe8\x07\0")},
    {CHANGE_SETBLOBMETA, true, RECORD("C\1\7\4name" ETAG "\xe8\x07\1\4\1a\1b")},
    {CHANGE_DELETE, false, RECORD("C\1\10\4name")},
};

static void the_format_is_what_it_was(void **state) {
    (void)state;
    struct pairs metadata;
    pairs_start(&metadata);
    pairs_add_texts(&metadata, (const char *const[]){"a=b", NULL});
    for (size_t i = 0; i < COUNT_OF(records); i++) {
        const struct change change = {
            .kind = records[i].kind,
            .access = ACCESS_CONTAINER,
            .name = bytes_text("name"),
            .stamp = {UINT64_C(0x65a0000000000005), 1000},
            .created_ms = 999,
            .metadata = records[i].metadata ? pairs_list(&metadata) : packed_view(NULL),
        };
        struct record_writer writer;
        record_start(&writer);
        change_write(&change, &writer);
        require_bytes(written(&writer), bytes_of(records[i].bytes, records[i].length), "kind %zu", i);
        record_end(&writer);
    }
    pairs_end(&metadata);
}

/* --- What is no record ---------------------------------------------------------------------------------- */

static bool sound(struct bytes record) {
    struct change change;
    return change_read(record, &change);
}

static void nothing_less_and_nothing_more_is_a_record(void **state) {
    (void)state;
    struct dice dice = {2};
    for (int i = 0; i < 60; i++) {
        struct sample sample;
        sample_draw(&sample, &dice, false);
        for (size_t length = 0; length < sample.length; length++) {
            char *cut = malloc(length + 1);
            require(cut, "there is memory");
            memcpy(cut, sample.data, length);
            require(!sound(bytes_of(cut, length)), "sample %d, cut at %zu of %zu, is sound", i, length,
                    sample.length);
            free(cut);
        }
        char *more = malloc(sample.length + 1);
        require(more, "there is memory");
        memcpy(more, sample.data, sample.length);
        for (int byte = 0; byte < 256; byte++) {
            more[sample.length] = (char)byte;
            require(!sound(bytes_of(more, sample.length + 1)), "sample %d and the byte %d are sound", i,
                    byte);
        }
        free(more);
        sample_end(&sample);
    }
}

/* A record that was changed is refused, or it is another sound one, which
 * then is as good as written by us. */
static void require_refused_or_sound(struct bytes record) {
    struct change change, again;
    if (!change_read(record, &change)) return;
    require(change.kind < CHANGE_KINDS && change.access < ACCESS_KINDS, "there is no such kind or access");
    require(change.stamp.modified_ms >= 0 && change.created_ms >= 0, "an instant lies before 1970");
    struct record_writer writer;
    record_start(&writer);
    change_write(&change, &writer);
    require(change_read(written(&writer), &again), "what was read cannot be written");
    require(change_same(&change, &again), "what was read is written as something else");
    record_end(&writer);
}

static void a_flipped_bit_is_refused_or_sound(void **state) {
    (void)state;
    struct dice dice = {3};
    for (int i = 0; i < 60; i++) {
        struct sample sample;
        sample_draw(&sample, &dice, false);
        for (size_t bit = 0; bit < sample.length * 8; bit++) {
            sample.data[bit / 8] = (char)(sample.data[bit / 8] ^ 1 << bit % 8);
            require_refused_or_sound(bytes_of(sample.data, sample.length));
            sample.data[bit / 8] = (char)(sample.data[bit / 8] ^ 1 << bit % 8);
        }
        sample_end(&sample);
    }
}

static void many_changed_bytes_are_refused_or_sound(void **state) {
    (void)state;
    struct dice dice = {4};
    for (int i = 0; i < 20000; i++) {
        struct sample sample;
        sample_draw(&sample, &dice, true);
        for (size_t n = 1 + dice_roll(&dice, 4); n; n--) {
            size_t at = dice_roll(&dice, sample.length < 64 ? sample.length : 64);
            sample.data[at] = (char)(dice_percent(&dice, 50) ? dice_word(&dice) : 0x7f + dice_roll(&dice, 3));
        }
        require_refused_or_sound(bytes_of(sample.data, sample.length));
        sample_end(&sample);
    }
}

static void random_bytes_are_refused_or_sound(void **state) {
    (void)state;
    struct dice dice = {5};
    char room[64] = {CHANGE_FAMILY, 1};
    for (int i = 0; i < 100000; i++) {
        size_t length = dice_roll(&dice, sizeof(room));
        dice_fill(&dice, room + 2, sizeof(room) - 2);
        room[2] = (char)dice_roll(&dice, CHANGE_KINDS);
        require_refused_or_sound(bytes_of(room, length));
    }
}

static void the_head_has_to_be_right(void **state) {
    (void)state;
    require(sound(bytes_of("C\1\3", 3)), "the shortest record");
    require(!sound(bytes_of("", 0)), "nothing");
    require(!sound(bytes_of(NULL, 0)), "nothing at all");
    for (int byte = 0; byte < 256; byte++) {
        char family[] = {(char)byte, 1, CHANGE_DROP}, format[] = {'C', (char)byte, CHANGE_DROP};
        char kind[] = {'C', 1, (char)byte};
        require_same(sound(bytes_of(family, 3)), byte == 'C', "the family %d", byte);
        require_same(sound(bytes_of(format, 3)), byte == 1, "the format %d", byte);
        require_same(sound(bytes_of(kind, 3)), byte == CHANGE_DROP, "the kind %d alone", byte);
    }
}

/* --- Records that are well formed, and say what may not be ---------------------------------------------- */

static struct change sound_change(enum change_kind kind) {
    return (struct change){.kind = kind, .name = bytes_text("name"), .stamp = {5, 5}, .created_ms = 5};
}

static void require_soundness(const struct change *change, bool expected, const char *why) {
    struct record_writer writer;
    record_start(&writer);
    change_write(change, &writer);
    require_same(sound(written(&writer)), expected, "%s", why);
    record_end(&writer);
}

static void names_keep_the_rules(void **state) {
    (void)state;
    static char longest[1025], slashes[300];
    memset(longest, 'n', sizeof(longest));
    memset(slashes, '/', sizeof(slashes));
    const struct {
        const char *why;
        struct bytes name;
        bool sound;
    } cases[] = {
        {"a name", bytes_text("name"), true},           {"no name", bytes_of("", 0), false},
        {"the longest", bytes_of(longest, 1024), true}, {"a longer one", bytes_of(longest, 1025), false},
        {"254 segments", bytes_of(slashes, 253), true}, {"255 segments", bytes_of(slashes, 254), false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int kind = 0; kind < CHANGE_KINDS; kind++) {
            struct change change = sound_change((enum change_kind)kind);
            change.name = cases[i].name;
            require_soundness(&change, cases[i].sound || !change_has_name(change.kind), cases[i].why);
        }
}

static void stamps_and_access_keep_the_rules(void **state) {
    (void)state;
    struct change change = sound_change(CHANGE_CREATE);
    require_soundness(&change, true, "a creation");
    change.stamp.etag = 0;
    require_soundness(&change, false, "no ETag");
    change.stamp.etag = UINT64_MAX;
    require_soundness(&change, true, "the greatest ETag");
    change.stamp.modified_ms = INT64_MAX;
    change.created_ms = INT64_MAX;
    require_soundness(&change, true, "the last instant");
    change.stamp.modified_ms = -1;
    require_soundness(&change, false, "a modification before 1970");
    change.stamp.modified_ms = 0;
    change.created_ms = INT64_MIN;
    require_soundness(&change, false, "a creation before 1970");
    change.created_ms = 0;
    change.access = ACCESS_CONTAINER;
    require_soundness(&change, true, "the last access");
    change.access = ACCESS_KINDS;
    require_soundness(&change, false, "an access that there is not");
}

static void lists_keep_the_rules(void **state) {
    (void)state;
    const struct packed_list lists[] = {
        {1, bytes_of("\1a\1b", 4)},     {1, bytes_of("\1-\1b", 4)}, {2, bytes_of("\1a\1b", 4)},
        {2, bytes_of("\1a\0\1A\0", 6)}, {1, bytes_of("\0\0", 2)},   {UINT64_MAX, bytes_of("\1a\1b", 4)},
    };
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct change change = sound_change(CHANGE_SETMETA);
        change.metadata = lists[i];
        require_soundness(&change, i == 0, "metadata of a container");
        change.kind = CHANGE_SETBLOBMETA;
        require_soundness(&change, i == 0, "metadata of a blob");
        change = sound_change(CHANGE_SETBLOBPROPS);
        change.properties = lists[i];
        require_soundness(&change, false, "properties of no known name");
        change = sound_change(CHANGE_SETACL);
        change.policies = lists[i];
        require_soundness(&change, false, "policies that are pairs");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        tidy_test(what_is_written_is_read_back),
        tidy_test(every_kind_brings_what_it_should),
        tidy_test(the_format_is_what_it_was),
        tidy_test(nothing_less_and_nothing_more_is_a_record),
        tidy_test(a_flipped_bit_is_refused_or_sound),
        tidy_test(many_changed_bytes_are_refused_or_sound),
        tidy_test(random_bytes_are_refused_or_sound),
        tidy_test(the_head_has_to_be_right),
        tidy_test(names_keep_the_rules),
        tidy_test(stamps_and_access_keep_the_rules),
        tidy_test(lists_keep_the_rules),
    };
    return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
