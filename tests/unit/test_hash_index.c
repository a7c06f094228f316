/* The hash index: against a sorted array, with hashes that spread and with
 * hashes that an enemy would choose. */
#include "core/hash_index.h"

#include "core/memory.h"
#include "index_trial.h"
#include "unit.h"

static void index_add(void *index, struct entry *entry) {
    hash_index_add(index, entry);
}

static void index_remove(void *index, const struct entry *entry) {
    hash_index_remove(index, entry);
}

static struct entry *index_find(const void *index, const struct entry *like) {
    return hash_index_find(index, like->hash, entry_name(like));
}

static struct entry *index_replace(void *index, struct entry *entry,
                                   struct entry *(*move)(struct entry *entry)) {
    void **slot = hash_index_slot(index, entry);
    require(slot && *slot == entry, "the slot holds something else");
    return *slot = move(entry);
}

static size_t index_count(const void *index) {
    return ((const struct hash_index *)index)->count;
}

static size_t index_memory(const void *index) {
    return ((const struct hash_index *)index)->memory;
}

/* A name always has to have the same hash, however it was chosen. */
static uint32_t spread(struct dice *dice, struct bytes name) {
    (void)dice;
    uint32_t sum = 2166136261U;
    for (size_t i = 0; i < name.length; i++) sum = (sum ^ (unsigned char)name.data[i]) * 16777619U;
    return sum ^ sum >> 15;
}

static uint32_t always_equal(struct dice *dice, struct bytes name) {
    (void)dice, (void)name;
    return 0x5a5a5a5a;
}

static uint32_t equal_tags(struct dice *dice, struct bytes name) {
    return spread(dice, name) & 0x00ffffff;
}

static uint32_t equal_buckets(struct dice *dice, struct bytes name) {
    return spread(dice, name) & 0xff000000;
}

static uint32_t two_hashes(struct dice *dice, struct bytes name) {
    return spread(dice, name) & 1 ? 0 : UINT32_MAX;
}

static struct index_kind kind_with(uint32_t (*hash)(struct dice *, struct bytes)) {
    return (struct index_kind){
        .add = index_add,
        .remove = index_remove,
        .find = index_find,
        .replace = index_replace,
        .count = index_count,
        .memory = index_memory,
        .hash = hash,
    };
}

static void run_with(uint32_t (*hash)(struct dice *, struct bytes), unsigned steps, size_t max,
                     size_t grown) {
    const struct index_kind kind = kind_with(hash);
    struct hash_index index = {0};
    struct index_trial trial = {.kind = &kind, .index = &index, .dice = {steps}};
    index_trial_grow_and_shrink(&trial, grown);
    index_trial_end(&trial);
    index_trial_run(&trial, steps, max);
    index_trial_end(&trial);
    hash_index_end(&index);
}

TEST(a_hash_index_agrees_with_an_array) {
    run_with(spread, 60000, 3000, 100000);
}

TEST(a_hash_index_works_with_one_hash_for_all) {
    run_with(always_equal, 10000, 200, 600);
}

TEST(a_hash_index_works_with_one_tag_for_all) {
    run_with(equal_tags, 30000, 2000, 5000);
}

TEST(a_hash_index_works_with_one_bucket_for_all) {
    run_with(equal_buckets, 10000, 300, 2000);
}

TEST(a_hash_index_works_with_two_hashes_for_all) {
    run_with(two_hashes, 10000, 200, 500);
}

TEST(an_empty_hash_index_finds_nothing) {
    struct hash_index index ENDS_BY(hash_index_end) = {0};
    require(!hash_index_find(&index, 0, bytes_of("", 0)), "something is found in nothing");
    require(!hash_index_find(&index, UINT32_MAX, bytes_text("a")), "something is found in nothing");
    require_same(index.memory, allocations_bytes(), "nothing added");
}

enum { MANY = 20000 };

/* Adds many entries, and answers the most allocations that one addition made. */
static size_t add_many(struct hash_index *index, struct roster *roster) {
    char room[NAME_ROOM];
    size_t max = 0;
    for (size_t i = 0; i < MANY; i++) {
        struct bytes name = name_numbered(i, room);
        struct entry *entry = entry_new(name, spread(NULL, name));
        size_t made = allocations_made();
        hash_index_add(index, entry);
        made = allocations_made() - made;
        if (made > max) max = made;
        roster_add(roster, entry);
    }
    return max;
}

/* An index of n entries is of a size that follows n, and comes back to the smallest one. */
TEST(a_hash_index_grows_and_shrinks_with_its_count) {
    enum { BYTES_PER_ENTRY = 48 };
    struct hash_index index ENDS_BY(hash_index_end) = {0};
    struct roster roster = {0};
    size_t smallest = index.memory;
    (void)add_many(&index, &roster);
    require(index.memory < (size_t)MANY * BYTES_PER_ENTRY, "%zu bytes for %d entries", index.memory, MANY);
    for (size_t i = 0; i < MANY; i++) hash_index_remove(&index, roster.entries[i]);
    require(index.memory < smallest + 4096, "%zu bytes for nothing", index.memory);
    roster_free(&roster);
}

