/* Paths: what is sound, by example and at every limit; ways along them; and folding, which must never change. */
#include "file/path.h"

#include "core/memory.h"
#include "core/utf8.h"
#include "dice.h"
#include "file/fold.h"
#include "unit.h"

#include <stdio.h>

enum { ROOM = 3 * PATH_FOLDED_MAX_BYTES };

/* --- What is sound --------------------------------------------------------------------------------------- */

static const struct {
    const char *path;
    enum path_fault fault;
} samples[] = {
    {"", PATH_SOUND},
    {"a", PATH_SOUND},
    {"dir/sub/file.txt", PATH_SOUND},
    {" leading and inner spaces", PATH_SOUND},
    {".hidden/..too/a..b", PATH_SOUND},
    {"\xc3\x84rger/\xd0\x96\xd1\x83\xd0\xba/\xf0\x9f\x98\x80", PATH_SOUND},
    {"!#$%&'()+,-;=@[]^_`{}~", PATH_SOUND},
    {"/", PATH_NAME_EMPTY},
    {"/a", PATH_NAME_EMPTY},
    {"a/", PATH_NAME_EMPTY},
    {"a//b", PATH_NAME_EMPTY},
    {"//", PATH_NAME_EMPTY},
    {".", PATH_DOTS},
    {"..", PATH_DOTS},
    {"a/../b", PATH_DOTS},
    {"a/./b", PATH_DOTS},
    {"a/..", PATH_DOTS},
    {"...", PATH_BAD_END},
    {"a.", PATH_BAD_END},
    {"a ", PATH_BAD_END},
    {"a./b", PATH_BAD_END},
    {"a/b /c", PATH_BAD_END},
    {" ", PATH_BAD_END},
    {"a\\b", PATH_BAD_CHARACTER},
    {"a/b:stream", PATH_BAD_CHARACTER},
    {"\xc2\x81", PATH_BAD_CHARACTER},
    {"\xc2\xa0", PATH_SOUND},
    {"caf\xe9", PATH_NOT_UTF8},
    {"\xc0\xae\xc0\xae", PATH_NOT_UTF8},
    {"a/\xed\xa0\x80", PATH_NOT_UTF8},
    {"\xe2\x82/\xac", PATH_NOT_UTF8},
    {"con", PATH_DEVICE},
    {"dir/PRN", PATH_DEVICE},
    {"Aux/file", PATH_DEVICE},
    {"nUl", PATH_DEVICE},
    {"Clock$", PATH_DEVICE},
    {"com1", PATH_DEVICE},
    {"COM9", PATH_DEVICE},
    {"Lpt5", PATH_DEVICE},
    {"com0", PATH_SOUND},
    {"com10", PATH_SOUND},
    {"com", PATH_SOUND},
    {"lpx1", PATH_SOUND},
    {"nul.txt", PATH_SOUND},
    {"console", PATH_SOUND},
    {"a/\xff/..", PATH_NOT_UTF8},
    {"a/../\xff", PATH_DOTS},
};

TEST(each_fault_of_a_path_is_found) {
    bool seen[PATH_FAULTS] = {[PATH_TOO_LONG] = true, [PATH_TOO_DEEP] = true, [PATH_NAME_TOO_LONG] = true};
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        require_same(path_check(bytes_text(samples[i].path)), samples[i].fault, "'%s'", samples[i].path);
        seen[samples[i].fault] = true;
    }
    for (unsigned fault = 0; fault < PATH_FAULTS; fault++) require(seen[fault], "no sample of %u", fault);
}

TEST(names_are_checked_alone) {
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        enum path_fault expected = samples[i].fault;
        if (!samples[i].path[0]) expected = PATH_NAME_EMPTY;
        if (strchr(samples[i].path, '/')) continue;
        require_same(path_check_name(bytes_text(samples[i].path)), expected, "'%s'", samples[i].path);
    }
    require_same(path_check_name(bytes_text("a/b")), PATH_BAD_CHARACTER, "a slash is no part of a name");
}

