#include "server/grammar/args.h"

#include "core/duration.h"
#include "core/inlining.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/version.h"

struct parser {
    const void *argv;
    int argc;
    int at; /* the next word */
    const struct grammar *grammar;
    struct args *args;
    struct fault *fault; /* the fault in a value that is reported, unless a syntax error follows */
    uint8_t late;        /* `late` of that value's clause */
    bool is_part;        /* stop at the first word that is not an option */
};

/* --- Faults --- */

/* What parses answers false when the syntax is wrong: then nothing else counts. */
RARELY static bool refuse_word(struct parser *parser, int at) {
    *parser->fault = (struct fault){.outcome = OUTCOME_SYNTAX, .at = at};
    return false;
}

/* The count of a list, at count_at, is wrong. People who do not know of it leave it out, so the error says so. */
RARELY static bool refuse_count(struct parser *parser, const struct clause *clause, int at, int count_at) {
    int64_t count;
    bool there = count_at < parser->argc && number_read(args_at(parser->argv, count_at), &count);
    refuse_word(parser, at);
    parser->fault->uncounted = there ? NULL : clause;
    return false;
}

RARELY static void note_fault(struct parser *parser, const struct clause *clause, enum outcome outcome,
                              int at) {
    bool counts = parser->fault->outcome == OUTCOME_DONE || clause->late < parser->late;
    if (outcome == OUTCOME_DONE || !counts) return;
    const char *reason = clause->explain ? clause->explain(args_at(parser->argv, at)) : NULL;
    *parser->fault = (struct fault){.outcome = outcome, .at = at, .clause = clause, .reason = reason};
    parser->late = clause->late;
}

/* A value that is no number at all, or one that lies outside of the clause's range. */
RARELY static void note_bad_number(struct parser *parser, const struct clause *clause, bool readable,
                                   int at) {
    bool other = !readable && clause->unreadable != OUTCOME_DONE;
    note_fault(parser, clause, other ? clause->unreadable : clause->fault, at);
}

static inline void check_argument(struct parser *parser, const struct clause *clause, int at) {
    if (!clause->check) return;
    enum outcome outcome = clause->check(args_at(parser->argv, at));
    if (outcome != OUTCOME_DONE) note_fault(parser, clause, outcome, at);
}

/* --- Grammars --- */

static bool is_positional(const struct clause *clause) {
    return clause->token.length == 0 && clause->shape != SHAPE_KEYWORD;
}

/* A word that is there, as most positional arguments are. */
static bool is_one_word(const struct clause *clause) {
    return clause->shape <= SHAPE_TEXT && !clause->optional;
}

/* The minimum number of words that a positional clause takes. */
static int clause_min_words(const struct clause *clause) {
    if (clause->optional || clause->shape == SHAPE_REST) return 0;
    return clause->shape == SHAPE_LIST ? 1 + clause->width : 1;
}

int args_min(const struct grammar *grammar) {
    int min = 1;
    for (const struct clause *const *at = grammar->clauses; *at && is_positional(*at); at++)
        min += clause_min_words(*at);
    return min;
}

/* The same for either case of the first letter. The factor gives options that are often used together places of
 * their own. */
static unsigned word_place(struct bytes word) {
    return word.length ? (7 * (unsigned)word.length + ((unsigned char)word.data[0] & 31)) % WORD_PLACES
                       : NO_WORD_PLACE;
}

static void learn_option(struct grammar *grammar, unsigned index) {
    const struct clause *clause = grammar->options[index];
    const uint64_t bit = UINT64_C(1) << index;
    if (clause->required) grammar->required |= ARGS_BIT(clause->slot);
    if (clause->shape != SHAPE_KEYWORD) {
        grammar->places[word_place(clause->token)] |= bit;
        return;
    }
    for (const char *const *word = clause->words; *word; word++)
        grammar->places[word_place(bytes_text(*word))] |= bit;
}

