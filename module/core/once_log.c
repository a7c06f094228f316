#include "core/once_log.h"

#include "core/census.h"
#include "core/hash.h"
#include "core/hash_index.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/record.h"

#include "ccan/container_of/container_of.h"

enum {
    SEGMENT_MIN_BYTES = 256,
    SEGMENT_MAX_BYTES = 8192, /* except for a single larger call */
    SEGMENTS_MIN = 4,
    ITEM_ALIGNMENT = 4,
};

/* A call, followed by its token (the entry's name), the prefix of the answer, and the answer. The instant is
 * kept in 48 bits, in two parts, so that a call that was answered with an ETag takes 64 bytes besides its
 * slot in the index. */
struct item {
    struct entry entry;
    uint32_t fingerprint;
    uint32_t called_low;
    uint16_t called_high;
    char token[];
};

#define CALLED_MAX_MS ((INT64_C(1) << 48) - 1)

/* The prefix of an answer: its length, shifted left by ITEM_BITS, and these bits. */
enum { ITEM_GONE = 1, ITEM_MARKED = 2, ITEM_BITS = 2 };

/* A call fits: see ONCE_BYTES_MAX. */
struct segment {
    uint32_t from, to; /* the first call, and the end of the last one */
    uint32_t size;
    char bytes[];
};

struct once_log {
    struct hash_index by_token;
    struct segment **segments;
    size_t first, count, capacity; /* segments in use: [first, count) */
    size_t memory;                 /* by segments */
    size_t frame;                  /* by this and the list of segments */
    size_t bytes;                  /* of calls */
    int64_t newest_ms;
};

static struct census all_calls;

size_t once_log_census(void) {
    return census_sum(&all_calls);
}

/* --- Items --- */

static struct item *item_at(const struct segment *segment, size_t at) {
    return (struct item *)(void *)(segment->bytes + at);
}

static struct item *item_of(struct entry *entry) {
    return container_of(entry, struct item, entry);
}

static char *item_prefix(const struct item *item) {
    return (char *)item->token + item->entry.name_length;
}

static unsigned item_bits(const struct item *item) {
    return (unsigned)*item_prefix(item) & (ITEM_GONE | ITEM_MARKED);
}

static void item_set(struct item *item, unsigned bit, bool on) {
    char *prefix = item_prefix(item);
    *prefix = (char)(on ? *prefix | (int)bit : *prefix & ~(int)bit);
}

/* Most answers are short, so that their prefix takes one byte. */
static struct bytes item_answer(const struct item *item) {
    const char *prefix = item_prefix(item);
    if (!(*prefix & 0x80)) return bytes_of(prefix + 1, (size_t)*prefix >> ITEM_BITS);
    struct record_reader reader = {prefix, prefix + 10, false};
    uint64_t number = record_number(&reader);
    return bytes_of(reader.at, (size_t)(number >> ITEM_BITS));
}

static size_t item_aligned(size_t bytes) {
    return (bytes + ITEM_ALIGNMENT - 1) / ITEM_ALIGNMENT * ITEM_ALIGNMENT;
}

static size_t item_bytes(const struct item *item) {
    struct bytes answer = item_answer(item);
    return item_aligned((size_t)(answer.data + answer.length - (const char *)item));
}

static int64_t item_called_ms(const struct item *item) {
    return (int64_t)item->called_high << 32 | item->called_low;
}

static struct logged_call item_as_call(const struct item *item) {
    return (struct logged_call){
        .token = entry_name(&item->entry),
        .fingerprint = item->fingerprint,
        .called_ms = item_called_ms(item),
        .answer = item_answer(item),
    };
}

/* --- Segments --- */

static struct segment *first_segment(const struct once_log *log) {
    return log->segments[log->first];
}

static struct segment *last_segment(const struct once_log *log) {
    return log->first < log->count ? log->segments[log->count - 1] : NULL;
}

/* Makes space for one more segment: moves the list down over freed ones, or grows it. */
static void make_space(struct once_log *log) {
    if (log->count < log->capacity) return;
    size_t used = log->count - log->first;
    if (used < log->capacity / 2) {
        memmove(log->segments, log->segments + log->first, used * sizeof(*log->segments));
        log->first = 0;
        log->count = used;
        return;
    }
    log->capacity = log->capacity ? log->capacity * 2 : SEGMENTS_MIN;
    log->segments = memory_resize(log->segments, log->capacity * sizeof(*log->segments));
    log->frame = memory_size(log) + memory_size(log->segments);
}

/* A new segment is as large as all others together, within bounds. */
static size_t segment_bytes(const struct once_log *log, size_t min) {
    size_t bytes = SEGMENT_MIN_BYTES;
    while (bytes < log->memory && bytes < SEGMENT_MAX_BYTES) bytes *= 2;
    min += sizeof(struct segment);
    return size_max(min, bytes);
}

