#include "change_again.h"

#include "require.h"

#include <stdlib.h>
#include <string.h>

static struct bytes write_down(const struct change_schema *schema, const void *change) {
    struct record_writer writer;
    record_start(&writer);
    change_write(schema, change, &writer);
    char *record = malloc(writer.length);
    require(record, "there is memory");
    memcpy(record, writer.data, writer.length);
    struct bytes written = bytes_of(record, writer.length);
    record_end(&writer);
    return written;
}

void change_again(const struct change_schema *schema, const void *change, void *again, char **record) {
    struct bytes written = write_down(schema, change);
    *record = (char *)(uintptr_t)written.data;
    require(change_read(schema, written, again), "what was written is not read");
}

void change_require_repeatable(const struct change_schema *schema, const void *change) {
    char *record;
    void *again = malloc(schema->size);
    struct bytes first = write_down(schema, change);
    change_again(schema, change, again, &record);
    struct bytes second = write_down(schema, again);
    require_bytes(second, first, "written twice");
    free((void *)(uintptr_t)second.data);
    free((void *)(uintptr_t)first.data);
    free(record);
    free(again);
}
