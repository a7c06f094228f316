/* Leases on files, which have no end but the one that is asked for, cell by cell of the service's table; leases on
 * shares, which guard their deletion; and what leases and opens do to each other. */
#include <string.h>

#include "file_commands.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "steps.h"

enum { STATES = 3, STATES_OF_SHARES = 5 };

#define ON_A " FILE a"

static const char *const file_states[STATES][3] = {
    {NULL},
    {"LEASE.ACQUIRE fs -1 ID A" ON_A, NULL},
    {"LEASE.ACQUIRE fs -1 ID A" ON_A, "LEASE.BREAK fs" ON_A, NULL},
};

static const char *const state_names[STATES] = {"available", "leased", "broken"};

static void reach(int state) {
    file_commands_setup();
    for (size_t step = 0; step < 3 && file_states[state][step]; step++) act(file_states[state][step], NULL);
}

static const char *state_now(const char *key_and_file) {
    redisReply *lease = call_line(primary, pool_print("LEASE.GET %s", key_and_file));
    return reply_string(field(lease, "state"));
}

/* --- The table ----------------------------------------------------------------------------------------------- */

struct row {
    const char *line;
    struct {
        const char *answer; /* NULL for ok */
        const char *state;  /* afterwards; NULL for as it was */
        const char *holder; /* who can release it then, if it is leased */
    } cells[STATES];
};

/* clang-format off */
static const struct row lease_table[] = {
    /*                                        Available                 Leased(A)                       Broken(A) */
    {"LEASE.ACQUIRE fs -1 ID A" ON_A,       {{NULL, "leased", "A"},     {NULL, "leased", "A"},          {NULL, "leased", "A"}}},
    {"LEASE.ACQUIRE fs -1 ID B" ON_A,       {{NULL, "leased", "B"},     {LEASE_PRESENT, "leased", "A"}, {NULL, "leased", "B"}}},
    {"LEASE.ACQUIRE fs -1" ON_A,            {{NULL, "leased", NULL},    {LEASE_PRESENT, "leased", "A"}, {NULL, "leased", NULL}}},
    {"LEASE.ACQUIRE fs 30 ID A" ON_A,       {{BAD_VALUE, NULL, NULL},   {BAD_VALUE, "leased", "A"},     {BAD_VALUE, NULL, NULL}}},
    {"LEASE.ACQUIRE fs 30 ID B" ON_A,       {{BAD_VALUE, NULL, NULL},   {BAD_VALUE, "leased", "A"},     {BAD_VALUE, NULL, NULL}}},
    {"LEASE.CHANGE fs A B" ON_A,            {{NOT_LEASED, NULL, NULL},  {NULL, "leased", "B"},          {NOT_LEASED, NULL, NULL}}},
    {"LEASE.CHANGE fs B A" ON_A,            {{NOT_LEASED, NULL, NULL},  {NULL, "leased", "A"},          {NOT_LEASED, NULL, NULL}}},
    {"LEASE.CHANGE fs B C" ON_A,            {{NOT_LEASED, NULL, NULL},  {LEASE_MISMATCH, "leased", "A"}, {NOT_LEASED, NULL, NULL}}},
    {"LEASE.RELEASE fs A" ON_A,             {{LEASE_MISMATCH, NULL, NULL}, {NULL, "available", NULL},   {NULL, "available", NULL}}},
    {"LEASE.RELEASE fs B" ON_A,             {{LEASE_MISMATCH, NULL, NULL}, {LEASE_MISMATCH, "leased", "A"}, {LEASE_MISMATCH, NULL, NULL}}},
    {"LEASE.BREAK fs" ON_A,                 {{NOT_LEASED, NULL, NULL},  {NULL, "broken", NULL},         {NULL, "broken", NULL}}},
};

