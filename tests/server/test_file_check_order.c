/* The order of the checks. Each row is a file with two things that a command minds: the one that comes first answers.
 * When it is mended, the next one does. */
#include <string.h>

#include "file_commands.h"
#include "harness.h"
#include "leases.h"
#include "steps.h"

/* A writer that goes beyond the end of the file, under a lease id or without. */
static const char write_behind[] = "put a 8 xyz";

/* The rows are prepared by hand, since one state often keeps the next one from being reached. */
struct row {
    const char *prepare[6];
    const char *line;
    const char *first, *mend, *second;
};

static const struct row rows[] = {
    /* pending ─▶ lease: an id that belongs to nothing */
    {{"h = open s a D/RWD", "dispose $h ON"}, "put a 0 x LEASE A", PENDING, "dispose $h OFF", LEASE_ABSENT},
    /* pending ─▶ read-only */
    {{"h = open s a D/RWD DELETEONCLOSE", "i = open s a D/RWD", "setprops a ATTRIBUTES 1 READONLY",
      "close $h"},
     "put a 0 x",
     PENDING,
     "dispose $i OFF",
     READ_ONLY},
    /* pending ─▶ sharing */
    {{"h = open s a RWD/-", "dispose $h ON"}, "get a", PENDING, "dispose $h OFF", SV},
    {{"h = open s a RWD/-", "dispose $h ON"}, "delete a", PENDING, "dispose $h OFF", SV},
    {{"h = open s a RWD/-", "dispose $h ON"}, "open s a R/RWD", PENDING, "dispose $h OFF", SV},
    /* pending ─▶ locks */
    {{"h = open s a RD/RWD", "lock $h SHARED 0 1", "dispose $h ON"},
     "put a 0 x",
     PENDING,
     "dispose $h OFF",
     LOCKED},
    /* pending ─▶ size */
    {{"h = open s a RD/RWD", "dispose $h ON"}, write_behind, PENDING, "dispose $h OFF", BAD_RANGE},
    {{"h = open s a RD/RWD", "dispose $h ON"}, "get a RANGE 50 1", PENDING, "dispose $h OFF", BAD_RANGE},
    /* lease ─▶ read-only */
    {{"setprops a ATTRIBUTES 1 READONLY", "LEASE.ACQUIRE fs -1 ID A FILE a"},
     "put a 0 x",
     LEASE_MISSING,
     "LEASE.BREAK fs FILE a",
     READ_ONLY},
    {{"setprops a ATTRIBUTES 1 READONLY", "LEASE.ACQUIRE fs -1 ID A FILE a"},
     "delete a LEASE B",
     LEASE_OTHER,
     "LEASE.CHANGE fs A B FILE a",
     READ_ONLY},
    /* lease ─▶ sharing */
    {{"LEASE.ACQUIRE fs -1 ID A FILE a", "h = open s a R/R"},
     "put a 0 x",
     LEASE_MISSING,
     "LEASE.BREAK fs FILE a",
     SV},
    {{"LEASE.ACQUIRE fs -1 ID A FILE a", "h = open s a R/R"},
     "delete a",
     LEASE_MISSING,
     "LEASE.BREAK fs FILE a",
     SV},
    {{"h = open s a R/-"}, "get a LEASE A", LEASE_ABSENT, "close $h", LEASE_ABSENT},
    /* lease ─▶ locks */
    {{"LEASE.ACQUIRE fs -1 ID A FILE a", "h = open s a R/RWD", "lock $h SHARED 0 1"},
     "put a 0 x",
     LEASE_MISSING,
     "LEASE.BREAK fs FILE a",
     LOCKED},
    /* lease ─▶ size */
    {{"LEASE.ACQUIRE fs -1 ID A FILE a"}, write_behind, LEASE_MISSING, "LEASE.BREAK fs FILE a", BAD_RANGE},
    /* read-only ─▶ sharing */
    {{"setprops a ATTRIBUTES 1 READONLY", "h = open s a R/R"},
     "put a 0 x",
     READ_ONLY,
     "SHARE.SETPROPS fs QUOTA 0",
     READ_ONLY},
    {{"setprops a ATTRIBUTES 1 READONLY", "h = open s a R/R"}, "delete a", READ_ONLY, "close $h", READ_ONLY},
    {{"setprops a ATTRIBUTES 1 READONLY", "h = open s a R/R"},
     "create a 1",
     READ_ONLY,
     "close $h",
     READ_ONLY},
    {{"setprops a ATTRIBUTES 1 READONLY", "h = open s a R/-"},
     "open s a W/RWD",
     READ_ONLY,
     "close $h",
     READ_ONLY},
    /* read-only ─▶ locks */
    {{"h = open s a R/RWD", "lock $h SHARED 0 1", "setprops a ATTRIBUTES 1 READONLY"},
     "put a 0 x",
     READ_ONLY,
     "setprops a ATTRIBUTES 0",
     LOCKED},
    /* read-only ─▶ size */
    {{"setprops a ATTRIBUTES 1 READONLY"}, write_behind, READ_ONLY, "setprops a ATTRIBUTES 0", BAD_RANGE},
    /* read-only ─▶ lease, where a file is opened */
    {{"setprops a ATTRIBUTES 1 READONLY", "LEASE.ACQUIRE fs -1 ID A FILE a"},
     "open s a W/RWD",
     READ_ONLY,
     "setprops a ATTRIBUTES 0 LEASE A",
     SV},
    /* sharing ─▶ locks */
    {{"h = open s a R/R", "i = open s a R/R", "lock $i SHARED 0 1"}, "put a 0 x", SV, "close $h", SV},
    {{"h = open s a A/-", "i = open s a R/RWD", "lock $i EXCLUSIVE 0 1"}, "delete a", SV, "close $h", SV},
    /* sharing ─▶ size */
    {{"h = open s a R/R"}, write_behind, SV, "close $h", BAD_RANGE},
    {{"h = open s a W/-"}, "get a RANGE 50 1", SV, "close $h", BAD_RANGE},
    /* locks ─▶ size */
    {{"h = open s a R/RWD", "lock $h SHARED 0 1"}, write_behind, LOCKED, "unlock $h 0 1", BAD_RANGE},
    {{"h = open s a R/RWD", "lock $h EXCLUSIVE 0 1"}, "clear a 8 5", LOCKED, "unlock $h 0 1", BAD_RANGE},
    /* size ─▶ quota */
    {{"SHARE.SETPROPS fs QUOTA 20"}, write_behind, BAD_RANGE, "SHARE.SETPROPS fs QUOTA 0", BAD_RANGE},
    {{"SHARE.SETPROPS fs QUOTA 20", "h = open s a R/R"},
     "setprops a SIZE 30",
     SV,
     "close $h",
     "CONFLICT ShareSizeLimitReached"},
    {{"SHARE.SETPROPS fs QUOTA 20", "h = open s a R/R"},
     "open s a R/RWD DISPOSITION OVERWRITE SIZE 30",
     SV,
     "close $h",
     "CONFLICT ShareSizeLimitReached"},
    /* that it is there ─▶ sharing, where it is to be new */
    {{"h = open s a RWD/-"}, "open s a R/RWD DISPOSITION CREATE", EXISTS, "close $h", EXISTS},
    /* the source ─▶ the target */
    {{"h = open s a R/-", "i = open s b R/-"}, "copy a b", SV, "close $h", SV},
    {{"h = open s a R/-"}, "copy a no/b", SV, "close $h", NO_PARENT},
    {{"h = open s a R/-"}, "rename a no/b", SV, "close $h", NO_PARENT},
    {{"h = open s a R/-"}, "rename a b", SV, "close $h", EXISTS},
    {{"LEASE.ACQUIRE fs -1 ID A FILE a", "LEASE.ACQUIRE fs -1 ID B FILE b"},
     "rename a b REPLACE",
     LEASE_MISSING,
     "LEASE.BREAK fs FILE a",
     LEASE_MISSING},
};

