/* Conditional writes and reads: every operation, on what is there and on what is missing, under every
 * combination of conditions. What must come out is in one table, `rules`, which is the specification; the
 * first row that fits a case tells its outcome. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pool.h"
#include "text.h"
#include "traces.h"

/* What a condition says about the object as it is. A missing object leaves HOLDS and FAILS without meaning.
 */
enum { ABSENT = 1, HOLDS = 2, FAILS = 4, STAR = 8, GIVEN = HOLDS | FAILS | STAR, ANY = ABSENT | GIVEN };

enum kind { READ = 1, CREATING = 2, CHANGING = 4, WRITE = CREATING | CHANGING, ALL = READ | WRITE };

enum state { THERE = 1, BLOB_MISSING = 2, CONTAINER_MISSING = 4, MISSING = 6, EITHER = 7 };

enum outcome {
    PASSES,
    NOT_MODIFIED,
    UNMET,
    EXISTS_ALREADY,
    UNSATISFIABLE,
    TOO_MANY,
    NO_BLOB,
    NO_CONTAINER,
};

static const char *const outcome_error[] = {
    [UNMET] = "PRECONDITION ConditionNotMet",
    [EXISTS_ALREADY] = "CONFLICT BlobAlreadyExists",
    [UNSATISFIABLE] = "INVALID UnsatisfiableCondition",
    [TOO_MANY] = "INVALID MultipleConditionHeadersNotSupported",
    [NO_BLOB] = "NOTFOUND BlobNotFound",
    [NO_CONTAINER] = "NOTFOUND ContainerNotFound",
};

static const struct rule {
    unsigned kinds, states;
    unsigned match, none_match, modified_since, unmodified_since;
    enum outcome outcome;
} rules[] = {
    /* What cannot be meant is refused whatever there is. */
    {READ, EITHER, ANY, STAR, ANY, ANY, UNSATISFIABLE},
    {WRITE, EITHER, GIVEN, GIVEN, ANY, ANY, TOO_MANY},
    {WRITE, EITHER, GIVEN, ANY, GIVEN, ANY, TOO_MANY},
    {WRITE, EITHER, ANY, GIVEN, ANY, GIVEN, TOO_MANY},
    {WRITE, EITHER, ANY, ANY, GIVEN, GIVEN, TOO_MANY},
    /* What is missing. A write that creates needs nothing but not to expect something. */
    {ALL, CONTAINER_MISSING, ANY, ANY, ANY, ANY, NO_CONTAINER},
    {READ | CHANGING, BLOB_MISSING, ANY, ANY, ANY, ANY, NO_BLOB},
    {CREATING, BLOB_MISSING, GIVEN, ANY, ANY, ANY, UNMET},
    {CREATING, BLOB_MISSING, ANY, ANY, ANY, ANY, PASSES},
    /* Reads: IFMATCH and IFUNMODIFIEDSINCE and (IFNONEMATCH or IFMODIFIEDSINCE). */
    {READ, THERE, FAILS, ANY, ANY, ANY, UNMET},
    {READ, THERE, ANY, ANY, ANY, FAILS, UNMET},
    {READ, THERE, ANY, FAILS, ABSENT | FAILS, ANY, NOT_MODIFIED},
    {READ, THERE, ANY, ABSENT, FAILS, ANY, NOT_MODIFIED},
    {READ, THERE, ANY, ANY, ANY, ANY, PASSES},
    /* Writes: an ETag, where one is given, decides alone. */
    {CREATING, THERE, ANY, STAR, ANY, ANY, EXISTS_ALREADY},
    {WRITE, THERE, FAILS, ANY, ANY, ANY, UNMET},
    {WRITE, THERE, GIVEN, ANY, ANY, ANY, PASSES},
    {WRITE, THERE, ANY, FAILS, ANY, ANY, UNMET},
    {WRITE, THERE, ANY, GIVEN, ANY, ANY, PASSES},
    {WRITE, THERE, ANY, ANY, FAILS, ANY, UNMET},
    {WRITE, THERE, ANY, ANY, ANY, FAILS, UNMET},
    {WRITE, THERE, ANY, ANY, ANY, ANY, PASSES},
};

