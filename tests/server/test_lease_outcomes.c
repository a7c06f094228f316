/* The outcome tables of the five lease operations, cell by cell, on containers and blobs: each cell in every
 * way that leads to its state, reached by real commands with the clock moved.
 *
 * A is the current or last id, B and C are others. "Leased A 60" says who holds what comes out, and for how
 * many seconds more; where an operation is refused nothing may have changed. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "lease_states.h"
#include "pool.h"
#include "same_everywhere.h"
#include "text.h"

struct row {
    const char *request;
    const char *cells[LEASE_STATES];
};

/* clang-format off */

static const struct row table[] = {
    /*                           never leased     available again  Leased A, ∞      Leased A, 20 s   Breaking A  Broken A         Expired A */
    {"LEASE.ACQUIRE box 45",      {"Leased new 45", "Leased new 45", "PRES",          "PRES",          "PRES",     "Leased new 45", "Leased new 45"}},
    {"LEASE.ACQUIRE box -1",      {"Leased new ∞",  "Leased new ∞",  "PRES",          "PRES",          "PRES",     "Leased new ∞",  "Leased new ∞"}},
    {"LEASE.ACQUIRE box 45 ID A", {"Leased A 45",   "Leased A 45",   "Leased A 45",   "Leased A 45",   "BRKACQ",   "Leased A 45",   "Leased A 45"}},
    {"LEASE.ACQUIRE box -1 ID A", {"Leased A ∞",    "Leased A ∞",    "Leased A ∞",    "Leased A ∞",    "BRKACQ",   "Leased A ∞",    "Leased A ∞"}},
    {"LEASE.ACQUIRE box 45 ID B", {"Leased B 45",   "Leased B 45",   "PRES",          "PRES",          "PRES",     "Leased B 45",   "Leased B 45"}},
    {"LEASE.ACQUIRE box -1 ID B", {"Leased B ∞",    "Leased B ∞",    "PRES",          "PRES",          "PRES",     "Leased B ∞",    "Leased B ∞"}},
    /*                     never leased  available again  Leased A, ∞   Leased A, 20 s  Breaking A  Broken A  Expired A */
    {"LEASE.RENEW box A", {"MISM",       "MISM",          "Leased A ∞", "Leased A 60",  "BRKREN",   "BRKREN", "Leased A 60"}},
    {"LEASE.RENEW box B", {"MISM",       "MISM",          "MISM",       "MISM",         "MISM",     "MISM",   "MISM"}},
    /*                        never leased  available again  Leased A, ∞   Leased A, 20 s  Breaking A  Broken A  Expired A */
    {"LEASE.CHANGE box A B", {"NOTP",       "NOTP",          "Leased B ∞", "Leased B 20",  "BRKCHG",   "NOTP",   "NOTP"}},
    {"LEASE.CHANGE box A A", {"NOTP",       "NOTP",          "Leased A ∞", "Leased A 20",  "BRKCHG",   "NOTP",   "NOTP"}},
    {"LEASE.CHANGE box B A", {"NOTP",       "NOTP",          "Leased A ∞", "Leased A 20",  "MISM",     "NOTP",   "NOTP"}},
    {"LEASE.CHANGE box B C", {"NOTP",       "NOTP",          "MISM",       "MISM",         "MISM",     "NOTP",   "NOTP"}},
    /*                       never leased  available again  Leased A, ∞    Leased A, 20 s  Breaking A     Broken A       Expired A */
    {"LEASE.RELEASE box A", {"MISM",       "MISM",          "Available A", "Available A",  "Available A", "Available A", "Available A"}},
    {"LEASE.RELEASE box B", {"MISM",       "MISM",          "MISM",        "MISM",         "MISM",        "MISM",        "MISM"}},
    /*                            never leased  available again  Leased A, ∞      Leased A, 20 s   Breaking A 20 s  Broken A    Expired A */
    {"LEASE.BREAK box",           {"NOTP",      "NOTP",          "Broken A",      "Breaking A 20", "Breaking A 20", "Broken A", "Broken A"}},
    {"LEASE.BREAK box PERIOD 0",  {"NOTP",      "NOTP",          "Broken A",      "Broken A",      "Broken A",      "Broken A", "Broken A"}},
    {"LEASE.BREAK box PERIOD 1",  {"NOTP",      "NOTP",          "Breaking A 1",  "Breaking A 1",  "Breaking A 1",  "Broken A", "Broken A"}},
    {"LEASE.BREAK box PERIOD 10", {"NOTP",      "NOTP",          "Breaking A 10", "Breaking A 10", "Breaking A 10", "Broken A", "Broken A"}},
    {"LEASE.BREAK box PERIOD 40", {"NOTP",      "NOTP",          "Breaking A 40", "Breaking A 20", "Breaking A 20", "Broken A", "Broken A"}},
    {"LEASE.BREAK box PERIOD 60", {"NOTP",      "NOTP",          "Breaking A 60", "Breaking A 20", "Breaking A 20", "Broken A", "Broken A"}},
};