/* Each as a whole name and within one. */
TEST(forbidden_characters_are_found) {
    for (uint32_t character = 0; character < 0x3000; character++) {
        char name[2 + UTF8_MAX_BYTES] = "x";
        size_t length = 1 + utf8_put(name + 1, character);
        name[length++] = 'x';
        bool control = character < 0x20 || (character >= 0x7f && character < 0xa0);
        bool forbidden = character && character < 0x80 && strchr("\"\\/:|<>*?", (int)character);
        enum path_fault expected = control || forbidden ? PATH_BAD_CHARACTER : PATH_SOUND;
        require_same(path_check_name(bytes_of(name, length)), expected, "%x within a name", character);
        if (character == ' ' || character == '.') expected = PATH_BAD_END;
        require_same(path_check_name(bytes_of(name, length - 1)), expected, "%x at the end", character);
    }
}

static struct bytes repeat(char *room, const char *piece, size_t times) {
    struct bytes one = bytes_text(piece);
    for (size_t i = 0; i < times; i++) memcpy(room + i * one.length, one.data, one.length);
    return bytes_of(room, times * one.length);
}

static const char *const wide[] = {"a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

TEST(names_have_255_characters) {
    static char room[ROOM];
    for (size_t i = 0; i < ARRAY_SIZE(wide); i++) {
        require_same(path_check(repeat(room, wide[i], 255)), PATH_SOUND, "of %zu bytes", i + 1);
        require_same(path_check(repeat(room, wide[i], 256)), PATH_NAME_TOO_LONG, "of %zu bytes", i + 1);
        require_same(path_check_name(repeat(room, wide[i], 255)), PATH_SOUND, "of %zu bytes", i + 1);
        require_same(path_check_name(repeat(room, wide[i], 256)), PATH_NAME_TOO_LONG, "of %zu bytes", i + 1);
    }
}

/* Names of 255 characters and a slash behind each, then one of as many as asked for. */
static struct bytes long_path(char *room, const char *character, size_t last) {
    size_t length = 0;
    for (int i = 0; i < 7; i++) {
        length += repeat(room + length, character, 255).length;
        room[length++] = '/';
    }
    length += repeat(room + length, character, 250).length;
    room[length++] = '/';
    length += repeat(room + length, character, last).length;
    return bytes_of(room, length);
}

TEST(paths_have_2048_characters) {
    static char room[ROOM];
    size_t rest = PATH_MAX_CHARACTERS - 7 * 256 - 251;
    for (size_t i = 0; i < ARRAY_SIZE(wide); i++) {
        require_same(path_check(long_path(room, wide[i], rest)), PATH_SOUND, "of %zu bytes", i + 1);
        require_same(path_check(long_path(room, wide[i], rest + 1)), PATH_TOO_LONG, "of %zu bytes", i + 1);
    }
    require_same(path_check(repeat(room, "\xff", PATH_FOLDED_MAX_BYTES + 1)), PATH_TOO_LONG,
                 "so long that nobody looks at it");
    require_same(path_check(repeat(room, "\xff", PATH_FOLDED_MAX_BYTES)), PATH_NOT_UTF8, "looked at");
}

TEST(paths_have_250_names) {
    static char room[ROOM];
    struct bytes path = repeat(room, "d/", 250);
    require_same(path_check(bytes_of(room, path.length - 1)), PATH_SOUND, "250 names");
    require_same(path_check(bytes_of(room, path.length)), PATH_NAME_EMPTY, "a slash behind them");
    path = repeat(room, "d/", 251);
    require_same(path_check(bytes_of(room, path.length - 1)), PATH_TOO_DEEP, "251 names");
}

TEST(faults_have_texts_and_codes) {
    for (unsigned fault = PATH_SOUND + 1; fault < PATH_FAULTS; fault++) {
        const struct path_fault_text *text = path_fault_text(fault);
        bool form = fault <= PATH_NAME_TOO_LONG;
        require(text->text && strlen(text->text) > 10, "fault %u says what is wrong", fault);
        require_same(text->code, form ? PATH_CODE_INVALID_PATH : PATH_CODE_INVALID_NAME, "fault %u", fault);
    }
}

/* --- Ways ------------------------------------------------------------------------------------------------ */

TEST(the_root_has_no_names) {
    struct bytes root = bytes_of(NULL, 0), name;
    require_same(path_check(root), PATH_SOUND, "the root");
    require(!path_next(&root, &name), "the root has no first name");
    require_same(path_last(root).length, 0, "the root has no last name");
    require_same(path_parent(root).length, 0, "the root is its own parent");
}

TEST(paths_are_walked_name_by_name) {
    struct dice dice = {3};
    for (int round = 0; round < 5000; round++) {
        char path[200], names[12][12];
        size_t count = 1 + dice_roll(&dice, 12), length = 0, parent = 0;
        for (size_t i = 0; i < count; i++) {
            if (i) path[length++] = '/';
            parent = i ? length - 1 : 0;
            (void)snprintf(names[i], sizeof(names[i]), "n%zu", dice_roll(&dice, 100000));
            memcpy(path + length, names[i], strlen(names[i]));
            length += strlen(names[i]);
        }
        struct bytes way = bytes_of(path, length), name;
        require_same(path_check(way), PATH_SOUND, "path %d", round);
        require_bytes(path_last(way), bytes_text(names[count - 1]), "last name");
        require_bytes(path_parent(way), bytes_of(path, parent), "parent");
        for (size_t i = 0; i < count; i++) {
            require(path_next(&way, &name), "name %zu of %zu", i, count);
            require_bytes(name, bytes_text(names[i]), "name %zu of %zu", i, count);
        }
        require(!path_next(&way, &name), "behind the last name");
    }
}

/* --- Names in any case ----------------------------------------------------------------------------------- */

/* Both a number and a sum of all that folds to something else. Whoever changes them breaks what others have saved. */
TEST(folding_never_changes) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    size_t count = 0;
    for (uint32_t character = 0; character <= 0x10ffff; character++) {
        uint32_t folded = fold_character(character);
        require_same(fold_character(folded), folded, "%x folded twice", character);
        if (folded == character) continue;
        count++;
        for (unsigned shift = 0; shift < 24; shift += 8)
            sum = (sum ^ (character >> shift & 0xff)) * UINT64_C(0x100000001b3);
        for (unsigned shift = 0; shift < 24; shift += 8)
            sum = (sum ^ (folded >> shift & 0xff)) * UINT64_C(0x100000001b3);
    }
    require_same(count, 1454, "characters that fold to others");
    require(sum == UINT64_C(0x61a80e3a283c4c6a), "their sum");
}

