/* Parts of a line that have a grammar of their own: where they end, what they lack, and that
 * they are what they would be alone. */
#include "server/grammar/args.h"

#include "dice.h"
#include "sample_grammar.h"
#include "unit.h"

enum { SLOT_WANTED = SLOT_FAMILY, SLOT_AMOUNT, SLOT_NOTE };

/* name [IFMATCH tag] PROPS count name value … [AMOUNT 1..9] where what is missing has two different faults. */
static const struct clause row = {.shape = SHAPE_TEXT, .width = 1};
static const struct clause match = {TOKEN("IFMATCH"), SHAPE_TAG,        SLOT_IFMATCH,
                                    .width = 1,       .required = true, .absent = OUTCOME_IFMATCH_MISSING};
static const struct clause wanted = {TOKEN("PROPS"), SHAPE_ITEMS, SLOT_WANTED, .width = 2, .required = true};
static const struct clause amount = {
    TOKEN("AMOUNT"), SHAPE_NUMBER, SLOT_AMOUNT, .width = 1, .fault = OUTCOME_INVALID_INPUT,
    .min = 1,        .max = 9};
static const struct clause note = {TOKEN("NOTE"), .shape = SHAPE_FLAG, .slot = SLOT_NOTE};
static struct grammar *const operation = GRAMMAR(&row, &match, &wanted, &amount, &note);

/* Grammars of whole commands have their key before that. */
static const struct clause key = {.shape = SHAPE_KEY, .width = 1};
static struct grammar *const command = GRAMMAR(&key, &row, &match, &wanted, &amount, &note);

/* Parts begin at the third word. */
enum { PART_AT = 2 };

static const struct {
    const char *line;
    enum outcome outcome;
    int at; /* of the word that is wrong; 0 when something is missing */
    int next;
} parts[] = {
    {"a b SET r IFMATCH * PROPS 0", OUTCOME_DONE, 0, 8},
    {"a b SET r IFMATCH * PROPS 0 SET", OUTCOME_DONE, 0, 8},
    {"a b SET r PROPS 1 a b IFMATCH * DELETE r", OUTCOME_DONE, 0, 10},
    {"a b SET r ifmatch * props 0 amount 9 note x", OUTCOME_DONE, 0, 11},
    {"a b SET IFMATCH IFMATCH * PROPS 0", OUTCOME_DONE, 0, 8},
    {"a b SET r IFMATCH * PROPS 1 NOTE NOTE NOTE", OUTCOME_DONE, 0, 11},
    {"a b SET r IFMATCH NOTE PROPS 0", OUTCOME_DONE, 0, 8},
    /* what is missing */
    {"a b SET r PROPS 0", OUTCOME_IFMATCH_MISSING, 0, 6},
    {"a b SET r PROPS 0 IFMATC *", OUTCOME_IFMATCH_MISSING, 0, 6},
    {"a b SET r IFMATCH *", OUTCOME_SYNTAX, 0, 6},
    {"a b SET r", OUTCOME_SYNTAX, 0, 4},
    {"a b SET r x PROPS 0 IFMATCH *", OUTCOME_SYNTAX, 0, 4},
    /* a value that is wrong counts before what is missing, unless that is a fault of syntax */
    {"a b SET r AMOUNT 0 PROPS 0", OUTCOME_INVALID_INPUT, 5, 8},
    {"a b SET r PROPS 0 AMOUNT x DELETE", OUTCOME_INVALID_INPUT, 7, 8},
    {"a b SET r AMOUNT 0", OUTCOME_SYNTAX, 0, 6},
    {"a b SET r IFMATCH * PROPS 0 AMOUNT 10 next", OUTCOME_INVALID_INPUT, 9, 10},
    /* half-given, and twice */
    {"a b SET r IFMATCH", OUTCOME_SYNTAX, 4, -1},
    {"a b SET r IFMATCH * PROPS 2 a b c", OUTCOME_SYNTAX, 6, -1},
    {"a b SET r IFMATCH * PROPS -1", OUTCOME_SYNTAX, 6, -1},
    {"a b SET r IFMATCH * PROPS 0 IFMATCH *", OUTCOME_SYNTAX, 8, -1},
    {"a b SET r NOTE NOTE", OUTCOME_SYNTAX, 5, -1},
    {"a b SET r PROPS 0 AMOUNT", OUTCOME_SYNTAX, 6, -1},
    /* not even what every part has */
    {"a b SET", OUTCOME_SYNTAX, 2, -1},
};

