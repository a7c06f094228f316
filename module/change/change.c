#include "change/change.h"

#include <string.h>

enum { FORMAT = 1 };

void change_write(const struct change_family *family, const void *change, struct record_writer *writer) {
    record_put_byte(writer, family->letter);
    record_put_byte(writer, FORMAT);
    record_put_byte(writer, (uint8_t) * (const unsigned *)change);
    layout_write(&family->layout, change_kind(family, change)->fields, change, writer);
}

bool change_read(const struct change_family *family, struct bytes record, void *change) {
    struct record_reader reader = record_reader(record);
    uint8_t letter = record_byte(&reader), format = record_byte(&reader), kind = record_byte(&reader);
    memset(change, 0, family->size);
    if (reader.failed || letter != family->letter || format != FORMAT || kind >= family->kind_count)
        return false;
    *(unsigned *)change = kind;
    layout_read(&family->layout, change_kind(family, change)->fields, &reader, change);
    return record_complete(&reader) && (!family->sound || family->sound(change));
}

version change_newest_version(const struct change_family *family, const void *change) {
    return layout_newest_version(&family->layout, change_kind(family, change)->fields, change);
}
