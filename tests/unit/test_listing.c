/* Listings: pages against a naive listing, with every sort of prefix, delimiter and marker, of blobs, snapshots and
 * names that have only staged blocks. */
#include "blob/listing.h"

#include "core/name.h"
#include "listing_trial.h"
#include "unit.h"

#include <stdlib.h>

FREES(container)

static struct container *container_of_names(const struct bytes *names, size_t count) {
    struct container *container =
        container_new(&(struct container_change){.kind = CONTAINER_CREATE, .stamp = {1, 1}});
    for (size_t i = 0; i < count; i++) listing_put(container, names[i]);
    return container;
}

/* The place where the next page begins. */
static struct bytes next_of(const struct listing *listing) {
    return bytes_of(listing->next, listing->next_length);
}

static struct listing_query query_of(const char *prefix, const char *delimiter) {
    return (struct listing_query){.prefix = bytes_text(prefix),
                                  .delimiter = bytes_text(delimiter),
                                  .marker = bytes_of("", 0),
                                  .max = 1000,
                                  .budget = SIZE_MAX,
                                  .now_ms = LISTING_NOW_MS};
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
        require_bytes(item->name, bytes_text(items[count] + common), "page %zu, item %zu", page, count);
        require_same(item->snapshot, 0, "page %zu, item %zu", page, count);
    }
    require_same(listing->count, count, "page %zu", page);
    require(!listing->more, "page %zu says there is more", page);
}

TEST(prefixes_and_delimiters) {
    struct bytes names[ARRAY_SIZE(shelf)];
    for (size_t i = 0; i < ARRAY_SIZE(shelf); i++) names[i] = bytes_text(shelf[i]);
    struct container *container ENDS_BY(container_release) = container_of_names(names, ARRAY_SIZE(shelf));
    for (size_t page = 0; page < ARRAY_SIZE(pages); page++) {
        struct listing_query query = query_of(pages[page].prefix, pages[page].delimiter);
        struct listing listing;
        listing_collect(container, &query, &listing);
        require_items(&listing, pages[page].items, page);
        listing_free(&listing);
    }
}

/* --- Names of all sorts ---------------------------------------------------------------------------------- */

enum { NAMES = 400, QUERIES = 1500 };

TEST(random_pages_equal_naive_ones) {
    static const char *const delimiters[] = {"", "/", "a", "b", "\xff", "ab", "//", "aa"};
    char prefix[NAME_ROOM], marker[NAME_ROOM];
    struct dice dice = {1};
    struct listing_trial trial;
    listing_trial_start(&trial);
    while (trial.roster.count < NAMES) listing_trial_add(&trial, name_draw(&dice, prefix));
    for (int i = 0; i < QUERIES; i++) {
        struct listing_query query = query_of("", delimiters[dice_roll(&dice, ARRAY_SIZE(delimiters))]);
        if (dice_percent(&dice, 60)) query.prefix = name_draw(&dice, prefix);
        if (query.prefix.length > 2 && dice_percent(&dice, 60)) query.prefix.length = 1 + dice_roll(&dice, 2);
        if (dice_percent(&dice, 50)) query.marker = name_draw(&dice, marker);
        query.max = 1 + dice_roll(&dice, dice_percent(&dice, 50) ? 9 : NAMES * 2);
        query.snapshots = dice_percent(&dice, 50);
        query.uncommitted = dice_percent(&dice, 50);
        listing_trial_compare(&trial, query);
    }
    listing_trial_end(&trial);
}

/* --- Snapshots, and markers that stand among them --- */

static void require_page(const struct container *container, const struct listing_query *query,
                         const char *const *items) {
    struct listing listing;
    size_t count = 0;
    listing_collect(container, query, &listing);
    for (; items[count]; count++) {
        require(count < listing.count, "there are only %zu items", listing.count);
        const char *snapshot = strchr(items[count], '@');
        size_t length = snapshot ? (size_t)(snapshot - items[count]) : strlen(items[count]);
        require_bytes(listing.items[count].name, bytes_of(items[count], length), "item %zu", count);
        require_same(listing.items[count].snapshot, snapshot ? strtoull(snapshot + 1, NULL, 10) : 0,
                     "item %zu, '%s'", count, items[count]);
    }
    require_same(listing.count, count, "items");
    listing_free(&listing);
}

static struct container *container_of_snapshots(void) {
    const struct bytes names[] = {bytes_text("a"), bytes_text("b"), bytes_text("c")};
    struct container *container = container_of_names(names, ARRAY_SIZE(names));
    for (version id = 1; id <= 4; id++) listing_snapshot(container, names[1], id);
    listing_stage(container, bytes_text("bb"), LISTING_NOW_MS);
    return container;
}

