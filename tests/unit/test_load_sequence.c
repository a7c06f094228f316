/* The order of records in files: what a walk writes is believed, and what comes twice, too early or too late is not. */
#include "blob/load_sequence.h"

#include "blob/container_walk.h"
#include "unit.h"

/* Records are told of in letters, each with a blob's name behind it if it has one. */
static const struct {
    char letter;
    enum container_change_kind kind;
} letters[] = {
    {'C', CONTAINER_CREATE}, {'L', CONTAINER_LEASE}, {'K', CONTAINER_CHUNK}, {'Z', CONTAINER_LOADED},
    {'P', BLOB_PUT},         {'T', BLOB_STATE},      {'t', BLOB_STATE},      {'S', BLOB_SPANS},
    {'B', BLOB_BLOCKS},      {'V', BLOB_LEAVES},     {'N', BLOB_SNAPSHOT},   {'Y', BLOB_COPYSTATE},
    {'U', BLOB_STAGED},      {'l', BLOB_LEASE},      {'D', BLOB_DELETE},     {'m', CONTAINER_SETMETA},
    {'A', BLOB_APPEND},      {'X', CONTAINER_DROP},  {'s', BLOB_SPANS},      {'b', BLOB_BLOCKS},
    {'v', BLOB_LEAVES},
};

/* A small t keeps the content of the state before. A list of a small letter lacks one entry, one of a
 * great letter none. */
static struct container_change record_of(const char *word) {
    struct container_change change = {.kind = CONTAINER_CHANGE_KINDS};
    for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
        if (letters[i].letter == word[0]) change.kind = letters[i].kind;
    require(change.kind < CONTAINER_CHANGE_KINDS, "no record is called '%c'", word[0]);
    change.parts = word[0] == 't' ? STATE_KEEPS_CONTENT : 0;
    change.list.count = strchr("sbv", word[0]) ? WALK_LIST_MAX - 1 : WALK_LIST_MAX;
    change.name = bytes_of(word + 1, strcspn(word + 1, " "));
    return change;
}

/* All but so many at the end. */
static void require_believed(const char *records, size_t but) {
    struct load_sequence order = {.created = false};
    size_t all = 0, believed = 0;
    for (const char *word = records; *word; all++) {
        const struct container_change change = record_of(word);
        if (believed == all && load_sequence_keeps(&order, &change)) believed++;
        word += strcspn(word, " ");
        word += *word == ' ';
    }
    require_same(believed + but, all, "'%s'", records);
}

TEST(files_in_the_order_of_a_walk_are_loaded) {
    static const char *const files[] = {
        "C",
        "C L Pa",
        "C Pa Pb Pc",
        "C Pa Pab Pb",
        "C Ta K Sa Z",
        "C K Ta K K Sa Sa Ya Na ta Ya K Ua la Z",
        "C Ta K Va Na Ta Va Na ta Na Ta",
        "C Pa Na Pa Na K Ta Ba",
        "C K Ua la K Ub Ub lb K Uc Z",
        "C Ta K sa Z",
        "C Ta K Ba K Ba ba Na Tb bb Z",
        "C Ta K Va va Na Ta va Z",
    };
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) require_believed(files[i], 0);
}

/* The last record of each is the one that is not believed. */
TEST(files_in_another_order_are_refused) {
    static const char *const files[] = {
        /* the container first, and once */
        "Pa",
        "L",
        "K",
        "Z",
        "C C",
        "C Pa C",
        /* its lease before any blob */
        "C Pa L",
        /* names do not fall */
        "C Pb Pa",
        "C Pab Pa",
        "C Pb Nb Ua",
        "C Ub Ua",
        /* one state, until a snapshot has taken it */
        "C Pa Pa",
        "C Pa Ta",
        "C Ta Ta",
        "C Ta Sa ta",
        "C Pa Na Pa Pa",
        "C Ta K Ua Ta",
        /* content behind its state, and nowhere else */
        "C Sa",
        "C Ba",
        "C Va",
        "C Pa Sa",
        "C Pa Ba",
        "C Pa Na Sa",
        "C Ta Sa Na Sa",
        "C Ta Na Va",
        "C Pa Na ta Sa",
        "C Pa Na ta Va",
        "C Ta Sa Sb",
        /* a short list is the last one of its content */
        "C Ta sa sa",
        "C Ta ba Ba",
        "C Ta va va",
        "C Ta sa K Sa",
        "C Ta Ba ba ba",
        "C Ta ba Ya ba",
        "C Ta va Na Ta Va va va",
        /* a snapshot of a state, and of each state one */
        "C Na",
        "C Pa Na Na",
        "C Pa Nb",
        "C Ua Na",
        /* what files do not hold */
        "C Da",
        "C Pa Da",
        "C m",
        "C Ta Aa",
        "C X",
    };
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) require_believed(files[i], 1);
}

/* The longest names differ in their last byte. */
TEST(names_are_compared_in_full) {
    static char name[NAME_MAX_BYTES];
    struct load_sequence order = {.created = false};
    struct container_change change = {.kind = CONTAINER_CREATE};
    require(load_sequence_keeps(&order, &change), "the container");
    memset(name, 'n', sizeof(name));
    change = (struct container_change){.kind = BLOB_PUT, .name = bytes_of(name, sizeof(name))};
    require(load_sequence_keeps(&order, &change), "a blob");
    name[NAME_MAX_BYTES - 1] = 'o';
    require(load_sequence_keeps(&order, &change), "a greater name");
    name[NAME_MAX_BYTES - 1] = 'm';
    require(!load_sequence_keeps(&order, &change), "a smaller name");
}