/* Words that are there whatever else is. */
static void learn_words(struct grammar *grammar) {
    const struct clause *const *at = grammar->clauses;
    for (; *at && is_one_word(*at); at++)
        if ((*at)->check) grammar->checked |= UINT64_C(1) << (at - grammar->clauses);
    grammar->words = (int)(at - grammar->clauses);
}

void args_learn(struct grammar *grammar) {
    learn_words(grammar);
    bool demands = false;
    const struct clause *const *at = grammar->clauses + grammar->words;
    for (; *at && is_positional(*at); at++) demands |= !(*at)->optional;
    grammar->options = at;
    for (unsigned i = 0; at[i]; i++) learn_option(grammar, i);
    grammar->plain_argc = demands || grammar->required ? 0 : grammar->words + 1;
}

int args_word(const struct clause *clause, struct bytes word) {
    char first = word.length ? bytes_lower(word.data[0]) : '\0';
    for (int i = 0; clause->words[i]; i++)
        if (bytes_lower(clause->words[i][0]) == first && bytes_same_word(bytes_text(clause->words[i]), word))
            return i;
    return -1;
}

ASIDE static bool begins_with(const struct clause *clause, struct bytes word) {
    if (clause->shape == SHAPE_KEYWORD) return args_word(clause, word) >= 0;
    return bytes_same_word(clause->token, word);
}

/* Most words are written as they are here, so that is tried first. */
static inline const struct clause *find_option(const struct grammar *grammar, struct bytes word) {
    for (uint64_t left = grammar->places[word_place(word)]; left; left &= left - 1) {
        const struct clause *clause = grammar->options[__builtin_ctzll(left)];
        if (bytes_equal(clause->token, word) || begins_with(clause, word)) return clause;
    }
    return NULL;
}

bool args_begins_option(const struct grammar *grammar, struct bytes word) {
    return find_option(grammar, word);
}

/* --- Values --- */

static void parse_number(struct parser *parser, const struct clause *clause, int at, int64_t *number) {
    bool sound = number_read(args_at(parser->argv, at), number);
    if (!sound || *number < clause->min || *number > clause->max) note_bad_number(parser, clause, sound, at);
}

static void parse_duration(struct parser *parser, const struct clause *clause, int at, int64_t *duration_ms) {
    bool sound = duration_read(args_at(parser->argv, at), duration_ms);
    int64_t negative;
    if (!sound || *duration_ms < clause->min || *duration_ms > clause->max)
        note_bad_number(parser, clause, sound || number_read(args_at(parser->argv, at), &negative), at);
}

static void parse_range(struct parser *parser, const struct clause *clause, struct argument *argument) {
    int at = argument->at;
    bool begins = number_read(args_at(parser->argv, at), &argument->number) && argument->number >= 0;
    bool ends = number_read(args_at(parser->argv, at + 1), &argument->length) && argument->length >= -1 &&
                argument->length != 0;
    if (!begins || !ends) note_fault(parser, clause, clause->fault, at + begins);
}

/* Whose bytes the clause may bound. */
static inline void parse_value(struct parser *parser, const struct clause *clause, int at) {
    int64_t length = clause->max ? (int64_t)args_at(parser->argv, at).length : 0;
    if (clause->max && (length < clause->min || length > clause->max))
        note_fault(parser, clause, clause->fault, at);
    check_argument(parser, clause, at);
}

static void parse_version(struct parser *parser, const struct clause *clause, struct argument *argument) {
    if (!version_read(args_at(parser->argv, argument->at), &argument->version))
        note_fault(parser, clause, clause->fault, argument->at);
}

static void parse_id(struct parser *parser, const struct clause *clause, struct argument *argument) {
    if (!guid_read(args_at(parser->argv, argument->at), &argument->id))
        note_fault(parser, clause, clause->fault, argument->at);
}

static bool parse_choice(struct parser *parser, const struct clause *clause, struct argument *argument) {
    argument->number = args_word(clause, args_at(parser->argv, argument->at));
    return argument->number >= 0 || refuse_word(parser, argument->at);
}