static const char *const writes[] = {
    "create a 5", "put a 0 x", "clear a 0 1", "setprops a SIZE 5", "setprops a PROPS 1 cache-control x",
    "setprops a ATTRIBUTES 1 ARCHIVE", "setmeta a META 0", "delete a", "copy b a", "rename a c", "rename b a REPLACE",
};

static const char *const reads[] = {"get a", "stat a", "meta a", "ranges a"};

/* By what id comes along: none, A, B */
static const char *const write_cells[3][STATES] = {
    {NULL,         LEASE_MISSING, NULL},
    {LEASE_ABSENT, NULL,          LEASE_ABSENT},
    {LEASE_ABSENT, LEASE_OTHER,   LEASE_ABSENT},
};

static const char *const read_cells[3][STATES] = {
    {NULL,         NULL,        NULL},
    {LEASE_ABSENT, NULL,        LEASE_ABSENT},
    {LEASE_ABSENT, LEASE_OTHER, LEASE_ABSENT},
};
/* clang-format on */

TEST(lease_operations_on_files) {
    for (size_t i = 0; i < ARRAY_SIZE(lease_table); i++) {
        for (int state = 0; state < STATES; state++) {
            const struct row *row = &lease_table[i];
            reach(state);
            const char *before = reply_string(file_field("a", "etag"));
            long long modified = file_field("a", "last-modified")->integer;
            act(row->line, row->cells[state].answer);
            const char *then = row->cells[state].state ? row->cells[state].state : state_names[state];
            const char *now = state_now("fs FILE a");
            require(!strcmp(now, then), "%s of a file that is %s leaves it %s", row->line, state_names[state],
                    now);
            expect_text(file_field("a", "etag"), before);
            expect_number(file_field("a", "last-modified"), modified);
            if (row->cells[state].holder)
                act(pool_print("LEASE.RELEASE fs %s FILE a", row->cells[state].holder), "OK");
        }
    }
}

static const char *with_id(const char *line, int id) {
    static const char *const ids[] = {"", "A", "B"};
    if (!id) return line;
    return pool_print("%s %s %s", line, strstr(line, "rename b") ? "NEWLEASE" : "LEASE", ids[id]);
}

static void play_all(const char *const *lines, size_t count, const char *const cells[3][STATES]) {
    for (size_t line = 0; line < count; line++) {
        for (int id = 0; id < 3; id++) {
            for (int state = 0; state < STATES; state++) {
                reach(state);
                act(with_id(lines[line], id), cells[id][state]);
            }
        }
    }
}

TEST(writes_to_leased_files) {
    play_all(writes, ARRAY_SIZE(writes), write_cells);
}

TEST(reads_of_leased_files) {
    play_all(reads, ARRAY_SIZE(reads), read_cells);
}

TEST(leases_of_files_are_not_renewed) {
    for (int state = 0; state < STATES; state++) {
        reach(state);
        redisReply *reply = call(primary, "LEASE.RENEW fs %s FILE a", ID_A);
        require(reply_is_error(reply), "it is renewed: %s", reply_text(reply));
        require(!strcmp(state_now("fs FILE a"), state_names[state]), "it is not %s any more",
                state_names[state]);
    }
}

TEST(bad_arguments_of_file_leases_are_refused) {
    reach(0);
    acts({"LEASE.ACQUIRE fs 0 FILE a", BAD_VALUE}, {"LEASE.ACQUIRE fs 15 FILE a", BAD_VALUE},
         {"LEASE.ACQUIRE fs 60 FILE a", BAD_VALUE}, {"LEASE.ACQUIRE fs x FILE a", BAD_VALUE},
         {"LEASE.ACQUIRE fs -1 FILE no", NO_FILE}, {"LEASE.ACQUIRE fs -1 FILE no/no", NO_PARENT},
         {"LEASE.ACQUIRE fs -1 FILE a*b", BAD_NAME}, {"LEASE.ACQUIRE fs -1 BLOB a", BAD_VALUE},
         {"LEASE.ACQUIRE fs -1 FILE ..", BAD_NAME}, {"mkdir d", NULL},
         {"LEASE.ACQUIRE fs -1 FILE d", OTHER_KIND}, {"LEASE.ACQUIRE fs -1 FILE ''", OTHER_KIND},
         {"LEASE.GET fs FILE no", NO_FILE}, {"LEASE.BREAK fs FILE d", OTHER_KIND});
}

