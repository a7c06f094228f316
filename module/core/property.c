#include "core/property.h"

#include "core/base64.h"
#include "core/inlining.h"

#include <md5.h>

/* Enough for the longest values under the longest names, with their lengths. */
enum { PACKED_MAX_BYTES = 2 * PROPERTIES_MAX_BYTES };

enum { MD5_AT = 5, PROPERTY_COUNT = 6, MD5_BYTES = 16 };

#define PROPERTY_MD5 "content-md5"

static const char *const names[PROPERTY_COUNT] = {
    "content-type",        "content-encoding", "content-language",
    "content-disposition", "cache-control",    PROPERTY_MD5,
};

static int property_index(struct bytes name) {
    for (int i = 0; i < PROPERTY_COUNT; i++)
        if (bytes_same_word(name, bytes_text(names[i]))) return i;
    return -1;
}

static bool md5_decode(struct bytes text, unsigned char md5[MD5_BYTES]) {
    return base64_read(text, md5, MD5_BYTES) == MD5_BYTES;
}

static enum outcome check_value(int property, struct bytes value) {
    unsigned char md5[MD5_BYTES];
    if (property != MD5_AT || !value.length) return OUTCOME_DONE;
    return md5_decode(value, md5) ? OUTCOME_DONE : OUTCOME_INVALID_MD5;
}

enum outcome properties_pack(struct packed_list given, struct record_writer *writer,
                             struct packed_list *packed) {
    struct bytes values[PROPERTY_COUNT] = {{NULL, 0}};
    struct record_reader reader = record_reader(given.items);
    struct bytes name, value;
    size_t bytes = 0;
    while (packed_next_pair(&reader, &name, &value)) {
        int property = property_index(name);
        if (property < 0 || values[property].data) return OUTCOME_INVALID_VALUE;
        enum outcome outcome = check_value(property, value);
        if (outcome != OUTCOME_DONE) return outcome;
        values[property] = value;
        bytes += name.length + value.length;
    }
    if (bytes > PROPERTIES_MAX_BYTES) return OUTCOME_INVALID_VALUE;
    uint64_t count = 0;
    for (int i = 0; i < PROPERTY_COUNT; i++) {
        if (!values[i].length) continue;
        record_put_bytes(writer, bytes_text(names[i]));
        record_put_bytes(writer, values[i]);
        count++;
    }
    *packed = (struct packed_list){count, record_written(writer)};
    return OUTCOME_DONE;
}

bool properties_sound(struct packed_list list) {
    struct record_reader reader = record_reader(list.items);
    struct bytes name, value;
    int last = -1;
    uint64_t count = 0;
    while (packed_next_pair(&reader, &name, &value)) {
        int property = property_index(name);
        if (property <= last || !bytes_equal(name, bytes_text(names[property])) || !value.length)
            return false;
        if (check_value(property, value) != OUTCOME_DONE) return false;
        last = property;
        count++;
    }
    return record_complete(&reader) && count == list.count && list.items.length <= PACKED_MAX_BYTES;
}

struct bytes properties_find(struct packed_list list, const char *wanted) {
    struct record_reader reader = record_reader(list.items);
    struct bytes name, value;
    while (packed_next_pair(&reader, &name, &value))
        if (bytes_equal(name, bytes_text(wanted))) return value;
    return bytes_of("", 0);
}

ASIDE bool properties_match_content(struct packed_list list, struct bytes content) {
    unsigned char claimed[MD5_BYTES], real[MD5_BYTES];
    if (!md5_decode(properties_find(list, PROPERTY_MD5), claimed)) return true;
    MD5_CTX context;
    MD5Init(&context);
    MD5Update(&context, (const unsigned char *)content.data, content.length);
    MD5Final(real, &context);
    return memcmp(claimed, real, MD5_BYTES) == 0;
}
