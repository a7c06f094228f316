/* Values that no command takes: names, numbers, metadata, properties, policies out of bounds, and several faults at
 * once, of which the first in the order of checks is answered. Nothing happens in any case. */
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "text.h"
#include "traces.h"

BEFORE_EACH {
    expect_etag(call(primary, "CONTAINER.CREATE box META 1 colour red"));
    expect_etag(call(primary, "BLOB.PUT box cat meow META 1 a b PROPS 1 content-type text/plain"));
    expect_ok(call(primary, "SET text x"));
    traces_begin("none");
}

/* What comes before and behind a blob's name in every command that takes one. */
static const struct {
    const char *command;
    const char *rest;
} blob_commands[] = {
    {"BLOB.PUT", "content"}, {"BLOB.GET", ""},
    {"BLOB.STAT", ""},       {"BLOB.SETPROPS", "PROPS 1 content-type text/plain"},
    {"BLOB.GETMETA", ""},    {"BLOB.SETMETA", "META 1 a b"},
    {"BLOB.DELETE", ""},
};

static void expect_name_refused(const char *name, size_t length, const char *error) {
    for (size_t i = 0; i < ARRAY_SIZE(blob_commands); i++) {
        struct words words = words_of_line(blob_commands[i].command);
        words_add(&words, "box");
        words_add_bytes(&words, name, length);
        words_add_line(&words, blob_commands[i].rest);
        expect_refused(&words, error);
    }
}

static const char *segments(size_t count) {
    char *name = pool_take(count * 2);
    for (size_t i = 0; i < count; i++) memcpy(name + i * 2, "s/", 2);
    name[count * 2 - 1] = '\0';
    return name;
}

TEST(blob_names_have_bounds) {
    expect_name_refused("", 0, "INVALID OutOfRangeInput");
    expect_name_refused(pool_print("%01025d", 1), 1025, "INVALID OutOfRangeInput");
    expect_name_refused(pool_print("%070000d", 1), 70000, "INVALID OutOfRangeInput");
    expect_name_refused(pool_take(1025), 1025, "INVALID OutOfRangeInput");
    expect_name_refused(segments(255), strlen(segments(255)), "INVALID InvalidUri");
    traces_require_none();
    put("box", segments(254), "deep");
    put("box", pool_print("%01024d", 1), "long");
}

/* Commands that take metadata, without them. */
static const char *const metadata_commands[] = {
    "CONTAINER.CREATE none",
    "CONTAINER.SETMETA box",
    "BLOB.PUT box cat content",
    "BLOB.SETMETA box cat",
    NULL,
};

static void expect_metadata_refused(const struct words *metadata, const char *error) {
    for (const char *const *command = metadata_commands; *command; command++) {
        struct words words = words_of_line(*command);
        for (size_t i = 0; i < metadata->count; i++)
            words_add_bytes(&words, metadata->word[i], metadata->length[i]);
        expect_refused(&words, error);
    }
}

static void expect_metadata_name_refused(const char *name, size_t length, const char *error) {
    struct words metadata = words_of_line("META 2 fine x");
    words_add_bytes(&metadata, name, length);
    words_add(&metadata, "value");
    expect_metadata_refused(&metadata, error);
}

TEST(metadata_names_are_identifiers) {
    static const char *const bad[] = {
        "1a", "a-b",    "a b", " a",   "a ", "-",   "a.b", "\xc3\xa9t\xc3\xa9",
        "a:", "a\r\nb", "\n",  "\x7f", "$a", "a/b",
    };
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        expect_metadata_name_refused(bad[i], strlen(bad[i]), "INVALID InvalidMetadata");
    expect_metadata_name_refused("a\0b", 3, "INVALID InvalidMetadata");
    expect_metadata_name_refused("\0", 1, "INVALID InvalidMetadata");
    expect_metadata_name_refused("", 0, "INVALID EmptyMetadataKey");
    traces_require_none();
}

TEST(metadata_names_are_unique_in_any_case) {
    static const char *const bad[] = {"META 2 a 1 a 2", "META 2 a 1 A 2", "META 3 aB 1 c 2 Ab 1",
                                      "META 2 _ 1 _ 1"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct words metadata = words_of_line(bad[i]);
        expect_metadata_refused(&metadata, "INVALID InvalidMetadata");
    }
    traces_require_none();
}

