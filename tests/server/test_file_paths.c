/* Paths: which are none, which lead to the same file, and what happens where a file is and a directory should be; and
 * the tree that they lead through: listing it, moving parts of it. */
#include <string.h>

#include "clock.h"
#include "file_commands.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "text.h"

/* --- What is no path ------------------------------------------------------------------------------------------ */

/* Every place in which a path can stand, as PATH. */
static const char *const places[] = {
    "FILE.MKDIR fs PATH",
    "FILE.RMDIR fs PATH",
    "FILE.LIST fs PATH",
    "FILE.CREATE fs PATH 1",
    "FILE.GET fs PATH",
    "FILE.STAT fs PATH",
    "FILE.GETMETA fs PATH",
    "FILE.SETPROPS fs PATH SIZE 1",
    "FILE.SETMETA fs PATH META 0",
    "FILE.PUTRANGE fs PATH 0 x",
    "FILE.CLEARRANGE fs PATH 0 1",
    "FILE.GETRANGES fs PATH",
    "FILE.DELETE fs PATH",
    "FILE.COPY fs PATH c",
    "FILE.COPY fs a PATH",
    "FILE.RENAME fs PATH c",
    "FILE.RENAME fs a PATH",
    "FILE.HANDLES fs PATH",
    "FILE.CLOSEHANDLES fs PATH *",
    "FILE.OPEN fs $s PATH ACCESS 1 READ SHARE 1 READ DISPOSITION OPENIF",
    "LEASE.ACQUIRE fs -1 FILE PATH",
    "LEASE.GET fs FILE PATH",
};

static struct words at_place(size_t place, const char *path, size_t length) {
    struct words words = step_words(places[place]);
    for (size_t i = 0; i < words.count; i++) {
        if (strcmp(words.word[i], "PATH") != 0) continue;
        words.word[i] = pool_copy(path, length);
        words.length[i] = length;
    }
    return words;
}

static void expect_no_path(const char *path, size_t length, const char *answer) {
    for (size_t place = 0; place < ARRAY_SIZE(places); place++) {
        struct words words = at_place(place, path, length);
        redisReply *reply = call_words(primary, &words);
        require(reply_is_answer(reply, answer), "%s should give %s, but gave %s", words_text(&words), answer,
                reply_text(reply));
    }
}

BEFORE_EACH {
    file_commands_setup();
}

TEST(characters_that_no_name_has) {
    act("mkdir dir", NULL);
    for (const char *character = "\"\\:|<>*?\x01\x1f\x7f\n\t"; *character; character++) {
        expect_no_path(pool_print("a%cb", *character), 3, BAD_NAME);
        expect_no_path(pool_print("dir/%c", *character), 5, BAD_NAME);
    }
    expect_no_path("a\0b", 3, BAD_NAME);
    expect_no_path("\xc2\x85", 2, BAD_NAME);     /* a control character, too */
    expect_no_path("caf\xe9", 4, BAD_NAME);      /* not UTF-8 */
    expect_no_path("\xed\xa0\x80", 3, BAD_NAME); /* half of a pair */
    expect_no_path("\xc0\xaf", 2, BAD_NAME);     /* a slash, written too long */
    expect_no_path("a\xf0\x9f\x98", 4, BAD_NAME);
    assert_string_equal(listed(""), "a b dir/");
}

static void expect_said(const char *command, const char *reason) {
    struct words words = step_words(command);
    const char *text = reply_text(call_words(primary, &words));
    require(strstr(text, reason), "%s: it is not said that %s, but %s", command, reason, text);
}

/* What is wrong with a path is not only that it is none. */
TEST(refusals_say_why_a_path_is_invalid) {
    expect_said("FILE.MKDIR fs a.", "does not end with a dot or a space: 'a.'");
    expect_said("FILE.RENAME fs a b|c", "no control characters and none of");
    expect_said("FILE.RENAME fs a d/../b", "no . and .. in it: 'd/../b'");
    expect_said("FILE.RMDIR fs \"\"", "the root directory cannot be removed");
    expect_said("FILE.RENAME fs \"\" a", "the root directory cannot be moved");
    expect_said("FILE.GET fs /a", "one slash between two names");
    expect_said("FILE.HANDLES fs nul", "one of CON PRN AUX NUL");
    expect_said("LEASE.GET fs FILE a/", "one slash between two names");
    expect_said("FILE.GET fs 256*a", "at most 255 characters");
}