/* --- Leases and opens -------------------------------------------------------------------------------------------- */

TEST(to_lease_what_is_open) {
    static const struct {
        const char *open, *answer;
    } rows[] = {{"R/RWD", NULL}, {"W/RWD", SV}, {"A/-", NULL}, {"A/RWD", NULL}, {"R/R", SV},    {"R/RW", SV},
                {"R/RD", SV},    {"R/WD", SV},  {"D/RWD", SV}, {"RW/RWD", SV},  {"RD/RWD", SV}, {"R/-", SV}};
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        reach(0);
        act(pool_print("h = open s a %s", rows[row].open), NULL);
        act("LEASE.ACQUIRE fs -1 ID A FILE a", rows[row].answer);
        acts({"close $h", "OK"});
        if (rows[row].answer) act("LEASE.ACQUIRE fs -1 ID A FILE a", NULL);
    }
}

/* The lease that a client has may be acquired again, even if others have opened the file since. */
TEST(to_open_what_is_leased) {
    static const char *const writers[] = {"W", "D", "RD", "RW", "WD", "RWD"};
    static const char *const modes[] = {"-", "R", "W", "RW", "D", "RD", "WD", "RWD"};
    reach(1);
    for (size_t mode = 0; mode < 8; mode++) {
        for (size_t writer = 0; writer < 6; writer++)
            act(pool_print("open s a %s/%s", writers[writer], modes[mode]), SV);
        act(pool_print("h = open s a R/%s", modes[mode]), NULL);
        act("close $h", "OK");
        act(pool_print("h = open s a A/%s", modes[mode]), NULL);
        act("close $h", "OK");
    }
    acts({"open s a R/RWD DISPOSITION OVERWRITE", SV}, {"open s a A/RWD DISPOSITION SUPERSEDE", SV},
         {"LEASE.BREAK fs FILE a", "0"}, {"h = open s a W/RWD", NULL}, {"write $h 0 x", "1"});
    reach(1);
    acts({"LEASE.RELEASE fs A FILE a", "OK"}, {"h = open s a RWD/-", NULL});
}

/* Readers that do not share writing keep even the holder from it. */
TEST(readers_keep_the_holder_off) {
    reach(1);
    acts({"h = open s a R/R", NULL}, {"put a 0 x LEASE A", SV}, {"put a 0 x", LEASE_MISSING},
         {"put a 0 x LEASE B", LEASE_OTHER}, {"close $h", "OK"}, {"put a 0 x LEASE A", NULL},
         {"h = open s a R/RWD", NULL}, {"put a 0 x LEASE A", NULL},
         {"LEASE.ACQUIRE fs -1 ID A FILE a", NULL});
}

TEST(what_is_made_anew_keeps_its_lease) {
    reach(1);
    acts({"create a 3", LEASE_MISSING}, {"create a 3 LEASE A", NULL}, {"get a", NULL},
         {"put a 0 x", LEASE_MISSING}, {"copy b a", LEASE_MISSING}, {"copy b a LEASE A", NULL},
         {"put a 0 x", LEASE_MISSING}, {"LEASE.RELEASE fs A FILE a", "OK"}, {"put a 0 x", NULL});
}

