/* Contents: ropes of chunks against plain arrays of bytes, and what they hold against what is allocated. */
#include "core/content.h"

#include "core/memory.h"
#include "mover.h"
#include "unit.h"

#include <stdlib.h>

enum {
    AGGREGATES = 2,
    SUBJECTS = 3, /* of each aggregate */
    CHUNKS_MAX = 100,
    SMALL_BYTES_MAX = 300,
    LARGE_BYTES_MAX = 40000,
    BYTES_MAX = 200000,
    COMPARE_EVERY = 10,
};

/* A content, and the bytes that it should have. */
struct subject {
    struct content content;
    size_t length;
    char bytes[BYTES_MAX];
};

struct aggregate {
    struct account account;
    struct subject subjects[SUBJECTS];
};

/* --- Comparing --- */

/* A view is a run of the bytes, not longer than asked for, and not empty where there is something. */
static void compare_view(const struct subject *subject, uint64_t offset, uint64_t length) {
    struct bytes view = content_view(&subject->content, offset, length);
    require(view.length <= length, "a view of %llu bytes has %zu", (unsigned long long)length, view.length);
    require(view.data, "a view has no place");
    if (offset >= subject->length || length == 0) {
        require_same(view.length, 0, "behind the end, or of nothing");
        return;
    }
    require(view.length && view.length <= subject->length - offset, "a view at %llu of %zu has %zu bytes",
            (unsigned long long)offset, subject->length, view.length);
    require_bytes(view, bytes_of(subject->bytes + offset, view.length), "a view at %llu",
                  (unsigned long long)offset);
}

/* Walks over all chunks; there are no more steps than chunks. */
static void compare_whole(const struct subject *subject) {
    require_same(subject->content.length, subject->length, "the length");
    size_t at = 0, steps = 0;
    while (at < subject->length) {
        struct bytes view = content_view(&subject->content, at, UINT64_MAX);
        compare_view(subject, at, UINT64_MAX);
        at += view.length;
        steps++;
    }
    size_t chunks = content_chunks(&subject->content);
    require(steps <= chunks, "%zu chunks are seen in %zu steps", chunks, steps);
    size_t length = 0;
    for (size_t i = 0; i < chunks; i++) length += chunk_bytes(content_chunk(&subject->content, i)).length;
    require_same(length, subject->length, "the bytes of all chunks");
}

static int by_address(const void *a, const void *b) {
    const void *const *first = a, *const *second = b;
    return *first < *second ? -1 : *first > *second;
}

/* Puts every pointer once; answers how many are left. */
static size_t once(const void **pointers, size_t count) {
    size_t kept = 0;
    qsort((void *)pointers, count, sizeof(*pointers), by_address);
    for (size_t i = 0; i < count; i++)
        if (!kept || pointers[kept - 1] != pointers[i]) pointers[kept++] = pointers[i];
    return kept;
}

/* What a rope's spans take at most, and in how many allocations: how they are laid out is the rope's own business. */
enum { SPANS_TOGETHER = 128, SPANS_BYTES = 2200 };

static size_t span_parts(const struct content *content) {
    return content->rope ? content_chunks(content) / SPANS_TOGETHER + 1 : 0;
}

/* All that the contents reach, taken once, is what stands on the account. */
static void compare_account(const struct aggregate *aggregate) {
    static const void *chunks[SUBJECTS * (CHUNKS_MAX + 1)];
    const void *ropes[SUBJECTS];
    size_t chunk_count = 0, rope_count = 0, spans = 0, memory = 0;
    for (int i = 0; i < SUBJECTS; i++) {
        const struct content *content = &aggregate->subjects[i].content;
        require(!content->chunk || !content->rope, "both a chunk and a rope");
        if (content->rope) ropes[rope_count++] = content->rope;
        spans += span_parts(content);
        for (size_t at = 0; at < content_chunks(content); at++)
            chunks[chunk_count++] = content_chunk(content, at);
    }
    chunk_count = once(chunks, chunk_count);
    rope_count = once(ropes, rope_count);
    for (size_t i = 0; i < chunk_count; i++) memory += chunk_memory(chunks[i]);
    for (size_t i = 0; i < rope_count; i++) memory += memory_size(ropes[i]);
    size_t parts = 2 * chunk_count + rope_count;
    require(aggregate->account.memory >= memory && aggregate->account.memory <= memory + spans * SPANS_BYTES,
            "%zu bytes are held of %zu chunks and %zu ropes of %zu bytes", aggregate->account.memory,
            chunk_count, rope_count, memory);
    require(aggregate->account.allocations >= parts && aggregate->account.allocations <= parts + spans,
            "%zu parts are %zu, with at most %zu of spans", aggregate->account.allocations, parts, spans);
}

