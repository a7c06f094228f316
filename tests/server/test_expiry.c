/* What time has ended is seen by nobody: every command that reads is asked about it in the very transaction in which
 * the time passes, where nothing can have cleared it away, and must answer what it answers later, after the memory
 * has come back, and what a replica answers. */
#include <ctype.h>
#include <string.h>

#include "clock.h"
#include "files.h"
#include "harness.h"
#include "pool.h"
#include "text.h"

enum { QUESTIONS_MAX = 16 };

/* `answer` is a part of the reply's shape, see reply_shape, or of an error. */
struct question {
    const char *line;
    const char *answer;
};

struct ending {
    const char *name;
    const char *preparation; /* acts with "; " between them, see files.h */
    long long passes_ms;
    struct question questions[QUESTIONS_MAX];
    struct question deed; /* asked last in the transaction, and never again: a command that writes */
};

#define WEEK_MS (7 * 86400000LL)

#define SESSION                                                                                              \
    "SHARE.CREATE fs QUOTA 30; create a 10; put a 0 abcdefghij; create b 10; s = SHARE.CONNECT fs 10; "
#define ONLY_B   "[null, [[\"name\", \"b\""
#define COUNTS_B "\"files\", 1, \"directories\", 0, \"bytes\", 10"

#define FILE_IS_GONE                                                                                         \
    {                                                                                                        \
        {"SHARE.GET fs", COUNTS_B}, {"FILE.LIST fs \"\"", ONLY_B}, {"FILE.GET fs a", NO_FILE},               \
            {"FILE.STAT fs a", NO_FILE}, {"FILE.GETMETA fs a", NO_FILE}, {"FILE.GETRANGES fs a", NO_FILE},   \
            {"FILE.HANDLES fs", "[null, []]"}, {"FILE.HANDLES fs a", NO_FILE},                               \
            {"LEASE.GET fs FILE a", NO_FILE}, {"LEASE.LIST fs", "[null, []]"},                               \
            {"FILE.READ fs $h 0 1", NO_HANDLE},                                                              \
    }

