/* BLOB.LIST: order, prefixes, delimiters, pages, and what is included. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "text.h"
#include "traces.h"

/* What a listing has to answer, in order: names, and with a delimiter also prefixes. */
struct listing {
    size_t count;
    struct entry {
        const char *bytes;
        size_t length;
        bool is_prefix;
    } * entry;
};

static void listing_add(struct listing *listing, const char *bytes, size_t length, bool is_prefix) {
    listing->entry = pool_grow(listing->entry, (listing->count + 1) * sizeof(*listing->entry));
    struct entry *entry = &listing->entry[listing->count++];
    entry->bytes = pool_copy(bytes, length);
    entry->length = length;
    entry->is_prefix = is_prefix;
}

static int entry_compare(const void *one, const void *other) {
    const struct entry *left = one;
    const struct entry *right = other;
    size_t shorter = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->bytes, right->bytes, shorter);
    return order ? order : (left->length > right->length) - (left->length < right->length);
}

static void require_same_entries(const struct listing *real, const struct listing *expected) {
    for (size_t i = 0; i < real->count && i < expected->count; i++) {
        const struct entry *got = &real->entry[i];
        const struct entry *wanted = &expected->entry[i];
        require(!entry_compare(got, wanted) && got->is_prefix == wanted->is_prefix, "item %zu is %s, not %s",
                i, text_quoted(got->bytes, got->length), text_quoted(wanted->bytes, wanted->length));
    }
    require(real->count == expected->count, "%zu items instead of %zu", real->count, expected->count);
}

/* Adds the items of one page, and answers the marker or NULL. */
static redisReply *listing_add_page(struct listing *listing, redisReply *page, size_t items_max) {
    redisReply *items = expect_elements(page, 2)->element[1];
    require(reply_is_aggregate(items) && items->elements <= items_max, "a page of %s", reply_text(page));
    for (size_t i = 0; i < items->elements; i++) {
        redisReply *prefix = reply_field_if_any(items->element[i], "prefix");
        redisReply *name = prefix ? prefix : field(items->element[i], "name");
        listing_add(listing, name->str, name->len, prefix != NULL);
    }
    redisReply *marker = page->element[0];
    if (reply_is_null(marker)) return NULL;
    struct entry next = {marker->str, marker->len, false};
    require(items->elements && entry_compare(&listing->entry[listing->count - 1], &next) < 0,
            "the marker %s does not lead on", reply_text(marker));
    return marker;
}

/* Follows the markers from the first page to the last. `options` is what comes behind the container's name.
 */
static struct listing listed(const char *options, size_t page_size) {
    struct listing listing = {0};
    struct words words = words_of_line("BLOB.LIST box");
    words_add_line(&words, options);
    if (page_size) {
        words_add(&words, "COUNT");
        words_add_number(&words, (long long)page_size);
    }
    size_t items_max = page_size ? page_size : 1000;
    redisReply *marker = listing_add_page(&listing, call_words(primary, &words), items_max);
    while (marker) {
        struct words next = words_copy(&words);
        words_add(&next, "MARKER");
        words_add_bytes(&next, marker->str, marker->len);
        marker = listing_add_page(&listing, call_words(primary, &next), items_max);
    }
    return listing;
}

static void put_all(const char *const *names) {
    for (; *names; names++) put("box", *names, "x");
}

