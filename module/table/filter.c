#include "table/filter.h"

#include "core/memory.h"

#include "ccan/array_size/array_size.h"

static const struct {
    struct bytes name;
    enum filter_subject subject;
} keys[] = {{{PARTITION_NAME, sizeof(PARTITION_NAME) - 1}, SUBJECT_PARTITION},
            {{ROW_NAME, sizeof(ROW_NAME) - 1}, SUBJECT_ROW},
            {{TIMESTAMP_NAME, sizeof(TIMESTAMP_NAME) - 1}, SUBJECT_TIMESTAMP}};

enum { KEYS = ARRAY_SIZE(keys) };

enum filter_subject filter_subject_of(struct bytes name) {
    for (size_t i = 0; i < KEYS; i++)
        if (bytes_equal(name, keys[i].name)) return keys[i].subject;
    return SUBJECT_PROPERTY;
}

void filter_end(struct filter *filter) {
    if (filter->texts != filter->short_texts) memory_free(filter->texts);
    filter->texts = NULL;
}
