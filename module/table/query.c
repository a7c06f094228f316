#include "table/query.h"

#include "core/memory.h"
#include "table/filter_match.h"

#include <stdlib.h>

enum {
    PROPERTY_OVERHEAD = 128, /* bytes in the reply of a property, or an entity, besides its data */
    WALKED_WORK = 10,        /* what it costs to fetch the next entity in the order of keys */
    LOOKED_UP_WORK = 25,     /* … and one that an index entry names */
    LOOKAHEAD_MAX = 64,      /* entities that a full page examines to find out whether it is the last one */
};

struct stream;

/* A way to find the entities of a plan. */
struct strategy {
    void (*start)(struct stream *stream);
    void (*next)(struct stream *stream);
};

/* The entities of a plan, one after the other, in the order of their keys. */
struct stream {
    const struct query *query;
    const struct strategy *strategy;
    struct bytes from, to;                   /* of keys; to.data is NULL where there is no end */
    const struct entity *entity;             /* the current one; NULL at the end */
    unsigned range;                          /* of the plan's ranges, the one with the current entity */
    struct order_cursor cursors[RANGES_MAX]; /* by keys: only the first; by values: one for each */
    struct bytes *gathered;                  /* keys, sorted */
    size_t gathered_count, gathered_at;
};

static bool is_before(struct bytes name, struct bytes end) {
    return !end.data || bytes_compare(name, end) < 0;
}

static struct bytes later_key(struct bytes a, struct bytes b) {
    return bytes_compare(a, b) < 0 ? b : a;
}

/* --- By keys --- */

/* Moves on to the first entity that lies in one of the remaining ranges. */
static void move_into_ranges(struct stream *stream) {
    const struct ranges *ranges = &stream->query->plan->keys;
    for (stream->entity = NULL; stream->range < ranges->count;) {
        const struct range *range = &ranges->items[stream->range];
        struct entry *entry = order_cursor_entry(&stream->cursors[0]);
        if (entry && is_before(entry_name(entry), range->to)) {
            stream->entity = (const struct entity *)entry;
            return;
        }
        if (++stream->range == ranges->count) return;
        struct bytes from = later_key(ranges->items[stream->range].from, stream->from);
        stream->cursors[0] = catalog_seek(&stream->query->table->entities, from);
    }
}

static const struct entity *find_single(const struct query *query, const struct range *range) {
    const struct entity *entity = table_find(query->table, range->from);
    return entity && bytes_compare(range->from, query->from) >= 0 ? entity : NULL;
}

static void start_by_keys(struct stream *stream) {
    const struct query *query = stream->query;
    const struct ranges *ranges = &query->plan->keys;
    if (!ranges->count) return;
    if (ranges->count == 1 && ranges->items[0].single) {
        stream->entity = find_single(query, &ranges->items[0]);
        stream->range = ranges->count;
        return;
    }
    stream->cursors[0] = catalog_seek(&query->table->entities, stream->from);
    move_into_ranges(stream);
}

static void next_by_keys(struct stream *stream) {
    stream->entity = NULL;
    if (stream->range == stream->query->plan->keys.count) return;
    (void)order_cursor_take(&stream->cursors[0]);
    move_into_ranges(stream);
}

static const struct strategy by_keys = {start_by_keys, next_by_keys};

/* --- By single values of an index: a merge of their entries, which are in the order of keys --- */

static struct entry *first_index_entry(const struct stream *stream, unsigned *which) {
    const struct ranges *ranges = &stream->query->plan->values;
    struct entry *min = NULL;
    for (unsigned i = 0; i < ranges->count; i++) {
        struct entry *entry = order_cursor_entry(&stream->cursors[i]);
        if (!entry || !is_before(entry_name(entry), ranges->items[i].to)) continue;
        if (min && bytes_compare(index_entry_key(entry), index_entry_key(min)) > 0) continue;
        min = entry;
        *which = i;
    }
    return min;
}

static void move_to_first_entry(struct stream *stream) {
    struct entry *entry = first_index_entry(stream, &stream->range);
    bool found = entry && is_before(index_entry_key(entry), stream->to);
    stream->entity = found ? table_find(stream->query->table, index_entry_key(entry)) : NULL;
}

static void start_by_values(struct stream *stream) {
    const struct ranges *ranges = &stream->query->plan->values;
    struct record_writer buffer;
    record_start(&buffer);
    for (unsigned i = 0; i < ranges->count; i++)
        stream->cursors[i] = order_index_seek(&stream->query->plan->index->entries,
                                              plan_index_key(&ranges->items[i], stream->from, &buffer));
    record_end(&buffer);
    move_to_first_entry(stream);
}

