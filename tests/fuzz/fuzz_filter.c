/* Filters from outside, on entities from outside: the first byte says how much of the input is the filter; the rest
 * is a partition key, a row key, each with its length before it, and packed properties. Whatever matches lies inside
 * of all ranges, and what a fault says is of the text. */
#include "allocations.h"
#include "core/utf16.h"
#include "require.h"
#include "table/filter_match.h"
#include "table/filter_parser.h"
#include "table/filter_ranges.h"
#include "table/index_key.h"
#include "table/key.h"
#include "table/property.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So much of the input, or what is left of it. */
static struct bytes take(const uint8_t **data, size_t *size, size_t length) {
    if (length > *size) length = *size;
    struct bytes taken = bytes_of(*data, length);
    *data += length;
    *size -= length;
    return taken;
}

static bool ranges_have(const struct ranges *ranges, struct bytes key) {
    bool has = false;
    require(ranges->count <= RANGES_MAX, "%u ranges", ranges->count);
    for (unsigned i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->items[i];
        require(range->to.data ? bytes_compare(range->from, range->to) < 0 : i + 1 == ranges->count,
                "range %u", i);
        require(!i || bytes_compare(ranges->items[i - 1].to, range->from) < 0, "range %u touches", i);
        has = has || (bytes_compare(key, range->from) >= 0 &&
                      (!range->to.data || bytes_compare(key, range->to) < 0));
    }
    return has;
}

static void check_keys(const struct filter *filter, const struct row *row, bool matches) {
    char key[STORED_KEY_MAX_BYTES];
    struct ranges ranges ENDS_BY(ranges_end);
    memcpy(key, row->partition.data, row->partition.length);
    key[row->partition.length] = '\0';
    memcpy(key + row->partition.length + 1, row->row.data, row->row.length);
    filter_key_ranges(filter, &ranges);
    bool inside = ranges_have(&ranges, bytes_of(key, row->partition.length + 1 + row->row.length));
    require(inside || !matches, "a match lies outside");
}

static void check_index(const struct filter *filter, const struct row *row, struct bytes name, bool matches) {
    struct record_reader reader = record_reader(row->properties);
    struct property property;
    struct ranges ranges;
    bool inside = false;
    if (!filter_index_ranges(filter, name, &ranges)) return;
    while (property_next(&reader, &property)) {
        struct record_writer writer;
        if (!bytes_equal(property.name, name)) continue;
        record_start(&writer);
        index_key_put_value(&writer, &property.value);
        record_put_raw(&writer, bytes_text("p"));
        inside = ranges_have(&ranges, record_written(&writer));
        record_end(&writer);
        break;
    }
    require(inside || !matches, "a match is not in the index");
    ranges_end(&ranges);
}

/* As a table has them: each name once, all of it sound. */
static bool properties_sound(struct bytes packed) {
    struct record_reader reader = record_reader(packed);
    struct property property, other;
    while (property_next(&reader, &property)) {
        struct record_reader rest = reader;
        if (property_name_check(property.name) != OUTCOME_DONE || !value_sound(&property.value)) return false;
        while (property_next(&rest, &other))
            if (bytes_equal(property.name, other.name)) return false;
    }
    return record_complete(&reader);
}

static void judge(const struct filter *filter, const struct row *row) {
    size_t work = 0;
    bool matches = filter_matches(filter, row, &work);
    require(work > 0, "it costs nothing");
    check_keys(filter, row, matches);
    for (unsigned i = 0; i < filter->name_count; i++) check_index(filter, row, filter->names[i], matches);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct filter filter;
    struct filter_fault fault = {0};
    allocations_forget();
    if (size < 4) return 0;
    struct bytes lengths = take(&data, &size, 4);
    size_t length = (size_t)(unsigned char)lengths.data[0] << 8 | (unsigned char)lengths.data[1];
    struct bytes text = take(&data, &size, length);
    char partition[UINT8_MAX], key[UINT8_MAX];
    struct row row = {.ticks = (int64_t)size * 1000000007};
    row.partition = take(&data, &size, (unsigned char)lengths.data[2]);
    row.row = take(&data, &size, (unsigned char)lengths.data[3]);
    row.properties = take(&data, &size, size);
    if (!filter_compile(text, &filter, &fault)) {
        require(fault.position >= 1 && fault.position <= text.length + 1, "position %zu", fault.position);
        require(fault.text && fault.text[0] && fault.outcome >= OUTCOME_FIRST, "it says nothing");
        require_same(allocations_count(), 0, "a fault leaves nothing");
        return 0;
    }
    bool sound = key_check(row.partition) == OUTCOME_DONE && key_check(row.row) == OUTCOME_DONE &&
                 properties_sound(row.properties);
    if (sound) {
        key_store(row.partition, partition);
        key_store(row.row, key);
        row.partition.data = partition;
        row.row.data = key;
        judge(&filter, &row);
    }
    filter_end(&filter);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
