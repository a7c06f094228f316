/* Faults of syntax, tried out on every command that COMMAND DOCS tells of: too few words, tokens that are unknown,
 * repeated or half-given, counts that lie. All are answered with Redis's own kind of error, and nothing happens. And keys
 * that hold something else, or nothing. */
#include <string.h>
#include <strings.h>

#include "grammar.h"
#include "harness.h"
#include "pool.h"
#include "text.h"
#include "traces.h"
#include "wire.h"

/* What is given for each positional argument and for each clause. A clause that is new must be added here. */
static const struct sample {
    const char *name;
    const char *words;
    const char *command; /* or what some begin with; NULL: for all */
} samples[] = {
    {"container", "box", NULL},
    {"key", "box", NULL},
    {"duration", "60", NULL},
    {"lease-id", "aaaaaaaa-0000-4000-8000-00000000000a", NULL},
    {"new-guid", "bbbbbbbb-0000-4000-8000-00000000000b", NULL},
    {"LEASE", "LEASE aaaaaaaa-0000-4000-8000-00000000000a", NULL},
    {"ID", "ID aaaaaaaa-0000-4000-8000-00000000000a", NULL},
    {"BLOB", "BLOB cat", NULL},
    {"OWNER", "OWNER worker-7", NULL},
    {"PERIOD", "PERIOD 0", NULL},
    {"BLOCK", "BLOCK 0.001", NULL},
    {"blob", "cat", NULL},
    {"content", "content", NULL},
    {"PROPS", "PROPS 1 a b", "TABLE."},
    {"PROPS", "PROPS 1 content-type text/plain", NULL},
    {"META", "META 1 name value", NULL},
    {"POLICIES", "POLICIES 1 id 0 - r", NULL},
    {"INCLUDE", "INCLUDE 1 META", NULL},
    {"ACCESS", "ACCESS 1 READ", "FILE.OPEN"},
    {"ACCESS", "ACCESS BLOB", NULL},
    {"RANGE", "RANGE 0 1", NULL},
    {"PREFIX", "PREFIX c", NULL},
    {"DELIMITER", "DELIMITER /", NULL},
    {"MARKER", "MARKER c", NULL},
    {"COUNT", "COUNT 10", NULL},
    {"IFMATCH", "IFMATCH *", NULL},
    {"IFNONEMATCH", "IFNONEMATCH 0x0000000000000001", NULL},
    {"IFMODIFIEDSINCE", "IFMODIFIEDSINCE 1", NULL},
    {"IFUNMODIFIEDSINCE", "IFUNMODIFIEDSINCE 1", NULL},
    {"source-container", "other", NULL},
    {"source-blob", "dog", NULL},
    {"copy-id", "0x0000000000000001", NULL},
    {"block-id", "AAAA", NULL},
    {"blocks", "0", NULL},
    {"size", "512", NULL},
    {"offset", "0", NULL},
    {"length", "512", NULL},
    {"COMMITTED", "COMMITTED", NULL},
    {"SNAPSHOT", "SNAPSHOT 0x0000000000000001", NULL},
    {"SNAPSHOTS", "SNAPSHOTS INCLUDE", NULL},
    {"SINCE", "SINCE 0x0000000000000001", NULL},
    {"SIZE", "SIZE 512", NULL},
    {"SEQUENCE", "SEQUENCE 7", "BLOB.CREATEPAGE"},
    {"SEQUENCE", "SEQUENCE MAX 7", "BLOB.SETPROPS"},
    {"IFSEQUENCE", "IFSEQUENCE LE 7", NULL},
    {"IFPOSITION", "IFPOSITION 0", NULL},
    {"IFMAXSIZE", "IFMAXSIZE 100", NULL},
    {"SOURCEIFMATCH", "SOURCEIFMATCH *", NULL},
    {"FROM", "FROM nowhere 6379", NULL},
    {"SOURCEIFNONEMATCH", "SOURCEIFNONEMATCH 0x0000000000000001", NULL},
    {"SOURCEIFMODIFIEDSINCE", "SOURCEIFMODIFIEDSINCE 1", NULL},
    {"SOURCEIFUNMODIFIEDSINCE", "SOURCEIFUNMODIFIEDSINCE 1", NULL},
    {"queue", "jobs", NULL},
    {"message", "text", NULL},
    {"id", "aaaaaaaa-0000-4000-8000-00000000000a", NULL},
    {"receipt", "aaaaaaaa000040008000aaaaaaaaaaaa", NULL},
    {"count", "1", NULL},
    {"item", "aaaaaaaa-0000-4000-8000-00000000000a aaaaaaaa000040008000aaaaaaaaaaaa", NULL},
    {"TTL", "TTL 60", NULL},
    {"VISIBILITY", "VISIBILITY 1", NULL},
    {"MESSAGE", "MESSAGE text", NULL},
    {"MAXDELIVERIES", "MAXDELIVERIES 3", NULL},
    {"DEDUP", "DEDUP id", NULL},
    {"WITHIN", "WITHIN 10", NULL},
    {"GROUP", "GROUP name", NULL},
    {"REASON", "REASON text", NULL},
    {"IDS", "IDS 1 aaaaaaaa-0000-4000-8000-00000000000a", NULL},
    {"DEAD", "DEAD", NULL},
    {"ONCE", "ONCE token", NULL},
    {"share", "files", NULL},
    {"path", "doc", NULL},
    {"new-path", "copy", NULL},
    {"session", "aaaaaaaa-0000-4000-8000-00000000000a", NULL},
    {"handle", "*", "FILE.CLOSEHANDLES"},
    {"handle", "aaaaaaaa-0000-4000-8000-00000000000a", NULL},
    {"ttl-seconds", "10", NULL},
    {"mode", "SHARED", NULL},
    {"mark", "ON", NULL},
    {"state", "ON", NULL},
    {"KEEP", "KEEP 10", NULL},
    {"QUOTA", "QUOTA 1000", NULL},
    {"ONCLOSE", "ONCLOSE END", NULL},
    {"ATTRIBUTES", "ATTRIBUTES 1 HIDDEN", NULL},
    {"REPLACE", "REPLACE", NULL},
    {"NEWLEASE", "NEWLEASE aaaaaaaa-0000-4000-8000-00000000000a", NULL},
    {"RECURSIVE", "RECURSIVE", NULL},
    {"SHARE", "SHARE 1 READ", NULL},
    {"DISPOSITION", "DISPOSITION OPENIF", NULL},
    {"DELETEONCLOSE", "DELETEONCLOSE", NULL},
    {"FILE", "FILE doc", NULL},
    {"table", "t", NULL},
    {"partition-key", "p", NULL},
    {"row-key", "r", NULL},
    {"property", "a", NULL},
    {"IF", "IF a", NULL},
    {"FILTER", "FILTER a", NULL},
    {"SELECT", "SELECT 1 a", NULL},
    {"TOP", "TOP 5", NULL},
    {"NEXT", "NEXT p r", NULL},
    {"EXPLAIN", "EXPLAIN", NULL},
    {"group", "1 BLOB.GET", "HOLDFAST.ATOMIC"},
    {"action", "END", "HOLDFAST.GRACE"},
    {"command", "BLOB.PUT", "HOLDFAST.HELP"},
};