/* --- Random life --- */

static struct chunk *twin_only(struct bytes bytes) {
    struct chunk *chunk = chunk_copy(bytes), *twin = chunk_twin(chunk);
    chunk_discard(chunk);
    return twin;
}

static struct chunk *chunk_of_some_kind(struct dice *dice, struct bytes bytes) {
    struct chunk *chunk;
    switch (dice_roll(dice, 4)) {
    case 0: return chunk_copy(bytes);
    case 1: return chunk_with_owner(bytes);
    case 2: return twin_only(bytes);
    default:
        chunk = chunk_empty(bytes.length + dice_roll(dice, SMALL_BYTES_MAX));
        chunk_extend(chunk, bytes);
        return chunk;
    }
}

/* Bytes more for the model; none if it is full. */
static struct bytes more_bytes(struct subject *subject, struct dice *dice) {
    size_t length = dice_roll(dice, dice_percent(dice, 20) ? LARGE_BYTES_MAX : SMALL_BYTES_MAX);
    if (dice_percent(dice, 5) || length > BYTES_MAX - subject->length) length = 0;
    struct bytes bytes = bytes_of(subject->bytes + subject->length, length);
    dice_fill(dice, subject->bytes + subject->length, length);
    subject->length += length;
    return bytes;
}

static void clear(struct aggregate *aggregate, struct subject *subject) {
    content_clear(&aggregate->account, &subject->content);
    require(!subject->content.chunk && !subject->content.rope, "what is empty has neither");
    subject->length = 0;
}

static void add_again(struct aggregate *aggregate, struct subject *to, const struct subject *from,
                      struct dice *dice) {
    size_t chunks = content_chunks(&from->content);
    if (!chunks) return;
    struct chunk *chunk = content_chunk(&from->content, dice_roll(dice, chunks));
    struct bytes bytes = chunk_bytes(chunk);
    if (bytes.length > BYTES_MAX - to->length) return;
    memcpy(to->bytes + to->length, bytes.data, bytes.length);
    to->length += bytes.length;
    content_add(&aggregate->account, &to->content, chunk);
}

static void take_over(struct aggregate *aggregate, struct subject *to, const struct subject *from,
                      bool twin) {
    if (to == from) return;
    clear(aggregate, to);
    if (twin)
        content_twin(&aggregate->account, &to->content, &from->content);
    else
        content_share(&aggregate->account, &to->content, &from->content);
    require_same(content_same(&to->content, &from->content), !twin || !content_chunks(&from->content),
                 "what shares all is the same");
    to->length = from->length;
    memcpy(to->bytes, from->bytes, from->length);
}

static void step(struct aggregate *aggregates, int count, struct dice *dice) {
    struct relocation relocation = mover(dice);
    struct aggregate *aggregate = &aggregates[dice_roll(dice, (size_t)count)],
                     *other = &aggregates[dice_roll(dice, (size_t)count)];
    struct account *account = &aggregate->account;
    struct subject *subject = &aggregate->subjects[dice_roll(dice, SUBJECTS)];
    struct content *content = &subject->content;
    switch (content_chunks(content) >= CHUNKS_MAX ? 0 : dice_roll(dice, 24)) {
    case 0: clear(aggregate, subject); break;
    case 1: take_over(aggregate, subject, &aggregate->subjects[dice_roll(dice, SUBJECTS)], false); break;
    case 2:
        take_over(aggregate, subject, &other->subjects[dice_roll(dice, SUBJECTS)], aggregate != other);
        break;
    case 3: content_reserve(account, content, dice_roll(dice, 20)); break;
    case 4: content_relocate(content, &relocation); break;
    case 5: add_again(aggregate, subject, &aggregate->subjects[dice_roll(dice, SUBJECTS)], dice); break;
    case 6:
    case 7:
    case 8: content_add(account, content, chunk_of_some_kind(dice, more_bytes(subject, dice))); break;
    case 9:
    case 10:
    case 11:
    case 12:
    case 13: content_append(account, content, more_bytes(subject, dice)); break;
    default: compare_view(subject, dice_roll(dice, subject->length + 3), dice_roll(dice, LARGE_BYTES_MAX));
    }
    compare_whole(subject);
}

