/* Random transactions against the same commands one by one on copies of the values: a transaction is refused when one
 * of its commands is refused alone, by the first of them; else it leaves what the commands leave alone, the copies
 * first, and the leases last. */
#include <stdlib.h>
#include <string.h>

#include "atomic.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "random.h"
#include "steps.h"
#include "text.h"

/* In a line, @ is written before a key, %b for a blob, %p for a path, %e for the keys of an entity, %x for a content
 * of any length, %i for a block's id. */
static const struct kind {
    const char *line;
    enum { READS, COPIES, CHANGES, LEASES } turn;
} kinds[] = {
    {"BLOB.PUT @c %b %x", CHANGES},
    {"BLOB.PUT @c %b %x IFNONEMATCH *", CHANGES},
    {"BLOB.PUT @c %b %x IFMATCH *", CHANGES},
    {"BLOB.PUT @c %b %x LEASE A", CHANGES},
    {"BLOB.PUT @o %b %x META 1 k %x", CHANGES},
    {"BLOB.DELETE @c %b", CHANGES},
    {"BLOB.DELETE @c %b SNAPSHOTS INCLUDE", CHANGES},
    {"BLOB.DELETE @c %b SNAPSHOTS ONLY", CHANGES},
    {"BLOB.SETMETA @c %b META 1 k %x", CHANGES},
    {"BLOB.SETPROPS @c %b PROPS 1 content-type %x", CHANGES},
    {"BLOB.SNAPSHOT @c %b", CHANGES},
    {"BLOB.PUTBLOCK @c %b %i %x", CHANGES},
    {"BLOB.PUTBLOCK @c %b %i %x", CHANGES},
    {"BLOB.PUTBLOCKLIST @c %b 1 LATEST %i", CHANGES},
    {"BLOB.CREATEAPPEND @c %b", CHANGES},
    {"BLOB.APPEND @c %b %x", CHANGES},
    {"BLOB.SEAL @c %b", CHANGES},
    {"BLOB.CREATEPAGE @o %b 1024", CHANGES},
    {"BLOB.PUTPAGE @o %b 512 512*x", CHANGES},
    {"BLOB.COPY @c %b @c %b", COPIES},
    {"BLOB.COPY @c %b @c %b", COPIES},
    {"BLOB.COPY @c %b @o %b", COPIES},
    {"BLOB.COPY @o %b @c %b META 1 k %x", COPIES},
    {"BLOB.GET @c %b", READS},
    {"BLOB.GETMETA @o %b", READS},
    {"CONTAINER.SETMETA @c META 1 k %x", CHANGES},
    {"LEASE.ACQUIRE @c -1 BLOB %b ID A OWNER %b", LEASES},
    {"LEASE.ACQUIRE @c 60 BLOB %b ID A", LEASES},
    {"LEASE.RENEW @c A BLOB %b", LEASES},
    {"LEASE.CHANGE @c A B BLOB %b", LEASES},
    {"LEASE.RELEASE @c A BLOB %b", LEASES},
    {"LEASE.RELEASE @c B BLOB %b", LEASES},
    {"LEASE.BREAK @c PERIOD 0 BLOB %b", LEASES},
    {"LEASE.ACQUIRE @s -1 FILE %p ID C", LEASES},
    {"LEASE.BREAK @s FILE %p", LEASES},
    {"QUEUE.PUT @q %x", CHANGES},
    {"QUEUE.PUT @q %x VISIBILITY 60", CHANGES},
    {"QUEUE.PUT @q %x GROUP %b", CHANGES},
    {"QUEUE.PUT @q %x DEDUP %b", CHANGES},
    {"QUEUE.PUTMANY @q 3 %x %x %x", CHANGES},
    {"QUEUE.DELETE @q $m $r", CHANGES},
    {"QUEUE.DELETE @q $n $o", CHANGES},
    {"QUEUE.DELETEMANY @q 2 $m $r $n $o", CHANGES},
    {"QUEUE.UPDATE @q $m $r VISIBILITY 0 MESSAGE %x", CHANGES},
    {"QUEUE.RELEASE @q $n $o REASON why", CHANGES},
    {"TABLE.INSERT @t %e PROPS 1 v %x", CHANGES},
    {"TABLE.REPLACE @t %e IFMATCH * PROPS 1 v %x", CHANGES},
    {"TABLE.MERGE @t %e IFMATCH * PROPS 1 w %x", CHANGES},
    {"TABLE.INSERTORREPLACE @t %e PROPS 2 v %x n:int32 5", CHANGES},
    {"TABLE.INSERTORMERGE @t %e PROPS 1 w %x", CHANGES},
    {"TABLE.DELETE @t %e IFMATCH *", CHANGES},
    {"TABLE.GET @t %e", READS},
    {"FILE.MKDIR @s %p", CHANGES},
    {"FILE.RMDIR @s %p", CHANGES},
    {"FILE.CREATE @s %p 100", CHANGES},
    {"FILE.CREATE @s %p 100", CHANGES},
    {"FILE.DELETE @s %p", CHANGES},
    {"FILE.PUTRANGE @s %p 3 %x", CHANGES},
    {"FILE.SETMETA @s %p META 1 k %x", CHANGES},
    {"FILE.GET @s %p", READS},
};