/* No single addition pays for the growth of the whole. */
TEST(an_index_grows_in_small_steps) {
    enum { MAX_ALLOCATIONS = 8 };
    struct hash_index index = {0};
    struct roster roster = {0};
    size_t max = add_many(&index, &roster);
    require(max <= MAX_ALLOCATIONS, "one addition made %zu allocations", max);
    hash_index_end(&index);
    roster_free(&roster);
}

struct tour {
    struct hash_index *index;
    struct roster *roster;
    size_t seen;
};

/* Moves each entry that it meets, as a visitor may. */
static void move_visited(void *context, struct entry *entry) {
    struct tour *tour = context;
    struct entry **place = &tour->roster->entries[roster_place(tour->roster, entry_name(entry))];
    require(*place == entry, "an entry is visited that is not there, or no more");
    *place = index_replace(tour->index, entry, entry_move);
    tour->seen++;
}

static void *move_memory(void *context, void *memory) {
    (void)context;
    return memory_resize(memory, memory_size(memory));
}

TEST(a_walk_over_all_places_visits_every_entry_once) {
    const struct index_kind kinds[] = {kind_with(spread), kind_with(two_hashes)};
    const struct relocation relocation = {move_memory, NULL, NULL};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct hash_index index ENDS_BY(hash_index_end) = {0};
        struct index_trial trial ENDS_BY(index_trial_end) = {.kind = &kinds[i], .index = &index, .dice = {9}};
        for (int round = 0; round < 10; round++) {
            index_trial_run(&trial, 1000, 2000);
            struct tour tour = {&index, &trial.roster, 0};
            for (size_t place = 0; place < index.buckets; place++) {
                hash_index_relocate(&index, place, &relocation);
                hash_index_visit(&index, place, move_visited, &tour);
            }
            require_same(tour.seen, trial.roster.count, "round %d", round);
            index_trial_compare(&trial);
        }
    }
}

enum { SEGMENT = 256 }; /* places that move together */

struct moves {
    void *moved[MANY / SEGMENT];
    size_t count;
};

/* What has moved once must not move again in the same walk. */
static void *move_once(void *context, void *memory) {
    struct moves *moves = context;
    for (size_t i = 0; i < moves->count; i++)
        require(moves->moved[i] != memory, "it moves for a second time");
    require(moves->count < ARRAY_SIZE(moves->moved), "more moves than there are segments");
    return moves->moved[moves->count++] = memory_resize(memory, memory_size(memory));
}

/* The table of segments moves with the first one; each segment where it begins, and nothing in between. */
TEST(segments_of_a_hash_index_move_one_by_one) {
    const struct index_kind kind = kind_with(spread);
    struct hash_index index ENDS_BY(hash_index_end) = {0};
    struct index_trial trial ENDS_BY(index_trial_end) = {.kind = &kind, .index = &index};
    struct moves moves = {.count = 0};
    const struct relocation relocation = {move_once, NULL, &moves};
    hash_index_relocate(&index, 0, &relocation);
    require_same(moves.count, 0, "an empty one");
    require(add_many(&index, &trial.roster), "entries were added");
    require(index.buckets > 4 * (size_t)SEGMENT, "there are only %zu places", index.buckets);
    moves.count = 0;
    for (size_t place = 0; place < index.buckets; place++) {
        size_t before = moves.count, expected = place == 0 ? 2 : place % SEGMENT == 0;
        hash_index_relocate(&index, place, &relocation);
        require_same(moves.count - before, expected, "at place %zu", place);
        if (place % ((size_t)2 * SEGMENT) == SEGMENT + 1)
            for (size_t i = 0; i < trial.roster.count; i += 97)
                require(index_find(&index, trial.roster.entries[i]) == trial.roster.entries[i],
                        "entry %zu is lost at place %zu", i, place);
    }
    index_trial_compare(&trial);
}

/* An entry that only has a name, and its number in a test. */
struct bare {
    char name[16];
    size_t number;
};

TEST(bare_entries_are_found_by_their_names) {
    static struct bare all[MANY];
    struct hash_index index ENDS_BY(hash_index_end) = {.bare_name_length = sizeof(all[0].name)};
    for (size_t i = 0; i < MANY; i++) {
        all[i].number = i;
        const uint64_t words[] = {i * UINT64_C(0x9e3779b97f4a7c15), i};
        memcpy(all[i].name, words, sizeof(all[i].name));
        hash_index_add(&index, (struct entry *)&all[i]);
    }
    for (size_t i = 0; i < MANY; i += 2) hash_index_remove(&index, (struct entry *)&all[i]);
    require_same(index.count, MANY / 2, "half of them are left");
    for (size_t i = 0; i < MANY; i++) {
        struct bytes name = bytes_of(all[i].name, sizeof(all[i].name));
        const void *found = hash_index_find(&index, hash_bytes(name), name);
        require(found == (i % 2 ? &all[i] : NULL), "entry %zu", i);
    }
}
