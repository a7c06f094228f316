/* Mutual exclusion under fire: processes that take turns at one blob by its lease, and are stopped for longer
 * than their lease lasts in the middle of their work. What they write later, with the id that they had, must
 * not land between what the next holder writes.
 *
 * The same without LEASE, with the lease beside the data as locks usually are, must show such overlaps, or the
 * test would prove nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "harness.h"
#include "leases.h"
#include "pool.h"
#include "random.h"
#include "waiting.h"

enum { WORKERS = 4, EFFECTS_MAX = 20000, WRITES_PER_TURN = 4, LEASE_MS = 80, STOPS = 12 };

/* A write that was accepted: what the server called it, and under which token its writer held the lease. */
struct effect {
    char etag[20];
    char token[20];
};

/* Shared with the workers. */
struct ledger {
    volatile sig_atomic_t is_over;
    volatile int turns, refused, count;
    struct effect effects[EFFECTS_MAX];
};

static struct ledger *ledger;

/* --- The workers: other processes, which report through the ledger alone ----------------------------------- */

static void note_effect(const redisReply *etag, const char *token) {
    int place = __sync_fetch_and_add(&ledger->count, 1);
    if (place >= EFFECTS_MAX) _exit(3);
    memcpy(ledger->effects[place].etag, etag->str, 18);
    memcpy(ledger->effects[place].token, token, 18);
}

static void work_under_lease(redisContext *context, const char *id, const char *token, bool fenced) {
    for (int write = 0; write < WRITES_PER_TURN; write++) {
        redisReply *reply = fenced ? redisCommand(context, "BLOB.PUT box data %s LEASE %s", token, id)
                                   : redisCommand(context, "BLOB.PUT box data %s", token);
        if (!reply) _exit(2);
        if (reply->type == REDIS_REPLY_STRING) note_effect(reply, token);
        if (reply->type == REDIS_REPLY_ERROR) __sync_fetch_and_add(&ledger->refused, 1);
        bool goes_on = reply->type == REDIS_REPLY_STRING;
        freeReplyObject(reply);
        if (!goes_on) return;
        usleep(2000);
    }
}

static void become_worker(int port, bool fenced) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    redisContext *context = redisConnect("127.0.0.1", port);
    if (!context || context->err) _exit(1);
    const char *locked = fenced ? "data" : "lock";
    while (!ledger->is_over) {
        redisReply *lease =
            redisCommand(context, "LEASE.ACQUIRE box 0.0%d BLOB %s BLOCK 0.2", LEASE_MS, locked);
        if (!lease) _exit(2);
        if (lease->type == REDIS_REPLY_ARRAY) {
            __sync_fetch_and_add(&ledger->turns, 1);
            work_under_lease(context, lease->element[0]->str, lease->element[1]->str, fenced);
            freeReplyObject(
                redisCommand(context, "LEASE.RELEASE box %s BLOB %s", lease->element[0]->str, locked));
        }
        freeReplyObject(lease);
    }
    _exit(0);
}

/* --- The stage --------------------------------------------------------------------------------------------- */

static int by_etag(const void *one, const void *other) {
    return strcmp(((const struct effect *)one)->etag, ((const struct effect *)other)->etag);
}

/* How often a write under an older token came behind one under a newer token. */
static int overlaps(void) {
    const char *newest = "";
    int count = 0;
    qsort(ledger->effects, (size_t)ledger->count, sizeof(*ledger->effects), by_etag);
    for (int i = 0; i < ledger->count; i++) {
        if (strcmp(ledger->effects[i].token, newest) < 0)
            count++;
        else
            newest = ledger->effects[i].token;
    }
    return count;
}

/* Stops one worker after the other for longer than a lease lasts. */
static void stop_and_go(const pid_t workers[WORKERS]) {
    for (int round = 0; round < STOPS; round++) {
        pid_t worker = workers[random_below(WORKERS)];
        kill(worker, SIGSTOP);
        usleep((LEASE_MS + 40) * 1000);
        kill(worker, SIGCONT);
        usleep((useconds_t)random_below(20000));
    }
}

static void end_workers(const pid_t workers[WORKERS]) {
    ledger->is_over = 1;
    for (int i = 0; i < WORKERS; i++) {
        int status = 0;
        kill(workers[i], SIGCONT);
        require(waitpid(workers[i], &status, 0) == workers[i], "a worker is lost: %s", strerror(errno));
        require(WIFEXITED(status) && !WEXITSTATUS(status), "a worker ended with status %d", status);
    }
}

static void ledger_free(void *target) {
    munmap(target, sizeof(*ledger));
}

static void play(bool fenced) {
    pid_t workers[WORKERS];
    random_begin();
    time_passes(0);
    allow_short_leases();
    create("box");
    put("box", "data", "none");
    put("box", "lock", "none");
    ledger = mmap(NULL, sizeof(*ledger), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(ledger != MAP_FAILED, "no memory: %s", strerror(errno));
    pool_keep(ledger, ledger_free);
    fflush(NULL);
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = fork();
        require(workers[i] >= 0, "cannot fork: %s", strerror(errno));
        if (!workers[i]) become_worker(primary->server->port, fenced);
    }
    stop_and_go(workers);
    end_workers(workers);
    await_waiters(primary, 0);
    time_passes(1000);
}

TEST(a_lease_on_the_data_lets_nothing_overlap) {
    play(true);
    print_message("# %d turns, %d writes, %d refused\n", ledger->turns, ledger->count, ledger->refused);
    assert_int_equal(overlaps(), 0);
    assert_true(ledger->turns > WORKERS && ledger->refused > 0);
}

TEST(a_lock_beside_the_data_lets_writes_overlap) {
    int found = 0;
    for (int attempt = 0; attempt < 3 && !found; attempt++) {
        call(primary, "DEL box");
        play(false);
        found = overlaps();
        print_message("# %d turns, %d writes, %d overlaps\n", ledger->turns, ledger->count, found);
    }
    assert_true(found > 0);
}
