#include "server/grammar/args.h"

#include "core/duration.h"
#include "core/inlining.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/version.h"

struct parser {
    const void *argv;
    int argc;
    struct args *args;
    struct fault fault; /* the fault in a value that is reported, unless a syntax error follows */
    uint8_t late;       /* `late` of that value's clause */
    bool is_part;       /* stop at the first word that is not an option */
    bool demands;       /* some option may be mandatory */
};

static const struct fault none = {.outcome = OUTCOME_DONE};

static struct fault syntax_fault(int at) {
    return (struct fault){.outcome = OUTCOME_SYNTAX, .at = at};
}

/* The count of a list, at count_at, is wrong. People who do not know of it leave it out, so the error says so. */
static struct fault count_fault(const struct parser *parser, const struct clause *clause, int at,
                                int count_at) {
    int64_t count;
    bool there = count_at < parser->argc && number_read(args_at(parser->argv, count_at), &count);
    return (struct fault){.outcome = OUTCOME_SYNTAX, .at = at, .uncounted = there ? NULL : clause};
}

RARELY static void note_fault(struct parser *parser, const struct clause *clause, enum outcome outcome,
                              int at) {
    bool counts = parser->fault.outcome == OUTCOME_DONE || clause->late < parser->late;
    if (outcome == OUTCOME_DONE || !counts) return;
    const char *reason = clause->explain ? clause->explain(args_at(parser->argv, at)) : NULL;
    parser->fault = (struct fault){.outcome = outcome, .at = at, .reason = reason};
    parser->late = clause->late;
}

/* A value that is no number at all, or one that lies outside of the clause's range. */
static void note_bad_number(struct parser *parser, const struct clause *clause, bool readable, int at) {
    bool other = !readable && clause->unreadable != OUTCOME_DONE;
    note_fault(parser, clause, other ? clause->unreadable : clause->fault, at);
}

static inline void check_argument(struct parser *parser, const struct clause *clause, int at) {
    if (!clause->check) return;
    enum outcome outcome = clause->check(args_at(parser->argv, at));
    if (outcome != OUTCOME_DONE) note_fault(parser, clause, outcome, at);
}

static bool is_positional(const struct clause *clause) {
    return clause->token.length == 0 && clause->shape != SHAPE_KEYWORD;
}

/* A word that is there, as most positional arguments are. */
static bool is_one_word(const struct clause *clause) {
    return clause->shape <= SHAPE_TEXT && !clause->optional;
}

/* The minimum number of words that a positional clause takes. */
static int clause_min_words(const struct clause *clause) {
    if (clause->shape == SHAPE_REST) return clause->min_count;
    return !clause->optional + (clause->shape == SHAPE_LIST ? clause->width : 0);
}

int args_min(const struct grammar *grammar) {
    int min = 1;
    for (const struct clause *const *at = grammar->clauses; *at && is_positional(*at); at++)
        min += clause_min_words(*at);
    return min;
}

/* Most calls without options are a few words, which only have to pass their checks: see is_plain_call. */
ASIDE static void learn_grammar(struct grammar *grammar) {
    const struct clause *const *at = grammar->clauses;
    while (*at && is_one_word(*at)) at++;
    grammar->words = (uint8_t)(at - grammar->clauses);
    for (; *at; at++) grammar->demands |= is_positional(*at) ? !(*at)->optional : (*at)->required;
    grammar->is_known = true;
}

int args_word(const struct clause *clause, struct bytes word) {
    char first = word.length ? bytes_lower(word.data[0]) : '\0';
    for (int i = 0; clause->words[i]; i++)
        if (bytes_lower(clause->words[i][0]) == first && bytes_same_word(bytes_text(clause->words[i]), word))
            return i;
    return -1;
}

static bool begins_with(const struct clause *clause, struct bytes word) {
    if (clause->shape == SHAPE_KEYWORD) return args_word(clause, word) >= 0;
    return bytes_same_word(clause->token, word);
}

static const struct clause *find_option(const struct clause *const *options, struct bytes word) {
    for (; *options; options++)
        if (begins_with(*options, word)) return *options;
    return NULL;
}

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
    bool sound = number_read(args_at(parser->argv, argument->at), &argument->number) &&
                 number_read(args_at(parser->argv, argument->at + 1), &argument->length);
    if (!sound || argument->number < 0 || argument->length < -1 || argument->length == 0)
        note_fault(parser, clause, clause->fault, argument->at);
}

static void parse_version(struct parser *parser, const struct clause *clause, struct argument *argument) {
    if (!version_read(args_at(parser->argv, argument->at), &argument->version))
        note_fault(parser, clause, clause->fault, argument->at);
}