TEST(reserved_and_malformed_file_names_are_refused) {
    static const char *const names[] = {".",     "..",   "...",    "a.",       "a ",  "dir/..", "../a",
                                        "dir/.", "./a",  "CON",    "con",      "Nul", "aux",    "PRN",
                                        "COM1",  "lpt9", "CLOCK$", "dir/com1", " "};
    static const char *const ways[] = {"/", "/a", "a/", "dir//a", "//", "dir/"};
    act("mkdir dir", NULL);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) expect_no_path(names[i], strlen(names[i]), BAD_NAME);
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) expect_no_path(ways[i], strlen(ways[i]), BAD_PATH);
    assert_string_equal(listed(""), "a b dir/");
}

TEST(unusual_file_names_are_accepted) {
    static const char *const names[] = {".a",   "..a", "a.b.c", " a",  "con.txt", "COM10",
                                        "com0", "-",   "[x]",   "{y}", "100%",    "a&b=c;d",
                                        "~",    "é",   "日本",  "😀",   "nul.x",   "lpt"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        expect_etag(call(primary, "FILE.CREATE fs %s %d", names[i], 1));
        expect_number(field(call(primary, "FILE.STAT fs %s", names[i]), "content-length"), 1);
    }
    assert_int_equal(share_number("files"), 2 + ARRAY_SIZE(names));
}

static char *repeated(const char *text, size_t times) {
    size_t length = strlen(text);
    char *whole = pool_take(length * times + 1);
    for (size_t i = 0; i < times; i++) memcpy(whole + i * length, text, length + 1);
    return whole;
}

TEST(file_names_have_at_most_255_characters) {
    static const char *const letters[] = {"x", "é", "日", "😀"};
    for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
        const char *longest = repeated(letters[i], 255), *longer = repeated(letters[i], 256);
        expect_etag(call(primary, "FILE.CREATE fs %s 1", longest));
        expect_etag(call(primary, "FILE.GETMETA fs %s", longest));
        expect_no_path(longer, strlen(longer), BAD_PATH);
        expect_no_path(pool_print("dir/%s", longer), strlen(longer) + 4, BAD_PATH);
    }
}

/* The deepest directory that there can be, name by name. */
static const char *deep_path(size_t names) {
    return pool_copy(repeated("a/", names), names * 2 - 1);
}

static void dig(size_t names) {
    call(primary, "FILE.DELETE fs a");
    for (size_t depth = 1; depth <= names; depth++) send_call(primary, "FILE.MKDIR fs %s", deep_path(depth));
    for (size_t depth = 1; depth <= names; depth++) expect_etag(receive(primary));
}

TEST(deep_paths) {
    dig(249);
    expect_etag(call(primary, "FILE.CREATE fs %s 1", deep_path(250)));
    expect_no_path(deep_path(251), 501, BAD_PATH);
    act("mkdir top", NULL);
    expect_error(call(primary, "FILE.RENAME fs a top/a"), BAD_PATH);
    expect_etag(call(primary, "FILE.RENAME fs a z"));
    expect_error(call(primary, "FILE.RENAME fs z top/z"), BAD_PATH);
    expect_ok(call(primary, "FILE.DELETE fs z%s", deep_path(250) + 1));
    expect_etag(call(primary, "FILE.GETMETA fs z%s", deep_path(249) + 1));
}

TEST(long_paths) {
    const char *name = repeated("n", 255);
    const char *path = name;
    for (int depth = 1; depth <= 7; depth++) {
        expect_etag(call(primary, "FILE.MKDIR fs %s", path));
        path = pool_print("%s/%s", path, name);
    }
    require(strlen(path) == 2047, "the path has %zu", strlen(path));
    expect_etag(call(primary, "FILE.CREATE fs %s 1", path));
    const char *longer = pool_print("%.*s/%s", 255 * 7 + 6, path, pool_print("%sx", repeated("m", 254)));
    require(strlen(longer) == 2047, "the path has %zu", strlen(longer));
    expect_etag(call(primary, "FILE.CREATE fs %s 1", longer));
    expect_no_path(pool_print("%s/x", path), 2049, BAD_PATH);
    act("mkdir d", NULL);
    expect_error(call(primary, "FILE.RENAME fs %s d/%s", name, name), BAD_PATH);
    expect_etag(call(primary, "FILE.RENAME fs %s short", name));
    expect_etag(call(primary, "FILE.RENAME fs short d/short"));
    expect_number(field(call(primary, "FILE.STAT fs d/short%s", path + 255), "content-length"), 1);
}

