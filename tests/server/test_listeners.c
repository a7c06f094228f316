/* Another module hears of a change and at once deletes, replaces, renames or changes the key: whatever the
 * event, and however it came about. The server goes on, what was told comes in the order in which it happened,
 * and the files tell the same story. */
#include <string.h>

#include "files.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "queues.h"
#include "single_server.h"
#include "sources.h"
#include "text.h"
#include "waiting.h"

#define WEEK_MS (7 * 86400000LL)

static struct client *listening;
static long long passed_ms; /* by the clock of the server that listens */
static const char *answer;  /* to the command of a scene */

static void stage(void) {
    passed_ms = 0;
    listening = test_client(server_start(
        "listening", pool_print("loadmodule %s\nappendonly yes\n", test_library("listener.so"))));
}

/* What was heard begins so. What follows depends on what the listener has left. */
static bool has_heard(const char *heard) {
    const char *told = reply_string(call(listening, "LISTENER.HEARD"));
    return !strncmp(told, heard, strlen(heard));
}

static void expect_heard(const char *heard, const char *what, const char *deed) {
    require(has_heard(heard), "%s, %s: heard \"%s\", answered %s", what, deed,
            reply_string(call(listening, "LISTENER.HEARD")), answer);
}

static void await_heard(const char *heard, const char *what, const char *deed) {
    AWAIT_OR(has_heard(heard), "%s, %s: heard \"%s\", answered %s", what, deed,
             reply_string(call(listening, "LISTENER.HEARD")), answer);
}

/* The file has the deeds between the changes that they came between: all effects fit. */
static void require_sound_file(void) {
    const char *before = reply_string(call(listening, "DEBUG DIGEST"));
    expect_ok(call(listening, "DEBUG LOADAOF"));
    assert_string_equal(reply_string(call(listening, "DEBUG DIGEST")), before);
    assert_int_equal(info_of(listening, "holdfast_effects_misfit"), 0);
}

static void prepare(const char *lines) {
    expect_ok(call(listening, "FLUSHALL"));
    for (const char *const *line = text_commands(lines); *line; line++) act_by(listening, *line, NULL);
}

static void listen_for(const char *event, const char *deed) {
    expect_ok(call_line(listening, pool_print("LISTENER.ON %s %s", event, deed)));
}

/* What a listener does, with the event's key. */
static const char *const deeds[] = {"DEL KEY",
                                    "UNLINK KEY",
                                    "SET KEY x",
                                    "RENAME KEY elsewhere",
                                    "COPY KEY elsewhere REPLACE",
                                    "FLUSHALL",
                                    "QUEUE.PUT KEY more",
                                    "QUEUE.CLEAR KEY",
                                    "BLOB.PUT KEY cat more",
                                    "BLOB.DELETE KEY cat",
                                    "CONTAINER.DELETE KEY",
                                    "FILE.DELETE KEY a",
                                    "FILE.CREATE KEY b 5",
                                    "SHARE.SNAPSHOT KEY",
                                    "SHARE.DELETE KEY",
                                    NULL};

struct scene {
    const char *name;
    const char *preparation; /* acts with "; " between them, see files.h */
    const char *waits;       /* lines of clients that wait, "; " between them; NULL for none */
    long long passes_ms;
    const char *command; /* at the moment in which the time has passed; NULL for upkeep */
    const char *event;   /* of which the listener hears, and acts */
    const char *heard;
};

#define JOBS "QUEUE.CREATE jobs; QUEUE.PUT jobs a TTL 5; QUEUE.PUT jobs b; QUEUE.PUT jobs c TTL 5"
#define BOX  "CONTAINER.CREATE box; BLOB.PUT box cat x; BLOB.PUTBLOCK box cat AAAA one"
#define SHARE                                                                                                \
    "SHARE.CREATE fs; create a 10; mkdir d; create d/e 10; s = SHARE.CONNECT fs 5; t = SHARE.CONNECT fs 60"
#define HELD                                                                                                 \
    SHARE "; h = open s a RD/RWD DELETEONCLOSE; i = open s d/e RWD/- DELETEONCLOSE; j = open t a RWD/RWD"

#define SHARED SHARE "; h = open s a RW/R"
#define LEASED "CONTAINER.CREATE box; BLOB.PUT box cat x; LEASE.ACQUIRE box 15 BLOB cat ID A"