/* A lease is of the file, wherever it goes; a file that is replaced stays itself, with the lease that it has. */
TEST(a_lease_moves_with_its_file) {
    reach(1);
    acts({"rename a c LEASE A", NULL}, {"put c 0 x", LEASE_MISSING}, {"put c 0 x LEASE A", NULL},
         {"create a 3", NULL}, {"put a 0 x", NULL}, {"LEASE.ACQUIRE fs -1 ID B FILE b", NULL},
         {"rename c b REPLACE LEASE A", LEASE_MISSING},
         {"rename c b REPLACE LEASE A NEWLEASE A", LEASE_OTHER},
         {"rename c b REPLACE NEWLEASE B", LEASE_MISSING}, {"rename c b REPLACE LEASE A NEWLEASE B", NULL},
         {"put b 0 x LEASE A", LEASE_OTHER}, {"put b 0 x LEASE B", NULL},
         {"rename b d LEASE B NEWLEASE B", LEASE_ABSENT}, {"delete b LEASE B", "OK"}, {"create b 1", NULL},
         {"put b 0 x", NULL});
    expect_elements(expect_elements(call(primary, "LEASE.LIST fs"), 2)->element[1], 0);
}

/* The one that is in force is not lost for one that was. */
TEST(a_lease_comes_along_where_there_is_none) {
    static const char *const before[] = {"stat b", "LEASE.ACQUIRE fs -1 ID B FILE b",
                                         "LEASE.ACQUIRE fs -1 ID B FILE b"};
    static const char *const then[] = {"stat b", "LEASE.RELEASE fs B FILE b", "LEASE.BREAK fs FILE b"};
    for (int way = 0; way < 3; way++) {
        reach(1);
        acts({before[way], NULL}, {then[way], NULL}, {"rename a b REPLACE LEASE A", NULL});
        const char *state = state_now("fs FILE b");
        require(!strcmp(state, "leased"), "after %s the lease of the file that came is lost: %s", then[way],
                state);
        acts({"put b 0 x", LEASE_MISSING}, {"put b 0 x LEASE A", NULL});
    }
}

/* A lease that comes along begins for those who have the file open, and they have to bear it as if it were acquired. */
TEST(a_lease_comes_along_only_where_it_could_begin) {
    static const struct {
        const char *open, *answer;
    } rows[] = {{"W/RWD", SV}, {"RW/RWD", SV}, {"R/RWD", NULL}, {"A/-", NULL},
                {"R/WD", SV},  {"WD/RWD", SV}, {"D/RWD", SV}};
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        reach(1);
        act(pool_print("h = open s b %s", rows[row].open), NULL);
        act("rename a b REPLACE LEASE A", rows[row].answer);
        if (!rows[row].answer) {
            act("put b 0 x", LEASE_MISSING);
            continue;
        }
        /* as LEASE.ACQUIRE */
        acts({"LEASE.ACQUIRE fs -1 ID B FILE b", rows[row].answer}, {"close $h", "OK"},
             {"rename a b REPLACE LEASE A", NULL}, {"put b 0 x", LEASE_MISSING}, {"put b 0 x LEASE A", NULL});
    }
    /* without a lease nothing begins, nor with one that the other file has already, or that is broken */
    reach(0);
    acts({"h = open s b W/RWD", NULL}, {"rename a b REPLACE", NULL}, {"write $h 0 x", "1"});
    reach(2);
    acts({"h = open s b W/RWD", NULL}, {"rename a b REPLACE", NULL}, {"write $h 0 x", "1"});
    reach(1);
    acts({"LEASE.ACQUIRE fs -1 ID B FILE b", NULL}, {"h = open s b R/RW", NULL},
         {"rename a b REPLACE LEASE A NEWLEASE B", SV}, {"close $h", "OK"}, {"h = open s b R/RWD", NULL},
         {"rename a b REPLACE LEASE A NEWLEASE B", NULL}, {"put b 0 x LEASE B", NULL});
    redisReply *refusal;
    reach(1);
    act("h = open s b W/RWD", NULL);
    refusal = act("rename a b REPLACE LEASE A", SV);
    require(strstr(refusal->str, "has the file open"), "it does not say who: %s", refusal->str);
}