static bool parse_words(struct parser *parser, const struct clause *clause, struct argument *argument) {
    for (int at = argument->at; at < argument->at + argument->count; at++) {
        int index = args_word(clause, args_at(parser->argv, at));
        if (index < 0) return refuse_word(parser, at);
        argument->number |= INT64_C(1) << index;
    }
    return true;
}

/* --- How many words belong to an argument --- */

/* The number of words behind the count, or -1 if the count is not a number or is wrong. */
static int counted_words(const struct parser *parser, const struct clause *clause,
                         struct argument *argument) {
    int64_t count;
    int left = parser->argc - argument->at - 1;
    if (left < 0 || !number_read(args_at(parser->argv, argument->at), &count)) return -1;
    if (count < clause->min_count || count > left / clause->width) return -1;
    argument->at++;
    argument->count = (int)count;
    return (int)count * clause->width;
}

/* The word is known before the number of values that follow it. */
static int measure_width(const struct parser *parser, const struct clause *clause,
                         struct argument *argument) {
    if (argument->at >= parser->argc) return -1;
    int words = 0, word = args_word(clause, args_at(parser->argv, argument->at++));
    while (clause->words[words]) words++;
    argument->word = word;
    return word < 0 ? -1 : word < words - clause->bare;
}

static int varying_width(const struct parser *parser, const struct clause *clause,
                         struct argument *argument) {
    return clause->shape == SHAPE_MEASURE ? measure_width(parser, clause, argument)
                                          : counted_words(parser, clause, argument);
}

/* The words that are given do not suffice. */
RARELY static bool refuse_width(struct parser *parser, const struct clause *clause, int token) {
    bool counted = clause->shape == SHAPE_WORDS || clause->shape == SHAPE_ITEMS;
    bool unknown = clause->shape == SHAPE_MEASURE && token + 1 < parser->argc &&
                   args_word(clause, args_at(parser->argv, token + 1)) < 0;
    return counted ? refuse_count(parser, clause, token, token + 1) : refuse_word(parser, token + unknown);
}

/* --- Options --- */

/* The option's token is the next word. */
static bool parse_option(struct parser *parser, const struct clause *clause, struct argument *argument) {
    int token = parser->at;
    *argument = (struct argument){.at = token + 1};
    int width = clause->shape >= SHAPE_WORDS ? varying_width(parser, clause, argument) : clause->width;
    if (width < 0 || argument->at + width > parser->argc) return refuse_width(parser, clause, token);
    parser->at = argument->at + width;
    switch (clause->shape) {
    case SHAPE_TAG: argument->tag = tag_read(args_at(parser->argv, argument->at)); return true;
    case SHAPE_VALUE: parse_value(parser, clause, argument->at); return true;
    case SHAPE_ID: parse_id(parser, clause, argument); return true;
    case SHAPE_NUMBER: parse_number(parser, clause, argument->at, &argument->number); return true;
    case SHAPE_MEASURE:
        if (width) parse_number(parser, clause, argument->at, &argument->number);
        return true;
    case SHAPE_KEYWORD: argument->word = args_word(clause, args_at(parser->argv, token)); return true;
    case SHAPE_VERSION: parse_version(parser, clause, argument); return true;
    case SHAPE_DURATION: parse_duration(parser, clause, argument->at, &argument->number); return true;
    case SHAPE_RANGE: parse_range(parser, clause, argument); return true;
    case SHAPE_CHOICE: return parse_choice(parser, clause, argument);
    case SHAPE_WORDS: return parse_words(parser, clause, argument);
    default: return true;
    }
}

/* Some option is missing; its clause may say which fault that is. */
RARELY static bool note_missing(struct parser *parser) {
    for (const struct clause *const *at = parser->grammar->options; *at; at++) {
        if (!(*at)->required || args_given(parser->args, (*at)->slot)) continue;
        bool is_syntax = (*at)->absent == OUTCOME_DONE;
        enum outcome outcome = is_syntax ? OUTCOME_SYNTAX : (*at)->absent;
        if (is_syntax || parser->fault->outcome == OUTCOME_DONE)
            *parser->fault = (struct fault){.outcome = outcome, .missing = *at};
        if (is_syntax) return false;
    }
    return true;
}

