#include "sample_grammar.h"

#include "core/duration.h"
#include "core/name.h"
#include "core/number.h"
#include "require.h"

static const char *const colours[] = {"red", "green", "blue", NULL};
static const char *const details[] = {"one", "two", "three", "four", NULL};

static const struct clause key = {.shape = SHAPE_KEY, .width = 1};
static const struct clause name = {.shape = SHAPE_TEXT, .width = 1, .rule = name_check};
static const struct clause rest = {.shape = SHAPE_REST, .width = 1};

static const struct clause ifmatch = {TOKEN("IFMATCH"), .shape = SHAPE_TAG, .slot = SLOT_IFMATCH, .width = 1};
static const struct clause since = {TOKEN("IFMODIFIEDSINCE"),       .shape = SHAPE_NUMBER,
                                    .slot = SLOT_IFMODIFIEDSINCE,   .width = 1,
                                    .fault = OUTCOME_INVALID_VALUE, .most = INT64_MAX};
static const struct clause number = {TOKEN("NUMBER"), .shape = SHAPE_NUMBER,          .slot = SLOT_NUMBER,
                                     .width = 1,      .fault = OUTCOME_INVALID_VALUE, .least = -5,
                                     .most = 5};
static const struct clause small = {TOKEN("SMALL"), .shape = SHAPE_NUMBER,         .slot = SLOT_SMALL,
                                    .width = 1,     .fault = OUTCOME_OUT_OF_RANGE, .most = INT64_MAX};
static const struct clause range = {TOKEN("RANGE"), .shape = SHAPE_RANGE, .slot = SLOT_RANGE, .width = 2,
                                    .fault = OUTCOME_INVALID_RANGE};
static const struct clause value = {TOKEN("VALUE"), .shape = SHAPE_VALUE, .slot = SLOT_VALUE, .width = 1};
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
                                   .width = 1,    .fault = OUTCOME_INVALID_VALUE, .most = 60000};
static const struct clause span = {
    TOKEN("SPAN"), .shape = SHAPE_DURATION,        .slot = SLOT_SPAN,
    .width = 1,    .fault = OUTCOME_INVALID_RANGE, .least = DURATION_INFINITE_MS,
    .most = 9500};
static const struct clause named = {TOKEN("NAMED"), .shape = SHAPE_VALUE, .slot = SLOT_NAMED, .width = 1,
                                    .rule = name_check};

static const struct clause pairs = {
    .shape = SHAPE_LIST, .slot = SLOT_PAIRS, .width = 2, .rule = name_check, .late = 1};
static const struct clause flag = {TOKEN("FLAG"), .shape = SHAPE_FLAG, .slot = SLOT_FLAG};
static const struct clause later = {TOKEN("LATER"),
                                    SHAPE_DURATION,
                                    SLOT_LATER,
                                    .width = 1,
                                    .fault = OUTCOME_OUT_OF_RANGE,
                                    .most = 60000,
                                    .late = 2,
                                    .unreadable = OUTCOME_INVALID_QUERY};
static const struct clause latest = {TOKEN("LATEST"),
                                     SHAPE_NUMBER,
                                     SLOT_LATEST,
                                     .width = 1,
                                     .fault = OUTCOME_OUT_OF_RANGE,
                                     .least = 1,
                                     .most = 9,
                                     .late = 3,
                                     .unreadable = OUTCOME_INVALID_QUERY};

const struct clause *const sample_grammar[] = {&key,   &name,  &ifmatch, &since, &number, &small,
                                               &range, &value, &choice,  &words, &meta,   &policies,
                                               &soon,  &span,  &named,   NULL};
const struct clause *const needy_grammar[] = {&key, &number, &needed, NULL};
const struct clause *const rest_grammar[] = {&key, &rest, NULL};
const struct clause *const list_grammar[] = {&key, &pairs, &flag, &later, &latest, NULL};

static bool is_counted(const struct clause *clause) {
    return clause->shape == SHAPE_WORDS || clause->shape == SHAPE_ITEMS;
}

/* The token stands right before the values, or before their count. */
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
    require(bytes_same_word(argv[argument->at - before], clause->token), "%s is not where it was said to be",
            clause->token.data);
}

static bool is_word(const struct clause *clause, struct bytes word, int index) {
    return bytes_same_word(word, bytes_text(clause->words[index]));
}

static void require_meaning(const struct clause *clause, const struct bytes *argv,
                            const struct argument *argument) {
    switch (clause->shape) {
    case SHAPE_DURATION:
    case SHAPE_NUMBER:
        require(argument->number >= clause->least && argument->number <= clause->most,
                "%s is out of its range", clause->token.data);
        break;
    case SHAPE_RANGE:
        require(argument->number >= 0 && (argument->length == -1 || argument->length > 0),
                "a range of nothing");
        break;
    case SHAPE_CHOICE:
        require(is_word(clause, argv[argument->at], (int)argument->number), "another word was chosen");
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
        require(!clause->rule || clause->rule(argv[argument->at]) == OUTCOME_DONE, "%s breaks its rule",
                clause->token.data);
        break;
    default: break;
    }
}

static void require_sound_fault(const struct clause *const *grammar, int argc, const struct fault *fault) {
    require(fault->outcome >= OUTCOME_FIRST && fault->outcome < OUTCOME_COUNT, "outcome %d is no fault",
            (int)fault->outcome);
    if (!fault->missing) {
        require(fault->at >= 1 && fault->at < argc, "word %d of %d is wrong", fault->at, argc);
        return;
    }
    require(fault->outcome == OUTCOME_SYNTAX && fault->missing->required, "what is missing is not required");
    while (*grammar && *grammar != fault->missing) grammar++;
    require(*grammar, "what is missing is not in the grammar");
}

void args_require_sound(const struct clause *const *grammar, const struct bytes *argv, int argc,
                        const struct args *args, const struct fault *fault) {
    if (fault->outcome != OUTCOME_DONE) {
        require_sound_fault(grammar, argc, fault);
        return;
    }
    uint32_t possible = 0;
    int words_seen = args_least(grammar);
    for (; *grammar; grammar++) {
        if ((*grammar)->shape == SHAPE_REST) words_seen = argc;
        if ((*grammar)->shape == SHAPE_LIST)
            words_seen += (args->slots[(*grammar)->slot].count - 1) * (*grammar)->width;
        int slot = (*grammar)->slot;
        if ((*grammar)->token.length || (*grammar)->shape == SHAPE_LIST) possible |= UINT32_C(1) << slot;
        if ((*grammar)->token.length == 0) continue;
        require(args_given(args, slot) || !(*grammar)->required, "something required is not there");
        if (!args_given(args, slot)) continue;
        const struct argument *argument = &args->slots[slot];
        require_values(*grammar, argv, argc, argument);
        require_meaning(*grammar, argv, argument);
        bool counted = is_counted(*grammar);
        words_seen += (counted ? 2 + argument->count * (*grammar)->width : 1 + (*grammar)->width);
    }
    require_same(args->given & ~possible, 0, "slots that the grammar has not");
    require_same(words_seen, argc, "every word belongs to one clause");
}
