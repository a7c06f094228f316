/* Byte-range locks: what is refused beside what is held, in the service's own table and at its
 * odd corners, how locks go, and who gets what is free among many who wait. */
#include <string.h>

#include "file_commands.h"
#include "harness.h"
#include "pool.h"
#include "steps.h"
#include "waiting.h"

#define END_OF_ALL "18446744073709551615" /* 2^64 - 1 */
#define HALF       "9223372036854775808"  /* 2^63 */

/* Two handles of one session: h and i. */
static void stage(void) {
    file_commands_setup();
    acts({"h = open s a RW/RWD", NULL}, {"i = open s a RW/RWD", NULL});
}

/* --- The table ---------------------------------------------------------------------------------------------- */

static const struct {
    const char *held, *by;
    const char *answers[4]; /* to reading, writing, a shared lock, an exclusive lock; NULL for ok */
} table[] = {
    {"EXCLUSIVE", "h", {NULL, NULL, NULL, LOCKED}},
    {"EXCLUSIVE", "i", {LOCKED, LOCKED, LOCKED, LOCKED}},
    {"SHARED", "h", {NULL, LOCKED, NULL, LOCKED}},
    {"SHARED", "i", {NULL, LOCKED, NULL, LOCKED}},
};

static const char *const questions[] = {"read $h 4 3", "write $h 4 xyz", "lock $h SHARED 4 3",
                                        "lock $h EXCLUSIVE 4 3"};

#define FROM_5_TO_HALF "5 " HALF
#define FROM_HALF_ON   HALF " " HALF
#define ONE_TOO_FAR    HALF " 9223372036854775809"

/* Ranges that touch what is asked for, from all sides; and such as do not. */
/* NOLINTBEGIN(bugprone-suspicious-missing-comma) */
static const char *const touching[] = {"4 3", "0 5", "6 10", "5 1", "0 100", FROM_5_TO_HALF};
static const char *const apart[] = {"0 4", "7 3", "100 1", FROM_HALF_ON, "4 0", "7 0", "0 0"};
/* NOLINTEND(bugprone-suspicious-missing-comma) */

TEST(locks_conflict_as_the_table_says) {
    for (size_t row = 0; row < ARRAY_SIZE(table); row++) {
        for (size_t range = 0; range < ARRAY_SIZE(touching); range++) {
            for (size_t question = 0; question < 4; question++) {
                stage();
                act(pool_print("lock $%s %s %s", table[row].by, table[row].held, touching[range]), "OK");
                act(questions[question], table[row].answers[question]);
            }
        }
    }
}

TEST(locks_of_separate_ranges_do_not_conflict) {
    for (size_t row = 0; row < ARRAY_SIZE(table); row++) {
        stage();
        for (size_t range = 0; range < ARRAY_SIZE(apart); range++)
            act(pool_print("lock $%s %s %s", table[row].by, table[row].held, apart[range]), "OK");
        for (size_t question = 0; question < 4; question++) {
            act(questions[question], NULL);
            if (question >= 2) act("unlock $h 4 3", "OK");
        }
    }
}

/* Another session is no more of a stranger than another handle. */
TEST(sessions_make_no_difference) {
    for (size_t row = 0; row < ARRAY_SIZE(table); row++) {
        for (size_t question = 0; question < 4; question++) {
            stage();
            acts({"t = SHARE.CONNECT fs 100", NULL}, {"i = open t a RW/RWD", NULL});
            act(pool_print("lock $%s %s 5 1", table[row].by, table[row].held), "OK");
            act(questions[question], table[row].answers[question]);
        }
    }
}

/* --- What locks do ------------------------------------------------------------------------------------------- */

TEST(an_exclusive_lock) {
    file_commands_setup();
    acts({"setprops a SIZE 200", NULL}, {"h = open s a RW/RWD", NULL}, {"i = open s a RW/RWD", NULL},
         {"lock $h EXCLUSIVE 0 10", "OK"}, {"read $i 10 10", NULL}, {"read $i 9 1", LOCKED},
         {"write $i 10 x", "1"}, {"write $i 9 x", LOCKED}, {"get a RANGE 10 10", NULL}, {"get a", LOCKED},
         {"get a RANGE 9 1", LOCKED}, {"put a 100 0123456789", LOCKED}, {"read $h 0 3", "=012"},
         {"write $h 0 x", "1"});
    redisReply *refusal = act("get a", LOCKED);
    require(strstr(refusal->str, "tester") && strstr(refusal->str, "exclusive"), "it does not say who: %s",
            refusal->str);
}