enum { KINDS = ARRAY_SIZE(kinds), MAX = 6, KEYS = 5, ROUNDS = 120 };

static const char *const keys[KEYS] = {"c", "o", "q", "t", "s"};
static const char *const blobs[] = {"a", "b", "x", "y"};
static const char *const paths[] = {"f", "F", "d", "d/f", "D/g", "e"};
static const char *const spots[] = {"p 1", "p 2", "q 1"};

/* --- Lines --- */

static const char *drawn(char sort) {
    switch (sort) {
    case 'b': return blobs[random_below(4)];
    case 'p': return paths[random_below(6)];
    case 'e': return spots[random_below(3)];
    case 'i': return random_below(2) ? "AAAA" : "BBBB";
    default:
        return pool_print("%0*d", random_below(8) ? 1 + random_below(20) : 600 + random_below(400),
                          random_below(1000));
    }
}

static const char *draw_line(const char *pattern) {
    struct text line = {0};
    for (; *pattern; pattern++) {
        if (*pattern == '%')
            text_print(&line, "%s", drawn(*++pattern));
        else
            text_add(&line, pattern, 1);
    }
    return line.bytes;
}

/* The line with keys of this prefix; the source of a copy may have another one. */
static const char *with_keys(const char *pattern, const char *prefix, const char *source_prefix) {
    struct text line = {0};
    int count = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '@')
            text_print(&line, "%s", count++ ? source_prefix : prefix);
        else
            text_add(&line, pattern, 1);
    }
    return line.bytes;
}

static redisReply *play(const char *line) {
    struct words words = step_words(line);
    return call_words(primary, &words);
}

/* --- Values --- */

static const redisReply *dumps[KEYS];

static void dump_all(void) {
    for (int i = 0; i < KEYS; i++) dumps[i] = call(primary, "DUMP %s", keys[i]);
}

static void restore_all(const char *prefix) {
    for (int i = 0; i < KEYS; i++)
        expect_ok(call(primary, "RESTORE %s%s 0 %b REPLACE", prefix, keys[i], dumps[i]->str, dumps[i]->len));
}

/* What does not depend on ids that were drawn. */
static const char *state_of(const char *prefix) {
    struct text state = EMPTY_TEXT;
    const char *lists[] = {"BLOB.LIST @c INCLUDE 3 META SNAPSHOTS UNCOMMITTED",
                           "BLOB.LIST @o INCLUDE 2 META SNAPSHOTS",
                           "LEASE.LIST @s",
                           "CONTAINER.GETMETA @c",
                           "TABLE.QUERY @t",
                           "FILE.LIST @s ''",
                           "FILE.LIST @s d",
                           "SHARE.GET @s"};
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        redisReply *reply = play(with_keys(lists[i], prefix, prefix));
        text_print(&state, "%s: %s\n", lists[i], reply_shape(reply));
    }
    redisReply *depth = play(with_keys("QUEUE.STAT @q", prefix, prefix));
    text_print(&state, "%lld and %lld\n", field(depth, "visible")->integer,
               field(depth, "invisible")->integer);
    redisReply *messages = play(with_keys("QUEUE.PEEK @q COUNT 32", prefix, prefix));
    for (size_t i = 0; i < messages->elements; i++)
        text_print(&state, "%s ", reply_text(field(messages->element[i], "message")));
    for (int i = 0; i < 4; i++) {
        const char *lines[] = {"BLOB.GET @c %s", "BLOB.GET @o %s", "BLOB.GETBLOCKLIST @c %s ALL"};
        for (int j = 0; j < 3; j++)
            text_print(&state, "%s\n",
                       reply_shape(play(with_keys(pool_print(lines[j], blobs[i]), prefix, prefix))));
    }
    for (int i = 0; i < 6; i++)
        text_print(&state, "%s\n",
                   reply_shape(play(with_keys(pool_print("FILE.GET @s %s", paths[i]), prefix, prefix))));
    return state.bytes;
}

/* --- A round --- */

struct round {
    int count;
    const char *line[MAX + 1];
    int turn[MAX];
};

