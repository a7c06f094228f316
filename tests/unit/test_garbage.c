/* Garbage: random lives of contents and pages that share their parts, swept at random, end with nothing left; and
 * what is large costs little when it is dropped. */
#include "core/garbage.h"

#include "core/content.h"
#include "core/pages.h"
#include "dice.h"
#include "unit.h"

enum {
    LIVES = 60,
    STEPS = 120,
    SUBJECTS = 4,
    CHUNKS = 3000,
    LEAVES = 700,
    MANY_LEAVES = 4 * LEAVES,
    PORTION_MAX = 200
};

struct subject {
    struct content content;
    struct pages pages;
};

static int waited;

static void note_waiting(void) {
    waited++;
}

/* --- What is large --- */

static void fill_content(struct account *account, struct content *content) {
    for (int i = 0; i < CHUNKS; i++) content_add(account, content, chunk_copy(bytes_of("chunk", 5)));
}

static void fill_pages(struct account *account, struct pages *pages, uint64_t leaves) {
    char page[PAGE_BYTES] = "page";
    pages_resize(account, pages, leaves * LEAF_BYTES);
    for (uint64_t leaf = 0; leaf < leaves; leaf++)
        pages_write(account, pages, leaf * LEAF_BYTES, bytes_of(page, PAGE_BYTES));
}

TEST(large_garbage_is_freed_in_portions) {
    struct account account = {0};
    struct subject subject = {0};
    garbage_pending = note_waiting;
    fill_content(&account, &subject.content);
    fill_pages(&account, &subject.pages, LEAVES);
    size_t parts = account.allocations;
    waited = 0;
    content_clear(&account, &subject.content);
    pages_drop(&account, &subject.pages);
    assert_int_equal(waited, 2);
    require(account.allocations > parts * 2 / 3, "%zu of %zu parts were freed at once",
            parts - account.allocations, parts);
    for (size_t before = account.allocations; garbage_sweep(PORTION_MAX); before = account.allocations)
        require(account.allocations < before && before - account.allocations <= (size_t)20 * PORTION_MAX,
                "a portion of %zu parts", before - account.allocations);
    require_same(account.allocations, 0, "all is freed");
    require_same(account.memory, 0, "all is freed");
    garbage_pending = NULL;
}

/* A part that is cleared, or cut off, is many subtrees. */
TEST(a_large_part_is_freed_by_and_by) {
    struct account account = {0};
    struct pages pages = {0};
    garbage_pending = note_waiting;
    for (int cut = 0; cut < 2; cut++) {
        fill_pages(&account, &pages, MANY_LEAVES);
        size_t parts = account.allocations;
        if (cut)
            pages_resize(&account, &pages, PAGE_BYTES);
        else
            pages_clear(&account, &pages, LEAF_BYTES, (uint64_t)(MANY_LEAVES - 2) * LEAF_BYTES);
        require(account.allocations > parts * 2 / 3, "%zu of %zu parts were freed at once",
                parts - account.allocations, parts);
        while (garbage_sweep(PORTION_MAX)) {
        }
        require(account.allocations < 20, "%zu parts are left", account.allocations);
    }
    pages_drop(&account, &pages);
    require_same(account.allocations, 0, "all is freed");
    garbage_pending = NULL;
}

/* Nobody sweeps what ends with its aggregate. */
TEST(garbage_ends_with_its_aggregate) {
    struct account account = {0}, moved;
    struct content content = {0};
    struct pages pages = {0};
    garbage_pending = note_waiting;
    fill_content(&account, &content);
    content_clear(&account, &content);
    moved = account;
    garbage_follow(&moved);
    fill_pages(&moved, &pages, LEAVES);
    garbage_end(&moved);
    assert_false(garbage_sweep(1));
    pages_drop(&moved, &pages);
    require_same(moved.allocations, 0, "all is freed");
    assert_false(garbage_sweep(1));
    garbage_pending = NULL;
}

TEST(small_garbage_is_freed_at_once) {
    struct account account = {0};
    struct content content = {0};
    garbage_pending = note_waiting;
    waited = 0;
    for (int i = 0; i < 500; i++) content_add(&account, &content, chunk_copy(bytes_of("chunk", 5)));
    content_clear(&account, &content);
    assert_int_equal(waited, 0);
    require_same(account.allocations, 0, "all is freed");
    garbage_pending = NULL;
}

/* --- Lives --- */

static void step(struct account *account, struct subject *subjects, struct dice *dice) {
    struct subject *one = &subjects[dice_roll(dice, SUBJECTS)], *other = &subjects[dice_roll(dice, SUBJECTS)];
    uint64_t from = dice_roll(dice, LEAVES) * LEAF_BYTES, length = dice_roll(dice, LEAVES) * LEAF_BYTES;
    switch (dice_roll(dice, 6)) {
    case 0:
        content_clear(account, &one->content);
        if (one != other) content_share(account, &one->content, &other->content);
        break;
    case 1:
        pages_drop(account, &one->pages);
        if (one != other) pages_share(&one->pages, &other->pages);
        break;
    case 2: content_append(account, &one->content, bytes_of("more", 4)); break;
    case 3:
        if (from + length <= one->pages.length) pages_clear(account, &one->pages, from, length);
        break;
    case 4:
        if (from < one->pages.length)
            pages_write(account, &one->pages, from, bytes_of((char[PAGE_BYTES]){1}, PAGE_BYTES));
        break;
    default: garbage_sweep(dice_roll(dice, PORTION_MAX)); break;
    }
}

TEST(random_sweeps_of_shared_garbage_leave_nothing) {
    garbage_pending = note_waiting;
    for (uint64_t seed = 1; seed <= LIVES; seed++) {
        struct dice dice = {seed};
        struct account account = {0};
        struct subject subjects[SUBJECTS] = {0};
        for (int i = 0; i < SUBJECTS; i += 2) fill_content(&account, &subjects[i].content);
        for (int i = 0; i < SUBJECTS; i += 2) fill_pages(&account, &subjects[i].pages, LEAVES);
        for (int i = 0; i < STEPS; i++) step(&account, subjects, &dice);
        if (dice_percent(&dice, 50)) garbage_end(&account);
        for (int i = 0; i < SUBJECTS; i++) {
            content_clear(&account, &subjects[i].content);
            pages_drop(&account, &subjects[i].pages);
        }
        while (garbage_sweep(1 + dice_roll(&dice, PORTION_MAX))) {
        }
        require(!account.allocations && !account.memory, "seed %d leaves %zu parts", (int)seed,
                account.allocations);
    }
    garbage_pending = NULL;
}
