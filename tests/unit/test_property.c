/* Properties: six names, one packed form, and the MD5 that speaks of the content. */
#include "core/property.h"

#include "pairs.h"
#include "unit.h"

#include <stdlib.h>

#define MD5_OF_NOTHING         "1B2M2Y8AsgTpgAmY7PhCfg=="
#define CONTENT_MD5_OF_NOTHING "content-md5=" MD5_OF_NOTHING
#define CONTENT_MD5_OF_ABC     "content-md5=kAFQmDzST7DWlj99KOF/cg=="

/* What is given, and what is packed, both as "name=value" texts; OUTCOME_DONE unless it says otherwise. */
static const struct {
    const char *why;
    const char *given[8];
    const char *packed[8];
    enum outcome outcome;
} rules[] = {
    {"nothing", {NULL}, {NULL}, OUTCOME_DONE},
    {"one", {"content-type=text/plain"}, {"content-type=text/plain"}, OUTCOME_DONE},
    {"any case", {"Content-TYPE=Text/Plain"}, {"content-type=Text/Plain"}, OUTCOME_DONE},
    {"an empty one is none", {"content-type=", "cache-control=x"}, {"cache-control=x"}, OUTCOME_DONE},
    {"an empty MD5 is none", {"content-md5="}, {NULL}, OUTCOME_DONE},
    {"all of them, from behind",
     {CONTENT_MD5_OF_ABC, "cache-control=5", "content-disposition=4", "content-language=3",
      "content-encoding=2", "content-type=1"},
     {"content-type=1", "content-encoding=2", "content-language=3", "content-disposition=4",
      "cache-control=5", CONTENT_MD5_OF_ABC},
     OUTCOME_DONE},
    {"an unknown one", {"content-length=5"}, {NULL}, OUTCOME_INVALID_VALUE},
    {"one without a name", {"=5"}, {NULL}, OUTCOME_INVALID_VALUE},
    {"a longer name", {"content-type1=5"}, {NULL}, OUTCOME_INVALID_VALUE},
    {"the same twice", {"content-type=a", "content-type=b"}, {NULL}, OUTCOME_INVALID_VALUE},
    {"twice in other cases", {"content-type=a", "Content-Type=a"}, {NULL}, OUTCOME_INVALID_VALUE},
    {"twice, once empty", {"content-type=", "content-type=b"}, {NULL}, OUTCOME_INVALID_VALUE},
    {"no MD5", {"content-md5=x"}, {NULL}, OUTCOME_INVALID_MD5},
    {"the first fault counts", {"content-md5=x", "unknown=x"}, {NULL}, OUTCOME_INVALID_MD5},
};

TEST(properties_have_one_packed_form) {
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        struct pairs given, expected;
        struct packed_list packed = {0, {"", 0}};
        pairs_start(&given);
        pairs_start(&expected);
        RECORD_WRITER(writer);
        pairs_add_texts(&given, rules[i].given);
        pairs_add_texts(&expected, rules[i].packed);
        require_same(properties_pack(pairs_list(&given), &writer, &packed), rules[i].outcome, "%s",
                     rules[i].why);
        if (rules[i].outcome == OUTCOME_DONE) {
            require_same(packed.count, expected.count, "%s", rules[i].why);
            require_bytes(packed.items, pairs_list(&expected).items, "%s", rules[i].why);
            require(properties_sound(packed), "%s: what was packed is not sound", rules[i].why);
        }
        pairs_end(&expected);
        pairs_end(&given);
    }
}

