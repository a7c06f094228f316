#include "sample_grammar.h"

#include "core/duration.h"
#include "core/name.h"
#include "core/number.h"
#include "core/version.h"
#include "require.h"

#include <string.h>

static const char *const colours[] = {"red", "green", "blue", NULL};
static const char *const details[] = {"one", "two", "three", "four", NULL};

static const char *const comparisons[] = {"le", "lt", "eq", NULL};
static const char *const steps[] = {"to", "by", "none", "end", NULL};
static const char *const amounts[] = {"all", "some", "tiny", NULL};

static const struct clause key = {.shape = SHAPE_KEY, .width = 1};
static const struct clause name = {.shape = SHAPE_TEXT, .width = 1, .check = name_check};
static const struct clause rest = {.shape = SHAPE_REST, .width = 1};

static const struct clause ifmatch = {TOKEN("IFMATCH"), .shape = SHAPE_TAG, .slot = SLOT_IFMATCH, .width = 1};
static const struct clause since = {TOKEN("IFMODIFIEDSINCE"),       .shape = SHAPE_NUMBER,
                                    .slot = SLOT_IFMODIFIEDSINCE,   .width = 1,
                                    .fault = OUTCOME_INVALID_VALUE, .max = INT64_MAX};
static const struct clause number = {TOKEN("NUMBER"), .shape = SHAPE_NUMBER,          .slot = SLOT_NUMBER,
                                     .width = 1,      .fault = OUTCOME_INVALID_VALUE, .min = -5,
                                     .max = 5};
static const struct clause small = {TOKEN("SMALL"), .shape = SHAPE_NUMBER,         .slot = SLOT_SMALL,
                                    .width = 1,     .fault = OUTCOME_OUT_OF_RANGE, .max = INT64_MAX};
static const struct clause range = {TOKEN("RANGE"), .shape = SHAPE_RANGE, .slot = SLOT_RANGE, .width = 2,
                                    .fault = OUTCOME_INVALID_RANGE};
static const struct clause value = {TOKEN("VALUE"), .shape = SHAPE_VALUE,           .slot = SLOT_VALUE,
                                    .width = 1,     .fault = OUTCOME_INVALID_QUERY, .max = 7};
static const struct clause choice = {TOKEN("CHOICE"), .shape = SHAPE_CHOICE, .slot = SLOT_CHOICE, .width = 1,
                                     .words = colours};
static const struct clause words = {TOKEN("WORDS"), .shape = SHAPE_WORDS, .slot = SLOT_WORDS, .width = 1,
                                    .words = details};
static const struct clause meta = {TOKEN("META"), .shape = SHAPE_ITEMS, .slot = SLOT_META, .width = 2};
static const struct clause policies = {TOKEN("POLICIES"), .shape = SHAPE_ITEMS, .slot = SLOT_POLICIES,
                                       .width = 4};
static const struct clause needed = {TOKEN("VALUE"), .shape = SHAPE_VALUE, .slot = SLOT_NEEDED, .width = 1,
                                     .required = true};
static const struct clause soon = {TOKEN("SOON"), .shape = SHAPE_DURATION,        .slot = SLOT_SOON,
                                   .width = 1,    .fault = OUTCOME_INVALID_VALUE, .max = 60000};
static const struct clause span = {TOKEN("SPAN"), .shape = SHAPE_DURATION,        .slot = SLOT_SPAN,
                                   .width = 1,    .fault = OUTCOME_INVALID_RANGE, .min = DURATION_INFINITE_MS,
                                   .max = 9500};
static const struct clause named = {TOKEN("NAMED"), .shape = SHAPE_VALUE, .slot = SLOT_NAMED, .width = 1,
                                    .check = name_check};
static const struct clause compared = {
    TOKEN("COMPARED"), .shape = SHAPE_MEASURE, .slot = SLOT_COMPARED, .fault = OUTCOME_INVALID_VALUE,
    .max = 9,          .words = comparisons};
static const struct clause step = {TOKEN("STEP"), .shape = SHAPE_MEASURE,         .slot = SLOT_STEP,
                                   .bare = 2,     .fault = OUTCOME_INVALID_RANGE, .max = 9,
                                   .words = steps};
static const struct clause which = {.shape = SHAPE_KEYWORD, .slot = SLOT_WHICH, .words = amounts};
static const struct clause state = {TOKEN("STATE"), .shape = SHAPE_VERSION, .slot = SLOT_STATE, .width = 1,
                                    .fault = OUTCOME_INVALID_RANGE};
static const struct clause place = {
    .shape = SHAPE_NUMBER, .slot = SLOT_PLACE, .fault = OUTCOME_OUT_OF_RANGE, .max = 9};
static const struct clause pairs = {.shape = SHAPE_CHOSEN, .slot = SLOT_PAIRS, .width = 2, .words = colours};

