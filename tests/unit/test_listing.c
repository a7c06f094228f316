/* Listings: pages against a naive listing of plain names, with every sort of prefix, delimiter and marker. */
#include "blob/listing.h"

#include "core/memory.h"
#include "core/name.h"
#include "dice.h"
#include "roster.h"
#include "unit.h"

#include <stdlib.h>

static struct container *container_of(const struct bytes *names, size_t count) {
    struct container *container = container_new(&(struct change){.kind = CHANGE_CREATE, .stamp = {1, 1}});
    for (size_t i = 0; i < count; i++) {
        const struct change change = {.kind = CHANGE_PUT, .name = names[i], .stamp = {i + 2, 1}};
        require(container_apply(container, container_find(container, names[i]), &change),
                "a blob cannot be put");
    }
    return container;
}

static struct listing_query query_of(const char *prefix, const char *delimiter) {
    return (struct listing_query){
        .prefix = bytes_text(prefix), .delimiter = bytes_text(delimiter), .most = 1000, .budget = SIZE_MAX};
}

/* --- Small cases, written out --------------------------------------------------------------------------- */

static const char *const shelf[] = {"a", "a/",   "a/b", "a/b/c", "a/c",  "a0",
                                    "b", "b//x", "c/d", "c/e",   "\xff", "\xff\xff/x"};

/* Common beginnings are marked by a plus in front. */
static const struct {
    const char *prefix, *delimiter;
    const char *items[13];
} pages[] = {
    {"", "", {"a", "a/", "a/b", "a/b/c", "a/c", "a0", "b", "b//x", "c/d", "c/e", "\xff", "\xff\xff/x"}},
    {"", "/", {"a", "+a/", "a0", "b", "+b/", "+c/", "\xff", "+\xff\xff/"}},
    {"a", "", {"a", "a/", "a/b", "a/b/c", "a/c", "a0"}},
    {"a", "/", {"a", "+a/", "a0"}},
    {"a/", "/", {"a/", "a/b", "+a/b/", "a/c"}},
    {"a/b", "/", {"a/b", "+a/b/"}},
    {"a/b/", "/", {"a/b/c"}},
    {"b/", "/", {"+b//"}},
    {"", "//", {"a", "a/", "a/b", "a/b/c", "a/c", "a0", "b", "+b//", "c/d", "c/e", "\xff", "\xff\xff/x"}},
    {"c", "c", {"c/d", "c/e"}},
    {"", "c", {"a", "a/", "a/b", "+a/b/c", "+a/c", "a0", "b", "b//x", "+c", "\xff", "\xff\xff/x"}},
    {"\xff", "", {"\xff", "\xff\xff/x"}},
    {"\xff", "\xff", {"\xff", "+\xff\xff"}},
    {"", "\xff", {"a", "a/", "a/b", "a/b/c", "a/c", "a0", "b", "b//x", "c/d", "c/e", "+\xff"}},
    {"d", "", {NULL}},
    {"a/b/c/d", "/", {NULL}},
};

static void require_items(const struct listing *listing, const char *const *items, size_t page) {
    size_t count = 0;
    for (; items[count]; count++) {
        require(count < listing->count, "page %zu has only %zu items", page, count);
        const struct listing_item *item = &listing->items[count];
        bool common = items[count][0] == '+';
        require_same(item->blob == NULL, common, "page %zu, item %zu", page, count);
        require_bytes(common ? item->common : blob_name(item->blob), bytes_text(items[count] + common),
                      "page %zu, item %zu", page, count);
    }
    require_same(listing->count, count, "page %zu", page);
    require(!listing->more, "page %zu says there is more", page);
}

static void prefixes_and_delimiters(void **state) {
    (void)state;
    struct bytes names[COUNT_OF(shelf)];
    for (size_t i = 0; i < COUNT_OF(shelf); i++) names[i] = bytes_text(shelf[i]);
    struct container *container = container_of(names, COUNT_OF(shelf));
    for (size_t page = 0; page < COUNT_OF(pages); page++) {
        struct listing_query query = query_of(pages[page].prefix, pages[page].delimiter);
        struct listing listing = listing_collect(container, &query);
        require_items(&listing, pages[page].items, page);
        listing_free(&listing);
    }
    container_free(container);
}