/* Its refusal when it is played alone, with class and code; NULL for none. Of several at once one is enough. */
static const char *refusal_of(const char *line) {
    restore_all("w");
    const redisReply *reply = play(with_keys(line, "w", "w"));
    bool many = reply->type == REDIS_REPLY_ARRAY && reply->elements == 2;
    for (size_t i = 0; many && i < 2; i++)
        if (reply_is_error(reply->element[i])) reply = reply->element[i], many = false;
    if (!reply_is_error(reply)) return NULL;
    const char *text = reply_string(reply);
    size_t class = strcspn(text, " ") + 1;
    return pool_print("%.*s", (int)(class + strcspn(text + class, " ")), text);
}

/* Most commands can be done alone: what all of them together do is the question. */
static void draw_round(struct round *round) {
    round->count = 1 + random_below(MAX);
    for (int i = 0; i < round->count; i++)
        for (int tries = 0; !tries || (tries < 12 && random_below(25) && refusal_of(round->line[i]));
             tries++) {
            const struct kind *kind = &kinds[random_below(KINDS)];
            round->line[i] = draw_line(kind->line);
            round->turn[i] = kind->turn;
        }
}

/* The first command that is refused alone, as the whole has to be refused then; NULL for none. */
static const char *alone(const struct round *round) {
    for (int i = 0; i < round->count; i++) {
        const char *refusal = refusal_of(round->line[i]);
        if (refusal) return pool_print("%s %d:", refusal, i);
    }
    return NULL;
}

/* Leases of what has gone go with it. */
static void play_one_by_one(const struct round *round) {
    restore_all("w");
    restore_all("v");
    for (int turn = COPIES; turn <= LEASES; turn++)
        for (int i = 0; i < round->count; i++) {
            if (round->turn[i] != turn) continue;
            redisReply *reply = play(with_keys(round->line[i], "w", "v"));
            require(turn == LEASES || !reply_is_error(reply), "%s gives %s", round->line[i],
                    reply_text(reply));
        }
}

static const char *round_text(const struct round *round) {
    struct text text = {0};
    for (int i = 0; i < round->count; i++) text_print(&text, "%s\n", round->line[i]);
    return text.bytes;
}

struct tally {
    int commands, done, refused, collisions;
};

static void play_round(struct tally *tally) {
    struct round round;
    const char *lines[MAX + 1] = {NULL};
    atomic_put_message('m', 'r');
    atomic_put_message('n', 'o');
    dump_all();
    draw_round(&round);
    tally->commands += round.count;
    for (int i = 0; i < round.count; i++) lines[i] = with_keys(round.line[i], "", "");
    const char *refusal = alone(&round), *before = state_of("");
    redisReply *reply = atomic_of(primary, lines);
    if (reply_is_error(reply)) {
        bool collides = text_begins(reply->str, "INVALID InvalidDuplicateRow");
        require(!strcmp(before, state_of("")), "%shas left a trace: %s", round_text(&round), state_of(""));
        require(collides || (refusal && text_begins(reply->str, refusal)), "%sgives %s, and alone %s",
                round_text(&round), reply_text(reply), refusal ? refusal : "nothing is refused");
        if (collides)
            tally->collisions++;
        else
            tally->refused++;
        return;
    }
    require(!refusal, "%sis done, but alone %s", round_text(&round), refusal);
    play_one_by_one(&round);
    const char *is = state_of(""), *should = state_of("w");
    require(!strcmp(is, should), "%sleads to\n%s\nand not to\n%s", round_text(&round), is, should);
    tally->done++;
}

static int rounds_asked(void) {
    const char *asked = getenv("HOLDFAST_ATOMIC_ROUNDS");
    return asked && *asked ? atoi(asked) : ROUNDS;
}

TEST(a_transaction_is_its_commands_one_by_one) {
    struct tally tally = {0};
    lease_setup();
    random_begin();
    create("c");
    create("o");
    expect_ok(call(primary, "QUEUE.CREATE q MAXDELIVERIES 3"));
    expect_ok(call(primary, "TABLE.CREATE t"));
    expect_ok(call(primary, "CONTAINER.FEED c ON"));
    expect_ok(call(primary, "TABLE.FEED t ON"));
    expect_ok(call(primary, "TABLE.INDEX t v"));
    expect_etag(call(primary, "SHARE.CREATE s"));
    for (int left = rounds_asked(); left; left--) {
        play_round(&tally);
        if (left % 20 == 0) call(primary, "QUEUE.CLEAR q");
    }
    call(primary, "DEL wc wo wq wt ws vc vo vq vt vs");
    print_message("# %d commands: %d transactions done, %d refused, %d with collisions\n", tally.commands,
                  tally.done, tally.refused, tally.collisions);
    require(tally.done > 10 && tally.refused + tally.collisions > 1,
            "only %d done, %d refused, %d with collisions", tally.done, tally.refused, tally.collisions);
}