static const struct clause listed = {
    .shape = SHAPE_LIST, .slot = SLOT_LISTED, .width = 2, .check = name_check, .late = 1};
static const struct clause flag = {TOKEN("FLAG"), .shape = SHAPE_FLAG, .slot = SLOT_FLAG};
static const struct clause later = {TOKEN("LATER"),
                                    SHAPE_DURATION,
                                    SLOT_LATER,
                                    .width = 1,
                                    .fault = OUTCOME_OUT_OF_RANGE,
                                    .max = 60000,
                                    .late = 2,
                                    .unreadable = OUTCOME_INVALID_QUERY};
static const struct clause latest = {TOKEN("LATEST"),
                                     SHAPE_NUMBER,
                                     SLOT_LATEST,
                                     .width = 1,
                                     .fault = OUTCOME_OUT_OF_RANGE,
                                     .min = 1,
                                     .max = 9,
                                     .late = 3,
                                     .unreadable = OUTCOME_INVALID_QUERY};

struct grammar sample_grammar = {
    .clauses = (const struct clause *const[]){&key,   &name,     &ifmatch, &since, &number,   &small, &range,
                                              &value, &choice,   &words,   &meta,  &policies, &soon,  &span,
                                              &named, &compared, &step,    &which, &state,    NULL}};
struct grammar paired_grammar = {.clauses =
                                     (const struct clause *const[]){&key, &place, &pairs, &number, NULL}};
struct grammar needy_grammar = {.clauses = (const struct clause *const[]){&key, &number, &needed, NULL}};
struct grammar rest_grammar = {.clauses = (const struct clause *const[]){&key, &rest, NULL}};
struct grammar list_grammar = {
    .clauses = (const struct clause *const[]){&key, &listed, &flag, &later, &latest, NULL}};

static bool is_counted(const struct clause *clause) {
    return clause->shape == SHAPE_WORDS || clause->shape == SHAPE_ITEMS || clause->shape == SHAPE_CHOSEN;
}

static bool is_word(const struct clause *clause, struct bytes word, int64_t index) {
    return bytes_same_word(word, bytes_text(clause->words[index]));
}

static int words_of(const struct clause *clause) {
    int words = 0;
    while (clause->words[words]) words++;
    return words;
}

/* How many values stand behind the word that was found. */
static int width_behind(const struct clause *clause, const struct argument *argument) {
    if (clause->shape == SHAPE_KEYWORD) return 0;
    return clause->shape == SHAPE_MEASURE ? argument->word < words_of(clause) - clause->bare : clause->width;
}

/* The word that was found stands right before the values, and says which of the words it is. */
static void require_word(const struct clause *clause, const struct bytes *argv, int argc,
                         const struct argument *argument) {
    int width = width_behind(clause, argument), before = clause->shape == SHAPE_KEYWORD ? 1 : 2;
    require(argument->word >= 0 && argument->word < words_of(clause), "there is no such word");
    require(argument->at > before && argument->at + width <= argc, "values beyond the end");
    require(is_word(clause, argv[argument->at - 1], argument->word), "another word was found");
    if (clause->shape == SHAPE_MEASURE)
        require(bytes_same_word(argv[argument->at - 2], clause->token), "%s is not where it was said to be",
                clause->token.data);
}

/* The token stands right before the values, or before their count; pairs without a token have their count there. */
static void require_values(const struct clause *clause, const struct bytes *argv, int argc,
                           const struct argument *argument) {
    int before = is_counted(clause) ? 2 : 1, width = clause->width;
    int64_t counted = 1;
    if (is_counted(clause)) {
        require(number_read(argv[argument->at - 1], &counted), "%s has a count that is none",
                clause->token.data);
        require_same(argument->count, counted, "%s", clause->token.data);
    }
    require(counted >= 0 && argument->at > before && argument->at + counted * width <= argc,
            "%s has values beyond the end", clause->token.data);
    require(clause->shape == SHAPE_CHOSEN || bytes_same_word(argv[argument->at - before], clause->token),
            "%s is not where it was said to be", clause->token.data);
}