static const char *const lists[] = {"PROPS", "META",   "POLICIES",   "INCLUDE",
                                    "IDS",   "SELECT", "ATTRIBUTES", NULL};

/* What a batch's count may be is a limit of the storage service, and no matter of syntax: nor is it that what it counts
 * is there. */
static const char *const limited_counts[] = {"TABLE.BATCH", "HOLDFAST.ATOMIC", NULL};

/* Where a clause that is missing has an error of its own. */
static const char *const lacks_only_ifmatch[] = {"TABLE.DELETE", NULL};

/* Words that belong to nothing, and tokens of other commands, which are as unknown as these. */
static const char *const unknown_tokens[] = {
    "NONSENSE", "''",        "*",    "0",          "IFMATC", "IFMATCHX",   "LEASE",
    "SNAPSHOT", "SNAPSHOTS", "SIZE", "SEQUENCE",   "BLOCK",  "IFSEQUENCE", "IFPOSITION",
    "OWNER",    "NX",        "EX",   "WITHVALUES", NULL,
};

/* One command in the making: what must be there, and what may be. */
struct subject {
    const char *command;
    struct words required;
    size_t positional; /* words of `required` before its first clause, with the command's name */
    size_t min;        /* likewise, of those that have to be there */
    size_t counted;    /* the place of a count among those, or 0 */
    bool has_rest;     /* as many more words as one likes */
    struct words clauses;
};