/* A NULL-terminated list of names; those that end in `delimiter` are prefixes. */
static void expect_listing(const char *options, size_t page_size, const char *delimiter,
                           const char *const *names) {
    struct listing real = listed(options, page_size);
    struct listing expected = {0};
    for (; *names; names++) {
        size_t length = strlen(*names);
        bool is_prefix = *delimiter && length && (*names)[length - 1] == *delimiter;
        listing_add(&expected, *names, length, is_prefix);
    }
    require_same_entries(&real, &expected);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

BEFORE_EACH {
    create("box");
}

TEST(an_empty_container_lists_nothing) {
    expect_shape(call(primary, "BLOB.LIST box"), "[null, []]");
    expect_shape(call(primary, "BLOB.LIST box PREFIX a DELIMITER / COUNT 1"), "[null, []]");
}

TEST(items_tell_what_stat_tells) {
    put("box", "cat", "meow");
    expect_etag(call(primary, "BLOB.PUT box dog woof META 1 a b PROPS 1 content-language en"));
    expect_shape(
        call(primary, "BLOB.LIST box"),
        "[null, [[\"name\", \"cat\", \"blob-type\", \"block\", \"etag\", <etag>, \"last-modified\", <ms>, "
        "\"created\", <ms>, \"content-length\", 4, \"content-type\", \"application/octet-stream\", "
        "\"lease-state\", \"available\", \"lease-status\", \"unlocked\"], "
        "[\"name\", \"dog\", \"blob-type\", \"block\", \"etag\", <etag>, \"last-modified\", <ms>, "
        "\"created\", <ms>, \"content-length\", 4, \"content-type\", \"application/octet-stream\", "
        "\"content-language\", \"en\", \"lease-state\", \"available\", \"lease-status\", \"unlocked\"]]]");
    redisReply *item = call(primary, "BLOB.LIST box PREFIX dog INCLUDE 1 META")->element[1]->element[0];
    expect_shape(field(item, "meta"), "[\"a\", \"b\"]");
    redisReply *stat = stat_of("box", "dog");
    assert_true(reply_same(field(item, "etag"), field(stat, "etag")));
    assert_true(reply_same(field(item, "last-modified"), field(stat, "last-modified")));
    item = call(primary, "BLOB.LIST box PREFIX cat INCLUDE 1 meta")->element[1]->element[0];
    expect_elements(field(item, "meta"), 0);
}

TEST(names_come_in_byte_order) {
    put_all(NAMES("b", "a", "B", "aa", "a!", "\xc3\xa9", "~", "Z", "0", "10", "9", " ", "\x01", "\xff"));
    expect_listing(
        "", 0, "",
        NAMES("\x01", " ", "0", "10", "9", "B", "Z", "a", "a!", "aa", "b", "~", "\xc3\xa9", "\xff"));
}

TEST(names_with_zeros_and_line_ends_are_whole) {
    static const struct entry names[] = {
        {"\0", 1, false},  {"\0\0", 2, false}, {"a", 1, false},
        {"a\0", 2, false}, {"a\0b", 3, false}, {"a\r\nb", 4, false},
    };
    enum { NAMES_COUNT = ARRAY_SIZE(names) };
    struct listing expected = {0};
    for (size_t i = 0; i < NAMES_COUNT; i++) {
        const struct entry *name = &names[(i * 5 + 2) % NAMES_COUNT];
        expect_etag(call(primary, "BLOB.PUT box %b x", name->bytes, name->length));
        listing_add(&expected, names[i].bytes, names[i].length, false);
    }
    for (size_t page_size = 0; page_size <= NAMES_COUNT; page_size++) {
        struct listing real = listed("", page_size);
        require_same_entries(&real, &expected);
    }
}

TEST(a_prefix_selects) {
    put_all(NAMES("a", "ab", "abc", "abd", "ac", "b", "\xff", "\xff\xff", "\377\377a"));
    expect_listing("PREFIX ab", 0, "", NAMES("ab", "abc", "abd"));
    expect_listing("PREFIX ab", 1, "", NAMES("ab", "abc", "abd"));
    expect_listing("PREFIX abcd", 0, "", (const char *const[]){NULL});
    expect_listing("PREFIX \xff", 1, "", NAMES("\xff", "\xff\xff", "\377\377a"));
    expect_listing("PREFIX ''", 0, "",
                   NAMES("a", "ab", "abc", "abd", "ac", "b", "\xff", "\xff\xff", "\377\377a"));
}

TEST(a_delimiter_folds) {
    put_all(NAMES("a", "a/", "a/1", "a/2/x", "a/2/y", "a0", "b/1", "b/1/2", "c", "/", "/x", "d//e"));
    expect_listing("DELIMITER /", 0, "/", NAMES("/", "a", "a/", "a0", "b/", "c", "d/"));
    expect_listing("DELIMITER /", 1, "/", NAMES("/", "a", "a/", "a0", "b/", "c", "d/"));
    expect_listing("DELIMITER / PREFIX a", 2, "/", NAMES("a", "a/", "a0"));
    expect_listing("PREFIX d/ DELIMITER /", 0, "/", NAMES("d//"));
    struct listing inside = listed("PREFIX a/ DELIMITER /", 1);
    struct listing expected = {0};
    listing_add(&expected, "a/", 2, false); /* the blob of that very name */
    listing_add(&expected, "a/1", 3, false);
    listing_add(&expected, "a/2/", 4, true);
    require_same_entries(&inside, &expected);
}

TEST(a_delimiter_may_be_long) {
    put_all(NAMES("a--1", "a--2", "a-3", "b--", "c"));
    struct listing real = listed("DELIMITER --", 1);
    struct listing expected = {0};
    listing_add(&expected, "a--", 3, true);
    listing_add(&expected, "a-3", 3, false);
    listing_add(&expected, "b--", 3, true);
    listing_add(&expected, "c", 1, false);
    require_same_entries(&real, &expected);
}

/* What comes behind all names of a group is not found by counting up its last byte when that is the highest one. */
TEST(a_group_may_end_in_the_highest_bytes) {
    put_all(NAMES("a\xff", "a\3771", "a\3772", "a\xff\xff", "b", "\xff", "\xff\xff", "\377\3771"));
    struct listing expected = {0};
    listing_add(&expected, "a\xff", 2, true);
    listing_add(&expected, "b", 1, false);
    listing_add(&expected, "\xff", 1, true);
    for (size_t page_size = 0; page_size < 4; page_size++) {
        struct listing real = listed("DELIMITER \xff", page_size);
        require_same_entries(&real, &expected);
    }
}

static const char *next_random_name(unsigned *seed) {
    static const char letters[] = "ab/-";
    char name[8] = {0};
    size_t length = 1 + (size_t)rand_r(seed) % (sizeof(name) - 1);
    for (size_t i = 0; i < length; i++) name[i] = letters[rand_r(seed) % 4];
    return pool_copy(name, length);
}

/* The definition of a listing: each name with the prefix, cut behind the first delimiter after it, once. */
static struct listing folded(const struct listing *names, const char *prefix, const char *delimiter) {
    struct listing listing = {0};
    size_t prefix_length = strlen(prefix);
    for (size_t i = 0; i < names->count; i++) {
        const struct entry *name = &names->entry[i];
        if (!text_begins(name->bytes, prefix)) continue;
        const char *cut = *delimiter ? strstr(name->bytes + prefix_length, delimiter) : NULL;
        size_t length = cut ? (size_t)(cut - name->bytes) + strlen(delimiter) : name->length;
        const struct entry *last = listing.count ? &listing.entry[listing.count - 1] : NULL;
        struct entry next = {name->bytes, length, cut != NULL};
        if (last && last->is_prefix && cut && !entry_compare(last, &next)) continue;
        listing_add(&listing, name->bytes, length, cut != NULL);
    }
    return listing;
}

static struct listing put_random_names(unsigned *seed, int count) {
    struct listing names = {0};
    for (int i = 0; i < count; i++) {
        const char *name = next_random_name(seed);
        put("box", name, "x");
        listing_add(&names, name, strlen(name), false);
    }
    qsort(names.entry, names.count, sizeof(*names.entry), entry_compare);
    struct listing unique = {0};
    for (size_t i = 0; i < names.count; i++) {
        const struct entry *name = &names.entry[i];
        if (i && !entry_compare(name - 1, name)) continue;
        listing_add(&unique, name->bytes, name->length, false);
    }
    return unique;
}

TEST(random_names_list_as_defined) {
    static const char *const prefixes[] = {"", "a", "a/", "/", "ab", "b-", "a/b/", "--"};
    static const char *const delimiters[] = {"", "/", "-", "a", "//", "/-"};
    unsigned seed = 20211004;
    struct listing names = put_random_names(&seed, 400);
    for (size_t prefix = 0; prefix < ARRAY_SIZE(prefixes); prefix++) {
        for (size_t delimiter = 0; delimiter < ARRAY_SIZE(delimiters); delimiter++) {
            struct listing expected = folded(&names, prefixes[prefix], delimiters[delimiter]);
            struct text options = {0};
            text_print(&options, "PREFIX %s", *prefixes[prefix] ? prefixes[prefix] : "''");
            if (*delimiters[delimiter]) text_print(&options, " DELIMITER %s", delimiters[delimiter]);
            for (size_t page_size = 0; page_size < 20; page_size = page_size * 2 + 1) {
                struct listing real = listed(options.bytes, page_size);
                require_same_entries(&real, &expected);
            }
        }
    }
}

TEST(a_marker_outlives_its_blob) {
    put_all(NAMES("a", "b", "c", "d", "e"));
    redisReply *page = call(primary, "BLOB.LIST box COUNT 2");
    const char *marker = reply_string(page->element[0]);
    assert_string_equal(marker, "c");
    expect_ok(call(primary, "BLOB.DELETE box c"));
    struct listing rest = {0};
    assert_null(listing_add_page(&rest, call(primary, "BLOB.LIST box MARKER %s", marker), 1000));
    struct listing expected = {0};
    listing_add(&expected, "d", 1, false);
    listing_add(&expected, "e", 1, false);
    require_same_entries(&rest, &expected);
}

TEST(blobs_that_stay_are_listed_once_whatever_happens_between_pages) {
    enum { BLOBS = 200 };
    for (int i = 0; i < BLOBS; i++) put("box", pool_print("stay-%03d", i), "x");
    for (int i = 0; i < BLOBS; i++) put("box", pool_print("stay-%03d-go", i), "x");
    struct listing seen = {0};
    redisReply *marker = listing_add_page(&seen, call(primary, "BLOB.LIST box COUNT 7"), 7);
    for (int round = 0; marker; round++) {
        call(primary, "BLOB.DELETE box stay-%03d-go", (round * 37) % BLOBS);
        put("box", pool_print("new-%d", round), "x");
        put("box", pool_print("stay-%03d", (round * 13) % BLOBS), "again");
        marker = listing_add_page(
            &seen, call(primary, "BLOB.LIST box COUNT 7 MARKER %b", marker->str, marker->len), 7);
    }
    int stayed = 0;
    for (size_t i = 0; i < seen.count; i++) {
        if (i) assert_true(entry_compare(&seen.entry[i - 1], &seen.entry[i]) < 0);
        if (seen.entry[i].length == strlen("stay-000")) stayed++;
    }
    assert_int_equal(stayed, BLOBS);
}

TEST(counts_have_bounds) {
    static const char *const refused[] = {
        "0", "-1", "x", "", "1.5", "9223372036854775808", "-9223372036854775808"};
    enum { BLOBS = 5100 };
    call_many(primary, BLOBS, "BLOB.PUT box %d x");
    expect_elements(call(primary, "BLOB.LIST box")->element[1], 1000);
    expect_elements(call(primary, "BLOB.LIST box COUNT 1")->element[1], 1);
    /* A page may end early by its bytes, never late by its count. */
    redisReply *page = call(primary, "BLOB.LIST box COUNT 6000");
    assert_true(page->element[1]->elements <= 5000 && page->element[1]->elements > 1000);
    page = call(primary, "BLOB.LIST box COUNT 9223372036854775807");
    assert_true(page->element[1]->elements <= 5000);
    traces_begin("");
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        expect_error(call(primary, "BLOB.LIST box COUNT %s", refused[i]),
                     "INVALID OutOfRangeQueryParameterValue");
    }
    traces_require_none();
}

TEST(heavy_items_make_shorter_pages) {
    enum { BLOBS = 300, VALUE = 8000, BYTES_MAX = 4 << 20 };
    for (int i = 0; i < BLOBS; i++) {
        expect_etag(call(primary, "BLOB.PUT box %d x META 1 heavy %s", i, pool_print("%0*d", VALUE, i)));
    }
    redisReply *page = call(primary, "BLOB.LIST box COUNT 5000 INCLUDE 1 META");
    assert_true(page->element[1]->elements > 0);
    assert_true(page->element[1]->elements * VALUE < BYTES_MAX);
    assert_int_equal(listed("INCLUDE 1 META", 5000).count, BLOBS);
}