static const struct operation {
    const char *name;
    const char *rest; /* what follows the names */
    enum kind kind;
    bool on_container;
    bool deletes;
} operations[] = {
    {"BLOB.GET", "", READ, false, false},
    {"BLOB.GET", "RANGE 0 1", READ, false, false},
    {"BLOB.STAT", "", READ, false, false},
    {"BLOB.GETMETA", "", READ, false, false},
    {"BLOB.PUT", "content", CREATING, false, false},
    {"BLOB.SETPROPS", "PROPS 1 content-type text/plain", CHANGING, false, false},
    {"BLOB.SETMETA", "META 1 name value", CHANGING, false, false},
    {"BLOB.DELETE", "", CHANGING, false, true},
    {"CONTAINER.SETMETA", "META 1 name value", CHANGING, true, false},
    {"CONTAINER.SETACL", "ACCESS BLOB", CHANGING, true, false},
    {"CONTAINER.DELETE", "", CHANGING, true, true},
};

enum spelling { NOT_GIVEN, BARE, QUOTED, LOWER_CASE, WILDCARD, ANOTHER, OLD, HALF_QUOTED, WEAK, SPELLINGS };

/* The same spelling of the current ETag means opposite things to IFMATCH and IFNONEMATCH. */
static unsigned etag_fact(enum spelling spelling, bool is_none_match) {
    if (spelling == NOT_GIVEN) return ABSENT;
    if (spelling == WILDCARD) return STAR;
    bool is_equal = spelling == BARE || spelling == QUOTED || spelling == LOWER_CASE;
    return is_equal != is_none_match ? HOLDS : FAILS;
}

enum instant { NO_INSTANT, BEFORE, AT, AFTER, INSTANTS };

static const unsigned modified_since_fact[] = {
    [NO_INSTANT] = ABSENT, [BEFORE] = HOLDS, [AT] = FAILS, [AFTER] = FAILS};
static const unsigned unmodified_since_fact[] = {
    [NO_INSTANT] = ABSENT, [BEFORE] = FAILS, [AT] = HOLDS, [AFTER] = HOLDS};

/* The object under test as it is now. */
struct object {
    const char *old_etag;
    const char *etag;
    long long modified;
};

struct combination {
    const struct operation *operation;
    enum state state;
    enum spelling match, none_match;
    enum instant modified_since, unmodified_since;
};

static enum outcome expected_outcome(const struct combination *this) {
    for (const struct rule *rule = rules;; rule++) {
        if (rule->kinds & this->operation->kind && rule->states & this->state &&
            rule->match & etag_fact(this->match, false) &&
            rule->none_match & etag_fact(this->none_match, true) &&
            rule->modified_since & modified_since_fact[this->modified_since] &&
            rule->unmodified_since & unmodified_since_fact[this->unmodified_since]) {
            return rule->outcome;
        }
    }
}

static const char *lower_case(const char *etag) {
    char *lower = pool_copy(etag, strlen(etag));
    for (char *letter = lower; *letter; letter++) {
        if (*letter >= 'A' && *letter <= 'F') *letter = (char)(*letter + ('a' - 'A'));
    }
    return lower;
}

static const char *etag_spelled(enum spelling spelling, const struct object *object) {
    switch (spelling) {
    case QUOTED: return pool_print("\"%s\"", object->etag);
    case LOWER_CASE: return lower_case(object->etag);
    case WILDCARD: return "*";
    case ANOTHER: return "0x00000000DEADBEEF";
    case OLD: return object->old_etag;
    case HALF_QUOTED: return pool_print("\"%s", object->etag);
    case WEAK: return pool_print("W/\"%s\"", object->etag);
    default: return object->etag;
    }
}

static void add_etag(struct words *words, const char *token, enum spelling spelling,
                     const struct object *object) {
    if (spelling == NOT_GIVEN) return;
    words_add(words, token);
    words_add(words, etag_spelled(spelling, object));
}

