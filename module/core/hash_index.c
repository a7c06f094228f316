#include "core/hash_index.h"

#include "core/memory.h"
#include "core/number.h"
#include "core/prefetch.h"

#include "ccan/build_assert/build_assert.h"
#include "ccan/endian/endian.h"

enum {
    SLOTS = 7,
    SEGMENT_BUCKETS = 256,
    /* Entries per bucket. With more than four, buckets that are not split yet would be chained too often. */
    GROW_AT = 4,
    SHRINK_AT = 1,
};

/* used has a bit for each slot that holds an entry, and CHAINED when the last slot holds the next bucket. */
struct bucket {
    void *slots[SLOTS];
    uint8_t tags[SLOTS];
    uint8_t used;
};

enum { CHAINED = 1 << SLOTS, LAST = SLOTS - 1 };

static struct bytes name_in(const struct hash_index *index, const struct entry *entry) {
    return index->bare_name_length ? bytes_of(entry, index->bare_name_length) : entry_name(entry);
}

static uint32_t hash_in(const struct hash_index *index, const struct entry *entry) {
    return index->bare_name_length ? hash_bytes(name_in(index, entry)) : entry->hash;
}

static bool has_name(const struct hash_index *index, const struct entry *entry, uint32_t hash,
                     struct bytes name) {
    return (index->bare_name_length || entry->hash == hash) && bytes_equal(name_in(index, entry), name);
}

static uint8_t tag_of(uint32_t hash) {
    return (uint8_t)(hash >> 24);
}

static size_t bucket_of(const struct hash_index *index, uint32_t hash) {
    size_t upper = (size_t)1 << (64 - __builtin_clzl(index->buckets));
    size_t place = hash & (upper - 1);
    return place < index->buckets ? place : place & (upper / 2 - 1);
}

static struct bucket *bucket_at(const struct hash_index *index, size_t place) {
    return &index->segments[place / SEGMENT_BUCKETS][place % SEGMENT_BUCKETS];
}

/* NULL while the index has no buckets. */
static struct bucket *bucket_for(const struct hash_index *index, uint32_t hash) {
    return index->buckets ? bucket_at(index, bucket_of(index, hash)) : NULL;
}

static struct bucket *bucket_next(const struct bucket *bucket) {
    return bucket->used & CHAINED ? bucket->slots[LAST] : NULL;
}

/* Makes the first bucket. */
static void hash_index_begin(struct hash_index *index) {
    BUILD_ASSERT(sizeof(struct bucket) == 64);
    index->segments = memory_alloc(sizeof(*index->segments));
    index->segments[0] = memory_zeroed(sizeof(struct bucket));
    index->buckets = 1;
    index->memory = memory_size(index->segments) + memory_size(index->segments[0]);
}

static size_t segment_count(size_t buckets) {
    return (buckets + SEGMENT_BUCKETS - 1) / SEGMENT_BUCKETS;
}

void hash_index_end(struct hash_index *index) {
    for (size_t i = 0; i < index->buckets; i++) {
        struct bucket *next = bucket_next(bucket_at(index, i));
        while (next) {
            struct bucket *after = bucket_next(next);
            memory_free(next);
            next = after;
        }
    }
    for (size_t i = 0; i < segment_count(index->buckets); i++) memory_free(index->segments[i]);
    memory_free(index->segments);
    *index = (struct hash_index){.bare_name_length = index->bare_name_length};
}

/* A bit for each slot of the bucket whose entry has this tag. */
static unsigned bucket_tag_matches(const struct bucket *bucket, uint8_t tag) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    uint64_t word;
    /* Seven tags and `used`, whose bit is masked off at the end. */
    memcpy(&word, (const char *)bucket + offsetof(struct bucket, tags), sizeof(word));
    word = le64_to_cpu(word) ^ ones * tag;
    uint64_t zero_bytes = ~(((word & ~tops) + ~tops) | word | ~tops);
    return (unsigned)(((zero_bytes >> 7) * UINT64_C(0x0102040810204080)) >> 56) & bucket->used &
           (CHAINED - 1);
}

