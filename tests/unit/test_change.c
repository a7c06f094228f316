/* Changes as records: every kind there and back, the bytes that files already
 * hold, and what is no record at all. */
#include "blob/change.h"

#include "core/duration.h"
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
    LEASE = 128,
    FREES = 256,
    CONTENT = 512
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
    {"blob.put", CHANGE_PUT, NAME | STAMP | CREATED | PROPERTIES | METADATA | FREES | CONTENT},
    {NULL, CHANGE_EXTEND, NAME | CONTENT},
    {"blob.setprops", CHANGE_SETBLOBPROPS, NAME | STAMP | PROPERTIES | FREES},
    {"blob.setmeta", CHANGE_SETBLOBMETA, NAME | STAMP | METADATA | FREES},
    {"blob.delete", CHANGE_DELETE, NAME | FREES},
    {"lease.acquire", CHANGE_LEASE, LEASE},
    {"lease.acquire", CHANGE_BLOBLEASE, NAME | LEASE},
};

static void leave_only(struct change *change, unsigned brings) {
    if (!(brings & NAME)) change->name = bytes_of("", 0);
    if (!(brings & STAMP)) change->stamp = (struct stamp){0, 0};
    if (!(brings & CREATED)) change->created_ms = 0;
    if (!(brings & ACCESS)) change->access = ACCESS_PRIVATE;
    if (!(brings & PROPERTIES)) change->properties = (struct packed_list){0, {"", 0}};
    if (!(brings & METADATA)) change->metadata = (struct packed_list){0, {"", 0}};
    if (!(brings & POLICIES)) change->policies = (struct packed_list){0, {"", 0}};
    if (!(brings & LEASE)) change->lease = (struct lease){.owner = {"", 0}};
    if (!(brings & LEASE)) change->event = LEASE_QUIET;
    if (!(brings & FREES)) change->frees_lease = false;
    if (!(brings & (LEASE | FREES))) change->expired = false;
}