/* Nor by the end of a session that nobody has told of. */
TEST(a_session_that_is_over_bears_every_lease) {
    reach(1);
    acts({"x = SHARE.CONNECT fs 5", NULL}, {"h = open x b W/RWD", NULL}, {"rename a b REPLACE LEASE A", SV},
         {"5 s", NULL}, {"rename a b REPLACE LEASE A", NULL}, {"put b 0 x", LEASE_MISSING});
}

/* The paths of leased files change with their directory, so it stays while any of them is leased. */
TEST(a_directory_with_leased_files_stays) {
    reach(0);
    acts({"mkdir d", NULL}, {"mkdir d/e", NULL}, {"mkdir x", NULL}, {"create d/e/f 1", NULL},
         {"create d/g 1", NULL}, {"rename d D2", NULL}, {"rename D2 d", NULL},
         {"LEASE.ACQUIRE fs -1 ID A FILE d/e/f", NULL}, {"rename d D2", LEASE_MISSING},
         {"rename d x/d", LEASE_MISSING}, {"rename d/e x/e", LEASE_MISSING}, {"rename d D", LEASE_MISSING},
         {"rename d D2 LEASE A", LEASE_ABSENT}, {"rmdir d/e", NOT_EMPTY}, {"rmdir d", NOT_EMPTY},
         {"rename x d/x", NULL}, {"rename d/x x", NULL}, {"rename d/g d/e/g", NULL},
         {"LEASE.ACQUIRE fs -1 ID B FILE d/e/g", NULL}, {"LEASE.RELEASE fs A FILE d/e/f", "OK"},
         {"rename d D2", LEASE_MISSING}, {"LEASE.BREAK fs FILE d/e/g", "0"}, {"rename d D2", NULL},
         {"rename D2 d", NULL}, {"LEASE.ACQUIRE fs -1 ID A FILE d/e/g", NULL},
         {"rename d D2", LEASE_MISSING});
    /* wherever the file goes, and however it ends */
    acts({"rename d/e/g x/g LEASE A", NULL}, {"rename d D2", NULL}, {"rename x y", LEASE_MISSING},
         {"LEASE.CHANGE fs A B FILE x/g", NULL}, {"rename x y", LEASE_MISSING},
         {"rename x/g D2/e/f REPLACE LEASE B", NULL}, {"rename x y", NULL}, {"rename D2 d", LEASE_MISSING},
         {"create d 1", NULL}, {"create D2/e/f 3", LEASE_MISSING}, {"create D2/e/f 3 LEASE B", NULL},
         {"rename D2 d2", LEASE_MISSING}, {"delete D2/e/f LEASE B", "OK"}, {"rename D2 d2", NULL},
         {"create d2/e/f 1", NULL}, {"rename d2 D2", NULL}, {"LEASE.ACQUIRE fs -1 ID A FILE d2/e/f", NULL},
         {"SHARE.SNAPSHOT fs", NULL}, {"rename d2 D3", LEASE_MISSING}, {"delete d2/e/f LEASE A", "OK"},
         {"rename d2 D3", NULL});
    redisReply *refusal;
    act("create d3/a 1", NULL);
    act("LEASE.ACQUIRE fs -1 ID A OWNER me FILE d3/a", NULL);
    refusal = act("rename d3 d4", LEASE_MISSING);
    require(strstr(refusal->str, "leased"), "it does not say why: %s", refusal->str);
}

