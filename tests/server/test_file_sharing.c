/* Sharing: opens beside opens, and stateless commands beside opens, for all access and share modes; and what else keeps
 * a stateless command from a file. The tables are those of the storage service, cell by cell. */
#include <string.h>

#include "file_commands.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"

enum { MODES = 8 };

/* As the line of an act has them. */
static const char *const modes[MODES] = {"-", "R", "W", "RW", "D", "RD", "WD", "RWD"};
static const char *const accesses[MODES] = {"A", "R", "W", "RW", "D", "RD", "WD", "RWD"};

static redisReply *try_open(int access, int share) {
    struct words words = act_words(pool_print("open s a %s/%s", accesses[access], modes[share]));
    return call_words(primary, &words);
}

static void expect_closed(const redisReply *open) {
    expect_ok(call(primary, "FILE.CLOSE fs %s", reply_string(field(open, "handle"))));
}

/* --- Opens beside opens ----------------------------------------------------------------------------------- */

static bool is_part(int part, int whole) {
    return (part & ~whole) == 0;
}

static bool fits(int access, int share, int other_access, int other_share) {
    if (!access || !other_access) return true;
    return is_part(access, other_share) && is_part(other_access, share);
}

static void require_pair(int access, int share, int other_access, int other_share) {
    redisReply *second = try_open(other_access, other_share);
    bool opened = !reply_is_error(second);
    if (!opened) expect_error(second, SV);
    require(opened == fits(access, share, other_access, other_share), "%s/%s, then %s/%s: %s",
            accesses[access], modes[share], accesses[other_access], modes[other_share], reply_text(second));
    if (opened) expect_closed(second);
}

BEFORE_EACH {
    file_commands_setup();
}

TEST(every_open_beside_every_open) {
    for (int first = 0; first < MODES * MODES; first++) {
        int access = first % MODES, share = first / MODES;
        redisReply *open = try_open(access, share);
        for (int second = 0; second < MODES * MODES; second++)
            require_pair(access, share, second % MODES, second / MODES);
        expect_closed(open);
    }
    assert_string_equal(opened(""), "");
}

/* Of the service's own table, with the examples that it gives. */
TEST(examples_of_two_opens) {
    acts({"h = open s a R/W", NULL}, {"i = open s a W/R", NULL}, {"close $h", "OK"}, {"close $i", "OK"},
         {"h = open s a W/R", NULL}, {"open s a W/W", SV}, {"close $h", "OK"}, {"h = open s a W/W", NULL},
         {"open s a W/R", SV}, {"close $h", "OK"});
}

TEST(attributes_beside_the_jealous) {
    acts({"h = open s a R/-", NULL}, {"i = open s a A/-", NULL}, {"close $h", "OK"},
         {"h = open s a RWD/-", NULL}, {"close $i", "OK"}, {"open s a R/RWD", SV});
}

TEST(to_have_it_open_twice_is_to_be_two) {
    acts({"h = open s a RW/R", NULL}, {"open s a RW/R", SV}, {"open s a R/R", SV},
         {"t = SHARE.CONNECT fs 100", NULL}, {"open t a RW/R", SV}, {"open t a R/RW", NULL},
         {"open s a R/RW", NULL});
}

/* --- Stateless commands beside opens ----------------------------------------------------------------------- */

static void play_beside(const struct file_command *command, int access, int share) {
    file_commands_setup();
    act(pool_print("h = open s a %s/%s", accesses[access], modes[share]), NULL);
    struct model_sharing open = {(unsigned)access, (unsigned)share};
    bool allowed = open_model_lets(open, command->class);
    redisReply *reply = act(command->line, allowed ? NULL : SV);
    if (!allowed) require(strstr(reply->str, "tester"), "it does not say who: %s", reply->str);
}

TEST(every_command_beside_every_open) {
    static const int few[] = {0, 1, 2, 3, 4};
    for (const struct file_command *command = file_commands; command->line; command++)
        for (size_t access = 0; access < ARRAY_SIZE(few); access++)
            for (int share = 0; share < MODES; share++) play_beside(command, few[access], share);
}

/* An open that has more accesses shares as much as one that has one. */
TEST(every_access_counts_alike) {
    for (const struct file_command *command = file_commands; command->line; command++)
        for (int access = 5; access < MODES; access++) play_beside(command, access, (access * 3) % MODES);
}

