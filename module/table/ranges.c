#include "table/ranges.h"

/* What stands behind a text right before all keys that have it, and right behind them. */
struct ending {
    struct bytes before, after;
};

static const struct ending partition_ending = {{"\0", 1}, {"\1", 1}};
static const struct ending row_ending = {{"", 0}, {"\0", 1}};
static const struct ending value_ending = {{"\0\1", 2}, {"\0\2", 2}};

/* A range whose bounds stand in the room of the ranges, which may still move. */
struct draft {
    size_t from_at, to_at, end_at;
    bool endless, single;
};

struct drafts {
    struct record_writer *room;
    unsigned count;
    struct draft items[AREAS_MAX];
};

static void put_bound(struct record_writer *room, const struct bound *bound, const struct ending *ending) {
    record_put_raw(room, bound->text);
    record_put_raw(room, bound->after ? ending->after : ending->before);
}

/* The beginning of everything is the empty key, and not the least one that there can be. */
static void put_from(struct record_writer *room, const struct axis *axis, uint8_t place,
                     const struct ending *ending) {
    if (place) put_bound(room, &axis->bounds[place], ending);
}

static struct draft *add_draft(struct drafts *drafts) {
    struct draft *draft = &drafts->items[drafts->count++];
    *draft = (struct draft){.from_at = drafts->room->length};
    return draft;
}

/* A stretch of one axis. */
static void add_range_span(struct drafts *drafts, const struct axis *axis, struct span span,
                           const struct ending *ending) {
    struct draft *draft = add_draft(drafts);
    put_from(drafts->room, axis, span.from, ending);
    draft->to_at = drafts->room->length;
    draft->endless = span.to == axis_end(axis);
    if (!draft->endless) put_bound(drafts->room, &axis->bounds[span.to], ending);
    draft->end_at = drafts->room->length;
}

/* Rows of one partition. */
static void add_rows(struct drafts *drafts, const struct bound *partition, const struct axis *axis,
                     struct span span) {
    struct draft *draft = add_draft(drafts);
    put_bound(drafts->room, partition, &partition_ending);
    put_from(drafts->room, axis, span.from, &row_ending);
    draft->to_at = drafts->room->length;
    bool to_the_end = span.to == axis_end(axis);
    struct bound bound = {.text = partition->text, .after = to_the_end};
    put_bound(drafts->room, &bound, &partition_ending);
    if (!to_the_end) put_bound(drafts->room, &axis->bounds[span.to], &row_ending);
    draft->end_at = drafts->room->length;
    draft->single = span_single(axis, span);
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

static void sort(struct range *items, unsigned count) {
    for (unsigned i = 1; i < count; i++) {
        struct range moved = items[i];
        unsigned at = i;
        for (; at > 0 && bytes_compare(items[at - 1].from, moved.from) > 0; at--) items[at] = items[at - 1];
        items[at] = moved;
    }
}

static unsigned join_those_that_touch(struct range *items, unsigned count) {
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

/* The two neighbours between which least is likely to lie: those that come nearest to each other. */
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

static void finish_ranges(const struct drafts *drafts, struct ranges *ranges) {
    struct range items[AREAS_MAX];
    const char *data = drafts->room->data;
    for (unsigned i = 0; i < drafts->count; i++) {
        const struct draft *draft = &drafts->items[i];
        items[i] = (struct range){.from = bytes_of(data + draft->from_at, draft->to_at - draft->from_at),
                                  .single = draft->single};
        if (!draft->endless) items[i].to = bytes_of(data + draft->to_at, draft->end_at - draft->to_at);
    }
    sort(items, drafts->count);
    unsigned count = join_those_that_touch(items, drafts->count);
    for (; count > RANGES_MAX; count--) join_neighbours(items, count);
    memcpy(ranges->items, items, count * sizeof(items[0]));
    ranges->count = count;
}

/* --- Answers --- */

void ranges_of_all(struct ranges *ranges) {
    record_start(&ranges->room);
    ranges->count = 1;
    ranges->items[0] = (struct range){.from = {"", 0}};
}

void ranges_of_keys(const struct areas *areas, const struct axis *partitions, const struct axis *rows,
                    struct ranges *ranges) {
    struct drafts drafts;
    record_start(&ranges->room);
    drafts.room = &ranges->room;
    drafts.count = 0;
    for (unsigned i = 0; i < areas->count; i++) {
        struct area area = areas->items[i];
        if (span_single(partitions, area.partition))
            add_rows(&drafts, &partitions->bounds[area.partition.from], rows, area.row);
        else
            add_range_span(&drafts, partitions, area.partition, &partition_ending);
    }
    finish_ranges(&drafts, ranges);
}

void ranges_of_index(const struct areas *areas, const struct axis *values, struct ranges *ranges) {
    struct drafts drafts;
    record_start(&ranges->room);
    drafts.room = &ranges->room;
    drafts.count = 0;
    for (unsigned i = 0; i < areas->count; i++) {
        struct span span = areas->items[i].partition;
        add_range_span(&drafts, values, span, &value_ending);
        drafts.items[drafts.count - 1].single = span_single(values, span);
    }
    finish_ranges(&drafts, ranges);
}

void ranges_end(struct ranges *ranges) {
    record_end(&ranges->room);
}
