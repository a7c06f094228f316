/* Pages: random lives against a value for each page, close together around the borders of leaves and far apart around
 * those of higher nodes; and what they hold against what is allocated. */
#include "core/page_compare.h"

#include "mover.h"
#include "unit.h"

#include <stdlib.h>

enum {
    AGGREGATES = 2,
    SUBJECTS = 3, /* of each aggregate */
    PLACES = 640, /* pages that a life writes */
    GROUP = 16,   /* neighbours among them, if they are far apart */
    VALUES = 256,
};

/* The numbers of the places, ascending, and the length that they all fit into. */
struct places {
    uint64_t numbers[PLACES];
    uint64_t length;
};

/* Pages, and what each place should have: 0 for nothing, or the value whose pattern was written. */
struct subject {
    struct pages pages;
    unsigned char values[PLACES];
};

struct aggregate {
    struct account account;
    struct subject subjects[SUBJECTS];
};

struct life {
    struct places layout;
    struct dice dice;
    size_t count;
    struct aggregate aggregates[AGGREGATES];
};

/* --- What should be there --- */

/* Zeros can be written, too; a page of them is there all the same. */
static const char *pattern(unsigned char value) {
    static char patterns[VALUES][PAGE_BYTES];
    if (!patterns[2][0])
        for (int i = 2; i < VALUES; i++)
            for (int at = 0; at < PAGE_BYTES; at++) patterns[i][at] = (char)(i + at / VALUES);
    return patterns[value];
}