static const struct {
    const char *name, *folded;
} foldings[] = {
    {"", ""},
    {"README.TXT", "readme.txt"},
    {"already 123 folded", "already 123 folded"},
    {"\xc3\x84\xc3\x96\xc3\x9c", "\xc3\xa4\xc3\xb6\xc3\xbc"}, /* ÄÖÜ */
    {"\xce\xa3\xce\x9f\xcf\x82", "\xcf\x83\xce\xbf\xcf\x83"}, /* three sigmas are one */
    {"\xd0\x96\xd0\xa3\xd0\x9a", "\xd0\xb6\xd1\x83\xd0\xba"}, /* ЖУК */
    {"\xe1\xba\x9e", "\xc3\x9f"},                             /* ẞ is ß, and both are not ss */
    {"\xc4\xb0\xc4\xb1", "\xc4\xb0\xc4\xb1"},                 /* İ and ı are on their own */
    {"\xe2\x84\xaa", "k"},                                    /* the sign of kelvin gets shorter */
    {"\xc8\xba\xc8\xbe", "\xe2\xb1\xa5\xe2\xb1\xa6"},         /* Ⱥ and Ⱦ get longer */
    {"\xf0\x90\x90\x80", "\xf0\x90\x90\xa8"},                 /* Deseret */
    {"e\xcc\x81", "e\xcc\x81"},                               /* not composed */
    {"A/B\xff"
     "C\xc3",
     "a/b\xff"
     "c\xc3"}, /* not UTF-8 */
};