TEST(a_shared_lock) {
    stage();
    acts({"lock $h SHARED 0 5", "OK"}, {"write $h 0 x", LOCKED}, {"write $h 5 x", "1"},
         {"write $i 4 x", LOCKED}, {"read $i 0 5", "=01234"}, {"get a", NULL}, {"put a 7 x", LOCKED},
         {"ranges a", NULL}, {"unlock $h 0 5", "OK"}, {"write $h 0 x", "1"}, {"put a 7 x", NULL});
}

TEST(unlocks_are_exact) {
    stage();
    acts({"lock $h EXCLUSIVE 10 10", "OK"}, {"unlock $h 10 9", NOT_LOCKED}, {"unlock $h 10 11", NOT_LOCKED},
         {"unlock $h 9 10", NOT_LOCKED}, {"unlock $h 9 11", NOT_LOCKED}, {"unlock $h 10 0", NOT_LOCKED},
         {"unlock $i 10 10", NOT_LOCKED}, {"read $i 10 1", LOCKED}, {"unlock $h 10 10", "OK"},
         {"read $i 10 1", NULL}, {"unlock $h 10 10", NOT_LOCKED});
    /* Neighbours do not grow together. */
    acts({"lock $h EXCLUSIVE 0 5", "OK"}, {"lock $h EXCLUSIVE 5 5", "OK"}, {"unlock $h 0 10", NOT_LOCKED},
         {"unlock $h 5 5", "OK"}, {"read $i 5 1", NULL}, {"read $i 4 1", LOCKED});
}

TEST(locks_stack) {
    stage();
    acts({"lock $h SHARED 0 5", "OK"}, {"lock $h SHARED 0 5", "OK"}, {"unlock $h 0 5", "OK"},
         {"write $i 0 x", LOCKED}, {"unlock $h 0 5", "OK"}, {"write $i 0 x", "1"},
         {"unlock $h 0 5", NOT_LOCKED});
    acts({"lock $h EXCLUSIVE 0 5", "OK"}, {"lock $h SHARED 0 5", "OK"}, {"lock $h EXCLUSIVE 0 5", LOCKED},
         {"read $i 0 1", LOCKED}, {"unlock $h 0 5", "OK"}, {"read $i 0 1", NULL}, {"write $i 0 x", LOCKED},
         {"write $h 0 x", LOCKED}, {"unlock $h 0 5", "OK"}, {"write $i 0 x", "1"});
}

TEST(locks_go_with_their_handle) {
    static const char *const ways[] = {"close $h", "SHARE.DISCONNECT fs $t", "closeall a 1", "10 s"};
    for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
        file_commands_setup();
        acts({"t = SHARE.CONNECT fs 10", NULL}, {"h = open t a RW/RWD", NULL}, {"i = open s a RW/RWD", NULL});
        redisReply *handles = act("handles a", NULL)->element[1];
        long long number = 0;
        for (size_t i = 0; i < handles->elements; i++)
            if (!number) number = field(handles->element[i], "handle")->integer;
        acts({"lock $h EXCLUSIVE 0 10", "OK"}, {"lock $h SHARED 100 10", "OK"},
             {"lock $h SHARED 100 10", "OK"}, {"read $i 0 1", LOCKED});
        if (strstr(ways[way], "closeall"))
            expect_number(call(primary, "FILE.CLOSEHANDLES fs a %lld", number), 1);
        else
            act(ways[way], NULL);
        acts({"read $i 0 1", NULL}, {"lock $i EXCLUSIVE 0 1000", "OK"}, {"unlock $h 0 10", NO_HANDLE});
    }
}

TEST(odd_ranges_of_locks) {
    stage();
    acts({"lock $h EXCLUSIVE 0 0", "OK"}, {"lock $i EXCLUSIVE 0 0", "OK"}, {"lock $i EXCLUSIVE 0 10", "OK"},
         {"lock $h EXCLUSIVE 0 0", "OK"}, {"lock $h EXCLUSIVE 5 0", LOCKED}, {"lock $h SHARED 5 0", LOCKED},
         {"lock $h EXCLUSIVE 10 0", "OK"}, {"unlock $h 10 0", "OK"}, {"unlock $i 0 10", "OK"},
         {"lock $i EXCLUSIVE 5 10", "OK"}, {"lock $h EXCLUSIVE 5 0", "OK"}, {"lock $h EXCLUSIVE 6 0", LOCKED},
         {"lock $h EXCLUSIVE 1000000 5", "OK"}, {"unlock $h 0 0", "OK"}, {"unlock $h 0 0", "OK"},
         {"unlock $h 0 0", NOT_LOCKED});
    /* An empty lock keeps those away who would straddle it. */
    acts({"lock $i EXCLUSIVE 50 0", "OK"}, {"lock $h EXCLUSIVE 45 10", LOCKED},
         {"lock $h SHARED 45 10", LOCKED}, {"lock $h EXCLUSIVE 50 10", "OK"},
         {"lock $h EXCLUSIVE 45 5", "OK"});
}

