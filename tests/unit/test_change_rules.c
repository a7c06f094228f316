/* Records that are none, or that say what may not be: all of them are refused, and what is not refused is sound. */
#include "change_vocabulary.h"
#include "core/pages.h"
#include "record_trial.h"
#include "unit.h"

/* --- What is no record ---------------------------------------------------------------------------------- */

static bool sound(struct bytes record) {
    struct container_change change;
    return change_read(&container_changes, record, &change);
}

TEST(records_that_are_cut_or_too_long_are_refused) {
    struct dice dice = {2};
    for (int i = 0; i < 60; i++) {
        struct sample sample ENDS_BY(sample_end);
        sample_draw(&sample, &dice, false);
        record_require_whole(&container_changes, bytes_of(sample.data, sample.length));
    }
}

static void require_sound_numbers(const struct container_change *change, unsigned brings) {
    require(change->parts <= PARTS_ALL && change->blob_kind <= KIND_APPEND, "parts or a kind of no blob");
    require(change->sequence >= 0 && change->touched_ms >= 0, "a negative number");
    require(change->born <= VERSION_MAX && change->snapshot <= VERSION_MAX &&
                change->source_snapshot <= VERSION_MAX,
            "a version that nobody mints");
    require(!(brings & BLOCK) || (change->block_id.length >= 1 && change->block_id.length <= 64),
            "a block id of %zu bytes", change->block_id.length);
    if (!(brings & COPY)) return;
    require(change->copy.status >= COPY_PENDING && change->copy.status <= COPY_FAILED, "no copy's status");
    require(change->copy.id && change->copy.id <= VERSION_MAX && change->copy.completed_ms >= 0,
            "no copy's id");
    require(change->copy.source.length <= 4096, "too much is told of a source");
}

/* A record that was changed is refused, or it is another sound one, which
 * then is as good as written by us. */
static void require_refused_or_sound(struct bytes record) {
    struct container_change change, again;
    if (!change_read(&container_changes, record, &change)) return;
    require(change.kind < CONTAINER_CHANGE_KINDS && change.access < ACCESS_KINDS,
            "there is no such kind or access");
    require(change.stamp.modified_ms >= 0 && change.created_ms >= 0, "an instant lies before 1970");
    require(change.stamp.etag <= VERSION_MAX, "an ETag that nobody mints");
    if (vocabulary[change.kind].brings & LEASE) require(lease_sound(&change.lease), "an unsound lease");
    require_sound_numbers(&change, vocabulary[change.kind].brings);
    RECORD_WRITER(writer);
    change_write(&container_changes, &change, &writer);
    require(change_read(&container_changes, record_written(&writer), &again),
            "what was read cannot be written");
    require(change_same(&change, &again), "what was read is written as something else");
}

TEST(a_flipped_bit_is_refused_or_sound) {
    struct dice dice = {3};
    for (int i = 0; i < 60; i++) {
        struct sample sample ENDS_BY(sample_end);
        sample_draw(&sample, &dice, false);
        for (size_t bit = 0; bit < sample.length * 8; bit++) {
            sample.data[bit / 8] = (char)(sample.data[bit / 8] ^ 1 << bit % 8);
            require_refused_or_sound(bytes_of(sample.data, sample.length));
            sample.data[bit / 8] = (char)(sample.data[bit / 8] ^ 1 << bit % 8);
        }
    }
}

TEST(many_changed_bytes_are_refused_or_sound) {
    struct dice dice = {4};
    for (int i = 0; i < 20000; i++) {
        struct sample sample ENDS_BY(sample_end);
        sample_draw(&sample, &dice, true);
        for (size_t n = 1 + dice_roll(&dice, 4); n; n--) {
            size_t at = dice_roll(&dice, sample.length < 64 ? sample.length : 64);
            sample.data[at] = (char)(dice_percent(&dice, 50) ? dice_word(&dice) : 0x7f + dice_roll(&dice, 3));
        }
        require_refused_or_sound(bytes_of(sample.data, sample.length));
    }
}

TEST(random_bytes_are_refused_or_sound) {
    struct dice dice = {5};
    char room[64] = {(char)container_changes.letter};
    for (int i = 0; i < 100000; i++) {
        size_t length = dice_roll(&dice, sizeof(room));
        dice_fill(&dice, room + 1, sizeof(room) - 1);
        room[1] = (char)dice_roll(&dice, CONTAINER_CHANGE_KINDS);
        require_refused_or_sound(bytes_of(room, length));
    }
}