/* clang-format off */
static const struct scene settled[] = {
    {"a message before a put", JOBS, NULL, 5000, "QUEUE.PUT jobs d", "queue.expired", "queue.expired jobs, queue.put jobs"},
    {"a message before a get", JOBS, NULL, 5000, "QUEUE.GET jobs", "queue.expired", "queue.expired jobs, queue.get jobs"},
    {"a message before a clear", JOBS, NULL, 5000, "QUEUE.CLEAR jobs", "queue.expired", "queue.expired jobs, queue.clear jobs"},
    {"a message that dies", "QUEUE.CREATE jobs MAXDELIVERIES 1; QUEUE.PUT jobs a; QUEUE.GET jobs VISIBILITY 5", NULL, 5000,
     "QUEUE.REDRIVE jobs", "queue.died", "queue.died jobs, queue.redrive jobs"},
    {"a message before a transaction", JOBS, NULL, 5000, "HOLDFAST.ATOMIC 2 3 QUEUE.PUT jobs d 3 QUEUE.PUT jobs e",
     "queue.expired", "queue.expired jobs, queue.put jobs, queue.put jobs"},
    {"a message before a refusal", JOBS, NULL, 5000, "QUEUE.DELETE jobs " ID_NONE " " RECEIPT_NONE, "queue.expired", "queue.expired jobs"},
    {"blocks before a put", BOX, NULL, WEEK_MS, "BLOB.PUT box cat y", "blob.unstage", "blob.unstage box, blob.put box"},
    {"blocks before a put elsewhere", BOX, NULL, WEEK_MS, "BLOB.PUT box dog y", "blob.unstage", "blob.unstage box, blob.put box"},
    {"blocks before a delete", BOX, NULL, WEEK_MS, "BLOB.DELETE box cat", "blob.unstage", "blob.unstage box, blob.delete box"},
    {"blocks without a blob", "CONTAINER.CREATE box; BLOB.PUTBLOCK box cat AAAA one", NULL, WEEK_MS, "BLOB.APPEND box cat y", "blob.unstage",
     "blob.unstage box"},
    {"a session before a write", HELD, NULL, 5000, "put d/e 0 xy", "share.expired", "share.expired fs"},
    {"a session before a delete", HELD, NULL, 5000, "FILE.DELETE fs d/e", "share.expired", "share.expired fs"},
    {"a session before a directory goes", HELD, NULL, 5000, "FILE.RMDIR fs d", "share.expired", "share.expired fs"},
    {"a session before a move", HELD, NULL, 5000, "FILE.RENAME fs d dd", "share.expired", "share.expired fs, file.rename fs"},
    {"a session before a lease", HELD, NULL, 5000, "LEASE.ACQUIRE fs -1 FILE d/e", "share.expired", "share.expired fs"},
    {"a session before an opening", HELD, NULL, 5000, "open t d/e RW/-", "share.expired", "share.expired fs"},
    {"a session before a lock", HELD "; lock $h SHARED 0 5", NULL, 5000, "FILE.LOCK fs $j EXCLUSIVE 0 5", "share.expired",
     "share.expired fs, file.lock fs"},
    {"a session before a snapshot", HELD, NULL, 5000, "SHARE.SNAPSHOT fs", "share.expired", "share.expired fs, share.snapshot fs"},
    {NULL, NULL, NULL, 0, NULL, NULL, NULL},
};

static const struct scene cleared[] = {
    {"messages", JOBS, NULL, 7000, NULL, "queue.expired", "queue.expired jobs"},
    {"blocks", BOX, NULL, WEEK_MS + 7000, NULL, "blob.unstage", "blob.unstage box"},
    {"a session", HELD, NULL, 5000, NULL, "share.expired", "share.expired fs"},
    {NULL, NULL, NULL, 0, NULL, NULL, NULL},
};