/* The name, and the fields that callers read next, mostly lie in the cache lines after the entry. */
static void fetch_entry(const void *entry) {
    prefetch_line(entry);
    prefetch_line((const char *)entry + 64);
    prefetch_line((const char *)entry + 128);
}

void hash_index_prefetch(const struct hash_index *index, uint32_t hash) {
    prefetch_line(bucket_for(index, hash));
}

void hash_index_prefetch_entry(const struct hash_index *index, uint32_t hash) {
    const struct bucket *bucket = bucket_for(index, hash);
    unsigned matches = bucket ? bucket_tag_matches(bucket, tag_of(hash)) : 0;
    if (matches) fetch_entry(bucket->slots[__builtin_ctz(matches)]);
}

struct entry *hash_index_find(const struct hash_index *index, uint32_t hash, struct bytes name) {
    const struct bucket *bucket = bucket_for(index, hash);
    for (; bucket; bucket = bucket_next(bucket)) {
        for (unsigned matches = bucket_tag_matches(bucket, tag_of(hash)); matches; matches &= matches - 1) {
            struct entry *entry = bucket->slots[__builtin_ctz(matches)];
            fetch_entry(entry);
            if (has_name(index, entry, hash, name)) return entry;
        }
    }
    return NULL;
}

/* Chains a new bucket to a full one, whose last entry moves to it. */
static struct bucket *chain_bucket(struct hash_index *index, struct bucket *bucket) {
    struct bucket *next = memory_zeroed(sizeof(*next));
    index->memory += memory_size(next);
    next->slots[0] = bucket->slots[LAST];
    next->tags[0] = bucket->tags[LAST];
    next->used = 1;
    bucket->slots[LAST] = next;
    bucket->used = (uint8_t)((bucket->used & ~(1 << LAST)) | CHAINED);
    return next;
}

static void place_entry(struct hash_index *index, struct bucket *bucket, struct entry *entry, uint32_t hash) {
    for (;;) {
        unsigned usable = bucket->used & CHAINED ? CHAINED / 2 - 1 : CHAINED - 1;
        unsigned empty = ~(unsigned)bucket->used & usable;
        if (empty) {
            int slot = __builtin_ctz(empty);
            bucket->slots[slot] = entry;
            bucket->tags[slot] = tag_of(hash);
            bucket->used = (uint8_t)(bucket->used | 1 << slot);
            return;
        }
        bucket = bucket->used & CHAINED ? bucket_next(bucket) : chain_bucket(index, bucket);
    }
}

static void free_chained(struct hash_index *index, struct bucket *bucket) {
    index->memory -= memory_size(bucket);
    memory_free(bucket);
}

/* Empties a bucket and those chained to it, and places their entries again: they may belong elsewhere now. */
static void replace_all(struct hash_index *index, struct bucket *bucket) {
    struct bucket first = *bucket;
    memset(bucket, 0, sizeof(*bucket));
    for (struct bucket *from = &first, *next; from; from = next) {
        for (unsigned used = from->used & (CHAINED - 1); used; used &= used - 1) {
            struct entry *entry = from->slots[__builtin_ctz(used)];
            uint32_t hash = hash_in(index, entry);
            place_entry(index, bucket_at(index, bucket_of(index, hash)), entry, hash);
        }
        next = bucket_next(from);
        if (from != &first) free_chained(index, from);
    }
}

/* Moves the entries that belong in the new bucket: those whose hash has the bit by which the two are told apart. */
static void split_bucket(struct hash_index *index, struct bucket *bucket, struct bucket *fresh, size_t bit) {
    if (bucket->used & CHAINED) {
        replace_all(index, bucket);
        return;
    }
    for (unsigned used = bucket->used; used; used &= used - 1) {
        struct entry *entry = bucket->slots[__builtin_ctz(used)];
        uint32_t hash = hash_in(index, entry);
        if (!(hash & bit)) continue;
        bucket->used = (uint8_t)(bucket->used & ~(used & -used));
        place_entry(index, fresh, entry, hash);
    }
}