TEST(the_first_of_two_faults_answers) {
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        file_commands_setup();
        for (size_t step = 0; step < 6 && row->prepare[step]; step++) act(row->prepare[step], NULL);
        act(row->line, row->first);
        act(row->mend, NULL);
        act(row->line, row->second);
    }
}

/* Of what every command on a file minds before it looks at the file at all. */
TEST(missing_parents_and_files_are_told_apart) {
    file_commands_setup();
    acts({"mkdir d", NULL});
    for (const struct file_command *command = file_commands; command->line; command++) {
        if (command->class == MODEL_LEASES || command->traits & PUTS_OTHER) continue;
        struct words words = act_words(command->line);
        static const struct {
            const char *key, *path, *answer;
        } ways[] = {
            {"no", "a", NO_SHARE},      {"no", "no/x", NO_SHARE}, {"fs", "no/x", NO_PARENT},
            {"fs", "a/x", NO_PARENT},   {"fs", "no", NO_FILE},    {"fs", "no/a:b", BAD_NAME},
            {"fs", "d/no", NO_FILE},    {"fs", "d", OTHER_KIND},  {"fs", "", OTHER_KIND},
            {"text", "a", "WRONGTYPE"}, {"fs", "d//x", BAD_NAME},
        };
        expect_ok(call(primary, "SET text x"));
        for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
            const char *answer = ways[way].answer;
            bool knows_directories = command->class == MODEL_ASKS || !strcmp(words.word[0], "FILE.SETMETA") ||
                                     !strcmp(words.word[0], "FILE.RENAME");
            bool makes = !strcmp(words.word[0], "FILE.CREATE");
            if (knows_directories && !strcmp(answer, OTHER_KIND)) continue;
            if (makes && !strcmp(answer, NO_FILE)) continue;
            words_replace(&words, 1, ways[way].key);
            words_replace(&words, 2, ways[way].path);
            redisReply *reply = call_words(primary, &words);
            require(reply_is_answer(reply, answer) ||
                        (!strcmp(answer, BAD_NAME) && reply_is_answer(reply, BAD_PATH)),
                    "%s should give %s, but gave %s", words_text(&words), answer, reply_text(reply));
        }
    }
}