/* With one aggregate, which has no memory in common with anybody, the account is what is allocated. */
static void live(int count, int steps, struct dice *dice) {
    struct aggregate *aggregates = calloc((size_t)count, sizeof(*aggregates));
    require(aggregates, "there is memory");
    for (int i = 0; i < steps; i++) {
        step(aggregates, count, dice);
        if (count == 1) require_same(aggregates->account.memory, allocations_bytes(), "step %d", i);
        if (i % COMPARE_EVERY) continue;
        for (int which = 0; which < count; which++) {
            compare_account(&aggregates[which]);
            for (int at = 0; at < SUBJECTS; at++) compare_whole(&aggregates[which].subjects[at]);
        }
    }
    for (int which = 0; which < count; which++) {
        for (int at = 0; at < SUBJECTS; at++) clear(&aggregates[which], &aggregates[which].subjects[at]);
        require_same(aggregates[which].account.memory, 0, "all is cleared");
        require_same(aggregates[which].account.allocations, 0, "all is cleared");
    }
    require_same(allocations_count(), 0, "all is cleared");
    free(aggregates);
}

TEST(contents_of_one_aggregate_equal_arrays) {
    struct dice dice = {11};
    live(1, 8000, &dice);
}

TEST(contents_of_two_aggregates_equal_arrays) {
    struct dice dice = {12};
    live(AGGREGATES, 8000, &dice);
}

/* --- Growing --- */

enum { PERIOD = 251 };

/* The bytes of a growing content at this offset; neighbours differ, and so do all offsets of one period. */
static struct bytes periodic(uint64_t offset, size_t length) {
    static char bytes[PERIOD + LARGE_BYTES_MAX];
    if (!bytes[1])
        for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (char)(i % PERIOD);
    return bytes_of(bytes + offset % PERIOD, length);
}

/* Of what is allocated for more than a few bytes, less than 30 in a hundred are not content. */
static void require_little_slack(const struct account *account, uint64_t length) {
    if (length <= 1024) return;
    require((account->memory - length) * 10 < account->memory * 3, "%zu bytes are held for %llu",
            account->memory, (unsigned long long)length);
}

TEST(growing_by_little_takes_few_chunks) {
    enum { STEP = 100, TOTAL = 64 << 20, CHUNKS = 200, VIEWS = 20000 };
    struct dice dice = {13};
    struct account account = {0};
    struct content content = {0};
    size_t before = allocations_made();
    while (content.length < TOTAL) {
        content_append(&account, &content, periodic(content.length, STEP));
        require_little_slack(&account, content.length);
    }
    require_same(account.memory, allocations_bytes(), "grown");
    require(content_chunks(&content) < CHUNKS, "%zu chunks", content_chunks(&content));
    require(allocations_made() - before < (size_t)2 * CHUNKS, "%zu allocations", allocations_made() - before);
    for (int i = 0; i < VIEWS; i++) {
        uint64_t offset = dice_roll(&dice, content.length);
        struct bytes view = content_view(&content, offset, 1 + dice_roll(&dice, STEP));
        require(view.length, "a view at %llu", (unsigned long long)offset);
        require_bytes(view, periodic(offset, view.length), "a view at %llu", (unsigned long long)offset);
    }
    content_clear(&account, &content);
}

/* Up to some size a content stays in one piece; then its chunks are no smaller than that size allows. */
TEST(small_contents_are_one_chunk) {
    enum { WHOLE = 1 << 16 };
    for (size_t step = 1; step <= 5000; step = step * 3 + 1) {
        struct account account = {0};
        struct content content = {0};
        while (content.length + step <= WHOLE) {
            content_append(&account, &content, periodic(content.length, step));
            require_same(content_chunks(&content), 1, "%llu bytes in steps of %zu",
                         (unsigned long long)content.length, step);
        }
        require_same(account.memory, allocations_bytes(), "in steps of %zu", step);
        content_clear(&account, &content);
    }
}