TEST(a_jealous_writer) {
    acts({"h = open s a W/-", NULL}, {"get a", SV}, {"put a 0 x", SV}, {"delete a", SV}, {"stat a", NULL},
         {"meta a", NULL}, {"list ''", NULL}, {"close $h", "OK"}, {"get a", "=0123456789"},
         {"put a 0 x", NULL}, {"get a", "=x123456789"}, {"delete a", "OK"});
}

TEST(a_reader_who_shares_all) {
    acts({"h = open s a R/RWD", NULL}, {"put a 0 x", NULL}, {"create a 3", NULL}, {"put a 0 new", NULL},
         {"delete a", SV}, {"read $h 0 10", "=new"}, {"close $h", "OK"}, {"delete a", "OK"},
         {"get a", NO_FILE});
}

TEST(attributes_mind_deletion_alone) {
    for (const struct file_command *command = file_commands; command->line; command++) {
        file_commands_setup();
        act("h = open s a A/-", NULL);
        act(command->line, command->class == MODEL_DELETES ? SV : NULL);
    }
}

TEST(every_open_has_a_say) {
    acts({"h = open s a R/RW", NULL}, {"i = open s a W/RWD", NULL}, {"put a 0 x", NULL}, {"get a", NULL},
         {"create a 5", SV}, {"delete a", SV}, {"close $h", "OK"}, {"create a 5", NULL}, {"delete a", SV},
         {"close $i", "OK"}, {"delete a", "OK"});
}

TEST(what_is_made_anew_minds_no_opens_elsewhere) {
    acts({"h = open s a RW/RW", NULL}, {"create new 5", NULL}, {"e = stat a", NULL});
    const char *etag = reply_string(file_field("a", "etag"));
    acts({"create a 5", SV}, {"get a", "=0123456789"});
    expect_text(file_field("a", "etag"), etag);
}

TEST(to_overwrite_is_to_write) {
    acts({"h = open s a R/R", NULL}, {"open s a R/RWD DISPOSITION OVERWRITE", SV},
         {"open s a A/RWD DISPOSITION OVERWRITEIF", SV}, {"open s a R/RWD DISPOSITION SUPERSEDE", SV},
         {"get a", "=0123456789"}, {"i = open s a R/RWD DISPOSITION OPENIF", NULL}, {"close $i", "OK"},
         {"close $h", "OK"}, {"h = open s a R/RW", NULL}, {"open s a R/RWD DISPOSITION SUPERSEDE", SV},
         {"i = open s a R/RWD DISPOSITION OVERWRITE SIZE 4", NULL},
         {"get a", "[<etag>, \"\\x00\\x00\\x00\\x00\"]"});
    expect_number(file_field("a", "content-length"), 4);
    /* What is added for the disposition does not stay: the handle that overwrote cannot write. */
    acts({"write $i 0 x", DENIED}, {"close $i", "OK"}, {"close $h", "OK"}, {"h = open s a R/RD", NULL},
         {"open s a R/RWD DISPOSITION OVERWRITE", SV}, {"open s a R/RWD DISPOSITION SUPERSEDE", NULL});
}

/* --- Dispositions ------------------------------------------------------------------------------------------- */

static void expect_opened(const char *line, const char *action, long long length) {
    redisReply *reply = act(line, NULL);
    expect_text(field(reply, "action"), action);
    expect_number(field(reply, "content-length"), length);
    expect_text(field(reply, "etag"), reply_string(file_field(strstr(line, " new ") ? "new" : "a", "etag")));
    expect_closed(reply);
}

TEST(each_disposition_of_an_open) {
    static const struct {
        const char *name, *there, *missing;
    } rows[] = {{"OPEN", "opened", NULL},
                {"CREATE", NULL, "created"},
                {"OPENIF", "opened", "created"},
                {"OVERWRITE", "overwritten", NULL},
                {"OVERWRITEIF", "overwritten", "created"},
                {"SUPERSEDE", "superseded", "created"}};
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        file_commands_setup();
        const char *there = pool_print("open s a RWD/- DISPOSITION %s SIZE 5", rows[row].name);
        const char *missing = pool_print("open s new RWD/- DISPOSITION %s SIZE 5", rows[row].name);
        if (rows[row].missing)
            expect_opened(missing, rows[row].missing, 5);
        else
            act(missing, NO_FILE);
        if (rows[row].there)
            expect_opened(there, rows[row].there, strcmp(rows[row].there, "opened") ? 5 : 10);
        else
            act(there, EXISTS);
        act(pool_print("open s no/new R/R DISPOSITION %s", rows[row].name), NO_PARENT);
    }
}