/* --- The same file --------------------------------------------------------------------------------------------- */

TEST(case_is_kept_and_does_not_matter) {
    acts({"mkdir Folder", NULL}, {"create Folder/Report.TXT 3", NULL}, {"put FOLDER/report.txt 0 abc", NULL},
         {"get folder/REPORT.txt", "=abc"}, {"create folder/report.txt 2", NULL}, {"mkdir FOLDER", EXISTS},
         {"mkdir folder/REPORT.TXT", OTHER_KIND}, {"create FOLDER 1", OTHER_KIND},
         {"open s folder/report.TXT R/-", NULL}, {"get Folder/Report.TXT", SV});
    assert_string_equal(listed(""), "a b Folder/");
    assert_string_equal(listed("folder"), "Report.TXT");
    assert_string_equal(opened("FOLDER/report.txt"), "Folder/Report.TXT");
    assert_int_equal(share_number("files"), 3);
}

TEST(case_beyond_ascii) {
    static const char *const pairs[][2] = {{"Ärger", "äRGER"}, {"ΑΣΩ", "ασω"}, {"ЖУК", "жук"},
                                           {"ŒUVRE", "œuvre"}, {"Ǆ", "ǆ"},     {"Ａ", "ａ"},
                                           {"Ⱥ", "ⱥ"},         {"ԱԲ", "աբ"},   {"𐐀", "𐐨"}};
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        expect_etag(call(primary, "FILE.CREATE fs %s %d", pairs[i][0], 3));
        expect_etag(call(primary, "FILE.CREATE fs %s %d", pairs[i][1], 5));
        expect_number(field(call(primary, "FILE.STAT fs %s", pairs[i][0]), "content-length"), 5);
        require(strstr(listed(""), pairs[i][0]), "%s is not listed", pairs[i][0]);
        expect_ok(call(primary, "FILE.DELETE fs %s", pairs[i][1]));
    }
    /* Not the same: a language's own rules, and what is composed in another way. */
    acts({"create ss 1", NULL}, {"get ß", NO_FILE}, {"create é 1", NULL}, {"get e\xcc\x81", NO_FILE});
    assert_int_equal(share_number("files"), 4);
}

TEST(renaming_may_change_the_case_alone) {
    acts({"mkdir dir", NULL}, {"create dir/file 2", NULL}, {"rename dir/file DIR/FILE", NULL},
         {"rename dir Dir", NULL}, {"put dir/file 0 xy", NULL}, {"get Dir/File", "=xy"},
         {"rename é É", NO_FILE}, {"create é 1", NULL}, {"rename é É", NULL}, {"rename É É", NULL},
         {"rename DIR/file dir/FILE REPLACE", NULL}, {"h = open s dir/file R/RWD", NULL},
         {"rename DIR/file dir/file", SV}, {"rename dir DIR", SV});
    assert_string_equal(listed(""), "a b Dir/ É");
    assert_string_equal(listed("dir"), "FILE");
}

/* --- One kind where the other should be -------------------------------------------------------------------------- */

TEST(files_are_no_directories) {
    acts({"mkdir dir", NULL}, {"create dir/x 1", NULL}, {"mkdir a", OTHER_KIND}, {"mkdir a/x", NO_PARENT},
         {"create a/x 1", NO_PARENT}, {"rmdir a", OTHER_KIND}, {"list a", OTHER_KIND},
         {"list a/x", NO_PARENT}, {"open s a/x R/R DISPOSITION CREATE", NO_PARENT},
         {"open s dir R/R", OTHER_KIND}, {"open s dir R/R DISPOSITION CREATE", OTHER_KIND},
         {"open s '' R/R", OTHER_KIND}, {"get dir", OTHER_KIND}, {"put dir 0 x", OTHER_KIND},
         {"create dir 1", OTHER_KIND}, {"delete dir", OTHER_KIND}, {"ranges dir", OTHER_KIND},
         {"setprops dir SIZE 1", OTHER_KIND}, {"copy dir c", OTHER_KIND}, {"copy a dir", OTHER_KIND},
         {"copy a b/c", NO_PARENT}, {"rename a b/c", NO_PARENT}, {"rename a dir", EXISTS},
         {"rename a dir REPLACE", OTHER_KIND}, {"rename dir a", EXISTS}, {"rename dir a REPLACE", OTHER_KIND},
         {"rename dir dir/y", BAD_PATH}, {"rename dir dir/y/z", NO_PARENT}, {"rmdir dir", NOT_EMPTY},
         {"closeall a * RECURSIVE", "INVALID InvalidQueryParameterValue"},
         {"handles a RECURSIVE", "INVALID InvalidQueryParameterValue"});
}