static const char *sample_of(const char *command, const char *name) {
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        const struct sample *sample = &samples[i];
        if (!strcmp(sample->name, name) && (!sample->command || text_begins(command, sample->command)))
            return sample->words;
    }
    failure("no sample for %s of %s", name, command);
    return NULL;
}

/* What a clause begins with: its token, or the first of the words that stand for it; NULL for words as one likes. */
static const char *token_of(const struct argument *argument) {
    if (argument->token) return argument->token;
    return argument->count ? argument->part[0].token : NULL;
}

static struct subject subject_of(const char *command) {
    struct grammar grammar = grammar_of(primary->server, command);
    struct subject subject = {
        .command = command, .required = words_of_line(command), .positional = 1, .min = 1};
    bool rest = false;
    for (size_t i = 0; i < grammar.all.count; i++) {
        const struct argument *argument = &grammar.all.part[i];
        bool is_limited = subject.counted && text_is_one_of(command, limited_counts);
        bool last = !argument->is_multiple && !token_of(argument);
        if (argument->is_optional && !last && !token_of(argument)) {
            subject.has_rest = !subject.counted;
            rest = true;
        } else if (rest) {
            continue; /* behind words as one likes there may be clauses, of which test_once tells */
        } else if (argument->is_optional && !last) {
            words_add(&subject.clauses, token_of(argument));
        } else {
            const char *name = argument->token ? argument->token : argument->name;
            if (!strcmp(argument->name, "count")) subject.counted = subject.required.count;
            words_add_line(&subject.required, sample_of(command, name));
            if (!argument->token) subject.positional = subject.required.count;
            if (!argument->token && !argument->is_optional && !is_limited)
                subject.min = subject.required.count;
        }
        if (argument->token && !argument->is_optional) words_add(&subject.clauses, argument->token);
    }
    return subject;
}

static bool subject_requires(const struct subject *subject, const char *clause) {
    for (size_t i = subject->positional; i < subject->required.count; i++) {
        if (!strcmp(subject->required.word[i], clause)) return true;
    }
    return false;
}

static void for_each_subject(void (*play)(const struct subject *subject)) {
    create("box");
    put("box", "cat", "meow");
    expect_ok(call(primary, "QUEUE.CREATE jobs"));
    expect_etag(call(primary, "SHARE.CREATE files"));
    expect_ok(call(primary, "TABLE.CREATE t"));
    struct words commands = grammar_commands(primary);
    require(commands.count > 1, "the module has no commands");
    for (size_t i = 0; i < commands.count; i++) {
        if (is_effect_command(commands.word[i])) continue;
        struct subject subject = subject_of(commands.word[i]);
        traces_begin("none content");
        play(&subject);
        traces_require_none();
    }
}

static bool takes_clause(const struct subject *subject, const char *clause) {
    for (size_t i = 0; i < subject->clauses.count; i++) {
        if (!strcmp(subject->clauses.word[i], clause)) return true;
    }
    return false;
}

/* A command that takes no clauses has a fixed number of words, and Redis itself counts them. */
static bool takes_clauses(const struct subject *subject) {
    return subject->clauses.count > 0;
}

static void expect_syntax_error(const struct words *words, const char *near) {
    expect_refused(words, pool_print("ERR syntax error near '%s'", near));
}

static void play_too_few_words(const struct subject *subject) {
    const char *name = pool_copy(subject->command, strlen(subject->command));
    for (size_t count = 1; count < subject->min; count++) {
        struct words words = words_copy(&subject->required);
        words.count = count;
        redisReply *reply = call_words(primary, &words);
        require(
            reply_is_error(reply) && text_begins(reply->str, "ERR wrong number of arguments for '") &&
                !strncasecmp(reply->str + strlen("ERR wrong number of arguments for '"), name, strlen(name)),
            "%s\n    gave %s", words_text(&words), reply_text(reply));
    }
    if (subject->required.count == subject->positional) return;
    struct words words = words_copy(&subject->required);
    words.count = subject->positional;
    bool is_syntax = !text_is_one_of(subject->command, lacks_only_ifmatch);
    expect_error(call_words(primary, &words), is_syntax ? "ERR" : "INVALID MissingRequiredHeader");
}

TEST(commands_with_too_few_words_are_refused) {
    for_each_subject(play_too_few_words);
}

