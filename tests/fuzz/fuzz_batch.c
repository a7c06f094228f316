/* Batches from outside: the words of TABLE.BATCH behind the table's name, one per line. A word that begins with the
 * byte 1 is short for a long one: the next byte, as often as the two behind it say.
 *
 * What the module reads must be what a naive reader finds in the same words: the same operations, or the same
 * refusal, of the same operation. */
#include "allocations.h"
#include "clauses.h"
#include "core/number.h"
#include "core/utf16.h"
#include "require.h"
#include "server/call/refusal.h"
#include "server/call/sample_reply.h"
#include "table/filter_parser.h"
#include "table/redis/drafts.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum {
    WORDS_MAX = 4096,
    LONG_WORDS_BYTES = 6 << 20, /* a little more than a request may have */
    PARTITION_AT = 2,
    COUNT_AT = 3,
    OPERATIONS_AT = 4,
    NONE = 0,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- What the module asks of its surroundings --- */

struct bytes call_word(const struct call *call, int at) {
    return args_at(call->argv, at);
}

/* The room of the keys and properties; there is one at a time. */
static struct record_writer room;

struct record_writer *call_writer(struct call *call) {
    (void)call;
    record_start(&room);
    return &room;
}

void *call_alloc(struct call *call, size_t bytes) {
    return arena_alloc(&call->arena, bytes);
}

void reply_null(struct reply *out) {
    (void)out;
    abort();
}

void reply_error(struct reply *out, const char *error) {
    (void)out;
    fprintf(stderr, "%s\n", error);
    abort();
}

sample_answer *sample_reply_wanted = NULL;

void sample_reply_give(RedisModuleCtx *ctx) {
    (void)ctx;
    abort();
}

static const struct command_part parts[] = {
    {"INSERT", GRAMMAR(&new_row, &entity)},
    {"REPLACE", GRAMMAR(&row, &match, &condition, &entity)},
    {"MERGE", GRAMMAR(&row, &match, &condition, &entity)},
    {"DELETE", GRAMMAR(&row, &match, &condition)},
    {"INSERTORREPLACE", GRAMMAR(&row, &entity)},
    {"INSERTORMERGE", GRAMMAR(&row, &entity)},
    {NULL, NULL},
};

static const struct command batch = {
    .name = "TABLE.BATCH",
    .grammar = GRAMMAR(&table, &partition, &operation_count, &operations),
    .parts = parts,
};

/* --- The naive reader --- */

static const struct {
    const char *word;
    enum verb verb;
    bool is_conditional, has_properties;
} verbs[] = {
    {"insert", VERB_INSERT, false, true},
    {"replace", VERB_REPLACE, true, true},
    {"merge", VERB_MERGE, true, true},
    {"delete", VERB_DELETE, true, false},
    {"insertorreplace", VERB_INSERTORREPLACE, false, true},
    {"insertormerge", VERB_INSERTORMERGE, false, true},
};

struct words {
    struct bytes argv[WORDS_MAX];
    int argc;
};

/* Where its words stand; NONE for what is not there. */
struct naive_operation {
    int verb; /* in the list of verbs */
    int row_at, match_at, if_at, properties_at;
    int property_count;
};

struct naive_batch {
    unsigned count;
    struct naive_operation items[TABLE_BATCH_MAX];
};

static bool is_word(struct bytes word, const char *text) {
    return word.length == strlen(text) && strncasecmp(word.data, text, word.length) == 0;
}

/* The option that begins at *at; false when it is half given. */
static bool read_option(const struct words *words, int *at, int *place, struct naive_operation *operation) {
    int left = words->argc - *at - 1;
    int64_t count = 0;
    if (*place || left < 1) return false;
    *place = *at + 1;
    *at += 2;
    if (place != &operation->properties_at) return true;
    if (!number_read(words->argv[*place], &count) || count < 0 || count > (left - 1) / 2) return false;
    operation->property_count = (int)count;
    ++*place;
    *at += 2 * (int)count;
    return true;
}