/* clang-format off */
static const struct ending endings[] = {
    {"leases of a container and a blob",
     "CONTAINER.CREATE box; BLOB.PUT box cat x; LEASE.ACQUIRE box 15 ID A; LEASE.ACQUIRE box 15 BLOB cat ID B", 15000,
     {{"LEASE.GET box", "\"expired\""}, {"LEASE.GET box BLOB cat", "\"expired\""}, {"LEASE.LIST box", "[null, []]"},
      {"CONTAINER.GET box", "\"lease-state\", \"expired\", \"lease-status\", \"unlocked\""},
      {"BLOB.STAT box cat", "\"lease-state\", \"expired\", \"lease-status\", \"unlocked\""},
      {"BLOB.GET box cat LEASE B", "PRECONDITION LeaseLost"}, {"BLOB.LIST box", "expired"}},
     {"BLOB.PUT box cat y", "<etag>"}},
    {"a lease that was being broken",
     "CONTAINER.CREATE box; BLOB.PUT box cat x; LEASE.ACQUIRE box -1 BLOB cat ID A; LEASE.BREAK box PERIOD 9 BLOB cat", 9000,
     {{"LEASE.GET box BLOB cat", "\"broken\""}, {"LEASE.LIST box", "[null, []]"}, {"BLOB.STAT box cat", "\"broken\""}},
     {"BLOB.PUT box cat y", "<etag>"}},
    {"the lease of a share",
     "SHARE.CREATE fs; LEASE.ACQUIRE fs 15 ID A", 15000,
     {{"LEASE.GET fs", "\"expired\""}, {"SHARE.GET fs", "\"lease-state\", \"expired\""},
      {"SHARE.GETMETA fs LEASE A", "PRECONDITION LeaseLost"}, {"SHARE.GETACL fs LEASE A", "PRECONDITION LeaseLost"}},
     {"SHARE.DELETE fs", "OK"}},
    {"staged blocks of a leased name",
     "CONTAINER.CREATE box; BLOB.PUTBLOCK box cat AAAA one; LEASE.ACQUIRE box -1 BLOB cat ID A", WEEK_MS,
     {{"LEASE.GET box BLOB cat", "NOTFOUND BlobNotFound"}, {"LEASE.LIST box", "[null, []]"},
      {"BLOB.GETBLOCKLIST box cat ALL", "NOTFOUND BlobNotFound"}, {"BLOB.GET box cat", "NOTFOUND BlobNotFound"},
      {"BLOB.STAT box cat", "NOTFOUND BlobNotFound"}, {"BLOB.GETMETA box cat", "NOTFOUND BlobNotFound"},
      {"BLOB.LIST box INCLUDE 1 UNCOMMITTED", "[null, []]"}, {"CONTAINER.GET box", "\"etag\""}},
     {"BLOB.PUT box cat y", "<etag>"}},
    {"staged blocks beside a blob",
     "CONTAINER.CREATE box; BLOB.PUT box cat x; BLOB.PUTBLOCK box cat AAAA one; LEASE.ACQUIRE box -1 BLOB cat ID A", WEEK_MS,
     {{"BLOB.GETBLOCKLIST box cat ALL", "\"uncommitted\", []"}, {"LEASE.LIST box", "\"cat\""},
      {"BLOB.LIST box INCLUDE 1 UNCOMMITTED", "\"cat\""}, {"LEASE.GET box BLOB cat", "\"leased\""}},
     {"BLOB.PUTBLOCKLIST box cat 1 LATEST AAAA LEASE A", "INVALID InvalidBlockList"}},
    {"a session with a file that goes with its handle", SESSION "h = open s a RD/RWD DELETEONCLOSE", 10000, FILE_IS_GONE,
     {"FILE.CREATE fs c 20", "<etag>"}},
    {"a session with a file that is to be deleted", SESSION "h = open s a RD/RWD; dispose $h ON", 10000, FILE_IS_GONE,
     {"FILE.CREATE fs a 20", "<etag>"}},
    {"two sessions with one file", SESSION "t = SHARE.CONNECT fs 5; h = open s a RD/RWD; i = open t a RD/RWD DELETEONCLOSE; "
     "j = open s a R/RWD", 10000, FILE_IS_GONE,
     {"FILE.SETPROPS fs b SIZE 30", "<etag>"}},
    {"one session of two with a file", SESSION "t = SHARE.CONNECT fs 5; h = open s a RD/RWD; i = open t a RD/RWD DELETEONCLOSE", 5000,
     {{"SHARE.GET fs", "\"files\", 2, \"directories\", 0, \"bytes\", 20"}, {"FILE.LIST fs \"\"", ONLY_B},
      {"FILE.GET fs a", PENDING}, {"FILE.STAT fs a", PENDING}, {"LEASE.GET fs FILE a", PENDING},
      {"FILE.READ fs $h 0 1", "\"a\""}, {"FILE.HANDLES fs", "\"pending\", 1"}, {"FILE.READ fs $i 0 1", NO_HANDLE}},
     {"FILE.CREATE fs c 11", "CONFLICT ShareSizeLimitReached"}},
    {"a session that refuses others and has locks", SESSION "h = open s a RW/-; i = open s b RW/RWD; lock $i EXCLUSIVE 0 5", 10000,
     {{"FILE.GET fs a", "\"abcdefghij\""}, {"FILE.GET fs b", "[<etag>"}, {"FILE.HANDLES fs", "[null, []]"},
      {"FILE.STAT fs a", "\"content-length\", 10"}, {"FILE.READ fs $h 0 1", NO_HANDLE},
      {"SHARE.GET fs", "\"files\", 2, \"directories\", 0, \"bytes\", 20"}},
     {"FILE.PUTRANGE fs b 0 xy", "<etag>"}},
    {"messages that expire",
     "QUEUE.CREATE jobs; QUEUE.PUT jobs a TTL 5; QUEUE.PUT jobs b; QUEUE.PUT jobs c TTL 5 VISIBILITY 4", 5000,
     {{"QUEUE.STAT jobs", "\"messages\", 1, \"visible\", 1, \"invisible\", 0"}, {"QUEUE.PEEK jobs COUNT 9", "\"b\"]]"},
      {"QUEUE.DEAD jobs", "[]"}},
     {"QUEUE.CLEAR jobs", "1"}},
    {"a window that ends",
     "QUEUE.CREATE jobs; QUEUE.PUT jobs a; QUEUE.GET jobs VISIBILITY 5", 5000,
     {{"QUEUE.STAT jobs", "\"messages\", 1, \"visible\", 1, \"invisible\", 0"}, {"QUEUE.PEEK jobs COUNT 9", "\"a\""}},
     {"QUEUE.GET jobs", "\"a\""}},
    {"the last window of a message",
     "QUEUE.CREATE jobs MAXDELIVERIES 1; QUEUE.PUT jobs a; QUEUE.PUT jobs b; QUEUE.GET jobs VISIBILITY 5", 5000,
     {{"QUEUE.STAT jobs", "\"messages\", 1, \"visible\", 1, \"invisible\", 0"}, {"QUEUE.PEEK jobs COUNT 9", "\"b\"]]"},
      {"QUEUE.STAT jobs", "\"dead\", 1"}, {"QUEUE.DEAD jobs", "\"a\"]]"}},
     {"QUEUE.REDRIVE jobs", "1"}},
    {"a group's first message that expires",
     "QUEUE.CREATE jobs; QUEUE.PUT jobs a TTL 5 GROUP g; QUEUE.PUT jobs b GROUP g; QUEUE.PUT jobs c GROUP g", 5000,
     {{"QUEUE.STAT jobs", "\"messages\", 2, \"visible\", 1, \"invisible\", 1"}, {"QUEUE.PEEK jobs COUNT 9", "\"b\"]]"}},
     {"QUEUE.GET jobs COUNT 9", "\"b\"]]"}},
    {"several of a group that expire, taken or not",
     "QUEUE.CREATE jobs; QUEUE.PUT jobs a TTL 5 GROUP g; QUEUE.PUT jobs b TTL 5 GROUP g; QUEUE.PUT jobs c GROUP g; "
     "QUEUE.PUT jobs d; QUEUE.GET jobs VISIBILITY 60", 5000,
     {{"QUEUE.STAT jobs", "\"messages\", 2, \"visible\", 2, \"invisible\", 0"}, {"QUEUE.PEEK jobs COUNT 9", "\"c\"], [\"id\""},
      {"QUEUE.PEEK jobs COUNT 9", "\"d\"]]"}},
     {"QUEUE.GET jobs COUNT 9", "\"d\"]]"}},
    {"a group's first message that dies",
     "QUEUE.CREATE jobs MAXDELIVERIES 1; QUEUE.PUT jobs a GROUP g; QUEUE.PUT jobs b GROUP g; QUEUE.GET jobs VISIBILITY 5", 5000,
     {{"QUEUE.STAT jobs", "\"messages\", 1, \"visible\", 1, \"invisible\", 0"}, {"QUEUE.PEEK jobs COUNT 9", "\"b\"]]"},
      {"QUEUE.DEAD jobs", "\"a\"]]"}},
     {"QUEUE.GET jobs COUNT 9", "\"b\"]]"}},
    {"a group whose next message is delayed",
     "QUEUE.CREATE jobs; QUEUE.PUT jobs a TTL 5 GROUP g; QUEUE.PUT jobs b VISIBILITY 90 GROUP g; QUEUE.PUT jobs c GROUP g", 5000,
     {{"QUEUE.STAT jobs", "\"messages\", 2, \"visible\", 0, \"invisible\", 2"}, {"QUEUE.PEEK jobs COUNT 9", "[]"}},
     {"QUEUE.GET jobs COUNT 9", "[]"}},
};
/* clang-format on */