TEST(locks_at_offset_zero_and_at_the_last_byte) {
    stage();
    acts({"lock $h EXCLUSIVE " END_OF_ALL " 1", "OK"}, {"lock $i SHARED " END_OF_ALL " 1", LOCKED},
         {"lock $i SHARED 18446744073709551614 1", "OK"}, {"lock $i SHARED " HALF " " HALF, LOCKED},
         {"unlock $h " END_OF_ALL " 1", "OK"}, {"lock $i SHARED " HALF " " HALF, "OK"},
         {"lock $h EXCLUSIVE 0 " HALF, "OK"}, {"unlock $i " HALF " " HALF, "OK"},
         {"unlock $i 18446744073709551614 1", "OK"}, {"unlock $h 0 " HALF, "OK"},
         {"lock $h EXCLUSIVE 0 " END_OF_ALL, "OK"}, {"lock $i EXCLUSIVE " END_OF_ALL " 1", "OK"},
         {"unlock $h 0 " END_OF_ALL, "OK"}, {"lock $h EXCLUSIVE " END_OF_ALL " 0", "OK"});
    /* NOLINTBEGIN(bugprone-suspicious-missing-comma) */
    static const char *const rows[] = {
        END_OF_ALL " 2",
        "2 " END_OF_ALL,
        ONE_TOO_FAR,
        "0 18446744073709551616",
        "18446744073709551616 0",
        "-1 5",
        "0 -1",
        "x 5",
        "5 x",
        "'' 5",
        "5 ''",
        "1.5 2",
        "+5 2",
        "99999999999999999999999 1",
        "0x10 1",
    };
    /* NOLINTEND(bugprone-suspicious-missing-comma) */
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        act(pool_print("lock $h EXCLUSIVE %s", rows[row]), BAD_LOCK);
        act(pool_print("lock $h SHARED %s", rows[row]), BAD_LOCK);
        act(pool_print("unlock $h %s", rows[row]), BAD_LOCK);
    }
}

TEST(a_size_is_data_and_metadata_is_not) {
    file_commands_setup();
    acts({"h = open s a R/RWD", NULL}, {"lock $h SHARED 0 1", "OK"}, {"setprops a SIZE 20", LOCKED},
         {"setmeta a META 1 a b", NULL}, {"setprops a PROPS 1 cache-control no", NULL},
         {"setprops a ATTRIBUTES 1 ARCHIVE", NULL}, {"unlock $h 0 1", "OK"}, {"setprops a SIZE 20", NULL});
}

/* --- Rights ----------------------------------------------------------------------------------------------------- */

TEST(a_handle_may_do_what_its_access_allows) {
    static const struct {
        const char *access;
        const char *answers[7]; /* read, write, truncate, lock, unlock, dispose, close */
    } rows[] = {
        {"A", {DENIED, DENIED, DENIED, DENIED, NOT_LOCKED, DENIED, NULL}},
        {"R", {NULL, DENIED, DENIED, NULL, NULL, DENIED, NULL}},
        {"W", {DENIED, NULL, NULL, NULL, NULL, DENIED, NULL}},
        {"D", {DENIED, DENIED, DENIED, DENIED, NOT_LOCKED, NULL, NULL}},
        {"RW", {NULL, NULL, NULL, NULL, NULL, DENIED, NULL}},
        {"AD", {DENIED, DENIED, DENIED, DENIED, NOT_LOCKED, NULL, NULL}},
    };
    static const char *const lines[] = {
        "read $h 0 1",   "write $h 0 x",  "truncate $h 9", "lock $h SHARED 0 1",
        "unlock $h 0 1", "dispose $h ON", "close $h"};
    for (size_t row = 0; row < ARRAY_SIZE(rows); row++) {
        file_commands_setup();
        act(pool_print("h = open s a %s/RWD", rows[row].access), NULL);
        for (size_t line = 0; line < 7; line++) act(lines[line], rows[row].answers[line]);
    }
}

/* --- Reading and writing under locks -------------------------------------------------------------------- */

TEST(reading_and_writing_no_bytes_conflicts_with_no_lock) {
    stage();
    acts({"lock $i EXCLUSIVE 0 100", "OK"}, {"read $h 5 0", "="}, {"write $h 5 ''", "0"},
         {"read $h 5 1", LOCKED}, {"get a RANGE 0 5", LOCKED});
}

TEST(truncating_conflicts_with_no_lock) {
    stage();
    acts({"lock $i EXCLUSIVE 0 100", "OK"}, {"truncate $h 4", "OK"}, {"truncate $h 8", "OK"},
         {"read $i 0 100", "\"0123\\x00\\x00\\x00\\x00\""});
}

