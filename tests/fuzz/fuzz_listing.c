/* Listings of a container that comes from outside: the first bytes choose what is asked for; the rest are the prefix,
 * the delimiter, the marker and the names, separated by zero bytes. */
#include "allocations.h"
#include "listing_trial.h"
#include "require.h"

#include <string.h>

enum { HEAD = 3, NAMES_MAX = 40, TEXT_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct bytes take_text(struct bytes *texts) {
    const char *end = texts->length ? memchr(texts->data, '\0', texts->length) : NULL;
    size_t length = end ? (size_t)(end - texts->data) : texts->length;
    struct bytes text = bytes_of(texts->data, length < TEXT_MAX ? length : TEXT_MAX);
    length += end != NULL;
    *texts = bytes_of(texts->data + length, texts->length - length);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD) return 0;
    allocations_forget();
    struct listing_trial trial;
    listing_trial_start(&trial);
    struct bytes texts = bytes_of(data + HEAD, size - HEAD);
    struct listing_query query = {.max = 1 + data[0] % 8u,
                                  .budget = data[1] & 1 ? 1 + (size_t)data[2] * 16 : SIZE_MAX,
                                  .now_ms = LISTING_NOW_MS,
                                  .snapshots = data[1] & 2,
                                  .uncommitted = data[1] & 4};
    query.prefix = take_text(&texts);
    query.delimiter = take_text(&texts);
    query.marker = take_text(&texts);
    while (texts.length && trial.roster.count < NAMES_MAX) {
        struct bytes name = take_text(&texts);
        if (name.length) listing_trial_add(&trial, name);
    }
    listing_trial_compare(&trial, query);
    listing_trial_end(&trial);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