TEST(metadata_have_a_size) {
    struct words metadata = words_of_line("META 1 n");
    words_add(&metadata, pool_print("%08192d", 1));
    expect_metadata_refused(&metadata, "INVALID MetadataTooLarge");
    metadata = words_of_line("META 1");
    words_add(&metadata, pool_print("n%08192d", 1));
    words_add(&metadata, "");
    expect_metadata_refused(&metadata, "INVALID MetadataTooLarge");
    metadata = words_of_line("META 1 n");
    words_add(&metadata, pool_print("%0100000d", 1));
    expect_metadata_refused(&metadata, "INVALID MetadataTooLarge");
    traces_require_none();
    expect_etag(call(primary, "CONTAINER.SETMETA box META 1 n %s", pool_print("%08191d", 1)));
    expect_etag(call(primary, "BLOB.SETMETA box cat META 1 %s %s", pool_print("n%08190d", 1), "v"));
}

static void expect_properties_refused(const char *line, const char *error) {
    static const char *const commands[] = {"BLOB.PUT box cat content", "BLOB.SETPROPS box cat", NULL};
    for (const char *const *command = commands; *command; command++) {
        struct words words = words_of_line(*command);
        words_add_line(&words, line);
        expect_refused(&words, error);
    }
}

TEST(unknown_properties_are_refused) {
    static const char *const bad[] = {
        "PROPS 1 nonsense x",
        "PROPS 1 '' x",
        "PROPS 1 content-length 4",
        "PROPS 1 etag 0x0000000000000001",
        "PROPS 1 content-type\r\n x",
        "PROPS 1 contenttype x",
        "PROPS 2 content-type a content-type a",
        "PROPS 2 content-type a CONTENT-TYPE b",
    };
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        expect_properties_refused(bad[i], "INVALID InvalidHeaderValue");
    expect_properties_refused(pool_print("PROPS 1 content-type %09000d", 1), "INVALID InvalidHeaderValue");
    expect_properties_refused(pool_print("PROPS 2 content-type %05000d content-language %05000d", 1, 2),
                              "INVALID InvalidHeaderValue");
    traces_require_none();
}

TEST(md5_is_base64_of_sixteen_bytes) {
    static const char *const bad[] = {
        "x",
        "AAAAAAAAAAAAAAAAAAAAAB==",
        "AAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAA=",
        "AAAAAAAAAAAAAAAAAAAAAA===",
        "AAAAAAAAAAAAAAAAAAAA====",
        "AAAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAA",
        "=AAAAAAAAAAAAAAAAAAAAA==",
        "AAAAAAAAAAAAAAAAAAAAA!==",
        "AAAAAAAAAAA=AAAAAAAAAA==",
        "d41d8cd98f00b204e9800998ecf8427e",
        "AAAAAAAAAAAAAAAAAAAAAA==\r\n",
    };
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        expect_properties_refused(pool_print("PROPS 1 content-md5 %s", bad[i]), "INVALID InvalidMd5");
    traces_require_none();
}