/* clang-format on */

/* What is being played, for the message of a failure. */
struct play {
    const char *request;
    const char *cell;
    const struct lease_way *way;
    const struct lease_place *where;
    redisReply *reply;
};

static void require_play(const struct play *play, bool truth, const char *what) {
    require(truth, "%s; %s\n    should give %s, but %s; it answered %s, and the lease is\n    %s",
            lease_way_text(play->way, play->where), play->request, play->cell, what, reply_text(play->reply),
            reply_text(lease_of("box", play->where)));
}

static bool has_text(const redisReply *map, const char *name, const char *text) {
    const redisReply *value = reply_field_if_any(map, name);
    return text ? value && !strcmp(reply_string(value), text) : !value;
}

/* Whether the id lets a read of the object pass; if not, whether it is refused with the named code. */
static bool id_gives(const struct play *play, const char *id, const char *refusal) {
    const char *read = play->where == &on_blob ? "BLOB.GET box cat LEASE %s" : "CONTAINER.GET box LEASE %s";
    redisReply *reply = call(primary, read, id);
    if (!refusal) return !reply_is_error(reply);
    return reply_is_error(reply) && text_begins(reply->str, lease_refusal(refusal, play->where));
}

/* What has come out, as a cell says it. */
struct result {
    const char *state;
    const char *holder;
    const char *left; /* seconds, or the sign of infinity, or nothing */
};

static struct result result_of(const char *cell) {
    struct words words = words_of_line(cell);
    struct result result = {words.word[0], words.word[1], words.count > 2 ? words.word[2] : ""};
    if (!strcmp(result.holder, "A")) result.holder = ID_A;
    if (!strcmp(result.holder, "B")) result.holder = ID_B;
    return result;
}

static void require_time(const struct play *play, const redisReply *lease, const char *left) {
    const redisReply *remaining = reply_field_if_any(lease, "remaining-ms");
    if (!atoi(left)) {
        require_play(play, !remaining, "time is said to be left");
        return;
    }
    long long max = atoi(left) * 1000LL;
    require_play(play, remaining && remaining->integer <= max && remaining->integer > max - 3000,
                 "another time is left");
}

static void require_answer(const struct play *play, struct result *result) {
    if (text_begins(play->request, "LEASE.RELEASE")) {
        expect_ok(play->reply);
    } else if (text_begins(play->request, "LEASE.BREAK")) {
        expect_number(play->reply, atoi(result->left));
    } else {
        const char *id = lease_id(play->reply);
        bool drawn = !strcmp(result->holder, "new");
        require_play(play,
                     drawn ? strcmp(id, ID_A) != 0 && strcmp(id, ID_B) != 0 : !strcmp(id, result->holder),
                     "the id is another one");
        result->holder = id;
    }
}

static void require_result(const struct play *play) {
    struct result result = result_of(play->cell);
    require_play(play, !reply_is_error(play->reply), "it was refused");
    require_answer(play, &result);
    bool leased = !strcmp(result.state, "Leased"), locked = leased || !strcmp(result.state, "Breaking");
    char *state = pool_copy(result.state, strlen(result.state));
    state[0] = (char)(state[0] + ('a' - 'A'));
    redisReply *lease = lease_of("box", play->where);
    require_play(play, has_text(lease, "state", state), "the state is another one");
    require_play(play, has_text(lease, "status", locked ? "locked" : "unlocked"), "the status is wrong");
    const char *duration = atoi(result.left) ? "fixed" : "infinite";
    require_play(play, has_text(lease, "duration", leased ? duration : NULL), "the duration is wrong");
    require_time(play, lease, result.left);
    require_play(play, id_gives(play, result.holder, locked ? NULL : "LOST"), "the holder's id is not so");
    require_play(play, id_gives(play, ID_C, locked ? "WRONG" : "ABSENT"), "another id passes");
}

static void play_cell(struct play *play) {
    lease_reach(play->way, play->where);
    const char *digest = value_digest(primary, "box");
    const char *refusal = lease_refusal(play->cell, play->where);
    play->reply = lease_play(play->request, play->where);
    if (!refusal) {
        require_result(play);
        return;
    }
    require_play(play, reply_is_error(play->reply) && text_begins(play->reply->str, refusal), "it did not");
    require_play(play, !strcmp(value_digest(primary, "box"), digest), "something changed");
}

static void play_table(const struct lease_place *where) {
    for (size_t row = 0; row < ARRAY_SIZE(table); row++) {
        for (size_t way = 0; way < lease_ways_count; way++) {
            if (!lease_way_fits(&lease_ways[way], where)) continue;
            struct play play = {
                .request = table[row].request,
                .cell = table[row].cells[lease_ways[way].state],
                .way = &lease_ways[way],
                .where = where,
            };
            play_cell(&play);
        }
    }
}

TEST(outcomes_on_blobs) {
    play_table(&on_blob);
}

TEST(outcomes_on_containers) {
    play_table(&on_container);
}
