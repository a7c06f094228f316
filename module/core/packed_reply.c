#include "core/packed_reply.h"

#include "core/version.h"

struct reading {
    struct record_reader reader;
    uint64_t levels[PACKED_DEPTH_MAX]; /* values that are still to be read in each open array or map */
    unsigned depth;
};

static void fail_unless(struct reading *reading, bool sound) {
    if (!sound) reading->reader.failed = true;
}

/* A text that can be sent as one line of the protocol, with a NUL at its end. */
static bool is_error_text(struct bytes text) {
    if (text.length < 2 || text.data[text.length - 1]) return false;
    for (size_t i = 0; i + 1 < text.length; i++)
        if ((unsigned char)text.data[i] < ' ') return false;
    return true;
}

/* Each value takes at least one byte, so a greater count cannot be true. */
static void enter_level(struct reading *reading, uint64_t values) {
    struct record_reader *reader = &reading->reader;
    fail_unless(reading, values <= (uint64_t)(reader->end - reader->at) && reading->depth < PACKED_DEPTH_MAX);
    if (!reader->failed) reading->levels[reading->depth++] = values;
}

static void enter_map(struct reading *reading) {
    uint64_t pairs = record_number(&reading->reader);
    fail_unless(reading, pairs <= UINT64_MAX / 2);
    enter_level(reading, pairs * 2);
}

/* Reads one value. False for an array or a map, whose values follow. */
static bool read_value(struct reading *reading) {
    struct record_reader *reader = &reading->reader;
    switch ((enum packed_reply)record_byte(reader)) {
    case PACKED_OK:
    case PACKED_EXISTS:
    case PACKED_NULL: return true;
    case PACKED_ERROR: fail_unless(reading, is_error_text(record_bytes(reader))); return true;
    case PACKED_BYTES: record_bytes(reader); return true;
    case PACKED_NUMBER: record_number(reader); return true;
    case PACKED_REAL: record_word(reader); return true;
    case PACKED_FLAG: fail_unless(reading, record_number(reader) <= 1); return true;
    case PACKED_ARRAY: enter_level(reading, record_number(reader)); return false;
    case PACKED_MAP: enter_map(reading); return false;
    case PACKED_VERSION: fail_unless(reading, record_word(reader) <= VERSION_MAX); return true;
    case PACKED_GUID:
    case PACKED_DIGITS: record_guid(reader); return true;
    }
    reader->failed = true;
    return true;
}

/* Counts a complete value, and the arrays and maps that it completes. False when nothing is left open. */
static bool close_value(struct reading *reading) {
    for (; reading->depth; reading->depth--)
        if (--reading->levels[reading->depth - 1]) return true;
    return false;
}

bool packed_reply_is_sound(struct bytes packed) {
    struct reading reading = {.reader = record_reader(packed)};
    bool more = true;
    while (more && !reading.reader.failed) {
        bool complete = read_value(&reading);
        if (reading.reader.failed) return false;
        if (!complete && !reading.levels[reading.depth - 1]) {
            reading.depth--; /* it is empty */
            complete = true;
        }
        if (complete) more = close_value(&reading);
    }
    return record_complete(&reading.reader);
}

bool packed_reply_next_guid(struct bytes packed, struct record_reader *reader, struct guid *id) {
    if (!reader->at) {
        *reader = record_reader(packed);
        if (record_byte(reader) != PACKED_ARRAY) return false;
        record_number(reader);
    }
    if (record_byte(reader) != PACKED_GUID) return false;
    *id = record_guid(reader);
    return !reader->failed;
}