TEST(the_root_can_be_read_and_not_removed) {
    acts({"mkdir ''", EXISTS}, {"rmdir ''", BAD_PATH}, {"delete ''", OTHER_KIND}, {"create '' 1", OTHER_KIND},
         {"rename '' x", BAD_PATH}, {"rename a ''", EXISTS}, {"rename a '' REPLACE", EXISTS},
         {"copy a ''", OTHER_KIND}, {"get ''", OTHER_KIND}, {"handles '' RECURSIVE", NULL},
         {"closeall '' * RECURSIVE", "0"}, {"setmeta '' META 1 of root", NULL},
         {"meta ''", "[<etag>, [\"of\", \"root\"]]"});
    expect_text(field(act("stat ''", NULL), "kind"), "directory");
}

TEST(missing_parents_and_the_attribute) {
    acts({"create no/x 1", NO_PARENT}, {"mkdir no/x", NO_PARENT}, {"get no/x", NO_PARENT},
         {"get no", NO_FILE}, {"setprops a ATTRIBUTES 2 READONLY ARCHIVE", NULL}, {"put a 0 x", READ_ONLY},
         {"create a 1", READ_ONLY}, {"delete a", READ_ONLY}, {"setmeta a META 0", READ_ONLY},
         {"setprops a SIZE 3", READ_ONLY}, {"setprops a PROPS 1 cache-control x", READ_ONLY},
         {"clear a 0 1", READ_ONLY}, {"copy b a", READ_ONLY}, {"rename a c", READ_ONLY},
         {"rename b a REPLACE", READ_ONLY}, {"setprops a ATTRIBUTES 1 READONLY", READ_ONLY}, {"get a", NULL},
         {"ranges a", NULL}, {"copy a c", NULL}, {"LEASE.ACQUIRE fs -1 ID A FILE a", NULL},
         {"LEASE.RELEASE fs A FILE a", "OK"}, {"open s a W/RWD", READ_ONLY}, {"h = open s a RD/RWD", NULL},
         {"close $h", "OK"}, {"setprops a ATTRIBUTES 1 ARCHIVE", NULL}, {"put a 0 x", NULL},
         {"setmeta a META 0", NULL}, {"delete a", "OK"});
}

/* Who has opened it before may go on writing. */
TEST(the_readonly_attribute_leaves_open_handles_writable) {
    acts({"h = open s a RW/RWD", NULL}, {"setprops a ATTRIBUTES 1 READONLY", NULL}, {"write $h 0 xy", "2"},
         {"put a 0 x", READ_ONLY}, {"close $h", "OK"}, {"get a", "=xy23456789"});
}

/* --- Listing -------------------------------------------------------------------------------------------- */

static const char *paged(const char *rest, int count) {
    struct text names = EMPTY_TEXT;
    const char *marker = NULL;
    do {
        struct words words = words_of_line(pool_print("FILE.LIST fs d COUNT %d %s", count, rest));
        if (marker) words_add(&words, "MARKER");
        if (marker) words_add(&words, marker);
        redisReply *page = expect_elements(call_words(primary, &words), 2);
        require(page->element[1]->elements <= (size_t)count, "a page has too much");
        for (size_t i = 0; i < page->element[1]->elements; i++)
            text_print(&names, "%s ", reply_string(field(page->element[1]->element[i], "name")));
        marker = reply_is_null(page->element[0]) ? NULL : reply_string(page->element[0]);
        require(names.length < 1000, "pages without end: %s", names.bytes);
    } while (marker);
    return names.bytes;
}