static void every_kind_brings_what_it_should(void **state) {
    (void)state;
    require_same(COUNT_OF(vocabulary), CHANGE_KINDS, "the table has every kind");
    for (size_t i = 0; i < COUNT_OF(vocabulary); i++) {
        enum change_kind kind = vocabulary[i].kind;
        const struct choice full = {.kind = (uint8_t)kind,
                                    .name = 9,
                                    .size = 3,
                                    .beside = 16 + 32,
                                    .properties = 127,
                                    .metadata = 1,
                                    .stamp = 2};
        struct sample sample;
        struct change change, expected;
        require_same(kind, i, "the kinds are in order");
        require_same(change_has_name(kind), (vocabulary[i].brings & NAME) != 0, "kind %zu", i);
        require_same(change_has_content(kind), (vocabulary[i].brings & CONTENT) != 0, "kind %zu", i);
        sample_make(&sample, &full);
        require(change_read(bytes_of(sample.data, sample.length), &change), "kind %zu is refused", i);
        const char *event = change_event(&change), *expected_event = vocabulary[i].event;
        require((event == NULL) == (expected_event == NULL), "kind %zu", i);
        if (event && expected_event)
            require_bytes(bytes_text(event), bytes_text(expected_event), "kind %zu", i);
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

#define ID    "\x08\x07\x06\x05\x04\x03\x02\x01\x18\x17\x16\x15\x14\x13\x12\x11"
#define TOKEN "\x06\x00\x00\x00\x00\x00\xa0\x65"

enum { PLAIN, META = 1, ENDS = 2 /* a lease's time, or the lease */ };

static const struct {
    enum change_kind kind;
    unsigned sort;
    size_t length;
    const char *bytes;
} records[] = {
    {CHANGE_CREATE, META, RECORD("C\1\0" ETAG "\xe8\x07\xe7\x07\2\1\4\1a\1b\0")},
    {CHANGE_SETMETA, PLAIN, RECORD("C\1\1" ETAG "\xe8\x07\0")},
    {CHANGE_SETACL, PLAIN, RECORD("C\1\2" ETAG "\xe8\x07\2\0")},
    {CHANGE_DROP, PLAIN, RECORD("C\1\3")},
    {CHANGE_PUT, PLAIN, RECORD("C\1\4\4name" ETAG "\xe8\x07\xe7\x07\0\0\0")},
    {CHANGE_PUT, META | ENDS, RECORD("C\1\4\4name" ETAG "\xe8\x07\xe7\x07\0\1\4\1a\1b\x81")},
    {CHANGE_EXTEND, PLAIN, RECORD("C\1\5\4name")},
    {CHANGE_SETBLOBPROPS, PLAIN, RECORD("C\1\6\4name" ETAG "\xe8\x07\0\0")},
    {CHANGE_SETBLOBMETA, META, RECORD("C\1\7\4name" ETAG "\xe8\x07\1\4\1a\1b\0")},
    {CHANGE_SETBLOBMETA, META | ENDS, RECORD("C\1\7\4name" ETAG "\xe8\x07\1\4\1a\1b\x81")},
    {CHANGE_DELETE, PLAIN, RECORD("C\1\10\4name\0")},
    {CHANGE_DELETE, ENDS, RECORD("C\1\10\4name\x81")},
    {CHANGE_LEASE, PLAIN, RECORD("C\1\x09\0\1" ID TOKEN "\0\xe6\x07\xff\xff\xff\xff\xff\xff\xff\xff\x7f\0")},
    {CHANGE_LEASE, ENDS, RECORD("C\1\x09\x85\2" ID TOKEN "\x99\x75\xe6\x07\xe8\x07\2me")},
    {CHANGE_BLOBLEASE, ENDS, RECORD("C\1\x0a\4name\x85\2" ID TOKEN "\x99\x75\xe6\x07\xe8\x07\2me")},
};

static struct lease lease_once_written(bool ends) {
    return (struct lease){
        .kind = ends ? LEASE_BROKEN_OFF : LEASE_HELD,
        .id = {UINT64_C(0x0102030405060708), UINT64_C(0x1112131415161718)},
        .token = UINT64_C(0x65a0000000000006),
        .duration_ms = ends ? 15000 : DURATION_INFINITE_MS,
        .since_ms = 998,
        .ends_ms = ends ? 1000 : LEASE_FOREVER,
        .owner = bytes_text(ends ? "me" : ""),
    };
}

static void the_format_is_what_it_was(void **state) {
    (void)state;
    struct pairs metadata;
    pairs_start(&metadata);
    pairs_add_texts(&metadata, (const char *const[]){"a=b", NULL});
    for (size_t i = 0; i < COUNT_OF(records); i++) {
        bool ends = records[i].sort & ENDS;
        const struct change change = {
            .kind = records[i].kind,
            .access = ACCESS_CONTAINER,
            .name = bytes_text("name"),
            .stamp = {UINT64_C(0x65a0000000000005), 1000},
            .created_ms = 999,
            .metadata = records[i].sort & META ? pairs_list(&metadata) : packed_view(NULL),
            .lease = lease_once_written(ends),
            .event = ends ? LEASE_BREAKED : LEASE_QUIET,
            .frees_lease = ends,
            .expired = ends,
        };
        struct record_writer writer;
        record_start(&writer);
        change_write(&change, &writer);
        struct bytes once = bytes_of(records[i].bytes, records[i].length);
        struct change read;
        require_bytes(written(&writer), once, "record %zu", i);
        record_end(&writer);
        require(change_read(once, &read), "record %zu is refused", i);
        require_same(read.kind, records[i].kind, "record %zu", i);
        bool tells = vocabulary[read.kind].brings & (FREES | LEASE);
        require_same(read.expired, tells && ends, "record %zu", i);
        require_same(read.frees_lease, vocabulary[read.kind].brings & FREES && ends, "record %zu", i);
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
    require(change.stamp.etag <= VERSION_MOST, "an ETag that nobody mints");
    if (vocabulary[change.kind].brings & LEASE) require(lease_sound(&change.lease), "an unsound lease");
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
    return (struct change){.kind = kind,
                           .name = bytes_text("name"),
                           .stamp = {5, 5},
                           .created_ms = 5,
                           .lease = lease_once_written(true)};
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

/* Whoever brings an ETag, it is one that some server may have minted. */
static void etags_keep_the_rules(void **state) {
    (void)state;
    static const struct {
        const char *why;
        version etag;
        bool sound;
    } cases[] = {
        {"no ETag", 0, false},
        {"the smallest", 1, true},
        {"the greatest", VERSION_MOST, true},
        {"a greater one", VERSION_MOST + 1, false},
        {"the next epoch's", VERSION_MOST + (UINT64_C(1) << 32), false},
        {"the greatest number", UINT64_MAX, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int kind = 0; kind < CHANGE_KINDS; kind++) {
            struct change change = sound_change((enum change_kind)kind);
            bool stamped = vocabulary[kind].brings & STAMP;
            change.stamp.etag = cases[i].etag;
            require_soundness(&change, cases[i].sound || !stamped, cases[i].why);
        }
}

static void stamps_and_access_keep_the_rules(void **state) {
    (void)state;
    struct change change = sound_change(CHANGE_CREATE);
    require_soundness(&change, true, "a creation");
    change.stamp.etag = VERSION_MOST;
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

static void leases_keep_the_rules(void **state) {
    (void)state;
    for (int kind = CHANGE_LEASE; kind <= CHANGE_BLOBLEASE; kind++) {
        struct change change = sound_change((enum change_kind)kind);
        for (int event = 0; event < 128; event++)
            for (int expired = 0; expired < 2; expired++) {
                change.event = (enum lease_event)event;
                change.expired = expired;
                require_soundness(&change, event < LEASE_EVENTS, "an event");
            }
        change.event = LEASE_QUIET;
        change.lease.token = 0;
        require_soundness(&change, false, "a lease that never was");
        change.lease.token = VERSION_MOST;
        require_soundness(&change, true, "the greatest token");
        change.lease.token = VERSION_MOST + 1;
        require_soundness(&change, false, "a greater token");
        change.lease = lease_once_written(true);
        change.lease.ends_ms = LEASE_FOREVER;
        require_soundness(&change, false, "what is broken off, without an end");
        change.lease.kind = LEASE_HELD;
        require_soundness(&change, false, "a fixed lease without an end");
        change.lease = lease_once_written(false);
        require_soundness(&change, true, "a lease without an end");
        change.lease.ends_ms = 1000;
        require_soundness(&change, false, "a lease without a duration that has an end");
    }
}

/* What the byte at the end of a write, or of the end of a blob, may say. */
static void an_ended_lease_is_told_of_by_known_bits(void **state) {
    (void)state;
    for (int kind = 0; kind < CHANGE_KINDS; kind++) {
        if (!(vocabulary[kind].brings & FREES)) continue;
        const struct change plain = sound_change((enum change_kind)kind);
        struct record_writer writer;
        record_start(&writer);
        change_write(&plain, &writer);
        for (int byte = 0; byte < 256; byte++) {
            struct change change;
            writer.data[writer.length - 1] = (char)byte;
            bool read = change_read(written(&writer), &change);
            require_same(read, (byte & 0x7e) == 0, "kind %d, the byte %d", kind, byte);
            if (read) require_same(change.frees_lease, byte & 1, "kind %d, the byte %d", kind, byte);
            if (read) require_same(change.expired, byte >> 7, "kind %d, the byte %d", kind, byte);
        }
        require(!sound(bytes_of(writer.data, writer.length - 1)), "kind %d without that byte", kind);
        record_end(&writer);
    }
}

/* A write and the end of a blob speak of themselves, whatever they do to a lease. */
static void a_lease_is_spoken_of_by_what_befell_it(void **state) {
    (void)state;
    static const char *const events[LEASE_EVENTS] = {NULL,           "lease.acquire", "lease.renew",
                                                     "lease.change", "lease.release", "lease.break"};
    for (int kind = 0; kind < CHANGE_KINDS; kind++)
        for (int event = 0; event < LEASE_EVENTS; event++) {
            struct change change = sound_change((enum change_kind)kind);
            bool of_lease = vocabulary[kind].brings & LEASE;
            if (of_lease) change.event = (enum lease_event)event;
            const char *expected = of_lease ? events[event] : vocabulary[kind].event;
            const char *told = change_event(&change);
            require((told == NULL) == (expected == NULL), "kind %d, event %d", kind, event);
            if (told && expected)
                require_bytes(bytes_text(told), bytes_text(expected), "kind %d, event %d", kind, event);
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
        tidy_test(etags_keep_the_rules),
        tidy_test(stamps_and_access_keep_the_rules),
        tidy_test(lists_keep_the_rules),
        tidy_test(leases_keep_the_rules),
        tidy_test(an_ended_lease_is_told_of_by_known_bits),
        tidy_test(a_lease_is_spoken_of_by_what_befell_it),
    };
    return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
