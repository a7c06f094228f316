#include "pages_trial.h"

#include "ccan/array_size/array_size.h"
#include "core/page_compare.h"
#include "mover.h"
#include "unit.h"

enum {
    GROUP = 16, /* neighbours among the places, if they are far apart */
    VALUES = 256,
};

/* --- What should be there --- */

/* Zeros can be written, too; a page of them is there all the same. */
const char *pages_pattern(unsigned char value) {
    static char patterns[VALUES][PAGE_BYTES];
    if (!patterns[2][0])
        for (int i = 2; i < VALUES; i++)
            for (int at = 0; at < PAGE_BYTES; at++) patterns[i][at] = (char)(i + at / VALUES);
    return patterns[value];
}

/* The first place from this page on. */
static size_t place_from(const struct pages_layout *layout, uint64_t page) {
    size_t low = 0, high = PAGES_PLACES;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (layout->numbers[middle] < page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static unsigned char value_at(const struct pages_trial *trial, const struct pages_subject *subject,
                              uint64_t page) {
    size_t place = place_from(&trial->layout, page);
    return place < PAGES_PLACES && trial->layout.numbers[place] == page ? subject->values[place] : 0;
}

/* --- Comparing --- */

/* The end of the run of pages in one leaf that are all there, or all not. */
static uint64_t alike_until(const struct pages_trial *trial, const struct pages_subject *subject,
                            uint64_t page) {
    bool there = value_at(trial, subject, page);
    uint64_t end = page + 1;
    for (size_t place = place_from(&trial->layout, end); end % LEAF_PAGES; end++) {
        bool known = place < PAGES_PLACES && trial->layout.numbers[place] == end;
        if (there != (known && subject->values[place])) break;
        place += known;
    }
    return end;
}

static void compare_view(const struct pages_trial *trial, const struct pages_subject *subject,
                         uint64_t offset, uint64_t length) {
    struct bytes view = pages_view(&subject->pages, offset, length);
    uint64_t page = offset / PAGE_BYTES,
             left = offset < subject->pages.length ? subject->pages.length - offset : 0;
    uint64_t max = left < length ? left : length;
    require(view.data && view.length <= max, "a view at %llu has %zu bytes", (unsigned long long)offset,
            view.length);
    uint64_t alike = alike_until(trial, subject, page) * PAGE_BYTES - offset;
    require(view.length >= (alike < max ? alike : max), "a view at %llu has only %zu bytes",
            (unsigned long long)offset, view.length);
    for (size_t at = 0; at < view.length; page++) {
        size_t within = (offset + at) % PAGE_BYTES, part = PAGE_BYTES - within;
        if (part > view.length - at) part = view.length - at;
        require_bytes(bytes_of(view.data + at, part),
                      bytes_of(pages_pattern(value_at(trial, subject, page)) + within, part),
                      "page %llu, seen from %llu", (unsigned long long)page, (unsigned long long)offset);
        at += part;
    }
}

/* All places, and what follows them. */
static void compare_views(const struct pages_trial *trial, const struct pages_subject *subject) {
    uint64_t offset = 0;
    for (size_t place = 0; place < PAGES_PLACES && offset < subject->pages.length;
         place = place_from(&trial->layout, (offset + PAGE_BYTES - 1) / PAGE_BYTES)) {
        if (offset < trial->layout.numbers[place] * PAGE_BYTES)
            offset = trial->layout.numbers[place] * PAGE_BYTES;
        compare_view(trial, subject, offset, UINT64_MAX);
        uint64_t length = pages_view(&subject->pages, offset, UINT64_MAX).length;
        offset += length ? length : PAGE_BYTES;
    }
    compare_view(trial, subject, subject->pages.length, 1);
}

/* Ranges follow each other in their order, each as long as can be, and none leaves the window. */
static void compare_ranges(const struct pages_trial *trial, const struct pages_subject *subject,
                           uint64_t from, uint64_t to) {
    uint64_t page = from;
    struct page_range range;
    size_t place = place_from(&trial->layout, from);
    for (;;) {
        while (place < PAGES_PLACES && !subject->values[place]) place++;
        uint64_t first = place < PAGES_PLACES ? trial->layout.numbers[place] : UINT64_MAX;
        bool found = pages_range(&subject->pages, page * PAGE_BYTES, to * PAGE_BYTES, &range);
        require_same(found, first < to, "from %llu to %llu", (unsigned long long)page,
                     (unsigned long long)to);
        if (!found) return;
        uint64_t end = first;
        while (end < to && value_at(trial, subject, end)) end++;
        require_same(range.offset, first * PAGE_BYTES, "from %llu", (unsigned long long)page);
        require_same(range.length, (end - first) * PAGE_BYTES, "from %llu to %llu", (unsigned long long)page,
                     (unsigned long long)to);
        page = end;
        place = place_from(&trial->layout, end);
    }
}

static uint64_t present_in(const struct pages_trial *trial, const struct pages_subject *subject,
                           uint64_t index) {
    uint64_t present = 0;
    size_t place = place_from(&trial->layout, index * LEAF_PAGES);
    for (; place < PAGES_PLACES && trial->layout.numbers[place] / LEAF_PAGES == index; place++)
        if (subject->values[place]) present |= UINT64_C(1) << trial->layout.numbers[place] % LEAF_PAGES;
    return present;
}

static void compare_leaves(const struct pages_trial *trial, const struct pages_subject *subject) {
    struct page_leaf leaf;
    uint64_t next = 0;
    for (size_t place = 0; place < PAGES_PLACES;) {
        uint64_t index = trial->layout.numbers[place] / LEAF_PAGES,
                 present = present_in(trial, subject, index);
        place = place_from(&trial->layout, (index + 1) * LEAF_PAGES);
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

static void compare_subject(const struct pages_trial *trial, const struct pages_subject *subject) {
    compare_views(trial, subject);
    compare_ranges(trial, subject, 0, trial->layout.length / PAGE_BYTES);
    compare_leaves(trial, subject);
}

struct difference {
    uint64_t page, changed, cleared;
};

struct differences {
    struct difference list[PAGES_PLACES];
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

static void compare_two(const struct pages_trial *trial, const struct pages_subject *now,
                        const struct pages_subject *then, uint64_t from, uint64_t to) {
    struct differences expected = {.count = 0};
    size_t place = place_from(&trial->layout, from);
    for (; place < PAGES_PLACES && trial->layout.numbers[place] < to; place++)
        note_difference(&expected, trial->layout.numbers[place], now->values[place], then->values[place]);
    struct page_range window = {from * PAGE_BYTES, (to - from) * PAGE_BYTES};
    require(pages_compare(&now->pages, &then->pages, window, SIZE_MAX, expect_difference, &expected),
            "difference %zu of %zu is another one", expected.seen, expected.count);
    require_same(expected.seen, expected.count, "differences from %llu to %llu", (unsigned long long)from,
                 (unsigned long long)to);
}

/* --- Random life --- */

/* A page of the length or its end, more often near something that may be written. */
static uint64_t some_page(struct pages_trial *trial, const struct pages_subject *subject) {
    uint64_t end = subject->pages.length / PAGE_BYTES;
    uint64_t page = trial->layout.numbers[dice_roll(&trial->dice, PAGES_PLACES)] + dice_roll(&trial->dice, 2);
    if (dice_percent(&trial->dice, 5)) page = 0;
    return page < end ? page : end;
}

struct window {
    uint64_t from, to;
};

static struct window some_window(struct pages_trial *trial, const struct pages_subject *subject) {
    uint64_t from = some_page(trial, subject), to = some_page(trial, subject);
    uint64_t end = subject->pages.length / PAGE_BYTES;
    if (dice_percent(&trial->dice, 60)) to = from + dice_roll(&trial->dice, (size_t)2 * LEAF_PAGES);
    if (to > end) to = end;
    return from < to ? (struct window){from, to} : (struct window){to, from};
}

static void forget(const struct pages_trial *trial, struct pages_subject *subject, struct window window) {
    size_t place = place_from(&trial->layout, window.from);
    for (; place < PAGES_PLACES && trial->layout.numbers[place] < window.to; place++)
        subject->values[place] = 0;
}

static void write_some(struct pages_trial *trial, struct account *account, struct pages_subject *subject) {
    static char bytes[PAGES_PLACES * PAGE_BYTES];
    size_t first = dice_roll(&trial->dice, PAGES_PLACES), count = 0;
    size_t max = 1 + dice_roll(&trial->dice, dice_percent(&trial->dice, 20) ? 3 * LEAF_PAGES : 8);
    uint64_t page = trial->layout.numbers[first], end = subject->pages.length / PAGE_BYTES;
    bool zeros = dice_percent(&trial->dice, 10);
    for (; count < max && first + count < PAGES_PLACES && page + count < end; count++) {
        if (trial->layout.numbers[first + count] != page + count) break;
        unsigned char value = (unsigned char)(1 + dice_roll(&trial->dice, zeros ? 1 : VALUES - 1));
        subject->values[first + count] = value;
        memcpy(bytes + count * PAGE_BYTES, pages_pattern(value), PAGE_BYTES);
    }
    if (count) pages_write(account, &subject->pages, page * PAGE_BYTES, bytes_of(bytes, count * PAGE_BYTES));
}

static void clear_some(struct pages_trial *trial, struct account *account, struct pages_subject *subject) {
    struct window window = some_window(trial, subject);
    pages_clear(account, &subject->pages, window.from * PAGE_BYTES, (window.to - window.from) * PAGE_BYTES);
    forget(trial, subject, window);
}

static void resize(struct pages_trial *trial, struct account *account, struct pages_subject *subject) {
    uint64_t length = trial->layout.length;
    if (dice_percent(&trial->dice, 30)) length = some_page(trial, subject) * PAGE_BYTES;
    pages_resize(account, &subject->pages, length);
    require(subject->pages.length == length, "the length");
    forget(trial, subject, (struct window){length / PAGE_BYTES, UINT64_MAX});
}

static void drop(struct account *account, struct pages_subject *subject) {
    pages_drop(account, &subject->pages);
    require(!subject->pages.root && !subject->pages.length, "what is dropped has nothing");
    memset(subject->values, 0, sizeof(subject->values));
}

static void take_over(struct account *account, struct pages_subject *to, const struct pages_subject *from,
                      bool twin) {
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
static void rebuild(struct account *account, struct pages_subject *subject) {
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

/* A leaf from outside, which need not fit: neither among the pages nor by its bytes. */
static void add_leaf(struct pages_trial *trial, struct account *account, struct pages_subject *subject) {
    static char bytes[(LEAF_PAGES + 1) * PAGE_BYTES];
    unsigned char value = (unsigned char)(2 + dice_roll(&trial->dice, VALUES - 2));
    struct page_leaf leaf = {some_page(trial, subject) / LEAF_PAGES, 0, NULL};
    uint64_t mask = dice_word(&trial->dice);
    size_t length = 0;
    bool fits = true;
    if (dice_percent(&trial->dice, 5)) leaf.index = dice_word(&trial->dice) >> dice_roll(&trial->dice, 64);
    for (uint64_t at = 0; at < LEAF_PAGES; at++) {
        uint64_t page = leaf.index * LEAF_PAGES + at;
        size_t place = place_from(&trial->layout, page);
        if (value_at(trial, subject, page)) fits = false;
        if (!(mask >> at & 1) || place == PAGES_PLACES || trial->layout.numbers[place] != page) continue;
        leaf.present |= UINT64_C(1) << at;
        memcpy(bytes + length, pages_pattern(value), PAGE_BYTES);
        length += PAGE_BYTES;
        if (page >= subject->pages.length / PAGE_BYTES) fits = false;
    }
    size_t excess = dice_percent(&trial->dice, 10) ? 1 + dice_roll(&trial->dice, PAGE_BYTES) : 0;
    if (!leaf.present || leaf.index >= PAGES_MAX_BYTES / LEAF_BYTES || excess) fits = false;
    leaf.chunk = chunk_copy(bytes_of(bytes, length + excess));
    require_same(pages_leaf_fits(&subject->pages, &leaf), fits, "leaf %llu", (unsigned long long)leaf.index);
    if (!fits) {
        chunk_discard(leaf.chunk);
        return;
    }
    pages_add_leaf(account, &subject->pages, &leaf);
    for (uint64_t at = 0; at < LEAF_PAGES; at++)
        if (leaf.present >> at & 1)
            subject->values[place_from(&trial->layout, leaf.index * LEAF_PAGES + at)] = value;
}

void pages_trial_step(struct pages_trial *trial, size_t kind) {
    struct relocation relocation = mover(&trial->dice);
    struct pages_aggregate *aggregate = &trial->aggregates[dice_roll(&trial->dice, trial->count)];
    struct pages_aggregate *other = &trial->aggregates[dice_roll(&trial->dice, trial->count)];
    struct account *account = &aggregate->account;
    struct pages_subject *subject = &aggregate->subjects[dice_roll(&trial->dice, PAGES_SUBJECTS)],
                         *second = &other->subjects[dice_roll(&trial->dice, PAGES_SUBJECTS)];
    struct window window = some_window(trial, subject);
    switch (kind % PAGES_STEP_KINDS) {
    case 0: dice_percent(&trial->dice, 30) ? drop(account, subject) : resize(trial, account, subject); break;
    case 1: rebuild(account, subject); break;
    case 2: take_over(account, subject, second, aggregate != other); break;
    case 3:
        take_over(account, subject, &aggregate->subjects[dice_roll(&trial->dice, PAGES_SUBJECTS)], false);
        break;
    case 4: pages_relocate(&subject->pages, &relocation); break;
    case 5: compare_ranges(trial, subject, window.from, window.to); break;
    case 6: compare_two(trial, subject, second, window.from, window.to); break;
    case 7: add_leaf(trial, account, subject); break;
    default:
        dice_percent(&trial->dice, 35) ? clear_some(trial, account, subject)
                                       : write_some(trial, account, subject);
    }
    compare_view(trial, subject, some_page(trial, subject) * PAGE_BYTES + dice_roll(&trial->dice, PAGE_BYTES),
                 dice_roll(&trial->dice, LEAF_BYTES));
    compare_two(trial, subject, second, 0, trial->layout.length / PAGE_BYTES);
}

/* Without memory in common, an account is what is allocated. */
void pages_trial_compare(const struct pages_trial *trial) {
    const struct account *account = &trial->aggregates->account;
    for (size_t which = 0; which < trial->count; which++)
        for (int at = 0; at < PAGES_SUBJECTS; at++)
            compare_subject(trial, &trial->aggregates[which].subjects[at]);
    if (trial->count > 1) {
        size_t memory = account->memory + trial->aggregates[1].account.memory;
        require(memory >= allocations_bytes(), "%zu bytes are on no account", allocations_bytes() - memory);
        return;
    }
    require_same(account->memory, allocations_bytes(), "the account");
    size_t counted = account->allocations, made = allocations_count();
    require(counted >= made && counted <= 2 * made, "%zu allocations count as %zu", made, counted);
}

void pages_trial_end(struct pages_trial *trial) {
    for (size_t which = 0; which < trial->count; which++) {
        struct pages_aggregate *aggregate = &trial->aggregates[which];
        for (int at = 0; at < PAGES_SUBJECTS; at++) drop(&aggregate->account, &aggregate->subjects[at]);
        require_same(aggregate->account.memory, 0, "all is dropped");
        require_same(aggregate->account.allocations, 0, "all is dropped");
    }
    require_same(allocations_count(), 0, "all is dropped");
}

static void spread_places(struct pages_layout *layout) {
    static const unsigned borders[] = {6, 9, 12, 15, 18, 21, 24, 27, 30, 33};
    uint64_t page = 0;
    for (size_t i = 0; i < PAGES_PLACES; i++, page++) {
        size_t group = i / GROUP;
        if (i % GROUP == 0 && group) {
            uint64_t border = UINT64_C(1) << borders[group * ARRAY_SIZE(borders) / (PAGES_PLACES / GROUP)];
            page = (page > border ? page + border / 4 : border) - GROUP / 2;
        }
        layout->numbers[i] = page;
    }
    for (size_t i = 0; i < GROUP; i++)
        layout->numbers[PAGES_PLACES - GROUP + i] = PAGES_MAX_BYTES / PAGE_BYTES - GROUP + i;
    layout->length = PAGES_MAX_BYTES;
}

void pages_trial_start(struct pages_trial *trial, size_t aggregates, bool sparse) {
    *trial = (struct pages_trial){.count = aggregates, .layout.length = (uint64_t)PAGES_PLACES * PAGE_BYTES};
    for (size_t i = 0; i < PAGES_PLACES; i++) trial->layout.numbers[i] = i;
    if (sparse) spread_places(&trial->layout);
}
