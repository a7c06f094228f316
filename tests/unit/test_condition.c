/* Conditions: each one by itself as the specification has it in its tables, and every combination of them. */
#include "core/condition.h"

#include "unit.h"

#define EQUAL "0x65A0000000000005"
#define OTHER "0x65A0000000000006"

static const struct stamp there = {UINT64_C(0x65a0000000000005), 5000};

/* Reads are not asked about what is missing. Plain writes may be, for a name that has only staged
 * blocks, which no condition finds. */
static const struct {
    enum condition_use use;
    const char *name;
} uses[] = {{CONDITIONS_READ, "read"}, {CONDITIONS_WRITE, "write"}, {CONDITIONS_CREATE, "creating write"}};

enum { USES = ARRAY_SIZE(uses) };

/* --- What a tag is -------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    enum tag_kind kind;
} tags[] = {
    {"*", TAG_ANY},
    {EQUAL, TAG_VERSION},
    {"0x65a0000000000005", TAG_VERSION},
    {"\"" EQUAL "\"", TAG_VERSION},
    {"\"" EQUAL, TAG_MALFORMED},
    {EQUAL "\"", TAG_MALFORMED},
    {"'" EQUAL "'", TAG_MALFORMED},
    {"W/\"" EQUAL "\"", TAG_MALFORMED},
    {"\"*\"", TAG_MALFORMED},
    {"**", TAG_MALFORMED},
    {"* ", TAG_MALFORMED},
    {"", TAG_MALFORMED},
    {"\"", TAG_MALFORMED},
    {"\"\"", TAG_MALFORMED},
    {"5", TAG_MALFORMED},
    {"0x5", TAG_MALFORMED},
    {EQUAL "," OTHER, TAG_MALFORMED},
};

TEST(a_tag_is_any_or_a_version_or_malformed) {
    for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
        struct tag tag = tag_read(bytes_text(tags[i].text));
        require_same(tag.kind, tags[i].kind, "%s", tags[i].text);
        if (tag.kind == TAG_VERSION) require_same(tag.version, there.etag, "%s", tags[i].text);
    }
    require_same(tag_read(bytes_of("*\0", 2)).kind, TAG_MALFORMED, "a zero byte behind the star");
}

/* --- One condition alone -------------------------------------------------------------------------------- */

enum verdict { PASSES, UNMET, NOT_MODIFIED, EXISTS, UNSATISFIABLE, NOT_FOUND, NOT_ASKED };

static enum outcome outcome_of(enum verdict verdict) {
    static const enum outcome outcomes[] = {
        OUTCOME_DONE,        OUTCOME_CONDITION_NOT_MET,       OUTCOME_UNCHANGED,
        OUTCOME_BLOB_EXISTS, OUTCOME_UNSATISFIABLE_CONDITION, OUTCOME_BLOB_NOT_FOUND};
    return outcomes[verdict];
}