TEST(records_of_another_family_or_kind_are_refused) {
    require(sound(bytes_of("C\3", 2)), "the shortest record");
    require(!sound(bytes_of("", 0)), "nothing");
    require(!sound(bytes_of(NULL, 0)), "nothing at all");
    for (int byte = 0; byte < 256; byte++) {
        char family[] = {(char)byte, CONTAINER_DROP}, kind[] = {'C', (char)byte};
        require_same(sound(bytes_of(family, 2)), byte == 'C', "the family %d", byte);
        require_same(sound(bytes_of(kind, 2)),
                     byte == CONTAINER_DROP || byte == CONTAINER_LOADED || byte == CONTAINER_FEEDOFF,
                     "the kind %d alone", byte);
    }
}

/* A small content stands behind the fields of any record; whether the change has one is for others to say. */
TEST(a_content_stands_inside_up_to_its_limit) {
    static char content[CHANGE_CONTENT_INSIDE_MAX + 1];
    memset(content, 'x', sizeof(content));
    const struct container_change put = {.kind = BLOB_PUT, .name = {"name", 4}, .stamp = {5, 5}};
    for (size_t length = 0; length <= CHANGE_CONTENT_INSIDE_MAX; length++) {
        struct container_change change;
        struct bytes inside;
        version newest;
        RECORD_WRITER(writer);
        change_write(&container_changes, &put, &writer);
        require(change_read_with(&container_changes, record_written(&writer), &change, &inside, &newest),
                "without one");
        require(!inside.data, "there is none");
        change_add_content(&writer, bytes_of(content, length));
        require(change_read_with(&container_changes, record_written(&writer), &change, &inside, &newest),
                "%zu bytes", length);
        require_same(change.kind, BLOB_PUT, "the kind");
        require_same(newest, put.stamp.etag, "the version");
        require_bytes(inside, bytes_of(content, length), "%zu bytes", length);
        require(!sound(record_written(&writer)), "%zu bytes for those who want none", length);
    }
    struct container_change change;
    struct bytes inside;
    version newest;
    RECORD_WRITER(writer);
    change_write(&container_changes, &put, &writer);
    change_add_content(&writer, bytes_of(content, sizeof(content)));
    require(!change_read_with(&container_changes, record_written(&writer), &change, &inside, &newest),
            "a byte too many");
}

/* --- Records that are well formed, and say what may not be ---------------------------------------------- */

static struct container_change sound_change(enum container_change_kind kind) {
    return (struct container_change){.kind = kind,
                                     .name = bytes_text("name"),
                                     .stamp = {5, 5},
                                     .created_ms = 5,
                                     .blob_kind = KIND_PAGE,
                                     .parts = PARTS_ALL & ~(unsigned)STATE_IS_SEALED,
                                     .block_id = bytes_text("id"),
                                     .minted = 5,
                                     .source = bytes_text("source"),
                                     .copy = {COPY_PENDING, 5, {"", 0}, 0, 0, 0, false, false, {"", 0}},
                                     .lease = lease_once_written(true)};
}

static void require_soundness(const struct container_change *change, bool expected, const char *why) {
    RECORD_WRITER(writer);
    change_write(&container_changes, change, &writer);
    require_same(sound(record_written(&writer)), expected, "%s", why);
}

TEST(names_keep_the_rules) {
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
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        for (int kind = 0; kind < CONTAINER_CHANGE_KINDS; kind++) {
            struct container_change change = sound_change((enum container_change_kind)kind);
            change.name = cases[i].name;
            require_soundness(&change, cases[i].sound || !container_change_has_name(&change), cases[i].why);
        }
}