TEST(policies_have_bounds) {
    static const struct {
        const char *policies;
        const char *error;
    } bad[] = {
        {"POLICIES 6 a - - r b - - r c - - r d - - r e - - r f - - r", "INVALID InvalidXmlDocument"},
        {"POLICIES 1 '' - - r", "INVALID InvalidXmlDocument"},
        {"POLICIES 2 a - - r a - - w", "INVALID InvalidXmlDocument"},
        {"POLICIES 1 a x - r", "INVALID InvalidXmlNodeValue"},
        {"POLICIES 1 a - x r", "INVALID InvalidXmlNodeValue"},
        {"POLICIES 1 a '' - r", "INVALID InvalidXmlNodeValue"},
        {"POLICIES 1 a -- - r", "INVALID InvalidXmlNodeValue"},
        {"POLICIES 1 a 1.5 - r", "INVALID InvalidXmlNodeValue"},
        {"POLICIES 1 a 99999999999999999999 - r", "INVALID InvalidXmlNodeValue"},
        {"POLICIES 1 a - - rr", "INVALID InvalidXmlNodeValue"},
        {"POLICIES 1 a - - r1", "INVALID InvalidXmlNodeValue"},
        {"POLICIES 1 a - - \r\n", "INVALID InvalidXmlNodeValue"},
        {"POLICIES 1 a - - r,w", "INVALID InvalidXmlNodeValue"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct words words = words_of_line("CONTAINER.SETACL box");
        words_add_line(&words, bad[i].policies);
        expect_refused(&words, bad[i].error);
    }
    expect_error(call(primary, "CONTAINER.SETACL box POLICIES 1 %s - - r", pool_print("%065d", 1)),
                 "INVALID InvalidXmlDocument");
    traces_require_none();
    expect_etag(call(primary, "CONTAINER.SETACL box POLICIES 5 a - - r b - - r c - - r d - - r A - - r"));
}

/* The words to choose from are tokens, so another one is a fault of syntax. */
TEST(unknown_access_levels_are_refused) {
    static const char *const bad[] = {"", "NOBODY", "private ", "BLOBS", "1", "BLOB\r\n"};
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct words words = words_of_line("CONTAINER.CREATE none ACCESS");
        words_add(&words, bad[i]);
        expect_refused(&words, "ERR syntax error near '");
        words = words_of_line("CONTAINER.SETACL box ACCESS");
        words_add(&words, bad[i]);
        expect_refused(&words, "ERR syntax error near '");
    }
    struct words words = words_of_line("CONTAINER.CREATE none ACCESS");
    words_add_bytes(&words, "BLOB\0", 5);
    expect_refused(&words, "ERR syntax error near '");
    traces_require_none();
}

/* One fault of a command: the part of the command that carries it, and what it alone is answered with. */
struct fault {
    const char *container;
    const char *blob;
    const char *clauses;
    const char *error;
};

/* The faults of one command in the order in which they are looked for. */
struct ladder {
    const char *command;
    bool takes_blob;
    const char *rest;
    const char *needed; /* the list that must be there, if any */
    struct fault faults[12];
};

#define UNKNOWN_TOKEN                                                                                        \
    { NULL, NULL, "NONSENSE", "ERR syntax error near 'NONSENSE'" }
#define EMPTY_NAME                                                                                           \
    { NULL, "", NULL, "INVALID OutOfRangeInput" }
#define BAD_INSTANT                                                                                          \
    { NULL, NULL, "IFMODIFIEDSINCE x", "INVALID InvalidHeaderValue" }
#define BAD_METADATA                                                                                         \
    { NULL, NULL, "META 1 1bad x", "INVALID InvalidMetadata" }
#define BAD_PROPERTY                                                                                         \
    { NULL, NULL, "PROPS 1 nonsense x", "INVALID InvalidHeaderValue" }
#define BAD_COMBINATION                                                                                      \
    { NULL, NULL, "IFMATCH 0x1 IFNONEMATCH 0x1", "INVALID MultipleConditionHeadersNotSupported" }
#define CANNOT_BE_MEANT                                                                                      \
    { NULL, NULL, "IFNONEMATCH *", "INVALID UnsatisfiableCondition" }
#define OTHER_TYPE                                                                                           \
    { "text", NULL, NULL, "WRONGTYPE" }
#define NO_CONTAINER                                                                                         \
    { "none", NULL, NULL, "NOTFOUND ContainerNotFound" }
#define NO_BLOB                                                                                              \
    { NULL, "none", NULL, "NOTFOUND BlobNotFound" }
#define UNMET_CONDITION                                                                                      \
    { NULL, NULL, "IFMATCH 0x1", "PRECONDITION ConditionNotMet" }
#define RANGE_BEYOND                                                                                         \
    { NULL, NULL, "RANGE 1000 1", "INVALID InvalidRange" }