/* The value of a tag condition as text, of a date as milliseconds before or after the modification. */
static const struct {
    enum condition_kind kind;
    const char *text;
    int64_t since_ms;
    enum verdict read, write, create, create_missing;
} alone[] = {
    {IF_MATCH, "*", 0, PASSES, PASSES, PASSES, UNMET},
    {IF_MATCH, EQUAL, 0, PASSES, PASSES, PASSES, UNMET},
    {IF_MATCH, "\"" EQUAL "\"", 0, PASSES, PASSES, PASSES, UNMET},
    {IF_MATCH, OTHER, 0, UNMET, UNMET, UNMET, UNMET},
    {IF_MATCH, "\"" OTHER "\"", 0, UNMET, UNMET, UNMET, UNMET},
    {IF_MATCH, "\"" EQUAL, 0, UNMET, UNMET, UNMET, UNMET},
    {IF_MATCH, EQUAL "\"", 0, UNMET, UNMET, UNMET, UNMET},
    {IF_MATCH, "nonsense", 0, UNMET, UNMET, UNMET, UNMET},
    {IF_MATCH, "", 0, UNMET, UNMET, UNMET, UNMET},
    {IF_MATCH, "0x0000000000000000", 0, UNMET, UNMET, UNMET, UNMET},
    {IF_NONE_MATCH, "*", 0, UNSATISFIABLE, PASSES, EXISTS, PASSES},
    {IF_NONE_MATCH, EQUAL, 0, NOT_MODIFIED, UNMET, UNMET, PASSES},
    {IF_NONE_MATCH, "\"" EQUAL "\"", 0, NOT_MODIFIED, UNMET, UNMET, PASSES},
    {IF_NONE_MATCH, OTHER, 0, PASSES, PASSES, PASSES, PASSES},
    {IF_NONE_MATCH, "\"" EQUAL, 0, PASSES, PASSES, PASSES, PASSES},
    {IF_NONE_MATCH, "\"*\"", 0, PASSES, PASSES, PASSES, PASSES},
    {IF_NONE_MATCH, "nonsense", 0, PASSES, PASSES, PASSES, PASSES},
    {IF_NONE_MATCH, "0x0000000000000000", 0, PASSES, PASSES, PASSES, PASSES},
    {IF_MODIFIED_SINCE, NULL, -1, PASSES, PASSES, PASSES, PASSES},
    {IF_MODIFIED_SINCE, NULL, 0, NOT_MODIFIED, UNMET, UNMET, PASSES},
    {IF_MODIFIED_SINCE, NULL, 1, NOT_MODIFIED, UNMET, UNMET, PASSES},
    {IF_UNMODIFIED_SINCE, NULL, -1, UNMET, UNMET, UNMET, PASSES},
    {IF_UNMODIFIED_SINCE, NULL, 0, PASSES, PASSES, PASSES, PASSES},
    {IF_UNMODIFIED_SINCE, NULL, 1, PASSES, PASSES, PASSES, PASSES},
};

/* Adds the condition of a row. */
static void give(struct conditions *conditions, size_t row) {
    conditions->given |= alone[row].kind;
    int64_t date_ms = there.modified_ms + alone[row].since_ms;
    switch (alone[row].kind) {
    case IF_MATCH: conditions->match = tag_read(bytes_text(alone[row].text)); break;
    case IF_NONE_MATCH: conditions->none_match = tag_read(bytes_text(alone[row].text)); break;
    case IF_MODIFIED_SINCE: conditions->modified_since_ms = date_ms; break;
    case IF_UNMODIFIED_SINCE: conditions->unmodified_since_ms = date_ms; break;
    }
}

/* What a command does: first whether the conditions make sense, then whether they hold. */
static enum outcome decide(const struct conditions *conditions, enum condition_use use,
                           const struct stamp *object) {
    enum outcome outcome = conditions_check_form(conditions, use);
    return outcome == OUTCOME_DONE ? conditions_check(conditions, use, object) : outcome;
}

static enum verdict verdict_alone(size_t row, enum condition_use use, bool exists) {
    switch (use) {
    case CONDITIONS_READ: return exists ? alone[row].read : NOT_ASKED;
    case CONDITIONS_WRITE: return exists ? alone[row].write : NOT_FOUND;
    default: return exists ? alone[row].create : alone[row].create_missing;
    }
}

TEST(each_condition_alone_decides_as_the_rule_says) {
    for (size_t row = 0; row < ARRAY_SIZE(alone); row++)
        for (size_t use = 0; use < USES; use++)
            for (int exists = 0; exists <= 1; exists++) {
                struct conditions conditions = {0};
                enum verdict verdict = verdict_alone(row, uses[use].use, exists);
                if (verdict == NOT_ASKED) continue;
                give(&conditions, row);
                enum outcome outcome = decide(&conditions, uses[use].use, exists ? &there : NULL);
                require(outcome == outcome_of(verdict), "row %zu, %s of what is %s: %s", row, uses[use].name,
                        exists ? "there" : "missing", outcome_word(outcome));
            }
}

/* --- Which may stand together --------------------------------------------------------------------------- */

#define M IF_MATCH
#define N IF_NONE_MATCH
#define S IF_MODIFIED_SINCE
#define U IF_UNMODIFIED_SINCE