TEST(a_large_append_takes_no_more_memory_than_it_needs) {
    struct account account = {0};
    struct content content = {0};
    content_append(&account, &content, periodic(0, LARGE_BYTES_MAX));
    require(account.memory < LARGE_BYTES_MAX + 256, "%zu bytes are held", account.memory);
    require_same(content_chunks(&content), 1, "one append");
    content_clear(&account, &content);
}

/* What is somebody's else, or in two places, is not written to; the bytes go into a chunk of their own. */
TEST(only_a_chunk_of_its_own_is_filled) {
    struct account account = {0};
    struct content content = {0};
    struct chunk *roomy = chunk_empty(100);
    content_add(&account, &content, chunk_with_owner(bytes_text("adopted")));
    content_append(&account, &content, bytes_text(" bytes"));
    require_same(content_chunks(&content), 2, "bytes that an owner keeps");
    content_add(&account, &content, roomy);
    content_append(&account, &content, bytes_text(" more"));
    require_same(content_chunks(&content), 3, "there was room");
    struct chunk *twin = chunk_twin(roomy);
    content_append(&account, &content, bytes_text(" and"));
    require_same(content_chunks(&content), 4, "a twin reads the last one");
    require_bytes(chunk_bytes(twin), bytes_text(" more"), "the twin");
    chunk_discard(twin);
    content_add(&account, &content, roomy);
    content_append(&account, &content, bytes_text(" rest"));
    require_same(content_chunks(&content), 6, "the last one is in two places");
    static const char whole[] = "adopted bytes more and more rest";
    require_same(content.length, strlen(whole), "all of it");
    for (size_t at = 0; whole[at]; at++)
        require_bytes(content_view(&content, at, 1), bytes_of(whole + at, 1), "at %zu", at);
    content_clear(&account, &content);
}

TEST(appending_no_bytes_changes_nothing) {
    struct account account = {0};
    struct content content = {0};
    content_append(&account, &content, bytes_of("", 0));
    require(!content.length && !content.chunk && !content.rope, "nothing to nothing");
    content_append(&account, &content, bytes_text("some"));
    size_t made = allocations_made();
    content_append(&account, &content, bytes_of("", 0));
    require_same(allocations_made(), made, "nothing to something");
    require_same(content.length, 4, "nothing to something");
    content_clear(&account, &content);
    content_clear(&account, &content);
    require_same(account.memory + account.allocations, 0, "cleared twice");
}

TEST(reserved_room_is_used) {
    enum { CHUNKS = 50, SPANS_STEPS = 6 };
    for (int first = 0; first <= 1; first++) {
        struct account account = {0};
        struct content content = {0}, equal = {0};
        if (first) content_add(&account, &content, chunk_copy(bytes_text("abc")));
        content_share(&account, &equal, &content);
        content_reserve(&account, &content, CHUNKS + 1);
        size_t made = allocations_made();
        for (int i = 0; i < CHUNKS; i++) content_add(&account, &content, chunk_copy(bytes_text("abc")));
        require(allocations_made() <= made + CHUNKS + SPANS_STEPS, "%zu allocations",
                allocations_made() - made);
        require_same(content.length, (CHUNKS + first) * 3, "all of them");
        require_same(equal.length, first * 3, "the equal one");
        require_same(account.memory, allocations_bytes(), "reserved");
        content_clear(&account, &content);
        content_clear(&account, &equal);
    }
}

/* --- Sharing --- */

/* Whoever goes first, the other one still has all its bytes; and each can grow without the other. */
TEST(equal_contents_change_and_end_apart) {
    for (int pieces = 0; pieces <= 9; pieces++)
        for (int way = 0; way < 8; way++) {
            bool twin = way & 1, add = way & 2;
            int first = way >> 2;
            struct account accounts[2] = {{0}};
            struct account *of[2] = {&accounts[0], &accounts[twin]};
            struct content contents[2] = {{0}};
            for (int i = 0; i < pieces; i++) content_add(of[0], &contents[0], chunk_copy(bytes_text("abc")));
            (twin ? content_twin(of[1], &contents[1], &contents[0])
                  : content_share(of[1], &contents[1], &contents[0]));
            for (int i = 0; i < 2; i++) {
                char last = (char)('0' + i);
                if (add)
                    content_add(of[i], &contents[i], chunk_copy(bytes_of(&last, 1)));
                else
                    content_append(of[i], &contents[i], bytes_of(&last, 1));
            }
            content_clear(of[first], &contents[first]);
            const struct content *other = &contents[!first];
            require_same(other->length, pieces * 3 + 1, "way %d, %d pieces", way, pieces);
            for (uint64_t at = 0; at < other->length; at++) {
                char expected = at == other->length - 1 ? (char)('0' + !first) : "abc"[at % 3];
                require_bytes(content_view(other, at, 1), bytes_of(&expected, 1), "way %d, %d pieces", way,
                              pieces);
            }
            content_clear(of[!first], &contents[!first]);
            require_same(accounts[0].memory + accounts[1].memory, 0, "way %d, %d pieces", way, pieces);
        }
}