static void require_meaning(const struct clause *clause, const struct bytes *argv,
                            const struct argument *argument) {
    version read;
    switch (clause->shape) {
    case SHAPE_KEYWORD: break;
    case SHAPE_MEASURE:
        if (!width_behind(clause, argument)) break;
        /* fall through */
    case SHAPE_DURATION:
    case SHAPE_NUMBER:
        require(argument->number >= clause->min && argument->number <= clause->max, "%s is out of its range",
                clause->token.data);
        break;
    case SHAPE_RANGE:
        require(argument->number >= 0 && (argument->length == -1 || argument->length > 0),
                "a range of nothing");
        break;
    case SHAPE_VERSION:
        require(version_read(argv[argument->at], &read) && read == argument->version, "another version");
        break;
    case SHAPE_CHOSEN:
        for (int i = 0; i < argument->count; i++)
            require(args_word(clause, argv[argument->at + 2 * i]) >= 0, "pair %d has no such word", i);
        break;
    case SHAPE_CHOICE:
        require(is_word(clause, argv[argument->at], argument->number), "another word was chosen");
        break;
    case SHAPE_WORDS:
        for (int i = 0; i < argument->count; i++) {
            bool known = false;
            for (int word = 0; clause->words[word]; word++)
                known |= argument->number >> word & 1 && is_word(clause, argv[argument->at + i], word);
            require(known, "word %d is not among the chosen", i);
        }
        break;
    case SHAPE_VALUE:
        require(!clause->check || clause->check(argv[argument->at]) == OUTCOME_DONE, "%s breaks its rule",
                clause->token.data);
        require(!clause->max || argv[argument->at].length <= (size_t)clause->max, "%s is too long",
                clause->token.data);
        break;
    default: break;
    }
}

static void require_sound_fault(const struct grammar *grammar, int argc, const struct fault *fault) {
    require(fault->outcome >= OUTCOME_FIRST && fault->outcome < OUTCOME_COUNT, "outcome %d is no fault",
            (int)fault->outcome);
    if (!fault->missing) {
        require(fault->at >= 1 && fault->at < argc, "word %d of %d is wrong", fault->at, argc);
        return;
    }
    enum outcome absent = fault->missing->absent ? fault->missing->absent : OUTCOME_SYNTAX;
    require(fault->outcome == absent && fault->missing->required, "what is missing is not required");
    const struct clause *const *at = grammar->clauses;
    while (*at && *at != fault->missing) at++;
    require(*at, "what is missing is not in the grammar");
}

/* What was found of one clause; answers how many words it has, beyond those that every call has. */
static int require_sound_clause(const struct clause *clause, const struct bytes *argv, int argc,
                                const struct argument *argument) {
    if (clause->shape == SHAPE_MEASURE || clause->shape == SHAPE_KEYWORD)
        require_word(clause, argv, argc, argument);
    else if (clause->token.length || clause->shape == SHAPE_CHOSEN)
        require_values(clause, argv, argc, argument);
    require_meaning(clause, argv, argument);
    switch (clause->shape) {
    case SHAPE_KEYWORD: return 1;
    case SHAPE_MEASURE: return 2 + width_behind(clause, argument);
    case SHAPE_CHOSEN: return argument->count * clause->width;
    default: break;
    }
    if (!clause->token.length) return 0;
    return is_counted(clause) ? 2 + argument->count * clause->width : 1 + clause->width;
}

/* Numbers, ids and pairs without a token are always there, other words without one leave nothing. */
static bool leaves_something(const struct clause *clause) {
    return clause->token.length || clause->shape == SHAPE_KEYWORD || clause->shape == SHAPE_NUMBER ||
           clause->shape == SHAPE_ID || clause->shape == SHAPE_CHOSEN || clause->shape == SHAPE_LIST;
}

void args_require_sound(const struct grammar *grammar, const struct bytes *argv, int argc,
                        const struct args *args, const struct fault *fault) {
    if (fault->outcome != OUTCOME_DONE) {
        require_sound_fault(grammar, argc, fault);
        return;
    }
    uint64_t possible = 0;
    int words_seen = args_min(grammar);
    for (const struct clause *const *at = grammar->clauses; *at; at++) {
        if ((*at)->shape == SHAPE_REST) words_seen = argc;
        if (!leaves_something(*at)) continue;
        int slot = (*at)->slot;
        bool listed = (*at)->shape == SHAPE_LIST;
        bool optional = (*at)->token.length || (*at)->shape == SHAPE_KEYWORD;
        possible |= UINT64_C(1) << slot;
        if (listed) {
            words_seen += (args->slots[slot].count - 1) * (*at)->width;
            continue;
        }
        require(args_given(args, slot) || !(*at)->required, "something required is not there");
        if (!optional || args_given(args, slot))
            words_seen += require_sound_clause(*at, argv, argc, &args->slots[slot]);
    }
    require_same(args->given & ~possible, 0, "slots that the grammar has not");
    require_same(words_seen, argc, "every word belongs to one clause");
}

struct sample_words sample_words(const char *line) {
    struct sample_words words = {.argc = 0};
    while (*line && words.argc < SAMPLE_WORDS_MAX) {
        size_t length = strcspn(line, " ");
        bool empty = length == 2 && memcmp(line, "''", 2) == 0;
        words.argv[words.argc++] = bytes_of(line, empty ? 0 : length);
        line += length + (line[length] == ' ');
    }
    return words;
}