/* How long ago something was, or will be, is another one each time. */
static const char *timeless(const redisReply *reply) {
    static const char *const names[] = {"\"oldest-ms\", ", "\"remaining-ms\", "};
    const char *text = reply_text(reply);
    char *copy = pool_copy(text, strlen(text));
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        for (char *at = copy; (at = strstr(at, names[i]));)
            for (at += strlen(names[i]); isdigit((unsigned char)*at); at++) *at = '#';
    return copy;
}

static redisReply *ask(struct client *client, const char *line) {
    struct words words = act_words(line);
    return call_words(client, &words);
}

static void require_answer(const struct ending *ending, const struct question *question,
                           const redisReply *reply) {
    require(strstr(reply_shape(reply), question->answer), "%s, %s: %s", ending->name, question->line,
            reply_text(reply));
}

/* All questions, and the deed, in the transaction in which the time passes: the replies. */
static redisReply *ask_at_once(const struct ending *ending) {
    size_t count = 2;
    expect_ok(call(primary, "MULTI"));
    call(primary, "CONFIG SET holdfast.clock-offset-ms %lld", clock_after(ending->passes_ms));
    for (const struct question *question = ending->questions; question->line; question++, count++)
        expect_text(ask(primary, question->line), "QUEUED");
    expect_text(ask(primary, ending->deed.line), "QUEUED");
    return expect_elements(call(primary, "EXEC"), count);
}

