#include "core/metadata.h"

#include "core/memory.h"

#include <stdlib.h>

static bool metadata_is_letter(char c) {
    c = bytes_lower(c);
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_identifier(struct bytes name) {
    if (!metadata_is_letter(name.data[0])) return false;
    for (size_t i = 1; i < name.length; i++) {
        char c = name.data[i];
        if (!metadata_is_letter(c) && !(c >= '0' && c <= '9')) return false;
    }
    return true;
}

/* Compares names without case. Takes names, or structs that begin with one. */
static int compare_names(const void *left, const void *right) {
    const struct bytes *a = left, *b = right;
    for (size_t i = 0; i < a->length && i < b->length; i++) {
        int difference = bytes_lower(a->data[i]) - bytes_lower(b->data[i]);
        if (difference) return difference;
    }
    return a->length < b->length ? -1 : a->length > b->length;
}

struct pair {
    struct bytes name, value;
};

/* The pairs sorted by name, so that even the thousands that a hostile caller may send are compared quickly.
 * The caller frees them. */
static struct pair *sorted_pairs(struct packed_list list) {
    struct pair *pairs = memory_alloc((size_t)list.count * sizeof(*pairs));
    struct record_reader reader = record_reader(list.items);
    size_t count = 0;
    while (count < list.count && packed_next_pair(&reader, &pairs[count].name, &pairs[count].value)) count++;
    qsort(pairs, count, sizeof(*pairs), compare_names);
    return pairs;
}

static bool has_duplicates(struct packed_list list) {
    struct pair *pairs = sorted_pairs(list);
    bool found = false;
    for (size_t i = 1; i < list.count && !found; i++)
        found = compare_names(&pairs[i - 1].name, &pairs[i].name) == 0;
    memory_free(pairs);
    return found;
}

bool metadata_same(struct packed_list one, struct packed_list other) {
    if (one.count != other.count) return false;
    if (!one.count) return true;
    struct pair *mine = sorted_pairs(one), *theirs = sorted_pairs(other);
    bool same = true;
    for (size_t i = 0; i < one.count && same; i++)
        same =
            compare_names(&mine[i].name, &theirs[i].name) == 0 && bytes_equal(mine[i].value, theirs[i].value);
    memory_free(mine);
    memory_free(theirs);
    return same;
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
    return count > 1 && has_duplicates(list) ? OUTCOME_INVALID_METADATA : OUTCOME_DONE;
}