TEST(names_are_folded) {
    for (size_t i = 0; i < ARRAY_SIZE(foldings); i++) {
        struct bytes name = bytes_text(foldings[i].name), folded = bytes_text(foldings[i].folded);
        char room[64];
        require_bytes(bytes_of(room, path_fold(room, name)), folded, "number %zu", i);
        require_bytes(bytes_of(room, path_fold(room, folded)), folded, "number %zu, twice", i);
    }
}

/* Of few letters, so that many are alike; some grow, some shrink when they are folded. */
static struct bytes random_text(char *room, struct dice *dice, size_t max) {
    static const uint32_t letters[] = {'a',   'A',   'b',    'B',  'k',    'K',     '.',    '/',
                                       '_',   '[',   0xe4,   0xc4, 0x212a, 0x23a,   0x2c65, 0x3a3,
                                       0x3c2, 0x3c3, 0x1e9e, 0xdf, 0xffff, 0x10400, 0x10428};
    size_t count = dice_roll(dice, max + 1), length = 0;
    for (size_t i = 0; i < count; i++)
        length += utf8_put(room + length, letters[dice_roll(dice, ARRAY_SIZE(letters))]);
    return bytes_of(room, length);
}

TEST(beginnings_of_paths_are_found_in_any_case) {
    struct dice dice = {11};
    size_t alike = 0, beginnings = 0;
    for (int round = 0; round < 200000; round++) {
        char room[4][32];
        struct bytes a = random_text(room[0], &dice, 3), b = random_text(room[1], &dice, 3);
        struct bytes fa = bytes_of(room[2], path_fold(room[2], a)),
                     fb = bytes_of(room[3], path_fold(room[3], b));
        require(fa.length <= a.length + a.length / 2, "it fits into the room");
        require_same(path_starts_with(a, b), bytes_start_with(fa, fb), "round %d", round);
        alike += bytes_equal(fa, fb);
        beginnings += bytes_start_with(fa, fb);
    }
    require(alike > 1000 && beginnings > alike, "chance gave %zu and %zu", alike, beginnings);
}

static int compare_folded(const char *a, const char *b) {
    char room[2][32];
    int difference = bytes_compare(bytes_of(room[0], path_fold(room[0], bytes_text(a))),
                                   bytes_of(room[1], path_fold(room[1], bytes_text(b))));
    return (difference > 0) - (difference < 0);
}

TEST(paths_come_in_the_order_of_their_folded_bytes) {
    static const char *const ordered[] = {
        "",
        "A",
        "a b",
        "a-b",
        "A.txt",
        "a0",
        "AB",
        "abc",
        "\xc3\x9f",
        "\xc3\x84",
        "\xce\x91",
        "\xce\xb2",
        "\xd0\x90",
        "\xd0\xb1",
        "\xe2\x82\xac",
        "\xef\xbf\xbd",
        "\xf0\x9f\x98\x80",
    };
    for (size_t i = 0; i < ARRAY_SIZE(ordered); i++)
        for (size_t j = 0; j < ARRAY_SIZE(ordered); j++)
            require_same(compare_folded(ordered[i], ordered[j]), (i > j) - (i < j),
                         "number %zu and number %zu", i, j);
}

/* Whatever the bytes are, nothing is read or written out of bounds, and twice is as once. */
TEST(any_bytes_can_be_folded) {
    struct dice dice = {17};
    for (int round = 0; round < 20000; round++) {
        char bytes[24], room[36], again[54];
        size_t length = dice_roll(&dice, sizeof(bytes) + 1);
        dice_fill(&dice, bytes, length);
        void *owner = owner_new(bytes_of(bytes, length));
        struct bytes text = owner_bytes(owner), folded = bytes_of(room, path_fold(room, text));
        require(folded.length <= length + length / 2, "it fits into the room");
        require_bytes(bytes_of(again, path_fold(again, folded)), folded, "twice");
        require(path_starts_with(text, folded) && path_starts_with(folded, text), "round %d", round);
        (void)path_check(text);
        memory_drop_owner(owner);
    }
}