static struct segment *segment_new(struct once_log *log, size_t min) {
    size_t bytes = segment_bytes(log, min);
    struct segment *segment = memory_alloc(bytes);
    *segment = (struct segment){.size = (uint32_t)(bytes - sizeof(*segment))};
    make_space(log);
    log->segments[log->count++] = segment;
    log->memory += memory_size(segment);
    return segment;
}

static void segment_free(struct once_log *log, struct segment *segment) {
    log->memory -= memory_size(segment);
    memory_free(segment);
}

/* Closes the gaps at the front and frees segments that are empty. */
static void close_gaps(struct once_log *log) {
    while (log->first < log->count) {
        struct segment *segment = first_segment(log);
        while (segment->from < segment->to && item_bits(item_at(segment, segment->from)) & ITEM_GONE)
            segment->from += (uint32_t)item_bytes(item_at(segment, segment->from));
        if (segment->from < segment->to) return;
        segment_free(log, segment);
        log->first++;
    }
}

/* --- Remembering --- */

static struct item *find_hashed(const struct once_log *log, uint32_t hash, struct bytes token) {
    struct entry *entry = hash_index_find(&log->by_token, hash, token);
    return entry ? item_of(entry) : NULL;
}

static struct item *find_token(const struct once_log *log, struct bytes token) {
    return log ? find_hashed(log, hash_bytes(token), token) : NULL;
}

bool once_log_find(const struct once_log *log, struct bytes token, struct logged_call *found) {
    const struct item *item = find_token(log, token);
    if (item) *found = item_as_call(item);
    return item;
}

static struct once_log *need_log(struct once_log **place) {
    if (!*place) *place = memory_zeroed(sizeof(**place));
    return *place;
}

/* Reserves bytes at the end of the last segment, or of a new one. */
static struct item *item_reserve(struct once_log *log, size_t bytes) {
    struct segment *segment = last_segment(log);
    if (!segment || segment->size - segment->to < bytes) segment = segment_new(log, bytes);
    struct item *item = item_at(segment, segment->to);
    segment->to += (uint32_t)bytes;
    return item;
}

static int64_t bound_call_time(int64_t called_ms) {
    return number_min(called_ms, CALLED_MAX_MS);
}

static void item_write(struct item *item, uint32_t hash, const struct logged_call *call,
                       struct bytes prefix) {
    int64_t called_ms = bound_call_time(call->called_ms);
    *item = (struct item){
        .entry = {.hash = hash,
                  .name_length = (uint16_t)call->token.length,
                  .name_at = offsetof(struct item, token)},
        .fingerprint = call->fingerprint,
        .called_low = (uint32_t)called_ms,
        .called_high = (uint16_t)(called_ms >> 32),
    };
    memcpy(item->token, call->token.data, call->token.length);
    memcpy(item_prefix(item), prefix.data, prefix.length);
    memcpy(item_prefix(item) + prefix.length, call->answer.data, call->answer.length);
}

static void forget_item(struct once_log **place, struct item *item) {
    struct once_log *log = *place;
    hash_index_remove(&log->by_token, &item->entry);
    item_set(item, ITEM_GONE, true);
    log->bytes -= item_bytes(item);
    census_count(&all_calls, 1, 0);
    close_gaps(log);
    if (log->first == log->count) once_log_end(place);
}

static struct bytes write_prefix(size_t length, struct record_writer *writer) {
    record_start(writer);
    record_put_number(writer, (uint64_t)length << ITEM_BITS);
    return record_written(writer);
}

void once_log_add(struct once_log **place, const struct logged_call *call) {
    struct record_writer writer;
    const uint32_t hash = hash_bytes(call->token);
    struct item *before = *place ? find_hashed(*place, hash, call->token) : NULL;
    if (before) forget_item(place, before);
    struct once_log *log = need_log(place);
    struct bytes prefix = write_prefix(call->answer.length, &writer);
    size_t bytes = offsetof(struct item, token) + call->token.length + prefix.length + call->answer.length;
    struct item *item = item_reserve(log, item_aligned(bytes));
    item_write(item, hash, call, prefix);
    record_end(&writer);
    hash_index_add(&log->by_token, &item->entry);
    log->bytes += item_bytes(item);
    log->newest_ms = bound_call_time(call->called_ms);
    census_count(&all_calls, 0, 1);
}

/* --- Forgetting --- */

void once_log_forget(struct once_log **place, size_t count) {
    for (; *place && count; count--) {
        struct segment *segment = first_segment(*place);
        forget_item(place, item_at(segment, segment->from));
    }
}

bool once_log_forget_token(struct once_log **place, struct bytes token) {
    struct item *item = find_token(*place, token);
    if (item) forget_item(place, item);
    return item;
}

