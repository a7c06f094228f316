/* Page ranges: what a page blob has and in what it differs from an earlier state, merged and sorted; and where that
 * is too much to be told at once. */
#include "core/page_ranges.h"

#include "dice.h"
#include "unit.h"

enum { PAGES = 700 };

static void put(struct account *account, struct pages *pages, uint64_t page, char fill) {
    char bytes[PAGE_BYTES];
    memset(bytes, fill, sizeof(bytes));
    pages_write(account, pages, page * PAGE_BYTES, bytes_of(bytes, sizeof(bytes)));
}

static const struct page_range everything = {0, (uint64_t)PAGES *PAGE_BYTES};

static void start(struct account *account, struct pages *pages) {
    *pages = (struct pages){0};
    pages_resize(account, pages, everything.length);
}

/* Pairs of a first page and a number of pages, ended by one of no pages. */
static void require_list(const struct range_list *list, const uint64_t (*expected)[2], const char *what) {
    size_t count = 0;
    for (; expected[count][1]; count++) {
        require(count < list->count, "%s: there are only %zu ranges", what, list->count);
        require_same(list->ranges[count].offset, expected[count][0] * PAGE_BYTES, "%s, range %zu", what,
                     count);
        require_same(list->ranges[count].length, expected[count][1] * PAGE_BYTES, "%s, range %zu", what,
                     count);
    }
    require_same(list->count, count, "%s", what);
}

TEST(neighbouring_page_ranges_are_merged) {
    static const uint64_t written[] = {0, 1, 5, 63, 64, 65, 127, 128, 300, 699};
    struct account account = {0};
    struct pages pages;
    start(&account, &pages);
    for (size_t i = ARRAY_SIZE(written); i > 0; i--) put(&account, &pages, written[i - 1], 'x');
    static const struct {
        uint64_t from, count;
        uint64_t expected[8][2];
    } windows[] = {
        {0, PAGES, {{0, 2}, {5, 1}, {63, 3}, {127, 2}, {300, 1}, {699, 1}}},
        {1, 1, {{1, 1}}},
        {1, 5, {{1, 1}, {5, 1}}},
        {64, 64, {{64, 2}, {127, 1}}},
        {2, 3, {{0, 0}}},
        {0, 0, {{0, 0}}},
        {699, 1, {{699, 1}}},
        {301, 398, {{0, 0}}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(windows); i++) {
        struct page_ranges ranges ENDS_BY(page_ranges_end) = {.pages = {NULL, 0, 0}};
        struct page_range window = {windows[i].from * PAGE_BYTES, windows[i].count * PAGE_BYTES};
        require(page_ranges_of(&ranges, &pages, window), "window %zu is too large", i);
        require_list(&ranges.pages, windows[i].expected, "a window");
        require_same(ranges.cleared.count, 0, "window %zu", i);
    }
    pages_drop(&account, &pages);
}

TEST(differing_page_ranges_are_merged) {
    struct account account = {0};
    struct pages now, then = {0};
    start(&account, &now);
    for (uint64_t page = 60; page < 140; page++) put(&account, &now, page, 'a');
    pages_share(&then, &now);
    for (uint64_t page = 62; page < 66; page++) put(&account, &now, page, 'b');
    put(&account, &now, 100, 'a'); /* equal bytes are no change */
    pages_clear(&account, &now, UINT64_C(120) * PAGE_BYTES, UINT64_C(40) * PAGE_BYTES);
    put(&account, &now, 400, 'c');
    struct page_ranges ranges = {.pages = {NULL, 0, 0}};
    require(page_ranges_between(&ranges, &now, &then, everything), "it is too much");
    require_list(&ranges.pages, (const uint64_t[][2]){{62, 4}, {400, 1}, {0, 0}}, "changed");
    require_list(&ranges.cleared, (const uint64_t[][2]){{120, 20}, {0, 0}}, "cleared");
    page_ranges_end(&ranges);
    ranges = (struct page_ranges){.pages = {NULL, 0, 0}};
    const struct page_range window = {UINT64_C(64) * PAGE_BYTES, UINT64_C(60) * PAGE_BYTES};
    require(page_ranges_between(&ranges, &now, &then, window), "it is too much");
    require_list(&ranges.pages, (const uint64_t[][2]){{64, 2}, {0, 0}}, "changed in the window");
    require_list(&ranges.cleared, (const uint64_t[][2]){{120, 4}, {0, 0}}, "cleared in the window");
    page_ranges_end(&ranges);
    pages_drop(&account, &now);
    pages_drop(&account, &then);
}

/* Pages of all sorts, and a value for each of them: 0 for none. */
static void fill(struct account *account, struct pages *pages, char values[PAGES], struct dice *dice) {
    for (int i = 0; i < 60; i++) {
        uint64_t page = dice_roll(dice, PAGES), count = 1 + dice_roll(dice, 70);
        if (count > PAGES - page) count = PAGES - page;
        char value = (char)dice_roll(dice, 3);
        for (uint64_t at = page; at < page + count; at++) {
            values[at] = value;
            if (value) put(account, pages, at, value);
        }
        if (!value) pages_clear(account, pages, page * PAGE_BYTES, count * PAGE_BYTES);
    }
}

/* The ranges of a list as one mark for each page; requires that they are sorted and merged. */
static void mark(const struct range_list *list, bool marks[PAGES]) {
    uint64_t end = 0;
    memset(marks, 0, PAGES * sizeof(*marks));
    for (size_t i = 0; i < list->count; i++) {
        require(list->ranges[i].length, "range %zu is empty", i);
        require(i == 0 || list->ranges[i].offset > end, "range %zu touches the one before", i);
        end = list->ranges[i].offset + list->ranges[i].length;
        for (uint64_t at = list->ranges[i].offset; at < end; at += PAGE_BYTES) marks[at / PAGE_BYTES] = true;
    }
}

TEST(random_differences_equal_naive_ones) {
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct account account = {0};
        struct dice dice = {seed};
        struct pages now, then = {0};
        char values[PAGES] = {0}, before[PAGES];
        bool changed[PAGES], cleared[PAGES], there[PAGES];
        start(&account, &now);
        fill(&account, &now, values, &dice);
        pages_share(&then, &now);
        memcpy(before, values, sizeof(values));
        fill(&account, &now, values, &dice);
        uint64_t from = dice_roll(&dice, PAGES), count = dice_roll(&dice, PAGES - from) + 1;
        const struct page_range window = {from * PAGE_BYTES, count * PAGE_BYTES};
        struct page_ranges ranges = {.pages = {NULL, 0, 0}}, all = {.pages = {NULL, 0, 0}};
        require(page_ranges_between(&ranges, &now, &then, window), "it is too much");
        require(page_ranges_of(&all, &now, window), "it is too much");
        mark(&ranges.pages, changed);
        mark(&ranges.cleared, cleared);
        mark(&all.pages, there);
        for (uint64_t at = 0; at < PAGES; at++) {
            bool inside = at >= from && at < from + count;
            require_same(there[at], inside && values[at], "page %d is there", (int)at);
            require_same(changed[at], inside && values[at] && values[at] != before[at], "page %d is changed",
                         (int)at);
            require_same(cleared[at], inside && before[at] && !values[at], "page %d is cleared", (int)at);
        }
        page_ranges_end(&ranges);
        page_ranges_end(&all);
        pages_drop(&account, &now);
        pages_drop(&account, &then);
    }
}