/* The first place from this page on. */
static size_t place_from(const struct places *layout, uint64_t page) {
    size_t low = 0, high = PLACES;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (layout->numbers[middle] < page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static unsigned char value_at(const struct life *life, const struct subject *subject, uint64_t page) {
    size_t place = place_from(&life->layout, page);
    return place < PLACES && life->layout.numbers[place] == page ? subject->values[place] : 0;
}

/* --- Comparing --- */

static void compare_view(const struct life *life, const struct subject *subject, uint64_t offset,
                         uint64_t length) {
    struct bytes view = pages_view(&subject->pages, offset, length);
    uint64_t page = offset / PAGE_BYTES,
             left = offset < subject->pages.length ? subject->pages.length - offset : 0;
    uint64_t max = left < length ? left : length;
    require(view.data && view.length <= max, "a view at %llu has %zu bytes", (unsigned long long)offset,
            view.length);
    bool there = value_at(life, subject, page);
    uint64_t end = page + 1;
    while (end % LEAF_PAGES && !there == !value_at(life, subject, end)) end++;
    uint64_t alike = end * PAGE_BYTES - offset;
    require(view.length >= (alike < max ? alike : max), "a view at %llu has only %zu bytes",
            (unsigned long long)offset, view.length);
    for (size_t at = 0; at < view.length; page++) {
        size_t within = (offset + at) % PAGE_BYTES, part = PAGE_BYTES - within;
        if (part > view.length - at) part = view.length - at;
        require_bytes(bytes_of(view.data + at, part),
                      bytes_of(pattern(value_at(life, subject, page)) + within, part),
                      "page %llu, seen from %llu", (unsigned long long)page, (unsigned long long)offset);
        at += part;
    }
}

/* All places, and what follows them. */
static void compare_views(const struct life *life, const struct subject *subject) {
    uint64_t offset = 0;
    for (size_t place = 0; place < PLACES;
         place = place_from(&life->layout, (offset + PAGE_BYTES - 1) / PAGE_BYTES)) {
        if (offset < life->layout.numbers[place] * PAGE_BYTES)
            offset = life->layout.numbers[place] * PAGE_BYTES;
        compare_view(life, subject, offset, UINT64_MAX);
        uint64_t length = pages_view(&subject->pages, offset, UINT64_MAX).length;
        offset += length ? length : PAGE_BYTES;
    }
    compare_view(life, subject, subject->pages.length, 1);
}

/* Ranges follow each other in their order, each as long as can be, and none leaves the window. */
static void compare_ranges(const struct life *life, const struct subject *subject, uint64_t from,
                           uint64_t to) {
    uint64_t page = from;
    struct page_range range;
    size_t place = place_from(&life->layout, from);
    for (;;) {
        while (place < PLACES && !subject->values[place]) place++;
        uint64_t first = place < PLACES ? life->layout.numbers[place] : UINT64_MAX;
        bool found = pages_range(&subject->pages, page * PAGE_BYTES, to * PAGE_BYTES, &range);
        require_same(found, first < to, "from %llu to %llu", (unsigned long long)page,
                     (unsigned long long)to);
        if (!found) return;
        uint64_t end = first;
        while (end < to && value_at(life, subject, end)) end++;
        require_same(range.offset, first * PAGE_BYTES, "from %llu", (unsigned long long)page);
        require_same(range.length, (end - first) * PAGE_BYTES, "from %llu to %llu", (unsigned long long)page,
                     (unsigned long long)to);
        page = end;
        place = place_from(&life->layout, end);
    }
}

static uint64_t present_in(const struct life *life, const struct subject *subject, uint64_t index) {
    uint64_t present = 0;
    size_t place = place_from(&life->layout, index * LEAF_PAGES);
    for (; place < PLACES && life->layout.numbers[place] / LEAF_PAGES == index; place++)
        if (subject->values[place]) present |= UINT64_C(1) << life->layout.numbers[place] % LEAF_PAGES;
    return present;
}

static void compare_leaves(const struct life *life, const struct subject *subject) {
    struct page_leaf leaf;
    uint64_t next = 0;
    for (size_t place = 0; place < PLACES;) {
        uint64_t index = life->layout.numbers[place] / LEAF_PAGES, present = present_in(life, subject, index);
        place = place_from(&life->layout, (index + 1) * LEAF_PAGES);
        if (!present) continue;
        require(pages_leaf(&subject->pages, next, &leaf), "no leaf from %llu on", (unsigned long long)next);
        require_same(leaf.index, index, "from %llu on", (unsigned long long)next);
        require(leaf.present == present, "leaf %llu has other pages", (unsigned long long)index);
        require_same(chunk_bytes(leaf.chunk).length, __builtin_popcountll(present) * PAGE_BYTES, "leaf %llu",
                     (unsigned long long)index);
        next = index + 1;
    }
    require(!pages_leaf(&subject->pages, next, &leaf), "a leaf that nobody wrote");
}

static void compare(const struct life *life, const struct subject *subject) {
    compare_views(life, subject);
    compare_ranges(life, subject, 0, life->layout.length / PAGE_BYTES);
    compare_leaves(life, subject);
}

struct difference {
    uint64_t page, changed, cleared;
};

struct differences {
    struct difference list[PLACES];
    size_t count, seen;
};

static void note_difference(struct differences *differences, uint64_t page, unsigned char now,
                            unsigned char then) {
    uint64_t first = page / LEAF_PAGES * LEAF_PAGES, bit = UINT64_C(1) << page % LEAF_PAGES;
    if (now == then) return;
    if (!differences->count || differences->list[differences->count - 1].page != first)
        differences->list[differences->count++] = (struct difference){first, 0, 0};
    *(now ? &differences->list[differences->count - 1].changed
          : &differences->list[differences->count - 1].cleared) |= bit;
}

static bool expect_difference(void *context, uint64_t page, uint64_t changed, uint64_t cleared) {
    struct differences *expected = context;
    if (expected->seen == expected->count) return false;
    const struct difference *next = &expected->list[expected->seen++];
    return next->page == page && next->changed == changed && next->cleared == cleared;
}

static void compare_two(const struct life *life, const struct subject *now, const struct subject *then,
                        uint64_t from, uint64_t to) {
    struct differences expected = {.count = 0};
    size_t place = place_from(&life->layout, from);
    for (; place < PLACES && life->layout.numbers[place] < to; place++)
        note_difference(&expected, life->layout.numbers[place], now->values[place], then->values[place]);
    struct page_range window = {from * PAGE_BYTES, (to - from) * PAGE_BYTES};
    require(pages_compare(&now->pages, &then->pages, window, SIZE_MAX, expect_difference, &expected),
            "difference %zu of %zu is another one", expected.seen, expected.count);
    require_same(expected.seen, expected.count, "differences from %llu to %llu", (unsigned long long)from,
                 (unsigned long long)to);
}

/* --- Random life --- */

/* A page of the length or its end, more often near something that may be written. */
static uint64_t some_page(struct life *life, const struct subject *subject) {
    uint64_t end = subject->pages.length / PAGE_BYTES;
    uint64_t page = life->layout.numbers[dice_roll(&life->dice, PLACES)] + dice_roll(&life->dice, 2);
    if (dice_percent(&life->dice, 5)) page = 0;
    return page < end ? page : end;
}

struct window {
    uint64_t from, to;
};

static struct window some_window(struct life *life, const struct subject *subject) {
    uint64_t from = some_page(life, subject), to = some_page(life, subject);
    uint64_t end = subject->pages.length / PAGE_BYTES;
    if (dice_percent(&life->dice, 60)) to = from + dice_roll(&life->dice, (size_t)2 * LEAF_PAGES);
    if (to > end) to = end;
    return from < to ? (struct window){from, to} : (struct window){to, from};
}

static void forget(const struct life *life, struct subject *subject, struct window window) {
    size_t place = place_from(&life->layout, window.from);
    for (; place < PLACES && life->layout.numbers[place] < window.to; place++) subject->values[place] = 0;
}

static void write_some(struct life *life, struct account *account, struct subject *subject) {
    static char bytes[PLACES * PAGE_BYTES];
    size_t first = dice_roll(&life->dice, PLACES), count = 0;
    size_t max = 1 + dice_roll(&life->dice, dice_percent(&life->dice, 20) ? 3 * LEAF_PAGES : 8);
    uint64_t page = life->layout.numbers[first], end = subject->pages.length / PAGE_BYTES;
    bool zeros = dice_percent(&life->dice, 10);
    for (; count < max && first + count < PLACES && page + count < end; count++) {
        if (life->layout.numbers[first + count] != page + count) break;
        unsigned char value = (unsigned char)(1 + dice_roll(&life->dice, zeros ? 1 : VALUES - 1));
        subject->values[first + count] = value;
        memcpy(bytes + count * PAGE_BYTES, pattern(value), PAGE_BYTES);
    }
    if (count) pages_write(account, &subject->pages, page * PAGE_BYTES, bytes_of(bytes, count * PAGE_BYTES));
}

static void clear_some(struct life *life, struct account *account, struct subject *subject) {
    struct window window = some_window(life, subject);
    pages_clear(account, &subject->pages, window.from * PAGE_BYTES, (window.to - window.from) * PAGE_BYTES);
    forget(life, subject, window);
}

static void resize(struct life *life, struct account *account, struct subject *subject) {
    uint64_t length = life->layout.length;
    if (dice_percent(&life->dice, 30)) length = some_page(life, subject) * PAGE_BYTES;
    pages_resize(account, &subject->pages, length);
    require(subject->pages.length == length, "the length");
    forget(life, subject, (struct window){length / PAGE_BYTES, UINT64_MAX});
}

static void drop(struct account *account, struct subject *subject) {
    pages_drop(account, &subject->pages);
    require(!subject->pages.root && !subject->pages.length, "what is dropped has nothing");
    memset(subject->values, 0, sizeof(subject->values));
}

static void take_over(struct account *account, struct subject *to, const struct subject *from, bool twin) {
    if (to == from) return;
    drop(account, to);
    if (twin)
        pages_twin(account, &to->pages, &from->pages);
    else
        pages_share(&to->pages, &from->pages);
    require_same(pages_same(&to->pages, &from->pages), !twin || !from->pages.root, "by what they share");
    memcpy(to->values, from->values, sizeof(to->values));
}

/* As when a file is read: the same leaves, with chunks of their own. */
static void rebuild(struct account *account, struct subject *subject) {
    struct pages built = {0};
    struct page_leaf leaf;
    pages_resize(account, &built, subject->pages.length);
    for (uint64_t i = 0; pages_leaf(&subject->pages, i, &leaf); i = leaf.index + 1) {
        leaf.chunk = chunk_copy(chunk_bytes(leaf.chunk));
        require(pages_leaf_fits(&built, &leaf), "leaf %llu", (unsigned long long)leaf.index);
        pages_add_leaf(account, &built, &leaf);
    }
    pages_drop(account, &subject->pages);
    subject->pages = built;
}

static void step(struct life *life) {
    struct relocation relocation = mover(&life->dice);
    struct aggregate *aggregate = &life->aggregates[dice_roll(&life->dice, life->count)];
    struct aggregate *other = &life->aggregates[dice_roll(&life->dice, life->count)];
    struct account *account = &aggregate->account;
    struct subject *subject = &aggregate->subjects[dice_roll(&life->dice, SUBJECTS)],
                   *second = &other->subjects[dice_roll(&life->dice, SUBJECTS)];
    struct window window = some_window(life, subject);
    switch (dice_roll(&life->dice, 20)) {
    case 0: dice_percent(&life->dice, 30) ? drop(account, subject) : resize(life, account, subject); break;
    case 1: rebuild(account, subject); break;
    case 2: take_over(account, subject, second, aggregate != other); break;
    case 3: take_over(account, subject, &aggregate->subjects[dice_roll(&life->dice, SUBJECTS)], false); break;
    case 4: pages_relocate(&subject->pages, &relocation); break;
    case 5: compare_ranges(life, subject, window.from, window.to); break;
    case 6: compare_two(life, subject, second, window.from, window.to); break;
    default:
        dice_percent(&life->dice, 35) ? clear_some(life, account, subject)
                                      : write_some(life, account, subject);
    }
    compare_view(life, subject, some_page(life, subject) * PAGE_BYTES + dice_roll(&life->dice, PAGE_BYTES),
                 dice_roll(&life->dice, LEAF_BYTES));
    compare_two(life, subject, second, 0, life->layout.length / PAGE_BYTES);
}

static void end(struct life *life) {
    for (size_t which = 0; which < life->count; which++) {
        struct aggregate *aggregate = &life->aggregates[which];
        for (int at = 0; at < SUBJECTS; at++) drop(&aggregate->account, &aggregate->subjects[at]);
        require_same(aggregate->account.memory, 0, "all is dropped");
        require_same(aggregate->account.allocations, 0, "all is dropped");
    }
    require_same(allocations_count(), 0, "all is dropped");
    free(life);
}

/* With one aggregate, which has no memory in common with anybody, the account is what is allocated. */
static void live(struct life *life, int steps) {
    for (int i = 0; i < steps; i++) {
        step(life);
        for (size_t which = 0; which < life->count; which++)
            for (int at = 0; at < SUBJECTS; at++) compare(life, &life->aggregates[which].subjects[at]);
        const struct account *account = &life->aggregates->account;
        if (life->count > 1) continue;
        require_same(account->memory, allocations_bytes(), "step %d", i);
        size_t counted = account->allocations, made = allocations_count();
        require(counted >= made && counted <= 2 * made, "%zu allocations count as %zu", made, counted);
    }
    end(life);
}

static struct life *life_of(size_t count, uint64_t seed, bool sparse) {
    static const unsigned borders[] = {6, 9, 12, 15, 18, 21, 24, 27, 30, 33};
    struct life *life = calloc(1, sizeof(*life));
    require(life, "there is memory");
    life->count = count;
    life->dice.state = seed;
    uint64_t page = 0;
    for (size_t i = 0; i < PLACES; i++, page++) {
        size_t group = i / GROUP;
        if (sparse && i % GROUP == 0 && group) {
            uint64_t border = UINT64_C(1) << borders[group * ARRAY_SIZE(borders) / (PLACES / GROUP)];
            page = (page > border ? page + border / 4 : border) - GROUP / 2;
        }
        life->layout.numbers[i] = page;
    }
    if (sparse)
        for (size_t i = 0; i < GROUP; i++)
            life->layout.numbers[PLACES - GROUP + i] = PAGES_MAX_BYTES / PAGE_BYTES - GROUP + i;
    life->layout.length = sparse ? (uint64_t)PAGES_MAX_BYTES : (uint64_t)PLACES * PAGE_BYTES;
    return life;
}

enum { STEPS = 1000 };

TEST(pages_close_together_equal_their_values) {
    live(life_of(1, 41, false), STEPS);
    live(life_of(AGGREGATES, 42, false), STEPS);
}

TEST(pages_far_apart_equal_their_values) {
    live(life_of(1, 43, true), STEPS);
    live(life_of(AGGREGATES, 44, true), STEPS);
}

/* --- Memory --- */

static void write_page(struct account *account, struct pages *pages, uint64_t page, unsigned char value) {
    pages_write(account, pages, page * PAGE_BYTES, bytes_of(pattern(value), PAGE_BYTES));
}

static void require_page(const struct pages *pages, uint64_t page, unsigned char value) {
    require_bytes(pages_view(pages, page * PAGE_BYTES, PAGE_BYTES), bytes_of(pattern(value), PAGE_BYTES),
                  "page %llu", (unsigned long long)page);
}

static void require_same_accounts(const struct account *account, const struct account *expected,
                                  const char *when) {
    require_same(account->memory, expected->memory, "%s", when);
    require_same(account->allocations, expected->allocations, "%s", when);
}

TEST(pages_without_bytes_take_no_memory) {
    struct account account = {0};
    struct pages pages = {0}, equal = {0};
    struct page_range range;
    struct page_leaf leaf;
    pages_resize(&account, &pages, PAGES_MAX_BYTES);
    require_same(pages_view(&pages, PAGES_MAX_BYTES - 1, UINT64_MAX).length, 1, "the last byte");
    require_same(pages_view(&pages, PAGES_MAX_BYTES, 1).length, 0, "behind the end");
    require(!pages_range(&pages, 0, PAGES_MAX_BYTES, &range), "a range that nobody wrote");
    require(!pages_leaf(&pages, 0, &leaf), "a leaf that nobody wrote");
    pages_clear(&account, &pages, 0, PAGES_MAX_BYTES);
    pages_write(&account, &pages, 0, bytes_of("", 0));
    pages_share(&equal, &pages);
    require(pages_same(&equal, &pages), "both are nothing");
    require_same(account.memory + account.allocations + allocations_count(), 0, "nothing takes no memory");
    pages_drop(&account, &pages);
}

/* Leaves with a page each, so many next to each other. */
static struct pages pages_of_leaves(struct account *account, uint64_t leaves) {
    struct pages pages = {0};
    pages_resize(account, &pages, PAGES_MAX_BYTES);
    for (uint64_t i = 0; i < leaves; i++) write_page(account, &pages, i * LEAF_PAGES + i % LEAF_PAGES, 2);
    return pages;
}

/* An equal one is free; a change of it takes the way to the page that changes, and the second time nothing. */
TEST(an_equal_takes_memory_only_for_what_differs) {
    enum { MANY = 5000, WAYS = 64, WAY_BYTES = 3 * (WAYS + 4) * 8 };
    struct account account = {0};
    struct pages pages = pages_of_leaves(&account, MANY), equal = {0};
    for (uint64_t leaf = 0; leaf < MANY; leaf += 777) {
        struct account before = account;
        size_t made = allocations_made();
        pages_share(&equal, &pages);
        require_same(allocations_made(), made, "an equal");
        require(pages_same(&equal, &pages), "an equal");
        write_page(&account, &equal, leaf * LEAF_PAGES + leaf % LEAF_PAGES, 3);
        require(!pages_same(&equal, &pages), "not equal any more");
        require_same(account.memory, allocations_bytes(), "changed");
        const size_t bytes = account.memory - before.memory, more = account.allocations - before.allocations;
        require(bytes < WAY_BYTES + 2 * PAGE_BYTES, "%zu bytes for a page", bytes);
        require(more <= 6, "%zu allocations for a page", more);
        made = allocations_made();
        write_page(&account, &equal, leaf * LEAF_PAGES + leaf % LEAF_PAGES, 4);
        require_same(allocations_made(), made, "what is its own changes in place");
        require_page(&pages, leaf * LEAF_PAGES + leaf % LEAF_PAGES, 2);
        require_page(&equal, leaf * LEAF_PAGES + leaf % LEAF_PAGES, 4);
        pages_drop(&account, &equal);
        require_same_accounts(&account, &before, "the equal one is gone");
    }
    pages_drop(&account, &pages);
    require_same(account.memory + account.allocations, 0, "all are gone");
}

enum { LEAVES = 300 };

/* Pages that are not there: between those of two leaves, or somewhere behind them all. */
static struct page_range some_gap(struct dice *dice, bool behind) {
    uint64_t max = PAGES_MAX_BYTES / LEAF_BYTES - LEAVES;
    uint64_t leaf = behind ? LEAVES + dice_roll(dice, max - LEAVES) : dice_roll(dice, LEAVES - 1);
    uint64_t from = leaf * LEAF_PAGES + leaf % LEAF_PAGES + 1;
    uint64_t to = (leaf + 1) * LEAF_PAGES + (leaf + 1) % LEAF_PAGES + (behind ? 5 * (size_t)LEAF_PAGES : 0);
    return (struct page_range){from * PAGE_BYTES, dice_roll(dice, to - from + 1) * PAGE_BYTES};
}

/* What comes to what was there goes again, and nothing is left of it: pages, chunks and nodes. */
TEST(cleared_memory_comes_back) {
    static const char bytes[6 * LEAF_BYTES];
    struct dice dice = {45};
    struct account account = {0};
    struct pages pages = pages_of_leaves(&account, LEAVES);
    write_page(&account, &pages, PAGES_MAX_BYTES / PAGE_BYTES - 1, 2);
    for (int round = 0; round < 600; round++) {
        struct account before = account;
        struct page_range gap = some_gap(&dice, round % 2);
        pages_write(&account, &pages, gap.offset, bytes_of(bytes, gap.length));
        require(account.memory >= before.memory + gap.length, "round %d", round);
        uint64_t part = dice_roll(&dice, gap.length / PAGE_BYTES + 1) * PAGE_BYTES;
        pages_clear(&account, &pages, gap.offset + part, gap.length - part);
        require_same(account.memory, allocations_bytes(), "round %d", round);
        pages_clear(&account, &pages, gap.offset, part);
        require_same_accounts(&account, &before, "cleared in two parts");
    }
    pages_clear(&account, &pages, 0, LEAVES * (uint64_t)LEAF_BYTES);
    require_page(&pages, PAGES_MAX_BYTES / PAGE_BYTES - 1, 2);
    pages_clear(&account, &pages, 0, PAGES_MAX_BYTES);
    require_same(account.memory + account.allocations, 0, "all is cleared");
}

TEST(a_twin_outlives_the_first) {
    for (int first = 0; first <= 1; first++) {
        struct account accounts[2] = {{0}};
        struct pages both[2] = {pages_of_leaves(&accounts[0], 100), {0}};
        pages_twin(&accounts[1], &both[1], &both[0]);
        for (int i = 0; i < 2; i++) write_page(&accounts[i], &both[i], 0, (unsigned char)(10 + i));
        pages_drop(&accounts[first], &both[first]);
        require_same(accounts[first].memory + accounts[first].allocations, 0, "one is gone");
        require_page(&both[!first], 0, (unsigned char)(10 + !first));
        for (uint64_t i = 1; i < 100; i++) {
            require_page(&both[!first], i * LEAF_PAGES + i % LEAF_PAGES, 2);
            write_page(&accounts[!first], &both[!first], i * LEAF_PAGES + i % LEAF_PAGES, 3);
        }
        require_same(accounts[!first].memory, allocations_bytes(), "nothing is in common any more");
        pages_drop(&accounts[!first], &both[!first]);
    }
}

/* --- Leaves from outside --- */

static struct chunk *chunk_of_pages(unsigned pages) {
    static const char bytes[LEAF_BYTES + PAGE_BYTES];
    return chunk_copy(bytes_of(bytes, (size_t)pages * PAGE_BYTES));
}

static void require_unfit(const struct pages *pages, uint64_t index, uint64_t present, struct chunk *chunk,
                          const char *why) {
    require(!pages_leaf_fits(pages, &(struct page_leaf){index, present, chunk}), "%s", why);
    chunk_discard(chunk);
}

static void add_fit(struct account *account, struct pages *pages, uint64_t index, uint64_t present,
                    struct chunk *chunk) {
    struct page_leaf leaf = {index, present, chunk}, added;
    require(pages_leaf_fits(pages, &leaf), "leaf %llu", (unsigned long long)index);
    pages_add_leaf(account, pages, &leaf);
    require_same(account->memory, allocations_bytes(), "leaf %llu", (unsigned long long)index);
    require(pages_leaf(pages, index, &added) && added.index == index && added.chunk == chunk &&
                added.present == present,
            "leaf %llu is another one", (unsigned long long)index);
}

TEST(leaves_that_cannot_be_do_not_fit) {
    struct account account = {0};
    struct pages pages = {0};
    uint64_t end = PAGES_MAX_BYTES / LEAF_BYTES;
    require_unfit(&pages, 0, 1, chunk_of_pages(1), "there is no length");
    pages_resize(&account, &pages, LEAF_BYTES + 10 * PAGE_BYTES);
    for (int round = 0; round < 2; round++) {
        require_unfit(&pages, 0, 0, chunk_of_pages(0), "no pages");
        require_unfit(&pages, 0, 7, chunk_of_pages(2), "too few bytes");
        require_unfit(&pages, 0, 7, chunk_of_pages(4), "too many bytes");
        require_unfit(&pages, 0, 1, chunk_copy(bytes_text("x")), "less than a page");
        require_unfit(&pages, 1, 1 << 10, chunk_of_pages(1), "the first page behind the end");
        require_unfit(&pages, 1, UINT64_MAX, chunk_of_pages(LEAF_PAGES), "pages on both sides of the end");
        require_unfit(&pages, 2, 1, chunk_of_pages(1), "a leaf behind the end");
        for (unsigned shift = 1; shift < 64; shift++)
            require_unfit(&pages, UINT64_C(1) << shift, 1, chunk_of_pages(1), "an absurd index");
        require_unfit(&pages, UINT64_MAX, UINT64_MAX, chunk_of_pages(LEAF_PAGES), "the last index of all");
        if (!round) add_fit(&account, &pages, 1, 1 << 9, chunk_of_pages(1));
        require_unfit(&pages, 1, 1, chunk_of_pages(1), "a leaf that is there already");
    }
    pages_resize(&account, &pages, PAGES_MAX_BYTES);
    require_unfit(&pages, end, 1, chunk_of_pages(1), "behind all that can be");
    for (unsigned shift = 58; shift < 64; shift++)
        require_unfit(&pages, UINT64_C(1) << shift, 1, chunk_of_pages(1), "an index that wraps");
    add_fit(&account, &pages, end - 1, UINT64_MAX, chunk_of_pages(LEAF_PAGES));
    pages_drop(&account, &pages);
}

/* Bytes that came with an owner are read where they are, and copied when they change. */
TEST(pages_shared_with_an_argument_are_copied_to_change) {
    const uint64_t first = 5 * (uint64_t)LEAF_PAGES;
    for (int way = 0; way < 2; way++) {
        struct account account = {0};
        struct pages pages = {0};
        char bytes[3 * PAGE_BYTES];
        for (unsigned char i = 0; i < 3; i++)
            memcpy(bytes + (size_t)i * PAGE_BYTES, pattern((unsigned char)(2 + i)), PAGE_BYTES);
        void *owner = owner_new(bytes_of(bytes, sizeof(bytes)));
        pages_resize(&account, &pages, (first + LEAF_PAGES) * PAGE_BYTES);
        add_fit(&account, &pages, 5, 0x29, chunk_adopt(owner, owner_bytes(owner), owner_memory(owner)));
        require(pages_view(&pages, first * PAGE_BYTES, 1).data == owner_bytes(owner).data,
                "the bytes were copied");
        if (way)
            write_page(&account, &pages, first + 3, 9);
        else
            pages_clear(&account, &pages, (first + 3) * PAGE_BYTES, PAGE_BYTES);
        require_same(account.memory, allocations_bytes(), "the owner is gone");
        require_page(&pages, first, 2);
        require_page(&pages, first + 3, way ? 9 : 0);
        require_page(&pages, first + 5, 4);
        pages_drop(&account, &pages);
    }
}