static const struct {
    unsigned given;
    bool write; /* reads take all of them */
} together[] = {
    {0, true},          {M, true},          {N, true},          {S, true},
    {U, true},          {N | S, true},      {M | U, true},      {M | N, false},
    {M | S, false},     {N | U, false},     {S | U, false},     {M | N | S, false},
    {M | N | U, false}, {M | S | U, false}, {N | S | U, false}, {M | N | S | U, false},
};

TEST(writes_take_one_condition_or_two_that_agree) {
    unsigned seen = 0;
    for (size_t i = 0; i < ARRAY_SIZE(together); i++) {
        seen |= 1U << together[i].given;
        struct conditions conditions = {
            .given = together[i].given, .match = {TAG_VERSION, 1}, .none_match = {TAG_VERSION, 2}};
        enum outcome expected = together[i].write ? OUTCOME_DONE : OUTCOME_TOO_MANY_CONDITIONS;
        require_same(conditions_check_form(&conditions, CONDITIONS_READ), OUTCOME_DONE, "a read with %u",
                     together[i].given);
        for (size_t use = 1; use < USES; use++)
            require_same(conditions_check_form(&conditions, uses[use].use), expected, "a %s with %u",
                         uses[use].name, together[i].given);
    }
    require_same(seen, 0xffff, "the table has all sixteen subsets");
}

/* A read that wants an object nobody has ever seen cannot be answered, whatever else it wants. */
TEST(no_read_meets_if_none_match_any) {
    for (unsigned given = 0; given < 16; given++) {
        struct conditions conditions = {
            .given = given, .match = {TAG_VERSION, 1}, .none_match = {TAG_ANY, 0}};
        require_same(conditions_check_form(&conditions, CONDITIONS_READ),
                     given & N ? OUTCOME_UNSATISFIABLE_CONDITION : OUTCOME_DONE, "a read with %u", given);
    }
    struct conditions any = {.given = M, .match = {TAG_ANY, 0}};
    require_same(conditions_check_form(&any, CONDITIONS_READ), OUTCOME_DONE, "IFMATCH * is another matter");
}

/* --- All combinations ----------------------------------------------------------------------------------- */

enum { NOT_GIVEN = -1, KINDS = 4 };

static const enum condition_kind kinds[KINDS] = {M, N, S, U};

/* A row of the table for each kind of condition, or NOT_GIVEN. */
struct combination {
    int rows[KINDS];
};

static int kind_place(enum condition_kind kind) {
    int place = 0;
    while (kinds[place] != kind) place++;
    return place;
}

static bool given(const struct combination *c, enum condition_kind kind) {
    return c->rows[kind_place(kind)] != NOT_GIVEN;
}

/* Whether a condition that is given holds by itself. */
static bool holds(const struct combination *c, enum condition_kind kind, enum condition_use use,
                  bool exists) {
    return verdict_alone((size_t)c->rows[kind_place(kind)], use, exists) == PASSES;
}

static enum outcome expected_of_read(const struct combination *c) {
    const enum condition_use use = CONDITIONS_READ;
    if (given(c, N) && alone[c->rows[kind_place(N)]].read == UNSATISFIABLE)
        return OUTCOME_UNSATISFIABLE_CONDITION;
    if (given(c, M) && !holds(c, M, use, true)) return OUTCOME_CONDITION_NOT_MET;
    if (given(c, U) && !holds(c, U, use, true)) return OUTCOME_CONDITION_NOT_MET;
    if (!given(c, N) && !given(c, S)) return OUTCOME_DONE;
    bool news = (given(c, N) && holds(c, N, use, true)) || (given(c, S) && holds(c, S, use, true));
    return news ? OUTCOME_DONE : OUTCOME_UNCHANGED;
}

/* Of two that may stand together the tag alone counts, so a write is judged by one condition. */
static enum outcome expected_of_write(const struct combination *c, enum condition_use use, bool exists) {
    unsigned all = 0;
    for (int i = 0; i < KINDS; i++)
        if (c->rows[i] != NOT_GIVEN) all |= kinds[i];
    for (size_t i = 0; i < ARRAY_SIZE(together); i++)
        if (together[i].given == all && !together[i].write) return OUTCOME_TOO_MANY_CONDITIONS;
    for (int i = 0; i < KINDS; i++)
        if (c->rows[i] != NOT_GIVEN) return outcome_of(verdict_alone((size_t)c->rows[i], use, exists));
    return OUTCOME_DONE;
}

