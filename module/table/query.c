#include "table/query.h"

#include "core/memory.h"
#include "table/key.h"

#include <stdlib.h>

enum {
    PROPERTY_EFFORT = 128
}; /* what answering one, or an entity without any, costs in bytes, besides its own */

/* What it costs to come to an entity, next to comparing it: from its neighbour, or from a mark. */
enum { WALKED_WORK = 10, LOOKED_UP_WORK = 25 };

/* So far a full page looks for what follows, so that the last one mostly knows that it is the last. */
enum { LOOKED_BEYOND_MAX = 64 };

/* The entities that a plan leads to, one after the other, in the order of their keys. */
struct stream {
    const struct query *query;
    struct bytes from, to;                   /* of keys; to.data is NULL where there is no end */
    const struct entity *entity;             /* where it stands; NULL at the end */
    unsigned range;                          /* keys: the one it is in */
    struct order_cursor cursors[RANGES_MAX]; /* keys: only the first; index of single values: one for each */
    struct bytes *gathered;                  /* index of ranges: the keys, sorted */
    size_t gathered_count, gathered_at;
};

static bool is_below(struct bytes name, struct bytes end) {
    return !end.data || bytes_compare(name, end) < 0;
}

static struct bytes later_key(struct bytes a, struct bytes b) {
    return bytes_compare(a, b) < 0 ? b : a;
}

/* --- By keys --- */

/* On to the first entity of the ranges that are left. */
static void settle_in_ranges(struct stream *stream) {
    const struct ranges *ranges = &stream->query->plan->keys;
    for (stream->entity = NULL; stream->range < ranges->count;) {
        const struct range *range = &ranges->items[stream->range];
        struct entry *entry = order_cursor_entry(&stream->cursors[0]);
        if (entry && is_below(entry_name(entry), range->to)) {
            stream->entity = (const struct entity *)entry;
            return;
        }
        if (++stream->range == ranges->count) return;
        struct bytes from = later_key(ranges->items[stream->range].from, stream->from);
        stream->cursors[0] = catalog_seek(&stream->query->table->entities, from);
    }
}

/* A key alone is found without a walk. */
static const struct entity *find_single(const struct query *query, const struct range *range) {
    const struct entity *entity = table_find(query->table, range->from);
    return entity && bytes_compare(range->from, query->from) >= 0 ? entity : NULL;
}

static void start_with_keys(struct stream *stream) {
    const struct query *query = stream->query;
    const struct ranges *ranges = &query->plan->keys;
    if (!ranges->count) return;
    if (ranges->count == 1 && ranges->items[0].single) {
        stream->entity = find_single(query, &ranges->items[0]);
        stream->range = ranges->count;
        return;
    }
    stream->cursors[0] = catalog_seek(&query->table->entities, stream->from);
    settle_in_ranges(stream);
}

static void go_on_with_keys(struct stream *stream) {
    stream->entity = NULL;
    if (stream->range == stream->query->plan->keys.count) return;
    order_cursor_prefetch(&stream->cursors[0], TABLE_PREFETCH_AHEAD);
    order_cursor_next(&stream->cursors[0]);
    settle_in_ranges(stream);
}

/* --- By single values of an index --- */

/* The mark with the least key among the values; they are few. */
static struct entry *lowest_mark(const struct stream *stream, unsigned *which) {
    const struct ranges *ranges = &stream->query->plan->values;
    struct entry *min = NULL;
    for (unsigned i = 0; i < ranges->count; i++) {
        struct entry *mark = order_cursor_entry(&stream->cursors[i]);
        if (!mark || !is_below(entry_name(mark), ranges->items[i].to)) continue;
        if (min && bytes_compare(mark_key(mark), mark_key(min)) > 0) continue;
        min = mark;
        *which = i;
    }
    return min;
}

static void settle_on_mark(struct stream *stream) {
    struct entry *mark = lowest_mark(stream, &stream->range);
    bool found = mark && is_below(mark_key(mark), stream->to);
    stream->entity = found ? table_find(stream->query->table, mark_key(mark)) : NULL;
}

static void start_with_values(struct stream *stream) {
    const struct ranges *ranges = &stream->query->plan->values;
    struct record_writer room;
    record_start(&room);
    for (unsigned i = 0; i < ranges->count; i++)
        stream->cursors[i] = order_index_seek(&stream->query->plan->index->marks,
                                              plan_mark(&ranges->items[i], stream->from, &room));
    record_end(&room);
    settle_on_mark(stream);
}