static const struct ladder ladders[] = {
    {"BLOB.PUT",
     true,
     "content",
     NULL,
     {UNKNOWN_TOKEN, EMPTY_NAME, BAD_INSTANT, BAD_METADATA, BAD_PROPERTY, BAD_COMBINATION, OTHER_TYPE,
      NO_CONTAINER, UNMET_CONDITION}},
    {"BLOB.SETPROPS",
     true,
     "",
     "PROPS",
     {UNKNOWN_TOKEN, EMPTY_NAME, BAD_INSTANT, BAD_PROPERTY, BAD_COMBINATION, OTHER_TYPE, NO_CONTAINER,
      NO_BLOB, UNMET_CONDITION}},
    {"BLOB.DELETE",
     true,
     "",
     NULL,
     {UNKNOWN_TOKEN, EMPTY_NAME, BAD_INSTANT, BAD_COMBINATION, OTHER_TYPE, NO_CONTAINER, NO_BLOB,
      UNMET_CONDITION}},
    {"BLOB.GET",
     true,
     "",
     NULL,
     {UNKNOWN_TOKEN, EMPTY_NAME, BAD_INSTANT, CANNOT_BE_MEANT, OTHER_TYPE, NO_CONTAINER, NO_BLOB,
      UNMET_CONDITION, RANGE_BEYOND}},
    {"CONTAINER.SETMETA",
     false,
     "",
     "META",
     {UNKNOWN_TOKEN, BAD_INSTANT, BAD_METADATA, BAD_COMBINATION, OTHER_TYPE, NO_CONTAINER, UNMET_CONDITION}},
    {"CONTAINER.SETACL",
     false,
     "",
     NULL,
     {{NULL, NULL, "ACCESS NOBODY", "ERR syntax error near 'NOBODY'"},
      {NULL, NULL, "POLICIES 1 a x - r", "INVALID InvalidXmlNodeValue"},
      BAD_COMBINATION,
      OTHER_TYPE,
      NO_CONTAINER,
      UNMET_CONDITION}},
};

static bool same_clause(const char *one, const char *other) {
    struct words words = words_of_line(one);
    for (size_t i = 0; i < words.count; i++) {
        if (text_begins(words.word[i], "IF") && strstr(other, words.word[i])) return true;
    }
    return strstr(other, words.word[0]) != NULL;
}

/* Whether both faults can be in one command. */
static bool faults_go_together(const struct fault *one, const struct fault *other) {
    if (one->container && other->container) return false;
    if (one->blob && other->blob) return false;
    if (one->clauses && other->clauses && same_clause(one->clauses, other->clauses)) return false;
    return true;
}

static void add_clauses(struct words *words, const struct fault *fault) {
    if (fault->clauses) words_add_line(words, fault->clauses);
}

static struct words faulty_command(const struct ladder *ladder, const struct fault *one,
                                   const struct fault *other) {
    struct words words = words_of_line(ladder->command);
    words_add(&words, one->container ? one->container : other->container ? other->container : "box");
    if (ladder->takes_blob) words_add(&words, one->blob ? one->blob : other->blob ? other->blob : "cat");
    words_add_line(&words, ladder->rest);
    add_clauses(&words, other);
    add_clauses(&words, one);
    if (ladder->needed && !strstr(words_text(&words), pool_print(" %s ", ladder->needed))) {
        words_add(&words, ladder->needed);
        words_add(&words, "0");
    }
    return words;
}

TEST(two_faults_are_answered_in_the_order_of_checks) {
    static const struct fault no_fault = {NULL, NULL, NULL, NULL};
    for (size_t i = 0; i < ARRAY_SIZE(ladders); i++) {
        const struct ladder *ladder = &ladders[i];
        for (const struct fault *first = ladder->faults; first->error; first++) {
            struct words alone = faulty_command(ladder, first, &no_fault);
            expect_refused(&alone, first->error);
            for (const struct fault *second = first + 1; second->error; second++) {
                if (!faults_go_together(first, second)) continue;
                struct words both = faulty_command(ladder, first, second);
                expect_refused(&both, first->error);
            }
        }
    }
    traces_require_none();
}

TEST(the_first_of_two_bad_numbers_is_answered) {
    expect_error(call(primary, "BLOB.GET box cat RANGE x 1 IFMODIFIEDSINCE x"), "INVALID InvalidRange");
    expect_error(call(primary, "BLOB.GET box cat IFMODIFIEDSINCE x RANGE x 1"), "INVALID InvalidHeaderValue");
    traces_require_none();
}

TEST(create_looks_at_values_before_existence) {
    expect_error(call(primary, "CONTAINER.CREATE box META 1 1bad x"), "INVALID InvalidMetadata");
    expect_error(call(primary, "CONTAINER.CREATE box"), "CONFLICT ContainerAlreadyExists");
    expect_error(call(primary, "CONTAINER.CREATE text META 1 1bad x"), "INVALID InvalidMetadata");
    traces_require_none();
}