TEST(snapshots_stand_before_their_blob) {
    struct container *container ENDS_BY(container_release) = container_of_snapshots();
    struct listing_query query = query_of("", "");
    require_page(container, &query, (const char *const[]){"a", "b", "c", NULL});
    query.uncommitted = true;
    require_page(container, &query, (const char *const[]){"a", "b", "bb", "c", NULL});
    query.snapshots = true;
    require_page(container, &query,
                 (const char *const[]){"a", "b@1", "b@2", "b@3", "b@4", "b", "bb", "c", NULL});
    query.uncommitted = false;
    query.delimiter = bytes_text("b");
    require_page(container, &query, (const char *const[]){"a", "b", "c", NULL});
    query.prefix = bytes_text("b");
    require_page(container, &query, (const char *const[]){"b@1", "b@2", "b@3", "b@4", "b", NULL});
    query.now_ms += STAGED_LIFE_MS;
    query.uncommitted = true;
    require_page(container, &query, (const char *const[]){"b@1", "b@2", "b@3", "b@4", "b", NULL});
}

/* One item at a time, and what it begins with is gone before the next one is asked for. */
TEST(pages_go_on_among_snapshots) {
    static const char *const items[] = {"a", "b@1", "b@2", "b@3", "b@4", "b", "c"};
    struct container *container ENDS_BY(container_release) = container_of_snapshots();
    struct listing_query query = query_of("", "");
    char marker[LISTING_MARKER_MAX_BYTES];
    query.snapshots = true;
    query.max = 1;
    for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
        struct listing listing;
        require_page(container, &query, (const char *const[]){items[i], NULL});
        listing_collect(container, &query, &listing);
        require_same(listing.more, i + 1 < ARRAY_SIZE(items), "after '%s'", items[i]);
        query.marker.length = listing.more ? listing.next_length : 0;
        memcpy(marker, listing.next, query.marker.length);
        query.marker.data = marker;
        listing_free(&listing);
    }
}

/* The marker in the middle of b's snapshots, when they, or b, are not what they were. */
TEST(markers_outlive_what_they_name) {
    struct container *container ENDS_BY(container_release) = container_of_snapshots();
    struct listing_query query = query_of("", "");
    query.snapshots = true;
    query.max = 3;
    struct listing listing;
    listing_collect(container, &query, &listing);
    query.marker = next_of(&listing);
    query.max = 100;
    require_page(container, &query, (const char *const[]){"b@3", "b@4", "b", "c", NULL});
    struct container_change gone = {.kind = BLOB_DELETESNAPSHOTS, .name = bytes_text("b"), .snapshot = 3};
    require(container_apply(container, &gone), "the blob goes");
    require_page(container, &query, (const char *const[]){"b@4", "b", "c", NULL});
    gone.snapshot = 4;
    require(container_apply(container, &gone), "the blob goes");
    require_page(container, &query, (const char *const[]){"b", "c", NULL});
    query.snapshots = false;
    require_page(container, &query, (const char *const[]){"c", NULL});
    query.snapshots = true;
    gone = (struct container_change){.kind = BLOB_DELETE, .name = bytes_text("b")};
    require(container_apply(container, &gone), "the blob goes");
    require_page(container, &query, (const char *const[]){"c", NULL});
    listing_free(&listing);
}

/* A name may look like a marker among the snapshots of another one; its own marker has a tail, too. */
TEST(a_name_may_look_like_a_marker) {
    static const char tricky[] = "b\0"
                                 "0x0000000000000003";
    const struct bytes names[] = {bytes_text("b"), bytes_of(tricky, sizeof(tricky) - 1), bytes_text("c")};
    struct container *container ENDS_BY(container_release) = container_of_names(names, ARRAY_SIZE(names));
    struct listing_query query = query_of("", "");
    char marker[LISTING_MARKER_MAX_BYTES];
    query.max = 1;
    for (int snapshots = 0; snapshots < 2; snapshots++) {
        query.snapshots = snapshots;
        query.marker.length = 0;
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
            struct listing listing;
            listing_collect(container, &query, &listing);
            require_same(listing.count, 1, "page %zu", i);
            require_bytes(listing.items[0].name, names[i], "page %zu", i);
            require_same(listing.more, i + 1 < ARRAY_SIZE(names), "page %zu", i);
            query.marker = bytes_of(marker, listing.more ? listing.next_length : 0);
            memcpy(marker, listing.next, query.marker.length);
            listing_free(&listing);
        }
    }
}