/* Whoever brings an ETag, it is one that some server may have minted. */
TEST(etags_keep_the_rules) {
    static const struct {
        const char *why;
        version etag;
        bool sound;
    } cases[] = {
        {"no ETag", 0, false},
        {"the smallest", 1, true},
        {"the greatest", VERSION_MAX, true},
        {"a greater one", VERSION_MAX + 1, false},
        {"the next epoch's", VERSION_MAX + (UINT64_C(1) << 32), false},
        {"the greatest number", UINT64_MAX, false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        for (int kind = 0; kind < CONTAINER_CHANGE_KINDS; kind++) {
            struct container_change change = sound_change((enum container_change_kind)kind);
            bool stamped = vocabulary[kind].brings & STAMP;
            change.stamp.etag = cases[i].etag;
            require_soundness(&change, cases[i].sound || !stamped, cases[i].why);
        }
}

TEST(stamps_and_access_keep_the_rules) {
    struct container_change change = sound_change(CONTAINER_CREATE);
    require_soundness(&change, true, "a creation");
    change.stamp.etag = VERSION_MAX;
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

TEST(lists_keep_the_rules) {
    const struct packed_list lists[] = {
        {1, bytes_of("\1a\1b", 4)},     {1, bytes_of("\1-\1b", 4)}, {2, bytes_of("\1a\1b", 4)},
        {2, bytes_of("\1a\0\1A\0", 6)}, {1, bytes_of("\0\0", 2)},   {UINT64_MAX, bytes_of("\1a\1b", 4)},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        struct container_change change = sound_change(CONTAINER_SETMETA);
        change.metadata = lists[i];
        require_soundness(&change, i == 0, "metadata of a container");
        change.kind = BLOB_SETMETA;
        require_soundness(&change, i == 0, "metadata of a blob");
        change = sound_change(BLOB_SETPROPS);
        change.properties = lists[i];
        require_soundness(&change, false, "properties of no known name");
        change.parts = PART_METADATA;
        require_soundness(&change, true, "properties that are not among the parts");
        change = sound_change(CONTAINER_SETACL);
        change.policies = lists[i];
        require_soundness(&change, false, "policies that are pairs");
    }
}

TEST(leases_keep_the_rules) {
    for (int kind = CONTAINER_LEASE; kind <= BLOB_LEASE; kind++) {
        struct container_change change = sound_change((enum container_change_kind)kind);
        for (int event = 0; event < 128; event++)
            for (int expired = 0; expired < 2; expired++) {
                change.event = (enum lease_event)event;
                change.expired = expired;
                require_soundness(&change, event < LEASE_EVENTS, "an event");
            }
        change.event = LEASE_EVENT_QUIET;
        change.lease.token = 0;
        require_soundness(&change, false, "a lease that never was");
        change.lease.token = VERSION_MAX;
        require_soundness(&change, true, "the greatest token");
        change.lease.token = VERSION_MAX + 1;
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

/* --- Blobs of all kinds --- */

TEST(names_of_sources_keep_the_rules) {
    static char longest[1025], slashes[300];
    memset(longest, 'n', sizeof(longest));
    memset(slashes, '/', sizeof(slashes));
    struct container_change change = sound_change(BLOB_COPY);
    change.source = bytes_of(longest, 1024);
    require_soundness(&change, true, "the longest name");
    change.source = bytes_of(longest, 1025);
    require_soundness(&change, false, "a longer one");
    change.source = bytes_of("", 0);
    require_soundness(&change, false, "no name");
    change.source = bytes_of(slashes, 254);
    require_soundness(&change, false, "255 segments");
}

/* Whoever brings a version, it is none, or one that some server may have minted. */
TEST(versions_keep_the_rules) {
    static const version versions[] = {0, 1, VERSION_MAX, VERSION_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
        for (int kind = 0; kind < CONTAINER_CHANGE_KINDS; kind++) {
            const struct container_change plain = sound_change((enum container_change_kind)kind);
            unsigned brings = change_brings(&plain);
            bool sound = versions[i] <= VERSION_MAX;
            struct container_change change = plain;
            change.born = versions[i];
            require_soundness(&change, sound || !(brings & BORN), "the birth of pages");
            change = plain;
            change.snapshot = versions[i];
            require_soundness(&change, sound || !(brings & SNAPSHOT), "a snapshot");
            change = plain;
            change.source_snapshot = versions[i];
            require_soundness(&change, sound || !(brings & SOURCE), "a source's snapshot");
            change = plain;
            change.copy.id = versions[i];
            require_soundness(&change, (sound && versions[i]) || !(brings & COPY), "a copy");
        }
}

TEST(pages_keep_the_rules) {
    static const struct {
        uint64_t number;
        bool paged;
    } cases[] = {
        {0, true},
        {512, true},
        {PAGES_MAX_BYTES, true},
        {PAGES_MAX_BYTES + 512, false},
        {1, false},
        {511, false},
        {513, false},
        {PAGES_MAX_BYTES - 1, false},
        {UINT64_MAX - 511, false},
        {UINT64_MAX, false},
    };
    static const enum container_change_kind kinds[] = {BLOB_CREATEPAGE, BLOB_PUTPAGE, BLOB_CLEARPAGE,
                                                       BLOB_SETPROPS, BLOB_STATE};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
            struct container_change change = sound_change(kinds[kind]);
            change.length = cases[i].number;
            bool tells = vocabulary[kinds[kind]].brings & LENGTH;
            require_soundness(&change, cases[i].paged || !tells, "a length");
            change = sound_change(kinds[kind]);
            change.offset = cases[i].number;
            tells = vocabulary[kinds[kind]].brings & OFFSET;
            require_soundness(&change, cases[i].paged || !tells, "an offset");
        }
    struct container_change change = sound_change(BLOB_APPEND);
    change.offset = 513;
    require_soundness(&change, true, "where bytes are appended");
}

TEST(parts_and_kinds_keep_the_rules) {
    static const enum container_change_kind kinds[] = {BLOB_SETPROPS, BLOB_SNAPSHOT, BLOB_COPY, BLOB_STATE};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        for (unsigned parts = 0; parts < 256; parts++) {
            struct container_change change = sound_change(kinds[i]);
            change.parts = parts;
            bool is_of_others = kinds[i] == BLOB_STATE && parts & STATE_IS_SEALED; /* only append blobs */
            require_soundness(&change, parts <= PARTS_ALL && !is_of_others, "parts");
        }
    for (unsigned kind = 0; kind < 256; kind++) {
        struct container_change change = sound_change(BLOB_STATE);
        change.blob_kind = (enum blob_kind)kind;
        change.parts = PART_PROPERTIES | STATE_KEEPS_CONTENT;
        require_soundness(&change, kind <= KIND_APPEND, "a blob's kind");
    }
}

/* Only pages have a length, a sequence number and a birth of their own, only append blobs a count. */
TEST(states_have_what_their_kind_has) {
    for (int kind = KIND_BLOCK; kind <= KIND_APPEND; kind++) {
        struct container_change change = sound_change(BLOB_STATE);
        change.blob_kind = (enum blob_kind)kind;
        change.parts = PART_LENGTH;
        require_soundness(&change, kind == KIND_PAGE, "a length");
        change.parts = PART_SEQUENCE;
        require_soundness(&change, kind == KIND_PAGE, "a sequence number");
        change.parts = STATE_IS_SEALED;
        require_soundness(&change, kind == KIND_APPEND, "a seal");
        change.parts = 0;
        change.born = 5;
        require_soundness(&change, kind == KIND_PAGE, "a birth");
        change.born = 0;
        change.count = 5;
        require_soundness(&change, kind == KIND_APPEND, "a count");
        change.count = 0;
        require_soundness(&change, true, "nothing of that");
    }
}

TEST(numbers_keep_the_rules) {
    static const enum container_change_kind kinds[] = {BLOB_CREATEPAGE, BLOB_SETPROPS, BLOB_STATE};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct container_change change = sound_change(kinds[i]);
        change.sequence = INT64_MAX;
        require_soundness(&change, true, "the greatest sequence number");
        change.sequence = -1;
        require_soundness(&change, false, "a negative sequence number");
        change.sequence = INT64_MIN;
        require_soundness(&change, false, "2^63");
    }
    for (int kind = BLOB_STAGE; kind <= BLOB_STAGED; kind += BLOB_STAGED - BLOB_STAGE) {
        struct container_change change = sound_change((enum container_change_kind)kind);
        change.touched_ms = INT64_MAX;
        require_soundness(&change, true, "the last instant");
        change.touched_ms = -1;
        require_soundness(&change, false, "before 1970");
    }
}

TEST(block_ids_keep_the_rules) {
    static const char longest[65] = "an id";
    for (int kind = BLOB_STAGE; kind <= BLOB_STAGED; kind += BLOB_STAGED - BLOB_STAGE)
        for (size_t length = 0; length <= sizeof(longest); length++) {
            struct container_change change = sound_change((enum container_change_kind)kind);
            change.block_id = bytes_of(longest, length);
            require_soundness(&change, length >= 1 && length <= 64, "a block id");
        }
}

TEST(copies_keep_the_rules) {
    static const char source[4097] = "container/blob";
    for (int kind = BLOB_COPY; kind <= BLOB_COPYSTATE; kind += BLOB_COPYSTATE - BLOB_COPY) {
        struct container_change change = sound_change((enum container_change_kind)kind);
        for (int status = 0; status < 256; status++) {
            change.copy.status = (enum copy_status)status;
            bool is_status = (status & 15) >= COPY_PENDING && (status & 15) <= COPY_FAILED;
            bool arrives = status == (COPY_PENDING | 16);
            bool is_untyped = status >> 4 == 2 && is_status && (status & 15) != COPY_SUCCESS;
            require_soundness(&change, (status < 16 && is_status) || arrives || is_untyped, "a status");
        }
        change.copy.status = COPY_FAILED;
        change.copy.source = bytes_of(source, 4096);
        require_soundness(&change, true, "the longest source");
        change.copy.source = bytes_of(source, 4097);
        require_soundness(&change, false, "a longer one");
        change.copy.source = bytes_of("", 0);
        change.copy.done = change.copy.total = INT64_MAX;
        change.copy.completed_ms = INT64_MAX;
        require_soundness(&change, true, "the greatest numbers");
        change.copy.done = (uint64_t)INT64_MAX + 1;
        require_soundness(&change, false, "a greater one that is done");
        change.copy.done = 0;
        change.copy.total = UINT64_MAX;
        require_soundness(&change, false, "a greater one in all");
        change.copy.total = 0;
        change.copy.completed_ms = -1;
        require_soundness(&change, false, "before 1970");
    }
}

/* A copy comes from here or from elsewhere, and nothing in between. */
TEST(a_copy_says_clearly_where_it_comes_from) {
    const struct container_change here = sound_change(BLOB_COPY);
    struct container_change elsewhere = here;
    size_t place = 0;
    elsewhere.from_elsewhere = true;
    RECORD_WRITER(writer);
    RECORD_WRITER(other);
    change_write(&container_changes, &here, &writer);
    change_write(&container_changes, &elsewhere, &other);
    while (writer.data[place] == other.data[place]) place++;
    for (int byte = 0; byte < 256; byte++) {
        writer.data[place] = (char)byte;
        require_same(sound(record_written(&writer)), byte <= 1, "the byte %d", byte);
    }
}

/* What the byte at the end of a write, or of the end of a blob, may say. */
TEST(an_ended_lease_is_told_of_by_known_bits) {
    for (int kind = 0; kind < CONTAINER_CHANGE_KINDS; kind++) {
        if (!(vocabulary[kind].brings & FREES)) continue;
        struct container_change plain = sound_change((enum container_change_kind)kind);
        const int unknown =
            kind == BLOB_DELETESNAPSHOTS ? 0x7a : 0x7e; /* it says whether its snapshot helped */
        plain.minted = 0;
        RECORD_WRITER(writer);
        change_write(&container_changes, &plain, &writer);
        for (int byte = 0; byte < 256; byte++) {
            struct container_change change;
            writer.data[writer.length - 1] = (char)byte;
            bool read = change_read(&container_changes, record_written(&writer), &change);
            require_same(read, (byte & unknown) == 0, "kind %d, the byte %d", kind, byte);
            if (read) require_same(change.frees_lease, byte & 1, "kind %d, the byte %d", kind, byte);
            if (read) require_same(change.expired, byte >> 7, "kind %d, the byte %d", kind, byte);
        }
        require(!sound(bytes_of(writer.data, writer.length - 1)), "kind %d without that byte", kind);
    }
}

/* A write and the end of a blob speak of themselves, whatever they do to a lease. */
TEST(lease_changes_have_the_event_of_their_operation) {
    static const char *const events[LEASE_EVENTS] = {NULL,           "lease.acquire", "lease.renew",
                                                     "lease.change", "lease.release", "lease.break"};
    for (int kind = 0; kind < CONTAINER_CHANGE_KINDS; kind++)
        for (int event = 0; event < LEASE_EVENTS; event++) {
            struct container_change change = sound_change((enum container_change_kind)kind);
            bool of_lease = vocabulary[kind].brings & LEASE;
            if (of_lease) change.event = (enum lease_event)event;
            const char *expected = of_lease ? events[event] : vocabulary[kind].event;
            const char *told = container_change_event(&change);
            require((told == NULL) == (expected == NULL), "kind %d, event %d", kind, event);
            if (told && expected)
                require_bytes(bytes_text(told), bytes_text(expected), "kind %d, event %d", kind, event);
        }
}