/* A call that is no call is told so, whatever there is. */
TEST(syntax_comes_first) {
    acts({"FILE.GET no a RANGE 0", "ERR syntax"}, {"FILE.PUTRANGE no a 0 x LEASE", "ERR syntax"},
         {"FILE.OPEN no s a ACCESS 1 READ", "ERR syntax"}, {"FILE.OPEN no s a SHARE 1 READ", "ERR syntax"},
         {"FILE.OPEN no s a ACCESS 1 NO SHARE 1 READ", "ERR syntax"},
         {"FILE.OPEN no s a ACCESS 2 READ SHARE 1 READ", "ERR syntax"},
         {"FILE.LOCK no h BOTH 0 1", "ERR syntax"}, {"FILE.DISPOSE no h YES", "ERR syntax"},
         {"FILE.LIST no '' COUNT", "ERR syntax"}, {"SHARE.CREATE no QUOTA", "ERR syntax"},
         {"SHARE.DELETE no SNAPSHOTS ONLY", "ERR syntax"}, {"SHARE.CONNECT no 5 ONCLOSE NEVER", "ERR syntax"},
         {"FILE.GET no", "ERR wrong"}, {"FILE.OPEN no s", "ERR wrong"});
}

/* Sessions and handles are looked for before anything of the file. */
TEST(holders_come_before_files) {
    file_commands_setup();
    acts({"open 0123 a R/R", NO_SESSION}, {"open " ID_A " a R/R", NO_SESSION},
         {"FILE.READ no " ID_A " 0 1", NO_SHARE}, {"FILE.READ fs " ID_A " 0 1", NO_HANDLE},
         {"FILE.OPEN no " ID_A " a ACCESS 1 READ SHARE 1 READ", NO_SHARE}, {"SHARE.PING no " ID_A, NO_SHARE},
         {"h = open s a R/RWD", NULL}, {"lock $h EXCLUSIVE 0 5", "OK"}, {"write $h 0 x", DENIED},
         {"i = open s a W/RWD", NULL}, {"read $i 0 5", DENIED});
}
