/* What befalls replicas: they stall until what they missed is in no backlog any more, and are sent everything anew. */
#include <signal.h>

#include "expect.h"
#include "faults.h"
#include "harness.h"
#include "pool.h"

enum { STALLS = 3, OVERFLOW_MS = 400, OVERFLOW_SECONDS = 10 };

static long long full_copies(struct stage *stage) {
    return info_of(stage_client(stage, atomic_load(&stage->primary)), "sync_full");
}

static void await_full_copy(struct trial *trial, long long before) {
    for (int64_t until = us_after(OVERFLOW_SECONDS); now_us() < until; pause_us(5000))
        if (full_copies(&trial->stage) > before) return;
    violation(&trial->parts[0], "the backlog has not overflown: this proves nothing");
}

/* Its connection is cut meanwhile, so that the primary keeps no more for it than the backlog. */
static void stall(struct trial *trial, int replica) {
    struct stage *stage = &trial->stage;
    long long before = full_copies(stage);
    pid_t process = stage->servers[replica]->process;
    kill(process, SIGSTOP);
    call(stage_client(stage, atomic_load(&stage->primary)), "CLIENT KILL TYPE replica");
    trial_pause_ms(trial, OVERFLOW_MS, 2 * OVERFLOW_MS);
    kill(process, SIGCONT);
    await_full_copy(trial, before);
    trial_pause_ms(trial, 0, 300);
}

static void stall_again_and_again(struct trial *trial) {
    for (int number = 0; number < STALLS; number++)
        stall(trial, stage_replica(&trial->stage, (unsigned)trial_chance(trial, 2)));
}

const struct fault backlog_fault = {.name = "backlog",
                                    .promise = NOTHING_LOST,
                                    .settings = "repl-backlog-size 16kb\n",
                                    .servers = 3,
                                    .strike = stall_again_and_again};

/* Every way in which a replica loads what comes without a file; one of them dies while it loads, or soon after. */
static void load_in_each_way(struct trial *trial) {
    static const char *const ways[] = {"disabled", "on-empty-db", "swapdb"};
    struct stage *stage = &trial->stage;
    for (int i = 0; i < 3; i++) {
        int replica = stage_replica(stage, (unsigned)i);
        expect_ok(call(stage_client(stage, replica), "CONFIG SET repl-diskless-load %s", ways[i]));
        stall(trial, replica);
    }
    int victim = stage_replica(stage, (unsigned)trial_chance(trial, 2));
    server_kill(stage->servers[victim]);
    stage_bring_back(stage, victim);
}

const struct fault diskless_fault = {
    .name = "diskless",
    .promise = NOTHING_LOST,
    .settings = "repl-diskless-sync yes\nrepl-diskless-sync-delay 0\nrepl-backlog-size 16kb\n",
    .servers = 3,
    .strike = load_in_each_way};
