/* What befalls one server alone: it is killed and started again, or stopped and continued. */
#include <signal.h>

#include "faults.h"

enum { BLOWS = 3 };

static void kill_and_revive(struct trial *trial) {
    for (int blow = 0; blow < BLOWS; blow++) {
        stage_kill(&trial->stage);
        trial_pause_ms(trial, 0, 100);
        stage_revive(&trial->stage);
        trial_pause_ms(trial, 1300, 1700);
    }
}

const struct fault kill_fault = {
    .name = "kill -9", .promise = NOTHING_LOST, .settings = "", .servers = 2, .strike = kill_and_revive};

/* Longer than clients wait, and longer than leases last. */
static void stop_and_continue(struct trial *trial) {
    for (int blow = 0; blow < BLOWS; blow++) {
        pid_t process = stage_primary(&trial->stage)->process;
        kill(process, SIGSTOP);
        trial_pause_ms(trial, 200, 1300);
        kill(process, SIGCONT);
        trial_pause_ms(trial, 300, 700);
    }
}

const struct fault stop_fault = {.name = "stop",
                                 .promise = NOTHING_LOST,
                                 .silence = true,
                                 .settings = "",
                                 .servers = 2,
                                 .strike = stop_and_continue};