static void prepare(const char *preparation) {
    call(primary, "DEL box fs jobs");
    time_passes(0);
    for (const char *const *line = text_commands(preparation); *line; line++) act(*line, NULL);
}

/* Waits until nothing that time has ended is in memory any more, but for staged blocks, which nobody counts. */
static void await_memory(const char *name) {
    AWAIT_OR(!info_of(primary, "holdfast_queue_unsettled") &&
                 !info_of(primary, "holdfast_share_sessions_ended"),
             "%s: what has ended stays in memory", name);
}

static void require_same_answers(const struct ending *ending, struct client *client,
                                 const char *const *answers, const char *when) {
    for (size_t i = 0; ending->questions[i].line; i++) {
        const char *later = timeless(ask(client, ending->questions[i].line));
        require(answers[i] && !strcmp(answers[i], later), "%s, %s: %s in the transaction, %s %s",
                ending->name, ending->questions[i].line, answers[i], later, when);
    }
}

TEST(objects_whose_time_ended_are_gone_for_later_commands_of_a_transaction) {
    for (size_t row = 0; row < ARRAY_SIZE(endings); row++) {
        prepare(endings[row].preparation);
        const redisReply *replies = ask_at_once(&endings[row]);
        size_t count = 0;
        for (const struct question *question = endings[row].questions; question->line; question++)
            require_answer(&endings[row], question, replies->element[1 + count++]);
        require_answer(&endings[row], &endings[row].deed, replies->element[1 + count]);
        time_passes(0);
    }
}

TEST(objects_whose_time_ended_stay_gone_after_the_transaction) {
    for (size_t row = 0; row < ARRAY_SIZE(endings); row++) {
        const struct ending *ending = &endings[row];
        struct ending undone = *ending;
        const char *answers[QUESTIONS_MAX] = {NULL};
        undone.deed = ending->questions[0];
        prepare(ending->preparation);
        const redisReply *replies = ask_at_once(&undone);
        for (size_t i = 0; ending->questions[i].line; i++) answers[i] = timeless(replies->element[1 + i]);
        require_same_answers(ending, primary, answers, "right afterwards");
        time_passes(0);
        await_memory(ending->name);
        require_same_answers(ending, primary, answers, "when it is out of memory");
        await_replicas();
        require_same_answers(ending, replica, answers, "at a replica");
    }
}