static const struct scene granted[] = {
    {"a message that is put", "QUEUE.CREATE jobs", "QUEUE.GET jobs BLOCK 0", 0, "QUEUE.PUT jobs a", "queue.get",
     "queue.put jobs, queue.get jobs"},
    {"a message that shows again", "QUEUE.CREATE jobs; QUEUE.PUT jobs a; QUEUE.GET jobs VISIBILITY 5", "QUEUE.GET jobs BLOCK 0",
     5000, "QUEUE.GET jobs", "queue.get", "queue.get jobs"},
    {"a message that shows again, by itself", "QUEUE.CREATE jobs; QUEUE.PUT jobs a; QUEUE.GET jobs VISIBILITY 5", "QUEUE.GET jobs BLOCK 0",
     5000, NULL, "queue.get", "queue.get jobs"},
    {"a message before a transaction", "QUEUE.CREATE jobs; QUEUE.PUT jobs a; QUEUE.GET jobs VISIBILITY 5", "QUEUE.GET jobs BLOCK 0",
     5000, "HOLDFAST.ATOMIC 1 2 QUEUE.GET jobs", "queue.get", "queue.get jobs"},
    {"messages for many", "QUEUE.CREATE jobs", "QUEUE.GET jobs BLOCK 0; QUEUE.GET jobs BLOCK 0; QUEUE.GET jobs BLOCK 0", 0,
     "QUEUE.PUTMANY jobs 3 a b c", "queue.get", "queue.put jobs, queue.get jobs, queue.get jobs, queue.get jobs"},
    {"a lease that is released", LEASED, "LEASE.ACQUIRE box 15 BLOB cat BLOCK 0", 0, "LEASE.RELEASE box A BLOB cat", "lease.acquire",
     "lease.release box, lease.acquire box"},
    {"a lease that expires", LEASED, "LEASE.ACQUIRE box 15 BLOB cat BLOCK 0", 15000, "LEASE.ACQUIRE box 15 BLOB cat ID B", "lease.acquire",
     "lease.expired box, lease.acquire box"},
    {"a lease that expires, by itself", LEASED, "LEASE.ACQUIRE box 15 BLOB cat BLOCK 0", 15000, NULL, "lease.expired",
     "lease.expired box, lease.acquire box"},
    {"a handle that is closed", SHARED, "open t a RW/R BLOCK 0", 0, "FILE.CLOSE fs $h", "file.open", "file.close fs, file.open fs"},
    {"a handle of a session that expires", SHARED "; i = open s d/e RWD/- DELETEONCLOSE", "open t a RW/R BLOCK 0", 5000, "SHARE.SNAPSHOT fs", "share.expired",
     "share.expired fs, share.snapshot fs"},
    {"a lock", SHARED "; i = open s d/e RW/RWD; j = open t d/e RW/RWD; lock $i EXCLUSIVE 0 5", "lock $j EXCLUSIVE 0 5 BLOCK 0", 0,
     "FILE.UNLOCK fs $i 0 5", "file.lock", "file.unlock fs, file.lock fs"},
    {NULL, NULL, NULL, 0, NULL, NULL, NULL},
};
/* clang-format on */

static void let_wait(const char *lines) {
    if (!lines) return;
    for (const char *const *line = text_commands(lines); *line; line++)
        act_waiting_at(listening->server, *line);
}

/* No alarm rings between commands of one packet, nor in a transaction. */
static void play_at_once(const struct scene *scene, bool multi) {
    struct words words = act_words(scene->command);
    passed_ms += scene->passes_ms;
    if (multi) send_call(listening, "MULTI");
    send_call(listening, "CONFIG SET holdfast.clock-offset-ms %lld", passed_ms);
    send_words(listening, &words);
    if (multi) send_call(listening, "EXEC");
    for (int left = multi ? 3 : 1; left; left--) receive(listening);
    answer = reply_text(receive(listening));
}

static void play_later(const struct scene *scene) {
    passed_ms += scene->passes_ms;
    expect_ok(call(listening, "CONFIG SET holdfast.clock-offset-ms %lld", passed_ms));
}

static void play(const struct scene *scene, const char *deed, bool multi) {
    prepare(scene->preparation);
    let_wait(scene->waits);
    listen_for(scene->event, deed);
    if (scene->command) {
        play_at_once(scene, multi);
        expect_heard(scene->heard, scene->name, deed);
    } else {
        play_later(scene);
        await_heard(scene->heard, scene->name, deed);
    }
    expect_ok(call(listening, "LISTENER.OFF"));
}

static void play_all(const struct scene *scenes, bool multi) {
    stage();
    for (const struct scene *scene = scenes; scene->name; scene++)
        for (const char *const *deed = deeds; *deed; deed++) play(scene, *deed, multi);
    require_sound_file();
}

TEST(listeners_may_act_while_a_command_settles) {
    play_all(settled, false);
}

TEST(listeners_may_act_while_a_transaction_settles) {
    play_all(settled, true);
}

TEST(listeners_may_act_while_upkeep_clears) {
    play_all(cleared, false);
}