TEST(leases_of_files_are_listed) {
    reach(1);
    acts({"mkdir d", NULL}, {"create d/Deep 1", NULL},
         {"LEASE.ACQUIRE fs -1 ID B OWNER me FILE d/deep", NULL}, {"LEASE.ACQUIRE fs 30", NULL});
    redisReply *list = expect_elements(expect_elements(call(primary, "LEASE.LIST fs"), 2)->element[1], 2);
    for (size_t i = 0; i < 2; i++) expect_elements(list->element[i], 2);
    const char *text = reply_text(list);
    require(strstr(text, "\"d/Deep\"") && strstr(text, "\"a\"") && strstr(text, "\"me\""), "it is %s", text);
    require(!strstr(text, ID_A) && !strstr(text, ID_B), "the ids are shown: %s", text);
    redisReply *one = call(primary, "LEASE.GET fs FILE D/DEEP");
    expect_text(field(one, "owner"), "me");
    expect_text(field(one, "duration"), "infinite");
    redisReply *refusal = act("put d/deep 0 x", LEASE_MISSING);
    require(strstr(refusal->str, "me"), "it does not say who: %s", refusal->str);
    acts({"rename d e", LEASE_MISSING}, {"put d/deep 0 x LEASE B", NULL});
}

/* The answer may have been lost, and others may have begun to read. */
TEST(a_holder_can_acquire_its_lease_again_whoever_reads_meanwhile) {
    reach(1);
    acts({"h = open s a R/R", NULL}, {"LEASE.ACQUIRE fs -1 ID A FILE a", NULL},
         {"LEASE.ACQUIRE fs -1 ID B FILE a", LEASE_PRESENT}, {"LEASE.RELEASE fs A FILE a", "OK"},
         {"LEASE.ACQUIRE fs -1 ID A FILE a", SV});
}

/* So one that changes hands between two pages may be seen twice, and none is missed. */
TEST(leases_of_files_are_listed_in_the_order_of_their_tokens) {
    reach(0);
    acts({"create z 1", NULL}, {"LEASE.ACQUIRE fs -1 ID A FILE z", NULL}, {"create y 1", NULL},
         {"LEASE.ACQUIRE fs -1 ID B FILE y", NULL});
    redisReply *page = expect_elements(call(primary, "LEASE.LIST fs COUNT 1"), 2);
    expect_text(expect_elements(page->element[1], 1)->element[0]->element[0], "z");
    act("LEASE.CHANGE fs A C FILE z", NULL);
    page = expect_elements(call(primary, "LEASE.LIST fs MARKER %s", reply_string(page->element[0])), 2);
    redisReply *rest = expect_elements(page->element[1], 2);
    expect_text(rest->element[0]->element[0], "y");
    expect_text(rest->element[1]->element[0], "z");
}

/* --- Shares --------------------------------------------------------------------------------------------- */

#define SHARE_OTHER    "CONFLICT LeaseIdMismatchWithShareOperation"
#define SHARE_BREAKING "PRECONDITION LeaseIdMismatchWithShareOperation"
#define SHARE_ABSENT   "PRECONDITION LeaseNotPresentWithShareOperation"
#define SHARE_LOST     "PRECONDITION LeaseLost"

static const char *const share_states[STATES_OF_SHARES][3] = {
    {NULL},
    {"LEASE.ACQUIRE fs 30 ID A", NULL},
    {"LEASE.ACQUIRE fs 30 ID A", "LEASE.BREAK fs PERIOD 20", NULL},
    {"LEASE.ACQUIRE fs 30 ID A", "LEASE.BREAK fs PERIOD 0", NULL},
    {"LEASE.ACQUIRE fs 30 ID A", "31 s", NULL},
};

/* clang-format off */
static const char *const deletion[3][STATES_OF_SHARES] = {
    /*      available     leased         breaking        broken        expired */
    /* - */ {NULL,         LEASE_MISSING, LEASE_MISSING,  NULL,         NULL},
    /* A */ {SHARE_ABSENT, NULL,          NULL,           SHARE_LOST,   SHARE_LOST},
    /* B */ {SHARE_ABSENT, SHARE_OTHER,   SHARE_BREAKING, SHARE_ABSENT, SHARE_ABSENT},
};

