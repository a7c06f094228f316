#include "table/area_ranges.h"

/* What follows a part of a key: just before all keys that have the part, and just after them. */
struct suffixes {
    struct bytes before, after;
};

static const struct suffixes partition_suffixes = {{"\0", 1}, {"\1", 1}};
static const struct suffixes row_suffixes = {{"", 0}, {"\0", 1}};
static const struct suffixes value_suffixes = {{"\0\1", 2}, {"\0\2", 2}};

/* What a bound is among keys that begin with `beginning`. */
static struct bytes bound_bytes(struct ranges *ranges, struct bytes beginning, const struct bound *bound,
                                const struct suffixes *suffixes) {
    struct bytes suffix = bound->after ? suffixes->after : suffixes->before;
    size_t length = beginning.length + bound->text.length;
    char *bytes = arena_alloc(&ranges->bounds, length + suffix.length);
    memcpy(bytes, beginning.data, beginning.length);
    memcpy(bytes + beginning.length, bound->text.data, bound->text.length);
    memcpy(bytes + length, suffix.data, suffix.length);
    return bytes_of(bytes, length + suffix.length);
}

/* An interval of one order. The beginning of everything is the empty key. */
static struct range interval_range(struct ranges *ranges, const struct interval *interval,
                                   const struct suffixes *suffixes) {
    static const struct bytes nothing = {"", 0};
    const struct bound *from = &interval->from, *to = &interval->to;
    struct range range = {.from = nothing, .single = interval_is_single(interval)};
    if (from->text.length || from->after) range.from = bound_bytes(ranges, nothing, from, suffixes);
    if (to->text.data) range.to = bound_bytes(ranges, nothing, to, suffixes);
    return range;
}

/* Rows of one partition: those of all of it are between its key and a zero byte, and its key and a one. */
static struct range rows_range(struct ranges *ranges, const struct interval *partition,
                               const struct interval *rows) {
    struct range range = interval_range(ranges, partition, &partition_suffixes);
    struct bytes beginning = bound_bytes(ranges, bytes_of("", 0), &partition->from, &partition_suffixes);
    range.from = bound_bytes(ranges, beginning, &rows->from, &row_suffixes);
    if (rows->to.text.data) range.to = bound_bytes(ranges, beginning, &rows->to, &row_suffixes);
    range.single = interval_is_single(rows);
    return range;
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

static void finish_ranges(struct range *items, unsigned count, struct ranges *ranges) {
    sort_ranges(items, count);
    count = join_touching_ranges(items, count);
    for (; count > RANGES_MAX; count--) join_neighbours(items, count);
    memcpy(ranges->items, items, count * sizeof(items[0]));
    ranges->count = count;
}

/* --- From areas --- */

void ranges_of_all(struct ranges *ranges) {
    arena_start(&ranges->bounds);
    ranges->count = 1;
    ranges->items[0] = (struct range){.from = {"", 0}};
}

void ranges_of_keys(const struct areas *areas, struct ranges *ranges) {
    struct range items[AREAS_MAX];
    arena_start(&ranges->bounds);
    for (unsigned i = 0; i < areas->count; i++) {
        const struct area *area = &areas->items[i];
        items[i] = interval_is_single(&area->partition)
                       ? rows_range(ranges, &area->partition, &area->row)
                       : interval_range(ranges, &area->partition, &partition_suffixes);
    }
    finish_ranges(items, areas->count, ranges);
}

void ranges_of_index(const struct areas *areas, struct ranges *ranges) {
    struct range items[AREAS_MAX];
    arena_start(&ranges->bounds);
    for (unsigned i = 0; i < areas->count; i++)
        items[i] = interval_range(ranges, &areas->items[i].partition, &value_suffixes);
    finish_ranges(items, areas->count, ranges);
}

void ranges_end(struct ranges *ranges) {
    arena_end(&ranges->bounds);
}