static bool parse_options(struct parser *parser) {
    struct args *args = parser->args;
    while (parser->at < parser->argc) {
        const struct clause *clause = find_option(parser->grammar, args_at(parser->argv, parser->at));
        if (!clause && parser->is_part) break;
        if (!clause || args_given(args, clause->slot)) return refuse_word(parser, parser->at);
        if (!parse_option(parser, clause, &args->slots[clause->slot])) return false;
        args->given |= ARGS_BIT(clause->slot);
    }
    return !(parser->grammar->required & ~args->given) || note_missing(parser);
}

/* --- Positional arguments --- */

/* What the clause takes is given, from the next word on. */
static struct argument *begin_argument(struct parser *parser, const struct clause *clause) {
    struct argument *argument = &parser->args->slots[clause->slot];
    *argument = (struct argument){.at = parser->at++};
    parser->args->given |= ARGS_BIT(clause->slot);
    return argument;
}

/* A count, and as many items as it says. */
static bool parse_counted(struct parser *parser, const struct clause *clause, struct argument *argument) {
    int at = argument->at, words = counted_words(parser, clause, argument);
    if (words < 0) return refuse_count(parser, clause, at, at);
    parser->at = argument->at + words;
    return true;
}

/* Each first value of an item is checked as the clause says. */
static bool parse_list(struct parser *parser, const struct clause *clause, struct argument *argument) {
    int at = argument->at;
    if (!parse_counted(parser, clause, argument)) return false;
    if (!argument->count) return refuse_count(parser, clause, at, at);
    for (int item = 0; item < argument->count; item++)
        check_argument(parser, clause, argument->at + item * clause->width);
    return true;
}

/* Pairs of a word and a value. */
static bool parse_chosen(struct parser *parser, const struct clause *clause, struct argument *argument) {
    if (!parse_counted(parser, clause, argument)) return false;
    for (int at = argument->at; at < parser->at; at += clause->width)
        if (args_word(clause, args_at(parser->argv, at)) < 0) return refuse_word(parser, at);
    return true;
}

static bool parse_positional(struct parser *parser, const struct clause *clause) {
    struct argument *argument;
    switch (clause->shape) {
    case SHAPE_CHOSEN: return parse_chosen(parser, clause, begin_argument(parser, clause));
    case SHAPE_CHOICE: return parse_choice(parser, clause, begin_argument(parser, clause));
    case SHAPE_LIST: return parse_list(parser, clause, begin_argument(parser, clause));
    case SHAPE_NUMBER:
        argument = begin_argument(parser, clause);
        parse_number(parser, clause, argument->at, &argument->number);
        check_argument(parser, clause, argument->at);
        return true;
    case SHAPE_ID:
        argument = begin_argument(parser, clause);
        check_argument(parser, clause, argument->at);
        parse_id(parser, clause, argument);
        return true;
    default: check_argument(parser, clause, parser->at++); return true;
    }
}

/* A word that could be an option is taken for one. */
static void parse_optional(struct parser *parser, const struct clause *clause) {
    bool is_there =
        parser->at < parser->argc && !find_option(parser->grammar, args_at(parser->argv, parser->at));
    if (is_there) check_argument(parser, clause, begin_argument(parser, clause)->at);
}

/* False when the syntax is wrong, and where the caller reads the rest. */
ASIDE static bool parse_positionals(struct parser *parser, const struct clause *const *at) {
    for (; *at && at < parser->grammar->options; at++) {
        if ((*at)->shape == SHAPE_REST) return false;
        if ((*at)->optional)
            parse_optional(parser, *at);
        else if (!parse_positional(parser, *at))
            return false;
    }
    return true;
}

/* --- Calls --- */