static const struct {
    const char *why;
    const char *text;
    bool sound;
} md5_forms[] = {
    {"the MD5 of nothing", MD5_OF_NOTHING, true},
    {"zeros", "AAAAAAAAAAAAAAAAAAAAAA==", true},
    {"ones", "/////////////////////w==", true},
    {"both signs", "++++////++++////++++/w==", true},
    {"bits behind the sixteenth byte", "AAAAAAAAAAAAAAAAAAAAAB==", false},
    {"more of them", "/////////////////////x==", false},
    {"all of them", "AAAAAAAAAAAAAAAAAAAAAP==", false},
    {"the highest of them", "AAAAAAAAAAAAAAAAAAAAAI==", false},
    {"the least bit that belongs to it", "AAAAAAAAAAAAAAAAAAAAAQ==", true},
    {"without padding", "AAAAAAAAAAAAAAAAAAAAAA", false},
    {"half of the padding", "AAAAAAAAAAAAAAAAAAAAAA=", false},
    {"more padding", "AAAAAAAAAAAAAAAAAAAAAA===", false},
    {"fifteen bytes", "AAAAAAAAAAAAAAAAAAAA", false},
    {"seventeen bytes", "AAAAAAAAAAAAAAAAAAAAAAA=", false},
    {"eighteen bytes", "AAAAAAAAAAAAAAAAAAAAAAAA", false},
    {"padding inside", "AAAAAAAAAAAAAAAAAAAAA===", false},
    {"the alphabet of URLs", "----____----____----_w==", false},
    {"a blank first", " AAAAAAAAAAAAAAAAAAAAA==", false},
    {"a line end", "AAAAAAAAAAAAAAAAAAAAA\n==", false},
    {"hexadecimal digits", "d41d8cd98f00b204e9800998ecf8427e", false},
    {"quotes", "\"1B2M2Y8AsgTpgAmY7PhCg==\"", false},
    {"no base64 at all", "!!!!!!!!!!!!!!!!!!!!!!==", false},
    {"beyond ASCII",
     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff==", false},
};

static enum outcome pack_one(struct bytes name, struct bytes value) {
    struct pairs given;
    struct record_writer writer;
    struct packed_list packed;
    pairs_start(&given);
    record_start(&writer);
    pairs_add(&given, name, value);
    enum outcome outcome = properties_pack(pairs_list(&given), &writer, &packed);
    record_end(&writer);
    pairs_end(&given);
    return outcome;
}

TEST(an_md5_is_base64_of_sixteen_bytes) {
    for (size_t i = 0; i < ARRAY_SIZE(md5_forms); i++)
        require_same(pack_one(bytes_text("content-md5"), bytes_text(md5_forms[i].text)),
                     md5_forms[i].sound ? OUTCOME_DONE : OUTCOME_INVALID_MD5, "%s", md5_forms[i].why);
    require_same(pack_one(bytes_text("content-md5"), bytes_of("AAAAAAAAAAA\0AAAAAAAAAA==", 24)),
                 OUTCOME_INVALID_MD5, "a zero byte");
}

TEST(the_size_of_properties_is_limited) {
    static char value[PROPERTIES_MAX_BYTES + 1];
    const size_t name = strlen("content-type"), max = PROPERTIES_MAX_BYTES - name;
    memset(value, 'v', sizeof(value));
    require_same(pack_one(bytes_text("content-type"), bytes_of(value, max)), OUTCOME_DONE, "8192 bytes");
    require_same(pack_one(bytes_text("content-type"), bytes_of(value, max + 1)), OUTCOME_INVALID_VALUE,
                 "8193 bytes");
}

/* Lists from outside, as texts; only the form in which they are packed is sound. */
static const struct {
    const char *why;
    const char *texts[4];
    bool sound;
} outside[] = {
    {"nothing", {NULL}, true},
    {"one", {"content-language=de"}, true},
    {"two in order", {"content-type=a", CONTENT_MD5_OF_ABC}, true},
    {"out of order", {"cache-control=a", "content-type=b"}, false},
    {"twice", {"content-type=a", "content-type=b"}, false},
    {"another case", {"Content-Type=a"}, false},
    {"an empty value", {"content-type="}, false},
    {"unknown", {"content-length=1"}, false},
    {"no MD5", {"content-md5=a"}, false},
    {"no name", {"=a"}, false},
};

TEST(only_the_packed_form_is_sound) {
    for (size_t i = 0; i < ARRAY_SIZE(outside); i++) {
        PAIR_LIST(pairs);
        pairs_add_texts(&pairs, outside[i].texts);
        struct packed_list list = pairs_list(&pairs);
        require_same(properties_sound(list), outside[i].sound, "%s", outside[i].why);
        list.count++;
        require(!properties_sound(list), "%s, one more counted than there are", outside[i].why);
        list.count -= 2;
        require(!properties_sound(list), "%s, one less counted than there are", outside[i].why);
        for (size_t cut = 1; outside[i].sound && cut < list.items.length; cut++) {
            struct packed_list piece = {1, bytes_of(list.items.data, cut)};
            struct record_reader reader = record_reader(piece.items);
            struct bytes name, value;
            bool whole = packed_next_pair(&reader, &name, &value) && record_complete(&reader);
            require_same(properties_sound(piece), whole, "%s, cut at %zu", outside[i].why, cut);
        }
    }
}

TEST(a_huge_list_of_properties_is_not_sound) {
    enum { HUGE_VALUE = 3 * PROPERTIES_MAX_BYTES };
    char *value = calloc(1, HUGE_VALUE);
    require(value, "there is memory");
    struct pairs pairs;
    pairs_start(&pairs);
    pairs_add(&pairs, bytes_text("content-type"), bytes_of(value, HUGE_VALUE));
    require(!properties_sound(pairs_list(&pairs)), "a value of three times the limit is sound");
    pairs_end(&pairs);
    free(value);
}

TEST(a_property_is_found_by_its_name) {
    PAIR_LIST(pairs);
    pairs_add_texts(&pairs, (const char *const[]){"content-type=t", "content-language=l", NULL});
    struct packed_list list = pairs_list(&pairs);
    require_bytes(properties_find(list, "content-type"), bytes_text("t"), "the first");
    require_bytes(properties_find(list, "content-language"), bytes_text("l"), "the last");
    require_bytes(properties_find(list, "cache-control"), bytes_text(""), "one that is not there");
    require_bytes(properties_find((struct packed_list){0, {"", 0}}, "content-type"), bytes_text(""),
                  "nothing there");
}

static const struct {
    const char *content, *claimed;
    bool match;
} contents[] = {
    {"", NULL, true},
    {"abc", NULL, true},
    {"", CONTENT_MD5_OF_NOTHING, true},
    {"abc", CONTENT_MD5_OF_ABC, true},
    {"abd", CONTENT_MD5_OF_ABC, false},
    {"ab", CONTENT_MD5_OF_ABC, false},
    {"", CONTENT_MD5_OF_ABC, false},
    {"abc", CONTENT_MD5_OF_NOTHING, false},
    {"abc", "content-md5=AAAAAAAAAAAAAAAAAAAAAA==", false},
};

TEST(an_md5_speaks_of_the_content) {
    for (size_t i = 0; i < ARRAY_SIZE(contents); i++) {
        PAIR_LIST(pairs);
        if (contents[i].claimed) pairs_add_texts(&pairs, (const char *const[]){contents[i].claimed, NULL});
        require_same(properties_match_content(pairs_list(&pairs), bytes_text(contents[i].content)),
                     contents[i].match, "'%s' with %s", contents[i].content, contents[i].claimed);
    }
}
