/* A life of pages in two aggregates: each eight bytes are a choice of what happens next, and then pages are what a
 * naive model says, a value for each of some places in reach of every height of the trie. */
#include "allocations.h"
#include "core/memory.h"
#include "core/page_compare.h"
#include "core/pages.h"
#include "mover.h"
#include "require.h"

enum {
    STEPS_MAX = 128,
    SUBJECTS = 4, /* the first half of them in one aggregate, the others in another one */
    REGION = 64,
    REGIONS = 6,
    PLACES = REGION * REGIONS,
};

enum { WRITE, CLEAR, RESIZE, SHARE, TWIN, DROP, MOVE, ADD_LEAF, DIFFER, RANGE, KINDS };

struct choice {
    uint8_t kind, subject, other, value;
    uint16_t at, count;
};

struct subject {
    struct pages pages;
    uint8_t values[PLACES]; /* 0 for nothing */
};

struct life {
    struct account accounts[2];
    struct subject subjects[SUBJECTS];
    bool apart; /* nothing has been in common to both */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- Places and values --- */

static const uint64_t regions[REGIONS] = {
    0, REGION, (1 << 12) - 32, (1 << 18) - 32, (1 << 24) - 7, PAGES_MAX_BYTES / PAGE_BYTES - REGION};

static uint64_t page_of(size_t place) {
    return place < PLACES ? regions[place / REGION] + place % REGION : PAGES_MAX_BYTES / PAGE_BYTES;
}

/* The first place from this page on. */
static size_t place_from(uint64_t page) {
    size_t region = 0;
    while (region < REGIONS && page >= regions[region] + REGION) region++;
    if (region == REGIONS || page < regions[region]) return region * REGION;
    return region * REGION + (size_t)(page - regions[region]);
}

static uint8_t value_at(const struct subject *subject, uint64_t page) {
    size_t place = place_from(page);
    return place < PLACES && page_of(place) == page ? subject->values[place] : 0;
}

/* The value 1 stands for zeros that were written. */
static void fill_page(char *page, uint8_t value) {
    memset(page, value > 1 ? value : 0, PAGE_BYTES);
    if (value > 1) memset(page, ~value, PAGE_BYTES / 4);
}

struct window {
    uint64_t from, to; /* pages */
};

static struct window window_of(const struct choice *choice) {
    uint64_t from = page_of(choice->at % (PLACES + 1)),
             to = page_of((choice->at + (size_t)choice->count) % (PLACES + 1));
    return from < to ? (struct window){from, to} : (struct window){to, from};
}

static void forget(struct subject *subject, struct window window) {
    for (size_t place = place_from(window.from); place < PLACES && page_of(place) < window.to; place++)
        subject->values[place] = 0;
}

/* --- What happens --- */

static void write_some(struct account *account, struct subject *subject, const struct choice *choice) {
    static char bytes[PLACES * PAGE_BYTES];
    size_t first = choice->at % PLACES, count = 0;
    uint64_t page = page_of(first), end = subject->pages.length / PAGE_BYTES;
    for (; count <= choice->count % (2 * REGION) && page + count < end; count++) {
        if (page_of(first + count) != page + count) break;
        uint8_t value = (uint8_t)(choice->value + count);
        subject->values[first + count] = value ? value : 1;
        fill_page(bytes + count * PAGE_BYTES, subject->values[first + count]);
    }
    pages_write(account, &subject->pages, page * PAGE_BYTES, bytes_of(bytes, count * PAGE_BYTES));
}

static void clear_some(struct account *account, struct subject *subject, const struct choice *choice) {
    struct window window = window_of(choice);
    uint64_t end = subject->pages.length / PAGE_BYTES;
    if (window.to > end) window.to = end;
    if (window.from > window.to) window.from = window.to;
    pages_clear(account, &subject->pages, window.from * PAGE_BYTES, (window.to - window.from) * PAGE_BYTES);
    forget(subject, window);
}

static void resize(struct account *account, struct subject *subject, uint64_t pages) {
    pages_resize(account, &subject->pages, pages * PAGE_BYTES);
    forget(subject, (struct window){pages, UINT64_MAX});
}

static void drop(struct account *account, struct subject *subject) {
    pages_drop(account, &subject->pages);
    memset(subject->values, 0, sizeof(subject->values));
}

static void take_over(struct life *life, size_t to, size_t from, bool twin) {
    struct account *account = &life->accounts[to >= SUBJECTS / 2];
    bool other = (to >= SUBJECTS / 2) != (from >= SUBJECTS / 2);
    if (to == from) return;
    drop(account, &life->subjects[to]);
    if (twin || other)
        pages_twin(account, &life->subjects[to].pages, &life->subjects[from].pages);
    else
        pages_share(&life->subjects[to].pages, &life->subjects[from].pages);
    if (twin || other) life->apart = false;
    memcpy(life->subjects[to].values, life->subjects[from].values, sizeof(life->subjects[to].values));
}

/* A leaf from outside, which need not fit: its pages follow from the count, and how many
 * bytes come with it from the value. */
static void add_leaf(struct account *account, struct subject *subject, const struct choice *choice) {
    static char bytes[(LEAF_PAGES + 1) * PAGE_BYTES];
    struct page_leaf leaf = {page_of(choice->at % (PLACES + 1)) / LEAF_PAGES, 0, NULL};
    bool fits = true;
    size_t length = 0;
    if (choice->other % 16 == 15) leaf.index = (uint64_t)choice->other << 56 | choice->at;
    for (uint64_t at = 0; at < LEAF_PAGES; at++) {
        uint64_t page = leaf.index * LEAF_PAGES + at;
        size_t place = place_from(page);
        if (value_at(subject, page)) fits = false;
        if (!(choice->count >> at % 16 & 1) || place == PLACES || page_of(place) != page) continue;
        leaf.present |= UINT64_C(1) << at;
        fill_page(bytes + length, choice->value | 2);
        length += PAGE_BYTES;
        if (page >= subject->pages.length / PAGE_BYTES) fits = false;
    }
    if (choice->other % 8 == 7) length += choice->value + 1;
    if (length != (size_t)__builtin_popcountll(leaf.present) * PAGE_BYTES || !leaf.present) fits = false;
    if (leaf.index >= PAGES_MAX_BYTES / LEAF_BYTES) fits = false;
    leaf.chunk = chunk_copy(bytes_of(bytes, length));
    require_same(pages_leaf_fits(&subject->pages, &leaf), fits, "leaf %llu", (unsigned long long)leaf.index);
    if (!fits) {
        chunk_discard(leaf.chunk);
        return;
    }
    pages_add_leaf(account, &subject->pages, &leaf);
    for (uint64_t at = 0; at < LEAF_PAGES; at++)
        if (leaf.present >> at & 1)
            subject->values[place_from(leaf.index * LEAF_PAGES + at)] = choice->value | 2;
}

/* --- Comparing --- */

static void compare_page(const struct subject *subject, uint64_t page) {
    char expected[PAGE_BYTES];
    size_t at = 0;
    if (page >= subject->pages.length / PAGE_BYTES) {
        require_same(pages_view(&subject->pages, page * PAGE_BYTES, 1).length, 0, "behind the end");
        return;
    }
    fill_page(expected, value_at(subject, page));
    while (at < PAGE_BYTES) {
        struct bytes view = pages_view(&subject->pages, page * PAGE_BYTES + at, PAGE_BYTES - at);
        require(view.length && view.length <= PAGE_BYTES - at, "a view of %zu bytes", view.length);
        require_bytes(view, bytes_of(expected + at, view.length), "page %llu", (unsigned long long)page);
        at += view.length;
    }
}

static void compare_ranges(const struct subject *subject, struct window window) {
    struct page_range range;
    uint64_t page = window.from;
    for (;;) {
        size_t place = place_from(page);
        while (place < PLACES && !subject->values[place]) place++;
        uint64_t first = page_of(place), end = first;
        while (end < window.to && value_at(subject, end)) end++;
        bool found = pages_range(&subject->pages, page * PAGE_BYTES, window.to * PAGE_BYTES, &range);
        require_same(found, first < window.to, "a range from %llu", (unsigned long long)page);
        if (!found) return;
        require_same(range.offset, first * PAGE_BYTES, "a range from %llu", (unsigned long long)page);
        require_same(range.length, (end - first) * PAGE_BYTES, "a range from %llu", (unsigned long long)page);
        page = end;
    }
}

/* Two as they should be, and the places before which all differences have been told. */
struct comparison {
    const struct subject *now, *then;
    struct window window;
    size_t place;
};

static bool differs(const struct comparison *comparison, size_t place) {
    return place < PLACES && comparison->now->values[place] != comparison->then->values[place];
}

static bool take_difference(void *context, uint64_t page, uint64_t changed, uint64_t cleared) {
    struct comparison *comparison = context;
    require(changed | cleared, "a difference in nothing");
    for (; comparison->place < PLACES && page_of(comparison->place) < page; comparison->place++)
        require(!differs(comparison, comparison->place), "a difference was not told");
    for (uint64_t at = 0; at < LEAF_PAGES; at++) {
        size_t place = place_from(page + at);
        bool known = place < PLACES && page_of(place) == page + at && page + at >= comparison->window.from &&
                     page + at < comparison->window.to;
        bool other = known && differs(comparison, place), now = other && comparison->now->values[place];
        require_same(changed >> at & 1, now, "page %llu", (unsigned long long)(page + at));
        require_same(cleared >> at & 1, other && !now, "page %llu", (unsigned long long)(page + at));
    }
    comparison->place = place_from(page + LEAF_PAGES);
    return true;
}

static void compare_two(const struct subject *now, const struct subject *then, struct window window) {
    struct comparison comparison = {now, then, window, place_from(window.from)};
    struct page_range range = {window.from * PAGE_BYTES, (window.to - window.from) * PAGE_BYTES};
    require(pages_compare(&now->pages, &then->pages, range, SIZE_MAX, take_difference, &comparison),
            "nobody ended it");
    for (; comparison.place < PLACES && page_of(comparison.place) < window.to; comparison.place++)
        require(!differs(&comparison, comparison.place), "a difference was not told");
}

static void compare_all(const struct life *life) {
    for (size_t i = 0; i < SUBJECTS; i++) {
        for (size_t place = 0; place <= PLACES; place++) compare_page(&life->subjects[i], page_of(place));
        compare_ranges(&life->subjects[i], (struct window){0, page_of(PLACES)});
    }
    size_t memory = life->accounts[0].memory + life->accounts[1].memory;
    require(memory >= allocations_bytes(), "%zu bytes are on no account", allocations_bytes() - memory);
    require(!life->apart || memory == allocations_bytes(), "%zu bytes are held twice",
            memory - allocations_bytes());
}

/* --- A life --- */

static void step(struct life *life, const struct choice *choice) {
    size_t which = choice->subject % SUBJECTS, other = choice->other % SUBJECTS;
    struct account *account = &life->accounts[which >= SUBJECTS / 2];
    struct subject *subject = &life->subjects[which];
    struct dice dice = {choice->value};
    struct relocation relocation = mover(&dice);
    switch (choice->kind % KINDS) {
    case WRITE: write_some(account, subject, choice); break;
    case CLEAR: clear_some(account, subject, choice); break;
    case RESIZE: resize(account, subject, page_of(choice->at % (PLACES + 1))); break;
    case SHARE: take_over(life, which, other, false); break;
    case TWIN: take_over(life, which, other, true); break;
    case DROP: drop(account, subject); break;
    case MOVE: pages_relocate(&subject->pages, &relocation); break;
    case ADD_LEAF: add_leaf(account, subject, choice); break;
    case DIFFER: compare_two(subject, &life->subjects[other], window_of(choice)); break;
    default: compare_ranges(subject, window_of(choice));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct life life;
    struct choice choice;
    allocations_forget();
    life = (struct life){.apart = true};
    for (size_t i = 0; i < SUBJECTS; i++)
        resize(&life.accounts[i >= SUBJECTS / 2], &life.subjects[i], page_of(PLACES));
    for (size_t i = 0; i < size / sizeof(choice) && i < STEPS_MAX; i++) {
        memcpy(&choice, data + i * sizeof(choice), sizeof(choice));
        step(&life, &choice);
        if (i % 16 == 15) compare_all(&life);
    }
    compare_all(&life);
    for (size_t i = 0; i < SUBJECTS; i++) drop(&life.accounts[i >= SUBJECTS / 2], &life.subjects[i]);
    for (size_t i = 0; i < 2; i++)
        require_same(life.accounts[i].memory + life.accounts[i].allocations, 0, "all is dropped");
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