TEST(listing_by_pages) {
    acts({"mkdir d", NULL}, {"mkdir d/Sub", NULL}, {"create d/beta 1", NULL}, {"create d/Alpha 22", NULL},
         {"create d/alpha2 3", NULL}, {"create d/ALPHA-1 4", NULL}, {"create d/zeta 5", NULL},
         {"create d/Sub/inner 6", NULL}, {"create d/élan 7", NULL});
    static const char all[] = "Alpha ALPHA-1 alpha2 beta Sub zeta élan ";
    for (int count = 1; count < 9; count++) assert_string_equal(paged("", count), all);
    for (int count = 1; count < 4; count++)
        assert_string_equal(paged("PREFIX aLPHa", count), "Alpha ALPHA-1 alpha2 ");
    assert_string_equal(paged("PREFIX alpha-", 5), "ALPHA-1 ");
    assert_string_equal(paged("PREFIX no", 5), "");
    assert_string_equal(paged("PREFIX ÉL", 5), "élan ");
    acts({"list d COUNT 1",
          "[\"ALPHA-1\", [[\"name\", \"Alpha\", \"kind\", \"file\", \"content-length\", 22]]]"},
         {"list d PREFIX sub", "[null, [[\"name\", \"Sub\", \"kind\", \"directory\"]]]"},
         {"list no", NO_FILE}, {"list no/no", NO_PARENT}, {"list d COUNT 0", "INVALID"},
         {"list d COUNT -1", "INVALID"}, {"list d COUNT x", "INVALID"}, {"list d MARKER zeta", NULL},
         {"list d MARKER zzzz", NULL});
}

/* While pages are read the directory changes; what was there all the time is told once. */
TEST(listing_what_changes) {
    acts({"mkdir d", NULL});
    for (int i = 0; i < 50; i++) act(pool_print("create d/f%02d 0", i), NULL);
    redisReply *page = act("list d COUNT 20", NULL);
    const char *marker = reply_string(page->element[0]);
    acts({"delete d/f19", "OK"}, {"delete d/f20", "OK"}, {"create d/f195 0", NULL},
         {"rename d/f49 d/f00x", NULL});
    page = call(primary, "FILE.LIST fs d COUNT 100 MARKER %s", marker);
    require(page->element[1]->elements >= 28 && page->element[1]->elements <= 29, "%s", reply_text(page));
    expect_text(field(page->element[1]->element[page->element[1]->elements - 1], "name"), "f48");
}

/* Names that were given away and used again, before a snapshot and behind it. */
TEST(listing_a_snapshot_by_pages) {
    acts({"mkdir d", NULL}, {"create d/a 1", NULL}, {"create d/b 2", NULL}, {"create d/c 3", NULL},
         {"o = SHARE.SNAPSHOT fs", NULL}, {"delete d/b", "OK"}, {"create d/B 4", NULL},
         {"p = SHARE.SNAPSHOT fs", NULL}, {"delete d/B", "OK"}, {"delete d/c", "OK"}, {"mkdir d/b", NULL},
         {"q = SHARE.SNAPSHOT fs", NULL}, {"rmdir d/b", "OK"}, {"create d/b 5", NULL},
         {"create d/c 6", NULL});
    for (int count = 1; count < 5; count++) {
        assert_string_equal(paged(pool_print("SNAPSHOT %s", step_kept('o')), count), "a b c ");
        assert_string_equal(paged(pool_print("SNAPSHOT %s", step_kept('p')), count), "a B c ");
        assert_string_equal(paged(pool_print("SNAPSHOT %s", step_kept('q')), count), "a b ");
    }
    acts({"list d COUNT 2 SNAPSHOT $q",
          "[null, [[\"name\", \"a\", \"kind\", \"file\", \"content-length\", 1], [\"name\", \"b\", \"kind\", "
          "\"directory\"]]]"});
}

/* --- Moving --------------------------------------------------------------------------------------------- */

TEST(directories_move_with_all_that_is_in_them) {
    enum { FILES = 3000 };
    acts({"mkdir from", NULL}, {"mkdir from/sub", NULL}, {"mkdir to", NULL});
    for (int i = 0; i < FILES; i++)
        send_call(primary, "FILE.CREATE fs from/%sfile%d %d", i % 2 ? "sub/" : "", i, i);
    for (int i = 0; i < FILES; i++) expect_etag(receive(primary));
    long long begin = stopwatch();
    for (int turn = 0; turn < 100; turn++)
        expect_etag(call(primary, "FILE.RENAME fs %s %s", turn % 2 ? "to/there" : "from",
                         turn % 2 ? "from" : "to/there"));
    require(stopwatch() - begin < 2000, "to move it takes %lld ms each time", (stopwatch() - begin) / 100);
    acts({"rename from to/there", NULL}, {"get from/sub/file1", NO_PARENT},
         {"get to/there/sub/file1", "[<etag>, \"\\x00\"]"});
    expect_number(file_field("TO/There/SUB/file2999", "content-length"), 2999);
    assert_int_equal(share_number("files"), FILES + 2);
    expect_elements(act("list to/there/sub COUNT 5000", NULL)->element[1], FILES / 2);
}