static void add_instant(struct words *words, const char *token, enum instant instant,
                        const struct object *object) {
    if (instant == NO_INSTANT) return;
    words_add(words, token);
    words_add_number(words, object->modified + ((int)instant - (int)AT));
}

static struct words command_of(const struct combination *this, const struct object *object) {
    struct words words = {0};
    words_add(&words, this->operation->name);
    words_add(&words, this->state == CONTAINER_MISSING ? "none" : "box");
    if (!this->operation->on_container) words_add(&words, this->state == THERE ? "cat" : "none");
    words_add_line(&words, this->operation->rest);
    add_etag(&words, "IFMATCH", this->match, object);
    add_etag(&words, "IFNONEMATCH", this->none_match, object);
    add_instant(&words, "IFMODIFIEDSINCE", this->modified_since, object);
    add_instant(&words, "IFUNMODIFIEDSINCE", this->unmodified_since, object);
    return words;
}

static struct object object_now(const struct operation *operation, const char *old_etag) {
    redisReply *map = operation->on_container ? call(primary, "CONTAINER.GET box") : stat_of("box", "cat");
    struct object object = {.old_etag = old_etag};
    object.etag = reply_string(field(map, "etag"));
    object.modified = field(map, "last-modified")->integer;
    return object;
}

/* Puts the stage back as it was before a write succeeded. */
static struct object object_renewed(const struct combination *this, const char *old_etag) {
    if (this->state != THERE) {
        expect_ok(call(primary, "BLOB.DELETE box none"));
    } else if (this->operation->deletes) {
        if (this->operation->on_container) create("box");
        put("box", "cat", "meow");
    }
    return object_now(this->operation, old_etag);
}

static void require_outcome(enum outcome outcome, const redisReply *reply, const struct words *words) {
    bool is_it = false;
    if (outcome == PASSES) {
        is_it = !reply_is_error(reply) && !reply_is_null(reply);
    } else if (outcome == NOT_MODIFIED) {
        is_it = reply_is_null(reply);
    } else {
        is_it = reply_is_error(reply) && text_begins(reply->str, outcome_error[outcome]);
    }
    const char *expected = outcome_error[outcome] ? outcome_error[outcome] : "to pass, or null";
    require(is_it, "%s\n    should give %s (%d), but gave %s", words_text(words), expected, (int)outcome,
            reply_text(reply));
}

static void play_refusal(const struct combination *this, const struct object *object) {
    struct words words = command_of(this, object);
    require_outcome(expected_outcome(this), call_words(primary, &words), &words);
}

static void play_success(const struct combination *this, struct object *object) {
    struct words words = command_of(this, object);
    redisReply *reply = call_words(primary, &words);
    require_outcome(PASSES, reply, &words);
    if (!this->operation->deletes) {
        require(strcmp(expect_etag(reply), object->etag) > 0, "%s\n    gave no greater ETag",
                words_text(&words));
    }
    *object = object_renewed(this, object->etag);
}

/* Plays all combinations of one operation in one state: either those that change something or all others. */
static void play_combinations(struct combination this, struct object *object, bool successes) {
    for (int number = 0; number < SPELLINGS * SPELLINGS * INSTANTS * INSTANTS; number++) {
        div_t match = div(number, SPELLINGS);
        div_t none_match = div(match.quot, SPELLINGS);
        div_t instants = div(none_match.quot, INSTANTS);
        this.match = (enum spelling)match.rem;
        this.none_match = (enum spelling)none_match.rem;
        this.modified_since = (enum instant)instants.rem;
        this.unmodified_since = (enum instant)instants.quot;
        bool succeeds = this.operation->kind != READ && expected_outcome(&this) == PASSES;
        if (succeeds != successes) continue;
        if (succeeds) {
            play_success(&this, object);
        } else {
            play_refusal(&this, object);
        }
    }
}