static void play_too_many_words(const struct subject *subject) {
    if (takes_clauses(subject) || subject->has_rest) return;
    struct words words = words_copy(&subject->required);
    words_add(&words, "NONSENSE");
    if (subject->counted || subject->min < subject->positional)
        expect_syntax_error(&words, "NONSENSE");
    else
        expect_refused(&words, "ERR wrong number of arguments for '");
}

TEST(commands_with_too_many_words_are_refused) {
    for_each_subject(play_too_many_words);
}

/* At the end, before the clauses, and between them. */
static void play_unknown_tokens(const struct subject *subject) {
    if (!takes_clauses(subject)) return;
    for (const char *const *token = unknown_tokens; *token; token++) {
        if (takes_clause(subject, *token)) continue;
        const char *unknown = strcmp(*token, "''") != 0 ? *token : "";
        for (size_t clause = 0; clause <= subject->clauses.count; clause++) {
            struct words words = words_copy(&subject->required);
            words_insert(&words, subject->positional, unknown);
            if (clause < subject->clauses.count &&
                !subject_requires(subject, subject->clauses.word[clause])) {
                words_add_line(&words, sample_of(subject->command, subject->clauses.word[clause]));
            }
            expect_syntax_error(&words, unknown);
            words_remove(&words, subject->positional);
            words_add(&words, unknown);
            words_add(&words, "1");
            expect_syntax_error(&words, unknown);
        }
    }
}

TEST(unknown_tokens_are_named) {
    for_each_subject(play_unknown_tokens);
}

static void play_repeated_clauses(const struct subject *subject) {
    for (size_t i = 0; i < subject->clauses.count; i++) {
        const char *clause = subject->clauses.word[i];
        struct words words = words_copy(&subject->required);
        if (!subject_requires(subject, clause)) words_add_line(&words, sample_of(subject->command, clause));
        words_add_line(&words, sample_of(subject->command, clause));
        expect_syntax_error(&words, clause);
    }
}

TEST(repeated_clauses_are_named) {
    for_each_subject(play_repeated_clauses);
}

static struct words with_clause_last(const struct subject *subject, const char *clause) {
    struct words words = words_copy(&subject->required);
    if (subject_requires(subject, clause)) words.count = subject->positional;
    words_add_line(&words, sample_of(subject->command, clause));
    return words;
}

static void play_half_clauses(const struct subject *subject) {
    for (size_t i = 0; i < subject->clauses.count; i++) {
        const char *clause = subject->clauses.word[i];
        struct words whole = with_clause_last(subject, clause);
        size_t start = whole.count - words_of_line(sample_of(subject->command, clause)).count;
        for (size_t count = start + 1; count < whole.count; count++) {
            struct words words = words_copy(&whole);
            words.count = count;
            expect_syntax_error(&words, clause);
        }
    }
}

TEST(half_given_clauses_are_named) {
    for_each_subject(play_half_clauses);
}

/* Counts that are none, or greater than what follows. */
static const char *const lies[] = {"2",
                                   "3",
                                   "1000000",
                                   "4294967297",
                                   "9223372036854775807",
                                   "18446744073709551617",
                                   "-1",
                                   "-9223372036854775808",
                                   "x",
                                   "1x",
                                   "1.0",
                                   "''",
                                   "0x1",
                                   NULL};

/* A count among the first words; there must be something to count. */
static void play_lying_first_counts(const struct subject *subject) {
    if (!subject->counted || text_is_one_of(subject->command, limited_counts)) return;
    for (const char *const *lie = lies; *lie; lie++) {
        struct words words = words_copy(&subject->required);
        const char *count = strcmp(*lie, "''") != 0 ? *lie : "";
        words_replace(&words, subject->counted, count);
        expect_syntax_error(&words, count);
        words_replace(&words, subject->counted, "0");
        expect_syntax_error(&words, "0");
    }
}

static void play_lying_counts(const struct subject *subject) {
    play_lying_first_counts(subject);
    for (size_t i = 0; i < subject->clauses.count; i++) {
        const char *clause = subject->clauses.word[i];
        if (!text_is_one_of(clause, lists)) continue;
        struct words words = with_clause_last(subject, clause);
        size_t place = words.count - words_of_line(sample_of(subject->command, clause)).count + 1;
        for (const char *const *lie = lies; *lie; lie++) {
            words_replace(&words, place, strcmp(*lie, "''") != 0 ? *lie : "");
            expect_syntax_error(&words, clause);
        }
        /* Too small a count leaves words over, and the first of them is no token. */
        words_replace(&words, place, "0");
        expect_refused(&words, "ERR syntax error near '");
    }
}

