/* Bundles: what is written is read back, the form is that of old files, and what none of our writers has written is
 * refused as far as it shows. */
#include "change/bundle.h"

#include "unit.h"

static const struct bundle_item items[] = {
    {1, 0, {"one", 3}},
    {3, 4, {"three", 5}},
    {1, 130, {"two", 3}},
};

static const char form[] = "B"
                           "\x01\x00\x03one"
                           "\x03\x04\x05three"
                           "\x01\x82\x01\x03two";

TEST(bundles_have_this_form) {
    struct record_writer writer ENDS_BY(record_end);
    bundle_start(&writer);
    for (size_t i = 0; i < ARRAY_SIZE(items); i++) bundle_add(&writer, &items[i]);
    require_bytes(record_written(&writer), bytes_of(form, sizeof(form) - 1), "the form");
}

TEST(bundles_are_read_as_written) {
    struct record_reader reader = bundle_reader(bytes_of(form, sizeof(form) - 1));
    struct bundle_item item;
    for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
        require(bundle_next(&reader, 131, &item), "item %zu is missing", i);
        require(item.key == items[i].key && item.beside == items[i].beside, "item %zu has other words", i);
        require_bytes(item.record, items[i].record, "item %zu", i);
    }
    require(!bundle_next(&reader, 131, &item) && record_complete(&reader), "there is no end");
}

/* What no writer of ours has written, as the second item of an effect with five words. */
static const struct {
    const char *why;
    size_t length;
    const char *bytes;
    bool sound;
} seconds[] = {
    {"the first key", 4, "\x01\x00\x01x", true},
    {"another key", 4, "\x04\x03\x01x", true},
    {"the command as key", 4, "\x00\x00\x01x", false},
    {"the bundle as key", 4, "\x02\x00\x01x", false},
    {"a key beyond the words", 4, "\x05\x00\x01x", false},
    {"the bundle beside", 4, "\x01\x02\x01x", false},
    {"the first key beside", 4, "\x01\x01\x01x", false},
    {"a content beyond the words", 4, "\x01\x05\x01x", false},
    {"a key of 64 bits", 13, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x01x", false},
    {"no record", 3, "\x01\x00\x00", false},
    {"a record that is cut off", 4, "\x01\x00\x02x", false},
    {"no length", 2, "\x01\x00", false},
};

TEST(words_that_are_not_there_are_refused) {
    for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
        struct record_writer writer ENDS_BY(record_end);
        bundle_start(&writer);
        bundle_add(&writer, &items[0]);
        record_put_raw(&writer, bytes_of(seconds[i].bytes, seconds[i].length));
        struct record_reader reader = bundle_reader(record_written(&writer));
        struct bundle_item item;
        require(bundle_next(&reader, 5, &item), "%s: no first item", seconds[i].why);
        require(bundle_next(&reader, 5, &item) == seconds[i].sound, "%s", seconds[i].why);
        require(record_complete(&reader) == seconds[i].sound, "%s: complete", seconds[i].why);
    }
}
