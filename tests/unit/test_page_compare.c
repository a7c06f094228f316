/* Comparisons of pages: what is told of the differences of two, in which order, and how far it looks. What random pages
 * differ in is compared in test_pages.c. */
#include "core/pages.h"

#include "core/page_compare.h"
#include "dice.h"
#include "unit.h"

enum { TOLD_MAX = 64 };

struct told {
    struct {
        uint64_t page, changed, cleared;
    } list[TOLD_MAX];
    size_t count;
    size_t end_at; /* the visitor says no to this one, counted from 1; 0 for never */
};

static bool tell(void *context, uint64_t page, uint64_t changed, uint64_t cleared) {
    struct told *told = context;
    if (told->count == TOLD_MAX) return false;
    told->list[told->count].page = page;
    told->list[told->count].changed = changed;
    told->list[told->count].cleared = cleared;
    return ++told->count != told->end_at;
}

static const struct page_range everything = {0, PAGES_MAX_BYTES};

static struct told differences(const struct pages *now, const struct pages *then, struct page_range window) {
    struct told told = {.count = 0};
    require(pages_compare(now, then, window, SIZE_MAX, tell, &told), "more differences than expected");
    return told;
}

static void require_told(const struct told *told, size_t at, uint64_t page, uint64_t changed,
                         uint64_t cleared) {
    require(at < told->count, "only %zu differences", told->count);
    require_same(told->list[at].page, page, "difference %zu", at);
    require_same(told->list[at].changed, changed, "difference %zu", at);
    require_same(told->list[at].cleared, cleared, "difference %zu", at);
}

static void write_page(struct account *account, struct pages *pages, uint64_t page, char filler) {
    char bytes[PAGE_BYTES];
    memset(bytes, filler, sizeof(bytes));
    pages_write(account, pages, page * PAGE_BYTES, bytes_of(bytes, sizeof(bytes)));
}

static void clear_page(struct account *account, struct pages *pages, uint64_t page) {
    pages_clear(account, pages, page * PAGE_BYTES, PAGE_BYTES);
}

static struct pages pages_without(struct account *account) {
    struct pages pages = {0};
    pages_resize(account, &pages, PAGES_MAX_BYTES);
    return pages;
}

TEST(equal_pages_do_not_differ) {
    struct account account = {0}, other = {0};
    struct pages pages = pages_without(&account), equal, twin, apart = pages_without(&account);
    require_same(differences(&pages, &apart, everything).count, 0, "nothing and nothing");
    write_page(&account, &pages, 7, 'a');
    write_page(&account, &pages, 7000000, 'b');
    write_page(&account, &apart, 7000000, 'b');
    write_page(&account, &apart, 7, 'a');
    pages_share(&equal, &pages);
    pages_twin(&other, &twin, &pages);
    require_same(differences(&equal, &pages, everything).count, 0, "an equal one");
    require_same(differences(&twin, &pages, everything).count, 0, "a twin");
    require_same(differences(&apart, &pages, everything).count, 0, "the same bytes, written apart");
    pages_drop(&account, &pages);
    pages_drop(&account, &equal);
    pages_drop(&account, &apart);
    pages_drop(&other, &twin);
}

/* One leaf with all that can become of a page. */
TEST(each_page_is_changed_or_cleared_or_neither) {
    struct account account = {0};
    struct pages now = pages_without(&account), then;
    write_page(&account, &now, 0, 'a');
    write_page(&account, &now, 1, 'a');
    write_page(&account, &now, 2, 'a');
    write_page(&account, &now, 63, 'a');
    pages_share(&then, &now);
    write_page(&account, &now, 0, 'a');
    write_page(&account, &now, 1, 'b');
    clear_page(&account, &now, 2);
    write_page(&account, &now, 3, '\0');
    clear_page(&account, &now, 63);
    struct told told = differences(&now, &then, everything);
    require_same(told.count, 1, "one leaf");
    require_told(&told, 0, 0, 1 << 1 | 1 << 3, UINT64_C(1) << 63 | 1 << 2);
    told = differences(&then, &now, everything);
    require_same(told.count, 1, "one leaf");
    require_told(&told, 0, 0, UINT64_C(1) << 63 | 1 << 1 | 1 << 2, 1 << 3);
    pages_drop(&account, &now);
    pages_drop(&account, &then);
}

/* Each difference is told just as far as it lies in the window. */
TEST(windows_cut_what_is_told) {
    enum { FIRST = 4000, PAGES = 200 };
    struct account account = {0};
    struct pages now = pages_without(&account), then = pages_without(&account);
    for (uint64_t page = FIRST; page < FIRST + PAGES; page++)
        write_page(&account, page % 3 ? &now : &then, page, 'a');
    struct dice dice = {51};
    for (int round = 0; round < 3000; round++) {
        uint64_t from = FIRST - 70 + dice_roll(&dice, PAGES + 140), to = from + dice_roll(&dice, PAGES);
        struct page_range window = {from * PAGE_BYTES, (to - from) * PAGE_BYTES};
        struct told told = differences(&now, &then, window);
        size_t at = 0;
        for (uint64_t leaf = from / LEAF_PAGES * LEAF_PAGES; leaf < to; leaf += LEAF_PAGES) {
            uint64_t bits[2] = {0, 0};
            for (uint64_t page = leaf; page < leaf + LEAF_PAGES; page++)
                if (page >= from && page < to && page >= FIRST && page < FIRST + PAGES)
                    bits[page % 3 == 0] |= UINT64_C(1) << page % LEAF_PAGES;
            if (bits[0] | bits[1]) require_told(&told, at++, leaf, bits[0], bits[1]);
        }
        require_same(told.count, at, "from %llu to %llu", (unsigned long long)from, (unsigned long long)to);
    }
    pages_drop(&account, &now);
    pages_drop(&account, &then);
}