static void resize_first_segment(struct hash_index *index, size_t buckets) {
    index->memory -= memory_size(index->segments[0]);
    index->segments[0] = memory_resize(index->segments[0], buckets * sizeof(struct bucket));
    index->memory += memory_size(index->segments[0]);
}

static void add_segment(struct hash_index *index, size_t segment) {
    if ((segment & (segment - 1)) == 0) { /* the directory grows by doubling */
        index->memory -= memory_size(index->segments);
        index->segments = memory_resize(index->segments, segment * 2 * sizeof(*index->segments));
        index->memory += memory_size(index->segments);
    }
    index->segments[segment] = memory_alloc(SEGMENT_BUCKETS * sizeof(struct bucket));
    index->memory += memory_size(index->segments[segment]);
}

static void hash_index_grow(struct hash_index *index) {
    size_t fresh = index->buckets;
    if (!fresh) {
        hash_index_begin(index);
        return;
    }
    if (fresh < SEGMENT_BUCKETS) {
        if ((fresh & (fresh - 1)) == 0) resize_first_segment(index, fresh * 2);
    } else if (fresh % SEGMENT_BUCKETS == 0) {
        add_segment(index, fresh / SEGMENT_BUCKETS);
    }
    size_t level = (size_t)1 << (63 - __builtin_clzl(fresh));
    index->buckets++;
    memset(bucket_at(index, fresh), 0, sizeof(struct bucket));
    split_bucket(index, bucket_at(index, fresh - level), bucket_at(index, fresh), level);
}

static void hash_index_shrink(struct hash_index *index) {
    size_t last = index->buckets - 1;
    struct bucket *bucket = bucket_at(index, last);
    index->buckets--;
    replace_all(index, bucket);
    if (last < SEGMENT_BUCKETS) {
        if ((last & (last - 1)) == 0) resize_first_segment(index, last);
    } else if (last % SEGMENT_BUCKETS == 0) {
        index->memory -= memory_size(index->segments[last / SEGMENT_BUCKETS]);
        memory_free(index->segments[last / SEGMENT_BUCKETS]);
    }
}

/* Prefetches the bucket that is split next, and its entries, which lie anywhere in memory: one step with each
 * of the last two entries that still fit. */
static void prefetch_growth(const struct hash_index *index) {
    size_t left = index->buckets * GROW_AT - index->count;
    if (left == 0 || left > 2) return;
    size_t level = (size_t)1 << (63 - __builtin_clzl(index->buckets));
    const struct bucket *bucket = bucket_at(index, index->buckets - level);
    if (left == 2) {
        prefetch_line(bucket);
        return;
    }
    for (unsigned used = bucket->used & (CHAINED - 1); used; used &= used - 1)
        prefetch_line(bucket->slots[__builtin_ctz(used)]);
    if (bucket->used & CHAINED) prefetch_line(bucket_next(bucket));
}

void hash_index_add(struct hash_index *index, struct entry *entry) {
    if (index->count >= index->buckets * GROW_AT) hash_index_grow(index);
    uint32_t hash = hash_in(index, entry);
    place_entry(index, bucket_at(index, bucket_of(index, hash)), entry, hash);
    index->count++;
    prefetch_growth(index);
}

/* The slot that holds the entry, and the bucket that the slot is in. */
static void **find_slot(const struct hash_index *index, const struct entry *entry, struct bucket **holder) {
    uint32_t hash = hash_in(index, entry);
    struct bucket *bucket = bucket_for(index, hash);
    for (; bucket; bucket = bucket_next(bucket)) {
        for (unsigned matches = bucket_tag_matches(bucket, tag_of(hash)); matches; matches &= matches - 1) {
            void **slot = &bucket->slots[__builtin_ctz(matches)];
            *holder = bucket;
            if (*slot == entry) return slot;
        }
    }
    return NULL;
}