/* --- A naive listing ------------------------------------------------------------------------------------ */

/* The item that a name belongs to: the name up to and with the first delimiter
 * behind the prefix, or all of it. */
static struct bytes item_of(const struct listing_query *query, struct bytes name, bool *common) {
    *common = false;
    size_t length = query->delimiter.length;
    for (size_t at = query->prefix.length; length && at + length <= name.length; at++)
        if (memcmp(name.data + at, query->delimiter.data, length) == 0) {
            *common = true;
            return bytes_of(name.data, at + length);
        }
    return name;
}

/* One page of the listing by going over all names; the place of the next page's first name, or the count. */
static void compare_page(const struct roster *roster, const struct listing_query *query,
                         const struct listing *listing) {
    size_t found = 0;
    struct bytes last = {"", 0};
    bool last_common = false;
    for (size_t i = 0; i < roster->count; i++) {
        struct bytes name = entry_name(roster->entries[i]);
        if (!bytes_start_with(name, query->prefix) || bytes_compare(name, query->marker) < 0) continue;
        bool common;
        struct bytes item = item_of(query, name, &common);
        if (common && last_common && bytes_equal(item, last)) continue;
        if (found == query->most) {
            require(listing->more, "there is no more than %zu items", found);
            require_bytes(listing->next, name, "the next marker");
            require_same(listing->count, found, "a full page");
            return;
        }
        require(found < listing->count, "there are only %zu items", listing->count);
        const struct listing_item *is = &listing->items[found++];
        require_same(is->blob == NULL, common, "item %zu", found);
        require_bytes(is->blob ? blob_name(is->blob) : is->common, item, "item %zu", found);
        last = item;
        last_common = common;
    }
    require_same(listing->count, found, "the last page");
    require(!listing->more, "there is more than all %zu items", found);
}

static void random_pages_equal_naive_ones(void **state) {
    (void)state;
    enum { NAMES = 400, QUERIES = 3000 };
    struct dice dice = {1};
    struct roster roster = {0};
    char room[NAME_ROOM];
    struct bytes names[NAMES];
    size_t count = 0;
    while (count < NAMES) {
        struct bytes name = name_draw(&dice, room);
        if (roster_find(&roster, name)) continue;
        struct entry *entry = entry_new(name, 0);
        roster_add(&roster, entry);
        names[count++] = entry_name(entry);
    }
    struct container *container = container_of(names, count);
    for (int i = 0; i < QUERIES; i++) {
        static const char *const delimiters[] = {"", "/", "a", "b", "\xff", "ab", "//", "aa"};
        char prefix[NAME_ROOM], marker[NAME_ROOM];
        struct listing_query query = query_of("", delimiters[dice_roll(&dice, COUNT_OF(delimiters))]);
        if (dice_percent(&dice, 60)) query.prefix = name_draw(&dice, prefix);
        if (query.prefix.length > 2 && dice_percent(&dice, 60)) query.prefix.length = 1 + dice_roll(&dice, 2);
        if (dice_percent(&dice, 50)) query.marker = name_draw(&dice, marker);
        query.most = 1 + dice_roll(&dice, dice_percent(&dice, 50) ? 5 : NAMES * 2);
        struct listing listing = listing_collect(container, &query);
        compare_page(&roster, &query, &listing);
        listing_free(&listing);
    }
    container_free(container);
    roster_free(&roster);
}

/* From page to page by its marker, every item comes once. */
static void pages_join_without_gap_or_overlap(void **state) {
    (void)state;
    enum { NAMES = 500 };
    struct bytes names[NAMES];
    static char rooms[NAMES][16];
    for (int i = 0; i < NAMES; i++) {
        rooms[i][0] = (char)('a' + i % 7);
        rooms[i][1] = i % 3 ? '/' : '-';
        rooms[i][2] = (char)('a' + i / 26);
        rooms[i][3] = (char)('a' + i % 26);
        names[i] = bytes_of(rooms[i], 4);
    }
    struct container *container = container_of(names, NAMES);
    static const char *const delimiters[] = {"", "/"};
    for (size_t d = 0; d < COUNT_OF(delimiters); d++) {
        struct listing_query query = query_of("", delimiters[d]);
        struct listing whole = listing_collect(container, &query);
        for (query.most = 1; query.most < 40; query.most += 3) {
            size_t seen = 0;
            bool more = true;
            query.marker = bytes_of("", 0);
            while (more) {
                struct listing page = listing_collect(container, &query);
                for (size_t i = 0; i < page.count; i++, seen++) {
                    require(seen < whole.count, "there are more than %zu items", whole.count);
                    require(page.items[i].blob == whole.items[seen].blob, "item %zu is another blob", seen);
                    require_bytes(page.items[i].common, whole.items[seen].common, "item %zu", seen);
                }
                more = page.more;
                query.marker = page.next;
                listing_free(&page);
            }
            require_same(seen, whole.count, "pages of %zu", query.most);
        }
        listing_free(&whole);
    }
    container_free(container);
}