TEST(counts_that_lie_are_faults_of_syntax) {
    for_each_subject(play_lying_counts);
}

/* --- Counts that are left out --------------------------------------------------------------------------- */

/* Without its count, and with a word in its place. */
static void play_missing_counts(const struct subject *subject) {
    for (size_t i = 0; i < subject->clauses.count; i++) {
        const char *clause = subject->clauses.word[i];
        if (!text_is_one_of(clause, lists)) continue;
        struct words words = with_clause_last(subject, clause);
        size_t place = words.count - words_of_line(sample_of(subject->command, clause)).count + 1;
        const char *example = pool_print("'%s': %s needs a count: %s 1 ", clause, clause, clause);
        words_remove(&words, place);
        redisReply *reply = call_words(primary, &words);
        require(reply_is_error(reply) && strstr(reply->str, example), "%s\n    should give %s, but gave %s",
                words_text(&words), example, reply_text(reply));
    }
}

TEST(a_count_that_is_missing_is_named) {
    for_each_subject(play_missing_counts);
}

TEST(a_missing_count_is_shown_by_example) {
    static const struct {
        const char *command, *near, *example;
    } rows[] = {
        {"CONTAINER.CREATE new META team x", "META", "META needs a count: META 1 name value"},
        {"CONTAINER.CREATE new META", "META", "META needs a count: META 1 name value"},
        {"CONTAINER.CREATE new META ''", "META", "META needs a count: META 1 name value"},
        {"CONTAINER.SETACL box POLICIES id 0 - r", "POLICIES",
         "POLICIES needs a count: POLICIES 1 id start-ms expiry-ms permissions"},
        {"BLOB.LIST box INCLUDE META", "INCLUDE", "INCLUDE needs a count: INCLUDE 1 SNAPSHOTS"},
        {"FILE.OPEN files s doc ACCESS READ SHARE 1 READ", "ACCESS", "ACCESS needs a count: ACCESS 1 READ"},
        {"FILE.OPEN files s doc ACCESS 1 READ SHARE READ", "SHARE", "SHARE needs a count: SHARE 1 READ"},
        {"TABLE.INSERT t p r PROPS a b", "PROPS", "PROPS needs a count: PROPS 1 name[:type] value"},
        {"TABLE.BATCH t p 1 INSERT r PROPS a b", "PROPS", "PROPS needs a count: PROPS 1 name[:type] value"},
        {"TABLE.QUERY t SELECT a", "SELECT", "SELECT needs a count: SELECT 1 name"},
        {"QUEUE.PUTMANY jobs hello world", "hello", "the list needs a count: 1 message"},
        {"QUEUE.DELETEMANY jobs id receipt id receipt", "id", "the list needs a count: 1 id receipt"},
        {"BLOB.PUTBLOCKLIST box cat LATEST AAAA", "LATEST", "the list needs a count: 1 COMMITTED block-id"},
        /* what has a count is told the place alone */
        {"CONTAINER.CREATE new META 2 team x", "META", ""},
        {"FILE.OPEN files s doc ACCESS 9 READ SHARE 1 READ", "ACCESS", ""},
        {"FILE.OPEN files s doc ACCESS 0 SHARE 1 READ", "ACCESS", ""},
    };
    create("box");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct words words = words_of_line(rows[i].command);
        const char *mark = *rows[i].example ? ": " : "";
        const char *expected =
            pool_print("ERR syntax error near '%s'%s%s", rows[i].near, mark, rows[i].example);
        redisReply *reply = call_words(primary, &words);
        require(reply_is_error(reply) && !strcmp(reply->str, expected), "%s\n    should give %s, but gave %s",
                rows[i].command, expected, reply_text(reply));
    }
}