/* A directory moves when nothing in it is open, however deep. */
TEST(an_open_file_keeps_its_directories) {
    acts({"mkdir d", NULL}, {"mkdir d/e", NULL}, {"mkdir d/e/f", NULL}, {"mkdir d/g", NULL},
         {"create d/e/f/x 1", NULL}, {"h = open s d/e/f/x A/RWD", NULL}, {"rename d D2", SV},
         {"rename d/e d/E2", SV}, {"rename d/e/f d/F2", SV}, {"rename d/g d/g2", NULL},
         {"rename a d/e/f/a", NULL}, {"close $h", "OK"}, {"rename d D2", NULL}, {"rename d2/e/f D3", NULL},
         {"rename D3/x X", NULL}, {"rmdir D2/e", "OK"}, {"rename D2/g2 D2/E", NULL});
    assert_string_equal(listed("d2"), "E/");
    assert_string_equal(listed("d3"), "a");
}

TEST(moving_keeps_what_a_file_is) {
    acts({"setmeta a META 1 color red", NULL}, {"setprops a PROPS 1 content-type text/plain", NULL},
         {"setprops a ATTRIBUTES 1 HIDDEN", NULL}, {"mkdir d", NULL});
    long long created = file_field("a", "created")->integer;
    acts({"rename a d/new", NULL}, {"get d/new", "=0123456789"},
         {"meta d/new", "[<etag>, [\"color\", \"red\"]]"});
    expect_text(file_field("d/new", "content-type"), "text/plain");
    expect_text(file_field("d/new", "attributes")->element[0], "hidden");
    expect_number(file_field("d/new", "created"), created);
    acts({"rename d/new b", EXISTS}, {"rename d/new b REPLACE", NULL}, {"get b", "=0123456789"},
         {"get d/new", NO_FILE}, {"meta b", "[<etag>, [\"color\", \"red\"]]"});
    assert_int_equal(share_number("bytes"), 10);
}

/* A handle of the file that is replaced reads what came. */
TEST(a_renamed_file_keeps_its_state_when_it_replaces_another) {
    acts({"create new 3", NULL}, {"put new 0 new", NULL}, {"setmeta new META 1 of new", NULL},
         {"h = open s b RW/RWD", NULL}, {"rename new b REPLACE", NULL}, {"read $h 0 100", "=new"},
         {"write $h 3 er", "2"}, {"get b", "=newer"}, {"meta b", "[<etag>, [\"of\", \"new\"]]"},
         {"get new", NO_FILE}, {"lock $h SHARED 0 1", "OK"}, {"rename a b REPLACE", LOCKED},
         {"unlock $h 0 1", "OK"}, {"i = open s a A/RWD", NULL}, {"rename a b REPLACE", SV});
    assert_string_equal(listed(""), "a b");
    assert_int_equal(share_number("bytes"), 15);
}

TEST(copies_of_files_within_a_share) {
    acts({"setmeta a META 1 color red", NULL}, {"copy a c", NULL},
         {"meta c", "[<etag>, [\"color\", \"red\"]]"}, {"copy a c META 1 x y", NULL},
         {"meta c", "[<etag>, [\"x\", \"y\"]]"}, {"copy a c META 0", NULL}, {"meta c", "[<etag>, []]"},
         {"put a 0 X", NULL}, {"get c", "=0123456789"}, {"copy a a META 1 self yes", NULL},
         {"get a", "=X123456789"}, {"meta a", "[<etag>, [\"self\", \"yes\"]]"}, {"copy A* c", BAD_NAME},
         {"copy no c", NO_FILE});
    assert_int_equal(share_number("bytes"), 30);
    /* Bytes are shared until one of the two is written. */
    acts({"create big 8388608", NULL});
    char *block = repeated("0123456789abcdef", 65536);
    for (int i = 0; i < 8; i++) expect_etag(call(primary, "FILE.PUTRANGE fs big %d %s", i << 20, block));
    long long one = call(primary, "MEMORY USAGE fs SAMPLES 0")->integer;
    act("copy big twin", NULL);
    long long two = call(primary, "MEMORY USAGE fs SAMPLES 0")->integer;
    require(two - one < 300000, "a copy takes %lld bytes", two - one);
}