static void next_by_values(struct stream *stream) {
    order_cursor_next(&stream->cursors[stream->range]);
    move_to_first_entry(stream);
}

static const struct strategy by_values = {start_by_values, next_by_values};

/* --- By ranges of an index: their entries are gathered and sorted --- */

static int compare_keys(const void *left, const void *right) {
    return bytes_compare(*(const struct bytes *)left, *(const struct bytes *)right);
}

/* The entries of a single value are in the order of keys: those outside the keys are not visited. */
static void gather_range(struct stream *stream, const struct range *range) {
    const struct order_index *entries = &stream->query->plan->index->entries;
    struct record_writer buffer;
    record_start(&buffer);
    struct order_cursor cursor =
        order_index_seek(entries, range->single ? plan_index_key(range, stream->from, &buffer) : range->from);
    for (struct entry *entry;
         (entry = order_cursor_take(&cursor)) && is_before(entry_name(entry), range->to);) {
        struct bytes key = index_entry_key(entry);
        bool before_end = is_before(key, stream->to);
        if (range->single && !before_end) break;
        bool wanted = before_end && bytes_compare(key, stream->from) >= 0;
        if (wanted && stream->gathered_count < QUERY_GATHERED_MAX)
            stream->gathered[stream->gathered_count++] = key;
    }
    record_end(&buffer);
}

static void move_to_gathered(struct stream *stream) {
    bool more = stream->gathered_at < stream->gathered_count;
    stream->entity = more ? table_find(stream->query->table, stream->gathered[stream->gathered_at]) : NULL;
}

/* A plan has such ranges only if they have at most QUERY_GATHERED_MAX entries. */
static void start_by_gathered(struct stream *stream) {
    const struct ranges *ranges = &stream->query->plan->values;
    stream->gathered = memory_alloc(QUERY_GATHERED_MAX * sizeof(*stream->gathered));
    for (unsigned i = 0; i < ranges->count; i++) gather_range(stream, &ranges->items[i]);
    qsort(stream->gathered, stream->gathered_count, sizeof(*stream->gathered), compare_keys);
    move_to_gathered(stream);
}

static void next_by_gathered(struct stream *stream) {
    stream->gathered_at++;
    move_to_gathered(stream);
}

static const struct strategy by_gathered = {start_by_gathered, next_by_gathered};

/* --- Queries --- */

static const struct strategy *strategy_of(const struct plan *plan) {
    if (plan->kind != PLAN_INDEX) return &by_keys;
    return plan->sorted ? &by_values : &by_gathered;
}

static void stream_start(struct stream *stream, const struct query *query) {
    struct range keys = plan_key_range(query->plan);
    stream->query = query;
    stream->strategy = strategy_of(query->plan);
    stream->from = later_key(keys.from, query->from);
    stream->to = keys.to;
    stream->entity = NULL;
    stream->range = 0;
    stream->gathered = NULL;
    stream->gathered_count = stream->gathered_at = 0;
    stream->strategy->start(stream);
}

static bool entity_matches(const struct query *query, const struct entity *entity, size_t *work) {
    struct row row = entity_row(entity);
    *work += query->plan->index ? LOOKED_UP_WORK : WALKED_WORK;
    return filter_matches(query->filter, &row, work);
}

static size_t answered_bytes(const struct entity *entity) {
    return entity->length + entity->entry.name_length + ((size_t)entity->count + 1) * PROPERTY_OVERHEAD;
}

void query_run(const struct query *query, struct query_page *page) {
    struct stream stream;
    size_t bytes = 0, looked_ahead = 0;
    page->count = page->examined = page->work = 0;
    page->next = bytes_of(NULL, 0);
    if (!query->rows_max) return;
    stream_start(&stream, query);
    for (; stream.entity; stream.strategy->next(&stream)) {
        size_t more = answered_bytes(stream.entity);
        bool full = page->count == query->rows_max;
        bool exhausted = page->work >= QUERY_WORK_MAX || (full && ++looked_ahead > LOOKAHEAD_MAX);
        bool matching = !exhausted && entity_matches(query, stream.entity, &page->work);
        bool fits = !full && (!page->count || bytes + more <= query->bytes_max);
        page->examined += !exhausted;
        if (exhausted || (matching && !fits)) {
            page->next = entry_name(&stream.entity->entry);
            break;
        }
        if (!matching) continue;
        page->rows[page->count++] = stream.entity;
        bytes += more;
    }
    memory_free(stream.gathered);
}