/* --- Too much to be told --- */

/* Every other page of so many. */
static void sprinkle(struct account *account, struct pages *pages, uint64_t count) {
    *pages = (struct pages){0};
    pages_resize(account, pages, 2 * count * PAGE_BYTES);
    for (uint64_t i = 0; i < count; i++) put(account, pages, 2 * i, 'x');
}

TEST(the_number_of_page_ranges_is_bounded) {
    struct account account = {0};
    struct pages pages;
    sprinkle(&account, &pages, PAGE_RANGES_MAX + 1);
    struct page_ranges ranges = {.pages = {NULL, 0, 0}};
    struct page_range window = {0, pages.length};
    require(!page_ranges_of(&ranges, &pages, window), "50,001 ranges");
    page_ranges_end(&ranges);
    ranges = (struct page_ranges){.pages = {NULL, 0, 0}};
    window.length -= UINT64_C(2) * PAGE_BYTES;
    require(page_ranges_of(&ranges, &pages, window), "50,000 ranges");
    require_same(ranges.pages.count, PAGE_RANGES_MAX, "ranges");
    page_ranges_end(&ranges);
    pages_drop(&account, &pages);
}

/* Each of so many leaves has one page; then it is rewritten in those from `from` on. */
static bool compare_leaves(uint64_t leaves, uint64_t from) {
    struct account account = {0};
    struct pages now = {0}, then = {0};
    pages_resize(&account, &now, leaves * LEAF_BYTES);
    for (uint64_t leaf = 0; leaf < leaves; leaf++) put(&account, &now, leaf * LEAF_PAGES, 'x');
    pages_share(&then, &now);
    for (uint64_t leaf = from; leaf < leaves; leaf++) put(&account, &now, leaf * LEAF_PAGES, 'y');
    struct page_ranges ranges = {.pages = {NULL, 0, 0}};
    bool told = page_ranges_between(&ranges, &now, &then, (struct page_range){0, now.length});
    if (told) require_same(ranges.pages.count, leaves - from, "ranges");
    page_ranges_end(&ranges);
    pages_drop(&account, &now);
    pages_drop(&account, &then);
    return told;
}

TEST(comparing_pages_is_bounded) {
    require(compare_leaves(PAGE_LEAVES_COMPARED_MAX, 0), "4,096 leaves");
    require(!compare_leaves(PAGE_LEAVES_COMPARED_MAX + 1, 0), "4,097 leaves");
    require(compare_leaves(UINT64_C(3) * PAGE_LEAVES_COMPARED_MAX, UINT64_C(2) * PAGE_LEAVES_COMPARED_MAX),
            "what is shared does not count");
}