/* --- Bounds --------------------------------------------------------------------------------------------- */

static void a_page_ends_with_its_budget_but_never_empty(void **state) {
    (void)state;
    struct bytes names[COUNT_OF(shelf)];
    for (size_t i = 0; i < COUNT_OF(shelf); i++) names[i] = bytes_text(shelf[i]);
    struct container *container = container_of(names, COUNT_OF(shelf));
    size_t before = 0;
    for (size_t budget = 0; budget < 4000; budget += 200) {
        struct listing_query query = query_of("", "");
        query.budget = budget;
        struct listing listing = listing_collect(container, &query);
        require(listing.count >= 1, "a budget of %zu gives nothing", budget);
        require(listing.count >= before, "a larger budget of %zu gives less", budget);
        require_same(listing.more, listing.count < COUNT_OF(shelf), "a budget of %zu", budget);
        before = listing.count;
        listing_free(&listing);
    }
    require(before > 4, "a budget of 4000 gives %zu", before);
    container_free(container);
}

/* A page of one item over many names below one beginning touches few of them, or this would take minutes. */
static void names_below_a_common_beginning_are_jumped_over(void **state) {
    (void)state;
    enum { NAMES = 30000, QUERIES = 20000 };
    struct container *container = container_of(NULL, 0);
    char room[NAME_ROOM];
    for (size_t i = 0; i < NAMES; i++) {
        const struct change change = {
            .kind = CHANGE_PUT, .name = name_numbered(i, room), .stamp = {i + 2, 1}};
        require(container_apply(container, NULL, &change), "a blob cannot be put");
    }
    struct listing_query query = query_of("", "/");
    for (int i = 0; i < QUERIES; i++) {
        struct listing listing = listing_collect(container, &query);
        require(listing.count == 1 && !listing.more, "there is more than one beginning");
        listing_free(&listing);
    }
    container_free(container);
}

/* Beginnings that have nothing behind them. */
static void the_highest_names_end_a_listing(void **state) {
    (void)state;
    static char highest[NAME_MAX_BYTES];
    memset(highest, 0xff, sizeof(highest));
    const struct bytes names[] = {bytes_text("a"), bytes_of(highest, 1), bytes_of(highest, 3),
                                  bytes_of(highest, NAME_MAX_BYTES)};
    struct container *container = container_of(names, COUNT_OF(names));
    struct listing_query query = query_of("", "\xff");
    struct listing listing = listing_collect(container, &query);
    require_items(&listing, (const char *const[]){"a", "+\xff", NULL}, 0);
    listing_free(&listing);
    query.prefix = bytes_of(highest, NAME_MAX_BYTES - 1);
    listing = listing_collect(container, &query);
    require_same(listing.count, 1, "one of 1024 bytes");
    require_same(listing.items[0].common.length, NAME_MAX_BYTES, "one of 1024 bytes");
    listing_free(&listing);
    query.prefix = bytes_of(highest, NAME_MAX_BYTES);
    listing = listing_collect(container, &query);
    require(listing.count == 1 && listing.items[0].blob, "the name itself");
    listing_free(&listing);
    container_free(container);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        tidy_test(prefixes_and_delimiters),
        tidy_test(random_pages_equal_naive_ones),
        tidy_test(pages_join_without_gap_or_overlap),
        tidy_test(a_page_ends_with_its_budget_but_never_empty),
        tidy_test(names_below_a_common_beginning_are_jumped_over),
        tidy_test(the_highest_names_end_a_listing),
    };
    return cmocka_run_group_tests_name("listing", tests, NULL, NULL);
}
