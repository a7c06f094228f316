/* Metadata: names that are identifiers and stand once whatever their case, and
 * a limit on all bytes together. */
#include "core/metadata.h"

#include "pairs.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct {
    const char *why;
    const char *texts[5];
    enum outcome outcome;
} rules[] = {
    {"nothing", {NULL}, OUTCOME_DONE},
    {"one pair", {"name=value"}, OUTCOME_DONE},
    {"one letter", {"n=v"}, OUTCOME_DONE},
    {"the first and last letters", {"a=", "z=", "A_=", "Z_="}, OUTCOME_DONE},
    {"an underscore first", {"_a1=v"}, OUTCOME_DONE},
    {"an underscore alone", {"_=v"}, OUTCOME_DONE},
    {"digits behind", {"a0189=v"}, OUTCOME_DONE},
    {"an empty value", {"name="}, OUTCOME_DONE},
    {"any value", {"name=\x01 \xff=;,\n"}, OUTCOME_DONE},
    {"one begins the other", {"name=", "name1=", "nam="}, OUTCOME_DONE},
    {"an empty name", {"=value"}, OUTCOME_EMPTY_METADATA_KEY},
    {"an empty name among others", {"a=1", "=2", "b=3"}, OUTCOME_EMPTY_METADATA_KEY},
    {"a digit first", {"1a=v"}, OUTCOME_INVALID_METADATA},
    {"a hyphen", {"a-b=v"}, OUTCOME_INVALID_METADATA},
    {"a dot", {"a.b=v"}, OUTCOME_INVALID_METADATA},
    {"a blank", {"a b=v"}, OUTCOME_INVALID_METADATA},
    {"a blank first", {" a=v"}, OUTCOME_INVALID_METADATA},
    {"a colon", {"a:=v"}, OUTCOME_INVALID_METADATA},
    {"next to the letters", {"a@=v"}, OUTCOME_INVALID_METADATA},
    {"next to the letters", {"a[=v"}, OUTCOME_INVALID_METADATA},
    {"next to the letters", {"a`=v"}, OUTCOME_INVALID_METADATA},
    {"next to the letters", {"a{=v"}, OUTCOME_INVALID_METADATA},
    {"next to the digits", {"a/=v"}, OUTCOME_INVALID_METADATA},
    {"a letter beyond ASCII", {"\xc3\xa4=v"}, OUTCOME_INVALID_METADATA},
    {"the same name twice", {"a=1", "a=2"}, OUTCOME_INVALID_METADATA},
    {"twins by case", {"Name=1", "nAME=1"}, OUTCOME_INVALID_METADATA},
    {"twins far apart", {"b=", "a=", "c=", "B="}, OUTCOME_INVALID_METADATA},
    {"the first fault counts", {"1=", "=", "a=", "a="}, OUTCOME_INVALID_METADATA},
};

TEST(names_keep_the_rules) {
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        PAIR_LIST(pairs);
        pairs_add_texts(&pairs, rules[i].texts);
        require_same(metadata_check(pairs_list(&pairs)), rules[i].outcome, "%s", rules[i].why);
    }
}

/* Pairs whose names and values together have so many bytes. */
static enum outcome check_size(size_t count, size_t name_length, size_t bytes) {
    char *room = malloc(bytes + 1);
    require(room, "there is memory");
    memset(room, 'n', bytes + 1);
    struct pairs pairs;
    pairs_start(&pairs);
    for (size_t i = 0; i < count; i++) {
        size_t share = bytes / count + (i < bytes % count);
        room[0] = (char)('a' + (int)i);
        pairs_add(&pairs, bytes_of(room, name_length), bytes_of(room, share - name_length));
    }
    enum outcome outcome = metadata_check(pairs_list(&pairs));
    pairs_end(&pairs);
    free(room);
    return outcome;
}

static const struct {
    size_t count, name_length, bytes;
    enum outcome outcome;
} sizes[] = {
    {1, 1, 8192, OUTCOME_DONE},
    {1, 1, 8193, OUTCOME_METADATA_TOO_LARGE},
    {1, 8192, 8192, OUTCOME_DONE},
    {1, 8193, 8193, OUTCOME_METADATA_TOO_LARGE},
    {1, 4096, 8192, OUTCOME_DONE},
    {26, 7, 8192, OUTCOME_DONE},
    {26, 7, 8193, OUTCOME_METADATA_TOO_LARGE},
    {1, 1, 1000000, OUTCOME_METADATA_TOO_LARGE},
};

