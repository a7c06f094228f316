#include "change/change.h"

#include <string.h>

/* Of the byte that is the kind. */
enum { CONTENT_INSIDE = 0x80 };

void change_write(const struct change_schema *schema, const void *change, struct record_writer *writer) {
    record_put_byte(writer, schema->letter);
    record_put_byte(writer, (uint8_t)change_kind_number(change));
    layout_write(&schema->layout, change_kind(schema, change)->fields, change, writer);
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

bool change_read_with(const struct change_schema *schema, struct bytes record, void *change,
                      struct bytes *content, version *newest) {
    struct record_reader reader = record_reader(record);
    uint8_t letter = record_byte(&reader), mark = record_byte(&reader);
    unsigned kind = mark & ~(unsigned)CONTENT_INSIDE;
    memset(change, 0, schema->size);
    *content = bytes_of(NULL, 0);
    if (reader.failed || letter != schema->letter || kind >= schema->kind_count) return false;
    change_set_kind(change, kind);
    *newest = layout_read(&schema->layout, change_kind(schema, change)->fields, &reader, change);
    bool complete = mark & CONTENT_INSIDE ? read_content(&reader, content) : record_complete(&reader);
    return complete && (!schema->sound || schema->sound(change));
}

bool change_read(const struct change_schema *schema, struct bytes record, void *change) {
    struct bytes content;
    version newest;
    return change_read_with(schema, record, change, &content, &newest) && !content.data;
}