/* What was locked behind the end is there when the file has grown. */
TEST(locks_behind_the_end) {
    stage();
    acts({"lock $h EXCLUSIVE 1000 10", "OK"}, {"read $i 1000 10", LOCKED}, {"read $i 0 5000", LOCKED},
         {"write $i 1005 x", LOCKED}, {"write $i 2000 x", "1"}, {"read $i 1009 1", LOCKED},
         {"read $i 1010 1", NULL}, {"get a RANGE 0 1000", NULL}, {"get a RANGE 0 1001", LOCKED});
}

/* Many locks of many handles: each is found, whatever lies beside it. */
TEST(thousands_of_locks) {
    enum { LOCKS = 3000 };
    stage();
    const char *h = step_kept('h'), *i = step_kept('i');
    for (int lock = 0; lock < LOCKS; lock++)
        send_call(primary, "FILE.LOCK fs %s %s %d 5", lock % 2 ? h : i, lock % 3 ? "EXCLUSIVE" : "SHARED",
                  lock * 10);
    for (int lock = 0; lock < LOCKS; lock++) expect_ok(receive(primary));
    expect_number(call(primary, "FILE.WRITE fs %s %d x", h, LOCKS / 2 * 10 + 7), 1);
    for (int lock = 0; lock < LOCKS; lock += 7) {
        redisReply *reply = call(primary, "FILE.LOCK fs %s SHARED %d 1", h, lock * 10 + 4);
        if (lock % 2 || lock % 3 == 0) {
            expect_ok(reply);
            expect_ok(call(primary, "FILE.UNLOCK fs %s %d 1", h, lock * 10 + 4));
        } else {
            expect_error(reply, LOCKED);
        }
    }
    expect_number(call(primary, "FILE.CLOSEHANDLES fs a *"), 2);
    acts({"h = open s a RW/RWD", NULL}, {"lock $h EXCLUSIVE 0 1000000", "OK"});
}

TEST(as_many_locks_as_a_handle_may_have) {
    enum { MAX = 10000 };
    stage();
    call_many(primary, MAX, pool_print("FILE.LOCK fs %s SHARED %%d 1", step_kept('h')));
    acts({"lock $h SHARED 20000 1", LOCKED}, {"lock $h SHARED 20000 1 BLOCK 0", LOCKED},
         {"lock $i SHARED 20000 1", "OK"}, {"unlock $h 77 1", "OK"}, {"lock $h SHARED 20000 1", "OK"},
         {"lock $h SHARED 20000 1", LOCKED});
    expect_ok(call(primary, "FILE.CLOSE fs %s", step_kept('h')));
}

/* --- Among many who wait -------------------------------------------------------------------------------- */

/* A file with three locked ranges. */
static void stage_ranges(void) {
    stage();
    acts({"lock $h EXCLUSIVE 0 10", "OK"}, {"lock $h EXCLUSIVE 20 10", "OK"},
         {"lock $h EXCLUSIVE 40 10", "OK"});
}

static void many_wait_for_the_first_range(void) {
    for (int i = 0; i < 120; i++) act_waiting("lock $i EXCLUSIVE 0 10 BLOCK 0");
}

/* Each line of traffic on the third range is news of the file. */
TEST(a_free_range_is_reached_behind_many_who_wait_for_others) {
    enum { TRAFFIC = 2000 };
    stage_ranges();
    many_wait_for_the_first_range();
    struct client *last = act_waiting("lock $i EXCLUSIVE 20 10 BLOCK 0");
    const char *h = step_kept('h');
    send_call(primary, "FILE.UNLOCK fs %s 20 10", h);
    for (int i = 0; i < TRAFFIC; i++) {
        send_call(primary, "FILE.UNLOCK fs %s 40 10", h);
        send_call(primary, "FILE.LOCK fs %s EXCLUSIVE 40 10", h);
    }
    send_call(primary, "FILE.LOCK fs %s EXCLUSIVE 20 10", h);
    for (int i = 0; i <= 2 * TRAFFIC; i++) expect_ok(receive(primary));
    expect_error(receive(primary), LOCKED);
    expect_ok(answer_within(last, 5000));
}

/* The first unlock begins to look at all who wait, and the second comes before the end of that. */
TEST(a_free_range_is_handed_over_while_many_are_looked_at) {
    stage_ranges();
    struct client *first = act_waiting("lock $i EXCLUSIVE 20 10 BLOCK 0");
    many_wait_for_the_first_range();
    const char *h = step_kept('h');
    send_call(primary, "FILE.UNLOCK fs %s 40 10", h);
    send_call(primary, "FILE.UNLOCK fs %s 20 10", h);
    send_call(primary, "FILE.LOCK fs %s EXCLUSIVE 20 10", h);
    expect_ok(receive(primary));
    expect_ok(receive(primary));
    expect_error(receive(primary), LOCKED);
    expect_ok(answer_within(first, 5000));
}
