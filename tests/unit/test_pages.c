/* Pages: random lives against a value for each page, close together around the borders of leaves and far apart around
 * those of higher nodes; and what they hold against what is allocated. */
#include "core/pages.h"

#include "pages_trial.h"
#include "unit.h"

enum { STEPS = 1000 };

static void live(size_t aggregates, uint64_t seed, bool sparse) {
    static struct pages_trial trial;
    pages_trial_start(&trial, aggregates, sparse);
    trial.dice.state = seed;
    for (int i = 0; i < STEPS; i++) {
        pages_trial_step(&trial, dice_roll(&trial.dice, PAGES_STEP_KINDS));
        pages_trial_compare(&trial);
    }
    pages_trial_end(&trial);
}

TEST(pages_close_together_equal_their_values) {
    live(1, 41, false);
    live(PAGES_AGGREGATES, 42, false);
}

TEST(pages_far_apart_equal_their_values) {
    live(1, 43, true);
    live(PAGES_AGGREGATES, 44, true);
}

/* --- Memory --- */

static void write_page(struct account *account, struct pages *pages, uint64_t page, unsigned char value) {
    pages_write(account, pages, page * PAGE_BYTES, bytes_of(pages_pattern(value), PAGE_BYTES));
}

static void require_page(const struct pages *pages, uint64_t page, unsigned char value) {
    require_bytes(pages_view(pages, page * PAGE_BYTES, PAGE_BYTES),
                  bytes_of(pages_pattern(value), PAGE_BYTES), "page %llu", (unsigned long long)page);
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
            memcpy(bytes + (size_t)i * PAGE_BYTES, pages_pattern((unsigned char)(2 + i)), PAGE_BYTES);
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