/* A file that is written over keeps nothing of what it was, but who has it open. */
TEST(an_overwritten_file_begins_anew) {
    acts({"setmeta a META 1 color red", NULL}, {"h = open s a R/RWD", NULL},
         {"open s a W/RWD DISPOSITION OVERWRITE SIZE 3", NULL}, {"meta a", "[<etag>, []]"},
         {"ranges a", "[\"etag\", <etag>, \"content-length\", 3, \"ranges\", []]"}, {"read $h 0 10", NULL});
    assert_string_equal(opened(""), "a a");
}

/* --- What else keeps a command from a file ------------------------------------------------------------------- */

struct state {
    const char *steps[4];
    const char *answers[MODEL_CLASSES]; /* NULL for ok */
    bool is_lock, spares_start;         /* a lock, and one that does not lie where reads begin */
};

static const struct state states[] = {
    {{"h = open s a RWD/RWD", "dispose $h ON"},
     {PENDING, PENDING, PENDING, PENDING, PENDING, PENDING},
     false,
     false},
    {{"setprops a ATTRIBUTES 1 READONLY"}, {NULL, NULL, READ_ONLY, READ_ONLY, READ_ONLY, NULL}, false, false},
    {{"h = open s a R/RWD", "lock $h EXCLUSIVE 0 5"}, {NULL, LOCKED, LOCKED, LOCKED, SV, NULL}, true, false},
    {{"h = open s a R/RWD", "lock $h EXCLUSIVE 100 5"}, {NULL, NULL, LOCKED, LOCKED, SV, NULL}, true, true},
    {{"h = open s a R/RWD", "lock $h EXCLUSIVE 7 1"}, {NULL, LOCKED, LOCKED, LOCKED, SV, NULL}, true, true},
    {{"h = open s a R/RWD", "lock $h SHARED 0 5"}, {NULL, NULL, LOCKED, LOCKED, SV, NULL}, true, false},
    {{"h = open s a R/RWD", "lock $h SHARED 100 5"}, {NULL, NULL, LOCKED, LOCKED, SV, NULL}, true, false},
    {{"LEASE.ACQUIRE fs -1 FILE a"},
     {NULL, NULL, LEASE_MISSING, LEASE_MISSING, LEASE_MISSING, LEASE_PRESENT},
     false,
     false},
};

static const char *told_by(const struct state *state, const struct file_command *command) {
    const char *answer = state->answers[command->class];
    if (state->is_lock && command->traits & KEEPS_DATA) return NULL;
    if (state->spares_start && strstr(command->line, "RANGE 0 2")) return NULL;
    return answer;
}

TEST(every_command_in_every_state) {
    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        for (const struct file_command *command = file_commands; command->line; command++) {
            const struct state *state = &states[i];
            file_commands_setup();
            for (size_t step = 0; step < 4 && state->steps[step]; step++) act(state->steps[step], NULL);
            act(command->line, told_by(state, command));
        }
    }
}

/* The list of handles and the forced close work whatever the state. */
TEST(handles_are_seen_and_closed_in_every_state) {
    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        file_commands_setup();
        act("i = open s a R/RWD", NULL);
        for (size_t step = 0; step < 4 && states[i].steps[step]; step++) {
            const char *line = states[i].steps[step];
            if (strstr(line, "LEASE")) act("close $i", "OK");
            act(line, NULL);
        }
        redisReply *handles = expect_elements(act("handles a", NULL), 2)->element[1];
        expect_number(act("closeall a *", NULL), (long long)handles->elements);
        assert_string_equal(opened(""), "");
    }
}

/* Writing commands know no snapshots at all. */
TEST(snapshots_of_shares_are_read_only) {
    act("p = SHARE.SNAPSHOT fs", NULL);
    for (const struct file_command *command = file_commands; command->line; command++) {
        bool reads = command->class <= MODEL_READS && !strstr(command->line, "copy");
        const char *line = pool_print("%s SNAPSHOT $p", command->line);
        act(line, reads ? NULL : "ERR syntax");
    }
    acts({"mkdir d SNAPSHOT $p", "ERR syntax"}, {"rmdir d SNAPSHOT $p", "ERR syntax"},
         {"open s a R/R SNAPSHOT $p", "ERR syntax"});
}