TEST(a_copy_of_a_content_takes_no_memory) {
    for (int pieces = 0; pieces <= 5; pieces++) {
        struct account account = {0};
        struct content content = {0}, equal = {0};
        for (int i = 0; i < pieces; i++) content_add(&account, &content, chunk_copy(bytes_text("abc")));
        struct account before = account;
        size_t made = allocations_made();
        content_share(&account, &equal, &content);
        require(content_same(&equal, &content), "%d pieces", pieces);
        require_same(allocations_made(), made, "%d pieces", pieces);
        require_same(account.memory, before.memory, "%d pieces", pieces);
        require_same(account.allocations, before.allocations, "%d pieces", pieces);
        content_append(&account, &equal, bytes_text("x"));
        require(!content_same(&equal, &content), "%d pieces, and more", pieces);
        content_clear(&account, &content);
        content_clear(&account, &equal);
    }
}

/* A chunk that is in several places gets one twin, which is in the same places. */
TEST(a_chunk_in_many_places_has_one_twin) {
    enum { PLACES = 40, DIFFERENT = 7 };
    struct account account = {0}, other = {0};
    struct content content = {0}, twin = {0};
    struct chunk *chunks[DIFFERENT];
    for (int i = 0; i < DIFFERENT; i++) chunks[i] = chunk_with_owner(bytes_text("content"));
    for (int i = 0; i < PLACES; i++) content_add(&account, &content, chunks[i % DIFFERENT]);
    content_twin(&other, &twin, &content);
    require_same(content_chunks(&twin), PLACES, "the places");
    size_t memory = memory_size(twin.rope);
    for (int i = 0; i < PLACES; i++) {
        require(content_chunk(&twin, (size_t)i) == content_chunk(&twin, (size_t)i % DIFFERENT), "place %d",
                i);
        if (i < DIFFERENT) memory += chunk_memory(content_chunk(&twin, (size_t)i));
    }
    require(other.memory > memory && other.memory <= memory + SPANS_BYTES, "%zu bytes for %zu of twins",
            other.memory, memory);
    require_same(other.allocations, 2 * DIFFERENT + 2, "each twin once");
    content_clear(&account, &content);
    require_same(account.memory, 0, "the first is gone");
    content_clear(&other, &twin);
    require_same(other.memory, 0, "both are gone");
}

/* --- Far --- */

/* Lengths are counted, not stored: far more than memory holds. */
TEST(lengths_beyond_32_bits_are_sound) {
    enum { PIECES = 80, PIECE_BYTES = 64 << 20 };
    struct account account = {0};
    struct content content = {0};
    struct chunk *chunk = chunk_resize(&account, chunk_empty(0), PIECE_BYTES);
    chunk_open_gap(chunk, 0, PIECE_BYTES);
    for (int i = 0; i < PIECES; i++) content_add(&account, &content, chunk);
    const char *bytes = chunk_bytes(chunk).data;
    uint64_t total = (uint64_t)PIECES * PIECE_BYTES;
    require(content.length == total, "five gigabytes have another length");
    for (int i = 0; i < PIECES; i++) {
        struct bytes view = content_view(&content, (uint64_t)i * PIECE_BYTES + 5, UINT64_MAX);
        require(view.data == bytes + 5 && view.length == PIECE_BYTES - 5, "piece %d", i);
    }
    require_same(content_view(&content, total - 1, 9).length, 1, "the last byte");
    require_same(content_view(&content, total, 1).length, 0, "behind the last byte");
    require_same(content_view(&content, UINT64_MAX, UINT64_MAX).length, 0, "far behind");
    require_same(account.memory, allocations_bytes(), "one chunk, many times");
    content_clear(&account, &content);
}