void **hash_index_slot(const struct hash_index *index, const struct entry *entry) {
    struct bucket *holder = NULL;
    return find_slot(index, entry, &holder);
}

void hash_index_remove(struct hash_index *index, const struct entry *entry) {
    struct bucket *holder = NULL;
    void **slot = find_slot(index, entry, &holder);
    if (!slot) return;
    holder->used = (uint8_t)(holder->used & ~(1 << (slot - holder->slots)));
    index->count--;
    if (index->buckets > 1 && index->count < index->buckets * SHRINK_AT) hash_index_shrink(index);
}

void hash_index_visit(const struct hash_index *index, size_t place,
                      void (*visit)(void *context, struct entry *entry), void *context) {
    for (const struct bucket *bucket = bucket_at(index, place); bucket; bucket = bucket_next(bucket))
        for (unsigned used = bucket->used & (CHAINED - 1); used; used &= used - 1)
            visit(context, bucket->slots[__builtin_ctz(used)]);
}

void hash_index_relocate(struct hash_index *index, size_t place, const struct relocation *relocation) {
    size_t segment = place / SEGMENT_BUCKETS;
    if (place >= index->buckets || place % SEGMENT_BUCKETS) return;
    if (!place) index->segments = relocate(relocation, index->segments);
    index->segments[segment] = relocate(relocation, index->segments[segment]);
}

struct moving {
    const struct relocation *relocation;
    void (*move)(void *owner, struct entry *entry, const struct relocation *relocation);
    void *owner;
};

static void move_entry(void *context, struct entry *entry) {
    const struct moving *moving = context;
    moving->move(moving->owner, entry, moving->relocation);
}

void hash_index_move(struct hash_index *index, size_t place, const struct relocation *relocation,
                     void (*move)(void *owner, struct entry *entry, const struct relocation *relocation),
                     void *owner) {
    struct moving moving = {relocation, move, owner};
    if (place >= index->buckets) return;
    hash_index_relocate(index, place, relocation);
    hash_index_visit(index, place, move_entry, &moving);
}

/* --- Copies --- */

static void *copy_counted(struct hash_index *index, const void *from, size_t used, size_t bytes) {
    void *copy = memcpy(memory_alloc(bytes), from, used);
    index->memory += memory_size(copy);
    return copy;
}

/* The first power of two that is not less: what the first segment and the directory have capacity for. */
static size_t power_above(size_t count) {
    size_t power = 1;
    while (power < count) power *= 2;
    return power;
}

static void copy_chained(struct hash_index *index, struct bucket *bucket) {
    for (; bucket->used & CHAINED; bucket = bucket_next(bucket))
        bucket->slots[LAST] = copy_counted(index, bucket->slots[LAST], sizeof(*bucket), sizeof(*bucket));
}

static struct bucket *copy_segment(struct hash_index *index, const struct bucket *segment, size_t buckets) {
    size_t capacity = index->buckets < SEGMENT_BUCKETS ? power_above(buckets) : SEGMENT_BUCKETS;
    struct bucket *copy =
        copy_counted(index, segment, buckets * sizeof(*segment), capacity * sizeof(*segment));
    for (size_t i = 0; i < buckets; i++) copy_chained(index, &copy[i]);
    return copy;
}

void hash_index_copy(struct hash_index *index, const struct hash_index *source) {
    size_t segments = segment_count(source->buckets), left = source->buckets;
    *index = *source;
    index->memory = 0;
    if (!left) return;
    index->segments = copy_counted(index, source->segments, segments * sizeof(*index->segments),
                                   power_above(segments) * sizeof(*index->segments));
    for (size_t i = 0; i < segments; i++, left -= SEGMENT_BUCKETS)
        index->segments[i] = copy_segment(index, source->segments[i], size_min(left, SEGMENT_BUCKETS));
}