/* A page far away puts roots upon the root, below which all is still in common. */
TEST(pages_below_roots_of_different_heights_are_compared) {
    for (unsigned shift = 6; shift <= 33; shift++)
        for (int way = 0; way < 3; way++) {
            struct account account = {0};
            struct pages now = pages_without(&account), then;
            uint64_t near = way ? 5 : 5 << 6, far = (UINT64_C(1) << shift) + 9;
            write_page(&account, &now, near, 'a');
            pages_share(&then, &now);
            write_page(&account, &now, far, 'b');
            if (way == 2) write_page(&account, &now, near, 'c');
            struct told told = differences(&now, &then, everything);
            size_t at = 0;
            if (way == 2) require_told(&told, at++, 0, 1 << 5, 0);
            require_told(&told, at++, far / LEAF_PAGES * LEAF_PAGES, UINT64_C(1) << far % LEAF_PAGES, 0);
            require_same(told.count, at, "shift %u, way %d", shift, way);
            told = differences(&then, &now, everything);
            require_told(&told, at - 1, far / LEAF_PAGES * LEAF_PAGES, 0, UINT64_C(1) << far % LEAF_PAGES);
            require_same(told.count, at, "shift %u, way %d", shift, way);
            pages_drop(&account, &now);
            pages_drop(&account, &then);
        }
}

TEST(compared_with_no_pages_all_are_new_or_gone) {
    static const uint64_t places[] = {0, 64, 4095, 4096, 262144, 16777216, PAGES_MAX_BYTES / PAGE_BYTES - 1};
    struct account account = {0};
    struct pages pages = pages_without(&account), nothing = pages_without(&account);
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) write_page(&account, &pages, places[i], '\0');
    struct told added = differences(&pages, &nothing, everything);
    struct told gone = differences(&nothing, &pages, everything);
    require_same(added.count, ARRAY_SIZE(places), "all are new");
    require_same(gone.count, ARRAY_SIZE(places), "all are gone");
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        uint64_t first = places[i] / LEAF_PAGES * LEAF_PAGES, bit = UINT64_C(1) << (places[i] - first);
        require_told(&added, i, first, bit, 0);
        require_told(&gone, i, first, 0, bit);
    }
    pages_drop(&account, &pages);
}

enum { LEAVES = 3000, REWRITTEN = 20 };

/* Many leaves, of which a few are others than in an equal one. */
static void write_many(struct account *account, struct pages *now, struct pages *then) {
    *now = pages_without(account);
    for (uint64_t i = 0; i < LEAVES; i++) write_page(account, now, i * LEAF_PAGES, 'a');
    pages_share(then, now);
    for (uint64_t i = 0; i < REWRITTEN; i++) write_page(account, now, i * 149 * LEAF_PAGES, 'b');
}

/* What is in common is not looked at, so only the others count; one too few is known. */
TEST(only_what_is_not_in_common_is_compared) {
    struct account account = {0};
    struct pages now, then;
    write_many(&account, &now, &then);
    for (size_t max = 0; max <= REWRITTEN + 1; max++) {
        struct told told = {.count = 0};
        bool whole = pages_compare(&now, &then, everything, max, tell, &told);
        require_same(whole, max >= REWRITTEN, "at most %zu", max);
        require_same(told.count, max < REWRITTEN ? max : REWRITTEN, "at most %zu", max);
    }
    struct told told = {.count = 0};
    struct page_range window = {0, (uint64_t)149 * LEAF_BYTES};
    require(pages_compare(&now, &then, window, 1, tell, &told), "what is outside counts");
    require(pages_compare(&now, &now, everything, 0, tell, &told), "there is nothing to compare");
    pages_drop(&account, &now);
    pages_drop(&account, &then);
}

TEST(the_visitor_may_end_a_comparison) {
    struct account account = {0};
    struct pages now, then;
    write_many(&account, &now, &then);
    for (size_t end_at = 1; end_at <= REWRITTEN + 1; end_at++) {
        struct told told = {.count = 0, .end_at = end_at};
        bool whole = pages_compare(&now, &then, everything, SIZE_MAX, tell, &told);
        require_same(whole, end_at > REWRITTEN, "ended at %zu", end_at);
        require_same(told.count, end_at > REWRITTEN ? REWRITTEN : end_at, "ended at %zu", end_at);
        for (size_t i = 0; i < told.count; i++) require_told(&told, i, i * 149 * LEAF_PAGES, 1, 0);
    }
    pages_drop(&account, &now);
    pages_drop(&account, &then);
}