TEST(listeners_may_act_while_waiters_are_granted) {
    play_all(granted, false);
}

static const char *id_of_waiter(void) {
    const char *list = reply_string(call(listening, "CLIENT LIST")), *waiter = strstr(list, " flags=b");
    require(waiter, "nobody waits: %s", list);
    while (waiter > list && waiter[-1] != '\n') waiter--;
    return pool_copy(waiter + 3, strspn(waiter + 3, "0123456789"));
}

/* The client is killed when it was granted a message, but not told: the message is given back. */
TEST(a_waiter_that_is_lost_at_once) {
    stage();
    prepare("QUEUE.CREATE jobs");
    let_wait("QUEUE.GET jobs BLOCK 0");
    listen_for("queue.get", pool_print("CLIENT KILL ID %s", id_of_waiter()));
    expect_elements(call(listening, "QUEUE.PUT jobs a"), 10);
    await_heard("queue.put jobs, queue.get jobs, queue.release jobs", "a waiter", "killed");
    expect_number(field(call(listening, "QUEUE.STAT jobs"), "visible"), 1);
}

/* The server's own list of users does not have this one. */
TEST(a_user_of_another_module_is_granted_what_it_waits_for) {
    stage();
    prepare("QUEUE.CREATE jobs");
    struct client *waiter = test_client(listening->server);
    expect_ok(call(waiter, "LISTENER.LOGIN"));
    send_line(waiter, "QUEUE.GET jobs BLOCK 0");
    await_waiters(listening, 1);
    expect_elements(call(listening, "QUEUE.PUT jobs a"), 10);
    expect_elements(answer_within(waiter, 5000), 1);
}

/* --- Copies --- */

static void play_copy(const char *event, const char *deed, const char *blob, const char *heard) {
    prepare("CONTAINER.CREATE box; BLOB.PUT box cat x");
    listen_for(event, deed);
    expect_elements(
        call(listening, "BLOB.COPY box dog src %s FROM 127.0.0.1 %d", blob, primary->server->port), 3);
    await_heard(heard, "a copy", deed);
    await_info(listening, "holdfast_copies_pending", 0);
    expect_ok(call(listening, "LISTENER.OFF"));
}

TEST(copies_that_arrive) {
    stage();
    expect_ok(call(listening, "CONFIG SET holdfast.copy-from 127.0.0.1:*"));
    create("src");
    put("src", "cat", "meow");
    for (const char *const *deed = deeds; *deed; deed++) {
        play_copy("blob.copied", *deed, "cat", "blob.copy box, blob.copied box");
        play_copy("blob.copyfailed", *deed, "none", "blob.copy box, blob.copyfailed box");
        play_copy("blob.copy", *deed, "cat", "blob.copy box");
    }
    require_sound_file();
}

/* --- Replicas --- */

/* What the replica does for itself is its own affair, and the primary's effects then do not fit. */
TEST(effects_that_arrive) {
    stage();
    follow(listening, primary);
    for (const char *const *deed = deeds; *deed; deed++) {
        expect_ok(call(primary, "FLUSHALL"));
        await_in_step(listening, primary);
        listen_for("blob.put", *deed);
        create("box");
        put("box", "cat", "x");
        await_in_step(listening, primary);
        expect_heard("container.create box, blob.put box", "a replica", *deed);
        expect_ok(call(listening, "LISTENER.OFF"));
    }
}

/* A string that another module brings stays its own: it may keep it, change it, and bring it again. */
TEST(strings_of_other_modules_are_not_kept) {
    enum { BYTES = 100000 };
    static const char *const lines[] = {"BLOB.PUT box cat", "BLOB.APPEND box log",
                                        "BLOB.PUTBLOCK box cat MQ==", "HOLDFAST.ATOMIC 1 4 BLOB.PUT box dog"};
    const char *text = memset(pool_take(BYTES), 'x', BYTES);
    stage();
    call(listening, "CONFIG SET appendonly no"); /* else the server itself keeps them until it has written */
    prepare("CONTAINER.CREATE box; BLOB.CREATEAPPEND box log");
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct words words = words_of_line(pool_print("LISTENER.REUSE %s", lines[i]));
        words_add_bytes(&words, text, BYTES);
        redisReply *reply = call_words(listening, &words);
        require(!strcmp(reply_string(reply), "OK"), "%s keeps it", lines[i]);
    }
    expect_bytes(call(listening, "BLOB.GET box cat")->element[1], text, BYTES);
}
