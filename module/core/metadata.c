#include "core/metadata.h"

#include "core/memory.h"

#include <stdlib.h>

static bool is_letter(char c) {
    c = bytes_lower(c);
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_identifier(struct bytes name) {
    if (!is_letter(name.data[0])) return false;
    for (size_t i = 1; i < name.length; i++) {
        char c = name.data[i];
        if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
    }
    return true;
}

static int compare_names(const void *left, const void *right) {
    const struct bytes *a = left, *b = right;
    for (size_t i = 0; i < a->length && i < b->length; i++) {
        int difference = bytes_lower(a->data[i]) - bytes_lower(b->data[i]);
        if (difference) return difference;
    }
    return a->length < b->length ? -1 : a->length > b->length;
}

/* Sorts, since a hostile caller may send thousands of names. */
static bool has_twins(struct packed_list list) {
    struct bytes *names = memory_alloc((size_t)list.count * sizeof(*names));
    struct record_reader reader = record_reader(list.items);
    struct bytes value;
    size_t count = 0;
    while (count < list.count && packed_next_pair(&reader, &names[count], &value)) count++;
    qsort(names, count, sizeof(*names), compare_names);
    bool twins = false;
    for (size_t i = 1; i < count && !twins; i++) twins = compare_names(&names[i - 1], &names[i]) == 0;
    memory_free(names);
    return twins;
}

enum outcome metadata_check(struct packed_list list) {
    struct record_reader reader = record_reader(list.items);
    struct bytes name, value;
    uint64_t count = 0, bytes = 0;
    while (packed_next_pair(&reader, &name, &value)) {
        if (!name.length) return OUTCOME_EMPTY_METADATA_KEY;
        if (!is_identifier(name)) return OUTCOME_INVALID_METADATA;
        count++;
        bytes += name.length + value.length;
    }
    if (!record_complete(&reader) || count != list.count) return OUTCOME_INVALID_METADATA;
    if (bytes > METADATA_MAX_BYTES) return OUTCOME_METADATA_TOO_LARGE;
    return count > 1 && has_twins(list) ? OUTCOME_INVALID_METADATA : OUTCOME_DONE;
}
