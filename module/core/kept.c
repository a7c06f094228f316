#include "core/kept.h"

#include "core/version.h"

/* An array or a map that is being read. */
struct level {
    uint64_t left; /* values to come; of an open map those that have come */
    bool open;
};

struct reading {
    struct record_reader reader;
    struct level levels[KEPT_DEPTH_MAX];
    unsigned depth;
};

static void fail_unless(struct reading *reading, bool sound) {
    if (!sound) reading->reader.failed = true;
}

/* A text that can stand in a line of the protocol. */
static bool is_error_text(struct bytes text) {
    if (text.length < 2 || text.data[text.length - 1]) return false;
    for (size_t i = 0; i + 1 < text.length; i++)
        if ((unsigned char)text.data[i] < ' ') return false;
    return true;
}

/* Whatever stands in it takes one byte at least, so that a count cannot promise more than there is. */
static void enter_level(struct reading *reading, uint64_t values, bool open) {
    struct record_reader *reader = &reading->reader;
    fail_unless(reading, values <= (uint64_t)(reader->end - reader->at) && reading->depth < KEPT_DEPTH_MAX);
    if (!reader->failed) reading->levels[reading->depth++] = (struct level){values, open};
}

static void enter_map(struct reading *reading) {
    uint64_t pairs = record_number(&reading->reader);
    fail_unless(reading, pairs <= UINT64_MAX / 2);
    enter_level(reading, pairs * 2, false);
}

static void leave_open_map(struct reading *reading) {
    uint64_t pairs = record_number(&reading->reader);
    const struct level *level = reading->depth ? &reading->levels[reading->depth - 1] : NULL;
    fail_unless(reading, level && level->open && level->left % 2 == 0 && level->left / 2 == pairs);
    if (!reading->reader.failed) reading->depth--;
}

/* Reads what the value has. False for what is no value of its own: the end of an open map, which is one by then. */
static bool read_value(struct reading *reading) {
    struct record_reader *reader = &reading->reader;
    switch ((enum kept)record_byte(reader)) {
    case KEPT_OK:
    case KEPT_EXISTS:
    case KEPT_NULL: return true;
    case KEPT_ERROR: fail_unless(reading, is_error_text(record_bytes(reader))); return true;
    case KEPT_BYTES: record_bytes(reader); return true;
    case KEPT_NUMBER: record_number(reader); return true;
    case KEPT_REAL: record_word(reader); return true;
    case KEPT_FLAG: fail_unless(reading, record_number(reader) <= 1); return true;
    case KEPT_ARRAY: enter_level(reading, record_number(reader), false); return false;
    case KEPT_MAP: enter_map(reading); return false;
    case KEPT_OPEN_MAP: enter_level(reading, 0, true); return false;
    case KEPT_MAP_LENGTH: leave_open_map(reading); return true;
    case KEPT_VERSION: fail_unless(reading, record_word(reader) <= VERSION_MAX); return true;
    case KEPT_GUID:
    case KEPT_DIGITS: record_guid(reader); return true;
    }
    reader->failed = true;
    return true;
}

/* A value is complete: so may be what it stands in. False when it stands in nothing. */
static bool count_kept(struct reading *reading) {
    for (; reading->depth; reading->depth--) {
        struct level *level = &reading->levels[reading->depth - 1];
        if (level->open) {
            level->left++;
            return true;
        }
        if (--level->left) return true;
    }
    return false;
}

/* An array or a map without anything in it is complete at once. */
static bool level_is_empty(const struct reading *reading) {
    const struct level *level = &reading->levels[reading->depth - 1];
    return !level->open && !level->left;
}

bool kept_is_sound(struct bytes kept) {
    struct reading reading = {.reader = record_reader(kept)};
    bool more = true;
    while (more && !reading.reader.failed) {
        bool complete = read_value(&reading);
        if (reading.reader.failed) return false;
        if (!complete && level_is_empty(&reading)) {
            reading.depth--;
            complete = true;
        }
        if (complete) more = count_kept(&reading);
    }
    return record_complete(&reading.reader);
}

bool kept_next_guid(struct bytes kept, struct record_reader *reader, struct guid *id) {
    if (!reader->at) {
        *reader = record_reader(kept);
        if (record_byte(reader) != KEPT_ARRAY) return false;
        record_number(reader);
    }
    if (record_byte(reader) != KEPT_GUID) return false;
    *id = record_guid(reader);
    return !reader->failed;
}