/* False for what is no operation at all. */
static bool read_operation(const struct words *words, int *at, struct naive_operation *operation) {
    int verb = -1;
    if (words->argc - *at < 2) return false;
    for (int i = 0; i < VERBS; i++)
        if (is_word(words->argv[*at], verbs[i].word)) verb = i;
    if (verb < 0) return false;
    *operation = (struct naive_operation){.verb = verb, .row_at = *at + 1};
    for (*at += 2; *at < words->argc;) {
        struct bytes word = words->argv[*at];
        int *place = NULL;
        if (verbs[verb].is_conditional && is_word(word, "ifmatch")) place = &operation->match_at;
        if (verbs[verb].is_conditional && is_word(word, "if")) place = &operation->if_at;
        if (verbs[verb].has_properties && is_word(word, "props")) place = &operation->properties_at;
        if (!place) break;
        if (!read_option(words, at, place, operation)) return false;
    }
    return operation->properties_at || !verbs[verb].has_properties;
}

static bool read_batch(const struct words *words, unsigned count, struct naive_batch *naive) {
    int at = OPERATIONS_AT;
    naive->count = count;
    for (unsigned i = 0; i < count; i++)
        if (!read_operation(words, &at, &naive->items[i])) return false;
    return at == words->argc;
}

/* --- Its judgement --- */

static size_t units_of(struct bytes text) {
    size_t units = 0;
    utf16_count(text, &units);
    return units;
}

/* What the entity's own names say has to be so. */
static bool is_own(const struct words *words, const struct naive_operation *operation, struct bytes name,
                   struct bytes value, bool *is_so) {
    if (bytes_equal(name, bytes_text("PartitionKey"))) {
        *is_so = bytes_equal(value, words->argv[PARTITION_AT]);
        return true;
    }
    if (bytes_equal(name, bytes_text("RowKey"))) {
        *is_so = bytes_equal(value, words->argv[operation->row_at]);
        return true;
    }
    *is_so = true;
    return bytes_equal(name, bytes_text("Timestamp"));
}

/* The next property that is to be stored, from number *i on; false at the end, and when one is wrong. */
static bool next_property(const struct words *words, const struct naive_operation *operation, int *i,
                          struct property *property, enum outcome *outcome) {
    enum value_type type;
    bool is_so;
    for (; *i < operation->property_count; ++*i) {
        const struct bytes *pair = &words->argv[operation->properties_at + 2 * *i];
        *outcome = property_name_read(pair[0], &property->name, &type);
        if (*outcome != OUTCOME_DONE) return false;
        if (!is_own(words, operation, property->name, pair[1], &is_so)) {
            *outcome = value_read(type, pair[1], &property->value);
            ++*i;
            return *outcome == OUTCOME_DONE;
        }
        *outcome = is_so ? OUTCOME_DONE : OUTCOME_OTHER_KEY;
        if (!is_so) return false;
    }
    return false;
}

/* Of names without a fault, the entity's own among them. */
static bool has_name_twice(const struct words *words, const struct naive_operation *operation) {
    const struct bytes *pairs = &words->argv[operation->properties_at];
    struct bytes one, other;
    enum value_type type;
    for (size_t i = 1; i < (size_t)operation->property_count; i++)
        for (size_t j = 0; j < i; j++) {
            property_name_read(pairs[2 * i], &one, &type);
            property_name_read(pairs[2 * j], &other, &type);
            if (bytes_equal(one, other)) return true;
        }
    return false;
}

static enum outcome judge_properties(const struct words *words, const struct naive_operation *operation) {
    struct property property;
    enum outcome outcome = OUTCOME_DONE;
    size_t size = 4 + 2 * (units_of(words->argv[PARTITION_AT]) + units_of(words->argv[operation->row_at])),
           count = 0;
    for (int i = 0; next_property(words, operation, &i, &property, &outcome);) {
        if (count++ == PROPERTIES_MAX) return OUTCOME_TOO_MANY_PROPERTIES;
        size += 8 + 2 * units_of(property.name) + value_size(&property.value);
    }
    if (outcome != OUTCOME_DONE) return outcome;
    if (has_name_twice(words, operation)) return OUTCOME_DUPLICATE_PROPERTIES;
    return size > 1 << 20 ? OUTCOME_ENTITY_TOO_LARGE : OUTCOME_DONE;
}