TEST(a_part_ends_where_its_words_end) {
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        struct sample_words words = sample_words(parts[i].line);
        struct args args = {.given = 0};
        int next = -1;
        struct fault fault = {.outcome = OUTCOME_DONE};
        args_learn(operation);
        args_parse_part(operation, words.argv, words.argc, PART_AT, &args, &fault, &next);
        require(fault.outcome == parts[i].outcome, "'%s': %s", parts[i].line, outcome_word(fault.outcome));
        require_same(fault.at, parts[i].at, "'%s'", parts[i].line);
        require_same(next, parts[i].next, "'%s'", parts[i].line);
        bool missing = fault.outcome != OUTCOME_DONE && !fault.at;
        require_same(fault.missing != NULL, missing, "'%s'", parts[i].line);
    }
}

TEST(the_missing_clause_is_named) {
    static const struct {
        const char *line;
        const struct clause *missing;
        enum outcome outcome;
    } lines[] = {
        {"c key r PROPS 0", &match, OUTCOME_IFMATCH_MISSING},
        {"c key r PROPS 0 AMOUNT 0", NULL, OUTCOME_INVALID_INPUT},
        {"c key r IFMATCH *", &wanted, OUTCOME_SYNTAX},
        {"c key r AMOUNT 0", &wanted, OUTCOME_SYNTAX},
        {"c key r", &wanted, OUTCOME_SYNTAX},
        {"c key r PROPS 0 IFMATCH", NULL, OUTCOME_SYNTAX},
        {"c key r PROPS 0 NONSENSE", NULL, OUTCOME_SYNTAX},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct sample_words words = sample_words(lines[i].line);
        struct args args = {.given = 0};
        struct fault fault = {.outcome = OUTCOME_DONE};
        args_learn(command);
        args_parse(command, words.argv, words.argc, &args, &fault);
        args_require_sound(command, words.argv, words.argc, &args, &fault);
        require(fault.missing == lines[i].missing, "'%s' lacks something else", lines[i].line);
        require(fault.outcome == lines[i].outcome, "'%s': %s", lines[i].line, outcome_word(fault.outcome));
    }
}

/* --- Parts of random lines --- */

static bool is_option(const struct grammar *grammar, struct bytes word) {
    for (const struct clause *const *at = grammar->clauses; *at; at++)
        if ((*at)->token.length && bytes_same_word((*at)->token, word)) return true;
    return false;
}

static void require_same_slots(const struct args *part, const struct args *alone, int at) {
    require_same(part->given, alone->given, "what is given");
    for (int slot = 0; slot < SLOTS_MAX; slot++) {
        if (!args_given(part, slot)) continue;
        require_same(part->slots[slot].at, alone->slots[slot].at + at, "slot %d", slot);
        require_same(part->slots[slot].count, alone->slots[slot].count, "slot %d", slot);
        if (slot == SLOT_IFMATCH)
            require_same(part->slots[slot].tag.kind, alone->slots[slot].tag.kind, "slot %d", slot);
        else
            require_same(part->slots[slot].number, alone->slots[slot].number, "slot %d", slot);
    }
}

/* Answers whether the part was right. */
static bool require_like_alone(const struct bytes *argv, int argc, int at) {
    struct args part, alone;
    int next = -1;
    memset(&part, 0x5a, sizeof(part));
    memset(&alone, 0x5a, sizeof(alone));
    struct fault fault = {.outcome = OUTCOME_DONE};
    args_learn(operation);
    args_parse_part(operation, argv, argc, at, &part, &fault, &next);
    if (next < 0) {
        require_same(fault.outcome, OUTCOME_SYNTAX, "no end, so a fault of syntax");
        require(fault.at >= at && fault.at < argc && !fault.missing, "it is in the part");
        return false;
    }
    require(next > at && next <= argc, "the next part begins at %d of %d", next, argc);
    require(next == argc || !is_option(operation, argv[next]), "an option was left");
    struct fault same = {.outcome = OUTCOME_DONE};
    args_parse(operation, argv + at, next - at, &alone, &same);
    require_same(fault.outcome, same.outcome, "the same fault");
    require(fault.missing == same.missing, "the same is missing");
    require_same(fault.at, same.at ? same.at + at : 0, "at the same place");
    if (fault.outcome == OUTCOME_DONE) require_same_slots(&part, &alone, at);
    return fault.outcome == OUTCOME_DONE;
}

TEST(a_part_is_what_it_would_be_alone) {
    static const char *const vocabulary[] = {"IFMATCH", "ifmatch", "PROPS", "PROPS", "AMOUNT", "NOTE",
                                             "0",       "0",       "0",     "1",     "10",     "*"};
    struct dice dice = {11};
    unsigned right = 0;
    for (int round = 0; round < 200000; round++) {
        struct bytes argv[SAMPLE_WORDS_MAX];
        int argc = 2 + (int)dice_roll(&dice, 12), at = (int)dice_roll(&dice, (size_t)argc - 1);
        for (int word = 0; word < argc; word++)
            argv[word] = bytes_text(vocabulary[dice_roll(&dice, ARRAY_SIZE(vocabulary))]);
        right += require_like_alone(argv, argc, at);
    }
    require(right > 500, "only %u parts were right", right);
}
