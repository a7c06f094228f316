#include "change/change.h"

#include <string.h>

/* Of the byte that is the kind. */
enum { CONTENT_INSIDE = 0x80 };

void change_write(const struct change_family *family, const void *change, struct record_writer *writer) {
    record_put_byte(writer, family->letter);
    record_put_byte(writer, (uint8_t) * (const unsigned *)change);
    layout_write(&family->layout, change_kind(family, change)->fields, change, writer);
}

void change_add_content(struct record_writer *record, struct bytes content) {
    record->data[1] |= (char)CONTENT_INSIDE;
    record_put_raw(record, content);
}

/* The rest of the record. */
static bool read_content(struct record_reader *reader, struct bytes *content) {
    *content = bytes_of(reader->at, (size_t)(reader->end - reader->at));
    return !reader->failed && content->length <= CHANGE_CONTENT_INSIDE_MAX;
}

bool change_read_with(const struct change_family *family, struct bytes record, void *change,
                      struct bytes *content) {
    struct record_reader reader = record_reader(record);
    uint8_t letter = record_byte(&reader), mark = record_byte(&reader);
    unsigned kind = mark & ~(unsigned)CONTENT_INSIDE;
    memset(change, 0, family->size);
    *content = bytes_of(NULL, 0);
    if (reader.failed || letter != family->letter || kind >= family->kind_count) return false;
    *(unsigned *)change = kind;
    layout_read(&family->layout, change_kind(family, change)->fields, &reader, change);
    bool complete = mark & CONTENT_INSIDE ? read_content(&reader, content) : record_complete(&reader);
    return complete && (!family->sound || family->sound(change));
}

bool change_read(const struct change_family *family, struct bytes record, void *change) {
    struct bytes content;
    return change_read_with(family, record, change, &content) && !content.data;
}

version change_newest_version(const struct change_family *family, const void *change) {
    return layout_newest_version(&family->layout, change_kind(family, change)->fields, change);
}