void once_log_end(struct once_log **place) {
    struct once_log *log = *place;
    if (!log) return;
    census_count(&all_calls, log->by_token.count, 0);
    for (size_t i = log->first; i < log->count; i++) memory_free(log->segments[i]);
    memory_free(log->segments);
    hash_index_end(&log->by_token);
    memory_free(log);
    *place = NULL;
}

/* --- Marks --- */

void once_log_mark(struct once_log *log, struct bytes token, bool marked) {
    struct item *item = find_token(log, token);
    if (item) item_set(item, ITEM_MARKED, marked);
}

bool once_log_is_marked(const struct once_log *log, struct bytes token) {
    const struct item *item = find_token(log, token);
    return item && item_bits(item) & ITEM_MARKED;
}

/* --- Queries --- */

size_t once_log_count(const struct once_log *log) {
    return log ? log->by_token.count : 0;
}

size_t once_log_bytes(const struct once_log *log) {
    return log ? log->bytes : 0;
}

int64_t once_log_newest_ms(const struct once_log *log) {
    return log ? log->newest_ms : 0;
}

/* There is no gap before the first call: close_gaps has closed it. */
int64_t once_log_oldest_ms(const struct once_log *log) {
    if (!log) return INT64_MAX;
    const struct segment *first = first_segment(log);
    return item_called_ms(item_at(first, first->from));
}

size_t once_log_made_by(const struct once_log *log, int64_t instant_ms, size_t max) {
    struct once_log_cursor cursor = {0, 0};
    struct logged_call call;
    size_t count = 0;
    if (once_log_oldest_ms(log) > instant_ms) return 0;
    while (count < max && once_log_next(log, &cursor, &call) && call.called_ms <= instant_ms) count++;
    return count;
}

static const struct item *next_item(const struct once_log *log, struct once_log_cursor *cursor) {
    while (log && cursor->segment < log->count) {
        const struct segment *segment = log->segments[cursor->segment];
        if (cursor->at < segment->from) cursor->at = segment->from;
        if (cursor->at < segment->to) {
            const struct item *item = item_at(segment, cursor->at);
            cursor->at += item_bytes(item);
            return item;
        }
        *cursor = (struct once_log_cursor){cursor->segment + 1, 0};
    }
    return NULL;
}

static const struct item *next_present(const struct once_log *log, struct once_log_cursor *cursor) {
    if (log && cursor->segment < log->first) *cursor = (struct once_log_cursor){log->first, 0};
    const struct item *item;
    do {
        item = next_item(log, cursor);
    } while (item && item_bits(item) & ITEM_GONE);
    return item;
}

bool once_log_next(const struct once_log *log, struct once_log_cursor *cursor, struct logged_call *call) {
    const struct item *item = next_present(log, cursor);
    if (item) *call = item_as_call(item);
    return item;
}

size_t once_log_taking(const struct once_log *log, size_t bytes, size_t max) {
    struct once_log_cursor cursor = {0, 0};
    const struct item *item;
    size_t count = 0, taken = 0;
    while (taken < bytes && count < max && (item = next_present(log, &cursor))) {
        taken += item_bytes(item);
        count++;
    }
    return count;
}

/* --- Memory --- */

size_t once_log_memory(const struct once_log *log) {
    if (!log) return 0;
    return log->frame + log->memory + log->by_token.memory;
}

size_t once_log_allocations(const struct once_log *log) {
    return log ? 2 + log->count - log->first : 0;
}

void once_log_relocate(struct once_log **place, const struct relocation *relocation) {
    *place = relocate(relocation, *place);
    if (*place) (*place)->segments = relocate(relocation, (*place)->segments);
}

size_t once_log_places(const struct once_log *log) {
    return log ? log->count + log->by_token.buckets : 0;
}

/* The index points to the calls, which move with their segment: the slots are found first
 * and set afterwards. */
static void relocate_segment(struct once_log *log, struct segment **place,
                             const struct relocation *relocation) {
    enum { ITEMS_MAX = SEGMENT_MAX_BYTES / sizeof(struct item) };
    struct segment *segment = *place;
    void **slots[ITEMS_MAX] = {NULL};
    size_t at, count = 0;
    for (at = segment->from; at < segment->to; at += item_bytes(item_at(segment, at))) {
        const struct item *item = item_at(segment, at);
        slots[count++] = item_bits(item) & ITEM_GONE ? NULL : hash_index_slot(&log->by_token, &item->entry);
    }
    *place = segment = relocate(relocation, segment);
    count = 0;
    for (at = segment->from; at < segment->to; at += item_bytes(item_at(segment, at)), count++)
        if (slots[count]) *slots[count] = item_at(segment, at);
}

void once_log_relocate_place(struct once_log *log, size_t at, const struct relocation *relocation) {
    if (at >= log->count)
        hash_index_relocate(&log->by_token, at - log->count, relocation);
    else if (at >= log->first)
        relocate_segment(log, &log->segments[at], relocation);
}