TEST(the_size_of_metadata_is_limited) {
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
        require_same(check_size(sizes[i].count, sizes[i].name_length, sizes[i].bytes), sizes[i].outcome,
                     "%zu pairs of %zu bytes", sizes[i].count, sizes[i].bytes);
}

/* Lists from outside may say anything of themselves. */
TEST(only_well_packed_lists_are_metadata) {
    const struct packed_list lists[] = {
        {1, bytes_of("", 0)},
        {0, bytes_of("\1a\1v", 4)},
        {2, bytes_of("\1a\1v", 4)},
        {UINT64_MAX, bytes_of("\1a\1v", 4)},
        {1, bytes_of("\1a\1v\1b\1v", 8)},
        {1, bytes_of("\1a", 2)},
        {1, bytes_of("\1a\2v", 4)},
        {2, bytes_of("\1a\1v\1", 5)},
        {1, bytes_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10)},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        require_same(metadata_check(lists[i]), OUTCOME_INVALID_METADATA, "list %zu", i);
}

/* As many names as fit into the limit, as an unfriendly caller would send them. */
TEST(many_names_are_quick) {
    enum { NAMES = 2048, TRIALS = 50 };
    PAIR_LIST(pairs);
    for (int i = 0; i < NAMES; i++) {
        char name[8];
        int length = snprintf(name, sizeof(name), "n%03x", (unsigned)(i * 1021 % NAMES));
        pairs_add(&pairs, bytes_of(name, (size_t)length), bytes_of("", 0));
    }
    clock_t began = clock();
    for (int i = 0; i < TRIALS; i++)
        require_same(metadata_check(pairs_list(&pairs)), OUTCOME_DONE, "2048 names");
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    require(seconds < 5, "%d checks of %d names took %.1f s", TRIALS, NAMES, seconds);
}

/* Many pairs, of which only the last is the twin of another one. */
TEST(a_twin_among_many_is_found) {
    for (int twin = 0; twin < 500; twin += 71) {
        char name[8];
        PAIR_LIST(pairs);
        for (int i = 0; i < 500; i++) {
            int length = snprintf(name, sizeof(name), "n%d", i);
            pairs_add(&pairs, bytes_of(name, (size_t)length), bytes_of("", 0));
        }
        require_same(metadata_check(pairs_list(&pairs)), OUTCOME_DONE, "no twins");
        int length = snprintf(name, sizeof(name), "N%d", twin);
        pairs_add(&pairs, bytes_of(name, (size_t)length), bytes_of("", 0));
        require_same(metadata_check(pairs_list(&pairs)), OUTCOME_INVALID_METADATA, "a twin of n%d", twin);
    }
}

static bool same(const char *const *one, const char *const *other) {
    struct pairs mine, theirs;
    pairs_start(&mine);
    pairs_start(&theirs);
    pairs_add_texts(&mine, one);
    pairs_add_texts(&theirs, other);
    bool result = metadata_same(pairs_list(&mine), pairs_list(&theirs));
    pairs_end(&mine);
    pairs_end(&theirs);
    return result;
}

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(sets_of_metadata_are_compared) {
    static const char *const none[] = {NULL};
    require(same(none, none), "nothing is nothing");
    require(!same(none, PAIRS("a=1")) && !same(PAIRS("a=1"), none), "something is not nothing");
    require(same(PAIRS("a=1", "b=2"), PAIRS("b=2", "a=1")), "the order does not count");
    require(same(PAIRS("Name=x"), PAIRS("nAME=x")), "nor does the case of names");
    require(!same(PAIRS("a=x"), PAIRS("a=X")), "that of values does");
    require(!same(PAIRS("a=1", "b=2"), PAIRS("a=1", "c=2")), "another name");
    require(!same(PAIRS("a=1"), PAIRS("a=1", "b=2")), "one more");
}
