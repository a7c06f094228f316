#include "core/remembered.h"

#include "core/hash.h"
#include "core/hash_index.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/record.h"

#include "ccan/container_of/container_of.h"

#include <stdatomic.h>

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

struct segment {
    uint32_t from, to; /* the first call, and the end of the last one */
    uint32_t size;
    char bytes[];
};

struct remembered {
    struct hash_index by_token;
    struct segment **segments;
    size_t first, count, capacity; /* segments in use: [first, count) */
    size_t memory;                 /* by segments */
    size_t frame;                  /* by this and the list of segments */
    size_t bytes;                  /* of calls */
    int64_t newest_ms;
};

static atomic_size_t all_calls;

size_t remembered_census(void) {
    return all_calls;
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

static struct remembered_call item_as_call(const struct item *item) {
    return (struct remembered_call){
        .token = entry_name(&item->entry),
        .fingerprint = item->fingerprint,
        .called_ms = item_called_ms(item),
        .answer = item_answer(item),
    };
}

/* --- Segments --- */

static struct segment *first_segment(const struct remembered *remembered) {
    return remembered->segments[remembered->first];
}

static struct segment *last_segment(const struct remembered *remembered) {
    return remembered->first < remembered->count ? remembered->segments[remembered->count - 1] : NULL;
}

/* Makes space for one more segment: moves the list down over freed ones, or grows it. */
static void make_space(struct remembered *remembered) {
    if (remembered->count < remembered->capacity) return;
    size_t used = remembered->count - remembered->first;
    if (used < remembered->capacity / 2) {
        memmove(remembered->segments, remembered->segments + remembered->first,
                used * sizeof(*remembered->segments));
        remembered->first = 0;
        remembered->count = used;
        return;
    }
    remembered->capacity = remembered->capacity ? remembered->capacity * 2 : SEGMENTS_MIN;
    remembered->segments =
        memory_resize(remembered->segments, remembered->capacity * sizeof(*remembered->segments));
    remembered->frame = memory_size(remembered) + memory_size(remembered->segments);
}

/* A new segment is as large as all others together, within bounds. */
static size_t segment_bytes(const struct remembered *remembered, size_t min) {
    size_t bytes = SEGMENT_MIN_BYTES;
    while (bytes < remembered->memory && bytes < SEGMENT_MAX_BYTES) bytes *= 2;
    min += sizeof(struct segment);
    return size_max(min, bytes);
}

static struct segment *segment_new(struct remembered *remembered, size_t min) {
    size_t bytes = segment_bytes(remembered, min);
    struct segment *segment = memory_alloc(bytes);
    *segment = (struct segment){.size = (uint32_t)(bytes - sizeof(*segment))};
    make_space(remembered);
    remembered->segments[remembered->count++] = segment;
    remembered->memory += memory_size(segment);
    return segment;
}

static void segment_free(struct remembered *remembered, struct segment *segment) {
    remembered->memory -= memory_size(segment);
    memory_free(segment);
}

/* Closes the gaps at the front and frees segments that are empty. */
static void close_gaps(struct remembered *remembered) {
    while (remembered->first < remembered->count) {
        struct segment *segment = first_segment(remembered);
        while (segment->from < segment->to && item_bits(item_at(segment, segment->from)) & ITEM_GONE)
            segment->from += (uint32_t)item_bytes(item_at(segment, segment->from));
        if (segment->from < segment->to) return;
        segment_free(remembered, segment);
        remembered->first++;
    }
}

/* --- Remembering --- */

static struct item *find_hashed(const struct remembered *remembered, uint32_t hash, struct bytes token) {
    struct entry *entry = hash_index_find(&remembered->by_token, hash, token);
    return entry ? item_of(entry) : NULL;
}

static struct item *find(const struct remembered *remembered, struct bytes token) {
    return remembered ? find_hashed(remembered, hash_bytes(token), token) : NULL;
}

bool remembered_find(const struct remembered *remembered, struct bytes token, struct remembered_call *found) {
    const struct item *item = find(remembered, token);
    if (item) *found = item_as_call(item);
    return item;
}

static struct remembered *need(struct remembered **place) {
    if (!*place) {
        *place = memory_zeroed(sizeof(**place));
        hash_index_start(&(*place)->by_token);
    }
    return *place;
}

/* Reserves bytes at the end of the last segment, or of a new one. */
static struct item *item_reserve(struct remembered *remembered, size_t bytes) {
    struct segment *segment = last_segment(remembered);
    if (!segment || segment->size - segment->to < bytes) segment = segment_new(remembered, bytes);
    struct item *item = item_at(segment, segment->to);
    segment->to += (uint32_t)bytes;
    return item;
}

static int64_t bounded(int64_t called_ms) {
    return number_min(called_ms, CALLED_MAX_MS);
}

static void item_write(struct item *item, uint32_t hash, const struct remembered_call *call,
                       struct bytes prefix) {
    int64_t called_ms = bounded(call->called_ms);
    *item = (struct item){
        .entry = {hash, (uint16_t)call->token.length, offsetof(struct item, token)},
        .fingerprint = call->fingerprint,
        .called_low = (uint32_t)called_ms,
        .called_high = (uint16_t)(called_ms >> 32),
    };
    memcpy(item->token, call->token.data, call->token.length);
    memcpy(item_prefix(item), prefix.data, prefix.length);
    memcpy(item_prefix(item) + prefix.length, call->answer.data, call->answer.length);
}

static void forget_item(struct remembered **place, struct item *item) {
    struct remembered *remembered = *place;
    hash_index_remove(&remembered->by_token, &item->entry);
    item_set(item, ITEM_GONE, true);
    remembered->bytes -= item_bytes(item);
    atomic_fetch_sub(&all_calls, 1);
    close_gaps(remembered);
    if (remembered->first == remembered->count) remembered_end(place);
}

static struct bytes write_prefix(size_t length, struct record_writer *writer) {
    record_start(writer);
    record_put_number(writer, (uint64_t)length << ITEM_BITS);
    return bytes_of(writer->data, writer->length);
}

void remembered_add(struct remembered **place, const struct remembered_call *call) {
    struct record_writer writer;
    const uint32_t hash = hash_bytes(call->token);
    struct item *before = *place ? find_hashed(*place, hash, call->token) : NULL;
    if (before) forget_item(place, before);
    struct remembered *remembered = need(place);
    struct bytes prefix = write_prefix(call->answer.length, &writer);
    size_t bytes = offsetof(struct item, token) + call->token.length + prefix.length + call->answer.length;
    struct item *item = item_reserve(remembered, item_aligned(bytes));
    item_write(item, hash, call, prefix);
    record_end(&writer);
    hash_index_add(&remembered->by_token, &item->entry);
    remembered->bytes += item_bytes(item);
    remembered->newest_ms = bounded(call->called_ms);
    atomic_fetch_add_explicit(&all_calls, 1, memory_order_relaxed);
}

/* --- Forgetting --- */

void remembered_forget(struct remembered **place, size_t count) {
    for (; *place && count; count--) {
        struct segment *segment = first_segment(*place);
        forget_item(place, item_at(segment, segment->from));
    }
}

bool remembered_forget_token(struct remembered **place, struct bytes token) {
    struct item *item = find(*place, token);
    if (item) forget_item(place, item);
    return item;
}

void remembered_end(struct remembered **place) {
    struct remembered *remembered = *place;
    if (!remembered) return;
    atomic_fetch_sub(&all_calls, remembered->by_token.count);
    for (size_t i = remembered->first; i < remembered->count; i++) memory_free(remembered->segments[i]);
    memory_free(remembered->segments);
    hash_index_end(&remembered->by_token);
    memory_free(remembered);
    *place = NULL;
}

/* --- Marks --- */

void remembered_mark(struct remembered *remembered, struct bytes token, bool marked) {
    struct item *item = find(remembered, token);
    if (item) item_set(item, ITEM_MARKED, marked);
}

bool remembered_is_marked(const struct remembered *remembered, struct bytes token) {
    const struct item *item = find(remembered, token);
    return item && item_bits(item) & ITEM_MARKED;
}

/* --- Queries --- */

size_t remembered_count(const struct remembered *remembered) {
    return remembered ? remembered->by_token.count : 0;
}

size_t remembered_bytes(const struct remembered *remembered) {
    return remembered ? remembered->bytes : 0;
}

int64_t remembered_newest_ms(const struct remembered *remembered) {
    return remembered ? remembered->newest_ms : 0;
}

/* There is no gap before the first call: close_gaps has closed it. */
int64_t remembered_oldest_ms(const struct remembered *remembered) {
    if (!remembered) return INT64_MAX;
    const struct segment *first = first_segment(remembered);
    return item_called_ms(item_at(first, first->from));
}

size_t remembered_made_by(const struct remembered *remembered, int64_t instant_ms, size_t max) {
    struct remembered_cursor cursor = {0, 0};
    struct remembered_call call;
    size_t count = 0;
    if (remembered_oldest_ms(remembered) > instant_ms) return 0;
    while (count < max && remembered_next(remembered, &cursor, &call) && call.called_ms <= instant_ms)
        count++;
    return count;
}

static const struct item *next_item(const struct remembered *remembered, struct remembered_cursor *cursor) {
    while (remembered && cursor->segment < remembered->count) {
        const struct segment *segment = remembered->segments[cursor->segment];
        if (cursor->at < segment->from) cursor->at = segment->from;
        if (cursor->at < segment->to) {
            const struct item *item = item_at(segment, cursor->at);
            cursor->at += item_bytes(item);
            return item;
        }
        *cursor = (struct remembered_cursor){cursor->segment + 1, 0};
    }
    return NULL;
}

static const struct item *next_present(const struct remembered *remembered,
                                       struct remembered_cursor *cursor) {
    if (remembered && cursor->segment < remembered->first)
        *cursor = (struct remembered_cursor){remembered->first, 0};
    const struct item *item;
    do {
        item = next_item(remembered, cursor);
    } while (item && item_bits(item) & ITEM_GONE);
    return item;
}

bool remembered_next(const struct remembered *remembered, struct remembered_cursor *cursor,
                     struct remembered_call *call) {
    const struct item *item = next_present(remembered, cursor);
    if (item) *call = item_as_call(item);
    return item;
}

size_t remembered_taking(const struct remembered *remembered, size_t bytes, size_t max) {
    struct remembered_cursor cursor = {0, 0};
    const struct item *item;
    size_t count = 0, taken = 0;
    while (taken < bytes && count < max && (item = next_present(remembered, &cursor))) {
        taken += item_bytes(item);
        count++;
    }
    return count;
}

/* --- Memory --- */

size_t remembered_memory(const struct remembered *remembered) {
    if (!remembered) return 0;
    return remembered->frame + remembered->memory + remembered->by_token.memory;
}

size_t remembered_allocations(const struct remembered *remembered) {
    return remembered ? 2 + remembered->count - remembered->first : 0;
}

void remembered_relocate(struct remembered **place, const struct relocation *relocation) {
    *place = relocate(relocation, *place);
    if (*place) (*place)->segments = relocate(relocation, (*place)->segments);
}

size_t remembered_places(const struct remembered *remembered) {
    return remembered ? remembered->count + remembered->by_token.buckets : 0;
}

/* The index points to the calls, which move with their segment: the slots are found first
 * and set afterwards. */
static void relocate_segment(struct remembered *remembered, struct segment **place,
                             const struct relocation *relocation) {
    enum { ITEMS_MAX = SEGMENT_MAX_BYTES / sizeof(struct item) };
    struct segment *segment = *place;
    void **slots[ITEMS_MAX] = {NULL};
    size_t at, count = 0;
    for (at = segment->from; at < segment->to; at += item_bytes(item_at(segment, at))) {
        const struct item *item = item_at(segment, at);
        slots[count++] =
            item_bits(item) & ITEM_GONE ? NULL : hash_index_slot(&remembered->by_token, &item->entry);
    }
    *place = segment = relocate(relocation, segment);
    count = 0;
    for (at = segment->from; at < segment->to; at += item_bytes(item_at(segment, at)), count++)
        if (slots[count]) *slots[count] = item_at(segment, at);
}

void remembered_relocate_place(struct remembered *remembered, size_t at,
                               const struct relocation *relocation) {
    if (at >= remembered->count)
        hash_index_relocate(&remembered->by_token, at - remembered->count, relocation);
    else if (at >= remembered->first)
        relocate_segment(remembered, &remembered->segments[at], relocation);
}