/* The longest name and a snapshot of it make the longest marker. */
TEST(the_longest_marker_fits) {
    static char longest[NAME_MAX_BYTES];
    memset(longest, 'n', sizeof(longest));
    const struct bytes name = bytes_of(longest, sizeof(longest));
    struct container *container ENDS_BY(container_release) = container_of_names(&name, 1);
    struct listing_query query = query_of("", "");
    listing_snapshot(container, name, 1);
    listing_snapshot(container, name, VERSION_MAX);
    query.snapshots = true;
    query.max = 1;
    struct listing listing;
    listing_collect(container, &query, &listing);
    require_same(listing.next_length, LISTING_MARKER_MAX_BYTES, "the marker");
    query.marker = next_of(&listing);
    query.max = 5;
    struct listing rest;
    listing_collect(container, &query, &rest);
    require(rest.count == 2 && rest.items[0].snapshot == VERSION_MAX, "the rest of it");
    listing_free(&rest);
    listing_free(&listing);
}

/* --- Bounds --------------------------------------------------------------------------------------------- */

TEST(a_page_ends_with_its_budget_but_never_empty) {
    struct bytes names[ARRAY_SIZE(shelf)];
    for (size_t i = 0; i < ARRAY_SIZE(shelf); i++) names[i] = bytes_text(shelf[i]);
    struct container *container ENDS_BY(container_release) = container_of_names(names, ARRAY_SIZE(shelf));
    size_t before = 0;
    for (size_t budget = 0; budget < 4000; budget += 200) {
        struct listing_query query = query_of("", "");
        query.budget = budget;
        struct listing listing;
        listing_collect(container, &query, &listing);
        require(listing.count >= 1, "a budget of %zu gives nothing", budget);
        require(listing.count >= before, "a larger budget of %zu gives less", budget);
        require_same(listing.more, listing.count < ARRAY_SIZE(shelf), "a budget of %zu", budget);
        before = listing.count;
        listing_free(&listing);
    }
    require(before > 4, "a budget of 4000 gives %zu", before);
}

/* Names that are not shown cost something, too: a page ends after so many of them, and the next one goes on. */
TEST(a_listing_looks_at_a_bounded_number_of_names) {
    enum { HIDDEN = 50000 };
    struct container *container ENDS_BY(container_release) = container_of_names(NULL, 0);
    char room[NAME_ROOM], marker[LISTING_MARKER_MAX_BYTES];
    for (size_t i = 0; i < HIDDEN; i++) listing_stage(container, name_numbered(i, room), LISTING_NOW_MS);
    listing_put(container, bytes_text("zebra"));
    struct listing_query query = query_of("", "");
    size_t pages_seen = 0, items_seen = 0;
    for (bool more = true; more; pages_seen++) {
        struct listing listing;
        listing_collect(container, &query, &listing);
        more = listing.more;
        items_seen += listing.count;
        query.marker = bytes_of(marker, more ? listing.next_length : 0);
        memcpy(marker, listing.next, query.marker.length);
        listing_free(&listing);
        require(pages_seen < 10, "there is no end");
    }
    require_same(pages_seen, 3, "pages of 20,000 names");
    require_same(items_seen, 1, "the one that is shown");
}

/* A page of one item over many names below one beginning touches few of them, or this would take minutes. */
TEST(names_below_a_common_beginning_are_jumped_over) {
    enum { BELOW = 30000, TIMES = 20000 };
    struct container *container ENDS_BY(container_release) = container_of_names(NULL, 0);
    char room[NAME_ROOM];
    for (size_t i = 0; i < BELOW; i++) listing_put(container, name_numbered(i, room));
    struct listing_query query = query_of("", "/");
    for (int i = 0; i < TIMES; i++) {
        struct listing listing;
        listing_collect(container, &query, &listing);
        require(listing.count == 1 && !listing.more, "there is more than one beginning");
        listing_free(&listing);
    }
}

/* Beginnings that have nothing behind them. */
TEST(the_highest_names_end_a_listing) {
    static char highest[NAME_MAX_BYTES];
    memset(highest, 0xff, sizeof(highest));
    const struct bytes names[] = {bytes_text("a"), bytes_of(highest, 1), bytes_of(highest, 3),
                                  bytes_of(highest, NAME_MAX_BYTES)};
    struct container *container ENDS_BY(container_release) = container_of_names(names, ARRAY_SIZE(names));
    struct listing_query query = query_of("", "\xff");
    struct listing listing;
    listing_collect(container, &query, &listing);
    require_items(&listing, (const char *const[]){"a", "+\xff", NULL}, 0);
    listing_free(&listing);
    query.prefix = bytes_of(highest, NAME_MAX_BYTES - 1);
    listing_collect(container, &query, &listing);
    require_same(listing.count, 1, "one of 1024 bytes");
    require_same(listing.items[0].name.length, NAME_MAX_BYTES, "one of 1024 bytes");
    listing_free(&listing);
    query.prefix = bytes_of(highest, NAME_MAX_BYTES);
    listing_collect(container, &query, &listing);
    require(listing.count == 1 && listing.items[0].blob, "the name itself");
    listing_free(&listing);
}