/* --- By ranges of an index --- */

static int compare_keys(const void *left, const void *right) {
    return bytes_compare(*(const struct bytes *)left, *(const struct bytes *)right);
}

/* Of a single value only the marks whose keys count; of several, whose marks stand value by value, all are passed. */
static void gather_range(struct stream *stream, const struct range *range) {
    const struct order_index *marks = &stream->query->plan->index->marks;
    struct record_writer room;
    record_start(&room);
    struct order_cursor cursor =
        order_index_seek(marks, range->single ? plan_mark(range, stream->from, &room) : range->from);
    struct entry *mark = order_cursor_entry(&cursor);
    for (; mark && is_below(entry_name(mark), range->to); mark = order_cursor_entry(&cursor)) {
        struct bytes key = mark_key(mark);
        bool in_span = is_below(key, stream->to);
        if (range->single && !in_span) break;
        bool wanted = in_span && bytes_compare(key, stream->from) >= 0;
        if (wanted && stream->gathered_count < QUERY_GATHERED_MAX)
            stream->gathered[stream->gathered_count++] = key;
        order_cursor_next(&cursor);
    }
    record_end(&room);
}

static void settle_on_gathered(struct stream *stream) {
    bool more = stream->gathered_at < stream->gathered_count;
    stream->entity = more ? table_find(stream->query->table, stream->gathered[stream->gathered_at]) : NULL;
}

/* A plan takes such ranges only if they have few marks. */
static void start_with_gathered(struct stream *stream) {
    const struct ranges *ranges = &stream->query->plan->values;
    stream->gathered = memory_alloc(QUERY_GATHERED_MAX * sizeof(*stream->gathered));
    for (unsigned i = 0; i < ranges->count; i++) gather_range(stream, &ranges->items[i]);
    qsort(stream->gathered, stream->gathered_count, sizeof(*stream->gathered), compare_keys);
    settle_on_gathered(stream);
}

/* --- All of them --- */

static void stream_start(struct stream *stream, const struct query *query) {
    struct range span = plan_span(query->plan);
    stream->query = query;
    stream->from = later_key(span.from, query->from);
    stream->to = span.to;
    stream->entity = NULL;
    stream->range = 0;
    stream->gathered = NULL;
    stream->gathered_count = stream->gathered_at = 0;
    if (query->plan->kind != PLAN_INDEX)
        start_with_keys(stream);
    else if (query->plan->sorted)
        start_with_values(stream);
    else
        start_with_gathered(stream);
}

static void stream_next(struct stream *stream) {
    if (stream->query->plan->kind != PLAN_INDEX) {
        go_on_with_keys(stream);
    } else if (stream->query->plan->sorted) {
        order_cursor_next(&stream->cursors[stream->range]);
        settle_on_mark(stream);
    } else {
        stream->gathered_at++;
        settle_on_gathered(stream);
    }
}

static bool matches(const struct query *query, const struct entity *entity, size_t *work) {
    struct row row = entity_row(entity);
    *work += query->plan->index ? LOOKED_UP_WORK : WALKED_WORK;
    return filter_matches(query->filter, &row, work);
}

static size_t answered_bytes(const struct entity *entity) {
    return entity->length + entity->entry.name_length + ((size_t)entity->count + 1) * PROPERTY_EFFORT;
}

void query_run(const struct query *query, struct query_page *page) {
    struct stream stream;
    size_t bytes = 0, beyond = 0;
    page->count = page->examined = page->work = 0;
    page->next = bytes_of(NULL, 0);
    if (!query->rows_max) return;
    stream_start(&stream, query);
    for (; stream.entity; stream_next(&stream)) {
        size_t more = answered_bytes(stream.entity);
        bool full = page->count == query->rows_max;
        bool tired = page->work >= QUERY_WORK_MAX || (full && ++beyond > LOOKED_BEYOND_MAX);
        bool matching = !tired && matches(query, stream.entity, &page->work);
        bool fits = !full && (!page->count || bytes + more <= query->bytes_max);
        page->examined += !tired;
        if (tired || (matching && !fits)) {
            page->next = entry_name(&stream.entity->entry);
            break;
        }
        if (!matching) continue;
        page->rows[page->count++] = stream.entity;
        bytes += more;
    }
    memory_free(stream.gathered);
}