static bool parse_word(struct parser *parser, const struct clause *clause, int at, int64_t *chosen) {
    int index = args_word(clause, args_at(parser->argv, at));
    if (index < 0) return false;
    *chosen |= INT64_C(1) << index;
    return true;
}

/* The number of words after the token, or -1 if the count is not a number or is wrong. */
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

/* What the clause takes is given, from here on. */
static struct argument *begin_argument(struct parser *parser, const struct clause *clause, int at) {
    struct argument *argument = &parser->args->slots[clause->slot];
    *argument = (struct argument){.at = at};
    parser->args->given |= ARGS_BIT(clause->slot);
    return argument;
}

/* A list among the positional arguments; each first value of an item is checked as the clause says. */
static bool parse_list(struct parser *parser, const struct clause *clause, int at, int *next) {
    struct argument *argument = &parser->args->slots[clause->slot];
    argument->at = at;
    int words = counted_words(parser, clause, argument);
    if (words <= 0) return false;
    for (int item = 0; item < argument->count; item++)
        check_argument(parser, clause, argument->at + item * clause->width);
    parser->args->given |= ARGS_BIT(clause->slot);
    *next = argument->at + words;
    return true;
}

static struct fault parse_words(struct parser *parser, const struct clause *clause, struct argument *argument,
                                int count) {
    argument->number = 0;
    for (int at = argument->at; at < argument->at + count; at++)
        if (!parse_word(parser, clause, at, &argument->number)) return syntax_fault(at);
    return none;
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

static int width_of(const struct parser *parser, const struct clause *clause, struct argument *argument) {
    switch (clause->shape) {
    case SHAPE_WORDS:
    case SHAPE_ITEMS: return counted_words(parser, clause, argument);
    case SHAPE_MEASURE: return measure_width(parser, clause, argument);
    default: return clause->width;
    }
}

static struct fault parse_choice(struct parser *parser, const struct clause *clause, int at) {
    struct argument *argument = begin_argument(parser, clause, at);
    argument->number = args_word(clause, args_at(parser->argv, at));
    return argument->number < 0 ? syntax_fault(at) : none;
}

static void parse_id(struct parser *parser, const struct clause *clause, struct argument *argument) {
    if (!guid_read(args_at(parser->argv, argument->at), &argument->id))
        note_fault(parser, clause, clause->fault, argument->at);
}

/* `at` is the index of the option's token; *next is set to that of the word after its values. */
static struct fault parse_option(struct parser *parser, const struct clause *clause, int at, int *next) {
    struct argument *argument = &parser->args->slots[clause->slot];
    *argument = (struct argument){.at = at + 1};
    int width = width_of(parser, clause, argument);
    bool counted = clause->shape == SHAPE_WORDS || clause->shape == SHAPE_ITEMS;
    if (width < 0 && counted) return count_fault(parser, clause, at, at + 1);
    if (width < 0 || argument->at + width > parser->argc) return syntax_fault(at);
    *next = argument->at + width;
    switch (clause->shape) {
    case SHAPE_VALUE: check_argument(parser, clause, argument->at); return none;
    case SHAPE_ID: parse_id(parser, clause, argument); return none;
    case SHAPE_NUMBER: parse_number(parser, clause, argument->at, &argument->number); return none;
    case SHAPE_MEASURE:
        if (width) parse_number(parser, clause, argument->at, &argument->number);
        return none;
    case SHAPE_KEYWORD: argument->word = args_word(clause, args_at(parser->argv, at)); return none;
    case SHAPE_VERSION: parse_version(parser, clause, argument); return none;
    case SHAPE_DURATION: parse_duration(parser, clause, argument->at, &argument->number); return none;
    case SHAPE_RANGE: parse_range(parser, clause, argument); return none;
    case SHAPE_CHOICE: return parse_choice(parser, clause, argument->at);
    case SHAPE_WORDS: return parse_words(parser, clause, argument, width);
    default: return none;
    }
}

static struct fault check_required(struct parser *parser, const struct clause *const *options) {
    for (; *options; options++) {
        if (!(*options)->required || args_given(parser->args, (*options)->slot)) continue;
        struct fault fault = {.outcome = OUTCOME_SYNTAX, .missing = *options};
        if ((*options)->absent == OUTCOME_DONE) return fault;
        if (parser->fault.outcome != OUTCOME_DONE) continue;
        parser->fault = (struct fault){.outcome = (*options)->absent, .missing = *options};
    }
    return none;
}

static struct fault parse_options(struct parser *parser, const struct clause *const *options, int at,
                                  int *next) {
    while (at < parser->argc) {
        const struct clause *clause = find_option(options, args_at(parser->argv, at));
        if (!clause && parser->is_part) break;
        if (!clause || args_given(parser->args, clause->slot)) return syntax_fault(at);
        struct fault fault = parse_option(parser, clause, at, &at);
        if (fault.outcome != OUTCOME_DONE) return fault;
        parser->args->given |= ARGS_BIT(clause->slot);
    }
    *next = at;
    return parser->demands ? check_required(parser, options) : none;
}

/* Pairs of a word and a value, as many as the count says. */
static struct fault parse_chosen(struct parser *parser, const struct clause *clause, int at, int *next) {
    struct argument *argument = begin_argument(parser, clause, at);
    int width = counted_words(parser, clause, argument);
    if (width < 0) return count_fault(parser, clause, at, at);
    *next = argument->at + width;
    for (int word = argument->at; word < *next; word += clause->width)
        if (args_word(clause, args_at(parser->argv, word)) < 0) return syntax_fault(word);
    return none;
}

static struct fault parse_positional(struct parser *parser, const struct clause *clause, int at, int *next) {
    *next = at + 1;
    if (clause->shape == SHAPE_CHOSEN) return parse_chosen(parser, clause, at, next);
    if (clause->shape == SHAPE_CHOICE) return parse_choice(parser, clause, at);
    if (clause->shape == SHAPE_LIST)
        return parse_list(parser, clause, at, next) ? none : count_fault(parser, clause, at, at);
    if (clause->shape == SHAPE_NUMBER) {
        parse_number(parser, clause, at, &begin_argument(parser, clause, at)->number);
    }
    check_argument(parser, clause, at);
    if (clause->shape == SHAPE_ID) parse_id(parser, clause, begin_argument(parser, clause, at));
    return none;
}

/* A word that could be an option is taken for one. */
static void parse_optional(struct parser *parser, const struct clause *const *clauses, int *at) {
    const struct clause *clause = *clauses;
    if (*at >= parser->argc || find_option(clauses + 1, args_at(parser->argv, *at))) return;
    begin_argument(parser, clause, *at);
    check_argument(parser, clause, (*at)++);
}

static struct fault parse_clauses(struct parser *parser, const struct clause *const *clauses, int at,
                                  int *next) {
    for (; *clauses && is_positional(*clauses); clauses++) {
        if ((*clauses)->shape == SHAPE_REST) return parser->fault;
        if ((*clauses)->optional) {
            parse_optional(parser, clauses, &at);
            continue;
        }
        struct fault fault = parse_positional(parser, *clauses, at, &at);
        if (fault.outcome != OUTCOME_DONE) return fault;
    }
    struct fault fault = parse_options(parser, clauses, at, next);
    return fault.outcome != OUTCOME_DONE ? fault : parser->fault;
}

ASIDE static struct fault parse_all(struct parser *parser, const struct grammar *grammar, int at, int *next) {
    parser->args->given = 0;
    parser->demands = grammar->demands;
    for (int i = 0; i < grammar->words; i++) check_argument(parser, grammar->clauses[i], at++);
    return parse_clauses(parser, grammar->clauses + grammar->words, at, next);
}

/* Whether a call has exactly the words that it must have, and all of them pass their checks. */
static bool is_plain_call(const struct grammar *grammar, const void *argv, int argc) {
    if (argc != grammar->words + 1 || grammar->demands) return false;
    for (int at = 1; at < argc; at++) {
        const struct clause *clause = grammar->clauses[at - 1];
        if (clause->check && clause->check(args_at(argv, at)) != OUTCOME_DONE) return false;
    }
    return true;
}

struct fault args_parse(struct grammar *grammar, const void *argv, int argc, struct args *args) {
    int end;
    if (!grammar->is_known) learn_grammar(grammar);
    args->given = 0;
    if (is_plain_call(grammar, argv, argc)) return none;
    return parse_all(&(struct parser){.argv = argv, .argc = argc, .args = args}, grammar, 1, &end);
}

struct fault args_parse_part(struct grammar *grammar, const void *argv, int argc, int at, struct args *args,
                             int *next) {
    struct parser parser = {.argv = argv, .argc = argc, .args = args, .is_part = true};
    if (argc - at < args_min(grammar)) return syntax_fault(at);
    if (!grammar->is_known) learn_grammar(grammar);
    return parse_all(&parser, grammar, at + 1, next);
}

struct fault args_parse_tail(const struct grammar *grammar, const void *argv, int argc, int at,
                             struct args *args) {
    struct parser parser = {.argv = argv, .argc = argc, .args = args, .demands = true};
    const struct clause *const *clauses = grammar->clauses;
    const uint64_t before = args->given;
    int end;
    while ((*clauses)->shape != SHAPE_REST) clauses++;
    args->given = 0;
    struct fault fault = parse_clauses(&parser, clauses + 1, at, &end);
    args->given |= before;
    return fault;
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
