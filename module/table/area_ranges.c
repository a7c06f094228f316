#include "table/area_ranges.h"

/* What follows a part of a key: just before all keys that have the part, and just after them. */
struct suffixes {
    struct bytes before, after;
};

static const struct suffixes partition_suffixes = {{"\0", 1}, {"\1", 1}};
static const struct suffixes row_suffixes = {{"", 0}, {"\0", 1}};
static const struct suffixes value_suffixes = {{"\0\1", 2}, {"\0\2", 2}};

/* A range while it is made: offsets, since the buffer with the bounds may still move. */
struct raw_range {
    size_t from_at, to_at, end_at;
    bool endless, single;
};

struct raw_ranges {
    struct record_writer *buffer;
    unsigned count;
    struct raw_range items[AREAS_MAX];
};

static void put_bound(struct record_writer *buffer, const struct bound *bound,
                      const struct suffixes *suffixes) {
    record_put_raw(buffer, bound->text);
    record_put_raw(buffer, bound->after ? suffixes->after : suffixes->before);
}

/* The beginning of everything is the empty key. */
static void put_from(struct record_writer *buffer, const struct axis *axis, uint8_t index,
                     const struct suffixes *suffixes) {
    if (index) put_bound(buffer, &axis->bounds[index], suffixes);
}

static struct raw_range *add_raw_range(struct raw_ranges *raw) {
    struct raw_range *range = &raw->items[raw->count++];
    *range = (struct raw_range){.from_at = raw->buffer->length};
    return range;
}

/* An interval of one axis. */
static void add_interval_range(struct raw_ranges *raw, const struct axis *axis, struct interval interval,
                               const struct suffixes *suffixes) {
    struct raw_range *range = add_raw_range(raw);
    put_from(raw->buffer, axis, interval.from, suffixes);
    range->to_at = raw->buffer->length;
    range->endless = interval.to == axis_end(axis);
    if (!range->endless) put_bound(raw->buffer, &axis->bounds[interval.to], suffixes);
    range->end_at = raw->buffer->length;
}

/* Rows of one partition. */
static void add_rows(struct raw_ranges *raw, const struct bound *partition, const struct axis *axis,
                     struct interval interval) {
    struct raw_range *range = add_raw_range(raw);
    put_bound(raw->buffer, partition, &partition_suffixes);
    put_from(raw->buffer, axis, interval.from, &row_suffixes);
    range->to_at = raw->buffer->length;
    bool to_the_end = interval.to == axis_end(axis);
    struct bound bound = {.text = partition->text, .after = to_the_end};
    put_bound(raw->buffer, &bound, &partition_suffixes);
    if (!to_the_end) put_bound(raw->buffer, &axis->bounds[interval.to], &row_suffixes);
    range->end_at = raw->buffer->length;
    range->single = interval_is_single(axis, interval);
}

/* --- Order --- */

static int compare_ends(const struct range *a, const struct range *b) {
    if (!a->to.data || !b->to.data) return !a->to.data - !b->to.data;
    return bytes_compare(a->to, b->to);
}

static void join_ranges(struct range *range, const struct range *next) {
    int order = compare_ends(range, next);
    range->single = range->single && next->single && !order && bytes_equal(range->from, next->from);
    if (order < 0) range->to = next->to;
}

static void sort_ranges(struct range *items, unsigned count) {
    for (unsigned i = 1; i < count; i++) {
        struct range moved = items[i];
        unsigned at = i;
        for (; at > 0 && bytes_compare(items[at - 1].from, moved.from) > 0; at--) items[at] = items[at - 1];
        items[at] = moved;
    }
}

static unsigned join_touching_ranges(struct range *items, unsigned count) {
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        struct range *last = kept ? &items[kept - 1] : NULL;
        if (last && (!last->to.data || bytes_compare(items[i].from, last->to) <= 0))
            join_ranges(last, &items[i]);
        else
            items[kept++] = items[i];
    }
    return kept;
}

static size_t ranges_common_length(struct bytes a, struct bytes b) {
    size_t length = 0;
    while (length < a.length && length < b.length && a.data[length] == b.data[length]) length++;
    return length;
}

/* Joins the two neighbours that probably have least between them: their bounds share the longest beginning. */
static void join_neighbours(struct range *items, unsigned count) {
    unsigned best = 0;
    size_t best_length = 0;
    for (unsigned i = 0; i + 1 < count; i++) {
        size_t length = ranges_common_length(items[i].to, items[i + 1].from);
        if (length <= best_length) continue;
        best_length = length;
        best = i;
    }
    join_ranges(&items[best], &items[best + 1]);
    memmove(&items[best + 1], &items[best + 2], (count - best - 2) * sizeof(items[0]));
}

static void finish_ranges(const struct raw_ranges *raw, struct ranges *ranges) {
    struct range items[AREAS_MAX];
    const char *data = raw->buffer->data;
    for (unsigned i = 0; i < raw->count; i++) {
        const struct raw_range *range = &raw->items[i];
        items[i] = (struct range){.from = bytes_of(data + range->from_at, range->to_at - range->from_at),
                                  .single = range->single};
        if (!range->endless) items[i].to = bytes_of(data + range->to_at, range->end_at - range->to_at);
    }
    sort_ranges(items, raw->count);
    unsigned count = join_touching_ranges(items, raw->count);
    for (; count > RANGES_MAX; count--) join_neighbours(items, count);
    memcpy(ranges->items, items, count * sizeof(items[0]));
    ranges->count = count;
}

/* --- From areas --- */

void ranges_of_all(struct ranges *ranges) {
    record_start(&ranges->bounds);
    ranges->count = 1;
    ranges->items[0] = (struct range){.from = {"", 0}};
}

void ranges_of_keys(const struct areas *areas, const struct axis *partitions, const struct axis *rows,
                    struct ranges *ranges) {
    struct raw_ranges raw;
    record_start(&ranges->bounds);
    raw.buffer = &ranges->bounds;
    raw.count = 0;
    for (unsigned i = 0; i < areas->count; i++) {
        struct area area = areas->items[i];
        if (interval_is_single(partitions, area.partition))
            add_rows(&raw, &partitions->bounds[area.partition.from], rows, area.row);
        else
            add_interval_range(&raw, partitions, area.partition, &partition_suffixes);
    }
    finish_ranges(&raw, ranges);
}

void ranges_of_index(const struct areas *areas, const struct axis *values, struct ranges *ranges) {
    struct raw_ranges raw;
    record_start(&ranges->bounds);
    raw.buffer = &ranges->bounds;
    raw.count = 0;
    for (unsigned i = 0; i < areas->count; i++) {
        struct interval interval = areas->items[i].partition;
        add_interval_range(&raw, values, interval, &value_suffixes);
        raw.items[raw.count - 1].single = interval_is_single(values, interval);
    }
    finish_ranges(&raw, ranges);
}

void ranges_end(struct ranges *ranges) {
    record_end(&ranges->bounds);
}