static void play_operations(bool on_container) {
    create("box");
    const char *old_etag = put("box", "cat", "meow");
    put("box", "cat", "purr");
    for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
        const struct operation *operation = &operations[i];
        if (operation->on_container != on_container) continue;
        struct object object = object_now(operation, old_etag);
        for (unsigned state = THERE; state <= CONTAINER_MISSING; state *= 2) {
            if (on_container && state == BLOB_MISSING) continue;
            struct combination combination = {.operation = operation, .state = (enum state)state};
            traces_begin("none");
            play_combinations(combination, &object, false);
            traces_require_none();
            play_combinations(combination, &object, true);
        }
    }
}

TEST(every_combination_on_blobs) {
    play_operations(false);
}

TEST(every_combination_on_containers) {
    play_operations(true);
}

/* Reads as if IFMATCH and IFNONEMATCH had been given something that no object ever has. */
TEST(malformed_etags_never_match) {
    create("box");
    const char *etag = put("box", "cat", "meow");
    const char *const malformed[] = {
        "",
        "\"\"",
        "\"",
        "0x",
        "x",
        "\"*\"",
        "**",
        pool_print("%s\"", etag),
        pool_print("\"\"%s\"\"", etag),
        pool_print("'%s'", etag),
        pool_print(" %s", etag),
        pool_print("%s ", etag),
        pool_print("%s0", etag),
        pool_print("%s,%s", etag, etag),
        pool_print("\"%s\", \"%s\"", etag, etag),
        pool_print("%.17s", etag),
        etag + 2,
        pool_print("0x%sG", etag + 3),
        pool_print("w/\"%s\"", etag),
        pool_print("%s\r\n", etag),
        "0x-000000000000001",
        "0x+000000000000001",
        "0x 000000000000001",
    };
    traces_begin("");
    for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
        expect_error(call(primary, "BLOB.GET box cat IFMATCH %s", malformed[i]),
                     "PRECONDITION ConditionNotMet");
        expect_error(call(primary, "BLOB.PUT box cat x IFMATCH %s", malformed[i]),
                     "PRECONDITION ConditionNotMet");
        expect_error(call(primary, "CONTAINER.DELETE box IFMATCH %s", malformed[i]),
                     "PRECONDITION ConditionNotMet");
        expect_etag(call(primary, "BLOB.GET box cat IFNONEMATCH %s", malformed[i]));
    }
    expect_error(call(primary, "BLOB.GET box cat IFMATCH %b", pool_print("%s", etag), (size_t)19),
                 "PRECONDITION ConditionNotMet");
    traces_require_none();
    for (size_t i = 0; i < ARRAY_SIZE(malformed); i++)
        expect_etag(call(primary, "BLOB.PUT box cat x IFNONEMATCH %s", malformed[i]));
}

TEST(instants_are_whole_milliseconds) {
    static const char *const malformed[] = {"",   "x",  "1.5", "-1", "1e3", "0x10", "9223372036854775808",
                                            " 1", "1 ", "+1"};
    create("box");
    put("box", "cat", "meow");
    traces_begin("");
    for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
        expect_error(call(primary, "BLOB.GET box cat IFMODIFIEDSINCE %s", malformed[i]),
                     "INVALID InvalidHeaderValue");
        expect_error(call(primary, "BLOB.DELETE box cat IFUNMODIFIEDSINCE %s", malformed[i]),
                     "INVALID InvalidHeaderValue");
        expect_error(call(primary, "CONTAINER.DELETE box IFUNMODIFIEDSINCE %s", malformed[i]),
                     "INVALID InvalidHeaderValue");
    }
    expect_etag(call(primary, "BLOB.GET box cat IFMODIFIEDSINCE 0"));
    expect_null(call(primary, "BLOB.GET box cat IFMODIFIEDSINCE 9223372036854775807"));
    expect_etag(call(primary, "BLOB.GET box cat IFUNMODIFIEDSINCE 9223372036854775807"));
    expect_error(call(primary, "BLOB.GET box cat IFUNMODIFIEDSINCE 0"), "PRECONDITION ConditionNotMet");
    traces_require_none();
}