static const char *const use[3][STATES_OF_SHARES] = {
    {NULL,         NULL,        NULL,           NULL,         NULL},
    {SHARE_ABSENT, NULL,        NULL,           SHARE_LOST,   SHARE_LOST},
    {SHARE_ABSENT, SHARE_OTHER, SHARE_BREAKING, SHARE_ABSENT, SHARE_ABSENT},
};
/* clang-format on */

static const char *const uses[] = {
    "SHARE.GET fs",    "SHARE.GETMETA fs",          "SHARE.SETMETA fs META 0", "SHARE.SETPROPS fs QUOTA 0",
    "SHARE.GETACL fs", "SHARE.SETACL fs POLICIES 0"};

static void play_share(const char *line, int id, int state, const char *answer) {
    file_commands_setup();
    for (size_t step = 0; step < 3 && share_states[state][step]; step++) act(share_states[state][step], NULL);
    redisReply *reply = call_words(primary, &(struct words[]){act_words(with_id(line, id))}[0]);
    bool right = answer ? reply_is_error(reply) && reply_is_answer(reply, answer) : !reply_is_error(reply);
    require(right, "%s with id %d in state %d should give %s, but gave %s", line, id, state,
            answer ? answer : "no error", reply_text(reply));
}

TEST(to_delete_a_leased_share) {
    for (int id = 0; id < 3; id++)
        for (int state = 0; state < STATES_OF_SHARES; state++)
            play_share("SHARE.DELETE fs", id, state, deletion[id][state]);
    reach(1);
    acts({"SHARE.DELETE fs", "OK"}, {"get a", NO_SHARE});
}

TEST(uses_of_a_leased_share_go_by_the_table) {
    for (size_t line = 0; line < ARRAY_SIZE(uses); line++)
        for (int id = 0; id < 3; id++)
            for (int state = 0; state < STATES_OF_SHARES; state++)
                play_share(uses[line], id, state, use[id][state]);
}

/* What is in a leased share does not know of it. */
TEST(a_share_lease_is_not_its_files) {
    reach(0);
    acts({"LEASE.ACQUIRE fs -1 ID A", NULL}, {"put a 0 x", NULL}, {"put a 0 x LEASE A", LEASE_ABSENT},
         {"get a LEASE A", LEASE_ABSENT}, {"h = open s a RWD/-", NULL}, {"mkdir d", NULL}, {"delete b", "OK"},
         {"SHARE.SNAPSHOT fs", NULL}, {"SHARE.DELETE fs LEASE A", "CONFLICT ShareHasSnapshots"},
         {"SHARE.DELETE fs SNAPSHOTS INCLUDE", LEASE_MISSING},
         {"SHARE.DELETE fs SNAPSHOTS INCLUDE LEASE A", "OK"});
}

TEST(share_leases_go_as_those_of_containers) {
    reach(0);
    acts({"LEASE.ACQUIRE fs 14", BAD_VALUE}, {"LEASE.ACQUIRE fs 61", BAD_VALUE},
         {"LEASE.ACQUIRE fs 15 ID A", NULL}, {"LEASE.ACQUIRE fs 15 ID B", LEASE_PRESENT}, {"10 s", NULL},
         {"LEASE.RENEW fs A", NULL}, {"10 s", NULL}, {"LEASE.CHANGE fs A B", NULL},
         {"LEASE.RENEW fs A", LEASE_MISMATCH}, {"5 s", NULL}, {"LEASE.RENEW fs B", NULL},
         {"LEASE.BREAK fs PERIOD 10", "10"}, {"LEASE.BREAK fs PERIOD 3", "3"},
         {"LEASE.ACQUIRE fs 15 ID C", LEASE_PRESENT}, {"3 s", NULL}, {"LEASE.ACQUIRE fs -1 ID C", NULL},
         {"LEASE.RELEASE fs C", "OK"}, {"LEASE.BREAK fs PERIOD 61", BAD_VALUE},
         {"LEASE.RELEASE fs C", LEASE_MISMATCH});
}