/* As what is asked for, a key with characters that no key has is found out earlier by the service. */
static enum outcome judge_row(struct bytes key, enum verb verb) {
    enum outcome outcome = key_check(key);
    return outcome == OUTCOME_KEY_CHARACTER && verb != VERB_INSERT ? OUTCOME_KEY_UNUSABLE : outcome;
}

static enum outcome judge_conditions(const struct words *words, const struct naive_operation *operation) {
    struct filter filter;
    struct filter_fault fault;
    if (!operation->match_at) return OUTCOME_IFMATCH_MISSING;
    if (tag_read(words->argv[operation->match_at]).kind == TAG_MALFORMED) return OUTCOME_INVALID_INPUT;
    if (!operation->if_at) return OUTCOME_DONE;
    if (!filter_compile(words->argv[operation->if_at], &filter, &fault)) return fault.outcome;
    filter_end(&filter);
    return OUTCOME_DONE;
}

static enum outcome judge_operation(const struct words *words, const struct naive_operation *operation) {
    enum outcome outcome = judge_row(words->argv[operation->row_at], verbs[operation->verb].verb);
    if (outcome == OUTCOME_DONE && verbs[operation->verb].is_conditional)
        outcome = judge_conditions(words, operation);
    if (outcome == OUTCOME_DONE && verbs[operation->verb].has_properties)
        outcome = judge_properties(words, operation);
    return outcome;
}

/* *number becomes that of the operation which is wrong. */
static enum outcome judge_batch(const struct words *words, const struct naive_batch *naive,
                                unsigned *number) {
    enum outcome outcome = OUTCOME_DONE;
    size_t bytes = 0;
    for (*number = 0; *number < naive->count; ++*number) {
        outcome = judge_operation(words, &naive->items[*number]);
        if (outcome != OUTCOME_DONE) break;
    }
    for (int at = PARTITION_AT; at < words->argc; at++) bytes += words->argv[at].length;
    if (bytes > 4 << 20) return OUTCOME_BODY_TOO_LARGE;
    if (outcome != OUTCOME_DONE) return outcome;
    for (*number = 1; *number < naive->count; ++*number)
        for (unsigned other = 0; other < *number; other++)
            if (bytes_equal(words->argv[naive->items[other].row_at],
                            words->argv[naive->items[*number].row_at]))
                return OUTCOME_DUPLICATE_ROW;
    return OUTCOME_DONE;
}

/* --- Comparing --- */

static void compare_properties(const struct words *words, const struct naive_operation *operation,
                               struct packed_list properties) {
    struct record_reader reader = record_reader(properties.items);
    struct property expected, found;
    enum outcome outcome;
    uint64_t count = 0;
    for (int i = 0; next_property(words, operation, &i, &expected, &outcome); count++) {
        struct record_writer one, other;
        require(property_next(&reader, &found), "a property is lost");
        record_start(&one);
        record_start(&other);
        property_put(&one, &expected);
        property_put(&other, &found);
        require_bytes(record_written(&other), record_written(&one), "a property");
        record_end(&one);
        record_end(&other);
    }
    require_same(properties.count, count, "properties");
    require(!property_next(&reader, &found), "a property that nobody gave");
}