TEST(refusals_show_the_current_etag) {
    const char *container = create("box");
    const char *blob = put("box", "cat", "meow");
    redisReply *reply = call(primary, "BLOB.PUT box cat x IFMATCH 0x0000000000000001");
    require(strstr(reply->str, blob), "no ETag in %s", reply_text(reply));
    reply = call(primary, "CONTAINER.SETMETA box META 0 IFMATCH 0x0000000000000001");
    require(strstr(reply->str, container), "no ETag in %s", reply_text(reply));
}

/* The purpose of it all: of two who read the same version only one can write. */
TEST(the_second_writer_loses) {
    create("box");
    put("box", "cat", "0");
    struct client *other = test_client(primary->server);
    const char *seen_by_one = expect_etag(call(primary, "BLOB.GET box cat"));
    const char *seen_by_other = expect_etag(call(other, "BLOB.GET box cat"));
    const char *written = expect_etag(call(primary, "BLOB.PUT box cat one IFMATCH %s", seen_by_one));
    expect_error(call(other, "BLOB.PUT box cat other IFMATCH %s", seen_by_other),
                 "PRECONDITION ConditionNotMet");
    expect_text(call(primary, "BLOB.GET box cat IFMATCH %s", written)->element[1], "one");
}

/* Many read, then many write what they counted: of those who saw the same version one succeeds, the others repeat. */
TEST(no_update_is_lost) {
    enum { WRITERS = 6, ROUNDS = 50 };
    struct client *writers[WRITERS];
    long long counted = 0;
    create("box");
    put("box", "counter", "0");
    for (int writer = 0; writer < WRITERS; writer++) writers[writer] = test_client(primary->server);
    for (int round = 0; round < ROUNDS; round++) {
        const char *etag[WRITERS];
        long long seen[WRITERS];
        for (int writer = 0; writer < WRITERS; writer++) {
            redisReply *reply = call(writers[writer], "BLOB.GET box counter");
            etag[writer] = expect_etag(reply);
            seen[writer] = atoll(reply->element[1]->str);
        }
        for (int writer = 0; writer < WRITERS; writer++) {
            redisReply *reply =
                call(writers[writer], "BLOB.PUT box counter %lld IFMATCH %s", seen[writer] + 1, etag[writer]);
            if (!reply_is_error(reply)) counted++;
        }
    }
    assert_int_equal(counted, ROUNDS);
    expect_text(call(primary, "BLOB.GET box counter")->element[1], pool_print("%d", ROUNDS));
}

/* An ETag of an earlier life of the name must never match. */
TEST(recreated_objects_do_not_match_old_etags) {
    const char *container = create("box");
    const char *blob = put("box", "cat", "meow");
    expect_ok(call(primary, "BLOB.DELETE box cat"));
    put("box", "cat", "meow");
    expect_error(call(primary, "BLOB.DELETE box cat IFMATCH %s", blob), "PRECONDITION ConditionNotMet");
    expect_number(call(primary, "DEL box"), 1);
    create("box");
    expect_error(call(primary, "CONTAINER.DELETE box IFMATCH %s", container), "PRECONDITION ConditionNotMet");
}

/* Conditions come before ranges, and existence before both. */
TEST(conditions_come_before_ranges) {
    create("box");
    const char *etag = put("box", "cat", "meow");
    expect_error(call(primary, "BLOB.GET box cat RANGE 100 1 IFMATCH 0x0000000000000001"),
                 "PRECONDITION ConditionNotMet");
    expect_null(call(primary, "BLOB.GET box cat RANGE 100 1 IFNONEMATCH %s", etag));
    expect_error(call(primary, "BLOB.GET box cat RANGE 100 1 IFMATCH %s", etag), "INVALID InvalidRange");
    expect_error(call(primary, "BLOB.GET box none RANGE 100 1 IFMATCH %s", etag), "NOTFOUND BlobNotFound");
}