/* An answer is one line whatever was asked, so a client never loses its place in the protocol. */
static void play_control_bytes(const struct subject *subject) {
    if (!takes_clauses(subject)) return;
    static const struct {
        const char *bytes;
        size_t length;
    } tokens[] = {{"a\r\n+OK\r\nb", 9}, {"\n", 1},       {"\r", 1},      {"\0", 1},
                  {"a\0b", 3},          {"\x1b[31m", 5}, {"\xff\xfe", 2}};
    struct wire *wire = wire_open(primary->server);
    for (size_t i = 0; i < ARRAY_SIZE(tokens); i++) {
        struct words words = words_copy(&subject->required);
        words_add_bytes(&words, tokens[i].bytes, tokens[i].length);
        redisReply *reply = wire_call_words(wire, &words);
        require(reply_is_error(reply) && text_begins(reply->str, "ERR syntax error near '"),
                "%s\n    gave %s", words_text(&words), reply_text(reply));
        for (size_t place = 0; place < reply->len; place++)
            require((unsigned char)reply->str[place] >= ' ', "a control byte in %s", reply_text(reply));
        expect_text(wire_call(wire, "ECHO still-in-step"), "still-in-step");
    }
}

TEST(control_bytes_are_shown_escaped) {
    for_each_subject(play_control_bytes);
}

/* Only the words of the clause count: what a clause swallows is never taken for a token. */
TEST(values_that_look_like_tokens_are_values) {
    create("box");
    expect_etag(call(primary, "BLOB.PUT box META META META 1 META META PROPS 1 content-type PROPS"));
    expect_text(call(primary, "BLOB.GET box META")->element[1], "META");
    redisReply *stat = stat_of("box", "META");
    expect_text(field(field(stat, "meta"), "META"), "META");
    expect_text(field(stat, "content-type"), "PROPS");
    expect_elements(call(primary, "BLOB.LIST box PREFIX META MARKER COUNT")->element[1], 1);
    expect_elements(call(primary, "BLOB.LIST box DELIMITER PREFIX PREFIX DELIMITER")->element[1], 0);
    expect_ok(call(primary, "TABLE.CREATE t"));
    expect_etag(call(primary, "TABLE.INSERT t PROPS IFMATCH PROPS 2 PROPS:bool 1 IF IFMATCH"));
    expect_etag(call(primary, "TABLE.MERGE t PROPS IFMATCH IF PROPS PROPS 1 IF PROPS IFMATCH *"));
    expect_elements(
        call(primary, "TABLE.BATCH t INSERT 2 INSERT INSERT PROPS 1 INSERT DELETE INSERT DELETE PROPS 0"), 2);
    expect_elements(call(primary, "TABLE.QUERY t NEXT FILTER TOP FILTER PROPS SELECT 1 EXPLAIN")->element[1],
                    1);
}

TEST(syntax_comes_before_everything_else) {
    expect_error(call(primary, "BLOB.PUT none %s x NONSENSE", ""), "ERR syntax error near 'NONSENSE'");
    expect_ok(call(primary, "SET text x"));
    expect_error(call(primary, "BLOB.GET text cat RANGE x y NONSENSE"), "ERR syntax error near 'NONSENSE'");
    expect_error(call(primary, "CONTAINER.CREATE text META 1 1bad x ACCESS BLOB ACCESS BLOB"),
                 "ERR syntax error near 'ACCESS'");
}

TEST(writes_need_something_to_write) {
    static const char *const commands[] = {"CONTAINER.SETMETA box IFMATCH *",
                                           "BLOB.SETMETA box cat IFMATCH *",
                                           "BLOB.SETPROPS box cat IFMATCH *", NULL};
    create("box");
    put("box", "cat", "meow");
    traces_begin("");
    expect_each_error(primary, commands, "ERR syntax error:");
    traces_require_none();
}