static void compare_draft(const struct words *words, const struct naive_operation *expected,
                          const struct drafts *drafts, const struct draft *draft) {
    struct operation operation = draft_operation(drafts, draft);
    struct record_writer key;
    struct tag tag = {.kind = TAG_ANY};
    struct bytes no_filter = {NULL, 0};
    record_start(&key);
    stored_key_put(&key, words->argv[PARTITION_AT], words->argv[expected->row_at]);
    require_bytes(operation.key, record_written(&key), "the key");
    record_end(&key);
    require_same(operation.verb, verbs[expected->verb].verb, "the verb");
    if (expected->match_at) tag = tag_read(words->argv[expected->match_at]);
    require_same(operation.match.kind, tag.kind, "the tag");
    if (tag.kind == TAG_VERSION) require_same(operation.match.version, tag.version, "the tag");
    struct bytes text = expected->if_at ? words->argv[expected->if_at] : no_filter;
    require(draft->condition.data == text.data && draft->condition.length == text.length, "the filter");
    compare_properties(words, expected, operation.properties);
}

/* Whoever is refused is told which operation is wrong, unless it is the whole. */
static void compare_note(const char *note, enum outcome outcome, unsigned number) {
    char start[16];
    if (outcome == OUTCOME_DONE) return;
    bool whole = outcome == OUTCOME_SYNTAX || outcome == OUTCOME_BODY_TOO_LARGE;
    snprintf(start, sizeof(start), "%u: ", number);
    if (whole)
        require(note[0] && !strchr("0123456789", note[0]), "'%s'", note);
    else
        require(strncmp(note, start, strlen(start)) == 0, "'%s' should begin with '%s'", note, start);
}

static void read_both(struct call *call, const struct words *words) {
    static struct naive_batch naive;
    unsigned number = 0;
    enum outcome outcome = drafts_read_batch(call), expected = OUTCOME_SYNTAX;
    if (read_batch(words, (unsigned)call->args.slots[SLOT_OPERATIONS].number, &naive))
        expected = judge_batch(words, &naive, &number);
    require(outcome == expected, "%s, not %s: '%s'", outcome_word(outcome), outcome_word(expected),
            call->note);
    compare_note(call->note, outcome, number);
    if (outcome == OUTCOME_DONE) {
        const struct drafts *drafts = drafts_of_call(call);
        require_same(drafts->count, naive.count, "operations");
        for (unsigned i = 0; i < naive.count; i++)
            compare_draft(words, &naive.items[i], drafts, &drafts->items[i]);
    }
    record_end(&room);
    arena_end(&call->arena);
}

/* --- Words --- */

static struct bytes lengthen(struct bytes word, char *place, size_t *used) {
    if (word.length < 4 || word.data[0] != 1) return word;
    size_t length = (size_t)(unsigned char)word.data[2] << 8 | (unsigned char)word.data[3];
    if (length > LONG_WORDS_BYTES - *used) length = LONG_WORDS_BYTES - *used;
    memset(place + *used, word.data[1], length);
    *used += length;
    return bytes_of(place + *used - length, length);
}

static void split(struct bytes text, struct words *words) {
    static char long_words[LONG_WORDS_BYTES];
    size_t used = 0;
    words->argv[0] = bytes_text("TABLE.BATCH");
    words->argv[1] = bytes_text("t");
    for (words->argc = 2; text.length && words->argc < WORDS_MAX; words->argc++) {
        const char *end = memchr(text.data, '\n', text.length);
        size_t length = end ? (size_t)(end - text.data) : text.length;
        words->argv[words->argc] = lengthen(bytes_of(text.data, length), long_words, &used);
        length += end != NULL;
        text = bytes_of(text.data + length, text.length - length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct words words;
    static struct call call;
    allocations_forget();
    split(bytes_of(data, size), &words);
    call = (struct call){.argv = (RedisModuleString **)words.argv, .argc = words.argc, .command = &batch};
    if (words.argc < args_min(batch.grammar)) return 0;
    arena_start(&call.arena);
    struct fault fault = {.outcome = OUTCOME_DONE};
    args_learn(batch.grammar);
    for (const struct command_part *part = parts; part->word; part++) args_learn(part->grammar);
    args_parse(batch.grammar, call.argv, call.argc, &call.args, &fault);
    if (fault.outcome != OUTCOME_DONE) return 0;
    read_both(&call, &words);
    require_same(allocations_count(), 0, "all is freed");
    return 0;
}