/* Checks the words that are there whatever else is. */
static void check_first_words(struct parser *parser) {
    for (int i = 0; i < parser->grammar->words; i++)
        check_argument(parser, parser->grammar->clauses[i], parser->at + i);
}

/* All but these words. */
ASIDE static enum outcome parse_others(struct parser *parser) {
    const struct grammar *grammar = parser->grammar;
    const struct clause *const *next = grammar->clauses + grammar->words;
    parser->at += grammar->words;
    if (next == grammar->options || parse_positionals(parser, next)) parse_options(parser);
    return parser->fault->outcome;
}

/* They do not pass, but the syntax behind them may be wrong, too. */
RARELY static enum outcome parse_wrong(struct parser *parser) {
    check_first_words(parser);
    return parse_others(parser);
}

static bool words_pass(const struct grammar *grammar, const void *argv) {
    for (uint64_t left = grammar->checked; left; left &= left - 1) {
        int word = __builtin_ctzll(left);
        if (grammar->clauses[word]->check(args_at(argv, word + 1)) != OUTCOME_DONE) return false;
    }
    return true;
}

/* Most calls have exactly the words that they must have, and need no walk through the grammar. */
enum outcome args_parse(const struct grammar *grammar, const void *argv, int argc, struct args *args,
                        struct fault *fault) {
    bool pass = words_pass(grammar, argv);
    args->given = 0;
    fault->outcome = OUTCOME_DONE;
    if (pass && argc == grammar->plain_argc) return OUTCOME_DONE;
    struct parser parser = {argv, argc, 1, grammar, args, fault, .is_part = false};
    return pass ? parse_others(&parser) : parse_wrong(&parser);
}

enum outcome args_parse_part(const struct grammar *grammar, const void *argv, int argc, int at,
                             struct args *args, struct fault *fault, int *next) {
    struct parser parser = {argv, argc, at + 1, grammar, args, fault, .is_part = true};
    args->given = 0;
    fault->outcome = OUTCOME_DONE;
    if (argc - at < args_min(grammar)) {
        refuse_word(&parser, at);
        return fault->outcome;
    }
    check_first_words(&parser);
    enum outcome outcome = parse_others(&parser);
    if (outcome != OUTCOME_SYNTAX || fault->missing) *next = parser.at;
    return outcome;
}

enum outcome args_parse_tail(const struct grammar *grammar, const void *argv, int argc, int at,
                             struct args *args, struct fault *fault) {
    const uint64_t before = args->given;
    struct parser parser = {argv, argc, at, grammar, args, fault, .is_part = false};
    args->given = 0;
    fault->outcome = OUTCOME_DONE;
    if (at < argc) parse_options(&parser);
    args->given |= before;
    return fault->outcome;
}

/* Behind the word is the first value or, in shapes with a varying width, what tells how many there are. */
int args_option_at(const struct grammar *grammar, const struct args *args, int slot) {
    const struct clause *const *clause = grammar->options;
    while ((*clause)->slot != slot) clause++;
    return args->slots[slot].at - ((*clause)->shape >= SHAPE_WORDS ? 2 : 1);
}

struct args_kept *args_keep(const struct args *args) {
    size_t count = (size_t)__builtin_popcountll(args->given), at = 0;
    struct args_kept *kept = memory_alloc(sizeof(*kept) + count * sizeof(kept->slots[0]));
    kept->given = args->given;
    for (uint64_t left = args->given; left; left &= left - 1)
        kept->slots[at++] = args->slots[__builtin_ctzll(left)];
    return kept;
}

void args_restore(const struct args_kept *kept, struct args *args) {
    size_t at = 0;
    args->given = kept->given;
    for (uint64_t left = kept->given; left; left &= left - 1)
        args->slots[__builtin_ctzll(left)] = kept->slots[at++];
}

const struct argument *args_kept_slot(const struct args_kept *kept, int slot) {
    uint64_t below = kept->given & (ARGS_BIT(slot) - 1);
    return kept->given & ARGS_BIT(slot) ? &kept->slots[__builtin_popcountll(below)] : NULL;
}