static void compare(const struct combination *c, enum condition_use use, bool exists) {
    struct conditions conditions = {0};
    for (int i = 0; i < KINDS; i++)
        if (c->rows[i] != NOT_GIVEN) give(&conditions, (size_t)c->rows[i]);
    enum outcome expected = use == CONDITIONS_READ ? expected_of_read(c) : expected_of_write(c, use, exists);
    enum outcome outcome = decide(&conditions, use, exists ? &there : NULL);
    require(outcome == expected, "rows %d %d %d %d, a %s of what is %s: %s, not %s", c->rows[0], c->rows[1],
            c->rows[2], c->rows[3], uses[use - CONDITIONS_READ].name, exists ? "there" : "missing",
            outcome_word(outcome), outcome_word(expected));
}

/* The next choice for one kind: none, then each of its rows; NOT_GIVEN again when there are no more. */
static int next_row(enum condition_kind kind, int row) {
    for (row++; row < (int)ARRAY_SIZE(alone); row++)
        if (alone[row].kind == kind) return row;
    return NOT_GIVEN;
}

static bool next_combination(struct combination *c) {
    for (int i = 0; i < KINDS; i++) {
        c->rows[i] = next_row(kinds[i], c->rows[i]);
        if (c->rows[i] != NOT_GIVEN) return true;
    }
    return false;
}

TEST(conditions_in_every_combination_decide_as_the_rule_says) {
    struct combination c = {{NOT_GIVEN, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN}};
    unsigned combinations = 0;
    do {
        compare(&c, CONDITIONS_READ, true);
        compare(&c, CONDITIONS_WRITE, true);
        compare(&c, CONDITIONS_WRITE, false);
        compare(&c, CONDITIONS_CREATE, true);
        compare(&c, CONDITIONS_CREATE, false);
        combinations++;
    } while (next_combination(&c));
    require_same(combinations, 11 * 9 * 4 * 4, "every row with every other");
}

/* The cells in which implementations differ, spelled out. */
TEST(conditions_in_known_traps_decide_as_the_rule_says) {
    const struct {
        const char *why;
        struct conditions conditions;
        enum condition_use use;
        enum outcome outcome;
    } traps[] = {
        {"a read is news by its date although the tag is known",
         {N | S, {0}, {TAG_VERSION, there.etag}, 4999, 0},
         CONDITIONS_READ,
         OUTCOME_DONE},
        {"a write with both looks at the tag alone",
         {N | S, {0}, {TAG_VERSION, there.etag}, 4999, 0},
         CONDITIONS_WRITE,
         OUTCOME_CONDITION_NOT_MET},
        {"precondition failed beats not modified",
         {M | N, {TAG_VERSION, 1}, {TAG_VERSION, there.etag}, 0, 0},
         CONDITIONS_READ,
         OUTCOME_CONDITION_NOT_MET},
        {"so it does with dates", {S | U, {0}, {0}, 5000, 4999}, CONDITIONS_READ, OUTCOME_CONDITION_NOT_MET},
        {"equal is not modified", {S, {0}, {0}, 5000, 0}, CONDITIONS_READ, OUTCOME_UNCHANGED},
        {"equal is unmodified", {U, {0}, {0}, 0, 5000}, CONDITIONS_READ, OUTCOME_DONE},
        {"a write looks at the tag, not at the date beside it",
         {M | U, {TAG_VERSION, there.etag}, {0}, 0, 1},
         CONDITIONS_WRITE,
         OUTCOME_DONE},
        {"the earliest date there is", {S, {0}, {0}, INT64_MIN, 0}, CONDITIONS_WRITE, OUTCOME_DONE},
        {"the latest date there is", {U, {0}, {0}, 0, INT64_MAX}, CONDITIONS_WRITE, OUTCOME_DONE},
    };
    for (size_t i = 0; i < ARRAY_SIZE(traps); i++)
        require_same(decide(&traps[i].conditions, traps[i].use, &there), traps[i].outcome, "%s",
                     traps[i].why);
}