TEST(words_that_choose_are_named_when_unknown) {
    static const struct {
        const char *command, *near;
    } rows[] = {
        {"BLOB.LIST box INCLUDE 1 NONSENSE", "NONSENSE"},
        {"BLOB.LIST box INCLUDE 4 META SNAPSHOTS COPY COMMITTED", "COMMITTED"},
        {"BLOB.LIST box INCLUDE 1 META COPY", "COPY"},
        {"BLOB.DELETE box cat SNAPSHOTS ALL", "ALL"},
        {"BLOB.DELETE box cat SNAPSHOTS", "SNAPSHOTS"},
        {"BLOB.GETBLOCKLIST box cat LATEST", "LATEST"},
        {"BLOB.GETBLOCKLIST box cat ALL COMMITTED", "COMMITTED"},
        {"BLOB.GETBLOCKLIST box cat SNAPSHOT", "SNAPSHOT"},
        {"BLOB.SETPROPS box cat SEQUENCE LEAST 1", "LEAST"},
        {"BLOB.SETPROPS box cat SEQUENCE UPDATE", "SEQUENCE"},
        {"BLOB.SETPROPS box cat SEQUENCE INCREMENT 1", "1"},
        {"BLOB.PUTPAGE box cat 0 x IFSEQUENCE GT 1", "GT"},
        {"BLOB.PUTPAGE box cat 0 x IFSEQUENCE LE 1 IFSEQUENCE LT 2", "IFSEQUENCE"},
        {"BLOB.PUTBLOCKLIST box cat x", "x"},
        {"BLOB.PUTBLOCKLIST box cat -1", "-1"},
        {"BLOB.PUTBLOCKLIST box cat 1", "1"},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST", "1"},
        {"BLOB.PUTBLOCKLIST box cat 2 LATEST AAAA LATEST", "2"},
        {"BLOB.PUTBLOCKLIST box cat 9223372036854775807 LATEST AAAA", "9223372036854775807"},
        {"BLOB.PUTBLOCKLIST box cat 1 ANY AAAA", "ANY"},
        {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA LATEST AAAB", "LATEST"},
        {"BLOB.PUTBLOCKLIST box cat 0 LATEST AAAA", "LATEST"},
    };
    create("box");
    put("box", "cat", "meow");
    traces_begin("");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct words words = words_of_line(rows[i].command);
        expect_syntax_error(&words, rows[i].near);
    }
    traces_require_none();
}

/* --- Keys that hold something else, or nothing ---------------------------------------------------------------- */

/* The first of these that a command begins with. */
static const struct {
    const char *prefix, *missing;
    const char *other; /* a key of another family */
} families[] = {
    {"CONTAINER.", "NOTFOUND ContainerNotFound", "jobs"}, {"BLOB.", "NOTFOUND ContainerNotFound", "t"},
    {"LEASE.", "NOTFOUND ContainerNotFound", "jobs"},     {"QUEUE.", "NOTFOUND QueueNotFound", "t"},
    {"TABLE.DROP", "NOTFOUND ResourceNotFound", "files"}, {"TABLE.", "NOTFOUND TableNotFound", "files"},
    {"SHARE.", "NOTFOUND ShareNotFound", "box"},          {"FILE.", "NOTFOUND ShareNotFound", "box"},
};

/* What else it must be given, so that nothing is wrong but the key. */
static const struct {
    const char *command, *rest;
} completed[] = {
    {"BLOB.SETPROPS", "PROPS 0"},
    {"FILE.SETPROPS", "PROPS 0"},
    {"TABLE.BATCH", "DELETE r IFMATCH *"},
};

static void expect_answer_of_key(const struct subject *subject, const char *key, const char *answer) {
    struct words words = words_copy(&subject->required);
    words_replace(&words, 1, key);
    for (size_t i = 0; i < ARRAY_SIZE(completed); i++)
        if (!strcmp(subject->command, completed[i].command)) words_add_line(&words, completed[i].rest);
    expect_refused(&words, answer);
}

/* The sample of BLOB.PUTPAGE is no whole page, which counts before the key does. */
static void play_other_keys(const struct subject *subject) {
    size_t family = 0;
    while (family < ARRAY_SIZE(families) && !text_begins(subject->command, families[family].prefix)) family++;
    if (family == ARRAY_SIZE(families) || !strcmp(subject->command, "BLOB.PUTPAGE")) return;
    expect_answer_of_key(subject, "text", "WRONGTYPE");
    expect_answer_of_key(subject, families[family].other, "WRONGTYPE");
    if (strstr(subject->command, ".CREATE")) return;
    expect_answer_of_key(subject, "none", families[family].missing);
}

TEST(keys_that_hold_something_else_or_nothing_are_told_so) {
    expect_ok(call(primary, "SET text x"));
    for_each_subject(play_other_keys);
    static const char *const types[][2] = {
        {"box", "holdfastC"}, {"jobs", "holdfastQ"}, {"t", "holdfastT"}, {"files", "holdfastS"}};
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        expect_text(call(primary, "TYPE %s", types[i][0]), types[i][1]);
        expect_error(call(primary, "GET %s", types[i][0]), "WRONGTYPE");
    }
}
