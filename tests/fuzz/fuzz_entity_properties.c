/* Packed properties from outside: what can be read is written as the same bytes, both walks see the same, and what
 * callers write as text is read or refused. */
#include "allocations.h"
#include "require.h"
#include "table/index_key.h"
#include "table/key.h"
#include "table/property.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_index_key(const struct value *value) {
    struct record_writer writer ENDS_BY(record_end);
    record_start(&writer);
    index_key_put_value(&writer, value);
    require(writer.length <= INDEX_KEY_VALUE_MAX, "%zu bytes", writer.length);
    require(!memcmp(writer.data + writer.length - 2, "\0\1", 2), "it has an end");
}

static void check_packed(struct bytes packed) {
    struct record_reader reader = record_reader(packed), steps = reader;
    struct record_writer again ENDS_BY(record_end);
    struct property property;
    struct packed_property step;
    const char *last = reader.at;
    record_start(&again);
    while (property_next(&reader, &property)) {
        require(property_step(&steps, &step) && steps.at == reader.at, "the other walk goes another way");
        require_bytes(step.name, property.name, "names");
        check_index_key(&property.value);
        (void)value_sound(&property.value);
        (void)property_name_check(property.name);
        size_t from = again.length;
        value_put(&again, &property.value);
        struct bytes written = bytes_of(again.data + from, again.length - from);
        size_t length = (size_t)(reader.at - last);
        require(length > written.length, "a property is more than its value");
        require_bytes(written, bytes_of(reader.at - written.length, written.length), "its bytes");
        last = reader.at;
    }
}

static void check_text(struct bytes text) {
    struct bytes name;
    enum value_type type;
    for (type = 0; type < VALUE_TYPES; type++) {
        struct value value;
        if (value_read(type, text, &value) != OUTCOME_DONE) continue;
        struct record_writer writer ENDS_BY(record_end);
        record_start(&writer);
        value_put(&writer, &value);
        struct record_reader reader = record_reader(record_written(&writer));
        struct value again = value_next(&reader);
        require(record_complete(&reader) && value_sound(&again) && again.type == type,
                "it cannot be read back");
        require(value_size(&value) == value_size(&again), "another size");
    }
    if (property_name_read(text, &name, &type) == OUTCOME_DONE)
        require_same(property_name_check(name), OUTCOME_DONE, "its name is none");
    if (stored_key_sound(text)) {
        struct stored_key parts;
        require(stored_key_split(text, &parts) && text.length <= STORED_KEY_MAX_BYTES, "no stored key");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    allocations_forget();
    check_packed(bytes_of(data, size));
    check_text(bytes_of(data, size));
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
